//! `biofast rename-contigs`: reference sequences renamed.

use anyhow::{Context, Result};
use biofast_bam as bam;
use biofast_io::{TextBounds, display_name};
use biofast_ops::number::counted;
use biofast_ops::rename_contigs::{ContigNames, RenameContigs, RenameError};

use crate::alignments_job::AlignmentsJob;
use crate::console::Hinted;
use crate::inputs;
use crate::options::InFile;
use crate::session::{Exit, Session};

/// Rename reference sequences by a table, in the header and in the tags of records
///
/// The table has a line for each sequence, the old and the new name separated by a tab. Names are replaced in the @SQ lines
/// and in the tags SA, OA, XA, XB and CC. Sequences that aren't in the table keep their names. Lengths, order and positions
/// don't change. Blocks of BAM without such tags are copied. The output is SAM, or BAM with -O bam or an output file ending
/// in .bam.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast rename-contigs --table contigs.tsv aln.bam -o renamed.bam
  biofast rename-contigs --table contigs.tsv aln.cram -T genome.fa -O bam -o renamed.bam")]
pub(crate) struct Args {
    /// Table of old and new names, separated by a tab
    #[arg(long, value_name = "FILE")]
    table: InFile,

    #[command(flatten)]
    job: AlignmentsJob,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    session.files.read(&args.table)?;
    let table = display_name(&args.table);
    let text = inputs::text(&args.table, TextBounds::TABLE)?;
    let names = ContigNames::parse(&text).with_context(|| table.clone())?;
    let (rename, counts) = args.job.run(bam::Format::Sam, session, |input, header| {
        RenameContigs::new(header, names).map_err(|error| {
            let message = format!("{}, {table}: {error}", input.in_words());
            let hint = match error {
                RenameError::NoneKnown(_) => {
                    "the first column must hold the names of the @SQ lines, which `biofast view -H` prints"
                }
                _ => "give each reference sequence a name of its own",
            };
            Hinted::error(message, hint)
        })
    })?;
    if let [first, rest @ ..] = rename.unknown() {
        let others =
            if rest.is_empty() { String::new() } else { format!(" and {} others", rest.len()) };
        session.console.warning(&format!("{table}: '{first}'{others} not in the header"));
    }
    if !args.job.reading.messages.quiet {
        let renamed = counted(rename.renamed() as u64, "reference sequence");
        let (changed, read) = (counts.changed, counted(counts.read, "record"));
        let note = format!("{renamed} renamed, also in the tags of {changed} of {read}");
        session.console.note(&note);
    }
    Ok(Exit::Fine)
}
