//! Which reads are duplicates: of each group of entries all but the first.

use biofast_bam::Header;

use super::super::gather::Entry;
use super::super::{Limits, Problem};
use super::collect::Candidates;
use super::keys::{self, Entrant, PRESENCE, Read};
use super::{Counts, Marking};

/// A bit for each record, by its number.
#[derive(Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    fn new(len: u64) -> Bits {
        Bits(vec![0; usize::try_from(len.div_ceil(64)).unwrap_or(usize::MAX)])
    }

    pub(super) fn get(&self, number: u64) -> bool {
        self.0.get((number / 64) as usize).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }

    fn set(&mut self, number: u64) {
        if let Some(word) = self.0.get_mut((number / 64) as usize) {
            *word |= 1 << (number % 64);
        }
    }
}

/// What was decided.
pub(super) struct Decisions {
    /// Primary records that are duplicates.
    pub(super) reads: Bits,
    /// Records of groups of which the others follow a primary one.
    pub(super) groups: Bits,
}

impl Decisions {
    /// Marks a read of the group that begins with the record `first`.
    fn mark(&mut self, first: u64, group: u64, read: &Read) {
        self.reads.set(first + read.offset);
        if read.spreads {
            (first..first + group).for_each(|number| self.groups.set(number));
        }
    }
}

/// The best read of a group so far.
struct Best {
    /// What of its key decides.
    rank: Vec<u8>,
    first: u64,
    group: u64,
    read: Read,
}

impl Best {
    /// What comes first in coordinate order.
    fn place(first: u64, read: &Read) -> (i32, bool, u64) {
        (read.position, read.is_reverse, first + read.offset)
    }
}

pub(super) fn decide(
    candidates: Candidates,
    records: u64,
    limits: &Limits,
    threads: usize,
    marking: &Marking,
    counts: &mut Counts,
) -> Result<Decisions, Problem> {
    let Candidates { mut pairs, mut singles, filter, .. } = candidates;
    let groups = if marking.supplementary { Bits::new(records) } else { Bits::default() };
    let mut decisions = Decisions { reads: Bits::new(records), groups };
    let has_barcodes = marking.has_barcodes();
    // Beside what the records take.
    let of_keys = Limits { memory: limits.memory / 16 * 3, ..limits.clone() };
    pairs.limits = of_keys.clone();
    let mut pairs = pairs.finish(&Header::default(), threads)?;
    let len = keys::pair_group_len(has_barcodes);
    let (mut common, mut best) = (Vec::new(), [None, None]);
    let mut key = Vec::new();
    while let Some(entry) = pairs.next_entry()? {
        let (group, rank) = entry.key.split_at(len);
        if group != common {
            common.clear();
            common.extend_from_slice(group);
            best = [None, None];
        }
        let entrant = Entrant::read(entry.record);
        let first = entry.number;
        for (best, read) in best.iter_mut().zip(&entrant.reads) {
            let Some(read) = read else { continue };
            let next = || Best { rank: rank.to_vec(), first, group: entrant.group, read: *read };
            let Some(best) = best else {
                *best = Some(next());
                continue;
            };
            counts.duplicate_pair += 1;
            // Only records of one name, which isn't one then, have all in common.
            if best.rank == rank && Best::place(first, read) < Best::place(best.first, &best.read) {
                let worse = std::mem::replace(best, next());
                decisions.mark(worse.first, worse.group, &worse.read);
            } else {
                decisions.mark(first, entrant.group, read);
            }
        }
        // Where single reads may be, they learn that a pair is there.
        for (place, is_reverse) in places_of(group, &entrant) {
            let barcode = group.get(17..21).and_then(|bytes| bytes.try_into().ok());
            keys::write_single(place, is_reverse, barcode.map(u32::from_be_bytes), &mut key);
            if filter.may_have(&key) {
                key.push(PRESENCE);
                singles.add_entry(&Entry { number: first, key: &key, record: &[] })?;
            }
        }
    }
    drop(pairs);
    singles.limits = of_keys;
    let mut singles = singles.finish(&Header::default(), threads)?;
    let len = keys::single_group_len(has_barcodes);
    let mut has_one = false;
    common.clear();
    while let Some(entry) = singles.next_entry()? {
        let (group, rank) = entry.key.split_at(len);
        if group != common {
            common.clear();
            common.extend_from_slice(group);
            has_one = false;
        }
        let is_first = !std::mem::replace(&mut has_one, true);
        if is_first || rank.first() == Some(&PRESENCE) {
            continue;
        }
        let entrant = Entrant::read(entry.record);
        if let Some(read) = entrant.reads.iter().flatten().next() {
            counts.duplicate_single += 1;
            decisions.mark(entry.number - read.offset, entrant.group, read);
        }
    }
    Ok(decisions)
}

/// Where the reads of an entry would be as single ones.
fn places_of(group: &[u8], entrant: &Entrant) -> impl Iterator<Item = (u64, bool)> {
    let word = |at: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&group[at..at + 8]);
        u64::from_be_bytes(bytes)
    };
    let places = [word(0), word(9)];
    let reads = entrant.reads;
    let (hidden, is_silent) = (entrant.hidden, entrant.is_silent);
    (0..2).filter_map(move |side| {
        let read = reads[side].filter(|_| !is_silent)?;
        // On one strand the start of the left read and the end of the right one are known.
        let is_hidden = (side == 0) == read.is_reverse;
        let place = match hidden {
            Some(place) if is_hidden => place,
            _ => places[side],
        };
        Some((place, read.is_reverse))
    })
}
