//! `check`, `coverage` and `fastq` of shards: what all shards give together has the bytes of one run, or an error says why not.

use biofast_testkit::container::{bgzf, gunzip, gzip};
use biofast_testkit::random::Random;
use biofast_testkit::sam::{self, SamShape};
use serde_json::Value;

use crate::common::{Folder, Run, assert_error, fails_in, files_below, good, reads, run_in};
use crate::effort::{Effort, in_two_tiers};

fn plan(folder: &Folder, n: usize, args: &[&str]) {
    let n = n.to_string();
    good(folder, &[&["shards", "--quiet", "--number", &n, "-o", "plan.json"], args].concat());
}

/// The reports of all shards, in files; faults of the data are no errors here.
fn parts(folder: &Folder, n: usize, args: &[&str]) -> Vec<String> {
    let part = |number: usize| {
        let (shard, to) = (format!("plan.json#{number}/{n}"), format!("part{number}"));
        let threads = ["1", "2", "4"][number % 3];
        let run = run_in(folder, &[args, &["-@", threads, "--shard", &shard, "-o", &to]].concat());
        assert!(run.code < 2, "{args:?} {shard}: {}", run.stderr);
        assert_eq!(run.stderr, "", "{args:?} {shard}");
        to
    };
    (1..=n).map(part).collect()
}

fn merged(folder: &Folder, parts: &[String], options: &[&str]) -> Run {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    run_in(folder, &[&["merge"], options, &parts].concat())
}

/// Makes `name` of this text, with so many bytes of data in each block.
fn bam(folder: &Folder, name: &str, sam: &str, block: usize) {
    folder.file("x.sam", sam);
    good(folder, &["view", "-b", "--no-PG", "x.sam", "-o", "x.bam"]);
    let data = gunzip(&std::fs::read(folder.path("x.bam")).unwrap()).unwrap();
    folder.file(name, bgzf(&data, block));
}

/// Sorted alignments of all kinds.
fn sorted(records: usize, seed: u64) -> String {
    sam::text(&SamShape { records, sorted: true, longest: 150, oddities: true, seed })
}

/// Checks that the reports of all shards are that of one run, as JSON and as lines, with its exit code.
fn is_checked_as_one(
    folder: &Folder,
    files: &[&str],
    options: &[&str],
    numbers: &[usize],
    effort: Effort,
) {
    let check = |more: &[&str]| run_in(folder, &[&["check"], options, more, files].concat());
    let (json, lines) = (check(&["--json"]), check(&[]));
    for n in effort.shards(numbers) {
        let together: &[&str] =
            if options.contains(&"--interleaved") { &["--interleaved"] } else { &[] };
        let no_end: &[&str] =
            if options.contains(&"--allow-missing-eof") { &["--allow-missing-eof"] } else { &[] };
        plan(folder, n, &[together, no_end, files].concat());
        let mut parts = parts(folder, n, &[&["check", "--json"], options].concat());
        // In any order.
        parts.reverse();
        for (form, one) in [(&["--json"][..], &json), (&[], &lines)] {
            let found = merged(folder, &parts, form);
            assert_eq!(found.stdout, one.stdout, "{files:?} {options:?} {n}");
            assert_eq!((found.code, &*found.stderr), (one.code, ""), "{files:?} {n}");
        }
    }
}

fn shards_of_reads_are_checked_as_one(effort: Effort) {
    let folder = Folder::new();
    let text = reads("r", 401);
    folder.file("plain.fq", &text);
    folder.file("blocks.fq.gz", bgzf(text.as_bytes(), 333));
    folder.file("gzip.fq.gz", gzip(text.as_bytes()));
    good(&folder, &["index", "gzip.fq.gz"]);
    folder.file("few.fq", reads("r", 30));
    for file in ["plain.fq", "blocks.fq.gz", "gzip.fq.gz", "few.fq"] {
        is_checked_as_one(&folder, &[file], &[], &[1, 2, 7, 100], effort);
    }
    // Without reads, whatever the name says of it.
    folder.file("none.fq", "");
    folder.file("none.txt", "");
    folder.file("none.fq.bgz", bgzf(b"", 100));
    for file in ["none.fq", "none.txt", "none.fq.bgz"] {
        is_checked_as_one(&folder, &[file], &[], &[1, 3], effort);
    }
    // Without the end-of-file block, where that is allowed.
    let blocks = bgzf(text.as_bytes(), 333);
    folder.file("cut.fq.gz", &blocks[..blocks.len() - 28]);
    is_checked_as_one(&folder, &["cut.fq.gz"], &["--allow-missing-eof"], &[1, 5, 500], effort);
    is_checked_as_one(&folder, &["cut.fq.gz"], &[], &[1, 5, 500], effort);
}

fn mates_in_shards_are_checked_as_one(effort: Effort) {
    let folder = Folder::new();
    let text = reads("r", 200);
    folder.file("R1.fq.gz", bgzf(text.as_bytes(), 500));
    folder.file("R2.fq", &text);
    let others = text.replace("@r120", "@s120").replace("@r30", "@s30");
    assert_ne!(others, text);
    folder.file("other.fq", &others);
    for second in ["R2.fq", "other.fq"] {
        for options in [&["--paired"][..], &[]] {
            is_checked_as_one(&folder, &["R1.fq.gz", second], options, &[1, 2, 7, 300], effort);
        }
    }
    let twice = |text: &str| -> String {
        let lines: Vec<&str> = text.lines().collect();
        lines.chunks(4).map(|read| (read.join("\n") + "\n").repeat(2)).collect()
    };
    folder.file("both.fq", twice(&text));
    let mut odd: Vec<String> = twice(&text).lines().map(str::to_owned).collect();
    odd[4 * 301] = "@another".into();
    folder.file("odd.fq", odd.join("\n") + "\n");
    for file in ["both.fq", "odd.fq"] {
        is_checked_as_one(&folder, &[file], &["--interleaved"], &[1, 3, 20], effort);
    }
    // Shards that were checked in another way prove nothing.
    plan(&folder, 2, &["R1.fq.gz", "other.fq"]);
    let paired = parts(&folder, 2, &["check", "--json", "--paired"]);
    std::fs::rename(folder.path("part1"), folder.path("paired1")).unwrap();
    let alone = parts(&folder, 2, &["check", "--json"]);
    let run = merged(&folder, &["paired1".into(), alone[1].clone()], &["--json"]);
    assert_error(&run, &["different options", "--paired is true in one and false in the other"]);
    assert_eq!(paired.len(), 2);
    plan(&folder, 2, &["both.fq"]);
    let args = ["check", "--interleaved", "--shard", "plan.json#1"];
    fails_in(&folder, &args, &["separate the mates"]);
}

fn shards_of_alignments_are_checked_as_one(effort: Effort) {
    let folder = Folder::new();
    for seed in [3, 4] {
        bam(&folder, "aln.bam", &sorted(300, seed), 700);
        is_checked_as_one(&folder, &["aln.bam"], &[], &[1, 2, 7, 100, 400], effort);
    }
    // Not in the order claimed: inside of shards, and at a cut.
    let line = |name: &str, at: usize| format!("{name}\t0\tc\t{at}\t9\t4M\t*\t0\t0\tACGT\tIIII\n");
    let header = |order: &str| format!("@HD\tVN:1.6\tSO:{order}\n@SQ\tSN:c\tLN:500\n");
    let by_place = |swapped: usize| -> String {
        let place = |n: usize| if n == swapped { n - 3 } else { n };
        (0..60).map(|n| line(&format!("r{n}"), 10 + place(n))).collect()
    };
    for swapped in [3, 20, 30, 40, 59] {
        bam(&folder, "wrong.bam", &(header("coordinate") + &by_place(swapped)), 300);
        let one = run_in(&folder, &["check", "wrong.bam"]);
        assert!(one.code == 1 && one.stdout.contains("not sorted"), "{}", one.stdout);
        is_checked_as_one(&folder, &["wrong.bam"], &[], &[1, 2, 3, 20, 60], effort);
    }
    // By name in neither order: a warning. Padded, reserved and unknown: warnings with counts.
    let names = ["r10", "r9", "r2", "r10", "r11"];
    for number in [5, 4] {
        let text: String = names[..number].iter().cycle().take(55).map(|n| line(n, 7)).collect();
        let text = text.replace("\t0\tc", "\t4096\tc");
        bam(&folder, "names.bam", &(header("queryname") + &text), 200);
        is_checked_as_one(&folder, &["names.bam"], &[], &[1, 2, 11, 55, 80], effort);
    }
    // No records, and a header that isn't good.
    bam(&folder, "none.bam", &header("coordinate"), 100);
    is_checked_as_one(&folder, &["none.bam"], &[], &[1, 4], effort);
    bam(&folder, "odd.bam", &(header("coordinate") + &line("r", 1)).replace("VN:1.6", "VN:x"), 99);
    is_checked_as_one(&folder, &["odd.bam"], &[], &[1, 3], effort);
}

#[test]
fn what_is_not_each_shard_once_is_refused_of_check_and_coverage() {
    let folder = Folder::new();
    bam(&folder, "aln.bam", &sorted(60, 5), 700);
    for (verb, form) in [
        (&["check", "--json"][..], &["--json"][..]),
        (&["coverage"], &[]),
        (&["coverage", "--format", "samtools-depth"], &[]),
    ] {
        plan(&folder, 3, &["aln.bam"]);
        let all = parts(&folder, 3, verb);
        let other = |name: &str| [all[0].clone(), all[1].clone(), name.into()];
        assert_error(&merged(&folder, &all[1..], form), &["shard 1 of 3 is missing"]);
        assert_error(&merged(&folder, &other("part2"), form), &["shard 2 occurs twice", "part2"]);
        // Of another command.
        good(&folder, &["idxstats", "--shard", "plan.json#3", "-o", "idx"]);
        assert_error(&merged(&folder, &other("idx"), form), &["idx", "a report of idxstats"]);
        // A file that has changed.
        let mut bytes = std::fs::read(folder.path("aln.bam")).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x40;
        let aln = std::fs::read(folder.path("aln.bam")).unwrap();
        folder.file("aln.bam", &bytes);
        fails_in(
            &folder,
            &[verb, &["--shard", "plan.json#1"]].concat(),
            &["aln.bam", "has changed", "digest"],
        );
        folder.file("aln.bam", &aln);
    }
    // Whole files aren't merged, nor options that don't go with a shard.
    good(&folder, &["check", "--json", "aln.bam", "-o", "whole"]);
    assert_error(&merged(&folder, &["whole".into()], &["--json"]), &["whole files"]);
    for (args, why) in [
        (&["check", "--expect", "bam"][..], "--expect can't be combined with --shard"),
        (&["check", "--against", "x"], "--against can't be combined with --shard"),
        (&["coverage", "--chrom", "chr1"], "--chrom can't be combined with --shard"),
        (&["coverage", "--prefix", "x"], "--prefix can't be combined with --shard"),
    ] {
        folder.file("x", "{}");
        fails_in(&folder, &[args, &["--shard", "plan.json#1"]].concat(), &[why]);
    }
    // Larger parts.
    plan(&folder, 3, &["aln.bam"]);
    let all = parts(&folder, 3, &["check", "--json"]);
    let run = merged(&folder, &all[1..], &["--json", "--partial"]);
    folder.file("later", &run.stdout);
    let one = good(&folder, &["check", "--json", "aln.bam"]);
    let run = merged(&folder, &["later".into(), all[0].clone()], &["--json"]);
    assert_eq!(run.stdout, one.stdout, "{}", run.stderr);
    let run = merged(&folder, &[all[0].clone(), all[2].clone()], &["--json", "--partial"]);
    assert_error(&run, &["--partial needs consecutive shards"]);
    // Depths found in other ways.
    let deep = parts(&folder, 3, &["coverage"]);
    good(&folder, &["coverage", "-Q", "9", "--shard", "plan.json#3", "-o", "part3"]);
    assert_error(&merged(&folder, &deep, &[]), &["different options: --min-mapq is 0", "9"]);
}

#[test]
fn a_fault_that_the_plan_does_not_know_of_is_named_as_in_one_run() {
    let folder = Folder::new();
    // The places that the digest is of are as they were, so only what is read can tell.
    let text = reads("r", 40_000);
    let starts: Vec<usize> = text.match_indices("\n+\n").map(|(at, _)| at).collect();
    let mut bytes = text.clone().into_bytes();
    folder.file("x.fq", &bytes);
    let time = std::fs::metadata(folder.path("x.fq")).unwrap().modified().unwrap();
    plan(&folder, 4, &["x.fq"]);
    let whole_digest = std::fs::read_to_string(folder.path("plan.json")).unwrap();
    bytes[starts[17_003] - 3] = b'!';
    folder.file("x.fq", &bytes);
    std::fs::File::options()
        .write(true)
        .open(folder.path("x.fq"))
        .unwrap()
        .set_modified(time)
        .unwrap();
    let one = run_in(&folder, &["check", "--json", "x.fq"]);
    assert_eq!(one.code, 1);
    let parts = parts(&folder, 4, &["check", "--json"]);
    let found = merged(&folder, &parts, &["--json"]);
    assert_eq!((found.stdout, found.code), (one.stdout.clone(), 1));
    let report: Value = serde_json::from_str(&one.stdout).unwrap();
    assert_eq!(report["files"][0]["fault"]["record"], 17_004);
    assert!(!whole_digest.is_empty());
}

/// Pairs that overlap, as an aligner writes them, and some records that aren't what their mates say.
fn pairs(number: usize, width: usize, seed: u64) -> String {
    let mut random = Random(seed);
    let mut lines = Vec::new();
    for pair in 0..number {
        let start = 1 + random.below(width);
        let mate = start + if random.chance(30) { 0 } else { random.below(90) };
        let long = if random.chance(10) { "20M60N30M" } else { "50M" };
        let cigar = ["50M", "20M5D30M", "5S45M", long][random.below(4)];
        let bases = "A".repeat(50);
        let quality: String = (0..50).map(|_| (b'#' + random.below(40) as u8) as char).collect();
        let tail = format!("{bases}\t{quality}\n");
        lines.push((start, format!("p{pair}\t99\tc\t{start}\t60\t{cigar}\t=\t{mate}\t0\t{tail}")));
        lines.push((mate, format!("p{pair}\t147\tc\t{mate}\t60\t50M\t=\t{start}\t0\t{tail}")));
    }
    lines.sort_by_key(|(start, _)| *start);
    let mut text =
        "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:a\tLN:500\n@SQ\tSN:c\tLN:9000\n@SQ\tSN:z\tLN:70\n"
            .to_owned();
    lines.iter().for_each(|(_, line)| text.push_str(line));
    text.push_str("u\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n");
    text
}

/// The words that ask `coverage` for each of its formats.
fn formats() -> Vec<Vec<String>> {
    let all = biofast_cli::command();
    let coverage = all.find_subcommand("coverage").unwrap();
    let format = coverage.get_arguments().find(|argument| argument.get_id() == "format").unwrap();
    let names = format.get_possible_values().into_iter().map(|value| value.get_name().to_owned());
    names.map(|name| vec!["--format".to_owned(), name]).collect()
}

fn depths_of_shards_are_those_of_one_run(effort: Effort) {
    let folder = Folder::new();
    let templates = effort.pick(50, 150);
    bam(&folder, "deep.bam", &pairs(templates, 400, 1), 700);
    bam(&folder, "wide.bam", &pairs(templates, 8000, 2), 900);
    bam(&folder, "kinds.bam", &sorted(300, 6), 800);
    bam(&folder, "none.bam", "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:50\n", 100);
    let formats = formats();
    let formats = formats.iter().map(|words| words.iter().map(String::as_str).collect());
    let tried: Vec<Vec<&str>> = formats
        .chain([
            vec!["--format", "tsv", "--fast-mode"],
            vec!["-F", "0", "-Q", "1"],
            vec!["--format", "samtools-coverage", "--compat", "samtools=1.16"],
            vec!["--format", "samtools-depth", "-a", "-a", "--min-base-quality", "20"],
            vec!["--format", "samtools-depth", "-a"],
        ])
        .collect();
    for file in ["deep.bam", "wide.bam", "kinds.bam", "none.bam"] {
        for options in &tried {
            let one = good(&folder, &[&["coverage"][..], options, &[file]].concat()).stdout;
            for n in effort.shards(&[1, 2, 7, 100]) {
                plan(&folder, n, &[file]);
                let mut parts = parts(&folder, n, &[&["coverage"][..], options].concat());
                parts.reverse();
                let run = merged(&folder, &parts, &[]);
                assert_eq!((run.code, &*run.stderr), (0, ""), "{file} {options:?} {n}");
                assert!(run.stdout == one, "{file} {options:?} {n}\n{}\n{one}", run.stdout);
            }
        }
    }
    // More shards than records.
    let many = effort.pick(110, 700);
    plan(&folder, many, &["deep.bam"]);
    let all = parts(&folder, many, &["coverage"]);
    let one = good(&folder, &["coverage", "deep.bam"]).stdout;
    assert_eq!(merged(&folder, &all, &[]).stdout, one);
    let one = good(&folder, &["coverage", "--format", "tsv", "deep.bam"]).stdout;
    assert_eq!(merged(&folder, &all, &["-T"]).stdout, one);
}

#[test]
fn the_files_of_mosdepth_are_made_of_all_shards() {
    let folder = Folder::new();
    bam(&folder, "aln.bam", &pairs(150, 3000, 3), 700);
    folder.file("targets.bed", "c\t10\t400\tone\nc\t300\t1200\nz\t0\t9\n");
    plan(&folder, 5, &["aln.bam"]);
    let all = parts(&folder, 5, &["coverage"]);
    let names: Vec<&str> = all.iter().map(String::as_str).collect();
    for (number, options) in [
        &[][..],
        &["--by", "100", "--no-per-base"],
        &["--by", "targets.bed", "--thresholds", "1,5,9", "--quantize", "0:1:5:"],
        &["--by", "targets.bed", "--use-median"],
    ]
    .into_iter()
    .enumerate()
    {
        let (one, of_all) = (format!("one{number}"), format!("all{number}"));
        good(&folder, &[&["coverage", "--out-dir", &one], options, &["aln.bam"]].concat());
        good(&folder, &[&["merge", "--out-dir", &of_all], options, &names].concat());
        let [one, of_all] = [one, of_all].map(|name| files_below(&folder.path(&name)));
        assert!(one == of_all, "{options:?}");
        assert!(one.len() >= 4, "{}", one.len());
    }
    assert_error(&merged(&folder, &all, &["--by", "100"]), &["--by needs --out-dir"]);
}

#[test]
fn shards_that_are_not_sorted_across_a_cut_are_an_error_as_in_one_run() {
    let folder = Folder::new();
    let line = |at: usize| format!("r\t0\tc\t{at}\t9\t4M\t*\t0\t0\tACGT\tIIII\n");
    let text: String = (0..40).map(|n| line(if n < 20 { 100 + n } else { 50 + n })).collect();
    bam(&folder, "aln.bam", &("@SQ\tSN:c\tLN:500\n".to_owned() + &text), 300);
    let one = fails_in(&folder, &["coverage", "aln.bam"], &["aln.bam: record 21", "sort"]);
    plan(&folder, 40, &["aln.bam"]);
    let all = parts(&folder, 40, &["coverage"]);
    let run = merged(&folder, &all, &[]);
    // But for the command.
    let first = |run: &Run| {
        let line = run.stderr.lines().next().unwrap_or_default();
        line.split_once(": error: ").map(|(_, said)| said.to_owned())
    };
    assert_eq!((run.code, first(&run)), (one.code, first(&one)));
}

#[test]
fn the_end_of_a_file_is_told_by_the_last_shard_alone() {
    let folder = Folder::new();
    bam(&folder, "aln.bam", &sorted(90, 7), 700);
    let bytes = std::fs::read(folder.path("aln.bam")).unwrap();
    folder.file("aln.bam", &bytes[..bytes.len() - 28]);
    is_checked_as_one(&folder, &["aln.bam"], &["--allow-missing-eof"], &[1, 4, 200], Effort::Short);
    plan(&folder, 4, &["--allow-missing-eof", "aln.bam"]);
    // Only who reads the end can miss the block there.
    for (number, code) in [(1, 0), (2, 0), (3, 0), (4, 1)] {
        let shard = format!("plan.json#{number}");
        let run = run_in(&folder, &["check", "--shard", &shard]);
        assert_eq!(run.code, code, "{number}: {}", run.stdout);
    }
}

/// Templates that stand together, of one to four records.
fn grouped(number: usize) -> String {
    let mut text = "@HD\tVN:1.6\tGO:query\n@SQ\tSN:c1\tLN:100000\n@SQ\tSN:c2\tLN:50000\n@RG\tID:g1\n@RG\tID:g2\n".to_owned();
    for line in biofast_testkit::templates::templates(9, number).concat() {
        text.push_str(line.trim_end_matches('\n'));
        text.push('\n');
    }
    text
}

fn reads_of_shards_joined_are_those_of_one_run(effort: Effort) {
    let folder = Folder::new();
    bam(&folder, "names.bam", &grouped(150), 700);
    let content = |name: &str| std::fs::read(folder.path(name)).unwrap();
    for (args, outputs) in [
        (
            &["fastq", "-1", "1.fq", "-2", "2.fq", "-0", "0.fq", "-s", "s.fq"][..],
            &["1.fq", "2.fq", "0.fq", "s.fq"][..],
        ),
        (&["fastq", "-o", "both.fq", "-0", "0.fq", "-n"], &["both.fq", "0.fq"]),
    ] {
        good(&folder, &[args, &["names.bam"]].concat());
        let one: Vec<Vec<u8>> = outputs.iter().map(|name| content(name)).collect();
        assert!(one.iter().all(|text| !text.is_empty()));
        for n in effort.shards(&[1, 2, 7, 100, 400]) {
            plan(&folder, n, &["--keep-templates", "names.bam"]);
            let mut all = vec![Vec::new(); outputs.len()];
            for number in 1..=n {
                let threads = ["1", "3"][number % 2];
                let shard = format!("plan.json#{number}");
                good(&folder, &[args, &["-@", threads, "--shard", &shard]].concat());
                for (all, name) in all.iter_mut().zip(outputs) {
                    all.extend(content(name));
                }
            }
            assert!(all == one, "{args:?} {n}");
        }
    }
    // What is written to standard output, too.
    let one = good(&folder, &["fastq", "names.bam"]).stdout;
    plan(&folder, 3, &["--keep-templates", "names.bam"]);
    let parts: String = (1..=3)
        .map(|n| good(&folder, &["fastq", "--shard", &format!("plan.json#{n}")]).stdout)
        .collect();
    assert!(parts == one);
    let made: Value = serde_json::from_slice(&content("plan.json")).unwrap();
    assert_eq!(made["templates"], true);
    // Shards that part mates, files sorted by coordinate, and FASTQ are refused.
    plan(&folder, 3, &["names.bam"]);
    fails_in(
        &folder,
        &["fastq", "--shard", "plan.json#1", "-o", "x.fq"],
        &["separate the mates", "--keep-templates", "sort -n"],
    );
    assert!(!folder.path("x.fq").exists());
    bam(&folder, "sorted.bam", &sorted(50, 8), 700);
    let args = ["shards", "--number", "2", "--keep-templates", "sorted.bam"];
    fails_in(&folder, &args, &["sorted by coordinate", "sort -n"]);
    folder.file("x.fq", reads("r", 9));
    let args = ["shards", "--number", "2", "--keep-templates", "x.fq"];
    fails_in(&folder, &args, &["this is FASTQ"]);
    plan(&folder, 3, &["--keep-templates", "names.bam"]);
    let args = ["fastq", "--collate", "--shard", "plan.json#1"];
    fails_in(&folder, &args, &["--collate can't be combined with --shard"]);
}

#[test]
fn parts_of_two_versions_are_not_added() {
    let folder = Folder::new();
    folder.file("r.fq", reads("r", 300));
    bam(&folder, "aln.bam", &sorted(60, 5), 700);
    for (file, command, form) in [
        ("r.fq", &["stats", "--json"][..], &["--json"][..]),
        ("r.fq", &["check", "--json"], &["--json"]),
        ("aln.bam", &["stats", "--json"], &["--json"]),
        ("aln.bam", &["flagstat", "-O", "json"], &["--json"]),
        ("aln.bam", &["idxstats"], &[]),
        ("aln.bam", &["coverage"], &[]),
    ] {
        plan(&folder, 2, &[file]);
        let parts = parts(&folder, 2, command);
        let merge = |second: &str| run_in(&folder, &[&["merge", &parts[0], second], form].concat());
        let whole = merge(&parts[1]);
        assert_eq!(whole.code, 0, "{}", whole.stderr);
        // A larger part of all of them is the whole, too.
        let larger = ["merge", "--json", "--partial", &parts[0], &parts[1], "-o", "larger"];
        good(&folder, &larger);
        let again = run_in(&folder, &[&["merge", "larger"], form].concat());
        assert_eq!((again.stdout, again.code), (whole.stdout, 0), "{command:?}");
        let own = format!("\"biofast_version\":\"{}\"", env!("CARGO_PKG_VERSION"));
        let text = std::fs::read_to_string(folder.path(&parts[1])).unwrap();
        assert!(text.contains(&own));
        folder.file("other.json", text.replace(&own, "\"biofast_version\":\"0.1.0\""));
        let run = merge("other.json");
        assert_error(&run, &["other.json", "written by biofast 0.1.0", "come from one version"]);
        // A form of before: none may be taken for a whole.
        folder.file("old.json", text.replace("biofast.part", "biofast.reads"));
        assert_error(&merge("old.json"), &["old.json"]);
    }
    // Reports of wholes are merged, with a word about it.
    good(&folder, &["stats", "--json", "r.fq", "-o", "one.json"]);
    let text = std::fs::read_to_string(folder.path("one.json")).unwrap();
    let own = format!("\"biofast_version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    folder.file("two.json", text.replace(&own, "\"biofast_version\":\"0.1.0\""));
    let run = good(&folder, &["merge", "--json", "one.json", "two.json"]);
    assert!(run.stderr.contains("two.json was written by biofast 0.1.0"), "{run:?}");
}

in_two_tiers! {
    shards_of_reads_are_checked_as_one,
    mates_in_shards_are_checked_as_one,
    shards_of_alignments_are_checked_as_one,
    depths_of_shards_are_those_of_one_run,
    reads_of_shards_joined_are_those_of_one_run,
}
