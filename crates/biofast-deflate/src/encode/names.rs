//! Lines that resemble an earlier one, field by field: names and separators.

use super::symbols::MAX_DISTANCE;
use super::tokens::{Text, Tokens, common};

/// The shortest copy.
const MIN_COPY: usize = 3;

/// Adds `text[start..end]`, with copies of what it has in common with the earlier `text[like..like_end]`. Where they
/// differ both are followed to the end of the field.
pub(super) fn add(
    tokens: &mut Tokens,
    text: &Text,
    (start, end): (usize, usize),
    (like, like_end): (usize, usize),
) {
    let (mut at, mut from) = (start, like);
    loop {
        if at - from > MAX_DISTANCE {
            break;
        }
        let n = common(text, at, from, (end - at).min(like_end - from));
        if n >= MIN_COPY {
            tokens.copy(n, at - from);
        } else {
            tokens.literals(&text[at..at + n]);
        }
        at += n;
        from += n;
        if at >= end || from >= like_end {
            break;
        }
        let next = skip_field(text, at, end);
        tokens.literals(&text[at..next]);
        at = next;
        from = skip_field(text, from, like_end);
    }
    tokens.literals(&text[at..end]);
}

/// Where the field around `at` ends: behind letters and digits, or behind a single other byte.
fn skip_field(text: &Text, at: usize, end: usize) -> usize {
    let field = text[at..end].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    at + field.max(1)
}
