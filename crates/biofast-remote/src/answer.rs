//! What an answer's head says, and whether it is what was asked for.

use std::ops::Range;
use std::time::{Duration, SystemTime};

use ureq::http::HeaderMap;

/// The version of an object, as far as its server tells: all answers must have the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version {
    /// `ETag`, with its quotes.
    etag: Option<String>,
    /// `Last-Modified`.
    modified: Option<String>,
}

impl Version {
    pub(crate) fn of(headers: &HeaderMap) -> Version {
        let text = |name| text(headers, name).map(str::to_owned);
        Version { etag: text("etag"), modified: text("last-modified") }
    }

    /// Whether an answer of the version `other` may belong to the same object. An `ETag` decides; without one, when it
    /// was changed.
    pub(crate) fn admits(&self, other: &Version) -> bool {
        match &self.etag {
            Some(_) => self.etag == other.etag,
            None => self.modified == other.modified,
        }
    }

    /// An `ETag` that stands for these very bytes, if there is one.
    pub(crate) fn strong_etag(&self) -> Option<&str> {
        self.etag.as_deref().filter(|etag| !etag.starts_with("W/"))
    }

    /// When it was changed.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        parse_date(self.modified.as_deref()?)
    }

    /// How the version is told, for people.
    pub(crate) fn told_by(&self) -> &'static str {
        match (&self.etag, &self.modified) {
            (Some(_), _) => "the same ETag in all answers",
            (None, Some(_)) => "the same time of change in all answers",
            (None, None) => "no version from the server, only the length",
        }
    }
}

/// A header's value, if there is one and it is text.
pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

/// The stated length of what follows.
pub(crate) fn content_length(headers: &HeaderMap) -> Option<u64> {
    text(headers, "content-length")?.parse().ok()
}

/// How long the server asks to wait. A date instead of seconds is rare, and passed over.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    text(headers, "retry-after")?.parse().ok().map(Duration::from_secs)
}

/// What a `Content-Range` says: the range, unless there is none, and the length of the whole, if it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContentRange {
    pub(crate) range: Option<Range<u64>>,
    pub(crate) total: Option<u64>,
}

impl ContentRange {
    /// Parses `bytes 0-99/1234`, `bytes 0-99/*` or `bytes */1234` (RFC 9110, 14.4).
    pub(crate) fn parse(text: &str) -> Option<ContentRange> {
        let (range, total) = text.trim().strip_prefix("bytes")?.trim_start().split_once('/')?;
        let total = match total.trim() {
            "*" => None,
            number => Some(number.parse().ok()?),
        };
        let range = match range.trim() {
            "*" => None,
            range => {
                let (first, last) = range.split_once('-')?;
                let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
                (first <= last).then_some(())?;
                Some(first..last.checked_add(1)?)
            }
        };
        Some(ContentRange { range, total })
    }

    pub(crate) fn of(headers: &HeaderMap) -> Option<ContentRange> {
        ContentRange::parse(text(headers, "content-range")?)
    }
}

/// What is wrong with an answer whatever it was asked for: a page instead of data, or data encoded on the way.
/// `encoding_is_a_label`: of stores that hand out the bytes they hold, whatever they are labelled.
pub(crate) fn wrong_kind(
    headers: &HeaderMap,
    path: &str,
    encoding_is_a_label: bool,
) -> Option<String> {
    let kind = text(headers, "content-type").unwrap_or_default().to_ascii_lowercase();
    let is_page = |name: &str| name.ends_with(".html") || name.ends_with(".htm");
    if kind.starts_with("text/html") && !is_page(&path.to_ascii_lowercase()) {
        return Some("the server sent a web page (text/html), not data: is a login needed, or is there a proxy?".into());
    }
    let encoding = text(headers, "content-encoding").unwrap_or("identity");
    if !encoding_is_a_label && !encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity") {
        let encoding = biofast_io::Shown(encoding.as_bytes());
        return Some(format!("the data have an unexpected Content-Encoding: {encoding}"));
    }
    None
}

/// A date as HTTP has it: `Sun, 06 Nov 1994 08:49:37 GMT`. Its old forms are not sent any more.
fn parse_date(text: &str) -> Option<SystemTime> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.split_once(", ")?.1.split(' ');
    let day: i64 = words.next()?.parse().ok().filter(|day| (1..=31).contains(day))?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let year: i64 = words.next()?.parse().ok().filter(|year| (1970..=9999).contains(year))?;
    let mut clock = words.next()?.split(':').map(|part| part.parse::<i64>().ok());
    let (hours, minutes, seconds) = (clock.next()??, clock.next()??, clock.next()??);
    let days = biofast_io::calendar::days_since_1970(year, month, day);
    let seconds = u64::try_from(((days * 24 + hours) * 60 + minutes) * 60 + seconds).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_ranges_are_read_exactly() {
        let parse = |text| ContentRange::parse(text).map(|found| (found.range, found.total));
        assert_eq!(parse("bytes 0-99/1234"), Some((Some(0..100), Some(1234))));
        assert_eq!(parse("bytes 5-5/*"), Some((Some(5..6), None)));
        assert_eq!(parse("bytes */0"), Some((None, Some(0))));
        for wrong in ["", "bytes", "bytes 5-4/9", "bytes 0-9", "items 0-9/10", "bytes -9/10"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert_eq!(parse("bytes 0-18446744073709551615/9"), None);
    }

    #[test]
    fn dates_are_read() {
        let seconds = |text| {
            parse_date(text)?.duration_since(SystemTime::UNIX_EPOCH).ok().map(|d| d.as_secs())
        };
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds("Thu, 29 Feb 2024 12:00:00 GMT"), Some(1_709_208_000));
        for wrong in ["", "yesterday", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 6 Nov"] {
            assert_eq!(seconds(wrong), None);
        }
    }

    #[test]
    fn a_version_admits_its_own_answers_only() {
        let version = |etag: Option<&str>, modified: Option<&str>| Version {
            etag: etag.map(str::to_owned),
            modified: modified.map(str::to_owned),
        };
        assert!(version(Some("\"a\""), Some("1")).admits(&version(Some("\"a\""), Some("2"))));
        assert!(!version(Some("\"a\""), None).admits(&version(Some("\"b\""), None)));
        assert!(!version(Some("\"a\""), None).admits(&version(None, None)));
        assert!(!version(None, Some("1")).admits(&version(None, Some("2"))));
        assert!(version(None, None).admits(&version(None, None)));
    }
}
