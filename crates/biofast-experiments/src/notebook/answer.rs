//! The answer of an entry, whose numbers come from the data: `{statement}` in it stands for what was measured of the
//! statement of that name, `{statement!}` for the value with its interval, `{1/statement}` for its inverse.

use anyhow::{Context as _, Result, bail};

use super::{numbers, tables};
use crate::core::protocol::Protocol;
use crate::core::summary::Summary;

/// The text with its numbers.
pub(crate) fn expand(text: &str, protocol: &Protocol, summary: &Summary) -> Result<String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').context("a brace isn't closed")?;
        expanded += before;
        expanded += &number(name, protocol, summary)?;
        rest = after;
    }
    Ok(expanded + rest)
}

fn number(name: &str, protocol: &Protocol, summary: &Summary) -> Result<String> {
    let (name, inverse) = name.strip_prefix("1/").map_or((name, false), |name| (name, true));
    let (name, whole) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
    let mut all = summary.checks.iter().zip(&protocol.verdict.checks);
    let Some((check, rule)) = all.find(|(check, _)| check.name == name) else {
        bail!("{{{name}}} names no statement");
    };
    let metric = rule.metric.as_deref().unwrap_or(&protocol.metric);
    let is_value = rule.over.is_empty();
    let Some(measured) = check.measured else { return Ok("(not measured)".to_owned()) };
    Ok(match (whole, inverse, &check.level) {
        (_, _, Some(level)) => level.clone(),
        (true, ..) => tables::measured(check, metric, is_value),
        (_, true, _) => numbers::figure(1.0 / measured.median),
        (_, _, None) if is_value => numbers::value(metric, measured.median),
        _ => numbers::figure(measured.median),
    })
}

/// Numbers written out in a text that isn't the data's: neither made from it nor in the protocol, as sizes are.
pub(crate) fn loose_numbers(text: &str, protocol_text: &str) -> Vec<String> {
    let mut outside = String::new();
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ',' | '-' | '_');
    let words = outside.split(|c: char| !is_part(c));
    let words = words.map(|word| word.trim_matches(|c: char| matches!(c, '.' | ',' | '-')));
    // Names with digits, such as AVX2, and numbers of entries are no figures.
    let figures = words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    figures.filter(|word| !contains_word(protocol_text, word)).map(str::to_owned).collect()
}

fn contains_word(text: &str, word: &str) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c == '.');
    text.match_indices(word).any(|(at, _)| {
        let after = text[at + word.len()..].chars().next();
        !is_digit(text[..at].chars().next_back()) && !after.is_some_and(|c| c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_not_the_datas_are_found() {
        let protocol = "At 1M reads, 100 of them, 4.47 times.";
        let of = |text: &str| loose_numbers(text, protocol);
        assert_eq!(of("At 1M reads {over match} times, with AVX2, not 4.47."), [""; 0]);
        assert_eq!(of("Gains 13 times and 3.2 at 1M."), ["13", "3.2"]);
        // Part of another number is none of its own.
        assert_eq!(of("It takes 10 and .47, 7"), ["10", "47", "7"]);
    }
}
