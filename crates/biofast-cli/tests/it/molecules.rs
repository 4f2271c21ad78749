//! `biofast umi correct`, `group --strategy`, `consensus` and `filter`: reads of known molecules, any number of threads, and faults. Equality with
//! fgumi: `tests/peers/molecules.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use biofast_testkit::random::Random;

use crate::common::molecules::made_molecules;
use crate::common::{Folder, fails, fails_in, good, ok_with, silent, text};

const HEADER: &str =
    "@HD\tVN:1.6\tSO:unsorted\tGO:query\tSS:unsorted:template-coordinate\n@SQ\tSN:c1\tLN:1000000\n";

fn bases(random: &mut Random, len: usize) -> String {
    (0..len).map(|_| char::from(b"ACGT"[random.below(4)])).collect()
}

fn turned(bases: &str) -> String {
    let other = |base| match base {
        'A' => 'T',
        'C' => 'G',
        'G' => 'C',
        other => {
            if other == 'T' {
                'A'
            } else {
                other
            }
        }
    };
    bases.chars().rev().map(other).collect()
}

/// A molecule: where it begins, its bases, and the UMIs at its ends.
struct Made {
    start: usize,
    bases: String,
    umis: [String; 2],
}

/// Reads of a panel: molecules of 150 bases, read from both strands with errors in bases and UMIs.
fn panel(random: &mut Random, molecules: usize, reads: usize) -> (Vec<Made>, String) {
    let mut sam = "@HD\tVN:1.6\n@SQ\tSN:c1\tLN:1000000\n@RG\tID:r\tSM:s\tLB:panel\n".to_owned();
    let mut all = Vec::new();
    let mut used = BTreeSet::new();
    let mut number = 0;
    for index in 0..molecules {
        // Far from one another at the same place.
        let umis = loop {
            let umis = [bases(random, 6), bases(random, 6)];
            let near = |used: &[String; 2]| {
                let distance = |one: &str, other: &str| {
                    one.bytes().zip(other.bytes()).filter(|(a, b)| a != b).count()
                };
                (0..2).any(|turn| {
                    (0..2).map(|i| distance(&used[i], &umis[i ^ turn])).sum::<usize>() < 4
                })
            };
            if !used.iter().any(near) {
                break umis;
            }
        };
        used.insert(umis.clone());
        let made = Made { start: 1000 + 300 * (index / 4), bases: bases(random, 150), umis };
        for strand in 0..2 {
            for _ in 0..reads {
                number += 1;
                let mut umis = made.umis.clone();
                if strand == 1 {
                    umis.reverse();
                }
                if random.chance(10) {
                    let at = random.below(6);
                    umis[0].replace_range(at..=at, "A");
                }
                let mut read = |from: usize| -> String {
                    let wrong = |base| match random.chance(1) {
                        true => char::from(b"ACGT"[random.below(4)]),
                        false => base,
                    };
                    made.bases[from..from + 100].chars().map(wrong).collect()
                };
                let (left, right) = (read(0), read(50));
                let flags = if strand == 0 { [99, 147] } else { [163, 83] };
                let (start, end) = (made.start, made.start + 50);
                let tags = format!("MC:Z:100M\tMQ:i:60\tRG:Z:r\tRX:Z:{}-{}", umis[0], umis[1]);
                for (flag, at, mate, bases) in
                    [(flags[0], start, end, left), (flags[1], end, start, right)]
                {
                    let scores = "I".repeat(100);
                    let _ = writeln!(
                        sam,
                        "q{number}\t{flag}\tc1\t{at}\t60\t100M\t=\t{mate}\t0\t{bases}\t{scores}\t{tags}"
                    );
                }
            }
        }
        all.push(made);
    }
    (all, sam)
}

/// The recipe of a duplex panel: every molecule comes back as it was, from both strands.
#[test]
fn a_duplex_panel_gives_its_molecules() {
    let folder = Folder::new();
    let mut random = Random(54);
    let (molecules, sam) = panel(&mut random, 40, 4);
    let at = |name: &str| text(&folder.path(name));
    let sam = folder.file("panel.sam", sam);
    silent(&["sort", "-q", "--template-coordinate", &sam, "-o", &at("sorted.bam")]);
    silent(&["umi", "group", "-q", "--strategy", "paired", &at("sorted.bam"), "-o", &at("mi.bam")]);
    silent(&["umi", "consensus", "-q", "--duplex", &at("mi.bam"), "-o", &at("consensus.bam")]);
    let filter = ["umi", "filter", "-q", "--min-reads", "6,3,3", "--max-base-error-rate", "0.3"];
    let consensus = at("consensus.bam");
    let filter = [&filter[..], &[&consensus, "-O", "sam"]].concat();
    let found = silent(&filter).stdout;
    let mut expected: BTreeSet<[String; 2]> = BTreeSet::new();
    for Made { bases, .. } in &molecules {
        expected.insert([bases[..100].to_owned(), turned(&bases[50..])]);
    }
    let mut pairs: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
    for line in found.lines().filter(|line| !line.starts_with('@')) {
        let fields: Vec<&str> = line.split('\t').collect();
        pairs.entry(fields[0]).or_default().push(fields);
    }
    let (mut right, mut wrong) = (0, 0);
    let mut umis = BTreeSet::new();
    for reads in pairs.values() {
        let [first, second] = &reads[..] else { panic!("{reads:?}") };
        let is_true = expected.contains(&[first[9].to_owned(), second[9].to_owned()]);
        if is_true {
            right += 1
        } else {
            wrong += 1
        }
        let umi = first.iter().find_map(|field| field.strip_prefix("RX:Z:")).unwrap();
        umis.insert(umi.to_owned());
        assert!(first[0].starts_with("panel:"), "{first:?}");
    }
    // A base that isn't called may be left.
    assert!(right >= 34 && wrong <= 6, "{right} right, {wrong} wrong");
    let made: BTreeSet<String> = molecules.iter().map(|made| made.umis.join("-")).collect();
    assert!(umis.is_subset(&made), "{umis:?}");
}

#[test]
fn every_number_of_threads_and_input_gives_the_same() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let mut random = Random(7);
    let header = made_molecules(&mut random, true);
    let header: String = header
        .lines()
        .filter(|line| line.starts_with('@'))
        .map(|line| format!("{line}\n"))
        .collect();
    // As many as make several batches, of names of their own. UMIs of several lengths can't be compared: those of one are taken.
    let mut sam = header;
    let is_taken = |line: &&str| {
        line.split('\t').all(|field| field.strip_prefix("RX:Z:").is_none_or(|umi| umi.len() == 9))
    };
    for set in 0..300 {
        let made = made_molecules(&mut random, true);
        for line in made.lines().filter(|line| !line.starts_with('@')).filter(is_taken) {
            let _ = writeln!(sam, "s{set}{line}");
        }
    }
    let sam = folder.file("made.sam", sam);
    silent(&["sort", "-q", "--template-coordinate", &sam, "-o", &at("sorted.bam")]);
    let steps: [(&str, &[&str], &str, &str); 3] = [
        ("group", &["--strategy", "paired", "--min-mapq", "0"], "sorted.bam", "mi.bam"),
        ("consensus", &["--duplex", "--min-reads", "1,1,0"], "mi.bam", "consensus.bam"),
        ("filter", &["--min-reads", "1,1,0"], "consensus.bam", "filtered.bam"),
    ];
    for (mode, options, input, out) in steps {
        let run = |threads: &str, out: &str| {
            let args = ["umi", mode, "-q", "--no-PG", "-@", threads, &at(input), "-o", &at(out)];
            silent(&[&args[..], options].concat());
            std::fs::read(folder.path(out)).unwrap()
        };
        let serial = run("1", out);
        assert!(serial.len() > 2000, "{mode}");
        for threads in ["2", "5"] {
            assert!(run(threads, "other.bam") == serial, "{mode} {threads}");
        }
        let piped = std::fs::read(folder.path(input)).unwrap();
        let args = ["umi", mode, "-q", "--no-PG", "-", "-O", "sam"];
        let found = ok_with(&[&args[..], options].concat(), &piped).stdout;
        let expected = silent(&["view", "-h", "--no-PG", &at(out)]).stdout;
        assert_eq!(found, expected, "{mode}");
    }
}

/// Groups that are longer than what is read at once.
#[test]
fn large_groups_are_kept_together() {
    let folder = Folder::new();
    let mut sam = HEADER.to_owned();
    for number in 0..30_000 {
        let umi = if number % 3 == 0 { "ACGTAC" } else { "TTGGCC" };
        let bases = "ACGTACGTAC".repeat(5);
        let at = if number < 28_000 { 500 } else { 501 + number };
        let _ = writeln!(
            sam,
            "n{number:06}\t0\tc1\t{at}\t60\t50M\t*\t0\t0\t{bases}\t{}\tRX:Z:{umi}",
            "I".repeat(50)
        );
    }
    let sam = folder.file("large.sam", sam);
    let at = |name: &str| text(&folder.path(name));
    let args = ["umi", "group", "-q", "--strategy", "adjacency", &sam, "-o", &at("mi.bam")];
    silent(&[&args[..], &["--family-size-histogram", &at("sizes.txt")]].concat());
    let sizes = std::fs::read_to_string(folder.path("sizes.txt")).unwrap();
    let counts: Vec<&str> =
        sizes.lines().skip(1).map(|line| line.rsplit_once('\t').unwrap().0).collect();
    assert_eq!(counts.len(), 3, "{sizes}");
    assert!(counts[0].starts_with("1\t2000\t") && counts[1].starts_with("9334\t1\t"), "{sizes}");
    assert!(counts[2].starts_with("18666\t1\t"), "{sizes}");
    let args = ["umi", "consensus", "-q", "--min-reads", "2", &at("mi.bam"), "-O", "sam"];
    let found = silent(&args).stdout;
    let records: Vec<&str> = found.lines().filter(|line| !line.starts_with('@')).collect();
    assert_eq!(records.len(), 2);
    for record in records {
        assert!(
            record.contains(&"ACGTACGTAC".repeat(5)) && record.contains("\tcE:f:0\t"),
            "{record}"
        );
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    let folder = Folder::new();
    let read = |name: &str, flag: u16, tags: &str| {
        format!("{name}\t{flag}\tc1\t500\t60\t4M\t*\t0\t0\tACGT\tIIII\t{tags}\n")
    };
    let refused = |args: &str, header: &str, records: &[String], why: &str| {
        let path = folder.file("x.sam", header.to_owned() + &records.concat());
        let args: Vec<&str> =
            ["umi"].into_iter().chain(args.split(' ')).chain([&path[..], "-o"]).collect();
        let out = text(&folder.path("o.bam"));
        fails(&[&args[..], &[&out]].concat(), &[why]);
        assert!(!folder.path("o.bam").exists(), "{args:?}");
    };
    let unsorted = "@HD\tVN:1.6\n@SQ\tSN:c1\tLN:1000000\n";
    let sorted = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c1\tLN:1000000\n";
    let adjacency = "group --strategy adjacency";
    refused(adjacency, unsorted, &[], "template-coordinate");
    refused(
        adjacency,
        HEADER,
        &[read("a", 0, "RX:Z:ACG"), read("b", 0, "RX:Z:AC")],
        "2 and 3 bases",
    );
    refused("group --strategy paired", HEADER, &[read("a", 0, "RX:Z:ACG")], "two parts");
    refused(adjacency, HEADER, &[read("a", 65, "RX:Z:ACG")], "(MC) is missing");
    refused(
        adjacency,
        HEADER,
        &[read("a", 0, "RX:Z:ACG"), read("a", 0, "RX:Z:ACG")],
        "several primary",
    );
    refused(
        adjacency,
        HEADER,
        &[read("a", 0, "XX:i:1")],
        "none of the 1 reads has a UMI in the tag RX",
    );
    let simplex = "consensus --min-reads 1";
    refused(simplex, HEADER, &[read("a", 0, "XX:i:1")], "none of the 1 reads has a molecule");
    refused("consensus", HEADER, &[], "--min-reads is missing");
    refused("consensus --min-reads 2,1", HEADER, &[], "one value");
    refused("consensus --duplex --min-reads 1,2", HEADER, &[], "high to low");
    refused(simplex, sorted, &[], "grouped by molecule");
    let apart = ["1", "2", "1"].map(|molecule| read("a", 0, &format!("MI:Z:{molecule}")));
    refused(simplex, HEADER, &apart, "records 1 and 3 are of one molecule");
    refused("consensus --duplex", HEADER, &[read("a", 65, "MI:Z:7")], "/A or /B");
    let missing = read("a", 0, "MI:Z:7").replace("IIII", "*");
    refused(simplex, HEADER, &[missing], "needs qualities");
    for (option, text) in [
        ("--read-group-id", "A\tSM:x"),
        ("--read-group-id", "é"),
        ("--read-group-id", ""),
        ("--read-name-prefix", "@a"),
        ("--read-name-prefix", "é"),
    ] {
        refused(&format!("{simplex} {option} {text}"), HEADER, &[], "can contain only");
    }
    let umis = ["ACG", "AC"].map(|umi| read(umi, 0, &format!("MI:Z:7\tRX:Z:{umi}")));
    refused(simplex, HEADER, &umis, "different lengths");
    refused("filter", HEADER, &[], "--min-reads is missing");
    refused("filter --min-reads 1", HEADER, &[read("a", 0, "")], "cD and cE");
    refused("filter --min-reads 1", sorted, &[], "grouped by name");
}

#[test]
fn umis_are_corrected_to_those_of_a_kit() {
    let folder = Folder::new();
    let read = |name: &str, flags: u16, umi: &str| {
        format!("{name}\t{flags}\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\tRX:Z:{umi}\tXX:i:1\n")
    };
    let (same, near, far, short) = ("AAAA-CCCC", "AAAT-CNCC", "AACC-CCCC", "AAA-CCCC");
    let mut sam = String::new();
    for (name, umi) in [("same", same), ("near", near), ("far", far), ("short", short)] {
        sam += &(read(name, 77, umi) + &read(name, 141, umi));
    }
    sam += &read("none", 4, "x").replace("RX:Z:x\t", "");
    folder.file("r.sam", &sam);
    // In any case and order, with carriage returns and empty lines.
    folder.file("kit.txt", "cccc\r\n\r\nAAAA\r\n");
    let correct = ["umi", "correct", "r.sam", "--umi-files", "kit.txt", "--no-PG", "-o", "o.sam"];
    let with = |more: &[&str]| good(&folder, &[&correct[..], more].concat());
    let lines = |name: &str| -> Vec<String> {
        let text = std::fs::read_to_string(folder.path(name)).unwrap();
        text.lines().filter(|line| !line.starts_with('@')).map(str::to_owned).collect()
    };
    for threads in ["1", "3"] {
        let more = ["--rejected", "rest.sam", "--correction-metrics", "m.txt", "-@", threads];
        let run = with(&more);
        for said in [
            "4 of 9 records kept, 2 of them corrected; 2 records unlike any of 2 UMIs",
            "1 record without a UMI (RX) were left out",
            "2 records with a UMI of another length than the list's were left out",
        ] {
            assert!(run.stderr.contains(said), "{said}\n{}", run.stderr);
        }
        let near = |flags| read("near", flags, same).trim_end().to_owned() + "\tOX:Z:AAAT-CNCC";
        let kept = [read("same", 77, same), read("same", 141, same)];
        let kept = kept.iter().map(|line| line.trim_end().to_owned());
        assert_eq!(lines("o.sam"), kept.chain([near(77), near(141)]).collect::<Vec<_>>());
        assert_eq!(lines("rest.sam"), sam.lines().skip(4).collect::<Vec<_>>());
        // UMIs of the two pairs that are kept, and one of the pair that isn't.
        assert_eq!(
            lines("m.txt")[1..],
            [
                "AAAA\t4\t2\t2\t0\t0\t0.3333333333333333\t0.8",
                "CCCC\t6\t4\t2\t0\t0\t0.5\t1.2",
                "NNNN\t2\t0\t0\t0\t0\t0.16666666666666666\t0.4",
            ]
        );
    }
    with(&["--revcomp", "--no-original", "--umis", "TTTT,GGGG"]);
    assert_eq!(lines("o.sam")[0], read("same", 77, "GGGG-TTTT").trim_end());
    assert!(lines("o.sam").iter().all(|line| !line.contains("OX:")));
    let run = with(&["--umis", "AAAC"]);
    assert!(
        run.stderr.contains("2 UMIs of the list, such as AAAA, can't be told"),
        "{}",
        run.stderr
    );
    let refused = |more: &[&str], needed: &[&str]| {
        fails_in(&folder, &[&correct[..], more].concat(), needed);
    };
    refused(&["--umis", "AAAAC"], &["the list of UMIs", "AAAA and AAAAC have different lengths"]);
    refused(&["--umis", "AANA"], &["AANA is not a UMI"]);
    refused(&["--original-tag", "RX"], &["the same tag"]);
    refused(&["--umi-tag", "ZZ"], &["no record has a UMI in the tag ZZ"]);
    refused(&["--umi-tag", "XX"], &["record 1", "its UMI is not of type Z"]);
    refused(&["--rejected", "rest.bam"], &["--rejected is SAM and the output isn't"]);
    refused(&["--rejected", "r.sam"], &["r.sam is an input"]);
    fails_in(&folder, &["umi", "correct", "r.sam"], &["no UMIs to correct to"]);
    folder.file("r.sam", read("a", 77, "AAAA") + &read("a", 141, "CCCC"));
    refused(&[], &["record 2", "another UMI than a record of its name"]);
}

#[test]
fn options_of_other_modes_are_told() {
    let folder = Folder::new();
    folder.file("x.sam", HEADER);
    for (args, expected) in [
        ("consensus --min-reads 1 --method unique", "--method has no effect with `umi consensus`"),
        ("group --strategy edit --duplex", "--duplex has no effect with `umi group --strategy`"),
        ("consensus --min-reads 1 --revcomp", "--revcomp has no effect with `umi consensus`"),
        ("filter --min-reads 1 --trim", "--trim has no effect with `umi filter`"),
    ] {
        let args: Vec<&str> =
            ["umi"].into_iter().chain(args.split(' ')).chain(["x.sam", "-o", "o.bam"]).collect();
        let run = good(&folder, &args);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}
