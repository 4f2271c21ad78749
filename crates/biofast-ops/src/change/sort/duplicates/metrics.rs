//! What is counted of duplicates.

use std::collections::BTreeMap;

use biofast_bam::{Record, flag};
use serde::Serialize;

use super::libraries::DuplicateLibraries;

/// What was found in a library, as Picard counts it.
///
/// ```
/// use biofast_ops::sort::duplicates::LibraryCounts;
///
/// let found = LibraryCounts { paired: 8, paired_duplicates: 2, ..LibraryCounts::default() };
/// assert_eq!(found.duplicated(), 0.25);
/// assert_eq!(found.estimated_size(), Some(6));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LibraryCounts {
    /// Its name.
    pub library: String,
    /// Aligned primary records without a mate that is aligned.
    pub unpaired: u64,
    /// Those with one.
    pub paired: u64,
    /// Aligned records that aren't primary.
    pub secondary_or_supplementary: u64,
    /// Records that aren't aligned.
    pub unmapped: u64,
    /// Records without a mate that are duplicates.
    pub unpaired_duplicates: u64,
    /// Records with one that are.
    pub paired_duplicates: u64,
    /// Of these, those that are optical duplicates.
    pub paired_optical: u64,
}

impl LibraryCounts {
    /// Counts a record with these flags.
    fn add(&mut self, flags: u16) {
        let is_marked = u64::from(flags & flag::DUPLICATE != 0);
        if flags & flag::UNMAPPED != 0 {
            self.unmapped += 1;
        } else if flags & (flag::SECONDARY | flag::SUPPLEMENTARY) != 0 {
            self.secondary_or_supplementary += 1;
        } else if flags & flag::PAIRED == 0 || flags & flag::MATE_UNMAPPED != 0 {
            self.unpaired += 1;
            self.unpaired_duplicates += is_marked;
        } else {
            self.paired += 1;
            self.paired_duplicates += is_marked;
        }
    }

    /// The part of the aligned primary records that is duplicates; 0 if there are none.
    pub fn duplicated(&self) -> f64 {
        let pairs = self.paired / 2 * 2;
        match self.unpaired + pairs {
            0 => 0.0,
            all => (self.unpaired_duplicates + self.paired_duplicates / 2 * 2) as f64 / all as f64,
        }
    }

    /// How many molecules the library may have, if some of its pairs are duplicates that aren't optical.
    pub fn estimated_size(&self) -> Option<u64> {
        let pairs = self.paired / 2;
        let unique = pairs.saturating_sub(self.paired_duplicates / 2);
        estimate(pairs.saturating_sub(self.paired_optical / 2), unique)
    }

    fn is_empty(&self) -> bool {
        let nothing = LibraryCounts { library: self.library.clone(), ..LibraryCounts::default() };
        *self == nothing
    }
}

impl DuplicateCounts {
    /// How many molecules there may be, by the pairs of all libraries; `None` if none is a duplicate that isn't optical, or all are.
    pub fn estimated_library_size(&self) -> Option<u64> {
        let optical = self.duplicate_pair_optical;
        let unique = self.paired.saturating_sub(self.duplicate_pair) / 2;
        match self.duplicate_pair.saturating_sub(optical) / 2 {
            0 => None,
            _ => estimate(self.paired.saturating_sub(optical) / 2, unique),
        }
    }
}

/// The number of sets of duplicate pairs of each size, as Picard counts them: with the pair that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetSizes(BTreeMap<u64, [u64; 3]>);

impl SetSizes {
    /// Counts a set.
    pub(super) fn add(&mut self, pairs: u64, optical: u64) {
        if pairs == 0 {
            return;
        }
        let mut count = |size: u64, column: usize| self.0.entry(size).or_default()[column] += 1;
        count(pairs, 0);
        if optical > 0 {
            count(optical + 1, 1);
        }
        count(pairs - optical, 2);
    }

    /// The sizes, each with the number of all sets, of those of optical duplicates, and of those without optical duplicates.
    pub fn iter(&self) -> impl Iterator<Item = (u64, [u64; 3])> {
        self.0.iter().map(|(size, counts)| (*size, *counts))
    }
}

/// Counts by library.
#[derive(Clone)]
pub(super) struct ByLibrary {
    libraries: std::sync::Arc<DuplicateLibraries>,
    counts: Vec<LibraryCounts>,
}

impl ByLibrary {
    pub(super) fn new(libraries: std::sync::Arc<DuplicateLibraries>) -> ByLibrary {
        let named =
            |name: &String| LibraryCounts { library: name.clone(), ..LibraryCounts::default() };
        let counts = libraries.names.iter().map(named).collect();
        ByLibrary { libraries, counts }
    }

    /// Counts a record, which gets these flags.
    pub(super) fn add(&mut self, record: &Record<'_>, flags: u16, is_optical: bool) {
        let number = self.libraries.of(record) as usize;
        self.counts[number].add(flags);
        self.counts[number].paired_optical += u64::from(is_optical);
    }

    /// The same without counts.
    pub(super) fn empty(&self) -> ByLibrary {
        ByLibrary::new(std::sync::Arc::clone(&self.libraries))
    }

    /// Adds the counts of another one of the same header.
    pub(super) fn merge(&mut self, other: &ByLibrary) {
        for (own, other) in self.counts.iter_mut().zip(&other.counts) {
            own.unpaired += other.unpaired;
            own.paired += other.paired;
            own.secondary_or_supplementary += other.secondary_or_supplementary;
            own.unmapped += other.unmapped;
            own.unpaired_duplicates += other.unpaired_duplicates;
            own.paired_duplicates += other.paired_duplicates;
            own.paired_optical += other.paired_optical;
        }
    }

    /// Adds pairs that are optical duplicates, by the number of the library.
    pub(super) fn add_optical_pairs(&mut self, pairs: &[u64]) {
        for (counts, pairs) in self.counts.iter_mut().zip(pairs) {
            counts.paired_optical += 2 * pairs;
        }
    }

    /// Those of the header, and the one of reads that have none if there are such.
    pub(super) fn counts(&self) -> impl Iterator<Item = &LibraryCounts> {
        let only = self.counts.len() == 1;
        let unknown = self.counts[..1].iter().filter(move |counts| only || !counts.is_empty());
        self.counts[1..].iter().chain(unknown)
    }
}

/// The number of molecules x of which `pairs` were drawn with `unique` different ones among them (Lander and Waterman):
/// unique / x = 1 − exp(−pairs / x), by halving as samtools and Picard do, forty times.
fn estimate(pairs: u64, unique: u64) -> Option<u64> {
    if unique == 0 || unique >= pairs {
        return None;
    }
    let (n, c) = (pairs as f64, unique as f64);
    let excess = |times: f64| c / (times * c) - 1.0 + (-n / (times * c)).exp();
    let (mut low, mut high) = (1.0, 100.0);
    while excess(high) > 0.0 {
        high *= 10.0;
    }
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        let excess = excess(middle);
        if excess == 0.0 {
            break;
        }
        *(if excess > 0.0 { &mut low } else { &mut high }) = middle;
    }
    Some((c * (low + high) / 2.0) as u64)
}

/// Counts of records and duplicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DuplicateCounts {
    /// Records read.
    pub read: u64,
    /// Records given on.
    pub written: u64,
    /// Records that aren't looked at: not primary, not aligned, or of bad quality.
    pub excluded: u64,
    /// Records that are looked at.
    pub examined: u64,
    /// Of these, reads of which the mate is aligned, too.
    pub paired: u64,
    /// The others.
    pub single: u64,
    /// Reads of pairs that are duplicates.
    pub duplicate_pair: u64,
    /// Other reads that are duplicates.
    pub duplicate_single: u64,
    /// Records marked with a primary one.
    pub duplicate_non_primary: u64,
    /// Of the reads of pairs that are duplicates, optical ones.
    pub duplicate_pair_optical: u64,
    /// Of the other reads that are duplicates, optical ones.
    pub duplicate_single_optical: u64,
    /// Of the records marked with a primary one, those marked with an optical one.
    pub duplicate_non_primary_optical: u64,
    /// Duplicates whose names don't say where they were on the flow cell, if that was asked for. By the rule of Picard all reads of
    /// pairs in sets of duplicates count, the one that stays among them.
    pub without_location: u64,
    /// Up to which distance duplicates are optical ones; nothing if they weren't told from others.
    pub optical_distance: Option<u32>,
    /// Names with a read of a pair whose mate isn't there.
    pub without_mate: u64,
    /// Reads that aren't looked at themselves (they failed checks of quality, say) and are marked with their mates.
    pub duplicate_mates: u64,
    /// Reads looked at that have no barcode, nor has their mate, if duplicates have barcodes in common. They are compared with each
    /// other.
    pub without_barcode: u64,
}

impl DuplicateCounts {
    /// All records that were marked.
    pub fn duplicates(&self) -> u64 {
        self.duplicate_pair
            + self.duplicate_single
            + self.duplicate_non_primary
            + self.duplicate_mates
    }

    /// Adds what was counted as records were marked.
    pub(super) fn add_marked(&mut self, other: &DuplicateCounts) {
        self.written += other.written;
        self.duplicate_non_primary += other.duplicate_non_primary;
        self.duplicate_non_primary_optical += other.duplicate_non_primary_optical;
        self.duplicate_mates += other.duplicate_mates;
    }

    /// Adds what was counted of other reads as they were looked at and decided about.
    pub(super) fn add(&mut self, other: &DuplicateCounts) {
        self.without_mate += other.without_mate;
        self.excluded += other.excluded;
        self.examined += other.examined;
        self.paired += other.paired;
        self.single += other.single;
        self.duplicate_pair += other.duplicate_pair;
        self.duplicate_single += other.duplicate_single;
        self.without_barcode += other.without_barcode;
    }
}
