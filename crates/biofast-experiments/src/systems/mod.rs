//! Systems that experiments are about and the toolkit doesn't use: small, correct, tested on their own.

pub(crate) mod adaptive;
pub(crate) mod advised_map;
pub mod allocator;
pub(crate) mod cdb64;
pub(crate) mod cgroup;
pub(crate) mod edit_distance;
pub(crate) mod kmer_table;
pub(crate) mod learned;
pub(crate) mod lz_diff;
pub(crate) mod metadata;
pub(crate) mod peers;
pub(crate) mod process_io;
pub(crate) mod segments;
pub(crate) mod shard_model;
pub(crate) mod store;
pub(crate) mod uring;
pub(crate) mod vectored;
pub(crate) mod windows;
pub(crate) mod write_map;
pub(crate) mod zstd_context;
