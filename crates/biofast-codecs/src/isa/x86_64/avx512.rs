//! Two vectors of 16 states.

use std::arch::x86_64::*;

use crate::isa::turns::{TURN, Turns, WIDE};
use crate::lanes::{TILE, Tile};
use crate::nx16::Slots;
use crate::nx16::format::LOW;

/// Decodes turns of order 0 on a CPU with AVX-512.
pub(super) fn order0(turns: Turns<'_>, out: &mut [[u8; WIDE]]) -> usize {
    // SAFETY: handed out for a CPU with AVX-512 only, by which `biofast_kernels` means its parts F and BW, and POPCNT, too.
    unsafe { order0_avx512(turns, out) }
}

/// Decodes turns of order 1 on a CPU with AVX-512.
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
    unsafe { order1_avx512(turns, last, tile, count) }
}

/// Vectors of 32 states.
const VECTORS: usize = WIDE / 16;

/// Takes a symbol from each of 16 states and refills them. Returns the entries of their slots.
///
/// # Safety
/// The CPU must have AVX-512 and POPCNT. `base` is a multiple of the slots of a context, and that context is in the table. At
/// `words`, 32 bytes can be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
unsafe fn step(
    slots: &Slots,
    states: &mut __m512i,
    base: __m512i,
    words: *const u8,
) -> (__m512i, usize) {
    let bits = _mm_cvtsi32_si128(slots.bits() as i32);
    let mask = _mm512_set1_epi32((1 << slots.bits()) - 1);
    let at = _mm512_or_si512(_mm512_and_si512(*states, mask), base);
    // SAFETY: a slot of a context that is in the table.
    let entries = unsafe { _mm512_i32gather_epi32::<4>(at, slots.entries().as_ptr().cast()) };
    let rest = _mm512_srl_epi32(*states, bits);
    let place = _mm512_and_si512(_mm512_srli_epi32::<8>(entries), _mm512_set1_epi32(0xfff));
    let scaled = _mm512_mullo_epi32(_mm512_srli_epi32::<20>(entries), rest);
    let x = _mm512_add_epi32(_mm512_add_epi32(rest, place), scaled);
    let is_low = _mm512_cmplt_epi32_mask(x, _mm512_set1_epi32(LOW as i32));
    // SAFETY: as much can be read, which the caller promises.
    let words = unsafe { _mm256_loadu_si256(words.cast()) };
    let words = _mm512_maskz_expand_epi32(is_low, _mm512_cvtepu16_epi32(words));
    *states = _mm512_mask_or_epi32(x, is_low, _mm512_slli_epi32::<16>(x), words);
    (entries, 2 * is_low.count_ones() as usize)
}

/// # Safety
/// The CPU must have AVX-512 and POPCNT.
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
unsafe fn load(numbers: &[u32; WIDE]) -> [__m512i; VECTORS] {
    let mut vectors = [_mm512_setzero_si512(); VECTORS];
    for (vector, numbers) in vectors.iter_mut().zip(numbers.as_chunks::<16>().0) {
        // SAFETY: 16 numbers.
        *vector = unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) };
    }
    vectors
}

/// # Safety
/// The CPU must have AVX-512 and POPCNT.
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
unsafe fn store(vectors: &[__m512i; VECTORS], numbers: &mut [u32; WIDE]) {
    for (vector, numbers) in vectors.iter().zip(numbers.as_chunks_mut::<16>().0) {
        // SAFETY: 16 numbers.
        unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), *vector) };
    }
}

/// # Safety
/// The CPU must have AVX-512 and POPCNT.
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
unsafe fn order0_avx512(turns: Turns<'_>, out: &mut [[u8; WIDE]]) -> usize {
    // SAFETY: as this function.
    let mut states = unsafe { load(turns.states) };
    let mut at = *turns.at;
    let mut done = 0;
    for out in out {
        let Some(words) = turns.words.get(at..).filter(|words| words.len() >= TURN) else { break };
        let mut taken = 0;
        for (states, out) in states.iter_mut().zip(out.as_chunks_mut::<16>().0) {
            // SAFETY: the only context; each of two steps takes up to 32 of 64 bytes; 16 bytes are written to as many.
            unsafe {
                let (entries, bytes) =
                    step(turns.slots, states, _mm512_setzero_si512(), words.as_ptr().add(taken));
                _mm_storeu_si128(out.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(entries));
                taken += bytes;
            }
        }
        at += taken;
        done += 1;
    }
    *turns.at = at;
    // SAFETY: as this function.
    unsafe { store(&states, turns.states) };
    done
}

/// # Safety
/// The CPU must have AVX-512 and POPCNT, and the table contexts for `last`.
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
unsafe fn order1_avx512(
    turns: Turns<'_>,
    last: &mut [u8; WIDE],
    tile: &mut Tile<WIDE>,
    count: usize,
) -> usize {
    let mut numbers = last.map(u32::from);
    // SAFETY: as this function.
    let (mut states, mut entries) = unsafe { (load(turns.states), load(&numbers)) };
    let byte = _mm512_set1_epi32(0xff);
    let bits = _mm_cvtsi32_si128(turns.slots.bits() as i32);
    let mut at = *turns.at;
    let mut done = 0;
    while done + 4 <= count.min(TILE) && turns.words.len() >= at + 4 * TURN {
        // Four symbols of each state make a number.
        let mut four = [_mm512_setzero_si512(); VECTORS];
        for _ in 0..4 {
            for ((states, entries), four) in states.iter_mut().zip(&mut entries).zip(&mut four) {
                let base = _mm512_sll_epi32(_mm512_and_si512(*entries, byte), bits);
                // SAFETY: the table has a context for each symbol in it, and for `last`; 8 steps take up to 32 of 256 bytes each.
                let (found, bytes) =
                    unsafe { step(turns.slots, states, base, turns.words.as_ptr().add(at)) };
                *entries = found;
                *four =
                    _mm512_or_si512(_mm512_srli_epi32::<8>(*four), _mm512_slli_epi32::<24>(found));
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
