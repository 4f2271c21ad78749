//! The encoder. It works from the last symbol to the first: a decoder returns symbols in reverse.

use crate::counts::{count, count_pairs};
use crate::isa::Job;
use crate::order::Order;
use crate::order1::{self, Given};
use crate::rans4x8::format::{BITS, LOW, STATES};
use crate::rans4x8::frequencies::put_row;
use crate::step::{ContextSteps, Step, advance, limit, steps};
use crate::symbols;

/// What a state must be below for a symbol, per unit of the symbol's frequency.
const LIMIT: u32 = (LOW >> BITS) << 8;

/// Bytes that fit before [`GivenBytes::flush`].
const CHUNK: usize = 1 << 13;

/// Bytes that states give away, the last to be read first.
struct GivenBytes {
    /// SymbolSlots for one more byte: two are written at once, of which the second may not count.
    chunk: [u8; CHUNK + 1],
    len: usize,
    all: Vec<u8>,
}

impl GivenBytes {
    fn new() -> GivenBytes {
        GivenBytes { chunk: [0; CHUNK + 1], len: 0, all: Vec::new() }
    }

    /// Appends the states and all that was given away.
    fn finish(mut self, states: [u32; STATES], out: &mut Vec<u8>) {
        self.flush();
        out.extend(states.iter().flat_map(|state| state.to_le_bytes()));
        out.extend(self.all.iter().rev());
    }
}

impl Given for GivenBytes {
    /// Encodes a symbol: at most two bytes are given away.
    #[inline(always)]
    fn put(&mut self, state: &mut u32, step: &Step) {
        let (x, limit) = (*state, limit(step));
        let at = self.len & (CHUNK - 1);
        self.chunk[at] = x as u8;
        self.chunk[at + 1] = (x >> 8) as u8;
        let count = u32::from(x >= limit) + u32::from(x >> 8 >= limit);
        self.len += count as usize;
        *state = advance(step, x >> (8 * count));
    }

    /// Makes place for [`CHUNK`] bytes.
    #[inline(always)]
    fn flush(&mut self) {
        self.all.extend_from_slice(&self.chunk[..self.len.min(CHUNK)]);
        self.len = 0;
    }
}

/// Compressing data.
pub(super) struct Encoding<'a> {
    pub(super) data: &'a [u8],
    pub(super) order: Order,
    pub(super) out: &'a mut Vec<u8>,
}

impl Job for Encoding<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        match self.order {
            Order::Zero => order0(self.data, self.out),
            Order::One => order1(self.data, self.out),
        }
    }
}

#[inline(always)]
fn order0(data: &[u8], out: &mut Vec<u8>) {
    let mut row = count(data);
    put_row(&mut row, out);
    let mut table = [Step::default(); 256];
    for (symbol, step) in steps(&row, BITS, LIMIT) {
        table[symbol] = step;
    }
    let mut states = [LOW; STATES];
    let mut given = GivenBytes::new();
    let (quads, rest) = data.as_chunks::<STATES>();
    for (state, &symbol) in states.iter_mut().zip(rest).rev() {
        given.put(state, &table[usize::from(symbol)]);
    }
    given.flush();
    for quads in quads.rchunks(CHUNK / STATES / 2) {
        for quad in quads.iter().rev() {
            for (state, &symbol) in states.iter_mut().zip(quad).rev() {
                given.put(state, &table[usize::from(symbol)]);
            }
        }
        given.flush();
    }
    given.finish(states, out);
}

#[inline(always)]
fn order1(data: &[u8], out: &mut Vec<u8>) {
    let mut rows = count_pairs(data, STATES);
    let mut table = ContextSteps::new(rows.len());
    let is_context: Vec<bool> = rows.iter().map(|row| row.iter().any(|&n| n > 0)).collect();
    symbols::put(
        |context| is_context.get(context) == Some(&true),
        out,
        |context, out| {
            put_row(&mut rows[context], out);
            table.set(context, &rows[context], BITS, LIMIT);
        },
    );

    let mut given = GivenBytes::new();
    let states = order1::encode(data, &table, LOW, &mut given);
    given.finish(states, out);
}
