//! Tables of decoders of order 1 that take one symbol at a time, for rANS 4x8 and Nx16.

use crate::counts::Row;
use crate::error::Error;

/// For each context, the symbol of each slot, and each symbol's start and frequency. Two small tables instead of one of all, as
/// they are read all over: with 90 symbols and 2^12 slots, 460 KB instead of 1.5 MB.
pub(crate) struct CompactSlots<const SLOTS: usize> {
    symbols: Vec<[u8; SLOTS]>,
    places: Vec<[u32; STRIDE]>,
}

/// A few more than 256, as rows a power of two apart would share lines of the cache.
const STRIDE: usize = 260;

impl<const SLOTS: usize> CompactSlots<SLOTS> {
    /// For so many contexts, if that is known.
    pub(crate) fn new(contexts: usize) -> Self {
        let (symbols, places) = (Vec::with_capacity(contexts), Vec::with_capacity(contexts));
        CompactSlots { symbols, places }
    }

    /// Adds a context; they come in ascending order.
    pub(crate) fn add(&mut self, context: usize) {
        self.symbols.resize(context + 1, [0; SLOTS]);
        self.places.resize(context + 1, [0; STRIDE]);
    }

    /// Gives slots of the last context to a symbol.
    pub(crate) fn give(&mut self, place: SymbolSlots) {
        if let (Some(symbols), Some(places)) = (self.symbols.last_mut(), self.places.last_mut()) {
            symbols[place.start..place.end].fill(place.symbol);
            places[usize::from(place.symbol)] = (place.start as u32) << 16 | place.frequency;
        }
    }

    /// Adds a context with the frequencies of its symbols, which add up to all slots or to none.
    pub(crate) fn set(&mut self, context: usize, row: &Row) {
        self.add(context);
        let mut start = 0;
        for (symbol, &frequency) in (0..=255).zip(row).filter(|(_, frequency)| **frequency > 0) {
            let end = start + frequency as usize;
            self.give(SymbolSlots { symbol, start, frequency, end });
            start = end;
        }
    }

    /// Takes the symbol after `last` from a state.
    #[inline(always)]
    pub(crate) fn next(&self, state: &mut u32, last: u8) -> Result<u8, Error> {
        let (Some(symbols), Some(places)) =
            (self.symbols.get(usize::from(last)), self.places.get(usize::from(last)))
        else {
            return Err(Error::Invalid("a context without frequencies"));
        };
        let slot = *state % SLOTS as u32;
        let symbol = symbols[slot as usize];
        let place = places[usize::from(symbol)];
        let scaled = (place & 0xffff) * (*state >> SLOTS.ilog2());
        *state = scaled.wrapping_add(slot).wrapping_sub(place >> 16);
        Ok(symbol)
    }
}

/// The slots of a symbol.
pub(crate) struct SymbolSlots {
    pub(crate) symbol: u8,
    pub(crate) start: usize,
    pub(crate) frequency: u32,
    /// Where its slots end: after as many as the frequency says, but for a last slot that belongs to nobody.
    pub(crate) end: usize,
}
