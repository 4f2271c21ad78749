//! What the values of header fields may be (SAM specification, sections 1.2.1 and 1.3).

/// The technologies of `@RG` PL. Upper case is what should be written; lower case is to be read, too.
const PLATFORMS: [&str; 12] = [
    "CAPILLARY", "DNBSEQ", "ELEMENT", "HELICOS", "ILLUMINA", "IONTORRENT", "LS454", "ONT",
    "PACBIO", "SINGULAR", "SOLID", "ULTIMA",
];

/// What is wrong with the value of `tag` in a line of this kind, where the specification says what it must be.
pub(super) fn fault_of(kind: [u8; 2], tag: [u8; 2], value: &[u8]) -> Option<&'static str> {
    let (good, expected) = match (&kind, &tag) {
        (b"HD", b"VN") => (is_version(value), "expected a version (VN) of the form 1.6"),
        (b"HD", b"SO") => (
            [&b"unknown"[..], b"unsorted", b"queryname", b"coordinate"].contains(&value),
            "expected an order (SO): unknown, unsorted, queryname or coordinate",
        ),
        (b"HD", b"GO") => (
            [&b"none"[..], b"query", b"reference"].contains(&value),
            "expected a grouping (GO): none, query or reference",
        ),
        (b"HD", b"SS") => (
            is_sub_sort(value),
            "expected a sub-order (SS) of coordinate, queryname or unsorted and words after colons",
        ),
        (b"SQ", b"SN") => (
            is_reference_name(value),
            "expected a reference name (SN) of the characters the specification allows",
        ),
        (b"SQ", b"AH") => (
            value == b"*" || is_reference_name(value),
            "expected a locus (AH) name:start-end, name or '*'",
        ),
        (b"SQ", b"AN") => (
            value.split(|&b| b == b',').all(is_reference_name),
            "expected reference names (AN) of the characters the specification allows, separated by commas",
        ),
        (b"SQ", b"M5") => (
            value.len() == 32 && value.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')),
            "expected an MD5 sum (M5) of 32 digits 0-9 and a-f",
        ),
        (b"SQ", b"TP") => (
            matches!(value, b"linear" | b"circular"),
            "expected a topology (TP): linear or circular",
        ),
        (b"RG", b"DT") => (
            is_date(value),
            "expected a date or date and time (DT) in ISO 8601, such as 2024-12-31",
        ),
        (b"RG", b"FO") => (
            value == b"*"
                || !value.is_empty() && value.iter().all(|b| b"ACMGRSVTWYHKDBN".contains(b)),
            "expected a flow order (FO) of letters for bases, or '*'",
        ),
        (b"RG", b"PI") => (is_number(value), "expected an insert size (PI) that is a whole number"),
        (b"RG", b"PL") => (
            PLATFORMS.iter().any(|known| value.eq_ignore_ascii_case(known.as_bytes())),
            "expected a platform (PL) that the specification lists, or no PL",
        ),
        _ => return None,
    };
    (!good).then_some(expected)
}

/// Whether a value of this field may be in UTF-8, and not in ASCII alone.
pub(super) fn may_be_utf8(kind: [u8; 2], tag: [u8; 2]) -> bool {
    matches!((&kind, &tag), (b"SQ" | b"RG" | b"PG", b"DS") | (b"PG", b"CL"))
}

/// Digits, and no fewer than one.
fn is_number(value: &[u8]) -> bool {
    !value.is_empty() && value.iter().all(u8::is_ascii_digit)
}

/// Digits, a point, digits.
fn is_version(value: &[u8]) -> bool {
    let mut parts = value.split(|&b| b == b'.');
    let number = |part: Option<&[u8]>| part.is_some_and(is_number);
    number(parts.next()) && number(parts.next()) && parts.next().is_none()
}

/// `(coordinate|queryname|unsorted)(:[A-Za-z0-9_-]+)+`
fn is_sub_sort(value: &[u8]) -> bool {
    let mut parts = value.split(|&b| b == b':');
    let order = parts.next().unwrap_or_default();
    let word = |part: &[u8]| {
        !part.is_empty() && part.iter().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(b))
    };
    let mut words = parts.peekable();
    matches!(order, b"coordinate" | b"queryname" | b"unsorted")
        && words.peek().is_some()
        && words.all(word)
}

/// What a reference name may hold (section 1.2.1).
pub(super) fn is_reference_name(name: &[u8]) -> bool {
    let inside = |b: &u8| {
        b.is_ascii_graphic()
            && !matches!(b, b'\\' | b',' | b'"' | b'`' | b'\'' | b'(' | b')')
            && !matches!(b, b'[' | b']' | b'{' | b'}' | b'<' | b'>')
    };
    name.first().is_some_and(|b| !matches!(b, b'*' | b'=')) && name.iter().all(inside)
}

/// A date, or a date and a time, by ISO 8601: of a calendar (2024-12-31, 20241231, 2024-12, 2024), of weeks (2024-W01-1)
/// or of days (2024-366); then, after `T`, hours, minutes, seconds, and where the clock stands (Z, +01:00). Blanks at the
/// end are left out.
fn is_date(value: &[u8]) -> bool {
    let value = value.trim_ascii_end();
    let (date, time) = match value.iter().position(|&b| b == b'T') {
        Some(at) => (&value[..at], Some(&value[at + 1..])),
        None => (value, None),
    };
    is_day(date, time.is_some()) && time.is_none_or(is_time)
}

fn number(digits: &[u8]) -> Option<u32> {
    is_number(digits)
        .then(|| digits.iter().fold(0, |n: u32, b| n.saturating_mul(10) + u32::from(b - b'0')))
}

/// `whole` where a time follows, so that it must be a day.
fn is_day(date: &[u8], whole: bool) -> bool {
    let Some((year, rest)) = date.split_at_checked(4) else { return false };
    let Some(year) = number(year) else { return false };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = |month: u32| match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let within = |digits: &[u8], max: u32| number(digits).is_some_and(|n| (1..=max).contains(&n));
    let month_and_day = |month: &[u8], day: &[u8]| {
        within(month, 12) && number(month).is_some_and(|month| within(day, days(month)))
    };
    match rest {
        [] => !whole,
        [b'-', b'W', w, x] | [b'W', w, x] => !whole && within(&[*w, *x], 53),
        [b'-', b'W', w, x, b'-', d] | [b'W', w, x, d] => within(&[*w, *x], 53) && within(&[*d], 7),
        [b'-', m, o] => !whole && within(&[*m, *o], 12),
        [b'-', a, b, c] | [a, b, c] => within(&[*a, *b, *c], 365 + u32::from(leap)),
        [b'-', m, o, b'-', d, e] | [m, o, d, e] => month_and_day(&[*m, *o], &[*d, *e]),
        _ => false,
    }
}

fn is_time(time: &[u8]) -> bool {
    let zone = time.iter().position(|b| matches!(b, b'Z' | b'+' | b'-')).unwrap_or(time.len());
    let (clock, zone) = time.split_at(zone);
    // Parts of the smallest unit.
    let mut parts = clock.splitn(2, |b| matches!(b, b'.' | b','));
    let whole = parts.next().unwrap_or_default();
    let good_zone = match zone {
        [] | b"Z" => true,
        [_, offset @ ..] => is_clock(offset, 2),
    };
    is_clock(whole, 3) && parts.next().is_none_or(is_number) && good_zone
}

/// Hours, minutes and seconds, up to so many of them, all with colons or all without.
fn is_clock(clock: &[u8], most: usize) -> bool {
    let parts: Vec<&[u8]> = match clock.contains(&b':') {
        true => clock.split(|&b| b == b':').collect(),
        false => clock.chunks(2).collect(),
    };
    let limits = [24, 59, 60];
    (1..=most).contains(&parts.len())
        && parts
            .iter()
            .zip(limits)
            .all(|(part, max)| part.len() == 2 && number(part).is_some_and(|n| n <= max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions() {
        for name in [&b"chr1"[..], b"HLA*01:01", b"1", b"a=b"] {
            assert!(is_reference_name(name));
        }
        for name in [&b""[..], b"*", b"=x", b"a,b", b"a b", b"a\x01", b"(a)", b"a`"] {
            assert!(!is_reference_name(name));
        }
        assert!(is_version(b"1.6") && is_version(b"1.10"));
        assert!(![&b"1"[..], b"1.", b".6", b"1.6.1", b"v1.6"].into_iter().any(is_version));
    }

    #[test]
    fn dates_of_iso_8601() {
        for date in [
            "2020-06-23", "2020-06-23 ", "20200623", "2020-06", "2020", "2020-W53-7", "2020W537",
            "2020-366", "2020-02-29", "2020-06-23T12:13:47+01:00", "2013-04-10T00:00:00+0100",
            "20130410T000000Z", "2013-04-10T24:00", "2013-04-10T12", "2013-04-10T12:13:14.5-03",
            "2016-12-31T23:59:60Z",
        ] {
            assert!(is_date(date.as_bytes()), "{date}");
        }
        for no_date in [
            "", "Tuesday", "2020-23-06", "2020-06-31", "2021-02-29", "2021-366", "12/10/2012",
            "2020-6-23", "2020-06-23T", "2020-06T12:00", "2020-06-23T12:13:61", "2020-06-23T25",
            "2020-06-23T12:1", "2020-06-23 12:13:47", "2020-06-23T12:13:47+1", "2020-W54-1",
            "2020-00-01",
        ] {
            assert!(!is_date(no_date.as_bytes()), "{no_date}");
        }
    }

    #[test]
    fn values_that_are_listed_or_have_a_form() {
        let good = |kind: &[u8; 2], tag: &[u8; 2], value: &str| {
            fault_of(*kind, *tag, value.as_bytes()).is_none()
        };
        for (kind, tag, value) in [
            (b"HD", b"SS", "coordinate:queryname"),
            (b"HD", b"SS", "unsorted:MI:a_b-c"),
            (b"SQ", b"AH", "*"),
            (b"SQ", b"AH", "chr1:100-200"),
            (b"SQ", b"AN", "2,Chr2"),
            (b"RG", b"PL", "illumina"),
            (b"RG", b"FO", "*"),
            (b"RG", b"PI", "0300"),
            (b"RG", b"BC", "ACGT-A"),
            (b"SQ", b"xy", "anything"),
        ] {
            assert!(good(kind, tag, value), "{value}");
        }
        for (kind, tag, value) in [
            (b"HD", b"SS", "coordinate"),
            (b"HD", b"SS", "unknown:MI"),
            (b"HD", b"SS", "unsorted:bar code"),
            (b"HD", b"SS", "unsorted:"),
            (b"HD", b"GO", "coordinate"),
            (b"SQ", b"AH", "="),
            (b"SQ", b"AN", "a,"),
            (b"SQ", b"M5", "7FC56270E7A70FA81A5935B72EACBE29"),
            (b"SQ", b"TP", "Circular"),
            (b"RG", b"PL", "454"),
            (b"RG", b"FO", "ACGU"),
            (b"RG", b"FO", ""),
            (b"RG", b"PI", "1.5"),
        ] {
            assert!(!good(kind, tag, value), "{value}");
        }
    }
}
