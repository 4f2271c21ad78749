//! The intact blocks of BGZF, and what is between them.

use std::io::{self, Read};

use biofast_io::bgzf::{Block, Inflater, Parsed, parse_header};
use memchr::memchr;
use serde::Serialize;

/// The most bytes a block takes in the file.
const MAX_BLOCK: usize = 1 << 16;
/// Bytes that are read at once.
const READ: usize = 1 << 18;

/// Bytes of a file that are no intact block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DamagedBytes {
    /// Where they start in the file.
    pub from: u64,
    /// Where the next intact block starts, or the file ends.
    pub to: u64,
    /// What is wrong with the block that should be there.
    pub reason: String,
}

/// What comes next in a file.
pub(super) enum FilePiece {
    /// The text of an intact block, and where that starts in the file.
    Block(u64, Vec<u8>),
    /// Text of a member of ordinary gzip, and where that starts in the file if it is the first of it.
    Text(Option<u64>, Vec<u8>),
    /// Bytes up to the next intact block, or to the end.
    Damaged(DamagedBytes),
}

/// Finds blocks: each is where the one before it ends, or where a search for the next one finds it.
pub(super) struct Blocks {
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// How much of the buffer is behind us, and where that is in the file.
    start: usize,
    at: u64,
    ended: bool,
    inflater: Inflater,
    /// A block that a search has found: its length in the file, and its text.
    found: Option<(usize, Vec<u8>)>,
}

impl Blocks {
    pub(super) fn new(reader: Box<dyn Read + Send>) -> Blocks {
        let inflater = Inflater::new();
        let buffer = Vec::new();
        Blocks { reader, buffer, start: 0, at: 0, ended: false, inflater, found: None }
    }

    /// The next piece; none at the end.
    ///
    /// # Errors
    /// If the file can't be read.
    pub(super) fn next(&mut self) -> io::Result<Option<FilePiece>> {
        if let Some(found) = self.found.take() {
            return Ok(Some(self.taken(found)));
        }
        self.fill()?;
        if self.rest().is_empty() {
            return Ok(None);
        }
        let reason = match self.block() {
            Ok(block) => return Ok(Some(self.taken(block))),
            Err(reason) => reason,
        };
        let from = self.at;
        self.skip(1);
        loop {
            self.fill()?;
            let rest = self.rest();
            match memchr(0x1f, rest) {
                Some(n) => self.skip(n),
                None if rest.is_empty() => break,
                None => {
                    self.skip(rest.len());
                    continue;
                }
            }
            self.fill()?;
            // What only looks like a block doesn't have the length and the CRC-32 that it says.
            if let Ok(block) = self.block() {
                self.found = Some(block);
                break;
            }
            self.skip(1);
        }
        Ok(Some(FilePiece::Damaged(DamagedBytes { from, to: self.at, reason })))
    }

    fn rest(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    fn skip(&mut self, bytes: usize) {
        self.start += bytes;
        self.at += bytes as u64;
    }

    fn taken(&mut self, (len, text): (usize, Vec<u8>)) -> FilePiece {
        let at = self.at;
        self.skip(len);
        FilePiece::Block(at, text)
    }

    /// Reads until any block is complete.
    fn fill(&mut self) -> io::Result<()> {
        while !self.ended && self.rest().len() < MAX_BLOCK {
            self.buffer.drain(..self.start);
            self.start = 0;
            let len = self.buffer.len();
            self.buffer.resize(len + READ, 0);
            let read = self.reader.read(&mut self.buffer[len..]);
            self.buffer.truncate(len + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(n) => self.ended = n == 0,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The block that starts here: its length in the file and its text, or what is wrong with it.
    fn block(&mut self) -> Result<(usize, Vec<u8>), String> {
        let bytes = &self.buffer[self.start..];
        let header = match parse_header(bytes) {
            Parsed::Block(header) => header,
            Parsed::Invalid(reason) => return Err(reason.into()),
            Parsed::NeedMore(_) if self.ended => return Err("the file ends inside a block".into()),
            Parsed::NeedMore(_) | Parsed::OtherGzip | Parsed::NotGzip => {
                return Err("no block starts here".into());
            }
        };
        if bytes.len() < header.block_len {
            return Err("the file ends inside a block".into());
        }
        let block = Block::new(bytes, 0, header, self.at)?;
        let mut text = vec![0; block.inflated_len];
        match self.inflater.inflate(bytes, &[block], &mut text) {
            Ok(_) => Ok((header.block_len, text)),
            Err(fault) => Err(fault.error.to_string()),
        }
    }
}
