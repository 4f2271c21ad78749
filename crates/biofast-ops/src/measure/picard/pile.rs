//! A window of the reference with two depths at each position: of bases of high quality, and of nearly all, which is counted
//! up to a cap and in the order of the file.

use super::pieces::{LOWEST, NO_CALL, Pieces, PiledRecord, QUALITIES};
use crate::measure::coverage::Unsorted;

/// Positions of a new window; it grows as far as records reach.
const SIZE: usize = 1 << 12;

/// Depths of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PositionDepth {
    pub(crate) position: u32,
    pub(crate) high: u32,
    /// Of bases above the lowest qualities, up to the cap.
    pub(crate) most: u16,
}

/// The window.
pub(crate) struct Pile {
    /// Its first position; places are positions modulo the length.
    start: u64,
    /// No record reaches this position.
    furthest: u64,
    /// The depth of high quality before the first position.
    depth: u32,
    /// By how much that depth steps at a position. Sums wrap.
    steps: Vec<u32>,
    most: Vec<u16>,
    cap: u16,
    /// Bases by quality that lay on positions that had reached the cap.
    pub(crate) beyond: [u64; QUALITIES],
    last: (u32, u32),
}

impl Pile {
    pub(crate) fn new(cap: u16) -> Pile {
        Pile {
            start: 0,
            furthest: 0,
            depth: 0,
            steps: vec![0; SIZE],
            most: vec![0; SIZE],
            cap,
            beyond: [0; QUALITIES],
            last: (0, 0),
        }
    }

    /// Notes where the next record starts: whether that is on another reference than before.
    ///
    /// # Errors
    /// If it lies before the one before it.
    #[inline]
    pub(crate) fn follow(&mut self, piece: &PiledRecord) -> Result<bool, Unsorted> {
        let place = (piece.reference, piece.start);
        if place < self.last {
            let signed = |(reference, start): (u32, u32)| (reference, start as i32);
            return Err(Unsorted::new(piece.record, signed(self.last), signed(place)));
        }
        let is_other = self.last.0 != piece.reference;
        self.last = place;
        Ok(is_other)
    }

    /// Gives the depths of all positions before `to` where there are any, and moves the window there.
    #[inline]
    pub(crate) fn advance(&mut self, to: u64, mut each: impl FnMut(PositionDepth)) {
        let until = to.min(self.furthest);
        let mask = self.steps.len() - 1;
        while self.start < until {
            let first = self.start as usize & mask;
            let len = ((until - self.start) as usize).min(self.steps.len() - first);
            let steps = &mut self.steps[first..first + len];
            let most = &mut self.most[first..first + len];
            for ((step, most), position) in steps.iter_mut().zip(most).zip(self.start as u32..) {
                self.depth = self.depth.wrapping_add(std::mem::take(step));
                let most = std::mem::take(most);
                if most > 0 || self.depth > 0 {
                    each(PositionDepth { position, high: self.depth, most });
                }
            }
            self.start += len as u64;
        }
        if self.start >= self.furthest && self.furthest > 0 {
            // Where the last stretch ends is a step down.
            self.steps[self.furthest as usize & mask] = 0;
            self.depth = 0;
            self.furthest = 0;
        }
        self.start = self.start.max(to);
    }

    /// Gives what is left, and begins another reference.
    pub(crate) fn finish(&mut self, each: impl FnMut(PositionDepth)) {
        self.advance(self.furthest, each);
        self.start = 0;
    }

    /// Makes room for what ends at `end`.
    #[inline]
    pub(crate) fn reserve(&mut self, end: u64) {
        self.furthest = self.furthest.max(end);
        let needed = (end - self.start.min(end)) as usize + 1;
        if needed > self.steps.len() {
            self.grow(needed);
        }
    }

    #[cold]
    fn grow(&mut self, needed: usize) {
        let (old, new) = (self.steps.len(), needed.next_power_of_two());
        let (mut steps, mut most) = (vec![0; new], vec![0; new]);
        for position in self.start..self.start + old as u64 {
            steps[position as usize & (new - 1)] = self.steps[position as usize & (old - 1)];
            most[position as usize & (new - 1)] = self.most[position as usize & (old - 1)];
        }
        (self.steps, self.most) = (steps, most);
    }

    /// Adds the bases of a block to the depth that is capped.
    #[inline]
    pub(crate) fn add_block(&mut self, at: u32, qualities: &[u8]) {
        let first = at as usize & (self.most.len() - 1);
        let near = qualities.len().min(self.most.len() - first);
        self.add_at(first, &qualities[..near]);
        if near < qualities.len() {
            self.add_at(0, &qualities[near..]);
        }
    }

    #[inline]
    fn add_at(&mut self, first: usize, qualities: &[u8]) {
        let most = &mut self.most[first..first + qualities.len()];
        let deepest = most.iter().fold(0, |deepest, &depth| deepest.max(depth));
        let counts = |quality: u8| quality & !NO_CALL > LOWEST;
        if deepest < self.cap {
            for (depth, &quality) in most.iter_mut().zip(qualities) {
                *depth += u16::from(counts(quality));
            }
            return;
        }
        for (depth, &quality) in most.iter_mut().zip(qualities) {
            if !counts(quality) {
                continue;
            }
            match *depth < self.cap {
                true => *depth += 1,
                false => self.beyond[usize::from(quality & !NO_CALL)] += 1,
            }
        }
    }

    /// Adds, or takes off, one to the depth of high quality from one position to another.
    #[inline]
    pub(crate) fn step(&mut self, from: u32, to: u32, by: i32) {
        let mask = self.steps.len() - 1;
        let up = &mut self.steps[from as usize & mask];
        *up = up.wrapping_add(by as u32);
        let down = &mut self.steps[to as usize & mask];
        *down = down.wrapping_sub(by as u32);
    }
}

/// The records of a batch with what is theirs: blocks with their qualities, and stretches of high quality.
pub(crate) fn each_record(
    pieces: &Pieces,
    mut each: impl FnMut(&PiledRecord, QualityBlocks<'_>, &[(u32, u32)]) -> Result<(), Unsorted>,
) -> Result<(), Unsorted> {
    let (mut blocks, mut qualities, mut high) =
        (&pieces.blocks[..], &pieces.qualities[..], &pieces.high[..]);
    for piece in &pieces.records {
        let (own_blocks, later) = blocks.split_at(piece.blocks as usize);
        blocks = later;
        let bases = own_blocks.iter().map(|block| block.len as usize).sum();
        let (own_qualities, later) = qualities.split_at(bases);
        qualities = later;
        let (own_high, later) = high.split_at(piece.high as usize);
        high = later;
        each(piece, QualityBlocks { blocks: own_blocks, qualities: own_qualities }, own_high)?;
    }
    Ok(())
}

/// Blocks of a record, and the qualities of their bases.
pub(crate) struct QualityBlocks<'a> {
    blocks: &'a [super::pieces::AlignedBlock],
    qualities: &'a [u8],
}

impl QualityBlocks<'_> {
    /// Calls `each` with the start of each block and the qualities of its bases.
    pub(crate) fn each(&self, mut each: impl FnMut(u32, &[u8])) {
        let mut qualities = self.qualities;
        for block in self.blocks {
            let (own, later) = qualities.split_at(block.len as usize);
            qualities = later;
            each(block.at, own);
        }
    }

    /// Adds them to the depth that is capped.
    #[inline]
    pub(crate) fn add_to(&self, pile: &mut Pile) {
        self.each(|at, own| pile.add_block(at, own));
    }
}
