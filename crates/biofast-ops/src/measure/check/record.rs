//! The rules of one alignment record. Its length fields and reference indices were checked when
//! it was framed.

use biofast_bam::{Record, Tag, flag};
use biofast_io::Shown;

use super::doubts::{Doubt, Doubts};
use super::fault::CheckRule;
use super::header::Facts;

/// What is wrong with a record.
pub(super) type RecordFinding = (CheckRule, String);

/// The highest quality: what '~' stands for.
const MAX_QUALITY: u8 = 93;
/// Everything about a mate, and the place in the template.
const MATE_FLAGS: u16 =
    flag::PROPER_PAIR | flag::MATE_UNMAPPED | flag::MATE_REVERSE | flag::READ1 | flag::READ2;
const KNOWN_FLAGS: u16 = 0xfff;
/// The first position, counted from 0, that is none: SAM counts from 1, up to 2^31 - 1.
const MAX_POSITION: i64 = i32::MAX as i64;

/// The rules, and what is remembered from record to record.
#[derive(Default)]
pub(super) struct RecordRules {
    /// The read group looked up last, which the header has.
    read_group: Vec<u8>,
    /// The names of the record's optional fields.
    tags: Vec<[u8; 2]>,
    /// Names of fields that were found good one after the other, with their types as [`class`] has them: the next record
    /// mostly has the same, and they needn't be looked at again.
    usual: Vec<[u8; 3]>,
}

impl RecordRules {
    /// Checks record `number`.
    pub(super) fn check(
        &mut self,
        record: &Record<'_>,
        number: u64,
        facts: &Facts,
        doubts: &mut Doubts,
    ) -> Result<(), RecordFinding> {
        let mut doubt = |doubt| doubts.add(doubt, number);
        check_name(record.name(), &mut doubt)?;
        check_flags(record, &mut doubt);
        check_cigar_and_place(record, facts, &mut doubt)?;
        check_mate(record, facts, &mut doubt)?;
        check_qualities(record.qualities().as_slice())?;
        self.check_tags(record, facts, &mut doubt)
    }

    /// Sections 1.5 and 4.2.4.
    fn check_tags(
        &mut self,
        record: &Record<'_>,
        facts: &Facts,
        doubt: &mut impl FnMut(Doubt),
    ) -> Result<(), RecordFinding> {
        let mut fields = record.tags();
        let mut next = fields.next();
        // So many fields are the usual ones.
        let mut usual = 0;
        while let (Some(tag), Some(&[a, b, kind])) = (next, self.usual.get(usual))
            && (tag.name, class(tag.kind)) == ([a, b], kind)
        {
            usual += 1;
            check_value(&tag)?;
            if is_no_number(&tag) {
                doubt(Doubt::NoNumber);
            }
            self.check_read_group(&tag, facts, doubt);
            next = fields.next();
        }
        if next.is_none() && !fields.is_malformed() {
            return Ok(());
        }
        // A bit for each name, of 64: a set bit calls for a look at the names themselves.
        let mut seen = 0u64;
        let bit = |[a, b]: [u8; 2]| 1 << ((a ^ b.wrapping_mul(7)) & 63);
        self.usual.truncate(usual);
        self.tags.clear();
        for &[a, b, _] in &self.usual {
            seen |= bit([a, b]);
            self.tags.push([a, b]);
        }
        let mut has_modifications = false;
        let mut is_usual = true;
        while let Some(tag) = next {
            let [a, b] = tag.name;
            if !a.is_ascii_alphabetic() || !b.is_ascii_alphanumeric() {
                return bad_tag("expected a letter and a letter or digit as name", &tag);
            }
            if seen & bit(tag.name) != 0 && self.tags.contains(&tag.name) {
                return bad_tag("it occurs twice", &tag);
            }
            seen |= bit(tag.name);
            self.tags.push(tag.name);
            check_value(&tag)?;
            if is_no_number(&tag) {
                doubt(Doubt::NoNumber);
            }
            let is_modification = matches!(tag.name, [b'M', b'M' | b'L' | b'N']);
            has_modifications |= is_modification;
            let has_defined_type = has_defined_type(&tag);
            if !has_defined_type {
                doubt(Doubt::TagType);
            }
            self.check_read_group(&tag, facts, doubt);
            is_usual &= has_defined_type && !is_modification && self.usual.len() < MOST_USUAL;
            if is_usual {
                self.usual.push([a, b, class(tag.kind)]);
            }
            next = fields.next();
        }
        if fields.is_malformed() {
            let after = match self.tags.last() {
                Some(name) => format!("the one after {}", Shown(name)),
                None => "the first one".to_owned(),
            };
            let message = format!("a tag is truncated or has an unknown type: {after}");
            return Err((CheckRule::Tags, message));
        }
        if has_modifications && !record.has_good_modifications() {
            doubt(Doubt::Modifications);
        }
        Ok(())
    }

    /// Looks the read group up, if the field is one.
    #[inline(always)]
    fn check_read_group(&mut self, tag: &Tag<'_>, facts: &Facts, doubt: &mut impl FnMut(Doubt)) {
        if tag.name == *b"RG" && tag.value != self.read_group && !self.knows(tag.value, facts) {
            doubt(Doubt::ReadGroupUnknown);
        }
    }

    /// Whether the header has the read group, or none at all.
    fn knows(&mut self, group: &[u8], facts: &Facts) -> bool {
        let Some(known) = &facts.read_groups else { return true };
        let is_known = known.contains(group);
        if is_known {
            self.read_group.clear();
            self.read_group.extend_from_slice(group);
        }
        is_known
    }
}

/// Fields that are remembered as usual.
const MOST_USUAL: usize = 64;

/// What a field's type is, as far as the rules tell types apart: those of whole numbers are one.
#[inline]
fn class(kind: u8) -> u8 {
    match kind {
        b'c' | b'C' | b's' | b'S' | b'I' => b'i',
        kind => kind,
    }
}

fn bad_tag(expected: &str, tag: &Tag<'_>) -> Result<(), RecordFinding> {
    Err((CheckRule::Tags, format!("tag '{}': {expected}", Shown(&tag.name))))
}

/// The value of an optional field; its length has been checked.
#[inline(always)]
fn check_value(tag: &Tag<'_>) -> Result<(), RecordFinding> {
    match tag.kind {
        b'Z' if highest(tag.value, |b| b.wrapping_sub(b' ')) <= b'~' - b' ' => Ok(()),
        b'Z' | b'A' | b'H' | b'd' => check_odd_value(*tag),
        _ => Ok(()),
    }
}

/// Whether a number (f) is infinite or none, for which the specification has no text; so may be elements of an array.
#[inline(always)]
fn is_no_number(tag: &Tag<'_>) -> bool {
    let is_no = |bytes: &[u8; 4]| !f32::from_le_bytes(*bytes).is_finite();
    match (tag.kind, tag.value) {
        (b'f', value) => value.first_chunk().is_some_and(is_no),
        (b'B', [b'f', _, _, _, _, elements @ ..]) => elements.as_chunks::<4>().0.iter().any(is_no),
        _ => false,
    }
}

/// The value of a type that has rules for values; a text that isn't fine.
fn check_odd_value(tag: Tag<'_>) -> Result<(), RecordFinding> {
    let tag = &tag;
    match tag.kind {
        b'Z' => {
            if tag.value.iter().any(|b| matches!(b, b'\t' | b'\n' | b'\r')) {
                return bad_tag("a tab or line break in its text", tag);
            }
            return bad_tag("expected printable characters in its text (type Z)", tag);
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
        b'd' => return bad_tag("type 'd' is not in the specification", tag),
        _ => {}
    }
    Ok(())
}

/// Whether the type is the defined one, for the commonest fields of the specification of optional fields.
#[inline]
fn has_defined_type(tag: &Tag<'_>) -> bool {
    match tag.name {
        [b'N', b'M' | b'H'] | [b'A', b'S'] | [b'H', b'I'] | [b'M' | b'U', b'Q'] => {
            class(tag.kind) == b'i'
        }
        [b'R' | b'P', b'G'] | [b'M', b'D' | b'C'] | [b'S', b'A'] | [b'L', b'B'] => tag.kind == b'Z',
        [b'M', b'L'] | [b'C', b'G'] => tag.kind == b'B',
        _ => true,
    }
}

/// The highest of the bytes that `map` gives; 0 if there are none. Compilers turn this into vector code: the last block
/// overlaps the one before it, so that none is left over.
#[inline(always)]
fn highest(bytes: &[u8], map: impl Fn(u8) -> u8 + Copy) -> u8 {
    fn by_blocks<const N: usize>(bytes: &[u8], map: impl Fn(u8) -> u8 + Copy) -> Option<u8> {
        let mut highest = bytes.last_chunk::<N>()?.map(map);
        for block in bytes.as_chunks::<N>().0 {
            highest.iter_mut().zip(block).for_each(|(most, &byte)| *most = (*most).max(map(byte)));
        }
        Some(highest.into_iter().fold(0, u8::max))
    }
    by_blocks::<16>(bytes, map)
        .or_else(|| by_blocks::<8>(bytes, map))
        .unwrap_or_else(|| bytes.iter().fold(0, |highest, &byte| highest.max(map(byte))))
}

/// QNAME is `[!-?A-~]{1,254}` (section 1.4).
#[inline]
fn check_name(name: &[u8], doubt: &mut impl FnMut(Doubt)) -> Result<(), RecordFinding> {
    let other = |b: u8| if b == b'@' { u8::MAX } else { b.wrapping_sub(b'!') };
    if highest(name, other) <= b'~' - b'!' && !name.is_empty() {
        return Ok(());
    }
    let end = name.iter().rposition(|&b| b != 0).map_or(0, |n| n + 1);
    let padded = end < name.len();
    let name = &name[..end];
    if name.is_empty() {
        let message = "expected a name of 1 to 254 characters, or '*', found none";
        return Err((CheckRule::Name, message.into()));
    }
    if padded {
        doubt(Doubt::NamePadded);
    }
    if let Some(byte) = name.iter().find(|b| b.is_ascii_control()) {
        let message =
            format!("expected a printable name, found byte 0x{byte:02x} in '{}'", Shown(name));
        return Err((CheckRule::Name, message));
    }
    if name.iter().any(|b| !matches!(b, b'!'..=b'?' | b'A'..=b'~')) {
        let message = "expected a name of the characters from '!' to '~' without '@'";
        return Err((CheckRule::Name, format!("{message}, found '{}'", Shown(name))));
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
) -> Result<(), RecordFinding> {
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
                return Err((CheckRule::Cigar, message));
            }
        }
    }
    if inside {
        if mapped {
            let message =
                "expected clipping (S, H) only at the ends of the CIGAR, with H outside S";
            return Err((CheckRule::Cigar, message.into()));
        }
        doubt(Doubt::CigarOfUnmapped);
    }
    let bases = record.sequence_len() as u64;
    if n > 0 && bases > 0 && read != bases {
        if mapped {
            let message = format!("CIGAR covers {read} bases, but the sequence has {bases}");
            return Err((CheckRule::Cigar, message));
        }
        doubt(Doubt::CigarOfUnmapped);
    }
    let position = i64::from(record.position());
    if position < -1 {
        let message = format!("expected a position (POS) of 0 or more, found {}", position + 1);
        return Err((CheckRule::Position, message));
    }
    if position >= MAX_POSITION {
        let message = format!("expected a position (POS) below 2^31, found {}", position + 1);
        return Err((CheckRule::Position, message));
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
) -> Result<(), RecordFinding> {
    let position = i64::from(record.mate_position());
    if position < -1 {
        // Without RNEXT no assumptions can be made about it.
        if record.mate_reference_id() >= 0 {
            let message = "expected a mate's position (PNEXT) of 0 or more";
            return Err((CheckRule::Mate, format!("{message}, found {}", position + 1)));
        }
        doubt(Doubt::MateNegative);
    }
    if position >= MAX_POSITION {
        let message = "expected a mate's position (PNEXT) below 2^31";
        return Err((CheckRule::Mate, format!("{message}, found {}", position + 1)));
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
fn check_qualities(qualities: &[u8]) -> Result<(), RecordFinding> {
    if highest(qualities, |q| q) <= MAX_QUALITY {
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
    Err((CheckRule::Qualities, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_testkit::bam::{Aligned, aligned, header};
    use proptest::prelude::*;

    /// Fields, good and bad.
    const FIELDS: [&[u8]; 14] = [
        b"NMC\x01", b"NMs\x01\0", b"NMZx\0", b"RGZa\0", b"RGZb\0", b"RGC\x01", b"MMZx\0",
        b"MLBC\0\0\0\0", b"XAAq", b"XAA\x01", b"XZZsome text of some length\0", b"XZZ\x01\0",
        b"1XC\x01", b"XCi\x01",
    ];

    proptest! {
        #[test]
        fn records_before_change_no_finding(
            records in prop::collection::vec(
                prop::collection::vec(0..FIELDS.len(), 0..5).prop_map(|fields| {
                    fields.iter().flat_map(|&n| FIELDS[n]).copied().collect()
                }),
                1..12,
            ),
        ) {
            let record = |tags: Vec<u8>| aligned(&Aligned { len: 4, tags, ..Aligned::default() });
            let records: Vec<u8> = records.into_iter().flat_map(record).collect();
            let bam = [header(&[("c", 1000)]), records].concat();
            let facts = Facts {
                read_groups: Some([b"a".to_vec()].into()),
                circular: vec![false],
                references: vec![(b"c".to_vec(), 1000)],
                ..Facts::default()
            };
            let mut reader = biofast_bam::Reader::from_reader("x", std::io::Cursor::new(bam)).unwrap();
            let mut rules = RecordRules::default();
            while let Some(record) = reader.next_record().unwrap() {
                let (mut doubts, mut alone) = (Doubts::default(), Doubts::default());
                let found = rules.check(&record, 7, &facts, &mut doubts);
                prop_assert_eq!(found, RecordRules::default().check(&record, 7, &facts, &mut alone));
                prop_assert_eq!(doubts.iter().collect::<Vec<_>>(), alone.iter().collect::<Vec<_>>());
            }
        }
    }

    proptest! {
        #[test]
        fn the_highest_of_bytes_of_any_number(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let expected = bytes.iter().map(|b| b.wrapping_sub(b' ')).max().unwrap_or(0);
            prop_assert_eq!(highest(&bytes, |b| b.wrapping_sub(b' ')), expected);
        }
    }

    #[test]
    fn every_character_of_a_name_at_every_place() {
        for len in 1..40 {
            for at in 0..len {
                for byte in 1..=255 {
                    let mut name = vec![b'x'; len];
                    name[at] = byte;
                    let fine = matches!(byte, b'!'..=b'?' | b'A'..=b'~');
                    assert_eq!(check_name(&name, &mut |_| ()).is_ok(), fine, "{byte} at {at}");
                }
            }
        }
    }
}
