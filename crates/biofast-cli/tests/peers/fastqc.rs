//! Reports of `--format fastqc` beside FastQC.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

use biofast_testkit::effort::times;
use biofast_testkit::random::Random;
use biofast_testkit::templates::TemplateRandom;

use crate::common::fastqc::{library, modules};
use crate::common::{Folder, biofast, sample, text};
use crate::made::Made;
use crate::tools::{corpus, need};

/// Reads of these lengths and GC shares, and qualities that fall by `fall` in a read.
fn fastq(n: usize, lengths: &[usize], gc: &[usize], fall: usize) -> String {
    let mut numbers = TemplateRandom(7);
    let mut random = |below: usize| numbers.below(below);
    let mut text = String::new();
    for i in 0..n {
        let (len, gc) = (lengths[random(lengths.len())], gc[random(gc.len())]);
        let mut base = |j: usize| match (random(100) < gc, random(2)) {
            _ if i % 40 == 0 && j % 7 == 3 => 'N',
            (true, 0) => 'G',
            (true, _) => 'C',
            (false, 0) => 'A',
            (false, _) => 't',
        };
        let bases: String = (0..len).map(&mut base).collect();
        let quality = |j: usize| (33 + 38 - fall * j / len + (i + j) % 3) as u8 as char;
        let qualities: String = (0..len).map(quality).collect();
        let _ = writeln!(text, "@r{i}\n{bases}\n+\n{qualities}");
    }
    text
}

#[test]
#[ignore = "needs fastqc"]
fn every_cell_and_verdict_is_that_of_fastqc() {
    compare_made("fastqc", "fastqc=0.11.9");
}

#[test]
#[ignore = "needs FastQC 0.12.1, named by BIOFAST_FASTQC"]
fn every_cell_and_verdict_is_that_of_fastqc_0_12_1() {
    compare_made(&current(), "fastqc=0.12.1");
}

/// The program of FastQC 0.12.1.
fn current() -> String {
    std::env::var("BIOFAST_FASTQC").expect("BIOFAST_FASTQC names no program")
}

fn compare_made(program: &str, version: &str) {
    let folder = Folder::new();
    let made = [
        ("equal.fq", fastq(500, &[100], &[44], 14)),
        ("lengths.fq", fastq(400, &[30, 31, 47, 70, 230], &[30, 31, 60], 20)),
        ("bimodal.fq", fastq(900, &[150], &[25, 70], 38)),
        ("few.fq", fastq(60, &[50], &[50], 30)),
        ("short.fq", fastq(30, &[9, 11, 12], &[50], 20)),
        ("copies.fq", fastq(40, &[60], &[45], 20).repeat(9)),
        ("tiles.fq", library(9000, 100, 40, 3000)),
        ("old.fq", library(3000, 36, 1, 300)),
        ("unnamed.fq", library(3000, 76, 2, 2000)),
        // The versions compare these differently, and count other reads by tile.
        ("middle.fq", library(12_000, 70, 40, 300) + &fastq(3000, &[45, 55, 75, 90], &[44], 9)),
        ("tails.fq", tails(400)),
        // Positions without A, C, G and T, and letters that stand for several bases.
        ("letters.fq", letters()),
        // More than are looked at.
        ("large.fq", library(150_000, 30, 5, 900_000)),
    ];
    let mut files: Vec<String> =
        made.into_iter().map(|(name, content)| folder.file(name, content)).collect();
    // And of random kinds.
    for n in 0..u64::from(times(3)) {
        let mut random = Random((n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..20).for_each(|_| {
            random.next_u64();
        });
        files.push(folder.file(&format!("random{n}.fq"), any(&mut random)));
    }
    files.push(plain(&folder, "sample_R1", &sample("sample_R1.fq.bgz")));
    let verdicts = compare(&files, program, version);
    // The rules were put to the test.
    for seen in [
        "warn Per",
        "fail Per base sequence quality",
        "fail Per sequence GC content",
        "warn Per tile sequence quality",
        "fail Sequence Duplication Levels",
        "warn Overrepresented sequences",
        "fail Overrepresented sequences",
        "warn Adapter Content",
        "fail Adapter Content",
    ] {
        assert!(verdicts.iter().any(|verdict| verdict.starts_with(seen)), "{seen}: {verdicts:?}");
    }
}

/// Reads of any of the kinds, mixed now and then. Some qualities are low, which tells their encoding.
fn any(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(2) {
        text += &match random.below(4) {
            0 => {
                let lengths: Vec<usize> =
                    (0..1 + random.below(5)).map(|_| 12 + random.below(200)).collect();
                let gc = [random.below(100), random.below(100)];
                fastq(1 + random.below(400), &lengths, &gc, 14 + random.below(24))
            }
            1 => {
                let (len, tiles) = (24 + random.below(130), 1 + random.below(40));
                let n = 20 + random.below(3000);
                library(n, len, tiles, 1 + random.below(n))
            }
            2 => tails(1 + random.below(300)),
            _ => {
                let before = [String::new(), "ACGTTGCA".into()];
                let longest = [30 + random.below(130), 50];
                let made = Made { before, longest, machine: "A00:1:H:1:1101", numbered: false };
                let n = 1 + random.below(300);
                made.pairs(random, n)[0].clone()
            }
        };
    }
    text
}

fn plain(folder: &Folder, name: &str, reads: &str) -> String {
    let run = biofast(&["filter", "--quiet", reads]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    folder.file(&format!("{name}.fq"), run.stdout)
}

fn letters() -> String {
    let read = |i: usize, bases: &str| format!("@r{i}\n{bases}\n+\n{}\n", "5".repeat(bases.len()));
    (0..40).map(|i| read(i, ["NNNNNNNNNNNNNNN", "NRNYACGTMNN", "NNWRGATTN"][i % 3])).collect()
}

/// Reads that end in A or G, and copies of a primer that is one base away from two of equal length.
fn tails(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let read = match i % 4 {
            0 => format!("ACGT{}{}", "G".repeat(20 + i % 30), "C".repeat(30 - i % 30)),
            1 => format!("{}{}", "TGCA".repeat(3 + i % 5), "A".repeat(40)),
            2 => "GATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGC".into(),
            _ => "CAAGCAGAAGACGGCATACGAGATCGTGATGTGACTGGAGTTCAGACGTGTG".into(),
        };
        let _ = writeln!(text, "@r{i}\n{read}\n+\n5{}", "I".repeat(read.len() - 1));
    }
    text
}

/// Whether FastQC 0.11.9 may take qualities by tile to have an offset of 64: by those of every tenth read of a single tile.
fn has_tile_of_high_qualities(fastq: &str) -> bool {
    let mut lowest: BTreeMap<&str, u8> = BTreeMap::new();
    let lines: Vec<&str> = fastq.lines().collect();
    for read in lines.chunks_exact(4).skip(9).step_by(10) {
        let fields: Vec<&str> = read[0].split(':').collect();
        let tile = match fields.len() {
            7.. => fields[4],
            5.. => fields[2],
            _ => continue,
        };
        let least = read[3].bytes().min().unwrap_or(u8::MAX);
        lowest.entry(tile).and_modify(|lowest| *lowest = least.min(*lowest)).or_insert(least);
    }
    lowest.values().any(|&lowest| lowest >= 64)
}

/// Compares all cells of the files' reports, but those that docs/versions.md excludes; returns the verdicts.
fn compare(files: &[String], program: &str, version: &str) -> Vec<String> {
    let mut command = match program {
        "fastqc" => need(program),
        _ => Command::new(program),
    };
    let run = command.args(["--quiet", "--nogroup", "--extract"]).args(files).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let (mut verdicts, mut misled) = (Vec::new(), 0);
    for file in files {
        let theirs = format!("{}_fastqc/fastqc_data.txt", file.strip_suffix(".fq").unwrap());
        let theirs = modules(&std::fs::read_to_string(theirs).unwrap());
        let ours =
            modules(&biofast(&["stats", "--format", "fastqc", "--compat", version, file]).stdout);
        assert_eq!(ours.len(), theirs.len(), "{file}: {:?} {:?}", ours.keys(), theirs.keys());
        let is_misled = version == "fastqc=0.11.9"
            && has_tile_of_high_qualities(&std::fs::read_to_string(file).unwrap());
        for (name, (verdict, rows)) in &ours {
            let (their_verdict, their_rows) = &theirs[name];
            if is_misled && name == "Per tile sequence quality" && rows != their_rows {
                misled += 1;
                let places = |rows: &[Vec<String>]| -> Vec<[String; 2]> {
                    rows.iter().map(|row| [row[0].clone(), row[1].clone()]).collect()
                };
                assert_eq!(places(rows), places(their_rows), "{file}: {name}");
                continue;
            }
            assert_eq!(verdict, their_verdict, "{file}: {name}");
            assert_eq!(rows.len(), their_rows.len(), "{file}: {name}");
            for (row, their_row) in rows.iter().zip(their_rows) {
                let same = row.len() == their_row.len()
                    && row.iter().zip(their_row).all(|(a, b)| same(a, b));
                assert!(same, "{file}: {name}: {row:?}, not {their_row:?}");
            }
            verdicts.push(format!("{verdict} {name}"));
        }
    }
    println!("{} files, {misled} with another offset of qualities by tile", files.len());
    verdicts
}

/// The same text, or the same number up to how it is rounded: a read of up to 1,000 bases counts for a GC percent as 1/11 or more, kept in
/// billionths.
fn same(a: &str, b: &str) -> bool {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a.is_nan() && b.is_nan()) || (a - b).abs() <= 5.5e-9 * a.abs().max(1.0),
        _ => a == b,
    }
}

/// Third-party files.
mod corpus {
    use super::*;

    /// Short reads of many copies, three and four quality values, tiles.
    #[test]
    #[ignore = "needs fastqc and the corpus"]
    fn every_cell_and_verdict_of_real_libraries_is_that_of_fastqc() {
        compare_real("fastqc", "fastqc=0.11.9");
    }

    #[test]
    #[ignore = "needs FastQC 0.12.1, named by BIOFAST_FASTQC, and the corpus"]
    fn every_cell_and_verdict_of_real_libraries_is_that_of_fastqc_0_12_1() {
        compare_real(&current(), "fastqc=0.12.1");
    }

    fn compare_real(program: &str, version: &str) {
        let folder = Folder::new();
        let names = ["chipseq_SRR5204809-10_R1", "tenx_flex_3level_R2", "novaseq4_metagenome_R1"];
        let file = |name| plain(&folder, name, &text(&corpus(&format!("real/{name}.fastq.gz"))));
        compare(&names.map(file), program, version);
    }
}
