//! What a DEFLATE block will say, before its codes are known: literals, bases four by four, and copies, with counts
//! of their symbols.

use super::simd::Simd;
use super::symbols::{DISTANCES, LENGTHS, MAX_LENGTH, distance_symbol, length_symbol};

/// The most text of a stream.
pub(super) const MAX_TEXT: usize = 65_536;
/// Zeros behind the text, so that words can be read anywhere in it.
pub(super) const PADDING: usize = 64;

/// A text and its padding.
pub(super) type Text = [u8; MAX_TEXT + PADDING];

/// The eight bytes at `at`, lowest first.
#[inline(always)]
pub(super) fn word(text: &Text, at: usize) -> u64 {
    match text.get(at..).and_then(<[u8]>::first_chunk) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => 0,
    }
}

/// How many bytes at `a` are also at `b`, `most` at the utmost.
#[inline(always)]
pub(super) fn common(text: &Text, a: usize, b: usize, most: usize) -> usize {
    let mut n = 0;
    while n < most {
        let differ = word(text, a + n) ^ word(text, b + n);
        if differ != 0 {
            return most.min(n + (differ.trailing_zeros() / 8) as usize);
        }
        n += 8;
    }
    most
}

/// How many bytes before `a` are also before the earlier `b`, `most` at the utmost.
#[inline(always)]
pub(super) fn common_before(text: &Text, a: usize, b: usize, most: usize) -> usize {
    let most = most.min(b);
    let last = |end: usize| text.get(..end).and_then(<[u8]>::last_chunk);
    if let (Some(x), Some(y)) = (last(a), last(b)) {
        let differ = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if differ != 0 {
            return most.min((differ.leading_zeros() / 8) as usize);
        }
    }
    (0..most).take_while(|i| text[a - 1 - i] == text[b - 1 - i]).count()
}

/// Items, then groups of four bases, then a copy. Any of them may be none.
#[derive(Clone, Copy)]
pub(super) struct Token {
    pub(super) items: u16,
    pub(super) quads: u16,
    /// 0: no copy.
    pub(super) length: u16,
    /// Less one.
    pub(super) distance: u16,
}

/// A literal, or from [`RUN`] on a run of 3 to [`MAX_LENGTH`] bytes like the one before.
pub(super) type Item = u16;
/// The item of the shortest run.
pub(super) const RUN: usize = 256;
/// The shortest copy that DEFLATE has.
pub(super) const MIN_LENGTH: usize = 3;
/// How many different items there are.
pub(super) const ITEMS: usize = RUN + MAX_LENGTH - MIN_LENGTH + 1;

pub(super) struct Tokens {
    pub(super) list: Vec<Token>,
    /// What the tokens have of items, and behind them what is no token yet.
    items: Box<[Item; MAX_TEXT + PADDING]>,
    items_used: usize,
    /// Items behind the last token.
    pub(super) pending: usize,
    /// Groups of four bases, packed as [`pack`] does.
    pub(super) quads: Box<[u8; MAX_TEXT / 4 + 32]>,
    pub(super) quads_used: usize,
    counts: Counts,
}

/// How often copies came; items and quads are counted when all are known.
#[derive(Clone)]
struct Counts {
    lengths: [u32; 32],
    distances: [u32; 32],
}

impl Counts {
    const NONE: Self = Self { lengths: [0; 32], distances: [0; 32] };
}

/// The bases of each packed group.
pub(super) static UNPACKED: [u32; 256] = {
    let mut groups = [0; 256];
    let mut i = 0;
    while i < 256 {
        groups[i] = u32::from_le_bytes([
            BASES[i >> 6 & 3],
            BASES[i >> 4 & 3],
            BASES[i >> 2 & 3],
            BASES[i & 3],
        ]);
        i += 1;
    }
    groups
};

/// Bases in the order of the two bits of their letters that tell them apart.
pub(super) const BASES: [u8; 4] = *b"ACTG";

/// Four bases in eight bits, the first one highest.
#[inline(always)]
pub(super) fn pack(bases: u32) -> u8 {
    ((bases >> 1 & 0x0303_0303).wrapping_mul(0x4010_0401) >> 24) as u8
}

impl Tokens {
    pub(super) fn new() -> Self {
        Self {
            list: Vec::with_capacity(MAX_TEXT / 3),
            items: Box::new([0; MAX_TEXT + PADDING]),
            items_used: 0,
            pending: 0,
            quads: Box::new([0; MAX_TEXT / 4 + 32]),
            quads_used: 0,
            counts: Counts::NONE,
        }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.items_used = 0;
        self.pending = 0;
        self.quads_used = 0;
        self.counts = Counts::NONE;
    }

    /// The items of all tokens, and those behind.
    #[inline(always)]
    pub(super) fn items(&self) -> &[Item] {
        &self.items[..self.items_used]
    }

    /// 32 items from the `at`th on: of all tokens, those behind, and what else is there.
    #[inline(always)]
    pub(super) fn items_from(&self, at: usize) -> Option<&[Item; 32]> {
        self.items.get(at..).and_then(<[Item]>::first_chunk)
    }

    /// Adds the literals `text[start..end]`.
    #[inline(always)]
    pub(super) fn literals(&mut self, text: &Text, start: usize, end: usize) {
        let n = end - start;
        let Some(to) = self.items.get_mut(self.items_used..) else { return };
        // Eight at a time: what is written too much comes to be overwritten.
        for (i, to) in (0..n).step_by(8).zip(to.as_chunks_mut::<8>().0) {
            *to = word(text, start + i).to_le_bytes().map(Item::from);
        }
        self.items_used += n;
        self.pending += n;
    }

    /// Adds items: `write` puts them in front of the [`PADDING`] or more it gets and says how many.
    #[inline(always)]
    pub(super) fn add_items(&mut self, write: impl FnOnce(&mut [Item; 64]) -> usize) {
        let to = self.items.get_mut(self.items_used..).and_then(<[Item]>::first_chunk_mut);
        let n = to.map_or(0, write);
        self.items_used += n;
        self.pending += n;
    }

    /// Adds a run of 3 bytes or more, like the one before.
    #[inline(always)]
    pub(super) fn run(&mut self, length: usize) {
        match self.items.get_mut(self.items_used) {
            Some(item) if length <= MAX_LENGTH => {
                *item = (RUN + length - MIN_LENGTH) as Item;
                self.items_used += 1;
                self.pending += 1;
            }
            _ => self.copy_long(length, 1),
        }
    }

    /// Adds a copy of 3 bytes or more from `distance` back.
    #[inline(always)]
    pub(super) fn copy(&mut self, length: usize, distance: usize) {
        if length > MAX_LENGTH {
            return self.copy_long(length, distance);
        }
        let d = distance as u32;
        self.counts.lengths[length_symbol(length) & 31] += 1;
        self.counts.distances[distance_symbol(d) & 31] += 1;
        self.list.push(Token {
            items: self.pending as u16,
            quads: 0,
            length: length as u16,
            distance: (d - 1) as u16,
        });
        self.pending = 0;
    }

    #[cold]
    fn copy_long(&mut self, mut length: usize, distance: usize) {
        while length > 0 {
            // What is left must be nothing or a length of its own.
            let n = if length <= MAX_LENGTH { length } else { MAX_LENGTH.min(length - 3) };
            self.copy(n, distance);
            length -= n;
        }
    }

    /// Adds the bases `text[start..end]`, whatever they are.
    #[inline(always)]
    pub(super) fn bases<S: Simd>(&mut self, text: &Text, start: usize, end: usize) {
        let mut at = start;
        // Groups that no token has yet.
        let mut groups = 0;
        while end - at >= 4 {
            let n = ((end - at) / 4).min(16);
            let Some(bases) = text.get(at..).and_then(<[u8]>::first_chunk) else { return };
            let (packed, pure) = S::pack(bases);
            // What is behind the last pure group comes to be overwritten.
            let mut pure = u32::from(pure);
            let mut all = [0; 32];
            all[..16].copy_from_slice(&packed);
            let mut used = 0;
            loop {
                let (from, to) = (all.get(used..), self.quads.get_mut(self.quads_used..));
                if let (Some(from), Some(to)) =
                    (from.and_then(<[u8]>::first_chunk::<16>), to.and_then(<[u8]>::first_chunk_mut))
                {
                    *to = *from;
                }
                let more = (pure.trailing_ones() as usize).min(n - used);
                self.quads_used += more;
                groups += more;
                used += more;
                if used == n {
                    break;
                }
                self.add_groups(groups);
                groups = 0;
                self.literals(text, at + 4 * used, at + 4 * used + 4);
                pure >>= more + 1;
                used += 1;
                if used == n {
                    break;
                }
            }
            at += 4 * n;
        }
        self.add_groups(groups);
        self.literals(text, at, end);
    }

    /// Makes a token of the last groups.
    #[inline(always)]
    fn add_groups(&mut self, groups: usize) {
        if groups > 0 {
            self.list.push(Token {
                items: self.pending as u16,
                quads: groups as u16,
                length: 0,
                distance: 0,
            });
            self.pending = 0;
        }
    }

    /// How often each literal/length symbol (without the end of the block), each distance symbol and each item comes.
    #[inline(always)]
    pub(super) fn sum_counts(&self, literals: &mut [u32; 286], distances: &mut [u32; DISTANCES]) {
        let Counts { lengths, distances: far } = &self.counts;
        literals[257..].copy_from_slice(&lengths[..LENGTHS]);
        distances.copy_from_slice(&far[..DISTANCES]);
        let counts = self.count_items();
        literals[..256].copy_from_slice(&counts[..RUN]);
        for (i, &n) in counts[RUN..].iter().enumerate() {
            literals[257 + length_symbol(MIN_LENGTH + i)] += n;
            distances[0] += n;
        }
        for (base, n) in BASES.into_iter().zip(self.count_bases()) {
            literals[usize::from(base)] += n;
        }
    }

    /// How often each base comes in groups.
    #[inline(always)]
    fn count_bases(&self) -> [u32; 4] {
        const LOW: u64 = 0x5555_5555_5555_5555;
        let (words, rest) = self.quads[..self.quads_used].as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let (mut low, mut high, mut both) = (0, 0, 0);
        for word in words.iter().chain([&last]) {
            let word = u64::from_le_bytes(*word);
            low += (word & LOW).count_ones();
            high += (word >> 1 & LOW).count_ones();
            both += (word & word >> 1 & LOW).count_ones();
        }
        [4 * self.quads_used as u32 + both - low - high, low - both, high - both, both]
    }

    /// How often each item comes. Neighbours are counted in different tables, so that no addition waits for another.
    #[inline(always)]
    fn count_items(&self) -> [u32; ITEMS] {
        let mut tables = [[0u32; ITEMS]; 4];
        let [a, b, c, d] = &mut tables;
        let (fours, rest) = self.items().as_chunks::<4>();
        let slot = |item: Item| usize::from(item) % ITEMS;
        for &[i, j, k, l] in fours {
            a[slot(i)] += 1;
            b[slot(j)] += 1;
            c[slot(k)] += 1;
            d[slot(l)] += 1;
        }
        for &item in rest {
            a[slot(item)] += 1;
        }
        std::array::from_fn(|i| a[i] + b[i] + c[i] + d[i])
    }
}
