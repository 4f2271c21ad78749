//! The encoder compiled for each instruction set, and which one is used.

use biofast_kernels::Isa;

use super::Effort;
use super::simd::Portable;
use super::work::{Encoded, Work};

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

/// Deflates a text with the given working memory; see [`Work::encode`].
pub(super) type Encode = fn(&mut Work, &[u8], Effort) -> Option<Encoded>;

/// The encoder for `isa`, which the CPU must have: pass only what `biofast_kernels` says is available.
pub(super) fn encode_for(isa: Isa) -> Encode {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 | Isa::Avx512 => x86_64::encode(isa),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => aarch64::encode,
        _ => encode_portable,
    }
}

fn encode_portable(work: &mut Work, text: &[u8], effort: Effort) -> Option<Encoded> {
    work.encode::<Portable>(text, effort)
}

/// Where the bytes are that eight bits keep.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
static PICKED: [[u8; 8]; 256] = {
    let mut orders = [[0; 8]; 256];
    let mut keep = 0;
    while keep < 256 {
        let (mut byte, mut n) = (0, 0);
        while byte < 8 {
            if keep >> byte & 1 == 1 {
                orders[keep][n] = byte as u8;
                n += 1;
            }
            byte += 1;
        }
        keep += 1;
    }
    orders
};
