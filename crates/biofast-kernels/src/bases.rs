//! Counts of nucleotide letters, what [`crate::count_bases`] and [`crate::BaseColumns`] return.

use std::ops::{Add, AddAssign};

/// How often each base letter occurs, upper and lower case together.
///
/// `U` and the ambiguity codes other than `N` count as `other`, as does every byte that isn't a letter.
///
/// ```
/// let counts = biofast_kernels::count_bases(b"ACGGtn-");
/// assert_eq!((counts.g, counts.t, counts.n, counts.other), (2, 1, 1, 1));
/// assert_eq!(counts.gc_fraction(), Some(0.6));
/// ```
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

/// G and C, and all of A, C, G and T, in one sequence: see [`crate::count_gc_acgt`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GcCounts {
    /// G and C.
    pub gc: u64,
    /// A, C, G and T.
    pub acgt: u64,
}

/// What [`crate::summarize_reads`] finds in one read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadSummary {
    /// G and C, and all of A, C, G and T.
    pub counts: GcCounts,
    /// The sum of error probabilities: see [`crate::sum_error_probability`].
    pub error_sum: u64,
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
