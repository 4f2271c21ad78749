//! What is found, and what must not be taken for an adapter.

use super::*;
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
    assert!(!found.cut && found.to_string().ends_with("below 0.5 %: not cut"), "{found}");
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
