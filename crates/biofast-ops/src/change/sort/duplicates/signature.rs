//! What of a read alone decides about duplicates: its mate adds the rest.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use biofast_bam::{Record, flag};

use super::barcodes;
use super::keys::ClippedEnds;
use super::libraries::DuplicateLibraries;
use super::numbers;
use super::picard;
use super::primary::Primary;
use super::rule::{DuplicateRule, Marking};
use crate::tags::read_group;

/// What a primary record tells, as far as the rule asks for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReadSignature<'r> {
    pub(super) name: &'r [u8],
    pub(super) ends: ClippedEnds,
    /// By the rule's own reckoning.
    pub(super) score: i64,
    /// The hash of its own barcode, if it has one.
    pub(super) barcode: Option<u32>,
    /// Whether it has alignments elsewhere (SA, XA), which are marked with it.
    pub(super) is_split: bool,
    /// By Picard's rule, its library, the barcode that only reads of its number have, the number of its read group, and a hash of
    /// the group's name.
    pub(super) library: u32,
    pub(super) read_barcode: u32,
    pub(super) read_group: u16,
    pub(super) group_hash: u64,
}

impl<'r> ReadSignature<'r> {
    pub(super) fn new(
        record: &Record<'r>,
        primary: &Primary,
        marking: &Marking,
        libraries: &DuplicateLibraries,
    ) -> ReadSignature<'r> {
        let mut signature = ReadSignature {
            name: record.name(),
            ends: ClippedEnds::new(record, primary.position),
            score: i64::from(primary.score),
            barcode: marking.barcode.of(record),
            is_split: marking.supplementary
                && record.tags().any(|tag| matches!(&tag.name, b"SA" | b"XA")),
            ..ReadSignature::default()
        };
        if marking.rule == DuplicateRule::Picard {
            let number = usize::from(picard::is_second(primary.flags));
            let tag = marking.read_barcodes[number];
            signature.score = picard::score(record);
            signature.library = libraries.of(record);
            signature.read_barcode =
                tag.and_then(|tag| barcodes::of_tag(record, tag)).unwrap_or_default();
            signature.read_group = libraries.group_of(record);
            signature.group_hash = hash(&read_group(record));
        }
        signature
    }

    /// Appends it.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let has = [self.is_split, self.barcode.is_some()];
        out.push(has.iter().rev().fold(0, |bits, &has| bits << 1 | u8::from(has)));
        self.ends.write(out);
        out.extend(self.score.to_le_bytes());
        out.extend(self.barcode.into_iter().flat_map(u32::to_le_bytes));
        numbers::write_number(self.library.into(), out);
        numbers::write_number(self.read_group.into(), out);
        numbers::write_number(self.read_barcode.into(), out);
        out.extend(self.group_hash.to_le_bytes());
        out.extend_from_slice(self.name);
    }

    /// What [`write`](Self::write) wrote.
    pub(super) fn read(mut bytes: &'r [u8]) -> ReadSignature<'r> {
        let bits = bytes.split_off_first().copied().unwrap_or_default();
        ReadSignature {
            is_split: bits & 1 != 0,
            ends: ClippedEnds::read(&mut bytes),
            score: numbers::take(&mut bytes).map_or(0, i64::from_le_bytes),
            barcode: (bits & 2 != 0)
                .then(|| numbers::take(&mut bytes).map_or(0, u32::from_le_bytes)),
            library: numbers::read_number(&mut bytes) as u32,
            read_group: numbers::read_number(&mut bytes) as u16,
            read_barcode: numbers::read_number(&mut bytes) as u32,
            group_hash: numbers::take(&mut bytes).map_or(0, u64::from_le_bytes),
            name: bytes,
        }
    }
}

/// A hash that is the same in each run.
pub(super) fn hash(value: &impl std::hash::Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

/// Whether a record is the one that is examined of its read.
pub(super) fn is_examined(flags: u16, marking: &Marking) -> bool {
    let examines_fails = marking.include_fails || marking.rule == DuplicateRule::Picard;
    flags & flag::UNMAPPED == 0 && (examines_fails || flags & flag::QC_FAIL == 0)
}
