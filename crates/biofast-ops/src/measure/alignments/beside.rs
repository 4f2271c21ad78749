//! What is counted of records beside the reference: GC bias as Picard has it, and the columns that differ where no `MD` field
//! says which.

use std::io;

use biofast_bam::{Fasta, Header, Record};

use super::basics::ExaminedRecord;
use crate::measure::picard::gc_bias::GcBias;
use crate::measure::picard::reference::{Bases, CODES};

/// The code of N.
const N: u8 = 15;

/// The counts of a thread.
pub(crate) struct BesideReference {
    bases: Bases,
    gc_bias: Option<GcBias>,
    /// The first one; nothing is compared from there on.
    fault: Option<io::Error>,
}

impl BesideReference {
    /// With GC bias, or without.
    pub(super) fn new(fasta: Fasta, gc_bias: bool) -> BesideReference {
        BesideReference {
            bases: Bases::new(fasta),
            gc_bias: gc_bias.then(GcBias::default),
            fault: None,
        }
    }

    /// Finds the references of the header.
    pub(super) fn bind(&self, header: &Header) {
        self.bases.bind(header);
    }

    /// Counts a record.
    pub(super) fn add(&mut self, record: &Record<'_>) {
        if let (Some(gc_bias), None) = (&mut self.gc_bias, &self.fault) {
            self.fault = gc_bias.add(record, &mut self.bases).err();
        }
    }

    /// Puts the columns of read and reference bases that differ into `differing`, as `MD` has them; `false` if the reference lacks
    /// some of them.
    pub(super) fn differing(
        &mut self,
        record: &Record<'_>,
        seen: &ExaminedRecord<'_>,
        differing: &mut Vec<u64>,
    ) -> bool {
        differing.clear();
        if self.fault.is_some() || record.reference_id() < 0 || record.position() < 0 {
            return false;
        }
        let found = self.find(record, seen, differing);
        found.unwrap_or_else(|fault| {
            self.fault = Some(fault);
            false
        })
    }

    fn find(
        &mut self,
        record: &Record<'_>,
        seen: &ExaminedRecord<'_>,
        differing: &mut Vec<u64>,
    ) -> io::Result<bool> {
        let (packed, bases) = (record.packed_sequence(), record.sequence_len());
        let (mut at, mut base, mut column) = (i64::from(record.position()) as u64, 0usize, 0u64);
        for (op, len) in seen.cigar.iter().map(|(op, len)| (op, len as usize)) {
            if op.is_aligned() {
                let letters = self.bases.get(record.reference_id(), at, len)?;
                if letters.len() < len || base + len > bases {
                    return Ok(false);
                }
                for (place, &letter) in (base..).zip(letters) {
                    let code = packed[place / 2] >> (4 * (1 - place % 2)) & 15;
                    // `=` is the reference's base, and N is no base's.
                    if code != 0 && (code != CODES[usize::from(letter)] || code == N) {
                        differing.push(column + (place - base) as u64);
                    }
                }
                column += len as u64;
            }
            at += if op.consumes_reference() { len as u64 } else { 0 };
            base += if op.consumes_read() { len } else { 0 };
        }
        Ok(true)
    }

    pub(super) fn merge(&mut self, other: BesideReference) {
        let BesideReference { bases: _, gc_bias, fault } = other;
        if let (Some(mine), Some(theirs)) = (&mut self.gc_bias, &gc_bias) {
            mine.merge(theirs);
        }
        self.fault = self.fault.take().or(fault);
    }

    /// GC bias, if it was counted, with the windows of all references.
    ///
    /// # Errors
    /// If the reference couldn't be read.
    pub(super) fn finish(
        mut self,
        header: &Header,
        fasta: &Fasta,
        threads: usize,
    ) -> io::Result<Option<GcBias>> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        if let Some(gc_bias) = &mut self.gc_bias {
            gc_bias.add_windows(header, fasta, threads)?;
        }
        Ok(self.gc_bias)
    }
}
