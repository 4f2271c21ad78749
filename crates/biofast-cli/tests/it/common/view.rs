//! What the cases of `view` share with those beside peers.

use biofast_testkit::sam::Shape;

pub(crate) fn shape(seed: u64, records: usize) -> Shape {
    Shape { records, sorted: true, longest: 150, oddities: false, seed }
}
