//! Lengths and distances as DEFLATE writes them (RFC 1951, 3.2.5): a symbol and extra bits.

/// The longest match.
pub(crate) const MAX_LENGTH: usize = 258;
/// The farthest match.
pub(crate) const MAX_DISTANCE: usize = 32_768;
/// Length symbols, from 257 on.
pub(crate) const LENGTHS: usize = 29;
/// Distance symbols.
pub(crate) const DISTANCES: usize = 30;

/// Extra bits of each length symbol.
pub(crate) const LENGTH_EXTRA: [u8; LENGTHS] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];

/// The shortest length of each symbol.
pub(crate) const LENGTH_BASE: [u16; LENGTHS] = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
    163, 195, 227, 258,
];

/// The symbol of each length, less 257.
static SYMBOLS: [u8; 512] = {
    let mut symbols = [0; 512];
    let mut symbol = 0;
    while symbol < LENGTHS {
        let base = LENGTH_BASE[symbol] as usize;
        let mut i = 0;
        while i < 1 << LENGTH_EXTRA[symbol] {
            symbols[base + i] = symbol as u8;
            i += 1;
        }
        symbol += 1;
    }
    symbols
};

/// The symbol of a length of 3 to 258, less 257.
#[inline(always)]
pub(crate) fn length_symbol(length: usize) -> usize {
    usize::from(SYMBOLS[length & 511])
}

/// The symbol of a distance of 1 to 32,768.
#[inline(always)]
pub(crate) fn distance_symbol(distance: u32) -> usize {
    let d = distance - 1;
    if d < 4 {
        return d as usize;
    }
    let top = d.ilog2();
    (2 * top + (d >> (top - 1) & 1)) as usize
}

/// How many extra bits a distance symbol has.
#[inline(always)]
pub(crate) fn distance_extra(symbol: usize) -> u32 {
    (symbol as u32 / 2).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_and_distance_has_the_symbol_of_its_range() {
        for length in 3..=MAX_LENGTH {
            let symbol = length_symbol(length);
            let extra = length - usize::from(LENGTH_BASE[symbol]);
            assert!(extra < 1 << LENGTH_EXTRA[symbol], "{length}");
        }
        assert_eq!((length_symbol(257), length_symbol(258)), (27, 28));
        let mut next = 1;
        for symbol in 0..DISTANCES {
            let count = 1 << distance_extra(symbol);
            for distance in [next, next + count - 1] {
                assert_eq!(distance_symbol(distance), symbol, "{distance}");
            }
            next += count;
        }
        assert_eq!(next as usize, MAX_DISTANCE + 1);
    }
}
