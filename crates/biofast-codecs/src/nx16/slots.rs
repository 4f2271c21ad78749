//! Tables of decoders: what each slot of a context means.

use crate::compact::CompactSlots;
use crate::counts::Row;
use crate::error::Error;
use crate::nx16::format::BITS;

/// A table of order 1.
pub(super) trait ContextSlots {
    /// For symbols below `contexts`, whose frequencies add up to 2^`bits`.
    fn new(contexts: usize, bits: u32) -> Self;

    /// Sets the slots of a context, one after the other.
    fn set(&mut self, context: usize, row: &Row);

    /// Takes the symbol after `last` from a state.
    fn next(&self, state: &mut u32, last: u8) -> Result<u8, Error>;

    /// What vectors read.
    fn for_vectors(&self) -> Option<&Slots> {
        None
    }
}

impl ContextSlots for Slots {
    /// What isn't [set](Self::set) means symbol 0.
    fn new(contexts: usize, bits: u32) -> Slots {
        let bits = bits.min(BITS);
        Slots { entries: vec![0; contexts << bits], bits, contexts }
    }

    fn set(&mut self, context: usize, row: &Row) {
        self.fill(context, &row[..self.contexts.min(row.len())]);
    }

    #[inline(always)]
    fn next(&self, state: &mut u32, last: u8) -> Result<u8, Error> {
        let slot = *state & ((1 << self.bits) - 1);
        let at = usize::from(last) << self.bits | slot as usize;
        let entry = *self.entries.get(at).ok_or(NO_CONTEXT)?;
        let rest = *state >> self.bits;
        *state = (entry >> 20) * rest + rest + (entry >> 8) % (1 << BITS);
        Ok(entry as u8)
    }

    fn for_vectors(&self) -> Option<&Slots> {
        Some(self)
    }
}

impl<const SLOTS: usize> ContextSlots for CompactSlots<SLOTS> {
    fn new(contexts: usize, _: u32) -> Self {
        CompactSlots::new(contexts)
    }

    fn set(&mut self, context: usize, row: &Row) {
        CompactSlots::set(self, context, row);
    }

    #[inline(always)]
    fn next(&self, state: &mut u32, last: u8) -> Result<u8, Error> {
        CompactSlots::next(self, state, last)
    }
}

/// For each slot of each context: frequency less 1, place among the symbol's slots, symbol; 12, 12 and 8 bits.
pub(crate) struct Slots {
    /// Of each context, 2^`bits`.
    entries: Vec<u32>,
    bits: u32,
    /// In a table of order 1, no symbol is this or more. A table of order 0 has one context, whatever its symbols are.
    contexts: usize,
}

impl Slots {
    /// A table of order 0.
    pub(super) fn order0(row: &Row) -> Slots {
        let mut slots = Slots { entries: vec![0; 1 << BITS], bits: BITS, contexts: 0 };
        slots.fill(0, row);
        slots
    }

    fn fill(&mut self, context: usize, row: &[u32]) {
        let mut entries = self.entries[context << self.bits..][..1 << self.bits].iter_mut();
        for (symbol, &frequency) in (0..).zip(row) {
            for (slot, entry) in (0..frequency).zip(&mut entries) {
                *entry = (frequency - 1) << 20 | slot << 8 | symbol;
            }
        }
    }

    /// The entries, 2^[`bits`](Self::bits) of each context.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) fn entries(&self) -> &[u32] {
        &self.entries
    }

    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    /// Whether there is a context for each of these symbols. In a table of order 1, all symbols of entries are such.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) fn have_contexts(&self, symbols: &[u8]) -> bool {
        symbols.iter().all(|&symbol| usize::from(symbol) < self.contexts)
    }
}

/// The slots of a table of order 0 for code that takes one at a time: apart, nothing has to be shifted out of an entry.
pub(super) struct SplitSlots {
    /// Of each slot, the frequency of its symbol and its place among the symbol's slots.
    steps: [[u16; 2]; 1 << BITS],
    symbols: [u8; 1 << BITS],
}

impl SplitSlots {
    pub(super) fn new(row: &Row) -> SplitSlots {
        let mut slots = SplitSlots { steps: [[0; 2]; 1 << BITS], symbols: [0; 1 << BITS] };
        let (mut steps, mut symbols) = (&mut slots.steps[..], &mut slots.symbols[..]);
        for (symbol, &frequency) in (0..=255).zip(row) {
            let len = (frequency as usize).min(steps.len());
            let of_symbol = steps.split_off_mut(..len).unwrap_or_default();
            for (place, step) in (0..).zip(of_symbol) {
                *step = [frequency as u16, place];
            }
            symbols.split_off_mut(..len).unwrap_or_default().fill(symbol);
        }
        slots
    }

    /// Takes a symbol from a state.
    #[inline(always)]
    pub(super) fn next(&self, state: &mut u32) -> u8 {
        let slot = *state as usize % (1 << BITS);
        let [frequency, place] = self.steps[slot];
        *state = u32::from(frequency) * (*state >> BITS) + u32::from(place);
        self.symbols[slot]
    }
}

const NO_CONTEXT: Error = Error::Invalid("a context without frequencies");
