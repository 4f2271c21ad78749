//! One table of frequencies; the states take turns.

use biofast_kernels::Isa;

use crate::counts::count;
use crate::error::Error;
use crate::input::Input;
use crate::isa::{self, Job, WIDE};
use crate::nx16::format::{BITS, LOW};
use crate::nx16::frequencies::{put_row, read_row};
use crate::nx16::slots::{Slots, SplitSlots};
use crate::nx16::words::{CHUNK, GivenWords, Taken, limit_per_frequency, refill};
use crate::order1::Given;
use crate::step::{Step, steps};

/// Compresses with `N` states. There must be a symbol.
pub(super) fn encode<const N: usize>(isa: Isa, data: &[u8], out: &mut Vec<u8>) {
    isa::run(isa, Encoding0::<N> { data, out });
}

/// Compressing data.
struct Encoding0<'a, const N: usize> {
    data: &'a [u8],
    out: &'a mut Vec<u8>,
}

impl<const N: usize> Job for Encoding0<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { data, out } = self;
        let mut row = count(data);
        put_row(&mut row, out);
        let mut table = [Step::default(); 256];
        for (symbol, step) in steps(&row, BITS, limit_per_frequency(BITS)) {
            table[symbol] = step;
        }
        let mut states = [LOW; N];
        let mut given = GivenWords::new();
        let (turns, rest) = data.as_chunks::<N>();
        for (state, &symbol) in states.iter_mut().zip(rest).rev() {
            given.put(state, &table[usize::from(symbol)]);
        }
        given.flush();
        for turns in turns.rchunks(CHUNK / N) {
            for turn in turns.iter().rev() {
                for (state, &symbol) in states.iter_mut().zip(turn).rev() {
                    given.put(state, &table[usize::from(symbol)]);
                }
            }
            given.flush();
        }
        given.finish(&states, out);
    }
}

/// Replaces `out` by `len` decompressed symbols, which are at least one.
pub(super) fn decode<const N: usize>(
    isa: Isa,
    input: Input<'_>,
    len: usize,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    // All of it is written to: what it holds needn't be cleared.
    out.resize(len, 0);
    isa::run(isa, Decoding0::<N> { isa, input, out })
}

/// Decompressing a stream.
struct Decoding0<'a, const N: usize> {
    isa: Isa,
    input: Input<'a>,
    out: &'a mut [u8],
}

impl<const N: usize> Job for Decoding0<'_, N> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self { isa, mut input, out } = self;
        let row = read_row(&mut input)?;
        let (mut taken, mut states) = Taken::start::<N>(input)?;
        let mut done = 0;
        if let (WIDE, Some(states)) = (N, states.first_chunk_mut()) {
            let slots = Slots::order0(&row);
            done = isa::order0(isa, taken.turns(&slots, states), out.as_chunks_mut().0);
        }
        let (turns, rest) = out.as_chunks_mut::<N>();
        let slots = SplitSlots::new(&row);
        // Their only copy in this loop, so that few states are in registers.
        let mut now = states;
        for turn in turns.iter_mut().skip(done) {
            for quad in 0..N / 4 {
                let (window, mut bits) = (taken.window()?, 0);
                for lane in 4 * quad..4 * quad + 4 {
                    turn[lane] = slots.next(&mut now[lane]);
                    refill(&mut now[lane], window, &mut bits);
                }
                taken.take(bits);
            }
        }
        states = now;
        for (state, symbol) in states.iter_mut().zip(rest) {
            let (window, mut bits) = (taken.window()?, 0);
            *symbol = slots.next(state);
            refill(state, window, &mut bits);
            taken.take(bits);
        }
        taken.finish(&states)
    }
}
