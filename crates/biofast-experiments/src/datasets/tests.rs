//! The datasets are what their README says: the same bytes for ever, realistic shares, readable containers.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;

use libdeflater::Decompressor;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::limits;

fn dataset(name: &str) -> &'static Dataset {
    CATALOGUE.iter().find(|d| d.name == name).expect("in the catalogue")
}

fn text_of(dataset: &Dataset) -> Vec<u8> {
    let mut text = Vec::new();
    let genome = Genome::new();
    writer::generate(dataset, &genome, |part| {
        text.extend_from_slice(part);
        Ok(())
    })
    .expect("generates");
    text
}

/// Name, sequence and quality of each record.
fn records(text: &[u8]) -> Vec<[&[u8]; 3]> {
    let lines: Vec<&[u8]> =
        text.strip_suffix(b"\n").expect("final newline").split(|&b| b == b'\n').collect();
    assert_eq!(lines.len() % 4, 0);
    lines
        .chunks_exact(4)
        .map(|l| {
            assert!(l[0].starts_with(b"@") && l[2] == b"+" && l[1].len() == l[3].len());
            [l[0], l[1], l[3]]
        })
        .collect()
}

fn share(records: &[[&[u8]; 3]], of: impl Fn(u8) -> bool) -> f64 {
    let bases = records.iter().flat_map(|r| r[1]);
    let (mut hits, mut all) = (0u64, 0u64);
    for &base in bases {
        hits += u64::from(of(base));
        all += 1;
    }
    hits as f64 / all as f64
}

fn scores(records: &[[&[u8]; 3]]) -> BTreeSet<u8> {
    records.iter().flat_map(|r| r[2]).map(|&q| q - 33).collect()
}

#[test]
fn tiny_is_pinned() {
    assert_eq!(
        to_hex(&Sha256::digest(text_of(dataset("tiny")))),
        "d1906a0e32b66ab8be30f950128ad71a1eb692c2e9b6eb01e1de473958d30fa3"
    );
}

#[test]
fn hiseq_has_the_stated_shares() {
    let text = text_of(dataset("medium"));
    let records = records(&text);
    assert_eq!(records.len(), 10_000);
    assert!(records.iter().all(|r| r[1].len() == 150));
    let n = share(&records, |b| b == b'N' || b == b'n');
    let lower = share(&records, |b| b.is_ascii_lowercase());
    let gc = share(&records, |b| matches!(b.to_ascii_uppercase(), b'G' | b'C'));
    assert!((0.005..0.01).contains(&n), "N share {n}");
    assert!((0.0015..0.0025).contains(&lower), "lower-case share {lower}");
    assert!((0.39..0.43).contains(&gc), "GC share {gc}");
    assert_eq!(scores(&records), (2..=41).collect());
    // N only where the score says so, decay along the read, and reads on both sides of mean Q30.
    assert!(
        records.iter().all(|r| {
            r[1].iter().zip(r[2]).all(|(&b, &q)| !matches!(b, b'N' | b'n') || q == b'#')
        })
    );
    let at = |cycle: usize| records.iter().map(|r| u64::from(r[2][cycle])).sum::<u64>();
    assert!(at(30) > at(100) && at(100) > at(149));
    let good = records
        .iter()
        .filter(|r| r[2].iter().map(|&q| u32::from(q) - 33).sum::<u32>() >= 30 * 150)
        .count();
    assert!((7_000..9_700).contains(&good), "{good} reads of mean Q30");
    let names: HashSet<_> = records.iter().map(|r| r[0]).collect();
    assert_eq!(names.len(), records.len());
}

#[test]
fn novaseq_has_four_scores() {
    let text = text_of(&Dataset { records: 5_000, ..short("n", Profile::Novaseq, 0, 7) });
    assert_eq!(scores(&records(&text)), [2, 12, 23, 37].into());
}

#[test]
fn long_reads_are_long() {
    let text = text_of(&Dataset { records: 300, ..short("l", Profile::Nanopore, 0, 8) });
    let records = records(&text);
    assert_eq!(records.len(), 300);
    let mut lengths: Vec<usize> = records.iter().map(|r| r[1].len()).collect();
    lengths.sort_unstable();
    assert!(lengths[0] >= 1_000 && lengths[299] <= 100_000 && lengths[299] > 20_000);
    assert!((4_500..7_500).contains(&lengths[150]), "median {}", lengths[150]);
    let scores = scores(&records);
    assert!(scores.len() >= 25 && scores.first() >= Some(&3) && scores.last() <= Some(&30));
}

#[test]
fn records_do_not_depend_on_how_many_there_are() {
    for profile in [Profile::Hiseq, Profile::Nanopore] {
        let (few, many) = if profile == Profile::Hiseq { (5_000, 9_000) } else { (40, 70) };
        let few = text_of(&Dataset { records: few, ..short("a", profile, 0, 3) });
        let many = text_of(&Dataset { records: many, ..short("b", profile, 0, 3) });
        assert!(many.starts_with(&few));
    }
}

#[test]
fn mates_share_names_and_molecules() {
    let (first, second) = (text_of(dataset("sample_R1")), text_of(dataset("sample_R2")));
    let (first, second) = (records(&first), records(&second));
    let name = |r: &[&[u8]; 3]| r[0].split(|&b| b == b' ').next().map(<[u8]>::to_vec);
    assert!(first.iter().zip(&second).all(|(a, b)| name(a) == name(b) && a[0] != b[0]));
    // Where the insert is short the mates overlap: R1's last bases are in R2's reverse complement.
    let overlapping = first
        .iter()
        .zip(&second)
        .filter(|(a, b)| {
            let reverse: Vec<u8> = b[1]
                .iter()
                .rev()
                .map(|base| match base {
                    b'A' => b'T',
                    b'C' => b'G',
                    b'G' => b'C',
                    b'T' => b'A',
                    _ => b'N',
                })
                .collect();
            reverse.windows(24).any(|w| w == &a[1][126..])
        })
        .count();
    assert!((50..400).contains(&overlapping), "{overlapping} of 2500 pairs overlap");
}

#[test]
fn containers_read_back() {
    let dir = tempfile::tempdir().expect("temporary directory");
    build(&["small".to_owned(), "medium".to_owned()], dir.path(), true).expect("builds");
    for name in ["small", "medium"] {
        let read = |suffix| {
            fs::read(dir.path().join(format!("generated/{name}.{suffix}"))).expect("reads")
        };
        let plain = read("fq");
        assert_eq!(plain, text_of(dataset(name)));
        assert_eq!(read_bgzf(&read("fq.bgz")), plain);
        let mut text = vec![0; plain.len() + 1];
        let gzip = read("fq.gz");
        assert_eq!(Decompressor::new().gzip_decompress(&gzip, &mut text), Ok(plain.len()));
        assert_eq!(&text[..plain.len()], plain);
    }
}

/// A reader that shares no code with the writer or the limits: the layout as the SAM specification gives it.
fn read_bgzf(data: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = data;
    let mut last = 1;
    while !rest.is_empty() {
        assert_eq!(&rest[..16], b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0");
        let size = usize::from(rest[16]) + 256 * usize::from(rest[17]) + 1;
        let (block, next) = rest.split_at(size);
        // Inflated as a whole gzip member, which also checks CRC-32 and ISIZE.
        let mut out = vec![0; 65_280];
        last = Decompressor::new().gzip_decompress(block, &mut out).expect("a valid gzip member");
        assert!(last == 65_280 || next.len() <= 28, "only the last block is short");
        text.extend_from_slice(&out[..last]);
        rest = next;
    }
    assert!(
        last == 0 && data.ends_with(b"\x1b\0\x03\0\0\0\0\0\0\0\0\0"),
        "ends with the empty block"
    );
    text
}

#[test]
fn a_changed_file_or_manifest_is_an_error() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let names = ["tiny".to_owned()];
    assert!(build(&names, dir.path(), false).is_err(), "not in the manifest yet");
    build(&names, dir.path(), true).expect("writes the manifest");
    build(&names, dir.path(), false).expect("the same again");
    verify(&names, dir.path()).expect("as built");

    let path = dir.path().join("generated/tiny.fq");
    let mut text = fs::read(&path).expect("reads");
    let good = text.clone();
    text[60] ^= 1;
    fs::write(&path, &text).expect("writes");
    let error = verify(&names, dir.path()).expect_err("one bit differs").to_string();
    assert!(error.contains("generated/tiny.fq: sha256"), "{error}");
    fs::write(&path, &good[..good.len() - 1]).expect("writes");
    assert!(verify(&names, dir.path()).is_err(), "truncated");
    fs::remove_file(&path).expect("removes");
    assert!(verify(&names, dir.path()).is_err(), "absent although named");

    let mut manifest = Manifest::read(dir.path()).expect("reads");
    manifest.file[1].bytes += 1;
    manifest.write(dir.path()).expect("writes");
    assert!(build(&names, dir.path(), false).is_err(), "the manifest differs");
}

#[test]
fn limit_inflates_all_blocks_and_sees_damage() {
    let dir = tempfile::tempdir().expect("temporary directory");
    build(&["medium".to_owned()], dir.path(), true).expect("builds");
    let path = dir.path().join("generated/medium.fq.bgz");
    let bytes = fs::metadata(path.with_extension("").with_extension("fq")).expect("plain").len();
    for threads in [1, 2, 5] {
        assert_eq!(limits::inflate(&path, threads, true).expect("inflates").bytes, bytes);
        assert_eq!(limits::recode(&path, threads, 1).expect("recodes").bytes, bytes);
    }
    let good = fs::read(&path).expect("reads");
    fs::write(&path, &good[..good.len() - 40]).expect("writes");
    assert!(limits::inflate(&path, 2, true).is_err(), "truncated");
    // The CRC-32 of the first block is in the 8 bytes before the second.
    let second = usize::from(good[16]) + 256 * usize::from(good[17]) + 1;
    let mut damaged = good;
    damaged[second - 8] ^= 1;
    fs::write(&path, &damaged).expect("writes");
    assert!(limits::inflate(&path, 2, true).is_err(), "wrong CRC-32");
    assert_eq!(limits::inflate(&path, 2, false).expect("not checked").bytes, bytes);
}

#[test]
fn the_catalogue_has_no_two_files_alike() {
    let files = all_files();
    assert_eq!(files.iter().collect::<HashSet<_>>().len(), files.len());
    assert_eq!(select(&["sample".to_owned()]).expect("known").len(), 2);
    assert!(select(&["no-such".to_owned()]).is_err());
    assert!(select(&[]).expect("all").iter().all(|d| d.name != "huge"));
}

/// The uncompressed stream of a BAM file.
fn bam_of(dataset: &Dataset) -> Vec<u8> {
    let genome = Genome::new();
    let mut stream = align::header(genome.len());
    let aligned = align::Aligned::new(dataset, &genome);
    aligned.iter().for_each(|record| stream.extend_from_slice(record));
    let mut counter = align::BamCounter::default();
    stream.chunks(1000).for_each(|part| counter.update(part));
    counter.finish().expect("whole records");
    assert_eq!((counter.records, counter.bases), (aligned.records(), aligned.bases()));
    stream
}

#[test]
fn aligned_pairs_are_pinned() {
    assert_eq!(
        to_hex(&Sha256::digest(bam_of(&aligned("a", 500)))),
        "a0e95a2a37a07590102e16f1d8eca652ac1ee04bf3c440063e7700acc5c8f700"
    );
}

#[test]
fn aligned_pairs_are_sorted_and_their_flags_agree() {
    let stream = bam_of(&aligned("a", 10_000));
    let word = |at: usize| i32::from_le_bytes(stream[at..at + 4].try_into().expect("4 bytes"));
    // Text, number of references, then name and length of the only one.
    let mut at = 8 + word(4) as usize + 4 + 4 + 4 + 4;
    let mut mates: HashMap<(&[u8], u16), [i32; 6]> = HashMap::new();
    let (mut last, mut records, mut extra) = ((0, 0), 0, 0);
    while at < stream.len() {
        let place = (word(at + 4) as u32, word(at + 8) as u32);
        assert!(last <= place, "sorted, unplaced records last");
        last = place;
        let flag = word(at + 16) >> 16;
        let name = &stream[at + 36..][..usize::from(stream[at + 12])];
        let [reference, pos, mate_reference, mate_pos, length] =
            [4, 8, 24, 28, 32].map(|field| word(at + field));
        assert_eq!(flag & 4 != 0, word(at + 16) & 0xffff == 0, "only mapped reads have a CIGAR");
        records += 1;
        if flag & 0x900 == 0 {
            let fields = [reference, pos, mate_reference, mate_pos, length, flag];
            let key = (name, (flag & 0xc0) as u16);
            assert!(mates.insert(key, fields).is_none(), "one primary record a read");
        } else {
            extra += 1;
        }
        at += 4 + word(at) as usize;
    }
    assert_eq!((records - extra, mates.len()), (20_000, 20_000));
    assert!((40..160).contains(&extra), "{extra} extra alignments");
    let count = |bits: i32| mates.values().filter(|f| f[5] & bits != 0).count();
    assert!((120..360).contains(&count(4)) && count(4) == count(8), "{} unmapped", count(4));
    assert!((120..300).contains(&count(0x400)), "{} duplicates", count(0x400));
    for ((name, which), a) in &mates {
        let b = mates.get(&(*name, which ^ 0xc0)).expect("both mates are there");
        assert_eq!((a[0], a[1], a[4]), (b[2], b[3], -b[4]), "place of the mate");
        assert_eq!(a[5] & 4 != 0, b[5] & 8 != 0);
        assert_eq!(a[5] & 0x10 != 0, b[5] & 0x20 != 0);
        assert_eq!(a[5] & 3, b[5] & 3);
    }
}

#[test]
fn bam_reads_back_and_damage_is_an_error() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let path = dir.path().join("a.bam");
    let genome = Genome::new();
    let dataset = aligned("a", 700);
    let mut written =
        writer::write_dataset(&dataset, &genome, &[(Format::Bam, path.clone())]).expect("writes");
    let written = written.pop().expect("one file");
    let entry = FileEntry {
        dataset: "a".into(),
        file: "a.bam".into(),
        format: Format::Bam,
        seed: dataset.seed,
        profile: dataset.profile,
        records: written.records,
        bases: written.bases,
        bytes: written.bytes,
        sha256: written.sha256,
    };
    assert_eq!(entry.recompute(dir.path()).expect("reads"), entry);
    let mut stream = Vec::new();
    let mut ends = Vec::new();
    limits::inflate_blocks(&fs::read(&path).expect("reads"), true, |text| {
        stream.extend_from_slice(text);
        ends.push(stream.len());
    })
    .expect("inflates");
    assert_eq!(stream, bam_of(&dataset));
    assert!(ends.len() > 6 && ends.first() == Some(&align::header(genome.len()).len()));
    // Every block ends with a whole record: the counter has nothing left over at any of the ends.
    for &end in &ends {
        let mut counter = align::BamCounter::default();
        counter.update(&stream[..end]);
        counter.finish().expect("whole records");
    }
    let mut counter = align::BamCounter::default();
    counter.update(&stream[..stream.len() - 1]);
    assert!(counter.finish().is_err(), "the last record is cut");
}
