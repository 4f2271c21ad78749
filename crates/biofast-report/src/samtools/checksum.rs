//! The text of `samtools checksum`, byte for byte, and of biobambam's `bamseqchksum`: written, and read back.

use std::fmt;
use std::io::Write as _;

use biofast_bam::flag;
use biofast_ops::checksum::{
    ChecksumColumn, ChecksumGroup, ChecksumRow, ChecksumVersion, Checksums, GroupName,
};

/// How the values of a file are written.
#[derive(Clone, Debug)]
pub struct ChecksumText {
    /// The version in the first line.
    pub version: ChecksumVersion,
    /// The tags that count, as they are typed.
    pub tags: String,
    /// The flags that enter the values.
    pub flag_mask: u16,
    /// The columns.
    pub columns: Vec<ChecksumColumn>,
    /// Whether columns are apart by tabs.
    pub tabs: bool,
    /// Whether records that passed quality control have rows, and those that failed.
    pub quality_control: bool,
    /// Whether rows of no records are there.
    pub empty_rows: bool,
    /// Whether the form is that of `bamseqchksum`.
    pub bamseqchksum: bool,
}

/// A report that was read.
#[derive(Clone, Debug)]
pub struct ReadChecksums {
    /// The version in its first line; `None` of `bamseqchksum`, which has none.
    pub version: Option<ChecksumVersion>,
    /// The tags that count.
    pub tags: String,
    /// The flags that enter the values.
    pub flag_mask: u16,
    /// The columns.
    pub columns: Vec<ChecksumColumn>,
    /// Whether order is seen to count: the values of all records aren't those of all groups.
    pub is_ordered: bool,
    /// The values.
    pub sums: Checksums,
}

/// Why a report can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidChecksums {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: String,
}

impl fmt::Display for InvalidChecksums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for InvalidChecksums {}

/// What the report of `bamseqchksum` begins with.
const BAMSEQCHKSUM: &str = "###\tset\tcount\t\tb_seq\tname_b_seq\tb_seq_qual\tb_seq_tags(";

/// What the reports begin with that [`read`] reads.
pub const STARTS: [&[u8]; 2] = [b"# Checksum", b"###\tset"];

impl ChecksumText {
    /// The report of a file of this name.
    pub fn text(&self, name: &str, sums: &Checksums) -> Vec<u8> {
        let mut out = Vec::new();
        if self.bamseqchksum {
            out.extend_from_slice(BAMSEQCHKSUM.as_bytes());
            // As samtools has it, whichever they are.
            out.extend_from_slice(b"BC,FI,QT,RT,TC)\n");
        } else {
            self.append_head(name, &mut out);
        }
        for (group, rows) in sums.named() {
            match group {
                GroupName::All => self.append_rows(b"all", rows, &mut out),
                GroupName::None if self.bamseqchksum => self.append_rows(b"", rows, &mut out),
                GroupName::None if self.empty_rows || rows.all.count > 0 => {
                    self.append_rows(b"-", rows, &mut out);
                }
                GroupName::None => {}
                GroupName::Group(id) => self.append_rows(&id, rows, &mut out),
            }
        }
        out
    }

    fn append_head(&self, name: &str, out: &mut Vec<u8>) {
        let version = self.version.name();
        let flags: Vec<&str> = flag::names(self.flag_mask).collect();
        let [one, ten, nine] = if self.tabs { ["\t"; 3] } else { [" ", "          ", "         "] };
        // Vectors take all that is written, here and below.
        let _ = write!(
            out,
            "# Checksum {version} for file:{one}{name}\n# Aux tags:{ten}{}\n# BAM flags:{nine}{}\n\n",
            self.tags,
            flags.join(","),
        );
        let columns = self.columns.iter().map(|column| column.name()).chain(["combined"]);
        if self.tabs {
            out.extend_from_slice(b"# Group\tQC\tcount");
            columns.for_each(|name| _ = write!(out, "\t{name}"));
        } else {
            out.extend_from_slice(b"# Group    QC          count");
            // The last one isn't filled up.
            let mut columns = columns.peekable();
            while let Some(name) = columns.next() {
                let width = if columns.peek().is_some() { 8 } else { 0 };
                let _ = write!(out, "  {name:<width$}");
            }
        }
        out.push(b'\n');
    }

    fn append_rows(&self, group: &[u8], rows: &ChecksumGroup, out: &mut Vec<u8>) {
        for (name, row) in rows.rows() {
            let is_wanted = match name {
                "all" => true,
                "pass" => self.quality_control || self.bamseqchksum,
                _ => self.quality_control,
            };
            if is_wanted && (row.count > 0 || self.empty_rows || self.bamseqchksum) {
                self.append_row(group, name, row, out);
            }
        }
    }

    fn append_row(&self, group: &[u8], name: &str, row: &ChecksumRow, out: &mut Vec<u8>) {
        let count = row.count;
        out.extend_from_slice(group);
        let combined = (!self.bamseqchksum).then(|| row.combined(&self.columns));
        let values = self.columns.iter().map(|column| row.value(*column)).chain(combined);
        if self.tabs || self.bamseqchksum {
            let _ = write!(out, "\t{name}\t{count}");
            out.extend_from_slice(if self.bamseqchksum { b"\t" } else { b"" });
            values.for_each(|value| _ = write!(out, "\t{value:x}"));
        } else {
            out.resize(out.len() + 10usize.saturating_sub(group.len()), b' ');
            let _ = write!(out, " {name:<4} {count:>12}");
            values.for_each(|value| _ = write!(out, "  {value:08x}"));
        }
        out.push(b'\n');
    }
}

/// Reads a report, whose groups must have as many records together as there are in all.
///
/// # Errors
/// What isn't as it should be.
pub fn read(text: &[u8]) -> Result<ReadChecksums, InvalidChecksums> {
    let mut report = ReadChecksums {
        version: None,
        tags: String::new(),
        flag_mask: flag::PAIRED | flag::READ1 | flag::READ2,
        columns: Vec::new(),
        is_ordered: false,
        sums: Checksums::default(),
    };
    let mut form = None;
    // The rows of all records, and the last line of the report.
    let (mut all, mut last) = (ChecksumGroup::default(), 0);
    for (line, number) in text.split(|&byte| byte == b'\n').zip(1..) {
        let invalid = |why: String| InvalidChecksums { line: number, why };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        last = number;
        let is_head = line.starts_with(b"# Checksum") || line.starts_with(BAMSEQCHKSUM.as_bytes());
        if is_head && form.is_some() {
            return Err(invalid("a second report begins: one file holds one report".into()));
        }
        if line[0] != b'#' {
            let Some(form) = form else {
                return Err(invalid("expected the names of the columns first".into()));
            };
            let row = parse_row(line, form, &report.columns).ok_or_else(|| {
                let values = report.columns.len();
                invalid(format!(
                    "expected a group, all, pass or fail, a count and {values} checksums"
                ))
            })?;
            let group = match row.group {
                b"all" if !is_all_there(&all, row.name) => &mut all,
                b"-" if form != Form::Bamseqchksum => &mut report.sums.ungrouped,
                b"" => &mut report.sums.ungrouped,
                id => report.sums.group_mut(&GroupName::Group(id.to_vec())),
            };
            match group.row_mut(row.name) {
                Some(known) if *known == ChecksumRow::default() => *known = row.row,
                _ => return Err(invalid("this row is there twice".into())),
            }
            continue;
        }
        let text = String::from_utf8_lossy(line);
        let value = |label: &str| text.strip_prefix(label).map(|rest| rest.trim_start().to_owned());
        if let Some(rest) = text.strip_prefix("# Checksum ") {
            let version = rest.split(' ').next().unwrap_or_default();
            let known = ChecksumVersion::named(version);
            report.version = Some(known.ok_or_else(|| {
                invalid(format!("version {version} of checksums is unknown: expected 1.0 or 2.0"))
            })?);
        } else if let Some(tags) = value("# Aux tags:") {
            report.tags = tags;
        } else if let Some(names) = value("# BAM flags:") {
            let mask = if names.is_empty() { Some(0) } else { flag::parse(&names) };
            report.flag_mask =
                mask.ok_or_else(|| invalid(format!("'{names}' are not names of flags")))?;
        } else if let Some(names) = text.strip_prefix("# Group") {
            let names: Vec<&str> = names.split_whitespace().collect();
            let known = names.strip_prefix(&["QC", "count"][..]).and_then(|names| {
                let (last, names) = names.split_last()?;
                let column =
                    |name: &&str| ChecksumColumn::ALL.into_iter().find(|one| one.name() == *name);
                let columns = names.iter().map(column).collect::<Option<Vec<_>>>()?;
                let is_sorted =
                    columns.is_sorted() && columns.starts_with(&ChecksumColumn::ALL[..4]);
                (*last == "combined" && is_sorted).then_some(columns)
            });
            report.columns = known.ok_or_else(|| invalid("unknown columns".into()))?;
            form = Some(if text.contains('\t') { Form::Tabs } else { Form::Spaces });
        } else if let Some(rest) = text.strip_prefix(BAMSEQCHKSUM) {
            report.tags = rest.strip_suffix(')').unwrap_or(rest).to_owned();
            report.columns = ChecksumColumn::ALL[..4].to_vec();
            form = Some(Form::Bamseqchksum);
        }
    }
    if form.is_none() {
        return Err(InvalidChecksums {
            line: last + 1,
            why: "the report ends before its columns".into(),
        });
    }
    let mut of_groups = ChecksumGroup::default();
    report.sums.named().skip(1).for_each(|(_, group)| of_groups.merge(group));
    for ((row, found), (_, expected)) in of_groups.rows().into_iter().zip(all.rows()) {
        if found.count != expected.count {
            let why = format!(
                "the report is incomplete: its groups have {} records ({row}), but there are {} in all",
                found.count, expected.count
            );
            return Err(InvalidChecksums { line: last, why });
        }
    }
    report.is_ordered = of_groups.all != all.all;
    report.sums.all = all;
    Ok(report)
}

/// How the rows of a report are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Spaces,
    Tabs,
    Bamseqchksum,
}

/// A row as it was read.
struct ParsedRow<'t> {
    group: &'t [u8],
    name: &'t str,
    row: ChecksumRow,
}

/// Whether the rows of all records have this one: what follows is that of a read group that is called `all`.
fn is_all_there(all: &ChecksumGroup, name: &str) -> bool {
    let rows = all.rows();
    rows.iter().any(|(own, row)| *own == name && row.count > 0)
}

/// The fields of a row. From its end, as the name of a group may hold spaces.
fn parse_row<'t>(line: &'t [u8], form: Form, columns: &[ChecksumColumn]) -> Option<ParsedRow<'t>> {
    let mut rest = line;
    let mut field = || -> Option<&'t str> {
        let is_apart = |byte: &u8| *byte == if form == Form::Spaces { b' ' } else { b'\t' };
        let trimmed = rest.len() - rest.iter().rev().take_while(|byte| is_apart(byte)).count();
        let start = rest[..trimmed].iter().rposition(is_apart)? + 1;
        let field = std::str::from_utf8(&rest[start..trimmed]).ok()?;
        rest = &rest[..start - 1];
        Some(field)
    };
    let value = |text: &str| {
        let is_hex = text.len() <= 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u32::from_str_radix(text, 16).ok())?
    };
    let mut row = ChecksumRow::default();
    let combined = match form {
        Form::Bamseqchksum => None,
        _ => Some(value(field()?)?),
    };
    for column in columns.iter().rev() {
        row.values[*column as usize] = value(field()?)?;
    }
    row.count = field()?.parse().ok()?;
    let name = field()?;
    let is_whole = combined.is_none_or(|combined| combined == row.combined(columns));
    let group = if form == Form::Spaces { rest.trim_ascii_end() } else { rest };
    let is_row = ["all", "pass", "fail"].contains(&name);
    (is_whole && is_row).then_some(ParsedRow { group, name, row })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums() -> Checksums {
        let row = |count, seed: u32| ChecksumRow {
            count,
            values: [1, 2, 3, 4, 5, 6, 7].map(|n| n * seed),
        };
        let group = |pass: ChecksumRow, fail: ChecksumRow| {
            let mut group = ChecksumGroup { all: pass, pass, fail };
            group.all.merge(&fail);
            group
        };
        let mut sums = Checksums {
            ungrouped: group(row(3, 77), ChecksumRow::default()),
            ..Checksums::default()
        };
        sums.groups.insert(b"all".to_vec(), group(row(2, 5), row(1, 9)));
        sums.groups.insert(b"lane 1 of a long name".to_vec(), group(row(8, 1234), row(9, 99)));
        for (_, group) in sums.clone().named().skip(1) {
            sums.all.merge(group);
        }
        sums
    }

    #[test]
    fn what_is_written_is_read_back() {
        let sums = sums();
        for (tabs, bamseqchksum, columns) in [
            (false, false, &ChecksumColumn::ALL[..]),
            (true, false, &ChecksumColumn::ALL[..5]),
            (false, true, &ChecksumColumn::ALL[..4]),
        ] {
            let form = ChecksumText {
                version: ChecksumVersion::One,
                tags: "BC,FI,QT,RT,TC".into(),
                flag_mask: 0xc1,
                columns: columns.to_vec(),
                tabs,
                quality_control: true,
                empty_rows: false,
                bamseqchksum,
            };
            let text = form.text("x.bam", &sums);
            let found = read(&text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((found.version.is_none(), &found.tags), (bamseqchksum, &form.tags));
            assert_eq!((found.flag_mask, &found.columns), (0xc1, &form.columns));
            let again = ChecksumText { columns: found.columns, ..form.clone() };
            assert_eq!(again.text("x.bam", &found.sums), text);
            // Cut anywhere at the end of a line, or with a digit changed, it isn't taken for the whole.
            let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
            let is_row = |line: &&[u8]| line[0] != b'#' && line[0] != b'\n';
            let first = lines.iter().position(is_row).unwrap_or(0);
            for cut in (0..lines.len()).filter(|cut| *cut != first) {
                assert!(read(&lines[..cut].concat()).is_err(), "{cut}");
            }
            // A file without records has no more.
            assert_eq!(
                read(&lines[..first].concat()).map(|found| found.sums),
                Ok(Checksums::default())
            );
            let mut twice = text.clone();
            twice.extend_from_slice(&text);
            assert!(read(&twice).is_err());
            if !bamseqchksum {
                let mut changed = text.clone();
                let at = text.len() - 4;
                changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
                assert!(read(&changed).is_err());
            }
        }
    }
}
