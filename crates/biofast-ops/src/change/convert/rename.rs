//! New header lines, by a template.

use std::fmt;

use biofast_fastq::Record;

/// A header line with places for what a read has.
///
/// ```
/// use biofast_fastq::Record;
/// use biofast_ops::convert::Template;
///
/// let template = Template::parse("read_{number} {description}")?;
/// let mut line = Vec::new();
/// template.write(&Record::new(b"old 1:N:0", b"A", b"I"), 7, 1, &mut line);
/// assert_eq!(line, b"read_7 1:N:0");
/// assert!(Template::parse("read").is_err(), "all reads would have one name");
/// # Ok::<(), biofast_ops::convert::InvalidTemplate>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(Vec<u8>),
    Number { width: usize },
    Name,
    Description,
    Mate,
}

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidTemplate(String);

impl fmt::Display for InvalidTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidTemplate {}

/// Digits of a number at most.
const WIDEST: usize = 20;

/// The digits that a number has at least.
fn width(place: &str) -> Option<usize> {
    let width = place.strip_prefix("number:").or_else(|| place.strip_prefix("n:"))?;
    width.parse().ok()
}

impl Template {
    /// `{number}`, or `{n}`, stands for the number of the read or pair, `{number:8}` for the same with at least 8 digits, `{name}` and `{description}` for
    /// those the read had, and `{mate}` for 1 or 2.
    ///
    /// # Errors
    /// If a place is unknown, or no place makes names differ.
    pub fn parse(text: &str) -> Result<Template, InvalidTemplate> {
        let wrong = |what: String| Err(InvalidTemplate(what));
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            pieces.push(Piece::Text(rest[..open].into()));
            let Some(close) = rest[open..].find('}') else {
                return wrong(format!("'{text}' has no '}}' behind its '{{'"));
            };
            let place = &rest[open + 1..open + close];
            pieces.push(match place {
                "number" | "n" => Piece::Number { width: 0 },
                "name" => Piece::Name,
                "description" => Piece::Description,
                "mate" => Piece::Mate,
                _ => match width(place) {
                    Some(width) if width <= WIDEST => Piece::Number { width },
                    _ => {
                        return wrong(format!(
                            "'{{{place}}}' is unknown: places are {{number}}, {{number:8}}, {{name}}, {{description}} and {{mate}}"
                        ));
                    }
                },
            });
            rest = &rest[open + close + 1..];
        }
        pieces.push(Piece::Text(rest.into()));
        if !pieces.iter().any(|piece| matches!(piece, Piece::Number { .. } | Piece::Name)) {
            return wrong(format!(
                "'{text}' would be the name of every read: it needs {{number}} or {{name}}"
            ));
        }
        if text.bytes().any(|byte| byte < b' ' && byte != b'\t') || text.starts_with([' ', '\t']) {
            return wrong(format!("'{}' is no header line", text.escape_debug()));
        }
        Ok(Template(pieces))
    }

    /// Appends the header line of the read of this number, without its first character.
    pub fn write(&self, read: &Record<'_>, number: u64, mate: u8, out: &mut Vec<u8>) {
        let start = out.len();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Number { width } => {
                    out.extend_from_slice(format!("{number:0width$}").as_bytes());
                }
                Piece::Name => out.extend_from_slice(read.name()),
                Piece::Description => out.extend_from_slice(read.description()),
                Piece::Mate => out.push(b'0' + mate),
            }
        }
        // Where there is no description, nothing stands for it.
        while out.len() > start && matches!(out.last(), Some(b' ' | b'\t')) {
            out.pop();
        }
    }
}
