//! What a check has found.

use biofast_io::splice::Places;
use biofast_io::{Container, Location};

use super::fault::{CheckRule, Fault, Warning};
use super::format::CheckedFormat;
use crate::measure::reads::PairCheck;
use crate::measure::records::{RecordSum, Sum};

/// What a check found.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What the input holds.
    pub format: CheckedFormat,
    /// What it is wrapped in.
    pub container: Option<Container>,
    /// Good records, up to the fault if there is one; `None` of other data.
    pub records: Option<u64>,
    /// The first fault; without one the input is good.
    pub fault: Option<Fault>,
    /// What is odd.
    pub warnings: Vec<Warning>,
    /// What the check of pairs needs, if it was asked for and the input is FASTQ.
    pub pairs: Option<PairCheck>,
    /// Number and checksum of the records, if they were asked for and the input is good.
    pub sum: Option<Sum>,
}

impl Outcome {
    pub(super) fn new(format: CheckedFormat) -> Outcome {
        Outcome {
            format,
            container: None,
            records: None,
            fault: None,
            warnings: Vec::new(),
            pairs: None,
            sum: None,
        }
    }

    /// Sets the fault of a good input whose records aren't those that a summary names.
    pub fn compare(&mut self, expected: &RecordSum) {
        if self.fault.is_some() {
            return;
        }
        let message = match self.sum.map(RecordSum::from) {
            Some(found) if found == *expected => return,
            Some(found) => format!(
                "the summary says {} records with checksum {}, found {} with {}",
                expected.reads, expected.checksum, found.reads, found.checksum
            ),
            None => format!("the summary says records, found {}", self.format.name()),
        };
        self.fault = Some(Fault::new(CheckRule::Summary, message, Location::default()));
    }
}

impl Outcome {
    /// Adds what the byte layer found besides the data, of a part that starts with the record `first` (from 0) and whose bytes are at
    /// those `places` of the file.
    pub(super) fn add_note(
        &mut self,
        note: &biofast_io::Warning,
        first: u64,
        places: Option<&Places>,
    ) {
        match note {
            biofast_io::Warning::GzipAfterBlocks(at) => {
                let message = "ordinary gzip follows BGZF blocks";
                let block = places.and_then(|places| places.in_file(*at)).unwrap_or(*at);
                let at = Location { block: Some(block), ..Location::default() };
                // BAM is BGZF (SAM specification, section 4.1); other data may be any gzip.
                if self.format == CheckedFormat::Bam && self.fault.is_none() {
                    self.fault = Some(Fault::new(CheckRule::Container, message, at));
                } else {
                    self.warnings
                        .push(Warning { at, ..Warning::new(CheckRule::Container, message) });
                }
            }
            // Only where a missing end-of-file block is allowed; else reading ends there.
            biofast_io::Warning::BlankLines { record, line, .. } => {
                let message = biofast_fastq::ErrorKind::BlankLine.to_string();
                let at =
                    Location { record: Some(*record), line: Some(*line), ..Location::default() };
                if self.fault.is_none() {
                    self.fault = Some(Fault::new(CheckRule::Fastq, message, at));
                    self.records = Some((record - 1).saturating_sub(first));
                }
            }
            biofast_io::Warning::Tolerated { what, count, first }
            | biofast_io::Warning::Noticed { what, count, first } => {
                let count = self.fault.is_none().then_some(*count);
                let at = Location { name: None, ..first.clone() };
                self.warnings.push(Warning { at, count, ..Warning::new(CheckRule::Record, *what) });
            }
            _ => {
                let message = "the end-of-file marker is missing: the file may have been truncated";
                self.warnings.push(Warning::new(CheckRule::EndMarker, message));
            }
        }
    }
}
