//! The files that are read.

use anyhow::{Result, bail};

use super::InFile;
use crate::inputs::{self, Input};
use crate::session::Session;

/// One file of alignments.
#[derive(clap::Args)]
pub(crate) struct OneFile {
    /// BAM, SAM or CRAM file; use '-' or no FILE for standard input
    #[arg(value_name = "FILE")]
    file: Option<InFile>,
}

impl OneFile {
    /// What is named, if anything is.
    pub(crate) fn named(&self) -> &[InFile] {
        self.file.as_slice()
    }

    /// The input. It is kept from being replaced, and its index with it.
    pub(crate) fn input(&self, session: &mut Session) -> Result<Input> {
        let mut inputs = inputs::gather(self.file.as_slice(), None, "-", session)?;
        match inputs.pop() {
            Some(input) if inputs.is_empty() => Ok(input),
            _ => bail!("expected one input, but the pattern matches {} files", inputs.len() + 1),
        }
    }
}

/// Any number of files.
#[derive(clap::Args)]
pub(crate) struct ManyFiles {
    /// Input files; use '-' or no FILE for standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<InFile>,

    /// Read more input file names from FILE, one per line
    #[arg(short = 'X', long, value_name = "FILE")]
    pub(crate) files_from: Option<InFile>,

    /// Name for standard input in the results
    #[arg(long, value_name = "LABEL", default_value = "-")]
    pub(crate) stdin_label: String,
}

impl ManyFiles {
    /// The inputs. They are kept from being replaced, and their indexes with them.
    pub(crate) fn inputs(&self, session: &mut Session) -> Result<Vec<Input>> {
        self.or(&self.files, session)
    }

    /// The same with `named` in the place of the files on the command line.
    pub(crate) fn or(
        &self,
        named: &[impl AsRef<std::path::Path>],
        session: &mut Session,
    ) -> Result<Vec<Input>> {
        let inputs = inputs::gather(named, self.files_from.as_deref(), &self.stdin_label, session)?;
        Ok(inputs)
    }
}
