//! Counts of samples as fqtk writes them, of hopped indexes, and of barcodes that belong to no sample.

use std::fmt::Write;

use biofast_ops::demux::{DemuxTally, IndexPairs, Sample, Unknown};

/// The table that fqtk calls `demux-metrics.txt`: of each sample, and of reads of none, how many templates (reads that have a name in
/// common) there are, their share of all, and their ratio to the mean and to the largest number of samples.
///
/// ```
/// use biofast_ops::demux::{DemuxTally, Sample};
/// use biofast_report::demux::metrics;
///
/// let samples = [Sample::new("s1", "ACGT"), Sample::new("s2", "GGTT")];
/// let tally = DemuxTally { templates: vec![6, 2, 2], ..DemuxTally::default() };
/// let table = metrics(&samples, "unmatched", &tally);
/// assert_eq!(table.lines().nth(2), Some("s2\tGGTT\t2\t0.2\t0.5\t0.3333333333333333"));
/// assert_eq!(table.lines().nth(3), Some("unmatched\t.\t2\t0.2\t0.5\t0.3333333333333333"));
/// ```
pub fn metrics(samples: &[Sample], unmatched: &str, tally: &DemuxTally) -> String {
    let counts = &tally.templates;
    let of_samples = counts.get(..samples.len()).unwrap_or_default();
    let total = counts.iter().sum::<u64>() as f64;
    let mean = of_samples.iter().sum::<u64>() as f64 / samples.len() as f64;
    let best = of_samples.iter().max().copied().unwrap_or(0) as f64;
    let mut table =
        "sample_id\tbarcode\ttemplates\tfrac_templates\tratio_to_mean\tratio_to_best\n".to_owned();
    let rows = samples.iter().map(|sample| (sample.id.as_str(), sample.barcode.as_str()));
    for ((id, barcode), count) in rows.chain([(unmatched, ".")]).zip(counts) {
        let number = *count as f64;
        let (share, to_mean, to_best) = (number / total, number / mean, number / best);
        let [share, to_mean, to_best] = [share, to_mean, to_best].map(plain);
        // Memory doesn't fail.
        let _ = writeln!(table, "{id}\t{barcode}\t{count}\t{share}\t{to_mean}\t{to_best}");
    }
    table
}

/// A table of all pairs of known indexes: the sample or `.`, how many templates there are, their share of all pairs that aren't samples
/// (`.` for samples), and of all templates.
pub fn index_hopping(samples: &[Sample], pairs: &IndexPairs, tally: &DemuxTally) -> String {
    let total = tally.templates.iter().sum::<u64>() as f64;
    let hopped = tally.hopped.iter().sum::<u64>() as f64;
    let mut table =
        "barcode1\tbarcode2\tsample_id\ttemplates\tfrac_hopped\tfrac_templates\n".to_owned();
    for (one, first) in pairs.firsts().iter().enumerate() {
        for (two, second) in pairs.seconds().iter().enumerate() {
            let (id, count, of_hopped) = match pairs.sample(one, two) {
                Some(sample) => {
                    (samples[sample].id.as_str(), tally.templates[sample], ".".to_owned())
                }
                None => {
                    let count = tally.hopped[pairs.number(one, two)];
                    (".", count, share(count, hopped))
                }
            };
            let of_all = share(count, total);
            // Memory doesn't fail.
            let _ = writeln!(table, "{first}\t{second}\t{id}\t{count}\t{of_hopped}\t{of_all}");
        }
    }
    table
}

/// A table of the `most` most frequent barcodes of no sample, of which `total` templates have been looked at: their number, and their share of
/// all such barcodes and of all templates. `parts` are the bases of each part of a barcode, which have columns of their own.
pub fn unknown_barcodes(unknown: &Unknown, parts: &[usize], total: u64, most: usize) -> String {
    let parts = if parts.len() > 1 { parts } else { &[] };
    let mut table = match parts.len() {
        0 => "barcode".to_owned(),
        number => (1..=number).map(|n| format!("barcode{n}")).collect::<Vec<_>>().join("\t"),
    };
    table += "\ttemplates\tfrac_unknown\tfrac_templates\n";
    for (barcode, count) in unknown.top(most) {
        let mut rest = barcode.as_str();
        for len in parts.iter().take(parts.len().saturating_sub(1)) {
            let (part, later) = rest.split_at_checked(*len).unwrap_or((rest, ""));
            let _ = write!(table, "{part}\t");
            rest = later;
        }
        let [of_unknown, of_all] = [unknown.total(), total].map(|whole| share(count, whole as f64));
        let _ = writeln!(table, "{rest}\t{count}\t{of_unknown}\t{of_all}");
    }
    table
}

/// A share, 0 of nothing.
fn share(count: u64, whole: f64) -> String {
    plain(if whole == 0.0 { 0.0 } else { count as f64 / whole })
}

/// A number as fqtk has it: the shortest that is read as the same, without an exponent from 0.00001 on.
fn plain(number: f64) -> String {
    match number {
        1e-5..1e-4 => number.to_string(),
        _ => format!("{number:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn numbers_are_those_of_fqtk() {
        let numbers = [0.0, 1.0, 0.25, 0.0001, 0.00008, 1.28e-5, 1.28e-6, 1.0 / 3.0, f64::NAN];
        let expected = [
            "0.0", "1.0", "0.25", "0.0001", "0.00008", "0.0000128", "1.28e-6",
            "0.3333333333333333", "NaN",
        ];
        assert_eq!(numbers.map(plain), expected);
    }
}
