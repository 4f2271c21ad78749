//! The files that are read.

use anyhow::{Result, bail};
use biofast::io::output::Files;

use super::InFile;
use crate::inputs::{self, Input};

/// One file of alignments.
#[derive(clap::Args)]
pub(crate) struct OneFile {
    /// The BAM, SAM or CRAM file; '-' is standard input, which is also read when no file is named
    #[arg(value_name = "FILE")]
    file: Option<InFile>,
}

impl OneFile {
    /// What is named, if anything is.
    pub(crate) fn named(&self) -> &[InFile] {
        self.file.as_slice()
    }

    /// The input. It is kept from being replaced, and its index with it.
    pub(crate) fn input(&self, files: &mut Files) -> Result<Input> {
        let mut inputs = inputs::gather(self.file.as_slice(), None, "-", files)?;
        match inputs.pop() {
            Some(input) if inputs.is_empty() => Ok(input),
            _ => bail!("one input is expected, but the pattern matches {} files", inputs.len() + 1),
        }
    }
}

/// Any number of files.
#[derive(clap::Args)]
pub(crate) struct ManyFiles {
    /// Files of reads or alignments; '-' is standard input, which is also read when no file is named
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<InFile>,

    /// Read more file names from FILE, one per line
    #[arg(short = 'X', long, value_name = "FILE")]
    pub(crate) files_from: Option<InFile>,

    /// Name of standard input in the results
    #[arg(long, value_name = "LABEL", default_value = "-")]
    pub(crate) stdin_label: String,
}

impl ManyFiles {
    /// The inputs. They are kept from being replaced, and their indexes with them.
    pub(crate) fn inputs(&self, files: &mut Files) -> Result<Vec<Input>> {
        self.or(&self.files, files)
    }

    /// The same with `named` in the place of the files on the command line.
    pub(crate) fn or(
        &self,
        named: &[impl AsRef<std::path::Path>],
        files: &mut Files,
    ) -> Result<Vec<Input>> {
        let inputs = inputs::gather(named, self.files_from.as_deref(), &self.stdin_label, files)?;
        Ok(inputs)
    }
}
