//! Probabilities that adapt to what was coded.

use crate::error::Error;
use crate::range::{RangeDecoder, RangeEncoder};

/// What an occurrence adds to a symbol's frequency.
const STEP: u32 = 16;
/// Above it, the frequencies of a model are halved.
const MAX_TOTAL: u32 = (1 << 16) - 17;

/// A model a context: frequencies of the symbols below a number, at most 256.
pub(crate) struct Models {
    symbols: usize,
    /// Where each context's model starts; 0 until it is used, so that memory is in proportion to what is coded.
    starts: Vec<u32>,
    /// Of each model the sum of its frequencies, then frequency and symbol, 16 bits each, the most frequent about first.
    models: Vec<u32>,
}

impl Models {
    /// `contexts` models of `symbols` symbols, all equally probable.
    pub(crate) fn new(contexts: usize, symbols: usize) -> Models {
        Models { symbols, starts: vec![0; contexts], models: vec![0] }
    }

    #[inline(always)]
    fn model(&mut self, context: usize) -> Model<'_> {
        let start = match self.starts[context] {
            0 => self.add(context),
            start => start as usize,
        };
        let (total, entries) = self.models[start..][..=self.symbols].split_at_mut(1);
        Model { entries, total: &mut total[0] }
    }

    /// Adds the model of a context.
    #[cold]
    fn add(&mut self, context: usize) -> usize {
        let start = self.models.len();
        self.starts[context] = start as u32;
        self.models.push(self.symbols as u32);
        self.models.extend((0..self.symbols as u32).map(|symbol| 1 << 16 | symbol));
        start
    }

    /// Decodes a symbol of a context.
    #[inline(always)]
    pub(crate) fn decode(
        &mut self,
        context: usize,
        coder: &mut RangeDecoder<'_>,
    ) -> Result<u8, Error> {
        if self.starts[context] == 0 {
            coder.finish()?;
        }
        let mut model = self.model(context);
        let part = coder.part(*model.total);
        let (mut start, mut at) = (0, 0);
        loop {
            let entry =
                *model.entries.get(at).ok_or(Error::Invalid("a number out of its range"))?;
            let frequency = entry >> 16;
            if part - start < frequency {
                coder.narrow(start, frequency);
                model.count(at);
                return Ok(entry as u8);
            }
            start += frequency;
            at += 1;
        }
    }

    /// Encodes a symbol of a context.
    #[inline(always)]
    pub(crate) fn encode(&mut self, context: usize, symbol: u8, coder: &mut RangeEncoder<'_>) {
        let mut model = self.model(context);
        let mut start = 0;
        for at in 0..model.entries.len() {
            let entry = model.entries[at];
            if entry as u8 == symbol {
                coder.narrow(start, entry >> 16, *model.total);
                model.count(at);
                return;
            }
            start += entry >> 16;
        }
    }
}

/// A model of [`Models`].
struct Model<'a> {
    entries: &'a mut [u32],
    total: &'a mut u32,
}

impl Model<'_> {
    /// Counts an occurrence of the symbol at a place.
    #[inline(always)]
    fn count(&mut self, at: usize) {
        self.entries[at] += STEP << 16;
        *self.total += STEP;
        if *self.total > MAX_TOTAL {
            self.halve();
        }
        if at > 0 && self.entries[at] >> 16 > self.entries[at - 1] >> 16 {
            self.entries.swap(at, at - 1);
        }
    }

    /// Halves all frequencies, rounded up.
    #[cold]
    fn halve(&mut self) {
        *self.total = 0;
        for entry in self.entries.iter_mut() {
            let frequency = *entry >> 16;
            let halved = frequency - frequency / 2;
            *entry = halved << 16 | *entry & 0xffff;
            *self.total += halved;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;
    use proptest::prelude::*;

    proptest! {
        /// Long runs of few symbols make carries, and halve frequencies.
        #[test]
        fn symbols_are_decoded_again(
            runs in proptest::collection::vec((0..3usize, any::<u8>(), 1..6000usize), 0..20),
        ) {
            let (mut out, mut models) = (Vec::new(), Models::new(3, 256));
            let mut coder = RangeEncoder::new(&mut out);
            for &(context, symbol, count) in &runs {
                (0..count).for_each(|_| models.encode(context, symbol, &mut coder));
            }
            coder.finish();
            let mut models = Models::new(3, 256);
            let mut coder = RangeDecoder::start(Input(&out)).expect("a number");
            for &(context, symbol, count) in &runs {
                for _ in 0..count {
                    prop_assert_eq!(models.decode(context, &mut coder), Ok(symbol));
                }
            }
            prop_assert_eq!(coder.finish(), Ok(()));
        }
    }
}
