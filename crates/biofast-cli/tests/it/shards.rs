//! `biofast shards`, `--shard` and `merge`: shards of a file give the bytes of one run, or an error says why not.

use crate::effort::{Effort, in_two_tiers};

use crate::common::{
    self, Folder, Run, assert_error, data, fails_in, good, placed_reads, reads, refused, run_in,
    silent,
};
use biofast_testkit::container::{bgzf, gunzip};
use biofast_testkit::sam::{self, SamShape};
use serde_json::Value;

fn plan(folder: &Folder, n: &str, files: &[&str]) -> Value {
    good(folder, &[&["shards", "--quiet", "--number", n, "-o", "plan.json"], files].concat());
    serde_json::from_slice(&std::fs::read(folder.path("plan.json")).unwrap()).unwrap()
}

/// The reports of all shards, in files.
fn parts(folder: &Folder, n: usize, args: &[&str]) -> Vec<String> {
    let part = |number: usize| {
        let (shard, to) = (format!("plan.json#{number}/{n}"), format!("part{number}"));
        let run = good(folder, &[args, &["--shard", &shard, "-o", &to]].concat());
        assert_eq!(run.stderr, "", "{args:?} {shard}");
        to
    };
    (1..=n).map(part).collect()
}

fn merged(folder: &Folder, parts: &[String], options: &[&str]) -> Run {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    run_in(folder, &[&["merge"], options, &parts].concat())
}

/// BAM whose blocks have so many bytes of data, so that records lie across them.
fn bam(folder: &Folder, name: &str, records: usize, block: usize) {
    let shape = SamShape { records, sorted: true, longest: 150, oddities: false, seed: 11 };
    folder.file("x.sam", sam::text(&shape));
    good(folder, &["view", "-b", "--no-PG", "x.sam", "-o", "x.bam"]);
    let data = gunzip(&std::fs::read(folder.path("x.bam")).unwrap()).unwrap();
    folder.file(name, bgzf(&data, block));
}

#[test]
fn shards_of_reads_give_the_bytes_of_one_run() {
    let folder = Folder::new();
    let text = reads("r", 401);
    folder.file("plain.fq", &text);
    folder.file("blocks.fq.gz", bgzf(text.as_bytes(), 333));
    for file in ["plain.fq", "blocks.fq.gz"] {
        let one = good(&folder, &["stats", "--json", file]).stdout;
        let table = good(&folder, &["stats", "-T", file]).stdout;
        for n in [1, 2, 7, 40] {
            let made = plan(&folder, &n.to_string(), &[file]);
            assert_eq!(made["shards"].as_array().unwrap().len(), n);
            let mut parts = parts(&folder, n, &["stats", "--json"]);
            // In any order.
            parts.reverse();
            assert!(merged(&folder, &parts, &["--json"]).stdout == one, "{file} {n}");
            assert_eq!(merged(&folder, &parts, &["-T"]).stdout, table, "{file} {n}");
        }
    }
}

#[test]
fn shards_of_alignments_give_the_bytes_of_one_run() {
    let folder = Folder::new();
    bam(&folder, "aln.bam", 300, 700);
    for n in [2, 7, 20] {
        plan(&folder, &n.to_string(), &["aln.bam"]);
        for (args, merging, one) in [
            (&["stats", "--json"][..], &["--json"][..], &["stats", "--json"][..]),
            (&["flagstat", "-O", "json"], &["--json"], &["flagstat", "-O", "json"]),
            (&["flagstat", "-O", "json"], &[], &["flagstat"]),
            (&["idxstats"], &[], &["idxstats"]),
        ] {
            let whole = good(&folder, &[one, &["aln.bam"]].concat()).stdout;
            let run = merged(&folder, &parts(&folder, n, args), merging);
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?} {n}");
            assert!(run.stdout == whole, "{args:?} {n}\n{}\n{whole}", run.stdout);
        }
    }
}

fn cram_is_cut_between_containers_and_gives_the_bytes_of_one_run(effort: Effort) {
    let folder = Folder::new();
    let text =
        sam::text(&SamShape { records: 400, sorted: true, longest: 120, oddities: false, seed: 5 });
    folder.file("x.sam", text);
    // In the first file all records are in one container, so that most shards are empty; in the second one a container
    // has 13.
    for version in ["2.1", "3.0"] {
        std::fs::copy(data(&format!("shards-{version}.cram")), folder.path("x.cram")).unwrap();
        let [sam, cram] = ["x.sam", "x.cram"].map(|name| placed_reads(&folder, &[name]));
        assert_eq!(sam, cram, "shards-{version}.cram holds other records: see its README.md");
        for n in effort.shards(&[1, 2, 7, 50]) {
            let made = plan(&folder, &n.to_string(), &["x.cram"]);
            assert_eq!(
                (&made["records"], &made["files"][0]["format"]),
                (&400.into(), &"CRAM".into())
            );
            for (args, merging) in [
                (&["stats", "--json"][..], &["--json"][..]),
                (&["flagstat", "-O", "json"], &["--json"]),
                (&["idxstats"], &[]),
                (&["coverage"], &[]),
                (&["check", "--json"], &["--json"]),
            ] {
                let whole = good(&folder, &[args, &["x.cram"]].concat()).stdout;
                let run = merged(&folder, &parts(&folder, n, args), merging);
                assert!(run.stdout == whole, "{version} {args:?} {n}\n{}\n{whole}", run.stdout);
            }
            let part = |number: usize| {
                let shard = format!("plan.json#{number}");
                good(&folder, &["view", "--shard", &shard]).stdout
            };
            let joined: String = (1..=n).map(part).collect();
            assert!(joined == good(&folder, &["view", "x.cram"]).stdout, "{version} {n}");
        }
    }
    // What is damaged is told by who reads it, as of the whole file; what is cut, by the plan.
    let whole = std::fs::read(folder.path("x.cram")).unwrap();
    let cut =
        plan(&folder, "4", &["x.cram"])["shards"][2]["files"][0]["start"][0].as_u64().unwrap();
    let mut damaged = whole.clone();
    damaged[cut as usize + 60] ^= 0x55;
    folder.file("x.cram", damaged);
    let copy = ["stats", "--json", "--shard", "plan.json#3", "x.cram"];
    fails_in(&folder, &copy, &["x.cram", "has changed"]);
    plan(&folder, "4", &["x.cram"]);
    let errors = |args: &[&str]| run_in(&folder, args).stderr;
    let of_shard = errors(&["stats", "--json", "--shard", "plan.json#3"]);
    assert_eq!(of_shard, errors(&["stats", "--json", "x.cram"]));
    assert!(of_shard.contains("record 2"), "{of_shard}");
    good(&folder, &["stats", "--json", "--shard", "plan.json#2"]);
    folder.file("short.cram", &whole[..whole.len() - 10]);
    folder.file("shorter.cram", &whole[..cut as usize + 40]);
    folder.file("unended.cram", &whole[..cut as usize]);
    for (file, expected) in [
        ("short.cram", "ends inside a CRAM container"),
        ("shorter.cram", "ends inside a CRAM container"),
        ("unended.cram", "end-of-file"),
    ] {
        fails_in(&folder, &["shards", "--number", "2", file, "-o", "none.json"], &[file, expected]);
        assert!(!folder.path("none.json").exists());
    }
    fails_in(
        &folder,
        &["shards", "--number", "2", "--keep-templates", "x.cram"],
        &["x.cram", "this is CRAM"],
    );
    fails_in(&folder, &["index", "--name-index", "x.cram"], &["x.cram", "CRAM"]);
}

fn shards_by_region_are_what_starts_in_their_regions(effort: Effort) {
    let folder = Folder::new();
    // Reads that start at few positions, and some without one.
    let records = |number: usize| -> String {
        let line = |n: usize| {
            let (name, start) = (["c1", "c3"][n * 2 / number], 1 + n % (number / 2) / 9 * 4);
            format!("r{n}\t0\t{name}\t{start}\t60\t9M\t*\t0\t0\tACGTACGTA\tIIIIIIIII\n")
        };
        (0..number).map(line).collect()
    };
    let header =
        "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c1\tLN:2000\n@SQ\tSN:c2\tLN:50\n@SQ\tSN:c3\tLN:3000\n";
    let unplaced = "u\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n".repeat(5);
    folder.file("x.sam", [header, &records(2000), &unplaced].concat());
    good(&folder, &["view", "-b", "--no-PG", "x.sam", "-o", "x.bam"]);
    let data = gunzip(&std::fs::read(folder.path("x.bam")).unwrap()).unwrap();
    folder.file("x.bam", bgzf(&data, 700));
    let one = good(&folder, &["stats", "--json", "x.bam"]).stdout;
    for n in effort.shards(&[1, 2, 7, 300]) {
        let number = n.to_string();
        let by_region =
            ["shards", "-q", "--number", &number, "--by-region", "x.bam", "-o", "plan.json"];
        good(&folder, &by_region);
        let made = std::fs::read(folder.path("plan.json")).unwrap();
        let made: Value = serde_json::from_slice(&made).unwrap();
        let mut last = ("c1".to_owned(), 0);
        let mut has_rest = false;
        for (number, shard) in (1..).zip(made["shards"].as_array().unwrap()) {
            let mut regions = Vec::new();
            for region in shard["regions"].as_array().into_iter().flatten() {
                let Some((name, range)) = region.as_str().unwrap().split_once(':') else {
                    assert_eq!(region, "*");
                    has_rest = true;
                    continue;
                };
                let (first, end) = range.split_once('-').unwrap();
                let (first, end): (u64, u64) = (first.parse().unwrap(), end.parse().unwrap());
                // Each position once, in order.
                assert_eq!(first, if name == last.0 { last.1 + 1 } else { 1 }, "{region}");
                last = (name.to_owned(), end);
                regions.push((name.to_owned(), first..=end));
            }
            let text = good(&folder, &["view", "--shard", &format!("plan.json#{number}")]).stdout;
            let is_in = |line: &str| {
                let fields: Vec<&str> = line.split('\t').collect();
                let start: u64 = fields[3].parse().unwrap();
                let inside = |(name, range): &(String, std::ops::RangeInclusive<u64>)| {
                    name == fields[2] && range.contains(&start)
                };
                fields[2] == "*" && shard["regions"].as_array().unwrap().contains(&"*".into())
                    || regions.iter().any(inside)
            };
            assert!(text.lines().all(is_in), "{number} of {n}: {shard}");
        }
        assert_eq!((last, has_rest), (("c3".to_owned(), 3000), true));
        let parts = parts(&folder, n, &["stats", "--json", "-@", "1"]);
        assert!(merged(&folder, &parts, &["--json"]).stdout == one, "{n}");
    }
    folder.file("unsorted.sam", [header, &unplaced, &records(20)].concat());
    good(&folder, &["view", "-b", "--no-PG", "unsorted.sam", "-o", "unsorted.bam"]);
    folder.file("x.fq", reads("r", 3));
    for (file, expected) in [
        ("unsorted.bam", ["unsorted.bam: record 6", "not sorted by coordinate"]),
        ("x.fq", ["x.fq", "this is FASTQ"]),
    ] {
        fails_in(&folder, &["shards", "--number", "2", "--by-region", file], &expected);
    }
}

fn more_shards_than_records_are_a_whole_too(effort: Effort) {
    let folder = Folder::new();
    folder.file("few.fq", reads("r", 30));
    let one = good(&folder, &["stats", "--json", "few.fq"]).stdout;
    let many = effort.pick(40, 1000);
    let made = plan(&folder, &many.to_string(), &["few.fq"]);
    let sizes = made["shards"].as_array().unwrap().iter().map(|shard| {
        let number = |index: usize| shard["records"][index].as_u64().unwrap();
        number(1) - number(0)
    });
    assert_eq!((sizes.clone().max(), sizes.sum::<u64>()), (Some(1), 30));
    let reports = parts(&folder, many, &["stats", "--json", "-@", "1"]);
    assert!(merged(&folder, &reports, &["--json"]).stdout == one);
    // Neither reads nor alignments.
    folder.file("none.fq", "");
    let header = "@SQ\tSN:c\tLN:9\n";
    folder.file("none.sam", header);
    good(&folder, &["view", "-b", "none.sam", "-o", "none.bam"]);
    for file in ["none.fq", "none.bam"] {
        plan(&folder, "3", &[file]);
        let one = good(&folder, &["stats", "--json", file]).stdout;
        let reports = parts(&folder, 3, &["stats", "--json"]);
        let run = merged(&folder, &reports, &["--json"]);
        assert!(run.stdout == one, "{file}: {}\n{one}", run.stdout);
    }
}

#[test]
fn mates_are_cut_before_reads_of_the_same_number() {
    let folder = Folder::new();
    let (r1, r2) = (reads("r", 300), reads("r", 300).replace("GG", "GGACGT").replace("x\n", "y\n"));
    let r2: String = {
        // Qualities as long as the bases, which have become longer.
        let lines: Vec<&str> = r2.lines().collect();
        let record =
            |four: &[&str]| format!("{}\n{}\n+\n{}\n", four[0], four[1], "I".repeat(four[1].len()));
        lines.chunks(4).map(record).collect()
    };
    folder.file("R1.fq.gz", bgzf(r1.as_bytes(), 500));
    folder.file("R2.fq", &r2);
    let one = good(&folder, &["stats", "--json", "--paired", "R1.fq.gz", "R2.fq"]).stdout;
    for n in [1, 7, 40] {
        plan(&folder, &n.to_string(), &["R1.fq.gz", "R2.fq"]);
        let reports = parts(&folder, n, &["stats", "--json", "--paired"]);
        assert!(merged(&folder, &reports, &["--json"]).stdout == one, "{n}");
        if n > 1 {
            let run = merged(&folder, &reports[1..], &["--json"]);
            assert_error(&run, &["shard 1 of", "of file 1"]);
        }
    }
    // Both mates in one file are never apart.
    let both: String = reads("a", 50)
        .replace("@a", "@p")
        .lines()
        .collect::<Vec<_>>()
        .chunks(4)
        .map(|read| (read.join("\n") + "\n").repeat(2))
        .collect();
    folder.file("both.fq", both);
    plan(&folder, "3", &["both.fq"]);
    let args = ["stats", "--json", "--interleaved", "--shard", "plan.json#1"];
    fails_in(&folder, &args, &["separate the mates", "--interleaved"]);
    let made = plan(&folder, "9", &["--interleaved", "both.fq"]);
    for shard in made["shards"].as_array().unwrap() {
        assert!(shard["records"][0].as_u64().unwrap().is_multiple_of(2));
    }
    let one = good(&folder, &["stats", "--json", "--interleaved", "both.fq"]).stdout;
    let reports = parts(&folder, 9, &["stats", "--json", "--interleaved"]);
    assert!(merged(&folder, &reports, &["--json"]).stdout == one);
}

#[test]
fn what_is_not_each_shard_once_is_refused_and_named() {
    let folder = Folder::new();
    folder.file("x.fq", reads("r", 40));
    bam(&folder, "aln.bam", 40, 700);
    plan(&folder, "3", &["aln.bam"]);
    for verb in [&["stats", "--json"][..], &["flagstat", "-O", "json"], &["idxstats"]] {
        let reports = parts(&folder, 3, verb);
        let keep = |name: &str| {
            let to = format!("{name}{}", verb[0]);
            std::fs::copy(folder.path(name), folder.path(&to)).unwrap();
            to
        };
        let reports: Vec<String> = reports.iter().map(|name| keep(name)).collect();
        let pick =
            |numbers: &[usize]| numbers.iter().map(|n| reports[n - 1].clone()).collect::<Vec<_>>();
        let run = merged(&folder, &pick(&[1, 3]), &[]);
        assert_error(&run, &["shard 2 of 3 is missing (records ", "hint"]);
        assert_error(&merged(&folder, &pick(&[2]), &[]), &["shard 1 of 3 is missing"]);
        assert_error(&merged(&folder, &pick(&[1]), &[]), &["shards 2 to 3 of 3 are missing"]);
        let run = merged(&folder, &pick(&[1, 2, 3, 2]), &[]);
        assert_error(&run, &["shard 2 occurs twice", &reports[1]]);
        // A part of another plan of the same file, and the whole.
        good(&folder, &["shards", "--number", "2", "aln.bam", "-o", "other.json"]);
        good(&folder, &[verb, &["--shard", "other.json#2", "-o", "other"]].concat());
        let mut mixed = pick(&[1, 2]);
        mixed.push("other".into());
        assert_error(&merged(&folder, &mixed, &[]), &["other: part of plan"]);
        good(&folder, &[verb, &["aln.bam", "-o", "whole"]].concat());
        mixed[2] = "whole".into();
        assert_error(&merged(&folder, &mixed, &[]), &["is a report of a shard, but whole is not"]);
    }
    // Some of them make a larger part.
    let one = good(&folder, &["stats", "--json", "aln.bam"]).stdout;
    let part = |numbers: [&str; 2], to: &str| {
        let names = numbers.map(|n| format!("part{n}stats"));
        good(&folder, &["merge", "--json", "--partial", &names[0], &names[1], "-o", to]);
        to.to_owned()
    };
    let outer =
        merged(&folder, &["part1stats".into(), "part3stats".into()], &["--json", "--partial"]);
    assert_error(&outer, &["--partial needs consecutive shards"]);
    let inner = part(["2", "3"], "inner");
    assert_error(
        &merged(&folder, std::slice::from_ref(&inner), &["--json"]),
        &["shard 1 of 3 is missing"],
    );
    let run = merged(&folder, &["part1stats".into(), inner], &["--json"]);
    assert!(run.stdout == one, "{}", run.stderr);
}

#[test]
fn a_changed_file_and_a_changed_plan_are_errors() {
    let folder = Folder::new();
    let path = folder.file("x.fq", reads("r", 40));
    plan(&folder, "3", &["x.fq"]);
    let shard = ["stats", "--json", "--shard", "plan.json#2"];
    let one = good(&folder, &shard).stdout;
    // The same bytes in another place are as good, whatever their time.
    folder.file("copy.fq", reads("r", 40));
    let of_copy = good(&folder, &[&shard[..], &["copy.fq"]].concat()).stdout;
    assert_eq!(of_copy.replace("copy.fq", "x.fq"), one);
    folder.file("x.fq", reads("s", 40));
    fails_in(&folder, &shard, &["x.fq", "has changed", "digest"]);
    folder.file("x.fq", reads("r", 41));
    fails_in(&folder, &shard, &["x.fq", "has changed", "its size"]);
    folder.file("x.fq", reads("r", 40));
    let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    fails_in(&folder, &shard, &["x.fq", "has changed", "1000000000.0"]);
    // The plan itself.
    let good_plan = std::fs::read_to_string(folder.path("plan.json")).unwrap();
    let mut value: Value = serde_json::from_str(&good_plan).unwrap();
    value["shards"][1]["records"][1] = 39.into();
    folder.file("plan.json", value.to_string());
    fails_in(&folder, &shard, &["plan.json", "id"]);
    folder.file("plan.json", "{}");
    fails_in(&folder, &shard, &["plan.json", "not a plan"]);
    folder.file("plan.json", &good_plan);
    let none = ["stats", "--json", "--shard", "plan.json#4"];
    fails_in(&folder, &none, &["no shard 4", "1 to 3"]);
    let other = ["stats", "--json", "--shard", "plan.json#1/9"];
    fails_in(&folder, &other, &["has 3 shards, not 9"]);
    // The plan is read, so nothing takes its place; nor that of the file.
    for out in ["plan.json", "copy.fq"] {
        let args = ["stats", "--json", "--shard", "plan.json#1", "copy.fq", "-o", out];
        fails_in(&folder, &args, &[out]);
    }
    assert_eq!(std::fs::read_to_string(folder.path("plan.json")).unwrap(), good_plan);
}

#[test]
fn the_plan_may_come_from_standard_input() {
    let folder = Folder::new();
    let path = folder.file("x.fq", reads("r", 40));
    let plan = silent(&["shards", "--quiet", "--number", "2", &path]);
    let args = ["stats", "--json", "--shard", "-#2"];
    let run = common::biofast_with(&args, plan.stdout.as_bytes());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["parts"][0]["shard"]["pieces"][0]["shards"], serde_json::json!([2, 2]));
}

#[test]
fn errors_have_the_numbers_of_the_whole_file() {
    let folder = Folder::new();
    let text = reads("r", 100);
    let damaged = {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines[4 * 90 + 1].replace_range(2..3, "!");
        lines.join("\n") + "\n"
    };
    // The plan is of the good file; the damage leaves its digest of other places as it is.
    for (name, whole, broken) in [
        ("x.fq", text.clone().into_bytes(), damaged.clone().into_bytes()),
        ("x.fq.gz", bgzf(text.as_bytes(), 400), bgzf(damaged.as_bytes(), 400)),
    ] {
        folder.file(name, &whole);
        let mut made = plan(&folder, "4", &[name]);
        folder.file(name, &broken);
        let whole = run_in(&folder, &["stats", "--json", name]);
        assert_eq!(whole.code, 2);
        // A plan that claims to be of the damaged file: only what is read can tell.
        let state = plan_of(&folder, &broken, name);
        for field in ["size", "digest", "modified"] {
            made["files"][0][field] = state[field].clone();
        }
        if name == "x.fq.gz" {
            // Blocks have other lengths: the places are those of another file.
            continue;
        }
        let last = made["shards"].as_array().unwrap().len() - 1;
        made["shards"][last]["files"][0]["end"][0] = state["size"].clone();
        let id = id(&made);
        made["id"] = id.into();
        folder.file("plan.json", made.to_string());
        let run = run_in(&folder, &["stats", "--json", "--shard", "plan.json#4"]);
        assert_eq!(run.code, 2);
        let message = |run: &Run| run.stderr.lines().next().unwrap_or_default().to_owned();
        assert_eq!(message(&run), message(&whole));
        assert!(message(&run).contains("record 91, line 362"), "{run:?}");
    }
    // Compressed places and record numbers of BAM.
    bam(&folder, "aln.bam", 200, 600);
    plan(&folder, "3", &["aln.bam"]);
    let mut bytes = std::fs::read(folder.path("aln.bam")).unwrap();
    let starts = biofast_testkit::container::bgzf_starts(&bytes);
    let block = starts[starts.len() - 4];
    bytes[block + 30] ^= 0x55;
    folder.file("aln.bam", &bytes);
    let whole = run_in(&folder, &["flagstat", "aln.bam"]);
    assert_eq!(whole.code, 2);
    let mut made: Value =
        serde_json::from_slice(&std::fs::read(folder.path("plan.json")).unwrap()).unwrap();
    let state = plan_of(&folder, &bytes, "aln.bam");
    for field in ["size", "digest", "modified"] {
        made["files"][0][field] = state[field].clone();
    }
    let id = id(&made);
    made["id"] = id.into();
    folder.file("plan.json", made.to_string());
    let run = run_in(&folder, &["flagstat", "--shard", "plan.json#3"]);
    assert_eq!(run.code, 2);
    assert_eq!(run.stderr, whole.stderr);
    assert!(run.stderr.contains(&format!("compressed byte {block}")), "{}", run.stderr);
}

#[test]
fn parts_of_grep_and_convert_joined_are_what_one_run_writes() {
    let folder = Folder::new();
    folder.file("R1.fq", reads("r", 200));
    folder.file("R2.fq.gz", bgzf(reads("r", 200).as_bytes(), 500));
    // Only the last reads say that it is RNA: shards look at the start, as one run does.
    folder.file("rna.fq", reads("r", 50) + &reads("s", 50).replace('T', "U"));
    folder.file("start.fq", reads("r", 50).replace('T', "U") + &reads("s", 50));
    let content = |name: &str| std::fs::read(folder.path(name)).unwrap_or_default();
    let pairs: &[&str] = &["R1.fq", "R2.fq.gz"];
    let outputs = ["o1", "o2", "rejected", "map"];
    for (files, command) in [
        (&["R1.fq"][..], "grep -s -p ACG -m 1 -o o1 --rejected rejected"),
        (&["R1.fq"], "grep -r -p 7$ -v -o o1"),
        (&["R1.fq"], "grep -s -p ACG -p GTT --only-matching -o o1"),
        (&["rna.fq"], "grep -s -p ACGT -m 1 -o o1"),
        (&["start.fq"], "grep -s -p ACGT -m 1 -o o1"),
        (pairs, "grep -s -p ACG --pair any -o o1 --out2 o2"),
        (pairs, "grep -s -p ACG --pair any --interleaved-out -o o1"),
        (&["R1.fq"], "convert --to fasta -w 20 -o o1"),
        (&["R1.fq"], "convert --to table -o o1"),
        (
            &["R1.fq"],
            "convert --rename x{number} --subseq 2:30 --min-len 20 --name-map map -o o1 --to fastq",
        ),
        (pairs, "convert --rename x{number} --to fastq -o o1 --out2 o2"),
    ] {
        let args: Vec<&str> = command.split(' ').collect();
        for output in outputs {
            let _ = std::fs::remove_file(folder.path(output));
        }
        good(&folder, &[&args[..], files].concat());
        let whole = outputs.map(content);
        assert!(whole[0].len() > 100, "{command}");
        for n in [1, 2, 7, 30] {
            plan(&folder, &n.to_string(), files);
            let mut joined = outputs.map(|_| Vec::new());
            for number in 1..=n {
                good(&folder, &[&args[..], &["--shard", &format!("plan.json#{number}")]].concat());
                for (all, output) in joined.iter_mut().zip(outputs) {
                    all.extend(content(output));
                }
            }
            // The table of names has a header in each.
            let text = String::from_utf8_lossy(&joined[3]).into_owned();
            let (header, _) = text.split_once('\n').unwrap_or_default();
            let rest = text.lines().filter(|line| *line != header).map(|line| format!("{line}\n"));
            let table: String = std::iter::once(format!("{header}\n")).chain(rest).collect();
            if !text.is_empty() {
                joined[3] = table.into_bytes();
            }
            for (at, output) in outputs.iter().enumerate() {
                assert!(joined[at] == whole[at], "{command} {n}: {output}");
            }
        }
    }
    plan(&folder, "3", &["R1.fq"]);
    for (words, why) in [
        ("grep -p x --missing m", "--missing can't be combined with --shard"),
        ("grep -p x --require-all", "--require-all can't be combined with --shard"),
        ("grep -p x --interleaved", "separate the mates"),
        ("convert --head 3", "--head can't be combined with --shard"),
        ("convert --tail 3", "--tail can't be combined with --shard"),
        ("convert --range 1:3", "--range can't be combined with --shard"),
        ("convert --unique-names", "--unique-names can't be combined with --shard"),
        ("convert --to bam -o x.bam", "--shard needs FASTQ"),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        fails_in(&folder, &[&words[..], &["--shard", "plan.json#2"]].concat(), &[why]);
    }
}

#[test]
fn parts_of_view_and_filter_joined_are_what_one_run_writes() {
    let folder = Folder::new();
    bam(&folder, "aln.bam", 200, 700);
    folder.file("R1.fq", reads("r", 200));
    folder.file("R2.fq.gz", bgzf(reads("r", 200).as_bytes(), 500));
    let content = |name: &str| std::fs::read(folder.path(name)).unwrap();
    let joined = |n: usize, args: &[&str], outputs: &[&str]| -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new(); outputs.len()];
        for number in 1..=n {
            let shard = format!("plan.json#{number}");
            good(&folder, &[args, &["--shard", &shard]].concat());
            for (all, output) in all.iter_mut().zip(outputs) {
                all.extend(content(output));
            }
        }
        all
    };
    for n in [1, 2, 7, 30] {
        plan(&folder, &n.to_string(), &["aln.bam"]);
        for (args, out) in [
            (&["view", "-q", "20", "-o", "o.sam"][..], "o.sam"),
            (&["view", "-c", "-o", "o.txt"], "o.txt"),
        ] {
            let parts = joined(n, args, &[out]).remove(0);
            good(&folder, &[args, &["aln.bam"]].concat());
            if out == "o.sam" {
                assert!(parts == content(out), "{args:?} {n}");
            } else {
                let sum: u64 = String::from_utf8(parts)
                    .unwrap()
                    .lines()
                    .map(|n| n.parse::<u64>().unwrap())
                    .sum();
                assert_eq!(format!("{sum}\n").into_bytes(), content(out));
            }
        }
        // BAM is joined by `biofast cat`, block by block.
        let names: Vec<String> = (1..=n).map(|number| format!("p{number}.bam")).collect();
        for (number, name) in (1..).zip(&names) {
            let shard = format!("plan.json#{number}");
            let args = ["filter", "-q", "20", "--no-PG", "--shard", &shard, "-o", name];
            good(&folder, &args);
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        good(&folder, &[&["cat", "--no-PG", "--sorted", "-o", "all.bam"], &names[..]].concat());
        good(&folder, &["filter", "-q", "20", "--no-PG", "aln.bam", "-o", "one.bam"]);
        let data = |name: &str| gunzip(&content(name)).unwrap();
        assert!(data("all.bam") == data("one.bam"), "{n}");

        plan(&folder, &n.to_string(), &["R1.fq", "R2.fq.gz"]);
        for args in [
            &["filter", "--min-len", "40", "-o", "1.fq", "--out2", "2.fq", "--rejected", "no.fq"][..],
            &[
                "filter", "--sample-fraction", "0.3", "-o", "1.fq", "--out2", "2.fq", "--rejected",
                "no.fq",
            ],
        ] {
            let parts = joined(n, args, &["1.fq", "2.fq", "no.fq"]);
            good(&folder, &[args, &["R1.fq", "R2.fq.gz"]].concat());
            for (parts, out) in parts.iter().zip(["1.fq", "2.fq", "no.fq"]) {
                assert!(!parts.is_empty() && *parts == content(out), "{args:?} {n} {out}");
            }
        }
    }
    // Unaligned pairs are trimmed together.
    good(&folder, &["import", "R1.fq", "R2.fq.gz", "-o", "unaligned.bam"]);
    good(&folder, &["shards", "--number", "2", "unaligned.bam", "-o", "unaligned.plan.json"]);
    let args = ["filter", "--crop-front", "3", "--shard", "unaligned.plan.json#1", "-o", "o.bam"];
    fails_in(&folder, &args, &["--crop-front", "can't be combined with --shard"]);
    for (option, value) in [
        ("--head", "5"),
        ("--sample-count", "5"),
        ("--keep-percent", "90"),
        ("--target-bases", "70K"),
        ("--preset", "fastp"),
    ] {
        let args =
            ["filter", option, value, "--shard", "plan.json#1", "-o", "1.fq", "--out2", "2.fq"];
        fails_in(&folder, &args, &[option, "can't be combined with --shard"]);
    }
}

/// What a plan says of a file with these bytes: size, digest and time.
fn plan_of(folder: &Folder, bytes: &[u8], name: &str) -> Value {
    assert!(bytes.len() <= 393_216);
    let hashes: Vec<u8> = bytes.chunks(4096).flat_map(|bytes| fnv(bytes).to_le_bytes()).collect();
    let modified = std::fs::metadata(folder.path(name)).unwrap().modified().unwrap();
    let since = modified.duration_since(std::time::UNIX_EPOCH).unwrap();
    serde_json::json!({
        "size": bytes.len(),
        "digest": format!("{:016x}", fnv(&hashes)),
        "modified": [since.as_secs(), since.subsec_nanos()],
    })
}

/// The id of a plan, as docs/shards.md defines it.
fn id(plan: &Value) -> String {
    let place = |place: &Value| format!("{}:{}", place[0], place[1]);
    let mut text = format!("{} {}\n", plan["records"], plan["together"]);
    for file in plan["files"].as_array().unwrap() {
        let word = |name: &str| file[name].as_str().unwrap().to_owned();
        text += &format!(
            "{} {} {} {} {}\n",
            word("format"),
            word("container"),
            file["size"],
            word("digest"),
            place(&file["header_end"])
        );
    }
    for shard in plan["shards"].as_array().unwrap() {
        text += &format!("{} {}", shard["records"][0], shard["records"][1]);
        for range in shard["files"].as_array().unwrap() {
            text += &format!(
                " {} {} {}",
                place(&range["start"]),
                place(&range["end"]),
                range["offset"]
            );
        }
        text += "\n";
    }
    format!("{:016x}", fnv(text.as_bytes()))
}

/// FNV-1a of 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[test]
fn plans_are_the_same_on_any_threads_and_chunks() {
    let folder = Folder::new();
    folder.file("x.fq.gz", bgzf(reads("r", 500).as_bytes(), 300));
    bam(&folder, "aln.bam", 200, 500);
    for file in ["x.fq.gz", "aln.bam"] {
        let made = |more: &[&str]| {
            good(&folder, &[&["shards", "--quiet", "--number", "7", file], more].concat()).stdout
        };
        let one = made(&["-@", "1"]);
        for more in [&["-@", "4"][..], &["-@", "3", "--chunk-size", "100"], &["--io", "mmap"]] {
            assert!(made(more) == one, "{file} {more:?}");
        }
    }
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let folder = Folder::new();
    let text = reads("r", 20);
    folder.file("x.fq", &text);
    folder.file("y.fq", reads("r", 21));
    folder.file("gzip.fq.gz", biofast_testkit::container::gzip(text.as_bytes()));
    folder.file("x.fa", ">a\nACGT\n");
    folder.file("wrapped.fq", "@q\nAC\n+\nII\n@r\nAC\nGT\n+\nII\nII\n");
    folder.file("bad.fq", reads("r", 10) + "@bad\nACGT\n+\nII\n" + &reads("r", 10));
    folder.file("broken.fq", "@r\nACGT\n+\nIII\n");
    bam(&folder, "aln.bam", 20, 700);
    for (line, needed) in [
        (
            "shards --number 2 -o plan.json gzip.fq.gz",
            "gzip.fq.gz … ordinary gzip … in the middle of",
        ),
        ("shards --number 2 -o plan.json x.sam", "x.sam … SAM"),
        ("shards --number 2 -o plan.json x.fa", "x.fa … FASTA"),
        ("shards --number 2 -o plan.json wrapped.fq", "wrapped.fq: record 2 … four lines"),
        ("shards --number 2 -o plan.json bad.fq", "bad.fq: record 11, line 44 … found 2"),
        ("shards --number 2 -o plan.json broken.fq", "broken.fq: record 1"),
        ("shards --number 2 -o plan.json no.fq", "no.fq"),
        ("shards --number 2 -o plan.json -", "standard input"),
        ("shards --number 2 -o plan.json x.fq y.fq", "y.fq … 21 reads … 20"),
        ("shards --number 2 -o plan.json x.fq aln.bam", "aln.bam … mates"),
        ("shards --number 2 -o plan.json aln.bam aln.bam", "aln.bam"),
        ("shards --number 2 -o plan.json --interleaved y.fq", "y.fq … odd"),
    ] {
        refused(&folder, line, needed);
    }
    for wrong in
        [&["--number", "0"][..], &["--number", "100001"], &[], &["--size", "0"], &["--size", "x"]]
    {
        assert_eq!(run_in(&folder, &[&["shards", "x.fq"], wrong].concat()).code, 2, "{wrong:?}");
    }
    let made = good(&folder, &["shards", "--size", "1K", "x.fq"]).stdout;
    let made: Value = serde_json::from_str(&made).unwrap();
    assert_eq!(made["shards"].as_array().unwrap().len(), text.len().div_ceil(1024));
    // Options that a shard has no meaning for.
    plan(&folder, "2", &["aln.bam"]);
    let shard = ["--shard", "plan.json#1"];
    for args in [
        &["stats", "--out-dir", "qc"][..],
        &["stats", "--format", "samtools"],
        &["stats", "--region", "chr1"],
        &["flagstat", "--region", "chr1"],
        &["stats", "--json", "--partial", "lane"],
    ] {
        fails_in(&folder, &[args, &shard].concat(), &["can't be combined with --shard"]);
    }
}

in_two_tiers! {
    shards_by_region_are_what_starts_in_their_regions,
    more_shards_than_records_are_a_whole_too,
    cram_is_cut_between_containers_and_gives_the_bytes_of_one_run,
}
