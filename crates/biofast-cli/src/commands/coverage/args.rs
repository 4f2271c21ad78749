//! What `biofast coverage` can be told.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::options::{DepthArgs, Folder, InFile, ManyFiles, Out, OutFile, ShardArg};
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
  biofast coverage --by targets.bed --html coverage.html lane1.bam lane2.bam
  biofast coverage -p aln -q 0:1:5:150: -x aln.bam
  biofast coverage --format samtools-coverage aln.bam
  biofast coverage --format samtools-depth aln.bam > depth.tsv
  biofast coverage --shard 'plan.json#2' -o part2.coverage.json")]
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

    /// Also write a page for the browser: how deep all positions are and, with --by BED, each target
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<OutFile>,

    #[command(flatten)]
    pub(super) shard: ShardArg,

    #[command(flatten)]
    pub(super) out: Out,

    /// Only the reference of this name
    #[arg(short, long, value_name = "NAME")]
    pub(super) chrom: Option<String>,

    #[command(flatten)]
    pub(super) depth: DepthArgs,

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Format {
    /// A table for people
    Table,
    /// The same as tab-separated values
    Tsv,
    /// The table of `samtools coverage`, of one file
    SamtoolsCoverage,
    /// The lines of `samtools depth`, of one file
    SamtoolsDepth,
}
