//! The streaming decoder: what it makes of whole and damaged streams is what libdeflate makes of them in one go, and
//! doesn't depend on the sizes of pieces nor on the instruction set.

use crate::common;

use biofast_deflate::{FaultKind, Status, StreamInflater};
use common::{BitWriter, Random, put_header};
use flate2::{Decompress, FlushDecompress};
use proptest::prelude::*;

fn inflaters() -> Vec<(String, StreamInflater)> {
    let with = |isa| StreamInflater::with_isa(isa).unwrap();
    biofast_kernels::available().into_iter().map(|isa| (isa.to_string(), with(isa))).collect()
}

/// What a stream came to: its bytes, the bytes of input taken, and how it ended.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    bytes: Vec<u8>,
    used: usize,
    status: Status,
}

/// Inflates all of `stream` in pieces whose lengths the functions give.
fn inflate(
    inflater: &mut StreamInflater,
    stream: &[u8],
    mut input_len: impl FnMut() -> usize,
    mut output_len: impl FnMut() -> usize,
) -> Outcome {
    const GUARD: u8 = 0xa5;
    inflater.reset();
    let (mut bytes, mut used) = (Vec::new(), 0);
    let mut room = Vec::new();
    let mut idle = 0;
    loop {
        // In a buffer of its own, so that a tool sees reads behind it.
        let end = stream.len().min(used + input_len());
        let piece = stream[used..end].to_vec();
        let len = output_len();
        room.resize(room.len().max(len + 70), 0);
        room[len..len + 70].fill(GUARD);
        let progress = inflater.inflate(&piece, &mut room[..len]);
        assert!(room[len..len + 70].iter().all(|&byte| byte == GUARD), "written outside");
        assert!(progress.used <= piece.len());
        used += progress.used;
        bytes.extend_from_slice(&room[..progress.made]);
        idle = if progress.used + progress.made > 0 { 0 } else { idle + 1 };
        assert!(idle < 1000, "stuck at {used} with {progress:?}");
        match progress.status {
            Status::OutputFull => assert_eq!(progress.made, len),
            Status::NeedsInput => {
                assert_eq!(progress.used, piece.len());
                if used == stream.len() {
                    return Outcome { bytes, used, status: progress.status };
                }
            }
            status => {
                // The end is the end.
                let again = inflater.inflate(&stream[used..], &mut [0; 9]);
                assert_eq!((again.used, again.made, again.status), (0, 0, status));
                return Outcome { bytes, used, status };
            }
        }
    }
}

fn at_once(inflater: &mut StreamInflater, stream: &[u8]) -> Outcome {
    inflate(inflater, stream, || 1 << 30, || 1 << 18)
}

/// In pieces of one of several ranges of sizes.
fn in_pieces(inflater: &mut StreamInflater, stream: &[u8], random: &mut Random) -> Outcome {
    let sizes = [1, 20, 300, 5_000, 50_000, 400_000];
    let least = if stream.len() < 20_000 { 0 } else { 2 };
    let k = least + random.below(sizes.len() - 1 - least);
    let most = (sizes[k + random.below(2)], sizes[k + random.below(2)]);
    let mut other = Random(random.below(1 << 30) as u64 + 1);
    inflate(inflater, stream, || random.below(most.0 + 1), || other.below(most.1 + 1))
}

/// What zlib-rs can get from the stream before its end or the first fault.
fn zlib_prefix(stream: &[u8], most: usize) -> Vec<u8> {
    let mut codec = Decompress::new(false);
    let mut out = vec![0; most + 1];
    loop {
        let (used, made) = (codec.total_in() as usize, codec.total_out() as usize);
        let result =
            codec.decompress(&stream[used..], &mut out[made..], FlushDecompress::None).is_ok();
        if !result || (used, made) == (codec.total_in() as usize, codec.total_out() as usize) {
            out.truncate(codec.total_out() as usize);
            return out;
        }
    }
}

/// Panics unless `ours` is what libdeflate and zlib-rs find.
fn compare(stream: &[u8], ours: &Outcome, what: &str) {
    let mut oracle = libdeflater::Decompressor::new();
    let mut out = vec![0; ours.bytes.len()];
    let mut decode = |part: &[u8], room: usize| {
        out.resize(room, 0);
        oracle.deflate_decompress(part, &mut out).map(|n| out[..n].to_vec())
    };
    let len = ours.bytes.len();
    match ours.status {
        Status::Ended => {
            let part = &stream[..ours.used];
            assert!(decode(part, len) == Ok(ours.bytes.clone()), "{what}: other bytes");
            assert!(decode(&part[..part.len() - 1], len).is_err(), "{what}: ends earlier");
        }
        Status::NeedsInput | Status::Faulty(_) => {
            assert!(decode(stream, len + (1 << 17)).is_err(), "{what}: refused as {ours:?}");
            let theirs = zlib_prefix(stream, len);
            // zlib refuses some codes that libdeflate takes, never the other way round.
            assert!(ours.bytes.starts_with(&theirs), "{what}: other bytes before {ours:?}");
        }
        _ => panic!("{what}: not to the end"),
    }
}

#[test]
fn every_writer_and_level_round_trips_in_any_pieces() {
    let mut random = Random(1);
    let mut inflaters = inflaters();
    for kind in 0..6 {
        for len in [0, 1, 63, 700, 33_000, 120_000] {
            let text = common::data(kind, len, &mut random);
            let mut streams: Vec<_> =
                [0, 1, 6, 9, 12].iter().map(|&level| common::libdeflate(&text, level)).collect();
            streams.extend([0, 1, 6, 9].map(|level| common::zlib(&text, level, 1 << 20)));
            streams.push(common::zlib(&text, 6, 1000));
            for stream in streams {
                let k = random.below(inflaters.len());
                let (what, inflater) = &mut inflaters[k];
                // What follows is not the stream's.
                let longer = [&stream[..], &[0x77; 50]].concat();
                let expected =
                    Outcome { bytes: text.clone(), used: stream.len(), status: Status::Ended };
                assert!(at_once(inflater, &longer) == expected, "{what}: {kind}, {len}");
                let found = in_pieces(inflater, &longer, &mut random);
                assert!(found == expected, "{what}: {kind}, {len} in pieces");
            }
        }
    }
}

/// Damages a stream in one of several ways.
fn mutate(stream: &mut Vec<u8>, random: &mut Random) {
    let len = stream.len();
    match random.below(6) {
        0 => stream.truncate(random.below(len)),
        1 => stream.insert(random.below(len), random.below(256) as u8),
        2 | 3 => stream[random.below(len.min(80))] ^= 1 << random.below(8),
        _ => {
            for _ in 0..=random.below(3) {
                stream[random.below(len)] ^= 1 << random.below(8);
            }
        }
    }
}

/// As many as `BIOFAST_MUTATIONS` says, 4,000 otherwise.
#[test]
fn damaged_streams_get_the_oracles_verdict_in_any_pieces() {
    let count = std::env::var("BIOFAST_MUTATIONS").map_or(4_000, |n| n.parse().unwrap());
    let mut random = Random(3);
    let mut inflaters = inflaters();
    let mut found = std::collections::BTreeMap::new();
    let mut done = 0;
    while done < count {
        let kind = random.below(7);
        let stream = if kind == 6 {
            common::random_block(&mut random)
        } else {
            let most = [2_000, 2_000, 20_000, 100_000][random.below(4)];
            let len = 1 + random.below(most);
            let text = common::data(kind, len, &mut random);
            common::stream(&text, &mut random)
        };
        for _ in 0..32 {
            let mut stream = stream.clone();
            mutate(&mut stream, &mut random);
            let k = random.below(inflaters.len());
            let (what, inflater) = &mut inflaters[k];
            let whole = at_once(inflater, &stream);
            compare(&stream, &whole, what);
            let k = random.below(inflaters.len());
            let (what, inflater) = &mut inflaters[k];
            assert!(in_pieces(inflater, &stream, &mut random) == whole, "{what}: {stream:02x?}");
            let name = format!("{:?}", whole.status).replace("Faulty(", "");
            *found.entry(name).or_insert(0) += 1;
            done += 1;
        }
    }
    println!("{done} damaged streams: {found:?}");
    for status in ["Ended", "NeedsInput", "StoredLength)", "CodeLengths)", "Code)", "Distance)"] {
        assert!(found.contains_key(status), "no {status} among {found:?}: the test is blind");
    }
}

#[test]
fn every_cut_gives_all_bytes_before_it() {
    let mut random = Random(5);
    let text = common::data(0, 700, &mut random);
    for stream in [common::libdeflate(&text, 6), common::zlib(&text, 6, 100)] {
        for (what, mut inflater) in inflaters() {
            for cut in 0..stream.len() {
                let part = &stream[..cut];
                let whole = at_once(&mut inflater, part);
                assert_eq!((whole.used, whole.status), (cut, Status::NeedsInput));
                compare(part, &whole, &what);
                assert_eq!(whole.bytes, zlib_prefix(part, 800), "{what}: cut at {cut}");
                assert_eq!(inflate(&mut inflater, part, || 1, || 1), whole, "{what}: cut at {cut}");
            }
        }
    }
}

#[test]
fn a_match_reaches_32_768_bytes_back_and_not_before_the_start() {
    // Literals, then a match of 3 at the distance of symbol 29 with all extra bits: 32,768.
    let mut symbols = vec![0; 258];
    for symbol in [usize::from(b'a'), usize::from(b'b'), 256, 257] {
        symbols[symbol] = 2;
    }
    let mut distances = [0; 30];
    (distances[0], distances[29]) = (1, 1);
    for before in [32_765, 32_767, 32_768, 40_000] {
        let mut out = BitWriter::default();
        put_header(&mut out, true, &symbols, &distances);
        let mut expected = Vec::new();
        for i in 0..before {
            let b = usize::from(i * i % 11 < 4);
            out.put_code((b, 2));
            expected.push(b"ab"[b]);
        }
        out.put_code((3, 2));
        out.put_code((1, 1));
        out.put(0x1fff, 13);
        let at_fault = out.bytes.len();
        out.put_code((2, 2));
        let (used, status) = if before < 32_768 {
            (at_fault, Status::Faulty(FaultKind::Distance))
        } else {
            expected.extend_from_within(before - 32_768..before - 32_765);
            (out.bytes.len(), Status::Ended)
        };
        let expected = Outcome { bytes: expected, used, status };
        for (what, mut inflater) in inflaters() {
            for room in [100, 30_000, 65_536] {
                let found = inflate(&mut inflater, &out.bytes, || 500, || room);
                assert!(found == expected, "{what}: after {before}, pieces of {room}");
            }
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_get_the_oracles_verdict(
        stream in prop::collection::vec(any::<u8>(), 0..300), seed in 1u64..1 << 40
    ) {
        for (what, mut inflater) in inflaters() {
            let whole = at_once(&mut inflater, &stream);
            compare(&stream, &whole, &what);
            prop_assert_eq!(in_pieces(&mut inflater, &stream, &mut Random(seed)), whole);
        }
    }
}
