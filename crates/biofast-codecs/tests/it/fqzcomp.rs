//! fqzcomp, and the arithmetic coder where nobody encodes.

use crate::common::{KINDS, damage, data, noodles};
use biofast_codecs::fqzcomp::{Read, decode, encode};
use biofast_codecs::{Error, arith};
use proptest::prelude::*;

/// Reads of `len` qualities in turn, every third of them reversed.
fn reads(total: usize, lengths: &[usize]) -> Vec<Read> {
    let (mut reads, mut left) = (Vec::new(), total);
    for &len in lengths.iter().cycle() {
        if left == 0 {
            break;
        }
        let len = len.min(left);
        reads.push(Read { len, is_reverse: reads.len() % 3 == 2 });
        left -= len;
    }
    reads
}

fn round_trip(qualities: &[u8], reads: &[Read]) -> Vec<u8> {
    let mut stream = vec![7];
    encode(qualities, reads, &mut stream).unwrap();
    assert_eq!(stream.remove(0), 7);
    let found = decode(&stream, qualities.len());
    assert!(found.as_deref() == Ok(qualities), "{}: {:?}", qualities.len(), found.err());
    stream
}

#[test]
fn all_kinds_come_back_here_and_in_noodles() {
    for kind in 0..KINDS {
        for total in [1, 2, 70, 1001, 30_000] {
            // What another decoder takes for a quality.
            let qualities: Vec<u8> = data(kind, total).iter().map(|&byte| byte % 94).collect();
            for lengths in [&[1][..], &[100], &[151, 3, 40], &[total]] {
                let stream = round_trip(&qualities, &reads(total, lengths));
                assert!(noodles(7, &stream, total) == qualities, "noodles: {kind}, {total}");
            }
        }
    }
}

#[test]
fn repeats_take_next_to_nothing() {
    let qualities = data(3, 50_000);
    let forward = |count| vec![Read { len: 100, is_reverse: false }; count];
    let once = round_trip(&qualities, &forward(500)).len();
    let twice: Vec<u8> = qualities.chunks(100).flat_map(|read| [read, read].concat()).collect();
    let len = round_trip(&twice, &forward(1000)).len();
    assert!(len < once + 200, "{len}, {once}");
}

#[test]
fn what_cannot_be_coded_is_said() {
    let read = |len| Read { len, is_reverse: false };
    for reads in
        [&[][..], &[read(2)], &[read(4)], &[read(3), read(0)], &[read(usize::MAX), read(4)]]
    {
        let result = encode(b"abc", reads, &mut Vec::new());
        assert!(matches!(result, Err(Error::Invalid(_))), "{reads:?}");
    }
    let stream = round_trip(b"abc", &[read(3)]);
    assert_eq!(decode(&stream, 4), Err(Error::Length { expected: 4, stated: 3 }));
    assert_eq!(decode(&stream[..stream.len() - 4], 3), Err(Error::Truncated));
}

#[test]
fn damaged_streams_do_no_harm() {
    for kind in 0..KINDS {
        for (total, lengths) in [(3, &[1, 2][..]), (300, &[100, 50]), (3000, &[150])] {
            let qualities = data(kind, total);
            damage(&round_trip(&qualities, &reads(total, lengths)), total, decode);
        }
    }
}

proptest! {
    #[test]
    fn any_qualities_come_back(
        reads in proptest::collection::vec((proptest::collection::vec(any::<u8>(), 1..30), 1..4usize, any::<bool>()), 0..40),
        levels in 1..=255u8,
    ) {
        let repeated = || reads.iter().flat_map(|read| std::iter::repeat_n(read, read.1));
        let qualities: Vec<u8> =
            repeated().flat_map(|read| read.0.iter().map(|quality| quality % levels)).collect();
        let reads: Vec<Read> =
            repeated().map(|read| Read { len: read.0.len(), is_reverse: read.2 }).collect();
        round_trip(&qualities, &reads);
    }

    #[test]
    fn any_bytes_do_no_harm(
        stream in proptest::collection::vec(any::<u8>(), 0..600), len in 0..600usize,
    ) {
        let len_bytes = [0x80 | (len >> 7) as u8, len as u8 & 0x7f];
        let found = [
            decode(&[&len_bytes[..], &[5], &stream].concat(), len),
            arith::decode(&[&stream[..stream.len().min(1)], &len_bytes, &stream].concat(), len),
        ];
        for out in found.into_iter().flatten() {
            prop_assert_eq!(out.len(), len);
        }
    }
}
