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

/// Reads for a window, all over.
fn reads_a_window(found: &GcBias) -> f64 {
    let reads: u64 = found.by_gc.iter().map(|class| class.reads).sum();
    let windows: u64 = found.windows.iter().sum();
    reads as f64 / windows as f64
}

pub(super) fn write_details(found: &GcBias, file: &mut File) {
    use MetricValue::{Count, Empty, Real, Text};
    let mean = reads_a_window(found);
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
    let mean = reads_a_window(found);
    let reads: u64 = found.by_gc.iter().map(|class| class.reads).sum();
    let windows: u64 = found.windows.iter().sum();
    // What the share of reads lacks of the share of windows, of low and of high GC content.
    let mut dropouts = [0.0; 2];
    for (gc, (class, own)) in found.by_gc.iter().zip(found.windows.iter()).enumerate() {
        let share = *own as f64 / windows as f64 - class.reads as f64 / reads as f64;
        let dropout = share * 100.0;
        if dropout > 0.0 {
            dropouts[usize::from(gc > 50)] += dropout;
        }
    }
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
