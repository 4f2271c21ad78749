//! How many random cases a test tries.

/// `cases`, times what `BIOFAST_EFFORT` says. A run in which nothing is said takes a few, CI's exhaustive tier several times as many.
///
/// # Panics
/// If `BIOFAST_EFFORT` isn't a number.
pub fn times(cases: u32) -> u32 {
    let effort = std::env::var("BIOFAST_EFFORT").ok();
    cases * effort.map_or(1, |effort| effort.parse().expect("BIOFAST_EFFORT is a number"))
}

/// The step through a range of which a run with more effort tries all, and another one in `n`: `n` has no factor in common with
/// what repeats in the range.
pub fn one_in(n: usize) -> usize {
    if times(1) > 1 { 1 } else { n }
}
