//! MultiQC reads the table of `stats -T` as seqkit's, the reports of `--format fastqc` as FastQC's and the
//! summary of `filter` as fastp's, with the figures that are in them. (Of the three reports of samtools, `alignment_stats.rs` shows it.)

use std::collections::HashMap;

use serde_json::Value;

use crate::common::{Folder, biofast, sample, text};
use crate::tools::{self, need};

#[test]
#[ignore = "needs multiqc"]
fn multiqc_shows_the_figures_of_the_table_and_of_the_summary() {
    let folder = Folder::new();
    let (r1, r2) = (sample("sample_R1.fq.bgz"), sample("sample_R2.fq.bgz"));
    let at = |name: &str| text(&folder.path(name));
    std::fs::create_dir(folder.path("in")).unwrap();
    let (table, summary) = (at("in/stats.tsv"), at("in/lane1.fastp.json"));
    assert_eq!(biofast(&["stats", "-T", &r1, &r2, "-o", &table]).code, 0);
    let filter =
        ["filter", "--quiet", &r1, &r2, "--min-mean-qual", "20", "--cut-tail", "--summary-stats"];
    let outputs = ["--summary", &summary, "-o", &at("1.fq"), "--out2", &at("2.fq")];
    assert_eq!(biofast(&[&filter[..], &outputs].concat()).code, 0);
    // Half of the reads of this one are copies.
    let bases = |i: usize| format!("{:030b}", i / 2).replace('0', "A").replace('1', "C");
    let copy = |i: usize| format!("@r{i}\n{}\n+\n{}\n", bases(i), "5".repeat(30));
    let copies = folder.file("copies.fq", (0..60).map(copy).collect::<String>());
    let fastqc = [
        "stats",
        &r1,
        &r2,
        &copies,
        "--out-dir",
        &at("in"),
        "--qc",
        "fastqc,seqkit,fastp,json,html",
    ];
    assert_eq!(biofast(&fastqc).code, 0);
    let mut multiqc = need("multiqc");
    multiqc.args(["--quiet", "--no-version-check", "-o", &at("out"), &at("in")]);
    let run = multiqc.output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let read = |name: &str| {
        std::fs::read_to_string(folder.path("out/multiqc_data").join(name)).unwrap_or_default()
    };
    let general = read("multiqc_general_stats.txt");
    let columns: Vec<&str> = general.lines().next().unwrap().split('\t').collect();
    let rows: HashMap<&str, Vec<&str>> = general
        .lines()
        .skip(1)
        .map(|line| (line.split('\t').next().unwrap(), line.split('\t').collect()))
        .collect();
    let number = |sample: &str, ending: &str| -> f64 {
        let column = columns.iter().position(|column| column.ends_with(ending));
        let column = column.unwrap_or_else(|| panic!("no column {ending}: {columns:?}"));
        rows[sample][column].parse().unwrap()
    };
    assert_eq!(number("sample_R1", "Q30_pct"), 90.28);
    assert_eq!(number("sample_R2", "sum_len") * 1e6, 375_000.0);
    assert_eq!(number("sample_R2", "fastqc-total_sequences") * 1e6, 2_500.0);
    // As many as the table of the report says, not 0.
    for name in ["sample_R1", "sample_R2", "copies"] {
        let data = format!("in/{name}_fastqc/fastqc_data.txt");
        let data = std::fs::read_to_string(folder.path(&data)).unwrap();
        let left = data.split("#Total Deduplicated Percentage\t").nth(1).unwrap();
        let left: f64 = left.lines().next().unwrap().parse().unwrap();
        assert!((number(name, "percent_duplicates") - (100.0 - left)).abs() < 1e-6);
        assert_eq!(name == "copies", left == 50.0, "{name}: {left}");
    }
    assert_eq!(number("copies", "pct_duplication"), 50.0);
    assert_eq!(number("copies", "pct_surviving_reads"), 100.0);
    for (name, some) in [
        ("per_base_sequence_quality", "(150, 3"),
        ("per_sequence_quality_scores", "(36.0, "),
        ("per_sequence_gc_content_plot_Counts", "(40.0, 143.5)"),
        ("per_base_n_content", "(150, "),
    ] {
        let name = if name.ends_with("Counts") { name.into() } else { format!("{name}_plot") };
        let plot = read(&format!("fastqc_{name}.txt"));
        assert!(plot.contains("sample_R1") && plot.contains(some), "{name}: {plot}");
    }
    let verdicts = read("multiqc_fastqc.txt");
    assert!(verdicts.contains("per_base_n_content") && verdicts.contains("\tfail\t"), "{verdicts}");
    // Nobody ran FastQC.
    assert!(!read("multiqc_software_versions.txt").contains("FastQC"));
    let json: Value = serde_json::from_slice(&std::fs::read(&summary).unwrap()).unwrap();
    let after = &json["summary"]["after_filtering"];
    let q30 = 100.0 * after["q30_rate"].as_f64().unwrap();
    // fastp's module has the curves before and after, and the reasons.
    assert!((number("lane1", "after_filtering_q30_rate") - q30).abs() < 1e-6, "{general}");
    for reads in ["Read_1_Before", "Read_2_After"] {
        assert!(read(&format!("fastp-seq-quality-plot_{reads}_filtering.txt")).contains("lane1"));
    }
    assert!(read("fastp_filtered_reads_plot.txt").contains("Low Quality"));
}

#[test]
#[ignore = "needs multiqc"]
fn multiqc_shows_every_panel_of_fastp_with_bars_that_add_up() {
    let folder = Folder::new();
    let (r1, r2) = (sample("sample_R1.fq.bgz"), sample("sample_R2.fq.bgz"));
    let at = |name: &str| text(&folder.path(name));
    std::fs::create_dir(folder.path("in")).unwrap();
    let filter = ["filter", "--quiet", "--preset", "fastp", "-i", &r1, "-I", &r2, "-l", "120"];
    let outputs = ["-o", &at("1.fq"), "--out2", &at("2.fq"), "--fastp-json", &at("in/x.json")];
    assert_eq!(biofast(&[&filter[..], &outputs].concat()).code, 0);
    let mut multiqc = need("multiqc");
    multiqc.args(["--quiet", "--no-version-check", "-o", &at("out"), &at("in")]);
    tools::run(&mut multiqc);
    let read = |name: &str| {
        std::fs::read_to_string(folder.path("out/multiqc_data").join(name)).unwrap_or_default()
    };
    // Mates of rejected reads are in the bars of these.
    let bars = read("fastp_filtered_reads_plot.txt");
    let row = bars.lines().nth(1).unwrap();
    let all: f64 =
        row.split('\t').skip(1).filter_map(|n| n.parse().ok()).filter(|n: &f64| !n.is_nan()).sum();
    assert_eq!(all, 5000.0, "{bars}");
    assert!(read("multiqc_general_stats.txt").contains("pct_duplication"));
    for panel in [
        "insert-size-plot",
        "seq-quality-plot_Read_2_After_filtering",
        "seq-content-n-plot_Read_1_Before_filtering",
    ] {
        assert!(!read(&format!("fastp-{panel}.txt")).is_empty(), "{panel}");
    }
}

#[test]
#[ignore = "needs multiqc"]
fn multiqc_reads_the_reports_of_the_preset_of_trim_galore() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    let at = |name: &str| text(&folder.path(name));
    let inserts = |i: usize| format!("{i:030b}").replace('0', "AC").replace('1', "TG");
    let read = |i: usize, adapter: &str| {
        // Every third pair is shorter than its reads.
        let bases =
            if i.is_multiple_of(3) { inserts(i)[..40].to_owned() + adapter } else { inserts(i) };
        let bases = &bases[..53];
        format!("@r{i}\n{bases}\n+\n{}\n", "I".repeat(bases.len()))
    };
    let file = |mate: usize, adapter: &str| {
        let reads = (0..900).map(|i| read(i, adapter)).collect::<String>();
        folder.file(&format!("lane1_R{mate}.fq"), reads)
    };
    let (r1, r2) = (file(1, "AGATCGGAAGAGCACAC"), file(2, "AGATCGGAAGAGCGTCG"));
    let filter = ["filter", "--quiet", "--preset", "trim-galore", &r1, &r2];
    let outputs = ["-o", &at("1.fq"), "--out2", &at("2.fq"), "--trim-galore-report"];
    let reports = ["1", "2"].map(|mate| at(&format!("in/lane1_R{mate}.fq_trimming_report.txt")));
    let reports = [&reports[0], "--trim-galore-report2", &reports[1]];
    assert_eq!(biofast(&[&filter[..], &outputs, &reports].concat()).code, 0);
    let (said, names) = seen(&folder, "in");
    assert_eq!(names, ["lane1_R1", "lane1_R2"], "{said}");
    assert!(said.contains("Found 2 reports") && !said.contains("WARNING"), "{said}");
    let data = folder.path("out-in/multiqc_data/multiqc_cutadapt.txt");
    let data = std::fs::read_to_string(data).unwrap();
    let columns: Vec<&str> = data.lines().next().unwrap().split('\t').collect();
    let number = |row: usize, name: &str| -> f64 {
        let place = columns.iter().position(|column| *column == name).unwrap();
        data.lines().nth(row).unwrap().split('\t').nth(place).unwrap().parse().unwrap()
    };
    for row in [1, 2] {
        assert_eq!(number(row, "r_processed"), 900.0);
        assert!(number(row, "r_with_adapters") >= 300.0);
        assert_eq!(number(row, "bp_processed"), 900.0 * 53.0);
        assert!(number(row, "bp_written") <= 900.0 * 53.0 - 300.0 * 13.0);
    }
}

/// What MultiQC says, and the names in its table.
fn seen(folder: &Folder, input: &str) -> (String, Vec<String>) {
    let out = folder.path(&format!("out-{input}"));
    let mut multiqc = need("multiqc");
    let run = multiqc.arg("--no-version-check").arg("-o").arg(&out).arg(folder.path(input));
    let run = tools::run(run);
    let said = String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).into_owned();
    let general = out.join("multiqc_data/multiqc_general_stats.txt");
    let general = std::fs::read_to_string(general).unwrap();
    let names = general.lines().skip(1).map(|line| line.split('\t').next().unwrap().to_owned());
    (said, names.collect())
}

#[test]
#[ignore = "needs multiqc"]
fn multiqc_has_a_row_for_each_sample_and_no_warning() {
    let folder = Folder::new();
    let (r1, r2) = (sample("sample_R1.fq.bgz"), sample("sample_R2.fq.bgz"));
    let at = |name: &str| text(&folder.path(name));
    let run = |args: &[&str]| {
        let run = biofast(args);
        assert_eq!(run.code, 0, "{}", run.stderr);
    };
    // Nobody has filtered these reads, and MultiQC doesn't say that all passed.
    run(&["stats", "--quiet", "--out-dir", &at("reads"), &r1, &r2]);
    let (said, names) = seen(&folder, "reads");
    assert_eq!(names, ["sample_R1", "sample_R2"], "{said}");
    assert!(!said.contains("fastp") && !said.contains("Could not"), "{said}");
    // Where fastp's form is asked for, its name is found.
    run(&[
        "stats",
        "--quiet",
        "--paired",
        "--qc",
        "fastp,seqkit",
        "--out-dir",
        &at("asked"),
        &r1,
        &r2,
    ]);
    let outputs = ["-o", &at("1.fq"), "--out2", &at("2.fq")];
    run(&[&["filter", "--quiet", &r1, &r2, "--summary", &at("asked/lane1.json")], &outputs[..]]
        .concat());
    let (said, names) = seen(&folder, "asked");
    assert_eq!(names, ["lane1", "sample_R1", "sample_R2"], "{said}");
    assert!(said.contains("Found 2 reports") && !said.contains("Could not"), "{said}");
    let shape = biofast_testkit::sam::SamShape {
        records: 900,
        sorted: true,
        longest: 100,
        oddities: false,
        seed: 3,
    };
    let sam = folder.file("x.sam", biofast_testkit::sam::text(&shape));
    let y = folder.file("y.sam", biofast_testkit::sam::text(&shape));
    run(&["stats", "--quiet", "--out-dir", &at("aligned"), &sam, &y]);
    let (said, names) = seen(&folder, "aligned");
    assert_eq!(names, ["x", "y"], "{said}");
    assert!(said.contains("Found 2 coverage reports") && !said.contains("WARNING"), "{said}");

    // All that can be written of alignments, and of duplicates.
    let bases = |length: usize| (0..length).map(|at| b"ACGGT"[at * at % 5] as char);
    let header = std::fs::read_to_string(&sam).unwrap();
    let lengths = header.lines().filter_map(|line| line.strip_prefix("@SQ\tSN:"));
    let lengths: Vec<(&str, usize)> = lengths
        .filter_map(|line| line.split_once("\tLN:"))
        .map(|(name, length)| (name, length.split('\t').next().unwrap().parse().unwrap()))
        .collect();
    let fasta = lengths
        .iter()
        .map(|(name, length)| format!(">{name}\n{}\n", bases(*length).collect::<String>()));
    let fasta = folder.file("x.fa", fasta.collect::<String>());
    let bed = folder.file("t.bed", format!("{}\t10\t{}\tt1\n", lengths[0].0, lengths[0].1 / 2));
    run(&[
        "stats",
        "--quiet",
        "--out-dir",
        &at("all"),
        "-r",
        &fasta,
        "--target-intervals",
        &bed,
        "--by",
        &bed,
        "--thresholds",
        "1,10",
        &sam,
    ]);
    let (json, picard) = (at("all/x.markdup.json"), at("all/x.dup_metrics"));
    let markdup = ["markdup", "--quiet", &sam, "-o", &at("m.bam")];
    run(&[&markdup[..], &["-f", &json, "--picard-metrics", &picard]].concat());
    // And of UMIs.
    let read = |(flags, own, other, length): (u16, u32, u32, i32)| {
        format!(
            "r\t{flags}\tc\t{own}\t60\t4M\t=\t{other}\t{length}\tACGT\tIIII\tRG:Z:a\tRX:Z:AAAA\tMQ:i:60\tMC:Z:4M\n"
        )
    };
    let pair: String = [(99, 10, 90, 84), (147, 90, 10, -84)].map(read).concat();
    let header = "@HD\tVN:1.6\tSO:unsorted\n@SQ\tSN:c\tLN:900\n@RG\tID:a\tSM:s\tLB:l\n";
    let umis = folder.file("umis.sam", header.to_owned() + &pair);
    let sorted = at("umis.bam");
    run(&["sort", "--quiet", "--template-coordinate", &umis, "-o", &sorted]);
    let group = ["umi", "group", "--quiet", "--strategy", "adjacency", &sorted, "-o", &at("g.bam")];
    let sizes = at("all/x.family_sizes.txt");
    run(&[&group[..], &["--family-size-histogram", &sizes]].concat());
    let (said, _) = seen(&folder, "all");
    for (module, report) in [
        ("fgbio", "groupreadsbyumi"),
        ("samtools", "stats"),
        ("samtools", "flagstat"),
        ("samtools", "idxstats"),
        ("samtools", "coverage"),
        ("samtools", "markdup"),
        ("picard", "AlignmentSummaryMetrics"),
        ("picard", "BaseDistributionByCycleMetrics"),
        ("picard", "GcBiasMetrics"),
        ("picard", "HsMetrics"),
        ("picard", "InsertSizeMetrics"),
        ("picard", "MarkDuplicates"),
        ("picard", "QualityByCycleMetrics"),
        ("picard", "QualityScoreDistributionMetrics"),
        ("picard", "WgsMetrics"),
    ] {
        let is_read = |line: &str| {
            line.contains(&format!("{module} | Found"))
                && line.contains(&format!(" {report} reports"))
        };
        assert!(said.lines().any(is_read), "{module} {report}: {said}");
    }
    assert!(said.contains("mosdepth | Found reports for 1 samples"), "{said}");
    let is_warning = |line: &str| {
        // Its own chart of one sample has a field that it doesn't know.
        ["WARNING", "ERROR", "Could not", "warnings while parsing"].iter().any(|w| line.contains(w))
            && !line.contains("mosdepth-coverage-per-contig-single")
    };
    assert!(!said.lines().any(is_warning), "{said}");
}
