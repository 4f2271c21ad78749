//! AArch64 with NEON: bytes compared and items gathered 16 bytes at a time.
#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::picked::PICKED;
use crate::encode::bam::BamWorkspace;
use crate::encode::effort::Effort;
use crate::encode::item::{BASES, Item};
use crate::encode::simd::Simd;
use crate::encode::work::{DeflateWorkspace, Encoded};

pub(super) fn encode(work: &mut DeflateWorkspace, text: &[u8], effort: Effort) -> Option<Encoded> {
    work.encode::<Neon>(text, effort)
}

pub(super) fn encode_bam(work: &mut BamWorkspace, text: &[u8]) -> Option<usize> {
    work.encode::<Neon>(text)
}

/// Part of every AArch64 CPU.
struct Neon;

/// One bit of each byte, all or none of whose bits are set.
#[inline(always)]
fn bits(bytes: [uint8x16_t; 4]) -> u64 {
    const WEIGHTS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    // SAFETY: the array has 16 bytes.
    unsafe {
        let weights = vld1q_u8(WEIGHTS.as_ptr());
        let [a, b, c, d] = bytes.map(|bytes| vandq_u8(bytes, weights));
        let all = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
        vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(all, all)))
    }
}

/// The same of half as many.
#[inline(always)]
fn half_bits([a, b]: [uint8x16_t; 2]) -> u32 {
    bits([a, b, a, b]) as u32
}

impl Simd for Neon {
    #[inline(always)]
    fn equal(a: &[u8; 64], b: &[u8; 64]) -> u64 {
        // SAFETY: the arrays have 64 bytes.
        let equal = |at: usize| unsafe {
            vceqq_u8(vld1q_u8(a.as_ptr().add(at)), vld1q_u8(b.as_ptr().add(at)))
        };
        bits([equal(0), equal(16), equal(32), equal(48)])
    }

    #[inline(always)]
    fn equal_half(a: &[u8; 32], b: &[u8; 32]) -> u32 {
        // SAFETY: the arrays have 32 bytes.
        let equal = |at: usize| unsafe {
            vceqq_u8(vld1q_u8(a.as_ptr().add(at)), vld1q_u8(b.as_ptr().add(at)))
        };
        half_bits([equal(0), equal(16)])
    }

    #[inline(always)]
    fn letters(bytes: &[u8; 32]) -> usize {
        // SAFETY: the array has 32 bytes.
        let named = |at: usize| unsafe {
            let bytes = vld1q_u8(bytes.as_ptr().add(at));
            let letter = vsubq_u8(vorrq_u8(bytes, vdupq_n_u8(0x20)), vdupq_n_u8(b'a'));
            let digit = vsubq_u8(bytes, vdupq_n_u8(b'0'));
            vorrq_u8(vcleq_u8(letter, vdupq_n_u8(25)), vcleq_u8(digit, vdupq_n_u8(9)))
        };
        half_bits([named(0), named(16)]).trailing_ones() as usize
    }

    #[inline(always)]
    fn pack(bases: &[u8; 64]) -> ([u8; 16], u16) {
        const LETTERS: [u8; 16] = {
            let mut letters = [0; 16];
            let mut i = 0;
            while i < 4 {
                letters[i] = BASES[i];
                i += 1;
            }
            letters
        };
        let mut packed = [0; 16];
        // SAFETY: the arrays have 64 bytes and 16.
        unsafe {
            // The first bases of all groups, the second ones, and so on.
            let all = vld4q_u8(bases.as_ptr());
            let letters = vld1q_u8(LETTERS.as_ptr());
            let two_bits = |bases| vandq_u8(vshrq_n_u8::<1>(bases), vdupq_n_u8(3));
            let same = |bases| vceqq_u8(vqtbl1q_u8(letters, two_bits(bases)), bases);
            let first = vsliq_n_u8::<2>(two_bits(all.1), two_bits(all.0));
            let second = vsliq_n_u8::<2>(two_bits(all.3), two_bits(all.2));
            vst1q_u8(packed.as_mut_ptr(), vsliq_n_u8::<4>(second, first));
            let left = vandq_u8(same(all.0), same(all.1));
            let right = vandq_u8(same(all.2), same(all.3));
            (packed, bits([vandq_u8(left, right); 4]) as u16)
        }
    }

    #[inline(always)]
    fn pick(bytes: &[u8; 64], keep: u64, to: &mut [Item; 64]) -> usize {
        let mut n = 0;
        for (i, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
            let keep = (keep >> (8 * i) & 255) as usize;
            // At most 56 of the bytes before were kept.
            if let Some(to) = to.get_mut(n..).and_then(<[Item]>::first_chunk_mut::<8>) {
                // SAFETY: the arrays have 8 bytes, and the last one 16.
                unsafe {
                    let order = vld1_u8(PICKED[keep].as_ptr());
                    let picked = vtbl1_u8(vld1_u8(eight.as_ptr()), order);
                    vst1q_u16(to.as_mut_ptr(), vmovl_u8(picked));
                }
            }
            n += keep.count_ones() as usize;
        }
        n
    }
}
