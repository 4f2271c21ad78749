//! What is odd about records: kinds of warnings, counted.

use super::Rule;

/// A kind of warning about records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    NameUnusual,
    NamePadded,
    NameEmpty,
    FlagsReserved,
    FlagsUnpaired,
    MappedWithoutPlace,
    CigarBack,
    CigarClipInside,
    CigarOfUnmapped,
    BeyondReference,
    StartsBeyondReference,
    MateBeyondReference,
    MateNegative,
    QualitiesPartlyMissing,
    TagName,
    TagTwice,
    TagCharacters,
    TagDouble,
    TagType,
    ReadGroupUnknown,
}

const KINDS: usize = Doubt::ALL.len();

impl Doubt {
    const ALL: [Doubt; 20] = [
        Doubt::NameUnusual,
        Doubt::NamePadded,
        Doubt::NameEmpty,
        Doubt::FlagsReserved,
        Doubt::FlagsUnpaired,
        Doubt::MappedWithoutPlace,
        Doubt::CigarBack,
        Doubt::CigarClipInside,
        Doubt::CigarOfUnmapped,
        Doubt::BeyondReference,
        Doubt::StartsBeyondReference,
        Doubt::MateBeyondReference,
        Doubt::MateNegative,
        Doubt::QualitiesPartlyMissing,
        Doubt::TagName,
        Doubt::TagTwice,
        Doubt::TagCharacters,
        Doubt::TagDouble,
        Doubt::TagType,
        Doubt::ReadGroupUnknown,
    ];

    fn describe(self) -> (Rule, &'static str) {
        match self {
            Doubt::NameUnusual => {
                (Rule::Name, "the name holds a character the specification doesn't allow")
            }
            Doubt::NamePadded => (Rule::Name, "the name is padded with NULs"),
            Doubt::NameEmpty => (Rule::Name, "the name is empty or NUL, where it should be '*'"),
            Doubt::FlagsReserved => (Rule::Flags, "flags above 0x800 are set, which are reserved"),
            Doubt::FlagsUnpaired => {
                (Rule::Flags, "flags about a mate are set (0x2, 0x8, 0x20, 0x40, 0x80) without 0x1")
            }
            Doubt::MappedWithoutPlace => {
                (Rule::Flags, "the record counts as mapped (no 0x4), but has no place")
            }
            Doubt::CigarBack => (Rule::Cigar, "the CIGAR has the operation 'B' of old versions"),
            Doubt::CigarClipInside => (Rule::Cigar, "the CIGAR clips inside the alignment"),
            Doubt::CigarOfUnmapped => {
                (Rule::Cigar, "CIGAR and sequence of an unmapped read have different lengths")
            }
            Doubt::BeyondReference => {
                (Rule::Position, "the alignment ends beyond the end of its reference sequence")
            }
            Doubt::StartsBeyondReference => {
                (Rule::Position, "the position is beyond the end of the reference sequence")
            }
            Doubt::MateBeyondReference => {
                (Rule::Mate, "the mate's position is beyond the end of its reference sequence")
            }
            Doubt::MateNegative => (Rule::Mate, "the mate's position (PNEXT) is negative"),
            Doubt::QualitiesPartlyMissing => {
                (Rule::Qualities, "the first quality is missing (0xff), but not all are")
            }
            Doubt::TagName => {
                (Rule::Tags, "an optional field's name isn't a letter and a letter or digit")
            }
            Doubt::TagTwice => (Rule::Tags, "an optional field occurs twice"),
            Doubt::TagCharacters => {
                (Rule::Tags, "the text of an optional field holds a character that isn't printable")
            }
            Doubt::TagDouble => {
                (Rule::Tags, "an optional field has type 'd', which isn't in the specification")
            }
            Doubt::TagType => {
                (Rule::Tags, "an optional field the specification defines has another type")
            }
            Doubt::ReadGroupUnknown => (Rule::Tags, "the read group (RG) isn't in the header"),
        }
    }
}

/// Where each kind was seen first, and how often. Records are counted from 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Doubts {
    seen: [Option<Seen>; KINDS],
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) record: u64,
    count: u64,
}

impl Doubts {
    #[cold]
    pub(super) fn add(&mut self, doubt: Doubt, record: u64) {
        self.seen[doubt as usize].get_or_insert(Seen { record, count: 0 }).count += 1;
    }

    /// Adds what was seen in later records, and forgets it there.
    pub(super) fn take(&mut self, later: &mut Doubts) {
        for (mine, theirs) in self.seen.iter_mut().zip(&mut later.seen) {
            if let Some(theirs) = theirs.take() {
                mine.get_or_insert(Seen { record: theirs.record, count: 0 }).count += theirs.count;
            }
        }
    }

    /// Each kind that was seen: what, in which record first, and how often.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Rule, &'static str, u64, u64)> + '_ {
        Doubt::ALL.iter().zip(&self.seen).filter_map(|(doubt, seen)| {
            let Seen { record, count } = (*seen)?;
            let (rule, message) = doubt.describe();
            Some((rule, message, record, count))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_place() {
        for (index, doubt) in Doubt::ALL.into_iter().enumerate() {
            assert_eq!(doubt as usize, index);
        }
    }
}
