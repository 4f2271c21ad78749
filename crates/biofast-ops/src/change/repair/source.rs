//! An input that is read several times: a file, or what was read of a stream.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use biofast_io::{ErrorKind, Location, Options, Reader, Reread, Source};

use super::feed::Naming;
use crate::Error;
use crate::change::again::RereadInput;

/// The input.
pub(super) struct RepairInput {
    pub(super) name: String,
    content: RepairContent,
    pub(super) naming: Naming,
}

enum RepairContent {
    /// Not opened yet for the first time.
    File(Reread),
    Temporary(Arc<Mutex<File>>),
}

/// Bytes that are gathered before they are written.
const BUFFER: usize = 256 << 10;

impl RepairInput {
    /// Keeps a stream in a temporary file, whose length is returned, too.
    pub(super) fn new(
        input: RereadInput,
        options: &Options,
        folder: &Path,
    ) -> Result<(RepairInput, u64), Error> {
        let (source, file) = input.into_parts();
        let name = source.name().to_owned();
        if let Some(file) = file {
            return Ok((
                RepairInput { name, content: RepairContent::File(file), naming: Naming::Strict },
                0,
            ));
        }
        let mut reader = Reader::new(source, options).map_err(|e| Error::Reads(e.into()))?;
        let mut file = BufWriter::with_capacity(BUFFER, tempfile::tempfile_in(folder)?);
        let mut stored = 0;
        loop {
            let bytes = match io::BufRead::fill_buf(&mut reader) {
                Ok(bytes) => bytes,
                Err(error) => return Err(of_input(error, &name)),
            };
            if bytes.is_empty() {
                break;
            }
            file.write_all(bytes)?;
            let len = bytes.len();
            stored += len as u64;
            io::BufRead::consume(&mut reader, len);
        }
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let content = RepairContent::Temporary(Arc::new(Mutex::new(file)));
        Ok((RepairInput { name, content, naming: Naming::Strict }, stored))
    }

    /// Opens it, with what its names are.
    pub(super) fn named(&self) -> Result<(Source, Naming), Error> {
        Ok((self.open()?, self.naming))
    }

    /// Opens it.
    pub(super) fn open(&self) -> Result<Source, Error> {
        Ok(match &self.content {
            RepairContent::File(file) => file.open().map_err(|e| Error::Reads(e.into()))?,
            RepairContent::Temporary(file) => {
                Source::from_reader(&self.name, At { file: Arc::clone(file), position: 0 })
            }
        })
    }
}

impl RepairInput {
    /// An error if it has changed since it was first opened.
    pub(super) fn check(&self) -> Result<(), Error> {
        match &self.content {
            RepairContent::File(file) => file.check().map_err(|e| Error::Reads(e.into())),
            RepairContent::Temporary(_) => Ok(()),
        }
    }
}

/// The error of an input, as its reader told it.
fn of_input(error: io::Error, name: &str) -> Error {
    let error = match error.downcast::<biofast_io::Error>() {
        Ok(error) => error,
        Err(error) => {
            biofast_io::Error::new(ErrorKind::Io(error), Location::in_input(&name.into()))
        }
    };
    Error::Reads(error.into())
}

/// A reader of a file that others read, too.
struct At {
    file: Arc<Mutex<File>>,
    position: u64,
}

impl Read for At {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.position))?;
        let len = file.read(out)?;
        self.position += len as u64;
        Ok(len)
    }
}
