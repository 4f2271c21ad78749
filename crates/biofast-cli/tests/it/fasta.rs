//! FASTA as an input: `stats` and `split`.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::process::Command;

use biofast_testkit::container::{KINDS, wrap};
use biofast_testkit::random::Random;
use common::{Folder, assert_error, biofast, biofast_with, installed, reads, text};

/// Genes of many lengths, wrapped at several widths.
pub(crate) fn genes(n: usize, width: usize) -> String {
    let mut random = Random(7);
    let mut out = String::new();
    for i in 0..n {
        let len = random.below(400);
        let bases: Vec<u8> = (0..len).map(|_| b"ACGTNacgt-"[random.below(10)]).collect();
        out += &format!(">gene{i} of {n}\n");
        for line in bases.chunks(width) {
            out += &format!("{}\n", std::str::from_utf8(line).unwrap());
        }
    }
    out
}

#[test]
fn stats_has_seqkits_figures_and_none_of_qualities() {
    let folder = Folder::new();
    for (name, content) in [
        ("genes.fa", genes(300, 60)),
        ("one_line.fna", genes(50, 1000)),
        ("crlf.fa", genes(40, 13).replace('\n', "\r\n")),
        ("rna.fasta", ">a\nACGU\nAC\n>b\nGG\n>c\nGGG\n".into()),
        ("protein.faa", ">a\nMKVLLAEFQ*\n>b\nMEEPQSDPSVEL\n".into()),
    ] {
        let path = folder.file(name, &content);
        let run = biofast(&["stats", "-T", "-q", &path]);
        assert_eq!(run.code, 0, "{run:?}");
        let ours: Vec<Vec<&str>> = run.stdout.lines().map(|l| l.split('\t').collect()).collect();
        let figure = |name: &str| ours[1][ours[0].iter().position(|n| *n == name).unwrap()];
        assert_eq!(figure("format"), "FASTA");
        assert_eq!(
            ["Q20(%)", "Q30(%)", "AvgQual"].map(figure),
            ["NA"; 3],
            "no figure of qualities: {run:?}"
        );
        if !installed("seqkit") {
            continue;
        }
        let theirs = Command::new("seqkit").args(["stats", "-a", "-T", &path]).output().unwrap();
        let theirs = String::from_utf8(theirs.stdout).unwrap();
        let theirs: Vec<Vec<&str>> = theirs.lines().map(|l| l.split('\t').collect()).collect();
        for (name, their) in theirs[0].iter().zip(&theirs[1]) {
            if matches!(*name, "file" | "Q20(%)" | "Q30(%)" | "AvgQual" | "N50_num") {
                continue;
            }
            let our = figure(name);
            let equal = match (our.parse::<f64>(), their.parse::<f64>()) {
                (Ok(our), Ok(their)) => our == their,
                _ => our == *their,
            };
            assert!(equal, "{path}: {name}: ours {our}, seqkit's {their}");
        }
    }
}

#[test]
fn reports_have_no_figure_of_qualities_and_merge_again() {
    let folder = Folder::new();
    let path = folder.file("genes.fa", genes(300, 60));
    let json = text(&folder.path("genes.json"));
    assert_eq!(biofast(&["stats", "-q", "--json", &path, "-o", &json]).code, 0);
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let file = &report["files"][0];
    assert_eq!((&file["format"], &file["reads"]), (&"FASTA".into(), &300.into()));
    assert_eq!(file["quality"]["encoding"], "unknown");
    for name in ["mean", "mean_arithmetic", "q20_percent", "q30_percent"] {
        assert!(file["quality"].get(name).is_none(), "{name}");
    }
    assert!(file["positions"][0].get("mean_quality").is_none());
    // The report reads back, and several join to one.
    let merged = biofast(&["merge", "--sample", "all", "-T", &json, &json]);
    assert_eq!(merged.code, 0, "{merged:?}");
    assert!(merged.stdout.lines().nth(1).unwrap().starts_with("all\tFASTA\tDNA\t600\t"));
    let page = text(&folder.path("page.html"));
    let run = biofast(&["stats", "--plot", "--html", &page, &path]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!run.stdout.contains("mean quality by position"), "{}", run.stdout);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("The reads have no qualities") && !page.contains("NaN"));
}

#[test]
fn any_container_and_any_number_of_threads_give_the_same_bytes() {
    let folder = Folder::new();
    let content = genes(2_000, 60);
    let plain = folder.file("x.fa", &content);
    let expected = biofast(&["stats", "--json", "--sample", "x", "-@", "1", &plain]);
    let without_name = |run: &common::Run, path: &str| run.stdout.replace(path, "PATH");
    for (i, kind) in KINDS.into_iter().enumerate() {
        let path = folder.file(&format!("x{i}"), wrap(kind, content.as_bytes()));
        for threads in ["1", "2", "4"] {
            let args =
                ["stats", "--json", "--sample", "x", "--chunk-size", "1000", "-@", threads, &path];
            let run = biofast(&args);
            assert_eq!(run.code, 0, "{run:?}");
            assert_eq!(without_name(&run, &path), without_name(&expected, &plain), "{kind:?}");
        }
    }
    let run = biofast_with(&["stats", "-T"], content.as_bytes());
    assert!(run.stdout.contains("-\tFASTA\tDNA\t2000\t"), "{run:?}");
}

#[test]
fn a_fault_names_record_and_line_and_the_other_rows_stay() {
    let folder = Folder::new();
    let good = folder.file("good.fa", genes(3, 60));
    let bad = folder.file("bad.fa", ">a\nAC\n>\nGT\n");
    let run = biofast(&["stats", "-T", &good, &bad]);
    assert_error(&run, &["bad.fa: record 2, line 3: expected a name behind '>'"]);
    assert!(run.stdout.contains("bad.fa\tFASTA\tNA\t"), "{run:?}");
    let bad = folder.file("bad.fa", "\nACGT\n>a\nAC\n");
    let run = biofast(&["stats", &bad]);
    assert_error(&run, &["record 1, line 2: expected a header line starting with '@' or '>'"]);
    // FastQC's report is about qualities.
    let run = biofast(&["stats", "--format", "fastqc", &good]);
    assert_error(&run, &["this is FASTA, not FASTQ"]);
}

#[test]
fn split_keeps_every_record_of_fasta_in_its_order() {
    let folder = Folder::new();
    let content = genes(101, 60);
    let path = folder.file("genes.fa", genes(101, 1000));
    for threads in ["1", "3"] {
        let out = text(&folder.path("part_{part}.fa.gz"));
        let run = biofast(&["split", "-q", "-@", threads, "-s", "40", &path, "-o", &out]);
        assert_eq!(run.code, 0, "{run:?}");
        let parts = ["001", "002", "003"].map(|part| {
            let bytes = std::fs::read(folder.path(&format!("part_{part}.fa.gz"))).unwrap();
            String::from_utf8(biofast_testkit::container::gunzip(&bytes).unwrap()).unwrap()
        });
        assert_eq!(parts.concat(), content);
        assert_eq!(parts[1].matches('>').count(), 40);
    }
    let out = text(&folder.path("part_{part}.fq"));
    assert_error(&biofast(&["split", "-p", "2", &path, "-o", &out]), &["is to hold FASTA"]);
    let reads = folder.file("x.fq", reads("r", 3));
    let out = text(&folder.path("part_{part}.fa"));
    assert_error(&biofast(&["split", "-p", "2", &reads, "-o", &out]), &["not as FASTA"]);
    let out = text(&folder.path("part_{part}.txt"));
    assert_error(
        &biofast(&["split", "-p", "2", &reads, &path, "-o", &out]),
        &["one file is FASTQ and the other FASTA"],
    );
}
