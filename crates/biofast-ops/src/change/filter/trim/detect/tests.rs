//! What is found, and what must not be taken for an adapter.

use super::*;
use biofast_testkit::effort::times;
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};

fn rng() -> TestRng {
    TestRng::deterministic_rng(RngAlgorithm::ChaCha)
}

fn bases(rng: &mut TestRng, len: usize) -> Vec<u8> {
    (0..len).map(|_| b"ACGT"[(rng.next_u32() & 3) as usize]).collect()
}

fn below(rng: &mut TestRng, n: usize) -> usize {
    (rng.next_u64() % n as u64) as usize
}

fn reversed(sequence: &[u8]) -> Vec<u8> {
    let complement = |&b: &u8| match b {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        _ => b'A',
    };
    sequence.iter().rev().map(complement).collect()
}

fn add(detector: &mut Detector, first: &[u8], second: Option<&[u8]>) {
    let qualities = vec![b'I'; first.len().max(second.map_or(0, <[u8]>::len))];
    let one = Record::new(b"r", first, &qualities[..first.len()]);
    let two = second.map(|second| Record::new(b"r", second, &qualities[..second.len()]));
    detector.add(&one, two.as_ref());
}

/// Reads of 100 bases: an insert, then an adapter, then whatever comes.
fn read(rng: &mut TestRng, insert: &[u8], adapter: &[u8]) -> Vec<u8> {
    let mut read = [insert, adapter].concat();
    let rest = bases(rng, 100);
    read.extend(rest);
    read.truncate(100);
    read
}

const UNKNOWN: &[u8] = b"GATTCGCAAGTCCTGAATCGTGCCATAGGTCAGCTTAAC";

#[test]
fn reads_without_adapters_have_none() {
    let mut rng = rng();
    let mut detector = Detector::default();
    for _ in 0..5000 {
        add(&mut detector, &bases(&mut rng, 100), None);
    }
    let found = &detector.finish(THRESHOLD_PERCENT);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].way, found[0].cut, found[0].reads), (Way::None, false, 5000));
    assert!(found[0].to_string().contains("none found; 5000 reads"), "{}", found[0]);
    assert_eq!(Detector::default().finish(1.0)[0].way, Way::None);
}

#[test]
fn an_unknown_adapter_of_single_reads_is_found_from_its_first_base_on() {
    let mut rng = rng();
    let mut detector = Detector::default();
    for i in 0..5000 {
        let len = if i % 20 == 0 { 30 + below(&mut rng, 60) } else { 100 };
        let insert = bases(&mut rng, len);
        let read = read(&mut rng, &insert, UNKNOWN);
        add(&mut detector, &read, None);
    }
    let found = &detector.finish(THRESHOLD_PERCENT)[0];
    assert_eq!((found.way, found.cut), (Way::Frequency, true), "{found}");
    let adapter = found.adapter.as_deref().expect("an adapter");
    assert!(adapter.len() >= 20 && UNKNOWN.starts_with(adapter.as_bytes()), "{found}");
    // Of 250, those with enough of it.
    assert!((150..=250).contains(&found.reads_with_adapter), "{found}");
}

#[test]
fn an_adapter_below_the_threshold_is_told_and_not_cut() {
    let mut rng = rng();
    let mut detector = Detector::default();
    for i in 0..20_000 {
        let len = if i % 500 == 0 { 40 } else { 100 };
        let insert = bases(&mut rng, len);
        let read = read(&mut rng, &insert, KITS[0].adapters[0].as_bytes());
        add(&mut detector, &read, None);
    }
    let found = &detector.finish(0.5)[0];
    assert_eq!((found.way, found.kit, found.reads_with_adapter), (Way::Kit, Some("truseq"), 40));
    assert!(!found.cut && found.to_string().ends_with("below 0.5 %: not trimmed"), "{found}");
    assert!(detector.finish(0.1)[0].cut);
}

#[test]
fn amplicons_and_repeats_are_no_adapters() {
    let mut rng = rng();
    // Three amplicons, their reads all starting at the primer, with errors.
    let amplicons: Vec<Vec<u8>> = (0..3).map(|_| bases(&mut rng, 100)).collect();
    let mut detector = Detector::default();
    for i in 0..5000 {
        let mut read = amplicons[i % 3].clone();
        let at = below(&mut rng, 100);
        read[at] = b"ACGT"[below(&mut rng, 4)];
        add(&mut detector, &read, None);
    }
    assert_eq!(detector.finish(THRESHOLD_PERCENT)[0].way, Way::None);
    // A primer behind a tag of 8 bases and a spacer of 0 to 7.
    let primer = bases(&mut rng, 22);
    let mut detector = Detector::default();
    for _ in 0..5000 {
        let len = 8 + below(&mut rng, 8);
        let tag = bases(&mut rng, len);
        let read = read(&mut rng, &tag, &primer);
        add(&mut detector, &read, None);
    }
    assert_eq!(detector.finish(THRESHOLD_PERCENT)[0].way, Way::None);
    // A repeat of 300 bases, in both directions, that a tenth of the reads touch.
    let repeat = bases(&mut rng, 300);
    let mut detector = Detector::default();
    for i in 0..5000 {
        let read = if i % 10 == 0 {
            let around = [bases(&mut rng, 90), repeat.clone(), bases(&mut rng, 90)].concat();
            let at = below(&mut rng, around.len() - 100);
            let read = &around[at..at + 100];
            if i % 20 == 0 { read.to_vec() } else { reversed(read) }
        } else {
            bases(&mut rng, 100)
        };
        add(&mut detector, &read, None);
    }
    let found = &detector.finish(THRESHOLD_PERCENT)[0];
    assert_eq!(found.way, Way::None, "{found}");
}

/// Reads of a genome, or of its reverse complement, from anywhere; one base in so many is wrong on average.
fn reads_of(rng: &mut TestRng, genome: &[u8], n: usize, len: usize, error: usize) -> Vec<Vec<u8>> {
    let other = reversed(genome);
    let mut read = |_| {
        let strand = if rng.next_u32() & 1 == 0 { genome } else { &other };
        let at = below(rng, strand.len() - len + 1);
        let mut read = strand[at..at + len].to_vec();
        for _ in 0..below(rng, 2 * len / error + 2) {
            let at = below(rng, len);
            read[at] = b"ACGT"[below(rng, 4)];
        }
        read
    };
    (0..n).map(&mut read).collect()
}

/// What is found in these reads, as single ones.
fn found_in(reads: &[Vec<u8>]) -> AdapterEvidence {
    let mut detector = Detector::default();
    reads.iter().for_each(|read| add(&mut detector, read, None));
    detector.finish(THRESHOLD_PERCENT).remove(0)
}

#[test]
fn small_genomes_have_no_adapters() {
    let mut rng = rng();
    for round in 0..times(5) as usize {
        let mut genome = {
            let len = [3_000, 5_000, 10_000, 20_000, 50_000][round % 5] + below(&mut rng, 999);
            bases(&mut rng, len)
        };
        let len = [50, 75, 100, 150, 250][below(&mut rng, 5)];
        match round % 4 {
            // Circular.
            1 => genome.extend_from_within(..len),
            // A repeat of five copies, one of them reversed.
            2 => {
                let repeat = bases(&mut rng, 300);
                for copy in 0..5 {
                    let at = below(&mut rng, genome.len() - 300);
                    let copy = if copy == 4 { reversed(&repeat) } else { repeat.clone() };
                    genome[at..at + 300].copy_from_slice(&copy);
                }
            }
            // Many copies of a short one.
            3 => {
                let repeat = bases(&mut rng, 30);
                for _ in 0..40 {
                    let at = below(&mut rng, genome.len() - 30);
                    genome[at..at + 30].copy_from_slice(&repeat);
                }
            }
            _ => {}
        }
        let n = [2_000, 5_000, 20_000][below(&mut rng, 3)].min(1_000_000 / len);
        let error = [50, 200, 1000][below(&mut rng, 3)];
        let found = found_in(&reads_of(&mut rng, &genome, n, len, error));
        assert_eq!(found.way, Way::None, "round {round}, {n} reads of {len} bases: {found}");
    }
}

#[test]
fn amplicons_cut_anywhere_or_phased_have_no_adapters() {
    let mut rng = rng();
    for round in 0..8 {
        // One, or a few that share a conserved middle, as those of one gene of many species.
        let middle = bases(&mut rng, 25);
        let mut variants = Vec::new();
        for _ in 0..[1, 3, 40, 200][round % 4] {
            let before = 60 + below(&mut rng, 6);
            variants.push([bases(&mut rng, before), middle.clone(), bases(&mut rng, 200)].concat());
        }
        let mut detector = Detector::default();
        for i in 0..5_000 {
            let amplicon = &variants[i % variants.len()];
            // Phased by up to seven bases, or broken into pieces.
            let read = match round < 4 {
                true => {
                    let phase = below(&mut rng, 8);
                    [bases(&mut rng, phase), amplicon.clone()].concat()[..150].to_vec()
                }
                false => reads_of(&mut rng, amplicon, 1, 100, 200).remove(0),
            };
            add(&mut detector, &read, None);
        }
        let found = &detector.finish(THRESHOLD_PERCENT)[0];
        assert_eq!(found.way, Way::None, "round {round}: {found}");
    }
}

#[test]
fn an_unknown_adapter_is_found_behind_a_small_genome() {
    let mut rng = rng();
    for (genome, percent) in [(5_000, 20), (20_000, 5), (50_000, 2)] {
        let genome = bases(&mut rng, genome);
        let mut reads = reads_of(&mut rng, &genome, 10_000, 100, 500);
        for read in reads.iter_mut().step_by(100 / percent) {
            let insert = 20 + below(&mut rng, 70);
            read.truncate(insert);
            read.extend_from_slice(UNKNOWN);
            read.extend(bases(&mut rng, 100));
            read.truncate(100);
        }
        let found = found_in(&reads);
        let text = found.adapter.as_deref().unwrap_or_default();
        assert_eq!((found.way, found.cut), (Way::Frequency, true), "{found}");
        assert!(UNKNOWN.starts_with(text.as_bytes()) && text.len() >= 20, "{found}");
        let strength = found.strength.expect("what speaks for it");
        assert!(strength.insert_ends >= 50 && strength.places >= 40, "{found}");
        assert!(found.to_string().contains("different insert ends, at "), "{found}");
    }
}

#[test]
fn second_reads_that_come_alone_have_the_adapter_of_second_reads() {
    let mut rng = rng();
    let mut detector = Detector::default();
    for i in 0..2000 {
        let len = if i % 10 == 0 { 40 + below(&mut rng, 30) } else { 100 };
        let insert = bases(&mut rng, len);
        let read = read(&mut rng, &insert, KITS[0].adapters[1].as_bytes());
        add(&mut detector, &read, None);
    }
    let found = &detector.finish(THRESHOLD_PERCENT)[0];
    assert_eq!((found.read, found.kit, found.reads_with_adapter), (1, Some("truseq"), 200));
    assert!(found.cut && found.adapter.as_deref() == Some(&KITS[0].adapters[1][..33]), "{found}");
}

#[test]
fn the_start_of_a_kit_in_a_genome_is_none() {
    let mut rng = rng();
    let mut genome = bases(&mut rng, 6_000);
    for (place, kit) in KITS.iter().enumerate() {
        let start = &kit.adapters[0].as_bytes()[..SEED];
        genome[1000 * (place + 1)..][..SEED].copy_from_slice(start);
    }
    let found = found_in(&reads_of(&mut rng, &genome, 8_000, 100, 200));
    assert_eq!(found.way, Way::None, "{found}");
}

#[test]
fn long_reads_are_left_alone() {
    let mut rng = rng();
    let mut detector = Detector::default();
    for _ in 0..200 {
        let read = [bases(&mut rng, 30), UNKNOWN.to_vec(), bases(&mut rng, 900)].concat();
        add(&mut detector, &read, None);
    }
    let found = &detector.finish(THRESHOLD_PERCENT)[0];
    assert_eq!((found.way, found.cut), (Way::LongReads, false), "{found}");
}

#[test]
fn pairs_show_any_adapter_by_their_overlap() {
    let mut rng = rng();
    let (one, two) = (UNKNOWN, b"TTGCACCGATAACGTCCAGTGGTATCCGA".as_slice());
    let mut detector = Detector::default();
    for i in 0..3000 {
        let len = if i % 10 == 0 { 35 + below(&mut rng, 60) } else { 200 };
        let fragment = bases(&mut rng, len);
        let [first, second] = [(&fragment, one), (&reversed(&fragment), two)]
            .map(|(fragment, adapter)| read(&mut rng, fragment, adapter));
        add(&mut detector, &first, Some(&second));
    }
    let found = detector.finish(THRESHOLD_PERCENT);
    for (found, adapter) in found.iter().zip([one, two]) {
        assert_eq!((found.way, found.cut), (Way::Overlap, true), "{found}");
        let text = found.adapter.as_deref().expect("an adapter");
        assert!(text.len() >= SEED && adapter.starts_with(text.as_bytes()), "{found}");
    }
    assert_eq!([found[0].read, found[1].read], [1, 2]);
}
