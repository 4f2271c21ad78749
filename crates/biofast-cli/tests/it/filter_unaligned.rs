//! `biofast filter` trims and selects the reads of unaligned BAM as those of FASTQ.

use crate::common::{Folder, Run, assert_ok, biofast, biofast_with, ok, reads, text};

/// A record of unaligned SAM.
fn record(name: &str, flags: u16, bases: &str, tags: &str) -> String {
    let qualities = "I".repeat(bases.len());
    let tags = if tags.is_empty() { String::new() } else { format!("\t{tags}") };
    format!("{name}\t{flags}\t*\t0\t0\t*\t*\t0\t0\t{bases}\t{qualities}{tags}\n")
}

/// What is left of SAM records after a run, and the run.
fn filtered(args: &[&str], sam: &str) -> Run {
    let sam = format!("@HD\tVN:1.6\n{sam}");
    biofast_with(&[&["filter", "--quiet", "-"], args].concat(), sam.as_bytes())
}

/// Pipelines of different steps.
const STEPS: [&[&str]; 5] = [
    &["--min-len", "45", "--min-mean-qual", "8.5"],
    &["--crop-front", "3,5", "--crop-tail", "2", "--max-n", "9"],
    &["--cut-front", "--cut-tail", "--cut-mean-quality", "15", "--min-len", "40"],
    &["--trim-poly-g=3", "--adapter", "ACGT", "--pair", "any", "--min-len", "30"],
    &["--name-regex", "7$", "--umi", "first", "--umi-len", "4", "--keep-first", "20"],
];

#[test]
fn reads_fare_as_in_fastq() {
    let folder = Folder::new();
    let one = folder.file("1.fq", reads("p", 700));
    let mates: String =
        reads("p", 1400).lines().skip(4 * 700).map(|line| format!("{line}\n")).collect();
    let renamed = (0..700)
        .fold(mates, |text, n| text.replace(&format!("@p{} ", 700 + n), &format!("@p{n} ")));
    let two = folder.file("2.fq", renamed);
    let [single, paired, out, rest] =
        ["s.bam", "p.bam", "o.bam", "u.bam"].map(|n| text(&folder.path(n)));
    ok(&["import", "--quiet", "-0", &one, "-o", &single]);
    ok(&["import", "--quiet", "-1", &one, "-2", &two, "-o", &paired]);
    let plain = |run: Run| -> String {
        assert_ok(&run);
        // Descriptions don't go to BAM.
        run.stdout.lines().map(|line| format!("{}\n", line.split(' ').next().unwrap())).collect()
    };
    let json = text(&folder.path("s.json"));
    let summary = || -> serde_json::Value {
        let report: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
        serde_json::json!([
            report["summary"], report["rejected"], report["trimmed"], report["records"]
        ])
    };
    let mut kept = std::collections::BTreeSet::new();
    for steps in STEPS {
        for (bam, fastq) in [(&single, vec![&one]), (&paired, vec![&one, &two])] {
            let mut files: Vec<&str> = fastq.iter().map(|file| file.as_str()).collect();
            files.extend(["--json", &json]);
            let expected = plain(biofast(&[&["filter", "--quiet"], &files[..], steps].concat()));
            let expected_summary = summary();
            for threads in ["1", "3"] {
                let args =
                    ["filter", "--quiet", "-@", threads, "--chunk-size", "5000", bam, "-o", &out];
                let more = ["-U", &rest, "--summary", &json];
                ok(&[&args[..], &more, steps].concat());
                let found = plain(biofast(&["fastq", "-n", "--grouped", "--quiet", &out]));
                assert!(found == expected, "{steps:?} {fastq:?}");
                assert_eq!(summary(), expected_summary);
            }
            let count = biofast(&[&["filter", "-c", bam], steps].concat());
            assert_eq!(count.stdout, format!("{}\n", expected.lines().count() / 4));
            let left = biofast(&["view", "-c", &rest]).stdout.trim().parse::<usize>().unwrap();
            assert_eq!(left + expected.lines().count() / 4, 700 * fastq.len());
            kept.insert(expected.len());
        }
    }
    assert!(kept.len() == 10 && !kept.contains(&0), "{kept:?}");
}

#[test]
fn fields_that_follow_the_bases_are_cut() {
    let tags = "MM:Z:C+mh?,0,1;A+a.,0;\tML:B:C,1,2,3,4,5\tMN:i:8\tRG:Z:g\tOQ:Z:abcdefgh\tip:B:S,1,2,3,4,5,6,7,8\
                \trp:B:C,1,2,3,4,5,6,7,8";
    let run =
        filtered(&["--crop-front", "2", "--crop-tail", "1"], &record("r", 4, "ACCGTCAG", tags));
    assert_ok(&run);
    let expected = "MM:Z:C+mh?,1;A+a.;\tML:B:C,3,4\tMN:i:5\tRG:Z:g\tOQ:Z:cdefg\tip:B:S,3,4,5,6,7\trp:B:C,2,3,4,5,6";
    assert_eq!(run.stdout, record("r", 4, "CGTCA", expected));
    // What isn't cut stays as it is, whatever it says.
    let odd = record("r", 4, "ACCGTCAG", "MM:Z:nonsense\tMN:i:3\tmv:B:c,5,1");
    assert_eq!(filtered(&["--min-len", "2"], &odd).stdout, odd);
}

#[test]
fn what_cant_be_trimmed_rightly_is_an_error_that_names_the_record() {
    let good = record("good", 4, "ACCGTCAG", "MM:Z:C+m,0;");
    for (tags, needed) in [
        ("MM:Z:C+m,7;", "past the end"),
        ("MM:Z:C+m,0", "MM is malformed"),
        ("MM:Z:C+m,0;\tML:B:C,1,2", "ML is longer"),
        ("MM:Z:C+m,0,0;\tML:B:C,1", "ML is shorter"),
        ("MM:Z:C+m,0;\tMN:i:9", "MN differs from the length"),
        ("ML:B:C,1", "ML occurs without MM"),
        ("mv:B:c,5,1,0", "move table"),
        ("OQ:Z:abc", "differs in length"),
    ] {
        let run = filtered(
            &["--crop-front", "1"],
            &format!("{good}{}", record("bad", 4, "ACCGTCAG", tags)),
        );
        assert_eq!(run.code, 2, "{tags}");
        assert!(run.stderr.contains("'bad'") && run.stderr.contains(needed), "{}", run.stderr);
        assert_eq!(run.stdout, record("good", 4, "CCGTCAG", "MM:Z:C+m,0;"));
    }
    let refused = |records: &str, needed: &[&str]| {
        let run = filtered(&["--min-len", "2"], records);
        assert_eq!(run.code, 2, "{records}");
        assert!(needed.iter().all(|text| run.stderr.contains(text)), "{}", run.stderr);
    };
    refused(&record("lost", 77, "ACGT", ""), &["'lost'", "its mate"]);
    refused(
        &[record("a", 77, "ACGT", ""), record("b", 141, "ACGT", "")].concat(),
        &["'a'", "its mate"],
    );
    refused(&record("x", 0x104, "ACGT", ""), &["'x'", "aligned"]);
    refused(&record("x", 20, "ACGT", ""), &["'x'", "aligned"]);
    refused(&record("x", 4, "ACGT", "").replace("IIII", "*"), &["'x'", "no qualities"]);
}

#[test]
fn second_reads_may_come_first() {
    let pair = [record("p", 141, "ACGT", ""), record("p", 77, "TTGG", "")].concat();
    let run = filtered(&["--crop-front", "1,2"], &pair);
    assert_ok(&run);
    let expected = [record("p", 141, "GT", ""), record("p", 77, "TGG", "")].concat();
    assert_eq!(run.stdout, expected);
}

#[test]
fn choices_of_alignments_hold_too() {
    let records: String = (0..40)
        .map(|n| {
            record(&format!("r{n}"), 4, &"ACGT".repeat(1 + n % 5), ["RG:Z:a", "RG:Z:b"][n % 2])
        })
        .collect();
    let both = filtered(&["-r", "a", "--min-len", "12"], &records);
    let apart = filtered(&["-r", "a"], &filtered(&["--min-len", "12"], &records).stdout);
    assert!(both.stdout.lines().count() == 12 && both.stdout == apart.stdout, "{}", both.stdout);
    // One mate that isn't wanted takes the other with it, or not.
    let pair =
        [record("p", 77, "ACGT", ""), record("p", 589, "ACGT", "").replace("589", "653")].concat();
    for (rule, expected) in [("both", 0), ("any", 2)] {
        let run = filtered(&["-F", "QCFAIL", "--pair", rule, "--min-len", "1"], &pair);
        assert_ok(&run);
        assert_eq!(run.stdout.lines().count(), expected, "{rule}");
    }
}
