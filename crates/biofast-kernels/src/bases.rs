//! Nucleotide letters: their counts and which bytes are bases.

use std::ops::{Add, AddAssign};

use crate::dispatch::kernels;

/// Counts of base letters, ignoring case.
///
/// `U` and the ambiguity codes other than `N` count as `other`, like every byte that isn't a letter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BaseCounts {
    /// Number of `A` and `a`.
    pub a: u64,
    /// Number of `C` and `c`.
    pub c: u64,
    /// Number of `G` and `g`.
    pub g: u64,
    /// Number of `T` and `t`.
    pub t: u64,
    /// Number of `N` and `n`.
    pub n: u64,
    /// Number of all other bytes.
    pub other: u64,
}

impl BaseCounts {
    /// Number of bytes counted.
    pub fn total(&self) -> u64 {
        self.acgt() + self.n + self.other
    }

    /// Number of `G` and `C`.
    pub fn gc(&self) -> u64 {
        self.g + self.c
    }

    /// Number of unambiguous bases: `A`, `C`, `G` and `T`.
    pub fn acgt(&self) -> u64 {
        self.a + self.c + self.g + self.t
    }

    /// (G+C)/(A+C+G+T), between 0 and 1; `None` without an unambiguous base.
    pub fn gc_fraction(&self) -> Option<f64> {
        let acgt = self.acgt();
        (acgt > 0).then(|| self.gc() as f64 / acgt as f64)
    }

    /// The counts of A, C, G, T and N among `total` bytes; the rest is `other`.
    pub(crate) fn from_acgtn([a, c, g, t, n]: [u64; 5], total: u64) -> Self {
        let other = total - (a + c + g + t + n);
        Self { a, c, g, t, n, other }
    }
}

impl Add for BaseCounts {
    type Output = Self;

    fn add(mut self, rhs: Self) -> Self {
        self += rhs;
        self
    }
}

impl AddAssign for BaseCounts {
    fn add_assign(&mut self, rhs: Self) {
        self.a += rhs.a;
        self.c += rhs.c;
        self.g += rhs.g;
        self.t += rhs.t;
        self.n += rhs.n;
        self.other += rhs.other;
    }
}

/// Counts of G and C, and of A, C, G and T together: see [`crate::count_gc_acgt`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GcCounts {
    /// G and C.
    pub gc: u64,
    /// A, C, G and T.
    pub acgt: u64,
}

/// Counts the base letters, upper and lower case together.
///
/// ```
/// let counts = biofast_kernels::count_bases(b"ACGTNacg");
/// assert_eq!((counts.a, counts.n, counts.gc(), counts.total()), (2, 1, 4, 8));
/// ```
#[inline]
pub fn count_bases(bases: &[u8]) -> BaseCounts {
    (kernels().count_bases)(bases)
}

/// Counts `G`, `C`, `g` and `c`.
#[inline]
pub fn count_gc(bases: &[u8]) -> u64 {
    (kernels().count_gc)(bases)
}

/// Counts G and C beside all of A, C, G and T, ignoring case: what the GC content of a read needs, in less time than
/// [`count_bases`].
///
/// ```
/// let counts = biofast_kernels::count_gc_acgt(b"ACgTNN-");
/// assert_eq!((counts.gc, counts.acgt), (2, 4));
/// ```
#[inline]
pub fn count_gc_acgt(bases: &[u8]) -> GcCounts {
    (kernels().count_gc_acgt)(bases)
}

/// Counts `N` and `n`.
#[inline]
pub fn count_n(bases: &[u8]) -> u64 {
    (kernels().count_n)(bases)
}

/// The index of the first byte that isn't an ASCII letter, a digit (color space), `-`, `.` or `*`.
#[inline]
pub fn find_invalid_base(bases: &[u8]) -> Option<usize> {
    (kernels().find_invalid_base)(bases)
}

pub(crate) mod reference {
    //! The kernels as their definitions.

    use super::*;

    pub(crate) fn count_bases(bytes: &[u8]) -> BaseCounts {
        let of_letter = |letter| count(bytes, |byte| byte.to_ascii_uppercase() == letter);
        BaseCounts::from_acgtn(b"ACGTN".map(of_letter), bytes.len() as u64)
    }

    pub(crate) fn count_gc(bytes: &[u8]) -> u64 {
        count(bytes, |byte| matches!(byte, b'G' | b'C' | b'g' | b'c'))
    }

    pub(crate) fn count_gc_acgt(bytes: &[u8]) -> GcCounts {
        let acgt = count(bytes, |byte| b"ACGT".contains(&byte.to_ascii_uppercase()));
        GcCounts { gc: count_gc(bytes), acgt }
    }

    pub(crate) fn count_n(bytes: &[u8]) -> u64 {
        count(bytes, |byte| matches!(byte, b'N' | b'n'))
    }

    /// Also tells the index to the vector versions, once they know that there is an invalid byte.
    pub(crate) fn find_invalid_base(bytes: &[u8]) -> Option<usize> {
        let valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'*');
        bytes.iter().position(|&byte| !valid(byte))
    }

    /// How many bytes match.
    pub(crate) fn count(bytes: &[u8], matches: impl Fn(u8) -> bool) -> u64 {
        bytes.iter().map(|&byte| u64::from(matches(byte))).sum()
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod vector {
    //! The kernels over vectors.

    use super::*;
    use crate::vector::{Check, Matches, Simd, Vector};

    #[inline(always)]
    pub(crate) fn count_bases<S: Simd>(bytes: &[u8]) -> BaseCounts {
        S::count_bases(bytes)
    }

    #[inline(always)]
    pub(crate) fn count_gc<S: Simd>(bytes: &[u8]) -> u64 {
        // C is 0x43 and G is 0x47; lower case adds 0x20.
        count_byte::<S>(bytes, b'C', 0x24)
    }

    #[inline(always)]
    pub(crate) fn count_gc_acgt<S: Simd>(bytes: &[u8]) -> GcCounts {
        S::count_gc_acgt(bytes)
    }

    #[inline(always)]
    pub(crate) fn count_n<S: Simd>(bytes: &[u8]) -> u64 {
        count_byte::<S>(bytes, b'N', 0x20)
    }

    #[inline(always)]
    pub(crate) fn find_invalid_base<S: Simd>(bytes: &[u8]) -> Option<usize> {
        S::find_invalid_base(bytes)
    }

    /// Counts the bytes that equal `byte` when the bits of `ignored` are cleared.
    #[inline(always)]
    pub(crate) fn count_byte<S: Simd>(bytes: &[u8], byte: u8, ignored: u8) -> u64 {
        let kept = S::Vector::splat(!ignored);
        let [count] =
            S::Vector::count_matches::<1, 4>(bytes, Byte { byte: S::Vector::splat(byte), kept });
        count
    }

    /// One byte, of which some bits are ignored.
    #[derive(Clone, Copy)]
    struct Byte<V> {
        byte: V,
        kept: V,
    }

    impl<V: Vector> Matches<V, 1> for Byte<V> {
        #[inline(always)]
        fn of(self, block: V) -> [V::Mask; 1] {
            [block.and(self.kept).equal(self.byte)]
        }
    }

    /// A, C, G, T and N, of any bytes.
    #[inline(always)]
    pub(crate) fn count_each_base<V: Vector>(bytes: &[u8]) -> [u64; 5] {
        let [a, c, g, t, n] = *b"ACGTN";
        let letters = [V::splat(a), V::splat(c), V::splat(g), V::splat(t), V::splat(n)];
        V::count_matches::<5, 1>(bytes, Letters { letters, upper: V::splat(!0x20) })
    }

    #[derive(Clone, Copy)]
    struct Letters<V> {
        letters: [V; 5],
        upper: V,
    }

    impl<V: Vector> Matches<V, 5> for Letters<V> {
        #[inline(always)]
        fn of(self, block: V) -> [V::Mask; 5] {
            let block = block.and(self.upper);
            let [a, c, g, t, n] = self.letters;
            [block.equal(a), block.equal(c), block.equal(g), block.equal(t), block.equal(n)]
        }
    }

    /// [`crate::count_gc_acgt`] by comparisons.
    #[inline(always)]
    pub(crate) fn count_gc_acgt_of<V: Vector>(bytes: &[u8]) -> GcCounts {
        let matches = GcAcgt {
            folded: V::splat(!0x24),
            c: V::splat(b'C'),
            upper: V::splat(!0x20),
            letters: V::table(&ACGT_BY_LOW_BITS),
            low_bits: V::splat(15),
        };
        let [gc, acgt] = V::count_matches::<2, 2>(bytes, matches);
        GcCounts { gc, acgt }
    }

    #[derive(Clone, Copy)]
    struct GcAcgt<V> {
        folded: V,
        c: V,
        upper: V,
        letters: V,
        low_bits: V,
    }

    impl<V: Vector> Matches<V, 2> for GcAcgt<V> {
        #[inline(always)]
        fn of(self, block: V) -> [V::Mask; 2] {
            let expected = V::look_up(self.letters, block.and(self.low_bits));
            [block.and(self.folded).equal(self.c), block.and(self.upper).equal(expected)]
        }
    }

    /// By upper nibble, 2: bit 0, for * - . ; 3: bit 3, for digits; 4 and 6: bit 1, for A to O; 5 and 7: bit 2, for P to Z. A
    /// byte is a base when this and what its lower nibble has share a bit.
    static UPPER_OF_BASES: [u8; 16] = [0, 0, 1, 8, 2, 4, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0];
    static LOWER_OF_BASES: [u8; 16] = [12, 14, 14, 14, 14, 14, 14, 14, 14, 14, 7, 2, 2, 3, 3, 2];

    /// Bytes that aren't bases, by their nibbles.
    #[derive(Clone, Copy)]
    pub(crate) struct NibbleCheck<V> {
        upper: V,
        lower: V,
        zero: V,
    }

    impl<V: Vector> NibbleCheck<V> {
        #[inline(always)]
        pub(crate) fn new() -> Self {
            Self {
                upper: V::table(&UPPER_OF_BASES),
                lower: V::table(&LOWER_OF_BASES),
                zero: V::splat(0),
            }
        }
    }

    impl<V: Vector<Mask = V>> Check<V> for NibbleCheck<V> {
        const FILL: u8 = b'A';

        #[inline(always)]
        fn fold(self, bad: V, block: V) -> V {
            let upper = V::look_up(self.upper, block.upper_nibbles());
            bad.or(upper.and(V::look_up_lower(self.lower, block)).equal(self.zero))
        }

        #[inline(always)]
        fn is_bad(self, bad: V) -> bool {
            bad.any()
        }

        #[inline(always)]
        fn find(bytes: &[u8]) -> Option<usize> {
            reference::find_invalid_base(bytes)
        }
    }
}

/// The most groups whose counts of a base fit the lanes that `count_fields` of an instruction set keeps: 255 vectors.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const GROUPS: usize = 17;

/// Base counts by groups of 15 vectors, which have `N` bytes. `fields` counts A, C, G and T in at most 17 groups, if all
/// their bytes are these or N; `each` counts A, C, G, T and N among any bytes.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(crate) fn count_by_groups<const N: usize>(
    bytes: &[u8],
    fields: impl Fn(&[[u8; N]]) -> Option<[u64; 4]>,
    each: impl Fn(&[u8]) -> [u64; 5],
) -> BaseCounts {
    let (groups, rest) = bytes.as_chunks();
    let mut counts = each(rest);
    for groups in groups.chunks(GROUPS) {
        let bytes = groups.as_flattened();
        let of_groups = match fields(groups) {
            Some([a, c, g, t]) => [a, c, g, t, bytes.len() as u64 - (a + c + g + t)],
            None => each(bytes),
        };
        for (count, of_groups) in counts.iter_mut().zip(of_groups) {
            *count += of_groups;
        }
    }
    BaseCounts::from_acgtn(counts, bytes.len() as u64)
}

/// A, C, G and T, upper and lower case, as bits 0 to 3 and as bits 4 to 7, by the low six bits of the letter.
#[cfg(target_arch = "x86_64")]
pub(crate) const ACGT_BITS: [[u8; 64]; 2] = {
    let mut tables = [[0; 64]; 2];
    let mut i = 0;
    while i < 4 {
        let letter = b"ACGT"[i];
        let [upper, lower] = [(letter & 63) as usize, (letter.to_ascii_lowercase() & 63) as usize];
        tables[0][upper] = 1 << i;
        tables[0][lower] = 1 << i;
        tables[1][upper] = 16 << i;
        tables[1][lower] = 16 << i;
        i += 1;
    }
    tables
};

/// The upper-case letter of A, C, G, T and N at its low four bits, which tell the five apart; elsewhere a byte with
/// other low bits.
pub(crate) const ACGTN_BY_LOW_BITS: [u8; 16] = {
    let mut table = [0; 16];
    let mut i = 0;
    while i < 16 {
        table[i] = !(i as u8);
        i += 1;
    }
    i = 0;
    while i < 5 {
        let letter = b"ACGTN"[i];
        table[(letter & 15) as usize] = letter;
        i += 1;
    }
    table
};

/// At the low four bits of A, C, G and T: 1 in a field of two bits, from the lowest up.
pub(crate) const FIELD_BY_LOW_BITS: [u8; 16] = {
    let mut table = [0; 16];
    let mut i = 0;
    while i < 4 {
        table[(b"ACGT"[i] & 15) as usize] = 1 << (2 * i);
        i += 1;
    }
    table
};

/// The upper-case letter of A, C, G and T at its low four bits, which tell the four apart; elsewhere a byte that no
/// letter and no zero lane equals.
pub(crate) const ACGT_BY_LOW_BITS: [u8; 16] = {
    let mut table = [0xff; 16];
    let mut i = 0;
    while i < 4 {
        let letter = b"ACGT"[i];
        table[(letter & 15) as usize] = letter;
        i += 1;
    }
    table
};
