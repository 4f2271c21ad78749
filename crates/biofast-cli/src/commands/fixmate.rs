//! `biofast fixmate`: mates told of each other.

use anyhow::Result;
use biofast_bam as bam;
use biofast_ops::fixmate::{FixMate, MateFixer, SanitizeRules};
use biofast_ops::number::counted;

use crate::alignments_job::AlignmentsJob;
use crate::options::BAM_BY_DEFAULT;
use crate::output;
use crate::session::{Exit, Session};

/// Fill in mate fields of alignments grouped by name, like `samtools fixmate`
///
/// Sets flags, positions and template lengths of mates, and the tags MQ and MC. Fields that contradict each other are
/// corrected first. The output is BAM, or SAM with -O sam or an output file ending in .sam, in the order of the input.
/// `biofast sort --mark-duplicates` also fills in mate fields, and `biofast markdup` doesn't need them.
#[derive(clap::Args)]
#[command(
    mut_arg("output_format", |a| a.help(BAM_BY_DEFAULT)),
    after_help = "\
Examples:
  biofast fixmate -m names.bam -o fixed.bam
  biofast sort -n aln.bam | biofast fixmate -r -m -u - | biofast sort -o sorted.bam -"
)]
pub(crate) struct Args {
    /// Remove unmapped and secondary records
    #[arg(short = 'r', long)]
    remove: bool,

    /// Leave the proper pair flag of mates that are on different references or don't point towards each other
    #[arg(short = 'p', long)]
    no_pair_check: bool,

    /// Add the CIGARs of both mates to the left one (tag ct)
    #[arg(short = 'c', long)]
    template_cigar: bool,

    /// Add the score of the mate (tag ms), which `samtools markdup` needs
    #[arg(short = 'm', long)]
    mate_score: bool,

    /// Which contradicting fields to correct first, separated by commas, or off [default: all]
    ///
    /// pos: no position without a reference; mqual: mapping quality 0 of unmapped reads; unmap: reads without a position, or
    /// behind the end of the reference, are unmapped; cigar: no CIGAR of unmapped reads, or over the end of the reference; cigdup: equal operations are joined; cigarx:
    /// = and X become M; aux: no NM, MD, CG and SM of unmapped reads; on: mqual,unmap,cigar,aux; all: all but cigarx.
    #[arg(short = 'z', long, value_name = "WORDS")]
    sanitize: Option<SanitizeRules>,

    #[command(flatten)]
    job: AlignmentsJob,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let fix = FixMate {
        remove: args.remove,
        keep_proper_pairs: args.no_pair_check,
        template_cigar: args.template_cigar,
        mate_score: args.mate_score,
        sanitize: args.sanitize.unwrap_or_default(),
    };
    let (_, counts) = args.job.run(bam::Format::Bam, session, |input, header| {
        MateFixer::new(&input.in_words(), header, fix).map_err(output::failed)
    })?;
    if !args.job.reading.messages.quiet {
        let removed = match counts.removed {
            0 => String::new(),
            removed => format!(", {removed} removed"),
        };
        session.console.note(&format!(
            "{}, {}, {} without mate{removed}",
            counted(counts.records, "record"),
            counted(counts.pairs, "pair"),
            counted(counts.without_mate, "read"),
        ));
    }
    Ok(Exit::Fine)
}
