//! Barcodes of templates: in a tag, or in the name.

use std::fmt;

use biofast_bam::{Record, flag};

use crate::change::filter::regex::{self, Regex};

/// What distinguishes molecules at the same position.
///
/// Mates share their barcode: if only one of them has one, it is that of both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BarcodeSource {
    /// Nothing.
    #[default]
    None,
    /// The text of this tag.
    Tag([u8; 2]),
    /// The UMI in the name, as [`umi_of_name`] finds it.
    Name,
    /// What the first group of a pattern matches in the name.
    Pattern(NamePattern),
}

/// A regular expression for read names. It must have a group.
#[derive(Clone)]
pub struct NamePattern {
    text: String,
    regex: Regex,
}

impl NamePattern {
    /// A pattern in the syntax of the crate `regex`, over bytes.
    ///
    /// # Errors
    /// If it can't be compiled or has no group, says why.
    pub fn new(text: &str) -> Result<NamePattern, String> {
        let regex = regex::compile(text)?;
        if regex::groups(&regex) == 0 {
            return Err("it has no group: put the barcode in parentheses".into());
        }
        Ok(NamePattern { text: text.into(), regex })
    }
}

impl fmt::Debug for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NamePattern").field(&self.text).finish()
    }
}

impl PartialEq for NamePattern {
    fn eq(&self, other: &NamePattern) -> bool {
        self.text == other.text
    }
}

impl Eq for NamePattern {}

/// The UMI in a read's name: what follows seven parts of letters and digits, as `samtools markdup --barcode-name` has it, or else
/// what the name ends with, after `:` or `_`, if it looks like one: at least three of A, C, G, T and N, of a dual UMI each part so,
/// with `+`, `-` or `_` between them and `r` before a part that is reverse-complemented.
///
/// ```
/// use biofast_ops::sort::duplicates::umi_of_name;
///
/// let umi = |name: &'static str| umi_of_name(name.as_bytes());
/// assert_eq!(umi("A00:7:H3:1:1101:99:7:ACGT+rTTAG"), Some(&b"ACGT+rTTAG"[..]));
/// assert_eq!(umi("AV234501:260709-395-A:2538608933:1:10102:4631:1346:TACCAAGG"), Some(&b"TACCAAGG"[..]));
/// assert_eq!(umi("A00:7:H3:1:1101:99:7_GATTACA"), Some(&b"GATTACA"[..]));
/// assert_eq!(umi("A00:7:H3:1:1101:99:7"), None);
/// ```
pub fn umi_of_name(name: &[u8]) -> Option<&[u8]> {
    behind_seven_parts(name).or_else(|| at_the_end(name))
}

/// What stands behind seven parts of letters and digits, of which the first may be the end of a longer one: the pattern of
/// `samtools markdup`, `[0-9A-Za-z]+:` seven times and `([!-?A-~]+)`.
fn behind_seven_parts(name: &[u8]) -> Option<&[u8]> {
    // How many good parts end here, and where the next one begins.
    let (mut parts, mut start) = (0, 0);
    for (at, &byte) in name.iter().enumerate() {
        if byte != b':' {
            continue;
        }
        let part = &name[start..at];
        start = at + 1;
        if !part.last().is_some_and(u8::is_ascii_alphanumeric) {
            parts = 0;
            continue;
        }
        // A part that is good only at its end may be the first.
        let is_whole = part.iter().all(u8::is_ascii_alphanumeric);
        parts = if is_whole { parts + 1 } else { 1 };
        if parts >= 7 {
            let rest = &name[start..];
            let len = rest.iter().take_while(|&&b| b.is_ascii_graphic() && b != b'@').count();
            if len > 0 {
                return Some(&rest[..len]);
            }
        }
    }
    None
}

/// The bases of a UMI, or of each part, at least.
const FEWEST_BASES: usize = 3;

/// What a name ends with, if that looks like a UMI.
fn at_the_end(name: &[u8]) -> Option<&[u8]> {
    let is_umi = |part: &[u8]| {
        part.split(|byte| matches!(byte, b'+' | b'-')).all(|half| {
            let bases = half.strip_prefix(b"r").unwrap_or(half);
            bases.len() >= FEWEST_BASES && bases.iter().all(|base| b"ACGTN".contains(base))
        })
    };
    let mut found = None;
    let mut end = name.len();
    // Parts between underscores belong to it as long as they look so: a cell's barcode, or the second half.
    while let Some(at) = name[..end].iter().rposition(|byte| matches!(byte, b':' | b'_')) {
        if !is_umi(&name[at + 1..end]) {
            break;
        }
        found = Some(&name[at + 1..]);
        end = at;
        if name[at] == b':' {
            break;
        }
    }
    found
}

/// Bob Jenkins's one-at-a-time hash, by which samtools compares barcodes.
pub(super) fn hash(bytes: &[u8]) -> u32 {
    let mut hash = bytes.iter().fold(0u32, |hash, &byte| {
        // Characters are signed there in name only.
        let hash = hash.wrapping_add(u32::from(byte));
        let hash = hash.wrapping_add(hash << 10);
        hash ^ hash >> 6
    });
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15)
}

/// The hash of a text that isn't empty in this tag of a record.
pub(super) fn of_tag(record: &Record<'_>, tag: [u8; 2]) -> Option<u32> {
    let text = record.tags().find(|found| found.name == tag)?.as_text()?;
    (!text.is_empty()).then(|| hash(text))
}

impl BarcodeSource {
    /// Where it is looked for, or if it is nothing, in which tags of first and second reads.
    pub(super) fn sought(&self, of_reads: [Option<[u8; 2]>; 2]) -> String {
        match self {
            BarcodeSource::None => {
                let tags = of_reads.iter().flatten().map(|tag| String::from_utf8_lossy(tag));
                format!("in the tags {}", tags.collect::<Vec<_>>().join(" and "))
            }
            BarcodeSource::Tag(tag) => format!("in the tag {}", String::from_utf8_lossy(tag)),
            BarcodeSource::Name => "in its name".into(),
            BarcodeSource::Pattern(_) => "in its name that the pattern matches".into(),
        }
    }

    /// The hash of a record's own barcode, if it has one.
    pub(super) fn of(&self, record: &Record<'_>) -> Option<u32> {
        let text = match self {
            BarcodeSource::None => None,
            BarcodeSource::Tag(tag) => return of_tag(record, *tag),
            BarcodeSource::Name => umi_of_name(record.name()),
            BarcodeSource::Pattern(pattern) => regex::first_group(&pattern.regex, record.name()),
        };
        text.filter(|text| !text.is_empty()).map(hash)
    }
}

/// The barcode of a pair: that of both reads, or both, the first read's before.
pub(super) fn of_pair(reads: [Option<u32>; 2], flags: u16) -> u32 {
    let [one, other] = reads.map(Option::unwrap_or_default);
    if one == other {
        return one;
    }
    let (first, second) = if flags & flag::READ1 != 0 { (one, other) } else { (other, one) };
    hash(&[first.to_be_bytes(), second.to_be_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barcode_stands_behind_seven_parts_of_letters_and_digits() {
        let of = |name: &'static str| behind_seven_parts(name.as_bytes());
        assert_eq!(of("a:1:F2:3:4:5:6:ACGT"), Some(&b"ACGT"[..]));
        assert_eq!(of("a:1:2:3:4:5:6:AC:GT"), Some(&b"AC:GT"[..]));
        assert_eq!(of("a:1:2:3:4:5:6:AC@GT"), Some(&b"AC"[..]));
        // The pattern isn't anchored.
        assert_eq!(of("x-a:1:2:3:4:5:6:AC"), Some(&b"AC"[..]));
        assert_eq!(of("x-y:x-a:1:2:3:4:5:6:AC"), Some(&b"AC"[..]));
        for name in ["a:1:2:3:4:5:6", "a:1:2:3:4:5:6:", "a:1::3:4:5:6:A", "a:1-2:2:3:4:5:6:A", ""] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn umis_at_the_end_of_names_are_found() {
        for (name, umi) in [
            ("AV234501:260709-395-A:2538608933:1:10102:4631:1346:TACCAAGG", "TACCAAGG"),
            ("AV234501:260709-395-A:2538608933:1:10102:4631:1346_TACCAAGG", "TACCAAGG"),
            ("SRR1.7_ACGTN", "ACGTN"),
            ("SRR1.7_AACC_GGTT", "AACC_GGTT"),
            ("a:1:F2:3:4:5:6:AACC+GGTT", "AACC+GGTT"),
            ("a:run-1:F2:3:4:5:6:AACC+GGTT", "AACC+GGTT"),
            ("a:run-1:F2:3:4:5:6:rAACC+rGGTT", "rAACC+rGGTT"),
            ("a:run-1:F2:3:4:5:6:AACC-GGTT", "AACC-GGTT"),
            ("a:run-1:F2:3:4:5:6:UMI_AACC_GGTT", "AACC_GGTT"),
            ("read7:GAT", "GAT"),
        ] {
            assert_eq!(umi_of_name(name.as_bytes()), Some(umi.as_bytes()), "{name}");
        }
        for name in [
            "SRR1.7", "read_A", "x:12", "ACGTACGT", "read:ACGT+", "read:acgt", "a:run-1:2", ":",
            "_",
        ] {
            assert_eq!(umi_of_name(name.as_bytes()), None, "{name}");
        }
    }
}
