//! What the cases of `merge_reports` share with those beside peers.

use biofast_testkit::sam::Shape;

pub(crate) const SHAPE: Shape =
    Shape { records: 3000, sorted: true, longest: 150, oddities: true, seed: 7 };
