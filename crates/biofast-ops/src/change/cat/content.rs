//! What files hold that are concatenated or salvaged.

use serde::Serialize;

/// What is in the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CatContent {
    /// Alignments, in BAM.
    Bam,
    /// Reads.
    Fastq,
}
