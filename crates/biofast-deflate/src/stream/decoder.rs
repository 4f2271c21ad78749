//! Decodes a stream whose input comes in parts into a buffer that has the bytes before: blocks, and one header or
//! symbol at a time where the fast loop may not run.

use super::codes::BlockCodes;
use super::room::Room;
use super::run;
use crate::bits::BitReader;
use crate::entry::{DISTANCES, SYMBOLS};
use crate::fault::FaultKind;
use crate::header::{self, Body};
use crate::instructions::Isa;

/// The longest unit (a header, or a symbol with its distance) has 3 + 14 + 57 + 320 · 14 bits, which are 570 bytes.
const LONGEST_UNIT: usize = 640;

/// Why decoding stopped.
#[derive(Clone, Copy)]
pub(crate) enum Pause {
    /// The next unit isn't complete. All input was taken.
    Input,
    /// The room is full.
    Room,
    /// The next block starts where the decoder was asked to stop, or behind it.
    Boundary,
    /// The stream is complete.
    End,
    Fault(FaultKind),
}

/// A stream that is being inflated.
pub(crate) struct Decoder {
    codes: BlockCodes,
    stage: Stage,
    /// Whether the current block is the last one.
    last: bool,
    /// Bits that are used of the next byte of input, or of the first one in `begun`.
    odd: usize,
    /// The beginning of a unit whose rest is still to come.
    begun: [u8; LONGEST_UNIT],
    begun_len: usize,
    /// The bit of the input of [`advance`](Self::advance) from which on it stops between two blocks.
    pub(super) stop: usize,
}

#[derive(Clone, Copy)]
enum Stage {
    Header,
    /// So many bytes as they are.
    Stored(usize),
    Coded,
    Ended,
    Failed(FaultKind),
}

impl Decoder {
    pub(super) fn new() -> Self {
        Self {
            codes: BlockCodes::new(),
            stage: Stage::Header,
            last: false,
            odd: 0,
            begun: [0; LONGEST_UNIT],
            begun_len: 0,
            stop: usize::MAX,
        }
    }

    /// Makes ready for another stream.
    pub(super) fn reset(&mut self) {
        self.start_at(0);
    }

    /// Makes ready for the blocks from this bit of the next byte of input on.
    pub(super) fn start_at(&mut self, odd: usize) {
        self.stage = Stage::Header;
        (self.odd, self.begun_len) = (odd, 0);
    }

    /// Bits that are used of the next byte of input, at a [boundary](Pause::Boundary).
    pub(super) fn odd(&self) -> usize {
        self.odd
    }

    /// Decodes as far as input and room go; how many bytes of input were taken. Inlined into a function that enables the
    /// target features of `I`.
    #[inline(always)]
    pub(crate) fn advance<I: Isa, const W: usize>(
        &mut self,
        input: &[u8],
        room: &mut Room<'_>,
    ) -> (usize, Pause) {
        let mut bits = BitReader { bytes: input, at: self.odd };
        let mut pause = None;
        if self.begun_len > 0 {
            if room.is_full::<W>() {
                return (0, Pause::Room);
            }
            let begun = self.begun_len;
            let more = input.len().min(LONGEST_UNIT - begun);
            self.begun[begun..begun + more].copy_from_slice(&input[..more]);
            let joined = self.begun;
            let mut both = BitReader { bytes: &joined[..begun + more], at: self.odd };
            pause = self.unit::<I, W>(&mut both, room);
            if let Some(Pause::Input) = pause {
                self.begun_len += more;
                return (more, Pause::Input);
            }
            // A unit or a fault takes at least one of the new bits, or what was there would have been enough.
            self.begun_len = 0;
            bits.at = both.at.saturating_sub(8 * begun);
        }
        let pause = match pause {
            Some(pause) => pause,
            None => self.units::<I, W>(&mut bits, room),
        };
        let used = match pause {
            Pause::Input => {
                let rest = input.get(bits.at / 8..).unwrap_or_default();
                self.odd = bits.at % 8;
                self.begun_len = rest.len().min(LONGEST_UNIT);
                self.begun[..self.begun_len].copy_from_slice(&rest[..self.begun_len]);
                input.len()
            }
            Pause::Room | Pause::Boundary => {
                self.odd = bits.at % 8;
                bits.at / 8
            }
            Pause::End | Pause::Fault(_) => {
                self.odd = 0;
                bits.at.div_ceil(8)
            }
        };
        (used, pause)
    }

    #[inline(always)]
    fn units<I: Isa, const W: usize>(
        &mut self,
        bits: &mut BitReader<'_>,
        room: &mut Room<'_>,
    ) -> Pause {
        loop {
            match self.stage {
                Stage::Coded => run::run::<I, W>(&self.codes.tables, bits, room),
                Stage::Header if bits.at >= self.stop => return Pause::Boundary,
                _ => {}
            }
            if let Some(pause) = self.unit::<I, W>(bits, room) {
                return pause;
            }
        }
    }

    /// Decodes a unit, or some bytes of a stored block. Takes nothing of a unit that isn't complete.
    #[inline(always)]
    fn unit<I: Isa, const W: usize>(
        &mut self,
        bits: &mut BitReader<'_>,
        room: &mut Room<'_>,
    ) -> Option<Pause> {
        match self.stage {
            Stage::Ended => return Some(Pause::End),
            Stage::Failed(kind) => return Some(Pause::Fault(kind)),
            _ if room.is_full::<W>() => return Some(Pause::Room),
            _ => {}
        }
        let start = bits.at;
        let result = match self.stage {
            Stage::Stored(left) => return self.copy_stored::<W>(left, bits, room),
            Stage::Header => self.header::<I>(bits),
            _ => self.symbol::<W>(bits, room),
        };
        match result {
            Ok(()) => None,
            Err(FaultKind::InputEnds) => {
                bits.at = start;
                Some(Pause::Input)
            }
            Err(kind) => {
                self.stage = Stage::Failed(kind);
                Some(Pause::Fault(kind))
            }
        }
    }

    #[inline(always)]
    fn header<I: Isa>(&mut self, bits: &mut BitReader<'_>) -> Result<(), FaultKind> {
        let (last, body) = header::read::<I>(bits, &mut self.codes)?;
        self.last = last;
        self.stage = match body {
            Body::Coded => Stage::Coded,
            Body::Stored(0) => self.after_block(),
            Body::Stored(length) => Stage::Stored(length),
        };
        Ok(())
    }

    fn after_block(&self) -> Stage {
        if self.last { Stage::Ended } else { Stage::Header }
    }

    fn copy_stored<const W: usize>(
        &mut self,
        left: usize,
        bits: &mut BitReader<'_>,
        room: &mut Room<'_>,
    ) -> Option<Pause> {
        let bytes = bits.bytes.get(bits.at / 8..).unwrap_or_default();
        let out = &mut room.buffer[room.at..];
        let n = left.min(bytes.len()).min(out.len() / W);
        if n == 0 {
            return Some(Pause::Input);
        }
        if W == 1 {
            out[..n].copy_from_slice(&bytes[..n]);
        } else {
            for (to, &byte) in out.chunks_exact_mut(W).zip(&bytes[..n]) {
                to.fill(0);
                to[0] = byte;
            }
        }
        room.at += W * n;
        bits.at += 8 * n;
        self.stage = if n < left { Stage::Stored(left - n) } else { self.after_block() };
        None
    }

    /// A literal, a match or the end of a block.
    fn symbol<const W: usize>(
        &mut self,
        bits: &mut BitReader<'_>,
        room: &mut Room<'_>,
    ) -> Result<(), FaultKind> {
        let take = |bits: &mut BitReader<'_>, code: &crate::huffman::HuffmanCode| {
            let (symbol, length) = code.first(bits.peek());
            bits.at += length as usize;
            symbol
        };
        let symbol = take(bits, &self.codes.symbols);
        bits.check()?;
        if symbol < 256 {
            room.buffer[room.at..room.at + W].fill(0);
            room.buffer[room.at] = symbol as u8;
            room.at += W;
        } else if symbol == 256 {
            self.stage = self.after_block();
        } else {
            let entry = SYMBOLS[symbol.min(SYMBOLS.len() - 1)];
            let length = entry.base() + bits.take(entry.bits());
            let entry = DISTANCES[take(bits, &self.codes.distances) % DISTANCES.len()];
            let distance = entry.base() + bits.take(entry.bits());
            bits.check()?;
            let (distance, length) = (W * distance, W * length);
            if distance > room.at - room.floor {
                return Err(FaultKind::Distance);
            }
            for to in room.at..room.at + length {
                room.buffer[to] = room.buffer[to - distance];
            }
            room.at += length;
        }
        Ok(())
    }
}

/// Inflates a part of a stream, see [`Decoder::advance`].
pub(crate) type Advance = fn(&mut Decoder, &[u8], &mut Room<'_>) -> (usize, Pause);
