use std::collections::HashMap;
use std::io::Cursor;

use biofast_io::Source;
use biofast_io::output::{Compression, commit};
use biofast_testkit::effort::times;
use biofast_testkit::sink::SharedBytes;
use proptest::prelude::*;

use super::*;

/// A read: its name, its number in the input, which mate it says it is.
fn record(name: u16, number: usize, mate: Option<u8>) -> String {
    let suffix = mate.map(|mate| format!("/{mate}")).unwrap_or_default();
    let bases = "ACGT".repeat(number % 5 + 1);
    let quality = "I".repeat(bases.len());
    format!("@n{name}{suffix} {number}\n{bases}\n+\n{quality}\n")
}

/// Pairs in the order of first reads, orphans of both, and all orphans in the order of a mixed input.
type Expected = (String, [String; 2], String);

/// What is expected of reads in the order of their input: name, whether it is a second read, text.
fn expected(reads: &[(u16, Option<bool>, String)]) -> Expected {
    let mut waiting: HashMap<u16, Vec<usize>> = HashMap::new();
    let mut second = vec![false; reads.len()];
    let mut mates: HashMap<usize, usize> = HashMap::new();
    for (at, (name, is_second, _)) in reads.iter().enumerate() {
        let others = waiting.entry(*name).or_default();
        second[at] = is_second.unwrap_or(others.first().is_some_and(|&other| !second[other]));
        match others.first() {
            Some(&other) if second[other] != second[at] => {
                others.remove(0);
                mates.insert(at, other);
                mates.insert(other, at);
            }
            _ => others.push(at),
        }
    }
    let (mut pairs, mut orphans, mut all) =
        (String::new(), [String::new(), String::new()], String::new());
    for (at, (_, _, text)) in reads.iter().enumerate() {
        match mates.get(&at) {
            Some(&mate) if !second[at] => pairs += &format!("{text}{}", reads[mate].2),
            Some(_) => {}
            None => {
                orphans[usize::from(second[at])] += text;
                all += text;
            }
        }
    }
    (pairs, orphans, all)
}

fn run(
    sources: Sources,
    memory: usize,
    threads: usize,
    together: bool,
) -> (Expected, RepairTotals) {
    let texts: [SharedBytes; 4] = Default::default();
    let [pairs, one, two, both] =
        texts.each_ref().map(|text| Output::stream("o", text.clone(), Compression::default()));
    let outputs = RepairOutputs {
        pairs: vec![pairs],
        orphans: [one, two].map(|output| Some(output).filter(|_| !together)),
        all_orphans: together.then_some(both),
    };
    let options = || Options { threads, chunk_size: 700, ..Options::default() };
    let limits = SpillLimits { memory, folder: std::env::temp_dir() };
    let done = repair(sources, [options(), options()], &limits, outputs).expect("runs");
    commit(done.outputs, false).expect("written");
    let [pairs, one, two, both] = texts.map(|text| text.take_text());
    ((pairs, [one, two], both), done.totals)
}

fn once(text: &str) -> RereadInput {
    RereadInput::once(Source::from_reader("x", Cursor::new(text.to_owned().into_bytes())))
}

fn check(sources: [Sources; 2], expected: &Expected, run_as: (usize, usize), number: usize) {
    let (memory, threads) = run_as;
    let [apart, together] = sources;
    let ((pairs, orphans, _), totals) = run(apart, memory, threads, false);
    assert_eq!((&pairs, &orphans), (&expected.0, &expected.1));
    let sum = |totals: RepairTotals| {
        let both = totals.pairs.iter().chain(&totals.orphans);
        both.map(|amount| amount.sum.records).sum::<u64>()
    };
    assert_eq!(sum(totals), number as u64);
    assert_eq!(totals.pairs[0].sum.records, totals.pairs[1].sum.records);
    let ((pairs, _, all), _) = run(together, memory, threads, true);
    assert_eq!((&pairs, &all), (&expected.0, &expected.2));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: times(4), ..ProptestConfig::default() })]
    #[test]
    fn mates_are_those_of_a_plain_search_in_any_memory(
        // Names that are there several times, and many that are there once.
        names in prop::collection::vec(prop_oneof![0u16..12, 0u16..2000], 0..300),
        drops in prop::collection::vec(0u8..8, 300),
        moves in prop::collection::vec((0usize..300, 0usize..300), 0..40),
        memory in prop_oneof![Just(0usize), Just(9_000), Just(40_000), Just(64usize << 20)],
        threads in 1usize..4,
    ) {
        let mut files = [0u8, 1].map(|mate| -> Vec<(u16, String)> {
            let is_kept = |&(at, _): &(usize, &u16)| drops[at] != mate;
            let reads = names.iter().enumerate().filter(is_kept);
            reads.map(|(at, &name)| (name, record(name, at, Some(mate + 1)))).collect()
        });
        for &(from, to) in &moves {
            let second = &mut files[1];
            if from < second.len() && to < second.len() {
                second.swap(from, to);
            }
        }
        let in_order = |mate: usize| files[mate].iter().map(move |(name, text)| (*name, Some(mate == 1), text.clone()));
        let reads: Vec<_> = in_order(0).chain(in_order(1)).collect();
        let text = |mate: usize| files[mate].iter().map(|(_, text)| text.as_str()).collect::<String>();
        let two = || Sources::Two(once(&text(0)), once(&text(1)));
        check([two(), two()], &expected(&reads), (memory, threads), reads.len());
        // The same reads in one file, of which some don't say which mate they are.
        let mut mixed: Vec<(u16, Option<bool>, String)> = Vec::new();
        for (at, (name, is_second, _)) in reads.iter().enumerate() {
            let says = drops[at % 300] > 2;
            let mate = says.then_some(u8::from(*is_second == Some(true)) + 1);
            mixed.push((*name, is_second.filter(|_| says), record(*name, at, mate)));
        }
        let len = mixed.len();
        for &(from, to) in &moves {
            if len > 0 {
                mixed.swap(from % len, to * 2 % len);
            }
        }
        let text: String = mixed.iter().map(|(_, _, text)| text.as_str()).collect();
        let one = || Sources::Mixed(once(&text));
        check([one(), one()], &expected(&mixed), (memory, threads), len);
    }
}

#[test]
fn files_that_go_on_together_need_no_memory_whatever_is_missing() {
    // A fifth of the first reads and another of the second ones is missing, and the second half of them at the end.
    let text = |mate: u8| -> String {
        let is_kept = |at: &usize| at % 5 != usize::from(mate) && (mate == 1 || at % 7000 < 5000);
        (0..7000).filter(is_kept).map(|at| record(at as u16, at, Some(mate))).collect()
    };
    let (one, two) = (text(1), text(2));
    let folder = tempfile::tempdir().expect("a folder");
    let files = ["1.fq", "2.fq"].map(|name| folder.path().join(name));
    files
        .iter()
        .zip([&one, &two])
        .for_each(|(path, text)| std::fs::write(path, text).expect("written"));
    let open = |path| RereadInput::open(path).expect("opens");
    let outputs = RepairOutputs { pairs: Vec::new(), orphans: [None, None], all_orphans: None };
    let limits = SpillLimits { memory: 64 << 20, folder: folder.path().to_owned() };
    let sources = Sources::Two(open(&files[0]), open(&files[1]));
    let done = repair(sources, Default::default(), &limits, outputs).expect("runs");
    assert_eq!(done.totals.pairs[0].sum.records, 3000);
    assert_eq!(done.effort, RepairEffort::default());
}

#[test]
fn a_read_in_the_file_of_the_other_mates_is_an_error() {
    let one = once("@a/1\nA\n+\nI\n@b/2\nA\n+\nI\n");
    let outputs = RepairOutputs { pairs: Vec::new(), orphans: [None, None], all_orphans: None };
    let limits = SpillLimits { memory: 1 << 20, folder: std::env::temp_dir() };
    let result =
        repair(Sources::Two(one, once("@a/2\nA\n+\nI\n")), Default::default(), &limits, outputs);
    let Err(Error::Reads(error)) = result else { panic!("b is a second read") };
    assert_eq!(error.at().record, Some(2));
    assert!(matches!(
        error.kind(),
        biofast_fastq::ErrorKind::WrongMate { expected: 1, found: 2, .. }
    ));
}
