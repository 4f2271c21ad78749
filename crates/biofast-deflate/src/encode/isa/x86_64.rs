//! x86-64 with BMI2 (shifts by any register) and AVX2 or AVX-512 (bytes compared 32 or 64 at a time).
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use biofast_kernels::Isa;

use super::Encode;
use crate::encode::Effort;
use crate::encode::runs::{Bitmap, fill_by};
use crate::encode::tokens::Text;
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

/// The functions of one level, in a module of that name; `$equal` tells which of 64 bytes are the same.
macro_rules! level {
    ($module:ident, $features:literal, $equal:expr) => {
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
                // SAFETY: the CPU has the target features.
                work.encode(text, effort, |text, n, bitmap| unsafe { fill(text, n, bitmap) })
            }

            /// # Safety
            /// The CPU must have the target features.
            #[target_feature(enable = $features)]
            unsafe fn fill(text: &Text, n: usize, bitmap: &mut Bitmap) {
                fill_by(text, n, bitmap, $equal);
            }
        }
    };
}

level!(avx2, "avx2,bmi1,bmi2,lzcnt,popcnt", |a: &[u8; 64], b: &[u8; 64]| {
    // SAFETY: the arrays have 64 bytes, and the function around has the target feature.
    unsafe {
        let load = |bytes: &[u8; 64], at: usize| _mm256_loadu_si256(bytes.as_ptr().add(at).cast());
        let equal = |at| {
            let same = _mm256_cmpeq_epi8(load(a, at), load(b, at));
            u64::from(_mm256_movemask_epi8(same).cast_unsigned())
        };
        equal(0) | equal(32) << 32
    }
});

level!(
    avx512,
    "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512vbmi",
    |a: &[u8; 64], b: &[u8; 64]| {
        // SAFETY: the arrays have 64 bytes, and the function around has the target feature.
        unsafe {
            let load = |bytes: &[u8; 64]| _mm512_loadu_si512(bytes.as_ptr().cast());
            _mm512_cmpeq_epi8_mask(load(a), load(b))
        }
    }
);
