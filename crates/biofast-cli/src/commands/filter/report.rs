//! What is said and written about a run of `biofast filter`.

use anyhow::Result;
use biofast::io::Escaped;
use biofast::io::output::{Files, Output, commit};
use biofast::ops::filter::fastp;
use biofast::ops::filter::names::ListedNames;
use biofast::ops::filter::report::Report;
use biofast::ops::show;

use super::Args;
use crate::console::{message, say};
use crate::output;

/// The reports of a run, which appear together with its records.
pub(super) struct Reports {
    html: Option<Output>,
    json: Option<Output>,
    fastp: Option<Output>,
    /// What fastp's report says, if it is wanted.
    counted: Option<fastp::Report>,
}

impl Reports {
    /// Opens those that are wanted.
    pub(super) fn open(args: &Args, files: &mut Files) -> Result<Reports> {
        let html = output::optional_report(files, args.html.as_deref())?;
        let json = output::optional_report(files, args.json.as_deref())?;
        let fastp = args.preset.open(files)?;
        Ok(Reports { html, json, fastp, counted: None })
    }

    /// How many are wanted.
    pub(super) fn len(&self) -> usize {
        self.html.iter().chain(&self.json).chain(&self.fastp).count()
    }

    /// Whether fastp's report is wanted.
    pub(super) fn are_for_fastp(&self) -> bool {
        self.fastp.is_some()
    }

    /// Fills fastp's report.
    pub(super) fn fill_for_fastp(&mut self, report: fastp::Report) -> Result<()> {
        if let Some(fastp) = self.fastp.take() {
            let text = serde_json::to_string_pretty(&report)? + "\n";
            self.fastp = Some(output::filled(fastp, text)?);
            self.counted = Some(report);
        }
        Ok(())
    }

    /// Fills them, makes all outputs appear, and says what was done.
    pub(super) fn finish(
        self,
        args: &Args,
        mut report: Report,
        mut outputs: Vec<Output>,
    ) -> Result<()> {
        if let Some(html) = self.html {
            let json = serde_json::to_string(&report)?;
            let page = show::html::filter(&report, &json, self.counted.as_ref());
            outputs.push(output::filled(html, page)?);
            if !args.stats {
                // The curves were gathered for the page alone.
                report.curves = None;
            }
        }
        if let Some(json) = self.json {
            report.command = output::command_line_at(args.json.as_deref());
            let text = serde_json::to_string_pretty(&report)? + "\n";
            outputs.push(output::filled(json, text)?);
        }
        outputs.extend(self.fastp);
        commit(outputs, args.sync)?;
        if !args.messages.quiet {
            say(&show::filter::text(&report));
        }
        Ok(())
    }
}

/// Says which of the listed names there were none of.
pub(super) fn warn_of_absent(args: &Args, listed: Option<&ListedNames>) {
    let Some(ListedNames { listed, found, first_absent: Some(name) }) = listed else { return };
    if !args.messages.quiet {
        let name = Escaped(name.as_bytes());
        let absent = listed - found;
        let warning = format!(
            "{absent} of {listed} listed names are not among the reads that were looked at, such as '{name}'"
        );
        message("warning", &warning);
    }
}
