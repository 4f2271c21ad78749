//! The serial reader gives what the parallel folds give: the same records, and the same faults after them.

use std::path::Path;

use biofast_bam::{ErrorKind, Fold, Reader, RecordBuf, Selection};
use biofast_io::{IoMode, Options, Source};
use biofast_testkit::bam;
use biofast_testkit::container::{KINDS, bgzf, wrap};
use biofast_testkit::effort::times;

const REFERENCES: [(&str, u32); 2] = [("c1", 1000), ("c2", 70_000)];

fn options(threads: usize, chunk_size: usize) -> Options {
    Options { threads, chunk_size, io: IoMode::Read, strict: true, ..Options::serial() }
}

fn source(bytes: &[u8]) -> Source {
    Source::from_reader("x", std::io::Cursor::new(bytes.to_vec()))
}

/// The records and the message of the first fault.
fn serial(bytes: &[u8], options: &Options) -> (Vec<Vec<u8>>, Option<String>) {
    let mut reader = match Reader::new(source(bytes), options) {
        Ok(reader) => reader,
        Err(error) => return (Vec::new(), Some(error.to_string())),
    };
    let mut found = Vec::new();
    loop {
        match reader.next_record() {
            Ok(Some(record)) => found.push(record.as_bytes().to_vec()),
            Ok(None) => return (found, None),
            Err(error) => {
                assert!(reader.next_record().unwrap().is_none(), "it ends with the fault");
                assert_eq!(reader.records_read(), found.len() as u64);
                return (found, Some(error.to_string()));
            }
        }
    }
}

fn folded(bytes: &[u8], options: &Options) -> (Vec<Vec<u8>>, Option<String>) {
    let records = |all: &mut Vec<Vec<u8>>, batch: biofast_bam::Batch<'_>| {
        all.extend(batch.iter().map(|record| record.as_bytes().to_vec()));
    };
    match Fold::new(source(bytes)).options(options).run(Vec::new, records, |a, b| a.extend(b)) {
        Ok((_, all)) => (all, None),
        Err(fault) => (fault.so_far, Some(fault.error.to_string())),
    }
}

#[test]
fn good_and_broken_files_are_read_as_a_fold_reads_them() {
    let count = times(60) as usize;
    let records: Vec<Vec<u8>> = bam::records(count, 2).iter().map(bam::record).collect();
    let good = [bam::header(&REFERENCES), records.concat()].concat();
    let mut bad = good.clone();
    let last = bad.len() - records[count - 1].len();
    bad[last..last + 4].copy_from_slice(&7u32.to_le_bytes());
    for data in [&good[..], &bad, &good[..good.len() - 5], &good[..20], b""] {
        for kind in KINDS {
            let bytes = wrap(kind, data);
            for chunk_size in [1, 1000, 1 << 19] {
                let expected = folded(&bytes, &options(1, chunk_size));
                assert_eq!(serial(&bytes, &options(1, chunk_size)), expected, "{kind:?}");
                assert_eq!(serial(&bytes, &options(2, chunk_size)), expected, "{kind:?}");
            }
        }
    }
    let (found, error) = serial(&bgzf(&bad, 5000), &options(1, 1000));
    assert_eq!(found.len(), count - 1);
    let error = error.unwrap();
    let byte = last;
    assert!(error.starts_with(&format!("x: record {count}, byte {byte}")), "{error}");
}

const SAM: &str = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c1\tLN:1000\n@SQ\tSN:c2\tLN:70000\n\
    a\t0\tc1\t10\t60\t4M\t*\t0\t0\tACGT\tIIII\tNM:i:1\n\
    b\t16\tc1\t500\t60\t2M100N2M\t*\t0\t0\tACGT\tIIII\tRG:Z:x\n\
    c\t0\tc2\t5\t60\t4M\t*\t0\t0\tACGT\tIIII\n\
    d\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n";

fn names(reader: &mut Reader) -> Vec<String> {
    let records: Vec<RecordBuf> = reader.records().collect::<Result<_, _>>().unwrap();
    records.iter().map(|r| String::from_utf8(r.name().to_vec()).unwrap()).collect()
}

fn selection(regions: &[&str]) -> Selection {
    let mut selection = Selection::new();
    for region in regions {
        selection.add(*region);
    }
    selection
}

#[test]
fn regions_of_any_format_with_an_index_or_without() {
    let folder = tempfile::tempdir().unwrap();
    let sam = folder.path().join("x.sam");
    std::fs::write(&sam, SAM).unwrap();
    let mut files = vec![sam.clone()];
    // BAM with an index, made by our own writer.
    let bam = folder.path().join("x.bam");
    let mut reader = Reader::open(&sam).unwrap();
    let mut writer = biofast_bam::Writer::builder(reader.header())
        .index(biofast_bam::index::IndexFormat::Csi)
        .create(&bam)
        .unwrap();
    while let Some(record) = reader.next_record().unwrap() {
        writer.write(&record).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), 4);
    files.push(bam);
    // Made by samtools once: see the README beside it.
    files.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/reader.cram"));
    for file in &files {
        assert_eq!(names(&mut Reader::open(file).unwrap()), ["a", "b", "c", "d"], "{file:?}");
        for (regions, expected) in [
            (&["c1:1-9"][..], &[][..]),
            (&["c1:11-12", "c1:13"], &["a", "b"]),
            (&["c1:550-560"], &["b"]),
            (&["c2", "*"], &["c", "d"]),
        ] {
            let builder = Reader::builder().regions(selection(regions));
            assert_eq!(names(&mut builder.open(file).unwrap()), expected, "{file:?} {regions:?}");
        }
        let error = Reader::builder().regions(selection(&["c3"])).open(file).err().unwrap();
        assert!(matches!(error.kind(), ErrorKind::UnknownReference { .. }), "{error}");
    }
    assert_eq!(Reader::builder().regions(selection(&["c1"])).open(&files[1]).unwrap().notes(), []);
    // A source of no name is read to its end.
    let source = Source::from_reader("x", std::io::Cursor::new(SAM));
    let mut reader = Reader::builder().regions(selection(&["c2"])).read(source).unwrap();
    assert_eq!(names(&mut reader), ["c"]);
}

#[test]
fn a_fault_in_text_names_its_line_after_the_records_before() {
    let text = SAM.replace("c\t0\tc2\t5\t60", "c\t0\tc2\tfive\t60");
    let mut reader = Reader::from_reader("x", std::io::Cursor::new(text.into_bytes())).unwrap();
    let mut record = RecordBuf::default();
    let mut found = Vec::new();
    let error = loop {
        match reader.read_into(&mut record) {
            Ok(more) => {
                assert!(more);
                found.push(record.name().to_vec());
            }
            Err(error) => break error,
        }
    };
    assert_eq!(found, [b"a", b"b"]);
    assert_eq!((error.at().record, error.at().line), (Some(3), Some(6)));
    assert!(!reader.read_into(&mut record).unwrap());
}

#[test]
fn a_header_that_cannot_be_read_is_told_at_the_start() {
    for bytes in [&b"@SQ\tSN:c\n"[..], b"", b"ACGT", b"BAM\x01\xff\xff\xff\xff"] {
        assert!(Reader::from_reader("x", bytes).is_err(), "{bytes:?}");
    }
    let error = Reader::open("no/such/file.bam").err().unwrap();
    assert_eq!(std::io::Error::from(error).kind(), std::io::ErrorKind::NotFound);
}
