//! The arguments of `biofast convert`.

use std::num::NonZeroU64;

use biofast::ops::convert::{Span, Template};
use clap::ValueEnum;

use crate::options::{
    InFile, Io, Mates, Messages, OutFile, PairsOut, ReadsOut, Spill, Strictness, Threads,
};

/// Write reads in another format: FASTQ, FASTA, a table or unaligned BAM, edited on the way
///
/// The input may be any of these, and SAM or CRAM: it is known by its content. Reads keep their order, and pairs stay pairs.
///
/// Changes are made in this order: qualities, the part of the sequence, the other strand, letters, case, names; then lengths
/// are looked at, and names made unique.
#[derive(clap::Args)]
#[command(
    // The letter is that of --min-len.
    mut_arg("memory", |a| a.short(None).requires("unique_names")),
    after_help = "\
Examples:
  biofast convert reads.fq.gz -o reads.fa.gz
  biofast convert reads.fq.gz --to table | sort -k2,2 | biofast convert - -o sorted.fq.bz2
  biofast convert genes.fa.gz --reverse-complement --upper-case -w 80 -o other.fa
  biofast convert R1.fq.gz R2.fq.gz --rename 's1_{number}' -o n1.fq.gz --out2 n2.fq.gz
  biofast convert genes.fa.gz --unique-names -o unique.fa
  biofast convert reads.fq.gz --subseq 1:50 --min-len 50 -o first50.fq
  biofast convert reads.fq.gz --tail 100
  biofast convert R1.fq.gz R2.fq.gz -o unaligned.bam --read-group ID:lane1 --read-group SM:s1
  biofast convert unaligned.bam -o again.fq.gz")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) mates: Mates,

    /// What the input holds [default: as its content says]
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT")]
    pub(super) from: Option<From>,

    /// What is written [default: by the file's ending: .fq, .fa, .tsv, .bam; else FASTA of FASTA, and FASTQ of all others]
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT")]
    pub(super) to: Option<To>,

    /// Write to FILE instead of standard output; it appears only when complete
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: Option<OutFile>,

    /// Write second reads of pairs to FILE; without it mates follow each other
    #[arg(long, value_name = "FILE")]
    pub(super) out2: Option<OutFile>,

    #[command(flatten)]
    pub(super) pairs_out: PairsOut,

    #[command(flatten)]
    pub(super) which: Which,

    #[command(flatten)]
    pub(super) changes: Changes,

    /// Bases in a line of FASTA; 0: all in one line [default: 60 of FASTA, 0 of all else]
    #[arg(short = 'w', long, value_name = "N")]
    pub(super) line_width: Option<usize>,

    /// A read group for BAM: a whole line (@RG\tID:x\tSM:y), or its fields one by one; may be repeated
    #[arg(long, alias = "rg-line", value_name = "LINE")]
    pub(super) read_group: Vec<String>,

    /// Write a table of old and new names to FILE
    #[arg(long, value_name = "FILE")]
    pub(super) name_map: Option<OutFile>,

    /// Reference sequences of a CRAM file, in FASTA, indexed (.fai) or not
    #[arg(long, value_name = "FASTA")]
    pub(super) reference: Option<InFile>,

    #[command(flatten)]
    pub(super) spill: Spill,

    #[command(flatten)]
    pub(super) writing: ReadsOut,

    #[command(flatten)]
    pub(super) threads: Threads,

    #[command(flatten)]
    pub(super) io: Io,

    #[command(flatten)]
    pub(super) strictness: Strictness,

    #[command(flatten)]
    pub(super) messages: Messages,
}

/// Which reads are written.
#[derive(clap::Args)]
#[command(next_help_heading = "Which reads")]
pub(super) struct Which {
    /// The first N reads or pairs; what is behind them isn't read
    #[arg(long, value_name = "N", conflicts_with_all = ["tail", "range"])]
    pub(super) head: Option<NonZeroU64>,

    /// The last N reads or pairs; reads the input twice
    #[arg(long, value_name = "N", conflicts_with = "range")]
    pub(super) tail: Option<NonZeroU64>,

    /// Reads or pairs FIRST to LAST, counted from 1, or from the end if negative: 101:200, -100:-1
    #[arg(long, value_name = "FIRST:LAST", value_parser = range, allow_hyphen_values = true)]
    pub(super) range: Option<(i64, i64)>,

    /// Only reads of at least N bases, after all changes; of a pair both
    #[arg(short = 'm', long, value_name = "N")]
    pub(super) min_len: Option<usize>,

    /// Only reads of at most N bases, after all changes; of a pair both
    #[arg(short = 'M', long, value_name = "N")]
    pub(super) max_len: Option<usize>,
}

/// What is changed.
#[derive(clap::Args)]
#[command(next_help_heading = "Changes")]
pub(super) struct Changes {
    /// New header lines: {number} stands for the number of the read or pair, {number:8} for the same with 8 digits, {name} and
    /// {description} for what the read has, {mate} for 1 or 2
    #[arg(long, value_name = "TEMPLATE", value_parser = template)]
    pub(super) rename: Option<Template>,

    /// Names that came before get _2, _3 and so on, as of `seqkit rename`; with =header only where the whole header line came
    /// before. Mates get the same number. Reads the input twice
    #[arg(
        long,
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "name",
        value_name = "WHAT"
    )]
    pub(super) unique_names: Option<Whole>,

    /// Names without descriptions
    #[arg(short = 'i', long, conflicts_with = "rename")]
    pub(super) only_id: bool,

    /// Only bases FIRST to LAST, counted from 1, or from the end if negative: 1:50, -20:-1
    #[arg(long, value_name = "FIRST:LAST", value_parser = span, allow_hyphen_values = true)]
    pub(super) subseq: Option<Span>,

    /// The other strand, with qualities reversed
    #[arg(long, visible_alias = "revcomp")]
    pub(super) reverse_complement: bool,

    /// Letters of the other strand [default: those of the first reads; a read with the other letter is then an error]
    #[arg(long, value_enum, value_name = "LETTERS", requires = "reverse_complement")]
    pub(super) alphabet: Option<Acid>,

    /// U becomes T
    #[arg(long, conflicts_with = "dna2rna")]
    pub(super) rna2dna: bool,

    /// T becomes U
    #[arg(long)]
    pub(super) dna2rna: bool,

    /// Bases in upper case
    #[arg(short = 'u', long, conflicts_with = "lower_case")]
    pub(super) upper_case: bool,

    /// Bases in lower case
    #[arg(short = 'l', long)]
    pub(super) lower_case: bool,

    /// The quality of all bases of reads that have none, as FASTA, from 0 to 93
    #[arg(long, value_name = "PHRED", value_parser = clap::value_parser!(u8).range(0..=93))]
    pub(super) quality: Option<u8>,

    /// Qualities of the input are Phred + 64, as of Illumina 1.3 to 1.7; they become Phred + 33
    #[arg(long)]
    pub(super) phred64: bool,
}

/// What `--alphabet` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Acid {
    /// A becomes T
    Dna,
    /// A becomes U
    Rna,
}

/// What `--from` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum From {
    /// Header, sequence, plus and qualities
    #[value(alias = "fq")]
    Fastq,
    /// Header and sequence
    #[value(alias = "fa")]
    Fasta,
    /// A line a read: header, sequence and qualities, with tabs between them
    #[value(alias = "tab", alias = "tsv")]
    Table,
    /// BAM, SAM or CRAM
    #[value(alias = "sam", alias = "cram")]
    Bam,
}

/// What `--unique-names` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Whole {
    /// What stands before the first blank
    Name,
    /// The whole line
    Header,
}

/// What `--to` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum To {
    /// Header, sequence, plus and qualities
    #[value(alias = "fq")]
    Fastq,
    /// Header and sequence
    #[value(alias = "fa")]
    Fasta,
    /// A line a read: header, sequence and qualities, with tabs between them
    #[value(alias = "tab", alias = "tsv")]
    Table,
    /// Unaligned BAM
    #[value(alias = "ubam")]
    Bam,
}

fn template(text: &str) -> Result<Template, String> {
    Template::parse(text).map_err(|error| error.to_string())
}

fn span(text: &str) -> Result<Span, String> {
    range(text).map(|(first, last)| Span::new(first, last))
}

/// Two numbers that aren't 0.
fn range(text: &str) -> Result<(i64, i64), String> {
    let wrong = || format!("'{text}' is no range: say 1:50, or -50:-1 for the last 50");
    let (first, last) = text.split_once(':').ok_or_else(wrong)?;
    let number = |text: &str| text.parse().ok().filter(|&number: &i64| number != 0);
    let (first, last) = (number(first).ok_or_else(wrong)?, number(last).ok_or_else(wrong)?);
    if (first > 0) == (last > 0) && first > last {
        return Err(format!("'{text}' ends before it begins"));
    }
    Ok((first, last))
}
