//! `biofast flagstat` and `biofast idxstats`: byte for byte what samtools prints, and an error
//! for every damage.
#![allow(clippy::unwrap_used)]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use biofast_testkit::bam::{Record, header, record, records};
use biofast_testkit::container::{bgzf, gzip};
use common::{Folder, biofast, biofast_with, command, finish, installed};

const REFERENCES: [(&str, u32); 3] = [("chr1", 1000), ("chr2:HLA", 50), ("chrUn", 7)];

fn data(n: usize) -> Vec<u8> {
    let mut out = header(&REFERENCES);
    let mut records = records(n, REFERENCES.len() as i32);
    // Sorted by coordinate: those without a reference come last.
    records.sort_by_key(|r| r.references[0] as u32);
    records.iter().for_each(|r| out.extend(record(r)));
    out
}

fn samtools(args: &[&str]) -> (Option<i32>, String) {
    let output = Command::new("samtools").args(args).output().unwrap();
    if !output.status.success() {
        return (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned());
    }
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// All commands whose output must equal samtools', without the file's name.
const COMMANDS: [&[&str]; 4] =
    [&["flagstat"], &["flagstat", "-O", "json"], &["flagstat", "-O", "tsv"], &["idxstats"]];

/// Compares with samtools; returns whether samtools could read the file. It gets a copy, lest
/// `idxstats` report what an index beside the file says instead of what the file holds.
fn check(path: &str) -> bool {
    let folder = Folder::new();
    let extension = Path::new(path).extension().unwrap_or_default().to_str().unwrap();
    let path = &folder.file(&format!("copy.{extension}"), std::fs::read(path).unwrap());
    for command in COMMANDS {
        let args = [command, &[path]].concat();
        let (code, theirs) = samtools(&args);
        if theirs.contains("not position sorted") {
            // samtools' idxstats without an index wants that; biofast's counts in any order.
            continue;
        }
        if code != Some(0) {
            eprintln!("{args:?}: samtools can't read it: {theirs}");
            return false;
        }
        let ours = biofast(&args);
        assert_eq!(ours.code, 0, "{path}: {}", ours.stderr);
        assert_eq!(ours.stdout, theirs, "{args:?}");
    }
    true
}

#[test]
fn generated_records_of_all_flags_against_samtools() {
    if !installed("samtools") {
        return;
    }
    let folder = Folder::new();
    for n in [0, 1, 5000] {
        assert!(check(&folder.file("x.bam", bgzf(&data(n), 3001))), "samtools reads it");
    }
}

/// Files of the corpus that samtools 1.16 reads and biofast refuses, and why.
const EXCEPTIONS: [(&str, &str); 20] = {
    // What every format is turned into has 31 bits for positions and lengths.
    const WHY: &str = "a reference of 2^31 bases or more, which BAM can't hold";
    [
        ("htslib/test/longrefs/longref.sam", WHY),
        ("htslib/test/longrefs/longref_itr.expected.sam", WHY),
        ("htslib/test/longrefs/longref_multi.expected.sam", WHY),
        ("samtools/test/fixmate/8_isize_overflow_64bit.sam", WHY),
        ("samtools/test/large_pos/longref.sam", WHY),
        ("samtools/test/large_pos/longref2.sam", WHY),
        ("samtools/test/large_pos/longref3.expected.sam", WHY),
        ("samtools/test/large_pos/longref3.sam", WHY),
        ("samtools/test/large_pos/longref_idx.expected.sam", WHY),
        ("samtools/test/large_pos/longref_name.sam", WHY),
        ("samtools/test/large_pos/merge.expected.sam", WHY),
        ("samtools/test/markdup/7_mark_supp_dup.expected.sam", WHY),
        ("samtools/test/markdup/7_mark_supp_dup.sam", WHY),
        ("samtools/test/stat/1_map_cigar_large.sam", WHY),
        ("samtools/test/stat/2_equal_cigar_full_seq_large.sam", WHY),
        ("samtools/test/stat/3_map_cigar_equal_seq_large.sam", WHY),
        ("samtools/test/stat/4_X_cigar_full_seq_large.sam", WHY),
        ("samtools/test/stat/5_insert_cigar_large.sam", WHY),
        ("samtools/test/stat/7_supp_large.sam", WHY),
        ("samtools/test/stat/8_secondary_large.sam", WHY),
    ]
};

#[test]
fn third_party_files_against_samtools() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let Ok(manifest) = std::fs::read_to_string(shared.join("conformance/MANIFEST.tsv")) else {
        eprintln!("skipped: {} is absent", shared.display());
        return;
    };
    if !installed("samtools") {
        return;
    }
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    for line in manifest.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        if !["bam", "sam", "cram"].contains(&fields[1]) {
            continue;
        }
        let path = shared.join("conformance").join(fields[0]);
        if let Some((name, why)) = EXCEPTIONS.iter().find(|(name, _)| *name == fields[0]) {
            let run = biofast(&["flagstat", path.to_str().unwrap()]);
            assert!(run.code == 2 && run.stderr.contains("2,147,483,647"), "{name}: {run:?}");
            eprintln!("exception: {name}: {why}");
        } else {
            files.push((path, fields[2].to_owned()));
        }
    }
    for entry in std::fs::read_dir(shared.join("real")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "bam") {
            files.push((path, "valid".to_owned()));
        }
    }
    let mut compared = 0;
    for (path, verdict) in &files {
        let path = path.to_str().unwrap();
        if verdict == "invalid" {
            let run = biofast(&["flagstat", path]);
            assert_eq!(run.code, 2, "{path} is invalid: {run:?}");
        } else if verdict == "valid" {
            compared += u32::from(check(path));
        }
    }
    eprintln!("{compared} of {} files equal samtools'", files.len());
    assert!(compared > 0);
}

#[test]
fn the_same_on_any_threads_chunk_and_source() {
    let folder = Folder::new();
    let data = data(3000);
    let path = folder.file("x.bam", bgzf(&data, 5000));
    for command in COMMANDS {
        let expected = biofast(&[command, &[&path]].concat());
        assert_eq!((expected.code, expected.stderr.as_str()), (0, ""));
        for chunk in ["1", "777", "40000"] {
            for threads in ["1", "2", "8"] {
                let how = ["--chunk-size", chunk, "-@", threads, &path];
                assert_eq!(biofast(&[command, &how].concat()), expected, "{how:?}");
            }
        }
        // BAM in ordinary gzip or not compressed at all is legal, too (samtools view -u, -l 0).
        for bytes in [bgzf(&data, 900), gzip(&data), data.clone()] {
            assert_eq!(biofast_with(command, &bytes).stdout, expected.stdout);
        }
    }
}

#[test]
fn a_missing_eof_block_is_an_error_unless_allowed() {
    let folder = Folder::new();
    let whole = bgzf(&data(10), 1000);
    let path = folder.file("x.bam", &whole[..whole.len() - bgzf(b"", 1).len()]);
    let run = biofast(&["flagstat", &path]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("end-of-file block is missing"), "{}", run.stderr);
    assert_eq!(biofast(&["flagstat", "--allow-missing-eof", &path]).code, 0);
}

#[test]
fn data_cut_anywhere_are_an_error_or_whole_records() {
    let data = data(4);
    let ends: Vec<usize> = (0..=4).map(|n| self::data(n).len()).collect();
    for cut in 0..data.len() {
        let run = biofast_with(&["flagstat"], &bgzf(&data[..cut], 50));
        if let Some(n) = ends.iter().position(|&end| end == cut) {
            assert!(run.stdout.starts_with(&format!("{n} + ")) || run.code == 0, "{run:?}");
        } else {
            assert_eq!((run.code, run.stdout.as_str()), (2, ""), "cut at {cut}");
            assert!(run.stderr.contains("truncated") || cut == 0, "{}", run.stderr);
        }
    }
}

#[test]
fn every_length_field_is_checked_before_it_is_used() {
    let good =
        record(&Record { references: [0, 1], mapq: 60, flags: 99, name: "r".into(), len: 10 });
    let start = header(&REFERENCES).len();
    let set = |at: usize, bytes: &[u8]| {
        let mut data = header(&REFERENCES);
        data.extend(&good);
        data[start + at..start + at + bytes.len()].copy_from_slice(bytes);
        data.extend(&good);
        bgzf(&data, 60_000)
    };
    let cases: [(usize, &[u8], &str); 8] = [
        (0, &i32::MAX.to_le_bytes(), "truncated: the input ends inside a record"),
        (0, &(-5i32).to_le_bytes(), "expected a block size of 32 or more, found -5"),
        (0, &40i32.to_le_bytes(), "expected a block size that holds name, CIGAR"),
        (4, &3i32.to_le_bytes(), "expected a reference index of the header, or -1, found 3"),
        (24, &(-2i32).to_le_bytes(), "expected a reference index of the header, or -1, found -2"),
        (12, &[0], "expected a name with its final NUL"),
        (16, &u16::MAX.to_le_bytes(), "expected a block size that holds name, CIGAR"),
        (20, &(-1i32).to_le_bytes(), "expected a sequence length of 0 or more, found -1"),
    ];
    for (at, bytes, message) in cases {
        let run = biofast_with(&["flagstat"], &set(at, bytes));
        assert_eq!(run.code, 2, "{message}: {run:?}");
        assert!(run.stderr.contains(message) && run.stderr.contains("record 1"), "{}", run.stderr);
    }
    // 2 billion references in a file of 50 bytes.
    let mut data = header(&[]);
    let at = data.len() - 4;
    data[at..].copy_from_slice(&i32::MAX.to_le_bytes());
    let run = biofast_with(&["flagstat"], &bgzf(&data, 100));
    assert!(run.stderr.contains("inside the header"), "{}", run.stderr);
}

#[test]
fn other_formats_are_named() {
    for (content, expected) in [
        ("@read\nACGT\n+\nIIII\n", "`biofast stats`"),
        (">chr1\nACGT\n", "FASTA"),
        ("chr1\t5\t10\n", "neither SAM header lines nor alignment lines"),
        ("", "standard input is empty; name a file"),
    ] {
        let run = biofast_with(&["flagstat"], content.as_bytes());
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}

/// The records of [`data`] as SAM text.
fn sam(n: usize) -> String {
    let mut out = "@HD\tVN:1.6\n".to_owned();
    for (name, length) in REFERENCES {
        out += &format!("@SQ\tSN:{name}\tLN:{length}\n");
    }
    let mut records = records(n, REFERENCES.len() as i32);
    records.sort_by_key(|r| r.references[0] as u32);
    for r in records {
        let [own, mate] = r.references.map(|id| match REFERENCES.get(id as usize) {
            Some((name, _)) => (*name, 10),
            None => ("*", 0),
        });
        let (cigar, bases, quals) = match r.len {
            0 => ("5M".into(), "*".into(), "*".into()),
            n => (format!("{n}M"), "A".repeat(n), "?".repeat(n)),
        };
        out += &format!(
            "{}\t{}\t{}\t{}\t{}\t{cigar}\t{}\t{}\t0\t{bases}\t{quals}\n",
            r.name, r.flags, own.0, own.1, r.mapq, mate.0, mate.1
        );
    }
    out
}

#[test]
fn sam_is_read_from_any_container_on_any_threads() {
    let folder = Folder::new();
    let text = sam(3000);
    let path = folder.file("x.txt", &text);
    if installed("samtools") {
        assert!(check(&path), "samtools reads it");
    }
    for command in COMMANDS {
        let expected = biofast(&[command, &[&path]].concat());
        assert_eq!((expected.code, expected.stderr.as_str()), (0, ""));
        assert!(expected.stdout.len() > 10);
        for threads in ["1", "2", "5"] {
            for bytes in [text.clone().into(), gzip(text.as_bytes()), bgzf(text.as_bytes(), 9000)] {
                let args = [command, &["-@", threads, "--chunk-size", "999", "-"]].concat();
                assert_eq!(biofast_with(&args, &bytes).stdout, expected.stdout);
            }
        }
    }
}

#[test]
fn a_bad_line_is_named_once() {
    let folder = Folder::new();
    let path = folder.file("x.sam", sam(20) + "r\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIII\n");
    let run = biofast(&["flagstat", &path]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    let expected = format!(
        "biofast: error: {path}: record 21, line 25: invalid SAM: expected as many qualities \
         (QUAL) as bases (SEQ), found 'III'\n"
    );
    assert_eq!(run.stderr, expected);
}

#[test]
fn one_flipped_bit_is_noticed() {
    let folder = Folder::new();
    let whole = bgzf(&data(30), 400);
    let expected = biofast(&["flagstat", &folder.file("x.bam", &whole)]).stdout;
    for bit in (0..whole.len() * 8).step_by(97) {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let run = finish(command(&["flagstat", &folder.file("x.bam", damaged)]));
        assert!(run.code == 2 || run.stdout == expected, "bit {bit}: {run:?}");
    }
}
