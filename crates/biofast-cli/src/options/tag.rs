//! The names of tags.

/// A tag: a letter, and a letter or digit.
pub(crate) fn sam_tag(text: &str) -> Result<[u8; 2], String> {
    match text.as_bytes() {
        &[a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphanumeric() => Ok([a, b]),
        _ => Err("expected a tag: a letter and a letter or digit".into()),
    }
}
