//! A read as it comes to be collated.

use crate::change::to_fastq::segment::TemplateSegment;

/// A first or second read as it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadArrival<'a> {
    /// The name it shares with its mate.
    pub name: &'a [u8],
    /// What is to be written.
    pub text: &'a [u8],
    /// Which of the two it is.
    pub part: TemplateSegment,
    /// Whether its qualities are known: of several records of a read, one with them is preferred.
    pub has_qualities: bool,
    /// Whether it is the record of the read, and no secondary or supplementary one. Two of these are two reads, also if they have the
    /// same name.
    pub is_primary: bool,
}
