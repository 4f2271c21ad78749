//! Four vectors of eight states.

use std::arch::x86_64::*;

use crate::isa::turns::{TURN, Turns, WIDE};
use crate::lanes::{TILE, Tile};
use crate::nx16::Slots;
use crate::nx16::format::LOW;

/// Decodes turns of order 0 on a CPU with AVX2.
pub(super) fn order0(turns: Turns<'_>, out: &mut [[u8; WIDE]]) -> usize {
    // SAFETY: handed out for a CPU with AVX2 only, by which `biofast_kernels` means POPCNT, too.
    unsafe { order0_avx2(turns, out) }
}

/// Decodes turns of order 1 on a CPU with AVX2.
pub(super) fn order1(
    turns: Turns<'_>,
    last: &mut [u8; WIDE],
    tile: &mut Tile<WIDE>,
    count: usize,
) -> usize {
    if !turns.slots.have_contexts(last) {
        return 0;
    }
    // SAFETY: as for order 0, and there are the contexts to start in.
    unsafe { order1_avx2(turns, last, tile, count) }
}

/// Vectors of 32 states.
const VECTORS: usize = WIDE / 8;

/// For each set of lanes that take a word, which word each takes.
static PICKS: [[u8; 8]; 256] = {
    let mut picks = [[0; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut word) = (0, 0);
        while lane < 8 {
            picks[set][lane] = word;
            word += (set >> lane & 1) as u8;
            lane += 1;
        }
        set += 1;
    }
    picks
};

/// Takes a symbol from each of eight states and refills them. Returns the entries of their slots.
///
/// # Safety
/// The CPU must have AVX2 and POPCNT. `base` is a multiple of the slots of a context, and that context is in the table. At
/// `words`, 16 bytes can be read.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
unsafe fn step(
    slots: &Slots,
    states: &mut __m256i,
    base: __m256i,
    words: *const u8,
) -> (__m256i, usize) {
    let bits = _mm_cvtsi32_si128(slots.bits() as i32);
    let mask = _mm256_set1_epi32((1 << slots.bits()) - 1);
    let at = _mm256_or_si256(_mm256_and_si256(*states, mask), base);
    // SAFETY: a slot of a context that is in the table.
    let entries = unsafe { _mm256_i32gather_epi32::<4>(slots.entries().as_ptr().cast(), at) };
    let rest = _mm256_srl_epi32(*states, bits);
    let place = _mm256_and_si256(_mm256_srli_epi32::<8>(entries), _mm256_set1_epi32(0xfff));
    let scaled = _mm256_mullo_epi32(_mm256_srli_epi32::<20>(entries), rest);
    let x = _mm256_add_epi32(_mm256_add_epi32(rest, place), scaled);
    let is_low = _mm256_cmpgt_epi32(_mm256_set1_epi32(LOW as i32), x);
    let set = _mm256_movemask_ps(_mm256_castsi256_ps(is_low)) as usize;
    // SAFETY: as much can be read, which the caller promises; and eight bytes of an array of as many.
    let (words, picks) = unsafe {
        (_mm_loadu_si128(words.cast()), _mm_loadl_epi64(PICKS[set & 255].as_ptr().cast()))
    };
    let words =
        _mm256_permutevar8x32_epi32(_mm256_cvtepu16_epi32(words), _mm256_cvtepu8_epi32(picks));
    let filled = _mm256_or_si256(_mm256_slli_epi32::<16>(x), words);
    *states = _mm256_blendv_epi8(x, filled, is_low);
    (entries, 2 * set.count_ones() as usize)
}

/// # Safety
/// The CPU must have AVX2 and POPCNT.
#[target_feature(enable = "avx2,popcnt")]
unsafe fn load(numbers: &[u32; WIDE]) -> [__m256i; VECTORS] {
    let mut vectors = [_mm256_setzero_si256(); VECTORS];
    for (vector, numbers) in vectors.iter_mut().zip(numbers.as_chunks::<8>().0) {
        // SAFETY: eight numbers.
        *vector = unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) };
    }
    vectors
}

/// # Safety
/// The CPU must have AVX2 and POPCNT.
#[target_feature(enable = "avx2,popcnt")]
unsafe fn store(vectors: &[__m256i; VECTORS], numbers: &mut [u32; WIDE]) {
    for (vector, eight) in vectors.iter().zip(numbers.as_chunks_mut::<8>().0) {
        // SAFETY: eight numbers.
        unsafe { _mm256_storeu_si256(eight.as_mut_ptr().cast(), *vector) };
    }
}

/// # Safety
/// The CPU must have AVX2 and POPCNT.
#[target_feature(enable = "avx2,popcnt")]
unsafe fn order0_avx2(turns: Turns<'_>, out: &mut [[u8; WIDE]]) -> usize {
    // SAFETY: as this function.
    let mut states = unsafe { load(turns.states) };
    let byte = _mm256_set1_epi32(0xff);
    let mut at = *turns.at;
    let mut done = 0;
    for out in out {
        let Some(words) = turns.words.get(at..).filter(|words| words.len() >= TURN) else { break };
        let mut taken = 0;
        let mut symbols = [_mm256_setzero_si256(); VECTORS];
        for (states, symbols) in states.iter_mut().zip(&mut symbols) {
            // SAFETY: the only context; each of four steps takes up to 16 of 64 bytes.
            let (entries, bytes) = unsafe {
                step(turns.slots, states, _mm256_setzero_si256(), words.as_ptr().add(taken))
            };
            *symbols = _mm256_and_si256(entries, byte);
            taken += bytes;
        }
        at += taken;
        let [a, b, c, d] = symbols;
        let bytes = _mm256_packus_epi16(_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
        let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
        let bytes = _mm256_permutevar8x32_epi32(bytes, order);
        // SAFETY: 32 bytes.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), bytes) };
        done += 1;
    }
    *turns.at = at;
    // SAFETY: as this function.
    unsafe { store(&states, turns.states) };
    done
}

/// # Safety
/// The CPU must have AVX2 and POPCNT, and the table contexts for `last`.
#[target_feature(enable = "avx2,popcnt")]
unsafe fn order1_avx2(
    turns: Turns<'_>,
    last: &mut [u8; WIDE],
    tile: &mut Tile<WIDE>,
    count: usize,
) -> usize {
    let mut numbers = last.map(u32::from);
    // SAFETY: as this function.
    let (mut states, mut entries) = unsafe { (load(turns.states), load(&numbers)) };
    let byte = _mm256_set1_epi32(0xff);
    let bits = _mm_cvtsi32_si128(turns.slots.bits() as i32);
    let mut at = *turns.at;
    let mut done = 0;
    while done + 4 <= count.min(TILE) && turns.words.len() >= at + 4 * TURN {
        // Four symbols of each state make a number.
        let mut four = [_mm256_setzero_si256(); VECTORS];
        for _ in 0..4 {
            for ((states, entries), four) in states.iter_mut().zip(&mut entries).zip(&mut four) {
                let base = _mm256_sll_epi32(_mm256_and_si256(*entries, byte), bits);
                // SAFETY: the table has a context for each symbol in it, and for `last`; 16 steps take up to 16 of 256 bytes each.
                let (found, bytes) =
                    unsafe { step(turns.slots, states, base, turns.words.as_ptr().add(at)) };
                *entries = found;
                *four =
                    _mm256_or_si256(_mm256_srli_epi32::<8>(*four), _mm256_slli_epi32::<24>(found));
                at += bytes;
            }
        }
        // SAFETY: as this function.
        unsafe { store(&four, &mut numbers) };
        for (row, four) in tile.iter_mut().zip(&numbers) {
            row[done..done + 4].copy_from_slice(&four.to_le_bytes());
        }
        done += 4;
    }
    *turns.at = at;
    // SAFETY: as this function.
    unsafe {
        store(&states, turns.states);
        store(&entries, &mut numbers);
    }
    *last = numbers.map(|entry| entry as u8);
    done
}
