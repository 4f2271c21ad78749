//! rANS Nx16.

use std::num::NonZeroU8;

use crate::common::{KINDS, damage, data, lengths, noodles};
use biofast_codecs::nx16::{Options, decode, decode_by, encode, encode_by};
use biofast_codecs::{Error, Order};
use proptest::prelude::*;

/// Every choice of options, with these stripes.
fn options(stripe: u8) -> impl Iterator<Item = Options> {
    (0..16).map(move |bits| Options {
        order: if bits & 1 == 0 { Order::Zero } else { Order::One },
        wide: bits & 2 != 0,
        pack: bits & 4 != 0,
        rle: bits & 8 != 0,
        stripe: NonZeroU8::new(stripe),
    })
}

fn round_trip(data: &[u8], options: &Options) -> Vec<u8> {
    let mut stream = vec![7];
    encode(data, options, &mut stream);
    assert_eq!(stream.remove(0), 7);
    for isa in biofast_kernels::available() {
        let found = decode_by(isa, &stream, data.len());
        let what = format!("{isa}, {options:?}, {}", data.len());
        assert!(found.as_deref() == Ok(data), "{what}: {:?}", found.err());
        let mut again = Vec::new();
        encode_by(isa, data, options, &mut again);
        assert!(again == stream, "{what}: other bytes");
    }
    if !data.is_empty() {
        assert!(noodles(5, &stream, data.len()) == data, "noodles: {options:?}, {}", data.len());
    }
    stream
}

#[test]
fn all_lengths_and_kinds_come_back_here_and_in_noodles() {
    for kind in 0..KINDS {
        for len in lengths().filter(|len| len % KINDS == kind || len % 1000 < 2) {
            let data = data(kind, len);
            options(0).for_each(|options| drop(round_trip(&data, &options)));
        }
    }
    // Many equal symbols.
    for options in options(0) {
        let stream = round_trip(&data(0, (1 << 20) + 77), &options);
        assert!(stream.len() < 150, "{options:?}: {} bytes", stream.len());
    }
}

#[test]
fn stripes_come_back_here_and_in_noodles() {
    for stripe in [1, 2, 4, 7, 255] {
        for kind in 0..KINDS {
            for len in [0, 1, 4, 5, 63, 300, 3001] {
                let data = data(kind, len);
                options(stripe).for_each(|options| drop(round_trip(&data, &options)));
            }
        }
    }
}

#[test]
fn options_do_what_they_are_for() {
    let len = |data: &[u8], at: usize| round_trip(data, &options(0).nth(at).unwrap()).len();
    let qualities = data(3, 50_000);
    assert!(len(&qualities, 1) < len(&qualities, 0) * 7 / 10);
    let runs = data(2, 50_000);
    assert!(len(&runs, 8) < len(&runs, 0) / 10);
    // Four values that don't depend on each other: packed, order 1 sees four of them at once and can't know it.
    let four = data(5, 50_000);
    assert!(len(&four, 4) < len(&four, 0) + 300);
    let numbers: Vec<u8> = (0..10_000u32).flat_map(|n| (n * 3).to_le_bytes()).collect();
    let striped = Options { stripe: NonZeroU8::new(4), ..options(0).nth(8).unwrap() };
    assert!(round_trip(&numbers, &striped).len() < len(&numbers, 8) * 7 / 10);
}

#[test]
fn frequencies_of_both_sums_and_compressed_ones_occur() {
    let order1 = options(0).nth(1).unwrap();
    let first = |data: &[u8]| {
        let stream = round_trip(data, &order1);
        let len = 1 + stream[1..].iter().take_while(|byte| **byte >= 128).count() + 1;
        stream[len]
    };
    // Rare symbols want more bits.
    let rare: Vec<u8> =
        data(1, 3_000_000).iter().enumerate().map(|(at, n)| n * (at % 7) as u8).collect();
    assert_eq!([first(&data(5, 2000)), first(&rare), first(&data(3, 50_000))], [0xa0, 0xc0, 0xa1]);
}

#[test]
fn damaged_streams_do_no_harm() {
    for stripe in [0, 3] {
        for (kind, options) in options(stripe).enumerate() {
            for len in [1, 5, 64, 3000] {
                damage(&round_trip(&data(kind % KINDS, len), &options), len, decode);
            }
        }
    }
    let stream = round_trip(b"abracadabra", &options(0).next().unwrap());
    assert_eq!(decode(&stream, 12), Err(Error::Length { expected: 12, stated: 11 }));
    for len in 0..stream.len() {
        assert!(decode(&stream[..len], 11).is_err(), "{len}");
    }
}

proptest! {
    #[test]
    fn any_bytes_come_back(data in proptest::collection::vec(any::<u8>(), 0..600), stripe in 0..5u8, at in 0..16usize) {
        round_trip(&data, &options(stripe).nth(at).unwrap());
    }

    #[test]
    fn any_bytes_do_no_harm(stream in proptest::collection::vec(any::<u8>(), 0..600), len in 0..600usize) {
        if let Ok(out) = decode(&[&[stream.first().copied().unwrap_or(0) | 0x10], &*stream].concat(), len) {
            prop_assert_eq!(out.len(), len);
        }
    }
}
