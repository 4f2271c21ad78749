//! `biofast reheader`: the same records behind another header.

use crate::common::cat::parts;
use crate::common::{Folder, biofast, data, fails, listed, ok, ok_with, silent_with, text};

#[test]
fn records_stay_and_references_may_have_other_names() {
    let folder = Folder::new();
    let path = parts(&folder, 1).remove(0);
    let out = text(&folder.path("o.bam"));
    let old = biofast(&["view", "-h", "--no-PG", &path]).stdout;
    let (header, records): (Vec<&str>, Vec<&str>) = old.lines().partition(|l| l.starts_with('@'));
    let new = header.join("\n").replace("SN:", "SN:new_") + "\n@CO\tnew\n";
    let given = folder.file("h.sam", &new);
    // Columns 3 and 7 have names, and so has SA.
    let renamed = |line: &&str| {
        let mut fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        for at in [2, 6] {
            if !["*", "="].contains(&fields[at].as_str()) {
                fields[at].insert_str(0, "new_");
            }
        }
        fields.join("\t") + "\n"
    };
    let expected = new.clone() + &records.iter().map(renamed).collect::<String>();
    for threads in ["1", "4"] {
        let run = ok(&["reheader", "-@", threads, "--no-PG", &given, &path, "-o", &out]);
        assert!(run.stderr.contains(&format!("{} records", records.len())), "{run:?}");
        assert!(biofast(&["view", "-h", "--no-PG", &out]).stdout == expected);
    }
    // Both ways through pipes, and with the line of this run.
    let whole = std::fs::read(&out).unwrap();
    silent_with(&["reheader", "-q", "--no-PG", "-", &path, "-o", &out], new.as_bytes());
    assert!(std::fs::read(&out).unwrap() == whole);
    let bytes = std::fs::read(&path).unwrap();
    ok_with(&["reheader", "-q", &given, "-", "-o", &out], &bytes);
    let shown = biofast(&["view", "-H", "--no-PG", &out]).stdout;
    assert!(shown.contains("@PG\tID:biofast"), "{shown}");
}

#[test]
fn headers_that_do_not_fit_and_other_files_are_refused() {
    let folder = Folder::new();
    let path = parts(&folder, 1).remove(0);
    let header = biofast(&["view", "-H", "--no-PG", &path]).stdout;
    let before = listed(&folder).len();
    let out = text(&folder.path("o.bam"));
    let refused = |header: &str, file: &str, words: &[&str]| {
        fails(&["reheader", header, file, "-o", &out], words);
    };
    let first = header.lines().find(|line| line.starts_with("@SQ")).unwrap();
    let words = ["1.bam", "reference sequences differ", "sequence"];
    for (name, text) in [
        ("fewer.sam", header.replace(&format!("{first}\n"), "")),
        ("more.sam", format!("{header}@SQ\tSN:more\tLN:9\n")),
        ("longer.sam", header.replacen("LN:", "LN:1", 1)),
    ] {
        refused(&folder.file(name, text), &path, &words);
    }
    let given = folder.file("h.sam", header.replace("@RG", "@CO"));
    let sam = folder.file("x.sam", &header);
    let fq = folder.file("x.fq", "@r\nA\n+\nI\n");
    let bytes = std::fs::read(&path).unwrap();
    let cut = folder.file("cut.bam", &bytes[..bytes.len() / 2]);
    refused(&given, &sam, &["x.sam", "expected BGZF"]);
    refused(&given, &fq, &["x.fq", "expected BAM"]);
    refused(&given, &cut, &["cut.bam"]);
    refused(&fq, &path, &["x.fq", "expected BAM, SAM or CRAM"]);
    refused(&given, &data("stage.cram"), &["expected BAM, found CRAM", "samtools reheader"]);
    refused("-", "-", &["only one of HEADER and FILE"]);
    fails(&["reheader", &given, &path, "-o", &given], &["is an input"]);
    assert_eq!(listed(&folder).len(), before + 6, "{:?}", listed(&folder));
}
