//! Coverage of a genome as `CollectWgsMetrics` has it: bases of high quality, those of mates once, and what doesn't count.

use std::io;
use std::sync::OnceLock;

use biofast_bam::{Batch, Fasta, Header, Record, flag};
use serde::{Deserialize, Serialize};

use super::adapters::is_adapter;
use super::names::TemplateOverlaps;
use super::pieces::{self, HIGH, LOWEST, NO_CALL, Pieces, QUALITIES};
use super::pile::{Pile, PositionDepth, each_record};
use super::reference::Bases;
use super::references::count_each;
use super::seam::{PieceSeam, SeamKeeper, SeamMismatch};
use super::stored::{
    StoredCounts, add_and_take, are_on_positions, are_up_to_a_cap, cap_of, counts, stored_counts,
};
use crate::measure::coverage::{Spans, Unsorted, key, lasting_key};
use crate::measure::qc::{Failure, Finished, Flow, Measure, Ordered, ReadingEnd};

/// Positions of more bases than this count as of this many.
pub(crate) const CAP: u16 = 250;

/// Reads of a lower mapping quality don't count.
const MIN_MAPPING_QUALITY: u8 = 20;

/// What was found of a genome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wgs {
    pub excluded: Excluded,
    /// Bases that count, and those whose mate counts.
    pub overlap: u64,
    pub capped: u64,
    pub low_quality: u64,
    /// Positions by depth of high quality, and by that of nearly all bases, up to the cap: without those of depth 0.
    pub by_depth: Vec<u64>,
    pub by_most: Vec<u64>,
    /// Bases by quality, on each position no more than the cap.
    pub by_quality: Vec<u64>,
}

/// The same of a piece of a file, with what it takes to join it with others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WgsPart {
    excluded: Excluded,
    #[serde(deserialize_with = "counts")]
    low_quality: u64,
    ordered: WgsOrderedCounts,
    /// Known bases of the reference.
    #[serde(deserialize_with = "counts")]
    territory: u64,
    seam: PieceSeam,
}

/// What is made of the records in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct WgsOrderedCounts {
    #[serde(deserialize_with = "counts")]
    overlap: u64,
    #[serde(deserialize_with = "counts")]
    capped: u64,
    /// Positions where bases lie, by depth.
    #[serde(deserialize_with = "counts")]
    by_depth: Vec<u64>,
    #[serde(deserialize_with = "counts")]
    by_most: Vec<u64>,
    #[serde(deserialize_with = "counts")]
    by_quality: Vec<u64>,
}

stored_counts! {
    /// Aligned bases of reads that don't count, by the first of these reasons.
    #[derive(Copy)]
    pub struct Excluded {
        pub adapters: u64,
        pub mapping_quality: u64,
        pub duplicates: u64,
        pub unpaired: u64,
    }
}

/// Finds a [`WgsPart`], which [`PicardMeasure`](super::PicardMeasure) makes the whole of.
pub struct WgsMeasure {
    fasta: Fasta,
    is_part: bool,
    cap: Option<u16>,
    /// Known bases of the reference, once they were counted.
    territory: OnceLock<u64>,
}

impl WgsMeasure {
    /// Depths are counted up to the `cap`; without one to that of Picard 3.4, 250.
    pub fn new(fasta: Fasta, is_part: bool, cap: Option<u16>) -> WgsMeasure {
        WgsMeasure { fasta, is_part, cap, territory: OnceLock::new() }
    }
}

impl Measure for WgsMeasure {
    type Counts = WgsCounts;
    type Ordered = WgsOrdered;

    fn start(&self) -> WgsCounts {
        WgsCounts {
            // Of a part names are hashed as in all others.
            key: if self.is_part { lasting_key } else { key },
            excluded: Excluded::default(),
            bases: Box::new([0; 256]),
            reference: Bases::new(self.fasta.clone()),
            qualities: Vec::new(),
            fault: None,
        }
    }

    fn begin(&mut self, _: &Header, _: usize) -> WgsOrdered {
        let keeper = self.is_part.then(SeamKeeper::default);
        WgsOrdered { keeper, ..WgsOrdered::new(self.cap) }
    }

    fn accept(&self, counts: &mut WgsCounts, batch: Batch<'_>, left: &mut Pieces) {
        if !batch.is_empty() {
            counts.reference.bind(batch.header());
        }
        for (number, record) in batch.numbered() {
            if counts.fault.is_none() && counts.counts(&record) {
                counts.fault = counts.add(&record, number, left).err();
            }
        }
    }

    fn merge(&self, mine: &mut WgsCounts, theirs: WgsCounts) {
        let WgsCounts { excluded, bases, reference: _, qualities: _, key: _, fault } = theirs;
        mine.excluded.merge(&excluded);
        mine.bases.iter_mut().zip(bases.iter()).for_each(|(mine, theirs)| *mine += theirs);
        mine.fault = mine.fault.take().or(fault);
    }

    fn finish(&self, counts: WgsCounts, ordered: WgsOrdered, end: &mut ReadingEnd<'_>) -> Finished {
        let territory = match self.territory.get() {
            Some(known) => *known,
            None => territory(end.header, &self.fasta, end.options.threads)
                .map_err(Failure::Reference)?,
        };
        let _ = self.territory.set(territory);
        if let Some(fault) = counts.fault {
            return Err(Failure::Reference(fault));
        }
        end.found.put(ordered.finish(counts.excluded, &counts.bases, territory));
        Ok(())
    }
}

impl Ordered for WgsOrdered {
    type Piece = Pieces;

    fn append(&mut self, left: &mut Pieces, _: Option<&Spans>) -> Flow {
        let result = self.add(left);
        left.clear();
        Unsorted::flow(result)
    }
}

/// What a worker counts.
pub struct WgsCounts {
    excluded: Excluded,
    /// Bases on known positions of the reference, by quality with [`NO_CALL`].
    bases: Box<[u64; 256]>,
    reference: Bases,
    qualities: Vec<u8>,
    key: fn(&[u8]) -> u128,
    /// Why the reference couldn't be read.
    fault: Option<io::Error>,
}

impl WgsCounts {
    /// Whether the bases of a record count.
    #[inline]
    fn counts(&mut self, record: &Record<'_>) -> bool {
        let flags = record.flags();
        if flags & flag::SECONDARY != 0 {
            return false;
        }
        let excluded = &mut self.excluded;
        let of = if is_adapter(record) {
            &mut excluded.adapters
        } else if record.mapping_quality() < MIN_MAPPING_QUALITY {
            &mut excluded.mapping_quality
        } else if flags & flag::DUPLICATE != 0 {
            &mut excluded.duplicates
        } else if flags & flag::PAIRED == 0 || flags & flag::MATE_UNMAPPED != 0 {
            &mut excluded.unpaired
        } else {
            return flags & (flag::QC_FAIL | flag::UNMAPPED) == 0 && record.reference_id() >= 0;
        };
        *of += pieces::aligned_bases(record);
        false
    }

    fn add(&mut self, record: &Record<'_>, number: u64, left: &mut Pieces) -> io::Result<()> {
        let WgsCounts { bases, reference, qualities, key, .. } = self;
        pieces::read_qualities(record, qualities);
        pieces::mark_unknown(record, qualities);
        let firsts = left.firsts();
        for (at, base, len) in pieces::aligned(record) {
            // What lies before the reference is no base of a position.
            let skipped = (-at).clamp(0, len as i64) as usize;
            let own = qualities.get(base + skipped..).unwrap_or_default();
            let own = &own[..own.len().min(len - skipped)];
            let start = at + skipped as i64;
            let letters = reference.get(record.reference_id(), start as u64, own.len())?;
            let own = &own[..letters.len()];
            let known = letters.iter().fold(true, |all, &letter| all & !is_unknown(letter));
            if known {
                add_block(start as u32, own, bases, left);
                continue;
            }
            let mut done = 0;
            for stretch in letters.split(|&letter| is_unknown(letter)) {
                let stretch_end = done + stretch.len();
                add_block(start as u32 + done as u32, &own[done..stretch_end], bases, left);
                done = stretch_end + 1;
            }
        }
        left.push_record(record, number, key(record.name()), firsts);
        Ok(())
    }
}

#[inline]
fn add_block(at: u32, qualities: &[u8], bases: &mut [u64; 256], left: &mut Pieces) {
    if qualities.is_empty() {
        return;
    }
    for &quality in qualities {
        bases[usize::from(quality)] += 1;
    }
    left.push_block(at, qualities);
}

#[inline]
fn is_unknown(letter: u8) -> bool {
    matches!(letter, b'N' | b'n' | b'.')
}

/// What is made of the records in the order of the file.
pub struct WgsOrdered {
    pile: Pile,
    names: TemplateOverlaps,
    depths: WgsDepths,
    overlap: u64,
    /// Of a part: what it carries of its ends.
    keeper: Option<SeamKeeper>,
}

/// Positions by depth.
struct WgsDepths {
    by_depth: Vec<u64>,
    by_most: Vec<u64>,
    capped: u64,
}

impl WgsDepths {
    #[inline]
    fn add(&mut self, depth: PositionDepth) {
        let high = depth.high.min(self.by_depth.len() as u32 - 1);
        self.capped += u64::from(depth.high - high);
        self.by_depth[high as usize] += 1;
        self.by_most[usize::from(depth.most)] += 1;
    }
}

impl WgsOrdered {
    fn new(cap: Option<u16>) -> WgsOrdered {
        let cap = cap.unwrap_or(CAP);
        let none = vec![0; usize::from(cap) + 1];
        WgsOrdered {
            pile: Pile::new(cap),
            names: TemplateOverlaps::default(),
            depths: WgsDepths { by_depth: none.clone(), by_most: none, capped: 0 },
            overlap: 0,
            keeper: None,
        }
    }

    /// Adds the records of the next batch, up to the first one that is out of order.
    fn add(&mut self, left: &Pieces) -> Result<(), Unsorted> {
        let WgsOrdered { pile, names, depths, overlap, keeper } = self;
        each_record(left, |piece, blocks, high| {
            if let Some(keeper) = keeper {
                keeper.add(piece, &blocks, |_| None);
            }
            if pile.follow(piece)? {
                pile.finish(|depth| depths.add(depth));
                names.clear();
            }
            pile.advance(piece.start.into(), |depth| depths.add(depth));
            pile.reserve(piece.end.into());
            blocks.add_to(pile);
            for &(from, to) in high {
                pile.step(from, to, 1);
            }
            names.add(piece, high, |from, to| {
                pile.step(from, to, -1);
                *overlap += u64::from(to - from);
            });
            Ok(())
        })
    }

    /// What was found, of these bases by quality that count, and of so many known bases of the reference.
    fn finish(mut self, excluded: Excluded, bases: &[u64; 256], territory: u64) -> WgsPart {
        let keeper = self.keeper.take();
        let low = 0..usize::from(HIGH);
        let low_quality = bases[low].iter().chain(&bases[usize::from(NO_CALL)..]).sum();
        let seam = keeper.unwrap_or_default().finish();
        WgsPart { excluded, low_quality, ordered: self.found(bases), territory, seam }
    }

    /// What was made of these bases by quality.
    fn found(mut self, bases: &[u64; 256]) -> WgsOrderedCounts {
        let depths = &mut self.depths;
        self.pile.finish(|depth| depths.add(depth));
        let by_quality = (0..QUALITIES)
            .map(|quality| match quality > usize::from(LOWEST) {
                true => {
                    bases[quality] + bases[quality | usize::from(NO_CALL)]
                        - self.pile.beyond[quality]
                }
                false => 0,
            })
            .collect();
        WgsOrderedCounts {
            overlap: self.overlap,
            capped: self.depths.capped,
            by_depth: self.depths.by_depth,
            by_most: self.depths.by_most,
            by_quality,
        }
    }
}

impl WgsOrderedCounts {
    /// What is made of some records alone.
    fn of(pieces: &Pieces, cap: u16) -> WgsOrderedCounts {
        let mut ordered = WgsOrdered::new(Some(cap));
        // Those of a seam are in order.
        let _ = ordered.add(pieces);
        let mut bases = [0; 256];
        pieces.qualities.iter().for_each(|&quality| bases[usize::from(quality)] += 1);
        ordered.found(&bases)
    }

    /// Adds `more`, and takes `less` away; false if there isn't so much.
    #[must_use]
    fn add_and_take(&mut self, more: &WgsOrderedCounts, less: &[WgsOrderedCounts]) -> bool {
        let WgsOrderedCounts { overlap, capped, by_depth, by_most, by_quality } = self;
        let all = |own: fn(&WgsOrderedCounts) -> &[u64]| less.iter().map(own).collect::<Vec<_>>();
        add_and_take(
            std::slice::from_mut(overlap),
            std::slice::from_ref(&more.overlap),
            &all(|f| std::slice::from_ref(&f.overlap)),
        ) && add_and_take(
            std::slice::from_mut(capped),
            std::slice::from_ref(&more.capped),
            &all(|f| std::slice::from_ref(&f.capped)),
        ) && add_and_take(by_depth, &more.by_depth, &all(|f| &f.by_depth))
            && add_and_take(by_most, &more.by_most, &all(|f| &f.by_most))
            && add_and_take(by_quality, &more.by_quality, &all(|f| &f.by_quality))
    }
}

impl WgsPart {
    /// Whether these counts can be: each base that counts lies on a position.
    pub(crate) fn is_possible(&self) -> bool {
        let WgsOrderedCounts { by_depth, by_most, by_quality, .. } = &self.ordered;
        by_depth.len() == by_most.len()
            && are_up_to_a_cap(by_most)
            && by_quality.len() == QUALITIES
            && are_on_positions(by_most, by_quality)
    }

    /// Adds the piece that follows in the file.
    ///
    /// # Errors
    /// If they can't be joined; `Ok(false)` if they contradict each other.
    pub(crate) fn append(&mut self, behind: WgsPart) -> Result<bool, SeamMismatch> {
        let meeting = self.seam.meeting(&behind.seam)?;
        let WgsPart { excluded, low_quality, ordered, territory, seam } = behind;
        let cap = cap_of(&self.ordered.by_most);
        if territory != self.territory || cap != cap_of(&ordered.by_most) {
            return Ok(false);
        }
        self.excluded.merge(&excluded);
        self.low_quality += low_quality;
        let mut are_right = self.ordered.add_and_take(&ordered, &[]);
        if let Some(meeting) = meeting {
            let less = meeting.parts.each_ref().map(|pieces| WgsOrderedCounts::of(pieces, cap));
            are_right &=
                self.ordered.add_and_take(&WgsOrderedCounts::of(&meeting.both, cap), &less);
        }
        self.seam.append(seam);
        Ok(are_right)
    }

    /// What was found of the whole.
    pub(crate) fn whole(self) -> Wgs {
        let WgsPart { excluded, low_quality, ordered, territory, seam: _ } = self;
        let WgsOrderedCounts { overlap, capped, mut by_depth, mut by_most, by_quality } = ordered;
        // The positions that no base lies on.
        for depths in [&mut by_depth, &mut by_most] {
            let others: u64 = depths.iter().sum();
            depths[0] += territory.saturating_sub(others);
        }
        Wgs { excluded, overlap, capped, low_quality, by_depth, by_most, by_quality }
    }
}

/// How many bases are known of the references of the header that the FASTA file has.
///
/// # Errors
/// If the reference can't be read.
pub(crate) fn territory(header: &Header, fasta: &Fasta, threads: usize) -> io::Result<u64> {
    fasta.bind(header);
    let add = |reference, known: &mut u64| {
        *known += known_of(reference, fasta)?;
        Ok(())
    };
    count_each(header, threads, || 0, add, |all, known| *all += known)
}

fn known_of(reference: i32, fasta: &Fasta) -> io::Result<u64> {
    /// Bases read at once.
    const STRETCH: usize = 1 << 20;
    let len = match fasta.len(reference) {
        // No records lie on it, or the reading of those said so.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        len => len?,
    };
    let (mut start, mut known, mut bases) = (0, 0, Vec::new());
    while start < len {
        fasta.fetch(reference, start, STRETCH, &mut bases)?;
        known += bases.iter().filter(|letter| !is_unknown(**letter)).count() as u64;
        start += bases.len() as u64;
    }
    Ok(known)
}
