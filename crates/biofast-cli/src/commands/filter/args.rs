//! The arguments of `biofast filter`, as typed.

use std::num::NonZeroU64;

use biofast_io::output::Format;
use biofast_ops::compat::Peer;
use clap::ValueEnum;

use super::adapters::AdapterArgs;
use super::alignment_args::AlignmentArgs;
use super::deplete::DepleteArgs;
use super::mates::MateArgs;
use super::preset::PresetArgs;
use super::trims::{TRIM_ORDER, TrimArgs};
use crate::options::{
    AlignmentsFormat, CompatArgs, Given, InFile, OutFile, Pairing, PairsOut, ShardArg, versions,
};
use crate::options::{PageTitle, multiples::multiple};
use crate::reads_job::ReadsOptions;

/// Trim adapters and low-quality ends; filter reads or alignments
///
/// Formats are detected from content. FASTQ may be plain, gzip, BGZF, zstd, bzip2 or xz. One file holds single reads,
/// or pairs with --interleaved; two files hold mates, whose names must agree. Reads are trimmed first, and then
/// filtered by what remains.
///
/// BAM, SAM and CRAM records are selected by the options of `samtools view`. Unaligned BAM can also be trimmed and
/// filtered like FASTQ.
///
/// Every record and checksum is validated. If the input is faulty, the command fails and creates no output file. The
/// output doesn't depend on the number of threads.
#[derive(clap::Args)]
#[command(
    disable_help_flag = true,
    // What isn't read of alignments, whether they are aligned or not.
    group(clap::ArgGroup::new("of_fastq").multiple(true)),
    group(clap::ArgGroup::new("of_reads").multiple(true)),
    group(clap::ArgGroup::new("of_alignments").multiple(true)),
    // Letters that samtools view has for others; here they are for alignments.
    mut_arg("quiet", |a| a.short(None)),
    mut_arg("compat", |arg| arg.value_parser(versions(&[Peer::Fastp]))),
    mut_arg("strict", |a| a.conflicts_with("allow_missing_eof")),
    after_help = format!("\
Examples (reads):
  biofast filter --min-len 50 --min-mean-qual 20 reads.fq.gz -o good.fq.gz
  biofast filter R1.fq.gz R2.fq.gz -o 1.fq.gz --out2 2.fq.gz --trim-overlap --cut-tail --min-len 36
  biofast filter --min-len 1000 --keep-percent 90 long.fq.gz -o best.fq.gz
  biofast filter R1.fq.gz R2.fq.gz --sample-count 100000 --seed 7 -o 1.fq.gz --out2 2.fq.gz
  biofast filter --merge R1.fq.gz R2.fq.gz --merged-out m.fq.gz -o 1.fq.gz --out2 2.fq.gz
  biofast filter -a AGATCGGAAGAGC -A AGATCGGAAGAGC R1.fq.gz R2.fq.gz -o 1.fq.gz --out2 2.fq.gz
  biofast filter -g '^CTTGGTCA...GACTACHV' --discard-untrimmed reads.fq.gz -o amplicons.fq.gz
  biofast filter --deplete host.idx R1.fq.gz R2.fq.gz -o 1.fq.gz --out2 2.fq.gz --summary host.json
  biofast filter --preset fastp R1.fq.gz R2.fq.gz -o 1.fq.gz --out2 2.fq.gz --fastp-json x.json
  biofast filter --cut-tail --min-len 36 --html filter.html reads.fq.gz -o good.fq.gz
  biofast filter --names wanted.txt reads.fq.gz > wanted.fq
  zcat reads.fq.gz | biofast filter --max-n 0 -O bgzf - > clean.fq.gz

Order: reads are first taken by --head, sampling, names and --deplete. They are then trimmed by {TRIM_ORDER}. Last, they are filtered by length, quality, N, GC and complexity. docs/filter.md has all formulas.

Examples (alignments):
  biofast filter -q 30 -F UNMAP,DUP aln.bam -o good.bam --write-index
  biofast filter -r lane1 -e '[NM] < 3' aln.bam -o good.bam -U rest.bam
  biofast filter -s 7.1 aln.bam chr1:1-1000000 chr2 -o tenth.bam
  biofast filter -c -L targets.bed aln.cram
  biofast filter --crop-front 10 --min-mean-qual 15 unaligned.bam -o trimmed.bam
  biofast filter -q 30 --shard 'plan.json#2' -o good2.bam"),
    next_help_heading = "Input and output"
)]
pub(crate) struct Args {
    /// One file of reads or alignments, or two files of mates; use '-' or no FILE for standard input
    ///
    /// Regions, written as for --region, may follow an alignment file.
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<InFile>,

    #[command(flatten)]
    pub(super) given: Given,

    #[command(flatten)]
    pub(super) shard: ShardArg,

    /// First reads, as in fastp
    #[arg(
        short = 'i',
        long,
        alias = "input",
        hide = true,
        value_name = "FILE",
        conflicts_with = "files"
    )]
    in1: Option<InFile>,

    /// Second reads, as fastp names them
    #[arg(
        short = 'I',
        long,
        hide = true,
        value_name = "FILE",
        requires = "in1",
        conflicts_with = "files"
    )]
    in2: Option<InFile>,

    /// Treat the input as interleaved: the mates of each pair follow each other
    #[arg(long, alias = "interleaved_in", group = "of_fastq")]
    pub(super) interleaved: bool,

    #[command(flatten)]
    pub(super) pairing: Pairing,

    /// Write kept reads or records to FILE [default: standard output]
    ///
    /// Without --out2, pairs are interleaved. Two input files then need --interleaved-out, except on standard output.
    /// {name} in FILE stands for the name of the adapter in the read, or 'unknown', and gives a file for each. {name1}
    /// and {name2} stand for those of both mates.
    #[arg(short, long, alias = "out1", value_name = "FILE")]
    pub(super) out: Option<OutFile>,

    /// Write second reads to FILE
    #[arg(long, value_name = "FILE", requires = "out", group = "of_fastq")]
    pub(super) out2: Option<OutFile>,

    #[command(flatten)]
    pub(super) pairs_out: PairsOut,

    /// Write good first reads whose mate is rejected to FILE
    #[arg(long, value_name = "FILE", group = "of_fastq")]
    pub(super) unpaired1: Option<OutFile>,

    /// Write good second reads whose mate is rejected to FILE, which may be that of --unpaired1
    #[arg(long, value_name = "FILE", group = "of_fastq")]
    pub(super) unpaired2: Option<OutFile>,

    /// Write rejected reads to FILE, untrimmed, with the reason added to the header
    #[arg(long, alias = "failed_out", value_name = "FILE", group = "of_fastq")]
    pub(super) rejected: Option<OutFile>,

    /// Output format: plain, bgzf, zstd or bzip2 for reads; sam, bam, cram or cram,version=3.1 for alignments
    ///
    /// By default, the file extension decides: .gz, .bgz, .zst or .bz2 for reads, and .bam or .cram for alignments, which are
    /// written as SAM otherwise.
    #[arg(short = 'O', long, value_name = "FORMAT")]
    pub(super) output_format: Option<FilterFormat>,

    /// Compression level: fast, balanced, small or a number
    ///
    /// BGZF takes fast, balanced, small or 0 to 12 [default: fast], zstd takes 0 to 19 [default: 3], and bzip2 takes 1 to 9
    /// [default: 9]. The default for BAM is 6; blocks whose records are all kept are then copied.
    #[arg(long, value_name = "LEVEL")]
    pub(super) level: Option<biofast_io::output::Level>,

    /// Also write an index next to each BGZF output file: GZI for reads, BAI or CSI for sorted BAM
    ///
    /// BAM gets a BAI index if it can hold the references.
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "auto", value_name = "FORMAT")]
    pub(super) write_index: Option<FilterIndexFormat>,

    /// Wait until the output is on disk
    #[arg(long)]
    pub(super) sync: bool,

    /// Write a JSON summary to FILE
    ///
    /// It has a checksum of each file, which `biofast check --against` verifies.
    #[arg(long = "summary", value_name = "FILE")]
    pub(super) json: Option<OutFile>,

    /// With --summary: include what `biofast stats` reports about the reads, before and after
    #[arg(long = "summary-stats", requires = "json", group = "of_fastq")]
    pub(super) stats: bool,

    /// Write an HTML report to FILE: statistics before and after, and why reads were rejected
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<OutFile>,

    #[command(flatten)]
    pub(super) title: PageTitle,

    #[command(flatten)]
    pub(super) preset: PresetArgs,

    #[command(flatten)]
    pub(super) compat: CompatArgs,

    #[command(flatten)]
    pub(super) reading: ReadsOptions,

    /// Print help
    #[arg(long, short = '?', action = clap::ArgAction::Help)]
    help: Option<bool>,

    #[command(flatten, next_help_heading = "Read selection")]
    pub(super) which: SubsetArgs,

    #[command(flatten, next_help_heading = "Hosts and contaminants")]
    pub(super) deplete: DepleteArgs,

    #[command(flatten, next_help_heading = "Trimming")]
    pub(super) trim: TrimArgs,

    #[command(flatten, next_help_heading = "Mate overlap")]
    pub(super) mates: MateArgs,

    #[command(flatten, next_help_heading = "Adapters")]
    pub(super) adapters: AdapterArgs,

    #[command(flatten, next_help_heading = "Read filters")]
    pub(super) select: Select,

    #[command(flatten, next_help_heading = "Alignments")]
    pub(super) alignments: AlignmentArgs,
}

impl Args {
    /// The files to be read, in either way of naming them.
    pub(super) fn inputs(&self) -> Vec<InFile> {
        match &self.in1 {
            Some(first) => std::iter::once(first).chain(&self.in2).cloned().collect(),
            None => self.files.clone(),
        }
    }
}

/// A number of bases as typed.
fn bases(typed: &str) -> Result<u64, String> {
    multiple(typed, 1000).map(NonZeroU64::get).ok_or_else(|| {
        format!("'{typed}' is not a number of bases: expected a form like 1500000, 500M or 2G")
    })
}

/// A number of bases as typed, which may be 3.1G.
fn genome_size(typed: &str) -> Result<u64, String> {
    let Some((whole, rest)) = typed.split_once('.') else { return bases(typed) };
    let digits = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = bases(&format!("1{}", &rest[digits.len()..]));
    let share: Option<f64> = format!("{whole}.{digits}").parse().ok();
    match (unit, share) {
        (Ok(unit), Some(share)) if share > 0.0 && unit > 1 => {
            Ok((share * unit as f64).round() as u64)
        }
        _ => bases(typed),
    }
}

/// What `-O` takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FilterFormat {
    /// Of reads.
    Reads(Format),
    Alignments(AlignmentsFormat),
}

impl std::str::FromStr for FilterFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<FilterFormat, String> {
        match AlignmentsFormat::from_str(name, true) {
            Ok(format) => Ok(FilterFormat::Alignments(format)),
            Err(_) => name.parse().map(FilterFormat::Reads).map_err(|_| {
                format!(
                    "'{name}' is not an output format: expected plain, bgzf (gz), zstd, bzip2, sam, bam or cram; the file of second \
                     reads is named with --out2"
                )
            }),
        }
    }
}

/// What `--write-index` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FilterIndexFormat {
    /// The index that fits the output
    Auto,
    /// BAI, for BAM
    Bai,
    /// CSI, for BAM with references of any length
    Csi,
}

/// What is decided before a read is looked at.
#[derive(clap::Args)]
pub(super) struct SubsetArgs {
    /// Stop after the first N reads or pairs
    #[arg(long, alias = "reads_to_process", value_name = "N", group = "of_fastq")]
    pub(super) head: Option<u64>,

    /// Keep each read or pair with probability P, above 0 and at most 1
    #[arg(long, value_name = "P", conflicts_with = "sample_count", group = "of_fastq")]
    pub(super) sample_fraction: Option<f64>,

    /// Keep exactly N random reads or pairs, or all if there are fewer; reads the input twice
    #[arg(long, value_name = "N", group = "of_fastq")]
    pub(super) sample_count: Option<u64>,

    /// Keep random reads or pairs until they have N bases, such as 500M or 2G; reads the input twice
    ///
    /// The last one may exceed N. If the input has fewer bases, all reads are kept.
    #[arg(long, value_name = "N", value_parser = bases, conflicts_with_all = ["sample_fraction", "sample_count"], group = "of_fastq")]
    pub(super) sample_bases: Option<u64>,

    /// Keep random reads or pairs until they cover the genome DEPTH times; reads the input twice
    #[arg(long, value_name = "DEPTH", requires = "genome_size", conflicts_with_all = ["sample_fraction", "sample_count", "sample_bases"], group = "of_fastq")]
    pub(super) sample_coverage: Option<f64>,

    /// Genome size in bases for --sample-coverage, such as 4600K or 3.1G
    #[arg(long, value_name = "N", value_parser = genome_size, requires = "sample_coverage", group = "of_fastq")]
    pub(super) genome_size: Option<u64>,

    /// Keep the best long reads, up to PERCENT of the input bases; reads the input twice
    ///
    /// Reads are scored by length and quality, like in filtlong.
    #[arg(long, alias = "keep_percent", value_name = "PERCENT", group = "of_fastq")]
    pub(super) keep_percent: Option<f64>,

    /// Keep the best long reads, up to N bases in total, such as 500M or 2G; reads the input twice
    #[arg(long, alias = "target_bases", value_name = "N", value_parser = bases, group = "of_fastq")]
    pub(super) target_bases: Option<u64>,

    /// Window size in bases for the score, which considers the worst window of a read
    #[arg(
        long,
        alias = "window_size",
        value_name = "N",
        default_value = "250",
        group = "of_fastq"
    )]
    pub(super) window_size: std::num::NonZeroUsize,

    /// Weight of the length in the score
    #[arg(
        long,
        alias = "length_weight",
        value_name = "W",
        default_value_t = 1.0,
        group = "of_fastq"
    )]
    pub(super) length_weight: f64,

    /// Weight of the mean quality in the score
    #[arg(
        long,
        alias = "mean_q_weight",
        value_name = "W",
        default_value_t = 1.0,
        group = "of_fastq"
    )]
    pub(super) mean_q_weight: f64,

    /// Weight of the worst window in the score
    #[arg(
        long,
        alias = "window_q_weight",
        value_name = "W",
        default_value_t = 1.0,
        group = "of_fastq"
    )]
    pub(super) window_q_weight: f64,

    /// Folder for temporary files [default: TMPDIR if set, else the folder of the output]
    ///
    /// It holds scores, and a copy of a stream that is read twice.
    #[arg(long, visible_alias = "tmp-dir", value_name = "FOLDER", group = "of_fastq")]
    pub(super) temp_dir: Option<crate::options::Folder>,

    /// Random seed; the same seed selects the same reads
    #[arg(long, value_name = "N", default_value_t = 11, group = "of_fastq")]
    pub(super) seed: u64,

    /// Keep only reads named in FILE, one name per line
    #[arg(long, value_name = "FILE")]
    pub(super) names: Option<InFile>,

    /// Keep only reads whose names match REGEX
    #[arg(long, value_name = "REGEX")]
    pub(super) name_regex: Option<String>,

    /// Keep the reads that --names and --name-regex don't match
    #[arg(long)]
    pub(super) invert: bool,

    /// How many mates must be good for a pair to be kept [default: both]
    ///
    /// With alignments, this keeps or drops whole templates, as their primary records decide [default: each record on
    /// its own]. Secondary and supplementary records go with their template, unless -F excludes them. If the records of
    /// a template aren't next to each other, as in a file sorted by coordinate, the file is read twice.
    #[arg(long, value_enum, value_name = "RULE")]
    pub(super) pair: Option<FilterPairRule>,
}

/// What reads must be like, as trimmed.
#[derive(clap::Args)]
pub(super) struct Select {
    /// Keep reads of at least N bases; N,M for first and second reads
    ///
    /// `N,` and `,M` set a limit for one mate only. A colon (N:M) is the same.
    #[arg(short = 'l', long, aliases = ["length_required", "minlength", "min_length", "minimum-length"], value_name = "N")]
    pub(super) min_len: Option<LengthLimit>,

    /// Keep reads of at most N bases; N,M for first and second reads
    #[arg(long, aliases = ["length_limit", "maxlength", "max_length", "maximum-length"], value_name = "N")]
    pub(super) max_len: Option<LengthLimit>,

    /// Keep reads with a mean quality of at least Q
    #[arg(long, aliases = ["quality", "min-qual"], value_name = "Q")]
    pub(super) min_mean_qual: Option<f64>,

    /// Keep reads with a mean quality of at most Q
    #[arg(long, aliases = ["maxqual", "max-qual"], value_name = "Q")]
    pub(super) max_mean_qual: Option<f64>,

    /// How to compute mean qualities
    #[arg(long, value_enum, default_value_t = MeanArg::ErrorProbability, value_name = "MEAN")]
    pub(super) mean: MeanArg,

    /// Keep reads with at most PERCENT of bases below --qualified-quality
    #[arg(long, alias = "unqualified_percent_limit", value_name = "PERCENT")]
    pub(super) max_low_quality_percent: Option<f64>,

    /// Quality below which a base counts as low quality
    #[arg(long, alias = "qualified_quality_phred", value_name = "Q", default_value_t = 15)]
    pub(super) qualified_quality: u8,

    /// Keep reads with at most E expected errors (the sum of error probabilities)
    #[arg(long, value_name = "E")]
    pub(super) max_expected_errors: Option<f64>,

    /// Keep reads with at most E expected errors per base
    #[arg(long, value_name = "E")]
    pub(super) max_expected_errors_per_base: Option<f64>,

    /// Keep reads with at most N ambiguous bases (N)
    #[arg(long, alias = "n_base_limit", value_name = "N")]
    pub(super) max_n: Option<u64>,

    /// Keep reads with at most PERCENT of N bases
    #[arg(long, value_name = "PERCENT")]
    pub(super) max_n_percent: Option<f64>,

    /// Keep reads with a GC content of at least PERCENT
    #[arg(long, value_name = "PERCENT")]
    pub(super) min_gc: Option<f64>,

    /// Keep reads with a GC content of at most PERCENT
    #[arg(long, value_name = "PERCENT")]
    pub(super) max_gc: Option<f64>,

    /// Keep reads in which at least PERCENT of bases differ from the next base (complexity)
    #[arg(long, alias = "complexity_threshold", value_name = "PERCENT")]
    pub(super) min_complexity: Option<f64>,

    /// Keep reads with a DUST score of at most SCORE, from 0 (all words differ) to 100 (one base)
    ///
    /// Scores are those of PRINSEQ; 7 is a common limit.
    #[arg(long, value_name = "SCORE")]
    pub(super) max_dust: Option<f64>,

    /// Keep reads with an entropy of at least PERCENT, from 0 (one base) to 100 (all words differ)
    ///
    /// Scores are those of PRINSEQ; 70 is a common limit.
    #[arg(long, value_name = "PERCENT")]
    pub(super) min_entropy: Option<f64>,
}

/// A limit of lengths, of first and of second reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct LengthLimit([Option<usize>; 2]);

impl LengthLimit {
    /// The same for all reads.
    pub(super) const fn of_all(n: usize) -> LengthLimit {
        LengthLimit([Some(n); 2])
    }

    /// The limit of both mates, if it is the same.
    pub(super) fn common(self) -> Option<usize> {
        self.0[0].filter(|_| self.0[0] == self.0[1])
    }

    pub(super) fn of_mates(self) -> [Option<usize>; 2] {
        self.0
    }
}

impl std::str::FromStr for LengthLimit {
    type Err = String;

    fn from_str(typed: &str) -> Result<LengthLimit, String> {
        let Some((first, second)) = typed.split_once([',', ':']) else {
            return typed.parse().map(LengthLimit::of_all).map_err(|error| error.to_string());
        };
        let number = |text: &str| match text {
            "" => Ok(None),
            text => text.parse::<usize>().map(Some),
        };
        match number(first).and_then(|n| Ok([n, number(second)?])) {
            Ok(limits) if limits != [None; 2] => Ok(LengthLimit(limits)),
            _ => Err("expected one or two numbers of bases, such as 50 or 50,30".into()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FilterPairRule {
    /// Both
    Both,
    /// At least one
    Any,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum MeanArg {
    /// −10·log10 of the mean error probability
    ErrorProbability,
    /// Mean of the Phred values
    Arithmetic,
}
