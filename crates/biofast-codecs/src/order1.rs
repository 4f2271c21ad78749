//! Order 1, encoded: what rANS 4x8 and Nx16 have in common. Each state has a lane, whose symbols are encoded from the last to the
//! first, each in the context of the one before it.
#![allow(clippy::needless_range_loop)] // tiles are indexed by lane, then by place

use crate::lanes::{self, TILE, Tile};
use crate::step::{ContextSteps, Step};

/// What states give away when symbols are encoded.
pub(crate) trait Given {
    /// Encodes a symbol.
    fn put(&mut self, state: &mut u32, step: &Step);

    /// Makes place for what a [`TILE`] of symbols a state gives away.
    fn flush(&mut self);
}

/// Encodes data of `N` symbols or more by as many states, which it returns.
#[inline(always)]
pub(crate) fn encode<const N: usize>(
    data: &[u8],
    table: &ContextSteps,
    low: u32,
    given: &mut impl Given,
) -> [u32; N] {
    let mut states = [low; N];
    let len = data.len() / N;
    // Each symbol waits for the one before it, its context. First the rest of the last lane.
    let mut next: [u8; N] = std::array::from_fn(|lane| data[(lane + 1) * len - 1]);
    for pair in data[N * len - 1..].windows(2).rev() {
        given.put(&mut states[N - 1], table.get(pair[0], pair[1]));
    }
    given.flush();
    let mut tile: Tile<N> = [[0; TILE]; N];
    for stretch in lanes::stretches(len - 1).rev() {
        lanes::load(&mut tile, data, len, stretch);
        for at in (0..stretch.1.min(TILE)).rev() {
            for lane in (0..N).rev() {
                let context = tile[lane][at];
                given.put(&mut states[lane], table.get(context, next[lane]));
                next[lane] = context;
            }
        }
        given.flush();
    }
    for lane in (0..N).rev() {
        given.put(&mut states[lane], table.get(0, next[lane]));
    }
    states
}
