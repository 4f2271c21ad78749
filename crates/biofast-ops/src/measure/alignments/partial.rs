//! What the report of a part carries so that parts can be joined exactly: the depths that other parts may add to.

use serde::{Deserialize, Serialize};

pub use super::runs::DepthStretches;
use crate::measure::coverage::MateSeam;
use crate::measure::picard::Picard;

/// From the first record of a piece on, the depths of so many positions are kept: blocks of the piece before it may reach
/// there. The longest introns of vertebrates that aligners look for are shorter.
pub const WINDOW: u32 = 1 << 20;

/// What a part belongs to: a file, or a sample with several files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartKind {
    /// Of a file: records that follow each other there, and other parts have what is before and behind them. Depths are
    /// kept of [`WINDOW`] positions at its start, and from the position of its last record on.
    Shard,
    /// Of a sample: a file of its own, sorted. All depths are kept.
    Lane,
}

/// A place on the references: the index of one, from 0, and a position, from 0. Records without a reference, at the end
/// of a file, have −1 for both.
pub type ReferencePosition = (i32, i32);

/// The order of places in a sorted file.
pub(crate) fn rank((reference, position): ReferencePosition) -> u64 {
    // Without a reference comes last: −1 as the largest unsigned number.
    u64::from(reference as u32) << 32 | position.max(0) as u64
}

/// The place with this rank.
pub(crate) fn place(rank: u64) -> ReferencePosition {
    ((rank >> 32) as i32, rank as u32 as i32)
}

/// What a part carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PartialAlignments {
    /// What the part is a part of.
    pub kind: PartKind,
    /// Where the first record lies; `null` without any.
    pub first: Option<ReferencePosition>,
    /// Where the last one lies.
    pub last: Option<ReferencePosition>,
    /// From where (included) to where (excluded) depths are summed up in the coverage and not kept: one stretch of a piece,
    /// several of pieces that were joined.
    pub settled: Vec<(ReferencePosition, ReferencePosition)>,
    /// The depths everywhere else.
    pub depths: Vec<DepthStretches>,
    /// The ends of the pieces of a file that it is made of, in their order: mates that overlap across them count once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seams: Vec<MateSeam>,
    /// The counts of Picard's metrics, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picard: Option<Box<Picard>>,
}

impl PartialAlignments {
    pub(crate) fn new(
        kind: PartKind,
        first: Option<ReferencePosition>,
        last: Option<ReferencePosition>,
        depths: Vec<DepthStretches>,
    ) -> PartialAlignments {
        let settled = match (kind, first, last) {
            (PartKind::Shard, Some(first), Some(last)) => {
                let from = (first.0, kept_until(first));
                Vec::from_iter((rank(from) < rank(last)).then_some((from, last)))
            }
            _ => Vec::new(),
        };
        PartialAlignments { kind, first, last, settled, depths, seams: Vec::new(), picard: None }
    }
}

/// Up to where depths are kept behind the first record.
pub(crate) fn kept_until((_, position): ReferencePosition) -> i32 {
    position.max(0).saturating_add(WINDOW as i32)
}
