//! Patterns, where the build has them. This is the only place that asks: both faces have the same functions, and without
//! patterns none can be made.

#[cfg(feature = "regex")]
mod enabled;
#[cfg(feature = "regex")]
pub use enabled::Regex;
#[cfg(feature = "regex")]
pub(crate) use enabled::{compile, each_match, first_group, groups, ranges};

#[cfg(not(feature = "regex"))]
mod disabled;
#[cfg(not(feature = "regex"))]
pub use disabled::Regex;
#[cfg(not(feature = "regex"))]
pub(crate) use disabled::{compile, each_match, first_group, groups, ranges};
