//! The plain face: decompressed bytes of any container through [`Read`] and [`BufRead`].

use std::io::{self, BufRead, Read};

use crate::bgzf::Inflater;
use crate::container::Container;
use crate::error::Error;
use crate::pieces::{Load, Pieces};
use crate::source::{Options, Source};

/// Decompresses on the calling thread.
pub struct Reader {
    pieces: Pieces,
    load: Load,
    inflater: Inflater,
    at: usize,
}

impl Reader {
    /// Opens `source` and recognises its container.
    ///
    /// # Errors
    /// If the first bytes can't be read.
    pub fn new(source: Source, options: &Options) -> Result<Reader, Error> {
        let pieces = Pieces::new(source, options)?;
        Ok(Reader { pieces, load: Load::new(), inflater: Inflater::new(), at: 0 })
    }

    /// The container of the input.
    pub fn container(&self) -> Container {
        self.pieces.container()
    }
}

impl BufRead for Reader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at == self.load.chunk.bytes().len() {
            self.load.check_intact()?;
            if let Some(error) = self.load.fault.take() {
                return Err(error.into());
            }
            if !self.pieces.pull(&mut self.load) {
                break;
            }
            self.load.prepare(&mut self.inflater);
            self.at = 0;
        }
        Ok(&self.load.chunk.bytes()[self.at..])
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
