//! Block headers (RFC 1951, 3.2.3 to 3.2.7).

use crate::bits::BitReader;
use crate::fault::FaultKind;
use crate::huffman::{self, HuffmanCode};
use crate::instructions::Isa;

/// What takes a block's code lengths: tables.
pub(crate) trait Build {
    /// From the lengths of the codes, 0..=15 bits each.
    ///
    /// # Errors
    /// If either makes no prefix code.
    fn build<I: Isa>(&mut self, symbols: &[u8], distances: &[u8]) -> Result<(), FaultKind>;
}

/// What follows a block's header.
pub(crate) enum Body {
    /// So many bytes as they are.
    Stored(usize),
    /// Codes of the tables that the header built.
    Coded,
}

/// Index bits of the table for the code lengths' own code, its longest codes.
const LENGTH_BITS: u32 = 7;

/// In which order the lengths of that code come.
const ORDER: [u8; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Code lengths of a block: up to 288 of symbols, then up to 32 of distances.
const MAX_LENGTHS: usize = 288 + 32;

/// The longest repetition of a length; that much room behind the lengths saves a check.
const MAX_REPEAT: usize = 138;

/// How many lengths are written at once, more than those of a repetition of anything but zeros.
const WRITTEN: usize = 8;

/// A symbol of the code lengths' own code: so many codes have that length.
#[derive(Clone, Copy, Default)]
struct Run {
    /// Bits it consumes, extra bits included.
    bits: u8,
    /// Bits before the extra bits.
    code_bits: u8,
    /// How many codes there are, less the value of the extra bits.
    base: u8,
    /// The length of each, or [`AS_BEFORE`].
    length: u8,
}

/// Stands for the length of the code before.
const AS_BEFORE: u8 = 16;

impl Run {
    #[inline(always)]
    fn of(symbol: u16, code_bits: u32) -> Self {
        let code_bits = code_bits as u8;
        let (length, base, extra) = match symbol {
            0..16 => (symbol as u8, 1, 0),
            16 => (AS_BEFORE, 3, 2),
            17 => (0, 3, 3),
            _ => (0, 11, 7),
        };
        Self { bits: code_bits + extra, code_bits, base, length }
    }
}

/// Reads a header, and builds the tables it describes. Returns whether the block is the last one, too.
///
/// # Errors
/// Any fault of the header. [`FaultKind::InputEnds`] goes before all others: zeros past the end are never judged.
#[inline(always)]
pub(crate) fn read<I: Isa>(
    bits: &mut BitReader<'_>,
    tables: &mut impl Build,
) -> Result<(bool, Body), FaultKind> {
    let header = read_unchecked::<I>(bits, tables);
    bits.check()?;
    header
}

#[inline(always)]
fn read_unchecked<I: Isa>(
    bits: &mut BitReader<'_>,
    tables: &mut impl Build,
) -> Result<(bool, Body), FaultKind> {
    let last = bits.take(1) == 1;
    let body = match bits.take(2) {
        0 => {
            bits.skip_to_byte();
            let (length, inverted) = (bits.take(16), bits.take(16));
            bits.check()?;
            if length != !inverted & 0xffff {
                return Err(FaultKind::StoredLength);
            }
            Body::Stored(length)
        }
        1 => {
            let mut symbols = [8; 288];
            symbols[144..256].fill(9);
            symbols[256..280].fill(7);
            tables.build::<I>(&symbols, &[5; 32])?;
            Body::Coded
        }
        2 => {
            read_dynamic::<I>(bits, tables)?;
            Body::Coded
        }
        _ => return Err(FaultKind::BlockType),
    };
    Ok((last, body))
}

#[inline(always)]
fn read_dynamic<I: Isa>(
    bits: &mut BitReader<'_>,
    tables: &mut impl Build,
) -> Result<(), FaultKind> {
    let symbols = bits.take(5) + 257;
    let distances = bits.take(5) + 1;
    let own_lengths = bits.take(4) + 4;
    let mut lengths = [0u8; 19];
    // 19 lengths of 3 bits are 57 bits: what one look gives.
    let word = bits.peek();
    for (i, &symbol) in ORDER[..own_lengths.min(ORDER.len())].iter().enumerate() {
        lengths[usize::from(symbol)] = (word >> (3 * i)) as u8 & 7;
    }
    bits.at += 3 * own_lengths;
    let mut table = [Run::default(); 1 << LENGTH_BITS];
    let none = |_, _| Run::default(); // no code is longer than the index
    let code = HuffmanCode::new(&lengths)?;
    huffman::fill(&mut table, LENGTH_BITS, &code, Run::of, none, |_, _, _, _| {})?;
    let run_of = |word: u64| table[word as usize & ((1 << LENGTH_BITS) - 1)];
    if run_of(bits.peek()).length == AS_BEFORE {
        return Err(FaultKind::CodeLengths);
    }

    // Without branches on what comes, which nobody could predict: each run is written as eight lengths, what is too much of
    // them is overwritten by the next, and only runs of zeros, which are there already, are longer.
    let mut lengths = [0u8; MAX_LENGTHS + MAX_REPEAT + WRITTEN];
    let total = symbols + distances;
    let mut n = 0;
    let mut before = 0;
    while n < total {
        let mut word = bits.peek();
        // Each takes 14 bits at most, so one look does for four of them.
        for _ in 0..4 {
            let run = run_of(word);
            let all_bits = u64::from(run.bits);
            before = std::hint::select_unpredictable(run.length == AS_BEFORE, before, run.length);
            lengths[n..n + WRITTEN].copy_from_slice(&[before; WRITTEN]);
            n += usize::from(run.base) + (I::low(word, all_bits) >> (run.code_bits & 7)) as usize;
            word >>= all_bits & 15;
            bits.at += all_bits as usize;
            if n >= total {
                break;
            }
        }
    }
    if n != total {
        return Err(FaultKind::CodeLengths);
    }
    // Before the tables are built from zeros past the end.
    bits.check()?;
    tables.build::<I>(&lengths[..symbols], &lengths[symbols..total])
}
