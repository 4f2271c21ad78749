//! Mismatches with the reference by cycle and quality.

use std::collections::BTreeMap;
use std::io;

use biofast_bam::{Op, Record, flag};

use super::cycles::QUALITIES;
use super::reference::ReferenceReader;
use crate::measure::alignments::basics::ExaminedRecord;
use crate::measure::alignments::in_order::Mismatch;

/// Counts by cycle; column 0 are N bases of the read, column q + 1 mismatches of quality q.
#[derive(Default)]
#[doc(hidden)]
pub struct Mismatches {
    rows: Vec<[u64; QUALITIES]>,
    /// Those of later cycles, which hard clips of a few bytes may make any number.
    far: BTreeMap<usize, Box<[u64; QUALITIES]>>,
}

/// Cycles from this one on have a row only if anything is in it.
const FAR: usize = 4096;

/// A reference base as BAM codes it; 0 for everything but A, C, G and T.
const CODES: [u8; 256] = {
    let mut codes = [0; 256];
    let mut i = 0;
    while i < 4 {
        let letter = b"ACGT"[i];
        codes[letter as usize] = 1 << i;
        codes[letter.to_ascii_lowercase() as usize] = 1 << i;
        i += 1;
    }
    codes
};

/// The code of N.
const N: u8 = 15;

/// Compares a mapped record with the reference. As samtools does, the reference doesn't move on
/// over skipped stretches, and bases beyond its end match.
pub(crate) fn find(
    record: &Record<'_>,
    seen: &ExaminedRecord<'_>,
    reference: &mut ReferenceReader,
    out: &mut Vec<Mismatch>,
) -> io::Result<()> {
    let (packed, qualities) = (record.packed_sequence(), record.qualities());
    let reverse = record.flags() & flag::REVERSE != 0;
    let read_len = seen.unclipped_len as usize;
    let (mut base, mut cycle) = (0usize, 0usize);
    let mut position = i64::from(record.position());
    for (op, len) in seen.cigar.iter().map(|(op, len)| (op, len as usize)) {
        match op {
            _ if op.is_aligned() => {
                let len = len.min(qualities.len().saturating_sub(base));
                let bases = reference.bases(record.reference_id(), position, len)?;
                for offset in 0..len {
                    let at = base + offset;
                    let code = packed[at / 2] >> (4 * (1 - at % 2)) & 15;
                    let expected = bases.get(offset).map_or(0, |&b| CODES[usize::from(b)]);
                    let class = if code == N {
                        0
                    } else if expected != 0 && code != 0 && code != expected {
                        qualities[at].wrapping_add(1)
                    } else {
                        continue;
                    };
                    let cycle = cycle + offset;
                    let cycle = if reverse { read_len.wrapping_sub(cycle + 1) } else { cycle };
                    if cycle < read_len {
                        out.push(Mismatch { cycle: cycle as u32, class });
                    }
                }
                base += len;
                cycle += len;
                position += len as i64;
            }
            Op::Insertion | Op::SoftClip => {
                base += len;
                cycle += len;
            }
            Op::Deletion => position += len as i64,
            Op::HardClip => cycle += len,
            _ => {}
        }
    }
    Ok(())
}

impl Mismatches {
    /// Counts the mismatches of a record.
    pub(crate) fn add(&mut self, found: &[Mismatch]) {
        for Mismatch { cycle, class } in found {
            let cycle = *cycle as usize;
            let row: &mut [u64; QUALITIES] = if cycle < FAR {
                if self.rows.len() <= cycle {
                    self.rows.resize(cycle + 1, [0; QUALITIES]);
                }
                &mut self.rows[cycle]
            } else {
                self.far.entry(cycle).or_insert_with(|| Box::new([0; QUALITIES]))
            };
            row[usize::from(*class)] += 1;
        }
    }

    /// The cycles behind this one that have any.
    #[doc(hidden)]
    pub fn cycles_behind(&self, cycle: usize) -> impl Iterator<Item = usize> {
        let far = self.far.range(cycle.max(FAR - 1) + 1..).map(|(cycle, _)| *cycle);
        (cycle + 1..self.rows.len()).chain(far)
    }

    /// All of them, without N in reads.
    pub(crate) fn total(&self) -> u64 {
        let rows = self.rows.iter().chain(self.far.values().map(Box::as_ref));
        rows.flat_map(|row| &row[1..]).sum()
    }

    /// The counts at a cycle, from 0.
    #[doc(hidden)]
    pub fn get(&self, cycle: usize) -> [u64; QUALITIES] {
        let row = self.rows.get(cycle).or_else(|| self.far.get(&cycle).map(Box::as_ref));
        row.map_or([0; QUALITIES], |row| *row)
    }
}
