//! Ordinary gzip as a stream: any number of members, CRC-32 and length of each checked
//! (RFC 1952). Headers and footers are read here; deflate data and checksums by `inflate`, and
//! by several threads where there are enough (`speculate`).

mod checksums;
mod members;
mod noting;
mod points;
mod speculate;
mod tasks;

use std::sync::Arc;

use biofast_deflate::{Progress, Status};

use super::codec;
use super::inflate::Inflate;
use crate::error::{Error, ErrorKind, Location};
use crate::input::{GzipPoints, StoredBytes};
pub use members::GzipMembers;
use noting::Noting;
pub use points::GzipPart;
use speculate::Speculation;
pub(crate) use speculate::Unresolved;
pub(crate) use tasks::{PendingTask, TaskQueue};

/// A header with a longer name, comment or extra field is not believed.
const LONGEST_HEADER: usize = 1 << 20;

const FHCRC: u8 = 2;
const FEXTRA: u8 = 4;
const FNAME: u8 = 8;
const FCOMMENT: u8 = 16;
const RESERVED: u8 = 0xe0;

/// Decodes the members of [`StoredBytes`] from their position to their end.
pub(crate) struct GzipDecoder {
    inflate: Inflate,
    /// Bytes inflated of the current member.
    inflated: u64,
    members: u64,
    /// Where the current member starts.
    member_start: u64,
    /// Whether reading ends with each member.
    is_by_member: bool,
    state: MemberState,
    ahead: Option<Box<Speculation>>,
    /// Whether the last step ended at the start of a block that was asked for.
    at_boundary: bool,
    noting: Option<Noting>,
    /// Whether the start of the current member wasn't read, so that its footer says nothing.
    headless: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberState {
    Header,
    Body,
    Ended,
}

enum HeaderParse {
    Complete(usize),
    NeedMore,
    Bad(&'static str),
}

impl GzipDecoder {
    pub(crate) fn new() -> GzipDecoder {
        GzipDecoder {
            inflate: Inflate::new(),
            inflated: 0,
            members: 0,
            member_start: 0,
            is_by_member: false,
            state: MemberState::Header,
            ahead: None,
            at_boundary: false,
            noting: None,
            headless: false,
        }
    }

    /// A decoder that notes places where others can start.
    pub(crate) fn noting(self, points: Arc<GzipPoints>) -> GzipDecoder {
        let inflate = Inflate::resumable();
        GzipDecoder { inflate, noting: Some(Noting::new(points)), ..self }
    }

    /// A decoder that starts in the middle of a member, where a block starts: after so many bits of the input's first byte.
    pub(crate) fn resumed(window: &[u8], odd: usize) -> GzipDecoder {
        let mut inflate = Inflate::resumable();
        inflate.resume(window, odd);
        GzipDecoder {
            inflate,
            members: 1,
            state: MemberState::Body,
            headless: true,
            ..GzipDecoder::new()
        }
    }

    /// A decoder behind a complete member.
    pub(crate) fn continued() -> GzipDecoder {
        GzipDecoder { members: 1, ..GzipDecoder::new() }
    }

    /// Whether several threads inflate the input, which hasn't been read yet: if there are enough of them, and enough
    /// of it.
    pub(crate) fn share(&mut self, input: &StoredBytes, threads: usize) -> bool {
        if self.inflate.can_resume() && self.noting.is_none() {
            let forced = input.gzip_piece().or_else(codec::gzip_chunk);
            // More threads than cores share what it costs, and not what it brings.
            let worth_it = threads.min(crate::threads::available_threads())
                >= codec::SHARING_THREADS
                && input.len().is_none_or(|len| len >= speculate::WORTH_IT);
            self.ahead = match forced {
                Some(0) => None,
                Some(len) => Some(Speculation::new(len, threads, 0)),
                None if worth_it => {
                    let first = if input.len().is_some() { 0 } else { speculate::WORTH_IT };
                    Some(Speculation::new(codec::GZIP_CHUNK, threads, first))
                }
                None => None,
            }
            .map(Box::new);
        }
        self.ahead.is_some()
    }

    /// What threads with nothing to do can work at.
    pub(crate) fn tasks(&self) -> Option<&Arc<TaskQueue>> {
        self.ahead.as_ref().map(|ahead| ahead.tasks())
    }

    /// What must be done before anything can be read.
    pub(crate) fn pending(&self) -> Option<PendingTask> {
        self.ahead.as_ref()?.pending()
    }

    /// The next bytes, if they have been inflated before their turn: about so many. If not, [`read`](Self::read) has them.
    pub(crate) fn next_chunk(&mut self, input: &mut StoredBytes, len: usize) -> Option<Unresolved> {
        match (&mut self.ahead, self.state) {
            (Some(ahead), MemberState::Body) => {
                ahead.next_chunk(input, &mut self.inflate, len, &mut self.inflated)
            }
            _ => None,
        }
    }

    /// Whether everything has been read.
    pub(crate) fn has_ended(&self) -> bool {
        self.state == MemberState::Ended
    }

    /// Fills `out`; less than all of it only at the end of the input, before the fault returned beside it, or where
    /// there may be a [chunk](Self::next_chunk) that was inflated ahead.
    pub(crate) fn read(
        &mut self,
        input: &mut StoredBytes,
        out: &mut [u8],
    ) -> (usize, Option<Error>) {
        let mut n = 0;
        self.at_boundary = false;
        while n < out.len() {
            let step = match self.state {
                MemberState::Header => self.header(input),
                MemberState::Body => self.body(input, &mut out[n..], &mut n),
                MemberState::Ended => break,
            };
            if let Err(error) = step {
                return (n, Some(error));
            }
            if self.at_boundary || self.is_by_member && n > 0 && self.state == MemberState::Header {
                break;
            }
        }
        (n, None)
    }

    fn header(&mut self, input: &mut StoredBytes) -> Result<(), Error> {
        let mut want = 512;
        loop {
            let bytes = input.look(want);
            let short = bytes.len() < want;
            if bytes.is_empty() && self.members > 0 {
                return self.end(input);
            }
            if self.members > 0 && !starts_like_gzip(bytes) {
                return self.padding(input);
            }
            match parse_header(bytes) {
                HeaderParse::Complete(len) => {
                    self.member_start = input.position();
                    input.consume(len);
                    self.inflate.reset();
                    if let Some(ahead) = &mut self.ahead {
                        ahead.start();
                    }
                    self.inflated = 0;
                    self.members += 1;
                    self.state = MemberState::Body;
                    return Ok(());
                }
                HeaderParse::NeedMore if short => {
                    return Err(self.cut(input, "a gzip header"));
                }
                HeaderParse::NeedMore if want >= LONGEST_HEADER => {
                    return Err(self.fault(input, ErrorKind::BadGzipHeader("longer than 1 MiB")));
                }
                HeaderParse::NeedMore => want *= 4,
                HeaderParse::Bad(reason) => {
                    return Err(self.fault(input, ErrorKind::BadGzipHeader(reason)));
                }
            }
        }
    }

    /// After the last member: zeros (tapes and some file systems pad with them) or an error.
    fn padding(&mut self, input: &mut StoredBytes) -> Result<(), Error> {
        loop {
            let bytes = input.look(1);
            let n = bytes.len();
            if n == 0 {
                return self.end(input);
            }
            if bytes.iter().any(|&b| b != 0) {
                return Err(self.fault(input, ErrorKind::TrailingBytes));
            }
            input.consume(n);
        }
    }

    fn body(
        &mut self,
        input: &mut StoredBytes,
        out: &mut [u8],
        n: &mut usize,
    ) -> Result<(), Error> {
        let until = match (&mut self.ahead, &self.noting) {
            (Some(ahead), _) => ahead.before_serial(input, &mut self.inflate),
            (None, Some(noting)) => noting.until(),
            (None, None) => usize::MAX,
        };
        let room = self.noting.as_ref().map_or(out.len(), |noting| noting.room().min(out.len()));
        let out = &mut out[..room];
        // At the end of the input too: where `out` was full, the decoder may hold more to give.
        let bytes = input.look(1);
        let at_end = bytes.is_empty();
        let Progress { used, made, status } = self.inflate.inflate(bytes, out, until);
        self.inflated += made as u64;
        *n += made;
        input.consume(used);
        let place = match status {
            Status::Boundary { odd } => Some(8 * input.position() + odd as u64),
            _ => None,
        };
        if let Some(ahead) = &mut self.ahead {
            ahead.after_serial(made, place);
        }
        if let Some(noting) = &mut self.noting {
            noting.made(&out[..made]);
            if let Some(bit) = place {
                noting.boundary(bit, self.inflate.window());
            }
        } else {
            self.at_boundary = place.is_some();
        }
        match status {
            Status::Ended => self.footer(input),
            Status::NeedsInput if at_end => Err(self.cut(input, "a gzip member")),
            Status::NeedsInput | Status::OutputFull | Status::Boundary { .. } => Ok(()),
            // The same words whichever decoder it is.
            Status::Faulty(_) => {
                let reason = "an invalid code, length or distance".to_owned();
                Err(self.fault(input, ErrorKind::Corrupt { codec: "deflate", reason }))
            }
        }
    }

    fn footer(&mut self, input: &mut StoredBytes) -> Result<(), Error> {
        let bytes = input.look(8);
        let &[a, b, c, d, e, f, g, h, ..] = bytes else {
            return Err(self.cut(input, "a gzip footer"));
        };
        let expected = u32::from_le_bytes([a, b, c, d]);
        let length = u32::from_le_bytes([e, f, g, h]);
        let found = match &mut self.ahead {
            None => self.inflate.crc32(),
            Some(ahead) => match ahead.crc32(&mut self.inflate) {
                Some(sum) => sum,
                None => {
                    let kind = ErrorKind::Io(std::io::Error::other("reading was abandoned"));
                    return Err(self.fault(input, kind));
                }
            },
        };
        let headless = std::mem::take(&mut self.headless);
        if found != expected && !headless {
            return Err(self.fault(input, ErrorKind::ChecksumMismatch { expected, found }));
        }
        // ISIZE is the length modulo 2^32.
        if self.inflated as u32 != length && !headless {
            let kind = ErrorKind::LengthMismatch {
                expected: u64::from(length),
                found: Some(self.inflated),
            };
            return Err(self.fault(input, kind));
        }
        input.consume(8);
        self.state = MemberState::Header;
        Ok(())
    }

    /// Ends behind a complete member.
    fn end(&mut self, input: &mut StoredBytes) -> Result<(), Error> {
        self.state = MemberState::Ended;
        if let Some(noting) = &self.noting {
            noting.ended();
        }
        input.take_fault().map_or(Ok(()), Err)
    }

    /// The fault where the bytes end too early.
    fn cut(&mut self, input: &mut StoredBytes, what: &'static str) -> Error {
        let fault = self.fault(input, ErrorKind::Truncated(what));
        input.take_fault().unwrap_or(fault)
    }

    fn fault(&mut self, input: &StoredBytes, kind: ErrorKind) -> Error {
        self.state = MemberState::Ended;
        let at = Location { block: Some(input.position()), ..Location::in_input(&input.name) };
        Error::new(kind, at)
    }
}

fn starts_like_gzip(bytes: &[u8]) -> bool {
    matches!(bytes, [0x1f] | [0x1f, 0x8b, ..])
}

fn parse_header(bytes: &[u8]) -> HeaderParse {
    let &[id1, id2, method, flags, _, _, _, _, _, _, ..] = bytes else {
        return HeaderParse::NeedMore;
    };
    if (id1, id2) != (0x1f, 0x8b) {
        return HeaderParse::Bad("the magic bytes 1f 8b are missing");
    }
    if method != 8 {
        return HeaderParse::Bad("the compression method is not deflate");
    }
    if flags & RESERVED != 0 {
        return HeaderParse::Bad("reserved flags are set");
    }
    let mut at = 10;
    if flags & FEXTRA != 0 {
        let Some(len) = bytes.get(at..at + 2) else {
            return HeaderParse::NeedMore;
        };
        at += 2 + usize::from(u16::from_le_bytes([len[0], len[1]]));
    }
    for flag in [FNAME, FCOMMENT] {
        if flags & flag != 0 {
            let end = bytes.get(at..).and_then(|rest| rest.iter().position(|&b| b == 0));
            let Some(end) = end else {
                return HeaderParse::NeedMore;
            };
            at += end + 1;
        }
    }
    if flags & FHCRC != 0 {
        let Some(stored) = bytes.get(at..at + 2) else {
            return HeaderParse::NeedMore;
        };
        let crc = libdeflater::crc32(&bytes[..at]) as u16;
        if crc != u16::from_le_bytes([stored[0], stored[1]]) {
            return HeaderParse::Bad("its checksum does not match");
        }
        at += 2;
    }
    if bytes.len() < at { HeaderParse::NeedMore } else { HeaderParse::Complete(at) }
}
