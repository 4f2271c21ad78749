//! The checks: what each measures, which side of its limits is bad, and what its limits are of genomes.

use super::verdict::{Bad, CheckLimits};

/// FastQC's limits of warnings and failures, which its report and the checks here share.
#[doc(hidden)]
pub mod fastqc {
    /// Percent of the reads beyond the normal distribution of GC.
    pub const GC: [f64; 2] = [15.0, 30.0];
    /// Points between A and T, or G and C, at a position.
    pub const CONTENT: [f64; 2] = [10.0, 20.0];
    /// Percent of N at a position.
    pub const N: [f64; 2] = [5.0, 20.0];
    /// Percent of the reads with an adapter, or with poly-G.
    pub const ADAPTERS: [f64; 2] = [5.0, 10.0];
    /// Percent of the reads that are left of duplicates; less is worse.
    pub const DEDUPLICATED: [f64; 2] = [70.0, 50.0];
    /// Percent of the reads with one sequence.
    pub const OVERREPRESENTED: [f64; 2] = [0.1, 1.0];
    /// The median quality at a position; less is worse.
    pub const MEDIAN: [f64; 2] = [25.0, 20.0];
    /// The lower quartile of the qualities at a position; less is worse.
    pub const LOWER_QUARTILE: [f64; 2] = [10.0, 5.0];
    /// At a position that no more bases reach than this, quartiles are chance.
    pub const ENOUGH: u64 = 100;
}

/// Which check it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckKind {
    Reads,
    EmptyReads,
    Length,
    Quality,
    Q30,
    Encoding,
    LowestQuality,
    N,
    NByPosition,
    Gc,
    FirstBases,
    Bases,
    Adapters,
    PolyG,
    Duplication,
    Overrepresented,
    Mapped,
    ProperlyPaired,
    Duplicates,
    Errors,
    Insert,
    Depth,
    Breadth,
    AtLeastTen,
    AtLeastTwenty,
    AtLeastThirty,
    Evenness,
    AtDropout,
    GcDropout,
}

/// What a check is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckSubject {
    /// Reads of FASTQ and FASTA.
    Reads,
    /// Reads, and those of alignments as they were sequenced.
    Both,
    /// Alignments.
    Alignments,
}

/// A check: a value that is judged, with its unit and its bad side.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    pub(super) kind: CheckKind,
    name: &'static str,
    measures: &'static str,
    unit: &'static str,
    bad: Bad,
    subject: CheckSubject,
    /// Those of reads of a genome; other libraries differ from them.
    pub(super) genome: CheckLimits,
}

impl Check {
    /// The check with this name, if there is one.
    pub fn named(name: &str) -> Option<&'static Check> {
        CHECKS.iter().find(|check| check.name == name)
    }

    /// The name, which stays the same from version to version.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What is measured.
    pub fn measures(&self) -> &'static str {
        self.measures
    }

    /// The unit of the value and of the limits.
    pub fn unit(&self) -> &'static str {
        self.unit
    }

    /// Which side of the limits is bad.
    pub fn bad(&self) -> Bad {
        self.bad
    }

    /// Of what it can be.
    pub fn subject(&self) -> CheckSubject {
        self.subject
    }

    /// Whether it is about depth of coverage.
    pub fn is_of_depth(&self) -> bool {
        use CheckKind::*;
        matches!(self.kind, Depth | Breadth | AtLeastTen | AtLeastTwenty | AtLeastThirty | Evenness)
    }

    /// Its place in [`CHECKS`].
    pub(super) fn place(&self) -> usize {
        self.kind as usize
    }
}

/// All checks, in the order of reports.
pub static CHECKS: &[Check] = {
    use Bad::{Above, Below};
    use CheckKind::*;
    use CheckSubject::{Alignments, Both};
    const READS: CheckSubject = CheckSubject::Reads;
    &[
        check(Reads, "number-of-reads", "Number of reads", "reads", Below, Both, [100.0, 1.0]),
        check(EmptyReads, "empty-reads", "Reads without bases", "%", Above, READS, [0.0, 10.0]),
        check(Length, "mean-length", "Mean length of reads", "bases", Below, Both, [30.0, 20.0]),
        check(
            Quality,
            "mean-quality",
            "Mean quality of all bases, by error probabilities",
            "Phred",
            Below,
            Both,
            [20.0, 15.0],
        ),
        check(Q30, "q30-share", "Bases of quality 30 or more", "%", Below, Both, [70.0, 50.0]),
        check(
            Encoding,
            "old-encoding",
            "Reads whose qualities look like Phred + 64",
            "%",
            Above,
            Both,
            [0.0, 1.0],
        ),
        check(
            LowestQuality,
            "lowest-position-quality",
            "Lowest median quality at a position",
            "Phred",
            Below,
            Both,
            fastqc::MEDIAN,
        ),
        check(N, "n-share", "N, as a share of all bases", "%", Above, Both, [1.0, 5.0]),
        check(
            NByPosition,
            "n-by-position",
            "Highest share of N at a position",
            "%",
            Above,
            Both,
            fastqc::N,
        ),
        check(
            Gc,
            "gc-deviation",
            "Reads outside a normal GC distribution",
            "%",
            Above,
            Both,
            fastqc::GC,
        ),
        check(
            FirstBases,
            "first-bases",
            "Largest difference between A and T, or G and C, at positions 1 to 12",
            "points",
            Above,
            Both,
            [20.0, 40.0],
        ),
        check(
            Bases,
            "base-composition",
            "Largest difference between A and T, or G and C, from position 13 on",
            "points",
            Above,
            Both,
            fastqc::CONTENT,
        ),
        check(
            Adapters,
            "adapter-content",
            "Reads with the most frequent adapter",
            "%",
            Above,
            READS,
            fastqc::ADAPTERS,
        ),
        check(PolyG, "poly-g", "Reads with 12 G in a row", "%", Above, READS, fastqc::ADAPTERS),
        check(
            Duplication,
            "duplication",
            "Reads that repeat the sequence of another one",
            "%",
            Above,
            READS,
            [100.0 - fastqc::DEDUPLICATED[0], 100.0 - fastqc::DEDUPLICATED[1]],
        ),
        check(
            Overrepresented,
            "overrepresented-sequences",
            "Reads with the most frequent sequence",
            "%",
            Above,
            READS,
            fastqc::OVERREPRESENTED,
        ),
        check(
            Mapped,
            "mapped-share",
            "Primary records that are mapped",
            "%",
            Below,
            Alignments,
            [95.0, 80.0],
        ),
        check(
            ProperlyPaired,
            "properly-paired",
            "Paired records that are properly paired",
            "%",
            Below,
            Alignments,
            [90.0, 70.0],
        ),
        check(
            Duplicates,
            "marked-duplicates",
            "Primary records that are marked as duplicates",
            "%",
            Above,
            Alignments,
            [20.0, 50.0],
        ),
        check(
            Errors,
            "error-rate",
            "Mismatches, inserted and deleted bases (NM) of all aligned bases",
            "%",
            Above,
            Alignments,
            [1.0, 3.0],
        ),
        check(
            Insert,
            "insert-size",
            "Median insert size of pairs",
            "bases",
            Below,
            Alignments,
            [150.0, 80.0],
        ),
        Check {
            genome: CheckLimits::OFF,
            ..check(
                Depth,
                "mean-depth",
                "Mean depth of all positions, without duplicates, overlapping mates once",
                "x",
                Below,
                Alignments,
                [0.0; 2],
            )
        },
        Check {
            genome: CheckLimits { warn: Some(80.0), fail: None },
            ..check(
                Breadth, "covered-share", "Positions at or above depth 1", "%", Below, Alignments,
                [0.0; 2],
            )
        },
        Check {
            genome: CheckLimits::OFF,
            ..check(
                AtLeastTen, "covered-10x-share", "Positions at or above depth 10", "%", Below,
                Alignments, [0.0; 2],
            )
        },
        Check {
            genome: CheckLimits::OFF,
            ..check(
                AtLeastTwenty, "covered-20x-share", "Positions at or above depth 20", "%", Below,
                Alignments, [0.0; 2],
            )
        },
        Check {
            genome: CheckLimits::OFF,
            ..check(
                AtLeastThirty, "covered-30x-share", "Positions at or above depth 30", "%", Below,
                Alignments, [0.0; 2],
            )
        },
        check(
            Evenness,
            "coverage-evenness",
            "Evenness of depth",
            "%",
            Below,
            Alignments,
            [70.0, 50.0],
        ),
        Check {
            genome: CheckLimits::OFF,
            ..check(
                AtDropout,
                "at-dropout",
                "Reads missing at a GC up to 50 %",
                "%",
                Above,
                Alignments,
                [0.0; 2],
            )
        },
        Check {
            genome: CheckLimits::OFF,
            ..check(
                GcDropout,
                "gc-dropout",
                "Reads missing at a GC above 50 %",
                "%",
                Above,
                Alignments,
                [0.0; 2],
            )
        },
    ]
};

const fn check(
    kind: CheckKind,
    name: &'static str,
    measures: &'static str,
    unit: &'static str,
    bad: Bad,
    subject: CheckSubject,
    [warn, fail]: [f64; 2],
) -> Check {
    let genome = CheckLimits { warn: Some(warn), fail: Some(fail) };
    Check { kind, name, measures, unit, bad, subject, genome }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_is_at_its_place_under_a_name_of_its_own() {
        for (place, check) in CHECKS.iter().enumerate() {
            assert_eq!(check.place(), place, "{}", check.name);
            assert_eq!(CHECKS.iter().filter(|other| other.name == check.name).count(), 1);
            assert!(
                check.name.bytes().all(|b| b.is_ascii_lowercase() || b"-0123456789".contains(&b))
            );
            if let CheckLimits { warn: Some(warn), fail: Some(fail) } = check.genome {
                assert!(!check.bad.is_beyond(warn, fail), "{}", check.name);
            }
        }
    }
}
