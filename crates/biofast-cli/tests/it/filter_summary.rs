//! What the summary of `biofast filter` holds, and `biofast check --against` it.

use std::path::Path;

use crate::common::{Folder, biofast, fails, ok, ok_with, text};
use biofast_testkit::bam::{header, record, records};
use biofast_testkit::container::bgzf;
use serde_json::Value;

/// Pairs whose fragments shrink below the length of reads, so that they end in TruSeq adapters.
fn mates(n: usize) -> [String; 2] {
    let base = |i: usize, j: usize| {
        let mixed = (i as u64 * 1000 + j as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        b"ACGT"[((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 62) as usize]
    };
    let mut out = [String::new(), String::new()];
    for i in 0..n {
        let len = if i % 4 == 0 { 40 + i % 30 } else { 200 };
        let fragment: Vec<u8> = (0..len).map(|j| base(i, j)).collect();
        let reversed: Vec<u8> = fragment
            .iter()
            .rev()
            .map(|b| b"TGCA"[b"ACGT".iter().position(|x| x == b).unwrap()])
            .collect();
        let adapters = ["AGATCGGAAGAGCACACGTCTGAACTCCAGTCA", "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGT"];
        for (mate, strand) in [fragment, reversed].into_iter().enumerate() {
            let mut read = strand;
            read.extend(adapters[mate].bytes().cycle().take(100));
            read.truncate(100);
            let read = String::from_utf8(read).unwrap();
            let quality = ["I", "#"][usize::from(i % 7 == 3)].repeat(100);
            out[mate] += &format!("@p{i}/{}\n{read}\n+\n{quality}\n", mate + 1);
        }
    }
    out
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn detection_names_the_adapter_its_evidence_and_what_was_cut_at_any_thread_count() {
    let folder = Folder::new();
    let [one, two] = mates(800);
    let (r1, r2) = (folder.file("1.fq", &one), folder.file("2.fq.gz", bgzf(two.as_bytes(), 999)));
    let summary = text(&folder.path("s.json"));
    let mut outputs = Vec::new();
    for threads in ["1", "2", "8"] {
        let run =
            ok(&["filter", &r1, &r2, "--detect-adapter", "--summary", &summary, "-@", threads]);
        assert!(
            run.stderr.contains("adapter of second reads: AGATCGGAAGAGCGTCGT"),
            "{}",
            run.stderr
        );
        outputs.push(run.stdout);
    }
    assert!(outputs.windows(2).all(|two| two[0] == two[1]));
    let found = &json(Path::new(&summary))["detected_adapters"];
    for (mate, found) in found.as_array().unwrap().iter().enumerate() {
        assert_eq!((&found["kit"], &found["cut"]), (&"truseq".into(), &true.into()), "{found}");
        assert_eq!((&found["read"], &found["reads"]), (&(mate + 1).into(), &800.into()));
        // Of 200 pairs with adapters, those that show 12 bases of it: all.
        assert_eq!(found["reads_with_adapter"], 200, "{found}");
    }
    // The adapters are gone, and little else is.
    let cut = outputs[0].lines().skip(1).step_by(4);
    assert!(cut.clone().all(|read| !read.contains("AGATCGGAAGAGC")));
    // The last bases of a read may be those of an adapter by chance.
    assert_eq!(cut.filter(|read| read.len() >= 90).count(), 1200);
    let piped = ok_with(&["filter", "--detect-adapter", "-"], one.as_bytes());
    assert!(piped.stderr.contains("(truseq) in 200 of 800 reads"), "{}", piped.stderr);
    let high = ok(&["filter", &r1, &r2, "--detect-adapter=30", "--summary", &summary]);
    assert!(high.stderr.contains("below 30 %: not trimmed"), "{}", high.stderr);
    assert!(high.stdout.contains("AGATCGGAAGAGC"));
}

#[test]
fn statistics_of_before_and_after_are_those_of_stats_on_the_files() {
    let folder = Folder::new();
    let [one, two] = mates(3000);
    let (r1, r2) = (folder.file("1.fq", one), folder.file("2.fq", two));
    let [o1, o2, summary] = ["o1.fq", "o2.fq.gz", "s.json"].map(|name| text(&folder.path(name)));
    let args = [
        "filter", "--quiet", &r1, &r2, "-o", &o1, "--out2", &o2, "--trim-overlap",
        "--summary-stats",
    ];
    let more = ["--min-mean-qual", "20", "--summary", &summary, "--chunk-size", "9999"];
    let mut reports = Vec::new();
    for threads in ["1", "3"] {
        ok(&[&args[..], &more, &["-@", threads]].concat());
        let mut report = json(Path::new(&summary));
        report["command"].take();
        reports.push(report);
    }
    assert_eq!(reports[0], reports[1]);
    for (block, file) in [
        ("read1_before_filtering", &r1),
        ("read2_before_filtering", &r2),
        ("read1_after_filtering", &o1),
        ("read2_after_filtering", &o2),
    ] {
        let run = biofast(&["stats", "--json", file]);
        let stats: Value = serde_json::from_str(&run.stdout).unwrap();
        let block = &reports[0][block];
        for (name, value) in block["statistics"].as_object().unwrap() {
            assert_eq!(value, &stats["files"][0][name], "{file} {name}");
        }
        assert_eq!(block["total_reads"], stats["files"][0]["reads"]);
        let mean = block["quality_curves"]["mean"].as_array().unwrap();
        assert_eq!(mean.len() as u64, block["total_cycles"].as_u64().unwrap());
        let first = |base: &str| block["content_curves"][base][0].as_f64().unwrap();
        assert!((first("G") + first("C") - first("GC")).abs() < 2e-6);
    }
    assert_eq!(
        biofast(&["filter", &r1, "--summary-stats"]).code,
        2,
        "--summary-stats goes to --summary"
    );
}

#[test]
fn check_against_the_summary_finds_a_changed_a_missing_and_a_swapped_file() {
    let folder = Folder::new();
    let [one, two] = mates(400);
    let (r1, r2) = (folder.file("1.fq", &one), folder.file("2.fq", &two));
    let names = ["o1.fq.gz", "o2.fq.gz", "orphans.fq", "bad.fq", "s.json"];
    let [o1, o2, orphans, bad, summary] = names.map(|name| text(&folder.path(name)));
    let outputs = ["-o", &o1, "--out2", &o2, "--unpaired1", &orphans, "--unpaired2", &orphans];
    let what = ["--rejected", &bad, "--min-len", "45", "--trim-overlap", "--summary", &summary];
    ok(&[&["filter", "--quiet", &r1, &r2], &outputs[..], &what, &["--min-mean-qual", "9"]]
        .concat());
    let all = biofast(&["check", "--against", &summary]);
    assert_eq!((all.code, all.stdout.lines().count()), (0, 6), "{all:?}");
    // Files elsewhere are known by their names.
    std::fs::create_dir(folder.path("elsewhere")).unwrap();
    let moved = folder.file("elsewhere/o1.fq.gz", std::fs::read(&o1).unwrap());
    ok(&["check", "--against", &summary, &moved, &r1]);
    let stranger = folder.file("stranger.fq", &one);
    fails(&["check", "--against", &summary, &stranger], &["doesn't list the file"]);
    // A base changed, a record lost, mates exchanged: every one a good FASTQ file.
    let changed = one.replacen("\nA", "\nC", 1).replacen("\nG", "\nC", 1);
    let lost = one.split_inclusive('\n').skip(4).collect::<String>();
    for (case, content) in [("changed", changed), ("lost", lost), ("swapped", two.clone())] {
        std::fs::write(&r1, content).unwrap();
        let run = biofast(&["check", "--against", &summary]);
        assert_eq!(run.code, 1, "{case}: {run:?}");
        let faults: Vec<&str> = run.stdout.lines().filter(|l| l.contains("\tfault\t")).collect();
        assert_eq!(faults.len(), 1, "{case}");
        assert!(faults[0].contains("1.fq") && faults[0].contains("the summary says"), "{run:?}");
    }
    std::fs::remove_file(&o2).unwrap();
    assert_eq!(biofast(&["check", "--against", &summary, &o2]).code, 2);
    assert_eq!(biofast(&["check", "--against", &r1]).code, 2, "no summary");
}

#[test]
fn alignments_have_sums_too_whatever_format_they_are_in() {
    let folder = Folder::new();
    let mut bam = header(&[("chr1", 1000), ("chr2", 50)]);
    records(60, 2).iter().for_each(|r| bam.extend(record(r)));
    let input = folder.file("x.bam", bgzf(&bam, 700));
    let [kept, others, summary] = ["k.bam", "o.sam", "s.json"].map(|name| text(&folder.path(name)));
    let args = ["filter", "--quiet", "-h", &input, "-F", "0x10", "-o", &kept, "-U", &others];
    ok(&[&args[..], &["--summary", &summary]].concat());
    let run = biofast(&["check", "--against", &summary]);
    assert_eq!((run.code, run.stdout.lines().count()), (0, 3), "{run:?}");
    let sam = std::fs::read_to_string(&others).unwrap();
    let less: String = sam.split_inclusive('\n').take(sam.lines().count() - 1).collect();
    std::fs::write(&others, less).unwrap();
    let run = biofast(&["check", "--against", &summary]);
    assert_eq!((run.code, run.stdout.matches("the summary says").count()), (1, 1), "{run:?}");
}

#[test]
fn a_part_that_was_read_and_streams_are_told_and_not_compared() {
    let folder = Folder::new();
    let [one, _] = mates(50);
    let r1 = folder.file("1.fq", &one);
    let summary = text(&folder.path("s.json"));
    ok(&["filter", "--quiet", &r1, "--head", "10", "--summary", &summary]);
    let run = biofast(&["check", "--against", &summary]);
    assert_eq!((run.code, run.stdout.lines().count()), (0, 1), "{run:?}");
    assert!(run.stderr.contains("only a part") && run.stderr.contains("stream"), "{}", run.stderr);
}
