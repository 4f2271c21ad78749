//! The arguments of `biofast grep`, as typed.

use biofast::io::output::{Format, Level};
use biofast::ops::grep::Region;
use clap::ValueEnum;

use crate::options::{InFile, Io, Messages, OutFile, Pairing, PairsOut, Strictness, Threads};

/// Find reads by motif, by name, or by regular expression, in order, on all threads
///
/// Without -s, -n or -r a pattern is the whole name of a read, up to the first blank, and stands for both mates if it has no
/// /1 or /2. With -s it is a motif that is looked for in the sequence, on both strands: letters of the IUPAC code stand for
/// the bases they say, and up to 3 letters may differ. With -r it is a regular expression. A read is kept if any pattern is
/// found, and with two files, or --interleaved, its mate with it. FASTA stays FASTA, in lines of 60 bases. Every record is checked; if the input is faulty, that is an
/// error, and no output file appears.
#[derive(clap::Args)]
#[command(
    mut_arg("verbose", |a| a.short(None)),
    after_help = "\
Examples:
  biofast grep -s -p AGATCGGAAGAGC reads.fq.gz > with_adapter.fq
  biofast grep -s -p GTGYCAGCMGCCGCGGTAA -m 1 -R 1:25 reads.fq.gz -o primer.fq.gz
  biofast grep -f wanted.txt --missing absent.txt R1.fq.gz R2.fq.gz -o 1.fq.gz --out2 2.fq.gz
  biofast grep -s -p TTAGGG -p CCCTAA --only-matching reads.fq.gz > places.tsv
  biofast grep -s -v -p AAAAAAAAAAAAAAAAAAAA -c reads.fq.gz
  biofast grep -n -r -p ' 1:Y:' reads.fq.gz --rejected passed.fq.gz > failed.fq"
)]
pub(crate) struct Args {
    /// One file, or the two files of mates; '-' is standard input, which is also read when no file is named
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<InFile>,

    #[command(flatten, next_help_heading = "What is looked for")]
    pub(super) what: What,

    #[command(flatten, next_help_heading = "Which reads are written, and how")]
    pub(super) results: Results,

    /// The file is interleaved: the mates of a pair follow each other
    #[arg(long)]
    pub(super) interleaved: bool,

    #[command(flatten)]
    pub(super) pairing: Pairing,

    /// Write to FILE instead of standard output; mates follow each other unless --out2 is given
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: Option<OutFile>,

    /// Write the second reads of kept pairs to FILE
    #[arg(long, value_name = "FILE", requires = "out")]
    pub(super) out2: Option<OutFile>,

    #[command(flatten)]
    pub(super) pairs_out: PairsOut,

    /// Write reads that are not kept to FILE
    #[arg(long, value_name = "FILE")]
    pub(super) rejected: Option<OutFile>,

    /// Output format: plain, bgzf, zstd or bzip2 [default: by the file's ending: .gz, .bgz, .zst, .bz2]
    #[arg(short = 'O', long, value_name = "FORMAT")]
    pub(super) output_format: Option<Format>,

    /// Compression level: for bgzf fast, small or 0 to 12 [default: fast], for zstd 0 to 19 [default: 3], for bzip2 1 to 9 [default: 9]
    #[arg(long, value_name = "LEVEL")]
    pub(super) level: Option<Level>,

    /// Wait until the outputs are on disk
    #[arg(long)]
    pub(super) sync: bool,

    /// Write the summary to FILE as JSON: reads and places by pattern, and a checksum of each file, which `biofast check --against`
    /// compares
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<OutFile>,

    #[command(flatten)]
    pub(super) threads: Threads,

    #[command(flatten)]
    pub(super) io: Io,

    #[command(flatten)]
    pub(super) strictness: Strictness,

    #[command(flatten)]
    pub(super) messages: Messages,
}

/// What is looked for.
#[derive(clap::Args)]
pub(super) struct What {
    /// A name, motif or regular expression; may be given several times
    #[arg(short, long, value_name = "PATTERN", required_unless_present = "pattern_file")]
    pub(super) pattern: Vec<String>,

    /// Read patterns from FILE: one a line, or, with -s, motifs as FASTA
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(super) pattern_file: Vec<InFile>,

    /// Look in sequences
    #[arg(short = 's', long, conflicts_with = "by_name")]
    pub(super) by_seq: bool,

    /// Look at the whole header line, not the name up to the first blank
    #[arg(short = 'n', long)]
    pub(super) by_name: bool,

    /// Patterns are regular expressions, of which any part of the name or sequence may be one
    #[arg(short = 'r', long)]
    pub(super) use_regexp: bool,

    /// Letters of a motif that may differ, up to 3; implies -s
    #[arg(short, long, value_name = "N", default_value_t = 0)]
    pub(super) max_mismatch: u32,

    /// Search sequences as they are, not on the other strand, too
    #[arg(short = 'P', long)]
    pub(super) only_positive_strand: bool,

    /// Upper and lower case are the same
    #[arg(short = 'i', long)]
    pub(super) ignore_case: bool,

    /// Search this part of each sequence: 1:12 is the first twelve bases, -12:-1 the last twelve; on the other strand, that part
    /// of the reverse complement; implies -s
    #[arg(short = 'R', long, value_name = "FROM:TO", allow_hyphen_values = true)]
    pub(super) region: Option<Region>,

    /// Motifs may have ambiguous letters, as they always may here; implies -s
    #[arg(short = 'd', long)]
    pub(super) degenerate: bool,
}

/// Which reads are written, and how.
#[derive(clap::Args)]
pub(super) struct Results {
    /// Keep the reads in which nothing is found
    #[arg(short = 'v', long)]
    pub(super) invert_match: bool,

    /// Keep a pair if something is found in any of its mates, or only if in both
    #[arg(long, value_enum, default_value_t = Pair::Any, value_name = "WHICH")]
    pub(super) pair: Pair,

    /// Write the number of reads, or pairs, that would be kept, and no reads
    #[arg(short = 'c', short_alias = 'C', long, conflicts_with_all = ["only_matching", "out2"])]
    pub(super) count: bool,

    /// Write a table of how many reads and places each pattern is found in, and no reads
    #[arg(long, conflicts_with_all = ["count", "only_matching", "out2"])]
    pub(super) count_by_pattern: bool,

    /// Write a table of the places, and no reads: name, pattern, strand, start, end (from 1) and what is there, in the columns of
    /// `seqkit locate`
    #[arg(long, conflicts_with_all = ["invert_match", "out2"])]
    pub(super) only_matching: bool,

    /// Colour what is found, each pattern otherwise: auto does so on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(super) color: Color,

    /// Write the patterns that are found in no read to FILE, one a line
    #[arg(long, value_name = "FILE")]
    pub(super) missing: Option<OutFile>,

    /// End with exit code 1 if some pattern is found in no read; outputs are written all the same
    #[arg(long)]
    pub(super) require_all: bool,
}

/// What `--pair` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Pair {
    /// One mate at least
    Any,
    /// Both mates
    Both,
}

/// What `--color` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
