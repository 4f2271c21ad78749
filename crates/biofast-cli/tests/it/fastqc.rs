//! `stats --format fastqc`: FastQC's own figures and verdicts, in the modules it has.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

use common::{Folder, assert_error, biofast, biofast_with, installed, sample, text};

/// Modules by name: the verdict, and the rows with the head.
type Modules = BTreeMap<String, (String, Vec<Vec<String>>)>;

fn modules(text: &str) -> Modules {
    let mut modules = Modules::new();
    for part in text.split(">>END_MODULE\n").filter(|part| part.contains(">>")) {
        let mut lines = part.lines().skip_while(|line| !line.starts_with(">>"));
        let (name, verdict) = lines.next().unwrap()[2..].split_once('\t').unwrap();
        let rows = lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect();
        modules.insert(name.to_owned(), (verdict.to_owned(), rows));
    }
    modules
}

/// Reads of these lengths and GC shares, and qualities that fall by `fall` in a read.
fn fastq(n: usize, lengths: &[usize], gc: &[usize], fall: usize) -> String {
    let mut state = 7u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
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

/// Reads of a library with what is looked for: tiles in the names, repeats, adapters, primers with a mismatch, lower case.
fn library(n: usize, len: usize, tiles: usize, inserts: usize) -> String {
    const PRIMERS: [&str; 6] = [
        "AGATCGGAAGAGCACACGTCTGAACTCCAGTCACCGATGTATCTCGTATGCCGTCTTCTGCTTG",
        "CTGTCTCTTATACACATCTCCGAGCCCACGAGAC",
        "AATGATACGGCGACCACCGAGATCTACACTCTTTCCCTACACGACGCTCTTCCGATCT",
        "CAAGCAGAAGACGGCATACGAGATCGTGATGTGACTGGAGTTCCTTGGCACCCGAGAATTCCA",
        "TGGAATTCTCGGGTGCCAAGG",
        "AAGCAGTGGTATCAACGCAGAGTACTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT",
    ];
    let mut state = (n * 31 + len) as u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut text = String::new();
    for i in 0..n {
        // Few inserts are frequent, most are rare.
        let mut insert = random(inserts) * random(inserts) / inserts;
        let primer = PRIMERS[random(PRIMERS.len())];
        let mut read = String::new();
        if random(12) > 0 {
            for _ in 0..random(len + 1) {
                insert = (insert * 1_103_515_245 + 12_345) & 0x7fff_ffff;
                read.push(['A', 'C', 'G', 'T'][insert >> 16 & 3]);
            }
        }
        read += primer;
        read += &"ACCGT".repeat(len);
        read.truncate(if random(3) == 0 { len - random(len / 2) } else { len });
        if i % 7 == 0 {
            read.replace_range(5..6, ["a", "T", "N"][random(3)]);
        }
        let tile = 1101 + random(tiles);
        // Lower towards the end, in some tiles more so.
        let drop = |at: usize| (at * 12 / len + tile % 5 * at * 3 / len) as u8;
        let qualities: String = (0..read.len()).map(|at| (b'I' - drop(at)) as char).collect();
        let name = match tiles {
            1 => format!("HWUSI-EAS:6:{}:941:1973#0/1", 1 + i % 100),
            2 => format!("SRR1.{i} {i} length={len}"),
            _ => format!("M0:7:FC:1:{tile}:{i}:5 1:N:0:ACGT"),
        };
        let _ = writeln!(text, "@{name}\n{read}\n+\n{qualities}");
    }
    text
}

#[test]
fn every_cell_and_verdict_is_that_of_fastqc() {
    if !installed("fastqc") {
        return;
    }
    let folder = Folder::new();
    let mut files = vec![
        ("equal.fq", fastq(500, &[100], &[44], 14)),
        ("lengths.fq", fastq(400, &[30, 31, 47, 70, 230], &[30, 31, 60], 20)),
        ("bimodal.fq", fastq(900, &[150], &[25, 70], 38)),
        ("few.fq", fastq(60, &[50], &[50], 30)),
        ("short.fq", fastq(30, &[9, 11, 12], &[50], 20)),
        ("copies.fq", fastq(40, &[60], &[45], 20).repeat(9)),
        ("tiles.fq", library(9000, 100, 40, 3000)),
        ("old.fq", library(3000, 36, 1, 300)),
        ("unnamed.fq", library(3000, 76, 2, 2000)),
        // More than are looked at.
        ("large.fq", library(150_000, 30, 5, 900_000)),
    ]
    .into_iter()
    .map(|(name, content)| folder.file(name, content))
    .collect::<Vec<String>>();
    let plain = biofast(&["filter", "--quiet", &sample("sample_R1.fq.bgz")]).stdout;
    files.push(folder.file("sample_R1.fq", plain));
    // Real libraries: short reads of many copies, three and four quality values, tiles.
    for name in ["chipseq_SRR5204809-10_R1", "tenx_flex_3level_R2", "novaseq4_metagenome_R1"] {
        let real = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/real");
        let real = format!("{real}/{name}.fastq.gz");
        if !std::path::Path::new(&real).exists() {
            eprintln!("skipped: {real} is not there");
            continue;
        }
        let plain = biofast(&["filter", "--quiet", &real]).stdout;
        files.push(folder.file(&format!("{name}.fq"), plain));
    }
    let run = Command::new("fastqc")
        .args(["--quiet", "--nogroup", "--extract"])
        .args(&files)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let mut verdicts = Vec::new();
    for file in &files {
        let theirs = format!("{}_fastqc/fastqc_data.txt", file.strip_suffix(".fq").unwrap());
        let theirs = modules(&std::fs::read_to_string(theirs).unwrap());
        let ours = modules(&biofast(&["stats", "--format", "fastqc", file]).stdout);
        assert_eq!(ours.len(), theirs.len(), "{file}: {:?} {:?}", ours.keys(), theirs.keys());
        for (name, (verdict, rows)) in &ours {
            let (their_verdict, their_rows) = &theirs[name];
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

/// The same text, or the same number up to how it is rounded.
fn same(a: &str, b: &str) -> bool {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * a.abs().max(1.0),
        _ => a == b,
    }
}

#[test]
fn figures_and_verdicts_follow_the_definitions() {
    // 101 reads of 4 bases: qualities 40, 40, 22, 4; every A against no T.
    let reads = "@r\nAAGC\n+\nII7%\n".repeat(101);
    let run =
        biofast_with(&["stats", "--format", "fastqc", "--stdin-label", "x"], reads.as_bytes());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let modules = modules(&run.stdout);
    let verdict = |name: &str| modules[name].0.as_str();
    let row = |name: &str, row: usize| modules[name].1[row].join(" ");
    assert_eq!(row("Basic Statistics", 1), "Filename x");
    assert_eq!(row("Basic Statistics", 7), "%GC 50");
    assert_eq!(row("Per base sequence quality", 3), "3 22.0 22.0 22.0 22.0 22.0 22.0");
    assert_eq!(verdict("Per base sequence quality"), "fail");
    assert_eq!(row("Per sequence quality scores", 1), "26 101.0");
    assert_eq!(verdict("Per sequence quality scores"), "warn");
    assert_eq!(row("Per base sequence content", 1), "1 0.0 100.0 0.0 0.0");
    assert_eq!(verdict("Per base sequence content"), "fail");
    assert_eq!(
        (row("Per base N content", 4), verdict("Per base N content")),
        ("4 0.0".into(), "pass")
    );
    assert_eq!(row("Sequence Length Distribution", 1), "4 101.0");
    assert_eq!(verdict("Sequence Length Distribution"), "pass");
}

#[test]
fn a_folder_a_sample_the_same_on_any_number_of_threads_and_in_parts() {
    let folder = Folder::new();
    let (r1, r2) = (sample("sample_R1.fq.bgz"), sample("sample_R2.fq.bgz"));
    let run = |more: &[&str], to: &str| {
        let to = text(&folder.path(to));
        let args = [&["stats", "--format", "fastqc", &r1, &r2, "--out-dir", &to], more].concat();
        let run = biofast(&args);
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    };
    run(&["-@1"], "one");
    run(&["-@5", "--chunk-size", "3000"], "five");
    // How often sequences occur in both isn't known, and nothing stands for it.
    let to = text(&folder.path("joined"));
    let joined =
        biofast(&["stats", "--format", "fastqc", &r1, &r2, "--out-dir", &to, "--sample", "both"]);
    assert_eq!((joined.code, joined.stdout.as_str()), (0, ""));
    assert!(joined.stderr.contains("warning: both: how often"), "{}", joined.stderr);
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    for name in ["sample_R1", "sample_R2"] {
        for file in ["fastqc_data.txt", "summary.txt"] {
            let of = |threads: &str| read(&format!("{threads}/{name}_fastqc/{file}"));
            assert_eq!(of("one"), of("five"));
            assert!(of("one").contains(&format!("{name}.fq.bgz")));
        }
    }
    let joined = read("joined/both_fastqc/fastqc_data.txt");
    assert!(joined.contains("Filename\tboth\n") && joined.contains("Total Sequences\t5000\n"));
    assert!(joined.contains(">>Adapter Content") && !joined.contains("Duplication"), "{joined}");
}

#[test]
fn threads_and_chunks_change_nothing_where_the_order_of_reads_matters() {
    let folder = Folder::new();
    let file = folder.file("large.fq", library(130_000, 30, 5, 9_000_000));
    let run = |more: &[&str]| {
        let run = biofast(&[&["stats", "--format", "fastqc", &file], more].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        run.stdout
    };
    let one = run(&["-@1"]);
    assert_eq!(one, run(&["-@2", "--chunk-size", "70000"]));
    assert_eq!(one, run(&["-@7", "--chunk-size", "4000"]));
    let duplication = &modules(&one)["Sequence Duplication Levels"].1;
    // More than 100,000 sequences, so shares are extrapolated.
    assert!(duplication[2][1].parse::<f64>().unwrap() > 90.0, "{duplication:?}");
}

#[test]
fn sequences_of_ones_own_are_named_as_possible_sources() {
    let folder = Folder::new();
    let file =
        folder.file("x.fq", "@r\nACGTTGCATTGACCATGGCATCAGTT\n+\nIIIIIIIIIIIIIIIIIIIIIIIIII\n");
    let list = folder.file("list.txt", "# mine\nMy primer\t\tGCATTGACCATGGCATCAGTTACGA\n");
    let run = biofast(&["stats", "--format", "fastqc", &file, "--contaminants", &list]);
    assert!(run.stdout.contains("\t1\t100.0\tMy primer (100% over 21bp)\n"), "{}", run.stdout);
    let run = biofast(&["stats", "--format", "fastqc", &file]);
    assert!(run.stdout.contains("\t1\t100.0\tNo Hit\n"), "{}", run.stdout);
    let bad = folder.file("bad.txt", "one\tACGT\ntwo ACGT\n");
    let run = biofast(&["stats", "--format", "fastqc", &file, "--contaminants", &bad]);
    assert_error(&run, &["bad.txt", "line 2"]);
}

#[test]
fn what_cant_be_written_is_said_with_what_to_do() {
    let folder = Folder::new();
    let r1 = sample("sample_R1.fq.bgz");
    let qc = text(&folder.path("qc"));
    let two = [&r1, &sample("sample_R2.fq.bgz")];
    let run = biofast(&["stats", "--format", "fastqc", two[0], two[1]]);
    assert_error(&run, &["--out-dir"]);
    let run = biofast(&["stats", "--format", "fastqc", &r1, &r1, "--out-dir", &qc]);
    assert_error(&run, &["sample_R1_fastqc", "--sample"]);
    let sam = folder.file("a.sam", "@SQ\tSN:c\tLN:9\nr\t0\tc\t1\t9\t2M\t*\t0\t0\tAC\tII\n");
    let bad = folder.file("bad.fq", "@r\nAC\n+\nI\n");
    let run = biofast(&["stats", "--format", "fastqc", &sam, &bad, &r1, "--out-dir", &qc]);
    assert_error(&run, &["biofast fastq", "bad.fq"]);
    // The good one is there, no part of a bad one is.
    let written: Vec<_> = std::fs::read_dir(&qc).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(written, ["sample_R1_fastqc"]);
}
