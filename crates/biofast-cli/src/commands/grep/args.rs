//! The arguments of `biofast grep`, as typed.

use biofast_ops::grep::ReadRegion;
use clap::ValueEnum;

use crate::options::{InFile, OutFile, Pairing, PairsOut, ReadsOut, ShardArg};
use crate::reads_job::ReadsOptions;

/// Search reads by name, motif or regular expression
///
/// Without -s, -n or -r, a pattern is the whole name of a read, up to the first space. Without /1 or /2, it matches
/// both mates. With -s, it is a motif in the sequence, on either strand: IUPAC codes match the bases they stand for,
/// and -m allows mismatches. With -r, it is a regular expression.
///
/// A read is kept if any pattern matches, and so is its mate with two files or --interleaved. FASTA output has lines of
/// 60 bases. Every record is validated. If the input is faulty, the command fails and creates no output file.
#[derive(clap::Args)]
#[command(
    mut_arg("verbose", |a| a.short(None)),
    mut_arg("json", |a| a.long_help(SUMMARY)),
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
    /// One file of reads, or two files of mates; use '-' or no FILE for standard input
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<InFile>,

    #[command(flatten, next_help_heading = "Patterns")]
    pub(super) what: What,

    #[command(flatten, next_help_heading = "Input and output")]
    pub(super) results: Results,

    /// Treat the input as interleaved: the mates of each pair follow each other
    #[arg(long)]
    pub(super) interleaved: bool,

    #[command(flatten)]
    pub(super) pairing: Pairing,

    #[command(flatten)]
    pub(super) shard: ShardArg,

    /// Write kept reads to FILE [default: standard output]
    ///
    /// Without --out2, pairs are interleaved. Two input files then need --interleaved-out, except on standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: Option<OutFile>,

    /// Write second reads to FILE
    #[arg(long, value_name = "FILE", requires = "out")]
    pub(super) out2: Option<OutFile>,

    #[command(flatten)]
    pub(super) pairs_out: PairsOut,

    /// Write reads that are not kept to FILE
    #[arg(long, value_name = "FILE")]
    pub(super) rejected: Option<OutFile>,

    #[command(flatten)]
    pub(super) writing: ReadsOut,

    #[command(flatten)]
    pub(super) reading: ReadsOptions,
}

/// What is looked for.
#[derive(clap::Args)]
pub(super) struct What {
    /// Search for this name, motif or regular expression; may be repeated
    #[arg(short, long, value_name = "PATTERN", required_unless_present = "pattern_file")]
    pub(super) pattern: Vec<String>,

    /// Read patterns from FILE, one per line; with -s also from FASTA
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(super) pattern_file: Vec<InFile>,

    /// Search sequences
    #[arg(short = 's', long, conflicts_with = "by_name")]
    pub(super) by_seq: bool,

    /// Search whole header lines instead of names
    #[arg(short = 'n', long)]
    pub(super) by_name: bool,

    /// Treat patterns as regular expressions, which match anywhere in the name or sequence
    #[arg(short = 'r', long)]
    pub(super) use_regexp: bool,

    /// Allow up to N mismatches in a motif, at most 3; implies -s
    #[arg(short = 'm', long = "max-mismatches", value_name = "N", default_value_t = 0)]
    pub(super) max_mismatch: u32,

    /// Search only the strand that was read, not its reverse complement
    #[arg(short = 'P', long)]
    pub(super) only_positive_strand: bool,

    /// Search without regard to case
    #[arg(short = 'i', long)]
    pub(super) ignore_case: bool,

    /// Search only this part of each sequence, such as 1:12 or -12:-1; implies -s
    ///
    /// Positions count from 1, or from the end if negative. On the other strand, they refer to the reverse complement.
    #[arg(short = 'R', long = "search-region", value_name = "FROM:TO", allow_hyphen_values = true)]
    pub(super) region: Option<ReadRegion>,

    /// Allow IUPAC codes in motifs, as is always the case; implies -s
    #[arg(short = 'd', long, conflicts_with = "by_name")]
    pub(super) degenerate: bool,
}

/// Which reads are written, and how.
#[derive(clap::Args)]
pub(super) struct Results {
    /// Keep the reads that no pattern matches
    #[arg(short = 'v', long)]
    pub(super) invert_match: bool,

    /// How many mates must match for a pair to be kept
    #[arg(long, value_enum, default_value_t = GrepPairRule::Any, value_name = "RULE")]
    pub(super) pair: GrepPairRule,

    /// Print only the number of reads or pairs that would be kept
    #[arg(short = 'c', short_alias = 'C', long, conflicts_with_all = ["only_matching", "out2"])]
    pub(super) count: bool,

    /// Print only a table of the reads and matches of each pattern
    #[arg(long, conflicts_with_all = ["count", "only_matching", "out2"])]
    pub(super) count_by_pattern: bool,

    /// Print only a table of matches, with the columns of `seqkit locate`
    ///
    /// The columns are read, pattern name, pattern, strand, start and end (from 1), and the matched text.
    #[arg(long, conflicts_with_all = ["invert_match", "out2"])]
    pub(super) only_matching: bool,

    /// When to color matches, with a color for each pattern
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(super) color: Color,

    /// Write the patterns that match no read to FILE, one per line
    #[arg(long, value_name = "FILE")]
    pub(super) missing: Option<OutFile>,

    /// Exit with code 1 if a pattern matches no read; all outputs are still written
    #[arg(long)]
    pub(super) require_all: bool,
}

/// What `--pair` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum GrepPairRule {
    /// At least one
    Any,
    /// Both
    Both,
}

/// What `--color` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

const SUMMARY: &str = "Write a JSON summary to FILE\n\nIt has the reads and matches of each pattern, and a checksum of each file, which \
                       `biofast check --against` verifies.";
