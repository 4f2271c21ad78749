//! BGZF blocks by this crate (each instruction set, 1–4 lanes), libdeflate and zlib-rs; the same bytes as one stream, in
//! pieces by this crate and zlib-rs, in one go by libdeflate; CRC-32 by this crate and libdeflate.
//!
//! On the committed sample and on records written here, or on the BGZF files that `BIOFAST_BENCH_BGZF` names (joined
//! by `:`), the first 16 MB of each. For ratios on a noisy machine see the examples `compare` and `compare_stream`, which
//! take turns; the latter has the program igzip (ISA-L), too. zlib-ng is not here: building it takes CMake.
#![allow(missing_docs)] // what the macros define

use std::hint::black_box;

use biofast_deflate::{Block, Inflater, Status, StreamInflater, crc32};
use biofast_testkit::{bam, container};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flate2::{Decompress, FlushDecompress};
use libdeflater::{CompressionLvl, Compressor, Decompressor};

/// Compressed bytes taken of a file.
const MOST: usize = 16 << 20;
/// Blocks inflated in one call, as in the pipeline.
const GROUP: usize = 16;

struct Input {
    name: String,
    /// Deflate data of each block and its inflated length.
    blocks: Vec<(Vec<u8>, usize)>,
}

fn input(name: &str, file: &[u8]) -> Input {
    let mut blocks = Vec::new();
    let mut rest = file;
    while let [_, _, _, _, _, _, _, _, _, _, x1, x2, _, _, _, _, b1, b2, ..] = rest {
        let extra = usize::from(u16::from_le_bytes([*x1, *x2]));
        let length = usize::from(u16::from_le_bytes([*b1, *b2])) + 1;
        let Some((block, more)) = rest.split_at_checked(length) else { break };
        let Some((body, &[a, b, c, d])) = block.split_last_chunk::<4>() else { break };
        let stream = body[12 + extra..body.len() - 4].to_vec();
        blocks.push((stream, u32::from_le_bytes([a, b, c, d]) as usize));
        rest = more;
    }
    Input { name: name.to_owned(), blocks }
}

fn inputs() -> Vec<Input> {
    if let Ok(paths) = std::env::var("BIOFAST_BENCH_BGZF") {
        let read = |path: &str| {
            let mut file = std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
            file.truncate(MOST);
            input(path.rsplit('/').next().unwrap_or(path), &file)
        };
        return paths.split(':').map(read).collect();
    }
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/sample_R1.fq.bgz");
    let sample = std::fs::read(sample).unwrap_or_else(|error| panic!("{sample}: {error}"));
    let records: Vec<u8> = bam::records(8000, 3).iter().flat_map(bam::record).collect();
    vec![input("sample.fq", &sample), input("records.bam", &container::bgzf(&records, 65_280))]
}

/// Calls `use_group` with each group of blocks and room for them.
fn each_group(
    input: &Input,
    room: &mut [u8],
    mut use_group: impl FnMut(&[(Vec<u8>, usize)], &mut [u8]),
) {
    for group in input.blocks.chunks(GROUP) {
        let total = group.iter().map(|(_, len)| len).sum();
        use_group(group, &mut room[..total]);
        black_box(&room);
    }
}

/// Calls `inflate` with each block and its part of the room.
fn one_by_one(
    group: &[(Vec<u8>, usize)],
    mut room: &mut [u8],
    mut inflate: impl FnMut(&[u8], &mut [u8]),
) {
    for (stream, len) in group {
        let (part, more) = room.split_at_mut(*len);
        room = more;
        inflate(stream, part);
    }
}

fn inflate(c: &mut Criterion) {
    let mut room = vec![0; GROUP << 16];
    for input in inputs() {
        let mut group = c.benchmark_group(format!("inflate/{}", input.name));
        let total: usize = input.blocks.iter().map(|(_, len)| len).sum();
        group.throughput(Throughput::Bytes(total as u64));
        for isa in biofast_kernels::available() {
            for lanes in 1..=4 {
                let Some(mut inflater) = Inflater::with_isa(isa) else { continue };
                inflater.set_lanes(lanes);
                group.bench_function(format!("{isa}/{lanes}"), |b| {
                    b.iter(|| {
                        each_group(&input, &mut room, |group, mut room| {
                            let blocks = group.iter().map(|(input, len)| {
                                let (output, more) = std::mem::take(&mut room).split_at_mut(*len);
                                room = more;
                                Block { input, output }
                            });
                            assert_eq!(inflater.inflate_blocks(blocks), Ok(()));
                        });
                    });
                });
            }
        }
        group.bench_function("libdeflate", |b| {
            let mut codec = Decompressor::new();
            b.iter(|| {
                each_group(&input, &mut room, |group, room| {
                    one_by_one(group, room, |stream, part| {
                        assert_eq!(codec.deflate_decompress(stream, part), Ok(part.len()));
                    });
                });
            });
        });
        group.bench_function("zlib-rs", |b| {
            let mut codec = Decompress::new(false);
            b.iter(|| {
                each_group(&input, &mut room, |group, room| {
                    one_by_one(group, room, |stream, part| {
                        codec.reset(false);
                        let result = codec.decompress(stream, part, FlushDecompress::Finish);
                        assert!(result.is_ok() && codec.total_out() == part.len() as u64);
                    });
                });
            });
        });
    }
}

/// Calls `inflate` with each piece of input, and room for output, until it says that the stream has ended. It returns the
/// bytes taken, those made, and that.
fn in_pieces(
    stream: &[u8],
    room: &mut [u8],
    mut inflate: impl FnMut(&[u8], &mut [u8]) -> (usize, usize, bool),
) -> usize {
    let (mut at, mut total) = (0, 0);
    loop {
        let end = stream.len().min(at + (1 << 20));
        let (used, made, ended) = inflate(&stream[at..end], room);
        black_box(&room[..made]);
        (at, total) = (at + used, total + made);
        if ended {
            return total;
        }
        assert!(used + made > 0, "it goes on");
    }
}

/// zlib's level 6 by libdeflate, read in pieces of a pipeline's size.
fn streams(c: &mut Criterion) {
    let mut room = vec![0; GROUP << 16];
    for input in inputs() {
        let mut text = Vec::new();
        let mut codec = Decompressor::new();
        for (stream, len) in &input.blocks {
            let at = text.len();
            text.resize(at + len, 0);
            assert_eq!(codec.deflate_decompress(stream, &mut text[at..]), Ok(*len));
        }
        let mut writer = Compressor::new(CompressionLvl::default());
        let mut stream = vec![0; writer.deflate_compress_bound(text.len())];
        let Ok(written) = writer.deflate_compress(&text, &mut stream) else { panic!("no room") };
        stream.truncate(written);
        let mut group = c.benchmark_group(format!("stream/{}", input.name));
        group.throughput(Throughput::Bytes(text.len() as u64));
        for isa in biofast_kernels::available() {
            let Some(mut inflater) = StreamInflater::with_isa(isa) else { continue };
            group.bench_function(isa.to_string(), |b| {
                b.iter(|| {
                    inflater.reset();
                    let total = in_pieces(&stream, &mut room, |input, room| {
                        let progress = inflater.inflate(input, room);
                        (progress.used, progress.made, progress.status == Status::Ended)
                    });
                    assert_eq!(total, text.len());
                });
            });
        }
        group.bench_function("libdeflate", |b| {
            let mut whole = vec![0; text.len()];
            b.iter(|| {
                assert_eq!(codec.deflate_decompress(&stream, &mut whole), Ok(text.len()));
                black_box(&whole);
            });
        });
        group.bench_function("zlib-rs", |b| {
            let mut codec = Decompress::new(false);
            b.iter(|| {
                codec.reset(false);
                let total = in_pieces(&stream, &mut room, |input, room| {
                    let (used, made) = (codec.total_in(), codec.total_out());
                    let status = codec.decompress(input, room, FlushDecompress::None);
                    let ended = matches!(status, Ok(flate2::Status::StreamEnd));
                    let (used, made) = (codec.total_in() - used, codec.total_out() - made);
                    (used as usize, made as usize, ended)
                });
                assert_eq!(total, text.len());
            });
        });
    }
}

fn checksum(c: &mut Criterion) {
    let bytes: Vec<u8> = (0..65_280u32).map(|i| (i * i) as u8).collect();
    let mut group = c.benchmark_group("crc32/65280");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("biofast", |b| b.iter(|| crc32(black_box(&bytes))));
    group.bench_function("libdeflate", |b| b.iter(|| libdeflater::crc32(black_box(&bytes))));
}

criterion_group!(benches, inflate, streams, checksum);
criterion_main!(benches);
