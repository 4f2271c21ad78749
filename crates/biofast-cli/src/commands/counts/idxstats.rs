//! `biofast idxstats`.

use std::process::ExitCode;

use anyhow::Result;
use biofast::io::output::Files;
use biofast::ops::measure::idxstats::Collector;
use biofast::ops::show::samtools::idxstats::text;

use super::Common;
use crate::output;

/// What the first line of the table of a shard starts with; what it is a part of follows in JSON.
pub(crate) const SHARD: &str = "#shard ";

/// Count mapped and unmapped records of each reference in a BAM, SAM or CRAM file, as
/// `samtools idxstats`
///
/// The records are counted, so no index is needed, except to read only some regions.
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

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let ((header, collector), report, part) = args.common.read(files, Collector::collect)?;
    let mut table = text(&collector, &header);
    if let Some(part) = part {
        table.insert_str(0, &format!("{SHARD}{}\n", serde_json::to_string(&part)?));
    }
    output::finish(report, table)?;
    Ok(ExitCode::SUCCESS)
}
