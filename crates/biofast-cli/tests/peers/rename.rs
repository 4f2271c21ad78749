//! `biofast convert --unique-names` beside seqkit.

use crate::common::rename::many;
use crate::common::{Folder, biofast};
use crate::tools::need;

#[test]
#[ignore = "needs seqkit"]
fn seqkit_renames_the_same_reads_in_the_same_way() {
    let folder = Folder::new();
    for (name, fasta) in [("r.fa", true), ("r.fq", false)] {
        // Tabs become blanks there.
        let input = folder.file(name, many(1500, fasta).replace('\t', " "));
        for (option, theirs) in [("--unique-names", &[][..]), ("--unique-names=header", &["-n"])] {
            let run =
                need("seqkit").args(["rename", "-w", "0", &input]).args(theirs).output().unwrap();
            // Where there is no description, it leaves a blank behind the number.
            let theirs = String::from_utf8(run.stdout).unwrap().replace(" \n", "\n");
            let ours = biofast(&["convert", "-q", option, "-w", "0", &input]).stdout;
            assert!(theirs.lines().count() > 2000);
            let differ = ours.lines().zip(theirs.lines()).find(|(a, b)| a != b);
            assert!(ours == theirs, "{name} {option}: {differ:?}");
        }
    }
}
