//! `MeanQualityByCycle`, `QualityScoreDistribution` and `CollectBaseDistributionByCycle`: bases and qualities by the cycle
//! of the read, from the columns that `samtools stats` is made of, too.

use biofast_bam::{Record, flag};
use biofast_kernels as kernels;
use serde::{Deserialize, Serialize};

use super::fields::RecordFields;
use super::no_calls::{each_n, is_n};
use super::stored::{StoredCounts, counts};
use crate::measure::alignments::basics::Fragment;
use crate::measure::samtools_stats::cycles::{Cycles, QUALITIES};

/// First reads, with those that aren't paired; second reads.
pub const ENDS: usize = 2;

/// What a worker counts.
#[derive(Debug)]
pub struct ByCycle {
    /// All first and second reads, unless somebody else counts them.
    own: Option<Cycles>,
    /// Paired reads that are neither, or both.
    odd: Cycles,
    /// Qualities of bases that are N.
    of_n: Box<[u64; QUALITIES]>,
    original: Original,
}

/// Original qualities (`OQ`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Original {
    /// Of bases that aren't N.
    #[serde(deserialize_with = "counts")]
    pub histogram: Vec<u64>,
    /// By end and cycle: sum and number.
    #[serde(deserialize_with = "counts")]
    pub sums: [Vec<(u64, u64)>; ENDS],
    /// Whether any read has them.
    pub is_there: bool,
}

/// Sums by cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summed {
    /// By end and cycle: A, C, G, T and others, of the records as they are stored.
    #[serde(deserialize_with = "counts")]
    pub bases: [Vec<[u64; 5]>; ENDS],
    /// By end and cycle: sum and number.
    #[serde(deserialize_with = "counts")]
    pub qualities: [Vec<(u64, u64)>; ENDS],
    /// Qualities of bases that aren't N.
    #[serde(deserialize_with = "counts")]
    pub histogram: Vec<u64>,
    pub original: Original,
}

impl ByCycle {
    pub(crate) fn new(counts_all: bool) -> ByCycle {
        ByCycle {
            own: counts_all.then(Cycles::default),
            odd: Cycles::default(),
            of_n: Box::new([0; QUALITIES]),
            original: Original::default(),
        }
    }

    /// Counts a record that is neither secondary nor supplementary.
    #[inline]
    pub(crate) fn add(&mut self, record: &Record<'_>, fields: &RecordFields<'_>) {
        let len = record.sequence_len();
        if len == 0 {
            return;
        }
        let flags = record.flags();
        let fragment = Fragment::of(flags);
        match &mut self.own {
            _ if fragment == Fragment::Other => {
                let second = flags & flag::READ2 != 0;
                self.odd.push(record, if second { Fragment::Last } else { Fragment::First });
            }
            Some(own) => own.push(record, fragment),
            None => {}
        }
        let qualities = record.qualities();
        if fields.has_n && !kernels::is_missing(qualities.as_slice()) {
            each_n(record, 0..len, |at| self.of_n[usize::from(qualities[at])] += 1);
        }
        if let Some(qualities) = fields.original_qualities {
            self.original.add(record, qualities);
        }
    }

    /// Adds what another one counted.
    pub(crate) fn join(&mut self, other: ByCycle) {
        let ByCycle { own, mut odd, of_n, original } = other;
        if let (Some(mine), Some(mut theirs)) = (&mut self.own, own) {
            mine.settle();
            theirs.settle();
            mine.merge(&theirs);
        }
        self.odd.settle();
        odd.settle();
        self.odd.merge(&odd);
        self.of_n.iter_mut().zip(of_n.iter()).for_each(|(a, b)| *a += b);
        self.original.merge(original);
    }

    /// The sums; of first and second reads those of somebody else, or its own.
    pub(crate) fn finish(mut self, all: Option<&Cycles>) -> Summed {
        self.odd.settle();
        if let Some(own) = &mut self.own {
            own.settle();
        }
        let mut summed =
            Summed { histogram: vec![0; QUALITIES], original: self.original, ..Summed::default() };
        for cycles in [all.or(self.own.as_ref()), Some(&self.odd)].into_iter().flatten() {
            for end in 0..ENDS {
                summed.add(cycles, end);
            }
        }
        summed.histogram.iter_mut().zip(self.of_n.iter()).for_each(|(all, n)| *all -= n);
        summed
    }
}

impl Summed {
    /// Adds those of other records.
    pub(crate) fn merge(&mut self, other: Summed) {
        let Summed { bases, qualities, histogram, original } = other;
        self.bases.merge(&bases);
        self.qualities.merge(&qualities);
        self.histogram.merge(&histogram);
        self.original.merge(original);
    }

    fn add(&mut self, cycles: &Cycles, end: usize) {
        let (bases, qualities) = (&mut self.bases[end], &mut self.qualities[end]);
        bases.resize(bases.len().max(cycles.bases_len(end)), [0; 5]);
        for (cycle, sums) in bases.iter_mut().enumerate().take(cycles.bases_len(end)) {
            let found = cycles.stored_bases(end, cycle);
            let found = [found.a, found.c, found.g, found.t, found.n + found.other];
            sums.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
        }
        let all = cycles.qualities(end);
        qualities.resize(qualities.len().max(all.known_len()), (0, 0));
        for (cycle, (sum, number)) in qualities.iter_mut().enumerate().take(all.known_len()) {
            for (quality, count) in (0u64..).zip(all.known_at(cycle)) {
                *sum += quality * count;
                *number += count;
                self.histogram[quality as usize] += count;
            }
        }
    }
}

impl Original {
    fn add(&mut self, record: &Record<'_>, qualities: &[u8]) {
        self.is_there = true;
        self.histogram.resize(QUALITIES, 0);
        let flags = record.flags();
        let end = usize::from(flags & flag::PAIRED != 0 && flags & flag::READ2 != 0);
        let (len, reverse) = (qualities.len(), flags & flag::REVERSE != 0);
        let sums = &mut self.sums[end];
        sums.resize(sums.len().max(len), (0, 0));
        for (at, &quality) in qualities.iter().enumerate() {
            let quality = quality.saturating_sub(b'!');
            let (sum, number) = &mut sums[if reverse { len - 1 - at } else { at }];
            *sum += u64::from(quality);
            *number += 1;
            let has_base =
                at < record.sequence_len() && !kernels::is_missing(record.qualities().as_slice());
            if has_base && !is_n(record, at) {
                self.histogram[usize::from(quality)] += 1;
            }
        }
    }

    fn merge(&mut self, other: Original) {
        let Original { histogram, sums, is_there } = other;
        self.is_there |= is_there;
        self.histogram.merge(&histogram);
        self.sums.merge(&sums);
    }
}
