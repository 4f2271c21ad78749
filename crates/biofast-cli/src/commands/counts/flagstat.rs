//! `biofast flagstat`.

use std::process::ExitCode;

use anyhow::Result;
use biofast::io::output::Files;
use biofast::ops::measure::flagstat::Collector;
use biofast::ops::shards::Part;
use biofast::ops::show::samtools::flagstat as shown;
use clap::ValueEnum;

use super::Common;
use crate::output;

/// Count the records of a BAM, SAM or CRAM file by flag, as `samtools flagstat` prints it
///
/// The format is recognised by content. Every checksum and every length field is checked. A BAM
/// or CRAM file without its end-of-file marker is an error.
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
    #[arg(short = 'O', long, value_enum, default_value_t = Format::Default, value_name = "FORMAT")]
    output_fmt: Format,

    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Lines of text
    Default,
    /// JSON
    Json,
    /// Tab-separated values
    Tsv,
}

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let ((_, collector), report, part) = args.common.read(files, Collector::collect)?;
    let counts = collector.finish();
    let text = match args.output_fmt {
        Format::Default => shown::text(&counts),
        Format::Json => with_part(shown::json(&counts), part.as_ref())?,
        Format::Tsv => shown::tsv(&counts),
    };
    output::finish(report, text)?;
    Ok(ExitCode::SUCCESS)
}

/// The JSON of a shard, which says what it is a part of.
fn with_part(mut json: String, part: Option<&Part>) -> Result<String> {
    if let Some(part) = part
        && let Some(end) = json.rfind("\n}")
    {
        json.insert_str(end, &format!(",\n \"shard\": {}", serde_json::to_string(part)?));
    }
    Ok(json)
}
