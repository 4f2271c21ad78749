//! The first records of a part of a file, as far as their mates may be in the part before.
//!
//! Whether mates overlap is found by their names, in the order of the file. What is known here of a name is known for sure after its
//! first record in this part, unless both mates start together: records up to there are kept, for whoever knows the part before.

use std::collections::HashSet;

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use super::span::{MateRole, RecordSpan};

/// Of records that start within so many positions behind the first one everything is kept, whatever they say of their mates. Of those
/// further behind what they say counts: that the mate is before this part.
const NEAR: u32 = 4096;

/// Gathers these records.
#[derive(Debug, Default)]
pub(super) struct MateEdge {
    /// Reference and position of the first record of the part, once one of that reference counts.
    first: Option<(u32, u32)>,
    /// Whether the records are of another reference by now.
    has_left: bool,
    pub(super) head: Vec<Event>,
    /// Names of which it isn't known whether a mate waits.
    open: HashSet<u128>,
    /// Names of which it is known.
    known: HashSet<u128>,
}

/// A record at the start of a part that may have a mate in the part before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "StoredEvent")]
pub(super) struct Event {
    /// The hash of the name.
    pub(super) key: u128,
    /// `None`: a mate of this name that waits is forgotten, as this part knows of a later one.
    pub(super) span: Option<RecordSpan>,
    pub(super) blocks: Vec<(u32, u32)>,
}

/// The hash in hexadecimal digits; start, end, whether both mates start together, whether it is aligned in one piece; stretches.
type StoredEvent = (String, Option<(u32, u32, bool, bool)>, Vec<(u32, u32)>);

impl From<Event> for StoredEvent {
    fn from(event: Event) -> StoredEvent {
        let span = |span: RecordSpan| {
            (span.start, span.end, span.role == MateRole::Together, span.is_single)
        };
        (format!("{:x}", event.key), event.span.map(span), event.blocks)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Event, D::Error> {
        let (key, span, blocks) = StoredEvent::deserialize(deserializer)?;
        let damaged = || D::Error::custom("a record at the start of a part that can't be");
        let key = u128::from_str_radix(&key, 16).map_err(|_| damaged())?;
        let is_single = span.is_some_and(|span| span.3);
        if !are_in_order(&blocks) || (is_single && blocks.len() != 1) {
            return Err(damaged());
        }
        let span = span.map(|(start, end, together, is_single)| RecordSpan {
            start,
            end,
            blocks: blocks.len() as u32,
            role: if together { MateRole::Together } else { MateRole::Other },
            mate: 0,
            is_single,
            key,
        });
        let starts = blocks.first().map(|block| block.0);
        match span {
            Some(span) if span.start > span.end || starts.is_some_and(|at| at < span.start) => {
                Err(damaged())
            }
            span => Ok(Event { key, span, blocks }),
        }
    }
}

/// Whether stretches ascend and lie on a reference.
fn are_in_order(blocks: &[(u32, u32)]) -> bool {
    blocks.iter().all(|(from, to)| from < to && *to <= i32::MAX as u32)
        && blocks.windows(2).all(|two| two[0].1 <= two[1].0)
}

/// A mate that waits behind a part: the hash of its name, its end, and its stretches if it isn't aligned in one piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "StoredMate")]
pub(super) struct EdgeMate {
    pub(super) key: u128,
    pub(super) mate: Mate,
}

type StoredMate = (String, u32, Option<Vec<(u32, u32)>>);

impl From<EdgeMate> for StoredMate {
    fn from(EdgeMate { key, mate }: EdgeMate) -> StoredMate {
        (format!("{key:x}"), mate.end, mate.blocks.map(Vec::from))
    }
}

impl<'de> Deserialize<'de> for EdgeMate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<EdgeMate, D::Error> {
        let (key, end, blocks) = StoredMate::deserialize(deserializer)?;
        let damaged = || D::Error::custom("a record at the end of a part that can't be");
        let key = u128::from_str_radix(&key, 16).map_err(|_| damaged())?;
        if !blocks.as_deref().is_none_or(are_in_order) || end > i32::MAX as u32 {
            return Err(damaged());
        }
        let mate = Mate { end, blocks: blocks.map(Vec::into_boxed_slice) };
        Ok(EdgeMate { key, mate })
    }
}

impl MateEdge {
    /// The reference of the records that are kept.
    pub(super) fn reference(&self) -> Option<u32> {
        self.first.map(|(reference, _)| reference)
    }

    /// A record counts that is of the reference of the part's first record, which starts there.
    #[inline]
    pub(super) fn see(&mut self, reference: u32, start: u32) {
        if self.first.is_none() {
            (self.first, self.has_left) = (Some((reference, start)), false);
        }
    }

    /// The records are of another reference from here on.
    pub(super) fn leave(&mut self) {
        self.has_left = true;
        self.open.clear();
        self.known.clear();
    }

    /// Whether the record is kept instead of being looked at here, where `waits` says whether a mate of this name does.
    #[inline]
    pub(super) fn takes(
        &mut self,
        span: &RecordSpan,
        blocks: &[(u32, u32)],
        waits: impl Fn(u128) -> bool,
    ) -> bool {
        let Some((_, first)) = self.first.filter(|_| !self.has_left && span.role != MateRole::None)
        else {
            return false;
        };
        let is_open = self.open.contains(&span.key);
        if !is_open {
            let is_near = span.start - first < NEAR;
            let is_asked = is_near || i64::from(span.mate) <= i64::from(first);
            if !is_asked || self.known.contains(&span.key) || waits(span.key) {
                return false;
            }
        }
        match span.role {
            MateRole::Together => {
                self.open.insert(span.key);
            }
            // Whatever waited, from here on it is known what does.
            _ => {
                self.open.remove(&span.key);
                self.known.insert(span.key);
            }
        }
        let kept = (span.role != MateRole::First).then_some(*span);
        let blocks = if kept.is_some() { blocks.to_vec() } else { Vec::new() };
        self.head.push(Event { key: span.key, span: kept, blocks });
        kept.is_some()
    }
}

/// A mate that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mate {
    pub(super) end: u32,
    /// The stretches it covers; `None`: one, in a CIGAR of a single operation.
    pub(super) blocks: Option<Box<[(u32, u32)]>>,
}

impl Mate {
    /// Of a record that lies on these stretches.
    #[inline]
    pub(super) fn of(span: &RecordSpan, blocks: &[(u32, u32)]) -> Mate {
        Mate { end: span.end, blocks: (!span.is_single).then(|| blocks.into()) }
    }
}
