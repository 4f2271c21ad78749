//! The read groups of a header, by their names, samples or libraries: for figures of each.

use std::collections::HashMap;

use biofast_bam::{Header, Record};

/// How records are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupBy {
    /// The read group: `ID` of `@RG`.
    ReadGroup,
    /// The sample of the read group: `SM`.
    Sample,
    /// The library of the read group: `LB`.
    Library,
}

impl GroupBy {
    /// As people write it: `RG`, `SM` or `LB`.
    pub fn parse(text: &str) -> Option<GroupBy> {
        [GroupBy::ReadGroup, GroupBy::Sample, GroupBy::Library]
            .into_iter()
            .find(|by| by.tag() == text)
    }

    /// `RG`, `SM` or `LB`.
    pub fn tag(self) -> &'static str {
        match self {
            GroupBy::ReadGroup => "RG",
            GroupBy::Sample => "SM",
            GroupBy::Library => "LB",
        }
    }

    fn field(self) -> &'static [u8] {
        match self {
            GroupBy::ReadGroup => b"ID:",
            GroupBy::Sample => b"SM:",
            GroupBy::Library => b"LB:",
        }
    }
}

/// The groups of a header, in its order, and after them one for all other records, such as `no_SM`.
#[derive(Clone, Debug)]
pub struct Groups {
    by: GroupBy,
    names: Vec<String>,
    of_id: HashMap<Vec<u8>, usize>,
}

impl Groups {
    /// The groups of a header.
    pub fn of(header: &Header, by: GroupBy) -> Groups {
        let mut groups = Groups { by, names: Vec::new(), of_id: HashMap::new() };
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        let mut without = Vec::new();
        for line in header.text().split(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let Some(fields) = line.strip_prefix(b"@RG\t") else { continue };
            let field = |tag| fields.split(|&byte| byte == b'\t').find_map(|f| f.strip_prefix(tag));
            let Some(id) = field(&b"ID:"[..]) else { continue };
            let Some(name) = field(by.field()) else {
                without.push(id);
                continue;
            };
            let place = *places.entry(name).or_insert_with(|| {
                groups.names.push(String::from_utf8_lossy(name).into_owned());
                groups.names.len() - 1
            });
            groups.of_id.entry(id.to_vec()).or_insert(place);
        }
        let rest = groups.names.len();
        for id in without {
            groups.of_id.entry(id.to_vec()).or_insert(rest);
        }
        groups.names.push(format!("no_{}", by.tag()));
        groups
    }

    /// What makes a group.
    pub fn by(&self) -> GroupBy {
        self.by
    }

    /// Their names; the last one is `no_RG`, `no_SM` or `no_LB`.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The place of a record's group among [`names`](Self::names), and whether the header knows the read group it names.
    #[inline]
    pub(super) fn place(&self, record: &Record<'_>) -> (usize, bool) {
        let id = record.tags().find(|tag| tag.name == *b"RG").and_then(|tag| tag.as_text());
        match id.map(|id| self.of_id.get(id)) {
            Some(Some(&place)) => (place, true),
            Some(None) => (self.names.len() - 1, false),
            None => (self.names.len() - 1, true),
        }
    }
}
