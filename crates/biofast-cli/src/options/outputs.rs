//! Where results go, and what is written about the run.

use std::borrow::Cow;
use std::path::Path;

use anyhow::Result;
use biofast::bam::Header;
use biofast::io::output::{Files, Output};

use super::OutFile;
use crate::output;

/// The file of a report.
#[derive(clap::Args)]
pub(crate) struct Out {
    /// Write to FILE instead of standard output; it appears only when complete
    #[arg(short, long, value_name = "FILE")]
    out: Option<OutFile>,
}

impl Out {
    /// The file; none for standard output.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Opens it.
    pub(crate) fn open(&self, files: &mut Files) -> Result<Output> {
        output::report(files, self.out.as_deref())
    }
}

/// What headers of alignments say about the run.
#[derive(clap::Args)]
pub(crate) struct Program {
    /// Don't add an @PG line for this run to the header
    #[arg(long = "no-PG", alias = "no-pg", action = clap::ArgAction::SetTrue)]
    no_program: bool,
}

impl Program {
    /// What makes of a header the one that is written.
    pub(crate) fn owned(&self) -> impl FnOnce(&Header) -> Header + Send + 'static {
        let own = Program { no_program: self.no_program };
        move |header| own.header(header).into_owned()
    }

    /// The header as it is written.
    pub(crate) fn header<'h>(&self, header: &'h Header) -> Cow<'h, Header> {
        match self.no_program {
            true => Cow::Borrowed(header),
            false => {
                let command_line = output::command_line();
                Cow::Owned(header.with_program(&output::program(&command_line)))
            }
        }
    }
}
