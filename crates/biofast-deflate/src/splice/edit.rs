//! The new stream: bits of the old one, and what is written anew between them.

use std::ops::Range;

use super::changes::Changes;
use super::codes::{FIXED, SpliceCodes};
use super::piece::{Piece, Recent};
use crate::encode::bits::{BitWriter, MAX_STREAM, Out};
use crate::map::{Coding, MappedBlock, Match, StreamMap};

/// The most bits of a stream's part that is written without another look at the limit: a text of 258 bytes in fixed codes and a
/// header again.
const SLACK: usize = 1 << 10;

/// What a stream is spliced from, and memory to do it in.
pub(super) struct Edit<'a> {
    pub(super) stream: &'a [u8],
    /// The changed text.
    pub(super) text: &'a [u8],
    pub(super) map: &'a StreamMap,
    pub(super) changes: &'a Changes,
    pub(super) codes: &'a mut SpliceCodes,
    pub(super) fixed: &'a SpliceCodes,
    /// Bytes of the current match that it may not copy.
    pub(super) wrong: &'a mut Vec<usize>,
    pub(super) out: &'a mut Out,
    pub(super) recent: Recent,
    pub(super) limit: usize,
}

/// How far a splice has got.
struct SpliceProgress {
    bits: BitWriter,
    /// The bit of the old stream up to which all is written.
    copied: usize,
    /// The next change and the next concerned match.
    change: usize,
    concerned: usize,
    /// The bit of the new stream where the header of the current DEFLATE block is.
    head: usize,
    /// A place in the text and the bit where it starts in the old stream: the end of the last literal that changed, or the start
    /// of the current DEFLATE block.
    known: (usize, usize),
}

impl Edit<'_> {
    /// Writes the new stream, whose bits end at `end` in the old one. How many bytes it has; `None` if it is too long.
    pub(super) fn run(mut self, end: usize) -> Option<usize> {
        let mut progress = SpliceProgress {
            bits: BitWriter::new(),
            copied: 0,
            change: 0,
            concerned: 0,
            head: 0,
            known: (0, 0),
        };
        let blocks = self.map.blocks();
        for (k, &block) in blocks.iter().enumerate() {
            let (matches, text) =
                blocks.get(k + 1).map_or((self.map.matches().len(), self.text.len()), |next| {
                    (next.first_match as usize, next.text as usize)
                });
            match block.coding {
                Coding::Stored => self.store(&mut progress, block, text)?,
                _ => self.edit_block(&mut progress, block, matches, text)?,
            }
        }
        self.copy_to(&mut progress, end)?;
        progress.bits.finish(self.out);
        (progress.bits.at <= self.limit).then_some(progress.bits.at)
    }

    /// Copies the old stream up to a bit. `None` if the new one gets too long.
    fn copy_to(&mut self, progress: &mut SpliceProgress, bit: usize) -> Option<()> {
        let bits = progress.bits.bits() + bit.saturating_sub(progress.copied);
        if bits > 8 * self.limit.min(MAX_STREAM / 2 - SLACK) {
            return None;
        }
        progress.bits.copy(self.stream, progress.copied, bit, self.out);
        progress.copied = bit;
        Some(())
    }

    /// Writes a stored block, whose bytes may start at another bit of a byte than before.
    fn store(
        &mut self,
        progress: &mut SpliceProgress,
        block: MappedBlock,
        end: usize,
    ) -> Option<()> {
        let range = block.text as usize..end;
        self.copy_to(progress, block.head as usize + 3)?;
        progress.bits.finish(self.out);
        let length = range.len() as u64;
        progress.bits.put_flushed(length | (!length & 0xffff) << 16, 32, self.out);
        if progress.bits.at + range.len() > self.limit.min(MAX_STREAM / 2 - SLACK) {
            return None;
        }
        progress.bits.copy(self.text, 8 * range.start, 8 * end, self.out);
        progress.copied = block.body as usize + 8 * range.len();
        progress.change = self.changes.from(end);
        Some(())
    }

    /// Writes anew what changes in a block of codes, whose matches and text end there.
    fn edit_block(
        &mut self,
        progress: &mut SpliceProgress,
        block: MappedBlock,
        matches: usize,
        text: usize,
    ) -> Option<()> {
        let next_change = |change: usize| self.changes.at.get(change).map(|&at| usize::from(at));
        let next_match = |concerned: usize| {
            let index = self.changes.concerned.get(concerned).map(|&i| usize::from(i));
            index.filter(|&index| index < matches)
        };
        if next_match(progress.concerned).is_none()
            && next_change(progress.change).is_none_or(|at| at >= text)
        {
            return Some(());
        }
        let lengths = match block.coding {
            Coding::Dynamic(index) => self.map.lengths(index).unwrap_or(&FIXED),
            _ => &FIXED,
        };
        self.codes.set(lengths);
        progress.head = progress.bits.bits() + block.head as usize - progress.copied;
        progress.known = (block.text as usize, block.body as usize);
        loop {
            let next = next_match(progress.concerned);
            let found = next.and_then(|index| self.map.matches().get(index).copied());
            let until = found.map_or(text, Match::at);
            while let Some(at) = self
                .changes
                .at
                .get(progress.change)
                .map(|&at| usize::from(at))
                .filter(|&at| at < until)
            {
                self.change_literal(progress, block, at)?;
            }
            let (Some(index), Some(found)) = (next, found) else { return Some(()) };
            self.cut_match(progress, block, index, found)?;
        }
    }

    /// The bit where the text at `at`, a literal or a match, starts in the old stream: the bits of the literals are counted since
    /// a place of which it is known. `matches` start before it.
    fn bit_of(
        &self,
        progress: &SpliceProgress,
        block: MappedBlock,
        matches: usize,
        at: usize,
    ) -> usize {
        let first = block.first_match as usize;
        let before = self.map.matches().get(first..matches).and_then(|all| all.last());
        let before = before.map_or((0, 0), |before| (before.text_end(), before.end()));
        let (text, bit) = before.max(progress.known);
        // None of them changes: those that did lie before a place that is known.
        let literals = self.text.get(text..at).unwrap_or_default();
        bit + literals.iter().map(|&byte| self.codes.literal_bits(byte)).sum::<usize>()
    }

    /// Writes the next change, which is a literal.
    fn change_literal(
        &mut self,
        progress: &mut SpliceProgress,
        block: MappedBlock,
        at: usize,
    ) -> Option<()> {
        let changes = self.changes;
        let matches = usize::from(changes.before[progress.change]);
        let start = self.bit_of(progress, block, matches, at);
        let end = start + self.codes.literal_bits(changes.old[progress.change]);
        progress.change += 1;
        progress.known = (at + 1, end);
        self.wrong.clear();
        self.wrong.push(at);
        self.replace(progress, block, start..end, at..at + 1, None)
    }

    /// Writes the next concerned match anew if it copies a byte that is another one now.
    fn cut_match(
        &mut self,
        progress: &mut SpliceProgress,
        block: MappedBlock,
        index: usize,
        found: Match,
    ) -> Option<()> {
        progress.concerned += 1;
        let (at, end, distance) = (found.at(), found.text_end(), found.distance());
        let changed = |from: usize, until: usize| {
            let first = if from == at { progress.change } else { self.changes.from(from) };
            let rest = self.changes.at.get(first..).unwrap_or_default();
            rest.iter().map(|&at| usize::from(at)).take_while(move |&at| at < until)
        };
        self.wrong.clear();
        self.wrong.extend(changed(at, end));
        let covered = self.wrong.len();
        self.wrong.extend(changed(at - distance, end - distance).map(|source| source + distance));
        progress.change += covered;
        if covered > 0 {
            self.wrong.sort_unstable();
            self.wrong.dedup();
        }
        let text = self.text;
        self.wrong.retain(|&at| text[at] != text[at - distance]);
        if self.wrong.is_empty() {
            return Some(());
        }
        let start = match self.codes.match_bits(found.length(), distance) {
            Some(bits) => found.end() - bits,
            None => self.bit_of(progress, block, index, at),
        };
        self.replace(progress, block, start..found.end(), at..end, Some(distance))
    }

    /// Writes the text `range` in place of the `old` bits. If something has no code, in a fixed block between two parts of this one.
    fn replace(
        &mut self,
        progress: &mut SpliceProgress,
        block: MappedBlock,
        old: Range<usize>,
        range: Range<usize>,
        distance: Option<usize>,
    ) -> Option<()> {
        self.copy_to(progress, old.start)?;
        progress.copied = old.end;
        let piece =
            Piece { text: self.text, range, distance, wrong: self.wrong, recent: self.recent };
        let before = progress.bits;
        if !piece.put(self.codes, &mut progress.bits, self.out) {
            progress.bits = before;
            let ((end, end_bits), (head, body)) =
                (self.codes.end(), (block.head as usize, block.body as usize));
            progress.bits.put_flushed(end, end_bits, self.out);
            // Not the last block, with the fixed code.
            progress.bits.put_flushed(2, 3, self.out);
            piece.put(self.fixed, &mut progress.bits, self.out);
            let (end, end_bits) = self.fixed.end();
            progress.bits.put_flushed(end, end_bits, self.out);
            // The part before isn't the last block either.
            progress.bits.clear(progress.head, self.out);
            progress.head = progress.bits.bits();
            progress.bits.copy(self.stream, head, body, self.out);
        }
        for &at in self.wrong.iter() {
            self.recent.push(at);
        }
        Some(())
    }
}
