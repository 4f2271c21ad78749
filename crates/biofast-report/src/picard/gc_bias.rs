//! The files of `CollectGcBiasMetrics`.

use biofast_ops::measure::picard::gc_bias::{CLASSES, GcBias, WINDOW};

use super::file::{File, MetricValue};

const DETAILS: [&str; 11] = [
    "ACCUMULATION_LEVEL", "READS_USED", "GC", "WINDOWS", "READ_STARTS", "MEAN_BASE_QUALITY",
    "NORMALIZED_COVERAGE", "ERROR_BAR_WIDTH", "SAMPLE", "LIBRARY", "READ_GROUP",
];

const SUMMARY: [&str; 15] = [
    "ACCUMULATION_LEVEL", "READS_USED", "WINDOW_SIZE", "TOTAL_CLUSTERS", "ALIGNED_READS",
    "AT_DROPOUT", "GC_DROPOUT", "GC_NC_0_19", "GC_NC_20_39", "GC_NC_40_59", "GC_NC_60_79",
    "GC_NC_80_100", "SAMPLE", "LIBRARY", "READ_GROUP",
];

/// Ranges of GC content with a coverage of their own in the summary.
const RANGES: [std::ops::RangeInclusive<usize>; 5] = [0..=19, 20..=39, 40..=59, 60..=79, 80..=100];

pub(super) fn write_details(found: &GcBias, file: &mut File) {
    use MetricValue::{Count, Empty, Real, Text};
    let mean = found.reads_a_window();
    let classes = if found.aligned > 0 { CLASSES } else { 0 };
    let rows = (0..classes).map(|gc| {
        let (class, windows) = (found.by_gc[gc], found.windows[gc]);
        let quality = match class.errors {
            0 => 0.0,
            errors => (-10.0 * (errors as f64 / class.bases as f64).log10() + 0.5).floor(),
        };
        let by_window = |reads: f64| match windows {
            0 => 0.0,
            windows => reads / windows as f64 / mean,
        };
        vec![
            Text("All Reads"),
            Text("ALL"),
            Count(gc as u64),
            Count(windows),
            Count(class.reads),
            Real(quality),
            Real(by_window(class.reads as f64)),
            Real(by_window((class.reads as f64).sqrt())),
            Empty,
            Empty,
            Empty,
        ]
    });
    file.metrics("picard.analysis.GcBiasDetailMetrics", &DETAILS, rows);
    file.no_histogram();
}

pub(super) fn write_summary(found: &GcBias, file: &mut File) {
    use MetricValue::{Count, Empty, Real, Text};
    let mean = found.reads_a_window();
    let dropouts = found.dropouts().unwrap_or_default();
    let coverage = |range: std::ops::RangeInclusive<usize>| {
        let (mut reads, mut windows) = (0.0, 0);
        for gc in range {
            if found.windows[gc] > 0 {
                reads += found.by_gc[gc].reads as f64;
                windows += found.windows[gc];
            }
        }
        if windows == 0 { 0.0 } else { reads / (windows as f64 * mean) }
    };
    let row = || {
        let mut row = vec![
            Text("All Reads"),
            Text("ALL"),
            Count(WINDOW as u64),
            Count(found.clusters),
            Count(found.aligned),
            Real(dropouts[0]),
            Real(dropouts[1]),
        ];
        row.extend(RANGES.map(|range| Real(coverage(range))));
        row.extend([Empty, Empty, Empty]);
        row
    };
    let rows = (found.aligned > 0).then(row);
    file.metrics("picard.analysis.GcBiasSummaryMetrics", &SUMMARY, rows);
    file.no_histogram();
}
