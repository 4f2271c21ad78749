//! The header of alignments: what it claims, and whether it holds together (SAM specification,
//! section 1.3).

mod values;

use std::collections::HashSet;

use biofast_bam::Header;
use biofast_io::{Location, Shown};

use super::fault::{CheckRule, Fault, Warning};
use super::order::Claim;

/// What the checks of records need to know of the header.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Name and length of each reference sequence.
    pub(super) references: Vec<(Vec<u8>, i64)>,
    /// Whether each is circular, so that alignments may go on beyond its end.
    pub(super) circular: Vec<bool>,
    /// The read groups, if any are declared.
    pub(super) read_groups: Option<HashSet<Vec<u8>>>,
    /// The order the records claim to be in.
    pub(super) claim: Claim,
    /// Lines of text.
    pub(super) lines: u64,
    pub(super) fault: Option<Fault>,
    pub(super) warnings: Vec<Warning>,
}

/// What is gathered line by line.
#[derive(Default)]
struct Text<'a> {
    sequences: Vec<(&'a [u8], i64)>,
    /// Names of sequences (SN and AN), none of which may be another's.
    names: HashSet<&'a [u8]>,
    circular: HashSet<&'a [u8]>,
    read_groups: HashSet<&'a [u8]>,
    programs: HashSet<&'a [u8]>,
    previous_programs: Vec<(u64, &'a [u8])>,
    claim: Claim,
}

impl Facts {
    pub(super) fn of(header: &Header) -> Facts {
        let mut facts = Facts {
            references: header
                .references()
                .iter()
                // Below 2^63, as every length is.
                .map(|r| (r.name.clone(), r.length as i64))
                .collect(),
            lines: header.text().iter().filter(|&&b| b == b'\n').count() as u64,
            ..Facts::default()
        };
        let mut text = Text::default();
        if let Err(fault) = facts.read(header, &mut text) {
            facts.fault = Some(fault);
        }
        facts.circular =
            facts.references.iter().map(|(name, _)| text.circular.contains(&name[..])).collect();
        if !text.read_groups.is_empty() {
            facts.read_groups = Some(text.read_groups.iter().map(|id| id.to_vec()).collect());
        }
        facts.claim = text.claim;
        facts
    }

    fn warn(&mut self, line: u64, message: impl Into<String>) {
        let message = format!("header line {line}: {}", message.into());
        // A header may have a million lines: one warning of each kind is enough.
        let kind = |message: &str| message.split_once(": ").map(|(_, kind)| kind.to_owned());
        let known = self.warnings.iter_mut().find(|w| kind(&w.message) == kind(&message));
        match known.and_then(|warning| warning.count.as_mut()) {
            Some(count) => *count += 1,
            None => self.warnings.push(Warning::new(CheckRule::Header, message)),
        }
    }

    fn read<'a>(&mut self, header: &'a Header, text: &mut Text<'a>) -> Result<(), Fault> {
        let bytes = header.text();
        // The text may be padded with NULs (section 4.2).
        let end = bytes.iter().rposition(|&b| b != 0).map_or(0, |n| n + 1);
        let bytes = &bytes[..end];
        if let Some(at) = bytes.iter().position(|&b| b == 0) {
            return Err(fault(format!("the text has a NUL at byte {at}")));
        }
        let end = bytes.iter().rposition(|&b| b != b'\n').map_or(0, |n| n + 1);
        if bytes.len() > end + 1 {
            self.warn(self.lines, "empty lines at the end");
        }
        let bytes = &bytes[..end];
        if !bytes.is_empty() {
            for (number, line) in (1..).zip(bytes.split(|&b| b == b'\n')) {
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                self.read_line(number, line, text)?;
            }
        }
        if let Some(&(line, previous)) =
            text.previous_programs.iter().find(|(_, previous)| !text.programs.contains(previous))
        {
            let previous = Shown(previous);
            return Err(fault(format!(
                "line {line}: @PG refers to a program (PP) that is not in the header: '{previous}'"
            )));
        }
        self.compare(&text.sequences)
    }

    fn read_line<'a>(
        &mut self,
        number: u64,
        line: &'a [u8],
        text: &mut Text<'a>,
    ) -> Result<(), Fault> {
        let wrong = |what: &str| Err(fault(format!("line {number}: {what}: '{}'", Shown(line))));
        let (kind, fields) = match line {
            [b'@', b'C', b'O'] | [b'@', b'C', b'O', b'\t', ..] => return Ok(()),
            [b'@', a, b, b'\t', fields @ ..]
                if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() =>
            {
                ([*a, *b], fields)
            }
            _ => return wrong("expected '@', two letters and a tab"),
        };
        if !matches!(&kind, b"HD" | b"SQ" | b"RG" | b"PG") {
            return wrong("expected a line of type @HD, @SQ, @RG, @PG or @CO");
        }
        let mut names: Vec<[u8; 2]> = Vec::new();
        for field in fields.split(|&b| b == b'\t') {
            let [a, b, b':', value @ ..] = field else {
                return wrong("expected fields of two characters, ':' and a value");
            };
            let tag = [*a, *b];
            if !a.is_ascii_alphabetic() || !b.is_ascii_alphanumeric() {
                return wrong("expected a field's name of a letter and a letter or digit");
            }
            if names.contains(&tag) {
                return wrong("expected each field once in a line");
            }
            names.push(tag);
            if value.is_empty() {
                return wrong("expected a value in every field");
            }
            let in_ascii = value.iter().all(|b| matches!(b, b' '..=b'~'));
            let in_utf8 =
                || std::str::from_utf8(value).is_ok_and(|v| !v.contains(char::is_control));
            if !(in_ascii || values::may_be_utf8(kind, tag) && in_utf8()) {
                return wrong("expected printable ASCII characters");
            }
            if let Some(expected) = values::fault_of(kind, tag, value) {
                return wrong(expected);
            }
        }
        let value =
            |tag: &[u8; 3]| fields.split(|&b| b == b'\t').find_map(|field| field.strip_prefix(tag));
        match &kind {
            b"HD" => {
                if number > 1 {
                    return wrong("expected @HD only in the first line");
                }
                if value(b"VN:").is_none() {
                    return wrong("expected a version (VN) in @HD");
                }
                text.claim = Claim::of(value(b"SO:").unwrap_or_default(), value(b"SS:"));
            }
            b"SQ" => {
                let Some(name) = value(b"SN:") else {
                    return wrong("expected a name (SN) in @SQ");
                };
                let length = value(b"LN:").filter(|digits| digits.iter().all(u8::is_ascii_digit));
                let length =
                    length.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
                let Some(length) = length.filter(|n| (1..1 << 31).contains(n)) else {
                    return wrong("expected a length (LN) from 1 to 2,147,483,647 in @SQ");
                };
                let others =
                    value(b"AN:").into_iter().flat_map(|names| names.split(|&b| b == b','));
                for name in std::iter::once(name).chain(others) {
                    if !text.names.insert(name) {
                        let name = Shown(name);
                        return wrong(&format!("two sequences are named '{name}' (SN, AN)"));
                    }
                }
                if value(b"TP:") == Some(b"circular") {
                    text.circular.insert(name);
                }
                text.sequences.push((name, length));
            }
            b"RG" => match value(b"ID:") {
                Some(id) if text.read_groups.insert(id) => {}
                Some(_) => return wrong("a second @RG of the same name (ID)"),
                None => return wrong("expected a name (ID) in @RG"),
            },
            b"PG" => {
                match value(b"ID:") {
                    Some(id) if text.programs.insert(id) => {}
                    Some(_) => return wrong("a second @PG of the same name (ID)"),
                    None => return wrong("expected a name (ID) in @PG"),
                }
                text.previous_programs.extend(value(b"PP:").map(|previous| (number, previous)));
            }
            _ => {}
        }
        Ok(())
    }

    /// The sequences of the text and those of the binary list must be the same (section 4.2).
    fn compare(&self, text: &[(&[u8], i64)]) -> Result<(), Fault> {
        let mut names = HashSet::new();
        for (name, length) in &self.references {
            let name = Shown(name);
            if !names.insert(name.0) {
                return Err(fault(format!("two reference sequences are named '{name}'")));
            }
            if !values::is_reference_name(name.0) {
                return Err(fault(format!(
                    "expected a reference name (SN) of the characters the specification allows, found '{name}'"
                )));
            }
            if !(1..1 << 31).contains(length) {
                return Err(fault(format!(
                    "expected a length from 1 to 2,147,483,647 of the reference sequence '{name}', \
                     found {length}"
                )));
            }
        }
        if text.is_empty() {
            // A list without text is allowed.
            return Ok(());
        }
        for (index, (name, length)) in text.iter().enumerate() {
            match self.references.get(index) {
                Some((listed, listed_length)) if listed == name && listed_length == length => {}
                Some((listed, listed_length)) => {
                    return Err(fault(format!(
                        "text and binary list differ: @SQ line {} is '{}' with {length} bases, but '{}' with {listed_length} in the list",
                        index + 1,
                        Shown(name),
                        Shown(listed)
                    )));
                }
                None => break,
            }
        }
        if text.len() != self.references.len() {
            return Err(fault(format!(
                "text and binary list differ: {} @SQ lines, but {} reference sequences in the list",
                text.len(),
                self.references.len()
            )));
        }
        Ok(())
    }
}

fn fault(message: String) -> Fault {
    Fault::new(CheckRule::Header, format!("invalid header: {message}"), Location::default())
}
