//! What is written is read again, and is the same, or it is an error that names what can't be written.

use crate::common::odd_bam::{ODD_HEADERS, as_read_again, good_header, odd_record};
use crate::common::{Folder, Run, biofast, fails, ok};
use biofast_testkit::bam::header_of;
use biofast_testkit::container::bgzf;
use biofast_testkit::random::Random;

const EOF: [u8; 28] = biofast_io::bgzf::EOF_BLOCK;

fn bam(folder: &Folder, header: Vec<u8>, records: &[u8]) -> String {
    let mut file = bgzf(&[header, records.to_vec()].concat(), 60_000);
    if !file.ends_with(&EOF) {
        file.extend(EOF);
    }
    folder.file("x.bam", file)
}

/// What is printed, without the lines of programs.
fn lines(run: &Run) -> Vec<String> {
    run.stdout.lines().filter(|line| !line.starts_with("@PG")).map(as_read_again).collect()
}

/// Runs a command that prints SAM; if it does, the text must be read as what it is.
fn print_and_read(folder: &Folder, args: &[&str], subject: &str) -> bool {
    let run = biofast(args);
    assert!(run.code == 0 || run.code == 2, "{args:?}: {run:?}");
    if run.code == 2 {
        let is_named = [subject, "header", "invalid BAM", "optional fields"];
        assert!(is_named.iter().any(|name| run.stderr.contains(name)), "{run:?}");
        return false;
    }
    let text = folder.file("x.sam", &run.stdout);
    let again = ok(&["view", "-h", "--no-PG", &text]);
    assert_eq!(lines(&again), lines(&run), "{args:?}");
    true
}

#[test]
fn records_that_text_cannot_hold_are_errors_and_others_come_back() {
    let folder = Folder::new();
    let mut random = Random(0x5a17);
    let (mut written, mut refused) = (0, 0);
    for _ in 0..80 {
        let path = bam(&folder, good_header(), &odd_record(&mut random));
        for args in [
            &["view", "-h", &path][..],
            &["sort", "-q", "-n", "-O", "sam", &path],
            &["filter", "-q", "0", "-h", "-O", "sam", &path],
        ] {
            match print_and_read(&folder, args, "record") {
                true => written += 1,
                false => refused += 1,
            }
        }
    }
    assert!(written > 45 && refused > 45, "{written} were written, {refused} refused");
}

#[test]
fn headers_that_contradict_themselves_are_errors() {
    let folder = Folder::new();
    let record = biofast_testkit::bam::record(&biofast_testkit::bam::BamRecord {
        references: [1, -1],
        mapq: 9,
        flags: 0,
        name: "r".into(),
        len: 3,
    });
    for (index, (text, list)) in ODD_HEADERS.iter().enumerate() {
        let path = bam(&folder, header_of(text, list), &record);
        let is_good = index < 4;
        let args = ["view", "-h", &path];
        assert_eq!(print_and_read(&folder, &args, "header"), is_good, "{text:?} {list:?}");
        let out = folder.path("o.bam");
        let sorted = biofast(&["sort", "-q", &path, "-o", out.to_str().unwrap()]);
        assert_eq!(sorted.code == 0, is_good, "{text:?}: {sorted:?}");
        if !is_good {
            assert!(sorted.stderr.contains("x.bam: can't write the header"), "{sorted:?}");
        }
    }
}

/// As samtools 1.24 does: lines that it refuses in SAM aren't written there, and pass from BAM to BAM.
#[test]
fn header_lines_that_samtools_refuses_are_not_written_as_sam() {
    let folder = Folder::new();
    let lines = [
        ("@xy\tzz:1", false),
        ("@RG", false),
        ("@RG\tSM:x", false),
        ("@RG\tID:", true),
        ("@RG\tID:a\t", false),
        ("@RG\tID:a\tab=c", false),
        ("@RG\t\tID:a", false),
        ("@RG\tID:a\tXY:", true),
        ("@PG\tPN:x", false),
        ("@PG\tID:a\tPP:none", true),
        ("@SQ\tLN:5", false),
        ("@CO", true),
        ("@CO\tx\ty", true),
        ("@CO x", false),
    ];
    for (line, is_good) in lines {
        let text = format!("@SQ\tSN:c\tLN:1000\n{line}\n");
        let path = bam(&folder, header_of(&text, &[("c", 1000)]), &[]);
        assert_eq!(print_and_read(&folder, &["view", "-h", &path], "header"), is_good, "{line}");
        let out = folder.path("o.bam");
        for args in [&["sort", "-q", &path][..], &["filter", "-q", "0", "-O", "bam", &path]] {
            ok(&[args, &["-o", out.to_str().unwrap()]].concat());
        }
        if !is_good {
            let run = biofast(&["sort", "-q", "-n", "-O", "sam", &path]);
            let named = "x.bam: can't write the header: line ";
            assert!(run.code == 2 && run.stderr.contains(named), "{line}: {run:?}");
        }
    }
}

#[test]
fn names_of_references_that_break_lines_are_faults() {
    let folder = Folder::new();
    for name in ["", "chr\n1\t5", "a\tb", "=", "*"] {
        let path = bam(&folder, header_of("", &[(name, 1000)]), &[]);
        let run = biofast(&["check", &path]);
        assert_eq!(run.code, 1, "{name:?}: {run:?}");
        assert!(run.stdout.contains("reference name"), "{name:?}: {run:?}");
        assert_eq!(biofast(&["view", "-h", &path]).code, 2, "{name:?}");
    }
    let path = bam(&folder, header_of("", &[("chr\n1\t5", 1000)]), &[]);
    assert_eq!(biofast(&["idxstats", &path]).code, 2);
}

#[test]
fn numbers_beyond_single_precision_and_positions_beyond_31_bits_are_faults() {
    let folder = Folder::new();
    for value in ["3.5e38", "1e999", "1e-999"] {
        let line = format!("@HD\tVN:1.6\nr\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXX:f:{value}\n");
        let path = folder.file("f.sam", line);
        let run = biofast(&["check", &path]);
        assert!(run.code == 1 && run.stdout.contains("single-precision"), "{value}: {run:?}");
        let run = biofast(&["view", &path]);
        assert!(run.code == 0 && run.stderr.contains("beyond single precision"), "{run:?}");
    }
    for value in ["0e999", "0.0"] {
        let path = folder.file("f.sam", format!("r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXX:f:{value}\n"));
        ok(&["check", &path]);
    }
    let mut record = biofast_testkit::bam::record(&biofast_testkit::bam::BamRecord {
        references: [0, -1],
        mapq: 9,
        flags: 4,
        name: "r".into(),
        len: 3,
    });
    record[8..12].copy_from_slice(&i32::MAX.to_le_bytes());
    let path = bam(&folder, header_of("", &[("c", 1000)]), &record);
    let run = biofast(&["check", &path]);
    assert!(run.code == 1 && run.stdout.contains("below 2^31"), "{run:?}");
    fails(&["view", &path], &["can't write record 'r'"]);
}

#[test]
fn header_lines_and_records_are_told_apart() {
    let folder = Folder::new();
    let head = "@HD\tVN:1.6\n@SQ\tSN:x\tLN:100\n";
    let record = |name: &str| format!("{name}\t0\tx\t11\t60\t4M\t*\t0\t0\tACGT\tIIII\n");
    for (text, line) in [
        (format!("{head}{}{}", record("@a"), record("b")), 3),
        (format!("{head}{}", record("@ab")), 3),
        (format!("{head}{}", record("@SQ")), 3),
        (format!("{head}{}", record("@1x")), 3),
        (record("@a"), 1),
        (format!("{head}{}@CO\tlate\n", record("a")), 4),
        (format!("{head}\n{}", record("a")), 3),
        (format!("{head}{}", record("a")).replace('\n', "\r"), 1),
        (record("a").replace('\n', "\r").repeat(2), 1),
    ] {
        let path = folder.file("a.sam", &text);
        for args in [&["view", "-c", &path][..], &["fastq", "--quiet", &path], &["stats", &path]] {
            let run = biofast(args);
            assert_ne!(run.code, 0, "{text:?}: {run:?}");
            assert!(run.stderr.contains(&format!("line {line}")), "{text:?}: {run:?}");
        }
        let run = biofast(&["check", &path]);
        assert!(run.code == 1 && run.stdout.contains(&format!("line {line}")), "{text:?}: {run:?}");
    }
    // CR LF is read as LF, as samtools does.
    let path = folder.file("a.sam", format!("{head}{}", record("a")).replace('\n', "\r\n"));
    assert_eq!(biofast(&["view", "-c", &path]).stdout, "1\n");
    assert_eq!(biofast(&["view", &path]).stdout, record("a"));
    // What isn't a record may be anything.
    let path =
        folder.file("a.sam", format!("@CO\n@CO\t0\tx\t11\n@xy\tzz:1\n{head}{}", record("a")));
    assert_eq!(biofast(&["view", "-c", &path]).stdout, "1\n");
}

#[test]
fn a_check_warns_of_what_the_specification_allows() {
    let folder = Folder::new();
    let path = folder.file("a.sam", "r\t0\tchr1\t011\t060\t4M\t*\t0\t0\tACGT\tIIII\n");
    let run = ok(&["check", &path]);
    assert!(run.stdout.contains("has no @SQ lines"), "{run:?}");
    assert!(run.stdout.contains("leading zeros in a number"), "{run:?}");
    fails(&["view", &path], &["@SQ lines in the header"]);
}

#[test]
fn data_compressed_twice_are_named() {
    let folder = Folder::new();
    let once = biofast_testkit::container::gzip(b"@r\nAC\n+\nII\n");
    let path = folder.file("x.fq.gz", biofast_testkit::container::gzip(&once));
    let run = biofast(&["check", &path]);
    assert!(run.code == 1 && run.stdout.contains("gzip inside gzip"), "{run:?}");
    for args in [&["stats", &path][..], &["filter", &path], &["fastq", &path], &["view", &path]] {
        let run = biofast(args);
        assert!(run.code != 0 && run.stderr.contains("gzip inside gzip"), "{args:?}: {run:?}");
    }
    let path = folder.file("x.fq.gz", bgzf(&once, 9000));
    let run = biofast(&["stats", &path]);
    assert!(run.code != 0 && run.stderr.contains("gzip inside bgzf"), "{run:?}");
}

#[test]
fn a_file_that_needs_too_much_memory_is_refused() {
    // `printf '@r\nAC\n+\nII\n' | xz -9 --lzma2=dict=1GiB`: the dictionary's size is in the block header.
    let folder = Folder::new();
    let head = [0xfd, b'7', b'z', b'X', b'Z', 0, 0, 4, 0xe6, 0xd6, 0xb4, 0x46];
    let mut block = vec![2, 0, 0x21, 1, 36, 0, 0, 0];
    block.extend(biofast_io::crc32(&block).to_le_bytes());
    let body = [&[1, 0, 10][..], b"@r\nAC\n+\nII\n", &[0]].concat();
    let path = folder.file("x.fq.xz", [&head[..], &block, &body].concat());
    let run = biofast(&["stats", &path]);
    assert!(run.code != 0 && run.stderr.contains("more than 512 MiB of memory"), "{run:?}");
    let text: String = (0..5000).map(|n| format!("@RG\tID:g{n}\n")).collect();
    let path = folder.file("x.sam", format!("{text}r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tRG:Z:g1\n"));
    let run = biofast(&["stats", "--by", "RG", &path]);
    assert!(run.code != 0 && run.stderr.contains("at most 2048"), "{run:?}");
}

#[test]
fn a_reference_that_is_not_the_headers_is_an_error() {
    let folder = Folder::new();
    let bases = "ACGTTGCAAC".repeat(30);
    let good = folder.file("r.fa", format!(">c\n{bases}\n"));
    let cut = folder.file("cut.fa", format!(">c\n{}\n", &bases[..200]));
    let other = folder.file("other.fa", format!(">c\n{}\n", bases.replace('A', "G")));
    let shifted = folder.file("f.fa", format!(">c\n{bases}\n"));
    folder.file("f.fa.fai", "c\t300\t1\t300\t301\n");
    // printf of the bases | md5sum
    let m5 = "M5:00000000000000000000000000000000";
    let sam = |field: &str| {
        format!(
            "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:300{field}\nr\t0\tc\t1\t60\t50M\t*\t0\t0\t{}\t{}\n",
            &bases[..50],
            "I".repeat(50)
        )
    };
    let plain = folder.file("a.sam", sam(""));
    let summed = folder.file("b.sam", sam(&format!("\t{m5}")));
    let out = folder.path("o");
    let run = |fasta: &str, input: &str, what: &[&str]| {
        let fixed =
            ["stats", "-q", "--reference", fasta, input, "--out-dir", out.to_str().unwrap()];
        biofast(&[&fixed[..], what].concat())
    };
    for what in [&["--qc", "alignment-summary"][..], &["--qc", "wgs"], &["--qc", "gc-bias"]] {
        assert_eq!(run(&good, &plain, what).code, 0, "{what:?}: {:?}", run(&good, &plain, what));
        for (fasta, input, expected) in [
            (
                &cut,
                &plain,
                "cut.fa doesn't match the header: expected 300 bases (LN of its @SQ line), found 200",
            ),
            (
                &good,
                &summed,
                "r.fa doesn't match the header: expected MD5 00000000000000000000000000000000",
            ),
            (&shifted, &plain, "f.fa.fai, line 1, sequence 'c'"),
        ] {
            let run = run(fasta, input, what);
            assert!(run.code == 2 && run.stderr.contains(expected), "{what:?} {fasta}: {run:?}");
        }
    }
    assert_eq!(run(&other, &plain, &["--qc", "alignment-summary"]).code, 0, "nothing says so");

    fails(&["stats", "--format", "samtools", "--reference", &cut, &plain], &["cut.fa"]);
}

#[test]
fn files_of_different_references_are_not_called_damaged() {
    let folder = Folder::new();
    let one = folder.file("1.sam", "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:100\n");
    let two = folder.file("2.sam", "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:200\n");
    let run = fails(
        &["merge", &one, &two, "-o", folder.path("o.bam").to_str().unwrap()],
        &["'c' has 200 bases here but 100 in an earlier file"],
    );
    assert!(!run.stderr.contains("damaged") && !run.stderr.contains("invalid"), "{run:?}");
}
