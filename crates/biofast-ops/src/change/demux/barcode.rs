//! Barcodes as sets of bases, and how many of them differ.

use std::ops::Range;

use crate::change::grep::bases;

/// Bases of a barcode at most.
pub const LONGEST_BARCODE: usize = 64;
const PER_WORD: usize = 16;

/// A barcode, four bits a base: those of the bases that a letter stands for, so that a base that is read agrees with an
/// expected one if its bits are among those of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct BarcodeBits([u64; LONGEST_BARCODE / PER_WORD]);

/// What stands for letters that are no bases: it agrees with nothing, as it does with nothing else than itself.
const UNKNOWN: u8 = 0;

impl BarcodeBits {
    /// `None` if there are more than [`LONGEST_BARCODE`], or letters that stand for no base.
    pub(super) fn new(letters: &[u8]) -> Option<BarcodeBits> {
        if letters.len() > LONGEST_BARCODE {
            return None;
        }
        let mut words = [0u64; LONGEST_BARCODE / PER_WORD];
        let mut known = true;
        for (word, letters) in words.iter_mut().zip(letters.chunks(PER_WORD)) {
            for (at, &letter) in letters.iter().enumerate() {
                let bits = MASKS[usize::from(letter)];
                known &= bits != UNKNOWN;
                *word |= u64::from(bits) << (4 * at);
            }
        }
        known.then_some(BarcodeBits(words))
    }

    /// How many of the bases that were read are not among those that are expected.
    pub(super) fn mismatches(&self, expected: &BarcodeBits) -> u32 {
        self.count(expected, |read, expected| read & !expected)
    }

    /// At how many bases nothing is both; of barcodes of the same length.
    pub(super) fn distance(&self, other: &BarcodeBits, len: usize) -> u32 {
        // Places where both have a bit.
        let common = self.count(other, |one, other| one & other);
        (len as u32).saturating_sub(common)
    }

    /// The number of bases of which any bit is set.
    #[inline]
    fn count(&self, other: &BarcodeBits, both: impl Fn(u64, u64) -> u64) -> u32 {
        const ONES: u64 = 0x1111_1111_1111_1111;
        let words = self.0.iter().zip(&other.0);
        words
            .map(|(&one, &other)| {
                let bits = both(one, other);
                let bits = bits | (bits >> 1);
                ((bits | (bits >> 2)) & ONES).count_ones()
            })
            .sum()
    }

    /// The same with another letter at one place.
    pub(super) fn with(mut self, at: usize, bits: u8) -> BarcodeBits {
        let shift = 4 * (at % PER_WORD);
        let word = &mut self.0[at / PER_WORD];
        *word = (*word & !(15 << shift)) | u64::from(bits) << shift;
        self
    }

    /// The bits of a base.
    pub(super) fn at(&self, at: usize) -> u8 {
        (self.0[at / PER_WORD] >> (4 * (at % PER_WORD)) & 15) as u8
    }

    /// All bits of these places.
    pub(super) fn mask(places: Range<usize>) -> BarcodeBits {
        places.fold(BarcodeBits::default(), |mask, at| mask.with(at, 15))
    }

    /// What it has of the bits of a mask.
    pub(super) fn part(&self, mask: &BarcodeBits) -> BarcodeBits {
        BarcodeBits(std::array::from_fn(|word| self.0[word] & mask.0[word]))
    }

    /// A number that differs for most barcodes.
    pub(super) fn hash(&self) -> u64 {
        self.0.iter().fold(0, |hash: u64, &word| {
            let product = u128::from(hash ^ word ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
            (product as u64) ^ (product >> 64) as u64
        })
    }
}

static MASKS: [u8; 256] = {
    let mut masks = [0; 256];
    let mut letter = 0;
    while letter < 256 {
        masks[letter] = bases(letter as u8);
        letter += 1;
    }
    masks
};
