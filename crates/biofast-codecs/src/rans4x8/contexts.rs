//! Tables of decoders of order 1.

use crate::error::Error;
use crate::rans4x8::format::{BITS, SLOTS};

/// For each context, the symbol of each slot, and each symbol's start and frequency. Two small tables instead of one, as they are
/// read all over.
pub(super) struct Contexts {
    symbols: Vec<[u8; SLOTS]>,
    places: Vec<[u32; STRIDE]>,
}

/// A few more than 256, as rows a power of two apart would share lines of the cache.
const STRIDE: usize = 260;

impl Contexts {
    pub(super) fn new() -> Self {
        Contexts { symbols: Vec::new(), places: Vec::new() }
    }

    /// Adds a context; they come in ascending order.
    pub(super) fn add(&mut self, context: usize) {
        self.symbols.resize(context + 1, [0; SLOTS]);
        self.places.resize(context + 1, [0; STRIDE]);
    }

    /// Gives slots of the last context to a symbol.
    pub(super) fn give(&mut self, place: SymbolSlots) {
        if let (Some(symbols), Some(places)) = (self.symbols.last_mut(), self.places.last_mut()) {
            symbols[place.start..place.end].fill(place.symbol);
            places[usize::from(place.symbol)] = (place.start as u32) << 16 | place.frequency;
        }
    }

    /// Takes the symbol after `last` from a state.
    #[inline(always)]
    pub(super) fn next(&self, state: &mut u32, last: &mut u8) -> Result<(), Error> {
        let (Some(symbols), Some(places)) =
            (self.symbols.get(usize::from(*last)), self.places.get(usize::from(*last)))
        else {
            return Err(Error::Invalid("a context without frequencies"));
        };
        let slot = *state % SLOTS as u32;
        *last = symbols[slot as usize];
        let place = places[usize::from(*last)];
        let scaled = (place & 0xffff) * (*state >> BITS);
        *state = scaled.wrapping_add(slot).wrapping_sub(place >> 16);
        Ok(())
    }
}

/// The slots of a symbol.
pub(super) struct SymbolSlots {
    pub(super) symbol: u8,
    pub(super) start: usize,
    pub(super) frequency: u32,
    /// Where its slots end: after as many as the frequency says, but for a last slot that belongs to nobody.
    pub(super) end: usize,
}
