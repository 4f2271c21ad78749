//! The report of `biofast stats --format samtools` beside samtools, and what MultiQC reads of it.

use std::process::Stdio;

use biofast_testkit::effort::times;
use biofast_testkit::random::Random;
use biofast_testkit::sam::{self, SamShape};

use crate::common::alignment_stats::{SHAPES, SORTED, comparable};
use crate::common::{Folder, Run, biofast};
use crate::tools::{corpus, need, samtools, samtools_of_pysam, third_party};

/// Compares the report in the form of a version of samtools; `None` if one of the programs can't make one.
fn compare(path: &str, reference: Option<&str>, version: &str) -> Option<Run> {
    let mut args = vec!["stats"];
    args.extend(reference.iter().flat_map(|r| ["-r", r]));
    args.push(path);
    let theirs = match version {
        "samtools=1.16" => samtools(&args)?,
        _ => {
            let output = samtools_of_pysam(&args).stderr(Stdio::null()).output().unwrap();
            output.status.success().then_some(output.stdout)?
        }
    };
    let theirs = String::from_utf8(theirs).unwrap();
    args.extend(["--format", "samtools", "--compat", version]);
    let ours = biofast(&args);
    if ours.code == 2 && ours.stderr.contains(TOO_LONG) {
        return None;
    }
    assert_eq!(ours.code, 0, "{path}: {}", ours.stderr);
    let (ours_text, theirs) = (comparable(&ours.stdout), comparable(&theirs));
    for (ours, theirs) in ours_text.lines().zip(theirs.lines()) {
        assert_eq!(ours, theirs, "{path} {reference:?} {version}");
    }
    assert_eq!(ours_text.len(), theirs.len(), "{path} {reference:?} {version}");
    Some(ours)
}

/// The versions that are compared with.
const VERSIONS: [&str; 2] = ["samtools=1.16", "samtools=1.24"];

#[test]
#[ignore = "needs samtools 1.16 and 1.24 (pysam)"]
fn the_report_of_generated_alignments_equals_samtools() {
    let folder = Folder::new();
    let reference = folder.file("ref.fa", sam::fasta(7));
    // And others of their kinds.
    let more = (100..).zip(SHAPES).take(times(2) as usize);
    let more = more.map(|(seed, shape)| SamShape { seed, ..shape });
    for shape in SHAPES.into_iter().chain(more) {
        let path = folder.file("x.sam", sam::text(&shape));
        for version in VERSIONS {
            assert!(
                compare(&path, None, version).is_some(),
                "samtools makes a report of {shape:?}"
            );
            // samtools gives up where a read reaches over the end of what it holds of the reference.
            if compare(&path, Some(&reference), version).is_none() {
                assert!(shape.longest > 150 || shape.oddities, "{shape:?}");
            }
        }
    }
}

#[test]
#[ignore = "needs samtools 1.24 (pysam)"]
fn alignments_over_long_deletions_are_compared_like_samtools_1_24() {
    let folder = Folder::new();
    let reference = folder.file("ref.fa", sam::fasta(7));
    let (name, length) = sam::REFERENCES[0];
    let (mut random, mut text) = (Random(7), format!("@SQ\tSN:{name}\tLN:{length}\n"));
    for read in 0..200 {
        let start = 1 + 200 * read;
        let bases: String = (0..100).map(|_| char::from(b"ACGT"[random.below(4)])).collect();
        let cigar = match read % 4 {
            0 => format!("50M{}D50M", 10_000 + random.below(15_000)),
            _ => "100M".to_owned(),
        };
        text += &format!("r{read}\t0\t{name}\t{start}\t60\t{cigar}\t*\t0\t0\t{bases}\t*\n");
    }
    let path = folder.file("x.sam", text);
    let run = compare(&path, Some(&reference), "samtools=1.24").unwrap();
    assert!(run.stdout.lines().any(|line| line.starts_with("MPC")));
}

/// What biofast says of files that samtools reads and it refuses. The specification's references end
/// at 2^31 − 1; longer ones are an extension of htslib that BAM, in whose terms biofast works, has
/// no place for.
const TOO_LONG: &str = "2,147,483,647";

/// `multiqc` (from PyPI) must recognise the three reports that are samtools'.
#[test]
#[ignore = "needs multiqc"]
fn multiqc_reads_the_reports() {
    let folder = Folder::new();
    let path = folder.file("x.sam", sam::text(&SORTED));
    for (name, args) in [
        ("a.stats", &["stats", "--format", "samtools", &path][..]),
        ("a.flagstat", &["flagstat", &path]),
        ("a.idxstats", &["idxstats", &path]),
    ] {
        folder.file(name, biofast(args).stdout);
    }
    let root = folder.path("");
    let run = need("multiqc")
        .args(["--quiet", "--no-version-check", "-o"])
        .arg(root.join("out"))
        .arg(&root)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    for (module, column) in
        [("stats", "raw_total_sequences"), ("flagstat", "total_passed"), ("idxstats", "chr1")]
    {
        let data = root.join(format!("out/multiqc_data/multiqc_samtools_{module}.txt"));
        let data = std::fs::read_to_string(&data).unwrap_or_default();
        let (header, row) = data.split_once('\n').unwrap_or_default();
        assert!(header.contains(column) && row.starts_with('a'), "{module}: {data}");
    }
}

/// Third-party files.
mod corpus {
    use super::*;

    /// Reads of a million bases: the same report, but of 200 MB, in a minute.
    const SLOW: [&str; 3] = ["ce#large_seq.sam", "ce#large_seq.bam", "cigar-64k.bam"];

    #[test]
    #[ignore = "needs samtools 1.16 and 1.24 (pysam) and the corpus"]
    fn the_report_of_third_party_files_equals_samtools() {
        let files = third_party().into_iter().filter(|file| {
            file.is_like_samtools() && !SLOW.iter().any(|name| file.name.ends_with(name))
        });
        let mut paths: Vec<_> = files.map(|file| file.path).collect();
        paths.push(corpus("real/ecoli_k12_minimap2.bam"));
        let (mut same, mut without) = (0, 0);
        for (path, version) in paths.iter().flat_map(|path| VERSIONS.map(|version| (path, version)))
        {
            match compare(path.to_str().unwrap(), None, version) {
                Some(_) => same += 1,
                None => {
                    eprintln!("not by both programs: {}", path.display());
                    without += 1;
                }
            }
        }
        eprintln!(
            "{same} reports equal samtools'; one of the programs makes none of {without} files"
        );
        assert!(same > 9 * without);
    }
}
