//! The coverage of genomes and of targets beside Picard 3.4 and 2.27, figure for figure.

use std::fmt::Write as _;

use biofast_testkit::effort::times;
use biofast_testkit::random::Random;

use crate::common::coverage::at;
use crate::common::stats_picard::rows;
use crate::common::stats_wgs_hs::{intervals, metrics, of_templates, records, reference, run};
use crate::common::{Folder, biofast};
use crate::tools::{self, corpus, need, picard_3, picard_each};

#[test]
#[ignore = "needs Picard 3.4 and 2.27"]
fn coverage_is_that_of_picard() {
    for version in VERSIONS {
        compare(version, Some("120"));
    }
}

// Picard's time for HET_SNP_SENSITIVITY grows with the square of the cap.
#[test]
#[ignore = "needs Picard 3.4 and 2.27"]
fn coverage_up_to_the_default_cap_is_that_of_picard_in_minutes() {
    for version in VERSIONS {
        compare(version, None);
    }
}

fn compare(version: &str, cap: Option<&str>) {
    let folder = Folder::new();
    let input = folder.file("x.sam", records(21));
    let fasta = reference(&folder, 21);
    let (targets, baits, _) = intervals(&folder, 21);
    let args = ["--qc", "wgs,hs", "-r", &fasta, "--targets", &targets, "--baits", &baits];
    let own_cap = cap.map_or(vec![], |cap| vec!["--coverage-cap", cap]);
    let their_cap = cap.map_or(vec![], |cap| vec!["--COVERAGE_CAP", cap]);
    let args = [&args[..], &["--compat", version], &own_cap].concat();
    let [wgs, hs] = run(&folder, &input, "own", &args);
    let (wgs_out, hs_out) = (at(&folder, "wgs.txt"), at(&folder, "hs.txt"));
    let both = ["-I", &input, "-R", &fasta, "-O"];
    picard(version, &[&["CollectWgsMetrics"][..], &both, &[&wgs_out], &their_cap].concat());
    assert_eq!(wgs, rows(&folder, "wgs.txt"));
    let of_targets = [&hs_out[..], "-TI", &targets, "-BI", &baits];
    picard(version, &[&["CollectHsMetrics"][..], &both, &of_targets, &their_cap].concat());
    assert_same_hs(&hs, &rows(&folder, "hs.txt"));
    assert!(hs.lines().count() > 110);
    // The input is one in which all kinds of bases occur.
    for (found, names) in [
        (metrics(&wgs), "MAPQ DUPE UNPAIRED BASEQ OVERLAP CAPPED"),
        (metrics(&hs), "MAPQ DUPE BASEQ OVERLAP OFF_TARGET"),
    ] {
        let others = match found.contains_key("PCT_100X") {
            true => ["PCT_100X", "HET_SNP_SENSITIVITY", "MEAN_COVERAGE"],
            false => ["HS_LIBRARY_SIZE", "NEAR_BAIT_BASES", "AT_DROPOUT"],
        };
        let excluded = names.split(' ').map(|name| format!("PCT_EXC_{name}"));
        for name in excluded.chain(others.map(String::from)) {
            assert!(!["", "0", "?"].contains(&found[&name[..]]), "{name}: {}", found[&name[..]]);
        }
    }
}

#[test]
#[ignore = "needs Picard 3.4 and 2.27"]
fn coverage_of_random_files_is_that_of_picard() {
    let number = u64::from(times(2));
    for first in (0..number).step_by(20) {
        let numbers = first..number.min(first + 20);
        let folders: Vec<Folder> = numbers.clone().map(|_| Folder::new()).collect();
        for (version, class_path) in
            [("picard=2.27", "/usr/share/java/picard.jar".into()), ("picard=3.4", picard_3())]
        {
            let (mut runs, mut own) = (Vec::new(), Vec::new());
            for (n, folder) in numbers.clone().zip(&folders) {
                let seed = 3 * n + 100;
                let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
                let input = folder.file("x.sam", of_templates(seed, 1 + random.below(500)));
                let fasta = reference(folder, 21);
                let (targets, baits, _) = intervals(folder, seed);
                let cap = (1 + random.below(90)).to_string();
                let args =
                    ["--qc", "wgs,hs", "-r", &fasta, "--targets", &targets, "--baits", &baits];
                own.push(run(
                    folder,
                    &input,
                    version,
                    &[&args[..], &["--coverage-cap", &cap, "--compat", version]].concat(),
                ));
                let [wgs, hs] = ["wgs.txt", "hs.txt"].map(|name| at(folder, name));
                for (tool, out, more) in [
                    ("CollectWgsMetrics", wgs, vec![]),
                    ("directed.CollectHsMetrics", hs, vec!["-TI", &targets, "-BI", &baits]),
                ] {
                    let tool = format!("analysis.{tool}");
                    let words =
                        [&tool, "-I", &input, "-R", &fasta, "-O", &out, "--COVERAGE_CAP", &cap];
                    let silent =
                        ["--VALIDATION_STRINGENCY", "SILENT", "--QUIET", "--VERBOSITY", "ERROR"];
                    let words = words.into_iter().chain(silent).chain(more);
                    runs.push(words.map(str::to_owned).collect());
                }
            }
            picard_each(class_path.as_os_str(), &folders[0], &runs);
            for ((n, folder), [wgs, hs]) in numbers.clone().zip(&folders).zip(own) {
                assert_eq!(wgs, rows(folder, "wgs.txt"), "{version} {n}");
                assert_same_hs(&hs, &rows(folder, "hs.txt"));
            }
        }
    }
}

/// The versions that are compared with.
const VERSIONS: [&str; 2] = ["picard=3.4", "picard=2.27"];

fn picard(version: &str, args: &[&str]) {
    let (mut command, args) = match version {
        "picard=2.27" => (need("PicardCommandLine"), args),
        _ => (tools::picard(args[0]), &args[1..]),
    };
    command.args(args).args(["--VALIDATION_STRINGENCY", "SILENT", "--QUIET"]);
    tools::run(command.args(["--VERBOSITY", "ERROR"]));
}

fn assert_same_hs(own: &str, theirs: &str) {
    let histogram = |rows: &str| {
        let lines = rows.lines().skip_while(|line| !line.starts_with("coverage_or_base_quality"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(histogram(own), histogram(theirs));
    let (own, theirs) = (metrics(own), metrics(theirs));
    assert_eq!(own.len(), theirs.len());
    for (name, value) in &own {
        assert_eq!(theirs.get(name), Some(value), "{name}");
    }
}

#[test]
#[ignore = "needs multiqc"]
fn multiqc_shows_the_coverage_of_genomes_and_targets() {
    let folder = Folder::new();
    let (input, fasta) = (folder.file("lane1.sam", records(5)), reference(&folder, 5));
    let (targets, _, _) = intervals(&folder, 5);
    let (qc, out) = (at(&folder, "qc"), at(&folder, "out"));
    let args = ["--qc", "wgs,hs", "-r", &fasta, "--targets", &targets];
    let run = ["stats", "--quiet", &input, "--out-dir", &qc];
    assert_eq!(biofast(&[&run[..], &args].concat()).code, 0);
    let run =
        need("multiqc").args(["--quiet", "--no-version-check", "-o", &out, &qc]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    for (module, name, columns) in [
        ("wgsmetrics", "wgs", vec!["MEAN_COVERAGE", "PCT_1X", "PCT_EXC_OVERLAP"]),
        ("HsMetrics", "hs", vec!["MEAN_TARGET_COVERAGE", "FOLD_ENRICHMENT", "ON_BAIT_BASES"]),
    ] {
        let own = rows(&folder, &format!("qc/lane1.{name}_metrics"));
        let own = metrics(&own);
        let path = folder.path("out/multiqc_data").join(format!("multiqc_picard_{module}.txt"));
        let table = std::fs::read_to_string(&path).unwrap_or_else(|_| {
            panic!(
                "{:?}",
                std::fs::read_dir(path.parent().unwrap())
                    .unwrap()
                    .map(|e| e.unwrap().file_name())
                    .collect::<Vec<_>>()
            )
        });
        let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let (head, row) = (lines.next().unwrap(), lines.next().unwrap());
        assert!(row[0].contains("lane1"), "{table}");
        for name in columns {
            let column = head.iter().position(|column| *column == name).unwrap();
            let (found, expected): (f64, f64) =
                (row[column].parse().unwrap(), own[name].parse().unwrap());
            assert!(found == expected && found > 0.0, "{name}: {found} {expected}");
        }
    }
}

/// Third-party files.
mod corpus {
    use super::*;

    #[test]
    #[ignore = "needs Picard 3.4 and 2.27 and the corpus"]
    fn coverage_of_real_exomes_is_that_of_picard() {
        let real = corpus("real/nf-cmgg_exome_10samples.bam");
        let folder = Folder::new();
        let mut list =
            String::from("@HD\tVN:1.6\n@SQ\tSN:chr21\tLN:10000000\n@SQ\tSN:chrX\tLN:10000000\n");
        for start in (5_000_001..9_900_000).step_by(3000) {
            let _ = writeln!(list, "chr21\t{start}\t{}\t+\tt", start + 900);
        }
        let targets = folder.file("exome.interval_list", list);
        let input = real.to_str().unwrap();
        for version in VERSIONS {
            let args = ["--qc", "hs", "--targets", &targets, "--compat", version];
            let [_, hs] = run(&folder, input, version, &args);
            let out = at(&folder, "hs.txt");
            let args = ["-I", input, "-O", &out, "-TI", &targets, "-BI", &targets];
            picard(version, &[&["CollectHsMetrics"][..], &args].concat());
            assert_same_hs(&hs, &rows(&folder, "hs.txt"));
            assert!(metrics(&hs)["MAX_TARGET_COVERAGE"].parse::<u64>().unwrap() > 200);
        }
    }
}
