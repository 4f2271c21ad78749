//! `biofast repair`: pairs in the order of first reads, every read written, whatever the order, memory and container.

use std::collections::HashMap;

use biofast_testkit::container::{bgzf, gzip};
use biofast_testkit::random::Random;

use crate::common::repair::{content, files, records, shuffle};
use crate::common::{
    self, Folder, assert_error, biofast, biofast_with, listed, ok, refused, silent, text,
};

fn name(record: &str) -> &str {
    record[1..].split(' ').next().unwrap()
}

/// Both files of pairs, and both of orphans.
fn expected([ones, twos]: &[Vec<String>; 2]) -> [String; 4] {
    let mates: HashMap<&str, &String> = twos.iter().map(|record| (name(record), record)).collect();
    let names: std::collections::HashSet<&str> = ones.iter().map(|record| name(record)).collect();
    let (first, orphans1): (Vec<&String>, Vec<&String>) =
        ones.iter().partition(|record| mates.contains_key(name(record)));
    let second: String = first.iter().map(|record| mates[name(record)].as_str()).collect();
    let orphans2: String =
        twos.iter().filter(|r| !names.contains(name(r))).map(String::as_str).collect();
    let join = |records: Vec<&String>| records.into_iter().map(String::as_str).collect();
    [join(first), second, join(orphans1), orphans2]
}

#[test]
fn pairs_are_in_the_order_of_first_reads_in_any_container_memory_and_threads() {
    for shuffled in [false, true] {
        let folder = Folder::new();
        let files = files(700, shuffled);
        let [one, two] = [files[0].concat(), files[1].concat()];
        let inputs = [
            (folder.file("1.fq", &one), folder.file("2.fq", &two)),
            (
                folder.file("1.fq.gz", gzip(one.as_bytes())),
                folder.file("2.fq.gz", gzip(two.as_bytes())),
            ),
            (
                folder.file("b1.gz", bgzf(one.as_bytes(), 700)),
                folder.file("b2.gz", bgzf(two.as_bytes(), 900)),
            ),
        ];
        let expected = expected(&files);
        let mut first: Option<Vec<Vec<u8>>> = None;
        for (memory, (r1, r2)) in ["64M", "16K", "20K"].iter().zip(&inputs) {
            for threads in ["1", "3"] {
                let at = Folder::new();
                let names = ["p1.fq.gz", "p2.fq.gz", "s1.fq.gz", "s2.fq"];
                let paths = names.map(|name| text(&at.path(name)));
                silent(&[
                    "repair",
                    "-q",
                    "-@",
                    threads,
                    "-m",
                    memory,
                    "--chunk-size",
                    "3000",
                    r1,
                    r2,
                    "-o",
                    &paths[0],
                    "--out2",
                    &paths[1],
                    "--orphans1",
                    &paths[2],
                    "--orphans2",
                    &paths[3],
                    "--temp-dir",
                    &text(&at.path("")),
                ]);
                for (name, expected) in names.iter().zip(&expected) {
                    assert!(content(&at.path(name)) == *expected, "{name} {memory} {threads}");
                }
                let bytes: Vec<Vec<u8>> =
                    names.map(|name| std::fs::read(at.path(name)).unwrap()).into();
                assert!(first.as_ref().is_none_or(|first| *first == bytes), "{memory} {threads}");
                first = Some(bytes);
                assert_eq!(listed(&at).len(), 4);
            }
        }
    }
}

#[test]
fn a_mixed_file_becomes_pairs_and_orphans_of_one_file_keep_its_order() {
    let folder = Folder::new();
    let files = files(500, true);
    let mut mixed = files.concat();
    shuffle(&mut Random(5), &mut mixed);
    let of_mate = |mate: &str| -> Vec<String> {
        mixed.iter().filter(|record| record.contains(&format!(" {mate}:N"))).cloned().collect()
    };
    let [first, second, orphans1, orphans2] = expected(&[of_mate("1"), of_mate("2")]);
    let pairs: String =
        records(&first).into_iter().zip(records(&second)).map(|(one, two)| one + &two).collect();
    let all: String = mixed
        .iter()
        .filter(|record| orphans1.contains(record.as_str()) || orphans2.contains(record.as_str()))
        .map(String::as_str)
        .collect();
    let whole = mixed.concat();
    let input = folder.file("mixed.fq.gz", bgzf(whole.as_bytes(), 2000));
    let path = |name: &str| text(&folder.path(name));
    for memory in ["64M", "16K"] {
        let run = biofast(&["repair", "-q", "-m", memory, &input, "--orphans", &path("s.fq")]);
        assert!(run.code == 0 && run.stdout == pairs, "{memory} {}", run.stderr);
        assert!(content(&folder.path("s.fq")) == all, "{memory}");
        let (one, two) = (path("s1.fq"), path("s2.fq"));
        let args = ["repair", "-q", "-m", memory, "-", "--orphans1", &one, "--orphans2", &two];
        let run = biofast_with(&args, whole.as_bytes());
        assert!(run.code == 0 && run.stdout == pairs, "{memory} {}", run.stderr);
        assert!(
            content(&folder.path("s1.fq")) == orphans1
                && content(&folder.path("s2.fq")) == orphans2
        );
    }
    // What `repair` writes is what `filter --interleaved` takes.
    let run = biofast_with(&["filter", "--quiet", "--interleaved", "-"], pairs.as_bytes());
    assert_eq!((run.code, run.stdout), (0, pairs));
}

#[test]
fn the_summary_has_every_file_and_check_compares_it() {
    let folder = Folder::new();
    let files = files(120, false);
    let r1 = folder.file("r1.fq", files[0].concat());
    let r2 = folder.file("r2.fq", files[1].concat());
    let path = |name: &str| text(&folder.path(name));
    let (p, s, json) = (path("p.fq.gz"), path("s.fq"), path("s.json"));
    let run = ok(&[
        "repair", &r1, &r2, "-o", &p, "--interleaved-out", "--orphans", &s, "--summary", &json,
    ]);
    let [first, _, orphans1, orphans2] = expected(&files).map(|text| records(&text).len());
    let said =
        format!("{first} pairs; {orphans1} first and {orphans2} second reads without a mate");
    assert!(run.stderr.contains(&said), "{run:?}");
    let summary: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    assert_eq!(summary["summary"]["pairs"], first);
    assert_eq!(summary["summary"]["orphans2"]["reads"], orphans2);
    let roles: Vec<&str> = summary["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["input", "input", "output", "rejected"]);
    ok(&["check", "--against", &json]);
    // Orphans that nobody wants are not lost in silence.
    let run = biofast(&["repair", &r1, &r2, "-o", &p, "--interleaved-out"]);
    let lost = format!("{} reads without a mate were dropped", orphans1 + orphans2);
    assert!(run.code == 1 && run.stderr.contains(&lost), "{run:?}");
}

#[test]
fn faults_are_named_and_nothing_appears() {
    let folder = Folder::new();
    let [one, two] = files(300, true).map(|records| records.concat());
    let packed = bgzf(one.as_bytes(), 900);
    let r1 = folder.file("r1.fq", &one);
    let r2 = folder.file("r2.fq", &two);
    let cut = folder.file("cut.fq.gz", &packed[..packed.len() / 2]);
    let bad =
        folder.file("bad.fq", one.replacen("\n+\n", "\n-\n", 200).replacen("\n-\n", "\n+\n", 150));
    let before = listed(&folder);
    let path = |name: &str| text(&folder.path(name));
    let (out, out2, rest) = (path("o.fq"), path("o2.fq"), path("s.fq"));
    for memory in ["64M", "16K"] {
        for threads in ["1", "3"] {
            let run = |files: &[&str]| {
                let common = ["repair", "-@", threads, "-m", memory, "--chunk-size", "2000"];
                let outputs = ["-o", &out, "--out2", &out2, "--orphans", &rest];
                biofast(&[&common[..], &outputs, files].concat())
            };
            assert_error(&run(&[&cut, &r2]), &["cut.fq.gz"]);
            assert_error(&run(&[&bad, &r2]), &["bad.fq", "record 151"]);
            assert_error(&run(&[&bad]), &["bad.fq", "record 151"]);
            assert_error(&run(&[&r2, &r1]), &["record 1"]);
            assert_error(&run(&[&r1, &r1]), &["is named twice"]);
        }
    }
    for (line, needed) in [
        ("repair r1.fq r2.fq -o r1.fq --interleaved-out", "input"),
        ("repair r1.fq r2.fq -o o.fq --out2 o.fq", "are the same"),
        ("repair r1.fq r2.fq bad.fq -o o.fq --interleaved-out", "but got 3"),
        (
            "repair r1.fq r2.fq -o o.fq -s s.fq --orphans1 o2.fq --interleaved-out",
            "can't be combined with",
        ),
        ("repair r1.fq r2.fq -o o.fq --level 3 --interleaved-out", "--level needs"),
        ("repair r1.fq r2.fq -o o.bam --interleaved-out", "would hold FASTQ"),
        ("repair r1.fq none.fq -o o.fq --interleaved-out", "none.fq"),
        ("repair r1.fq r2.fq -o o.fq -m 16K -T none --interleaved-out", "--temp-dir"),
    ] {
        refused(&folder, line, needed);
    }
    let run = biofast_with(&["repair", "-", "-o", &out], &packed[..packed.len() / 2]);
    assert_error(&run, &["standard input: "]);
    assert_eq!(listed(&folder), before);
}

#[test]
fn reads_that_are_left_out_unasked_and_no_pairs_at_all_are_exit_code_1() {
    let folder = Folder::new();
    let record = |name: &str| format!("@{name}\nACGT\n+\nFFFF\n");
    folder.file("1.fq", ["a", "b"].map(record).concat());
    folder.file("2.fq", ["b", "c"].map(record).concat());
    folder.file("x.fq", record("x"));
    folder.file("e.fq", "");
    let run = |more: &[&str]| {
        let run = common::run_in(&folder, &[&["repair"], more].concat());
        (run.code, run.stderr)
    };
    let out = ["-o", "p1.fq", "--out2", "p2.fq"];
    let two = |more: &[&str]| run(&[&["1.fq", "2.fq"], &out[..], more].concat());
    let (code, said) = two(&[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("error: 2 reads without a mate were dropped"), "{said}");
    assert!(said.contains("--orphans FILE") && said.contains("--drop-orphans"), "{said}");
    // The pairs are there all the same.
    assert_eq!(std::fs::read_to_string(folder.path("p1.fq")).unwrap(), record("b"));
    assert!(two(&["-q"]).1.contains("2 reads without a mate were dropped"));
    assert_eq!(two(&["--drop-orphans"]).0, 0);
    assert_eq!(two(&["--orphans", "s.fq"]).0, 0);
    assert_eq!(two(&["--orphans1", "s1.fq", "--orphans2", "s2.fq"]).0, 0);
    let (code, said) = two(&["--orphans1", "s1.fq"]);
    assert_eq!(code, 1);
    assert!(said.contains("1 read without a mate was dropped"), "{said}");
    assert_eq!(two(&["--orphans1", "s1.fq", "--drop-orphans"]).0, 0);
    for unrelated in [&["1.fq", "x.fq"][..], &["x.fq"], &["x.fq", "e.fq"]] {
        for orphans in [&["--orphans", "s.fq"], &["--drop-orphans"][..]] {
            let (code, said) = run(&[unrelated, &out[..], orphans].concat());
            assert_eq!(code, 1, "{unrelated:?}");
            assert!(said.contains("no pairs found among"), "{said}");
            assert!(said.contains("--mates names"), "{said}");
        }
    }
    assert_eq!(run(&[&["e.fq"], &out[..]].concat()).0, 0);
    let gz = folder.file("e.fq.gz", gzip(b""));
    assert_eq!(run(&[&[&*gz, "e.fq"], &out[..]].concat()).0, 0);
}
