//! How often sequences occur: FastQC's method, which looks at the first 100,000 distinct ones.
//!
//! What is counted depends on order: the first 100,000 distinct sequences, each in all reads. Workers look sequences up in a
//! table they share; those that aren't there yet go, in the order of the file, to [`Duplicates::settle`], which alone adds to
//! the table. When the table is full, nothing is left over any more and workers only look up. So the counts are exact and the
//! same on any number of threads. At most 5 MB of sequences, 4 MB of tables, and 0.8 MB of counts a worker.
//!
//! Two versions of FastQC compare reads of 51 to 75 bases differently. Both are counted in one table: all other reads are looked up
//! once and count for both, these reads twice. Then there are up to 12.5 MB of sequences, 8 MB of tables and 3.2 MB of counts.

mod levels;
mod order;
mod seen;
mod source;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

pub use levels::{Duplication, DuplicationLevel, Overrepresented};
pub(super) use source::DuplicationSource;

use super::contaminants::Contaminants;
use crate::measure::compat::FastqcVersion;
use levels::SequenceCounts;
use seen::SequenceSet;

/// So many distinct sequences are counted.
const DISTINCT: usize = 100_000;

/// The rules by which sequences are compared, as bits: of reads longer than 50 bases the first 50 (FastQC since 0.12.0), or of those longer
/// than 75 (before).
type Rules = u8;
const NOW: Rules = 1;
const OLD: Rules = 2;
const BOTH: Rules = NOW | OLD;

/// So many bases of long reads are compared.
const COMPARED: usize = 50;

/// The shortest reads that are cut.
const FIRST_CUT: usize = COMPARED + 1;

/// Reads up to this length are compared as a whole by the old rule.
const OLD_WHOLE: usize = 75;

/// The parts of a sequence that are compared, and by which rule.
fn compared(sequence: &[u8]) -> (&[u8], Rules, Option<&[u8]>) {
    match sequence.len() {
        0..=COMPARED => (sequence, BOTH, None),
        FIRST_CUT..=OLD_WHOLE => (&sequence[..COMPARED], NOW, Some(sequence)),
        _ => (&sequence[..COMPARED], BOTH, None),
    }
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
    /// Of sequences that were found in the table.
    counts: Counts,
    reads: u64,
    /// There are reads that the rules compare differently.
    differs: bool,
    /// Counts of another file have come in: which of all sequences are the first can't be said.
    is_mixed: bool,
}

/// Reads by the number of their sequence: of reads that count for both rules, and for one.
#[derive(Clone, Default)]
struct Counts {
    both: Vec<u64>,
    now: Vec<u64>,
    old: Vec<u64>,
}

impl Counts {
    #[inline]
    fn add(&mut self, number: usize, rules: Rules) {
        let counts = match rules {
            NOW => &mut self.now,
            OLD => &mut self.old,
            _ => &mut self.both,
        };
        if counts.len() <= number {
            counts.resize((number + 1).next_multiple_of(1024), 0);
        }
        counts[number] += 1;
    }

    fn get(&self, number: usize, rule: Rules) -> u64 {
        let one = if rule == NOW { &self.now } else { &self.old };
        [&self.both, one].iter().filter_map(|counts| counts.get(number)).sum()
    }

    fn merge(&mut self, other: &Counts) {
        let Counts { both, now, old } = other;
        for (mine, theirs) in [(&mut self.both, both), (&mut self.now, now), (&mut self.old, old)] {
            mine.resize(mine.len().max(theirs.len()), 0);
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
    }
}

#[derive(Default)]
struct SharedSequences {
    seen: SequenceSet,
    /// Of reads that came to be settled.
    counts: Counts,
    /// By number, the rules by which a sequence is among the first.
    members: Vec<Rules>,
    now: FirstSequences,
    old: FirstSequences,
    /// Not all sequences are among the first of both rules.
    is_split: bool,
}

/// The first sequences by one rule.
#[derive(Default)]
struct FirstSequences {
    numbers: Vec<u32>,
    /// Reads of the file until there were as many as are counted.
    full_after: Option<u64>,
}

impl SharedSequences {
    /// The rules by which there are as many sequences as are counted.
    fn full(&self) -> Rules {
        let bit = |first: &FirstSequences, rule| if first.full_after.is_some() { rule } else { 0 };
        bit(&self.now, NOW) | bit(&self.old, OLD)
    }

    /// Counts a read whose sequence may be new.
    fn settle(&mut self, sequence: &[u8], NewRead { number, hash, rules, .. }: &NewRead) {
        let open = rules & !self.full();
        let known = match self.seen.find(*hash, sequence) {
            Some(known) => known,
            None if open == 0 => return,
            None => {
                self.seen.add(*hash, sequence);
                self.members.push(0);
                self.seen.len() - 1
            }
        };
        let joined = open & !self.members[known];
        self.members[known] |= joined;
        for (rule, first) in [(NOW, &mut self.now), (OLD, &mut self.old)] {
            if joined & rule != 0 {
                first.numbers.push(known as u32);
                first.full_after = (first.numbers.len() == DISTINCT).then_some(number + 1);
            }
        }
        self.is_split |= self.members[known] != BOTH;
        self.counts.add(known, *rules);
    }
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
    rules: Rules,
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
    full: Rules,
    counts: &'a mut Counts,
    differs: &'a mut bool,
    new: &'a mut NewSequences,
}

impl LookUp<'_> {
    /// Counts the read of this number, in upper case.
    #[inline]
    pub(super) fn add(&mut self, number: u64, sequence: &[u8]) {
        let (part, rules, whole) = compared(sequence);
        self.count(number, part, rules);
        if let Some(whole) = whole {
            *self.differs = true;
            self.count(number, whole, OLD);
        }
    }

    #[inline]
    fn count(&mut self, number: u64, sequence: &[u8], rules: Rules) {
        let SharedSequences { seen, members, is_split, .. } = &*self.shared;
        let hash = seen.hash(sequence);
        let found = seen.find(hash, sequence);
        // Among the first by these rules already; BOTH if there is no other.
        let is_of = |known: usize| if *is_split { members[known] } else { BOTH };
        match found {
            // What is counted by a rule whose first sequences are others is of no use, and does no harm.
            Some(known) if (is_of(known) | self.full) & rules == rules => {
                self.counts.add(known, rules);
            }
            None if self.full & rules == rules => {}
            _ => {
                self.new.bytes.extend_from_slice(sequence);
                let end = self.new.bytes.len() as u32;
                self.new.reads.push(NewRead { number, hash, end, rules });
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
        let full = shared.full();
        LookUp { shared, full, counts: &mut self.counts, differs: &mut self.differs, new }
    }

    /// Takes in what was [left](Self::add), in the order of the file, and empties it.
    pub fn settle(&self, new: &mut NewSequences) {
        if new.reads.is_empty() {
            return;
        }
        let mut shared = self.shared.write().unwrap_or_else(PoisonError::into_inner);
        let mut start = 0;
        for read in new.reads.drain(..) {
            shared.settle(&new.bytes[start..read.end as usize], &read);
            start = read.end as usize;
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
        let Duplicates { shared: _, counts, reads, differs, is_mixed } = other;
        self.counts.merge(counts);
        self.reads += reads;
        self.differs |= differs;
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
        let counted = |first: &FirstSequences, rule| {
            let sequences = first.numbers.iter().map(|&number| {
                let number = number as usize;
                let reads = shared.counts.get(number, rule) + self.counts.get(number, rule);
                (shared.seen.get(number), reads)
            });
            SequenceCounts {
                sequences: sequences.collect(),
                reads: self.reads,
                until_limit: first.full_after.unwrap_or(self.reads),
            }
        };
        let now = counted(&shared.now, NOW);
        let old = self.differs.then(|| counted(&shared.old, OLD));
        let mut found = now.derive(contaminants, FastqcVersion::V0_12_1);
        let old = match old {
            Some(old) => old.derive(contaminants, FastqcVersion::V0_11_9),
            None => found.clone().with_sources(contaminants, FastqcVersion::V0_11_9),
        };
        found.fastqc_0_11 = Some(old).filter(|old| *old != found).map(Box::new);
        Some(found)
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

    /// The counts as plain as they can be, of the first 50 bases of reads longer than `whole`.
    fn plain(reads: &[Vec<u8>], whole: usize, limit: usize) -> (HashMap<Vec<u8>, u64>, u64) {
        let (mut counts, mut until) = (HashMap::new(), 0);
        for (number, read) in (1u64..).zip(reads) {
            let part = if read.len() > whole { &read[..50] } else { read };
            let sequence = part.to_ascii_uppercase();
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
            reads in prop::collection::vec("[ACac]{0,4}|A{49}[AC]{0,3}|[ACGT]{74,77}", 0..80),
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
            let found = sum.finish(&Contaminants::default()).expect("one file");
            for (version, whole) in [(FastqcVersion::V0_11_9, 75), (FastqcVersion::V0_12_1, 50)] {
                let (expected, until) = plain(&reads, whole, DISTINCT);
                let found = found.clone().of(version);
                prop_assert_eq!(found.reads_until_limit, until);
                prop_assert_eq!(found.distinct as usize, expected.len());
                // With so few reads every sequence is overrepresented.
                for Overrepresented { sequence, reads, .. } in found.overrepresented {
                    prop_assert_eq!(expected[sequence.as_bytes()], reads);
                }
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
        assert_eq!(shared.counts.get(3, NOW) + counter.counts.get(3, NOW), 3);
    }

    #[test]
    fn each_rule_has_its_own_first_hundred_thousand() {
        // Reads that differ behind the first 50 bases, and short ones, which are among the first of the current rule alone.
        let long = |i: usize| format!("{}{i:020b}", "A".repeat(50));
        let short = |i: usize| format!("{i:020b}");
        let all =
            (0..90_000).map(long).chain((0..99_999).map(short)).chain([short(3), short(9_999)]);
        let reads: Vec<String> = all.map(|read| read.replace('0', "A").replace('1', "C")).collect();
        let (mut counter, mut new) = (Duplicates::default(), NewSequences::default());
        for (i, batch) in reads.chunks(7000).enumerate() {
            counter.add(7000 * i as u64, batch, &mut new);
            counter.settle(&mut new);
        }
        let found = counter.finish(&Contaminants::default()).expect("one file");
        let old = found.clone().of(FastqcVersion::V0_11_9);
        assert_eq!((found.distinct, found.reads_until_limit), (100_000, 189_999));
        assert_eq!((old.distinct, old.reads_until_limit), (100_000, 100_000));
        assert_eq!(found.overrepresented[0].reads, 90_000);
        let reads = |number| {
            let shared = counter.shared.read().expect("no worker has panicked");
            let number = shared.old.numbers[number] as usize;
            shared.counts.get(number, OLD) + counter.counts.get(number, OLD)
        };
        assert_eq!([reads(0), reads(90_003), reads(99_999)], [1, 2, 2]);
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
