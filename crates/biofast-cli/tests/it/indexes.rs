//! Regions through indexes that fit their file, don't, or are no indexes: what comes is what a scan finds, or an error, and a word is
//! said where the whole file is read.

use std::time::{Duration, SystemTime};

use biofast_testkit::bam::{Aligned, aligned, header};
use biofast_testkit::container::bgzf;
use biofast_testkit::sam;

use crate::common::{Folder, Run, assert_error, fails_in, good, run_in};

/// A sorted BAM of 3,000 records on chr1 and 500 on chr2, every 90 bases, with a BAI.
fn sorted(folder: &Folder, name: &str, len: usize) {
    let mut data = header(&[("chr1", 300_000), ("chr2", 50_000)]);
    for (reference, count) in [(0, 3000), (1, 500)] {
        for n in 0..count {
            let cigar = vec![(len as u32) << 4];
            let record = Aligned { reference, position: n * 90, cigar, len, ..Aligned::default() };
            data.extend(aligned(&record));
        }
    }
    folder.file(name, bgzf(&data, 10_000));
    good(folder, &["index", name]);
}

#[test]
fn counts_of_an_index_are_printed_only_if_it_is_that_of_the_file() {
    let folder = Folder::new();
    sorted(&folder, "x.bam", 90);
    sorted(&folder, "other.bam", 70);
    let idxstats = |args: &[&str]| run_in(&folder, &[&["idxstats", "x.bam"], args].concat());
    let expected = idxstats(&["--count"]);
    assert_eq!(expected.stdout, "chr1\t300000\t3000\t0\nchr2\t50000\t500\t0\n*\t0\t0\t0\n");
    assert_eq!(idxstats(&[]), expected);
    // The index alone: damage in the middle isn't seen.
    let bam = std::fs::read(folder.path("x.bam")).unwrap();
    let own = std::fs::read(folder.path("x.bam.bai")).unwrap();
    let set = |bam: &[u8], index: &[u8]| {
        folder.file("x.bam", bam);
        folder.file("x.bam.bai", index);
    };
    let mut damaged = bam.clone();
    damaged[bam.len() / 2] ^= 1;
    set(&damaged, &own);
    assert_eq!(idxstats(&[]), expected);
    assert_error(&idxstats(&["--count"]), &["x.bam"]);
    // An index of another file, one cut off, one that counts other records, and one that is older.
    let other = std::fs::read(folder.path("other.bam.bai")).unwrap();
    let mut unplaced = own.clone();
    *unplaced.iter_mut().rev().nth(7).unwrap() = 3;
    for index in [&other[..], &own[..own.len() / 2], &unplaced, b""] {
        set(&bam, index);
        let run = idxstats(&[]);
        assert_eq!((run.code, &run.stdout), (0, &expected.stdout));
        assert!(run.stderr.contains("so the whole file is read"), "{run:?}");
        set(&damaged, index);
        assert_error(&idxstats(&[]), &["x.bam"]);
    }
    set(&bam, &own);
    let index = std::fs::File::options().write(true).open(folder.path("x.bam.bai")).unwrap();
    index.set_modified(SystemTime::now() - Duration::from_secs(99)).unwrap();
    assert!(idxstats(&[]).stderr.contains("it is older than the file"));
    // Without its end the file is an error, whatever the index says.
    set(&bam[..bam.len() - 28], &own);
    assert_error(&idxstats(&[]), &["x.bam", "end-of-file"]);
    assert_eq!(idxstats(&["--allow-missing-eof"]).stdout, expected.stdout);
}

fn count(folder: &Folder, args: &[&str]) -> Run {
    run_in(folder, &[&["view", "-c"], args].concat())
}

#[test]
fn an_index_that_is_not_that_of_the_file_is_warned_of_and_the_file_is_read() {
    let folder = Folder::new();
    sorted(&folder, "x.bam", 90);
    sorted(&folder, "other.bam", 70);
    let own = std::fs::read(folder.path("x.bam.bai")).unwrap();
    let other = std::fs::read(folder.path("other.bam.bai")).unwrap();
    let empty = [b"BAI\x01".as_slice(), &2u32.to_le_bytes(), &[0; 2 * 8]].concat();
    let bare = [b"BAI\x01".as_slice(), &[0; 4]].concat();
    for region in ["chr1:90001-99000", "chr2", "chr1:1-1"] {
        let expected = count(&folder, &["x.bam", region]);
        assert_eq!((expected.code, &*expected.stderr), (0, ""), "{expected:?}");
        let indexes: [&[u8]; 7] =
            [&other, &empty, &bare, &[], &own[..own.len() - 9], &[0; 5000], b"BAI\x01"];
        for index in indexes {
            folder.file("x.bam.bai", index);
            let run = count(&folder, &["x.bam", region]);
            assert_eq!((run.code, &run.stdout), (0, &expected.stdout), "{run:?}");
            let said = &run.stderr;
            assert!(
                said.contains("warning: the index x.bam.bai doesn't match the file or is damaged"),
                "{said}"
            );
            assert!(said.contains("so the whole file is read: "), "{said}");
            assert!(said.contains("hint: rebuild it with `biofast index FILE`"), "{said}");
        }
        folder.file("x.bam.bai", &own);
    }
    // Those who ask for regions in other ways.
    folder.file("x.bam.bai", &other);
    folder.file("r.bed", "chr1\t90000\t99000\n");
    for args in [
        &["filter", "x.bam", "chr1:90001-99000", "-o", "y.bam"][..],
        &["flagstat", "x.bam", "-L", "r.bed"],
        &["idxstats", "x.bam", "--region", "chr1:90001-99000"],
        &["coverage", "x.bam", "--chrom", "chr2", "--out-dir", "depths"],
        &["stats", "x.bam", "--region", "chr1:90001-99000"],
    ] {
        let run = good(&folder, args);
        assert!(
            run.stderr.contains("the index x.bam.bai doesn't match the file or is damaged"),
            "{args:?}: {}",
            run.stderr
        );
    }
    assert_eq!(count(&folder, &["y.bam"]).stdout, "100\n");
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_called_an_index_and_is_large_takes_no_memory() {
    let folder = Folder::new();
    sorted(&folder, "x.bam", 90);
    let index = std::fs::File::create(folder.path("x.bam.bai")).unwrap();
    index.set_len(3 << 30).unwrap();
    // 400 MB of address space.
    let script = format!("ulimit -v 400000; '{}' view -c x.bam chr1", crate::common::binary());
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script]).current_dir(folder.path(""));
    let run = crate::common::finish(command);
    assert_eq!((run.code, &*run.stdout), (0, "3000\n"), "{run:?}");
    assert!(run.stderr.contains("neither BAI nor CSI"), "{run:?}");
}

#[test]
fn an_index_made_with_its_file_is_never_called_old() {
    let folder = Folder::new();
    let shape =
        sam::SamShape { records: 3000, sorted: true, longest: 150, oddities: false, seed: 5 };
    folder.file("x.sam", sam::text(&shape));
    let time = |name: &str| std::fs::metadata(folder.path(name)).unwrap().modified().unwrap();
    good(&folder, &["sort", "x.sam", "-o", "sort.bam", "--write-index"]);
    good(&folder, &["filter", "sort.bam", "-o", "filter.bam", "--write-index"]);
    good(&folder, &["merge", "sort.bam", "filter.bam", "-o", "merge.bam", "--write-index"]);
    good(&folder, &["sort", "x.sam", "-o", "csi.bam", "--write-index=csi"]);
    folder.file("x.fq", crate::common::reads("r", 5000));
    good(&folder, &["filter", "x.fq", "-o", "filter.fq.gz", "--write-index"]);
    for (file, index) in [
        ("sort.bam", "sort.bam.bai"),
        ("filter.bam", "filter.bam.bai"),
        ("merge.bam", "merge.bam.bai"),
        ("csi.bam", "csi.bam.csi"),
        ("filter.fq.gz", "filter.fq.gz.gzi"),
    ] {
        assert!(time(index) >= time(file), "{file}");
        if file.ends_with("bam") {
            assert_eq!(good(&folder, &["view", "-c", file, "chr1"]).stderr, "", "{file}");
        }
    }
    // Copied in another order within a second, and long before.
    let set = |name: &str, time: SystemTime| {
        let file = std::fs::File::options().write(true).open(folder.path(name)).unwrap();
        file.set_modified(time).unwrap();
    };
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    set("sort.bam", at + Duration::from_millis(900));
    set("sort.bam.bai", at + Duration::from_millis(100));
    assert_eq!(good(&folder, &["view", "-c", "sort.bam", "chr1"]).stderr, "");
    set("sort.bam.bai", at - Duration::from_secs(5));
    let run = good(&folder, &["view", "-c", "sort.bam", "chr1"]);
    assert!(run.stderr.contains("sort.bam.bai is older than its file"), "{run:?}");
}

#[test]
fn a_region_behind_the_end_of_its_reference_is_warned_of() {
    let folder = Folder::new();
    sorted(&folder, "x.bam", 90);
    good(&folder, &["view", "-h", "x.bam", "-o", "x.sam"]);
    let said = "region 'chr2:50001-60000' is past the end of chr2 (50000 bases)";
    for file in ["x.bam", "x.sam"] {
        let run = count(&folder, &[file, "chr2:50001-60000"]);
        assert_eq!((run.code, &*run.stdout), (0, "0\n"));
        assert!(run.stderr.contains(said), "{run:?}");
        let run = count(&folder, &[file, "chr2:49000-60000"]);
        assert!(!run.stderr.contains("lies behind"), "{run:?}");
    }
    folder.file("r.bed", "chr1\t0\t100\nchr2\t50000\t60000\nchr2\t70000\t80000\n");
    let run = count(&folder, &["x.bam", "-L", "r.bed"]);
    assert_eq!((run.code, &*run.stdout), (0, "2\n"));
    assert!(run.stderr.contains(&format!("{said}, like 1 others")), "{run:?}");
}

#[test]
fn an_error_of_order_names_the_references() {
    let folder = Folder::new();
    let mut data = header(&[("chr1", 300_000), ("chr2", 50_000)]);
    for (reference, position) in [(0, 500), (1, 90), (0, 600)] {
        let cigar = vec![50 << 4];
        data.extend(aligned(&Aligned {
            reference,
            position,
            cigar,
            len: 50,
            ..Aligned::default()
        }));
    }
    folder.file("x.bam", bgzf(&data, 10_000));
    let said = "not sorted by coordinate: chr1:601 comes after chr2:91";
    for (args, place) in [
        (&["index", "x.bam"][..], "x.bam: record 3, byte "),
        (&["filter", "x.bam", "-o", "y.bam", "--write-index"], "y.bam: record 3: "),
        (&["coverage", "x.bam"], "x.bam: record 3: "),
        (&["stats", "--qc", "mosdepth", "--out-dir", "y", "x.bam"], "x.bam: record 3: "),
        (&["merge", "x.bam", "x.bam", "-o", "y.bam"], "x.bam: record 3: "),
        (&["shards", "--number", "2", "--by-region", "x.bam"], "x.bam: record 3: "),
    ] {
        fails_in(&folder, args, &[place, said]);
    }
}

#[test]
fn a_damaged_index_of_names_is_an_error_with_what_to_do() {
    let folder = Folder::new();
    folder.file("x.fq", crate::common::reads("r", 300));
    good(&folder, &["index", "--name-index", "x.fq"]);
    let own = std::fs::read(folder.path("x.fq.bni")).unwrap();
    assert_eq!(good(&folder, &["get", "x.fq", "r7"]).stdout.lines().count(), 4);
    for (bit, byte) in (0..8).cycle().zip((0..own.len()).step_by(97)) {
        let mut bad = own.clone();
        bad[byte] ^= 1 << bit;
        folder.file("x.fq.bni", &bad);
        let run = run_in(&folder, &["get", "x.fq", "r7"]);
        // A page of other names isn't looked at.
        if run.code != 0 {
            assert_error(
                &run,
                &["x.fq.bni", "hint: rebuild it with `biofast index --name-index FILE`"],
            );
        } else {
            assert_eq!(run.stdout.lines().count(), 4);
        }
    }
    // Version 1 had no checksums.
    let mut old = own;
    old[7] = 1;
    let check = biofast_ops::get::fingerprint(&old[..56]);
    old[56..64].copy_from_slice(&check.to_le_bytes());
    folder.file("x.fq.bni", &old);
    fails_in(&folder, &["get", "x.fq", "r7"], &["unsupported version", "hint: rebuild it"]);
}
