//! `biofast sort` of reads and `biofast shuffle`: every order, of reads and pairs, in little memory.

use biofast_testkit::container::{KINDS, wrap};
use biofast_testkit::random::Random;

use crate::common::fasta::genes;
use crate::common::order::sorted;
use crate::common::{Folder, biofast, biofast_with, listed, ok, reads, refused, silent, text};

/// Reads of many lengths and sequences, some of them equal.
fn many(n: usize) -> Vec<[String; 3]> {
    let mut random = Random(3);
    let read = |i: usize| {
        let len = random.below(120);
        let bases: String = (0..len).map(|_| b"ACGT"[random.below(4)] as char).collect();
        let quals: String = (0..len).map(|_| (33 + random.below(41)) as u8 as char).collect();
        let place = i * 7919 % n;
        [format!("run{}:{}/x{place}", place % 3, place / 2), bases, quals]
    };
    (0..n).map(read).collect()
}

fn fastq(reads: &[[String; 3]]) -> String {
    reads.iter().map(|[name, bases, quals]| format!("@{name} x\n{bases}\n+\n{quals}\n")).collect()
}

/// Runs of digits are numbers.
fn natural(name: &str) -> Vec<(u8, u64)> {
    let mut key = Vec::new();
    let mut rest = name.as_bytes();
    while let Some(&first) = rest.first() {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            key.push((b'0', std::str::from_utf8(&rest[..digits]).unwrap().parse().unwrap()));
            rest = &rest[digits..];
        } else {
            key.push((first, 0));
            rest = &rest[1..];
        }
    }
    key
}

#[test]
fn every_order_is_that_of_a_plain_reference_in_any_memory_on_any_threads() {
    let folder = Folder::new();
    let all = many(3_000);
    let input = folder.file("x.fq", fastq(&all));
    for (by, reverse) in [
        (&["--by", "length"][..], false),
        (&["--by", "length"], true),
        (&["--by", "name"], false),
        (&["-n"], true),
        (&["-N"], false),
        (&["--by", "sequence"], false),
        (&["--by", "sequence"], true),
    ] {
        let mut expected: Vec<&[String; 3]> = all.iter().collect();
        let compare = |a: &&[String; 3], b: &&[String; 3]| match *by.last().unwrap() {
            "length" => a[1].len().cmp(&b[1].len()),
            "sequence" => a[1].cmp(&b[1]),
            "-N" => a[0].cmp(&b[0]),
            _ => natural(&a[0]).cmp(&natural(&b[0])),
        };
        // Equal ones stay in the order of the input.
        expected.sort_by(|a, b| if reverse { compare(b, a) } else { compare(a, b) });
        let expected: Vec<[String; 3]> = expected.into_iter().cloned().collect();
        let expected = fastq(&expected);
        for (threads, memory) in [("1", "1G"), ("3", "1G"), ("1", "16K"), ("2", "70K")] {
            let temp = Folder::new();
            let at = text(&temp.path(""));
            let mut args = vec!["sort", "-q", "-@", threads, "-m", memory, "-T", &at, &input];
            args.extend(by);
            args.extend(reverse.then_some("--reverse"));
            let run = silent(&args);
            assert!(run.stdout == expected, "{args:?}");
            assert!(listed(&temp).is_empty());
        }
    }
}

#[test]
fn a_shuffle_has_all_reads_in_an_order_of_the_seed_whatever_memory_and_threads() {
    let folder = Folder::new();
    let all = fastq(&many(2_000));
    let mut orders = Vec::new();
    for seed in ["1", "2"] {
        let mut first: Option<String> = None;
        for (i, (threads, memory)) in
            [("1", "1G"), ("4", "1G"), ("2", "16K")].into_iter().enumerate()
        {
            let input = folder.file(&format!("{i}.fq"), wrap(KINDS[i + 1], all.as_bytes()));
            let run = silent(&["shuffle", "-q", "-@", threads, "-m", memory, "-s", seed, &input]);
            assert!(first.as_ref().is_none_or(|first| *first == run.stdout), "{threads} {memory}");
            first = Some(run.stdout);
        }
        let found = first.unwrap();
        assert!(sorted(&found) == sorted(&all) && found != all);
        orders.push(found);
    }
    assert!(orders[0] != orders[1]);
}

#[test]
fn pairs_stay_together_in_two_files_or_one() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let (one, two) = (reads("p", 400), reads("p", 400).replace(" x\n", " y\n"));
    let (r1, r2) = (folder.file("1.fq", &one), folder.file("2.fq", &two));
    for command in [&["shuffle"][..], &["sort", "-n", "--reverse"], &["sort", "--key", "length"]] {
        let (o1, o2) = (at("o1.fq.gz"), at("o2.fq.gz"));
        let mut args = command.to_vec();
        args.extend(["-m", "16K", &r1, &r2, "-o", &o1, "--out2", &o2]);
        let json = at("sums.json");
        args.extend(["--summary", &json]);
        let run = ok(&args);
        assert!(run.stderr.contains("800 reads of pairs sorted"), "{run:?}");
        ok(&["check", "-q", "--paired", &o1, &o2]);
        ok(&["check", "-q", "--against", &json]);
        let woven = biofast(&["convert", "-q", &o1, &o2]).stdout;
        let mut args = command.to_vec();
        args.extend(["-q", &r1, &r2]);
        assert!(biofast(&args).stdout == woven, "{command:?}: one file has them after each other");
        let mixed = folder.file("mixed.fq", biofast(&["convert", "-q", &r1, &r2]).stdout);
        let mut args = command.to_vec();
        args.extend(["-q", "--interleaved", &mixed]);
        assert!(biofast(&args).stdout == woven, "{command:?}: interleaved");
    }
}

#[test]
fn fasta_stays_fasta_in_lines_of_60() {
    let folder = Folder::new();
    let text_of = genes(100, 60);
    let at = |name: &str| text(&folder.path(name));
    let input = folder.file("x.fa", &text_of);
    let out = at("o.fa.gz");
    ok(&["sort", "-q", "--key", "length", "--reverse", &input, "-o", &out]);
    let back = biofast(&["sort", "-q", "-n", &out]).stdout;
    assert_eq!(back, text_of);
    let run = biofast_with(&["shuffle", "-q"], text_of.as_bytes());
    assert_ne!(run.stdout, text_of);
    assert_eq!(biofast_with(&["sort", "-q", "-n", "-"], run.stdout.as_bytes()).stdout, text_of);
}

#[test]
fn what_is_wrong_is_said_and_leaves_nothing() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let fq = folder.file("x.fq", reads("r", 300));
    folder.file("x.fa", ">a\nAC\n");
    folder.file("cut.fq", &reads("r", 300)[..9000]);
    let bam = at("x.bam");
    ok(&["import", "-0", &fq, "-o", &bam]);
    let before = listed(&folder).len();
    for (line, needed) in [
        ("sort x.fq", "no coordinates … --key length"),
        ("sort -n x.fq -t RG", "-t (--by-tag) applies to alignments"),
        ("sort -n x.fq --mark-duplicates", "--mark-duplicates applies to alignments"),
        ("sort -n x.fq --write-index -o o.fq", "--write-index applies to alignments"),
        ("sort -n x.fq -o x2.bam", "would hold FASTQ"),
        ("sort -n x.bam --reverse", "--reverse applies to reads"),
        ("sort x.bam x.bam", "one file of alignments"),
        ("sort -n x.fq x.fa", "one file is FASTQ and the other FASTA"),
        ("sort -n x.fq --out2 o.fq", "--out2 needs pairs"),
        ("sort -n cut.fq -o o.fq", "cut.fq … truncated"),
        ("shuffle cut.fq -o o.fq -m 16K", "cut.fq … truncated"),
        ("shuffle x.fq -o o.fq -m 16K --temp-dir /nowhere", "--temp-dir /nowhere: no such folder"),
        ("shuffle x.fq -o x.fq", "x.fq"),
        ("shuffle x.bam", "BAM"),
    ] {
        refused(&folder, line, needed);
    }
    assert_eq!(listed(&folder).len(), before, "{:?}", listed(&folder));
}

#[test]
fn reads_of_one_place_come_together_in_any_memory_on_any_threads_and_take_less() {
    let folder = Folder::new();
    let mut random = Random(0x51);
    let genome: String = (0..3000).map(|_| char::from(b"ACGT"[random.below(4)])).collect();
    let mut files = [String::new(), String::new()];
    for i in 0..3000 {
        let start = random.below(genome.len() - 300);
        let qualities = "I".repeat(100);
        for (mate, at) in [start, start + 200].into_iter().enumerate() {
            files[mate] += &format!("@r{i}\n{}\n+\n{qualities}\n", &genome[at..at + 100]);
        }
    }
    let [r1, r2] =
        [("1.fq", &files[0]), ("2.fq", &files[1])].map(|(name, text)| folder.file(name, text));
    let at = |name: &str| text(&folder.path(name));
    let (o1, o2, plain, json) = (at("o1.fq.gz"), at("o2.fq.gz"), at("plain.fq.gz"), at("o.json"));
    let mut first: Option<Vec<u8>> = None;
    for (threads, memory) in [("1", "1G"), ("3", "1G"), ("2", "70K")] {
        let args = ["sort", "--key", "similarity", "-@", threads, "-m", memory, "--summary", &json];
        let run = ok(&[&args[..], &[&r1, &r2, "-o", &o1, "--out2", &o2]].concat());
        assert!(run.stderr.contains(" bytes read, ") && run.stderr.contains(" less ("), "{run:?}");
        let sizes = [&o1, &o2].map(|file| std::fs::metadata(file).unwrap().len());
        let summary: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
        assert_eq!(summary["summary"]["output_file_bytes"], sizes[0] + sizes[1]);
        assert_eq!(
            summary["summary"]["input_file_bytes"],
            (files[0].len() + files[1].len()) as u64
        );
        let bytes = [&o1, &o2].map(|file| std::fs::read(file).unwrap()).concat();
        assert!(first.as_ref().is_none_or(|first| *first == bytes), "{threads} {memory}");
        first = Some(bytes);
    }
    ok(&["check", "-q", "--paired", &o1, &o2]);
    ok(&["check", "-q", "--against", &json]);
    ok(&["convert", "-q", &r1, "-o", &plain]);
    let [sorted, plain] = [&o1, &plain].map(|file| std::fs::metadata(file).unwrap().len());
    assert!(3 * sorted < 2 * plain, "{sorted} {plain}");
    // From a stream, no size is known.
    let run = biofast_with(&["sort", "--key", "similarity", "-"], files[0].as_bytes());
    assert!(run.code == 0 && run.stderr.contains(" bytes written"), "{run:?}");
}
