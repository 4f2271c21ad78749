//! Folds that end early end where a plain loop over the records would, whatever the threads.

use std::ops::ControlFlow::{self, Break, Continue};

use biofast_fastq::{Batch, Error, ErrorKind, Fold, Inputs, Reader, Transform, write_record};
use biofast_io::output::{self, Output};
use biofast_io::pipeline::Failure;
use biofast_io::{CancellationToken, IoMode, Options, Source};
use biofast_testkit::container::{KINDS, wrap};
use proptest::prelude::*;

/// What ends a fold besides the end of the data, each at the record of its number.
#[derive(Clone, Debug)]
struct Ends {
    records: u64,
    limit: Option<u64>,
    /// A line that isn't one of FASTQ.
    fault: Option<u64>,
    enough: Option<u64>,
    refused: Option<u64>,
    sink_fails: Option<u64>,
}

/// Why a fold failed.
#[derive(Debug, PartialEq)]
enum Why {
    Fault,
    Refused(u64),
    SinkFailed(u64),
}

impl From<Error> for Why {
    fn from(error: Error) -> Why {
        assert!(
            matches!(error.kind(), ErrorKind::ExpectedAt { .. } | ErrorKind::OtherFormat { .. }),
            "{error}"
        );
        Why::Fault
    }
}

impl Ends {
    /// How many records come before the end, and the end: a plain loop.
    fn expected(&self, has_sink: bool) -> (u64, Result<(), Why>) {
        for record in 0..self.records {
            let here = |end: Option<u64>| end == Some(record);
            if here(self.limit) {
                return (record, Ok(()));
            }
            if here(self.fault) {
                return (record, Err(Why::Fault));
            }
            if here(self.enough) {
                return (record, Ok(()));
            }
            if here(self.refused) {
                return (record, Err(Why::Refused(record)));
            }
            if has_sink && here(self.sink_fails) {
                return (record, Err(Why::SinkFailed(record)));
            }
        }
        (self.records, Ok(()))
    }

    fn text(&self) -> Vec<u8> {
        let record = |number| match self.fault == Some(number) {
            true => "no header\n".to_owned(),
            false => format!("@r{number}\nACGT\n+\nIIII\n"),
        };
        (0..self.records).map(record).collect::<String>().into_bytes()
    }

    /// Takes the numbers of a batch into `taken`, up to an end.
    fn accept(&self, taken: &mut Vec<u64>, batch: Batch<'_>) -> Result<ControlFlow<()>, Why> {
        for (number, read) in (batch.first_record()..).zip(batch) {
            assert_eq!(read.name(), format!("r{number}").as_bytes());
            if self.enough == Some(number) {
                return Ok(Break(()));
            }
            if self.refused == Some(number) {
                return Err(Why::Refused(number));
            }
            taken.push(number);
        }
        Ok(Continue(()))
    }
}

fn ends() -> impl Strategy<Value = Ends> {
    let end = || prop_oneof![2 => Just(None), 1 => (0..400u64).prop_map(Some)];
    (1..400u64, end(), end(), end(), end(), end()).prop_map(
        |(records, limit, fault, enough, refused, sink_fails)| Ends {
            records,
            limit,
            fault,
            enough,
            refused,
            sink_fails,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_fold_ends_at_the_first_end_of_the_data(
        ends in ends(),
        threads in 1..5usize,
        chunk_size in 1..3000usize,
        kind in 0..KINDS.len(),
    ) {
        let options = Options { threads, chunk_size, io: IoMode::Read, ..Options::serial() };
        let data = wrap(KINDS[kind], &ends.text());
        let source = || Source::from_reader("x", std::io::Cursor::new(data.clone()));

        let result = Fold::new(source()).options(&options).limit(ends.limit).run(
            Vec::new,
            |taken, batch| ends.accept(taken, batch),
            |mine, theirs| mine.extend(theirs),
        );
        let (mut taken, end) = match result {
            Ok(taken) => (taken, Ok(())),
            Err(fault) => (fault.so_far, Err(fault.error)),
        };
        taken.sort_unstable();
        let (count, expected) = ends.expected(false);
        let by_accept = ends.enough.or(ends.refused).is_some();
        prop_assert_eq!(end, expected);
        prop_assert!(taken.iter().copied().take(count as usize).eq(0..count));
        prop_assert!(by_accept || taken.len() as u64 == count);

        let mut taken = Vec::new();
        let result = Fold::new(source()).options(&options).limit(ends.limit).ordered(
            || (),
            |(), batch, some: &mut Vec<u64>| ends.accept(some, batch),
            |(), ()| (),
            |some| {
                for number in some.drain(..) {
                    if ends.sink_fails == Some(number) {
                        return Err(Why::SinkFailed(number));
                    }
                    taken.push(number);
                }
                Ok(())
            },
        );
        let (count, expected) = ends.expected(true);
        prop_assert_eq!(result.map_err(|fault| fault.error), expected);
        prop_assert!(taken.into_iter().eq(0..count));
    }

    #[test]
    fn a_transform_ends_where_its_function_does(
        at in 0..300u64,
        fails in any::<bool>(),
        paired in any::<bool>(),
        threads in 1..5usize,
        chunk_size in 1..3000usize,
    ) {
        let ends = Ends {
            records: 200, limit: None, fault: None, enough: None, refused: None, sink_fails: None,
        };
        let text = ends.text();
        let source = || Source::from_reader("x", std::io::Cursor::new(text.clone()));
        let inputs = if paired { Inputs::Paired(source(), source()) } else { Inputs::Single(source()) };
        let options = Options { threads, chunk_size, io: IoMode::Read, ..Options::serial() };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.fq");
        let mut outputs = vec![Output::create(&path).unwrap()];
        let result = Transform::new(inputs).options(&options).run(
            &mut outputs,
            || (),
            |(), unit, texts| {
                if unit.index == at {
                    return if fails { Err(Why::Refused(at)) } else { Ok(Break(())) };
                }
                write_record(&mut texts[0], &unit.first).unwrap();
                Ok(Continue(()))
            },
            |(), ()| (),
        );
        match result {
            Err(Failure::Input(why)) => {
                prop_assert!(fails && at < ends.records);
                prop_assert_eq!(why, Why::Refused(at));
                prop_assert!(output::commit(outputs, false).is_err());
            }
            Err(Failure::Output(error)) => prop_assert!(false, "{error}"),
            Ok(()) => {
                prop_assert!(!fails || at >= ends.records);
                output::commit(outputs, false).unwrap();
                let records = at.min(ends.records);
                prop_assert_eq!(std::fs::read(&path).unwrap(), Ends { records, ..ends }.text());
            }
        }
    }

    #[test]
    fn what_was_read_before_a_cancellation_is_a_start_of_the_data(
        at in 0..2000u64,
        threads in 1..5usize,
        kind in 0..KINDS.len(),
    ) {
        let ends = Ends {
            records: 2000, limit: None, fault: None, enough: None, refused: None, sink_fails: None,
        };
        let token = CancellationToken::new();
        let cancellation = Some(token.clone());
        let options =
            Options { threads, chunk_size: 500, io: IoMode::Read, cancellation, ..Options::serial() };
        let data = wrap(KINDS[kind], &ends.text());
        let source = Source::from_reader("x", std::io::Cursor::new(data.clone()));
        let result = Fold::new(source).options(&options).run(
            Vec::new,
            |taken, batch| {
                taken.extend((batch.first_record()..).take(batch.len()));
                if taken.contains(&at) {
                    token.cancel();
                }
            },
            |mine, theirs| mine.extend(theirs),
        );
        let mut taken = match result {
            Ok(taken) => {
                prop_assert_eq!(taken.len(), 2000);
                taken
            }
            Err(fault) => {
                let error = fault.error;
                prop_assert!(error.to_string().ends_with("cancelled"), "{error}");
                fault.so_far
            }
        };
        taken.sort_unstable();
        prop_assert!(taken.len() as u64 > at);
        prop_assert!(taken.iter().copied().eq(0..taken.len() as u64));

        let mut reader = Reader::new(Source::from_reader("x", std::io::Cursor::new(data)), &options).unwrap();
        prop_assert!(reader.next_record().is_err(), "a token stays cancelled");
    }
}
