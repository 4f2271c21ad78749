//! Chosen options beside fastp 0.23 and 1.3: pairs are merged and corrected alike, and reports have its figures.

use std::process::{Command, Stdio};

use biofast_testkit::random::Random;
use serde_json::Value;

use crate::common::filter_fastp::{json, pairs, read};
use crate::common::{Folder, biofast, text};
use crate::tools::{self, corpus, need};

/// Pairs of a simulator.
fn simulated(folder: &Folder) -> [String; 2] {
    let mut random = Random(4);
    let genome: String = (0..50_000).map(|_| b"ACGT"[random.below(4)] as char).collect();
    let genome = folder.file("genome.fa", format!(">g\n{genome}\n"));
    let prefix = text(&folder.path("art"));
    let mut art = need("art_illumina");
    art.args(["-ss", "HS25", "-i", &genome, "-l", "150", "-f", "20", "-m", "180", "-s", "60"]);
    art.args(["-p", "-q", "-na", "-rs", "7", "-o", &prefix]).stdout(Stdio::null());
    tools::run(&mut art);
    ["1", "2"].map(|mate| format!("{prefix}{mate}.fq"))
}

fn made(folder: &Folder) -> Vec<[String; 2]> {
    let lens = [[100, 100], [150, 120], [80, 151]];
    let files = lens.into_iter().enumerate().map(|(i, lens)| {
        let [one, two] = pairs(i as u64, 4000, lens);
        [folder.file(&format!("a{i}.fq"), one), folder.file(&format!("b{i}.fq"), two)]
    });
    files.collect()
}

/// A version of fastp.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fastp {
    /// That of the path.
    V0_23,
    /// The one that `BIOFAST_FASTP` names.
    V1_3,
}

impl Fastp {
    /// Its program.
    pub(crate) fn command(self) -> Command {
        match self {
            Fastp::V0_23 => need("fastp"),
            Fastp::V1_3 => {
                need(&std::env::var("BIOFAST_FASTP").expect("BIOFAST_FASTP names no program"))
            }
        }
    }

    /// What chooses it; the current one is the default.
    pub(crate) fn options(self) -> &'static [&'static str] {
        match self {
            Fastp::V0_23 => &["--compat", "fastp=0.23"],
            Fastp::V1_3 => &[],
        }
    }
}

fn fastp(version: Fastp, args: &[&str]) {
    let mut command = version.command();
    command.args(["-w", "1", "--dont_eval_duplication", "-h", "/dev/null"]).args(args);
    let output = command.stdout(Stdio::null()).stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{args:?} {}", String::from_utf8_lossy(&output.stderr));
}

fn same(ours: &str, theirs: &str, what: &str) {
    if ours != theirs {
        let differ = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
        let n = [ours, theirs].map(|text| text.lines().count() / 4);
        panic!("{what}: {n:?} reads, first difference {differ:?}");
    }
}

#[test]
#[ignore = "needs fastp"]
fn fastp_merges_and_corrects_the_same_pairs() {
    let folder = Folder::new();
    merge_and_correct(Fastp::V0_23, made(&folder));
}

#[test]
#[ignore = "needs fastp 1.3, named by BIOFAST_FASTP"]
fn fastp_1_3_merges_and_corrects_the_same_pairs() {
    let folder = Folder::new();
    merge_and_correct(Fastp::V1_3, made(&folder));
}

#[test]
#[ignore = "needs fastp and ART"]
fn fastp_merges_and_corrects_the_same_simulated_pairs() {
    let folder = Folder::new();
    merge_and_correct(Fastp::V0_23, vec![simulated(&folder)]);
}

fn merge_and_correct(version: Fastp, inputs: Vec<[String; 2]>) {
    let folder = Folder::new();
    let path = |name: &str| text(&folder.path(name));
    let (o1, o2, m, j) = (path("o1.fq"), path("o2.fq"), path("m.fq"), path("ours.json"));
    let (f1, f2, fm, fj) = (path("f1.fq"), path("f2.fq"), path("fm.fq"), path("theirs.json"));
    let mut merged = 0;
    for [one, two] in inputs {
        for (our, their) in [
            (&[][..], &[][..]),
            (
                &["--overlap-len-require", "12", "--overlap-diff-limit", "8"],
                &["--overlap_len_require", "12", "--overlap_diff_limit", "8"],
            ),
            (&["--overlap-diff-percent-limit", "5"], &["--overlap_diff_percent_limit", "5"]),
        ] {
            fastp(
                version,
                &[
                    &["-A", "-G", "-Q", "-L", "-i", &one, "-I", &two, "-o", &f1, "-O", &f2],
                    &["--merge", "--merged_out", &fm, "-j", &fj][..],
                    their,
                ]
                .concat(),
            );
            let args = ["filter", "--quiet", &one, &two, "-o", &o1, "--out2", &o2, "--summary", &j];
            let run = biofast(&[&args[..], &["--merge", "--merged-out", &m], our].concat());
            assert_eq!(run.code, 0, "{}", run.stderr);
            for (ours, theirs) in [(&m, &fm), (&o1, &f1), (&o2, &f2)] {
                same(&read(ours), &read(theirs), &format!("{one} {our:?} {ours}"));
            }
            let (ours, theirs) = (json(&j), json(&fj));
            let n = read(&m).lines().count() as u64 / 4;
            merged += n;
            assert_eq!(ours["merged_pairs"], n, "{one} {our:?}");
            assert_eq!(ours["insert_size"], theirs["insert_size"], "{one}");
            for field in ["corrected_reads", "corrected_bases", "passed_filter_reads"] {
                let find = |json: &Value| json["filtering_result"][field].as_u64().unwrap_or(0);
                assert_eq!(find(&ours), find(&theirs), "{one} {field}");
            }
        }
        // Corrected pairs that stay pairs.
        fastp(
            version,
            &[
                "-A", "-G", "-Q", "-L", "-c", "-i", &one, "-I", &two, "-o", &f1, "-O", &f2, "-j",
                &fj,
            ],
        );
        let run =
            biofast(&["filter", "--quiet", "--correct", &one, &two, "-o", &o1, "--out2", &o2]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        same(&read(&o1), &read(&f1), &one);
        same(&read(&o2), &read(&f2), &two);
    }
    assert!(merged > 1000, "{merged}");
}

/// Reads without mates that end in an adapter, enough of them to find it.
fn single_reads(seed: u64, n: usize, adapter: &str, machine: &str) -> String {
    let mut random = Random(seed);
    let mut out = String::new();
    for i in 0..n {
        let len = 20 + random.below(130);
        let mut read: Vec<u8> = (0..len).map(|_| b"ACGT"[random.below(4)]).collect();
        read.extend_from_slice(adapter.as_bytes());
        while read.len() < 101 {
            read.push(if random.chance(90) { b'G' } else { b"ACGT"[random.below(4)] });
        }
        read.truncate(101);
        let bad = [0, 2, 30, 60][random.below(4)];
        let mut qualities = String::new();
        for base in &mut read {
            let low = random.chance(bad);
            qualities
                .push(if low { b"#+/"[random.below(3)] } else { b"5?I"[random.below(3)] } as char);
            if low && random.chance(10) {
                *base = b"ACGTN"[random.below(5)];
            }
        }
        let read = String::from_utf8(read).unwrap();
        out += &format!("@{machine}:{i}\n{read}\n+\n{qualities}\n");
    }
    out
}

/// Figures that both reports have, and that must agree.
fn assert_same_figures(ours: &Value, theirs: &Value, what: &str) {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-3 * b.abs().max(1.0);
    let mut todo = vec![(String::new(), ours, theirs)];
    let mut compared = 0;
    while let Some((path, ours, theirs)) = todo.pop() {
        match (ours, theirs) {
            (Value::Object(a), Value::Object(b)) => {
                for (key, theirs) in b {
                    // Commands and versions differ, and copies are counted in another way.
                    if ["command", "fastp_version", "duplication"].contains(&key.as_str()) {
                        continue;
                    }
                    // What was cut off, and what is frequent, is named by its bases.
                    if key.ends_with("_counts") || key.ends_with("_sequences") {
                        assert_eq!(a.get(key), Some(theirs), "{what} {path}.{key}");
                    }
                    let ours = a.get(key).unwrap_or_else(|| panic!("{what}: no {path}.{key}"));
                    todo.push((format!("{path}.{key}"), ours, theirs));
                }
            }
            (Value::Array(a), Value::Array(b)) => {
                assert_eq!(a.len(), b.len(), "{what} {path}");
                for (i, (ours, theirs)) in a.iter().zip(b).enumerate() {
                    todo.push((format!("{path}[{i}]"), ours, theirs));
                }
            }
            (Value::Number(a), Value::Number(b)) => {
                let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
                assert!(near(a, b), "{what} {path}: {a}, but {b}");
                compared += 1;
            }
            (a, b) => assert_eq!(a, b, "{what} {path}"),
        }
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
#[ignore = "needs fastp"]
fn the_preset_keeps_the_reads_of_fastp_and_reports_its_figures() {
    let folder = Folder::new();
    assert!(keep_and_report(Fastp::V0_23, made(&folder)) > 20);
}

#[test]
#[ignore = "needs fastp 1.3, named by BIOFAST_FASTP"]
fn the_preset_keeps_the_reads_of_fastp_1_3_and_reports_its_figures() {
    let folder = Folder::new();
    assert!(keep_and_report(Fastp::V1_3, made(&folder)) > 20);
}

#[test]
#[ignore = "needs fastp and ART"]
fn the_preset_keeps_the_simulated_reads_of_fastp() {
    let folder = Folder::new();
    keep_and_report(Fastp::V0_23, vec![simulated(&folder)]);
}

/// Returns how many adapters of second reads were listed.
fn keep_and_report(version: Fastp, inputs: Vec<[String; 2]>) -> usize {
    let folder = Folder::new();
    let path = |name: &str| text(&folder.path(name));
    let (o1, o2, j) = (path("o1.fq"), path("o2.fq"), path("ours.json"));
    let (f1, f2, fj) = (path("f1.fq"), path("f2.fq"), path("theirs.json"));
    let mut listed = 0;
    for [one, two] in inputs {
        for (our, their) in [
            (&[][..], &[][..]),
            (
                &["-a", "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA", "-A", "AGATCGGAAGAGCGTCGTGTAGGG"],
                &[
                    "-a",
                    "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA",
                    "--adapter_sequence_r2",
                    "AGATCGGAAGAGCGTCGTGTAGGG",
                ],
            ),
            (
                &["--correct", "--cut_right", "-l", "40", "--n_base_limit", "2", "-x"],
                &["-c", "--cut_right", "-l", "40", "-n", "2", "-x"],
            ),
        ] {
            fastp(
                version,
                &[&["-i", &one, "-I", &two, "-o", &f1, "-O", &f2, "-j", &fj], their].concat(),
            );
            let args = ["filter", "--quiet", "--preset", "fastp", "-i", &one, "-I", &two];
            let more = ["-o", &o1, "--out2", &o2, "--fastp-json", &j];
            let run = biofast(&[&args[..], &more, our, version.options()].concat());
            assert_eq!(run.code, 0, "{}", run.stderr);
            same(&read(&o1), &read(&f1), &format!("{one} {our:?}"));
            same(&read(&o2), &read(&f2), &format!("{two} {our:?}"));
            let (ours, theirs) = (json(&j), json(&fj));
            let counts = &theirs["adapter_cutting"]["read2_adapter_counts"];
            listed += counts.as_object().unwrap().len();
            assert_same_figures(&ours, &theirs, &format!("{one} {our:?}"));
            let all: u64 = ours["filtering_result"]
                .as_object()
                .unwrap()
                .iter()
                .filter(|(name, _)| !name.starts_with("corrected"))
                .map(|(_, n)| n.as_u64().unwrap())
                .sum();
            assert_eq!(all, ours["summary"]["before_filtering"]["total_reads"]);
        }
    }
    listed
}

#[test]
#[ignore = "needs fastp"]
fn the_preset_keeps_the_single_reads_of_fastp() {
    keep_single_reads(Fastp::V0_23);
}

#[test]
#[ignore = "needs fastp 1.3, named by BIOFAST_FASTP"]
fn the_preset_keeps_the_single_reads_of_fastp_1_3() {
    keep_single_reads(Fastp::V1_3);
}

fn keep_single_reads(version: Fastp) {
    let folder = Folder::new();
    let path = |name: &str| text(&folder.path(name));
    let (o1, f1, j, fj) = (path("o1.fq"), path("f1.fq"), path("ours.json"), path("theirs.json"));
    for (i, (adapter, machine)) in [
        ("AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACG", "M0"),
        ("CCTAAGTTCAGGACTTACCAGTACG", "NB500"),
        ("", "A00123"),
        ("TGGAATTCTCGGGTGCCAAGGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTG", "VH01"),
        ("AACTGTAGGCACCATCAAT", "LH7"),
        ("CAAGCAGAAGACGGCATACGAGATTCAAGTGTGACTGGAGTTC", "A1"),
        ("CTGTCTCTTATACACATCTCTGAGCGGGCTGGCAAGGCAGACCG", "FS1"),
    ]
    .into_iter()
    .enumerate()
    {
        let input = folder.file("single.fq", single_reads(i as u64, 11_000, adapter, machine));
        fastp(version, &["-i", &input, "-o", &f1, "-j", &fj]);
        let args =
            ["filter", "--quiet", "--preset", "fastp", &input, "-o", &o1, "--fastp-json", &j];
        let mut outputs = Vec::new();
        for threads in ["1", "3"] {
            let run = biofast(
                &[&args[..], &["-@", threads, "--chunk-size", "99999"], version.options()].concat(),
            );
            assert_eq!(run.code, 0, "{}", run.stderr);
            let report: Vec<String> = read(&j)
                .lines()
                .filter(|l| !l.contains("\"command\""))
                .map(str::to_owned)
                .collect();
            outputs.push((read(&o1), report));
        }
        assert!(outputs[0] == outputs[1]);
        same(&read(&o1), &read(&f1), adapter);
        assert_same_figures(&json(&j), &json(&fj), adapter);
    }
}

#[test]
#[ignore = "needs fastp"]
fn overrepresented_sequences_are_those_of_fastp() {
    overrepresented(Fastp::V0_23);
}

#[test]
#[ignore = "needs fastp 1.3, named by BIOFAST_FASTP"]
fn overrepresented_sequences_are_those_of_fastp_1_3() {
    overrepresented(Fastp::V1_3);
}

fn overrepresented(version: Fastp) {
    let folder = Folder::new();
    let path = |name: &str| text(&folder.path(name));
    let (o, f, j, fj) = (path("o.fq"), path("f.fq"), path("ours.json"), path("theirs.json"));
    let mut found = Vec::new();
    // Reads of 102 bases: two of the lengths that are looked at are the same.
    for (i, longer) in [0, 1, 20].into_iter().enumerate() {
        let adapter = "AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTG";
        let mut reads = single_reads(i as u64, 1500, adapter, "M0");
        let more = "ACGTTGCAAC".repeat(2);
        for _ in 0..60 {
            let read = format!("{}{}", "GATTACANCATTAGGCA".repeat(6), &more[..longer]);
            reads += &format!("@x\n{read}\n+\n{}\n", "I".repeat(read.len()));
        }
        // Of each length one.
        let mut random = Random(i as u64);
        for (times, len) in [(800, 10), (300, 20), (150, 40), (80, 100)] {
            let often: String = (0..len).map(|i| ['A', 'C', 'T', 'G'][i * i / 3 % 4]).collect();
            for _ in 0..times {
                let before = random.below(140 - len);
                let mut base = || ['A', 'C', 'G', 'T'][random.below(4)];
                let mut read: String = (0..before).map(|_| base()).collect();
                read += &often;
                read.extend((read.len()..130).map(|_| base()));
                read.truncate(101);
                reads += &format!("@x\n{read}\n+\n{}\n", "I".repeat(101));
            }
        }
        // The length is told by the first 1,000.
        if longer > 0 {
            let read = "ACGTTGCA".repeat(20);
            let read = &read[..101 + longer];
            reads = format!("@first\n{read}\n+\n{}\n{reads}", "I".repeat(read.len()));
        }
        let input = folder.file("r.fq", reads);
        fastp(version, &["-i", &input, "-o", &f, "-j", &fj, "-p", "-P", "1", "-A", "-l", "60"]);
        let mut reports = Vec::new();
        for threads in ["1", "3"] {
            let run = biofast(&[
                "filter", "--quiet", "--preset", "fastp", "--min-len", "60", "--chunk-size",
                "9999", "-@", threads, &input, "-o", &o, "--fastp-json", &j,
                "--overrepresentation_analysis",
            ]);
            assert_eq!(run.code, 0, "{}", run.stderr);
            reports.push(json(&j));
        }
        let theirs = json(&fj);
        for which in ["read1_before_filtering", "read1_after_filtering"] {
            let name = "overrepresented_sequences";
            found.push(theirs[which][name].as_object().unwrap().len());
            assert_eq!(reports[0][which][name], theirs[which][name], "{longer} {which}");
            assert_eq!(reports[1][which], reports[0][which], "{longer} {which}");
        }
    }
    assert!(found.iter().sum::<usize>() > 14, "{found:?}");
}

/// Third-party files.
mod corpus {
    use super::*;

    fn real(folder: &Folder) -> Vec<[String; 2]> {
        let names = ["novaseq4_metagenome", "bacteroides_6level", "chipseq_SRR5204809-10"];
        let files = names.map(|name| {
            ["R1", "R2"].map(|mate| {
                let few = text(&folder.path(&format!("{name}_{mate}.fq")));
                let from = text(&corpus(&format!("real/{name}_{mate}.fastq.gz")));
                let run = biofast(&["filter", "--quiet", "--head", "12000", &from, "-o", &few]);
                assert_eq!(run.code, 0, "{}", run.stderr);
                few
            })
        });
        files.into()
    }

    #[test]
    #[ignore = "needs fastp and the corpus"]
    fn fastp_merges_and_corrects_the_same_real_pairs() {
        let folder = Folder::new();
        merge_and_correct(Fastp::V0_23, real(&folder));
    }

    #[test]
    #[ignore = "needs fastp 1.3, named by BIOFAST_FASTP, and the corpus"]
    fn fastp_1_3_merges_and_corrects_the_same_real_pairs() {
        let folder = Folder::new();
        merge_and_correct(Fastp::V1_3, real(&folder));
    }

    #[test]
    #[ignore = "needs fastp and the corpus"]
    fn the_preset_keeps_the_real_reads_of_fastp() {
        let folder = Folder::new();
        keep_and_report(Fastp::V0_23, real(&folder));
    }

    #[test]
    #[ignore = "needs fastp 1.3, named by BIOFAST_FASTP, and the corpus"]
    fn the_preset_keeps_the_real_reads_of_fastp_1_3() {
        let folder = Folder::new();
        keep_and_report(Fastp::V1_3, real(&folder));
    }
}
