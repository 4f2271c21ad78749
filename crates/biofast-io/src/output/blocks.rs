//! Where the blocks of a BGZF output start, for indexes made while it is written.

use std::io::{self, Write};

use crate::container::bgzf::{BLOCK_TEXT, VirtualOffset};
use crate::container::gzi;

/// Where the blocks written so far start.
///
/// ```
/// use biofast_io::bgzf::{BLOCK_TEXT, VirtualOffset};
/// use biofast_io::output::{Compression, Format, Output};
///
/// let compression = Compression::new(Format::Bgzf, None)?;
/// let mut output = Output::stream("memory", std::io::sink(), compression).with_blocks()?;
/// let text = vec![b'A'; BLOCK_TEXT + 7];
/// output.append(&text)?;
/// output.finish()?;
/// let blocks = output.blocks().expect("they were asked for");
/// let start = blocks.virtual_offset(3, text.len() as u64);
/// assert_eq!(start, Some(VirtualOffset::new(0, 3)));
/// let second = blocks.virtual_offset(BLOCK_TEXT as u64 + 1, text.len() as u64);
/// assert_eq!(second.map(VirtualOffset::within), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    /// Compressed offsets of blocks.
    starts: Vec<u64>,
    /// Offsets of their text; none as long as all but the last have [`BLOCK_TEXT`] bytes of it.
    texts: Vec<u64>,
    next: u64,
    next_text: u64,
}

impl Blocks {
    /// Books blocks of these lengths, and of so much text.
    pub(crate) fn add(&mut self, lengths: &[u32], texts: &[u32]) {
        for (&length, &text) in lengths.iter().zip(texts) {
            let unit = BLOCK_TEXT as u64;
            let before = self.starts.len() as u64;
            if self.texts.is_empty() && self.next_text != before * unit {
                // The block before is the first of another length.
                self.texts.extend((0..before).map(|block| block * unit));
            }
            if !self.texts.is_empty() {
                self.texts.push(self.next_text);
            }
            self.starts.push(self.next);
            self.next += u64::from(length);
            self.next_text += u64::from(text);
        }
    }

    /// The virtual offset of byte `text` of an output's text, of which `end` is the length. The
    /// end of a block is the start of the next one, and the end of the text that of the
    /// end-of-file block. `None` if it lies behind the end, or its block isn't written yet.
    pub fn virtual_offset(&self, text: u64, end: u64) -> Option<VirtualOffset> {
        if !self.texts.is_empty() {
            if text == end && text == self.next_text {
                return Some(VirtualOffset::new(self.next, 0));
            }
            let block = self.texts.partition_point(|&start| start <= text).checked_sub(1)?;
            let start = *self.starts.get(block).filter(|_| text < end.min(self.next_text))?;
            // No block has more than 65,536 bytes.
            return Some(VirtualOffset::new(start, (text - self.texts[block]) as u16));
        }
        let unit = BLOCK_TEXT as u64;
        if text == end && end.div_ceil(unit) == self.starts.len() as u64 {
            return Some(VirtualOffset::new(self.next, 0));
        }
        let start = self.starts.get(usize::try_from(text / unit).ok()?).filter(|_| text < end)?;
        // A remainder of 65,280.
        Some(VirtualOffset::new(*start, (text % unit) as u16))
    }

    /// Writes a GZI index.
    pub(crate) fn write_gzi(&self, out: &mut impl Write) -> io::Result<()> {
        let text = |block: usize| match self.texts.get(block) {
            Some(&text) => text,
            None => (block * BLOCK_TEXT) as u64,
        };
        let starts: Vec<(u64, u64)> =
            self.starts.iter().enumerate().skip(1).map(|(block, &at)| (at, text(block))).collect();
        gzi::write(starts.into_iter(), out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_blocks_are_starts_of_the_next_ones() {
        let mut blocks = Blocks::default();
        blocks.add(&[100, 50], &[BLOCK_TEXT as u32, 7]);
        let unit = BLOCK_TEXT as u64;
        let end = unit + 7;
        let at = |text| blocks.virtual_offset(text, end).map(|v| (v.compressed(), v.within()));
        assert_eq!(at(0), Some((0, 0)));
        assert_eq!(at(unit - 1), Some((0, 65_279)));
        assert_eq!(at(unit), Some((100, 0)));
        assert_eq!(at(unit + 6), Some((100, 6)));
        assert_eq!(at(end), Some((150, 0)));
        assert_eq!(at(end + 1), None);
        let mut blocks = Blocks::default();
        blocks.add(&[100, 50], &[BLOCK_TEXT as u32; 2]);
        assert_eq!(blocks.virtual_offset(2 * unit, 2 * unit).map(u64::from), Some(150 << 16));
    }

    #[test]
    fn blocks_of_any_length_are_found() {
        let mut blocks = Blocks::default();
        let unit = BLOCK_TEXT as u32;
        blocks.add(&[100, 50], &[unit, 7]);
        blocks.add(&[30, 20], &[40_000, 5]);
        let (unit, end) = (u64::from(unit), u64::from(unit) + 40_012);
        let at = |text| blocks.virtual_offset(text, end).map(|v| (v.compressed(), v.within()));
        assert_eq!(at(unit - 1), Some((0, 65_279)));
        assert_eq!(at(unit), Some((100, 0)));
        assert_eq!(at(unit + 6), Some((100, 6)));
        assert_eq!(at(unit + 7), Some((150, 0)));
        assert_eq!(at(unit + 40_006), Some((150, 39_999)));
        assert_eq!(at(end - 1), Some((180, 4)));
        assert_eq!(at(end), Some((200, 0)));
        assert_eq!(at(end + 1), None);
        let mut gzi = Vec::new();
        blocks.write_gzi(&mut gzi).expect("a vector");
        let words: Vec<u64> =
            gzi.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        assert_eq!(words, [3, 100, unit, 150, unit + 7, 180, unit + 40_007]);
    }
}
