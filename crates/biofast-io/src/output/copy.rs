//! Blocks of the input that become blocks of an output as they are, or with changes, without being compressed again.
//!
//! What is copied depends on the texts and the input's blocks alone, not on how the work was divided.

use std::io;
use std::ops::Range;

use super::encode::{Encoded, Encoder};
use super::splice::{BlockSource, BlockSplicer};
use crate::container::bgzf::BLOCK_TEXT;

/// Blocks of less data are not copied: they, and what comes before them, would be better compressed together.
pub(crate) const LEAST: usize = 32 << 10;

/// How many blocks one answers for: of so many, the first is compressed to compare.
const STRETCH: u32 = 128;

/// What becomes of BGZF blocks of the input whose data are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BlockReuse {
    /// Their data are compressed again.
    #[default]
    Never,
    /// They are copied if their data are unchanged and would become no shorter.
    Copy,
    /// They are copied, and changed as they are stored if their data have changed.
    Splice,
}

/// Bytes of a text that are data of a block of the input.
pub(crate) struct Piece {
    /// Where in the text they are.
    pub(crate) at: usize,
    /// The offset of the block in the input, which tells it from others.
    pub(crate) file_offset: u64,
    /// Where they start in the block's data, and how many they are.
    pub(crate) from: usize,
    pub(crate) len: usize,
    /// The length of all of the block's data.
    pub(crate) of: usize,
    /// Where the block's bytes come from, if it can be copied once all of its data have come.
    pub(crate) source: Option<BlockSource>,
}

impl Piece {
    /// Whether it is all of the block.
    pub(crate) fn is_whole(&self) -> bool {
        self.from == 0 && self.len == self.of
    }

    /// Whether `next` goes on where this one ends, in the text and in the block.
    pub(crate) fn goes_on(&self, next: &Piece) -> bool {
        self.file_offset == next.file_offset
            && self.at + self.len == next.at
            && self.from + self.len == next.from
    }
}

/// Whether a block can stand in an output as it is: compressed, and with the header that our own blocks have.
pub(crate) fn can_be_copied(stored: &[u8]) -> bool {
    stored.get(10..12) == Some(&[6, 0]) && stored.get(18).is_some_and(|byte| byte >> 1 & 3 != 0)
}

/// What an output hands on from text to text.
#[derive(Default)]
pub(crate) struct Carried {
    /// Text that is in no block yet.
    pub(crate) text: Vec<u8>,
    /// The block whose data it ends with, if the rest of them may follow.
    open: Option<Piece>,
    /// For how many more blocks the last comparison counts, and how it ended.
    judged: (u32, bool),
}

impl From<Vec<u8>> for Carried {
    fn from(text: Vec<u8>) -> Self {
        Carried { text, ..Carried::default() }
    }
}

/// Cuts the texts of an output where blocks are copied: before and after these, and else where units end.
pub(crate) struct CopyCutter {
    reuse: BlockReuse,
    splicer: Option<Box<BlockSplicer>>,
    /// The text carried over, with what of the new text is in a block with some of it.
    first: Vec<u8>,
    /// How much was carried over.
    before: usize,
    blocks: Vec<Cut>,
}

/// A block of an output: where its text is in what was carried over and the new text, and where its bytes come from unless it is
/// compressed.
type Cut = (Range<usize>, Option<BlockSource>);

impl CopyCutter {
    pub(crate) fn new(reuse: BlockReuse) -> CopyCutter {
        CopyCutter { reuse, splicer: None, first: Vec::new(), before: 0, blocks: Vec::new() }
    }

    /// Gives memory back.
    pub(crate) fn forget(&mut self) {
        *self = CopyCutter::new(self.reuse);
    }

    /// Takes over what was carried, which gets the end of `text` that is in no block yet. `encoder` shows how long a
    /// block would be otherwise.
    pub(crate) fn take(
        &mut self,
        carried: &mut Carried,
        text: &[u8],
        pieces: &mut Vec<Piece>,
        encoder: &mut Encoder,
    ) {
        self.blocks.clear();
        self.before = carried.text.len();
        let (before, total) = (self.before, self.before + text.len());
        let mut open = carried.open.take();
        let mut done = 0;
        for piece in pieces.drain(..) {
            let mut piece = Piece { at: before + piece.at, ..piece };
            if let Some(begun) = open.take_if(|begun| begun.goes_on(&piece)) {
                piece = Piece { len: begun.len + piece.len, ..begun };
            }
            open = None;
            if piece.from != 0 || piece.of < LEAST {
                continue;
            }
            let Some(source) = &piece.source else { continue };
            if !piece.is_whole() {
                open = Some(piece);
                continue;
            }
            let data = piece.at..piece.at + piece.len;
            let copies = match source {
                BlockSource::Stored(stored) if self.reuse == BlockReuse::Copy => {
                    judge(&mut carried.judged, stored.len(), || {
                        let mut bytes = Vec::with_capacity(data.len());
                        bytes.extend(carried.text.iter().skip(data.start).take(data.len()));
                        let from = data.start.max(before) - before;
                        let until = data.end.saturating_sub(before).max(from);
                        bytes.extend_from_slice(&text[from..until]);
                        encoder.encoded_len(&bytes)
                    })
                }
                _ => true,
            };
            if copies {
                self.cut_units(&mut done, data.start);
                self.copy(done, data.clone(), source.clone());
                done = data.end;
            }
        }
        carried.open = open.filter(|piece| piece.at + piece.len == total);
        let certain = carried.open.as_ref().map_or(total, |piece| piece.at);
        self.cut_units(&mut done, certain);
        if let Some(open) = &mut carried.open {
            open.at -= done;
        }
        self.carry_on(carried, text, done);
    }

    /// Whole units from `done` on that end at `end` or before.
    fn cut_units(&mut self, done: &mut usize, end: usize) {
        while end - *done >= BLOCK_TEXT {
            self.blocks.push((*done..*done + BLOCK_TEXT, None));
            *done += BLOCK_TEXT;
        }
    }

    /// Copies a block whose data are `data`, after a block with what comes before from `done` on: less than a unit. If that
    /// is little, both are compressed together, so that no short block is made.
    fn copy(&mut self, done: usize, data: Range<usize>, source: BlockSource) {
        let gap = data.start - done;
        if gap > 0 && gap < LEAST {
            let len = data.end - done;
            let middle = if len <= BLOCK_TEXT { data.end } else { done + len / 2 };
            self.blocks.push((done..middle, None));
            if middle < data.end {
                self.blocks.push((middle..data.end, None));
            }
            return;
        }
        if gap > 0 {
            self.blocks.push((done..data.start, None));
        }
        self.blocks.push((data, Some(source)));
    }

    /// Leaves the text from `done` on to the next one.
    fn carry_on(&mut self, carried: &mut Carried, text: &[u8], done: usize) {
        let before = self.before;
        if done == 0 {
            carried.text.extend_from_slice(text);
            return;
        }
        std::mem::swap(&mut self.first, &mut carried.text);
        carried.text.clear();
        if done < before {
            carried.text.extend_from_slice(&self.first[done..]);
        }
        carried.text.extend_from_slice(&text[done.saturating_sub(before)..]);
        let shared = self.blocks.iter().rfind(|(data, _)| data.start < before);
        let shared = shared.map_or(0, |(data, _)| data.end.saturating_sub(before));
        self.first.extend_from_slice(&text[..shared]);
    }

    /// Encodes the blocks of `text`, the one given to [`take`](Self::take).
    pub(crate) fn encode(
        &mut self,
        encoder: &mut Encoder,
        text: &[u8],
        out: &mut Encoded,
    ) -> io::Result<()> {
        out.clear();
        let CopyCutter { reuse, splicer, first, before, blocks } = self;
        let text_of = |data: &Range<usize>| match data.start < *before {
            true => &first[data.clone()],
            false => &text[data.start - *before..data.end - *before],
        };
        // Those of which it isn't known yet what they become, and that changed, are inflated together.
        let mut changed: Vec<&[u8]> = Vec::new();
        let mut is_changed = Vec::with_capacity(blocks.len());
        for (data, source) in &*blocks {
            let stored = match source {
                Some(BlockSource::Stored(stored)) if *reuse == BlockReuse::Splice => {
                    Some(&stored[..]).filter(|stored| !is_of(stored, text_of(data)))
                }
                _ => None,
            };
            is_changed.push(stored.is_some());
            changed.extend(stored);
        }
        let mut splicer = match changed.is_empty() {
            true => None,
            false => {
                let splicer = splicer.get_or_insert_with(|| Box::new(BlockSplicer::new()));
                if splicer.load(&changed) { Some(splicer) } else { None }
            }
        };
        let mut index = 0;
        for ((data, source), is_changed) in blocks.iter().zip(is_changed) {
            let text = text_of(data);
            let is_done = match (source, &mut splicer) {
                (None | Some(BlockSource::Declined), _) => false,
                (Some(BlockSource::Stored(stored)), Some(splicer)) if is_changed => {
                    index += 1;
                    splicer.splice_loaded(index - 1, stored, text, out)
                }
                (Some(BlockSource::Stored(_)), None) if is_changed => false,
                (Some(BlockSource::Stored(stored)), _)
                    if *reuse == BlockReuse::Copy && !is_of(stored, text) =>
                {
                    false
                }
                (Some(BlockSource::Stored(stored) | BlockSource::Ready(stored)), _) => {
                    out.push_block(stored, text.len());
                    true
                }
            };
            if !is_done {
                encoder.encode(text, out)?;
            }
        }
        Ok(())
    }
}

/// Whether a block's checksum and length are those of `text`. They always should be; but a wrong byte would be told by nothing
/// else.
fn is_of(stored: &[u8], text: &[u8]) -> bool {
    let footer = [libdeflater::crc32(text), text.len() as u32].map(u32::to_le_bytes);
    stored.ends_with(footer.as_flattened())
}

/// Whether blocks are copied here: those of a stretch are if the first of it isn't longer than it would be compressed again.
fn judge(judged: &mut (u32, bool), stored_len: usize, ours: impl FnOnce() -> usize) -> bool {
    let (left, copies) = judged;
    if *left == 0 {
        *left = STRETCH;
        *copies = stored_len <= ours();
    }
    *left -= 1;
    *copies
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // lists of ranges are meant
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::output::{Compression, Format, Level};
    use proptest::prelude::*;

    /// Text in blocks of an input.
    struct Input {
        text: Vec<u8>,
        blocks: Vec<(Range<usize>, Arc<[u8]>)>,
    }

    fn encoder() -> Encoder {
        let level = Some(Level::Number(1));
        Encoder::new(Compression::new(Format::Bgzf, level).expect("a level")).expect("a codec")
    }

    fn input(lengths: &[usize], seed: u64) -> Input {
        let mut input = Input { text: Vec::new(), blocks: Vec::new() };
        for (number, &len) in lengths.iter().enumerate() {
            let start = input.text.len();
            let byte = |i: u64| b"ACGT"[(i.wrapping_mul(seed | 1) >> 13) as usize % 4];
            input.text.extend((number as u64..).take(len).map(byte));
            let mut block = Encoded::default();
            encoder().encode(&input.text[start..], &mut block).expect("encodes");
            input.blocks.push((start..start + len, block.bytes.into()));
        }
        input
    }

    /// The text of what is kept, and which blocks it comes from.
    fn keep(input: &Input, kept: &[Range<usize>]) -> (Vec<u8>, Vec<Piece>) {
        let (mut text, mut pieces) = (Vec::new(), Vec::new());
        for kept in kept {
            for (data, stored) in &input.blocks {
                let (from, to) = (kept.start.max(data.start), kept.end.min(data.end));
                if from < to {
                    pieces.push(Piece {
                        at: text.len() + from - kept.start,
                        file_offset: data.start as u64,
                        from: from - data.start,
                        len: to - from,
                        of: data.len(),
                        source: (from == data.start)
                            .then(|| BlockSource::Stored(Arc::clone(stored))),
                    });
                }
            }
            text.extend_from_slice(&input.text[kept.clone()]);
        }
        (text, pieces)
    }

    /// The blocks of text that comes in parts, which `cuts` end.
    fn encode(input: &Input, kept: &[Range<usize>], cuts: &[usize]) -> Vec<u8> {
        encode_as(BlockReuse::Copy, &[], input, kept, cuts)
    }

    /// The same of a text in which some bytes are changed.
    fn encode_as(
        reuse: BlockReuse,
        changed: &[usize],
        input: &Input,
        kept: &[Range<usize>],
        cuts: &[usize],
    ) -> Vec<u8> {
        let (mut text, pieces) = keep(input, kept);
        change(&mut text, changed);
        let mut cuts: Vec<usize> = cuts.iter().map(|&cut| cut.min(text.len())).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let (mut cutter, mut carried) = (CopyCutter::new(reuse), Carried::default());
        let (mut encoder, mut out, mut bytes) = (encoder(), Encoded::default(), Vec::new());
        for cut in cuts.windows(2) {
            let part = &text[cut[0]..cut[1]];
            let mut own = Vec::new();
            for piece in &pieces {
                let (at, end) = (piece.at.max(cut[0]), (piece.at + piece.len).min(cut[1]));
                if at < end {
                    let from = piece.from + at - piece.at;
                    let source = piece.source.clone().filter(|_| from == 0);
                    own.push(Piece { at: at - cut[0], from, len: end - at, source, ..*piece });
                }
            }
            cutter.take(&mut carried, part, &mut own, &mut encoder);
            cutter.encode(&mut encoder, part, &mut out).expect("encodes");
            assert_eq!(out.blocks.len(), out.texts.len());
            bytes.extend_from_slice(&out.bytes);
        }
        out.clear();
        encoder.encode(&carried.text, &mut out).expect("encodes");
        encoder.trailer(bytes.is_empty(), &mut out).expect("ends");
        bytes.extend_from_slice(&out.bytes);
        bytes
    }

    fn change(text: &mut [u8], changed: &[usize]) {
        let len = text.len();
        changed.iter().filter(|_| len > 0).for_each(|at| text[at % len] ^= 4);
    }

    fn read(bytes: Vec<u8>) -> Vec<u8> {
        let source = crate::Source::from_reader("x", io::Cursor::new(bytes));
        let mut reader = crate::Reader::new(source, &crate::Options::default()).expect("opens");
        let mut text = Vec::new();
        io::Read::read_to_end(&mut reader, &mut text).expect("reads");
        text
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
        #[test]
        fn what_is_copied_does_not_depend_on_how_text_comes(
            lengths in prop::collection::vec(
                prop_oneof![Just(BLOCK_TEXT), 1usize..65_280, Just(LEAST), Just(1)],
                1..9,
            ),
            dropped in prop::collection::vec((0usize..500_000, 1usize..70_000), 0..4),
            cuts in prop::collection::vec(0usize..500_000, 0..12),
            changed in prop::collection::vec(0usize..500_000, 0..40),
            seed in any::<u64>(),
        ) {
            let input = input(&lengths, seed);
            let (mut kept, mut from) = (Vec::new(), 0);
            let mut dropped = dropped;
            dropped.sort_unstable();
            for (start, len) in dropped {
                let start = start.min(input.text.len());
                if from < start {
                    kept.push(from..start);
                }
                from = from.max((start + len).min(input.text.len()));
            }
            kept.push(from..input.text.len());
            let whole = encode(&input, &kept, &[]);
            prop_assert!(whole == encode(&input, &kept, &cuts));
            prop_assert!(read(whole) == keep(&input, &kept).0);
            let splice = |cuts: &[usize]| {
                encode_as(BlockReuse::Splice, &changed, &input, &kept, cuts)
            };
            let whole = splice(&[]);
            prop_assert!(whole == splice(&cuts));
            let mut text = keep(&input, &kept).0;
            change(&mut text, &changed);
            prop_assert!(read(whole) == text);
        }
    }

    #[test]
    fn blocks_that_are_kept_are_copied_and_little_before_them_makes_no_short_block() {
        let input = input(&[BLOCK_TEXT, 50_000, 5000, LEAST, BLOCK_TEXT], 99);
        let all: Vec<u8> = input.blocks.iter().flat_map(|(_, block)| block.to_vec()).collect();
        let lens = |bytes: &[u8]| {
            let (mut at, mut lens) = (0, Vec::new());
            while at + 28 < bytes.len() {
                let len = usize::from(u16::from_le_bytes([bytes[at + 16], bytes[at + 17]])) + 1;
                let text = bytes[at + len - 4..at + len].try_into().expect("four");
                lens.push(u32::from_le_bytes(text) as usize);
                at += len;
            }
            lens
        };
        // The short block and the next one are made again.
        let whole = encode(&input, &[0..input.text.len()], &[]);
        assert!(whole.starts_with(&all[..input.blocks[0].1.len() + input.blocks[1].1.len()]));
        assert_eq!(lens(&whole), [BLOCK_TEXT, 50_000, 5000 + LEAST, BLOCK_TEXT]);
        // Much of the first block is one of its own, little is spread over two.
        let cut = |from: usize| lens(&encode(&input, &[from..BLOCK_TEXT + 50_000], &[]));
        assert_eq!(cut(10), [BLOCK_TEXT - 10, 50_000]);
        assert_eq!(cut(BLOCK_TEXT - 20_000), [35_000, 35_000]);
        assert_eq!(cut(BLOCK_TEXT - 10), [50_010]);
    }

    #[test]
    fn blocks_of_which_bytes_change_are_changed_as_they_are_stored() {
        let input = input(&[BLOCK_TEXT, 50_000, 40_000], 99);
        let all = [0..input.text.len()];
        let [first, second, third] = [0, 1, 2].map(|block| &input.blocks[block].1[..]);
        let changed = [BLOCK_TEXT, BLOCK_TEXT + 7, BLOCK_TEXT + 49_999];
        let spliced = encode_as(BlockReuse::Splice, &changed, &input, &all, &[]);
        assert!(spliced.starts_with(first));
        let rest = &spliced[first.len()..];
        let (changed_block, rest) =
            rest.split_at(usize::from(u16::from_le_bytes([rest[16], rest[17]])) + 1);
        assert!(changed_block != second && changed_block.ends_with(&50_000u32.to_le_bytes()));
        assert!(rest.starts_with(third));
        // The codes stay: what deflates it again doesn't give this.
        let mut text = input.text.clone();
        change(&mut text, &changed);
        let mut anew = Encoded::default();
        encoder().encode(&text[BLOCK_TEXT..][..50_000], &mut anew).expect("encodes");
        assert!(anew.bytes != changed_block);
        assert!(read(spliced) == text);
    }

    #[test]
    fn longer_blocks_than_ours_are_not_copied() {
        let mut made_longer = input(&[BLOCK_TEXT; 3], 7);
        for (_, block) in &mut made_longer.blocks {
            let longer: Vec<u8> = [&block[..18], &[0; 9], &block[18..]].concat();
            *block = longer.into();
        }
        let plain = input(&[BLOCK_TEXT; 3], 7);
        let all = [0..3 * BLOCK_TEXT];
        assert!(encode(&made_longer, &all, &[]) == encode(&plain, &all, &[]));
        let mut wrong = input(&[BLOCK_TEXT; 3], 7);
        for (_, block) in &mut wrong.blocks {
            let mut bytes = block.to_vec();
            let len = bytes.len();
            bytes[len - 8] ^= 1;
            *block = bytes.into();
        }
        assert!(encode(&wrong, &all, &[]) == encode(&plain, &all, &[]), "its checksum differs");
    }
}
