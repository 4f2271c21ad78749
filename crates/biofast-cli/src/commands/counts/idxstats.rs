//! `biofast idxstats`.

use anyhow::Result;
use biofast_ops::measure::idxstats::IdxstatsCollector;
use biofast_report::samtools::idxstats::text;

use super::Common;
use crate::output;
use crate::session::{Exit, Session};

/// What the first line of the table of a shard starts with; what it is a part of follows in JSON.
pub(crate) const SHARD: &str = "#shard ";

/// Count mapped and unmapped reads per reference, like `samtools idxstats`
///
/// Counts the records themselves, so no index is needed. With --region or -L, an index lets it read only part of the
/// file.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast idxstats aln.bam
  biofast idxstats -L targets.bed aln.bam
  biofast idxstats --shard 'plan.json#2' -o part2.idxstats
  samtools view -b -F 4 aln.bam | biofast idxstats -")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let ((header, collector), report, part) =
        args.common.read(session, IdxstatsCollector::collect)?;
    let mut table = text(&collector, &header);
    if let Some(part) = part {
        table.insert_str(0, &format!("{SHARD}{}\n", serde_json::to_string(&part)?));
    }
    output::finish(report, table)?;
    Ok(Exit::Fine)
}
