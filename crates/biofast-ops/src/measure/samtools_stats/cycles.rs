//! Bases and qualities of every cycle, exactly, by fragment and strand.

use std::collections::BTreeMap;

use biofast_bam::{Record, flag};
use biofast_kernels::{BaseColumns, BaseCounts, PHRED_VALUES, QualityColumns, is_missing};

use crate::measure::alignments::basics::Fragment;
use crate::measure::alignments::waiting::UnpackedReads;
use crate::measure::reads;

/// The number of quality values a byte has.
pub const QUALITIES: usize = 256;

/// The first and last fragments; others have no cycles in this report.
const FRAGMENTS: usize = 2;

/// Counts by cycle. What waits is counted by `settle`.
#[derive(Clone, Debug, Default)]
pub struct Cycles {
    /// By fragment and strand, in the direction of sequencing.
    bases: [[BaseColumns; 2]; FRAGMENTS],
    qualities: [QualityColumns; FRAGMENTS],
    waiting: [[UnpackedReads; 2]; FRAGMENTS],
    /// Bases of reads with a quality that has no letter, as they were sequenced: what [`reads`](crate::measure::reads) counts
    /// itself.
    odd: [BaseColumns; FRAGMENTS],
    /// Reads without qualities by length: htslib shows them as 255 at every base.
    without: [BTreeMap<usize, u64>; FRAGMENTS],
    /// Bases by cycle and quality of reads with a quality above 93, which has no letter.
    irregular: [BTreeMap<(usize, u8), u64>; FRAGMENTS],
}

impl Cycles {
    /// Adds a primary read.
    #[inline]
    pub(crate) fn push(&mut self, record: &Record<'_>, fragment: Fragment) {
        if fragment == Fragment::Other {
            return;
        }
        let fragment = fragment as usize;
        let reverse = record.flags() & flag::REVERSE != 0;
        let raw = record.qualities();
        let highest = raw.iter().fold(0, |max, &q| q.max(max));
        let regular = usize::from(highest) < PHRED_VALUES;
        if !regular {
            self.push_irregular(raw.as_slice(), fragment, reverse);
        }
        self.waiting[fragment][usize::from(reverse)].push(record, regular);
        if self.waiting[fragment][usize::from(reverse)].is_full() {
            self.count(fragment, usize::from(reverse), None);
        }
    }

    /// The same of a read that is counted as a read, too: with others of its fragment it is given to `reads`, but for what is
    /// counted by cycle, which [`add_to`](Self::add_to) gives them at the end. False of a read they have to count themselves.
    #[inline]
    pub(crate) fn push_shared(
        &mut self,
        record: &Record<'_>,
        fragment: Fragment,
        reads: &mut [Option<Box<reads::Collector>>],
    ) -> bool {
        let raw = record.qualities();
        let highest = raw.iter().fold(0, |max, &q| q.max(max));
        let regular = usize::from(highest) < PHRED_VALUES;
        if fragment == Fragment::Other || !(regular || is_missing(raw.as_slice())) {
            self.push(record, fragment);
            if fragment != Fragment::Other {
                self.push_odd(record, fragment as usize);
            }
            return false;
        }
        let fragment = fragment as usize;
        let reverse = record.flags() & flag::REVERSE != 0;
        if !regular {
            self.push_irregular(raw.as_slice(), fragment, reverse);
        }
        let strand = usize::from(reverse);
        self.waiting[fragment][strand].push(record, regular);
        if self.waiting[fragment][strand].is_full() {
            self.count(fragment, strand, Some(&mut reads[fragment]));
        }
        true
    }

    #[cold]
    fn push_odd(&mut self, record: &Record<'_>, fragment: usize) {
        let mut one = UnpackedReads::default();
        one.push(record, false);
        one.take(|bases, _, _| self.odd[fragment].add(bases));
    }

    /// Counts what waits, of reads that were [shared](Self::push_shared).
    pub(crate) fn settle_shared(&mut self, reads: &mut [Option<Box<reads::Collector>>]) {
        for (fragment, reads) in reads.iter_mut().enumerate().take(FRAGMENTS) {
            for strand in 0..2 {
                self.count(fragment, strand, Some(reads));
            }
        }
    }

    /// Adds what is counted by cycle to reads that were [shared](Self::push_shared) and that nothing waits of any more.
    pub(crate) fn add_to(&self, reads: &mut [Option<Box<reads::Collector>>]) {
        for (fragment, reads) in reads.iter_mut().enumerate().take(FRAGMENTS) {
            let Some(reads) = reads else { continue };
            let len = self.bases_len(fragment);
            let cycles = (0..len).map(|cycle| {
                let [forward, reverse] = &self.bases[fragment];
                let bases = forward.get(cycle) + reverse.get(cycle);
                let odd = self.odd[fragment].get(cycle);
                let bases = BaseCounts {
                    a: bases.a - odd.a,
                    c: bases.c - odd.c,
                    g: bases.g - odd.g,
                    t: bases.t - odd.t,
                    n: bases.n - odd.n,
                    other: bases.other - odd.other,
                };
                (bases, self.qualities[fragment].get(cycle))
            });
            reads.add_cycles(cycles);
        }
    }

    #[cold]
    fn push_irregular(&mut self, raw: &[u8], fragment: usize, reverse: bool) {
        if is_missing(raw) && raw.iter().all(|&q| q == 0xff) {
            *self.without[fragment].entry(raw.len()).or_default() += 1;
            return;
        }
        for (place, &quality) in raw.iter().enumerate() {
            let cycle = if reverse { raw.len() - 1 - place } else { place };
            *self.irregular[fragment].entry((cycle, quality)).or_default() += 1;
        }
    }

    fn count(
        &mut self,
        fragment: usize,
        strand: usize,
        reads: Option<&mut Option<Box<reads::Collector>>>,
    ) {
        let (columns, all) = (&mut self.bases[fragment][strand], &mut self.qualities[fragment]);
        self.waiting[fragment][strand].take(|bases, qualities, origins| {
            columns.add(bases);
            all.add(qualities);
            if let Some(reads) = reads {
                reads.get_or_insert_default().add_reads_without_cycles(bases, qualities, origins);
            }
        });
    }

    /// Counts what waits.
    pub(crate) fn settle(&mut self) {
        for fragment in 0..FRAGMENTS {
            for strand in 0..2 {
                self.count(fragment, strand, None);
            }
        }
    }

    /// Adds another one's counts; both must be settled.
    pub(crate) fn merge(&mut self, other: &Cycles) {
        for fragment in 0..FRAGMENTS {
            for strand in 0..2 {
                self.bases[fragment][strand].merge(&other.bases[fragment][strand]);
            }
            self.qualities[fragment].merge(&other.qualities[fragment]);
            self.odd[fragment].merge(&other.odd[fragment]);
            for (&len, reads) in &other.without[fragment] {
                *self.without[fragment].entry(len).or_default() += reads;
            }
            for (&place, bases) in &other.irregular[fragment] {
                *self.irregular[fragment].entry(place).or_default() += bases;
            }
        }
    }

    /// Bases at `cycle` (from 0) as the records store them: reverse reads are turned round but
    /// not complemented.
    pub fn stored_bases(&self, fragment: usize, cycle: usize) -> BaseCounts {
        let [forward, reverse] = &self.bases[fragment];
        forward.get(cycle) + complement(reverse.get(cycle))
    }

    /// The number of cycles that first or last fragments have bases at.
    pub fn bases_len(&self, fragment: usize) -> usize {
        self.bases[fragment].iter().map(BaseColumns::len).max().unwrap_or(0)
    }

    /// Bases at `cycle` as they were sequenced, of both fragments.
    pub fn sequenced_bases(&self, cycle: usize) -> BaseCounts {
        let columns = self.bases.as_flattened().iter();
        columns.fold(BaseCounts::default(), |sum, columns| sum + columns.get(cycle))
    }

    /// The qualities of first or last fragments.
    pub fn qualities(&self, fragment: usize) -> Qualities<'_> {
        let mut longer: Vec<(usize, u64)> = Vec::with_capacity(self.without[fragment].len());
        let mut reads = 0;
        for (&len, n) in self.without[fragment].iter().rev() {
            reads += n;
            longer.push((len, reads));
        }
        Qualities {
            columns: &self.qualities[fragment],
            longer,
            irregular: &self.irregular[fragment],
        }
    }
}

/// The quality histograms of all cycles, made one at a time: reads may have millions of them.
pub struct Qualities<'a> {
    columns: &'a QualityColumns,
    /// Of reads without qualities, longest first: length, and reads of that length and more.
    longer: Vec<(usize, u64)>,
    irregular: &'a BTreeMap<(usize, u8), u64>,
}

impl Qualities<'_> {
    /// The number of cycles that have qualities.
    pub fn cycles(&self) -> usize {
        let without = self.longer.first().map_or(0, |(len, _)| *len);
        self.known_len().max(without)
    }

    /// The number of cycles that have qualities, apart from reads without any.
    pub(crate) fn known_len(&self) -> usize {
        let irregular = self.irregular.keys().next_back().map_or(0, |(cycle, _)| cycle + 1);
        self.columns.len().max(irregular)
    }

    /// Bases at `cycle` (from 0) by quality, without reads that have none.
    pub(crate) fn known_at(&self, cycle: usize) -> [u64; QUALITIES] {
        let mut row = [0; QUALITIES];
        if cycle < self.columns.len() {
            row[..PHRED_VALUES].copy_from_slice(&self.columns.get(cycle));
        }
        for (&(_, quality), bases) in self.irregular.range((cycle, 0)..=(cycle, 255)) {
            row[usize::from(quality)] += bases;
        }
        row
    }

    /// Bases at `cycle` (from 0) by quality.
    pub fn at(&self, cycle: usize) -> [u64; QUALITIES] {
        let mut row = self.known_at(cycle);
        let reach = self.longer.partition_point(|(len, _)| *len > cycle);
        if let Some((_, reads)) = reach.checked_sub(1).and_then(|last| self.longer.get(last)) {
            row[255] += reads;
        }
        row
    }
}

fn complement(bases: BaseCounts) -> BaseCounts {
    BaseCounts { a: bases.t, c: bases.g, g: bases.c, t: bases.a, ..bases }
}
