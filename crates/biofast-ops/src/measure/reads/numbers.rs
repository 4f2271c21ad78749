//! Numbers as a report writes them, and what is wrong with those that it has.

use biofast_kernels::PHRED_VALUES;

/// Why a report can't be read back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidReport {
    /// Not a report of statistics.
    #[error("expected the schema \"{SCHEMA}\", found \"{0}\"")]
    Schema(String),
    /// A later version.
    #[error("the report has schema version {0}; this biofast reads version {SCHEMA_VERSION}")]
    Version(u32),
    /// Counts that contradict each other.
    #[error("the report contradicts itself: {0}")]
    Inconsistent(&'static str),
}

/// A float that JSON shows with at most six decimals, the same on every platform.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// The counts that aren't 0, with their index.
pub(super) fn sparse(counts: &[u64]) -> Vec<(u8, u64)> {
    (0u8..).zip(counts).filter(|&(_, &n)| n > 0).map(|(phred, &n)| (phred, n)).collect()
}

/// The counts of which [`sparse`] made this.
pub(super) fn dense(sparse: &[(u8, u64)]) -> Result<[u64; PHRED_VALUES], InvalidReport> {
    let mut counts = [0u64; PHRED_VALUES];
    for &(phred, n) in sparse {
        let count = counts
            .get_mut(usize::from(phred))
            .ok_or(InvalidReport::Inconsistent("a Phred value above 93"))?;
        if *count != 0 {
            return Err(InvalidReport::Inconsistent("a Phred value counted twice"));
        }
        *count = n;
    }
    Ok(counts)
}

/// The `schema` of a report.
pub const SCHEMA: &str = "biofast.stats";

/// The `schema_version` of a report. Fields may be added within a version; a field that
/// changes its meaning or goes away raises it.
pub const SCHEMA_VERSION: u32 = 1;
