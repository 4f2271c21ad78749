//! `biofast flagstat` and `biofast idxstats` on any threads and from any source, and an error for every damage.

use crate::effort::{Effort, in_two_tiers};

use biofast_testkit::bam::{BamRecord, header, record};
use biofast_testkit::container::{bgzf, gzip};

use crate::common::alignments::{COMMANDS, HEADER, Odd, REFERENCES, data, odd_files, sam};
use crate::common::{self, Folder, biofast, biofast_with, command, fails, finish, silent};

#[test]
fn the_same_on_any_threads_chunk_and_source() {
    let folder = Folder::new();
    let data = data(3000);
    let path = folder.file("x.bam", bgzf(&data, 5000));
    for command in COMMANDS {
        let expected = silent(&[command, &[&path]].concat());
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

fn data_cut_anywhere_are_an_error_or_whole_records(effort: Effort) {
    let data = data(4);
    let ends: Vec<usize> = (0..=4).map(|n| self::data(n).len()).collect();
    let step = effort.pick(7, 1);
    for cut in (0..data.len()).filter(|cut| cut % step == 0 || ends.contains(cut)) {
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
        record(&BamRecord { references: [0, 1], mapq: 60, flags: 99, name: "r".into(), len: 10 });
    let start = header(&REFERENCES).len();
    let set = |at: usize, bytes: &[u8]| {
        let mut data = header(&REFERENCES);
        data.extend(&good);
        data[start + at..start + at + bytes.len()].copy_from_slice(bytes);
        data.extend(&good);
        bgzf(&data, 60_000)
    };
    let cases: [(usize, &[u8], &str); 8] = [
        (0, &i32::MAX.to_le_bytes(), "file is truncated: it ends inside a record"),
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
        ("chr1\t5\t10\n", "text other than SAM"),
        ("", "standard input is empty"),
    ] {
        let run = biofast_with(&["flagstat"], content.as_bytes());
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}

#[test]
fn sam_is_read_from_any_container_on_any_threads() {
    let folder = Folder::new();
    let text = sam(3000);
    let path = folder.file("x.txt", &text);
    for command in COMMANDS {
        let expected = silent(&[command, &[&path]].concat());
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
        "biofast flagstat: error: {path}: record 21, line 25: invalid SAM: expected as many qualities \
         (QUAL) as bases (SEQ), found 'III'\n\
         biofast flagstat: hint: the line may have been cut or edited, or the program that wrote it has a bug: correct the line, or copy or download the file again\n"
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

/// What samtools reads though it breaks a rule is read, each kind with one warning; with --strict it is an error.
#[test]
fn what_loses_nothing_is_read_with_a_warning_and_refused_by_strict() {
    let folder = Folder::new();
    for Odd { name, text, expected, needed } in odd_files() {
        let is_header = name == "long";
        let path = folder.file("odd.sam", text);
        for threads in ["1", "3"] {
            let run = biofast(&["view", "-h", "--no-PG", "-@", threads, &path]);
            assert_eq!((run.code, &run.stdout), (0, &expected), "{name}: {run:?}");
            let warnings: Vec<&str> =
                run.stderr.lines().filter(|line| line.contains("warning")).collect();
            let [warning] = warnings[..] else { panic!("{name}: {}", run.stderr) };
            assert!(warning.contains(needed), "{name}: {warning}");
            let place = "record 2, line 4: ";
            let counted = warning.contains(place) && warning.contains("(2 times; --strict");
            assert!(counted || is_header, "{name}: {warning}");
        }
        let stats = biofast(&["stats", "--json", &path]);
        assert!(stats.code == 0 && stats.stderr.contains(needed), "{name}: {stats:?}");
        for command in ["view", "stats", "flagstat", "idxstats", "fastq", "filter"] {
            let run = biofast(&[command, "--strict", &path]);
            assert!(
                run.code != 0 && !run.stderr.contains("panicked"),
                "{name}: {command}: {run:?}"
            );
            let place = if is_header { "2,147,483,647" } else { "record 2, line 4" };
            assert!(run.stderr.contains(place), "{name}: {command}: {run:?}");
        }
    }
}

/// The specification allows any letter and has BAM hold N for those it lacks; U is the T of RNA.
#[test]
fn letters_that_bam_lacks_are_told_and_never_refused() {
    let folder = Folder::new();
    let line = |bases: &str| format!("r\t0\tc\t5\t9\t4M\t*\t0\t0\t{bases}\tIIII\n");
    for (bases, stored, needed) in [
        ("AuUG", "ATTG", "U in a sequence (SEQ), read as T"),
        ("AX.e", "ANNN", "letters in a sequence (SEQ) that BAM can't store, read as N"),
    ] {
        let text = [line("=ACM"), line(bases), line("ryVn"), line(bases)].concat();
        let path = folder.file("letters.sam", format!("{HEADER}{text}"));
        let expected = [line("=ACM"), line(stored), line("RYVN"), line(stored)].concat();
        for options in [&["-@1"][..], &["-@3"], &["--strict"]] {
            let run = biofast(&[&["view"], options, &[&*path]].concat());
            assert_eq!((run.code, &run.stdout), (0, &expected), "{bases}: {run:?}");
            let warnings: Vec<&str> =
                run.stderr.lines().filter(|line| line.contains("warning")).collect();
            let [warning] = warnings[..] else { panic!("{bases}: {}", run.stderr) };
            let parts = [needed, "record 2, line 4: ", "(2 times)"];
            assert!(parts.iter().all(|part| warning.contains(part)), "{warning}");
        }
        let run = biofast(&["check", &path]);
        assert!(run.code == 0 && format!("{run:?}").contains(needed), "{run:?}");
    }
}

/// What would lose or change data stays an error.
#[test]
fn what_would_change_data_is_refused() {
    let folder = Folder::new();
    for (line, needed) in [
        ("r\t010\tc\t5\t9\t4M\t*\t0\t0\tACGT\tIIII", "octal"),
        ("r\t0\tc\t5\t256\t4M\t*\t0\t0\tACGT\tIIII", "(MAPQ)"),
        ("r\t0\tc\t2147483648\t9\t4M\t*\t0\t0\tACGT\tIIII", "(POS)"),
        ("r\t0\tc\t5\t9\t4M\t*\t0\t0\tACGT\tIIII\tNM:i:1.5", "an integer"),
        ("r\t0\tc\t5\t9\t4M\t*\t0\t0\tACGT\tIIII\tNM:i:1 rest", "TAG:TYPE:VALUE"),
        ("r\t0\tc\t5\t9\t4M\t*\t0\t0\tACGT\tIIII\t\tNM:i:1", "TAG:TYPE:VALUE"),
        ("r\t0\t\t5\t9\t4M\t*\t0\t0\tACGT\tIIII", "(RNAME)"),
        ("r\t0\tc\t5\t9\t3M\t*\t0\t0\tACGT\tIIII", "the same number of bases"),
    ] {
        let path = folder.file("bad.sam", format!("{HEADER}{line}\n"));
        common::fails(&["view", &path], &["record 1, line 3", needed]);
    }
    for (header, needed) in [
        ("@SQ\tSN:c\tLN:100\n@CO\ta\0b\n@RG\tID:x\n", "line 2: invalid header: a NUL byte"),
        ("@SQ\tSN:c\tLN:100\tLN:200\n", "two lengths"),
        ("", "@SQ lines in the header"),
    ] {
        let line = "r\t0\tc\t5\t9\t4M\t*\t0\t0\tACGT\tIIII\n";
        let path = folder.file("bad.sam", format!("{header}{line}"));
        common::fails(&["view", "-h", &path], &[needed]);
    }
}

/// A length that BAM can't state isn't written as another one.
#[test]
fn a_reference_too_long_for_bam_is_not_written_as_bam() {
    let folder = Folder::new();
    let path = folder.file("long.sam", "@SQ\tSN:c\tLN:3000000000\n");
    let out = common::text(&folder.path("out.bam"));
    fails(&["view", "-b", "-o", &out, &path], &["which BAM can't store"]);
    assert!(!folder.path("out.bam").exists());
    let run = biofast(&["idxstats", &path]);
    assert!(run.stdout.starts_with("c\t3000000000\t0\t0\n"), "{run:?}");
}

/// BAM with a record changed: bytes at a place behind the block size.
fn changed(at: usize, bytes: &[u8]) -> Vec<u8> {
    let good = || {
        let fields = biofast_testkit::bam::Aligned {
            reference: 0,
            position: 9,
            flags: 0,
            cigar: vec![4 << 4],
            len: 4,
            tags: b"NMC\x01XZZab\0".to_vec(),
        };
        biofast_testkit::bam::aligned(&fields)
    };
    let mut bad = good();
    bad[at..at + bytes.len()].copy_from_slice(bytes);
    bgzf(&[header(&REFERENCES), good(), bad, good()].concat(), 1000)
}

/// CIGARs that samtools refuses, or prints as no reader accepts them, are errors of every command that reads.
#[test]
fn a_cigar_of_unknown_operations_or_another_length_is_an_error() {
    let folder = Folder::new();
    for (word, needed) in [
        (4 << 4 | 15, "codes 0 to 8, found 15"),
        (3 << 4, "CIGAR covers 3 bases, but the sequence has 4"),
        (4 << 4 | 2, "CIGAR covers 0 bases, but the sequence has 4"),
    ] {
        let path = folder.file("x.bam", changed(38, &u32::to_le_bytes(word)));
        for command in ["view", "stats", "flagstat", "idxstats", "fastq", "filter"] {
            let run = biofast(&[command, &path]);
            assert!(run.code != 0 && run.stderr.contains("record 2"), "{command}: {run:?}");
            assert!(
                run.stderr.contains(needed) && run.stderr.contains("'r'"),
                "{command}: {run:?}"
            );
        }
    }
    // Of an unmapped read no assumptions can be made.
    let mut record = changed(18, &4u16.to_le_bytes());
    record.clear();
    let unmapped = biofast_testkit::bam::Aligned {
        reference: 0,
        position: 9,
        flags: 4,
        cigar: vec![3 << 4],
        len: 4,
        tags: Vec::new(),
    };
    record.extend(header(&REFERENCES));
    record.extend(biofast_testkit::bam::aligned(&unmapped));
    let path = folder.file("y.bam", bgzf(&record, 1000));
    assert_eq!(biofast(&["flagstat", &path]).code, 0);
}

/// Text that would break a line isn't printed.
#[test]
fn names_and_fields_that_would_break_a_line_are_errors() {
    let folder = Folder::new();
    for byte in *b"\t\n\r\x01\x7f" {
        let path = folder.file("x.bam", changed(36, &[byte]));
        for command in ["view", "fastq"] {
            let run = biofast(&[command, &path]);
            common::assert_error(&run, &["its name contains a control character"]);
            assert!(run.stdout.lines().count() <= 4, "{run:?}");
        }
        let run = biofast(&["check", &path]);
        assert!(run.code == 1 && run.stdout.contains("record 2"), "{run:?}");
    }
    let path = folder.file("x.bam", changed(36, b"@"));
    common::fails(&["view", &path], &["starts with '@'"]);
    // An absent name is '*'.
    let path = folder.file("x.bam", changed(36, b"\0"));
    let run = biofast(&["view", &path]);
    assert_eq!((run.code, run.stdout.lines().nth(1).unwrap().split('\t').next()), (0, Some("*")));
    // Name, CIGAR, sequence and qualities take 36 to 48; the text of XZ is behind NM and its name.
    for byte in *b"\t\n" {
        let path = folder.file("x.bam", changed(55, &[byte]));
        common::fails(&["view", &path], &["a tab or line break"]);
    }
}

/// What is called BAM and isn't gets no index of another kind.
#[test]
fn what_is_called_bam_and_is_not_gets_no_index() {
    let folder = Folder::new();
    let wrong = [b"BAM\x02", &header(&REFERENCES)[4..]].concat();
    for (content, needed) in [
        (&b""[..], &["the file is empty"][..]),
        (&wrong, &["expected BAM"]),
        (b"@r\nA\n+\nI\n", &["expected BAM", "FASTQ"]),
    ] {
        let path = folder.file("x.bam", bgzf(content, 1000));
        common::fails(&["index", &path], needed);
        let left: Vec<String> = common::listed(&folder);
        assert_eq!(left, ["x.bam"]);
        // Asked for by name, it may be had: of an empty file it says that there are no blocks to jump to.
        assert_eq!(biofast(&["index", "--gzi", &path]).code, 0);
        let gzi = std::fs::read(folder.path("x.bam.gzi")).unwrap();
        assert_eq!(gzi, [0; 8]);
        std::fs::remove_file(folder.path("x.bam.gzi")).unwrap();
    }
}

/// Alignments that extend past the end of their reference cover no more than all of it.
#[test]
fn breadth_is_never_more_than_the_reference() {
    let folder = Folder::new();
    let line = |position: u32, cigar: &str, len: usize| {
        let (bases, qualities) = ("A".repeat(len), "I".repeat(len));
        format!("r\t0\tc\t{position}\t60\t{cigar}\t*\t0\t0\t{bases}\t{qualities}\n")
    };
    let header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:10\n";
    let text = [header, &line(1, "20M", 20), &line(8, "2M5N5M", 7), &line(15, "5M", 5)].concat();
    let path = folder.file("s.sam", text);
    let run = biofast(&["stats", "--json", &path]);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let coverage = &json["files"][0]["coverage"];
    assert_eq!(coverage["breadth_percent"], 100.0, "{run:?}");
    assert_eq!(coverage["covered"], 10);
    assert_eq!(coverage["mean_depth"], 1.2);
    let warning = "record 1: the alignment extends past the end of its reference";
    assert!(run.stderr.contains(warning) && run.stderr.contains("(3 times)"), "{run:?}");
}

/// The same without samtools: a container of its header whose stated length is up to four bytes too short, right, or
/// longer than its blocks.
#[test]
fn cram_2_whose_header_states_another_length() {
    let folder = Folder::new();
    // Numbers up to 16,383.
    let itf8 = |n: usize| vec![0x80 | (n >> 8) as u8, n as u8];
    let header = b"@HD\tVN:1.6\n@SQ\tSN:c\tLN:10\n";
    for (stated, padding, good) in
        [(0i32, 0, true), (-2, 0, true), (-4, 0, true), (-5, 0, false), (7, 7, true), (7, 0, false)]
    {
        let mut data = (header.len() as u32).to_le_bytes().to_vec();
        data.extend(header);
        data.resize(300, 0);
        let block = [&[0, 0, 0][..], &itf8(data.len()), &itf8(data.len()), &data].concat();
        let mut file = b"CRAM\x02\x01".to_vec();
        file.extend([0; 20]);
        file.extend((block.len() as i32 + stated).to_le_bytes());
        file.extend([0, 0, 0, 0, 0, 0, 1, 1, 0]);
        file.extend(block);
        file.extend(vec![0; padding]);
        // The end-of-file container of version 2.1.
        file.extend([0x0b, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xe0, 0x45, 0x4f, 0x46, 0, 0, 0]);
        file.extend([0, 1, 0, 0, 1, 0, 6, 6, 1, 0, 1, 0, 1, 0]);
        let path = folder.file("x.cram", file);
        let run = biofast(&["view", "-h", "--no-PG", &path]);
        if good {
            assert_eq!((run.code, run.stdout.as_bytes()), (0, &header[..]), "{stated}: {run:?}");
        } else {
            assert!(run.code == 2 && !run.stderr.contains("panicked"), "{stated}: {run:?}");
        }
    }
}

in_two_tiers!(data_cut_anywhere_are_an_error_or_whole_records);
