//! The conformance corpus of third-party files, where it is at hand: `check` must say what the
//! manifest says of every file of reads, alignments or compressed data.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::biofast;

/// Files on which biofast decides otherwise, by the start of their path, and why.
const EXCEPTIONS: [(&str, &str); 13] = [
    // As in `stats`: a sequence is letters, '-', '.' and '*'.
    ("dnaio/tests/data/simple.fastq", "digits in the sequence"),
    // An extension of htslib to SAM; BAM has no place for them, and neither has biofast.
    ("htslib/test/longrefs/", "reference longer than 2^31 - 1"),
    ("samtools/test/large_pos/", "reference longer than 2^31 - 1"),
    ("samtools/test/fixmate/8_isize_overflow_64bit.sam", "reference longer than 2^31 - 1"),
    ("samtools/test/markdup/7_mark_supp_dup", "reference longer than 2^31 - 1"),
    ("samtools/test/stat/", "reference longer than 2^31 - 1"),
    // A defect, not a decision: without a reference the CRAM reader takes something in this file
    // for an embedded reference and refuses it (`stats` does so, too). Remove when it is mended.
    ("samtools/test/cram_size/mpileup.1.cram", "an embedded reference that can't be read"),
    // Valid line by line, but not in the order they claim; samtools index refuses those of
    // coordinates.
    ("libstatgen/bam/test/testFiles/testSamSO", "made to be out of order"),
    ("samtools/test/markdup/2_bad_order.sam", "made to be out of order"),
    ("nucleus/nucleus/testdata/test.sam", "an unplaced record before a placed one"),
    ("nucleus/nucleus/testdata/test_oq.sam", "an unplaced record before a placed one"),
    ("samtools/test/dat/bam2fq.0", "SO:queryname, but 'x_p002a' before 'x_p002'"),
    ("samtools/test/dat/depad.001", "SO:queryname, but by coordinate"),
];

/// What the manifest says; of edge cases what the reference tools make of them.
fn must_be_good(verdict: &str, must_say: &str) -> bool {
    let refusals = ["error", "fails", "refuses", "cannot", "trailing garbage"];
    match verdict {
        "valid" => true,
        "invalid" => false,
        _ => !refusals.iter().any(|word| must_say.contains(word)),
    }
}

#[test]
fn check_says_what_the_manifest_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance");
    let Ok(manifest) = std::fs::read_to_string(root.join("MANIFEST.tsv")) else {
        eprintln!("skipped: {} is absent", root.display());
        return;
    };
    let mut agreement: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut exceptions = 0;
    for line in manifest.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [path, kind, verdict, must_say, ..] = fields[..] else { continue };
        if kind == "aux" || kind.starts_with("index") {
            continue;
        }
        let run = biofast(&["check", "--json", root.join(path).to_str().unwrap()]);
        let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let file = &json["files"][0];
        let records = must_say
            .split_once(" records")
            .and_then(|(n, _)| n.parse::<u64>().ok())
            .filter(|_| run.code == 0);
        let good = must_be_good(verdict, must_say);
        let agrees = run.code == i32::from(!good) && records.is_none_or(|n| file["records"] == n);
        let (agreed, total) = agreement.entry(kind).or_default();
        *total += 1;
        *agreed += u32::from(agrees);
        if agrees {
            continue;
        }
        match EXCEPTIONS.iter().find(|(start, _)| path.starts_with(start)) {
            Some(_) if run.code == 1 => exceptions += 1,
            _ => wrong.push(format!("{path}: must say {must_say:?}, said {}", file["fault"])),
        }
    }
    for (kind, (agreed, total)) in &agreement {
        eprintln!("{kind}: {agreed} of {total}");
    }
    eprintln!("{exceptions} explained exceptions");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Real files are good, in every detail.
#[test]
fn real_files_are_good() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/real");
    let Ok(entries) = std::fs::read_dir(&root) else {
        eprintln!("skipped: {} is absent", root.display());
        return;
    };
    let mut checked = 0;
    for entry in entries {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "bam" || e == "gz") {
            let run = biofast(&["check", path.to_str().unwrap()]);
            let row: Vec<&str> = run.stdout.trim_end_matches('\n').split('\t').collect();
            assert_eq!((run.code, row[1], row[4]), (0, "ok", ""), "{run:?}");
            checked += 1;
        }
    }
    assert!(checked > 0);
}
