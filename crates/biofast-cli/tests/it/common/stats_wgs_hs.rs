//! What the cases of `stats_wgs_hs` share with those beside peers.

use std::collections::HashMap;
use std::fmt::Write as _;

use biofast_testkit::random::Random;
use biofast_testkit::sam;

use super::{Folder, silent};
use crate::common::coverage::at;
use crate::common::stats_picard::rows;

/// Reads of templates whose ends overlap, with clips, insertions, deletions, skips, unknown bases and all flags; some places are
/// deeper than Picard counts, and one template in ten has a supplementary read.
pub(crate) fn records(seed: u64) -> String {
    of_templates(seed, 2600)
}

/// The same of a number of templates.
pub(crate) fn of_templates(seed: u64, templates: usize) -> String {
    let mut random = Random(seed);
    let mut lines: Vec<(usize, u64, String)> = Vec::new();
    for template in 0..templates {
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
pub(crate) fn run(folder: &Folder, input: &str, out: &str, args: &[&str]) -> [String; 2] {
    let own = at(folder, out);
    let run = ["stats", "--quiet", input, "--out-dir", &own, "--sample", "x"];
    silent(&[&run[..], args].concat());
    ["wgs", "hs"].map(|name| rows(folder, &format!("{out}/x.{name}_metrics")))
}

/// Names and values of the row of metrics.
pub(crate) fn metrics(rows: &str) -> HashMap<&str, &str> {
    let mut lines = rows.lines().skip_while(|line| !line.starts_with("## METRICS")).skip(1);
    let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
    names.split('\t').zip(values.split('\t')).collect()
}
