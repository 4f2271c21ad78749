//! Ordinary gzip inflated in chunks by several threads: the bytes and the errors are those of one thread, whoever wrote
//! the input, whatever is wrong with it, and however small the chunks are.

#[path = "common/reading.rs"]
mod reading;

use std::io::{Cursor, Write};
use std::path::Path;
use std::sync::Arc;

use biofast_io::{GzipChunks, IoMode, Notes, Options, Source};
use biofast_testkit::random::Random;
use flate2::Compression;
use proptest::prelude::*;
use reading::{Dripping, Found, read_by_all_threads};

/// As one thread reads it.
fn read(input: &[u8]) -> Found {
    let options = Options { chunk_size: 5000, ..Options::serial() };
    reading::read(Source::from_reader("x", Cursor::new(input.to_vec())), &options)
}

/// As so many threads read it in chunks of a length; and how many chunks were used and dropped.
fn read_in_chunks(
    source: Source,
    io: IoMode,
    threads: usize,
    chunk_len: usize,
    chunk_size: usize,
) -> (Found, GzipChunks) {
    let notes: Arc<Notes> = Arc::default();
    let options =
        Options { io, threads, chunk_size, notes: Some(Arc::clone(&notes)), ..Options::serial() };
    (read_by_all_threads(source.with_gzip_piece(chunk_len), &options), notes.gzip_chunks())
}

/// In chunks by every way of reading; how many chunks were used and dropped.
fn compare(input: &[u8], chunk_len: usize, folder: &Path, what: &str) -> GzipChunks {
    let expected = read(input);
    let path = folder.join("x");
    std::fs::write(&path, input).unwrap();
    let named =
        |(bytes, error): Found| (bytes, error.map(|e| e.replace(path.to_str().unwrap(), "x")));
    let mut total = GzipChunks::default();
    for (threads, chunk_size) in [(1, 3000), (2, 50_000), (4, 9000), (8, 20_000)] {
        for io in [IoMode::Read, IoMode::Mmap] {
            let source = Source::open(&path).unwrap();
            let (found, chunks) = read_in_chunks(source, io, threads, chunk_len, chunk_size);
            assert!(
                named(found) == expected,
                "{what}: {threads} threads, {chunk_len} a chunk, {io:?}"
            );
            total.used += chunks.used;
            total.dropped += chunks.dropped;
        }
        let dripping = Dripping(input.to_vec(), 0, 1 + chunk_len / 3);
        let source = Source::from_reader("x", dripping);
        let (found, _) = read_in_chunks(source, IoMode::Auto, threads, chunk_len, chunk_size);
        assert!(found == expected, "{what}: {threads} threads, {chunk_len} a chunk, from a pipe");
    }
    total
}

/// Reads, noise, or long runs with some reads between them.
fn text(kind: usize, len: usize, random: &mut Random) -> Vec<u8> {
    let mut out = Vec::with_capacity(len + 6000);
    while out.len() < len {
        match kind {
            0 => {
                writeln!(out, "@SIM:1:FCX:{}:{} 1:N:0", out.len(), random.below(1000)).unwrap();
                out.extend((0..100).map(|_| b"ACGT"[random.below(4)]));
                out.extend(b"\n+\n");
                out.extend((0..100).map(|_| b"FFFFFF:,#"[random.below(9)]));
                out.push(b'\n');
            }
            1 => out.push(random.below(256) as u8),
            _ => {
                let byte = random.below(256) as u8;
                out.resize(out.len() + random.below(5000), byte);
                out.extend((0..random.below(600)).map(|i| (i * i / 7) as u8));
            }
        }
    }
    out.truncate(len);
    out
}

/// A member from one of the writers 0 to 7.
fn member(text: &[u8], writer: usize) -> Vec<u8> {
    let zlib = |level: u32, flush: usize| {
        let builder = flate2::GzBuilder::new().filename("reads.fq").comment("a member");
        let mut encoder = builder.write(Vec::new(), Compression::new(level));
        for part in text.chunks(flush) {
            encoder.write_all(part).unwrap();
            encoder.flush().unwrap();
        }
        encoder.finish().unwrap()
    };
    let libdeflate = |level: i32| {
        let level = libdeflater::CompressionLvl::new(level).unwrap();
        let mut compressor = libdeflater::Compressor::new(level);
        let mut out = vec![0; compressor.gzip_compress_bound(text.len())];
        let n = compressor.gzip_compress(text, &mut out).unwrap();
        out.truncate(n);
        out
    };
    match writer {
        0 => zlib(6, 20_000),
        1 => zlib(1, 1 << 30),
        2 => zlib(9, 8000),
        3 => zlib(0, 1 << 30),
        4 => libdeflate(1),
        5 => libdeflate(6),
        6 => libdeflate(12),
        _ => libdeflate(0),
    }
}

#[test]
fn whole_files_of_any_writer_are_read_as_by_one_thread() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(1);
    let mut total = GzipChunks::default();
    for writer in 0..8 {
        let kind = [0, 0, 2, 0, 0, 1, 2, 0][writer];
        let text = text(kind, 250_000, &mut random);
        let input = member(&text, writer);
        assert_eq!(read(&input), (text, None));
        for chunk_len in [900, 15_000 + random.below(15_000)] {
            let chunks = compare(&input, chunk_len, folder.path(), &format!("writer {writer}"));
            total.used += chunks.used;
            total.dropped += chunks.dropped;
        }
    }
    println!("{} chunks used, {} dropped", total.used, total.dropped);
    assert!(total.used > 20 && total.dropped > 20, "{total:?}: the test is blind");
}

#[test]
fn members_follow_each_other_with_padding_or_garbage_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(2);
    for sizes in [&[100_000, 150_000][..], &[3000; 40], &[0, 80_000, 1, 80_000]] {
        let mut input = Vec::new();
        for &size in sizes {
            let writer = [0, 1, 5][random.below(3)];
            input.extend(member(&text(0, size, &mut random), writer));
        }
        for behind in [&b""[..], &[0; 600], b"garbage", &[0x1f, 0x8b, 8, 0xff]] {
            let input = [&input[..], behind].concat();
            compare(
                &input,
                9000,
                folder.path(),
                &format!("members, {} bytes behind", behind.len()),
            );
        }
    }
}

#[test]
fn faults_are_told_as_by_one_thread() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(3);
    let text = text(0, 200_000, &mut random);
    let mut kinds = std::collections::BTreeSet::new();
    for round in 0..25 {
        let mut input = member(&text, [0, 1, 5][random.below(3)]);
        let len = input.len();
        let chunk_len = 6000 + random.below(30_000);
        match round % 5 {
            0 => input.truncate(random.below(len)),
            // The checksum, the length.
            1 => input[len - 1 - random.below(8)] ^= 1,
            // At the edge of a chunk.
            2 => {
                let edge = (1 + random.below(len / chunk_len)) * chunk_len + random.below(8);
                input[edge.min(len - 1)] ^= 1 << random.below(8);
            }
            3 => input.insert(random.below(len), 0),
            _ => input[random.below(len)] ^= 1 << random.below(8),
        }
        let error = read(&input).1.unwrap_or_default();
        kinds.insert(["checksum", "ends", "invalid"].into_iter().find(|w| error.contains(w)));
        compare(&input, chunk_len, folder.path(), &format!("round {round}: {error}"));
    }
    println!("{kinds:?}");
    assert!(kinds.len() >= 3, "{kinds:?}: the test is blind");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_text_in_any_chunks_is_the_same(
        kind in 0usize..3, writer in 0usize..8, len in 1usize..100_000, chunk_len in 100usize..20_000,
        seed in any::<u64>(), flip in prop::option::of((any::<u32>(), 0u8..8)),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut input = member(&text(kind, len, &mut Random(seed)), writer);
        if let Some((at, bit)) = flip {
            let at = at as usize % input.len();
            input[at] ^= 1 << bit;
        }
        compare(&input, chunk_len, folder.path(), "any");
    }
}
