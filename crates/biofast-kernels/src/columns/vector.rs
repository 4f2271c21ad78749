//! The kernels over vectors: the classes of sixteen rows at a time are added to bit-sliced counters by full adders.

use super::{BATCH, COLUMN_BLOCK, ClassTable, Counts, reference, stripe};
use crate::vector::{Simd, Vector};

/// Rows per round of the adder.
pub(crate) const GROUP: usize = 16;

/// Bit-sliced counters: bit b of `slices[j]` is bit j of the count of class b.
pub(crate) type Slices<V> = [V; 8];

#[inline(always)]
pub(crate) fn count_base_columns<S: Simd>(
    rows: &[&[u8]],
    start: usize,
    classes: &ClassTable,
    counts: &mut [Counts],
) -> u64 {
    S::count_base_columns(rows, start, classes, counts)
}

#[inline(always)]
pub(crate) fn count_quality_columns<S: Simd>(
    rows: &[&[u8]],
    start: usize,
    classes: &ClassTable,
    counts: &mut [Counts],
) -> u64 {
    S::count_quality_columns(rows, start, classes, counts)
}

/// Compilers make vector code of the reference, with the instructions of the function it is inlined into.
#[inline(always)]
pub(crate) fn add_columns<S: Simd>(
    counts: &[Counts],
    values: &[u8],
    sums: &mut [[u16; COLUMN_BLOCK]],
) {
    reference::add_columns(counts, values, sums);
}

/// The classes of the bytes of a vector.
#[derive(Clone, Copy)]
pub(crate) struct Class<V> {
    /// A number for each plane, which [`Classify::plane`] knows, or 0.
    pub(crate) plane: V,
    /// The bit of the class in its plane.
    pub(crate) bit: V,
}

/// Tells the classes of bytes.
pub(crate) trait Classify<V: Vector>: Copy {
    fn classes(self, bytes: V) -> Class<V>;
    /// What bytes of this plane have in [`Class::plane`].
    fn plane(self, plane: usize) -> V;
}

/// Counts the classes of the rows in the stripe at `start`, `WIDTH` positions of it at a time: as many as a vector has bytes.
/// Returns how many bytes had no class.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub(crate) fn count_stripe<V, C, const WIDTH: usize, const PLANES: usize>(
    rows: &[&[u8]],
    start: usize,
    planes: usize,
    counts: &mut [Counts],
    classify: C,
) -> u64
where
    V: Vector<Block = [u8; WIDTH], Mask = V>,
    C: Classify<V>,
{
    let mut left_out = 0;
    for first in (0..COLUMN_BLOCK).step_by(WIDTH) {
        left_out +=
            count_block::<V, C, WIDTH, PLANES>(rows, start, first, planes, counts, classify);
    }
    left_out
}

/// [`count_stripe`] of the `WIDTH` positions from `first` of the stripe on.
#[inline(always)]
pub(crate) fn count_block<V, C, const WIDTH: usize, const PLANES: usize>(
    rows: &[&[u8]],
    start: usize,
    first: usize,
    planes: usize,
    counts: &mut [Counts],
    classify: C,
) -> u64
where
    V: Vector<Block = [u8; WIDTH], Mask = V>,
    C: Classify<V>,
{
    debug_assert!(rows.len() <= BATCH && planes <= PLANES);
    let zero = V::splat(0);
    let (counts, _) = counts.as_chunks_mut::<8>();
    let counts = &mut counts[..planes];
    let mut bytes = 0;
    let mut counted = V::no_sums();
    let mut slices = [[zero; 8]; PLANES];
    for group in rows.chunks(GROUP) {
        let mut vectors = [Class { plane: zero, bit: zero }; GROUP];
        for (vector, row) in vectors.iter_mut().zip(group) {
            let row = stripe(row, start + first);
            bytes += row.len().min(WIDTH);
            *vector = classify.classes(match row.first_chunk() {
                Some(row) => V::load(row),
                None => V::load_or_zero(row),
            });
        }
        for (plane, slices) in slices[..planes].iter_mut().enumerate() {
            add_group(PlaneClasses { vectors: &vectors, plane: classify.plane(plane) }, slices);
        }
    }
    for (slices, counts) in slices[..planes].iter().zip(&mut *counts) {
        for (class, count) in transpose(*slices).into_iter().zip(counts) {
            counted = V::add_bytes(counted, class);
            if let Some(count) = count[first..].first_chunk_mut() {
                class.store(count);
            }
        }
    }
    bytes as u64 - V::total(counted)
}

/// The bits of the classes in sixteen vectors.
pub(crate) trait Bits<V>: Copy {
    fn of(self, vector: usize) -> V;
}

/// Those of one plane.
#[derive(Clone, Copy)]
struct PlaneClasses<'a, V> {
    vectors: &'a [Class<V>; GROUP],
    plane: V,
}

impl<V: Vector<Mask = V>> Bits<V> for PlaneClasses<'_, V> {
    #[inline(always)]
    fn of(self, vector: usize) -> V {
        let Class { plane, bit } = self.vectors[vector];
        bit.and(plane.equal(self.plane))
    }
}

/// Adds the bits of sixteen vectors to the counters.
#[inline(always)]
pub(crate) fn add_group<V: Vector>(bits: impl Bits<V>, slices: &mut Slices<V>) {
    let [mut ones, mut twos, fours, eights, ..] = *slices;
    let a = add_four(bits, 0, &mut ones, &mut twos);
    let b = add_four(bits, 4, &mut ones, &mut twos);
    let (eights_a, sum) = V::add_bits(fours, a, b);
    let a = add_four(bits, 8, &mut ones, &mut twos);
    let b = add_four(bits, 12, &mut ones, &mut twos);
    let (eights_b, fours) = V::add_bits(sum, a, b);
    let (mut carry, eights) = V::add_bits(eights, eights_a, eights_b);
    (slices[0], slices[1], slices[2], slices[3]) = (ones, twos, fours, eights);
    for slice in &mut slices[4..] {
        let sum = slice.xor(carry);
        carry = slice.and(carry);
        *slice = sum;
    }
}

/// Adds the bits of four vectors; carries a bit of value four.
#[inline(always)]
fn add_four<V: Vector>(bits: impl Bits<V>, first: usize, ones: &mut V, twos: &mut V) -> V {
    let (a, sum) = V::add_bits(*ones, bits.of(first), bits.of(first + 1));
    let (b, sum) = V::add_bits(sum, bits.of(first + 2), bits.of(first + 3));
    *ones = sum;
    let (carry, sum) = V::add_bits(*twos, a, b);
    *twos = sum;
    carry
}

/// Turns bit-sliced counters into one vector of byte counts a class: an 8 × 8 transpose of bits in each byte lane.
#[inline(always)]
pub(crate) fn transpose<V: Vector>(mut rows: Slices<V>) -> Slices<V> {
    swap::<V, 4>(&mut rows, 0x0f);
    swap::<V, 2>(&mut rows, 0x33);
    swap::<V, 1>(&mut rows, 0x55);
    rows
}

/// Swaps the upper bits of each row with the lower bits (`mask`) of the row `DISTANCE` below.
#[inline(always)]
fn swap<V: Vector, const DISTANCE: i32>(rows: &mut Slices<V>, mask: u8) {
    let distance = DISTANCE as usize;
    for i in 0..8 {
        if i & distance == 0 {
            (rows[i], rows[i + distance]) =
                V::swap_bits::<DISTANCE>(rows[i], rows[i + distance], mask);
        }
    }
}
