//! x86-64 with BMI2 (shifts by any register) and AVX2 or AVX-512 (bytes compared 32 or 64 at a time).
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use biofast_kernels::{Isa, by_intrinsics};

use super::picked::PICKED;
use crate::encode::bam::{BamWorkspace, EncodeBam};
use crate::encode::effort::Effort;
use crate::encode::item::{BASES, Item, MIN_LENGTH, RUN};
use crate::encode::simd::{
    CODED, ItemCodes, Joined, MER_HASH, MER_SLOTS, PairCodes, Runs, Shortest, Simd,
};
use crate::encode::work::{DeflateWorkspace, Encode, Encoded};

/// The encoder for AVX2 or AVX-512, which the CPU must have.
pub(super) fn encode(isa: Isa) -> Encode {
    match isa {
        // SAFETY: this pointer is handed out for a CPU with AVX-512 only, which `biofast_kernels` grants together with
        // AVX2, BMI1, BMI2, LZCNT and POPCNT.
        Isa::Avx512 => |work, text, effort| unsafe { avx512::encode(work, text, effort) },
        // SAFETY: this pointer is handed out for a CPU with AVX2 only, by which `biofast_kernels` means BMI1, BMI2,
        // LZCNT and POPCNT, too.
        _ => |work, text, effort| unsafe { avx2::encode(work, text, effort) },
    }
}

/// The same for BAM.
pub(super) fn encode_bam(isa: Isa) -> EncodeBam {
    match isa {
        // SAFETY: as for FASTQ.
        Isa::Avx512 => |work, text| unsafe { avx512::encode_bam(work, text) },
        // SAFETY: as for FASTQ.
        _ => |work, text| unsafe { avx2::encode_bam(work, text) },
    }
}

/// The functions of one level, in a module of that name.
macro_rules! level {
    ($module:ident, $features:literal, $simd:ty) => {
        mod $module {
            use super::*;

            /// # Safety
            /// The CPU must have the target features.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn encode(
                work: &mut DeflateWorkspace,
                text: &[u8],
                effort: Effort,
            ) -> Option<Encoded> {
                work.encode::<$simd>(text, effort)
            }

            /// # Safety
            /// The CPU must have the target features.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn encode_bam(work: &mut BamWorkspace, text: &[u8]) -> Option<usize> {
                work.encode::<$simd>(text)
            }
        }
    };
}

level!(avx2, "avx2,bmi1,bmi2,lzcnt,popcnt", Avx2);
level!(
    avx512,
    "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2",
    Avx512
);

/// Used by the functions of `avx2` only: each method is a function with the target features that is inlined there. (Closures
/// wouldn't have the features, and each intrinsic in one would be a call.)
struct Avx2;

impl Simd for Avx2 {
    by_intrinsics! {
        fn equal(a: &[u8; 64], b: &[u8; 64]) -> u64 = equal_avx2;
        fn equal_half(a: &[u8; 32], b: &[u8; 32]) -> u32 = equal_half_avx2;
        fn letters(bytes: &[u8; 32]) -> usize = letters_avx2;
        fn mers_seen(table: &[u32; MER_SLOTS], bases: u32) -> u32 = mers_seen_avx2;
        fn pick(bytes: &[u8; 64], keep: u64, to: &mut [Item; 64]) -> usize = pick_avx2;
        fn pack(bases: &[u8; 64]) -> ([u8; 16], u16) = pack_halves_avx2;
        fn items(
            bytes: &[u8; 64], inside: u64, keep: u64, shortest: &Shortest, to: &mut [Item; 64]
        ) -> usize = items_avx2;
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn items_avx2(
    bytes: &[u8; 64],
    inside: u64,
    keep: u64,
    shortest: &Shortest,
    to: &mut [Item; 64],
) -> usize {
    let runs = Runs::find(bytes, inside, keep, shortest);
    let n = pick_avx2(bytes, runs.keep, to);
    runs.write(to);
    n
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_avx2(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: the array has 32 bytes; the load needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// The halves of 64 bytes.
#[inline(always)]
fn halves(bytes: &[u8; 64]) -> [&[u8; 32]; 2] {
    let (halves, _) = bytes.as_chunks::<32>();
    [&halves[0], &halves[1]]
}

#[inline]
#[target_feature(enable = "avx2")]
fn equal_half_avx2(a: &[u8; 32], b: &[u8; 32]) -> u32 {
    _mm256_movemask_epi8(_mm256_cmpeq_epi8(load_avx2(a), load_avx2(b))).cast_unsigned()
}

#[inline]
#[target_feature(enable = "avx2")]
fn equal_avx2(a: &[u8; 64], b: &[u8; 64]) -> u64 {
    let ([a, c], [b, d]) = (halves(a), halves(b));
    u64::from(equal_half_avx2(a, b)) | u64::from(equal_half_avx2(c, d)) << 32
}

#[inline]
#[target_feature(enable = "avx2,bmi1")]
fn letters_avx2(bytes: &[u8; 32]) -> usize {
    let bytes = load_avx2(bytes);
    let lower = _mm256_or_si256(bytes, _mm256_set1_epi8(0x20));
    let letter = _mm256_sub_epi8(lower, _mm256_set1_epi8(b'a'.cast_signed()));
    let digit = _mm256_sub_epi8(bytes, _mm256_set1_epi8(b'0'.cast_signed()));
    let letters = _mm256_cmpeq_epi8(_mm256_min_epu8(letter, _mm256_set1_epi8(25)), letter);
    let digits = _mm256_cmpeq_epi8(_mm256_min_epu8(digit, _mm256_set1_epi8(9)), digit);
    let both = _mm256_movemask_epi8(_mm256_or_si256(letters, digits));
    both.cast_unsigned().trailing_ones() as usize
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn pick_avx2(bytes: &[u8; 64], keep: u64, to: &mut [Item; 64]) -> usize {
    let mut n = 0;
    for (i, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let keep = (keep >> (8 * i) & 255) as usize;
        // At most 56 of the bytes before were kept.
        if let Some(to) = to.get_mut(n..).and_then(<[Item]>::first_chunk_mut::<8>) {
            // SAFETY: the arrays have 8 bytes, and the last one 16.
            unsafe {
                let order = _mm_loadl_epi64(PICKED[keep].as_ptr().cast());
                let picked = _mm_shuffle_epi8(_mm_loadl_epi64(eight.as_ptr().cast()), order);
                _mm_storeu_si128(to.as_mut_ptr().cast(), _mm_cvtepu8_epi16(picked));
            }
        }
        n += keep.count_ones() as usize;
    }
    n
}

#[inline]
#[target_feature(enable = "avx2")]
fn mers_seen_avx2(table: &[u32; MER_SLOTS], bases: u32) -> u32 {
    let mers = _mm_srlv_epi32(_mm_set1_epi32(bases.cast_signed()), _mm_set_epi32(2, 4, 6, 8));
    let hashes = _mm_mullo_epi32(mers, _mm_set1_epi32(MER_HASH.cast_signed()));
    let slots = _mm_and_si128(_mm_srli_epi32::<12>(hashes), _mm_set1_epi32(0xfff));
    // One by one: gathers are slow where the processor's microcode makes them safe.
    let (low, high) = (_mm_cvtsi128_si64(slots) as usize, _mm_extract_epi64::<1>(slots) as usize);
    let found = |slot: usize| table[slot % MER_SLOTS].cast_signed();
    let found = _mm_set_epi32(found(high >> 32), found(high), found(low >> 32), found(low));
    let tags = _mm_and_si128(hashes, _mm_set1_epi32(0xfff));
    let same = _mm_cmpeq_epi32(_mm_srli_epi32::<16>(found), tags);
    _mm_movemask_ps(_mm_castsi128_ps(same)).cast_unsigned()
}

#[inline]
#[target_feature(enable = "avx2")]
fn pack_halves_avx2(bases: &[u8; 64]) -> ([u8; 16], u16) {
    let [low, high] = halves(bases);
    let (low, high) = (pack_avx2(low), pack_avx2(high));
    let packed = u128::from(low.0) | u128::from(high.0) << 64;
    (packed.to_le_bytes(), low.1 | high.1 << 8)
}

/// Half of the bases: their groups, and which are pure.
#[inline]
#[target_feature(enable = "avx2")]
fn pack_avx2(bases: &[u8; 32]) -> (u64, u16) {
    let bases = load_avx2(bases);
    let two_bits = _mm256_and_si256(_mm256_srli_epi16(bases, 1), _mm256_set1_epi8(3));
    // The letter that each of the two bits stand for.
    let letters = _mm256_set1_epi32(i32::from_le_bytes(BASES));
    let same = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(letters, two_bits), bases);
    let pairs = _mm256_maddubs_epi16(two_bits, _mm256_set1_epi16(0x0104));
    let fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x0001_0010));
    // A group is four bytes that are all the same, or not.
    let pure = _mm256_cmpeq_epi32(same, _mm256_set1_epi32(-1));
    let pure = _mm256_movemask_ps(_mm256_castsi256_ps(pure)) as u16;
    // The low byte of each group of its half, then the halves beside each other.
    let order = _mm256_set1_epi32(0x0c08_0400);
    let bytes = _mm256_shuffle_epi8(fours, order);
    let low = _mm256_extract_epi32::<0>(bytes).cast_unsigned();
    let high = _mm256_extract_epi32::<4>(bytes).cast_unsigned();
    (u64::from(low) | u64::from(high) << 32, pure)
}

/// Bits of the first `n` of 32.
#[inline(always)]
fn live(n: usize) -> u32 {
    (1u64 << n.min(32)).wrapping_sub(1) as u32
}

/// The features of [`Avx512`]'s functions.
macro_rules! avx512 {
    ($($item:item)*) => {
        $(
            #[inline]
            #[target_feature(
                enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2"
            )]
            $item
        )*
    };
}

/// Used by the functions of `avx512` only; as [`Avx2`].
struct Avx512;

impl Simd for Avx512 {
    const JOINS: bool = true;

    by_intrinsics! {
        fn equal(a: &[u8; 64], b: &[u8; 64]) -> u64 = equal_avx512;
        fn equal_half(a: &[u8; 32], b: &[u8; 32]) -> u32 = equal_half_avx2;
        fn letters(bytes: &[u8; 32]) -> usize = letters_avx2;
        fn mers_seen(table: &[u32; MER_SLOTS], bases: u32) -> u32 = mers_seen_avx2;
        fn pick(bytes: &[u8; 64], keep: u64, to: &mut [Item; 64]) -> usize = pick_avx512;
        fn join_items(items: &[Item; 32], n: usize, codes: &ItemCodes) -> Option<Joined> =
            join_items_avx512;
        fn join_bases(packed: &[u8; 32], n: usize, codes: &PairCodes) -> Option<Joined> =
            join_bases_avx512;
        fn pack(bases: &[u8; 64]) -> ([u8; 16], u16) = pack_avx512;
        fn items(
            bytes: &[u8; 64], inside: u64, keep: u64, shortest: &Shortest, to: &mut [Item; 64]
        ) -> usize = items_avx512;
    }
}

avx512! {
    /// Joins 32 codes of at most 16 bits four by four; `None` if four have more than 56.
    fn join(codes: __m512i, bits: __m512i) -> Option<Joined> {
        let mut joined = [[0u64; 8]; 2];
        // SAFETY: the arrays have 64 bytes.
        unsafe {
            let low = |all| _mm512_maskz_mov_epi16(0x5555_5555, all);
            let second = _mm512_sllv_epi32(_mm512_srli_epi32::<16>(codes), low(bits));
            let codes = _mm512_or_si512(low(codes), second);
            let bits = _mm512_madd_epi16(bits, _mm512_set1_epi16(1));
            let low = |all| _mm512_maskz_mov_epi32(0x5555, all);
            let second = _mm512_sllv_epi64(_mm512_srli_epi64::<32>(codes), low(bits));
            let codes = _mm512_or_si512(low(codes), second);
            let bits = _mm512_add_epi64(low(bits), _mm512_srli_epi64::<32>(bits));
            if _mm512_cmpgt_epu64_mask(bits, _mm512_set1_epi64(56)) != 0 {
                return None;
            }
            _mm512_storeu_si512(joined[0].as_mut_ptr().cast(), codes);
            _mm512_storeu_si512(joined[1].as_mut_ptr().cast(), bits);
        }
        Some(joined)
    }

    fn equal_avx512(a: &[u8; 64], b: &[u8; 64]) -> u64 {
        // SAFETY: the arrays have 64 bytes.
        unsafe {
            let load = |bytes: &[u8; 64]| _mm512_loadu_si512(bytes.as_ptr().cast());
            _mm512_cmpeq_epi8_mask(load(a), load(b))
        }
    }

    fn pick_avx512(bytes: &[u8; 64], keep: u64, to: &mut [Item; 64]) -> usize {
        let first = (keep as u32).count_ones() as usize;
        let (a, b) = (bytes.as_ptr(), to.as_mut_ptr());
        // SAFETY: the arrays have 64 bytes and 128; of the second half, 64 bytes are written behind at most 32 items.
        unsafe {
            let half = |at: usize, keep: u32| {
                let bytes = _mm256_loadu_si256(a.add(at).cast());
                _mm512_maskz_compress_epi16(keep, _mm512_cvtepu8_epi16(bytes))
            };
            _mm512_storeu_si512(b.cast(), half(0, keep as u32));
            _mm512_storeu_si512(b.add(first).cast(), half(32, (keep >> 32) as u32));
        }
        keep.count_ones() as usize
    }

    fn join_items_avx512(items: &[Item; 32], n: usize, codes: &ItemCodes) -> Option<Joined> {
        let live = live(n);
        // SAFETY: the arrays have 64 bytes or twice that.
        unsafe {
            let load = |from: &[u16], at: usize| _mm512_loadu_si512(from.as_ptr().add(at).cast());
            let items = load(items, 0);
            let among = |first: usize| {
                let from = _mm512_sub_epi16(items, _mm512_set1_epi16(first as i16));
                _mm512_mask_cmplt_epu16_mask(live, from, _mm512_set1_epi16(CODED as i16))
            };
            let (literals, runs) = (among(codes.first), among(RUN));
            if literals | runs != live {
                return None;
            }
            let find = |literal: &[u16; CODED], run: &[u16; CODED]| {
                let found = |mask, table: &[u16; CODED]| {
                    _mm512_maskz_permutex2var_epi16(mask, load(table, 0), items, load(table, 32))
                };
                _mm512_or_si512(found(literals, literal), found(runs, run))
            };
            let bits = find(&codes.literal_bits, &codes.run_bits);
            join(find(&codes.literals, &codes.runs), bits)
        }
    }

    fn join_bases_avx512(packed: &[u8; 32], n: usize, codes: &PairCodes) -> Option<Joined> {
        // SAFETY: the arrays have 32 bytes and 16.
        unsafe {
            let groups = _mm512_cvtepu8_epi16(_mm256_loadu_si256(packed.as_ptr().cast()));
            // The first two bases of each group are above.
            let second = _mm512_and_si512(groups, _mm512_set1_epi16(15));
            let second = _mm512_slli_epi16::<8>(second);
            let pairs = _mm512_or_si512(_mm512_srli_epi16::<4>(groups), second);
            let find = |table: &[u8; 16]| {
                let table = _mm_loadu_si128(table.as_ptr().cast());
                let found = _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), pairs);
                _mm512_maskz_mov_epi16(live(n), found)
            };
            let (codes, bits) = (find(&codes.codes), find(&codes.bits));
            let low = |all| _mm512_and_si512(all, _mm512_set1_epi16(255));
            let shifted = _mm512_sllv_epi16(_mm512_srli_epi16::<8>(codes), low(bits));
            let bits = _mm512_add_epi16(low(bits), _mm512_srli_epi16::<8>(bits));
            join(_mm512_or_si512(low(codes), shifted), bits)
        }
    }

    fn pack_avx512(bases: &[u8; 64]) -> ([u8; 16], u16) {
        let mut packed = [0; 16];
        // SAFETY: the arrays have 64 bytes and 16.
        unsafe {
            let bases = _mm512_loadu_si512(bases.as_ptr().cast());
            let two_bits = _mm512_and_si512(_mm512_srli_epi16::<1>(bases), _mm512_set1_epi8(3));
            // The letter that each of the two bits stand for.
            let letters = _mm512_set1_epi32(i32::from_le_bytes(BASES));
            let expected = _mm512_shuffle_epi8(letters, two_bits);
            let pairs = _mm512_maddubs_epi16(two_bits, _mm512_set1_epi16(0x0104));
            let fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x0001_0010));
            _mm_storeu_si128(packed.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(fours));
            (packed, _mm512_cmpeq_epi32_mask(expected, bases))
        }
    }

    fn items_avx512(
        bytes: &[u8; 64],
        inside: u64,
        keep: u64,
        shortest: &Shortest,
        to: &mut [Item; 64],
    ) -> usize {
        const PLACES: [u8; 64] = {
            let mut places = [0; 64];
            let mut i = 0;
            while i < 64 {
                places[i] = i as u8;
                i += 1;
            }
            places
        };
        let first = inside & !(inside << 1);
        let last = inside & !(inside >> 1);
        // SAFETY: the arrays have 64 bytes and 128; of the second half of the items, 64 bytes are written behind at most 32
        // items.
        unsafe {
            let bytes = _mm512_loadu_si512(bytes.as_ptr().cast());
            let places = _mm512_loadu_si512(PLACES.as_ptr().cast());
            // One byte a run: length, and the limit of its score.
            let from = _mm512_maskz_compress_epi8(first, places);
            let until = _mm512_maskz_compress_epi8(last, places);
            let lengths = _mm512_add_epi8(_mm512_sub_epi8(until, from), _mm512_set1_epi8(1));
            let scores = _mm512_maskz_compress_epi8(first, bytes);
            let limits = _mm512_permutex2var_epi8(
                _mm512_loadu_si512(shortest.as_ptr().cast()),
                scores,
                _mm512_loadu_si512(shortest.as_ptr().add(64).cast()),
            );
            let long = _mm512_cmpge_epu8_mask(lengths, limits);
            // The first and last bytes of the runs to be written as such; as numbers, the difference is all their bytes.
            let (first_of, last_of) = (_pdep_u64(long, first), _pdep_u64(long, last));
            let keep = keep & !((last_of << 1).wrapping_sub(first_of) & !first_of);
            let lengths = _mm512_maskz_expand_epi8(first, lengths);
            let write = |to: *mut Item, bytes, lengths, runs: u32, keep: u32| {
                let literals = _mm512_cvtepu8_epi16(bytes);
                let offset = _mm512_set1_epi16((RUN - MIN_LENGTH) as i16);
                let lengths = _mm512_cvtepu8_epi16(lengths);
                let items = _mm512_mask_add_epi16(literals, runs, lengths, offset);
                _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi16(keep, items));
            };
            let low = |all| _mm512_castsi512_si256(all);
            let high = |all| _mm512_extracti64x4_epi64::<1>(all);
            let to = to.as_mut_ptr();
            write(to, low(bytes), low(lengths), first_of as u32, keep as u32);
            let behind = to.add((keep as u32).count_ones() as usize);
            let (runs, rest) = ((first_of >> 32) as u32, (keep >> 32) as u32);
            write(behind, high(bytes), high(lengths), runs, rest);
            keep.count_ones() as usize
        }
    }
}
