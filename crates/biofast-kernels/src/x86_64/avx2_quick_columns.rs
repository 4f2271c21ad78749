//! Column counts with AVX2 of what nearly all reads have: letters, and qualities that were seen before, by one or two lookups each.
//! What has other bytes is seen and counted again by `avx2_columns`.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::avx2_packed::load_half;
use super::avx2_registers::{load, load_or_zero, load_table, reduce_add};
use crate::columns::vector::{GROUP, Slices, transpose};
use crate::columns::{BATCH, ClassTable, Counts};
use crate::places::{Places, Window};
use crate::quality::LAST;
use crate::vector::{Vector, by_intrinsics};

/// Half of a stripe: as many positions as a vector has bytes.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// Its first position, within the stripe.
    pub(super) first: usize,
    /// Behind its last position, within the reads.
    end: usize,
    shape: Shape,
}

/// How far the reads reach into a block.
#[derive(Clone, Copy)]
enum Shape {
    /// All of them to its end.
    Whole,
    /// All of them this far: their length is `len`, at least that of a vector.
    Tail {
        tail: usize,
        len: usize,
    },
    Ragged,
}

/// The two blocks of the stripe at `start`.
#[inline]
pub(super) fn blocks_of(rows: &[&[u8]], start: usize) -> [Block; 2] {
    let len = rows.first().map_or(0, |row| row.len());
    let differ = rows.iter().fold(0, |differ, row| differ | (row.len() ^ len));
    let shortest = match differ {
        0 => len,
        _ => rows.iter().fold(usize::MAX, |shortest, row| shortest.min(row.len())),
    };
    [0, 32].map(|first| {
        let end = start + first + 32;
        let shape = match len.saturating_sub(start + first) {
            _ if shortest >= end => Shape::Whole,
            tail if differ == 0 && len >= 32 => Shape::Tail { tail, len },
            _ => Shape::Ragged,
        };
        Block { first, end, shape }
    })
}

/// Loads what lies of a row in a block; NULs where there is nothing.
trait LoadRow: Copy {
    fn load(self, row: &[u8]) -> __m256i;
}

/// The 32 bytes before this position, of rows that reach it.
#[derive(Clone, Copy)]
struct Whole(usize);

/// The same, or of empty rows nothing.
#[derive(Clone, Copy)]
struct WholeOrEmpty(usize);

/// Of the 32 bytes before this position all there are.
#[derive(Clone, Copy)]
struct Ragged(usize);

impl LoadRow for Whole {
    by_intrinsics! {
        fn load(self: Self, row: &[u8]) -> __m256i = load_whole;
    }
}

impl LoadRow for WholeOrEmpty {
    by_intrinsics! {
        fn load(self: Self, row: &[u8]) -> __m256i = load_whole_or_empty;
    }
}

impl LoadRow for Ragged {
    by_intrinsics! {
        fn load(self: Self, row: &[u8]) -> __m256i = load_ragged;
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn load_whole(Whole(end): Whole, row: &[u8]) -> __m256i {
    // One comparison: the length of the chunk is known.
    match row[end - 32..end].first_chunk() {
        Some(block) => load(block),
        None => _mm256_setzero_si256(),
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn load_whole_or_empty(WholeOrEmpty(end): WholeOrEmpty, row: &[u8]) -> __m256i {
    if row.is_empty() { _mm256_setzero_si256() } else { load_whole(Whole(end), row) }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn load_ragged(Ragged(end): Ragged, row: &[u8]) -> __m256i {
    if row.len() >= end {
        return load_whole(Whole(end), row);
    }
    match (row.len() + 32).saturating_sub(end) {
        0 => _mm256_setzero_si256(),
        tail => match row.last_chunk() {
            Some(last) => load_end(row, last, tail),
            None => load_or_zero(row.get(end - 32..).unwrap_or_default()),
        },
    }
}

/// The last `tail` bytes of a row, of which `last` are the last ones; NULs behind. Without a masked load, which takes much longer.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn load_end(row: &[u8], last: &[u8; 16], tail: usize) -> __m256i {
    let last = load_half(last);
    if tail < 16 {
        return _mm256_zextsi128_si256(to_front(last, 16 - tail));
    }
    match row[row.len() - tail..].first_chunk() {
        Some(first) => _mm256_set_m128i(to_front(last, 32 - tail), load_half(first)),
        None => _mm256_setzero_si256(),
    }
}

/// Bytes moved to the front by so many, at most 16; NULs behind.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn to_front(bytes: __m128i, by: usize) -> __m128i {
    match SHIFTS[by..].first_chunk() {
        Some(shift) => _mm_shuffle_epi8(bytes, load_half(shift)),
        None => _mm_setzero_si128(),
    }
}

/// From each place on the lookup that moves bytes to the front by as many.
static SHIFTS: [u8; 32] = {
    let mut shifts = [0x80; 32];
    let mut place = 0;
    while place < 16 {
        shifts[place] = place as u8;
        place += 1;
    }
    shifts
};

/// Counts A, C, G, T and N. Returns `false` if there is anything else: counts mean nothing then.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn count_letters(rows: &[&[u8]], block: Block, counts: &mut [Counts]) -> bool {
    let letters = Letters { letters: load_table(&LETTERS_OR_NUL), bits: load_table(&LETTER_BITS) };
    // But for the case bit.
    count_by_lookup::<1>(rows, block, letters, !0x20, counts)
}

/// The letter with each lower nibble, or NUL.
pub(super) const LETTERS_OR_NUL: [u8; 16] = {
    let mut table = LETTERS;
    table[0] = 0;
    table
};

/// Counts qualities that are few, in `PLANES` planes. Returns `false` if there are others: counts mean nothing then.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn count_few<const PLANES: usize>(
    rows: &[&[u8]],
    block: Block,
    places: &Places,
    classes: &ClassTable,
    counts: &mut [Counts],
) -> bool {
    let mut bits = [[0; 16]; PLANES];
    for (place, &byte) in places.bytes.iter().enumerate() {
        if let Some(class) = classes.class(byte) {
            bits[class / 8][place] = 1 << (class % 8);
        }
    }
    let mut tables = [_mm256_setzero_si256(); PLANES];
    for (table, bits) in tables.iter_mut().zip(&bits) {
        *table = load_table(bits);
    }
    let (shifts, bytes) = (load_table(&places.shifts), load_table(&places.bytes));
    if places.is_lower_nibble() {
        count_by_lookup(rows, block, Few::<PLANES, false> { shifts, bytes, tables }, 0xff, counts)
    } else {
        count_by_lookup(rows, block, Few::<PLANES, true> { shifts, bytes, tables }, 0xff, counts)
    }
}

/// Tells the classes of few bytes.
trait LookUp<const PLANES: usize>: Copy {
    /// The bit of the class of each byte in its plane, and bits that differ if a byte has none.
    fn classes(self, bytes: __m256i) -> ([__m256i; PLANES], __m256i);
}

/// Bases: the lower nibble tells the letters apart.
#[derive(Clone, Copy)]
struct Letters {
    letters: __m256i,
    bits: __m256i,
}

impl LookUp<1> for Letters {
    by_intrinsics! {
        fn classes(self: Self, bytes: __m256i) -> ([__m256i; 1], __m256i) = classes_of_letters;
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn classes_of_letters(of: Letters, bytes: __m256i) -> ([__m256i; 1], __m256i) {
    let odd = _mm256_xor_si256(_mm256_shuffle_epi8(of.letters, bytes), bytes);
    ([_mm256_shuffle_epi8(of.bits, bytes)], odd)
}

/// Qualities by their [`Places`], which need `SHIFTED` lower nibbles or not.
#[derive(Clone, Copy)]
struct Few<const PLANES: usize, const SHIFTED: bool> {
    shifts: __m256i,
    bytes: __m256i,
    tables: [__m256i; PLANES],
}

impl<const PLANES: usize, const SHIFTED: bool> LookUp<PLANES> for Few<PLANES, SHIFTED> {
    by_intrinsics! {
        fn classes(self: Self, bytes: __m256i) -> ([__m256i; PLANES], __m256i) = classes_of_few;
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn classes_of_few<const PLANES: usize, const SHIFTED: bool>(
    of: Few<PLANES, SHIFTED>,
    bytes: __m256i,
) -> ([__m256i; PLANES], __m256i) {
    let place = if SHIFTED { places_of(of.shifts, bytes) } else { bytes };
    let odd = _mm256_xor_si256(_mm256_shuffle_epi8(of.bytes, place), bytes);
    let mut bits = of.tables;
    for bits in &mut bits {
        *bits = _mm256_shuffle_epi8(*bits, place);
    }
    (bits, odd)
}

/// The [`Places`] of bytes, in their lower nibbles; no lookup finds those above 127.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn places_of(shifts: __m256i, bytes: __m256i) -> __m256i {
    let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), _mm256_set1_epi8(15));
    _mm256_xor_si256(_mm256_shuffle_epi8(shifts, upper), bytes)
}

/// Counts what `look_up` tells. Returns `false` if bits of `mask` differ anywhere, or if a byte had no class.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn count_by_lookup<const PLANES: usize>(
    rows: &[&[u8]],
    block: Block,
    look_up: impl LookUp<PLANES>,
    mask: u8,
    counts: &mut [Counts],
) -> bool {
    let (slices, odd) = add_up_block(rows, block, look_up);
    if _mm256_testz_si256(odd, _mm256_set1_epi8(mask as i8)) == 0 {
        return false;
    }
    let mut counted = _mm256_setzero_si256();
    let (counts, _) = counts.as_chunks_mut::<8>();
    for (slices, counts) in slices.into_iter().zip(counts) {
        for (class, count) in transpose(slices).into_iter().zip(counts) {
            counted = Vector::add_bytes(counted, store(class, block, count));
        }
    }
    reduce_add(counted) == bytes_in(rows, block)
}

/// The classes of all rows in the block, added to bit-sliced counters, and all bits that differ.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn add_up_block<const PLANES: usize>(
    rows: &[&[u8]],
    block: Block,
    look_up: impl LookUp<PLANES>,
) -> ([Slices<__m256i>; PLANES], __m256i) {
    debug_assert!(rows.len() <= BATCH);
    match block.shape {
        Shape::Whole => add_up(rows, Whole(block.end), WholeOrEmpty(block.end), look_up),
        Shape::Tail { tail: 0, .. } => {
            ([[_mm256_setzero_si256(); 8]; PLANES], _mm256_setzero_si256())
        }
        Shape::Tail { len, .. } => add_up(rows, Whole(len), WholeOrEmpty(len), look_up),
        Shape::Ragged => add_up(rows, Ragged(block.end), Ragged(block.end), look_up),
    }
}

/// [`add_up_block`] of rows that are loaded in the way of their shape; `load_rest` takes empty rows, too.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn add_up<const PLANES: usize>(
    rows: &[&[u8]],
    load: impl LoadRow,
    load_rest: impl LoadRow,
    look_up: impl LookUp<PLANES>,
) -> ([Slices<__m256i>; PLANES], __m256i) {
    let zero = _mm256_setzero_si256();
    let mut slices = [[zero; 8]; PLANES];
    let mut odd = zero;
    let (groups, rest) = rows.as_chunks::<GROUP>();
    for group in groups {
        odd = _mm256_or_si256(odd, add_rows(group, load, look_up, &mut slices));
    }
    if !rest.is_empty() {
        let mut group = [&[][..]; GROUP];
        group[..rest.len()].copy_from_slice(rest);
        odd = _mm256_or_si256(odd, add_rows(&group, load_rest, look_up, &mut slices));
    }
    (slices, odd)
}

/// Adds the classes of sixteen rows to the counters, four rows at a time, so that these stay in registers. Returns all bits that
/// differ.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn add_rows<const PLANES: usize>(
    group: &[&[u8]; GROUP],
    load: impl LoadRow,
    look_up: impl LookUp<PLANES>,
    slices: &mut [Slices<__m256i>; PLANES],
) -> __m256i {
    let zero = _mm256_setzero_si256();
    let mut odd = zero;
    let mut fours = [[zero; 4]; PLANES];
    for (quarter, rows) in group.as_chunks::<4>().0.iter().enumerate() {
        let mut bits = [[zero; 4]; PLANES];
        for (i, row) in rows.iter().enumerate() {
            let (classes, differ) = look_up.classes(load.load(row));
            odd = _mm256_or_si256(odd, differ);
            for (bits, class) in bits.iter_mut().zip(classes) {
                bits[i] = class;
            }
        }
        for ((fours, bits), slices) in fours.iter_mut().zip(bits).zip(&mut *slices) {
            fours[quarter] = add_four(bits, slices);
        }
    }
    for (fours, slices) in fours.into_iter().zip(slices) {
        add_fours(fours, slices);
    }
    odd
}

/// Adds four vectors of bits to the two lowest counters; carries a bit of value four.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn add_four([a, b, c, d]: [__m256i; 4], slices: &mut Slices<__m256i>) -> __m256i {
    let (two, sum) = __m256i::add_bits(slices[0], a, b);
    let (other_two, sum) = __m256i::add_bits(sum, c, d);
    slices[0] = sum;
    let (four, sum) = __m256i::add_bits(slices[1], two, other_two);
    slices[1] = sum;
    four
}

/// Adds four vectors of bits of value four to the counters.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn add_fours([a, b, c, d]: [__m256i; 4], slices: &mut Slices<__m256i>) {
    let (eight, sum) = __m256i::add_bits(slices[2], a, b);
    let (other_eight, sum) = __m256i::add_bits(sum, c, d);
    slices[2] = sum;
    let (mut carry, sum) = __m256i::add_bits(slices[3], eight, other_eight);
    slices[3] = sum;
    for slice in &mut slices[4..] {
        let sum = slice.xor(carry);
        carry = slice.and(carry);
        *slice = sum;
    }
}

/// Counts qualities that have classes, window by window. Returns `false` if there are others: counts mean nothing then.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn count_many(
    rows: &[&[u8]],
    block: Block,
    classes: &ClassTable,
    counts: &mut [Counts],
) -> bool {
    let mut counted = 0;
    for window in &classes.windows {
        counted += match window.bits {
            [_, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]] => {
                count_window::<1>(rows, block, window, classes, counts)
            }
            _ => count_window::<2>(rows, block, window, classes, counts),
        };
    }
    counted == bytes_in(rows, block)
}

/// Counts the qualities in the first or in both halves of a window; returns how many there are.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn count_window<const HALVES: usize>(
    rows: &[&[u8]],
    block: Block,
    window: &Window,
    classes: &ClassTable,
    counts: &mut [Counts],
) -> u64 {
    let mut halves = [_mm256_setzero_si256(); HALVES];
    for (half, bits) in halves.iter_mut().zip(&window.bits) {
        *half = load_table(bits);
    }
    let look_up = InWindow { first: _mm256_set1_epi8(window.first as i8), halves };
    let (slices, _) = add_up_block(rows, block, look_up);
    let mut counted = _mm256_setzero_si256();
    for (slices, byte) in slices.into_iter().zip((window.first..).step_by(8)) {
        for (count, byte) in transpose(slices).into_iter().zip(byte..=LAST) {
            if let Some(class) = classes.class(byte) {
                counted = Vector::add_bytes(counted, store(count, block, &mut counts[class]));
            }
        }
    }
    reduce_add(counted)
}

/// Qualities in a [`Window`].
#[derive(Clone, Copy)]
struct InWindow<const HALVES: usize> {
    first: __m256i,
    halves: [__m256i; HALVES],
}

impl<const HALVES: usize> LookUp<HALVES> for InWindow<HALVES> {
    by_intrinsics! {
        fn classes(self: Self, bytes: __m256i) -> ([__m256i; HALVES], __m256i) = classes_in_window;
    }
}

/// Others than those in the window have no bit.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn classes_in_window<const HALVES: usize>(
    of: InWindow<HALVES>,
    bytes: __m256i,
) -> ([__m256i; HALVES], __m256i) {
    // Bit 7 set, and so 0 looked up, unless the distance is below 16.
    let distance = _mm256_sub_epi8(bytes, of.first);
    let place = _mm256_adds_epu8(distance, _mm256_set1_epi8(0x70));
    let mut bits = of.halves;
    for bits in &mut bits {
        *bits = _mm256_shuffle_epi8(*bits, place);
    }
    (bits, _mm256_setzero_si256())
}

/// How many bytes of the rows lie in the block.
fn bytes_in(rows: &[&[u8]], block: Block) -> u64 {
    let bytes = match block.shape {
        Shape::Whole => 32 * rows.len(),
        Shape::Tail { tail, .. } => tail * rows.len(),
        Shape::Ragged => {
            let reach = |row: &&[u8]| (row.len() + 32).saturating_sub(block.end).min(32);
            rows.iter().map(reach).sum()
        }
    };
    bytes as u64
}

/// Writes the counts of a class at the positions of the block, and zeros behind the reads' ends; returns these.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn store(class: __m256i, block: Block, counts: &mut Counts) -> __m256i {
    let class = match block.shape {
        Shape::Whole | Shape::Ragged => class,
        Shape::Tail { tail, .. } => {
            // The counts of the last 32 positions, of which `tail` are in the block.
            let mut bytes = [0; 64];
            let (low, _) = bytes.as_chunks_mut();
            class.store(&mut low[0]);
            match bytes[32 - tail.min(32)..].first_chunk() {
                Some(bytes) => load(bytes),
                None => _mm256_setzero_si256(),
            }
        }
    };
    if let Some(counts) = counts[block.first..].first_chunk_mut() {
        class.store(counts);
    }
    class
}

/// The letter with each lower nibble.
pub(super) const LETTERS: [u8; 16] = {
    let mut table = [0xff; 16];
    let mut i = 0;
    while i < 5 {
        table[(b"ACGTN"[i] & 15) as usize] = b"ACGTN"[i];
        i += 1;
    }
    table
};

/// The bit of the letter with each lower nibble.
pub(super) const LETTER_BITS: [u8; 16] = {
    let mut table = [0; 16];
    let mut i = 0;
    while i < 5 {
        table[(b"ACGTN"[i] & 15) as usize] = 1 << i;
        i += 1;
    }
    table
};
