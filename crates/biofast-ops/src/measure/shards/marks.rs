//! Places where records start, at even distances and no more than a bounded number of them.

use std::sync::atomic::{AtomicU64, Ordering};

use biofast_io::Location;

use super::error::{Error, ErrorKind};

/// The most places that are kept of a file: 6 MB of them.
const MOST: usize = 1 << 18;

/// Where a record starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RecordMark {
    /// Its number, from 0.
    pub(super) record: u64,
    /// Its place in the file as stored: a byte, or a virtual offset.
    pub(super) at: u64,
    /// Its place in the decompressed data.
    pub(super) offset: u64,
    /// Where it is aligned, in plans by region: reference and position from 0; of none the largest reference and -1.
    pub(super) aligned: (u32, i32),
}

/// What workers need to know to find them.
pub(super) struct MarkStride {
    /// Records whose number is a multiple of this. It grows while the file is read.
    stride: AtomicU64,
}

impl MarkStride {
    /// No record but each `together`th one may be cut at.
    pub(super) fn new(together: u64) -> MarkStride {
        MarkStride { stride: AtomicU64::new(together.max(1)) }
    }

    /// Numbers of records divided by this are windows, in each of which one may be cut at.
    pub(super) fn stride(&self) -> u64 {
        self.stride.load(Ordering::Relaxed)
    }

    /// The indexes of the records wanted, of `len` records of which the first has the number `first`. Some of them may not be
    /// wanted any more.
    pub(super) fn of(&self, first: u64, len: usize) -> impl Iterator<Item = usize> {
        let stride = self.stride();
        let next = first.next_multiple_of(stride) - first;
        let step = usize::try_from(stride).unwrap_or(usize::MAX);
        (usize::try_from(next).unwrap_or(usize::MAX)..len).step_by(step)
    }
}

/// The places found, in the order of the file.
pub(super) struct RecordMarks {
    stride: u64,
    most: usize,
    pub(super) found: Vec<RecordMark>,
}

/// Marks of records whose numbers are multiples of one number: which one. Of none or one mark it is 1.
pub(super) fn stride(marks: &[RecordMark]) -> u64 {
    marks.get(1).map_or(1, |mark| mark.record.max(1))
}

impl RecordMarks {
    pub(super) fn new(together: u64) -> RecordMarks {
        RecordMarks { stride: together.max(1), most: MOST, found: Vec::new() }
    }

    /// Adds those of the next chunk, and thins all out if they have become too many: the same ones remain whatever the
    /// chunks.
    pub(super) fn add(&mut self, more: &mut Vec<RecordMark>, wanted: &MarkStride) {
        for mark in more.drain(..) {
            if !mark.record.is_multiple_of(self.stride) {
                continue;
            }
            self.found.push(mark);
            if self.found.len() > self.most {
                self.stride *= 2;
                self.found.retain(|mark| mark.record.is_multiple_of(self.stride));
                wanted.stride.store(self.stride, Ordering::Relaxed);
            }
        }
    }
}

impl RecordMarks {
    /// The same of records that not any number may have: the first one remains of each window of numbers.
    pub(super) fn add_firsts(&mut self, more: &mut Vec<RecordMark>, wanted: &MarkStride) {
        for mark in more.drain(..) {
            let window = |mark: &RecordMark, stride: u64| mark.record / stride;
            let last = self.found.last();
            if last.is_some_and(|last| window(last, self.stride) == window(&mark, self.stride)) {
                continue;
            }
            self.found.push(mark);
            if self.found.len() > self.most {
                self.stride *= 2;
                self.found.dedup_by_key(|mark| window(mark, self.stride));
                wanted.stride.store(self.stride, Ordering::Relaxed);
            }
        }
    }
}

/// The error of a record that has no place to cut at, from 0.
pub(super) fn wrapped(name: &str, record: u64) -> Error {
    let at = Location { record: Some(record + 1), ..Location::in_input(&name.into()) };
    Error::new(ErrorKind::Wrapped, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_some_records_the_first_of_each_window_remain_for_any_chunks() {
        // Those that can be cut at are far from even.
        let can_be = |record: &u64| record % 97 < 3 || record % 1000 > 900;
        let found = |chunk: u64, records: u64| {
            let wanted = MarkStride::new(1);
            let mut marks = RecordMarks { most: 50, ..RecordMarks::new(1) };
            for first in (0..records).step_by(chunk as usize) {
                let numbers = (first..records.min(first + chunk)).filter(can_be);
                let mut more =
                    numbers.map(|record| RecordMark { record, ..RecordMark::default() }).collect();
                marks.add_firsts(&mut more, &wanted);
            }
            assert_eq!(wanted.stride(), marks.stride);
            (marks.stride, marks.found)
        };
        for records in [0, 1, 90, 5000, 20_000] {
            let (stride, one) = found(1, records);
            let windows = (0..records).step_by(stride as usize);
            let firsts =
                windows.filter_map(|first| (first..records.min(first + stride)).find(can_be));
            assert_eq!(
                one.iter().map(|mark| mark.record).collect::<Vec<_>>(),
                firsts.collect::<Vec<_>>()
            );
            assert!(one.len() <= 50);
            for chunk in [3, 64, 1000] {
                assert_eq!(found(chunk, records), (stride, one.clone()), "{chunk}");
            }
        }
    }

    #[test]
    fn what_remains_is_even_and_the_same_for_any_chunks() {
        let found = |chunk: u64, records: u64, together: u64| {
            let wanted = MarkStride::new(together);
            let mut marks = RecordMarks { most: 50, ..RecordMarks::new(together) };
            let mut first = 0;
            while first < records {
                let len = chunk.min(records - first) as usize;
                let mark =
                    |index| RecordMark { record: first + index as u64, ..RecordMark::default() };
                let mut more = wanted.of(first, len).map(mark).collect();
                marks.add(&mut more, &wanted);
                first += len as u64;
            }
            (marks.stride, marks.found)
        };
        for (records, together) in
            [(0, 1), (1, 1), (50, 1), (51, 1), (1000, 1), (999, 2), (7777, 2)]
        {
            let (stride, one) = found(1, records, together);
            let expected: Vec<u64> = (0..records).step_by(stride as usize).collect();
            assert_eq!(one.iter().map(|mark| mark.record).collect::<Vec<_>>(), expected);
            assert!(one.len() <= 50 && (records < 50 || one.len() > 24), "{}", one.len());
            for chunk in [3, 64, 1000] {
                assert_eq!(found(chunk, records, together), (stride, one.clone()), "{chunk}");
            }
        }
    }
}
