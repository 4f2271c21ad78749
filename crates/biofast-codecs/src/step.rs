//! One step of an encoder: a symbol into a state.

/// A symbol's frequency and place among the frequencies, ready to be encoded without a division.
///
/// A state `x` becomes `x / frequency * total + start + x % frequency`. With `q = x / frequency` that is
/// `x + start + q * (total - frequency)`, and `q` is a product's upper part: for `s` = log2 of the frequency, rounded up, the
/// reciprocal 2^(31 + s) / frequency, rounded up, has 32 bits and is exact for all states, which are below 2^31.
///
/// Numbers instead of a struct, as tables of zeros cost nothing until they are written to.
pub(crate) type Step = [u32; 4];

/// The step of a symbol. States from `limit` up must give away bits before; frequencies add up to 2^`bits`.
pub(crate) fn step(start: u32, frequency: u32, bits: u32, limit: u32) -> Step {
    let frequency = frequency.max(1);
    let shift = 31 + frequency.next_power_of_two().ilog2();
    let reciprocal = (1u64 << shift).div_ceil(frequency.into());
    [limit, reciprocal as u32, start, ((1 << bits) - frequency) << 8 | shift]
}

/// From which state on bits are given away.
#[inline(always)]
pub(crate) fn limit(step: &Step) -> u32 {
    step[0]
}

/// The state after the symbol.
#[inline(always)]
pub(crate) fn advance(step: &Step, state: u32) -> u32 {
    let [_, reciprocal, start, rest] = *step;
    let quotient = (u64::from(state) * u64::from(reciprocal)) >> (rest & 63);
    state.wrapping_add(start).wrapping_add((quotient as u32).wrapping_mul(rest >> 8))
}

/// The steps of all symbols of a row, one after the other; `limits` are per unit of frequency.
pub(crate) fn steps(
    row: &[u32; 256],
    bits: u32,
    limit: u32,
) -> impl Iterator<Item = (usize, Step)> {
    let mut start = 0;
    let used = row.iter().enumerate().filter(|(_, frequency)| **frequency > 0);
    used.map(move |(symbol, &frequency)| {
        let step = step(start, frequency, bits, limit * frequency);
        start += frequency;
        (symbol, step)
    })
}

/// The steps of each context's symbols.
pub(crate) struct ContextSteps {
    steps: Vec<Step>,
    stride: usize,
}

impl ContextSteps {
    /// For contexts and symbols below `bound`.
    pub(crate) fn new(bound: usize) -> ContextSteps {
        let stride = bound | 1; // rows a power of two apart would share lines of the cache
        ContextSteps { steps: vec![Step::default(); bound * stride], stride }
    }

    /// Sets a context's steps by the frequencies of its symbols; arguments as for [`steps`].
    pub(crate) fn set(&mut self, context: usize, row: &[u32; 256], bits: u32, limit: u32) {
        for (symbol, step) in steps(row, bits, limit) {
            self.steps[context * self.stride + symbol] = step;
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, context: u8, symbol: u8) -> &Step {
        &self.steps[usize::from(context) * self.stride + usize::from(symbol)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_step_is_what_division_gives(
            frequency in prop_oneof![1..=4096u32, Just(1), Just(4095), Just(4096)], start in 0..4096u32,
            state in prop_oneof![0..1u32 << 31, Just((1 << 31) - 1)],
        ) {
            let (start, state) = (start % (4097 - frequency), state % (frequency << 19));
            let expected = state / frequency * 4096 + start + state % frequency;
            prop_assert_eq!(advance(&step(start, frequency, 12, 0), state), expected);
        }
    }
}
