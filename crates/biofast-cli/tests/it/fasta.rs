//! FASTA as an input: `stats`, `split`, `dedup`, `repair` and `check`.

use biofast_testkit::container::{KINDS, gunzip, gzip, wrap};

use crate::common::fasta::{doubles, figures, genes, joined, several};
use crate::common::{self, Folder, biofast, biofast_with, fails, ok, reads, text};

#[test]
fn stats_has_no_figure_of_qualities() {
    let folder = Folder::new();
    for (name, content) in several() {
        let path = folder.file(name, &content);
        let ours = figures(&path);
        assert_eq!(ours["format"], "FASTA");
        for name in ["Q20(%)", "Q30(%)", "AvgQual"] {
            assert_eq!(ours[name], "NA", "no figure of qualities: {ours:?}");
        }
    }
}

#[test]
fn reports_have_no_figure_of_qualities_and_merge_again() {
    let folder = Folder::new();
    let path = folder.file("genes.fa", genes(300, 60));
    let json = text(&folder.path("genes.json"));
    ok(&["stats", "-q", "--json", &path, "-o", &json]);
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let file = &report["files"][0];
    assert_eq!((&file["format"], &file["reads"]), (&"FASTA".into(), &300.into()));
    assert_eq!(file["quality"]["encoding"], "unknown");
    for name in ["mean", "mean_arithmetic", "q20_percent", "q30_percent"] {
        assert!(file["quality"].get(name).is_none(), "{name}");
    }
    assert!(file["positions"][0].get("mean_quality").is_none());
    // The report reads back, and several join to one.
    let merged = ok(&["merge", "--sample", "all", "--tsv", &json, &json]);
    assert!(merged.stdout.lines().nth(1).unwrap().starts_with("all\tFASTA\tDNA\t600\t"));
    let page = text(&folder.path("page.html"));
    let run = ok(&["stats", "--plot", "--html", &page, &path]);
    assert!(!run.stdout.contains("mean quality by position"), "{}", run.stdout);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("The reads have no qualities") && !page.contains("NaN"));
}

#[test]
fn any_container_and_any_number_of_threads_give_the_same_bytes() {
    let folder = Folder::new();
    let content = genes(2_000, 60);
    let plain = folder.file("x.fa", &content);
    let expected = biofast(&["stats", "--json", "--sample", "x", "-@", "1", &plain]);
    let without_name = |run: &common::Run, path: &str| run.stdout.replace(path, "PATH");
    for (i, kind) in KINDS.into_iter().enumerate() {
        let path = folder.file(&format!("x{i}"), wrap(kind, content.as_bytes()));
        for threads in ["1", "2", "4"] {
            let args =
                ["stats", "--json", "--sample", "x", "--chunk-size", "1000", "-@", threads, &path];
            let run = ok(&args);
            assert_eq!(without_name(&run, &path), without_name(&expected, &plain), "{kind:?}");
        }
    }
    let run = biofast_with(&["stats", "-T"], content.as_bytes());
    assert!(run.stdout.contains("-\tFASTA\tDNA\t2000\t"), "{run:?}");
}

#[test]
fn a_fault_names_record_and_line_and_the_other_rows_stay() {
    let folder = Folder::new();
    let good = folder.file("good.fa", genes(3, 60));
    let bad = folder.file("bad.fa", ">a\nAC\n>\nGT\n");
    let run = fails(
        &["stats", "-T", &good, &bad],
        &["bad.fa: record 2, line 3: expected a name after '>'"],
    );
    assert!(run.stdout.contains("bad.fa\tFASTA\tNA\t"), "{run:?}");
    let bad = folder.file("bad.fa", "\nACGT\n>a\nAC\n");
    fails(&["stats", &bad], &["record 1, line 2: expected a header line starting with '@' or '>'"]);
    // FastQC's report is about qualities.
    fails(
        &["stats", "--format", "fastqc", &good],
        &["this is FASTA, not FASTQ", "convert --quality 40"],
    );
}

#[test]
fn split_keeps_every_record_of_fasta_in_its_order() {
    let folder = Folder::new();
    let content = genes(101, 60);
    let path = folder.file("genes.fa", genes(101, 1000));
    for threads in ["1", "3"] {
        let out = text(&folder.path("part_{part}.fa.gz"));
        ok(&["split", "-q", "-@", threads, "-s", "40", &path, "-o", &out]);
        let parts = ["001", "002", "003"].map(|part| {
            let bytes = std::fs::read(folder.path(&format!("part_{part}.fa.gz"))).unwrap();
            String::from_utf8(biofast_testkit::container::gunzip(&bytes).unwrap()).unwrap()
        });
        assert_eq!(parts.concat(), content);
        assert_eq!(parts[1].matches('>').count(), 40);
    }
    let out = text(&folder.path("part_{part}.fq"));
    fails(&["split", "-p", "2", &path, "-o", &out], &["would hold FASTA"]);
    let reads = folder.file("x.fq", reads("r", 3));
    let out = text(&folder.path("part_{part}.fa"));
    fails(&["split", "-p", "2", &reads, "-o", &out], &["its extension is .fa"]);
    let out = text(&folder.path("part_{part}.txt"));
    fails(
        &["split", "-p", "2", &reads, &path, "-o", &out],
        &["one file is FASTQ and the other FASTA"],
    );
}

fn at(folder: &Folder, name: &str) -> String {
    text(&folder.path(name))
}

#[test]
fn dedup_of_fasta_keeps_the_first_of_each_in_any_memory() {
    let fasta = doubles();
    let folder = Folder::new();
    let inputs = [folder.file("x.fa", &fasta), folder.file("x.fa.gz", gzip(fasta.as_bytes()))];
    let mut seen = std::collections::HashSet::new();
    let (kept, others): (Vec<_>, Vec<_>) =
        joined(&fasta).into_iter().partition(|(_, sequence)| seen.insert(sequence.clone()));
    assert!(others.len() > 50);
    for (input, memory, threads) in
        [(&inputs[0], "64M", "1"), (&inputs[1], "16K", "3"), (&inputs[0], "16K", "2")]
    {
        let (out, rest) = (at(&folder, "o.fa.gz"), at(&folder, "d.fa"));
        let json = at(&folder, "o.json");
        ok(&[
            "dedup", "-q", "-m", memory, "-@", threads, input, "-o", &out, "-d", &rest,
            "--summary", &json,
        ]);
        let written = gunzip(&std::fs::read(&out).unwrap()).unwrap();
        assert_eq!(joined(&String::from_utf8(written).unwrap()), kept, "{memory} {threads}");
        assert_eq!(joined(&std::fs::read_to_string(&rest).unwrap()), others);
    }
}

#[test]
fn mates_in_fasta_find_each_other_and_formats_are_not_mixed() {
    let folder = Folder::new();
    let one = folder.file("1.fa", ">a/1\nACGT\nAC\n>b/1\nG\n>c/1\nT\n");
    let two = folder.file("2.fa", ">c/2\nTT\n>a/2\nAA\n>d/2\nC\n");
    let (out, orphans) = (at(&folder, "o.fa"), at(&folder, "s.fa"));
    ok(&["repair", "-q", &one, &two, "-o", &out, "--interleaved-out", "--orphans", &orphans]);
    let pairs = ">a/1\nACGTAC\n>a/2\nAA\n>c/1\nT\n>c/2\nTT\n";
    assert_eq!(std::fs::read_to_string(&out).unwrap(), pairs);
    assert_eq!(std::fs::read_to_string(&orphans).unwrap(), ">b/1\nG\n>d/2\nC\n");
    let reads = folder.file("2.fq", "@a/2\nA\n+\nI\n");
    for (args, expected) in [
        (
            &["repair", &one, &reads, "-o", &out, "--interleaved-out"][..],
            "one file is FASTQ and the other FASTA",
        ),
        (
            &["dedup", &one, &reads, "-o", &out, "--interleaved-out"],
            "one file is FASTQ and the other FASTA",
        ),
        (&["dedup", &one, "-o", &at(&folder, "o.fq")], "o.fq would hold FASTA"),
        (&["dedup", &one, "--keep", "best-quality", "-o", &out], "needs qualities"),
    ] {
        fails(args, &[expected]);
    }
    assert_eq!(std::fs::read_to_string(&out).unwrap(), pairs, "what was there stays");
}

#[test]
fn check_reads_fasta_to_its_end_and_compares_the_parts_of_split() {
    let folder = Folder::new();
    let genes = folder.file("g.fa.gz", gzip(genes(90, 60).as_bytes()));
    let (json, out) = (at(&folder, "s.json"), at(&folder, "p_{part}.fa.gz"));
    ok(&["split", "-q", "-s", "40", &genes, "-o", &out, "--summary", &json]);
    let run = biofast(&["check", "--against", &json]);
    assert_eq!((run.code, run.stdout.lines().count()), (0, 4), "{run:?}");
    assert!(run.stdout.contains("\tok\tFASTA\t40"), "{run:?}");
    // A base more, and a record less.
    let part = folder.path("p_002.fa.gz");
    let whole = String::from_utf8(gunzip(&std::fs::read(&part).unwrap()).unwrap()).unwrap();
    for changed in [format!("{whole}A\n"), whole[..whole.rfind('>').unwrap()].to_owned()] {
        std::fs::write(&part, gzip(changed.as_bytes())).unwrap();
        let run = biofast(&["check", "-q", "--against", &json]);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stdout.contains("the summary says"), "{run:?}");
    }
    let bad = folder.file("b.fa", ">a\nACGT\n>b\nAC T\n");
    let run = biofast(&["check", &bad]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("fault\tFASTA\t1\trecord 2, line 4"), "{run:?}");
    // Converted files are compared, too; where there is nothing to compare, that is said.
    let (converted, bam) = (at(&folder, "c.fa"), at(&folder, "c.bam"));
    ok(&["convert", "-q", &genes, "-o", &converted, "--summary", &json]);
    ok(&["check", "-q", "--against", &json]);
    let table = folder.file("t.tsv", "r\tACGT\tIIII\n");
    ok(&["convert", "-q", &table, "-o", &bam, "--summary", &json]);
    fails(&["check", "--against", &json], &["no file checksums"]);
}
