//! Numbers as people read them.

/// With commas between thousands.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// With a noun, such as `1 read` and `2 reads`.
pub fn counted(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// With at most `digits` decimals, and no zeros at their end.
pub fn decimal(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    if text == "-0" { "0".into() } else { text.into() }
}

/// Short, with k, M, G or T, as on an axis.
pub fn compact(value: f64) -> String {
    for (unit, name) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if value >= unit {
            return decimal(value / unit, 2) + name;
        }
    }
    // What is small needs its leading digits.
    let digits =
        if value > 0.0 && value < 0.1 { (1.0 - value.log10().floor()) as usize } else { 2 };
    decimal(value, digits)
}

/// `part` of `whole` in percent; 0 of nothing.
pub fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// The median, and the standard deviation by the median absolute deviation; nothing of nothing.
///
/// Of a normal distribution the standard deviation is 1.4826 times the median absolute deviation.
pub fn robust(values: &mut [f64]) -> Option<(f64, f64)> {
    let median = median(values)?;
    let mut apart: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
    Some((median, 1.4826 * self::median(&mut apart)?))
}

/// The middle of values, which are sorted; of an even number the mean of the two in the middle.
pub fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    match values.len() % 2 {
        0 => Some((values[values.len() / 2 - 1] + upper) / 2.0),
        _ => Some(upper),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_trimmed_and_shortened() {
        assert_eq!([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 1, 2].map(|n| counted(n, "read")), ["0 reads", "1 read", "2 reads"]);
        assert_eq!(
            [(1.5, 2), (2.0, 1), (-0.001, 1), (10.0, 0)].map(|(v, d)| decimal(v, d)),
            ["1.5", "2", "0", "10"]
        );
        assert_eq!(
            [0.0, 0.002, 12.5, 1000.0, 2.5e6].map(compact),
            ["0", "0.002", "12.5", "1k", "2.5M"]
        );
    }
}
