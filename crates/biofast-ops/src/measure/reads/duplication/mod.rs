//! How often sequences occur: FastQC's method, which looks at the first 100,000 distinct ones.
//!
//! What is counted depends on order: the first 100,000 distinct sequences, each in all reads. Workers look sequences up in a
//! table they share; those that aren't there yet go, in the order of the file, to [`Duplicates::settle`], which alone adds to
//! the table. When the table is full, nothing is left over any more and workers only look up. So the counts are exact and the
//! same on any number of threads. At most 7.5 MB of sequences, 3.2 MB of tables, and 0.8 MB of counts a worker.

mod levels;
mod order;
mod seen;
mod source;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

pub use levels::{Duplication, DuplicationLevel, Overrepresented};
pub(super) use source::DuplicationSource;

use super::contaminants::Contaminants;
use levels::SequenceCounts;
use seen::SequenceSet;

/// So many distinct sequences are counted.
const DISTINCT: usize = 100_000;

/// The part of a sequence that is compared: all of short ones, the start of those of more than 75 bases.
fn compared(sequence: &[u8]) -> &[u8] {
    if sequence.len() > 75 { &sequence[..50] } else { sequence }
}

/// Counts how often sequences occur. A clone counts for the same file, as another worker of it.
///
/// ```
/// use biofast_ops::reads::{Contaminants, Duplicates};
///
/// // Two workers of one file: what they have left is settled in its order.
/// let mut first = Duplicates::default();
/// let mut second = first.clone();
/// let (mut early, mut late) = (Default::default(), Default::default());
/// second.add(2, &[b"AC", b"GT"], &mut late);
/// first.add(0, &[b"GT", b"GT"], &mut early);
/// first.settle(&mut early);
/// first.settle(&mut late);
/// first.merge(&second);
/// let found = first.finish(&Contaminants::known()).expect("of one file");
/// assert_eq!((found.reads, found.distinct), (4, 2));
/// assert_eq!(found.overrepresented[0].reads, 3);
/// ```
#[derive(Clone, Default)]
pub struct Duplicates {
    shared: Arc<RwLock<SharedSequences>>,
    /// Of sequences that were found in the table, by their number.
    counts: Vec<u64>,
    reads: u64,
    /// Counts of another file have come in: which of all sequences are the first can't be said.
    is_mixed: bool,
}

#[derive(Default)]
struct SharedSequences {
    seen: SequenceSet,
    /// By number; of reads that came to be settled.
    counts: Vec<u64>,
    /// Reads of the file until the table was full.
    full_after: Option<u64>,
}

/// Reads whose sequences weren't in the table yet, in file order.
#[derive(Default)]
pub struct NewSequences {
    bytes: Vec<u8>,
    reads: Vec<NewRead>,
}

struct NewRead {
    number: u64,
    hash: u64,
    end: u32,
}

impl NewSequences {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty()
    }
}

/// Looks up reads while the table stays as it is.
pub(crate) struct LookUp<'a> {
    shared: RwLockReadGuard<'a, SharedSequences>,
    counts: &'a mut [u64],
    new: &'a mut NewSequences,
}

impl LookUp<'_> {
    /// Counts the read of this number, in upper case.
    #[inline]
    pub(super) fn add(&mut self, number: u64, sequence: &[u8]) {
        let sequence = compared(sequence);
        let hash = self.shared.seen.hash(sequence);
        match self.shared.seen.find(hash, sequence) {
            Some(known) => self.counts[known] += 1,
            None if self.shared.full_after.is_some() => {}
            None => {
                self.new.bytes.extend_from_slice(sequence);
                let end = self.new.bytes.len() as u32;
                self.new.reads.push(NewRead { number, hash, end });
            }
        }
    }
}

impl Duplicates {
    /// Counts reads that follow each other in the file, of which the first has this number from 0. What isn't known yet is
    /// left in `new`, for [`settle`](Self::settle).
    pub fn add<S: AsRef<[u8]>>(&mut self, first: u64, sequences: &[S], new: &mut NewSequences) {
        let mut upper = Vec::new();
        let mut look_up = self.look_up(sequences.len() as u64, new);
        for (number, sequence) in (first..).zip(sequences) {
            look_up.add(number, upper_case(sequence.as_ref(), &mut upper));
        }
    }

    /// Begins with so many reads, to be added one by one.
    pub(super) fn look_up<'a>(&'a mut self, reads: u64, new: &'a mut NewSequences) -> LookUp<'a> {
        self.reads += reads;
        let shared = self.shared.read().unwrap_or_else(PoisonError::into_inner);
        self.counts.resize(shared.seen.len().max(self.counts.len()), 0);
        LookUp { shared, counts: &mut self.counts, new }
    }

    /// Takes in what was [left](Self::add), in the order of the file, and empties it.
    pub fn settle(&self, new: &mut NewSequences) {
        if new.reads.is_empty() {
            return;
        }
        let mut shared = self.shared.write().unwrap_or_else(PoisonError::into_inner);
        let SharedSequences { seen, counts, full_after } = &mut *shared;
        let mut start = 0;
        for read in new.reads.drain(..) {
            let sequence = &new.bytes[start..read.end as usize];
            start = read.end as usize;
            match seen.find(read.hash, sequence) {
                Some(known) => counts[known] += 1,
                None if full_after.is_some() => {}
                None => {
                    seen.add(read.hash, sequence);
                    counts.push(1);
                    *full_after = (counts.len() == DISTINCT).then_some(read.number + 1);
                }
            }
        }
        new.bytes.clear();
    }

    /// Adds what another worker counted. After counts of another file there is no [result](Self::finish) any more, as which
    /// sequences are the first of both depends on more than was kept.
    pub fn merge(&mut self, other: &Duplicates) {
        if !Arc::ptr_eq(&self.shared, &other.shared) {
            if self.reads == 0 && !self.is_mixed {
                *self = other.clone();
            } else if other.reads > 0 {
                self.is_mixed = true;
                self.reads += other.reads;
            }
            return;
        }
        let Duplicates { shared: _, counts, reads, is_mixed } = other;
        self.counts.resize(self.counts.len().max(counts.len()), 0);
        self.counts.iter_mut().zip(counts).for_each(|(mine, theirs)| *mine += theirs);
        self.reads += reads;
        self.is_mixed |= is_mixed;
    }

    /// Whether counts of several files were merged.
    pub fn is_mixed(&self) -> bool {
        self.is_mixed
    }

    /// What the counts say; `None` of [several files](Self::merge).
    pub fn finish(&self, contaminants: &Contaminants) -> Option<Duplication> {
        if self.is_mixed {
            return None;
        }
        let shared = self.shared.read().unwrap_or_else(PoisonError::into_inner);
        let sequences = shared.counts.iter().enumerate().map(|(number, settled)| {
            let found = self.counts.get(number).copied().unwrap_or(0);
            (shared.seen.get(number), settled + found)
        });
        let counted = SequenceCounts {
            sequences: sequences.collect(),
            reads: self.reads,
            until_limit: shared.full_after.unwrap_or(self.reads),
        };
        Some(counted.derive(contaminants))
    }
}

impl std::fmt::Debug for Duplicates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Duplicates").field("reads", &self.reads).finish_non_exhaustive()
    }
}

impl PartialEq for Duplicates {
    fn eq(&self, other: &Self) -> bool {
        let none = Contaminants::default();
        self.reads == other.reads && self.finish(&none) == other.finish(&none)
    }
}

/// A sequence in upper case: itself, or a copy.
#[inline]
pub(super) fn upper_case<'a>(sequence: &'a [u8], copy: &'a mut Vec<u8>) -> &'a [u8] {
    // A letter is lower case if this bit is set; of the other characters nothing changes.
    if sequence.iter().fold(0, |bits, byte| bits | byte) & 0x20 == 0 {
        return sequence;
    }
    copy.clear();
    copy.extend(sequence.iter().map(u8::to_ascii_uppercase));
    copy
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_testkit::effort::times;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// The counts as plain as they can be.
    fn plain(reads: &[Vec<u8>], limit: usize) -> (HashMap<Vec<u8>, u64>, u64) {
        let (mut counts, mut until) = (HashMap::new(), 0);
        for (number, read) in (1u64..).zip(reads) {
            let sequence = compared(read).to_ascii_uppercase();
            let full = counts.len() == limit;
            if let Some(count) = counts.get_mut(&sequence) {
                *count += 1;
            } else if !full {
                counts.insert(sequence, 1);
            }
            if !full {
                until = number;
            }
        }
        (counts, until)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(times(64)))]
        #[test]
        fn counts_are_the_same_however_workers_share_the_reads(
            reads in prop::collection::vec("[ACac]{0,4}|[ACGT]{74,77}", 0..80),
            sizes in prop::collection::vec(1usize..20, 80),
            late in any::<bool>(),
        ) {
            let reads: Vec<Vec<u8>> = reads.into_iter().map(String::into_bytes).collect();
            let mut workers = [Duplicates::default(), Duplicates::default()];
            workers[1] = workers[0].clone();
            let (mut at, mut left) = (0, Vec::new());
            for (turn, size) in sizes.into_iter().enumerate() {
                let batch = &reads[at..(at + size).min(reads.len())];
                let mut new = NewSequences::default();
                workers[turn % 2].add(at as u64, batch, &mut new);
                at += batch.len();
                // Settled at once, or after others have looked.
                if late { left.push(new) } else { workers[0].settle(&mut new) }
            }
            left.iter_mut().for_each(|new| workers[1].settle(new));
            let [mut sum, other] = workers;
            sum.merge(&other);
            let (expected, until) = plain(&reads, DISTINCT);
            let found = sum.finish(&Contaminants::default()).expect("one file");
            prop_assert_eq!(found.reads_until_limit, until);
            prop_assert_eq!(found.distinct as usize, expected.len());
            // With so few reads every sequence is overrepresented.
            for Overrepresented { sequence, reads, .. } in found.overrepresented {
                prop_assert_eq!(expected[sequence.as_bytes()], reads);
            }
        }
    }

    #[test]
    fn only_the_first_hundred_thousand_are_counted_but_in_all_reads() {
        let read = |i: usize| format!("{i:020b}").replace('0', "A").replace('1', "C").into_bytes();
        let order = (0..120_000).chain([3, 119_999, 3]);
        let reads: Vec<Vec<u8>> = order.map(read).collect();
        let mut counter = Duplicates::default();
        let mut new = NewSequences::default();
        for (i, batch) in reads.chunks(7000).enumerate() {
            counter.add(7000 * i as u64, batch, &mut new);
            counter.settle(&mut new);
        }
        let found = counter.finish(&Contaminants::default()).expect("one file");
        assert_eq!(
            (found.reads, found.distinct, found.reads_until_limit),
            (120_003, 100_000, 100_000)
        );
        let shared = counter.shared.read().expect("no worker has panicked");
        assert_eq!(shared.counts[3] + counter.counts[3], 3);
    }

    #[test]
    fn counts_of_two_files_have_no_result() {
        let one = |sequence: &[u8]| {
            let (mut counter, mut new) = (Duplicates::default(), NewSequences::default());
            counter.add(0, &[sequence], &mut new);
            counter.settle(&mut new);
            counter
        };
        let mut sum = Duplicates::default();
        sum.merge(&one(b"A"));
        assert!(sum.finish(&Contaminants::default()).is_some());
        sum.merge(&one(b"C"));
        assert_eq!((sum.is_mixed(), sum.finish(&Contaminants::default())), (true, None));
    }
}
