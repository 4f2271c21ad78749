//! Segments of several genomes of a species, as an assembly compressor cuts them: reference segments, and others that
//! differ from them here and there. Seeded, made in memory.

use crate::datasets::genome::Genome;
use crate::rng::Rng;

const PURPOSE_SEGMENTS: u64 = 0x7365_676d;
const SEED: u64 = 42;

/// Bases of a reference segment.
pub(crate) const LEN: usize = 17_000;

/// Bases of the genome that segments are cut from.
const GENOME: usize = 2_000_000;

/// In 65,536: 0.2 % of places are substituted, 0.02 % inserted or deleted.
const SUBSTITUTED: u64 = 131;
const INSERTED: u64 = 7;
const DELETED: u64 = 7;

/// A number of segments with their references.
pub(crate) struct Segments {
    genome: Genome,
    others: Vec<Vec<u8>>,
}

impl Segments {
    /// So many segments that differ from their references.
    pub(crate) fn new(count: usize) -> Self {
        let mut all = Segments { genome: Genome::with_len(GENOME), others: Vec::new() };
        all.others = (0..count).map(|i| mutated(all.reference(i), i as u64)).collect();
        all
    }

    /// Number of segments.
    pub(crate) fn len(&self) -> usize {
        self.others.len()
    }

    /// The reference of a segment; later genomes have the same references again.
    pub(crate) fn reference(&self, i: usize) -> &[u8] {
        self.genome.forward(i % (self.genome.len() / LEN) * LEN, LEN)
    }

    pub(crate) fn segment(&self, i: usize) -> &[u8] {
        &self.others[i]
    }

    /// Bases of the genome in one piece.
    pub(crate) fn sequence(&self, len: usize) -> &[u8] {
        self.genome.forward(0, len)
    }
}

fn mutated(reference: &[u8], index: u64) -> Vec<u8> {
    let mut rng = Rng::new(SEED, PURPOSE_SEGMENTS, index);
    let mut out = Vec::with_capacity(reference.len() + 64);
    for &base in reference {
        let place = rng.next() >> 48;
        if place < SUBSTITUTED {
            let others: Vec<u8> = b"ACGT".iter().copied().filter(|b| *b != base).collect();
            out.push(others[rng.below(3) as usize]);
        } else if place < SUBSTITUTED + INSERTED {
            let len = 1 + rng.below(20);
            out.push(base);
            out.extend((0..len).map(|_| b"ACGT"[rng.below(4) as usize]));
        } else if place >= SUBSTITUTED + INSERTED + DELETED {
            out.push(base);
        }
    }
    out
}
