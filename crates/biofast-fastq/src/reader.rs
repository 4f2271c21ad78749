//! The plain face: records one after the other.

use std::path::Path;
use std::sync::Arc;

use biofast_io::pipeline::Frames;
use biofast_io::{Container, Notes, Options, Source, Warning};

use crate::checks::Readable;
use crate::error::Error;
use crate::framer::{Framer, framed};
use crate::record::{Batch, Record};

/// Reads records in order on the calling thread. Ordinary gzip and the other serial containers
/// are decompressed on a second thread if the options allow two.
///
/// ```
/// use biofast_fastq::Reader;
/// use biofast_io::{Options, Source};
///
/// let source = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n"[..]);
/// let mut reader = Reader::new(source, &Options::default())?;
/// let mut bases = 0;
/// // A record is borrowed until the next one is asked for.
/// while let Some(read) = reader.next_record()? {
///     bases += read.sequence().len();
/// }
/// assert_eq!((reader.records_read(), bases), (2, 6));
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
///
/// `S` is what it reads from, which says what is checked.
pub struct Reader<S: Readable = Source> {
    name: String,
    notes: Arc<Notes>,
    frames: Frames<Framer<S>>,
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
}

impl<S: Readable> Reader<S> {
    /// Reads from `source`.
    ///
    /// # Errors
    /// If its first bytes can't be read.
    pub fn new(source: S, options: &Options) -> Result<Reader<S>, Error> {
        let (options, notes) = options.noted();
        let (source, framer) = framed(source, &options);
        let name = source.name().to_owned();
        Ok(Reader { name, notes, frames: Frames::new(source, &options, framer)?, next: 0 })
    }

    /// The name of the input.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What was odd about the data so far, without making them wrong, such as a missing end-of-file block of BGZF.
    pub fn warnings(&self) -> Vec<Warning> {
        self.notes.warnings()
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
