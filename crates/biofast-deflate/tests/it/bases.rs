//! What the encoder of bases writes, read back by our own inflater, libdeflate and zlib-rs.

use biofast_deflate::BasesDeflater;
use proptest::prelude::*;

use crate::common::{Random, libdeflate, read_back};

fn deflated(text: &[u8]) -> Vec<u8> {
    let mut stream = b"before".to_vec();
    BasesDeflater::new().deflate(text, &mut stream);
    assert!(stream.starts_with(b"before"));
    stream.split_off(6)
}

/// Reads of so many bases that start `step` bases after each other at most, of which one in `errors` is wrong.
fn reads(seed: u64, count: usize, len: usize, step: usize, errors: usize) -> Vec<u8> {
    let mut random = Random(seed);
    let genome: Vec<u8> = (0..count * step + len).map(|_| b"ACGT"[random.below(4)]).collect();
    let (mut at, mut text) = (0, Vec::new());
    for _ in 0..count {
        for &base in &genome[at..at + len] {
            text.push(if random.below(errors) == 0 { b"ACGTN"[random.below(5)] } else { base });
        }
        at += random.below(step + 1);
    }
    text
}

#[test]
fn reads_over_each_other_become_as_short_as_with_a_long_search() {
    for (len, step, errors) in [(150, 8, 300), (100, 2, 1000), (75, 40, 200), (5000, 900, 60)] {
        let text = reads(7, 1_500_000 / len, len, step, errors);
        let stream = deflated(&text);
        read_back(&stream, &text);
        let theirs = libdeflate(&text, 6);
        let share = stream.len() as f64 / theirs.len() as f64;
        assert!(share < 1.08, "{len} {step} {errors}: {share}");
    }
}

#[test]
fn one_deflater_makes_the_same_of_a_text_whatever_came_before() {
    let mut deflater = BasesDeflater::new();
    for text in [reads(1, 900, 150, 9, 100), reads(2, 30, 40, 4, 9), Vec::new()] {
        let mut stream = Vec::new();
        deflater.deflate(&text, &mut stream);
        assert!(stream == deflated(&text));
    }
}

#[test]
fn texts_of_all_lengths_and_kinds_come_back() {
    let mut random = Random(3);
    let any: Vec<u8> = (0..300_000).map(|_| random.below(256) as u8).collect();
    for len in (0..300).chain([99_999, 100_000, 100_001, 100_008, 300_000]) {
        for text in [&any[..len], &vec![b'A'; len], &b"CA".repeat(len.div_ceil(2))[..len]] {
            read_back(&deflated(text), text);
        }
        let text = reads(len as u64 + 1, len.div_ceil(60) + 1, 60, 3, 500);
        read_back(&deflated(&text[..len]), &text[..len]);
    }
}

proptest! {
    #[test]
    fn any_text_comes_back(
        pieces in prop::collection::vec((0usize..40_000, 1usize..600, 0u8..3), 0..40),
    ) {
        let mut random = Random(5);
        let mut text = Vec::new();
        for (from, len, kind) in pieces {
            match kind {
                0 => text.extend((0..len).map(|_| b"ACGT"[random.below(4)])),
                1 => text.extend((0..len).map(|_| random.below(256) as u8)),
                _ => {
                    let from = from.min(text.len());
                    let copy = text[from..text.len().min(from + len)].to_vec();
                    text.extend(copy);
                }
            }
        }
        read_back(&deflated(&text), &text);
    }
}
