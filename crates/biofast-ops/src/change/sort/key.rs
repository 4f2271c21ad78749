//! By what records are sorted: keys that compare as bytes.

use std::borrow::Cow;
use std::fmt;

use biofast_bam::{Error, Header, Record, Value, flag};

use super::template::{LibraryRanks, template};

/// A sort order. Ties keep the order of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By reference in the order of the header, those without one last, then by position and strand, forward first. As
    /// `samtools sort`.
    #[default]
    Coordinate,
    /// By name, in which runs of digits count as numbers, then records that are neither first nor second read, first reads
    /// and second reads, and of each primary, supplementary and secondary records. As `samtools sort -n` since 1.20.
    NaturalName,
    /// The same with names compared byte by byte. As `samtools sort -N`.
    LexicographicName,
    /// By the value of an optional field, then by coordinate: records without it first, then characters and text, then
    /// numbers. As `samtools sort -t`.
    Tag([u8; 2]),
    /// The same, then by name, as `samtools sort -n -t`.
    TagAndName([u8; 2]),
    /// By the 5' ends of both reads of a template before soft clipping, the earlier one first, then by strands, library, cell (CB), molecule
    /// (MI) and name: what belongs to one molecule stands together. As `samtools sort --template-coordinate` since 1.24; paired reads need
    /// their mate's CIGAR (MC).
    TemplateCoordinate,
    /// By a hash of the name, which brings the records of a name together and shuffles the names. As `samtools collate`.
    NameHash,
}

impl Order {
    /// The fields `SO` and `SS` of the header's `@HD` line for this order.
    pub fn header_fields(self) -> (&'static str, Option<Cow<'static, str>>) {
        let by_tag = |[a, b]: [u8; 2], then| {
            let sub_order = format!("unsorted:{}{}:{then}", char::from(a), char::from(b));
            ("unsorted", Some(sub_order.into()))
        };
        match self {
            Order::Coordinate => ("coordinate", None),
            Order::NaturalName => ("queryname", Some("queryname:natural".into())),
            Order::LexicographicName => ("queryname", Some("queryname:lexicographical".into())),
            Order::Tag(tag) => by_tag(tag, "coordinate"),
            Order::TagAndName(tag) => by_tag(tag, "queryname:natural"),
            Order::TemplateCoordinate => ("unsorted", Some("unsorted:template-coordinate".into())),
            Order::NameHash => ("unsorted", None),
        }
    }

    /// The header of records in this order.
    #[must_use]
    pub fn header(self, header: &Header) -> Header {
        let (order, sub_order) = self.header_fields();
        let sub_order = sub_order.as_deref();
        match self {
            // Reads of one template stand together.
            Order::TemplateCoordinate | Order::NameHash => {
                header.with_grouping(order, "query", sub_order)
            }
            _ => header.with_sort_order(order, sub_order),
        }
    }

    /// What of a key is in order wherever records are sorted so: programs differ in how they sort strands at one position, and the
    /// reads of one name.
    pub(in crate::change) fn loosely(self, key: &[u8]) -> (&[u8], u8) {
        let Some((&last, rest)) = key.split_last() else { return (key, 0) };
        match self {
            // The last bit is the strand.
            Order::Coordinate | Order::Tag(_) => (rest, last & !1),
            // The last byte is the number of the read.
            Order::NaturalName
            | Order::LexicographicName
            | Order::TagAndName(_)
            | Order::NameHash => (rest, 0),
            Order::TemplateCoordinate => (rest, last),
        }
    }

    /// Whether the first eight bytes are all of a key.
    pub(in crate::change) fn is_short(self) -> bool {
        self == Order::Coordinate
    }

    /// Appends the key of a record.
    ///
    /// # Errors
    /// If an optional field that is part of it can't be read.
    pub(in crate::change) fn key(
        self,
        record: &Record<'_>,
        libraries: &LibraryRanks,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        match self {
            Order::Coordinate => out.extend(coordinate(record).to_be_bytes()),
            Order::NaturalName => natural_name(record, out),
            Order::LexicographicName => {
                out.extend_from_slice(record.name());
                end_name(record, out);
            }
            Order::Tag(tag) => {
                value(record.tag(&tag)?, out);
                out.extend(coordinate(record).to_be_bytes());
            }
            Order::TagAndName(tag) => {
                value(record.tag(&tag)?, out);
                natural_name(record, out);
            }
            Order::TemplateCoordinate => template(record, libraries, out)?,
            Order::NameHash => {
                let hash = hash_of_name(record.name());
                out.push((hash % SHUFFLED_FILES) as u8);
                out.extend(hash.to_be_bytes());
                out.extend_from_slice(record.name());
                // What is secondary keeps its place.
                out.extend([0, (record.flags() >> 6 & 3) as u8]);
            }
        }
        Ok(())
    }
}

impl fmt::Display for Order {
    /// What records are sorted by: `not sorted by {order}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tag = |f: &mut fmt::Formatter<'_>, [a, b]: [u8; 2], then| {
            write!(f, "the field {}{}, then by {then}", char::from(a), char::from(b))
        };
        match *self {
            Order::Coordinate => f.write_str("coordinate"),
            Order::NaturalName => f.write_str("name (with digits as numbers)"),
            Order::LexicographicName => f.write_str("name (byte by byte)"),
            Order::Tag(name) => tag(f, name, "coordinate"),
            Order::TagAndName(name) => tag(f, name, "name"),
            Order::TemplateCoordinate => f.write_str("template coordinate"),
            Order::NameHash => f.write_str("a hash of the name"),
        }
    }
}

fn coordinate(record: &Record<'_>) -> u64 {
    coordinate_of(record.as_bytes())
}

/// Reference, position and strand of a record's bytes in one number: 31, 32 and 1 bits. (SAMv1, 4.2: they are at the bytes
/// 0, 4 and, in the flags, 14.)
#[inline]
pub(super) fn coordinate_of(record: &[u8]) -> u64 {
    let word = |at: usize| {
        i32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]])
    };
    let flags = u16::from_le_bytes([record[14], record[15]]);
    let reference = u64::try_from(word(0)).unwrap_or(i32::MAX as u64);
    // From −1 on.
    let position = (i64::from(word(4)) + 1) as u64;
    reference << 33 | position << 1 | u64::from(flags & flag::REVERSE != 0)
}

/// A name so that bytes compare as numbers do: of each run of digits a digit, their number without leading zeros, and they
/// themselves. Names are shorter than 255 bytes, and nothing in them is below `!`.
fn natural_name(record: &Record<'_>, out: &mut Vec<u8>) {
    let mut rest = record.name();
    while let Some((&first, more)) = rest.split_first() {
        if !first.is_ascii_digit() {
            out.push(first);
            rest = more;
            continue;
        }
        let len = rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(len);
        let zeros = digits.iter().position(|&b| b != b'0').unwrap_or(len);
        out.extend([b'0', (len - zeros) as u8]);
        out.extend_from_slice(&digits[zeros..]);
        rest = after;
    }
    end_name(record, out);
}

/// Temporary files of `samtools collate`, to which names are given by their hash.
const SHUFFLED_FILES: u32 = 64;

/// The hash of `samtools collate`: each character added to 31 times those before it, mixed as by Thomas Wang.
fn hash_of_name(name: &[u8]) -> u32 {
    let sum = |sum: u32, byte: &u8| sum.wrapping_mul(31).wrapping_add(u32::from(*byte));
    let mut hash = name.iter().fold(0, sum);
    hash = hash.wrapping_add(!(hash << 15));
    hash ^= hash >> 10;
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 6;
    hash = hash.wrapping_add(!(hash << 11));
    hash ^ hash >> 16
}

/// The end of a name, before all that may go on, which read of the template this is, and whether it is a primary, supplementary or
/// secondary record of it.
fn end_name(record: &Record<'_>, out: &mut Vec<u8>) {
    let flags = record.flags();
    let is = |flag| u8::from(flags & flag != 0);
    let read = (flags >> 6 & 3) as u8;
    out.extend([0, read << 2 | is(flag::SECONDARY) << 1 | is(flag::SUPPLEMENTARY)]);
}

/// The value of an optional field: its class, and bytes that compare as it does.
fn value(value: Option<Value<'_>>, out: &mut Vec<u8>) {
    let text = |out: &mut Vec<u8>, text: &[u8]| {
        out.push(2);
        out.extend_from_slice(text);
        out.push(0);
    };
    let number = match value {
        None => return out.push(0),
        Some(Value::Character(character)) => {
            return out.extend([1, character]);
        }
        Some(Value::Text(bytes) | Value::Hex(bytes)) => return text(out, bytes),
        Some(Value::Float(number)) => f64::from(number),
        Some(Value::Double(number)) => number,
        Some(Value::I8(number)) => f64::from(number),
        Some(Value::U8(number)) => f64::from(number),
        Some(Value::I16(number)) => f64::from(number),
        Some(Value::U16(number)) => f64::from(number),
        Some(Value::I32(number)) => f64::from(number),
        Some(Value::U32(number)) => f64::from(number),
        // Arrays.
        Some(_) => return out.push(4),
    };
    // In the order of `f64::total_cmp`; zero has one sign.
    let bits = (number + 0.0).to_bits();
    let ordered = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
    out.push(3);
    out.extend(ordered.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use biofast_bam::{Header, RecordBuf};

    use super::*;

    fn key(order: Order, record: &RecordBuf) -> Vec<u8> {
        let (mut bytes, mut key) = (Vec::new(), Vec::new());
        let record = record.write_bam(&Header::default(), &mut bytes).unwrap();
        order.key(&record, &LibraryRanks::default(), &mut key).unwrap();
        key
    }

    #[test]
    fn digits_in_names_are_numbers() {
        let compare = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|name| {
                let record = RecordBuf::unmapped(name).build().unwrap();
                key(Order::NaturalName, &record)
            });
            one.cmp(&other)
        };
        let rising = [
            "!", "0", "1", "1a", "2", "10", "10:9", "10:10", ":", "a", "a-", "a0", "a0a", "a1",
            "a01b", "aa",
        ];
        for (at, one) in rising.iter().enumerate() {
            for other in &rising[at + 1..] {
                assert_eq!(compare(one, other), Ordering::Less, "{one} {other}");
            }
        }
        for (one, other) in [("01", "1"), ("a00", "a0"), ("x007y", "x07y")] {
            assert_eq!(compare(one, other), Ordering::Equal, "{one} {other}");
        }
        assert_eq!(compare("x07a", "x007y"), Ordering::Less);
    }

    #[test]
    fn numbers_compare_across_their_types() {
        let mut record = RecordBuf::unmapped("r").build().unwrap();
        let mut last = key(Order::Tag(*b"XX"), &record);
        for value in [
            Value::Character(b'z'),
            Value::Text(b"a"),
            Value::Text(b"ab"),
            Value::Float(-1e9),
            Value::I8(-3),
            Value::Float(-0.5),
            Value::U8(0),
            Value::Float(0.25),
            Value::U16(300),
            Value::U32(u32::MAX),
        ] {
            record.set_tag(b"XX", value).unwrap();
            let next = key(Order::Tag(*b"XX"), &record);
            assert!(last < next, "{value:?}");
            last = next;
        }
    }
}
