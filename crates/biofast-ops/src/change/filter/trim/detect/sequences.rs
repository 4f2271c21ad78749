//! The reads that are looked at, and what they say together.

use serde::Serialize;

/// The longest adapter that is told; more is not needed to find it.
pub(super) const LONGEST: usize = 33;

/// How varied is what comes before an adapter that was found by its frequency. A stretch of a genome
/// has one or a few neighbours, and a primer of an amplicon is at one or a few places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Strength {
    /// Different ends of inserts.
    pub insert_ends: u64,
    /// Different places of reads where it starts.
    pub places: u64,
}

pub(super) fn find(read: &[u8], stretch: &[u8]) -> Option<usize> {
    // Most windows are sorted out by their first base, without a call.
    let is_it = |window: &[u8]| window.first() == stretch.first() && window == stretch;
    read.windows(stretch.len()).position(is_it)
}

/// Many sequences in one piece of memory.
#[derive(Debug, Default)]
pub(super) struct Sequences {
    text: Vec<u8>,
    pub(super) ends: Vec<usize>,
}

impl Sequences {
    pub(super) fn add(&mut self, sequence: &[u8]) {
        self.text.extend(sequence.iter().map(u8::to_ascii_uppercase));
        self.ends.push(self.text.len());
    }

    pub(super) fn median_len(&self) -> usize {
        let mut lens: Vec<usize> = self.iter().map(<[u8]>::len).collect();
        lens.sort_unstable();
        lens.get(lens.len() / 2).copied().unwrap_or(0)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> + Clone {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| &self.text[start..end])
    }
}

/// What sequences that begin alike have in common.
#[derive(Debug, Default)]
pub(super) struct Consensus {
    pub(super) reads: u64,
    /// A, C, G, T and others at each place.
    counts: Vec<[u64; 5]>,
}

impl Consensus {
    pub(super) fn add(&mut self, sequence: &[u8]) {
        self.reads += 1;
        for (place, &base) in sequence.iter().take(LONGEST).enumerate() {
            if self.counts.len() == place {
                self.counts.push([0; 5]);
            }
            self.counts[place][letter(base)] += 1;
        }
    }

    /// The bases on which three quarters agree, up to the first place where they don't or where
    /// too few sequences reach.
    pub(super) fn sequence(&self) -> Vec<u8> {
        let base = |counts: &[u64; 5]| {
            let all: u64 = counts.iter().sum();
            let (best, &most) = counts[..4].iter().enumerate().max_by_key(|&(_, &n)| n)?;
            (all >= self.enough() && 4 * most >= 3 * all).then_some(b"ACGT"[best])
        };
        self.counts.iter().map_while(base).collect()
    }

    /// Whether enough sequences reach this place.
    pub(super) fn reaches(&self, place: usize) -> bool {
        self.counts.get(place).is_some_and(|counts| counts.iter().sum::<u64>() >= self.enough())
    }

    fn enough(&self) -> u64 {
        FEWEST.max(self.reads / 20)
    }
}

pub(super) fn letter(base: u8) -> usize {
    match base {
        b'A' => 0,
        b'C' => 1,
        b'G' => 2,
        b'T' => 3,
        _ => 4,
    }
}

/// Fewer reads than this with an adapter are not enough to tell it.
pub(super) const FEWEST: u64 = 20;
