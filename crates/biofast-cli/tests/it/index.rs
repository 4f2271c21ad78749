//! `biofast index` and regions, and an error for every broken index.

use std::path::Path;

use biofast_testkit::bam::{Aligned, aligned, header};
use biofast_testkit::container::{bgzf, gzip};

use crate::common::index::{REFERENCES, sorted};
use crate::common::{Folder, biofast, biofast_with, fails, ok, ok_with, refused, text};

#[test]
fn gzi_has_every_block() {
    let folder = Folder::new();
    let reads = b"@r\nACGT\n+\nIIII\n".repeat(20_000);
    let path = folder.file("x.fq.bgz", bgzf(&reads, 5000));
    let made = ok(&["index", &path]);
    assert!(made.stderr.contains(&format!("wrote {path}.gzi")), "{}", made.stderr);
    let ours = std::fs::read(format!("{path}.gzi")).unwrap();
    assert_eq!(&ours[..8], &59u64.to_le_bytes());
    assert_eq!(ours.len(), 8 + 59 * 16);
    for (name, content) in [("x.gz", gzip(&reads)), ("x.fq", reads.clone())] {
        fails(&["index", "--gzi", &folder.file(name, content)], &["expected BGZF"]);
    }
    let mut damaged = bgzf(&reads, 5000);
    let at = damaged.len() / 2;
    damaged[at] ^= 1;
    let path = folder.file("y.bgz", damaged);
    assert_eq!(biofast(&["index", "--gzi", &path]).code, 2);
    assert!(!Path::new(&format!("{path}.gzi")).exists());
}

#[test]
fn regions_and_bed_files_select_the_same_with_and_without_an_index() {
    let folder = Folder::new();
    let data = sorted(5000);
    let path = folder.file("x.bam", bgzf(&data, 3000));
    let bed = folder
        .file("x.bed", "# targets\nchr1\t1000\t90000\nchr1\t50000\t200000\nchr2:HLA\t0\t100\n");
    let regions = [
        "--region", "chr1:1,001-90,000", "--region", "chr1:50001-200000", "--region",
        "{chr2:HLA}:1-100",
    ];
    let by_region = |path: &str| biofast(&[&["idxstats"], &regions[..], &[path]].concat());
    let by_bed = |path: &str| biofast(&["idxstats", "-L", &bed, path]);
    let scanned = by_region(&path);
    assert_eq!(scanned.code, 0);
    assert!(
        scanned.stderr.contains("has no index, so the whole file is read"),
        "{}",
        scanned.stderr
    );
    assert_eq!(by_bed(&path).stdout, scanned.stdout);
    let piped = biofast_with(&["idxstats", "-L", &bed], &bgzf(&data, 3000));
    assert_eq!((piped.stdout.as_str(), piped.stderr.as_str()), (scanned.stdout.as_str(), ""));
    ok(&["index", &path]);
    let indexed = by_region(&path);
    assert_eq!((indexed.stdout.as_str(), indexed.stderr.as_str()), (scanned.stdout.as_str(), ""));
    assert_eq!(by_bed(&path).stdout, scanned.stdout);
    assert_ne!(indexed.stdout, biofast(&["idxstats", &path]).stdout);
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new();
    let data = sorted(500);
    let path = folder.file("x.bam", bgzf(&data, 3000));
    ok(&["index", &path]);
    let bai = format!("{path}.bai");
    let good = std::fs::read(&bai).unwrap();
    folder.file("x.bed", "chr1\t1\t2\nchr9\t1\t2\n");
    for (line, needed) in [
        ("flagstat --region chr9 x.bam", "no reference is named 'chr9'; did you mean 'chr1'"),
        ("flagstat --region chr1:5-4 x.bam", "the start (5) is after the end (4)"),
        ("flagstat -L x.bed x.bam", "line 2"),
        ("flagstat -L absent.bed x.bam", "absent.bed"),
        ("index -b -c x.bam", "can't be combined with"),
        ("index -m 31 x.bam", "expected 1 to 30"),
        ("index -", "--out"),
    ] {
        refused(&folder, line, needed);
    }
    let region = ["flagstat", "--region", "chr1", &path];
    let fresh = biofast(&region);
    for (bytes, expected) in [
        (&good[..good.len() / 2], "it is truncated"),
        (b"", "it is empty"),
        (b"BAI\x01\xff\xff\xff\x7f", "it is truncated"),
        (b"@HD\tVN:1.6\n", "neither BAI nor CSI"),
        (b"BAI\x01\x01\0\0\0\0\0\0\0\0\0\0\0", "it has 1 references, but the file has 3"),
    ] {
        std::fs::write(&bai, bytes).unwrap();
        let run = biofast(&region);
        assert_eq!((run.code, run.stdout.as_str()), (0, &*fresh.stdout), "{expected}");
        assert!(
            run.stderr.contains(expected) && run.stderr.contains("x.bam.bai"),
            "{}",
            run.stderr
        );
    }
    // Older than its file, but still right.
    std::fs::write(&bai, &good).unwrap();
    let file = std::fs::File::options().write(true).open(&bai).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let old = biofast(&region);
    assert_eq!((old.code, &old.stdout), (0, &fresh.stdout));
    assert!(old.stderr.contains("is older than its file"), "{}", old.stderr);
    // Unsorted: no index appears.
    let mut records = header(&REFERENCES);
    for position in [100, 50] {
        records.extend(aligned(&Aligned { position, cigar: vec![16], ..Aligned::default() }));
    }
    let unsorted = folder.file("u.bam", bgzf(&records, 3000));
    fails(&["index", &unsorted], &["record 2", ":51 comes after "]);
    assert!(!Path::new(&format!("{unsorted}.bai")).exists());
    // Cut: no index appears either.
    let cut = folder.file("c.bam", &bgzf(&data, 3000)[..2000]);
    assert_eq!(biofast(&["index", &cut]).code, 2);
    assert!(!Path::new(&format!("{cut}.bai")).exists());
    // From standard input, with a name given.
    let out = text(&folder.path("stdin.bai"));
    ok_with(&["index", "-", "-o", &out], &bgzf(&data, 3000));
    assert_eq!(std::fs::read(out).unwrap(), good);
}
