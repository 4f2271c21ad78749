//! The order of templates: by where both of their reads begin, before clipping, so that what is of one molecule stands together.

use std::collections::{BTreeSet, HashMap};

use biofast_bam::{Error, ErrorKind, Header, Record, Value, flag};
use biofast_io::{Location, Shown};

/// The libraries of read groups, as their ranks among all of them by name; 0 is none.
#[derive(Clone, Default)]
pub(in crate::change) struct LibraryRanks(Option<HashMap<Vec<u8>, u32>>);

impl LibraryRanks {
    pub(super) const fn none() -> LibraryRanks {
        LibraryRanks(None)
    }

    /// Those of a header.
    pub(in crate::change) fn of(header: &Header) -> LibraryRanks {
        let ids = header.read_groups().filter_map(|group| group.id());
        let groups: Vec<(&[u8], &[u8])> =
            ids.filter_map(|id| Some((id, header.library(id)?))).collect();
        let names: BTreeSet<&[u8]> = groups.iter().map(|(_, library)| *library).collect();
        let ranks: HashMap<&[u8], u32> = names.into_iter().zip(1..).collect();
        LibraryRanks(Some(groups.iter().map(|(id, name)| (id.to_vec(), ranks[name])).collect()))
    }

    pub(in crate::change) fn rank(&self, group: Option<&[u8]>) -> u32 {
        let rank = |group| self.0.as_ref()?.get(group).copied();
        group.and_then(rank).unwrap_or(0)
    }
}

/// An end of a template: reference, position and whether the read is reverse. A read without a place comes last.
type End = (i32, i64, bool);

const NOWHERE: End = (i32::MAX, i64::MAX, false);

/// Appends the key of a record: references, positions and strands of both ends, the earlier first, library, cell, molecule, name,
/// and whether the read is the later end.
///
/// # Errors
/// If the mate's CIGAR isn't there, or the optional fields can't be read.
pub(super) fn template(
    record: &Record<'_>,
    libraries: &LibraryRanks,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let flags = record.flags();
    let (mut one, mut other) = (NOWHERE, NOWHERE);
    if flags & flag::UNMAPPED == 0 {
        one = own_end(record);
    }
    if flags & flag::PAIRED != 0 && flags & flag::MATE_UNMAPPED == 0 {
        let Some(Value::Text(cigar)) = record.tag(b"MC")? else {
            let kind = ErrorKind::BadTags {
                name: Shown(record.name()).to_string(),
                reason: "the mate is mapped but its CIGAR (MC) is missing, which template-coordinate order needs; add it with `samtools fixmate -m`",
            };
            return Err(Error::new(kind, Location::default()));
        };
        other = mate_end(record, cigar);
    }
    let is_before =
        (one.0, one.1) < (other.0, other.1) || ((one.0, one.1) == (other.0, other.1) && !one.2);
    if !is_before {
        std::mem::swap(&mut one, &mut other);
    }
    for (reference, ..) in [one, other] {
        out.extend((reference as u32 ^ 1 << 31).to_be_bytes());
    }
    for (_, position, _) in [one, other] {
        out.extend((position as u64 ^ 1 << 63).to_be_bytes());
    }
    // Reverse comes first.
    out.push(u8::from(!one.2) << 1 | u8::from(!other.2));
    let text = |value| match value {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    };
    out.extend(libraries.rank(text(record.tag(b"RG")?)).to_be_bytes());
    out.extend_from_slice(text(record.tag(b"CB")?).unwrap_or_default());
    out.push(0);
    let molecule = match text(record.tag(b"MI")?).unwrap_or_default() {
        // The strand of a duplex.
        [molecule @ .., b'/', _] => molecule,
        molecule => molecule,
    };
    out.extend_from_slice(molecule);
    out.push(0);
    out.extend_from_slice(record.name());
    out.extend([0, u8::from(!is_before)]);
    Ok(())
}

/// Where the read begins, with the bases that are soft-clipped there; counted from 1, as its last base if it is reverse.
fn own_end(record: &Record<'_>) -> End {
    // What is clipped in front, and behind what is not.
    let (mut before, mut behind, mut is_inside) = (0, 0, false);
    for word in record.cigar().words() {
        let len = i64::from(word >> 4);
        match word & 15 {
            4 => {
                before += if is_inside { 0 } else { len };
                behind += len;
            }
            5 => {}
            _ => (is_inside, behind) = (true, 0),
        }
    }
    let is_reverse = record.flags() & flag::REVERSE != 0;
    let position = match is_reverse {
        true => record.alignment_end() + behind,
        false => i64::from(record.position()) + 1 - before,
    };
    (record.reference_id(), position, is_reverse)
}

/// The same of the mate, whose CIGAR is text. What is malformed in it is read as samtools does.
fn mate_end(record: &Record<'_>, cigar: &[u8]) -> End {
    let (mut before, mut covered) = (0i64, 0i64);
    let (mut is_inside, mut has_begun) = (false, false);
    let mut number = None;
    for &byte in cigar.iter().take_while(|&&b| b != b'*') {
        if byte.is_ascii_digit() {
            let digit = i64::from(byte - b'0');
            number = Some(number.unwrap_or(0i64).saturating_mul(10).saturating_add(digit));
            continue;
        }
        let len = number.take().unwrap_or(1).min(1 << 40);
        match byte {
            b'S' => {
                before += if has_begun { 0 } else { len };
                covered += if is_inside { len } else { 0 };
            }
            b'H' => {}
            b'M' | b'D' | b'N' | b'=' | b'X' => {
                covered += len;
                (is_inside, has_begun) = (true, true);
            }
            _ => has_begun = true,
        }
    }
    let is_reverse = record.flags() & flag::MATE_REVERSE != 0;
    let position = i64::from(record.mate_position());
    let position = if is_reverse { position + covered } else { position + 1 - before };
    (record.mate_reference_id(), position, is_reverse)
}
