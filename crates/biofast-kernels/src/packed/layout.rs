//! How bases and qualities are packed in BAM.

use crate::quality::PHRED_VALUES;

/// The letter of each base code. A code is a set, bit 0 for A, then C, G and T.
pub(crate) const LETTERS: [u8; 16] = *b"=ACMGRSVTWYHKDBN";

/// The letter of the complement of each base code: A and T, C and G swap, which reverses the bits of the set.
pub(crate) const COMPLEMENTS: [u8; 16] = {
    let mut table = [0; 16];
    let mut code = 0;
    while code < 16 {
        table[code] = LETTERS[((code as u8).reverse_bits() >> 4) as usize];
        code += 1;
    }
    table
};

/// The largest Phred value that ASCII Phred+33 can hold.
pub(crate) const MOST: u8 = (PHRED_VALUES - 1) as u8;

/// The bytes that hold `len` bases.
#[inline]
pub(crate) fn occupied(packed: &[u8], len: usize) -> &[u8] {
    match packed.get(..len.div_ceil(2)) {
        Some(occupied) => occupied,
        None => too_short(packed.len(), len),
    }
}

#[cold]
pub(super) fn too_short(bytes: usize, len: usize) -> ! {
    panic!("{len} packed bases need {} bytes, not {bytes}", len.div_ceil(2))
}
