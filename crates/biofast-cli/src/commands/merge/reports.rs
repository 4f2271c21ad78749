//! Reports of parts to the report of the whole.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use biofast::io::output::Files;
use biofast::ops::reads::Collector;
use biofast::ops::reads::report::{FileReport, Preamble, Report};

use super::Args;
use crate::commands::stats::{self, Entry, Figures, Wanted};
use crate::console::Trouble;
use crate::inputs::{self, Input};
use crate::output;

pub(super) fn run(args: &Args, inputs: &[Input], files: &mut Files) -> Result<ExitCode> {
    let report = args.out.open(files)?;
    let page = output::optional_report(files, args.html.as_deref())?;
    let mut entries = Vec::new();
    for input in inputs {
        let text = match input {
            Input::Path(path) => inputs::read(path)?,
            // Seen before: it isn't opened again.
            Input::Stdin(_) | Input::Unnamed(_) => bail!("a report is read from a file"),
        };
        let mut read = || -> Result<()> {
            let not_a_report = "not a report of `biofast stats --json`, nor alignments";
            let preamble: Preamble = serde_json::from_slice(&text).context(not_a_report)?;
            preamble.check()?;
            let older = "damaged, or made by an older biofast: run `biofast stats --json` again";
            let report: Report = serde_json::from_slice(&text).context(older)?;
            for file in report.files {
                entries.push(entry(file, args.sample.as_deref())?);
            }
            Ok(())
        };
        read().with_context(|| input.name())?;
    }
    let wanted = Wanted::new(args.format, args.html.is_some());
    let entries = stats::join_by_sample(entries, wanted);
    stats::report(&entries, false);
    let text = stats::text(&entries, args.format, false)?;
    stats::write(&entries, report, &text, page)
}

fn entry(file: FileReport, sample: Option<&str>) -> Result<Entry> {
    let collector =
        Collector::try_from(&file.statistics).with_context(|| format!("sample {}", file.sample))?;
    Ok(Entry {
        sample: sample.map_or(file.sample, str::to_owned),
        inputs: file.inputs,
        format: file.format,
        errors: file.error.into_iter().map(Trouble::new).collect(),
        warnings: file.warnings,
        pairs: None,
        figures: Figures::Collector(Box::new(collector)),
    })
}
