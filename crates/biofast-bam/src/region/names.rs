//! Names of references looked up, and near names for those that aren't there.

use std::collections::HashMap;

use biofast_io::Shown;

use crate::header::Header;

/// How many near names a message lists.
const SHOWN: usize = 3;

/// What has names of reference sequences: a header, or the index of a FASTA file.
pub(crate) trait ReferenceNames {
    /// The number of the first reference of that name.
    fn position(&self, name: &[u8]) -> Option<usize>;

    /// All of them, in their order.
    fn names(&self) -> Box<dyn Iterator<Item = &[u8]> + '_>;
}

impl ReferenceNames for Header {
    fn position(&self, name: &[u8]) -> Option<usize> {
        self.references().iter().position(|r| r.name == name)
    }

    fn names(&self) -> Box<dyn Iterator<Item = &[u8]> + '_> {
        Box::new(self.references().iter().map(|r| &r.name[..]))
    }
}

/// References by name.
pub(super) struct Names<'a> {
    all: &'a dyn ReferenceNames,
    /// Only worth making for many look-ups.
    by_name: Option<HashMap<&'a [u8], usize>>,
}

impl<'a> Names<'a> {
    /// For a few look-ups.
    pub(super) fn few(all: &'a dyn ReferenceNames) -> Self {
        Names { all, by_name: None }
    }

    /// For many look-ups.
    pub(super) fn many(header: &'a Header) -> Self {
        let mut by_name = HashMap::with_capacity(header.references().len());
        for (index, reference) in header.references().iter().enumerate() {
            by_name.entry(&reference.name[..]).or_insert(index);
        }
        Names { all: header, by_name: Some(by_name) }
    }

    /// The index of the first reference of that name.
    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        match &self.by_name {
            Some(map) => map.get(name).copied(),
            None => self.all.position(name),
        }
    }

    /// The message for a name that isn't there.
    pub(super) fn unknown(&self, name: &[u8]) -> String {
        let near = self.all.names().filter_map(|found| Some((distance(name, found)?, found)));
        let mut near: Vec<(usize, &[u8])> = near.collect();
        near.sort();
        let near: Vec<String> =
            near.iter().take(SHOWN).map(|(_, name)| format!("'{}'", Shown(name))).collect();
        let mut message = format!("no reference is named '{}'", Shown(name));
        if self.all.names().next().is_none() {
            message += "; the header has no references";
        } else if !near.is_empty() {
            message += &format!("; did you mean {}?", near.join(", "));
        }
        message
    }
}

/// How far two names are apart, if they are near: 0 if only a `chr` in front or upper and lower
/// case differ, else one or two letters.
fn distance(a: &[u8], b: &[u8]) -> Option<usize> {
    /// Names much longer are compared for equality only.
    const LONGEST: usize = 64;
    const FARTHEST: usize = 2;
    let core = |name: &[u8]| -> Vec<u8> {
        let lower = name.to_ascii_lowercase();
        let core = lower.strip_prefix(b"chr").unwrap_or(&lower).to_vec();
        // The mitochondrion has two usual names.
        if core == b"m" { b"mt".to_vec() } else { core }
    };
    if core(a) == core(b) {
        return Some(0);
    }
    if a.len().max(b.len()) > LONGEST || a.len().abs_diff(b.len()) > FARTHEST {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    let letters = row[b.len()];
    (letters <= FARTHEST && letters < a.len()).then_some(letters)
}
