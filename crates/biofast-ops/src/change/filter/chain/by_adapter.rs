//! What follows from the adapters found in reads: whether they are kept, and where they go.

use crate::change::filter::tally::Reason;

/// Which reads are kept, depending on the adapters found in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdapterRule {
    /// All.
    #[default]
    Any,
    /// Those with an adapter.
    Required {
        /// Whether an adapter in one mate stands for both, as where adapters of one mate alone are looked for.
        one_is_enough: bool,
    },
    /// Those with an adapter, of pairs those whose first read has one.
    RequiredInFirst,
    /// Pairs whose mates both have one.
    RequiredInBoth,
    /// Those without one.
    Refused,
}

impl AdapterRule {
    pub(super) fn objections(self, found: [bool; 2], paired: bool) -> [Option<Reason>; 2] {
        match self {
            AdapterRule::Any => [None; 2],
            AdapterRule::Required { one_is_enough: true } if paired => {
                [(found == [false; 2]).then_some(Reason::NoAdapter); 2]
            }
            AdapterRule::Required { .. } => {
                found.map(|found| (!found).then_some(Reason::NoAdapter))
            }
            AdapterRule::RequiredInFirst => [(!found[0]).then_some(Reason::NoAdapter); 2],
            AdapterRule::RequiredInBoth => [(found != [true; 2]).then_some(Reason::NoAdapter); 2],
            AdapterRule::Refused => found.map(|found| found.then_some(Reason::AdapterFound)),
        }
    }
}

/// The texts that pairs go to, by the last adapter found in each mate:
/// [`Filter::by_adapters`](super::Filter::by_adapters).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Combinations {
    /// For each of the filter's adapters its row (if it is of first reads) or its column (of second ones) among the texts,
    /// from 1 on; several may have the same.
    pub groups: Vec<usize>,
    /// By row and column the texts of first and of second reads; row 0 and column 0 are of mates without an adapter.
    pub texts: Vec<Vec<[usize; 2]>>,
}

/// Where reads go by their adapters; those it has no place for go where the routes say.
#[derive(Debug, Default)]
pub(super) enum ByAdapter {
    #[default]
    No,
    /// For each adapter which texts get the reads in which it was found last, first and second ones.
    First(Vec<[usize; 2]>),
    Both(Combinations),
}

impl ByAdapter {
    /// Where reads go in which these were found last, in each mate.
    pub(super) fn places(&self, last: [Option<usize>; 2]) -> Option<[usize; 2]> {
        match self {
            ByAdapter::No => None,
            ByAdapter::First(texts) => texts.get(last[0]?).copied(),
            ByAdapter::Both(Combinations { groups, texts }) => {
                let [row, column] = last.map(|number| match number {
                    Some(number) => groups.get(number).copied(),
                    None => Some(0),
                });
                texts.get(row?)?.get(column?).copied()
            }
        }
    }
}
