//! The GZI index of a BGZF output, gathered while its blocks are written.

use std::io::{self, Write};

use crate::bgzf::BLOCK_TEXT;
use crate::gzi;

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
        let starts = self.starts.iter().enumerate().skip(1);
        gzi::write(starts.map(|(block, &file)| (file, (block * BLOCK_TEXT) as u64)), out)
    }
}
