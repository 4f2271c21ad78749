//! bzip2 streams of an output, where the build has them. This is the only place that asks: both faces have the same functions.

#[cfg(feature = "bzip2")]
mod enabled;
#[cfg(feature = "bzip2")]
pub(super) use enabled::Bzip2Compressor;

#[cfg(not(feature = "bzip2"))]
mod disabled;
#[cfg(not(feature = "bzip2"))]
pub(super) use disabled::Bzip2Compressor;
