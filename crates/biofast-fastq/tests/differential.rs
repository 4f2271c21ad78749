//! Every way of reading gives what the obvious reference reader gives: the same records, and a
//! fault exactly where it has one.
#![allow(clippy::unwrap_used)]

use biofast_fastq::{Batch, Error, Reader, par_fold};
use biofast_io::{IoMode, Options, Source};
use biofast_testkit::container::{KINDS, Kind, wrap};
use biofast_testkit::generate;
use biofast_testkit::reference::{self, Record};
use proptest::prelude::*;

fn owned(record: biofast_fastq::Record<'_>) -> Record {
    Record {
        definition: record.definition().to_vec(),
        sequence: record.sequence().to_vec(),
        qualities: record.qualities().to_vec(),
    }
}

fn options(threads: usize, chunk_size: usize) -> Options {
    Options { threads, chunk_size, io: IoMode::Read, ..Options::default() }
}

fn in_parallel(source: Source, options: &Options) -> (Vec<Record>, Option<String>) {
    let accept = |all: &mut Vec<(u64, Record)>, batch: Batch<'_>| {
        all.extend((batch.first_record()..).zip(batch.iter().map(owned)));
    };
    let result = par_fold(source, options, Vec::new, accept, |a, b| a.extend(b));
    let (mut numbered, error) = match result {
        Ok(all) => (all, None),
        Err(fault) => (fault.so_far, Some(fault.error.to_string())),
    };
    numbered.sort_by_key(|(number, _)| *number);
    let numbers: Vec<u64> = numbered.iter().map(|(n, _)| *n).collect();
    assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
    (numbered.into_iter().map(|(_, record)| record).collect(), error)
}

fn one_by_one(source: Source, options: &Options) -> (Vec<Record>, Option<Error>) {
    let mut reader = Reader::new(source, options).unwrap();
    let mut records = Vec::new();
    loop {
        match reader.next_record() {
            Ok(Some(record)) => records.push(owned(record)),
            Ok(None) => return (records, None),
            Err(error) => {
                assert!(matches!(reader.next_record(), Ok(None)), "a reader ends at its fault");
                return (records, Some(error));
            }
        }
    }
}

fn check_all_ways(text: &[u8]) -> Result<(), TestCaseError> {
    let (expected, faulty) = reference::read(text);
    let mut messages = Vec::new();
    for kind in KINDS {
        let bytes = wrap(kind, text);
        for (threads, chunk_size) in [(1, 1), (2, 7), (3, 64), (8, 1024), (2, 1 << 19)] {
            let source = Source::from_reader("x", std::io::Cursor::new(bytes.clone()));
            let (found, error) = in_parallel(source, &options(threads, chunk_size));
            prop_assert_eq!(&found, &expected, "{:?} {} {}", kind, threads, chunk_size);
            prop_assert_eq!(error.is_some(), faulty, "{:?} {:?}", kind, error);
            messages.push(error);
        }
        let source = Source::from_reader("x", std::io::Cursor::new(bytes));
        let (found, error) = one_by_one(source, &options(2, 33));
        prop_assert_eq!(&found, &expected, "{:?}", kind);
        prop_assert_eq!(error.is_some(), faulty);
    }
    messages.dedup();
    prop_assert_eq!(messages.len(), 1, "the message depends on the way: {:?}", messages);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(target_arch = "x86_64") { 96 } else { 12 }))]

    #[test]
    fn good_texts_are_read_alike_in_every_container_on_any_threads(text in generate::good()) {
        let (_, faulty) = reference::read(&text);
        prop_assert!(!faulty, "the generator made a faulty text");
        check_all_ways(&text)?;
    }

    #[test]
    fn broken_texts_give_the_records_before_the_fault_and_one_message(
        text in generate::broken()
    ) {
        check_all_ways(&text)?;
    }
}

#[test]
fn a_small_text_can_be_split_at_every_byte() {
    let text =
        b"@a x\r\nACGT\r\n+\r\n@@++\r\n@b\r\n\r\n+b\r\n\r\n@c\r\nAC\r\nGT\r\n+\r\n+I\r\n@I\r\n\r\n";
    let (expected, faulty) = reference::read(text);
    assert_eq!((expected.len(), faulty), (3, false));
    for chunk_size in 1..=text.len() {
        for kind in [Kind::Plain, Kind::Bgzf(chunk_size), Kind::GzipMembers(chunk_size)] {
            let source = Source::from_reader("x", std::io::Cursor::new(wrap(kind, text)));
            let (found, error) = in_parallel(source, &options(3, chunk_size));
            assert_eq!((found, error), (expected.clone(), None), "{kind:?}");
        }
    }
}

#[test]
fn a_read_of_four_million_bases_passes_through_small_chunks() {
    let len = 4_000_000;
    let mut text = b"@long\n".to_vec();
    text.extend(b"ACGT".iter().cycle().take(len));
    text.extend(b"\n+\n");
    text.extend(std::iter::repeat_n(b'I', len));
    text.extend(b"\n@short\nA\n+\nI\n");
    for kind in [Kind::Plain, Kind::Bgzf(65_280), Kind::Gzip] {
        let source = Source::from_reader("x", std::io::Cursor::new(wrap(kind, &text)));
        let (found, error) = in_parallel(source, &options(2, 1 << 16));
        assert_eq!(error, None);
        assert_eq!(found.iter().map(|r| r.sequence.len()).collect::<Vec<_>>(), [len, 1]);
    }
}

/// The message of the first fault in `text`.
fn message(text: &[u8]) -> String {
    let source = Source::from_reader("x.fq", std::io::Cursor::new(text.to_vec()));
    in_parallel(source, &options(1, 1 << 19)).1.unwrap()
}

#[test]
fn messages_name_record_line_expected_and_found() {
    let good = "@a\nAC\n+\nII\n";
    let cases = [
        (
            "@b\nACG\n+\nII\n@c\nA\n+\nI\n",
            "record 2, line 8: read 'b': expected 3 quality characters for 3 bases, found 2",
        ),
        ("b\nAC\n+\nII\n", "record 2, line 5: expected a header line starting with '@', found 'b'"),
        (
            "@b\nAC\nII\n@c\nA\n+\nI\n",
            "record 2, line 7: expected a separator line starting with '+', found 'II'",
        ),
        (
            "@b\nAC\n+c\nII\n",
            "record 2, line 7: the text after '+' must be empty or repeat the header: expected 'b', found 'c'",
        ),
        (
            "@b\nA C\n+\nIII\n",
            "record 2, line 6: expected a base (a letter, '-', '.' or '*'), found a space in column 2",
        ),
        (
            "@b\nACG\n+\nI\x7fI\n",
            "record 2, line 8: expected a quality character ('!' to '~'), found byte 0x7f in column 2",
        ),
        (
            "@b\nACG\n+\nII",
            "record 2, line 8: truncated: the input ends inside this record, expected a quality line as long as the sequence",
        ),
        (
            ">b\nACG\n",
            "record 2, line 5: this is FASTA, not FASTQ; biofast needs reads with qualities",
        ),
    ];
    for (tail, expected) in cases {
        let found = message(format!("{good}{tail}").as_bytes());
        assert_eq!(found, format!("x.fq: {expected}"), "{tail:?}");
    }
}
