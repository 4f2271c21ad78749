//! Counts per position over many reads: what base and quality columns share.
//!
//! Reads are taken in batches of [`BATCH`], positions in stripes of [`COLUMN_BLOCK`]. The kernels get the
//! *rows* of a stripe (the reads that reach it) and count, per position, the *classes* of its bytes: the letters of
//! bases, or the Phred values seen so far. The vector kernels look up one bit a class and add the bits up with
//! carry-save adders, eight classes at a time (a *plane*), instead of comparing with each value.
//!
//! Three widths of counters keep the sums cheap and exact: bytes within a batch, `u16` within 65,535 reads, `u64`.

mod bases;
mod qualities;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod vector;

pub use bases::BaseColumns;
pub use qualities::QualityColumns;

#[cfg(target_arch = "x86_64")]
use crate::places::{Places, Window};

/// Positions per block of the column counters.
pub const COLUMN_BLOCK: usize = 64;

/// Reads per batch: fifteen groups of sixteen, so that a byte counts them.
pub(crate) const BATCH: usize = 240;

/// Planes of eight classes that hold all 94 Phred values.
pub(crate) const MAX_PLANES: usize = 12;

/// The counts of one class at the positions of a stripe, within a batch.
pub(crate) type Counts = [u8; COLUMN_BLOCK];

/// Which class each byte belongs to, in the two forms the kernels look up.
///
/// Bytes above 127 belong where 127 does. NUL belongs to no class, because the padding of short rows is NUL: kernels
/// leave real NULs out, and the columns add them afterwards.
#[derive(Clone, Debug)]
pub(crate) struct ClassTable {
    /// 8 + class, or 0 for none.
    pub(crate) codes: [u8; 128],
    /// Bit `class % 8` of plane `class / 8`.
    planes: [[u8; 128]; MAX_PLANES],
    classes: usize,
    /// Places of the qualities that have a class, where they are few.
    #[cfg(target_arch = "x86_64")]
    pub(crate) places: Option<Places>,
    /// All of these qualities.
    #[cfg(target_arch = "x86_64")]
    pub(crate) windows: Vec<Window>,
}

impl ClassTable {
    /// A table without classes.
    pub(crate) const fn new() -> Self {
        Self {
            codes: [0; 128],
            planes: [[0; 128]; MAX_PLANES],
            classes: 0,
            #[cfg(target_arch = "x86_64")]
            places: None,
            #[cfg(target_arch = "x86_64")]
            windows: Vec::new(),
        }
    }

    /// Appends a class of the bytes up to 127 that `contains` holds for.
    pub(crate) fn push(&mut self, contains: impl Fn(u8) -> bool) {
        let class = self.classes;
        self.classes += 1;
        for byte in (1..128).filter(|&byte| contains(byte)) {
            self.codes[usize::from(byte)] = 8 + class as u8;
            self.planes[class / 8][usize::from(byte)] = 1 << (class % 8);
        }
        #[cfg(target_arch = "x86_64")]
        {
            let qualities = crate::quality::FIRST..=crate::quality::LAST;
            let seen = qualities.filter(|&byte| self.codes[usize::from(byte)] > 0);
            let set = seen.fold(0, |set, byte| set | 1 << byte);
            self.places = Places::of(set);
            self.windows = Window::all_of(set);
        }
    }

    /// The planes in use.
    pub(crate) fn planes(&self) -> &[[u8; 128]] {
        &self.planes[..self.classes.div_ceil(8)]
    }

    /// The class of a byte.
    pub(crate) fn class(&self, byte: u8) -> Option<usize> {
        usize::from(self.codes[usize::from(byte.min(127))]).checked_sub(8)
    }
}

/// The sums of `CLASSES` classes (Phred values or base letters) per position.
#[derive(Clone, Debug, Default)]
struct ColumnSums<const CLASSES: usize> {
    /// `CLASSES` arrays a block, block after block.
    sums: Vec<[u64; COLUMN_BLOCK]>,
    /// The same for the last `recent_reads` reads, not yet in `sums`.
    recent: Vec<[u16; COLUMN_BLOCK]>,
    /// At most `u16::MAX`.
    recent_reads: usize,
    /// Number of positions seen.
    positions: usize,
}

impl<const CLASSES: usize> ColumnSums<CLASSES> {
    /// Makes room for `positions` positions.
    fn grow(&mut self, positions: usize) {
        if positions > self.positions {
            self.positions = positions;
            let arrays = positions.div_ceil(COLUMN_BLOCK) * CLASSES;
            self.sums.resize(arrays, [0; COLUMN_BLOCK]);
            self.recent.resize(arrays, [0; COLUMN_BLOCK]);
        }
    }

    /// Makes room in `recent` for the counts of `reads` more reads.
    fn expect_reads(&mut self, reads: usize) {
        self.recent_reads += reads;
        if self.recent_reads > usize::from(u16::MAX) {
            self.recent_reads = reads;
            for (sums, recent) in self.sums.iter_mut().zip(&mut self.recent) {
                for (sum, recent) in sums.iter_mut().zip(recent) {
                    *sum += u64::from(std::mem::take(recent));
                }
            }
        }
    }

    /// The recent sums of the stripe at `start`.
    fn recent_stripe(&mut self, start: usize) -> &mut [[u16; COLUMN_BLOCK]] {
        &mut self.recent[start / COLUMN_BLOCK * CLASSES..][..CLASSES]
    }

    fn get(&self, position: usize, class: usize) -> u64 {
        if position >= self.positions || class >= CLASSES {
            return 0;
        }
        let array = position / COLUMN_BLOCK * CLASSES + class;
        let lane = position % COLUMN_BLOCK;
        self.sums[array][lane] + u64::from(self.recent[array][lane])
    }

    fn add(&mut self, position: usize, class: usize, count: u64) {
        self.grow(position + 1);
        self.sums[position / COLUMN_BLOCK * CLASSES + class][position % COLUMN_BLOCK] += count;
    }

    fn merge(&mut self, other: &Self) {
        self.grow(other.positions);
        for (sums, (others, recent)) in
            self.sums.iter_mut().zip(other.sums.iter().zip(&other.recent))
        {
            for (sum, (&other, &recent)) in sums.iter_mut().zip(others.iter().zip(recent)) {
                *sum += other + u64::from(recent);
            }
        }
    }

    /// Calls `count_stripe(self, rows, start)` for each stripe of each batch of `reads`: the reads that are longer
    /// than `start`, a multiple of 64.
    fn for_each_stripe(
        &mut self,
        reads: &[&[u8]],
        mut count_stripe: impl FnMut(&mut Self, &[&[u8]], usize),
    ) {
        let mut storage = [&[][..]; BATCH];
        for batch in reads.chunks(BATCH) {
            let (mut shortest, mut longest) = (usize::MAX, 0);
            for read in batch {
                shortest = shortest.min(read.len());
                longest = longest.max(read.len());
            }
            self.grow(longest);
            self.expect_reads(batch.len());
            for start in (0..longest).step_by(COLUMN_BLOCK) {
                let rows =
                    if shortest > start { batch } else { longer_reads(batch, start, &mut storage) };
                count_stripe(self, rows, start);
            }
        }
    }
}

/// The reads of a batch that are longer than `start`.
fn longer_reads<'s, 'r>(
    batch: &[&'r [u8]],
    start: usize,
    storage: &'s mut [&'r [u8]; BATCH],
) -> &'s [&'r [u8]] {
    let mut count = 0;
    for read in batch {
        // Written always and kept if longer: a branch on the length would be a coin toss.
        storage[count] = read;
        count += usize::from(read.len() > start);
    }
    &storage[..count]
}

impl<const CLASSES: usize> PartialEq for ColumnSums<CLASSES> {
    fn eq(&self, other: &Self) -> bool {
        self.positions == other.positions
            && (0..self.positions).all(|position| {
                (0..CLASSES).all(|class| self.get(position, class) == other.get(position, class))
            })
    }
}

/// The part of a read that lies in the stripe at `start`.
#[inline(always)]
pub(crate) fn stripe(read: &[u8], start: usize) -> &[u8] {
    let read = &read[start.min(read.len())..];
    &read[..read.len().min(COLUMN_BLOCK)]
}

/// The positions within the stripe at `start` of the NULs, which the kernels leave out.
fn nuls<'a>(rows: &'a [&[u8]], start: usize) -> impl Iterator<Item = usize> + 'a {
    rows.iter().flat_map(move |row| {
        let bytes = stripe(row, start).iter().enumerate();
        bytes.filter(|&(_, &byte)| byte == 0).map(|(position, _)| position)
    })
}

pub(crate) mod reference {
    //! The kernels as their definitions.

    use super::*;

    /// The classes are A, C, G, T, N and other.
    pub(crate) fn count_base_columns(
        rows: &[&[u8]],
        start: usize,
        classes: &ClassTable,
        counts: &mut [Counts],
    ) -> u64 {
        count_columns(rows, start, classes, counts)
    }

    /// The classes are Phred values.
    pub(crate) fn count_quality_columns(
        rows: &[&[u8]],
        start: usize,
        classes: &ClassTable,
        counts: &mut [Counts],
    ) -> u64 {
        count_columns(rows, start, classes, counts)
    }

    /// Counts, per position of the stripe at `start`, the classes of the bytes of `rows`, at most 240 reads. Returns how
    /// many bytes had no class. NULs may have none.
    fn count_columns(
        rows: &[&[u8]],
        start: usize,
        classes: &ClassTable,
        counts: &mut [Counts],
    ) -> u64 {
        let mut left_out = 0;
        counts.fill([0; COLUMN_BLOCK]);
        for row in rows {
            for (position, &byte) in stripe(row, start).iter().enumerate() {
                match classes.class(byte) {
                    Some(class) => counts[class][position] += 1,
                    None => left_out += 1,
                }
            }
        }
        left_out
    }

    /// Adds the counts of class `i` to `sums[values[i]]`. Inlined into each instruction set, whose compiler vectorizes it.
    #[inline(always)]
    pub(crate) fn add_columns(counts: &[Counts], values: &[u8], sums: &mut [[u16; COLUMN_BLOCK]]) {
        for (counts, &value) in counts.iter().zip(values) {
            for (sum, &count) in sums[usize::from(value)].iter_mut().zip(counts) {
                *sum += u16::from(count);
            }
        }
    }
}
