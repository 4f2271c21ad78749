//! Memory maps of files, where the build and the system have them. This is the only place that asks: both faces have the
//! same functions, and without maps [`Map::new`] gives every file back.

#[cfg(all(feature = "mmap", unix))]
mod enabled;
#[cfg(all(feature = "mmap", unix))]
pub use enabled::Map;

#[cfg(not(all(feature = "mmap", unix)))]
mod disabled;
#[cfg(not(all(feature = "mmap", unix)))]
pub use disabled::Map;
