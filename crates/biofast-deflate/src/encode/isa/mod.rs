//! The encoder compiled for each instruction set, and which one is used.

use biofast_kernels::Isa;

use super::Effort;
use super::simd::Portable;
use super::work::Work;

#[cfg(target_arch = "x86_64")]
mod x86_64;

/// Deflates a text with the given working memory; see [`Work::encode`].
pub(super) type Encode = fn(&mut Work, &[u8], Effort) -> Option<usize>;

/// The encoder for `isa`, which the CPU must have: pass only what `biofast_kernels` says is available.
pub(super) fn encode_for(isa: Isa) -> Encode {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 | Isa::Avx512 => x86_64::encode(isa),
        _ => encode_portable,
    }
}

fn encode_portable(work: &mut Work, text: &[u8], effort: Effort) -> Option<usize> {
    work.encode::<Portable>(text, effort)
}
