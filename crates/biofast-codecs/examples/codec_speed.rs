//! Speed and size of each codec, in blocks of a file (qualities without an offset, as CRAM has them): MB/s of one thread, the best
//! of several runs.
//!
//! `cargo run --release -p biofast-codecs --example codec_speed -- FILE block=1500000 reps=5`
#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::time::Instant;

use biofast_codecs::nx16::Options;
use biofast_codecs::{Order, nx16, rans4x8};

fn main() {
    let mut args = std::env::args().skip(1);
    let data = std::fs::read(args.next().expect("a file")).unwrap();
    let (mut block, mut reps) = (1_500_000, 5);
    for arg in args {
        match arg.split_once('=') {
            Some(("block", n)) => block = n.parse().unwrap(),
            Some(("reps", n)) => reps = n.parse().unwrap(),
            _ => panic!("block=BYTES, reps=N"),
        }
    }
    let blocks: Vec<&[u8]> = data.chunks(block).collect();
    for (name, order) in [("4x8 order 0", Order::Zero), ("4x8 order 1", Order::One)] {
        measure(
            name,
            &blocks,
            reps,
            |block, out| rans4x8::encode(block, order, out),
            |stream, len| rans4x8::decode(stream, len).unwrap(),
        );
    }
    let plain = Options { order: Order::Zero, wide: false, pack: false, rle: false, stripe: None };
    let order1 = Options { order: Order::One, ..plain };
    for (name, options) in [
        ("4x16 order 0", plain),
        ("4x16 order 1", order1),
        ("32x16 order 0", Options { wide: true, ..plain }),
        ("32x16 order 1", Options { wide: true, ..order1 }),
        ("4x16 order 1, packed", Options { pack: true, ..order1 }),
        ("4x16 order 1, runs", Options { rle: true, ..order1 }),
    ] {
        measure(
            name,
            &blocks,
            reps,
            |block, out| {
                nx16::encode(block, &options, out);
            },
            |stream, len| nx16::decode(stream, len).unwrap(),
        );
    }
}

fn measure(
    name: &str,
    blocks: &[&[u8]],
    reps: usize,
    encode: impl Fn(&[u8], &mut Vec<u8>),
    decode: impl Fn(&[u8], usize) -> Vec<u8>,
) {
    let mut best = [f64::INFINITY; 2];
    let mut size = 0;
    for _ in 0..reps {
        let mut streams = vec![Vec::new(); blocks.len()];
        let start = Instant::now();
        for (block, stream) in blocks.iter().zip(&mut streams) {
            encode(black_box(block), stream);
        }
        let between = Instant::now();
        for (block, stream) in blocks.iter().zip(&streams) {
            assert!(black_box(decode(stream, block.len())) == **block);
        }
        size = streams.iter().map(Vec::len).sum();
        best[0] = best[0].min((between - start).as_secs_f64());
        best[1] = best[1].min(between.elapsed().as_secs_f64());
    }
    let len: usize = blocks.iter().map(|block| block.len()).sum();
    let [encode, decode] = best.map(|seconds| len as f64 / 1e6 / seconds);
    println!("{name:24} {size:>10} bytes  encode {encode:>5.0}  decode {decode:>5.0} MB/s");
}
