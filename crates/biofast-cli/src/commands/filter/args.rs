//! The arguments of `biofast filter`, as typed.

use biofast::io::output::Format;
use clap::ValueEnum;

use super::alignments::AlignmentArgs;
use crate::options::{self, InFile, Io, OutFile};

/// Select and trim reads of FASTQ, or select alignments of BAM, SAM and CRAM, in order, on all threads
///
/// What the input is, is seen by its content. FASTQ may be plain, gzip, BGZF, zstd, bzip2 or xz. One
/// file holds reads, or with --interleaved pairs; two files hold the mates of pairs, whose names must
/// agree. Trimming comes first, then selection on what is left. Alignments are selected as by
/// `samtools view`; unaligned BAM is trimmed and selected as FASTQ is, too. Every record and every
/// checksum is checked: a faulty input is an error, and then no output file appears. Output is the
/// same on any number of threads.
#[derive(clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "\
Examples, reads:
  biofast filter --min-len 50 --min-mean-qual 20 reads.fq.gz -o good.fq.gz
  biofast filter R1.fq.gz R2.fq.gz -o 1.fq.gz --out2 2.fq.gz --trim-overlap --cut-tail --min-len 36
  biofast filter R1.fq.gz R2.fq.gz --sample-count 100000 --seed 7 -o 1.fq.gz --out2 2.fq.gz
  biofast filter --cut-tail --min-len 36 --html filter.html reads.fq.gz -o good.fq.gz
  biofast filter --names wanted.txt reads.fq.gz > wanted.fq
  zcat reads.fq.gz | biofast filter --max-n 0 -O bgzf - > clean.fq.gz

Order: --head, sampling, names; then --umi, --crop-front/-tail, --cut-front, --cut-right or --cut-tail,
--trim-poly-g, --trim-overlap, --adapter, --trim-poly-x, --keep-first; then lengths, qualities, N, GC and
complexity. docs/filter.md has every formula.

Examples, alignments:
  biofast filter -q 30 -F UNMAP,DUP aln.bam -o good.bam --write-index
  biofast filter -r lane1 -e '[NM] < 3' aln.bam -o good.bam -U rest.bam
  biofast filter -s 7.1 aln.bam chr1:1-1000000 chr2 -o tenth.bam
  biofast filter -c -L targets.bed aln.cram
  biofast filter --crop-front 10 --min-mean-qual 15 unaligned.bam -o trimmed.bam",
    next_help_heading = "Input and output"
)]
pub(crate) struct Args {
    /// One file, or the two files of mates; '-' is standard input, which is also read when no file
    /// is named. A file of alignments may be followed by regions, as --region takes them
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<InFile>,

    /// The file holds mates one after the other
    #[arg(long)]
    pub(super) interleaved: bool,

    /// Write kept reads to FILE instead of standard output; pairs one after the other unless --out2
    /// is given
    #[arg(short, long, alias = "output", value_name = "FILE")]
    pub(super) out: Option<OutFile>,

    /// Write the second reads of kept pairs to FILE
    #[arg(long, value_name = "FILE", requires = "out")]
    pub(super) out2: Option<OutFile>,

    /// Write good first reads whose mate is rejected to FILE
    #[arg(long, value_name = "FILE")]
    pub(super) unpaired1: Option<OutFile>,

    /// Write good second reads whose mate is rejected to FILE; may be the same as --unpaired1
    #[arg(long, value_name = "FILE")]
    pub(super) unpaired2: Option<OutFile>,

    /// Write rejected reads as they came in to FILE, with the reason in the header
    #[arg(long, value_name = "FILE")]
    pub(super) rejected: Option<OutFile>,

    /// plain, bgzf or zstd [default: by the ending of the name: .gz, .bgz, .zst]; of alignments sam
    /// or bam [default: BAM for a name in .bam, else SAM]
    #[arg(short = 'O', long, alias = "output-fmt", value_name = "FORMAT")]
    pub(super) output_format: Option<OutputFormat>,

    /// Compression level: bgzf fast, small or 0 to 12 [default: fast, of BAM 6], zstd 0 to 19 [default: 3]
    #[arg(long, value_name = "LEVEL")]
    pub(super) level: Option<biofast::io::output::Level>,

    /// Also write an index beside each BGZF output file: GZI for reads; for BAM, which must be sorted
    /// then, FORMAT is bai or csi [default: bai where it can hold the references]
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "auto", value_name = "FORMAT")]
    pub(super) write_index: Option<IndexFormat>,

    /// Wait until the outputs are on disk
    #[arg(long)]
    pub(super) sync: bool,

    /// Write the summary to FILE as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<OutFile>,

    /// With --json: everything `biofast stats` has of the reads before and after, too
    #[arg(long, requires = "json")]
    pub(super) stats: bool,

    /// Write a report for the browser to FILE: before and after, and why reads were rejected, in one
    /// file that needs no network; of FASTQ it gathers what --stats does
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<OutFile>,

    /// Threads in total [default: what the machine and its limits allow]
    #[arg(short = '@', long, short_alias = 't', value_name = "N", value_parser = options::threads)]
    pub(super) threads: Option<std::num::NonZeroUsize>,

    /// How files are read: 'auto' maps files of 50 MB and more
    #[arg(long, value_enum, default_value_t = Io::Auto, value_name = "MODE")]
    pub(super) io: Io,

    /// Treat as an error what is read with a warning otherwise: BGZF without its end-of-file block (of BAM an error in any
    /// case), alignments that break a rule of their format without losing anything
    #[arg(long, conflicts_with = "allow_missing_eof")]
    pub(super) strict: bool,

    /// Accept BAM or CRAM without its end-of-file block or container
    #[arg(long)]
    pub(super) allow_missing_eof: bool,

    /// No progress bar, no warnings and no summary
    #[arg(long)]
    pub(super) quiet: bool,

    /// Say how each input was read, and why so: source, container, decoder, threads, kernels
    #[arg(short, long)]
    pub(super) verbose: bool,

    /// Print help
    #[arg(long, short = '?', action = clap::ArgAction::Help)]
    help: Option<bool>,

    /// Decompressed bytes a worker takes at once; results never depend on it
    #[arg(long, hide = true, value_name = "BYTES")]
    pub(super) chunk_size: Option<std::num::NonZeroUsize>,

    #[command(flatten, next_help_heading = "Which reads")]
    pub(super) which: Which,

    #[command(flatten, next_help_heading = "Trimming")]
    pub(super) trim: TrimArgs,

    #[command(flatten, next_help_heading = "Selection")]
    pub(super) select: Select,

    #[command(flatten, next_help_heading = "Alignments")]
    pub(super) alignments: AlignmentArgs,
}

/// What `-O` takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputFormat {
    /// Of reads.
    Reads(Format),
    Sam,
    Bam,
}

impl std::str::FromStr for OutputFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<OutputFormat, String> {
        match name.to_ascii_lowercase().as_str() {
            "sam" => Ok(OutputFormat::Sam),
            "bam" => Ok(OutputFormat::Bam),
            _ => name.parse().map(OutputFormat::Reads).map_err(|_| {
                format!(
                    "'{name}' is not an output format: expected plain, bgzf (gz), zstd, sam or bam"
                )
            }),
        }
    }
}

/// What `--write-index` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum IndexFormat {
    /// Whatever fits the output
    Auto,
    /// Of BAM
    Bai,
    /// Of BAM with references of any length
    Csi,
}

/// What is decided before a read is looked at.
#[derive(clap::Args)]
pub(super) struct Which {
    /// Stop after the first N reads or pairs of the input
    #[arg(long, value_name = "N")]
    pub(super) head: Option<u64>,

    /// Take each read or pair with this probability, above 0 and at most 1
    #[arg(long, value_name = "P", conflicts_with = "sample_count")]
    pub(super) sample_fraction: Option<f64>,

    /// Take exactly N reads or pairs, or all if there are fewer; reads the input twice
    #[arg(long, value_name = "N")]
    pub(super) sample_count: Option<u64>,

    /// The sample depends on this number and on nothing else
    #[arg(long, value_name = "N", default_value_t = 11)]
    pub(super) seed: u64,

    /// Take the reads named in FILE, one name a line
    #[arg(long, value_name = "FILE")]
    pub(super) names: Option<InFile>,

    /// Take reads in whose names REGEX is found
    #[arg(long, value_name = "REGEX")]
    pub(super) name_regex: Option<String>,

    /// Take the reads that --names and --name-regex don't name
    #[arg(long)]
    pub(super) invert: bool,

    /// When a pair is kept
    #[arg(long, value_enum, default_value_t = Pair::Both, value_name = "RULE")]
    pub(super) pair: Pair,
}

/// What is cut off.
#[derive(clap::Args)]
pub(super) struct TrimArgs {
    /// Move a molecular identifier from the front of these reads to the names
    #[arg(long, value_enum, value_name = "READ", requires = "umi_len")]
    pub(super) umi: Option<UmiRead>,

    /// Its length
    #[arg(long, value_name = "N", requires = "umi")]
    pub(super) umi_len: Option<usize>,

    /// How many bases behind it are cut off
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) umi_skip: usize,

    /// Cut N bases off the front; N,M for first and second reads
    #[arg(long, value_name = "N", value_parser = both::<usize>, visible_alias = "headcrop")]
    pub(super) crop_front: Option<[usize; 2]>,

    /// Cut N bases off the end; N,M for first and second reads
    #[arg(long, value_name = "N", value_parser = both::<usize>, visible_alias = "tailcrop")]
    pub(super) crop_tail: Option<[usize; 2]>,

    /// Keep at most the first N bases; N,M for first and second reads
    #[arg(long, value_name = "N", value_parser = both::<usize>)]
    pub(super) keep_first: Option<[usize; 2]>,

    /// Cut windows of low mean quality off the front
    #[arg(long)]
    pub(super) cut_front: bool,

    /// Cut windows of low mean quality off the end
    #[arg(long, conflicts_with = "cut_right")]
    pub(super) cut_tail: bool,

    /// Cut from the first window of low mean quality on
    #[arg(long)]
    pub(super) cut_right: bool,

    /// The length of the window
    #[arg(long, value_name = "N", default_value = "4")]
    pub(super) cut_window_size: std::num::NonZeroUsize,

    /// The mean quality the window must have
    #[arg(long, value_name = "Q", default_value_t = 20.0)]
    pub(super) cut_mean_quality: f64,

    /// Cut a run of at least MIN G off the end
    #[arg(long, value_name = "MIN", num_args = 0..=1, default_missing_value = "10", require_equals = true)]
    pub(super) trim_poly_g: Option<std::num::NonZeroUsize>,

    /// Cut a run of at least MIN of one base off the end
    #[arg(long, value_name = "MIN", num_args = 0..=1, default_missing_value = "10", require_equals = true)]
    pub(super) trim_poly_x: Option<std::num::NonZeroUsize>,

    /// Cut the adapters of pairs whose fragment is shorter than the reads, found by their overlap
    #[arg(long)]
    pub(super) trim_overlap: bool,

    /// Cut this adapter, or that of a kit (truseq, nextera, small-rna, mgi); may be repeated
    #[arg(long, value_name = "SEQ|KIT")]
    pub(super) adapter: Vec<String>,

    /// The adapter of second reads, if another; may be repeated
    #[arg(long, value_name = "SEQ")]
    pub(super) adapter2: Vec<String>,

    /// Cut the adapters in this FASTA file off all reads
    #[arg(long, value_name = "FILE")]
    pub(super) adapter_fasta: Option<InFile>,

    /// Look for adapters in the first reads, say what was found, and cut what at least PERCENT of
    /// them have
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, default_missing_value = "0.5", require_equals = true)]
    pub(super) detect_adapter: Option<f64>,

    /// The fewest bases of an adapter that are looked for
    #[arg(long, value_name = "N", default_value = "4")]
    pub(super) adapter_min_overlap: std::num::NonZeroUsize,

    /// The share of an adapter's bases that may differ
    #[arg(long, value_name = "SHARE", default_value_t = 0.125)]
    pub(super) adapter_error_rate: f64,
}

/// What reads must be like, as trimmed.
#[derive(clap::Args)]
pub(super) struct Select {
    /// Fewest bases
    #[arg(long, value_name = "N")]
    pub(super) min_len: Option<usize>,

    /// Most bases
    #[arg(long, value_name = "N")]
    pub(super) max_len: Option<usize>,

    /// Lowest mean quality of a read
    #[arg(long, value_name = "Q")]
    pub(super) min_mean_qual: Option<f64>,

    /// Highest mean quality of a read
    #[arg(long, value_name = "Q")]
    pub(super) max_mean_qual: Option<f64>,

    /// Which mean: of error probabilities, or of the Phred values
    #[arg(long, value_enum, default_value_t = MeanArg::ErrorProbability, value_name = "MEAN")]
    pub(super) mean: MeanArg,

    /// Most percent of bases below --qualified-quality
    #[arg(long, value_name = "PERCENT")]
    pub(super) max_low_quality_percent: Option<f64>,

    /// A base is of low quality below this
    #[arg(long, value_name = "Q", default_value_t = 15)]
    pub(super) qualified_quality: u8,

    /// Most expected errors: the sum of the error probabilities
    #[arg(long, value_name = "E")]
    pub(super) max_expected_errors: Option<f64>,

    /// Most expected errors a base
    #[arg(long, value_name = "E")]
    pub(super) max_expected_errors_per_base: Option<f64>,

    /// Most N
    #[arg(long, value_name = "N")]
    pub(super) max_n: Option<u64>,

    /// Most percent of N
    #[arg(long, value_name = "PERCENT")]
    pub(super) max_n_percent: Option<f64>,

    /// Lowest GC percent
    #[arg(long, value_name = "PERCENT")]
    pub(super) min_gc: Option<f64>,

    /// Highest GC percent
    #[arg(long, value_name = "PERCENT")]
    pub(super) max_gc: Option<f64>,

    /// Lowest complexity: percent of bases that differ from the next one
    #[arg(long, value_name = "PERCENT")]
    pub(super) min_complexity: Option<f64>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Pair {
    /// Both reads must be good
    Both,
    /// One good read is enough
    Any,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum UmiRead {
    /// First reads, or reads without mates
    First,
    /// Second reads
    Second,
    /// Both
    Both,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum MeanArg {
    /// −10·log10 of the mean error probability
    ErrorProbability,
    /// The mean of the Phred values
    Arithmetic,
}

/// `N` for both reads or `N,M` for first and second.
fn both<T: std::str::FromStr<Err: std::fmt::Display> + Copy>(text: &str) -> Result<[T; 2], String> {
    let parse = |text: &str| text.parse::<T>().map_err(|e| e.to_string());
    match text.split_once(',') {
        Some((first, second)) => Ok([parse(first)?, parse(second)?]),
        None => parse(text).map(|n| [n, n]),
    }
}
