//! Entries of the literal/length table that stand for several symbols: as many literals as the index tells, three at most,
//! and a length behind them.
//!
//! A word is a sequence of symbols and the bits that say it. While the table grows bit by bit, the words that have exactly as many
//! bits are written to it: each is a literal in front of a shorter word. So a word comes after those that it begins with, and is
//! copied, as they are, to all indices that begin with it.

use crate::entry::{SYMBOLS, SymbolEntry};
use crate::huffman::{MAX_CODE_BITS, next_code};

/// A sequence of symbols.
#[derive(Clone, Copy)]
struct Word {
    /// Its entry; of what goes behind a literal, [moved](SymbolEntry::moved).
    entry: SymbolEntry,
    /// Its bits, the first of them lowest.
    index: usize,
}

const NONE: Word = Word { entry: SymbolEntry::NONE, index: 0 };

/// Room for words that go behind a literal. Real codes have some hundreds; words that find no room are left out, and a step of the
/// decoder takes fewer symbols.
const TAILS: usize = 768;

/// The words of a table so far.
pub(crate) struct Words {
    literals: List<256>,
    /// What goes behind a literal: up to two literals, and a length or none.
    tails: List<TAILS>,
}

/// Words in the order of their number of bits.
struct List<const N: usize> {
    words: [Word; N],
    /// By number of bits: where those that have fewer end.
    starts: [usize; MAX_CODE_BITS + 2],
    len: usize,
}

impl<const N: usize> List<N> {
    const fn new() -> Self {
        Self { words: [NONE; N], starts: [0; MAX_CODE_BITS + 2], len: 0 }
    }

    /// The words of so many bits, and the list's free places.
    #[inline(always)]
    fn of(&self, bits: usize) -> &[Word] {
        &self.words[self.starts[bits]..self.starts[bits + 1]]
    }

    #[inline(always)]
    fn push(&mut self, word: Word) {
        if let Some(slot) = self.words.get_mut(self.len) {
            *slot = word;
            self.len += 1;
        }
    }
}

impl Words {
    pub(crate) const fn new() -> Self {
        Self { literals: List::new(), tails: List::new() }
    }

    /// Forgets all words.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        (self.literals.len, self.tails.len) = (0, 0);
        (self.literals.starts[1], self.tails.starts[1]) = (0, 0);
    }

    /// Writes the words of `length` bits to `table`, which will have 2^`bits` entries: lengths come one after the other, from 1 on.
    /// `symbols` have codes of that length, of which `code` is the first, its first bit lowest.
    #[inline(always)]
    pub(crate) fn add(
        &mut self,
        table: &mut [SymbolEntry],
        length: u32,
        bits: u32,
        symbols: &[u16],
        mut code: usize,
    ) {
        let length = length as usize;
        // Beyond that, nothing fits in front of them.
        let shortest = (1..length).find(|&bits| !self.literals.of(bits).is_empty());
        let are_tails = length + shortest.unwrap_or(1) <= bits as usize;
        for &symbol in symbols {
            let entry = SYMBOLS[usize::from(symbol)].with_code(length as u32);
            if symbol < 256 {
                self.literals.push(Word { entry, index: code });
            }
            if are_tails && symbol != 256 {
                self.tails.push(Word { entry: entry.moved(), index: code });
            }
            code = next_code(code, length as u32);
        }
        let List { words, starts, len } = &mut self.tails;
        let (known, free) = words.split_at_mut(starts[length]);
        for before in shortest.unwrap_or(length)..length {
            let tails = &known[starts[length - before]..starts[length - before + 1]];
            if tails.is_empty() {
                continue;
            }
            for literal in self.literals.of(before) {
                for tail in tails {
                    let index = literal.index | tail.index << before;
                    let entry = literal.entry.then(tail.entry);
                    if let Some(slot) = table.get_mut(index) {
                        *slot = entry;
                    }
                    if are_tails && let Some(slot) = free.get_mut(*len - known.len()) {
                        *slot = Word { entry: entry.moved(), index };
                        *len += usize::from(entry.count() < 3);
                    }
                }
            }
        }
        starts[length + 1] = *len;
        self.literals.starts[length + 1] = self.literals.len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::huffman::{HuffmanCode, fill};

    /// The table of codes of the lengths given, by symbol.
    fn table(lengths: &[u8], bits: u32) -> (HuffmanCode, Vec<SymbolEntry>) {
        let code = HuffmanCode::new(lengths).expect("a complete code");
        let mut table = vec![SymbolEntry::NONE; 4672];
        let mut words = Words::new();
        words.clear();
        fill(
            &mut table,
            bits,
            &code,
            |symbol, bits| SYMBOLS[usize::from(symbol)].with_code(bits),
            SymbolEntry::subtable,
            |table, length, symbols, first| words.add(table, length, bits, symbols, first),
        )
        .expect("fits");
        table.truncate(1 << bits);
        (code, table)
    }

    /// Literals, up to three, and a length behind them, as far as the index tells, symbol by symbol.
    fn symbol_by_symbol(code: &HuffmanCode, index: usize, bits: u32) -> Option<SymbolEntry> {
        let (mut found, mut used) = (Vec::new(), 0);
        while found.len() < 4 {
            let (symbol, length) = code.first((index >> used) as u64);
            let is_end = symbol == 256 || (symbol < 256 && found.len() == 3);
            if used + length > bits || is_end {
                break;
            }
            used += length;
            found.push(SYMBOLS[symbol].with_code(length));
            if symbol > 256 {
                break;
            }
        }
        let last = found.pop()?;
        Some(found.into_iter().rev().fold(last, |behind, literal| literal.then(behind.moved())))
    }

    fn check(lengths: &[u8], bits: u32) {
        let (code, table) = table(lengths, bits);
        for (index, entry) in table.into_iter().enumerate() {
            match symbol_by_symbol(&code, index, bits) {
                Some(expected) => assert_eq!(entry, expected, "{index:b}"),
                None => assert!(entry.is_special(), "{index:b}"),
            }
        }
    }

    #[test]
    fn an_entry_has_all_symbols_that_its_index_tells() {
        let mut bases = vec![0; 288];
        for letter in *b"ACGTN\n+@" {
            bases[usize::from(letter)] = 3;
        }
        let (_, all) = table(&bases, 10);
        assert!(all.iter().all(|entry| entry.count() == 3), "nine bits are three of them");
        // A, C and G; then the end, lengths and rare letters, some with codes longer than the index.
        let mut mixed = vec![0; 288];
        (mixed[65], mixed[67], mixed[71]) = (2, 2, 3);
        (mixed[260], mixed[256], mixed[70], mixed[280]) = (3, 4, 4, 4);
        for (symbol, length) in (73..).zip([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 14]) {
            mixed[symbol] = length;
        }
        for bits in [10, 11, 12] {
            check(&bases, bits);
            check(&mixed, bits);
        }
        check(&[8; 256], 10);
    }
}
