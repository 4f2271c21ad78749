//! Streams of many writers, whole and damaged, against libdeflate: the same verdict and the same bytes.

use crate::common;

use biofast_deflate::FaultKind;
use common::{BitWriter, Random, compare, inflate_all, inflaters, put_header};
use proptest::prelude::*;

fn check_all(streams: &[(Vec<u8>, usize)]) {
    for (what, mut inflater) in inflaters() {
        for ((stream, len), ours) in streams.iter().zip(inflate_all(&mut inflater, streams)) {
            compare(stream, *len, &ours, &what);
        }
    }
}

#[test]
fn every_writer_and_level_round_trips() {
    let mut random = Random(1);
    for kind in 0..6 {
        let lengths = [0, 1, 3, 63, 64, 65, 150, 700, 5_000, 65_280, 65_536, 200_000];
        let texts = lengths.map(|len| common::data(kind, len, &mut random));
        let mut streams = Vec::new();
        for text in &texts {
            for level in 0..=12 {
                streams.push((common::libdeflate(text, level), text));
            }
            for level in [0, 1, 6, 9] {
                streams.push((common::zlib(text, level, 1 << 20), text));
                streams.push((common::zlib(text, level, 1000), text));
            }
        }
        for (what, mut inflater) in inflaters() {
            let jobs: Vec<_> = streams.iter().map(|(s, text)| (s.clone(), text.len())).collect();
            for ((_, text), ours) in streams.iter().zip(inflate_all(&mut inflater, &jobs)) {
                assert!(ours.as_ref() == Ok(*text), "{what}: kind {kind}, {} bytes", text.len());
            }
        }
    }
}

#[test]
fn random_codes_get_the_oracles_verdict() {
    let mut random = Random(2);
    let mut valid = 0;
    let streams: Vec<_> = (0..400)
        .map(|_| {
            let stream = common::random_block(&mut random);
            let mut out = vec![0; 200_000];
            let found = libdeflater::Decompressor::new().deflate_decompress(&stream, &mut out);
            valid += usize::from(found.is_ok());
            (stream, found.unwrap_or(1000))
        })
        .collect();
    assert!((100..399).contains(&valid), "{valid} of 400 are valid: the generator is no good");
    check_all(&streams);
}

/// Damages a stream in one of several ways.
fn mutate(stream: &mut Vec<u8>, random: &mut Random) {
    let len = stream.len();
    match random.below(8) {
        0 => stream.truncate(random.below(len)),
        1 => stream.insert(random.below(len), random.below(256) as u8),
        2 => stream.push(random.below(256) as u8),
        3 => stream.truncate(len - 1),
        // Headers are where most can go wrong.
        4 | 5 => stream[random.below(len.min(80))] ^= 1 << random.below(8),
        _ => {
            for _ in 0..=random.below(3) {
                stream[random.below(len)] ^= 1 << random.below(8);
            }
        }
    }
}

/// As many as `BIOFAST_MUTATIONS` says, 4,000 otherwise.
#[test]
fn damaged_streams_get_the_oracles_verdict() {
    let count = std::env::var("BIOFAST_MUTATIONS").map_or(4_000, |n| n.parse().unwrap());
    let mut random = Random(3);
    let mut inflaters = inflaters();
    let (mut good, mut faults, mut done) = (0u32, std::collections::BTreeMap::new(), 0);
    while done < count {
        // A writer's stream costs more than inflating it: damage each in many ways.
        let kind = random.below(7);
        let (stream, len) = if kind == 6 {
            (common::random_block(&mut random), 100 + random.below(3000))
        } else {
            let most = [2_000, 2_000, 2_000, 20_000][random.below(4)];
            let len = 1 + random.below(most);
            let text = common::data(kind, len, &mut random);
            (common::stream(&text, &mut random), len)
        };
        let streams: Vec<_> = (0..32)
            .map(|_| {
                let mut stream = stream.clone();
                mutate(&mut stream, &mut random);
                let change = [0, 0, 0, 0, 0, 1, 7, 64][random.below(8)];
                (
                    stream,
                    if random.below(2) == 0 { len + change } else { len.saturating_sub(change) },
                )
            })
            .collect();
        let (what, inflater) = {
            let n = random.below(inflaters.len());
            &mut inflaters[n]
        };
        for ((stream, len), ours) in streams.iter().zip(inflate_all(inflater, &streams)) {
            compare(stream, *len, &ours, what);
            match ours {
                Ok(_) => good += 1,
                Err(kind) => {
                    *faults
                        .entry(format!("{kind:?}").split(' ').next().unwrap().to_owned())
                        .or_insert(0) += 1
                }
            }
        }
        done += streams.len();
    }
    println!("{done} damaged streams: {good} still good, {faults:?}");
    for kind in [
        "InputEnds", "StoredLength", "CodeLengths", "Code", "Distance", "TooLong", "TooShort",
        "TrailingBytes",
    ] {
        assert!(faults.contains_key(kind), "no {kind} among {faults:?}: the test has become blind");
    }
}

proptest! {
    #[test]
    fn any_bytes_get_the_oracles_verdict(
        streams in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..200), 0usize..300), 1..9)
    ) {
        check_all(&streams);
    }

    #[test]
    fn any_data_round_trip(
        texts in prop::collection::vec((prop::collection::vec(0u8..20, 0..3000), 0..=12), 1..7)
    ) {
        let streams: Vec<_> = texts.iter().map(|(t, level)| (common::libdeflate(t, *level), t.len())).collect();
        for (what, mut inflater) in inflaters() {
            for ((text, _), ours) in texts.iter().zip(inflate_all(&mut inflater, &streams)) {
                prop_assert!(ours.as_ref() == Ok(text), "{}", what);
            }
        }
    }
}

/// A dynamic block by hand: header, then what `body` puts.
fn by_hand(symbols: &[u8], distances: &[u8], body: impl Fn(&mut BitWriter)) -> Vec<u8> {
    let mut out = BitWriter::default();
    put_header(&mut out, true, symbols, distances);
    body(&mut out);
    out.bytes
}

fn fault_of(stream: &[u8], len: usize) -> Option<FaultKind> {
    let mut found = Vec::new();
    for (what, mut inflater) in inflaters() {
        let ours = inflate_all(&mut inflater, &[(stream.to_vec(), len)]).remove(0);
        compare(stream, len, &ours, &what);
        found.push(ours.err());
    }
    assert!(found.iter().all(|kind| *kind == found[0]), "{found:?}");
    found[0]
}

/// Code lengths with 2-bit codes for `a`, `b`, the end of the block and a match of 3.
fn simple() -> Vec<u8> {
    let mut lengths = vec![0; 258];
    for symbol in [usize::from(b'a'), usize::from(b'b'), 256, 257] {
        lengths[symbol] = 2;
    }
    lengths
}

#[test]
fn each_fault_has_its_name() {
    let a = (0, 2);
    let end = (2, 2);
    let copy = (3, 2);
    let text = by_hand(&simple(), &[0], |out| [a, a, end].iter().for_each(|&c| out.put_code(c)));
    assert_eq!(fault_of(&text, 2), None);
    assert_eq!(fault_of(&text, 3), Some(FaultKind::TooShort { found: 2 }));
    assert_eq!(fault_of(&text, 1), Some(FaultKind::TooLong));
    assert_eq!(fault_of(&text[..text.len() - 1], 2), Some(FaultKind::InputEnds));
    let longer = [&text[..], &[0]].concat();
    assert_eq!(fault_of(&longer, 2), Some(FaultKind::TrailingBytes { used: text.len() }));
    assert_eq!(fault_of(&[], 0), Some(FaultKind::InputEnds));
    assert_eq!(fault_of(&[7], 0), Some(FaultKind::BlockType));
    assert_eq!(fault_of(&[1, 1, 0, 0, 0, 9], 1), Some(FaultKind::StoredLength));
    assert_eq!(fault_of(&[1, 2, 0, 0xfd, 0xff, 9], 2), Some(FaultKind::InputEnds));
    // One distance code of one bit is legal; distance 1 right at the start isn't.
    let early = by_hand(&simple(), &[1], |out| {
        out.put_code(copy);
        out.put(0, 1);
        out.put_code(end);
    });
    assert_eq!(fault_of(&early, 3), Some(FaultKind::Distance));
    // The unused half of that code is taken for the used one, as in libdeflate.
    let other_half = by_hand(&simple(), &[1], |out| {
        out.put_code(a);
        out.put_code(copy);
        out.put(1, 1);
        out.put_code(end);
    });
    assert_eq!(fault_of(&other_half, 4), None);
    let mut crowded = simple();
    crowded[0] = 2;
    assert_eq!(fault_of(&by_hand(&crowded, &[0], |_| {}), 0), Some(FaultKind::Code));
    let mut sparse = simple();
    sparse[256] = 0;
    assert_eq!(fault_of(&by_hand(&sparse, &[0], |_| {}), 0), Some(FaultKind::Code));
    assert_eq!(fault_of(&by_hand(&simple(), &[2, 2], |_| {}), 0), Some(FaultKind::Code));
    // "Repeat the last length" as the first one: its own code has one symbol, 16.
    let mut out = BitWriter::default();
    out.put(0b101, 3);
    out.put(0, 14);
    for length in [1, 0, 0, 0] {
        out.put(length, 3);
    }
    out.put(0, 20);
    assert_eq!(fault_of(&out.bytes, 0), Some(FaultKind::CodeLengths));
}

#[test]
fn the_first_fault_in_order_is_reported_and_blocks_before_it_are_whole() {
    let mut random = Random(4);
    let texts: Vec<_> = (0..12).map(|i| common::data(i, 30_000 - 2_000 * i, &mut random)).collect();
    let mut streams: Vec<_> = texts.iter().map(|t| (common::libdeflate(t, 6), t.len())).collect();
    // The later one is found first: its fault is in its first byte.
    let end = streams[5].0.len() - 3;
    streams[5].0.truncate(end);
    streams[6].0[0] |= 6;
    for (_, mut inflater) in inflaters() {
        let results = inflate_all(&mut inflater, &streams);
        for (i, (ours, text)) in results.iter().zip(&texts).enumerate() {
            match i {
                5 => assert_eq!(*ours, Err(FaultKind::InputEnds)),
                6 => assert_eq!(*ours, Err(FaultKind::BlockType)),
                _ => assert!(ours.as_ref() == Ok(text), "{i}"),
            }
        }
    }
}

#[test]
fn every_cut_of_input_and_output_is_a_fault() {
    let text = common::data(0, 700, &mut Random(5));
    let stream = common::libdeflate(&text, 6);
    let cuts: Vec<_> = (0..stream.len()).map(|n| (stream[..n].to_vec(), text.len())).collect();
    let rooms = (0..text.len() + 100).filter(|&n| n != text.len()).map(|n| (stream.clone(), n));
    let all: Vec<_> = cuts.into_iter().chain(rooms).collect();
    for (what, mut inflater) in inflaters() {
        for ((stream, len), ours) in all.iter().zip(inflate_all(&mut inflater, &all)) {
            assert!(ours.is_err(), "{what}: {len}");
            compare(stream, *len, &ours, &what);
        }
    }
}
