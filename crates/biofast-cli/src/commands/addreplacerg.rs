//! `biofast addreplacerg`: alignments of another read group.

use anyhow::{Result, bail};
use biofast_bam as bam;
use biofast_ops::addreplacerg::{GroupChange, GroupMode, NewGroup, NewGroupError};
use biofast_ops::import::ReadGroup;
use clap::ValueEnum;

use crate::alignments_job::AlignmentsJob;
use crate::console::Hinted;
use crate::session::{Exit, Session};

/// Add or replace the read group of alignments, like `samtools addreplacerg`
///
/// Without -r and -R, records get the first read group of the header. The output is SAM, or BAM with -O bam or an output
/// file ending in .bam. Every record is validated, and keeps its other tags in their order; RG comes last.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast addreplacerg -r ID:lane8 -r SM:sample aln.bam -o tagged.bam
  biofast addreplacerg -r '@RG\\tID:lane9\\tSM:sample' -m orphan_only -O bam aln.bam -o tagged.bam
  biofast addreplacerg -R lane1 aln.bam -o tagged.bam")]
pub(crate) struct Args {
    /// Add this read group to the header: a line, such as '@RG\tID:x\tSM:y', or its fields one by one (-r ID:x -r SM:y)
    #[arg(short = 'r', long = "rg-line", value_name = "LINE")]
    line: Vec<String>,

    /// Use the read group of the header with this ID
    #[arg(short = 'R', long = "rg", value_name = "ID", conflicts_with = "line")]
    id: Option<String>,

    /// Which records get the read group
    #[arg(short, long, value_enum, default_value_t = ReadGroupMode::OverwriteAll, value_name = "MODE")]
    mode: ReadGroupMode,

    /// Replace the read group of the header that has the ID of -r
    #[arg(short = 'w', long, requires = "line")]
    overwrite_rg: bool,

    #[command(flatten)]
    job: AlignmentsJob,
}

#[derive(Clone, Copy, ValueEnum)]
enum ReadGroupMode {
    /// All; a new read group replaces all others in the header
    #[value(name = "overwrite_all", alias = "overwrite-all")]
    OverwriteAll,
    /// Records without a read group; others stay in the header
    #[value(name = "orphan_only", alias = "orphan-only")]
    OrphanOnly,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let group = args.group()?;
    let mode = match args.mode {
        ReadGroupMode::OverwriteAll => GroupMode::OverwriteAll,
        ReadGroupMode::OrphanOnly => GroupMode::OrphanOnly,
    };
    args.job.run(bam::Format::Sam, session, |input, header| {
        GroupChange::new(header, &group, mode, args.overwrite_rg).map_err(|error| {
            let hint = match error {
                NewGroupError::Exists(_) => "add -w to replace it, or use it with -R",
                _ => "give the whole line with -r, such as -r ID:x -r SM:sample",
            };
            Hinted::error(format!("{}: {error}", input.in_words()), hint)
        })
    })?;
    Ok(Exit::Fine)
}

impl Args {
    /// The read group that is asked for.
    fn group(&self) -> Result<NewGroup> {
        if let Some(id) = &self.id {
            return Ok(NewGroup::Known(id.clone()));
        }
        if self.line.is_empty() {
            return Ok(NewGroup::First);
        }
        let mut groups = ReadGroup::parse(&self.line).map_err(anyhow::Error::msg)?;
        match (groups.pop(), groups.is_empty()) {
            (Some(group), true) => Ok(NewGroup::Line(group)),
            _ => bail!("expected one read group, but -r gives several"),
        }
    }
}
