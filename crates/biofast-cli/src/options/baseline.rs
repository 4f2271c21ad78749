//! Reports of the past: `--baseline`.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use biofast_io::output::SeenFiles;
use biofast_io::{TextBounds, display_name};
use biofast_ops::alignments::report::{self as alignments, AlignmentReport};
use biofast_ops::reads::report::{self as reads, ReadReport};
use biofast_ops::verdicts::History;

use super::InFile;
use crate::console::Hinted;
use crate::inputs::{self, Input};
use crate::session::Session;

/// A report of `biofast stats --json`.
pub(crate) enum StatsReport {
    Reads(ReadReport),
    Alignments(AlignmentReport),
}

impl StatsReport {
    /// Reads a report; an error says why the text isn't one.
    pub(crate) fn read(text: &[u8]) -> Result<StatsReport> {
        #[derive(serde::Deserialize)]
        struct Named {
            schema: String,
        }
        const NOT_A_REPORT: &str = "not a report of `biofast stats --json`";
        const AGAIN: &str =
            "damaged, or written by an older version of biofast: run `biofast stats --json` again";
        let named: Named = serde_json::from_slice(text).context(NOT_A_REPORT)?;
        if named.schema == alignments::SCHEMA {
            let preamble: alignments::AlignmentPreamble =
                serde_json::from_slice(text).context(NOT_A_REPORT)?;
            preamble.check().context("run `biofast stats --json` again")?;
            return Ok(StatsReport::Alignments(serde_json::from_slice(text).context(AGAIN)?));
        }
        let preamble: reads::Preamble = serde_json::from_slice(text).context(NOT_A_REPORT)?;
        preamble.check()?;
        Ok(StatsReport::Reads(serde_json::from_slice(text).context(AGAIN)?))
    }
}

/// What samples are compared with.
#[derive(clap::Args)]
pub(crate) struct BaselineArg {
    /// Compare each sample with those of earlier `biofast stats --json` reports: a file, a folder, or a quoted pattern
    ///
    /// Samples are compared with at least 15 of the same kind: reads or alignments, first or second reads or
    /// unpaired, and --library of both runs. A value 4 robust standard deviations from their median is a warning, and
    /// at 6 on the bad side a failure. May be given several times.
    #[arg(long, value_name = "REPORTS")]
    baseline: Vec<InFile>,
}

impl BaselineArg {
    /// Whether there are some.
    pub(crate) fn is_given(&self) -> bool {
        !self.baseline.is_empty()
    }

    /// The samples of all reports that are named, if any are.
    pub(super) fn history(&self, session: &mut Session) -> Result<Option<History>> {
        match self.is_given() {
            true => history(&self.baseline, session).map(Some),
            false => Ok(None),
        }
    }
}

/// The samples of reports: files, patterns, and folders with files in them.
fn history(named: &[InFile], session: &mut Session) -> Result<History> {
    let patterns: Vec<PathBuf> = named
        .iter()
        .map(|path| match path.is_dir() {
            true => {
                let folder = glob::Pattern::escape(&path.to_string_lossy());
                PathBuf::from(folder).join("*.json")
            }
            false => path.to_path_buf(),
        })
        .collect();
    let mut history = History::default();
    // A folder may hold what a pattern or another name holds, too.
    let mut seen = SeenFiles::default();
    for input in inputs::gather(&patterns, None, "-", session)? {
        let name = input.name();
        let Input::Path(path) = input else { bail!("{name}: reports must be files") };
        if path.to_string_lossy().contains('*') && !path.exists() {
            let hint = "name reports of `biofast stats --json`, or a folder of them";
            return Err(Hinted::error(format!("{}: no such report", display_name(&path)), hint));
        }
        if !seen.insert(&path) {
            continue;
        }
        let text = inputs::text(&path, TextBounds::DOCUMENT)?;
        match StatsReport::read(&text).with_context(|| name)? {
            StatsReport::Reads(report) => {
                report.files.iter().for_each(|file| history.add_reads(file));
            }
            StatsReport::Alignments(report) => {
                report.files.iter().for_each(|file| history.add_alignments(file));
            }
        }
    }
    Ok(history)
}
