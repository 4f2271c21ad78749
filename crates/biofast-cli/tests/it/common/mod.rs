//! Runs the real binary.
#![allow(dead_code)]

#[cfg(unix)]
pub(crate) mod stage;

pub(crate) mod alignment_stats;
pub(crate) mod alignments;
pub(crate) mod best;
pub(crate) mod cat;
pub(crate) mod checksum;
pub(crate) mod convert;
pub(crate) mod coverage;
pub(crate) mod cram_out;
pub(crate) mod dedup;
pub(crate) mod demux;
pub(crate) mod docs;
pub(crate) mod fasta;
pub(crate) mod fastq;
pub(crate) mod fastqc;
pub(crate) mod filter_alignments;
pub(crate) mod filter_cutadapt;
pub(crate) mod filter_fastp;
#[cfg(unix)]
pub(crate) mod goldens;
pub(crate) mod grep;
pub(crate) mod help;
pub(crate) mod html;
pub(crate) mod index;
pub(crate) mod merge;
pub(crate) mod merge_reports;
pub(crate) mod molecules;
pub(crate) mod odd_bam;
pub(crate) mod order;
pub(crate) mod qc_reads;
pub(crate) mod remote_stores;
pub(crate) mod rename;
pub(crate) mod repair;
pub(crate) mod schema;
pub(crate) mod sort;
pub(crate) mod stats_groups;
pub(crate) mod stats_picard;
pub(crate) mod stats_qc;
pub(crate) mod stats_wgs_hs;
pub(crate) mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// What a run printed and how it ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program that is tested: the one cargo built, or what `BIOFAST_BINARY` names, such as a release, which runs long cases in a
/// fraction of the time.
pub(crate) fn binary() -> &'static str {
    static BINARY: LazyLock<Option<String>> =
        LazyLock::new(|| std::env::var("BIOFAST_BINARY").ok());
    BINARY.as_deref().unwrap_or(env!("CARGO_BIN_EXE_biofast"))
}

/// The words of a command line.
pub(crate) fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

pub(crate) fn command(args: &[&str]) -> Command {
    let binary = binary();
    let mut command = match emulator() {
        Some(runner) => {
            let mut words = runner.split_whitespace();
            let mut command = Command::new(words.next().unwrap());
            command.args(words).arg(binary);
            command
        }
        None => Command::new(binary),
    };
    // Where references are on this machine is nothing to a test.
    command.env_remove("REF_PATH").env_remove("REF_CACHE");
    command.args(args).stdin(Stdio::null());
    command
}

/// What runs binaries of AArch64 where the machine is another: the runner cargo has for these tests.
fn emulator() -> Option<String> {
    let runner = std::env::var("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER").ok();
    runner.filter(|_| cfg!(target_arch = "aarch64"))
}

pub(crate) fn finish(mut command: Command) -> Run {
    let output = command.output().unwrap();
    Run {
        code: output.status.code().expect("not killed by a signal"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

pub(crate) fn biofast(args: &[&str]) -> Run {
    finish(command(args))
}

/// Runs in the folder, so that the files have names of their own there.
pub(crate) fn run_in(folder: &Folder, args: &[&str]) -> Run {
    let mut command = command(args);
    command.current_dir(folder.path(""));
    finish(command)
}

/// The same of what must work.
#[track_caller]
pub(crate) fn good(folder: &Folder, args: &[&str]) -> Run {
    let run = run_in(folder, args);
    assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
    run
}

/// The same, of a run anywhere.
#[track_caller]
pub(crate) fn ok(args: &[&str]) -> Run {
    let run = biofast(args);
    assert_eq!(run.code, 0, "{args:?}: {run:?}");
    run
}

/// The same, and nothing on standard error.
#[track_caller]
pub(crate) fn silent(args: &[&str]) -> Run {
    let run = biofast(args);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    run
}

/// [`ok`] with `input` on standard input.
#[track_caller]
pub(crate) fn ok_with(args: &[&str], input: &[u8]) -> Run {
    let run = biofast_with(args, input);
    assert_eq!(run.code, 0, "{args:?}: {run:?}");
    run
}

/// [`silent`] with `input` on standard input.
#[track_caller]
pub(crate) fn silent_with(args: &[&str], input: &[u8]) -> Run {
    let run = biofast_with(args, input);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    run
}

/// Runs with `input` on standard input.
pub(crate) fn biofast_with(args: &[&str], input: &[u8]) -> Run {
    let mut child = command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // The reader may end early, at a fault.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Run {
        code: output.status.code().expect("not killed by a signal"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A folder with files, gone at the end.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and returns its path as text.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        text(&path)
    }
}

pub(crate) fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// A committed file of the tests' own.
pub(crate) fn data(name: &str) -> String {
    text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name))
}

/// Names, places, bases and qualities of the records that `view` prints of a file in the folder: CRAM has other words for
/// the rest.
pub(crate) fn placed_reads(folder: &Folder, file: &[&str]) -> Vec<[String; 5]> {
    let printed = good(folder, &[&["view"], file].concat()).stdout;
    let read = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        [0, 2, 3, 9, 10].map(|field| fields[field].to_owned())
    };
    printed.lines().map(read).collect()
}

/// The committed sample.
pub(crate) fn sample(name: &str) -> String {
    text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets").join(name))
}

/// `n` reads of 30 to 70 bases named `prefix0`, `prefix1`, …
pub(crate) fn reads(prefix: &str, n: usize) -> String {
    let mut out = String::new();
    for i in 0..n {
        let len = 30 + i * 13 % 41;
        let base = |j: usize| b"ACGTN"[(i * 31 + j * j * 7 + j) % 401 % 5] as char;
        let phred = |j: usize| (33 + (i * 17 + j * 5) % 41) as u8 as char;
        let bases: String = (0..len).map(base).collect();
        let quals: String = (0..len).map(phred).collect();
        out += &format!("@{prefix}{i} x\n{bases}\n+\n{quals}\n");
    }
    out
}

/// Long reads with the hours and channels of a Nanopore run: of 100 to 4,000 bases, each of one quality from 10 to 34.
pub(crate) fn long_reads(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let len = 100 + (i * 739) % 3900;
        let bases = "ACGTTGCA".repeat(len / 8 + 1);
        let quality = char::from(b'!' + 10 + (i % 25) as u8).to_string();
        let (hour, minute) = (8 + i * 4 / n, i % 60);
        text += &format!(
            "@r{i} ch:i:{}\tst:Z:2023-05-12T{hour:02}:{minute:02}:07.5+00:00\n{}\n+\n{}\n",
            1 + i % 7,
            &bases[..len],
            quality.repeat(len)
        );
    }
    text
}

/// The other strand of A, C, G and T.
pub(crate) fn reversed(bases: &str) -> String {
    String::from_utf8(biofast_testkit::reference::reverse_complement(bases.as_bytes())).unwrap()
}

/// Whether a run worked.
#[track_caller]
pub(crate) fn assert_ok(run: &Run) {
    assert_eq!(run.code, 0, "{run:?}");
}

/// Whether a run ended in an error that says all this, and in no panic.
#[track_caller]
pub(crate) fn assert_error(run: &Run, needed: &[&str]) {
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.starts_with("biofast"), "{run:?}");
    for text in needed {
        assert!(run.stderr.contains(text), "{text:?} is missing in {run:?}");
    }
    assert!(!run.stderr.contains("panicked"), "{run:?}");
}

/// Runs what must fail, in an error that says all this.
#[track_caller]
pub(crate) fn fails(args: &[&str], needed: &[&str]) -> Run {
    let run = biofast(args);
    assert_error(&run, needed);
    run
}

/// The same in a folder.
#[track_caller]
pub(crate) fn fails_in(folder: &Folder, args: &[&str], needed: &[&str]) -> Run {
    let run = run_in(folder, args);
    assert_error(&run, needed);
    run
}

/// Runs a command line in the folder: it ends in an error that says all that is needed, which has ` … ` between its parts, and no
/// file appears.
pub(crate) fn refused(folder: &Folder, line: &str, needed: &str) {
    let before = listed(folder);
    let run = run_in(folder, &words(line));
    assert_eq!(run.code, 2, "{line}: {run:?}");
    assert_error(&run, &needed.split(" … ").collect::<Vec<_>>());
    assert_eq!(listed(folder), before, "{line}");
}

/// Standard output of a command that works, run in this process.
pub(crate) fn in_process(args: &[&str]) -> String {
    let outcome = biofast_cli::Run::new(args.iter().map(Into::into)).run();
    assert_eq!(outcome.code, 0, "{args:?} {:?}", outcome.messages);
    String::from_utf8(outcome.stdout).unwrap()
}

/// What `check` warns of in a good file.
pub(crate) fn warnings(path: &str) -> BTreeSet<String> {
    let found: serde_json::Value =
        serde_json::from_str(&in_process(&["check", "--json", path])).unwrap();
    let warnings = found["files"][0]["warnings"].as_array().unwrap();
    assert_eq!(found["files"][0]["status"], "ok", "{found}");
    warnings.iter().map(|one| one["message"].as_str().unwrap().to_owned()).collect()
}

/// How many random cases are tried: `BIOFAST_CASES` asks for more of them.
pub(crate) fn cases(default: u64) -> u64 {
    let asked = std::env::var("BIOFAST_CASES").ok();
    asked.map_or(default, |cases| cases.parse().expect("BIOFAST_CASES is a number"))
}

pub(crate) fn wait_until(done: impl Fn() -> bool) {
    let start = std::time::Instant::now();
    while !done() {
        assert!(start.elapsed() < std::time::Duration::from_secs(60), "nothing happened");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// All files below a folder, by their paths in it.
pub(crate) fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(&inner).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = text(path.strip_prefix(folder).unwrap());
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The names of the files in a folder, in order.
pub(crate) fn listed(folder: &Folder) -> Vec<String> {
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
    let names = std::fs::read_dir(folder.path("")).unwrap().map(|e| name(e).into_string().unwrap());
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// A command that obeys a signal which this process ignores, as what a shell starts with `&` ignores SIGINT.
#[cfg(unix)]
pub(crate) fn obeying(signal: &str, number: u32, args: &[&str]) -> Command {
    let inner = command(args);
    if !is_ignored(number) {
        return inner;
    }
    let mut outer = Command::new("env");
    outer.arg(format!("--default-signal={signal}")).arg(inner.get_program());
    outer.args(inner.get_args()).stdin(Stdio::null());
    outer
}

/// Whether this process, and so what it starts, ignores a signal. Known on Linux only.
#[cfg(unix)]
fn is_ignored(signal: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}
