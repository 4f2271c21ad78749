//! `biofast sort --mark-duplicates`: the marks of a plain reference, of samtools and of Picard, whatever the memory and the
//! number of threads.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use biofast_testkit::random::Random;
use common::{Folder, assert_error, biofast, biofast_with, installed, text};

/// Reads of one set lie on two references of their own, so that one file holds many sets.
struct Sets {
    random: Random,
    text: String,
    name: String,
    /// As a field, or nothing.
    read_group: String,
    /// The references of the set.
    references: [String; 2],
    /// Names of many reads have the same tile.
    share_tiles: bool,
}

const CIGARS: [&str; 14] = [
    "10M", "10M", "10M", "2S8M", "8M2S", "1S9M", "3H10M", "4M2D6M", "3M2I5M", "5M40N5M", "6S4M",
    "7M3S2H", "2H1S9M", "3S7M",
];

impl Sets {
    fn number_of(&mut self, choices: &[&str]) -> String {
        choices[self.random.below(choices.len())].to_owned()
    }

    fn record(
        &mut self,
        flags: u32,
        place: (usize, usize),
        cigar: &str,
        mate: (&str, usize),
        more: &str,
    ) {
        let (reference, position) = place;
        let name = self.references[reference].clone();
        self.write(flags, &name, position, cigar, mate, more);
    }

    fn write(
        &mut self,
        flags: u32,
        reference: &str,
        position: usize,
        cigar: &str,
        mate: (&str, usize),
        more: &str,
    ) {
        let len = read_len(cigar).unwrap_or(10);
        let bases = "ACGTACGTACGTACGT".get(..len).unwrap();
        // Few scores, so that many are equal; some below what counts.
        let quality = match self.random.below(9) {
            0 => "*".to_owned(),
            1..4 => "I".repeat(len),
            4 => "#".repeat(len),
            _ => (0..len).map(|_| if self.random.chance(90) { '?' } else { '+' }).collect(),
        };
        let quality_check = if self.random.chance(4) { 512 } else { 0 };
        let marked = if self.random.chance(3) { 1024 } else { 0 };
        let flags = flags | quality_check | marked;
        let _ = write!(
            self.text,
            "{}\t{flags}\t{reference}\t{position}\t{}\t{cigar}\t{}\t{}\t0\t{bases}\t{quality}{more}",
            self.name,
            self.random.below(60),
            mate.0,
            mate.1
        );
        if !self.random.chance(2) {
            self.text.push_str(&self.read_group);
        }
        if self.random.chance(60) {
            let barcode = self.number_of(&["AC", "AC", "GT"]);
            let _ = write!(self.text, "\tBX:Z:{barcode}");
        }
        if marked > 0 && self.random.chance(50) {
            self.text.push_str("\tdt:Z:LB\tdo:Z:x");
        }
        // What an earlier run has left.
        if self.random.chance(3) {
            self.text.push_str("\tMQ:i:3\tms:i:7\tMC:Z:1M");
        }
        self.text.push('\n');
    }

    fn cigar(&mut self) -> String {
        let is_plain = self.random.chance(60);
        if is_plain { "10M".to_owned() } else { self.number_of(&CIGARS) }
    }

    fn place(&mut self) -> (usize, usize) {
        let reference = usize::from(self.random.chance(15));
        let position = match self.random.below(12) {
            0 => 1 + self.random.below(4),
            1 => 1990 + self.random.below(8),
            _ => 30 + self.random.below(2),
        };
        (reference, position)
    }

    /// One template.
    fn group(&mut self, number: usize) {
        let letter = self.number_of(&["a", "b", "Z", "m1"]);
        let lane = self.random.below(2) + 1;
        let (x, y) = (1000 + self.random.below(60), 1000 + self.random.below(60));
        let umi = self.number_of(&["ACG", "TTT"]);
        self.name = match self.random.below(4) {
            0 => format!("{letter}:{number}:1:{lane}:1101:{x}:{y}"),
            1 => format!("{letter}{number}:{lane}:1101:{x}:{y}"),
            _ => format!("{letter}:{number}:1:{lane}:1101:{x}:{y}:{umi}"),
        };
        if self.share_tiles {
            self.name = match self.random.below(4) {
                0 => format!("{letter}5:{lane}:1101:{x}:{y}#{number}"),
                1 => format!("{letter}7:1:1:{lane}:1101:{x}:{y}:U{number}"),
                _ => format!("{letter}7:1:1:{lane}:1101:{x}:{y}#{number}"),
            };
        }
        self.read_group = self.number_of(&["", "", "\tRG:Z:g0", "\tRG:Z:g1", "\tRG:Z:g2"]);
        let strand = |random: &mut Random| if random.chance(50) { 16 } else { 0 };
        let kind = self.random.below(20);
        let cigar = self.cigar();
        match kind {
            // Single reads.
            0..4 => {
                let (place, strand) = (self.place(), strand(&mut self.random));
                self.record(strand, place, &cigar, ("*", 0), "");
                if self.random.chance(20) {
                    self.others(0);
                }
            }
            // The mate isn't aligned, or neither is.
            4 | 5 => {
                let (place, strand) = (self.place(), strand(&mut self.random));
                let mate = self.references[place.0].clone();
                let swaps = self.random.chance(50);
                let (one, other) = if swaps { (128, 64) } else { (64, 128) };
                if self.random.chance(50) {
                    self.record(1 + 8 + one + strand, place, &cigar, ("=", place.1), "");
                    self.write(1 + 4 + other, &mate, place.1, "*", ("=", place.1), "");
                } else {
                    self.write(1 + 4 + other, "*", 0, "*", (&mate, place.1), "");
                    self.record(1 + 8 + one + strand, place, &cigar, ("*", 0), "");
                    self.others(one);
                }
            }
            6 => {
                self.write(77, "*", 0, "*", ("*", 0), "");
                self.write(141, "*", 0, "*", ("*", 0), "");
            }
            // The mate isn't there.
            7 => {
                let place = self.place();
                let flags =
                    [1 + 2 + 32 + 64, 1 + 8 + 128, 1 + 16 + 128, 1 + 4 + 64][self.random.below(4)];
                self.record(flags, place, &cigar, ("=", 200), "");
            }
            // More than two of a name.
            8 if self.random.chance(30) => {
                for flags in [64, 128 + 16, 64] {
                    let place = self.place();
                    self.record(flags + 1, place, &cigar, ("=", 1), "");
                }
            }
            _ => {
                let (one, other) = (self.place(), self.place());
                let far = self.random.chance(30);
                let other = (other.0, if far { other.1 + 60 } else { other.1 });
                let mut strands = [strand(&mut self.random), strand(&mut self.random)];
                if self.random.chance(60) {
                    strands = [0, 16];
                }
                let second = self.cigar();
                let swaps = self.random.chance(50);
                let (first_read, second_read) = if swaps { (128, 64) } else { (64, 128) };
                // A few flags that aren't true.
                let stale = if self.random.chance(3) { 8 } else { 0 };
                let missing = self.random.chance(2);
                let second = if missing { "*".to_owned() } else { second };
                let tag =
                    ["", "", "\tSA:Z:c0,1,+,5M,1,0;", "\tXA:Z:c0,+1,5M,0;"][self.random.below(4)];
                self.record(1 + 2 + strands[0] + first_read + stale, one, &cigar, ("=", 7), tag);
                if self.random.chance(20) {
                    self.others(1 + first_read);
                }
                self.record(1 + 2 + strands[1] + second_read, other, &second, ("=", 7), "");
                if self.random.chance(20) {
                    self.others(1 + second_read);
                }
            }
        }
    }

    fn others(&mut self, flags: u32) {
        for kind in [256, 2048] {
            if self.random.chance(50) {
                let (place, cigar) = (self.place(), self.number_of(&CIGARS));
                self.record(flags + kind, place, &cigar, ("=", 9), "");
            }
        }
    }
}

fn read_len(cigar: &str) -> Option<usize> {
    let mut len = 0;
    for (count, op) in operations(cigar) {
        len += if "MIS=X".contains(op) { count as usize } else { 0 };
    }
    (len > 0).then_some(len)
}

fn operations(cigar: &str) -> Vec<(i64, char)> {
    let mut out = Vec::new();
    let mut count = 0;
    for byte in cigar.chars() {
        match byte.to_digit(10) {
            Some(digit) => count = 10 * count + i64::from(digit),
            None => out.push((std::mem::take(&mut count), byte)),
        }
    }
    out
}

fn sets(seed: u64, count: usize) -> String {
    sets_with(seed, count, false)
}

/// Sets in which many reads were near each other on the flow cell.
fn sets_of_few_tiles(seed: u64, count: usize) -> String {
    sets_with(seed, count, true)
}

fn sets_with(seed: u64, count: usize, share_tiles: bool) -> String {
    let mut header = "@HD\tVN:1.6\tSO:unsorted\tGO:query\n".to_owned();
    let mut sets = Sets {
        random: Random(seed),
        text: String::new(),
        name: String::new(),
        read_group: String::new(),
        references: [String::new(), String::new()],
        share_tiles,
    };
    let mut number = 1;
    for set in 0..count {
        sets.references = [format!("c{set}"), format!("d{set}")];
        for name in &sets.references {
            let _ = writeln!(header, "@SQ\tSN:{name}\tLN:2000");
        }
        for _ in 0..1 + sets.random.below(24) {
            sets.group(number);
            number += 1;
        }
    }
    header.push_str("@RG\tID:g0\tSM:s\tLB:l0\n@RG\tID:g1\tSM:s\n@RG\tID:g2\tSM:s\tLB:l0\n");
    header + &sets.text
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('@')).collect()
}

fn marked(args: &[&str]) -> String {
    let run =
        biofast(&[&["sort", "-q", "--no-PG", "--mark-duplicates", "-O", "sam"], args].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    run.stdout
}

fn samtools(args: &[&str]) {
    let status = Command::new("samtools").args(args).stderr(Stdio::null()).status().unwrap();
    assert!(status.success(), "samtools {args:?}");
}

/// What samtools makes of a file: mated and sorted, to be marked in many ways.
fn mated(folder: &Folder, input: &str) -> String {
    let [mated, sorted] = ["mated.bam", "sorted.bam"].map(|name| text(&folder.path(name)));
    samtools(&["fixmate", "-m", "-u", "--no-PG", input, &mated]);
    samtools(&["sort", "-u", "--no-PG", "-o", &sorted, &mated]);
    sorted
}

fn marked_by_samtools(folder: &Folder, sorted: &str, options: &[&str]) -> String {
    let out = text(&folder.path("marked.sam"));
    // Reads of any length are seen together.
    let whole = [&["markdup", "--no-PG", "-O", "sam", "-l", "1000000"], options, &[sorted, &out]];
    samtools(&whole.concat());
    std::fs::read_to_string(out).unwrap()
}

fn assert_same(ours: &str, theirs: &str, what: &str) {
    let (ours, theirs) = (lines(ours), lines(theirs));
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs, "{what}");
    }
    assert_eq!(ours.len(), theirs.len(), "{what}");
}

/// A record that was looked at, as the rule sees it.
struct Seen {
    name: String,
    /// What reads have in common with those they are duplicates of.
    pair: Option<(String, i64, String, i64, bool, bool)>,
    single: (String, i64, bool),
    score: i64,
    is_marked: bool,
}

/// First and last place of a read, counted from 1, clipped bases included.
fn ends(position: i64, cigar: &str) -> (i64, i64) {
    let operations = operations(cigar);
    let is_clip = |op: char| "SH".contains(op);
    let front: i64 = operations.iter().take_while(|o| is_clip(o.1)).map(|o| o.0).sum();
    let back: i64 = operations.iter().rev().take_while(|o| is_clip(o.1)).map(|o| o.0).sum();
    let len: i64 = operations.iter().filter(|o| "MDN=X".contains(o.1)).map(|o| o.0).sum();
    (position - front, position + len - 1 + back)
}

/// The rule by template, in its plainest form: two pairs are alike if the first and the last place of the template are,
/// with the strands of its left and right read, and which of the two was sequenced first where the strands are equal.
fn seen(line: &str) -> Option<Seen> {
    let fields: Vec<_> = line.split('\t').collect();
    let flags: u32 = fields[1].parse().unwrap();
    if flags & (4 | 256 | 512 | 2048) != 0 {
        return None;
    }
    let tag = |name: &str| fields[11..].iter().find_map(|field| field.strip_prefix(name));
    let sum = match fields[10] {
        "*" => 255 * fields[9].len() as i64,
        text => text.bytes().map(|q| i64::from(q) - 33).filter(|&q| q >= 15).sum(),
    };
    let position: i64 = fields[3].parse().unwrap();
    let reverse = flags & 16 != 0;
    let (start, end) = ends(position, fields[5]);
    let single = (fields[2].to_owned(), if reverse { end } else { start }, reverse);
    let mut seen = Seen {
        name: fields[0].into(),
        pair: None,
        single,
        score: sum,
        is_marked: flags & 1024 != 0,
    };
    if flags & 1 != 0 && flags & 8 == 0 {
        seen.score += tag("ms:i:").unwrap().parse::<i64>().unwrap();
        let (mate_start, mate_end) = ends(fields[7].parse().unwrap(), tag("MC:Z:").unwrap());
        let mate_reverse = flags & 32 != 0;
        let mate_reference = if fields[6] == "=" { fields[2] } else { fields[6] };
        let five_primes = |reverse, start, end| if reverse { end } else { start };
        // References of a set: c before d.
        let (here, there) = (&fields[2][..1], &mate_reference[..1]);
        let own = (here, five_primes(reverse, start, end));
        let of_mate = (there, five_primes(mate_reverse, mate_start, mate_end));
        let is_left = own <= of_mate;
        let is_first = flags & 64 != 0;
        // The outer end of the left read is its start, of the right read its end, unless they look away from each other.
        let (at, mate_at) = match (reverse == mate_reverse, is_left) {
            (true, true) => (start, mate_end),
            (true, false) => (end, mate_start),
            (false, _) => (own.1, of_mate.1),
        };
        let kind =
            if reverse == mate_reverse { is_first ^ is_left ^ reverse } else { is_left ^ reverse };
        let whole = format!("{mate_reference} {}", reverse == mate_reverse);
        seen.pair = Some((fields[2].into(), at, whole, mate_at, is_left, kind));
    }
    Some(seen)
}

#[test]
fn a_thousand_sets_are_marked_as_the_plain_rule_says() {
    let folder = Folder::new();
    // Marks of the input are part of no rule, and reads without a CIGAR have a place of their own.
    let input: String = sets(11, 1000)
        .lines()
        .map(|line| line.to_owned() + "\n")
        .filter(|line| {
            line.starts_with('@')
                || line.split('\t').nth(5) != Some("*")
                || line.contains("\t*\t0\t")
        })
        .collect();
    let path = folder.file("x.sam", input);
    let ours = marked(&["-c", &path]);
    let mut sets: HashMap<String, Vec<Seen>> = HashMap::new();
    for line in lines(&ours) {
        if let Some(seen) = seen(line) {
            let set = seen.single.0[1..].to_owned();
            sets.entry(set).or_default().push(seen);
        }
    }
    let (mut duplicates, mut others) = (0, 0);
    for set in sets.values() {
        for (at, one) in set.iter().enumerate() {
            let is_better = |(index, other): (usize, &Seen)| match (&one.pair, &other.pair) {
                (Some(key), Some(of_other)) => {
                    let order =
                        one.score.cmp(&other.score).reverse().then(one.name.cmp(&other.name));
                    key == of_other && order.then(at.cmp(&index)).is_gt()
                }
                (Some(_), None) => false,
                (None, Some(_)) => one.single == other.single,
                (None, None) => {
                    let order = other.score.cmp(&one.score).then(at.cmp(&index));
                    one.single == other.single && order.is_gt()
                }
            };
            let expected = set.iter().enumerate().any(is_better);
            assert_eq!(one.is_marked, expected, "{}", one.name);
            *(if expected { &mut duplicates } else { &mut others }) += 1;
        }
    }
    assert!(duplicates > 3000 && others > 10_000, "{duplicates} {others}");
}

#[test]
fn a_thousand_sets_are_marked_as_by_samtools_in_any_memory_and_on_any_number_of_threads() {
    if !installed("samtools") {
        return;
    }
    let folder = Folder::new();
    let input = folder.file("x.sam", sets(12, 1200));
    let sorted = mated(&folder, &input);
    let ways: [(&[&str], &[&str]); 7] = [
        (&[], &[]),
        (&["-S", "-m", "1M", "--threads", "3"], &["-S"]),
        (&["-c", "-S", "-r", "--threads", "1"], &["-c", "-S", "-r"]),
        (&["-r"], &["-r"]),
        (
            &["--duplicate-mode", "s", "--include-fails", "-m", "512K"],
            &["-m", "s", "--include-fails"],
        ),
        (&["--barcode-tag", "BX", "-S"], &["--barcode-tag", "BX", "-S"]),
        (&["--barcode-name", "--include-fails"], &["--barcode-name", "--include-fails"]),
    ];
    for (ours, theirs) in ways {
        let theirs = marked_by_samtools(&folder, &sorted, theirs);
        assert_same(&marked(&[ours, &[&input]].concat()), &theirs, &format!("{ours:?}"));
    }
}

#[test]
fn names_that_do_not_tell_where_reads_were_make_no_optical_duplicates() {
    let sam =
        "@SQ\tSN:c\tLN:99\na\t0\tc\t7\t9\t1M\t*\t0\t0\tA\tI\nb\t0\tc\t7\t9\t1M\t*\t0\t0\tA\tI\n";
    let run =
        biofast_with(&["sort", "--mark-duplicates", "-d", "100", "-O", "sam", "-"], sam.as_bytes());
    assert!(run.stdout.ends_with("b\t1024\tc\t7\t9\t1M\t*\t0\t0\tA\tI\tdt:Z:LB\n"), "{run:?}");
    assert!(run.stderr.contains("names of 1 don't say where they were"), "{run:?}");
}

/// What MultiQC finds the files by, and how it reads them.
#[test]
fn metrics_have_the_shape_that_multiqc_reads() {
    let folder = Folder::new();
    let input = folder.file("x.sam", sets_of_few_tiles(22, 40));
    let [samtools, picard] = ["s.txt", "p.txt"].map(|name| text(&folder.path(name)));
    marked(&["-d", "25", "-f", &samtools, "--picard-metrics", &picard, &input]);
    let [samtools, picard] = [samtools, picard].map(|path| std::fs::read_to_string(path).unwrap());
    let (command, rows) = samtools.split_once('\n').unwrap();
    // The distance is what stands behind -d, and each line has one colon.
    assert!(command.starts_with("COMMAND: ") && command.contains("samtools markdup"), "{command}");
    assert!(command.contains("-d 25") && command.matches(':').count() == 1, "{command}");
    let rows: HashMap<&str, u64> = rows
        .lines()
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name, value.parse().unwrap()))
        .collect();
    let sum = |names: &[&str]| names.iter().map(|name| rows[name]).sum::<u64>();
    assert_eq!(rows["EXAMINED"], sum(&["PAIRED", "SINGLE"]));
    let primary = sum(&["DUPLICATE PAIR", "DUPLICATE SINGLE"]);
    assert_eq!(rows["DUPLICATE PRIMARY TOTAL"], primary);
    assert!(sum(&["DUPLICATE PAIR OPTICAL", "DUPLICATE SINGLE OPTICAL"]) > 0);
    let (_, table) =
        picard.split_once("## METRICS CLASS\tpicard.sam.DuplicationMetrics\n").unwrap();
    let mut table = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let (names, first) = (table.next().unwrap(), table.next().unwrap());
    assert_eq!(names.len(), first.len());
    let optical = names.iter().position(|name| *name == "READ_PAIR_OPTICAL_DUPLICATES").unwrap();
    let all = std::iter::once(first).chain(table).take_while(|row| row.len() > 1);
    let all: u64 = all.map(|row| row[optical].parse::<u64>().unwrap()).sum();
    assert!(all.abs_diff(rows["DUPLICATE PAIR OPTICAL"] / 2) <= 2, "{all} {rows:?}");
}

/// Name, flags and place of each record.
fn flags(text: &str) -> Vec<Vec<&str>> {
    lines(text).iter().map(|line| line.split('\t').take(9).collect()).collect()
}

#[test]
fn a_thousand_sets_are_marked_as_by_picard() {
    let picard = "PicardCommandLine";
    if !installed("samtools") || !installed(picard) {
        return;
    }
    let folder = Folder::new();
    let input = folder.file("x.sam", sets_of_few_tiles(13, 1200));
    let sorted = mated(&folder, &input);
    let [out, metrics, own, libraries] =
        ["o.sam", "m.txt", "own.txt", "libraries.txt"].map(|name| text(&folder.path(name)));
    let mut command = Command::new(picard);
    command.args([
        "MarkDuplicates",
        "VALIDATION_STRINGENCY=SILENT",
        "QUIET=true",
        "VERBOSITY=ERROR",
    ]);
    command.args([format!("I={sorted}"), format!("O={out}"), format!("M={metrics}")]);
    assert!(command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
    let ours = marked(&["--rule", "picard", "-f", &own, "--picard-metrics", &libraries, &input]);
    let theirs = std::fs::read_to_string(out).unwrap();
    for (ours, theirs) in flags(&ours).iter().zip(&flags(&theirs)) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(lines(&ours).len(), lines(&theirs).len());
    // By library.
    let rows = |path: &str| -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(path).unwrap();
        let rows = text.lines().skip_while(|line| !line.starts_with("LIBRARY"));
        let rows = rows.skip(1).take_while(|line| !line.is_empty());
        let cells = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
        let mut rows: Vec<_> = rows.map(cells).collect();
        rows.sort();
        rows
    };
    assert_eq!(rows(&libraries), rows(&metrics));
    assert_eq!(rows(&libraries).len(), 2);
    assert!(rows(&libraries).iter().all(|row| row[7] != "0"));
}

#[test]
fn metrics_are_those_of_samtools_whatever_is_left_out() {
    if !installed("samtools") {
        return;
    }
    let folder = Folder::new();
    let input = folder.file("x.sam", sets(14, 300));
    let sorted = mated(&folder, &input);
    let [theirs, own] = ["theirs.txt", "own.txt"].map(|name| text(&folder.path(name)));
    for options in [&[][..], &["-S"], &["-c", "-r"]] {
        marked_by_samtools(&folder, &sorted, &[options, &["-f", &theirs]].concat());
        marked(&[options, &["-f", &own, &input]].concat());
        let read = |path: &str| std::fs::read_to_string(path).unwrap();
        let (theirs, own) = (read(&theirs), read(&own));
        assert!(own.starts_with("COMMAND: biofast"), "{own}");
        assert!(own.lines().skip(1).eq(theirs.lines().skip(1)), "{options:?} {own} {theirs}");
    }
}

#[test]
fn names_that_are_apart_are_an_error() {
    let header = "@HD\tVN:1.6\n@SQ\tSN:c\tLN:900\n";
    let read =
        |name: &str, flags: u32| format!("{name}\t{flags}\tc\t7\t9\t4M\t=\t7\t0\tACGT\tIIII\n");
    let apart = [read("a", 65), read("b", 65), read("a", 129), read("b", 129)].concat();
    let run =
        biofast_with(&["sort", "--mark-duplicates", "-"], format!("{header}{apart}").as_bytes());
    assert_error(&run, &["records 1 and 3 have the name 'a'", "biofast sort -n"]);
    let sorted = format!("{}{}", header.replace("1.6", "1.6\tSO:coordinate"), read("a", 0));
    let run = biofast_with(&["sort", "--mark-duplicates", "-"], sorted.as_bytes());
    assert_error(&run, &["sorted by coordinate", "biofast sort -n"]);
    // A mate that is nowhere is none.
    let alone = [read("a", 65), read("b", 65), read("c", 129)].concat();
    let run = biofast_with(
        &["sort", "--mark-duplicates", "-O", "sam", "-"],
        format!("{header}{alone}").as_bytes(),
    );
    assert_eq!((run.code, lines(&run.stdout).len()), (0, 3), "{run:?}");
    assert!(run.stderr.contains("of 3 names the mate isn't there"), "{run:?}");
    assert_error(
        &biofast_with(&["sort", "-n", "--mark-duplicates", "-"], b""),
        &["--mark-duplicates"],
    );
    for option in ["-r", "-S", "-c"] {
        let run = biofast_with(&["sort", option, "-"], b"");
        assert!(run.code == 2 && run.stderr.contains("--mark-duplicates"), "{run:?}");
    }
}

/// Real alignments and third-party files, where they are at hand.
#[test]
fn files_of_others_are_marked_as_by_samtools() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let Ok(manifest) = std::fs::read_to_string(shared.join("conformance/MANIFEST.tsv")) else {
        eprintln!("skipped: {} is absent", shared.display());
        return;
    };
    if !installed("samtools") {
        return;
    }
    let folder = Folder::new();
    let rows = manifest.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let valid = rows.filter(|row| matches!(row[1], "bam" | "sam") && row[2] == "valid");
    let mut paths: Vec<_> = valid.map(|row| shared.join("conformance").join(row[0])).collect();
    // Four programs for each: a part of them tells, and all are compared where that is asked for.
    if std::env::var_os("BIOFAST_CORPUS").is_none_or(|which| which != "all") {
        paths = paths.into_iter().step_by(24).collect();
    }
    paths.push(shared.join("real/nf-cmgg_exome_10samples.bam"));
    let (mut same, mut refused) = (0, 0);
    for path in paths {
        let path = text(&path);
        let run = |args: &[&str]| {
            let output =
                Command::new("samtools").args(args).stderr(Stdio::null()).output().unwrap();
            output.status.success()
        };
        let [collated, mated, sorted, out] =
            ["c.bam", "m.bam", "s.bam", "o.sam"].map(|name| text(&folder.path(name)));
        let works = run(&["collate", "-l", "1", "--no-PG", "-o", &collated, &path])
            && run(&["fixmate", "-m", "-u", "--no-PG", &collated, &mated])
            && run(&["sort", "-u", "--no-PG", "-o", &sorted, &mated])
            && run(&["markdup", "-S", "-l", "1000000", "--no-PG", "-O", "sam", &sorted, &out]);
        if !works {
            continue;
        }
        let ours =
            biofast(&["sort", "-q", "--no-PG", "--mark-duplicates", "-S", "-O", "sam", &collated]);
        if ours.code != 0 {
            eprintln!("refused: {path}: {}", ours.stderr.lines().next().unwrap_or_default());
            refused += 1;
            continue;
        }
        // A name that begins with a record that isn't primary: samtools puts that in front of what came before it, if both lie
        // at one place.
        let by_place = |text: &str| {
            let place = |line: &&str| -> (String, u64, u16) {
                let fields: Vec<_> = line.split('\t').collect();
                let flags: u16 = fields[1].parse().unwrap();
                (fields[2].to_owned(), fields[3].parse().unwrap(), flags & 16)
            };
            let places: Vec<_> = lines(text).iter().map(place).collect();
            let mut lines: Vec<_> = lines(text).iter().map(|line| (*line).to_owned()).collect();
            lines.sort();
            (places, lines)
        };
        let theirs = std::fs::read_to_string(&out).unwrap();
        assert!(by_place(&ours.stdout) == by_place(&theirs), "{path}");
        same += 1;
    }
    eprintln!("{same} files are marked as samtools marks them, {refused} are refused");
    assert!(same > 9 * refused, "{same} {refused}");
}
