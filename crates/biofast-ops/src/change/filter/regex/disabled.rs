//! No patterns: this build has none. The same functions as `enabled.rs` has, for a type that has no values.

/// A pattern, of which there are none in a build without the feature `regex`.
#[derive(Clone, Debug)]
pub struct Regex(Never);

#[derive(Clone, Debug)]
enum Never {}

/// What every pattern meets in a build without the feature `regex`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this build has no regular expressions (feature 'regex' is off)")]
pub struct NoPatterns;

impl Regex {
    /// # Errors
    /// Always.
    pub fn new(_pattern: &str) -> Result<Regex, NoPatterns> {
        Err(NoPatterns)
    }

    /// Can't be called.
    pub fn is_match(&self, _text: &[u8]) -> bool {
        match self.0 {}
    }
}

/// Can't be called.
pub(crate) fn ranges(regex: &Regex, _text: &[u8], _found: &mut Vec<std::ops::Range<usize>>) {
    match regex.0 {}
}

/// Compiles no pattern.
///
/// # Errors
/// Always.
pub fn compile(_pattern: &str) -> Result<Regex, String> {
    Err(NoPatterns.to_string())
}

/// Can't be called.
pub(crate) fn first_group<'t>(regex: &Regex, _text: &'t [u8]) -> Option<&'t [u8]> {
    match regex.0 {}
}

/// Can't be called.
pub(crate) fn each_match<'t>(
    regex: &Regex,
    _text: &'t [u8],
    _each: impl FnMut(std::ops::Range<usize>, &dyn Fn(usize) -> Option<&'t [u8]>),
) {
    match regex.0 {}
}

/// Can't be called.
pub(crate) fn groups(regex: &Regex) -> usize {
    match regex.0 {}
}
