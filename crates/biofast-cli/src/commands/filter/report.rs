//! What is said and written about a run of `biofast filter`.

use anyhow::Result;
use biofast_io::output::{Output, commit};
use biofast_ops::filter::fastp;
use biofast_ops::filter::report::FilterReport;
use biofast_ops::filter::trim_galore::GaloreCounts;
use biofast_report::trim_galore::{self, GaloreSettings};

use super::Args;
use crate::options::Page;
use crate::output;
use crate::session::Session;

/// The reports of a run, which appear together with its records.
pub(super) struct FilterReports {
    html: Option<Page>,
    json: Option<Output>,
    fastp: Option<Output>,
    /// Trim Galore's, of first and of second reads.
    galore: [Option<Output>; 2],
    /// What fastp's report says, if it is wanted.
    counted: Option<fastp::FastpReport>,
}

impl FilterReports {
    /// Opens those that are wanted.
    pub(super) fn open(args: &Args, session: &mut Session) -> Result<FilterReports> {
        let html = args.title.open(session, args.html.as_deref())?;
        let json = output::optional_report(session, args.json.as_deref())?;
        let fastp = args.preset.open(session)?;
        let galore = args.preset.open_of_galore(session)?;
        Ok(FilterReports { html, json, fastp, galore, counted: None })
    }

    /// How many are wanted.
    pub(super) fn len(&self) -> usize {
        let texts = self.json.iter().chain(&self.fastp).chain(self.galore.iter().flatten());
        usize::from(self.html.is_some()) + texts.count()
    }

    /// Whether fastp's report is wanted.
    pub(super) fn are_for_fastp(&self) -> bool {
        self.fastp.is_some()
    }

    /// Fills fastp's report.
    pub(super) fn fill_for_fastp(&mut self, report: fastp::FastpReport) -> Result<()> {
        if let Some(fastp) = self.fastp.take() {
            let text = serde_json::to_string_pretty(&report)? + "\n";
            self.fastp = Some(output::filled(fastp, text)?);
            self.counted = Some(report);
        }
        Ok(())
    }

    /// Fills Trim Galore's reports.
    pub(super) fn fill_for_galore(
        &mut self,
        settings: &GaloreSettings,
        counts: &GaloreCounts,
    ) -> Result<()> {
        for (mate, report) in self.galore.iter_mut().enumerate() {
            if let Some(empty) = report.take() {
                *report = Some(output::filled(empty, trim_galore::text(settings, counts, mate))?);
            }
        }
        Ok(())
    }

    /// Fills them, makes all outputs appear, and says what was done.
    pub(super) fn finish(
        self,
        session: &Session,
        args: &Args,
        mut report: FilterReport,
        mut outputs: Vec<Output>,
    ) -> Result<()> {
        if let Some(html) = self.html {
            let json = serde_json::to_string(&report)?;
            let page = |title: Option<&str>| {
                Ok(biofast_report::html::filter(title, &report, &json, self.counted.as_ref()))
            };
            outputs.push(html.filled(page)?);
            if !args.stats {
                // The curves were gathered for the page alone.
                report.curves = None;
            }
        }
        if let Some(json) = self.json {
            report.command = output::command_line_at(session.command_line(), args.json.as_deref());
            let text = serde_json::to_string_pretty(&report)? + "\n";
            outputs.push(output::filled(json, text)?);
        }
        outputs.extend(self.fastp);
        outputs.extend(self.galore.into_iter().flatten());
        commit(outputs, args.sync)?;
        if !args.reading.messages.quiet {
            session.console.say(&biofast_report::filter::text(&report));
        }
        Ok(())
    }
}
