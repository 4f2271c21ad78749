//! zstd, bzip2 and xz as streams, decoded by their libraries. What a library has decoded before a fault is
//! delivered, and is the same whatever the sizes of chunks and reads; the readers that come with the libraries drop
//! what was decoded in the call that met the fault.

use bzip2::Decompress;
use liblzma::stream::{Action, Status, Stream};
use zstd::stream::raw::{self as zstd_raw, InBuffer, Operation as _, OutBuffer};

use crate::error::{Error, ErrorKind, Location};
use crate::input::{Container, StoredBytes};

/// The bytes of a block header of zstd.
const ZSTD_BLOCK_HEADER: usize = 3;

/// xz gets its input, and room for its output, in steps of this.
const XZ_STEP: usize = 1 << 15;

/// Decodes an [`StoredBytes`] to its end: any number of frames or streams, one behind the other.
pub(crate) struct Decoder {
    codec: Codec,
    name: &'static str,
    ended: bool,
}

enum Codec {
    Zstd(Zstd),
    Bzip2(Bzip2),
    Xz(Xz),
}

/// What one call did: bytes taken, bytes given, and what comes behind these.
struct Step {
    used: usize,
    made: usize,
    then: Then,
}

enum Then {
    More,
    End,
    /// The input has ended too early.
    Cut,
    Fault(String),
}

impl Decoder {
    /// # Errors
    /// If the library can't be set up.
    pub(crate) fn new(container: Container, input: &StoredBytes) -> Result<Decoder, Error> {
        let codec = match container {
            Container::Zstd => Zstd::new().map(Codec::Zstd),
            Container::Bzip2 => Ok(Codec::Bzip2(Bzip2 {
                stream: Box::new(Decompress::new(false)),
                is_complete: false,
            })),
            _ => Xz::new().map(Codec::Xz),
        };
        let codec = codec.map_err(|e| Error::io(e, &input.name))?;
        Ok(Decoder { codec, name: container.name(), ended: false })
    }

    /// Fills `out`; less than all of it only at the end of the input, or before the fault returned beside it.
    pub(crate) fn read_full(
        &mut self,
        input: &mut StoredBytes,
        out: &mut [u8],
    ) -> (usize, Option<Error>) {
        let mut n = 0;
        while n < out.len() && !self.ended {
            let (len, want) = match &self.codec {
                Codec::Zstd(zstd) => (zstd.step_len(), 1),
                Codec::Bzip2(_) => (usize::MAX, 1),
                Codec::Xz(_) => {
                    let len = XZ_STEP - (input.position() % XZ_STEP as u64) as usize;
                    (len, len)
                }
            };
            let bytes = input.look(want);
            let bytes = &bytes[..len.min(bytes.len())];
            let out = &mut out[n..];
            let step = match &mut self.codec {
                Codec::Zstd(zstd) => zstd.step(bytes, out),
                Codec::Bzip2(bzip2) => bzip2.step(bytes, out),
                Codec::Xz(xz) => xz.step(bytes, out),
            };
            n += step.made;
            input.consume(step.used);
            let kind = match step.then {
                Then::More => continue,
                Then::End => None,
                Then::Cut => Some(ErrorKind::Truncated("the compressed data")),
                Then::Fault(reason) => Some(ErrorKind::Corrupt { codec: self.name, reason }),
            };
            self.ended = true;
            let error = match (kind, input.take_fault()) {
                (Some(ErrorKind::Truncated(_)) | None, Some(error)) => Some(error),
                (kind, _) => kind.map(|kind| Error::new(kind, Location::in_input(&input.name))),
            };
            return (n, error);
        }
        (n, None)
    }
}

/// On a fault this library doesn't tell what it had decoded in the same call. So it gets one block or one header a
/// call, and nothing while it may hold decoded bytes.
struct Zstd {
    decoder: zstd_raw::Decoder<'static>,
    /// The bytes the decoder can use next; 0 between frames.
    wanted: usize,
    /// The decoder may hold more than there was room for.
    is_full: bool,
}

impl Zstd {
    fn new() -> std::io::Result<Zstd> {
        Ok(Zstd { decoder: zstd_raw::Decoder::new()?, wanted: 0, is_full: false })
    }

    /// How many bytes are one header, or one block: the decoder asks for the header of the next block with it.
    fn step_len(&self) -> usize {
        match self.wanted.saturating_sub(ZSTD_BLOCK_HEADER) {
            0 => self.wanted.max(1),
            alone => alone,
        }
    }

    fn step(&mut self, input: &[u8], out: &mut [u8]) -> Step {
        if input.is_empty() && self.wanted == 0 {
            return Step { used: 0, made: 0, then: Then::End };
        }
        let room = out.len();
        let mut given = InBuffer::around(if self.is_full { &[] } else { input });
        let mut out = OutBuffer::around(out);
        let result = self.decoder.run(&mut given, &mut out);
        let (used, made) = (given.pos(), out.pos());
        let then = match result {
            Err(error) => Then::Fault(error.to_string()),
            Ok(wanted) => {
                self.wanted = wanted;
                self.is_full = wanted > 0 && made == room;
                if input.is_empty() && made == 0 { Then::Cut } else { Then::More }
            }
        };
        Step { used, made, then }
    }
}

struct Bzip2 {
    stream: Box<Decompress>,
    /// Whether the stream has ended: the data may end, or another begin.
    is_complete: bool,
}

impl Bzip2 {
    fn step(&mut self, input: &[u8], out: &mut [u8]) -> Step {
        if self.is_complete {
            if input.is_empty() {
                return Step { used: 0, made: 0, then: Then::End };
            }
            *self.stream = Decompress::new(false);
        }
        let (taken, given) = (self.stream.total_in(), self.stream.total_out());
        let result = self.stream.decompress(input, out);
        let used = (self.stream.total_in() - taken) as usize;
        let made = (self.stream.total_out() - given) as usize;
        self.is_complete = result == Ok(bzip2::Status::StreamEnd);
        let then = match result {
            Err(error) => Then::Fault(error.to_string()),
            Ok(_) if used > 0 || made > 0 || self.is_complete => Then::More,
            Ok(_) => stuck(input),
        };
        Step { used, made, then }
    }
}

/// This library notices some faults only when it returns for want of input or of room. Always having the same of both
/// makes what comes before a fault independent of the caller.
struct Xz {
    stream: Stream,
    held: Box<[u8]>,
    /// How many of the held bytes were decoded, and how many of them given away.
    decoded: usize,
    given: usize,
    /// What comes behind the held bytes, once that's known.
    then: Option<Then>,
}

impl Xz {
    fn new() -> std::io::Result<Xz> {
        let stream = Stream::new_stream_decoder(u64::MAX, liblzma::stream::CONCATENATED)?;
        let held = vec![0; XZ_STEP].into();
        Ok(Xz { stream, held, decoded: 0, given: 0, then: None })
    }

    fn step(&mut self, input: &[u8], out: &mut [u8]) -> Step {
        if self.decoded == self.held.len() || self.then.is_some() {
            let rest = &self.held[self.given..self.decoded];
            let made = rest.len().min(out.len());
            out[..made].copy_from_slice(&rest[..made]);
            self.given += made;
            if self.given < self.decoded {
                return Step { used: 0, made, then: Then::More };
            }
            (self.decoded, self.given) = (0, 0);
            return Step { used: 0, made, then: self.then.take().unwrap_or(Then::More) };
        }
        let (taken, given) = (self.stream.total_in(), self.stream.total_out());
        let action = if input.is_empty() { Action::Finish } else { Action::Run };
        let result = self.stream.process(input, &mut self.held[self.decoded..], action);
        let used = (self.stream.total_in() - taken) as usize;
        let made = (self.stream.total_out() - given) as usize;
        self.decoded += made;
        self.then = match result {
            Err(error) => Some(Then::Fault(error.to_string())),
            Ok(Status::StreamEnd) => Some(Then::End),
            Ok(_) if used > 0 || made > 0 => None,
            Ok(_) => Some(stuck(input)),
        };
        Step { used, made: 0, then: Then::More }
    }
}

/// A decoder takes nothing and gives nothing though there is room.
fn stuck(input: &[u8]) -> Then {
    if input.is_empty() {
        Then::Cut
    } else {
        Then::Fault("the decoder makes no progress".to_owned())
    }
}
