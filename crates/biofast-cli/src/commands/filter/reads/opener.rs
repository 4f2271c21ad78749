//! Outputs on their way to be opened.

use std::path::Path;

use anyhow::{Result, bail};
use biofast_io::output::{Compression, Format};

use crate::commands::filter::args::{Args, FilterFormat};
use crate::options::OutputSet;
use crate::output;
use crate::session::Session;

/// The outputs that were opened so far.
pub(super) struct All<'a> {
    pub(super) args: &'a Args,
    pub(super) session: &'a mut Session,
    /// There are more files than may be open: they are open only while they are written to.
    pub(super) closes: bool,
    pub(super) written: OutputSet,
}

impl All<'_> {
    fn compression(&self, default: Format) -> Result<Compression> {
        let format = match self.args.output_format {
            Some(FilterFormat::Reads(format)) => format,
            Some(_) => bail!("-O sam and -O bam apply to alignments, but the input holds reads"),
            None => default,
        };
        match self.written.outputs.is_empty() {
            true => output::compression(format, self.args.level),
            false => Ok(Compression::new(format, self.args.level)?),
        }
    }

    pub(super) fn file(&mut self, path: &Path) -> Result<usize> {
        let named = output::format_of_reads(path)?;
        if let Some(FilterFormat::Reads(format)) = self.args.output_format {
            output::refuse_other_compression(Some(path), Some(format), "-O")?;
        }
        let compression = self.compression(named)?;
        let mut output = output::records(self.session, Some(path), compression)?;
        if self.args.write_index.is_some()
            && output.is_file()
            && compression.format() == Format::Bgzf
        {
            let mut index = path.as_os_str().to_owned();
            index.push(".gzi");
            let index = output::report(self.session, Some(Path::new(&index)))?;
            output = output.with_gzi(index)?;
        }
        if self.closes {
            output = output.closed_between_writes()?;
        }
        Ok(self.written.push(output, Some(path)))
    }

    pub(super) fn stdout(&mut self) -> Result<usize> {
        let compression = self.compression(Format::Plain)?;
        let output = output::records(self.session, None, compression)?;
        Ok(self.written.push(output, None))
    }
}
