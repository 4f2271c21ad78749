//! `biofast index` of FASTQ in ordinary gzip: shards of it give the bytes of one run, and an index that isn't its is noticed.

use biofast_testkit::container::{bgzf, gunzip, gzip};

use crate::common::{Folder, fails_in, good, reads, run_in};

/// Reads that take several points of the index, in two members; their text.
fn long(folder: &Folder, name: &str) -> String {
    let text = reads("r", 90_000);
    // In the middle of a read.
    let (one, two) = text.as_bytes().split_at(text.len() * 2 / 3 + 11);
    assert!(text.len() > 9 << 20, "{}", text.len());
    folder.file(name, [gzip(one), gzip(two)].concat());
    text
}

#[test]
fn shards_of_ordinary_gzip_give_the_bytes_of_one_run() {
    let folder = Folder::new();
    let text = long(&folder, "R1.fq.gz");
    folder.file("R2.fq.gz", bgzf(text.as_bytes(), 60_000));
    let run = good(&folder, &["index", "R1.fq.gz"]);
    assert!(run.stderr.contains("note: wrote R1.fq.gz.bsi"), "{}", run.stderr);
    let whole = good(&folder, &["stats", "--json", "R1.fq.gz"]).stdout;
    for n in [1, 2, 7] {
        good(
            &folder,
            &["shards", "--quiet", "--number", &n.to_string(), "R1.fq.gz", "-o", "plan.json"],
        );
        let (mut parts, mut joined) = (Vec::new(), Vec::new());
        for number in 1..=n {
            let (shard, part) = (format!("plan.json#{number}"), format!("part{number}"));
            let run = good(&folder, &["stats", "--json", "--shard", &shard, "-o", &part]);
            assert_eq!(run.stderr, "");
            parts.push(part);
            good(&folder, &["filter", "--shard", &shard, "-o", "part.fq"]);
            joined.extend(std::fs::read(folder.path("part.fq")).unwrap());
        }
        assert!(joined == text.as_bytes(), "{n}");
        let names: Vec<&str> = parts.iter().map(String::as_str).collect();
        let merged = good(&folder, &[&["merge", "--json"][..], &names].concat()).stdout;
        assert!(merged == whole, "{n}");
    }
    // Mates, of which one is BGZF; the index is the same on any number of threads.
    let index = std::fs::read(folder.path("R1.fq.gz.bsi")).unwrap();
    good(&folder, &["index", "-@", "1", "R1.fq.gz"]);
    assert!(index == std::fs::read(folder.path("R1.fq.gz.bsi")).unwrap());
    good(
        &folder,
        &["shards", "--quiet", "--number", "3", "R1.fq.gz", "R2.fq.gz", "-o", "plan.json"],
    );
    for number in 1..=3 {
        let shard = format!("plan.json#{number}");
        good(&folder, &["filter", "--shard", &shard, "-o", "1.fq", "--out2", "2.fq"]);
        let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
        assert!(!read("1.fq").is_empty() && read("1.fq") == read("2.fq"));
    }
}

#[test]
fn a_seek_index_that_is_not_that_of_the_file_is_an_error() {
    let folder = Folder::new();
    folder.file("x.fq.gz", gzip(reads("r", 400).as_bytes()));
    let shards = ["shards", "--quiet", "--number", "2", "x.fq.gz", "-o", "plan.json"];
    fails_in(
        &folder,
        &shards,
        &["x.fq.gz", "ordinary gzip without a seek index", "biofast index FILE"],
    );
    good(&folder, &["index", "x.fq.gz"]);
    good(&folder, &shards);
    let shard = ["stats", "--json", "--shard", "plan.json#2"];
    good(&folder, &shard);
    let index = std::fs::read(folder.path("x.fq.gz.bsi")).unwrap();
    // Cut, or with any byte changed: of its table and footer when it is opened, of the first window when it is used.
    for at in [index.len() / 2, index.len() - 1] {
        folder.file("x.fq.gz.bsi", &index[..at]);
        fails_in(&folder, &shard, &["x.fq.gz.bsi", "damaged"]);
    }
    for at in index.len() - 200..index.len() {
        let mut changed = index.clone();
        changed[at] ^= 0x40;
        folder.file("x.fq.gz.bsi", &changed);
        if at % 13 == 0 {
            fails_in(&folder, &shard, &["x.fq.gz.bsi", "damaged"]);
        }
    }
    folder.file("x.fq.gz.bsi", &index);
    // No output takes its place.
    fails_in(&folder, &[&shard[..], &["-o", "x.fq.gz.bsi"]].concat(), &["x.fq.gz.bsi"]);
    folder.file("x.fq.gz", gzip(reads("s", 400).as_bytes()));
    fails_in(&folder, &shards, &["x.fq.gz.bsi", "has changed"]);
    std::fs::remove_file(folder.path("x.fq.gz.bsi")).unwrap();
    assert_eq!(run_in(&folder, &shard).code, 2);
}

#[test]
fn what_is_faulty_gets_no_seek_index() {
    let folder = Folder::new();
    let text = reads("r", 400);
    let mut cut = gzip(text.as_bytes());
    cut.truncate(cut.len() - 4);
    folder.file("cut.fq.gz", &cut);
    folder.file("wrapped.fq.gz", gzip(b"@r\nAC\nGT\n+\nII\nII\n"));
    folder.file("x.fa.gz", gzip(b">a\nACGT\n"));
    for (name, expected) in [
        ("cut.fq.gz", &["cut.fq.gz", "gzip footer"][..]),
        ("wrapped.fq.gz", &["wrapped.fq.gz: record 1", "four lines"]),
        ("x.fa.gz", &["x.fa.gz", "FASTA"]),
    ] {
        fails_in(&folder, &["index", name], expected);
        assert!(!folder.path(&format!("{name}.bsi")).exists(), "{name}");
    }
}

#[test]
fn reads_are_found_by_number_in_ordinary_gzip() {
    let folder = Folder::new();
    let text = long(&folder, "x.fq.gz");
    let lines: Vec<&str> = text.lines().collect();
    let read = |number: usize| lines[4 * number - 4..4 * number].join("\n") + "\n";
    fails_in(
        &folder,
        &["get", "x.fq.gz", "--record", "1"],
        &["x.fq.gz", "without a seek index", "biofast index FILE"],
    );
    good(&folder, &["index", "x.fq.gz"]);
    // In the order of the file, each once, whatever the order they are asked for in.
    let numbers = [90_000, 1, 2, 44_871, 44_870, 60_001, 2, 59_999, 60_000];
    let mut args = vec!["get".to_owned(), "x.fq.gz".to_owned()];
    args.extend(numbers.iter().flat_map(|number| ["--record".to_owned(), number.to_string()]));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let expected: String = sorted.into_iter().map(read).collect();
    assert!(good(&folder, &args).stdout == expected);
    good(&folder, &["get", "x.fq.gz", "--record", "7", "-o", "seven.fq.gz"]);
    let seven = std::fs::read(folder.path("seven.fq.gz")).unwrap();
    assert_eq!(gunzip(&seven).unwrap(), read(7).as_bytes());
    // Every one of a small file, whose last line has no end.
    let small = reads("r", 60);
    folder.file("y.fq.gz", gzip(small.trim_end().as_bytes()));
    good(&folder, &["index", "y.fq.gz"]);
    for number in 1..=60 {
        let found = good(&folder, &["get", "y.fq.gz", "--record", &number.to_string()]).stdout;
        let lines: Vec<&str> = small.lines().collect();
        assert_eq!(found, lines[4 * number - 4..4 * number].join("\n") + "\n");
    }
    fails_in(&folder, &["get", "y.fq.gz", "--record", "61"], &["no record 61", "1 to 60"]);
    fails_in(&folder, &["get", "y.fq.gz", "r1"], &["ordinary gzip", "--record"]);
    // Another file than that of the index.
    folder.file("y.fq.gz", gzip(reads("s", 60).as_bytes()));
    fails_in(&folder, &["get", "y.fq.gz", "--record", "3"], &["y.fq.gz.bsi", "changed"]);
}

/// Runs `args` with `--write-index` on a file that has no index; what it printed without, and the index, are the same.
fn is_followed(folder: &Folder, name: &str, args: &[&str]) {
    let index = format!("{name}.bsi");
    let alone = run_in(folder, args);
    good(folder, &["index", name]);
    let expected = std::fs::read(folder.path(&index)).unwrap();
    for threads in ["1", "2", "5"] {
        std::fs::remove_file(folder.path(&index)).unwrap();
        let run = run_in(folder, &[args, &["--write-index", "-@", threads]].concat());
        assert_eq!((run.code, &run.stdout, &run.stderr), (0, &alone.stdout, &alone.stderr));
        assert!(std::fs::read(folder.path(&index)).unwrap() == expected, "{args:?} {threads}");
    }
}

#[test]
fn seek_indexes_are_made_while_reads_are_counted_or_checked() {
    let folder = Folder::new();
    long(&folder, "x.fq.gz");
    for args in [&["stats", "--json", "x.fq.gz"][..], &["stats", "x.fq.gz"], &["check", "x.fq.gz"]]
    {
        is_followed(&folder, "x.fq.gz", args);
    }
    good(&folder, &["stats", "--out-dir", "one", "x.fq.gz"]);
    is_followed(&folder, "x.fq.gz", &["stats", "-q", "--out-dir", "qc", "x.fq.gz"]);
    // More reads than the index has places of.
    folder.file("many.fq.gz", gzip("@r\nA\n+\nI\n".repeat(300_001).as_bytes()));
    is_followed(&folder, "many.fq.gz", &["check", "many.fq.gz"]);
    folder.file("none.fq.gz", gzip(b""));
    is_followed(&folder, "none.fq.gz", &["stats", "none.fq.gz"]);
    // It can be used, and takes the place of an old one.
    folder.file("many.fq.gz", gzip("@s\nC\n+\nI\n".repeat(50).as_bytes()));
    good(&folder, &["check", "--write-index", "many.fq.gz"]);
    let found = good(&folder, &["get", "many.fq.gz", "--record", "50"]).stdout;
    assert_eq!(found, "@s\nC\n+\nI\n");
}

#[test]
fn each_good_file_gets_its_seek_index_and_a_faulty_one_none() {
    let folder = Folder::new();
    let text = reads("r", 300);
    folder.file("R1.fq.gz", gzip(text.as_bytes()));
    folder.file("R2.fq.gz", gzip(text.as_bytes()));
    let mut cut = gzip(text.as_bytes());
    cut.truncate(cut.len() - 3);
    folder.file("cut.fq.gz", cut);
    folder.file("odd.fq.gz", gzip(text.replacen("\n+\n", "\n-\n", 1).as_bytes()));
    let files = ["R1.fq.gz", "cut.fq.gz", "R2.fq.gz", "odd.fq.gz"];
    for (args, code) in [(&["stats"][..], 2), (&["check"], 1), (&["stats", "--out-dir", "qc"], 2)] {
        let run = run_in(&folder, &[args, &["--write-index"], &files].concat());
        assert_eq!(run.code, code, "{}", run.stderr);
        for (file, has) in files.into_iter().zip([true, false, true, false]) {
            assert_eq!(folder.path(&format!("{file}.bsi")).exists(), has, "{args:?} {file}");
        }
        for file in ["R1.fq.gz", "R2.fq.gz"] {
            std::fs::remove_file(folder.path(&format!("{file}.bsi"))).unwrap();
        }
    }
    // What reads well may have no places: then nothing at all is written.
    let wrapped = "@r\nAC\nGT\n+\nIIII\n".repeat(5);
    folder.file("wrapped.fq.gz", gzip(wrapped.as_bytes()));
    folder.file("text.gz", gzip(b"no reads\n"));
    for (args, what) in [
        (&["stats", "--json", "-o", "out", "wrapped.fq.gz"][..], "four lines per read"),
        (&["check", "-o", "out", "wrapped.fq.gz"], "four lines per read"),
        (&["check", "-o", "out", "text.gz"], "the text isn't FASTQ"),
    ] {
        fails_in(&folder, &[args, &["--write-index"]].concat(), &[what]);
        assert!(!folder.path("out").exists(), "{args:?}");
    }
    assert!(!folder.path("wrapped.fq.gz.bsi").exists() && !folder.path("text.gz.bsi").exists());
}

#[test]
fn what_can_have_no_seek_index_is_refused_before_it_is_read() {
    let folder = Folder::new();
    let text = reads("r", 30);
    folder.file("x.fq.gz", gzip(text.as_bytes()));
    folder.file("x.fq", &text);
    folder.file("x.bgz", bgzf(text.as_bytes(), 100));
    folder.file("x.fa.gz", gzip(b">a\nACGT\n"));
    folder.file("x.sam.gz", gzip(b"@HD\tVN:1.6\n"));
    std::fs::create_dir_all(folder.path("dir/x.fq.gz.bsi")).unwrap();
    folder.file("dir/x.fq.gz", gzip(text.as_bytes()));
    good(&folder, &["shards", "-q", "--number", "2", "x.fq", "-o", "plan.json"]);
    let cases = [
        ("x.fq", "plain text"),
        ("x.bgz", "BGZF"),
        ("x.fa.gz", "FASTA"),
        ("x.sam.gz", "SAM"),
        ("no.fq.gz", "No such file"),
        (".", "a regular file"),
        ("-", "standard input"),
        ("https://example.org/x.fq.gz", "impossible for a URL"),
        ("dir/x.fq.gz", "dir/x.fq.gz.bsi"),
    ];
    for command in ["stats", "check"] {
        for (file, what) in cases {
            fails_in(&folder, &[command, "--write-index", "-o", "out", "x.fq.gz", file], &[what]);
            let nothing = !folder.path("out").exists() && !folder.path("x.fq.gz.bsi").exists();
            assert!(nothing, "{command} {file}");
        }
        fails_in(
            &folder,
            &[command, "--write-index", "--shard", "plan.json#1"],
            &["--write-index can't be combined with --shard"],
        );
        // The index is an output as others are.
        fails_in(
            &folder,
            &[command, "--write-index", "-o", "x.fq.gz.bsi", "x.fq.gz"],
            &["x.fq.gz.bsi"],
        );
        fails_in(&folder, &[command, "--write-index", "x.fq.gz", "./x.fq.gz"], &["x.fq.gz.bsi"]);
    }
    for option in [&["--per-read"][..], &["--format", "fastqc"], &["--region", "a:1-2"]] {
        fails_in(
            &folder,
            &[&["stats", "--write-index", "x.fq.gz"], option].concat(),
            &["--write-index can't be combined with"],
        );
    }
    fails_in(&folder, &["check", "--write-index", "--expect", "any", "x.fq.gz"], &["--expect"]);
}
