//! Which records of a slice are stored as mates of one another: those of which a reader derives all that they say of their mates
//! (CRAM specification, section 10.4).

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::flag::{
    MATE_REVERSE, MATE_UNMAPPED, PAIRED, READ1, READ2, REVERSE, SECONDARY, SUPPLEMENTARY, UNMAPPED,
};
use crate::record::Record;

/// How a record's mate is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mate {
    /// By fields of its own.
    Detached,
    /// It is so many records further on, and one more.
    Downstream(u32),
    /// It is a record before, which says so.
    Upstream,
}

/// The mates of the records; `end_of` gives the last position of each, counted from 1.
pub(super) fn find(records: &[Record<'_>], end_of: impl Fn(usize) -> i64) -> Vec<Mate> {
    let mut mates = vec![Mate::Detached; records.len()];
    let mut waiting: HashMap<&[u8], usize> = HashMap::new();
    for (at, record) in records.iter().enumerate() {
        if record.flags() & (PAIRED | SECONDARY | SUPPLEMENTARY) != PAIRED {
            continue;
        }
        let Some(first) = waiting.remove(record.name()) else {
            waiting.insert(record.name(), at);
            continue;
        };
        if are_derived((&records[first], end_of(first)), (record, end_of(at))) {
            // There are fewer than 2^31 records in a slice.
            mates[first] = Mate::Downstream((at - first - 1) as u32);
            mates[at] = Mate::Upstream;
        }
    }
    mates
}

/// Whether what two records say of each other is what every reader derives.
fn are_derived((a, a_end): (&Record<'_>, i64), (b, b_end): (&Record<'_>, i64)) -> bool {
    let ends = |record: &Record<'_>| record.flags() & (READ1 | READ2);
    let is_first_and_last = matches!((ends(a), ends(b)), (READ1, READ2) | (READ2, READ1));
    is_first_and_last && tells_of(a, b) && tells_of(b, a) && {
        let lens = (i64::from(a.template_len()), i64::from(b.template_len()));
        let is_apart = a.reference_id() != b.reference_id();
        if is_apart || (a.flags() | b.flags()) & UNMAPPED != 0 {
            return lens == (0, 0);
        }
        let (a_start, b_start) = (i64::from(a.position()) + 1, i64::from(b.position()) + 1);
        let len = a_end.max(b_end) - a_start.min(b_start) + 1;
        // Of reads that start together readers differ in which is the left one; and htsjdk goes by the 5' ends.
        let of_a = match a_start.cmp(&b_start) {
            Ordering::Less => len,
            Ordering::Greater => -len,
            Ordering::Equal => return false,
        };
        let five_prime = |record: &Record<'_>, start: i64, end: i64| {
            if record.flags() & REVERSE != 0 { end } else { start }
        };
        let distance = five_prime(b, b_start, b_end) - five_prime(a, a_start, a_end);
        lens == (of_a, -of_a) && of_a == distance + if distance < 0 { -1 } else { 1 }
    }
}

/// Whether `record` says of its mate what is so.
fn tells_of(record: &Record<'_>, mate: &Record<'_>) -> bool {
    let has = |own: u16, of_mate: u16| (record.flags() & own != 0) == (mate.flags() & of_mate != 0);
    record.mate_reference_id() == mate.reference_id()
        && record.mate_position() == mate.position()
        && has(MATE_UNMAPPED, UNMAPPED)
        && has(MATE_REVERSE, REVERSE)
}
