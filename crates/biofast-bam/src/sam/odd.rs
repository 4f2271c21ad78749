//! What breaks the rules of SAM text and is read all the same, as samtools reads it: nothing is lost by it.

use std::sync::Arc;

use biofast_io::{Location, Notes, Warning};

use super::fault::LineFault;

/// A kind of oddity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Odd {
    TrailingTabs,
    JoinedFields,
    LeadingZeros,
    UnknownReference,
    UnknownMate,
    IntegerType,
    NumberForm,
    NumberRange,
    NoSequences,
    Uracil,
    NoCode,
}

const KINDS: usize = Odd::ALL.len();

impl Odd {
    const ALL: [Odd; 11] = [
        Odd::TrailingTabs,
        Odd::JoinedFields,
        Odd::LeadingZeros,
        Odd::UnknownReference,
        Odd::UnknownMate,
        Odd::IntegerType,
        Odd::NumberForm,
        Odd::NumberRange,
        Odd::NoSequences,
        Odd::Uracil,
        Odd::NoCode,
    ];

    /// What was expected, and what a warning says.
    fn describe(self) -> (&'static str, &'static str) {
        match self {
            Odd::TrailingTabs => ("no tab at the end of the line", "tabs at the end of the line"),
            Odd::JoinedFields => {
                ("a tab between tags", "spaces between or after tags, read as tabs")
            }
            Odd::LeadingZeros => ("a number without leading zeros", "leading zeros in a number"),
            Odd::UnknownReference => (
                "a reference name (RNAME) of the header, or '*'",
                "reference name (RNAME) not in the header: the read is treated as unmapped",
            ),
            Odd::UnknownMate => (
                "a mate's reference name (RNEXT) of the header, '=' or '*'",
                "mate's reference name (RNEXT) not in the header: the mate is treated as unmapped",
            ),
            Odd::IntegerType => ("a tag of type A, i, f, Z, H or B", "a tag of type I, read as i"),
            Odd::NumberForm => (
                "a decimal number in a tag",
                "a number in a tag in a form that the specification doesn't allow",
            ),
            Odd::NumberRange => (
                "a single-precision number in a tag",
                "a number in a tag beyond single precision, read as infinite or 0",
            ),
            Odd::NoSequences => (
                "@SQ lines in the header, as records name reference sequences",
                "records name reference sequences, but the header has no @SQ lines, which most programs need",
            ),
            Odd::Uracil => (
                "a sequence (SEQ) of letters that BAM can store",
                "U in a sequence (SEQ), read as T: BAM can't store U",
            ),
            Odd::NoCode => (
                "a sequence (SEQ) of letters that BAM can store",
                "letters in a sequence (SEQ) that BAM can't store, read as N",
            ),
        }
    }

    /// Whether the specification allows it, though a record can't hold it: told always, never refused.
    fn is_allowed(self) -> bool {
        matches!(self, Odd::Uracil | Odd::NoCode)
    }

    /// Whether the specification allows it, though programs stumble over it: no fault where records are only looked at.
    fn is_no_fault(self) -> bool {
        matches!(self, Odd::LeadingZeros | Odd::NoSequences) || self.is_allowed()
    }
}

/// How strictly lines are read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rigor {
    /// What breaks a rule is refused.
    pub(crate) refuse: bool,
    /// Records are looked at and not used: they may name references that no header line declares.
    pub(crate) checks: bool,
}

/// Takes note of oddities in one line, or refuses them.
#[derive(Debug)]
pub(crate) struct Odds {
    rigor: Rigor,
    /// A bit for each kind.
    seen: u16,
}

impl Odds {
    pub(crate) fn new(rigor: Rigor) -> Odds {
        Odds { rigor, seen: 0 }
    }

    /// Whether records are looked at and not used.
    pub(super) fn checks(&self) -> bool {
        self.rigor.checks
    }

    /// What was seen since the last call, a bit for each kind.
    #[inline]
    pub(super) fn take(&mut self) -> u16 {
        std::mem::take(&mut self.seen)
    }

    /// Notes an oddity of `field`.
    ///
    /// # Errors
    /// If oddities are refused, and the specification doesn't allow this one.
    #[cold]
    pub(crate) fn note(&mut self, odd: Odd, field: &[u8]) -> Result<(), LineFault> {
        let allowed = if self.rigor.checks { odd.is_no_fault() } else { odd.is_allowed() };
        if self.rigor.refuse && !allowed {
            return Err(LineFault::new(odd.describe().0, field));
        }
        self.seen |= 1 << odd as u8;
        Ok(())
    }
}

/// How often each kind was seen, and in which record first, from 0.
#[derive(Debug, Default)]
pub(super) struct Tally([Option<(u64, u64)>; KINDS]);

impl Tally {
    /// Adds what was seen in a record.
    #[cold]
    pub(super) fn add(&mut self, seen: u16, record: u64) {
        for (index, kind) in self.0.iter_mut().enumerate() {
            if seen & 1 << index != 0 {
                kind.get_or_insert((record, 0)).1 += 1;
            }
        }
    }

    /// Adds what was seen in a later block, after so many records.
    pub(super) fn append(&mut self, later: &Tally, records: u64) {
        for (mine, theirs) in self.0.iter_mut().zip(&later.0) {
            if let Some((first, count)) = theirs {
                mine.get_or_insert((records + first, 0)).1 += count;
            }
        }
    }

    /// Tells what was seen under a header of so many lines.
    pub(super) fn tell(&self, notes: &Notes, name: &Arc<str>, header_lines: u64) {
        for (odd, seen) in Odd::ALL.iter().zip(&self.0) {
            if let Some((record, count)) = *seen {
                let first = Location {
                    name: Some(Arc::clone(name)),
                    record: Some(record + 1),
                    line: Some(header_lines + record + 1),
                    ..Location::default()
                };
                let what = odd.describe().1;
                notes.warn(if odd.is_allowed() {
                    Warning::Noticed { what, count, first }
                } else {
                    Warning::Tolerated { what, count, first }
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_bit() {
        for (index, odd) in Odd::ALL.into_iter().enumerate() {
            assert_eq!(odd as usize, index);
        }
    }
}
