//! What `biofast coverage` can be told.

use biofast_ops::compat::Peer;

use super::formats::CoverageFormat;
use crate::options::{
    CompatArgs, DepthArgs, Folder, InFile, ManyFiles, Out, OutFile, PageTitle, ShardArg,
    VerdictArgs, versions,
};
use crate::watch::Reading;

/// Compute depth of coverage; write mosdepth-compatible files or a summary table
///
/// With --prefix or --out-dir, writes the files of mosdepth 0.3.14, byte for byte: summary, distributions, per-base
/// depth, and others on request. Otherwise, prints a table with a row for each file.
///
/// No index is needed. With one, --chrom reads only part of the file. So does --by with --no-per-base, unless
/// --thresholds or --quantize is given.
#[derive(clap::Args)]
#[command(
    mut_arg("quiet", |arg| arg.short(None)),
    mut_arg("compat", |arg| arg.value_parser(versions(&[Peer::Samtools, Peer::Mosdepth]))),
    after_help = "\
Examples:
  biofast coverage lane1.bam lane2.bam
  biofast coverage --prefix aln --by 500 aln.bam
  biofast coverage --prefix aln -n --by targets.bed -T 1,10,30 aln.bam
  biofast coverage --by targets.bed --html coverage.html lane1.bam lane2.bam
  biofast coverage --by targets.bed --limits limits.txt --html coverage.html lane1.bam
  biofast coverage --prefix aln -q 0:1:5:150: -x aln.bam
  biofast coverage --format samtools-coverage aln.bam
  biofast coverage --format samtools-depth aln.bam > depth.tsv
  biofast coverage --format bedgraph aln.bam > depth.bedgraph
  biofast coverage --shard 'plan.json#2' -o part2.coverage.json"
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) inputs: ManyFiles,

    /// Write mosdepth files: PREFIX.mosdepth.summary.txt, PREFIX.per-base.bed.gz, …
    #[arg(long, value_name = "PREFIX", conflicts_with_all = ["out_dir", "out"])]
    pub(super) prefix: Option<OutFile>,

    /// Write mosdepth files to DIR, with the input names as prefixes; DIR is created if it doesn't exist
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub(super) out_dir: Option<Folder>,

    /// Output format without --prefix and --out-dir
    #[arg(long, value_enum, default_value_t = CoverageFormat::Table, value_name = "FORMAT", conflicts_with_all = ["prefix", "out_dir"])]
    pub(super) format: CoverageFormat,

    #[command(flatten)]
    pub(super) compat: CompatArgs,

    /// Also write an HTML report to FILE: the distribution of depths and, with --by BED, each target
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<OutFile>,

    #[command(flatten)]
    pub(super) title: PageTitle,

    #[command(flatten)]
    pub(super) shard: ShardArg,

    #[command(flatten)]
    pub(super) out: Out,

    /// Process only the reference NAME
    #[arg(short, long, value_name = "NAME")]
    pub(super) chrom: Option<String>,

    #[command(flatten)]
    pub(super) depth: DepthArgs,

    /// Count only bases of at least this quality (formats samtools-coverage and samtools-depth)
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) min_base_quality: u8,

    /// Print all positions of references with records; twice, of all references (format samtools-depth)
    ///
    /// With format bedgraph, once prints the intervals of depth 0 of all references, too.
    #[arg(short = 'a', long, action = clap::ArgAction::Count)]
    pub(super) all_positions: u8,

    /// Reference sequences (FASTA) for CRAM input; not needed for depths
    #[arg(short = 'f', long, visible_alias = "fasta", value_name = "FASTA")]
    pub(super) reference: Option<InFile>,

    #[command(flatten)]
    pub(super) reading: Reading,

    // A heading is that of all that follows.
    #[command(flatten, next_help_heading = "Verdicts")]
    pub(super) verdicts: VerdictArgs,
}
