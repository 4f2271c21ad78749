//! What the writer writes is what samtools takes for good, appears complete or not at all, and has the index that samtools
//! would make.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use biofast_bam::index::{self, BuildOptions};
use biofast_bam::{
    CramOptions, Error, ErrorKind, Format, Header, Reader, RecordBuf, Value, Writer, flag,
};
use biofast_io::output::{Compression, Output};
use biofast_io::{Options, Source};
use biofast_testkit::sink::FullDisk;

const TEXT: &[u8] =
    b"@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:300000\n@SQ\tSN:chr2\tLN:500000000\n";

fn header() -> Header {
    Header::from_text(TEXT).unwrap()
}

/// Sorted records with tags, of all sorts, over several blocks.
fn records(n: u32) -> Vec<RecordBuf> {
    let record = |i: u32| {
        let tail = n / 20;
        if i >= n - tail {
            return RecordBuf::unmapped(format!("u{i}")).sequence(b"ACGTN").build().unwrap();
        }
        let second = i >= n / 2;
        let position = if second { (i - n / 2) * 90_000 % 400_000_000 } else { i * 25 };
        let cigar = if i.is_multiple_of(7) { "3S40M200N37M" } else { "80M" };
        let mut sequence = b"ACGTTGCAAC".repeat(8);
        sequence.rotate_left((i % 10) as usize);
        let record = RecordBuf::mapped(
            format!("read{i}"),
            second.into(),
            position as i32,
            cigar.parse().unwrap(),
        )
        .sequence(&sequence)
        .qualities((0..80u32).map(|q| (q + i % 9) as u8 % 42).collect::<Vec<_>>())
        .mapping_quality(60)
        .tag(b"NM", i % 5)
        .tag(b"XB", Value::array(&[i as i16, 7][..]))
        .tag(b"RG", "lane1");
        let mut record = record.build().unwrap();
        if i.is_multiple_of(11) {
            record.set_flags(flag::UNMAPPED | flag::PAIRED);
        }
        record
    };
    let mut all: Vec<RecordBuf> = (0..n).map(record).collect();
    all.sort_by_key(|r| (r.reference_id() as u32, r.position()));
    all
}

fn write_all(mut writer: Writer, records: &[RecordBuf]) -> Result<u64, Error> {
    records.iter().try_for_each(|record| writer.write(record))?;
    assert_eq!(writer.records_written(), records.len() as u64);
    writer.finish()
}

/// What samtools prints.
fn samtools(arguments: &[&str], file: &Path) -> Vec<u8> {
    let output = Command::new("samtools").args(arguments).arg(file).stdin(Stdio::null()).output();
    let output = output.expect("samtools is not installed");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {message}");
    output.stdout
}

fn sam_text(records: &[RecordBuf]) -> Vec<u8> {
    let (mut text, sam) = (Vec::new(), biofast_bam::SamWriter::new(&header()));
    for record in records {
        let mut bytes = Vec::new();
        let written = record.write_bam(&header(), &mut bytes).unwrap();
        sam.write(&written, &mut text).unwrap();
    }
    text
}

#[test]
fn the_index_is_the_one_built_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.bam");
    for (format, extension) in [(index::IndexFormat::Bai, "bai"), (index::IndexFormat::Csi, "csi")]
    {
        let writer = Writer::builder(&header()).index(format).create(&path).unwrap();
        assert_eq!(write_all(writer, &records(20_000)).unwrap(), 20_000);
        let own = std::fs::read(folder.path().join(format!("x.bam.{extension}"))).unwrap();
        let built = index::build(Source::open(&path).unwrap(), format.into(), &Options::default());
        assert!(own == built.unwrap().bytes, "{format:?}");
    }
}

#[test]
#[ignore = "needs samtools"]
fn samtools_takes_the_file_for_good_and_its_index_is_ours() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.bam");
    let records = records(20_000);
    for (format, extension) in [(index::IndexFormat::Bai, "bai"), (index::IndexFormat::Csi, "csi")]
    {
        let writer = Writer::builder(&header()).index(format).create(&path).unwrap();
        assert_eq!(write_all(writer, &records).unwrap(), 20_000);
        let own = std::fs::read(folder.path().join(format!("x.bam.{extension}"))).unwrap();
        samtools(&["quickcheck", "-v"], &path);
        let text = samtools(&["view", "--no-PG"], &path);
        assert!(text == sam_text(&records));
        if format == index::IndexFormat::Bai {
            let theirs = folder.path().join("theirs");
            samtools(&["index", "-b", "-o", theirs.to_str().unwrap()], &path);
            assert!(own == std::fs::read(theirs).unwrap(), "the index of samtools has other bytes");
        }
        // samtools finds through it what is there.
        let index = format!("{}.{extension}", path.display());
        let found = Command::new("samtools")
            .args(["view", "-c", "-X", path.to_str().unwrap(), &index, "chr2:1-2000000"])
            .output()
            .unwrap();
        let inside = |r: &&RecordBuf| r.reference_id() == 1 && r.position() < 2_000_000;
        let expected = records.iter().filter(inside).count();
        assert_eq!(String::from_utf8_lossy(&found.stdout).trim(), expected.to_string());
    }
}

#[test]
fn the_bytes_do_not_depend_on_threads_nor_on_the_kind_of_record() {
    let folder = tempfile::tempdir().unwrap();
    let records = records(9000);
    let mut files = Vec::new();
    for threads in [0, 1, 2, 5] {
        let path = folder.path().join(format!("{threads}.bam"));
        let builder = Writer::builder(&header()).threads(threads);
        write_all(builder.index(BuildOptions::default()).create(&path).unwrap(), &records).unwrap();
        let index = std::fs::read(folder.path().join(format!("{threads}.bam.bai"))).unwrap();
        files.push((std::fs::read(&path).unwrap(), index));
    }
    assert!(files.iter().all(|file| *file == files[0]));
    // Read and written again, borrowed.
    let mut reader = Reader::open(folder.path().join("1.bam")).unwrap();
    let path = folder.path().join("again.bam");
    let mut writer = Writer::create(&path, reader.header()).unwrap();
    while let Some(record) = reader.next_record().unwrap() {
        writer.write(&record).unwrap();
    }
    writer.finish().unwrap();
    assert!(std::fs::read(path).unwrap() == files[0].0);
}

#[test]
fn sam_by_name_or_by_choice() {
    let folder = tempfile::tempdir().unwrap();
    let records = records(500);
    let expected = [TEXT, &sam_text(&records)].concat();
    for name in ["x.sam", "x.sam.gz", "x.SAM", "x.txt"] {
        let path = folder.path().join(name);
        let builder = Writer::builder(&header());
        let builder = if name == "x.txt" { builder.format(Format::Sam) } else { builder };
        write_all(builder.create(&path).unwrap(), &records).unwrap();
        let mut text = Vec::new();
        let source = Source::open(&path).unwrap();
        let mut reader = biofast_io::Reader::new(source, &Options::default()).unwrap();
        io::Read::read_to_end(&mut reader, &mut text).unwrap();
        assert!(text == expected, "{name}");
        assert_eq!(Reader::open(&path).unwrap().records().count(), 500);
    }
    let gz = std::fs::read(folder.path().join("x.sam.gz")).unwrap();
    assert!(gz.starts_with(&[0x1f, 0x8b]));
    for error in [
        Writer::create(folder.path().join("x.cram"), &header()).err(),
        Writer::builder(&header())
            .index(index::IndexFormat::Bai)
            .create(folder.path().join("y.sam"))
            .err(),
    ] {
        assert!(matches!(error.unwrap().kind(), ErrorKind::UnsupportedOutput(_)));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
}

#[test]
fn cram_with_its_index() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.cram");
    let records = records(500);
    let cram = CramOptions::default().without_reference();
    let builder =
        Writer::builder(&header()).cram(cram.clone()).index(index::BuildOptions::default());
    write_all(builder.create(&path).unwrap(), &records).unwrap();
    let fields = |record: &RecordBuf| {
        let place = (record.reference_id(), record.position(), record.flags());
        (record.name().to_vec(), place, record.sequence().to_vec(), record.qualities().to_vec())
    };
    let found: Vec<_> =
        Reader::open(&path).unwrap().records().map(|r| fields(&r.unwrap())).collect();
    assert!(found == records.iter().map(fields).collect::<Vec<_>>());
    assert!(folder.path().join("x.cram.crai").is_file());
    // Unmapped reads with a CIGAR.
    let is_lossy = |record: &&RecordBuf| record.flags() & 4 != 0 && !record.cigar().is_empty();
    assert_eq!(cram.losses().cigars, records.iter().filter(is_lossy).count() as u64);
    let wrong = Writer::builder(&header()).cram(cram).index(index::IndexFormat::Bai).create(&path);
    assert!(matches!(wrong.err().unwrap().kind(), ErrorKind::UnsupportedOutput(_)));
}

#[test]
fn what_is_dropped_or_fails_leaves_everything_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.bam");
    std::fs::write(&path, "before").unwrap();
    let all = records(5000);
    let start = || Writer::builder(&header()).index(index::IndexFormat::Bai).create(&path).unwrap();
    let unchanged = || {
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(std::fs::read(&path).unwrap(), b"before");
    };

    let mut writer = start();
    all.iter().for_each(|record| writer.write(record).unwrap());
    drop(writer);
    unchanged();

    // Out of order: the record is named, and ignoring that doesn't help.
    let mut writer = start();
    all[..10].iter().for_each(|record| writer.write(record).unwrap());
    let error = writer.write(&all[0]).expect_err("out of order");
    assert!(matches!(error.kind(), ErrorKind::Unsorted { .. }), "{error}");
    assert_eq!(error.at().record, Some(11));
    assert!(error.to_string().contains("x.bam: record 11: not sorted"), "{error}");
    assert!(writer.write(&all[11]).is_err());
    assert!(writer.finish().is_err());
    unchanged();

    // A record that is refused.
    let mut writer = start();
    let mut bad = all[0].clone();
    bad.set_sequence("A");
    let error = writer.write(&bad).expect_err("one base of 80");
    assert!(error.to_string().contains("record 1: can't write record 'read0'"), "{error}");
    let error = writer.finish().expect_err("it lacks a record");
    assert!(error.to_string().contains("an earlier write failed"), "{error}");
    unchanged();

    // What BAI can't hold.
    let long = Header::from_text(b"@SQ\tSN:l\tLN:600000000\n").unwrap();
    assert!(Writer::builder(&long).index(index::IndexFormat::Bai).create(&path).is_err());
    unchanged();
}

#[test]
fn a_borrowed_record_of_a_larger_header_is_refused() {
    let sam =
        b"@SQ\tSN:a\tLN:9\n@SQ\tSN:b\tLN:9\n@SQ\tSN:c\tLN:9\nr\t0\tc\t1\t9\t1M\t*\t0\t0\tA\tI\n";
    let mut reader = Reader::from_reader("x", &sam[..]).unwrap();
    let output = Output::stream("x", io::sink(), Compression::default());
    let mut writer = Writer::builder(&header()).to(output).unwrap();
    let record = reader.next_record().unwrap().unwrap();
    let error = writer.write(&record).expect_err("three references to two");
    assert!(matches!(error.kind(), ErrorKind::Unwritable { .. }), "{error}");
}

#[test]
fn a_full_disk_is_told_by_its_kind_and_ends_the_writer() {
    let bgzf = Compression::new(biofast_io::output::Format::Bgzf, None).unwrap();
    let records = records(20_000);
    for threads in [1, 3] {
        let output = Output::stream("full", FullDisk(1000), bgzf);
        let writer = Writer::builder(&header()).threads(threads).to(output).unwrap();
        let error = write_all(writer, &records).expect_err("it is full");
        assert!(error.to_string().contains("can't write full"), "{error}");
        let ErrorKind::Output(inner) = error.kind() else { panic!("{error:?}") };
        assert_eq!(inner.kind(), io::ErrorKind::StorageFull);
        assert_eq!(io::Error::from(error).kind(), io::ErrorKind::StorageFull);
    }
}

#[test]
fn errors_of_every_kind_of_function_become_one_by_the_question_mark() {
    fn all(path: &Path) -> Result<u64, Error> {
        let source = Source::open(path)?;
        let options = Options::default();
        let opened =
            biofast_bam::InputOptions { io: &options, reference: None, detail: Default::default() };
        let input = biofast_bam::Input::open(source, &opened)?;
        let (_, n) = biofast_bam::Fold::new(input.source).options(&options).run(
            || 0u64,
            |n, batch| *n += batch.len() as u64,
            |n, other| *n += other,
        )?;
        let mut outputs = [Output::stream("full", FullDisk(0), Compression::default())];
        biofast_bam::Transform::new(Source::open(path)?).options(&options).run(
            &mut outputs,
            || (),
            |(), _, texts| {
                texts[0].push(b'x');
                Ok(())
            },
            |(), ()| (),
        )?;
        Ok(n)
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.bam");
    write_all(Writer::create(&path, &header()).unwrap(), &records(100)).unwrap();
    let boxed: Box<dyn std::error::Error + Send + Sync> = all(&path).unwrap_err().into();
    assert!(boxed.to_string().contains("can't write full"), "{boxed}");
    std::fs::write(&path, &std::fs::read(&path).unwrap()[..200]).unwrap();
    assert!(matches!(all(&path).unwrap_err().kind(), ErrorKind::Io(_) | ErrorKind::Truncated(_)));
    assert!(all(&folder.path().join("none")).is_err());
}
