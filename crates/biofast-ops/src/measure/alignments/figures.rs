//! The figures of alignments as a report has them.

use biofast_bam::Record;
use serde::{Deserialize, Serialize, Serializer};

use super::partial::PartialAlignments;
use crate::measure::coverage::Distribution;
use crate::measure::flagstat::FlagStat;
use crate::measure::picard::gc_bias::GcBias;
use crate::measure::reads::numbers::rounded;
use crate::measure::reads::statistic::Statistics as ReadStatistics;
use crate::number::percent;

/// A position, or a bin of later ones: `[first, last, of first reads: bases counted, all bases, of last reads: the same]`.
pub type CountsAtPosition = (usize, usize, u64, u64, u64, u64);

/// Mismatches by position.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MismatchesByPosition {
    /// Records whose `MD` says what differs, or that were compared with the reference.
    pub records: u64,
    /// Aligned bases of these, and those that differ.
    pub positions: Vec<CountsAtPosition>,
}

/// The figures of an input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// Records by flag, as `samtools flagstat` counts them.
    pub records: RecordCounts,
    /// Records and coverage by reference.
    pub references: Vec<ReferenceReport>,
    /// Records without a reference.
    pub unplaced: u64,
    /// Mapped primary records by mapping quality: `[MAPQ, records]`.
    pub mapping_quality: Vec<(u8, u64)>,
    /// Mapped records: how they are aligned.
    pub alignment: Alignment,
    /// Pairs whose mates are both mapped.
    pub insert_size: InsertSize,
    /// How deep the references are covered; `null` unless sorted by coordinate, and of regions.
    pub coverage: Option<Coverage>,
    /// Primary reads marked as duplicates whose type is known.
    #[serde(default)]
    pub duplicate_types: DuplicateTypes,
    /// Read starts by GC content of the reference, as Picard's CollectGcBiasMetrics counts them; absent without a reference,
    /// and of regions and groups.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "with_dropouts")]
    pub gc_bias: Option<GcBias>,
    /// Primary reads as they were sequenced.
    pub reads: ReadsByFragment,
    /// What the report of a part carries for [joining](super::join) it with others; absent in that of a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<PartialAlignments>,
}

/// The counts, and what follows from them.
fn with_dropouts<S: Serializer>(found: &Option<GcBias>, to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Dropouts<'a> {
        at_dropout_percent: Option<f64>,
        gc_dropout_percent: Option<f64>,
        #[serde(flatten)]
        counts: &'a GcBias,
    }
    let of = |counts| {
        let dropouts = GcBias::dropouts(counts).map(|shares| shares.map(rounded));
        let [at, gc] = dropouts.map_or([None; 2], |shares| shares.map(Some));
        Dropouts { at_dropout_percent: at, gc_dropout_percent: gc, counts }
    };
    found.as_ref().map(of).serialize(to)
}

/// Records by flag.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RecordCounts {
    /// Those that passed quality control.
    pub passed: FlagStat,
    /// Those that failed it.
    pub failed: FlagStat,
}

impl RecordCounts {
    /// All of them.
    #[doc(hidden)]
    pub fn all(&self) -> FlagStat {
        self.passed.checked_add(&self.failed).unwrap_or(self.passed)
    }
}

/// Primary reads marked as duplicates, by what their tag `DT` or `dt` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuplicateTypes {
    /// Those of one spot of the flow cell: `SQ`.
    pub optical: u64,
    /// Those of the library: `LB`.
    pub library: u64,
}

impl DuplicateTypes {
    /// Counts a record that is marked.
    #[inline(never)]
    pub(super) fn add(&mut self, record: &Record<'_>) {
        let found = record.tags().find(|tag| matches!(&tag.name, b"DT" | b"dt"));
        match found.and_then(|tag| tag.as_text()) {
            Some(b"SQ") => self.optical += 1,
            Some(b"LB") => self.library += 1,
            _ => {}
        }
    }

    pub(super) fn merge(&mut self, other: &DuplicateTypes) {
        let DuplicateTypes { optical, library } = other;
        self.optical += optical;
        self.library += library;
    }
}

/// One reference sequence.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReferenceReport {
    /// Its name.
    pub name: String,
    /// Its length in bases.
    pub length: u64,
    /// Mapped records.
    pub mapped: u64,
    /// Unmapped records placed beside their mate.
    pub unmapped: u64,
    /// Positions of depth 1 and more; `null` as [`Figures::coverage`].
    pub covered: Option<u64>,
    /// The sum of all depths; `null` as [`Figures::coverage`].
    pub depth_bases: Option<u64>,
    /// Mean depth over all positions; `null` as [`Figures::coverage`].
    pub mean_depth: Option<f64>,
}

/// How mapped records that aren't secondary are aligned.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Alignment {
    /// Bases of the read that are aligned or inserted: M, I, = and X.
    pub aligned_bases: u64,
    /// The sum of the `NM` fields: mismatches, inserted and deleted bases.
    pub edit_distance: u64,
    /// Edit distance / aligned bases.
    pub error_rate: f64,
    /// Bases and operations of the CIGARs: `[operation, operations, bases]`.
    pub operations: Vec<(char, u64, u64)>,
    /// Records with soft or hard clips.
    pub clipped_records: u64,
    /// `[length, insertions, deletions]`, up to length 300.
    pub indels: Vec<(usize, u64, u64)>,
    /// Soft-clipped and all bases of primary records by position as sequenced.
    pub soft_clipped: Vec<CountsAtPosition>,
    /// Mismatches and aligned bases of primary records by position as sequenced, as the `MD` field has them, or the reference
    /// where that is missing; `null` where they weren't counted.
    pub mismatches: Option<MismatchesByPosition>,
}

/// Insert sizes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InsertSize {
    /// Pairs on the same reference.
    pub pairs: u64,
    /// Mates that point at each other.
    pub inward: u64,
    /// Mates that point away from each other.
    pub outward: u64,
    /// Mates that point in the same direction.
    pub other: u64,
    /// The middle insert size.
    pub median: u64,
    /// `[size, inward, outward, other]`; sizes of 8,000 and more together.
    pub histogram: Vec<(usize, u64, u64, u64)>,
    /// Sizes of which the number of records is odd, as above: 1 where the `histogram` leaves out a record, since its mate
    /// is in another part of the file, or missing.
    pub half_pairs: Vec<(usize, u64, u64, u64)>,
}

/// How deep the references are covered, as [`coverage`](crate::measure::coverage) finds it by its default rules, which are
/// those of mosdepth: no unmapped, secondary, failed or duplicate records, mates that overlap once, deletions and skips not.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Coverage {
    /// Positions of all references.
    pub positions: u64,
    /// Those of depth 1 and more.
    pub covered: u64,
    /// The share of them in percent.
    pub breadth_percent: f64,
    /// Mean depth over all positions.
    pub mean_depth: f64,
    /// `[depth, positions]`; depths of 1,000 and more together.
    pub histogram: Vec<(usize, u64)>,
}

impl From<&Distribution> for Coverage {
    fn from(depths: &Distribution) -> Coverage {
        let (positions, covered) = (depths.positions(), depths.at_least(1));
        let by_depth = depths.by_depth().iter().copied().enumerate();
        Coverage {
            positions,
            covered,
            breadth_percent: percent(covered, positions),
            mean_depth: depths.mean(),
            histogram: by_depth.filter(|row| row.1 > 0).collect(),
        }
    }
}

/// Primary reads by fragment, as they were sequenced; `null` where there are none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReadsByFragment {
    /// First reads of pairs, and reads that aren't paired.
    pub first: Option<ReadStatistics>,
    /// Last reads of pairs.
    pub last: Option<ReadStatistics>,
    /// Paired reads that are neither or both.
    pub other: Option<ReadStatistics>,
}

/// The `schema` of a report.
pub const SCHEMA: &str = "biofast.alignment-stats";

/// The `schema_version` of a report. Fields may be added within a version. Version 1 lacked what it takes to
/// [join](super::join) reports; depths of version 2 counted duplicates and both mates.
pub const SCHEMA_VERSION: u32 = 3;
