//! The arguments of `biofast convert`.

use std::num::NonZeroU64;

use biofast_ops::convert::{BaseSpan, QualityMap};
use clap::ValueEnum;

use crate::options::{InFile, Mates, OutFile, PairsOut, ReadsOut, ShardArg, Spill};
use crate::reads_job::ReadsOptions;

/// Convert reads to FASTQ, FASTA, a table or unaligned BAM; optionally edit them
///
/// The input may have any of these formats, or be SAM or CRAM; the format is detected from content. Reads keep their
/// order, and pairs stay pairs.
///
/// Edits are made in this order: qualities, subsequence, strand, letters, case, names. Then reads are filtered by
/// length, and names are made unique.
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
  biofast convert reads.fq.gz --rename-table renames.tsv -o renamed.fq.gz
  biofast convert reads.fq.gz --rename-regex ':([0-9]+)$' --rename '_{1}' -o renamed.fq.gz
  biofast convert R1.fq.gz R2.fq.gz --sra-names SRR000001 -o n1.fq.gz --out2 n2.fq.gz
  biofast convert genes.fa.gz --unique-names -o unique.fa
  biofast convert reads.fq.gz --subseq 1:50 --min-len 50 -o first50.fq
  biofast convert reads.fq.gz --tail 100
  biofast convert reads.fq.gz --bin-quality 8 -o smaller.fq.gz
  biofast convert R1.fq.gz R2.fq.gz -o unaligned.bam --rg-line ID:lane1 --rg-line SM:s1
  biofast convert unaligned.bam -o again.fq.gz")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) mates: Mates,

    /// Input format [default: detected from content]
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT")]
    pub(super) from: Option<From>,

    /// Output format [default: from the file extension, else fasta for FASTA and fastq for other input]
    ///
    /// Known file extensions are .fq, .fa, .tsv and .bam.
    #[arg(long, value_enum, ignore_case = true, value_name = "FORMAT")]
    pub(super) to: Option<To>,

    /// Write the output to FILE [default: standard output]
    ///
    /// FILE is created only if the command succeeds. Without --out2, pairs are interleaved. Two input files then need
    /// --interleaved-out, except on standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: Option<OutFile>,

    /// Write second reads to FILE
    #[arg(long, value_name = "FILE")]
    pub(super) out2: Option<OutFile>,

    #[command(flatten)]
    pub(super) pairs_out: PairsOut,

    #[command(flatten)]
    pub(super) shard: ShardArg,

    #[command(flatten, next_help_heading = "Read selection")]
    pub(super) which: RangeArgs,

    #[command(flatten, next_help_heading = "Edits and output")]
    pub(super) changes: Changes,

    /// Line width of FASTA output; 0 for single lines [default: 60 for FASTA input, else 0]
    #[arg(short = 'w', long, value_name = "N")]
    pub(super) line_width: Option<usize>,

    /// Add a read group to BAM: a whole line (@RG\tID:x\tSM:y), or single fields; may be repeated
    #[arg(long = "rg-line", value_name = "LINE")]
    pub(super) read_group: Vec<String>,

    /// Write a table of old and new names to FILE
    #[arg(long, value_name = "FILE")]
    pub(super) name_map: Option<OutFile>,

    /// Reference sequences (FASTA) for CRAM input; a .fai index is optional
    #[arg(long, value_name = "FASTA")]
    pub(super) reference: Option<InFile>,

    #[command(flatten)]
    pub(super) spill: Spill,

    #[command(flatten)]
    pub(super) writing: ReadsOut,

    #[command(flatten)]
    pub(super) reading: ReadsOptions,
}

/// Which reads are written.
#[derive(clap::Args)]
pub(super) struct RangeArgs {
    /// Take only the first N reads or pairs; the rest of the input isn't read
    #[arg(long, value_name = "N", conflicts_with_all = ["tail", "range"])]
    pub(super) head: Option<NonZeroU64>,

    /// Take only the last N reads or pairs; reads the input twice
    #[arg(long, value_name = "N", conflicts_with = "range")]
    pub(super) tail: Option<NonZeroU64>,

    /// Take only reads or pairs FIRST to LAST, such as 101:200 or -100:-1
    ///
    /// Numbers count from 1, or from the end if negative.
    #[arg(long, value_name = "FIRST:LAST", value_parser = range, allow_hyphen_values = true)]
    pub(super) range: Option<(i64, i64)>,

    /// Keep reads of at least N bases after all edits; for pairs, both mates
    #[arg(short = 'm', long, value_name = "N")]
    pub(super) min_len: Option<usize>,

    /// Keep reads of at most N bases after all edits; for pairs, both mates
    #[arg(short = 'M', long, value_name = "N")]
    pub(super) max_len: Option<usize>,
}

/// What is changed.
#[derive(clap::Args)]
pub(super) struct Changes {
    /// Replace header lines with TEMPLATE, such as 's1_{number}'
    ///
    /// {number} is the number of the read or pair, and {number:8} the same with 8 digits. {name} and {description} are
    /// those of the read, {mate} is 1 or 2, and {length} is its number of bases.
    #[arg(long, value_name = "TEMPLATE")]
    pub(super) rename: Option<String>,

    /// With --rename: replace only the matches of REGEX in header lines
    ///
    /// {1}, {2} and so on in TEMPLATE are the groups of REGEX. TEMPLATE may be empty.
    #[arg(long, value_name = "REGEX", requires = "rename")]
    pub(super) rename_regex: Option<String>,

    /// Rename the reads in a table: old and new names, separated by a tab
    ///
    /// Other reads keep their names. Descriptions and the /1 and /2 of mates stay. A name without them stands for both
    /// mates.
    #[arg(long, value_name = "FILE", conflicts_with = "rename")]
    pub(super) rename_table: Option<InFile>,

    /// Name reads like the Sequence Read Archive: 'RUN.N NAME length=L' for run RUN
    ///
    /// N is the number of the read or pair. NAME is the former name without /1 and /2; the description is dropped.
    #[arg(long, value_name = "RUN", value_parser = part_of_name, conflicts_with_all = ["rename", "rename_table", "only_id"])]
    pub(super) sra_names: Option<String>,

    /// Restore the original names of reads from a sequence archive
    ///
    /// They are the second words of header lines such as 'SRR000001.1 NAME length=36'. It is an error if there is none.
    #[arg(long, conflicts_with_all = ["rename", "rename_table", "only_id", "sra_names"])]
    pub(super) original_names: bool,

    /// Put TEXT before each name
    #[arg(long, value_name = "TEXT", value_parser = part_of_name)]
    pub(super) name_prefix: Option<String>,

    /// Put TEXT after each name, before the /1 and /2 of mates
    #[arg(long, value_name = "TEXT", value_parser = part_of_name)]
    pub(super) name_suffix: Option<String>,

    /// Append _2, _3 and so on to repeated names, like `seqkit rename`; reads the input twice
    ///
    /// With =header, only reads whose whole header line is repeated are renamed. Mates get the same number.
    #[arg(
        long,
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "name",
        value_name = "WHAT"
    )]
    pub(super) unique_names: Option<Whole>,

    /// Remove descriptions, and keep names
    #[arg(short = 'i', long, conflicts_with_all = ["rename", "rename_table"])]
    pub(super) only_id: bool,

    /// Keep only bases FIRST to LAST, such as 1:50 or -20:-1
    ///
    /// Positions count from 1, or from the end if negative.
    #[arg(long, value_name = "FIRST:LAST", value_parser = span, allow_hyphen_values = true)]
    pub(super) subseq: Option<BaseSpan>,

    /// Reverse-complement reads, and reverse their qualities
    #[arg(long, visible_alias = "revcomp")]
    pub(super) reverse_complement: bool,

    /// Alphabet for the reverse complement [default: that of the first reads]
    ///
    /// By default, a read with letters of the other alphabet is an error.
    #[arg(long, value_enum, value_name = "LETTERS", requires = "reverse_complement")]
    pub(super) alphabet: Option<Acid>,

    /// Replace U with T
    #[arg(long, conflicts_with = "dna2rna")]
    pub(super) rna2dna: bool,

    /// Replace T with U
    #[arg(long)]
    pub(super) dna2rna: bool,

    /// Convert bases to upper case
    #[arg(short = 'u', long, conflicts_with = "lower_case")]
    pub(super) upper_case: bool,

    /// Convert bases to lower case
    #[arg(short = 'l', long)]
    pub(super) lower_case: bool,

    /// Quality of all bases of reads without qualities, such as FASTA, from 0 to 93
    #[arg(long, value_name = "PHRED", value_parser = clap::value_parser!(u8).range(0..=93))]
    pub(super) quality: Option<u8>,

    /// Convert qualities from Phred+64 (Illumina 1.3 to 1.7) to Phred+33
    #[arg(long)]
    pub(super) phred64: bool,

    /// Lower qualities above Q to Q
    #[arg(long, value_name = "Q", value_parser = clap::value_parser!(u8).range(0..=92))]
    pub(super) cap_quality: Option<u8>,

    /// Reduce qualities to a few levels: 8 or 4, like Illumina, or bins such as 0:2,15:20,30:37
    ///
    /// A bin is its lowest quality and what all of its qualities become. 8 is 2:6,10:15,20:22,25:27,30:33,35:37,40:40,
    /// and 4 is 0:2,3:12,15:23,31:37. Qualities are capped first.
    #[arg(long, value_name = "LEVELS", value_parser = QualityMap::parse)]
    pub(super) bin_quality: Option<QualityMap>,
}

/// What `--alphabet` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Acid {
    /// DNA: the complement of A is T
    Dna,
    /// RNA: the complement of A is U
    Rna,
}

/// What `--from` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum From {
    /// Reads with qualities
    #[value(alias = "fq")]
    Fastq,
    /// Sequences without qualities
    #[value(alias = "fa")]
    Fasta,
    /// A line for each read: header, sequence and qualities, separated by tabs
    #[value(alias = "tab", alias = "tsv")]
    Table,
    /// BAM, SAM or CRAM
    #[value(alias = "sam", alias = "cram")]
    Bam,
}

/// What `--unique-names` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Whole {
    /// Names, up to the first space
    Name,
    /// Whole header lines
    Header,
}

/// What `--to` takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum To {
    /// Reads with qualities
    #[value(alias = "fq")]
    Fastq,
    /// Sequences without qualities
    #[value(alias = "fa")]
    Fasta,
    /// A line for each read: header, sequence and qualities, separated by tabs
    #[value(alias = "tab", alias = "tsv")]
    Table,
    /// Unaligned BAM
    #[value(alias = "ubam")]
    Bam,
}

/// What names may hold.
fn part_of_name(text: &str) -> Result<String, String> {
    match !text.is_empty() && text.bytes().all(|byte| byte > b' ' && byte != 0x7f) {
        true => Ok(text.to_owned()),
        false => Err("expected one or more characters without spaces".into()),
    }
}

fn span(text: &str) -> Result<BaseSpan, String> {
    range(text).map(|(first, last)| BaseSpan::new(first, last))
}

/// Two numbers that aren't 0.
fn range(text: &str) -> Result<(i64, i64), String> {
    let wrong =
        || format!("'{text}' is not a range: expected a form like 1:50, or -50:-1 for the last 50");
    let (first, last) = text.split_once(':').ok_or_else(wrong)?;
    let number = |text: &str| text.parse().ok().filter(|&number: &i64| number != 0);
    let (first, last) = (number(first).ok_or_else(wrong)?, number(last).ok_or_else(wrong)?);
    if (first > 0) == (last > 0) && first > last {
        return Err(format!("'{text}' ends before it starts"));
    }
    Ok((first, last))
}
