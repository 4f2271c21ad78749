//! `biofast cat` beside samtools.

use crate::common::cat::parts;
use crate::common::{Folder, biofast, text};
use crate::tools::{self, Samtools, need};

#[test]
#[ignore = "needs samtools and pysam"]
fn records_and_header_are_those_of_samtools() {
    let folder = Folder::new();
    let paths = parts(&folder, 4);
    let inputs: Vec<&str> = paths.iter().map(String::as_str).collect();
    let shown = biofast(&["view", "-H", "--no-PG", inputs[0]]).stdout;
    let given = folder.file("h.sam", format!("{shown}@RG\tID:new\n@CO\tgiven\n"));
    let [ours, theirs] = ["ours.bam", "theirs.bam"].map(|name| text(&folder.path(name)));
    let headers = [&[][..], &["-h", &given]];
    for (version, header) in Samtools::BOTH.into_iter().flat_map(|v| headers.map(|h| (v, h))) {
        let run = biofast(&[&["cat", "-q", "--no-PG", "-o", &ours], header, &inputs].concat());
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        version.printed(&[&["cat", "--no-PG", "-o", &theirs], header, &inputs].concat());
        let [ours, theirs] =
            [&ours, &theirs].map(|p| biofast(&["view", "-h", "--no-PG", p]).stdout);
        let rest = |text: &str| text.split_once('\n').unwrap().1.to_owned();
        // What the header says of the order isn't true any more.
        assert!(rest(&ours) == rest(&theirs), "{version:?} {header:?}");
    }
}

#[test]
#[ignore = "needs samtools"]
fn another_header_gives_what_it_gives_in_samtools() {
    let folder = Folder::new();
    let path = parts(&folder, 1).remove(0);
    let shown = biofast(&["view", "-H", "--no-PG", &path]).stdout;
    let given = folder.file("h.sam", shown.replace("SN:", "SN:new_") + "@RG\tID:new\n@CO\tgiven\n");
    let [ours, theirs] = ["ours.bam", "theirs.bam"].map(|name| text(&folder.path(name)));
    let run = biofast(&["reheader", "-q", "--no-PG", &given, &path, "-o", &ours]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let mut samtools = need("samtools");
    let bam = tools::run(samtools.args(["reheader", "--no-PG", &given, &path])).stdout;
    std::fs::write(&theirs, bam).unwrap();
    let [ours, theirs] = [&ours, &theirs].map(|path| {
        let mut samtools = need("samtools");
        tools::run(samtools.args(["view", "-h", "--no-PG", path])).stdout
    });
    assert!(ours == theirs && ours.len() > 1000);
}
