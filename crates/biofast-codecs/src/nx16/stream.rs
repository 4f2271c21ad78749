//! A stream without stripes: transforms, and the order in which they are undone.

use std::num::NonZeroU8;

use biofast_kernels::Isa;

use crate::error::Error;
use crate::input::{Input, put_uint7};
use crate::nx16::{order0, order1, rle};
use crate::order::Order;
use crate::transforms::{flags, pack, smaller};

/// How to encode. What can't be done, or makes the data larger, is left out.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The order of the symbols that remain after all transforms.
    pub order: Order,
    /// 32 states instead of 4, where there are symbols enough: faster with SIMD.
    pub wide: bool,
    /// Several symbols in a byte if there are at most 16.
    pub pack: bool,
    /// Lengths of runs instead of repeated symbols.
    pub rle: bool,
    /// Each n-th byte in a stream of its own, such as the bytes of numbers. The other options say what each stream may try.
    pub stripe: Option<NonZeroU8>,
}

/// Bytes of a stream that don't grow as the data do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overhead {
    /// Tables of order 1, which grow more slowly.
    pub tables: usize,
    /// States, which don't grow.
    pub states: usize,
}

/// Below it, 32 states cost more than they save.
const MIN_WIDE: usize = 1000;
/// Below it, tables of order 1 cost more than they save.
const MIN_ORDER1: usize = 32;

/// Compresses data without stripes, and states their length where `with_len`.
pub(super) fn encode_stream(
    isa: Isa,
    data: &[u8],
    options: &Options,
    with_len: bool,
    out: &mut Vec<u8>,
) -> Overhead {
    let start = out.len();
    let mut flags = if with_len { 0 } else { flags::NO_SIZE };
    out.push(flags);
    if with_len {
        put_uint7(out, data.len() as u32);
    }
    let packed = options.pack.then(|| pack::encode(data, out)).flatten();
    if packed.is_some() {
        flags |= flags::PACK;
    }
    let data = packed.as_deref().unwrap_or(data);
    let runs = options.rle.then(|| rle::encode(data)).flatten();
    let symbols = runs.as_ref().map_or(data, |runs| &runs.symbols);
    let is_wide = options.wide && symbols.len() >= MIN_WIDE;
    let states = 4 * if is_wide { 32 } else { 4 };
    let mut overhead = Overhead { tables: 0, states };
    if let Some(runs) = &runs {
        flags |= flags::RLE;
        let is_compressed = runs.put(isa, is_wide, out);
        overhead.states += if is_compressed { states } else { 0 };
    }
    let before = out.len();
    let is_order1 = options.order == Order::One && symbols.len() >= MIN_ORDER1;
    match (is_order1, is_wide) {
        _ if symbols.is_empty() => {}
        (false, false) => order0::encode::<4>(isa, symbols, out),
        (false, true) => order0::encode::<32>(isa, symbols, out),
        (true, false) => overhead.tables = order1::encode::<4>(isa, symbols, out),
        (true, true) => overhead.tables = order1::encode::<32>(isa, symbols, out),
    }
    if is_wide {
        flags |= flags::OTHER;
    }
    if is_order1 {
        flags |= flags::ORDER;
    }
    if out.len() - before >= symbols.len() {
        out.truncate(before);
        out.extend_from_slice(symbols);
        flags = flags & !flags::ORDER | flags::STORED;
        overhead.tables = 0;
        overhead.states -= states;
    }
    out[start] = flags;
    overhead
}

/// Decompresses a stream without stripes from behind its length into `out`, whose content it replaces.
pub(super) fn decode_stream(
    isa: Isa,
    flags: u8,
    mut input: Input<'_>,
    raw_len: usize,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let is_wide = flags & flags::OTHER != 0;
    let (map, packed_len) = match flags & flags::PACK {
        0 => (None, raw_len),
        _ => {
            let map = pack::Map::read(&mut input)?;
            (Some(map), smaller(input.uint7()?, raw_len)?)
        }
    };
    let (runs, len) = match flags & flags::RLE {
        0 => (None, packed_len),
        _ => {
            let (runs, len) = rle::Lengths::read(isa, &mut input, is_wide, packed_len)?;
            (Some(runs), len)
        }
    };
    let mut symbols = Vec::new();
    let coded = if runs.is_some() || map.is_some() { &mut symbols } else { &mut *out };
    match (flags & flags::ORDER != 0, is_wide) {
        _ if len == 0 => coded.clear(),
        _ if flags & flags::STORED != 0 => {
            coded.clear();
            coded.extend_from_slice(input.take(len)?);
        }
        (false, false) => order0::decode::<4>(isa, input, len, coded)?,
        (false, true) => order0::decode::<32>(isa, input, len, coded)?,
        (true, false) => order1::decode::<4>(isa, input, len, coded)?,
        (true, true) => order1::decode::<32>(isa, input, len, coded)?,
    }
    match (runs, map) {
        (None, None) => {}
        (Some(runs), None) => runs.expand(&symbols, packed_len, out)?,
        (None, Some(map)) => map.unpack(&symbols, raw_len, out)?,
        (Some(runs), Some(map)) => {
            let mut packed = Vec::new();
            runs.expand(&symbols, packed_len, &mut packed)?;
            map.unpack(&packed, raw_len, out)?;
        }
    }
    Ok(())
}
