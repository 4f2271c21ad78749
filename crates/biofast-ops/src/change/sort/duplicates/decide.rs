//! Which reads are duplicates: of each group of entries all but the first.

use biofast_bam::Header;

use super::super::gather::SortEntry;
use super::decisions::{DuplicateDecisions, RecordBits};
use super::entries::{EntrySink, FewEntries, SortedEntries};
use super::finder::{Candidates, KeyFilter};
use super::keys::{self, Entrant, MarkedRead, PRESENCE};
use super::metrics::{DuplicateCounts, SetSizes};
use super::numbers;
use super::optical::{self, ChainMember, Chains};
use super::picard::Set;
use super::rule::{DuplicateRule, Marking};
use crate::Error;
use crate::change::sort::sorter::{SortLimits, Sorted, Sorter};

/// The best entry of a group so far.
struct BestEntry {
    /// What of its key decides: whether it failed the checks of quality, its score, and its name, if that is needed.
    rank: Vec<u8>,
    first: u64,
    group: u64,
    reads: [Option<MarkedRead>; 2],
}

impl BestEntry {
    /// What comes first in coordinate order.
    fn place(&self) -> Option<(i32, bool, u64)> {
        let place = |read: &MarkedRead| (read.position, read.is_reverse, self.first + read.offset);
        self.reads.iter().flatten().map(place).next()
    }

    fn name(&self) -> &[u8] {
        self.rank.get(keys::RANK..).unwrap_or_default()
    }

    /// One of its reads, as that of a pair, in a chain.
    fn member(&self, read: &MarkedRead) -> ChainMember<'_> {
        ChainMember {
            is_paired: true,
            rank: self.rank.get(..keys::RANK).unwrap_or_default(),
            name: self.name(),
            first: self.first,
            group: self.group,
            read: *read,
            is_optical: false,
        }
    }
}

pub(super) fn decide(
    candidates: Candidates,
    records: u64,
    limits: &SortLimits,
    threads: usize,
    marking: &Marking,
    counts: &mut DuplicateCounts,
) -> Result<DuplicateDecisions, Error> {
    let Candidates { pairs, singles, filter, .. } = candidates;
    let bits = |wanted: bool| if wanted { RecordBits::new(records) } else { RecordBits::default() };
    let distance = marking.optical_distance();
    let of_samtools = distance.filter(|_| marking.rule == DuplicateRule::Samtools);
    let decisions = DuplicateDecisions {
        reads: RecordBits::new(records),
        groups: bits(marking.supplementary),
        followers: RecordBits::default(),
        optical: bits(of_samtools.is_some()),
        optical_groups: bits(of_samtools.is_some() && marking.supplementary),
        optical_pairs: Vec::new(),
        set_sizes: SetSizes::default(),
    };
    // Beside what the records take.
    let of_keys = SortLimits { memory: limits.memory / 16 * 3, ..limits.clone() };
    let chains = of_samtools.map(|distance| Chains::new(limits, distance));
    let kind_len = marking.kind_len();
    let mut pass = Pass { kind_len, singles, filter, decisions, counts, chains };
    let mut sorted = finish(pairs, &of_keys, threads)?;
    let set = distance.filter(|_| marking.rule == DuplicateRule::Picard).map(Set::new);
    pass.decide_pairs(&mut sorted, set)?;
    drop(sorted);
    let Pass { singles, mut decisions, counts, mut chains, .. } = pass;
    let sorted = finish(singles, &of_keys, threads)?;
    let mut singles = Singles { sorted, decisions: &mut decisions, counts };
    match marking.rule {
        DuplicateRule::Samtools => singles.decide_in_order(kind_len, chains.as_mut())?,
        DuplicateRule::Picard => singles.decide_by_rank(kind_len)?,
    }
    drop(singles);
    if let Some(chains) = chains {
        chains.decide(threads, &mut decisions, counts)?;
    }
    Ok(decisions)
}

/// Decides about the entries of some records, from number `first` on, by the rule of samtools: all that decides about them is here.
/// Optical duplicates aren't told from others.
pub(super) fn decide_few(
    candidates: Candidates<FewEntries>,
    (first, records): (u64, u64),
    marking: &Marking,
    counts: &mut DuplicateCounts,
) -> Result<(RecordBits, [FewEntries; 2]), Error> {
    let Candidates { mut pairs, singles, filter, .. } = candidates;
    let decisions = DuplicateDecisions {
        reads: RecordBits::from(first, records),
        ..DuplicateDecisions::default()
    };
    let kind_len = marking.kind_len();
    let mut pass = Pass { kind_len, singles, filter, decisions, counts, chains: None };
    pairs.sort();
    pass.decide_pairs(&mut pairs, None)?;
    let Pass { singles: mut sorted, mut decisions, counts, .. } = pass;
    sorted.sort();
    let mut singles = Singles { sorted, decisions: &mut decisions, counts };
    singles.decide_in_order(kind_len, None)?;
    let singles = singles.sorted;
    Ok((decisions.reads, [pairs, singles]))
}

fn finish(mut sorter: Sorter, limits: &SortLimits, threads: usize) -> Result<Sorted, Error> {
    sorter.limits = limits.clone();
    sorter.finish(&Header::default(), threads)
}

/// What goes over the pairs.
struct Pass<'c, E> {
    /// Bytes of library and barcode in a key.
    kind_len: usize,
    singles: E,
    filter: KeyFilter,
    decisions: DuplicateDecisions,
    counts: &'c mut DuplicateCounts,
    chains: Option<Chains>,
}

impl<E: EntrySink> Pass<'_, E> {
    /// Marks all pairs but the first of each group; optical ones are counted if they are put into a set. An entry with one read is
    /// of a pair, too, whose other read isn't looked at: what is decided is decided of both.
    fn decide_pairs(
        &mut self,
        pairs: &mut impl SortedEntries,
        mut set: Option<Set>,
    ) -> Result<(), Error> {
        let len = keys::PAIR_KIND + self.kind_len;
        let (mut common, mut best, mut ordinal) = (Vec::new(), None::<BestEntry>, 0);
        // Memory of entries that are done with.
        let (mut spare, mut key) = (Vec::new(), Vec::new());
        // Whether chains know the best read.
        let mut is_known = [false; 2];
        while let Some(entry) = pairs.next_entry()? {
            let (group, rank) = entry.key.split_at(len);
            if group != common {
                self.end_set(&common, set.as_mut());
                common.clear();
                common.extend_from_slice(group);
                spare = best.take().map_or(spare, |best| best.rank);
                is_known = [false; 2];
                ordinal += 1;
            }
            let mut rest = entry.record;
            let entrant = Entrant::read(&mut rest);
            let first = entry.number;
            if let (Some(set), Some(location)) =
                (&mut set, rank.get(keys::RANK..).and_then(|r| r.get(..6)))
            {
                set.add(location, rest);
            }
            let mut own = std::mem::take(&mut spare);
            own.clear();
            own.extend_from_slice(rank);
            let next = BestEntry { rank: own, first, group: entrant.group, reads: entrant.reads };
            let worse = match &mut best {
                None => {
                    best = Some(next);
                    None
                }
                // Only records of one name, which isn't one then, have all in common.
                Some(best) if best.rank != rank || next.place() >= best.place() => Some(next),
                Some(best) => Some(std::mem::replace(best, next)),
            };
            for (side, worse, read) in worse.iter().flat_map(|worse| {
                let reads = worse.reads.iter().enumerate();
                reads.filter_map(move |(side, read)| Some((side, worse, read.as_ref()?)))
            }) {
                self.counts.duplicate_pair += 1;
                self.decisions.mark(worse.first, worse.group, read);
                if let (Some(chains), Some(best)) = (&mut self.chains, &best) {
                    let chain = optical::chain_of_pairs(ordinal, side);
                    if !std::mem::replace(&mut is_known[side], true) {
                        chains.add_best(chain, best.name())?;
                    }
                    chains.add(chain, &worse.member(read))?;
                }
            }
            // Where single reads may be, they learn that a pair is there, and the chain of the first one.
            for (side, place, read) in places_of(group, &entrant) {
                let own = keys::DuplicateClass::new(None, read.barcode);
                let kind = match read.barcode {
                    Some(_) => own.as_bytes(),
                    None => &group[keys::PAIR_KIND..],
                };
                keys::write_single(place, read.is_reverse, kind, &mut key);
                if !self.filter.may_have(&key) {
                    continue;
                }
                let chain = optical::chain_of_pairs(ordinal, side);
                let number = first + read.offset;
                key.push(PRESENCE);
                keys::write_turn(read.position, number, &mut key);
                let record = &chain.to_le_bytes();
                self.singles.take(place, &SortEntry { number, key: &key, record })?;
                if let (Some(chains), Some(best)) = (&mut self.chains, &best)
                    && !std::mem::replace(&mut is_known[side], true)
                {
                    chains.add_best(chain, best.name())?;
                }
            }
            if let Some(worse) = worse {
                spare = worse.rank;
            }
        }
        self.end_set(&common, set.as_mut());
        Ok(())
    }

    /// Counts the optical duplicates of a set by the library of its group.
    fn end_set(&mut self, group: &[u8], set: Option<&mut Set>) {
        let Some(set) = set else { return };
        let sizes = &mut self.decisions.set_sizes;
        let (optical, without_location) = set.finish(sizes);
        self.counts.without_location += 2 * without_location;
        let library = group.get(keys::PAIR_KIND..).and_then(<[u8]>::first_chunk);
        let library = library.map_or(0, |library| u32::from_be_bytes(*library)) as usize;
        if optical > 0 {
            let by_library = &mut self.decisions.optical_pairs;
            by_library.resize(by_library.len().max(library + 1), 0);
            by_library[library] += optical;
            self.counts.duplicate_pair_optical += 2 * optical;
        }
    }
}

/// What goes over the single reads.
struct Singles<'d, S> {
    sorted: S,
    decisions: &'d mut DuplicateDecisions,
    counts: &'d mut DuplicateCounts,
}

impl<S: SortedEntries> Singles<'_, S> {
    /// Marks all single reads at a place but the first, and that, too, where a read of a pair is.
    fn decide_by_rank(&mut self, kind_len: usize) -> Result<(), Error> {
        let len = keys::SINGLE_KIND + kind_len;
        let (mut common, mut has_one) = (Vec::new(), false);
        while let Some(entry) = self.sorted.next_entry()? {
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
            let entrant = Entrant::read(&mut { entry.record });
            if let Some(read) = entrant.reads.iter().flatten().next() {
                self.counts.duplicate_single += 1;
                self.decisions.mark(entry.number - read.offset, entrant.group, read);
            }
        }
        Ok(())
    }

    /// Goes over single reads in coordinate order, as samtools does: it compares a read with the one that was best by then.
    fn decide_in_order(
        &mut self,
        kind_len: usize,
        mut chains: Option<&mut Chains>,
    ) -> Result<(), Error> {
        let len = keys::SINGLE_KIND + kind_len;
        let (mut common, mut ordinal) = (Vec::new(), 0);
        let mut place = FragmentStart::default();
        while let Some(entry) = self.sorted.next_entry()? {
            let (group, turn) = entry.key.split_at(len);
            if group != common {
                let ended = std::mem::take(&mut place);
                ended.end(self.decisions, self.counts, chains.as_deref_mut())?;
                common.clear();
                common.extend_from_slice(group);
                ordinal += 1;
                place.chain = optical::chain_of_singles(ordinal);
            }
            if turn.first() == Some(&PRESENCE) {
                if place.pair.is_empty() {
                    place.pair.extend_from_slice(&turn[1..]);
                    place.chain =
                        numbers::take(&mut { entry.record }).map_or(0, u64::from_le_bytes);
                }
                continue;
            }
            let mut rest = entry.record;
            let entrant = Entrant::read(&mut rest);
            let Some(read) = entrant.reads.iter().flatten().next() else { continue };
            let first = entry.number - read.offset;
            let next = BestEntry {
                rank: rest.to_vec(),
                first,
                group: entrant.group,
                reads: [Some(*read), None],
            };
            if !place.pair.is_empty() && turn[1..] > place.pair[..] {
                place.mark(&next, None, self.decisions, self.counts, chains.as_deref_mut())?;
                continue;
            }
            let Some(best) = place.best.take() else {
                place.best = Some(next);
                continue;
            };
            // Scores sort from the highest to the least; a read of the same score that comes later is worse.
            let (best, worse) = match next.rank.get(1..keys::RANK) < best.rank.get(1..keys::RANK) {
                true => (next, best),
                false => (best, next),
            };
            place.mark(&worse, Some(&best), self.decisions, self.counts, chains.as_deref_mut())?;
            place.best = Some(best);
        }
        place.end(self.decisions, self.counts, chains)
    }
}

/// A place where single reads begin.
#[derive(Default)]
struct FragmentStart {
    /// Where the first read of a pair here comes in coordinate order; empty if there is none.
    pair: Vec<u8>,
    chain: u64,
    /// The best single read that comes before that.
    best: Option<BestEntry>,
    has_duplicates: bool,
}

impl FragmentStart {
    /// Marks a read which was compared with another single one or, if not, with that of a pair.
    fn mark(
        &mut self,
        worse: &BestEntry,
        best: Option<&BestEntry>,
        decisions: &mut DuplicateDecisions,
        counts: &mut DuplicateCounts,
        chains: Option<&mut Chains>,
    ) -> Result<(), Error> {
        let Some(read) = &worse.reads[0] else { return Ok(()) };
        self.has_duplicates = true;
        counts.duplicate_single += 1;
        decisions.mark(worse.first, worse.group, read);
        let Some(chains) = chains else { return Ok(()) };
        // Of equal scores the first one was better here, and the least name is among duplicates.
        let is_near =
            |best: &BestEntry| optical::are_near(best.name(), worse.name(), chains.distance);
        let is_optical = best.is_some_and(is_near);
        chains.add(self.chain, &ChainMember { is_paired: false, is_optical, ..worse.member(read) })
    }

    /// Ends what is here: beside a read of a pair the best single one is a duplicate, too.
    fn end(
        mut self,
        decisions: &mut DuplicateDecisions,
        counts: &mut DuplicateCounts,
        chains: Option<&mut Chains>,
    ) -> Result<(), Error> {
        let Some(best) = self.best.take() else { return Ok(()) };
        if !self.pair.is_empty() {
            return self.mark(&best, None, decisions, counts, chains);
        }
        match chains {
            Some(chains) if self.has_duplicates => chains.add_best(self.chain, best.name()),
            _ => Ok(()),
        }
    }
}

/// Where the reads of an entry would be as single ones, and which they are.
fn places_of(group: &[u8], entrant: &Entrant) -> impl Iterator<Item = (usize, u64, MarkedRead)> {
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
        Some((side, place, read))
    })
}
