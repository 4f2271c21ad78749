//! Where the records of a slice lie.

use crate::record::Record;

/// Where the records of a reference lie in a slice, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) reference: i32,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) records: usize,
}

/// Where the records of each reference lie.
pub(super) fn of(records: &[Record<'_>], ends: &[i64]) -> Vec<Extent> {
    let mut extents: Vec<Extent> = Vec::new();
    for (record, &end) in records.iter().zip(ends) {
        let reference = record.reference_id();
        // A read may have a reference and no position on it.
        let start = (i64::from(record.position()) + 1).max(1);
        let found = match extents.last().is_some_and(|last| last.reference == reference) {
            true => Ok(extents.len() - 1),
            // Without a reference comes last.
            false => {
                extents.binary_search_by_key(&(reference as u32), |extent| extent.reference as u32)
            }
        };
        match found {
            Ok(at) => {
                let extent = &mut extents[at];
                extent.start = extent.start.min(start);
                extent.end = extent.end.max(end);
                extent.records += 1;
            }
            Err(at) => extents.insert(at, Extent { reference, start, end, records: 1 }),
        }
    }
    extents
}
