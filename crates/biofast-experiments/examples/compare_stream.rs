//! Inflates the first members of the gzip files given: our stream decoder, libdeflate in one go, zlib-rs in pieces, and
//! the program igzip if it is there, in turn; prints medians and ratios. Checksums are verified by all.
//!
//! `cargo run --release -p biofast-experiments --example compare_stream -- FILE... [isa=avx2,avx512] [rounds=9] [piece=589824]`
#![allow(clippy::unwrap_used, missing_docs)]

use std::process::{Command, Stdio};
use std::time::Instant;

use biofast_deflate::{Crc32, Status, StreamInflater};
use flate2::{Decompress, FlushDecompress, Status as Zlib};

/// Bytes of input in a piece, as a reader of files has them.
const INPUT: usize = 1 << 20;

/// Where the first member's DEFLATE data start.
fn body(file: &[u8]) -> usize {
    assert!(file.starts_with(&[0x1f, 0x8b, 8]), "not gzip");
    let (flags, mut at) = (file[3], 10);
    if flags & 4 != 0 {
        at += 2 + usize::from(u16::from_le_bytes([file[at], file[at + 1]]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            at += 1 + file[at..].iter().position(|&byte| byte == 0).unwrap();
        }
    }
    at
}

fn ours(inflater: &mut StreamInflater, body: &[u8], piece: &mut [u8]) -> (usize, u32) {
    inflater.reset();
    let (mut crc, mut total, mut at, mut n) = (Crc32::new(), 0, 0, 0);
    loop {
        let end = body.len().min(at + INPUT);
        let progress = inflater.inflate(&body[at..end], &mut piece[n..]);
        at += progress.used;
        crc.update(&piece[n..n + progress.made]);
        (total, n) = (total + progress.made, n + progress.made);
        match progress.status {
            Status::Ended => return (total, crc.sum()),
            Status::OutputFull => n = 0,
            Status::NeedsInput => {}
            Status::Faulty(fault) => panic!("{fault}"),
            Status::Boundary { .. } => unreachable!("not asked for"),
        }
    }
}

fn zlib(codec: &mut Decompress, body: &[u8], piece: &mut [u8]) -> (usize, u32) {
    codec.reset(false);
    let mut crc = libdeflater::Crc::new();
    loop {
        let (used, before) = (codec.total_in() as usize, codec.total_out());
        let end = body.len().min(used + INPUT);
        let status = codec.decompress(&body[used..end], piece, FlushDecompress::None).unwrap();
        crc.update(&piece[..(codec.total_out() - before) as usize]);
        if status == Zlib::StreamEnd {
            return (codec.total_out() as usize, crc.sum());
        }
    }
}

fn libdeflate(codec: &mut libdeflater::Decompressor, body: &[u8], out: &mut [u8]) -> (usize, u32) {
    let n = codec.deflate_decompress(body, out).unwrap();
    (n, libdeflater::crc32(&out[..n]))
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let (mut files, mut rounds, mut piece) = (Vec::new(), 9, 9 << 16);
    let mut isas = vec![biofast_kernels::active()];
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("rounds", v)) => rounds = v.parse().unwrap(),
            Some(("piece", v)) => piece = v.parse().unwrap(),
            Some(("isa", v)) => isas = v.split(',').map(|n| n.parse().unwrap()).collect(),
            _ => files.push(argument),
        }
    }
    for file in files {
        let data = std::fs::read(&file).unwrap();
        let body = &data[body(&data)..];
        let mut piece = vec![0; piece];
        let mut inflaters: Vec<_> =
            isas.iter().map(|&isa| StreamInflater::with_isa(isa).unwrap()).collect();
        let expected = ours(&mut inflaters[0], body, &mut piece);
        let total = expected.0;
        let mut whole = vec![1; total];
        let mut one_shot = libdeflater::Decompressor::new();
        let mut streaming = Decompress::new(false);
        let mut names: Vec<_> = isas.iter().map(|isa| format!("biofast, {isa}")).collect();
        names.extend(["libdeflate", "zlib-rs", "igzip"].map(str::to_owned));
        let mut times = vec![Vec::new(); names.len()];
        for _ in 0..rounds {
            for (k, name) in names.iter().enumerate() {
                let start = Instant::now();
                let found = match name.as_str() {
                    "libdeflate" => libdeflate(&mut one_shot, body, &mut whole),
                    "zlib-rs" => zlib(&mut streaming, body, &mut piece),
                    "igzip" => {
                        let mut igzip = Command::new("igzip");
                        let igzip = igzip.args(["-dc", &file]).stdout(Stdio::null());
                        if !igzip.status().is_ok_and(|status| status.success()) {
                            continue;
                        }
                        expected
                    }
                    _ => ours(&mut inflaters[k], body, &mut piece),
                };
                times[k].push(start.elapsed().as_secs_f64());
                assert_eq!(found, expected, "{name}");
            }
        }
        let reference = names.iter().position(|name| name == "libdeflate").unwrap();
        println!("{file}: {:.0} MB", total as f64 / 1e6);
        for (name, of) in names.iter().zip(&times).filter(|(_, of)| !of.is_empty()) {
            let ratios: Vec<_> = times[reference].iter().zip(of).map(|(t, o)| t / o).collect();
            println!(
                "  {name}: {:.3} s, {:.0} MB/s, {:.3} x libdeflate (median of rounds)",
                median(of),
                total as f64 / median(of) / 1e6,
                median(&ratios)
            );
        }
    }
}
