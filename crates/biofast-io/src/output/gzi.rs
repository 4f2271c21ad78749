//! The GZI index of a BGZF output: for each block but the first, where it starts in the file
//! and in the text. The format of `bgzip -i`: a count and pairs of 64-bit little-endian numbers.

use std::io::{self, Write};

use crate::bgzf::BLOCK_TEXT;

/// Where the blocks written so far start.
#[derive(Default)]
pub(crate) struct Gzi {
    /// Compressed offsets of blocks; all but the last have [`BLOCK_TEXT`] bytes of text, so the
    /// offsets in the text need no keeping.
    starts: Vec<u64>,
    next: u64,
}

impl Gzi {
    /// Books blocks of these lengths.
    pub(crate) fn add(&mut self, lengths: &[u32]) {
        for &length in lengths {
            self.starts.push(self.next);
            self.next += u64::from(length);
        }
    }

    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let starts = self.starts.get(1..).unwrap_or_default();
        out.write_all(&(starts.len() as u64).to_le_bytes())?;
        for (index, start) in (1u64..).zip(starts) {
            out.write_all(&start.to_le_bytes())?;
            out.write_all(&(index * BLOCK_TEXT as u64).to_le_bytes())?;
        }
        Ok(())
    }
}
