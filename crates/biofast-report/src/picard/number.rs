//! Numbers as htsjdk writes them.

/// At most six decimals, halves rounded towards zero, and `?` for what isn't finite.
pub(super) fn number(value: f64) -> String {
    if value.is_nan() {
        return "?".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "?".into() } else { "-?".into() };
    }
    // Only a whole number of 128ths can lie in the middle of two numbers of six decimals.
    let in_128ths = value * 128.0;
    let mut text = match in_128ths.fract() == 0.0 && in_128ths % 2.0 != 0.0 {
        true => {
            let mut text = format!("{value:.7}");
            text.pop();
            text
        }
        false => format!("{value:.6}"),
    };
    text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    text
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_those_of_java() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (100.0, "100"),
            (0.5, "0.5"),
            (1.0 / 3.0, "0.333333"),
            (2.0 / 3.0, "0.666667"),
            // Halves, exactly.
            (1.0 / 128.0, "0.007812"),
            (3.0 / 128.0, "0.023437"),
            (5.0 / 128.0, "0.039062"),
            (0.0000005, "0"),
            (0.00000051, "0.000001"),
            (136.349502, "136.349502"),
            (-0.25, "-0.25"),
            (123_456_789_012.0, "123456789012"),
            (f64::NAN, "?"),
            (f64::INFINITY, "?"),
            (f64::NEG_INFINITY, "-?"),
        ] {
            assert_eq!(number(value), text, "{value:e}");
        }
    }
}
