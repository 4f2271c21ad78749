//! Tables of frequencies of order 1: a list of symbols, then the frequencies of each in each context. The whole may be compressed.

use biofast_kernels::Isa;

use crate::counts::{Row, normalize};
use crate::error::Error;
use crate::input::{Input, put_uint7};
use crate::nx16::format::{BITS, FEW_BITS};
use crate::nx16::frequencies::{WRONG_SUM, scale};
use crate::nx16::order0;
use crate::nx16::slots::ContextSlots;
use crate::symbols;

/// Tables below this many bytes aren't compressed.
const MIN_COMPRESSED: usize = 200;

/// Turns counts of each context into frequencies and writes them. Returns the bits of their sums.
///
/// A symbol is listed if it occurs or is a context; of symbols that are never a context, symbol 0 gets a frequency there.
pub(super) fn put_rows(isa: Isa, rows: &mut [Row], out: &mut Vec<u8>) -> u32 {
    // No symbol is higher than the highest context.
    let bound = rows.len();
    let bits = choose_bits(rows);
    let mut is_listed = [false; 256];
    is_listed[0] = true;
    for row in &*rows {
        let counts = row[..bound].iter();
        counts.zip(&mut is_listed).for_each(|(&count, is_listed)| *is_listed |= count > 0);
    }
    let mut table = Vec::new();
    symbols::put(|symbol| is_listed[symbol], &mut table, |_, _| {});
    for (_, row) in rows.iter_mut().enumerate().filter(|(context, _)| is_listed[*context]) {
        let row = &mut row[..bound];
        let sum: u32 = row.iter().sum();
        if sum == 0 {
            row[0] = 1;
        }
        normalize(row, total(row, bits));
        put_rest_of_row(row, &is_listed, &mut table);
        scale(row, bits);
    }
    let start = out.len();
    out.push((bits << 4) as u8);
    if table.len() >= MIN_COMPRESSED {
        let mut compressed = Vec::new();
        order0::encode::<4>(isa, &table, &mut compressed);
        if compressed.len() + 6 < table.len() {
            out[start] |= 1;
            put_uint7(out, table.len() as u32);
            put_uint7(out, compressed.len() as u32);
            table = compressed;
        }
    }
    out.extend(table);
    bits
}

/// Writes frequencies of listed symbols: after a 0 stands how many more follow, which are left out.
fn put_rest_of_row(row: &[u32], is_listed: &[bool; 256], out: &mut Vec<u8>) {
    let mut listed = row.iter().zip(is_listed).filter(|(_, is_listed)| **is_listed).peekable();
    while let Some((&frequency, _)) = listed.next() {
        put_uint7(out, frequency);
        if frequency == 0 {
            let mut more = 0;
            while listed.next_if(|(frequency, _)| **frequency == 0).is_some() {
                more += 1;
            }
            out.push(more);
        }
    }
}

/// To what the frequencies of a row add up as stored: the fewer counts, the less, as small numbers take fewer bytes.
fn total(counts: &[u32], bits: u32) -> u32 {
    let sum: u32 = counts.iter().sum();
    let symbols = counts.iter().filter(|count| **count > 0).count() as u32;
    (sum.next_power_of_two() / 2).max(symbols.next_power_of_two()).min(1 << bits)
}

/// Few bits for frequencies make tables small and fast, more make the data smaller: by more than 1 %, they are worth it.
fn choose_bits(counts: &[Row]) -> u32 {
    let rows = || counts.iter().map(|row| &row[..counts.len()]);
    if rows().all(|row| total(row, BITS) <= 1 << FEW_BITS) {
        return FEW_BITS;
    }
    let [few, more] = [FEW_BITS, BITS].map(|bits| {
        rows().filter(|row| row.iter().any(|&count| count > 0)).fold(0, |sum, counts| {
            let mut row = [0; 256];
            let row = &mut row[..counts.len()];
            row.copy_from_slice(counts);
            let total = total(counts, bits);
            normalize(row, total);
            let cost = |(&count, &frequency): (&u32, &u32)| {
                let of_symbols =
                    u64::from(count) * u64::from(LOG2[total as usize] - LOG2[frequency as usize]);
                of_symbols + if frequency > 127 { (2 * 8) << 8 } else { 8 << 8 }
            };
            let used = counts.iter().zip(&*row).filter(|(count, _)| **count > 0);
            sum + used.map(cost).sum::<u64>()
        })
    });
    if few <= more + more / 100 { FEW_BITS } else { BITS }
}

/// Logarithms to base 2, times 256: integers, so that the choice is the same on every machine.
static LOG2: [u16; (1 << BITS) + 1] = {
    let mut table = [0; (1 << BITS) + 1];
    let mut n = 1;
    while n < table.len() {
        // Squares of the number, scaled to 1 to 2, in 32 bits: each that is 2 or more is a bit of the fraction.
        let mut scaled = (n as u64) << (31 - n.ilog2());
        let mut log = n.ilog2() as u16;
        let mut bit = 0;
        while bit < 8 {
            scaled = (scaled * scaled) >> 31;
            log = log << 1 | (scaled >> 32) as u16;
            if scaled >> 32 == 1 {
                scaled >>= 1;
            }
            bit += 1;
        }
        table[n] = log;
        n += 1;
    }
    table
};

/// More bytes than frequencies of 256 symbols in 256 contexts ever take.
const MAX_TABLE: usize = 257 * 257 * 3;

/// To 2 to the power of what the frequencies add up.
pub(super) fn bits(input: Input<'_>) -> Result<u32, Error> {
    let bits = u32::from(input.0.first().ok_or(Error::Truncated)? >> 4);
    match bits {
        BITS | FEW_BITS => Ok(bits),
        _ => Err(Error::Invalid("frequencies that add up to neither 2^10 nor 2^12")),
    }
}

/// Reads frequencies.
pub(super) fn read_slots<T: ContextSlots>(isa: Isa, input: &mut Input<'_>) -> Result<T, Error> {
    let bits = bits(*input)?;
    let first = input.byte()?;
    if first & 1 == 0 {
        return read_table(input, bits);
    }
    let len = input.uint7()? as usize;
    if len > MAX_TABLE {
        return Err(Error::Invalid("too many frequencies"));
    }
    let mut table = Vec::new();
    order0::decode::<4>(isa, Input(input.u7_slice()?), len, &mut table)?;
    read_table(&mut Input(&table), bits)
}

/// The same of a table that isn't compressed.
fn read_table<T: ContextSlots>(table: &mut Input<'_>, bits: u32) -> Result<T, Error> {
    let mut listed = Vec::with_capacity(256);
    symbols::read(table, |symbol, _| {
        listed.push(symbol);
        Ok(())
    })?;
    let mut slots = T::new(listed.last().map_or(0, |last| last + 1), bits);
    for &context in &listed {
        let mut row = [0; 256];
        let mut zeros = 0;
        for &symbol in &listed {
            if zeros > 0 {
                zeros -= 1;
                continue;
            }
            row[symbol] = table.uint7()?;
            if row[symbol] == 0 {
                zeros = table.byte()?;
            }
        }
        // A symbol that is never a context may have none.
        if !scale(&mut row, bits) && row != [0; 256] {
            return Err(WRONG_SUM);
        }
        slots.set(context, &row);
    }
    Ok(slots)
}
