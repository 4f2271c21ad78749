//! `biofast idxstats`.

use anyhow::{Error, Result};
use biofast_ops::measure::idxstats::IdxstatsCollector;
use biofast_report::samtools::idxstats::Table;

use super::Common;
use crate::output;
use crate::parts::{self, Mergeable, Part, PartOptions};
use crate::session::{Exit, Session};

/// Count mapped and unmapped reads per reference, like `samtools idxstats`
///
/// Counts the records themselves, so no index is needed. With --region or -L, an index lets it read only part of the
/// file.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast idxstats aln.bam
  biofast idxstats -L targets.bed aln.bam
  biofast idxstats --shard 'plan.json#2' -o part2.idxstats.json
  samtools view -b -F 4 aln.bam | biofast idxstats -")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
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
