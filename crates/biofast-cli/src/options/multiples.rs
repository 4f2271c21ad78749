//! Numbers with a suffix.

use std::num::NonZeroU64;

/// What is typed as digits and what follows them, in capitals.
pub(crate) fn split(typed: &str) -> (&str, String) {
    let digits = typed.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    (digits, typed[digits.len()..].to_ascii_uppercase())
}

/// A number above zero that may end in K, M or G: powers of `thousand`, which may be 1024.
pub(crate) fn multiple(typed: &str, thousand: u64) -> Option<NonZeroU64> {
    let (digits, suffix) = split(typed);
    let power = match suffix.as_str() {
        "" => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        _ => return None,
    };
    let number: u64 = digits.parse().ok()?;
    NonZeroU64::new(number.checked_mul(thousand.pow(power))?)
}
