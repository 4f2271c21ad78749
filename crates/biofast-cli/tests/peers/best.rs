//! `biofast filter --keep-percent` and `--target-bases` beside Filtlong.

use crate::common::best::long_reads;
use crate::common::{Folder, biofast};
use crate::tools::printed;

#[test]
#[ignore = "needs filtlong"]
fn the_reads_kept_are_those_of_filtlong() {
    let folder = Folder::new();
    for seed in [1, 2] {
        let input = folder.file("x.fq", long_reads(250, seed));
        for (ours, theirs) in [
            (&["--keep-percent", "90"][..], &["--keep_percent", "90"][..]),
            (&["--keep-percent", "37.5"], &["--keep_percent", "37.5"]),
            (&["--target-bases", "100K"], &["--target_bases", "100000"]),
            (&["--target-bases", "3G"], &["--target_bases", "3000000000"]),
            (
                &["--keep-percent", "60", "--target-bases", "300000", "--min-len", "1000"],
                &["--keep_percent", "60", "--target_bases", "300000", "--min_length", "1000"],
            ),
            (
                &["--keep-percent", "50", "--window-size", "100", "--length-weight", "10"],
                &["--keep_percent", "50", "--window_size", "100", "--length_weight", "10"],
            ),
            (
                &["--keep-percent", "50", "--mean-q-weight", "4", "--window-q-weight", "0"],
                &["--keep_percent", "50", "--mean_q_weight", "4", "--window_q_weight", "0"],
            ),
            (
                &["--keep-percent", "50", "--window-q-weight", "9", "--max-len", "5000"],
                &["--keep_percent", "50", "--window_q_weight", "9", "--max_length", "5000"],
            ),
        ] {
            let run = biofast(&[&["filter", "--quiet", &input], ours].concat());
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{ours:?}");
            assert!(run.stdout == printed("filtlong", &[theirs, &[&input]].concat()), "{ours:?}");
        }
    }
}
