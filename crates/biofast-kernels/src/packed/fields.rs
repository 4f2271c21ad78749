//! How the vector versions count packed bases: looked-up counters of four bits, two in a byte.

use super::occupied;
use crate::{BaseCounts, GcCounts};

/// Two counters of four bits in a byte: what the vector versions look up for each code and add up, at most seven
/// vectors of two codes a byte.
pub(crate) type Fields = [u8; 16];

/// Vectors whose [`Fields`] add up without a carry.
pub(crate) const FIELD_VECTORS: usize = 7;

/// Lower counter: `low`; upper counter: `high`.
const fn fields(low: &[u8], high: &[u8]) -> Fields {
    let mut table = [0; 16];
    let mut i = 0;
    while i < low.len() {
        table[low[i] as usize] += 1;
        i += 1;
    }
    i = 0;
    while i < high.len() {
        table[high[i] as usize] += 16;
        i += 1;
    }
    table
}

const A: u8 = 1;
const C: u8 = 2;
const G: u8 = 4;
const T: u8 = 8;
const N: u8 = 15;

/// [`BaseCounts`]; code 0, that of padding, counts nowhere.
const BASE_FIELDS: [Fields; 3] = [fields(&[A], &[C]), fields(&[G], &[T]), fields(&[N], &[])];
/// [`GcCounts`].
const GC_FIELDS: [Fields; 1] = [fields(&[C, G], &[A, C, G, T])];

/// [`crate::count_packed_bases`], given what adds up the fields of all codes of some bytes.
#[inline(always)]
pub(crate) fn count_bases_with(
    packed: &[u8],
    len: usize,
    count: impl Fn(&[u8], &[Fields; 3]) -> [[u64; 2]; 3],
) -> BaseCounts {
    let packed = occupied(packed, len);
    let [[a, c], [g, t], [n, _]] = count(packed, &BASE_FIELDS);
    let mut counts = [a, c, g, t, n];
    if let Some(pad) = pad(packed, len) {
        for (count, code) in counts.iter_mut().zip([A, C, G, T, N]) {
            *count -= u64::from(pad == code);
        }
    }
    BaseCounts::from_acgtn(counts, len as u64)
}

/// [`crate::count_packed_gc`], given what adds up the fields of all codes of some bytes.
#[inline(always)]
pub(crate) fn count_gc_with(
    packed: &[u8],
    len: usize,
    count: impl Fn(&[u8], &[Fields; 1]) -> [[u64; 2]; 1],
) -> GcCounts {
    let packed = occupied(packed, len);
    let [[mut gc, mut acgt]] = count(packed, &GC_FIELDS);
    if let Some(pad) = pad(packed, len) {
        let fields = GC_FIELDS[0][usize::from(pad)];
        gc -= u64::from(fields & 15);
        acgt -= u64::from(fields >> 4);
    }
    GcCounts { gc, acgt }
}

/// The last code when an odd number of bases leaves it unused.
#[inline]
fn pad(occupied: &[u8], len: usize) -> Option<u8> {
    let last = *occupied.last()?;
    (!len.is_multiple_of(2)).then_some(last & 15)
}
