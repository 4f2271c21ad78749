//! The reverse complement of upper-case A, C, G and T with byte shuffles, by instruction set: compilers don't find them.
#![allow(unsafe_code)]

/// Writes the reverse complement of `bases` to `out`, which is as long.
pub(super) type ReverseComplement = fn(&[u8], &mut [u8]);

/// The function for an instruction set, if this CPU has it.
pub(super) fn for_isa(isa: &str) -> Option<ReverseComplement> {
    super::kernel::kernels(isa)?;
    match isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the library's kernels are there only if the CPU has AVX2.
        "avx2" => Some(|bases, out| unsafe { x86_64::reverse_complement(bases, out) }),
        #[cfg(target_arch = "aarch64")]
        "neon" => Some(aarch64::reverse_complement),
        _ => None,
    }
}

/// The fastest there is; plain code where there is none.
pub(super) fn fastest() -> ReverseComplement {
    for_isa("avx2").or_else(|| for_isa("neon")).unwrap_or(by_byte)
}

/// The complement at the low four bits of a letter, which tell A, C, G and T apart.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const COMPLEMENT: [u8; 16] = {
    let mut table = [b'N'; 16];
    let mut i = 0;
    while i < 4 {
        table[(b"ACGT"[i] & 15) as usize] = b"TGCA"[i];
        i += 1;
    }
    table
};

/// Sequences shorter than a vector.
fn by_byte(bases: &[u8], out: &mut [u8]) {
    for (base, out) in bases.iter().rev().zip(out) {
        *out = base ^ if base & 2 == 0 { 0x15 } else { 4 };
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::x86_64::*;

    const WIDTH: usize = 32;

    /// AVX2: 32 bases at a time; the last, incomplete block overlaps the one before.
    #[target_feature(enable = "avx2")]
    pub(super) fn reverse_complement(bases: &[u8], out: &mut [u8]) {
        let len = bases.len().min(out.len());
        if len < WIDTH {
            return super::by_byte(&bases[..len], &mut out[..len]);
        }
        // SAFETY: the table has 16 bytes, and an unaligned load has no other condition.
        let table = unsafe { _mm_loadu_si128(super::COMPLEMENT.as_ptr().cast()) };
        let table = _mm256_broadcastsi128_si256(table);
        let reverse = _mm256_broadcastsi128_si256(_mm_set_epi8(
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        ));
        let low = _mm256_set1_epi8(15);
        let mut block = |at: usize| {
            let from = &bases[len - at - WIDTH..][..WIDTH];
            // SAFETY: `from` has 32 bytes.
            let letters = unsafe { _mm256_loadu_si256(from.as_ptr().cast()) };
            let complement = _mm256_shuffle_epi8(table, _mm256_and_si256(letters, low));
            let halves = _mm256_shuffle_epi8(complement, reverse);
            let to = &mut out[at..][..WIDTH];
            // SAFETY: `to` has 32 bytes.
            unsafe {
                _mm256_storeu_si256(
                    to.as_mut_ptr().cast(),
                    _mm256_permute4x64_epi64::<0x4e>(halves),
                );
            }
        };
        let mut at = 0;
        while at + WIDTH <= len {
            block(at);
            at += WIDTH;
        }
        if at < len {
            block(len - WIDTH);
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod aarch64 {
    use std::arch::aarch64::*;

    const WIDTH: usize = 16;

    /// NEON: 16 bases at a time; the last, incomplete block overlaps the one before.
    pub(super) fn reverse_complement(bases: &[u8], out: &mut [u8]) {
        let len = bases.len().min(out.len());
        if len < WIDTH {
            return super::by_byte(&bases[..len], &mut out[..len]);
        }
        let mut block = |at: usize| {
            let from = &bases[len - at - WIDTH..][..WIDTH];
            let to = &mut out[at..][..WIDTH];
            // SAFETY: NEON is part of every AArch64 CPU; the table, `from` and `to` have 16 bytes each.
            unsafe {
                let table = vld1q_u8(super::COMPLEMENT.as_ptr());
                let letters = vandq_u8(vld1q_u8(from.as_ptr()), vdupq_n_u8(15));
                let halves = vrev64q_u8(vqtbl1q_u8(table, letters));
                vst1q_u8(to.as_mut_ptr(), vextq_u8::<8>(halves, halves));
            }
        };
        let mut at = 0;
        while at + WIDTH <= len {
            block(at);
            at += WIDTH;
        }
        if at < len {
            block(len - WIDTH);
        }
    }
}
