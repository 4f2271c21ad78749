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

/// The files of a folder, by name.
fn files(folder: &Folder) -> Vec<(String, String)> {
    let mut files: Vec<_> = std::fs::read_dir(folder.path(""))
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// Where the names of outputs have a place for an adapter's, each read is in the file of the one that was cut last.
#[test]
fn reads_go_to_the_files_of_their_adapters_as_with_cutadapt() {
    let inputs = Folder::new();
    let [one, two] = reads(9, 300);
    let [one, two] = [inputs.file("1.fq", one), inputs.file("2.fq", two)];
    let sets: [&[&str]; 10] = [
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
    for (number, set) in sets.into_iter().enumerate() {
        let paired = number >= 5;
        let stem = if number >= 7 { "{name1}-{name2}" } else { "{name}" };
        let (theirs, ours_) = (Folder::new(), Folder::new());
        let of = |folder: &Folder, mate: &str| text(&folder.path(&format!("{stem}.{mate}.fq")));
        let inputs: &[&str] = if paired { &[&one, &two] } else { &[&one] };
        if installed("cutadapt") {
            let mut command = set.to_vec();
            let (first, second) = (of(&theirs, "1"), of(&theirs, "2"));
            command.extend(["-m", "1", "-o", &first]);
            if paired {
                command.extend(["-p", &second]);
            }
            cutadapt(&[&command[..], inputs].concat());
        }
        for threads in ["1", "3"] {
            let (first, second) = (of(&ours_, "1"), of(&ours_, "2"));
            let mut command = ours(set);
            let more =
                ["filter", "-@", threads, "--chunk-size", "5000", "--quiet", "--min-len", "1"];
            command.splice(0..0, more.map(str::to_owned));
            command.extend(["-o".to_owned(), first]);
            if paired {
                command.extend(["--out2".to_owned(), second]);
            }
            command.extend(inputs.iter().map(|&input| input.to_owned()));
            let run = biofast(&command.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(run.code, 0, "{set:?}: {}", run.stderr);
            let written = files(&ours_);
            assert!(written.iter().filter(|(_, text)| !text.is_empty()).count() > 1, "{set:?}");
            if installed("cutadapt") {
                for (ours, theirs) in written.iter().zip(&files(&theirs)) {
                    assert_eq!(ours.0, theirs.0, "{set:?}");
                    assert!(ours.1 == theirs.1, "{set:?}: {} differs", ours.0);
                }
                assert_eq!(written.len(), files(&theirs).len(), "{set:?}");
            }
        }
    }
}

#[test]
fn a_place_for_an_adapter_needs_one_and_leaves_nothing_where_it_fails() {
    let folder = Folder::new();
    let one = folder.file("1.fq", "@r\nACGTACGT\n+\nIIIIIIII\n");
    let copy = folder.file("2.fq", "@r\nACGTACGT\n+\nIIIIIIII\n");
    let out = Folder::new();
    let at = |name: &str| text(&out.path(name));
    let (names, plain, sub) = (at("{name}.fq"), at("x.fq"), at("{name}/x.fq"));
    let two = at("{name1}-{name2}.fq");
    let (lone, mixed) = (at("{name1}.fq"), at("{name1}-{name2}-{name}.fq"));
    for (args, expected) in [
        (&["filter", &one, "-o", &names][..], "no adapter of first reads is named"),
        (&["filter", &one, "-g", "a/b=ACGT", "-o", &names], "can't be part of the name of a file"),
        (&["filter", &one, "-g", "unknown=ACGT", "-o", &names], "reads without one"),
        (&["filter", &one, &one, "-g", "ACGT", "-o", &names, "--out2", &plain], ""),
        (&["filter", &one, "-g", "a=ACGT", "-o", &sub], ""),
        (&["filter", &one, "-g", "a=ACGT", "-o", &two], "is of pairs"),
        (&["filter", &one, "-g", "a=ACGT", "-o", &lone], "{name1} alone"),
        (&["filter", &one, "-g", "a=ACGT", "-o", &mixed], "{name} beside"),
        (&["filter", &one, &copy, "-g", "a=ACGT", "-o", &two], "name the file of second reads"),
        (
            &["filter", &one, &copy, "-g", "a=ACGT", "-o", &two, "--interleaved-out"],
            "none is named",
        ),
        (
            &["filter", &one, &copy, "-A", "a=ACGT", "-o", &two, "--interleaved-out"],
            "no adapter of first reads",
        ),
        (
            &["filter", &one, &copy, "-g", "ACGT", "-o", &two, "--out2", &names],
            "both need the same",
        ),
        (&["filter", &one, "-g", "ACGT", "-o", &names, "--discard-trimmed"], "leaves no reads"),
    ] {
        let run = biofast(args);
        assert_eq!(run.code, 2, "{args:?}: {run:?}");
        assert!(run.stderr.contains(expected), "{args:?}: {}", run.stderr);
    }
    assert!(files(&out).is_empty());
    // A thousand adapters, and fewer files that may be open.
    let fasta: String = (0..1000).map(|i| format!(">a{i}\n^ACGTTTGCA{}\n", digits(i))).collect();
    let reads: String = (0..1000)
        .map(|i| format!("@r{i}\nACGTTTGCA{}GG\n+\n{}\n", digits(i), "I".repeat(16)))
        .collect();
    let adapters = folder.file("a.fa", fasta);
    let reads = folder.file("many.fq", reads);
    let line = "ulimit -n 100 && exec \"$@\"";
    let file = format!("file:{adapters}");
    let words = [
        "filter",
        "--quiet",
        "-@",
        "2",
        "-e",
        "0",
        "--no-indels",
        "-g",
        &file,
        &reads,
        "-o",
        &names,
    ];
    let words = words.map(|word| if word == "-e" { "--error-rate" } else { word });
    let mut shell = Command::new("sh");
    shell.args(["-c", line, "sh", env!("CARGO_BIN_EXE_biofast")]).args(words);
    let run = shell.output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let written = files(&out);
    assert_eq!(written.len(), 1001);
    for (name, content) in written {
        let Some(number) = name.strip_prefix('a').and_then(|name| name.strip_suffix(".fq")) else {
            assert_eq!((name.as_str(), content.as_str()), ("unknown.fq", ""));
            continue;
        };
        assert_eq!(content, format!("@r{number}\nGG\n+\nII\n"));
    }
}

#[test]
fn more_pairs_of_adapters_than_files_that_may_be_open() {
    let (folder, out) = (Folder::new(), Folder::new());
    let fasta = folder.file(
        "a.fa",
        (0..20).map(|i| format!(">a{i}\n^ACGTTTGCA{}\n", digits(i))).collect::<String>(),
    );
    // Each two of 20, and mates without one; mates follow each other.
    let code = |i: usize| if i < 20 { format!("ACGTTTGCA{}", digits(i)) } else { String::new() };
    let mut pairs = String::new();
    for i in 0..21 * 21 {
        for number in [i / 21, i % 21] {
            let read = format!("{}GG", code(number));
            pairs += &format!("@r{i}\n{read}\n+\n{}\n", "I".repeat(read.len()));
        }
    }
    let reads = folder.file("pairs.fq", pairs);
    let file = format!("file:{fasta}");
    let names = text(&out.path("{name2}_{name1}.fq.gz"));
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "ulimit -n 100 && exec \"$@\"", "sh", env!("CARGO_BIN_EXE_biofast")])
        .args(["filter", "--quiet", "-@", "2", "--error-rate", "0", "--no-indels"])
        .args(["--interleaved", &reads, "-g", &file, "--front2", &file, "-o", &names]);
    let run = shell.output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let name = |i: usize| if i < 20 { format!("a{i}") } else { "unknown".to_owned() };
    for i in 0..21 * 21 {
        let path = out.path(&format!("{}_{}.fq.gz", name(i % 21), name(i / 21)));
        let run = biofast(&["convert", "--quiet", "--to", "table", &text(&path)]);
        assert_eq!(run.stdout, format!("r{i}\tGG\tII\n").repeat(2), "{}", path.display());
    }
    assert_eq!(std::fs::read_dir(out.path("")).unwrap().count(), 21 * 21);
}

/// Five letters for a number.
fn digits(number: usize) -> String {
    (0..5).map(|place| ['A', 'C', 'G', 'T'][number >> (2 * place) & 3]).collect()
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
