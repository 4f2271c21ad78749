//! The tools under `examples/` do what they say.
#![allow(clippy::unwrap_used)]

#[path = "../examples/by_barcode.rs"]
#[allow(dead_code, unreachable_pub)]
mod by_barcode;
#[path = "../examples/depth.rs"]
#[allow(dead_code, unreachable_pub)]
mod depth;
#[path = "../examples/kmers.rs"]
#[allow(dead_code, unreachable_pub)]
mod kmers;
#[path = "../examples/mark_short.rs"]
#[allow(dead_code, unreachable_pub)]
mod mark_short;
#[path = "../examples/n50.rs"]
#[allow(dead_code, unreachable_pub)]
mod n50;
#[path = "../examples/region_tags.rs"]
#[allow(dead_code, unreachable_pub)]
mod region_tags;

use std::error::Error;

/// What a tool prints; `arguments` are separated by blanks.
macro_rules! output {
    ($tool:ident, $arguments:expr) => {{
        let mut out = Vec::new();
        let result: Result<(), Box<dyn Error>> =
            $tool::run($arguments.split(' ').map(str::to_owned), &mut out);
        result.map(|()| String::from_utf8(out).unwrap())
    }};
}

fn file(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

const READS: &str =
    "@a 1:N:0:AC\nACACA\n+\nIIIII\n@b 1:N:0:GT\nACNAC\n+\nIIIII\n@c 1:N:0:AC\nac\n+\nII\n";

#[test]
fn n50_of_a_file() {
    let (_folder, path) = file("r.fq", READS);
    let expected = format!("file\treads\tbases\tN50\tlongest\n{path}\t3\t12\t5\t5\n");
    assert_eq!(output!(n50, path).unwrap(), expected);
    let (_folder, bad) = file("bad.fq", "@a\nAC\n+\nI\n");
    let error = output!(n50, bad).unwrap_err().to_string();
    assert!(error.contains("record 1"), "{error}");
}

#[test]
fn words_are_counted_without_those_across_other_letters() {
    let (_folder, path) = file("r.fq", READS);
    assert_eq!(output!(kmers, format!("2 {path}")).unwrap(), "AC\t5\nCA\t2\n");
    assert!(output!(kmers, format!("32 {path}")).is_err());
}

#[test]
fn reads_are_split_by_barcode_and_none_is_lost() {
    let (folder, path) = file("r.fq", READS);
    let to = folder.path().to_str().unwrap();
    let said = output!(by_barcode, format!("{path} {to} AC TT")).unwrap();
    assert_eq!(said, "AC\t2\nTT\t0\nother\t1\n");
    let read = |name: &str| {
        let source = biofast::io::Source::open(folder.path().join(name)).unwrap();
        let options = biofast::io::Options::default();
        let mut reader = biofast::io::Reader::new(source, &options).unwrap();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut reader, &mut text).unwrap();
        text
    };
    assert!(
        read("AC.fq.gz").starts_with("@a 1:N:0:AC\nACACA\n") && read("AC.fq.gz").contains("@c")
    );
    assert!(read("other.fq.gz").starts_with("@b") && read("TT.fq.gz").is_empty());
}

#[test]
fn the_mean_depth_of_a_region() {
    let sam = "@SQ\tSN:c\tLN:100\n\
        a\t0\tc\t1\t9\t4M\t*\t0\t0\tACGT\tIIII\n\
        b\t0\tc\t3\t9\t2M2D2M1S\t*\t0\t0\tACGTA\tIIIII\n\
        d\t1024\tc\t3\t9\t4M\t*\t0\t0\tACGT\tIIII\n";
    let (_folder, path) = file("a.sam", sam);
    // 4 bases of a, and 3, 4 and 7 of b; d is a duplicate.
    let said = output!(depth, format!("{path} c:1-7 c:50-60")).unwrap();
    assert_eq!(said, "c:1-7\t1.00\nc:50-60\t0.00\n");
}

const ALIGNMENTS: &str = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:100\n\
    a\t0\tc\t1\t9\t4M\t*\t0\t0\tACGT\tIIII\tNM:i:0\tRG:Z:lane1\n\
    b\t16\tc\t3\t9\t1S2M1I1M2D2M\t*\t0\t0\tACGTACG\tIIIIIII\tNM:i:3\n\
    u\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n";

#[test]
fn alignments_of_a_region_with_tags_and_cigars() {
    let (_folder, path) = file("a.sam", ALIGNMENTS);
    let said = output!(region_tags, format!("{path} c:5-10")).unwrap();
    assert_eq!(said, "b\tc:3\t1S2M1I1M2D2M\t+1-2\t3\t.\n");
    let said = output!(region_tags, format!("{path} c *")).unwrap();
    assert_eq!(said.lines().count(), 3);
    assert!(
        said.starts_with("a\tc:1\t4M\t+0-0\t0\tlane1\n")
            && said.ends_with("u\t*:0\t*\t+0-0\t.\t.\n")
    );
    assert!(output!(region_tags, path).is_err());
}

#[test]
fn changed_records_are_written_back_with_an_index() {
    let (folder, path) = file("a.sam", ALIGNMENTS);
    let to = folder.path().join("b.bam");
    let to = to.to_str().unwrap();
    let said = output!(mark_short, format!("{path} 5 {to}")).unwrap();
    assert_eq!(said, "3 records, 1 marked\n");
    assert!(folder.path().join("b.bam.bai").is_file());
    // Looked up through the index just written.
    let mut regions = biofast::bam::Selection::new();
    regions.add("c");
    let mut reader = biofast::bam::Reader::builder().regions(regions).open(to).unwrap();
    assert_eq!(reader.notes(), []);
    let records: Vec<_> = reader.records().map(|r| r.unwrap()).collect();
    let found: Vec<_> = records
        .iter()
        .map(|r| (r.flags(), r.tag(b"XA").unwrap().and_then(|value| value.as_int())))
        .collect();
    assert_eq!(found, [(512, Some(4)), (16, Some(5))]);
    // What can't be sorted leaves no file.
    let (folder, unsorted) = file("a.sam", &ALIGNMENTS.replace("c\t1\t9", "c\t50\t9"));
    let to = folder.path().join("b.bam");
    let error = output!(mark_short, format!("{unsorted} 5 {}", to.display())).unwrap_err();
    assert!(error.to_string().contains("record 2: not sorted"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
