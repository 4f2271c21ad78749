//! Picard's metrics of `stats --out-dir` beside Picard 2.27 and 3.4, row for row. Picard 3.4 refuses records whose mates contradict
//! them.

use biofast_testkit::sam;

use crate::common::coverage::at;
use crate::common::stats_picard::{ALL, records, rows};
use crate::common::{Folder, biofast, text};
use crate::tools::{self, corpus, need};

/// Runs one of the programs of Picard of a version; its plots are left to a script that does nothing.
fn picard(folder: &Folder, version: &str, args: &[&str]) {
    let script = folder.file("Rscript", "#!/bin/sh\nexit 0\n");
    let set = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, set).unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let (mut command, args) = match version {
        "picard=2.27" => (need("PicardCommandLine"), args),
        _ => (tools::picard(args[0]), &args[1..]),
    };
    let run = command
        .args(args)
        .args(["--VALIDATION_STRINGENCY", "SILENT", "--QUIET", "--VERBOSITY", "ERROR"])
        .env("PATH", format!("{}:{path}", text(&folder.path(""))))
        .output()
        .unwrap();
    assert!(run.status.success(), "{args:?}: {}", String::from_utf8_lossy(&run.stderr));
}

fn compare_all(folder: &Folder, input: &str, reference: Option<&str>, version: &str) {
    let own = at(folder, "own");
    let fasta = reference.map_or(vec![], |fasta| vec!["-r", fasta]);
    let run = ["stats", "--quiet", input, "--out-dir", &own, "--sample", "x"];
    let run = biofast(&[&run[..], &["--qc", "picard", "--compat", version], &fasta].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let theirs = at(folder, "theirs");
    let mut args = vec!["CollectMultipleMetrics", "-I", input, "-O", &theirs, "--PROGRAM", "null"];
    let wanted = if reference.is_some() { &ALL[..6] } else { &ALL[..5] };
    wanted.iter().for_each(|(_, program)| args.extend(["--PROGRAM", program]));
    if let Some(fasta) = reference {
        args.extend(["-R", fasta]);
    }
    picard(folder, version, &args);
    for (ending, program) in ALL {
        let (found, expected) =
            (rows(folder, &format!("own/x.{ending}")), rows(folder, &format!("theirs.{ending}")));
        assert!(reference.is_none() || !found.is_empty(), "{program}");
        assert!(found == expected, "{program} of {input}:\n{found}\n{expected}");
    }
}

#[test]
#[ignore = "needs Picard 2.27"]
fn metrics_are_those_of_picard() {
    for seed in [4, 7] {
        let folder = Folder::new();
        let input = folder.file("x.sam", records(seed, false));
        let fasta = folder.file("ref.fa", sam::fasta(seed));
        let mut dictionary = String::from("@HD\tVN:1.6\n");
        for (name, length) in sam::REFERENCES {
            dictionary += &format!("@SQ\tSN:{name}\tLN:{length}\n");
        }
        folder.file("ref.dict", dictionary);
        compare_all(&folder, &input, (seed == 7).then_some(&fasta), "picard=2.27");
    }
}

#[test]
#[ignore = "needs multiqc"]
fn multiqc_reads_the_metrics() {
    let folder = Folder::new();
    // Without OQ tags: MultiQC 1.35 passes over Picard's quality distribution where it has a column of them.
    let input = folder.file("lane1.sam", records(8, false));
    let fasta = folder.file("ref.fa", sam::fasta(8));
    let (qc, out) = (at(&folder, "qc"), at(&folder, "out"));
    let run = ["stats", "--quiet", &input, "-r", &fasta, "--out-dir", &qc, "--qc", "picard"];
    assert_eq!(biofast(&run).code, 0);
    let run =
        need("multiqc").args(["--quiet", "--no-version-check", "-o", &out, &qc]).output().unwrap();
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

/// Third-party files.
mod corpus {
    use super::*;

    #[test]
    #[ignore = "needs Picard 2.27 and 3.4 and the corpus"]
    fn metrics_of_real_alignments_are_those_of_picard() {
        let real = corpus("real/ecoli_k12_minimap2.bam");
        for version in ["picard=2.27", "picard=3.4"] {
            compare_all(&Folder::new(), real.to_str().unwrap(), None, version);
        }
    }
}
