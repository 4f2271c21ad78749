//! Where templates begin and end: those of one place may be of one molecule.

use biofast_bam::{Record, flag};

use crate::change::sort::template::LibraryRanks;

/// An end of a template: reference, the 5′ position of the read with all clipped bases, counted from 1, and whether it is reverse.
pub(super) type PlaceEnd = (i32, i64, bool);

/// The end that isn't there.
const NONE: PlaceEnd = (i32::MAX, i64::MAX, true);

/// What templates of one molecule have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TemplatePlace<'r> {
    ends: [PlaceEnd; 2],
    library: u32,
    cell: &'r [u8],
}

/// What the place of a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordPlace<'r> {
    /// It isn't looked at: secondary and supplementary records, and mapped ones without CIGAR.
    Skipped,
    /// No read of its template is mapped.
    Unmapped(TemplatePlace<'r>),
    /// The mate is mapped, but its CIGAR isn't there.
    NoMateCigar,
    /// A place on the reference.
    Mapped(TemplatePlace<'r>),
}

impl<'r> RecordPlace<'r> {
    pub(super) fn of(record: &Record<'r>, libraries: &LibraryRanks) -> RecordPlace<'r> {
        let flags = record.flags();
        if flags & (flag::SECONDARY | flag::SUPPLEMENTARY) != 0 {
            return RecordPlace::Skipped;
        }
        let is_mapped = flags & flag::UNMAPPED == 0;
        if is_mapped && record.cigar().is_empty() {
            return RecordPlace::Skipped;
        }
        let has_mate = flags & flag::PAIRED != 0 && flags & flag::MATE_UNMAPPED == 0;
        let (mut group, mut cell, mut mate_cigar) = (None, &b""[..], None);
        for tag in record.tags() {
            match &tag.name {
                b"RG" => group = tag.as_text(),
                b"CB" => cell = tag.as_text().unwrap_or_default(),
                b"MC" if has_mate => mate_cigar = tag.as_text(),
                _ => {}
            }
        }
        let library = libraries.rank(group);
        let own = is_mapped.then(|| own_end(record));
        let mate = mate_cigar.map(|cigar| mate_end(record, cigar));
        if has_mate && mate.is_none() && is_mapped {
            return RecordPlace::NoMateCigar;
        }
        let place = |one: PlaceEnd, other: PlaceEnd| {
            let ends = if one <= other { [one, other] } else { [other, one] };
            TemplatePlace { ends, library, cell }
        };
        match (own, mate) {
            (Some(one), Some(other)) => RecordPlace::Mapped(place(one, other)),
            (Some(end), None) | (None, Some(end)) => RecordPlace::Mapped(place(end, NONE)),
            (None, None) => {
                let end = (record.reference_id(), 0, flags & flag::REVERSE != 0);
                RecordPlace::Unmapped(place(end, NONE))
            }
        }
    }
}

/// Whether a record belongs with the one before it: they have the same name or place. Records that say nothing of their place belong
/// with both neighbors.
pub(super) fn are_together(
    one: &Record<'_>,
    other: &Record<'_>,
    libraries: &LibraryRanks,
    allow_unmapped: bool,
) -> bool {
    use RecordPlace::{Mapped, NoMateCigar, Skipped, Unmapped};
    if one.name() == other.name() {
        return true;
    }
    match (RecordPlace::of(one, libraries), RecordPlace::of(other, libraries)) {
        (Mapped(one), Mapped(other)) => one == other,
        (Unmapped(one), Unmapped(other)) => allow_unmapped && one == other,
        (Unmapped(_), _) | (_, Unmapped(_)) => false,
        // Long runs of them are nothing that has to be kept.
        (Skipped, Skipped) => false,
        (Skipped | NoMateCigar, _) | (_, Skipped | NoMateCigar) => true,
    }
}

/// Where a mapped read begins.
pub(super) fn own_end(record: &Record<'_>) -> PlaceEnd {
    let is_reverse = record.flags() & flag::REVERSE != 0;
    let cigar = record.cigar();
    let (mut before, mut behind, mut covered, mut is_inside) = (0, 0, 0, false);
    for word in cigar.words() {
        let len = i64::from(word >> 4);
        match word & 15 {
            4 | 5 if !is_inside => before += len,
            4 | 5 => behind += len,
            _ => {
                covered += if is_covering(word) { len } else { 0 };
                (is_inside, behind) = (true, 0);
            }
        }
    }
    let position = i64::from(record.position());
    let position = if is_reverse { position + covered + behind } else { position + 1 - before };
    (record.reference_id(), position, is_reverse)
}

fn is_covering(word: u32) -> bool {
    matches!(word & 15, 0 | 2 | 3 | 7 | 8)
}

/// Where the mate begins, by its CIGAR as text.
fn mate_end(record: &Record<'_>, cigar: &[u8]) -> PlaceEnd {
    let is_reverse = record.flags() & flag::MATE_REVERSE != 0;
    let (mut before, mut behind, mut covered) = (0i64, 0i64, 0i64);
    let (mut len, mut is_inside) = (0i64, false);
    for byte in cigar {
        match byte {
            b'0'..=b'9' => {
                len = len.saturating_mul(10).saturating_add(i64::from(byte - b'0')).min(1 << 40);
                continue;
            }
            b'S' | b'H' if !is_inside => before += len,
            b'S' | b'H' => behind += len,
            _ => {
                if matches!(byte, b'M' | b'D' | b'N' | b'=' | b'X') {
                    covered += len;
                }
                (is_inside, behind) = (true, 0);
            }
        }
        len = 0;
    }
    let position = i64::from(record.mate_position());
    let position = if is_reverse { position + covered + behind } else { position + 1 - before };
    (record.mate_reference_id(), position, is_reverse)
}
