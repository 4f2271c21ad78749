//! Where results go, and what is written about the run.

use std::borrow::Cow;
use std::path::Path;

use anyhow::Result;
use biofast_bam::Header;
use biofast_io::display_name;
use biofast_io::output::Output;

use super::OutFile;
use crate::console::Hinted;
use crate::output;
use crate::session::Session;

/// The file of a report.
#[derive(clap::Args)]
pub(crate) struct Out {
    /// Write the output to FILE [default: standard output]
    ///
    /// FILE is created only if the command succeeds.
    #[arg(short, long, value_name = "FILE")]
    out: Option<OutFile>,
}

impl Out {
    /// The file; none for standard output.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Opens it for a table, or for JSON if that was asked for.
    pub(crate) fn open_as(&self, is_json: bool, session: &mut Session) -> Result<Output> {
        let output = self.open(session)?;
        if !is_json {
            self.refuse_json("--json")?;
        }
        Ok(output)
    }

    /// Refuses a name that promises JSON, which only this option writes.
    pub(crate) fn refuse_json(&self, option: &str) -> Result<()> {
        match &self.out {
            Some(path) if output::has_extension(Some(path), "json") => Err(Hinted::error(
                format!("{} would hold a table, not JSON", display_name(path)),
                format!("add {option}, or choose another extension"),
            )),
            _ => Ok(()),
        }
    }

    /// Opens it.
    pub(crate) fn open(&self, session: &mut Session) -> Result<Output> {
        output::refuse_document(self.out.as_deref())?;
        output::report(session, self.out.as_deref())
    }
}

/// What headers of alignments say about the run.
#[derive(clap::Args)]
pub(crate) struct ProgramLineArgs {
    /// Don't add an @PG line for this run to the header
    #[arg(long = "no-PG", alias = "no-pg", action = clap::ArgAction::SetTrue)]
    no_program: bool,
}

impl ProgramLineArgs {
    /// Whether the option is given.
    pub(crate) fn given(&self) -> bool {
        self.no_program
    }

    /// What makes of a header the one that is written.
    pub(crate) fn owned(
        &self,
        session: &Session,
    ) -> impl FnOnce(&Header) -> Header + Send + 'static {
        let command_line = (!self.no_program).then(|| session.command_line());
        move |header| written(header, command_line.as_deref()).into_owned()
    }

    /// The header as it is written.
    pub(crate) fn header<'h>(&self, header: &'h Header, session: &Session) -> Cow<'h, Header> {
        let command_line = (!self.no_program).then(|| session.command_line());
        written(header, command_line.as_deref())
    }
}

/// A header with a line for this command, if one is wanted.
fn written<'h>(header: &'h Header, command_line: Option<&str>) -> Cow<'h, Header> {
    match command_line {
        Some(line) => Cow::Owned(header.with_program(&output::program(line))),
        None => Cow::Borrowed(header),
    }
}
