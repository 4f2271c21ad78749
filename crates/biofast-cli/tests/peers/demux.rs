//! `biofast demux` beside fqtk.

use crate::common::demux::{SAMPLES, contents, demux, run, sheet, written};
use crate::common::{Folder, text};
use crate::tools::need;

#[test]
#[ignore = "needs fqtk"]
fn files_and_counts_are_those_of_fqtk() {
    let folder = Folder::new();
    let names = ["r1.fq.gz", "i1.fq", "i2.fq", "r2.fq"];
    let files = written(&folder, names, &run(5, 3_000, &SAMPLES));
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let samples = folder.file("samples.tsv", sheet(&SAMPLES));
    let ambiguous =
        [("a", "AACCGGTNACGTNCGT"), ("b", "RRTTAACCACGTACGT"), ("c", "CATCATCATGATTACA")];
    let ambiguous = folder.file("ambiguous.tsv", sheet(&ambiguous));
    type Words<'w> = &'w [&'w str];
    let cases: [(&str, Words<'_>, Words<'_>, Words<'_>); 7] = [
        (&samples, &files, &["+T", "8B", "8B", "+T"], &[]),
        (&samples, &files, &["6M+T", "8B", "8B", "4S5M+T"], &["-b", "T", "B", "M"]),
        (&samples, &files, &["+T", "8B", "8B", "5S+T"], &["--max-mismatches", "0"]),
        (
            &samples,
            &files,
            &["3C+T", "8B", "8B", "+T"],
            &["--max-mismatches", "3", "-d", "1", "-b", "C", "T"],
        ),
        (&ambiguous, &files, &["+T", "8B", "8B", "+T"], &["--max-mismatches", "2", "-u", "rest"]),
        (&samples, &files[1..3], &["8B", "8B"], &["-b", "B"]),
        (&samples, &files[..3], &["23T+M", "8B", "8B"], &["-S", "too-few-bases"]),
    ];
    for (number, (sheet, files, structures, more)) in cases.into_iter().enumerate() {
        let (ours, theirs) =
            (folder.path(&format!("ours{number}")), folder.path(&format!("theirs{number}")));
        let common = [&["-i"][..], files, &["-r"], structures, &["-s", sheet], more].concat();
        demux(&[&common[..], &["-o", &text(&ours)]].concat());
        std::fs::create_dir(&theirs).unwrap();
        let out = need("fqtk")
            .arg("demux")
            .args(&common)
            .args(["-t", "5", "-o", &text(&theirs)])
            .output()
            .unwrap();
        assert!(out.status.success(), "{out:?}");
        let [a, b] = [&ours, &theirs].map(|folder| contents(folder, ".fq.gz"));
        let names = |files: &[(String, String)]| -> Vec<String> {
            files.iter().map(|(name, _)| name.clone()).collect()
        };
        assert_eq!(names(&a), names(&b), "{number}");
        for ((name, ours), (_, theirs)) in a.iter().zip(&b) {
            for (ours, theirs) in ours.lines().zip(theirs.lines()) {
                assert_eq!(ours, theirs, "{number} {name}");
            }
            assert_eq!(ours.len(), theirs.len(), "{number} {name}");
        }
        assert!(a.iter().filter(|(_, text)| !text.is_empty()).count() > 2);
        assert_eq!(contents(&ours, "metrics.txt"), contents(&theirs, "metrics.txt"), "{number}");
    }
}
