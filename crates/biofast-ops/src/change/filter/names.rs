//! Reads by name: lists and patterns.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use biofast_fastq::Unit;
use biofast_fastq::pair::{MateNaming, pair_template, template_name};

pub use super::regex::Regex;
#[doc(hidden)]
pub use super::regex::compile;

/// A list of names, which notes those that are asked for.
#[derive(Debug, Default)]
pub struct NameList {
    /// The place of each in the list.
    places: HashMap<Box<[u8]>, usize>,
    /// Whether the name at this place was asked for.
    found: Vec<AtomicBool>,
}

impl NameList {
    /// Adds a name, unless it is there. Tells whether it is new.
    pub fn add(&mut self, name: &[u8]) -> bool {
        let is_new = !self.places.contains_key(name);
        if is_new {
            self.places.insert(name.into(), self.found.len());
            self.found.push(AtomicBool::new(false));
        }
        is_new
    }

    /// Whether the list has this name, which is then a found one.
    pub fn contains(&self, name: &[u8]) -> bool {
        self.find(name).is_some()
    }

    /// Which name of the list this is, counted from 0; it is then a found one.
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        let place = *self.places.get(name)?;
        // Not written again and again, as other threads read it.
        if !self.found[place].load(Ordering::Relaxed) {
            self.found[place].store(true, Ordering::Relaxed);
        }
        Some(place)
    }

    /// How many of the names were found so far.
    pub fn summary(&self) -> ListedNames {
        let is_found = |place: usize| self.found[place].load(Ordering::Relaxed);
        let absent = (0..self.found.len()).find(|&place| !is_found(place));
        let name = absent.and_then(|absent| self.places.iter().find(|&(_, &at)| at == absent));
        ListedNames {
            listed: self.found.len() as u64,
            found: (0..self.found.len()).filter(|&place| is_found(place)).count() as u64,
            first_absent: name.map(|(name, _)| String::from_utf8_lossy(name).into_owned()),
        }
    }
}

/// How many names of a list there were among the reads that were looked at.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ListedNames {
    /// Different names in the list.
    pub listed: u64,
    /// Those of them that were found.
    pub found: u64,
    /// The first in the list that was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_absent: Option<String>,
}

/// Selects reads by their names. A pair is selected if either name is.
#[derive(Debug, Default)]
pub struct NameFilter {
    listed: Option<NameList>,
    pattern: Option<Regex>,
    invert: bool,
    mates: MateNaming,
}

impl NameFilter {
    /// Wants every name.
    pub fn new() -> NameFilter {
        NameFilter::default()
    }

    /// Wants the names in `text`, one a line: the line up to the first blank, without a leading
    /// `@` and without the mate's number (see [`template_name`]), so that it stands for both mates. Empty lines
    /// are passed over.
    pub fn listed(mut self, text: &[u8]) -> NameFilter {
        let listed = self.listed.get_or_insert_default();
        for line in text.split(|&b| b == b'\n') {
            let line = line.strip_prefix(b"@").unwrap_or(line);
            let end = line.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(line.len());
            if end > 0 {
                listed.add(template_name(&line[..end]));
            }
        }
        self
    }

    /// By this rule a name in the list stands for both mates of a pair, with their number or without.
    pub fn of_mates(mut self, rule: MateNaming) -> NameFilter {
        self.mates = rule;
        self
    }

    /// How many names of the list were found so far, if there is one.
    pub fn summary(&self) -> Option<ListedNames> {
        self.listed.as_ref().map(NameList::summary)
    }

    /// Wants names in which `pattern` is found.
    pub fn matching(mut self, pattern: Regex) -> NameFilter {
        self.pattern = Some(pattern);
        self
    }

    /// Wants the other names instead.
    pub fn inverted(mut self, invert: bool) -> NameFilter {
        self.invert = invert;
        self
    }

    /// Whether the names of `unit` are wanted: in the list if there is one, and matching the
    /// pattern if there is one, or not so if inverted.
    pub fn wants(&self, unit: &Unit<'_>) -> bool {
        let second = unit.second.map(|r| r.name());
        let shared = second
            .filter(|_| self.mates == MateNaming::Names)
            .map(|second| pair_template(unit.first.name(), second, self.mates));
        let names = [Some(unit.first.name()), second, shared];
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

    fn wants(names: &NameFilter, name: &[u8]) -> bool {
        let first = Record::new(name, b"", b"");
        names.wants(&Unit { index: 0, first, second: None })
    }

    #[test]
    fn lists_and_patterns() {
        let names = NameFilter::new().listed(b"@a/1 x\r\n\nb\r\nc");
        for (name, wanted) in
            [(&b"a/2"[..], true), (b"a y", true), (b"b", true), (b"c", true), (b"ab", false)]
        {
            assert_eq!(wants(&names, name), wanted, "{name:?}");
        }
        let found = names.summary().expect("a list");
        assert_eq!(found, ListedNames { listed: 3, found: 3, first_absent: None });
        let some = NameFilter::new().listed(b"x\na\ny\na/2\n");
        assert!(wants(&some, b"a") && !wants(&some, b"b"));
        let first_absent = Some("x".to_owned());
        assert_eq!(some.summary(), Some(ListedNames { listed: 3, found: 1, first_absent }));
    }

    #[test]
    #[cfg(feature = "regex")]
    fn patterns_and_the_inverse() {
        let names = NameFilter::new().listed(b"a\nb\nc");
        let names = names.matching(Regex::new("^[ab]").expect("a pattern"));
        assert!(wants(&names, b"a") && !wants(&names, b"c"));
        let names = names.inverted(true);
        assert!(!wants(&names, b"a") && wants(&names, b"c") && wants(&names, b"zzz"));
    }

    #[test]
    #[cfg(not(feature = "regex"))]
    fn a_pattern_without_its_feature_is_an_error() {
        let error = Regex::new("a").expect_err("no regular expressions").to_string();
        assert!(error.contains("feature 'regex' is off"), "{error}");
        assert!(crate::filter::expression::Expression::parse("qname =~ \"a\"").is_err());
    }
}
