//! CRC-32 by PCLMULQDQ: 16 bytes a multiplication, or 64 with AVX-512 and VPCLMULQDQ.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use biofast_kernels::Isa;

use super::fold::factors;
use super::scalar::{self, Update};

/// The fastest of this CPU up to `isa`.
pub(super) fn update(isa: Isa) -> Option<Update> {
    let narrow = is_x86_feature_detected!("pclmulqdq") && is_x86_feature_detected!("sse2");
    let wide = narrow
        && is_x86_feature_detected!("vpclmulqdq")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl");
    if isa == Isa::Avx512 && wide {
        // SAFETY: the CPU has the target features.
        return Some(|register, bytes| unsafe { update_wide(register, bytes) });
    }
    // SAFETY: the CPU has the target features.
    narrow.then_some(|register, bytes| unsafe { update_narrow(register, bytes) })
}

/// # Safety
/// The CPU must have the target features.
#[target_feature(enable = "sse2,pclmulqdq")]
unsafe fn update_narrow(register: u32, bytes: &[u8]) -> u32 {
    let (stripes, rest) = bytes.as_chunks::<64>();
    let Some((first, stripes)) = stripes.split_first() else {
        return scalar::update(register, bytes);
    };
    let mut sums = load_stripe(first);
    sums[0] = _mm_xor_si128(sums[0], _mm_cvtsi32_si128(register as i32));
    let by_stripe = pair(const { factors(512) });
    for stripe in stripes {
        let next = load_stripe(stripe);
        for (sum, next) in sums.iter_mut().zip(next) {
            *sum = fold(*sum, by_stripe, next);
        }
    }
    let sum = join(sums);
    scalar::update(scalar::update(0, &to_bytes(sum)), rest)
}

/// # Safety
/// The CPU must have the target features.
#[target_feature(enable = "sse2,pclmulqdq,avx512f,avx512vl,vpclmulqdq")]
unsafe fn update_wide(register: u32, bytes: &[u8]) -> u32 {
    let (stripes, rest) = bytes.as_chunks::<256>();
    let Some((first, stripes)) = stripes.split_first() else {
        // SAFETY: the target features are a part of this function's.
        return unsafe { update_narrow(register, bytes) };
    };
    let mut sums = load_wide_stripe(first);
    let start = _mm512_zextsi128_si512(_mm_cvtsi32_si128(register as i32));
    sums[0] = _mm512_xor_si512(sums[0], start);
    let by_stripe = _mm512_broadcast_i32x4(pair(const { factors(2048) }));
    for stripe in stripes {
        let next = load_wide_stripe(stripe);
        for (sum, next) in sums.iter_mut().zip(next) {
            *sum = fold_wide(*sum, by_stripe, next);
        }
    }
    let by_vector = _mm512_broadcast_i32x4(pair(const { factors(512) }));
    let [a, b, c, d] = sums;
    let ab = fold_wide(a, by_vector, b);
    let abc = fold_wide(ab, by_vector, c);
    let sum = fold_wide(abc, by_vector, d);
    let sum = join([
        _mm512_extracti32x4_epi32::<0>(sum),
        _mm512_extracti32x4_epi32::<1>(sum),
        _mm512_extracti32x4_epi32::<2>(sum),
        _mm512_extracti32x4_epi32::<3>(sum),
    ]);
    let register = scalar::update(0, &to_bytes(sum));
    // SAFETY: the target features are a part of this function's.
    unsafe { update_narrow(register, rest) }
}

/// Moves `sum` by the distance of `factors` and adds `next`.
#[inline]
#[target_feature(enable = "sse2,pclmulqdq")]
fn fold(sum: __m128i, factors: __m128i, next: __m128i) -> __m128i {
    let first = _mm_clmulepi64_si128::<0x00>(sum, factors);
    let last = _mm_clmulepi64_si128::<0x11>(sum, factors);
    _mm_xor_si128(_mm_xor_si128(first, last), next)
}

/// The same in each quarter.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
fn fold_wide(sum: __m512i, factors: __m512i, next: __m512i) -> __m512i {
    let first = _mm512_clmulepi64_epi128::<0x00>(sum, factors);
    let last = _mm512_clmulepi64_epi128::<0x11>(sum, factors);
    // 0x96: the exclusive or of three.
    _mm512_ternarylogic_epi64::<0x96>(first, last, next)
}

/// Four neighbours to one.
#[inline]
#[target_feature(enable = "sse2,pclmulqdq")]
fn join([a, b, c, d]: [__m128i; 4]) -> __m128i {
    let by_one = pair(const { factors(128) });
    fold(fold(fold(a, by_one, b), by_one, c), by_one, d)
}

#[inline]
#[target_feature(enable = "sse2")]
fn pair([first, last]: [u64; 2]) -> __m128i {
    _mm_set_epi64x(last as i64, first as i64)
}

#[inline]
#[target_feature(enable = "sse2")]
fn to_bytes(sum: __m128i) -> [u8; 16] {
    // SAFETY: any 16 bytes are valid for either type.
    unsafe { std::mem::transmute(sum) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn load_stripe(stripe: &[u8; 64]) -> [__m128i; 4] {
    // SAFETY: any 64 bytes are valid for either type.
    unsafe { std::mem::transmute(*stripe) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_wide_stripe(stripe: &[u8; 256]) -> [__m512i; 4] {
    // SAFETY: any 256 bytes are valid for either type.
    unsafe { std::mem::transmute(*stripe) }
}
