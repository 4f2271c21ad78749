//! The tables of one lane.

use crate::entry::{DISTANCE_BITS, DISTANCES, Distance, Row, SYMBOLS, SymbolEntry, rows};
use crate::fault::FaultKind;
use crate::header::Build;
use crate::huffman::{self, HuffmanCode};
use crate::instructions::Isa;
use crate::words::Words;

/// Index bits of the literal/length table: the fewest and the most. Fewer make a table that is built faster and
/// stays in the first-level cache; more catch longer codes.
pub(crate) const MIN_BITS: u32 = 10;
pub(crate) const MAX_BITS: u32 = 12;

/// The share of long codes, of 2^15, from which a wider table is worth its cost.
const MANY_LONG: u32 = (1 << 15) / 50;

/// So many literals come rather by themselves than in matches, as the bases and qualities of long reads do.
const MANY_LITERALS: usize = 40;

/// Entries of the literal/length table and its subtables.
///
/// A subtable of 2^s entries is filled by a complete code whose longest codes have s bits, so by at least s + 1 of
/// the 288 symbols. With 10 index bits s is at most 5: 2^10 + 288 · 2^5/6 = 2,560 entries at most; with 11,
/// 2^11 + 288 · 2^4/5 < 2,970; with 12, 2^12 + 288 · 2^3/4 = 4,672.
pub(crate) const SYMBOL_ENTRIES: usize = 4672;

/// Entries of the distance table and its subtables, by the same reckoning: 2^9 + 32 · 2^6/7 < 805.
pub(crate) const DISTANCE_ENTRIES: usize = DISTANCE_START + 805;

/// Where the distance table starts: entry 0 is the dummy for steps without a match, and an index is formed as
/// the entry's distance bits plus the value of that many bits.
pub(crate) const DISTANCE_START: usize = DISTANCE_BITS as usize;

/// The distance of the dummy. The fast loop runs only where this many bytes of output lie behind it.
pub(crate) const DUMMY_DISTANCE: u16 = 64;

/// The fast loop keeps the address of tables plus this: a number whose lowest eight bits are 3 serves as a count of
/// bits, too. (The shifts and masks of x86-64 that are wanted take theirs from a register.)
pub(crate) const ANCHOR: usize = 3;

/// The decoding tables of the current block of a lane.
#[repr(C, align(256))] // see `ANCHOR`
pub(crate) struct Tables {
    pub(crate) symbols: [SymbolEntry; SYMBOL_ENTRIES],
    pub(crate) distances: [Distance; DISTANCE_ENTRIES],
    /// How matches are copied, by class of distance.
    pub(crate) rows: [Row; 4],
    /// Index bits of `symbols`: [`MIN_BITS`]..=[`MAX_BITS`].
    pub(crate) bits: u32,
    /// Entries of `symbols` that are in use.
    used: usize,
    /// Used to fill `symbols`.
    words: Words,
}

impl Tables {
    pub(crate) fn new() -> Self {
        let mut tables = Self {
            symbols: [SymbolEntry::NONE; SYMBOL_ENTRIES],
            distances: [Distance::NONE; DISTANCE_ENTRIES],
            rows: rows(1),
            bits: MIN_BITS,
            used: 0,
            words: Words::new(),
        };
        tables.distances[0] = Distance::dummy(DUMMY_DISTANCE);
        tables
    }

    /// Takes over what is in use of another lane's.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.symbols[..other.used].copy_from_slice(&other.symbols[..other.used]);
        (self.distances, self.rows) = (other.distances, other.rows);
        (self.bits, self.used) = (other.bits, other.used);
    }

    /// Builds both tables.
    ///
    /// # Errors
    /// Never: the tables have room for any code.
    #[inline(always)]
    pub(crate) fn fill<I: Isa>(
        &mut self,
        symbols: &HuffmanCode,
        distances: &HuffmanCode,
    ) -> Result<(), FaultKind> {
        self.rows = I::ROWS;
        self.bits = choose_bits(symbols);
        let Self { symbols: table, bits, words, .. } = self;
        words.clear();
        self.used = huffman::fill(
            table,
            *bits,
            symbols,
            |symbol, bits| SYMBOLS[usize::from(symbol)].with_code(bits),
            SymbolEntry::subtable,
            |table, length, symbols, first| words.add(table, length, *bits, symbols, first),
        )?;
        huffman::fill(
            &mut self.distances[DISTANCE_START..],
            DISTANCE_BITS,
            distances,
            |symbol, bits| DISTANCES[usize::from(symbol) & 31].with_code(bits),
            Distance::subtable,
            |_, _, _, _| {},
        )?;
        Ok(())
    }
}

impl Build for Tables {
    #[inline(always)]
    fn build<I: Isa>(&mut self, symbols: &[u8], distances: &[u8]) -> Result<(), FaultKind> {
        self.fill::<I>(&HuffmanCode::new(symbols)?, &HuffmanCode::new(distances)?)
    }
}

/// The width that leaves few symbols to subtables. Where many literals are in use, one bit more makes words longer.
fn choose_bits(code: &HuffmanCode) -> u32 {
    let long = |bits| code.share_longer_than(bits);
    let fewest = if code.literals() < MANY_LITERALS { MIN_BITS } else { MIN_BITS + 1 };
    (fewest..MAX_BITS).find(|&bits| long(bits) < MANY_LONG).unwrap_or(MAX_BITS)
}
