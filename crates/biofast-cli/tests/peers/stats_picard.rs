//! Picard's metrics of `stats --out-dir` beside Picard 2.27 and 3.4, row for row. Picard 3.4 refuses records whose mates contradict
//! them.

use biofast_testkit::effort::times;
use biofast_testkit::random::Random;
use biofast_testkit::sam::{self, SamShape};
use biofast_testkit::small::{self, TemplateShape};

use crate::common::coverage::at;
use crate::common::stats_picard::{ALL, of_shape, records, rows};
use crate::common::{Folder, biofast, good, silent, text};
use crate::tools::{self, corpus, need, picard_3, picard_each};

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
    silent(&[&run[..], &["--qc", "picard", "--compat", version], &fasta].concat());
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
        write_reference(&folder, "ref", &sam::fasta(seed));
        let fasta = at(&folder, "ref.fa");
        compare_all(&folder, &input, (seed == 7).then_some(&fasta), "picard=2.27");
    }
}

/// A reference of its name, with a dictionary.
fn write_reference(folder: &Folder, name: &str, fasta: &str) {
    let mut dictionary = String::from("@HD\tVN:1.6\n");
    for sequence in fasta.split('>').skip(1) {
        let (name, bases) = sequence.split_once('\n').unwrap();
        let length: usize = bases.lines().map(str::len).sum();
        dictionary += &format!("@SQ\tSN:{name}\tLN:{length}\n");
    }
    folder.file(&format!("{name}.dict"), dictionary);
    folder.file(&format!("{name}.fa"), fasta);
}

/// Alignments of a number, and their reference. Mates agree, as Picard 3.4 wants it.
fn made(folder: &Folder, n: u64) -> &'static str {
    let mut random = Random((n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..20).for_each(|_| {
        random.next_u64();
    });
    let (text, reference) = match n % 2 {
        0 => {
            let (records, oddities) = (1 + random.below(400), random.chance(60));
            let longest = [20, 140, 300][random.below(3)];
            let shape = SamShape { records, sorted: true, longest, oddities, seed: n + 1 };
            (of_shape(&shape), "long")
        }
        _ => {
            let (quarrels, repeats) = (random.chance(50), random.chance(50));
            let shape = TemplateShape {
                seed: n,
                sets: SETS,
                templates: 1 + random.below(20),
                read_groups: true,
                quarrels,
                repeats,
                ..TemplateShape::default()
            };
            (small::text(&shape), "short")
        }
    };
    // Picard ends with an exception where records have no bases, or bases no qualities.
    let has_bases = |line: &&str| line.starts_with('@') || line.split('\t').nth(9) != Some("*");
    let lines = text.lines().filter(has_bases).map(|line| {
        let mut fields: Vec<&str> = line.split('\t').collect();
        let qualities = "F".repeat(fields.get(9).map_or(0, |bases| bases.len()));
        if !line.starts_with('@') && fields[9] != "*" && fields[10] == "*" {
            fields[10] = &qualities;
        }
        fields.join("\t") + "\n"
    });
    folder.file(&format!("{n}.made.sam"), lines.collect::<String>());
    let [made, named, mated, sam] =
        ["made", "named", "mated", "x"].map(|step| format!("{n}.{step}.sam"));
    for words in [
        ["sort", "-n", &made, "-o", &named],
        ["fixmate", "-m", &named, "-o", &mated],
        ["sort", "--no-PG", &mated, "-o", &sam],
    ] {
        good(folder, &[&words[..], &["--quiet"]].concat());
    }
    reference
}

/// Sets of templates of the short reference.
const SETS: usize = 4;

#[test]
#[ignore = "needs Picard 3.4 and 2.27"]
fn metrics_of_random_files_are_those_of_picard() {
    let number = u64::from(times(2));
    let (mut failed, mut refused) = (Vec::new(), 0);
    for first in (0..number).step_by(20) {
        let folder = Folder::new();
        write_reference(&folder, "long", &sam::fasta(7));
        let mut short = String::new();
        for name in (0..SETS).flat_map(|set| ["c", "d"].map(|prefix| format!("{prefix}{set}"))) {
            let mut random = Random(name.bytes().map(u64::from).sum());
            let bases = (0..2000).map(|_| char::from(b"ACGTN"[random.below(9) % 5]));
            short += &format!(">{name}\n{}\n", bases.collect::<String>());
        }
        write_reference(&folder, "short", &short);
        let numbers = first..number.min(first + 20);
        let references: Vec<&str> = numbers.clone().map(|n| made(&folder, n)).collect();
        for (version, class_path) in
            [("picard=2.27", "/usr/share/java/picard.jar".into()), ("picard=3.4", picard_3())]
        {
            let runs = numbers.clone().zip(&references).map(|(n, reference)| {
                let [input, out, fasta] =
                    [format!("{n}.x.sam"), format!("theirs{n}"), format!("{reference}.fa")]
                        .map(|name| at(&folder, &name));
                let words = [
                    "analysis.CollectMultipleMetrics",
                    "-I",
                    &input,
                    "-O",
                    &out,
                    "-R",
                    &fasta,
                    "--PROGRAM",
                    "null",
                ];
                let silent =
                    ["--VALIDATION_STRINGENCY", "SILENT", "--QUIET", "--VERBOSITY", "ERROR"];
                let programs = ALL[..6].iter().flat_map(|(_, program)| ["--PROGRAM", program]);
                words.into_iter().chain(silent).chain(programs).map(str::to_owned).collect()
            });
            picard_each(class_path.as_os_str(), &folder, &runs.collect::<Vec<Vec<String>>>());
            for (n, reference) in numbers.clone().zip(&references) {
                let [input, out, fasta] =
                    [format!("{n}.x.sam"), format!("own{n}"), format!("{reference}.fa")]
                        .map(|name| at(&folder, &name));
                let _ = std::fs::remove_dir_all(&out);
                let words =
                    ["stats", "--quiet", &input, "--out-dir", &out, "--sample", "x", "-r", &fasta];
                let run = biofast(&[&words[..], &["--qc", "picard", "--compat", version]].concat());
                if run.code != 0 {
                    failed.push(format!("{version} {n}: {}", run.stderr));
                }
                if !folder.path(&format!("theirs{n}.quality_by_cycle_metrics")).exists() {
                    refused += 1;
                    continue;
                }
                for (ending, program) in ALL {
                    let found = rows(&folder, &format!("own{n}/x.{ending}"));
                    let theirs = format!("theirs{n}.{ending}");
                    let expected = rows(&folder, &theirs);
                    let _ = std::fs::remove_file(at(&folder, &theirs));
                    if found != expected {
                        let differ = expected.lines().zip(found.lines()).find(|(a, b)| a != b);
                        let lens = [&expected, &found].map(|rows| rows.lines().count());
                        failed.push(format!("{version} {n} {program}: {differ:?} {lens:?}"));
                    }
                }
            }
        }
    }
    println!("{number} files, {refused} reports that Picard doesn't make");
    let shown = failed[..failed.len().min(30)].join("\n");
    assert!(refused <= number, "{refused}");
    assert!(failed.is_empty(), "{} of {number} files\n{shown}", failed.len());
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
