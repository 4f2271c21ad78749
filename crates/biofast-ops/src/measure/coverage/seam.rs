//! Mates that overlap across the ends of a file's parts.

use serde::{Deserialize, Serialize};

use super::edge::{EdgeMate, Event};
use super::mates::PendingMates;

/// The ends of a part of a file: mates that may overlap others of the parts before and behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MateSeam {
    /// The place of the last record.
    pub(crate) last: (i32, i32),
    /// The reference of the first counted record, and records whose mates may be in the parts before.
    pub(super) head: Option<(u32, Vec<Event>)>,
    /// Mates that wait for one behind the part.
    pub(super) tail: Vec<EdgeMate>,
}

/// Goes over the parts of a file in their order, and finds the mates that overlap across their ends.
#[derive(Default)]
pub(crate) struct Seams {
    mates: PendingMates,
    /// The reference of the mates that wait.
    reference: Option<u32>,
}

impl Seams {
    /// Goes over the next part. Corrections of the depth go to `step`: reference, position, and by how much it changes there.
    pub(crate) fn add(&mut self, seam: &MateSeam, mut step: impl FnMut(u32, u64, i32)) {
        if let Some((reference, events)) = &seam.head {
            self.go_to(*reference);
            self.mates.enter(events, &mut |at, by| step(*reference, at, by));
        }
        let (reference, position) = seam.last;
        self.go_to(reference as u32);
        self.mates.leave(position, &seam.tail);
    }

    fn go_to(&mut self, reference: u32) {
        if self.reference.replace(reference) != Some(reference) {
            self.mates.clear();
        }
    }
}
