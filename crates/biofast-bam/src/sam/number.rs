//! Numbers with a fraction as SAM has them: as C's `%g`.

use biofast_kernels::decimal::{ASCII, WORD, digits, write_unsigned, write_word};

/// Digits kept of a number with a fraction.
const DIGITS: i32 = 6;

/// Appends a number as C's `%g`: six digits, without zeros at the end of the fraction, with an
/// exponent if it is below 0.0001 or has more than six digits before the point.
pub(super) fn write_float(value: f64, out: &mut Vec<u8>) {
    if value.is_nan() {
        return write_general(value, out);
    }
    if value.is_sign_negative() {
        out.push(b'-');
    }
    let size = value.abs();
    // Most are whole numbers.
    if size < 1e6 && size.trunc() == size {
        return write_unsigned(size as u64, out);
    }
    write_general(size, out);
}

/// Appends an element of an array as htslib does: between 0.0001 and 999,999 it takes ten digits
/// of the fraction and rounds half up, where [`write_float`] rounds half to even.
pub(super) fn write_float_element(value: f64, out: &mut Vec<u8>) {
    const SCALE: u64 = 10_000_000_000;
    let size = value.abs();
    if !(0.0001..=999_999.0).contains(&size) || size.trunc() == size {
        return write_float(value, out);
    }
    if value < 0.0 {
        out.push(b'-');
    }
    let mut units = (size * SCALE as f64) as u64;
    // The unit of the last digit kept.
    let mut unit = 10;
    while units / unit >= 10u64.pow(DIGITS as u32) {
        unit *= 10;
    }
    units = (units + unit / 2) / unit * unit;
    write_unsigned(units / SCALE, out);
    let fraction = units % SCALE;
    if fraction > 0 {
        out.push(b'.');
        let start = out.len();
        write_word((digits(fraction / WORD) | ASCII) >> 48, 2, out);
        write_word(digits(fraction % WORD) | ASCII, 8, out);
        trim_zeros(start, out);
    }
}

/// Takes away the zeros at the end that don't lie before `start`.
fn trim_zeros(start: usize, out: &mut Vec<u8>) {
    let zeros = out[start..].iter().rev().take_while(|&&digit| digit == b'0').count();
    out.truncate(out.len() - zeros);
}

/// [`write_general`] of what needs no exponent and is a number as most are: the exact value is rounded, in integers.
/// `None`, and nothing appended, if it is another.
fn write_fixed(value: f64, out: &mut Vec<u8>) -> Option<()> {
    if !(1e-4..999_999.0).contains(&value) {
        return None;
    }
    // The value is `mantissa` / 2^`shift`; it is no subnormal.
    let bits = value.to_bits();
    let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    let shift = u32::try_from(1075 - (bits >> 52) as i32).ok()?;
    // Digits behind the point: nine for 0.0001, none from 100,000 on.
    let mut places = (0..9).find(|&n| value >= FROM[n]).unwrap_or(9);
    let rounded = |places: usize| {
        let scaled = mantissa * 10u128.pow(places as u32);
        let (whole, rest) = (scaled >> shift, scaled & ((1 << shift) - 1));
        let half = (1u128 << shift) / 2;
        // Half to even.
        let up = rest > half || (rest == half && shift > 0 && whole & 1 == 1);
        whole as u64 + u64::from(up)
    };
    let mut units = rounded(places);
    if units >= 10u64.pow(DIGITS as u32) {
        places = places.checked_sub(1)?;
        units = rounded(places);
    }
    let scale = 10u64.pow(places as u32);
    write_unsigned(units / scale, out);
    let fraction = units % scale;
    if fraction > 0 {
        out.push(b'.');
        let start = out.len();
        if places == 9 {
            // It has six digits at most.
            out.push(b'0');
        }
        write_word(
            digits(fraction * 10u64.pow(8u32.saturating_sub(places as u32))) | ASCII,
            8,
            out,
        );
        trim_zeros(start, out);
    }
    Some(())
}

/// From where on numbers have so many digits behind the point, of six.
const FROM: [f64; 9] = [1e5, 1e4, 1e3, 1e2, 1e1, 1.0, 1e-1, 1e-2, 1e-3];

/// Appends a number that isn't negative, or NaN, as C's `%g`.
fn write_general(value: f64, out: &mut Vec<u8>) {
    if value.is_nan() {
        return out.extend_from_slice(if value.is_sign_negative() { b"-nan" } else { b"nan" });
    }
    if value.is_infinite() {
        return out.extend_from_slice(b"inf");
    }
    if write_fixed(value, out).is_none() {
        write_by_format(value, out);
    }
}

/// [`write_general`] of finite numbers: what defines it.
fn write_by_format(value: f64, out: &mut Vec<u8>) {
    let rounded = format!("{value:.*e}", DIGITS as usize - 1);
    let Some((digits, Ok(exponent))) =
        rounded.split_once('e').map(|(digits, exponent)| (digits, exponent.parse::<i32>()))
    else {
        return;
    };
    if (-4..DIGITS).contains(&exponent) {
        let places = (DIGITS - 1 - exponent) as usize;
        let fixed = format!("{value:.places$}");
        let fixed = if fixed.contains('.') { fixed.trim_end_matches('0') } else { &fixed };
        return out.extend_from_slice(fixed.trim_end_matches('.').as_bytes());
    }
    out.extend_from_slice(digits.trim_end_matches('0').trim_end_matches('.').as_bytes());
    let sign = if exponent < 0 { '-' } else { '+' };
    out.extend_from_slice(format!("e{sign}{:02}", exponent.abs()).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fractions_are_rounded_as_their_definition_rounds_them(
            digits in 0u32..10_000_000, scale in 0..12, bits in any::<u32>(), any in any::<f64>(),
        ) {
            let tie = f64::from(digits) / f64::from(1u32 << scale);
            let decimal = f64::from(digits) / 10f64.powi(scale);
            let narrow = f64::from(f32::from_bits(bits % 0x4b00_0000));
            for value in [tie, decimal, f64::from(decimal as f32), narrow, any.abs()] {
                let (mut out, mut expected) = (Vec::new(), Vec::new());
                write_general(value, &mut out);
                write_by_format(value, &mut expected);
                prop_assert_eq!(out, expected, "{}", value);
            }
        }

        #[test]
        fn elements_have_ten_digits_of_the_fraction_at_most(fraction in 0u64..10_000_000_000) {
            let mut out = vec![b'.'];
            write_word((super::digits(fraction / WORD) | ASCII) >> 48, 2, &mut out);
            write_word(super::digits(fraction % WORD) | ASCII, 8, &mut out);
            prop_assert_eq!(out, format!(".{fraction:010}").into_bytes());
        }
    }

    #[test]
    fn floats_as_c_prints_them() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (0.1f32.into(), "0.1"),
            (123_456.789, "123457"),
            (999_999.0, "999999"),
            (1e6, "1e+06"),
            (1.234_567e-5, "1.23457e-05"),
            (0.000_1, "0.0001"),
            (0.000_123_456_7, "0.000123457"),
            (3.402_823_5e38, "3.40282e+38"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
            (1e-45, "1e-45"),
            (99_999.96, "100000"),
            (2.5, "2.5"),
            (52_065.25, "52065.2"),
            (52_065.75, "52065.8"),
            (100_000.5, "100000"),
        ] {
            let mut out = Vec::new();
            write_float(value, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected, "{value}");
        }
        for (value, expected) in [
            (52_065.25, "52065.3"),
            (-566_762.5, "-566763"),
            (0.1f32.into(), "0.1"),
            (1.234_567e-5, "1.23457e-05"),
            (0.000_123_456_7, "0.000123457"),
            (-2.0, "-2"),
        ] {
            let mut out = Vec::new();
            write_float_element(value, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected, "{value}");
        }
    }
}
