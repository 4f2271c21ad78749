//! `biofast reset` and `biofast retag` beside samtools.

use biofast_testkit::small::{self, TemplateShape};

use crate::common::{Folder, biofast, text};
use crate::fixmate::real_alignments;
use crate::tools::{need, run, samtools_of_pysam};

/// Compares what `reset` with these options makes of a file.
fn compare(folder: &Folder, words: &[&str], input: &str) -> usize {
    let theirs = text(&folder.path("theirs.sam"));
    let options = [&["reset", "--no-PG"], words].concat();
    run(&mut samtools_of_pysam(&[&options[..], &["-O", "sam", "-o", &theirs, input]].concat()));
    let theirs = std::fs::read_to_string(theirs).unwrap();
    let ours = biofast(&[&options[..], &["-q", "-O", "sam", input]].concat());
    assert_eq!((ours.code, ours.stderr.as_str()), (0, ""), "{words:?}");
    for (ours, theirs) in ours.stdout.lines().zip(theirs.lines()) {
        assert_eq!(ours, theirs, "{words:?}");
    }
    assert_eq!(ours.stdout.len(), theirs.len(), "{words:?}");
    theirs.lines().count()
}

#[test]
#[ignore = "needs samtools 1.24 (pysam)"]
fn reads_are_reset_as_by_samtools() {
    let folder = Folder::new();
    let shape = TemplateShape { seed: 9, sets: 300, templates: 12, ..TemplateShape::default() };
    let programs = "GO:query\n@PG\tID:a\tPN:a\n@PG\tID:b\tPN:b\tPP:a\n@CO\tx\n";
    let sam = small::text(&shape).replacen("GO:query\n", programs, 1);
    let input = folder.file("x.sam", sam);
    let mut compared = 0;
    for words in [
        &[][..],
        &["--dupflag"],
        &["--no-RG", "-x", "BX"],
        &["--no-RG", "--keep-tag", "RG,BX"],
        &["-x", "^RG,Z1"],
        &["--keep-tag", "NM,MD,RG"],
        &["--reject-PG", "b"],
    ] {
        compared += compare(&folder, words, &input);
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
#[ignore = "needs samtools 1.24 (pysam) and the corpus"]
fn reads_of_the_corpus_are_reset_as_by_samtools() {
    let folder = Folder::new();
    let compared: usize = real_alignments().iter().map(|name| compare(&folder, &[], name)).sum();
    assert!(compared > 10_000, "{compared}");
}

#[test]
#[ignore = "needs samtools"]
fn tags_are_removed_as_by_samtools_view() {
    let folder = Folder::new();
    let shape = TemplateShape { seed: 2, sets: 100, templates: 12, ..TemplateShape::default() };
    let input = folder.file("x.sam", small::text(&shape));
    for words in [["-x", "BX,RG"], ["--keep-tag", "RG"], ["-x", "^RG,BX"]] {
        let theirs = run(need("samtools").args(["view", "-h", "--no-PG"]).args(words).arg(&input));
        let ours = biofast(&[&["retag", "--no-PG"], &words[..], &[&input]].concat());
        assert!(ours.stdout.as_bytes() == theirs.stdout && ours.code == 0, "{words:?}");
        assert!(theirs.stdout.len() > 100_000, "{words:?}");
    }
}
