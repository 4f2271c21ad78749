//! The decoder for where the fast loop may not run: one table entry at a time, every access checked.

use crate::entry::{Special, SymbolEntry};
use crate::fault::FaultKind;
use crate::lane::Lane;
use crate::map::Match;
use crate::tables::{DISTANCE_START, Tables};

/// Why [`decode`] stopped.
pub(crate) enum Stop {
    /// The fast loop may run (again).
    Margins,
    /// The DEFLATE block has ended.
    EndOfBlock,
}

/// The lowest `n` bits, `n` below 64.
#[inline(always)]
fn low(bits: u64, n: u32) -> usize {
    (bits & ((1 << n) - 1)) as usize
}

/// Decodes at least one entry, then on until the fast loop may run or the block ends.
///
/// # Errors
/// Any fault of the codes.
#[inline(always)]
pub(crate) fn decode<const MAPPED: bool>(
    lane: &mut Lane<'_>,
    tables: &Tables,
) -> Result<Stop, FaultKind> {
    loop {
        let bits = lane.bits.peek();
        let mut entry = tables.symbols[low(bits, tables.bits)];
        if let Some(Special::Subtable { offset, bits: width }) = entry.special() {
            entry = tables.symbols[offset + low(bits >> tables.bits, width)];
        }
        lane.bits.at += entry.bits() as usize;
        // Subtables don't nest.
        if entry.special().is_some() {
            lane.bits.check()?;
            return Ok(Stop::EndOfBlock);
        }
        // Before there is room looked for: zeros past the end may well be literals.
        lane.bits.check()?;
        put_literals(lane, entry)?;
        if entry.distance_bits() != 0 {
            let length = entry.base() + (low(bits, entry.bits()) >> entry.code_bits());
            let distance = take_distance(lane, tables);
            lane.bits.check()?;
            let at = lane.at;
            copy_match(lane, distance, length)?;
            if MAPPED && let Some(map) = &mut lane.map {
                map.push(Match::new(lane.bits.at as u64, length as u64, at, distance as u64));
            }
        }
        lane.bits.check()?;
        if lane.has_margins() {
            return Ok(Stop::Margins);
        }
    }
}

#[inline(always)]
fn put_literals(lane: &mut Lane<'_>, entry: SymbolEntry) -> Result<(), FaultKind> {
    let (count, literals) = (entry.count(), entry.literals());
    let room = lane.output.get_mut(lane.at..lane.at + count).ok_or(FaultKind::TooLong)?;
    for (place, literal) in room.iter_mut().zip(literals) {
        *place = literal;
    }
    lane.at += count;
    Ok(())
}

#[inline(always)]
fn take_distance(lane: &mut Lane<'_>, tables: &Tables) -> usize {
    let bits = lane.bits.peek();
    let table = &tables.distances[DISTANCE_START..];
    let mut entry = table[low(bits, DISTANCE_START as u32)];
    if entry.is_subtable() {
        entry = table[entry.offset() + low(bits >> DISTANCE_START, entry.bits())];
    }
    lane.bits.at += entry.bits() as usize;
    entry.base() + (low(bits, entry.bits()) >> entry.code_bits())
}

#[inline(always)]
fn copy_match(lane: &mut Lane<'_>, distance: usize, length: usize) -> Result<(), FaultKind> {
    let start = lane.at.checked_sub(distance).ok_or(FaultKind::Distance)?;
    let end = lane.at + length;
    if end > lane.output.len() {
        return Err(FaultKind::TooLong);
    }
    if length <= distance {
        lane.output.copy_within(start..start + length, lane.at);
    } else {
        for to in lane.at..end {
            lane.output[to] = lane.output[to - distance];
        }
    }
    lane.at = end;
    Ok(())
}
