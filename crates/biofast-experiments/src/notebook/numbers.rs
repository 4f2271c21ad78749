//! How numbers are written in tables, on axes and in the index.

use crate::core::stats::Interval;

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
