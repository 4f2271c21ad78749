//! CRC-32 by PMULL, four times 16 bytes at a time.
#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::fold::factors;
use super::scalar::{self, Update};

/// `None` where the CPU doesn't have it.
pub(super) fn update() -> Option<Update> {
    // SAFETY: the CPU has the target features; PMULL comes with AES.
    std::arch::is_aarch64_feature_detected!("aes")
        .then_some(|register, bytes| unsafe { update_pmull(register, bytes) })
}

/// # Safety
/// The CPU must have the target features.
#[target_feature(enable = "neon,aes")]
unsafe fn update_pmull(register: u32, bytes: &[u8]) -> u32 {
    let (stripes, rest) = bytes.as_chunks::<64>();
    let Some((first, stripes)) = stripes.split_first() else {
        return scalar::update(register, bytes);
    };
    let mut sums = load_stripe(first);
    sums[0] = veorq_u64(sums[0], vcombine_u64(vcreate_u64(u64::from(register)), vcreate_u64(0)));
    for stripe in stripes {
        let next = load_stripe(stripe);
        for (sum, next) in sums.iter_mut().zip(next) {
            *sum = fold(*sum, const { factors(512) }, next);
        }
    }
    let by_one = const { factors(128) };
    let [a, b, c, d] = sums;
    let sum = fold(fold(fold(a, by_one, b), by_one, c), by_one, d);
    let mut last = [0; 16];
    last[..8].copy_from_slice(&vgetq_lane_u64::<0>(sum).to_le_bytes());
    last[8..].copy_from_slice(&vgetq_lane_u64::<1>(sum).to_le_bytes());
    scalar::update(scalar::update(0, &last), rest)
}

/// Moves `sum` by the distance of `factors` and adds `next`.
#[inline]
#[target_feature(enable = "neon,aes")]
fn fold(sum: uint64x2_t, factors: [u64; 2], next: uint64x2_t) -> uint64x2_t {
    let first = vreinterpretq_u64_p128(vmull_p64(vgetq_lane_u64::<0>(sum), factors[0]));
    let last = vreinterpretq_u64_p128(vmull_p64(vgetq_lane_u64::<1>(sum), factors[1]));
    veorq_u64(veorq_u64(first, last), next)
}

#[inline]
#[target_feature(enable = "neon")]
fn load_stripe(stripe: &[u8; 64]) -> [uint64x2_t; 4] {
    // SAFETY: any 64 bytes are valid for either type.
    unsafe { std::mem::transmute(*stripe) }
}
