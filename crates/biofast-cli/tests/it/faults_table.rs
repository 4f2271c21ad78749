//! Many faults of each kind on the real binary, counted: how many were tried, detected, harmless, lost. None may be lost.
//!
//! `BIOFAST_FAULTS=long cargo test --release -p biofast-cli --test it faults_table -- --include-ignored --skip calls --nocapture --test-threads 1`
//! tries as many as `docs/faults.md` tells and prints a table; without the variable it's a few of each.
#![cfg(unix)]

mod calls;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::{
    Folder, Run, assert_error, biofast, command, fails, finish, listed, ok, ok_with, reads, text,
    wait_until,
};
use biofast_testkit::container::{bgzf, bgzf_starts, gunzip};
use biofast_testkit::random::Random;
use biofast_testkit::sam::{self, SamShape};

fn is_long() -> bool {
    std::env::var("BIOFAST_FAULTS").is_ok_and(|mode| mode == "long")
}

/// `long` of a kind, or `short` where time is dear.
fn count(short: usize, long: usize) -> usize {
    if is_long() { long } else { short }
}

/// What became of the faults of one kind.
#[derive(Default)]
struct Row {
    tried: AtomicUsize,
    detected: AtomicUsize,
    harmless: AtomicUsize,
}

impl Row {
    fn detected(&self) {
        self.tried.fetch_add(1, Ordering::Relaxed);
        self.detected.fetch_add(1, Ordering::Relaxed);
    }

    fn harmless(&self) {
        self.tried.fetch_add(1, Ordering::Relaxed);
        self.harmless.fetch_add(1, Ordering::Relaxed);
    }

    /// A row of the table. What is neither detected nor harmless has failed a test before.
    fn print(&self, what: &str) {
        let [tried, detected, harmless] =
            [&self.tried, &self.detected, &self.harmless].map(|n| n.load(Ordering::Relaxed));
        assert_eq!(tried, detected + harmless);
        assert!(tried > 0, "{what}: nothing was tried");
        // Beside the output of libtest, a line of its own.
        println!("\n| {what} | {tried} | {detected} | {harmless} | 0 |");
    }
}

/// Runs `work` for every one of `items` on two threads.
fn each<T: Sync>(items: &[T], work: impl Fn(&Folder, &T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let folder = Folder::new();
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(&folder, item);
                }
            });
        }
    });
}

fn samples() -> [(&'static str, Vec<u8>); 2] {
    let folder = Folder::new();
    let shape = SamShape { records: 400, sorted: true, longest: 150, oddities: true, seed: 3 };
    let sam = folder.file("x.sam", sam::text(&shape));
    let bam = text(&folder.path("x.bam"));
    ok(&["view", "-b", "--no-PG", &sam, "-o", &bam]);
    let content = gunzip(&std::fs::read(&bam).unwrap()).unwrap();
    [("x.bam", bgzf(&content, 3000)), ("x.fq.gz", bgzf(reads("r", 600).as_bytes(), 3000))]
}

/// The commands that read one file to its end and change nothing.
fn readers(name: &str) -> [&'static [&'static str]; 2] {
    match name {
        "x.bam" => [&["view", "-c"], &["stats", "--json"]],
        _ => [&["filter"], &["stats", "--strict", "--json"]],
    }
}

#[test]
fn cut_files_are_faulty_to_every_reader() {
    for (name, whole) in samples() {
        let starts = bgzf_starts(&whole);
        let boundaries: Vec<usize> = starts[1..starts.len() - 1].to_vec();
        let mut numbers = Random(7);
        let random: Vec<usize> =
            (0..count(16, 1000)).map(|_| 1 + numbers.below(whole.len() - 1)).collect();
        for (cuts, what) in [(boundaries, "truncated at a block"), (random, "cut at a random byte")]
        {
            let row = Row::default();
            each(&cuts, |folder, &cut| {
                let path = folder.file(name, &whole[..cut]);
                let run = biofast(&["check", "-q", &path]);
                assert_eq!(run.code, 1, "{name} cut at {cut}: {run:?}");
                for reader in readers(name) {
                    let run = biofast(&[reader, &[&path]].concat());
                    // `filter` reads FASTQ without its last block with a warning: no record is cut.
                    let warned = run.code == 0 && run.stderr.contains("end-of-file block");
                    let at_boundary = starts.contains(&cut) && reader[0] == "filter";
                    if !(at_boundary && warned) {
                        assert_error(&run, &[name]);
                    }
                }
                row.detected();
            });
            row.print(&format!("{name}: {what}"));
        }
    }
}

#[test]
fn a_flipped_bit_is_detected_or_changes_nothing() {
    for (name, whole) in samples() {
        let content = gunzip(&whole);
        let mut numbers = Random(0x9e37_79b9_7f4a_7c15);
        let bits: Vec<usize> =
            (0..count(50, 1000)).map(|_| numbers.below(whole.len() * 8)).collect();
        let row = Row::default();
        each(&bits, |folder, &bit| {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let path = folder.file(name, &damaged);
            let run = biofast(&["check", "-q", &path]);
            let read = readers(name).map(|reader| biofast(&[reader, &[&path]].concat()));
            let found = read.iter().all(|run| run.code == 2);
            match run.code {
                1 if found => row.detected(),
                // `check` also looks at what readers needn't.
                1 | 0 => {
                    assert!(
                        gunzip(&damaged) == content,
                        "{name}: bit {bit} went unnoticed: {read:?}"
                    );
                    if run.code == 1 { row.detected() } else { row.harmless() }
                }
                _ => panic!("{name}: bit {bit}: {run:?}"),
            }
        });
        row.print(&format!("{name}: one bit flipped"));
    }
}

#[test]
fn a_file_cut_while_it_is_mapped_is_an_error() {
    let row = Row::default();
    let turns: Vec<u64> = (0..count(10, 100) as u64).collect();
    let data =
        "@r\nACGTACGTACGTACGTACGT\n+\nIIIIIIIIIIIIIIIIIIII\n".repeat(count(100_000, 400_000));
    each(&turns, |folder, &turn| {
        let path = folder.file("x.fq", &data);
        let mut command = command(&["stats", "--io", "mmap", "--json", "-@", "2", &path]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(200 * turn));
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_len(data.len() as u64 / (2 + turn % 7)).unwrap();
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            // Cut before it was opened, or after it was read: what it says is right for what it read.
            Some(0) => {
                let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
                let file = &json["files"][0];
                let bytes = file["bases"].as_u64().unwrap() / 20 * 47;
                assert!([data.len() as u64, data.len() as u64 / (2 + turn % 7)].contains(&bytes));
                row.harmless();
            }
            Some(2) if !message.contains("panicked") => row.detected(),
            _ => panic!("{:?}: {message}", output.status),
        }
    });
    row.print("plain FASTQ cut while it is read through a map");
}

#[test]
#[ignore = "needs a file system that may be mounted"]
fn a_full_disk_leaves_no_output() {
    let folder = Folder::new();
    let input = folder.file("x.fq", reads("r", 20_000));
    let row = Row::default();
    for (output, format) in [("o.fq", "plain"), ("o.fq.gz", "bgzf"), ("o.fq.zst", "zstd")] {
        let binary = crate::common::binary();
        let mounted = text(&folder.path("disk"));
        std::fs::create_dir_all(&mounted).unwrap();
        let script = format!(
            "mount -t tmpfs -o size=128k none '{mounted}' || exit 77; \
             '{binary}' filter --quiet '{input}' -O {format} -o '{mounted}/{output}'; code=$?; \
             ls -A '{mounted}'; exit $code"
        );
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
        let output = command.output().expect("unshare of util-linux");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{format}: {message}");
        assert!(message.contains("No space left"), "{message}");
        assert_eq!(output.stdout, b"", "{format}: something was left on the disk");
        row.detected();
    }
    row.print("disk full while writing (tmpfs of 128 kB)");
}

/// Starts a command, gives it so much of its standard input, or all and the end, and kills it. It can't end before unless
/// all is given.
fn killed_when_given(
    command: &mut Command,
    input: &[u8],
    given: usize,
    before: impl Fn(),
) -> std::process::ExitStatus {
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&input[..given.min(input.len())]).unwrap();
    let stdin = (given < input.len()).then_some(stdin);
    if stdin.is_some() {
        before();
    }
    child.kill().unwrap();
    child.wait().unwrap()
}

#[test]
fn killed_at_any_moment_nothing_stands_under_the_final_name() {
    let folder = Folder::new();
    let inputs = reads("r", count(20_000, 60_000));
    let out = text(&folder.path("o.fq.gz"));
    let args = ["filter", "--quiet", "-@", "2", "-", "-o", &out];
    ok_with(&args, inputs.as_bytes());
    let good = std::fs::read(&out).unwrap();
    let row = Row::default();
    let mut numbers = Random(99);
    let mut left = 0;
    for _ in 0..count(15, 100) {
        let _ = std::fs::remove_file(&out);
        let given = numbers.below(inputs.len() * 5 / 4);
        let status = killed_when_given(&mut command(&args), inputs.as_bytes(), given, || {
            // So much is more than what is read ahead.
            if given > 1 << 20 {
                wait_until(|| !listed(&folder).is_empty());
            }
        });
        match std::fs::read(&out) {
            Ok(bytes) => {
                assert!(bytes == good, "half a file under the final name");
                row.harmless();
            }
            Err(_) => {
                assert_eq!(status.signal(), Some(9));
                row.detected();
            }
        }
        let others: Vec<String> =
            listed(&folder).into_iter().filter(|name| name != "o.fq.gz").collect();
        assert!(others.iter().all(|name| name.ends_with(".biofast-tmp")), "{others:?}");
        assert!(others.len() <= 1, "{others:?}");
        left += others.len();
        // The next run would tell of it, and leave it.
        others.iter().for_each(|name| std::fs::remove_file(folder.path(name)).unwrap());
    }
    ok_with(&args, inputs.as_bytes());
    assert_eq!(listed(&folder), ["o.fq.gz"], "a run that ends leaves nothing else");
    assert!(left > 0, "no run was killed while it wrote");
    row.print("`filter` killed (SIGKILL) at a random moment");
}

/// Commands that write alignments: what they are called, and their options. Their inputs are `x.bam`, in order, or
/// `grouped.bam`, by name, and the output is `o.bam` with its index.
const WRITERS: [(&str, &[&str]); 4] = [
    ("merge", &["x.bam", "y.bam", "--write-index"]),
    ("cat", &["x.bam", "y.bam", "--summary", "o.bam.bai"]),
    ("markdup", &["y.bam", "-m", "16K", "-T", ".", "--write-index"]),
    (
        "sort",
        &["--mark-duplicates", "-d", "100", "grouped.bam", "-m", "1M", "-T", ".", "--write-index"],
    ),
];

/// The inputs of the writers.
fn write_inputs(folder: &Folder, records: usize) {
    let shape = SamShape { records, sorted: true, longest: 150, oddities: true, seed: 4 };
    folder.file("x.sam", sam::text(&shape));
    for arguments in [
        &["view", "-b", "--no-PG", "x.sam", "-o", "x.bam"][..],
        &["view", "-b", "--no-PG", "x.sam", "-o", "y.bam"],
        &["sort", "-q", "-n", "x.sam", "-o", "grouped.bam"],
    ] {
        let mut command = command(arguments);
        assert_eq!(finish_in(&mut command, folder).code, 0, "{arguments:?}");
    }
    std::fs::remove_file(folder.path("x.sam")).unwrap();
}

fn finish_in(command: &mut Command, folder: &Folder) -> Run {
    let output = command.current_dir(folder.path("")).output().unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn alignments_killed_at_any_moment_are_whole_or_not_there() {
    let folder = Folder::new();
    write_inputs(&folder, count(2000, 20_000));
    // The last input of each is what it is given piece by piece.
    let inputs = ["grouped.bam", "x.bam", "y.bam"];
    let outputs = ["o.bam", "o.bam.bai"];
    for (name, options) in WRITERS {
        let run = |options: &[&str]| {
            let mut command =
                command(&[&[name, "--quiet", "-@", "2", "-o", "o.bam"], options].concat());
            command.current_dir(folder.path(""));
            command
        };
        let input = if name == "sort" { "grouped.bam" } else { "y.bam" };
        let piped: Vec<&str> =
            options.iter().map(|word| if *word == input { "-" } else { *word }).collect();
        let input = std::fs::read(folder.path(input)).unwrap();
        assert_eq!(finish(run(options)).code, 0, "{name}");
        let read = || outputs.map(|name| std::fs::read(folder.path(name)).ok());
        let good = read();
        let row = Row::default();
        let mut numbers = Random(7);
        for _ in 0..count(8, 100) {
            for output in outputs {
                let _ = std::fs::remove_file(folder.path(output));
            }
            let given = numbers.below(input.len() * 5 / 4);
            killed_when_given(&mut run(&piped), &input, given, || {});
            let left = read();
            // Names are given one after the other.
            for (left, good) in left.iter().zip(&good) {
                assert!(left.is_none() || left == good, "{name}: half a file under the final name");
            }
            if left == good {
                row.harmless()
            } else {
                row.detected()
            }
            let known = |name: &String| {
                let name = name.as_str();
                inputs.contains(&name) || outputs.contains(&name) || name.ends_with(".biofast-tmp")
            };
            let others = listed(&folder);
            assert!(others.iter().all(known), "{others:?}");
            let hidden = others.iter().filter(|name| name.ends_with(".biofast-tmp"));
            hidden.for_each(|name| std::fs::remove_file(folder.path(name)).unwrap());
        }
        assert_eq!(finish(run(options)).code, 0);
        let mut names = listed(&folder);
        names.sort();
        assert_eq!(names, ["grouped.bam", "o.bam", "o.bam.bai", "x.bam", "y.bam"]);
        assert!(read() == good, "{name}");
        row.print(&format!("`{name}` of alignments killed (SIGKILL) at a random moment"));
    }
}

#[test]
fn cut_alignments_are_joined_sorted_and_merged_to_nothing() {
    let folder = Folder::new();
    write_inputs(&folder, 400);
    let content = |name: &str| {
        let stored = std::fs::read(folder.path(name)).unwrap();
        bgzf(&gunzip(&stored).unwrap(), 3000)
    };
    let whole = ["x.bam", "grouped.bam"].map(content);
    let row = Row::default();
    let mut numbers = Random(17);
    let cuts: Vec<(usize, usize)> = (0..count(45, 1500))
        .map(|at| (at % WRITERS.len(), numbers.below(usize::MAX >> 8)))
        .collect();
    each(&cuts, |own, &(which, cut)| {
        let (name, options) = WRITERS[which];
        let (file, bytes) = match name {
            "sort" => ("grouped.bam", &whole[1]),
            _ => ("y.bam", &whole[0]),
        };
        own.file("x.bam", &whole[0]);
        // Half of them at a block.
        let starts = bgzf_starts(bytes);
        let at = match cut % 2 {
            0 => 1 + cut % (bytes.len() - 1),
            _ => starts[1 + cut % (starts.len() - 2)],
        };
        own.file(file, &bytes[..at]);
        let before = listed(own).len();
        let arguments = [&[name, "-@", "2", "-o", "o.bam"], options].concat();
        let run = finish_in(&mut command(&arguments), own);
        assert_error(&run, &[file]);
        assert_eq!(listed(own).len(), before, "{name} cut at {at}: {:?}", listed(own));
        row.detected();
    });
    row.print("an input of `merge`, `cat`, `markdup` or `sort --mark-duplicates` cut anywhere");
}

#[test]
#[ignore = "needs a file system that may be mounted"]
fn alignments_that_find_a_full_disk_leave_nothing() {
    let folder = Folder::new();
    write_inputs(&folder, 4000);
    let row = Row::default();
    let binary = crate::common::binary();
    let mounted = text(&folder.path("disk"));
    std::fs::create_dir_all(&mounted).unwrap();
    for (name, options) in WRITERS {
        let options =
            options.join(" ").replace("-T .", "-T disk").replace("o.bam.bai", "disk/o.json");
        let script = format!(
            "mount -t tmpfs -o size=128k none disk || exit 77; \
             '{binary}' {name} -q {options} -o disk/o.bam; code=$?; ls -A disk; exit $code"
        );
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
        command.current_dir(folder.path(""));
        let output = command.output().expect("unshare of util-linux");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {message}");
        assert!(message.contains("No space left"), "{message}");
        assert_eq!(output.stdout, b"", "{name}: something was left on the disk");
        row.detected();
    }
    row.print("disk full while alignments are written (tmpfs of 128 kB)");
}

#[test]
fn what_is_no_file_is_named() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    let row = Row::default();
    let path = |name: &str| text(&folder.path(name));
    std::fs::create_dir(folder.path("folder")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(folder.path("socket")).unwrap();
    symlink("loop", folder.path("loop")).unwrap();
    symlink("nowhere", folder.path("dangling")).unwrap();
    let cases = [
        ("folder", "is a directory"),
        ("socket", "socket"),
        ("loop", "loop"),
        ("dangling", "dangling"),
        ("no/such/file", "No such file"),
    ];
    let good = folder.file("good.fq", reads("r", 3));
    for (name, needed) in cases {
        let commands: [&[&str]; 7] = [
            &["stats"],
            &["filter", "-o", "out.fq"],
            &["check"],
            &["flagstat"],
            &["view", "-b", "-o", "out.bam"],
            &["fastq", "-o", "out.fq"],
            &["index"],
        ];
        for arguments in commands {
            let mut command = command(&[arguments, &[&path(name)]].concat());
            let run = finish({
                command.current_dir(folder.path(""));
                command
            });
            assert_eq!(run.code, 2, "{name}: {arguments:?}: {run:?}");
            let said = format!("{}{}", run.stdout, run.stderr);
            assert!(said.contains(name) && said.contains(needed), "{arguments:?}: {said}");
            assert!(!said.contains("panicked"), "{said}");
            assert!(!folder.path("out.fq").exists() && !folder.path("out.bam").exists());
            row.detected();
        }
        // Among others it costs its own row only.
        let run = biofast(&["stats", "-T", &good, &path(name), &good]);
        assert_eq!((run.code, run.stdout.matches("\tok").count()), (2, 2), "{run:?}");
    }
    row.print("folders, sockets, loops and dangling links as input");
}

#[test]
fn a_folder_that_may_not_be_read_or_written_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let closed = folder.path("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::write(closed.join("x.fq"), reads("r", 3)).unwrap();
    let good = folder.file("good.fq", reads("r", 3));
    let allow = |mode| std::fs::set_permissions(&closed, PermissionsExt::from_mode(mode)).unwrap();
    let inside = text(&closed.join("x.fq"));
    let out = text(&closed.join("o.fq"));
    let row = Row::default();
    allow(0o000);
    if std::fs::read(closed.join("x.fq")).is_ok() {
        // Root may do anything: /proc has what even root can't write.
        fails(&["filter", "--quiet", &good, "-o", "/proc/o.fq"], &["/proc/o.fq"]);
        row.detected();
    } else {
        fails(&["stats", &inside], &["x.fq", "ermission denied"]);
        fails(&["filter", &good, "-o", &out], &["o.fq", "ermission denied"]);
        row.detected();
        row.detected();
    }
    allow(0o755);
    row.print("folders that may not be read or written");
}

/// A run of the binary by a shell that sets limits first.
fn limited(limits: &str, arguments: &str) -> Run {
    let mut command = Command::new("sh");
    let binary = crate::common::binary();
    command.args(["-c", &format!("{limits} exec '{binary}' {arguments}")]);
    finish(command)
}

#[test]
fn five_thousand_files_with_256_descriptors() {
    let folder = Folder::new();
    let n = count(1000, 5000);
    let list: String =
        (0..n).map(|i| folder.file(&format!("{i}.fq"), reads("r", 1)) + "\n").collect();
    let list = folder.file("list", list);
    for threads in [1, 8] {
        let run = limited("ulimit -n 256;", &format!("stats -T -@ {threads} -X '{list}'"));
        assert_eq!((run.code, run.stdout.lines().count()), (0, n + 1), "{}", run.stderr);
        let run = limited("ulimit -n 256;", &format!("check -@ {threads} -X '{list}'"));
        assert_eq!((run.code, run.stdout.lines().count()), (0, n), "{}", run.stderr);
    }
    let row = Row::default();
    (0..n).for_each(|_| row.harmless());
    row.print("input files at once, with 256 descriptors");
}

#[test]
fn with_too_few_descriptors_the_verdict_is_the_same_or_an_error() {
    let folder = Folder::new();
    let [bam, fastq] = samples().map(|(name, data)| folder.file(name, data));
    let row = Row::default();
    for reader in ["check", "stats -T", "flagstat"] {
        for file in [&bam, &fastq].into_iter().take(if reader == "flagstat" { 1 } else { 2 }) {
            let arguments = format!("{reader} -@ 1 '{file}'");
            let expected = limited("", &arguments);
            assert_eq!(expected.code, 0, "{expected:?}");
            for descriptors in 3..24 {
                let mut command = Command::new("sh");
                let binary = crate::common::binary();
                let script = format!("ulimit -n {descriptors}; exec '{binary}' {arguments}");
                let output = command.args(["-c", &script]).output().unwrap();
                let message = String::from_utf8_lossy(&output.stderr);
                assert!(!message.contains("panicked"), "{descriptors}: {arguments}: {message}");
                match output.status.code() {
                    Some(0) => {
                        let found = String::from_utf8(output.stdout).unwrap();
                        assert_eq!(found, expected.stdout, "{descriptors}: {arguments}");
                        row.harmless();
                    }
                    _ => {
                        assert!(!message.is_empty(), "{descriptors}: {arguments}");
                        row.detected();
                    }
                }
            }
        }
    }
    row.print("3 to 23 descriptors");
}

#[test]
fn more_threads_than_anyone_has_give_the_same() {
    let folder = Folder::new();
    let [bam, fastq] = samples().map(|(name, data)| folder.file(name, data));
    let row = Row::default();
    for reader in [
        &["stats", "--json", &fastq][..],
        &["filter", "--quiet", "--min-len", "40", &fastq],
        &["view", "-h", "--no-PG", &bam],
        &["flagstat", &bam],
        &["check", &bam],
    ] {
        let expected = ok(&[reader, &["-@", "1"]].concat());
        for threads in ["65", "200", "1000"] {
            let run = biofast(&[reader, &["-@", threads]].concat());
            // Refusing a number is fine; another answer isn't.
            if run.code == 2 {
                assert_error(&run, &["thread"]);
                row.detected();
            } else {
                assert_eq!(run, expected, "{threads} threads: {reader:?}");
                row.harmless();
            }
        }
    }
    row.print("65, 200 and 1000 threads");
}

#[test]
fn names_of_files_and_reads_are_shown_harmlessly() {
    let folder = Folder::new();
    let row = Row::default();
    let path = folder.file("a\n\x1b[31mb\t.fq", "@x\nA\n+\nII\n");
    let odd_read = folder.file("r.fq", "@a\x1b[2Jb\x07\nAC\n+\nI\n");
    let odd_line = folder.file("s.fq", "@a\nAC\n\x1b[31m\nII\n@\n");
    let sam = "@SQ\tSN:c\tLN:9\nr\x1b[31m\t0\tc\t1\t9\t4M\t*\t0\t0\tACGTA\tIIIII\n";
    let sam = folder.file("x\r.sam", sam);
    for reader in [&["stats", "-T"][..], &["stats", "--json"], &["check"], &["filter"], &["view"]] {
        for path in [&path, &odd_read, &odd_line, &sam] {
            let run = biofast(&[reader, &[path]].concat());
            assert_ne!(run.code, 0, "{run:?}");
            for text in [&run.stdout, &run.stderr] {
                let bad = |c: char| c.is_control() && c != '\n' && c != '\t';
                assert!(!text.chars().any(bad), "{reader:?} {path:?}: {text:?}");
            }
            row.detected();
        }
    }
    row.print("names with line breaks and escape sequences, in messages");
}
