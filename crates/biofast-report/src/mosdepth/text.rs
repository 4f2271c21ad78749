//! Lines of BED in BGZF, with their index.

use biofast_bam::Error;
use biofast_bam::index::LineIndexer;
use biofast_io::output::{Output, Writer};

/// Text that is handed over at once.
const TEXT: usize = 64 << 10;

/// A BED file that is written line by line.
pub(super) struct BedLines {
    writer: Writer,
    index: LineIndexer,
    index_output: Output,
    text: Vec<u8>,
    /// Where the line starts that is being written.
    line: usize,
    /// Whether something couldn't be written: that is said in the end.
    failed: Option<Error>,
}

impl BedLines {
    /// `longest` is the longest reference.
    pub(super) fn new(
        (output, index_output): (Output, Output),
        threads: usize,
        longest: u64,
    ) -> Result<BedLines, Error> {
        Ok(BedLines {
            writer: Writer::new(output.with_blocks()?, threads)?,
            index: LineIndexer::new(longest)?,
            index_output,
            text: Vec::with_capacity(2 * TEXT),
            line: 0,
            failed: None,
        })
    }

    /// A line that is no interval.
    pub(super) fn header(&mut self, line: &str) {
        self.text.extend_from_slice(line.as_bytes());
        self.index.skip(line.len());
        self.line = self.text.len();
    }

    /// Begins a line with name and positions.
    #[inline]
    pub(super) fn begin(&mut self, name: &[u8], start: u64, end: u64) -> &mut Vec<u8> {
        let text = &mut self.text;
        text.extend_from_slice(name);
        text.push(b'\t');
        put(start, text);
        text.push(b'\t');
        put(end, text);
        text.push(b'\t');
        text
    }

    /// Ends the line.
    #[inline]
    pub(super) fn end(&mut self, name: &[u8], start: u64, end: u64) {
        self.text.push(b'\n');
        self.index.add(name, start, end, self.text.len() - self.line);
        if self.text.len() >= TEXT {
            self.flush();
        }
        self.line = self.text.len();
    }

    fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.writer.append(&self.text).err().map(Error::from);
        }
        self.text.clear();
    }

    /// Whether something couldn't be written.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// The file and its index, complete.
    pub(super) fn finish(mut self, outputs: &mut Vec<Output>) -> Result<(), Error> {
        self.flush();
        if let Some(error) = self.failed {
            return Err(error);
        }
        let mut output = self.writer.into_output()?;
        output.finish()?;
        self.index_output.append(&self.index.finish(&output)?)?;
        outputs.push(output);
        outputs.push(self.index_output);
        Ok(())
    }
}

/// Appends a number.
#[inline]
pub(crate) fn put(mut number: u64, text: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[at..]);
}
