//! Tables of frequencies.

use crate::compact::SymbolSlots;
use crate::counts::{Row, normalize};
use crate::error::Error;
use crate::input::Input;
use crate::rans4x8::format::SLOTS;
use crate::symbols;

/// Turns counts into frequencies and writes them. Without counts, symbol 0 has all.
pub(super) fn put_row(row: &mut Row, out: &mut Vec<u8>) {
    if row.iter().all(|&count| count == 0) {
        row[0] = 1;
    }
    normalize(row, SLOTS as u32 - 1);
    symbols::put(
        |symbol| row[symbol] > 0,
        out,
        |symbol, out| match row[symbol] {
            frequency @ 0..128 => out.push(frequency as u8),
            frequency => out.extend([0x80 | (frequency >> 8) as u8, frequency as u8]),
        },
    );
}

/// Reads a table and hands out the places of its symbols.
pub(super) fn read_row(
    input: &mut Input<'_>,
    mut each: impl FnMut(SymbolSlots),
) -> Result<(), Error> {
    let mut start = 0;
    symbols::read(input, |symbol, input| {
        let mut frequency = u32::from(input.byte()?);
        if frequency >= 128 {
            frequency = (frequency & 0x7f) << 8 | u32::from(input.byte()?);
        }
        // Some writers state all of 2^12 so.
        if frequency == 0 {
            frequency = SLOTS as u32;
        }
        let mut end = start + frequency as usize;
        if end > SLOTS {
            return Err(Error::Invalid("frequencies that add up to more than 4096"));
        }
        if end == SLOTS - 1 {
            end = SLOTS;
        }
        each(SymbolSlots { symbol: symbol as u8, start, frequency, end });
        start += frequency as usize;
        Ok(())
    })?;
    if start < SLOTS - 1 {
        return Err(Error::Invalid("frequencies that add up to less than 4095"));
    }
    Ok(())
}
