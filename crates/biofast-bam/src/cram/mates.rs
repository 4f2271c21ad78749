//! Mates within a slice: what one record says of the other, and the template length (CRAM
//! specification, section 10.4). The sign and the cases without a length are those of
//! htslib 1.16.

use super::record::{CramRecord, MATE_UNMAPPED, REVERSE, UNMAPPED};
use crate::cram::bytes::{Result, bad};

const PAIRED: i32 = 1;
const MATE_REVERSE: i32 = 32;
const FIRST: i32 = 64;

/// Fills in what records say of their mates. Afterwards the last record of a template points to
/// the first.
pub(super) fn resolve(records: &mut [CramRecord]) -> Result<()> {
    let mut chain = Vec::new();
    for first in 0..records.len() {
        if records[first].mate.is_none() {
            detached(&mut records[first]);
            continue;
        }
        if records[first].template_len.is_none() {
            chain.clear();
            let mut at = first;
            loop {
                chain.push(at);
                match records[at].mate {
                    Some(next) if next > at && next < records.len() => at = next,
                    Some(_) => return bad("records that each claim to precede their mate"),
                    None => break,
                }
            }
            records[at].mate = Some(first);
            set_template_len(records, &chain);
        }
        let Some(mate) = records[first].mate else { continue };
        let (flags, start, reference) =
            (records[mate].flags, records[mate].start, records[mate].reference);
        let record = &mut records[first];
        record.mate_start = start;
        record.mate_reference = reference;
        record.flags |= PAIRED;
        if flags & UNMAPPED != 0 {
            record.flags |= MATE_UNMAPPED;
        }
        if (flags | record.flags) & UNMAPPED != 0 {
            record.template_len = Some(0);
        }
        if flags & REVERSE != 0 {
            record.flags |= MATE_REVERSE;
        }
    }
    Ok(())
}

/// A record whose mate's fields are stored, or that has none.
fn detached(record: &mut CramRecord) {
    if record.mate_flags & 1 != 0 {
        record.flags |= PAIRED | MATE_REVERSE;
    }
    if record.mate_flags & 2 != 0 {
        record.flags |= MATE_UNMAPPED;
    }
    if record.flags & PAIRED == 0 {
        record.mate_reference = -1;
    }
    record.template_len.get_or_insert(0);
}

fn set_template_len(records: &mut [CramRecord], chain: &[usize]) {
    let reference = records[chain[0]].reference;
    if chain.iter().any(|&n| records[n].reference != reference) {
        chain.iter().for_each(|&n| records[n].template_len = Some(0));
        return;
    }
    let starts = || chain.iter().map(|&n| records[n].start);
    let left = starts().min().unwrap_or_default();
    let right = chain.iter().map(|&n| records[n].end).max().unwrap_or_default();
    let leftmost = starts().filter(|&n| n == left).count();
    let len = right - left + 1;
    for &n in chain {
        let record = &mut records[n];
        // Of segments that start together, the flags decide which is the left one.
        let is_left = record.start == left && (leftmost == 1 || record.flags & FIRST != 0);
        record.template_len = Some(if is_left { len } else { -len });
    }
}
