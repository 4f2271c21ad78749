//! Long reads: 1–100 kb, Nanopore-like scores, insertions and deletions. Called by `writer.rs`, one chunk of
//! records at a time, in any order and from any thread.

use super::genome::Genome;
use super::profile::{ERROR_RATE, LONG_LENGTHS};
use super::short::substitute;
use super::writer::push_number;
use crate::rng::Rng;

pub(crate) const LONG_CHUNK: u64 = 32;

const PURPOSE_LONG: u64 = 0x6c6f_6e67;
const Q_MIN: i64 = 3;
const Q_MAX: i64 = 30;

/// Everything that makes long reads of one dataset.
pub(crate) struct LongReads<'a> {
    pub(crate) genome: &'a Genome,
    pub(crate) seed: u64,
}

impl LongReads<'_> {
    /// Appends records `chunk * LONG_CHUNK ..` (at most `records` of them) to `out`; returns their bases.
    pub(crate) fn push_chunk(&self, chunk: u64, records: u64, out: &mut Vec<u8>) -> u64 {
        let mut rng = Rng::new(self.seed, PURPOSE_LONG, chunk);
        let mut bases = 0;
        let mut qual = Vec::new();
        for i in 0..records {
            push_name(chunk * LONG_CHUNK + i, &mut rng, out);
            let len = draw_length(&mut rng);
            self.push_read(len, &mut rng, out, &mut qual);
            bases += len as u64;
        }
        bases
    }

    fn push_read(&self, len: usize, rng: &mut Rng, out: &mut Vec<u8>, qual: &mut Vec<u8>) {
        // Deletions skip bases of the genome: twice the length is more than enough room.
        let start = rng.below((self.genome.len() - 2 * len) as u64) as usize;
        let source = if rng.next() & 1 == 0 {
            self.genome.forward(start, 2 * len)
        } else {
            self.genome.reverse(start + 2 * len, 2 * len)
        };
        // A read has a level (Q8–Q22) around which its scores wander; a second, fast part differs from base to base.
        let level = 16 * (8 + (rng.below(8) + rng.below(8)) as i64);
        let mut slow = level;
        let mut at = 0;
        let n_run = if rng.chance(26_000) {
            Some((rng.below(len as u64) as usize, 100 + rng.below(60) as usize))
        } else {
            None
        };
        let lower = if rng.chance(2_600) { rng.below(len as u64) as usize } else { usize::MAX };
        qual.clear();
        for i in 0..len {
            let r = rng.next();
            slow += (r >> 32 & 31) as i64 - 15 + (level - slow) / 32;
            slow = slow.clamp(16 * Q_MIN, 16 * Q_MAX);
            let fast = ((r >> 37 & 63) + (r >> 43 & 63)) as i64 - 63;
            let mut q = ((slow + fast) / 16).clamp(Q_MIN, Q_MAX) as u8;
            let mut base = source[at];
            at += 1;
            if (r as u32) < ERROR_RATE[usize::from(q)] {
                match r >> 49 & 7 {
                    0..=3 => base = substitute(base, r >> 52),
                    4..=6 if at < source.len() => {
                        base = source[at];
                        at += 1;
                    }
                    _ => {
                        base = b"ACGT"[(r >> 52 & 3) as usize];
                        at -= 1;
                    }
                }
            }
            if n_run.is_some_and(|(from, n)| (from..from + n).contains(&i)) {
                base = b'N';
                q = Q_MIN as u8;
            }
            if (lower..lower.saturating_add(500)).contains(&i) {
                base = base.to_ascii_lowercase();
            }
            out.push(base);
            qual.push(q + 33);
        }
        out.extend_from_slice(b"\n+\n");
        out.extend_from_slice(qual);
        out.push(b'\n');
    }
}

/// A random identifier in UUID form, then channel and read number.
fn push_name(index: u64, rng: &mut Rng, out: &mut Vec<u8>) {
    out.push(b'@');
    let (high, low) = (rng.next(), rng.next());
    for i in 0..32u32 {
        if matches!(i, 8 | 12 | 16 | 20) {
            out.push(b'-');
        }
        let word = if i < 16 { high } else { low };
        out.push(b"0123456789abcdef"[(word >> (4 * (i % 16)) & 15) as usize]);
    }
    out.extend_from_slice(b" ch=");
    push_number(1 + rng.below(512), out);
    out.extend_from_slice(b" read=");
    push_number(1 + index, out);
    out.push(b'\n');
}

/// A length from the table of quantiles, linear in between.
fn draw_length(rng: &mut Rng) -> usize {
    let r = rng.next();
    let i = (r >> 58) as usize;
    let fraction = r >> 26 & 0xffff_ffff;
    let (low, high) = (LONG_LENGTHS[i], LONG_LENGTHS[i + 1]);
    (low + (((high - low) * fraction) >> 32)) as usize
}
