//! The arguments of `biofast demux`, as typed.

use biofast_io::output::{Format, Level};
use biofast_ops::demux::{BarcodePlace, ReadStructure, SegmentKind, UmiPlace};
use clap::ValueEnum;

use crate::options::{Folder, InFile, OutFile, Pairing};
use crate::reads_job::ReadsOptions;

/// Demultiplex reads: assign them to samples by their barcodes
///
/// Each input has a read structure such as 8B+T: lengths, each followed by T (template), B (sample barcode), M (UMI), C
/// (cell barcode) or S (skipped bases). The last length may be + for all remaining bases. Parts of a barcode are joined
/// in the order of the inputs.
///
/// A read goes to the sample whose barcode has the fewest mismatches, if the choice is clear. All other reads are
/// written as unmatched. Rules, file names and contents are those of fqtk. Files don't depend on the number of threads,
/// and appear together when all are complete.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast demux -i R1.fq.gz R2.fq.gz -r 8B+T +T -s samples.tsv -o out
  biofast demux -i R1.fq.gz I1.fq.gz R2.fq.gz -r 12M+T 8B 12M+T -s samples.tsv -o out
  biofast demux -i R1.fq.gz I1.fq.gz I2.fq.gz -r +T 8B 8B -s SampleSheet.csv --lane 1 -o out
  biofast demux -i long.fq.gz --ends either -s nanopore.tsv -o out
  biofast demux -i reads.fq.gz --header-barcodes -s samples.tsv -o out --summary demux.json")]
pub(crate) struct Args {
    /// Files of one run: mates and index reads, with the same reads in the same order
    #[arg(short, long, value_name = "FILE", num_args = 1.., required = true)]
    pub(super) inputs: Vec<InFile>,

    #[command(flatten)]
    pub(super) pairing: Pairing,

    /// Read structure of each input, such as 8B+T
    ///
    /// By default, structures are those of OverrideCycles in the sample sheet, or +T with --header-barcodes.
    #[arg(short, long, value_name = "STRUCTURE", num_args = 1..)]
    pub(super) read_structures: Vec<ReadStructure>,

    /// Samples: a table with the columns sample_id and barcode, or Illumina's SampleSheet.csv
    ///
    /// A column read_structure gives the structures of a sample where they differ from -r; barcodes may then have different lengths
    /// and positions. If no structure has a B, the table must have one sample, which gets all reads.
    #[arg(short, long, value_name = "FILE", visible_alias = "sample-sheet")]
    pub(super) sample_metadata: InFile,

    /// Ignore these columns, separated by commas; other unknown columns are an error
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) ignore_columns: Vec<String>,

    /// Use only the samples of this lane
    #[arg(long, value_name = "N")]
    pub(super) lane: Option<u32>,

    /// Read barcodes from the header line of the first read, such as '1:N:0:ACGT+TGCA'
    ///
    /// They come before barcodes in reads.
    #[arg(long)]
    pub(super) header_barcodes: bool,

    /// Compare the reverse complement of the second part of barcodes
    #[arg(long)]
    pub(super) revcomp_index2: bool,

    /// Search barcodes at the ends of long reads (Nanopore), and cut them off: at either end, or at both
    ///
    /// A read begins with the barcode of its sample and ends with its reverse complement. With barcode1 and barcode2, it
    /// begins with one and ends with the reverse complement of the other.
    #[arg(long, value_enum, value_name = "WHICH", conflicts_with_all = ["read_structures", "header_barcodes", "revcomp_index2", "index_hopping"])]
    pub(super) ends: Option<Ends>,

    /// Number of bases at each end that --ends searches
    #[arg(long, value_name = "N", default_value = "150")]
    pub(super) end_window: std::num::NonZeroUsize,

    /// Allow up to N mismatches between a barcode and that of the sample [default: 1]
    ///
    /// With --ends, missing and additional bases count, too, and the default is one in eight bases of the barcode.
    #[arg(long, value_name = "N")]
    pub(super) max_mismatches: Option<u32>,

    /// Require at least N more mismatches to the barcode of any other sample
    #[arg(short = 'd', long, value_name = "N", default_value_t = 2)]
    pub(super) min_mismatch_delta: u32,

    /// Allow up to N no-calls (N) in a barcode; each is also a mismatch [default: no limit]
    #[arg(long, value_name = "N")]
    pub(super) max_no_calls: Option<u32>,

    /// Skip and count reads of this kind, with their mates [default: they are an error]
    #[arg(short = 'S', long, value_enum, value_name = "REASON")]
    pub(super) skip_reasons: Option<Skip>,

    /// Output folder, created if it doesn't exist
    #[arg(short = 'o', long = "out-dir", value_name = "DIR")]
    pub(super) output: Folder,

    /// Names of output files, made from {sample}, {type} and {number}
    ///
    /// {type} is R for templates, I for sample barcodes, U for UMIs or C for cell barcodes. {number} is the number of
    /// the mate, or of the segment of its type.
    #[arg(
        long = "name-template",
        value_name = "TEMPLATE",
        default_value = "{sample}.{type}{number}.fq.gz"
    )]
    pub(super) name: String,

    /// Types of segments to write files of: T, B, M or C; may be repeated
    #[arg(short = 'b', long, value_name = "TYPE", num_args = 1.., default_value = "T", value_parser = kind)]
    pub(super) output_types: Vec<SegmentKind>,

    /// Sample name in the file names of unmatched reads
    #[arg(short, long, value_name = "NAME", default_value = "unmatched")]
    pub(super) unmatched_prefix: String,

    /// Where to write UMIs
    #[arg(long, value_enum, default_value_t = UmiIn::Name, value_name = "WHERE")]
    pub(super) umi_in: UmiIn,

    /// Where to write sample barcodes in reads
    #[arg(long, value_enum, default_value_t = BarcodeIn::Comment, value_name = "WHERE")]
    pub(super) barcode_in: BarcodeIn,

    /// Output format: plain, bgzf, zstd or bzip2 [default: from the extension of --name-template]
    ///
    /// Known file extensions are .gz, .bgz, .zst and .bz2.
    #[arg(short = 'O', long, value_name = "FORMAT")]
    pub(super) output_format: Option<Format>,

    /// Compression level: fast, balanced, small or a number
    ///
    /// BGZF takes fast, balanced, small or 0 to 12 [default: fast], zstd takes 0 to 19 [default: 3], and bzip2 takes 1 to 9
    /// [default: 9].
    #[arg(short = 'c', long, value_name = "LEVEL")]
    pub(super) level: Option<Level>,

    /// Write the counts of samples to FILE [default: demux-metrics.txt in the output folder]
    #[arg(long, value_name = "FILE")]
    pub(super) metrics: Option<OutFile>,

    /// Write a table of index hopping to FILE: counts of all pairs of first and second barcodes of samples
    ///
    /// Pairs that are not a sample are reads whose index hopped. Each barcode may have --max-mismatches.
    #[arg(long, value_name = "FILE")]
    pub(super) index_hopping: Option<OutFile>,

    /// Write the 1,000 most frequent unknown barcodes to FILE
    ///
    /// They are counted among the first 10,000,000 reads, without the option among the first 200,000.
    #[arg(long, value_name = "FILE")]
    pub(super) unknown_barcodes: Option<OutFile>,

    /// Write a JSON summary to FILE
    ///
    /// It has counts, frequent unknown barcodes, and a checksum of each file, which `biofast check --against` verifies.
    #[arg(long = "summary", value_name = "FILE")]
    pub(super) json: Option<OutFile>,

    /// Wait until the output is on disk
    #[arg(long)]
    pub(super) sync: bool,

    #[command(flatten)]
    pub(super) reading: ReadsOptions,
}

/// A type of segments as typed.
fn kind(typed: &str) -> Result<SegmentKind, String> {
    let mut letters = typed.chars();
    match (letters.next().and_then(SegmentKind::from_letter), letters.next()) {
        (Some(kind), None) if kind != SegmentKind::Skip => Ok(kind),
        _ => Err(format!("expected T, B, M or C, found '{typed}'")),
    }
}

/// What `--ends` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Ends {
    /// A barcode at the start or at the end
    Either,
    /// A barcode at the start and at the end
    Both,
}

/// What `--skip-reasons` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Skip {
    /// Reads with fewer bases than their structure needs
    TooFewBases,
}

/// What `--umi-in` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum UmiIn {
    /// At the end of the name, as name:ACGT
    Name,
    /// In a tag RX:Z: instead of the description
    Comment,
    /// Nowhere
    None,
}

impl From<UmiIn> for UmiPlace {
    fn from(typed: UmiIn) -> UmiPlace {
        match typed {
            UmiIn::Name => UmiPlace::Name,
            UmiIn::Comment => UmiPlace::Tag,
            UmiIn::None => UmiPlace::None,
        }
    }
}

/// What `--barcode-in` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum BarcodeIn {
    /// In the description, as 1:N:0:ACGT
    Comment,
    /// In a tag BC:Z: instead of the description
    Tag,
    /// Nowhere; the description stays as it is
    None,
}

impl From<BarcodeIn> for BarcodePlace {
    fn from(typed: BarcodeIn) -> BarcodePlace {
        match typed {
            BarcodeIn::Comment => BarcodePlace::Description,
            BarcodeIn::Tag => BarcodePlace::Tag,
            BarcodeIn::None => BarcodePlace::None,
        }
    }
}
