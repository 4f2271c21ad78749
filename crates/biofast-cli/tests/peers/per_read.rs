//! `biofast stats --per-read` beside seqkit.

use crate::common::{Folder, biofast, reads, sample};
use crate::tools::need;

#[test]
#[ignore = "needs seqkit"]
fn lengths_gc_and_qualities_are_those_of_seqkit() {
    let folder = Folder::new();
    let made = folder.file("x.fq", reads("r", 200));
    for input in [sample("sample_R1.fq.bgz"), made] {
        let run = biofast(&["stats", "-q", "--per-read", &input]);
        let theirs =
            need("seqkit").args(["fx2tab", "-n", "-i", "-l", "-g", "-q", &input]).output().unwrap();
        let theirs = String::from_utf8(theirs.stdout).unwrap();
        let mut compared = 0;
        for (ours, theirs) in run.stdout.lines().skip(1).zip(theirs.lines()) {
            let ours: Vec<&str> = ours.split('\t').collect();
            let theirs: Vec<&str> = theirs.split('\t').filter(|field| !field.is_empty()).collect();
            let near = |a: &str, b: &str| {
                let (a, b): (f64, f64) = (a.parse().unwrap(), b.parse().unwrap());
                (a - b).abs() <= 0.011
            };
            assert_eq!(ours[..2], theirs[..2]);
            assert!(near(ours[5], theirs[2]) && near(ours[2], theirs[3]), "{ours:?} {theirs:?}");
            compared += 1;
        }
        assert!(compared > 100);
    }
}
