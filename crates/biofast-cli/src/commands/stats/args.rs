//! What `biofast stats` can be told.

use biofast::ops::alignments::partial::Kind;
use biofast::ops::picard;
use biofast::ops::show::picard::Metrics;
use clap::ValueEnum;

use crate::options::{
    DepthArgs, Folder, InFile, Io, ManyFiles, Messages, Out, OutFile, Pairing, RegionArgs,
    SeekIndexArg, ShardArg, Strictness, Threads, VerdictArgs,
};

const BY: &str = "RG, SM or LB: also a row, or files, for each read group, sample or library of alignments. With --out-dir also the \
                  depth of the intervals of a BED file, or of windows of that many bases; --by may be given once for each";

/// Count reads and bases, lengths, qualities and composition of FASTQ or alignments, in one pass
///
/// Reads plain, gzip, BGZF, zstd, bzip2 and xz FASTQ, and BAM, SAM and CRAM, recognised by their
/// content. Every record and every checksum is checked; for a faulty input an error names record and
/// line, the other inputs keep their rows, and the exit code is 2.
///
/// With --library, --limits or --fail-on figures are judged: pass, warn or fail, in JSON and on standard error; of FASTQ adapters
/// and repeated sequences are then looked for, too. Exit codes: 0 fine, 1 a verdict that --fail-on names, 2 an error.
///
/// With --out-dir all that pipelines ask of a file comes from one reading, with biofast's own reports: of reads what FastQC
/// and seqkit stats say, of alignments the reports of samtools stats, flagstat, idxstats and coverage, the files of
/// mosdepth and Picard's metrics.
#[derive(clap::Args)]
#[command(
    mut_arg("thresholds", |arg| arg.short(None)),
    mut_arg("quantize", |arg| arg.short(None)),
    mut_arg("by", |arg| arg.value_name("RG|SM|LB|BED|WINDOW").help(BY))
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
  biofast stats --format fastqc --out-dir qc *.fastq.gz
  biofast stats --out-dir qc --paired reads_R1.fq.gz reads_R2.fq.gz
  biofast stats --out-dir qc aln.bam
  biofast stats --out-dir qc --qc stats,mosdepth --by 500 lane1.bam lane2.bam
  biofast stats --out-dir qc --qc picard,wgs -r genome.fa aln.bam
  biofast stats --out-dir qc --qc hs --targets targets.bed aln.bam
  biofast stats --by SM aln.bam
  biofast stats --library wgs --json reads.fq.gz -o reads.json
  biofast stats --library rna --html report.html reads_R1.fq.gz reads_R2.fq.gz
  biofast stats --print-limits --library wgs > limits.txt
  biofast stats --limits limits.txt --fail-on fail reads.fq.gz || echo 'look at these reads'
  zcat reads.fq.gz | biofast stats --stdin-label lane1")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) inputs: ManyFiles,

    #[command(flatten)]
    pub(super) format: Format,

    /// Output format; 'samtools' is for one file of alignments, 'fastqc' for FASTQ
    #[arg(long = "format", value_enum, value_name = "FORMAT", conflicts_with_all = ["tsv", "json"])]
    pub(super) format_name: Option<FormatName>,

    /// Print a line for each read instead, in the order of the input: length, mean quality, expected errors, GC and more, tab-separated
    #[arg(long, conflicts_with_all = ["tsv", "json", "format_name", "out_dir"])]
    pub(super) per_read: bool,

    /// Reference sequences in FASTA: to decode CRAM, and for the mismatches in the reports of samtools and
    /// Picard
    #[arg(short, long, visible_alias = "ref-seq", value_name = "FASTA")]
    pub(super) reference: Option<InFile>,

    /// Targets of a hybrid selection, in BED or as Picard's interval list: for hs of --qc
    #[arg(long, visible_alias = "targets", value_name = "FILE")]
    pub(super) target_intervals: Option<InFile>,

    /// The baits that select them; without this option the targets are taken for baits
    #[arg(long, visible_alias = "baits", value_name = "FILE", requires = "target_intervals")]
    pub(super) bait_intervals: Option<InFile>,

    /// Depth up to which hs and wgs of --qc count coverage, like COVERAGE_CAP of Picard [default: 200 for hs, 250 for wgs]
    #[arg(long, value_name = "DEPTH", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) coverage_cap: Option<u16>,

    /// Adapters and primers that overrepresented sequences are compared with, in the form of FastQC's contaminant_list.txt: a
    /// name, tabs and a sequence on each line. Without it the ones that FastQC 0.11.9 knows
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

    /// Write files to DIR, which is made if it doesn't exist: what --qc lists; with '--format fastqc' only a folder
    /// NAME_fastqc for each file
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub(super) out_dir: Option<Folder>,

    /// Which files --out-dir gets, all from one reading; without it all there are of reads, or of alignments, except depth and
    /// fastp, or with regions all that can be had of regions. With --partial or --shard: for which files of `biofast merge --out-dir` the report
    /// carries the counts
    #[arg(
        long,
        value_enum,
        value_name = "LIST",
        value_delimiter = ',',
        conflicts_with = "format_name"
    )]
    pub(super) qc: Vec<Report>,

    /// With --json: the inputs are parts, and the report carries what `biofast merge` needs to give the coverage of the
    /// whole. All else of reports, and those of FASTQ, can be merged without
    #[arg(long, value_enum, value_name = "OF")]
    pub(super) partial: Option<Partial>,

    /// Also write a report for the browser to FILE: charts and a table of all samples, in one file
    /// that needs no network. With --out-dir, too: one page of all samples beside the files of each
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<OutFile>,

    /// Plot qualities by position, GC and lengths below the table, in blocks, or in ASCII where the
    /// locale isn't UTF-8
    #[arg(long)]
    pub(super) plot: bool,

    /// Take the files two by two as mates: names and numbers of reads must agree
    #[arg(long, conflicts_with = "interleaved")]
    pub(super) paired: bool,

    /// Each file is interleaved: mates follow each other, and their names must agree
    #[arg(long)]
    pub(super) interleaved: bool,

    #[command(flatten)]
    pub(super) pairing: Pairing,

    /// Sample name, given once for each file, or once for all; files of one sample share a row
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

    /// Print the limits of all checks, in the form --limits takes, and read nothing
    #[arg(long, conflicts_with_all = [
        "files", "files_from", "tsv", "json", "format_name", "per_read", "out_dir", "html", "plot", "fail_on", "verdicts"
    ])]
    pub(super) print_limits: bool,

    #[command(flatten, next_help_heading = "Depths, for coverage and mosdepth of --out-dir")]
    pub(super) depth: DepthArgs,
}

/// How results are printed.
#[derive(Clone, Copy, clap::Args)]
#[group(multiple = false)]
pub(crate) struct Format {
    /// Print tab-separated values, with the columns of `seqkit stats -a -T`
    #[arg(short = 'T', long)]
    pub(in crate::commands) tsv: bool,

    /// Print everything as JSON; `biofast merge` reads it back
    #[arg(long)]
    pub(in crate::commands) json: bool,
}

/// What an input is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Partial {
    /// A piece of a sorted file: `merge` gets the pieces in their order
    Shard,
    /// A sorted file of a sample that has several; the report has all depths, some bytes for each read
    Lane,
}

impl From<Partial> for Kind {
    fn from(partial: Partial) -> Kind {
        match partial {
            Partial::Shard => Kind::Shard,
            Partial::Lane => Kind::Lane,
        }
    }
}

/// What there is in a folder of reports about reads or alignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Report {
    /// NAME.stats: `samtools stats`
    Stats,
    /// NAME.flagstat: `samtools flagstat`
    Flagstat,
    /// NAME.idxstats: `samtools idxstats`
    Idxstats,
    /// NAME.mapped.coverage: `samtools coverage`
    Coverage,
    /// NAME.depth: `samtools depth`, a line for each base, only if listed
    Depth,
    /// NAME.mosdepth.summary.txt, NAME.per-base.bed.gz and so on: the files of mosdepth
    Mosdepth,
    /// All metrics of Picard that follow, but wgs and hs
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
    /// NAME_fastqc/fastqc_data.txt and summary.txt, of reads: FastQC
    Fastqc,
    /// NAME.seqkit.tsv, of reads: as --tsv, `seqkit stats -a -T`
    Seqkit,
    /// NAME.fastp.json, of reads, only if listed: the figures fastp has before it filters. MultiQC shows it as a run of fastp in
    /// which every read passed
    Fastp,
    /// NAME.biofast.json: as --json
    Json,
    /// NAME.biofast.html: as --html
    Html,
}

impl Report {
    /// Whether there is one of reads.
    pub(crate) fn of_reads(self) -> bool {
        let both = matches!(self, Report::Json | Report::Html);
        both || !self.of_alignments()
    }

    /// Whether there is one of alignments.
    pub(crate) fn of_alignments(self) -> bool {
        !matches!(self, Report::Fastqc | Report::Seqkit | Report::Fastp)
    }

    /// Whether it is written only if --qc lists it.
    pub(crate) fn is_only_if_listed(self) -> bool {
        matches!(self, Report::Depth | Report::Fastp)
    }

    /// Its name in --qc.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Why `biofast merge` can't make it of reports of parts, if it can't.
    pub(crate) fn unmergeable(self) -> Option<&'static str> {
        match self {
            Report::Stats => {
                Some("its COV depends on what samtools forgets on the way through a file")
            }
            Report::Coverage | Report::Depth | Report::Mosdepth => Some(
                "depths of several kinds of records would have to be carried for each position",
            ),
            _ => None,
        }
    }

    /// Its files of Picard.
    pub(crate) fn metrics(self) -> &'static [Metrics] {
        match self {
            Report::AlignmentSummary => &[Metrics::AlignmentSummary],
            Report::InsertSize => &[Metrics::InsertSize],
            Report::QualityByCycle => &[Metrics::QualityByCycle],
            Report::QualityDistribution => &[Metrics::QualityDistribution],
            Report::BaseDistribution => &[Metrics::BaseDistribution],
            Report::GcBias => &[Metrics::GcBiasDetail, Metrics::GcBiasSummary],
            Report::Wgs => &[Metrics::Wgs],
            Report::Hs => &[Metrics::Hs],
            _ => &[],
        }
    }
}

/// Which of Picard's metrics are wanted for these reports.
pub(crate) fn metrics(reports: &[Report], has_reference: bool) -> picard::Wanted {
    let has = |report| reports.contains(&report);
    let has_or_all = |report| has(report) || has(Report::Picard);
    picard::Wanted {
        alignment_summary: has_or_all(Report::AlignmentSummary),
        insert_size: has_or_all(Report::InsertSize),
        quality_by_cycle: has_or_all(Report::QualityByCycle),
        quality_distribution: has_or_all(Report::QualityDistribution),
        base_distribution: has_or_all(Report::BaseDistribution),
        gc_bias: has(Report::GcBias) || (has(Report::Picard) && has_reference),
        wgs: has(Report::Wgs),
        hs: has(Report::Hs),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatName {
    /// A table for people
    Table,
    /// As --tsv
    Tsv,
    /// As --json
    Json,
    /// The text of `samtools stats`
    Samtools,
    /// The fastqc_data.txt of FastQC
    Fastqc,
}
