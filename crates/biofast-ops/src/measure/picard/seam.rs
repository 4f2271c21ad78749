//! What a piece of a sorted file carries of the records at its ends, so that depths to which the pieces before and behind it add
//! can be found when they are joined: records at its start, and those that reach behind the start of its last one.
//!
//! Depths of two pieces together are those of each, less what the records at the seam make alone, more what they make together:
//! nothing else can depend on both.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use super::pieces::{NO_CALL, Pieces, PiledRecord};
use super::pile::QualityBlocks;
use crate::measure::alignments::runs::{base64, from_base64};

/// Behind the first record, records that start within so many positions are kept: those of the piece before may reach there.
pub(crate) const WINDOW: u32 = 4096;

/// The widest seam: further ahead no records of the pieces before are followed.
const WIDEST: u32 = 1 << 20;

/// Records that are kept before those are looked for that nothing behind can overlap.
const FEW: usize = 1024;

/// A reference and a position.
type SeamPosition = (u32, u32);

/// The ends of a piece.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PieceSeam {
    /// Where the first and the last record that counts start.
    first: Option<SeamPosition>,
    last: Option<SeamPosition>,
    /// Records that start within [`WINDOW`] behind the first one.
    head: Vec<SeamRecord>,
    /// Records that end behind the start of the last one.
    tail: Vec<SeamRecord>,
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "StoredRecord")]
pub(crate) struct SeamRecord {
    reference: u32,
    start: u32,
    /// The hash of its name, where mates matter.
    key: u128,
    /// Where bases lie, and the GC content there, where it matters.
    blocks: Vec<(u32, u32, Option<u8>)>,
    /// Of the bases, block after block, with [`NO_CALL`].
    qualities: Vec<u8>,
}

/// Reference, start, hash in hexadecimal digits, blocks, and qualities in base64.
type StoredRecord = (u32, u32, String, Vec<(u32, u32, Option<u8>)>, String);

impl From<SeamRecord> for StoredRecord {
    fn from(kept: SeamRecord) -> StoredRecord {
        let SeamRecord { reference, start, key, blocks, qualities } = kept;
        (reference, start, format!("{key:x}"), blocks, base64(&qualities))
    }
}

impl<'de> Deserialize<'de> for SeamRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SeamRecord, D::Error> {
        let (reference, start, key, blocks, qualities) = StoredRecord::deserialize(deserializer)?;
        let damaged = || D::Error::custom("a record at the end of a piece that can't be");
        let key = u128::from_str_radix(&key, 16).map_err(|_| damaged())?;
        let qualities = from_base64(&qualities).ok_or_else(damaged)?;
        let (mut at, mut bases) = (start, 0usize);
        for &(block, len, gc) in &blocks {
            let end = block.checked_add(len).ok_or_else(damaged)?;
            if block < at || len == 0 || end > i32::MAX as u32 || gc.is_some_and(|gc| gc > 100) {
                return Err(damaged());
            }
            at = end;
            bases += len as usize;
        }
        let are_known = qualities
            .iter()
            .all(|quality| usize::from(quality & !NO_CALL) < super::pieces::QUALITIES);
        match bases == qualities.len() && !blocks.is_empty() && are_known {
            true => Ok(SeamRecord { reference, start, key, blocks, qualities }),
            false => Err(damaged()),
        }
    }
}

impl SeamRecord {
    fn place(&self) -> SeamPosition {
        (self.reference, self.start)
    }

    fn end(&self) -> u32 {
        self.blocks.last().map_or(self.start, |(at, len, _)| at + len)
    }
}

/// Why two pieces can't be joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SeamMismatch {
    /// They are not in the order of the file.
    Order,
    /// Records of the one before reach further than those of the one behind are kept.
    Reach,
}

/// The records of two pieces at a seam, of positions that records of both may cover.
pub(crate) struct Meeting {
    /// Of the piece before, of that behind, and of both, in their order.
    pub(crate) parts: [Pieces; 2],
    pub(crate) both: Pieces,
    /// The GC content of positions, where it matters, from the first one on.
    pub(crate) from: u32,
    pub(crate) gc: Vec<Option<u8>>,
}

impl PieceSeam {
    /// What the records of this piece and of the one behind it are where they meet; `None` if they don't.
    pub(crate) fn meeting(&self, behind: &PieceSeam) -> Result<Option<Meeting>, SeamMismatch> {
        let (Some(last), Some(first)) = (self.last, behind.first) else { return Ok(None) };
        if first < last {
            return Err(SeamMismatch::Order);
        }
        if first.0 != last.0 {
            return Ok(None);
        }
        let from = first.1;
        let to = self.tail.iter().map(SeamRecord::end).max().unwrap_or(0);
        if to <= from {
            return Ok(None);
        }
        let are_all_kept = behind
            .last
            .is_some_and(|last| last.0 == first.0 && last.1 < from.saturating_add(WINDOW));
        if to - from > WIDEST || (to - from > WINDOW && !are_all_kept) {
            return Err(SeamMismatch::Reach);
        }
        let head = || behind.head.iter().filter(|kept| kept.start < to);
        let mut gc = vec![None; (to - from) as usize];
        for &(at, len, own) in self.tail.iter().chain(head()).flat_map(|kept| &kept.blocks) {
            let (start, end) = (at.clamp(from, to) - from, (at + len).clamp(from, to) - from);
            gc[start as usize..end as usize].fill(own);
        }
        Ok(Some(Meeting {
            parts: [clipped(self.tail.iter(), from, to), clipped(head(), from, to)],
            both: clipped(self.tail.iter().chain(head()), from, to),
            from,
            gc,
        }))
    }

    /// Adds the piece behind: what both carry together.
    pub(crate) fn append(&mut self, behind: PieceSeam) {
        let PieceSeam { first, last, head, tail } = behind;
        let (Some(last), Some(start)) = (last, first) else { return };
        let own = *self.first.get_or_insert(start);
        let is_near = |kept: &SeamRecord| {
            kept.reference == own.0 && kept.start < own.1.saturating_add(WINDOW)
        };
        self.head.extend(head.into_iter().filter(is_near));
        self.last = Some(last);
        self.tail.extend(tail);
        self.tail.retain(|kept| kept.reference == last.0 && kept.end() > last.1);
    }
}

/// The bases of records, in order, that lie from one position to another.
fn clipped<'a>(records: impl Iterator<Item = &'a SeamRecord>, from: u32, to: u32) -> Pieces {
    let mut pieces = Pieces::default();
    for kept in records {
        let (mut qualities, firsts) = (&kept.qualities[..], pieces.firsts());
        for &(at, len, _) in &kept.blocks {
            let (own, later) = qualities.split_at(len as usize);
            qualities = later;
            let (start, end) = (at.clamp(from, to), (at + len).clamp(from, to));
            if start < end {
                pieces.push_block(start, &own[(start - at) as usize..(end - at) as usize]);
            }
        }
        pieces.push_kept((kept.start.max(from), kept.key), firsts);
    }
    pieces
}

/// Gathers the ends of a piece.
#[derive(Default)]
pub(crate) struct SeamKeeper {
    seam: PieceSeam,
    /// When to forget.
    limit: usize,
}

impl SeamKeeper {
    /// Adds the next record in the order of the file; `gc` tells the GC content of a block, where it matters.
    pub(crate) fn add(
        &mut self,
        piece: &PiledRecord,
        blocks: &QualityBlocks<'_>,
        gc: impl Fn(u32) -> Option<u8>,
    ) {
        let place = (piece.reference, piece.start);
        let first = *self.seam.first.get_or_insert(place);
        self.seam.last = Some(place);
        let (mut own, mut qualities) = (Vec::with_capacity(piece.blocks as usize), Vec::new());
        blocks.each(|at, bases| {
            // What was clipped has none.
            if !bases.is_empty() {
                own.push((at, bases.len() as u32, gc(at)));
                qualities.extend_from_slice(bases);
            }
        });
        if own.is_empty() {
            return;
        }
        let kept = SeamRecord {
            reference: piece.reference,
            start: piece.start,
            key: piece.key,
            blocks: own,
            qualities,
        };
        if place.0 == first.0 && place.1 - first.1 < WINDOW {
            self.seam.head.push(kept.clone());
        }
        if self.seam.tail.len() >= self.limit.max(FEW) {
            self.forget();
            self.limit = 2 * self.seam.tail.len();
        }
        self.seam.tail.push(kept);
    }

    fn forget(&mut self) {
        if let Some(last) = self.seam.last {
            self.seam.tail.retain(|kept| kept.reference == last.0 && kept.end() > last.1);
        }
    }

    pub(crate) fn finish(mut self) -> PieceSeam {
        self.forget();
        debug_assert!(self.seam.head.is_sorted_by_key(SeamRecord::place));
        self.seam
    }
}
