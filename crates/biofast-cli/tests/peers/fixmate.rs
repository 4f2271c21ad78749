//! `biofast fixmate` and `biofast collate` beside samtools 1.24.

use biofast_testkit::small::{self, Names, TemplateShape};

use crate::common::{Folder, biofast, text};
use crate::tools::{corpus, run, samtools_of_pysam};

fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with("@PG")).collect()
}

/// What samtools makes of the files, as SAM.
fn theirs(folder: &Folder, words: &[&str], input: &str) -> String {
    let out = text(&folder.path("theirs.sam"));
    let words = [words, &["--no-PG", "-O", "sam", input, &out]].concat();
    run(&mut samtools_of_pysam(&words));
    std::fs::read_to_string(out).unwrap()
}

fn ours(words: &[&str], input: &str) -> String {
    let run = biofast(&[words, &["-q", "--no-PG", "-O", "sam", input]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{words:?}");
    run.stdout
}

#[track_caller]
fn compare(ours: &str, theirs: &str, what: &dyn std::fmt::Debug) -> usize {
    for (ours, theirs) in lines(ours).iter().zip(lines(theirs)) {
        assert_eq!(*ours, theirs, "{what:?}");
    }
    assert_eq!(lines(ours).len(), lines(theirs).len(), "{what:?}");
    lines(ours).len()
}

#[test]
#[ignore = "needs samtools 1.24 (pysam)"]
fn mates_are_told_of_each_other_as_by_samtools() {
    let folder = Folder::new();
    let mut compared = 0;
    for (seed, letters) in (1..).zip(["", "-m", "-mc", "-rm", "-p", "-rpc", "-c"]) {
        for contradictions in [false, true] {
            let shape = TemplateShape {
                seed,
                sets: 300,
                templates: 12,
                names: Names::Mixed,
                contradictions,
                quarrels: true,
                ..TemplateShape::default()
            };
            let input = folder.file("x.sam", small::text(&shape));
            let letters = if letters.is_empty() { vec![] } else { vec![letters] };
            let words = [&["fixmate"], &letters[..]].concat();
            let theirs = theirs(&folder, &words, &input);
            compared += compare(&ours(&words, &input), &theirs, &(&words, contradictions));
        }
    }
    assert!(compared > 30_000, "{compared}");
}

#[test]
#[ignore = "needs samtools 1.24 (pysam) and the corpus"]
fn mates_of_the_corpus_are_told_of_each_other_as_by_samtools() {
    let folder = Folder::new();
    let grouped = text(&folder.path("grouped.bam"));
    let mut compared = 0;
    for name in real_alignments() {
        let run = biofast(&["collate", "-q", &name, "-o", &grouped]);
        assert_eq!(run.code, 0, "{run:?}");
        let words = ["fixmate", "-mc"];
        let theirs = theirs(&folder, &words, &grouped);
        compared += compare(&ours(&words, &grouped), &theirs, &name);
    }
    assert!(compared > 10_000, "{compared}");
}

/// Real alignments: of pairs, and of long reads with supplementary records.
pub(crate) fn real_alignments() -> [String; 2] {
    ["real/nf-cmgg_exome_10samples.bam", "real/ecoli_k12_minimap2.bam"]
        .map(|name| text(&corpus(name)))
}

/// Names in their order, each with its records: those of one read in any order, as samtools leaves them.
fn groups(text: &str) -> Vec<(String, Vec<String>)> {
    let mut out: Vec<(String, Vec<String>)> = Vec::new();
    for line in lines(text).into_iter().filter(|line| !line.starts_with('@')) {
        let name = line.split('\t').next().unwrap();
        match out.last_mut().filter(|(last, _)| last == name) {
            Some((_, group)) => group.push(line.to_owned()),
            None => out.push((name.to_owned(), vec![line.to_owned()])),
        }
    }
    out.iter_mut().for_each(|(_, group)| group.sort());
    out
}

#[test]
#[ignore = "needs samtools 1.24 (pysam)"]
fn names_are_shuffled_as_by_samtools() {
    let folder = Folder::new();
    let shape = TemplateShape { seed: 3, sets: 300, templates: 20, ..TemplateShape::default() };
    let grouped = folder.file("x.sam", small::text(&shape));
    let [sorted, theirs] = ["s.bam", "t.sam"].map(|name| text(&folder.path(name)));
    assert_eq!(biofast(&["sort", "-q", &grouped, "-o", &sorted]).code, 0);
    let words = ["collate", "--no-PG", "--output-fmt", "sam", "-o", &theirs, &sorted];
    run(&mut samtools_of_pysam(&words));
    let theirs = std::fs::read_to_string(theirs).unwrap();
    let run = biofast(&["collate", "-q", "--no-PG", "--output-fmt", "sam", &sorted]);
    assert_eq!(run.code, 0, "{run:?}");
    let [ours, theirs] = [groups(&run.stdout), groups(&theirs)];
    assert!(ours == theirs && ours.len() > 2000, "{}", ours.len());
}
