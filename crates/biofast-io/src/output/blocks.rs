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
    /// Compressed offsets of blocks; all but the last have [`BLOCK_TEXT`] bytes of text, so the
    /// offsets in the text need no keeping.
    starts: Vec<u64>,
    next: u64,
}

impl Blocks {
    /// Books blocks of these lengths.
    pub(crate) fn add(&mut self, lengths: &[u32]) {
        for &length in lengths {
            self.starts.push(self.next);
            self.next += u64::from(length);
        }
    }

    /// The virtual offset of byte `text` of an output's text, of which `end` is the length. The
    /// end of a block is the start of the next one, and the end of the text that of the
    /// end-of-file block. `None` if it lies behind the end, or its block isn't written yet.
    pub fn virtual_offset(&self, text: u64, end: u64) -> Option<VirtualOffset> {
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
        let starts = self.starts.iter().enumerate().skip(1);
        gzi::write(starts.map(|(block, &file)| (file, (block * BLOCK_TEXT) as u64)), out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_blocks_are_starts_of_the_next_ones() {
        let mut blocks = Blocks::default();
        blocks.add(&[100, 50]);
        let unit = BLOCK_TEXT as u64;
        let end = unit + 7;
        let at = |text| blocks.virtual_offset(text, end).map(|v| (v.compressed(), v.within()));
        assert_eq!(at(0), Some((0, 0)));
        assert_eq!(at(unit - 1), Some((0, 65_279)));
        assert_eq!(at(unit), Some((100, 0)));
        assert_eq!(at(unit + 6), Some((100, 6)));
        assert_eq!(at(end), Some((150, 0)));
        assert_eq!(at(end + 1), None);
        assert_eq!(blocks.virtual_offset(2 * unit, 2 * unit).map(u64::from), Some(150 << 16));
    }
}
