//! The decoder compiled for each instruction set, and which one is used.

use biofast_kernels::Isa;

use crate::workspace::Inflate;

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use crate::stream::decoder::Advance;
pub(crate) use portable::Portable;

/// The decoder for `isa`, which the CPU must have: pass only what `biofast_kernels` says is available. With `MAPPED`, blocks come
/// with maps.
pub(crate) fn inflate_for<const MAPPED: bool>(isa: Isa) -> Inflate {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 | Isa::Avx512 => x86_64::inflate::<MAPPED>(isa),
        _ => portable::inflate::<MAPPED>,
    }
}

/// The streaming decoder for `isa`, which the CPU must have; its symbols have `W` bytes.
pub(crate) fn advance_for<const W: usize>(isa: Isa) -> Advance {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 | Isa::Avx512 => x86_64::advance::<W>(isa),
        _ => portable::advance::<W>,
    }
}

/// Whether this decoder beats libdeflate with the instruction set in use: on x86-64 it takes BMI2, on AArch64 nothing
/// beyond the base.
pub fn is_profitable() -> bool {
    biofast_kernels::active() != Isa::Scalar
}
