//! rANS 4x8.

use crate::common::{KINDS, damage, data, lengths, noodles};
use biofast_codecs::rans4x8::{decode, decode_by, encode, encode_by};
use biofast_codecs::{Error, Order};
use proptest::prelude::*;

fn round_trip(data: &[u8], order: Order) -> Vec<u8> {
    let mut stream = vec![7];
    encode(data, order, &mut stream);
    assert_eq!(stream.remove(0), 7);
    for isa in biofast_kernels::available() {
        let found = decode_by(isa, &stream, data.len());
        let what = format!("{isa}, {order:?}, {}", data.len());
        assert!(found.as_deref() == Ok(data), "{what}: {:?}", found.err());
        let mut again = Vec::new();
        encode_by(isa, data, order, &mut again);
        assert!(again == stream, "{what}: other bytes");
    }
    if !data.is_empty() {
        assert!(noodles(4, &stream, data.len()) == data, "noodles: {order:?}, {}", data.len());
    }
    stream
}

#[test]
fn all_lengths_and_kinds_come_back_here_and_in_noodles() {
    for order in [Order::Zero, Order::One] {
        for kind in 0..KINDS {
            lengths().for_each(|len| drop(round_trip(&data(kind, len), order)));
        }
        // Many equal symbols.
        let stream = round_trip(&data(0, (1 << 20) + 77), order);
        assert!(stream.len() < 500, "{} bytes", stream.len());
    }
}

#[test]
fn sizes_are_near_the_entropy() {
    let (random, skewed) = (data(7, 50_000), data(1, 50_000));
    assert!(round_trip(&random, Order::Zero).len() < 50_000 + 800);
    assert!(round_trip(&skewed, Order::Zero).len() < 120);
    let qualities = data(3, 50_000);
    let [zero, one] = [Order::Zero, Order::One].map(|order| round_trip(&qualities, order).len());
    assert!(one < zero * 7 / 10, "{one} of {zero}");
}

#[test]
fn damaged_streams_do_no_harm() {
    for kind in 0..KINDS {
        for order in [Order::Zero, Order::One] {
            for len in [1, 5, 64, 3000] {
                damage(&round_trip(&data(kind, len), order), len, decode);
            }
        }
    }
    let stream = round_trip(b"abracadabra", Order::Zero);
    assert_eq!(decode(&stream, 12), Err(Error::Length { expected: 12, stated: 11 }));
    for len in 0..stream.len() {
        assert!(decode(&stream[..len], 11).is_err(), "{len}");
    }
}

proptest! {
    #[test]
    fn any_bytes_come_back(data in proptest::collection::vec(any::<u8>(), 0..600), one: bool) {
        round_trip(&data, if one { Order::One } else { Order::Zero });
    }

    #[test]
    fn any_bytes_do_no_harm(
        mut stream in proptest::collection::vec(any::<u8>(), 0..600), len in 0..600usize, order in 0..2u8,
    ) {
        stream.splice(0..0, [vec![order], (stream.len() as u32).to_le_bytes().to_vec(), (len as u32).to_le_bytes().to_vec()].concat());
        if let Ok(out) = decode(&stream, len) {
            prop_assert_eq!(out.len(), len);
        }
    }
}
