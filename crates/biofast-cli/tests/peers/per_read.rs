//! `biofast stats --per-read` beside seqkit.

use crate::common::{Folder, biofast, reads, sample};
use crate::tools::{is_current_seqkit, need};

#[test]
#[ignore = "needs seqkit"]
fn lengths_gc_and_qualities_are_those_of_seqkit() {
    let folder = Folder::new();
    let is_current = is_current_seqkit();
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
            let near = |a: f64, b: &str, most: f64| (a - b.parse::<f64>().unwrap()).abs() <= most;
            assert_eq!(ours[..2], theirs[..2]);
            let number = |column: usize| ours[column].parse::<f64>().unwrap();
            let (len, unknown) = (number(1), number(6));
            // From 2.10.1 on, of the bases that are known: two decimals here are fewer there.
            let scale = if is_current && unknown < len { len / (len - unknown) } else { 1.0 };
            assert!(near(number(5) * scale, theirs[2], 0.011 * scale), "{ours:?} {theirs:?}");
            assert!(near(number(2), theirs[3], 0.011), "{ours:?} {theirs:?}");
            compared += 1;
        }
        assert!(compared > 100);
    }
}
