//! `biofast head`, `samples` and `quickcheck` beside samtools.

use crate::common::cat::parts;
use crate::common::{Folder, biofast, data, run_in};
use crate::tools::{need, run, samtools_of_pysam};

#[test]
#[ignore = "needs samtools"]
fn starts_and_samples_are_those_of_samtools() {
    let folder = Folder::new();
    let path = parts(&folder, 1).remove(0);
    for words in [
        &["head"][..],
        &["head", "-n", "5"],
        &["head", "-h", "0", "-n", "3"],
        &["head", "-h", "3"],
        &["samples", "-h", "-i"],
        &["samples", "-T", "LB"],
    ] {
        let ours = biofast(&[words, &[&path]].concat());
        let theirs = run(need("samtools").args(words).arg(&path));
        // samtools lists samples by their hashes.
        let lines = |text: &[u8]| {
            let mut lines: Vec<_> = text.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
            if words[0] == "samples" {
                lines.sort();
            }
            lines
        };
        assert!(lines(ours.stdout.as_bytes()) == lines(&theirs.stdout), "{words:?}");
        assert!(!theirs.stdout.is_empty());
    }
}

/// Whole files, files whose end is missing, and one that isn't there.
fn damaged(folder: &Folder) -> Vec<String> {
    let path = parts(folder, 1).remove(0);
    let bam = std::fs::read(&path).unwrap();
    let cram = std::fs::read(data("stage.cram")).unwrap();
    let sam = biofast(&["view", "-h", &path]).stdout;
    let mut names = Vec::new();
    for (kind, content) in [("bam", &bam[..]), ("cram", &cram), ("sam", sam.as_bytes())] {
        for end in [0, 1, 28, 38, content.len() / 2, content.len() - 40, content.len()] {
            let name = format!("{end}.{kind}");
            folder.file(&name, &content[..content.len() - end]);
            names.push(name);
        }
    }
    names.push("absent.bam".into());
    names
}

#[test]
#[ignore = "needs samtools"]
fn quickcheck_fails_the_files_that_samtools_fails() {
    let folder = Folder::new();
    let names = damaged(&folder);
    let words = ["quickcheck", "-q", "-v"].into_iter().chain(names.iter().map(String::as_str));
    let words: Vec<&str> = words.collect();
    let theirs = need("samtools").args(&words).current_dir(folder.path("")).output().unwrap();
    let ours = run_in(&folder, &words);
    assert_eq!(ours.stdout, String::from_utf8(theirs.stdout).unwrap());
    assert!(ours.stdout.lines().count() > 8 && ours.code == 2);
}

#[test]
#[ignore = "needs samtools 1.24 (pysam)"]
fn quickcheck_fails_the_files_that_samtools_1_24_fails() {
    let folder = Folder::new();
    let mut failed = 0;
    let names = damaged(&folder);
    for name in &names {
        let path = folder.path(name);
        let words = ["quickcheck", path.to_str().unwrap()];
        let theirs = samtools_of_pysam(&words).output().unwrap().status.success();
        assert_eq!(biofast(&words).code == 0, theirs, "{name}");
        failed += usize::from(!theirs);
    }
    assert!(failed > 8 && failed < names.len(), "{failed}");
}
