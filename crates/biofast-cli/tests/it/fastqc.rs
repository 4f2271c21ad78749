//! `stats --format fastqc`: FastQC's own figures and verdicts, in the modules it has.

use crate::common::fastqc::{library, modules};
use crate::common::{Folder, biofast, fails, sample, silent, silent_with, text};

#[test]
fn figures_and_verdicts_follow_the_definitions() {
    // 101 reads of 4 bases: qualities 40, 40, 22, 4; every A against no T.
    let reads = "@r\nAAGC\n+\nII7%\n".repeat(101);
    let run = silent_with(&["stats", "--format", "fastqc", "--stdin-label", "x"], reads.as_bytes());
    let modules = modules(&run.stdout);
    let verdict = |name: &str| modules[name].0.as_str();
    let row = |name: &str, row: usize| modules[name].1[row].join(" ");
    assert_eq!(row("Basic Statistics", 1), "Filename x");
    assert_eq!(row("Basic Statistics", 5), "Total Bases 404 bp");
    assert_eq!(row("Basic Statistics", 8), "%GC 50");
    assert_eq!(row("Per base sequence quality", 3), "3 22.0 22.0 22.0 22.0 22.0 22.0");
    assert_eq!(verdict("Per base sequence quality"), "fail");
    assert_eq!(row("Per sequence quality scores", 1), "26 101.0");
    assert_eq!(verdict("Per sequence quality scores"), "warn");
    assert_eq!(row("Per base sequence content", 1), "1 0.0 100.0 0.0 0.0");
    assert_eq!(verdict("Per base sequence content"), "fail");
    assert_eq!(
        (row("Per base N content", 4), verdict("Per base N content")),
        ("4 0.0".into(), "pass")
    );
    assert_eq!(row("Sequence Length Distribution", 1), "4 101.0");
    assert_eq!(verdict("Sequence Length Distribution"), "pass");
}

#[test]
fn a_folder_a_sample_the_same_on_any_number_of_threads_and_in_parts() {
    let folder = Folder::new();
    let (r1, r2) = (sample("sample_R1.fq.bgz"), sample("sample_R2.fq.bgz"));
    let run = |more: &[&str], to: &str| {
        let to = text(&folder.path(to));
        let args = [&["stats", "--format", "fastqc", &r1, &r2, "--out-dir", &to], more].concat();
        let run = biofast(&args);
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    };
    run(&["-@1"], "one");
    run(&["-@5", "--chunk-size", "3000"], "five");
    // How often sequences occur in both isn't known, and nothing stands for it.
    let to = text(&folder.path("joined"));
    let joined =
        biofast(&["stats", "--format", "fastqc", &r1, &r2, "--out-dir", &to, "--sample", "both"]);
    assert_eq!((joined.code, joined.stdout.as_str()), (0, ""));
    assert!(
        joined.stderr.contains(
            "warning: both: duplication levels and overrepresented sequences are left out"
        ),
        "{}",
        joined.stderr
    );
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    for name in ["sample_R1", "sample_R2"] {
        for file in ["fastqc_data.txt", "summary.txt"] {
            let of = |threads: &str| read(&format!("{threads}/{name}_fastqc/{file}"));
            assert_eq!(of("one"), of("five"));
            assert!(of("one").contains(&format!("{name}.fq.bgz")));
        }
    }
    let joined = read("joined/both_fastqc/fastqc_data.txt");
    assert!(joined.contains("Filename\tboth\n") && joined.contains("Total Sequences\t5000\n"));
    assert!(joined.contains(">>Adapter Content") && !joined.contains("Duplication"), "{joined}");
}

#[test]
fn threads_and_chunks_change_nothing_where_the_order_of_reads_matters() {
    let folder = Folder::new();
    let file = folder.file("large.fq", library(130_000, 30, 5, 9_000_000));
    let run =
        |more: &[&str]| silent(&[&["stats", "--format", "fastqc", &file], more].concat()).stdout;
    let one = run(&["-@1"]);
    assert_eq!(one, run(&["-@2", "--chunk-size", "70000"]));
    assert_eq!(one, run(&["-@7", "--chunk-size", "4000"]));
    let duplication = &modules(&one)["Sequence Duplication Levels"].1;
    // More than 100,000 sequences, so shares are extrapolated.
    assert!(duplication[2][1].parse::<f64>().unwrap() > 75.0, "{duplication:?}");
}

#[test]
fn sequences_of_ones_own_are_named_as_possible_sources() {
    let folder = Folder::new();
    let file =
        folder.file("x.fq", "@r\nACGTTGCATTGACCATGGCATCAGTT\n+\nIIIIIIIIIIIIIIIIIIIIIIIIII\n");
    let list = folder.file("list.txt", "# mine\nMy primer\t\tGCATTGACCATGGCATCAGTTACGA\n");
    let run = biofast(&["stats", "--format", "fastqc", &file, "--contaminants", &list]);
    assert!(run.stdout.contains("\t1\t100.0\tMy primer (100% over 21bp)\n"), "{}", run.stdout);
    let run = biofast(&["stats", "--format", "fastqc", &file]);
    assert!(run.stdout.contains("\t1\t100.0\tNo Hit\n"), "{}", run.stdout);
    let bad = folder.file("bad.txt", "one\tACGT\ntwo ACGT\n");
    fails(&["stats", "--format", "fastqc", &file, "--contaminants", &bad], &["bad.txt", "line 2"]);
}

#[test]
fn what_cant_be_written_is_said_with_what_to_do() {
    let folder = Folder::new();
    let r1 = sample("sample_R1.fq.bgz");
    let qc = text(&folder.path("qc"));
    let two = [&r1, &sample("sample_R2.fq.bgz")];
    fails(&["stats", "--format", "fastqc", two[0], two[1]], &["--out-dir"]);
    fails(
        &["stats", "--format", "fastqc", &r1, &r1, "--out-dir", &qc],
        &["sample_R1_fastqc", "--sample"],
    );
    let sam = folder.file("a.sam", "@SQ\tSN:c\tLN:9\nr\t0\tc\t1\t9\t2M\t*\t0\t0\tAC\tII\n");
    let bad = folder.file("bad.fq", "@r\nAC\n+\nI\n");
    fails(
        &["stats", "--format", "fastqc", &sam, &bad, &r1, "--out-dir", &qc],
        &["biofast fastq", "bad.fq"],
    );
    // The good one is there, no part of a bad one is.
    let written: Vec<_> = std::fs::read_dir(&qc).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(written, ["sample_R1_fastqc"]);
}
