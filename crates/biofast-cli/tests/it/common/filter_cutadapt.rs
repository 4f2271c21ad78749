//! What the cases of `filter_cutadapt` share with those beside peers.

use biofast_testkit::random::Random;

use std::collections::BTreeMap;

use super::{Folder, files_below, ok, text};

pub(crate) const ADAPTER: &str = "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA";

pub(crate) const PRIMER: &str = "GTGCCAGCMGCCGCGGTAA";

pub(crate) fn bases(random: &mut Random, n: usize) -> Vec<u8> {
    (0..n).map(|_| b"ACGT"[random.below(4)]).collect()
}

/// Some letter the adapter's one stands for.
pub(crate) fn meant(random: &mut Random, letter: u8) -> u8 {
    match letter {
        b'M' => b"AC"[random.below(2)],
        b'N' => b"ACGT"[random.below(4)],
        letter => letter,
    }
}

/// Substitutes, inserts and deletes.
pub(crate) fn with_errors(random: &mut Random, mut sequence: Vec<u8>, errors: usize) -> Vec<u8> {
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
pub(crate) fn reads(seed: u64, n: usize) -> [String; 2] {
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

/// What biofast calls the options; a read that trimming emptied is kept by cutadapt unless it has a least length.
pub(crate) fn ours(args: &[&str]) -> Vec<String> {
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

/// Named adapters: the first five for single reads, the last three for a file for each two of them.
pub(crate) const NAMED: [&[&str]; 10] = [
    &["-g", "V4=GTGCCAGCMGCCGCGGTAA", "-a", "tru=AGATCGGAAGAGC"],
    &["-g", "GTGCCAGCMGCCGCGGTAA", "-a", "AGATCGGAAGAGC", "-n", "3"],
    // One name of two adapters is one file.
    &["-g", "x=GTGCCAGC", "-a", "x=AGATCGG", "-a", "y=CACACGTCT"],
    &["-g", "V4=^GTGCCAGCMGCCGCGGTAA", "-e", "0.2", "-a", "t=AGATCGGAAGAGC$"],
    &["-a", "t=AGATCGGAAGAGC", "-g", "V4=GTGCCAGC", "--discard-untrimmed"],
    &["-a", "t=AGATCGGAAGAGC", "-A", "AGATCGGAAGAGC", "-G", "p=GTGCCAGC"],
    &["-a", "t=AGATCGGAAGAGC", "-A", "AGATCGGAAGAGC", "--discard-untrimmed"],
    // A file for each two of them.
    &["-a", "t=AGATCGG", "-g", "p=GTGCCAGC", "-A", "AGATCGG", "-G", "p=GTGCCAGC", "-n", "2"],
    &["-a", "x=AGATCGG", "-a", "x=CACACG", "-A", "{name1}=AGATCGG", "-G", "q=GTGCCAGC"],
    &["-a", "t=AGATCGG", "-g", "p=GTGC", "-A", "t=AGATCGG", "--discard-untrimmed"],
];

/// Writes the files of a set of adapters, and returns those by name.
pub(crate) fn by_adapter(
    number: usize,
    inputs: &[String; 2],
    threads: &str,
) -> BTreeMap<String, Vec<u8>> {
    let (set, folder) = (NAMED[number], Folder::new());
    let mut command = ours(set);
    let more = ["filter", "-@", threads, "--chunk-size", "5000", "--quiet", "--min-len", "1"];
    command.splice(0..0, more.map(str::to_owned));
    let [first, second] = outputs(number, &folder);
    command.extend(["-o".to_owned(), first]);
    if is_paired(number) {
        command.extend(["--out2".to_owned(), second]);
    }
    command.extend(inputs[..1 + usize::from(is_paired(number))].iter().cloned());
    ok(&command.iter().map(String::as_str).collect::<Vec<_>>());
    files_below(&folder.path(""))
}

pub(crate) fn is_paired(number: usize) -> bool {
    number >= 5
}

pub(crate) fn outputs(number: usize, folder: &Folder) -> [String; 2] {
    let stem = if number >= 7 { "{name1}-{name2}" } else { "{name}" };
    ["1", "2"].map(|mate| text(&folder.path(&format!("{stem}.{mate}.fq"))))
}
