//! Every way of reading BAM gives what the obvious reference reader gives: the same records, and a fault exactly where
//! it has one, with one message.

use biofast_bam::{Batch, Detail, Fold, Input, InputOptions};
use biofast_io::{IoMode, Options, Source};
use biofast_testkit::bam::{self, Aligned, BamRecord};
use biofast_testkit::container::{KINDS, Kind, wrap};
use proptest::prelude::*;

const REFERENCES: [(&str, u32); 2] = [("c1", 1000), ("c2", 70_000)];

fn options(threads: usize, chunk_size: usize) -> Options {
    Options { threads, chunk_size, io: IoMode::Read, ..Options::serial() }
}

/// The records and the message of the first fault.
fn found(bytes: &[u8], options: &Options) -> (Vec<Vec<u8>>, Option<String>) {
    let source = Source::from_reader("x", std::io::Cursor::new(bytes.to_vec()));
    let opening = InputOptions { io: options, reference: None, detail: Detail::Full };
    let input = Input::open(source, &opening).unwrap();
    let accept = |all: &mut Vec<(u64, Vec<u8>)>, batch: Batch<'_>| {
        let records = batch.iter().map(|record| record.as_bytes().to_vec());
        all.extend((batch.first_record()..).zip(records));
    };
    let (mut all, error) =
        match Fold::new(input.source).options(options).run(Vec::new, accept, |a, b| a.extend(b)) {
            Ok((_, all)) => (all, None),
            Err(fault) => (fault.so_far, Some(fault.error.to_string())),
        };
    all.sort();
    let numbers: Vec<u64> = all.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
    (all.into_iter().map(|(_, record)| record).collect(), error)
}

/// Where a message says the place in compressed bytes, that depends on the container.
fn without_block(message: Option<String>) -> Option<String> {
    message.map(|text| {
        let keep = |part: &&str| !part.starts_with("compressed byte");
        text.split(", ").filter(keep).collect::<Vec<_>>().join(", ")
    })
}

fn check_all_ways(records: &[u8]) -> Result<(), TestCaseError> {
    let (expected, faulty) = bam::read(records, REFERENCES.len() as i32);
    let whole = [bam::header(&REFERENCES), records.to_vec()].concat();
    let mut messages = Vec::new();
    for kind in KINDS {
        let bytes = wrap(kind, &whole);
        for (threads, chunk_size) in [(1, 1), (2, 37), (3, 100), (5, 1024), (8, 1 << 19)] {
            let (records, error) = found(&bytes, &options(threads, chunk_size));
            prop_assert_eq!(&records, &expected, "{:?} {} {}", kind, threads, chunk_size);
            prop_assert_eq!(error.is_some(), faulty, "{:?} {:?}", kind, error);
            messages.push(without_block(error));
        }
    }
    messages.dedup();
    prop_assert_eq!(messages.len(), 1, "the message depends on the way: {:?}", messages);
    Ok(())
}

fn record() -> impl Strategy<Value = Vec<u8>> {
    let plain = ("[!-?A-~]{1,20}", 0u16..4096, -1i32..2, -1i32..2, 0usize..70).prop_map(
        |(name, flags, reference, mate, len)| {
            bam::record(&BamRecord { references: [reference, mate], mapq: 7, flags, name, len })
        },
    );
    let tags =
        prop::sample::select(vec![&b""[..], b"NMC\x03", b"XZZabc\0", b"XBBs\x01\0\0\0\x05\0"]);
    let aligned = (0i32..2, 0i32..900, 1usize..40, 0usize..4, tags).prop_map(
        |(reference, position, len, operations, tags)| {
            // M, D, N and P: together as long as the read.
            let cigar = [0, 2, 3, 6].iter().take(operations);
            let cigar = cigar.map(|op| (len as u32) << 4 | op).collect();
            bam::aligned(&Aligned {
                reference,
                position,
                flags: 0,
                cigar,
                len,
                tags: tags.to_vec(),
            })
        },
    );
    prop_oneof![plain, aligned]
}

fn good() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(record(), 0..8).prop_map(|records| records.concat())
}

/// Good records with one accident: a byte changed, lost, doubled, the end missing, or bytes too many.
fn broken() -> impl Strategy<Value = Vec<u8>> {
    (good(), any::<prop::sample::Index>(), any::<u8>(), 0..5u8).prop_map(
        |(mut bytes, at, byte, accident)| {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                match accident {
                    0 => bytes[at] = byte,
                    1 => drop(bytes.remove(at)),
                    2 => bytes.insert(at, bytes[at]),
                    3 => bytes.truncate(at),
                    _ => bytes.extend([byte; 3]),
                }
            }
            bytes
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(target_arch = "x86_64") { 48 } else { 8 }))]

    #[test]
    fn good_records_are_read_alike_in_every_container_on_any_threads(records in good()) {
        prop_assert!(!bam::read(&records, 2).1, "the generator made a fault");
        check_all_ways(&records)?;
    }

    #[test]
    fn broken_records_give_those_before_the_fault_and_one_message(records in broken()) {
        check_all_ways(&records)?;
    }
}

#[test]
fn a_small_file_can_be_split_at_every_byte() {
    let records: Vec<u8> = bam::records(3, 2).iter().flat_map(bam::record).collect();
    let whole = [bam::header(&REFERENCES), records.clone()].concat();
    let (expected, _) = bam::read(&records, 2);
    assert_eq!(expected.len(), 3);
    for size in 1..=whole.len() {
        for kind in [Kind::Plain, Kind::Bgzf(size), Kind::GzipMembers(size)] {
            let found = found(&wrap(kind, &whole), &options(3, size));
            assert_eq!(found, (expected.clone(), None), "{kind:?}");
        }
    }
    // And cut at every byte it is an error, with the whole records before.
    for cut in 5..whole.len() {
        let (records, error) = found(&whole[..cut], &options(2, 50));
        let behind = cut.saturating_sub(whole.len() - records_len(&expected));
        let complete = whole_records(&expected, behind);
        let at_boundary = behind == records_len(&expected[..complete])
            && cut >= whole.len() - records_len(&expected);
        assert_eq!(
            (records.len(), error.is_some()),
            (complete, !at_boundary),
            "cut at {cut}: {error:?}"
        );
    }
}

fn records_len(records: &[Vec<u8>]) -> usize {
    records.iter().map(|record| 4 + record.len()).sum()
}

/// How many whole records are in the first so many bytes of them.
fn whole_records(records: &[Vec<u8>], bytes: usize) -> usize {
    (0..=records.len()).rev().find(|&n| records_len(&records[..n]) <= bytes).unwrap_or(0)
}
