//! UMIs and cell barcodes as numbers: most are packed, and the others are numbered.

use std::cmp::Ordering;
use std::collections::HashMap;

/// The letters of packed barcodes, in the order of their bytes. Their codes are 1 to 7, and 0 is behind the end.
const LETTERS: [u8; 7] = *b"+-ACGNT";
/// Bits of a letter.
pub(super) const BITS: usize = 3;
/// The longest barcode that is packed.
pub(super) const LONGEST: usize = 63 / BITS;
/// What is set in the numbers of barcodes that aren't packed.
const ODD: u64 = 1 << 63;

/// The code of each byte; 0 if it has none.
const CODES: [u8; 256] = {
    let mut codes = [0; 256];
    let mut letter = 0;
    while letter < LETTERS.len() {
        codes[LETTERS[letter] as usize] = letter as u8 + 1;
        letter += 1;
    }
    codes
};

/// Where the letter at an index stands in a packed barcode.
pub(super) const fn shift(index: usize) -> usize {
    (LONGEST - 1 - index) * BITS
}

/// A barcode as a number, in whose order barcodes have the order of their bytes.
#[inline]
pub(super) fn pack(barcode: &[u8]) -> Option<u64> {
    if barcode.len() > LONGEST {
        return None;
    }
    let mut packed = 0;
    for (index, byte) in barcode.iter().enumerate() {
        let code = CODES[usize::from(*byte)];
        if code == 0 {
            return None;
        }
        packed |= u64::from(code) << shift(index);
    }
    Some(packed)
}

/// Whether a number is that of a barcode that isn't packed.
#[inline]
pub(super) fn is_odd(number: u64) -> bool {
    number & ODD != 0
}

/// How many letters a packed barcode has.
#[inline]
pub(super) fn packed_len(packed: u64) -> usize {
    match packed {
        0 => 0,
        _ => LONGEST - packed.trailing_zeros() as usize / BITS,
    }
}

/// Positions at which packed barcodes of one length differ.
#[inline]
pub(super) fn packed_distance(one: u64, other: u64) -> u32 {
    const LOW: u64 = 0o111_111_111_111_111_111_111;
    let differs = one ^ other;
    ((differs | differs >> 1 | differs >> 2) & LOW).count_ones()
}

/// Byte strings and their numbers.
#[derive(Clone, Default)]
pub(super) struct Numbered {
    numbers: HashMap<Box<[u8]>, u32>,
    pub(super) texts: Vec<Box<[u8]>>,
}

impl Numbered {
    pub(super) fn number(&mut self, text: &[u8]) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.numbers.insert(text.into(), number);
        self.texts.push(text.into());
        number
    }
}

/// Barcodes that aren't packed, by their numbers.
#[derive(Clone, Default)]
pub(super) struct OddBarcodes(Numbered);

impl OddBarcodes {
    /// The number of a barcode.
    #[inline]
    pub(super) fn number(&mut self, barcode: &[u8]) -> u64 {
        pack(barcode).unwrap_or_else(|| self.odd_number(barcode))
    }

    #[cold]
    fn odd_number(&mut self, barcode: &[u8]) -> u64 {
        ODD | u64::from(self.0.number(barcode))
    }

    /// The number that a barcode of `other` has here.
    #[inline]
    pub(super) fn adopt(&mut self, number: u64, other: &OddBarcodes) -> u64 {
        if is_odd(number) { self.odd_number(other.odd(number)) } else { number }
    }

    /// The barcode of a number that isn't packed.
    pub(super) fn odd(&self, number: u64) -> &[u8] {
        self.0.texts.get((number & !ODD) as usize).map_or(&[], |text| &text[..])
    }

    /// Appends a barcode.
    pub(super) fn append(&self, number: u64, out: &mut Vec<u8>) {
        if is_odd(number) {
            return out.extend_from_slice(self.odd(number));
        }
        for index in 0..packed_len(number) {
            let code = (number >> shift(index) & 7) as usize;
            out.push(LETTERS[code.max(1) - 1]);
        }
    }

    /// How many bytes a barcode has.
    pub(super) fn len_of(&self, number: u64) -> usize {
        if is_odd(number) { self.odd(number).len() } else { packed_len(number) }
    }

    /// The order of two barcodes by their bytes.
    #[inline]
    pub(super) fn compare(&self, one: u64, other: u64) -> Ordering {
        if !is_odd(one) && !is_odd(other) {
            return one.cmp(&other);
        }
        let (mut first, mut second) = (Vec::new(), Vec::new());
        self.append(one, &mut first);
        self.append(other, &mut second);
        first.cmp(&second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barcodes_come_back_and_keep_their_order() {
        let texts: [&[u8]; 9] = [
            b"", b"A", b"ACGT+NN", b"ACGT-TT", b"ACGTN", b"acgt", b"AXT", b"TTTTTTTTTTTTTTTTTTTTT",
            b"TTTTTTTTTTTTTTTTTTTTTT",
        ];
        let mut odd = OddBarcodes::default();
        let numbers: Vec<u64> = texts.iter().map(|text| odd.number(text)).collect();
        for (index, &number) in numbers.iter().enumerate() {
            let mut text = Vec::new();
            odd.append(number, &mut text);
            assert_eq!(text, texts[index]);
            assert_eq!(odd.len_of(number), texts[index].len());
            assert_eq!(odd.number(texts[index]), number);
            for (other, &second) in numbers.iter().enumerate() {
                assert_eq!(odd.compare(number, second), texts[index].cmp(texts[other]));
            }
        }
        let mut adopted = OddBarcodes::default();
        assert_eq!(adopted.number(b"other"), ODD);
        assert_eq!(adopted.adopt(odd.number(b"acgt"), &odd), ODD | 1);
        let distance = |one: &[u8], other: &[u8]| {
            packed_distance(pack(one).unwrap_or(0), pack(other).unwrap_or(0))
        };
        assert_eq!(distance(b"ACGTN", b"ACGTN"), 0);
        assert_eq!(distance(b"ACGTN", b"TCGAA"), 3);
    }
}
