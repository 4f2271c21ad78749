use std::collections::HashSet;
use std::io::Cursor;
use std::ops::Range;

use biofast_io::output::{Compression, commit};
use biofast_testkit::container::{bgzf, bgzf_block, bgzf_starts, gzip};
use biofast_testkit::random::Random;

use super::*;

/// A file: its bytes, where its records are in its text, and where the first one starts.
struct DamageSample {
    bytes: Vec<u8>,
    text: Vec<u8>,
    records: Vec<Range<usize>>,
    /// Bytes of text in each block.
    size: usize,
}

impl DamageSample {
    fn new(random: &mut Random, content: CatContent) -> DamageSample {
        let n = 1 + random.below(80);
        let (mut text, parts): (Vec<u8>, Vec<Vec<u8>>) = match content {
            CatContent::Bam => {
                let mut records = biofast_testkit::bam::records(n, 2);
                // No two are the same.
                records.iter_mut().zip(0..).for_each(|(record, i)| record.name += &format!(":{i}"));
                let header = biofast_testkit::bam::header(&[("c1", 1000), ("c2", 100)]);
                (header, records.iter().map(biofast_testkit::bam::record).collect())
            }
            CatContent::Fastq => {
                let end = ["\n", "\r\n"][random.below(2)];
                let read = |i: usize| {
                    let len = random.below(90);
                    let bases: String =
                        (0..len).map(|_| ['A', 'C', 'G', 'T'][random.below(4)]).collect();
                    // Qualities that look like a header or a separator.
                    let qualities: String =
                        (0..len).map(|_| ['@', '+', 'I', 'A'][random.below(4)]).collect();
                    format!("@x{i}@y.{i}:z 1{end}{bases}{end}+{end}{qualities}{end}").into_bytes()
                };
                (Vec::new(), (0..n).map(read).collect())
            }
        };
        let mut records = Vec::new();
        for part in parts {
            records.push(text.len()..text.len() + part.len());
            text.extend(part);
        }
        let size = 60 + random.below(2000);
        DamageSample { bytes: bgzf(&text, size), text, records, size }
    }

    /// The records none of whose blocks is one of these.
    fn intact(&self, damaged: &HashSet<usize>) -> Vec<&[u8]> {
        let is_intact = |record: &&Range<usize>| {
            (record.start / self.size..=(record.end - 1) / self.size).all(|n| !damaged.contains(&n))
        };
        self.records.iter().filter(is_intact).map(|record| &self.text[record.clone()]).collect()
    }
}

fn salvaged(name: &str, bytes: &[u8]) -> Result<(Vec<u8>, SalvageSummary), Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("salvaged");
    let mut output = Output::create_with(&path, Compression::default()).unwrap();
    let summary = Salvage::open(name, Cursor::new(bytes.to_vec()))?.run(&mut output, None)?;
    commit(vec![output], false).unwrap();
    Ok((std::fs::read(path).unwrap(), summary))
}

/// Damages a file; returns which of its blocks are touched.
fn damage(random: &mut Random, bytes: &mut Vec<u8>) -> HashSet<usize> {
    let starts = bgzf_starts(bytes);
    let of = |at: usize| starts.partition_point(|&start| start <= at) - 1;
    let mut touched = HashSet::new();
    match random.below(5) {
        // Bytes flipped.
        0 => {
            for _ in 0..1 + random.below(4) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 + random.below(255) as u8;
                touched.insert(of(at));
            }
        }
        // A range of zeros.
        1 => {
            let from = random.below(bytes.len());
            let to = (from + 1 + random.below(3000)).min(bytes.len());
            bytes[from..to].fill(0);
            touched.extend(of(from)..=of(to - 1));
        }
        // A range cut out, inside of blocks.
        2 => {
            let from = random.below(bytes.len());
            let to = (from + 1 + random.below(3000)).min(bytes.len());
            bytes.drain(from..to);
            touched.extend(of(from)..=of(to - 1));
        }
        // Cut off.
        3 => {
            let at = random.below(bytes.len());
            bytes.truncate(at);
            touched.extend(of(at)..starts.len());
        }
        // Other bytes between two blocks, and a flip.
        _ => {
            let at = starts[random.below(starts.len() - 1)];
            let other: Vec<u8> =
                (0..1 + random.below(300)).map(|_| random.below(256) as u8).collect();
            let flipped = random.below(bytes.len());
            bytes[flipped] ^= 0x5a;
            touched.insert(of(flipped));
            bytes.splice(at..at, other);
            // A record across the place can't be told from two.
            if at > 0 {
                touched.insert(of(at - 1));
            }
        }
    }
    touched
}

/// All records outside of damaged blocks are there, in order, no other bytes are, and it is said that something is missing.
fn check(seed: u64, content: CatContent) {
    let mut random = Random(seed);
    let sample = DamageSample::new(&mut random, content);
    let mut bytes = sample.bytes.clone();
    let touched = damage(&mut random, &mut bytes);
    let name = if content == CatContent::Bam { "x.bam" } else { "x.fq.gz" };
    let head = sample.records[0].start;
    let header_is_damaged = (0..head.div_ceil(sample.size)).any(|n| touched.contains(&n));
    let intact = sample.intact(&touched);
    let (text, summary) = match salvaged(name, &bytes) {
        Ok(salvaged) => salvaged,
        Err(error) => {
            let is_header = content == CatContent::Bam && header_is_damaged;
            assert!(is_header || intact.is_empty(), "{seed}: {error}");
            return;
        }
    };
    let written = text.strip_prefix(&sample.text[..head]).unwrap();
    let all: Vec<&[u8]> =
        sample.records.iter().map(|record| &sample.text[record.clone()]).collect();
    // Which of all records are written: in their order, each once.
    let mut rest = written;
    let mut found = HashSet::new();
    for record in &all {
        // A read is whole without its line end.
        let bare = record.strip_suffix(b"\r\n").map(|bare| [bare, b"\n"].concat());
        if let Some(after) = rest.strip_prefix(*record) {
            (rest, _) = (after, found.insert(*record));
        } else if let Some(after) = bare.and_then(|bare| rest.strip_prefix(&*bare)) {
            (rest, _) = (after, found.insert(*record));
        }
    }
    assert_eq!(String::from_utf8_lossy(rest), "", "{seed}: invented");
    assert_eq!(summary.records, found.len() as u64, "{seed}");
    for record in intact {
        assert!(
            found.contains(record),
            "{seed}: {} is missing: {summary:?}",
            String::from_utf8_lossy(record)
        );
    }
    // Some bytes of headers mean nothing.
    assert!(!summary.is_complete() || found.len() == all.len(), "{seed}");
    for interval in &summary.missing {
        assert!(interval.to.is_none_or(|to| to > interval.from), "{seed}: {interval:?}");
    }
}

#[test]
fn records_outside_of_damaged_blocks_are_kept_and_none_is_invented() {
    for seed in 1..=100 {
        check(seed * 7919, CatContent::Bam);
        check(seed * 104_729, CatContent::Fastq);
    }
}

#[test]
#[ignore = "exhaustive: some minutes"]
fn the_same_of_very_many_files() {
    for seed in 1..=3000 {
        check(seed * 15_485_863, CatContent::Bam);
        check(seed * 32_452_843, CatContent::Fastq);
    }
}

#[test]
fn a_whole_file_is_kept_whole() {
    for seed in 1..=20 {
        for content in [CatContent::Bam, CatContent::Fastq] {
            let sample = DamageSample::new(&mut Random(seed * 31), content);
            let (text, summary) = salvaged("x", &sample.bytes).unwrap();
            assert!(text == sample.text && summary.is_complete(), "{seed}");
            assert_eq!(summary.records, sample.records.len() as u64);
        }
    }
}

#[test]
fn where_whole_blocks_are_gone_no_alignment_is_joined_of_two() {
    let mut joined = 0;
    for seed in 1..=60 {
        let mut random = Random(seed * 65_537);
        let sample = DamageSample::new(&mut random, CatContent::Bam);
        let starts = bgzf_starts(&sample.bytes);
        let head = sample.records[0].start.div_ceil(sample.size);
        if starts.len() < head + 5 {
            continue;
        }
        let first = head + random.below(starts.len() - head - 4);
        let last = first + 1 + random.below(2);
        let mut bytes = sample.bytes.clone();
        bytes.drain(starts[first]..starts[last]);
        let (text, summary) = salvaged("x.bam", &bytes).unwrap();
        let all: HashSet<&[u8]> =
            sample.records.iter().map(|record| &sample.text[record.clone()]).collect();
        let (found, fault) = biofast_testkit::bam::read(&text[sample.records[0].start..], 2);
        assert!(!fault, "{seed}");
        for record in &found {
            let stored = [&(record.len() as u32).to_le_bytes()[..], record].concat();
            assert!(all.contains(&stored[..]), "{seed}: invented");
        }
        let touched = (first..last).collect();
        assert_eq!(found.len(), sample.intact(&touched).len(), "{seed}");
        joined += usize::from(!summary.missing.is_empty());
    }
    assert!(joined > 20, "{joined}");
}

#[test]
fn what_is_missing_is_said_by_place_and_neighbors() {
    let read = |name: &str| format!("@{name} 1\nACGT\n+\nIIII\n").into_bytes();
    let blocks: Vec<Vec<u8>> =
        ["a", "b", "c", "d"].iter().map(|name| bgzf_block(&read(name), &[])).collect();
    let mut bytes = blocks.concat();
    let len = blocks[0].len();
    bytes[len + 20] ^= 0xff;
    let (text, summary) = salvaged("x.fq.gz", &bytes).unwrap();
    assert_eq!(text, [read("a"), read("c"), read("d")].concat());
    let [missing] = &summary.missing[..] else { panic!("{summary:?}") };
    assert_eq!((missing.from, missing.to), ((len as u64) << 16, Some((2 * len as u64) << 16)));
    let name = |record: &Option<NeighborRecord>| record.clone().unwrap().name;
    assert_eq!((name(&missing.after), name(&missing.before)), ("a".into(), "c".into()));
    let [damaged] = &missing.damaged[..] else { panic!("{missing:?}") };
    assert_eq!((damaged.from, damaged.to), (len as u64, 2 * len as u64));
    assert!(!summary.has_end_marker);
}

#[test]
fn what_cannot_be_salvaged_is_refused() {
    let read = b"@a\nA\n+\nI\n";
    let mut bam = bgzf(&biofast_testkit::bam::header(&[("c", 9)]), 20);
    bam[25] ^= 1;
    for (bytes, said) in [
        (b"a\nb\n".to_vec(), "neither BAM nor FASTQ, and without an intact"),
        (Vec::new(), "it is empty"),
        (b"@a\nAC\nGT\n+\nIIII\n".to_vec(), "no whole record"),
        (gzip(b"x"), "neither BAM nor FASTQ"),
        (gzip(read)[..10].to_vec(), "no intact BGZF block or gzip member"),
        (bgzf(b"##fileformat=VCF\n", 20), "neither BAM nor FASTQ"),
        (bgzf(b"@a\nAC\nGT\n+\nIIII\n", 20), "no whole record"),
        (bam, "the header is damaged"),
    ] {
        let error = salvaged("x.bam", &bytes).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn reads_in_intact_members_of_gzip_are_all_there() {
    let (mut saved, mut extra) = (0, 0);
    for seed in 1..=600 {
        let mut random = Random(seed * 179_424_673);
        let sample = DamageSample::new(&mut random, CatContent::Fastq);
        let (mut bytes, mut starts) = (Vec::new(), Vec::new());
        for text in sample.text.chunks(sample.size) {
            starts.push(bytes.len());
            bytes.extend(gzip(text));
        }
        let from = 10 + random.below(bytes.len() - 10);
        let to = (from + 1 + random.below(600)).min(bytes.len());
        match random.below(3) {
            0 => bytes.truncate(from),
            1 => bytes[from..to].iter_mut().for_each(|byte| *byte = random.below(256) as u8),
            _ => bytes[from..to].fill(0),
        }
        let of = |at: usize| starts.partition_point(|&start| start <= at) - 1;
        let last = if bytes.len() == from { starts.len() - 1 } else { of(to - 1) };
        let damaged: HashSet<usize> = (of(from)..=last).collect();
        let intact = sample.intact(&damaged);
        let (text, summary) = match salvaged("x.fq.gz", &bytes) {
            Ok(done) => done,
            Err(error) => {
                assert!(intact.is_empty(), "{seed}: {error}");
                continue;
            }
        };
        let (mut rest, mut found) = (&text[..], 0);
        for read in &intact {
            let at = memchr::memmem::find(rest, read);
            rest = &rest[at.unwrap_or_else(|| panic!("{seed}: {read:?}")) + read.len()..];
            found += 1;
        }
        saved += found;
        extra += summary.records - found;
    }
    // Some of damaged members, too.
    assert!(saved > 10_000 && extra > 500, "{saved} {extra}");
}

#[test]
fn of_intact_text_only_broken_records_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut broken = 0;
    for seed in 1..=300 {
        let mut random = Random(seed * 32_452_843);
        let (mut text, mut whole, mut left_out) =
            (Vec::new(), Vec::new(), Vec::<(u64, u64, String)>::new());
        let mut was_broken = false;
        for i in 0..1 + random.below(60) {
            let len = 1 + random.below(200);
            let bases: String =
                (0..len).map(|_| ['A', 'C', 'G', 'T', 'N'][random.below(5)]).collect();
            // With '@' and '+', which lines of others start with.
            let qualities: String =
                (0..len).map(|_| ['@', '+', 'I', '#'][random.below(4)]).collect();
            let good = format!("@r{i} x\n{bases}\n+\n{qualities}\n");
            let bad = match random.below(40) {
                0 => format!("@r{i} x\n{bases}\n+\n{}\n", &qualities[1..]),
                1 => format!("@r{i} x\n{bases}\n+\n"),
                2 => format!("@r{i} x\n{bases}\n{qualities}\n"),
                3 => format!("@r{i} x\n{bases}*\n+\n{qualities}\n"),
                4 => format!("r{i} x\n{bases}\n+\n{qualities}\n"),
                5 => "\nwhat is this?\n".to_owned(),
                _ => {
                    text.extend_from_slice(good.as_bytes());
                    whole.extend_from_slice(good.as_bytes());
                    was_broken = false;
                    continue;
                }
            };
            // What isn't known to begin a file of reads is refused.
            if i == 0 && !bad.starts_with('@') {
                continue;
            }
            let line = 1 + memchr::memchr_iter(b'\n', &text).count() as u64;
            let end = line + bad.lines().count() as u64 - 1;
            match (was_broken, left_out.last_mut()) {
                (true, Some((_, last, piece))) => {
                    *last = end;
                    piece.push_str(&bad);
                }
                _ => left_out.push((line, end, bad.clone())),
            }
            text.extend_from_slice(bad.as_bytes());
            was_broken = true;
        }
        broken += left_out.len();
        let salvage = match seed % 3 {
            0 => Salvage::open("x", Cursor::new(text)).unwrap(),
            1 => Salvage::of_reads("x", Cursor::new(text)).unwrap(),
            // Piece by piece.
            _ => Salvage::of_reads(
                "x",
                text.chunks(97)
                    .fold(Box::new(std::io::empty()) as Box<dyn Read + Send>, |all, chunk| {
                        Box::new(all.chain(Cursor::new(chunk.to_vec())))
                    }),
            )
            .unwrap(),
        };
        let [mut output, mut skipped] = ["out", "skipped"]
            .map(|name| Output::create_with(&path(name), Compression::default()).unwrap());
        let run = salvage.run(&mut output, Some(&mut skipped));
        if whole.is_empty() && !left_out.is_empty() {
            assert!(run.unwrap_err().to_string().contains("no whole record"));
            continue;
        }
        let summary = run.unwrap();
        commit(vec![output, skipped], false).unwrap();
        assert_eq!(std::fs::read(path("out")).unwrap(), whole, "{seed}");
        let lines: Vec<_> = summary.missing.iter().map(|missing| missing.lines.unwrap()).collect();
        let expected: Vec<_> = left_out.iter().map(|(first, last, _)| (*first, *last)).collect();
        assert_eq!(lines, expected, "{seed}");
        let mut shown = String::new();
        for (missing, (_, _, piece)) in summary.missing.iter().zip(&left_out) {
            assert!(missing.reason.is_some(), "{seed}: {piece}");
            shown += &format!("# x: {}\n{piece}", missing.in_words(false));
        }
        assert_eq!(std::fs::read_to_string(path("skipped")).unwrap(), shown, "{seed}");
    }
    assert!(broken > 500, "{broken}");
}

#[test]
fn long_text_between_reads_is_written_as_it_comes() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (read, junk) = ("@a\nACGT\n+\nIIII\n", "no read\n".repeat(3 * MOST_LEFT_OUT / 8));
    let text = [read, &junk, read].concat();
    let [mut output, mut skipped] = ["out", "skipped"]
        .map(|name| Output::create_with(&path(name), Compression::default()).unwrap());
    let salvage = Salvage::of_reads("x", Cursor::new(text)).unwrap();
    let summary = salvage.run(&mut output, Some(&mut skipped)).unwrap();
    commit(vec![output, skipped], false).unwrap();
    let last = 4 + junk.lines().count() as u64;
    assert_eq!(summary.missing[0].lines, Some((5, last)));
    let shown = std::fs::read_to_string(path("skipped")).unwrap();
    let (head, rest) = shown.split_once('\n').unwrap();
    assert!(head.starts_with("# x: lines from 5 on are left out, after a: expected"), "{head}");
    assert!(rest == junk);
}
