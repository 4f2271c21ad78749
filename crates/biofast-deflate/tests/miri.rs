//! A little of everything without foreign code, for Miri: `BIOFAST_SIMD=scalar cargo +nightly miri test -p
//! biofast-deflate --test miri` (with `MIRIFLAGS=-Zmiri-permissive-provenance -Zmiri-disable-isolation`).
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::Write;

use biofast_deflate::{Block, Inflater, Status, StreamInflater};

fn deflate(data: &[u8], level: u32) -> Vec<u8> {
    let level = flate2::Compression::new(level);
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn streams_round_trip_in_exact_buffers_and_damaged_ones_do_no_harm() {
    let texts: Vec<Vec<u8>> = (1..6usize)
        .map(|k| (0..300 * k).map(|i| b"ACGT#,:F"[(i * i / 7 + i / 90) % (2 + k)]).collect())
        .collect();
    let mut inflater = Inflater::new();
    for level in [0, 1, 9] {
        let streams: Vec<_> = texts.iter().map(|text| deflate(text, level)).collect();
        let mut room: Vec<_> = texts.iter().map(|text| vec![0; text.len()]).collect();
        let blocks = streams.iter().zip(&mut room).map(|(input, output)| Block { input, output });
        inflater.inflate_blocks(blocks).unwrap();
        assert!(room == texts, "level {level}");
        for at in (0..streams[0].len()).step_by(9) {
            let mut damaged = streams[0].clone();
            damaged[at] ^= 0x24;
            let blocks = [
                Block { input: &damaged, output: &mut room[0] },
                Block { input: &streams[1], output: &mut vec![0; texts[1].len() - 1] },
            ];
            assert!(inflater.inflate_blocks(blocks).is_err());
        }
    }
}

#[test]
fn a_stream_in_pieces_round_trips_and_damaged_ones_do_no_harm() {
    let text: Vec<u8> =
        (0..3000usize).map(|i| b"ACGT#,:F"[(i * i / 7 + i / 90) % (2 + i / 500)]).collect();
    let mut inflater = StreamInflater::new();
    let mut run = |stream: &[u8]| {
        inflater.reset();
        let (mut out, mut at, mut room) = (Vec::new(), 0, [0; 700]);
        loop {
            // Exact buffers: whatever is read or written outside shows.
            let piece = stream[at..stream.len().min(at + 400)].to_vec();
            let progress = inflater.inflate(&piece, &mut room);
            at += progress.used;
            out.extend_from_slice(&room[..progress.made]);
            match progress.status {
                Status::OutputFull => {}
                Status::NeedsInput if at < stream.len() => {}
                status => return (out, status),
            }
        }
    };
    for level in [0, 1, 9] {
        let stream = deflate(&text, level);
        assert_eq!(run(&stream), (text.clone(), Status::Ended), "level {level}");
        for at in (0..stream.len()).step_by(stream.len() / 5) {
            let mut damaged = stream.clone();
            damaged[at] ^= 0x24;
            run(&damaged);
            assert_eq!(run(&stream[..at]).1, Status::NeedsInput);
        }
    }
}
