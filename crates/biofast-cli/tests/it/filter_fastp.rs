//! `biofast filter` beside fastp 0.23: pairs are merged and corrected alike. Skipped with a message where fastp isn't installed.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::path::Path;
use std::process::{Command, Stdio};

use biofast_testkit::random::Random;
use biofast_testkit::reference::reverse_complement;
use common::{Folder, assert_error, biofast, installed, text};
use serde_json::Value;

/// Pairs of fragments of all lengths, with adapters behind short ones; where the score is low the base is often wrong, or N.
fn pairs(seed: u64, n: usize, lens: [usize; 2]) -> [String; 2] {
    let mut random = Random(seed);
    let mut out = [String::new(), String::new()];
    let adapters = ["AGATCGGAAGAGCACACGTCTGAACTCCAGTCAC", "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTA"];
    for i in 0..n {
        let len = 10 + random.below(310);
        let repeat = if random.chance(10) { 1 + random.below(40) } else { len };
        let unit: Vec<u8> = (0..repeat).map(|_| b"ACGT"[random.below(4)]).collect();
        let fragment: Vec<u8> = unit.iter().copied().cycle().take(len).collect();
        for (mate, strand) in
            [fragment.clone(), reverse_complement(&fragment)].into_iter().enumerate()
        {
            let mut read = strand;
            read.extend_from_slice(adapters[mate].as_bytes());
            while read.len() < lens[mate] {
                read.push(b"ACGT"[random.below(4)]);
            }
            read.truncate(lens[mate]);
            let bad = [0, 2, 5, 15][random.below(4)];
            let mut qualities = String::new();
            for base in &mut read {
                let low = random.chance(bad);
                qualities.push(if low {
                    b"#+/04"[random.below(5)]
                } else {
                    b"5?EII"[random.below(5)]
                } as char);
                if low && random.chance(60) {
                    *base = b"ACGTN"[random.below(5)];
                }
            }
            let read = String::from_utf8(read).unwrap();
            out[mate] += &format!("@p{i} {}:N:0\n{read}\n+\n{qualities}\n", mate + 1);
        }
    }
    out
}

/// Pairs of a simulator, where it is installed.
fn simulated(folder: &Folder) -> Option<[String; 2]> {
    if !installed("art_illumina") {
        return None;
    }
    let mut random = Random(4);
    let genome: String = (0..50_000).map(|_| b"ACGT"[random.below(4)] as char).collect();
    let genome = folder.file("genome.fa", format!(">g\n{genome}\n"));
    let prefix = text(&folder.path("art"));
    let mut art = Command::new("art_illumina");
    art.args(["-ss", "HS25", "-i", &genome, "-l", "150", "-f", "20", "-m", "180", "-s", "60"]);
    art.args(["-p", "-q", "-na", "-rs", "7", "-o", &prefix]).stdout(Stdio::null());
    assert!(art.status().unwrap().success());
    Some(["1", "2"].map(|mate| format!("{prefix}{mate}.fq")))
}

/// Made and simulated pairs, and what there is of real ones.
fn inputs(folder: &Folder) -> Vec<[String; 2]> {
    let mut found = Vec::new();
    for (i, lens) in [[100, 100], [150, 120], [80, 151]].into_iter().enumerate() {
        let [one, two] = pairs(i as u64, 4000, lens);
        found.push([folder.file(&format!("a{i}.fq"), one), folder.file(&format!("b{i}.fq"), two)]);
    }
    if let Some(simulated) = simulated(folder) {
        found.push(simulated);
    }
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/real");
    for name in ["novaseq4_metagenome", "bacteroides_6level", "chipseq_SRR5204809-10"] {
        let mates = ["R1", "R2"].map(|mate| real.join(format!("{name}_{mate}.fastq.gz")));
        if !mates[0].exists() {
            eprintln!("skipped: {} is absent", mates[0].display());
            continue;
        }
        found.push([1, 2].map(|mate| {
            let few = text(&folder.path(&format!("{name}_{mate}.fq")));
            let from = text(&mates[mate - 1]);
            let run = biofast(&["filter", "--quiet", "--head", "12000", &from, "-o", &few]);
            assert_eq!(run.code, 0, "{}", run.stderr);
            few
        }));
    }
    found
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn json(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap()
}

fn fastp(args: &[&str]) {
    let mut command = Command::new("fastp");
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
fn fastp_merges_and_corrects_the_same_pairs() {
    if !installed("fastp") {
        return;
    }
    let folder = Folder::new();
    let path = |name: &str| text(&folder.path(name));
    let (o1, o2, m, j) = (path("o1.fq"), path("o2.fq"), path("m.fq"), path("ours.json"));
    let (f1, f2, fm, fj) = (path("f1.fq"), path("f2.fq"), path("fm.fq"), path("theirs.json"));
    let mut merged = 0;
    for [one, two] in inputs(&folder) {
        for (our, their) in [
            (&[][..], &[][..]),
            (
                &["--overlap-len-require", "12", "--overlap-diff-limit", "8"],
                &["--overlap_len_require", "12", "--overlap_diff_limit", "8"],
            ),
            (&["--overlap-diff-percent-limit", "5"], &["--overlap_diff_percent_limit", "5"]),
        ] {
            fastp(
                &[
                    &["-A", "-G", "-Q", "-L", "-i", &one, "-I", &two, "-o", &f1, "-O", &f2],
                    &["--merge", "--merged_out", &fm, "-j", &fj][..],
                    their,
                ]
                .concat(),
            );
            let args = ["filter", "--quiet", &one, &two, "-o", &o1, "--out2", &o2, "--json", &j];
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
        fastp(&[
            "-A", "-G", "-Q", "-L", "-c", "-i", &one, "-I", &two, "-o", &f1, "-O", &f2, "-j", &fj,
        ]);
        let run =
            biofast(&["filter", "--quiet", "--correct", &one, &two, "-o", &o1, "--out2", &o2]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        same(&read(&o1), &read(&f1), &one);
        same(&read(&o2), &read(&f2), &two);
    }
    assert!(merged > 5000, "{merged}");
}

#[test]
fn merged_pairs_are_the_same_at_any_number_of_threads_and_add_up() {
    let folder = Folder::new();
    let [one, two] = pairs(9, 3000, [120, 110]);
    let (one, two) = (folder.file("1.fq", one), folder.file("2.fq", two));
    let [m, j, r] = ["m.fq.gz", "j.json", "r.fq"].map(|name| text(&folder.path(name)));
    let mut outputs = Vec::new();
    for threads in ["1", "4"] {
        let run = biofast(&[
            "filter",
            "--merge",
            "--correct",
            "--min-len",
            "60",
            "--max-n",
            "1",
            &one,
            &two,
            "--merged-out",
            &m,
            "--json",
            &j,
            "--rejected",
            &r,
            "-@",
            threads,
            "--chunk-size",
            "9999",
        ]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        outputs.push((run.stdout, std::fs::read(&m).unwrap(), read(&r)));
    }
    assert!(outputs[0] == outputs[1]);
    let report = json(&j);
    let n = |path: &[&str]| path.iter().fold(&report, |value, key| &value[*key]).as_u64().unwrap();
    let rejected: u64 =
        report["rejected"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    let merged = n(&["merged_pairs"]);
    assert!(merged > 300 && rejected > 300, "{merged} {rejected}");
    assert_eq!(n(&["summary", "before_filtering", "total_reads"]), 6000);
    let kept = n(&["summary", "after_filtering", "total_reads"]);
    assert_eq!(kept + merged + rejected, 6000);
    assert_eq!(outputs[0].0.lines().count() as u64 / 4, kept - merged);
    assert_eq!(outputs[0].2.lines().count() as u64 / 4, rejected);
    // All in one file.
    let run = biofast(&["filter", "--quiet", "--merge", &one, &two]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains(" merged_") && run.stdout.contains(" 2:N:0\n"));
    assert_error(&biofast(&["filter", "--merge", &one]), &["--merge needs pairs"]);
    let [o1, o2] = ["o1.fq", "o2.fq"].map(|name| text(&folder.path(name)));
    let run = biofast(&["filter", "--merge", &one, &two, "-o", &o1, "--out2", &o2]);
    assert_error(&run, &["needs --merged-out"]);
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
fn the_preset_keeps_the_reads_of_fastp_and_reports_its_figures() {
    if !installed("fastp") {
        return;
    }
    let folder = Folder::new();
    let path = |name: &str| text(&folder.path(name));
    let (o1, o2, j) = (path("o1.fq"), path("o2.fq"), path("ours.json"));
    let (f1, f2, fj) = (path("f1.fq"), path("f2.fq"), path("theirs.json"));
    let mut listed = 0;
    for [one, two] in inputs(&folder) {
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
            fastp(&[&["-i", &one, "-I", &two, "-o", &f1, "-O", &f2, "-j", &fj], their].concat());
            let args = ["filter", "--quiet", "--preset", "fastp", "-i", &one, "-I", &two];
            let more = ["-o", &o1, "--out2", &o2, "--fastp-json", &j];
            let run = biofast(&[&args[..], &more, our].concat());
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
    assert!(listed > 20, "{listed}");
    for (i, (adapter, machine)) in [
        ("AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACG", "M0"),
        ("CCTAAGTTCAGGACTTACCAGTACG", "NB500"),
        ("", "A00123"),
    ]
    .into_iter()
    .enumerate()
    {
        let input = folder.file("single.fq", single_reads(i as u64, 11_000, adapter, machine));
        fastp(&["-i", &input, "-o", &f1, "-j", &fj]);
        let args =
            ["filter", "--quiet", "--preset", "fastp", &input, "-o", &o1, "--fastp-json", &j];
        let mut outputs = Vec::new();
        for threads in ["1", "3"] {
            let run = biofast(&[&args[..], &["-@", threads, "--chunk-size", "99999"]].concat());
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
fn overrepresented_sequences_are_those_of_fastp() {
    if !installed("fastp") {
        return;
    }
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
        fastp(&["-i", &input, "-o", &f, "-j", &fj, "-p", "-P", "1", "-A", "-l", "60"]);
        let mut reports = Vec::new();
        for threads in ["1", "3"] {
            let run = biofast(&[
                "filter",
                "--quiet",
                "--preset",
                "fastp",
                "--min-len",
                "60",
                "--chunk-size",
                "9999",
                "-@",
                threads,
                &input,
                "-o",
                &o,
                "--fastp-json",
                &j,
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

/// What other adapter options cut is in fastp's report, too.
#[test]
fn adapters_cut_without_the_preset_are_counted() {
    let folder = Folder::new();
    let read = |bases: &str| format!("@r\n{bases}\n+\n{}\n", "I".repeat(bases.len()));
    let reads = ["ACGTTGAGATCGGAAG", "ACGTTGCAAT", "TTTTCACGAGATCGG", "TTTTCACGAGATCGG"];
    let input = folder.file("r.fq", reads.map(read).concat());
    let (o, j) = (text(&folder.path("o.fq")), text(&folder.path("x.json")));
    let args = ["filter", "--quiet", "-a", "AGATCGGAAGAGC", "-g", "^TTTT", "--times", "2"];
    let run = biofast(&[&args[..], &[&input, "-o", &o, "--fastp-json", &j]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let cutting = &json(&j)["adapter_cutting"];
    assert_eq!(cutting["adapter_trimmed_reads"], 3);
    assert_eq!(cutting["adapter_trimmed_bases"], 10 + 2 * 11);
    let expected = serde_json::json!({ "TTTT": 2, "AGATCGG": 2, "AGATCGGAAG": 1 });
    assert_eq!(cutting["read1_adapter_counts"], expected);
}

#[test]
fn options_of_fastp_are_known_or_answered() {
    let folder = Folder::new();
    let [one, two] = pairs(3, 50, [100, 100]);
    let (one, two) = (folder.file("1.fq", one), folder.file("2.fq", two));
    for (args, needed) in [
        (&["-q", "20"][..], "--qualified-quality"),
        (&["-u"], "--max-low-quality-percent"),
        (&["-r"], "--cut-right"),
        (&["-n", "3"], "--max-n"),
        (&["-y"], "--min-complexity"),
        (&["--average_qual", "3"], "--min-mean-qual"),
        (&["-O", "2.fq"], "--out2"),
        (&["-p"], "--overrepresentation-analysis"),
    ] {
        let run = biofast(&[&["filter", "-i", &one, "-I", &two], args].concat());
        assert_eq!(run.code, 2, "{args:?} {}", run.stderr);
        assert!(run.stderr.contains(needed), "{args:?}: {}", run.stderr);
    }
    let run = biofast(&["filter", "--preset", "fastp", "-g", "ACGT", &one]);
    assert_error(&run, &["--preset fastp takes adapters with -a and -A only"]);
    // A number may follow an option that may do without one.
    let runs = folder.file("runs.fq", "@r\nACATACATACATGGGGG\n+\nIIIIIIIIIIIIIIIII\n");
    let [joined, apart, without] =
        [&["--trim-poly-g=3"][..], &["--trim-poly-g", "3"], &["--trim-poly-g"]]
            .map(|option| biofast(&[&["filter", "--quiet"], option, &[runs.as_str()]].concat()));
    assert_eq!((joined.code, &joined.stdout), (0, &apart.stdout));
    assert!(joined.stdout != without.stdout);
    let help = biofast(&["filter", "--help"]);
    let lone = biofast(&["filter", "-h"]);
    assert_eq!((lone.code, lone.stdout), (0, help.stdout));
}

/// A pair whose fragment of 60 bases has an identifier of 8 before it.
fn pair_with_identifier() -> ([String; 2], String, String) {
    let mut random = Random(11);
    let mut bases =
        |n: usize| -> String { (0..n).map(|_| char::from(b"ACGT"[random.below(4)])).collect() };
    let (identifier, fragment, rest) = (bases(8), bases(60), bases(32));
    let whole = format!("{identifier}{fragment}");
    let other = String::from_utf8(reverse_complement(whole.as_bytes())).unwrap();
    let read = |strand: &str, adapter: &str| {
        let read = &format!("{strand}{adapter}{rest}")[..100];
        format!("@r 1:N:0:ACGT+GGTT\n{read}\n+\n{}\n", "I".repeat(100))
    };
    let one = read(&whole, "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA");
    let two = read(&other, "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGT").replace("1:N", "2:N");
    ([one, two], identifier, fragment)
}

#[test]
fn the_other_mate_of_a_short_fragment_loses_the_identifier() {
    let folder = Folder::new();
    let (pair, identifier, fragment) = pair_with_identifier();
    let [one, two] = pair;
    let (one, two) = (folder.file("1.fq", one), folder.file("2.fq", two));
    let [o1, o2, j] = ["o1.fq", "o2.fq", "j.json"].map(|name| text(&folder.path(name)));
    let other = String::from_utf8(reverse_complement(fragment.as_bytes())).unwrap();
    for (how, name) in [
        (&["--preset", "fastp"][..], format!("@r:{identifier}")),
        (&["--trim-overlap"], format!("@r:{identifier}")),
        (&["--preset", "fastp", "--umi-prefix", "U1"], format!("@r:U1_{identifier}")),
    ] {
        let args = ["filter", "--quiet", &one, &two, "-o", &o1, "--out2", &o2, "--json", &j];
        let run = biofast(&[&args[..], &["--umi", "first", "--umi-len", "8"], how].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let qualities = "I".repeat(60);
        let expected = [(1, &fragment), (2, &other)]
            .map(|(mate, bases)| format!("{name} {mate}:N:0:ACGT+GGTT\n{bases}\n+\n{qualities}\n"));
        assert_eq!([read(&o1), read(&o2)], expected, "{how:?}");
    }
    // What a fixed cut takes off one mate is still part of the fragment.
    let args = ["filter", "--quiet", "--trim-overlap", "--crop-front", "8,0"];
    let run = biofast(&[&args[..], &[&one, &two, "-o", &o1, "--out2", &o2]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(read(&o2).lines().nth(1).map(str::len), Some(68));
}

#[test]
fn identifiers_may_be_in_headers() {
    let folder = Folder::new();
    let ([one, two], ..) = pair_with_identifier();
    let (one, two) = (folder.file("1.fq", one), folder.file("2.fq", two));
    for (place, name) in [
        ("index1", "@r:ACGT "),
        ("index2", "@r:GGTT "),
        ("indexes", "@r:ACGT_GGTT "),
        ("per_index", "@r:ACGT_GGTT "),
    ] {
        let run = biofast(&["filter", "--quiet", "--umi", place, &one, &two]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let headers: Vec<&str> = run.stdout.lines().step_by(4).collect();
        assert_eq!(headers.len(), 2);
        assert!(headers.iter().all(|header| header.starts_with(name)), "{place} {headers:?}");
    }
    let with_len = ["filter", "--umi", "index1", "--umi-len", "4", &one, &two];
    assert_error(&biofast(&with_len), &["identifiers at the front of reads"]);
    assert_error(&biofast(&["filter", "--umi", "first", &one]), &["needs --umi-len"]);
    assert_error(&biofast(&["filter", "--umi", "index2", &one]), &["needs pairs"]);
    let alone = biofast(&["filter", "--pair", "any", &one]);
    assert!(alone.code == 0 && alone.stderr.contains("--pair has no effect"), "{alone:?}");
}

#[test]
fn windows_of_the_preset_are_those_of_fastp() {
    let folder = Folder::new();
    // A read no longer than a window is left as it is without the preset, and dropped with it; so is the read's last base.
    let reads =
        folder.file("r.fq", "@a\nACGTACGTACGTACGT\n+\nIIIIIIIIIIIIIIII\n@b\nACGT\n+\nIIII\n");
    let run = |args: &[&str]| {
        let run = biofast(&[&["filter", "--quiet", &reads], args].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let lines: Vec<String> = run.stdout.lines().skip(1).step_by(4).map(str::to_owned).collect();
        lines
    };
    let fastp = ["--preset", "fastp", "-l", "1", "--cut-front"];
    assert_eq!(run(&["--cut-front"]), ["ACGTACGTACGTACGT", "ACGT"]);
    assert_eq!(run(&fastp), ["ACGTACGTACGTACGT"]);
    // After a fixed cut a window less one base goes even if the first window is good.
    assert_eq!(run(&["--crop-front", "1", "--cut-front"]), ["CGTACGTACGTACGT", "CGT"]);
    assert_eq!(run(&[&fastp[..], &["--crop-front", "1"]].concat()), ["ACGTACGTACGT"]);
    assert_eq!(
        run(&["--preset", "fastp", "-l", "1", "--cut-tail", "--crop-tail", "1"]),
        ["ACGTACGTACGT"]
    );
}
