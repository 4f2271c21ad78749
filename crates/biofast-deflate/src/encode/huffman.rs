//! Huffman codes of limited length from counts, as canonical codes ready to be written.

/// The longest literal/length code used: four of them fit 56 bits.
pub(super) const MAX_LITERAL: usize = 14;
/// The longest distance code.
pub(super) const MAX_DISTANCE: usize = 15;
/// The longest code of a code length.
pub(super) const MAX_META: usize = 7;

/// The most symbols of an alphabet.
const SYMBOLS: usize = 286;

/// A code: its bits, first bit lowest, and from bit 16 on how many.
pub(crate) type PackedCode = u32;

/// Memory to build codes in.
pub(super) struct Builder {
    /// Used symbols as count << 9 | symbol, rarest first.
    leaves: [u64; SYMBOLS],
    /// Weights of leaves, and of inner nodes in the order of their making; behind the last of either, more than any.
    weights: [[u64; 512]; 2],
    parents: [u16; 2 * SYMBOLS],
    depths: [u8; 2 * SYMBOLS],
}

impl Builder {
    pub(super) fn new() -> Self {
        Self {
            leaves: [0; SYMBOLS],
            weights: [[0; 512]; 2],
            parents: [0; 2 * SYMBOLS],
            depths: [0; 2 * SYMBOLS],
        }
    }

    /// Fills `lengths` with those of an optimal code for `counts`, but for what the limit costs. The code is complete
    /// and has at least two symbols: some decoders take no other.
    pub(super) fn lengths(&mut self, counts: &[u32], limit: usize, lengths: &mut [u8]) {
        lengths.fill(0);
        let mut n = 0;
        // Most symbols of most alphabets are unused.
        for (i, eight) in counts.chunks(8).enumerate() {
            if eight.iter().fold(0, |all, &count| all | count) == 0 {
                continue;
            }
            for (symbol, &count) in (8 * i..SYMBOLS).zip(eight) {
                // No branch: which are used can't be foreseen.
                self.leaves[n % SYMBOLS] = u64::from(count) << 9 | symbol as u64;
                n += usize::from(count > 0);
            }
        }
        if n < 2 {
            let used = if n == 1 { (self.leaves[0] & 511) as usize } else { 0 };
            lengths[used] = 1;
            lengths[usize::from(used == 0)] = 1;
            return;
        }
        self.leaves[..n].sort_unstable();
        let mut left = self.count_lengths(n, limit);
        let mut length = limit;
        for leaf in &self.leaves[..n] {
            while left[length] == 0 {
                length -= 1;
            }
            left[length] -= 1;
            lengths[(leaf & 511) as usize] = length as u8;
        }
    }

    /// How many of the `n` leaves get each length.
    fn count_lengths(&mut self, n: usize, limit: usize) -> [u32; 16] {
        let Self { leaves, weights, parents, depths } = self;
        let [outer, made] = weights;
        for (weight, leaf) in outer.iter_mut().zip(&leaves[..n]) {
            *weight = leaf >> 9;
        }
        outer[n % 512] = u64::MAX;
        made[..=n].fill(u64::MAX);
        // Inner nodes come in the order of their weights: two queues, no heap; and no branch, for which of them has the lighter
        // node can't be foreseen.
        let (mut leaf, mut inner) = (0, 0);
        for node in n..2 * n - 1 {
            let mut sum = 0;
            for _ in 0..2 {
                let (a, b) = (outer[leaf % 512], made[inner % 512]);
                let is_leaf = a <= b;
                sum += a.min(b);
                let taken = std::hint::select_unpredictable(is_leaf, leaf, n + inner);
                parents[taken % (2 * SYMBOLS)] = node as u16;
                leaf += usize::from(is_leaf);
                inner += usize::from(!is_leaf);
            }
            made[(node - n) % 512] = sum;
        }
        let mut counts = [0; 16];
        depths[2 * n - 2] = 0;
        for node in (0..2 * n - 2).rev() {
            depths[node] = depths[usize::from(parents[node])].saturating_add(1);
            if node < n {
                counts[usize::from(depths[node]).min(limit)] += 1;
            }
        }
        // Codes cut to the limit take too much of the code space: lengthen others until it is full again.
        let space: u32 = (1..=limit).map(|l| counts[l] << (limit - l)).sum();
        for _ in 1 << limit..space {
            let Some(l) = (1..limit).rev().find(|&l| counts[l] > 0) else { break };
            counts[limit] -= 1;
            counts[l] -= 1;
            counts[l + 1] += 2;
        }
        counts
    }
}

/// The canonical codes of `lengths`; `codes` has room for them, all that it has is filled. Most symbols of most alphabets are
/// unused, so they are passed over in eights.
pub(crate) fn codes(lengths: &[u8], codes: &mut [PackedCode]) {
    let (eights, rest) = lengths.as_chunks::<8>();
    let used = |eight: &[u8; 8]| u64::from_le_bytes(*eight) != 0;
    let mut counts = [0u32; 16];
    for &length in eights.iter().filter(|eight| used(eight)).flatten().chain(rest) {
        counts[usize::from(length & 15)] += 1;
    }
    // The next code of each length, its first bit lowest, at the top of the word.
    let mut next = [0u32; 16];
    let mut first = 0;
    counts[0] = 0;
    for l in 1..16 {
        first = (first + counts[l - 1]) << 1;
        if counts[l] > 0 {
            next[l] = first.reverse_bits();
        }
    }
    let mut set = |(&length, code): (&u8, &mut PackedCode)| {
        if length > 0 {
            let value = &mut next[usize::from(length & 15)];
            *code = *value >> (32 - u32::from(length)) | u32::from(length) << 16;
            // One more, whose carry goes down: ones become zeros up to the first zero.
            let zero = 0x8000_0000 >> ((!*value).leading_zeros() & 31);
            *value = *value & (zero - 1) | zero;
        }
    };
    codes.fill(0);
    for (eight, codes) in eights.iter().zip(codes.chunks_mut(8)) {
        if used(eight) {
            eight.iter().zip(codes).for_each(&mut set);
        }
    }
    if let Some(codes) = codes.get_mut(8 * eights.len()..) {
        rest.iter().zip(codes).for_each(&mut set);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn space(lengths: &[u8], limit: usize) -> u64 {
        lengths.iter().filter(|&&l| l > 0).map(|&l| 1 << (limit - usize::from(l))).sum()
    }

    #[test]
    fn counts_that_grow_like_fibonacci_stay_within_the_limit() {
        let mut counts = [1u32; 40];
        for i in 2..40 {
            counts[i] = counts[i - 1] + counts[i - 2];
        }
        for (symbols, limit) in [(40, MAX_LITERAL), (30, MAX_DISTANCE), (19, MAX_META)] {
            let mut lengths = [0; 40];
            Builder::new().lengths(&counts[..symbols], limit, &mut lengths[..symbols]);
            assert_eq!(space(&lengths[..symbols], limit), 1 << limit);
            assert!(lengths[..symbols].is_sorted_by(|a, b| a >= b) && lengths[0] as usize == limit);
        }
    }

    #[test]
    fn a_code_has_two_symbols_at_least() {
        for counts in [[0, 0, 0], [5, 0, 0], [0, 7, 0], [0, 0, 1]] {
            let mut lengths = [9; 3];
            Builder::new().lengths(&counts, 7, &mut lengths);
            assert_eq!(space(&lengths, 7), 128, "{counts:?}");
            assert!(counts.iter().zip(lengths).all(|(&c, l)| c == 0 || l == 1));
        }
    }

    proptest! {
        #[test]
        fn codes_are_complete_and_frequent_symbols_have_no_longer_ones(
            counts in prop::collection::vec(prop_oneof![Just(0u32), 0u32..20, 0u32..70_000], 2..=SYMBOLS),
        ) {
            let mut lengths = vec![0; counts.len()];
            Builder::new().lengths(&counts, MAX_LITERAL, &mut lengths);
            prop_assert_eq!(space(&lengths, MAX_LITERAL), 1 << MAX_LITERAL);
            for (&c, &l) in counts.iter().zip(&lengths) {
                prop_assert!(c == 0 || l > 0);
                for (&d, &m) in counts.iter().zip(&lengths) {
                    prop_assert!(c <= d || m == 0 || l <= m);
                }
            }
        }
    }
}
