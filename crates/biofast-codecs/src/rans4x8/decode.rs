//! The decoder.
#![allow(clippy::needless_range_loop)] // tiles are indexed by lane, then by place

use crate::compact::CompactSlots;
use crate::error::Error;
use crate::input::{Input, last_eight};
use crate::isa::Job;
use crate::lanes::{self, TILE, Tile};
use crate::order::Order;
use crate::rans4x8::format::{BITS, LOW, SLOTS, STATES};
use crate::rans4x8::frequencies::read_row;
use crate::symbols;

/// The states and where in the stream they are refilled from.
struct FedStates<'a> {
    states: [u32; STATES],
    bytes: &'a [u8],
    at: usize,
}

impl<'a> FedStates<'a> {
    /// Reads the states.
    fn start(mut input: Input<'a>) -> Result<FedStates<'a>, Error> {
        let mut states = [0; STATES];
        for state in &mut states {
            *state = input.u32()?;
            if !(LOW..LOW << 8).contains(state) {
                return Err(Error::Invalid("a state outside its bounds"));
            }
        }
        Ok(FedStates { states, bytes: input.0, at: 0 })
    }

    /// The next bytes, all that one symbol of each state can take, the first of them the highest.
    #[inline(always)]
    fn window(&self) -> Result<u64, Error> {
        match self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
            Some(&bytes) => Ok(u64::from_be_bytes(bytes)),
            None => last_eight(self.bytes, self.at).map(u64::from_be_bytes),
        }
    }

    /// Checks that all ends where it should.
    fn finish(self) -> Result<(), Error> {
        if self.at > self.bytes.len() {
            return Err(Error::Truncated);
        }
        if self.states != [LOW; STATES] {
            return Err(Error::Invalid("a state that doesn't end as encoders start"));
        }
        Ok(())
    }
}

/// Refills a state from the front of the window: 0 to 2 bytes. Returns the bits taken.
#[inline(always)]
fn refill(state: &mut u32, window: &mut u64) -> u32 {
    // A state has 31 bits: what its leading zeros are more than eight times.
    let bits = state.leading_zeros().wrapping_sub(1) & 0x18;
    *state = *state << bits | (*window >> 32 >> (32 - bits)) as u32;
    *window <<= bits;
    bits
}

/// Decompressing a stream from behind its header.
pub(super) struct Decoding<'a> {
    pub(super) input: Input<'a>,
    pub(super) order: Order,
    pub(super) raw_len: usize,
    /// What it holds is replaced.
    pub(super) out: &'a mut Vec<u8>,
}

impl Job for Decoding<'_> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        // All of it is written to: what it holds needn't be cleared.
        self.out.resize(self.raw_len, 0);
        match self.order {
            Order::Zero => order0(self.input, self.out),
            Order::One if self.input.0.len() < self.out.len() / RARE => {
                order1::<true>(self.input, self.out)
            }
            Order::One => order1::<false>(self.input, self.out),
        }
    }
}

#[inline(always)]
fn order0(mut input: Input<'_>, out: &mut [u8]) -> Result<(), Error> {
    // Frequency, slot within the symbol, symbol: 12, 12 and 8 bits.
    let mut table = [0u32; SLOTS];
    let mut only = None;
    read_row(&mut input, |place| {
        if place.frequency as usize == SLOTS {
            only = Some(place.symbol);
        }
        let first = place.frequency << 20 | u32::from(place.symbol);
        for (slot, entry) in (0..).zip(&mut table[place.start..place.end]) {
            *entry = first | slot << 8;
        }
    })?;
    let mut decoder = FedStates::start(input)?;
    if let Some(symbol) = only {
        // Symbols that are certain take nothing from a state.
        out.fill(symbol);
        return Ok(());
    }
    let next = |state: &mut u32, window: &mut u64, symbol: &mut u8| {
        let entry = table[*state as usize % SLOTS];
        *state = (entry >> 20) * (*state >> BITS) + (entry >> 8) % SLOTS as u32;
        *symbol = entry as u8;
        refill(state, window)
    };
    let (quads, rest) = out.as_chunks_mut::<STATES>();
    let mut states = decoder.states;
    for quad in quads {
        let mut window = decoder.window()?;
        let mut bits = 0;
        for (state, symbol) in states.iter_mut().zip(quad) {
            bits += next(state, &mut window, symbol);
        }
        decoder.at += bits as usize / 8;
    }
    for (state, symbol) in states.iter_mut().zip(rest) {
        let mut window = decoder.window()?;
        decoder.at += next(state, &mut window, symbol) as usize / 8;
    }
    decoder.states = states;
    decoder.finish()
}

/// Where a stream has less than a byte for so many symbols, most symbols take nothing from it.
const RARE: usize = 16;

#[inline(always)]
fn order1<const IS_RARE: bool>(mut input: Input<'_>, out: &mut [u8]) -> Result<(), Error> {
    let mut contexts = CompactSlots::<SLOTS>::new(0);
    symbols::read(&mut input, |context, input| {
        contexts.add(context);
        read_row(input, |place| contexts.give(place))
    })?;
    let mut decoder = FedStates::start(input)?;
    let len = out.len() / STATES;
    let mut states = decoder.states;
    let mut last = [0; STATES];
    let mut tile: Tile<STATES> = [[0; TILE]; STATES];
    for stretch in lanes::stretches(len) {
        for at in 0..stretch.1.min(TILE) {
            let mut window = decoder.window()?;
            let mut bits = 0;
            for lane in 0..STATES {
                last[lane] = contexts.next(&mut states[lane], last[lane])?;
                if !IS_RARE {
                    bits += refill(&mut states[lane], &mut window);
                }
                tile[lane][at] = last[lane];
            }
            // Where that is rare, to ask takes less time than to wait for where the next byte is.
            if IS_RARE && states.iter().any(|&state| state < LOW) {
                for state in &mut states {
                    bits += refill(state, &mut window);
                }
            }
            decoder.at += bits as usize / 8;
        }
        lanes::store(&tile, out, len, stretch);
    }
    let (state, last) = (&mut states[STATES - 1], &mut last[STATES - 1]);
    for symbol in &mut out[STATES * len..] {
        let mut window = decoder.window()?;
        *last = contexts.next(state, *last)?;
        decoder.at += refill(state, &mut window) as usize / 8;
        *symbol = *last;
    }
    decoder.states = states;
    decoder.finish()
}
