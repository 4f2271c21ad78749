//! `biofast depth` beside samtools, that of the distribution and 1.24.

use std::process::Command;

use crate::common::coverage::{at, folder};
use crate::common::{Folder, biofast};
use crate::tools::{corpus, need, run, samtools_of_pysam};

const OPTIONS: &[&str] = &[
    "", "-a", "-aa", "-J", "-s", "-s -J -q 20 -a", "-q 15 -Q 20 -l 40", "-g DUP,QCFAIL -G 2048",
    "-b BED", "-a -s -b BED", "-aa -b BED -H", "-r c2:100-1500", "-aa -r c2:100-1500 -b BED",
    "-a -r none:5-20", "-s -r c2:100-1500",
];

/// Compares the lines of some files for all options.
fn compare(files: &[&str], bed: &str, options: &[&str], theirs: impl Fn(&[&str]) -> Command) {
    for options in options {
        let options = options.split_whitespace().map(|word| if word == "BED" { bed } else { word });
        let words: Vec<&str> = options.chain(files.iter().copied()).collect();
        let out = format!("{}.depth", files[0]);
        run(&mut theirs(&[&["depth"], &words[..], &["-o", &out]].concat()));
        let own = biofast(&[&["depth", "--quiet"], &words[..]].concat());
        assert_eq!((own.code, own.stderr.as_str()), (0, ""), "{words:?}");
        assert!(own.stdout.into_bytes() == std::fs::read(&out).unwrap(), "{words:?}");
        std::fs::remove_file(out).unwrap();
    }
}

/// Options that samtools 1.16 doesn't have.
const NEW_OPTIONS: &[&str] = &["--incl-flags 16 --require-flags 1", "-s --require-flags 2 -G 16"];

fn compare_made(more: &[&str], theirs: impl Fn(&[&str]) -> Command) {
    let options = [OPTIONS, more].concat();
    for seed in 21..24 {
        let folders: Vec<Folder> = (0..3).map(|n| folder(seed + 10 * n)).collect();
        let bams: Vec<String> = folders.iter().map(|folder| at(folder, "x.bam")).collect();
        let bams: Vec<&str> = bams.iter().map(String::as_str).collect();
        let bed = at(&folders[0], "x.bed");
        compare(&bams[..1], &bed, &options, &theirs);
        compare(&bams, &bed, &options, &theirs);
    }
}

fn samtools(words: &[&str]) -> Command {
    let mut command = need("samtools");
    command.args(words);
    command
}

#[test]
#[ignore = "needs samtools"]
fn depths_are_those_of_samtools() {
    compare_made(&[], samtools);
}

#[test]
#[ignore = "needs pysam"]
fn depths_are_those_of_samtools_1_24() {
    compare_made(NEW_OPTIONS, samtools_of_pysam);
}

#[test]
#[ignore = "needs samtools and BIOFAST_CORPUS"]
fn depths_of_alignments_of_the_corpus_are_those_of_samtools() {
    let folder = Folder::new();
    let bams = ["ecoli_k12_minimap2.bam", "nf-cmgg_exome_10samples.bam"].map(|name| {
        // Beside it are results.
        let path = at(&folder, name);
        std::fs::copy(corpus(&format!("real/{name}")), &path).unwrap();
        assert_eq!(biofast(&["index", &path]).code, 0);
        path
    });
    for bam in &bams {
        compare(&[bam], "", &["", "-s -J -q 20", "-a -Q 30 -l 100"], samtools);
        compare(&[bam, bam], "", &["-s"], samtools);
    }
}
