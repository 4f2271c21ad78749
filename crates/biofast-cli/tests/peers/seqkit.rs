//! `stats -T` against seqkit, field by field. Where they differ on purpose, the reason stands here.

use std::collections::HashMap;

use crate::common::{Folder, biofast, reads, sample};
use crate::tools::{corpus, need};

type Row = HashMap<String, String>;

fn rows(tsv: &str) -> Vec<Row> {
    let mut lines = tsv.lines().map(|line| line.split('\t').map(str::to_owned));
    let header: Vec<String> = lines.next().unwrap().collect();
    lines.map(|cells| header.iter().cloned().zip(cells).collect()).collect()
}

/// Fields that must be equal as text or as numbers.
fn compare(path: &str, ours: &Row, theirs: &Row) {
    // seqkit 2.3 to 2.9 halve the quartiles of data with a single length.
    let one_length = ours["min_len"] == ours["max_len"];
    // seqkit calls a file FASTA "Unlimit" when its first read is empty.
    let first_read_empty = theirs["format"] != "FASTQ";
    for (field, their) in theirs {
        // Left out: AvgQual and N50_num are missing in Debian's version, and where present,
        // N50_num is 1 for data with a single length, where half the reads is right.
        let skip = match field.as_str() {
            "N50_num" => true,
            "Q1" | "Q2" | "Q3" => one_length,
            "format" | "type" => first_read_empty,
            _ => false,
        };
        if skip {
            continue;
        }
        let our = &ours[field];
        // An older version prints 2 decimals where a newer one rounds to integers.
        let equal = match (our.parse::<f64>(), their.parse::<f64>()) {
            (Ok(our), Ok(their_value))
                if (field == "Q20(%)" || field == "Q30(%)") && !their.contains('.') =>
            {
                (our - their_value).abs() <= 0.5
            }
            (Ok(our), Ok(their)) => our == their,
            _ => our == their,
        };
        assert!(equal, "{path}: {field}: ours {our}, seqkit's {their}");
    }
}

fn check(path: &str) {
    let ours = biofast(&["stats", "-T", "-q", path]);
    assert_eq!(ours.code, 0, "{}", ours.stderr);
    let theirs = need("seqkit").args(["stats", "-a", "-T", path]).output().unwrap();
    let theirs = String::from_utf8(theirs.stdout).unwrap();
    compare(path, &rows(&ours.stdout)[0], &rows(&theirs)[0]);
}

#[test]
#[ignore = "needs seqkit"]
fn the_sample_and_generated_reads() {
    check(&sample("sample_R1.fq.bgz"));
    check(&sample("sample_R2.fq.bgz"));
    let folder = Folder::new();
    for n in [1, 2, 3, 4, 5, 6, 7, 500] {
        check(&folder.file("reads.fq", reads("r", n)));
    }
    check(&folder.file("rna.fq", "@a\nACGU\n+\nIIII\n@b\nAC-G.\n+\n!!!!~\n"));
}

/// Third-party files.
mod corpus {
    use super::*;

    #[test]
    #[ignore = "needs seqkit and the corpus"]
    fn real_reads() {
        let mut checked = 0;
        for entry in std::fs::read_dir(corpus("real")).unwrap() {
            let path = entry.unwrap().path();
            if path.to_string_lossy().ends_with(".fastq.gz") {
                check(path.to_str().unwrap());
                checked += 1;
            }
        }
        assert!(checked > 0);
    }
}
