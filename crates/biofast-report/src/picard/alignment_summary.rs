//! The file of `CollectAlignmentSummaryMetrics`.

use biofast_ops::measure::picard::alignment_summary::{AlignmentSummary, Category};
use biofast_ops::measure::picard::histogram::{Bins, share};
use biofast_ops::measure::reads::Lengths;

use super::file::{File, MetricValue};

const COLUMNS: [&str; 36] = [
    "CATEGORY", "TOTAL_READS", "PF_READS", "PCT_PF_READS", "PF_NOISE_READS", "PF_READS_ALIGNED",
    "PCT_PF_READS_ALIGNED", "PF_ALIGNED_BASES", "PF_HQ_ALIGNED_READS", "PF_HQ_ALIGNED_BASES",
    "PF_HQ_ALIGNED_Q20_BASES", "PF_HQ_MEDIAN_MISMATCHES", "PF_MISMATCH_RATE", "PF_HQ_ERROR_RATE",
    "PF_INDEL_RATE", "MEAN_READ_LENGTH", "SD_READ_LENGTH", "MEDIAN_READ_LENGTH", "MAD_READ_LENGTH",
    "MIN_READ_LENGTH", "MAX_READ_LENGTH", "MEAN_ALIGNED_READ_LENGTH", "READS_ALIGNED_IN_PAIRS",
    "PCT_READS_ALIGNED_IN_PAIRS", "PF_READS_IMPROPER_PAIRS", "PCT_PF_READS_IMPROPER_PAIRS",
    "BAD_CYCLES", "STRAND_BALANCE", "PCT_CHIMERAS", "PCT_ADAPTER", "PCT_SOFTCLIP", "PCT_HARDCLIP",
    "AVG_POS_3PRIME_SOFTCLIP_LENGTH", "SAMPLE", "LIBRARY", "READ_GROUP",
];

pub(super) fn write(found: &AlignmentSummary, file: &mut File) {
    let pair = found.pair();
    let mut rows = Vec::new();
    if found.first.total > 0 {
        // Cycles of both reads, which have nothing to do with each other.
        let bad = [found.first.bad_cycles(), found.second.bad_cycles()];
        rows.push(row("FIRST_OF_PAIR", &found.first, bad[0]));
        rows.push(row("SECOND_OF_PAIR", &found.second, bad[1]));
        rows.push(row("PAIR", &pair, bad[0] + bad[1]));
    }
    if found.unpaired.total > 0 || found.first.total == 0 {
        rows.push(row("UNPAIRED", &found.unpaired, found.unpaired.bad_cycles()));
    }
    file.metrics("picard.analysis.AlignmentSummaryMetrics", &COLUMNS, rows);
    let bins = |lengths: &Lengths| lengths.iter().map(|(len, reads)| (len, reads as f64)).collect();
    let histograms = [
        ("PAIRED_TOTAL_LENGTH_COUNT", bins(&pair.lengths)),
        ("PAIRED_ALIGNED_LENGTH_COUNT", bins(&pair.aligned_lengths)),
        ("UNPAIRED_TOTAL_LENGTH_COUNT", bins(&found.unpaired.lengths)),
        ("UNPAIRED_ALIGNED_LENGTH_COUNT", bins(&found.unpaired.aligned_lengths)),
    ];
    file.histograms("Integer", "READ_LENGTH", &histograms);
}

fn row(name: &'static str, reads: &Category, bad_cycles: u64) -> Vec<MetricValue> {
    use MetricValue::{Count, Empty, Real, Text};
    let of_none = reads.total == 0;
    // Of no reads at all nothing is derived.
    let derived = |value: f64| Real(if of_none { 0.0 } else { value });
    let lengths = Bins::from(&reads.lengths);
    let [high_reads, high_bases, high_q20_bases] = reads.high_quality;
    let by_mismatches = Bins::from(&reads.reads_by_mismatches);
    let high_mismatches = by_mismatches.sum() as u64;
    let ratio = |part: u64, whole: u64| part as f64 / whole as f64;
    let clipped = |bases: u64| share(bases, lengths.sum() as u64);
    vec![
        Text(name),
        Count(reads.total),
        Count(reads.passed),
        derived(ratio(reads.passed, reads.total)),
        Count(reads.noise),
        Count(reads.aligned),
        derived(share(reads.aligned, reads.passed)),
        Count(reads.aligned_bases),
        Count(high_reads),
        Count(high_bases),
        Count(high_q20_bases),
        derived(by_mismatches.median()),
        derived(share(reads.mismatches, reads.aligned_bases)),
        derived(share(high_mismatches, high_bases)),
        derived(share(reads.indels, reads.aligned_bases)),
        derived(lengths.mean()),
        derived(lengths.standard_deviation()),
        derived(lengths.median()),
        derived(lengths.median_absolute_deviation()),
        derived(lengths.min()),
        derived(lengths.max()),
        derived(Bins::from(&reads.aligned_lengths).mean()),
        Count(reads.in_pairs),
        derived(share(reads.in_pairs, reads.aligned)),
        Count(reads.improper),
        derived(share(reads.improper, reads.aligned)),
        Count(bad_cycles),
        derived(share(reads.forward, reads.aligned)),
        derived(share(reads.chimeras.1, reads.chimeras.0)),
        derived(ratio(reads.adapters, reads.passed)),
        derived(clipped(reads.soft_clipped)),
        derived(clipped(reads.hard_clipped)),
        derived(share(reads.clipped_ends.0, reads.clipped_ends.1)),
        Empty,
        Empty,
        Empty,
    ]
}
