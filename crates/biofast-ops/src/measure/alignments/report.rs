//! The JSON form of statistics of alignments.

use serde::{Deserialize, Serialize};

pub use crate::measure::picard::gc_bias::GcBias;

pub use super::figures::{
    Alignment, CountsAtPosition, Coverage, DuplicateTypes, Figures, InsertSize,
    MismatchesByPosition, ReadsByFragment, RecordCounts, ReferenceReport, SCHEMA, SCHEMA_VERSION,
};
use super::invalid::Invalid;
use crate::measure::reads::report::Status;
use crate::measure::verdicts::{Assessment, VerdictRules};

/// What `biofast stats --json` prints of alignments.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AlignmentReport {
    /// [`SCHEMA`].
    pub schema: String,
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The version of biofast that wrote it.
    pub biofast_version: String,
    /// One entry an input, in the order given.
    pub files: Vec<AlignmentFileReport>,
}

/// One input.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "FileReportFields")]
pub struct AlignmentFileReport {
    /// The sample's name, by default the path.
    pub sample: String,
    /// The input.
    pub input: String,
    /// Whose records these are, where they are not all of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<ReportGroup>,
    /// `ok` or `error`.
    pub status: Status,
    /// What went wrong. The figures below are then those of the records before the fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What is worth knowing.
    pub warnings: Vec<String>,
    /// `BAM`, `SAM` or `CRAM`.
    pub format: String,
    /// What the figures are worth, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdicts: Option<Assessment>,
    /// The figures; absent where nothing could be read.
    #[serde(flatten)]
    pub figures: Option<Figures>,
}

/// [`AlignmentFileReport`] as it is read: figures that lack a field would be taken for none.
#[derive(Deserialize)]
struct FileReportFields {
    sample: String,
    input: String,
    group: Option<ReportGroup>,
    status: Status,
    error: Option<String>,
    #[serde(default)]
    warnings: Vec<String>,
    format: String,
    #[serde(default)]
    verdicts: Option<Assessment>,
    #[serde(flatten)]
    figures: Option<Figures>,
}

impl TryFrom<FileReportFields> for AlignmentFileReport {
    type Error = String;

    fn try_from(stored: FileReportFields) -> Result<AlignmentFileReport, String> {
        let FileReportFields {
            sample,
            input,
            group,
            status,
            error,
            warnings,
            format,
            verdicts,
            figures,
        } = stored;
        if status == Status::Ok && figures.is_none() {
            return Err(format!("the statistics of sample '{sample}' are missing or damaged"));
        }
        Ok(AlignmentFileReport {
            sample,
            input,
            group,
            status,
            error,
            warnings,
            format,
            verdicts,
            figures,
        })
    }
}

/// A read group, or all of a sample or a library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportGroup {
    /// `RG`, `SM` or `LB`.
    pub by: String,
    /// Its name; that of records without one is `no_RG`, `no_SM` or `no_LB`.
    pub name: String,
}

/// The part of a report that says how to read the rest; read it first.
#[derive(Clone, Debug, Deserialize)]
pub struct AlignmentPreamble {
    schema: String,
    schema_version: u32,
}

impl AlignmentPreamble {
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

impl AlignmentReport {
    /// A report of `files`, by the biofast of `version`.
    pub fn new(version: &str, files: Vec<AlignmentFileReport>) -> AlignmentReport {
        AlignmentReport {
            schema: SCHEMA.into(),
            schema_version: SCHEMA_VERSION,
            biofast_version: version.into(),
            files,
        }
    }

    /// Judges the files without verdicts, as HTML reports do. Files with a fault get none.
    pub fn judge(&mut self, rules: &VerdictRules) {
        for file in &mut self.files {
            let figures = file.figures.as_ref().filter(|_| file.status == Status::Ok);
            if let (Some(figures), None) = (figures, &file.verdicts) {
                file.verdicts = Some(Assessment::of_alignments(figures, rules));
            }
        }
    }
}
