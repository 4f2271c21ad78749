//! The second reading: first reads in their order, each with its mate.

use biofast_io::Options;

use super::apart::MateSpill;
use super::find::PairingMap;
use super::source::RepairInput;
use super::stream::{MateStream, RepairWriters, SecondReads};
use super::totals::RepairTotals;
use crate::Error;
use crate::change::spill::SpillLimits;

/// What was written.
pub(super) struct Woven {
    pub(super) writers: RepairWriters,
    pub(super) totals: RepairTotals,
    /// Second reads that waited.
    pub(super) moved: u64,
    /// Bytes in temporary files.
    pub(super) stored: u64,
}

/// Writes all.
pub(super) fn weave(
    kept: &[RepairInput],
    options: &[Options; 2],
    limits: &SpillLimits,
    found: &PairingMap,
    mut writers: RepairWriters,
) -> Result<Woven, Error> {
    let mut firsts = MateStream::open(kept, options, found, 0)?;
    let mut seconds = MateStream::open(kept, options, found, 1)?;
    let mut totals = RepairTotals::default();
    let mut waiting = SecondReads::new();
    let mut apart = None;
    'firsts: while let Some(first) = firsts.next(&mut writers, &mut totals)? {
        if let Some(text) = waiting.take(first.name) {
            writers.pair(first.text, &text)?;
            continue;
        }
        loop {
            let Some(second) = seconds.next(&mut writers, &mut totals)? else {
                return Err(seconds.changed());
            };
            if second.name == first.name {
                writers.pair(first.text, second.text)?;
                break;
            }
            waiting.add(&second);
            if waiting.is_too_much(limits.memory) {
                let mut parts = MateSpill::create(limits)?;
                parts.add_first(&first)?;
                apart = Some(parts);
                break 'firsts;
            }
        }
    }
    let moved;
    let mut stored = 0;
    if let Some(mut apart) = apart {
        while let Some(first) = firsts.next(&mut writers, &mut totals)? {
            apart.add_first(&first)?;
        }
        moved = apart.add_seconds(&mut waiting, &mut seconds, &mut writers, &mut totals)?;
        stored = apart.write(limits, &mut writers, &seconds)?;
    } else {
        // What is left has no mates.
        if seconds.next(&mut writers, &mut totals)?.is_some() || waiting.cost > 0 {
            return Err(seconds.changed());
        }
        moved = waiting.moved;
    }
    Ok(Woven { writers, totals, moved, stored })
}
