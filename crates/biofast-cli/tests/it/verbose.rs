//! `--verbose` tells on standard error how each input was read and why; progress is shown on a terminal
//! and nowhere else.

use std::process::{Command, Stdio};

use crate::common::{self, Folder, biofast, command, finish, ok, reads, sample, text};

#[test]
fn every_command_that_reads_tells_source_container_decoder_threads_and_kernels() {
    let folder = Folder::new();
    let fastq = folder.file("few.fq", reads("r", 50));
    let bam = text(&folder.path("few.bam"));
    let out = |name: &str| text(&folder.path(name));
    let runs = [
        ("plain", vec!["import", "-v", "--quiet", "-0", &fastq, "-o", &bam]),
        ("plain", vec!["stats", "-v", &fastq]),
        ("bgzf BAM", vec!["stats", "-v", &bam]),
        ("bgzf", vec!["stats", "--verbose", "--format", "samtools", &bam]),
        ("plain", vec!["filter", "-v", "--quiet", &fastq]),
        ("bgzf", vec!["filter", "-v", "--quiet", "-c", &bam]),
        ("plain FASTQ", vec!["check", "-v", &fastq]),
        ("bgzf BAM", vec!["check", "-v", &bam]),
        ("bgzf", vec!["flagstat", "-v", &bam]),
        ("bgzf", vec!["idxstats", "-v", &bam]),
        ("bgzf", vec!["view", "-v", "-c", &bam]),
        ("bgzf", vec!["fastq", "--verbose", "--quiet", &bam]),
    ];
    let index = out("few.bai");
    let runs = runs.into_iter().chain([("bgzf", vec!["index", "-v", &bam, "-o", &index])]);
    for (container, args) in runs {
        let args = [&args[..], &["-@2"]].concat();
        let mut command = command(&args);
        command.env("BIOFAST_SIMD", "scalar").env("BIOFAST_INFLATE", "own");
        let run = finish(command);
        assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
        let name = if container.starts_with("plain") { &fastq } else { &bam };
        let decoder = match container.starts_with("plain") {
            true => "",
            false => {
                "blocks inflated on all threads by own, 3 blocks at once, as BIOFAST_INFLATE asks; "
            }
        };
        let expected = format!(
            "; read, as files below 50 MB are; {decoder}2 threads, as -@ asks; scalar kernels, as \
             BIOFAST_SIMD asks\n"
        );
        let start = format!("biofast {}: note: {name}: {container}", args[0]);
        let ok = run.stderr.starts_with(&start) && run.stderr.ends_with(&expected);
        assert!(ok, "{args:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{args:?}: {}", run.stderr);
    }
}

#[test]
fn the_reasons_are_those_of_the_choice() {
    let path = sample("sample_R1.fq.bgz");
    let run = biofast(&["stats", "-v", "--io", "mmap", &path]);
    let how = if cfg!(feature = "mmap") { "memory-mapped, as --io asks" } else { "read" };
    assert!(run.stderr.contains(&format!("; {how}; ")), "{}", run.stderr);
    let kernels = format!("; {} kernels, the best this CPU has\n", biofast_kernels::active());
    if std::env::var_os("BIOFAST_SIMD").is_none() {
        assert!(run.stderr.ends_with(&kernels), "{}", run.stderr);
    }
    let run = biofast(&["stats", "-v", "--io", "read", "-@5", &path, &path]);
    assert!(run.stderr.contains("; read, as --io asks; "), "{}", run.stderr);
    assert!(run.stderr.contains("3 threads, of the 5 that -@ asks for"), "{}", run.stderr);
    let gz = common::biofast_with(&["stats", "-v", "-@2"], b"@r\nA\n+\nI\n");
    assert!(
        gz.stderr.contains(": plain FASTQ, detected from content; read, as streams are; 2 threads")
    );
}

/// Runs on a terminal of `script`; what the terminal showed.
#[cfg(target_os = "linux")]
fn on_a_terminal(words: &str) -> String {
    let (code, seen) = shown_on_a_terminal(words);
    assert_eq!(code, 0, "{words}: {seen}");
    seen
}

/// The exit code, and what the terminal showed.
#[cfg(target_os = "linux")]
fn shown_on_a_terminal(words: &str) -> (i32, String) {
    let run = Command::new("script")
        .args(["--quiet", "--return", "--command", words, "/dev/null"])
        .env("BIOFAST_PROGRESS", "always")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .expect("script of util-linux");
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(!stderr.contains("unrecognized"), "script of util-linux: {stderr}");
    (run.status.code().unwrap(), String::from_utf8_lossy(&run.stdout).into_owned())
}

/// What runs the program, as words of a shell.
#[cfg(target_os = "linux")]
fn program() -> String {
    let program = command(&[]);
    let words = std::iter::once(program.get_program()).chain(program.get_args());
    words.map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[cfg(target_os = "linux")]
#[test]
fn no_binary_is_written_to_a_terminal() {
    let folder = Folder::new();
    let fastq = folder.file("few.fq", reads("r", 40));
    for args in [format!("filter -O bgzf {fastq}"), format!("import -0 {fastq}")] {
        let (code, seen) = shown_on_a_terminal(&format!("{} {args}", program()));
        assert_eq!(code, 2, "{args}: {seen}");
        assert!(seen.contains("aren't written to a terminal: name a file (-o FILE)"), "{seen}");
        assert!(seen.is_ascii(), "{args}: {seen:?}");
    }
    // Text is, and so is what goes into a pipe.
    let seen = on_a_terminal(&format!("{} filter --quiet {fastq}", program()));
    assert!(seen.contains("@r39 x"), "{seen}");
    let mut piped = command(&["filter", "--quiet", "-O", "bgzf", &fastq]);
    assert!(piped.output().unwrap().stdout.starts_with(b"\x1f\x8b"));
}

#[test]
fn colours_are_forced_and_forbidden_as_elsewhere() {
    let folder = Folder::new();
    let fastq = folder.file("few.fq", "@r\nACGTACGT\n+\nIIIIIIII\n");
    let is_coloured = |variables: &[(&str, &str)]| {
        let mut grep = command(&["grep", "-s", "-p", "GTA", &fastq]);
        grep.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").envs(variables.iter().copied());
        finish(grep).stdout.contains('\u{1b}')
    };
    assert!(!is_coloured(&[]) && !is_coloured(&[("CLICOLOR_FORCE", "0")]));
    assert!(is_coloured(&[("CLICOLOR_FORCE", "1")]));
    assert!(!is_coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

#[cfg(target_os = "linux")]
#[test]
fn progress_has_the_share_of_all_inputs_on_a_terminal_and_is_silent_off_it() {
    let folder = Folder::new();
    let fastq = folder.file("few.fq", reads("r", 400));
    let bam = text(&folder.path("few.bam"));
    ok(&["import", "--quiet", "-0", &fastq, "-o", &bam]);
    let program = program();
    for (args, shown) in [
        (format!("stats {fastq}"), true),
        (format!("stats --quiet {fastq}"), false),
        (format!("stats --format samtools {bam}"), true),
        (format!("check {fastq}"), true),
        (format!("filter {fastq} -o {fastq}.out"), true),
        (format!("filter {bam} -c"), true),
        (format!("flagstat {bam}"), true),
        (format!("idxstats {bam}"), true),
        (format!("view {bam} -o {bam}.sam"), true),
        (format!("view --quiet {bam} -o {bam}.sam"), false),
        (format!("fastq {bam} -o {bam}.fq"), true),
        (format!("import -0 {fastq} -o {bam}.again.bam"), true),
        (format!("index {bam} -o {bam}.x"), true),
    ] {
        let seen = on_a_terminal(&format!("{program} {args}"));
        let len = std::fs::metadata(if args.contains(".bam") && !args.contains("import") {
            &bam
        } else {
            &fastq
        });
        // By the bytes of the file as it is stored.
        let total = format!(" % of {:.2} KiB", len.unwrap().len() as f64 / 1024.0);
        let bar = seen.contains(&total) && seen.contains("few.");
        assert_eq!(bar, shown, "{args}: {seen:?}");
        let mut quiet = command(&args.split(' ').collect::<Vec<&str>>());
        quiet.env("BIOFAST_PROGRESS", "always");
        let off = finish(quiet).stderr;
        assert!(!off.contains("/s") && !off.contains('\u{1b}'), "{args}: {off}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn sorting_shows_what_is_done_after_all_is_read() {
    let folder = Folder::new();
    let fastq = folder.file("few.fq", reads("r", 400));
    let bam = text(&folder.path("few.bam"));
    ok(&["import", "--quiet", "-0", &fastq, "-o", &bam]);
    let program = program();
    for args in [
        format!("sort -N {bam} -o {bam}.sorted.bam"),
        format!("sort --key length {fastq} -o {fastq}.sorted.fq"),
        format!("shuffle {fastq} -o {fastq}.shuffled.fq"),
    ] {
        let seen = on_a_terminal(&format!("{program} {args}"));
        assert!(seen.contains("writing: 100 % of 400 records"), "{args}: {seen:?}");
        assert!(!seen.contains("0 seconds left"), "{args}: {seen:?}");
    }
}
