//! The alignments of the sample beside samtools.

use crate::common::{Folder, biofast, finish, text};
use crate::tools::need;

/// The genome is the one of the alignments: the few mismatches are errors of the reads, as NM says.
#[test]
#[ignore = "needs samtools"]
fn mismatches_of_the_sample_are_those_samtools_counts() {
    let folder = Folder::new();
    let at = text(&folder.path("demo"));
    assert_eq!(biofast(&["demo", &at]).code, 0);
    let mut calmd = need("samtools");
    calmd.args(["calmd", &format!("{at}/aln.bam"), &format!("{at}/genome.fa")]);
    let said = finish(calmd);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(!said.stderr.contains("different NM"), "{}", said.stderr);
}
