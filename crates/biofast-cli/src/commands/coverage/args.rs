//! What `biofast coverage` can be told.

use biofast::bam::flag;
use clap::ValueEnum;

use crate::options::{Folder, InFile, ManyFiles, Out, OutFile};
use crate::watch::Reading;

/// Find how deep sorted BAM, SAM or CRAM covers the reference: the files of mosdepth, or a table
///
/// With --prefix or --out-dir the files of mosdepth 0.3.3 are written, byte for byte: summary, distributions, per-base
/// depth, and those that are asked for. Without them a table is printed, a row for each file. No index is
/// needed; with one, and --chrom or intervals alone, only parts of the file are read.
#[derive(clap::Args)]
#[command(mut_arg("quiet", |arg| arg.short(None)), after_help = "\
Examples:
  biofast coverage lane1.bam lane2.bam
  biofast coverage -p aln --by 500 aln.bam
  biofast coverage -p aln -n --by targets.bed -T 1,10,30 aln.bam
  biofast coverage -p aln -q 0:1:5:150: -x aln.bam
  biofast coverage --format samtools-coverage aln.bam
  biofast coverage --format samtools-depth aln.bam > depth.tsv")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) inputs: ManyFiles,

    /// Write the files of mosdepth: PREFIX.mosdepth.summary.txt, PREFIX.per-base.bed.gz, …
    #[arg(short, long, value_name = "PREFIX", conflicts_with_all = ["out_dir", "out"])]
    pub(super) prefix: Option<OutFile>,

    /// Write the files of mosdepth to DIR, with the name of each input as prefix; DIR is made if it doesn't exist
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub(super) out_dir: Option<Folder>,

    /// What is printed without --prefix and --out-dir
    #[arg(long, value_enum, default_value_t = Format::Table, value_name = "FORMAT", conflicts_with_all = ["prefix", "out_dir"])]
    pub(super) format: Format,

    #[command(flatten)]
    pub(super) out: Out,

    /// Also write the depth of the intervals of a BED file, or of windows of that many bases
    #[arg(short, long, value_name = "BED|WINDOW")]
    pub(super) by: Option<InFile>,

    /// For each interval of --by, count the bases that are covered at least N times
    #[arg(short = 'T', long, value_name = "N,…", value_delimiter = ',', requires = "by")]
    pub(super) thresholds: Vec<u32>,

    /// Write stretches of the same class of depth; classes are given by their bounds, such as 0:1:5:150:
    ///
    /// The variables MOSDEPTH_Q0, MOSDEPTH_Q1 and so on give the classes names.
    #[arg(short, long, value_name = "BOUNDS")]
    pub(super) quantize: Option<String>,

    /// Don't write the depth of each base
    #[arg(short, long)]
    pub(super) no_per_base: bool,

    /// Write medians of intervals, not means
    #[arg(short = 'm', long)]
    pub(super) use_median: bool,

    /// Count all from the first to the last base of an alignment, and both mates where they overlap
    #[arg(short = 'x', long)]
    pub(super) fast_mode: bool,

    /// Only the reference of this name
    #[arg(short, long, value_name = "NAME")]
    pub(super) chrom: Option<String>,

    /// Only records with none of these flags
    #[arg(short = 'F', long, value_name = "FLAGS", default_value = "1796", value_parser = flags)]
    pub(super) flag: u16,

    /// Only records with at least one of these flags
    #[arg(short, long, value_name = "FLAGS", default_value = "0", value_parser = flags)]
    pub(super) include_flag: u16,

    /// Only records of at least this mapping quality
    #[arg(short = 'Q', long, value_name = "N", default_value_t = 0)]
    pub(super) mapq: u8,

    /// Only records of these read groups
    #[arg(short = 'R', long, value_name = "ID,…", value_delimiter = ',')]
    pub(super) read_groups: Vec<String>,

    /// Only bases of at least this quality; for --format samtools-coverage and samtools-depth
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) min_base_quality: u8,

    /// With --format samtools-depth all positions of references with records; given twice, of all references
    #[arg(short = 'a', long, action = clap::ArgAction::Count)]
    pub(super) all_positions: u8,

    /// Reference sequences in FASTA, for CRAM. Depths don't need them
    #[arg(short = 'f', long, visible_alias = "fasta", value_name = "FASTA")]
    pub(super) reference: Option<InFile>,

    #[command(flatten)]
    pub(super) reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// A table for people
    Table,
    /// The same as tab-separated values
    Tsv,
    /// The table of `samtools coverage`, of one file
    SamtoolsCoverage,
    /// The lines of `samtools depth`, of one file
    SamtoolsDepth,
}

fn flags(text: &str) -> Result<u16, String> {
    flag::parse(text).ok_or_else(|| {
        "expected a number from 0 to 65535, or names separated by commas, such as UNMAP,DUP".into()
    })
}
