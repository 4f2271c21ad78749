//! The table of `samtools idxstats`.

use std::fmt::Write as _;

use biofast_bam::Header;

use crate::measure::idxstats::Collector;

/// Name, length, mapped and unmapped records of each reference; `*` last, for records without one.
pub fn text(counts: &Collector, header: &Header) -> String {
    let mut out = String::new();
    // Writing to a String can't fail, here and below.
    for (index, reference) in header.references().iter().enumerate() {
        let [mapped, unmapped] = counts.counts(Some(index));
        let name = String::from_utf8_lossy(&reference.name);
        let _ = writeln!(out, "{name}\t{}\t{mapped}\t{unmapped}", reference.length);
    }
    let [mapped, unmapped] = counts.counts(None);
    let _ = writeln!(out, "*\t0\t{mapped}\t{unmapped}");
    out
}
