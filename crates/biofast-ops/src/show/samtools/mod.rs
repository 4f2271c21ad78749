//! The texts of samtools' reports, byte for byte.

pub mod flagstat;
pub mod idxstats;
pub mod stats;
