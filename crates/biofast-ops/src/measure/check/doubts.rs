//! What is odd about records: kinds of warnings, counted.

use super::Rule;

/// A kind of warning about records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    NamePadded,
    FlagsReserved,
    FlagsUnpaired,
    MappedWithoutPlace,
    CigarOfUnmapped,
    BeyondReference,
    StartsBeyondReference,
    MateBeyondReference,
    MateNegative,
    TagType,
    ReadGroupUnknown,
    NoNumber,
    Modifications,
}

const KINDS: usize = Doubt::ALL.len();

impl Doubt {
    const ALL: [Doubt; 13] = [
        Doubt::NamePadded,
        Doubt::FlagsReserved,
        Doubt::FlagsUnpaired,
        Doubt::MappedWithoutPlace,
        Doubt::CigarOfUnmapped,
        Doubt::BeyondReference,
        Doubt::StartsBeyondReference,
        Doubt::MateBeyondReference,
        Doubt::MateNegative,
        Doubt::TagType,
        Doubt::ReadGroupUnknown,
        Doubt::NoNumber,
        Doubt::Modifications,
    ];

    fn describe(self) -> (Rule, &'static str) {
        match self {
            Doubt::NamePadded => (Rule::Name, "the name is padded with NULs"),
            Doubt::FlagsReserved => (Rule::Flags, "flags above 0x800 are set, which are reserved"),
            Doubt::FlagsUnpaired => {
                (Rule::Flags, "flags about a mate are set (0x2, 0x8, 0x20, 0x40, 0x80) without 0x1")
            }
            Doubt::MappedWithoutPlace => {
                (Rule::Flags, "the record counts as mapped (no 0x4), but has no place")
            }
            Doubt::CigarOfUnmapped => (
                Rule::Cigar,
                "the CIGAR of an unmapped read doesn't fit its sequence, or clips inside",
            ),
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
            Doubt::TagType => {
                (Rule::Tags, "an optional field the specification defines has another type")
            }
            Doubt::ReadGroupUnknown => (Rule::Tags, "the read group (RG) isn't in the header"),
            Doubt::NoNumber => (
                Rule::Tags,
                "a number of an optional field (type f) is infinite or none, for which SAM has no text",
            ),
            Doubt::Modifications => (
                Rule::Tags,
                "base modifications (MM, ML, MN) don't fit the sequence or one another",
            ),
        }
    }
}

/// Where a kind of this rule and message stands among all.
pub(super) fn position(rule: Rule, message: &str) -> usize {
    let described = Doubt::ALL.iter().map(|doubt| doubt.describe());
    described.into_iter().position(|own| own == (rule, message)).unwrap_or(KINDS)
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
