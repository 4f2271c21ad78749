//! New names of reads: by a template, by a pattern, by a table, with something before and after them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use biofast_fastq::Record;

use super::archive::ArchiveNaming;
use super::rename::HeaderTemplate;
use crate::change::filter::names::{ListedNames, NameList};
use crate::change::filter::regex::{self, Regex};
use crate::number::counted;

/// What becomes of header lines. The table, or the template, comes first, and then what is added.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    /// Names of the sequence archives, which nothing else but an addition is combined with.
    pub archive: Option<ArchiveNaming>,
    /// Names by a table.
    pub table: Option<Arc<NameTable>>,
    /// A new header line, or what stands for each match of the pattern.
    pub template: Option<HeaderTemplate>,
    /// What the template replaces; the whole line if it is `None`.
    pub pattern: Option<Regex>,
    /// Whether the pattern has matched in a copy of this.
    pub matched: Arc<AtomicBool>,
    /// What is added before names.
    pub prefix: Vec<u8>,
    /// What is added after names, before what tells one mate from the other.
    pub suffix: Vec<u8>,
}

impl Renaming {
    /// Whether names stay as they are.
    pub fn is_empty(&self) -> bool {
        let Renaming { archive, table, template, pattern, prefix, suffix, .. } = self;
        archive.is_none()
            && table.is_none()
            && template.is_none()
            && pattern.is_none()
            && prefix.is_empty()
            && suffix.is_empty()
    }

    /// Whether the pattern has matched so far.
    pub fn has_matched(&self) -> bool {
        self.matched.load(Ordering::Relaxed)
    }

    /// Whether mates could come to have names of different templates.
    pub(super) fn may_part_mates(&self) -> bool {
        self.table.is_some() || self.pattern.is_some() || self.archive.is_some()
    }

    /// Makes `out` the new header line of a read. `shared` bytes of its name are those that its mate has, too; `number` is that of the
    /// read or pair, and `mate` 1 or 2.
    ///
    /// # Errors
    /// If the line would have no name.
    pub(super) fn write(
        &self,
        read: &Record<'_>,
        shared: usize,
        (number, mate): (u64, u8),
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        out.clear();
        let line = read.definition();
        let tell_apart = &read.name()[shared..];
        if let Some(archive) = &self.archive {
            archive.write(read, shared, number, out)?;
        }
        match (&self.table, &self.template, &self.pattern) {
            _ if self.archive.is_some() => {}
            (Some(table), ..) => table.rename(read, shared, out),
            (None, Some(template), Some(pattern)) => {
                let (mut done, mut any) = (0, false);
                regex::each_match(pattern, line, |found, group| {
                    any = true;
                    out.extend_from_slice(&line[done..found.start]);
                    template.fill(read, (number, mate), &|number| group(number), out);
                    done = found.end;
                });
                if any && !self.has_matched() {
                    self.matched.store(true, Ordering::Relaxed);
                }
                out.extend_from_slice(&line[done..]);
            }
            (None, Some(template), None) => template.write(read, number, mate, out),
            (None, None, _) => out.extend_from_slice(line),
        }
        if self.pattern.is_some() && out.first().is_none_or(u8::is_ascii_whitespace) {
            return Err("the new header line would have no name".into());
        }
        if !self.suffix.is_empty() {
            let end = out.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(out.len());
            let name = &out[..end];
            let at = match name.strip_suffix(tell_apart) {
                Some(name) if !name.is_empty() => name.len(),
                _ => end,
            };
            out.splice(at..at, self.suffix.iter().copied());
        }
        out.splice(..0, self.prefix.iter().copied());
        Ok(())
    }
}

/// Old and new names, which notes the names that were asked for.
#[derive(Debug, Default)]
pub struct NameTable {
    old: NameList,
    new: Vec<Box<[u8]>>,
}

/// What is wrong with a table of names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct InvalidNameTable {
    /// The line, from 1.
    pub line: usize,
    what: String,
}

impl NameTable {
    /// A table of two columns separated by a tab, old and new names. Old ones may begin with `@`; empty lines and those that begin with `#`
    /// say nothing.
    ///
    /// # Errors
    /// If a line is another one, or has a name that an earlier one has, or if there is none.
    pub fn parse(text: &[u8]) -> Result<NameTable, InvalidNameTable> {
        let mut table = NameTable::default();
        let mut given = NameList::default();
        for (row, line) in text.split(|&b| b == b'\n').zip(1..) {
            let row = row.strip_suffix(b"\r").unwrap_or(row);
            if row.is_empty() || row.starts_with(b"#") {
                continue;
            }
            let wrong = |what: String| InvalidNameTable { line, what };
            let fields: Vec<&[u8]> = row.split(|&b| b == b'\t').collect();
            let [old, new] = fields[..] else {
                let found = counted(fields.len() as u64, "column");
                return Err(wrong(format!(
                    "expected an old and a new name separated by a tab, found {found}"
                )));
            };
            let old = old.strip_prefix(b"@").unwrap_or(old);
            for (name, which) in [(old, "old"), (new, "new")] {
                if name.is_empty() || !name.iter().all(|&byte| byte > b' ' && byte != 0x7f) {
                    let name = name.escape_ascii();
                    return Err(wrong(format!("'{name}' is not a valid {which} name")));
                }
            }
            if !table.old.add(old) {
                let old = old.escape_ascii();
                return Err(wrong(format!("'{old}' is renamed by an earlier line")));
            }
            if !given.add(new) {
                let new = new.escape_ascii();
                return Err(wrong(format!("'{new}' is the new name of an earlier line")));
            }
            table.new.push(new.into());
        }
        if table.new.is_empty() {
            return Err(InvalidNameTable { line: 1, what: "the table has no names".to_owned() });
        }
        Ok(table)
    }

    /// How many of the old names were found so far.
    pub fn summary(&self) -> ListedNames {
        self.old.summary()
    }

    /// Appends the header line with the new name of the whole name, or of what mates share; else as it is.
    fn rename(&self, read: &Record<'_>, shared: usize, out: &mut Vec<u8>) {
        let (line, name) = (read.definition(), read.name());
        let new = |len: usize| Some((self.new.get(self.old.find(&name[..len])?)?, len));
        match new(name.len()).or_else(|| new(shared)) {
            Some((new, len)) => {
                out.extend_from_slice(new);
                out.extend_from_slice(&line[len..]);
            }
            None => out.extend_from_slice(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(renaming: &Renaming, line: &str, shared: usize) -> Result<String, String> {
        let mut out = Vec::new();
        renaming.write(&Record::new(line.as_bytes(), b"", b""), shared, (7, 2), &mut out)?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn tables_rename_reads_and_mates() {
        let table = NameTable::parse(b"#old\tnew\n@a\tx\r\n\nb/1\ty\n").expect("a table");
        let renaming = Renaming {
            table: Some(Arc::new(table)),
            prefix: b"p_".to_vec(),
            suffix: b".s".to_vec(),
            ..Renaming::default()
        };
        for (line, shared, expected) in [
            ("a/2 c d", 1, "p_x.s/2 c d"),
            ("a", 1, "p_x.s"),
            ("b/1 c", 1, "p_y.s c"),
            ("b/2", 1, "p_b.s/2"),
            ("ab c", 2, "p_ab.s c"),
        ] {
            assert_eq!(renamed(&renaming, line, shared).as_deref(), Ok(expected), "{line}");
        }
        let found = renaming.table.map(|table| table.summary().found);
        assert_eq!(found, Some(2));
        for (wrong, line) in [
            ("a\n", 1),
            ("a\tb\tc", 1),
            ("\na b\tc", 2),
            ("a\t", 1),
            ("a\tb\na\tc", 2),
            ("a\tb\nc\tb", 2),
        ] {
            let error = NameTable::parse(wrong.as_bytes()).expect_err("no table");
            assert_eq!(error.line, line, "{wrong}");
        }
    }

    #[test]
    #[cfg(feature = "regex")]
    fn patterns_are_replaced_by_templates() {
        let of = |pattern: &str, template: &str| Renaming {
            pattern: Some(regex::compile(pattern).expect("a pattern")),
            template: Some(HeaderTemplate::replacement(template, 2).expect("a template")),
            ..Renaming::default()
        };
        for (pattern, template, expected) in [
            ("(R)(:)", "{2}{1}{number:3}{mate}", ":R00729 x y"),
            (" .*", "", "R:9"),
            ("[xy]", "z{1}", "R:9 z z"),
            ("none", "q", "R:9 x y"),
            ("^", "s_{name}-", "s_R:9-R:9 x y"),
        ] {
            let found = renamed(&of(&format!("{pattern}|(?:()())zzz"), template), "R:9 x y", 3);
            assert_eq!(found.as_deref(), Ok(expected), "{pattern}");
        }
        assert!(renamed(&of("R:9()()", ""), "R:9 x", 3).is_err());
    }
}
