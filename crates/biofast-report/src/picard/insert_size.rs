//! The file of `CollectInsertSizeMetrics`.

use biofast_ops::measure::picard::insert_size::InsertSizeRow;

use super::file::{File, MetricValue};

const COLUMNS: [&str; 23] = [
    "MEDIAN_INSERT_SIZE", "MODE_INSERT_SIZE", "MEDIAN_ABSOLUTE_DEVIATION", "MIN_INSERT_SIZE",
    "MAX_INSERT_SIZE", "MEAN_INSERT_SIZE", "STANDARD_DEVIATION", "READ_PAIRS", "PAIR_ORIENTATION",
    "WIDTH_OF_10_PERCENT", "WIDTH_OF_20_PERCENT", "WIDTH_OF_30_PERCENT", "WIDTH_OF_40_PERCENT",
    "WIDTH_OF_50_PERCENT", "WIDTH_OF_60_PERCENT", "WIDTH_OF_70_PERCENT", "WIDTH_OF_80_PERCENT",
    "WIDTH_OF_90_PERCENT", "WIDTH_OF_95_PERCENT", "WIDTH_OF_99_PERCENT", "SAMPLE", "LIBRARY",
    "READ_GROUP",
];

/// Names of orientations and of their histograms.
const ORIENTATIONS: [(&str, &str); 3] = [
    ("FR", "All_Reads.fr_count"),
    ("RF", "All_Reads.rf_count"),
    ("TANDEM", "All_Reads.tandem_count"),
];

pub(super) fn write(rows: &[InsertSizeRow], file: &mut File) {
    use MetricValue::{Count, Empty, Real, Text};
    let cells = rows.iter().map(|InsertSizeRow { orientation, all, trimmed, widths }| {
        let mut cells = vec![
            Real(all.median()),
            Real(all.mode()),
            Real(all.median_absolute_deviation()),
            Real(all.min()),
            Real(all.max()),
            Real(trimmed.mean()),
            Real(trimmed.standard_deviation()),
            Real(all.count()),
            Text(ORIENTATIONS[*orientation].0),
        ];
        cells.extend(widths.iter().map(|&width| Count(width)));
        cells.extend([Empty, Empty, Empty]);
        cells
    });
    file.metrics("picard.analysis.InsertSizeMetrics", &COLUMNS, cells);
    let histograms: Vec<(&str, Vec<(u64, f64)>)> = rows
        .iter()
        .map(|row| {
            let bins = row.trimmed.iter().map(|(size, pairs)| (size as u64, pairs)).collect();
            (ORIENTATIONS[row.orientation].1, bins)
        })
        .collect();
    file.histograms("Integer", "insert_size", &histograms);
}
