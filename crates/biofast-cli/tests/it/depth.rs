//! `biofast depth`: the depth of each position, beside a plain count of each base.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use biofast_testkit::effort::times;

use crate::common::coverage::{REFERENCES, at, bed, folder, sam};
use crate::common::{Folder, biofast, biofast_with, fails_in, good, ok, run_in, text};

/// What is asked for.
#[derive(Clone, Copy, Default)]
struct Asked {
    all: u8,
    deletions: bool,
    once: bool,
    base_quality: u8,
    mapq: u8,
    len: u32,
    flags: u16,
    /// Lines of BED.
    bed: &'static str,
    region: Option<(&'static str, u64, u64)>,
}

/// Depth and whether a record reaches there, of one file.
type Depths = BTreeMap<(usize, u64), u32>;

/// The depths of a file by a plain reading of samtools' rules.
fn depths(sam: &str, asked: &Asked) -> Depths {
    let mut depths = Depths::new();
    let mut ends: HashMap<&str, u64> = HashMap::new();
    for line in sam.lines().filter(|line| !line.starts_with('@')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let flags: u16 = fields[1].parse().unwrap();
        let position: u64 = fields[3].parse().unwrap();
        let Some(reference) = REFERENCES.iter().position(|(name, _)| *name == fields[2]) else {
            continue;
        };
        let mut operations = Vec::new();
        let mut rest = fields[5];
        while let Some(end) = rest.find(|c: char| !c.is_ascii_digit()).filter(|end| *end > 0) {
            operations.push((rest[..end].parse::<u64>().unwrap(), &rest[end..=end]));
            rest = &rest[end + 1..];
        }
        let soft: u64 = operations.iter().filter(|(_, op)| *op == "S").map(|(len, _)| len).sum();
        let start = position - 1;
        let on_reference = operations.iter().filter(|(_, op)| "M=XDN".contains(op));
        let end = start + on_reference.map(|(len, _)| len).sum::<u64>().max(1);
        let is_outside = asked
            .region
            .is_some_and(|(name, from, to)| name != fields[2] || start >= to || end <= from);
        if flags & asked.flags != 0
            || fields[4].parse::<u8>().unwrap() < asked.mapq
            || (asked.len > 0 && fields[9].len() as u64 - soft < asked.len.into())
            || is_outside
        {
            continue;
        }
        let mut behind = 0;
        if asked.once && flags & 9 == 1 {
            match ends.remove(fields[0]) {
                Some(end) => behind = end,
                None => {
                    let mate: u64 = fields[7].parse().unwrap();
                    if mate == 0 || (fields[6] == "=" && mate - 1 <= end) {
                        ends.insert(fields[0], end);
                    }
                }
            }
        }
        (start..end).for_each(|at| _ = depths.entry((reference, at)).or_default());
        let (mut at, mut base) = (start, 0);
        for (len, op) in operations {
            for step in 0..len {
                let here = if op == "D" { base } else { base + step as usize };
                // A single '*' is a missing one, not 9.
                let known = Some(fields[10].as_bytes()).filter(|all| *all != b"*");
                let quality =
                    known.and_then(|all| all.get(here)).map_or(255, |quality| quality - 33);
                let counts = "M=X".contains(op) || (op == "D" && asked.deletions);
                if counts && quality >= asked.base_quality && at + step >= behind {
                    *depths.entry((reference, at + step)).or_default() += 1;
                }
            }
            at += if "M=XDN".contains(op) { len } else { 0 };
            base += if "M=XIS".contains(op) { len as usize } else { 0 };
        }
    }
    depths
}

/// The lines of all files.
fn expected(files: &[String], asked: &Asked) -> String {
    let columns: Vec<Depths> = files.iter().map(|sam| depths(sam, asked)).collect();
    let intervals: Vec<Vec<&str>> =
        asked.bed.lines().map(|line| line.split('\t').collect()).collect();
    let mut out = String::new();
    for (reference, (name, length)) in REFERENCES.into_iter().enumerate() {
        let is_covered =
            columns.iter().any(|c| c.range((reference, 0)..(reference + 1, 0)).count() > 0);
        let is_whole = asked.all > 1 || (asked.all > 0 && (is_covered || asked.region.is_some()));
        for at in 0..length as u64 {
            let is_spanned = columns.iter().any(|column| column.contains_key(&(reference, at)));
            let is_listed = intervals.is_empty()
                || intervals.iter().any(|i| {
                    i[0] == name && (i[1].parse().unwrap()..i[2].parse().unwrap()).contains(&at)
                });
            let is_inside =
                asked.region.is_none_or(|(on, from, to)| on == name && (from..to).contains(&at));
            if (is_spanned || is_whole) && is_listed && is_inside {
                let _ = write!(out, "{name}\t{}", at + 1);
                for column in &columns {
                    let _ = write!(out, "\t{}", column.get(&(reference, at)).unwrap_or(&0));
                }
                out.push('\n');
            }
        }
    }
    out
}

#[test]
fn depths_are_those_of_a_plain_count() {
    let mut positions = 0;
    const DEFAULT: u16 = 1796;
    let base = Asked { flags: DEFAULT, ..Asked::default() };
    for seed in 1..=times(1).into() {
        let folder = Folder::new();
        let (mut files, mut paths) = (Vec::new(), Vec::new());
        for number in 0..3 {
            let sam = folder.file(&format!("{number}.sam"), sam(100 * seed + number));
            let bam = text(&folder.path(&format!("{number}.bam")));
            let index = ["--write-index"].into_iter().take(number as usize % 2);
            let words = ["sort", "-q", &sam, "-o", &bam].into_iter().chain(index);
            ok(&words.collect::<Vec<_>>());
            // In the order of the sorted file, which decides what the first record of a name is.
            files.push(biofast(&["view", "-h", &bam]).stdout);
            paths.push(bam);
        }
        let bed: &'static str = bed(seed).leak();
        let list = folder.file("x.bed", bed);
        let region = ("c2", 99, 1500);
        for (words, asked) in [
            ("", base),
            ("-a", Asked { all: 1, ..base }),
            ("-aa", Asked { all: 2, ..base }),
            ("-J", Asked { deletions: true, ..base }),
            ("-s", Asked { once: true, ..base }),
            ("-s -J -q 20", Asked { once: true, deletions: true, base_quality: 20, ..base }),
            ("-q 15 -Q 20 -l 40", Asked { base_quality: 15, mapq: 20, len: 40, ..base }),
            ("-g DUP,QCFAIL -G 2048", Asked { flags: 256 | 4 | 2048, ..base }),
            ("-b BED", Asked { bed, ..base }),
            ("-a -s -b BED", Asked { all: 1, once: true, bed, ..base }),
            ("-r c2:100-1500", Asked { region: Some(region), ..base }),
            ("-aa -r c2:100-1500 -b BED", Asked { all: 2, bed, region: Some(region), ..base }),
            ("-a -r none", Asked { all: 1, region: Some(("none", 0, 700)), ..base }),
            ("-s -r c2:100-1500", Asked { once: true, region: Some(region), ..base }),
        ] {
            for number in [1, 3] {
                let expected = expected(&files[..number], &asked);
                positions += expected.lines().count();
                for threads in ["1", "4"] {
                    let words =
                        words.split_whitespace().map(|w| if w == "BED" { &*list } else { w });
                    let words: Vec<&str> = ["depth", "--quiet", "-@", threads]
                        .into_iter()
                        .chain(words)
                        .chain(paths[..number].iter().map(String::as_str))
                        .collect();
                    let run = ok(&words);
                    let mut lines = run.stdout.lines().zip(expected.lines());
                    let first = lines.find(|(own, plain)| own != plain);
                    assert!(run.stdout == expected, "{words:?} of seed {seed}: {first:?}");
                }
            }
        }
    }
    assert!(positions > 4_000, "only {positions} positions were compared");
}

#[test]
fn columns_have_the_names_of_their_files_and_pipes_are_read() {
    let folder = folder(7);
    let bam = at(&folder, "x.bam");
    let plain = biofast(&["depth", &bam]).stdout;
    let piped = biofast_with(&["depth", "-"], &std::fs::read(&bam).unwrap());
    assert_eq!((piped.code, &piped.stdout), (0, &plain));
    good(&folder, &["depth", "-H", "x.bam", "x.sam", "-o", "d.tsv"]);
    let written = std::fs::read_to_string(folder.path("d.tsv")).unwrap();
    let (first, lines) = written.split_once('\n').unwrap();
    assert_eq!(first, "#CHROM\tPOS\tx.bam\tx.sam");
    let doubled = plain.lines().map(|line| {
        let depth = line.rsplit('\t').next().unwrap();
        format!("{line}\t{depth}\n")
    });
    assert!(lines == doubled.collect::<String>());
    folder.file("list", "x.bam\nx.bam\n");
    let run = run_in(&folder, &["depth", "-f", "list"]);
    assert_eq!((run.code, run.stdout.lines().count()), (0, plain.lines().count()));
    assert!(run.stderr.contains("named more than once"));
    let run = run_in(&folder, &["depth", "-d", "0", "x.bam"]);
    assert!(run.stdout == plain && run.stderr.contains("-d has no effect"));
}

#[test]
fn notes_about_indexes_are_told_unless_quiet() {
    let folder = Folder::new();
    folder.file("x.sam", sam(7));
    folder.file("x.bed", bed(7));
    good(&folder, &["sort", "x.sam", "-o", "x.bam"]);
    let asked = [["depth", "-b", "x.bed"], ["flagstat", "-L", "x.bed"], ["view", "-L", "x.bed"]];
    for words in asked {
        let told = good(&folder, &[&words[..], &["x.bam"]].concat());
        assert!(told.stderr.contains("index"), "{words:?} {told:?}");
        let quiet = good(&folder, &[&words[..], &["--quiet", "x.bam"]].concat());
        assert_eq!((quiet.stderr.as_str(), quiet.stdout), ("", told.stdout), "{words:?}");
    }
}

#[test]
fn what_has_no_depths_is_refused() {
    let folder = folder(3);
    let sam = std::fs::read_to_string(folder.path("x.sam")).unwrap();
    let (header, records) = sam.split_at(sam.find("\np").unwrap() + 1);
    let reversed: String = records.lines().rev().map(|line| format!("{line}\n")).collect();
    folder.file("unsorted.sam", format!("{header}{reversed}"));
    folder.file("other.sam", header.replace("LN:700", "LN:701"));
    folder.file("reads.fq", "@r\nA\n+\nI\n");
    let bam = std::fs::read(folder.path("x.bam")).unwrap();
    folder.file("cut.bam", &bam[..bam.len() / 2]);
    folder.file("other.bed", "chrZ\t1\t2\n");
    for (words, said) in [
        ("unsorted.sam", "not sorted by coordinate"),
        ("x.bam unsorted.sam", "unsorted.sam: record 2"),
        (
            "x.bam other.sam",
            "other.sam: reference sequences differ from those of the first file, from number 2 on",
        ),
        ("reads.fq", "reads.fq"),
        ("x.bam cut.bam x.sam", "cut.bam"),
        ("absent.bam", "No such file"),
        ("x.bam -r chrZ", "no reference is named 'chrZ'"),
        ("x.bam -r *", "-r needs a region"),
        ("x.bam -b other.bed", "other.bed"),
        ("x.bam -g NOFLAG", "NOFLAG"),
        ("x.bam -X x.bam.bai", "x.bam.bai"),
        ("x.bam -o x.bam", "x.bam"),
        ("x.bam -o d.json", "JSON"),
        ("x.bam -o /dev/full", "No space"),
    ] {
        let words = [&["depth"][..], &crate::common::words(words)].concat();
        fails_in(&folder, &words, &[said]);
    }
    assert!(!folder.path("d.json").exists());
}
