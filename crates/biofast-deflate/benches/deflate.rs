//! BGZF blocks of FASTQ deflated by this crate (each effort and instruction set) and by libdeflate's levels 1 and 6; the
//! sizes are printed first.
//!
//! On the committed sample, or on the FASTQ files that `BIOFAST_BENCH_FASTQ` names (joined by `:`), the first 4 MB of
//! each. For ratios on a noisy machine see `biofast-lab limit deflate`, which takes turns.
#![allow(missing_docs)] // what the macros define

use std::hint::black_box;
use std::io::Read as _;

use biofast_deflate::{Effort, FastqDeflater};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use libdeflater::{CompressionLvl, Compressor};

/// Text taken of a file.
const MOST: usize = 4 << 20;
const BLOCK: usize = 65_280;

fn inputs() -> Vec<(String, Vec<u8>)> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/sample_R1.fq.bgz");
    let named = std::env::var("BIOFAST_BENCH_FASTQ").unwrap_or_else(|_| sample.to_owned());
    let read = |path: &str| {
        let file = std::fs::read(path).unwrap_or_else(|e| panic!("{path}: {e}"));
        let mut text = Vec::new();
        if file.starts_with(&[0x1f, 0x8b]) {
            let mut reader = flate2::read::MultiGzDecoder::new(&file[..]).take(MOST as u64);
            reader.read_to_end(&mut text).unwrap_or_else(|e| panic!("{path}: {e}"));
        } else {
            text = file;
        }
        text.truncate(MOST);
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        (name, text)
    };
    named.split(':').map(read).collect()
}

fn deflate(c: &mut Criterion) {
    for (name, text) in inputs() {
        let mut group = c.benchmark_group(format!("deflate/{name}"));
        group.throughput(Throughput::Bytes(text.len() as u64));
        let mut out = Vec::with_capacity(2 * BLOCK);
        for effort in [Effort::Fast, Effort::Small] {
            for isa in biofast_kernels::available() {
                let Some(mut deflater) = FastqDeflater::with_isa(effort, isa) else { continue };
                let mut run = || {
                    let mut size = 0;
                    for block in text.chunks(BLOCK) {
                        out.clear();
                        // What is declined counts as it is: real use hands it to libdeflate.
                        let done = deflater.deflate(block, &mut out);
                        size += if done { out.len() } else { block.len() };
                    }
                    size
                };
                println!("{name}, {effort:?}: {} of {} bytes", run(), text.len());
                group.bench_function(format!("{effort:?}/{isa}"), |b| b.iter(|| black_box(run())));
            }
        }
        for level in [1, 6] {
            let Ok(number) = CompressionLvl::new(level) else { continue };
            let mut codec = Compressor::new(number);
            let mut out = vec![0; codec.deflate_compress_bound(BLOCK)];
            let mut run = || {
                let sizes = text.chunks(BLOCK).map(|block| {
                    codec.deflate_compress(block, &mut out).expect("the buffer has the bound")
                });
                sizes.sum::<usize>()
            };
            println!("{name}, libdeflate {level}: {} of {} bytes", run(), text.len());
            group.bench_function(format!("libdeflate {level}"), |b| b.iter(|| black_box(run())));
        }
    }
}

criterion_group!(benches, deflate);
criterion_main!(benches);
