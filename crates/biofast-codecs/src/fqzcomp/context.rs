//! The context of a quality.

use crate::fqzcomp::params::Params;

/// How many contexts there are.
pub(super) const CONTEXTS: usize = 1 << 16;

/// What is known of a read before its next quality.
pub(super) struct ReadSoFar {
    /// Qualities left, the next among them.
    left: usize,
    selector: u32,
    /// The symbols before, and the last of them.
    symbols: u32,
    last: u8,
    /// How often a symbol differed from the one before.
    changes: usize,
}

impl ReadSoFar {
    /// At the start of a read.
    pub(super) fn new(len: usize, selector: u8) -> ReadSoFar {
        ReadSoFar { left: len, selector: selector.into(), symbols: 0, last: 0, changes: 0 }
    }

    /// Adds the next symbol, and returns the context of the one after it.
    #[inline(always)]
    pub(super) fn add(&mut self, params: &Params, symbol: u8) -> usize {
        let in_context = match &params.symbols {
            Some(table) => table[usize::from(symbol)],
            None => symbol.into(),
        };
        self.symbols = (self.symbols << params.shift).wrapping_add(in_context);
        let mut context =
            params.start + ((self.symbols & ((1 << params.bits) - 1)) << params.place);
        if let Some(positions) = &params.positions {
            context += positions[self.left.min(1023)];
        }
        if let Some(changes) = &params.changes {
            context += changes[self.changes.min(255)];
        }
        if params.has_selector {
            context += self.selector << params.selector_place;
        }
        self.changes += usize::from(symbol != self.last);
        self.last = symbol;
        self.left -= 1;
        context as usize % CONTEXTS
    }
}
