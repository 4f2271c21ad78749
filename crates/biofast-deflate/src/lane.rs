//! One stream on its way: where its input and output stand.

use crate::bits::BitReader;
use crate::map::StreamMap;
use crate::tables::DUMMY_DISTANCE;

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
    pub(crate) bits: BitReader<'a>,
    pub(crate) output: &'a mut [u8],
    /// Bytes written.
    pub(crate) at: usize,
    /// Which of the blocks given.
    pub(crate) index: usize,
    /// Whether the current DEFLATE block is the last one.
    pub(crate) last: bool,
    /// Where matches and blocks are noted, if they are.
    pub(crate) map: Option<&'a mut StreamMap>,
}

impl<'a> Lane<'a> {
    pub(crate) fn new(input: &'a [u8], output: &'a mut [u8], index: usize) -> Self {
        let bits = BitReader { bytes: input, at: 0 };
        Self { bits, output, at: 0, index, last: false, map: None }
    }

    /// Whether a step of the fast loop stays in bounds.
    #[inline(always)]
    pub(crate) fn has_margins(&self) -> bool {
        self.at >= OUTPUT_START
            && self.output.len() - self.at >= STEP
            && self.bits.bytes.len() * 8 >= INPUT_MARGIN + self.bits.at
    }
}
