//! Enrichment of targets as `CollectHsMetrics` has it: where bases lie, what doesn't count, and the coverage of targets.

use std::sync::Arc;

use biofast_bam::{Batch, Fasta, Header, Op, Record, flag};
use biofast_io::crc32;
use serde::{Deserialize, Serialize};

use super::adapters::is_adapter;
use super::panel::{BoundPanel, Panel, overlapping};
use super::pieces::{self, HIGH, LOWEST, Pieces, QUALITIES};
use super::pile::{Pile, PositionDepth, each_record};
use super::seam::{Meeting, PieceSeam, SeamKeeper, SeamMismatch};
use super::stored::{
    StoredCounts, add_and_take, are_on_positions, are_up_to_a_cap, cap_of, counts, stored_counts,
};
use crate::measure::coverage::{Spans, Unsorted};
use crate::measure::qc::{Failure, Finished, Flow, Measure, Ordered, ReadingEnd};

/// Depths of nearly all bases are counted up to this one, unless another is given: `COVERAGE_CAP` of Picard 3.4.
pub(crate) const CAP: u16 = 200;

/// Reads of a lower mapping quality don't count for coverage.
const MIN_MAPPING_QUALITY: u8 = 20;

/// Reads that lie this near to a bait are selected, too.
const NEAR: u32 = 250;

/// The percentages of GC from 0 to 100.
const CLASSES: usize = 101;

/// What was found of a hybrid selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hs {
    pub name: String,
    pub bait_territory: u64,
    pub target_territory: u64,
    pub genome: u64,
    /// Targets as they are listed, and united ones with coverage and all.
    pub targets: usize,
    pub uncovered: u64,
    pub reads: HsReadCounts,
    /// Positions of targets by depth of high quality, and by that of nearly all bases, which is capped.
    pub by_depth: Vec<u64>,
    pub by_most: Vec<u64>,
    /// Bases by quality: all, and on each position no more than the cap.
    pub by_quality: Vec<u64>,
    pub capped_by_quality: Vec<u64>,
    /// Of each GC content the bases of targets, and those aligned there.
    pub by_gc: Option<Vec<(u64, u64)>>,
}

impl Hs {
    /// The depth up to which depths were counted.
    pub fn cap(&self) -> u16 {
        cap_of(&self.by_most)
    }

    /// Positions of targets that are deeper.
    pub(crate) fn beyond_cap(&self) -> u64 {
        self.by_depth.iter().skip(usize::from(self.cap()) + 1).sum()
    }
}

/// The same of a piece of a file, with what it takes to join it with others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HsPart {
    panel: PanelOfPart,
    reads: HsReadCounts,
    ordered: HsOrderedCounts,
    /// United targets that have coverage, by their number: from one to another, excluded.
    covered: Vec<(u64, u64)>,
    seam: PieceSeam,
}

/// What intervals the counts are of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PanelOfPart {
    name: String,
    #[serde(deserialize_with = "counts")]
    bait_territory: u64,
    #[serde(deserialize_with = "counts")]
    target_territory: u64,
    #[serde(deserialize_with = "counts")]
    genome: u64,
    /// Targets as they are listed, and united ones.
    #[serde(deserialize_with = "counts")]
    targets: u64,
    #[serde(deserialize_with = "counts")]
    united: u64,
    /// CRC-32 of the targets and of the baits.
    sums: (u32, u32),
    /// Bases of targets by GC content, where the reference is known.
    bases_by_gc: Option<Vec<u64>>,
}

/// What is made of the records in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct HsOrderedCounts {
    /// Positions with bases.
    #[serde(deserialize_with = "counts")]
    by_depth: Vec<u64>,
    #[serde(deserialize_with = "counts")]
    by_most: Vec<u64>,
    #[serde(deserialize_with = "counts")]
    by_quality: Vec<u64>,
    #[serde(deserialize_with = "counts")]
    capped_by_quality: Vec<u64>,
    #[serde(deserialize_with = "counts")]
    aligned_by_gc: Vec<u64>,
}

stored_counts! {
    /// Counts of reads and of their bases.
    #[derive(Copy)]
    pub struct HsReadCounts {
        pub total: u64,
        pub passed: u64,
        pub unique: u64,
        pub unique_aligned: u64,
        pub bases: u64,
        pub aligned_bases: u64,
        pub unique_aligned_bases: u64,
        /// Pairs that lie on baits or near to them, and those that are no duplicates.
        pub selected_pairs: u64,
        pub unique_pairs: u64,
        pub on_bait: u64,
        pub near_bait: u64,
        pub off_bait: u64,
        pub on_target: u64,
        pub on_target_of_pairs: u64,
        pub duplicates: u64,
        pub adapters: u64,
        pub mapping_quality: u64,
        pub low_quality: u64,
        pub overlap: u64,
        pub off_target: u64,
    }
}

/// Finds an [`HsPart`], which [`PicardMeasure`](super::PicardMeasure) makes the whole of.
pub struct HsMeasure {
    bound: Arc<BoundPanel>,
    is_part: bool,
    cap: Option<u16>,
}

impl HsMeasure {
    /// For records with this header. With a reference GC content is found, too. Depths are counted up to the `cap`; without one to
    /// that of Picard 3.4, 200.
    ///
    /// # Errors
    /// At the first interval that lies on none of the references, or behind its end; if the reference can't be read.
    pub fn new(
        panel: &Panel,
        header: &Header,
        reference: Option<&Fasta>,
        is_part: bool,
        cap: Option<u16>,
    ) -> Result<HsMeasure, Failure> {
        Ok(HsMeasure { bound: Arc::new(panel.bind(header, reference)?), is_part, cap })
    }
}

impl Measure for HsMeasure {
    type Counts = HsCounts;
    type Ordered = HsOrdered;

    fn start(&self) -> HsCounts {
        HsCounts {
            bound: self.bound.clone(),
            reads: HsReadCounts::default(),
            bases: Box::new([0; 256]),
            qualities: Vec::new(),
        }
    }

    fn begin(&mut self, _: &Header, _: usize) -> HsOrdered {
        let cap = self.cap.unwrap_or(CAP);
        let depths = HsDepths {
            bound: self.bound.clone(),
            reference: 0,
            target: 0,
            before: 0,
            covered: Vec::new(),
            by_depth: vec![0],
            by_most: vec![0; usize::from(cap) + 1],
            aligned_by_gc: [0; CLASSES],
        };
        HsOrdered { pile: Pile::new(cap), depths, keeper: self.is_part.then(SeamKeeper::default) }
    }

    fn accept(&self, counts: &mut HsCounts, batch: Batch<'_>, left: &mut Pieces) {
        for (number, record) in batch.numbered() {
            if let Some(kept) = counts.count(&record) {
                counts.add(&record, number, kept, left);
            }
        }
    }

    fn merge(&self, mine: &mut HsCounts, theirs: HsCounts) {
        let HsCounts { bound: _, reads, bases, qualities: _ } = theirs;
        mine.reads.merge(&reads);
        mine.bases.iter_mut().zip(bases.iter()).for_each(|(mine, theirs)| *mine += theirs);
    }

    fn finish(&self, counts: HsCounts, ordered: HsOrdered, end: &mut ReadingEnd<'_>) -> Finished {
        end.found.put(ordered.finish(&counts));
        Ok(())
    }
}

/// What a worker counts.
pub struct HsCounts {
    bound: Arc<BoundPanel>,
    reads: HsReadCounts,
    /// Bases on targets by quality.
    bases: Box<[u64; 256]>,
    qualities: Vec<u8>,
}

impl HsCounts {
    /// Counts a record. How many of its bases are looked at; `None` if it has no coverage.
    #[inline]
    fn count(&mut self, record: &Record<'_>) -> Option<usize> {
        let flags = record.flags();
        let is = |flag| flags & flag != 0;
        if is(flag::SECONDARY) {
            return None;
        }
        let reads = &mut self.reads;
        let (mapped, passed, unique, primary) = (
            !is(flag::UNMAPPED),
            !is(flag::QC_FAIL),
            !is(flag::DUPLICATE),
            !is(flag::SUPPLEMENTARY),
        );
        if primary {
            reads.total += 1;
            reads.passed += u64::from(passed);
            reads.unique += u64::from(passed && unique);
            reads.unique_aligned += u64::from(passed && unique && mapped);
        }
        if !passed {
            return None;
        }
        if primary {
            reads.bases += record.sequence_len() as u64;
        }
        if !mapped {
            return None;
        }
        let aligned = pieces::aligned_bases(record);
        reads.aligned_bases += aligned;
        if unique {
            reads.unique_aligned_bases += aligned;
        }
        match self.on_bait(record) {
            Some(on_bait) => {
                let reads = &mut self.reads;
                if primary && is(flag::PAIRED) && is(flag::READ1) && !is(flag::MATE_UNMAPPED) {
                    reads.selected_pairs += 1;
                    reads.unique_pairs += u64::from(unique);
                }
                reads.on_bait += on_bait;
                reads.near_bait += aligned - on_bait;
            }
            None => self.reads.off_bait += aligned,
        }
        let reads = &mut self.reads;
        let excluded = if !unique {
            &mut reads.duplicates
        } else if is_adapter(record) {
            &mut reads.adapters
        } else if record.mapping_quality() < MIN_MAPPING_QUALITY {
            &mut reads.mapping_quality
        } else {
            return self.kept(record);
        };
        *excluded += aligned;
        None
    }

    /// How many of a record's bases lie on baits; `None` if it doesn't even lie near to any.
    fn on_bait(&self, record: &Record<'_>) -> Option<u64> {
        let baits = self.bound.baits.get(usize::try_from(record.reference_id()).ok()?)?;
        let clip = |at: i64| at.clamp(0, i64::from(u32::MAX)) as u32;
        let (start, end) = (
            i64::from(record.position()),
            record.position() as i64 + record.cigar().reference_len() as i64,
        );
        if end <= start {
            return None;
        }
        let near = overlapping(baits, clip(start - i64::from(NEAR)), clip(end + i64::from(NEAR)));
        if near.is_empty() {
            return None;
        }
        let mut on_bait = 0;
        for (at, _, len) in pieces::aligned(record) {
            let (from, to) = (clip(at), clip(at + len as i64));
            for &(start, end) in overlapping(near, from, to) {
                on_bait += u64::from(end.min(to) - start.max(from));
            }
        }
        Some(on_bait)
    }

    /// How many bases of a record are left when those are clipped that its mate may have, too; `None` if none is.
    fn kept(&mut self, record: &Record<'_>) -> Option<usize> {
        let len = record.sequence_len();
        let clipped = clipped(record);
        self.reads.overlap += clipped;
        if clipped == 0 {
            return Some(len);
        }
        if record.mate_position() <= record.position() {
            return None;
        }
        let cigar = record.cigar();
        let last = cigar.len().checked_sub(1).and_then(|last| cigar.get(last));
        let soft = match last {
            Some((Op::SoftClip, len)) => len as usize,
            _ => 0,
        };
        Some(len.saturating_sub(clipped as usize).saturating_sub(soft))
    }

    fn add(&mut self, record: &Record<'_>, number: u64, kept: usize, left: &mut Pieces) {
        let HsCounts { bound, reads, bases, qualities } = self;
        pieces::read_qualities(record, qualities);
        let flags = record.flags();
        let none_of = flag::UNMAPPED | flag::MATE_UNMAPPED | flag::SUPPLEMENTARY;
        let is_of_pair = flags & flag::PAIRED != 0 && flags & none_of == 0;
        let reference = usize::try_from(record.reference_id()).ok();
        let targets =
            reference.and_then(|place| bound.targets.get(place)).map_or(&[][..], Vec::as_slice);
        let firsts = left.firsts();
        let high =
            |qualities: &[u8]| qualities.iter().filter(|quality| **quality >= HIGH).count() as u64;
        for (at, base, len) in pieces::aligned(record) {
            let len = len.min(kept.saturating_sub(base));
            // Bases that a record lacks are of no quality.
            reads.low_quality += len.saturating_sub(qualities.len().saturating_sub(base)) as u64;
            let own = qualities.get(base..).unwrap_or_default();
            let own = &own[..own.len().min(len)];
            let all_high = high(own);
            reads.low_quality += own.len() as u64 - all_high;
            let mut on_target = 0;
            let Ok(from) = u32::try_from(at) else { continue };
            let to = from.saturating_add(own.len() as u32);
            for &(start, end) in overlapping(targets, from, to) {
                let (start, end) = (start.max(from), end.min(to));
                let own = &own[(start - from) as usize..(end - from) as usize];
                on_target += high(own);
                for &quality in own {
                    bases[usize::from(quality)] += 1;
                }
                left.push_block(start, own);
            }
            reads.on_target += on_target;
            reads.off_target += all_high - on_target;
            if is_of_pair {
                reads.on_target_of_pairs += on_target;
            }
        }
        left.push_record(record, number, 0, firsts);
    }
}

/// How many bases at the end of a record are clipped because its mate starts before them, as htsjdk counts them: whether
/// the mate lies on the same reference is not looked at.
fn clipped(record: &Record<'_>) -> u64 {
    let flags = record.flags();
    let (start, mate) = (i64::from(record.position()), i64::from(record.mate_position()));
    if flags & flag::PAIRED == 0
        || flags & flag::MATE_UNMAPPED != 0
        || mate < start
        || (mate == start && flags & flag::READ1 != 0)
    {
        return 0;
    }
    let (mut at, mut clipped) = (start, 0);
    for (op, len) in record.cigar().iter() {
        let len = i64::from(len);
        let on_reference = if op.consumes_reference() { len } else { 0 };
        if mate < at + on_reference {
            clipped += match op {
                Op::Match => on_reference - (mate - at).max(0),
                Op::SoftClip | Op::HardClip | Op::Pad | Op::Skip => 0,
                _ if op.consumes_read() => len,
                _ => 0,
            };
        }
        at += on_reference;
    }
    clipped.max(0) as u64
}

/// What is made of the records in the order of the file.
pub struct HsOrdered {
    pile: Pile,
    depths: HsDepths,
    /// Of a part: what it carries of its ends.
    keeper: Option<SeamKeeper>,
}

/// Positions of targets by depth.
struct HsDepths {
    bound: Arc<BoundPanel>,
    reference: usize,
    /// The target the last position was of.
    target: usize,
    /// Targets before those of the reference.
    before: u64,
    /// Targets that have coverage, by their number among all: from one to another, excluded.
    covered: Vec<(u64, u64)>,
    by_depth: Vec<u64>,
    by_most: Vec<u64>,
    aligned_by_gc: [u64; CLASSES],
}

impl HsDepths {
    #[inline]
    fn add(&mut self, depth: PositionDepth) {
        self.by_most[usize::from(depth.most)] += 1;
        if depth.high == 0 {
            return;
        }
        let high = depth.high as usize;
        if high >= self.by_depth.len() {
            self.by_depth.resize(high + 1, 0);
        }
        self.by_depth[high] += 1;
        let targets = self.bound.targets.get(self.reference).map_or(&[][..], Vec::as_slice);
        while targets.get(self.target).is_some_and(|target| target.1 <= depth.position) {
            self.target += 1;
        }
        let place = (self.reference, self.target);
        let number = self.before + self.target as u64;
        match self.covered.last_mut() {
            Some(last) if number < last.1 => {}
            Some(last) if number == last.1 => last.1 += 1,
            _ => self.covered.push((number, number + 1)),
        }
        let gc = self.bound.gc.as_ref().and_then(|gc| gc.get(place.0)?.get(place.1));
        if let Some(&gc) = gc {
            self.aligned_by_gc[usize::from(gc)] += u64::from(depth.high);
        }
    }
}

impl HsDepths {
    /// Begins another reference.
    fn go_to(&mut self, reference: usize) {
        let own = self.bound.targets.iter().take(reference);
        self.before = own.map(|targets| targets.len() as u64).sum();
        (self.reference, self.target) = (reference, 0);
    }
}

impl Ordered for HsOrdered {
    type Piece = Pieces;

    fn append(&mut self, left: &mut Pieces, _: Option<&Spans>) -> Flow {
        let HsOrdered { pile, depths, keeper } = self;
        let result = each_record(left, |piece, blocks, high| {
            if let Some(keeper) = keeper {
                let bound = &depths.bound;
                keeper.add(piece, &blocks, |at| bound.gc_at(piece.reference as usize, at));
            }
            if pile.follow(piece)? {
                pile.finish(|depth| depths.add(depth));
                depths.go_to(piece.reference as usize);
            }
            pile.advance(piece.start.into(), |depth| depths.add(depth));
            pile.reserve(piece.end.into());
            blocks.add_to(pile);
            for &(from, to) in high {
                pile.step(from, to, 1);
            }
            Ok(())
        });
        left.clear();
        Unsorted::flow(result)
    }
}

impl HsOrdered {
    /// What was found, of records that workers counted.
    fn finish(mut self, counts: &HsCounts) -> HsPart {
        let depths = &mut self.depths;
        self.pile.finish(|depth| depths.add(depth));
        let bound = &depths.bound;
        let bases_by_gc = bound.gc.as_ref().map(|gc| {
            let mut bases = vec![0; CLASSES];
            for (&(start, end), &gc) in bound.targets.iter().flatten().zip(gc.iter().flatten()) {
                bases[usize::from(gc)] += u64::from(end - start);
            }
            bases
        });
        let panel = PanelOfPart {
            name: bound.name.clone(),
            bait_territory: bound.bait_territory,
            target_territory: bound.target_territory,
            genome: bound.genome,
            targets: bound.count as u64,
            united: bound.targets.iter().map(|targets| targets.len() as u64).sum(),
            sums: (sum(&bound.targets), sum(&bound.baits)),
            bases_by_gc,
        };
        HsPart {
            panel,
            reads: counts.reads,
            ordered: HsOrderedCounts {
                by_depth: std::mem::take(&mut depths.by_depth),
                by_most: std::mem::take(&mut depths.by_most),
                by_quality: by_quality(&counts.bases, &[0; QUALITIES]),
                capped_by_quality: by_quality(&counts.bases, &self.pile.beyond),
                aligned_by_gc: depths.aligned_by_gc.to_vec(),
            },
            covered: std::mem::take(&mut depths.covered),
            seam: self.keeper.unwrap_or_default().finish(),
        }
    }
}

/// Bases that count by quality, without those beyond the cap.
fn by_quality(bases: &[u64; 256], beyond: &[u64; QUALITIES]) -> Vec<u64> {
    let counts = |quality| quality > usize::from(LOWEST);
    (0..QUALITIES)
        .map(|quality| if counts(quality) { bases[quality] - beyond[quality] } else { 0 })
        .collect()
}

/// The CRC-32 of stretches of all references.
fn sum(stretches: &[Vec<(u32, u32)>]) -> u32 {
    let mut bytes = Vec::new();
    for own in stretches {
        bytes.extend_from_slice(&(own.len() as u64).to_le_bytes());
        for (start, end) in own {
            bytes.extend_from_slice(&start.to_le_bytes());
            bytes.extend_from_slice(&end.to_le_bytes());
        }
    }
    crc32(&bytes)
}

impl HsOrderedCounts {
    /// What is made of some records of a seam alone.
    fn of(pieces: &Pieces, meeting: &Meeting, cap: u16) -> HsOrderedCounts {
        let mut pile = Pile::new(cap);
        let (mut by_depth, mut by_most) = (vec![0], vec![0; usize::from(cap) + 1]);
        let mut aligned_by_gc = vec![0; CLASSES];
        let mut add = |depth: PositionDepth| {
            by_most[usize::from(depth.most)] += 1;
            let high = depth.high as usize;
            if high == 0 {
                return;
            }
            by_depth.resize(by_depth.len().max(high + 1), 0);
            by_depth[high] += 1;
            let gc = meeting.gc.get((depth.position - meeting.from) as usize).copied().flatten();
            if let Some(gc) = gc {
                aligned_by_gc[usize::from(gc)] += u64::from(depth.high);
            }
        };
        // Those of a seam are in order.
        let _ = each_record(pieces, |piece, blocks, high| {
            pile.advance(piece.start.into(), &mut add);
            pile.reserve(piece.end.into());
            blocks.add_to(&mut pile);
            for &(from, to) in high {
                pile.step(from, to, 1);
            }
            Ok(())
        });
        pile.finish(&mut add);
        let mut bases = [0; 256];
        pieces.qualities.iter().for_each(|&quality| bases[usize::from(quality)] += 1);
        HsOrderedCounts {
            by_depth,
            by_most,
            by_quality: by_quality(&bases, &[0; QUALITIES]),
            capped_by_quality: by_quality(&bases, &pile.beyond),
            aligned_by_gc,
        }
    }

    /// Adds `more`, and takes `less` away; false if there isn't so much.
    #[must_use]
    fn add_and_take(&mut self, mut more: HsOrderedCounts, mut less: Vec<HsOrderedCounts>) -> bool {
        let others = less.iter().chain([&more]).map(|found| found.by_depth.len());
        let deepest = others.max().unwrap_or(0).max(self.by_depth.len());
        for found in less.iter_mut().chain([&mut more]) {
            found.by_depth.resize(deepest, 0);
        }
        let HsOrderedCounts { by_depth, by_most, by_quality, capped_by_quality, aligned_by_gc } =
            self;
        by_depth.resize(deepest, 0);
        let all = |own: fn(&HsOrderedCounts) -> &[u64]| less.iter().map(own).collect::<Vec<_>>();
        let are_right = add_and_take(by_depth, &more.by_depth, &all(|found| &found.by_depth))
            && add_and_take(by_most, &more.by_most, &all(|found| &found.by_most))
            && add_and_take(by_quality, &more.by_quality, &all(|found| &found.by_quality))
            && add_and_take(
                capped_by_quality,
                &more.capped_by_quality,
                &all(|found| &found.capped_by_quality),
            )
            && add_and_take(aligned_by_gc, &more.aligned_by_gc, &all(|found| &found.aligned_by_gc));
        // As deep as the deepest position, as of one run.
        let deepest = by_depth.iter().rposition(|positions| *positions > 0).unwrap_or(0);
        by_depth.truncate(deepest + 1);
        are_right
    }
}

impl HsPart {
    /// Whether these counts can be.
    pub(crate) fn is_possible(&self) -> bool {
        let HsOrderedCounts { by_depth, by_most, by_quality, capped_by_quality, aligned_by_gc } =
            &self.ordered;
        let has_gc = |classes: &Vec<u64>| classes.len() == CLASSES;
        let ascend = self.covered.windows(2).all(|two| two[0].1 < two[1].0);
        // Depths of a position: no more than its records.
        let reads = usize::try_from(self.reads.passed.max(self.reads.aligned_bases));
        !by_depth.is_empty()
            && reads.is_ok_and(|most| by_depth.len() <= most.saturating_add(1))
            && are_up_to_a_cap(by_most)
            && by_quality.len() == QUALITIES
            && has_gc(aligned_by_gc)
            && self.panel.bases_by_gc.as_ref().is_none_or(has_gc)
            && ascend
            && self.covered.iter().all(|(from, to)| from < to && *to <= self.panel.united)
            && capped_by_quality.len() == QUALITIES
            && by_quality.iter().zip(capped_by_quality).all(|(all, capped)| capped <= all)
            && are_on_positions(by_most, capped_by_quality)
    }

    /// Adds the piece that follows in the file.
    ///
    /// # Errors
    /// If they can't be joined; `Ok(false)` if they contradict each other.
    pub(crate) fn append(&mut self, behind: HsPart) -> Result<bool, SeamMismatch> {
        let meeting = self.seam.meeting(&behind.seam)?;
        let HsPart { panel, reads, ordered, covered, seam } = behind;
        let cap = cap_of(&self.ordered.by_most);
        if panel != self.panel || cap != cap_of(&ordered.by_most) {
            return Ok(false);
        }
        self.reads.merge(&reads);
        let mut are_right = self.ordered.add_and_take(ordered, Vec::new());
        if let Some(meeting) = meeting {
            let of = |pieces: &Pieces| HsOrderedCounts::of(pieces, &meeting, cap);
            let less = meeting.parts.iter().map(of).collect();
            are_right &= self.ordered.add_and_take(of(&meeting.both), less);
        }
        self.covered.extend(covered);
        self.covered.sort_unstable();
        self.covered.dedup_by(|next, last| {
            let touches = next.0 <= last.1;
            last.1 = if touches { last.1.max(next.1) } else { last.1 };
            touches
        });
        self.seam.append(seam);
        Ok(are_right)
    }

    /// What was found of the whole.
    pub(crate) fn whole(self) -> Hs {
        let HsPart { panel, reads, ordered, covered, seam: _ } = self;
        let PanelOfPart {
            name,
            bait_territory,
            target_territory,
            genome,
            targets,
            united,
            sums: _,
            bases_by_gc,
        } = panel;
        let HsOrderedCounts {
            mut by_depth,
            mut by_most,
            by_quality,
            capped_by_quality,
            aligned_by_gc,
        } = ordered;
        for depths in [&mut by_depth, &mut by_most] {
            let others: u64 = depths.iter().skip(1).sum();
            depths[0] = target_territory.saturating_sub(others);
        }
        let covered: u64 = covered.iter().map(|(from, to)| to - from).sum();
        Hs {
            name,
            bait_territory,
            target_territory,
            genome,
            targets: targets as usize,
            uncovered: united.saturating_sub(covered),
            reads,
            by_depth,
            by_most,
            by_quality,
            capped_by_quality,
            by_gc: bases_by_gc.map(|bases| bases.into_iter().zip(aligned_by_gc).collect()),
        }
    }
}
