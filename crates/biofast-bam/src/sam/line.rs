//! One alignment line to one BAM record (SAM specification, sections 1.4 and 4.2).
//!
//! What contradicts itself is refused; what breaks a rule without losing anything is noted (see
//! [`Odds`]). Three things that can't be told apart from a mapped read
//! otherwise are stored the way samtools stores them, so that counts agree: a read with a
//! reference but position 0 loses the reference; one without a reference, or without a CIGAR,
//! gets the flag "unmapped"; a mate with a reference but position 0 loses its reference.

use super::fault::LineFault;
use crate::cigar::{MAX_OP_LEN, MAX_OPS};
use crate::fixed::FixedFields;
use crate::packing;
use crate::sam::fields::{Fields, has_leading_zeros, signed, unsigned};
use crate::sam::header::{Lookup, is_header_line};
use crate::sam::odd::{Odd, Odds};
use crate::sam::tags;

const UNMAPPED: u16 = 4;
/// Block size and the fixed-length fields.
const FIXED: usize = 4 + crate::fixed::FIXED_LEN;

/// Appends the record of `line`. On an error, what was appended is of no use.
pub(super) fn write_record(
    line: &[u8],
    references: &mut Lookup<'_>,
    odds: &mut Odds,
    out: &mut Vec<u8>,
) -> Result<(), LineFault> {
    let start = out.len();
    let mut fields = Fields::new(line);
    out.extend_from_slice(&[0; FIXED]);

    let name = name(line, &mut fields)?;
    out.extend_from_slice(name);
    out.push(0);
    let mut flags = flags(&mut fields)?;

    let expected = "a reference name (RNAME) of the header, or '*'";
    let mut reference = match fields.required(expected)? {
        b"*" => -1,
        name => index(name, expected, Odd::UnknownReference, references, odds)?,
    };
    let position = position(&mut fields, odds, "a position (POS) from 0 to 2147483647")?;
    if position < 0 {
        reference = -1;
    }
    if reference < 0 {
        flags |= UNMAPPED;
    }

    let mapq = mapping_quality(&mut fields, odds)?;
    let cigar_start = out.len();
    let cigar = fields.required("a CIGAR, or '*'")?;
    let mut lengths = Lengths::default();
    if cigar == b"*" {
        flags |= UNMAPPED;
    } else {
        lengths = write_cigar(cigar, out)?;
    }
    let span = if flags & UNMAPPED == 0 { lengths.reference.max(1) } else { 1 };
    let bin = bin(i64::from(position), i64::from(position) + span);

    let expected = "a mate's reference name (RNEXT) of the header, '=' or '*'";
    let mut mate_reference = match fields.required(expected)? {
        b"*" => -1,
        b"=" => reference,
        name => index(name, expected, Odd::UnknownMate, references, odds)?,
    };
    let expected = "a mate's position (PNEXT) from 0 to 2147483647";
    let mate_position = self::position(&mut fields, odds, expected)?;
    if mate_position < 0 {
        mate_reference = -1;
    }
    let template_len = template_len(&mut fields, odds)?;

    let sequence = fields.required("a sequence (SEQ), or '*'")?;
    let sequence = if sequence == b"*" { b"" } else { sequence };
    let qualities = fields.required("qualities (QUAL), or '*'")?;
    if i32::try_from(sequence.len()).is_err() {
        return Err(LineFault::new("a sequence (SEQ) of fewer than 2^31 bases", &sequence[..20]));
    }
    let ops = (out.len() - cigar_start) / 4;
    if ops > 0 && !sequence.is_empty() && lengths.query != sequence.len() as i64 {
        let expected = "a CIGAR and a sequence (SEQ) with the same number of bases";
        return Err(LineFault::new(expected, cigar));
    }
    let long_cigar = match ops > MAX_OPS {
        true => Some(replace_cigar(cigar, cigar_start, lengths.reference, sequence, out)?),
        false => None,
    };
    write_sequence(sequence, odds, out)?;
    write_qualities(qualities, sequence.len(), out)?;
    while let Some(field) = fields.next() {
        if field.is_empty() && fields.all(|field| field.is_empty()) {
            odds.note(Odd::TrailingTabs, line)?;
            break;
        }
        tags::write_field(field, odds, out)?;
    }
    if let Some(words) = long_cigar {
        out.extend_from_slice(b"CGBI");
        out.extend((ops as u32).to_le_bytes());
        out.extend(words);
    }

    let record = &mut out[start..];
    let Ok(size) = i32::try_from(record.len() - 4) else {
        return Err(LineFault::new("a record of less than 2 GiB", name));
    };
    FixedFields {
        size,
        reference,
        position,
        name_len: name.len() as u8 + 1,
        mapq,
        bin,
        ops: if ops > MAX_OPS { 2 } else { ops as u16 },
        flags,
        bases: sequence.len() as u32,
        mate_reference,
        mate_position,
        template_len,
    }
    .put(record);
    Ok(())
}

#[inline]
fn name<'a>(line: &[u8], fields: &mut Fields<'a>) -> Result<&'a [u8], LineFault> {
    let name = fields.required("a read name (QNAME)")?;
    let printable = name.iter().all(|&b| b >= b' ' && b != 0x7f);
    if name.is_empty() || name.len() > 254 || !printable || name[0] == b'@' {
        if is_header_line(line) {
            let expected = "a record: header lines come before the first record";
            return Err(LineFault::new(expected, line));
        }
        if !line.contains(&b'\t') && line.contains(&b' ') {
            let expected = "at least 11 fields separated by tabs, not by spaces";
            return Err(LineFault::new(expected, line));
        }
        let expected =
            "a read name (QNAME) of 1 to 254 printable characters, not starting with '@'";
        return Err(LineFault::new(expected, name));
    }
    Ok(name)
}

#[inline]
fn flags(fields: &mut Fields<'_>) -> Result<u16, LineFault> {
    let expected = "flags (FLAG) from 0 to 65535";
    let field = fields.required(expected)?;
    let flags = unsigned(field, 65_535).ok_or_else(|| LineFault::new(expected, field))?;
    if has_leading_zeros(field) {
        let expected = "flags (FLAG) without leading zeros, which some programs read as octal";
        return Err(LineFault::new(expected, field));
    }
    Ok(flags as u16)
}

/// The index of the reference `name` in the header; −1 for one that isn't there, which is noted as `unknown`.
#[inline]
fn index(
    name: &[u8],
    expected: &'static str,
    unknown: Odd,
    references: &mut Lookup<'_>,
    odds: &mut Odds,
) -> Result<i32, LineFault> {
    match references.index(name) {
        Some(index) => Ok(index),
        None if name.is_empty() => Err(LineFault::new(expected, name)),
        None if references.is_empty() && odds.checks() => {
            odds.note(Odd::NoSequences, name)?;
            Ok(-1)
        }
        None if references.is_empty() => {
            let expected = "@SQ lines in the header, as records name reference sequences";
            Err(LineFault::new(expected, name))
        }
        None => {
            odds.note(unknown, name)?;
            Ok(-1)
        }
    }
}

#[inline]
fn mapping_quality(fields: &mut Fields<'_>, odds: &mut Odds) -> Result<u8, LineFault> {
    let expected = "a mapping quality (MAPQ) from 0 to 255";
    let field = fields.required(expected)?;
    let mapq = unsigned(field, 255).ok_or_else(|| LineFault::new(expected, field))? as u8;
    if has_leading_zeros(field) {
        odds.note(Odd::LeadingZeros, field)?;
    }
    Ok(mapq)
}

#[inline]
fn template_len(fields: &mut Fields<'_>, odds: &mut Odds) -> Result<i32, LineFault> {
    let expected = "a template length (TLEN) from -2147483648 to 2147483647";
    let field = fields.required(expected)?;
    let template_len = signed(field).ok_or_else(|| LineFault::new(expected, field))?;
    if has_leading_zeros(field) {
        odds.note(Odd::LeadingZeros, field)?;
    }
    Ok(template_len)
}

/// Takes the operations of a CIGAR that has too many for its field, which start at `start`, off `out`, and puts the
/// placeholder there (SAM specification, section 4.2.2): `<bases>S<span>N`.
#[cold]
fn replace_cigar(
    cigar: &[u8],
    start: usize,
    span: i64,
    sequence: &[u8],
    out: &mut Vec<u8>,
) -> Result<Vec<u8>, LineFault> {
    let words = out.split_off(start);
    if span > i64::from(MAX_OP_LEN) {
        let expected = "a CIGAR of more than 65,535 operations to span less than 2^28 bases";
        return Err(LineFault::new(expected, cigar));
    }
    // An operation longer than 2^28 is not checked by samtools here either, but can't be stored.
    let Some(bases) = u32::try_from(sequence.len()).ok().filter(|&n| n <= MAX_OP_LEN) else {
        let expected = "a sequence (SEQ) of fewer than 2^28 bases with a long CIGAR";
        return Err(LineFault::new(expected, &sequence[..20]));
    };
    out.extend((bases << 4 | 4).to_le_bytes());
    out.extend(((span as u32) << 4 | 3).to_le_bytes());
    Ok(words)
}

/// A position counted from 1 (0: none) as one counted from 0 (−1: none).
#[inline]
fn position(
    fields: &mut Fields<'_>,
    odds: &mut Odds,
    expected: &'static str,
) -> Result<i32, LineFault> {
    let field = fields.required(expected)?;
    if has_leading_zeros(field) {
        odds.note(Odd::LeadingZeros, field)?;
    }
    match unsigned(field, i32::MAX as u32) {
        Some(position) => Ok(position as i32 - 1),
        None => Err(LineFault::new(expected, field)),
    }
}

/// Bases that a CIGAR covers.
#[derive(Clone, Copy, Default)]
struct Lengths {
    /// Of the read.
    query: i64,
    /// Of the reference.
    reference: i64,
}

fn write_cigar(cigar: &[u8], out: &mut Vec<u8>) -> Result<Lengths, LineFault> {
    let expected = "a CIGAR of lengths below 2^28 with operations MIDNSHP=X, or '*'";
    let mut lengths = Lengths::default();
    let mut rest = cigar;
    loop {
        let digits = rest.iter().position(|b| !b.is_ascii_digit());
        let Some((len, tail)) = digits.map(|n| rest.split_at(n)) else {
            return Err(LineFault::new(expected, cigar));
        };
        let (op, consumes) = match tail[0] {
            b'M' => (0, (1, 1)),
            b'I' => (1, (1, 0)),
            b'D' => (2, (0, 1)),
            b'N' => (3, (0, 1)),
            b'S' => (4, (1, 0)),
            b'H' => (5, (0, 0)),
            b'P' => (6, (0, 0)),
            b'=' => (7, (1, 1)),
            b'X' => (8, (1, 1)),
            // "Back", never in the specification; samtools reads and writes it.
            b'B' => (9, (0, 0)),
            _ => return Err(LineFault::new(expected, cigar)),
        };
        let Some(len) = unsigned(len, MAX_OP_LEN) else {
            return Err(LineFault::new(expected, cigar));
        };
        // Operations × 2^28 can't overflow 64 bits.
        lengths.query += consumes.0 * i64::from(len);
        lengths.reference += consumes.1 * i64::from(len);
        out.extend_from_slice(&(len << 4 | op).to_le_bytes());
        rest = &tail[1..];
        if rest.is_empty() {
            return Ok(lengths);
        }
    }
}

fn write_sequence(sequence: &[u8], odds: &mut Odds, out: &mut Vec<u8>) -> Result<(), LineFault> {
    let lacking = packing::pack(sequence, out);
    if lacking.invalid() {
        let from = sequence.iter().position(|&base| !packing::is_base(base)).unwrap_or_default();
        return Err(LineFault::new("a sequence (SEQ) of letters, '=' and '.'", &sequence[from..]));
    }
    if lacking.uracil() {
        odds.note(Odd::Uracil, sequence)?;
    }
    if lacking.letters() {
        odds.note(Odd::NoCode, sequence)?;
    }
    Ok(())
}

fn write_qualities(qualities: &[u8], bases: usize, out: &mut Vec<u8>) -> Result<(), LineFault> {
    let start = out.len();
    if qualities == b"*" {
        out.resize(start + bases, 0xff);
        return Ok(());
    }
    if qualities.len() != bases {
        let expected = "as many qualities (QUAL) as bases (SEQ)";
        return Err(LineFault::new(expected, qualities));
    }
    out.extend_from_slice(qualities);
    let mut highest = 0;
    for quality in &mut out[start..] {
        *quality = quality.wrapping_sub(b'!');
        highest = highest.max(*quality);
    }
    if highest > b'~' - b'!' {
        let from = qualities.iter().position(|b| !(b'!'..=b'~').contains(b)).unwrap_or_default();
        let expected = "qualities (QUAL) from '!' to '~'";
        return Err(LineFault::new(expected, &qualities[from..]));
    }
    Ok(())
}

/// The bin of [`start`, `end`) counted from 0 (SAM specification, section 5.3). Beyond what the
/// scheme covers the number doesn't fit; it is cut as samtools cuts it.
#[doc(hidden)]
pub fn bin(start: i64, end: i64) -> u16 {
    let end = end - 1;
    let bin = match () {
        () if start >> 14 == end >> 14 => 4681 + (start >> 14),
        () if start >> 17 == end >> 17 => 585 + (start >> 17),
        () if start >> 20 == end >> 20 => 73 + (start >> 20),
        () if start >> 23 == end >> 23 => 9 + (start >> 23),
        () if start >> 26 == end >> 26 => 1 + (start >> 26),
        () => 0,
    };
    bin as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_those_of_the_specification() {
        assert_eq!(bin(-1, 0), 4680);
        assert_eq!(
            (bin(0, 1), bin(1 << 14, (1 << 14) + 1), bin(0, (1 << 14) + 1)),
            (4681, 4682, 585)
        );
        assert_eq!(bin(0, 1 << 29), 0);
    }
}
