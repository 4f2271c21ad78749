//! `biofast sort --mark-duplicates`: the marks of a plain reference, barcodes of templates, and flags that stay what they are.
//! Equality with samtools and Picard: `tests/peers/marks.rs`.

use crate::effort::{Effort, in_two_tiers};

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::common::sort::lines;
use crate::common::{
    self, Folder, assert_error, biofast_with, cases, in_process, silent, text, warnings,
};
use biofast_testkit::small::{self, Names, TemplateShape};

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

fn marked(args: &[&str]) -> String {
    let run =
        silent(&[&["sort", "-q", "--no-PG", "--mark-duplicates", "-O", "sam"], args].concat());
    run.stdout
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
fn seen(line: &str, by_template: bool) -> Option<Seen> {
    let fields: Vec<_> = line.split('\t').collect();
    let flags: u32 = fields[1].parse().unwrap();
    if flags & (4 | 256 | 512 | 2048) != 0 {
        return None;
    }
    let tag = |name: &str| fields[11..].iter().find_map(|field| field.strip_prefix(name));
    let sum = match fields[10] {
        "*" if fields[9] == "*" => 0,
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
    if flags & 1 != 0 && flags & 8 == 0 && fields[6] != "*" {
        seen.score += tag("ms:i:").unwrap().parse::<i64>().unwrap();
        let (mate_start, mate_end) = ends(fields[7].parse().unwrap(), tag("MC:Z:").unwrap());
        let mate_reverse = flags & 32 != 0;
        let mate_reference = if fields[6] == "=" { fields[2] } else { fields[6] };
        let five_primes = |reverse, start, end| if reverse { end } else { start };
        // References of a set: c before d.
        let (here, there) = (&fields[2][..1], &mate_reference[..1]);
        let own = (here, five_primes(reverse, start, end));
        let of_mate = (there, five_primes(mate_reverse, mate_start, mate_end));
        let is_first = flags & 64 != 0;
        // Of two at one place the forward one is left, and on one strand the first one turned forward.
        // By itself each is the left one.
        let is_left = match own == of_mate {
            true if !by_template => true,
            true if reverse == mate_reverse => is_first != reverse,
            true => !reverse,
            false => own < of_mate,
        };
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

/// How many reads are duplicates and how many aren't, as the plain rule says of all that were marked, by template or each by itself.
pub(crate) fn count_as_the_plain_rule_says(marked: &str, by_template: bool) -> (usize, usize) {
    let mut sets: HashMap<String, Vec<Seen>> = HashMap::new();
    for line in lines(marked) {
        if let Some(seen) = seen(line, by_template) {
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
    (duplicates, others)
}

#[test]
fn a_thousand_sets_are_marked_as_the_plain_rule_says() {
    let folder = Folder::new();
    // Marks of the input are part of no rule.
    let shape = TemplateShape { seed: 11, sets: 1000, templates: 24, ..TemplateShape::default() };
    let path = folder.file("x.sam", small::text(&shape));
    let (duplicates, others) = count_as_the_plain_rule_says(&marked(&["-c", &path]), true);
    assert!(duplicates > 2500 && others > 10_000, "{duplicates} {others}");
}

#[test]
fn names_that_do_not_tell_where_reads_were_make_no_optical_duplicates() {
    let sam =
        "@SQ\tSN:c\tLN:99\na\t0\tc\t7\t9\t1M\t*\t0\t0\tA\tI\nb\t0\tc\t7\t9\t1M\t*\t0\t0\tA\tI\n";
    let run =
        biofast_with(&["sort", "--mark-duplicates", "-d", "100", "-O", "sam", "-"], sam.as_bytes());
    assert!(run.stdout.ends_with("b\t1024\tc\t7\t9\t1M\t*\t0\t0\tA\tI\tdt:Z:LB\n"), "{run:?}");
    assert!(run.stderr.contains("warning: the names of 1 read with duplicates"), "{run:?}");
}

/// What MultiQC finds the files by, and how it reads them.
#[test]
fn metrics_have_the_shape_that_multiqc_reads() {
    let folder = Folder::new();
    let (names, sets) = (Names::FewTiles, 40);
    let shape = TemplateShape { seed: 22, sets, templates: 24, names, ..TemplateShape::default() };
    let input = folder.file("x.sam", small::text(&shape));
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

#[test]
fn names_that_are_apart_are_an_error() {
    let header = "@HD\tVN:1.6\n@SQ\tSN:c\tLN:900\n";
    let read =
        |name: &str, flags: u32| format!("{name}\t{flags}\tc\t7\t9\t4M\t=\t7\t0\tACGT\tIIII\n");
    let apart = [read("a", 65), read("b", 65), read("a", 129), read("b", 129)].concat();
    let run =
        biofast_with(&["sort", "--mark-duplicates", "-"], format!("{header}{apart}").as_bytes());
    assert_error(&run, &["records 1 and 3 are both named 'a'", "biofast sort -n"]);
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
    assert!(run.stderr.contains("3 mates are missing"), "{run:?}");
    assert_error(
        &biofast_with(&["sort", "-n", "--mark-duplicates", "-"], b""),
        &["--mark-duplicates"],
    );
    for option in ["-r", "-S", "-c"] {
        let run = biofast_with(&["sort", option, "-"], b"");
        assert!(run.code == 2 && run.stderr.contains("--mark-duplicates"), "{run:?}");
    }
}

/// Header and lines of a reference of 10,000 bases.
fn file(records: &[String]) -> String {
    format!("@HD\tVN:1.6\tGO:query\n@SQ\tSN:chr1\tLN:10000\n{}", records.concat())
}

const BASES: &str = "AAAAAAAAAAAAAAAAAAAA";

/// A pair at 101 and 201, all of one quality, with tags of each mate.
fn pair(name: &str, quality: char, tags: [&str; 2]) -> [String; 2] {
    let qualities = quality.to_string().repeat(20);
    let [one, two] = tags;
    [
        format!("{name}\t99\tchr1\t101\t60\t20M\t=\t201\t120\t{BASES}\t{qualities}{one}\n"),
        format!("{name}\t147\tchr1\t201\t60\t20M\t=\t101\t-120\t{BASES}\t{qualities}{two}\n"),
    ]
}

fn run(args: &[&str], sam: &str) -> common::Run {
    let first = ["sort", "--no-PG", "--mark-duplicates", "-O", "sam"];
    biofast_with(&[&first, args, &["-"]].concat(), sam.as_bytes())
}

/// Names and flags of what is written.
fn names_and_flags(run: &common::Run) -> Vec<(String, u16)> {
    assert_eq!(run.code, 0, "{run:?}");
    let of = |line: &&str| {
        let mut fields = line.split('\t');
        (fields.next().unwrap().to_owned(), fields.next().unwrap().parse().unwrap())
    };
    lines(&run.stdout).iter().map(of).collect()
}

/// How many records stay of two pairs at one place with these names.
fn left_of(names: [&str; 2], args: &[&str]) -> usize {
    let [one, two] = names;
    let records = [pair(one, '?', [""; 2]), pair(two, '5', [""; 2])].concat();
    names_and_flags(&run(&[&["-q", "-r"], args].concat(), &file(&records))).len()
}

#[test]
fn umis_of_names_are_found_in_the_usual_forms() {
    for (prefix, umis) in [
        ("AV234501:260709-395-A:2538608933:1:10102:4631:1346:", ["TACCAAGG", "GGGGGGGG"]),
        ("AV234501:260709-395-A:2538608933:1:10102:4631:1346_", ["TACCAAGG", "GGGGGGGG"]),
        ("SRR1.7_", ["ACGTN", "TTTTT"]),
        ("A00:7:H3:1:1101:99:7:", ["ACGT+TTAG", "ACGT+TTAC"]),
        ("A00:run-7:H3:1:1101:99:7:", ["rACGT+rTTAG", "rACGT+rTTAC"]),
        ("A00:run-7:H3:1:1101:99:7:", ["ACG_TTG", "ACC_TTG"]),
    ] {
        let [one, two] = umis.map(|umi| format!("{prefix}{umi}"));
        let same = format!("{prefix}x:{}", umis[0]).replace("x:", "");
        for rule in ["samtools", "picard"] {
            let args = ["--barcode-name", "--rule", rule];
            assert_eq!(left_of([&one, &two], &args), 4, "{one} {rule}");
            // Two records of one name would be no pairs.
            let other = same.replacen("1", "2", 1);
            assert_eq!(left_of([&one, &other], &args), 2, "{one} {other} {rule}");
        }
    }
    assert_eq!(left_of(["x|AC|1", "x|GT|2"], &["--barcode-rgx", "[|]([ACGT]+)[|]"]), 4);
    assert_eq!(left_of(["x|AC|1", "x|AC|2"], &["--barcode-rgx", "[|]([ACGT]+)[|]"]), 2);
    let refused = run(&["--barcode-rgx", "[ACGT]+"], "");
    assert!(refused.code == 2 && refused.stderr.contains("no group"), "{refused:?}");
}

#[test]
fn no_barcode_at_all_is_an_error_and_some_missing_ones_a_warning() {
    let records = [pair("a.1", '?', [""; 2]), pair("b.1", '5', [""; 2])].concat();
    let sam = file(&records);
    for (args, place) in [
        (&["--barcode-name"][..], "in its name"),
        (&["--barcode-tag", "RX"], "in the tag RX"),
        (&["--barcode-rgx", "_(A+)$"], "the pattern"),
        (&["--barcode-tag", "RX", "--rule", "picard"], "in the tag RX"),
        (&["--read-one-barcode-tag", "Z1", "--rule", "picard"], "in the tags Z1"),
    ] {
        let found = run(&[&["-r"], args].concat(), &sam);
        assert_error(&found, &["none of the 4 reads", place, "--allow-missing-barcodes"]);
        assert_eq!(found.stdout, "");
        let allowed = run(&[args, &["-r", "--allow-missing-barcodes"]].concat(), &sam);
        assert_eq!(names_and_flags(&allowed).len(), 2);
        assert!(allowed.stderr.contains("warning: 4 of 4 reads have no barcode"), "{allowed:?}");
    }
    let [one, two, three] = [("a", '?', "\tRX:Z:AC"), ("b", '5', ""), ("c", '5', "")]
        .map(|(name, quality, tag)| pair(name, quality, [tag; 2]));
    let found = run(&["--barcode-tag", "RX"], &file(&[one, two, three].concat()));
    let marked: Vec<_> =
        names_and_flags(&found).into_iter().filter(|one| one.1 & 1024 != 0).collect();
    assert!(marked.iter().all(|one| one.0 == "c") && marked.len() == 2, "{marked:?}");
    assert!(found.stderr.contains("4 of 6 reads have no barcode"), "{found:?}");
    // An empty file has none to miss.
    assert_eq!(run(&["-q", "--barcode-name"], &file(&[])).code, 0);
}

#[test]
fn a_barcode_of_one_mate_is_that_of_the_pair() {
    for rule in ["samtools", "picard"] {
        let args = ["-q", "-r", "--barcode-tag", "BX", "--rule", rule];
        let left = |one: [&str; 2], two: [&str; 2]| {
            let sam = file(&[pair("a", '?', one), pair("b", '5', two)].concat());
            names_and_flags(&run(&args, &sam)).into_iter().map(|one| one.0).collect::<String>()
        };
        let (a, c) = ("\tBX:Z:AAAA", "\tBX:Z:CCCC");
        assert_eq!(left([a, ""], [c, ""]), "abab", "{rule}");
        assert_eq!(left([a, ""], ["", c]), "abab", "{rule}");
        assert_eq!(left([a, ""], ["", a]), "aa", "{rule}");
        assert_eq!(left([a, a], ["", a]), "aa", "{rule}");
        assert_eq!(left([a, c], [a, c]), "aa", "{rule}");
    }
    // By samtools' rule both count where mates differ; Picard takes the first in coordinate order.
    let sam = file(
        &[pair("a", '?', ["\tBX:Z:AA", "\tBX:Z:CC"]), pair("b", '5', ["\tBX:Z:AA", "\tBX:Z:GG"])]
            .concat(),
    );
    let left = |rule: &str| {
        names_and_flags(&run(&["-q", "-r", "--barcode-tag", "BX", "--rule", rule], &sam)).len()
    };
    assert_eq!((left("samtools"), left("picard")), (4, 2));
}

#[test]
fn mates_are_marked_and_removed_together() {
    // The second read of the better pair failed checks: the other pair loses as a whole.
    let [a1, a2] = pair("a", '?', [""; 2]);
    let a2 = a2.replacen("\t147\t", "\t659\t", 1);
    let sam = file(&[[a1, a2], pair("b", '5', [""; 2])].concat());
    let names = |args: &[&str]| names_and_flags(&run(args, &sam));
    let marked: Vec<_> = names(&["-q"]).into_iter().filter(|one| one.1 & 1024 != 0).collect();
    assert!(marked.len() == 2 && marked.iter().all(|one| one.0 == "b"), "{marked:?}");
    // And the worse one, whose failed mate follows.
    let [b1, b2] = pair("b", '5', [""; 2]);
    let b2 = b2.replacen("\t147\t", "\t659\t", 1);
    let sam = file(&[pair("a", '?', [""; 2]), [b1, b2]].concat());
    assert_eq!(
        names_and_flags(&run(&["-q"], &sam)).iter().filter(|one| one.1 & 1024 != 0).count(),
        2
    );
    assert_eq!(names_and_flags(&run(&["-q", "-r"], &sam)).len(), 2);
    // A mate that isn't aligned isn't marked, but doesn't stay alone.
    let single = |name: &str, quality: &str| {
        let line = |flags: u16, cigar: &str, mapq: u8| {
            format!("{name}\t{flags}\tchr1\t301\t{mapq}\t{cigar}\t=\t301\t0\tACGT\t{quality}\n")
        };
        [line(73, "4M", 60), line(133, "*", 0)]
    };
    let sam = file(&[single("a", "????"), single("b", "5555")].concat());
    for rule in ["samtools", "picard"] {
        let marked = names_and_flags(&run(&["-q", "--rule", rule], &sam));
        assert_eq!(
            marked.iter().map(|one| one.1).sum::<u16>(),
            2 * (73 + 133) + 1024,
            "{marked:?}"
        );
        let left = names_and_flags(&run(&["-q", "-r", "--rule", rule], &sam));
        assert_eq!(left.iter().map(|one| one.0.as_str()).collect::<String>(), "aa");
    }
}

#[test]
fn a_mate_alone_stays_a_read_of_a_pair() {
    let [one, _] = pair("a", '?', [""; 2]);
    let fields = |rule: &str| {
        let found = run(&["-q", "--rule", rule], &file(std::slice::from_ref(&one)));
        lines(&found.stdout)[0].split('\t').take(9).collect::<Vec<_>>().join(" ")
    };
    // What samtools fixmate 1.24 leaves, and what Picard does.
    assert_eq!(fields("samtools"), "a 65 chr1 101 60 20M * 0 0");
    assert_eq!(fields("picard"), "a 99 chr1 101 60 20M = 201 120");
}

#[test]
fn the_rule_of_picard_changes_marks_only() {
    let [a1, a2] = pair("a", '?', ["\tMQ:i:1\tMC:Z:9M\tms:i:3\tDT:Z:LB"; 2]);
    let a1 = a1.replacen("\t99\t", "\t1123\t", 1).replacen("\t120\t", "\t7\t", 1);
    let found = run(&["-q", "--rule", "picard"], &file(&[a1.clone(), a2.clone()]));
    let expected = [a1, a2].concat().replace("\t1123\t", "\t99\t").replace("\tDT:Z:LB", "");
    assert_eq!(lines(&found.stdout).join("\n") + "\n", expected);
}

#[test]
fn what_the_rule_of_picard_does_anyway_is_refused() {
    let sam = file(&pair("a", '?', [""; 2]));
    for (option, what) in [
        (
            &["--include-fails"][..],
            "--include-fails applies only to --rule samtools: Picard always examines",
        ),
        (&["-c"], "-c (--clear-duplicates) applies only to --rule samtools: Picard always clears"),
        (&["--duplicate-mode", "s"], "--duplicate-mode applies only to --rule samtools"),
    ] {
        assert_error(&run(&[&["--rule", "picard"], option].concat(), &sam), &[what]);
        assert_eq!(run(option, &sam).code, 0, "{option:?}");
    }
}

#[test]
fn the_rule_of_picard_says_that_names_have_no_coordinates() {
    let sam = file(&[pair("a", '?', [""; 2]), pair("b", '5', [""; 2])].concat());
    let found = run(&["--rule", "picard"], &sam);
    let warning = "the names of 4 reads with duplicates have no flow cell position";
    assert!(found.stderr.contains(warning), "{found:?}");
}

#[test]
fn metrics_follow_the_rule_and_the_ending() {
    let folder = Folder::new();
    let sam = file(&[pair("a", '?', [""; 2]), pair("b", '5', [""; 2])].concat());
    let input = folder.file("x.sam", sam);
    let of = |rule: &str, name: &str| {
        let path = text(&folder.path(name));
        marked(&["--rule", rule, "-f", &path, &input]);
        std::fs::read_to_string(path).unwrap()
    };
    assert!(of("samtools", "s.txt").contains("\nDUPLICATE PAIR: 2\n"));
    let json: serde_json::Value = serde_json::from_str(&of("samtools", "s.json")).unwrap();
    assert_eq!(json["DUPLICATE PAIR"], 2);
    assert!(json["COMMAND"].as_str().unwrap().contains("samtools markdup"));
    let picard = of("picard", "p.txt");
    assert!(picard.contains("\nUnknown Library\t0\t2\t0\t0\t0\t1\t0\t0.5\t1\n"), "{picard}");
    // Of two pairs one is new: sequenced twice as deep, a library of one molecule gives no other one.
    assert!(picard.contains("BIN\tCoverageMult\tall_sets\tnon_optical_sets\n1.0\t"), "{picard}");
    assert!(picard.contains("\n2.0\t0.981684\t1\t1\n"), "{picard}");
}

/// Files of everything that has to do with templates are marked, by both rules, and `check` finds nothing new in them; mates share
/// the mark, and are removed together. `BIOFAST_CASES` asks for more of them.
fn small_files_are_marked_without_new_warnings_and_without_half_pairs(effort: Effort) {
    let folder = Folder::new();
    let [input, output] = ["x.sam", "y.bam"].map(|name| text(&folder.path(name)));
    let names = [Names::Mixed, Names::FewTiles, Names::SevenParts, Names::Umis, Names::Plain];
    for seed in 0..cases(effort.pick(20, 200)) {
        let names = names[seed as usize % names.len()];
        let (contradictions, quarrels) = (seed % 2 == 1, seed % 3 == 1);
        let shape = TemplateShape {
            seed,
            sets: 1,
            templates: 24,
            names,
            contradictions,
            quarrels,
            repeats: seed % 5 == 2,
            ..TemplateShape::default()
        };
        let sam = small::text(&shape);
        std::fs::write(&input, &sam).unwrap();
        let before = warnings(&input);
        let mates = mates(&sam);
        for rule in ["samtools", "picard"] {
            for more in [
                &[][..],
                &["-r"],
                &["-S", "--barcode-tag", "BX", "--allow-missing-barcodes"],
                &["-r", "--barcode-name", "--allow-missing-barcodes"],
            ] {
                let args =
                    ["sort", "-q", "--mark-duplicates", "--rule", rule, "-o", &output, &input];
                in_process(&[&args[..], more].concat());
                let new: Vec<_> = warnings(&output).difference(&before).cloned().collect();
                assert_eq!(new, [""; 0], "seed {seed}, {rule} {more:?}");
                let marked = in_process(&["view", &output]);
                let after = self::mates(&marked);
                for (name, (count, _)) in &mates {
                    let found = after.get(name).cloned().unwrap_or_default();
                    assert!(
                        more.contains(&"-r") && found.0 == 0 || found.0 == *count,
                        "seed {seed}, {rule} {more:?}: {name}"
                    );
                    assert!(
                        found.1.len() < 2,
                        "seed {seed}, {rule} {more:?}: half of {name} is marked"
                    );
                }
            }
        }
    }
}

/// Of names of which two primary records say that they are a pair: how many there are, and the marks of those that are aligned.
fn mates(sam: &str) -> BTreeMap<String, (usize, BTreeSet<bool>)> {
    let mut found: BTreeMap<String, (usize, BTreeSet<bool>)> = BTreeMap::new();
    for line in lines(sam) {
        let mut fields = line.split('\t');
        let name = fields.next().unwrap();
        let flags: u16 = fields.next().unwrap().parse().unwrap();
        if flags & (256 | 2048) == 0 {
            let mates = found.entry(name.to_owned()).or_default();
            mates.0 += 1;
            if flags & 4 == 0 {
                mates.1.insert(flags & 1024 != 0);
            }
        }
    }
    found.retain(|_, mates| mates.0 <= 2);
    found
}

in_two_tiers! {
    small_files_are_marked_without_new_warnings_and_without_half_pairs,
}
