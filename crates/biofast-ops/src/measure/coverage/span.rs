//! What the depth needs to know of a record, and of records of one reference that stand together.

/// What a record is to its mate, as far as they may overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MateRole {
    /// Mates don't matter.
    None,
    /// The mate starts later, on what this one covers.
    First,
    /// Both start together.
    Together,
    /// The mate may have come already.
    Other,
    /// Where records of a name count behind each other: one that the next one of its name may overlap …
    Opens,
    /// … and one that it can't.
    Closes,
}

/// A counted record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordSpan {
    /// Where it starts and ends, within the reference.
    pub(super) start: u32,
    pub(super) end: u32,
    /// How many of the blocks of the batch are its own.
    pub(super) blocks: u32,
    pub(super) role: MateRole,
    /// The position of its mate.
    pub(super) mate: i32,
    /// Whether it is aligned in one piece, without clipping.
    pub(super) is_single: bool,
    /// The hash of its name, where there is a role.
    pub(super) key: u128,
}

/// Records of one reference that stand together.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpanGroup {
    /// None is the largest number.
    pub(super) reference: u32,
    /// The positions of the first and the last one.
    pub(super) first: i32,
    pub(super) last: i32,
    /// The number of the first one, from 0.
    pub(super) record: u64,
    /// Whether any lies on the reference, counted or not.
    pub(super) has_inside: bool,
    /// How many are counted.
    pub(super) spans: usize,
    /// How many of the blocks of the batch and the its extents are its own, if depths were found.
    pub(super) blocks: usize,
    pub(super) extents: usize,
}

/// Reference, none as the largest number, and position.
pub(super) type SpanPosition = (u32, i32);
