//! The arguments that are of alignments, as typed, and the choice they mean.

use anyhow::Result;
use biofast_bam::flag;
use biofast_ops::filter::alignment::Choice;
use biofast_ops::filter::expression::Expression;

use crate::options::{ContentArgs, CramArgs, Flags, InFile, OutFile, ProgramLineArgs, RegionArgs};

/// Which alignments, with the meaning and the letters of `samtools view`.
#[derive(clap::Args)]
pub(super) struct AlignmentArgs {
    #[command(flatten)]
    pub(super) flags: Flags,

    /// Include only records with a mapping quality of at least N
    #[arg(
        short = 'q',
        long = "min-mapq",
        alias = "min-mq",
        value_name = "N",
        group = "of_alignments"
    )]
    min_mapping_quality: Option<u8>,

    /// Include only records that match this expression, such as 'mapq >= 30 && [NM] < 3'
    ///
    /// It is an error if the expression can't be evaluated for a record.
    #[arg(
        short = 'e',
        long = "expr",
        value_name = "STR",
        allow_hyphen_values = true,
        group = "of_alignments"
    )]
    expression: Option<Expression>,

    #[command(flatten)]
    pub(super) regions: RegionArgs,

    /// With both regions and -L: include only records that overlap an intersection of the two
    ///
    /// Otherwise, it is enough that a record overlaps one of each.
    #[arg(short = 'M', long = "use-index", group = "of_alignments")]
    pub(super) multi_region: bool,

    #[command(flatten)]
    pub(super) content: ContentArgs,

    /// Print only the number of records
    #[arg(short, long, conflicts_with_all = ["unselected", "json", "html", "title", "write_index"], group = "of_alignments")]
    pub(super) count: bool,

    /// Write records that are not selected to FILE
    #[arg(
        short = 'U',
        long = "output-unselected",
        alias = "unoutput",
        value_name = "FILE",
        group = "of_alignments"
    )]
    pub(super) unselected: Option<OutFile>,

    /// Include the header in SAM output
    #[arg(short = 'h', long, group = "of_alignments")]
    pub(super) with_header: bool,

    /// Write BAM
    #[arg(short, long, group = "of_alignments")]
    pub(super) bam: bool,

    /// Write uncompressed BAM, for piping to another program
    #[arg(short, long, conflicts_with = "level", group = "of_alignments")]
    pub(super) uncompressed: bool,

    #[command(flatten)]
    pub(super) cram: CramArgs,

    #[command(flatten)]
    pub(super) program: ProgramLineArgs,

    /// Reference sequences (FASTA) for CRAM; a .fai index is optional
    #[arg(short = 'T', long, value_name = "FASTA", group = "of_alignments")]
    pub(super) reference: Option<InFile>,
}

impl AlignmentArgs {
    /// Whether more than flags, places and mapping qualities are looked at.
    pub(super) fn looks_inside(&self) -> bool {
        self.content.any() || self.expression.is_some()
    }

    /// What is asked for, but for regions.
    pub(super) fn choice(&self) -> Result<Choice> {
        let mut flags = self.flags.filter(0);
        flags.min_mapping_quality = self.min_mapping_quality.unwrap_or(0);
        let mut choice = self.content.add_to(Choice::new().flags(flags))?;
        if let Some(expression) = &self.expression {
            choice = choice.expression(expression.clone());
        }
        Ok(choice)
    }

    /// Whether -f or --include-flags asks for flags that primary records don't have.
    pub(super) fn wants_other_than_primary(&self) -> bool {
        let flags = self.flags.filter(0);
        let others = flag::SECONDARY | flag::SUPPLEMENTARY;
        flags.all_of & others != 0 || flags.any_of != 0 && flags.any_of & !others == 0
    }
}
