//! `biofast index --name-index` and `biofast get`: records by name and number are those of a search, from an index that is fresh.

use crate::common::{self, Folder, biofast_with, fails_in, reads, run_in};
use biofast_testkit::container::{bgzf, gunzip};
use biofast_testkit::sam::{self, SamShape};

fn good(folder: &Folder, args: &[&str]) -> String {
    let run = run_in(folder, args);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    run.stdout
}

#[test]
fn reads_are_found_by_name_and_number_in_every_container() {
    let folder = Folder::new();
    // Names occur twice, far apart.
    let text = reads("r", 900) + &reads("r", 300);
    let records: Vec<String> =
        text.lines().collect::<Vec<_>>().chunks(4).map(|four| four.join("\n") + "\n").collect();
    folder.file("x.fq", &text);
    folder.file("x.fq.gz", bgzf(text.as_bytes(), 700));
    for file in ["x.fq", "x.fq.gz"] {
        good(&folder, &["index", "--name-index", file]);
        for name in ["r0", "r299", "r300", "r899", "r7"] {
            let all: String = records
                .iter()
                .filter(|record| record.starts_with(&format!("@{name} ")))
                .cloned()
                .collect();
            assert!(!all.is_empty());
            assert_eq!(good(&folder, &["get", file, name]), all);
        }
        // In the order of the file, each once.
        let args = ["get", file, "r899", "r5", "r5", "--record", "6", "--record", "1,200"];
        let expected = [5, 899, 905, 1199].map(|index| records[index].as_str()).concat();
        assert_eq!(good(&folder, &args), expected);
        folder.file("list", "r300 and more\nr301\r\n\nr302\n");
        let expected = records[300..303].concat();
        assert_eq!(good(&folder, &["get", file, "--names", "list"]), expected);
        good(&folder, &["get", file, "--names", "list", "-o", "found.fq.gz"]);
        let found = gunzip(&std::fs::read(folder.path("found.fq.gz")).unwrap()).unwrap();
        assert_eq!(String::from_utf8(found).unwrap(), expected);
        let path = folder.path(file).to_str().unwrap().to_owned();
        let run = biofast_with(&["get", &path, "--names", "-"], b"r301\n");
        assert_eq!(run.stdout, records[301]);
        // What isn't there.
        let run = run_in(&folder, &["get", file, "r301", "r900", "r"]);
        assert_eq!((run.code, run.stdout.as_str()), (1, records[301].as_str()));
        assert!(run.stderr.contains("2 of 3 names not found, such as 'r'"), "{run:?}");
        fails_in(&folder, &["get", file, "--record", "1201"], &["no record 1201", "1 to 1200"]);
        // All at once are the file.
        let names: String = (0..900).map(|n| format!("r{n}\n")).collect();
        folder.file("all", names);
        assert!(good(&folder, &["get", file, "--names", "all"]) == text);
    }
}

#[test]
fn alignments_are_found_with_all_of_their_name() {
    let folder = Folder::new();
    let shape = SamShape { records: 500, sorted: true, longest: 120, oddities: false, seed: 5 };
    let text = sam::text(&shape);
    folder.file("x.sam", &text);
    good(&folder, &["view", "-b", "--no-PG", "x.sam", "-o", "whole.bam"]);
    let data = gunzip(&std::fs::read(folder.path("whole.bam")).unwrap()).unwrap();
    folder.file("x.bam", bgzf(&data, 900));
    good(&folder, &["index", "--name-index", "x.bam", "-o", "names.bni"]);
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('@')).collect();
    let name = |line: &str| line.split('\t').next().unwrap().to_owned();
    for wanted in [lines[0], lines[250], lines[499]].map(name) {
        let expected: String = lines
            .iter()
            .filter(|line| name(line) == wanted)
            .map(|line| format!("{line}\n"))
            .collect();
        let args = ["get", "x.bam", &wanted, "--index", "names.bni"];
        assert_eq!(good(&folder, &args), expected);
        let args = ["get", "x.bam", &wanted, "--index", "names.bni", "-o", "o.bam", "--no-PG"];
        good(&folder, &args);
        assert_eq!(good(&folder, &["view", "o.bam"]), expected);
    }
    let header = good(&folder, &["view", "-H", "--no-PG", "x.bam"]);
    let args =
        ["get", "x.bam", "--record", "251", "--with-header", "--no-PG", "--index", "names.bni"];
    assert_eq!(good(&folder, &args), format!("{header}{}\n", lines[250]));
}

#[test]
fn a_stale_damaged_or_missing_index_is_an_error() {
    let folder = Folder::new();
    folder.file("x.fq", reads("r", 50));
    fails_in(&folder, &["get", "x.fq", "r1"], &["x.fq.bni", "index --name-index"]);
    good(&folder, &["index", "--name-index", "x.fq"]);
    folder.file("x.fq", reads("s", 50));
    fails_in(&folder, &["get", "x.fq", "r1"], &["x.fq.bni", "the name index is stale", "digest"]);
    folder.file("x.fq", reads("r", 51));
    fails_in(&folder, &["get", "x.fq", "r1"], &["x.fq.bni", "size"]);
    folder.file("x.fq.bni", "words");
    fails_in(&folder, &["get", "x.fq", "r1"], &["x.fq.bni", "not a name index"]);
    folder.file("x.fq", reads("r", 50));
    good(&folder, &["index", "--name-index", "x.fq"]);
    fails_in(&folder, &["get", "x.fq"], &["no records requested"]);
    fails_in(&folder, &["get", "-", "r1"], &["standard input"]);
    fails_in(&folder, &["get", "x.fq", "r1", "-b"], &["apply to BAM"]);
    // Nothing that is read is replaced.
    for out in ["x.fq", "x.fq.bni"] {
        fails_in(&folder, &["get", "x.fq", "r1", "-o", out], &["input"]);
    }
    fails_in(&folder, &["index", "--name-index", "x.fq", "-o", "x.fq"], &["x.fq"]);
    folder.file("gzip.fq.gz", biofast_testkit::container::gzip(reads("r", 9).as_bytes()));
    folder.file("broken.fq", "@r\nACGT\n+\nIII\n");
    folder.file("wrapped.fq", "@r\nAC\nGT\n+\nII\nII\n");
    for (file, expected) in [
        ("gzip.fq.gz", "ordinary gzip"),
        ("broken.fq", "record 1"),
        ("wrapped.fq", "record 1"),
        ("none.fq", "none.fq"),
        ("-", "standard input"),
    ] {
        fails_in(&folder, &["index", "--name-index", file], &[expected]);
        assert!(!folder.path(&format!("{file}.bni")).exists());
    }
    fails_in(&folder, &["index", "--memory", "1M", "x.fq"], &["--memory", "--name-index"]);
}

#[test]
fn the_index_is_the_same_in_little_memory_and_on_any_threads() {
    let folder = Folder::new();
    folder.file("x.fq.gz", bgzf(reads("r", 5000).as_bytes(), 3000));
    let index = |more: &[&str]| {
        good(&folder, &[&["index", "--name-index", "x.fq.gz", "-o", "i.bni"], more].concat());
        std::fs::read(folder.path("i.bni")).unwrap()
    };
    let one = index(&["-@", "1"]);
    for more in
        [&["-@", "4"][..], &["--memory", "16K"], &["-@", "3", "--memory", "16K", "--temp-dir", "."]]
    {
        assert!(index(more) == one, "{more:?}");
    }
    // Nothing is left behind.
    assert_eq!(common::listed(&folder).len(), 2);
}
