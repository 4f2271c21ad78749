//! The sample that the program carries, and its test of itself.
#![cfg(unix)]

use crate::common::{Folder, biofast, command, fails, finish, ok, sample, silent, text};

#[test]
fn the_sample_is_that_of_the_repository_and_its_alignments_are_sound() {
    let folder = Folder::new();
    let at = text(&folder.path("demo"));
    let run = silent(&["demo", &at]);
    let file = |name: &str| std::fs::read(folder.path("demo").join(name)).unwrap();
    assert_eq!(file("R1.fq.gz"), std::fs::read(sample("sample_R1.fq.bgz")).unwrap());
    assert_eq!(file("R2.fq.gz"), std::fs::read(sample("sample_R2.fq.bgz")).unwrap());
    for name in ["reads.fq", "reads.fq.gz", "reads.fq.zst", "aln.bam", "aln.sam", "R1.fq.gz"] {
        assert!(run.stdout.contains(name), "{name} is told");
        let run = ok(&["check", &format!("{at}/{name}")]);
        let records = if name.starts_with("aln") { "2952" } else { "2500" };
        assert!(run.stdout.contains(&format!("\t{records}\t")), "{}", run.stdout);
    }
    // BAM and its index are those that the commands make of the text.
    let bam = text(&folder.path("again.bam"));
    ok(&["view", "-b", "--no-PG", &format!("{at}/aln.sam"), "-o", &bam]);
    ok(&["index", &bam]);
    assert_eq!(std::fs::read(&bam).unwrap(), file("aln.bam"));
    assert_eq!(std::fs::read(format!("{bam}.bai")).unwrap(), file("aln.bam.bai"));
}

#[test]
fn nothing_that_is_there_is_replaced() {
    let folder = Folder::new();
    folder.file("mine.fq", "@r\nA\n+\nI\n");
    let at = text(&folder.path("."));
    fails(&["demo", &at], &["is not empty"]);
    assert_eq!(std::fs::read_dir(folder.path(".")).unwrap().count(), 1);
    // A file is no folder.
    assert_eq!(biofast(&["demo", &text(&folder.path("mine.fq"))]).code, 2);
}

#[test]
fn the_test_of_itself_passes_here() {
    let run = ok(&["self-test", "--no-speed"]);
    assert!(run.stdout.ends_with("\nAll tests passed.\n"), "{}", run.stdout);
    for line in run.stdout.lines().filter(|line| line.starts_with("ok     biofast")) {
        assert!(line.contains("identical in "), "{line}");
    }
    // A level this processor doesn't have, or none at all, is an error before anything else.
    let mut wrong = command(&["self-test"]);
    wrong.env("BIOFAST_SIMD", "mmx");
    assert_eq!(finish(wrong).code, 2);
}
