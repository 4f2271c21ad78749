//! Short reads: fragments of the genome, sequenced from one or both ends. Called by `writer.rs`, one chunk
//! of records at a time, in any order and from any thread.
//!
//! A chunk's fragments come from a stream of their own that does not know the mate, so that the two files
//! of a pair are generated independently and still describe the same molecules under the same names.

use super::genome::Genome;
use super::profile::{ERROR_RATE, Profile, Q_BAD, SHORT_LEN, ShortTables, TAIL_CHANCE};
use super::writer::push_number;
use crate::rng::Rng;

pub(crate) const SHORT_CHUNK: u64 = 4096;

const PURPOSE_FRAGMENTS: u64 = 0x6672_6167;
const PURPOSE_READS: [u64; 2] = [0x0072_6561_6431, 0x0072_6561_6432];
const PURPOSE_TILE: u64 = 0x7469_6c65;
const READS_PER_TILE: u64 = 32 * SHORT_CHUNK;

/// What follows a fragment shorter than the read: the start of the TruSeq adapters, then what poly-A there is.
pub(crate) const ADAPTERS: [&[u8]; 2] = [
    b"AGATCGGAAGAGCACACGTCTGAACTCCAGTCACACGTACGTATCTCGTATGCCGTCTTCTGCTTG",
    b"AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATT",
];

/// How read names are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// `@SIM001:12:HFKJJBGXY:1:11101:17113:1101 1:N:0:ACGTACGT`
    Full,
    /// `@S:1:F:1:1101:7113:1101 1`: the same seven fields, as short as they get.
    Compact,
}

/// Everything that makes short reads of one dataset and mate.
pub(crate) struct ShortReads<'a> {
    pub(crate) genome: &'a Genome,
    pub(crate) tables: ShortTables,
    pub(crate) names: Names,
    pub(crate) seed: u64,
    /// 0 for R1 and single-end reads, 1 for R2.
    pub(crate) mate: usize,
}

/// One sequenced molecule.
#[derive(Clone, Copy)]
pub(crate) struct Fragment {
    pub(crate) start: usize,
    pub(crate) len: usize,
    /// R1 is read from the reverse strand.
    pub(crate) reverse: bool,
    pub(crate) x_offset: u64,
}

/// Bases and printed qualities, in the order of sequencing.
#[derive(Clone, Copy)]
pub(crate) struct Read {
    pub(crate) seq: [u8; SHORT_LEN],
    pub(crate) qual: [u8; SHORT_LEN],
}

impl<'a> ShortReads<'a> {
    pub(crate) fn new(
        genome: &'a Genome,
        profile: Profile,
        names: Names,
        seed: u64,
        mate: usize,
    ) -> Self {
        ShortReads { genome, tables: ShortTables::new(profile), names, seed, mate }
    }

    /// Appends records `chunk * SHORT_CHUNK ..` (at most `records` of them) to `out`.
    pub(crate) fn push_chunk(&self, chunk: u64, records: u64, out: &mut Vec<u8>) {
        self.for_each(chunk, records, |index, fragment, read| {
            out.push(b'@');
            self.push_name(index, fragment.x_offset, out);
            let comment: [&[u8]; 2] = match self.names {
                Names::Full => [b" 1:N:0:ACGTACGT\n", b" 2:N:0:ACGTACGT\n"],
                Names::Compact => [b" 1\n", b" 2\n"],
            };
            out.extend_from_slice(comment[self.mate]);
            out.extend_from_slice(&read.seq);
            out.extend_from_slice(b"\n+\n");
            out.extend_from_slice(&read.qual);
            out.push(b'\n');
        });
    }

    /// Hands out records `chunk * SHORT_CHUNK ..` (at most `records` of them) with their numbers.
    pub(crate) fn for_each(
        &self,
        chunk: u64,
        records: u64,
        mut sink: impl FnMut(u64, Fragment, Read),
    ) {
        let mut fragments = Rng::new(self.seed, PURPOSE_FRAGMENTS, chunk);
        let mut rng = Rng::new(self.seed, PURPOSE_READS[self.mate], chunk);
        // One cycle of each tile and mate went wrong (a bubble under the lens).
        let tile = chunk * SHORT_CHUNK / READS_PER_TILE;
        let bad_cycle = Rng::new(self.seed, PURPOSE_TILE + self.mate as u64, tile)
            .below(SHORT_LEN as u64) as usize;
        for i in 0..records {
            let fragment = draw_fragment(&mut fragments, self.genome.len());
            sink(chunk * SHORT_CHUNK + i, fragment, self.read(&fragment, bad_cycle, &mut rng));
        }
    }

    /// Coordinates rise along the file; several reads share a `y`, each in a stripe of `x` of its own, so
    /// that no two reads of a tile have the same name.
    pub(crate) fn push_name(&self, index: u64, x_offset: u64, out: &mut Vec<u8>) {
        let (tile, in_tile) = (index / READS_PER_TILE, index % READS_PER_TILE);
        match self.names {
            Names::Full => {
                out.extend_from_slice(b"SIM001:12:HFKJJBGXY:");
                push_number(1 + tile / 432 % 4, out);
                out.push(b':');
                let (surface, swath, camera, tile) =
                    (1 + tile / 216 % 2, 1 + tile / 72 % 3, 1 + tile / 12 % 6, 1 + tile % 12);
                push_number(surface * 10_000 + swath * 1000 + camera * 100 + tile, out);
                out.push(b':');
                push_number(1000 + in_tile * 5 % 8 * 3000 + x_offset % 3000, out);
                out.push(b':');
                push_number(1000 + in_tile / 8, out);
            }
            Names::Compact => {
                out.extend_from_slice(b"S:1:F:1:");
                push_number(1101 + tile / 28 * 100 + tile % 28, out);
                out.push(b':');
                push_number(1000 + in_tile * 7 % 15 * 600 + x_offset % 600, out);
                out.push(b':');
                push_number(1000 + in_tile / 15, out);
            }
        }
    }

    fn read(&self, fragment: &Fragment, bad_cycle: usize, rng: &mut Rng) -> Read {
        let mut seq = [0u8; SHORT_LEN];
        let mut qual = [0u8; SHORT_LEN];
        let mut noise = [0u64; SHORT_LEN];
        self.copy_bases(fragment, &mut seq);

        let r = rng.next();
        let level = self.tables.level(r);
        let clear = clear_length(level, SHORT_LEN, r >> 6, rng);
        let case = lower_case_run(r >> 40, rng);
        let all_bad = r >> 16 & 1023 == 0;

        // Qualities: keep the score of the cycle before, or draw one from this cycle's table.
        let mut latent = 36;
        for cycle in 0..SHORT_LEN {
            let r = rng.next();
            noise[cycle] = r;
            latent = self.tables.next_score(level, cycle, latent, r);
            qual[cycle] = latent;
        }
        qual[clear..].fill(Q_BAD);

        // Bases: sequencing errors by score, then N.
        for cycle in 0..SHORT_LEN {
            let r = noise[cycle];
            if (r as u32) < ERROR_RATE[usize::from(qual[cycle])] {
                seq[cycle] = substitute(seq[cycle], r >> 50);
            }
            let n_chance = match (all_bad, cycle == bad_cycle, qual[cycle] == Q_BAD) {
                (true, _, _) => 200,
                (_, true, _) => 64,
                (_, _, true) => 51,
                _ => 0,
            };
            if r >> 56 < n_chance {
                seq[cycle] = b'N';
                qual[cycle] = Q_BAD;
            }
        }
        seq[case.0..case.1].make_ascii_lowercase();
        for q in &mut qual {
            *q = self.tables.printed(*q) + 33;
        }
        Read { seq, qual }
    }

    /// The bases the sequencer saw: R1 from one end of the fragment, R2 from the other strand's end.
    fn copy_bases(&self, fragment: &Fragment, seq: &mut [u8; SHORT_LEN]) {
        let inside = fragment.len.min(SHORT_LEN);
        let bases = if fragment.reverse == (self.mate == 1) {
            self.genome.forward(fragment.start, inside)
        } else {
            self.genome.reverse(fragment.start + fragment.len, inside)
        };
        seq[..inside].copy_from_slice(bases);
        let mut rest = &mut seq[inside..];
        let adapter = ADAPTERS[self.mate];
        let shown = adapter.len().min(rest.len());
        rest[..shown].copy_from_slice(&adapter[..shown]);
        rest = &mut rest[shown..];
        rest.fill(b'A');
    }
}

/// A fragment anywhere, on either strand; insert sizes near 350 ± 50, and one in 50 short enough to read into the adapter.
fn draw_fragment(rng: &mut Rng, genome_len: usize) -> Fragment {
    let r = rng.next();
    let bytes: u64 = rng.next().to_le_bytes().iter().map(|&b| u64::from(b)).sum();
    // The sum of eight bytes has mean 1020 and standard deviation 209.
    let len = if r & 1023 < 20 {
        50 + (r >> 10 & 127)
    } else {
        (350 * 209 + bytes * 50 - 1020 * 50) / 209
    };
    let start = rng.below(genome_len as u64 - len);
    Fragment {
        start: start as usize,
        len: len as usize,
        reverse: r >> 20 & 1 == 1,
        x_offset: r >> 32,
    }
}

/// Where the tail of `#` begins: the whole length for most reads, more often earlier for bad levels.
pub(crate) fn clear_length(level: usize, len: usize, r: u64, rng: &mut Rng) -> usize {
    if r & 255 >= TAIL_CHANCE[level] {
        return len;
    }
    let tail = 1 + rng.below(100).min(rng.below(100));
    len.saturating_sub(tail as usize)
}

/// One read in 50 has a run of 8–23 lower-case bases (a soft-masked stretch); `(0, 0)` for the others.
fn lower_case_run(r: u64, rng: &mut Rng) -> (usize, usize) {
    if r & 1023 >= 20 {
        return (0, 0);
    }
    let len = 8 + rng.below(16) as usize;
    let start = rng.below((SHORT_LEN - len) as u64) as usize;
    (start, start + len)
}

/// One of the three other bases.
#[inline]
pub(crate) fn substitute(base: u8, r: u64) -> u8 {
    let others: &[u8; 3] = match base {
        b'A' => b"CGT",
        b'C' => b"AGT",
        b'G' => b"ACT",
        _ => b"ACG",
    };
    others[(r % 3) as usize]
}
