//! The laboratory behind biofast: seeded datasets, experiments, limits of the machine and whole-program
//! benchmarks.
//!
//! The binary `biofast-lab` is a thin command line over these modules.

pub mod allocator;
pub mod bam_regions;
pub mod bench;
pub mod block_types;
pub mod cycles;
pub mod datasets;
pub mod deflate;
mod entries;
pub mod lab;
pub mod limit;
mod rng;
pub mod systems;
