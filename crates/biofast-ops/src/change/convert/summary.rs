//! What a conversion has read and written.

use crate::measure::records::Sum;

/// What has been done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConvertSummary {
    /// First and second reads that came in, of those that were asked for.
    pub input: [Sum; 2],
    /// Those that were written, as edited.
    pub output: [Sum; 2],
    /// Bases that came in.
    pub input_bases: u64,
    /// Bases that were written.
    pub output_bases: u64,
    /// Bases `.` that BAM has as N.
    pub dots_as_n: u64,
}

impl ConvertSummary {
    /// Adds what another worker has done.
    pub fn merge(&mut self, other: &ConvertSummary) {
        for (mine, theirs) in self.input.iter_mut().zip(other.input) {
            mine.add(theirs);
        }
        for (mine, theirs) in self.output.iter_mut().zip(other.output) {
            mine.add(theirs);
        }
        self.input_bases += other.input_bases;
        self.output_bases += other.output_bases;
        self.dots_as_n += other.dots_as_n;
    }
}
