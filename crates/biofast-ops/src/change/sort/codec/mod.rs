//! What makes temporary files small: zstd, where the build has it. This is the only place that asks: both faces have the
//! same functions, and both notice bytes that aren't what was written.

#[cfg(feature = "zstd")]
mod enabled;
#[cfg(feature = "zstd")]
pub(super) use enabled::{Compressor, Decompressor};

#[cfg(not(feature = "zstd"))]
mod disabled;
#[cfg(not(feature = "zstd"))]
pub(super) use disabled::{Compressor, Decompressor};
