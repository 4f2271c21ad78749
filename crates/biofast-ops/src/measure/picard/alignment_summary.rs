//! `CollectAlignmentSummaryMetrics`: reads, what of them is aligned, and how well.

use std::io;

use biofast_bam::{Cigar, Op, Record, flag};
use biofast_kernels as kernels;
use serde::{Deserialize, Serialize};

use super::adapters::is_adapter;
use super::fields::RecordFields;
use super::no_calls::{N, each_n};
use super::orientation::{self, Orientation};
use super::reference::{Bases, CODES};
use super::stored::{StoredCounts, counts, stored_counts};
use crate::measure::doubt::doubt_of_reference;
use crate::measure::reads::Lengths;

/// Alignments of at least this mapping quality, and bases of this quality, are of high quality.
const HIGH_QUALITY: u8 = 20;

/// Pairs further apart are chimeric.
const MAX_INSERT: u32 = 100_000;

/// A cycle is bad if this share of reads has no base or another one than the reference there.
const BAD: f64 = 0.8;

/// Counts by category.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlignmentSummary {
    pub first: Category,
    /// Paired reads that aren't the first one.
    pub second: Category,
    pub unpaired: Category,
}

stored_counts! {
    /// Counts of reads; where nothing else is said, of those that passed the filter (PF).
    pub struct Category {
        /// With those that failed.
        pub total: u64,
        pub passed: u64,
        pub noise: u64,
        pub adapters: u64,
        /// Reads by their bases, soft-clipped ones included.
        pub lengths: Lengths,
        /// Reads by their bases that are aligned or inserted.
        pub aligned_lengths: Lengths,
        pub hard_clipped: u64,
        pub soft_clipped: u64,
        /// Soft-clipped bases at the end of reads, and reads that have any.
        pub clipped_ends: (u64, u64),
        pub aligned: u64,
        /// Paired, aligned, and not as a proper pair.
        pub improper: u64,
        pub forward: u64,
        /// Aligned, as is the mate.
        pub in_pairs: u64,
        /// Reads that could be chimeric, and those that are.
        pub chimeras: (u64, u64),
        /// Of high mapping quality: reads, bases, and bases of high quality.
        pub high_quality: [u64; 3],
        pub aligned_bases: u64,
        pub mismatches: u64,
        /// Aligned reads by their mismatches; those of low mapping quality have none.
        pub reads_by_mismatches: Lengths,
        pub indels: u64,
        /// Mismatches and bases that are N by cycle, from 1. As Picard has it, an aligned stretch counts from its own start.
        /// N of reads that failed, too.
        pub(crate) bad_bases: Vec<u64>,
    }
}

impl AlignmentSummary {
    /// Counts a record that is neither secondary nor supplementary.
    ///
    /// # Errors
    /// If the reference can't be read.
    #[inline]
    pub(crate) fn add(
        &mut self,
        record: &Record<'_>,
        fields: &RecordFields<'_>,
        reference: Option<&mut Bases>,
    ) -> io::Result<()> {
        let flags = record.flags();
        let category = match (flags & flag::PAIRED != 0, flags & flag::READ1 != 0) {
            (false, _) => &mut self.unpaired,
            (true, true) => &mut self.first,
            (true, false) => &mut self.second,
        };
        category.total += 1;
        let passed = flags & flag::QC_FAIL == 0;
        if passed {
            category.add_read(record, fields);
        }
        match passed && flags & flag::UNMAPPED == 0 {
            true => category.add_alignment(record, fields, reference),
            false => {
                if fields.has_n {
                    category.add_no_calls(record, 0, record.sequence_len());
                }
                Ok(())
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &AlignmentSummary) {
        let AlignmentSummary { first, second, unpaired } = other;
        self.first.merge(first);
        self.second.merge(second);
        self.unpaired.merge(unpaired);
    }

    /// First and second reads together.
    pub fn pair(&self) -> Category {
        let mut both = self.first.clone();
        both.merge(&self.second);
        both
    }

    /// A doubt about the reference, if most of the aligned bases differ from it.
    pub fn doubt_of_reference(&self) -> Option<String> {
        let sum = |count: fn(&Category) -> u64| -> u64 {
            [&self.first, &self.second, &self.unpaired].into_iter().map(count).sum()
        };
        doubt_of_reference(sum(|reads| reads.mismatches), sum(|reads| reads.aligned_bases))
    }
}

impl Category {
    fn add_read(&mut self, record: &Record<'_>, fields: &RecordFields<'_>) {
        let flags = record.flags();
        let len = record.sequence_len() as u64;
        self.passed += 1;
        self.noise += u64::from(fields.is_noise);
        self.adapters += u64::from(is_adapter(record));
        self.lengths.add(len, 1);
        let cigar = record.cigar();
        let clips = match cigar.get(0) {
            // Most alignments are one stretch of matches.
            Some((Op::Match, aligned)) if cigar.len() == 1 => {
                self.aligned_lengths.add(u64::from(aligned), 1);
                Clips::default()
            }
            _ => {
                let own = |(op, _): &(Op, u32)| op.consumes_read() && *op != Op::SoftClip;
                let aligned = cigar.iter().filter(own).map(|(_, len)| u64::from(len)).sum();
                self.aligned_lengths.add(aligned, 1);
                Clips::of(cigar, flags & flag::REVERSE != 0)
            }
        };
        self.hard_clipped += clips.hard;
        if flags & flag::UNMAPPED != 0 {
            return;
        }
        self.soft_clipped += clips.soft;
        self.clipped_ends.0 += clips.at_end;
        self.clipped_ends.1 += u64::from(clips.at_end > 0);
        self.aligned += 1;
        self.forward += u64::from(flags & flag::REVERSE == 0);
        let paired = flags & flag::PAIRED != 0;
        self.improper += u64::from(paired && flags & flag::PROPER_PAIR == 0);
        let own_is_high = record.mapping_quality() >= HIGH_QUALITY;
        if paired && flags & flag::MATE_UNMAPPED == 0 {
            self.in_pairs += 1;
            let high = |mate: i64| mate >= i64::from(HIGH_QUALITY) && own_is_high;
            if fields.mate_quality.is_none_or(high) {
                let is_chimeric = record.template_len().unsigned_abs() > MAX_INSERT
                    || record.reference_id() != record.mate_reference_id()
                    || orientation::of(record) != Orientation::Fr
                    || fields.has_other_alignments;
                self.chimeras.0 += 1;
                self.chimeras.1 += u64::from(is_chimeric);
            }
        } else if own_is_high {
            self.chimeras.0 += 1;
            self.chimeras.1 += u64::from(fields.has_other_alignments);
        }
    }

    fn add_alignment(
        &mut self,
        record: &Record<'_>,
        fields: &RecordFields<'_>,
        mut reference: Option<&mut Bases>,
    ) -> io::Result<()> {
        let is_high = record.mapping_quality() >= HIGH_QUALITY;
        self.high_quality[0] += u64::from(is_high);
        let mut mismatches = 0;
        let (mut at, mut base) = (i64::from(record.position()), 0usize);
        for (op, len) in record.cigar().iter() {
            let len = len as usize;
            if op.is_aligned() {
                // A CIGAR may say more than there is.
                let mut own = len.min(record.sequence_len().saturating_sub(base));
                let expected = match (&mut reference, u64::try_from(at)) {
                    (Some(reference), Ok(at)) if record.reference_id() >= 0 => {
                        let bases = reference.get(record.reference_id(), at, len)?;
                        own = own.min(bases.len());
                        Some(bases)
                    }
                    _ => None,
                };
                let aligned = if record.sequence_len() == 0 { len } else { own };
                self.aligned_bases += aligned as u64;
                if is_high {
                    self.high_quality[1] += aligned as u64;
                    self.high_quality[2] += count_high(record.qualities().as_slice(), base, own);
                }
                match expected {
                    Some(expected) => {
                        mismatches += self.add_mismatches(record, base, &expected[..own]);
                    }
                    None if fields.has_n => self.add_no_calls(record, base, own),
                    None => {}
                }
            }
            self.indels += u64::from(matches!(op, Op::Insertion | Op::Deletion));
            if op.consumes_reference() {
                at += len as i64;
            }
            if op.consumes_read() {
                base += len;
            }
        }
        self.mismatches += mismatches;
        self.reads_by_mismatches.add(if is_high { mismatches } else { 0 }, 1);
        Ok(())
    }

    /// Counts N among the bases from `base` on.
    #[inline]
    fn add_no_calls(&mut self, record: &Record<'_>, base: usize, len: usize) {
        each_n(record, base..base + len, |at| self.add_bad_base(record, at - base));
    }

    /// Compares the bases from `base` on with those of the reference; how many differ.
    fn add_mismatches(&mut self, record: &Record<'_>, base: usize, expected: &[u8]) -> u64 {
        let mut mismatches = 0;
        for (at, &letter) in expected.iter().enumerate() {
            let code = code(record, base + at);
            let differs = code != CODES[usize::from(letter)];
            if differs || code == N {
                mismatches += u64::from(differs);
                self.add_bad_base(record, at);
            }
        }
        mismatches
    }

    #[inline(never)]
    fn add_bad_base(&mut self, record: &Record<'_>, at: usize) {
        let reverse = record.flags() & flag::REVERSE != 0;
        let cycle = if reverse { record.sequence_len() - at } else { at + 1 };
        if self.bad_bases.len() <= cycle {
            self.bad_bases.resize(cycle + 1, 0);
        }
        self.bad_bases[cycle] += 1;
    }

    /// Cycles at which four fifths of the reads have no base or another one than the reference.
    pub fn bad_cycles(&self) -> u64 {
        let is_bad = |bases: &&u64| **bases as f64 / self.total as f64 >= BAD;
        self.bad_bases.iter().filter(is_bad).count() as u64
    }
}

/// The code of the base `at`, from 0.
#[inline]
fn code(record: &Record<'_>, at: usize) -> u8 {
    record.packed_sequence()[at / 2] >> (4 * (1 - at % 2)) & 15
}

/// Bases of high quality among `len` from `base` on; none where qualities are missing.
#[inline]
fn count_high(qualities: &[u8], base: usize, len: usize) -> u64 {
    if kernels::is_missing(qualities) {
        return 0;
    }
    let own = qualities.get(base..base + len).unwrap_or_default();
    kernels::summarize_raw_qualities(own).q20
}

/// Clipped bases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Clips {
    hard: u64,
    soft: u64,
    /// Soft-clipped ones behind what is aligned, in the direction of sequencing.
    at_end: u64,
}

impl Clips {
    fn of(cigar: Cigar<'_>, reverse: bool) -> Clips {
        let mut clips = Clips::default();
        // In the order of the reference: before what is aligned, and after it.
        let (mut before, mut since) = (0, 0);
        let mut is_inside = false;
        for (op, len) in cigar.iter() {
            let len = u64::from(len);
            match op {
                Op::HardClip => clips.hard += len,
                Op::SoftClip => {
                    clips.soft += len;
                    since += len;
                }
                _ => {
                    if !is_inside {
                        before = std::mem::take(&mut since);
                    }
                    is_inside = true;
                }
            }
        }
        if is_inside {
            clips.at_end = if reverse { before } else { since };
        }
        clips
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_bam::CigarBuf;

    #[test]
    fn clips_at_the_end_of_reads() {
        let clips = |ops: &[(Op, u32)], reverse| {
            let cigar = CigarBuf::from_ops(ops.iter().copied()).unwrap();
            let Clips { hard, soft, at_end } = Clips::of(cigar.as_cigar(), reverse);
            (hard, soft, at_end)
        };
        let both = [(Op::HardClip, 1), (Op::SoftClip, 2), (Op::Match, 9), (Op::SoftClip, 4)];
        assert_eq!(clips(&both, false), (1, 6, 4));
        assert_eq!(clips(&both, true), (1, 6, 2));
        assert_eq!(clips(&[(Op::SoftClip, 9)], false), (0, 9, 0));
        assert_eq!(clips(&[(Op::SoftClip, 3), (Op::Insertion, 2)], false), (0, 3, 0));
    }
}
