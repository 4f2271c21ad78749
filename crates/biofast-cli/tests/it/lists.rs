//! Lists, sheets and other text: one reader for all, with byte order marks, line ends of Windows, blanks at ends, and compressed;
//! what isn't text, and what never ends, is an error.

use std::fmt::Write as _;

use crate::common::{Folder, fails_in, good, text};

use biofast_testkit::container::{Kind, bgzf, gunzip, gzip, wrap};

/// The same text as it may come.
fn spellings(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let windows = text.replace('\n', "\r\n");
    let mark = [b"\xef\xbb\xbf", text.as_bytes()].concat();
    vec![
        ("plain", text.into()),
        ("mark", mark.clone()),
        ("windows", windows.clone().into()),
        ("old Mac", text.replace('\n', "\r").into()),
        ("blanks", text.replace('\n', "  \n").into()),
        ("no end", text.trim_end().into()),
        ("gzip", gzip(text.as_bytes())),
        ("bgzf", bgzf(text.as_bytes(), 4)),
        ("zstd", wrap(Kind::Zstd, text.as_bytes())),
        ("bzip2", wrap(Kind::Bzip2, text.as_bytes())),
        ("xz", wrap(Kind::Xz, text.as_bytes())),
        ("all", gzip(&[b"\xef\xbb\xbf", windows.as_bytes()].concat())),
    ]
}

/// A BAM file with read groups.
fn alignments(folder: &Folder) -> String {
    good(folder, &["demo", &text(&folder.path("demo"))]);
    text(&folder.path("demo/aln.bam"))
}

/// Runs a command with each spelling of the text as `list`, and expects the same output of all.
fn all_alike(folder: &Folder, list: &str, args: &[&str]) -> String {
    let mut first: Option<String> = None;
    for (name, bytes) in spellings(list) {
        folder.file("list", bytes);
        let run = good(folder, args);
        match &first {
            None => first = Some(run.stdout),
            Some(first) => assert_eq!(&run.stdout, first, "{args:?}: {name}"),
        }
    }
    first.unwrap()
}

#[test]
fn every_list_is_read_by_the_same_reader() {
    let folder = Folder::new();
    let names = ["a", "b", "c"];
    let mut reads = String::new();
    for name in names {
        writeln!(reads, "@{name}\nACGTTGCA\n+\nIIIIIIII").unwrap();
    }
    folder.file("r.fq", &reads);
    let bam = alignments(&folder);
    let lines = |args: &[&str], list: &str| all_alike(&folder, list, args).lines().count();

    assert_eq!(lines(&["filter", "--quiet", "--names", "list", "r.fq"], "a\nc\n"), 8);
    assert_eq!(lines(&["filter", "--quiet", "--names", "list", "--invert", "r.fq"], "a\nc\n"), 4);
    assert_eq!(lines(&["grep", "-q", "-f", "list", "r.fq"], "a\nc\n"), 8);
    assert_eq!(lines(&["grep", "-q", "-s", "-f", "list", "r.fq"], "TTGC\n"), 12);
    assert_eq!(lines(&["grep", "-q", "-s", "-f", "list", "r.fq"], ">motif\nTTGC\n"), 12);
    assert_eq!(lines(&["stats", "--tsv", "-X", "list"], "r.fq\nr.fq\n"), 3);
    let record = good(&folder, &["view", &bam]).stdout;
    let name = record.split('\t').next().unwrap().to_owned() + "\n";
    assert_ne!(all_alike(&folder, &name, &["filter", "-c", "-N", "list", &bam]).trim(), "0");
    let group = all_alike(&folder, "lane1\n", &["filter", "-c", "-R", "list", &bam]);
    assert_ne!(group.trim(), "0");
    let tagged = ["filter", "-c", "-D", "RG:list", &bam];
    assert_eq!(all_alike(&folder, "lane1\n", &tagged), group);
    let inside = all_alike(&folder, "chr1\t0\t5000\n", &["view", "-c", "-L", "list", &bam]);
    assert_eq!(good(&folder, &["view", "-c", &bam, "chr1:1-5000"]).stdout, inside);
    let depth = ["coverage", "--quiet", "--by", "list", "--prefix", "depth", &bam];
    let mut first: Option<Vec<u8>> = None;
    for (name, bytes) in spellings("chr1\t0\t5000\n") {
        folder.file("list", bytes);
        good(&folder, &depth);
        let regions = gunzip(&std::fs::read(folder.path("depth.regions.bed.gz")).unwrap()).unwrap();
        assert_eq!(first.get_or_insert(regions.clone()), &regions, "{name}");
    }
    all_alike(&folder, "number-of-reads 100 1\n", &["stats", "--json", "--limits", "list", "r.fq"]);
    all_alike(
        &folder,
        "known\tACGTTGCAACGTTGCAACGT\n",
        &["stats", "--format", "fastqc", "--contaminants", "list", "r.fq"],
    );
    all_alike(&folder, ">x\nTTGCA\n", &["filter", "--quiet", "--adapter-fasta", "list", "r.fq"]);
}

#[test]
fn sheets_are_read_so_too() {
    let folder = Folder::new();
    folder.file("r.fq", "@a\nACGTT\n+\nIIIII\n@b\nGGCCA\n+\nIIIII\n");
    let run = [
        "demux", "--quiet", "-i", "r.fq", "-r", "4B+T", "-s", "list", "-o", "out",
        "--name-template", "{sample}.fq",
    ];
    for (name, bytes) in spellings("sample_id\tbarcode\ns1\tACGT\ns2\tGGCC\n") {
        folder.file("list", bytes);
        good(&folder, &run);
        let text = std::fs::read_to_string(folder.path("out/s1.fq")).unwrap();
        assert_eq!(text, "@a 1:N:0:ACGT\nT\n+\nI\n", "{name}");
    }
}

#[test]
fn what_is_no_list_is_an_error_that_names_the_line() {
    let folder = Folder::new();
    folder.file("r.fq", "@a\nACGT\n+\nIIII\n");
    let aligned = alignments(&folder);
    let bam = std::fs::read(&aligned).unwrap();
    for (content, why) in [
        (&b"a\nb\0c\n"[..], "line 2: expected text, found byte 0x00"),
        (b"\xff\xfea\0\n\0", "UTF-16: save it as UTF-8"),
        (&bam, "expected text, found byte 0x"),
        (&gzip(b"a\nb\n")[..20], "truncated"),
    ] {
        folder.file("list", content);
        for command in [
            &["filter", "--names", "list", "r.fq"][..],
            &["filter", "--names", "list", "--invert", "r.fq"],
            &["grep", "-f", "list", "r.fq"],
            &["stats", "-X", "list"],
            &["demux", "-i", "r.fq", "-r", "2B+T", "-s", "list", "-o", "out"],
            &["stats", "--limits", "list", "r.fq"],
            &["filter", "-N", "list", &aligned],
            &["filter", "--adapter-fasta", "list", "r.fq"],
        ] {
            let run = fails_in(&folder, command, &["list", why]);
            assert!(run.stdout.is_empty() || command[0] == "stats", "{run:?}");
        }
    }
}

#[test]
fn intervals_that_are_no_text_are_an_error_that_names_the_line() {
    let folder = Folder::new();
    let bam = alignments(&folder);
    folder.file("list", b"chr1\t0\t500\nchr1\t\x007\t9\n");
    for command in [
        &["view", "-L", "list", &bam][..],
        &["coverage", "--by", "list", "--prefix", "depth", &bam],
    ] {
        fails_in(&folder, command, &["list", "line 2: expected text, found byte 0x00"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_never_ends_is_an_error() {
    let folder = Folder::new();
    folder.file("r.fq", "@a\nACGT\n+\nIIII\n");
    let bam = alignments(&folder);
    for command in [
        &["filter", "--names", "/dev/zero", "r.fq"][..],
        &["grep", "-f", "/dev/zero", "r.fq"],
        &["view", "-L", "/dev/zero", &bam],
        &["filter", "-N", "/dev/zero", &bam],
        &["demux", "-i", "r.fq", "-r", "2B+T", "-s", "/dev/zero", "-o", "out"],
    ] {
        fails_in(&folder, command, &["/dev/zero", "expected text"]);
    }
    // A line of 1 MiB is no name.
    folder.file("list", gzip(&vec![b'a'; 3 << 20]));
    for command in [&["filter", "--names", "list", "r.fq"][..], &["view", "-L", "list", &bam]] {
        fails_in(&folder, command, &["line 1", "a line of more than 1048576 bytes"]);
    }
}
