//! `biofast fastq` writes reads of records in any order, and nothing when something goes wrong.

use std::io::Read;

use biofast_testkit::templates::templates;

use crate::common::fastq::{OUTPUTS, grouped, shuffled};
use crate::common::{Folder, biofast, biofast_with, fails, ok, text};

#[test]
fn what_the_header_does_not_say_the_records_tell() {
    // Grouped: reads without a mate keep their place; else they come last.
    let sam = grouped(3, 100, "SO:unsorted");
    let names = |fastq: &str| {
        let name = |l: &str| l.split('/').next().unwrap_or_default().to_owned();
        fastq.lines().step_by(4).map(name).collect::<Vec<_>>()
    };
    let mut expected: Vec<String> = templates(3, 100)
        .iter()
        .map(|t| format!("@{}", t[0].split('\t').next().unwrap()))
        .collect();
    let mut found = names(&biofast_with(&["fastq", "-"], sam.as_bytes()).stdout);
    found.dedup();
    assert!(found == expected);
    let mut found = names(&biofast_with(&["fastq", "--collate", "-"], sam.as_bytes()).stdout);
    found.dedup();
    assert!(found != expected);
    found.sort();
    found.dedup();
    expected.sort();
    assert!(found == expected);
}

#[test]
fn names_are_compressed_by_their_extension() {
    let folder = Folder::new();
    let path = folder.file("a.sam", grouped(4, 300, "GO:query"));
    for (order, path) in [("grouped", path), ("any", folder.file("b.sam", shuffled(4, 300)))] {
        let plain = biofast(&["fastq", "-n", "--quiet", &path]).stdout;
        for name in ["o.fq.gz", "o.fq.bgz", "o.fq.zst"] {
            let out = text(&folder.path(name));
            ok(&["fastq", "-n", &path, "-0", &out, "-o", &out]);
            let source = biofast_io::Source::open(&out).unwrap();
            let mut back = String::new();
            let options = biofast_io::Options { strict: true, ..Default::default() };
            let mut reader = biofast_io::Reader::new(source, &options).unwrap();
            reader.read_to_string(&mut back).unwrap();
            assert!(back == plain, "{order} {name}");
        }
    }
}

#[test]
fn what_is_left_out_is_said_and_reads_without_bases_are_empty() {
    let sam = "@HD\tVN:1.6\tGO:query\n\
               a\t77\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n\
               a\t77\t*\t0\t0\t*\t*\t0\t0\tAG\tII\n\
               b\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*\n";
    let cases = [
        // Of records of a template that stand together one is the read, as samtools has it.
        ("--grouped", "@a/1\nAC\n+\nII\n@b\n\n+\n\n"),
        ("--collate", "@b\n\n+\n\n@a/1\nAC\n+\nII\n@a/1\nAG\n+\nII\n"),
    ];
    for (extra, expected) in cases {
        let run = biofast_with(&["fastq", extra, "-"], sam.as_bytes());
        assert_eq!((run.code, &*run.stdout), (0, expected));
        let warned = run.stderr.contains("1 record left out: the same read came before");
        assert_eq!(warned, extra == "--grouped", "{}", run.stderr);
        assert!(run.stderr.contains("1 read without bases written with an empty sequence"));
    }
}

#[test]
fn tags_choose_records_however_mates_are_found() {
    let folder = Folder::new();
    let record = |name: &str, flags: u16, tags: &str| {
        format!("{name}\t{flags}\t*\t0\t0\t*\t*\t0\t0\tAC\tII{tags}\n")
    };
    let sam = record("a", 77, "\tBC:Z:x")
        + &record("a", 141, "\tBC:Z:x")
        + &record("b", 77, "\tBC:Z:y\tNM:i:3")
        + &record("b", 141, "\tNM:i:3")
        + &record("c", 4, "");
    let listed = format!("BC:{}", folder.file("list", "x z\ny"));
    for (options, names) in [
        (&["-d", "BC"][..], "a/1 a/2 b/1"),
        (&["-d", "BC:y"], "b/1"),
        (&["-d", "NM:3"], "b/1 b/2"),
        (&["-d", "BC:x", "-d", "BC:z"], "a/1 a/2"),
        // A value per line.
        (&["-D", &listed], "b/1"),
        (&["-d", "XX"], ""),
    ] {
        for how in ["--grouped", "--collate"] {
            let run = biofast_with(&[&["fastq", how], options, &["-"]].concat(), sam.as_bytes());
            let found: Vec<&str> = run.stdout.lines().step_by(4).map(|line| &line[1..]).collect();
            assert_eq!(found.join(" "), names, "{options:?} {how}");
        }
    }
    fails(&["fastq", "-d", "BC", "-d", "NM", "-"], &["only one tag can be selected"]);
    fails(&["fastq", "-T", "BC,,NM", "-"], &["a tag is missing"]);
}

/// Names and bases of the reads of a file in the folder.
fn reads_in(folder: &Folder, name: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(folder.path(name)).unwrap();
    let lines: Vec<&str> = text.split('\n').collect();
    assert_eq!(lines.len() % 4, 1, "{name}");
    lines.chunks_exact(4).map(|read| (read[0].to_owned(), read[1].to_owned())).collect()
}

#[test]
fn first_and_second_reads_are_of_the_same_templates_in_the_same_order() {
    let pair = |name: &str, bases: [&str; 2]| {
        let line = |flags: u16, bases: &str, at: u32| {
            let qualities = if bases == "*" { "*".into() } else { "I".repeat(bases.len()) };
            let cigar = if bases == "*" { "*".into() } else { format!("{}M", bases.len()) };
            format!("{name}\t{flags}\tc\t{at}\t60\t{cigar}\t=\t1\t0\t{bases}\t{qualities}\n")
        };
        line(99, bases[0], 1) + &line(163, bases[1], 9)
    };
    let header = |order: &str| format!("@HD\tVN:1.6\t{order}\n@SQ\tSN:c\tLN:99\n");
    let records = [
        pair("twice", ["ACGT", "GGTT"]),
        pair("empty", ["CAT", "*"]),
        pair("twice", ["ACGT", "GGTT"]),
        "alone\t73\tc\t20\t60\t2M\t=\t1\t0\tTT\tII\n".into(),
        "other\t0\tc\t30\t60\t2M\t*\t0\t0\tCC\tII\n".into(),
        pair("both", ["AA", "CC"]),
    ];
    let folder = Folder::new();
    let text_of = records.concat();
    folder.file("pairs.sam", header("GO:query") + &text_of);
    let mut lines: Vec<&str> = text_of.lines().collect();
    lines.sort_by_key(|line| line.split('\t').nth(3).unwrap().parse::<u32>().unwrap());
    folder.file("sorted.sam", header("SO:coordinate") + &lines.join("\n") + "\n");
    let at = |name: &str| text(&folder.path(name));
    for (input, doubled) in [("pairs.sam", 2), ("sorted.sam", 2)] {
        let run = ok(&["fastq", &at(input), "-1", &at("1.fq"), "-2", &at("2.fq")]);
        let (first, second) = (reads_in(&folder, "1.fq"), reads_in(&folder, "2.fq"));
        let names = |reads: &[(String, String)]| {
            reads.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&first), names(&second), "{input}");
        assert_eq!(first.len(), 2 + doubled, "{input}");
        assert!(second.contains(&("@empty".into(), String::new())), "{second:?}");
        let stdout: Vec<&str> = run.stdout.lines().step_by(4).collect();
        let mut unpaired = stdout.clone();
        unpaired.sort_unstable();
        assert_eq!(unpaired, ["@alone", "@other"]);
        for warning in [
            "1 read without a mate went to standard output (use -s FILE to separate them)",
            "1 read neither first nor second went to standard output (use -0 FILE",
            "1 read without bases",
        ] {
            assert!(run.stderr.contains(warning), "{warning}: {}", run.stderr);
        }
        let out = ["fastq", &at(input), "-1", &at("1.fq"), "-2", &at("2.fq"), "-s", &at("s.fq")];
        let run = biofast(&[&out[..], &["-0", &at("0.fq")]].concat());
        assert_eq!((run.code, &*run.stdout), (0, ""));
        assert_eq!(names(&reads_in(&folder, "1.fq")), names(&first));
        assert_eq!(names(&reads_in(&folder, "2.fq")), names(&first));
        assert_eq!(reads_in(&folder, "s.fq"), [("@alone".into(), "TT".into())]);
        assert_eq!(reads_in(&folder, "0.fq"), [("@other".into(), "CC".into())]);
    }
    fails(&["fastq", &at("pairs.sam"), "-1", &at("1.fq"), "-2", "-"], &["add -s FILE"]);
}

#[test]
fn reads_of_no_pair_go_to_the_file_that_is_named() {
    let folder = Folder::new();
    let sam = folder.file("se.sam", "@HD\tVN:1.6\nq\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n");
    let out = text(&folder.path("reads.fq"));
    let run = biofast(&["fastq", &sam, "-o", &out]);
    assert_eq!((run.code, &*run.stdout), (0, ""));
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "@q\nACGT\n+\nIIII\n");
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
}

#[test]
fn only_reads_of_pairs_get_a_number_behind_their_name() {
    // Of samtools 1.24: `/1` with 0x1 alone; in descriptions the flags of mates count.
    let sam = "@HD\tVN:1.6\tGO:query\n\
               a\t64\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n\
               b\t132\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n\
               c\t77\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n\
               d\t197\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n";
    for (options, expected) in [
        (&["-N"][..], ["@a", "@b", "@c/1", "@d"]),
        (&["-n"], ["@a", "@b", "@c", "@d"]),
        (&["-N", "-i"], ["@a 1:N:0:0", "@b 2:N:0:0", "@c/1 1:N:0:0", "@d 1:N:0:0"]),
    ] {
        for how in ["--grouped", "--collate"] {
            let args = [&["fastq", how], options, &["-"]].concat();
            let run = biofast_with(&args, sam.as_bytes());
            let mut names: Vec<&str> = run.stdout.lines().step_by(4).collect();
            names.sort_unstable();
            assert_eq!(names, expected, "{options:?} {how}");
        }
    }
}

#[test]
fn pairs_with_an_empty_read_come_back_as_they_were() {
    let folder = Folder::new();
    let reads = |mate: u8, bases: [&str; 3]| {
        let read = |(name, bases): (&str, &str)| {
            format!("@{name}/{mate}\n{bases}\n+\n{}\n", "I".repeat(bases.len()))
        };
        ["p1", "p2", "p3"].into_iter().zip(bases).map(read).collect::<String>()
    };
    let (first, second) = (reads(1, ["ACGT", "AAAA", ""]), reads(2, ["GGGG", "", ""]));
    let (one, two) = (folder.file("1.fq", &first), folder.file("2.fq", &second));
    let at = |name: &str| text(&folder.path(name));
    ok(&["import", &one, &two, "-o", &at("p.bam")]);
    for how in ["--grouped", "--collate"] {
        let out = ["-N", "-1", &at("o1.fq"), "-2", &at("o2.fq"), "-s", &at("s.fq")];
        let run = ok(&[&["fastq", how, &at("p.bam")], &out[..]].concat());
        assert!(
            run.stderr.contains("6 reads: 3 pairs, 0 without a mate, 0 neither first nor second")
        );
        assert!(run.stderr.contains("3 reads without bases"), "{}", run.stderr);
        assert_eq!(std::fs::read_to_string(at("o1.fq")).unwrap(), first);
        assert_eq!(std::fs::read_to_string(at("o2.fq")).unwrap(), second);
        assert_eq!(std::fs::read_to_string(at("s.fq")).unwrap(), "");
    }
}

#[test]
fn what_goes_wrong_leaves_no_file() {
    let folder = Folder::new();
    let sam = folder.file("a.sam", shuffled(5, 800));
    let bam = text(&folder.path("a.bam"));
    ok(&["view", "-b", &sam, "-o", &bam]);
    let whole = std::fs::read(&bam).unwrap();
    let before = std::fs::read_dir(folder.path("")).unwrap().count();
    let files = OUTPUTS[..4]
        .iter()
        .flat_map(|(option, name)| [(*option).to_owned(), text(&folder.path(name))]);
    let files: Vec<String> = files.collect();
    for len in [whole.len() - 28, whole.len() / 2, 200] {
        let cut = folder.file("a.bam", &whole[..len]);
        for extra in [&["--grouped"][..], &["--collate", "--memory", "16K"]] {
            let args: Vec<&str> = files.iter().map(String::as_str).collect();
            fails(&[&["fastq", &cut], extra, &args].concat(), &["a.bam"]);
            assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), before);
        }
    }
    if std::path::Path::new("/dev/full").exists() {
        for extra in ["--grouped", "--collate"] {
            let run = biofast(&["fastq", extra, &sam, "-o", "/dev/full"]);
            assert_eq!(run.code, 2, "{}", run.stderr);
        }
    }
    fails(
        &["fastq", "--memory", "16K", "--temp-dir", "/nonexistent", &sam],
        &["--temp-dir /nonexistent: no such folder"],
    );
}

#[test]
fn the_summary_is_written_as_json() {
    let folder = Folder::new();
    let pair = |name: &str| {
        format!(
            "{name}\t77\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n{name}\t141\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n"
        )
    };
    let sam = folder.file("x.sam", pair("a") + &pair("b"));
    let (reads, json) = (text(&folder.path("x.fq")), text(&folder.path("x.json")));
    ok(&["fastq", "-o", &reads, "--summary", &json, &sam]);
    let report = std::fs::read_to_string(&json).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["schema"], "biofast.summary");
    assert_eq!((&report["summary"]["reads"], &report["summary"]["pairs"]), (&4.into(), &2.into()));
    let bam = text(&folder.path("x.bam"));
    ok(&["import", "--interleaved", "-o", &bam, "--summary", &json, &reads]);
    let report = std::fs::read_to_string(&json).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let summary = &report["summary"];
    assert_eq!(
        (&summary["reads"], &summary["pairs"], &summary["bases"]),
        (&4.into(), &2.into(), &12.into())
    );
}
