//! `biofast idxstats`.

use std::process::ExitCode;

use anyhow::Result;
use biofast::io::output::Files;
use biofast::ops::measure::idxstats::Collector;
use biofast::ops::show::samtools::idxstats::text;

use super::Common;
use crate::output;

/// Count mapped and unmapped records of each reference in a BAM, SAM or CRAM file, as
/// `samtools idxstats`
///
/// The records are counted, so no index is needed, except to read only some regions.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast idxstats aln.bam
  biofast idxstats -L targets.bed aln.bam
  samtools view -b -F 4 aln.bam | biofast idxstats -")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let ((header, collector), report) = args.common.read(files, Collector::collect)?;
    output::finish(report, text(&collector, &header))?;
    Ok(ExitCode::SUCCESS)
}
