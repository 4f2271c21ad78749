//! The plain face: decompressed bytes of any container through [`Read`] and [`BufRead`].

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use super::chunker::{ChunkBuffer, Chunker};
use crate::container::bgzf::Inflater;
use crate::error::Error;
use crate::input::{Container, Notes, Options, Source};

/// Decompresses on the calling thread.
///
/// ```
/// use biofast_io::{Container, Options, Reader, Source, bgzf};
/// use std::io::{BufRead, Cursor};
///
/// let file = Cursor::new(bgzf::compress(b"one\ntwo\n"));
/// let reader = Reader::new(Source::from_reader("example", file), &Options::default())?;
/// assert_eq!(reader.container(), Container::Bgzf);
/// let lines = reader.lines().collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(lines, ["one", "two"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reader {
    chunker: Chunker,
    buffer: ChunkBuffer,
    inflater: Inflater,
    at: usize,
    ended: bool,
    notes: Option<Arc<Notes>>,
}

impl Reader {
    /// Opens `source` and recognises its container.
    ///
    /// # Errors
    /// If the first bytes can't be read.
    pub fn new(source: Source, options: &Options) -> Result<Reader, Error> {
        let chunker = Chunker::new(source, options)?;
        Ok(Reader {
            chunker,
            buffer: ChunkBuffer::new(),
            inflater: Inflater::new(),
            at: 0,
            ended: false,
            notes: options.notes.clone(),
        })
    }

    /// Takes the next chunk, after what has to be said about the one before.
    fn advance(&mut self) -> Result<(), Error> {
        self.buffer.check_intact()?;
        if let Some(error) = self.buffer.take_fault() {
            return Err(error);
        }
        if let (Some(warning), Some(notes)) = (self.buffer.warning.take(), &self.notes) {
            notes.warn(warning);
        }
        self.ended = !self.chunker.pull(&mut self.buffer);
        if !self.ended {
            self.buffer.prepare(&mut self.inflater);
            self.at = 0;
        }
        Ok(())
    }

    /// The container of the input.
    pub fn container(&self) -> Container {
        self.chunker.container()
    }
}

impl BufRead for Reader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at == self.buffer.chunk.bytes().len() && !self.ended {
            if let Err(error) = self.advance() {
                // Nothing behind a fault is delivered.
                self.ended = true;
                return Err(error.into());
            }
        }
        Ok(&self.buffer.chunk.bytes()[self.at..])
    }

    fn consume(&mut self, n: usize) {
        self.at += n;
    }
}

impl Read for Reader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?;
        let n = bytes.len().min(out.len());
        out[..n].copy_from_slice(&bytes[..n]);
        self.consume(n);
        Ok(n)
    }
}
