//! `biofast merge`: reports of parts to the report of the whole.

use std::process::ExitCode;

use anyhow::{Context, Result};
use biofast::io::output::Files;
use biofast::ops::reads::Collector;
use biofast::ops::reads::report::{FileReport, Preamble, Report};

use super::stats::{self, Entry, Figures, Format, Wanted};
use crate::console::Trouble;
use crate::options::{InFile, Out, OutFile};
use crate::{inputs, output};

/// Merge JSON reports of `biofast stats`: the result equals one run over all inputs
///
/// Rows of the same sample become one. With --sample, all rows do.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast merge lane1.json lane2.json --json -o both.json
  biofast merge --sample patient7 lane1.json lane2.json")]
pub(crate) struct Args {
    /// Reports written by `biofast stats --json`
    #[arg(required = true, value_name = "REPORT")]
    reports: Vec<InFile>,

    /// Merge everything into one row of this name
    #[arg(long, value_name = "NAME")]
    sample: Option<String>,

    #[command(flatten)]
    format: Format,

    /// Also write a report for the browser to FILE, as `biofast stats --html`
    #[arg(long, value_name = "FILE")]
    html: Option<OutFile>,

    #[command(flatten)]
    out: Out,
}

pub(crate) fn run(args: &Args, files: &mut Files) -> Result<ExitCode> {
    let report = args.out.open(files)?;
    let page = output::optional_report(files, args.html.as_deref())?;
    let mut entries = Vec::new();
    for path in &args.reports {
        let text = inputs::read(path)?;
        let mut read = || -> Result<()> {
            let not_a_report = "not a report of `biofast stats --json`";
            let preamble: Preamble = serde_json::from_slice(&text).context(not_a_report)?;
            preamble.check()?;
            let older = "damaged, or made by an older biofast: run `biofast stats --json` again";
            let report: Report = serde_json::from_slice(&text).context(older)?;
            for file in report.files {
                entries.push(entry(file, args.sample.as_deref())?);
            }
            Ok(())
        };
        read().with_context(|| path.display().to_string())?;
    }
    let entries = stats::join_by_sample(entries, Wanted::new(args.format, args.html.is_some()));
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
        errors: file.error.into_iter().map(Trouble::new).collect(),
        warnings: file.warnings,
        pairs: None,
        figures: Figures::Collector(Box::new(collector)),
    })
}
