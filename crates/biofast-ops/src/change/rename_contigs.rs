//! Reference sequences of alignments renamed: in the header, and where tags name them.

use std::collections::{HashMap, HashSet};

use biofast_bam::{Error, Header, Record};
use biofast_io::Shown;

use super::edit::{RecordEdit, made};
use crate::tags::{append_text, stored_tags};

/// Old and new names of reference sequences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContigNames(HashMap<Vec<u8>, Vec<u8>>);

/// Why a table or a header doesn't fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenameError {
    /// A line of the table isn't one old and one new name.
    #[error("line {line}: expected an old and a new name separated by a tab, found {found}")]
    BadLine {
        /// The line, from 1.
        line: usize,
        /// What it holds.
        found: String,
    },
    /// A line of the table has a new name that can't be one.
    #[error("line {line}: '{name}' can't be the name of a reference sequence")]
    BadName {
        /// The line, from 1.
        line: usize,
        /// The name.
        name: String,
    },
    /// The table has an old name twice.
    #[error("line {line}: '{name}' has a new name already")]
    Twice {
        /// The line, from 1.
        line: usize,
        /// The name.
        name: String,
    },
    /// Two reference sequences would have one name.
    #[error("two reference sequences would be named '{0}'")]
    SameName(String),
    /// None of the old names is one of the header.
    #[error("no name of the table ({0} in all) is in the header")]
    NoneKnown(usize),
}

impl ContigNames {
    /// A table of two columns separated by tabs, old and new names; empty lines and those that begin with `#` say nothing.
    ///
    /// # Errors
    /// If a line is another one, or doesn't go with those before it.
    pub fn parse(table: &[u8]) -> Result<ContigNames, RenameError> {
        let mut names = HashMap::new();
        for (text, line) in table.split(|&b| b == b'\n').zip(1..) {
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            if text.is_empty() || text.starts_with(b"#") {
                continue;
            }
            let fields: Vec<&[u8]> = text.split(|&b| b == b'\t').collect();
            let [old, new] = fields[..] else {
                let found = match fields.len() {
                    1 => "one column".to_owned(),
                    columns => format!("{columns} columns"),
                };
                return Err(RenameError::BadLine { line, found });
            };
            for (name, what) in [(old, "an empty old name"), (new, "an empty new name")] {
                if name.is_empty() {
                    return Err(RenameError::BadLine { line, found: what.into() });
                }
            }
            if !is_name(new) {
                return Err(RenameError::BadName { line, name: Shown(new).to_string() });
            }
            if names.insert(old.to_vec(), new.to_vec()).is_some_and(|before| before != new) {
                return Err(RenameError::Twice { line, name: Shown(old).to_string() });
            }
        }
        Ok(ContigNames(names))
    }

    fn new_name(&self, old: &[u8]) -> Option<&[u8]> {
        self.0.get(old).map(Vec::as_slice)
    }
}

/// Whether the specification allows it (SAMv1, 1.2.1), and tags can hold it, which list names with commas and semicolons.
fn is_name(name: &[u8]) -> bool {
    let is_allowed = |&byte: &u8| byte.is_ascii_graphic() && !b"\\,\"'`()[]{}<>;".contains(&byte);
    !matches!(name, [b'*' | b'=', ..]) && name.iter().all(is_allowed)
}

/// Renames reference sequences in the header and in tags that name them. Records refer to them by number, so these stay as they are
/// otherwise.
///
/// ```
/// use biofast_bam::Reader;
/// use biofast_ops::edit::RecordEdit;
/// use biofast_ops::rename_contigs::{ContigNames, RenameContigs};
///
/// let sam = b"@SQ\tSN:1\tLN:9\nr\t0\t1\t3\t60\t1M\t*\t0\t0\tA\tI\tXA:Z:1,+5,1M,0;2,-7,1M,0;\n";
/// let mut reader = Reader::from_reader("example", &sam[..])?;
/// let rename = RenameContigs::new(&reader.shared_header(), ContigNames::parse(b"1\tchr1\n")?)?;
/// assert_eq!(rename.renamed(), 1);
/// let record = reader.next_record()?.ok_or("no record")?;
/// let mut room = Vec::new();
/// let record = rename.edit(record, &mut room)?.ok_or("left out")?;
/// assert_eq!(record.reference_name(RecordEdit::header(&rename)), Some(&b"chr1"[..]));
/// assert_eq!(record.tag_bytes(), b"XAZchr1,+5,1M,0;2,-7,1M,0;\0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RenameContigs {
    header: Header,
    names: ContigNames,
    renamed: usize,
    unknown: Vec<String>,
}

impl RenameContigs {
    /// For files with this header.
    ///
    /// # Errors
    /// If two reference sequences would have one name, or none has another one.
    pub fn new(header: &Header, names: ContigNames) -> Result<RenameContigs, RenameError> {
        let mut known = HashSet::new();
        let mut new_names = HashSet::new();
        for reference in header.references() {
            let new = names.new_name(&reference.name);
            if new.is_some() {
                known.insert(&reference.name[..]);
            }
            let new = new.unwrap_or(&reference.name);
            if !new_names.insert(new) {
                return Err(RenameError::SameName(Shown(new).to_string()));
            }
        }
        let renamed = known.len();
        if renamed == 0 {
            return Err(RenameError::NoneKnown(names.0.len()));
        }
        let unknown = names.0.keys().filter(|old| !known.contains(&old[..]));
        let mut unknown: Vec<String> = unknown.map(|old| Shown(old).to_string()).collect();
        unknown.sort();
        let header = header.with_reference_names(|old| names.new_name(old));
        Ok(RenameContigs { header, names, renamed, unknown })
    }

    /// How many reference sequences of the header are in the table.
    pub fn renamed(&self) -> usize {
        self.renamed
    }

    /// Old names of the table that the header doesn't have, in their order.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// What a tag becomes: one whose places have names in front, separated by semicolons, or one that is a name.
    fn text(&self, name: [u8; 2], text: &[u8]) -> Option<Vec<u8>> {
        if name == *b"CC" {
            return self.names.new_name(text).map(<[u8]>::to_vec);
        }
        if !PLACES.contains(&name) {
            return None;
        }
        let mut out = Vec::new();
        for place in text.split_inclusive(|&byte| byte == b';') {
            let len = place.iter().position(|&byte| byte == b',').unwrap_or(0);
            let (old, rest) = place.split_at(len);
            out.extend_from_slice(self.names.new_name(old).unwrap_or(old));
            out.extend_from_slice(rest);
        }
        (out != text).then_some(out)
    }
}

/// Tags that list places: other alignments of the read, the original one, and those of bwa and of `bwa mem -u`.
const PLACES: [[u8; 2]; 4] = [*b"SA", *b"OA", *b"XA", *b"XB"];

impl RecordEdit for RenameContigs {
    fn header(&self) -> &Header {
        &self.header
    }

    fn edit<'r>(
        &self,
        record: Record<'r>,
        room: &'r mut Vec<u8>,
    ) -> Result<Option<Record<'r>>, Error> {
        let is_of_places = |name: [u8; 2]| name == *b"CC" || PLACES.contains(&name);
        if !record.tags().any(|tag| is_of_places(tag.name)) {
            return Ok(Some(record));
        }
        let bytes = record.as_bytes();
        room.clear();
        room.extend_from_slice(&bytes[..bytes.len() - record.tag_bytes().len()]);
        for (tag, stored) in stored_tags(&record) {
            let text = if tag.kind == b'Z' { self.text(tag.name, tag.value) } else { None };
            match text {
                Some(text) => append_text(tag.name, &text, room),
                None => room.extend_from_slice(&bytes[stored]),
            }
        }
        made(&record, room).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_do_not_fit_are_refused() {
        let of = |table: &str| ContigNames::parse(table.as_bytes()).err().map(|e| e.to_string());
        assert_eq!(of("# old\tnew\n\n1\tchr1\r\n1\tchr1\n2\tchr2"), None);
        for (table, expected) in [
            (
                "1 chr1\n",
                "line 1: expected an old and a new name separated by a tab, found one column",
            ),
            (
                "#\n1\tx\ty\n",
                "line 2: expected an old and a new name separated by a tab, found 3 columns",
            ),
            (
                "1\t\n",
                "line 1: expected an old and a new name separated by a tab, found an empty new name",
            ),
            (
                "\tx\n",
                "line 1: expected an old and a new name separated by a tab, found an empty old name",
            ),
            ("1\t*x\n", "line 1: '*x' can't be the name of a reference sequence"),
            ("1\ta,b\n", "line 1: 'a,b' can't be the name of a reference sequence"),
            ("1\ta\n2\tb\n1\tb\n", "line 3: '1' has a new name already"),
        ] {
            assert_eq!(of(table).as_deref(), Some(expected), "{table}");
        }
    }
}
