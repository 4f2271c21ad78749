//! `biofast merge` of a report that samtools wrote.

use biofast_testkit::sam;

use crate::common::merge_reports::SHAPE;
use crate::common::{Folder, biofast};
use crate::tools::need;

#[test]
#[ignore = "needs samtools"]
fn a_report_of_samtools_is_as_good() {
    let folder = Folder::new();
    let path = folder.file("x.sam", sam::text(&SHAPE));
    let args = ["flagstat", "-O", "json", &path];
    let own = need("samtools").args(args).output().unwrap();
    let own = folder.file("own.json", own.stdout);
    let merged = biofast(&["merge", &own]);
    assert_eq!(merged.code, 0, "{}", merged.stderr);
    assert_eq!(merged.stdout, biofast(&["flagstat", &path]).stdout);
}
