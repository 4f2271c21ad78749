//! A table of frequencies for each symbol before; each state has a lane.
#![allow(clippy::needless_range_loop)] // tiles are indexed by lane, then by place

use biofast_kernels::Isa;

use crate::counts::count_pairs;
use crate::error::Error;
use crate::input::Input;
use crate::isa::{self, Job, WIDE};
use crate::lanes::{self, TILE, Tile};
use crate::nx16::contexts::{put_rows, read_slots};
use crate::nx16::format::LOW;
use crate::nx16::slots::Slots;
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

/// Decompresses `len` symbols.
pub(super) fn decode<const N: usize>(
    isa: Isa,
    mut input: Input<'_>,
    len: usize,
) -> Result<Vec<u8>, Error> {
    let slots = read_slots(isa, &mut input)?;
    isa::run(isa, Decoding1::<N> { isa, input, slots, raw_len: len })
}

/// Decompressing a stream from behind its frequencies.
struct Decoding1<'a, const N: usize> {
    isa: Isa,
    input: Input<'a>,
    slots: Slots,
    raw_len: usize,
}

impl<const N: usize> Job for Decoding1<'_, N> {
    type Output = Result<Vec<u8>, Error>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self { isa, input, slots, raw_len } = self;
        let (mut taken, mut states) = Taken::start::<N>(input)?;
        let mut out = vec![0; raw_len];
        let len = raw_len / N;
        let mut last = [0; N];
        let mut tile: Tile<N> = [[0; TILE]; N];
        for stretch in lanes::stretches(len) {
            let mut done = 0;
            if let (WIDE, Some(states), Some(last), Some(tile)) =
                (N, states.first_chunk_mut(), last.first_chunk_mut(), tile.first_chunk_mut())
            {
                done = isa::order1(isa, taken.turns(&slots, states), last, tile, stretch.1);
            }
            // Their only copies in this loop, so that few states are in registers.
            let (mut now, mut before) = (states, last);
            for at in done..stretch.1.min(TILE) {
                for quad in 0..N / 4 {
                    let (window, mut bits) = (taken.window()?, 0);
                    for lane in 4 * quad..4 * quad + 4 {
                        before[lane] = slots.next(&mut now[lane], before[lane])?;
                        refill(&mut now[lane], window, &mut bits);
                        tile[lane][at] = before[lane];
                    }
                    taken.take(bits);
                }
            }
            (states, last) = (now, before);
            lanes::store(&tile, &mut out, len, stretch);
        }
        for symbol in &mut out[N * len..] {
            let (window, mut bits) = (taken.window()?, 0);
            last[N - 1] = slots.next(&mut states[N - 1], last[N - 1])?;
            refill(&mut states[N - 1], window, &mut bits);
            taken.take(bits);
            *symbol = last[N - 1];
        }
        taken.finish(&states)?;
        Ok(out)
    }
}
