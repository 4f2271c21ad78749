//! Sorting alignments, in a bounded amount of memory.
//!
//! Records are gathered with keys that compare as bytes. What has filled its share of the memory is sorted and goes to a
//! temporary file as a run; in the end all runs are merged. Each record carries its number in the input, which decides
//! between equal ones: the result does not depend on memory, threads, or which run a record was in.
//!
//! ```
//! use biofast_bam::Reader;
//! use biofast_ops::sort::{Order, SortLimits, Sorter};
//!
//! let sam = b"@SQ\tSN:c\tLN:99\nx\t0\tc\t7\t60\t1M\t*\t0\t0\tA\tI\ny\t0\tc\t3\t60\t1M\t*\t0\t0\tA\tI\n";
//! let mut reader = Reader::from_reader("example", &sam[..])?;
//! let mut sorter = Sorter::new(Order::Coordinate, &SortLimits::default());
//! while let Some(record) = reader.next_record()? {
//!     sorter.add(&record)?;
//! }
//! let mut sorted = sorter.finish(reader.header(), 1)?;
//! let mut names = Vec::new();
//! while let Some(record) = sorted.next_record()? {
//!     names.push(record.name().to_vec());
//! }
//! assert_eq!(names, [b"y", b"x"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod duplicates;
pub(super) mod gather;
mod key;
pub(super) mod merge;
mod pack;
mod sorted;
mod sorter;
pub(super) mod stored;
pub(super) mod template;

pub use key::Order;
pub use sorted::{copy, is_sorted};
pub use sorter::{SortLimits, SortSummary, Sorted, Sorter};

use std::ops::ControlFlow;
use std::sync::Arc;

use biofast_bam::{self as bam, Query};
use biofast_io::Options;

use crate::Error;

/// Sorts all records of an input, or those of a query, on `options.threads` threads.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions};
/// use biofast_io::{Options, Source};
/// use biofast_ops::sort::{Order, SortLimits, sort};
///
/// let sam = b"b\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\na\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let mut sorted = sort(input.source, &options, Order::NaturalName, &SortLimits::default())?;
/// assert_eq!(sorted.next_record()?.map(|record| record.name()), Some(&b"a"[..]));
/// assert_eq!(sorted.summary().records, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first fault of the input, or if a temporary file can't be written or read.
pub fn sort(
    input: impl Into<Query>,
    options: &Options,
    order: Order,
    limits: &SortLimits,
) -> Result<Sorted, Error> {
    let input = input.into();
    let name: Arc<str> = input.name().into();
    let share = SortLimits { memory: limits.memory / options.threads.max(1), ..limits.clone() };
    let new = || match options.threads {
        0 | 1 => Sorter::new(order, &share),
        _ => Sorter::new(order, &share).storing_beside(),
    };
    let mut trouble = None;
    let result = bam::Fold::new(input).options(options).ordered(
        new,
        |sorter, batch, failed: &mut Option<Error>| {
            sorter.know(batch.header());
            let mut numbered = (batch.first_record()..).zip(batch);
            *failed = numbered.find_map(|(number, record)| {
                sorter.add_as(number, &record).map_err(|e| e.of_record(&name, number + 1)).err()
            });
        },
        Sorter::merge,
        |failed| {
            trouble = failed.take();
            if trouble.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    // What a worker couldn't do is worse than what the input has behind it.
    if let Some(trouble) = trouble {
        return Err(trouble);
    }
    let (header, mut sorter) = result?;
    sorter.limits = limits.clone();
    sorter.finish(&header, options.threads)
}

#[cfg(test)]
mod tests {
    use biofast_bam::{Header, RecordBuf, flag};
    use biofast_testkit::effort::times;
    use biofast_testkit::random::Random;

    use super::sorter::FEWEST_RUNS;
    use super::*;

    /// A record that has its number as mapping quality and template length.
    fn record(random: &mut Random, number: usize) -> RecordBuf {
        let name = ["a", "a1", "a10", "a9", "b"][random.below(5)];
        let builder = match random.below(4) {
            0 => RecordBuf::unmapped(name),
            reference => {
                let (reference, position) = (reference as i32 - 1, random.below(4) as i32);
                RecordBuf::mapped(name, reference, position, "2M".parse().unwrap())
            }
        };
        let reverse = if random.chance(50) { flag::REVERSE } else { 0 };
        let mut record = builder.sequence(b"AC").build().unwrap();
        record.set_flags(record.flags() | reverse);
        record.set_template_len(number as i32);
        record
    }

    #[test]
    fn many_sets_are_sorted_as_a_stable_sort_does_in_any_memory() {
        let text = "@SQ\tSN:x\tLN:99\n@SQ\tSN:y\tLN:99\n@SQ\tSN:z\tLN:99\n";
        let header = Header::from_text(text.as_bytes()).unwrap();
        let mut random = Random(5);
        let mut runs = 0;
        for set in 0..times(300) {
            let n = random.below(if set % 50 == 0 { 20_000 } else { 60 });
            let records: Vec<_> = (0..n).map(|number| record(&mut random, number)).collect();
            // What is gathered by several threads: each has some of the records, in their order.
            let workers = 1 + random.below(3);
            let limits = SortLimits { memory: 16 << 10, ..SortLimits::default() };
            let mut sorters: Vec<_> =
                (0..workers).map(|_| Sorter::new(Order::Coordinate, &limits)).collect();
            if random.chance(50) {
                sorters = sorters.into_iter().map(Sorter::storing_beside).collect();
            }
            let mut bytes = Vec::new();
            for (number, record) in (0..).zip(&records) {
                bytes.clear();
                let record = record.write_bam(&header, &mut bytes).unwrap();
                sorters[random.below(workers)].add_as(number, &record).unwrap();
            }
            let mut all = sorters.pop().unwrap();
            sorters.into_iter().for_each(|sorter| all.merge(sorter));
            let mut sorted = all.finish(&header, 1 + set as usize % 3).unwrap();
            assert_eq!(sorted.summary().records, n as u64);
            runs = runs.max(sorted.summary().stored_runs);
            let mut expected: Vec<_> = records.iter().collect();
            expected.sort_by_key(|record| {
                let reference = record.reference_id() as u32;
                (reference, record.position(), record.flags() & flag::REVERSE != 0)
            });
            for record in expected {
                let found = sorted.next_record().unwrap().unwrap();
                assert_eq!(found.template_len(), record.template_len());
                assert_eq!(found.name(), record.name());
            }
            assert!(sorted.next_record().unwrap().is_none());
        }
        assert!(runs > 2 * FEWEST_RUNS as u64, "{runs} runs at most: none were merged twice");
    }
}
