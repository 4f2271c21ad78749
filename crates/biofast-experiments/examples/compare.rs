//! Inflates the BGZF files given, ours and libdeflate in turn, and prints the ratio of the median times.
//!
//! `cargo run --release -p biofast-experiments --example compare -- FILE... [isa=avx2] [lanes=1,2,3,4] [rounds=9] [mb=64] [blocks=16] [crc]`
#![allow(clippy::unwrap_used, missing_docs)]

use std::time::Instant;

use biofast_deflate::{Block, Inflater};
use biofast_io::bgzf::{self, Parsed};

/// The first blocks of a file, of so much text.
fn parts(data: &[u8], most: usize) -> Vec<bgzf::Block> {
    let (mut at, mut all, mut total) = (0, Vec::new(), 0);
    while at < data.len() && total < most {
        let Parsed::Block(header) = bgzf::parse_header(&data[at..]) else { panic!("no block") };
        let block = bgzf::Block::new(data, at, header, at as u64).unwrap();
        (at, total) = (at + header.block_len, total + block.inflated_len);
        all.push(block);
    }
    all
}

/// Its deflate data.
fn stream<'a>(data: &'a [u8], block: &bgzf::Block) -> &'a [u8] {
    &data[block.start + block.header.header_len..block.start + block.header.block_len - 8]
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let (mut files, mut lanes, mut rounds, mut mb, mut crc) =
        (Vec::new(), vec![1, 2, 3, 4], 9, 64, false);
    // Blocks inflated in one go.
    let mut blocks = 16;
    let mut isas = vec![biofast_kernels::active()];
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("lanes", v)) => lanes = v.split(',').map(|n| n.parse().unwrap()).collect(),
            Some(("rounds", v)) => rounds = v.parse().unwrap(),
            Some(("blocks", v)) => blocks = v.parse().unwrap(),
            Some(("mb", v)) => mb = v.parse().unwrap(),
            Some(("isa", v)) => isas = v.split(',').map(|n| n.parse().unwrap()).collect(),
            _ if argument == "crc" => crc = true,
            _ => files.push(argument),
        }
    }
    for file in files {
        let data = std::fs::read(&file).unwrap();
        let parts = parts(&data, mb << 20);
        let total: usize = parts.iter().map(|p| p.inflated_len).sum();
        let mut room = vec![0u8; blocks << 16];
        let mut codec = libdeflater::Decompressor::new();
        let mut theirs = vec![];
        let mut candidates: Vec<_> = isas
            .iter()
            .flat_map(|&isa| lanes.iter().map(move |&n| (isa, n)))
            .map(|(isa, n)| {
                let mut inflater = Inflater::with_isa(isa).unwrap();
                inflater.set_lanes(n);
                (isa, n, inflater, vec![])
            })
            .collect();
        let mut expected = 0u64;
        for round in 0..=rounds {
            let start = Instant::now();
            let mut sum = 0u64;
            for group in parts.chunks(blocks) {
                let mut rest = &mut room[..];
                for part in group {
                    let (out, more) = std::mem::take(&mut rest).split_at_mut(part.inflated_len);
                    rest = more;
                    codec.deflate_decompress(stream(&data, part), out).unwrap();
                    if crc || round == 0 {
                        sum += u64::from(libdeflater::crc32(out));
                    }
                }
            }
            expected = if round == 0 { sum } else { expected };
            theirs.push(start.elapsed().as_secs_f64());
            for (_, _, inflater, ours) in &mut candidates {
                let start = Instant::now();
                let mut sum = 0u64;
                for group in parts.chunks(blocks) {
                    let mut rest = &mut room[..];
                    inflater
                        .inflate_blocks(group.iter().map(|part| {
                            let (output, more) =
                                std::mem::take(&mut rest).split_at_mut(part.inflated_len);
                            rest = more;
                            Block { input: stream(&data, part), output }
                        }))
                        .unwrap();
                    let mut rest = &room[..];
                    for part in group.iter().filter(|_| crc || round == 0) {
                        let (output, more) = rest.split_at(part.inflated_len);
                        rest = more;
                        sum += u64::from(biofast_deflate::crc32(output));
                    }
                }
                if round == 0 && sum != expected {
                    print!("(other bytes)")
                }
                ours.push(start.elapsed().as_secs_f64());
            }
        }
        let fastest = |times: &[f64]| times[1..].iter().copied().fold(f64::INFINITY, f64::min);
        let speed = |time: f64| total as f64 / time / 1e6;
        println!(
            "{file}: {:.0} MB, libdeflate {:.0} MB/s",
            total as f64 / 1e6,
            speed(fastest(&theirs))
        );
        for (isa, n, _, times) in &mut candidates {
            let mut ratios: Vec<_> =
                theirs[1..].iter().zip(&times[1..]).map(|(t, o)| t / o).collect();
            let best = fastest(times);
            println!(
                "  {isa} {n}: {:.0} MB/s, {:.3} x libdeflate, median of rounds {:.3}",
                speed(best),
                fastest(&theirs) / best,
                median(&mut ratios)
            );
        }
    }
}
