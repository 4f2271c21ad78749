//! One stream on its way: where its input and output stand.

use crate::bits::Bits;
use crate::careful;
use crate::fast::Isa;
use crate::fault::FaultKind;
use crate::header::{self, Body};
use crate::tables::{DUMMY_DISTANCE, Tables};

/// Bits of input that the fast loop wants left for its first step, and [`STEP`] for each further one. A step looks at
/// 8 bytes and consumes at most 48 bits (20 of a symbol and 28 of a distance); a rare step looks once more, after it.
pub(crate) const INPUT_MARGIN: usize = 128;

/// The most bits of input, and bytes of output, that a step consumes and fills: it advances by at most 3 literals and the
/// bytes that it copies, 32, unless it has checked for more itself. (A power of two is divided by faster.)
pub(crate) const STEP: usize = 64;

/// Bytes of output behind the position before the fast loop may run.
pub(crate) const OUTPUT_START: usize = DUMMY_DISTANCE as usize;

/// A stream that is being inflated.
pub(crate) struct Lane<'a> {
    pub(crate) bits: Bits<'a>,
    pub(crate) output: &'a mut [u8],
    /// Bytes written.
    pub(crate) at: usize,
    /// Which of the blocks given.
    pub(crate) index: usize,
    /// Whether the current DEFLATE block is the last one.
    last: bool,
}

/// How a lane goes on.
pub(crate) enum Next {
    /// In the fast loop.
    Fast,
    /// Not at all: the stream is complete and as long as it should be.
    Done,
}

impl<'a> Lane<'a> {
    pub(crate) fn new(input: &'a [u8], output: &'a mut [u8], index: usize) -> Self {
        let bits = Bits { bytes: input, at: 0 };
        Self { bits, output, at: 0, index, last: false }
    }

    /// Whether a step of the fast loop stays in bounds.
    #[inline(always)]
    pub(crate) fn has_margins(&self) -> bool {
        self.at >= OUTPUT_START
            && self.output.len() - self.at >= STEP
            && self.bits.bytes.len() * 8 >= INPUT_MARGIN + self.bits.at
    }

    /// Starts the stream if it isn't `inside` of a DEFLATE block. If it is, decodes at least one table entry with every access
    /// checked, then what else the fast loop can't: the ends of input and output, and from the end of a DEFLATE block to
    /// the codes of the next.
    ///
    /// # Errors
    /// The fault that ends the stream.
    #[inline(always)]
    pub(crate) fn service<I: Isa>(
        &mut self,
        tables: &mut Tables,
        mut inside: bool,
    ) -> Result<Next, FaultKind> {
        loop {
            if inside {
                if let careful::Stop::Margins = careful::decode(self, tables)? {
                    return Ok(Next::Fast);
                }
                if self.last {
                    return self.finish();
                }
            }
            let (last, body) = header::read::<I>(&mut self.bits, tables)?;
            self.last = last;
            inside = match body {
                Body::Coded if self.has_margins() => return Ok(Next::Fast),
                Body::Coded => true,
                Body::Stored(length) => {
                    self.copy_stored(length)?;
                    if last {
                        return self.finish();
                    }
                    false
                }
            };
        }
    }

    fn copy_stored(&mut self, length: usize) -> Result<(), FaultKind> {
        let start = self.bits.at / 8;
        let bytes = self.bits.bytes.get(start..start + length).ok_or(FaultKind::InputEnds)?;
        let room = self.output.get_mut(self.at..self.at + length).ok_or(FaultKind::TooLong)?;
        room.copy_from_slice(bytes);
        self.bits.at += 8 * length;
        self.at += length;
        Ok(())
    }

    fn finish(&self) -> Result<Next, FaultKind> {
        self.bits.check()?;
        let used = self.bits.at.div_ceil(8);
        if self.at < self.output.len() {
            Err(FaultKind::TooShort { found: self.at })
        } else if used < self.bits.bytes.len() {
            Err(FaultKind::TrailingBytes { used })
        } else {
            Ok(Next::Done)
        }
    }
}
