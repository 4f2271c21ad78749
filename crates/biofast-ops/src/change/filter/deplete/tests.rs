use std::collections::BTreeSet;
use std::io::Cursor;

use biofast_fastq::Record;
use biofast_io::{Options, Source, bgzf};
use proptest::prelude::*;

use super::index::segment_of;
use super::set::KmerSet;
use super::*;
use crate::filter::Filter;
use crate::filter::trim::{Crop, Trim};

/// Bases by chance.
fn bases(len: usize, seed: u64) -> Vec<u8> {
    let mut random = seed;
    let mut next = || {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        b"ACGT"[(random >> 62) as usize]
    };
    (0..len).map(|_| next()).collect()
}

fn index_of(host: &[u8]) -> Arc<MinimizerIndex> {
    let mut builder = MinimizerIndexBuilder::new(31, 15).expect("lengths");
    builder.add(host);
    builder.finish()
}

/// An index file of k-mers of 31 bases.
fn file(count: u64, kmers: &[u64]) -> Vec<u8> {
    let mut file = vec![3, 31, 15];
    file.extend_from_slice(&count.to_le_bytes());
    kmers.iter().for_each(|kmer| file.extend_from_slice(&kmer.to_le_bytes()));
    file
}

fn read(file: Vec<u8>) -> Result<MinimizerIndex, String> {
    let source = Source::from_reader("host.idx", Cursor::new(file));
    MinimizerIndex::read(source, &Options::default()).map_err(|error| error.to_string())
}

fn unit<'a>(first: &'a [u8], second: Option<&'a [u8]>, qualities: &'a [u8]) -> Unit<'a> {
    let record = |bases: &'a [u8]| Record::new(b"r", bases, &qualities[..bases.len()]);
    Unit { index: 0, first: record(first), second: second.map(record) }
}

#[test]
fn an_index_is_what_its_file_says() {
    let kmers = [5, 0, (1 << 62) - 1];
    for file in [file(3, &kmers), bgzf::compress(&file(3, &kmers))] {
        let index = read(file).expect("an index");
        let mut found = vec![true];
        index.look_up(&[0, 1, 5, (1 << 62) - 1, u64::MAX - 1], &mut found);
        assert_eq!(found, [true, false, true, true, false]);
        assert_eq!((index.len(), index.scheme().k(), index.scheme().w()), (3, 31, 15));
    }
    assert!(read(file(0, &[])).expect("an index").is_empty());
}

#[test]
fn what_is_no_whole_index_is_an_error() {
    let good = file(2, &[1, 2]);
    let with = |at: usize, byte: u8| {
        let mut bad = good.clone();
        bad[at] = byte;
        bad
    };
    for (bad, why) in [
        (vec![], "it is empty"),
        (with(0, 2), "its version is 2, not 3"),
        (b">chr1\nACGTACGT\n".to_vec(), "doesn't begin with version 3"),
        (b"DBF\x20\x01".to_vec(), "a frozen index"),
        (with(1, 41), "k-mers have 41 bases"),
        (with(1, 30), "k-mers of 30 bases in windows of 15"),
        (good[..7].to_vec(), "truncated in its header"),
        (good[..20].to_vec(), "truncated: it has 1 of 2 minimizers"),
        (file(u64::MAX, &[1, 2]), "truncated: it has 2 of"),
        (file(2, &[1, 1]), "a minimizer twice"),
        (file(2, &[1, 1 << 62]), "minimizer 2 has more than 31 bases"),
        (file(1, &[1, 2]), "more behind 1 minimizers"),
    ] {
        for bad in [bgzf::compress(&bad), bad] {
            let error = read(bad).expect_err(why);
            assert!(error.starts_with("host.idx: ") && error.contains(why), "{error}: {why}");
        }
    }
}

#[test]
fn a_plain_file_shorter_than_it_says_takes_no_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("host.idx");
    std::fs::write(&path, file(1 << 60, &[1, 2])).expect("a file");
    let result = MinimizerIndex::read(Source::open(&path).expect("a file"), &Options::default());
    let error = result.expect_err("truncated").to_string();
    assert!(error.contains("it has 2 of 1152921504606846976 minimizers"), "{error}");
}

#[test]
fn sequences_are_indexed_whole_in_stretches_and_threads() {
    let one = bases(2_500_000, 1);
    let two = bases(3000, 2);
    let fasta = [b">1\n", &one[..], b"\n>2\n", &two, b"\n>3\nACGT\n"].concat();
    let mut builder = MinimizerIndexBuilder::new(31, 15).expect("lengths");
    let source = Source::from_reader("x.fa", Cursor::new(fasta));
    builder.add_all(source, &Options::default()).expect("indexed");
    let mut whole = MinimizerBuffers::default();
    let mut all = Vec::new();
    for sequence in [&one, &two] {
        find_minimizers(sequence, &builder.scheme().clone(), &mut whole);
        all.extend_from_slice(whole.kmers());
    }
    all.sort_unstable();
    all.dedup();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.idx");
    let mut output =
        biofast_io::output::Output::create_with(&path, Default::default()).expect("an output");
    let indexed = builder.write(&mut output).expect("written");
    biofast_io::output::commit(vec![output], false).expect("complete");
    let expected =
        IndexedSequences { sequences: 3, bases: 2_503_004, minimizers: all.len() as u64 };
    assert_eq!(indexed, expected);
    let kmers: Vec<u8> = all.iter().flat_map(|kmer| kmer.to_le_bytes()).collect();
    assert_eq!(std::fs::read(&path).expect("a file")[11..], kmers);
}

#[test]
fn pairs_are_judged_together_and_by_different_minimizers() {
    let host = bases(2000, 3);
    let other = bases(2000, 4);
    let qualities = [b'I'; 400];
    let mut deplete = Deplete::new(index_of(&host));
    let mut buffers = DepleteBuffers::default();
    let mut hits = |deplete: &Deplete, first: &[u8], second: Option<&[u8]>| {
        let matches = deplete.matches(&unit(first, second, &qualities), &mut buffers);
        (matches, buffers.hits.len())
    };
    // A window alone has one minimizer.
    let (one, two) = (&host[100..145], &host[500..545]);
    assert_eq!(hits(&deplete, one, None), (false, 1));
    assert_eq!(hits(&deplete, one, Some(one)), (false, 1));
    assert_eq!(hits(&deplete, one, Some(two)), (true, 2));
    assert_eq!(hits(&deplete, &other[..300], Some(two)), (false, 1));
    deplete.min_hits = 1;
    assert_eq!(hits(&deplete, one, None), (true, 1));
    assert_eq!(hits(&deplete, &other[..300], Some(two)), (true, 1));
    // Of some thirty-six minimizers.
    deplete.min_fraction = 0.1;
    assert_eq!(hits(&deplete, &other[..300], Some(two)), (false, 1));
    // Too short for a window.
    (deplete.min_hits, deplete.min_fraction) = (1, 0.0);
    assert_eq!(hits(&deplete, &one[..44], None), (false, 0));
    assert_eq!(hits(&deplete, &other[..300], None), (false, 0));
    deplete.prefix = 44;
    assert_eq!(hits(&deplete, &host[..300], None), (false, 0));
}

#[test]
fn matches_are_masked_before_anything_is_cut() {
    let host = bases(2000, 3);
    let (mut read, other) = (bases(60, 5), bases(200, 6));
    read.extend_from_slice(&host[300..400]);
    read.extend_from_slice(&bases(60, 7));
    let qualities = [b'I'; 400];
    let mut deplete = Deplete::new(index_of(&host));
    deplete.action = DepleteAction::Mask;
    let mut found = MinimizerBuffers::default();
    find_minimizers(&read, deplete.index().scheme(), &mut found);
    let mut is_hit = Vec::new();
    deplete.index().look_up(found.kmers(), &mut is_hit);
    let mut expected = read.clone();
    for (&place, _) in found.positions().iter().zip(is_hit).filter(|(_, is_hit)| *is_hit) {
        expected[place as usize..place as usize + 31].fill(b'N');
    }
    let masked = expected.iter().filter(|&&base| base == b'N').count();
    assert!((60..=100).contains(&masked), "{masked}");
    let filter = Filter::new().deplete(deplete).trim(Crop { front: [70, 0], tail: [0; 2] });
    let mut worker = filter.worker();
    let mut texts = vec![Vec::new()];
    worker.apply(unit(&other, Some(&read), &qualities), &mut texts);
    worker.apply(unit(&other, Some(&other), &qualities), &mut texts);
    let lines: Vec<&[u8]> = texts[0].split(|&byte| byte == b'\n').collect();
    assert_eq!((lines[1], lines[5]), (&other[70..], &expected[..]));
    assert_eq!((lines[9], lines[13]), (&other[70..], &other[..]));
    let tally = worker.tally();
    assert_eq!(tally.trimmed(Trim::MaskMatches), (1, masked as u64));
    assert_eq!(tally.matching, [2, 420]);
}

proptest! {
    #[test]
    fn a_set_has_what_was_added(
        kmers in prop::collection::vec(prop_oneof![0u64..99, 0u64..1 << 20], 0..400),
        coarse in 0u32..4,
    ) {
        // In any order, and for some of them most are of the same first bits.
        let (_, are_different) = KmerSet::with(segment_of(&kmers), 20, coarse);
        let distinct: BTreeSet<u64> = kmers.iter().copied().collect();
        assert_eq!(are_different, distinct.len() == kmers.len());
        let distinct: Vec<u64> = distinct.into_iter().rev().collect();
        let (set, _) = KmerSet::with(segment_of(&distinct), 20, coarse);
        assert_eq!(set.len(), distinct.len());
        let others = (0..500).chain([u64::MAX, 1 << 20]);
        let all: Vec<u64> = distinct.iter().copied().chain(others).collect();
        let mut found = Vec::new();
        set.look_up(&all, &mut found);
        for (kmer, is_there) in all.iter().zip(found) {
            assert_eq!(is_there, distinct.contains(kmer));
        }
    }
}
