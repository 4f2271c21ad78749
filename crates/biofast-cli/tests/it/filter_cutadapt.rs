//! `biofast filter` cuts adapters as cutadapt does: the same options, the same reads, byte for byte. Skipped with a message
//! where cutadapt isn't installed.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::path::Path;
use std::process::{Command, Stdio};

use biofast_testkit::random::Random;
use common::{Folder, biofast, installed, text};

const ADAPTER: &str = "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA";
const PRIMER: &str = "GTGCCAGCMGCCGCGGTAA";

fn bases(random: &mut Random, n: usize) -> Vec<u8> {
    (0..n).map(|_| b"ACGT"[random.below(4)]).collect()
}

/// Some letter the adapter's one stands for.
fn meant(random: &mut Random, letter: u8) -> u8 {
    match letter {
        b'M' => b"AC"[random.below(2)],
        b'N' => b"ACGT"[random.below(4)],
        letter => letter,
    }
}

/// Substitutes, inserts and deletes.
fn with_errors(random: &mut Random, mut sequence: Vec<u8>, errors: usize) -> Vec<u8> {
    for _ in 0..errors {
        if sequence.is_empty() {
            return sequence;
        }
        let at = random.below(sequence.len());
        match random.below(4) {
            0 => sequence.insert(at, b"ACGT"[random.below(4)]),
            1 => {
                sequence.remove(at);
            }
            2 => sequence[at] = b"ACGTN"[random.below(5)],
            _ => sequence[at] = b"ACGT"[random.below(4)],
        }
    }
    sequence
}

/// Reads with adapters, primers, parts of them, both, several and none, with errors.
fn reads(seed: u64, n: usize) -> [String; 2] {
    let mut random = Random(seed);
    let mut out = [String::new(), String::new()];
    for i in 0..n {
        for out in &mut out {
            let mut read = Vec::new();
            let part = |random: &mut Random, whole: &str, from_end: bool| -> Vec<u8> {
                let letters: Vec<u8> = whole.bytes().map(|b| meant(random, b)).collect();
                let len = match random.below(3) {
                    0 => letters.len(),
                    _ => random.below(letters.len() + 1),
                };
                let part = if from_end { &letters[letters.len() - len..] } else { &letters[..len] };
                let errors = [0, 0, 1, 2, 3, 5][random.below(6)];
                with_errors(random, part.to_vec(), errors)
            };
            if random.chance(40) {
                let before = random.below(6);
                if random.chance(30) {
                    read.extend(bases(&mut random, before));
                }
                read.extend(part(&mut random, PRIMER, true));
            }
            let insert = random.below(60);
            read.extend(bases(&mut random, insert));
            for _ in 0..[0, 1, 1, 1, 2][random.below(5)] {
                read.extend(part(&mut random, ADAPTER, false));
            }
            if random.chance(30) {
                let after = random.below(20);
                read.extend(bases(&mut random, after));
            }
            if random.chance(5) {
                read.make_ascii_lowercase();
            }
            let qualities: String =
                (0..read.len()).map(|_| (35 + random.below(40)) as u8 as char).collect();
            *out += &format!("@r{i} x\n{}\n+\n{qualities}\n", String::from_utf8(read).unwrap());
        }
    }
    out
}

fn cutadapt(args: &[&str]) -> String {
    // Several adapters tied to an end are looked up in an index otherwise, which leaves reads that fit two of them alone.
    let mut command = Command::new("cutadapt");
    command.args(["--quiet", "--no-index"]).args(args).stderr(Stdio::piped());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cutadapt {args:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// What biofast calls the options; a read that trimming emptied is kept by cutadapt unless it has a least length.
fn ours(args: &[&str]) -> Vec<String> {
    let mut ours = Vec::new();
    for &arg in args {
        ours.push(
            match arg {
                "-b" => "--anywhere",
                "-G" => "--front2",
                "-e" => "--error-rate",
                "-O" => "--overlap",
                "-n" => "--times",
                "-N" => "--no-match-adapter-wildcards",
                other => other,
            }
            .to_owned(),
        );
    }
    ours
}

fn compare(args: &[&str], input: &[&str]) -> usize {
    let theirs = cutadapt(&[args, &["-m", "1"], input].concat());
    let mut command = ours(args);
    command.splice(0..0, ["filter", "--quiet", "--min-len", "1"].map(str::to_owned));
    command
        .extend(input.iter().map(|&input| input.to_owned()).filter(|arg| arg != "--interleaved"));
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let run = biofast(&command);
    assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
    if run.stdout != theirs {
        let pairs = run.stdout.lines().zip(theirs.lines());
        let differ = pairs.clone().filter(|(a, b)| a != b).count();
        let first = pairs.clone().position(|(a, b)| a != b);
        let lines = [&run.stdout, &theirs].map(|text| text.lines().count());
        let at = first.unwrap_or(0) / 4 * 4;
        let ours: Vec<_> = run.stdout.lines().skip(at).take(2).collect();
        let theirs: Vec<_> = theirs.lines().skip(at).take(2).collect();
        panic!("{args:?}: {differ} lines differ, of {lines:?}: {ours:?}, but {theirs:?}");
    }
    theirs.lines().count() / 4
}

const LONE: &[&[&str]] = &[
    &["-a", ADAPTER],
    &["-a", ADAPTER, "-e", "0.2"],
    &["-a", ADAPTER, "-e", "0"],
    &["-a", ADAPTER, "-e", "3", "-O", "8"],
    &["-a", ADAPTER, "--no-indels", "-e", "0.15"],
    &["-a", ADAPTER, "-O", "1", "-n", "3"],
    &["-a", "AGATCGGAAGAGCACACGTCTGAACTCCAGTCAX", "-e", "0.2"],
    &["-a", "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA$", "-e", "0.2"],
    &["-a", "AGATCGGAAGAGC$", "-e", "0.2", "--no-indels"],
    &["-a", "AGATCGGAAGAGC;rightmost", "-e", "0.2"],
    &["-a", "AGATCGGAAGAGC;anywhere", "-e", "0.2"],
    &["-g", PRIMER],
    &["-g", PRIMER, "-e", "0.25", "-O", "5"],
    &["-g", "^GTGCCAGCMGCCGCGGTAA", "-e", "0.2"],
    &["-g", "^GTGCCAGCMGCCGCGGTAA", "-e", "0.2", "--no-indels"],
    &["-g", "XGTGCCAGCMGCCGCGGTAA", "-e", "0.2"],
    &["-g", "GTGCCAGCMGCCGCGGTAA;rightmost;e=0.2"],
    &["-g", PRIMER, "-N", "-e", "0.2"],
    &["-b", PRIMER, "-e", "0.2"],
    &["-b", ADAPTER, "-b", PRIMER, "-n", "2"],
    &["-a", "^GTGCCAGCMGCCGCGGTAA...AGATCGGAAGAGCACACG", "-e", "0.2"],
    &["-a", "GTGCCAGCMGCCGCGGTAA...AGATCGGAAGAGCACACG", "-e", "0.2"],
    &["-g", "GTGCCAGCMGCCGCGGTAA...AGATCGGAAGAGCACACG", "-e", "0.2", "--discard-untrimmed"],
    &["-g", "GTGCCAGCMGCCGCGGTAA;optional...AGATCGGAAGAGCACACG$"],
    &["-g", "GTGCCAGCMGCCGCGGTAA;optional...AGATCGGAAGAGCACACGX;o=3;required"],
    &["-a", "AGATCGGNNNAGCACNCG", "-e", "0.2"],
    &["-a", "AGATCGGNNNAGCACNCG", "-e", "0.2", "--no-indels", "-O", "2"],
    &["-a", ADAPTER, "--match-read-wildcards", "-e", "0.15"],
    &["-a", "AGATCGGA{2}GAGC", "--match-read-wildcards", "-g", "NNGCMGCCGCGG"],
    &["-a", ADAPTER, "-g", PRIMER, "-n", "2", "--action", "mask"],
    &["-a", ADAPTER, "-g", PRIMER, "-n", "2", "--action", "lowercase"],
    &["-a", ADAPTER, "-g", PRIMER, "--action", "none", "--discard-trimmed"],
    &["-a", ADAPTER, "-g", PRIMER, "--action", "retain"],
    &["-a", ADAPTER, "-g", PRIMER, "--action", "crop"],
    &["-a", "one=AGATCGGAAGAGC", "-a", "two=AGATCGCAACAGC", "-a", "CACACGTCT", "-e", "0.2"],
    &["-g", "^GTGCCAGC", "-g", "^GTGCCTGC;e=0.3", "-a", "TCCAGTCA$", "-a", "TCCACTCA$"],
];

#[test]
fn made_reads_are_cut_as_cutadapt_cuts_them() {
    if !installed("cutadapt") {
        return;
    }
    let folder = Folder::new();
    let [one, _] = reads(1, 6000);
    let input = folder.file("r.fq", one);
    // Beyond the end of a read that is shorter than the adapter cutadapt sees what is there in memory, and so finds now and then
    // that the read lies inside of the adapter.
    let long = text(&folder.path("long.fq"));
    let run = biofast(&["filter", "--quiet", "--min-len", "40", &input, "-o", &long]);
    assert_eq!(run.code, 0);
    for args in LONE {
        let anywhere = args.iter().any(|arg| *arg == "-b" || arg.contains("anywhere"));
        let input = if anywhere { &long } else { &input };
        assert!(compare(args, &[input]) > 100, "{args:?}");
    }
    let list =
        folder.file("a.fa", format!(">x y\n{}\n{}\n>z\nTCCAGTCA\n", &ADAPTER[..9], &ADAPTER[9..]));
    compare(&["-a", &format!("file:{list}"), "-e", "0.2"], &[&input]);
    compare(&["-a", &format!("file$:{list};e=0.2;noindels")], &[&input]);
    compare(&["-g", &format!("^file:{list};max_error_rate=0.2"), "-n", "2"], &[&input]);
}

#[test]
fn made_pairs_are_cut_as_cutadapt_cuts_them() {
    if !installed("cutadapt") {
        return;
    }
    let folder = Folder::new();
    let [one, two] = reads(2, 3000);
    let (one, two) = (folder.file("1.fq", one), folder.file("2.fq", two));
    for args in [
        &["-a", ADAPTER, "-A", ADAPTER, "-e", "0.2"][..],
        &["-a", ADAPTER, "-G", PRIMER, "-A", "CACACGTCTGAA"],
        &["-a", ADAPTER, "--discard-untrimmed"],
        &["-A", ADAPTER, "--discard-trimmed"],
        &["-a", ADAPTER, "-A", ADAPTER, "--discard-untrimmed"],
        &["-g", PRIMER, "-G", PRIMER, "--action", "mask", "-e", "0.2"],
    ] {
        assert!(compare(args, &["--interleaved", &one, &two]) > 100, "{args:?}");
    }
}

#[test]
fn real_reads_are_cut_as_cutadapt_cuts_them() {
    if !installed("cutadapt") {
        return;
    }
    let folder = Folder::new();
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/real");
    for name in ["chipseq_SRR5204809-10_R1", "novaseq4_metagenome_R1", "bacteroides_6level_R2"] {
        let path = real.join(format!("{name}.fastq.gz"));
        if !path.exists() {
            eprintln!("skipped: {} is absent", path.display());
            continue;
        }
        let few = text(&folder.path("few.fq"));
        let head = ["filter", "--quiet", "--head", "20000", path.to_str().unwrap(), "-o", &few];
        assert_eq!(biofast(&head).code, 0);
        compare(&["-a", ADAPTER], &[&few]);
        compare(&["-a", ADAPTER, "-e", "0.2", "-O", "1", "-n", "2"], &[&few]);
        compare(&["-b", "CTGTCTCTTATACACATCT", "-g", "AGATGTGTATAAGAGACAG", "-n", "2"], &[&few]);
    }
}
