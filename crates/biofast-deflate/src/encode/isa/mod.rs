//! The encoder compiled for each instruction set, and which one is used.

use biofast_kernels::Isa;

use super::bam::{BamWorkspace, EncodeBam};
use super::effort::Effort;
use super::simd::Portable;
use super::work::{DeflateWorkspace, Encode, Encoded};

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod picked;
#[cfg(target_arch = "x86_64")]
mod x86_64;

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

/// The same for BAM.
pub(super) fn encode_bam_for(isa: Isa) -> EncodeBam {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 | Isa::Avx512 => x86_64::encode_bam(isa),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => aarch64::encode_bam,
        _ => BamWorkspace::encode::<Portable>,
    }
}

fn encode_portable(work: &mut DeflateWorkspace, text: &[u8], effort: Effort) -> Option<Encoded> {
    work.encode::<Portable>(text, effort)
}
