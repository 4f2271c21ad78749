//! `biofast markdup`: the marks of a plain rule in any order of the input, and blocks that are changed as they are stored.
//! Equality with samtools and Picard: `tests/peers/marks.rs`.

use std::collections::BTreeSet;

use biofast_testkit::container::{bgzf, gunzip};
use biofast_testkit::small::{self, Names, TemplateShape};

use crate::common::{
    Folder, assert_error, biofast, biofast_with, fails, ok, ok_with, silent, text,
};
use crate::sort::written_with_reports;
use crate::sort_duplicates::count_as_the_plain_rule_says;

fn run(args: &[&str]) -> String {
    silent(&[&["markdup", "-q", "--no-PG"], args].concat()).stdout
}

fn marked(args: &[&str]) -> String {
    run(&[&["-O", "sam"], args].concat())
}

fn sort(args: &[&str]) {
    ok(&[&["sort", "-q", "--no-PG"], args].concat());
}

/// Without the tags of fixmate.
fn without_mate_tags(sam: &str) -> String {
    let is_kept =
        |field: &&str| !["MC:Z:", "ms:i:", "MQ:i:"].iter().any(|tag| field.starts_with(tag));
    let line = |line: &str| line.split('\t').filter(is_kept).collect::<Vec<_>>().join("\t") + "\n";
    sam.lines().map(line).collect()
}

/// Names, which read it is and whether it is marked, in an order of their own.
fn marks(sam: &str) -> BTreeSet<String> {
    let records = sam.lines().filter(|line| !line.starts_with('@'));
    let mark = |line: &str| {
        let mut fields = line.split('\t');
        let (name, flags) = (fields.next().unwrap(), fields.next().unwrap());
        format!("{name} {}", flags.parse::<u16>().unwrap() & (64 | 128 | 256 | 1024 | 2048))
    };
    records.map(mark).collect()
}

/// Templates as an aligner writes them, and the same sorted and told of their mates.
fn templates(folder: &Folder, sets: usize, names: Names) -> [String; 2] {
    let shape = TemplateShape { seed: 11, sets, templates: 24, names, ..TemplateShape::default() };
    let grouped = folder.file("grouped.sam", small::text(&shape));
    let sorted = text(&folder.path("sorted.sam"));
    sort(&["--mark-duplicates", "-c", &grouped, "-o", &sorted]);
    [grouped, sorted]
}

#[test]
fn reads_are_marked_as_the_plain_rule_says_in_any_order_and_memory() {
    let folder = Folder::new();
    let [grouped, sorted] = templates(&folder, 400, Names::Mixed);
    let by_tags = marked(&["-c", &sorted]);
    let (duplicates, others) = count_as_the_plain_rule_says(&by_tags, false);
    assert!(duplicates > 1000 && others > 4000, "{duplicates} {others}");
    // Without tags, or where one is missing, mates are found by name.
    let sam = std::fs::read_to_string(&sorted).unwrap();
    let bare = folder.file("bare.sam", without_mate_tags(&sam));
    let by_names = marked(&["-c", &bare]);
    assert!(by_names == without_mate_tags(&by_tags));
    assert!(marked(&["-c", "-m", "16K", "--threads", "3", &bare]) == by_names);
    let (start, end) = sam.rsplit_once("\tms:i:").unwrap();
    let one_missing = folder.file("one.sam", format!("{start}\txs:i:{end}"));
    assert!(marks(&marked(&["-c", &one_missing])) == marks(&by_tags));
    assert!(marks(&marked(&["-c", &grouped])) == marks(&by_tags));
    // Marked once, it stays as it is.
    let again = folder.file("again.sam", &by_tags);
    assert!(marked(&[&again]) == by_tags);
    let left: String = by_tags
        .lines()
        .filter(|line| {
            line.starts_with('@')
                || line.split('\t').nth(1).unwrap().parse::<u16>().unwrap() & 1024 == 0
        })
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(marked(&["-c", "-r", &sorted]) == left);
}

#[test]
fn the_rule_of_picard_gives_what_sort_gives_and_the_same_metrics() {
    let folder = Folder::new();
    let [grouped, sorted] = templates(&folder, 100, Names::SevenParts);
    let bare =
        folder.file("bare.sam", without_mate_tags(&std::fs::read_to_string(sorted).unwrap()));
    sort(&["-n", &bare, "-o", &grouped]);
    let [ours, theirs, output] = ["o.txt", "t.txt", "o.sam"].map(|name| text(&folder.path(name)));
    for more in [&[][..], &["-d", "25"], &["-r"], &["-S"], &["--barcode-tag", "BX"]] {
        let rule = [&["--rule", "picard"], more].concat();
        sort(&[&rule[..], &["--mark-duplicates", "-f", &theirs, &grouped, "-o", &output]].concat());
        let found = marked(&[&rule[..], &["-f", &ours, &bare]].concat());
        let expected = std::fs::read_to_string(&output).unwrap();
        assert!(marks(&found) == marks(&expected), "{more:?}");
        assert!(marks(&found).len() > 2000);
        let [ours, theirs] = [&ours, &theirs].map(|path| std::fs::read_to_string(path).unwrap());
        assert_eq!(ours, theirs, "{more:?}");
    }
}

/// The lengths of the data of a file's blocks.
fn block_lengths(path: &str) -> Vec<usize> {
    let bytes = std::fs::read(path).unwrap();
    let (mut rest, mut lengths) = (&bytes[..], Vec::new());
    while !rest.is_empty() {
        let (block, more) =
            rest.split_at(usize::from(u16::from_le_bytes([rest[16], rest[17]])) + 1);
        lengths.push(u32::from_le_bytes(*block.last_chunk().unwrap()) as usize);
        rest = more;
    }
    lengths
}

#[test]
fn blocks_are_changed_as_they_are_stored_alike_on_any_threads() {
    const BLOCK: usize = 40_000;
    let folder = Folder::new();
    let [_, sorted] = templates(&folder, 400, Names::SevenParts);
    let path = |name: &str| text(&folder.path(name));
    let [plain, anew, output] = ["plain.bam", "anew.sam", "o.bam"].map(path);
    let view = |path: &str| biofast(&["view", "-h", "--no-PG", path]).stdout;
    ok(&["view", "-u", "--no-PG", &sorted, "-o", &plain]);
    let data = gunzip(&std::fs::read(&plain).unwrap()).unwrap();
    let input = folder.file("x.bam", bgzf(&data, BLOCK));
    for more in [&[][..], &["-r"], &["-d", "25"], &["--rule", "picard"]] {
        run(&[more, &[&input, "-O", "sam", "-o", &anew]].concat());
        let expected = std::fs::read_to_string(&anew).unwrap();
        let mut bytes = None;
        for threads in ["1", "2", "7"] {
            run(&[more, &["--threads", threads, &input, "-o", &output, "--write-index"]].concat());
            let found = std::fs::read(&output).unwrap();
            assert!(*bytes.get_or_insert(found.clone()) == found, "{more:?} {threads}");
        }
        assert!(view(&output) == expected, "{more:?}");
        let lengths = block_lengths(&output);
        let reused = lengths.iter().filter(|len| **len == BLOCK).count();
        assert!(reused > lengths.len() * 9 / 10 || !more.is_empty(), "{more:?} {lengths:?}");
        ok(&["index", &output, "-o", &path("x.bai")]);
        let [made, built] = ["o.bam.bai", "x.bai"].map(|name| std::fs::read(path(name)).unwrap());
        assert!(made == built, "{more:?}");
        // A level that is asked for holds for all blocks; a pipe gives the bytes of a file.
        run(&[more, &["--level", "1", &input, "-o", &path("l.bam")]].concat());
        assert!(!block_lengths(&path("l.bam")).contains(&BLOCK));
        assert!(view(&path("l.bam")) == expected, "{more:?}");
        let piped = path("p.bam");
        let args = [&["markdup", "-q", "--no-PG", "-o", &piped, "-"], more].concat();
        ok_with(&args, &std::fs::read(&input).unwrap());
        assert!(Some(std::fs::read(&piped).unwrap()) == bytes, "{more:?}");
    }
}

#[test]
fn reports_of_what_is_written_are_those_of_stats() {
    let folder = Folder::new();
    let [_, sorted] = templates(&folder, 100, Names::SevenParts);
    let input = text(&folder.path("x.bam"));
    ok(&["view", "-b", "--no-PG", &sorted, "-o", &input]);
    for (more, out, threads) in [
        (&["-d", "25"][..], "o.sam", "1"),
        (&["-r"], "o.bam", "3"),
        (&["--write-index"], "p.bam", "2"),
    ] {
        let args = [&["markdup", "--threads", threads, &input], more].concat();
        let summary = written_with_reports(&folder, &args, &text(&folder.path(out)));
        let files = &summary["files"];
        assert!(files[0]["reads"].as_u64() > Some(1000));
        assert_eq!(files[0]["reads"] == files[1]["reads"], more != ["-r"], "{more:?}");
    }
}

#[test]
fn what_cannot_be_marked_is_an_error() {
    let header = "@HD\tVN:1.6\n@SQ\tSN:c\tLN:900\n";
    let read = |name: &str, at: u32| format!("{name}\t0\tc\t{at}\t9\t4M\t*\t0\t0\tACGT\tIIII\n");
    let folder = Folder::new();
    let unsorted = folder.file("x.sam", [header, &read("a", 9), &read("b", 3)].concat());
    let output = text(&folder.path("o.bam"));
    fails(&["markdup", &unsorted, "-o", &output, "--write-index"], &["record 2"]);
    assert!(!folder.path("o.bam").exists());
    fails(&["markdup", &unsorted, "-o", &output, "--html", &unsorted], &["is an input"]);
    let run = biofast_with(&["markdup", "-"], b"@a\nAC\n+\nII\n");
    assert_error(&run, &["holds reads"]);
    fails(
        &["markdup", "--barcode-tag", "RX", "-O", "sam", &unsorted],
        &["none of the 2 reads", "--allow-missing-barcodes"],
    );
    fails(&["markdup", "--rule", "picard", "-c", &unsorted], &["applies only to --rule samtools"]);
}
