//! Each n-th byte in a stream of its own.

use biofast_kernels::Isa;

use crate::counts;
use crate::error::Error;
use crate::input::{Input, put_uint7};
use crate::nx16::format::flags;
use crate::nx16::stream::{Options, decode_stream, encode_stream, read_flags};
use crate::order::Order;

/// Compresses each stripe in all ways that the options allow, one at a time, and keeps the smallest.
pub(super) fn encode(isa: Isa, data: &[u8], count: u8, options: &Options, out: &mut Vec<u8>) {
    let plain = Options { order: Order::Zero, pack: false, rle: false, ..*options };
    let streams: Vec<Vec<u8>> = (0..usize::from(count))
        .map(|stripe| {
            let stripe: Vec<u8> = data.iter().skip(stripe).step_by(count.into()).copied().collect();
            let symbols = counts::count(&stripe).iter().filter(|count| **count > 0).count();
            // A table of order 1 has an entry a pair of symbols: where most pairs occur once, it is larger than what it saves.
            let is_order1 =
                options.order == Order::One && count_distinct_pairs(&stripe) <= stripe.len() / 2;
            let ways = [
                Some(plain),
                is_order1.then_some(Options { order: Order::One, ..plain }),
                (options.pack && symbols <= 16).then_some(Options { pack: true, ..plain }),
                options.rle.then_some(Options { rle: true, ..plain }),
            ];
            let streams = ways.iter().flatten().map(|way| {
                let mut stream = Vec::new();
                encode_stream(isa, &stripe, way, false, &mut stream);
                stream
            });
            streams.min_by_key(Vec::len).unwrap_or_default()
        })
        .collect();
    out.push(flags::STRIPE);
    put_uint7(out, data.len() as u32);
    out.push(count);
    streams.iter().for_each(|stream| put_uint7(out, stream.len() as u32));
    streams.iter().for_each(|stream| out.extend(stream));
}

fn count_distinct_pairs(data: &[u8]) -> usize {
    let mut seen = [0u64; 1024];
    for pair in data.windows(2) {
        let pair = usize::from(u16::from_le_bytes([pair[0], pair[1]]));
        seen[pair / 64] |= 1 << (pair % 64);
    }
    seen.iter().map(|seen| seen.count_ones() as usize).sum()
}

/// Decompresses stripes from behind the length.
pub(super) fn decode(isa: Isa, mut input: Input<'_>, raw_len: usize) -> Result<Vec<u8>, Error> {
    let count = usize::from(input.byte()?);
    if count == 0 {
        return Err(Error::Invalid("no stripes"));
    }
    let mut lengths = Vec::with_capacity(count);
    for _ in 0..count {
        lengths.push(input.uint7()? as usize);
    }
    let mut out = vec![0; raw_len];
    for (stripe, len) in lengths.into_iter().enumerate() {
        let mut stream = Input(input.take(len)?);
        let stripe_len = raw_len / count + usize::from(raw_len % count > stripe);
        let flags = read_flags(&mut stream, stripe_len)?;
        if flags & flags::STRIPE != 0 {
            return Err(Error::Invalid("stripes within stripes"));
        }
        let symbols = decode_stream(isa, flags, stream, stripe_len)?;
        for (to, symbol) in out.iter_mut().skip(stripe).step_by(count).zip(symbols) {
            *to = symbol;
        }
    }
    Ok(out)
}
