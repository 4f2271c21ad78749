//! Texts made to be hard for the encoder of FASTQ: none should take twice the time of libdeflate's level 1. Each effort and
//! instruction set beside levels 1 and 6, sizes first; what is declined is deflated by level 1, as in real use. Files are
//! for `biofast-lab limit deflate`, which takes turns.
#![allow(missing_docs)] // what the macros define

use std::hint::black_box;

use biofast_deflate::{Effort, FastqDeflater};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use libdeflater::{CompressionLvl, Compressor};

/// Bytes of a text.
const TEXT: usize = 1 << 20;
const BLOCK: usize = 65_280;

/// Texts that look like FASTQ for long enough to be looked at, or that cost the encoder most.
fn hostile() -> Vec<(String, Vec<u8>)> {
    let mut state = 1u64;
    let mut below = move |n: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut letters =
        |n: usize, of: &[u8]| -> Vec<u8> { (0..n).map(|_| of[below(of.len())]).collect() };
    let any: Vec<u8> = (33..127).collect();
    let bytes: Vec<u8> = (0..=255).collect();
    let digits = b"0123456789";
    let template = letters(4000, b"ACGT");
    let mut record = |kind: &str, n: usize| -> Vec<u8> {
        let name = if kind == "names" { letters(200, digits) } else { letters(4, digits) };
        let (bases, scores) = match kind {
            "tiny" => (letters(n % 4, b"ACGT"), letters(n % 4, &any)),
            "empty" => (Vec::new(), Vec::new()),
            "iupac" => (letters(150, b"ACGTNRYKMSWBDHV"), letters(150, &any)),
            "noise" => (letters(150, &any[32..]), letters(150, &any)),
            "runs" => (vec![b"ACGT"[n % 4]; 30_000], vec![b'!' + (n % 40) as u8; 30_000]),
            "covered" => (template[n * 37 % 3800..][..150].to_vec(), letters(150, &any[..40])),
            "pairs" => (letters(150, b"ACGT"), letters(75, &any[..40]).repeat(2)),
            _ => (letters(150, b"ACGT"), letters(150, &any[..5])),
        };
        let plus = if kind == "iupac" { name.clone() } else { Vec::new() };
        [b"@", &name[..], b"\n", &bases, b"\n+", &plus, b"\n", &scores, b"\n"].concat()
    };
    let kinds =
        ["tiny", "empty", "iupac", "noise", "runs", "names", "covered", "pairs", "five scores"];
    let mut all: Vec<(String, Vec<u8>)> = Vec::new();
    for kind in kinds {
        let mut text = Vec::new();
        for n in 0.. {
            if text.len() >= TEXT {
                break;
            }
            text.extend(record(kind, n));
        }
        text.truncate(TEXT);
        all.push((kind.to_owned(), text));
    }
    all.push(("bytes".to_owned(), letters(TEXT, &bytes)));
    all
}

fn deflate(c: &mut Criterion) {
    for (name, text) in hostile() {
        let mut group = c.benchmark_group(format!("deflate/hostile {name}"));
        group.throughput(Throughput::Bytes(text.len() as u64));
        let mut out = Vec::with_capacity(2 * BLOCK);
        for effort in [Effort::Fast, Effort::Balanced] {
            for isa in biofast_kernels::available() {
                let Some(mut deflater) = FastqDeflater::with_isa(effort, isa) else { continue };
                let Ok(level) = CompressionLvl::new(1) else { continue };
                let mut codec = Compressor::new(level);
                let mut other = vec![0; codec.deflate_compress_bound(BLOCK)];
                let mut run = || {
                    let mut size = 0;
                    for block in text.chunks(BLOCK) {
                        out.clear();
                        size += match deflater.deflate(block, &mut out) {
                            true => out.len(),
                            false => codec
                                .deflate_compress(block, &mut other)
                                .expect("the buffer has the bound"),
                        };
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
