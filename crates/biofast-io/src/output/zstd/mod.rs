//! zstd frames of an output, where the build has them. This is the only place that asks: both faces have the same functions.

#[cfg(feature = "zstd")]
mod enabled;
#[cfg(feature = "zstd")]
pub(super) use enabled::ZstdCompressor;

#[cfg(not(feature = "zstd"))]
mod disabled;
#[cfg(not(feature = "zstd"))]
pub(super) use disabled::ZstdCompressor;
