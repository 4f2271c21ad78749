//! AArch64 with NEON: bytes compared and items gathered 16 bytes at a time.
#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::PICKED;
use crate::encode::Effort;
use crate::encode::simd::Simd;
use crate::encode::tokens::Item;
use crate::encode::work::Work;

pub(super) fn encode(work: &mut Work, text: &[u8], effort: Effort) -> Option<usize> {
    work.encode::<Neon>(text, effort)
}

/// Part of every AArch64 CPU.
struct Neon;

impl Simd for Neon {
    #[inline(always)]
    fn equal(a: &[u8; 64], b: &[u8; 64]) -> u64 {
        const WEIGHTS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        // SAFETY: the arrays have 64 bytes and 16.
        unsafe {
            let weights = vld1q_u8(WEIGHTS.as_ptr());
            let equal = |at: usize| {
                let same = vceqq_u8(vld1q_u8(a.as_ptr().add(at)), vld1q_u8(b.as_ptr().add(at)));
                vandq_u8(same, weights)
            };
            let first = vpaddq_u8(equal(0), equal(16));
            let all = vpaddq_u8(first, vpaddq_u8(equal(32), equal(48)));
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(all, all)))
        }
    }

    #[inline(always)]
    fn pick(items: &[Item; 64], keep: u64, to: &mut [Item; 64]) -> usize {
        let mut n = 0;
        for (i, eight) in items.as_chunks::<8>().0.iter().enumerate() {
            let keep = (keep >> (8 * i) & 255) as usize;
            // At most 56 of the items before were kept.
            if let Some(to) = to.get_mut(n..).and_then(<[Item]>::first_chunk_mut::<8>) {
                // SAFETY: the arrays have 16 bytes.
                unsafe {
                    let order = vld1q_u8(PICKED[keep].as_ptr());
                    let picked = vqtbl1q_u8(vld1q_u8(eight.as_ptr().cast()), order);
                    vst1q_u8(to.as_mut_ptr().cast(), picked);
                }
            }
            n += keep.count_ones() as usize;
        }
        n
    }
}
