//! Sets the duplicate flag of some records of a BAM, block by block: by splicing, and by deflating anew at libdeflate's level 1.
//! Each block that is spliced is checked once with libdeflate. The ways take turns every 16 blocks; medians of all repetitions, on
//! one thread, with the old checksum checked and the new one computed.
//!
//! `cargo run --release -p biofast-deflate --example splice_flags -- FILE... [mb=40] [reps=9] [percent=12]`
#![allow(clippy::unwrap_used, missing_docs)]

use std::time::{Duration, Instant};

use biofast_deflate::{Block, Change, Inflater, Splicer, StreamMap, crc32};
use libdeflater::{CompressionLvl, Compressor, Decompressor};

/// The most bytes of a stream in a block with the usual header.
const LIMIT: usize = 65_510;
const TURN: usize = 16;

struct BgzfBlock {
    stream: Vec<u8>,
    len: usize,
    crc: u32,
    changes: Vec<Change>,
}

fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// The blocks of the first `most` bytes of text, and the changes in each: `percent` of the records get their flag 0x400.
fn read(file: &[u8], most: usize, percent: usize) -> Vec<BgzfBlock> {
    let (mut blocks, mut text, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = file;
    while rest.len() > 28 && text.len() < most {
        let size = usize::from(u16::from_le_bytes([rest[16], rest[17]])) + 1;
        let (block, more) = rest.split_at(size);
        rest = more;
        let (stream, len) = (&block[18..size - 8], number(block, size - 4));
        starts.push(text.len());
        text.resize(text.len() + len, 0);
        let start = text.len() - len;
        Decompressor::new().deflate_decompress(stream, &mut text[start..]).unwrap();
        let crc = number(block, size - 8) as u32;
        blocks.push(BgzfBlock { stream: stream.to_vec(), len, crc, changes: Vec::new() });
    }
    let mut at = 8 + number(&text, 4);
    let references = number(&text, at);
    at += 4;
    for _ in 0..references {
        at += 8 + number(&text, at);
    }
    let (mut k, mut record) = (0, 0u64);
    while at + 20 <= text.len() {
        let flag = at + 19;
        while k + 1 < blocks.len() && starts[k + 1] <= flag {
            k += 1;
        }
        let hash = record.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        if hash as usize % 100 < percent && text[flag] & 4 == 0 {
            let change = Change { at: (flag - starts[k]) as u16, byte: text[flag] | 4 };
            blocks[k].changes.push(change);
        }
        at += 4 + number(&text, at);
        record += 1;
    }
    blocks.retain(|block| block.len > 0);
    blocks
}

/// A way to make new streams of blocks.
trait Way {
    fn name(&self) -> &'static str;

    /// Appends the sizes of the new streams.
    fn run(&mut self, blocks: &[BgzfBlock], sizes: &mut Vec<usize>);
}

struct Anew {
    name: &'static str,
    deflate: bool,
    decompressor: Decompressor,
    compressor: Compressor,
    text: Vec<u8>,
    out: Vec<u8>,
}

impl Way for Anew {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, blocks: &[BgzfBlock], sizes: &mut Vec<usize>) {
        for block in blocks {
            let text = &mut self.text[..block.len];
            self.decompressor.deflate_decompress(&block.stream, text).unwrap();
            if !self.deflate {
                sizes.push(block.len);
                continue;
            }
            assert_eq!(crc32(text), block.crc);
            block.changes.iter().for_each(|change| text[usize::from(change.at)] = change.byte);
            sizes.push(self.compressor.deflate_compress(text, &mut self.out).unwrap());
            std::hint::black_box(crc32(text));
        }
    }
}

struct Splicing {
    name: &'static str,
    mapped: bool,
    splice: bool,
    inflater: Inflater,
    splicer: Splicer,
    texts: Vec<Vec<u8>>,
    maps: Vec<StreamMap>,
    out: Vec<u8>,
    /// Checks each block.
    check: Option<Decompressor>,
}

impl Way for Splicing {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, blocks: &[BgzfBlock], sizes: &mut Vec<usize>) {
        let jobs = blocks
            .iter()
            .zip(&mut self.texts)
            .map(|(block, text)| Block { input: &block.stream, output: &mut text[..block.len] });
        if !self.mapped {
            self.inflater.inflate_blocks(jobs).unwrap();
            return;
        }
        self.inflater.inflate_mapped(jobs.zip(&mut self.maps)).unwrap();
        if !self.splice {
            return;
        }
        for ((block, text), map) in blocks.iter().zip(&mut self.texts).zip(&self.maps) {
            let text = &mut text[..block.len];
            self.out.clear();
            let spliced = self
                .splicer
                .splice(&block.stream, map, text, block.crc, &block.changes, LIMIT, &mut self.out)
                .unwrap();
            assert_eq!(spliced.declined, None);
            sizes.push(self.out.len());
            if let Some(decompressor) = &mut self.check {
                let mut back = vec![0; text.len()];
                decompressor.deflate_decompress(&self.out, &mut back).unwrap();
                assert!(back == text && crc32(&back) == spliced.crc);
            }
        }
    }
}

fn splicing(name: &'static str, lanes: usize, mapped: bool, splice: bool) -> Splicing {
    let mut inflater = Inflater::new();
    inflater.set_lanes(lanes);
    Splicing {
        name,
        mapped,
        splice,
        inflater,
        splicer: Splicer::new(),
        texts: vec![vec![0; 1 << 16]; TURN],
        maps: (0..TURN).map(|_| StreamMap::new()).collect(),
        out: Vec::new(),
        check: None,
    }
}

fn anew(name: &'static str, deflate: bool) -> Anew {
    Anew {
        name,
        deflate,
        decompressor: Decompressor::new(),
        compressor: Compressor::new(CompressionLvl::new(1).unwrap()),
        text: vec![0; 1 << 16],
        out: vec![0; 1 << 17],
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

fn main() {
    let (mut mb, mut reps, mut percent) = (40, 9, 12);
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("mb", v)) => mb = v.parse().unwrap(),
            Some(("reps", v)) => reps = v.parse().unwrap(),
            Some(("percent", v)) => percent = v.parse().unwrap(),
            _ => files.push(argument),
        }
    }
    for path in files {
        let blocks = read(&std::fs::read(&path).unwrap(), mb * 1_000_000, percent);
        let total: usize = blocks.iter().map(|block| block.len).sum();
        let changes: usize = blocks.iter().map(|block| block.changes.len()).sum();
        let size: usize = blocks.iter().map(|block| 26 + block.stream.len()).sum();
        let mut check = splicing("check", 3, true, true);
        check.check = Some(Decompressor::new());
        let mut sizes = Vec::new();
        blocks.chunks(TURN).for_each(|blocks| check.run(blocks, &mut sizes));
        let new: usize = sizes.iter().map(|size| 26 + size).sum();
        println!(
            "{path}: {:.1} MB, {} blocks, {changes} changes, size {:.4}, all blocks checked",
            total as f64 / 1e6,
            blocks.len(),
            new as f64 / size as f64
        );
        let mut ways: Vec<Box<dyn Way>> = vec![
            Box::new(anew("libdeflate, level 1", true)),
            Box::new(splicing("spliced, 1 lane", 1, true, true)),
            Box::new(splicing("spliced, 2 lanes", 2, true, true)),
            Box::new(splicing("spliced, 3 lanes", 3, true, true)),
            Box::new(anew("inflate: libdeflate", false)),
            Box::new(splicing("inflate: 1 lane", 1, false, false)),
            Box::new(splicing("inflate: 1 lane, mapped", 1, true, false)),
            Box::new(splicing("inflate: 2 lanes", 2, false, false)),
            Box::new(splicing("inflate: 2 lanes, mapped", 2, true, false)),
            Box::new(splicing("inflate: 3 lanes", 3, false, false)),
            Box::new(splicing("inflate: 3 lanes, mapped", 3, true, false)),
        ];
        let mut times = vec![Vec::new(); ways.len()];
        for rep in 0..reps {
            let mut spent = vec![Duration::ZERO; ways.len()];
            for (turn, blocks) in blocks.chunks(TURN).enumerate() {
                for i in 0..ways.len() {
                    let way = (i + rep + 5 * turn) % ways.len();
                    let start = Instant::now();
                    ways[way].run(blocks, &mut sizes);
                    spent[way] += start.elapsed();
                    sizes.clear();
                }
            }
            times.iter_mut().zip(spent).for_each(|(all, spent)| all.push(spent));
        }
        let first = median(times[0].clone());
        for (way, times) in ways.iter().zip(times) {
            let time = median(times);
            println!(
                "  {:26} {:6.0} MB/s  {:5.2} x",
                way.name(),
                total as f64 / 1e6 / time,
                first / time
            );
        }
    }
}
