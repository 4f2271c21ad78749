//! Phred values per position over many reads.

use super::{COLUMN_BLOCK, ClassTable, ColumnSums, Counts, MAX_PLANES, nuls, stripe};
use crate::Kernels;
use crate::dispatch::kernels;
use crate::quality::{PHRED_VALUES, phred};

/// Counts of Phred values per position of the read. Bytes outside 33..=126 are clamped to it.
///
/// ```
/// let mut columns = biofast_kernels::QualityColumns::default();
/// columns.add(&[b"II5", b"I"]);
/// assert_eq!(columns.len(), 3);
/// assert_eq!(columns.count(0, 40), 2);
/// assert_eq!(columns.get(2)[20], 1);
/// assert_eq!(columns.histogram()[40], 3);
/// ```
#[derive(Clone, Debug)]
pub struct QualityColumns {
    sums: ColumnSums<PHRED_VALUES>,
    /// A class for each Phred value seen so far: the fewer there are, the faster are the kernels.
    table: ClassTable,
    /// The Phred value of each class.
    seen: Vec<u8>,
}

impl Default for QualityColumns {
    fn default() -> Self {
        Self { sums: ColumnSums::default(), table: ClassTable::new(), seen: Vec::new() }
    }
}

impl PartialEq for QualityColumns {
    fn eq(&self, other: &Self) -> bool {
        self.sums == other.sums
    }
}

impl QualityColumns {
    /// Number of positions seen: the length of the longest read.
    pub fn len(&self) -> usize {
        self.sums.positions
    }

    /// Whether no position was seen.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How often each Phred value occurs at `position` (from 0); zero beyond [`len`](Self::len).
    pub fn get(&self, position: usize) -> [u64; PHRED_VALUES] {
        std::array::from_fn(|phred| self.sums.get(position, phred))
    }

    /// How often `phred` occurs at `position`; zero beyond [`len`](Self::len) and Phred 93.
    pub fn count(&self, position: usize, phred: u8) -> u64 {
        self.sums.get(position, usize::from(phred))
    }

    /// How often each Phred value occurs over all positions.
    pub fn histogram(&self) -> [u64; PHRED_VALUES] {
        let mut histogram = [0; PHRED_VALUES];
        for position in 0..self.len() {
            for (sum, count) in histogram.iter_mut().zip(self.get(position)) {
                *sum += count;
            }
        }
        histogram
    }

    /// Adds the qualities of `reads`, which may differ in length.
    ///
    /// Reads are worked on in batches of 240: multiples of it, or hundreds of reads a call, are fastest, and so are
    /// reads that are still in the CPU's cache, because each batch is gone through once every 64 positions.
    pub fn add(&mut self, reads: &[&[u8]]) {
        self.add_with(kernels(), reads);
    }

    /// [`add`](Self::add) with the kernels of one instruction set.
    #[doc(hidden)]
    pub fn add_with(&mut self, kernels: &Kernels, reads: &[&[u8]]) {
        let Self { sums, table, seen } = self;
        let mut counts: [Counts; 8 * MAX_PLANES] = [[0; COLUMN_BLOCK]; 8 * MAX_PLANES];
        sums.for_each_stripe(reads, |sums, rows, start| {
            // Bytes left out are values not seen before, or NULs.
            if (kernels.count_quality_columns)(rows, start, table, &mut counts) > 0 {
                learn(table, seen, rows, start);
                if (kernels.count_quality_columns)(rows, start, table, &mut counts) > 0
                    && let Some(zero) = table.class(crate::quality::FIRST)
                {
                    nuls(rows, start).for_each(|position| counts[zero][position] += 1);
                }
            }
            (kernels.add_columns)(&counts, seen, sums.recent_stripe(start));
        });
    }

    /// Adds `count` bases with quality `phred` at `position`, as read from a report.
    ///
    /// # Panics
    /// If `phred` is above 93.
    #[doc(hidden)]
    pub fn add_count(&mut self, position: usize, phred: u8, count: u64) {
        assert!(usize::from(phred) < PHRED_VALUES, "Phred {phred} is above 93");
        self.sums.add(position, usize::from(phred), count);
    }

    /// Adds the counts of `other`, as if all reads had been added to one.
    pub fn merge(&mut self, other: &Self) {
        self.sums.merge(&other.sums);
    }
}

/// Gives each Phred value in the stripe a class, in ascending order of the new ones.
#[cold]
fn learn(table: &mut ClassTable, seen: &mut Vec<u8>, rows: &[&[u8]], start: usize) {
    let mut present = [false; PHRED_VALUES];
    for &byte in rows.iter().flat_map(|row| stripe(row, start)) {
        present[usize::from(phred(byte))] = true;
    }
    for value in (0..PHRED_VALUES as u8).filter(|&value| present[usize::from(value)]) {
        if !seen.contains(&value) {
            seen.push(value);
            table.push(|byte| phred(byte) == value);
        }
    }
}
