//! What makes mates: strict by default, names alone with `--mates names`, in every command of pairs; and where both mates of two
//! files go.

use crate::common::{Folder, assert_error, fails_in, good, run_in, text};

fn fastq(names: &[&str]) -> String {
    let record = |(number, name): (usize, &&str)| {
        let bases = ["ACGT", "GGCA", "TTAG", "CCAT"][number % 4];
        format!("@{name}\n{bases}\n+\nFFFF\n")
    };
    names.iter().enumerate().map(record).collect()
}

/// Files of mates that only names make mates.
fn loose() -> Vec<[String; 2]> {
    let mut all = vec![[fastq(&["a 1:N:0:A", "b 2:N:0:A"]), fastq(&["a 2:N:0:A", "b 1:N:0:A"])]];
    for end in [".", "_", ":", "-"] {
        let names =
            |mate| ["A6:5:H:4:1:3:198", "A6:5:H:4:1:3:201"].map(|n| format!("{n}{end}{mate} x"));
        let [one, two] = [1, 2].map(names);
        all.push([one, two].map(|names| fastq(&names.each_ref().map(String::as_str))));
    }
    all
}

/// What every command of pairs is called with beside its two inputs.
const COMMANDS: [&[&str]; 11] = [
    &["filter", "-o", "o1", "--out2", "o2"],
    &["stats", "--paired"],
    &["check", "--paired"],
    &["checksum", "--paired"],
    &["split", "-s", "1", "-o", "p{part}_{mate}.fq"],
    &["dedup", "-o", "o1", "--out2", "o2"],
    &["convert", "-o", "o1", "--out2", "o2"],
    &["import", "-o", "o.bam"],
    &["shuffle", "-o", "o1", "--out2", "o2"],
    &["sort", "--key", "name", "-o", "o1", "--out2", "o2"],
    &["grep", "-n", "-r", "-p", ".", "-o", "o1", "--out2", "o2"],
];

#[test]
fn every_command_of_pairs_takes_names_alone_where_that_is_asked_for() {
    for mates in loose() {
        let folder = Folder::new();
        folder.file("1.fq", &mates[0]);
        folder.file("2.fq", &mates[1]);
        for command in COMMANDS {
            let strict = [command, &["1.fq", "2.fq"]].concat();
            let run = run_in(&folder, &strict);
            let code = if command[0] == "check" || command[0] == "stats" { 1..=2 } else { 2..=2 };
            assert!(code.contains(&run.code), "{strict:?}: {run:?}");
            good(&folder, &[&strict[..], &["--mates", "names"]].concat());
        }
        let interleaved: String = (0..2)
            .flat_map(|pair| {
                mates
                    .each_ref()
                    .map(|m| m.split_inclusive('\n').skip(pair * 4).take(4).collect::<String>())
            })
            .collect();
        folder.file("i.fq", interleaved);
        for command in
            [&["filter"][..], &["stats"], &["check"], &["dedup"], &["convert"], &["shuffle"]]
        {
            let strict = [command, &["--interleaved", "i.fq"]].concat();
            assert_ne!(run_in(&folder, &strict).code, 0, "{strict:?}");
            good(&folder, &[&strict[..], &["--mates", "names"]].concat());
        }
        let repair = ["repair", "2.fq", "1.fq", "-o", "o1", "--out2", "o2", "--mates", "names"];
        if mates[0].contains("1:N") {
            good(&folder, &repair);
        }
        good(&folder, &["repair", "1.fq", "2.fq", "-o", "o1", "--out2", "o2", "--mates", "names"]);
        assert_eq!(text_of(&folder, "o1"), mates[0]);
        assert_eq!(text_of(&folder, "o2"), mates[1]);
    }
}

fn text_of(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).unwrap()
}

#[test]
fn names_that_end_so_by_chance_stay_what_they_are() {
    // The last field is a place or a count: equal names come before numbers that are taken off.
    let names = ["r_1", "r_2", "r_3", "r:7:1", "r:7:2", "SRR1.1", "SRR1.2"];
    let folder = Folder::new();
    folder.file("1.fq", fastq(&names));
    folder.file("2.fq", fastq(&names));
    let mut shuffled = names;
    shuffled.reverse();
    folder.file("r.fq", fastq(&shuffled));
    for command in [&["check", "--paired"][..], &["stats", "--paired"], &["import", "-o", "o.bam"]]
    {
        good(&folder, &[command, &["--mates", "names", "1.fq", "2.fq"]].concat());
    }
    let records = good(&folder, &["view", "o.bam"]).stdout;
    let stored: Vec<&str> = records.lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(stored, names.iter().flat_map(|name| [*name; 2]).collect::<Vec<_>>());
    good(&folder, &["repair", "--mates", "names", "1.fq", "r.fq", "-o", "o1", "--out2", "o2"]);
    let names_of = |file: &str| -> Vec<String> {
        text_of(&folder, file).lines().step_by(4).map(|line| line[1..].to_owned()).collect()
    };
    assert_eq!(names_of("o1"), names_of("o2"));
    assert_eq!(names_of("o1"), names);
    // Mates the wrong way round stay an error.
    folder.file("w1.fq", fastq(&["r_2"]));
    folder.file("w2.fq", fastq(&["r_1"]));
    fails_in(
        &folder,
        &["filter", "--mates", "names", "w1.fq", "w2.fq"],
        &["read 'r_2' is a second read, but a first read was expected"],
    );
    let run = run_in(&folder, &["check", "--paired", "--mates", "names", "w1.fq", "w2.fq"]);
    assert_eq!(run.code, 1, "{run:?}");
}

#[test]
fn what_is_made_of_the_names_of_pairs_keeps_them_pairs() {
    let folder = Folder::new();
    folder.file("1.fq", fastq(&["a.1", "a.1", "b.1"]));
    folder.file("2.fq", fastq(&["a.2", "a.2", "b.2"]));
    let both = ["--mates", "names", "1.fq", "2.fq", "-o", "o1", "--out2", "o2"];
    good(&folder, &[&["convert", "--unique-names"], &both[..]].concat());
    let names = |file: &str| -> Vec<String> {
        text_of(&folder, file).lines().step_by(4).map(str::to_owned).collect()
    };
    assert_eq!(names("o1"), ["@a.1", "@a_2.1", "@b.1"]);
    assert_eq!(names("o2"), ["@a.2", "@a_2.2", "@b.2"]);
    good(&folder, &["check", "--paired", "--mates", "names", "o1", "o2"]);
    good(&folder, &[&["dedup", "--key", "name"], &both[..]].concat());
    assert_eq!(names("o1"), ["@a.1", "@b.1"]);
    folder.file("list", "a\n");
    good(&folder, &[&["filter", "--names", "list"], &both[..]].concat());
    assert_eq!(names("o2"), ["@a.2", "@a.2"]);
    good(&folder, &[&["filter", "--umi", "first", "--umi-len", "1"], &both[..]].concat());
    assert_eq!(names("o1"), ["@a:A.1", "@a:G.1", "@b:T.1"]);
    assert_eq!(names("o2"), ["@a:A.2", "@a:G.2", "@b:T.2"]);
    good(&folder, &["import", "--mates", "names", "1.fq", "2.fq", "-o", "o.bam"]);
    let names = good(&folder, &["view", "o.bam"]).stdout;
    assert!(
        names.lines().all(|line| line.starts_with("a\t") || line.starts_with("b\t")),
        "{names}"
    );
}

#[test]
fn the_hint_of_a_mismatch_names_what_helps() {
    let folder = Folder::new();
    folder.file("1.fq", fastq(&["a.1"]));
    folder.file("2.fq", fastq(&["a.2"]));
    let run = run_in(&folder, &["filter", "1.fq", "2.fq"]);
    assert_error(
        &run,
        &["different names: 'a.1' and 'a.2'", "hint: ", "`biofast repair`", "--mates names"],
    );
    folder.file("3.fq", fastq(&["a 2:N:0:A"]));
    fails_in(&folder, &["filter", "3.fq", "2.fq"], &["hint: ", "--mates names"]);
}

#[test]
fn two_files_of_mates_become_one_file_only_where_that_is_asked_for() {
    let folder = Folder::new();
    folder.file("1.fq", fastq(&["a/1", "b/1"]));
    folder.file("2.fq", fastq(&["a/2", "b/2"]));
    let interleaved = {
        let files = ["1.fq", "2.fq"].map(|name| text_of(&folder, name));
        let [one, two] =
            files.each_ref().map(|file| file.split_inclusive('\n').collect::<Vec<_>>());
        let mates = one.chunks(4).zip(two.chunks(4));
        mates.flat_map(|(one, two)| [one.concat(), two.concat()]).collect::<String>()
    };
    folder.file("i.fq", &interleaved);
    let out = text(&folder.path("one.fq"));
    for command in [
        &["filter"][..],
        &["convert"],
        &["dedup"],
        &["sort", "-n"],
        &["shuffle"],
        &["repair"],
        &["grep", "-n", "-r", "-p", "."],
    ] {
        let two = [command, &["1.fq", "2.fq", "-o", &out]].concat();
        fails_in(
            &folder,
            &two,
            &["two input files but only one output", "--out2", "--interleaved-out"],
        );
        assert!(!folder.path("one.fq").exists(), "{command:?}");
        good(&folder, &[&two[..], &["--interleaved-out"]].concat());
        if command[0] != "shuffle" {
            assert_eq!(text_of(&folder, "one.fq"), interleaved, "{command:?}");
        }
        std::fs::remove_file(&out).unwrap();
        // A stream can't be two.
        let run = good(&folder, &[command, &["1.fq", "2.fq"]].concat());
        assert_eq!(run.stdout.len(), interleaved.len(), "{command:?}");
        good(&folder, &[command, &["1.fq", "2.fq", "-o", "/dev/null"]].concat());
        // What came in one file leaves in one.
        let one = match command[0] {
            "repair" => [command, &["i.fq", "-o", &out]].concat(),
            _ => [command, &["--interleaved", "i.fq", "-o", &out]].concat(),
        };
        good(&folder, &one);
        std::fs::remove_file(&out).unwrap();
    }
    fails_in(
        &folder,
        &["filter", "1.fq", "-o", &out, "--interleaved-out"],
        &["--interleaved-out needs pairs"],
    );
    let split = ["split", "-s", "1", "1.fq", "2.fq", "-o", "p{part}.fq"];
    fails_in(&folder, &split, &["two input files but only one output, p{part}.fq"]);
    good(&folder, &[&split[..], &["--interleaved-out"]].concat());
    assert_eq!(text_of(&folder, "p001.fq") + &text_of(&folder, "p002.fq"), interleaved);
    // BAM says of each record which of a pair it is, and counts are no reads.
    good(&folder, &["convert", "1.fq", "2.fq", "-o", "o.bam"]);
    good(&folder, &["grep", "-n", "-r", "-p", ".", "-c", "1.fq", "2.fq", "-o", "count.txt"]);
}
