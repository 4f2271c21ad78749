//! Statistics of alignments.

pub(crate) mod basics;
pub(crate) mod depth;
pub(crate) mod in_order;
pub(crate) mod waiting;
