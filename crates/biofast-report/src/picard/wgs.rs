//! The file of `CollectWgsMetrics`.

use biofast_ops::measure::picard::histogram::{Bins, share};
use biofast_ops::measure::picard::sensitivity::heterozygous;
use biofast_ops::measure::picard::wgs::{Excluded, Wgs};

use super::file::{File, MetricValue};

const COLUMNS: [&str; 32] = [
    "GENOME_TERRITORY", "MEAN_COVERAGE", "SD_COVERAGE", "MEDIAN_COVERAGE", "MAD_COVERAGE",
    "PCT_EXC_ADAPTER", "PCT_EXC_MAPQ", "PCT_EXC_DUPE", "PCT_EXC_UNPAIRED", "PCT_EXC_BASEQ",
    "PCT_EXC_OVERLAP", "PCT_EXC_CAPPED", "PCT_EXC_TOTAL", "PCT_1X", "PCT_5X", "PCT_10X", "PCT_15X",
    "PCT_20X", "PCT_25X", "PCT_30X", "PCT_40X", "PCT_50X", "PCT_60X", "PCT_70X", "PCT_80X",
    "PCT_90X", "PCT_100X", "FOLD_80_BASE_PENALTY", "FOLD_90_BASE_PENALTY", "FOLD_95_BASE_PENALTY",
    "HET_SNP_SENSITIVITY", "HET_SNP_Q",
];

/// Depths whose share of the genome is told.
const DEPTHS: [usize; 14] = [1, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100];

pub(super) fn write(found: &Wgs, file: &mut File) {
    use MetricValue::{Count, Real};
    let depths = Bins::from(&found.by_depth[..]);
    let territory: u64 = found.by_depth.iter().sum();
    let counted = depths.sum() as u64;
    let Excluded { adapters, mapping_quality, duplicates, unpaired } = found.excluded;
    let excluded = [
        adapters, mapping_quality, duplicates, unpaired, found.low_quality, found.overlap,
        found.capped,
    ];
    let not_counted: u64 = excluded.iter().sum();
    let all = counted + not_counted;
    let mean = depths.mean();
    let mut row = vec![
        Count(territory),
        Real(mean),
        Real(depths.standard_deviation()),
        Real(depths.median()),
        Real(depths.median_absolute_deviation()),
    ];
    row.extend(excluded.map(|bases| Real(share(bases, all))));
    row.push(Real(share(not_counted, all)));
    row.extend(DEPTHS.map(|depth| {
        let positions: u64 = found.by_depth.iter().skip(depth).sum();
        Real(positions as f64 / territory as f64)
    }));
    let penalty = |part| match territory {
        0 => 0.0,
        _ => mean / depths.percentile(part),
    };
    row.extend([0.2, 0.1, 0.05].map(|part| Real(penalty(part))));
    let (sensitivity, quality) = heterozygous(&found.by_most, &found.by_quality);
    row.extend([Real(sensitivity), Real(quality.into())]);
    file.metrics("picard.analysis.WgsMetrics", &COLUMNS, [row]);
    let bins = (0..).zip(&found.by_depth).map(|(depth, &count)| (depth, count as f64)).collect();
    file.histograms("Integer", "coverage", &[("high_quality_coverage_count", bins)]);
}
