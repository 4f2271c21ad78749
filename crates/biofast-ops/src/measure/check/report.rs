//! The JSON form of what checks found.

use biofast_io::Location;
use serde::Serialize;

use super::fault::{Fault, Warning};
use super::outcome::Outcome;

/// The `schema` of a report.
pub const SCHEMA: &str = "biofast.check";
/// The `schema_version` of a report. Fields may be added within a version; a field that
/// changes its meaning or goes away raises it.
pub const SCHEMA_VERSION: u32 = 1;

/// What `biofast check --json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The version of biofast that wrote it.
    pub biofast_version: String,
    /// One entry an input, in the order given.
    pub files: Vec<CheckFileReport>,
}

/// What is known of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// Good to its last byte.
    Ok,
    /// Faulty.
    Fault,
    /// It couldn't be read.
    Error,
}

impl CheckStatus {
    /// `ok`, `fault` or `error`.
    pub fn name(self) -> &'static str {
        match self {
            CheckStatus::Ok => "ok",
            CheckStatus::Fault => "fault",
            CheckStatus::Error => "error",
        }
    }
}

/// One input.
#[derive(Clone, Debug, Serialize)]
pub struct CheckFileReport {
    /// Its path, or the label of a stream.
    pub path: String,
    /// What is known of it.
    pub status: CheckStatus,
    /// `FASTQ`, `BAM`, `SAM`, `CRAM` or `other`; `null` if it couldn't be read.
    pub format: Option<&'static str>,
    /// `plain`, `gzip`, `bgzf`, `zstd`, `bzip2` or `xz`.
    pub container: Option<&'static str>,
    /// Good records, up to the fault if there is one.
    pub records: Option<u64>,
    /// The first fault, or why the input couldn't be read.
    pub fault: Option<Finding>,
    /// What is odd.
    pub warnings: Vec<Finding>,
}

/// Something found in an input.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// What it is about; `read` if the input couldn't be read.
    pub rule: &'static str,
    /// What was expected and found.
    pub message: String,
    /// The record, from 1.
    pub record: Option<u64>,
    /// The line, from 1.
    pub line: Option<u64>,
    /// The byte in the decompressed data, from 0.
    pub offset: Option<u64>,
    /// The byte in the file, from 0: the BGZF block, the CRAM container or the damaged place.
    pub compressed_offset: Option<u64>,
    /// How often, of warnings; `null` if a fault ended the reading.
    pub count: Option<u64>,
}

impl Finding {
    fn new(rule: &'static str, message: &str, at: &Location) -> Finding {
        Finding {
            rule,
            message: message.to_owned(),
            record: at.record,
            line: at.line,
            offset: at.offset,
            compressed_offset: at.block,
            count: None,
        }
    }
}

impl From<&Fault> for Finding {
    fn from(fault: &Fault) -> Finding {
        Finding::new(fault.rule.name(), &fault.message, &fault.at)
    }
}

impl From<&Warning> for Finding {
    fn from(warning: &Warning) -> Finding {
        let finding = Finding::new(warning.rule.name(), &warning.message, &warning.at);
        Finding { count: warning.count, ..finding }
    }
}

impl CheckReport {
    /// A report of `files`.
    pub fn new(version: &str, files: Vec<CheckFileReport>) -> CheckReport {
        let biofast_version = version.to_owned();
        CheckReport { schema: SCHEMA, schema_version: SCHEMA_VERSION, biofast_version, files }
    }
}

impl CheckFileReport {
    /// The entry of an input that was read.
    pub fn new(path: &str, outcome: &Outcome) -> CheckFileReport {
        CheckFileReport {
            path: path.to_owned(),
            status: if outcome.fault.is_none() { CheckStatus::Ok } else { CheckStatus::Fault },
            format: Some(outcome.format.name()),
            container: outcome.container.map(|container| container.name()),
            records: outcome.records,
            fault: outcome.fault.as_ref().map(Finding::from),
            warnings: outcome.warnings.iter().map(Finding::from).collect(),
        }
    }

    /// The entry of an input that couldn't be read, and why.
    pub fn unreadable(path: &str, reason: &str) -> CheckFileReport {
        CheckFileReport {
            path: path.to_owned(),
            status: CheckStatus::Error,
            format: None,
            container: None,
            records: None,
            fault: Some(Finding::new("read", reason, &Location::default())),
            warnings: Vec::new(),
        }
    }
}
