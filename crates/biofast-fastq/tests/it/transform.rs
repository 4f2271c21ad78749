//! The transform against a plain reader: the same units in the same order, the same first fault,
//! whatever the threads, the chunks and the containers.

use std::io::{Cursor, Read};

use biofast_fastq::{Error, Inputs, Reader, Transform, Unit, pair, write_record};
use biofast_io::output::{Compression, Format, Output, commit};
use biofast_io::pipeline::Failure;
use biofast_io::{Options, Source};
use biofast_testkit::container::{KINDS, Kind, wrap};
use biofast_testkit::generate;
use biofast_testkit::sink::{FullDisk, SharedBytes};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
struct How {
    threads: usize,
    chunk_size: usize,
    kind: Kind,
    format: Format,
    limit: Option<u64>,
}

const PLAINLY: How =
    How { threads: 1, chunk_size: 1 << 20, kind: Kind::Plain, format: Format::Plain, limit: None };

fn source(name: &str, text: &[u8], how: How) -> Source {
    Source::from_reader(name, Cursor::new(wrap(how.kind, text)))
}

/// Copies every unit: first reads to one output, second reads to another.
fn copy(inputs: Inputs, how: How) -> (Result<u64, String>, [Vec<u8>; 2]) {
    let shared = [SharedBytes::default(), SharedBytes::default()];
    let compression = Compression::new(how.format, None).unwrap();
    let mut outputs: Vec<Output> =
        shared.iter().map(|s| Output::stream("x", s.clone(), compression)).collect();
    let options =
        Options { threads: how.threads, chunk_size: how.chunk_size, ..Options::default() };
    let result =
        Transform::new(inputs).options_of_each([options.clone(), options]).limit(how.limit).run(
            &mut outputs,
            || 0u64,
            |units, unit: Unit<'_>, texts| {
                *units += 1;
                write_record(&mut texts[0], &unit.first).unwrap();
                if let Some(second) = unit.second {
                    write_record(&mut texts[1], &second).unwrap();
                }
            },
            |units, more| *units += more,
        );
    let result = match result {
        Ok(units) => commit(outputs, false).map(|()| units).map_err(|e| e.to_string()),
        Err(Failure::Input(error)) => Err(error.to_string()),
        Err(Failure::Output(error)) => panic!("{error}"),
    };
    (result, shared.map(|s| s.take()))
}

fn decoded(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let source = Source::from_reader("x", Cursor::new(bytes.to_vec()));
    let options = Options { strict: true, ..Options::default() };
    biofast_io::Reader::new(source, &options).unwrap().read_to_end(&mut text).unwrap();
    text
}

/// The records of a text as they are written, and the fault after them.
fn plainly(name: &str, text: &[u8]) -> (Vec<Vec<u8>>, Option<Error>) {
    let mut reader = match Reader::new(source(name, text, PLAINLY), &Options::default()) {
        Ok(reader) => reader,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut records = Vec::new();
    loop {
        match reader.next_record() {
            Ok(Some(record)) => {
                let mut text = Vec::new();
                write_record(&mut text, &record).unwrap();
                records.push(text);
            }
            Ok(None) => return (records, None),
            Err(error) => return (records, Some(error)),
        }
    }
}

fn how() -> impl Strategy<Value = How> {
    let format = prop::sample::select(vec![Format::Plain, Format::Bgzf, Format::Zstd]);
    let kind = prop::sample::select(KINDS.to_vec());
    let chunk_size = prop_oneof![1usize..100, 100usize..5000];
    (1usize..=4, chunk_size, kind, format).prop_map(|(threads, chunk_size, kind, format)| How {
        threads,
        chunk_size,
        kind,
        format,
        limit: None,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn reads_come_out_as_they_went_in(text in generate::good(), how in how(), limit in prop::option::of(0u64..15)) {
        let how = How { limit, ..how };
        let (records, fault) = plainly("x", &text);
        prop_assert!(fault.is_none());
        let (units, [out, _]) = copy(Inputs::Single(source("x", &text, how)), how);
        let expected = records.len().min(limit.map_or(usize::MAX, |n| n as usize));
        prop_assert_eq!(units, Ok(expected as u64));
        let out = if how.format == Format::Plain { out } else { decoded(&out) };
        prop_assert_eq!(out, records[..expected].concat());
    }

    #[test]
    fn the_first_fault_is_the_readers(text in generate::broken(), how in how()) {
        let how = How { format: Format::Plain, ..how };
        let (records, fault) = plainly("x", &text);
        let (result, [out, _]) = copy(Inputs::Single(source("x", &text, how)), how);
        prop_assert_eq!(out, records.concat());
        match fault {
            None => prop_assert_eq!(result, Ok(records.len() as u64)),
            Some(fault) => prop_assert_eq!(result, Err(fault.to_string())),
        }
    }

    #[test]
    fn mates_are_read_in_step_up_to_the_first_fault(
        reads in prop::collection::vec((0usize..60, 0usize..60), 0..40),
        accident in 0u8..6, at in any::<prop::sample::Index>(), how in how(),
    ) {
        let how = How { format: Format::Plain, ..how };
        let record = |i: usize, mate: u8, len: usize| {
            format!("@p{i}/{mate}\n{}\n+\n{}\n", "A".repeat(len), "I".repeat(len))
        };
        let mut mates: [Vec<String>; 2] = [1, 2].map(|mate| {
            reads.iter().enumerate()
                .map(|(i, r)| record(i, mate, if mate == 1 { r.0 } else { r.1 })).collect()
        });
        if !reads.is_empty() {
            let at = at.index(reads.len());
            let place = usize::from(accident % 2);
            match accident {
                0 | 1 => drop(mates[place].remove(at)),
                2 | 3 => mates[place][at] = "@broken\nA\n+\nII\n".to_owned(),
                4 => mates[1][at] = record(at, 1, 3),
                _ => {}
            }
        }
        let texts = mates.clone().map(|m| m.concat());
        let inputs = || Inputs::Paired(
            source("one", texts[0].as_bytes(), how), source("two", texts[1].as_bytes(), how));
        let (result, out) = copy(inputs(), how);
        let plain = [plainly("one", texts[0].as_bytes()), plainly("two", texts[1].as_bytes())];
        // Up to which pair everything is well, and what is wrong there.
        let name = |r: &[u8]| r[1..].split(|&b| b == b'\n').next().unwrap().to_vec();
        let good = |i: usize| plain[0].0.get(i).zip(plain[1].0.get(i)).is_some_and(|(a, b)| {
            let (a, b) = (name(a), name(b));
            pair::template_name(&a) == pair::template_name(&b) && a.ends_with(b"1") && b.ends_with(b"2")
        });
        let n = (0..).find(|&i| !good(i)).unwrap();
        prop_assert_eq!(&out[0], &plain[0].0[..n].concat());
        prop_assert_eq!(&out[1], &plain[1].0[..n].concat());
        let here = format!("record {}", n + 1);
        match (plain[0].0.get(n), plain[1].0.get(n), result) {
            (None, None, Ok(units)) => {
                prop_assert_eq!(units, n as u64);
                prop_assert!(plain.iter().all(|p| p.1.is_none()));
            }
            (_, _, Ok(_)) => prop_assert!(false, "pair {} is wrong, and nothing was said", n),
            (_, _, Err(error)) => prop_assert!(error.contains(&here), "{}: {}", here, error),
        }
        // And the same message at any threads and chunks.
        let plainly = How { kind: how.kind, ..PLAINLY };
        prop_assert_eq!(copy(inputs(), how).0, copy(inputs(), plainly).0);
        // Mates one after the other.
        if accident == 5 {
            let text: String = mates[0].iter().zip(&mates[1]).flat_map(|(a, b)| [a.as_str(), b]).collect();
            let (units, again) = copy(Inputs::Interleaved(source("x", text.as_bytes(), how)), how);
            prop_assert_eq!((units, again), (Ok(n as u64), out));
            let odd = text + &record(999, 1, 5);
            let (result, _) = copy(Inputs::Interleaved(source("x", odd.as_bytes(), how)), how);
            prop_assert!(result.unwrap_err().contains("'p999/1' has no mate"));
        }
    }
}

#[test]
fn a_panic_in_the_work_ends_the_call() {
    let text: String = (0..5000).map(|i| format!("@r{i}\nACGT\n+\nIIII\n")).collect();
    for threads in 1..=4 {
        let text = text.clone();
        let ended = std::panic::catch_unwind(move || {
            let options = Options { threads, chunk_size: 500, ..Options::default() };
            let source = Source::from_reader("x", Cursor::new(text.into_bytes()));
            let mut outputs = vec![Output::stream("x", std::io::sink(), Compression::default())];
            let _ = Transform::new(Inputs::Single(source))
                .options_of_each([options.clone(), options])
                .run(
                    &mut outputs,
                    || (),
                    |(), unit, _| assert!(unit.index != 2345, "on purpose"),
                    |(), ()| {},
                );
        });
        assert!(ended.is_err());
    }
}

#[test]
fn an_output_that_fails_ends_the_call() {
    let text: String = (0..5000).map(|i| format!("@r{i}\nACGT\n+\nIIII\n")).collect();
    for (threads, room) in [(1, 0), (2, 3000), (4, 20_000), (3, 60_000)] {
        let options = Options { threads, chunk_size: 500, ..Options::default() };
        let source = Source::from_reader("x", Cursor::new(text.clone().into_bytes()));
        let mut outputs = vec![Output::stream("full", FullDisk(room), Compression::default())];
        let result =
            Transform::new(Inputs::Single(source)).options_of_each([options.clone(), options]).run(
                &mut outputs,
                || (),
                |(), unit, texts| write_record(&mut texts[0], &unit.first).unwrap(),
                |(), ()| {},
            );
        let Err(Failure::Output(error)) = result else { panic!("{threads}: {result:?}") };
        assert!(error.to_string().starts_with("can't write full"), "{error}");
    }
}
