//! Depths beside mosdepth, coverage of deep targets beside Picard 3.4, qualities beside seqkit, damaged fields beside samtools 1.24.

use std::fmt::Write as _;
use std::path::Path;

use biofast_testkit::random::Random;
use serde_json::Value;

use crate::common::{Folder, biofast, text};
use crate::tools::{need, picard, run, samtools_of_pysam};

/// Pairs, many of which overlap, with duplicates, failed, secondary and supplementary records; sorted.
fn pairs(seed: u64, count: usize) -> String {
    let mut random = Random(seed);
    let mut records: Vec<((usize, u64), String)> = Vec::new();
    for number in 0..count {
        let reference = random.below(2);
        let start = 1 + random.below_u64(6000);
        let mate = start + random.below_u64(150);
        let extra = [0, 0, 0, 0, 0x400, 0x200, 0x100, 0x800][random.below(8)];
        let flags = [[99, 147], [163, 83], [97, 145], [0, 16]][random.below(4)];
        for (flags, own, other) in [(flags[0], start, mate), (flags[1], mate, start)] {
            let cigars = ["50M", "50M", "20M5D30M", "10S40M", "30M700N20M", "20M2I28M"];
            let cigar = cigars[random.below(cigars.len())];
            let paired = flags & 1 != 0;
            let (next, other) = if paired { ("=", other) } else { ("*", 0) };
            let bases = random.below(7) > 0;
            let (bases, qualities) =
                if bases { ("A".repeat(50), "I".repeat(50)) } else { ("*".into(), "*".into()) };
            let line = format!(
                "p{number}\t{}\t{}\t{own}\t60\t{cigar}\t{next}\t{other}\t0\t{bases}\t{qualities}\n",
                flags | extra,
                ["a", "b"][reference]
            );
            records.push(((reference, own), line));
        }
    }
    records.sort_by_key(|record| record.0);
    let mut sam = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:a\tLN:8000\n@SQ\tSN:b\tLN:8000\n".to_owned();
    records.iter().for_each(|record| sam += &record.1);
    sam
}

#[test]
#[ignore = "needs mosdepth"]
fn the_depth_of_stats_is_that_of_mosdepth() {
    need("mosdepth");
    let folder = Folder::new();
    for seed in 1..7 {
        let sam = folder.file("x.sam", pairs(seed, 400));
        let bam = text(&folder.path("x.bam"));
        assert_eq!(biofast(&["sort", "-q", "--write-index", "-o", &bam, &sam]).code, 0);
        let prefix = text(&folder.path("theirs"));
        run(need("mosdepth").env("MOSDEPTH_PRECISION", "6").args(["-n", &prefix, &bam]));
        let summary = std::fs::read_to_string(format!("{prefix}.mosdepth.summary.txt")).unwrap();
        let report = biofast(&["stats", "-q", "--json", &bam]).stdout;
        let report: Value = serde_json::from_str(&report).unwrap();
        let file = &report["files"][0];
        let mut compared = 0;
        for row in summary.lines().skip(1) {
            let cells: Vec<&str> = row.split('\t').collect();
            if cells[0] == "total" {
                let mean = file["coverage"]["mean_depth"].as_f64().unwrap();
                // Both are rounded, halves to either side.
                let theirs: f64 = cells[3].parse().unwrap();
                assert!((mean - theirs).abs() < 1.1e-6, "{mean} {theirs} of seed {seed}");
            } else {
                let references = file["references"].as_array().unwrap();
                let own = references.iter().find(|own| own["name"] == cells[0]).unwrap();
                assert_eq!(own["depth_bases"].to_string(), cells[2], "{} of seed {seed}", cells[0]);
            }
            compared += 1;
        }
        assert_eq!(compared, 3);
    }
}

/// The metrics of a file of Picard, and its histogram.
fn metrics(path: &Path) -> (Vec<(String, String)>, String) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().skip_while(|line| !line.starts_with("## METRICS CLASS")).skip(1);
    let mut cells = || lines.next().unwrap().split('\t').map(str::to_owned).collect::<Vec<_>>();
    let (names, values) = (cells(), cells());
    let histogram = text.split("## HISTOGRAM").nth(1).unwrap_or_default().to_owned();
    (names.into_iter().zip(values).collect(), histogram)
}

#[test]
#[ignore = "needs Picard 3"]
fn deep_coverage_is_that_of_picard_3_with_a_cap() {
    compare_deep_coverage(&[Some("37")]);
}

// Picard's time for HET_SNP_SENSITIVITY grows with the square of the cap.
#[test]
#[ignore = "needs Picard 3"]
fn deep_coverage_is_that_of_picard_3_with_a_high_cap_and_without_one_in_minutes() {
    compare_deep_coverage(&[None, Some("900")]);
}

fn compare_deep_coverage(caps: &[Option<&str>]) {
    let folder = Folder::new();
    let mut random = Random(5);
    let reference: String = (0..1200).map(|_| char::from(b"ACGT"[random.below(4)])).collect();
    let fasta = folder.file("r.fa", format!(">c\n{reference}\n"));
    let mut records: Vec<(usize, String)> = (0..3000)
        .map(|read| {
            // Most of them on one target.
            let start = if read % 8 == 0 { random.below(1000) } else { 280 + random.below(60) };
            let qualities: String =
                (0..100).map(|_| char::from(b"IIIIIIIF5,#"[random.below(11)])).collect();
            let bases = &reference[start..start + 100];
            let mapq = [60, 60, 60, 3][random.below(4)];
            let flags = [0, 16, 0, 1024][random.below(4)];
            let line = format!(
                "r{read}\t{flags}\tc\t{}\t{mapq}\t100M\t*\t0\t0\t{bases}\t{qualities}\n",
                start + 1
            );
            (start, line)
        })
        .collect();
    records.sort_by_key(|record| record.0);
    let mut sam = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:1200\n@RG\tID:1\tSM:s\n".to_owned();
    records.iter().for_each(|record| sam += &record.1);
    let input = folder.file("x.sam", sam);
    let targets = "@HD\tVN:1.6\n@SQ\tSN:c\tLN:1200\nc\t301\t430\t+\tone\nc\t801\t850\t+\ttwo\n";
    let targets = folder.file("t.interval_list", targets);
    run(samtools_of_pysam(&["faidx", &fasta]).env("LC_ALL", "C"));
    run(samtools_of_pysam(&["dict", &fasta, "-o", &text(&folder.path("r.dict"))])
        .env("LC_ALL", "C"));
    for &cap in caps {
        let out = text(&folder.path("own"));
        let args = [
            "stats", "-q", &input, "--out-dir", &out, "--qc", "wgs,hs", "-r", &fasta, "--targets",
            &targets,
        ];
        let own_cap = cap.map_or(vec![], |cap| vec!["--coverage-cap", cap]);
        let found = biofast(&[&args[..], &own_cap].concat());
        assert_eq!(found.code, 0, "{}", found.stderr);
        let their_cap = cap.map_or(vec![], |cap| vec!["--COVERAGE_CAP", cap]);
        for (tool, name) in [("CollectWgsMetrics", "wgs"), ("CollectHsMetrics", "hs")] {
            let theirs = text(&folder.path(&format!("{name}.txt")));
            let mut command = picard(tool);
            command.args([
                "-I", &input, "-R", &fasta, "-O", &theirs, "--VALIDATION_STRINGENCY", "SILENT",
            ]);
            if name == "hs" {
                command.args(["-TI", &targets, "-BI", &targets]);
            }
            run(command.args(&their_cap));
            let (own, own_histogram) = metrics(&folder.path(&format!("own/x.{name}_metrics")));
            let (theirs, histogram) = metrics(Path::new(&theirs));
            assert_eq!(own, theirs, "{name}, cap {cap:?}");
            // Of targets biofast counts qualities up to the cap, as Picard before version 3.
            let columns = if name == "hs" { 2 } else { 3 };
            let of = |text: &str| -> Vec<Vec<String>> {
                let rows = text.lines().map(|row| row.split('\t').take(columns).map(str::to_owned));
                rows.map(Iterator::collect).collect()
            };
            assert_eq!(of(&own_histogram), of(&histogram), "{name}, cap {cap:?}");
            let value =
                |column: &str| theirs.iter().find(|(own, _)| own == column).unwrap().1.clone();
            if name == "hs" {
                assert!(value("MEDIAN_TARGET_COVERAGE").parse::<f64>().unwrap() > 200.0);
            }
        }
        std::fs::remove_dir_all(&out).unwrap();
    }
}

#[test]
#[ignore = "needs seqkit"]
fn mean_qualities_of_reads_are_those_of_seqkit() {
    let folder = Folder::new();
    let mut random = Random(3);
    let mut fastq = String::new();
    for read in 0..500 {
        let len = 1 + random.below(60);
        // From all qualities, or from high ones alone.
        let lowest = [33, 33, 90, 120][random.below(4)];
        let qualities: String =
            (0..len).map(|_| char::from((lowest + random.below(127 - lowest)) as u8)).collect();
        let _ = write!(fastq, "@r{read}\n{}\n+\n{qualities}\n", "A".repeat(len));
    }
    let path = folder.file("x.fq", fastq);
    let theirs = run(need("seqkit").args(["fx2tab", "-n", "-q", &path]));
    let theirs = String::from_utf8(theirs.stdout).unwrap();
    let own = biofast(&["stats", "-q", "--per-read", &path]).stdout;
    let mut compared = 0;
    for (own, theirs) in own.lines().skip(1).zip(theirs.lines()) {
        let own: f64 = own.split('\t').nth(2).unwrap().parse().unwrap();
        let theirs: f64 = theirs.split('\t').next_back().unwrap().parse().unwrap();
        // Halves are rounded to either side.
        assert!((own - theirs).abs() < 0.0101, "{own} {theirs}");
        compared += 1;
    }
    assert_eq!(compared, 500);
}

#[test]
#[ignore = "needs samtools of pysam"]
fn mismatches_of_samtools_have_their_sign() {
    let folder = Folder::new();
    let mut random = Random(9);
    for case in 0..5 {
        let mut sam = "@HD\tVN:1.6\n@SQ\tSN:a\tLN:1000\n".to_owned();
        for read in 0..40 {
            let nm = random.below(30) as i64 - 20 * (case % 2);
            let at = 1 + random.below(900);
            let _ = writeln!(
                sam,
                "r{read}\t0\ta\t{at}\t60\t4M\t*\t0\t{}\tACGT\tIIII\tNM:i:{nm}",
                i32::MIN + 1
            );
        }
        let input = folder.file("x.sam", sam);
        let theirs = run(&mut samtools_of_pysam(&["stats", &input]));
        let theirs = String::from_utf8(theirs.stdout).unwrap();
        let own = biofast(&["stats", "-q", "--format", "samtools", &input]).stdout;
        let lines = |text: &str| -> Vec<String> {
            let wanted = ["SN\tmismatches", "SN\terror rate", "SN\tinsert size"];
            text.lines()
                .filter(|line| wanted.iter().any(|own| line.starts_with(own)))
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(lines(&own), lines(&theirs), "case {case}");
        assert!(lines(&own).len() >= 4);
    }
}
