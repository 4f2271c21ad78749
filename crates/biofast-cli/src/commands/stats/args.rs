//! What `biofast stats` can be told.

use clap::ValueEnum;

use crate::options::{self, Folder, InFile, Io, OutFile, RegionArgs};

/// Count reads and bases, lengths, qualities and composition of FASTQ or alignments, in one pass
///
/// Reads plain, gzip, BGZF, zstd, bzip2 and xz FASTQ, and BAM, SAM and CRAM, recognised by content.
/// Every record and every checksum is checked; a faulty input gets an error with record and line,
/// the other inputs keep their rows, and the exit code is 2.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast stats reads_R1.fq.gz reads_R2.fq.gz
  biofast stats --paired -T *.fastq.gz > stats.tsv
  biofast stats --json sample.fq.bgz -o sample.json
  biofast stats --html report.html *.fastq.gz
  biofast stats --plot reads.fq.gz
  biofast stats aln.bam
  biofast stats --format samtools aln.bam > aln.stats
  biofast stats --format fastqc --out-dir qc *.fastq.gz
  zcat reads.fq.gz | biofast stats --stdin-label lane1")]
pub(crate) struct Args {
    /// Files of reads or alignments; '-' is standard input, which is also read when no file is named
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<InFile>,

    /// Read more file names from FILE, one a line
    #[arg(short = 'X', long, value_name = "FILE")]
    pub(super) files_from: Option<InFile>,

    #[command(flatten)]
    pub(super) format: Format,

    /// Output format: 'samtools' is the report of `samtools stats` for one file of alignments,
    /// 'fastqc' the text of FastQC that MultiQC reads, for FASTQ
    #[arg(long = "format", value_enum, value_name = "FORMAT", conflicts_with_all = ["tsv", "json"])]
    pub(super) format_name: Option<FormatName>,

    /// Reference sequences in FASTA: to decode CRAM, and for the mismatches by cycle of
    /// '--format samtools'
    #[arg(short, long, visible_alias = "ref-seq", value_name = "FASTA")]
    pub(super) reference: Option<InFile>,

    #[command(flatten)]
    pub(super) regions: RegionArgs,

    /// Write to FILE instead of standard output; it appears only when complete
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: Option<OutFile>,

    /// Write the reports of '--format fastqc' to DIR, which is made if it doesn't exist: a folder
    /// NAME_fastqc for each file
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub(super) out_dir: Option<Folder>,

    /// Also write a report for the browser to FILE: charts and a table of all samples, in one file
    /// that needs no network
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<OutFile>,

    /// Plot qualities by position, GC and lengths below the table, in blocks, or in ASCII where the
    /// locale isn't UTF-8
    #[arg(long)]
    pub(super) plot: bool,

    /// Take the files two by two as mates: names and numbers of reads must agree
    #[arg(long, conflicts_with = "interleaved")]
    pub(super) paired: bool,

    /// Each file holds mates one after the other: their names must agree
    #[arg(long)]
    pub(super) interleaved: bool,

    /// Name of the row, once for each file, or once for all; files of the same name share a row
    #[arg(long, value_name = "NAME")]
    pub(super) sample: Vec<String>,

    /// Name of standard input in the results
    #[arg(long, value_name = "LABEL", default_value = "-")]
    pub(super) stdin_label: String,

    /// Threads in total [default: what the machine and its limits allow]
    #[arg(short = '@', long, short_alias = 't', value_name = "N", value_parser = options::threads)]
    pub(super) threads: Option<std::num::NonZeroUsize>,

    /// How files are read: 'auto' maps files of 50 MB and more
    #[arg(long, value_enum, default_value_t = Io::Auto, value_name = "MODE")]
    pub(super) io: Io,

    /// Treat as an error what is read with a warning otherwise: FASTQ in BGZF without its end-of-file block, alignments
    /// that break a rule of their format without losing anything
    #[arg(long)]
    pub(super) strict: bool,

    /// Accept BAM or CRAM without its end-of-file marker
    #[arg(long)]
    pub(super) allow_missing_eof: bool,

    /// No progress bar and no warnings
    #[arg(short, long)]
    pub(super) quiet: bool,

    /// Say how each input was read, and why so: source, container, decoder, threads, kernels
    #[arg(short, long)]
    pub(super) verbose: bool,

    /// Decompressed bytes a worker takes at once; results never depend on it
    #[arg(long, hide = true, value_name = "BYTES")]
    pub(super) chunk_size: Option<std::num::NonZeroUsize>,
}

/// How results are printed.
#[derive(Clone, Copy, clap::Args)]
#[group(multiple = false)]
pub(crate) struct Format {
    /// Tab-separated, with the columns of `seqkit stats -a -T`
    #[arg(short = 'T', long)]
    pub(super) tsv: bool,

    /// Everything, as JSON; `biofast merge` reads it back
    #[arg(long)]
    pub(super) json: bool,
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
