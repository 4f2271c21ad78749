//! `biofast stats` and `biofast merge` on good input: right numbers, however they are reached.

use crate::common::{
    self, Folder, biofast, biofast_with, command, fails, finish, ok, ok_with, reads, sample, silent,
};
use biofast_testkit::container::{KINDS, Kind, bgzf, gunzip, gzip, wrap};
use biofast_testkit::{generate, reference};
use proptest::prelude::*;

fn cells(tsv: &str, row: usize) -> Vec<String> {
    tsv.lines().nth(row + 1).unwrap().split('\t').map(str::to_owned).collect()
}

#[test]
fn the_table_of_the_committed_sample() {
    let run = silent(&["stats", "-T", &sample("sample_R1.fq.bgz")]);
    let header = "file\tformat\ttype\tnum_seqs\tsum_len\tmin_len\tavg_len\tmax_len\tQ1\tQ2\tQ3\t\
                  sum_gap\tN50\tN50_num\tQ20(%)\tQ30(%)\tAvgQual\tGC(%)\tsum_n";
    assert_eq!(run.stdout.lines().next(), Some(header));
    assert_eq!(
        cells(&run.stdout, 0)[1..9],
        ["FASTQ", "DNA", "2500", "375000", "150", "150.0", "150", "150"]
    );
}

#[test]
fn every_container_from_every_source_gives_the_same_row() {
    let folder = Folder::new();
    let text = reads("r", 200);
    let expected = reference::seqkit_row(&reference::read(text.as_bytes()).0);
    for kind in KINDS {
        let bytes = wrap(kind, text.as_bytes());
        // A name that says nothing, or the wrong thing.
        let path = folder.file("reads.bam", &bytes);
        for args in [
            vec!["stats", "-T", &path],
            vec!["stats", "-T", "--io", "mmap", &path],
            vec!["stats", "-T", "--io", "read", "-@1", &path],
        ] {
            let run = silent(&args);
            assert_eq!(cells(&run.stdout, 0)[1..], expected, "{kind:?} {args:?}");
        }
        let run = ok_with(&["stats", "-T", "--stdin-label", "lane1", "-"], &bytes);
        assert_eq!(cells(&run.stdout, 0)[0], "lane1");
        assert_eq!(cells(&run.stdout, 0)[1..], expected, "{kind:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_like_a_file() {
    let folder = Folder::new();
    let pipe = folder.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let writer = {
        let pipe = pipe.clone();
        std::thread::spawn(move || std::fs::write(pipe, bgzf(reads("r", 50).as_bytes(), 777)))
    };
    let run = biofast(&["stats", "-T", pipe.to_str().unwrap()]);
    writer.join().unwrap().unwrap();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(cells(&run.stdout, 0)[3], "50");
}

#[test]
fn output_is_the_same_on_any_threads_simd_level_chunk_and_source() {
    let folder = Folder::new();
    let mut text = reads("r", 3000);
    text += &format!("@long\n{}\n+\n{}\n", "ACGTN".repeat(900), "5?I#F".repeat(900));
    for kind in [Kind::Plain, Kind::Gzip, Kind::Bgzf(5000)] {
        let path = folder.file("reads", wrap(kind, text.as_bytes()));
        let reference = ok(&["stats", "--json", "-@1", &path]);
        for chunk in ["1024", "4567", "1000000"] {
            for threads in ["1", "2", "3", "8"] {
                for io in ["mmap", "read"] {
                    let how = ["--chunk-size", chunk, "-@", threads, "--io", io];
                    let run = biofast(&[&["stats", "--json", &path], &how[..]].concat());
                    assert_eq!(run, reference, "{how:?}");
                }
            }
        }
        for isa in biofast_kernels::available() {
            let mut command = command(&["stats", "--json", &path]);
            command.env("BIOFAST_SIMD", isa.to_string());
            assert_eq!(finish(command), reference, "{isa}");
        }
    }
}

#[test]
fn an_unknown_inflate_codec_is_refused_and_both_known_ones_agree_at_any_number_of_lanes() {
    let path = sample("sample_R1.fq.bgz");
    let run = |codec: &str, lanes: &str| {
        let mut command = command(&["stats", "--json", "--chunk-size", "300000", &path]);
        command.env("BIOFAST_INFLATE", codec).env("BIOFAST_INFLATE_LANES", lanes);
        finish(command)
    };
    assert_eq!(run("own", "").code, 0);
    for lanes in ["", "1", "2", "3", "4"] {
        assert_eq!(run("own", lanes), run("libdeflate", ""), "{lanes} lanes");
    }
    for (codec, lanes, name) in
        [("zlib", "", "BIOFAST_INFLATE=zlib"), ("", "5", "BIOFAST_INFLATE_LANES=5")]
    {
        let refused = run(codec, lanes);
        assert_eq!(refused.code, 2);
        assert!(refused.stderr.contains(name), "{}", refused.stderr);
    }
}

#[test]
fn gzip_in_pieces_gives_the_same_on_any_threads_to_the_last_byte_of_a_fault() {
    let folder = Folder::new();
    let stored = std::fs::read(sample("sample_R1.fq.bgz")).unwrap();
    let whole = gzip(&gunzip(&stored).unwrap());
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x10;
    let cut = whole[..middle + 900].to_vec();
    for (name, input) in [("whole", whole), ("damaged", damaged), ("cut", cut)] {
        let path = folder.file(&format!("{name}.fq.gz"), input);
        let run = |threads: &str, piece: &str, how: &[&str]| {
            let arguments = [&["stats", "--json", "-@", threads, &path][..], how].concat();
            let mut command = command(&arguments);
            command.env("BIOFAST_GZIP_PIECE", piece);
            finish(command)
        };
        let expected = run("1", "0", &[]);
        assert_eq!(expected.code == 0, name == "whole", "{}", expected.stderr);
        for threads in ["1", "2", "4", "8"] {
            for how in [&[][..], &["--io", "mmap", "--chunk-size", "3000"]] {
                assert_eq!(run(threads, "40000", how), expected, "{name}, {threads}, {how:?}");
            }
        }
        let told = run("2", "40000", &["--verbose", "--chunk-size", "3000"]).stderr;
        assert!(told.contains("in pieces by all threads"), "{told}");
        let refused = run("2", "many", &[]);
        assert!(refused.code == 2 && refused.stderr.contains("BIOFAST_GZIP_PIECE=many"));
    }
}

#[test]
fn an_unknown_simd_level_is_refused() {
    let mut command = command(&["stats", &sample("sample_R1.fq.bgz")]);
    command.env("BIOFAST_SIMD", "mmx");
    let run = finish(command);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("BIOFAST_SIMD") && run.stderr.contains("mmx"), "{}", run.stderr);
}

#[test]
fn merged_reports_equal_one_run_over_both() {
    let folder = Folder::new();
    let long = format!("@long\n{}\n+\n{}\n", "ACGTU".repeat(1900), "5?I#F".repeat(1900));
    let a = folder.file("a.fq", reads("a", 300) + &long);
    let b = folder.file("b.fq.gz", gzip(reads("b", 77).as_bytes()));
    let part = |input: &str, name: &str| {
        let out = common::text(&folder.path(name));
        ok(&["stats", "--json", input, "-o", &out]);
        out
    };
    let (ja, jb) = (part(&a, "a.json"), part(&b, "b.json"));
    for format in ["--json", "-T", "--quiet"] {
        let format = if format == "--quiet" { vec![] } else { vec![format] };
        let with = |start: &[&str]| biofast(&[start, &format[..]].concat());
        assert_eq!(with(&["merge", &ja, &jb]), with(&["stats", &a, &b]));
        let whole = with(&["stats", "--sample", "all", &a, &b]);
        assert_eq!(with(&["merge", "--sample", "all", &ja, &jb]), whole);
        assert_eq!(whole.code, 0, "{}", whole.stderr);
    }
    fails(&["merge", &a], &["reports"]);
}

// File systems of macOS want UTF-8.
#[cfg(target_os = "linux")]
#[test]
fn a_list_may_hold_any_path() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let path = folder.path("").join(std::ffi::OsStr::from_bytes(b"lat\xe9.fq"));
    std::fs::write(&path, reads("r", 4)).unwrap();
    let list = folder.file("list", path.as_os_str().as_bytes());
    let run = ok(&["stats", "-T", "-X", &list]);
    assert!(cells(&run.stdout, 0)[0].ends_with("lat\\xe9.fq"), "{}", run.stdout);
}

#[test]
fn a_faulty_report_stays_faulty_when_merged() {
    let folder = Folder::new();
    let bad = folder.file("bad.fq", "@x\nA\n+\nII\n");
    let json = common::text(&folder.path("bad.json"));
    assert_eq!(biofast(&["stats", "--json", &bad, "-o", &json]).code, 2);
    let run = biofast(&["merge", "--tsv", &json]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("bad.fq: record 1, line 4") && run.stdout.contains("NA"));
}

#[test]
fn a_report_of_another_version_is_named() {
    let folder = Folder::new();
    let path = folder.file("x.json", r#"{"schema":"biofast.stats","schema_version":99}"#);
    fails(&["merge", &path], &["schema version 99"]);
}

#[test]
fn a_report_that_was_tampered_with_is_refused() {
    let folder = Folder::new();
    let report = biofast(&["stats", "--json", &sample("sample_R1.fq.bgz")]).stdout;
    for (from, to, message) in [
        ("\"reads\":2500", "\"reads\":2501", "doesn't add up to 'reads'"),
        ("\"gc_histogram\":[0,", "\"gc_histogram\":[2501,", "gc_histogram"),
        // As a statistic that is newer than the report: not counted isn't zero.
        ("\"gc_histogram\":", "\"gc_of_old\":", "older version of biofast"),
        ("\"gc_histogram\":", "\"gc_of_old\":", "missing field `gc_histogram`"),
    ] {
        assert!(report.contains(from));
        let lie = folder.file("lie.json", report.replace(from, to));
        fails(&["merge", &lie], &[message]);
    }
}

#[test]
fn lists_patterns_and_sample_names() {
    let folder = Folder::new();
    let a = folder.file("x_1.fq", reads("a", 3));
    let b = folder.file("x_2.fq", reads("b", 5));
    let list = folder.file("list.txt", format!("{a}\r\n\n{b}\n"));
    let pattern = common::text(&folder.path("x_*.fq"));
    for args in [vec!["stats", "-T", "-X", &list], vec!["stats", "-T", &pattern]] {
        let run = ok(&args);
        assert_eq!(
            (cells(&run.stdout, 0)[0].clone(), cells(&run.stdout, 0)[3].clone()),
            (a.clone(), "3".into())
        );
        assert_eq!(cells(&run.stdout, 1)[3], "5");
    }
    let run = biofast(&["stats", "-T", "--sample", "one", "--sample", "two", &a, &b]);
    assert_eq!((&cells(&run.stdout, 0)[0][..], &cells(&run.stdout, 1)[0][..]), ("one", "two"));
    let run = biofast(&["stats", "-T", "--sample", "both", &a, &b]);
    assert_eq!((run.stdout.lines().count(), &cells(&run.stdout, 0)[3][..]), (2, "8"));
    assert_eq!(biofast(&["stats", "--sample", "1", "--sample", "2", &a]).code, 2);
    let run = biofast(&["stats", "-T", &a, &common::text(&folder.path("y_*.fq"))]);
    assert_eq!((run.code, &cells(&run.stdout, 0)[3][..]), (2, "3"), "{}", run.stderr);
}

#[test]
fn an_empty_input_has_no_reads_and_is_no_error() {
    let folder = Folder::new();
    for content in [vec![], gzip(b""), bgzf(b"", 1), b"\n\n\r\n".to_vec()] {
        let path = folder.file("empty", content);
        for format in ["-T", "--json"] {
            let run = biofast(&["stats", format, &path]);
            let warning = format!("biofast stats: warning: {path}: no reads\n");
            assert_eq!((run.code, run.stderr), (0, warning));
            assert!(!run.stdout.contains("NaN") && !run.stdout.contains("null"));
        }
        assert_eq!(cells(&biofast(&["stats", "-T", &path]).stdout, 0)[3], "0");
    }
}

#[test]
fn mates_are_accepted_in_every_naming() {
    let folder = Folder::new();
    let plain = reads("p", 700);
    let r1 = folder.file("r1.fq", plain.replace(" x\n", "/1 x\n"));
    let r2 = folder.file("r2.fq", plain.replace(" x\n", "/2 y\n"));
    let casava = folder.file("c.fq", plain.replace(" x\n", " 2:N:0:ACGT\n"));
    let bare = folder.file("b.fq", &plain);
    ok(&["stats", "--paired", &r1, &r2, &bare, &casava]);
    let records = |text: &str| -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        lines.chunks(4).map(|c| c.join("\n") + "\n").collect()
    };
    let mut interleaved = String::new();
    for record in records(&plain) {
        interleaved += &record.replacen(" x\n", "/1\n", 1);
        interleaved += &record.replacen(" x\n", "/2\n", 1);
    }
    let path = folder.file("i.fq", &interleaved);
    ok(&["stats", "--interleaved", &path]);
}

#[test]
fn old_qualities_are_warned_about() {
    let folder = Folder::new();
    let path = folder.file("old.fq", "@a\nACGT\n+\nBhhf\n");
    let run = ok(&["stats", "-T", &path]);
    assert!(run.stderr.contains("warning") && run.stderr.contains("phred64"), "{}", run.stderr);
    assert_eq!(biofast(&["stats", "-T", "-q", &path]).stderr, "");
}

#[test]
fn help_shows_examples_and_the_options() {
    let run = ok(&["stats", "--help"]);
    for needed in [
        "Examples:", "--files-from", "--tsv", "--json", "--out", "--paired", "--interleaved",
        "--sample", "--stdin-label", "--threads", "--io", "--strict", "--quiet", "--verbose",
    ] {
        assert!(run.stdout.contains(needed), "{needed}");
    }
    assert!(biofast(&["--version"]).stdout.starts_with("biofast 0."));
}

/// The obvious per-position counts.
fn position_counts(records: &[reference::ReferenceRecord]) -> Vec<[u64; 6]> {
    let longest = records.iter().map(|r| r.sequence.len()).max().unwrap_or(0);
    let mut counts = vec![[0; 6]; longest];
    for record in records {
        for (position, base) in record.sequence.iter().enumerate() {
            let class = b"ACGTN".iter().position(|b| *b == base.to_ascii_uppercase());
            counts[position][class.unwrap_or(5)] += 1;
        }
    }
    counts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(target_arch = "x86_64") { 60 } else { 6 }))]

    #[test]
    fn tables_and_json_agree_with_a_plain_reference(text in generate::good()) {
        let (records, _) = reference::read(&text);
        let run = biofast_with(&["stats", "-T", "-q", "--chunk-size", "100", "-"], &text);
        prop_assert_eq!(run.code, 0, "{}", run.stderr);
        prop_assert_eq!(&cells(&run.stdout, 0)[1..], &reference::seqkit_row(&records)[..]);

        let run = biofast_with(&["stats", "--json", "-q", "-"], &text);
        let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let file = &json["files"][0];
        let expected = position_counts(&records);
        let found = file["positions"].as_array().unwrap();
        prop_assert_eq!(found.len(), expected.len());
        for (position, counts) in found.iter().zip(&expected) {
            let found: Vec<u64> =
                position["bases"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
            prop_assert_eq!(&found[..], counts);
        }
        for (index, position) in found.iter().enumerate() {
            let mut phred: Vec<u8> =
                records.iter().filter_map(|r| r.qualities.get(index)).map(|q| q - 33).collect();
            phred.sort_unstable();
            for (which, percent) in [10, 25, 50, 75, 90].into_iter().enumerate() {
                let rank = (phred.len() * percent).div_ceil(100).max(1) - 1;
                prop_assert_eq!(
                    position["quality_percentiles"][which].as_u64(),
                    Some(u64::from(phred[rank]))
                );
            }
        }
        let gc_reads: u64 = file["composition"]["gc_histogram"]
            .as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum();
        let with_acgt = records
            .iter()
            .filter(|r| r.sequence.iter().any(|b| b"ACGTacgt".contains(b)))
            .count();
        prop_assert_eq!(gc_reads, with_acgt as u64);
    }
}
