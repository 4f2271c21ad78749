//! The text of parts that aren't copied as they are stored.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use biofast_io::Reader;
use biofast_io::output::{self, Output, Writer};

use super::copier::Copier;

/// Where the text of parts goes.
pub(super) struct TextSink {
    /// None where only its end matters.
    writer: Option<Writer>,
    /// Whether text came after the last line end.
    is_open: bool,
    fault: Option<output::Error>,
}

impl TextSink {
    /// Text is written to `output`, compressed as that says on so many threads; without one it is only looked at.
    pub(super) fn new(output: Option<Output>, threads: usize) -> Result<TextSink, output::Error> {
        let writer = output.map(|output| Writer::new(output, threads)).transpose()?;
        Ok(TextSink { writer, is_open: false, fault: None })
    }

    /// Takes text; `false` if there is no use in more of it.
    fn take(&mut self, text: &[u8]) -> bool {
        if let Some(last) = text.last() {
            self.is_open = *last != b'\n';
        }
        if let (None, Some(writer)) = (&self.fault, &mut self.writer) {
            self.fault = writer.append(text).err();
        }
        self.fault.is_none()
    }

    /// A part ends: the next one has a line of its own. Returns whether a line end was missing.
    ///
    /// # Errors
    /// If text couldn't be written.
    pub(super) fn end_part(&mut self) -> Result<bool, output::Error> {
        let is_open = self.is_open;
        if is_open {
            self.take(b"\n");
        }
        self.fault.take().map_or(Ok(is_open), Err)
    }

    /// The output with all text.
    ///
    /// # Errors
    /// If it couldn't be written.
    pub(super) fn into_output(self) -> Result<Option<Output>, output::Error> {
        self.writer.map(Writer::into_output).transpose()
    }
}

/// Gives the text of a part, of which a sink gets all.
pub(super) struct TextTee {
    pub(super) reader: Reader,
    pub(super) sink: Arc<Mutex<TextSink>>,
}

impl Read for TextTee {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(out)?;
        match lock(&self.sink).take(&out[..n]) {
            true => Ok(n),
            // It knows why.
            false => Err(io::Error::other("the text can't be written")),
        }
    }
}

/// Gives blocks that are made of text to the copier.
pub(super) struct BlocksOfText(pub(super) Arc<Mutex<Copier>>);

impl Write for BlocksOfText {
    fn write(&mut self, blocks: &[u8]) -> io::Result<usize> {
        match lock(&self.0).put(blocks) {
            true => Ok(blocks.len()),
            // It knows why.
            false => Err(io::Error::other("blocks can't be written")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
