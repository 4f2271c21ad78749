//! The libraries of a header's read groups.

use std::collections::BTreeMap;

use biofast_bam::{Header, Record};

use crate::tags::read_group;

/// Libraries by read group: records of several ones are no duplicates of each other.
pub(super) struct DuplicateLibraries {
    by_group: BTreeMap<Vec<u8>, u32>,
    pub(super) names: Vec<String>,
    /// The numbers of read groups in the header.
    numbers: BTreeMap<Vec<u8>, u16>,
}

/// The library of reads that have none.
const UNKNOWN: &str = "Unknown Library";

impl DuplicateLibraries {
    pub(super) fn new(header: &Header) -> DuplicateLibraries {
        let mut libraries = DuplicateLibraries {
            by_group: BTreeMap::new(),
            names: vec![UNKNOWN.to_owned()],
            numbers: BTreeMap::new(),
        };
        for group in header.read_groups() {
            let Some(id) = group.id() else { continue };
            let number = libraries.numbers.len() as u16;
            libraries.numbers.entry(id.to_vec()).or_insert(number);
            let Some(library) = group.field(*b"LB") else { continue };
            let library = String::from_utf8_lossy(library);
            let known = libraries.names.iter().position(|name| *name == library);
            let number = known.unwrap_or_else(|| {
                libraries.names.push(library.into_owned());
                libraries.names.len() - 1
            });
            libraries.by_group.insert(id.to_vec(), number as u32);
        }
        libraries
    }

    /// The number of a record's library; 0 if it isn't known.
    pub(super) fn of(&self, record: &Record<'_>) -> u32 {
        read_group(record).and_then(|group| self.by_group.get(group)).copied().unwrap_or_default()
    }

    /// The number of a record's read group, which is that of the first one where it has none, and another one if the header
    /// doesn't have it.
    pub(super) fn group_of(&self, record: &Record<'_>) -> u16 {
        let unknown = self.numbers.len() as u16;
        read_group(record).map_or(0, |id| self.numbers.get(id).copied().unwrap_or(unknown))
    }
}
