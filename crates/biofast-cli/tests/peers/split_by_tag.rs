//! `biofast split --by` beside samtools.

use std::process::Command;

use crate::common::cat::grouped;
use crate::common::{Folder, good, text};
use crate::tools::{corpus, need, run, samtools_of_pysam};

/// Splits a file both ways, and compares all files: their headers and records.
fn compare(folder: &Folder, bam: &str, tag: &str, theirs: impl Fn(&[&str]) -> Command) -> usize {
    for name in ["ours", "theirs"] {
        let _ = std::fs::remove_dir_all(folder.path(name));
        std::fs::create_dir(folder.path(name)).unwrap();
    }
    let at = |name: &str| text(&folder.path(name));
    good(
        folder,
        &["split", "--by", tag, bam, "-o", "ours/{value}.bam", "-u", "ours/u.bam", "--no-PG"],
    );
    let format = at("theirs/%!.%.");
    let by: &[&str] = if tag == "RG" { &[] } else { &["-d", tag] };
    let rest = at("theirs/u.bam");
    let words = [&["split", "--no-PG", "-f", &format, "-u", &rest], by, &[bam]].concat();
    run(&mut theirs(&words));
    let mut names: Vec<_> = std::fs::read_dir(folder.path("theirs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for name in &names {
        let of =
            |part: &str| good(folder, &["view", "-h", "--no-PG", &format!("{part}/{name}")]).stdout;
        assert!(of("ours") == of("theirs"), "{name}");
    }
    assert_eq!(std::fs::read_dir(folder.path("ours")).unwrap().count(), names.len());
    names.len()
}

fn samtools(words: &[&str]) -> Command {
    let mut command = need("samtools");
    command.args(words);
    command
}

fn made(folder: &Folder) -> String {
    let mut lines = String::new();
    for (number, line) in grouped(folder).lines().enumerate() {
        lines += &match number % 3 {
            _ if line.starts_with('@') => line.to_owned(),
            0 => format!("{line}\tCB:Z:AC{}-1", number % 7),
            1 => format!("{line}\tCB:i:{}", number % 4),
            _ => line.to_owned(),
        };
        lines += "\n";
    }
    folder.file("x.sam", &lines);
    good(folder, &["view", "-b", "--no-PG", "x.sam", "-o", "x.bam"]);
    text(&folder.path("x.bam"))
}

#[test]
#[ignore = "needs samtools"]
fn read_groups_are_those_of_samtools() {
    let folder = Folder::new();
    let bam = made(&folder);
    assert_eq!(compare(&folder, &bam, "RG", samtools), 3);
}

#[test]
#[ignore = "needs pysam"]
fn values_are_those_of_samtools_1_24() {
    let folder = Folder::new();
    let bam = made(&folder);
    assert_eq!(compare(&folder, &bam, "RG", samtools_of_pysam), 3);
    assert!(compare(&folder, &bam, "CB", samtools_of_pysam) > 5);
}

#[test]
#[ignore = "needs samtools and BIOFAST_CORPUS"]
fn read_groups_of_the_corpus_are_those_of_samtools() {
    let folder = Folder::new();
    let bam = text(&corpus("real/nf-cmgg_exome_10samples.bam"));
    assert!(compare(&folder, &bam, "RG", samtools) > 1);
}
