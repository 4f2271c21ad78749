//! `biofast check` finds damage: single flipped bits, and files cut anywhere.
//!
//! `BIOFAST_FLIPS=1000` sets the number of flips a file; the counts are printed.

use crate::common::reads;
use biofast_io::{Options as Io, Source};
use biofast_ops::check::{Options, Outcome, check};
use biofast_testkit::bam::{Aligned, aligned, header_of, records};
use biofast_testkit::container::{bgzf, bgzf_starts, gunzip};
use biofast_testkit::random::Random;

fn outcome(name: &str, data: &[u8]) -> Outcome {
    let io = Io { threads: 1, ..Io::default() };
    let source = Source::from_reader(name, std::io::Cursor::new(data.to_vec()));
    check(source, &Options::new(&io)).unwrap()
}

fn bam(n: usize) -> Vec<u8> {
    let mut out =
        header_of("@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:1000000\n", &[("c", 1_000_000)]);
    for (i, record) in records(n, 1).iter().enumerate() {
        out.extend(aligned(&Aligned {
            reference: 0,
            position: (i * 7) as i32,
            flags: record.flags | 1,
            cigar: vec![(record.len as u32) << 4],
            len: record.len,
            tags: [&b"NMC\x01MDZ"[..], record.name.as_bytes(), b"\0"].concat(),
        }));
    }
    out
}

/// Flips single bits at random places; returns how many were detected, and how many were not
/// because the data another decoder finds are the same.
fn flip(name: &str, whole: &[u8], seed: u64) -> (usize, usize) {
    let flips = std::env::var("BIOFAST_FLIPS").map_or(150, |n| n.parse().unwrap());
    let original = gunzip(whole).unwrap();
    assert_eq!(outcome(name, whole).fault, None);
    let mut numbers = Random(seed);
    let (mut detected, mut harmless) = (0, 0);
    for _ in 0..flips {
        let bit = numbers.below(whole.len() * 8);
        let mut damaged = whole.to_vec();
        damaged[bit / 8] ^= 1 << (bit % 8);
        if outcome(name, &damaged).fault.is_some() {
            detected += 1;
        } else {
            assert!(gunzip(&damaged).as_ref() == Some(&original), "bit {bit} went unnoticed");
            harmless += 1;
        }
    }
    eprintln!("{name}: {flips} flips, {detected} detected, {harmless} leave the data as they are");
    (detected, harmless)
}

#[test]
fn a_flipped_bit_that_changes_data_is_detected() {
    let bam = bgzf(&bam(1200), 20_000);
    let fastq = bgzf(reads("r", 1500).as_bytes(), 20_000);
    for (name, data) in [("x.bam", bam), ("x.fq.gz", fastq)] {
        let (detected, harmless) = flip(name, &data, 0x9e37_79b9_7f4a_7c15);
        // Times, flags and the system's number in the headers of blocks are few bits.
        assert!(detected > 20 * harmless, "{name}: {detected} and {harmless}");
    }
}

/// The same on a file of one's own: `BIOFAST_FLIP_FILE`.
#[test]
#[ignore = "needs a file"]
fn a_flipped_bit_in_a_file_of_ones_own() {
    let path = std::env::var("BIOFAST_FLIP_FILE").unwrap();
    let data = std::fs::read(&path).unwrap();
    assert!(flip(&path, &data, 0x1234_5678_9abc_def1).0 > 0);
}

#[test]
fn every_bit_of_headers_and_end_marker_is_accounted_for() {
    // Small blocks: most bits are of headers, checksums and lengths.
    let whole = bgzf(&bam(3), 90);
    let original = gunzip(&whole).unwrap();
    let mut harmless = 0;
    for bit in 0..whole.len() * 8 {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        if outcome("x.bam", &damaged).fault.is_none() {
            assert!(gunzip(&damaged).as_ref() == Some(&original), "bit {bit} went unnoticed");
            harmless += 1;
        }
    }
    // MTIME, XFL, OS and FTEXT are 49 bits a block, of which nothing in the end-of-file block may
    // change; a few bits of Huffman tables don't matter. Without its extra field (32 bits) the
    // first block makes the file ordinary gzip.
    let blocks = bgzf_starts(&whole).len() - 2;
    assert!(harmless <= 32 + blocks * 60, "{harmless} in {blocks} blocks");
}

#[test]
fn a_file_cut_anywhere_is_faulty() {
    let bam = bgzf(&bam(300), 3000);
    let fastq = bgzf(reads("r", 300).as_bytes(), 3000);
    for (name, whole) in [("x.bam", bam), ("x.fq.gz", fastq)] {
        let starts = bgzf_starts(&whole);
        let (&end, boundaries) = starts.split_last().unwrap();
        assert!(end == whole.len() && boundaries.len() > 10);
        let mut numbers = Random(77);
        let random: Vec<usize> = (0..200).map(|_| numbers.below(whole.len() - 1) + 1).collect();
        // An empty file of reads is a file of no reads.
        for &cut in boundaries.iter().filter(|&&cut| cut > 0).chain(&random) {
            let fault = outcome(name, &whole[..cut]).fault;
            let fault = fault.unwrap_or_else(|| panic!("{name} cut at {cut}"));
            let expected = ["container", "end-marker", "record", "fastq", "format"];
            assert!(expected.contains(&fault.rule.name()), "{name} cut at {cut}: {fault}");
        }
        assert_eq!(outcome(name, &whole).fault, None);
    }
}
