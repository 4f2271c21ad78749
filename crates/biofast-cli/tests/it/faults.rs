//! Bad input and bad luck: a clear message, the right exit code, nothing lost, no panic.
//! The cases are those where other tools were seen to exit 0.

use std::process::Stdio;

use crate::common::{
    self, Folder, assert_error, biofast, biofast_with, command, fails, finish, ok, reads, sample,
    silent,
};
use biofast_testkit::container::{Kind, bgzf, gzip, wrap};

/// The run failed with a message that holds all of `needed`, and nothing panicked.
#[test]
fn truncated_gzip_and_bgzf_are_errors() {
    let folder = Folder::new();
    let text = reads("r", 400);
    for kind in [Kind::Gzip, Kind::Bgzf(4000), Kind::Zstd, Kind::Bzip2, Kind::Xz] {
        let whole = wrap(kind, text.as_bytes());
        let path = folder.file("cut", &whole[..whole.len() * 2 / 3]);
        fails(&["stats", &path], &[&path, "truncated"]);
        let run = biofast_with(&["stats", "-T"], &whole[..whole.len() * 2 / 3]);
        assert_error(&run, &["truncated"]);
    }
}

#[test]
fn a_missing_eof_block_is_a_warning_or_an_error_by_choice() {
    let folder = Folder::new();
    let whole = bgzf(reads("r", 50).as_bytes(), 1000);
    let path = folder.file("x.bgz", &whole[..whole.len() - bgzf(b"", 1).len()]);
    let run = ok(&["stats", "-T", &path]);
    assert!(run.stderr.contains("warning") && run.stderr.contains("end-of-file block"));
    fails(&["stats", "--strict", &path], &["end-of-file block"]);
}

#[test]
fn broken_records_are_errors_with_record_and_line() {
    let folder = Folder::new();
    let good = reads("g", 2000);
    let cases = [
        ("@bad\nACGT\n+\nIII\n", "record 2001, line 8004: read 'bad': expected 4 quality"),
        ("@bad\nACGT\nIIII\n@next\n", "record 2001, line 8003: expected a separator"),
        ("@bad\nACGT\n+\nII\x01I\n", "record 2001, line 8004: expected a quality character"),
        ("@bad\nAC", "record 2001, line 8002: file is truncated"),
    ];
    for (bad, message) in cases {
        for kind in [Kind::Plain, Kind::Gzip, Kind::Bgzf(65_280)] {
            let path = folder.file("x", wrap(kind, format!("{good}{bad}").as_bytes()));
            for threads in ["1", "2", "8"] {
                let run = fails(
                    &["stats", "--json", "-@", threads, "--chunk-size", "4000", &path],
                    &[&path, message],
                );
                let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
                let file = &json["files"][0];
                assert_eq!(
                    (file["status"].as_str(), file["reads"].as_u64()),
                    (Some("error"), Some(2000))
                );
                assert!(file["error"].as_str().unwrap().contains(message));
            }
        }
    }
}

#[test]
fn a_fault_in_the_middle_gives_the_same_report_on_any_threads() {
    let folder = Folder::new();
    let text = reads("r", 3000).replacen("@r1234 x", "r1234 x", 1);
    let path = folder.file("x.bgz", bgzf(text.as_bytes(), 3000));
    let expected = fails(
        &["stats", "--json", "-@1", "--chunk-size", "4000", &path],
        &["record 1235", "line 4937"],
    );
    for threads in ["2", "3", "8"] {
        for _ in 0..5 {
            let run = biofast(&["stats", "--json", "-@", threads, "--chunk-size", "4000", &path]);
            assert_eq!(run, expected);
        }
    }
}

#[test]
fn concatenated_bgzf_is_read_to_its_end() {
    let folder = Folder::new();
    let part = |name: &str| bgzf(reads(name, 40).as_bytes(), 900);
    let path = folder.file("x.bgz", [part("a"), part("b"), part("c")].concat());
    let run = silent(&["stats", "-T", &path]);
    assert!(run.stdout.contains("\t120\t"));
}

#[test]
fn mates_that_disagree_are_errors_naming_the_record() {
    let folder = Folder::new();
    let r1 = folder.file("r1.fq", reads("p", 900));
    let swapped = reads("p", 900).replace("@p500 ", "@q500 ");
    let r2 = folder.file("r2.fq.gz", gzip(swapped.as_bytes()));
    let needed = ["record 501", "different names: 'p500' and 'q500'"];
    fails(&["stats", "--paired", &r1, &r2], &needed);

    let longer = folder.file("r3.fq", reads("p", 901));
    for pair in [[&r1, &longer], [&longer, &r1]] {
        fails(&["stats", "--paired", pair[0], pair[1]], &["record 901", "'p900' has no mate", &r1]);
    }
    fails(&["stats", "--paired", &r1], &["an even number of files"]);
    fails(&["stats", "--interleaved", &r1], &["record 1", "'p0' and 'p1'"]);
    let [one, two] =
        ["a_1.fq", "b_1.fq"].map(|name| folder.file(name, "@a/1\nA\n+\nI\n@b/1\nA\n+\nI\n"));
    let needed = ["record 1", "a second read was expected", "'a/1' is a first read"];
    fails(&["stats", "--paired", &one, &two], &needed);
    let [one, two] = ["c_2.fq", "d_2.fq"].map(|name| folder.file(name, "@a 2:N:0:ACGT\nA\n+\nI\n"));
    let needed = ["record 1", "a first read was expected", "'a' is a second read"];
    fails(&["stats", "--paired", &one, &two], &needed);
    let odd = folder.file("odd.fq", "@a\nA\n+\nI\n@a\nA\n+\nI\n@b\nA\n+\nI\n");
    fails(&["stats", "--interleaved", &odd], &["record 3", "'b' has no mate"]);
}

#[test]
fn one_bad_file_among_many_keeps_the_rows_of_the_good_ones() {
    let folder = Folder::new();
    let good = folder.file("good.fq", reads("g", 10));
    let bad = folder.file("bad.fq", "@x\nA\n+\nII\n");
    let missing = common::text(&folder.path("missing.fq"));
    let run = fails(
        &["stats", "-T", &good, &bad, &missing, &good],
        &["bad.fq: record 1, line 4", "missing.fq", "No such file"],
    );
    let rows: Vec<Vec<&str>> = run.stdout.lines().map(|l| l.split('\t').collect()).collect();
    assert_eq!(rows.len(), 5);
    assert_eq!((rows[0][19], rows[1][19], rows[4][19]), ("status", "ok", "ok"));
    assert_eq!((rows[1][3], rows[4][3]), ("10", "10"));
    assert!(rows[2][19].starts_with("error: ") && rows[2][3] == "NA");
    assert!(rows[3][19].starts_with("error: ") && rows[3][3] == "NA");
}

#[test]
fn what_is_no_file_of_reads_is_named() {
    let folder = Folder::new();
    fails(&["stats", folder.path("").to_str().unwrap()], &["is a directory"]);
    let fasta = folder.file("x.fa", ">chr1\nACGT\n");
    fails(&["filter", &fasta], &["this is FASTA"]);
    let bai = folder.file("x.bai", b"BAI\x01\x00\x00\x00\x00");
    fails(&["stats", &bai], &["record 1, line 1"]);
    let noise: Vec<u8> = (0..100_000u32).map(|i| (i % 251) as u8 | 0x80).collect();
    fails(&["stats", &folder.file("noise", noise)], &["record 1, line 1"]);
    fails(&["stats", "-", "-"], &["more than once"]);
}

#[test]
fn names_with_control_characters_are_shown_harmlessly() {
    let folder = Folder::new();
    let path = folder.file("a\n\x1b[31mb\t.fq", "@x\nA\n+\nII\n");
    let run = fails(&["stats", "-T", &path], &["a\\n\\u{1b}[31mb\\t.fq"]);
    assert!(!run.stdout.contains('\x1b') && run.stdout.lines().count() == 2, "{run:?}");
}

#[test]
fn a_closed_pipe_does_not_hide_a_fault() {
    let folder = Folder::new();
    let bad = folder.file("bad.fq", "@x\nA\n+\nII\n");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = command(&["stats", "-T", &bad]);
    command.stdout(writer).stderr(Stdio::piped());
    let output = command.spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    for format in ["-T", "--json"] {
        let mut command = command(&["stats", format, &sample("sample_R1.fq.bgz")]);
        command.stdout(full());
        let output = command.stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("No space left"));
    }
    fails(
        &["stats", "-o", "/dev/full", &sample("sample_R1.fq.bgz")],
        &["/dev/full", "No space left"],
    );
}

#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let folder = Folder::new();
    let out = common::text(&folder.path("no/such/folder/x.json"));
    fails(
        &["stats", "--json", "-o", &out, &sample("sample_R1.fq.bgz")],
        &["can't write", "x.json"],
    );
}

#[test]
fn many_files_need_few_descriptors_and_little_memory() {
    let folder = Folder::new();
    let file = folder.file("x.fq", reads("r", 2));
    let list = folder.file("list", format!("{file}\n").repeat(600));
    let limited =
        format!("ulimit -n 64; exec '{}' stats -T -@ 8 -X '{list}'", crate::common::binary());
    let shell = |script: &str| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script]);
        finish(command)
    };
    let run = shell(&limited);
    assert_eq!((run.code, run.stdout.lines().count()), (0, 601), "{}", run.stderr);
    // And little memory: 600 long reads, which a collector each would keep in 600 MB.
    let long = format!("@r\n{}\n+\n{}\n", "ACGT".repeat(1000), "IIII".repeat(1000));
    let file = folder.file("long.fq", long);
    let list = folder.file("list", format!("{file}\n").repeat(600));
    for format in ["-T", "--sample all"] {
        let limited = format!(
            "ulimit -v 400000; exec '{}' stats {format} -@ 2 -X '{list}'",
            crate::common::binary()
        );
        let run = shell(&limited);
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
}

/// Found by fuzzing: blocks with good checksums on which a decompressor panics.
#[test]
fn data_a_decompressor_has_panicked_on_are_an_error_like_any_other() {
    let folder = Folder::new();
    for name in ["panic-rans-0", "panic-rans-1"] {
        let path = format!("{}/tests/data/{name}.fuzz", env!("CARGO_MANIFEST_DIR"));
        // The first byte says how the fuzz target reads the others.
        let cram = folder.file("x.cram", &std::fs::read(path).unwrap()[1..]);
        for threads in ["1", "3"] {
            let run =
                fails(&["view", "-@", threads, &cram], &["x.cram: record 1", "invalid CRAM: "]);
            // The message and its hint.
            assert_eq!(run.stderr.lines().count(), 2, "{run:?}");
        }
    }
}
