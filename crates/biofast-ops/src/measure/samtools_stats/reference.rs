//! The reference sequence, read a stretch at a time.

use std::io;

use biofast_bam::{Fasta, Header};

/// Bases read at once, at least.
const STRETCH: usize = 64 << 10;

/// A reader of reference bases that keeps the last stretch.
pub(super) struct ReferenceReader {
    fasta: Fasta,
    reference: i32,
    start: i64,
    bases: Vec<u8>,
}

impl ReferenceReader {
    pub(super) fn new(fasta: Fasta) -> ReferenceReader {
        ReferenceReader { fasta, reference: -1, start: 0, bases: Vec::new() }
    }

    /// Finds the references of the header, for all that share the file.
    pub(super) fn bind(&self, header: &Header) {
        self.fasta.bind(header);
    }

    /// The bases from `start` on: `len`, or fewer at the end of the reference.
    pub(super) fn bases(&mut self, reference: i32, start: i64, len: usize) -> io::Result<&[u8]> {
        let held = self.start..self.start + self.bases.len() as i64;
        let end = start + len as i64;
        if reference != self.reference || start < held.start || end > held.end {
            let from = start.max(0) as u64;
            self.fasta.fetch(reference, from, len.max(STRETCH), &mut self.bases)?;
            self.reference = reference;
            self.start = start.max(0);
        }
        let skip = usize::try_from(start - self.start).unwrap_or(0).min(self.bases.len());
        let rest = &self.bases[skip..];
        Ok(&rest[..len.min(rest.len())])
    }

    /// Bases of the reference from `position` on.
    pub(super) fn remaining(&self, reference: i32, position: i64) -> io::Result<i64> {
        Ok((self.fasta.len(reference)? as i64 - position).max(0))
    }

    /// The share of G and C among A, C, G and T of `len` bases.
    pub(super) fn gc(&mut self, reference: i32, start: i64, len: i64) -> io::Result<f32> {
        let bases = self.bases(reference, start, len.max(0) as usize)?;
        let counts = biofast_kernels::count_gc_acgt(bases);
        Ok(if counts.acgt > 0 { counts.gc as f32 / counts.acgt as f32 } else { 0.0 })
    }
}
