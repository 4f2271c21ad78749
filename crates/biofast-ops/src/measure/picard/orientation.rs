//! How the reads of a pair lie to each other, as htsjdk sees it.

use biofast_bam::{Record, flag};

/// How the reads of a pair point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Orientation {
    /// To each other.
    Fr = 0,
    /// From each other.
    Rf = 1,
    /// In the same direction.
    Tandem = 2,
}

/// The number of [`Orientation`]s.
pub(crate) const ORIENTATIONS: usize = 3;

/// The orientation of a pair of which both reads are aligned, as one of its records tells it: which 5' end lies before
/// the other. A read on the forward strand takes that of its mate from TLEN, one on the reverse strand its own from CIGAR.
pub(crate) fn of(record: &Record<'_>) -> Orientation {
    let flags = record.flags();
    let reverse = flags & flag::REVERSE != 0;
    if reverse == (flags & flag::MATE_REVERSE != 0) {
        return Orientation::Tandem;
    }
    let is_inward = match reverse {
        true => {
            let last = i64::from(record.position()) + record.cigar().reference_len() as i64;
            i64::from(record.mate_position()) + 1 < last
        }
        false => record.template_len() > 0,
    };
    if is_inward { Orientation::Fr } else { Orientation::Rf }
}
