//! A primary alignment as it is compared.

use biofast_bam::{Record, flag};

use super::numbers;

/// Qualities below this don't count for a score.
pub(super) const LEAST_QUALITY: u8 = 15;

/// How mates are told of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::change) struct MateRules {
    /// Whether mates that don't look at each other are no proper pair.
    pub(in crate::change) checks_pairs: bool,
    /// Whether the score of the mate is written (`ms`).
    pub(in crate::change) scores: bool,
    /// Whether the CIGARs of both reads are written (`ct`).
    pub(in crate::change) templates: bool,
    /// Whether reads that aren't aligned are left out afterwards, so that their mates forget their strand.
    pub(in crate::change) removes: bool,
}

impl MateRules {
    /// What marking duplicates needs.
    pub(super) const MARKING: MateRules =
        MateRules { checks_pairs: true, scores: true, templates: false, removes: false };
}

/// A tag that is written about the mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MateTag {
    /// `MQ`
    Quality,
    /// `MC`
    Cigar,
    /// `ct`
    Template,
    /// `ms`
    Score,
}

/// The tags that are written, in the order in which they were set last: that matters where a name has more than two primary records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MateTags([Option<MateTag>; 4]);

impl MateTags {
    pub(super) fn iter(&self) -> impl Iterator<Item = MateTag> {
        self.0.into_iter().flatten()
    }

    pub(super) fn has(&self, tag: MateTag) -> bool {
        self.0.contains(&Some(tag))
    }

    fn remove(&mut self, tag: MateTag) {
        let mut others = self.0.into_iter().flatten().filter(|other| *other != tag);
        self.0 = std::array::from_fn(|_| others.next());
    }

    fn append(&mut self, tag: MateTag) {
        self.remove(tag);
        if let Some(free) = self.0.iter_mut().find(|place| place.is_none()) {
            *free = Some(tag);
        }
    }
}

/// What a primary record is changed to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::change) struct Primary {
    /// Which record of the group it is, and which its mate.
    pub(super) index: usize,
    pub(super) mate: Option<usize>,
    pub(in crate::change) flags: u16,
    pub(super) reference: i32,
    pub(super) position: i32,
    pub(super) mate_reference: i32,
    pub(super) mate_position: i32,
    pub(super) template_len: i32,
    /// Behind its last base on the reference.
    end: i64,
    mapping_quality: u8,
    /// The sum of its qualities.
    pub(super) score: u32,
    /// What its tags say of the mate: MQ, the record whose CIGAR is in MC, and ms.
    pub(super) mate_quality: Option<u8>,
    pub(super) mate_cigar: Option<usize>,
    pub(super) mate_score: Option<u32>,
    /// The record to the right of it, whose CIGAR is in `ct` behind its own; and whether another record has taken that over.
    pub(super) right: Option<usize>,
    pub(super) lost_template: bool,
    /// Which of these are written.
    pub(super) tags: MateTags,
}

/// Whether a record is the one of its read that counts.
pub(in crate::change) fn is_primary(flags: u16) -> bool {
    flags & (flag::SECONDARY | flag::SUPPLEMENTARY) == 0
}

/// The sum of the qualities that count.
pub(super) fn score(qualities: &[u8]) -> u32 {
    // Of each base: a record has less than 2^31, and what is beyond 32 bits is cut off as samtools does.
    let each = qualities.iter().map(|&q| if q >= LEAST_QUALITY { u32::from(q) } else { 0 });
    each.fold(0, u32::wrapping_add)
}

impl Primary {
    pub(in crate::change) fn new(index: usize, record: &Record<'_>) -> Primary {
        let position = record.position();
        let flags = record.flags();
        let on_reference = match flags & flag::UNMAPPED {
            0 => (record.cigar().reference_len() as i64).max(1),
            _ => 1,
        };
        Primary {
            index,
            flags,
            reference: record.reference_id(),
            position,
            mate_reference: record.mate_reference_id(),
            mate_position: record.mate_position(),
            template_len: record.template_len(),
            end: i64::from(position) + on_reference,
            mapping_quality: record.mapping_quality(),
            score: score(record.qualities().as_slice()),
            ..Primary::default()
        }
    }

    /// Appends what decides about duplicates: flags, places and the score.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.flags.to_le_bytes());
        let places = [self.reference, self.position, self.mate_reference, self.mate_position];
        out.extend(places.into_iter().flat_map(i32::to_le_bytes));
        out.extend(self.score.to_le_bytes());
    }

    /// What [`write`](Self::write) wrote. It has no index, and can't be written as a record.
    pub(super) fn read(bytes: &mut &[u8]) -> Primary {
        let flags = numbers::take(bytes).map_or(0, u16::from_le_bytes);
        let mut place = || numbers::take(bytes).map_or(0, i32::from_le_bytes);
        let (reference, position) = (place(), place());
        let (mate_reference, mate_position) = (place(), place());
        let score = numbers::take(bytes).map_or(0, u32::from_le_bytes);
        Primary {
            flags,
            reference,
            position,
            mate_reference,
            mate_position,
            score,
            ..Primary::default()
        }
    }

    /// The mate of a read as its fields and tags tell of it.
    pub(super) fn mate_of(read: &Primary) -> Primary {
        let is_reverse = read.flags & flag::MATE_REVERSE != 0;
        Primary {
            flags: if is_reverse { flag::REVERSE } else { 0 },
            reference: read.mate_reference,
            position: read.mate_position,
            ..Primary::default()
        }
    }

    pub(super) fn is_mapped(&self) -> bool {
        self.flags & flag::UNMAPPED == 0
    }

    pub(super) fn is_reverse(&self) -> bool {
        self.flags & flag::REVERSE != 0
    }

    /// Whether it is a read of a pair with a mate that is aligned, as its flags say.
    pub(super) fn has_mapped_mate(&self) -> bool {
        self.flags & (flag::PAIRED | flag::MATE_UNMAPPED) == flag::PAIRED
    }

    /// Whether its fields name a reference of the mate.
    pub(super) fn names_mate_reference(&self) -> bool {
        self.mate_reference >= 0
    }

    /// Whether flags and fields say that it has a mate that is aligned.
    pub(super) fn has_mate_somewhere(&self) -> bool {
        self.has_mapped_mate() && self.names_mate_reference()
    }

    /// Where its first base is, seen from the sequencer.
    fn five_prime(&self) -> i64 {
        if self.is_reverse() { self.end } else { i64::from(self.position) }
    }

    /// Without a mate. It stays a read of a pair.
    pub(super) fn forget_mate(&mut self) {
        (self.mate_reference, self.mate_position, self.template_len) = (-1, -1, 0);
        self.flags &= !(flag::MATE_REVERSE | flag::PROPER_PAIR);
    }

    /// An unmapped read lies where its mate does.
    fn go_to(&mut self, mate: &Primary) {
        if !self.is_mapped() && mate.is_mapped() {
            (self.reference, self.position) = (mate.reference, mate.position);
        }
    }

    pub(super) fn learn_of(&mut self, mate: &Primary) {
        (self.mate_reference, self.mate_position) = (mate.reference, mate.position);
        self.flags &= !flag::MATE_REVERSE;
        if mate.is_reverse() {
            self.flags |= flag::MATE_REVERSE;
        }
        if mate.is_mapped() {
            self.mate_quality = Some(mate.mapping_quality);
            self.tags.append(MateTag::Quality);
        } else {
            self.flags |= flag::MATE_UNMAPPED;
        }
        if mate.is_mapped() || self.is_mapped() {
            self.mate_cigar = Some(mate.index);
            self.tags.append(MateTag::Cigar);
        }
    }

    fn learn_score_of(&mut self, mate: &Primary) {
        self.mate = Some(mate.index);
        self.mate_score = Some(mate.score);
    }

    /// Writes both CIGARs, its own before that of a record to the right of it.
    fn describe_template(&mut self, right: &mut Primary) {
        self.right = Some(right.index);
        self.tags.append(MateTag::Template);
        right.tags.remove(MateTag::Template);
        right.lost_template = true;
    }
}

/// Two primary records of a name.
pub(super) fn pair(one: &mut Primary, other: &mut Primary, rules: MateRules) {
    one.flags |= flag::PAIRED;
    other.flags |= flag::PAIRED;
    other.go_to(one);
    one.go_to(other);
    other.learn_of(one);
    one.learn_of(other);
    let are_on_one = one.is_mapped() && other.is_mapped() && one.reference == other.reference;
    if rules.templates && are_on_one {
        match one.position > other.position {
            true => other.describe_template(one),
            false => one.describe_template(other),
        }
    }
    other.learn_score_of(one);
    one.learn_score_of(other);
    if rules.scores {
        [&mut *one, &mut *other].into_iter().for_each(|read| read.tags.append(MateTag::Score));
    }
    let unknown = flag::UNMAPPED | flag::MATE_UNMAPPED;
    let are_near = one.reference == other.reference && (one.flags | other.flags) & unknown == 0;
    let len = if are_near { other.five_prime() - one.five_prime() } else { 0 };
    // Both are positions of 32 bits.
    (one.template_len, other.template_len) = (len as i32, -len as i32);
    // Whether they look at each other; `one` is the first of two at one place.
    let (left, right) =
        if one.five_prime() > other.five_prime() { (&other, &one) } else { (&one, &other) };
    if rules.checks_pairs && !(are_on_one && !left.is_reverse() && right.is_reverse()) {
        one.flags &= !flag::PROPER_PAIR;
        other.flags &= !flag::PROPER_PAIR;
    }
    if rules.removes {
        let (one_is_mapped, other_is_mapped) = (one.is_mapped(), other.is_mapped());
        for (read, stays_paired) in [(one, other_is_mapped), (other, one_is_mapped)] {
            if !stays_paired {
                read.flags &= !(flag::MATE_REVERSE | flag::PROPER_PAIR);
            }
        }
    }
}
