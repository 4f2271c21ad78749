//! Reads by name: lists and patterns.

use std::collections::HashSet;

use biofast_fastq::Unit;
use biofast_fastq::pair::template_name;
pub use regex::bytes::Regex;

/// Which names are wanted. A pair is wanted if either name is.
#[derive(Debug, Default)]
pub struct Names {
    listed: Option<HashSet<Box<[u8]>>>,
    pattern: Option<Regex>,
    invert: bool,
}

impl Names {
    /// Wants every name.
    pub fn new() -> Names {
        Names::default()
    }

    /// Wants the names in `text`, one a line: the line up to the first blank, without a leading
    /// `@` and without the mate's number (see [`template_name`]), so that it stands for both mates. Empty lines
    /// are passed over.
    pub fn listed(mut self, text: &[u8]) -> Names {
        let listed = self.listed.get_or_insert_default();
        for line in text.split(|&b| b == b'\n') {
            let line = line.strip_prefix(b"@").unwrap_or(line);
            let end = line.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(line.len());
            if end > 0 {
                listed.insert(template_name(&line[..end]).into());
            }
        }
        self
    }

    /// Wants names in which `pattern` is found.
    pub fn matching(mut self, pattern: Regex) -> Names {
        self.pattern = Some(pattern);
        self
    }

    /// Wants the other names instead.
    pub fn inverted(mut self, invert: bool) -> Names {
        self.invert = invert;
        self
    }

    /// Whether the names of `unit` are wanted: in the list if there is one, and matching the
    /// pattern if there is one, or not so if inverted.
    pub fn wants(&self, unit: &Unit<'_>) -> bool {
        let names = [Some(unit.first.name()), unit.second.map(|r| r.name())];
        let found = names.iter().flatten().any(|name| {
            self.listed.as_ref().is_none_or(|listed| listed.contains(template_name(name)))
                && self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(name))
        });
        found != self.invert
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_fastq::Record;

    fn wants(names: &Names, name: &[u8]) -> bool {
        let first = Record::new(name, b"", b"");
        names.wants(&Unit { index: 0, first, second: None })
    }

    #[test]
    fn lists_and_patterns() {
        let names = Names::new().listed(b"@a/1 x\r\n\nb\r\nc");
        for (name, wanted) in
            [(&b"a/2"[..], true), (b"a y", true), (b"b", true), (b"c", true), (b"ab", false)]
        {
            assert_eq!(wants(&names, name), wanted, "{name:?}");
        }
        let names = names.matching(Regex::new("^[ab]").expect("a pattern"));
        assert!(wants(&names, b"a") && !wants(&names, b"c"));
        let names = names.inverted(true);
        assert!(!wants(&names, b"a") && wants(&names, b"c") && wants(&names, b"zzz"));
    }
}
