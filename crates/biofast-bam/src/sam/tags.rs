//! Optional fields, `TAG:TYPE:VALUE` (SAM specification, sections 1.5 and 4.2.4).

use super::fault::LineFault;
use crate::sam::fields::integer;
use crate::sam::odd::{Odd, Odds};

/// Appends an optional field, or several that spaces join where a tab is meant: no value but text can
/// hold a space.
pub(super) fn write_field(
    field: &[u8],
    odds: &mut Odds,
    out: &mut Vec<u8>,
) -> Result<(), LineFault> {
    let start = out.len();
    let fault = match write_tag(field, odds, out) {
        Ok(()) => return Ok(()),
        Err(fault) => fault,
    };
    // Text goes on to the tab, and so does what is no field.
    let is_value = matches!(field, [_, _, b':', kind, b':', ..] if *kind != b'Z');
    match memchr::memchr(b' ', field) {
        Some(end) if is_value && end > 5 => {
            out.truncate(start);
            if write_tag(&field[..end], odds, out).is_err() {
                return Err(fault);
            }
            odds.note(Odd::JoinedFields, field)?;
            match field[end..].trim_ascii_start() {
                [] => Ok(()),
                rest => write_field(rest, odds, out),
            }
        }
        _ => Err(fault),
    }
}

/// Appends an optional field. Integers take the smallest type that holds them, unsigned ones
/// first, as samtools stores them; elements of arrays keep the stated type.
pub(crate) fn write_tag(field: &[u8], odds: &mut Odds, out: &mut Vec<u8>) -> Result<(), LineFault> {
    let [t, u, b':', kind, b':', value @ ..] = field else {
        return Err(LineFault::new("a tag in the form TAG:TYPE:VALUE", field));
    };
    if !t.is_ascii_graphic() || !u.is_ascii_graphic() {
        return Err(LineFault::new("a tag of two characters", field));
    }
    let bad = |expected| LineFault::new(expected, field);
    out.extend_from_slice(&[*t, *u]);
    match (kind, value) {
        (b'A', [character @ b'!'..=b'~']) => out.extend_from_slice(&[b'A', *character]),
        (b'A', _) => return Err(bad("a tag of type A with one printable character")),
        // samtools takes I for i.
        (b'i' | b'I', digits) => {
            let expected = "an integer from -2147483648 to 4294967295 in a tag";
            match integer(digits).ok_or_else(|| bad(expected))? {
                // As samtools: a sign makes it signed.
                0 if digits.starts_with(b"-") => out.extend_from_slice(b"c\0"),
                value => write_integer(value, out),
            }
            if *kind == b'I' {
                odds.note(Odd::IntegerType, field)?;
            }
        }
        (b'f', number) => {
            let value = float(number).ok_or_else(|| bad("a number in a tag"))?;
            check_float(number, value, field, odds)?;
            out.push(b'f');
            out.extend((value as f32).to_le_bytes());
        }
        // Not in the specification; samtools reads and writes it.
        (b'd', number) => {
            let value = float(number).ok_or_else(|| bad("a number in a tag"))?;
            out.push(b'd');
            out.extend(value.to_le_bytes());
        }
        (b'Z', text) => {
            if memchr::memchr(0, text).is_some() {
                return Err(bad("a tag without NUL"));
            }
            out.push(b'Z');
            out.extend_from_slice(text);
            out.push(0);
        }
        (b'H', digits) => {
            if digits.len() % 2 == 1 || !digits.iter().all(u8::is_ascii_hexdigit) {
                return Err(bad("an even number of hexadecimal digits in a tag"));
            }
            out.push(b'H');
            out.extend_from_slice(digits);
            out.push(0);
        }
        (b'B', [element, list @ ..]) => write_array(*element, list, field, odds, out)?,
        _ => return Err(bad("a tag of type A, i, f, Z, H or B")),
    }
    Ok(())
}

/// The smallest type that holds `value`, which is between −2^31 and 2^32 − 1.
fn write_integer(value: i64, out: &mut Vec<u8>) {
    match value {
        ..-32_768 => out.extend([&b"i"[..], &(value as i32).to_le_bytes()].concat()),
        -32_768..-128 => out.extend([&b"s"[..], &(value as i16).to_le_bytes()].concat()),
        -128..0 => out.extend_from_slice(&[b'c', value as u8]),
        0..256 => out.extend_from_slice(&[b'C', value as u8]),
        256..65_536 => out.extend([&b"S"[..], &(value as u16).to_le_bytes()].concat()),
        _ => out.extend([&b"I"[..], &(value as u32).to_le_bytes()].concat()),
    }
}

/// As C's `strtod` reads it, but for hexadecimal digits. A 32-bit value is rounded from this one,
/// as samtools does it.
fn float(number: &[u8]) -> Option<f64> {
    std::str::from_utf8(number).ok()?.parse().ok()
}

/// Notes a number that isn't of the specification's form, `[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?`, and one that
/// single precision can't hold: more than its largest number, or so small that it becomes 0.
#[inline]
fn check_float(number: &[u8], value: f64, field: &[u8], odds: &mut Odds) -> Result<(), LineFault> {
    // Rust takes more than the form in three ways: words (inf, nan), and a point or sign without a digit behind it.
    let mantissa = number.iter().position(|b| matches!(b, b'e' | b'E')).unwrap_or(number.len());
    let ends_in_digit = number[..mantissa].last().is_some_and(u8::is_ascii_digit);
    let is_word = number.iter().any(|b| matches!(b, b'i' | b'I' | b'n' | b'N'));
    if !ends_in_digit || is_word {
        odds.note(Odd::NumberForm, field)?;
    }
    let single = value as f32;
    let digits = &number[..mantissa];
    let is_zero = digits.iter().all(|b| !matches!(b, b'1'..=b'9'));
    if !is_word && (single.is_infinite() || (single == 0.0 && !is_zero)) {
        odds.note(Odd::NumberRange, field)?;
    }
    Ok(())
}

fn write_array(
    element: u8,
    list: &[u8],
    field: &[u8],
    odds: &mut Odds,
    out: &mut Vec<u8>,
) -> Result<(), LineFault> {
    let bad = |expected| LineFault::new(expected, field);
    let range = match element {
        b'c' => i64::from(i8::MIN)..=i64::from(i8::MAX),
        b'C' => 0..=i64::from(u8::MAX),
        b's' => i64::from(i16::MIN)..=i64::from(i16::MAX),
        b'S' => 0..=i64::from(u16::MAX),
        b'i' => i64::from(i32::MIN)..=i64::from(i32::MAX),
        b'I' => 0..=i64::from(u32::MAX),
        b'f' => 0..=0,
        _ => return Err(bad("an array (B) of type c, C, s, S, i, I or f")),
    };
    out.extend_from_slice(&[b'B', element]);
    let count_at = out.len();
    out.extend_from_slice(&[0; 4]);
    let mut count = 0u32;
    let values = match list {
        [] => list,
        [b',', values @ ..] => values,
        _ => return Err(bad("an array (B) with a comma after its type")),
    };
    // An array may be empty; an element may not.
    for value in values.split(|&b| b == b',').take_while(|_| !list.is_empty()) {
        if element == b'f' {
            let number = float(value).ok_or_else(|| bad("numbers in an array (B)"))?;
            check_float(value, number, field, odds)?;
            out.extend((number as f32).to_le_bytes());
        } else {
            let value = integer(value).filter(|value| range.contains(value));
            let value = value.ok_or_else(|| bad("integers of the stated type in an array (B)"))?;
            let bytes = value.to_le_bytes();
            let size = match element {
                b'c' | b'C' => 1,
                b's' | b'S' => 2,
                _ => 4,
            };
            out.extend_from_slice(&bytes[..size]);
        }
        // More than 2^32 elements don't fit a record, which is checked.
        count = count.wrapping_add(1);
    }
    out[count_at..count_at + 4].copy_from_slice(&count.to_le_bytes());
    Ok(())
}
