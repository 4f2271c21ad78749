//! Where the matches of a stream and its DEFLATE blocks are, noted while it is inflated: what `splice` needs.

use crate::entry::DISTANCE_BITS;

/// The longest text that a map describes, which is that of a BGZF block.
pub(crate) const MAX_MAPPED_TEXT: usize = 1 << 16;

/// The longest stream.
pub(crate) const MAX_MAPPED_STREAM: usize = 1 << 16;

/// The shortest match.
const SHORTEST: usize = 3;

/// Bits of [`Match::word`] that hold the length.
const LENGTH_BITS: u32 = 12;

/// A match: where its bits end, and what it copies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Match {
    /// The bit of the stream after it, and its length in the lowest bits.
    word: u32,
    /// Where it starts in the text.
    at: u16,
    distance: u16,
}

impl Match {
    /// A match that ends before bit `end` of the stream. All are below the limits of a mapped stream, or are cut to any number.
    #[inline(always)]
    pub(crate) fn new(end: u64, length: u64, at: usize, distance: u64) -> Self {
        let word = (end as u32) << LENGTH_BITS | length as u32;
        Self { word, at: at as u16, distance: distance as u16 }
    }

    /// How many matches a cursor moves after one with so many index bits of the distance table, or after none with no bits.
    #[inline(always)]
    pub(crate) fn count(distance_bits: u64) -> usize {
        const { assert!(DISTANCE_BITS >> 3 == 1) };
        (distance_bits >> 3) as usize
    }

    #[inline(always)]
    pub(crate) fn end(self) -> usize {
        (self.word >> LENGTH_BITS) as usize
    }

    #[inline(always)]
    pub(crate) fn length(self) -> usize {
        (self.word & ((1 << LENGTH_BITS) - 1)) as usize
    }

    #[inline(always)]
    pub(crate) fn at(self) -> usize {
        self.at.into()
    }

    /// Where the text after it starts.
    #[inline(always)]
    pub(crate) fn text_end(self) -> usize {
        self.at() + self.length()
    }

    #[inline(always)]
    pub(crate) fn distance(self) -> usize {
        self.distance.into()
    }

    /// Where its source starts. It never reaches back to before the text.
    #[inline(always)]
    pub(crate) fn source(self) -> u16 {
        self.at.wrapping_sub(self.distance)
    }
}

/// Code lengths of a DEFLATE block: of literals, lengths and the end, and of distances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodeLengths {
    pub(crate) symbols: [u8; 288],
    pub(crate) distances: [u8; 32],
}

/// How a DEFLATE block says its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Stored,
    Fixed,
    /// By the code lengths of this index.
    Dynamic(u32),
}

/// A DEFLATE block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MappedBlock {
    pub(crate) coding: Coding,
    /// The bit where its header starts.
    pub(crate) head: u32,
    /// The bit where its codes start, or its bytes.
    pub(crate) body: u32,
    /// Where its text starts.
    pub(crate) text: u32,
    /// Its first match, or the first after it.
    pub(crate) first_match: u32,
}

/// Where the matches and the DEFLATE blocks of a stream are. [`Inflater::inflate_mapped`](crate::Inflater::inflate_mapped) fills
/// it, and [`Splicer`](crate::Splicer) uses it.
///
/// It holds up to about 180 kB: keep it for other streams.
#[derive(Debug, Default)]
pub struct StreamMap {
    /// Room for all matches that a text of the length given at the start can have, and one more.
    room: Vec<Match>,
    matches: usize,
    blocks: Vec<MappedBlock>,
    lengths: Vec<CodeLengths>,
    /// Bytes of stream and text.
    sizes: (usize, usize),
    /// The bit after the stream, once it is complete.
    end: Option<usize>,
}

impl StreamMap {
    /// A map of no stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes it ready for a stream of that many bytes, and its text.
    pub(crate) fn start(&mut self, stream: usize, text: usize) {
        let most = text / SHORTEST + 2;
        if self.room.len() < most {
            self.room.resize(most, Match::default());
        }
        self.matches = 0;
        self.blocks.clear();
        self.lengths.clear();
        (self.sizes, self.end) = ((stream, text), None);
    }

    /// Where the next match goes. As many fit from there on as the rest of the text can have, and one more.
    pub(crate) fn cursor(&mut self) -> *mut Match {
        self.room[self.matches..].as_mut_ptr()
    }

    /// Counts the matches before `cursor`, which was moved on from [`cursor`](Self::cursor).
    pub(crate) fn advance_to(&mut self, cursor: *mut Match) {
        self.matches = (cursor.addr() - self.room.as_ptr().addr()) / size_of::<Match>();
    }

    pub(crate) fn push(&mut self, found: Match) {
        if let Some(slot) = self.room.get_mut(self.matches) {
            *slot = found;
            self.matches += 1;
        }
    }

    /// Adds a DEFLATE block that starts at the bit `head` and at `text`; its codes, or its bytes, start at the bit `body`.
    pub(crate) fn push_block(&mut self, coding: Coding, head: usize, body: usize, text: usize) {
        let [head, body, text, first_match] =
            [head, body, text, self.matches].map(|number| number as u32);
        self.blocks.push(MappedBlock { coding, head, body, text, first_match });
    }

    /// Keeps code lengths.
    pub(crate) fn push_lengths(&mut self, symbols: &[u8], distances: &[u8]) {
        let mut all = CodeLengths { symbols: [0; 288], distances: [0; 32] };
        for (to, &length) in all.symbols.iter_mut().zip(symbols) {
            *to = length;
        }
        for (to, &length) in all.distances.iter_mut().zip(distances) {
            *to = length;
        }
        self.lengths.push(all);
    }

    /// The code lengths kept last.
    pub(crate) fn last_lengths(&self) -> Coding {
        Coding::Dynamic(self.lengths.len().saturating_sub(1) as u32)
    }

    /// The stream is complete.
    pub(crate) fn finish(&mut self, end: usize) {
        self.end = Some(end);
    }

    pub(crate) fn matches(&self) -> &[Match] {
        &self.room[..self.matches]
    }

    pub(crate) fn blocks(&self) -> &[MappedBlock] {
        &self.blocks
    }

    pub(crate) fn lengths(&self, index: u32) -> Option<&CodeLengths> {
        self.lengths.get(index as usize)
    }

    /// The bit after a stream of so many bytes, if this is the map of one with a text of that length.
    pub(crate) fn end_of(&self, stream: usize, text: usize) -> Option<usize> {
        self.end.filter(|_| self.sizes == (stream, text))
    }
}
