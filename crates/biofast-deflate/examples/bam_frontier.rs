//! Deflates BAM in blocks of 65,280 bytes at each of libdeflate's levels and with zlib-rs at 6: sizes relative to libdeflate's
//! level 7, which is samtools' default, and seconds a gigabyte.
//!
//! `cargo run --release -p biofast-deflate --example bam_frontier -- FILE... [mb=60]`
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::{Read as _, Write as _};
use std::time::Instant;

use libdeflater::{CompressionLvl, Compressor};

const BLOCK: usize = 65_280;

fn main() {
    let mut mb = 60;
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("mb", v)) => mb = v.parse().unwrap(),
            _ => files.push(argument),
        }
    }
    for file in files {
        let reader = flate2::read::MultiGzDecoder::new(std::fs::File::open(&file).unwrap());
        let mut text = Vec::new();
        reader.take(mb * 1_000_000).read_to_end(&mut text).unwrap();
        let gb = text.len() as f64 / 1e9;
        let mut out = vec![0; 2 * BLOCK];
        let mut rows = Vec::new();
        for level in 1..=9 {
            let mut codec = Compressor::new(CompressionLvl::new(level).unwrap());
            let start = Instant::now();
            let mut size = 0;
            for block in text.chunks(BLOCK) {
                size += 26 + codec.deflate_compress(block, &mut out).unwrap();
            }
            rows.push((format!("libdeflate {level}"), size, start.elapsed().as_secs_f64() / gb));
        }
        let start = Instant::now();
        let mut size = 0;
        for block in text.chunks(BLOCK) {
            let level = flate2::Compression::new(6);
            let mut codec = flate2::write::DeflateEncoder::new(Vec::new(), level);
            codec.write_all(block).unwrap();
            size += 26 + codec.finish().unwrap().len();
        }
        rows.push(("zlib-rs 6".into(), size, start.elapsed().as_secs_f64() / gb));
        let base = rows[6].1 as f64;
        println!("{} ({:.1} MB)", file.rsplit('/').next().unwrap(), text.len() as f64 / 1e6);
        for (name, size, time) in rows {
            println!("  {name:14} {:.4} {time:7.2} s/GB", size as f64 / base);
        }
    }
}
