//! Which read of its template a record is.

use biofast_bam::flag;

/// Which read of a template a record is, by the rules of samtools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateSegment {
    /// Neither of the two, or both.
    Other = 0,
    /// The first read.
    First = 1,
    /// The second read.
    Second = 2,
}

impl TemplateSegment {
    /// The part that a record's flags name.
    pub fn of(flags: u16) -> TemplateSegment {
        match (flags & flag::READ1 != 0, flags & flag::READ2 != 0) {
            (true, false) => TemplateSegment::First,
            (false, true) => TemplateSegment::Second,
            _ => TemplateSegment::Other,
        }
    }
}
