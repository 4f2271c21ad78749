//! The laboratory behind biofast: seeded datasets, limits of the machine and whole-program benchmarks.
//!
//! The binary `biofast-lab` is a thin command line over these modules.

pub mod bench;
pub mod datasets;
pub mod deflate;
pub mod limit;
mod rng;
