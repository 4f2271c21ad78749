//! The file of `CollectHsMetrics`.

use biofast_ops::measure::compat::PicardVersion;
use biofast_ops::measure::picard::histogram::Bins;
use biofast_ops::measure::picard::hs::{Hs, HsReadCounts};
use biofast_ops::measure::picard::sensitivity::heterozygous;

use super::file::{File, MetricValue};

const COLUMNS: [&str; 69] = [
    "BAIT_SET", "BAIT_TERRITORY", "BAIT_DESIGN_EFFICIENCY", "ON_BAIT_BASES", "NEAR_BAIT_BASES",
    "OFF_BAIT_BASES", "PCT_SELECTED_BASES", "PCT_OFF_BAIT", "ON_BAIT_VS_SELECTED",
    "MEAN_BAIT_COVERAGE", "PCT_USABLE_BASES_ON_BAIT", "PCT_USABLE_BASES_ON_TARGET",
    "FOLD_ENRICHMENT", "HS_LIBRARY_SIZE", "HS_PENALTY_10X", "HS_PENALTY_20X", "HS_PENALTY_30X",
    "HS_PENALTY_40X", "HS_PENALTY_50X", "HS_PENALTY_100X", "TARGET_TERRITORY", "GENOME_SIZE",
    "TOTAL_READS", "PF_READS", "PF_BASES", "PF_UNIQUE_READS", "PF_UQ_READS_ALIGNED",
    "PF_BASES_ALIGNED", "PF_UQ_BASES_ALIGNED", "ON_TARGET_BASES", "PCT_PF_READS",
    "PCT_PF_UQ_READS", "PCT_PF_UQ_READS_ALIGNED", "MEAN_TARGET_COVERAGE", "MEDIAN_TARGET_COVERAGE",
    "MAX_TARGET_COVERAGE", "MIN_TARGET_COVERAGE", "ZERO_CVG_TARGETS_PCT", "PCT_EXC_DUPE",
    "PCT_EXC_ADAPTER", "PCT_EXC_MAPQ", "PCT_EXC_BASEQ", "PCT_EXC_OVERLAP", "PCT_EXC_OFF_TARGET",
    "FOLD_80_BASE_PENALTY", "PCT_TARGET_BASES_1X", "PCT_TARGET_BASES_2X", "PCT_TARGET_BASES_10X",
    "PCT_TARGET_BASES_20X", "PCT_TARGET_BASES_30X", "PCT_TARGET_BASES_40X", "PCT_TARGET_BASES_50X",
    "PCT_TARGET_BASES_100X", "PCT_TARGET_BASES_250X", "PCT_TARGET_BASES_500X",
    "PCT_TARGET_BASES_1000X", "PCT_TARGET_BASES_2500X", "PCT_TARGET_BASES_5000X",
    "PCT_TARGET_BASES_10000X", "PCT_TARGET_BASES_25000X", "PCT_TARGET_BASES_50000X",
    "PCT_TARGET_BASES_100000X", "AT_DROPOUT", "GC_DROPOUT", "HET_SNP_SENSITIVITY", "HET_SNP_Q",
    "SAMPLE", "LIBRARY", "READ_GROUP",
];

/// Depths whose share of the targets is told.
const DEPTHS: [usize; 17] =
    [1, 2, 10, 20, 30, 40, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000];

/// Depths for which it is told how much more one would have to sequence.
const GOALS: [f64; 6] = [10.0, 20.0, 30.0, 40.0, 50.0, 100.0];

pub(super) fn write(found: &Hs, rules: PicardVersion, file: &mut File) {
    use MetricValue::{Count, Empty, Name, Real};
    let reads = &found.reads;
    let capped;
    // Up to 3.1 depths are capped, but for their mean, the highest one and shares at a depth.
    let (by_depth, by_quality) = match rules >= PicardVersion::V3_4 {
        true => (&found.by_depth[..], &found.by_quality[..]),
        false => {
            capped = up_to(found.cap().into(), &found.by_depth);
            (&capped[..], &found.capped_by_quality[..])
        }
    };
    let depths = Bins::from(by_depth);
    let ratio = |part: u64, whole: u64| part as f64 / whole as f64;
    let selected = reads.on_bait + reads.near_bait;
    let near_or_far = selected + reads.off_bait;
    let mean = Bins::from(&found.by_depth[..]).sum() / found.target_territory as f64;
    let fold = mean / depths.percentile(0.2);
    let deepest = found.by_depth.iter().rposition(|positions| *positions > 0).unwrap_or(0);
    let lowest = found.by_depth.iter().position(|positions| *positions > 0).unwrap_or(0);
    let enrichment = ratio(reads.on_bait, near_or_far) / ratio(found.bait_territory, found.genome);
    let library = library_size(reads.selected_pairs, reads.unique_pairs);
    let mut row = vec![
        Name(found.name.replace(['\n', '\r', '\t'], " ")),
        Count(found.bait_territory),
        Real(ratio(found.target_territory, found.bait_territory)),
        Count(reads.on_bait),
        Count(reads.near_bait),
        Count(reads.off_bait),
        Real(ratio(selected, near_or_far)),
        Real(ratio(reads.off_bait, near_or_far)),
        Real(ratio(reads.on_bait, selected)),
        Real(ratio(reads.on_bait, found.bait_territory)),
        Real(ratio(reads.on_bait, reads.bases)),
        Real(ratio(reads.on_target, reads.bases)),
        Real(enrichment),
        library.map_or(Empty, Count),
    ];
    row.extend(
        GOALS.map(|goal| Real(library.map_or(0.0, |library| penalty(library, found, fold, goal)))),
    );
    row.extend(
        [
            found.target_territory, found.genome, reads.total, reads.passed, reads.bases,
            reads.unique, reads.unique_aligned, reads.aligned_bases, reads.unique_aligned_bases,
            reads.on_target,
        ]
        .map(Count),
    );
    row.extend([
        Real(ratio(reads.passed, reads.total)),
        Real(ratio(reads.unique, reads.total)),
        Real(ratio(reads.unique_aligned, reads.unique)),
        Real(mean),
        Real(depths.median()),
        Count(deepest as u64),
        Count(lowest as u64),
        Real(ratio(found.uncovered, found.targets as u64)),
    ]);
    let HsReadCounts {
        duplicates,
        adapters,
        mapping_quality,
        low_quality,
        overlap,
        off_target,
        ..
    } = *reads;
    row.extend(
        [duplicates, adapters, mapping_quality, low_quality, overlap, off_target]
            .map(|bases| Real(ratio(bases, reads.aligned_bases))),
    );
    row.push(Real(fold));
    row.extend(DEPTHS.map(|depth| {
        let positions: u64 = found.by_depth.iter().skip(depth).sum();
        Real(ratio(positions, found.target_territory))
    }));
    row.extend(dropouts(found).map(Real));
    let (sensitivity, quality) = heterozygous(&found.by_most, &found.capped_by_quality);
    row.extend([Real(sensitivity), Real(quality.into()), Empty, Empty, Empty]);
    file.metrics("picard.analysis.directed.HsMetrics", &COLUMNS, [row]);
    let bins = |counts: &[u64]| (0..).zip(counts).map(|(key, &n)| (key, n as f64)).collect();
    file.histograms(
        "Integer",
        "coverage_or_base_quality",
        &[
            ("high_quality_coverage_count", bins(by_depth)),
            ("unfiltered_baseq_count", bins(by_quality)),
        ],
    );
}

/// Positions by depth, those of depths above the cap with those at it.
fn up_to(cap: usize, by_depth: &[u64]) -> Vec<u64> {
    let mut capped = by_depth.to_vec();
    capped.resize(cap + 1, 0);
    capped[cap] += by_depth.iter().skip(cap + 1).sum::<u64>();
    capped
}

/// How much targets of low and of high GC content lack, in percent of all.
fn dropouts(found: &Hs) -> [f64; 2] {
    let mut dropouts = [0.0; 2];
    let Some(by_gc) = &found.by_gc else { return dropouts };
    let targets: u64 = by_gc.iter().map(|(bases, _)| bases).sum();
    let aligned: u64 = by_gc.iter().map(|(_, bases)| bases).sum();
    for (gc, &(own, own_aligned)) in by_gc.iter().enumerate() {
        let share = own as f64 / targets as f64;
        let lack = (own_aligned as f64 / aligned as f64 - share) * 100.0;
        if lack < 0.0 {
            if gc <= 50 {
                dropouts[0] += lack.abs();
            }
            if gc >= 50 {
                dropouts[1] += lack.abs();
            }
        }
    }
    dropouts
}

/// How many different pairs a library has of which `unique` of `pairs` were seen: the solution of the equation of Lander
/// and Waterman, by bisection. `None` without duplicates.
fn library_size(pairs: u64, unique: u64) -> Option<u64> {
    if pairs <= unique {
        return None;
    }
    let (pairs, unique) = (pairs as f64, unique as f64);
    let above = |size: f64| unique / size - 1.0 + (-pairs / size).exp();
    let (mut low, mut high) = (1.0, 100.0);
    if above(low * unique) < 0.0 {
        return None;
    }
    while above(high * unique) > 0.0 {
        high *= 10.0;
    }
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        let at = above(middle * unique);
        if at == 0.0 {
            break;
        } else if at > 0.0 {
            low = middle;
        } else if at < 0.0 {
            high = middle;
        }
    }
    Some((unique * (low + high) / 2.0) as u64)
}

/// How many bases of reads there must be for each base of targets, so that most of them reach a depth; −1 if they can't.
fn penalty(library: u64, found: &Hs, fold: f64, goal: f64) -> f64 {
    let reads = &found.reads;
    let (library, pairs, unique) =
        (library as f64, reads.selected_pairs as f64, reads.unique_pairs as f64);
    let mean = reads.on_target_of_pairs as f64 / found.target_territory as f64;
    let on_target = reads.on_target as f64 / reads.unique_aligned_bases as f64;
    // By how much the unique pairs must become more, and with how many times as many pairs they do.
    let wanted = goal / mean * fold;
    let (mut times, mut step, mut is_rising) = (wanted, 1.0, wanted >= 1.0);
    for _ in 0..10_000 {
        let reached = library * (1.0 - (-(times * pairs) / library).exp()) / unique;
        if (reached - wanted).abs() / wanted <= 0.001 {
            let share = (unique * wanted) / (pairs * times);
            return (1.0 / share) * fold * (1.0 / on_target);
        }
        if (reached > wanted && is_rising) || (reached < wanted && !is_rising) {
            step /= 2.0;
            is_rising = !is_rising;
        }
        times += if is_rising { step } else { -step };
    }
    -1.0
}

#[cfg(test)]
mod tests {
    use super::library_size;

    #[test]
    fn a_library_is_as_large_as_duplicates_say() {
        assert_eq!((library_size(10, 10), library_size(0, 0)), (None, None));
        // Of a library of 1000 pairs 1000 draws see some 632.
        let size = library_size(1000, 632).unwrap_or(0);
        assert!((990..1010).contains(&size), "{size}");
    }
}
