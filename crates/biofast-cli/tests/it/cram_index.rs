//! The index of CRAM, and regions by it. Beside samtools: `tests/peers/cram_index.rs`.

use std::path::Path;

use biofast_testkit::random::Random;
use biofast_testkit::sam::{self, REFERENCES, SamShape};

use crate::common::{Folder, good, refused, run_in, words};

/// A folder with `x.cram` and its index: sorted records of all kinds in containers of one reference, or few ones in containers of several. The same without
/// an index is `y.cram`.
fn folder(records: usize) -> Folder {
    let folder = Folder::new();
    let shape = SamShape { records, sorted: true, longest: 150, oddities: true, seed: 9 };
    folder.file("x.sam", sam::text(&shape));
    run(&folder, "view --quiet --no-PG x.sam --no-reference -o x.cram");
    run(&folder, "index x.cram");
    std::fs::copy(folder.path("x.cram"), folder.path("y.cram")).unwrap();
    folder
}

/// Standard output of a command line that works, and what it says.
fn run(folder: &Folder, line: &str) -> (String, String) {
    let run = good(folder, &words(line));
    (run.stdout, run.stderr)
}

fn lines(index: &Path) -> String {
    let source = biofast_io::Source::open(index).unwrap();
    let reader = biofast_io::Reader::new(source, &biofast_io::Options::default()).unwrap();
    std::io::read_to_string(reader).unwrap()
}

/// Where the containers of an index start.
fn containers(index: &str) -> Vec<usize> {
    let start = |line: &str| line.split('\t').nth(3).unwrap().parse().unwrap();
    let mut starts: Vec<usize> = index.lines().map(start).collect();
    starts.dedup();
    starts
}

#[test]
fn regions_by_the_index_are_those_of_the_whole_file() {
    let mut random = Random(4);
    for (records, least, rounds) in [(48_000, 7, 5), (3000, 3, 12), (0, 0, 4)] {
        let folder = folder(records);
        let index = lines(&folder.path("x.cram.crai"));
        assert!(containers(&index).len() >= least, "{index}");
        assert_eq!(containers(&index).len() < index.lines().count(), records == 3000, "{index}");
        run(&folder, "filter --quiet --no-PG x.sam --no-reference -o z.cram --write-index");
        assert_eq!(lines(&folder.path("z.cram.crai")), index);
        let mut bed = String::new();
        for round in 0..rounds {
            let (name, length) = REFERENCES[random.below(3)];
            let start = 1 + random.below_u64(length);
            let end = start + [0, 60, 5000][random.below(3)];
            bed += &format!("{name}\t{start}\t{end}\n");
            let regions = match round {
                0 => "*".to_owned(),
                1 => "{chr2:HLA} *".to_owned(),
                2 => "chrUn:1 chr1:70000".to_owned(),
                _ => format!("{{{name}}}:{start}-{end}"),
            };
            let [x, y] = ["x.cram", "y.cram"]
                .map(|file| run(&folder, &format!("view --no-PG {file} {regions}")));
            assert!(x.0 == y.0, "{records} {regions}");
            assert!(!x.1.contains("index"), "{}", x.1);
            assert!(y.1.contains("y.cram has no index, so the whole file is read"), "{}", y.1);
        }
        folder.file("x.bed", bed);
        for line in ["flagstat -L x.bed", "idxstats -L x.bed", "filter -L x.bed -O sam --quiet"] {
            let [x, y] = ["x.cram", "y.cram"].map(|file| run(&folder, &format!("{line} {file}")).0);
            assert!(x.replace("x.cram", "y.cram") == y, "{line}");
        }
    }
}

#[test]
fn only_what_is_wanted_is_read_and_damage_there_is_an_error() {
    let folder = folder(48_000);
    let starts = containers(&lines(&folder.path("x.cram.crai")));
    let bytes = std::fs::read(folder.path("x.cram")).unwrap();
    let damaged = |at: usize| {
        let mut bytes = bytes.clone();
        bytes[at + 5000] ^= 1;
        folder.file("x.cram", bytes);
        run_in(&folder, &words("view --quiet --no-PG x.cram {chr2:HLA}"))
    };
    let expected = run(&folder, "view --quiet --no-PG y.cram {chr2:HLA}").0;
    for at in [starts[0], starts[starts.len() - 1]] {
        assert!(damaged(at).stdout == expected, "{at}");
        let whole = run_in(&folder, &words("view --quiet x.cram"));
        assert_eq!(whole.code, 2, "{at}");
    }
    let at = starts[starts.len() / 2];
    let run = damaged(at);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains(&format!("x.cram: compressed byte {at}: ")), "{}", run.stderr);
    // No end-of-file container.
    folder.file("x.cram", &bytes[..bytes.len() - 38]);
    refused(&folder, "view x.cram chr1:5-9", "end-of-file container is missing");
    let allowed = "view --no-PG --quiet --allow-missing-eof x.cram {chr2:HLA}";
    assert!(self::run(&folder, allowed).0 == expected);
}

#[test]
fn an_index_that_does_not_fit_is_told_and_not_used() {
    let folder = folder(48_000);
    let good = lines(&folder.path("x.cram.crai"));
    let expected = run(&folder, "flagstat --region chr1:500-900 y.cram").0;
    let with = |index: &[u8]| {
        folder.file("x.cram.crai", index);
        run(&folder, "flagstat --region chr1:500-900 x.cram")
    };
    let all: Vec<&str> = good.lines().collect();
    let shifted = good.replace(&format!("\t{}\t", containers(&good)[1]), "\t5000\t");
    let without = |at: usize| [&all[..at], &all[at + 1..], &[""]].concat().join("\n");
    for (index, why) in [
        (without(0), "the file has containers that it doesn't list"),
        (without(1), "the file has containers that it doesn't list"),
        (without(all.len() - 1), "the file has containers that it doesn't list"),
        (String::new(), "the file has containers that it doesn't list"),
        (shifted, "the file has containers that it doesn't list"),
        (good.replacen("0\t", "7\t", 1), "references that the file doesn't have"),
        (format!("{good}2\t1\t1\t3\t5\t6\n"), "it points into the header"),
        (format!("{good}2\t1\t1\t99999999\t5\t6\n"), "it points past the end of the file"),
        (good[..good.len() - 1].to_owned(), "it is truncated"),
        (good.replacen('\t', " ", 1), "line 1 is not one of CRAI"),
        ("BAI\u{1}".to_owned(), "it is truncated"),
    ] {
        let (found, said) = with(index.as_bytes());
        assert!(found == expected, "{why}");
        assert!(said.contains("so the whole file is read") && said.contains(why), "{why}: {said}");
    }
    // Plain text is an index, too; also one that is older, which is told, and under its other name.
    assert_eq!(with(good.as_bytes()), (expected.clone(), String::new()));
    let file = std::fs::File::options().write(true).open(folder.path("x.cram.crai")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    std::fs::rename(folder.path("x.cram.crai"), folder.path("x.crai")).unwrap();
    let (found, said) = run(&folder, "flagstat --region chr1:500-900 x.cram");
    assert!(found == expected && said.contains("x.crai is older than its file"), "{said}");
}

#[test]
fn what_makes_no_index_is_an_error() {
    let folder = folder(3000);
    let shape = SamShape { records: 3000, sorted: false, longest: 90, oddities: false, seed: 2 };
    folder.file("u.sam", sam::text(&shape));
    run(&folder, "view --quiet --no-PG u.sam --no-reference -o u.cram");
    let bytes = std::fs::read(folder.path("x.cram")).unwrap();
    folder.file("cut.cram", &bytes[..bytes.len() - 38]);
    for (line, needed) in [
        ("index -b x.cram", "--bai: the index of CRAM is CRAI"),
        ("index -c x.cram", "--csi: the index of CRAM is CRAI"),
        ("index --gzi x.cram", "--gzi: the index of CRAM is CRAI"),
        ("index -m 12 x.cram", "--min-shift: the index of CRAM is CRAI"),
        ("index u.cram", "u.cram … not sorted by coordinate: chr"),
        ("index cut.cram", "end-of-file container is missing"),
    ] {
        refused(&folder, line, needed);
    }
}
