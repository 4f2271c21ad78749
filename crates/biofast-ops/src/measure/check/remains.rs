//! What is known of a part only when the parts around it are.

use super::fault::Warning;
use super::order::Edges;

/// What a reader of records leaves for a [`PartialCheck`](super::PartialCheck) besides the outcome.
#[derive(Default)]
pub(super) struct Remains {
    pub(super) header: Vec<Warning>,
    pub(super) doubts: Vec<Warning>,
    pub(super) order: Option<Edges>,
}
