//! What the cases of `view` share with those beside peers.

use biofast_testkit::sam::SamShape;

pub(crate) fn shape(seed: u64, records: usize) -> SamShape {
    SamShape { records, sorted: true, longest: 150, oddities: false, seed }
}
