//! The keys of Picard's rule: libraries apart, the first bases of reads, and of equal scores what was first on the flow cell.

use std::collections::BTreeMap;

use biofast_bam::{Header, Record, flag};

use super::keys::{self, Ends, Pair};
use super::mates::{LEAST_QUALITY, Primary};

/// The most that the qualities of a read count, and by how much a read that failed the checks of quality counts less.
const HIGHEST_SCORE: i64 = i16::MAX as i64 / 2;
const FAILED: i64 = i16::MIN as i64 / 2;

/// The score of a read: the sum of its qualities, if it has some, up to a limit.
pub(super) fn score(record: &Record<'_>) -> i64 {
    let qualities = record.qualities();
    let sum = match qualities.iter().all(|&quality| quality == u8::MAX) {
        true => 0,
        false => {
            let count =
                |&quality: &u8| if quality >= LEAST_QUALITY { i64::from(quality) } else { 0 };
            qualities.iter().map(count).sum()
        }
    };
    let fails = record.flags() & flag::QC_FAIL != 0;
    i64::min(sum, HIGHEST_SCORE) + if fails { FAILED } else { 0 }
}

/// Libraries by read group: records of several ones are no duplicates of each other.
pub(super) struct Libraries {
    by_group: BTreeMap<Vec<u8>, u32>,
    pub(super) names: Vec<String>,
}

/// The library of reads that have none.
const UNKNOWN: &str = "Unknown Library";

impl Libraries {
    pub(super) fn new(header: &Header) -> Libraries {
        let mut libraries =
            Libraries { by_group: BTreeMap::new(), names: vec![UNKNOWN.to_owned()] };
        for line in header.text().split(|&byte| byte == b'\n') {
            let Some(fields) = line.strip_prefix(b"@RG\t") else { continue };
            let fields = fields.split(|&byte| byte == b'\t' || byte == b'\r');
            let field = |name: &[u8]| fields.clone().find_map(|field| field.strip_prefix(name));
            let (Some(id), Some(library)) = (field(b"ID:"), field(b"LB:")) else { continue };
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
        let group = record.tags().find(|tag| tag.name == *b"RG").and_then(|tag| tag.as_text());
        group.and_then(|group| self.by_group.get(group)).copied().unwrap_or_default()
    }
}

/// Appends where on the flow cell a read was, as its name says: tile and place, of 16 bits each; −1 if it doesn't say.
pub(super) fn write_location(name: &[u8], out: &mut Vec<u8>) {
    for number in location(name).unwrap_or([-1; 3]) {
        // Negative ones first.
        out.extend((number as u16 ^ 1 << 15).to_be_bytes());
    }
}

/// The last three parts of a name with five or seven of them, as far as they are numbers.
fn location(name: &[u8]) -> Option<[i16; 3]> {
    let parts = name.split(|&byte| byte == b':');
    if !matches!(parts.clone().count(), 5 | 7) {
        return None;
    }
    let mut out = [0; 3];
    for (number, part) in out.iter_mut().rev().zip(parts.rev()) {
        let (is_negative, digits) = match part.strip_prefix(b"-") {
            Some(digits) => (true, digits),
            None => (false, part),
        };
        if !digits.first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
        let value = digits.fold(0i32, |value, &digit| {
            value.wrapping_mul(10).wrapping_add(i32::from(digit - b'0'))
        });
        *number = if is_negative { value.wrapping_neg() } else { value } as i16;
    }
    Some(out)
}

/// Whether a read comes before another one of its name in coordinate order, and not only in that of the input.
pub(super) fn is_before(one: &Primary, other: &Primary) -> bool {
    let place = |read: &Primary| (read.reference, read.position, read.flags & flag::REVERSE);
    place(one) < place(other)
}

/// The keys of both reads of a pair. Of two at one place the left one is that which comes first when they are sorted.
pub(super) fn pair(reads: [&Primary; 2], ends: [&Ends; 2]) -> [Pair; 2] {
    let is_reverse = |read: &Primary| read.flags & flag::REVERSE != 0;
    let place = |at: usize| keys::place(reads[at].reference, ends[at].five_prime(reads[at].flags));
    let places = [place(0), place(1)];
    let left = match places[0] == places[1] {
        true => usize::from(is_before(reads[1], reads[0])),
        false => usize::from(places[1] < places[0]),
    };
    let orientation = match (is_reverse(reads[left]), is_reverse(reads[1 - left])) {
        (false, false) => keys::FORWARD_FORWARD,
        (true, true) => keys::REVERSE_REVERSE,
        // Two that begin at one place have no order.
        (true, false) if places[0] != places[1] => keys::REVERSE_FORWARD,
        _ => keys::FORWARD_REVERSE,
    };
    let (left_place, right) = (places[left], places[1 - left]);
    [0, 1].map(|at| Pair { left: left_place, right, orientation, is_left: at == left })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_five_or_seven_parts_says_where_the_read_was() {
        assert_eq!(location(b"a:1:1101:-7:9x"), Some([1101, -7, 9]));
        assert_eq!(location(b"m:1:F:2:1101:70000:3"), Some([1101, 4464, 3]));
        for name in ["", "a", "1:2:3", "m:1:F:2:1101:7:3:ACGT", "m:1:F:2:x:7:3", "m:1:F:2:1:7:"] {
            assert_eq!(location(name.as_bytes()), None, "{name}");
        }
    }
}
