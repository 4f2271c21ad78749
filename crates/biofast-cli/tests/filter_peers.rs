//! `biofast filter` against seqkit, fastp, seqtk and bgzip, where definitions coincide. Skipped
//! with a message where a program is not installed.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::Path;
use std::process::{Command, Stdio};

use common::{Folder, biofast, installed, reads, sample, text};

/// The committed sample and, where they are, real reads.
fn inputs() -> Vec<String> {
    let mut found = vec![sample("sample_R1.fq.bgz"), sample("sample_R2.fq.bgz")];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/real");
    let real = folder.join("chipseq_SRR5204809-10_R1.fastq.gz");
    if real.exists() {
        found.push(text(&real));
    } else {
        eprintln!("skipped: {} is absent", real.display());
    }
    found
}

fn ours(args: &[&str]) -> String {
    let run = biofast(&[&["filter", "--quiet"], args].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.stdout
}

fn theirs(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).stderr(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{program} {args:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn seqkit_keeps_the_same_reads() {
    if !installed("seqkit") {
        return;
    }
    for input in inputs() {
        // Means of error probabilities on both sides.
        for (our, their) in [
            (["--min-len", "51"], ["-m", "51"]),
            (["--max-len", "50"], ["-M", "50"]),
            (["--min-mean-qual", "20"], ["-Q", "20"]),
            (["--min-mean-qual", "27.5"], ["-Q", "27.5"]),
        ] {
            let ours = ours(&[&our[..], &[&input]].concat());
            assert!(
                ours == theirs("seqkit", &[&["seq"], &their[..], &[&input]].concat()),
                "{input} {our:?}"
            );
        }
        let ours = ours(&["--head", "777", &input]);
        assert!(ours == theirs("seqkit", &["head", "-n", "777", &input]), "{input}");
        let folder = Folder::new();
        let names: Vec<&str> =
            ours.lines().step_by(4).map(|l| l[1..].split(' ').next().unwrap()).step_by(3).collect();
        let list = folder.file("list", names.join("\n"));
        let [ours, theirs] = [
            self::ours(&["--names", &list, &input]),
            theirs("seqkit", &["grep", "-f", &list, &input]),
        ];
        assert!(ours == theirs && !ours.is_empty(), "{input}");
    }
}

#[test]
fn seqtk_keeps_the_same_reads() {
    if !installed("seqtk") {
        return;
    }
    for input in inputs() {
        let ours = ours(&["--max-n", "0", "--min-len", "51", &input]);
        assert!(ours == theirs("seqtk", &["seq", "-N", "-L", "51", &input]), "{input}");
    }
}

#[test]
fn fastp_cuts_and_keeps_the_same() {
    if !installed("fastp") {
        return;
    }
    let folder = Folder::new();
    let mut inputs = inputs();
    // fastp takes seconds to start and end, so each option meets one file of each kind.
    inputs.remove(1);
    inputs.push(folder.file("x.fq", reads("r", 3000)));
    for input in inputs {
        let is_real = input.contains("chipseq");
        // It goes by the name.
        let named = text(&folder.path(if input.ends_with("fq") { "y.fq" } else { "y.fq.gz" }));
        std::fs::copy(&input, &named).unwrap();
        let input = named;
        // Adapters and poly-G off; its length filter stays, as reads not longer than a window
        // are dropped there and left alone here.
        for (our, their) in [
            (vec!["--cut-front"], vec!["-5", "-Q"]),
            (vec!["--cut-tail"], vec!["-3", "-Q"]),
            (vec!["--cut-right"], vec!["-r", "-Q"]),
            (
                vec![
                    "--cut-front",
                    "--cut-tail",
                    "--cut-window-size",
                    "7",
                    "--cut-mean-quality",
                    "28",
                ],
                vec!["-5", "-3", "-Q", "-W", "7", "-M", "28"],
            ),
            (
                vec!["--crop-front", "3", "--crop-tail", "2", "--keep-first", "40"],
                vec!["-f", "3", "-t", "2", "-b", "40", "-Q"],
            ),
            (
                vec![
                    "--max-low-quality-percent",
                    "20",
                    "--qualified-quality",
                    "25",
                    "--max-n",
                    "4",
                ],
                vec!["-u", "20", "-q", "25", "-n", "4"],
            ),
            (
                vec!["--min-mean-qual", "30", "--mean", "arithmetic", "--max-n", "1000"],
                vec!["-e", "30", "-n", "50", "-u", "100"],
            ),
            (vec!["--min-complexity", "73"], vec!["-y", "-Y", "73", "-Q"]),
        ] {
            if is_real && !our.iter().any(|option| option.starts_with("--cut")) {
                continue;
            }
            let json = text(&folder.path("j"));
            let more =
                ["-A", "-G", "--stdout", "-w", "1", "-j", &json, "-h", "/dev/null", "-i", &input];
            let theirs = theirs("fastp", &[&their[..], &more].concat());
            let ours = ours(&[&our[..], &["--min-len", "15", &input]].concat());
            if ours != theirs {
                let differ = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
                let n = [&ours, &theirs].map(|text| text.lines().count() / 4);
                panic!("{input} {our:?}: {n:?} reads, first difference {differ:?}");
            }
        }
    }
}

#[test]
fn bgzip_reads_the_blocks_and_makes_the_same_index() {
    if !installed("bgzip") {
        return;
    }
    let folder = Folder::new();
    let input = folder.file("x.fq", reads("r", 4000));
    for level in ["0", "1", "6", "fast", "small"] {
        let out = text(&folder.path("o.fq.gz"));
        ours(&[&input, "-o", &out, "--level", level, "--write-index"]);
        theirs("bgzip", &["-t", &out]);
        assert!(theirs("bgzip", &["-dc", &out]) == std::fs::read_to_string(&input).unwrap());
        let index = text(&folder.path("again.gzi"));
        theirs("bgzip", &["-r", &out, "-I", &index]);
        let made = std::fs::read(format!("{out}.gzi")).unwrap();
        assert!(made.len() > 8 && made == std::fs::read(&index).unwrap(), "level {level}");
        // A stretch through the index.
        let part = theirs("bgzip", &["-b", "100000", "-s", "50", &out]);
        assert_eq!(part, std::fs::read_to_string(&input).unwrap()[100_000..100_050]);
    }
}
