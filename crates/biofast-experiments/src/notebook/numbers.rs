//! How numbers are written in tables, on axes and in the index.

use crate::core::summary::Interval;

/// What a metric's numbers are, by the end of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Seconds,
    Kilobytes,
    Plain,
}

fn unit_of(metric: &str) -> Unit {
    if metric.ends_with("_s") {
        Unit::Seconds
    } else if metric.ends_with("_kb") {
        Unit::Kilobytes
    } else {
        Unit::Plain
    }
}

/// What a level stands for, if it is a number, with K, M or G behind it or not.
pub(crate) fn level(text: &str) -> Option<f64> {
    let (digits, factor) = match text.chars().last()? {
        'K' => (&text[..text.len() - 1], 1e3),
        'M' => (&text[..text.len() - 1], 1e6),
        'G' => (&text[..text.len() - 1], 1e9),
        _ => (text, 1.0),
    };
    digits.parse::<f64>().ok().map(|n| n * factor)
}

/// Divisor and name of the unit that suits a value of a metric.
fn scaled(metric: &str, value: f64) -> (f64, &'static str) {
    match unit_of(metric) {
        Unit::Seconds if value >= 1.0 => (1.0, " s"),
        Unit::Seconds if value >= 1e-3 => (1e-3, " ms"),
        Unit::Seconds if value >= 1e-6 => (1e-6, " µs"),
        Unit::Seconds => (1e-9, " ns"),
        Unit::Kilobytes => (1e6 / 1024.0, " MB"),
        Unit::Plain => (1.0, ""),
    }
}

/// A median with its interval, in one unit: `1.20 ms [1.18, 1.25]`.
pub(crate) fn interval(metric: &str, i: &Interval) -> String {
    let (divisor, unit) = scaled(metric, i.median);
    let number = |value: f64| figure(value / divisor);
    format!("{}{unit} [{}, {}]", number(i.median), number(i.low), number(i.high))
}

/// A single value with its unit.
pub(crate) fn value(metric: &str, value: f64) -> String {
    let (divisor, unit) = scaled(metric, value);
    format!("{}{unit}", figure(value / divisor))
}

/// A ratio with its interval: `3.21 [3.10, 3.40]`.
pub(crate) fn ratio(i: &Interval) -> String {
    format!("{} [{}, {}]", figure(i.median), figure(i.low), figure(i.high))
}

/// Three significant digits, without an exponent.
pub(crate) fn figure(value: f64) -> String {
    if value.is_infinite() {
        return "∞".to_owned();
    }
    let size = value.abs();
    if value == value.round() && size < 1000.0 {
        return format!("{value:.0}");
    }
    if size >= 1000.0 {
        return grouped(value.round());
    }
    let digits = if size >= 100.0 {
        0
    } else if size >= 10.0 {
        1
    } else if size >= 1.0 {
        2
    } else if size >= 0.1 {
        3
    } else {
        4
    };
    format!("{value:.digits$}")
}

/// With commas between thousands.
fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0.0 { format!("-{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_the_size() {
        let i = Interval { median: 0.00123, low: 0.0012, high: 0.00125 };
        assert_eq!(interval("wall_s", &i), "1.23 ms [1.20, 1.25]");
        assert_eq!(value("wall_s", 2.5e-7), "250 ns");
        assert_eq!(value("max_rss_kb", 2000.0), "2.05 MB");
        assert_eq!(value("minor_faults", 1234567.0), "1,234,567");
        assert_eq!((level("30K"), level("0.5"), level("mmap")), (Some(30e3), Some(0.5), None));
        assert_eq!(figure(0.0), "0");
        assert_eq!(figure(54.0), "54");
        assert_eq!(figure(54.04), "54.0");
        assert_eq!(figure(-12345.0), "-12,345");
    }
}
