//! `stats --out-dir` of reads: from one reading the reports that commands of their own write, and fastp's.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::qc_reads::run;
use crate::common::{
    Folder, assert_error, biofast, biofast_with, fails, files_below, sample, silent_with, text,
};

#[test]
fn files_are_those_of_commands_of_their_own() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let (r1, r2) = (sample("sample_R1.fq.bgz"), sample("sample_R2.fq.bgz"));
    run(&["stats", "--out-dir", &at("qc"), &r1, &r2]);
    let mut found = files_below(&folder.path("qc"));
    run(&["stats", "--format", "fastqc", "--out-dir", &at("own"), &r1, &r2]);
    for name in ["sample_R1", "sample_R2"] {
        let input = sample(&format!("{name}.fq.bgz"));
        run(&["stats", "-T", &input, "-o", &at(&format!("own/{name}.seqkit.tsv"))]);
    }
    for (name, content) in files_below(&folder.path("own")) {
        assert_eq!(found.remove(&name), Some(content), "{name}");
    }
    let left: Vec<&str> = found.keys().map(String::as_str).collect();
    // What is in fastp's form nobody has filtered: it is there only if it is asked for.
    let endings = ["biofast.html", "biofast.json"];
    let expected: Vec<String> = ["sample_R1", "sample_R2"]
        .iter()
        .flat_map(|name| endings.iter().map(move |ending| format!("{name}.{ending}")))
        .collect();
    assert_eq!(left, expected);
    // biofast's own report is that of `--json`, and what was looked for.
    let mut ours: Value = serde_json::from_slice(&found["sample_R1.biofast.json"]).unwrap();
    let plain: Value = serde_json::from_str(&biofast(&["stats", "--json", &r1]).stdout).unwrap();
    let qc = ours["files"][0].as_object_mut().unwrap().remove("qc").unwrap();
    assert_eq!(ours, plain);
    assert_eq!(qc["duplication"]["reads"], 2500);
    assert_eq!(qc["adapters"]["positions"].as_array().unwrap().len(), 150 - 11);
    let gc: u64 = qc["gc_billionths"].as_array().unwrap().iter().filter_map(Value::as_u64).sum();
    assert!((gc as f64 / 1e9 - 2500.0).abs() < 50.0, "{gc}");
    let page = String::from_utf8(found["sample_R1.biofast.html"].clone()).unwrap();
    for chart in ["r0-duplication", "r0-adapters", "r0-gc"] {
        assert!(page.contains(&format!("id=\"{chart}\"")), "{chart}");
    }
}

#[test]
fn a_pair_has_one_report_of_fastp_and_is_checked() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let (r1, r2) = (sample("sample_R1.fq.bgz"), sample("sample_R2.fq.bgz"));
    let list = ["--qc", "fastp,seqkit"];
    for (threads, to) in [("1", "one"), ("5", "five")] {
        let args = ["stats", "--paired", "--out-dir", &at(to), &r1, &r2, "-@", threads];
        run(&[&args[..], &list].concat());
    }
    let one = files_below(&folder.path("one"));
    let names: Vec<&str> = one.keys().map(String::as_str).collect();
    assert_eq!(names, ["sample_R1.fastp.json", "sample_R1.seqkit.tsv", "sample_R2.seqkit.tsv"]);
    let without_command = |files: &BTreeMap<String, Vec<u8>>| {
        let mut json: Value = serde_json::from_slice(&files["sample_R1.fastp.json"]).unwrap();
        assert!(json["command"].take().as_str().unwrap().starts_with("biofast stats --paired"));
        json
    };
    let json = without_command(&one);
    assert_eq!(json, without_command(&files_below(&folder.path("five"))));
    assert_eq!(json["summary"]["before_filtering"], json["summary"]["after_filtering"]);
    assert_eq!(json["summary"]["before_filtering"]["total_reads"], 5000);
    assert_eq!(json["filtering_result"]["passed_filter_reads"], 5000);
    assert_eq!(json["read2_before_filtering"]["total_reads"], 2500);
    // Of pairs it isn't known, and 0 doesn't stand for it.
    assert_eq!(json.get("duplication"), None);
    // Not mates: neither has a report.
    fails(&["stats", "--paired", "--out-dir", &at("not"), &r1, &r1], &["sample_R1"]);
    let swapped = folder.file("s_R2.fq", "@a/2\nA\n+\nI\n");
    let first = folder.file("s_R1.fq", "@b/1\nA\n+\nI\n");
    fails(&["stats", "--paired", "--out-dir", &at("not"), &first, &swapped], &["s_R"]);
    assert!(!folder.path("not").exists());
}

#[test]
fn a_faulty_input_has_no_reports_and_the_others_have_theirs() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let bad = folder.file("bad.fq", "@r\nAC\n+\nI\n");
    let good = folder.file("good.fq", "@r\nAC\n+\nII\n");
    let to = ["--qc", "json,seqkit", "--out-dir", &at("qc")];
    fails(&[&["stats", &bad, &good], &to[..]].concat(), &["bad.fq", "record 1"]);
    let found = files_below(&folder.path("qc"));
    assert_eq!(found.keys().collect::<Vec<_>>(), ["good.biofast.json", "good.seqkit.tsv"]);
    // What doesn't go together is said before anything is read.
    let sam = folder.file("a.sam", "@SQ\tSN:c\tLN:9\nr\t0\tc\t1\t9\t2M\t*\t0\t0\tAC\tII\n");
    let refused = |args: &[&str], words: &[&str]| {
        fails(&[&["stats", "--out-dir", &at("no")], args].concat(), words);
    };
    refused(&[&good, &sam], &["good.fq", "a.sam", "separately"]);
    refused(&[&good, "--qc", "flagstat"], &["flagstat", "alignments", "fastqc, seqkit"]);
    refused(&[&sam, "--qc", "fastqc"], &["fastqc", "reads"]);
    refused(&[&good, "--by", "100"], &["--by", "alignments"]);
    refused(&[&good, "--plot"], &["--plot", "--qc"]);
    refused(&[&good, &good], &["good", "same"]);
    assert!(!folder.path("no").exists());
    fails(&["stats", &good, "--contaminants", &good], &["--format fastqc"]);
}

#[test]
fn a_stream_is_taken_for_reads_if_a_report_of_reads_is_asked_for() {
    let folder = Folder::new();
    let qc = text(&folder.path("qc"));
    let args = ["stats", "--stdin-label", "lane1", "--out-dir", &qc];
    let reads = b"@r\nAC\n+\nII\n";
    silent_with(&[&args[..], &["--qc", "fastqc"]].concat(), reads);
    let names = files_below(&folder.path("qc")).into_keys().collect::<Vec<_>>();
    assert_eq!(names, ["lane1_fastqc/fastqc_data.txt", "lane1_fastqc/summary.txt"]);
    assert_error(&biofast_with(&args, reads), &["--qc fastqc"]);
}

#[test]
fn reports_are_joined_without_what_only_single_files_have() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let (r1, r2) = (sample("sample_R1.fq.bgz"), sample("sample_R2.fq.bgz"));
    run(&["stats", "--qc", "json", "--out-dir", &at("qc"), &r1, &r2]);
    let (one, two) = (at("qc/sample_R1.biofast.json"), at("qc/sample_R2.biofast.json"));
    // A single one is itself.
    let again = biofast(&["merge", "--json", &one]).stdout;
    let mut parsed: [Value; 2] = [again, std::fs::read_to_string(&one).unwrap()]
        .map(|json| serde_json::from_str(&json).unwrap());
    for json in &mut parsed {
        // Of numbers with many digits the last may differ when they are read again.
        json["files"][0]["qc"]["duplication"].take();
    }
    assert_eq!(parsed[0], parsed[1]);
    let both = biofast(&["merge", "--json", "--sample", "both", &one, &two]);
    assert!(
        both.stderr.contains(
            "warning: both: duplication levels and overrepresented sequences are left out"
        ),
        "{}",
        both.stderr
    );
    let both: Value = serde_json::from_str(&both.stdout).unwrap();
    let qc = &both["files"][0]["qc"];
    assert_eq!((qc.get("duplication"), qc["adapters"]["reads"].as_u64()), (None, Some(5000)));
    let damaged =
        std::fs::read_to_string(&one).unwrap().replacen("\"longest\":150", "\"longest\":3", 1);
    let damaged =
        folder.file("damaged.json", damaged.replacen("\"begins\":[[", "\"begins\":[[[9,1,1],", 1));
    fails(&["merge", &damaged], &["damaged.json"]);
}
