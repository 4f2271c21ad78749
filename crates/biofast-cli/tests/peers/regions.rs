//! Regions of random alignments through indexes of samtools, good ones and damaged ones: what `samtools view` finds with the good one.

use std::fmt::Write;

use biofast_testkit::random::Random;

use crate::common::{Folder, Run, run_in};
use crate::tools;

const REFERENCES: [(&str, usize); 4] =
    [("chr1", 400_000), ("empty", 1000), ("chr2", 90_000), ("chr3", 200)];

/// Sorted SAM: short reads, some with long skips, some without a CIGAR or one that takes no bases of the reference, some unmapped
/// beside their mates, with a CIGAR or without, some unplaced.
fn sam(random: &mut Random, records: usize) -> String {
    let mut placed: Vec<(usize, usize, String, u32)> = Vec::new();
    for _ in 0..records {
        let reference = [0, 0, 0, 2, 3][random.below(5)];
        let length = REFERENCES[reference].1;
        let position = 1 + random.below(length - 60);
        let skip = random.below(1 + (length - position - 60).min(70_000));
        let (cigar, flags) = match random.below(14) {
            0 => ("*".to_owned(), 4),
            1 if skip > 0 => (format!("20M{skip}N20M"), 0),
            2 if skip > 0 => (format!("20M{skip}N20M"), 4),
            3 => ("*".to_owned(), 16),
            4 => ("10S30I".to_owned(), 0),
            _ => ("40M".to_owned(), 0),
        };
        placed.push((reference, position, cigar, flags));
    }
    placed.sort();
    let mut out = "@HD\tVN:1.6\tSO:coordinate\n".to_owned();
    for (name, length) in REFERENCES {
        let _ = writeln!(out, "@SQ\tSN:{name}\tLN:{length}");
    }
    let letters = |random: &mut Random| -> String {
        (0..40).map(|_| char::from(b"ACGT"[random.below(4)])).collect()
    };
    for (number, (reference, position, cigar, flags)) in placed.iter().enumerate() {
        let name = REFERENCES[*reference].0;
        let (bases, qualities) = (letters(random), letters(random));
        let _ = writeln!(
            out,
            "r{number}\t{flags}\t{name}\t{position}\t30\t{cigar}\t*\t0\t0\t{bases}\t{qualities}"
        );
    }
    for number in 0..random.below(40) {
        let _ = writeln!(out, "u{number}\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII");
    }
    out
}

fn view(folder: &Folder, file: &str, regions: &[String]) -> Run {
    let regions = regions.iter().map(String::as_str);
    let args: Vec<&str> = ["view", file].into_iter().chain(regions).collect();
    run_in(folder, &args)
}

/// What other commands make of the same regions, through an index or without one.
fn others_agree(folder: &Folder, regions: &[String], expected: &str) {
    assert!(view(folder, "x.sam", regions).stdout == expected, "{regions:?}");
    let options: Vec<&str> = regions.iter().flat_map(|r| ["--region", r]).collect();
    let out = |command: &[&str]| {
        let run = run_in(folder, &[command, &options].concat());
        assert_eq!(run.code, 0, "{run:?}");
        run.stdout
    };
    for file in ["x.bam", "x.sam"] {
        let kept = out(&["filter", file, "-O", "sam"]);
        assert!(kept.lines().filter(|line| !line.starts_with('@')).eq(expected.lines()));
        let counted = out(&["flagstat", file]);
        let total = format!("{} + 0 in total", expected.lines().count());
        assert!(counted.starts_with(&total), "{file}: {regions:?}: {counted}");
        let counted = out(&["idxstats", file]);
        let fields = counted.lines().flat_map(|line| line.split('\t').skip(2));
        let total: usize = fields.map(|field| field.parse::<usize>().unwrap()).sum();
        assert_eq!(total, expected.lines().count(), "{file}: {regions:?}: {counted}");
    }
}

#[test]
#[ignore = "needs samtools"]
fn what_samtools_finds_is_found_through_any_index() {
    let mut random = Random(20_261_126);
    let (mut used, mut unused, mut errors) = (0, 0, 0);
    for round in 0..12 {
        let folder = Folder::new();
        let path = |name: &str| folder.path(name).to_str().unwrap().to_owned();
        let records = 300 + random.below(6000);
        folder.file("x.sam", sam(&mut random, records));
        let made = run_in(&folder, &["view", "-b", "x.sam", "-o", "x.bam"]);
        assert_eq!(made.code, 0, "{made:?}");
        tools::run(&mut tools::samtools_of_pysam(&["index", &path("x.bam")]));
        let own = std::fs::read(folder.path("x.bam.bai")).unwrap();
        for _ in 0..10 {
            let regions: Vec<String> = (0..1 + random.below(3))
                .map(|_| {
                    let (name, length) = REFERENCES[random.below(4)];
                    let start = 1 + random.below(length);
                    let most = [10, 1000, 100_000][random.below(3)];
                    let end = start + random.below(most);
                    match random.below(12) {
                        0 => name.to_owned(),
                        1 => "*".to_owned(),
                        _ => format!("{name}:{start}-{end}"),
                    }
                })
                .collect();
            // The regions before left a damaged one.
            folder.file("x.bam.bai", &own);
            let bam = path("x.bam");
            let mut args = vec!["view", "-M", &bam];
            args.extend(regions.iter().map(String::as_str));
            let theirs = tools::run(&mut tools::samtools_of_pysam(&args));
            let expected = String::from_utf8(theirs.stdout).unwrap();
            let run = view(&folder, "x.bam", &regions);
            assert_eq!(run.code, 0, "{regions:?}: {run:?}");
            assert!(run.stdout == expected, "round {round}: {regions:?}");
            assert!(!run.stderr.contains("is damaged"), "{run:?}");
            others_agree(&folder, &regions, &expected);
            for _ in 0..12 {
                let mut bad = own.clone();
                let at = random.below(bad.len());
                match random.below(4) {
                    0 => bad[at] = 0,
                    1 => bad.truncate(at),
                    _ => bad[at] ^= 1 << random.below(8),
                }
                folder.file("x.bam.bai", &bad);
                let run = view(&folder, "x.bam", &regions);
                if run.code != 0 {
                    errors += 1;
                    continue;
                }
                assert!(run.stdout == expected, "round {round}: {regions:?}, byte {at}");
                match run.stderr.contains("is damaged") {
                    true => unused += 1,
                    false => used += 1,
                }
            }
        }
    }
    assert!(unused > 400 && used > 100 && errors < 60, "{unused}, {used}, {errors}");
}
