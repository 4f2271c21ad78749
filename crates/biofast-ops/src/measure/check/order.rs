//! The order the header claims (`@HD` SO and SS; SAM specification, section 1.3), over chunks
//! that are looked at apart: each leaves its first and last record and where it breaks the order.

use std::cmp::Ordering;

use biofast_bam::Record;
use biofast_io::Shown;
use serde::{Deserialize, Serialize};

/// What the header says about the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(super) enum Claim {
    /// Nothing that could be checked.
    #[default]
    None,
    /// By reference, as the header lists them, then by position; unplaced records last.
    Coordinate,
    /// By name. The specification leaves open how, unless SS says it, but demands that it is the
    /// same throughout: it must be one of these.
    Names { natural: bool, bytes: bool },
}

impl From<Claim> for String {
    fn from(claim: Claim) -> String {
        let text = match claim {
            Claim::None | Claim::Names { natural: false, bytes: false } => "none",
            Claim::Coordinate => "coordinate",
            Claim::Names { natural: true, bytes: true } => "name",
            Claim::Names { natural: true, .. } => "natural name",
            Claim::Names { .. } => "name by bytes",
        };
        text.to_owned()
    }
}

impl TryFrom<String> for Claim {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Claim, &'static str> {
        Ok(match &*text {
            "none" => Claim::None,
            "coordinate" => Claim::Coordinate,
            "name" => Claim::Names { natural: true, bytes: true },
            "natural name" => Claim::Names { natural: true, bytes: false },
            "name by bytes" => Claim::Names { natural: false, bytes: true },
            _ => return Err("an unknown order"),
        })
    }
}

impl Claim {
    pub(super) fn of(order: &[u8], sub_order: Option<&[u8]>) -> Claim {
        match (order, sub_order) {
            (b"coordinate", _) => Claim::Coordinate,
            (b"queryname", Some(b"queryname:natural")) => {
                Claim::Names { natural: true, bytes: false }
            }
            (b"queryname", Some(b"queryname:lexicographical")) => {
                Claim::Names { natural: false, bytes: true }
            }
            (b"queryname", None) => Claim::Names { natural: true, bytes: true },
            // Any other sub-order is a writer's own.
            _ => Claim::None,
        }
    }

    /// Whether one order alone is claimed. By name any order will do that is the same throughout, if the header doesn't
    /// say which; so a file in neither of the two known ones can't be said to be wrong.
    pub(super) fn is_definite(self) -> bool {
        self != Claim::Names { natural: true, bytes: true }
    }

    fn candidates(self) -> [bool; 2] {
        match self {
            Claim::None => [false; 2],
            Claim::Coordinate => [true, false],
            Claim::Names { natural, bytes } => [natural, bytes],
        }
    }
}

/// The offset of a record in the inflated data, and of its block in the file.
pub(super) type RecordOffset = (u64, Option<u64>);

/// A record out of order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "StoredBreak", from = "StoredBreak")]
pub(super) struct Break {
    /// Its number, from 0.
    pub(super) record: u64,
    /// Where it starts.
    pub(super) place: Option<RecordOffset>,
    pub(super) message: String,
}

type StoredBreak = (u64, Option<RecordOffset>, String);

impl From<Break> for StoredBreak {
    fn from(Break { record, place, message }: Break) -> StoredBreak {
        (record, place, message)
    }
}

impl From<StoredBreak> for Break {
    fn from((record, place, message): StoredBreak) -> Break {
        Break { record, place, message }
    }
}

/// The ends of a chunk, and where it breaks each order that may be claimed.
#[derive(Debug, Default)]
pub(super) struct ChunkEnds {
    any: bool,
    first: OrderKey,
    last: OrderKey,
    first_record: u64,
    first_place: Option<RecordOffset>,
    breaks: [Option<Break>; 2],
}

#[derive(Clone, Debug, Default)]
struct OrderKey {
    coordinate: u64,
    name: Vec<u8>,
}

/// Reference and position as one number; unplaced records come last, in any order.
fn coordinate(reference: i32, position: i32) -> u64 {
    match reference {
        ..0 => u64::MAX,
        _ => u64::from(reference as u32) << 32 | u64::from((position as u32).wrapping_add(1)),
    }
}

impl ChunkEnds {
    pub(super) fn clear(&mut self) {
        self.any = false;
        self.breaks = [None, None];
    }

    /// Takes the next record of the chunk.
    #[inline]
    pub(super) fn add(
        &mut self,
        record: &Record<'_>,
        number: u64,
        place: impl Fn() -> Option<RecordOffset>,
        claim: Claim,
        references: &[(Vec<u8>, i64)],
    ) {
        match claim {
            Claim::None => return,
            Claim::Coordinate => {
                let now = coordinate(record.reference_id(), record.position());
                if !self.any {
                    self.first.coordinate = now;
                } else if now < self.last.coordinate && self.breaks[0].is_none() {
                    let message = unsorted_places(self.last.coordinate, now, references);
                    self.breaks[0] = Some(Break { record: number, place: place(), message });
                }
                self.last.coordinate = now;
            }
            Claim::Names { .. } => {
                let now = record.name();
                if !self.any {
                    self.first.name.clear();
                    self.first.name.extend_from_slice(now);
                } else if now == self.last.name {
                    return;
                } else {
                    let candidates = claim.candidates();
                    for (which, claimed) in candidates.into_iter().enumerate() {
                        if claimed
                            && self.breaks[which].is_none()
                            && compare(which, now, &self.last.name).is_lt()
                        {
                            let message = unsorted_names(&self.last.name, now, claim);
                            let found = Break { record: number, place: place(), message };
                            self.breaks[which] = Some(found);
                        }
                    }
                }
                self.last.name.clear();
                self.last.name.extend_from_slice(now);
            }
        }
        if !self.any {
            self.any = true;
            self.first_record = number;
            self.first_place = place();
        }
    }
}

/// The order so far, chunk after chunk.
#[derive(Debug, Default)]
pub(super) struct Track {
    /// The first record, its number and where it starts.
    first: Option<(OrderKey, u64, Option<RecordOffset>)>,
    last: Option<OrderKey>,
    breaks: [Option<Break>; 2],
}

impl Track {
    /// Takes the next chunk. Returns the record with which the claim falls, if it is there.
    pub(super) fn add(
        &mut self,
        ends: &mut ChunkEnds,
        claim: Claim,
        references: &[(Vec<u8>, i64)],
    ) -> Option<Break> {
        if claim == Claim::None || !ends.any {
            return None;
        }
        let candidates = claim.candidates();
        if self.first.is_none() {
            self.first = Some((ends.first.clone(), ends.first_record, ends.first_place));
        }
        if let Some(last) = &self.last {
            for (which, claimed) in candidates.into_iter().enumerate() {
                let found = match claim {
                    Claim::Coordinate if claimed && ends.first.coordinate < last.coordinate => {
                        unsorted_places(last.coordinate, ends.first.coordinate, references)
                    }
                    Claim::Names { .. }
                        if claimed && compare(which, &ends.first.name, &last.name).is_lt() =>
                    {
                        unsorted_names(&last.name, &ends.first.name, claim)
                    }
                    _ => continue,
                };
                // It comes before whatever is wrong inside the chunk.
                let (record, place) = (ends.first_record, ends.first_place);
                ends.breaks[which] = Some(Break { record, place, message: found });
            }
        }
        for (mine, theirs) in self.breaks.iter_mut().zip(&mut ends.breaks) {
            if mine.is_none() {
                *mine = theirs.take();
            }
        }
        let last = self.last.get_or_insert_default();
        std::mem::swap(last, &mut ends.last);
        fallen(claim, &self.breaks).cloned()
    }

    /// What the order of the records before and behind these depends on; `None` if nothing is claimed, or there are none.
    pub(super) fn edges(self, claim: Claim, references: &[(Vec<u8>, i64)]) -> Option<Edges> {
        let ((first, record, place), last) = (self.first?, self.last?);
        let edge = |key: OrderKey| match claim {
            Claim::Coordinate => {
                let place = ((key.coordinate >> 32) as u32, key.coordinate as u32);
                SortPosition(shown_place(key.coordinate, references), Some(place))
            }
            _ => SortPosition(String::from_utf8_lossy(&key.name).into_owned(), None),
        };
        let (first, last) = (edge(first), edge(last));
        Some(Edges { claim, record, place, first, last, breaks: self.breaks })
    }
}

/// The record with which the claim falls: one of the orders claimed is enough.
fn fallen(claim: Claim, breaks: &[Option<Break>; 2]) -> Option<&Break> {
    let mut fallen: Option<&Break> = None;
    for (claimed, found) in claim.candidates().into_iter().zip(breaks) {
        match (claimed, found) {
            (false, _) => {}
            (true, None) => return None,
            (true, Some(found)) => {
                if fallen.is_none_or(|other| other.record < found.record) {
                    fallen = Some(found);
                }
            }
        }
    }
    fallen
}

/// The ends of a shard, and where it breaks each order that may be claimed: what is needed to tell the order of all shards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Edges {
    pub(super) claim: Claim,
    /// The number of the first record, from 0, and where it starts.
    record: u64,
    place: Option<RecordOffset>,
    first: SortPosition,
    last: SortPosition,
    breaks: [Option<Break>; 2],
}

/// What a record is sorted by: its name; or how its place is told, and the place, which is the index of the reference, or the
/// largest number if there is none, and the position from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SortPosition(String, Option<(u32, u32)>);

impl Edges {
    /// Adds those of the shard behind. Where one order alone is claimed: its first record, if it lies before the last one of these.
    pub(super) fn append(&mut self, behind: &Edges) -> Option<Break> {
        let mut cut = [None, None];
        for (which, claimed) in self.claim.candidates().into_iter().enumerate() {
            let message = match (&self.last, &behind.first) {
                (SortPosition(before, Some(last)), SortPosition(now, Some(first)))
                    if claimed && first < last =>
                {
                    unsorted(now, before)
                }
                (SortPosition(before, None), SortPosition(now, None))
                    if claimed && compare(which, now.as_bytes(), before.as_bytes()).is_lt() =>
                {
                    unsorted_names(before.as_bytes(), now.as_bytes(), self.claim)
                }
                _ => continue,
            };
            cut[which] = Some(Break { record: behind.record, place: behind.place, message });
        }
        if self.claim.is_definite()
            && let Some(found) = fallen(self.claim, &cut)
        {
            return Some(found.clone());
        }
        for ((mine, cut), theirs) in self.breaks.iter_mut().zip(cut).zip(&behind.breaks) {
            *mine = mine.take().or(cut).or_else(|| theirs.clone());
        }
        self.last = behind.last.clone();
        None
    }

    /// The record with which the claim falls.
    pub(super) fn fallen(&self) -> Option<&Break> {
        fallen(self.claim, &self.breaks)
    }
}

fn unsorted_places(before: u64, now: u64, references: &[(Vec<u8>, i64)]) -> String {
    unsorted(&shown_place(now, references), &shown_place(before, references))
}

/// Reference and position of a key.
fn shown_place(key: u64, references: &[(Vec<u8>, i64)]) -> String {
    match references.get((key >> 32) as usize) {
        Some((name, _)) if key != u64::MAX => format!("{}:{}", Shown(name), key as u32),
        _ => "an unplaced record".to_owned(),
    }
}

fn unsorted(now: &str, before: &str) -> String {
    format!(
        "not sorted by coordinate as the header claims (@HD SO:coordinate): {now} comes after {before}"
    )
}

fn unsorted_names(before: &[u8], now: &[u8], claim: Claim) -> String {
    let how = match claim {
        Claim::Names { natural: true, bytes: false } => "naturally (SS:queryname:natural)",
        Claim::Names { natural: false, .. } => "byte by byte (SS:queryname:lexicographical)",
        _ => "neither naturally nor byte by byte",
    };
    format!(
        "not sorted by name as the header claims (@HD SO:queryname), {how}: '{}' comes after '{}'",
        Shown(now),
        Shown(before)
    )
}

fn compare(which: usize, a: &[u8], b: &[u8]) -> Ordering {
    if which == 0 { compare_naturally(a, b) } else { a.cmp(b) }
}

/// The order of `samtools sort -n`: runs of digits compare as numbers, everything else by bytes.
/// Names that differ only in leading zeros count as equal; versions of samtools differ there.
fn compare_naturally(a: &[u8], b: &[u8]) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        match (a, b) {
            ([], _) | (_, []) => return a.len().cmp(&b.len()),
            ([x, ..], [y, ..]) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (number, a_rest) = split_number(a);
                let (other, b_rest) = split_number(b);
                let order = number.len().cmp(&other.len()).then_with(|| number.cmp(other));
                if order.is_ne() {
                    return order;
                }
                (a, b) = (a_rest, b_rest);
            }
            ([x, a_rest @ ..], [y, b_rest @ ..]) => {
                if x != y {
                    return x.cmp(y);
                }
                (a, b) = (a_rest, b_rest);
            }
        }
    }
}

/// The digits at the front without leading zeros, and what follows them.
fn split_number(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let zeros = number.iter().position(|&b| b != b'0').unwrap_or(number.len());
    (&number[zeros..], rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_natural_order() {
        let sorted: [&[u8]; 10] = [
            b"", b"a", b"a1", b"a1b", b"a2", b"a10", b"a10:2", b"a10:11", b"b",
            b"b99999999999999999999",
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(compare_naturally(a, b), i.cmp(&j), "{i} {j}");
            }
        }
        assert_eq!(compare_naturally(b"a01", b"a1"), Ordering::Equal);
        assert_eq!(compare_naturally(b"a01b", b"a1c"), Ordering::Less);
    }

    #[test]
    fn unplaced_records_come_last() {
        assert!(coordinate(0, -1) < coordinate(0, 0));
        assert!(coordinate(0, i32::MAX) < coordinate(1, -1));
        assert!(coordinate(i32::MAX, i32::MAX) < coordinate(-1, -1));
        assert_eq!(coordinate(-1, 5), coordinate(-1, -1));
    }

    #[test]
    fn claims_of_the_header() {
        assert_eq!(Claim::of(b"coordinate", None), Claim::Coordinate);
        assert_eq!(Claim::of(b"unsorted", Some(b"unsorted:template-coordinate")), Claim::None);
        assert_eq!(
            Claim::of(b"queryname", Some(b"queryname:natural")),
            Claim::Names { natural: true, bytes: false }
        );
        assert_eq!(Claim::of(b"queryname", Some(b"queryname:own")), Claim::None);
    }
}
