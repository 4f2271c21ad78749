//! How the vector versions count packed bases: looked-up counters of four bits, two in a byte.

use super::layout::occupied;
use crate::vector::Vector;
use crate::{BaseCounts, GcCounts};

/// Two counters of four bits in a byte: what the vector versions look up for each code and add up, at most seven
/// vectors of two codes a byte.
type Fields = [u8; 16];

/// Vectors whose [`Fields`] add up without a carry.
const FIELD_VECTORS: usize = 7;

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

/// [`crate::count_packed_bases`].
#[inline(always)]
pub(super) fn count_bases_with<V: Vector>(packed: &[u8], len: usize) -> BaseCounts {
    let packed = occupied(packed, len);
    let [[a, c], [g, t], [n, _]] = count_fields::<V, 3>(packed, &BASE_FIELDS);
    let mut counts = [a, c, g, t, n];
    if let Some(pad) = pad(packed, len) {
        for (count, code) in counts.iter_mut().zip([A, C, G, T, N]) {
            *count -= u64::from(pad == code);
        }
    }
    BaseCounts::from_acgtn(counts, len as u64)
}

/// [`crate::count_packed_gc`].
#[inline(always)]
pub(super) fn count_gc_with<V: Vector>(packed: &[u8], len: usize) -> GcCounts {
    let packed = occupied(packed, len);
    let [[mut gc, mut acgt]] = count_fields::<V, 1>(packed, &GC_FIELDS);
    if let Some(pad) = pad(packed, len) {
        let fields = GC_FIELDS[0][usize::from(pad)];
        gc -= u64::from(fields & 15);
        acgt -= u64::from(fields >> 4);
    }
    GcCounts { gc, acgt }
}

/// Adds up the fields of all codes.
#[inline(always)]
fn count_fields<V: Vector, const N: usize>(packed: &[u8], entries: &[Fields; N]) -> [[u64; 2]; N] {
    let zero = V::splat(0);
    let mut tables = [zero; N];
    for (table, entries) in tables.iter_mut().zip(entries) {
        *table = V::table(entries);
    }
    let mut sums = [[V::no_sums(); 2]; N];
    let (blocks, tail) = V::blocks(packed);
    let (groups, blocks) = blocks.as_chunks::<FIELD_VECTORS>();
    for group in groups {
        let mut fields = [zero; N];
        for block in group {
            add_fields(&mut fields, &tables, V::load(block));
        }
        flush(&mut sums, fields);
    }
    // At most six blocks and the tail.
    let mut fields = [zero; N];
    for block in blocks {
        add_fields(&mut fields, &tables, V::load(block));
    }
    if !tail.is_empty() {
        add_fields(&mut fields, &tables, V::load_or_zero(tail));
    }
    flush(&mut sums, fields);
    let mut totals = [[0; 2]; N];
    for (totals, [low, high]) in totals.iter_mut().zip(sums) {
        *totals = [V::total(low), V::total(high)];
    }
    totals
}

/// Adds the fields of the codes of a block.
#[inline(always)]
fn add_fields<V: Vector, const N: usize>(fields: &mut [V; N], tables: &[V; N], block: V) {
    let upper = block.upper_nibbles();
    let lower = block.and(V::splat(15));
    for (field, table) in fields.iter_mut().zip(tables) {
        *field = field.add(V::look_up(*table, upper));
        *field = field.add(V::look_up(*table, lower));
    }
}

/// Adds full fields to the sums of their lower and upper counters.
#[inline(always)]
fn flush<V: Vector, const N: usize>(sums: &mut [[V::Sums; 2]; N], fields: [V; N]) {
    for ([low, high], field) in sums.iter_mut().zip(fields) {
        *low = V::add_bytes(*low, field.and(V::splat(15)));
        *high = V::add_bytes(*high, field.upper_nibbles());
    }
}

/// The last code when an odd number of bases leaves it unused.
#[inline]
fn pad(occupied: &[u8], len: usize) -> Option<u8> {
    let last = *occupied.last()?;
    (!len.is_multiple_of(2)).then_some(last & 15)
}
