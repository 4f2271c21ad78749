//! AArch64: NEON, which every CPU of this architecture has.

mod neon;
mod neon_columns;
mod neon_packed;
mod neon_registers;

use crate::Kernels;

pub(crate) fn kernels() -> &'static Kernels {
    &neon::KERNELS
}
