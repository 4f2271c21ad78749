//! `CollectGcBiasMetrics`: where reads start, and how well they fit, by the GC content of the reference there.

use std::io;

use biofast_bam::{Fasta, Header, Op, Record, flag};
use serde::{Deserialize, Serialize};

use super::reference::{Bases, CODES};
use super::references::count_each;
use super::stored::{StoredCounts, array, counts};

/// Bases of the reference whose GC content counts.
pub const WINDOW: usize = 100;

/// Windows of more N than this have no GC content.
const MAX_N: u32 = 4;

/// The percentages from 0 to 100.
pub const CLASSES: usize = 101;

/// Counts by GC content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GcBias {
    /// Reads that aren't paired and first reads of pairs.
    #[serde(deserialize_with = "counts")]
    pub clusters: u64,
    #[serde(deserialize_with = "counts")]
    pub aligned: u64,
    #[serde(with = "array")]
    pub by_gc: Box<[Class; CLASSES]>,
    /// Windows of the reference, when all is counted.
    #[serde(with = "array")]
    pub windows: Box<[u64; CLASSES]>,
}

/// Reads that start at a GC content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 3]", into = "[u64; 3]")]
pub struct Class {
    pub reads: u64,
    pub bases: u64,
    /// Mismatches, and inserted and deleted bases.
    pub errors: u64,
}

impl From<[u64; 3]> for Class {
    fn from([reads, bases, errors]: [u64; 3]) -> Class {
        Class { reads, bases, errors }
    }
}

impl From<Class> for [u64; 3] {
    fn from(class: Class) -> [u64; 3] {
        [class.reads, class.bases, class.errors]
    }
}

impl StoredCounts for Class {
    fn are_possible(&self) -> bool {
        <[u64; 3]>::from(*self).are_possible()
    }

    fn merge(&mut self, other: &Self) {
        self.reads += other.reads;
        self.bases += other.bases;
        self.errors += other.errors;
    }
}

impl Default for GcBias {
    fn default() -> GcBias {
        GcBias {
            clusters: 0,
            aligned: 0,
            by_gc: Box::new([Class::default(); CLASSES]),
            windows: Box::new([0; CLASSES]),
        }
    }
}

/// The GC content of a window; `None` if it has too many N.
fn percentage(gc: u32, n: u32) -> Option<usize> {
    (n <= MAX_N).then_some(gc as usize * 100 / WINDOW)
}

fn is_gc(letter: u8) -> bool {
    matches!(CODES[usize::from(letter)], 2 | 4)
}

fn is_n(letter: u8) -> bool {
    CODES[usize::from(letter)] == 15
}

impl GcBias {
    /// Counts a record, secondary and supplementary ones, too, unless it has no bases.
    ///
    /// # Errors
    /// If the reference can't be read.
    pub(crate) fn add(&mut self, record: &Record<'_>, reference: &mut Bases) -> io::Result<()> {
        let flags = record.flags();
        if record.sequence_len() == 0 {
            return Ok(());
        }
        self.clusters += u64::from(flags & flag::PAIRED == 0 || flags & flag::READ1 != 0);
        if flags & flag::UNMAPPED != 0 {
            return Ok(());
        }
        self.aligned += 1;
        if record.reference_id() < 0 {
            return Ok(());
        }
        // As Picard has it: positions count from 1, places in the reference from 0.
        let start = match flags & flag::REVERSE != 0 {
            true => {
                let end = i64::from(record.position()) + record.cigar().reference_len() as i64;
                end - WINDOW as i64
            }
            false => i64::from(record.position()) + 1,
        };
        let Some(start) = u64::try_from(start).ok().filter(|start| *start > 0) else {
            return Ok(());
        };
        let id = record.reference_id();
        let gc = match start + (WINDOW as u64) < reference.len(id)? {
            true => {
                let window = reference.get(id, start, WINDOW)?;
                let gc = window.iter().filter(|letter| is_gc(**letter)).count();
                let n = window.iter().filter(|letter| is_n(**letter)).count();
                percentage(gc as u32, n as u32)
            }
            // Behind the last window Picard takes the content for 0.
            false => Some(0),
        };
        if let Some(gc) = gc {
            let errors = errors(record, reference)?;
            let class = &mut self.by_gc[gc];
            class.reads += 1;
            class.bases += record.sequence_len() as u64;
            class.errors += errors;
        }
        Ok(())
    }

    /// Reads for a window, all over.
    #[doc(hidden)]
    pub fn reads_a_window(&self) -> f64 {
        let reads: u64 = self.by_gc.iter().map(|class| class.reads).sum();
        reads as f64 / self.windows.iter().sum::<u64>() as f64
    }

    /// By how much the share of reads, in percent, is below the share of windows: of low and of high GC content. Nothing without
    /// reads or windows.
    #[doc(hidden)]
    pub fn dropouts(&self) -> Option<[f64; 2]> {
        let reads: u64 = self.by_gc.iter().map(|class| class.reads).sum();
        let windows: u64 = self.windows.iter().sum();
        if reads == 0 || windows == 0 {
            return None;
        }
        let mut dropouts = [0.0; 2];
        for (gc, (class, own)) in self.by_gc.iter().zip(self.windows.iter()).enumerate() {
            let share = *own as f64 / windows as f64 - class.reads as f64 / reads as f64;
            let dropout = share * 100.0;
            if dropout > 0.0 {
                dropouts[usize::from(gc > 50)] += dropout;
            }
        }
        Some(dropouts)
    }

    pub(crate) fn merge(&mut self, other: &GcBias) {
        let GcBias { clusters, aligned, by_gc, windows } = other;
        self.clusters += clusters;
        self.aligned += aligned;
        self.by_gc.merge(by_gc);
        self.windows.merge(windows);
    }

    /// Counts the windows of all references of the header that the FASTA file has.
    ///
    /// # Errors
    /// If the reference can't be read.
    pub(crate) fn add_windows(
        &mut self,
        header: &Header,
        fasta: &Fasta,
        threads: usize,
    ) -> io::Result<()> {
        fasta.bind(header);
        let join = |all: &mut [u64; CLASSES], windows: [u64; CLASSES]| {
            all.iter_mut().zip(windows).for_each(|(a, b)| *a += b);
        };
        let add = |reference, windows: &mut _| add_windows_of(reference, fasta, windows);
        let windows = count_each(header, threads, || [0; CLASSES], add, join)?;
        join(&mut self.windows, windows);
        Ok(())
    }
}

/// Mismatches, and inserted and deleted bases.
fn errors(record: &Record<'_>, reference: &mut Bases) -> io::Result<u64> {
    let packed = record.packed_sequence();
    let (mut at, mut base, mut errors) = (i64::from(record.position()), 0usize, 0u64);
    for (op, len) in record.cigar().iter() {
        let len = len as usize;
        if op.is_aligned()
            && let Ok(at) = u64::try_from(at)
        {
            let own = len.min(record.sequence_len().saturating_sub(base));
            for (n, &letter) in reference.get(record.reference_id(), at, own)?.iter().enumerate() {
                let code = packed[(base + n) / 2] >> (4 * (1 - (base + n) % 2)) & 15;
                errors += u64::from(code != CODES[usize::from(letter)]);
            }
        }
        if matches!(op, Op::Insertion | Op::Deletion) {
            errors += len as u64;
        }
        if op.consumes_reference() {
            at += len as i64;
        }
        if op.consumes_read() {
            base += len;
        }
    }
    Ok(errors)
}

/// Counts the windows of a reference: all but the first one and the last one.
fn add_windows_of(reference: i32, fasta: &Fasta, windows: &mut [u64; CLASSES]) -> io::Result<()> {
    /// Bases read at once.
    const STRETCH: usize = 1 << 20;
    let len = match fasta.len(reference) {
        // No records lie on it, or the reading of those said so.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        len => len?,
    };
    let mut bases = Vec::new();
    let mut start = 1;
    while start + (WINDOW as u64) < len {
        // The last base of the reference is in no window.
        let wanted = (len - 1 - start).min((STRETCH + WINDOW) as u64) as usize;
        fasta.fetch(reference, start, wanted, &mut bases)?;
        let count = |letters: &[u8], is: fn(u8) -> bool| {
            letters.iter().filter(|letter| is(**letter)).count() as u32
        };
        let Some(first) = bases.get(..WINDOW) else { break };
        let (mut gc, mut n) = (count(first, is_gc), count(first, is_n));
        let mut add = |gc, n| {
            if let Some(class) = percentage(gc, n) {
                windows[class] += 1;
            }
        };
        add(gc, n);
        for (&gone, &new) in bases.iter().zip(&bases[WINDOW..]) {
            gc = gc + u32::from(is_gc(new)) - u32::from(is_gc(gone));
            n = n + u32::from(is_n(new)) - u32::from(is_n(gone));
            add(gc, n);
        }
        start += (bases.len() - WINDOW + 1) as u64;
    }
    Ok(())
}
