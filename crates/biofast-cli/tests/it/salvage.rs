//! `biofast check --repair`: what is whole in a damaged file is written, and what is missing is said.
#![cfg(unix)]

use crate::common::{self, Folder, biofast_with, fails, fails_in, good, run_in, text as text_of};
use biofast_testkit::container::{Kind, bgzf, bgzf_starts, gzip, wrap};

/// Reads r0 to r199, ten or so in a block.
fn reads() -> (String, Vec<u8>) {
    let read = |i: usize| format!("@r{i}\n{}\n+\n{}\n", "ACGT".repeat(5), "I@F#".repeat(5));
    let text: String = (0..200).map(read).collect();
    let bytes = bgzf(text.as_bytes(), 500);
    (text, bytes)
}

#[test]
fn whole_records_are_written_and_what_is_missing_is_said() {
    let folder = Folder::new();
    let (text, mut bytes) = reads();
    let starts = bgzf_starts(&bytes);
    bytes[starts[3] + 30] ^= 1;
    folder.file("x.fq.gz", &bytes);
    let run =
        run_in(&folder, &["check", "--repair", "x.fq.gz", "-o", "out.fq", "--summary", "s.json"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    let lines: Vec<&str> = run.stderr.lines().collect();
    let [missing, written] = &lines[..] else { panic!("{}", run.stderr) };
    let range = format!("bytes {} to {} are damaged", starts[3], starts[4]);
    assert!(missing.contains("x.fq.gz: records are missing between"), "{missing}");
    assert!(missing.contains(&range), "{missing}");
    let out = std::fs::read_to_string(folder.path("out.fq")).unwrap();
    // Reads on either side, of which no byte is in the block.
    let name = |read: &str| read.lines().next().unwrap()[1..].to_owned();
    let all: Vec<&str> = text.split_inclusive("#\n").collect();
    assert_eq!(all.len(), 200);
    let (mut at, mut kept) = (0, String::new());
    let (mut before, mut behind) = (None, None);
    for read in all {
        let is_lost = at < 2000 && at + read.len() > 1500;
        match is_lost {
            true => {}
            false if at < 1500 => before = Some(name(read)),
            false => _ = behind.get_or_insert(name(read)),
        }
        if !is_lost {
            kept += read;
        }
        at += read.len();
    }
    assert!(out == kept);
    let neighbors = format!("after {} and before {}", before.unwrap(), behind.unwrap());
    assert!(missing.contains(&neighbors), "{missing}");
    let number = kept.lines().count() / 4;
    assert!(written.ends_with(&format!("{number} records written, but not all of the file")));
    let summary = std::fs::read_to_string(folder.path("s.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["summary"]["records"], number);
    assert_eq!(summary["summary"]["missing"][0]["damaged"][0]["from"], starts[3]);
    // What is compressed by its name is; a whole file is nothing to worry about.
    let (_, whole) = reads();
    folder.file("whole.fq.gz", &whole);
    let run = good(&folder, &["check", "--repair", "whole.fq.gz", "-o", "out.fq.gz"]);
    assert!(run.stderr.contains("nothing is missing; 200 records written"), "{}", run.stderr);
    assert_eq!(good(&folder, &["convert", "--to", "fastq", "out.fq.gz"]).stdout, text);
    folder.file("cut.fq.gz", &whole[..whole.len() - 28]);
    let run = run_in(&folder, &["check", "--repair", "cut.fq.gz", "-o", "out.fq.gz"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("the BGZF end-of-file block is missing"), "{}", run.stderr);
    // From a pipe to a pipe.
    let run = biofast_with(&["check", "-q", "--repair", "-", "-o", "-"], &whole);
    assert_eq!((run.code, run.stdout, run.stderr.as_str()), (0, text, ""));
}

#[test]
fn alignments_keep_their_header_and_are_named_with_their_positions() {
    let folder = Folder::new();
    let lines: String = (0..400)
        .map(|i| {
            format!("r{i}\t0\tchr1\t{}\t60\t4M\t*\t0\t0\tACGT\tIIII\tNM:i:{}\n", 10 * i + 1, i % 9)
        })
        .collect();
    let header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:9999\n";
    folder.file("a.sam", format!("{header}{lines}"));
    good(&folder, &["view", "--no-PG", "-u", "a.sam", "-o", "whole.bam"]);
    let text =
        biofast_testkit::container::gunzip(&std::fs::read(folder.path("whole.bam")).unwrap());
    let mut bytes = bgzf(&text.unwrap(), 1000);
    let starts = bgzf_starts(&bytes);
    bytes[starts[6]..starts[8] - 5].fill(0);
    // Cut before the end, too.
    bytes.truncate(starts[20] + 9);
    folder.file("x.bam", bytes);
    let run = run_in(&folder, &["check", "--repair", "x.bam", "-o", "out.bam"]);
    assert_eq!(run.code, 1);
    for said in [
        "x.bam: records are missing between",
        " at chr1:",
        "to the end, after",
        "the file ends inside a block",
        "the BGZF end-of-file block is missing",
    ] {
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
    }
    good(&folder, &["check", "out.bam"]);
    let shown = good(&folder, &["view", "-h", "--no-PG", "out.bam"]).stdout;
    let shown = shown.strip_prefix(header).unwrap();
    let all: Vec<&str> = lines.lines().collect();
    let kept: Vec<&str> = shown.lines().collect();
    assert!(kept.len() > 200 && kept.len() < 400, "{}", kept.len());
    // In their order, and none is new.
    let mut rest = all.iter();
    assert!(kept.iter().all(|line| rest.any(|other| other == line)));
}

#[test]
fn what_cannot_be_repaired_is_refused() {
    let folder = Folder::new();
    let (_, mut bytes) = reads();
    folder.file("x.fq.gz", &bytes);
    folder.file("plain.fq", "@r\nA\n+\nI\n");
    folder.file("text", "neither\n");
    let header = biofast_testkit::bam::header(&[("c", 9)]);
    let mut bam = bgzf(&header, 20);
    bam[25] ^= 1;
    folder.file("whole.bam", bgzf(&header, 20));
    folder.file("head.sam", "@SQ\tSN:c\tLN:9\n");
    folder.file("head.bam", bam);
    for (words, said) in [
        ("x.fq.gz", "--out"),
        ("x.fq.gz -o x.fq.gz", "x.fq.gz"),
        ("x.fq.gz plain.fq -o o.fq", "one file"),
        ("text -o o.fq", "neither BAM nor FASTQ, and"),
        (
            "whole.bam -o o.bam --skipped s.txt",
            "--skipped has no effect: whole.bam holds alignments",
        ),
        ("x.fq.gz -o o.fq --skipped x.fq.gz", "x.fq.gz"),
        ("head.bam -o o.bam", "the header is damaged"),
        ("head.bam -o o.bam", "--header FILE"),
        ("x.fq.gz --header head.sam -o o.fq", "--header has no effect"),
        ("head.bam --header absent.sam -o o.bam", "No such file"),
        ("whole.bam --header head.sam -o o.bam", "its header is intact"),
        ("x.fq.gz -o o.bam", "would hold FASTQ"),
        ("absent.bam -o o.bam", "No such file"),
        ("x.fq.gz --json -o o.fq", "--json"),
        ("x.fq.gz -o /dev/full", "No space"),
    ] {
        let words = [&["check", "--repair"][..], &common::words(words)].concat();
        fails_in(&folder, &words, &[said]);
    }
    assert!(!folder.path("o.fq").exists() && !folder.path("o.bam").exists());
    fails(&["check", "--summary", "s.json", "x.fq.gz"], &["--repair"]);
    // Nothing is left of it.
    bytes.fill(7);
    folder.file("y.fq.gz", &bytes);
    fails_in(
        &folder,
        &["check", "--repair", "y.fq.gz", "-o", "o.fq"],
        &["without an intact BGZF block"],
    );
}

#[test]
fn another_header_serves_where_that_of_the_file_is_lost() {
    let folder = Folder::new();
    let lines: String = (0..400)
        .map(|i| {
            format!("r{i}\t0\tchr1\t{}\t60\t4M\t*\t0\t0\tACGT\tIIII\tNM:i:{}\n", 10 * i + 1, i % 9)
        })
        .collect();
    let header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:9999\n@CO\tx\n";
    folder.file("h.sam", header);
    folder.file("a.sam", format!("{header}{lines}"));
    good(&folder, &["view", "--no-PG", "-u", "a.sam", "-o", "whole.bam"]);
    let text =
        biofast_testkit::container::gunzip(&std::fs::read(folder.path("whole.bam")).unwrap());
    let whole = text.unwrap();
    // The header in a block of its own, in two, or with records; the first, second or third block damaged.
    let len = whole.windows(5).position(|bytes| bytes == b"chr1\0").unwrap() + 9;
    let all: Vec<&str> = lines.lines().collect();
    for (size, damaged) in
        [(len, 0), (len / 2, 0), (len / 2, 1), (1000, 0), (40, 0), (40, 1), (len / 3 + 1, 2)]
    {
        let mut bytes = bgzf(&whole, size);
        let starts = bgzf_starts(&bytes);
        // Its checksum, or what makes it BGZF.
        for at in [20, 12] {
            bytes[starts[damaged] + at] ^= 0x55;
        }
        folder.file("x.bam", &bytes);
        let what = (size, damaged);
        let words = ["check", "--repair", "x.bam", "--header", "h.sam", "-o", "out.bam"];
        let run = run_in(&folder, &words);
        assert_eq!(run.code, 1, "{what:?} {run:?}");
        assert!(run.stderr.contains(", before r"), "{what:?} {run:?}");
        let shown = good(&folder, &["view", "-h", "--no-PG", "out.bam"]).stdout;
        let shown: Vec<&str> = shown.strip_prefix(header).unwrap().lines().collect();
        // All of a file's end, of which no record has a byte in the damaged block or in front of it.
        assert!(shown.len() + 25 > all.len() && all.ends_with(&shown), "{what:?} {}", shown.len());
        // From a pipe, whose name says nothing.
        let [given, piped] = ["h.sam", "piped.bam"].map(|name| text_of(&folder.path(name)));
        let words = ["check", "--repair", "-", "--header", &given, "-o", &piped];
        let run = biofast_with(&words, &bytes);
        assert_eq!(run.code, 1, "{what:?} {}", run.stderr);
        let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
        assert!(read("piped.bam") == read("out.bam"), "{what:?}");
    }
}

/// Members of gzip of ten reads each, and where they start.
fn members(reads: &[String]) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut starts) = (Vec::new(), Vec::new());
    for part in reads.chunks(10) {
        starts.push(bytes.len());
        bytes.extend(gzip(part.concat().as_bytes()));
    }
    (bytes, starts)
}

#[test]
fn what_is_before_damage_in_ordinary_gzip_and_later_members_are_saved() {
    let folder = Folder::new();
    let mut random = biofast_testkit::random::Random(5);
    let reads: Vec<String> = (0..300)
        .map(|i| {
            let mut of = |letters: &[u8]| -> String {
                (0..80).map(|_| char::from(letters[random.below(letters.len())])).collect()
            };
            format!("@r{i}\n{}\n+\n{}\n", of(b"ACGT"), of(b"#-8<AFI@+"))
        })
        .collect();
    let saved = |bytes: &[u8]| {
        folder.file("x.fq.gz", bytes);
        let run = run_in(&folder, &["check", "--repair", "x.fq.gz", "-o", "out.fq"]);
        (std::fs::read_to_string(folder.path("out.fq")).unwrap_or_default(), run)
    };
    let (whole, starts) = members(&reads);
    let (out, run) = saved(&whole);
    assert!(run.code == 0 && out == reads.concat(), "{run:?}");
    // A single member, cut.
    let single = gzip(reads.concat().as_bytes());
    let (out, run) = saved(&single[..single.len() / 2]);
    assert!(run.code == 1 && reads.concat().starts_with(&out), "{run:?}");
    assert!((120..180).contains(&(out.lines().count() / 4)), "{run:?}");
    assert!(run.stderr.contains("x.fq.gz: records are missing at the end, after r"), "{run:?}");
    assert!(run.stderr.contains("ordinary gzip"), "{run:?}");
    // Members in a row overwritten: what comes before and behind is whole.
    for (first, last) in [(0, 1), (7, 8), (12, 20), (29, 30)] {
        let end = starts.get(last).copied().unwrap_or(whole.len());
        for damage in [0, 0x1f, 0xff, 0x5a] {
            let mut bytes = whole.clone();
            bytes[starts[first] + 30..end].fill(damage);
            let (out, run) = saved(&bytes);
            let what = format!("{first} to {last}, {damage}: {run:?}");
            assert_eq!(run.code, 1, "{what}");
            let (before, behind) = (reads[..10 * first].concat(), reads[10 * last..].concat());
            assert!(out.starts_with(&before) && out.ends_with(&behind), "{what}");
            // And at most some of the damaged member.
            assert!(out.len() <= before.len() + behind.len() + 2000, "{what}");
            assert!(run.stderr.contains("are damaged"), "{what}");
        }
    }
    // A checksum alone, which says that something in the member is another: nothing is lost.
    let mut bytes = whole.clone();
    bytes[starts[4] - 8] ^= 1;
    let (out, run) = saved(&bytes);
    assert!(run.code == 1 && out == reads.concat() && run.stderr.contains("checksum"), "{run:?}");
}

#[test]
fn reads_around_a_broken_record_are_written_whatever_the_container() {
    let folder = Folder::new();
    let (text, _) = reads();
    let broken = text.replacen("@r7\n", "@r7\nA", 1);
    let whole =
        [&text[..text.find("@r7\n").unwrap()], &text[text.find("@r8\n").unwrap()..]].concat();
    let bytes = broken.as_bytes();
    for (name, kind) in [
        ("x.fq", Kind::Plain),
        ("x.gz", Kind::Gzip),
        ("x.bgz", Kind::Bgzf(500)),
        ("x.zst", Kind::Zstd),
    ] {
        folder.file(name, wrap(kind, bytes));
        let words = format!("check --repair {name} -o out.fq --skipped s.txt --summary s.json");
        let run = run_in(&folder, &common::words(&words));
        let (said, reason) = (
            "lines 29 to 32 are left out, after r6 and before r8",
            "expected 21 quality characters for 21 bases, found 20",
        );
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
        for part in [name, said, reason, "199 records written, but not all of the file"] {
            assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
        }
        assert_eq!(std::fs::read_to_string(folder.path("out.fq")).unwrap(), whole, "{name}");
        let skipped = std::fs::read_to_string(folder.path("s.txt")).unwrap();
        let (head, rest) = skipped.split_once('\n').unwrap();
        assert!(
            head.starts_with(&format!("# {name}: {said}: ")) && head.contains(reason),
            "{head}"
        );
        assert!(
            broken.contains(rest) && rest.starts_with("@r7\nA") && rest.lines().count() == 4,
            "{rest}"
        );
        let summary = std::fs::read_to_string(folder.path("s.json")).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        assert_eq!(summary["summary"]["missing"][0]["lines"], serde_json::json!([29, 32]));
    }
}
