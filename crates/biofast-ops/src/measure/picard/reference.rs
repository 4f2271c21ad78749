//! Bases of the reference beside reads, as htsjdk compares them.

use std::io;

use biofast_bam::{Fasta, Header};

/// Bases read at once, at least.
const STRETCH: usize = 64 << 10;

/// A reader of reference bases that keeps the last stretch.
pub(crate) struct Bases {
    fasta: Fasta,
    reference: i32,
    start: u64,
    bases: Vec<u8>,
}

/// The codes of BAM for the letters of bases; 0 for what is none.
pub(crate) const CODES: [u8; 256] = {
    let mut codes = [0; 256];
    let letters = b"=ACMGRSVTWYHKDBN";
    let mut code = 1;
    while code < 16 {
        codes[letters[code] as usize] = code as u8;
        codes[letters[code].to_ascii_lowercase() as usize] = code as u8;
        code += 1;
    }
    codes[b'.' as usize] = 15;
    codes
};

impl Bases {
    pub(crate) fn new(fasta: Fasta) -> Bases {
        Bases { fasta, reference: -1, start: 0, bases: Vec::new() }
    }

    /// Finds the references of the header, for all that share the file.
    pub(crate) fn bind(&self, header: &Header) {
        self.fasta.bind(header);
    }

    /// How many bases a reference has.
    pub(crate) fn len(&self, reference: i32) -> io::Result<u64> {
        self.fasta.len(reference)
    }

    /// The bases from `start` on: `len`, or fewer at the end of the reference.
    pub(crate) fn get(&mut self, reference: i32, start: u64, len: usize) -> io::Result<&[u8]> {
        let held = self.start..self.start + self.bases.len() as u64;
        let end = start.saturating_add(len as u64);
        if reference != self.reference || start < held.start || end > held.end {
            self.reference = -1;
            self.fasta.fetch(reference, start, len.max(STRETCH), &mut self.bases)?;
            self.reference = reference;
            self.start = start;
        }
        let skip = usize::try_from(start - self.start).unwrap_or(usize::MAX).min(self.bases.len());
        let rest = &self.bases[skip..];
        Ok(&rest[..len.min(rest.len())])
    }
}
