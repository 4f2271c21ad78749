//! One stream whose input comes, and whose output goes, in parts of any size: what ordinary gzip needs.

use biofast_kernels::Isa;

use crate::fault::FaultKind;
use crate::isa;
use crate::lane::OUTPUT_START;

mod codes;
pub(crate) mod decoder;
mod find;
pub(crate) mod room;
mod run;
mod speculative;

use decoder::Advance;
pub(crate) use decoder::{Decoder, Pause};
pub(crate) use room::Room;
use room::{OUTPUT_MARGIN, WINDOW};
pub use speculative::{SpeculativeInflater, Symbols, Window};

/// Output is made in the caller's buffer where it has room for this much more; else in a buffer of our own and copied,
/// as matches may pass the end of what the caller has room for.
const DIRECT: usize = 16 << 10;

/// Bytes made in our own buffer before what is left over of them goes.
const FRESH: usize = 36 << 10;

/// Inflates a raw DEFLATE stream (RFC 1951, without gzip header and footer) part by part. Holds about 130 kB: keep it
/// for the next stream.
///
/// Headers, footers and checksums are the caller's. For several short streams at once see [`Inflater`](crate::Inflater).
///
/// ```
/// use biofast_deflate::{Status, StreamInflater};
///
/// // "abc" in a stored block, then "a" in one of the fixed code; and what doesn't belong to the stream.
/// let input = [0, 3, 0, 0xfc, 0xff, b'a', b'b', b'c', 0x4b, 0x04, 0x00, 0x77];
/// let mut inflater = StreamInflater::new();
/// let (mut text, mut at) = (Vec::new(), 0);
/// let end = loop {
///     // Two bytes of input at a time, and as many of output.
///     let mut part = [0; 2];
///     let progress = inflater.inflate(&input[at..input.len().min(at + 2)], &mut part);
///     at += progress.used;
///     text.extend_from_slice(&part[..progress.made]);
///     match progress.status {
///         Status::NeedsInput if at == input.len() => break None, // the stream has been cut
///         Status::NeedsInput | Status::OutputFull => {}
///         Status::Ended => break Some(at),
///         status => panic!("{status:?}"),
///     }
/// };
/// assert_eq!(text, b"abca");
/// assert_eq!(end, Some(11));
/// ```
pub struct StreamInflater {
    decoder: Box<Decoder>,
    advance: Advance,
    /// Output made here, with what matches may reach before it.
    own: Box<[u8]>,
    /// The end of the output in `own`,
    end: usize,
    /// of which the bytes from here on haven't been given yet.
    given: usize,
    /// Bytes made of the stream, or as many as matches reach.
    history: usize,
    /// What comes after the bytes in `own`.
    pause: Pause,
}

/// What a call of [`StreamInflater::inflate`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of input that were taken. The others must come again.
    pub used: usize,
    /// Bytes of output that were written. Those behind them may hold anything.
    pub made: usize,
    /// Why it stopped.
    pub status: Status,
}

/// Why a call of [`StreamInflater::inflate`] stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All input was taken, and all that it says has been written. If there is no more, the stream has been cut.
    NeedsInput,
    /// The output is full.
    OutputFull,
    /// A block starts at the bit asked for or behind it ([`StreamInflater::inflate_until`]). All that is before it has been
    /// written.
    Boundary {
        /// Bits that belong to what is before, of the byte of input at [`Progress::used`].
        odd: usize,
    },
    /// The stream is complete, and the input from [`Progress::used`] on doesn't belong to it.
    Ended,
    /// The stream is wrong after the bytes that have been written, in what is at the end of the input taken.
    Faulty(FaultKind),
}

impl StreamInflater {
    /// An inflater for the instruction set that `biofast_kernels` uses.
    pub fn new() -> Self {
        Self::for_isa(biofast_kernels::active())
    }

    /// An inflater for another instruction set; `None` where the CPU doesn't have it. For tests and benchmarks.
    #[doc(hidden)]
    pub fn with_isa(isa: Isa) -> Option<Self> {
        biofast_kernels::available().contains(&isa).then(|| Self::for_isa(isa))
    }

    fn for_isa(isa: Isa) -> Self {
        Self {
            decoder: Box::new(Decoder::new()),
            advance: isa::advance_for::<1>(isa),
            own: vec![0; OUTPUT_START + WINDOW + FRESH + OUTPUT_MARGIN].into(),
            end: OUTPUT_START,
            given: OUTPUT_START,
            history: 0,
            pause: Pause::Input,
        }
    }

    /// Makes ready for another stream.
    pub fn reset(&mut self) {
        self.decoder.reset();
        (self.end, self.given, self.history) = (OUTPUT_START, OUTPUT_START, 0);
        self.pause = Pause::Input;
    }

    /// Makes ready for the blocks of a stream from one in its middle on: `window` is what is before it, 32,768 bytes or
    /// all there is, and the first `odd` bits of the first byte of input are not its.
    pub fn resume(&mut self, window: &[u8], odd: usize) {
        let window = &window[window.len().saturating_sub(WINDOW)..];
        self.reset();
        self.decoder.start_at(odd & 7);
        self.history = window.len();
        self.end = OUTPUT_START + self.history;
        self.given = self.end;
        self.own[OUTPUT_START..self.end].copy_from_slice(window);
    }

    /// The last 32,768 bytes of the stream so far, or all there are; some may not have been given yet.
    pub fn window(&self) -> &[u8] {
        &self.own[self.end - self.history..self.end]
    }

    /// Inflates `input`, which goes on where the last call stopped taking, into `output`.
    ///
    /// What a stream comes to (its bytes, its end or fault and where that is) doesn't depend on the sizes of the parts.
    /// Input may be taken some 40 kB ahead of the output; after the end and after a fault nothing is taken. It's fastest with
    /// parts of output of 256 kB and more, and of input of 64 kB and more.
    pub fn inflate(&mut self, input: &[u8], output: &mut [u8]) -> Progress {
        self.inflate_until(input, output, usize::MAX)
    }

    /// [`inflate`](Self::inflate), but stops where a block starts at this bit of `input`, counted from its first byte, or
    /// behind it. Stops at once if it stands there already. A start that the call before has looked at in vain, because the
    /// block's header wasn't complete, is passed.
    pub fn inflate_until(&mut self, input: &[u8], output: &mut [u8], bit: usize) -> Progress {
        if let Pause::Boundary = self.pause {
            self.pause = Pause::Room;
        }
        let (mut used, mut made) = (0, 0);
        let status = loop {
            let held = (self.end - self.given).min(output.len() - made);
            output[made..made + held].copy_from_slice(&self.own[self.given..self.given + held]);
            self.given += held;
            made += held;
            if self.given < self.end {
                break Status::OutputFull;
            }
            match self.pause {
                Pause::End => break Status::Ended,
                Pause::Fault(kind) => break Status::Faulty(kind),
                Pause::Boundary => break Status::Boundary { odd: self.decoder.odd() },
                _ if made == output.len() => break Status::OutputFull,
                Pause::Input if used == input.len() && used > 0 => break Status::NeedsInput,
                _ => {}
            }
            let before = (used, made, self.end);
            let rest = &input[used..];
            self.decoder.stop = bit.saturating_sub(8 * used);
            if made >= self.history && output.len() - made >= DIRECT {
                used += self.advance_in(rest, output, &mut made);
            } else {
                used += self.advance_own(rest);
            }
            let stuck = (used, made, self.end) == before;
            if stuck && matches!(self.pause, Pause::Input) {
                break Status::NeedsInput;
            }
        };
        Progress { used, made, status }
    }

    /// Decodes into the caller's buffer, from `made` on; `own` has nothing to give, and all that matches may reach lies
    /// before `made`.
    fn advance_in(&mut self, input: &[u8], output: &mut [u8], made: &mut usize) -> usize {
        let mut room = Room { floor: *made - self.history, at: *made, buffer: output };
        let (used, pause) = (self.advance)(&mut self.decoder, input, &mut room);
        self.pause = pause;
        if room.at > *made {
            self.history = WINDOW.min(self.history + room.at - *made);
            let window = &room.buffer[room.at - self.history..room.at];
            self.end = OUTPUT_START + self.history;
            self.own[OUTPUT_START..self.end].copy_from_slice(window);
            self.given = self.end;
            *made = room.at;
        }
        used
    }

    /// Decodes into `own`, which has nothing to give.
    fn advance_own(&mut self, input: &[u8]) -> usize {
        if self.own.len() - self.end < FRESH / 2 + OUTPUT_MARGIN {
            self.own.copy_within(self.end - self.history..self.end, OUTPUT_START);
            self.end = OUTPUT_START + self.history;
        }
        let mut room = Room { floor: self.end - self.history, at: self.end, buffer: &mut self.own };
        let (used, pause) = (self.advance)(&mut self.decoder, input, &mut room);
        self.history = WINDOW.min(self.history + room.at - self.end);
        self.given = self.end;
        self.end = room.at;
        self.pause = pause;
        used
    }
}

impl Default for StreamInflater {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for StreamInflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamInflater").field("history", &self.history).finish_non_exhaustive()
    }
}
