//! Canonical minimizers: of each window of `w` k-mers the one with the least hash, the same on both strands.
//!
//! The definition is that of the program deacon and of the crate simd-minimizers (Groot Koerkamp and Martayan, SEA 2025), so
//! that indexes of k-mers can be shared with them:
//!
//! - The hash of a k-mer is the upper half of the sum, modulo 2^32, of the ntHash of both strands, with rotations by one bit.
//! - Of equal hashes the leftmost is taken in windows with more G and T than A and C, else the rightmost. Windows have an odd
//!   number of bases, so that the other strand chooses the same k-mer.
//! - Windows with anything but `ACGTacgt` have none. A minimizer is reported once for all windows in a row that share it.
//! - Its value is the lesser of both strands, two bits a base (A 0, C 1, T 2, G 3), the first base in the lowest bits.

use crate::dispatch::kernels;

/// The longest k-mers whose values fit into 64 bits.
pub const LONGEST_KMER: usize = 32;
/// The longest window, in bases.
pub const LONGEST_WINDOW: usize = 95;

/// ntHash's values of A, C, T and G.
const SEEDS: [u32; 4] = [0x95c6_0474, 0x62a0_2b4c, 0x8257_2324, 0x4be2_4456];
/// The complement of a base differs in this bit of its code.
const COMPLEMENT: u64 = 0xaaaa_aaaa_aaaa_aaaa;
/// As many windows are looked at in one go: a place in them has 16 bits, and all buffers fit into a cache.
const BLOCK: usize = 2048;

/// Lengths of k-mers and windows.
///
/// ```
/// use biofast_kernels::{MinimizerBuffers, MinimizerScheme, find_minimizers};
///
/// let scheme = MinimizerScheme::new(5, 7).expect("k + w - 1 is odd");
/// let mut found = MinimizerBuffers::default();
/// find_minimizers(b"ACGTGCTCAGAGACTCAGAGGA", &scheme, &mut found);
/// assert_eq!(found.len(), 4);
/// // GAGCA, the reverse complement of TGCTC: the first base in the lowest bits.
/// assert_eq!(found.kmers()[0], 0b00_01_11_00_11);
/// ```
#[derive(Clone, Debug)]
pub struct MinimizerScheme {
    k: usize,
    w: usize,
    /// For each rotation and base, what it adds to the hashes of both strands: the upper half is of the other strand.
    table: Box<[[u64; 4]; 32]>,
}

impl MinimizerScheme {
    /// K-mers of `k` bases in windows of `w`; `None` unless `k` is at most [`LONGEST_KMER`], and a window has an odd number of bases
    /// (`k + w - 1`) and at most [`LONGEST_WINDOW`].
    pub fn new(k: usize, w: usize) -> Option<MinimizerScheme> {
        let window = (k.checked_add(w)?).checked_sub(1)?;
        let fits = (1..=LONGEST_KMER).contains(&k) && w > 0 && window <= LONGEST_WINDOW;
        if !fits || window.is_multiple_of(2) {
            return None;
        }
        let mut table = Box::new([[0; 4]; 32]);
        for (rotation, of_rotation) in (0u32..).zip(table.iter_mut()) {
            for (code, entry) in of_rotation.iter_mut().enumerate() {
                let forward = SEEDS[code].rotate_right(rotation);
                let reverse = SEEDS[code ^ 2].rotate_left(rotation);
                *entry = u64::from(forward) | u64::from(reverse) << 32;
            }
        }
        Some(MinimizerScheme { k, w, table })
    }

    /// The value of a k-mer on the strand on which it is; the value of a minimizer is the lesser of both.
    pub fn value(kmer: &[u8]) -> u64 {
        kmer.iter().rev().fold(0, |value, &base| value << 2 | u64::from(code(base)))
    }

    /// Bases of a k-mer.
    pub fn k(&self) -> usize {
        self.k
    }

    /// K-mers of a window.
    pub fn w(&self) -> usize {
        self.w
    }

    /// Bases of a window.
    pub fn window(&self) -> usize {
        self.k + self.w - 1
    }
}

/// What was found, and memory that is used again.
#[derive(Clone, Debug, Default)]
pub struct MinimizerBuffers {
    positions: Vec<u32>,
    kmers: Vec<u64>,
    /// Of all bases before each, what the hashes of both strands are made of.
    sums: Vec<u64>,
    /// How many bases are G or T: of spans, and of windows.
    strong: [Vec<u8>; 3],
    /// Hashes with places below, and the least of more and more k-mers in a row: the leftmost, and by complements the
    /// rightmost.
    left: [Vec<u32>; 2],
    right: [Vec<u32>; 2],
    chosen: Vec<u32>,
    packed: Vec<u8>,
}

impl MinimizerBuffers {
    /// How many minimizers were found.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether none was found.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Where they start, in the order in which windows have them; a position may come again.
    pub fn positions(&self) -> &[u32] {
        &self.positions
    }

    /// Their values, in the same order.
    pub fn kmers(&self) -> &[u64] {
        &self.kmers
    }
}

/// Finds the canonical minimizers of a sequence, instead of those that `out` has.
///
/// # Panics
/// If there are 2^32 bases or more.
#[inline]
pub fn find_minimizers(bases: &[u8], scheme: &MinimizerScheme, out: &mut MinimizerBuffers) {
    (kernels().find_minimizers)(bases, scheme, out)
}

#[inline(always)]
fn is_acgt(base: u8) -> bool {
    let upper = base & !0x20;
    (upper == b'A') | (upper == b'C') | (upper == b'G') | (upper == b'T')
}

/// Whether all bases are A, C, G or T; without a branch for each, so that compilers make vectors of it.
#[inline(always)]
fn all_acgt(bases: &[u8]) -> bool {
    let mut all = true;
    for &base in bases {
        all &= is_acgt(base);
    }
    all
}

/// The code of a base, for `ACGTacgt`.
#[inline(always)]
fn code(base: u8) -> u8 {
    (base >> 1) & 3
}

/// The minimizers of `bases`, of which all are A, C, G and T, and which start at `offset`.
#[inline(always)]
fn find_in_run(bases: &[u8], offset: usize, scheme: &MinimizerScheme, out: &mut MinimizerBuffers) {
    let window = scheme.window();
    let Some(last) = bases.len().checked_sub(window) else { return };
    let (mut start, mut previous) = (0, u32::MAX);
    while start <= last {
        let windows = BLOCK.min(last + 1 - start);
        choose(&bases[start..start + windows + window - 1], windows, scheme, out);
        // A place that is that of the window before is one minimizer with it.
        let MinimizerBuffers { positions, chosen, .. } = &mut *out;
        let (from, base) = (positions.len(), (offset + start) as u32);
        positions.resize(from + windows + 1, 0);
        let (to, mut count) = (&mut positions[from..], 0);
        for &place in &chosen[..windows] {
            let position = base + place;
            count += usize::from(position != previous);
            // Behind the first slot, which gets what isn't new of the first window.
            to[count] = position;
            previous = position;
        }
        positions.copy_within(from + 1..from + 1 + count, from);
        positions.truncate(from + count);
        values(&bases[start..start + windows + window - 1], from, base, scheme, out);
        start += windows;
    }
}

/// Chooses a k-mer of each of so many windows: `chosen` has their places from the first base.
#[inline(always)]
fn choose(bases: &[u8], windows: usize, scheme: &MinimizerScheme, out: &mut MinimizerBuffers) {
    let (k, w) = (scheme.k, scheme.w);
    let (n, kmers) = (bases.len(), windows + w - 1);
    out.sums.resize(n + 1, 0);
    sum_up(bases, &scheme.table, &mut out.sums[..n + 1]);
    count_strong(bases, scheme.window(), windows, &mut out.strong);
    for [one, other] in [&mut out.left, &mut out.right] {
        one.resize(one.len().max(kmers), 0);
        other.resize(other.len().max(kmers), 0);
    }
    let [[left, left_more], [right, right_more]] = [&mut out.left, &mut out.right];
    hash([&out.sums[..kmers], &out.sums[k..k + kmers]], k, &mut left[..kmers], &mut right[..kmers]);
    // The least of two, four and so on in a row, as long as that isn't more than a window.
    let (mut len, mut spans) = (kmers, 1);
    while 2 * spans <= w {
        len -= spans;
        least(&left[..len], &left[spans..spans + len], &mut left_more[..len]);
        greatest(&right[..len], &right[spans..spans + len], &mut right_more[..len]);
        std::mem::swap(left, left_more);
        std::mem::swap(right, right_more);
        spans *= 2;
    }
    let rest = w - spans;
    out.chosen.resize(out.chosen.len().max(windows), 0);
    let window = scheme.window();
    let lefts = [&left[..windows], &left[rest..rest + windows]];
    let rights = [&right[..windows], &right[rest..rest + windows]];
    let counts = &out.strong[2][..windows];
    let chosen = &mut out.chosen[..windows];
    let half = (window / 2) as u8;
    for i in 0..windows {
        let is_strong = counts[i] > half;
        let leftmost = lefts[0][i].min(lefts[1][i]);
        let rightmost = rights[0][i].max(rights[1][i]);
        chosen[i] = (if is_strong { leftmost } else { rightmost }) & 0xffff;
    }
}

/// What the hashes of both strands are made of, of all bases before each: those of a k-mer are the difference of two.
#[inline(always)]
fn sum_up(bases: &[u8], table: &[[u64; 4]; 32], sums: &mut [u64]) {
    let Some((first, sums)) = sums.split_first_mut() else { return };
    *first = 0;
    let mut sum = 0;
    let (blocks, rest) = bases.as_chunks::<32>();
    let (sum_blocks, sums) = sums.as_chunks_mut::<32>();
    for (bases, sums) in blocks.iter().zip(sum_blocks) {
        for i in 0..32 {
            sum ^= table[i][usize::from(code(bases[i]))];
            sums[i] = sum;
        }
    }
    for ((&base, to), of_rotation) in rest.iter().zip(sums).zip(table) {
        sum ^= of_rotation[usize::from(code(base))];
        *to = sum;
    }
}

/// How many bases of each window are G or T, into the last of `counts`: windows are put together from powers of two.
#[inline(always)]
fn count_strong(bases: &[u8], window: usize, windows: usize, counts: &mut [Vec<u8>; 3]) {
    for counts in &mut *counts {
        counts.resize(counts.len().max(bases.len()), 0);
    }
    let [of_span, of_next, total] = counts;
    for (to, base) in of_span.iter_mut().zip(bases) {
        *to = (base >> 2) & 1;
    }
    let total = &mut total[..windows];
    total.fill(0);
    let (mut len, mut span, mut done) = (bases.len(), 1, 0);
    loop {
        if window & span != 0 {
            for (total, count) in total.iter_mut().zip(&of_span[done..done + windows]) {
                *total += count;
            }
            done += span;
        }
        if done == window {
            return;
        }
        len -= span;
        let pairs = of_span[..len].iter().zip(&of_span[span..span + len]);
        for (to, (one, other)) in of_next.iter_mut().zip(pairs) {
            *to = one + other;
        }
        std::mem::swap(of_span, of_next);
        span *= 2;
    }
}

/// The hashes of k-mers by the sums before and behind them, above their places: as they are, and as complements.
#[inline(always)]
fn hash(sums: [&[u64]; 2], k: usize, left: &mut [u32], right: &mut [u32]) {
    let len = left.len();
    let (before, behind) = (&sums[0][..len], &sums[1][..len]);
    let right = &mut right[..len];
    let turn = k as u32 - 1;
    for i in 0..len {
        let place = i as u32;
        let ahead = (place + turn) & 31;
        let both = before[i] ^ behind[i];
        let (sum, other) = (both as u32, (both >> 32) as u32);
        let sum = (sum << ahead) | (sum >> ((32 - ahead) & 31));
        let back = place & 31;
        let other = (other >> back) | (other << ((32 - back) & 31));
        let hash = sum.wrapping_add(other);
        left[i] = (hash & 0xffff_0000) | place;
        right[i] = (!hash & 0xffff_0000) | place;
    }
}

#[inline(always)]
fn least(one: &[u32], other: &[u32], out: &mut [u32]) {
    for ((out, &one), &other) in out.iter_mut().zip(one).zip(other) {
        *out = one.min(other);
    }
}

#[inline(always)]
fn greatest(one: &[u32], other: &[u32], out: &mut [u32]) {
    for ((out, &one), &other) in out.iter_mut().zip(one).zip(other) {
        *out = one.max(other);
    }
}

/// Adds the values of the positions from number `from`, of which `base` is the first base.
#[inline(always)]
fn values(
    bases: &[u8],
    from: usize,
    base: u32,
    scheme: &MinimizerScheme,
    out: &mut MinimizerBuffers,
) {
    pack(bases, &mut out.packed);
    let shift = 64 - 2 * scheme.k as u32;
    let MinimizerBuffers { positions, kmers, packed, .. } = out;
    kmers.reserve(positions.len() - from);
    for &position in &positions[from..] {
        let place = (position - base) as usize;
        let mut word = [0; 16];
        word.copy_from_slice(&packed[place / 4..place / 4 + 16]);
        let word = (u128::from_le_bytes(word) >> (2 * (place % 4))) as u64;
        let forward = word << shift >> shift;
        // The complement is made first, as it would change the bits beyond.
        kmers.push(forward.min(reverse_complement((word ^ COMPLEMENT) << shift)));
    }
}

/// The other strand of a k-mer whose bases are at the upper end: when all pairs of bits are reversed, the zeros below are above.
#[inline(always)]
fn reverse_complement(kmer: u64) -> u64 {
    let pairs = kmer.swap_bytes();
    let pairs = (pairs >> 4 & 0x0f0f_0f0f_0f0f_0f0f) | (pairs & 0x0f0f_0f0f_0f0f_0f0f) << 4;
    (pairs >> 2 & 0x3333_3333_3333_3333) | (pairs & 0x3333_3333_3333_3333) << 2
}

/// Two bits a base, the first base in the lowest bits, and zeros behind.
#[inline(always)]
fn pack(bases: &[u8], packed: &mut Vec<u8>) {
    packed.clear();
    packed.resize(bases.len().div_ceil(4) + 16, 0);
    let (fours, rest) = bases.as_chunks::<4>();
    for (four, byte) in fours.iter().zip(packed.iter_mut()) {
        let codes = (u32::from_le_bytes(*four) >> 1) & 0x0303_0303;
        *byte = (codes.wrapping_mul(1 << 24 | 1 << 18 | 1 << 12 | 1 << 6) >> 24) as u8;
    }
    for (at, &base) in rest.iter().enumerate() {
        packed[fours.len()] |= code(base) << (2 * at);
    }
}

pub(crate) mod reference {
    //! The kernel as its definition, but for tests, which have a slower one.

    use super::*;

    #[inline(always)]
    pub(crate) fn find_minimizers(
        bases: &[u8],
        scheme: &MinimizerScheme,
        out: &mut MinimizerBuffers,
    ) {
        assert!(u32::try_from(bases.len()).is_ok(), "a sequence has less than 2^32 bases");
        out.positions.clear();
        out.kmers.clear();
        if all_acgt(bases) {
            return find_in_run(bases, 0, scheme, out);
        }
        let mut start = 0;
        while start < bases.len() {
            let mut end = start;
            while end < bases.len() && is_acgt(bases[end]) {
                end += 1;
            }
            find_in_run(&bases[start..end], start, scheme, out);
            start = end + 1;
        }
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod vector {
    //! The same code: compilers turn its loops into vectors of the instruction set.

    use super::*;
    use crate::vector::Simd;

    #[inline(always)]
    pub(crate) fn find_minimizers<S: Simd>(
        bases: &[u8],
        scheme: &MinimizerScheme,
        out: &mut MinimizerBuffers,
    ) {
        reference::find_minimizers(bases, scheme, out);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Base by base and window by window, with hashes and strands made anew for each k-mer.
    fn by_definition(bases: &[u8], k: usize, w: usize) -> (Vec<u32>, Vec<u64>) {
        let codes: Vec<Option<u64>> = bases
            .iter()
            .map(|base| b"ACTG".iter().position(|b| *b == base.to_ascii_uppercase()))
            .map(|code| code.map(|code| code as u64))
            .collect();
        let value = |codes: &[u64]| codes.iter().rev().fold(0, |value, code| value << 2 | code);
        let nthash = |codes: &[u64]| {
            codes.iter().fold(0u32, |hash, code| hash.rotate_left(1) ^ SEEDS[*code as usize])
        };
        let mut found = (Vec::new(), Vec::new());
        let mut previous = None;
        for (start, window) in codes.windows(k + w - 1).enumerate() {
            let Some(window) = window.iter().copied().collect::<Option<Vec<u64>>>() else {
                continue;
            };
            let strands = window.windows(k).map(|kmer| {
                let other: Vec<u64> = kmer.iter().rev().map(|code| code ^ 2).collect();
                (kmer.to_vec(), other)
            });
            let strands: Vec<_> = strands.collect();
            let hashes: Vec<u32> = strands
                .iter()
                .map(|(one, other)| nthash(one).wrapping_add(nthash(other)) >> 16)
                .collect();
            let least = hashes.iter().min().unwrap();
            let strong = window.iter().filter(|code| **code > 1).count();
            let at = match 2 * strong > window.len() {
                true => hashes.iter().position(|hash| hash == least).unwrap(),
                false => hashes.iter().rposition(|hash| hash == least).unwrap(),
            };
            if previous.replace(start + at) != Some(start + at) {
                let (one, other) = &strands[at];
                found.0.push((start + at) as u32);
                found.1.push(value(one).min(value(other)));
            }
        }
        found
    }

    fn found(bases: &[u8], k: usize, w: usize) -> (Vec<u32>, Vec<u64>) {
        let scheme = MinimizerScheme::new(k, w).expect("a scheme");
        let mut out = MinimizerBuffers::default();
        // What was there before is gone.
        find_minimizers(b"GATTACAGATTACACCGATCGATCGATGCATGCATGCA", &scheme, &mut out);
        find_minimizers(bases, &scheme, &mut out);
        (out.positions, out.kmers)
    }

    proptest! {
        #[test]
        fn minimizers_are_those_of_the_definition(
            bases in prop::collection::vec(prop::sample::select(&b"ACGTACGTACGTACGTacgtACGTACGTACGTACGTACGTNU"[..]), 0..300),
            repeat in 1usize..4,
            scheme in prop::sample::select(&[(31usize, 15usize), (32, 2), (1, 1), (5, 7), (21, 11), (4, 20), (15, 1)][..]),
        ) {
            let bases = bases.repeat(repeat);
            prop_assert_eq!(found(&bases, scheme.0, scheme.1), by_definition(&bases, scheme.0, scheme.1));
        }

        #[test]
        fn both_strands_have_the_same(bases in "[ACGT]{46,400}") {
            let other: String = bases.chars().rev().map(|base| match base {
                'A' => 'T', 'C' => 'G', 'G' => 'C', _ => 'A',
            }).collect();
            let (_, mut one) = found(bases.as_bytes(), 31, 15);
            let (_, mut two) = found(other.as_bytes(), 31, 15);
            one.sort_unstable();
            two.sort_unstable();
            prop_assert_eq!(one, two);
        }
    }

    #[test]
    fn blocks_have_no_seams() {
        let mut random = 7u64;
        let bases: Vec<u8> = (0..3 * BLOCK + 77)
            .map(|_| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                b"ACGT"[(random >> 62) as usize]
            })
            .collect();
        assert_eq!(found(&bases, 31, 15), by_definition(&bases, 31, 15));
        let poor = b"AC".repeat(BLOCK + 50);
        assert_eq!(found(&poor, 31, 15), by_definition(&poor, 31, 15));
    }

    #[test]
    fn schemes_that_have_no_middle_or_are_too_long_are_refused() {
        for (k, w) in [(31, 14), (33, 15), (0, 3), (3, 0), (31, 67), (usize::MAX, 3)] {
            assert!(MinimizerScheme::new(k, w).is_none(), "{k} {w}");
        }
        assert!(MinimizerScheme::new(32, 64).is_some());
    }
}
