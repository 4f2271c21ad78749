//! Stripes of data, each compressed as suits it best.

use biofast_kernels::Isa;

use crate::counts;
use crate::nx16::stream::{Options, Overhead, encode_stream};
use crate::order::Order;
use crate::transforms::stripe;

/// Compresses each stripe in all ways that the options allow, one at a time, and keeps the smallest.
pub(super) fn encode(
    isa: Isa,
    data: &[u8],
    count: u8,
    options: &Options,
    out: &mut Vec<u8>,
) -> Overhead {
    let plain = Options { order: Order::Zero, pack: false, rle: false, ..*options };
    let (mut streams, mut all) = (Vec::new(), Overhead::default());
    for first in 0..usize::from(count) {
        let stripe = stripe::stripe(data, first, count.into());
        let symbols = counts::count(&stripe).iter().filter(|count| **count > 0).count();
        // A table of order 1 has an entry a pair of symbols: where most pairs occur once, it is larger than what it saves.
        let is_order1 =
            options.order == Order::One && count_distinct_pairs(&stripe) <= stripe.len() / 2;
        // A single symbol takes no bits when packed: nothing is shorter.
        let is_single = options.pack && symbols == 1;
        let ways = [
            (!is_single).then_some(plain),
            (is_order1 && !is_single).then_some(Options { order: Order::One, ..plain }),
            (options.pack && symbols <= 16).then_some(Options { pack: true, ..plain }),
            (options.rle && !is_single).then_some(Options { rle: true, ..plain }),
        ];
        let tried = ways.iter().flatten().map(|way| {
            let mut stream = Vec::new();
            let overhead = encode_stream(isa, &stripe, way, false, &mut stream);
            (stream, overhead)
        });
        let (stream, one) = tried.min_by_key(|(stream, _)| stream.len()).unwrap_or_default();
        all.tables += one.tables;
        all.states += one.states;
        streams.push(stream);
    }
    stripe::put(&streams, data.len(), out);
    all
}

fn count_distinct_pairs(data: &[u8]) -> usize {
    let mut seen = [0u64; 1024];
    for pair in data.windows(2) {
        let pair = usize::from(u16::from_le_bytes([pair[0], pair[1]]));
        seen[pair / 64] |= 1 << (pair % 64);
    }
    seen.iter().map(|seen| seen.count_ones() as usize).sum()
}
