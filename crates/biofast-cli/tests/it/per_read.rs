//! `biofast stats --per-read`: a line a read, with the figures of seqkit.

use biofast_testkit::container::{KINDS, wrap};

use crate::common::fasta::genes;
use crate::common::{Folder, biofast, fails, ok, ok_with, reads, silent, text};

const HEADER: &str = "read_id\tlength\tmean_quality\tmean_phred\texpected_errors\tgc_percent\tn\tat_least_q10\tat_least_q20\n";

/// The lines, written in the plainest way.
fn expected(fastq: &str) -> String {
    let lines: Vec<&str> = fastq.lines().collect();
    let line = |record: &[&str]| {
        let name = record[0][1..].split(' ').next().unwrap();
        let (bases, quals) = (record[1], record[3]);
        let phreds: Vec<f64> = quals.bytes().map(|byte| f64::from(byte - 33)).collect();
        let errors: f64 = phreds.iter().map(|phred| 10f64.powf(-phred / 10.0)).sum();
        let n = bases.len() as f64;
        let gc = bases.matches(['G', 'C', 'g', 'c', 'S', 's']).count();
        let at_least = |least: f64| phreds.iter().filter(|&&phred| phred >= least).count();
        let means = match bases.is_empty() {
            true => "NA\tNA\tNA\tNA".to_owned(),
            false => format!(
                "{:.2}\t{:.2}\t{errors:.3}\t{:.2}",
                -10.0 * (errors / n).log10() + 0.0,
                phreds.iter().sum::<f64>() / n,
                100.0 * gc as f64 / n
            ),
        };
        format!(
            "{name}\t{}\t{means}\t{}\t{}\t{}\n",
            bases.len(),
            bases.matches(['N', 'n']).count(),
            at_least(10.0),
            at_least(20.0)
        )
    };
    HEADER.to_owned() + &lines.chunks(4).map(line).collect::<String>()
}

#[test]
fn every_read_has_the_line_of_a_plain_reference_in_order_in_any_container_on_any_threads() {
    let folder = Folder::new();
    let all = reads("r", 400) + "@empty\n\n+\n\n@worst of all\nNNSS\n+\n!!!!\n";
    let wanted = expected(&all);
    for (i, kind) in KINDS.into_iter().enumerate() {
        let input = folder.file(&format!("{i}.in"), wrap(kind, all.as_bytes()));
        for threads in ["1", "2", "5"] {
            let run = silent(&[
                "stats", "-q", "--per-read", "-@", threads, "--chunk-size", "3000", &input,
            ]);
            assert!(run.stdout == wanted, "{kind:?} {threads}");
        }
    }
    let out = text(&folder.path("o.tsv.gz"));
    ok_with(&["stats", "-q", "--per-read", "-", "-o", &out], all.as_bytes());
    let bytes = std::fs::read(&out).unwrap();
    assert_eq!(biofast_testkit::container::gunzip(&bytes).unwrap(), wanted.as_bytes());
}

#[test]
fn fasta_has_no_qualities_alignments_are_reads_and_several_files_one_table() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let fa = folder.file("g.fa", genes(20, 30));
    let run = biofast(&["stats", "-q", "--per-read", &fa]);
    let lines: Vec<Vec<&str>> =
        run.stdout.lines().skip(1).map(|l| l.split('\t').collect()).collect();
    assert_eq!(lines.len(), 20);
    for line in &lines {
        assert_eq!([line[2], line[3], line[4], line[7], line[8]], ["NA"; 5], "{line:?}");
    }
    let fq = folder.file("x.fq", reads("r", 30));
    let bam = at("x.bam");
    ok(&["convert", "-q", &fq, "-o", &bam]);
    let one = biofast(&["stats", "-q", "--per-read", &fq]).stdout;
    assert_eq!(biofast(&["stats", "-q", "--per-read", &bam]).stdout, one);
    let both = biofast(&["stats", "-q", "--per-read", &fq, &bam]).stdout;
    let rows: Vec<&str> = one.lines().collect();
    let table =
        |file: &str| rows[1..].iter().map(|row| format!("{file}\t{row}\n")).collect::<String>();
    assert!(both == format!("file\t{}\n{}{}", rows[0], table(&fq), table(&bam)));
    let cut = folder.file("cut.fq", &reads("r", 30)[..900]);
    let out = at("o.tsv");
    fails(&["stats", "--per-read", &fq, &cut, "-o", &out], &["cut.fq", "truncated"]);
    assert!(!folder.path("o.tsv").exists());
    fails(&["stats", "--per-read", "--plot", &fq], &["--plot can't be combined"]);
    fails(&["stats", "--per-read", &fq, "-o", &fq], &["x.fq"]);
}

#[test]
fn an_output_that_is_the_input_is_said_to_be_it() {
    let folder = crate::common::Folder::new();
    let reads = folder.file("r.fq", "@a\nA\n+\nI\n");
    let run = crate::common::biofast(&["stats", "--per-read", &reads, "-o", &reads]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("is an input and would be overwritten"), "{}", run.stderr);
}
