//! Numbers as text.

const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut n = 0;
    while n < 100 {
        pairs[n] = [b'0' + n as u8 / 10, b'0' + n as u8 % 10];
        n += 1;
    }
    pairs
};

/// Appends a number in decimal digits.
#[inline]
pub(super) fn write_unsigned(mut value: u64, out: &mut Vec<u8>) {
    if value < 10 {
        return out.push(b'0' + value as u8);
    }
    let mut digits = [0; 20];
    let mut at = digits.len();
    while value >= 10 {
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[(value % 100) as usize]);
        value /= 100;
    }
    if value > 0 {
        at -= 1;
        digits[at] = b'0' + value as u8;
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a number with its sign, if that is a minus.
#[inline]
pub(super) fn write_signed(value: i64, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    write_unsigned(value.unsigned_abs(), out);
}

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
        let digits = format!(".{fraction:010}");
        out.extend_from_slice(digits.trim_end_matches('0').as_bytes());
    }
}

/// Appends a number that isn't negative, or NaN, as C's `%g`.
fn write_general(value: f64, out: &mut Vec<u8>) {
    if value.is_nan() {
        return out.extend_from_slice(if value.is_sign_negative() { b"-nan" } else { b"nan" });
    }
    if value.is_infinite() {
        return out.extend_from_slice(b"inf");
    }
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

    #[test]
    fn integers_of_every_length() {
        let mut value = 1u64;
        while let Some(next) = value.checked_mul(10) {
            for n in [value - 1, value, value + 1, value * 3] {
                let mut out = Vec::new();
                write_unsigned(n, &mut out);
                assert_eq!(out, n.to_string().as_bytes());
            }
            value = next;
        }
        for n in [i64::MIN, -10, -1, 0, i64::MAX] {
            let mut out = Vec::new();
            write_signed(n, &mut out);
            assert_eq!(out, n.to_string().as_bytes());
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
