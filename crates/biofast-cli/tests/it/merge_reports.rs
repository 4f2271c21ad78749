//! `biofast merge` of reports of alignments: the bytes of one run over all of them.

use biofast_testkit::sam::{self, SamShape};
use serde_json::Value;

use crate::common::merge_reports::SHAPE;
use crate::common::{self, Folder, assert_error, biofast, fails, silent, text};

/// Records of a file in pieces, each with the header.
fn pieces(folder: &Folder, whole: &str, n: usize) -> Vec<String> {
    let (header, records): (Vec<&str>, Vec<&str>) =
        whole.split_inclusive('\n').partition(|line| line.starts_with('@'));
    let piece = |(number, lines): (usize, &[&str])| {
        folder.file(&format!("{n}_{number}.sam"), header.concat() + &lines.concat())
    };
    records.chunks(records.len().div_ceil(n)).enumerate().map(piece).collect()
}

/// Every second, third and so on record to a file of its own.
fn lanes(folder: &Folder, whole: &str, n: usize) -> Vec<String> {
    let (header, records): (Vec<&str>, Vec<&str>) =
        whole.split_inclusive('\n').partition(|line| line.starts_with('@'));
    let lane = |number: usize| {
        let own: String = records.iter().skip(number).step_by(n).copied().collect();
        folder.file(&format!("lane{number}.sam"), header.concat() + &own)
    };
    (0..n).map(lane).collect()
}

/// The report of each, in a file.
fn reports(folder: &Folder, paths: &[String], options: &[&str]) -> Vec<String> {
    let report = |path: &String| {
        let to = text(&folder.path(&format!("{}.json", path.rsplit('/').next().unwrap())));
        silent(&[&["stats", "--json", path, "-o", &to], options].concat());
        to
    };
    paths.iter().map(report).collect()
}

fn merge(options: &[&str], reports: &[String]) -> common::Run {
    let reports: Vec<&str> = reports.iter().map(String::as_str).collect();
    biofast(&[&["merge", "--sample", "s"], options, &reports].concat())
}

/// The report with another `input`.
fn with_input(report: &str, input: &str) -> String {
    let value: Value = serde_json::from_str(report).unwrap();
    let own = value["files"][0]["input"].to_string();
    report.replace(&format!("\"input\":{own}"), &format!("\"input\":\"{input}\""))
}

#[test]
fn shards_and_lanes_give_the_bytes_of_one_run_in_every_format() {
    let folder = Folder::new();
    let whole = sam::text(&SHAPE);
    let path = folder.file("x.sam", &whole);
    let one =
        |options: &[&str]| silent(&[&["stats", "--sample", "s", &path], options].concat()).stdout;
    let (json, tsv) = (one(&["--json"]), one(&["-T"]));
    for (paths, of) in [
        (pieces(&folder, &whole, 1), "shard"),
        (pieces(&folder, &whole, 2), "shard"),
        (pieces(&folder, &whole, 7), "shard"),
        (lanes(&folder, &whole, 3), "lane"),
    ] {
        let parts = reports(&folder, &paths, &["--partial", of]);
        let run = merge(&["--json"], &parts);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        let (found, expected) = (with_input(&run.stdout, "x"), with_input(&json, "x"));
        if let Some(at) = found.bytes().zip(expected.bytes()).position(|(a, b)| a != b) {
            let around =
                |text: &str| text[at.saturating_sub(60)..text.len().min(at + 60)].to_owned();
            panic!("{of} {}: {} {}", paths.len(), around(&found), around(&expected));
        }
        assert_eq!(found.len(), expected.len());
        assert!(merge(&["-T"], &parts).stdout == tsv);
        // Two reports of some, merged again.
        let (some, others) = parts.split_at(parts.len() / 2);
        if !some.is_empty() {
            let halves = [("first", some), ("second", others)].map(|(name, parts)| {
                let run = merge(&["--json", "--partial"], parts);
                assert_eq!(run.code, 0, "{}", run.stderr);
                folder.file(&format!("{name}.json"), run.stdout)
            });
            let run = merge(&["--json"], &halves);
            assert!(with_input(&run.stdout, "x") == with_input(&json, "x"), "{of}: two halves");
        }
        if of == "lane" {
            // The same in one run.
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            for threads in ["1", "3"] {
                let args = ["stats", "--json", "--sample", "s", "-@", threads];
                let run = biofast(&[&args[..], &paths].concat());
                assert!(with_input(&run.stdout, "x") == with_input(&json, "x"), "{threads}");
            }
        }
    }
}

#[test]
fn partial_reports_are_the_same_on_any_threads_and_small() {
    let folder = Folder::new();
    let path = folder.file("x.sam", sam::text(&SHAPE));
    let run = |of: &str, more: &[&str]| {
        silent(&[&["stats", "--json", "--partial", of, &path], more].concat()).stdout
    };
    let plain = biofast(&["stats", "--json", &path]).stdout;
    for of in ["shard", "lane"] {
        let expected = run(of, &[]);
        for (threads, chunk) in [("1", "100"), ("4", "100"), ("3", "5000")] {
            assert!(run(of, &["-@", threads, "--chunk-size", chunk]) == expected, "{of} {threads}");
        }
        assert!(expected.len() < plain.len() + 10 * SHAPE.records * 6, "{}", expected.len());
        let value: Value = serde_json::from_str(&expected).unwrap();
        assert_eq!(value["files"][0]["partial"]["kind"], of);
    }
}

#[test]
fn without_depths_all_else_is_joined_and_the_reason_said() {
    let folder = Folder::new();
    let whole = sam::text(&SHAPE);
    let path = folder.file("x.sam", &whole);
    let parts = reports(&folder, &pieces(&folder, &whole, 3), &[]);
    let run = merge(&["--json"], &parts);
    assert_eq!(run.code, 0);
    assert!(
        run.stderr.contains("several parts cover chr") && run.stderr.contains("--partial"),
        "{run:?}"
    );
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    let expected: Value =
        serde_json::from_str(&biofast(&["stats", "--json", &path]).stdout).unwrap();
    let (found, expected) = (&found["files"][0], &expected["files"][0]);
    assert!(found["coverage"].is_null() && !expected["coverage"].is_null());
    assert_eq!(found["warnings"].as_array().unwrap().len(), 1);
    for name in ["records", "unplaced", "mapping_quality", "alignment", "insert_size", "reads"] {
        assert_eq!(found[name], expected[name], "{name}");
    }
    let run = merge(&["--json", "--partial"], &parts);
    assert_error(&run, &["not all parts were written by `biofast stats --partial`"]);
}

#[test]
fn reports_of_flagstat_and_idxstats_give_what_one_run_prints() {
    let folder = Folder::new();
    let whole = sam::text(&SHAPE);
    let path = folder.file("x.sam", &whole);
    let paths = pieces(&folder, &whole, 4);
    for (verb, options, forms) in [
        (
            "flagstat",
            &["-O", "json"][..],
            &[(&["--json"][..], &["-O", "json"][..]), (&["-T"], &["-O", "tsv"]), (&[], &[])][..],
        ),
        ("idxstats", &[], &[(&[], &[])]),
    ] {
        let part = |(number, path): (usize, &String)| {
            let run = biofast(&[&[verb, path], options].concat());
            folder.file(&format!("{verb}{number}"), run.stdout)
        };
        let parts: Vec<String> = paths.iter().enumerate().map(part).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        for (merging, running) in forms {
            let run = silent(&[&["merge"], *merging, &parts].concat());
            assert_eq!(run.stdout, biofast(&[&[verb, &path], *running].concat()).stdout);
        }
        for option in [&["--sample", "s"][..], &["--html", "x.html"]] {
            fails(&[&["merge"], option, &parts].concat(), &[option[0], verb]);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_and_named() {
    let folder = Folder::new();
    let whole = sam::text(&SamShape { records: 50, ..SHAPE });
    let paths = pieces(&folder, &whole, 2);
    let parts = reports(&folder, &paths, &["--partial", "shard"]);
    let good = std::fs::read_to_string(&parts[0]).unwrap();
    let with = |name: &str, text: String| folder.file(name, text);
    let other = folder.file("other.sam", "@SQ\tSN:other\tLN:9\nr\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n");
    let other = reports(&folder, &[other], &[]).remove(0);
    let fastq = folder.file("x.fq", "@r\nACGT\n+\nIIII\n");
    let fastq = reports(&folder, &[fastq], &[]).remove(0);
    let idxstats = with("x.idxstats", "c\t9\t1\t0\n*\t0\t0\t0\n".into());
    let other_idxstats = with("y.idxstats", "d\t9\t1\t0\n*\t0\t0\t0\n".into());
    let bad_flagstat = with("x.flagstat", "{\"QC-passed reads\":{},\"QC-failed reads\":{}}".into());
    let version_1 =
        with("old.json", good.replacen("\"schema_version\":3", "\"schema_version\":1", 1));
    let version_9 =
        with("new.json", good.replacen("\"schema_version\":3", "\"schema_version\":9", 1));
    let cut = with("cut.json", good[..good.len() / 2].to_owned());
    let lacking = with("lacking.json", good.replacen("\"half_pairs\"", "\"halves\"", 1));
    let doubled = with(
        "doubled.json",
        good.replacen("\"reads\":{\"first\":{\"reads\":", "\"reads\":{\"first\":{\"reads\":1", 1),
    );
    let words = with("x.txt", "words\n".into());
    for (paths, expected) in [
        ([&parts[0], &other], &["other", "reference sequences"][..]),
        ([&parts[0], &fastq], &["'s'", "reads and alignments"]),
        ([&parts[0], &idxstats], &["x.idxstats", "idxstats, but the ones before it are of stats"]),
        ([&idxstats, &other_idxstats], &["y.idxstats", "reference sequences"]),
        ([&bad_flagstat, &bad_flagstat], &["x.flagstat", "flagstat count"]),
        ([&parts[1], &version_1], &["old.json", "version 1", "version 3", "again"]),
        ([&parts[1], &version_9], &["new.json", "version 9"]),
        ([&parts[1], &cut], &["cut.json"]),
        ([&parts[1], &lacking], &["lacking.json", "damaged"]),
        ([&parts[1], &doubled], &["doubled", "contradicts itself"]),
        ([&parts[0], &words], &["x.txt", "nor a report"]),
    ] {
        fails(&["merge", "--json", "--sample", "s", paths[0], paths[1]], expected);
    }
    let path = &paths[0];
    fails(&["stats", "--partial", "shard", path], &["--json"]);
    let regions = ["stats", "--json", "--partial", "lane", "--region", "chr1", path];
    fails(&regions, &["--partial can't be combined with regions"]);
    // A part of which only the beginning could be read gives no whole.
    let faulty = folder.file("faulty.sam", &whole[..whole.len() - 30]);
    let to = text(&folder.path("faulty.json"));
    let run = biofast(&["stats", "--json", "--partial", "shard", &faulty, "-o", &to]);
    assert_eq!(run.code, 2);
    let run = merge(&["--json"], &[parts[0].clone(), to]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("faulty.sam"), "{run:?}");
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(found["files"][0]["status"], "error");
    assert!(found["files"][0].get("records").is_none());
}
