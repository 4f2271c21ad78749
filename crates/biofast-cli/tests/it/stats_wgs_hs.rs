//! The coverage of genomes and of targets in `stats --out-dir` is that of a plain count of every base. `tests/peers` has it
//! beside Picard.

use std::collections::{HashMap, HashSet};

use biofast_testkit::sam;

use crate::common::coverage::at;
use crate::common::stats_picard::rows;
use crate::common::stats_wgs_hs::{intervals, metrics, records, reference, run};
use crate::common::{Folder, assert_error, biofast, fails, ok};
use crate::effort::{Effort, in_two_tiers};

/// Positions on which bases of a CIGAR lie, from 1, with the places of the bases.
fn places(start: u64, cigar: &str) -> Vec<(u64, usize)> {
    let (mut at, mut base, mut number, mut out) = (start, 0, 0u64, Vec::new());
    for c in cigar.chars() {
        if let Some(digit) = c.to_digit(10) {
            number = number * 10 + u64::from(digit);
            continue;
        }
        if "M=X".contains(c) {
            out.extend((0..number).map(|n| (at + n, base + n as usize)));
        }
        at += if "M=XDN".contains(c) { number } else { 0 };
        base += if "M=XIS".contains(c) { number as usize } else { 0 };
        number = 0;
    }
    out
}

#[test]
fn coverage_of_a_genome_agrees_with_sets_of_names() {
    let (folder, sam) = (Folder::new(), records(33));
    let (input, fasta) = (folder.file("x.sam", &sam), reference(&folder, 33));
    let known: HashMap<&str, Vec<u8>> = sam::REFERENCES
        .iter()
        .map(|(name, _)| *name)
        .zip(sam::fasta(33).split('>').skip(1).map(|part| {
            part.split_once('\n').unwrap().1.bytes().filter(u8::is_ascii_graphic).collect()
        }))
        .collect();
    let mut seen: HashSet<(&str, &str, u64)> = HashSet::new();
    let mut depths: HashMap<(&str, u64), u64> = HashMap::new();
    let (mut excluded, mut aligned) = (0, 0);
    for line in sam.lines().filter(|line| !line.starts_with('@')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let flags: u16 = fields[1].parse().unwrap();
        let places = places(fields[3].parse().unwrap(), fields[5]);
        if flags & 0x100 != 0 {
            continue;
        }
        let mapq: u8 = fields[4].parse().unwrap();
        if mapq < 20 || flags & 0x400 != 0 || flags & 1 == 0 || flags & 8 != 0 {
            (excluded, aligned) = (excluded + places.len(), aligned + places.len());
            continue;
        }
        if flags & 0x204 != 0 {
            continue;
        }
        for (position, base) in places {
            if known[fields[2]][position as usize - 1] == b'N' {
                continue;
            }
            aligned += 1;
            let good = fields[10].as_bytes()[base] >= 33 + 20 && fields[9].as_bytes()[base] != b'N';
            if good && seen.insert((fields[0], fields[2], position)) {
                *depths.entry((fields[2], position)).or_default() += 1;
            } else {
                excluded += 1;
            }
        }
    }
    let capped: u64 = depths.values().map(|depth| depth.saturating_sub(250)).sum();
    assert!(capped > 0);
    let [wgs, _] = run(&folder, &input, "own", &["--qc", "wgs", "-r", &fasta]);
    let found = metrics(&wgs);
    let number = |name: &str| found[name].parse::<f64>().unwrap();
    let territory = known.values().flatten().filter(|base| **base != b'N').count() as f64;
    assert_eq!(number("GENOME_TERRITORY"), territory);
    let sum: u64 = depths.values().map(|depth| depth.min(&250)).sum();
    assert!((number("MEAN_COVERAGE") - sum as f64 / territory).abs() < 1e-6);
    let total = (excluded as u64 + capped) as f64 / aligned as f64;
    assert!((number("PCT_EXC_TOTAL") - total).abs() < 1e-6, "{total}: {wgs}");
    let share = depths.len() as f64 / territory;
    assert!((number("PCT_1X") - share).abs() < 1e-6);
    for depth in [1, 7, 250] {
        let positions = depths.values().filter(|own| **own.min(&&250) == depth).count();
        assert!(wgs.contains(&format!("\n{depth}\t{positions}\n")), "{depth} {positions}");
    }
}

fn threads_formats_lists_and_other_reports_make_no_difference(effort: Effort) {
    let folder = Folder::new();
    let (input, fasta) = (folder.file("x.sam", records(5)), reference(&folder, 5));
    let (targets, baits, bed) = intervals(&folder, 5);
    let both = ["-r", &fasta[..], "--bait-intervals", &baits, "--target-intervals"];
    // What is drawn for the sensitivity grows with the cap.
    let cap = ["--coverage-cap", "40"];
    let run = |out: &str, input: &str, args: &[&str]| {
        run(&folder, input, out, &[&both, args, &cap].concat())
    };
    let expected = run("one", &input, &[&targets, "--qc", "wgs,hs", "-@", "1"]);
    assert!(expected[1].contains("\nmy\t"), "{}", expected[1]);
    let bam = at(&folder, "x.bam");
    ok(&["view", "--quiet", "-b", &input, "-o", &bam]);
    for (number, args) in [
        vec![&bam[..], &targets, "--qc", "wgs,hs", "-@", "5", "--chunk-size", "3000"],
        vec![&bam, &bed, "--qc", "hs,wgs", "-@", "3"],
        vec![&bam, &bed],
        vec![&input, &bed, "--qc", "picard,wgs,hs", "-@", "2", "--chunk-size", "20000"],
    ]
    .iter()
    .enumerate()
    .skip(effort.pick(3, 0))
    {
        assert!(run(&format!("{number}"), args[0], &args[1..]) == expected, "{args:?}");
    }
    // Of each sample as of a file with its records alone.
    run(
        "groups",
        &bam,
        &[&targets, "--qc", "wgs,hs", "--by", "SM", "-@", "3", "--chunk-size", "9000"],
    );
    let text = std::fs::read_to_string(&input).unwrap();
    for (sample, ids) in [("s0", vec!["0"]), ("s1", vec!["1", "2"])] {
        let is_of = |line: &&str| ids.iter().any(|id| line.ends_with(&format!("\tRG:Z:{id}")));
        let own: Vec<&str> =
            text.lines().filter(|line| line.starts_with('@') || is_of(line)).collect();
        let own = folder.file("own.sam", own.join("\n") + "\n");
        let alone = run(sample, &own, &[&targets, "--qc", "wgs,hs"]);
        let found =
            ["wgs", "hs"].map(|name| rows(&folder, &format!("groups/x.{sample}.{name}_metrics")));
        assert!(found == alone, "{sample}");
    }
}

#[test]
fn what_is_missing_unsorted_or_unknown_is_told() {
    let folder = Folder::new();
    let sam = "@SQ\tSN:c\tLN:100\nr\t67\tc\t9\t60\t4M\t=\t3\t0\tACGT\tIIII\nr\t131\tc\t3\t60\t4M\t=\t9\t0\tACGT\tIIII\n";
    let input = folder.file("x.sam", sam);
    let fasta = folder.file("c.fa", format!(">c\n{}\n", "ACGTN".repeat(20)));
    let bed = folder.file("t.bed", "c\t2\t30\n");
    let out = at(&folder, "qc");
    let run = |args: &[&str]| biofast(&[&["stats", &input, "--out-dir", &out][..], args].concat());
    assert_error(&run(&["--qc", "wgs"]), &["--qc wgs", "--reference"]);
    assert_error(&run(&["--qc", "hs"]), &["--target-intervals"]);
    assert_error(&run(&["--qc", "stats", "--targets", &bed]), &["--target-intervals", "--qc"]);
    for args in [["wgs", "-r", &fasta], ["hs", "--targets", &bed]] {
        assert_error(
            &run(&[&["--qc"], &args[..]].concat()),
            &["x.sam", "record 2", "sort", "wgs and hs"],
        );
    }
    for (content, words) in [
        ("d\t1\t5\n", "no such reference"),
        ("c\t1\t500\n", "past the end of its reference"),
        ("c\t1\n", "line 1"),
        ("", "no intervals"),
    ] {
        let bad = folder.file("bad.bed", content);
        assert_error(&run(&["--qc", "hs", "--targets", &bad]), &["bad.bed", words]);
    }
    assert!(std::fs::read_dir(&out).map_or(0, |files| files.count()) == 0);
    let reads = folder.file("x.fq", "@r\nA\n+\nI\n");
    let of_reads = ["stats", &reads, "--out-dir", &out, "--targets", &bed];
    fails(&of_reads, &["--target-intervals", "reads"]);
}

in_two_tiers!(threads_formats_lists_and_other_reports_make_no_difference);
