//! The JSON form of statistics: complete enough to be merged again.

use biofast_kernels::BaseCounts;
use serde::{Deserialize, Serialize};

use super::collector::Collector;
use super::contaminants::Contaminants;
use super::numbers::dense;
pub(crate) use super::numbers::rounded;
pub use super::numbers::{InvalidReport, SCHEMA, SCHEMA_VERSION};
use super::qc;
pub use super::qc::Section as Qc;
use super::statistic::Counts;
pub use super::statistic::Statistics;
pub use super::statistic::composition::Composition;
pub use super::statistic::lengths::Length;
pub use super::statistic::positions::Position;
pub use super::statistic::qualities::Quality;
use crate::measure::verdicts::{Assessment, VerdictRules};

/// What `biofast stats --json` prints.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReadReport {
    /// [`SCHEMA`].
    pub schema: String,
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The version of biofast that wrote it.
    pub biofast_version: String,
    /// One entry an input, in the order given.
    pub files: Vec<ReadFileReport>,
}

/// One input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReadFileReport {
    /// The sample's name, by default the path.
    pub sample: String,
    /// The inputs counted here.
    pub inputs: Vec<String>,
    /// `ok` or `error`.
    pub status: Status,
    /// What went wrong. The figures below are then those of the reads before the fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What is worth knowing.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// `FASTQ` or `FASTA`; `FASTA, FASTQ` of a sample with files of both.
    pub format: String,
    /// 1 or 2 of the two files of a pair, which follow each other; absent where files weren't read as mates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<u8>,
    /// What the figures are worth, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdicts: Option<Assessment>,
    /// The figures.
    #[serde(flatten)]
    pub statistics: Statistics,
}

/// Whether an input was read to its end without a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Read to its end.
    Ok,
    /// Faulty.
    Error,
}

impl ReadReport {
    /// A report of `files`, by the biofast of `version`.
    pub fn new(version: &str, files: Vec<ReadFileReport>) -> ReadReport {
        ReadReport {
            schema: SCHEMA.into(),
            schema_version: SCHEMA_VERSION,
            biofast_version: version.into(),
            files,
        }
    }

    /// Judges the files without verdicts, as HTML reports do. Files with a fault get none.
    pub fn judge(&mut self, rules: &VerdictRules) {
        for file in &mut self.files {
            if file.status == Status::Ok && file.verdicts.is_none() {
                file.verdicts = Some(Assessment::of_reads(&file.statistics, rules));
            }
        }
    }
}

/// The part of a report that says how to read the rest; read it first.
#[derive(Clone, Debug, Deserialize)]
pub struct Preamble {
    schema: String,
    schema_version: u32,
}

impl Preamble {
    /// Checks that this is a report this version understands.
    ///
    /// # Errors
    /// If it isn't.
    pub fn check(&self) -> Result<(), InvalidReport> {
        if self.schema != SCHEMA {
            return Err(InvalidReport::Schema(self.schema.clone()));
        }
        if self.schema_version != SCHEMA_VERSION {
            return Err(InvalidReport::Version(self.schema_version));
        }
        Ok(())
    }
}

impl From<&Collector> for Statistics {
    fn from(collector: &Collector) -> Self {
        collector.statistics(&Contaminants::known())
    }
}

impl TryFrom<&Statistics> for Collector {
    type Error = InvalidReport;

    /// Reads counts back. Derived figures are ignored.
    fn try_from(s: &Statistics) -> Result<Collector, InvalidReport> {
        let counts = Counts::read_back(s)?;
        consistent(s, &counts)?;
        let qc = s.qc.as_deref().map(qc::Qc::read_back).transpose()?.map(Box::new);
        Ok(Collector { reads: s.reads, counts, pairs: None, qc })
    }
}

/// Whether the counts agree with each other, so that a damaged report isn't merged silently.
fn consistent(s: &Statistics, c: &Counts) -> Result<(), InvalidReport> {
    let lengths = s.length.histogram.iter();
    let reads = sum(lengths.clone().map(|&(_, n)| n))?;
    let bases = sum(lengths.map(|&(len, n)| len.saturating_mul(n)))?;
    let composition = &s.composition;
    let counts = BaseCounts {
        a: composition.a,
        c: composition.c,
        g: composition.g,
        t: composition.t,
        n: composition.n,
        other: sum(composition.other.values().copied())?,
    };
    if reads != s.reads {
        return Err(InvalidReport::Inconsistent("'length.histogram' doesn't add up to 'reads'"));
    }
    if bases != s.bases {
        return Err(InvalidReport::Inconsistent("'length.histogram' doesn't add up to 'bases'"));
    }
    if sum(s.positions.iter().flat_map(|p| p.bases))? != bases {
        return Err(InvalidReport::Inconsistent("'positions' doesn't add up to 'bases'"));
    }
    if c.positions.base_counts() != counts {
        return Err(InvalidReport::Inconsistent("'positions' doesn't add up to 'composition'"));
    }
    // Those of FASTA have none.
    let with_qualities = sum(s.positions.iter().flat_map(|p| p.qualities.iter().map(|q| q.1)))?;
    if with_qualities > bases {
        return Err(InvalidReport::Inconsistent("'positions' has more qualities than 'bases'"));
    }
    if dense(&s.quality.histogram)? != c.positions.quality_histogram() {
        return Err(InvalidReport::Inconsistent(
            "'quality.histogram' isn't the sum of 'positions'",
        ));
    }
    // Reads without A, C, G and T have no GC.
    if sum(c.composition.gc)? > reads {
        return Err(InvalidReport::Inconsistent(
            "'composition.gc_histogram' has more than 'reads'",
        ));
    }
    // Empty reads have no quality.
    let empty = sum(s.length.histogram.iter().filter(|row| row.0 == 0).map(|row| row.1))?;
    let means = sum(c.quality.reads)?;
    let is_known = with_qualities == bases;
    if means > reads - empty || (is_known && means != reads - empty) || c.quality.phred64 > means {
        return Err(InvalidReport::Inconsistent(
            "'quality.read_mean_histogram' doesn't add up to the reads with bases",
        ));
    }
    Ok(())
}

/// A sum that a forged report can't overflow.
fn sum(values: impl IntoIterator<Item = u64>) -> Result<u64, InvalidReport> {
    let mut values = values.into_iter();
    values
        .try_fold(0u64, u64::checked_add)
        .ok_or(InvalidReport::Inconsistent("counts exceed 64 bits"))
}
