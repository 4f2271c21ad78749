//! A table of frequencies for each symbol before; each state has a lane.
#![allow(clippy::needless_range_loop)] // tiles are indexed by lane, then by place

use biofast_kernels::Isa;

use crate::compact::CompactSlots;
use crate::counts::count_pairs;
use crate::error::Error;
use crate::input::Input;
use crate::isa::{self, Job, WIDE};
use crate::lanes::{self, TILE, Tile};
use crate::nx16::contexts::{self, put_rows, read_slots};
use crate::nx16::format::{BITS, FEW_BITS, LOW};
use crate::nx16::slots::{ContextSlots, Slots};
use crate::nx16::words::{GivenWords, Taken, limit_per_frequency, refill};
use crate::order1;
use crate::step::ContextSteps;

/// Compresses with `N` states. There must be a symbol for each. Returns the length of the tables.
pub(super) fn encode<const N: usize>(isa: Isa, data: &[u8], out: &mut Vec<u8>) -> usize {
    let mut rows = count_pairs(data, N);
    let start = out.len();
    let bits = put_rows(isa, &mut rows, out);
    let tables = out.len() - start;
    let mut table = ContextSteps::new(rows.len());
    for (context, row) in rows.iter().enumerate() {
        table.set(context, row, bits, limit_per_frequency(bits));
    }
    isa::run(isa, Encoding1::<N> { data, table, out });
    tables
}

/// Compressing data whose frequencies are known.
struct Encoding1<'a, const N: usize> {
    data: &'a [u8],
    table: ContextSteps,
    out: &'a mut Vec<u8>,
}

impl<const N: usize> Job for Encoding1<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { data, table, out } = self;
        let mut given = GivenWords::new();
        let states: [u32; N] = order1::encode(data, &table, LOW, &mut given);
        given.finish(&states, out);
    }
}

/// Replaces `out` by `len` decompressed symbols.
pub(super) fn decode<const N: usize>(
    isa: Isa,
    input: Input<'_>,
    len: usize,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let is_few = contexts::bits(input)? == FEW_BITS;
    // All of it is written to: what it holds needn't be cleared.
    out.resize(len, 0);
    match N {
        WIDE => decode_by::<N, Slots>(isa, input, out),
        _ if is_few => decode_by::<N, CompactSlots<{ 1 << FEW_BITS }>>(isa, input, out),
        _ => decode_by::<N, CompactSlots<{ 1 << BITS }>>(isa, input, out),
    }
}

fn decode_by<const N: usize, T: ContextSlots>(
    isa: Isa,
    mut input: Input<'_>,
    out: &mut [u8],
) -> Result<(), Error> {
    let slots: T = read_slots(isa, &mut input)?;
    if N < WIDE && input.0.len() < out.len() / RARE {
        isa::run(isa, Decoding1::<N, T, true> { isa, input, slots, out })
    } else {
        isa::run(isa, Decoding1::<N, T, false> { isa, input, slots, out })
    }
}

/// Where a stream has less than a byte for so many symbols, most symbols take nothing from it.
const RARE: usize = 16;

/// Decompressing a stream from behind its frequencies.
struct Decoding1<'a, const N: usize, T, const IS_RARE: bool> {
    isa: Isa,
    input: Input<'a>,
    slots: T,
    out: &'a mut [u8],
}

impl<const N: usize, T: ContextSlots, const IS_RARE: bool> Job for Decoding1<'_, N, T, IS_RARE> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self { isa, input, slots, out } = self;
        let (mut taken, mut states) = Taken::start::<N>(input)?;
        let len = out.len() / N;
        let mut last = [0; N];
        let mut tile: Tile<N> = [[0; TILE]; N];
        for stretch in lanes::stretches(len) {
            let mut done = 0;
            if let (Some(slots), Some(states), Some(last), Some(tile)) = (
                slots.for_vectors(),
                states.first_chunk_mut(),
                last.first_chunk_mut(),
                tile.first_chunk_mut(),
            ) {
                done = isa::order1(isa, taken.turns(slots, states), last, tile, stretch.1);
            }
            // Their only copies in this loop, so that few states are in registers.
            let (mut now, mut before) = (states, last);
            for at in done..stretch.1.min(TILE) {
                for quad in 0..N / 4 {
                    let (window, mut bits) = (taken.window()?, 0);
                    for lane in 4 * quad..4 * quad + 4 {
                        before[lane] = slots.next(&mut now[lane], before[lane])?;
                        if !IS_RARE {
                            refill(&mut now[lane], window, &mut bits);
                        }
                        tile[lane][at] = before[lane];
                    }
                    let quad = &mut now[4 * quad..4 * quad + 4];
                    // Where that is rare, to ask takes less time than to wait for where the next word is.
                    if IS_RARE && quad.iter().any(|&state| state < LOW) {
                        quad.iter_mut().for_each(|state| refill(state, window, &mut bits));
                    }
                    taken.take(bits);
                }
            }
            (states, last) = (now, before);
            lanes::store(&tile, out, len, stretch);
        }
        for symbol in &mut out[N * len..] {
            let (window, mut bits) = (taken.window()?, 0);
            last[N - 1] = slots.next(&mut states[N - 1], last[N - 1])?;
            refill(&mut states[N - 1], window, &mut bits);
            taken.take(bits);
            *symbol = last[N - 1];
        }
        taken.finish(&states)
    }
}
