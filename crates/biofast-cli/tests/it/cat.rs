//! `biofast cat`: the records of all files in their order, without compressing them again.

use biofast_testkit::container::{KINDS, bgzf, gunzip, gzip, wrap};
use biofast_testkit::effort::times;
use biofast_testkit::random::Random;

use crate::common::cat::parts;
use crate::common::{
    self, Folder, assert_error, biofast, command, fails, fails_in, good, listed, ok, ok_with,
    reads, run_in, silent, text,
};

fn records(path: &str) -> String {
    ok(&["view", path]).stdout
}

#[test]
fn records_of_all_files_come_in_order_on_any_threads() {
    let folder = Folder::new();
    let paths = parts(&folder, 4);
    let inputs: Vec<&str> = paths.iter().map(String::as_str).collect();
    let out = |name: &str| text(&folder.path(name));
    let all = out("all.bam");
    for threads in ["1", "2", "5"] {
        let to = out(&format!("by{threads}.bam"));
        let args = ["cat", "-q", "--no-PG", "-@", threads, "-o", &to];
        silent(&[&args, &inputs[..]].concat());
        match threads {
            "1" => drop(std::fs::copy(&to, &all).unwrap()),
            _ => assert!(std::fs::read(&to).unwrap() == std::fs::read(&all).unwrap()),
        }
    }
    let expected: String = paths.iter().map(|path| records(path)).collect();
    assert!(records(&all) == expected);
    ok(&["check", &all]);
    // From a pipe, and with the line of this run.
    let first = std::fs::read(&paths[0]).unwrap();
    let piped = out("piped.bam");
    let args = [&["cat", "-q", "-o", &piped, "-"], &inputs[1..]].concat();
    ok_with(&args, &first);
    assert!(records(&piped) == expected);
    assert!(biofast(&["view", "-H", "--no-PG", &piped]).stdout.contains("@PG\tID:biofast"));
}

#[test]
fn blocks_of_reads_are_copied_and_one_end_is_left() {
    let folder = Folder::new();
    let texts = [reads("a", 40), String::new(), reads("b", 70), reads("c", 1)];
    let mut paths = Vec::new();
    for (at, reads) in texts.iter().enumerate() {
        paths.push(folder.file(&format!("{at}.fq.gz"), bgzf(reads.as_bytes(), 500)));
    }
    let inputs: Vec<&str> = paths.iter().map(String::as_str).collect();
    let (out, json) = (text(&folder.path("all.fq.gz")), text(&folder.path("j.json")));
    ok(&[&["cat", "-q", "--summary", &json, "-o", &out], &inputs[..]].concat());
    let bytes = std::fs::read(&out).unwrap();
    assert_eq!(gunzip(&bytes).unwrap(), texts.concat().as_bytes());
    let without_end = |path: &String| {
        let bytes = std::fs::read(path).unwrap();
        bytes[..bytes.len() - 28].to_vec()
    };
    let blocks: Vec<u8> = paths.iter().flat_map(without_end).collect();
    assert!(bytes[..bytes.len() - 28] == blocks, "the blocks are those of the parts");
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    assert_eq!(json["summary"]["records"], 111, "{json}");
    assert_eq!(json["summary"]["content"], "fastq");
    ok(&["check", &out]);
}

/// The header of a BAM file.
fn sam_of(path: &str) -> String {
    biofast(&["view", "-H", "--no-PG", path]).stdout
}

/// What a file holds, decompressed.
fn content(path: &str) -> String {
    String::from_utf8(common::coverage::content(path)).unwrap()
}

#[test]
fn reads_in_any_mixture_of_compressions_become_their_text() {
    let folder = Folder::new();
    let mut random = Random(77);
    for case in 0..times(12) {
        let (mut paths, mut expected) = (Vec::new(), String::new());
        for part in 0..2 + random.below(3) {
            let n = random.below(30) * random.below(40);
            let kind = KINDS[random.below(KINDS.len())];
            let all = reads(&format!("p{part}:"), n);
            // The last line may lack its end.
            let cut = all.len() - usize::from(n > 0 && random.chance(40));
            paths.push(folder.file(&format!("{part}"), wrap(kind, &all.as_bytes()[..cut])));
            expected += &all;
        }
        let inputs: Vec<&str> = paths.iter().map(String::as_str).collect();
        for name in ["o.fq.gz", "o.fq", "o.fq.zst", "o.fq.bz2", "-"] {
            let mut before = None;
            for threads in ["1", "4"] {
                let out = if name == "-" { name.into() } else { text(&folder.path(name)) };
                let args = ["cat", "-q", "-@", threads, "-o", &out];
                let mut command = command(&[&args, &inputs[..]].concat());
                let run = command.output().unwrap();
                assert!(run.status.success(), "{case} {name}: {run:?}");
                let path = if name == "-" { folder.file("stdout", &run.stdout) } else { out };
                assert!(content(&path) == expected, "{case} {name}");
                let bytes = std::fs::read(&path).unwrap();
                assert!(before.is_none_or(|before| before == bytes), "{case} {name}");
                before = Some(bytes);
            }
        }
        // What is compressed by its name is gzip in any case, and plain text is.
        assert!(std::fs::read(folder.path("o.fq.gz")).unwrap().starts_with(&[0x1f, 0x8b]));
        assert!(std::fs::read_to_string(folder.path("o.fq")).unwrap() == expected);
        ok(&["check", "-q", &text(&folder.path("o.fq.gz"))]);
    }
}

#[test]
fn ordinary_gzip_is_joined_as_it_is_and_bgzf_stays_bgzf() {
    let folder = Folder::new();
    let (one, two) = (reads("a", 300), reads("b", 200));
    let [gzip_one, gzip_two] = [&one, &two].map(|text| gzip(text.as_bytes()));
    let (a, b) = (folder.file("a.fq.gz", &gzip_one), folder.file("b.fq.gz", &gzip_two));
    let c = folder.file("c.fq.gz", bgzf(two.as_bytes(), 700));
    let out = text(&folder.path("o.fq.gz"));
    ok(&["cat", "-q", &a, &b, "-o", &out]);
    assert!(std::fs::read(&out).unwrap() == [gzip_one, gzip_two].concat());
    ok(&["cat", "-q", &c, &a, "-o", &out]);
    assert_eq!(content(&out), two + &one);
    // An index of BGZF can be made of it.
    ok(&["index", "--gzi", &out]);
}

#[test]
fn lanes_of_mates_become_two_files_in_step() {
    let folder = Folder::new();
    let lane = |lane: usize, mate: usize| {
        let read = |i: usize| format!("@l{lane}:{i} {mate}:N:0:A\nACGT\n+\nIIII\n");
        (0..100 + lane).map(read).collect::<String>()
    };
    for number in 1..=3 {
        for mate in 1..=2 {
            let content = lane(number, mate);
            let content = if number == 2 { gzip(content.as_bytes()) } else { content.into_bytes() };
            folder.file(&format!("L{number}_R{mate}.fq"), content);
        }
    }
    for words in [
        "L1_R1.fq L1_R2.fq L2_R1.fq L2_R2.fq L3_R1.fq L3_R2.fq",
        "L1_R1.fq L2_R1.fq L3_R1.fq --in2 L1_R2.fq L2_R2.fq L3_R2.fq",
    ] {
        let words = [
            &common::words("cat -o R1.fq.gz --out2 R2.fq --summary s.json"),
            &common::words(words)[..],
        ];
        let run = good(&folder, &words.concat());
        assert!(run.stderr.contains("612 reads from 6 files concatenated"), "{}", run.stderr);
        for (mate, name) in [(1, "R1.fq.gz"), (2, "R2.fq")] {
            let expected: String = (1..=3).map(|number| lane(number, mate)).collect();
            assert!(content(&text(&folder.path(name))) == expected, "{name}");
        }
    }
    let before = listed(&folder);
    std::fs::remove_file(folder.path("R2.fq")).unwrap();
    for (words, said) in [
        ("L1_R1.fq L1_R2.fq L2_R1.fq", "files in pairs, but 3 are named"),
        ("L1_R1.fq L2_R1.fq --in2 L1_R2.fq", "2 files of first reads are named, but 1"),
        ("L1_R1.fq L2_R1.fq L1_R2.fq L2_R2.fq", "record 1"),
        ("L1_R2.fq L1_R1.fq", "record 1"),
        ("L1_R1.fq L1_R1.fq", "L1_R1.fq"),
        ("L1_R1.fq L1_R2.fq --sorted", "--sorted"),
    ] {
        let words = [&common::words("cat -o R1.fq.gz --out2 R2.fq"), &common::words(words)[..]];
        fails_in(&folder, &words.concat(), &[said]);
        assert!(!folder.path("R2.fq").exists());
    }
    fails_in(&folder, &["cat", "L1_R1.fq", "--in2", "L1_R2.fq"], &["--out2"]);
    let run = run_in(&folder, &["cat", "L1_R1.fq", "L1_R2.fq", "-o", "both.fq"]);
    assert!(run.code == 0 && run.stderr.contains("named as mates"), "{}", run.stderr);
    assert_eq!(listed(&folder).len(), before.len());
}

#[test]
fn faults_are_named_and_nothing_appears() {
    let folder = Folder::new();
    let paths = parts(&folder, 2);
    let (one, two) = (paths[0].as_str(), paths[1].as_str());
    let bytes = std::fs::read(two).unwrap();
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 4;
    let flipped = folder.file("flipped.bam", flipped);
    let cut = folder.file("cut.bam", &bytes[..bytes.len() / 2]);
    let no_end = folder.file("no_end.bam", &bytes[..bytes.len() - 28]);
    let sam = folder.file("y.sam", "@SQ\tSN:other\tLN:9\nr\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n");
    let other = text(&folder.path("other.bam"));
    ok(&["view", "-b", &sam, "-o", &other]);
    let gz = folder.file("x.fq.gz", [gzip(b"@r\nA\n+\nI\n"), vec![0x1f, 0x8b, 8]].concat());
    let groups = folder.file("g.sam", sam_of(one) + "@RG\tID:new\n");
    let grouped = text(&folder.path("grouped.bam"));
    ok(&["view", "-b", &groups, "-o", &grouped]);
    let bgz = folder.file("y.fq.gz", bgzf(b"@r\nA\n+\nI\n", 100));
    let [out, out_of_reads] = ["o.bam", "o.fq.gz"].map(|name| text(&folder.path(name)));
    let before = listed(&folder).len();
    for threads in ["1", "3"] {
        let run =
            |inputs: &[&str]| biofast(&[&["cat", "-@", threads, "-o", &out], inputs].concat());
        assert_error(&run(&[one, &flipped]), &["flipped.bam"]);
        assert_error(&run(&[one, &cut]), &["cut.bam"]);
        assert_error(&run(&[one, &no_end]), &["no_end.bam", "--allow-missing-eof"]);
        assert_error(&run(&[one, &other]), &["other.bam", "reference sequences"]);
        assert_error(&run(&[one, &sam]), &["y.sam", "expected BGZF"]);
        assert_error(&run(&[one, &bgz]), &["y.fq.gz", "is not BAM"]);
        fails(&["cat", "-@", threads, "-o", &out_of_reads, &bgz, one], &["1.bam holds BAM"]);
        fails(&["cat", "-@", threads, "-o", &out_of_reads, &bgz, &gz], &["x.fq.gz", "truncated"]);
        assert_error(&run(&[&bgz, &bgz]), &["o.bam would hold FASTQ"]);
        assert_error(
            &run(&[one, &grouped]),
            &["grouped.bam", "no read group 'new'", "biofast merge"],
        );
        assert_error(&run(&[one, "absent.bam"]), &["absent.bam"]);
    }
    fails(&["cat", one, two, "-o", one], &["is an input"]);
    if std::path::Path::new("/dev/full").exists() {
        fails(
            &["cat", one, two, "-o", "/dev/full"],
            &["/dev/full", "No space left", "free some space"],
        );
    }
    assert_eq!(listed(&folder).len(), before, "{:?}", listed(&folder));
    ok(&["cat", "-q", "--allow-missing-eof", &no_end, one, "-o", &out]);
    assert!(records(&out) == records(two) + &records(one));
}

#[test]
fn a_header_that_is_given_stands_in_the_place_of_the_first() {
    let folder = Folder::new();
    let paths = parts(&folder, 2);
    let (one, two) = (paths[0].as_str(), paths[1].as_str());
    let shown = biofast(&["view", "-H", "--no-PG", one]).stdout;
    let given = folder.file("h.sam", format!("{shown}@RG\tID:new\n@CO\tgiven\n"));
    let ours = text(&folder.path("ours.bam"));
    silent(&["cat", "-q", "--no-PG", "-h", &given, one, two, "-o", &ours]);
    let view = |path: &str| biofast(&["view", "-h", "--no-PG", path]).stdout;
    assert!(view(&ours).contains("@RG\tID:new\n@CO\tgiven\n"));
    let other = folder.file("other.sam", "@SQ\tSN:other\tLN:9\n");
    fails(
        &["cat", "-h", &other, one, two, "-o", &ours],
        &["1.bam", "differ from those of the given header"],
    );
    fails(&["cat", "-h", &given, one, "-o", &given], &["is an input"]);
}

#[test]
fn what_the_header_says_of_the_order_is_true() {
    let folder = Folder::new();
    let header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:999\n";
    let bam = |name: &str, more: &str, places: &[u32]| {
        let records = places.iter().map(|p| format!("r\t0\tc\t{p}\t9\t1M\t*\t0\t0\tA\tI\n"));
        let sam = folder.file("x.sam", format!("{header}{more}{}", records.collect::<String>()));
        let bam = text(&folder.path(name));
        ok(&["view", "-b", "--no-PG", &sam, "-o", &bam]);
        bam
    };
    let low = bam("low.bam", "", &[1, 5, 5]);
    let high = bam("high.bam", "", &[5, 7]);
    let out = text(&folder.path("o.bam"));
    let first_line = || biofast(&["view", "-H", &out]).stdout.lines().next().unwrap().to_owned();
    ok(&["cat", &low, &high, "-o", &out]);
    assert_eq!(first_line(), "@HD\tVN:1.6\tSO:unknown");
    ok(&["cat", "-q", "--sorted", &low, &high, "-o", &out]);
    assert_eq!(first_line(), "@HD\tVN:1.6\tSO:coordinate");
    ok(&["check", &out]);
    fails(
        &["cat", "-q", "--sorted", &high, &low, "-o", &out],
        &["low.bam: record 1", "not sorted by coordinate"],
    );
}
