//! `biofast checksum` beside samtools 1.24, which computes version 2.0 of the checksums and calls it 1.0.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::checksum::sam;
use crate::common::{Folder, biofast, cases, text};
use crate::fixmate::real_alignments;
use crate::tools::{ThirdParty, run, samtools_of_pysam, third_party};

const OPTIONS: &[&str] = &[
    "", "-q -v", "-PCM", "-a", "-T -PCM -q", "-B", "-B -q -P", "-O", "-OO -q", "-c -b 0xfff",
    "-t *", "-t *,NM,RG", "-t NM,RG,MD,XX", "-N 7", "-N 3 -O", "-z all,cigarx -PCM",
    "-z pos,unmap -PCM", "-z on -PCM", "-F 0 -f 1", "-f 16",
];

/// The report of samtools, with the version that it computes; `None` if it can't read the file.
fn theirs(folder: &Folder, words: &[&str]) -> Option<String> {
    let out = text(&folder.path("theirs.txt"));
    let mut command = samtools_of_pysam(&[&["checksum", "-o", &out], words].concat());
    command.env("REF_PATH", "/nonexistent").env("REF_CACHE", "/nonexistent");
    // A tag with an illegal name keeps samtools 1.24 in a loop without end.
    let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    let status = loop {
        match running.try_wait().unwrap() {
            Some(status) => break status,
            None if started.elapsed() > Duration::from_secs(20) => {
                running.kill().unwrap();
                running.wait().unwrap();
                return None;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let is_good = status.success();
    let report = std::fs::read(&out).ok()?;
    let report = String::from_utf8_lossy(&report).replace("# Checksum 1.0", "# Checksum 2.0");
    std::fs::remove_file(out).unwrap();
    is_good.then_some(report)
}

/// Compares the reports of a file for all options; the number that were.
fn compare(folder: &Folder, path: &str, options: &[&str]) -> usize {
    let mut compared = 0;
    for options in options {
        let words: Vec<&str> = options.split_whitespace().chain([path]).collect();
        let ours = biofast(&[&["checksum", "--quiet"], &words[..]].concat());
        assert!([0, 2].contains(&ours.code), "{words:?}: {ours:?}");
        if ours.code == 0
            && let Some(theirs) = theirs(folder, &words)
        {
            assert_eq!(ours.stdout, theirs, "{words:?}");
            compared += 1;
        }
    }
    compared
}

#[test]
#[ignore = "needs samtools 1.24 (pysam)"]
fn reports_of_random_alignments_are_those_of_samtools() {
    let folder = Folder::new();
    for seed in 0..cases(5) {
        let sam = folder.file("x.sam", sam(1000 + seed));
        let formats = ["x.bam", "x.cram"].map(|name| text(&folder.path(name)));
        for path in &formats {
            // What CRAM changes of such records is for both to read.
            let made = ["view", "--quiet", "--no-PG", "--no-reference", &sam, "-o", path];
            let made: &[&str] =
                if path.ends_with(".cram") { &made } else { &["view", "-b", &sam, "-o", path] };
            assert_eq!(biofast(made).code, 0, "{seed}");
        }
        let compared: usize = [&sam, &formats[0], &formats[1]]
            .map(|path| compare(&folder, path, OPTIONS))
            .iter()
            .sum();
        assert_eq!(compared, 3 * OPTIONS.len(), "{seed}");
    }
}

#[test]
#[ignore = "needs samtools 1.24 (pysam)"]
fn reports_are_merged_as_by_samtools() {
    let folder = Folder::new();
    for options in ["", "-PCM", "-q", "-T", "-t *,NM"] {
        let paths: Vec<String> = (0..3)
            .map(|seed| {
                // samtools reads no report of groups with spaces in their names.
                let records = sam(seed + 50).replace("not in the header", "other");
                let sam = folder.file("x.sam", records);
                let words: Vec<&str> = options.split_whitespace().chain([&sam[..]]).collect();
                // Those of samtools, as it reads no other version.
                let out = text(&folder.path(&format!("{seed}.chk")));
                run(&mut samtools_of_pysam(&[&["checksum", "-o", &out], &words[..]].concat()));
                out
            })
            .collect();
        let form: Vec<&str> =
            options.split_whitespace().filter(|word| ["-q", "-T"].contains(word)).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let words = [&["-m"], &form[..], &paths].concat();
        let ours = biofast(&[&["checksum"], &words[..]].concat());
        let theirs = theirs(&folder, &words).unwrap();
        assert_eq!(
            ours.stdout.replace("# Checksum 1.0", "# Checksum 2.0"),
            theirs,
            "{options}: {ours:?}"
        );
    }
}

#[test]
#[ignore = "needs samtools 1.24 (pysam) and the corpus"]
fn reports_of_the_corpus_are_those_of_samtools() {
    let folder = Folder::new();
    let mut compared = 0;
    let files = third_party();
    let is_fastq = |kind: &str| kind.starts_with("fastq");
    // Of CRAM, 1.24 gives template lengths that 1.16 gave another sign; U is T for us, and so since 1.22. A name that ends in /3 is of
    // no mate here (docs/checksum.md).
    let other = ["/tlen/", "fastqvalidator/test/interleaved.fastq"];
    let is_like = |file: &&ThirdParty| {
        file.verdict == "valid" && !other.iter().any(|other| file.name.contains(other))
    };
    for file in files.iter().filter(is_like) {
        if file.is_readable() || is_fastq(&file.kind) {
            compared +=
                compare(&folder, file.path.to_str().unwrap(), &["", "-a", "-q -PCM -t *,RG"]);
        }
    }
    compared +=
        real_alignments().iter().map(|path| compare(&folder, path, &["", "-a"])).sum::<usize>();
    assert!(compared > 1000, "{compared}");
}
