//! Queries by index find what a scan of the whole file finds; a damaged or stale index never
//! makes them find something else unnoticed.

use std::path::{Path, PathBuf};

use biofast_bam::index::{self, BuildOptions, Index, IndexFormat};
use biofast_bam::query::Note;
use biofast_bam::{Detail, Fold, InputOptions, Interval, Query, Record, Regions, Selection};
use biofast_io::{Options, Source};
use biofast_testkit::bam::{Aligned, aligned, header};
use biofast_testkit::container::bgzf;
use biofast_testkit::effort::{one_in, times};
use proptest::prelude::*;

const REFERENCES: [(&str, u32); 3] = [("chr1", 300_000), ("empty", 1000), ("chr2", 70_000)];

/// The data of a BAM file with these records, sorted by coordinate.
fn data(mut records: Vec<Aligned>) -> Vec<u8> {
    records.sort_by_key(|r| (r.reference as u32, if r.reference < 0 { 0 } else { r.position }));
    let mut out = header(&REFERENCES);
    for (number, record) in records.iter().enumerate() {
        // A number of its own tells each record from the others.
        let mut tags = b"NMi".to_vec();
        tags.extend((number as u32).to_le_bytes());
        out.extend(aligned(&Aligned { tags, ..record.clone() }));
    }
    out
}

fn number(record: &Record<'_>) -> u32 {
    let bytes = record.as_bytes();
    u32::from_le_bytes(bytes[bytes.len() - 4..].try_into().unwrap())
}

fn record() -> impl Strategy<Value = Aligned> {
    let place = prop_oneof![
        6 => (Just(0i32), -1i32..300_000),
        // Crowded: many records in one block and bin.
        6 => (Just(0i32), 16_300i32..16_500),
        3 => (Just(2i32), 0i32..70_000),
        1 => Just((-1i32, -1i32)),
    ];
    let op =
        prop_oneof![(Just(0u32), 0u32..200), (Just(3u32), 0u32..60_000), (Just(4u32), 0u32..9)];
    let flags = prop_oneof![4 => Just(0u16), 1 => Just(4u16)];
    let len = prop_oneof![3 => 0usize..20, 1 => 20usize..4000];
    (place, prop::collection::vec(op, 0..3), flags, len).prop_map(
        |(place, mut cigar, flags, len)| {
            // As long as the read: the rest is clipped, or the read longer.
            let read: u32 = cigar.iter().filter(|(op, _)| *op != 3).map(|(_, len)| len).sum();
            let len = len.max(read as usize);
            if !cigar.is_empty() {
                cigar.push((4, len as u32 - read));
            }
            Aligned {
                reference: place.0,
                position: place.1,
                flags: if place.0 < 0 { 4 } else { flags },
                cigar: cigar.into_iter().map(|(op, len)| len << 4 | op).collect(),
                len,
                tags: Vec::new(),
            }
        },
    )
}

/// Regions as text.
fn region() -> impl Strategy<Value = String> {
    let wide = (0usize..3, 1u32..300_000, 0u32..40_000);
    let narrow = (Just(0usize), 16_200u32..16_600, 0u32..20);
    prop_oneof![
        1 => Just("*".to_string()),
        1 => (0usize..3).prop_map(|r| REFERENCES[r].0.to_string()),
        6 => prop_oneof![wide, narrow]
            .prop_map(|(r, start, len)| format!("{}:{start}-{}", REFERENCES[r].0, start + len)),
    ]
}

fn selection(regions: &[String]) -> Selection {
    let mut selection = Selection::new();
    for region in regions {
        selection.add(region);
    }
    selection
}

/// The numbers of the records of a query, sorted; each once.
fn numbers(query: Query, options: &Options) -> Result<Vec<u32>, biofast_bam::Error> {
    let (_, mut found) = Fold::new(query)
        .options(options)
        .run(
            Vec::new,
            |found, batch| found.extend(batch.iter().map(|r| number(&r))),
            |found: &mut Vec<u32>, other| found.extend(other),
        )
        .map_err(|fault| fault.error)?;
    found.sort_unstable();
    Ok(found)
}

fn open(path: &Path, selection: &Selection) -> Result<Query, biofast_bam::Error> {
    let options =
        InputOptions { io: &Options::default(), reference: None, detail: Detail::Alignment };
    Query::open(path, selection, &options)
}

fn write_index(path: &Path, what: BuildOptions) -> PathBuf {
    let options = Options { strict: true, ..Options::default() };
    let built = index::build(Source::open(path).unwrap(), what, &options).unwrap();
    let out = path.with_extension(built.format.extension());
    std::fs::write(&out, built.bytes).unwrap();
    out
}

fn formats() -> impl Strategy<Value = BuildOptions> {
    prop_oneof![
        Just(BuildOptions { format: Some(IndexFormat::Bai), min_shift: None }),
        (9u8..18).prop_map(|n| BuildOptions { format: Some(IndexFormat::Csi), min_shift: Some(n) }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: times(40), ..ProptestConfig::default() })]

    #[test]
    fn an_index_finds_what_a_scan_finds(
        records in prop::collection::vec(record(), 0..300),
        block in prop_oneof![50usize..3000, Just(65_000usize)],
        queries in prop::collection::vec(prop::collection::vec(region(), 1..5), 1..5),
        what in formats(),
        threads in 1usize..4,
        chunk_size in prop_oneof![1usize..20_000, Just(1usize << 20)],
    ) {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x.bam");
        let data = data(records);
        std::fs::write(&path, bgzf(&data, block))?;
        let options = Options { threads, chunk_size, strict: true, ..Options::default() };
        let index = Index::open(write_index(&path, what)).unwrap();
        let in_memory = std::fs::read(&path)?;
        let (header, all) = Fold::new(Source::open(&path).unwrap()).options(&options).run(
            Vec::new,
            |all, batch| all.extend(batch.iter().map(|r| (number(&r), r.as_bytes().to_vec()))),
            |all: &mut Vec<(u32, Vec<u8>)>, other| all.extend(other),
        ).map_err(|fault| fault.error).unwrap();
        for query in &queries {
            let selection = selection(query);
            let regions: Regions = selection.resolve(&header).unwrap();
            // The definition: each record's bytes, read by another implementation.
            let mut expected: Vec<u32> = all
                .iter()
                .filter(|(_, bytes)| overlaps(bytes, &regions))
                .map(|(number, _)| *number)
                .collect();
            expected.sort_unstable();
            let indexed = open(&path, &selection).unwrap();
            let is_behind = |note: &Note| matches!(note, Note::BehindEnd { .. });
            prop_assert!(indexed.notes().iter().all(is_behind), "{:?}", indexed.notes());
            prop_assert_eq!(&numbers(indexed, &options).unwrap(), &expected);
            let seekable = std::io::Cursor::new(in_memory.clone());
            let seekable = Query::seekable("x", seekable, &index, &selection).unwrap();
            prop_assert_eq!(&numbers(seekable, &options).unwrap(), &expected);
            let scanned = Query::scan(Source::open(&path).unwrap(), &selection);
            prop_assert_eq!(&numbers(scanned, &options).unwrap(), &expected);
            let mut ordered = Vec::new();
            Fold::new(open(&path, &selection).unwrap()).options(&options).ordered(
                || (),
                |(), batch, found: &mut Vec<u32>| found.extend(batch.iter().map(|r| number(&r))),
                |(), ()| {},
                |found| ordered.append(found),
            ).map_err(|fault| fault.error).unwrap();
            // Numbered in the order of the file.
            prop_assert_eq!(&ordered, &expected);
        }
    }

    #[test]
    fn threads_and_chunks_do_not_change_an_index(
        records in prop::collection::vec(record(), 0..300),
        block in 50usize..3000,
        what in formats(),
        threads in 2usize..4,
        chunk_size in 1usize..20_000,
    ) {
        let file = bgzf(&data(records), block);
        let build = |threads, chunk_size| {
            let options = Options { threads, chunk_size, strict: true, ..Options::default() };
            let source = Source::from_reader("x", std::io::Cursor::new(file.clone()));
            index::build(source, what, &options).unwrap().bytes
        };
        prop_assert_eq!(build(1, 1 << 20), build(threads, chunk_size));
    }
}

/// Whether a record's bytes lie in a region, by what noodles reads of them.
fn overlaps(bytes: &[u8], regions: &Regions) -> bool {
    let mut file = (bytes.len() as u32).to_le_bytes().to_vec();
    file.extend(bytes);
    let mut reader = noodles_bam::io::Reader::from(&file[..]);
    let mut record = noodles_bam::Record::default();
    reader.read_record(&mut record).unwrap();
    let Some(reference) = record.reference_sequence_id() else { return regions.has_unplaced() };
    let start = i64::from(i32::from_le_bytes(bytes[4..8].try_into().unwrap()));
    let mut len = 0;
    if !record.flags().is_unmapped() {
        for op in record.cigar().iter().map(Result::unwrap) {
            len += if op.kind().consumes_reference() { op.len() as i64 } else { 0 };
        }
    }
    let end = start + len.max(1);
    let on = regions.on(reference.unwrap());
    on.iter().any(|interval: &Interval| interval.start < end && start < interval.end)
}

/// A file of 2,000 records with an index, and the numbers of some query.
fn sample(folder: &Path, format: IndexFormat) -> (PathBuf, PathBuf, Selection, Vec<u32>) {
    let records: Vec<Aligned> = (0..2000)
        .map(|n| Aligned {
            reference: if n < 1500 { 0 } else { 2 },
            position: if n < 1500 { n * 199 } else { (n - 1500) * 139 },
            cigar: vec![100 << 4],
            len: 100,
            ..Aligned::default()
        })
        .collect();
    let path = folder.join("x.bam");
    std::fs::write(&path, bgzf(&data(records), 2000)).unwrap();
    let index = write_index(&path, BuildOptions { format: Some(format), min_shift: None });
    let selection = selection(&["chr1:100,000-130,000".into(), "chr2:5-40000".into()]);
    let found = numbers(open(&path, &selection).unwrap(), &Options::default()).unwrap();
    assert!(found.len() > 100);
    (path, index, selection, found)
}

/// The numbers of a query, and whether its index isn't used.
fn answer(path: &Path, selection: &Selection) -> Result<(Vec<u32>, bool), biofast_bam::Error> {
    let query = open(path, selection)?;
    let is_unused = query.notes().iter().any(|note| matches!(note, Note::UnusedIndex { .. }));
    Ok((numbers(query, &Options::default())?, is_unused))
}

#[test]
fn instead_of_a_cut_index_the_file_is_read() {
    for format in [IndexFormat::Bai, IndexFormat::Csi] {
        let folder = tempfile::tempdir().unwrap();
        let (path, index, selection, expected) = sample(folder.path(), format);
        let whole = std::fs::read(&index).unwrap();
        let options =
            InputOptions { io: &Options::default(), reference: None, detail: Detail::Full };
        for len in 0..whole.len() {
            std::fs::write(&index, &whole[..len]).unwrap();
            let (found, is_unused) = answer(&path, &selection).unwrap();
            assert_eq!(found, expected, "{format:?} cut after {len} of {} bytes", whole.len());
            // The last field of BAI, the number of unplaced records, is optional.
            let is_good = format == IndexFormat::Bai && len == whole.len() - 8;
            assert_eq!(is_unused, !is_good, "{format:?} cut after {len}");
            // One that is named is meant.
            let named = Query::open_with_index(&path, &selection, &options, &index);
            assert_eq!(named.is_ok(), is_good, "{format:?} cut after {len}");
        }
    }
}

#[test]
fn what_claims_to_be_an_index_takes_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (path, index, selection, expected) = sample(folder.path(), IndexFormat::Bai);
    // Two terabytes of zeros, of which nothing is on the disk; and a BAI of so many references without end.
    let counts = [b"BAI\x01".as_slice(), &i32::MAX.to_le_bytes()].concat();
    for (start, said) in [(&[][..], "neither BAI nor CSI"), (&counts, "larger than 1 GiB")] {
        std::fs::write(&index, start).unwrap();
        if said.starts_with("neither") {
            std::fs::File::options().write(true).open(&index).unwrap().set_len(1 << 41).unwrap();
        } else {
            let file = std::fs::File::options().write(true).open(&index).unwrap();
            file.set_len(index::MAX_INDEX + 1).unwrap();
        }
        let query = open(&path, &selection).unwrap();
        let notes: Vec<String> = query.notes().iter().map(|note| note.to_string()).collect();
        assert!(notes.len() == 1 && notes[0].contains(said), "{notes:?}");
        assert_eq!(numbers(query, &Options::default()).unwrap(), expected);
    }
}

#[test]
fn no_flipped_bit_of_an_index_hides_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let (path, index, selection, expected) = sample(folder.path(), IndexFormat::Bai);
    let whole = std::fs::read(&index).unwrap();
    let (mut unused, mut used, mut errors) = (0, 0, 0);
    for at in (0..8 * whole.len()).step_by(one_in(7)) {
        let mut bytes = whole.clone();
        bytes[at / 8] ^= 1 << (at % 8);
        std::fs::write(&index, &bytes).unwrap();
        match answer(&path, &selection) {
            Err(_) => errors += 1,
            Ok((found, is_unused)) => {
                assert!(found == expected, "bit {} of byte {}", at % 8, at / 8);
                if is_unused { unused += 1 } else { used += 1 }
            }
        }
    }
    assert!(unused > used && errors < used / 10, "{unused}, {used}, {errors}");
}

#[test]
fn a_mutated_index_never_panics_and_finds_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let (path, index, selection, expected) = sample(folder.path(), IndexFormat::Bai);
    let whole = std::fs::read(&index).unwrap();
    let (mut unused, mut used) = (0, 0);
    let mut state = 1u64;
    let rounds = times(500);
    for round in 0..rounds {
        let mut bytes = whole.clone();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let at = (state >> 33) as usize % bytes.len();
        match round % 4 {
            0 => bytes[at] = (state >> 20) as u8,
            1 => bytes[at] = 0xff,
            2 => bytes[at] = bytes[at].wrapping_add(1),
            _ => bytes[at..(at + 4).min(whole.len())].fill((state >> 10) as u8),
        }
        std::fs::write(&index, &bytes).unwrap();
        match answer(&path, &selection) {
            Err(_) => {}
            Ok((found, is_unused)) => {
                assert!(
                    found == expected,
                    "round {round}: byte {at} from {} to {}",
                    whole[at],
                    bytes[at]
                );
                if is_unused { unused += 1 } else { used += 1 }
            }
        }
    }
    assert!(unused > rounds / 8 && used > rounds / 8, "{unused} unused, {used} used");
}

#[test]
fn the_index_of_another_file_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _, selection, _) = sample(folder.path(), IndexFormat::Bai);
    let other = |records: i32, step: i32, len: usize| -> Vec<Aligned> {
        (0..records)
            .map(|n| Aligned {
                reference: 0,
                position: n * step,
                cigar: vec![100 << 4],
                len: len.max(100),
                ..Aligned::default()
            })
            .map(|record| match len {
                100 => record,
                // Another read length.
                _ => Aligned { cigar: vec![(len as u32) << 4], len, ..record },
            })
            .collect()
    };
    for (what, bytes) in [
        ("other records", bgzf(&data(other(2000, 140, 90)), 2000)),
        ("other blocks", bgzf(&data(other(2000, 140, 100)), 1900)),
        ("fewer records", bgzf(&data(other(500, 140, 100)), 2000)),
        ("no records", bgzf(&data(Vec::new()), 2000)),
        ("another header", bgzf(&header(&[("chr1", 300_000), ("chr2", 50_000)]), 2000)),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let (found, is_unused) = answer(&path, &selection).unwrap();
        assert!(is_unused, "{what}");
        let scanned = Query::scan(Source::open(&path).unwrap(), &selection);
        assert_eq!(found, numbers(scanned, &Options::default()).unwrap(), "{what}");
    }
}

#[test]
fn an_index_that_lists_nothing_hides_no_records() {
    let folder = tempfile::tempdir().unwrap();
    let (path, index, selection, expected) = sample(folder.path(), IndexFormat::Bai);
    // As many references as the file has, and none with records; also with counts of none.
    let bare = [b"BAI\x01".as_slice(), &3u32.to_le_bytes(), &[0; 3 * 8]].concat();
    for end in [&[][..], &[0; 8], &2000u64.to_le_bytes()] {
        std::fs::write(&index, [&bare, end].concat()).unwrap();
        assert_eq!(answer(&path, &selection).unwrap(), (expected.clone(), true));
    }
}

/// As old programs wrote it: one bin, no linear index, no counts, and no unplaced records where there are some.
#[test]
fn an_index_without_its_counts_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.bam");
    let placed =
        |n: i32| Aligned { position: 10 * n, cigar: vec![50 << 4], len: 50, ..Aligned::default() };
    let unplaced = Aligned { reference: -1, position: -1, flags: 4, len: 50, ..Aligned::default() };
    let mut records: Vec<Aligned> = (0..300).map(placed).collect();
    records.extend(std::iter::repeat_n(unplaced, 200));
    std::fs::write(&path, bgzf(&data(records), 2000)).unwrap();
    let index =
        write_index(&path, BuildOptions { format: Some(IndexFormat::Bai), min_shift: None });
    let full = Index::open(&index).unwrap();
    assert_eq!(full.unplaced(), Some(200));
    let span = full.metadata(0).unwrap().segment;
    let number = |n: u32| n.to_le_bytes();
    let mut bytes =
        [b"BAI\x01".as_slice(), &number(3), &number(1), &number(4681), &number(1)].concat();
    bytes.extend(u64::from(span.start).to_le_bytes());
    bytes.extend(u64::from(span.end).to_le_bytes());
    bytes.extend([0; 4 + 2 * 8]);
    for end in [&[][..], &[0; 8]] {
        std::fs::write(&index, [&bytes, end].concat()).unwrap();
        for (region, count) in [("chr1:1-100", 10), ("chr1", 300), ("chr2", 0), ("*", 200)] {
            let (found, is_unused) = answer(&path, &selection(&[region.into()])).unwrap();
            assert_eq!((found.len(), is_unused), (count, false), "{region}");
        }
    }
}

#[test]
fn damage_is_located_in_the_file_not_in_what_was_spliced() {
    let folder = tempfile::tempdir().unwrap();
    let (path, ..) = sample(folder.path(), IndexFormat::Bai);
    let selection = selection(&["chr2:5-40000".into()]);
    let good = std::fs::read(&path).unwrap();
    let starts: Vec<usize> =
        (0..good.len()).filter(|&n| good[n..].starts_with(b"\x1f\x8b\x08\x04")).collect();
    let mut noticed = 0;
    for &start in &starts[1..starts.len() - 1] {
        let mut bytes = good.clone();
        bytes[start + 40] ^= 0x10;
        std::fs::write(&path, &bytes).unwrap();
        let strict = Options { strict: true, threads: 1, ..Options::default() };
        let query = match open(&path, &selection) {
            Ok(query) => query,
            Err(_) => continue,
        };
        if let Err(error) = numbers(query, &strict) {
            assert_eq!(error.at().block, Some(start as u64), "{error}");
            assert_eq!((error.at().record, error.at().offset), (None, None));
            noticed += 1;
        }
    }
    assert!(noticed > 5 && noticed < starts.len() / 2, "only blocks that are needed: {noticed}");
}

#[test]
fn a_missing_end_of_file_block_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _, selection, expected) = sample(folder.path(), IndexFormat::Bai);
    let good = std::fs::read(&path).unwrap();
    std::fs::write(&path, &good[..good.len() - 28]).unwrap();
    let found = numbers(open(&path, &selection).unwrap(), &Options::default());
    assert!(found.is_err_and(|e| e.to_string().contains("end-of-file block is missing")));
    let allowed = Options { allow_missing_eof: true, ..Options::default() };
    let found = numbers(open(&path, &selection).unwrap(), &allowed);
    assert_eq!(found.unwrap(), expected);
}

#[test]
fn unsorted_records_are_named() {
    let place = |reference, position| {
        aligned(&Aligned { reference, position, cigar: vec![5 << 4], len: 5, ..Aligned::default() })
    };
    for (places, record) in [
        (vec![(0, 5), (0, 5), (0, 4)], 3),
        (vec![(0, 5), (2, 1), (0, 9)], 3),
        (vec![(0, 5), (-1, -1), (-1, -1), (0, 6)], 4),
    ] {
        let mut data = header(&REFERENCES);
        places.iter().for_each(|&(r, p)| data.extend(place(r, p)));
        for chunk_size in [1, 1 << 20] {
            let source = Source::from_reader("x", std::io::Cursor::new(bgzf(&data, 30)));
            let options = Options { threads: 2, chunk_size, ..Options::default() };
            let error = index::build(source, BuildOptions::default(), &options).map(|_| ());
            let error = error.unwrap_err();
            assert_eq!(error.at().record, Some(record), "{error}");
            assert!(error.to_string().contains("not sorted by coordinate"), "{error}");
        }
    }
    // As in htslib, the references may come in any order.
    let mut data = header(&REFERENCES);
    [(2, 9), (0, 4), (1, 1)].iter().for_each(|&(r, p)| data.extend(place(r, p)));
    let source = Source::from_reader("x", std::io::Cursor::new(bgzf(&data, 30)));
    assert!(index::build(source, BuildOptions::default(), &Options::default()).is_ok());
}

#[test]
fn what_a_bai_cannot_hold_names_csi() {
    let long = [("long", 1u32 << 29)];
    let build = |data: &[u8], format| {
        let source = Source::from_reader("x", std::io::Cursor::new(bgzf(data, 1000)));
        let what = BuildOptions { format, min_shift: None };
        index::build(source, what, &Options::default())
    };
    let error = build(&header(&long), Some(IndexFormat::Bai)).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("'long' has 536870912 bases") && error.contains("use CSI"), "{error}");
    let built = build(&header(&long), None).map(|built| built.format);
    assert_eq!(built.unwrap(), IndexFormat::Csi);
    // The header says it is short, but a record lies behind.
    let mut data = header(&REFERENCES);
    let far = Aligned { position: i32::MAX - 9, cigar: vec![5 << 4], ..Aligned::default() };
    data.extend(aligned(&Aligned { position: 1, ..far.clone() }));
    data.extend(aligned(&far));
    let error = build(&data, None).map(|_| ()).unwrap_err();
    assert_eq!(error.at().record, Some(2), "{error}");
    assert!(error.to_string().contains("use CSI"), "{error}");
    // Not BGZF.
    let mut data = header(&REFERENCES);
    data.extend(aligned(&Aligned { position: 1, ..far }));
    let source = Source::from_reader("x", std::io::Cursor::new(data));
    let error = index::build(source, BuildOptions::default(), &Options::default()).map(|_| ());
    assert!(error.unwrap_err().to_string().contains("not BGZF"));
}

#[test]
fn thirty_thousand_references() {
    let names: Vec<String> = (0..30_000).map(|n| format!("contig_{n}")).collect();
    let references: Vec<(&str, u32)> = names.iter().map(|name| (&name[..], 5000)).collect();
    let mut data = header(&references);
    let mut number = 0u32;
    for reference in (0..30_000).step_by(3) {
        for position in [10, 2000] {
            let mut tags = b"NMi".to_vec();
            tags.extend(number.to_le_bytes());
            number += 1;
            let cigar = vec![50 << 4];
            data.extend(aligned(&Aligned {
                reference,
                position,
                cigar,
                tags,
                ..Aligned::default()
            }));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.bam");
    std::fs::write(&path, bgzf(&data, 60_000)).unwrap();
    let index = write_index(&path, BuildOptions::default());
    assert_eq!(Index::open(index).unwrap().reference_count(), 30_000);
    let selection = selection(&["contig_29997:2001-2001".into(), "contig_3".into()]);
    let query = open(&path, &selection).unwrap();
    assert!(query.stored_len().unwrap() < std::fs::metadata(&path).unwrap().len());
    assert_eq!(numbers(query, &Options::default()).unwrap(), [2, 3, 19_999]);
}
