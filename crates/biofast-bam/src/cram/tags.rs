//! Values of optional fields as BAM stores them.

/// Whether `value` is exactly one value of the type `kind` (SAM specification, section 4.2.4).
pub(super) fn is_whole(kind: u8, value: &[u8]) -> bool {
    let size = |kind: u8| match kind {
        b'A' | b'c' | b'C' => Some(1),
        b's' | b'S' => Some(2),
        b'i' | b'I' | b'f' => Some(4),
        b'd' => Some(8),
        _ => None,
    };
    match (kind, value) {
        (b'Z' | b'H', [text @ .., 0]) => !text.contains(&0),
        (b'B', [b'A' | b'd', ..]) => false,
        (b'B', [element, a, b, c, d, values @ ..]) => size(*element).is_some_and(|size| {
            let count = u64::from(u32::from_le_bytes([*a, *b, *c, *d]));
            count * size as u64 == values.len() as u64
        }),
        _ => size(kind) == Some(value.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fill_their_type() {
        for (kind, value) in [
            (b'C', &[1][..]),
            (b'i', &[1, 2, 3, 4]),
            (b'Z', b"text\0"),
            (b'Z', b"\0"),
            (b'B', b"s\x02\0\0\0abcd"),
            (b'B', b"f\0\0\0\0"),
        ] {
            assert!(is_whole(kind, value));
            assert!(!is_whole(kind, &value[..value.len() - 1]), "{}", kind as char);
            assert!(!is_whole(kind, &[value, b"x"].concat()));
        }
        assert!(!is_whole(b'Z', b"a\0b\0"));
        assert!(!is_whole(b'?', b"a"));
    }
}
