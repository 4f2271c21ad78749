//! The plain face: records one after the other.

use std::path::Path;

use biofast_io::pipeline::Frames;
use biofast_io::{Container, Options, Source};

use crate::error::Error;
use crate::framer::Framer;
use crate::record::{Batch, Record};

/// Reads records in order on the calling thread. Ordinary gzip and the other serial containers
/// are decompressed on a second thread if the options allow two.
pub struct Reader {
    frames: Frames<Framer>,
    next: usize,
}

impl Reader {
    /// Opens the file at `path` with default options.
    ///
    /// # Errors
    /// If it can't be opened or its first bytes can't be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Reader, Error> {
        Reader::new(Source::open(path)?, &Options::default())
    }

    /// Reads from `source`.
    ///
    /// # Errors
    /// If its first bytes can't be read.
    pub fn new(source: Source, options: &Options) -> Result<Reader, Error> {
        let framer = Framer::new(source.name(), options);
        Ok(Reader { frames: Frames::new(source, options, framer)?, next: 0 })
    }

    /// The container of the input.
    pub fn container(&self) -> Container {
        self.frames.container()
    }

    /// The next record, or `None` at the end of the data.
    ///
    /// # Errors
    /// The first fault of the input, after all records before it. Calls after that return
    /// `None`.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Error> {
        while self.next == self.batch().len() {
            if !self.frames.advance()? {
                return Ok(None);
            }
            self.next = 0;
        }
        self.next += 1;
        Ok(Some(self.batch().get(self.next - 1)))
    }

    /// The number of records delivered so far.
    pub fn records_read(&self) -> u64 {
        self.batch().first_record() + self.next as u64
    }

    fn batch(&self) -> Batch<'_> {
        let (chunk, frame) = self.frames.current();
        frame.batch(chunk)
    }
}
