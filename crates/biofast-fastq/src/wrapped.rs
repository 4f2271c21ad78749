//! Records whose sequence and quality may run over several lines: slower, and exact.
//!
//! Sequence lines last until a line starting with `+`; quality lines until there are as many
//! characters as bases, so a quality line may start with `@`. Blank lines between records are
//! passed over.

use biofast_kernels as kernels;

use crate::error::ErrorKind;
use crate::framer::{cut, expected_at};
use crate::record::Span;

pub(crate) enum Parsed {
    /// A record, put together in the arena.
    Record { span: Span, next: usize, lines: u64 },
    /// A blank line.
    Blank { next: usize, lines: u64 },
    /// The bytes end before the record does, or there are no more.
    NeedMore,
}

pub(crate) struct WrappedFault {
    pub(crate) kind: ErrorKind,
    /// Lines after the record's first one.
    pub(crate) line: u64,
    pub(crate) byte: usize,
}

/// Reads one record or one blank line at `start`. `complete` says that nothing follows `bytes`.
pub(crate) fn parse(
    bytes: &[u8],
    start: usize,
    complete: bool,
    arena: &mut Vec<u8>,
) -> Result<Parsed, WrappedFault> {
    let mut lines = Lines { bytes, at: start, complete, count: 0 };
    let fault = |kind, line, byte| Err(WrappedFault { kind, line, byte });
    let Some(header) = lines.next() else {
        return Ok(Parsed::NeedMore);
    };
    if header.is_empty() {
        return Ok(Parsed::Blank { next: lines.at, lines: 1 });
    }
    let [b'@', definition @ ..] = header else {
        return fault(expected_at(header), 0, start);
    };
    let truncated = |lines: &Lines<'_>, expected| {
        if complete {
            let kind = ErrorKind::Truncated { expected };
            return Err(WrappedFault { kind, line: lines.count, byte: bytes.len() });
        }
        Ok(Parsed::NeedMore)
    };

    // What is added to the arena for a record that turns out unfinished is taken off again.
    let arena_start = arena.len();
    arena.extend_from_slice(definition);
    let sequence_start = arena.len();
    let caption = loop {
        let line_start = lines.at;
        let Some(line) = lines.next() else {
            arena.truncate(arena_start);
            return truncated(&lines, "more sequence or a separator line starting with '+'");
        };
        if let [b'+', caption @ ..] = line {
            break caption;
        }
        if let Some(at) = kernels::find_invalid_base(line) {
            let kind = ErrorKind::InvalidBase { found: line[at], column: at as u64 + 1 };
            return fault(kind, lines.count - 1, line_start + at);
        }
        arena.extend_from_slice(line);
    };
    if !caption.is_empty() && caption != definition {
        let kind = ErrorKind::CaptionDiffers { name: cut(definition), caption: cut(caption) };
        return fault(kind, lines.count - 1, lines.at);
    }
    let len = arena.len() - sequence_start;
    let quality_start = arena.len();
    while arena.len() - quality_start < len {
        let line_start = lines.at;
        let Some(line) = lines.next() else {
            arena.truncate(arena_start);
            return truncated(&lines, "as many quality characters as bases");
        };
        if let Some(at) = kernels::find_invalid_quality(line) {
            let kind = ErrorKind::InvalidQuality { found: line[at], column: at as u64 + 1 };
            return fault(kind, lines.count - 1, line_start + at);
        }
        arena.extend_from_slice(line);
    }
    let found = arena.len() - quality_start;
    if found != len {
        let kind = ErrorKind::LengthsDiffer {
            name: cut(definition),
            sequence: len as u64,
            qualities: found as u64,
        };
        return fault(kind, lines.count - 1, lines.at);
    }
    let span = Span {
        definition: arena_start as u32,
        definition_len: definition.len() as u32,
        sequence: sequence_start as u32,
        qualities: quality_start as u32,
        len: len as u32,
    };
    Ok(Parsed::Record { span, next: lines.at, lines: lines.count })
}

struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    complete: bool,
    count: u64,
}

impl<'a> Lines<'a> {
    /// The next line without its end; `None` if its end isn't there yet.
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let (line, used) = match rest.iter().position(|&b| b == b'\n') {
            Some(n) => (&rest[..n], n + 1),
            None if self.complete && !rest.is_empty() => (rest, rest.len()),
            None => return None,
        };
        self.at += used;
        self.count += 1;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}
