//! What `biofast stats` can be told.

use biofast_ops::alignments::partial::PartKind;
use biofast_ops::compat::Peer;
use biofast_ops::picard;
use biofast_report::picard::Metrics;
use clap::ValueEnum;

use crate::options::{
    BaselineArg, CompatArgs, DepthArgs, Folder, InFile, Io, ManyFiles, Messages, Out, OutFile,
    PageTitle, Pairing, RegionArgs, SeekIndexArg, ShardArg, Strictness, Threads, VerdictArgs,
    versions,
};

const BY: &str = "Also report each read group (RG), sample (SM) or library (LB); with --out-dir, also write the depth of each \
                  interval in a BED file, or of windows of WINDOW bases. May be given once for each of the two";

/// Programs whose reports can be those of an older version.
const PEERS: &[Peer] = &[Peer::Samtools, Peer::Picard, Peer::Mosdepth, Peer::Fastqc];

/// Summarize reads or alignments; write QC reports
///
/// Reads FASTQ (plain, gzip, BGZF, zstd, bzip2 or xz), BAM, SAM and CRAM. Formats are detected from content. Every
/// record and checksum is validated. If an input is faulty, an error names the record and line, the other inputs keep
/// their rows, and the exit code is 2.
///
/// With --out-dir, a single pass writes the reports of FastQC and seqkit stats for reads, those of samtools, mosdepth
/// and Picard for alignments, and biofast's own.
///
/// With --library, --limits, --fail-on or --verdicts, the results are judged: each check passes, warns or fails.
/// Verdicts are printed to standard error and included in JSON. For FASTQ, adapters and repeated sequences are then
/// searched for, too. The exit code is 1 if a check is as bad as --fail-on says.
#[derive(clap::Args)]
#[command(
    mut_arg("thresholds", |arg| arg.short(None)),
    mut_arg("quantize", |arg| arg.short(None)),
    mut_arg("by", |arg| arg.value_name("RG|SM|LB|BED|WINDOW").help(BY)),
    mut_arg("compat", |arg| arg.value_parser(versions(PEERS)))
)]
#[command(after_help = "\
Examples:
  biofast stats reads_R1.fq.gz reads_R2.fq.gz
  biofast stats --paired -T *.fastq.gz > stats.tsv
  biofast stats --json sample.fq.bgz -o sample.json
  biofast stats --html report.html *.fastq.gz
  biofast stats --plot reads.fq.gz
  biofast stats --per-read long.fq.gz -o long.tsv
  biofast stats --json --write-index run.fq.gz -o run.json   # and run.fq.gz.bsi
  biofast stats aln.bam
  biofast stats --sample s1 lane1.bam lane2.bam
  biofast stats --json --partial lane lane1.bam -o lane1.aln.json
  biofast stats --json --partial lane --qc picard -r genome.fa lane1.bam -o lane1.qc.json
  biofast stats --json --shard 'plan.json#2' -o part2.json
  biofast stats --json --shard 'plan.json#1' --qc picard,wgs -r genome.fa -o part1.qc.json
  biofast stats --format samtools aln.bam > aln.stats
  biofast stats --format samtools --compat samtools=1.16 aln.bam > aln.stats
  biofast stats --format fastqc --out-dir qc *.fastq.gz
  biofast stats --format fastqc --compat fastqc=0.11.9 --out-dir qc *.fastq.gz
  biofast stats --out-dir qc --paired reads_R1.fq.gz reads_R2.fq.gz
  biofast stats --out-dir qc aln.bam
  biofast stats --out-dir qc --qc stats,mosdepth --by 500 lane1.bam lane2.bam
  biofast stats --out-dir qc --qc picard,wgs -r genome.fa aln.bam
  biofast stats --out-dir qc --qc hs --targets targets.bed aln.bam
  biofast stats --by SM aln.bam
  biofast stats --library wgs --json reads.fq.gz -o reads.json
  biofast stats --library rna --html report.html reads_R1.fq.gz reads_R2.fq.gz
  biofast stats --library wgs --baseline runs --html report.html *.fastq.gz
  biofast stats --print-limits --library wgs > limits.txt
  biofast stats --limits limits.txt --fail-on fail reads.fq.gz || echo 'look at these reads'
  zcat reads.fq.gz | biofast stats --stdin-label lane1")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) inputs: ManyFiles,

    #[command(flatten)]
    pub(super) format: StatsFormat,

    /// Output format; samtools needs one alignment file, fastqc needs FASTQ
    #[arg(long = "format", value_enum, value_name = "FORMAT", conflicts_with_all = ["tsv", "json"])]
    pub(super) format_name: Option<FormatName>,

    /// Print a line for each read instead: length, mean quality, expected errors, GC and more
    ///
    /// The columns are separated by tabs, and reads are in input order.
    #[arg(long, conflicts_with_all = ["tsv", "json", "format_name", "out_dir"])]
    pub(super) per_read: bool,

    /// Reference sequences (FASTA), for CRAM input, and to count mismatches and GC bias in JSON, HTML, samtools and Picard reports
    #[arg(short, long, visible_alias = "ref-seq", value_name = "FASTA")]
    pub(super) reference: Option<InFile>,

    /// Targets of hybrid selection, as BED or a Picard interval list, for --qc hs
    #[arg(long, visible_alias = "targets", value_name = "FILE")]
    pub(super) target_intervals: Option<InFile>,

    /// Baits of hybrid selection, for --qc hs [default: the targets]
    #[arg(long, visible_alias = "baits", value_name = "FILE", requires = "target_intervals")]
    pub(super) bait_intervals: Option<InFile>,

    /// Highest depth that --qc hs and wgs count, like Picard's COVERAGE_CAP [default: hs 200, wgs 250]
    #[arg(long, value_name = "DEPTH", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) coverage_cap: Option<u16>,

    /// Compare overrepresented sequences with those in FILE [default: FastQC's list]
    ///
    /// The format is that of FastQC's contaminant_list.txt: a name, tabs and a sequence on each line.
    #[arg(long, value_name = "FILE")]
    pub(super) contaminants: Option<InFile>,

    #[command(flatten)]
    pub(super) regions: RegionArgs,

    #[command(flatten)]
    pub(super) shard: ShardArg,

    #[command(flatten)]
    pub(super) seek_index: SeekIndexArg,

    #[command(flatten)]
    pub(super) out: Out,

    /// Write QC files, chosen with --qc, to DIR, which is created if it doesn't exist
    ///
    /// With '--format fastqc', only a folder NAME_fastqc is written for each file.
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub(super) out_dir: Option<Folder>,

    /// Files to write to --out-dir, separated by commas [default: all that apply, except depth and fastp]
    ///
    /// All files come from the same pass. With regions, the default is limited to files that can be computed for
    /// regions. With --partial or --shard, the JSON report carries the counts for these files, so that `biofast merge
    /// --out-dir` can write them.
    #[arg(
        long,
        value_enum,
        value_name = "LIST",
        value_delimiter = ',',
        conflicts_with = "format_name"
    )]
    pub(super) qc: Vec<ReportName>,

    #[command(flatten)]
    pub(super) compat: CompatArgs,

    /// With --json: treat the inputs as parts, and report what `biofast merge` needs for their coverage
    ///
    /// Other alignment statistics, and reports of FASTQ, can be merged without this option.
    #[arg(long, value_enum, value_name = "OF")]
    pub(super) partial: Option<Partial>,

    /// Also write an HTML report to FILE: charts and a table of all samples, in one self-contained file
    ///
    /// The report needs no network. With --out-dir, it is written in addition to the reports of each file.
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<OutFile>,

    #[command(flatten)]
    pub(super) title: PageTitle,

    /// Plot quality by position, GC and lengths below the table
    ///
    /// The plots are made of block characters, or of ASCII if the locale isn't UTF-8.
    #[arg(long)]
    pub(super) plot: bool,

    /// Treat each two files as mates: read names and counts must agree
    #[arg(long, conflicts_with = "interleaved")]
    pub(super) paired: bool,

    /// Treat each file as interleaved: mates follow each other, and their names must agree
    #[arg(long)]
    pub(super) interleaved: bool,

    #[command(flatten)]
    pub(super) pairing: Pairing,

    /// Sample name, given once for each file or once for all; files of one sample share a row
    #[arg(long, value_name = "NAME")]
    pub(super) sample: Vec<String>,

    #[command(flatten)]
    pub(super) threads: Threads,

    #[command(flatten)]
    pub(super) io: Io,

    #[command(flatten)]
    pub(super) strictness: Strictness,

    #[command(flatten)]
    pub(super) messages: Messages,

    // A heading is that of all that follows.
    #[command(flatten, next_help_heading = "Verdicts")]
    pub(super) verdicts: VerdictArgs,

    #[command(flatten)]
    pub(super) baseline: BaselineArg,

    /// Print the limits of all checks in the format of --limits, and exit
    #[arg(long, conflicts_with_all = [
        "files", "files_from", "tsv", "json", "format_name", "per_read", "out_dir", "html", "title", "plot", "fail_on", "verdicts", "baseline"
    ])]
    pub(super) print_limits: bool,

    #[command(flatten, next_help_heading = "Depth (for --qc coverage and mosdepth)")]
    pub(super) depth: DepthArgs,
}

/// How results are printed.
#[derive(Clone, Copy, clap::Args)]
#[group(multiple = false)]
pub(crate) struct StatsFormat {
    /// Print tab-separated values, with the columns of `seqkit stats -a -T`
    #[arg(short = 'T', long)]
    pub(in crate::commands) tsv: bool,

    /// Print all results as JSON, which `biofast merge` can read
    #[arg(long)]
    pub(in crate::commands) json: bool,
}

/// What an input is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Partial {
    /// A piece of a sorted file; `merge` takes the pieces in order
    Shard,
    /// A sorted file of a sample that has several; the report has all depths, a few bytes per read
    Lane,
}

impl From<Partial> for PartKind {
    fn from(partial: Partial) -> PartKind {
        match partial {
            Partial::Shard => PartKind::Shard,
            Partial::Lane => PartKind::Lane,
        }
    }
}

/// What there is in a folder of reports about reads or alignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportName {
    /// NAME.stats: `samtools stats`
    Stats,
    /// NAME.flagstat: `samtools flagstat`
    Flagstat,
    /// NAME.idxstats: `samtools idxstats`
    Idxstats,
    /// NAME.mapped.coverage: `samtools coverage`
    Coverage,
    /// NAME.depth: `samtools depth`, a line for each base (only if listed)
    Depth,
    /// NAME.mosdepth.summary.txt, NAME.per-base.bed.gz and other files of mosdepth
    Mosdepth,
    /// All Picard metrics below, except wgs and hs
    Picard,
    /// NAME.alignment_summary_metrics: Picard's CollectAlignmentSummaryMetrics
    AlignmentSummary,
    /// NAME.insert_size_metrics, if there are pairs: Picard's CollectInsertSizeMetrics
    InsertSize,
    /// NAME.quality_by_cycle_metrics: Picard's MeanQualityByCycle
    QualityByCycle,
    /// NAME.quality_distribution_metrics: Picard's QualityScoreDistribution
    QualityDistribution,
    /// NAME.base_distribution_by_cycle_metrics: Picard's CollectBaseDistributionByCycle
    BaseDistribution,
    /// NAME.gc_bias.detail_metrics and NAME.gc_bias.summary_metrics, with --reference: Picard's
    /// CollectGcBiasMetrics
    GcBias,
    /// NAME.wgs_metrics, with --reference: Picard's CollectWgsMetrics
    Wgs,
    /// NAME.hs_metrics, with --target-intervals: Picard's CollectHsMetrics
    Hs,
    /// NAME_fastqc/fastqc_data.txt and summary.txt: FastQC (reads only)
    Fastqc,
    /// NAME.seqkit.tsv: `seqkit stats -a -T`, same as --tsv (reads only)
    Seqkit,
    /// NAME.fastp.json: fastp's statistics before filtering, for MultiQC (reads only, and only if listed)
    Fastp,
    /// NAME.biofast.json: same as --json
    Json,
    /// NAME.biofast.html: same as --html
    Html,
}

impl ReportName {
    /// Whether there is one of reads.
    pub(crate) fn of_reads(self) -> bool {
        let both = matches!(self, ReportName::Json | ReportName::Html);
        both || !self.of_alignments()
    }

    /// Whether there is one of alignments.
    pub(crate) fn of_alignments(self) -> bool {
        !matches!(self, ReportName::Fastqc | ReportName::Seqkit | ReportName::Fastp)
    }

    /// Whether it is written only if --qc lists it.
    pub(crate) fn is_only_if_listed(self) -> bool {
        matches!(self, ReportName::Depth | ReportName::Fastp)
    }

    /// Its name in --qc.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Why `biofast merge` can't make it of reports of parts, if it can't.
    pub(crate) fn unmergeable(self) -> Option<&'static str> {
        match self {
            ReportName::Stats => {
                Some("its COV section depends on what samtools drops while it reads a file")
            }
            ReportName::Coverage | ReportName::Depth | ReportName::Mosdepth => {
                Some("it would need depths of several kinds of records for each position")
            }
            _ => None,
        }
    }

    /// Its files of Picard.
    pub(crate) fn metrics(self) -> &'static [Metrics] {
        match self {
            ReportName::AlignmentSummary => &[Metrics::AlignmentSummary],
            ReportName::InsertSize => &[Metrics::InsertSize],
            ReportName::QualityByCycle => &[Metrics::QualityByCycle],
            ReportName::QualityDistribution => &[Metrics::QualityDistribution],
            ReportName::BaseDistribution => &[Metrics::BaseDistribution],
            ReportName::GcBias => &[Metrics::GcBiasDetail, Metrics::GcBiasSummary],
            ReportName::Wgs => &[Metrics::Wgs],
            ReportName::Hs => &[Metrics::Hs],
            _ => &[],
        }
    }
}

/// Which of Picard's metrics are wanted for these reports.
pub(crate) fn metrics(reports: &[ReportName], has_reference: bool) -> picard::MetricSelection {
    let has = |report| reports.contains(&report);
    let has_or_all = |report| has(report) || has(ReportName::Picard);
    picard::MetricSelection {
        alignment_summary: has_or_all(ReportName::AlignmentSummary),
        insert_size: has_or_all(ReportName::InsertSize),
        quality_by_cycle: has_or_all(ReportName::QualityByCycle),
        quality_distribution: has_or_all(ReportName::QualityDistribution),
        base_distribution: has_or_all(ReportName::BaseDistribution),
        gc_bias: has(ReportName::GcBias) || (has(ReportName::Picard) && has_reference),
        wgs: has(ReportName::Wgs),
        hs: has(ReportName::Hs),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatName {
    /// Human-readable table
    Table,
    /// Same as --tsv
    Tsv,
    /// Same as --json
    Json,
    /// Output of `samtools stats`
    Samtools,
    /// FastQC's fastqc_data.txt
    Fastqc,
}
