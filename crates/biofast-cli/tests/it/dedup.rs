//! `biofast dedup`: what is kept is what a plain search keeps and what seqkit keeps, in order, pairs together, whatever the memory.

use std::collections::HashSet;

use biofast_testkit::container::{bgzf, gzip};
use biofast_testkit::random::Random;

use crate::common::dedup::{reads, sequence, umi};
use crate::common::repair::content;
use crate::common::{
    Folder, assert_error, biofast, fails, listed, ok, ok_with, refused, silent, text,
};

/// The first of each kind, and the others.
fn parted<K: Eq + std::hash::Hash>(units: &[String], key: impl Fn(&str) -> K) -> [String; 2] {
    let mut seen = HashSet::new();
    let (first, others): (Vec<&String>, Vec<&String>) =
        units.iter().partition(|unit| seen.insert(key(unit)));
    [first, others].map(|units| units.into_iter().map(String::as_str).collect())
}

#[test]
fn the_first_of_each_is_kept_in_any_container_memory_and_threads() {
    let folder = Folder::new();
    let units = reads(1, 900);
    let whole = units.concat();
    let inputs = [
        folder.file("x.fq", &whole),
        folder.file("x.fq.gz", gzip(whole.as_bytes())),
        folder.file("y.fq.gz", bgzf(whole.as_bytes(), 900)),
    ];
    let [kept, others] = parted(&units, |unit| sequence(unit).to_owned());
    let mut first: Option<[Vec<u8>; 2]> = None;
    for (memory, input) in ["64M", "16K", "16K"].iter().zip(&inputs) {
        for threads in ["1", "3"] {
            let at = Folder::new();
            let (out, rest) = (text(&at.path("o.fq.gz")), text(&at.path("d.fq.gz")));
            silent(&[
                "dedup",
                "-q",
                "-@",
                threads,
                "-m",
                memory,
                "--chunk-size",
                "3000",
                input,
                "-o",
                &out,
                "-d",
                &rest,
                "--temp-dir",
                &text(&at.path("")),
            ]);
            assert!(content(&at.path("o.fq.gz")) == kept, "{memory} {threads}");
            assert!(content(&at.path("d.fq.gz")) == others, "{memory} {threads}");
            let bytes = ["o.fq.gz", "d.fq.gz"].map(|name| std::fs::read(at.path(name)).unwrap());
            assert!(first.as_ref().is_none_or(|first| *first == bytes), "{memory} {threads}");
            first = Some(bytes);
            assert_eq!(listed(&at).len(), 2);
        }
    }
    // A stream can't be read again.
    for memory in ["64M", "16K"] {
        for keep in ["first", "best-quality"] {
            let args = ["dedup", "-q", "-m", memory, "--keep", keep, "-"];
            let run = ok_with(&args, whole.as_bytes());
            if keep == "first" {
                assert!(run.stdout == kept, "{memory}");
            }
            let sequences = |text: &str| -> HashSet<String> {
                text.lines().skip(1).step_by(4).map(str::to_owned).collect()
            };
            assert_eq!(sequences(&run.stdout), sequences(&kept));
        }
    }
}

#[test]
fn the_best_of_each_is_kept_in_its_place() {
    let folder = Folder::new();
    let records = [
        "@a\nACGT\n+\nIII#\n", // 120 + 2
        "@b\nAC\n+\n##\n", "@c\nACGT\n+\nIIII\n", "@d\nAC\n+\n##\n", "@e\nACGT\n+\nIIII\n",
        "@f\nTT\n+\nII\n",
    ];
    let input = folder.file("x.fq", records.concat());
    let args = ["dedup", "-q", "--keep", "best-quality", &input];
    let expected = [records[1], records[2], records[5]].concat();
    for memory in ["64M", "16K"] {
        let run = biofast(&[&args[..], &["-m", memory]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (0, expected.as_str()), "{run:?}");
    }
    // More distinct reads than there is memory for.
    let units = reads(7, 3000);
    let whole = folder.file("many.fq", units.concat());
    let run = biofast(&["dedup", "-q", "--keep", "best-quality", "-m", "16K", &whole]);
    let score = |unit: &str| -> u64 {
        unit.lines().nth(3).unwrap().bytes().map(|quality| u64::from(quality - 33)).sum()
    };
    let mut best: std::collections::HashMap<&str, usize> = Default::default();
    for (number, unit) in units.iter().enumerate() {
        let best = best.entry(sequence(unit)).or_insert(number);
        if score(unit) > score(&units[*best]) {
            *best = number;
        }
    }
    let mut numbers: Vec<usize> = best.into_values().collect();
    numbers.sort_unstable();
    let expected: String = numbers.iter().map(|&number| units[number].as_str()).collect();
    assert!(run.code == 0 && run.stdout == expected);
}

#[test]
fn pairs_are_the_same_if_both_mates_are_and_stay_together() {
    let folder = Folder::new();
    let ones = reads(2, 600);
    let mates = reads(3, 600);
    // Both mates are there again only here and there.
    let (mut ones, mut twos) = (ones, mates);
    for at in (10..600).step_by(7) {
        let copy = |from: &String, at: usize| {
            from.replacen(
                &format!("@m:{}:{}", at - 9, umi(at - 9)),
                &format!("@m:{at}:{}", umi(at)),
                1,
            )
        };
        (ones[at], twos[at]) = (copy(&ones[at - 9], at), copy(&twos[at - 9], at));
    }
    let both: Vec<String> =
        ones.iter().zip(&twos).map(|(one, two)| format!("{one}{two}")).collect();
    let key = |unit: &str| {
        let lines: Vec<&str> = unit.lines().collect();
        (lines[1].to_owned(), lines[5].to_owned())
    };
    let [kept, others] = parted(&both, key);
    assert!(others.len() > 5000);
    let r1 = folder.file("r1.fq.gz", bgzf(ones.concat().as_bytes(), 700));
    let r2 = folder.file("r2.fq", twos.concat());
    let mixed = folder.file("mixed.fq", both.concat());
    let of_mate = |text: &str, mate: usize| -> String {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        lines.chunks(4).skip(mate).step_by(2).map(<[&str]>::concat).collect()
    };
    for memory in ["64M", "16K"] {
        let at = Folder::new();
        let path = |name: &str| text(&at.path(name));
        let common = ["dedup", "-q", "-m", memory, "--temp-dir"];
        let (temporary, m, d) = (path(""), path("m.fq"), path("d.fq"));
        let (a, b, x, y) = (path("a.fq.gz"), path("b.fq.gz"), path("x.fq"), path("y.fq"));
        for args in [
            &[&r1, &r2, "-o", &m, "-d", &d, "--interleaved-out"][..],
            &["--interleaved", &mixed, "-o", &a, "--out2", &b, "-d", &x, "--duplicates2", &y],
        ] {
            ok(&[&common[..], &[&temporary], args].concat());
        }
        assert!(content(&at.path("m.fq")) == kept && content(&at.path("d.fq")) == others);
        for (name, text, mate) in [
            ("a.fq.gz", &kept, 0),
            ("b.fq.gz", &kept, 1),
            ("x.fq", &others, 0),
            ("y.fq", &others, 1),
        ] {
            assert!(content(&at.path(name)) == of_mate(text, mate), "{name} {memory}");
        }
    }
}

#[test]
fn names_and_umis_can_count() {
    let folder = Folder::new();
    let mut units = reads(4, 500);
    let name = |unit: &str| unit[1..].split(' ').next().unwrap().to_owned();
    let last = |unit: &str| name(unit).rsplit(':').next().unwrap().to_owned();
    let input = folder.file("x.fq", units.concat());
    let by = |args: &[&str], expected: &[String; 2]| {
        let run = biofast(&[&["dedup", "-q"], args].concat());
        assert!(run.code == 0 && run.stdout == expected[0], "{args:?} {}", run.stderr);
    };
    by(&["--compare-umi", &input], &parted(&units, |unit| (sequence(unit).to_owned(), last(unit))));
    by(&["--key", "umi", &input], &parted(&units, last));
    units.extend_from_within(100..200);
    units.push("@m:7:ACG/1 other\nAC\n+\nII\n".into());
    let again = folder.file("again.fq", units.concat());
    by(&["--key", "name", &again], &parted(&units, name));
    let front = |unit: &str| sequence(unit)[..30].to_owned();
    by(&["--first-bases", "30", &input], &parted(&units[..500], front));
    let underscore = folder.file("u.fq", "@a_AC\nA\n+\nI\n@b_AG\nA\n+\nI\n@c_AC\nA\n+\nI\n");
    let run = biofast(&["dedup", "-q", "--compare-umi", "--umi-separator", "_", &underscore]);
    assert_eq!(run.stdout, "@a_AC\nA\n+\nI\n@b_AG\nA\n+\nI\n");
    // One in the middle has none.
    let bad = folder.file("bad.fq", units[..100].concat() + "@m:1:12\nA\n+\nI\n");
    fails(&["dedup", "--compare-umi", &bad], &["bad.fq", "record 101", "UMI"]);
}

#[test]
fn reads_that_differ_in_few_places_are_duplicates_where_that_is_wanted() {
    let folder = Folder::new();
    let mut random = Random(11);
    let mut units: Vec<String> = reads(6, 250);
    // Copies with a few changed letters, some of copies.
    for number in 0..400 {
        let mut letters = sequence(&units[random.below(units.len())]).as_bytes().to_vec();
        for _ in 0..random.below(5) {
            let at = random.below(letters.len());
            letters[at] = b"ACGTN"[random.below(5)];
        }
        let letters = String::from_utf8(letters).unwrap();
        units.push(format!("@c{number}\n{letters}\n+\n{}\n", "I".repeat(letters.len())));
    }
    let input = folder.file("x.fq", units.concat());
    for most in 0..3 {
        let mut kept: Vec<&String> = Vec::new();
        for unit in &units {
            let is_near = |other: &&String| {
                let (one, two) = (sequence(unit).as_bytes(), sequence(other).as_bytes());
                one.len() == two.len()
                    && one.iter().zip(two).filter(|(a, b)| a != b).count() <= most
            };
            if !kept.iter().any(is_near) {
                kept.push(unit);
            }
        }
        let expected: String = kept.iter().map(|unit| unit.as_str()).collect();
        let most = most.to_string();
        for memory in ["16K", "1G"] {
            let args = ["dedup", "-q", "-@", "2", "--mismatches", &most, "-m", memory, &input];
            let run = biofast(&args);
            assert!(run.code == 0 && run.stdout == expected, "{most} {memory} {}", run.stderr);
        }
    }
}

#[test]
fn the_summary_has_every_file_and_check_compares_it() {
    let folder = Folder::new();
    let records = ["@a\nAC\n+\nII\n", "@b\nAC\n+\nII\n", "@c\nAC\n+\nII\n", "@d\nG\n+\nI\n"];
    let input = folder.file("x.fq", records.concat());
    let path = |name: &str| text(&folder.path(name));
    let (out, rest, json) = (path("o.fq.gz"), path("d.fq"), path("s.json"));
    let run = ok(&["dedup", &input, "-o", &out, "-d", &rest, "--summary", &json]);
    assert!(run.stderr.contains("4 reads: 2 kept, 2 duplicates (50.00%)"), "{run:?}");
    let summary: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let figures = &summary["summary"];
    assert_eq!(
        (&figures["kept"]["bases"], &figures["duplicates"]["reads"]),
        (&3.into(), &2.into())
    );
    assert_eq!(figures["duplication"]["rate"], 0.5);
    assert_eq!(
        figures["levels"][2],
        serde_json::json!({"from": 3, "to": 3, "distinct": 1, "total": 3})
    );
    let roles: Vec<&str> = summary["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["input", "output", "rejected"]);
    ok(&["check", "--against", &json]);
    folder.file("d.fq", records[1]);
    assert_eq!(biofast(&["check", "--against", &json]).code, 1);
}

#[test]
fn faults_are_named_and_nothing_appears() {
    let folder = Folder::new();
    let whole = reads(9, 400).concat();
    let packed = bgzf(whole.as_bytes(), 900);
    let good = folder.file("good.fq", &whole);
    let cut = folder.file("cut.fq.gz", &packed[..packed.len() / 2]);
    let bad = folder
        .file("bad.fq", whole.replacen("\n+\n", "\n-\n", 399).replacen("\n-\n", "\n+\n", 350));
    let short = folder.file("short.fq", reads(9, 399).concat());
    folder.file("many.fq", reads(9, 2000).concat());
    let before = listed(&folder);
    let path = |name: &str| text(&folder.path(name));
    let (out, rest) = (path("o.fq"), path("d.fq"));
    for more in [
        &["-m", "64M"][..],
        &["-m", "16K"],
        &["--keep", "best-quality"],
        &["--max-mismatches", "1"],
    ] {
        for threads in ["1", "3"] {
            let run = |files: &[&str]| {
                let common =
                    ["dedup", "-@", threads, "--chunk-size", "2000", "-o", &out, "-d", &rest];
                biofast(&[&common[..], more, files].concat())
            };
            assert_error(&run(&[&cut]), &["cut.fq.gz"]);
            assert_error(&run(&[&bad]), &["bad.fq", "record 351"]);
            assert_error(&run(&[&good, &short, "--interleaved-out"]), &["short.fq"]);
            assert_error(&run(&[&good, &good]), &["is named twice"]);
        }
    }
    for (line, needed) in [
        ("dedup good.fq -o good.fq", "input"),
        ("dedup good.fq -o o.fq -d o.fq", "are the same"),
        ("dedup good.fq -o o.fq --out2 o2.fq", "need pairs"),
        ("dedup good.fq -o o.fq --max-mismatches 3", "3"),
        (
            "dedup good.fq -o o.fq --key name --compare-umi",
            "can't be combined with comparing names",
        ),
        ("dedup good.fq -o o.fq --key umi --first-bases 3", "when sequences are compared"),
        ("dedup good.fq -o o.fq --keep best-quality --max-mismatches 1", "mismatches"),
        (
            "dedup good.fq -o o.fq --both-strands --first-bases 5",
            "--both-strands can't be combined with --first-bases",
        ),
        ("dedup good.fq -o o.fq --compare-umi --umi-separator ä", "ASCII"),
        ("dedup good.fq -o o.fq --level 3", "--level needs"),
        ("dedup good.fq -o o.fq --duplicates2 d.fq", "--duplicates"),
        ("dedup good.fq -o o.bam", "would hold FASTQ"),
        ("dedup good.fq good.fq good.fq -o o.fq", "but got 3"),
        ("dedup --interleaved good.fq short.fq -o o.fq", "--interleaved takes one file"),
        ("dedup none.fq -o o.fq", "none.fq"),
        ("dedup many.fq -o o.fq -m 16K --temp-dir none", "--temp-dir"),
    ] {
        refused(&folder, line, needed);
    }
    assert_eq!(listed(&folder), before);
}
