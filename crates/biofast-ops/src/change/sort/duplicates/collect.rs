//! What is gathered of each group: its records, and what decides about duplicates.

use std::sync::Arc;

use biofast_bam::{Record, flag};

use super::super::gather::SortEntry;
use super::barcodes;
use super::gate::GroupBatch;
use super::keys::{self, ClippedEnds, DuplicateClass, Entrant, MarkedRead, Pair};
use super::libraries::DuplicateLibraries;
use super::mates::{self, GroupMember};
use super::metrics::DuplicateCounts;
use super::picard;
use super::primary::Primary;
use super::rule::{DuplicateRule, Marking, Mode};
use super::sanitize::sanitized;
use crate::Error;
use crate::change::sort::key::Order;
use crate::change::sort::sorter::{SortLimits, Sorter};

/// Entries are sorted by their whole keys.
const BY_KEY: Order = Order::LexicographicName;

/// Which keys single reads have, about: a key that isn't in it no single read has.
pub(super) struct KeyFilter {
    bits: Vec<u64>,
}

/// A power of two: 4 MB for the first single read and as many as there are.
const FILTER_BITS: usize = 1 << 25;

impl KeyFilter {
    fn places(key: &[u8]) -> [usize; 2] {
        // FNV-1a, and a last mixing for its low bits.
        let hash = key.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let hash = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        [(hash >> 38) as usize % FILTER_BITS, hash as usize % FILTER_BITS]
    }

    fn add(&mut self, key: &[u8]) {
        if self.bits.is_empty() {
            self.bits = vec![0; FILTER_BITS / 64];
        }
        for place in KeyFilter::places(key) {
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
        !self.bits.is_empty() && KeyFilter::places(key).into_iter().all(is_set)
    }
}

/// What decides about duplicates.
pub(super) struct Candidates {
    pub(super) pairs: Sorter,
    pub(super) singles: Sorter,
    pub(super) filter: KeyFilter,
    pub(super) counts: DuplicateCounts,
}

pub(super) struct DuplicateCollector {
    marking: Marking,
    lengths: Arc<[u64]>,
    libraries: Arc<DuplicateLibraries>,
    sorter: Sorter,
    candidates: Candidates,
    members: Vec<GroupMember>,
    barcodes: Vec<Option<u32>>,
    record: Vec<u8>,
    key: Vec<u8>,
    entrant: Vec<u8>,
}

/// What is known of a read that is looked at.
struct Looked<'g, 'r> {
    record: &'g Record<'r>,
    read: MarkedRead,
    ends: ClippedEnds,
    /// The hash of its barcode or its mate's, if either has one.
    barcode: Option<u32>,
    /// By Picard's rule, its library and those of its barcodes that only reads of its number have.
    library: u32,
    read_barcodes: [u32; 2],
    /// The number of the record.
    number: u64,
}

/// A name's records, and what is known of them.
struct TemplateGroup<'g, 'r> {
    first: u64,
    records: &'g [Record<'r>],
    members: &'g [GroupMember],
    barcodes: &'g [Option<u32>],
}

impl TemplateGroup<'_, '_> {
    fn len(&self) -> u64 {
        self.members.len() as u64
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
}

impl DuplicateCollector {
    /// `beside`: records are stored by a thread of its own.
    pub(super) fn new(
        limits: &SortLimits,
        beside: bool,
        marking: &Marking,
        lengths: &Arc<[u64]>,
        libraries: &Arc<DuplicateLibraries>,
    ) -> DuplicateCollector {
        // Keys take a third of what records take, or less.
        let part = |sixteenths: usize| SortLimits {
            memory: limits.memory / 16 * sixteenths,
            ..limits.clone()
        };
        // What tells optical duplicates, too.
        let of_records = if marking.optical_distance().is_some() { 11 } else { 12 };
        let sorter = Sorter::new(Order::Coordinate, &part(of_records));
        DuplicateCollector {
            marking: marking.clone(),
            lengths: Arc::clone(lengths),
            libraries: Arc::clone(libraries),
            sorter: if beside { sorter.storing_beside() } else { sorter },
            candidates: Candidates {
                pairs: Sorter::new(BY_KEY, &part(3)),
                singles: Sorter::new(BY_KEY, &part(1)),
                filter: KeyFilter { bits: Vec::new() },
                counts: DuplicateCounts::default(),
            },
            members: Vec::new(),
            barcodes: Vec::new(),
            record: Vec::new(),
            key: Vec::new(),
            entrant: Vec::new(),
        }
    }

    /// Adds the groups of a batch.
    ///
    /// # Errors
    /// If a record can't be written, with its number counted from 1, or a temporary file.
    pub(super) fn add(&mut self, batch: &GroupBatch) -> Result<(), (u64, Error)> {
        let mut records = Vec::new();
        for range in batch.groups() {
            let first = batch.first + range.start as u64;
            records.clear();
            for index in range {
                let record = batch.record(index);
                let number = batch.first + index as u64 + 1;
                record.check().map_err(|error| (number, error.into()))?;
                records.push(record);
            }
            self.add_group(first, &records).map_err(|problem| (first + 1, problem))?;
        }
        Ok(())
    }

    fn add_group(&mut self, first: u64, records: &[Record<'_>]) -> Result<(), Error> {
        if self.marking.rule == DuplicateRule::Picard {
            return self.add_sanitized(first, records);
        }
        let mut changed = Vec::new();
        for (index, record) in records.iter().enumerate() {
            changed.extend(sanitized(record, &self.lengths).map(|bytes| (index, bytes)));
        }
        if changed.is_empty() {
            return self.add_sanitized(first, records);
        }
        let mut all = records.to_vec();
        for (index, bytes) in &changed {
            all[*index] = Record::from_checked(bytes);
        }
        self.add_sanitized(first, &all)
    }

    fn add_sanitized(&mut self, first: u64, records: &[Record<'_>]) -> Result<(), Error> {
        let mut members = std::mem::take(&mut self.members);
        let mut barcodes = std::mem::take(&mut self.barcodes);
        match self.marking.rule {
            DuplicateRule::Samtools => {
                mates::mate(records, &mut members);
                if !self.marking.clear {
                    share_marks(&mut members, self.marking.remove);
                }
            }
            DuplicateRule::Picard => mates::as_picard(records, &mut members),
        }
        for (index, member) in members.iter().enumerate() {
            let number = first + index as u64;
            match member {
                GroupMember::Primary(to) | GroupMember::Supplementary(to)
                    if self.marking.rule == DuplicateRule::Samtools =>
                {
                    self.add_changed(number, records, to)?;
                }
                _ => self.add_unchanged(number, &records[index])?,
            }
        }
        self.marking.barcode.of_group(records, &members, &mut barcodes);
        let group = TemplateGroup { first, records, members: &members, barcodes: &barcodes };
        self.look(&group)?;
        (self.members, self.barcodes) = (members, barcodes);
        Ok(())
    }

    /// Whether a mark of the input is removed.
    fn clears(&self, flags: u16) -> bool {
        (self.marking.clear || self.marking.rule == DuplicateRule::Picard)
            && flags & flag::DUPLICATE != 0
    }

    /// Adds a record of which only the mark is changed, and tags that say what it was about.
    fn add_unchanged(&mut self, number: u64, record: &Record<'_>) -> Result<(), Error> {
        let clears = self.clears(record.flags());
        let is_picard = self.marking.rule == DuplicateRule::Picard;
        let is_unwanted = |name: [u8; 2]| match is_picard {
            true => name == *b"DT",
            false => is_of_mark(name),
        };
        let changes = clears || (is_picard && record.tags().any(|tag| is_unwanted(tag.name)));
        if !changes {
            return self.sorter.add_checked(number, record);
        }
        self.record.clear();
        let fixed = record.as_bytes().len() - record.tag_bytes().len();
        self.record.extend_from_slice(&record.as_bytes()[..fixed]);
        self.record[14..16].copy_from_slice(&(record.flags() & !flag::DUPLICATE).to_le_bytes());
        super::tags::append_tags(record, &mut self.record, is_unwanted);
        self.sorter.add_checked(number, &Record::from_checked(&self.record))
    }

    /// Adds a record that is told of its mate.
    fn add_changed(
        &mut self,
        number: u64,
        records: &[Record<'_>],
        to: &Primary,
    ) -> Result<(), Error> {
        self.record.clear();
        let mut to = *to;
        let clears = self.clears(to.flags);
        if clears {
            to.flags &= !flag::DUPLICATE;
        }
        let without = |name: [u8; 2]| clears && is_of_mark(name);
        mates::write(records, &to, without, &mut self.record);
        self.sorter.add_checked(number, &Record::from_checked(&self.record))
    }

    /// Whether a primary record isn't looked at.
    fn is_excluded(&self, flags: u16) -> bool {
        let looks_at_fails =
            self.marking.include_fails || self.marking.rule == DuplicateRule::Picard;
        flags & flag::UNMAPPED != 0 || (!looks_at_fails && flags & flag::QC_FAIL != 0)
    }

    /// Looks for what may be a duplicate.
    fn look(&mut self, group: &TemplateGroup<'_, '_>) -> Result<(), Error> {
        for (index, member) in group.members.iter().enumerate() {
            let looked = member.primary().filter(|one| !self.is_excluded(one.flags));
            let Some(one) = looked else {
                self.candidates.counts.excluded += 1;
                continue;
            };
            let counts = &mut self.candidates.counts;
            counts.examined += 1;
            // Two that are each other's mates are decided about together.
            let other = one.mate.and_then(|mate| group.primary(mate));
            let other = other.filter(|other| other.mate == Some(index));
            let other = other.filter(|other| !self.is_excluded(other.flags));
            let follower = if other.is_none() { group.only_other(index) } else { None };
            let own = self.known(group, one, follower);
            if self.marking.has_barcodes() && own.barcode.is_none() && own.read_barcodes == [0; 2] {
                self.candidates.counts.without_barcode += 1;
            }
            match (other, self.marking.rule) {
                (None, DuplicateRule::Samtools) => self.look_at_one(group, one, &own)?,
                (None, DuplicateRule::Picard) => self.look_at_one_as_picard(group, one, &own)?,
                // Both have been looked at already.
                (Some(other), _) if other.index < index => {}
                (Some(other), rule) => {
                    let both = [own, self.known(group, other, None)];
                    match rule {
                        DuplicateRule::Samtools => self.look_at_pair(group, [one, other], &both)?,
                        DuplicateRule::Picard => {
                            self.look_at_pair_as_picard(group, [one, other], &both)?
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// What is known of a read that is looked at.
    fn known<'g, 'r>(
        &self,
        group: &TemplateGroup<'g, 'r>,
        primary: &Primary,
        follower: Option<usize>,
    ) -> Looked<'g, 'r> {
        let index = primary.index;
        let record = &group.records[index];
        let spreads = self.marking.supplementary
            && (primary.flags & flag::MATE_UNMAPPED != 0
                || record.tags().any(|tag| matches!(&tag.name, b"SA" | b"XA")));
        let read = MarkedRead {
            offset: index as u64,
            position: primary.position,
            is_reverse: primary.flags & flag::REVERSE != 0,
            spreads,
            follower: follower.map(|other| other as u64),
            barcode: None,
        };
        let (mut library, mut read_barcodes) = (0, [0; 2]);
        if self.marking.rule == DuplicateRule::Picard {
            library = self.libraries.of(record);
            let number =
                usize::from(primary.flags & flag::PAIRED != 0 && primary.flags & flag::READ1 == 0);
            let tag = self.marking.read_barcodes[number];
            read_barcodes[number] =
                tag.and_then(|tag| barcodes::of_tag(record, tag)).unwrap_or_default();
        }
        Looked {
            record,
            read,
            ends: ClippedEnds::new(record, primary.position),
            barcode: group.barcodes[index],
            library,
            read_barcodes,
            number: group.first + index as u64,
        }
    }

    /// Library and barcode of a single read, as far as they count.
    fn kind(&self, looked: &Looked<'_, '_>) -> DuplicateClass {
        let barcode = looked.barcode.unwrap_or_default();
        match self.marking.rule {
            DuplicateRule::Samtools => {
                DuplicateClass::new(None, self.marking.has_barcodes().then_some(barcode))
            }
            DuplicateRule::Picard => self.kind_of_picard(looked, looked.read_barcodes),
        }
    }

    fn kind_of_picard(&self, looked: &Looked<'_, '_>, read_barcodes: [u32; 2]) -> DuplicateClass {
        let barcode = looked.barcode.unwrap_or_default();
        let barcode = match self.marking.has_read_barcodes() {
            true => {
                let [one, two] = read_barcodes.map(u32::to_be_bytes);
                barcodes::hash(&[barcode.to_be_bytes(), one, two].concat())
            }
            false => barcode,
        };
        DuplicateClass::new(Some(looked.library), self.marking.has_barcodes().then_some(barcode))
    }

    /// A read whose mate isn't looked at with it.
    fn look_at_one(
        &mut self,
        group: &TemplateGroup<'_, '_>,
        read: &Primary,
        own: &Looked<'_, '_>,
    ) -> Result<(), Error> {
        let mate = read.mate.and_then(|mate| group.primary(mate));
        let Some(mate) = mate.filter(|_| read.has_mapped_mate()) else {
            return self.add_single(read, own, group.len());
        };
        self.candidates.counts.paired += 1;
        let ends_of_mate = ClippedEnds::new(&group.records[mate.index], mate.position);
        let pair = keys::pair(self.marking.mode, (read, &own.ends), (mate, &ends_of_mate));
        let side = usize::from(!pair.is_left);
        let mut entrant = Entrant { group: group.len(), ..Entrant::default() };
        entrant.reads[side] = Some(own.read);
        let is_same_strand = (read.flags ^ mate.flags) & flag::REVERSE == 0;
        let is_hidden = usize::from(!own.read.is_reverse) == side;
        if is_same_strand && is_hidden && self.marking.mode == Mode::Template {
            let place = own.ends.five_prime(read.flags);
            entrant.hidden = Some(keys::place(read.reference, place));
        }
        pair.write(self.kind(own).as_bytes(), &mut self.key);
        let rank = (read.flags & flag::QC_FAIL != 0, score(read));
        self.add_pair(group.first, rank, own.record.name(), &entrant)
    }

    /// Reads of which one is the mate of the other.
    fn look_at_pair(
        &mut self,
        group: &TemplateGroup<'_, '_>,
        reads: [&Primary; 2],
        looked: &[Looked<'_, '_>; 2],
    ) -> Result<(), Error> {
        self.candidates.counts.paired += 2;
        let mode = self.marking.mode;
        let pairs = [0, 1].map(|at| {
            let of = |at: usize| (reads[at], &looked[at].ends);
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
            let place = looked[at].ends.five_prime(reads[at].flags);
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
        self.add_pair(group.first, rank, looked[0].record.name(), &entrant)
    }

    /// Adds the entry of a pair whose key has what the group has in common.
    fn add_pair(
        &mut self,
        first: u64,
        (fails, score): (bool, i64),
        name: &[u8],
        entrant: &Entrant,
    ) -> Result<(), Error> {
        self.key.push(u8::from(fails));
        keys::write_score(score, &mut self.key);
        self.key.extend_from_slice(name);
        entrant.write(&mut self.entrant);
        let entry = SortEntry { number: first, key: &self.key, record: &self.entrant };
        self.candidates.pairs.add_entry(&entry)
    }

    /// A read that Picard finds no mate of.
    fn look_at_one_as_picard(
        &mut self,
        group: &TemplateGroup<'_, '_>,
        read: &Primary,
        own: &Looked<'_, '_>,
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
        looked: &[Looked<'_, '_>; 2],
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
        let pairs = picard::pair(reads, [&one.ends, &other.ends]);
        let (left, right) = if pairs[0].is_left { (one, other) } else { (other, one) };
        let score = picard::score(one.record) + picard::score(other.record);
        pairs[0].write(kind.as_bytes(), &mut self.key);
        self.key.push(0);
        keys::write_score(score, &mut self.key);
        picard::write_location(one.record.name(), &mut self.key);
        self.key.extend(left.read.position.to_be_bytes());
        self.key.push(u8::from(left.read.is_reverse));
        let reads = [Some(left.read), Some(right.read)];
        Entrant { reads, group: group.len(), hidden: None, is_silent }.write(&mut self.entrant);
        let read_group = self.libraries.group_of(earlier.record);
        picard::write_cluster(orientation, read_group, &mut self.entrant);
        let entry = SortEntry { number: group.first, key: &self.key, record: &self.entrant };
        self.candidates.pairs.add_entry(&entry)
    }

    /// Lets single reads know that a read of a pair is here.
    fn add_presence(&mut self, read: &Primary, own: &Looked<'_, '_>) -> Result<(), Error> {
        let place = keys::place(read.reference, own.ends.five_prime(read.flags));
        let kind = self.kind(own);
        keys::write_single(place, own.read.is_reverse, kind.as_bytes(), &mut self.key);
        self.key.push(keys::PRESENCE);
        let entry = SortEntry { number: own.number, key: &self.key, record: &[] };
        self.candidates.singles.add_entry(&entry)
    }

    /// A read without a mate that is aligned.
    fn add_single(
        &mut self,
        read: &Primary,
        looked: &Looked<'_, '_>,
        group: u64,
    ) -> Result<(), Error> {
        self.candidates.counts.single += 1;
        let place = keys::place(read.reference, looked.ends.five_prime(read.flags));
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
                    self.entrant.extend_from_slice(looked.record.name());
                }
            }
            DuplicateRule::Picard => {
                keys::write_score(picard::score(looked.record), &mut self.key);
                picard::write_location(looked.record.name(), &mut self.key);
                self.key.extend(read.position.to_be_bytes());
            }
        }
        let entry = SortEntry { number: looked.number, key: &self.key, record: &self.entrant };
        self.candidates.singles.add_entry(&entry)
    }

    /// Takes over what another one gathered.
    pub(super) fn merge(&mut self, other: DuplicateCollector) {
        let Candidates { pairs, singles, filter, counts } = other.candidates;
        self.sorter.merge(other.sorter);
        self.candidates.pairs.merge(pairs);
        self.candidates.singles.merge(singles);
        self.candidates.filter.merge(filter);
        self.candidates.counts.add(&counts);
    }

    pub(super) fn into_parts(self) -> (Sorter, Candidates) {
        (self.sorter, self.candidates)
    }
}

/// Whether an optional field says what an earlier mark was about.
fn is_of_mark(name: [u8; 2]) -> bool {
    matches!(&name, b"dt" | b"do")
}

/// A mark that one of two mates has in the input is that of both. One that isn't aligned needs none, unless marked records are left
/// out, so that it doesn't stay alone.
fn share_marks(members: &mut [GroupMember], are_removed: bool) {
    let primary = || members.iter().filter_map(GroupMember::primary);
    let is_marked = |one: &Primary| one.flags & flag::DUPLICATE != 0;
    if primary().count() != 2 || !primary().any(is_marked) {
        return;
    }
    for member in members {
        if let GroupMember::Primary(one) = member
            && (are_removed || one.flags & flag::UNMAPPED == 0)
        {
            one.flags |= flag::DUPLICATE;
        }
    }
}

/// The score of a pair as one of its reads has it: that of the mate is read from a field of 32 bits with a sign.
fn score(read: &Primary) -> i64 {
    i64::from(read.score) + i64::from(read.mate_score.unwrap_or_default() as i32)
}
