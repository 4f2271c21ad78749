//! Deflates BAM in blocks of 65,280 bytes at each of libdeflate's levels, with zlib-rs at 6, and with `BamDeflater` (libdeflate's
//! level 1 for what it declines): sizes and speeds relative to the first. The encoders take turns every 16 blocks, and of each
//! turn the shortest of all repetitions counts.
//!
//! `cargo run --release -p biofast-deflate --example bam_frontier -- FILE... [mb=60] [reps=5] [levels=1,6,7,fast,balanced]`
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use biofast_deflate::{BamDeflater, Effort};
use libdeflater::{CompressionLvl, Compressor};

const BLOCK: usize = 65_280;
const TURN: usize = 16 * BLOCK;

enum Encoder {
    Libdeflate(Compressor),
    Zlib,
    Bam(BamDeflater, Compressor),
}

fn libdeflate(level: i32) -> Compressor {
    Compressor::new(CompressionLvl::new(level).unwrap())
}

impl Encoder {
    fn new(name: &str) -> Self {
        match name {
            "zlib" => Encoder::Zlib,
            "fast" => Encoder::Bam(BamDeflater::new(Effort::Fast), libdeflate(1)),
            "balanced" => Encoder::Bam(BamDeflater::new(Effort::Balanced), libdeflate(6)),
            level => Encoder::Libdeflate(libdeflate(level.parse().unwrap())),
        }
    }

    /// The size of a block, and whether it was declined.
    fn deflate(&mut self, block: &[u8], out: &mut Vec<u8>) -> (usize, bool) {
        out.clear();
        let (codec, declined) = match self {
            Encoder::Libdeflate(codec) => (codec, false),
            Encoder::Zlib => {
                let mut codec =
                    flate2::write::DeflateEncoder::new(out, flate2::Compression::new(6));
                codec.write_all(block).unwrap();
                return (codec.finish().unwrap().len(), false);
            }
            Encoder::Bam(own, codec) => match own.deflate(block, out) {
                true => return (out.len(), false),
                false => (codec, true),
            },
        };
        out.resize(2 * BLOCK, 0);
        (codec.deflate_compress(block, out).unwrap(), declined)
    }
}

fn main() {
    let (mut mb, mut reps, mut levels) = (60, 5, "1,4,6,7,zlib,fast,balanced".to_owned());
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("mb", v)) => mb = v.parse().unwrap(),
            Some(("reps", v)) => reps = v.parse().unwrap(),
            Some(("levels", v)) => levels = v.to_owned(),
            _ => files.push(argument),
        }
    }
    for file in files {
        let reader = flate2::read::MultiGzDecoder::new(std::fs::File::open(&file).unwrap());
        let mut text = Vec::new();
        reader.take(mb * 1_000_000).read_to_end(&mut text).unwrap();
        let mut encoders: Vec<_> =
            levels.split(',').map(|name| (name, Encoder::new(name))).collect();
        let mut totals = vec![(0, Duration::ZERO, 0); encoders.len()];
        let mut out = Vec::new();
        for turn in text.chunks(TURN) {
            let mut best = vec![Duration::MAX; encoders.len()];
            for rep in 0..reps {
                for (i, (_, encoder)) in encoders.iter_mut().enumerate() {
                    let start = Instant::now();
                    for block in turn.chunks(BLOCK) {
                        let (size, declined) = encoder.deflate(block, &mut out);
                        if rep == 0 {
                            totals[i].0 += 26 + size;
                            totals[i].2 += usize::from(declined);
                        }
                    }
                    best[i] = best[i].min(start.elapsed());
                }
            }
            for (total, best) in totals.iter_mut().zip(best) {
                total.1 += best;
            }
        }
        println!("{} ({:.1} MB)", file.rsplit('/').next().unwrap(), text.len() as f64 / 1e6);
        let (size, time, _) = totals[0];
        for ((name, _), (n, t, declined)) in encoders.iter().zip(&totals) {
            let mbs = text.len() as f64 / 1e6 / t.as_secs_f64();
            let (size, speed) = (*n as f64 / size as f64, time.as_secs_f64() / t.as_secs_f64());
            println!(
                "  {name:8} size {size:.3}  speed {speed:.2}  {mbs:6.0} MB/s  {declined} declined"
            );
        }
    }
}
