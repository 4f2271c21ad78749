//! `biofast addreplacerg` beside samtools.

use crate::common::cat::grouped;
use crate::common::{Folder, biofast};
use crate::tools::{need, run};

#[test]
#[ignore = "needs samtools"]
fn headers_and_records_are_those_of_samtools() {
    let folder = Folder::new();
    let input = folder.file("in.sam", grouped(&folder));
    for words in [
        &["-r", "ID:new", "-r", "SM:s"][..],
        &["-r", r"@RG\tID:new\tSM:s", "-m", "orphan_only"],
        &["-w", "-r", "ID:known"],
        &["-w", "-r", "ID:known", "-m", "orphan_only"],
        &["-R", "known"],
        &["-R", "known", "-m", "orphan_only"],
        &[],
    ] {
        let words = [&["addreplacerg", "--no-PG"], words, &[&input]].concat();
        let theirs = run(need("samtools").args(&words)).stdout;
        assert!(biofast(&words).stdout.as_bytes() == theirs, "{words:?}");
        assert!(theirs.len() > 1000);
    }
}
