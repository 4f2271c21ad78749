//! Patterns, where the build has them. This is the only place that asks: both faces have the same functions, and without
//! patterns none can be made.

#[cfg(feature = "regex")]
mod enabled;
#[cfg(feature = "regex")]
pub use enabled::{Regex, compile};
#[cfg(feature = "regex")]
pub(crate) use enabled::{each_match, first_group, groups, ranges};

#[cfg(not(feature = "regex"))]
mod disabled;
#[cfg(not(feature = "regex"))]
pub use disabled::{Regex, compile};
#[cfg(not(feature = "regex"))]
pub(crate) use disabled::{each_match, first_group, groups, ranges};
