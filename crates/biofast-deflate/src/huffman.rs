//! Canonical prefix codes (RFC 1951, 3.2.2) and the tables that decode them.

use crate::fault::FaultKind;

/// The longest code, in bits.
pub(crate) const MAX_CODE_BITS: usize = 15;

/// The most symbols of any code.
const MAX_SYMBOLS: usize = 288;

/// Bits that hold a symbol.
const SYMBOL_BITS: u32 = 9;

/// Symbols in the order of their codes.
pub(crate) struct HuffmanCode {
    /// Number of codes of each length.
    counts: [u16; MAX_CODE_BITS + 1],
    /// The symbols that have a code, shortest code first, then in ascending order.
    sorted: [u16; MAX_SYMBOLS],
    /// How many they are.
    used: usize,
}

impl HuffmanCode {
    /// A code of no symbols.
    pub(crate) const NONE: Self =
        Self { counts: [0; MAX_CODE_BITS + 1], sorted: [0; MAX_SYMBOLS], used: 0 };

    /// Sorts symbols by the lengths of their codes, 0..=15, and checks that these make a complete code.
    ///
    /// Two incomplete ones are legal, as in libdeflate and (for distances) zlib: no code at all, which blocks without
    /// matches have, and one code of one bit.
    ///
    /// # Errors
    /// [`FaultKind::Code`].
    #[inline(always)]
    pub(crate) fn new(lengths: &[u8]) -> Result<Self, FaultKind> {
        // The symbols that have a code, each with its length above it.
        let mut listed = [0u16; MAX_SYMBOLS];
        let mut used = 0;
        for (first, lengths) in (0u16..).step_by(8).zip(lengths.chunks(8)) {
            // Most symbols have none, side by side.
            if lengths == [0; 8] {
                continue;
            }
            for (symbol, &length) in (first..).zip(lengths) {
                if let Some(slot) = listed.get_mut(used) {
                    *slot = symbol | u16::from(length & 15) << SYMBOL_BITS;
                }
                used += usize::from(length != 0);
            }
        }
        let length_of = |listed: u16| usize::from(listed >> SYMBOL_BITS) & MAX_CODE_BITS;
        // In two halves side by side, as one count waits for the one before it where lengths are the same.
        let (left, right) = listed[..used.min(MAX_SYMBOLS)].split_at(used.min(MAX_SYMBOLS) / 2);
        let (common, odd) = right.split_at(left.len());
        let mut left_counts = [0u16; MAX_CODE_BITS + 1];
        let mut counts = [0u16; MAX_CODE_BITS + 1];
        for (&a, &b) in left.iter().zip(common) {
            left_counts[length_of(a)] += 1;
            counts[length_of(b)] += 1;
        }
        for &b in odd {
            counts[length_of(b)] += 1;
        }
        let mut left_starts = [0u16; MAX_CODE_BITS + 1];
        let mut starts = [0u16; MAX_CODE_BITS + 1];
        // In units of the longest code: what the codes so far leave free.
        let mut free = 1i32 << MAX_CODE_BITS;
        let mut place = 0;
        for bits in 1..=MAX_CODE_BITS {
            left_starts[bits] = place;
            starts[bits] = place + left_counts[bits];
            counts[bits] += left_counts[bits];
            place += counts[bits];
            free -= i32::from(counts[bits]) << (MAX_CODE_BITS - bits);
        }
        let legal = free == 0 || used == 0 || (used == 1 && counts[1] == 1);
        if !legal {
            return Err(FaultKind::Code);
        }
        let mut sorted = [0u16; MAX_SYMBOLS];
        let mut put = |listed: u16, starts: &mut [u16; MAX_CODE_BITS + 1]| {
            let place = &mut starts[length_of(listed)];
            if let Some(slot) = sorted.get_mut(usize::from(*place)) {
                *slot = listed & ((1 << SYMBOL_BITS) - 1);
            }
            *place += 1;
        };
        for (&a, &b) in left.iter().zip(common) {
            put(a, &mut left_starts);
            put(b, &mut starts);
        }
        for &b in odd {
            put(b, &mut starts);
        }
        Ok(Self { counts, sorted, used })
    }

    /// The symbol that the lowest bits of `word` stand for and the length of its code, without any table. As the tables
    /// have it: where there is only one symbol, whatever the bit; where there is none, symbol 0.
    pub(crate) fn first(&self, word: u64) -> (usize, u32) {
        // The codes of a length follow each other, from `base` on; their symbols, from `index` on.
        let (mut value, mut base, mut index) = (0, 0, 0);
        for (bits, &count) in self.counts.iter().enumerate().skip(1) {
            value = value << 1 | (word >> (bits - 1)) as usize & 1;
            base <<= 1;
            let count = usize::from(count);
            if self.used > 1 && value < base + count {
                let symbol = self.sorted.get(index + value - base);
                return (symbol.map_or(0, |&symbol| symbol.into()), bits as u32);
            }
            (base, index) = (base + count, index + count);
        }
        (self.sorted[0].into(), 1)
    }

    /// How many of the symbols that have a code are literals.
    pub(crate) fn literals(&self) -> usize {
        self.sorted[..self.used].iter().filter(|&&symbol| symbol < 256).count()
    }

    /// How likely a code of more than `bits` bits is if all bits are, in units of 2^−15.
    pub(crate) fn share_longer_than(&self, bits: u32) -> u32 {
        let share = |length: usize| u32::from(self.counts[length]) << (MAX_CODE_BITS - length);
        (bits as usize + 1..=MAX_CODE_BITS).map(share).sum()
    }
}

/// Fills the table of `code` with 2^`bits` entries, and subtables for longer codes behind them.
///
/// An index is the next `bits` bits of the stream, the first of them lowest. `entry` makes the entry of a symbol and
/// the length of its code, `subtable` the one that points to a subtable by offset and index bits. `joined` is called for each
/// length in turn, with the symbols that have codes of it and the first of these codes, its first bit lowest: it may change any
/// of the first 2^length entries, which are right for codes of up to so many bits by then. Returns how many entries are in use.
///
/// # Errors
/// [`FaultKind::Code`] if `table` is too short; that it never is for a table of the size reckoned in `tables`.
#[inline(always)]
pub(crate) fn fill<E: Copy>(
    table: &mut [E],
    bits: u32,
    code: &HuffmanCode,
    entry: impl Fn(u16, u32) -> E,
    subtable: impl Fn(usize, u32) -> E,
    mut joined: impl FnMut(&mut [E], u32, &[u16], usize),
) -> Result<usize, FaultKind> {
    let size = 1usize << bits;
    if table.len() < size {
        return Err(FaultKind::Code);
    }
    if code.used <= 1 {
        // Whatever the bit, it's the only symbol; or symbol 0 where there is none.
        table[..size].fill(entry(code.sorted[0], 1));
        return Ok(size);
    }
    let mut sorted = &code.sorted[..code.used];
    // The current code, its first bit lowest.
    let mut reversed = 0usize;
    for length in 1..=bits {
        // The first half is right for codes of fewer bits; doubling it makes room for one bit more.
        let half = 1 << (length - 1);
        table.copy_within(..half, half);
        let count = usize::from(code.counts[length as usize]);
        let (symbols, rest) = sorted.split_at(count.min(sorted.len()));
        sorted = rest;
        let first = reversed;
        for &symbol in symbols {
            table[reversed & (size - 1)] = entry(symbol, length);
            reversed = next_code(reversed, length);
        }
        joined(table, length, symbols, first);
    }
    let mut sorted = sorted.iter();

    let mut end = size; // of the subtables so far
    let mut current = (usize::MAX, 0, 0); // the subtable's prefix, offset and index bits
    for length in bits + 1..=MAX_CODE_BITS as u32 {
        let count = code.counts[length as usize];
        for done in 0..count {
            let Some(&symbol) = sorted.next() else { break };
            let prefix = reversed & (size - 1);
            if prefix != current.0 {
                // Wide enough for the codes that complete this prefix.
                let mut width = length - bits;
                let mut codes = u32::from(count - done);
                while codes < 1 << width && bits + width < MAX_CODE_BITS as u32 {
                    width += 1;
                    codes = codes * 2 + u32::from(code.counts[(bits + width) as usize]);
                }
                current = (prefix, end, width);
                end += 1 << width;
                if end > table.len() {
                    return Err(FaultKind::Code);
                }
                table[prefix] = subtable(current.1, width);
            }
            let (_, offset, width) = current;
            let slots = table[offset..offset + (1 << width)].iter_mut();
            let entry = entry(symbol, length);
            for slot in slots.skip(reversed >> bits).step_by(1 << (length - bits)) {
                *slot = entry;
            }
            reversed = next_code(reversed, length);
        }
    }
    Ok(end)
}

/// The code after `reversed`, which has `length` bits, its first bit lowest: plus one, carrying downwards.
#[inline(always)]
pub(crate) fn next_code(reversed: usize, length: u32) -> usize {
    let zeros = !reversed & ((1 << length) - 1);
    match zeros.checked_ilog2() {
        Some(last_zero) => (reversed & ((1 << last_zero) - 1)) | 1 << last_zero,
        // The last code of all.
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The symbol that the first bits of `bits` stand for and the length of its code, by walking all codes.
    fn decode(lengths: &[u8], bits: usize) -> (u16, u32) {
        let mut code = 0;
        for length in 1..=15 {
            code <<= 1;
            for (symbol, _) in lengths.iter().enumerate().filter(|&(_, &l)| l == length) {
                let reversed = (code as u32).reverse_bits() >> (32 - u32::from(length));
                if bits & ((1 << length) - 1) == reversed as usize {
                    return (symbol as u16, u32::from(length));
                }
                code += 1;
            }
        }
        panic!("no code for {bits:b}");
    }

    fn check(lengths: &[u8], bits: u32) {
        let code = HuffmanCode::new(lengths).expect("a complete code");
        let mut table = vec![(0, 0, false); 4096];
        let entry = |symbol, length| (usize::from(symbol), length, false);
        let pointer = |at, width| (at, width, true);
        fill(&mut table, bits, &code, entry, pointer, |_, _, _, _| {}).expect("fits");
        for value in 0..1 << 15 {
            let (mut symbol, mut length, pointer) = table[value & ((1 << bits) - 1)];
            if pointer {
                (symbol, length, _) = table[symbol + ((value >> bits) & ((1 << length) - 1))];
            }
            assert_eq!((symbol as u16, length), decode(lengths, value), "{value:b}");
            assert_eq!(code.first(value as u64), (symbol, length), "{value:b}");
        }
    }

    #[test]
    fn tables_decode_as_the_codes_do() {
        check(&[1, 1], 7);
        check(&[2, 0, 1, 2], 9);
        check(&[8; 256], 7);
        check(&[8; 256], 10);
        let mut skewed: Vec<u8> = (1..=15).collect();
        skewed.push(15);
        check(&skewed, 7);
        check(&skewed, 10);
        let fixed: Vec<u8> = (0..288)
            .map(|symbol| match symbol {
                0..144 => 8,
                144..256 => 9,
                256..280 => 7,
                _ => 8,
            })
            .collect();
        check(&fixed, 8);
        check(&fixed, 10);
    }

    #[test]
    fn codes_that_are_none_are_refused() {
        for bad in [&[1, 1, 1][..], &[1, 2], &[2], &[15; 3], &[1, 1, 15]] {
            assert!(HuffmanCode::new(bad).is_err(), "{bad:?}");
        }
        for good in [&[][..], &[0, 0], &[0, 1], &[1, 1], &[1, 2, 2]] {
            assert!(HuffmanCode::new(good).is_ok(), "{good:?}");
        }
    }
}
