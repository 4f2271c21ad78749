//! `stats -T` against seqkit, field by field. Where they differ on purpose, the reason stands here.

use std::collections::HashMap;

use biofast_testkit::effort::times;
use biofast_testkit::random::Random;

use crate::common::{Folder, biofast, reads, sample};
use crate::tools::{corpus, is_value_of_seqkit, need};

type Row = HashMap<String, String>;

fn rows(tsv: &str) -> Vec<Row> {
    let mut lines = tsv.lines().map(|line| line.split('\t').map(str::to_owned));
    let header: Vec<String> = lines.next().unwrap().collect();
    lines.map(|cells| header.iter().cloned().zip(cells).collect()).collect()
}

/// Fields that must be equal as text or as numbers.
fn compare(path: &str, ours: &Row, theirs: &Row) {
    // seqkit 2.3 to 2.9 halve the quartiles of data with a single length.
    let one_length = ours["min_len"] == ours["max_len"];
    // seqkit calls a file FASTA "Unlimit" when its first read is empty.
    let first_read_empty = theirs["format"] != "FASTQ";
    for (field, their) in theirs {
        // Left out: AvgQual and N50_num are missing in Debian's version, and where present,
        // N50_num is 1 for data with a single length, where half the reads is right.
        let skip = match field.as_str() {
            "N50_num" => true,
            "Q1" | "Q2" | "Q3" => one_length,
            "format" | "type" => first_read_empty,
            _ => false,
        };
        if skip {
            continue;
        }
        let our = &ours[field];
        let equal = is_value_of_seqkit(field, our, their);
        assert!(equal, "{path}: {field}: ours {our}, seqkit's {their}");
    }
}

fn check(path: &str) {
    let ours = biofast(&["stats", "-T", "-q", path]);
    assert_eq!(ours.code, 0, "{}", ours.stderr);
    let theirs = need("seqkit").args(["stats", "-a", "-T", path]).output().unwrap();
    let theirs = String::from_utf8(theirs.stdout).unwrap();
    compare(path, &rows(&ours.stdout)[0], &rows(&theirs)[0]);
}

#[test]
#[ignore = "needs seqkit"]
fn the_sample_and_generated_reads() {
    check(&sample("sample_R1.fq.bgz"));
    check(&sample("sample_R2.fq.bgz"));
    let folder = Folder::new();
    for n in [1, 2, 3, 4, 5, 6, 7, 500] {
        check(&folder.file("reads.fq", reads("r", n)));
    }
    check(&folder.file("rna.fq", "@a\nACGU\n+\nIIII\n@b\nAC-G.\n+\n!!!!~\n"));
}

#[test]
#[ignore = "needs seqkit"]
fn random_reads() {
    let folder = Folder::new();
    let mut paths = Vec::new();
    for n in 0..u64::from(times(20)) {
        let mut random = Random((n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..20).for_each(|_| {
            random.next_u64();
        });
        let (longest, count) = ([3, 40, 400, 9000][random.below(4)], 1 + random.below(60));
        let letters = [&b"ACGT"[..], b"ACGTN", b"ACGTNRYacgtn", b"GC"][random.below(4)];
        let mut text = String::new();
        for i in 0..count {
            let len = 1 + random.below(longest);
            let mut of = |letters: &[u8]| -> String {
                (0..len).map(|_| char::from(letters[random.below(letters.len())])).collect()
            };
            let (bases, qualities) = (of(letters), of(b"!#,5:?@BFIJ~"));
            text += &format!("@r{i}\n{bases}\n+\n{qualities}\n");
        }
        paths.push(folder.file(&format!("{n}.fq"), text));
    }
    let theirs = need("seqkit").args(["stats", "-a", "-T"]).args(&paths).output().unwrap();
    let theirs = rows(std::str::from_utf8(&theirs.stdout).unwrap());
    assert_eq!(theirs.len(), paths.len());
    for (path, theirs) in paths.iter().zip(theirs) {
        let ours = biofast(&["stats", "-T", "-q", path]);
        assert_eq!(ours.code, 0, "{}", ours.stderr);
        compare(path, &rows(&ours.stdout)[0], &theirs);
    }
}

/// Third-party files.
mod corpus {
    use super::*;

    #[test]
    #[ignore = "needs seqkit and the corpus"]
    fn real_reads() {
        let mut checked = 0;
        for entry in std::fs::read_dir(corpus("real")).unwrap() {
            let path = entry.unwrap().path();
            if path.to_string_lossy().ends_with(".fastq.gz") {
                check(path.to_str().unwrap());
                checked += 1;
            }
        }
        assert!(checked > 0);
    }
}
