//! Adapters of long reads: at their ends, in part or whole, and in the middle, where two molecules were read as one.

mod kits;
mod middle;

use std::ops::Range;

pub use kits::{LONG_KITS, LongKit};
pub(in crate::change) use middle::MiddlePattern;

use super::Trim;
use super::cutter::{AdapterFinder, AdapterSettings, InvalidSpec};
use super::trimmer::Trimmer;
use crate::change::filter::read::{TrimUnit, TrimmedRead};

/// Bases at either end in which an adapter is looked for.
const END: usize = 150;
/// Errors a base of an adapter at an end.
const END_ERRORS: f64 = 0.25;
/// The fewest bases of an adapter at an end that count.
const END_OVERLAP: usize = 10;
/// Errors a base of an adapter in the middle.
const MIDDLE_ERRORS: f64 = 0.15;
/// So many adapters follow each other at an end.
const IN_A_ROW: usize = 4;

/// What becomes of a long read with an adapter in its middle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Middle {
    /// It becomes two reads, or more, without the adapters.
    #[default]
    Split,
    /// It is rejected.
    Drop,
    /// Nothing.
    Keep,
}

/// Cuts the adapters of a [kit](LongKit) off both ends of long reads, and finds those in the middle.
///
/// At an end, an adapter lies within 150 bases, with at least 10 of its bases and at most one error in four. In the
/// middle it must be complete, with at most 15 % errors. Bases between an adapter and the end of the read are cut, too.
/// The names of reads that are split get `_1`, `_2` and so on.
#[derive(Clone, Debug)]
pub struct LongAdapters {
    front: Vec<AdapterFinder>,
    rear: Vec<AdapterFinder>,
    inside: Vec<MiddlePattern>,
    middle: Middle,
}

impl LongAdapters {
    /// Those of a kit.
    ///
    /// # Errors
    /// If a sequence of the kit is no adapter.
    pub fn new(kit: &LongKit, middle: Middle) -> Result<LongAdapters, InvalidSpec> {
        let settings = AdapterSettings {
            max_errors: END_ERRORS,
            min_overlap: END_OVERLAP,
            ..AdapterSettings::default()
        };
        let finders = |sequences: &[&str], front| -> Result<Vec<AdapterFinder>, InvalidSpec> {
            sequences.iter().map(|s| AdapterFinder::new(s.as_bytes(), front, &settings)).collect()
        };
        let all = kit.front.iter().chain(kit.rear);
        Ok(LongAdapters {
            front: finders(kit.front, true)?,
            rear: finders(kit.rear, false)?,
            inside: all.filter_map(|s| MiddlePattern::new(s.as_bytes(), MIDDLE_ERRORS)).collect(),
            middle,
        })
    }

    fn trim_ends(&self, read: &mut TrimmedRead<'_>) {
        for _ in 0..IN_A_ROW {
            let start = &read.sequence()[..END.min(read.len())];
            let ends = self.front.iter().filter_map(|adapter| adapter.find(start));
            let Some(end) = ends.max_by_key(|found| (found.score, found.place.end)) else { break };
            read.drop_front(end.place.end);
        }
        for _ in 0..IN_A_ROW {
            let skipped = read.len() - END.min(read.len());
            let stretch = &read.sequence()[skipped..];
            let starts = self.rear.iter().filter_map(|adapter| adapter.find(stretch));
            let Some(start) = starts.max_by_key(|f| (f.score, usize::MAX - f.place.start)) else {
                break;
            };
            read.truncate(skipped + start.place.start);
        }
    }

    /// What is between the adapters inside of a read, if there are any.
    fn pieces(&self, sequence: &[u8]) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        self.inside.iter().for_each(|pattern| pattern.find_all(sequence, &mut found));
        if found.is_empty() {
            return Vec::new();
        }
        // Kits have adapters that are much alike: the one with the fewest errors is meant.
        found.sort_unstable_by_key(|(errors, place)| {
            (*errors, usize::MAX - place.len(), place.start)
        });
        let mut places: Vec<Range<usize>> = Vec::new();
        for (_, place) in found {
            if places.iter().all(|other| place.end <= other.start || other.end <= place.start) {
                places.push(place);
            }
        }
        places.sort_unstable_by_key(|place| place.start);
        let mut pieces = Vec::new();
        let mut start = 0;
        for place in places {
            if place.start > start {
                pieces.push(start..place.start);
            }
            start = start.max(place.end);
        }
        if start < sequence.len() {
            pieces.push(start..sequence.len());
        }
        pieces
    }
}

impl Trimmer for LongAdapters {
    fn kind(&self) -> Trim {
        Trim::Adapter
    }

    /// Cuts the ends.
    fn trim_read(&self, read: &mut TrimmedRead<'_>, _: usize) {
        self.trim_ends(read);
    }

    /// Cuts the ends of a read without a mate, and looks inside.
    fn trim(&self, reads: &mut TrimUnit<'_, '_>) {
        self.trim_ends(&mut reads.first);
        if self.middle == Middle::Keep || reads.second.is_some() {
            return;
        }
        let pieces = self.pieces(reads.first.sequence());
        match (&pieces[..], self.middle) {
            ([], _) => {}
            (_, Middle::Drop) => *reads.adapter_inside = true,
            ([piece], _) => {
                reads.first.truncate(piece.end);
                reads.first.drop_front(piece.start);
            }
            _ => reads.pieces.extend(pieces),
        }
    }
}

#[cfg(test)]
mod tests;
