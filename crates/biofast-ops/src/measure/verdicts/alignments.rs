//! Figures of alignments in words.

use super::checks::{Check, CheckKind};
use super::measured::{Measured, found, shown};
use crate::measure::alignments::figures::{Coverage, Figures};
use crate::number::{grouped, percent};

/// Below this mean depth chance alone makes depths uneven.
const ENOUGH_DEPTH: f64 = 10.0;
/// Depths from here on are counted together.
const DEEPEST: f64 = 1000.0;

/// What a check measures of alignments.
pub(super) fn measure(check: &Check, figures: &Figures) -> Measured {
    // Reads that nobody has aligned are stored so, too.
    if figures.references.is_empty() {
        return Measured::Missing("the reads are not aligned: the header has no references");
    }
    match check.kind {
        CheckKind::Mapped => mapped(figures),
        CheckKind::ProperlyPaired => properly_paired(figures),
        CheckKind::Duplicates => duplicates(figures),
        CheckKind::Errors => errors(figures),
        CheckKind::Insert => insert(figures),
        CheckKind::AtDropout => dropout(figures, 0, "up to"),
        CheckKind::GcDropout => dropout(figures, 1, "above"),
        _ if check.is_of_depth() => match &figures.coverage {
            Some(coverage) => of_depth(check, coverage, "positions"),
            None => Measured::Missing(NO_COVERAGE),
        },
        _ => Measured::Missing("it applies to reads"),
    }
}

const NO_RECORDS: &str = "no primary records";

fn mapped(figures: &Figures) -> Measured {
    let flags = figures.records.all();
    if flags.primary == 0 {
        return Measured::Missing(NO_RECORDS);
    }
    let share = percent(flags.primary_mapped, flags.primary);
    let says = format!("{} % of the reads are mapped", shown(share));
    let advice = "Check that the reference is complete and of this organism, and what the other reads are: contamination, adapters or low-quality ends.";
    found(share, says, advice)
}

fn properly_paired(figures: &Figures) -> Measured {
    let flags = figures.records.all();
    if flags.paired == 0 {
        return Measured::Missing("the reads aren't paired");
    }
    let share = percent(flags.properly_paired, flags.paired);
    let says = format!("{} % of the paired reads are properly paired", shown(share));
    let advice = "Check that the mate files belong together and are in the same order, and that the aligner expects these insert sizes.";
    found(share, says, advice)
}

fn duplicates(figures: &Figures) -> Measured {
    let flags = figures.records.all();
    if flags.primary_duplicates == 0 {
        return Measured::Missing(
            "no record is marked: there are no duplicates, or they were not marked",
        );
    }
    let share = percent(flags.primary_duplicates, flags.primary);
    let says = format!("{} % of the reads are marked as duplicates", shown(share));
    let advice = "The library has few molecules for its depth: use more input and fewer PCR cycles next time.";
    found(share, says, advice)
}

fn errors(figures: &Figures) -> Measured {
    let alignment = &figures.alignment;
    if alignment.aligned_bases == 0 {
        return Measured::Missing("nothing is aligned");
    }
    if alignment.edit_distance == 0 {
        return Measured::Missing(
            "no record has differences in NM: there are none, or NM was not computed",
        );
    }
    let share = percent(alignment.edit_distance, alignment.aligned_bases);
    let says = format!("{} % of the aligned bases differ from the reference", shown(share));
    let advice = "Check that the reference is of this strain, and check the qualities: low-quality ends can be trimmed.";
    found(share, says, advice)
}

fn insert(figures: &Figures) -> Measured {
    let insert = &figures.insert_size;
    if insert.pairs == 0 {
        return Measured::Missing("no pair is aligned to a single reference");
    }
    let says = format!(
        "The median insert size of {} pairs is {} bases",
        grouped(insert.pairs),
        grouped(insert.median)
    );
    let advice = "With inserts this short, both mates read the same bases and then adapters: trim adapters and count overlaps once.";
    found(insert.median as f64, says, advice)
}

/// GC content up to or above 50 %, and whether its reads are those of its share of the reference.
fn dropout(figures: &Figures, part: usize, side: &str) -> Measured {
    let Some(gc_bias) = &figures.gc_bias else {
        return Measured::Missing("it needs a reference, and all records of a file");
    };
    let Some(dropouts) = gc_bias.dropouts() else {
        return Measured::Missing(NO_RECORDS);
    };
    let share = dropouts[part];
    let says = format!("{} % of the reads are missing where the GC is {side} 50 %", shown(share));
    let advice = "PCR or capture loses such fragments: use fewer cycles, or a polymerase or kit with less GC bias.";
    found(share, says, advice)
}

const NO_COVERAGE: &str = "depth is computed only for whole files sorted by coordinate";

/// What a check measures of depths, of all positions or of those of targets.
pub(super) fn of_depth(check: &Check, coverage: &Coverage, positions: &str) -> Measured {
    if coverage.positions == 0 {
        return Measured::Missing(NO_COVERAGE);
    }
    match check.kind {
        CheckKind::Depth => depth(coverage, positions),
        CheckKind::Breadth => at_least(1, coverage, positions),
        CheckKind::AtLeastTen => at_least(10, coverage, positions),
        CheckKind::AtLeastTwenty => at_least(20, coverage, positions),
        CheckKind::AtLeastThirty => at_least(30, coverage, positions),
        CheckKind::Evenness => evenness(coverage),
        _ => Measured::Missing("it applies to alignments"),
    }
}

fn depth(coverage: &Coverage, positions: &str) -> Measured {
    let says = format!(
        "The mean depth of all {positions}, without duplicates and counting overlapping mates once, is {}",
        shown(coverage.mean_depth)
    );
    found(coverage.mean_depth, says, "Sequence the library deeper, or find where reads were lost.")
}

fn at_least(depth: usize, coverage: &Coverage, positions: &str) -> Measured {
    let deep = coverage.histogram.iter().filter(|row| row.0 >= depth).map(|row| row.1).sum();
    let share = percent(deep, coverage.positions);
    let says = format!("{} % of the {positions} have depth {depth} or more", shown(share));
    let advice = "Find the references or targets without reads: they may be absent from the sample, or lost in library preparation.";
    found(share, says, advice)
}

/// The share of the bases that would stay if nothing lay deeper than the mean (Mokry et al., Nucleic Acids Research 2010).
fn evenness(coverage: &Coverage) -> Measured {
    let mean = coverage.mean_depth;
    if mean < ENOUGH_DEPTH {
        return Measured::Missing("below a mean depth of 10, depths are uneven by chance");
    }
    if mean > DEEPEST {
        return Measured::Missing("depths of 1,000 or more are counted together");
    }
    let below = coverage.histogram.iter().map(|&(depth, n)| n as f64 * mean.min(depth as f64));
    let share = 100.0 * below.sum::<f64>() / (coverage.positions as f64 * mean);
    let says = format!("{} % of the depth is at or below the mean", shown(share));
    let advice = "Check depth by GC and by reference: PCR and capture favor some regions.";
    found(share, says, advice)
}
