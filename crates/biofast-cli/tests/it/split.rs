//! `biofast split`: every read in one part, in order, pairs together, all files or none.

use std::path::Path;
use std::process::Command;

use biofast_testkit::container::{bgzf, gunzip, gzip};
use biofast_testkit::random::Random;

use crate::common::repair::records;
use crate::common::{
    self, Folder, assert_error, biofast, biofast_with, command, finish, listed, ok, ok_with, reads,
    refused, silent, text,
};

/// The text of what a file holds.
fn content(path: &Path) -> String {
    if path.extension().is_some_and(|ending| ending == "zst") {
        let run = ok(&["filter", "--quiet", &text(path)]);
        return run.stdout;
    }
    let bytes = std::fs::read(path).unwrap();
    let is_plain = path.extension().is_some_and(|ending| ending == "fq");
    String::from_utf8(if is_plain { bytes } else { gunzip(&bytes).unwrap() }).unwrap()
}

/// The files whose names begin so, in the order of their names, and what they hold.
fn parts(folder: &Folder, prefix: &str) -> Vec<(String, String)> {
    let mut names = listed(folder);
    names.retain(|name| name.starts_with(prefix));
    names.sort();
    names.into_iter().map(|name| (name.clone(), content(&folder.path(&name)))).collect()
}

/// Texts alone.
fn texts(parts: Vec<(String, String)>) -> Vec<String> {
    parts.into_iter().map(|(_, text)| text).collect()
}

fn bases(record: &str) -> usize {
    record.lines().nth(1).unwrap().len()
}

/// What the options make of units, written in the plainest way.
fn expected(units: &[String], by: &str, n: usize) -> Vec<String> {
    let unit_bases = |unit: &String| records(unit).iter().map(|r| bases(r)).sum::<usize>();
    if by == "-p" {
        return (0..n).map(|part| units.iter().skip(part).step_by(n).cloned().collect()).collect();
    }
    let mut parts = vec![Vec::<String>::new()];
    for (at, unit) in units.iter().enumerate() {
        let part = parts.last().unwrap();
        let has = |of: &dyn Fn(&String) -> usize| part.iter().map(of).sum::<usize>();
        let is_next = match by {
            "-s" => part.len() >= n,
            "-l" => has(&unit_bases) >= n,
            "--by-bytes" => !part.is_empty() && has(&String::len) + unit.len() > n,
            _ => parts.len() < n && at * n >= parts.len() * units.len(),
        };
        if is_next {
            parts.push(Vec::new());
        }
        parts.last_mut().unwrap().push(unit.clone());
    }
    if by == "--blocks" {
        parts.resize(n, Vec::new());
    }
    parts.iter().map(|part| part.concat()).collect()
}

/// The arguments of a rule.
fn rule<'a>(by: &'a str, n: &'a str) -> Vec<&'a str> {
    if by == "--blocks" { vec!["-p", n, by] } else { vec![by, n] }
}

#[test]
fn parts_are_those_of_a_plain_reference_in_any_container_on_any_threads() {
    let folder = Folder::new();
    let text_of = reads("r", 400);
    let units = records(&text_of);
    let inputs = [
        folder.file("x.fq", &text_of),
        folder.file("x.fq.gz", gzip(text_of.as_bytes())),
        folder.file("y.fq.gz", bgzf(text_of.as_bytes(), 900)),
    ];
    let mut numbers = Random(5);
    for by in ["-s", "-p", "-l", "--by-bytes", "--blocks"] {
        for case in 0..4 {
            let n = match by {
                "-s" => 10 + numbers.below(450),
                "-l" => 500 + numbers.below(9_000),
                "--by-bytes" => 1_000 + numbers.below(30_000),
                _ => 1 + numbers.below(40),
            };
            let expected = expected(&units, by, n);
            let number = n.to_string();
            let ending = ["fq", "fq.gz", "fq.zst", "fq.bgz"][case];
            let mut first: Option<Vec<(String, Vec<u8>)>> = None;
            for (threads, input) in ["1", "2", "5"].into_iter().zip(&inputs) {
                let at = Folder::new();
                let out = text(&at.path(&format!("o_{{part}}.{ending}")));
                let args =
                    ["split", "-q", "-@", threads, "--chunk-size", "3000", input, "-o", &out];
                silent(&[&args, &rule(by, &number)[..]].concat());
                assert_eq!(texts(parts(&at, "o_")), expected, "{by} {n} {ending}");
                let mut bytes: Vec<(String, Vec<u8>)> = listed(&at)
                    .into_iter()
                    .map(|name| (name.clone(), std::fs::read(at.path(&name)).unwrap()))
                    .collect();
                bytes.sort();
                assert!(first.is_none() || first.as_ref() == Some(&bytes), "{by} {n} {threads}");
                first = Some(bytes);
            }
        }
    }
}

#[test]
fn forty_parts_of_several_blocks_are_the_same_on_any_threads() {
    let folder = Folder::new();
    let text_of = reads("r", 40_000);
    let input = folder.file("x.fq", &text_of);
    let expected = expected(&records(&text_of), "-p", 40);
    let mut first: Option<Vec<Vec<u8>>> = None;
    for threads in ["1", "3"] {
        let at = Folder::new();
        let out = text(&at.path("o_{part}.fq.gz"));
        ok(&["split", "-q", "-@", threads, "-p", "40", &input, "-o", &out]);
        let found = parts(&at, "o_");
        let bytes = found.iter().map(|(name, _)| std::fs::read(at.path(name)).unwrap());
        let bytes: Vec<Vec<u8>> = bytes.collect();
        assert!(texts(found) == expected, "{threads}");
        assert!(first.as_ref().is_none_or(|first| *first == bytes), "{threads}");
        first = Some(bytes);
    }
}

#[test]
fn pairs_stay_together_in_two_files_or_one() {
    let folder = Folder::new();
    let (one, two) = (reads("p", 90), reads("p", 90).replace(" x\n", " y\n"));
    let (ones, twos) = (records(&one), records(&two));
    let both: Vec<String> = ones.iter().zip(&twos).map(|(a, b)| format!("{a}{b}")).collect();
    let r1 = folder.file("r1.fq.gz", bgzf(one.as_bytes(), 700));
    let r2 = folder.file("r2.fq", &two);
    let mixed = folder.file("mixed.fq", both.concat());
    for (by, n) in [("-s", 17), ("-p", 7), ("-l", 1000), ("--by-bytes", 5000), ("--blocks", 7)] {
        let number = n.to_string();
        let rule = rule(by, &number);
        let expected = expected(&both, by, n);
        let mate = |part: &String, mate| -> String {
            records(part).into_iter().skip(mate).step_by(2).collect()
        };
        let at = Folder::new();
        let [m, t, a, b] = ["m_{part}.fq", "t_R{mate}_{part}.fq.gz", "a_{part}.fq", "b_{part}.fq"]
            .map(|name| text(&at.path(name)));
        for args in [
            &["split", "-q", &r1, &r2, "-o", &m, "--interleaved-out"][..],
            &["split", "-q", &r1, &r2, "-o", &t],
            &["split", "-q", "--interleaved", &mixed, "-o", &a, "--out2", &b],
        ] {
            ok(&[args, &rule[..]].concat());
        }
        assert_eq!(texts(parts(&at, "m_")), expected, "{by}");
        for (prefix, number) in [("t_R1_", 0), ("t_R2_", 1), ("a_", 0), ("b_", 1)] {
            let of_mate: Vec<String> = expected.iter().map(|part| mate(part, number)).collect();
            assert_eq!(texts(parts(&at, prefix)), of_mate, "{by} {prefix}");
        }
    }
}

#[test]
fn few_reads_and_none_leave_files_for_what_was_promised() {
    let folder = Folder::new();
    let empty = folder.file("empty.fq", "");
    let two = folder.file("two.fq", reads("r", 2));
    let run = |folder: &Folder, args: &[&str]| -> Vec<(String, usize)> {
        let out = text(&folder.path("o_{part}.fq.gz"));
        ok(&[&["split", "-q", "-o", &out], args].concat());
        parts(folder, "o_").into_iter().map(|(name, text)| (name, records(&text).len())).collect()
    };
    let name = |part: &str, reads| (format!("o_{part}.fq.gz"), reads);
    for by in [["-s", "5"], ["-l", "5"], ["--by-bytes", "5K"]] {
        let found = run(&Folder::new(), &[by[0], by[1], &empty]);
        assert_eq!(found, [name("001", 0)]);
    }
    for args in [&["-p", "3", &two][..], &["-p", "3", "--blocks", &two]] {
        let found = run(&Folder::new(), args);
        assert_eq!(found, [name("001", 1), name("002", 1), name("003", 0)]);
    }
    let found = run(&Folder::new(), &["-p", "2", &empty, "--digits", "1"]);
    assert_eq!(found, [name("1", 0), name("2", 0)]);
    let found = run(&Folder::new(), &["-s", "1K", &folder.file("many.fq", reads("r", 1200))]);
    assert_eq!(found, [name("001", 1000), name("002", 200)]);
    // A name is as long as the last one needs it.
    let found = run(&Folder::new(), &["-p", "12", "--digits", "1", &two]);
    assert_eq!((found.len(), &found[0]), (12, &name("01", 1)));
}

#[test]
fn the_summary_has_every_file_and_check_compares_it() {
    let folder = Folder::new();
    let r1 = folder.file("r1.fq.gz", bgzf(reads("p", 50).as_bytes(), 700));
    let r2 = folder.file("r2.fq", reads("p", 50));
    let (json, out) = (text(&folder.path("s.json")), text(&folder.path("o_{part}_{mate}.fq.gz")));
    let run = ok(&["split", "-s", "20", &r1, &r2, "-o", &out, "--summary", &json]);
    assert!(run.stderr.contains("100 reads of pairs written to 6 files"), "{run:?}");
    let summary: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    assert_eq!(summary["summary"]["reads"], 100, "{summary}");
    assert_eq!(summary["summary"]["parts"][2]["reads"], 20, "{summary}");
    assert_eq!(summary["files"].as_array().unwrap().len(), 8);
    assert_eq!(summary["files"][0]["reads"], 50);
    ok(&["check", "--against", &json]);
    // A read is lost.
    let last = folder.path("o_003_2.fq.gz");
    let text_of = String::from_utf8(gunzip(&std::fs::read(&last).unwrap()).unwrap()).unwrap();
    std::fs::write(&last, bgzf(records(&text_of)[1..].concat().as_bytes(), 700)).unwrap();
    let run = biofast(&["check", "--against", &json]);
    assert_eq!(run.code, 1, "{run:?}");
}

#[test]
fn faults_are_named_and_no_part_appears() {
    let folder = Folder::new();
    let text_of = reads("r", 300);
    let whole = bgzf(text_of.as_bytes(), 900);
    let good = folder.file("good.fq", &text_of);
    let cut = folder.file("cut.fq.gz", &whole[..whole.len() / 2]);
    let bad = folder
        .file("bad.fq", text_of.replacen("\n+\n", "\n-\n", 299).replacen("\n-\n", "\n+\n", 250));
    let short = folder.file("short.fq", reads("r", 299));
    let other = folder.file("other.fq", text_of.replace("@r200 ", "@x200 "));
    let input_003 = folder.file("o_003.fq", reads("r", 300));
    let before = listed(&folder);
    let out = text(&folder.path("o_{part}.fq"));
    for by in [&["-s", "20"][..], &["-p", "5"], &["-l", "900"], &["--by-bytes", "2K"]] {
        for threads in ["1", "3"] {
            let run = |files: &[&str]| {
                biofast(
                    &[&["split", "-@", threads, "--chunk-size", "2000", "-o", &out], by, files]
                        .concat(),
                )
            };
            assert_error(&run(&[&cut]), &["cut.fq.gz"]);
            assert_error(&run(&[&bad]), &["bad.fq", "record 251"]);
            assert_error(&run(&[&good, &short, "--interleaved-out"]), &["short.fq"]);
            assert_error(&run(&[&good, &other, "--interleaved-out"]), &["record 201"]);
            assert_error(&run(&[&input_003]), &["o_003.fq", "input"]);
            assert_error(&run(&[&good, &good]), &["is named twice"]);
        }
    }
    for (line, needed) in [
        ("split -s 9 good.fq -o o.fq", "{part}"),
        ("split -s 9 good.fq -o {part}_{mate}.fq", "needs pairs"),
        ("split -s 9 good.fq -o o_{part}.fq --out2 2_{part}.fq", "needs pairs"),
        ("split -s 9 good.fq other.fq -o o_{part}.fq --out2 o_{part}.fq", "are the same"),
        ("split -s 9 good.fq other.fq -o o_{part}.fq --out2 2_{part}.fq.gz", "differ"),
        ("split -s 9 --blocks good.fq -o o_{part}.fq", "--by-part"),
        ("split -s 0 good.fq -o o_{part}.fq", "0"),
        ("split -l 9X good.fq -o o_{part}.fq", "not a number of bases"),
        ("split --by-bytes 99999999999G good.fq -o o_{part}.fq", "not a size"),
        ("split good.fq -o o_{part}.fq", "--by-size"),
        ("split -s 9 -p 2 good.fq -o o_{part}.fq", "can't be combined with"),
        ("split -s 9 good.fq -o o_{part}.bam", "would hold FASTQ"),
        ("split -s 9 good.fq -o no/o_{part}.fq", "can't write"),
        ("split -s 9 good.fq -o o_{part}.fq --level 3", "--level needs"),
        ("split -s 9 good.fq -o o_{part}.fq --json o_002.txt.gz/x", "can't write"),
    ] {
        refused(&folder, line, needed);
    }
    // Standard input can't be read twice.
    let run = biofast_with(&["split", "-p", "2", "--blocks", "-", "-o", &out], text_of.as_bytes());
    assert_error(&run, &["--blocks reads the input twice"]);
    assert_eq!(listed(&folder), before);
}

#[cfg(unix)]
#[test]
fn more_parts_than_may_be_open_are_written_one_after_the_other() {
    let folder = Folder::new();
    let input = folder.file("x.fq", reads("r", 300));
    let limited = |limit: &str, args: &[&str]| {
        let binary = command(&[]).get_program().to_owned();
        let mut shell = Command::new("sh");
        let line = format!("ulimit {limit} && exec \"$0\" split -@ 2 -q \"$@\"");
        shell.args(["-c", &line]).arg(binary).args(args);
        finish(shell)
    };
    let out = |folder: &Folder| text(&folder.path("o_{part}.fq.gz"));
    let at = Folder::new();
    for by in [&["-s", "1"][..], &["-p", "300", "--blocks"]] {
        let run = limited("-n 40", &[by, &[input.as_str(), "-o", &out(&at)]].concat());
        assert_eq!(run.code, 0, "{run:?}");
        assert_eq!(listed(&at).len(), 300);
        assert_eq!(texts(parts(&at, "o_00")).concat(), records(&reads("r", 9)).concat());
    }
    // The soft limit is no obstacle, the hard one is.
    let at = Folder::new();
    let run = limited("-Sn 40", &["-p", "300", &input, "-o", &out(&at)]);
    assert_eq!((run.code, listed(&at).len()), (0, 300), "{run:?}");
    let at = Folder::new();
    let run = limited("-n 40", &["-p", "300", &input, "-o", &out(&at)]);
    assert_error(&run, &["300 files at once", "--blocks"]);
    assert_eq!(listed(&at).len(), 0);
}

#[test]
fn standard_input_is_split_and_what_was_there_is_replaced_together() {
    let folder = Folder::new();
    let text_of = reads("r", 100);
    let out = text(&folder.path("o_{part}.fq"));
    for name in ["o_001.fq", "o_002.fq"] {
        folder.file(name, "OLD");
    }
    // The second half is damaged: the old files stay.
    let damaged = text_of.replace("@r80 ", "r80 ");
    let run = biofast_with(&["split", "-s", "50", "-o", &out], damaged.as_bytes());
    assert_eq!(run.code, 2, "{run:?}");
    assert_eq!(std::fs::read(folder.path("o_001.fq")).unwrap(), b"OLD");
    ok_with(&["split", "-q", "-s", "50", "-", "-o", &out], &gzip(text_of.as_bytes()));
    assert_eq!(texts(parts(&folder, "o_")).concat(), text_of);
    assert_eq!(listed(&folder).len(), 2);
    // A part that is left from before isn't taken for one of this run.
    let run = biofast_with(&["split", "-s", "100", "-", "-o", &out], text_of.as_bytes());
    assert!(
        run.code == 0 && run.stderr.contains("o_002.fq is left over from an earlier run"),
        "{run:?}"
    );
}

#[test]
fn more_than_a_thousand_files_are_asked_for() {
    let folder = common::Folder::new();
    let reads = |n: usize| (0..n).map(|i| format!("@r{i}\nA\n+\nI\n")).collect::<String>();
    folder.file("r.fq", reads(1001));
    folder.file("m.fq", reads(501));
    folder.file("n.fq", reads(501));
    let out = ["-o", "p/{part}.fq"];
    std::fs::create_dir(folder.path("p")).unwrap();
    let written = || std::fs::read_dir(folder.path("p")).unwrap().count();
    for (args, found) in [
        (&["-s", "1", "r.fq"][..], "more than 1,000 files"),
        (&["-l", "1", "r.fq"], "more than 1,000 files"),
        (&["-p", "1001", "r.fq"], "1001 files"),
        (&["-p", "1001", "--blocks", "r.fq"], "1001 files"),
        (&["-s", "1", "m.fq", "n.fq", "--out2", "p/{part}.2.fq"], "more than 1,000 files"),
    ] {
        let run = common::run_in(&folder, &[&["split"], args, &out].concat());
        common::assert_error(&run, &[found, "--force"]);
        assert_eq!(written(), 0, "{args:?}");
    }
    common::good(&folder, &["split", "-s", "2", "r.fq", "-o", "p/{part}.fq"]);
    assert_eq!(written(), 501);
    common::good(&folder, &["split", "-s", "1", "r.fq", "-o", "p/{part}.fq", "--force"]);
    assert_eq!(written(), 1001);
}
