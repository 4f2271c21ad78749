//! `biofast check --repair`: whole records of a damaged file.

use anyhow::{Result, bail};
use biofast_io::output::{Compression, Format, commit};
use biofast_io::{Container, Options, Reader, Reread};
use biofast_ops::cat::CatContent;
use biofast_ops::number::{counted, grouped};
use biofast_ops::salvage::{Salvage, SalvageSummary};

use super::Args;
use crate::console::Console;
use crate::inputs::{Input, header_of};
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
    let mut salvage = match intact_reads(&input)? {
        Some(text) => Salvage::of_reads(&input.name(), text),
        None => Salvage::open(&input.name(), input.stored()?),
    }
    .map_err(output::failed)?;
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
    if args.skipped.is_some() && salvage.content() == CatContent::Bam {
        bail!("--skipped has no effect: {} holds alignments", input.name());
    }
    let report = output::optional_report(session, args.summary.as_deref())?;
    let mut skipped = output::optional_report(session, args.skipped.as_deref())?;
    output::outlast_readers(&mut outputs, report.iter().len() + skipped.iter().len());
    let summary = salvage.run(&mut outputs[0], skipped.as_mut()).map_err(output::failed)?;
    if let Some(report) = report {
        let text = output::summary(&session.command_line(), serde_json::to_value(&summary)?)?;
        outputs.push(output::filled(report, text)?);
    }
    outputs.extend(skipped);
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

/// The text of a file of reads in BGZF or gzip, if all of it can be decompressed, as one reading of it says: then only records can be
/// broken. [`Salvage::open`] sees this itself of what isn't compressed so.
fn intact_reads(input: &Input) -> Result<Option<Reader>> {
    let Input::Path(path) = input else { return Ok(None) };
    let file = Reread::new(path);
    let (options, notes) = Options::default().noted();
    let mut source = file.open()?;
    let are_reads = source.peek(1).is_ok_and(|start| start == b"@");
    let mut text = Reader::new(source, &options)?;
    let is_compressed = matches!(text.container(), Container::Bgzf | Container::Gzip);
    if !is_compressed || !are_reads {
        return Ok(None);
    }
    // Nor may anything be odd about it, such as a missing end-of-file block.
    match std::io::copy(&mut text, &mut std::io::sink()) {
        Ok(_) if notes.warnings().is_empty() => {
            Ok(Some(Reader::new(file.open()?, &Options::default())?))
        }
        _ => Ok(None),
    }
}

/// Says what is missing.
fn tell(console: &Console, name: &str, summary: &SalvageSummary, is_gzip: bool) {
    for missing in summary.missing.iter().take(LISTED) {
        console.warning(&format!("{name}: {}", missing.in_words(is_gzip)));
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
