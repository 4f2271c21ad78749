//! FASTA gives what a plain reader gives, however it is cut and wrapped.

use std::sync::Arc;

use biofast_fastq::fasta::{self, Sequences};
use biofast_fastq::{Fold, Inputs, Reader, Transform};
use biofast_io::output::{Compression, Output, commit};
use biofast_io::{IoMode, Notes, Options, Source};
use biofast_testkit::container::{KINDS, wrap};
use proptest::prelude::*;

type Plain = (Vec<u8>, Vec<u8>);

/// The definition: a line that starts with '>' begins a record, all others are its sequence.
fn plain(text: &[u8]) -> Vec<Plain> {
    let mut records: Vec<Plain> = Vec::new();
    for line in text.split(|&b| b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match (line, records.last_mut()) {
            ([b'>', definition @ ..], _) => records.push((definition.to_vec(), Vec::new())),
            (bases, Some((_, sequence))) => sequence.extend_from_slice(bases),
            (_, None) => assert!(line.is_empty()),
        }
    }
    records
}

/// Records, and the fault with its place and offset.
fn read(text: &[u8], threads: usize, chunk_size: usize) -> (Vec<Plain>, Option<String>) {
    let source = Source::from_reader("x", std::io::Cursor::new(text.to_vec()));
    read_source(source, threads, chunk_size, false)
}

fn read_source(
    source: Source,
    threads: usize,
    chunk_size: usize,
    strict: bool,
) -> (Vec<Plain>, Option<String>) {
    let options = Options { threads, chunk_size, io: IoMode::Read, strict, ..Options::default() };
    let mut records = Vec::new();
    let result = Fold::new(Sequences(source)).options(&options).ordered(
        || (),
        |(), batch, some: &mut Vec<Plain>| {
            for record in batch {
                assert!(!record.has_qualities());
                some.push((record.definition().to_vec(), record.sequence().to_vec()));
            }
        },
        |(), ()| (),
        |some| {
            records.append(some);
            std::ops::ControlFlow::Continue(())
        },
    );
    let fault = result.err().map(|fault| format!("{} {:?}", fault.error, fault.error.at().offset));
    (records, fault)
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let record = (
        "[a-z][ -~]{0,12}",
        prop::collection::vec("[ACGTNacgt*.-]{0,30}", 0..5),
        prop::sample::select(vec!["\n", "\r\n"]),
    );
    (prop::collection::vec(record, 1..8), any::<bool>(), 0usize..3).prop_map(
        |(records, ends, blank)| {
            let mut text = "\n".repeat(blank);
            for (definition, lines, end) in records {
                text += &format!(">{definition}{end}");
                lines.iter().for_each(|line| text += &format!("{line}{end}"));
            }
            if !ends {
                text.truncate(text.trim_end_matches(['\r', '\n']).len());
            }
            text.into_bytes()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_wrapping_is_read_the_same_in_chunks_of_any_size_and_any_container(text in text()) {
        let expected = plain(&text);
        for (threads, chunk_size) in [(1, 1), (2, 7), (3, 64), (2, 1 << 19)] {
            prop_assert_eq!(read(&text, threads, chunk_size), (expected.clone(), None));
        }
        for kind in KINDS {
            let source = Source::from_reader("x", std::io::Cursor::new(wrap(kind, &text)));
            prop_assert_eq!(read_source(source, 2, 33, false), (expected.clone(), None));
        }
        let source = Sequences(Source::from_reader("x", std::io::Cursor::new(text.clone())));
        let mut reader = Reader::new(source, &Options::serial()).unwrap();
        let mut found = Vec::new();
        while let Some(record) = reader.next_record().unwrap() {
            found.push((record.definition().to_vec(), record.sequence().to_vec()));
        }
        prop_assert_eq!(&found, &expected);
        // Written at any width it is the same.
        for width in [0, 1, 7, fasta::LINE_WIDTH] {
            let mut out = Vec::new();
            for (definition, sequence) in &expected {
                let record = biofast_fastq::Record::without_qualities(definition, sequence);
                fasta::write_record(&mut out, &record, width).unwrap();
            }
            prop_assert_eq!(&plain(&out), &expected);
            let longest = out.split(|&b| b == b'\n').filter(|line| !line.starts_with(b">")).map(<[u8]>::len).max();
            prop_assert!(width == 0 || longest.unwrap_or(0) <= width);
        }
    }

    #[test]
    fn a_fault_is_the_same_in_chunks_of_any_size(text in text(), at in any::<prop::sample::Index>(), byte in prop::sample::select(b"\x01 \r!>\n;".to_vec())) {
        let mut text = text;
        let at = at.index(text.len());
        text[at] = byte;
        let expected = read(&text, 1, 1 << 20);
        for (threads, chunk_size) in [(1, 1), (2, 3), (3, 64)] {
            prop_assert_eq!(&read(&text, threads, chunk_size), &expected, "{}", text.escape_ascii());
        }
    }
}

#[test]
fn carriage_returns_before_the_first_record_are_the_same_in_chunks_of_any_size() {
    for start in ["\r", "\r\r", "\r\r\n", "\n\r", "\r\n", "\n\r\n\r\r\n\r\n", "\r\n\r"] {
        for rest in ["", ">a\nAC\n", "@a\nAC\n", "A\n", "\n>a\nAC\n"] {
            let text = [start, rest].concat();
            let expected = read(text.as_bytes(), 1, 1 << 20);
            for chunk_size in 1..6 {
                let found = read(text.as_bytes(), 2, chunk_size);
                assert_eq!(found, expected, "{} in {chunk_size}", text.escape_debug());
            }
        }
    }
}

#[test]
fn what_is_wrong_is_said_with_record_line_and_column() {
    for (text, records, expected) in [
        (&b">a\nAC\n>\nGT\n"[..], 1, "x: record 2, line 3: expected a name after '>'"),
        (b"\n>a\nAC\n>  b\nGT\n", 1, "x: record 2, line 4: expected a name after '>'"),
        (
            b">a\nAC\nA GT\n",
            0,
            "x: record 1, line 3: expected a base (a letter, a digit, '-', '.' or '*'), found a space in column 2",
        ),
        (b">a\nAC\n@b\nGT\n", 0, "x: record 1, line 3: expected a base"),
        (
            b">a\nAC\n>b\x01\nGT\n",
            1,
            "x: record 2, line 3: expected text in the header line, found byte 0x01 in column 3",
        ),
        (
            b"ACGT\n>a\nAC\n",
            0,
            "x: record 1, line 1: expected a header line starting with '@' or '>', found 'ACGT'",
        ),
        (
            b"\r\n\nACGT\n>a\nAC\n",
            0,
            "x: record 1, line 3: expected a header line starting with '@' or '>', found 'ACGT'",
        ),
    ] {
        for chunk_size in [1, 2, 1000] {
            let (found, fault) = read(text, 2, chunk_size);
            let fault = fault.unwrap();
            assert_eq!(found.len(), records, "{}", text.escape_ascii());
            assert!(fault.starts_with(expected), "{fault}");
        }
    }
}

#[test]
fn blank_lines_are_passed_over_and_told_but_not_those_at_the_end() {
    for (text, told) in [
        (&b">a\nAC\n>b\n\n\n"[..], 0),
        (b">a\nAC\n\n>b\nAC\n\nG\n", 2),
        (b"\n\n>a\nAC\n", 2),
        (b">a\n\n>b\n", 0),
    ] {
        for chunk_size in [1, 3, 1000] {
            let notes = Arc::new(Notes::default());
            let options =
                Options { chunk_size, notes: Some(Arc::clone(&notes)), ..Options::serial() };
            let source = Source::from_reader("x", std::io::Cursor::new(text));
            let mut reader = Reader::new(Sequences(source), &options).unwrap();
            while reader.next_record().unwrap().is_some() {}
            let warnings = notes.warnings();
            let count = warnings.iter().map(|warning| match warning {
                biofast_io::Warning::BlankLines { count, .. } => *count,
                other => panic!("{other:?}"),
            });
            assert_eq!(count.sum::<u64>(), told, "{} {chunk_size}", text.escape_ascii());
            let source = Source::from_reader("x", std::io::Cursor::new(text));
            let (_, fault) = read_source(source, 2, chunk_size, true);
            assert_eq!(fault.is_some(), told > 0, "{fault:?}");
        }
    }
}

#[test]
fn fasta_is_refused_where_only_fastq_will_do() {
    let source = Source::from_reader("x", &b">a\nAC\n"[..]);
    let mut reader = Reader::new(source, &Options::default()).unwrap();
    let error = reader.next_record().map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("this is FASTA, not FASTQ"), "{error}");
}

#[test]
fn pairs_of_fasta_go_through_a_transform_in_step() {
    let mates = |mate: u8, width: usize| {
        let mut text = Vec::new();
        for i in 0..500 {
            let name = format!("r{i}/{mate}");
            let bases = b"ACGTT".repeat(i % 60);
            let record = biofast_fastq::Record::without_qualities(name.as_bytes(), &bases);
            fasta::write_record(&mut text, &record, width).unwrap();
        }
        text
    };
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (mates(1, 20), mates(2, 0));
    for threads in [1, 3] {
        let path = folder.path().join("out.fa");
        let source = |text: &Vec<u8>| {
            Sequences(Source::from_reader("x", std::io::Cursor::new(text.clone())))
        };
        let options = Options { threads, chunk_size: 300, ..Options::default() };
        let mut outputs = vec![Output::create_with(&path, Compression::default()).unwrap()];
        Transform::new(Inputs::Paired(source(&one), source(&two)))
            .options_of_each([options.clone(), options])
            .run(
                &mut outputs,
                || (),
                |(), unit, texts| {
                    for record in [Some(unit.first), unit.second].into_iter().flatten() {
                        biofast_fastq::write_record(&mut texts[0], &record).unwrap();
                    }
                },
                |(), ()| (),
            )
            .unwrap();
        commit(outputs, false).unwrap();
        let (first, second) = (plain(&one), plain(&two));
        let expected: Vec<Plain> =
            first.into_iter().zip(second).flat_map(|(a, b)| [a, b]).collect();
        assert_eq!(plain(&std::fs::read(&path).unwrap()), expected);
    }
}
