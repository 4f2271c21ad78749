//! New header lines, by a template.

use biofast_fastq::Record;

use crate::change::filter::regex::{self, Regex};

/// A template for header lines, such as `read_{number} {description}`: see [`parse`](Self::parse).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderTemplate(Vec<TemplatePiece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePiece {
    Text(Vec<u8>),
    Number {
        width: usize,
    },
    Name,
    Description,
    Mate,
    /// How many bases the read has.
    Length,
    /// What a group of a pattern holds.
    Group(usize),
}

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidTemplate(String);

/// Digits of a number at most.
const WIDEST: usize = 20;

/// The digits that a number has at least.
fn width(place: &str) -> Option<usize> {
    let width = place.strip_prefix("number:").or_else(|| place.strip_prefix("n:"))?;
    width.parse().ok()
}

impl HeaderTemplate {
    /// `{number}`, or `{n}`, stands for the number of the read or pair, `{number:8}` for the same with at least 8 digits, `{name}` and `{description}` for
    /// those the read had, `{mate}` for 1 or 2, and `{length}` for the number of its bases.
    ///
    /// # Errors
    /// If a place is unknown, or no place makes names differ.
    pub fn parse(text: &str) -> Result<HeaderTemplate, InvalidTemplate> {
        let HeaderTemplate(pieces) = HeaderTemplate::replacement(text, 0)?;
        let wrong = |what: String| Err(InvalidTemplate(what));
        if !pieces
            .iter()
            .any(|piece| matches!(piece, TemplatePiece::Number { .. } | TemplatePiece::Name))
        {
            return wrong(format!(
                "'{text}' gives every read the same name: add {{number}} or {{name}}"
            ));
        }
        if text.starts_with([' ', '\t']) {
            return wrong(format!("'{}' is not a header line", text.escape_debug()));
        }
        Ok(HeaderTemplate(pieces))
    }

    /// A template for a part of a header line, such as what a pattern matches, which may be empty. `{1}` stands for what its first group
    /// holds, of so many `groups`.
    ///
    /// # Errors
    /// If a place is unknown.
    pub(super) fn replacement(
        text: &str,
        groups: usize,
    ) -> Result<HeaderTemplate, InvalidTemplate> {
        let wrong = |what: String| Err(InvalidTemplate(what));
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            pieces.push(TemplatePiece::Text(rest[..open].into()));
            let Some(close) = rest[open..].find('}') else {
                return wrong(format!("'{text}' has no '}}' after '{{'"));
            };
            let place = &rest[open + 1..open + close];
            pieces.push(match place {
                "number" | "n" => TemplatePiece::Number { width: 0 },
                "name" => TemplatePiece::Name,
                "description" => TemplatePiece::Description,
                "mate" => TemplatePiece::Mate,
                "length" => TemplatePiece::Length,
                _ => match (width(place), place.parse()) {
                    (Some(width), _) if width <= WIDEST => TemplatePiece::Number { width },
                    (_, Ok(group)) if (1..=groups).contains(&group) => TemplatePiece::Group(group),
                    (_, Ok(group)) if groups > 0 => {
                        return wrong(format!("'{text}' has {{{group}}}, but the pattern has groups 1 to {groups}"));
                    }
                    _ => {
                        return wrong(format!(
                            "unknown placeholder '{{{place}}}': expected {{number}}, {{number:8}}, {{name}}, {{description}}, {{mate}} or {{length}}"
                        ));
                    }
                },
            });
            rest = &rest[open + close + 1..];
        }
        pieces.push(TemplatePiece::Text(rest.into()));
        if text.bytes().any(|byte| byte < b' ' && byte != b'\t') {
            return wrong(format!("'{}' is not a header line", text.escape_debug()));
        }
        Ok(HeaderTemplate(pieces))
    }

    /// A template for what this pattern matches, which may be empty. `{1}` stands for what its first group holds.
    ///
    /// # Errors
    /// If a place is unknown.
    pub fn replacement_of(text: &str, pattern: &Regex) -> Result<HeaderTemplate, InvalidTemplate> {
        HeaderTemplate::replacement(text, regex::groups(pattern))
    }

    /// Appends the header line of the read of this number, without its first character.
    pub fn write(&self, read: &Record<'_>, number: u64, mate: u8, out: &mut Vec<u8>) {
        let start = out.len();
        self.fill(read, (number, mate), &|_| None, out);
        // Where there is no description, nothing stands for it.
        while out.len() > start && matches!(out.last(), Some(b' ' | b'\t')) {
            out.pop();
        }
    }

    /// Appends what the template stands for, as it is.
    pub(super) fn fill<'t>(
        &self,
        read: &Record<'_>,
        (number, mate): (u64, u8),
        group: &dyn Fn(usize) -> Option<&'t [u8]>,
        out: &mut Vec<u8>,
    ) {
        for piece in &self.0 {
            match piece {
                TemplatePiece::Text(text) => out.extend_from_slice(text),
                TemplatePiece::Number { width } => {
                    out.extend_from_slice(format!("{number:0width$}").as_bytes());
                }
                TemplatePiece::Name => out.extend_from_slice(read.name()),
                TemplatePiece::Description => out.extend_from_slice(read.description()),
                TemplatePiece::Mate => out.push(b'0' + mate),
                TemplatePiece::Length => {
                    out.extend_from_slice(read.sequence().len().to_string().as_bytes());
                }
                TemplatePiece::Group(number) => {
                    out.extend_from_slice(group(*number).unwrap_or_default());
                }
            }
        }
    }
}
