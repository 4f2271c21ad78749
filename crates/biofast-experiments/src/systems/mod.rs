//! Systems that experiments are about and the toolkit doesn't use: small, correct, tested on their own.

pub(crate) mod kmer_table;
pub(crate) mod lz_diff;
pub(crate) mod segments;
pub(crate) mod zstd_context;
