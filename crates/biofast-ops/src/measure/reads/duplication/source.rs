//! Duplication as a search in reads: counted, or as a report has it.

use super::{Duplicates, Duplication, LookUp, NewSequences};
use crate::measure::reads::contaminants::Contaminants;
use crate::measure::reads::measured::{ReadSearch, SearchedRead};
use crate::measure::reads::numbers::InvalidReport;

/// Counts of duplicates, or what a report said of them.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub enum DuplicationSource {
    Counted(Duplicates),
    Read(Option<Box<Duplication>>),
}

impl Default for DuplicationSource {
    fn default() -> Self {
        DuplicationSource::Counted(Duplicates::default())
    }
}

impl DuplicationSource {
    /// Whether counts of several files were merged, or read back without a result.
    pub(crate) fn is_mixed(&self) -> bool {
        match self {
            DuplicationSource::Counted(duplicates) => duplicates.is_mixed(),
            DuplicationSource::Read(duplication) => duplication.is_none(),
        }
    }

    /// What there is to say of duplicates.
    pub fn found(&self, contaminants: &Contaminants) -> Option<Duplication> {
        match self {
            DuplicationSource::Counted(duplicates) => duplicates.finish(contaminants),
            DuplicationSource::Read(duplication) => duplication.as_deref().cloned(),
        }
    }

    /// Ends the counting: what is said of them from now on is found once.
    pub(crate) fn finish(&mut self, contaminants: &Contaminants) {
        *self = DuplicationSource::Read(self.found(contaminants).map(Box::new));
    }
}

impl ReadSearch for DuplicationSource {
    type Section = Duplication;
    type Left = NewSequences;
    type Counter<'a> = Option<LookUp<'a>>;

    fn begin<'a>(&'a mut self, reads: u64, left: &'a mut NewSequences) -> Option<LookUp<'a>> {
        match self {
            DuplicationSource::Counted(duplicates) => Some(duplicates.look_up(reads, left)),
            DuplicationSource::Read(_) => None,
        }
    }

    #[inline]
    fn add(counter: &mut Option<LookUp<'_>>, read: &SearchedRead<'_>) {
        if let Some(look_up) = counter {
            look_up.add(read.number, read.sequence);
        }
    }

    fn settle(&self, left: &mut NewSequences) {
        if let DuplicationSource::Counted(duplicates) = self {
            duplicates.settle(left);
        }
    }

    fn merge(&mut self, other: &DuplicationSource) {
        match (self, other) {
            (DuplicationSource::Counted(mine), DuplicationSource::Counted(theirs)) => {
                mine.merge(theirs);
            }
            // Which sequences are the first of both can't be told from reports.
            (mine, _) => *mine = DuplicationSource::Read(None),
        }
    }

    fn section(&self, contaminants: &Contaminants) -> Option<Duplication> {
        self.found(contaminants)
    }

    fn read_back(section: Option<&Duplication>) -> Result<DuplicationSource, InvalidReport> {
        Ok(DuplicationSource::Read(section.cloned().map(Box::new)))
    }
}
