//! The files of `MeanQualityByCycle`, `QualityScoreDistribution` and `CollectBaseDistributionByCycle`.

use biofast_ops::measure::picard::cycles::{ENDS, Summed};

use super::file::{File, MetricValue};

const COLUMNS: [&str; 7] = ["READ_END", "CYCLE", "PCT_A", "PCT_C", "PCT_G", "PCT_T", "PCT_N"];

pub(super) fn write_means(found: &Summed, file: &mut File) {
    let mut histograms = vec![("MEAN_QUALITY", means(&found.qualities))];
    if found.original.is_there {
        histograms.push(("MEAN_ORIGINAL_QUALITY", means(&found.original.sums)));
    }
    file.no_metrics();
    file.histograms("Integer", "CYCLE", &histograms);
}

/// The cycles of second reads follow on those of first reads, of which cycles without any quality above 0 are left out.
fn means(sums: &[Vec<(u64, u64)>; ENDS]) -> Vec<(u64, f64)> {
    let mean = |&(sum, number): &(u64, u64)| sum as f64 / number as f64;
    let first = (1u64..).zip(&sums[0]).filter(|(_, (sum, _))| *sum > 0);
    let mut means: Vec<(u64, f64)> = first.map(|(cycle, sums)| (cycle, mean(sums))).collect();
    let last = means.last().map_or(0, |(cycle, _)| *cycle);
    let second = (1u64..).zip(&sums[1]).filter(|(_, (_, number))| *number > 0);
    means.extend(second.map(|(cycle, sums)| (last + cycle, mean(sums))));
    means
}

pub(super) fn write_qualities(found: &Summed, file: &mut File) {
    let bins = |histogram: &[u64]| {
        let seen = (0u64..).zip(histogram).filter(|(_, bases)| **bases > 0);
        seen.map(|(quality, &bases)| (quality, bases as f64)).collect()
    };
    let histograms =
        [("COUNT_OF_Q", bins(&found.histogram)), ("COUNT_OF_OQ", bins(&found.original.histogram))];
    file.no_metrics();
    file.histograms("Byte", "QUALITY", &histograms);
}

pub(super) fn write_bases(found: &Summed, file: &mut File) {
    let mut rows = Vec::new();
    let mut last = 0;
    for (end, cycles) in (1u64..).zip(&found.bases) {
        let before = if end == 1 { 0 } else { last };
        for (cycle, bases) in (1u64..).zip(cycles) {
            let total: u64 = bases.iter().sum();
            if total == 0 {
                continue;
            }
            last = cycle.max(last);
            let mut row = vec![MetricValue::Count(end), MetricValue::Count(before + cycle)];
            row.extend(bases.map(|n| MetricValue::Real(100.0 * n as f64 / total as f64)));
            rows.push(row);
        }
    }
    file.metrics("picard.analysis.BaseDistributionByCycleMetrics", &COLUMNS, rows);
    file.no_histogram();
}
