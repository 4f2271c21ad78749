//! Tables of frequencies: a list of symbols, then their frequencies, which add up to a power of two that may be smaller than what
//! states work with.

use crate::counts::{Row, normalize};
use crate::error::Error;
use crate::input::{Input, put_uint7};
use crate::nx16::format::BITS;
use crate::symbols;

/// Turns counts, of which one isn't 0, into frequencies and writes them.
pub(super) fn put_row(row: &mut Row, out: &mut Vec<u8>) {
    let sum: u32 = row.iter().sum();
    normalize(row, sum.next_power_of_two().min(1 << BITS));
    symbols::put(|symbol| row[symbol] > 0, out, |_, _| {});
    row.iter().filter(|f| **f > 0).for_each(|&frequency| put_uint7(out, frequency));
    scale(row, BITS);
}

/// Reads such a table.
pub(super) fn read_row(input: &mut Input<'_>) -> Result<Row, Error> {
    let mut row = [0; 256];
    let mut list = Vec::with_capacity(256);
    symbols::read(input, |symbol, _| {
        list.push(symbol);
        Ok(())
    })?;
    for symbol in list {
        row[symbol] = input.uint7()?;
    }
    if !scale(&mut row, BITS) {
        return Err(WRONG_SUM);
    }
    Ok(row)
}

pub(super) const WRONG_SUM: Error =
    Error::Invalid("frequencies that don't add up to a power of two");

/// Makes frequencies add up to 2^`bits`. False if their sum isn't a power of two up to that.
pub(super) fn scale(row: &mut [u32], bits: u32) -> bool {
    let sum: u64 = row.iter().map(|&frequency| u64::from(frequency)).sum();
    if !sum.is_power_of_two() || sum > 1 << bits {
        return false;
    }
    let shift = bits - sum.ilog2();
    row.iter_mut().for_each(|frequency| *frequency <<= shift);
    true
}
