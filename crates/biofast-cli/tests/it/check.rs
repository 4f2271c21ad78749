//! `biofast check` as people and pipelines use it.

use std::process::Stdio;

use crate::common::{
    self, Folder, Run, biofast, biofast_with, command, fails, ok_with, reads, sample, text,
};
use biofast_testkit::bam::{header, record, records};
use biofast_testkit::container::{KINDS, bgzf, gzip, wrap};

fn check(args: &[&str]) -> Run {
    biofast(&[&["check"], args].concat())
}

fn fields(run: &Run) -> Vec<Vec<&str>> {
    run.stdout.lines().map(|line| line.split('\t').collect()).collect()
}

fn bam(n: usize) -> Vec<u8> {
    let mut out = header(&[("chr1", 1000), ("chr2", 50)]);
    records(n, 2).iter().for_each(|r| out.extend(record(r)));
    out
}

const SAM: &str = "@HD\tVN:1.6\n@SQ\tSN:c\tLN:9\nr\t0\tc\t1\t9\t2M\t*\t0\t0\tAC\tII\tNM:i:0\n";

#[test]
fn a_line_for_each_good_file_whatever_it_is() {
    let folder = Folder::new();
    for kind in KINDS {
        let path = folder.file("x", wrap(kind, reads("r", 40).as_bytes()));
        let run = check(&[&path]);
        assert_eq!(run.code, 0, "{kind:?}: {run:?}");
        assert_eq!(fields(&run), [[&path, "ok", "FASTQ", "40", ""]], "{kind:?}");
        let path = folder.file("y", wrap(kind, SAM.as_bytes()));
        assert_eq!(fields(&check(&[&path])), [[&path, "ok", "SAM", "1", ""]], "{kind:?}");
    }
    for bytes in [bgzf(&bam(30), 500), gzip(&bam(30)), bam(30)] {
        let path = folder.file("x", bytes);
        let run = check(&[&path]);
        assert_eq!(fields(&run)[0][..4], [&path, "ok", "BAM", "30"], "{run:?}");
        let gzip = std::fs::read(&path).unwrap().starts_with(&[0x1f, 0x8b, 8, 0]);
        assert_eq!(run.stdout.contains("BAM in gzip"), gzip, "{run:?}");
        let piped = biofast_with(&["check"], &std::fs::read(&path).unwrap());
        assert_eq!(piped.stdout.split_once('\t'), run.stdout.split_once('\t').map(|p| ("-", p.1)));
    }
}

#[test]
fn what_others_pass_over_is_a_fault() {
    let folder = Folder::new();
    // Zeros where a disk lost blocks: nine records and the start of a tenth are left.
    let mut hole = reads("r", 100).into_bytes();
    let starts: Vec<usize> = (1..hole.len()).filter(|&at| hole[at - 1] == b'\n').collect();
    hole[starts[4 * 10 - 1] + 3..starts[4 * 50 - 1] + 3].fill(0);
    let junk = {
        let block = biofast_testkit::container::bgzf_block(b"@a\nA\n+\nI\n", &[]);
        let deflated = [&block[18..block.len() - 8], b"JUNK"].concat();
        let odd = biofast_testkit::container::bgzf_block_of(b"@a\nA\n+\nI\n", &deflated, &[]);
        [odd, bgzf(b"", 1)].concat()
    };
    let blank = b"@a\nA\n+\nI\n\n@b\nA\n+\nI\n";
    for (name, content, rest) in [
        (
            "hole.fq",
            &hole[..],
            [
                "FASTQ",
                "10",
                "record 11, line 41: expected text in the header line, found byte 0x00 in column 4",
            ],
        ),
        (
            "blank.fq",
            blank,
            [
                "FASTQ",
                "1",
                "record 2, line 5: expected the next line of the record, found a blank line",
            ],
        ),
        (
            "junk.fq.gz",
            &junk,
            [
                "other",
                "-",
                "compressed byte 0: corrupt deflate data: 4 bytes between the end of the data and the footer of a BGZF block",
            ],
        ),
        (
            "empty.fq.gz",
            b"",
            [
                "FASTQ",
                "0",
                "the file is empty (0 bytes), but even a .gz file without records has a header: it was truncated or never written",
            ],
        ),
        ("empty.bam", b"", ["BAM", "-", "expected BAM, found nothing"]),
        ("empty.cram", b"", ["CRAM", "-", "expected CRAM, found nothing"]),
        (
            "empty.xz",
            b"",
            [
                "other",
                "-",
                "the file is empty (0 bytes), but even a .xz file without records has a header: it was truncated or never written",
            ],
        ),
    ] {
        let path = folder.file(name, content);
        for more in [&[][..], &["-@", "1"], &["--allow-missing-eof"]] {
            let run = check(&[&[&*path], more].concat());
            assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{name}");
            assert_eq!(fields(&run), [[&*path, "fault", rest[0], rest[1], rest[2]]], "{name}");
        }
    }
    // Reading commands: those that lose nothing go on, with a warning.
    let path = text(&folder.path("blank.fq"));
    let run = biofast(&["stats", "-T", &path]);
    assert!(
        run.code == 0 && run.stderr.contains("record 2, line 5: blank line ignored"),
        "{run:?}"
    );
    let run = biofast(&["filter", &path, "-o", &text(&folder.path("o.fq"))]);
    assert!(
        run.code == 0 && run.stderr.contains("record 2, line 5: blank line ignored"),
        "{run:?}"
    );
    for command in ["stats", "filter"] {
        fails(&[command, "--strict", &path], &["found a blank line"]);
        for name in ["hole.fq", "junk.fq.gz", "empty.fq.gz", "empty.bam", "empty.cram", "empty.xz"]
        {
            fails(&[command, &text(&folder.path(name))], &[name]);
        }
    }
    for command in ["view", "flagstat", "fastq"] {
        for name in ["empty.bam", "empty.cram"] {
            let run = biofast(&[command, &text(&folder.path(name))]);
            assert_eq!(run.code, 2, "{command} {name}: {run:?}");
        }
    }
}

#[test]
fn empty_standard_input_that_nobody_named_is_an_error() {
    for arguments in
        [&["check"][..], &["stats"], &["filter"], &["import"], &["view"], &["flagstat"], &["fastq"]]
    {
        let run = biofast_with(arguments, b"");
        assert_eq!(run.code, 2, "{arguments:?}: {run:?}");
        let message = "standard input is empty";
        assert!(run.stderr.contains(message), "{arguments:?}: {run:?}");
    }
    for arguments in [&["check", "-"][..], &["stats", "-"], &["filter", "-"]] {
        ok_with(arguments, b"");
    }
    let folder = Folder::new();
    let out = text(&folder.path("o.bam"));
    ok_with(&["import", "-", "-o", &out], b"");
}

#[test]
fn one_bad_file_among_many_and_a_missing_one() {
    let folder = Folder::new();
    let good = folder.file("good.fq", reads("g", 10));
    let bad = folder.file("bad.fq", "@x\nA\n+\nI\n@y\nA\n+\nII\n");
    let missing = common::text(&folder.path("missing.fq"));
    let run = check(&[&good, &bad, &good]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    let rows = fields(&run);
    assert_eq!([rows[0][1], rows[1][1], rows[2][1]], ["ok", "fault", "ok"]);
    assert_eq!(rows[1][2..4], ["FASTQ", "1"]);
    assert!(rows[1][4].starts_with("record 2, line 8: read 'y': expected 1"), "{run:?}");

    let run = check(&[&good, &missing, &bad]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("missing.fq: ") && run.stderr.contains("No such file"));
    let rows = fields(&run);
    assert_eq!([rows[0][1], rows[1][1], rows[2][1]], ["ok", "error", "fault"]);

    let quiet = check(&["-q", &good, &missing, &bad]);
    assert_eq!((quiet.code, fields(&quiet)), (2, rows[1..].to_vec()));
    assert_eq!(check(&["-q", &good]).stdout, "");

    let list = folder.file("list", format!("{good}\n{missing}\n{bad}\n"));
    let listed = check(&["-X", &list]);
    let line = format!("biofast check: warning: {list}, line 2: no such file: {missing}\n");
    assert_eq!(listed.stderr, line + &run.stderr);
    assert_eq!((listed.code, &listed.stdout), (run.code, &run.stdout));
    assert_eq!(check(&["-X", &folder.file("none", "")]).code, 2);
    let folder_run = check(&[folder.path("").to_str().unwrap()]);
    assert_eq!((folder_run.code, fields(&folder_run)[0][1]), (2, "error"));
}

#[test]
fn json_says_where() {
    let folder = Folder::new();
    let mut data = bam(3);
    let start = data.len();
    data.extend(record(&records(1, 2)[0]));
    data[start + 20] = 0xfe; // l_seq
    data[start + 23] = 0xff;
    let path = folder.file("x.bam", bgzf(&data, 100));
    let run = check(&["--json", &path, &sample("sample_R1.fq.bgz")]);
    assert_eq!(run.code, 1);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&json["schema"], &json["schema_version"]), (&"biofast.check".into(), &1.into()));
    let [bad, good] = &json["files"].as_array().unwrap()[..] else { panic!("{json}") };
    assert_eq!((&bad["status"], &bad["container"]), (&"fault".into(), &"bgzf".into()));
    assert_eq!((&bad["format"], &bad["records"]), (&"BAM".into(), &3.into()));
    assert_eq!((&bad["fault"]["rule"], &bad["fault"]["record"]), (&"record".into(), &4.into()));
    assert_eq!(bad["fault"]["offset"], start);
    assert_eq!((&good["status"], &good["fault"]), (&"ok".into(), &serde_json::Value::Null));
    assert_eq!((&good["format"], &good["records"]), (&"FASTQ".into(), &2500.into()));

    let out = common::text(&folder.path("out.json"));
    assert_eq!(check(&["--json", "-o", &out, &path]).code, 1);
    assert!(std::fs::read_to_string(out).unwrap().starts_with("{\"schema\""));
}

#[test]
fn what_a_name_promises_is_kept() {
    let folder = Folder::new();
    let cases: [(&str, &[u8], i32, &str); 9] = [
        ("x.txt.gz", b"any text", 0, "only the compression was checked"),
        ("x.fq.gz", b"any text", 1, "expected FASTQ, found other text"),
        ("x.bam", b"", 1, "expected BAM, found nothing"),
        ("x.cram", b">chr1\nACGT\n", 1, "expected CRAM, found text (FASTA?)"),
        ("x.sam", b"any text", 1, "expected SAM, found other text"),
        ("x.fastq", b"", 0, "no reads"),
        ("x", b"", 0, "the input is empty"),
        // A SAM file under the name of a BAM file is read by everything; so it is here.
        ("y.bam", SAM.as_bytes(), 0, ""),
        ("x.fq.gz", b"\xef\xbb\xbf@r\nA\n+\nI\n", 1, "byte-order mark"),
    ];
    for (name, content, code, needed) in cases {
        let path = folder.file(name, gzip(content));
        let run = check(&[&path]);
        assert!(run.code == code && run.stdout.contains(needed), "{name} {needed}: {run:?}");
    }
    // Without compression there is nothing to check in unknown data.
    let path = folder.file("x.txt", "any text");
    assert!(
        check(&[&path])
            .stdout
            .contains("expected FASTQ, FASTA, BAM, SAM or CRAM, found other text")
    );
    assert_eq!(check(&[&path]).code, 1);
}

#[test]
fn the_format_can_be_demanded() {
    let folder = Folder::new();
    let fastq = folder.file("x.fq", reads("r", 3));
    let run = check(&["--format", "bam", &fastq]);
    assert_eq!((run.code, fields(&run)[0][4]), (1, "expected BAM, found FASTQ"));
    assert_eq!(biofast_with(&["check", "--expect", "bam", "-"], b"").code, 1);
    ok_with(&["check", "--expect", "fastq", "-"], b"");
    // A fault inside reads is none of the compression.
    let bad = gzip(b"@x\nA\n+\nII\n");
    assert_eq!(biofast_with(&["check"], &bad).code, 1);
    ok_with(&["check", "--expect", "any"], &bad);
    assert_eq!(biofast_with(&["check", "--expect", "any"], &bad[..bad.len() - 1]).code, 1);
}

#[test]
fn mates_are_compared() {
    let folder = Folder::new();
    let r1 = folder.file("r1.fq", reads("p", 900));
    let r2 = folder.file("r2.fq.gz", gzip(reads("p", 900).replace("@p500 ", "@q500 ").as_bytes()));
    let same = folder.file("same.fq", reads("p", 900));
    assert_eq!(check(&["--paired", &r1, &same]).code, 0);
    let run = check(&["--paired", &r1, &r2]);
    let rows = fields(&run);
    assert_eq!((run.code, rows.len()), (1, 2));
    for row in rows {
        assert_eq!(row[1], "fault");
        assert!(row[4].starts_with("record 501: ") && row[4].contains("'p500' and 'q500'"));
    }
    assert_eq!(check(&["--paired", &r1]).code, 2);
    assert_eq!(check(&["--interleaved", &r1]).code, 1);
    let pairs: String = reads("p", 40).replace(" x\n", "\n");
    let twice: Vec<&str> = pairs.split_inclusive('\n').collect();
    let both: String = twice.chunks(4).map(|r| r.concat().repeat(2)).collect();
    assert_eq!(check(&["--interleaved", &folder.file("i.fq", both)]).code, 0);
    // Alignments aren't pairs of files.
    let bam = folder.file("x.bam", bgzf(&bam(2), 500));
    assert!(check(&["--paired", &bam, &r1]).stdout.contains("expected FASTQ, found BAM"));
}

#[test]
fn a_missing_end_marker_is_a_fault_unless_allowed() {
    let folder = Folder::new();
    for (name, whole) in [
        ("x.bam", bgzf(&bam(10), 1000)),
        ("x.fq.gz", bgzf(reads("r", 50).as_bytes(), 1000)),
        ("x.txt.gz", bgzf(b"some text", 1000)),
    ] {
        let path = folder.file(name, &whole[..whole.len() - 28]);
        let run = check(&[&path]);
        assert!(run.code == 1 && run.stdout.contains("end-of-file block is missing"), "{run:?}");
        let run = check(&["--allow-missing-eof", &path]);
        assert!(run.code == 0 && run.stdout.contains("warning: the end-of-file"), "{run:?}");
    }
}

#[test]
fn bam_that_goes_on_as_ordinary_gzip() {
    let folder = Folder::new();
    let whole = bgzf(&bam(30), 500);
    let mut damaged = whole.clone();
    let at = biofast_testkit::container::bgzf_starts(&whole)[2];
    damaged[at + 12] ^= 1;
    let run = check(&[&folder.file("x.bam", damaged)]);
    let message = format!("compressed byte {at}: ordinary gzip follows BGZF blocks");
    assert!(run.code == 1 && run.stdout.contains(&message), "{run:?}");
    // Any gzip will do for reads.
    let text = reads("r", 40);
    let mixed = [bgzf(text.as_bytes(), 500), gzip(text.as_bytes())].concat();
    let run = check(&[&folder.file("x.fq.gz", mixed)]);
    assert!(run.code == 0 && run.stdout.contains("ordinary gzip follows"), "{run:?}");
}

#[test]
fn the_same_at_any_number_of_threads_and_chunk_size() {
    let folder = Folder::new();
    let mut cut = bam(2000);
    let n = cut.len();
    cut[n - 5000] ^= 0xff;
    cut.truncate(n - 7);
    let text = reads("r", 3000).replacen("@r1234 x", "r1234 x", 1);
    let sam =
        SAM.to_owned() + &"r\t5000\tc\t3\t9\t2M\tc\t20\t0\tAC\tII\tNM:Z:0\tRG:Z:a\n".repeat(500);
    let paths = [
        folder.file("good.bam", bgzf(&bam(3000), 4000)),
        folder.file("cut.bam", bgzf(&cut, 4000)),
        folder.file("bad.fq.gz", bgzf(text.as_bytes(), 3000)),
        folder.file("good.sam", sam),
    ];
    for path in &paths {
        let expected = check(&["--json", "-@1", path]);
        assert!(expected.code < 2, "{expected:?}");
        for chunk in ["1", "777", "40000"] {
            for threads in ["1", "2", "8"] {
                let run = check(&["--json", "--chunk-size", chunk, "-@", threads, path]);
                assert_eq!(run, expected, "{chunk} {threads}");
            }
        }
    }
}

#[test]
fn an_output_that_cannot_be_written() {
    let folder = Folder::new();
    let bad = folder.file("bad.fq", "@x\nA\n+\nII\n");
    for (path, code) in [(&sample("sample_R1.fq.bgz"), 0), (&bad, 1)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = command(&["check", path]);
        command.stdout(writer).stderr(Stdio::piped());
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        assert_eq!((output.status.code(), &output.stderr[..]), (Some(code), &b""[..]));
    }
    if cfg!(target_os = "linux") {
        let mut command = command(&["check", &bad]);
        command.stdout(std::fs::File::options().write(true).open("/dev/full").unwrap());
        let output = command.stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("No space left"));
    }
}

#[test]
fn a_reference_that_cannot_be_read_is_no_fault_of_the_file() {
    let run =
        biofast_with(&["check", "--reference", "/no/such.fa", "--expect", "cram"], b"CRAM\x03\0");
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("/no/such.fa") && run.stderr.contains("No such file"), "{run:?}");
    assert!(!run.stdout.contains("fault"), "{run:?}");
}

#[test]
fn alignments_named_like_reads_get_a_warning() {
    let folder = Folder::new();
    let sam = "@HD\tVN:1.6\nr\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n";
    let (named, plain) = (folder.file("a.fq", sam), folder.file("a.txt", sam));
    let run = biofast(&["check", &named]);
    let warned = "ok\tSAM\t1\twarning: the file extension says FASTQ, but the file holds SAM\n";
    assert_eq!((run.code, run.stdout), (0, format!("{named}\t{warned}")));
    for args in [&["check", &plain][..], &["check", "--expect", "sam", &named]] {
        let run = biofast(args);
        assert_eq!((run.code, run.stdout.ends_with("ok\tSAM\t1\t\n")), (0, true), "{args:?}");
    }
}
