//! The report of `biofast stats --format samtools` beside samtools, and what MultiQC reads of it.

use biofast_testkit::sam;

use crate::common::alignment_stats::{SHAPES, SORTED, comparable};
use crate::common::{Folder, Run, biofast};
use crate::tools::{corpus, need, samtools, third_party};

/// Compares the report; `None` if one of the programs can't make one.
fn compare(path: &str, reference: Option<&str>) -> Option<Run> {
    let mut args = vec!["stats"];
    args.extend(reference.iter().flat_map(|r| ["-r", r]));
    args.push(path);
    let theirs = String::from_utf8(samtools(&args)?).unwrap();
    args.extend(["--format", "samtools"]);
    let ours = biofast(&args);
    if ours.code == 2 && ours.stderr.contains(TOO_LONG) {
        return None;
    }
    assert_eq!(ours.code, 0, "{path}: {}", ours.stderr);
    let (ours_text, theirs) = (comparable(&ours.stdout), comparable(&theirs));
    for (ours, theirs) in ours_text.lines().zip(theirs.lines()) {
        assert_eq!(ours, theirs, "{path} {reference:?}");
    }
    assert_eq!(ours_text.len(), theirs.len(), "{path} {reference:?}");
    Some(ours)
}

#[test]
#[ignore = "needs samtools"]
fn the_report_of_generated_alignments_equals_samtools() {
    let folder = Folder::new();
    let reference = folder.file("ref.fa", sam::fasta(7));
    for shape in SHAPES {
        let path = folder.file("x.sam", sam::text(&shape));
        assert!(compare(&path, None).is_some(), "samtools makes a report of {shape:?}");
        // samtools gives up where a read reaches over the end of what it holds of the reference.
        if compare(&path, Some(&reference)).is_none() {
            assert!(shape.longest > 150 || shape.oddities, "{shape:?}");
        }
    }
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
    #[ignore = "needs samtools and the corpus"]
    fn the_report_of_third_party_files_equals_samtools() {
        let files = third_party().into_iter().filter(|file| {
            file.is_like_samtools() && !SLOW.iter().any(|name| file.name.ends_with(name))
        });
        let mut paths: Vec<_> = files.map(|file| file.path).collect();
        paths.push(corpus("real/ecoli_k12_minimap2.bam"));
        let (mut same, mut without) = (0, 0);
        for path in &paths {
            match compare(path.to_str().unwrap(), None) {
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
