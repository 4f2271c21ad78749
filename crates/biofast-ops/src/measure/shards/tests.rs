//! Random plans of small files: no record is lost, doubled or numbered otherwise than in the whole.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use biofast_io::Options;
use biofast_io::output::{Compression, Format as OutFormat, Output, commit};
use biofast_testkit::bam;
use biofast_testkit::container::{bgzf, gzip as gzip_member};
use biofast_testkit::effort::times;
use proptest::prelude::*;

use super::*;

/// A record's number, and what is in it.
type NumberedRecords = Vec<(u64, Vec<u8>)>;

fn reads_of(
    source: biofast_io::Source,
    options: &Options,
) -> Result<NumberedRecords, biofast_fastq::Error> {
    let mut seen = Vec::new();
    biofast_fastq::Fold::new(source)
        .options(options)
        .ordered(
            || (),
            |(), batch, some: &mut NumberedRecords| {
                for (number, read) in (batch.first_record()..).zip(batch) {
                    some.push((
                        number,
                        [read.definition(), read.sequence(), read.qualities()].join(&b'\n'),
                    ));
                }
            },
            |(), ()| (),
            |some| {
                seen.append(some);
                ControlFlow::Continue(())
            },
        )
        .map_err(|fault| fault.error)?;
    Ok(seen)
}

fn alignments_of(
    source: biofast_io::Source,
    options: &Options,
) -> Result<NumberedRecords, biofast_bam::Error> {
    let mut seen = Vec::new();
    biofast_bam::Fold::new(source)
        .options(options)
        .ordered(
            || (),
            |(), batch, some: &mut NumberedRecords| {
                for (number, record) in (batch.first_record()..).zip(batch.iter()) {
                    some.push((number, record.as_bytes().to_vec()));
                }
            },
            |(), ()| (),
            |some| {
                seen.append(some);
                ControlFlow::Continue(())
            },
        )
        .map_err(|fault| fault.error)?;
    Ok(seen)
}

fn fastq(lengths: &[usize], mate: char, ends_with_line: bool) -> (Vec<u8>, NumberedRecords) {
    let (mut text, mut seen) = (Vec::new(), Vec::new());
    for (number, &len) in lengths.iter().enumerate() {
        let name = format!("r{number} {mate}{}", "d".repeat(len % 7));
        let bases: String = (0..len).map(|at| b"ACGT"[(at * 7 + number) % 4] as char).collect();
        let quals: String =
            (0..len).map(|at| (b'!' + ((at + number) % 90) as u8) as char).collect();
        let _ = write!(text, "@{name}\n{bases}\n+\n{quals}\n");
        seen.push((number as u64, format!("{name}\n{bases}\n{quals}").into_bytes()));
    }
    if !ends_with_line && lengths.last().is_some_and(|&len| len > 0) {
        text.pop();
    }
    (text, seen)
}

fn write(path: &Path, data: &[u8], block: Option<usize>) {
    let bytes = block.map_or_else(|| data.to_vec(), |block| bgzf(data, block));
    std::fs::write(path, bytes).expect("a file");
}

/// Writes ordinary gzip whose members have so many bytes of text, and its seek index.
fn index(path: &Path, text: &[u8], member: usize, spacing: u64, options: &Options) {
    let members: Vec<Vec<u8>> = match text {
        [] => vec![gzip_member(text)],
        _ => text.chunks(member).map(gzip_member).collect(),
    };
    std::fs::write(path, members.concat()).expect("a file");
    let index = GzipIndex::path_of(path);
    let out = Output::create_with(&index, Compression::new(OutFormat::Plain, None).expect("plain"))
        .expect("an output");
    let (out, _) =
        gzip_writer::index_every(&ShardInput::new(path), spacing, options, out).expect("an index");
    commit(vec![out], false).expect("written");
}

/// What a file's shards hold, one after the other.
fn joined(
    plan: &Plan,
    file: usize,
    path: &Path,
    read: impl Fn(biofast_io::Source) -> Result<NumberedRecords, String>,
) -> Result<NumberedRecords, String> {
    let mut all = Vec::new();
    for number in 1..=plan.shards.len() as u64 {
        let shard = plan.open(number, file, path).map_err(|error| error.to_string())?;
        let mut some = read(shard).map_err(|error| format!("shard {number}: {error}"))?;
        let (first, end) = plan.shard(number).map_err(|error| error.to_string())?.records;
        assert_eq!(some.len() as u64, end - first);
        assert!(some.iter().map(|(number, _)| *number).eq(first..end));
        all.append(&mut some);
    }
    Ok(all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(times(64)))]
    #[test]
    fn shards_of_reads_and_of_mates_are_all_records_once(
        lengths in prop::collection::vec((0usize..60, 0usize..90), 0..50),
        blocks in (prop::option::of(1usize..300), prop::option::of(1usize..300)),
        members in prop::option::of((60usize..900, 1u64..2000)),
        number in 1u64..12,
        pairs in any::<bool>(),
        two in any::<bool>(),
        threads in 1usize..4,
        chunk_size in 1usize..400,
        ends_with_line in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options { threads, chunk_size, ..Options::default() };
        let mut lengths = lengths;
        if pairs && lengths.len() % 2 == 1 {
            lengths.pop();
        }
        let (first, second): (Vec<usize>, Vec<usize>) = lengths.into_iter().unzip();
        let mut inputs = Vec::new();
        let mut expected = Vec::new();
        for (mate, lengths, block) in [('1', first, blocks.0), ('2', second, blocks.1)] {
            let path = folder.path().join(format!("{mate}.fq"));
            let (text, seen) = fastq(&lengths, mate, ends_with_line);
            match members.filter(|_| mate == '1') {
                Some((len, spacing)) => index(&path, &text, len, spacing, &options),
                None => write(&path, &text, block),
            }
            inputs.push(ShardInput::new(&path));
            expected.push(seen);
        }
        inputs.truncate(if two { 2 } else { 1 });
        let together = if pairs { 2 } else { 1 };
        let plan = make(&inputs, together, ShardSizing::Number(number), &options).expect("a plan");
        prop_assert_eq!(plan.shards.len() as u64, number);
        let json = serde_json::to_vec(&plan).expect("JSON");
        let plan: Plan = serde_json::from_slice(&json).expect("a plan");
        plan.check().expect("a good one");
        prop_assert!(plan.shards.iter().all(|shard| shard.records.0.is_multiple_of(together)));
        for (file, input) in inputs.iter().enumerate() {
            plan.check_file(file, &input.path, false).expect("the same file");
            let read = |source| reads_of(source, &options).map_err(|error| error.to_string());
            let found = joined(&plan, file, &input.path, read);
            prop_assert_eq!(found, Ok(expected[file].clone()));
        }
    }

    #[test]
    fn shards_of_alignments_are_all_records_once(
        records in 0usize..60,
        block in 1usize..500,
        number in 1u64..12,
        threads in 1usize..4,
        chunk_size in 1usize..600,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options { threads, chunk_size, ..Options::default() };
        let path = folder.path().join("x.bam");
        let mut data = bam::header(&[("c", 1000), ("d", 9)]);
        let records = bam::records(records, 2).iter().map(bam::record).collect::<Vec<_>>();
        data.extend(records.concat());
        write(&path, &data, Some(block));
        let expected: NumberedRecords = (0..).zip(records.iter().map(|record| record[4..].to_vec())).collect();
        let plan = make(&[ShardInput::new(&path)], 1, ShardSizing::Number(number), &options).expect("a plan");
        let read = |source| alignments_of(source, &options).map_err(|error| error.to_string());
        prop_assert_eq!(joined(&plan, 0, &path, read), Ok(expected));
    }
}

#[test]
fn a_file_that_holds_more_or_fewer_records_than_planned_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.fq");
    let (text, _) = fastq(&[8, 8, 8, 8], '1', true);
    write(&path, &text, None);
    let options = Options::serial();
    let plan =
        make(&[ShardInput::new(&path)], 1, ShardSizing::Number(2), &options).expect("a plan");
    // Two short reads of as many bytes as one.
    let record = text.len() / 4;
    let mut other = text.clone();
    let short = "@a\nA\n+\nI\n";
    let rest = record - short.len();
    let filler = (rest - 6) / 2;
    let read = format!(
        "{short}@{}\n{}\n+\n{}\n",
        "b".repeat(rest - 6 - 2 * (filler / 2)),
        "A".repeat(filler / 2),
        "I".repeat(filler / 2)
    );
    assert_eq!(read.len(), record, "{read}");
    other[..record].copy_from_slice(read.as_bytes());
    write(&path, &other, None);
    assert!(matches!(
        plan.check_file(0, &path, true).expect_err("other bytes").kind(),
        ErrorKind::Changed { .. }
    ));
    let error =
        reads_of(plan.open(1, 0, &path).expect("it opens"), &options).expect_err("three reads");
    assert!(error.to_string().contains("this shard has 3 records, but the plan says 2"), "{error}");
    reads_of(plan.open(2, 0, &path).expect("it opens"), &options).expect("the rest is as it was");
}

#[test]
fn plans_that_contradict_themselves_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.fq");
    let (text, _) = fastq(&[8, 8, 8, 8], '1', true);
    write(&path, &text, Some(50));
    let plan = make(&[ShardInput::new(&path)], 1, ShardSizing::Number(3), &Options::serial())
        .expect("a plan");
    plan.check().expect("a good one");
    let changes: [fn(&mut Plan); 9] = [
        |plan| plan.schema = "other".into(),
        |plan| plan.schema_version = 2,
        |plan| plan.files.clear(),
        |plan| plan.shards.clear(),
        |plan| plan.records = u64::MAX,
        |plan| plan.files[0].size = u64::MAX,
        |plan| plan.shards[1].records.0 += 1,
        |plan| plan.shards[1].files[0].start.1 += 1,
        |plan| plan.shards[2].files[0].offset = u64::MAX,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut plan = plan.clone();
        change(&mut plan);
        assert!(plan.check().is_err(), "{number}, by its id or what it says");
        // Whoever changed it may have computed the id anew.
        plan.id = plan.computed_id();
        assert!(plan.check().is_err(), "{number}");
    }
}
