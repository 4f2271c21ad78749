//! Lines of BED in BGZF, with their index.

use biofast_bam::Error;
use biofast_bam::index::LineIndexer;
use biofast_io::output::{Output, Writer};
use biofast_kernels::decimal::write_unsigned;
use biofast_ops::measure::coverage::DepthChange;

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
        write_unsigned(start, text);
        text.push(b'\t');
        write_unsigned(end, text);
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

    /// A line for each depth of adjacent positions: from each change to the next one. They are written by the threads that compress
    /// them.
    pub(super) fn depths(&mut self, name: &[u8], mut changes: &[DepthChange]) {
        self.flush();
        while let [first, _, ..] = changes {
            let (start, bin_end) = (first.at.into(), LineIndexer::bin_end(first.at.into()));
            let inside = changes.partition_point(|change| u64::from(change.at) <= bin_end);
            let mut lines = inside - 1;
            let mut len = depths_len(name, &changes[..inside]);
            let room = self.writer.room();
            if len >= room {
                (lines, len) = (0, 0);
                for two in changes[..inside].windows(2) {
                    let next = len + depths_len(name, two);
                    if next >= room {
                        break;
                    }
                    (lines, len) = (lines + 1, next);
                }
            }
            if lines > 0 {
                let (own, end) = (&changes[..=lines], changes[lines].at.into());
                self.index.add_adjacent(name, (start, end), lines as u64, len);
                let (name, own) = (name.to_vec(), own.to_vec());
                let make = move |text: &mut Vec<u8>| put_depths(&name, &own, text);
                if self.failed.is_none() {
                    self.failed = self.writer.append_later(len, make).err().map(Error::from);
                }
            } else {
                // It ends in another bin or beside other text.
                lines = 1;
                let end = changes[1].at.into();
                write_unsigned(first.depth.into(), self.begin(name, start, end));
                self.end(name, start, end);
                self.flush();
            }
            changes = &changes[lines..];
        }
    }

    fn flush(&mut self) {
        if self.failed.is_none() {
            self.failed = self.writer.append(&self.text).err().map(Error::from);
        }
        self.text.clear();
        self.line = 0;
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

/// How many digits a number has.
#[inline]
fn digits(number: u32) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// How long the lines of [`BedLines::depths`] are.
fn depths_len(name: &[u8], changes: &[DepthChange]) -> usize {
    let [first, between @ .., last] = changes else { return 0 };
    let lines = changes.len() - 1;
    let (few, many) = (digits(first.at), digits(last.at));
    // Each position but the first and the last one ends a line and begins one.
    let positions = match few == many {
        true => 2 * lines * few,
        false => few + many + 2 * between.iter().map(|change| digits(change.at)).sum::<usize>(),
    };
    let depths = &changes[..lines];
    let deepest = depths.iter().map(|change| change.depth).max().unwrap_or(0);
    let mut all = lines * (name.len() + 4 + 1) + positions;
    let mut bound = 10;
    while bound <= u64::from(deepest) {
        all += depths.iter().filter(|change| u64::from(change.depth) >= bound).count();
        bound *= 10;
    }
    all
}

/// Appends them.
fn put_depths(name: &[u8], changes: &[DepthChange], text: &mut Vec<u8>) {
    let [first, others @ ..] = changes else { return };
    let (mut at, len) = (text.len(), depths_len(name, changes));
    text.resize(at + len + Field::MOST, 0);
    let mut start = Field::of(first.at, b'\t');
    let mut depth = Field::of(first.depth, b'\n');
    let short_name = Field::text(name);
    for change in others {
        match &short_name {
            Some(name) => name.put(text, &mut at),
            None => {
                text[at..at + name.len()].copy_from_slice(name);
                at += name.len();
                text[at] = b'\t';
                at += 1;
            }
        }
        start.put(text, &mut at);
        start = Field::of(change.at, b'\t');
        start.put(text, &mut at);
        depth.put(text, &mut at);
        depth = Field::of(change.depth, b'\n');
    }
    text.truncate(at);
}

/// A short field of a line with what ends it, copied in one piece with what is behind it.
struct Field {
    bytes: [u8; Field::MOST],
    len: usize,
}

impl Field {
    const MOST: usize = 16;

    /// The digits of a number, and what ends the field.
    #[inline]
    fn of(mut number: u32, end: u8) -> Field {
        const PAIRS: [[u8; 2]; 100] = {
            let mut pairs = [[0; 2]; 100];
            let mut number = 0;
            while number < 100 {
                pairs[number] = [b'0' + number as u8 / 10, b'0' + number as u8 % 10];
                number += 1;
            }
            pairs
        };
        let digits = digits(number);
        let mut bytes = [0; Field::MOST];
        bytes[digits] = end;
        let mut at = digits;
        while at >= 2 {
            at -= 2;
            bytes[at..at + 2].copy_from_slice(&PAIRS[(number % 100) as usize]);
            number /= 100;
        }
        if at > 0 {
            bytes[0] = b'0' + number as u8;
        }
        Field { bytes, len: digits + 1 }
    }

    /// A text with a tab, if it is short.
    fn text(text: &[u8]) -> Option<Field> {
        let mut bytes = [0; Field::MOST];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        *bytes.get_mut(text.len())? = b'\t';
        Some(Field { bytes, len: text.len() + 1 })
    }

    /// Writes it, where there is room for a longer one.
    #[inline]
    fn put(&self, text: &mut [u8], at: &mut usize) {
        text[*at..*at + Field::MOST].copy_from_slice(&self.bytes);
        *at += self.len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_depths_are_as_long_as_is_said() {
        let positions = [0, 7, 9, 10, 99, 100, 5_000, 16_384, 16_390, 99_999, 100_000, u32::MAX];
        let depths = [0, 9, 10, 99, 100, 1_000, 3, 4_000_000_000, 7, 10_000, 1, 0];
        let changes: Vec<DepthChange> =
            positions.iter().zip(depths).map(|(&at, depth)| DepthChange { at, depth }).collect();
        for from in 0..changes.len() {
            for to in from..=changes.len() {
                let own = &changes[from..to];
                for name in ["chr1", "a name of 15 b.", "a name that is longer"] {
                    let mut text = Vec::new();
                    put_depths(name.as_bytes(), own, &mut text);
                    let line = |two: &[DepthChange]| {
                        format!("{name}\t{}\t{}\t{}\n", two[0].at, two[1].at, two[0].depth)
                    };
                    let expected: String = own.windows(2).map(line).collect();
                    assert_eq!(String::from_utf8(text), Ok(expected.clone()));
                    assert_eq!(depths_len(name.as_bytes(), own), expected.len());
                }
            }
        }
    }
}
