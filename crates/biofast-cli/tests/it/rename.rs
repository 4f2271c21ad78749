//! `biofast convert --unique-names`: names that came before get a number, as `seqkit rename` gives it, in little memory.

use std::collections::HashMap;

use biofast_testkit::container::{KINDS, wrap};

use crate::common::rename::many;
use crate::common::{Folder, biofast, biofast_with, fails, ok, silent, text};

/// What must come out, by a table of all names; the first is told by the whole line or by its name.
fn expected(input: &str, step: usize, by_header: bool) -> String {
    let mut counts: HashMap<&str, u64> = HashMap::new();
    let mut out = String::new();
    for (at, line) in input.lines().enumerate() {
        if at % step == 0 {
            let end = line.find([' ', '\t']).unwrap_or(line.len());
            let count = counts.entry(if by_header { line } else { &line[..end] }).or_default();
            *count += 1;
            match count {
                1 => out += line,
                n => out += &format!("{}_{n}{}", &line[..end], &line[end..]),
            }
        } else {
            out += line;
        }
        out.push('\n');
    }
    out
}

#[test]
fn names_that_came_before_get_numbers_in_any_container_memory_and_threads() {
    let folder = Folder::new();
    for (fasta, step) in [(true, 2), (false, 4)] {
        let input = many(1500, fasta);
        for (option, by_header) in [("--unique-names", false), ("--unique-names=header", true)] {
            let expected = expected(&input, step, by_header);
            assert!(expected != input);
            for kind in KINDS {
                let path = folder.file("in", wrap(kind, input.as_bytes()));
                for (threads, memory) in [("1", "16K"), ("3", "100M"), ("2", "200K")] {
                    let run = silent(&[
                        "convert", "-q", option, "-w", "0", "-@", threads, "--memory", memory,
                        "--chunk-size", "5000", &path,
                    ]);
                    assert!(run.stdout == expected, "{kind:?} {option} {threads} {memory}");
                }
            }
            // A stream is kept to be read again.
            let args = ["convert", "-q", option, "-w", "0", "-", "--memory", "16K"];
            assert!(biofast_with(&args, input.as_bytes()).stdout == expected);
        }
    }
}

#[test]
fn mates_get_the_same_number_before_what_tells_them_apart() {
    let folder = Folder::new();
    let mate = |mate: u8| {
        let names = ["a", "b", "a", "c", "a"];
        let read = |name| format!("@{name}/{mate} x\nAC\n+\nII\n");
        folder.file(&format!("{mate}.fq"), names.map(read).concat())
    };
    let (one, two) = (mate(1), mate(2));
    let [o1, o2, map, json] =
        ["o1.fq", "o2.fq", "n.tsv", "x.json"].map(|name| text(&folder.path(name)));
    let run = ok(&[
        "convert", "--unique-names", &one, &two, "-o", &o1, "--out2", &o2, "--name-map", &map,
        "--summary", &json,
    ]);
    assert!(run.stderr.contains("2 pairs with repeated names renamed"), "{}", run.stderr);
    let names = |path: &str| -> Vec<String> {
        std::fs::read_to_string(path).unwrap().lines().step_by(4).map(str::to_owned).collect()
    };
    assert_eq!(names(&o1), ["@a/1 x", "@b/1 x", "@a_2/1 x", "@c/1 x", "@a_3/1 x"]);
    assert_eq!(names(&o2), ["@a/2 x", "@b/2 x", "@a_2/2 x", "@c/2 x", "@a_3/2 x"]);
    assert!(std::fs::read_to_string(&map).unwrap().contains("a/2\ta_3/2\n"));
    assert!(std::fs::read_to_string(&json).unwrap().contains("\"renamed\": 2"));
    ok(&["check", "--paired", &o1, &o2]);
    // Only what is written counts, as it is renamed; and in BAM, too.
    let run = biofast(&[
        "convert", "-q", "--unique-names", "--range", "2:4", "--rename", "{description}{name}",
        &one,
    ]);
    let ids: Vec<&str> = run.stdout.lines().step_by(4).collect();
    assert_eq!(ids, ["@xb/1", "@xa/1", "@xc/1"]);
    let bam = text(&folder.path("o.bam"));
    ok(&["convert", "-q", "--unique-names", &one, &two, "-o", &bam]);
    let sam = biofast(&["view", &bam]).stdout;
    assert!(sam.contains("a_3\t77") && sam.contains("a_3\t141"), "{sam}");
}

#[test]
fn a_new_name_that_is_taken_and_a_broken_input_are_errors_and_nothing_appears() {
    let folder = Folder::new();
    let out = text(&folder.path("o.fa"));
    let taken = folder.file("taken.fa", ">a\nA\n>a_2 x\nA\n>a y\nA\n");
    fails(
        &["convert", "--unique-names", &taken, "-o", &out],
        &["read 'a' occurs several times, and the new name 'a_2'", "--rename"],
    );
    // It is another line, but for the description.
    let run = biofast(&["convert", "-q", "--unique-names=header", &taken]);
    assert_eq!(run.stdout, ">a\nA\n>a_2 x\nA\n>a y\nA\n");
    let broken = folder.file("broken.fq", "@a\nACGT\n+\nIIII\n@a\nAC\n+\nI\n");
    fails(&["convert", "--unique-names", &broken, "-o", &out], &["broken.fq", "record 2"]);
    assert!(!folder.path("o.fa").exists());
    fails(&["convert", "--memory", "1G", &taken], &["--unique-names"]);
}
