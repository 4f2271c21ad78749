//! What a DEFLATE block will say, before its codes are known: literals, bases four by four, and copies, with counts
//! of their symbols.

use super::item::{BASES, ITEMS, Item, MIN_LENGTH, RUN, UNPACKED, pack};
use super::simd::Simd;
use super::symbols::{DISTANCES, LENGTHS, MAX_LENGTH, distance_symbol, length_symbol};
use super::text::{MAX_TEXT, Text, repeated, run, sixteen, sixty_four, word};

/// Room behind items and groups, so that many can be written at once.
const ROOM: usize = 64;
/// Items that are counted one by one.
const FEW: usize = 512;
/// The shortest run among letters that are no bases.
const LONG_RUN: usize = 8;

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

pub(super) struct Tokens {
    pub(super) list: Vec<Token>,
    /// What the tokens have of items, and behind them what is no token yet.
    items: Box<[Item; MAX_TEXT + ROOM]>,
    items_used: usize,
    /// Items behind the last token.
    pub(super) pending: usize,
    /// Groups of four bases, packed as [`pack`] does.
    pub(super) quads: Box<[u8; MAX_TEXT / 4 + 2 * ROOM]>,
    pub(super) quads_used: usize,
    counts: Counts,
    /// How often each of the first items came, and how many these are.
    item_counts: [u32; ITEMS],
    counted: usize,
}

/// How often copies came; items and quads are counted later, many at a time.
#[derive(Clone)]
struct Counts {
    lengths: [u32; 32],
    distances: [u32; 32],
}

impl Counts {
    const NONE: Self = Self { lengths: [0; 32], distances: [0; 32] };
}

impl Tokens {
    pub(super) fn new() -> Self {
        Self {
            list: Vec::with_capacity(MAX_TEXT / 3),
            items: Box::new([0; MAX_TEXT + ROOM]),
            items_used: 0,
            pending: 0,
            quads: Box::new([0; MAX_TEXT / 4 + 2 * ROOM]),
            quads_used: 0,
            counts: Counts::NONE,
            item_counts: [0; ITEMS],
            counted: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.items_used = 0;
        self.pending = 0;
        self.quads_used = 0;
        self.counts = Counts::NONE;
        self.item_counts = [0; ITEMS];
        self.counted = 0;
    }

    /// Whether there is nothing in them.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.items_used == 0
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
        // Sixteen at a time: what is written too much comes to be overwritten.
        for (i, to) in (0..n).step_by(16).zip(to.as_chunks_mut::<16>().0) {
            for (to, byte) in to.iter_mut().zip(sixteen(text, start + i)) {
                *to = Item::from(byte);
            }
        }
        self.items_used += n;
        self.pending += n;
    }

    /// Where the next items belong. (No closure fills it: closures lack the target features of what they call.)
    #[inline(always)]
    pub(super) fn room(&mut self) -> Option<&mut [Item; 64]> {
        self.items.get_mut(self.items_used..).and_then(<[Item]>::first_chunk_mut)
    }

    /// Adds the first `n` items there.
    #[inline(always)]
    pub(super) fn add_items(&mut self, n: usize) {
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

    /// The same; where it goes on from the distance of a copy that ends here, that one becomes longer.
    #[inline(always)]
    pub(super) fn copy_on(&mut self, mut length: usize, distance: usize) {
        if self.pending == 0
            && let Some(last) = self.list.last_mut()
            && last.length > 0
            && usize::from(last.distance) + 1 == distance
        {
            let before = usize::from(last.length);
            length += before;
            // What is left must be nothing or a length of its own.
            let longer = if length <= MAX_LENGTH { length } else { MAX_LENGTH.min(length - 3) };
            last.length = longer as u16;
            length -= longer;
            self.counts.lengths[length_symbol(before) & 31] -= 1;
            self.counts.lengths[length_symbol(longer) & 31] += 1;
        }
        if length > 0 {
            self.copy(length, distance);
        }
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
        let groups = (end - start) / 4;
        let mut done = 0;
        while done < groups {
            let (packed, pure) = S::pack(sixty_four(text, start + 4 * done));
            let to = self.quads.get_mut(self.quads_used + done..);
            if let Some(to) = to.and_then(<[u8]>::first_chunk_mut) {
                *to = packed;
            }
            // What is behind the line doesn't matter.
            let pure = u32::from(pure) | u32::MAX << (groups - done).min(31);
            if pure & 0xffff != 0xffff {
                let pure = pure.trailing_ones() as usize;
                return self.other_bases(text, (start, end), done + pure);
            }
            done += 16;
        }
        self.quads_used += groups;
        self.add_groups(groups);
        self.literals(text, start + 4 * groups, end);
    }

    /// The same from the first group on that has other letters, behind `groups` that are packed.
    #[inline(never)]
    fn other_bases(&mut self, text: &Text, (start, end): (usize, usize), mut groups: usize) {
        let mut at = start + 4 * groups;
        self.quads_used += groups;
        while at + 4 <= end {
            let four = word(text, at) as u32;
            let packed = pack(four);
            if UNPACKED[usize::from(packed)] == four {
                if let Some(to) = self.quads.get_mut(self.quads_used) {
                    *to = packed;
                }
                self.quads_used += 1;
                groups += 1;
                at += 4;
                continue;
            }
            self.add_groups(groups);
            groups = 0;
            // Letters like N come in runs.
            self.literals(text, at, at + 4);
            at += 4;
            let n = if repeated(text, at) == u64::MAX { run(text, at, end) } else { 0 };
            if n >= LONG_RUN {
                self.run(n);
                at += n;
            }
        }
        self.add_groups(groups);
        self.literals(text, at, end);
    }

    /// The groups from the `first`th on, and what else is there.
    #[inline(always)]
    pub(super) fn quads_from(&self, first: usize) -> &[u8] {
        self.quads.get(first..).unwrap_or_default()
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
    pub(super) fn sum_counts(
        &mut self,
        literals: &mut [u32; 286],
        distances: &mut [u32; DISTANCES],
    ) {
        let counts = *self.count_items();
        let Counts { lengths, distances: far } = &self.counts;
        literals[257..].copy_from_slice(&lengths[..LENGTHS]);
        distances.copy_from_slice(&far[..DISTANCES]);
        literals[..256].copy_from_slice(&counts[..RUN]);
        for (i, eight) in counts[RUN..].as_chunks::<8>().0.iter().enumerate() {
            if eight.iter().fold(0, |all, &n| all | n) == 0 {
                continue;
            }
            for (length, &n) in (MIN_LENGTH + 8 * i..).zip(eight) {
                literals[257 + length_symbol(length)] += n;
                distances[0] += n;
            }
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

    /// How often copies of each length symbol came, but for runs.
    pub(super) fn copies(&self) -> &[u32; 32] {
        &self.counts.lengths
    }

    /// How many literals, runs and copies there are.
    pub(super) fn symbols(&self) -> u32 {
        (self.items_used + 4 * self.quads_used + self.list.len()) as u32
    }

    /// How often each item comes. Neighbours are counted in different tables, so that no addition waits for another.
    #[inline(always)]
    pub(super) fn count_items(&mut self) -> &[u32; ITEMS] {
        let new = self.items.get(self.counted..self.items_used).unwrap_or_default();
        self.counted = self.items_used;
        let slot = |item: Item| usize::from(item) % ITEMS;
        if new.len() < FEW {
            for &item in new {
                self.item_counts[slot(item)] += 1;
            }
            return &self.item_counts;
        }
        let mut tables = [[0u32; ITEMS]; 3];
        let ([a, b, c], d) = (&mut tables, &mut self.item_counts);
        let (fours, rest) = new.as_chunks::<4>();
        for &[i, j, k, l] in fours {
            a[slot(i)] += 1;
            b[slot(j)] += 1;
            c[slot(k)] += 1;
            d[slot(l)] += 1;
        }
        for &item in rest {
            a[slot(item)] += 1;
        }
        for (i, d) in d.iter_mut().enumerate() {
            *d += a[i] + b[i] + c[i];
        }
        d
    }
}
