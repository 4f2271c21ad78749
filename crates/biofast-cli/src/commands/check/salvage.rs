//! `biofast check --repair`: whole records of a damaged file.

use anyhow::{Result, bail};
use biofast_io::bgzf::VirtualOffset;
use biofast_io::output::{Compression, Format, commit};
use biofast_ops::cat::CatContent;
use biofast_ops::number::{counted, grouped};
use biofast_ops::salvage::{MissingInterval, NeighborRecord, Salvage, SalvageSummary};

use super::Args;
use crate::console::Console;
use crate::inputs::header_of;
use crate::output;
use crate::session::{Exit, Session};

/// Intervals that are listed on standard error; a summary has all.
const LISTED: usize = 100;

pub(super) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let mut inputs = args.inputs.inputs(session)?;
    let input = match (inputs.pop(), inputs.len()) {
        (Some(input), 0) => input,
        (_, others) => bail!("--repair needs one file, but {} are named", others + 1),
    };
    let mut salvage = Salvage::open(&input.name(), input.stored()?).map_err(output::failed)?;
    if let Some(path) = &args.header {
        salvage = salvage.with_header(header_of(path)?);
        if salvage.content() == CatContent::Fastq {
            bail!("--header has no effect: {} holds reads", input.name());
        }
    }
    let is_gzip = salvage.is_gzip();
    let path = args.out.path();
    let format = match (salvage.content(), path) {
        (CatContent::Bam, Some(path)) => output::format_of_bam(path)?,
        (CatContent::Bam, None) => Format::Bgzf,
        (CatContent::Fastq, path) => output::format_of_optional(path, false)?,
    };
    let mut outputs = vec![output::records(session, path, Compression::new(format, None)?)?];
    let report = output::optional_report(session, args.summary.as_deref())?;
    output::outlast_readers(&mut outputs, report.iter().len());
    let summary = salvage.run(&mut outputs[0]).map_err(output::failed)?;
    if let Some(report) = report {
        let text = output::summary(&session.command_line(), serde_json::to_value(&summary)?)?;
        outputs.push(output::filled(report, text)?);
    }
    commit(outputs, false)?;
    tell(&session.console, &input.in_words(), &summary, is_gzip);
    let written = counted(summary.records, "record");
    match summary.is_complete() {
        true if args.messages.quiet => {}
        true => session.console.note(&format!("nothing is missing; {written} written")),
        false => session.console.warning(&format!("{written} written, but not all of the file")),
    }
    Ok(if summary.is_complete() { Exit::Fine } else { Exit::CheckFailed })
}

/// Says what is missing.
fn tell(console: &Console, name: &str, summary: &SalvageSummary, is_gzip: bool) {
    for missing in summary.missing.iter().take(LISTED) {
        console.warning(&format!("{name}: {}", in_words(missing, is_gzip)));
    }
    if is_gzip && !summary.missing.is_empty() {
        console.warning(&format!(
            "{name}: ordinary gzip has one checksum for each member: records of a damaged one may be altered"
        ));
    }
    if summary.missing.len() > LISTED {
        let more = grouped((summary.missing.len() - LISTED) as u64);
        console.warning(&format!("{name}: {more} more intervals are missing"));
        console.hint("--summary FILE lists all of them");
    }
    if !summary.has_end_marker {
        console.warning(&format!(
            "{name}: the BGZF end-of-file block is missing: the file may have been truncated"
        ));
    }
}

fn in_words(missing: &MissingInterval, is_gzip: bool) -> String {
    let from = VirtualOffset::from(missing.from);
    let mut text = match missing.to {
        // It has no virtual offsets.
        Some(_) if is_gzip => "records are missing".to_owned(),
        None if is_gzip => "records are missing at the end".to_owned(),
        Some(to) => format!("records are missing between {from} and {}", VirtualOffset::from(to)),
        None => format!("records are missing from {from} to the end"),
    };
    let neighbor = |record: &NeighborRecord| match &record.position {
        Some(position) => format!("{} at {position}", record.name),
        None => record.name.clone(),
    };
    match (&missing.after, &missing.before) {
        (Some(after), Some(before)) => {
            text += &format!(", after {} and before {}", neighbor(after), neighbor(before));
        }
        (Some(after), None) => text += &format!(", after {}", neighbor(after)),
        (None, Some(before)) => text += &format!(", before {}", neighbor(before)),
        (None, None) => {}
    }
    let damaged = missing.damaged.iter().map(|damaged| {
        format!("bytes {} to {} are damaged: {}", damaged.from, damaged.to, damaged.reason)
    });
    let damaged: Vec<String> = damaged.collect();
    match damaged.is_empty() {
        true if is_gzip => text + " (the rest of a member behind what is no whole record)",
        true => text + " (the blocks are intact, but what they hold is no whole record)",
        false => format!("{text} ({})", damaged.join("; ")),
    }
}
