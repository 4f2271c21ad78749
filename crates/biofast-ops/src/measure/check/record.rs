//! The rules of one alignment record. Its length fields and reference indices were checked when
//! it was framed.

use biofast_bam::{Record, Tag, flag};
use biofast_io::Shown;

use super::Rule;
use super::doubts::{Doubt, Doubts};
use super::header::Facts;

/// What is wrong with a record.
pub(super) type Finding = (Rule, String);

/// The highest quality: what '~' stands for.
const MAX_QUALITY: u8 = 93;
/// Everything about a mate, and the place in the template.
const MATE_FLAGS: u16 =
    flag::PROPER_PAIR | flag::MATE_UNMAPPED | flag::MATE_REVERSE | flag::READ1 | flag::READ2;
const KNOWN_FLAGS: u16 = 0xfff;

/// The rules, and what is remembered from record to record.
#[derive(Default)]
pub(super) struct Rules {
    /// The read group looked up last, which the header has.
    read_group: Vec<u8>,
    /// The names of the record's optional fields.
    tags: Vec<[u8; 2]>,
}

impl Rules {
    /// Checks record `number`.
    pub(super) fn check(
        &mut self,
        record: &Record<'_>,
        number: u64,
        facts: &Facts,
        doubts: &mut Doubts,
    ) -> Result<(), Finding> {
        let mut doubt = |doubt| doubts.add(doubt, number);
        check_name(record.name(), &mut doubt)?;
        check_flags(record, &mut doubt);
        check_cigar_and_place(record, facts, &mut doubt)?;
        check_mate(record, facts, &mut doubt)?;
        check_qualities(record.qualities())?;
        self.check_tags(record, facts, &mut doubt)
    }

    /// Sections 1.5 and 4.2.4.
    fn check_tags(
        &mut self,
        record: &Record<'_>,
        facts: &Facts,
        doubt: &mut impl FnMut(Doubt),
    ) -> Result<(), Finding> {
        let mut fields = record.tags();
        // A bit for each name, of 64: a set bit calls for a look at the names themselves.
        let mut seen = 0u64;
        let mut has_modifications = false;
        self.tags.clear();
        for tag in fields.by_ref() {
            let [a, b] = tag.name;
            if !a.is_ascii_alphabetic() || !b.is_ascii_alphanumeric() {
                return bad_tag("expected a name of a letter and a letter or digit", &tag);
            }
            let bit = 1 << ((a ^ b.wrapping_mul(7)) & 63);
            if seen & bit != 0 && self.tags.contains(&tag.name) {
                return bad_tag("it occurs twice, and each may occur once", &tag);
            }
            seen |= bit;
            self.tags.push(tag.name);
            check_value(&tag)?;
            has_modifications |= matches!(tag.name, [b'M', b'M' | b'L' | b'N']);
            if let Some(expected) = defined_type(tag.name)
                && !expected.contains(&tag.kind)
            {
                doubt(Doubt::TagType);
            }
            if tag.name == *b"RG"
                && tag.value != self.read_group
                && let Some(known) = &facts.read_groups
            {
                if known.contains(tag.value) {
                    self.read_group.clear();
                    self.read_group.extend_from_slice(tag.value);
                } else {
                    doubt(Doubt::ReadGroupUnknown);
                }
            }
        }
        if fields.is_malformed() {
            let after = match self.tags.last() {
                Some(name) => format!("the one after {}", Shown(name)),
                None => "the first one".to_owned(),
            };
            let message = format!("an optional field is cut off or of an unknown type: {after}");
            return Err((Rule::Tags, message));
        }
        if has_modifications && !record.has_good_modifications() {
            doubt(Doubt::Modifications);
        }
        Ok(())
    }
}

fn bad_tag(expected: &str, tag: &Tag<'_>) -> Result<(), Finding> {
    Err((Rule::Tags, format!("optional field '{}': {expected}", Shown(&tag.name))))
}

/// The value of an optional field; its length has been checked.
#[inline]
fn check_value(tag: &Tag<'_>) -> Result<(), Finding> {
    match tag.kind {
        b'Z' => {
            let printable = tag.value.iter().fold(true, |all, b| all & matches!(b, b' '..=b'~'));
            if !printable {
                if tag.value.iter().any(|b| matches!(b, b'\t' | b'\n' | b'\r')) {
                    return bad_tag("a tab or line break in its text", tag);
                }
                return bad_tag("expected printable characters in its text (type Z)", tag);
            }
        }
        b'A' if !tag.value.iter().all(u8::is_ascii_graphic) => {
            return bad_tag("expected a printable character (type A)", tag);
        }
        b'H' if tag.value.len() % 2 == 1
            || !tag.value.iter().all(|b| matches!(b, b'0'..=b'9' | b'A'..=b'F')) =>
        {
            return bad_tag(
                "expected an even number of hexadecimal digits 0-9 and A-F (type H)",
                tag,
            );
        }
        b'd' => return bad_tag("type 'd' isn't one of the specification's", tag),
        _ => {}
    }
    Ok(())
}

/// The type letters of the commonest fields of the specification of optional fields.
#[inline]
fn defined_type(name: [u8; 2]) -> Option<&'static [u8]> {
    match name {
        [b'N', b'M' | b'H'] | [b'A', b'S'] | [b'H', b'I'] | [b'M' | b'U', b'Q'] => Some(b"cCsSiI"),
        [b'R' | b'P', b'G'] | [b'M', b'D' | b'C'] | [b'S', b'A'] | [b'L', b'B'] => Some(b"Z"),
        [b'M', b'L'] | [b'C', b'G'] => Some(b"B"),
        _ => None,
    }
}

/// QNAME is `[!-?A-~]{1,254}` (section 1.4).
#[inline]
fn check_name(name: &[u8], doubt: &mut impl FnMut(Doubt)) -> Result<(), Finding> {
    let fine = name.iter().fold(true, |all, b| all & matches!(b, b'!'..=b'?' | b'A'..=b'~'));
    if fine && !name.is_empty() {
        return Ok(());
    }
    let end = name.iter().rposition(|&b| b != 0).map_or(0, |n| n + 1);
    let padded = end < name.len();
    let name = &name[..end];
    if name.is_empty() {
        let message = "expected a name of 1 to 254 characters, or '*', found none";
        return Err((Rule::Name, message.into()));
    }
    if padded {
        doubt(Doubt::NamePadded);
    }
    if let Some(byte) = name.iter().find(|b| b.is_ascii_control()) {
        let message =
            format!("expected a printable name, found byte 0x{byte:02x} in '{}'", Shown(name));
        return Err((Rule::Name, message));
    }
    if name.iter().any(|b| !matches!(b, b'!'..=b'?' | b'A'..=b'~')) {
        let message = "expected a name of the characters from '!' to '~' without '@'";
        return Err((Rule::Name, format!("{message}, found '{}'", Shown(name))));
    }
    Ok(())
}

/// Section 1.4.2.
#[inline]
fn check_flags(record: &Record<'_>, doubt: &mut impl FnMut(Doubt)) {
    let flags = record.flags();
    if flags & !KNOWN_FLAGS != 0 {
        doubt(Doubt::FlagsReserved);
    }
    if flags & flag::PAIRED == 0 && flags & MATE_FLAGS != 0 {
        doubt(Doubt::FlagsUnpaired);
    }
    if flags & flag::UNMAPPED == 0 && (record.reference_id() < 0 || record.position() < 0) {
        doubt(Doubt::MappedWithoutPlace);
    }
}

/// RNAME, POS and CIGAR (sections 1.4, 1.4.6 and 4.2).
#[inline]
fn check_cigar_and_place(
    record: &Record<'_>,
    facts: &Facts,
    doubt: &mut impl FnMut(Doubt),
) -> Result<(), Finding> {
    let mapped = record.flags() & flag::UNMAPPED == 0;
    let cigar = record.cigar();
    let n = cigar.len();
    let (mut read, mut reference, mut inside) = (0u64, 0i64, false);
    for (index, word) in cigar.words().enumerate() {
        let (code, len) = (word & 15, word >> 4);
        match code {
            0 | 7 | 8 => {
                read += u64::from(len);
                reference += i64::from(len);
            }
            1 => read += u64::from(len),
            2 | 3 => reference += i64::from(len),
            4 => {
                read += u64::from(len);
                let code_at = |at: usize| cigar.words().nth(at).map(|word| word & 15);
                let outer = index == 0
                    || index + 1 == n
                    || (index == 1 && code_at(0) == Some(5))
                    || (index + 2 == n && code_at(n - 1) == Some(5));
                inside |= !outer;
            }
            5 => inside |= index > 0 && index + 1 < n,
            6 => {}
            _ => {
                let message = format!("expected CIGAR operations with codes 0 to 8, found {code}");
                return Err((Rule::Cigar, message));
            }
        }
    }
    if inside {
        if mapped {
            let message = "expected clipping (S, H) at the ends of the CIGAR, and H outside of S";
            return Err((Rule::Cigar, message.into()));
        }
        doubt(Doubt::CigarOfUnmapped);
    }
    let bases = record.sequence_len() as u64;
    if n > 0 && bases > 0 && read != bases {
        if mapped {
            let message = format!(
                "expected a CIGAR of as many bases as the sequence, found {read} and {bases}"
            );
            return Err((Rule::Cigar, message));
        }
        doubt(Doubt::CigarOfUnmapped);
    }
    let position = i64::from(record.position());
    if position < -1 {
        let message = format!("expected a position (POS) of 0 or more, found {}", position + 1);
        return Err((Rule::Position, message));
    }
    if let Ok(index) = usize::try_from(record.reference_id())
        && let Some((_, length)) = facts.references.get(index)
    {
        if position >= *length {
            doubt(Doubt::StartsBeyondReference);
        } else if mapped && position + reference > *length && !facts.circular[index] {
            doubt(Doubt::BeyondReference);
        }
    }
    Ok(())
}

/// RNEXT and PNEXT (sections 1.4 and 4.2).
#[inline]
fn check_mate(
    record: &Record<'_>,
    facts: &Facts,
    doubt: &mut impl FnMut(Doubt),
) -> Result<(), Finding> {
    let position = i64::from(record.mate_position());
    if position < -1 {
        // Without RNEXT no assumptions can be made about it.
        if record.mate_reference_id() >= 0 {
            let message = "expected a mate's position (PNEXT) of 0 or more";
            return Err((Rule::Mate, format!("{message}, found {}", position + 1)));
        }
        doubt(Doubt::MateNegative);
    }
    if let Ok(index) = usize::try_from(record.mate_reference_id())
        && let Some((_, length)) = facts.references.get(index)
        && position >= *length
    {
        doubt(Doubt::MateBeyondReference);
    }
    Ok(())
}

/// Phred values up to 93, or 0xff throughout (section 4.2.3).
#[inline]
fn check_qualities(qualities: &[u8]) -> Result<(), Finding> {
    let highest = qualities.iter().fold(0, |highest, &q| highest.max(q));
    if highest <= MAX_QUALITY {
        return Ok(());
    }
    if qualities.iter().all(|&q| q == 0xff) {
        return Ok(());
    }
    let at = qualities.iter().position(|&q| q > MAX_QUALITY).unwrap_or_default();
    let message = format!(
        "expected qualities from 0 to {MAX_QUALITY}, found {} at base {}",
        qualities[at],
        at + 1
    );
    Err((Rule::Qualities, message))
}
