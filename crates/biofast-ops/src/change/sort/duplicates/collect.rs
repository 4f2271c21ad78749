//! What is gathered of each group: its records, and what decides about duplicates.

use std::sync::Arc;

use biofast_bam::{Record, flag};

use super::super::gather::Entry;
use super::super::{Limits, Order, Problem, Sorter};
use super::gate::Batch;
use super::keys::{self, Ends, Entrant, Pair, Read};
use super::mates::{self, Member, Primary};
use super::picard::{self, Libraries};
use super::{Counts, Marking, Mode, Rule};

/// Entries are sorted by their whole keys.
const BY_KEY: Order = Order::LexicographicName;

/// Which keys single reads have, about: a key that isn't in it no single read has.
pub(super) struct Filter {
    bits: Vec<u64>,
}

/// A power of two: 4 MB for the first single read and as many as there are.
const FILTER_BITS: usize = 1 << 25;

impl Filter {
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
        for place in Filter::places(key) {
            self.bits[place / 64] |= 1 << (place % 64);
        }
    }

    fn merge(&mut self, other: Filter) {
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
        !self.bits.is_empty() && Filter::places(key).into_iter().all(is_set)
    }
}

/// What decides about duplicates.
pub(super) struct Candidates {
    pub(super) pairs: Sorter,
    pub(super) singles: Sorter,
    pub(super) filter: Filter,
    pub(super) counts: Counts,
}

pub(super) struct Collector {
    marking: Marking,
    lengths: Arc<[u64]>,
    libraries: Arc<Libraries>,
    sorter: Sorter,
    candidates: Candidates,
    members: Vec<Member>,
    record: Vec<u8>,
    key: Vec<u8>,
    entrant: Vec<u8>,
}

/// What is known of a read that is looked at.
struct Looked<'g, 'r> {
    record: &'g Record<'r>,
    read: Read,
    ends: Ends,
    barcode: Option<u32>,
    /// The number of the record.
    number: u64,
}

impl Collector {
    /// `beside`: records are stored by a thread of its own.
    pub(super) fn new(
        limits: &Limits,
        beside: bool,
        marking: &Marking,
        lengths: &Arc<[u64]>,
        libraries: &Arc<Libraries>,
    ) -> Collector {
        // Keys take a third of what records take, or less.
        let part = |sixteenths: usize| Limits {
            memory: limits.memory / 16 * sixteenths,
            ..limits.clone()
        };
        // What tells optical duplicates, too.
        let of_records = if marking.optical_distance().is_some() { 11 } else { 12 };
        let sorter = Sorter::new(Order::Coordinate, &part(of_records));
        Collector {
            marking: marking.clone(),
            lengths: Arc::clone(lengths),
            libraries: Arc::clone(libraries),
            sorter: if beside { sorter.storing_beside() } else { sorter },
            candidates: Candidates {
                pairs: Sorter::new(BY_KEY, &part(3)),
                singles: Sorter::new(BY_KEY, &part(1)),
                filter: Filter { bits: Vec::new() },
                counts: Counts::default(),
            },
            members: Vec::new(),
            record: Vec::new(),
            key: Vec::new(),
            entrant: Vec::new(),
        }
    }

    /// Adds the groups of a batch.
    ///
    /// # Errors
    /// If a record can't be written, with its number counted from 1, or a temporary file.
    pub(super) fn add(&mut self, batch: &Batch) -> Result<(), (u64, Problem)> {
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

    fn add_group(&mut self, first: u64, records: &[Record<'_>]) -> Result<(), Problem> {
        let mut members = std::mem::take(&mut self.members);
        mates::mate(records, &self.lengths, &mut members);
        for (at, member) in members.iter().enumerate() {
            let number = first + at as u64;
            match member {
                Member::Other(index) => self.add_other(number, &records[*index])?,
                Member::Primary(primary) => {
                    let find = |index: usize| {
                        members.iter().find_map(|member| match member {
                            Member::Primary(primary) if primary.index == index => Some(primary),
                            _ => None,
                        })
                    };
                    let mate = primary.mate.and_then(find).map(|mate| (&records[mate.index], mate));
                    self.add_primary(number, &records[primary.index], primary, mate)?;
                }
            }
        }
        self.look(first, records, &members)?;
        self.members = members;
        Ok(())
    }

    fn clears(&self) -> bool {
        self.marking.clear || self.marking.rule == Rule::Picard
    }

    fn add_other(&mut self, number: u64, record: &Record<'_>) -> Result<(), Problem> {
        if !self.clears() || record.flags() & flag::DUPLICATE == 0 {
            return self.sorter.add_checked(number, record);
        }
        self.record.clear();
        let fixed = record.as_bytes().len() - record.tag_bytes().len();
        self.record.extend_from_slice(&record.as_bytes()[..fixed]);
        self.record[14..16].copy_from_slice(&(record.flags() & !flag::DUPLICATE).to_le_bytes());
        mates::append_tags(record, &mut self.record, is_of_mark);
        self.sorter.add_checked(number, &Record::from_checked(&self.record))
    }

    fn add_primary(
        &mut self,
        number: u64,
        record: &Record<'_>,
        primary: &Primary,
        mate: Option<(&Record<'_>, &Primary)>,
    ) -> Result<(), Problem> {
        self.record.clear();
        let mut primary = *primary;
        let clears = self.clears() && primary.flags & flag::DUPLICATE != 0;
        if clears {
            primary.flags &= !flag::DUPLICATE;
        }
        let without = |name: [u8; 2]| clears && is_of_mark(name);
        mates::write(record, &primary, mate, without, &mut self.record);
        self.sorter.add_checked(number, &Record::from_checked(&self.record))
    }

    /// Looks for what may be a duplicate.
    fn look(
        &mut self,
        first: u64,
        records: &[Record<'_>],
        members: &[Member],
    ) -> Result<(), Problem> {
        let group = members.len() as u64;
        let mut excluded = flag::UNMAPPED;
        if !self.marking.include_fails && self.marking.rule == Rule::Samtools {
            excluded |= flag::QC_FAIL;
        }
        let mut at = 0;
        while let Some(member) = members.get(at) {
            at += 1;
            let Member::Primary(one) = member else {
                self.candidates.counts.excluded += 1;
                continue;
            };
            // A mate comes next.
            let other = match (one.mate, members.get(at)) {
                (Some(mate), Some(Member::Primary(other))) if other.index == mate => Some(other),
                _ => None,
            };
            at += usize::from(other.is_some());
            let mut looked = |primary: &Primary, at: usize| {
                let counts = &mut self.candidates.counts;
                if primary.flags & excluded != 0 {
                    counts.excluded += 1;
                    return None;
                }
                counts.examined += 1;
                let record = &records[primary.index];
                let spreads = self.marking.supplementary
                    && (primary.flags & flag::MATE_UNMAPPED != 0
                        || record.tags().any(|tag| matches!(&tag.name, b"SA" | b"XA")));
                let is_reverse = primary.flags & flag::REVERSE != 0;
                let read =
                    Read { offset: at as u64, position: primary.position, is_reverse, spreads };
                let ends = Ends::new(record, primary.position);
                let barcode = match self.marking.rule {
                    Rule::Samtools => keys::barcode(&self.marking, record),
                    Rule::Picard => Some(self.libraries.of(record)),
                };
                Some(Looked { record, read, ends, barcode, number: first + at as u64 })
            };
            let Some(other) = other else {
                if let Some(looked) = looked(one, at - 1) {
                    self.add_single(one, &looked, group)?;
                }
                continue;
            };
            let both = [looked(one, at - 2), looked(other, at - 1)];
            match self.marking.rule {
                Rule::Samtools => {
                    self.look_at_pair(first, group, records, [one, other], &both)?;
                }
                Rule::Picard => self.look_as_picard(first, group, [one, other], &both)?,
            }
        }
        Ok(())
    }

    /// Reads of which one is the mate of the other.
    fn look_at_pair(
        &mut self,
        first: u64,
        group: u64,
        records: &[Record<'_>],
        reads: [&Primary; 2],
        looked: &[Option<Looked<'_, '_>>; 2],
    ) -> Result<(), Problem> {
        let mut pairs: [Option<Pair>; 2] = [None; 2];
        for at in 0..2 {
            let (Some(own), read, other) = (&looked[at], reads[at], reads[1 - at]) else {
                continue;
            };
            if read.flags & flag::MATE_UNMAPPED != 0 {
                self.add_single(read, own, group)?;
                continue;
            }
            self.candidates.counts.paired += 1;
            let ends_of_other = match &looked[1 - at] {
                Some(looked) => looked.ends,
                None => Ends::new(&records[other.index], other.position),
            };
            let mode = self.marking.mode;
            pairs[at] = Some(keys::pair(mode, (read, &own.ends), (other, &ends_of_other)));
        }
        let score = |read: &Primary, other: &Primary| {
            // As it is read from a field of 32 bits with a sign.
            i64::from(read.score) + i64::from(other.score as i32)
        };
        let scores = [score(reads[0], reads[1]), score(reads[1], reads[0])];
        let fails = reads.map(|read| read.flags & flag::QC_FAIL != 0);
        let are_one = match (&pairs, looked) {
            ([Some(one), Some(other)], [Some(first), Some(second)]) => {
                one.is_of(other)
                    && first.barcode == second.barcode
                    && scores[0] == scores[1]
                    && fails[0] == fails[1]
            }
            _ => false,
        };
        for at in 0..2 {
            let (Some(pair), Some(own)) = (&pairs[at], &looked[at]) else { continue };
            let mut entrant = Entrant { group, ..Entrant::default() };
            let mut place_of = [None; 2];
            for (index, looked) in looked.iter().enumerate() {
                let (Some(looked), Some(pair)) = (looked, &pairs[index]) else { continue };
                if index == at || are_one {
                    let side = usize::from(!pair.is_left);
                    entrant.reads[side] = Some(looked.read);
                    let reference = reads[index].reference;
                    place_of[side] =
                        Some(keys::place(reference, looked.ends.five_prime(reads[index].flags)));
                }
            }
            let is_same_strand = (reads[0].flags ^ reads[1].flags) & flag::REVERSE == 0;
            if is_same_strand && self.marking.mode == Mode::Template {
                // The key has the start of the left read and the end of the right one.
                entrant.hidden = place_of[usize::from(!own.read.is_reverse)];
            }
            pair.write(own.barcode, &mut self.key);
            self.key.push(u8::from(fails[at]));
            keys::write_score(scores[at], &mut self.key);
            self.key.extend_from_slice(own.record.name());
            entrant.write(&mut self.entrant);
            let entry = Entry { number: first, key: &self.key, record: &self.entrant };
            self.candidates.pairs.add_entry(&entry)?;
            if are_one {
                break;
            }
        }
        Ok(())
    }

    /// Reads of which one is the mate of the other, as Picard sees them.
    fn look_as_picard(
        &mut self,
        first: u64,
        group: u64,
        reads: [&Primary; 2],
        looked: &[Option<Looked<'_, '_>>; 2],
    ) -> Result<(), Problem> {
        let has_mate = |at: usize| reads[at].flags & flag::MATE_UNMAPPED == 0;
        for at in 0..2 {
            let Some(own) = &looked[at] else { continue };
            if has_mate(at) {
                self.candidates.counts.paired += 1;
            } else {
                self.add_single(reads[at], own, group)?;
            }
        }
        // Of two libraries each read is in its own, and their pair in that of the first one in coordinate order.
        let both = match looked {
            [Some(one), Some(other)] if has_mate(0) && has_mate(1) => Some([one, other]),
            _ => None,
        };
        let is_silent = both.is_none_or(|[one, other]| one.barcode != other.barcode);
        for at in 0..2 {
            let Some(own) = looked[at].as_ref().filter(|_| is_silent && has_mate(at)) else {
                continue;
            };
            let place = keys::place(reads[at].reference, own.ends.five_prime(reads[at].flags));
            keys::write_single(place, own.read.is_reverse, own.barcode, &mut self.key);
            self.key.push(keys::PRESENCE);
            let entry = Entry { number: own.number, key: &self.key, record: &[] };
            self.candidates.singles.add_entry(&entry)?;
        }
        let Some([one, other]) = both else { return Ok(()) };
        let starts = usize::from(picard::is_before(reads[1], reads[0]));
        let orientation = picard::orientation_as_sequenced([reads[starts], reads[1 - starts]]);
        let earlier = if starts == 1 { other } else { one };
        let pairs = picard::pair(reads, [&one.ends, &other.ends]);
        let (left, right) = if pairs[0].is_left { (one, other) } else { (other, one) };
        let score = picard::score(one.record) + picard::score(other.record);
        pairs[0].write(earlier.barcode, &mut self.key);
        self.key.push(0);
        keys::write_score(score, &mut self.key);
        picard::write_location(one.record.name(), &mut self.key);
        self.key.extend(left.read.position.to_be_bytes());
        self.key.push(u8::from(left.read.is_reverse));
        let reads = [Some(left.read), Some(right.read)];
        Entrant { reads, group, hidden: None, is_silent }.write(&mut self.entrant);
        let read_group = self.libraries.group_of(earlier.record);
        picard::write_cluster(orientation, read_group, &mut self.entrant);
        let entry = Entry { number: first, key: &self.key, record: &self.entrant };
        self.candidates.pairs.add_entry(&entry)
    }

    /// A read without a mate that is aligned.
    fn add_single(
        &mut self,
        read: &Primary,
        looked: &Looked<'_, '_>,
        group: u64,
    ) -> Result<(), Problem> {
        self.candidates.counts.single += 1;
        let place = keys::place(read.reference, looked.ends.five_prime(read.flags));
        keys::write_single(place, looked.read.is_reverse, looked.barcode, &mut self.key);
        self.candidates.filter.add(&self.key);
        self.key.push(keys::SINGLE);
        Entrant { reads: [Some(looked.read), None], group, ..Entrant::default() }
            .write(&mut self.entrant);
        match self.marking.rule {
            Rule::Samtools => {
                keys::write_turn(read.position, looked.number, &mut self.key);
                self.entrant.push(u8::from(read.flags & flag::QC_FAIL != 0));
                keys::write_score(i64::from(read.score), &mut self.entrant);
                if self.marking.optical_distance().is_some() {
                    self.entrant.extend_from_slice(looked.record.name());
                }
            }
            Rule::Picard => {
                keys::write_score(picard::score(looked.record), &mut self.key);
                picard::write_location(looked.record.name(), &mut self.key);
                self.key.extend(read.position.to_be_bytes());
            }
        }
        let entry = Entry { number: looked.number, key: &self.key, record: &self.entrant };
        self.candidates.singles.add_entry(&entry)
    }

    /// Takes over what another one gathered.
    pub(super) fn merge(&mut self, other: Collector) {
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
