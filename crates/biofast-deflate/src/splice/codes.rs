//! The codes of a DEFLATE block, to be written again and to tell how many bits its symbols have.

use crate::encode::huffman::{self, PackedCode};
use crate::encode::symbols::{
    LENGTH_BASE, LENGTH_EXTRA, distance_extra, distance_symbol, length_symbol,
};
use crate::map::CodeLengths;

/// The end of a block.
const END: usize = 256;

/// The longest match, which has two spellings, and more in streams that are invalid but read: 284 with 31, 285, 286 and 287.
const LONGEST: usize = 258;

/// The last distance symbol. Two more are read as this one in streams that are invalid.
const LAST_DISTANCE: usize = 29;

/// Bits to be written, the first lowest, and how many.
pub(super) type Bits = (u64, u32);

/// The code lengths of fixed blocks.
pub(super) static FIXED: CodeLengths = {
    let mut symbols = [8; 288];
    let mut i = 144;
    while i < 280 {
        symbols[i] = if i < 256 { 9 } else { 7 };
        i += 1;
    }
    CodeLengths { symbols, distances: [5; 32] }
};

/// See above.
#[derive(Clone)]
pub(super) struct SpliceCodes {
    symbols: [PackedCode; 288],
    distances: [PackedCode; 32],
}

/// The bits of a symbol and its extra bits, if it has a code.
fn with_extra(code: PackedCode, extra: usize, extra_bits: u32) -> Option<Bits> {
    let bits = code >> 16;
    (bits > 0).then_some((u64::from(code & 0xffff) | (extra as u64) << bits, bits + extra_bits))
}

impl SpliceCodes {
    pub(super) fn new(lengths: &CodeLengths) -> Self {
        let mut codes = Self { symbols: [0; 288], distances: [0; 32] };
        codes.set(lengths);
        codes
    }

    pub(super) fn set(&mut self, lengths: &CodeLengths) {
        huffman::codes(&lengths.symbols, &mut self.symbols);
        huffman::codes(&lengths.distances, &mut self.distances);
    }

    pub(super) fn literal(&self, byte: u8) -> Option<Bits> {
        with_extra(self.symbols[usize::from(byte)], 0, 0)
    }

    /// How many bits a literal has; 0 if it has no code.
    #[inline(always)]
    pub(super) fn literal_bits(&self, byte: u8) -> usize {
        (self.symbols[usize::from(byte)] >> 16) as usize
    }

    pub(super) fn end(&self) -> Bits {
        with_extra(self.symbols[END], 0, 0).unwrap_or_default()
    }

    /// Of a length from 3 to 258.
    pub(super) fn length(&self, length: usize) -> Option<Bits> {
        let symbol = length_symbol(length);
        let extra = length - usize::from(LENGTH_BASE[symbol]);
        with_extra(self.symbols[END + 1 + symbol], extra, LENGTH_EXTRA[symbol].into())
    }

    /// Of a distance from 1 to 32,768.
    pub(super) fn distance(&self, distance: usize) -> Option<Bits> {
        let symbol = distance_symbol(distance as u32);
        let extra_bits = distance_extra(symbol);
        let extra = (distance - 1) & ((1 << extra_bits) - 1);
        with_extra(self.distances[symbol], extra, extra_bits)
    }

    /// The bits of a match. `None` if they aren't certain: where there are several spellings, or one without a code (which is
    /// read as the only distance where there is none).
    pub(super) fn match_bits(&self, length: usize, distance: usize) -> Option<usize> {
        let symbol = distance_symbol(distance as u32);
        let again = &self.distances[LAST_DISTANCE + 1..];
        if length == LONGEST || (symbol == LAST_DISTANCE && again.iter().any(|&code| code != 0)) {
            return None;
        }
        Some((self.length(length)?.1 + self.distance(distance)?.1) as usize)
    }
}
