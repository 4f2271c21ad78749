//! What the kernels need of an instruction set: vectors of bytes, so that an algorithm is written once where the
//! instruction sets differ in width only.
//!
//! Everything here is `#[inline(always)]` and becomes part of a function that is compiled for the instruction set
//! (`table.rs`). Closures and functions of the standard library that take closures aren't used in code over [`Vector`]:
//! they would not have the target features, and each intrinsic in them might become a call (`.ci/no-calls`).

use crate::columns::{ClassTable, Counts};
use crate::{BaseCounts, GcCounts, QualitySummary, ReadSummary};

/// Defines methods by functions with target features, which intrinsics are, too.
#[doc(hidden)]
#[macro_export]
macro_rules! by_intrinsics {
    ($(fn $name:ident($($argument:tt: $type:ty),*) $(-> $result:ty)? = $function:expr;)*) => {$(
        #[inline(always)]
        #[allow(clippy::needless_arbitrary_self_type)] // a receiver is an argument like the others
        fn $name($($argument: $type),*) $(-> $result)? {
            // SAFETY: becomes part of functions that have the target features (`compile!`), and what it calls has no
            // other conditions.
            unsafe { $function($($argument),*) }
        }
    )*};
}
pub(crate) use by_intrinsics;

/// A vector of bytes.
pub(crate) trait Vector: Copy {
    /// As many bytes as a vector has.
    type Block: Copy;
    /// What a comparison gives.
    type Mask: Copy;
    /// Sums of bytes that can't overflow.
    type Sums: Copy;

    /// The whole blocks of `bytes`, and the rest.
    fn blocks(bytes: &[u8]) -> (&[Self::Block], &[u8]);
    /// A vector of equal bytes.
    fn splat(byte: u8) -> Self;
    /// A whole block.
    fn load(block: &Self::Block) -> Self;
    /// Fewer bytes than a vector has; zero beyond.
    fn load_or_zero(bytes: &[u8]) -> Self;
    /// The last bytes of a slice that isn't a whole number of blocks: all that are beyond these, and others of the slice or `fill`.
    fn load_rest(bytes: &[u8], fill: u8) -> Self;
    /// Writes all bytes.
    fn store(self, to: &mut Self::Block);
    /// A table of 16 bytes, for [`look_up`](Self::look_up).
    fn table(entries: &[u8; 16]) -> Self;

    /// The entries of a [table](Self::table) at `nibbles`, which are at most 15.
    fn look_up(table: Self, nibbles: Self) -> Self;
    /// The entries of a [table](Self::table) at the lower nibbles; zero instead or not for bytes above 127.
    fn look_up_lower(table: Self, bytes: Self) -> Self;
    fn upper_nibbles(self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Sums without a carry.
    fn add(self, other: Self) -> Self;
    /// Differences without a borrow.
    fn subtract(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn equal(self, other: Self) -> Self::Mask;
    /// Which bytes are at least as large as those of `other`.
    fn at_least(self, other: Self) -> Self::Mask;
    /// Whether a byte isn't zero.
    fn any(self) -> bool;
    /// Whether a byte is at least as large as that of `other`.
    fn any_at_least(self, other: Self) -> bool;

    /// No bytes.
    fn no_sums() -> Self::Sums;
    /// Adds all bytes of a vector.
    fn add_bytes(sums: Self::Sums, bytes: Self) -> Self::Sums;
    /// The sum of all bytes that were added.
    fn total(sums: Self::Sums) -> u64;

    /// A full adder of bits: the carry and the sum of three.
    fn add_bits(a: Self, b: Self, c: Self) -> (Self, Self);
    /// Swaps the upper bits of each byte of `upper` with the lower bits (`mask`) of `lower`, `DISTANCE` (1, 2 or 4) apart.
    fn swap_bits<const DISTANCE: i32>(upper: Self, lower: Self, mask: u8) -> (Self, Self);

    /// Counts the bytes that each of `N` comparisons finds; none may find zeros. Where the results of comparisons depend on each
    /// other, `CHAINS` vectors are counted on their own.
    fn count_matches<const N: usize, const CHAINS: usize>(
        bytes: &[u8],
        matches: impl Matches<Self, N>,
    ) -> [u64; N];
}

/// `N` comparisons of the bytes of a vector.
pub(crate) trait Matches<V: Vector, const N: usize>: Copy {
    fn of(self, block: V) -> [V::Mask; N];
}

/// An instruction set: its vectors, and the kernels that are more than a matter of width.
///
/// What it does without vectors of its own is in `reference` of each topic.
pub(crate) trait Simd {
    type Vector: Vector;
    /// Finds bytes that aren't bases.
    type BaseCheck: Check<Self::Vector>;

    fn base_check() -> Self::BaseCheck;
    /// Which of 64 bytes are line feeds: a bit each, lowest first.
    fn newline_bits(block: &[u8; 64]) -> u64;
    fn count_bases(bytes: &[u8]) -> BaseCounts;
    #[inline(always)]
    fn count_gc_acgt(bytes: &[u8]) -> GcCounts {
        crate::bases::vector::count_gc_acgt_of::<Self::Vector>(bytes)
    }
    fn sum_qualities(bytes: &[u8]) -> u64;
    /// `FIRST` is the byte of Phred 0.
    fn summarize<const FIRST: u8>(bytes: &[u8]) -> QualitySummary;
    fn sum_error_probability(bytes: &[u8]) -> u64;
    #[inline(always)]
    fn find_invalid_base(bytes: &[u8]) -> Option<usize> {
        find_invalid::<Self::Vector, _, 1>(bytes, Self::base_check())
    }
    #[inline(always)]
    fn find_invalid_quality(bytes: &[u8]) -> Option<usize> {
        find_invalid::<Self::Vector, _, 1>(bytes, crate::quality::vector::QualityCheck::new())
    }
    fn count_plain_records(bytes: &[u8], start: usize, newlines: &[[u32; 4]]) -> usize;
    fn index_plain_records(bytes: &[u8], start: usize, out: &mut Vec<u32>) -> usize;
    #[inline(always)]
    fn summarize_reads(bases: &[&[u8]], qualities: &[&[u8]], out: &mut [ReadSummary]) {
        for ((bases, qualities), out) in bases.iter().zip(qualities).zip(out) {
            let counts = Self::count_gc_acgt(bases);
            *out = ReadSummary { counts, error_sum: Self::sum_error_probability(qualities) };
        }
    }
    fn count_base_columns(
        rows: &[&[u8]],
        start: usize,
        classes: &ClassTable,
        counts: &mut [Counts],
    ) -> u64;
    fn count_quality_columns(
        rows: &[&[u8]],
        start: usize,
        classes: &ClassTable,
        counts: &mut [Counts],
    ) -> u64;
    fn unpack_bases(packed: &[u8], len: usize, out: &mut Vec<u8>);
    fn unpack_bases_reverse_complement(packed: &[u8], len: usize, out: &mut Vec<u8>);
    fn copy_qualities(raw: &[u8], out: &mut Vec<u8>);
    fn copy_qualities_reversed(raw: &[u8], out: &mut Vec<u8>);
}

/// A search for invalid bytes, many at a time.
pub(crate) trait Check<V: Vector>: Copy {
    /// A valid byte.
    const FILL: u8;
    /// Adds what is invalid in `block` to `bad`, which is zero at first.
    fn fold(self, bad: V, block: V) -> V;
    /// Whether anything was.
    fn is_bad(self, bad: V) -> bool;
    /// The reference, which tells the index.
    fn find(bytes: &[u8]) -> Option<usize>;
}

/// The index of the first invalid byte, looked for in up to 512 bytes at once by `CHAINS` vectors that don't wait for each
/// other.
#[inline(always)]
pub(crate) fn find_invalid<V: Vector, C: Check<V>, const CHAINS: usize>(
    bytes: &[u8],
    check: C,
) -> Option<usize> {
    let mut start = 0;
    loop {
        let part = &bytes[start..bytes.len().min(start + 512)];
        let mut bad = [V::splat(0); CHAINS];
        let (blocks, tail) = V::blocks(part);
        let (groups, rest) = blocks.as_chunks::<CHAINS>();
        for group in groups {
            for (bad, block) in bad.iter_mut().zip(group) {
                *bad = check.fold(*bad, V::load(block));
            }
        }
        for block in rest {
            bad[0] = check.fold(bad[0], V::load(block));
        }
        if !tail.is_empty() {
            bad[CHAINS - 1] = check.fold(bad[CHAINS - 1], V::load_rest(part, C::FILL));
        }
        for bad in bad {
            if check.is_bad(bad) {
                return C::find(part).map(|index| start + index);
            }
        }
        start += part.len();
        if start == bytes.len() {
            return None;
        }
    }
}

/// [`Vector::count_matches`] by counters of a byte each, where comparisons set all bits of a byte.
#[inline(always)]
pub(crate) fn count_in_bytes<V: Vector<Mask = V>, const N: usize, const CHAINS: usize>(
    bytes: &[u8],
    matches: impl Matches<V, N>,
) -> [u64; N] {
    let zero = V::splat(0);
    let mut sums = [V::no_sums(); N];
    let mut counters = [[zero; N]; CHAINS];
    let (blocks, tail) = V::blocks(bytes);
    // A byte counts up to 255 vectors: 254 here and the tail.
    for blocks in blocks.chunks(254 * CHAINS) {
        for counts in &mut counters {
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum = V::add_bytes(*sum, *count);
                *count = zero;
            }
        }
        let (groups, rest) = blocks.as_chunks::<CHAINS>();
        for group in groups {
            for (counts, block) in counters.iter_mut().zip(group) {
                count_block(counts, matches, V::load(block));
            }
        }
        for (counts, block) in counters.iter_mut().zip(rest) {
            count_block(counts, matches, V::load(block));
        }
    }
    if !tail.is_empty() {
        count_block(&mut counters[0], matches, V::load_or_zero(tail));
    }
    for counts in counters {
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum = V::add_bytes(*sum, count);
        }
    }
    let mut totals = [0; N];
    for (total, sum) in totals.iter_mut().zip(sums) {
        *total = V::total(sum);
    }
    totals
}

#[inline(always)]
fn count_block<V: Vector<Mask = V>, const N: usize>(
    counts: &mut [V; N],
    matches: impl Matches<V, N>,
    block: V,
) {
    for (count, found) in counts.iter_mut().zip(matches.of(block)) {
        // All bits set are −1.
        *count = count.subtract(found);
    }
}
