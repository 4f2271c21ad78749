//! What the program says of itself is true: the examples in its help run, completions and manual
//! pages know every command, and the version tells how it was built.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use std::fmt::Write;
use std::process::Command;

use common::{Folder, biofast, command, finish, installed, reads, sample, text};

/// The commands, as the help lists them.
fn commands() -> Vec<String> {
    let help = biofast(&["--help"]).stdout;
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let lines = list.lines().take_while(|line| !line.is_empty());
    // What is further in is the rest of a description.
    let names =
        lines.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The examples in the help of a command: what follows lines that begin with that word, set in.
fn examples(of: &str) -> Vec<String> {
    let help = biofast(&[of, "--help"]).stdout;
    let mut inside = false;
    let mut found = Vec::new();
    for line in help.lines() {
        match line.strip_prefix("  ") {
            Some(example) if inside => found.push(example.to_owned()),
            _ => inside = line.starts_with("Examples"),
        }
    }
    found
}

/// 30 sorted pairs on two references.
fn sam() -> String {
    let mut text =
        "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:3000000\n@SQ\tSN:chr2\tLN:200000\n\
                    @RG\tID:lane1\tSM:s\n"
            .to_owned();
    for (reference, step) in [("chr1", 100_000), ("chr2", 3_000)] {
        for i in 0..30 {
            let (name, flag, mate) = match i % 2 {
                0 => (i / 2, 99, 1 + (i + 1) * step),
                _ => (i / 2, 147, 1 + (i - 1) * step),
            };
            let _ = writeln!(
                text,
                "run7:{reference}:{name}\t{flag}\t{reference}\t{}\t60\t40M\t=\t{mate}\t{}\t{}\t{}\tNM:i:{}\t\
                 RG:Z:lane1\tBC:Z:ACGT",
                1 + i * step,
                if flag == 99 { step + 40 } else { -step - 40 },
                "ACGTACGTTG".repeat(4),
                "IIII5IIII?".repeat(4),
                i % 4
            );
        }
    }
    text
}

/// A folder with every file that the examples name, and stand-ins for the programs they name.
fn stage() -> Folder {
    let folder = Folder::new();
    let (r1, r2) = (sample("sample_R1.fq.bgz"), sample("sample_R2.fq.bgz"));
    for (from, names) in [
        (
            &r1,
            &[
                "reads_R1.fq.gz",
                "R1.fq.gz",
                "reads.fq.gz",
                "a_1.fastq.gz",
                "sample.fq.bgz",
                "reads.fq.bgz",
            ][..],
        ),
        (&r2, &["reads_R2.fq.gz", "R2.fq.gz", "a_2.fastq.gz"]),
    ] {
        for name in names {
            std::fs::copy(from, folder.path(name)).unwrap();
        }
    }
    for name in ["run", "indexes", "bin"] {
        std::fs::create_dir(folder.path(name)).unwrap();
    }
    folder.file("wanted.txt", "r1\nr2\n");
    folder.file("files.txt", "reads.fq.gz\naln.bam\n");
    folder.file("targets.bed", "chr1\t1000\t900000\nchr2\t0\t500\n");
    let bases = |n: usize| "ACGTACGTTG".repeat(n / 10);
    folder.file("genome.fa", format!(">chr1\n{}\n>chr2\n{}\n", bases(3_000_000), bases(200_000)));
    let sam = folder.file("aln.sam", sam());
    let fastq = folder.file("few.fq", reads("run7:", 50));
    let at = |name: &str| text(&folder.path(name));
    let run = |args: &[&str]| {
        let run = biofast(args);
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
    };
    run(&["view", "-b", &sam, "-o", &at("aln.bam")]);
    run(&["index", &at("aln.bam")]);
    for copy in ["x.bam", "run/1.bam"] {
        std::fs::copy(folder.path("aln.bam"), folder.path(copy)).unwrap();
    }
    run(&["import", "-0", &fastq, "-o", &at("unaligned.bam")]);
    for lane in ["lane1.json", "lane2.json"] {
        run(&["stats", "--json", &fastq, "-o", &at(lane)]);
    }
    run(&["filter", "--quiet", &fastq, "--json", &at("summary.json"), "-o", &at("summed.fq")]);
    let runner = command(&[]);
    let words = std::iter::once(runner.get_program()).chain(runner.get_args());
    let words: Vec<String> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    for (name, script) in [
        ("biofast", format!("exec {} \"$@\"", words.join(" "))),
        ("curl", "exec cat x.bam".into()),
        ("less", "exec cat".into()),
        ("man", "exec cat".into()),
        ("start-analysis", "exit 0".into()),
    ] {
        let path = folder.file(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
        let made = Command::new("chmod").args(["+x", &path]).status().unwrap();
        assert!(made.success());
    }
    folder
}

#[test]
fn the_examples_in_the_help_run() {
    let folder = stage();
    let samtools = installed("samtools");
    if samtools {
        let (from, to) = (text(&folder.path("aln.bam")), text(&folder.path("aln.cram")));
        let genome = text(&folder.path("genome.fa"));
        let mut samtools = Command::new("samtools");
        samtools.args(["view", "-C", "-T", &genome, "-o", &to, &from]);
        assert!(samtools.status().unwrap().success());
    }
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", folder.path("bin").display());
    let mut ran = 0;
    for command in commands() {
        let examples = examples(&command);
        assert!(!examples.is_empty(), "the help of {command} has no examples");
        for example in examples {
            assert!(example.contains("biofast "), "{command}: {example}");
            if !samtools && (example.contains(".cram") || example.contains("samtools view")) {
                continue;
            }
            let mut shell = Command::new("bash");
            shell.args(["-o", "pipefail", "-c", &example]).env("PATH", &path);
            let run = finish({
                shell.current_dir(folder.path("")).stdin(std::process::Stdio::null());
                shell
            });
            assert_eq!(run.code, 0, "{example}\n{}", run.stderr);
            assert!(!run.stderr.contains("error"), "{example}\n{}", run.stderr);
            ran += 1;
        }
    }
    assert!(ran >= 35, "only {ran} examples were found and run");
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let commands = commands();
    assert!(commands.len() >= 12, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = biofast(&["completions", shell]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        for name in &commands {
            assert!(run.stdout.contains(name), "{shell}: {name}");
        }
        assert!(run.stdout.contains("stdin-label"), "{shell} completes options");
    }
    assert_eq!(biofast(&["completions", "cmd.exe"]).code, 2);
    let folder = Folder::new();
    let at = folder.path("share/man1");
    let run = biofast(&["man", at.to_str().unwrap()]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    for name in &commands {
        let page = std::fs::read_to_string(at.join(format!("biofast-{name}.1"))).unwrap();
        assert!(page.contains(".SH OPTIONS") && page.contains("Examples"), "{name}");
    }
    let page = std::fs::read_to_string(at.join("biofast.1")).unwrap();
    assert_eq!(biofast(&["man"]).stdout, page);
    assert_eq!(std::fs::read_dir(&at).unwrap().count(), commands.len() + 1);
    let run = biofast(&["man", "/dev/null/x"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("/dev/null/x"), "{}", run.stderr);
}

#[test]
fn the_verbose_version_tells_what_it_makes_of_the_machine() {
    let short = biofast(&["--version"]);
    assert_eq!(short.stdout, format!("biofast {}\n", env!("CARGO_PKG_VERSION")));
    for args in [&["--version", "--verbose"][..], &["--verbose", "-V"], &["-Vv"]] {
        let mut command = command(args);
        command.env("BIOFAST_SIMD", "scalar");
        let run = finish(command);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.starts_with(&short.stdout), "{}", run.stdout);
        assert!(run.stdout.contains("\nSIMD:     scalar (of scalar"), "{}", run.stdout);
        for name in ["features:", "CPU:", "threads:"] {
            assert!(run.stdout.contains(name), "{}", run.stdout);
        }
    }
    let mut wrong = command(&["--version", "--verbose"]);
    wrong.env("BIOFAST_SIMD", "mmx");
    assert_eq!(finish(wrong).code, 2);
}
