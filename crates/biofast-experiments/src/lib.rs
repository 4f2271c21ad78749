//! The laboratory behind biofast: seeded datasets, experiments, limits of the machine and whole-program
//! benchmarks.
//!
//! The binary `biofast-lab` is a thin command line over these modules. Each knows of those before it only:
//! datasets and limits, systems, core, entries, accuracy, bench and cycles, notebook.

pub mod accuracy;
pub mod bench;
mod core;
pub mod cycles;
pub mod datasets;
mod entries;
mod files;
pub mod limits;
pub mod notebook;
mod rng;
pub mod systems;
