//! Names found through an index against a plain search.

use std::path::Path;

use biofast_io::Options;
use biofast_io::output::{Compression, Output, commit};
use biofast_testkit::bam;
use biofast_testkit::container::bgzf;
use biofast_testkit::effort::times;
use proptest::prelude::*;

use super::*;
use crate::change::dedup::SpillLimits;
use crate::measure::shards::ShardInput;

fn index(path: &Path, memory: usize, threads: usize) -> Vec<u8> {
    let index = path.with_extension(EXTENSION);
    let mut out = Output::create_with(&index, Compression::default()).expect("an output");
    let folder = path.parent().expect("a folder").to_owned();
    let options = Options { threads, chunk_size: 300, ..Options::default() };
    build(&ShardInput::new(path), &options, &SpillLimits { memory, folder }, &mut out)
        .expect("an index");
    commit(vec![out], false).expect("a file");
    std::fs::read(index).expect("an index")
}

/// The records that have this name.
fn named(names: &mut NameLookup, name: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for place in names.places(name).expect("places") {
        let mut record = Vec::new();
        names.record(place, &mut record).expect("a record");
        if names.check_name(&record, name).expect("a fresh index") {
            found.push(record);
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: times(32), ..ProptestConfig::default() })]
    /// Every record comes out by its name and by its number, those of the same name together and in their order; other names have none.
    #[test]
    fn all_of_a_name_and_no_other(
        names in prop::collection::vec((0u32..400, 0usize..60), 0..700),
        block in prop::option::of(1usize..600),
        is_bam in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x");
        let record = |&(name, len): &(u32, usize)| match is_bam {
            true => bam::record(&bam::BamRecord {
                references: [-1, -1],
                mapq: 0,
                flags: 4,
                name: format!("n{name}"),
                len,
            }),
            false => format!("@n{name} d\n{}\n+\n{}\n", "A".repeat(len), "I".repeat(len)).into_bytes(),
        };
        let records: Vec<Vec<u8>> = names.iter().map(record).collect();
        let data = records.concat();
        let bytes = match (is_bam, block) {
            (true, block) => bgzf(&[bam::header(&[("c", 9)]), data].concat(), block.unwrap_or(500)),
            (false, Some(block)) => bgzf(&data, block),
            (false, None) => data,
        };
        std::fs::write(&path, bytes).expect("a file");
        let made = index(&path, 1 << 20, 3);
        let mut index = NameLookup::open(&path, &path.with_extension(EXTENSION)).expect("an index");
        prop_assert_eq!(index.records(), records.len() as u64);
        for wanted in 0..400 {
            let all = names.iter().zip(&records).filter(|((name, _), _)| *name == wanted);
            let expected: Vec<Vec<u8>> = all.map(|(_, record)| record.clone()).collect();
            prop_assert_eq!(named(&mut index, format!("n{wanted}").as_bytes()), expected);
        }
        prop_assert!(named(&mut index, b"n400").is_empty() && named(&mut index, b"").is_empty());
        for number in [1, 2, 256, 257, 258, 512, 513, records.len()] {
            let place = index.place_of(number as u64);
            let Some(expected) = number.checked_sub(1).and_then(|index| records.get(index)) else {
                prop_assert!(place.is_err());
                continue;
            };
            let mut record = Vec::new();
            index.record(place.expect("a place"), &mut record).expect("a record");
            prop_assert_eq!(&record, expected);
        }
        prop_assert_eq!(made.len(), std::fs::read(path.with_extension(EXTENSION)).expect("bytes").len());
    }
}

#[test]
fn the_index_is_the_same_in_little_memory_and_on_any_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.fq");
    let text: String =
        (0..9000).map(|n| format!("@read{}\nACGT\n+\nIIII\n", n * 7919 % 5000)).collect();
    std::fs::write(&path, text).expect("a file");
    let one = index(&path, 1 << 30, 1);
    // Runs of 1,024 entries.
    for (memory, threads) in [(1, 1), (40_000, 3)] {
        assert!(index(&path, memory, threads) == one, "{memory}");
    }
}

#[test]
fn every_flipped_bit_is_an_error_or_makes_no_difference() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.fq");
    let text: String = (0..1200).map(|n| format!("@read{}\nACGT\n+\nIIII\n", n % 600)).collect();
    std::fs::write(&path, &text).expect("a file");
    let good = index(&path, 1 << 20, 1);
    let at = path.with_extension(EXTENSION);
    let found = || -> Result<(usize, u64), Error> {
        let mut names = NameLookup::open(&path, &at)?;
        Ok((names.places(b"read7")?.len(), names.place_of(301)?))
    };
    let expected = found().expect("an index");
    assert_eq!(expected.0, 2);
    let (mut errors, mut same) = (0, 0);
    for bit in (0..8 * good.len()).step_by(13) {
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&at, &bad).expect("an index");
        match found() {
            Err(error) => {
                errors += 1;
                let text = error.to_string();
                assert!(text.contains("damaged") || text.contains("version"), "{text}");
            }
            Ok(other) => {
                same += 1;
                assert_eq!(other, expected, "bit {bit}");
            }
        }
    }
    // All pages are looked at but those of other names.
    assert!(errors > 8 * 4096 / 13 && same > 0, "{errors}, {same}");
}

#[test]
fn another_file_and_a_damaged_index_are_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.fq");
    let text: String = (0..500).map(|n| format!("@read{n}\nACGT\n+\nIIII\n")).collect();
    std::fs::write(&path, &text).expect("a file");
    let good = index(&path, 1 << 20, 1);
    let at = path.with_extension(EXTENSION);
    let opened = |bytes: &[u8]| {
        std::fs::write(&at, bytes).expect("an index");
        NameLookup::open(&path, &at).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(opened(&good), Ok(()));
    for cut in [0, 63, 64, good.len() - 1] {
        assert!(
            opened(&good[..cut]).is_err_and(|error| error.contains("not a name index")),
            "{cut}"
        );
    }
    for byte in [0, 9, 20, 33, 41, 57] {
        let mut bad = good.clone();
        bad[byte] ^= 1;
        assert!(opened(&bad).is_err(), "{byte}");
    }
    // Version 1, which had no checksums.
    let mut old = good.clone();
    old[7] = 1;
    let check = fingerprint(&old[..56]);
    old[56..64].copy_from_slice(&check.to_le_bytes());
    assert!(opened(&old).is_err_and(|error| error.contains("unsupported version")));
    std::fs::write(&at, &good).expect("an index");
    for changed in [text.replacen("ACGT", "ACGA", 1), text[..text.len() - 19].to_owned()] {
        std::fs::write(&path, changed).expect("a file");
        let error = NameLookup::open(&path, &at).map(|_| ()).expect_err("stale").to_string();
        assert!(error.contains("the name index is stale"), "{error}");
    }
}
