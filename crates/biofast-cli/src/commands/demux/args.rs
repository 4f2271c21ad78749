//! The arguments of `biofast demux`, as typed.

use biofast::io::output::{Format, Level};
use biofast::ops::demux::{BarcodePlace, Kind, ReadStructure, UmiPlace};
use clap::ValueEnum;

use crate::options::{Folder, InFile, Io, Messages, OutFile, Pairing, Strictness, Threads};

/// Give reads to samples by barcodes in the reads, in index reads or in header lines
///
/// Each input has a read structure: numbers of bases, each with T for template, B for the sample's barcode, M for a unique
/// molecular identifier (UMI), C for a cell's barcode or S for what is left out; the last number may be +, for all that are
/// left. The parts of a barcode follow each other in the order of the inputs. A read belongs to the sample whose barcode
/// differs least, if that is clear; the others are kept as unmatched. The rules, the files and their texts are those of
/// fqtk. Files are the same for any number of threads, and they appear together, when all of them are complete.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast demux -i R1.fq.gz R2.fq.gz -r 8B+T +T -s samples.tsv -o out
  biofast demux -i R1.fq.gz I1.fq.gz R2.fq.gz -r 12M+T 8B 12M+T -s samples.tsv -o out
  biofast demux -i R1.fq.gz I1.fq.gz I2.fq.gz -r +T 8B 8B -s SampleSheet.csv --lane 1 -o out
  biofast demux -i reads.fq.gz --header-barcodes -s samples.tsv -o out --json demux.json")]
pub(crate) struct Args {
    /// The files of one run: mates and index reads, which have the same reads in the same order
    #[arg(short, long, value_name = "FILE", num_args = 1.., required = true)]
    pub(super) inputs: Vec<InFile>,

    #[command(flatten)]
    pub(super) pairing: Pairing,

    /// The read structure of each input, as 8B+T; without, that of OverrideCycles in the sheet, or +T with --header-barcodes
    #[arg(short, long, value_name = "STRUCTURE", num_args = 1..)]
    pub(super) read_structures: Vec<ReadStructure>,

    /// The samples: a table with the columns sample_id and barcode, or Illumina's SampleSheet.csv. A column read_structure gives the
    /// structures of each sample, where they differ from -r. If no structure has a B, the sheet has one sample, which gets all reads
    #[arg(short, long, value_name = "FILE", visible_alias = "sample-sheet")]
    pub(super) sample_metadata: InFile,

    /// Columns of the sheet to ignore, separated by commas; any other unknown column is an error
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) ignore_columns: Vec<String>,

    /// Take the samples of this lane of the sheet
    #[arg(long, value_name = "N")]
    pub(super) lane: Option<u32>,

    /// Read barcodes from the header line of the first read, as in '1:N:0:ACGT+TGCA'; they come before those of reads
    #[arg(long)]
    pub(super) header_barcodes: bool,

    /// Compare the second part of barcodes on the other strand
    #[arg(long)]
    pub(super) revcomp_index2: bool,

    /// So many bases of a barcode may differ from the sample's
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) max_mismatches: u32,

    /// So many more bases must differ from the barcode of any other sample
    #[arg(short = 'd', long, value_name = "N", default_value_t = 2)]
    pub(super) min_mismatch_delta: u32,

    /// So many bases of a barcode may be N; each counts as different, too [default: any number]
    #[arg(long, value_name = "N")]
    pub(super) max_no_calls: Option<u32>,

    /// What to do with reads that are too short for their structure: too-few-bases leaves them out, with their mates, and counts
    /// them [default: they are an error]
    #[arg(short = 'S', long, value_enum, value_name = "REASON")]
    pub(super) skip_reasons: Option<Skip>,

    /// Folder of the files, made if it isn't there
    #[arg(short, long, value_name = "DIR")]
    pub(super) output: Folder,

    /// Names of the files: {sample}, {type} (R for templates, I for barcodes, U for UMIs, C for cells) and {number}, the number of
    /// the mate or of the segment of its type
    #[arg(long, value_name = "TEMPLATE", default_value = "{sample}.{type}{number}.fq.gz")]
    pub(super) name: String,

    /// What files are written of: T, B, M or C; may be given several times
    #[arg(short = 'b', long, value_name = "TYPE", num_args = 1.., default_value = "T", value_parser = kind)]
    pub(super) output_types: Vec<Kind>,

    /// What stands for the sample in the names of files of unmatched reads
    #[arg(short, long, value_name = "NAME", default_value = "unmatched")]
    pub(super) unmatched_prefix: String,

    /// Where UMIs go: behind the name, as name:ACGT; to a tag RX:Z: in the place of the description; nowhere
    #[arg(long, value_enum, default_value_t = UmiIn::Name, value_name = "WHERE")]
    pub(super) umi_in: UmiIn,

    /// Where barcodes of reads go: to the description, as 1:N:0:ACGT; to a tag BC:Z: in its place; nowhere
    #[arg(long, value_enum, default_value_t = BarcodeIn::Comment, value_name = "WHERE")]
    pub(super) barcode_in: BarcodeIn,

    /// Output format: plain, bgzf, zstd or bzip2 [default: by the ending of --name: .gz, .bgz, .zst, .bz2]
    #[arg(short = 'O', long, value_name = "FORMAT")]
    pub(super) output_format: Option<Format>,

    /// Compression level: for bgzf fast, small or 0 to 12 [default: fast], for zstd 0 to 19 [default: 3], for bzip2 1 to 9 [default: 9]
    #[arg(short = 'c', long, value_name = "LEVEL", alias = "compression-level")]
    pub(super) level: Option<Level>,

    /// Write the counts of samples to FILE [default: demux-metrics.txt in the folder]
    #[arg(long, value_name = "FILE")]
    pub(super) metrics: Option<OutFile>,

    /// Write the summary to FILE as JSON: counts, frequent barcodes of no sample, and a checksum of each file, which
    /// `biofast check --against` compares
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<OutFile>,

    /// Wait until the outputs are on disk
    #[arg(long)]
    pub(super) sync: bool,

    #[command(flatten)]
    pub(super) threads: Threads,

    #[command(flatten)]
    pub(super) io: Io,

    #[command(flatten)]
    pub(super) strictness: Strictness,

    #[command(flatten)]
    pub(super) messages: Messages,
}

/// A type of segments as typed.
fn kind(typed: &str) -> Result<Kind, String> {
    let mut letters = typed.chars();
    match (letters.next().and_then(Kind::from_letter), letters.next()) {
        (Some(kind), None) if kind != Kind::Skip => Ok(kind),
        _ => Err(format!("'{typed}' is none of T, B, M and C")),
    }
}

/// What `--skip-reasons` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Skip {
    /// Fewer bases than the structure needs
    TooFewBases,
}

/// What `--umi-in` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum UmiIn {
    /// Behind the name
    Name,
    /// To a tag
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
    /// To the description
    Comment,
    /// To a tag
    Tag,
    /// Nowhere
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
