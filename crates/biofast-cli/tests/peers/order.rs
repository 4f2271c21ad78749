//! `biofast sort` of reads beside seqkit.

use crate::common::fasta::genes;
use crate::common::order::sorted;
use crate::common::{Folder, biofast, reads};
use crate::tools::need;

#[test]
#[ignore = "needs seqkit"]
fn orders_are_those_of_seqkit() {
    let folder = Folder::new();
    let fq = folder.file("x.fq", reads("r", 500));
    let fa = folder.file("x.fa", genes(200, 60).replace("gene", "g"));
    for (mine, theirs) in
        [(&["-n"][..], &["-N"][..]), (&["-N"], &[]), (&["-n", "--reverse"], &["-N", "-r"])]
    {
        for input in [&fq, &fa] {
            let run = biofast(&[&["sort", "-q", input], mine].concat());
            let output =
                need("seqkit").args(["sort", "--quiet", input]).args(theirs).output().unwrap();
            let theirs_ = String::from_utf8(output.stdout).unwrap();
            let same = |text: &str| text.replace("\n\n>", "\n>").trim_end().to_owned();
            assert!(same(&run.stdout) == same(&theirs_), "{mine:?} {theirs:?} {input}");
        }
    }
    // Equal lengths and sequences are in no order there: lengths and the reads as a whole are compared.
    let run = biofast(&["sort", "-q", &fq, "--key", "length"]);
    let output = need("seqkit").args(["sort", "--quiet", "-l", &fq]).output().unwrap();
    let theirs = String::from_utf8(output.stdout).unwrap();
    let lengths = |text: &str| text.lines().skip(1).step_by(4).map(str::len).collect::<Vec<_>>();
    assert_eq!(lengths(&run.stdout), lengths(&theirs));
    assert_eq!(sorted(&run.stdout), sorted(&theirs));
}
