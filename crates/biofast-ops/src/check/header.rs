//! The header of alignments: what it claims, and whether it holds together (SAM specification,
//! section 1.3).

use std::collections::HashSet;

use biofast_bam::Header;
use biofast_io::{Location, Shown};

use super::order::Claim;
use super::{Fault, Rule, Warning};

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
    sequences: Vec<(&'a [u8], Option<i64>)>,
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
                .map(|r| (r.name.clone(), i64::from(r.length)))
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
            None => self.warnings.push(Warning::new(Rule::Header, message)),
        }
    }

    fn read<'a>(&mut self, header: &'a Header, text: &mut Text<'a>) -> Result<(), Fault> {
        let bytes = header.text();
        // The text may be padded with NULs (section 4.2).
        let end = bytes.iter().rposition(|&b| b != 0).map_or(0, |n| n + 1);
        let bytes = &bytes[..end];
        if let Some(at) = bytes.iter().position(|&b| b == 0) {
            return Err(fault(format!("the text holds a NUL at byte {at}")));
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
        for &(line, previous) in &text.previous_programs {
            if !text.programs.contains(previous) {
                self.warn(line, "@PG follows a program (PP) that isn't in the header");
            }
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
        let mut names: Vec<&[u8]> = Vec::new();
        for field in fields.split(|&b| b == b'\t') {
            if field.is_empty() {
                self.warn(number, "an empty field");
                continue;
            }
            let [a, b, b':', value @ ..] = field else {
                return wrong("expected fields of two characters, ':' and a value");
            };
            if !a.is_ascii_alphabetic() || !b.is_ascii_alphanumeric() {
                self.warn(number, "a field's name isn't a letter and a letter or digit");
            }
            if value.is_empty() {
                self.warn(number, "a field without a value");
            }
            if names.contains(&&field[..2]) {
                self.warn(number, "a field occurs twice in one line");
            }
            names.push(&field[..2]);
        }
        let value =
            |tag: &[u8; 3]| fields.split(|&b| b == b'\t').find_map(|field| field.strip_prefix(tag));
        match &kind {
            b"HD" => {
                if number > 1 {
                    self.warn(number, "@HD isn't the first line");
                    return Ok(());
                }
                if !value(b"VN:").is_some_and(is_version) {
                    self.warn(number, "@HD without a version (VN) of the form 1.6");
                }
                let order = value(b"SO:");
                let known: [&[u8]; 4] = [b"unknown", b"unsorted", b"queryname", b"coordinate"];
                if order.is_some_and(|order| !known.contains(&order)) {
                    self.warn(number, "an order (SO) the specification doesn't have");
                }
                text.claim = Claim::of(order.unwrap_or_default(), value(b"SS:"));
            }
            b"SQ" => {
                let Some(name) = value(b"SN:") else {
                    self.warn(number, "@SQ without a name (SN)");
                    return Ok(());
                };
                if !is_reference_name(name) {
                    self.warn(number, "a reference name the specification doesn't allow");
                }
                let length = value(b"LN:").and_then(|digits| {
                    let digits = std::str::from_utf8(digits).ok()?;
                    digits.parse().ok().filter(|n| (0..1 << 31).contains(n))
                });
                if length == Some(0) {
                    self.warn(number, "a reference sequence of length 0");
                }
                if value(b"TP:") == Some(b"circular") {
                    text.circular.insert(name);
                }
                text.sequences.push((name, length));
            }
            b"RG" => match value(b"ID:") {
                Some(id) if text.read_groups.insert(id) => {}
                Some(_) => self.warn(number, "a second @RG of the same name (ID)"),
                None => self.warn(number, "@RG without a name (ID)"),
            },
            b"PG" => {
                match value(b"ID:") {
                    Some(id) if text.programs.insert(id) => {}
                    Some(_) => self.warn(number, "a second @PG of the same name (ID)"),
                    None => self.warn(number, "@PG without a name (ID)"),
                }
                text.previous_programs.extend(value(b"PP:").map(|previous| (number, previous)));
            }
            _ => {}
        }
        Ok(())
    }

    /// The sequences of the text and those of the binary list must be the same (section 4.2).
    fn compare(&self, text: &[(&[u8], Option<i64>)]) -> Result<(), Fault> {
        let mut names = HashSet::new();
        if let Some((name, _)) = self.references.iter().find(|(name, _)| !names.insert(&name[..])) {
            return Err(fault(format!("two reference sequences are called '{}'", Shown(name))));
        }
        let mut names = HashSet::new();
        if let Some((name, _)) = text.iter().find(|(name, _)| !names.insert(*name)) {
            return Err(fault(format!("two @SQ lines are called '{}'", Shown(name))));
        }
        if text.is_empty() {
            // A list without text is allowed.
            return Ok(());
        }
        for (index, (name, length)) in text.iter().enumerate() {
            let Some(length) = length else {
                let name = Shown(name);
                return Err(fault(format!(
                    "@SQ '{name}': expected a length (LN) up to 2,147,483,647"
                )));
            };
            match self.references.get(index) {
                Some((listed, listed_length)) if listed == name && listed_length == length => {}
                Some((listed, listed_length)) => {
                    return Err(fault(format!(
                        "text and list differ: @SQ line {} is '{}' of {length} bases, in the \
                         list it is '{}' of {listed_length}",
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
                "text and list differ: {} @SQ lines, but {} reference sequences in the list",
                text.len(),
                self.references.len()
            )));
        }
        Ok(())
    }
}

fn fault(message: String) -> Fault {
    Fault::new(Rule::Header, format!("invalid header: {message}"), Location::default())
}

/// Digits, a point, digits.
fn is_version(value: &[u8]) -> bool {
    let mut parts = value.split(|&b| b == b'.');
    let number = |part: Option<&[u8]>| {
        part.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
    };
    number(parts.next()) && number(parts.next()) && parts.next().is_none()
}

/// What a reference name may hold (section 1.2.1).
fn is_reference_name(name: &[u8]) -> bool {
    let inside = |b: &u8| {
        b.is_ascii_graphic()
            && !matches!(b, b'\\' | b',' | b'"' | b'`' | b'\'' | b'(' | b')')
            && !matches!(b, b'[' | b']' | b'{' | b'}' | b'<' | b'>')
    };
    name.first().is_some_and(|b| !matches!(b, b'*' | b'=')) && name.iter().all(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions() {
        for name in [&b"chr1"[..], b"HLA*01:01", b"1", b"a=b"] {
            assert!(is_reference_name(name));
        }
        for name in [&b""[..], b"*", b"=x", b"a,b", b"a b", b"a\x01", b"(a)", b"a`"] {
            assert!(!is_reference_name(name));
        }
        assert!(is_version(b"1.6") && is_version(b"1.10"));
        assert!(![&b"1"[..], b"1.", b".6", b"1.6.1", b"v1.6"].into_iter().any(is_version));
    }
}
