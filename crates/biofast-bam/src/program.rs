//! The `@PG` line a program leaves in the header of what it writes.

use std::collections::HashSet;

use crate::header::{Header, ReadGroup, Reference};

/// A program that made a file, for [`Header::with_program`].
#[derive(Clone, Debug)]
pub struct Program<'a> {
    /// Its name: `PN`, and the start of `ID`.
    pub name: &'a str,
    /// Its version.
    pub version: &'a str,
    /// How it was called.
    pub command_line: &'a str,
}

impl Header {
    /// This header with `@PG` lines of `program` at the end: one after each program that no other
    /// one names as its predecessor, as samtools does it.
    ///
    /// ```
    /// use biofast_bam::{Header, Program};
    ///
    /// let header = Header::from_text(b"@HD\tVN:1.6\n@PG\tID:bwa\n")?;
    /// let program = Program { name: "x", version: "1", command_line: "x y" };
    /// let lines = header.with_program(&program);
    /// assert_eq!(
    ///     lines.text(),
    ///     b"@HD\tVN:1.6\n@PG\tID:bwa\n@PG\tID:x\tPN:x\tPP:bwa\tVN:1\tCL:x y\n"
    /// );
    /// # Ok::<(), biofast_bam::Error>(())
    /// ```
    #[must_use]
    pub fn with_program(&self, program: &Program<'_>) -> Header {
        let mut text = self.lines();
        let programs: Vec<&[u8]> =
            text.split(|&b| b == b'\n').filter(|line| line.starts_with(b"@PG\t")).collect();
        let field = |line: &'_ [u8], tag: &[u8; 3]| -> Option<Vec<u8>> {
            line.split(|&b| b == b'\t')
                .find_map(|field| field.strip_prefix(tag))
                .map(<[u8]>::to_vec)
        };
        let chain: Vec<Vec<u8>> = programs.iter().filter_map(|line| field(line, b"ID:")).collect();
        let named: HashSet<Vec<u8>> =
            programs.iter().filter_map(|line| field(line, b"PP:")).collect();
        let mut ends: Vec<Option<Vec<u8>>> =
            chain.iter().filter(|id| !named.contains(*id)).map(|id| Some(id.clone())).collect();
        let mut ids: HashSet<Vec<u8>> = chain.into_iter().collect();
        let mut number = 0;
        if ends.is_empty() {
            ends.push(None);
        }
        let command_line = one_line(program.command_line);
        for end in ends {
            let id = unused(program.name, &ids, &mut number);
            text.extend_from_slice(b"@PG\tID:");
            text.extend_from_slice(&id);
            text.extend_from_slice(format!("\tPN:{}", program.name).as_bytes());
            if let Some(end) = end {
                text.extend_from_slice(b"\tPP:");
                text.extend_from_slice(&end);
            }
            let rest = format!("\tVN:{}\tCL:{command_line}\n", program.version);
            text.extend_from_slice(rest.as_bytes());
            ids.insert(id);
        }
        self.with_text(text)
    }
}

impl Header {
    /// This header whose first line, `@HD`, says how the records are sorted: `SO`, and `SS` if there is such. What it said of
    /// that before, and of groups (`GO`), is dropped.
    ///
    /// ```
    /// let header = biofast_bam::Header::from_text(b"@HD\tVN:1.5\tGO:query\n@SQ\tSN:c\tLN:9\n")?;
    /// let header = header.with_sort_order("coordinate", None);
    /// assert_eq!(header.text(), b"@HD\tVN:1.5\tSO:coordinate\n@SQ\tSN:c\tLN:9\n");
    /// # Ok::<(), biofast_bam::Error>(())
    /// ```
    #[must_use]
    pub fn with_sort_order(&self, order: &str, sub_order: Option<&str>) -> Header {
        self.ordered(order, None, sub_order)
    }

    /// Like [`with_sort_order`](Self::with_sort_order), and also says how records are grouped: `GO`.
    #[must_use]
    pub fn with_grouping(&self, order: &str, group: &str, sub_order: Option<&str>) -> Header {
        self.ordered(order, Some(group), sub_order)
    }

    fn ordered(&self, order: &str, group: Option<&str>, sub_order: Option<&str>) -> Header {
        let text = self.lines();
        let has_line = text.starts_with(b"@HD\t") || text.starts_with(b"@HD\n");
        let len = text.iter().position(|&b| b == b'\n').filter(|_| has_line);
        let (line, rest) = text.split_at(len.unwrap_or(0));
        let line = line.trim_ascii_end();
        let mut new = if has_line { Vec::new() } else { b"@HD\tVN:1.6".to_vec() };
        for (index, field) in line.split(|&b| b == b'\t').enumerate().filter(|_| has_line) {
            if ![b"SO:", b"GO:", b"SS:"].iter().any(|tag| field.starts_with(*tag)) {
                new.extend_from_slice(if index > 0 { b"\t" } else { b"" });
                new.extend_from_slice(field);
            }
        }
        new.extend_from_slice(format!("\tSO:{order}").as_bytes());
        if let Some(group) = group {
            new.extend_from_slice(format!("\tGO:{group}").as_bytes());
        }
        if let Some(sub_order) = sub_order {
            new.extend_from_slice(format!("\tSS:{sub_order}").as_bytes());
        }
        if !has_line {
            new.push(b'\n');
        }
        new.extend_from_slice(rest);
        self.with_text(new)
    }

    /// This header with a comment line (`@CO`) added at the end.
    #[must_use]
    pub fn with_comment(&self, comment: &str) -> Header {
        self.with_line(&format!("@CO\t{comment}"))
    }

    /// This header with a line, such as a read group, added at the end.
    #[must_use]
    #[doc(hidden)]
    pub fn with_line(&self, line: &str) -> Header {
        let mut text = self.lines();
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
        self.with_text(text)
    }

    /// The header of the same reads before they were aligned: its read groups, if they are wanted, and its programs, up to the
    /// one with this ID. `None` if that isn't there.
    #[must_use]
    #[doc(hidden)]
    pub fn reset(&self, has_read_groups: bool, rejected: Option<&[u8]>) -> Option<Header> {
        let text = self.lines();
        let lines = |kind: &'static [u8]| {
            text.split_inclusive(|&b| b == b'\n').filter(move |line| line.starts_with(kind))
        };
        let mut new = b"@HD\tVN:1.6\n".to_vec();
        if has_read_groups {
            lines(b"@RG\t").for_each(|line| new.extend_from_slice(line));
        }
        let mut is_rejected = rejected.is_none();
        for line in lines(b"@PG\t") {
            let mut fields = line.trim_ascii_end().split(|&b| b == b'\t');
            let id = fields.find_map(|field| field.strip_prefix(b"ID:"));
            if rejected.is_some() && id == rejected {
                is_rejected = true;
                break;
            }
            new.extend_from_slice(line);
        }
        is_rejected.then(|| Header::new(new, Vec::new()))
    }

    /// This header with other names of reference sequences, where `new` has such.
    #[must_use]
    #[doc(hidden)]
    pub fn with_reference_names<'n>(&self, new: impl Fn(&[u8]) -> Option<&'n [u8]>) -> Header {
        let text = self.lines();
        let mut renamed = Vec::with_capacity(text.len());
        for line in text.split_inclusive(|&b| b == b'\n') {
            if !line.starts_with(b"@SQ\t") {
                renamed.extend_from_slice(line);
                continue;
            }
            for (index, field) in line.split(|&b| b == b'\t').enumerate() {
                renamed.extend_from_slice(if index > 0 { b"\t" } else { b"" });
                let name = field.trim_ascii_end();
                match name.strip_prefix(b"SN:").and_then(&new) {
                    None => renamed.extend_from_slice(field),
                    Some(new) => {
                        renamed.extend_from_slice(b"SN:");
                        renamed.extend_from_slice(new);
                        renamed.extend_from_slice(&field[name.len()..]);
                    }
                }
            }
        }
        let references = self.references().iter().map(|reference| {
            let name = new(&reference.name).map_or_else(|| reference.name.clone(), <[u8]>::to_vec);
            Reference { name, length: reference.length }
        });
        Header::new(renamed, references.collect())
    }

    /// This header without the `@RG` lines whose `ID` isn't wanted.
    #[must_use]
    pub fn with_read_groups(&self, wanted: impl Fn(&[u8]) -> bool) -> Header {
        let text = self.lines();
        let stays = |line: &&[u8]| match ReadGroup::of_line(line) {
            Some(group) => group.id().is_some_and(&wanted),
            None => true,
        };
        let lines = text.split_inclusive(|&b| b == b'\n');
        self.with_text(lines.filter(stays).collect::<Vec<_>>().concat())
    }
}

/// `name`, or with the first number from `number` on that makes it another than all of `ids`; 0 stands for none.
fn unused(name: &str, ids: &HashSet<Vec<u8>>, number: &mut u64) -> Vec<u8> {
    loop {
        let id = match *number {
            0 => name.as_bytes().to_vec(),
            n => format!("{name}.{n}").into_bytes(),
        };
        *number += 1;
        if !ids.contains(&id) {
            return id;
        }
    }
}

/// Tabs and line ends would end the field or the line.
fn one_line(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(text: &str) -> String {
        let header = Header::from_text(text.as_bytes()).expect("a header");
        let program = Program { name: "p", version: "2", command_line: "p\tq\nr" };
        let text_with = header.with_program(&program);
        String::from_utf8_lossy(text_with.text()).strip_prefix(text).unwrap_or_default().to_owned()
    }

    #[test]
    fn each_chain_goes_on() {
        assert_eq!(added("@HD\tVN:1.6\n"), "@PG\tID:p\tPN:p\tVN:2\tCL:p q r\n");
        assert_eq!(
            added("@PG\tID:p\n@PG\tID:a\tPP:p\n@PG\tID:b\tPP:p\n"),
            "@PG\tID:p.1\tPN:p\tPP:a\tVN:2\tCL:p q r\n@PG\tID:p.2\tPN:p\tPP:b\tVN:2\tCL:p q r\n"
        );
    }
}
