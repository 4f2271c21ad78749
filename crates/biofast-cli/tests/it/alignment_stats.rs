//! `biofast stats` of alignments: the report of samtools byte for byte, and biofast's own figures
//! against what they must be.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use biofast_testkit::sam::{self, Shape};
use common::{Folder, Run, biofast, biofast_with, command, finish, installed};
use serde_json::Value;

const SORTED: Shape = Shape { records: 4000, sorted: true, longest: 150, oddities: false, seed: 1 };

/// Shapes that exercise what the report does with order, long reads and rare fields.
const SHAPES: [Shape; 5] = [
    SORTED,
    Shape { oddities: true, seed: 2, ..SORTED },
    Shape { sorted: false, oddities: true, seed: 3, ..SORTED },
    // The report's ring of depths grows several times.
    Shape { longest: 9000, records: 1500, oddities: true, seed: 4, ..SORTED },
    Shape { longest: 5, oddities: true, seed: 5, ..SORTED },
];

/// The report without the lines that name the program and its command.
pub(crate) fn comparable(report: &str) -> String {
    let own = |line: &&str| {
        !line.starts_with("# This file was produced by") && !line.starts_with("# The command line")
    };
    report.lines().filter(own).fold(String::new(), |out, line| out + line + "\n")
}

fn samtools(args: &[&str]) -> Option<String> {
    let output = Command::new("samtools").args(args).output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

/// Compares the report; `None` if one of the programs can't make one.
fn compare(path: &str, reference: Option<&str>) -> Option<Run> {
    let mut args = vec!["stats"];
    args.extend(reference.iter().flat_map(|r| ["-r", r]));
    args.push(path);
    let theirs = samtools(&args)?;
    args.extend(["--format", "samtools"]);
    let ours = biofast(&args);
    if ours.code == 2 && ours.stderr.contains(TOO_LONG) {
        return None;
    }
    assert_eq!(ours.code, 0, "{path}: {}", ours.stderr);
    let (ours_text, theirs) = (comparable(&ours.stdout), comparable(&theirs));
    for (ours, theirs) in ours_text.lines().zip(theirs.lines()) {
        assert_eq!(ours, theirs, "{path} {reference:?}");
    }
    assert_eq!(ours_text.len(), theirs.len(), "{path} {reference:?}");
    Some(ours)
}

#[test]
fn the_report_of_generated_alignments_equals_samtools() {
    if !installed("samtools") {
        return;
    }
    let folder = Folder::new();
    let reference = folder.file("ref.fa", sam::fasta(7));
    for shape in SHAPES {
        let path = folder.file("x.sam", sam::text(&shape));
        assert!(compare(&path, None).is_some(), "samtools makes a report of {shape:?}");
        // samtools gives up where a read reaches over the end of what it holds of the reference.
        if compare(&path, Some(&reference)).is_none() {
            assert!(shape.longest > 150 || shape.oddities, "{shape:?}");
        }
    }
}

/// What biofast says of files that samtools reads and it refuses. The specification's references end
/// at 2^31 − 1; longer ones are an extension of htslib that BAM, in whose terms biofast works, has
/// no place for.
const TOO_LONG: &str = "2,147,483,647";

/// Reads of a million bases: the same report, but of 200 MB, in a minute.
const SLOW: [&str; 3] = ["ce#large_seq.sam", "ce#large_seq.bam", "cigar-64k.bam"];

#[test]
fn the_report_of_third_party_files_equals_samtools() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let Ok(manifest) = std::fs::read_to_string(shared.join("conformance/MANIFEST.tsv")) else {
        eprintln!("skipped: {} is absent", shared.display());
        return;
    };
    if !installed("samtools") {
        return;
    }
    let rows = manifest.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let valid = rows.filter(|row| {
        matches!(row[1], "bam" | "sam")
            && row[2] == "valid"
            && !SLOW.iter().any(|name| row[0].ends_with(name))
            // U is T for us and for samtools from 1.22 on, N for those before.
            && !["xx#u.sam", "seq.warn.sam"].iter().any(|name| row[0].ends_with(name))
    });
    let mut paths: Vec<_> = valid.map(|row| shared.join("conformance").join(row[0])).collect();
    paths.push(shared.join("real/ecoli_k12_minimap2.bam"));
    let (mut same, mut without) = (0, 0);
    for path in &paths {
        match compare(path.to_str().unwrap(), None) {
            Some(_) => same += 1,
            None => {
                eprintln!("not by both programs: {}", path.display());
                without += 1;
            }
        }
    }
    eprintln!("{same} reports equal samtools'; one of the programs makes none of {without} files");
    assert!(same > 9 * without);
}

#[test]
fn figures_and_report_are_the_same_on_any_threads_chunk_and_source() {
    let folder = Folder::new();
    let reference = folder.file("ref.fa", sam::fasta(7));
    let text = sam::text(&Shape { records: 600, ..SHAPES[1] });
    let path = folder.file("x.sam", &text);
    for format in [&["--json"][..], &["--format", "samtools", "-r", &reference], &["-T"]] {
        let args = [&["stats", "--stdin-label", &path][..], format].concat();
        let strip = |out: &str| comparable(out);
        let expected = biofast(&[&args[..], &[&path]].concat());
        assert_eq!((expected.code, expected.stderr.as_str()), (0, ""));
        for chunk in ["100", "5000"] {
            for threads in ["1", "2", "5"] {
                let more = ["--chunk-size", chunk, "-@", threads, &path];
                let run = biofast(&[&args[..], &more[..]].concat());
                assert_eq!(run.stderr, "", "{chunk} {threads}");
                assert!(strip(&run.stdout) == strip(&expected.stdout), "{chunk} {threads}");
            }
        }
        for simd in ["scalar", "avx2", "avx512", "neon"] {
            let mut command = command(&[&args[..], &[&path]].concat());
            command.env("BIOFAST_SIMD", simd);
            let run = finish(command);
            if run.code == 2 && run.stderr.contains("BIOFAST_SIMD") {
                continue;
            }
            assert!(strip(&run.stdout) == strip(&expected.stdout), "{simd}");
        }
        let run = biofast_with(&args, text.as_bytes());
        assert!(strip(&run.stdout) == strip(&expected.stdout), "standard input");
    }
}

fn figures(path: &str) -> Value {
    let run = biofast(&["stats", "--json", path]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    report["files"][0].clone()
}

/// Depths counted base by base from the lines of SAM.
fn depths(text: &str) -> HashMap<(String, u64), u64> {
    let mut depths = HashMap::new();
    for line in text.lines().filter(|line| !line.starts_with('@')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let flags: u32 = fields[1].parse().unwrap();
        // As `biofast coverage` by default; no two records share a name.
        if flags & 0x704 != 0 {
            continue;
        }
        let mut position: u64 = fields[3].parse().unwrap();
        let mut len = 0;
        for letter in fields[5].bytes() {
            match letter {
                b'0'..=b'9' => len = 10 * len + u64::from(letter - b'0'),
                b'M' | b'=' | b'X' => {
                    for at in position..position + len {
                        *depths.entry((fields[2].to_owned(), at)).or_default() += 1;
                    }
                    position += std::mem::take(&mut len);
                }
                b'D' | b'N' => position += std::mem::take(&mut len),
                _ => len = 0,
            }
        }
    }
    depths
}

#[test]
fn coverage_is_the_true_depth_even_with_skips_and_long_reads() {
    let folder = Folder::new();
    for shape in [SHAPES[1], SHAPES[3]] {
        let text = sam::text(&shape);
        let expected = depths(&text);
        let file = figures(&folder.file("x.sam", &text));
        let mut histogram = HashMap::<u64, u64>::new();
        expected.values().for_each(|depth| *histogram.entry(*depth).or_default() += 1);
        let found = file["coverage"]["histogram"].as_array().unwrap();
        let found: HashMap<u64, u64> =
            found.iter().map(|e| (e[0].as_u64().unwrap(), e[1].as_u64().unwrap())).collect();
        assert_eq!(found, histogram);
        for (index, (name, length)) in sam::REFERENCES.into_iter().enumerate() {
            let own = || expected.iter().filter(|((reference, _), _)| reference == name);
            let reference = &file["references"][index];
            assert_eq!(reference["covered"], own().count());
            let mean = own().map(|(_, depth)| depth).sum::<u64>() as f64 / length as f64;
            assert!((reference["mean_depth"].as_f64().unwrap() - mean).abs() < 1e-6);
        }
    }
}

#[test]
fn coverage_of_an_unsorted_file_is_not_given() {
    let folder = Folder::new();
    let file = figures(&folder.file("x.sam", sam::text(&SHAPES[2])));
    assert!(file["coverage"].is_null() && file["references"][0]["covered"].is_null());
    assert!(file["records"]["passed"]["total"].as_u64().unwrap() > 1000);
}

#[test]
fn reads_are_counted_as_the_fastq_they_come_from() {
    let folder = Folder::new();
    let text = sam::text(&SORTED);
    let mut fastq = [String::new(), String::new(), String::new()];
    for line in text.lines().filter(|line| !line.starts_with('@')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let flags: u32 = fields[1].parse().unwrap();
        if flags & 0x900 != 0 {
            continue;
        }
        let (mut bases, mut qualities) = (fields[9].to_owned(), fields[10].to_owned());
        if flags & 0x10 != 0 {
            let complement = |base: char| match base {
                'A' => 'T',
                'C' => 'G',
                'G' => 'C',
                'T' => 'A',
                other => other,
            };
            bases = bases.chars().rev().map(complement).collect();
            qualities = qualities.chars().rev().collect();
        }
        let fragment = match (flags & 1, flags & 0xc0) {
            (0, _) | (1, 0x40) => 0,
            (1, 0x80) => 1,
            _ => 2,
        };
        fastq[fragment].push_str(&format!("@r\n{bases}\n+\n{qualities}\n"));
    }
    let file = figures(&folder.file("x.sam", &text));
    for (fragment, fastq) in ["first", "last", "other"].into_iter().zip(fastq) {
        let expected = figures(&folder.file("x.fq", fastq));
        let found = file["reads"][fragment].as_object().unwrap();
        for (name, value) in found {
            assert_eq!(*value, expected[name], "{fragment} {name}");
        }
        assert!(found.len() >= 7);
    }
}

#[test]
fn what_cannot_be_counted_is_an_error_that_says_why() {
    let folder = Folder::new();
    let sorted = folder.file("x.sam", sam::text(&SORTED));
    let fastq = folder.file("x.fq", "@r\nACGT\n+\nIIII\n");
    let other = folder.file("other.fa", ">other\nACGT\n");
    let not_fasta = folder.file("x.txt", "ACGT\n");
    for (args, expected) in [
        (&["stats", "-T", &sorted, &fastq][..], "in two runs"),
        (&["stats", "--paired", &sorted, &fastq], "for FASTQ"),
        (&["stats", "--format", "samtools", &fastq], "FASTQ"),
        (&["stats", "--format", "samtools", &sorted, &sorted], "one input"),
        (&["stats", "--format", "samtools", "-r", &other, &sorted], "no sequence is called"),
        (&["stats", "--format", "samtools", "-r", &not_fasta, &sorted], "not FASTA"),
        (&["stats", "--format", "samtools", "-r", "/nowhere.fa", &sorted], "/nowhere.fa"),
        (&["stats", "--sample", "s", &sorted, &fastq], "can't be joined"),
    ] {
        let run = biofast(args);
        assert_eq!(run.code, 2, "{args:?}: {run:?}");
        assert!(run.stderr.contains(expected), "{args:?}: {}", run.stderr);
    }
    let mixed = biofast(&["stats", &sorted, &fastq]);
    assert_eq!(mixed.code, 0, "{}", mixed.stderr);
    assert!(mixed.stdout.contains("mapped %") && mixed.stdout.contains("encoding"));
}

#[test]
fn a_faulty_input_keeps_the_rows_of_the_others() {
    let folder = Folder::new();
    let text = sam::text(&SORTED);
    let good = folder.file("good.sam", &text);
    let cut = folder.file("cut.sam", &text[..text.len() - 200]);
    let run = biofast(&["stats", "-T", &good, &cut]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("cut.sam"), "{}", run.stderr);
    let status: Vec<&str> = run.stdout.lines().map(|l| l.rsplit('\t').next().unwrap()).collect();
    assert_eq!(status[..2], ["status", "ok"]);
    assert!(status[2].starts_with("error:"), "{status:?}");
}

/// `multiqc` (from PyPI) must recognise the three reports that are samtools'.
#[test]
fn multiqc_reads_the_reports() {
    if !installed("multiqc") {
        return;
    }
    let folder = Folder::new();
    let path = folder.file("x.sam", sam::text(&SORTED));
    for (name, args) in [
        ("a.stats", &["stats", "--format", "samtools", &path][..]),
        ("a.flagstat", &["flagstat", &path]),
        ("a.idxstats", &["idxstats", &path]),
    ] {
        folder.file(name, biofast(args).stdout);
    }
    let root = folder.path("");
    let run = Command::new("multiqc")
        .args(["--quiet", "--no-version-check", "-o"])
        .arg(root.join("out"))
        .arg(&root)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    for (module, column) in
        [("stats", "raw_total_sequences"), ("flagstat", "total_passed"), ("idxstats", "chr1")]
    {
        let data = root.join(format!("out/multiqc_data/multiqc_samtools_{module}.txt"));
        let data = std::fs::read_to_string(&data).unwrap_or_default();
        let (header, row) = data.split_once('\n').unwrap_or_default();
        assert!(header.contains(column) && row.starts_with('a'), "{module}: {data}");
    }
}
