//! `biofast merge --out-dir`: of reports of parts the files of one run of `biofast stats --out-dir`, byte for byte.

use std::collections::BTreeMap;

use crate::common::{self, Folder, assert_error, biofast, fails, files_below};
use biofast_testkit::sam;
use serde_json::Value;

use crate::common::coverage::at;
use crate::common::stats_picard::records;
use crate::common::stats_wgs_hs;

/// Of which the report of a part carries the counts, or always has what it takes.
const ALL: &str = "flagstat,idxstats,picard,json";

/// The files of a folder, but for the pages; of the JSON what doesn't name the parts.
fn files(folder: &Folder, part: &str) -> BTreeMap<String, String> {
    let read = |(name, bytes): (String, Vec<u8>)| {
        let text = String::from_utf8(bytes).unwrap();
        if !name.ends_with(".json") {
            return (name, text);
        }
        let json: Value = serde_json::from_str(&text).unwrap();
        let input = format!("\"input\":{}", json["files"][0]["input"]);
        (name, text.replace(&input, "\"input\":\"\""))
    };
    let all = files_below(&folder.path(part)).into_iter();
    all.filter(|(name, _)| !name.ends_with(".html")).map(read).collect()
}

/// Records in `n` files: pieces of the file, or every n-th record.
fn parts(folder: &Folder, whole: &str, n: usize, in_pieces: bool) -> Vec<String> {
    let (header, records): (Vec<&str>, Vec<&str>) =
        whole.split_inclusive('\n').partition(|line| line.starts_with('@'));
    let length = records.len().div_ceil(n);
    let own = |number: usize| -> String {
        match in_pieces {
            true => records.iter().skip(number * length).take(length).copied().collect(),
            false => records.iter().skip(number).step_by(n).copied().collect(),
        }
    };
    let part = |number| {
        folder.file(&format!("{n}_{number}_{in_pieces}.sam"), header.concat() + &own(number))
    };
    (0..n).map(part).collect()
}

fn run(args: &[&str]) -> String {
    let run = biofast(args);
    // These are deep, and of any bases: that the caps of Picard were reached and bases differ is no surprise.
    let expected = ["COVERAGE_CAP", "differ from the reference"];
    let others = run.stderr.lines().filter(|line| !expected.iter().any(|what| line.contains(what)));
    assert_eq!((run.code, others.collect::<Vec<_>>()), (0, vec![]), "{args:?}");
    run.stdout
}

/// The reports of parts, in files.
fn reports(folder: &Folder, paths: &[String], options: &[&str]) -> Vec<String> {
    let report = |path: &String| {
        let to = at(folder, &format!("{}.json", path.rsplit('/').next().unwrap()));
        run(&[&["stats", "--json", path, "-o", &to], options].concat());
        to
    };
    paths.iter().map(report).collect()
}

fn merge(folder: &Folder, to: &str, reports: &[String], options: &[&str]) {
    let (reports, to): (Vec<&str>, String) =
        (reports.iter().map(String::as_str).collect(), at(folder, to));
    let args = ["merge", "--sample", "s", "--out-dir", &to];
    assert_eq!(run(&[&args[..], options, &reports].concat()), "");
}

#[test]
fn shards_of_a_plan_give_the_files_of_one_run() {
    let folder = Folder::new();
    let sam = folder.file("x.sam", records(6, false));
    let (bam, fasta, plan) =
        (at(&folder, "x.bam"), folder.file("ref.fa", sam::fasta(6)), at(&folder, "plan.json"));
    run(&["view", "--quiet", "-b", &sam, "-o", &bam]);
    let one = at(&folder, "one");
    let args = ["stats", "--quiet", "--out-dir", &one, "--sample", "s", "-r", &fasta, &bam];
    run(&[&args[..], &["--qc", "picard,idxstats"]].concat());
    run(&["shards", "--quiet", "--number", "3", &bam, "-o", &plan]);
    let report = |number: usize| {
        let (shard, to) = (format!("{plan}#{number}"), at(&folder, &format!("{number}.json")));
        let args = ["stats", "--quiet", "--json", "--shard", &shard, "--qc", "picard", "-o", &to];
        run(&[&args[..], &["-r", &fasta]].concat());
        to
    };
    let reports: Vec<String> = (1..=3).map(report).collect();
    merge(&folder, "merged", &reports, &["--qc", "picard,idxstats"]);
    assert!(files(&folder, "merged") == files(&folder, "one"));
    let lacking = ["merge", "--out-dir", &at(&folder, "no"), &reports[0], &reports[2]];
    fails(&lacking, &["shard"]);
    assert!(!folder.path("no").exists());
}

#[test]
fn pieces_that_reach_too_far_or_have_other_targets_are_refused() {
    let folder = Folder::new();
    let line = |name: &str, at: u32, cigar: &str, bases: usize| {
        let (bases, qualities) = ("A".repeat(bases), "I".repeat(bases));
        format!("{name}\t0\tc\t{at}\t60\t{cigar}\t*\t0\t0\t{bases}\t{qualities}\n")
    };
    let header = "@SQ\tSN:c\tLN:99999\n";
    let piece =
        |name: &str, lines: &[String]| folder.file(name, header.to_owned() + &lines.concat());
    let far = piece("far.sam", &[line("a", 100, "10M9000N10M", 20)]);
    let near = piece("near.sam", &[line("a", 100, "10M900N10M", 20)]);
    let next = piece("next.sam", &[line("b", 200, "10M", 10), line("c", 9000, "10M", 10)]);
    let (bed, other) =
        (folder.file("t.bed", "c\t50\t9500\n"), folder.file("o.bed", "c\t50\t9400\n"));
    let report = |path: &String, targets: &str| {
        let options = ["--partial", "shard", "--qc", "hs", "--targets", targets];
        reports(&folder, std::slice::from_ref(path), &options).remove(0)
    };
    let merge = |parts: [&str; 2]| {
        biofast(&["merge", "--sample", "s", "--out-dir", &at(&folder, "to"), parts[0], parts[1]])
    };
    let (far, near) = (report(&far, &bed), report(&near, &bed));
    let with_other = report(&next, &other);
    assert_error(&merge([&near, &with_other]), &["next.sam", "targets"]);
    let next = report(&next, &bed);
    assert_error(&merge([&far, &next]), &["next.sam", "extend past"]);
    assert_eq!(merge([&near, &next]).code, 0);
    let text = std::fs::read_to_string(&near).unwrap();
    for (from, into) in [
        ("\"by_most\":[", "\"by_most\":[0,"),
        ("\"covered\":[[", "\"covered\":[[9,1],["),
        ("[[99,10,", "[[99,11,"),
        ("[[99,10,", "[[9,4294967290,"),
    ] {
        assert!(text.contains(from), "{from}: {text}");
        let damaged = folder.file("damaged.json", text.replace(from, into));
        assert_error(&merge([&damaged, &next]), &["damaged.json"]);
    }
}

#[test]
fn reads_of_lanes_give_the_files_of_one_run() {
    let folder = Folder::new();
    let lanes = ["a", "b"].map(|name| folder.file(&format!("{name}.fq"), common::reads(name, 300)));
    let qc = at(&folder, "qc");
    run(&["stats", "--quiet", "--out-dir", &qc, "--qc", "json", &lanes[0], &lanes[1]]);
    let reports = ["a", "b"].map(|name| at(&folder, &format!("qc/{name}.biofast.json")));
    let merged = at(&folder, "merged");
    let args = ["merge", "--quiet", "--sample", "s", "--out-dir", &merged];
    let list = ["--qc", "fastqc,seqkit,fastp,json,html"];
    run(&[&args[..], &list, &[&reports[0], &reports[1]]].concat());
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    let one = |options: &[&str]| {
        let args = ["stats", "--quiet", "--sample", "s", &lanes[0], &lanes[1]];
        run(&[&args[..], options].concat())
    };
    assert!(read("merged/s_fastqc/fastqc_data.txt") == one(&["--format", "fastqc"]));
    assert_eq!(read("merged/s.seqkit.tsv"), one(&["-T"]));
    let fastp: Value = serde_json::from_str(&read("merged/s.fastp.json")).unwrap();
    assert_eq!(fastp["summary"]["before_filtering"]["total_reads"], 600);
    assert!(folder.path("merged/s.biofast.html").exists());
    // A report that has no counts for FastQC gives what it can.
    let plain = at(&folder, "plain.json");
    run(&["stats", "--json", &lanes[0], "-o", &plain]);
    let some = at(&folder, "some");
    fails(
        &["merge", "--out-dir", &some, "--qc", "fastqc", &plain],
        &["a.fq", "fastqc", "biofast.json"],
    );
    run(&["merge", "--out-dir", &some, &plain]);
    let mut names: Vec<String> = files(&folder, "some").into_keys().collect();
    names.sort();
    assert_eq!(names, ["a.biofast.json", "a.seqkit.tsv"]);
}

#[test]
fn what_cannot_be_joined_is_refused_and_named() {
    let folder = Folder::new();
    let whole = records(5, false);
    let paths = parts(&folder, &whole, 2, true);
    let fasta = folder.file("ref.fa", sam::fasta(5));
    let other = folder.file("other.fa", sam::fasta(6));
    let part = |name: &str, path: &str, options: &[&str]| {
        let to = at(&folder, name);
        let args = ["stats", "--quiet", "--json", "--partial", "shard", path, "-o", &to];
        run(&[&args[..], options].concat());
        to
    };
    let first = part("first.json", &paths[0], &["--qc", "picard", "-r", &fasta]);
    let second = part("second.json", &paths[1], &["--qc", "picard", "-r", &fasta]);
    let no_gc = part("no_gc.json", &paths[1], &["--qc", "picard"]);
    let none = part("none.json", &paths[1], &[]);
    let other = part("other.json", &paths[1], &["--qc", "picard", "-r", &other]);
    let to = at(&folder, "new/qc");
    let is_refused = |args: &[&str], needed: &[&str]| {
        fails(&[&["merge", "--sample", "s", "--out-dir", &to], args].concat(), needed);
    };
    is_refused(&[&first, &no_gc], &["2_1_true.sam", "gc-bias", "2_0_true.sam", "--qc"]);
    is_refused(&[&first, &none], &["2_1_true.sam", "alignment-summary"]);
    is_refused(&[&none, "--qc", "picard"], &["2_1_true.sam", "picard"]);
    is_refused(&[&none, "--qc", "insert-size"], &["2_1_true.sam", "insert-size"]);
    is_refused(&[&first, &other], &["2_1_true.sam", "a different reference"]);
    is_refused(&[&first, &second, "--qc", "fastqc"], &["fastqc", "reads"]);
    for report in ["stats", "mosdepth", "coverage", "depth"] {
        is_refused(&[&first, &second, "--qc", report], &[report, "can't be made", "merge"]);
        let args = ["stats", "--json", "--partial", "lane", "--qc", report, &paths[0]];
        fails(&args, &[report, "can't be made from parts"]);
    }
    for option in ["--json", "--tsv", "--partial"] {
        fails(&["merge", "--out-dir", &to, option, &first], &[option]);
    }
    let counts = folder.file("x.idxstats", "c\t9\t1\t0\n*\t0\t0\t0\n");
    fails(&["merge", "--out-dir", &to, &counts], &["--out-dir", "idxstats"]);
    for args in [&["--json", "--qc", "picard"][..], &["--partial", "lane", "--qc", "picard"]] {
        fails(&[&["stats", &paths[0]], args].concat(), &["--qc", "--json"]);
    }
    let gc = ["stats", "--json", "--partial", "lane", "--qc", "gc-bias", &paths[0]];
    fails(&gc, &["gc-bias", "--reference"]);
    // Counts that can't be.
    let text = std::fs::read_to_string(&first).unwrap();
    for (from, into) in [
        ("\"noise\":", "\"noise\":99999999999999999"),
        ("\"lengths\":[[", "\"lengths\":[[9999999,9999999],["),
        ("\"windows\":[", "\"windows\":[0,"),
        ("\"histogram\":[", "\"histogram\":[-1,"),
    ] {
        assert!(text.contains(from), "{from}");
        let damaged = folder.file("damaged.json", text.replace(from, into));
        is_refused(&[&damaged], &["damaged.json"]);
    }
    // One of several samples without faults has its files; the other one doesn't.
    assert!(!folder.path("new").exists());
    let cut = folder.file("cut.sam", format!("{whole}nonsense\n"));
    let args = ["stats", "--json", "--partial", "lane", "--qc", "picard", &cut, &paths[0]];
    let faulty = biofast(&args);
    assert_eq!(faulty.code, 2);
    let faulty = folder.file("faulty.json", faulty.stdout);
    fails(&["merge", "--out-dir", &to, &faulty], &["cut.sam"]);
    let names: Vec<String> = files(&folder, "new/qc").into_keys().collect();
    assert!(names.len() > 6 && names.iter().all(|name| name.starts_with("2_0_true.")), "{names:?}");
}

/// `cargo test -- --ignored exhaustive` runs them.
mod exhaustive {
    use super::*;

    #[test]
    #[ignore = "exhaustive: takes minutes"]
    fn coverage_of_pieces_is_that_of_one_run() {
        for (seed, numbers) in [(3, [1, 7, 30]), (4, [2, 3, 30])] {
            let folder = Folder::new();
            // One place is deeper than Picard looks, and lies in several pieces.
            let whole = stats_wgs_hs::records(seed);
            let path = folder.file("x.sam", &whole);
            let fasta = stats_wgs_hs::reference(&folder, seed);
            let (targets, baits, _) = stats_wgs_hs::intervals(&folder, seed);
            let one = at(&folder, "one");
            let asked = ["--targets", &targets, "--baits", &baits, "--qc", "wgs,hs", "-r", &fasta];
            let args = ["stats", "--quiet", "--out-dir", &one, "--sample", "s", &path];
            run(&[&args[..], &asked].concat());
            let expected = files(&folder, "one");
            assert_eq!(expected.len(), 2);
            for n in numbers {
                let paths = parts(&folder, &whole, n, true);
                let threads = ["1", "3"][n % 2];
                let options =
                    ["--quiet", "--partial", "shard", "-@", threads, "--chunk-size", "9000"];
                let reports = reports(&folder, &paths, &[&options[..], &asked].concat());
                let to = format!("pieces{n}");
                merge(&folder, &to, &reports, &["--qc", "wgs,hs"]);
                assert!(files(&folder, &to) == expected, "{n} pieces, {seed}");
                if n == 30 {
                    let step = |number: usize, some: &[String]| {
                        let some: Vec<&str> = some.iter().map(String::as_str).collect();
                        let args = ["merge", "--sample", "s", "--json", "--partial"];
                        let name = format!("step{number}.json");
                        folder.file(&name, run(&[&args[..], &some].concat()))
                    };
                    let steps: Vec<String> =
                        reports.chunks(7).enumerate().map(|(n, some)| step(n, some)).collect();
                    merge(&folder, "steps", &steps, &["--qc", "wgs,hs"]);
                    assert!(files(&folder, "steps") == expected, "in steps, {seed}");
                    let backward = [reports[20].as_str(), &reports[19]];
                    let to = at(&folder, "no");
                    let args = ["merge", "--sample", "s", "--out-dir", &to];
                    fails(&[&args[..], &backward].concat(), &["30_19_true.sam", "order"]);
                }
            }
            let lane = ["stats", "--json", "--partial", "lane", &path];
            fails(&[&lane[..], &asked].concat(), &["wgs", "lanes", "biofast merge"]);
        }
    }

    #[test]
    #[ignore = "exhaustive: takes minutes"]
    fn shards_and_lanes_give_the_files_of_one_run() {
        for seed in [5, 8] {
            let folder = Folder::new();
            let whole = records(seed, seed == 8);
            let (path, fasta) =
                (folder.file("x.sam", &whole), folder.file("ref.fa", sam::fasta(seed)));
            let one = at(&folder, "one");
            let args =
                ["stats", "--quiet", "--out-dir", &one, "--sample", "s", "-r", &fasta, &path];
            run(&[&args[..], &["--qc", ALL]].concat());
            let expected = files(&folder, "one");
            assert_eq!(expected.len(), 10, "{:?}", expected.keys());
            for (n, in_pieces) in
                [(1, true), (2, true), (7, true), (1, false), (2, false), (7, false)]
            {
                let paths = parts(&folder, &whole, n, in_pieces);
                let of = if in_pieces { "shard" } else { "lane" };
                let threads = ["1", "3"][n % 2];
                let options =
                    ["--quiet", "--partial", of, "--qc", "picard", "-r", &fasta, "-@", threads];
                let reports = reports(&folder, &paths, &options);
                let to = format!("{of}{n}");
                merge(&folder, &to, &reports, &[]);
                let found = files(&folder, &to);
                for (name, text) in &expected {
                    assert!(found.get(name) == Some(text), "{of} {n} {seed}: {name}");
                }
                assert_eq!(found.len(), expected.len());
                assert!(folder.path(&format!("{to}/s.biofast.html")).exists());
                if n == 7 {
                    // In steps.
                    let step = |name: &str, some: &[String]| {
                        let some: Vec<&str> = some.iter().map(String::as_str).collect();
                        let args = ["merge", "--sample", "s", "--json", "--partial"];
                        folder.file(name, run(&[&args[..], &some].concat()))
                    };
                    let steps = [step("a.json", &reports[..3]), step("b.json", &reports[3..])];
                    merge(&folder, &format!("{to}_steps"), &steps, &["--qc", ALL]);
                    assert!(files(&folder, &format!("{to}_steps")) == expected, "{of} {seed}");
                }
            }
        }
    }
}
