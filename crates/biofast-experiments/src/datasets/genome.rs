//! The synthetic genome that reads are drawn from: 5 Mb, GC near 41 % with local variation, and now and
//! then a short tandem repeat. Called by the read generator in `profile.rs`.

use crate::rng::Rng;

pub(crate) const GENOME_LEN: usize = 5_000_000;

const PURPOSE_GENOME: u64 = 0x6765_6e6f_6d65;
const GENOME_SEED: u64 = 5_000_041;

/// One linear chromosome, with its reverse complement beside it so that reads of either strand are slices.
pub(crate) struct Genome {
    forward: Vec<u8>,
    reverse: Vec<u8>,
}

impl Genome {
    /// The genome of all datasets.
    pub(crate) fn new() -> Self {
        Self::with_len(GENOME_LEN)
    }

    /// Its first `len` bases.
    pub(crate) fn with_len(len: usize) -> Self {
        let mut rng = Rng::new(GENOME_SEED, PURPOSE_GENOME, 0);
        let mut forward = Vec::with_capacity(len + 4096);
        while forward.len() < len {
            if rng.chance(2048) {
                push_repeat(&mut rng, &mut forward);
            }
            push_segment(&mut rng, &mut forward);
        }
        forward.truncate(len);
        let reverse = forward.iter().rev().map(|&b| complement(b)).collect();
        Genome { forward, reverse }
    }

    /// Number of bases.
    pub(crate) fn len(&self) -> usize {
        self.forward.len()
    }

    /// `len` bases starting at `start`, read on the forward strand.
    #[inline]
    pub(crate) fn forward(&self, start: usize, len: usize) -> &[u8] {
        &self.forward[start..start + len]
    }

    /// The reverse complement of the `len` bases that end at `end` (exclusive).
    #[inline]
    pub(crate) fn reverse(&self, end: usize, len: usize) -> &[u8] {
        let from = self.reverse.len() - end;
        &self.reverse[from..from + len]
    }
}

/// 400–2,447 bases of one GC content, drawn around 41 % (27–55 %).
fn push_segment(rng: &mut Rng, out: &mut Vec<u8>) {
    let len = 400 + rng.below(2048);
    // In 1/65536: 27 % plus three uniform parts of up to 9.33 % each, mean 41 %.
    let gc = 17_695 + rng.below(6_116) + rng.below(6_116) + rng.below(6_116);
    for _ in 0..len {
        let r = rng.next();
        let side = (r & 1) as usize;
        out.push(if r >> 48 < gc { b"GC"[side] } else { b"AT"[side] });
    }
}

/// A unit of 1–6 bases repeated to 20–83 bases.
fn push_repeat(rng: &mut Rng, out: &mut Vec<u8>) {
    let unit = 1 + rng.below(6) as usize;
    let len = 20 + rng.below(64) as usize;
    let bits = rng.next();
    out.extend((0..len).map(|i| b"ATGC"[(bits >> (2 * (i % unit)) & 3) as usize]));
}

/// The Watson–Crick partner of an upper-case base; others are their own.
pub(crate) fn complement(base: u8) -> u8 {
    match base {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        other => other,
    }
}
