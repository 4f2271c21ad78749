//! Bounds of numbers as typed.

use anyhow::{Result, bail};

/// `value` if it lies between the two bounds.
pub(super) fn number(option: &str, value: f64, least: f64, most: f64) -> Result<f64> {
    if !(least..=most).contains(&value) {
        match most {
            f64::MAX => bail!("invalid value {value} for {option}: expected {least} or more"),
            _ => bail!("invalid value {value} for {option}: expected {least} to {most}"),
        }
    }
    Ok(value)
}
