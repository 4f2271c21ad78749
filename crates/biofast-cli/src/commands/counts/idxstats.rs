//! `biofast idxstats`.

use anyhow::{Error, Result};
use biofast_bam::{CountedByIndex, IndexCounts};
use biofast_ops::measure::idxstats::IdxstatsCollector;
use biofast_report::samtools::idxstats::Table;

use super::Common;
use crate::inputs::Input;
use crate::options::tell;
use crate::output;
use crate::parts::{self, Mergeable, Part, PartOptions};
use crate::session::{Exit, Session};

/// Count mapped and unmapped reads per reference, like `samtools idxstats`
///
/// The counts come from the BAI or CSI index of a BAM file if it is proved to belong to it: it isn't older, and records
/// are where it says. Otherwise, and with --count, all records are read and validated, so no index is needed. With
/// --region or -L, an index lets it read only part of the file.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast idxstats aln.bam
  biofast idxstats --count aln.bam
  biofast idxstats -L targets.bed aln.bam
  biofast idxstats --shard 'plan.json#2' -o part2.idxstats.json
  samtools view -b -F 4 aln.bam | biofast idxstats -")]
pub(crate) struct Args {
    /// Count the records themselves, even if there is an index
    #[arg(long)]
    count: bool,

    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    if !args.count
        && let Some(counts) = of_index(&args.common, session)?
    {
        let report = args.common.out.open(session)?;
        let table = Table::new(&IdxstatsCollector::of_index(&counts), &counts.header);
        output::finish(report, table.text())?;
        return Ok(Exit::Fine);
    }
    let ((header, collector), report, shard) =
        args.common.read(session, IdxstatsCollector::collect)?;
    let table = Table::new(&collector, &header);
    let text = match shard {
        Some(shard) => {
            parts::text::<Table>(PartOptions::new(), vec![Part { shard, payload: table }])?
        }
        None => table.text(),
    };
    output::finish(report, text)?;
    Ok(Exit::Fine)
}

/// The counts of the index, if it has those that are asked for.
fn of_index(common: &Common, session: &mut Session) -> Result<Option<IndexCounts>> {
    let is_part = common.regions.any() || common.shard.any() || common.reference.is_some();
    if is_part || common.file.named().is_empty() {
        return Ok(None);
    }
    let Input::Path(path) = common.file.input(session)? else { return Ok(None) };
    let watch = common.reading.watch(session);
    match IndexCounts::of(&path, &watch.options) {
        Ok(CountedByIndex::Counts(counts)) => Ok(Some(counts)),
        Ok(CountedByIndex::Unproved(note)) => {
            if !common.reading.messages.quiet {
                tell(&session.console, &note);
            }
            Ok(None)
        }
        // What can't be read is reported by the reader.
        Ok(CountedByIndex::None) | Err(_) => Ok(None),
    }
}

impl Mergeable for Table {
    const COMMAND: &'static str = "idxstats";
    type Payload = Self;

    fn read(part: Part<Self>) -> Result<(Self, Option<u64>)> {
        let records = part.payload.records();
        Ok((part.payload, Some(records)))
    }

    fn needs_neighbors(&self) -> bool {
        false
    }

    fn append(&mut self, next: Self) -> Result<()> {
        self.add(&next).map_err(Error::msg)
    }
}
