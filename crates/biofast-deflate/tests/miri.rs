//! A little of everything for Miri, which can't run foreign code and is slow: `.ci/sanitize miri`. The streams were made
//! by zlib 1.3 and are here as bytes.
#![allow(clippy::unwrap_used, missing_docs)]

use biofast_deflate::{Block, Effort, FastqDeflater, Inflater, Status, StreamInflater, crc32};
use biofast_testkit::random::Random;

/// Of `text(5)`, `text(3)` (dynamic codes) and `text(2)` (the fixed code).
const STREAMS: [(usize, &str); 3] = [
    (
        5,
        concat!(
            "9d54bb110541082ac6d40acc9c0db601fbafe5c11dc9cbf00c65f0838cdd7dee64dfe8a9e93815f77425a280",
            "441d01b77380303cc20001837107e949207152850aa14a026cc21428798b3381c198e044caab9046652597f0",
            "74d66e483767028311c9899457218dea10debc3a6b37a907f18201fd249fd4f008944fcba9f53fc099defbf0",
            "40d2db22940e4af9b49c5aab920059400772085b2ff9e6db7ac937dfd64bbef9b65ef2cdb7f5926fbead977c",
            "f36dbde49befe32333081f1f9941f8f8c81ec20f",
        ),
    ),
    (
        3,
        concat!(
            "a591c10d00300802877112e38305dc7f9642cadb87f2939ca196cc2c74222a90d1280a1d3638a7b4414814ad",
            "ecb2a1253b62a825a21cce104391b0e11d3f6e81201c6d4751ffc4a07ce30af9eff747e946477bc9ce06b974",
            "3423978e66e4d2d18c5c3a9a914b4733f200",
        ),
    ),
    (
        2,
        concat!(
            "73747474760f71064277674710a01acfddd1dd11c80501f710476af2c020c411649d33944b259e33c802a017",
            "4240c0919a3c6a872e8247edd045f028094f00",
        ),
    ),
];

fn text(k: usize) -> Vec<u8> {
    (0..300 * k).map(|i| b"ACGT#,:F"[(i * i / 7 + i / 90) % (2 + k)]).collect()
}

fn from_hex(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn streams_fill_exact_buffers_and_damaged_ones_do_no_harm() {
    let mut texts: Vec<Vec<u8>> = STREAMS.iter().map(|(k, _)| text(*k)).collect();
    let mut streams: Vec<Vec<u8>> = STREAMS.iter().map(|(_, hex)| from_hex(hex)).collect();
    texts.push(text(1));
    streams.push([&[1, 44, 1, !44, !1], &text(1)[..]].concat());
    let mut inflater = Inflater::new();
    let mut room: Vec<_> = texts.iter().map(|text| vec![0; text.len()]).collect();
    let blocks = streams.iter().zip(&mut room).map(|(input, output)| Block { input, output });
    inflater.inflate_blocks(blocks).unwrap();
    assert!(room == texts);
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

#[test]
fn fastq_is_deflated_and_inflated() {
    let mut random = Random(7);
    let mut record = |i: usize| {
        let bases: String = (0..60).map(|_| char::from(b"ACGT"[random.below(4)])).collect();
        format!("@r{i} first\n{bases}\n+\n{}\n", "IIIIHHHHGG".repeat(6))
    };
    let text: String = (0..60).map(&mut record).collect();
    for effort in [Effort::Fast, Effort::Balanced] {
        let mut stream = Vec::new();
        assert!(FastqDeflater::new(effort).deflate(text.as_bytes(), &mut stream), "not taken");
        let mut back = vec![0; text.len()];
        Inflater::new().inflate_blocks([Block { input: &stream, output: &mut back }]).unwrap();
        assert!(back == text.as_bytes());
        assert_eq!(crc32(&back), crc32_bit_by_bit(text.as_bytes()));
    }
}

fn crc32_bit_by_bit(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    })
}

#[test]
fn a_stream_in_pieces_round_trips_and_damaged_ones_do_no_harm() {
    let mut inflater = StreamInflater::new();
    let mut run = |stream: &[u8]| {
        inflater.reset();
        let (mut out, mut at, mut room) = (Vec::new(), 0, [0; 300]);
        loop {
            // Exact buffers: whatever is read or written outside shows.
            let piece = stream[at..stream.len().min(at + 70)].to_vec();
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
    for (k, stream) in STREAMS {
        let stream = from_hex(stream);
        assert_eq!(run(&stream), (text(k), Status::Ended));
        for at in (0..stream.len()).step_by(stream.len() / 5) {
            let mut damaged = stream.clone();
            damaged[at] ^= 0x24;
            run(&damaged);
            assert_eq!(run(&stream[..at]).1, Status::NeedsInput);
        }
    }
}
