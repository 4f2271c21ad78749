//! Spliced streams of many writers, whole and damaged, against libdeflate: they are streams of the changed text, the same on every
//! instruction set. Then by hand, what was wrong once or nearly.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common;

use biofast_deflate::{
    BamDeflater, Block, Change, Declined, Effort, FastqDeflater, Fault, FaultKind, Inflater,
    SpliceError, Splicer, StreamMap, crc32,
};
use common::{BitWriter, Random, codes, libdeflate, put_header, read_back};
use libdeflater::Decompressor;

/// The limit of a BGZF block.
const LIMIT: usize = 65_510;

/// What splicing needs, kept from stream to stream.
struct Bench {
    inflaters: Vec<Inflater>,
    maps: [StreamMap; 2],
    splicer: Splicer,
}

impl Bench {
    fn new() -> Self {
        let inflaters = common::inflaters().into_iter().map(|(_, inflater)| inflater).collect();
        Self { inflaters, maps: [StreamMap::new(), StreamMap::new()], splicer: Splicer::new() }
    }

    /// Inflates a stream and makes changes in it, with each inflater: the same comes of it. The changed text, and the new
    /// stream or why there is none.
    fn run(
        &mut self,
        stream: &[u8],
        len: usize,
        changes: &[Change],
    ) -> Result<(Vec<u8>, Result<Vec<u8>, Declined>), FaultKind> {
        let mut first = None;
        for inflater in &mut self.inflaters {
            // Another one beside it, which ends earlier or later.
            let (mut text, mut other) = (vec![0xa5; len], vec![0; 4]);
            let neighbor = [0x4b, 0x4c, 0x4a, 0x4e, 0x06, 0x00];
            let [map, beside] = &mut self.maps;
            let jobs = [
                (Block { input: stream, output: &mut text }, map),
                (Block { input: &neighbor, output: &mut other }, beside),
            ];
            let found = match inflater.inflate_mapped(jobs) {
                Err(Fault { index: 0, kind }) => Err(kind),
                result => {
                    result.unwrap_or_else(|fault| panic!("{fault}"));
                    let before = text.clone();
                    let mut out = b"before".to_vec();
                    let spliced = self
                        .splicer
                        .splice(
                            stream,
                            &self.maps[0],
                            &mut text,
                            crc32(&before),
                            changes,
                            LIMIT,
                            &mut out,
                        )
                        .unwrap();
                    let mut expected = before;
                    changes.iter().for_each(|c| expected[usize::from(c.at)] = c.byte);
                    assert!(text == expected, "the text");
                    assert_eq!(spliced.crc, crc32(&text));
                    let new = out.split_off(6);
                    assert!(spliced.declined.is_none() || new.is_empty());
                    Ok((text, spliced.declined.map_or(Ok(new), Err)))
                }
            };
            let first = first.get_or_insert_with(|| found.clone());
            assert!(*first == found, "the instruction sets differ");
        }
        first.unwrap()
    }

    /// As `run` of a good stream that can be spliced, which libdeflate must find to be one of the changed text. The new stream.
    fn good(&mut self, stream: &[u8], len: usize, changes: &[Change]) -> Vec<u8> {
        let (text, new) = self.run(stream, len, changes).unwrap();
        let new = new.unwrap();
        inflates(&new, &text);
        new
    }
}

fn inflates(stream: &[u8], text: &[u8]) {
    let mut back = vec![0; text.len()];
    let n = Decompressor::new().deflate_decompress(stream, &mut back);
    assert!(n == Ok(text.len()) && back == text, "libdeflate: {n:?}");
}

/// Changes at any bytes: few or many, as flags or anyhow, some of which change nothing.
fn changes(text: &[u8], random: &mut Random) -> Vec<Change> {
    let gap = [1, 3, 40, 300, 3000, 30_000][random.below(6)];
    let how = random.below(4);
    let mut changes = Vec::new();
    let mut at = random.below(1 + gap.min(text.len()));
    while at < text.len() {
        let byte = match how {
            0 => text[at] ^ 4,
            1 => text[random.below(text.len())],
            2 => random.below(256) as u8,
            _ => [text[at], text[at] ^ 4, 0][random.below(3)],
        };
        changes.push(Change { at: at as u16, byte });
        at += 1 + random.below(gap) + random.below(gap);
    }
    changes
}

/// A text and a stream of it.
fn sample(random: &mut Random) -> (Vec<u8>, Vec<u8>) {
    let most = [40, 700, 6_000, 65_536][random.below(4)];
    let len = 1 + random.below(most);
    let kind = random.below(6);
    let mut text = common::data(kind, len, random);
    if random.below(20) == 0 {
        // Copies from afar, and the longest text.
        let period = text.clone();
        while text.len() < 1 << 16 {
            text.extend_from_slice(&period);
        }
        text.truncate(1 << 16);
    }
    let mut stream = Vec::new();
    let made = match random.below(4) {
        0 => BamDeflater::new().deflate(&text, &mut stream),
        1 => FastqDeflater::new(Effort::Small).deflate(&text, &mut stream),
        _ => false,
    };
    if !made {
        stream = common::stream(&text, random);
    }
    (text, stream)
}

/// Splices so many streams.
fn check_streams(count: usize, seed: u64) {
    let mut random = Random(seed);
    let mut bench = Bench::new();
    let (mut done, mut spliced, mut declined) = (0, 0, 0);
    while done < count {
        let (text, stream) = sample(&mut random);
        for _ in 0..4 {
            let changes = changes(&text, &mut random);
            let (text, new) = bench.run(&stream, text.len(), &changes).unwrap();
            match new {
                Ok(new) => {
                    read_back(&new, &text);
                    spliced += 1;
                }
                Err(_) => {
                    // An escape repeats a header.
                    assert!(stream.len() + 350 * changes.len() > LIMIT, "declined for no reason");
                    declined += 1;
                }
            }
            done += 1;
        }
    }
    println!("{spliced} spliced, {declined} declined");
    assert!(declined * 10 < done, "{declined} of {done} declined");
}

#[test]
fn streams_of_every_writer_are_those_of_the_changed_text() {
    check_streams(2_000, 11);
}

/// As many as `BIOFAST_SPLICES` says, 60,000 otherwise.
#[test]
#[ignore = "minutes"]
fn many_streams_are_those_of_the_changed_text() {
    let count = std::env::var("BIOFAST_SPLICES").map_or(60_000, |n| n.parse().unwrap());
    check_streams(count, 12);
}
