//! `biofast sort`: the order that a plain sort gives, whatever the memory and the number of threads.

use std::cmp::Ordering;
use std::path::Path;

use crate::common::sort::{lines, many, records, sorted, templates};
use crate::common::{Folder, biofast, biofast_with, fails, listed, ok, silent, text};

/// Digits as numbers, byte for byte and number for number.
fn natural(mut a: &str, mut b: &str) -> Ordering {
    loop {
        let number = |text: &str| {
            let len = text.bytes().take_while(u8::is_ascii_digit).count();
            (len > 0).then(|| (text[..len].parse::<u128>().unwrap(), len))
        };
        let (order, steps) = match (number(a), number(b)) {
            (Some((x, i)), Some((y, j))) => (x.cmp(&y), (i, j)),
            _ => match (a.bytes().next(), b.bytes().next()) {
                (None, None) => return Ordering::Equal,
                (x, y) if x != y => return x.cmp(&y),
                _ => (Ordering::Equal, (1, 1)),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
        (a, b) = (&a[steps.0..], &b[steps.1..]);
    }
}

fn by_coordinate(a: &[&str], b: &[&str]) -> Ordering {
    let key = |fields: &[&str]| {
        let reference = ["c1", "c2"].iter().position(|name| *name == fields[2]).unwrap_or(2);
        let flags: u16 = fields[1].parse().unwrap();
        (reference, fields[3].parse::<u32>().unwrap(), flags & 16)
    };
    key(a).cmp(&key(b))
}

fn by_name(names: fn(&str, &str) -> Ordering, a: &[&str], b: &[&str]) -> Ordering {
    let read = |fields: &[&str]| {
        let flags: u16 = fields[1].parse().unwrap();
        (flags & 0xc0, flags & 0x100, flags & 0x800)
    };
    names(a[0], b[0]).then(read(a).cmp(&read(b)))
}

/// None, characters, text, numbers.
fn by_value(a: &[&str], b: &[&str]) -> Ordering {
    let value = |fields: &[&str]| {
        let Some(field) = fields.iter().find_map(|field| field.strip_prefix("XX:")) else {
            return (0, String::new(), 0.0);
        };
        match field.split_at(2) {
            ("A:", value) => (1, value.to_owned(), 0.0),
            ("Z:", value) => (2, value.to_owned(), 0.0),
            (_, value) => (3, String::new(), value.parse().unwrap()),
        }
    };
    value(a).partial_cmp(&value(b)).unwrap()
}

type Compare = fn(&[&str], &[&str]) -> Ordering;

const TAG: &str = "SO:unsorted\tSS:unsorted:XX:coordinate";
const TAG_AND_NAME: &str = "SO:unsorted\tSS:unsorted:XX:queryname:natural";

/// Options, the state in the header, and the plain order.
const ORDERS: [(&[&str], &str, Compare); 5] = [
    (&[], "SO:coordinate", by_coordinate),
    (&["-n"], "SO:queryname\tSS:queryname:natural", |a, b| by_name(natural, a, b)),
    (&["-N"], "SO:queryname\tSS:queryname:lexicographical", |a, b| by_name(|a, b| a.cmp(b), a, b)),
    (&["-t", "XX"], TAG, |a, b| by_value(a, b).then_with(|| by_coordinate(a, b))),
    (&["-n", "-t", "XX"], TAG_AND_NAME, |a, b| by_value(a, b).then_with(|| by_name(natural, a, b))),
];

#[test]
fn every_order_is_that_of_a_plain_sort() {
    let folder = Folder::new();
    for (seed, n) in [(1, 0), (2, 1), (3, 500), (4, 1500)] {
        let input = records(seed, n);
        let path = folder.file("x.sam", &input);
        // As it is read: what has no reference is unmapped.
        let input = biofast(&["view", &path]).stdout;
        for (options, state, compare) in ORDERS {
            let ours = sorted(&[options, &[&path]].concat());
            let mut expected = lines(&input);
            expected.sort_by(|a, b| {
                let [a, b] = [a, b].map(|line| line.split('\t').collect::<Vec<_>>());
                compare(&a, &b)
            });
            let found = lines(&ours);
            let differ = found.iter().zip(&expected).find(|(a, b)| a != b);
            assert!(found == expected, "{options:?} of {n}: {differ:?}");
            assert!(ours.starts_with(&format!("@HD\tVN:1.5\t{state}\n")), "{ours:.60}");
        }
    }
}

#[test]
fn memory_and_threads_and_containers_make_no_difference() {
    let folder = Folder::new();
    let bam = many(&folder);
    let temporary = text(&folder.path("t"));
    std::fs::create_dir(&temporary).unwrap();
    for (options, ..) in ORDERS {
        let expected = sorted(&[options, &[&bam, "-@", "1", "-m", "1G"]].concat());
        assert_eq!(lines(&expected).len(), 40_000);
        for (threads, memory) in [("1", "100K"), ("7", "1M"), ("3", "1G")] {
            let json = text(&folder.path("j.json"));
            let how = [&bam, "-@", threads, "-m", memory, "-T", &temporary, "--json", &json];
            assert!(sorted(&[options, &how].concat()) == expected, "{options:?} {how:?}");
            let json: serde_json::Value =
                serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
            let runs = json["summary"]["stored_runs"].as_u64().unwrap();
            assert_eq!(json["summary"]["records"], 40_000);
            // At 100K there are more runs than are merged at once.
            assert!(runs == 0 || memory != "1G", "{json}");
            assert!(runs > 0 || memory == "1G", "{json}");
        }
        let bytes = std::fs::read(&bam).unwrap();
        let args =
            [&["sort", "-q", "--no-PG", "-O", "sam", "--chunk-size", "3000"], options].concat();
        assert!(biofast_with(&args, &bytes).stdout == expected, "standard input");
    }
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "temporary files stayed");
}

#[test]
fn the_file_and_its_index_are_the_same_whatever_the_memory() {
    let folder = Folder::new();
    let bam = many(&folder);
    let out = |name: &str| text(&folder.path(name));
    let one = out("one.bam");
    for (threads, memory, name) in
        [("1", "1G", "one.bam"), ("2", "1M", "two.bam"), ("5", "2M", "two.bam")]
    {
        let to = out(name);
        let args = ["sort", "--no-PG", "-q", "-@", threads, "-m", memory, &bam, "-o", &to];
        silent(&[&args[..], &["--write-index"]].concat());
        for ending in ["", ".bai"] {
            let [one, other] =
                [&one, &to].map(|path| std::fs::read(format!("{path}{ending}")).unwrap());
            assert!(one == other, "{threads} {memory} {ending}");
        }
    }
    ok(&["check", &one]);
    // Sorted input stays as it is.
    let again = out("again.bam");
    ok(&["sort", "--no-PG", "-q", &one, "-o", &again]);
    assert!(std::fs::read(&one).unwrap() == std::fs::read(&again).unwrap());
}

#[test]
fn a_faulty_input_or_folder_is_named_and_nothing_appears() {
    let folder = Folder::new();
    let bam = many(&folder);
    let bytes = std::fs::read(&bam).unwrap();
    let cut = folder.file("cut.bam", &bytes[..bytes.len() / 2]);
    let out = text(&folder.path("o.bam"));
    let before = listed(&folder).len();
    fails(&["sort", &cut, "-m", "1M", "-o", &out], &["cut.bam"]);
    let nowhere = text(&folder.path("nowhere/x"));
    fails(
        &["sort", &bam, "-m", "1M", "-T", &nowhere, "-o", &out],
        &["--temp-dir", "nowhere", "no such folder"],
    );
    // Even without need for temporary files: a long run would notice it late.
    assert_eq!(biofast(&["sort", &bam, "-m", "1G", "-T", &nowhere, "-o", &out]).code, 2);
    // The beginning of file names, as samtools takes it.
    let beginning = text(&folder.path("some"));
    silent(&["sort", "-q", &bam, "-m", "1M", "-T", &beginning, "-o", "/dev/null"]);
    fails(&["sort", &bam, "-o", &bam], &["is an input"]);
    fails(&["sort", "-n", &bam, "-o", &out, "--write-index"], &["coordinate"]);
    fails(&["sort", &bam, "--write-index"], &["-o"]);
    fails(&["sort", &bam, "-o", "x.cram"], &["--no-reference"]);
    assert_eq!(listed(&folder).len(), before, "{:?}", listed(&folder));
    assert_eq!(biofast(&["sort", &bam, "-m", "100", "-o", &out]).code, 2);
    if Path::new("/dev/full").exists() {
        fails(
            &["sort", &bam, "-o", "/dev/full"],
            &["/dev/full", "No space left", "free some space"],
        );
    }
}

#[test]
fn input_that_is_in_order_is_noticed_and_gives_the_same_bytes() {
    let folder = Folder::new();
    let bam = many(&folder);
    let at = |name: &str| text(&folder.path(name));
    let json = |name: &str| -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(at(name)).unwrap()).unwrap()
    };
    for (options, ..) in ORDERS {
        let run = |input: &str, out: &str, more: &[&str]| {
            let how = ["sort", "-q", "--no-PG", "--summary", &at("j.json"), input, "-o", &at(out)];
            silent(&[&how, options, more].concat());
            json("j.json")["summary"].clone()
        };
        // Little memory, and yet no temporary files.
        assert_eq!(run(&bam, "one.bam", &[])["was_sorted"], false);
        for threads in ["1", "3"] {
            let summary = run(&at("one.bam"), "two.bam", &["-m", "100K", "-@", threads]);
            assert_eq!(summary["was_sorted"], true, "{options:?}");
            assert_eq!((&summary["records"], &summary["stored_runs"]), (&40_000.into(), &0.into()));
            let [one, two] = ["one.bam", "two.bam"].map(|name| std::fs::read(at(name)).unwrap());
            assert!(one == two, "{options:?} {threads}");
        }
    }
    // One record that is out of order, at the end.
    let sam = biofast(&["view", "-h", "--no-PG", &at("one.bam")]).stdout;
    let (head, records): (Vec<&str>, Vec<&str>) = sam.lines().partition(|l| l.starts_with('@'));
    let swapped = head.iter().chain(&records[1..]).chain(&records[..1]);
    let swapped = folder.file("x.sam", swapped.flat_map(|line| [line, "\n"]).collect::<String>());
    ok(&["view", "-b", "--no-PG", &swapped, "-o", &at("x.bam")]);
    let again = sorted(&["-n", "-t", "XX", &at("x.bam")]);
    assert!(lines(&again).len() == 40_000 && again != sam);
    // A fault behind sorted records is told as ever.
    let bytes = std::fs::read(at("two.bam")).unwrap();
    let cut = folder.file("cut.bam", &bytes[..bytes.len() - 100]);
    fails(&["sort", "-n", &cut, "-o", &at("o.bam")], &["cut.bam"]);
    assert!(!folder.path("o.bam").exists());
}

/// Runs what writes `to`, with all reports, and compares them with those that `stats` makes of the output. Returns the summary.
pub(crate) fn written_with_reports(folder: &Folder, args: &[&str], to: &str) -> serde_json::Value {
    let at = |name: &str| text(&folder.path(name));
    let read = |name: &str| std::fs::read_to_string(at(name)).unwrap();
    let [stats, html, samtools, summary] = ["s.json", "p.html", "s.txt", "j.json"].map(at);
    let reports = ["--stats", &stats, "--html", &html, "--samtools-stats", &samtools];
    let others = ["-q", "--no-PG", "-o", to, "--summary", &summary];
    silent(&[args, &others, &reports].concat());
    assert!(read("s.json") == biofast(&["stats", "--json", to]).stdout, "{args:?}");
    assert!(read("p.html").contains("<html"));
    let figures = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    };
    let expected = biofast(&["stats", "--format", "samtools", to]).stdout;
    assert!(figures(&read("s.txt")) == figures(&expected), "{args:?}");
    ok(&["check", "--against", &summary]);
    serde_json::from_str(&read("j.json")).unwrap()
}

#[test]
fn reports_of_what_is_written_are_those_of_stats_and_its_sum_is_that_of_the_input() {
    let folder = Folder::new();
    let sam = folder.file("x.sam", records(17, 3000));
    let at = |name: &str| text(&folder.path(name));
    let (bam, out) = (at("x.bam"), at("o.bam"));
    ok(&["view", "-b", &sam, "-o", &bam]);
    for (input, threads) in [(&sam, "1"), (&bam, "3"), (&out, "2")] {
        let to = at("next.bam");
        let summary = written_with_reports(&folder, &["sort", "-@", threads, input], &to);
        let files = &summary["files"];
        assert_eq!((&files[0]["role"], &files[1]["role"]), (&"input".into(), &"output".into()));
        assert_eq!(files[0]["checksum"], files[1]["checksum"]);
        assert_eq!(files[1]["reads"], 3000);
        std::fs::rename(&to, &out).unwrap();
    }
    fails(&["sort", &sam, "-o", &at("y.bam"), "--stats", &sam], &["is an input"]);
    assert!(!folder.path("y.bam").exists());
}

#[test]
fn templates_come_in_the_same_order_in_any_memory_and_merge_again() {
    let folder = Folder::new();
    let header = "@HD\tVN:1.6\tSO:unsorted\tGO:query\tSS:unsorted:template-coordinate\n";
    for (seed, n) in [(1, 0), (2, 50), (3, 4000)] {
        let path = folder.file("x.sam", templates(seed, n));
        let order = ["--template-coordinate", &path];
        let ours = sorted(&order);
        assert!(ours.starts_with(header), "{ours:.90}");
        for (threads, memory) in [("1", "100K"), ("3", "1M")] {
            assert!(sorted(&[&order[..], &["-@", threads, "-m", memory]].concat()) == ours);
        }
        // Of parts, too.
        let all = std::fs::read_to_string(&path).unwrap();
        let (head, body): (Vec<&str>, Vec<&str>) =
            all.lines().partition(|line| line.starts_with('@'));
        let mut parts = Vec::new();
        for part in 0..3 {
            let some = body.iter().skip(part).step_by(3);
            let some: String = head.iter().chain(some).flat_map(|line| [line, "\n"]).collect();
            let unsorted = folder.file("part.sam", some);
            parts.push(text(&folder.path(&format!("{part}.bam"))));
            let sort = ["sort", "-q", "--template-coordinate", &unsorted, "-o", &parts[part]];
            ok(&sort);
        }
        let merge = ["merge", "-q", "-c", "-p", "--no-PG", "-O", "sam", "--template-coordinate"];
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let merged = biofast(&[&merge, &parts[..]].concat()).stdout;
        let without_groups = |text: &str| {
            let fields = |line: &str| {
                let fields = line.split('\t').filter(|field| !field.starts_with("RG:Z:"));
                fields.collect::<Vec<_>>().join("\t")
            };
            lines(text).into_iter().map(fields).collect::<Vec<_>>()
        };
        // Merging puts RG last.
        assert!(without_groups(&merged) == without_groups(&ours));
    }
    let lonely = "@SQ\tSN:c1\tLN:99\nx\t65\tc1\t3\t9\t1M\t=\t5\t0\tA\tI\n";
    let path = folder.file("lonely.sam", lonely);
    fails(
        &["sort", "--template-coordinate", &path],
        &["lonely.sam", "record 1", "'x'", "(MC)", "fixmate"],
    );
}
