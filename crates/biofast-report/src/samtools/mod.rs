//! The texts of samtools' reports, byte for byte.

pub mod checksum;
pub mod coverage;
pub mod depth;
pub mod flagstat;
pub mod idxstats;
pub mod stats;
