//! `biofast fixmate` and `biofast collate`: mates told of each other as a plain rule says, and brought together in any memory.
//! Equality with samtools: `tests/peers/fixmate.rs`.

use std::collections::{BTreeMap, BTreeSet};

use biofast_testkit::small::{self, Names, TemplateShape};

use crate::common::cat::parts;
use crate::common::{
    Folder, assert_error, biofast, biofast_with, fails_in, ok, ok_with, silent, text,
};

/// A record as its fields, which are changed in place.
#[derive(Clone)]
struct Line(Vec<String>);

impl Line {
    fn flags(&self) -> u32 {
        self.0[1].parse().unwrap()
    }

    fn has(&self, bits: u32) -> bool {
        self.flags() & bits != 0
    }

    fn set(&mut self, bits: u32, on: bool) {
        let flags = self.flags();
        self.0[1] = if on { flags | bits } else { flags & !bits }.to_string();
    }

    fn position(&self) -> i64 {
        self.0[3].parse().unwrap()
    }

    /// The position after the last base.
    fn end(&self) -> i64 {
        let mut count = 0;
        let mut len = 0;
        for c in self.0[5].chars().filter(|c| *c != '*') {
            match c.to_digit(10) {
                Some(digit) => count = count * 10 + i64::from(digit),
                None => len += if "MDN=X".contains(c) { count } else { 0 },
            }
            count = if c.is_ascii_digit() { count } else { 0 };
        }
        self.position() + if self.has(4) { 1 } else { len.max(1) }
    }

    fn five_prime(&self) -> i64 {
        if self.has(16) { self.end() } else { self.position() }
    }

    fn tag(&mut self, tag: &str, value: &str) {
        let name = &tag[..3];
        self.0.retain(|field| !field.starts_with(name));
        self.0.push(format!("{tag}{value}"));
    }

    fn learn_of(&mut self, mate: &Line) {
        self.set(32, mate.has(16));
        if mate.has(4) {
            self.set(8, true);
        } else {
            self.tag("MQ:i:", &mate.0[4]);
        }
        if !mate.has(4) || !self.has(4) {
            self.tag("MC:Z:", &mate.0[5]);
        }
        self.0[6] = match mate.0[2] == self.0[2] && mate.0[2] != "*" {
            true => "=".into(),
            false => mate.0[2].clone(),
        };
        self.0[7] = mate.0[3].clone();
    }

    fn half_template(&self) -> String {
        let strand = if self.has(16) { 'R' } else { 'F' };
        format!("{}{strand}{}", if self.has(64) { 1 } else { 2 }, self.0[5].replace('*', ""))
    }

    fn score(&self) -> String {
        let each = self.0[10].bytes().map(|q| u32::from(q) - 33).filter(|q| *q >= 15);
        match (&*self.0[9], &*self.0[10]) {
            ("*", _) => "0".into(),
            (bases, "*") => (255 * bases.len()).to_string(),
            _ => each.sum::<u32>().to_string(),
        }
    }
}

/// The records of a name, with at most two that are primary.
fn fixed(mut group: Vec<Line>, letters: &str) -> Vec<Line> {
    let has = |letter| letters.contains(letter);
    let primary: Vec<usize> = (0..group.len()).filter(|i| !group[*i].has(0x900)).collect();
    if let [one, other] = primary[..] {
        let (mut a, mut b) = (group[one].clone(), group[other].clone());
        for read in [&mut a, &mut b] {
            read.set(1, true);
        }
        let before = [a.clone(), b.clone()];
        for (from, to) in before.iter().zip([&mut b, &mut a]) {
            if to.has(4) && !from.has(4) {
                (to.0[2], to.0[3]) = (from.0[2].clone(), from.0[3].clone());
            }
        }
        b.learn_of(&a);
        a.learn_of(&b);
        let are_mapped = !a.has(4) && !b.has(4) && a.0[2] == b.0[2];
        let len =
            if are_mapped && !a.has(8) && !b.has(8) { b.five_prime() - a.five_prime() } else { 0 };
        (a.0[8], b.0[8]) = (len.to_string(), (-len).to_string());
        if has('c') && are_mapped {
            for read in [&mut a, &mut b] {
                read.0.retain(|field| !field.starts_with("ct:"));
            }
            let is_first = a.position() <= b.position();
            let (left, right) = if is_first { (&mut a, &b) } else { (&mut b, &a) };
            let between = right.position() - left.end();
            let both = format!("{}{between}T{}", left.half_template(), right.half_template());
            left.tag("ct:Z:", &both);
        }
        if has('m') {
            let (of_a, of_b) = (a.score(), b.score());
            a.tag("ms:i:", &of_b);
            b.tag("ms:i:", &of_a);
        }
        let (left, right) = if a.five_prime() > b.five_prime() { (&b, &a) } else { (&a, &b) };
        let is_facing = are_mapped && !left.has(16) && right.has(16);
        if !has('p') && !is_facing {
            a.set(2, false);
            b.set(2, false);
        }
        if has('r') {
            let (a_unmapped, b_unmapped) = (a.has(4), b.has(4));
            if b_unmapped {
                a.set(0x22, false);
            }
            if a_unmapped {
                b.set(0x22, false);
            }
        }
        (group[one], group[other]) = (a, b);
    } else if let [one] = primary[..] {
        let read = &mut group[one];
        read.set(0x22, false);
        (read.0[6], read.0[7], read.0[8]) = ("*".into(), "0".into(), "0".into());
    }
    for index in 0..group.len() {
        if !group[index].has(0x800) || !group[index].has(1) {
            continue;
        }
        let is_second = group[index].has(128);
        let mate = primary.iter().rev().find(|i| group[**i].has(128) != is_second);
        if let Some(mate) = mate.map(|mate| group[*mate].clone()) {
            group[index].learn_of(&mate);
        }
    }
    group.retain(|read| !has('r') || !read.has(0x104));
    group
}

/// What becomes of SAM by the plain rule.
fn expected(sam: &str, letters: &str) -> String {
    let mut out = String::new();
    let mut group: Vec<Line> = Vec::new();
    let end = |group: &mut Vec<Line>, out: &mut String| {
        for line in fixed(std::mem::take(group), letters) {
            *out += &(line.0.join("\t") + "\n");
        }
    };
    for line in sam.lines() {
        if line.starts_with('@') {
            out += &format!("{line}\n");
            continue;
        }
        let line = Line(line.split('\t').map(str::to_owned).collect());
        if group.last().is_some_and(|last| last.0[0] != line.0[0]) {
            end(&mut group, &mut out);
        }
        group.push(line);
    }
    end(&mut group, &mut out);
    out
}

#[test]
fn mates_are_told_of_each_other_as_the_plain_rule_says() {
    let folder = Folder::new();
    let shape = TemplateShape { seed: 5, sets: 400, templates: 12, ..TemplateShape::default() };
    let sam = small::text(&shape);
    let path = folder.file("x.sam", &sam);
    for letters in ["", "m", "mc", "rm", "p", "cp"] {
        let letters_given: Vec<String> = letters.chars().map(|c| format!("-{c}")).collect();
        let mut words = vec!["fixmate", "-q", "--no-PG", "-O", "sam"];
        words.extend(letters_given.iter().map(String::as_str));
        let expected = expected(&sam, letters);
        for threads in ["1", "3"] {
            let run = silent(&[&words[..], &["-@", threads, &path]].concat());
            for (ours, plain) in run.stdout.lines().zip(expected.lines()) {
                assert_eq!(ours, plain, "-{letters}");
            }
            assert_eq!(run.stdout.len(), expected.len(), "-{letters}");
        }
    }
    // To BAM through a pipe; and again, which changes nothing.
    let once = text(&folder.path("once.bam"));
    let run = biofast_with(&["fixmate", "-m", "-", "-o", &once], sam.as_bytes());
    assert!(run.code == 0 && run.stderr.contains("pairs"), "{run:?}");
    let again = biofast(&["fixmate", "-m", "-q", "--no-PG", "-O", "sam", &once]).stdout;
    assert_eq!(biofast(&["view", "-h", "--no-PG", &once]).stdout, again);
}

#[test]
fn collated_names_are_together_whatever_memory_and_threads_there_are() {
    let folder = Folder::new();
    let names = Names::Plain;
    let shape = TemplateShape { seed: 7, sets: 300, templates: 20, names, ..Default::default() };
    let grouped = folder.file("grouped.sam", small::text(&shape));
    let sorted = text(&folder.path("sorted.bam"));
    ok(&["sort", "-q", &grouped, "-o", &sorted]);
    let collate = |extra: &[&str], path: &str| {
        let words = ["collate", "-q", "--no-PG", "--output-format", "sam"];
        silent(&[&words[..], extra, &[path]].concat()).stdout
    };
    let whole = collate(&[], &sorted);
    assert!(whole.contains("@HD\tVN:1.6\tSO:unsorted\tGO:query\n"), "{}", &whole[..99]);
    let folder_name = text(&folder.path(""));
    for extra in [&["-@", "3"][..], &["-m", "64K", "-@", "2", "-T", &folder_name], &["-O"]] {
        assert!(collate(extra, &sorted) == whole, "{extra:?}");
    }
    let records = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with('@')).map(str::to_owned).collect()
    };
    let (ours, input) = (records(&whole), records(&biofast(&["view", &sorted]).stdout));
    let name = |line: &str| line.split('\t').next().unwrap().to_owned();
    let part = |line: &str| line.split('\t').nth(1).unwrap().parse::<u32>().unwrap() >> 6 & 3;
    let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
    input.iter().for_each(|line| by_name.entry(name(line)).or_default().push(line.clone()));
    by_name.values_mut().for_each(|group| group.sort_by_key(|line| part(line)));
    let mut seen = BTreeSet::new();
    for group in ours.chunk_by(|one, other| name(one) == name(other)) {
        assert!(seen.insert(name(&group[0])));
        assert_eq!(group, by_name[&name(&group[0])]);
    }
    assert_eq!(seen.len(), by_name.len());
    assert!(!ours.is_sorted_by_key(|line| name(line)));
    // What collate makes is what fixmate needs.
    ok_with(&["fixmate", "-O", "sam", "-"], whole.as_bytes());
}

#[test]
fn input_that_mates_cannot_be_told_of_is_refused() {
    let folder = Folder::new();
    let header = "@HD\tVN:1.6\n@SQ\tSN:c\tLN:900\n";
    let read =
        |name: &str, flags: u32| format!("{name}\t{flags}\tc\t7\t9\t4M\t=\t7\t0\tACGT\tIIII\n");
    let apart = [read("a", 65), read("b", 65), read("a", 129), read("b", 129)].concat();
    folder.file("apart.sam", format!("{header}{apart}"));
    let sorted = header.replace("VN:1.6", "VN:1.6\tSO:coordinate");
    folder.file("sorted.sam", format!("{sorted}{}", read("a", 65)));
    folder.file("bad.sam", format!("{header}{}a\tx\n", read("a", 65)));
    folder.file("r.fq", "@r\nACGT\n+\nIIII\n");
    let bam = std::fs::read(parts(&folder, 1).remove(0)).unwrap();
    folder.file("cut.bam", &bam[..bam.len() / 2]);
    for (words, expected) in [
        (
            "fixmate apart.sam",
            &["apart.sam: records 1 and 3 have the same name", "biofast collate"][..],
        ),
        ("fixmate sorted.sam", &["sorted.sam: sorted by coordinate", "grouped by name"]),
        ("fixmate bad.sam", &["bad.sam: record 2, line 4"]),
        ("fixmate cut.bam", &["cut.bam"]),
        ("fixmate r.fq", &["r.fq", "FASTQ"]),
        ("fixmate -M apart.sam", &["-M", "let the aligner soft-clip"]),
        ("fixmate apart.sam x.bam", &["unexpected argument 'x.bam'", "-o x.bam"]),
        ("collate bad.sam", &["bad.sam: record 2, line 4"]),
        ("collate cut.bam", &["cut.bam"]),
        ("collate r.fq", &["r.fq", "FASTQ"]),
        ("collate -f apart.sam", &["leave it out"]),
        ("collate -O -o o.sam apart.sam", &["-O can't be combined with --out"]),
        ("collate -T absent apart.sam", &["absent: no such folder"]),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let words =
            if words.contains(&"-o") { words } else { [&words[..], &["-o", "o.sam"]].concat() };
        fails_in(&folder, &words, expected);
        assert!(!folder.path("o.sam").exists());
    }
}

#[test]
fn fields_are_corrected_that_are_named() {
    let sam = "@SQ\tSN:c\tLN:20\nr\t0\t*\t5\t30\t4M\t*\t0\t0\tACGT\tIIII\tNM:i:0\n\
               s\t0\tc\t18\t30\t2=2X\t*\t0\t0\tACGT\tIIII\n";
    let records = |words: &[&str]| {
        let run = ok_with(
            &[&["fixmate", "-q", "--no-PG", "-O", "sam"], words, &["-"]].concat(),
            sam.as_bytes(),
        );
        let fields = run.stdout.lines().skip(1).map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            [&[fields[1], fields[3], fields[4], fields[5]], &fields[11..]].concat().join(" ")
        });
        fields.collect::<Vec<_>>()
    };
    for (words, r, s) in [
        (&[][..], "4 0 0 *", "0 18 30 2=1X1S"),
        (&["-z", "all"], "4 0 0 *", "0 18 30 2=1X1S"),
        (&["-z", "off"], "4 5 30 4M NM:i:0", "0 18 30 2=2X"),
        (&["-z", "pos"], "4 0 30 4M NM:i:0", "0 18 30 2=2X"),
        (&["-z", "pos,unmap"], "4 0 30 4M NM:i:0", "0 18 30 2=2X"),
        (&["-z", "pos,unmap,mqual,aux"], "4 0 0 4M", "0 18 30 2=2X"),
        (&["-z", "cigarx"], "4 5 30 4M NM:i:0", "0 18 30 4M"),
        (&["-z", "all,cigarx"], "4 0 0 *", "0 18 30 3M1S"),
    ] {
        assert_eq!(records(words), [r, s], "{words:?}");
    }
    assert_error(&biofast_with(&["fixmate", "-z", "cigr", "-"], b""), &["'cigr' is none of pos"]);
}
