//! `biofast flagstat`.

use anyhow::{Context, Result};
use biofast_ops::measure::flagstat::{FlagStat, FlagstatCollector};
use biofast_report::samtools::flagstat as shown;
use clap::ValueEnum;

use super::Common;
use crate::output;
use crate::parts::{self, Mergeable, Part, PartOptions};
use crate::session::{Exit, Session};

/// Count alignments by flag, like `samtools flagstat`
///
/// The format is detected from content. Every checksum and length field is validated. A BAM or CRAM file without an
/// end-of-file marker is an error.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast flagstat aln.bam
  biofast flagstat -T genome.fa aln.cram
  biofast flagstat --region chr1:1,000,001-2,000,000 aln.bam
  biofast flagstat -O json aln.bam -o aln.flagstat.json
  biofast flagstat -O json --shard 'plan.json#2' -o part2.flagstat.json")]
pub(crate) struct Args {
    /// Output format
    #[arg(short = 'O', long = "output-format", value_enum, default_value_t = FlagstatFormat::Default, value_name = "FORMAT")]
    output_fmt: FlagstatFormat,

    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, ValueEnum)]
enum FlagstatFormat {
    /// Text, like samtools
    Default,
    /// JSON
    Json,
    /// Tab-separated values
    Tsv,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    if !matches!(args.output_fmt, FlagstatFormat::Json) {
        args.common.out.refuse_json("-O json")?;
    }
    let ((_, collector), report, shard) = args.common.read(session, FlagstatCollector::collect)?;
    let counts = collector.finish();
    let text = match args.output_fmt {
        FlagstatFormat::Default => shown::text(&counts),
        FlagstatFormat::Json => match shard {
            Some(shard) => {
                let part = Part { shard, payload: counts };
                parts::text::<[FlagStat; 2]>(PartOptions::new(), vec![part])?
            }
            None => shown::json(&counts),
        },
        FlagstatFormat::Tsv => shown::tsv(&counts),
    };
    output::finish(report, text)?;
    Ok(Exit::Fine)
}

impl Mergeable for [FlagStat; 2] {
    const COMMAND: &'static str = "flagstat";
    type Payload = Self;

    fn read(part: Part<Self>) -> Result<(Self, Option<u64>)> {
        let [passed, failed] = part.payload;
        Ok((part.payload, Some(passed.total.saturating_add(failed.total))))
    }

    fn needs_neighbors(&self) -> bool {
        false
    }

    fn append(&mut self, next: Self) -> Result<()> {
        for (mine, theirs) in self.iter_mut().zip(&next) {
            *mine = mine.checked_add(theirs).context("counts exceed 64 bits")?;
        }
        Ok(())
    }
}
