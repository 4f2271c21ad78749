//! AArch64: NEON, which every CPU of this architecture has.

mod neon;
mod neon_columns;
mod neon_packed;

use crate::Kernels;

pub(crate) fn kernels() -> &'static Kernels {
    &neon::KERNELS
}

/// Defines the safe functions that [`Kernels`] points to.
macro_rules! detected {
    ($($name:ident => $kernel:path, ($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        fn $name($($argument: $type),*) $(-> $result)? {
            // SAFETY: every AArch64 CPU that Rust's targets run on has NEON.
            unsafe { $kernel($($argument),*) }
        }
    )*};
}
use detected;
