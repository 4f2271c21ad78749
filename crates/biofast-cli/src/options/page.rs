//! `--title`, and the output of an HTML report.

use std::path::Path;

use anyhow::Result;
use biofast_io::output::Output;

use crate::output;
use crate::session::Session;

#[derive(clap::Args, Debug)]
pub(crate) struct PageTitle {
    /// With --html: title of the HTML report, such as the name of the run and its date
    ///
    /// By default the title says what the report is about. The report itself names neither the time nor the number of threads,
    /// so that the same input always gives the same file.
    #[arg(long, value_name = "TEXT", requires = "html")]
    title: Option<String>,
}

impl PageTitle {
    /// Opens the report at `path`, if there is to be one.
    pub(crate) fn open(&self, session: &mut Session, path: Option<&Path>) -> Result<Option<Page>> {
        let output = output::optional_report(session, path)?;
        Ok(output.map(|output| Page { output, title: self.title.clone() }))
    }
}

/// An HTML report that isn't written yet.
pub(crate) struct Page {
    output: Output,
    title: Option<String>,
}

impl Page {
    /// The output, filled with what is made for this title.
    pub(crate) fn filled(
        self,
        html: impl FnOnce(Option<&str>) -> Result<String>,
    ) -> Result<Output> {
        Ok(output::filled(self.output, html(self.title.as_deref())?)?)
    }
}
