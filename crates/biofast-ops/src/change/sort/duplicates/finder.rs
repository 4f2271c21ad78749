//! Finds what may be a duplicate: what decides about the reads of a name goes as short keys to sorters.

use std::sync::Arc;

use biofast_bam::flag;

use super::super::gather::SortEntry;
use super::barcodes;
use super::entries::{EntrySink, FewEntries};
use super::keys::{self, ClippedEnds, DuplicateClass, Entrant, MarkedRead, Pair};
use super::libraries::DuplicateLibraries;
use super::mates::GroupMember;
use super::metrics::DuplicateCounts;
use super::picard;
use super::primary::Primary;
use super::rule::{DuplicateRule, Marking, Mode};
use super::signature::{ReadSignature, is_examined};
use crate::Error;
use crate::change::sort::key::Order;
use crate::change::sort::sorter::{SortLimits, Sorter};

/// Entries are sorted by their whole keys.
pub(super) const BY_KEY: Order = Order::LexicographicName;

/// Which keys single reads have, about: a key that isn't in it no single read has.
pub(super) struct KeyFilter {
    bits: Vec<u64>,
    /// How many there are once there is a key: a power of two.
    len: usize,
}

impl KeyFilter {
    /// 4 MB for the first single read and as many as there are.
    const OF_ALL: usize = 1 << 25;
    /// 16 kB for those of a few thousand records.
    const OF_FEW: usize = 1 << 17;

    fn new(len: usize) -> KeyFilter {
        KeyFilter { bits: Vec::new(), len }
    }

    fn places(&self, key: &[u8]) -> [usize; 2] {
        // FNV-1a, and a last mixing for its low bits.
        let hash = key.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let hash = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        [(hash >> 38) as usize % self.len, hash as usize % self.len]
    }

    pub(super) fn add(&mut self, key: &[u8]) {
        if self.bits.is_empty() {
            self.bits = vec![0; self.len / 64];
        }
        for place in self.places(key) {
            self.bits[place / 64] |= 1 << (place % 64);
        }
    }

    fn merge(&mut self, other: KeyFilter) {
        if self.bits.is_empty() {
            self.bits = other.bits;
            return;
        }
        for (own, other) in self.bits.iter_mut().zip(other.bits) {
            *own |= other;
        }
    }

    pub(super) fn may_have(&self, key: &[u8]) -> bool {
        let is_set = |place: usize| self.bits[place / 64] >> (place % 64) & 1 != 0;
        !self.bits.is_empty() && self.places(key).into_iter().all(is_set)
    }
}

/// What decides about duplicates.
pub(super) struct Candidates<E = Sorter> {
    pub(super) pairs: E,
    pub(super) singles: E,
    pub(super) filter: KeyFilter,
    pub(super) counts: DuplicateCounts,
}

/// Takes the reads of one name after the other.
pub(super) struct DuplicateFinder<E = Sorter> {
    pub(super) marking: Marking,
    pub(super) libraries: Arc<DuplicateLibraries>,
    pub(super) candidates: Candidates<E>,
    barcodes: Vec<Option<u32>>,
    key: Vec<u8>,
    entrant: Vec<u8>,
}

/// What is known of a read that is looked at.
#[derive(Clone, Copy)]
struct Looked<'r> {
    own: ReadSignature<'r>,
    read: MarkedRead,
    /// The hash of its barcode or its mate's, if either has one.
    barcode: Option<u32>,
    /// By Picard's rule, those of its barcodes that only reads of its number have.
    read_barcodes: [u32; 2],
    /// The number of the record.
    number: u64,
}

/// A name's records, and what is known of them.
pub(super) struct TemplateGroup<'g, 'r> {
    /// The number of the first record.
    pub(super) first: u64,
    /// By how much the numbers of all of them are larger, where they don't follow each other.
    pub(super) offsets: Option<&'g [u64]>,
    pub(super) members: &'g [GroupMember],
    pub(super) reads: &'g [ReadSignature<'r>],
}

impl TemplateGroup<'_, '_> {
    /// How many records there are; 0 where they don't follow each other.
    fn len(&self) -> u64 {
        if self.offsets.is_some() { 0 } else { self.members.len() as u64 }
    }

    fn offset(&self, index: usize) -> u64 {
        self.offsets.map_or(index as u64, |offsets| offsets[index])
    }

    fn primary(&self, index: usize) -> Option<&Primary> {
        self.members.get(index).and_then(GroupMember::primary)
    }

    /// The one other primary record of the name.
    fn only_other(&self, index: usize) -> Option<usize> {
        let mut others = (0..self.members.len())
            .filter(|&other| other != index && self.primary(other).is_some());
        others.next().filter(|_| others.next().is_none())
    }

    /// The barcodes of the records; of two mates of which only one has one, it is that of both.
    fn barcodes(&self, out: &mut Vec<Option<u32>>) {
        out.clear();
        out.extend(self.reads.iter().map(|read| read.barcode));
        let primary = || self.members.iter().filter_map(GroupMember::primary);
        // Picard doesn't take all reads that are mates for such.
        if primary().count() == 2 {
            let of_pair = primary().find_map(|one| out[one.index]);
            for one in primary() {
                out[one.index] = out[one.index].or(of_pair);
            }
        }
    }
}

impl DuplicateFinder {
    /// Keys take so many sixteenths of the memory: of pairs, and of single reads.
    pub(super) fn new(
        limits: &SortLimits,
        sixteenths: [usize; 2],
        marking: &Marking,
        libraries: &Arc<DuplicateLibraries>,
    ) -> DuplicateFinder {
        let [pairs, singles] = sixteenths
            .map(|part| SortLimits { memory: limits.memory / 16 * part, ..limits.clone() })
            .map(|limits| Sorter::new(BY_KEY, &limits));
        DuplicateFinder::of(Candidates::new(pairs, singles, KeyFilter::OF_ALL), marking, libraries)
    }

    /// Takes over what another one found.
    pub(super) fn merge(&mut self, other: DuplicateFinder) {
        let Candidates { pairs, singles, filter, counts } = other.candidates;
        self.candidates.pairs.merge(pairs);
        self.candidates.singles.merge(singles);
        self.candidates.filter.merge(filter);
        self.candidates.counts.add(&counts);
    }
}

impl<E> Candidates<E> {
    fn new(pairs: E, singles: E, filter: usize) -> Candidates<E> {
        let filter = KeyFilter::new(filter);
        Candidates { pairs, singles, filter, counts: DuplicateCounts::default() }
    }

    /// None, of few records.
    pub(super) fn of_few() -> Candidates<E>
    where
        E: Default,
    {
        Candidates::new(E::default(), E::default(), KeyFilter::OF_FEW)
    }
}

impl Candidates<FewEntries> {
    /// Notes the keys of all single reads.
    pub(super) fn note_singles(&mut self, kind_len: usize) {
        let len = keys::SINGLE_KIND + kind_len;
        for (key, what) in self.singles.keys().filter_map(|key| key.split_at_checked(len)) {
            if what.first() == Some(&keys::SINGLE) {
                self.filter.add(key);
            }
        }
    }
}

impl<E: EntrySink> DuplicateFinder<E> {
    pub(super) fn of(
        candidates: Candidates<E>,
        marking: &Marking,
        libraries: &Arc<DuplicateLibraries>,
    ) -> DuplicateFinder<E> {
        DuplicateFinder {
            marking: marking.clone(),
            libraries: Arc::clone(libraries),
            candidates,
            barcodes: Vec::new(),
            key: Vec::new(),
            entrant: Vec::new(),
        }
    }

    /// Looks for what may be a duplicate.
    pub(super) fn look(&mut self, group: &TemplateGroup<'_, '_>) -> Result<(), Error> {
        let mut barcodes = std::mem::take(&mut self.barcodes);
        group.barcodes(&mut barcodes);
        for (index, member) in group.members.iter().enumerate() {
            let looked = member.primary().filter(|one| is_examined(one.flags, &self.marking));
            let Some(one) = looked else {
                self.candidates.counts.excluded += 1;
                continue;
            };
            let counts = &mut self.candidates.counts;
            counts.examined += 1;
            // Two that are each other's mates are decided about together.
            let other = one.mate.and_then(|mate| group.primary(mate));
            let other = other.filter(|other| other.mate == Some(index));
            let other = other.filter(|other| is_examined(other.flags, &self.marking));
            let follower = if other.is_none() { group.only_other(index) } else { None };
            let own = self.known(group, one, barcodes[index], follower);
            if self.marking.has_barcodes() && own.barcode.is_none() && own.read_barcodes == [0; 2] {
                self.candidates.counts.without_barcode += 1;
            }
            match (other, self.marking.rule) {
                (None, DuplicateRule::Samtools) => self.look_at_one(group, one, &own)?,
                (None, DuplicateRule::Picard) => self.look_at_one_as_picard(group, one, &own)?,
                // Both have been looked at already.
                (Some(other), _) if other.index < index => {}
                (Some(other), rule) => {
                    let other_barcode = barcodes[other.index];
                    let both = [own, self.known(group, other, other_barcode, None)];
                    match rule {
                        DuplicateRule::Samtools => self.look_at_pair(group, [one, other], &both)?,
                        DuplicateRule::Picard => {
                            self.look_at_pair_as_picard(group, [one, other], &both)?
                        }
                    }
                }
            }
        }
        self.barcodes = barcodes;
        Ok(())
    }

    /// What is known of a read that is looked at.
    fn known<'r>(
        &self,
        group: &TemplateGroup<'_, 'r>,
        primary: &Primary,
        barcode: Option<u32>,
        follower: Option<usize>,
    ) -> Looked<'r> {
        let own = group.reads[primary.index];
        let offset = group.offset(primary.index);
        let read = MarkedRead {
            offset,
            position: primary.position,
            is_reverse: primary.is_reverse(),
            spreads: self.marking.supplementary
                && (own.is_split || primary.flags & flag::MATE_UNMAPPED != 0),
            follower: follower.map(|other| group.offset(other)),
            barcode: None,
        };
        let mut read_barcodes = [0; 2];
        read_barcodes[usize::from(picard::is_second(primary.flags))] = own.read_barcode;
        Looked { own, read, barcode, read_barcodes, number: group.first + offset }
    }

    /// Library and barcode of a single read, as far as they count.
    fn kind(&self, looked: &Looked<'_>) -> DuplicateClass {
        let barcode = looked.barcode.unwrap_or_default();
        match self.marking.rule {
            DuplicateRule::Samtools => {
                DuplicateClass::new(None, self.marking.has_barcodes().then_some(barcode))
            }
            DuplicateRule::Picard => self.kind_of_picard(looked, looked.read_barcodes),
        }
    }

    fn kind_of_picard(&self, looked: &Looked<'_>, read_barcodes: [u32; 2]) -> DuplicateClass {
        let barcode = looked.barcode.unwrap_or_default();
        let barcode = match self.marking.has_read_barcodes() {
            true => {
                let [one, two] = read_barcodes.map(u32::to_be_bytes);
                barcodes::hash(&[barcode.to_be_bytes(), one, two].concat())
            }
            false => barcode,
        };
        DuplicateClass::new(
            Some(looked.own.library),
            self.marking.has_barcodes().then_some(barcode),
        )
    }

    /// A read whose mate isn't looked at with it.
    fn look_at_one(
        &mut self,
        group: &TemplateGroup<'_, '_>,
        read: &Primary,
        own: &Looked<'_>,
    ) -> Result<(), Error> {
        let mate = read.mate.and_then(|mate| group.primary(mate));
        let Some(mate) = mate.filter(|_| read.has_mapped_mate()) else {
            return self.add_single(read, own, group.len());
        };
        let ends = group.reads[mate.index].ends;
        self.add_half((group.first, group.len()), (read, own), (mate, &ends), false)
    }

    /// A read of a pair that is decided about without the other one, of which it is known where it lies. If it is alone, the other
    /// one is decided about in the same way.
    fn add_half(
        &mut self,
        (first, group): (u64, u64),
        (read, own): (&Primary, &Looked<'_>),
        (mate, ends_of_mate): (&Primary, &ClippedEnds),
        is_alone: bool,
    ) -> Result<(), Error> {
        self.candidates.counts.paired += 1;
        let mut pair = keys::pair(self.marking.mode, (read, &own.own.ends), (mate, ends_of_mate));
        let side = usize::from(!pair.is_left);
        if is_alone && !pair.is_left {
            pair.orientation |= keys::RIGHT_ALONE;
        }
        let mut entrant = Entrant { group, ..Entrant::default() };
        entrant.reads[side] = Some(own.read);
        let is_same_strand = (read.flags ^ mate.flags) & flag::REVERSE == 0;
        let is_hidden = usize::from(!own.read.is_reverse) == side;
        if is_same_strand && is_hidden && self.marking.mode == Mode::Template {
            if E::IS_WINDOW {
                entrant.is_silent = true;
                self.add_presence(read, own)?;
            } else {
                let place = own.own.ends.five_prime(read.flags);
                entrant.hidden = Some(keys::place(read.reference, place));
            }
        }
        pair.write(self.kind(own).as_bytes(), &mut self.key);
        let rank = (read.flags & flag::QC_FAIL != 0, score(read));
        let place = if pair.is_left { pair.left } else { pair.right };
        self.add_pair((place, first), rank, own.own.name, &entrant)
    }

    /// A primary record whose tags tell of its mate: `mate` is the mate as they have it, if it is aligned.
    pub(super) fn look_alone(
        &mut self,
        number: u64,
        read: &Primary,
        signature: &ReadSignature<'_>,
        mate: Option<(&Primary, &ClippedEnds)>,
    ) -> Result<(), Error> {
        self.candidates.counts.examined += 1;
        if self.marking.has_barcodes() && signature.barcode.is_none() {
            self.candidates.counts.without_barcode += 1;
        }
        let mut read = *read;
        read.index = 0;
        let group = TemplateGroup {
            first: number,
            offsets: Some(&[0]),
            members: &[GroupMember::Primary(read)],
            reads: &[*signature],
        };
        let own = self.known(&group, &read, signature.barcode, None);
        match mate {
            Some(mate) => self.add_half((number, 0), (&read, &own), mate, true),
            None => self.add_single(&read, &own, 0),
        }
    }

    /// Reads of which one is the mate of the other.
    fn look_at_pair(
        &mut self,
        group: &TemplateGroup<'_, '_>,
        reads: [&Primary; 2],
        looked: &[Looked<'_>; 2],
    ) -> Result<(), Error> {
        self.candidates.counts.paired += 2;
        let mode = self.marking.mode;
        let pairs = [0, 1].map(|at| {
            let of = |at: usize| (reads[at], &looked[at].own.ends);
            keys::pair(mode, of(at), of(1 - at))
        });
        // Mates that see their template differently are a pair nevertheless. Where both begin at one place, each is the left one for
        // itself: that counts for which the forward read, or of two on one strand the first one turned forward, comes first. Else
        // (one has no base on the reference, say) the first read decides.
        let are_one = pairs[0].is_of(&pairs[1]);
        let is_forward = |pair: &Pair| {
            pair.is_left
                && matches!(pair.orientation, keys::FORWARD_FORWARD | keys::FORWARD_REVERSE)
        };
        let is_second = |at: usize| reads[at].flags & flag::READ1 == 0;
        let view = match (are_one, is_forward(&pairs[0]), is_forward(&pairs[1])) {
            (true, ..) | (false, true, false) => 0,
            (false, false, true) => 1,
            (false, ..) => usize::from(is_second(0) && !is_second(1)),
        };
        let pair = &pairs[view];
        let barcode = barcodes::of_pair([0, 1].map(|at| looked[at].barcode), reads[0].flags);
        let mut entrant = Entrant { group: group.len(), ..Entrant::default() };
        let mut place_of = [0; 2];
        for at in 0..2 {
            let side = usize::from(pair.is_left != (at == view));
            let own = looked[at].barcode.unwrap_or_default();
            let barcode = (own != barcode).then_some(own);
            entrant.reads[side] = Some(MarkedRead { barcode, ..looked[at].read });
            let place = looked[at].own.ends.five_prime(reads[at].flags);
            place_of[side] = keys::place(reads[at].reference, place);
        }
        let is_same_strand = (reads[0].flags ^ reads[1].flags) & flag::REVERSE == 0;
        if is_same_strand && mode == Mode::Template {
            // The key has the start of the left read and the end of the right one.
            entrant.hidden = Some(place_of[usize::from(!looked[0].read.is_reverse)]);
        }
        let kind = DuplicateClass::new(None, self.marking.has_barcodes().then_some(barcode));
        pair.write(kind.as_bytes(), &mut self.key);
        let fails = (reads[0].flags | reads[1].flags) & flag::QC_FAIL != 0;
        let rank = (fails, score(reads[view]));
        self.add_pair((pair.left, group.first), rank, looked[0].own.name, &entrant)
    }

    /// Adds the entry of a pair, which is at this place, whose key has what the group has in common.
    fn add_pair(
        &mut self,
        (place, first): (u64, u64),
        (fails, score): (bool, i64),
        name: &[u8],
        entrant: &Entrant,
    ) -> Result<(), Error> {
        self.key.push(u8::from(fails));
        keys::write_score(score, &mut self.key);
        self.key.extend_from_slice(name);
        entrant.write(&mut self.entrant);
        let entry = SortEntry { number: first, key: &self.key, record: &self.entrant };
        self.candidates.pairs.take(place, &entry)
    }

    /// A read that Picard finds no mate of.
    fn look_at_one_as_picard(
        &mut self,
        group: &TemplateGroup<'_, '_>,
        read: &Primary,
        own: &Looked<'_>,
    ) -> Result<(), Error> {
        if !(read.has_mapped_mate() && read.names_mate_reference()) {
            return self.add_single(read, own, group.len());
        }
        self.candidates.counts.paired += 1;
        self.add_presence(read, own)
    }

    /// Reads of which one is the mate of the other, as Picard sees them.
    fn look_at_pair_as_picard(
        &mut self,
        group: &TemplateGroup<'_, '_>,
        reads: [&Primary; 2],
        looked: &[Looked<'_>; 2],
    ) -> Result<(), Error> {
        let [one, other] = looked;
        // Library and barcodes are those of the first one in coordinate order.
        let starts = usize::from(picard::is_before(reads[1], reads[0]));
        let (earlier, later) = if starts == 1 { (other, one) } else { (one, other) };
        let mut read_barcodes = earlier.read_barcodes;
        let number = usize::from(reads[1 - starts].flags & flag::READ1 == 0);
        read_barcodes[number] = later.read_barcodes[number];
        let kind = self.kind_of_picard(earlier, read_barcodes);
        let is_silent =
            (0..2).any(|at| self.kind(&looked[at]) != kind || !reads[at].names_mate_reference());
        for at in 0..2 {
            if !reads[at].names_mate_reference() {
                self.add_single(reads[at], &looked[at], group.len())?;
                continue;
            }
            self.candidates.counts.paired += 1;
            if is_silent {
                self.add_presence(reads[at], &looked[at])?;
            }
        }
        let orientation = picard::orientation_as_sequenced([reads[starts], reads[1 - starts]]);
        let pairs = picard::pair(reads, [&one.own.ends, &other.own.ends]);
        let (left, right) = if pairs[0].is_left { (one, other) } else { (other, one) };
        let score = one.own.score + other.own.score;
        pairs[0].write(kind.as_bytes(), &mut self.key);
        self.key.push(0);
        keys::write_score(score, &mut self.key);
        picard::write_location(one.own.name, &mut self.key);
        self.key.extend(left.read.position.to_be_bytes());
        self.key.push(u8::from(left.read.is_reverse));
        let reads = [Some(left.read), Some(right.read)];
        Entrant { reads, group: group.len(), hidden: None, is_silent }.write(&mut self.entrant);
        let read_group = earlier.own.read_group;
        picard::write_cluster(orientation, read_group, &mut self.entrant);
        let entry = SortEntry { number: group.first, key: &self.key, record: &self.entrant };
        self.candidates.pairs.take(pairs[0].left, &entry)
    }

    /// Lets single reads know that a read of a pair is here.
    fn add_presence(&mut self, read: &Primary, own: &Looked<'_>) -> Result<(), Error> {
        let place = keys::place(read.reference, own.own.ends.five_prime(read.flags));
        let kind = self.kind(own);
        keys::write_single(place, own.read.is_reverse, kind.as_bytes(), &mut self.key);
        self.key.push(keys::PRESENCE);
        if self.marking.rule == DuplicateRule::Samtools {
            keys::write_turn(read.position, own.number, &mut self.key);
        }
        let entry = SortEntry { number: own.number, key: &self.key, record: &[] };
        self.candidates.singles.take(place, &entry)
    }

    /// A read without a mate that is aligned.
    fn add_single(&mut self, read: &Primary, looked: &Looked<'_>, group: u64) -> Result<(), Error> {
        self.candidates.counts.single += 1;
        let place = keys::place(read.reference, looked.own.ends.five_prime(read.flags));
        let kind = self.kind(looked);
        keys::write_single(place, looked.read.is_reverse, kind.as_bytes(), &mut self.key);
        self.candidates.filter.add(&self.key);
        self.key.push(keys::SINGLE);
        Entrant { reads: [Some(looked.read), None], group, ..Entrant::default() }
            .write(&mut self.entrant);
        match self.marking.rule {
            DuplicateRule::Samtools => {
                keys::write_turn(read.position, looked.number, &mut self.key);
                self.entrant.push(u8::from(read.flags & flag::QC_FAIL != 0));
                keys::write_score(i64::from(read.score), &mut self.entrant);
                if self.marking.optical_distance().is_some() {
                    self.entrant.extend_from_slice(looked.own.name);
                }
            }
            DuplicateRule::Picard => {
                keys::write_score(looked.own.score, &mut self.key);
                picard::write_location(looked.own.name, &mut self.key);
                self.key.extend(read.position.to_be_bytes());
                self.key.extend(looked.number.to_be_bytes());
            }
        }
        let entry = SortEntry { number: looked.number, key: &self.key, record: &self.entrant };
        self.candidates.singles.take(place, &entry)
    }
}

/// The score of a pair as one of its reads has it: that of the mate is read from a field of 32 bits with a sign.
fn score(read: &Primary) -> i64 {
    i64::from(read.score) + i64::from(read.mate_score.unwrap_or_default() as i32)
}
