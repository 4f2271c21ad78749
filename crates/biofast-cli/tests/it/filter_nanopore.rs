//! `biofast filter --adapter-kit`: adapters of long reads at the ends and in the middle.

use crate::common::{self, Folder, fails, ok, text};
use biofast_testkit::random::Random;
use serde_json::Value;

const FRONT: &str = "CCTGTACTTCGTTCAGTTACGTATTGCT";
const REAR: &str = "AGCAATACGTAACTGAACGAAGTACAGG";

fn insert(random: &mut Random, len: usize) -> String {
    (0..len).map(|_| b"ACGT"[random.below(4)] as char).collect()
}

/// One base in twenty is another one, missing or too much.
fn noisy(random: &mut Random, adapter: &str) -> String {
    let mut out = String::new();
    for base in adapter.chars() {
        match random.below(60) {
            0 => out.push(b"ACGT"[random.below(4)] as char),
            1 => {}
            2 => out.extend([base, b"ACGT"[random.below(4)] as char]),
            _ => out.push(base),
        }
    }
    out
}

/// Reads with adapters at both ends; every fifth one is two molecules. The inserts, too.
fn reads(n: usize) -> (String, Vec<Vec<String>>) {
    let mut random = Random(11);
    let (mut out, mut inserts) = (String::new(), Vec::new());
    for i in 0..n {
        let molecules = if i % 5 == 4 { 2 } else { 1 };
        let mut read = insert(&mut random, i % 7);
        let mut of_read = Vec::new();
        for _ in 0..molecules {
            let len = 300 + random.below(900);
            let insert = insert(&mut random, len);
            read += &(noisy(&mut random, FRONT) + &insert + &noisy(&mut random, &REAR[..22]));
            of_read.push(insert);
        }
        out += &format!("@long{i} runid=7\n{read}\n+\n{}\n", "5".repeat(read.len()));
        inserts.push(of_read);
    }
    (out, inserts)
}

fn run(args: &[&str]) -> common::Run {
    ok(&[&["filter", "--adapter-kit", "SQK-LSK114"], args].concat())
}

#[test]
fn ends_are_cut_and_reads_of_two_molecules_split() {
    let folder = Folder::new();
    let (text_of_reads, inserts) = reads(300);
    let input = folder.file("long.fq", text_of_reads);
    let json = text(&folder.path("j.json"));
    let mut outputs = Vec::new();
    for threads in ["1", "4"] {
        outputs
            .push(run(&["--summary", &json, "-@", threads, "--chunk-size", "5000", &input]).stdout);
    }
    assert!(outputs[0] == outputs[1]);
    let lines: Vec<&str> = outputs[0].lines().collect();
    let found: Vec<(&str, &str)> = lines.chunks(4).map(|r| (r[0], r[1])).collect();
    let (mut right, mut all) = (0, 0);
    for (i, inserts) in inserts.iter().enumerate() {
        for (piece, insert) in inserts.iter().enumerate() {
            let name = match inserts.len() {
                1 => format!("@long{i} runid=7"),
                _ => format!("@long{i}_{} runid=7", piece + 1),
            };
            all += 1;
            let read = found.iter().find(|(header, _)| *header == name).map(|(_, read)| *read);
            // Errors at an adapter's end leave or take a base or two.
            right += usize::from(read.is_some_and(|read| read.len().abs_diff(insert.len()) <= 6));
        }
    }
    assert!(right * 100 >= all * 95, "{right} of {all}");
    let report: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let [reads, pieces] = ["reads", "pieces"].map(|name| report["split"][name].as_u64().unwrap());
    assert!(reads >= 55 && pieces >= 2 * reads, "{reads} {pieces}");
    let kept = report["summary"]["after_filtering"]["total_reads"].as_u64().unwrap();
    let rejected: u64 =
        report["rejected"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(300 + pieces - reads, kept + rejected);
    // Each piece is selected by itself.
    let rejected = text(&folder.path("r.fq"));
    let some = run(&["--min-len", "800", "--rejected", &rejected, &input]).stdout;
    let rejected = std::fs::read_to_string(&rejected).unwrap();
    assert!(some.contains("_1 runid=7\n") && rejected.contains("_2 runid=7 rejected=too_short\n"));
    let count = |text: &str| text.lines().count() / 4;
    assert_eq!(count(&some) + count(&rejected), found.len());
    // Or such reads are rejected, or kept as they are.
    let dropped = run(&["--middle", "drop", &input]);
    assert!(dropped.stderr.contains("adapter inside"), "{}", dropped.stderr);
    assert_eq!(count(&dropped.stdout) as u64, 300 - reads);
    assert_eq!(count(&run(&["--middle", "keep", &input]).stdout), 300);
}

#[test]
fn kits_are_known_by_their_names_and_are_of_long_reads() {
    let folder = Folder::new();
    let input = folder.file("x.fq", "@r\nACGT\n+\nIIII\n");
    for kit in ["ligation", "rapid", "pcr", "ont", "SQK-RBK114.96", "sqk-nbd114-24", "lsk109"] {
        ok(&["filter", "--adapter-kit", kit, &input]);
    }

    fails(&["filter", "--adapter-kit", "truseq", &input], &["kits are ligation, rapid"]);
    fails(&["filter", "--adapter-kit", "ont", "--interleaved", &input], &["not to pairs"]);
}
