//! AArch64: NEON, which every CPU of this architecture has.

mod neon;
mod neon_columns;

pub(crate) fn kernels() -> &'static crate::Kernels {
    &neon::KERNELS
}
