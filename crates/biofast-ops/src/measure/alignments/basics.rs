//! What every report about alignments starts from: counts by flag, lengths, insert sizes, indels.
//!
//! Which records count follows `samtools stats`: secondary alignments and records without a
//! sequence are only counted, supplementary alignments count for what is aligned but not for what
//! was sequenced.

use biofast_bam::{Cigar, Op, Record, flag};
use biofast_io::{Location, Options, Warning};

use crate::measure::reads::Lengths;

/// Which read of its template a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fragment {
    /// The first read of a pair, or a read that isn't paired.
    First = 0,
    /// The second read of a pair.
    Last = 1,
    /// Paired, and neither or both.
    Other = 2,
}

/// The number of [`Fragment`]s.
pub(crate) const FRAGMENTS: usize = 3;

impl Fragment {
    #[inline]
    pub fn of(flags: u16) -> Fragment {
        // First and second reads come in any order: a table takes no branch that can't be foreseen.
        const BY_FLAGS: [Fragment; 8] = {
            use Fragment::{First, Last, Other};
            [First, Other, First, First, First, Last, First, Other]
        };
        let bit = |mask: u16| usize::from(flags & mask != 0);
        BY_FLAGS[bit(flag::PAIRED) | bit(flag::READ1) << 1 | bit(flag::READ2) << 2]
    }
}

/// Indels up to this length have a count of their own.
pub const MAX_INDEL: usize = 300;

/// Insert sizes from this one on are counted together.
pub(crate) const MAX_INSERT: usize = 8000;

/// Hard clips count up to this many bases, as many as the longest reads known have: what depends on the
/// length of reads must not grow with what a damaged CIGAR claims.
const MAX_HARD_CLIP: u64 = 1 << 22;

/// How the mates of a pair point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairOrientation {
    Inward = 0,
    Outward = 1,
    Other = 2,
    /// Inward, but outward for [samtools before 1.22](Basics::inserts_of_samtools_1_21): the mates start together, and the one that
    /// goes on is the second read.
    Together = 3,
}

/// The kinds of [`PairOrientation`].
const ORIENTATIONS: usize = 4;

/// The kinds of CIGAR operations, unknown ones together.
pub(crate) const OPS: usize = 10;

/// The counts. Merging two equals counting both inputs.
#[derive(Clone, Debug)]
pub struct Basics {
    by_flags: Box<[ByFlags; FLAGS]>,
    pub secondary: u64,
    pub supplementary: u64,
    /// Primary reads by length, hard-clipped bases included, by fragment.
    pub lengths: [Lengths; FRAGMENTS],
    /// The longest of them, supplementary alignments included.
    pub longest: [u64; FRAGMENTS],
    /// Mapped records: how many operations of each kind, and of how many bases.
    pub(crate) ops: [(u64, u64); OPS],
    /// Mapped records with soft or hard clips.
    pub(crate) clipped: u64,
    /// Sum of the `NM` fields of mapped records, negative ones with it, as samtools has it.
    edit_distance: u64,
    pub(crate) negative: Negative,
    /// Records of mapped pairs by insert size, up to the largest one seen and `MAX_INSERT`, and by orientation; every pair
    /// counts twice.
    inserts: Vec<[u64; ORIENTATIONS]>,
    /// Insertions and deletions by length − 1.
    pub indels: Box<[[u64; 2]; MAX_INDEL]>,
    /// By the cycle of the read: insertions and deletions of first and of last fragments.
    pub indel_cycles: Vec<[[u64; 2]; 2]>,
    /// The number, from 0, of the first record whose optional fields can't be read.
    pub(crate) malformed: Option<u64>,
}

/// Mapped records whose `NM` is below 0, which no number of differences is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Negative {
    /// The number of the first one, from 0.
    first: Option<u64>,
    records: u64,
    sum: i64,
}

impl Negative {
    fn merge(&mut self, other: Negative) {
        self.first = match (self.first, other.first) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.records += other.records;
        self.sum = self.sum.wrapping_add(other.sum);
    }

    /// Warns of them.
    pub(crate) fn warn(&self, options: &Options) {
        if let (Some(number), Some(notes)) = (self.first, &options.notes) {
            let what = "the number of differences (NM) is negative and was not counted";
            let first = Location { record: Some(number + 1), ..Location::default() };
            notes.warn(Warning::Noticed { what, count: self.records, first });
        }
    }
}

/// Every value of the twelve defined bits.
const FLAGS: usize = 1 << 12;

/// Records with a sequence that aren't secondary, by their flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByFlags {
    pub records: u64,
    pub bases: u64,
    /// Those of mapping quality 0.
    pub mapq0: u64,
    /// Those whose mate is on another reference.
    pub elsewhere: u64,
}

impl ByFlags {
    #[inline]
    fn add(&mut self, other: &ByFlags) {
        let ByFlags { records, bases, mapq0, elsewhere } = other;
        self.records += records;
        self.bases += bases;
        self.mapq0 += mapq0;
        self.elsewhere += elsewhere;
    }
}

impl Default for Basics {
    fn default() -> Self {
        Basics {
            by_flags: Box::new([ByFlags::default(); FLAGS]),
            secondary: 0,
            supplementary: 0,
            lengths: Default::default(),
            longest: [0; FRAGMENTS],
            ops: [(0, 0); OPS],
            clipped: 0,
            edit_distance: 0,
            negative: Negative::default(),
            inserts: Vec::new(),
            indels: Box::new([[0; 2]; MAX_INDEL]),
            indel_cycles: Vec::new(),
            malformed: None,
        }
    }
}

/// What was found out about a record on the way.
#[derive(Clone, Copy)]
pub(crate) struct ExaminedRecord<'a> {
    pub(crate) fragment: Fragment,
    pub(crate) cigar: Cigar<'a>,
    /// Bases before hard clipping.
    pub(crate) unclipped_len: u64,
    /// Bases the read was deleted of.
    pub(crate) deleted: u64,
    /// The length of the alignment, if the record is mapped and that is one stretch of matches and nothing else.
    pub(crate) stretch: Option<u32>,
}

impl Basics {
    /// Counts a record; `None` if it is secondary or has no sequence. `number` counts from 0.
    ///
    /// Part of the loop over records: what it found out stays in registers.
    #[inline(always)]
    pub(crate) fn add<'a>(
        &mut self,
        record: &Record<'a>,
        number: u64,
    ) -> Option<ExaminedRecord<'a>> {
        let flags = record.flags();
        if flags & flag::SECONDARY != 0 {
            self.secondary += 1;
            return None;
        }
        let supplementary = flags & flag::SUPPLEMENTARY != 0;
        self.supplementary += u64::from(supplementary);
        let len = record.sequence_len();
        if len == 0 {
            return None;
        }
        let counts = &mut self.by_flags[usize::from(flags) % FLAGS];
        counts.records += 1;
        counts.bases += len as u64;
        counts.mapq0 += u64::from(record.mapping_quality() == 0);
        counts.elsewhere += u64::from(record.reference_id() != record.mate_reference_id());

        let fragment = Fragment::of(flags);
        let cigar = record.cigar();
        let mapped = flags & flag::UNMAPPED == 0;
        // Most alignments are one stretch of matches.
        let stretch = match cigar.get(0) {
            Some((Op::Match, len)) if mapped && cigar.len() == 1 => Some(len),
            _ => None,
        };
        let (mut unclipped_len, mut deleted) = (len as u64, 0);
        match stretch {
            Some(stretch) => {
                let (count, sum) = &mut self.ops[Op::Match as usize];
                *count += 1;
                *sum += u64::from(stretch);
            }
            None => {
                let (hard_clipped, gone) = self.add_ops(flags, fragment, len as u64, cigar);
                unclipped_len += hard_clipped;
                deleted = gone;
            }
        }
        let longest = &mut self.longest[fragment as usize];
        *longest = (*longest).max(unclipped_len);
        if !supplementary {
            self.lengths[fragment as usize].add(unclipped_len, 1);
        }
        if mapped {
            if !supplementary {
                self.add_insert(record);
            }
            self.add_edit_distance(record, number);
        }
        Some(ExaminedRecord { fragment, cigar, unclipped_len, deleted, stretch })
    }

    /// Counts the operations of a record; returns how many bases were hard-clipped and deleted.
    #[inline(never)]
    fn add_ops(
        &mut self,
        flags: u16,
        fragment: Fragment,
        len: u64,
        cigar: Cigar<'_>,
    ) -> (u64, u64) {
        let mapped = flags & flag::UNMAPPED == 0;
        let mut lens = [0u64; OPS];
        for (op, len) in cigar.iter() {
            lens[op as usize] += u64::from(len);
            if mapped {
                let (count, sum) = &mut self.ops[op as usize];
                *count += 1;
                *sum += u64::from(len);
            }
        }
        if mapped {
            self.clipped +=
                u64::from(lens[Op::SoftClip as usize] + lens[Op::HardClip as usize] > 0);
            if lens[Op::Insertion as usize] + lens[Op::Deletion as usize] > 0 {
                self.add_indels(fragment, flags & flag::REVERSE != 0, len, cigar);
            }
        }
        (lens[Op::HardClip as usize].min(MAX_HARD_CLIP), lens[Op::Deletion as usize])
    }

    #[inline]
    fn add_edit_distance(&mut self, record: &Record<'_>, number: u64) {
        // Aligners put it first, and few reads differ in more than a byte can say.
        if let [b'N', b'M', b'C', distance, ..] = record.tag_bytes() {
            self.edit_distance = self.edit_distance.wrapping_add(u64::from(*distance));
            return;
        }
        self.look_for_edit_distance(record, number);
    }

    #[inline(never)]
    fn look_for_edit_distance(&mut self, record: &Record<'_>, number: u64) {
        let mut tags = record.tags();
        match tags.find(|tag| tag.name == *b"NM") {
            Some(tag) => {
                let distance = tag.as_int().unwrap_or(0);
                self.edit_distance = self.edit_distance.wrapping_add_signed(distance);
                if distance < 0 {
                    self.negative.merge(Negative {
                        first: Some(number),
                        records: 1,
                        sum: distance,
                    });
                }
            }
            None if tags.is_malformed() => {
                self.malformed = Some(self.malformed.map_or(number, |first| first.min(number)));
            }
            None => {}
        }
    }

    /// Counts insertions at the cycle of their first base, deletions at that of the base before
    /// them, in the direction of sequencing.
    fn add_indels(&mut self, fragment: Fragment, reverse: bool, len: u64, cigar: Cigar<'_>) {
        let mut cycle = 0u64;
        for (op, op_len) in cigar.iter().map(|(op, n)| (op, u64::from(n))) {
            if op_len == 0 {
                continue;
            }
            let (kind, place) = match (op, reverse) {
                (Op::Insertion, false) => (0, Some(cycle)),
                (Op::Insertion, true) => (0, len.checked_sub(cycle + op_len)),
                (Op::Deletion, false) => (1, cycle.checked_sub(1)),
                (Op::Deletion, true) => (1, len.checked_sub(cycle + 1)),
                _ => (0, None),
            };
            // A CIGAR may say more than the read has: what is within samtools' least table counts.
            if let Some(place) = place.filter(|&place| place < len.max(MAX_INDEL as u64)) {
                let place = place as usize;
                if let Some(count) = self.indels.get_mut(op_len as usize - 1) {
                    count[kind] += 1;
                }
                if fragment != Fragment::Other {
                    if self.indel_cycles.len() <= place {
                        self.indel_cycles.resize(place + 1, [[0; 2]; 2]);
                    }
                    self.indel_cycles[place][kind][fragment as usize] += 1;
                }
            }
            // What an unknown operation does is anybody's guess; this is samtools'.
            if op.consumes_read() || op == Op::Unknown {
                cycle += op_len;
            }
        }
    }

    #[inline]
    fn add_insert(&mut self, record: &Record<'_>) {
        let flags = record.flags();
        if flags & (flag::PAIRED | flag::MATE_UNMAPPED) != flag::PAIRED {
            return;
        }
        let insert = record.template_len().unsigned_abs() as usize;
        if insert == 0 && record.reference_id() != record.mate_reference_id() {
            return;
        }
        let first = flags & flag::READ1 != 0;
        let reverse = flags & flag::REVERSE != 0;
        let mate_reverse = flags & flag::MATE_REVERSE != 0;
        // Whether the mate starts at or after the first read, seen from the first read.
        let offset = i64::from(record.mate_position()) - i64::from(record.position());
        let downstream = if first { offset >= 0 } else { offset <= 0 };
        let orientation = if reverse == mate_reverse {
            PairOrientation::Other
        } else if downstream == (first != reverse) {
            PairOrientation::Inward
        } else if offset == 0 {
            PairOrientation::Together
        } else {
            PairOrientation::Outward
        };
        let insert = insert.min(MAX_INSERT);
        if insert >= self.inserts.len() {
            // As few as there are in a small group of records.
            self.inserts
                .resize((insert + 1).next_multiple_of(512).min(MAX_INSERT + 1), [0; ORIENTATIONS]);
        }
        self.inserts[insert][orientation as usize] += 1;
    }

    /// Adds what another one counted.
    pub(crate) fn merge(&mut self, other: &Basics) {
        // By name, so that no count can be forgotten.
        let Basics {
            by_flags,
            secondary,
            supplementary,
            lengths,
            longest,
            ops,
            clipped,
            edit_distance,
            negative,
            inserts,
            indels,
            indel_cycles,
            malformed,
        } = other;
        for (mine, theirs) in self.by_flags.iter_mut().zip(by_flags.iter()) {
            mine.add(theirs);
        }
        self.secondary += secondary;
        self.supplementary += supplementary;
        for fragment in 0..FRAGMENTS {
            self.lengths[fragment].merge(&lengths[fragment]);
            self.longest[fragment] = self.longest[fragment].max(longest[fragment]);
        }
        for (mine, theirs) in self.ops.iter_mut().zip(ops) {
            mine.0 += theirs.0;
            mine.1 += theirs.1;
        }
        self.clipped += clipped;
        self.edit_distance = self.edit_distance.wrapping_add(*edit_distance);
        self.negative.merge(*negative);
        let sizes = self.inserts.len().max(inserts.len());
        self.inserts.resize(sizes, [0; ORIENTATIONS]);
        add_all(self.inserts.as_flattened_mut(), inserts.as_flattened());
        add_all(self.indels.as_flattened_mut(), indels.as_flattened());
        let cycles = self.indel_cycles.len().max(indel_cycles.len());
        self.indel_cycles.resize(cycles, [[0; 2]; 2]);
        add_all(
            self.indel_cycles.as_flattened_mut().as_flattened_mut(),
            indel_cycles.as_flattened().as_flattened(),
        );
        self.malformed = match (self.malformed, *malformed) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }

    /// The sums over the records whose flags `of` accepts.
    pub fn sum(&self, of: impl Fn(u16) -> bool) -> ByFlags {
        let mut sum = ByFlags::default();
        for (flags, counts) in (0u16..).zip(self.by_flags.iter()) {
            if counts.records > 0 && of(flags) {
                sum.add(counts);
            }
        }
        sum
    }

    /// Records of mapped pairs by insert size: inward, outward and other ones.
    pub fn inserts(&self) -> Vec<[u64; 3]> {
        let sizes = self.inserts.iter();
        sizes
            .map(|[inward, outward, other, together]| [inward + together, *outward, *other])
            .collect()
    }

    /// The same as samtools up to 1.21 has it.
    pub fn inserts_of_samtools_1_21(&self) -> Vec<[u64; 3]> {
        let sizes = self.inserts.iter();
        sizes
            .map(|[inward, outward, other, together]| [*inward, outward + together, *other])
            .collect()
    }

    /// The sum of the `NM` fields as samtools has it: in 64 bits without a sign, of negative ones, too.
    pub fn mismatches_of_samtools(&self) -> u64 {
        self.edit_distance
    }

    /// The sum of the `NM` fields that are a number of differences.
    pub(crate) fn edit_distance(&self) -> u64 {
        self.edit_distance.wrapping_add_signed(self.negative.sum.wrapping_neg())
    }

    /// Bases of one kind of CIGAR operation.
    pub(crate) fn op_bases(&self, op: Op) -> u64 {
        self.ops[op as usize].1
    }

    /// Read bases that are aligned or inserted.
    pub fn aligned_bases(&self) -> u64 {
        [Op::Match, Op::Insertion, Op::SequenceMatch, Op::SequenceMismatch]
            .map(|op| self.op_bases(op))
            .iter()
            .sum()
    }
}

/// Adds counts to counts, entry by entry.
pub fn add_all(mine: &mut [u64], theirs: &[u64]) {
    mine.iter_mut().zip(theirs).for_each(|(a, b)| *a += b);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_by_their_flags() {
        for flags in 0..=u16::MAX {
            let (first, last) = (flags & flag::READ1 != 0, flags & flag::READ2 != 0);
            let expected = match (flags & flag::PAIRED != 0, first, last) {
                (false, ..) | (true, true, false) => Fragment::First,
                (true, false, true) => Fragment::Last,
                _ => Fragment::Other,
            };
            assert_eq!(Fragment::of(flags), expected);
        }
    }
}
