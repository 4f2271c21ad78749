//! The coverage of genomes and of targets in `stats --out-dir`: figure for figure that of Picard 2.27.5, where it is installed,
//! and that of a plain count of every base.

use crate::common;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use biofast_testkit::random::Random;
use biofast_testkit::sam;
use common::{Folder, assert_error, biofast, installed};

use crate::coverage::at;
use crate::stats_picard::{picard, rows};

/// Reads of templates whose ends overlap, with clips, insertions, deletions, skips, unknown bases and all flags; some places are
/// deeper than Picard counts, and one template in ten has a supplementary read.
pub(crate) fn records(seed: u64) -> String {
    let mut random = Random(seed);
    let mut lines: Vec<(usize, u64, String)> = Vec::new();
    for template in 0..2600 {
        // Half of them lie on one place.
        let deep = template % 2 == 0;
        let reference = if deep { 0 } else { random.below(3) };
        let (name, length) = sam::REFERENCES[reference];
        let start = match (deep, reference) {
            (true, _) => 500,
            (false, 0) => 1 + random.below_u64(8000),
            (false, _) => 1 + random.below_u64(length - 1200),
        };
        let mates = [start, start + random.below_u64(200)];
        let (first, pairing) = (random.below(2), random.below(20));
        for end in 0..2 + usize::from(random.chance(10)) {
            let mut flags = match pairing {
                0 => 0,
                1 => 1 | 8,
                _ => 1 | if (end % 2) == first { 0x40 } else { 0x80 },
            };
            flags |= if end == 2 { 0x800 } else { 0 };
            for (bit, percent) in [(0x10, 50), (0x100, 2), (0x200, 2), (0x400, 5), (4, 1)] {
                flags |= if random.chance(percent) { bit } else { 0 };
            }
            let few = 1 + random.below(40);
            let (cigar, bases) = match random.below(9) {
                0 => ("5S60M3I20M12S".to_owned(), 100),
                1 => ("4H50M10D46M4S".into(), 100),
                2 => ("40M300N60M".into(), 100),
                3 => ("30=1X69=".into(), 100),
                4 => (format!("{few}M"), few),
                _ => ("100M".into(), 100),
            };
            let letter = |random: &mut Random, letters: &[u8]| {
                char::from(letters[random.below(letters.len())])
            };
            let sequence: String =
                (0..bases).map(|_| letter(&mut random, b"ACGTACGTACGTACGTN")).collect();
            let qualities: String =
                (0..bases).map(|_| letter(&mut random, b"FFFFFFFFF:,5#!4")).collect();
            let mapq = [60, 60, 60, 60, 20, 19, 0][random.below(7)];
            let (own, other) = (mates[end % 2], mates[1 - end % 2]);
            let (mate, other) = if pairing == 0 { ("*", 0) } else { ("=", other) };
            let line = format!(
                "t{template}\t{flags}\t{name}\t{own}\t{mapq}\t{cigar}\t{mate}\t{other}\t0\t{sequence}\t{qualities}\tRG:Z:{}\n",
                template % 3
            );
            lines.push((reference, own, line));
        }
    }
    lines.sort_by_key(|(reference, position, _)| (*reference, *position));
    let mut out = String::from("@HD\tVN:1.6\tSO:coordinate\n");
    for (name, length) in sam::REFERENCES {
        let _ = writeln!(out, "@SQ\tSN:{name}\tLN:{length}");
    }
    for group in 0..3 {
        let _ = writeln!(out, "@RG\tID:{group}\tSM:s{}", group.min(1));
    }
    lines.iter().for_each(|(_, _, line)| out += line);
    out
}

/// Targets and baits as interval lists, and the targets as BED: some overlap, touch, lie in each other, have no reads.
pub(crate) fn intervals(folder: &Folder, seed: u64) -> (String, String, String) {
    let mut random = Random(seed);
    let mut head = String::from("@HD\tVN:1.6\n");
    for (name, length) in sam::REFERENCES {
        let _ = writeln!(head, "@SQ\tSN:{name}\tLN:{length}");
    }
    let (mut targets, mut baits, mut bed) = (head.clone(), head.clone(), String::new());
    for number in 0..60 {
        let reference = [0, 2, 0, 2, 0, 2, 1][number % 7];
        let (name, length) = sam::REFERENCES[reference];
        let start = match (number, reference) {
            (0..10, 0) => 450 + 40 * number as u64,
            (_, 0) => random.below_u64(8000),
            _ => random.below_u64(length - 400),
        };
        let end = start + 1 + random.below_u64(300);
        let _ = writeln!(bed, "{name}\t{start}\t{end}");
        let _ = writeln!(targets, "{name}\t{}\t{end}\t+\tt{number}", start + 1);
        if number % 3 > 0 {
            let _ = writeln!(baits, "{name}\t{}\t{}\t-\tb{number}", start + 1, end + 80);
        }
    }
    (
        folder.file("targets.interval_list", targets),
        folder.file("my.baits.interval_list", baits),
        folder.file("targets.bed", bed),
    )
}

/// A reference with its dictionary, as Picard wants one.
pub(crate) fn reference(folder: &Folder, seed: u64) -> String {
    let mut dictionary = String::from("@HD\tVN:1.6\n");
    for (name, length) in sam::REFERENCES {
        let _ = writeln!(dictionary, "@SQ\tSN:{name}\tLN:{length}");
    }
    folder.file("ref.dict", dictionary);
    // And with an index: lines have 70 bases.
    let (mut index, mut offset) = (String::new(), 0);
    for (name, length) in sam::REFERENCES {
        offset += name.len() as u64 + 2;
        let _ = writeln!(index, "{name}\t{length}\t{offset}\t70\t71");
        offset += length + length.div_ceil(70);
    }
    folder.file("ref.fa.fai", index);
    folder.file("ref.fa", sam::fasta(seed))
}

/// Runs biofast, and gives the rows of both files.
fn run(folder: &Folder, input: &str, out: &str, args: &[&str]) -> [String; 2] {
    let own = at(folder, out);
    let run = ["stats", "--quiet", input, "--out-dir", &own, "--sample", "x"];
    let run = biofast(&[&run[..], args].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    ["wgs", "hs"].map(|name| rows(folder, &format!("{out}/x.{name}_metrics")))
}

/// Names and values of the row of metrics.
fn metrics(rows: &str) -> HashMap<&str, &str> {
    let mut lines = rows.lines().skip_while(|line| !line.starts_with("## METRICS")).skip(1);
    let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
    names.split('\t').zip(values.split('\t')).collect()
}

#[test]
fn coverage_is_that_of_picard() {
    if !installed("PicardCommandLine") {
        return;
    }
    let folder = Folder::new();
    let input = folder.file("x.sam", records(21));
    let fasta = reference(&folder, 21);
    let (targets, baits, _) = intervals(&folder, 21);
    let args = ["--qc", "wgs,hs", "-r", &fasta, "--targets", &targets, "--baits", &baits];
    let [wgs, hs] = run(&folder, &input, "own", &args);
    let (wgs_out, hs_out) = (at(&folder, "wgs.txt"), at(&folder, "hs.txt"));
    let both = ["-I", &input, "-R", &fasta, "-O"];
    picard(&folder, &[&["CollectWgsMetrics"][..], &both, &[&wgs_out]].concat());
    assert_eq!(wgs, rows(&folder, "wgs.txt"));
    let of_targets = [&hs_out[..], "-TI", &targets, "-BI", &baits];
    picard(&folder, &[&["CollectHsMetrics"][..], &both, &of_targets].concat());
    assert_same_hs(&hs, &rows(&folder, "hs.txt"));
    // The input is one in which all kinds of bases occur.
    for (found, names) in [
        (metrics(&wgs), "MAPQ DUPE UNPAIRED BASEQ OVERLAP CAPPED"),
        (metrics(&hs), "MAPQ DUPE BASEQ OVERLAP OFF_TARGET"),
    ] {
        let others = match found.contains_key("PCT_100X") {
            true => ["PCT_100X", "HET_SNP_SENSITIVITY", "MEAN_COVERAGE"],
            false => ["HS_LIBRARY_SIZE", "NEAR_BAIT_BASES", "AT_DROPOUT"],
        };
        let excluded = names.split(' ').map(|name| format!("PCT_EXC_{name}"));
        for name in excluded.chain(others.map(String::from)) {
            assert!(!["", "0", "?"].contains(&found[&name[..]]), "{name}: {}", found[&name[..]]);
        }
    }
}

/// Of targets what Picard 2.27.5 and 3.4 say alike: before version 3 the cap bounds depths and qualities, too.
fn assert_same_hs(own: &str, theirs: &str) {
    let (own, theirs) = (metrics(own), metrics(theirs));
    assert_eq!(own.len(), theirs.len());
    let capped = ["MEDIAN_TARGET_COVERAGE", "FOLD_80_BASE_PENALTY", "HET_SNP_"];
    for (name, value) in &own {
        let is_capped = capped.iter().any(|own| name.starts_with(own));
        if !is_capped && !name.starts_with("HS_PENALTY_") {
            assert_eq!(theirs.get(name), Some(value), "{name}");
        }
    }
}

#[test]
fn coverage_of_real_exomes_is_that_of_picard() {
    let real = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/real/nf-cmgg_exome_10samples.bam");
    if !real.exists() {
        return eprintln!("skipped: {} is not there", real.display());
    }
    if !installed("PicardCommandLine") {
        return;
    }
    let folder = Folder::new();
    let mut list =
        String::from("@HD\tVN:1.6\n@SQ\tSN:chr21\tLN:10000000\n@SQ\tSN:chrX\tLN:10000000\n");
    for start in (5_000_001..9_900_000).step_by(3000) {
        let _ = writeln!(list, "chr21\t{start}\t{}\t+\tt", start + 900);
    }
    let targets = folder.file("exome.interval_list", list);
    let input = real.to_str().unwrap();
    let [_, hs] = run(&folder, input, "own", &["--qc", "hs", "--targets", &targets]);
    let out = at(&folder, "hs.txt");
    picard(
        &folder,
        &["CollectHsMetrics", "-I", input, "-O", &out, "-TI", &targets, "-BI", &targets],
    );
    assert_same_hs(&hs, &rows(&folder, "hs.txt"));
    assert!(metrics(&hs)["MAX_TARGET_COVERAGE"].parse::<u64>().unwrap() > 200);
}

/// Positions on which bases of a CIGAR lie, from 1, with the places of the bases.
fn places(start: u64, cigar: &str) -> Vec<(u64, usize)> {
    let (mut at, mut base, mut number, mut out) = (start, 0, 0u64, Vec::new());
    for c in cigar.chars() {
        if let Some(digit) = c.to_digit(10) {
            number = number * 10 + u64::from(digit);
            continue;
        }
        if "M=X".contains(c) {
            out.extend((0..number).map(|n| (at + n, base + n as usize)));
        }
        at += if "M=XDN".contains(c) { number } else { 0 };
        base += if "M=XIS".contains(c) { number as usize } else { 0 };
        number = 0;
    }
    out
}

#[test]
fn coverage_of_a_genome_agrees_with_sets_of_names() {
    let (folder, sam) = (Folder::new(), records(33));
    let (input, fasta) = (folder.file("x.sam", &sam), reference(&folder, 33));
    let known: HashMap<&str, Vec<u8>> = sam::REFERENCES
        .iter()
        .map(|(name, _)| *name)
        .zip(sam::fasta(33).split('>').skip(1).map(|part| {
            part.split_once('\n').unwrap().1.bytes().filter(u8::is_ascii_graphic).collect()
        }))
        .collect();
    let mut seen: HashSet<(&str, &str, u64)> = HashSet::new();
    let mut depths: HashMap<(&str, u64), u64> = HashMap::new();
    let (mut excluded, mut aligned) = (0, 0);
    for line in sam.lines().filter(|line| !line.starts_with('@')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let flags: u16 = fields[1].parse().unwrap();
        let places = places(fields[3].parse().unwrap(), fields[5]);
        if flags & 0x100 != 0 {
            continue;
        }
        let mapq: u8 = fields[4].parse().unwrap();
        if mapq < 20 || flags & 0x400 != 0 || flags & 1 == 0 || flags & 8 != 0 {
            (excluded, aligned) = (excluded + places.len(), aligned + places.len());
            continue;
        }
        if flags & 0x204 != 0 {
            continue;
        }
        for (position, base) in places {
            if known[fields[2]][position as usize - 1] == b'N' {
                continue;
            }
            aligned += 1;
            let good = fields[10].as_bytes()[base] >= 33 + 20 && fields[9].as_bytes()[base] != b'N';
            if good && seen.insert((fields[0], fields[2], position)) {
                *depths.entry((fields[2], position)).or_default() += 1;
            } else {
                excluded += 1;
            }
        }
    }
    let capped: u64 = depths.values().map(|depth| depth.saturating_sub(250)).sum();
    assert!(capped > 0);
    let [wgs, _] = run(&folder, &input, "own", &["--qc", "wgs", "-r", &fasta]);
    let found = metrics(&wgs);
    let number = |name: &str| found[name].parse::<f64>().unwrap();
    let territory = known.values().flatten().filter(|base| **base != b'N').count() as f64;
    assert_eq!(number("GENOME_TERRITORY"), territory);
    let sum: u64 = depths.values().map(|depth| depth.min(&250)).sum();
    assert!((number("MEAN_COVERAGE") - sum as f64 / territory).abs() < 1e-6);
    let total = (excluded as u64 + capped) as f64 / aligned as f64;
    assert!((number("PCT_EXC_TOTAL") - total).abs() < 1e-6, "{total}: {wgs}");
    let share = depths.len() as f64 / territory;
    assert!((number("PCT_1X") - share).abs() < 1e-6);
    for depth in [1, 7, 250] {
        let positions = depths.values().filter(|own| **own.min(&&250) == depth).count();
        assert!(wgs.contains(&format!("\n{depth}\t{positions}\n")), "{depth} {positions}");
    }
}

#[test]
fn threads_formats_lists_and_other_reports_make_no_difference() {
    let folder = Folder::new();
    let (input, fasta) = (folder.file("x.sam", records(5)), reference(&folder, 5));
    let (targets, baits, bed) = intervals(&folder, 5);
    let both = ["-r", &fasta[..], "--bait-intervals", &baits, "--target-intervals"];
    let run =
        |out: &str, input: &str, args: &[&str]| run(&folder, input, out, &[&both, args].concat());
    let expected = run("one", &input, &[&targets, "--qc", "wgs,hs", "-@", "1"]);
    assert!(expected[1].contains("\nmy\t"), "{}", expected[1]);
    let bam = at(&folder, "x.bam");
    assert_eq!(biofast(&["view", "--quiet", "-b", &input, "-o", &bam]).code, 0);
    for (number, args) in [
        vec![&bam[..], &targets, "--qc", "wgs,hs", "-@", "5", "--chunk-size", "3000"],
        vec![&bam, &bed, "--qc", "hs,wgs", "-@", "3"],
        vec![&bam, &bed],
        vec![&input, &bed, "--qc", "picard,wgs,hs", "-@", "2", "--chunk-size", "20000"],
    ]
    .iter()
    .enumerate()
    {
        assert!(run(&format!("{number}"), args[0], &args[1..]) == expected, "{args:?}");
    }
    // Of each sample as of a file with its records alone.
    run(
        "groups",
        &bam,
        &[&targets, "--qc", "wgs,hs", "--by", "SM", "-@", "3", "--chunk-size", "9000"],
    );
    let text = std::fs::read_to_string(&input).unwrap();
    for (sample, ids) in [("s0", vec!["0"]), ("s1", vec!["1", "2"])] {
        let is_of = |line: &&str| ids.iter().any(|id| line.ends_with(&format!("\tRG:Z:{id}")));
        let own: Vec<&str> =
            text.lines().filter(|line| line.starts_with('@') || is_of(line)).collect();
        let own = folder.file("own.sam", own.join("\n") + "\n");
        let alone = run(sample, &own, &[&targets, "--qc", "wgs,hs"]);
        let found =
            ["wgs", "hs"].map(|name| rows(&folder, &format!("groups/x.{sample}.{name}_metrics")));
        assert!(found == alone, "{sample}");
    }
}

#[test]
fn what_is_missing_unsorted_or_unknown_is_told() {
    let folder = Folder::new();
    let sam = "@SQ\tSN:c\tLN:100\nr\t67\tc\t9\t60\t4M\t=\t3\t0\tACGT\tIIII\nr\t131\tc\t3\t60\t4M\t=\t9\t0\tACGT\tIIII\n";
    let input = folder.file("x.sam", sam);
    let fasta = folder.file("c.fa", format!(">c\n{}\n", "ACGTN".repeat(20)));
    let bed = folder.file("t.bed", "c\t2\t30\n");
    let out = at(&folder, "qc");
    let run = |args: &[&str]| biofast(&[&["stats", &input, "--out-dir", &out][..], args].concat());
    assert_error(&run(&["--qc", "wgs"]), &["--qc wgs", "--reference"]);
    assert_error(&run(&["--qc", "hs"]), &["--target-intervals"]);
    assert_error(&run(&["--qc", "stats", "--targets", &bed]), &["--target-intervals", "--qc"]);
    for args in [["wgs", "-r", &fasta], ["hs", "--targets", &bed]] {
        assert_error(
            &run(&[&["--qc"], &args[..]].concat()),
            &["x.sam", "record 2", "sort", "wgs and hs"],
        );
    }
    for (content, words) in [
        ("d\t1\t5\n", "no such reference"),
        ("c\t1\t500\n", "behind its reference"),
        ("c\t1\n", "line 1"),
        ("", "no intervals"),
    ] {
        let bad = folder.file("bad.bed", content);
        assert_error(&run(&["--qc", "hs", "--targets", &bad]), &["bad.bed", words]);
    }
    assert!(std::fs::read_dir(&out).map_or(0, |files| files.count()) == 0);
    let reads = folder.file("x.fq", "@r\nA\n+\nI\n");
    let of_reads = ["stats", &reads, "--out-dir", &out, "--targets", &bed];
    assert_error(&biofast(&of_reads), &["--target-intervals", "reads"]);
}

#[test]
fn multiqc_shows_the_coverage_of_genomes_and_targets() {
    if !installed("multiqc") {
        return;
    }
    let folder = Folder::new();
    let (input, fasta) = (folder.file("lane1.sam", records(5)), reference(&folder, 5));
    let (targets, _, _) = intervals(&folder, 5);
    let (qc, out) = (at(&folder, "qc"), at(&folder, "out"));
    let args = ["--qc", "wgs,hs", "-r", &fasta, "--targets", &targets];
    let run = ["stats", "--quiet", &input, "--out-dir", &qc];
    assert_eq!(biofast(&[&run[..], &args].concat()).code, 0);
    let run = Command::new("multiqc")
        .args(["--quiet", "--no-version-check", "-o", &out, &qc])
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    for (module, name, columns) in [
        ("wgsmetrics", "wgs", vec!["MEAN_COVERAGE", "PCT_1X", "PCT_EXC_OVERLAP"]),
        ("HsMetrics", "hs", vec!["MEAN_TARGET_COVERAGE", "FOLD_ENRICHMENT", "ON_BAIT_BASES"]),
    ] {
        let own = rows(&folder, &format!("qc/lane1.{name}_metrics"));
        let own = metrics(&own);
        let path = folder.path("out/multiqc_data").join(format!("multiqc_picard_{module}.txt"));
        let table = std::fs::read_to_string(&path).unwrap_or_else(|_| {
            panic!(
                "{:?}",
                std::fs::read_dir(path.parent().unwrap())
                    .unwrap()
                    .map(|e| e.unwrap().file_name())
                    .collect::<Vec<_>>()
            )
        });
        let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let (head, row) = (lines.next().unwrap(), lines.next().unwrap());
        assert!(row[0].contains("lane1"), "{table}");
        for name in columns {
            let column = head.iter().position(|column| *column == name).unwrap();
            let (found, expected): (f64, f64) =
                (row[column].parse().unwrap(), own[name].parse().unwrap());
            assert!(found == expected && found > 0.0, "{name}: {found} {expected}");
        }
    }
}
