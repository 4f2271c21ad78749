//! What `view` prints of odd records, samtools 1.24 reads, and prints the same.

use crate::common::odd_bam::{as_read_again, good_header, odd_record};
use crate::common::{Folder, biofast};
use crate::tools::{run, samtools_of_pysam};
use biofast_testkit::container::bgzf;
use biofast_testkit::random::Random;

#[test]
#[ignore = "needs samtools 1.24 of pysam"]
fn readable_lines_are_those_of_samtools() {
    let folder = Folder::new();
    let mut random = Random(0xbeef);
    let mut all = String::new();
    for _ in 0..600 {
        let mut file = bgzf(&[good_header(), odd_record(&mut random)].concat(), 60_000);
        if !file.ends_with(&biofast_io::bgzf::EOF_BLOCK) {
            file.extend(biofast_io::bgzf::EOF_BLOCK);
        }
        let path = folder.file("x.bam", file);
        let printed =
            biofast(&["view", if all.is_empty() { "-h" } else { "--no-header" }, "--no-PG", &path]);
        if printed.code == 0 {
            all += &printed.stdout;
        }
    }
    let text = folder.file("all.sam", &all);
    let (out, bam) = (folder.path("out.sam"), folder.path("out.bam"));
    for (from, to) in [(text.as_str(), &bam), (bam.to_str().unwrap(), &out)] {
        run(&mut samtools_of_pysam(&["view", "-h", "--no-PG", from, "-o", to.to_str().unwrap()]));
    }
    let theirs = std::fs::read_to_string(&out).unwrap();
    let lines = |text: &str| -> Vec<String> { text.lines().map(as_read_again).collect() };
    let (ours, theirs) = (lines(&all), lines(&theirs));
    assert!(ours.len() > 150, "{} lines", ours.len());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(ours.len(), theirs.len());
}
