//! Picard's metrics of `stats --out-dir`: row for row and figure for figure those of Picard 2.27.5, where it is installed.

use crate::common;

use std::path::Path;
use std::process::Command;

use biofast_testkit::random::Random;
use biofast_testkit::sam::{self, Shape};
use common::{Folder, assert_error, biofast, biofast_with, installed, text};

use crate::coverage::at;

/// Files of `CollectMultipleMetrics` and their programs; the last two need a reference.
const ALL: [(&str, &str); 7] = [
    ("alignment_summary_metrics", "CollectAlignmentSummaryMetrics"),
    ("insert_size_metrics", "CollectInsertSizeMetrics"),
    ("quality_by_cycle_metrics", "MeanQualityByCycle"),
    ("quality_distribution_metrics", "QualityScoreDistribution"),
    ("base_distribution_by_cycle_metrics", "CollectBaseDistributionByCycle"),
    ("gc_bias.detail_metrics", "CollectGcBiasMetrics"),
    ("gc_bias.summary_metrics", "CollectGcBiasMetrics"),
];

/// Records of all shapes, with the optional fields that matter, and starts of adapters.
pub(crate) fn records(seed: u64, oddities: bool) -> String {
    let shape = Shape { records: 3000, sorted: true, longest: 140, oddities, seed };
    let mut random = Random(seed);
    let adapter = "AGATCGGAAGAGCGGTTCAGCAGGAATGCCGAGACCGATCTCGTATGCCGTCTTCTGCTTG";
    let mut out = String::new();
    for line in sam::text(&shape).lines() {
        if line.starts_with('@') {
            out += &format!("{line}\n");
            continue;
        }
        let mut fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        if random.chance(10) && fields[9].len() > 16 {
            let start = random.below(adapter.len() - 16);
            let own = &adapter[start..adapter.len().min(start + fields[9].len())];
            fields[9].replace_range(..own.len(), own);
        }
        let bases = fields[9].len();
        if random.chance(50) {
            fields.push(format!("MQ:i:{}", [0, 19, 20, 60][random.below(4)]));
        }
        if random.chance(5) {
            fields.push("SA:Z:chr1,10,+,10M,60,0;".into());
        }
        if random.chance(5) {
            fields.push(format!("XN:i:{}", random.below(2)));
        }
        if seed % 2 == 1 && fields[10] != "*" {
            let letter = |_| char::from(33 + random.below(41) as u8);
            fields.push(format!("OQ:Z:{}", (0..bases).map(letter).collect::<String>()));
        }
        out += &format!("{}\n", fields.join("\t"));
    }
    out
}

/// Runs one of Picard's programs; its plots are left to a script that does nothing.
pub(crate) fn picard(folder: &Folder, args: &[&str]) {
    let script = folder.file("Rscript", "#!/bin/sh\nexit 0\n");
    let set = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, set).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let run = Command::new("PicardCommandLine")
        .args(args)
        .args(["--VALIDATION_STRINGENCY", "SILENT", "--QUIET", "--VERBOSITY", "ERROR"])
        .env("PATH", format!("{}:{path}", text(&folder.path(""))))
        .output()
        .unwrap();
    assert!(run.status.success(), "{args:?}: {}", String::from_utf8_lossy(&run.stderr));
}

/// The rows of a file, without the four lines that tell command and time.
pub(crate) fn rows(folder: &Folder, name: &str) -> String {
    let file = std::fs::read_to_string(folder.path(name)).unwrap_or_default();
    assert!(file.is_empty() || file.starts_with("## htsjdk.samtools.metrics.StringHeader\n# "));
    file.lines().skip(4).fold(String::new(), |all, line| all + line + "\n")
}

fn compare_all(folder: &Folder, input: &str, reference: Option<&str>) {
    let own = at(folder, "own");
    let fasta = reference.map_or(vec![], |fasta| vec!["-r", fasta]);
    let run = ["stats", "--quiet", input, "--out-dir", &own, "--sample", "x"];
    let run = biofast(&[&run[..], &["--qc", "picard"], &fasta].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let theirs = at(folder, "theirs");
    let mut args = vec!["CollectMultipleMetrics", "-I", input, "-O", &theirs, "--PROGRAM", "null"];
    let wanted = if reference.is_some() { &ALL[..6] } else { &ALL[..5] };
    wanted.iter().for_each(|(_, program)| args.extend(["--PROGRAM", program]));
    if let Some(fasta) = reference {
        args.extend(["-R", fasta]);
    }
    picard(folder, &args);
    for (ending, program) in ALL {
        let (found, expected) =
            (rows(folder, &format!("own/x.{ending}")), rows(folder, &format!("theirs.{ending}")));
        assert!(reference.is_none() || !found.is_empty(), "{program}");
        assert!(found == expected, "{program} of {input}:\n{found}\n{expected}");
    }
}

#[test]
fn metrics_are_those_of_picard() {
    if !installed("PicardCommandLine") {
        return;
    }
    for seed in [4, 7] {
        let folder = Folder::new();
        let input = folder.file("x.sam", records(seed, false));
        let fasta = folder.file("ref.fa", sam::fasta(seed));
        let mut dictionary = String::from("@HD\tVN:1.6\n");
        for (name, length) in sam::REFERENCES {
            dictionary += &format!("@SQ\tSN:{name}\tLN:{length}\n");
        }
        folder.file("ref.dict", dictionary);
        compare_all(&folder, &input, (seed == 7).then_some(&fasta));
    }
}

#[test]
fn metrics_of_real_alignments_are_those_of_picard() {
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/real");
    let real = real.join("ecoli_k12_minimap2.bam");
    if !real.exists() {
        return eprintln!("skipped: {} is not there", real.display());
    }
    if installed("PicardCommandLine") {
        compare_all(&Folder::new(), real.to_str().unwrap(), None);
    }
}

#[test]
fn format_order_threads_and_other_reports_make_no_difference() {
    for seed in [5, 8] {
        let folder = Folder::new();
        let sorted = records(seed, seed == 8);
        let (head, body): (Vec<&str>, Vec<&str>) =
            sorted.lines().partition(|line| line.starts_with('@'));
        let mut body = body;
        body.reverse();
        let unsorted = [head, body].concat().join("\n") + "\n";
        let unsorted = unsorted.replace("SO:coordinate", "SO:unsorted");
        let (input, other) = (folder.file("x.sam", &sorted), folder.file("y.sam", unsorted));
        let fasta = folder.file("ref.fa", sam::fasta(seed));
        let bam = at(&folder, "x.bam");
        assert_eq!(biofast(&["view", "--quiet", "-b", &input, "-o", &bam]).code, 0);
        let read = |part: &str| ALL.map(|(ending, _)| rows(&folder, &format!("{part}/s.{ending}")));
        let run = |part: &str, args: &[&str]| {
            let all = ["stats", "--quiet", "--sample", "s", "-r", &fasta, "--out-dir"];
            let run = biofast(&[&all[..], &[&at(&folder, part)], args].concat());
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
            read(part)
        };
        let expected = run("one", &[&input, "--qc", "picard", "-@", "1"]);
        for ((ending, _), text) in ALL.iter().zip(&expected) {
            // The summary is a single row below its columns.
            let least = if ending.ends_with("summary_metrics") { 3 } else { 10 };
            assert!(text.lines().filter(|line| !line.is_empty()).count() >= least, "{ending}");
        }
        let several = ["--chunk-size", "3000", "-@", "5"];
        assert!(run("five", &[&[&bam[..], "--qc", "picard"], &several[..]].concat()) == expected);
        assert!(run("unsorted", &[&other, "--qc", "picard", "-@", "3"]) == expected);
        // Cycles are counted once for samtools and Picard.
        assert!(run("all", &[&bam, "-@", "2"]) == expected);
        for (ending, name) in
            ["alignment-summary", "insert-size", "quality-by-cycle", "quality-distribution"]
                .iter()
                .zip(ALL)
        {
            let (name, (file, _)) = (*ending, name);
            let found = run(name, &[&bam, "--qc", name]);
            for (number, (other, _)) in ALL.iter().enumerate() {
                let wanted = if *other == file { &expected[number][..] } else { "" };
                assert!(found[number] == wanted, "{name}: {other}");
            }
        }
        let piped = ["stats", "--quiet", "-", "--sample", "s", "-r", &fasta, "--out-dir"];
        let out = at(&folder, "piped");
        let piped = [&piped[..], &[&out, "--qc", "picard"]].concat();
        assert_eq!(biofast_with(&piped, sorted.as_bytes()).code, 0);
        assert!(read("piped") == expected);
    }
}

#[test]
fn without_pairs_there_are_no_insert_sizes_and_bad_fields_are_told() {
    let folder = Folder::new();
    let sam = "@SQ\tSN:c\tLN:99\nr\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\n";
    let input = folder.file("x.sam", sam);
    let out = at(&folder, "qc");
    assert_eq!(biofast(&["stats", &input, "--out-dir", &out, "--qc", "picard"]).code, 0);
    assert!(!folder.path("qc/x.insert_size_metrics").exists());
    assert_eq!(
        rows(&folder, "qc/x.quality_distribution_metrics"),
        "\n\n## HISTOGRAM\tjava.lang.Byte\nQUALITY\tCOUNT_OF_Q\n40\t4\n\n"
    );
    let bam = at(&folder, "x.bam");
    assert_eq!(biofast(&["view", "--quiet", "-u", &input, "-o", &bam]).code, 0);
    let region = ["stats", &bam, "--out-dir", &out, "--qc", "insert-size", "--region", "c"];
    assert_error(&biofast(&region), &["--qc insert-size", "regions"]);
    let without = ["stats", &bam, "--out-dir", &out, "--qc", "gc-bias"];
    assert_error(&biofast(&without), &["--qc gc-bias", "--reference"]);
    let gone = ["stats", &input, "--out-dir", &out, "--qc", "picard", "-r", &at(&folder, "no.fa")];
    assert_error(&biofast(&gone), &["no.fa"]);
}

#[test]
fn multiqc_reads_the_metrics() {
    if !installed("multiqc") {
        return;
    }
    let folder = Folder::new();
    // Without OQ tags: MultiQC 1.35 passes over Picard's quality distribution where it has a column of them.
    let input = folder.file("lane1.sam", records(8, false));
    let fasta = folder.file("ref.fa", sam::fasta(8));
    let (qc, out) = (at(&folder, "qc"), at(&folder, "out"));
    let run = ["stats", "--quiet", &input, "-r", &fasta, "--out-dir", &qc, "--qc", "picard"];
    assert_eq!(biofast(&run).code, 0);
    let run = Command::new("multiqc")
        .args(["--quiet", "--no-version-check", "-o", &out, &qc])
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let read = |name: &str| {
        let path = folder.path("out/multiqc_data").join(format!("multiqc_picard_{name}.txt"));
        std::fs::read_to_string(path).unwrap_or_default()
    };
    // What a row of ours says is in MultiQC's table of the sample.
    let file = rows(&folder, "qc/lane1.alignment_summary_metrics");
    let row = file.lines().find(|line| line.starts_with("UNPAIRED")).unwrap();
    let reads: f64 = row.split('\t').nth(1).unwrap().parse().unwrap();
    let summary = read("AlignmentSummaryMetrics");
    assert!(
        reads > 100.0 && summary.contains(&format!("lane1\tUNPAIRED\t{reads:.1}\t")),
        "{summary}"
    );
    let file = rows(&folder, "qc/lane1.insert_size_metrics");
    let row =
        file.lines().skip_while(|line| !line.starts_with("MEDIAN_INSERT_SIZE\t")).nth(1).unwrap();
    let median: f64 = row.split('\t').next().unwrap().parse().unwrap();
    assert!(
        read("insertSize").contains(&format!("\tlane1\t{median:?}\t")),
        "{}",
        read("insertSize")
    );
    for name in ["baseContent", "quality_by_cycle", "quality_score_distribution"] {
        assert!(read(name).contains("lane1"), "{name}");
    }
}
