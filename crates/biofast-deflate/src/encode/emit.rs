//! A DEFLATE block from its tokens: codes, header (RFC 1951, 3.2.7), symbols.

use super::bits::{BitWriter, Out};
use super::huffman::{self, Builder, MAX_DISTANCE, MAX_LITERAL, MAX_META, PackedCode};
use super::item::{BASES, ITEMS, Item, MIN_LENGTH, RUN, UNPACKED};
use super::simd::{CODED, CODED_BITS, ItemCodes, Joined, PairCodes, Simd};
use super::symbols::{
    DISTANCES, LENGTH_BASE, LENGTH_EXTRA, LENGTHS, distance_extra, distance_symbol, length_symbol,
};
use super::tokens::{Token, Tokens};

/// The symbol that ends a block.
const END: usize = 256;
/// The most bytes a block takes besides 14 bits a byte of text.
pub(super) const OVERHEAD: usize = 512;
/// Groups of four bases from which a table of their codes pays.
const TABLE_QUADS: usize = 96;
/// Items from which many are written at once.
const MANY: usize = 6;
/// Groups of four bases of which the same holds.
const MANY_GROUPS: usize = 4;
/// The order of the code lengths of code lengths.
const META_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Codes, and how many bits each has, 56 at most. Two tables: joining codes then takes a shift, an or and an addition each.
struct CodeTable<const N: usize> {
    codes: [u64; N],
    bits: [u8; N],
}

impl<const N: usize> CodeTable<N> {
    const NONE: Self = Self { codes: [0; N], bits: [0; N] };

    #[inline(always)]
    fn get(&self, i: usize) -> (u64, u32) {
        (self.codes[i % N], u32::from(self.bits[i % N]))
    }

    #[inline(always)]
    fn set(&mut self, i: usize, (code, bits): (u64, u32)) {
        (self.codes[i % N], self.bits[i % N]) = (code, bits as u8);
    }

    /// Writes one code.
    #[inline(always)]
    fn put(&self, i: usize, bits: &mut BitWriter, out: &mut Out) {
        let (code, n) = self.get(i);
        bits.put(code, n);
        bits.flush(out);
    }

    /// Joins four codes: their bits, and how many; these are right in any case, the bits only if they are 63 or less.
    #[inline(always)]
    fn join(&self, [a, b, c, d]: [usize; 4]) -> (u64, u32) {
        let n = |i: usize| u32::from(self.bits[i % N]);
        let code = |i: usize| self.codes[i % N];
        let first = n(a);
        let second = first + n(b);
        let third = second + n(c);
        let low = code(a) | code(b) << (first & 63);
        let high = code(c) << (second & 63) | code(d) << (third & 63);
        (low | high, third + n(d))
    }

    /// Writes four codes, at once if they have 56 bits or less.
    #[inline(always)]
    fn put_four(&self, four: [usize; 4], bits: &mut BitWriter, out: &mut Out) {
        let (code, n) = self.join(four);
        if n <= 56 {
            bits.put(code, n);
            bits.flush(out);
        } else {
            for i in four {
                self.put(i, bits, out);
            }
        }
    }

    /// The same of eight.
    #[inline(always)]
    fn put_eight(&self, [a, b, c, d, e, f, g, h]: [usize; 8], bits: &mut BitWriter, out: &mut Out) {
        let (first, second) = ([a, b, c, d], [e, f, g, h]);
        let (low, n) = self.join(first);
        let (high, more) = self.join(second);
        if n + more <= 56 {
            bits.put(low | high << (n & 63), n + more);
            bits.flush(out);
        } else {
            self.put_four(first, bits, out);
            self.put_four(second, bits, out);
        }
    }
}

/// Writes the first `n` codes.
#[inline(always)]
fn put_joined([fours, lengths]: Joined, n: usize, bits: &mut BitWriter, out: &mut Out) {
    for (four, length) in fours.into_iter().zip(lengths).take(n.div_ceil(4)) {
        bits.put(four, length as u32);
        bits.flush(out);
    }
}

/// How many of `lengths` from the first one on are `length`, eight at a time.
#[inline(always)]
fn same(lengths: &[u8], length: u8) -> usize {
    let (eights, rest) = lengths.as_chunks::<8>();
    for (i, eight) in eights.iter().enumerate() {
        let differ = u64::from_le_bytes(*eight) ^ u64::from_le_bytes([length; 8]);
        if differ != 0 {
            return 8 * i + (differ.trailing_zeros() / 8) as usize;
        }
    }
    8 * eights.len() + rest.iter().take_while(|&&l| l == length).count()
}

/// Writes blocks.
pub(super) struct Emitter {
    builder: Builder,
    literals: [PackedCode; 286],
    distances: [PackedCode; 32],
    /// Of each length: code and extra bits, and from bit 24 on how many.
    lengths: [u32; 512],
    /// Of each item.
    items: CodeTable<ITEMS>,
    /// The same of the most common ones.
    common: ItemCodes,
    /// Of four bases.
    quads: CodeTable<256>,
    /// Of two bases; none if one has more than 4 bits.
    pairs: Option<PairCodes>,
}

impl Emitter {
    /// An emitter of texts whose commonest literals begin with `first`.
    pub(super) fn new(first: usize) -> Self {
        Self {
            builder: Builder::new(),
            literals: [0; 286],
            distances: [0; 32],
            lengths: [0; 512],
            items: CodeTable::NONE,
            common: ItemCodes {
                first,
                literals: [0; CODED],
                runs: [0; CODED],
                literal_bits: [0; CODED],
                run_bits: [0; CODED],
            },
            quads: CodeTable::NONE,
            pairs: None,
        }
    }

    /// Writes `tokens` as a block.
    #[inline(always)]
    pub(super) fn block<S: Simd>(
        &mut self,
        tokens: &mut Tokens,
        last: bool,
        bits: &mut BitWriter,
        out: &mut Out,
    ) {
        let mut counts = [0; 286];
        let mut far = [0; DISTANCES];
        tokens.sum_counts(&mut counts, &mut far);
        let copies = counts[END + 1..].iter().any(|&n| n > 0);
        counts[END] = 1;
        let mut lengths = [0; 286 + DISTANCES];
        let literals = 1 + counts.iter().rposition(|&n| n > 0).unwrap_or(END);
        let distances = 1 + far.iter().rposition(|&n| n > 0).unwrap_or(0).max(1);
        let (near, rest) = lengths.split_at_mut(literals);
        self.builder.lengths(&counts[..literals], MAX_LITERAL, near);
        self.builder.lengths(&far[..distances], MAX_DISTANCE, &mut rest[..distances]);
        huffman::codes(near, &mut self.literals);
        huffman::codes(&rest[..distances], &mut self.distances);

        bits.flush(out);
        // The last block or not, and codes of its own.
        bits.put(u64::from(last) | 0b10 << 1, 3);
        bits.put((literals - 257) as u64, 5);
        bits.put((distances - 1) as u64, 5);
        self.header(&lengths[..literals + distances], bits, out);
        if copies {
            self.fill_lengths(&lengths[END + 1..literals]);
        }
        self.fill_literals();
        if S::JOINS {
            self.fill_common();
        }
        let base_bits = BASES.map(|base| self.literals[usize::from(base)] >> 16);
        let most = base_bits.iter().max().map_or(0, |&n| n);
        let table = tokens.quads_used >= TABLE_QUADS && most <= 14;
        if table {
            self.fill_quads();
        }
        self.symbols::<S>(tokens, table, bits, out);
    }

    /// Writes the code lengths in runs, under a code of their own.
    fn header(&mut self, lengths: &[u8], bits: &mut BitWriter, out: &mut Out) {
        // Symbol and extra bits.
        let mut items = [(0u8, 0u8); 286 + DISTANCES];
        let mut used = 0;
        let mut counts = [0; 19];
        let mut push = |symbol: u8, extra: usize| {
            items[used] = (symbol, extra as u8);
            used += 1;
            counts[usize::from(symbol)] += 1;
        };
        let mut rest = lengths;
        while let Some(&length) = rest.first() {
            let mut n = same(rest, length);
            rest = &rest[n..];
            if length == 0 {
                while n >= 11 {
                    let part = n.min(138);
                    push(18, part - 11);
                    n -= part;
                }
                if n >= 3 {
                    push(17, n - 3);
                    n = 0;
                }
            } else {
                push(length, 0);
                n -= 1;
                while n >= 3 {
                    let part = n.min(6);
                    push(16, part - 3);
                    n -= part;
                }
            }
            for _ in 0..n {
                push(length, 0);
            }
        }
        let mut meta = [0; 19];
        self.builder.lengths(&counts, MAX_META, &mut meta);
        let mut codes = [0; 19];
        huffman::codes(&meta, &mut codes);
        let ordered = META_ORDER.map(|symbol| meta[symbol]);
        let sent = 1 + ordered.iter().rposition(|&n| n > 0).unwrap_or(0).max(3);
        bits.put_flushed(sent as u64 - 4, 4, out);
        for part in ordered[..sent].chunks(16) {
            for &length in part {
                bits.put(u64::from(length), 3);
            }
            bits.flush(out);
        }
        for &(symbol, extra) in &items[..used] {
            bits.put_code(codes[usize::from(symbol)]);
            let n = match symbol {
                16 => 2,
                17 => 3,
                18 => 7,
                _ => 0,
            };
            bits.put_flushed(u64::from(extra), n, out);
        }
    }

    /// Entries of the lengths that have a code, `used`, and of runs of these.
    fn fill_lengths(&mut self, used: &[u8]) {
        // No distance but 1: a code without extra bits.
        let (distance, more) = (self.distances[0] & 0xffff, self.distances[0] >> 16);
        for symbol in (0..LENGTHS).filter(|&symbol| used.get(symbol).is_some_and(|&n| n > 0)) {
            let code = self.literals[END + 1 + symbol];
            let (value, n) = (code & 0xffff, code >> 16);
            let (base, extra) = (usize::from(LENGTH_BASE[symbol]), LENGTH_EXTRA[symbol]);
            let all = n + u32::from(extra);
            for i in 0..1 << extra {
                let length = base + i;
                // The range of 284 includes 258, which has a symbol of its own.
                if length_symbol(length) == symbol {
                    let bits = value | (i as u32) << n;
                    self.lengths[length] = bits | all << 24;
                    let run = u64::from(bits) | u64::from(distance) << all;
                    self.items.set(RUN + length - MIN_LENGTH, (run, all + more));
                }
            }
        }
    }

    /// Entries of the literals that have a code, in eights.
    fn fill_literals(&mut self) {
        let (literals, _) = self.literals[..RUN].as_chunks::<8>();
        for (i, eight) in literals.iter().enumerate() {
            if eight.iter().fold(0, |all, &code| all | code) == 0 {
                continue;
            }
            for (literal, code) in (8 * i..).zip(eight) {
                self.items.set(literal, (u64::from(code & 0xffff), code >> 16));
            }
        }
    }

    /// What several items are looked up in at once.
    fn fill_common(&mut self) {
        let ItemCodes { first, literals, runs, literal_bits, run_bits } = &mut self.common;
        let [literals, runs] = [(literals, literal_bits, *first), (runs, run_bits, RUN)];
        for (codes, bits, first) in [literals, runs] {
            for item in first..first + CODED {
                let (code, n) = self.items.get(item);
                let fits = n <= CODED_BITS;
                codes[item % CODED] = if fits { code as u16 } else { 0 };
                bits[item % CODED] = if fits { n as u16 } else { 64 };
            }
        }
    }

    fn fill_quads(&mut self) {
        let codes = BASES.map(|base| self.items.get(usize::from(base)));
        let pairs: [(u64, u32); 16] = std::array::from_fn(|i| {
            let (a, b) = (codes[i >> 2], codes[i & 3]);
            (a.0 | b.0 << a.1, a.1 + b.1)
        });
        let (second, second_bits) = (pairs.map(|(code, _)| code), pairs.map(|(_, n)| n as u8));
        let quads = self.quads.codes.as_chunks_mut::<16>().0.iter_mut();
        let quads = quads.zip(self.quads.bits.as_chunks_mut::<16>().0);
        for ((first, n), (codes, bits)) in pairs.into_iter().zip(quads) {
            for (to, code) in codes.iter_mut().zip(second) {
                *to = first | code << n;
            }
            for (to, more) in bits.iter_mut().zip(second_bits) {
                *to = n as u8 + more;
            }
        }
        let short = codes.iter().all(|&(_, n)| n <= 4);
        self.pairs = short.then(|| PairCodes {
            codes: pairs.map(|(code, _)| code as u8),
            bits: pairs.map(|(_, n)| n as u8),
        });
    }

    #[inline(always)]
    fn symbols<S: Simd>(&self, tokens: &Tokens, table: bool, to: &mut BitWriter, out: &mut Out) {
        // A copy that the compiler may keep in registers.
        let mut bits = *to;
        let mut at = 0;
        let mut quads = 0;
        for token in &tokens.list {
            let n = usize::from(token.items);
            self.items::<S>(tokens, (at, at + n), &mut bits, out);
            at += n;
            if token.quads > 0 {
                bits.flush(out);
                let (from, to) = (quads, quads + usize::from(token.quads));
                quads = to;
                if table {
                    self.quads::<S>(tokens, (from, to), &mut bits, out);
                } else {
                    for &quad in tokens.quads.get(from..to).unwrap_or_default() {
                        for base in UNPACKED[usize::from(quad)].to_le_bytes() {
                            bits.put_code(self.literals[usize::from(base)]);
                        }
                        bits.flush(out);
                    }
                }
            } else {
                let (copy, n) = self.copy(token);
                bits.put_with_room(copy, n, out);
                bits.flush(out);
            }
        }
        self.items::<S>(tokens, (at, tokens.items().len()), &mut bits, out);
        bits.flush(out);
        bits.put_code(self.literals[END]);
        bits.flush(out);
        *to = bits;
    }

    /// A copy: at most 47 bits.
    #[inline(always)]
    fn copy(&self, token: &Token) -> (u64, u32) {
        let code = self.lengths[usize::from(token.length) & 511];
        let (length, n) = (code & 0xff_ffff, code >> 24);
        let distance = u32::from(token.distance) + 1;
        let symbol = distance_symbol(distance);
        let (code, more) = (self.distances[symbol & 31], distance_extra(symbol));
        let low = u64::from(distance - 1) & ((1 << more) - 1);
        let (code, m) = (u64::from(code & 0xffff), code >> 16);
        (u64::from(length) | (code | low << m) << n, n + m + more)
    }

    /// Writes items; of the last few, bits may be left to flush.
    #[inline(always)]
    fn items<S: Simd>(
        &self,
        tokens: &Tokens,
        (mut start, end): (usize, usize),
        bits: &mut BitWriter,
        out: &mut Out,
    ) {
        while S::JOINS && start + MANY <= end {
            let Some(items) = tokens.items_from(start) else { break };
            let n = (end - start).min(items.len());
            match S::join_items(items, n, &self.common) {
                Some(joined) => put_joined(joined, n, bits, out),
                None => {
                    self.each_item(&items[..n], bits, out);
                    bits.flush(out);
                }
            }
            start += n;
        }
        if let Some(items) = tokens.items().get(start..end) {
            self.each_item(items, bits, out);
        }
    }

    /// The same one by one.
    #[inline(always)]
    fn each_item(&self, items: &[Item], bits: &mut BitWriter, out: &mut Out) {
        let (eights, rest) = items.as_chunks::<8>();
        for eight in eights {
            self.items.put_eight(eight.map(usize::from), bits, out);
        }
        let (fours, rest) = rest.as_chunks::<4>();
        for four in fours {
            self.items.put_four(four.map(usize::from), bits, out);
        }
        for &item in rest {
            let (code, n) = self.items.get(usize::from(item));
            bits.put_with_room(code, n, out);
        }
    }

    #[inline(always)]
    fn quads<S: Simd>(
        &self,
        tokens: &Tokens,
        (mut start, end): (usize, usize),
        bits: &mut BitWriter,
        out: &mut Out,
    ) {
        while let Some(codes) = &self.pairs
            && S::JOINS
            && start + MANY_GROUPS <= end
        {
            let Some(packed) = tokens.quads.get(start..).and_then(<[u8]>::first_chunk) else {
                break;
            };
            let n = (end - start).min(packed.len());
            match S::join_bases(packed, n, codes) {
                Some(joined) => put_joined(joined, n, bits, out),
                None => self.each_quad(&packed[..n], bits, out),
            }
            start += n;
        }
        if let Some(quads) = tokens.quads.get(start..end) {
            self.each_quad(quads, bits, out);
        }
    }

    /// The same one by one.
    #[inline(always)]
    fn each_quad(&self, quads: &[u8], bits: &mut BitWriter, out: &mut Out) {
        let (fours, rest) = quads.as_chunks::<4>();
        for &[a, b, c, d] in fours {
            let four = [usize::from(a), usize::from(b), usize::from(c), usize::from(d)];
            self.quads.put_four(four, bits, out);
        }
        for &quad in rest {
            self.quads.put(usize::from(quad), bits, out);
        }
    }
}
