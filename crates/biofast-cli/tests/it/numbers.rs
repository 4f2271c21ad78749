//! What a number means: one definition a number in all reports, and none where nothing is known.

use std::fmt::Write as _;

use biofast_testkit::random::Random;
use serde_json::Value;

use crate::common::{Folder, biofast, biofast_with, fails, ok, ok_with, text};

/// Pairs of which many overlap, duplicates, failed, secondary and supplementary records, single reads, skips; sorted.
pub(crate) fn pairs(seed: u64, count: usize) -> String {
    let mut random = Random(seed);
    let mut records: Vec<((usize, u64), String)> = Vec::new();
    for number in 0..count {
        let reference = random.below(2);
        let start = 1 + random.below_u64(2500);
        let mate = start + random.below_u64(120);
        let extra = [0, 0, 0, 0, 0x400, 0x200, 0x100, 0x800][random.below(8)];
        let flags = [[99, 147], [163, 83], [97, 145], [0, 16]][random.below(4)];
        for (flags, own, other) in [(flags[0], start, mate), (flags[1], mate, start)] {
            let cigar =
                ["50M", "50M", "20M5D30M", "10S40M", "30M700N20M", "20M2I28M"][random.below(6)];
            let (reads, qualities) = match random.below(5) {
                0 => ("*".to_owned(), "*".to_owned()),
                1 => ("A".repeat(50), "*".to_owned()),
                _ => ("A".repeat(50), "I".repeat(50)),
            };
            let (name, next) = (["a", "b"][reference], if flags & 1 == 0 { "*" } else { "=" });
            let other = if flags & 1 == 0 { 0 } else { other };
            let flags = flags | extra;
            records.push((
                (reference, own),
                format!("p{number}\t{flags}\t{name}\t{own}\t60\t{cigar}\t{next}\t{other}\t0\t{reads}\t{qualities}\n"),
            ));
        }
    }
    records.sort_by_key(|record| record.0);
    let mut sam = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:a\tLN:4000\n@SQ\tSN:b\tLN:4000\n@SQ\tSN:empty\tLN:2000\n".to_owned();
    records.iter().for_each(|record| sam += &record.1);
    sam
}

fn json(args: &[&str]) -> Value {
    let run = ok(args);
    serde_json::from_str(&run.stdout).unwrap()
}

/// The cells of the last row of tab-separated text, by their names.
fn cell<'a>(tsv: &'a str, name: &str) -> &'a str {
    let place = tsv.lines().next().unwrap().split('\t').position(|own| own == name).unwrap();
    tsv.lines().last().unwrap().split('\t').nth(place).unwrap()
}

#[test]
fn one_depth_in_stats_coverage_verdicts_and_pages_whole_or_of_shards() {
    let folder = Folder::new();
    for seed in 1..4 {
        let sam = folder.file("x.sam", pairs(seed, 150));
        let bam = text(&folder.path("x.bam"));
        ok(&["view", "-b", "-o", &bam, &sam]);
        let table = biofast(&["coverage", "--quiet", "--format", "tsv", &bam]).stdout;
        let (mean, bases) = (cell(&table, "mean"), cell(&table, "bases"));
        let file = &json(&["stats", "-q", "--json", &bam])["files"][0];
        assert_eq!(format!("{:.2}", file["coverage"]["mean_depth"].as_f64().unwrap()), mean);
        let references = file["references"].as_array().unwrap();
        let sum: u64 = references.iter().map(|one| one["depth_bases"].as_u64().unwrap()).sum();
        assert_eq!(sum.to_string(), bases);
        assert_eq!(file["coverage"]["positions"], 10_000);
        let tsv = biofast(&["stats", "-q", "-T", &bam]).stdout;
        assert_eq!(cell(&tsv, "mean_depth"), mean);
        assert_eq!(cell(&tsv, "breadth(%)"), cell(&table, "covered(%)"));
        let shown = biofast(&["stats", "-q", &bam]).stdout;
        assert!(shown.lines().last().unwrap().trim_end().ends_with(mean), "{shown}");
        let page = text(&folder.path("x.html"));
        ok(&["stats", "-q", "--html", &page, "-o", &text(&folder.path("t")), &bam]);
        let page = std::fs::read_to_string(page).unwrap();
        assert!(
            page.contains(&format!("Mean depth</dt><dd>{mean}")) || page.contains(mean),
            "{mean}"
        );
        // Duplicates without a type: the page says what gives it. Columns without values aren't shown.
        assert!(page.contains("biofast markdup -d 2500 IN.bam"), "{page}");
        assert!(!page.contains(">AT dropout %<") && !page.contains(">Status<"));
        // All reports from one reading, with the files of mosdepth beside.
        let out = text(&folder.path(&format!("qc{seed}")));
        ok(&["stats", "-q", "--out-dir", &out, "--qc", "json,mosdepth,coverage", &bam]);
        let of_qc = std::fs::read_to_string(format!("{out}/x.biofast.json")).unwrap();
        let of_qc: Value = serde_json::from_str(&of_qc).unwrap();
        assert_eq!(of_qc["files"][0]["coverage"], file["coverage"]);
        // Shards, of which mates overlap across the cuts.
        let plan = text(&folder.path("plan.json"));
        ok(&["shards", "-q", "--number", "7", "-o", &plan, &bam]);
        let parts: Vec<String> = (1..=7)
            .map(|number| {
                let part = text(&folder.path(&format!("part{number}.json")));
                let shard = format!("{plan}#{number}");
                ok(&["stats", "-q", "--json", "--shard", &shard, "-o", &part]);
                part
            })
            .collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let merged = json(&[&["merge", "-q", "--json"][..], &parts].concat());
        assert_eq!(merged["files"][0]["coverage"], file["coverage"], "of shards");
        assert_eq!(merged["files"][0]["references"], file["references"]);
    }
}

#[test]
fn a_limit_of_depth_is_judged_without_duplicates_and_overlaps() {
    let folder = Folder::new();
    let bases = "A".repeat(100);
    let mut sam = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:a\tLN:100\n".to_owned();
    for pair in 0..10 {
        // Every second pair is a duplicate, and mates lie on each other.
        let extra = if pair % 2 == 0 { 0 } else { 0x400 };
        for flags in [99, 147] {
            let flags = flags + extra;
            let _ = writeln!(sam, "p{pair}\t{flags}\ta\t1\t60\t100M\t=\t1\t100\t{bases}\t*");
        }
    }
    let input = folder.file("x.sam", &sam);
    let tsv = biofast(&["stats", "-q", "-T", &input]).stdout;
    assert_eq!(cell(&tsv, "mean_depth"), "5.00");
    for (limit, code) in [("mean-depth 10 4.9", 0), ("mean-depth 10 5.1", 1)] {
        let limits = folder.file("limits.txt", limit);
        let run = biofast(&["stats", "--limits", &limits, "--fail-on", "fail", &input]);
        assert_eq!(run.code, code, "{limit}: {}", run.stderr);
        let says = "mean-depth: The mean depth of all positions, without duplicates";
        assert!(run.stderr.contains(says), "{}", run.stderr);
        assert_eq!(run.stderr.contains("is 5: below 5.1"), code == 1, "{}", run.stderr);
    }
    // Out of order there is no depth, and the verdict says why.
    let unsorted = sam.replace("SO:coordinate", "SO:unsorted")
        + "z\t0\ta\t1\t60\t5M\t*\t0\t0\tAAAAA\t*\ny\t0\ta\t9\t60\t5M\t*\t0\t0\tAAAAA\t*\nx\t0\ta\t1\t60\t5M\t*\t0\t0\tAAAAA\t*\n";
    let unsorted = folder.file("y.sam", unsorted);
    let limits = folder.file("limits.txt", "mean-depth 10 5.1");
    let run = biofast(&["stats", "-T", "--limits", &limits, "--fail-on", "fail", &unsorted]);
    assert_eq!(cell(&run.stdout, "mean_depth"), "NA");
    let report = json(&["stats", "-q", "--json", "--limits", &limits, &unsorted]).to_string();
    assert!(
        report.contains("depth is computed only for whole files sorted by coordinate"),
        "{report}"
    );
}

#[test]
fn what_is_unknown_is_not_available() {
    let reads = "r1\t4\t*\t0\t0\t*\t*\t0\t0\tACGTACGTAC\t*\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tACGTACGTAN\tIIIIIIIII#\n";
    let run = biofast_with(&["stats", "-q", "--per-read", "-"], reads.as_bytes());
    let rows: Vec<Vec<&str>> =
        run.stdout.lines().skip(1).map(|row| row.split('\t').collect()).collect();
    assert_eq!(rows[0], ["r1", "10", "NA", "NA", "NA", "50.00", "0", "NA", "NA"]);
    assert_eq!(rows[1][..4], ["r2", "10", "11.99", "36.20"]);
    let folder = Folder::new();
    let sam = folder.file("x.sam", reads);
    let tsv = biofast(&["stats", "-q", "-T", &sam]).stdout;
    for name in ["properly_paired(%)", "error_rate", "insert_size_median", "covered", "mean_depth"]
    {
        assert_eq!(cell(&tsv, name), "NA", "{name}");
    }
    // Nine of the ten bases that have qualities; 9 of 20 are G or C, and 9 of 19 that are known.
    assert_eq!((cell(&tsv, "Q30(%)"), cell(&tsv, "GC(%)")), ("90.00", "45.00"));
    let file = &json(&["stats", "-q", "--json", &sam])["files"][0];
    assert_eq!(file["reads"]["first"]["quality"]["q30_percent"], 90.0);
    assert_eq!(file["reads"]["first"]["composition"]["gc_percent_of_all"], 45.0);
    assert_eq!(file["reads"]["first"]["composition"]["gc_percent"], 47.37);
    let shown = biofast(&["stats", "-q", &sam]).stdout;
    assert!(
        shown.contains("GC % of ACGT") && shown.contains("47.37") && shown.contains(" NA "),
        "{shown}"
    );
    let judged = json(&["stats", "-q", "--json", "--library", "wgs", &sam]).to_string();
    assert!(judged.contains("90 % of the bases have quality 30 or more"), "{judged}");
}

#[test]
fn qualities_up_to_93_are_exact() {
    let folder = Folder::new();
    let fastq = folder.file("q.fq", "@a\nAA\n+\n~~\n@b\nAC\n+\nyz\n@c\nA\n+\nq\n@d\nAA\n+\n||\n");
    let run = biofast(&["stats", "-q", "--per-read", &fastq]);
    let means: Vec<&str> =
        run.stdout.lines().skip(1).map(|row| row.split('\t').nth(2).unwrap()).collect();
    assert_eq!(means, ["93.00", "88.47", "80.00", "91.00"]);
    let report =
        &json(&["stats", "-q", "--json", &fastq])["files"][0]["quality"]["read_mean_histogram"];
    assert_eq!(report.to_string(), "[[80,1],[88,1],[91,1],[93,1]]");
    for (least, left) in [("91", 2), ("91.5", 1), ("93", 1)] {
        let run = biofast(&["filter", "--quiet", "--min-mean-qual", least, &fastq]);
        assert_eq!(run.stdout.lines().count(), 4 * left, "{least}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn a_negative_nm_is_told_and_not_counted() {
    let sam = "@SQ\tSN:a\tLN:100\nr\t0\ta\t1\t60\t4M\t*\t0\t0\tACGT\tIIII\tNM:i:-7\ns\t0\ta\t1\t60\t4M\t*\t0\t0\tACGT\tIIII\tNM:i:1\n";
    let folder = Folder::new();
    let input = folder.file("x.sam", sam);
    let run = biofast(&["stats", "-T", &input]);
    assert_eq!(cell(&run.stdout, "error_rate"), "0.125000");
    assert!(
        run.stderr.contains("record 1: the number of differences (NM) is negative"),
        "{}",
        run.stderr
    );
    assert_eq!(
        json(&["stats", "-q", "--json", &input])["files"][0]["alignment"]["edit_distance"],
        1
    );
    // As samtools, whose rate has no sign.
    let run = biofast(&["stats", "-q", "--format", "samtools", &input]);
    assert!(run.stdout.contains("SN\tmismatches:\t-6\t"), "{}", run.stdout);
}

#[test]
fn hard_clips_have_a_bound_in_the_rows_of_samtools() {
    let with = |cigar: &str, flags: u16| {
        let read = format!("r\t{flags}\ta\t1\t60\t{cigar}\t*\t0\t0\tACGT\tIIII\n");
        format!("@SQ\tSN:a\tLN:100\n{read}")
    };
    let sam = with("268435455H4M268435455H", 0);
    let args = ["stats", "-q", "--format", "samtools", "-"];
    let run = ok_with(&args, sam.as_bytes());
    assert!(run.stdout.contains("SN\tmaximum length:\t4194308\n"));
    assert!(run.stdout.contains("RL\t4194308\t1\n"));
    let rows = |stdout: &str, name: &str| {
        stdout.lines().filter(|line| line.split('\t').next() == Some(name)).count()
    };
    // So many behind the longest sequence, all of zeros.
    assert_eq!(rows(&run.stdout, "FFQ"), 4 + (1 << 17));
    // As samtools up to there.
    let run = biofast_with(&args, with("100000H4M", 0).as_bytes());
    assert_eq!(rows(&run.stdout, "FFQ"), 100_004);

    // Mismatches lie where the clips say, and cost no more than their rows.
    let folder = Folder::new();
    let fasta = folder.file("a.fa", format!(">a\nTTTT{}\n", "A".repeat(96)));
    let args = ["stats", "-q", "--format", "samtools", "-r", &fasta, "-"];
    let run = ok_with(&args, with("4M268435455H", 16).as_bytes());
    assert_eq!(rows(&run.stdout, "MPC"), 4 + (1 << 17) + 1 + 3);
    let found = |line: &&str| line.starts_with("MPC\t4194308\t");
    let line = run.stdout.lines().find(found).unwrap();
    assert!(line.ends_with("\t0\t1"), "{line}");
}

#[test]
fn encodings_need_evidence_and_mixtures_are_said() {
    let folder = Folder::new();
    let reads = |qualities: &[&str]| {
        let read = |quality: &&str| format!("@r\n{}\n+\n{quality}\n", "A".repeat(quality.len()));
        folder.file("x.fq", qualities.iter().map(read).collect::<String>())
    };
    let encoding = |path: &str| {
        let report = json(&["stats", "-q", "--json", path]);
        report["files"][0]["quality"]["encoding"].as_str().unwrap().to_owned()
    };
    for good in [
        &["IKLN"][..],
        &["SSSTTRQPON", "UUSSQQPPLL"],
        &["??????????"],
        &["~~~~~~~~~~", "IIIIgghh~~"],
    ] {
        let path = reads(good);
        assert_eq!(encoding(&path), "phred33", "{good:?}");
        let run = biofast(&["stats", &path]);
        assert_eq!(run.stderr, "", "{good:?}");
        assert_eq!(biofast(&["check", &path]).stdout.matches("warning").count(), 0, "{good:?}");
    }
    for (odd, (name, warning), says) in [
        (
            &["hhhhgggfeedBBBB", "hhgffeeeddddccB"][..],
            ("probably-phred64", "qualities look like Phred+64 but were read as Phred+33"),
            "look like Phred+64",
        ),
        (
            &["#5?I", "Bdgh"],
            ("probably-mixed", "qualities that look like Phred+64, and others have Phred+33"),
            "look mixed",
        ),
    ] {
        let path = reads(odd);
        assert_eq!(encoding(&path), name);
        let run = biofast(&["stats", &path]);
        assert!(run.stderr.contains(warning), "{}", run.stderr);
        let run = biofast(&["check", &path]);
        assert!(run.code == 0 && run.stdout.contains(says), "{}", run.stdout);
        let limits = folder.file("limits.txt", "number-of-reads off");
        let run = biofast(&[
            "stats", "--library", "any", "--limits", &limits, "--fail-on", "fail", &path,
        ]);
        assert!(run.code == 1 && run.stderr.contains("old-encoding"), "{}", run.stderr);
    }
    // Reads of half the merged files are old.
    let new = folder.file("new.fq", "@r\nACGT\n+\n#5?I\n");
    let old = folder.file("old.fq", "@r\nACGT\n+\nBdgh\n");
    let parts = [(new, "new.json"), (old, "old.json")].map(|(path, name)| {
        let report = text(&folder.path(name));
        ok(&["stats", "-q", "--json", "-o", &report, &path]);
        report
    });
    let merged = json(&["merge", "-q", "--json", "--sample", "s", &parts[0], &parts[1]]);
    assert_eq!(merged["files"][0]["quality"]["encoding"], "probably-mixed");
}

#[test]
fn reports_that_contradict_themselves_or_their_plan_are_not_merged() {
    let folder = Folder::new();
    let sam = folder.file("x.sam", pairs(7, 20));
    let fastq = folder.file("x.fq", "@a\nACGT\n+\nIIII\n@b\nACGN\n+\nII#I\n@c\n\n+\n\n");
    let report = |input: &str| json(&["stats", "-q", "--json", input]);
    let refused = |report: &Value, field: &str| {
        let path = folder.file("odd.json", report.to_string());
        fails(&["merge", "--json", &path], &["odd.json", field]);
    };
    type Change = fn(&mut Value);
    let of_reads: [(&str, Change); 5] = [
        ("'length.histogram'", |file| file["reads"] = 4.into()),
        ("'length.histogram'", |file| file["bases"] = 9.into()),
        ("'quality.histogram'", |file| file["quality"]["histogram"][0][1] = 2.into()),
        ("'quality.read_mean_histogram'", |file| {
            file["quality"]["read_mean_histogram"][0][1] = 3.into()
        }),
        ("'positions'", |file| file["positions"][0]["bases"][0] = 5.into()),
    ];
    for (field, change) in of_reads {
        let mut odd = report(&fastq);
        change(&mut odd["files"][0]);
        refused(&odd, field);
    }
    let of_alignments: [(&str, Change); 7] = [
        ("'references'", |file| file["references"][0]["mapped"] = 1.into()),
        ("'mapping_quality'", |file| file["mapping_quality"][0][1] = 1.into()),
        ("'records'", |file| file["records"]["passed"]["total"] = 1.into()),
        ("'insert_size.histogram'", |file| file["insert_size"]["pairs"] = 1.into()),
        ("'alignment.operations'", |file| file["alignment"]["aligned_bases"] = 1.into()),
        ("'coverage.histogram'", |file| file["references"][0]["depth_bases"] = 1.into()),
        ("'coverage.histogram'", |file| file["references"][0]["covered"] = 1.into()),
    ];
    for (field, change) in of_alignments {
        let mut odd = report(&sam);
        change(&mut odd["files"][0]);
        refused(&odd, field);
    }
    // A shard that says it is of more records than its report counts.
    let plan = text(&folder.path("plan.json"));
    ok(&["shards", "-q", "--number", "2", "-o", &plan, &fastq]);
    let shard = format!("{plan}#1");
    let mut odd = json(&["stats", "-q", "--json", "--shard", &shard]);
    odd["parts"][0]["shard"]["pieces"][0]["records"][1] = 9.into();
    refused(&odd, "contradicts its plan");
}

#[test]
fn mosdepth_totals_leave_out_references_without_reads_and_say_so() {
    let folder = Folder::new();
    let bases = "A".repeat(50);
    let mut sam =
        "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:100\n@SQ\tSN:chr2\tLN:900\n".to_owned();
    for start in [1, 51] {
        let _ = writeln!(sam, "r\t0\tchr1\t{start}\t60\t50M\t*\t0\t0\t{bases}\t*");
    }
    let input = folder.file("x.sam", sam);
    let prefix = text(&folder.path("x"));
    let run = biofast(&["coverage", "--prefix", &prefix, &input]);
    assert!(
        run.stderr.contains("1 reference without reads") && run.stderr.contains("(900 bases)"),
        "{}",
        run.stderr
    );
    let summary = std::fs::read_to_string(format!("{prefix}.mosdepth.summary.txt")).unwrap();
    // Least depths are those of 0.3.14.
    assert_eq!(
        summary,
        "chrom\tlength\tbases\tmean\tmin\tmax\nchr1\t100\t100\t1.00\t1\t1\ntotal\t100\t100\t1.00\t1\t1\n"
    );
    let table = biofast(&["coverage", "--quiet", "--format", "tsv", &input]).stdout;
    assert_eq!((cell(&table, "length"), cell(&table, "mean")), ("1000", "0.10"));
    let tsv = biofast(&["stats", "-q", "-T", &input]).stdout;
    assert_eq!(cell(&tsv, "mean_depth"), "0.10");
}

#[test]
fn the_cap_of_picards_coverage_is_an_option_and_named() {
    let folder = Folder::new();
    let mut sam = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:300\n".to_owned();
    for read in 0..250 {
        let _ = writeln!(
            sam,
            "r{read}\t0\tchr1\t101\t60\t50M\t*\t0\t0\t{}\t{}",
            "A".repeat(50),
            "I".repeat(50)
        );
    }
    let input = folder.file("x.sam", sam);
    let targets = folder.file("t.bed", "chr1\t100\t150\n");
    let median = |cap: &[&str]| {
        let out = text(&folder.path("qc"));
        let args = ["stats", &input, "--out-dir", &out, "--qc", "hs", "--targets", &targets];
        let run = ok(&[&args[..], cap].concat());
        let hs = std::fs::read_to_string(folder.path("qc/x.hs_metrics")).unwrap();
        let rows: Vec<&str> =
            hs.lines().skip_while(|line| !line.starts_with("BAIT_SET")).take(2).collect();
        let table = rows.join("\n");
        std::fs::remove_dir_all(&out).unwrap();
        (cell(&table, "MEDIAN_TARGET_COVERAGE").to_owned(), run.stderr)
    };
    // As in Picard 3.4, the cap is of the sensitivity alone.
    let (capped, warning) = median(&[]);
    assert_eq!(capped, "250");
    assert!(
        warning.contains("50 target bases are deeper than 200")
            && warning.contains("--coverage-cap"),
        "{warning}"
    );
    let (deep, warning) = median(&["--coverage-cap", "255"]);
    assert_eq!((deep.as_str(), warning.contains("deeper")), ("250", false));
    fails(&["stats", &input, "--coverage-cap", "9"], &["--coverage-cap"]);
}
