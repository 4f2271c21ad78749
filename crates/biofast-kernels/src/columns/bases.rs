//! Base letters per position over many reads.

use super::{COLUMN_BLOCK, ClassTable, ColumnSums, Counts, nuls};
use crate::dispatch::kernels;
use crate::{BaseCounts, Kernels};

/// A, C, G, T, N and other.
const CLASSES: usize = 6;
const OTHER: usize = 5;

static CLASS_TABLE: std::sync::LazyLock<ClassTable> = std::sync::LazyLock::new(|| {
    const LETTERS: &[u8] = b"ACGTN";
    let mut table = ClassTable::new();
    for letter in LETTERS {
        table.push(|byte| byte.eq_ignore_ascii_case(letter));
    }
    table.push(|byte| !LETTERS.contains(&byte.to_ascii_uppercase()));
    table
});

/// Counts of base letters per position of the read.
///
/// ```
/// let mut columns = biofast_kernels::BaseColumns::default();
/// columns.add(&[b"ACGT", b"AG"]);
/// assert_eq!(columns.len(), 4);
/// assert_eq!(columns.get(0).a, 2);
/// assert_eq!(columns.get(1).gc(), 2);
/// assert_eq!(columns.get(3).total(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BaseColumns {
    sums: ColumnSums<CLASSES>,
}

impl BaseColumns {
    /// Number of positions seen: the length of the longest read.
    pub fn len(&self) -> usize {
        self.sums.positions
    }

    /// Whether no position was seen.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The counts at `position` (from 0); zero beyond [`len`](Self::len).
    pub fn get(&self, position: usize) -> BaseCounts {
        let count = |class| self.sums.get(position, class);
        BaseCounts {
            a: count(0),
            c: count(1),
            g: count(2),
            t: count(3),
            n: count(4),
            other: count(OTHER),
        }
    }

    /// Adds the bases of `reads`, which may differ in length.
    ///
    /// Reads are worked on in batches of 240: multiples of it, or hundreds of reads a call, are fastest, and so are
    /// reads that are still in the CPU's cache, because each batch is gone through once every 64 positions.
    pub fn add(&mut self, reads: &[&[u8]]) {
        self.add_with(kernels(), reads);
    }

    /// [`add`](Self::add) with the kernels of one instruction set.
    #[doc(hidden)]
    pub fn add_with(&mut self, kernels: &Kernels, reads: &[&[u8]]) {
        let table = &*CLASS_TABLE;
        let mut counts: [Counts; 8] = [[0; COLUMN_BLOCK]; 8];
        self.sums.for_each_stripe(reads, |sums, rows, start| {
            if (kernels.count_base_columns)(rows, start, table, &mut counts) > 0 {
                nuls(rows, start).for_each(|position| counts[OTHER][position] += 1);
            }
            let values = [0, 1, 2, 3, 4, 5];
            (kernels.add_columns)(&counts, &values, sums.recent_stripe(start));
        });
    }

    /// Adds counts at `position`, as read from a report.
    #[doc(hidden)]
    pub fn add_counts(&mut self, position: usize, counts: BaseCounts) {
        let BaseCounts { a, c, g, t, n, other } = counts;
        for (class, count) in [a, c, g, t, n, other].into_iter().enumerate() {
            self.sums.add(position, class, count);
        }
    }

    /// Adds the counts of `other`, as if all reads had been added to one.
    pub fn merge(&mut self, other: &Self) {
        self.sums.merge(&other.sums);
    }
}
