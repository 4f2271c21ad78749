//! Sheets of samples: tables with a header, and Illumina's SampleSheet.csv.

mod error;
mod illumina;
mod samples;
mod table;
#[cfg(test)]
mod tests;

pub use error::SheetError;
use samples::samples;
pub use samples::{Sample, Sheet};

impl Sheet {
    /// Reads a sheet. It is Illumina's if it has a section `[Data]` (version 1) or `[BCLConvert_Data]` (version 2), else a table
    /// with a header, of commas, tabs or semicolons, with the columns `sample_id` and `barcode`, as fqtk has them, or `barcode1` and
    /// `barcode2`; names of columns count whatever their case and marks. Of a sheet with lanes those of `lane` are taken, or all.
    ///
    /// # Errors
    /// The first thing that is wrong with it; a column that isn't known, as it may say how samples are told apart.
    pub fn parse(text: &[u8], lane: Option<u32>) -> Result<Sheet, SheetError> {
        Sheet::parse_without(text, lane, &[])
    }

    /// Like [`parse`](Sheet::parse), but ignores the columns with these names. Case and punctuation of names don't
    /// matter.
    ///
    /// # Errors
    /// As [`parse`](Sheet::parse).
    pub fn parse_without(
        text: &[u8],
        lane: Option<u32>,
        ignored: &[String],
    ) -> Result<Sheet, SheetError> {
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        let text = std::str::from_utf8(text).map_err(|error| {
            let line = text[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
            SheetError::new(line, "not UTF-8")
        })?;
        match illumina::is_illumina(text) {
            true => illumina::parse(text, lane, ignored),
            false => {
                let rows =
                    table::SheetRows::new(text.lines().zip(1..).map(|(text, line)| (line, text)))?;
                samples(&rows, lane, ignored)
            }
        }
    }
}
