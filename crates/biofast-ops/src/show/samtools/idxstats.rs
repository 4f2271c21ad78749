//! The table of `samtools idxstats`.

use std::fmt::Write as _;

use biofast_bam::Header;

use crate::measure::idxstats::Collector;

/// Name, length, mapped and unmapped records of each reference; `*` last, for records without one.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_io::{Options, Source};
/// use biofast_ops::idxstats::Collector;
/// use biofast_ops::show::samtools::idxstats::text;
///
/// let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Placement };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let (header, counts) = Collector::collect(input.source, &options)?;
/// assert_eq!(text(&counts, &header), "c\t99\t1\t0\n*\t0\t0\t1\n");
/// # Ok::<(), biofast_bam::Error>(())
/// ```
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
