//! Records of one kind in a temporary file, written once and read back in the same order.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::Path;

use super::rows::read_or_end;

/// A kind of record: a head of fixed length, and as many bytes as the head says.
pub(in crate::change) trait Stored {
    /// The record itself.
    type Record<'a>;
    /// Bytes of the head.
    const HEAD: usize;

    /// Writes a record, and returns its length.
    fn write(record: &Self::Record<'_>, out: &mut impl Write) -> io::Result<u64>;

    /// How many bytes follow this head.
    fn rest(head: &[u8]) -> usize;

    /// The record of this head and of what follows it.
    fn read<'a>(head: &'a [u8], rest: &'a [u8]) -> Self::Record<'a>;
}

/// The number in eight bytes of a head, from `at` on.
pub(in crate::change) fn number_at(head: &[u8], at: usize) -> u64 {
    head.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Records on their way to a file.
pub(in crate::change) struct StoredWriter<S> {
    out: BufWriter<File>,
    bytes: u64,
    kind: PhantomData<fn() -> S>,
}

impl<S: Stored> StoredWriter<S> {
    /// A file in `folder`, with so long a buffer.
    pub(in crate::change) fn create(folder: &Path, buffer: usize) -> io::Result<StoredWriter<S>> {
        let out = BufWriter::with_capacity(buffer, tempfile::tempfile_in(folder)?);
        Ok(StoredWriter { out, bytes: 0, kind: PhantomData })
    }

    /// The file that is there, or one that is created now.
    pub(in crate::change) fn get_or_create<'w>(
        writer: &'w mut Option<StoredWriter<S>>,
        folder: &Path,
        buffer: usize,
    ) -> io::Result<&'w mut StoredWriter<S>> {
        match writer {
            Some(writer) => Ok(writer),
            none => Ok(none.insert(StoredWriter::create(folder, buffer)?)),
        }
    }

    /// Adds a record.
    #[inline]
    pub(in crate::change) fn add(&mut self, record: &S::Record<'_>) -> io::Result<()> {
        self.bytes += S::write(record, &mut self.out)?;
        Ok(())
    }

    /// Bytes that were added.
    pub(in crate::change) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What reads them, with a buffer of the same length.
    pub(in crate::change) fn into_reader(self) -> io::Result<StoredReader<S>> {
        let buffer = self.out.capacity();
        let mut file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        let reader = BufReader::with_capacity(buffer, file);
        Ok(StoredReader { reader, bytes: vec![0; S::HEAD], len: S::HEAD, kind: PhantomData })
    }
}

/// Records of a file, in the order they were added.
pub(in crate::change) struct StoredReader<S> {
    reader: BufReader<File>,
    /// The record that was read last, and what is left behind it of longer ones.
    bytes: Vec<u8>,
    len: usize,
    kind: PhantomData<fn() -> S>,
}

impl<S: Stored> StoredReader<S> {
    /// The next record.
    #[inline]
    pub(in crate::change) fn next(&mut self) -> io::Result<Option<S::Record<'_>>> {
        Ok(self.advance()?.then(|| self.current()))
    }

    /// Reads the next record, if there is one.
    #[inline]
    pub(in crate::change) fn advance(&mut self) -> io::Result<bool> {
        let (head, _) = self.bytes.split_at_mut(S::HEAD);
        if !read_or_end(&mut self.reader, head)? {
            return Ok(false);
        }
        // It was a length in memory.
        self.len = S::HEAD + S::rest(head);
        if self.bytes.len() < self.len {
            self.bytes.resize(self.len, 0);
        }
        self.reader.read_exact(&mut self.bytes[S::HEAD..self.len])?;
        Ok(true)
    }

    /// The record that was read last, of which there must be one.
    #[inline]
    pub(in crate::change) fn current(&self) -> S::Record<'_> {
        let (head, rest) = self.bytes[..self.len].split_at(S::HEAD);
        S::read(head, rest)
    }
}
