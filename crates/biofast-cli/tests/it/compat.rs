//! `--compat`: reports in the form of another version of their program, and where the option has no effect.

use biofast_testkit::sam;

use crate::common::alignment_stats::SORTED;
use crate::common::coverage::at;
use crate::common::stats_wgs_hs::{intervals, metrics, records};
use crate::common::{Folder, fails, ok, silent};

/// Records by which the two versions of `samtools stats` differ in every way they do.
const ODD: &str = "@SQ\tSN:c\tLN:100\n\
    a\t163\tc\t11\t60\t7M\t=\t11\t7\tACGTACG\tIIIIIII\n\
    a\t83\tc\t11\t60\t4M\t=\t11\t-7\tACGT\tIII5\n\
    b\t163\tc\t3\t9\t4M\t=\t3\t4\tACGT\tIIII\n\
    b\t83\tc\t3\t9\t4M\t=\t3\t-4\tACGT\tIIII\n";

#[test]
fn every_difference_of_samtools_stats_is_in_one_of_its_versions() {
    let folder = Folder::new();
    let input = folder.file("x.sam", ODD);
    let stats = |compat: &[&str]| {
        silent(&[&["stats", "--format", "samtools", &input], compat].concat()).stdout
    };
    let now = stats(&[]);
    assert_eq!(
        now.lines().skip(3).collect::<Vec<_>>(),
        stats(&["--compat", "samtools=1.24"]).lines().skip(3).collect::<Vec<_>>()
    );
    let old = stats(&["--compat", "samtools=1.16"]);
    assert!(now.contains("format of 1.24") && old.contains("format of 1.16"));
    for (of_now, of_old) in [
        ("SN\tis sorted:\t0\t# not sorted by coordinate\n", "SN\tis sorted:\t0\n"),
        ("SN\tinward oriented pairs:\t2\n", "SN\tinward oriented pairs:\t0\n"),
        ("SN\toutward oriented pairs:\t0\n", "SN\toutward oriented pairs:\t2\n"),
        ("SN\taverage length:\t5\n", "SN\taverage length:\t4\n"),
        ("MAPQ\t9\t2\nMAPQ\t60\t2\n# Indel", "LRL\t7\t1\n# Indel"),
    ] {
        assert!(now.contains(of_now), "{now}");
        assert!(old.contains(of_old), "{old}");
    }
    assert!(old.contains("\nCOV\t") && old.contains("\nGCD\t"));
    assert!(!now.contains("COV") && !now.contains("GCD"));
    let checksums = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("CHK")).unwrap().to_owned();
        line.split('\t').map(str::to_owned).collect::<Vec<_>>()
    };
    let (now, old) = (checksums(&now), checksums(&old));
    assert_eq!(now[..3], old[..3]);
    assert_ne!(now[3], old[3]);
}

#[test]
fn bases_without_quality_have_no_part_in_means_of_samtools_coverage() {
    let folder = Folder::new();
    let text = "@SQ\tSN:c\tLN:100\nr\t0\tc\t1\t60\t4M\t*\t0\t0\tACGT\tIIII\nq\t0\tc\t1\t60\t4M\t*\t0\t0\t*\t*\n";
    let (input, none) =
        (folder.file("x.sam", text), folder.file("n.sam", "r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n"));
    let coverage = |args: &[&str]| {
        silent(&[&["coverage", "--format", "samtools-coverage"], args].concat()).stdout
    };
    assert!(coverage(&[&input]).ends_with("c\t1\t100\t2\t4\t4\t0.08\t40\t60\n"));
    let old = ["--compat", "samtools=1.16"];
    assert!(coverage(&[&[&input[..]], &old[..]].concat()).ends_with("\t0.08\t20\t60\n"));
    assert_eq!(coverage(&[&none]), "");
    assert!(coverage(&[&[&none[..]], &old[..]].concat()).starts_with("#rname\t"));
}

#[test]
fn depths_of_targets_are_capped_in_the_form_of_picard_2_and_parts_have_both_forms() {
    let folder = Folder::new();
    let input = folder.file("x.sam", records(5));
    let (targets, _, _) = intervals(&folder, 5);
    let (bam, plan) = (at(&folder, "x.bam"), at(&folder, "plan.json"));
    ok(&["view", "-b", &input, "-o", &bam]);
    ok(&["shards", "--number", "2", &bam, "-o", &plan]);
    let parts = ["1", "2"].map(|number| {
        let (shard, out) = (format!("{plan}#{number}"), at(&folder, &format!("{number}.json")));
        let args = ["stats", "--quiet", "--json", "--shard", &shard, "--qc", "hs", "-o", &out];
        silent(&[&args[..], &["--targets", &targets]].concat());
        out
    });
    let mut found = Vec::new();
    for (version, rules) in [("picard=2.27", "Picard 2.27"), ("picard=3.4", "Picard 3.4")] {
        let (whole, merged) = (at(&folder, "whole"), at(&folder, "merged"));
        let compat = ["--quiet", "--compat", version, "--qc", "hs", "--sample", "x", "--out-dir"];
        let args = [&["stats", &bam, "--targets", &targets], &compat[..], &[&whole]].concat();
        silent(&args);
        let args = [&["merge", &parts[0], &parts[1]], &compat[..], &[&merged]].concat();
        silent(&args);
        let read =
            |folder: &str| std::fs::read_to_string(format!("{folder}/x.hs_metrics")).unwrap();
        assert_eq!(read(&whole), read(&merged));
        assert!(read(&whole).contains(rules));
        found.push(read(&whole));
    }
    let (old, now) = (metrics(&found[0]), metrics(&found[1]));
    assert!(now["MAX_TARGET_COVERAGE"].parse::<u64>().unwrap() > 200);
    assert_eq!(old["MAX_TARGET_COVERAGE"], now["MAX_TARGET_COVERAGE"]);
    let last =
        |file: &str| file.trim_end().lines().last().unwrap().split('\t').next().unwrap().to_owned();
    assert_eq!(last(&found[0]), "200");
    assert_eq!(last(&found[1]), now["MAX_TARGET_COVERAGE"]);
}

#[test]
fn a_version_that_has_no_effect_is_refused() {
    let folder = Folder::new();
    let (bam, reads) =
        (folder.file("x.sam", sam::text(&SORTED)), folder.file("r.fq", "@r\nA\n+\nI\n"));
    let out = at(&folder, "out");
    let cases: [(&[&str], &str); 12] = [
        (&["stats", &bam, "--compat", "samtools=1.16"], "no report of samtools is written"),
        (
            &["stats", &bam, "--format", "samtools", "--compat", "picard=2.27"],
            "no report of picard is written",
        ),
        (
            &["stats", &bam, "--out-dir", &out, "--qc", "flagstat", "--compat", "samtools=1.16"],
            "no report of samtools is written",
        ),
        (
            &["stats", &reads, "--out-dir", &out, "--compat", "picard=3.4"],
            "no report of picard is written",
        ),
        (
            &["stats", &reads, "--out-dir", &out, "--qc", "json", "--compat", "fastqc=0.11.9"],
            "no report of fastqc is written",
        ),
        (&["stats", &reads, "--compat", "fastqc=0.11.9"], "no report of fastqc is written"),
        (
            &["stats", &reads, "--format", "fastqc", "--compat", "samtools=1.16"],
            "no report of samtools is written",
        ),
        (
            &["stats", &bam, "--json", "--partial", "lane", "--compat", "picard=3.4"],
            "--compat has no effect on a part",
        ),
        (
            &["stats", &bam, "--format", "samtools", "--compat", "samtools=1.16,samtools=1.24"],
            "takes one version",
        ),
        (
            &["coverage", &bam, "--format", "samtools-depth", "--compat", "samtools=1.16"],
            "no report of samtools is written",
        ),
        (
            &["sort", &bam, "-o", &out, "--compat", "samtools=1.16"],
            "no report of samtools is written",
        ),
        (
            &["stats", &bam, "--format", "samtools", "--compat", "samtools=1.17"],
            "samtools=1.16, samtools=1.24",
        ),
    ];
    for (args, expected) in cases {
        fails(args, &[expected]);
        assert!(!std::path::Path::new(&out).exists(), "{args:?}");
    }
}

#[test]
fn sums_of_mosdepth_0_3_3_begin_with_a_depth_of_0_and_its_windows_end_later() {
    let folder = Folder::new();
    // A reference that lies on the whole of 600 records.
    let mut text = String::from("@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:10\n");
    for read in 0..600 {
        text += &format!("r{read}\t0\tc\t1\t60\t10M\t*\t0\t0\t*\t*\n");
    }
    let input = folder.file("x.sam", text);
    let files = |compat: &[&str]| {
        let prefix = at(&folder, "x");
        let args = ["coverage", "--quiet", "--by", "10", "--prefix", &prefix, &input];
        silent(&[&args[..], compat].concat());
        ["summary", "region.dist"]
            .map(|name| std::fs::read_to_string(format!("{prefix}.mosdepth.{name}.txt")).unwrap())
    };
    let [now, now_windows] = files(&[]);
    let rows = |min: [u32; 4]| {
        let names = ["c", "c_region", "total", "total_region"];
        let row = |(name, min)| format!("{name}\t10\t6000\t600.00\t{min}\t600\n");
        names.into_iter().zip(min).map(row).collect::<String>()
    };
    assert!(now.ends_with(&rows([600; 4])), "{now}");
    assert!(now_windows.starts_with("c\t511\t1.00\n"), "{now_windows}");
    let [old, old_windows] = files(&["--compat", "mosdepth=0.3.3"]);
    assert!(old.ends_with(&rows([600, 0, 0, 0])), "{old}");
    assert!(old_windows.starts_with("c\t600\t1.00\n"), "{old_windows}");
}

#[test]
fn every_difference_of_fastqc_is_in_one_of_its_versions_and_reports_have_both() {
    let folder = Folder::new();
    // 70 bases of which the first 50 are two sequences, runs of A and G, and tiles.
    let read = |number: usize| {
        let bases = "ACGTTGCATTGACCATGGCATCAGTTCAGGATCCAGTTACGATCCATTACG".repeat(2);
        let (start, end) = (number % 2, ["G", "A"][number % 2].repeat(12 + number % 4));
        let bases = format!("{}{end}", &bases[start..start + 70 - end.len()]);
        let quality = ["I", "5"][number / 100 % 2].repeat(70);
        format!("@M:1:F:1:{}:5:6\n{bases}\n+\n{quality}\n", 1101 + number / 100 % 3)
    };
    let input = folder.file("x.fq", (0..11_000).map(read).collect::<String>());
    let (qc, old) = (at(&folder, "qc"), ["--compat", "fastqc=0.11.9"]);
    let run = |args: &[&str]| silent(args).stdout;
    run(&["stats", "--quiet", "--out-dir", &qc, "--qc", "json", &input]);
    let report = at(&folder, "qc/x.biofast.json");
    let text = |more: &[&str]| {
        let text = run(&[&["stats", "--format", "fastqc", &input], more].concat());
        for (command, from) in [("stats", &input), ("merge", &report)] {
            let out = at(&folder, command);
            let args = [command, "--quiet", "--out-dir", &out, "--qc", "fastqc", from];
            run(&[&args[..], more].concat());
            let file = folder.path(&format!("{command}/x_fastqc/fastqc_data.txt"));
            assert_eq!(std::fs::read_to_string(file).unwrap(), text, "{command}");
        }
        text
    };
    let (now, old) = (text(&[]), text(&old));
    assert_eq!(now, text(&["--compat", "fastqc=0.12.1"]));
    let has = |text: &str, line: &str| text.contains(&format!("{line}\n"));
    for (of_now, of_old) in [
        (
            "Total Sequences\t11000\nTotal Bases\t770 kbp",
            "Total Sequences\t11000\nSequences flagged",
        ),
        (
            "Nextera Transposase Sequence\tPolyA\tPolyG",
            "Transposase Sequence\tSOLID Small RNA Adapter",
        ),
        (
            "#Duplication Level\tPercentage of total",
            "#Duplication Level\tPercentage of deduplicated\tPercentage of total",
        ),
    ] {
        let of_old = of_old.trim_end();
        assert!(has(&now, of_now) && !now.contains(of_old), "{now}");
        assert!(old.contains(of_old) && !has(&old, of_now), "{old}");
    }
    let modules = |text: &str| crate::common::fastqc::modules(text);
    let (now, old) = (modules(&now), modules(&old));
    // Two sequences of 50 bases, four of 70.
    let sequences = |modules: &crate::common::fastqc::Modules| {
        modules["Overrepresented sequences"]
            .1
            .iter()
            .skip(1)
            .map(|row| row[0].len())
            .collect::<Vec<_>>()
    };
    assert_eq!((sequences(&now), sequences(&old)), (vec![50; 2], vec![70; 4]));
    let tiles = "Per tile sequence quality";
    assert_ne!(now[tiles].1, old[tiles].1);
}
