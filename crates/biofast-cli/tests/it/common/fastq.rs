//! What the cases of `fastq` share with those beside peers.

use biofast_testkit::templates::{TemplateRandom, header, templates};

/// Names of the outputs, with the options for them.
pub(crate) const OUTPUTS: [(&str, &str); 5] =
    [("-1", "r1.fq"), ("-2", "r2.fq"), ("-0", "other.fq"), ("-s", "single.fq"), ("-o", "both.fq")];

pub(crate) fn grouped(seed: u64, n: usize, order: &str) -> String {
    header(order) + &templates(seed, n).concat().concat()
}

pub(crate) fn shuffled(seed: u64, n: usize) -> String {
    let mut lines = templates(seed, n).concat();
    TemplateRandom(seed).shuffle(&mut lines);
    header("SO:unsorted") + &lines.concat()
}
