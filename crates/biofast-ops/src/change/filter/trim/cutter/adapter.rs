//! An adapter of one part or of two linked ones.

use std::ops::Range;

use super::read::CutterRead;
use super::single::{Match, SearchMemory, Single};

/// An adapter as it was given.
#[derive(Clone, Debug)]
pub(super) struct Adapter {
    pub(super) name: Option<String>,
    pub(super) text: String,
    pub(super) part: AdapterPart,
}

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub(super) enum AdapterPart {
    Single(Single),
    Linked { front: Single, back: Single, required: [bool; 2] },
}

/// An adapter that was found: both parts of a linked one.
#[derive(Clone, Debug)]
pub(super) struct AdapterMatch {
    parts: [Option<Match>; 2],
    pub(super) score: i32,
    pub(super) errors: i32,
}

impl AdapterMatch {
    fn new(parts: [Option<Match>; 2]) -> AdapterMatch {
        let sum = |value: fn(&Match) -> i32| parts.iter().flatten().map(value).sum();
        AdapterMatch { score: sum(|found| found.score), errors: sum(|found| found.errors), parts }
    }

    /// What is left of the stretch that was searched.
    pub(super) fn left(&self, mut stretch: Range<usize>) -> Range<usize> {
        for found in self.parts.iter().flatten() {
            let left = found.left(stretch.len());
            stretch = stretch.start + left.start..stretch.start + left.end;
        }
        stretch
    }

    pub(super) fn left_with_adapter(&self, len: usize) -> Range<usize> {
        match &self.parts {
            [Some(front), Some(back)] => front.found.start..front.found.end + back.found.end,
            [Some(found), None] | [None, Some(found)] => found.left_with_adapter(len),
            [None, None] => 0..len,
        }
    }

    /// The bases the adapter lies on, of a linked one of the last part.
    pub(super) fn adapter(&self, len: usize) -> Range<usize> {
        match &self.parts {
            [Some(front), Some(back)] => {
                front.found.end + back.found.start..front.found.end + back.found.end
            }
            [Some(found), None] | [None, Some(found)] => found.found.clone(),
            [None, None] => 0..len,
        }
    }
}

impl Adapter {
    pub(super) fn find(
        &self,
        read: CutterRead<'_>,
        memory: &mut SearchMemory,
    ) -> Option<AdapterMatch> {
        match &self.part {
            AdapterPart::Single(single) => {
                Some(AdapterMatch::new([Some(single.find(read, memory)?), None]))
            }
            AdapterPart::Linked { front, back, required } => {
                let first = front.find(read, memory);
                if required[0] && first.is_none() {
                    return None;
                }
                let rest = read.part(first.as_ref().map_or(0..read.len(), |f| f.left(read.len())));
                let second = back.find(rest, memory);
                if second.is_none() && (required[1] || first.is_none()) {
                    return None;
                }
                Some(AdapterMatch::new([first, second]))
            }
        }
    }
}
