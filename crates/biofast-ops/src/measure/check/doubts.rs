//! What is odd about records: kinds of warnings, counted.

use super::fault::CheckRule;

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

    fn describe(self) -> (CheckRule, &'static str) {
        match self {
            Doubt::NamePadded => (CheckRule::Name, "the name is padded with NULs"),
            Doubt::FlagsReserved => {
                (CheckRule::Flags, "flags above 0x800 are set, which are reserved")
            }
            Doubt::FlagsUnpaired => (
                CheckRule::Flags,
                "flags about a mate are set (0x2, 0x8, 0x20, 0x40, 0x80) without 0x1",
            ),
            Doubt::MappedWithoutPlace => {
                (CheckRule::Flags, "the record is flagged as mapped (no 0x4) but has no position")
            }
            Doubt::CigarOfUnmapped => (
                CheckRule::Cigar,
                "the CIGAR of an unmapped read doesn't match its sequence or has clipping inside",
            ),
            Doubt::BeyondReference => {
                (CheckRule::Position, "the alignment ends past the end of its reference")
            }
            Doubt::StartsBeyondReference => {
                (CheckRule::Position, "the position is past the end of the reference")
            }
            Doubt::MateBeyondReference => {
                (CheckRule::Mate, "the mate's position is past the end of its reference")
            }
            Doubt::MateNegative => (CheckRule::Mate, "the mate's position (PNEXT) is negative"),
            Doubt::TagType => (CheckRule::Tags, "a tag has a type other than the specification's"),
            Doubt::ReadGroupUnknown => (CheckRule::Tags, "the read group (RG) isn't in the header"),
            Doubt::NoNumber => (
                CheckRule::Tags,
                "a number in a tag (type f) is infinite or NaN, which SAM can't express",
            ),
            Doubt::Modifications => (
                CheckRule::Tags,
                "base modifications (MM, ML, MN) don't match the sequence or one another",
            ),
        }
    }
}

/// Where a kind of this rule and message stands among all.
pub(super) fn position(rule: CheckRule, message: &str) -> usize {
    let described = Doubt::ALL.iter().map(|doubt| doubt.describe());
    described.into_iter().position(|own| own == (rule, message)).unwrap_or(KINDS)
}

/// Where each kind was seen first, and how often. Records are counted from 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Doubts {
    seen: [Option<DoubtCount>; KINDS],
}

#[derive(Clone, Copy, Debug)]
pub(super) struct DoubtCount {
    pub(super) record: u64,
    count: u64,
}

impl Doubts {
    #[cold]
    pub(super) fn add(&mut self, doubt: Doubt, record: u64) {
        self.seen[doubt as usize].get_or_insert(DoubtCount { record, count: 0 }).count += 1;
    }

    /// Adds what was seen in later records, and forgets it there.
    pub(super) fn take(&mut self, later: &mut Doubts) {
        for (mine, theirs) in self.seen.iter_mut().zip(&mut later.seen) {
            if let Some(theirs) = theirs.take() {
                mine.get_or_insert(DoubtCount { record: theirs.record, count: 0 }).count +=
                    theirs.count;
            }
        }
    }

    /// Each kind that was seen: what, in which record first, and how often.
    pub(super) fn iter(&self) -> impl Iterator<Item = (CheckRule, &'static str, u64, u64)> + '_ {
        Doubt::ALL.iter().zip(&self.seen).filter_map(|(doubt, seen)| {
            let DoubtCount { record, count } = (*seen)?;
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
