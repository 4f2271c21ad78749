//! What the encoder does many bytes at a time, and how it is done without SIMD: the reference.

use super::item::{Item, MIN_LENGTH, RUN, UNPACKED, pack};

/// The shortest run of each score that is cheaper than literals; scores are taken modulo 128.
pub(super) type Shortest = [u8; 128];

/// Items that have an entry in [`ItemCodes`]: literals from a first one on and the shortest runs, as many each.
pub(super) const CODED: usize = 64;
/// The first such literal: of FASTQ, whose scores, upper case letters and digits are from there on, and of BAM, whose
/// qualities are numbers.
pub(super) const CODED_FASTQ: usize = 32;
pub(super) const CODED_BAM: usize = 0;
/// The most bits of a code there.
pub(super) const CODED_BITS: u32 = 16;

/// Codes of the most common items, literals and short runs. Their places are the items modulo [`CODED`].
pub(super) struct ItemCodes {
    /// The first literal.
    pub(super) first: usize,
    pub(super) literals: [u16; CODED],
    pub(super) runs: [u16; CODED],
    /// How many bits these are; a code of more than [`CODED_BITS`] has 64.
    pub(super) literal_bits: [u16; CODED],
    pub(super) run_bits: [u16; CODED],
}

/// Codes of two bases each, at most 8 bits; their places are the bases as packed.
#[derive(Default)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // only AVX-512 joins codes
pub(super) struct PairCodes {
    pub(super) codes: [u8; 16],
    pub(super) bits: [u8; 16],
}

/// What 32 codes are written as: words of four, lowest bits first, and how many bits each has, 56 at most.
pub(super) type Joined = [[u64; 8]; 2];

/// Slots of a table of 12-mers: in each, a place below the tag of the 12-mer that is there.
pub(super) const MER_SLOTS: usize = 4096;
/// From 12-mers to hashes, of which the low 24 bits count: a slot and below it a tag, by which no 12-mer is like another.
pub(super) const MER_HASH: u32 = 0x9e37_79b1;

/// The slot and the tag of the 12-mer in the low 24 bits of `mer`.
#[inline(always)]
pub(super) fn slot_and_tag(mer: u32) -> (usize, u32) {
    let hash = mer.wrapping_mul(MER_HASH);
    ((hash >> 12) as usize % MER_SLOTS, hash & 0xfff)
}

/// The operations of an instruction set.
///
/// Their bodies become part of the function compiled for it.
pub(super) trait Simd {
    /// Which bytes are the same: a bit each, lowest first.
    fn equal(a: &[u8; 64], b: &[u8; 64]) -> u64;

    /// The same of 32 bytes.
    fn equal_half(a: &[u8; 32], b: &[u8; 32]) -> u32;

    /// Which bytes are line feeds.
    #[inline(always)]
    fn newlines(bytes: &[u8; 64]) -> u64 {
        Self::equal(bytes, &[b'\n'; 64])
    }

    /// How many letters and digits the bytes begin with.
    #[inline(always)]
    fn letters(bytes: &[u8; 32]) -> usize {
        bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()
    }

    /// Writes the bytes that `keep` has bits for to the front of `to`, in their order, and says how many these are. What is
    /// behind them there is not defined.
    fn pick(bytes: &[u8; 64], keep: u64, to: &mut [Item; 64]) -> usize;

    /// Whether codes can be joined faster than one by one.
    const JOINS: bool = false;

    /// The codes of the first `n` of `items`; `None` if an item has no entry or four have more than 56 bits.
    #[inline(always)]
    fn join_items(_items: &[Item; 32], _n: usize, _codes: &ItemCodes) -> Option<Joined> {
        None
    }

    /// The same of the first `n` groups of four bases.
    #[inline(always)]
    fn join_bases(_packed: &[u8; 32], _n: usize, _codes: &PairCodes) -> Option<Joined> {
        None
    }

    /// Packs groups of four bases, and says which of the sixteen are pure: a bit each, lowest first. What the others become
    /// is not defined.
    #[inline(always)]
    fn pack(bases: &[u8; 64]) -> ([u8; 16], u16) {
        let (mut packed, mut pure) = ([0; 16], 0);
        for (i, (to, four)) in packed.iter_mut().zip(bases.as_chunks::<4>().0).enumerate() {
            let four = u32::from_le_bytes(*four);
            *to = pack(four);
            pure |= u16::from(UNPACKED[usize::from(*to)] == four) << i;
        }
        (packed, pure)
    }

    /// Which of the four 12-mers that begin at the first four of 16 packed bases are in the table: a bit each, lowest first.
    #[inline(always)]
    fn mers_seen(table: &[u32; MER_SLOTS], bases: u32) -> u32 {
        (0..4).fold(0, |seen, i| {
            let (slot, tag) = slot_and_tag(bases >> (8 - 2 * i));
            seen | u32::from(table[slot] >> 16 == tag) << i
        })
    }

    /// Writes the bytes that `keep` has bits for to the front of `to`: those of the runs `inside` that are long enough as
    /// one item each, all others as literals. Says how many items these are; what is behind them is not defined.
    #[inline(always)]
    fn items(
        bytes: &[u8; 64],
        inside: u64,
        keep: u64,
        shortest: &Shortest,
        to: &mut [Item; 64],
    ) -> usize {
        let runs = Runs::find(bytes, inside, keep, shortest);
        let n = Self::pick(bytes, runs.keep, to);
        runs.write(to);
        n
    }
}

/// The runs of 64 bytes that become one item each.
pub(super) struct Runs {
    /// The bytes to be written: the first of each such run, and those of no such run.
    pub(super) keep: u64,
    /// Their items, and from bit 16 on where these belong.
    items: [u32; 32],
    n: usize,
}

/// Runs looked at in one go, whether there are so many or not: how many there are can't be foreseen, and a branch that goes the
/// other way takes as long as all of them.
const TOGETHER: usize = 4;

impl Runs {
    /// Of the bytes `inside` runs of three or more, those that are `shortest` or longer; that is 3 at least. 64 bytes hold 16
    /// of them, with a byte between two.
    #[inline(always)]
    pub(super) fn find(bytes: &[u8; 64], inside: u64, mut keep: u64, shortest: &Shortest) -> Runs {
        let mut first = inside & !(inside << 1);
        let mut last = inside & !(inside >> 1);
        let mut items = [0; 32];
        let mut n = 0;
        while first != 0 {
            for _ in 0..TOGETHER {
                // Behind the last run both are 64, and nothing comes of it.
                let (from, until) = (first.trailing_zeros(), last.trailing_zeros());
                let length = until + 1 - from;
                let rest = 2u64.wrapping_shl(until).wrapping_sub(2u64.wrapping_shl(from));
                let score = usize::from(bytes[from as usize % 64]) % shortest.len();
                let shorter = length >= u32::from(shortest[score]);
                keep &= !(if shorter { rest } else { 0 });
                let place = (keep & !u64::MAX.wrapping_shl(from)).count_ones();
                items[n % 32] = place << 16 | (RUN as u32 + length - MIN_LENGTH as u32);
                n += usize::from(shorter);
                first &= first.wrapping_sub(1);
                last &= last.wrapping_sub(1);
            }
        }
        // What is written in one go beyond the last: a run has three bytes, so the last two places are free.
        if let Some(rest) = items[n % 32..].first_chunk_mut::<TOGETHER>() {
            *rest = [63 << 16; TOGETHER];
        }
        Runs { keep, items, n }
    }

    /// Writes the items over the first bytes of the runs.
    #[inline(always)]
    pub(super) fn write(&self, to: &mut [Item; 64]) {
        let (groups, _) = self.items.as_chunks::<TOGETHER>();
        for group in &groups[..self.n.div_ceil(TOGETHER) % groups.len()] {
            for &item in group {
                to[(item >> 16) as usize % 64] = item as Item;
            }
        }
    }
}

/// No SIMD.
pub(super) struct Portable;

/// Which bytes of up to eight words are the same: a bit each, lowest first.
#[inline(always)]
fn equal_words(a: &[u8], b: &[u8]) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let words = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    words.rev().fold(0, |bits, (a, b)| {
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        let same = !(((differ & LOW) + LOW) | differ | LOW) >> 7;
        bits << 8 | same.wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

impl Simd for Portable {
    #[inline(always)]
    fn equal(a: &[u8; 64], b: &[u8; 64]) -> u64 {
        equal_words(a, b)
    }

    #[inline(always)]
    fn equal_half(a: &[u8; 32], b: &[u8; 32]) -> u32 {
        equal_words(a, b) as u32
    }

    #[inline(always)]
    fn pick(bytes: &[u8; 64], keep: u64, to: &mut [Item; 64]) -> usize {
        let mut n = 0;
        for (i, &byte) in bytes.iter().enumerate() {
            to[n % 64] = Item::from(byte);
            n += (keep >> i & 1) as usize;
        }
        n
    }
}
