//! The JSON form of statistics of alignments.

use biofast_bam::Op;
use serde::Serialize;

use super::Statistics;
use super::basics::MAX_INSERT;
use super::depth::{Depth, MAX_DEPTH};
use crate::measure::flagstat::FlagStat;
use crate::measure::reads::report::{Statistics as ReadStatistics, Status, rounded};
use crate::measure::reads::{Lengths, Percent};

/// The `schema` of a report.
pub const SCHEMA: &str = "biofast.alignment-stats";
/// The `schema_version` of a report. Fields may be added within a version.
pub const SCHEMA_VERSION: u32 = 1;

/// What `biofast stats --json` prints of alignments.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: String,
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The version of biofast that wrote it.
    pub biofast_version: String,
    /// One entry an input, in the order given.
    pub files: Vec<FileReport>,
}

/// One input.
#[derive(Clone, Debug, Serialize)]
pub struct FileReport {
    /// The sample's name, by default the path.
    pub sample: String,
    /// The input.
    pub input: String,
    /// `ok` or `error`.
    pub status: Status,
    /// What went wrong. The figures below are then those of the records before the fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What is worth knowing.
    pub warnings: Vec<String>,
    /// `BAM`, `SAM` or `CRAM`.
    pub format: String,
    /// The figures; absent where nothing could be read.
    #[serde(flatten)]
    pub figures: Option<Figures>,
}

/// The figures of an input.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// Records by flag, as `samtools flagstat` counts them.
    pub records: Records,
    /// Records and coverage by reference.
    pub references: Vec<Reference>,
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
    /// Primary reads as they were sequenced.
    pub reads: Reads,
}

/// Records by flag.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Records {
    /// Those that passed quality control.
    pub passed: FlagStat,
    /// Those that failed it.
    pub failed: FlagStat,
}

/// One reference sequence.
#[derive(Clone, Debug, Serialize)]
pub struct Reference {
    /// Its name.
    pub name: String,
    /// Its length in bases.
    pub length: u64,
    /// Mapped records.
    pub mapped: u64,
    /// Unmapped records placed beside their mate.
    pub unmapped: u64,
    /// Positions with at least one aligned base; `null` as [`Figures::coverage`].
    pub covered: Option<u64>,
    /// Mean depth over all positions; `null` as [`Figures::coverage`].
    pub mean_depth: Option<f64>,
}

/// How mapped records that aren't secondary are aligned.
#[derive(Clone, Debug, Serialize)]
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
}

/// Insert sizes.
#[derive(Clone, Debug, Serialize)]
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
}

/// How deep the references are covered. Deletions and skipped stretches count nothing, secondary
/// alignments neither.
#[derive(Clone, Debug, Serialize)]
pub struct Coverage {
    /// Positions of all references.
    pub positions: u64,
    /// Those with at least one aligned base.
    pub covered: u64,
    /// The share of them in percent.
    pub breadth_percent: f64,
    /// Mean depth over all positions.
    pub mean_depth: f64,
    /// `[depth, positions]`; depths of 1,000 and more together.
    pub histogram: Vec<(usize, u64)>,
}

/// Primary reads by fragment, as they were sequenced; `null` where there are none.
#[derive(Clone, Debug, Serialize)]
pub struct Reads {
    /// First reads of pairs, and reads that aren't paired.
    pub first: Option<ReadStatistics>,
    /// Last reads of pairs.
    pub last: Option<ReadStatistics>,
    /// Paired reads that are neither or both.
    pub other: Option<ReadStatistics>,
}

impl Report {
    /// A report of `files`, by the biofast of `version`.
    pub fn new(version: &str, files: Vec<FileReport>) -> Report {
        Report {
            schema: SCHEMA.into(),
            schema_version: SCHEMA_VERSION,
            biofast_version: version.into(),
            files,
        }
    }
}

/// The letters of CIGAR operations by code.
const LETTERS: [char; 10] = ['M', 'I', 'D', 'N', 'S', 'H', 'P', '=', 'X', '?'];
const _: () = assert!(Op::Unknown as usize + 1 == LETTERS.len());

impl From<&Statistics> for Figures {
    fn from(s: &Statistics) -> Figures {
        let counts = &s.counts;
        let basics = &counts.basics;
        let depth = s.depth.clone().filter(Depth::is_sorted).map(Depth::finish);
        let by_reference = |index: usize| {
            let sums = &depth.as_ref()?.1;
            Some(sums.get(index).copied().unwrap_or_default())
        };
        let references = s.header.references().iter().enumerate().map(|(index, reference)| {
            let [mapped, unmapped] = counts.references.counts(Some(index));
            let (covered, bases) = by_reference(index).unzip();
            Reference {
                name: String::from_utf8_lossy(&reference.name).into_owned(),
                length: reference.length,
                mapped,
                unmapped,
                covered,
                mean_depth: bases.map(|bases| ratio(bases, reference.length)),
            }
        });
        let references: Vec<Reference> = references.collect();
        let aligned = basics.aligned_bases();
        let operations = LETTERS.into_iter().zip(basics.ops);
        let [passed, failed] = counts.flags.finish();
        let reads = counts.reads.each_ref();
        let [first, last, other] = reads.map(|r| r.as_deref().map(ReadStatistics::from));
        Figures {
            records: Records { passed, failed },
            unplaced: counts.references.counts(None).iter().sum(),
            mapping_quality: (0u8..=255)
                .zip(counts.mapping_qualities.0)
                .filter(|&(_, n)| n > 0)
                .collect(),
            alignment: Alignment {
                aligned_bases: aligned,
                edit_distance: basics.edit_distance,
                error_rate: ratio(basics.edit_distance, aligned),
                operations: operations
                    .filter(|(_, (n, _))| *n > 0)
                    .map(|(letter, (n, bases))| (letter, n, bases))
                    .collect(),
                clipped_records: basics.clipped,
                indels: (1..)
                    .zip(basics.indels.iter())
                    .filter(|(_, n)| n[0] + n[1] > 0)
                    .map(|(len, n)| (len, n[0], n[1]))
                    .collect(),
            },
            insert_size: InsertSize::of(&basics.inserts),
            coverage: depth.map(|(positions, sums)| {
                let all: u64 = s.header.references().iter().map(|r| r.length).sum();
                let covered = sums.iter().map(|(covered, _)| covered).sum();
                Coverage {
                    positions: all,
                    covered,
                    breadth_percent: Percent::of(covered, all).value(),
                    mean_depth: ratio(sums.iter().map(|(_, bases)| bases).sum(), all),
                    histogram: (0..=MAX_DEPTH)
                        .zip(positions.iter().copied())
                        .filter(|&(_, n)| n > 0)
                        .collect(),
                }
            }),
            references,
            reads: Reads { first, last, other },
        }
    }
}

impl InsertSize {
    fn of(records: &[[u64; 3]]) -> InsertSize {
        let mut sizes = Lengths::default();
        let mut totals = [0; 3];
        let mut histogram = Vec::new();
        for (size, count) in records.iter().enumerate().take(MAX_INSERT + 1) {
            // Both reads of a pair were counted.
            let pairs = count.map(|n| n / 2);
            let n: u64 = pairs.iter().sum();
            if n > 0 {
                let [inward, outward, other] = pairs;
                histogram.push((size, inward, outward, other));
                totals.iter_mut().zip(pairs).for_each(|(total, n)| *total += n);
                sizes.add(size as u64, n);
            }
        }
        let [inward, outward, other] = totals;
        InsertSize {
            pairs: inward + outward + other,
            inward,
            outward,
            other,
            median: sizes.quartiles()[1] as u64,
            histogram,
        }
    }
}

/// A ratio as JSON shows it; 0 of nothing.
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { rounded(part as f64 / whole as f64) }
}
