//! Records whose sequence and quality may run over several lines: slower, and exact.
//!
//! Sequence lines last until a line starting with `+`; quality lines until there are as many
//! characters as bases, so a quality line may start with `@`. Blank lines are passed over and
//! counted. What follows a wrapped record, or one without a sequence line, must be a header, a
//! blank line or the end: so a quality line that lost as many characters as the next header has is
//! noticed, and does not swallow that header.
//!
//! Reading can stop anywhere and go on when there are more bytes, so a long record is looked at
//! once however many chunks it spans.

use biofast_kernels as kernels;

use crate::error::{ErrorKind, LINE_SHOWN, cut, expected_at};
use crate::record::Span;

pub(crate) enum Parsed {
    /// A record, put together in the arena.
    Record { span: Span, next: usize, lines: u64, blank: Blank },
    /// A blank line.
    Blank { next: usize },
    /// The bytes end before the record does, or there are no more.
    NeedMore,
}

/// Blank lines: how many, and where the first one is, as lines and bytes after the start of what
/// they are in.
#[derive(Clone, Copy, Default)]
pub(crate) struct Blank {
    pub(crate) lines: u64,
    pub(crate) first: (u64, usize),
}

impl Blank {
    pub(crate) fn add(&mut self, line: u64, byte: usize) {
        if self.lines == 0 {
            self.first = (line, byte);
        }
        self.lines += 1;
    }
}

pub(crate) struct WrappedFault {
    pub(crate) kind: ErrorKind,
    /// Lines after the record's first one.
    pub(crate) line: u64,
    /// Bytes after the record's first one.
    pub(crate) byte: usize,
}

/// How far a record has been read. Offsets count from its first byte.
#[derive(Default)]
pub(crate) struct Progress {
    part: Part,
    /// Where the current line starts.
    at: usize,
    /// Up to where its end has been looked for.
    searched: usize,
    /// Complete lines.
    lines: u64,
    /// The header without `@`.
    definition: std::ops::Range<usize>,
    sequence_lines: u64,
    /// Where the sequence lines are.
    sequence: std::ops::Range<usize>,
    /// Bases.
    len: usize,
    quality_lines: u64,
    /// Where the quality lines are.
    quality: std::ops::Range<usize>,
    /// Quality characters.
    found: usize,
    /// Blank lines among the others.
    blank: Blank,
}

#[derive(Clone, Copy, Default)]
enum Part {
    #[default]
    Header,
    Sequence,
    Quality,
    /// The record is complete; what follows decides whether it is one.
    Next,
}

impl Progress {
    /// Goes on reading the record that starts with `bytes`; `complete` says that nothing follows
    /// them.
    pub(crate) fn read(
        &mut self,
        bytes: &[u8],
        complete: bool,
        arena: &mut Vec<u8>,
    ) -> Result<Parsed, WrappedFault> {
        loop {
            let start = self.at;
            if let Part::Next = self.part {
                return self.check_next(bytes, complete, arena);
            }
            let Some(line) = self.line(bytes, complete) else {
                let expected = match self.part {
                    Part::Sequence => "more sequence or a separator line starting with '+'",
                    Part::Quality => "as many quality characters as bases",
                    Part::Header | Part::Next => return Ok(Parsed::NeedMore),
                };
                if complete {
                    let kind = ErrorKind::Truncated { expected };
                    return Err(WrappedFault { kind, line: self.lines, byte: bytes.len() });
                }
                return Ok(Parsed::NeedMore);
            };
            let line_number = self.lines - 1;
            let fault = |kind, at| Err(WrappedFault { kind, line: line_number, byte: start + at });
            match self.part {
                Part::Header if line.is_empty() => return Ok(Parsed::Blank { next: self.at }),
                Part::Header => {
                    let [b'@', definition @ ..] = line else {
                        return fault(expected_at(line), 0);
                    };
                    if let Some(at) = kernels::find_control(line) {
                        let (found, column) = (line[at], at as u64 + 1);
                        return fault(ErrorKind::ControlInHeader { found, column }, at);
                    }
                    self.definition = 1..1 + definition.len();
                    self.sequence = self.at..self.at;
                    self.part = Part::Sequence;
                }
                Part::Sequence => {
                    if let [b'+', caption @ ..] = line {
                        let definition = &bytes[self.definition.clone()];
                        if !caption.is_empty() && caption != definition {
                            let (name, caption) = (cut(definition), cut(caption));
                            return fault(ErrorKind::CaptionDiffers { name, caption }, 0);
                        }
                        self.sequence.end = start;
                        if self.sequence_lines == 1 {
                            // The line of a read without bases.
                            self.blank = Blank::default();
                        }
                        self.quality = self.at..self.at;
                        self.part = if self.len == 0 { Part::Next } else { Part::Quality };
                    } else if let Some(at) = kernels::find_invalid_base(line) {
                        let (found, column) = (line[at], at as u64 + 1);
                        return fault(ErrorKind::InvalidBase { found, column }, at);
                    } else {
                        if line.is_empty() {
                            self.blank.add(line_number, start);
                        }
                        self.len += line.len();
                        self.sequence_lines += 1;
                    }
                }
                Part::Quality => {
                    if let Some(at) = kernels::find_invalid_quality(line) {
                        let (found, column) = (line[at], at as u64 + 1);
                        return fault(ErrorKind::InvalidQuality { found, column }, at);
                    }
                    let found = self.found + line.len();
                    if found > self.len {
                        let kind = ErrorKind::LengthsDiffer {
                            name: cut(&bytes[self.definition.clone()]),
                            sequence: self.len as u64,
                            qualities: found as u64,
                        };
                        return fault(kind, 0);
                    }
                    if line.is_empty() {
                        self.blank.add(line_number, start);
                    }
                    self.found = found;
                    self.quality_lines += 1;
                    self.quality.end = self.at;
                    if found == self.len {
                        self.part = Part::Next;
                    }
                }
                Part::Next => {}
            }
        }
    }

    fn check_next(
        &self,
        bytes: &[u8],
        complete: bool,
        arena: &mut Vec<u8>,
    ) -> Result<Parsed, WrappedFault> {
        let rest = &bytes[self.at..];
        if self.sequence_lines != 1 || self.quality_lines > 1 {
            match rest.first() {
                None if !complete => return Ok(Parsed::NeedMore),
                None | Some(b'@' | b'\n' | b'\r') => {}
                Some(_) => {
                    let shown = &rest[..rest.len().min(LINE_SHOWN)];
                    let end = shown.iter().position(|&b| b == b'\n');
                    if end.is_none() && rest.len() < LINE_SHOWN && !complete {
                        return Ok(Parsed::NeedMore);
                    }
                    let kind = expected_at(&shown[..end.unwrap_or(shown.len())]);
                    return Err(WrappedFault { kind, line: self.lines, byte: self.at });
                }
            }
        }
        let span = self.gather(bytes, arena);
        Ok(Parsed::Record { span, next: self.at, lines: self.lines, blank: self.blank })
    }

    /// Puts the parts of the complete record together.
    fn gather(&self, bytes: &[u8], arena: &mut Vec<u8>) -> Span {
        let definition = arena.len() as u32;
        arena.extend_from_slice(&bytes[self.definition.clone()]);
        let sequence = arena.len() as u32;
        for part in [&self.sequence, &self.quality] {
            for line in bytes[part.clone()].split(|&b| b == b'\n') {
                arena.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
            }
        }
        Span {
            definition,
            definition_len: self.definition.len() as u32,
            sequence,
            qualities: sequence + self.len as u32,
            len: self.len as u32,
        }
    }

    /// The next line without its end; `None` if its end isn't there yet.
    fn line<'a>(&mut self, bytes: &'a [u8], complete: bool) -> Option<&'a [u8]> {
        let newline = bytes[self.searched..].iter().position(|&b| b == b'\n');
        let (end, next) = match newline {
            Some(n) => (self.searched + n, self.searched + n + 1),
            None => {
                self.searched = bytes.len();
                if !complete || self.at == bytes.len() {
                    return None;
                }
                (bytes.len(), bytes.len())
            }
        };
        let line = &bytes[self.at..end];
        self.at = next;
        self.searched = next;
        self.lines += 1;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}
