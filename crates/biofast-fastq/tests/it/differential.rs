//! Every way of reading gives what the obvious reference reader gives: the same records, and a
//! fault exactly where it has one.

use std::io::Write;

use biofast_fastq::{Batch, Error, Fold, Readable, Reader, UncheckedLetters};
use biofast_io::{IoMode, Options, Source};
use biofast_testkit::container::{KINDS, Kind, wrap};
use biofast_testkit::effort::{one_in, times};
use biofast_testkit::generate;
use biofast_testkit::reference::{self, ReferenceRecord};
use proptest::prelude::*;

fn owned(record: biofast_fastq::Record<'_>) -> ReferenceRecord {
    ReferenceRecord {
        definition: record.definition().to_vec(),
        sequence: record.sequence().to_vec(),
        qualities: record.qualities().to_vec(),
    }
}

fn options(threads: usize, chunk_size: usize) -> Options {
    Options { threads, chunk_size, io: IoMode::Read, ..Options::default() }
}

fn in_parallel(source: impl Readable, options: &Options) -> (Vec<ReferenceRecord>, Option<String>) {
    let accept = |all: &mut Vec<(u64, ReferenceRecord)>, batch: Batch<'_>| {
        all.extend((batch.first_record()..).zip(batch.iter().map(owned)));
    };
    let result = Fold::new(source).options(options).run(Vec::new, accept, |a, b| a.extend(b));
    let (mut numbered, error) = match result {
        Ok(all) => (all, None),
        Err(fault) => (fault.so_far, Some(fault.error.to_string())),
    };
    numbered.sort_by_key(|(number, _)| *number);
    let numbers: Vec<u64> = numbered.iter().map(|(n, _)| *n).collect();
    assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
    (numbered.into_iter().map(|(_, record)| record).collect(), error)
}

fn one_by_one(source: Source, options: &Options) -> (Vec<ReferenceRecord>, Option<Error>) {
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
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text).unwrap();
    for chunk_size in [1, 7, 100] {
        let source = Source::open(file.path()).unwrap();
        let mapped = Options { io: IoMode::Mmap, ..options(3, chunk_size) };
        let (found, error) = in_parallel(source, &mapped);
        prop_assert_eq!(&found, &expected, "mapped, chunks of {}", chunk_size);
        let name = file.path().to_str().unwrap();
        messages.push(error.map(|error| error.replace(name, "x")));
    }
    let mut unchecked: Vec<_> = [(1, 1), (3, 64), (2, 1 << 19)]
        .map(|(threads, chunk_size)| {
            let source = Source::from_reader("x", std::io::Cursor::new(text.to_vec()));
            in_parallel(UncheckedLetters(source), &options(threads, chunk_size))
        })
        .into();
    unchecked.dedup();
    prop_assert_eq!(unchecked.len(), 1, "without checks it depends on the way: {:?}", unchecked);
    let (found, error) = unchecked.remove(0);
    prop_assert!(found.starts_with(&expected));
    prop_assert!(faulty || (error.is_none() && found.len() == expected.len()), "{:?}", error);
    messages.dedup();
    prop_assert_eq!(messages.len(), 1, "the message depends on the way: {:?}", messages);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(target_arch = "x86_64") { times(24) } else { 12 }))]

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

/// A quality line may look like a header: the four lines from there on are checked when a chunk starts with them, but are no record.
#[test]
fn what_looks_like_a_record_elsewhere_is_none() {
    let text =
        b"@first\nACGTACGTACGT\n+\nIIIIIIIIIIII\n@a\nACGT\n+\n@bcd\nACGT\n+\nIIII\n@e\nAC\n+\nII\n";
    for chunk_size in 1..=text.len() {
        let source = Source::from_reader("x", &text[..]);
        let (found, error) = in_parallel(source, &options(2, chunk_size));
        assert_eq!(found.len(), 2, "{chunk_size}");
        assert!(error.is_some_and(|error| error.contains("record 3")), "{chunk_size}");
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

#[test]
fn a_bad_block_in_the_middle_gives_the_same_on_any_threads() {
    let text: String = (0..500).map(|i| format!("@r{i}\nACGTACGT\n+\nIIIIIIII\n")).collect();
    let mut file = wrap(Kind::Bgzf(300), text.as_bytes());
    // Without the end-of-file block: a warning may only be given when all else is good.
    file.truncate(file.len() - wrap(Kind::Bgzf(1), b"").len());
    let at = file.len() / 2;
    file[at] ^= 0x10;
    let run = |threads| {
        let notes = std::sync::Arc::new(biofast_io::Notes::default());
        let options = Options { notes: Some(notes.clone()), ..options(threads, 300) };
        let source = Source::from_reader("x", std::io::Cursor::new(file.clone()));
        let (records, error) = in_parallel(source, &options);
        assert_eq!(notes.warnings(), []);
        (records.len(), error.unwrap())
    };
    let expected = run(1);
    assert!(expected.1.contains("compressed byte"), "{}", expected.1);
    for threads in [2, 3, 8] {
        for _ in 0..20 {
            assert_eq!(run(threads), expected);
        }
    }
}

/// Panics after some bytes, as a decoder or a caller's reader might.
struct Panicking(usize);

impl std::io::Read for Panicking {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(1).expect("the reader panics here");
        let record = b"@r\nACGT\n+\nIIII\n";
        out[..record.len()].copy_from_slice(record);
        Ok(record.len())
    }
}

#[test]
fn a_panic_anywhere_ends_the_run_with_that_panic() {
    let caught =
        |f: &mut dyn FnMut()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err();
    let text = "@r\nACGT\n+\nIIII\n".repeat(200);
    for threads in [1, 2, 4, 8] {
        for kind in [Kind::Plain, Kind::Bgzf(50), Kind::Gzip] {
            let bytes = wrap(kind, text.as_bytes());
            assert!(caught(&mut || {
                let source = Source::from_reader("x", std::io::Cursor::new(bytes.clone()));
                let accept = |_: &mut (), batch: Batch<'_>| {
                    assert!(batch.first_record() < 100, "the user's closure panics here");
                };
                let _ =
                    Fold::new(source).options(&options(threads, 64)).run(|| (), accept, |_, _| ());
            }));
        }
        assert!(caught(&mut || {
            let source = Source::from_reader("x", Panicking(50));
            let _ =
                Fold::new(source).options(&options(threads, 64)).run(|| (), |_, _| (), |_, _| ());
        }));
        // The same behind a decoder on its own thread, for the plain face.
        assert!(caught(&mut || {
            let source = Source::from_reader("x", PanickingGzip(wrap(Kind::Gzip, &noise()), 0));
            let mut reader = Reader::new(source, &options(threads, 64)).unwrap();
            while let Ok(Some(_)) = reader.next_record() {}
        }));
    }
}

/// Records that don't compress well, so that their gzip form takes several reads.
fn noise() -> Vec<u8> {
    let mut out = Vec::new();
    for i in 0..20_000u32 {
        let x = i.wrapping_mul(2_654_435_761);
        out.extend(format!("@{x}\nACGT\n+\nIIII\n").as_bytes());
    }
    out
}

/// Gzip data in small reads, and a panic before their end.
struct PanickingGzip(Vec<u8>, usize);

impl std::io::Read for PanickingGzip {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let rest = &self.0[self.1..];
        assert!(rest.len() > self.0.len() / 2, "the reader panics here");
        let n = rest.len().min(out.len()).min(1000);
        out[..n].copy_from_slice(&rest[..n]);
        self.1 += n;
        Ok(n)
    }
}

#[test]
fn a_file_that_shrinks_while_it_is_folded_is_an_error() {
    let text = "@r\nACGT\n+\nIIII\n".repeat(100_000);
    // (Read, a small BGZF file is in the buffer before it can be cut.)
    let cases = [
        (Kind::Plain, IoMode::Mmap),
        (Kind::Bgzf(60_000), IoMode::Mmap),
        (Kind::Plain, IoMode::Read),
    ];
    for (kind, io) in cases {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), wrap(kind, text.as_bytes())).unwrap();
        let source = Source::open(file.path()).unwrap();
        let len = source.len().unwrap();
        // Cut while the first records are being used.
        let accept = |_: &mut (), batch: Batch<'_>| {
            if batch.first_record() == 0 {
                file.as_file().set_len(len / 3).unwrap();
            }
        };
        let options = Options { io, ..options(2, 5000) };
        let fault = Fold::new(source).options(&options).run(|| (), accept, |_, _| ()).unwrap_err();
        let message = fault.error.to_string();
        assert!(message.contains("was truncated while"), "{kind:?} {io:?}: {message}");
    }
}

#[test]
fn a_header_swallowed_by_a_short_quality_line_is_noticed() {
    // The missing quality characters are as many as the next header has.
    let found = message(b"@a\nACGTAC\n+\nIII\n@bb\nACG\n+\nIII\n");
    let expected =
        "x.fq: record 1, line 4: read 'a': expected 6 quality characters for 6 bases, found 3";
    assert_eq!(found, expected);
}

#[test]
fn a_record_without_a_sequence_line_is_one_only_if_a_header_follows() {
    let missing = message(b"@a\n+\nIII\n@b\nA\n+\nI\n");
    let expected =
        "x.fq: record 1, line 3: expected a separator line starting with '+', found 'III'";
    assert_eq!(missing, expected);
    // Found by fuzzing: was it the first record or the second?
    let twice = message(b"@a\n+\n+\nI\n");
    assert!(twice.starts_with("x.fq: record 1, line 2: expected a base"), "{twice}");
    for text in ["@a\n+\n+\nI\n", "@a\n+\nIII\n", "@a\n+\n@b\n+\n", "@a\n+\n\n@b\nA\n+\nI\n"] {
        check_all_ways(text.as_bytes()).unwrap();
    }
}

#[test]
fn after_a_blank_line_the_fault_itself_is_reported() {
    let found = message(b"@a\nA\n+\nI\n\n@b\nACG\n+\nI\x01I\n");
    assert!(found.starts_with("x.fq: record 2, line 9: expected a quality character"), "{found}");
}

#[test]
fn a_control_character_in_a_header_is_a_fault_wherever_it_is() {
    let good = "@read1 x\ty\nACGT\n+\nIIII\n";
    let found = message(format!("{good}@read\02\nA\n+\nI\n").as_bytes());
    let expected =
        "x.fq: record 2, line 5: expected text in the header line, found byte 0x00 in column 6";
    assert_eq!(found, expected);
    // The header of a wrapped record, after one, and of the last record of a file.
    for text in
        ["@a\x1bb\nAC\nGT\n+\nIIII\n", "@a\nA\nC\n+\nII\n@\x7f\nA\n+\nI\n", "@\r\r\nA\n+\nI"]
    {
        assert!(message(text.as_bytes()).contains("expected text in the header"), "{text:?}");
    }
    // A hole of zeros swallows lines, and so records: nothing behind it is read.
    let text: String = (0..400).map(|i| format!("@read{i:03}\nACGTACGT\n+\nIIIIIIII\n")).collect();
    for (from, to) in [(35 * 9 + 5, 35 * 200 + 5), (3, 4), (14 * 28, text.len() - 3)] {
        let mut text = text.clone().into_bytes();
        text[from..to].fill(0);
        assert!(reference::read(&text).1);
        check_all_ways(&text).unwrap();
    }
    for (byte, len) in (0..=255u8).zip((1..60).cycle()) {
        let is_tried = byte.is_ascii_control() || usize::from(byte).is_multiple_of(one_in(7));
        if byte == b'\n' || !is_tried {
            continue;
        }
        let header = [&vec![b'x'; len][..], &[byte], &vec![b'y'; len % 7]].concat();
        let text = [b"@a\nA\n+\nI\n@", &header[..], b"\nACGT\n+\nIIII\n@b\nA\n+\nI\n"].concat();
        let fine = byte == b'\t' || (byte == b'\r' && len % 7 == 0) || !byte.is_ascii_control();
        assert_eq!(reference::read(&text).1, !fine, "{byte}");
        check_all_ways(&text).unwrap();
    }
}

/// The warnings of reading `text`, and the error where blank lines are one.
fn blank_lines(text: &[u8], chunk: usize) -> (Vec<biofast_io::Warning>, Option<String>) {
    let source = || Source::from_reader("x", std::io::Cursor::new(text.to_vec()));
    let notes = std::sync::Arc::new(biofast_io::Notes::default());
    let lenient = Options { notes: Some(notes.clone()), ..options(2, chunk) };
    let (records, error) = in_parallel(source(), &lenient);
    assert_eq!(error, None);
    let strict = Options { strict: true, ..options(3, chunk) };
    let (before, error) = in_parallel(source(), &strict);
    assert!(records.starts_with(&before) && (error.is_some() || before == records));
    (notes.warnings(), error)
}

#[test]
fn blank_lines_inside_are_counted_and_errors_where_that_is_asked_for() {
    let blank = |count, record, line| vec![biofast_io::Warning::BlankLines { count, record, line }];
    for (text, expected) in [
        // None, or behind the last record, or the lines of reads without bases.
        ("@a\nA\n+\nI\n", vec![]),
        ("@a\nA\n+\nI\n\n\n", vec![]),
        ("@a\nA\n+\nI\n@b\n\n+\n\n@c\nA\nC\n+\nII\n@d\n\n+\n\n@e\nA\n+\nI\n", vec![]),
        // Before a record.
        ("\n@a\nA\n+\nI\n", blank(1, 1, 1)),
        ("@a\nA\n+\nI\n\r\n\n@b\nA\n+\nI\n\n@c\nA\n+\nI\n", blank(3, 2, 5)),
        ("@a\n\n+\n\n\n@b\nA\n+\nI\n", blank(1, 2, 5)),
        // Inside of one.
        ("@a\nA\n+\nI\n@b\nA\n\nC\n+\nI\n\nI\n", blank(2, 2, 7)),
    ] {
        for chunk in [1, 3, 1000] {
            let (warnings, error) = blank_lines(text.as_bytes(), chunk);
            assert_eq!(warnings, expected, "{text:?}");
            let place = expected.first().map(|warning| match warning {
                biofast_io::Warning::BlankLines { record, line, .. } => {
                    format!("x: record {record}, line {line}: expected the next line of the record, found a blank line")
                }
                other => panic!("{other:?}"),
            });
            assert_eq!(error, place, "{text:?}");
        }
    }
}

#[test]
fn a_wrapped_record_is_read_once_however_many_chunks_it_spans() {
    let line = "ACGT".repeat(15) + "\n";
    let quality = "IIII".repeat(15) + "\n";
    let text = format!("@a\n{}+\n{}@b\nA\n+\nI\n", line.repeat(40_000), quality.repeat(40_000));
    // Read anew in each of 4,900 chunks, this would take minutes.
    let source = Source::from_reader("x", std::io::Cursor::new(text.into_bytes()));
    let (found, error) = in_parallel(source, &options(2, 1000));
    assert_eq!((found.len(), error), (2, None));
    assert_eq!(found[0].sequence.len(), 2_400_000);
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
            "record 2, line 6: expected a base (a letter, a digit, '-', '.' or '*'), found a space in column 2",
        ),
        (
            "@b\nACG\n+\nI\x7fI\n",
            "record 2, line 8: expected a quality character ('!' to '~'), found byte 0x7f in column 2",
        ),
        (
            "@b\nACG\n+\nII",
            "record 2, line 8: file is truncated: it ends inside this record (expected a quality line as long as the sequence)",
        ),
        (
            ">b\nACG\n",
            "record 2, line 5: this is FASTA, not FASTQ; qualities are needed, but FASTA has none",
        ),
    ];
    for (tail, expected) in cases {
        let found = message(format!("{good}{tail}").as_bytes());
        assert_eq!(found, format!("x.fq: {expected}"), "{tail:?}");
    }
}
