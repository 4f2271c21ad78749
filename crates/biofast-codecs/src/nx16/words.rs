//! Words that states give away and are refilled with.

use std::hint::select_unpredictable;

use crate::error::Error;
use crate::input::{Input, last_eight};
use crate::isa::{Turns, WIDE};
use crate::nx16::format::LOW;
use crate::nx16::slots::Slots;
use crate::order1::Given;
use crate::step::{Step, advance, limit};

/// What a state must be below for a symbol of frequency 1.
pub(super) const fn limit_per_frequency(bits: u32) -> u32 {
    (LOW >> bits) << 16
}

/// Words that fit before [`GivenWords::flush`].
pub(super) const CHUNK: usize = 1 << 12;

/// Words that states give away, the last to be read first.
pub(super) struct GivenWords {
    chunk: [u16; CHUNK],
    len: usize,
    all: Vec<u16>,
}

impl GivenWords {
    pub(super) fn new() -> GivenWords {
        GivenWords { chunk: [0; CHUNK], len: 0, all: Vec::new() }
    }

    /// Appends the states and all that was given away.
    pub(super) fn finish(mut self, states: &[u32], out: &mut Vec<u8>) {
        self.flush();
        out.extend(states.iter().flat_map(|state| state.to_le_bytes()));
        let start = out.len();
        out.resize(start + 2 * self.all.len(), 0);
        let (pairs, _) = out[start..].as_chunks_mut::<2>();
        for (pair, word) in pairs.iter_mut().zip(self.all.iter().rev()) {
            *pair = word.to_le_bytes();
        }
    }
}

impl Given for GivenWords {
    /// Encodes a symbol: at most one word is given away.
    #[inline(always)]
    fn put(&mut self, state: &mut u32, step: &Step) {
        let x = *state;
        self.chunk[self.len & (CHUNK - 1)] = x as u16;
        let is_given = x >= limit(step);
        self.len += usize::from(is_given);
        *state = advance(step, if is_given { x >> 16 } else { x });
    }

    /// Makes place for [`CHUNK`] words.
    #[inline(always)]
    fn flush(&mut self) {
        self.all.extend_from_slice(&self.chunk[..self.len.min(CHUNK)]);
        self.len = 0;
    }
}

/// The words that refill states.
pub(super) struct Taken<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Taken<'a> {
    /// Reads the states; the words follow them.
    pub(super) fn start<const N: usize>(
        mut input: Input<'a>,
    ) -> Result<(Taken<'a>, [u32; N]), Error> {
        let mut states = [0; N];
        for state in &mut states {
            *state = input.u32()?;
            if !(LOW..LOW << 16).contains(state) {
                return Err(Error::Invalid("a state outside its bounds"));
            }
        }
        Ok((Taken { bytes: input.0, at: 0 }, states))
    }

    /// Turns of 32 states from here.
    pub(super) fn turns<'b>(
        &'b mut self,
        slots: &'b Slots,
        states: &'b mut [u32; WIDE],
    ) -> Turns<'b> {
        Turns { slots, states, words: self.bytes, at: &mut self.at }
    }

    /// The next four words, the first of them the lowest.
    #[inline(always)]
    pub(super) fn window(&self) -> Result<u64, Error> {
        match self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
            Some(&bytes) => Ok(u64::from_le_bytes(bytes)),
            None => last_eight(self.bytes, self.at).map(u64::from_le_bytes),
        }
    }

    /// Marks bits of the window as taken.
    #[inline(always)]
    pub(super) fn take(&mut self, bits: u32) {
        self.at += bits as usize / 8;
    }

    /// Checks that all ends where it should.
    pub(super) fn finish(self, states: &[u32]) -> Result<(), Error> {
        if self.at > self.bytes.len() {
            return Err(Error::Truncated);
        }
        if states.iter().any(|&state| state != LOW) {
            return Err(Error::Invalid("a state that doesn't end as encoders start"));
        }
        Ok(())
    }
}

/// Refills a state from the window, of which `taken` bits are gone, and counts what it took: nobody can predict that, so there are no
/// branches.
#[inline(always)]
pub(super) fn refill(state: &mut u32, window: u64, taken: &mut u32) {
    let is_low = *state < LOW;
    // Four states take no more than all of it; then this isn't used any more.
    let word = (window >> (*taken & 63)) as u32 & 0xffff;
    *state = select_unpredictable(is_low, *state << 16 | word, *state);
    *taken = select_unpredictable(is_low, *taken + 16, *taken);
}
