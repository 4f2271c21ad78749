//! Figures of alignments in words.

use super::checks::Kind;
use super::{Check, Measured, found, shown};
use crate::measure::alignments::report::{Coverage, Figures};
use crate::number::{grouped, percent};

/// Below this mean depth chance alone makes depths uneven.
const ENOUGH_DEPTH: f64 = 10.0;
/// Depths from here on are counted together.
const DEEPEST: f64 = 1000.0;

/// What a check measures of alignments.
pub(super) fn measure(check: &Check, figures: &Figures) -> Measured {
    // Reads that nobody has aligned are stored so, too.
    if figures.references.is_empty() {
        return Measured::Missing("the reads aren't aligned: the header names no reference");
    }
    match check.kind {
        Kind::Mapped => mapped(figures),
        Kind::ProperlyPaired => properly_paired(figures),
        Kind::Duplicates => duplicates(figures),
        Kind::Errors => errors(figures),
        Kind::Insert => insert(figures),
        Kind::Depth => depth(figures),
        Kind::Breadth => breadth(figures),
        Kind::AtLeastTen => at_least_ten(figures),
        Kind::Evenness => evenness(figures),
        _ => Measured::Missing("it is a figure of reads"),
    }
}

const NO_RECORDS: &str = "there are no primary records";

fn mapped(figures: &Figures) -> Measured {
    let flags = figures.records.all();
    if flags.primary == 0 {
        return Measured::Missing(NO_RECORDS);
    }
    let share = percent(flags.primary_mapped, flags.primary);
    let says = format!("{} % of the reads are mapped", shown(share));
    let advice = "Look whether the reference is of this organism and complete, and what the other reads are: contamination, adapters, or bad ends.";
    found(share, says, advice)
}

fn properly_paired(figures: &Figures) -> Measured {
    let flags = figures.records.all();
    if flags.paired == 0 {
        return Measured::Missing("the reads aren't paired");
    }
    let share = percent(flags.properly_paired, flags.paired);
    let says = format!("{} % of the paired reads are properly paired", shown(share));
    let advice = "Look whether the files of mates belong together and are in the same order, and whether the aligner expects these insert sizes.";
    found(share, says, advice)
}

fn duplicates(figures: &Figures) -> Measured {
    let flags = figures.records.all();
    if flags.primary_duplicates == 0 {
        return Measured::Missing("no record is marked: there are no duplicates, or nobody looked");
    }
    let share = percent(flags.primary_duplicates, flags.primary);
    let says = format!("{} % of the reads are marked as duplicates", shown(share));
    let advice = "The library has few molecules for its depth: more input and fewer cycles of PCR help the next one.";
    found(share, says, advice)
}

fn errors(figures: &Figures) -> Measured {
    let alignment = &figures.alignment;
    if alignment.aligned_bases == 0 {
        return Measured::Missing("nothing is aligned");
    }
    if alignment.edit_distance == 0 {
        return Measured::Missing(
            "no record has a difference in NM: there are none, or nobody counted",
        );
    }
    let share = percent(alignment.edit_distance, alignment.aligned_bases);
    let says = format!("{} % of the aligned bases differ from the reference", shown(share));
    let advice = "Look whether the reference is of this strain, and at the qualities: bad ends can be trimmed.";
    found(share, says, advice)
}

fn insert(figures: &Figures) -> Measured {
    let insert = &figures.insert_size;
    if insert.pairs == 0 {
        return Measured::Missing("no pair is aligned to one reference");
    }
    let says = format!(
        "The median insert size of {} pairs is {} bases",
        grouped(insert.pairs),
        grouped(insert.median)
    );
    let advice = "Mates of so short inserts read the same bases twice, and adapters behind them: trim these, and count overlaps once.";
    found(insert.median as f64, says, advice)
}

const NO_COVERAGE: &str = "depth is known of whole files that are sorted by coordinate";

/// How deep alignments lie, where that is known.
fn coverage(figures: &Figures) -> Option<&Coverage> {
    figures.coverage.as_ref().filter(|coverage| coverage.positions > 0)
}

fn depth(figures: &Figures) -> Measured {
    let Some(coverage) = coverage(figures) else { return Measured::Missing(NO_COVERAGE) };
    let says = format!(
        "The mean depth of all positions, without duplicates and with overlapping mates once, is {}",
        shown(coverage.mean_depth)
    );
    found(coverage.mean_depth, says, "Read the library deeper, or look where reads were lost.")
}

const UNCOVERED: &str = "Look which references lack reads: one that isn't in the sample, or a part of the library that was lost.";

fn breadth(figures: &Figures) -> Measured {
    let Some(coverage) = coverage(figures) else { return Measured::Missing(NO_COVERAGE) };
    let share = percent(coverage.covered, coverage.positions);
    let says = format!("{} % of the positions have depth 1 and more", shown(share));
    found(share, says, UNCOVERED)
}

fn at_least_ten(figures: &Figures) -> Measured {
    let Some(coverage) = coverage(figures) else { return Measured::Missing(NO_COVERAGE) };
    let deep = coverage.histogram.iter().filter(|row| row.0 >= 10).map(|row| row.1).sum();
    let share = percent(deep, coverage.positions);
    let says = format!("{} % of the positions have depth 10 and more", shown(share));
    found(share, says, UNCOVERED)
}

/// The share of the bases that would stay if nothing lay deeper than the mean (Mokry et al., Nucleic Acids Research 2010).
fn evenness(figures: &Figures) -> Measured {
    let Some(coverage) = coverage(figures) else { return Measured::Missing(NO_COVERAGE) };
    let mean = coverage.mean_depth;
    if mean < ENOUGH_DEPTH {
        return Measured::Missing("below a mean depth of 10, chance makes depths uneven");
    }
    if mean > DEEPEST {
        return Measured::Missing("depths of 1,000 and more are counted together");
    }
    let below = coverage.histogram.iter().map(|&(depth, n)| n as f64 * mean.min(depth as f64));
    let share = 100.0 * below.sum::<f64>() / (coverage.positions as f64 * mean);
    let says = format!("{} % of the depth lies evenly, at or below the mean", shown(share));
    let advice = "Look at depth by GC and by reference: PCR and capture prefer some regions.";
    found(share, says, advice)
}
