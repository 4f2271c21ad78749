//! What was decided about records, by their numbers.

use super::survey::MateKey;
use crate::change::sort::duplicates::decisions::RecordBits;

/// Which records are kept, or in which groups they are.
#[derive(Default)]
pub(super) struct UmiDecisions {
    kept: RecordBits,
    /// Mates that are to be kept, too.
    mates: Vec<MateKey>,
    /// Of each record: [`DROPPED`], [`PLAIN`], or a number more than that of its group.
    groups: Vec<u32>,
    /// The UMI of each group.
    leads: Vec<u64>,
}

/// A record that is left out.
const DROPPED: u32 = 0;
/// One that is written without a group.
const PLAIN: u32 = u32::MAX;

/// What becomes of a record of which groups were made.
pub(super) enum GroupedAs {
    /// It is left out.
    Dropped,
    /// It is written as it is.
    Plain,
    /// It is in the group of this number, which is taken for this UMI.
    Group(u32, u64),
}

impl UmiDecisions {
    /// Keeps a record.
    pub(super) fn keep(&mut self, record: u64) {
        self.kept.set_beyond(record);
    }

    /// Keeps the first record that this key is that of.
    pub(super) fn keep_mate(&mut self, mate: MateKey) {
        self.mates.push(mate);
    }

    fn set(&mut self, record: u64, group: u32) {
        let at = record as usize;
        if at >= self.groups.len() {
            self.groups.resize(at + 1, DROPPED);
        }
        self.groups[at] = group;
    }

    /// Writes records without a group.
    pub(super) fn add_plain(&mut self, records: &[u64]) {
        records.iter().for_each(|record| self.set(*record, PLAIN));
    }

    /// Begins a group of reads that are taken for one UMI.
    pub(super) fn begin_group(&mut self, lead: u64) {
        self.leads.push(lead);
    }

    /// Puts a record into the group that was begun last.
    pub(super) fn add_to_group(&mut self, record: u64) {
        // More than 4 billion groups have no memory.
        let number = u32::try_from(self.leads.len()).unwrap_or(PLAIN - 1);
        self.set(record, number.min(PLAIN - 1));
    }

    /// What is to be called when all was decided.
    pub(super) fn complete(&mut self) {
        // They came nearly in this order.
        self.mates.sort();
        self.mates.dedup();
    }

    pub(super) fn is_kept(&self, record: u64) -> bool {
        self.kept.get(record)
    }

    /// How many mates are to be kept.
    pub(super) fn mates(&self) -> usize {
        self.mates.len()
    }

    pub(super) fn group_of(&self, record: u64) -> GroupedAs {
        let group = usize::try_from(record).ok().and_then(|at| self.groups.get(at));
        match group.copied().unwrap_or(DROPPED) {
            DROPPED => GroupedAs::Dropped,
            PLAIN => GroupedAs::Plain,
            group => {
                let lead = self.leads.get(group as usize - 1);
                GroupedAs::Group(group - 1, lead.copied().unwrap_or_default())
            }
        }
    }

    /// Finds mates of records that come in the order of coordinates, from this place on.
    pub(super) fn finder(&self) -> KeptMates<'_> {
        KeptMates { mates: &self.mates, from: None }
    }
}

/// Finds mates that are to be kept.
pub(super) struct KeptMates<'a> {
    mates: &'a [MateKey],
    /// Where those of the last place begin.
    from: Option<usize>,
}

impl KeptMates<'_> {
    /// Which of the mates a key is that of. Keys come in the order of their places.
    pub(super) fn find(&mut self, key: MateKey) -> Option<usize> {
        let is_before = |mate: &MateKey| mate.place < key.place;
        let from = match self.from {
            None => self.mates.partition_point(is_before),
            Some(from) => from + first_that_is_not(&self.mates[from..], is_before),
        };
        self.from = Some(from);
        let at = from + first_that_is_not(&self.mates[from..], |mate| *mate < key);
        (self.mates.get(at) == Some(&key)).then_some(at)
    }
}

/// As `partition_point`, which is quicker if the answer is far on.
fn first_that_is_not<T>(sorted: &[T], is_so: impl Fn(&T) -> bool) -> usize {
    let (mut end, mut step) = (0, 1);
    while sorted.get(end).is_some_and(&is_so) {
        end += step;
        step *= 2;
    }
    let start = end.saturating_sub(step / 2);
    let end = end.min(sorted.len());
    start + sorted[start..end].partition_point(is_so)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_from_where_one_is_end_at_the_same_place() {
        for len in 0..40u64 {
            let sorted: Vec<u64> = (0..len).map(|n| 2 * n).collect();
            for sought in 0..2 * len + 2 {
                let expected = sorted.partition_point(|n| *n < sought);
                assert_eq!(first_that_is_not(&sorted, |n| *n < sought), expected);
            }
        }
    }

    #[test]
    fn mates_are_found_by_place_and_name() {
        let key = |place, hash| MateKey { place, hash };
        let mut decisions = UmiDecisions::default();
        for mate in [key(5, 9), key(3, 4), key(5, 2), key(5, 9), key(8, 1)] {
            decisions.keep_mate(mate);
        }
        decisions.complete();
        assert_eq!(decisions.mates(), 4);
        let mut finder = decisions.finder();
        let sought = [key(3, 1), key(3, 4), key(5, 9), key(5, 2), key(5, 3), key(8, 1), key(9, 0)];
        let found = sought.map(|key| finder.find(key));
        assert_eq!(found, [None, Some(0), Some(2), Some(1), None, Some(3), None]);
    }
}
