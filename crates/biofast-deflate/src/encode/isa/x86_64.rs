//! x86-64 with BMI2 (shifts by any register) and AVX2 or AVX-512 (bytes compared 32 or 64 at a time).
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use biofast_kernels::Isa;

use super::{Encode, PICKED};
use crate::encode::Effort;
use crate::encode::simd::Simd;
use crate::encode::tokens::Item;
use crate::encode::work::Work;

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

/// The function of one level, in a module of that name.
macro_rules! level {
    ($module:ident, $features:literal, $simd:ty) => {
        mod $module {
            use super::*;

            /// # Safety
            /// The CPU must have the target features.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn encode(
                work: &mut Work,
                text: &[u8],
                effort: Effort,
            ) -> Option<usize> {
                work.encode::<$simd>(text, effort)
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

/// Used by `avx2::encode` only.
struct Avx2;

impl Simd for Avx2 {
    #[inline(always)]
    fn equal(a: &[u8; 64], b: &[u8; 64]) -> u64 {
        // SAFETY: the arrays have 64 bytes, and the function that this is inlined into has the target feature.
        unsafe {
            let load =
                |bytes: &[u8; 64], at: usize| _mm256_loadu_si256(bytes.as_ptr().add(at).cast());
            let equal = |at| {
                let same = _mm256_cmpeq_epi8(load(a, at), load(b, at));
                u64::from(_mm256_movemask_epi8(same).cast_unsigned())
            };
            equal(0) | equal(32) << 32
        }
    }

    #[inline(always)]
    fn pick(items: &[Item; 64], keep: u64, to: &mut [Item; 64]) -> usize {
        let mut n = 0;
        for (i, eight) in items.as_chunks::<8>().0.iter().enumerate() {
            let keep = (keep >> (8 * i) & 255) as usize;
            // At most 56 of the items before were kept.
            if let Some(to) = to.get_mut(n..).and_then(<[Item]>::first_chunk_mut::<8>) {
                // SAFETY: the arrays have 16 bytes, and the function that this is inlined into has the target feature.
                unsafe {
                    let order = _mm_loadu_si128(PICKED[keep].as_ptr().cast());
                    let picked = _mm_shuffle_epi8(_mm_loadu_si128(eight.as_ptr().cast()), order);
                    _mm_storeu_si128(to.as_mut_ptr().cast(), picked);
                }
            }
            n += keep.count_ones() as usize;
        }
        n
    }
}

/// Used by `avx512::encode` only.
struct Avx512;

impl Simd for Avx512 {
    #[inline(always)]
    fn equal(a: &[u8; 64], b: &[u8; 64]) -> u64 {
        // SAFETY: the arrays have 64 bytes, and the function that this is inlined into has the target feature.
        unsafe {
            let load = |bytes: &[u8; 64]| _mm512_loadu_si512(bytes.as_ptr().cast());
            _mm512_cmpeq_epi8_mask(load(a), load(b))
        }
    }

    #[inline(always)]
    fn pick(items: &[Item; 64], keep: u64, to: &mut [Item; 64]) -> usize {
        let first = (keep as u32).count_ones() as usize;
        let (a, b) = (items.as_ptr(), to.as_mut_ptr());
        // SAFETY: the arrays have 128 bytes; of the second half, 64 bytes are written behind at most 32 items. The function
        // that this is inlined into has the target features.
        unsafe {
            let half = |at: usize, keep: u32| {
                _mm512_maskz_compress_epi16(keep, _mm512_loadu_si512(a.add(at).cast()))
            };
            _mm512_storeu_si512(b.cast(), half(0, keep as u32));
            _mm512_storeu_si512(b.add(first).cast(), half(32, (keep >> 32) as u32));
        }
        keep.count_ones() as usize
    }
}
