//! `biofast split --by`: every alignment in the file of its value, in order, all files or none.

use std::collections::BTreeMap;

use crate::common::cat::{grouped, parts};
use crate::common::{Folder, fails_in, good, listed};

/// The lines of a file of alignments: its header, and its records.
fn shown(folder: &Folder, name: &str) -> (String, String) {
    let all = good(folder, &["view", "-h", "--no-PG", name]).stdout;
    let lines: Vec<&str> = all.split_inclusive('\n').collect();
    let (header, records): (Vec<&str>, Vec<&str>) =
        lines.into_iter().partition(|line| line.starts_with('@'));
    (header.concat(), records.concat())
}

/// The records of each value, by a plain reading of their tags.
fn by_tag(sam: &str, tag: &str) -> BTreeMap<Option<String>, String> {
    let mut all: BTreeMap<Option<String>, String> = BTreeMap::new();
    for line in sam.split_inclusive('\n').filter(|line| !line.starts_with('@')) {
        let value = line.trim_end().split('\t').skip(11).find_map(|field| {
            let rest = field.strip_prefix(tag)?;
            rest.strip_prefix(":Z:").or(rest.strip_prefix(":i:"))
        });
        *all.entry(value.map(str::to_owned)).or_default() += line;
    }
    all
}

#[test]
fn records_go_to_the_files_of_their_values_on_any_threads() {
    let folder = Folder::new();
    let sam = grouped(&folder).replacen("@RG\tID:other\n", "@RG\tID:other\n@RG\tID:empty\n", 1);
    // A group that isn't in the header, text and numbers, and one value with a folder in it.
    let mut lines = String::new();
    for (number, line) in sam.lines().enumerate() {
        lines += &match number % 5 {
            _ if line.starts_with('@') => line.to_owned(),
            0 => format!("{}\tCB:i:{}", line.replace("RG:Z:other", "RG:Z:new/1"), number % 3),
            1 | 2 => format!("{line}\tCB:Z:AC{}-1", number % 4),
            _ => line.to_owned(),
        };
        lines += "\n";
    }
    folder.file("x.sam", &lines);
    good(&folder, &["view", "-b", "--no-PG", "x.sam", "-o", "x.bam"]);
    let (header, records) = shown(&folder, "x.bam");
    for tag in ["RG", "CB"] {
        let mut expected = by_tag(&records, tag);
        assert!(expected.len() > 3, "{:?}", expected.keys());
        if tag == "RG" {
            expected.insert(Some("empty".into()), String::new());
        }
        for (threads, ending) in [("1", "bam"), ("4", "bam"), ("2", "sam")] {
            std::fs::create_dir(folder.path("out")).unwrap();
            let template = format!("out/v_{{value}}.{ending}");
            let rest = format!("out/rest.{ending}");
            let words = [
                "split", "--by", tag, "x.bam", "-o", &template, "-u", &rest, "--no-PG", "-@",
                threads,
            ];
            let run = good(&folder, &words);
            let number = expected.len();
            let said = format!("{} records written to {number} files", records.lines().count());
            assert!(run.stderr.contains(&said), "{}", run.stderr);
            assert_eq!(std::fs::read_dir(folder.path("out")).unwrap().count(), number);
            for (value, records) in &expected {
                let (name, groups): (String, Vec<&str>) = match value {
                    None => (rest.clone(), vec!["known", "other", "empty"]),
                    Some(value) if tag == "RG" => {
                        (format!("out/v_{}.{ending}", value.replace('/', "_")), vec![value])
                    }
                    Some(value) => {
                        (format!("out/v_{value}.{ending}"), vec!["known", "other", "empty"])
                    }
                };
                let (own, found) = shown(&folder, &name);
                assert!(found == *records, "{name}");
                let ids = own.lines().filter_map(|line| line.strip_prefix("@RG\tID:"));
                let ids: Vec<&str> = ids.map(|rest| rest.split('\t').next().unwrap()).collect();
                assert_eq!(ids, groups, "{name}");
                let others = |text: &str| -> Vec<String> {
                    text.lines()
                        .filter(|line| !line.starts_with("@RG"))
                        .map(str::to_owned)
                        .collect()
                };
                assert_eq!(others(&own), others(&header));
            }
            std::fs::remove_dir_all(folder.path("out")).unwrap();
        }
    }
}

#[test]
fn names_are_made_of_a_format_of_samtools() {
    let folder = Folder::new();
    let sam: String =
        ["x", "y/z", "x"].map(|v| format!("r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tCB:Z:{v}\n")).concat();
    folder.file("a.b.sam", "@HD\tVN:1.6\n".to_owned() + &sam);
    for (format, names) in
        [("%*_%#.%.", ["a.b_0.bam", "a.b_1.bam"]), ("%%-%!.sam", ["%-x.sam", "%-y_z.sam"])]
    {
        good(&folder, &["split", "-d", "CB", "-f", format, "a.b.sam"]);
        for (name, records) in names.iter().zip([2, 1]) {
            assert_eq!(shown(&folder, name).1.lines().count(), records, "{name}");
        }
    }
    for (words, said) in [
        ("-d CB -f x%# -o y a.b.sam", "can't be combined"),
        ("-s 4 -f x%# a.b.sam", "--by"),
        ("-d CB -f x%q a.b.sam", "%q is none of"),
        ("-d CB -f x a.b.sam", "would hold both"),
    ] {
        fails_in(&folder, &[&["split"][..], &crate::common::words(words)].concat(), &[said]);
    }
}

#[test]
fn what_cannot_be_split_is_refused_and_nothing_is_left() {
    let folder = Folder::new();
    let path = parts(&folder, 1).remove(0);
    std::fs::copy(path, folder.path("plain.bam")).unwrap();
    let record =
        |name: usize, value: &str| format!("r{name}\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tCB:Z:{value}\n");
    folder.file("same.sam", record(1, "a/b") + &record(2, "a:b"));
    folder.file("many.sam", (0..1001).map(|n| record(n, &n.to_string())).collect::<String>());
    folder.file("empty.sam", "@HD\tVN:1.6\n");
    folder.file("reads.fq", "@r\nA\n+\nI\n");
    let bam = std::fs::read(folder.path("plain.bam")).unwrap();
    folder.file("cut.bam", &bam[..bam.len() / 2]);
    let before = listed(&folder);
    for (words, said) in [
        ("plain.bam --by CB -o v_{value}.bam", "no text or whole number in the tag CB"),
        ("plain.bam --by CB -o v.bam -u u.bam", "put {value} where"),
        ("same.sam --by CB -o v_{value}.bam", "v_a_b.bam would hold both 'a/b' and 'a:b'"),
        ("many.sam --by CB -o v_{value}.bam", "more than 1,000 values"),
        ("empty.sam --by CB -o v_{value}.bam", "no records"),
        ("reads.fq --by CB -o v_{value}.bam", "reads.fq"),
        ("cut.bam --by RG -o v_{value}.bam -u u.bam", "cut.bam"),
        ("same.sam plain.bam --by RG -o v_{value}.bam", "one file"),
        ("- --by RG -o v_{value}.bam", "a stream can't be"),
        ("absent.bam --by RG -o v_{value}.bam", "absent.bam"),
        ("same.sam --by CB -s 3 -o v_{value}.bam", "can't be combined"),
        ("same.sam --by C -o v_{value}.bam", "expected a tag"),
        ("plain.bam --by RG -o v_{value}.bam -u plain.bam", "plain.bam"),
        ("plain.bam --by CB -o v_{value}.bam -u /dev/full", "No space"),
    ] {
        let words = [&["split"][..], &crate::common::words(words)].concat();
        fails_in(&folder, &words, &[said]);
        assert_eq!(listed(&folder), before, "{words:?}");
    }
    // More files than may be open.
    std::fs::create_dir(folder.path("out")).unwrap();
    let binary = crate::common::binary();
    let line =
        format!("ulimit -n 60 && {binary} split --by CB many.sam -o out/{{value}}.sam --force");
    let mut shell = std::process::Command::new("sh");
    let output = shell.args(["-c", &line]).current_dir(folder.path("")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read_dir(folder.path("out")).unwrap().count(), 1001);
    let one = std::fs::read_to_string(folder.path("out/777.sam")).unwrap();
    assert!(one.contains(&record(777, "777")), "{one}");
}
