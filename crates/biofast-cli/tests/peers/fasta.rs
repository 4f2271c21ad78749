//! Figures of FASTA, and sequences that are kept, beside seqkit.

use crate::common::fasta::{doubles, figures, joined, several};
use crate::common::{Folder, biofast};
use crate::tools::{is_value_of_seqkit, need};

#[test]
#[ignore = "needs seqkit"]
fn figures_are_those_of_seqkit() {
    let folder = Folder::new();
    for (name, content) in several() {
        let path = folder.file(name, &content);
        let ours = figures(&path);
        let theirs = need("seqkit").args(["stats", "-a", "-T", &path]).output().unwrap();
        let theirs = String::from_utf8(theirs.stdout).unwrap();
        let theirs: Vec<Vec<&str>> = theirs.lines().map(|l| l.split('\t').collect()).collect();
        for (name, their) in theirs[0].iter().zip(&theirs[1]) {
            if matches!(*name, "file" | "Q20(%)" | "Q30(%)" | "AvgQual" | "N50_num") {
                continue;
            }
            let our = &ours[*name];
            let equal = is_value_of_seqkit(name, our, their);
            assert!(equal, "{path}: {name}: ours {our}, seqkit's {their}");
        }
    }
}

#[test]
#[ignore = "needs seqkit"]
fn dedup_of_fasta_keeps_what_seqkit_keeps() {
    let folder = Folder::new();
    let input = folder.file("x.fa", doubles());
    let ours = biofast(&["dedup", "-q", &input]);
    assert_eq!(ours.code, 0, "{}", ours.stderr);
    let theirs = need("seqkit").args(["rmdup", "-s", "-P", &input]).output().unwrap();
    assert_eq!(joined(&String::from_utf8(theirs.stdout).unwrap()), joined(&ours.stdout));
}
