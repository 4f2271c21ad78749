//! The JSON form of statistics of alignments.

use serde::{Deserialize, Serialize};

use super::Statistics;
use super::counts::Counts;
use super::join::Invalid;
use super::partial::Partial;
use crate::measure::flagstat::FlagStat;
use crate::measure::reads::report::{Statistics as ReadStatistics, Status};
use crate::measure::shards::Part;
use crate::measure::verdicts::{Assessment, Rules};

/// The `schema` of a report.
pub const SCHEMA: &str = "biofast.alignment-stats";
/// The `schema_version` of a report. Fields may be added within a version. Version 1 lacked what it takes to
/// [join](super::join) reports; depths of version 2 counted duplicates and both mates.
pub const SCHEMA_VERSION: u32 = 3;

/// What `biofast stats --json` prints of alignments.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct FileReport {
    /// The sample's name, by default the path.
    pub sample: String,
    /// The input.
    pub input: String,
    /// Whose records these are, where they are not all of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
    /// `ok` or `error`.
    pub status: Status,
    /// What went wrong. The figures below are then those of the records before the fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What is worth knowing.
    pub warnings: Vec<String>,
    /// `BAM`, `SAM` or `CRAM`.
    pub format: String,
    /// Of which shards of a plan this is; absent of whole files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Part>,
    /// What the figures are worth, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdicts: Option<Assessment>,
    /// The figures; absent where nothing could be read.
    #[serde(flatten)]
    pub figures: Option<Figures>,
}

/// [`FileReport`] as it is read: figures that lack a field would be taken for none.
#[derive(Deserialize)]
struct Stored {
    sample: String,
    input: String,
    group: Option<Group>,
    status: Status,
    error: Option<String>,
    #[serde(default)]
    warnings: Vec<String>,
    format: String,
    #[serde(default)]
    shard: Option<Part>,
    #[serde(default)]
    verdicts: Option<Assessment>,
    #[serde(flatten)]
    figures: Option<Figures>,
}

impl TryFrom<Stored> for FileReport {
    type Error = String;

    fn try_from(stored: Stored) -> Result<FileReport, String> {
        let Stored {
            sample,
            input,
            group,
            status,
            error,
            warnings,
            format,
            shard,
            verdicts,
            figures,
        } = stored;
        if status == Status::Ok && figures.is_none() {
            return Err(format!("the figures of sample '{sample}' are missing or damaged"));
        }
        Ok(FileReport {
            sample,
            input,
            group,
            status,
            error,
            warnings,
            format,
            shard,
            verdicts,
            figures,
        })
    }
}

/// A read group, or all of a sample or a library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// `RG`, `SM` or `LB`.
    pub by: String,
    /// Its name; that of records without one is `no_RG`, `no_SM` or `no_LB`.
    pub name: String,
}

/// The figures of an input.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    /// What the report of a part carries for [joining](super::join) it with others; absent in that of a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<Partial>,
}

/// Records by flag.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Records {
    /// Those that passed quality control.
    pub passed: FlagStat,
    /// Those that failed it.
    pub failed: FlagStat,
}

impl Records {
    /// All of them.
    pub(crate) fn all(&self) -> FlagStat {
        self.passed.checked_add(&self.failed).unwrap_or(self.passed)
    }
}

/// One reference sequence.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reference {
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

/// Primary reads by fragment, as they were sequenced; `null` where there are none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reads {
    /// First reads of pairs, and reads that aren't paired.
    pub first: Option<ReadStatistics>,
    /// Last reads of pairs.
    pub last: Option<ReadStatistics>,
    /// Paired reads that are neither or both.
    pub other: Option<ReadStatistics>,
}

/// The part of a report that says how to read the rest; read it first.
#[derive(Clone, Debug, Deserialize)]
pub struct Preamble {
    schema: String,
    schema_version: u32,
}

impl Preamble {
    /// Checks that this is a report of alignments that this version understands.
    ///
    /// # Errors
    /// If it isn't.
    pub fn check(&self) -> Result<(), Invalid> {
        if self.schema != SCHEMA {
            return Err(Invalid::Schema(self.schema.clone()));
        }
        if self.schema_version != SCHEMA_VERSION {
            return Err(Invalid::Version(self.schema_version));
        }
        Ok(())
    }
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

    /// Judges what nobody has judged, as pages do. What has a fault, or is a part, has no verdict.
    ///
    /// ```
    /// use biofast_ops::alignments::report::Report;
    /// use biofast_ops::verdicts::{Library, Rules};
    ///
    /// let mut report = Report::new("0.2.0", Vec::new());
    /// report.judge(&Rules::of(Library::Any));
    /// assert!(report.files.iter().all(|file| file.verdicts.is_some()));
    /// ```
    pub fn judge(&mut self, rules: &Rules) {
        for file in &mut self.files {
            let is_whole = file.status == Status::Ok && file.shard.is_none();
            let figures = file.figures.as_ref().filter(|f| is_whole && f.partial.is_none());
            if let (Some(figures), None) = (figures, &file.verdicts) {
                file.verdicts = Some(Assessment::of_alignments(figures, rules));
            }
        }
    }
}

impl From<&Statistics> for Figures {
    fn from(statistics: &Statistics) -> Figures {
        Counts::of(statistics).figures()
    }
}
