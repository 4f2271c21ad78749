//! What the decoding tables hold, laid out so that a step needs few instructions: every field is a byte (or two) of
//! its own that can be loaded by itself.

use crate::copy::WIDE;

/// Index bits of the distance table.
pub(crate) const DISTANCE_BITS: u32 = 9;

/// An entry of the literal/length table: up to three literals, then perhaps a match length, all within the bits that
/// index the table (the length's extra bits excepted).
///
/// The bytes of the number, from the lowest:
///
/// | byte | meaning |
/// |---|---|
/// | 0 | bits it consumes, extra bits included; index bits of a subtable |
/// | 1 | bits before the length's extra bits |
/// | 2 | length before the extra bits; 0 without a match; 255 for 258, and for what is special |
/// | 3 | number of literals; or what is special, from 128 on |
/// | 4–6 | literals; offset of a subtable |
/// | 7 | index bits of the distance table; 0 without a match |
///
/// So what is special looks like a match of 255 bytes at the dummy's distance to the fast loop, which is more than it
/// copies without another look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct SymbolEntry(u64);

/// What a [`SymbolEntry`] entry means that isn't literals and a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// The code is longer than the table's index: look on in a subtable at `offset`, by `bits` more bits.
    Subtable { offset: usize, bits: u32 },
    /// The end of the block.
    EndOfBlock,
}

/// Stands for the longest match.
pub(crate) const LONGEST_MARK: u64 = 255;

/// The longest match.
pub(crate) const LONGEST: u64 = 258;

const SUBTABLE: u64 = 0x80 << 24 | LONGEST_MARK << 16;
const END_OF_BLOCK: u64 = 0xc0 << 24 | LONGEST_MARK << 16;

impl SymbolEntry {
    pub(crate) const NONE: Self = Self(0);

    /// The flag that all that is special has in common.
    pub(crate) const SPECIAL: u64 = 0x80 << 24;

    /// The flag that only the end of a block has.
    pub(crate) const END: u64 = 0x40 << 24;

    /// One literal, in byte 3.
    pub(crate) const ONE: u64 = 1 << 24;

    /// The literals.
    pub(crate) const LITERALS: u64 = 0xff_ffff << 32;

    /// A literal, length or end-of-block symbol (0..288) without the bits of its code.
    const fn symbol(symbol: usize) -> Self {
        match symbol {
            0..256 => Self(Self::ONE | (symbol as u64) << 32),
            256 => Self(END_OF_BLOCK),
            _ => {
                let (base, extra) = length(symbol - 257);
                let base = if base == LONGEST { LONGEST_MARK } else { base };
                Self(extra | base << 16 | (DISTANCE_BITS as u64) << 56)
            }
        }
    }

    pub(crate) fn subtable(offset: usize, bits: u32) -> Self {
        Self(SUBTABLE | (offset as u64) << 32 | u64::from(bits))
    }

    /// The symbol with a code of `bits` bits.
    #[inline(always)]
    pub(crate) fn with_code(self, bits: u32) -> Self {
        Self(self.0 + u64::from(bits) * 0x0101)
    }

    /// What it means that isn't literals and a length.
    #[inline(always)]
    pub(crate) fn special(self) -> Option<Special> {
        match self.0 >> 30 & 3 {
            2 => {
                let offset = (self.0 >> 32) as usize & 0xffff;
                Some(Special::Subtable { offset, bits: self.bits() })
            }
            3 => Some(Special::EndOfBlock),
            _ => None,
        }
    }

    /// As it is added to a literal in front of it: its own literals are one place further. It has two at most, and isn't
    /// special.
    #[inline(always)]
    pub(crate) fn moved(self) -> Self {
        Self(self.0 & !Self::LITERALS | (self.0 & Self::LITERALS) << 8 & Self::LITERALS)
    }

    /// This literal followed by what was [moved](Self::moved).
    #[inline(always)]
    pub(crate) fn then(self, moved: Self) -> Self {
        Self(self.0.wrapping_add(moved.0))
    }

    #[inline(always)]
    pub(crate) fn is_special(self) -> bool {
        self.0 & Self::SPECIAL != 0
    }

    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        self.0 as u32 & 0xff
    }

    #[inline(always)]
    pub(crate) fn code_bits(self) -> u32 {
        (self.0 >> 8) as u32 & 0xff
    }

    /// Of a match.
    #[inline(always)]
    pub(crate) fn base(self) -> usize {
        match self.0 >> 16 & 0xff {
            LONGEST_MARK => LONGEST as usize,
            base => base as usize,
        }
    }

    #[inline(always)]
    pub(crate) fn distance_bits(self) -> u32 {
        (self.0 >> 56) as u32
    }

    /// Number of literals.
    #[inline(always)]
    pub(crate) fn count(self) -> usize {
        (self.0 >> 24) as usize & 3
    }

    /// The literals, and whatever is behind them.
    #[inline(always)]
    pub(crate) fn literals(self) -> [u8; 4] {
        ((self.0 >> 32) as u32).to_le_bytes()
    }
}

/// An entry of the distance table.
///
/// The bytes of the number, from the lowest: bits it consumes, extra bits included; bits before the extra bits, plus
/// 64 times the [class](Class); the negative of the distance before the extra bits (two bytes). Of a pointer to a
/// subtable: the number of bits that index it, its class, and its offset, which isn't negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Distance(u32);

/// How matches at a distance are copied, see [`Row`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// As they are, if they don't overlap.
    Apart = 0,
    /// A byte is repeated: the distance is 1.
    One = 1,
    /// Pointers to subtables.
    Subtable = 2,
}

/// A copy that the fast loop makes without another look, for a [class](Class) of distances.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Row {
    /// Which byte from the source on goes where, for instruction sets that can permute as they copy.
    pub(crate) pattern: [u8; WIDE],
    /// By how many bytes a match may be longer than its distance.
    pub(crate) excess: i64,
}

/// The rows by class. With `repeats` above 1, a byte is repeated by a pattern, up to so many times.
pub(crate) const fn rows(repeats: i64) -> [Row; 4] {
    let mut identity = [0; WIDE];
    let mut i = 0;
    while i < identity.len() {
        identity[i] = i as u8;
        i += 1;
    }
    let apart = Row { pattern: identity, excess: 0 };
    let one = Row { pattern: [0; WIDE], excess: repeats - 1 };
    let never = Row { excess: i64::MIN, ..apart };
    [apart, one, never, never]
}

impl Distance {
    pub(crate) const NONE: Self = Self(0);

    /// The bits of byte 1 that are the class.
    pub(crate) const CLASS: u64 = 0xc0;

    const fn new(extra: u32, base: u32, class: Class) -> Self {
        Self(base.wrapping_neg() << 16 | (class as u32) << 14 | extra)
    }

    /// What steps without a match use: no bits, and a distance at which anything may be read.
    pub(crate) const fn dummy(distance: u16) -> Self {
        Self::new(0, distance as u32, Class::Apart)
    }

    /// A distance symbol (0..32) without the bits of its code.
    const fn symbol(symbol: usize) -> Self {
        // 30 and 31 can't occur in a valid stream; libdeflate takes them for 29, and so do we.
        let symbol = if symbol > 29 { 29 } else { symbol };
        let extra = if symbol < 4 { 0 } else { symbol as u32 / 2 - 1 };
        let base = if symbol < 4 { symbol as u32 } else { (2 + symbol as u32 % 2) << extra } + 1;
        let class = if base == 1 { Class::One } else { Class::Apart };
        Self::new(extra, base, class)
    }

    pub(crate) fn subtable(offset: usize, bits: u32) -> Self {
        Self((offset as u32) << 16 | (Class::Subtable as u32) << 14 | bits)
    }

    #[inline(always)]
    pub(crate) fn with_code(self, bits: u32) -> Self {
        Self(self.0 + bits * 0x0101)
    }

    #[inline(always)]
    pub(crate) fn is_subtable(self) -> bool {
        (self.0 as i32) >= 0
    }

    /// Of a subtable's pointer.
    #[inline(always)]
    pub(crate) fn offset(self) -> usize {
        (self.0 >> 16) as usize & 0x7fff
    }

    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        self.0 & 0xff
    }

    #[inline(always)]
    pub(crate) fn code_bits(self) -> u32 {
        (self.0 >> 8) & 0x3f
    }

    #[inline(always)]
    pub(crate) fn base(self) -> usize {
        (self.0 >> 16).wrapping_neg() as usize & 0xffff
    }
}

/// Base and number of extra bits of the length symbol 257 + `index` (RFC 1951, 3.2.5).
const fn length(index: usize) -> (u64, u64) {
    let index = index as u64;
    if index < 8 {
        (index + 3, 0)
    } else if index >= 28 {
        // 286 and 287 can't occur in a valid stream; libdeflate takes them for 285, and so do we.
        (258, 0)
    } else {
        let extra = index / 4 - 1;
        (((4 + index % 4) << extra) + 3, extra)
    }
}

/// The literal/length symbols without their codes.
pub(crate) static SYMBOLS: [SymbolEntry; 288] = {
    let mut all = [SymbolEntry::NONE; 288];
    let mut symbol = 0;
    while symbol < all.len() {
        all[symbol] = SymbolEntry::symbol(symbol);
        symbol += 1;
    }
    all
};

/// The distance symbols without their codes.
pub(crate) static DISTANCES: [Distance; 32] = {
    let mut all = [Distance::NONE; 32];
    let mut symbol = 0;
    while symbol < all.len() {
        all[symbol] = Distance::symbol(symbol);
        symbol += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_distances_are_those_of_the_rfc() {
        let fields = |symbol: usize| (SYMBOLS[symbol].base(), SYMBOLS[symbol].bits());
        assert_eq!(
            [257, 264, 265, 268, 269].map(fields),
            [(3, 0), (10, 0), (11, 1), (17, 1), (19, 2)]
        );
        assert_eq!([280, 281, 284].map(fields), [(115, 4), (131, 5), (227, 5)]);
        assert_eq!([285, 286, 287].map(fields), [(258, 0); 3]);
        assert_eq!(SYMBOLS[256].special(), Some(Special::EndOfBlock));
        let fields = |symbol: usize| (DISTANCES[symbol].base(), DISTANCES[symbol].bits());
        assert_eq!([0, 3, 4, 5, 6].map(fields), [(1, 0), (4, 0), (5, 1), (7, 1), (9, 2)]);
        assert_eq!([27, 28, 29, 30, 31].map(fields)[..2], [(12_289, 12), (16_385, 13)]);
        assert_eq!(fields(29), (24_577, 13));
    }

    #[test]
    fn a_row_says_what_the_classes_may_copy() {
        let [apart, one, never, _] = rows(16);
        let row = |entry: Distance| (entry.with_code(9).0 >> 14 & 3) as usize;
        assert_eq!([0, 1, 29].map(|symbol| row(DISTANCES[symbol])), [1, 0, 0]);
        assert_eq!(row(Distance::subtable(700, 6)), 2);
        let text: Vec<u8> = (0..32).collect();
        let copied = |row: Row| row.pattern.map(|i| text[usize::from(i)]);
        assert_eq!((&copied(apart)[..], copied(one)), (&text[..], [0; WIDE]));
        assert_eq!([apart, one, never].map(|row| row.excess), [0, 15, i64::MIN]);
        // Behind any target.
        assert!(Distance::subtable(0, 6).is_subtable());
        assert!(!Distance::dummy(64).is_subtable());
    }

    #[test]
    fn literals_join_in_order() {
        let [a, b, c, d] = [b'a', b'b', b'c', b'd'].map(|s| SYMBOLS[usize::from(s)].with_code(3));
        let joined = a.then(b.then(c.moved()).moved());
        assert_eq!((joined.count(), joined.bits(), joined.code_bits()), (3, 9, 9));
        assert_eq!(&joined.literals()[..3], b"abc");
        let length = SYMBOLS[269].with_code(4);
        let joined = d.then(length.moved());
        assert_eq!(
            (joined.count(), joined.bits(), joined.code_bits(), joined.base()),
            (1, 9, 7, 19)
        );
        assert_eq!(joined.distance_bits(), DISTANCE_BITS);
    }

    #[test]
    fn subtable_pointers_keep_their_fields() {
        let pointer = SymbolEntry::subtable(4000, 5);
        assert_eq!(pointer.special(), Some(Special::Subtable { offset: 4000, bits: 5 }));
        let pointer = Distance::subtable(700, 6);
        assert_eq!((pointer.is_subtable(), pointer.offset(), pointer.bits()), (true, 700, 6));
    }
}
