//! Sequence lines joined to records, chunk by chunk.
//!
//! Nothing of a chunk is carried to the next one but the record that is being joined, so a sequence is copied once, whatever
//! its length, and a file of one line is as good as one of many.

use biofast_kernels as kernels;

use crate::error::{Error, ErrorKind};
use crate::record::Span;

/// A buffer that grew beyond this for a long record is not kept.
const LARGE: usize = 8 << 20;

/// A place in a chunk: its line, counted from 0, and its byte, which may be the last one of the chunk before.
#[derive(Clone, Copy)]
pub(crate) struct ChunkPosition {
    /// Records that are complete.
    pub(crate) records: usize,
    pub(crate) line: u64,
    pub(crate) byte: i64,
}

/// What a line is, beside text of a record.
pub(crate) enum Line {
    /// Nothing.
    Blank,
    /// The header of a record.
    Header,
    /// Some of its bases.
    Bases,
}

/// The record that is being joined, and where in its line the last chunk ended.
#[derive(Default)]
pub(crate) struct Joining {
    /// Header line without `>`, then bases.
    record: Vec<u8>,
    /// Whether there is a record.
    begun: bool,
    /// The length of its header line, once it is complete.
    definition_len: Option<usize>,
    /// Characters of the current line so far.
    column: usize,
    /// A carriage return behind them, which may be part of the line's end.
    carriage_return: bool,
}

impl Joining {
    /// Joins the lines of `bytes`, which end at `newlines`. Complete records go to `arena` and `spans`; the last one is complete
    /// if `is_end`. `told` hears what lines are, and may refuse them.
    ///
    /// # Errors
    /// What is wrong, after everything before it.
    pub(crate) fn read(
        &mut self,
        bytes: &[u8],
        newlines: &[u32],
        is_end: bool,
        (arena, spans): (&mut Vec<u8>, &mut Vec<Span>),
        mut told: impl FnMut(Line, ChunkPosition) -> Result<(), Error>,
    ) -> Result<(), Stop> {
        arena.clear();
        std::mem::swap(arena, &mut self.record);
        if self.record.capacity() > LARGE {
            self.record = Vec::new();
        }
        // Where the record begins in the arena, and the segment of a line in the bytes.
        let (mut start, mut at) = (0, 0);
        let ends = newlines.iter().map(|&end| (end as usize, true));
        for (line, (end, is_whole)) in (0..).zip(ends.chain([(bytes.len(), false)])) {
            let mut text = &bytes[at..end];
            let place = |records: usize, byte: i64| ChunkPosition { records, line, byte };
            if self.carriage_return && !text.is_empty() {
                // It was no line end.
                let kind = self.wrong(b'\r', self.column + 1);
                return Err(Stop::Fault(kind, place(spans.len(), at as i64 - 1)));
            }
            if self.column == 0
                && let [b'>', rest @ ..] = text
            {
                self.finish(&mut start, arena, spans);
                told(Line::Header, place(spans.len(), at as i64))?;
                (self.begun, self.definition_len, self.column) = (true, None, 1);
                text = rest;
                at += 1;
            }
            if let [rest @ .., b'\r'] = text {
                self.carriage_return = true;
                text = rest;
            }
            if !text.is_empty() {
                let in_header = self.in_header();
                let found = match in_header {
                    true => kernels::find_control(text),
                    false => kernels::find_invalid_base(text),
                };
                if let Some(found) = found {
                    let kind = self.wrong(text[found], self.column + found + 1);
                    return Err(Stop::Fault(kind, place(spans.len(), (at + found) as i64)));
                }
                if !in_header {
                    told(Line::Bases, place(spans.len(), at as i64))?;
                }
                arena.extend_from_slice(text);
                self.column += text.len();
            }
            let line_end = end as i64 - i64::from(self.carriage_return);
            if (is_whole || is_end) && self.in_header() {
                let definition = &arena[start..];
                if matches!(definition, [] | [b' ' | b'\t', ..]) {
                    return Err(Stop::Fault(ErrorKind::EmptyName, place(spans.len(), line_end)));
                }
                self.definition_len = Some(definition.len());
            } else if is_whole && self.column == 0 {
                told(Line::Blank, place(spans.len(), line_end))?;
            }
            if is_whole {
                (self.column, self.carriage_return) = (0, false);
                at = end + 1;
            }
        }
        if is_end {
            self.finish(&mut start, arena, spans);
            self.begun = false;
        } else if start == 0 {
            std::mem::swap(arena, &mut self.record);
        } else {
            self.record.clear();
            self.record.extend_from_slice(&arena[start..]);
            arena.truncate(start);
        }
        Ok(())
    }

    /// Bytes of the record that is being joined.
    pub(crate) fn len(&self) -> usize {
        self.record.len()
    }

    fn in_header(&self) -> bool {
        self.begun && self.definition_len.is_none()
    }

    /// A character that the line may not have.
    fn wrong(&self, found: u8, column: usize) -> ErrorKind {
        let column = column as u64;
        match self.in_header() {
            true => ErrorKind::ControlInHeader { found, column },
            false => ErrorKind::InvalidBase { found, column },
        }
    }

    /// The record is complete, if there is one.
    fn finish(&self, start: &mut usize, arena: &[u8], spans: &mut Vec<Span>) {
        let Some(definition_len) = self.definition_len.filter(|_| self.begun) else { return };
        let sequence = *start + definition_len;
        spans.push(Span {
            definition: *start as u32,
            definition_len: definition_len as u32,
            sequence: sequence as u32,
            qualities: Span::NO_QUALITIES,
            len: (arena.len() - sequence) as u32,
        });
        *start = arena.len();
    }
}

/// Why reading ended.
pub(crate) enum Stop {
    /// A line is wrong.
    Fault(ErrorKind, ChunkPosition),
    /// What it is was refused.
    Refused(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Refused(error)
    }
}
