//! What the cases of `merge_reports` share with those beside peers.

use biofast_testkit::sam::SamShape;

pub(crate) const SHAPE: SamShape =
    SamShape { records: 3000, sorted: true, longest: 150, oddities: true, seed: 7 };
