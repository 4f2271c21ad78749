//! Patterns by the crate regex.

pub use regex::bytes::Regex;
use regex::bytes::RegexBuilder;

/// Makes `found` the places of all matches in `text` that don't overlap.
pub(crate) fn ranges(regex: &Regex, text: &[u8], found: &mut Vec<std::ops::Range<usize>>) {
    found.clear();
    found.extend(regex.find_iter(text).map(|found| found.range()));
}

/// Compiles a pattern of bytes: `.` is any byte, and classes such as `\d` are those of ASCII, as builds have no tables of Unicode.
///
/// # Errors
/// What is wrong with it.
pub fn compile(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern).unicode(false).dot_matches_new_line(true).build().map_err(|error| {
        match error {
            regex::Error::CompiledTooBig(_) => "repetitions that make it too large".to_owned(),
            // The last line says what, the lines before show it.
            error => {
                let text = error.to_string();
                let last = text.lines().last().unwrap_or_default();
                last.strip_prefix("error: ").unwrap_or(last).to_owned()
            }
        }
    })
}

/// Calls `each` with the place of each match that doesn't overlap the one before, and with what holds its groups by their numbers.
pub(crate) fn each_match<'t>(
    regex: &Regex,
    text: &'t [u8],
    mut each: impl FnMut(std::ops::Range<usize>, &dyn Fn(usize) -> Option<&'t [u8]>),
) {
    for found in regex.captures_iter(text) {
        if let Some(whole) = found.get(0) {
            each(whole.range(), &|number| found.get(number).map(|group| group.as_bytes()));
        }
    }
}

/// What the first group of the first match holds, if it takes part in it.
pub(crate) fn first_group<'t>(regex: &Regex, text: &'t [u8]) -> Option<&'t [u8]> {
    regex.captures(text)?.get(1).map(|found| found.as_bytes())
}

/// How many groups a pattern has.
pub(crate) fn groups(regex: &Regex) -> usize {
    regex.captures_len() - 1
}
