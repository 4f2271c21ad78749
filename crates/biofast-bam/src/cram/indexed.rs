//! Which parts of a file hold the records of regions, by its index (CRAI).

use std::ops::Range;
use std::path::Path;

use biofast_io::{Location, display_name};

use super::containers::{ContainerHeaders, located};
use super::crai::{self, CraiEntry};
use crate::cram::record::SEVERAL;
use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::input_options::CramRanges;
use crate::region::Regions;

/// How many of the containers that are wanted are looked at before anything is read.
const PROBED: usize = 64;

/// The parts of the CRAM file at `path` that hold its header, every record that overlaps `regions`, and its end: whole containers, in
/// the order of the file. They hold other records, too.
///
/// `resolve` says what regions those are. Beside them the header.
///
/// # Errors
/// If the start of the file can't be read, or there are no such regions. Inside, [`BadIndex`](ErrorKind::BadIndex) if the index isn't that of the
/// file, as it says itself and the headers of some containers do: the first one, the last one, and those that are wanted.
pub(crate) fn wanted_ranges(
    path: &Path,
    index: &Path,
    resolve: impl FnOnce(&Header) -> Result<Regions, Error>,
) -> Result<(Header, Result<CramRanges, Error>), Error> {
    let mut offset = 0;
    let opened = ContainerHeaders::open(path, &mut offset);
    let mut headers = opened.map_err(|kind| located(kind, path, offset))?;
    let regions = resolve(&headers.header)?;
    let ranges = ranges(path, index, &regions, &mut headers);
    Ok((headers.header, ranges))
}

fn ranges(
    path: &Path,
    index: &Path,
    regions: &Regions,
    headers: &mut ContainerHeaders,
) -> Result<CramRanges, Error> {
    let entries = crai::open(index)?;
    let misfit = |why: &str| {
        let at = Location::in_input(&display_name(index).into());
        Error::new(ErrorKind::BadIndex(why.into()), at)
    };
    let listed = Listed::new(entries, headers).map_err(misfit)?;
    let mut probe = |number: usize| match listed.probe(number, headers) {
        Ok(end) => Ok(end),
        Err(ProbeFault::Index(why)) => Err(misfit(why)),
        Err(ProbeFault::File(kind)) => Err(located(kind, path, listed.starts[number])),
    };
    let last = listed.starts.len() - 1;
    probe(0)?;
    let end = probe(last)?;
    let mut ranges = CramRanges::new();
    add(&mut ranges, 0..listed.starts[0]);
    let mut probed = 0;
    for number in 1..=last {
        if !listed.entries_of(number).iter().any(|entry| may_hold(entry, regions)) {
            continue;
        }
        if probed < PROBED {
            probe(number)?;
            probed += 1;
        }
        let next = listed.starts.get(number + 1).copied().unwrap_or(end);
        add(&mut ranges, listed.starts[number]..next);
    }
    // What marks the end of the file, or should.
    add(&mut ranges, end..headers.size);
    Ok(ranges)
}

/// Appends a range, which comes after the others.
fn add(ranges: &mut CramRanges, range: Range<u64>) {
    match ranges.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => ranges.push(range),
    }
}

/// Whether records that overlap regions may be in a slice. A record whose CIGAR takes nothing of the reference is on one position, which writers don't
/// count: one more at the end.
fn may_hold(entry: &CraiEntry, regions: &Regions) -> bool {
    let Ok(reference) = usize::try_from(entry.reference) else {
        return entry.reference == SEVERAL || regions.has_unplaced();
    };
    let start = entry.start.saturating_sub(1);
    let end = start.saturating_add(entry.span.max(0)).saturating_add(1);
    let intervals = regions.on(reference);
    let next = intervals.partition_point(|interval| interval.end <= start);
    intervals.get(next).is_some_and(|interval| interval.start < end)
}

/// The containers that an index lists. The first one is what comes before all records: those behind the header that have none.
struct Listed {
    entries: Vec<CraiEntry>,
    /// Where each starts.
    starts: Vec<u64>,
}

enum ProbeFault {
    /// What shows that the index isn't that of the file.
    Index(&'static str),
    File(ErrorKind),
}

impl Listed {
    /// Those in the lines of an index, if they can be those of a file.
    fn new(
        mut entries: Vec<CraiEntry>,
        headers: &ContainerHeaders,
    ) -> Result<Listed, &'static str> {
        let references = headers.header.references().len();
        let mut starts = vec![headers.first];
        entries.sort_by_key(|entry| entry.container);
        for entry in &entries {
            if usize::try_from(entry.reference).is_ok_and(|reference| reference >= references) {
                return Err("it lists references that the file doesn't have");
            }
            if entry.container < headers.first {
                return Err("it points into the header");
            }
            if entry.container >= headers.size {
                return Err("it points past the end of the file");
            }
            if starts.len() == 1 || starts.last() != Some(&entry.container) {
                starts.push(entry.container);
            }
        }
        Ok(Listed { entries, starts })
    }

    /// The lines of a container; none of what comes before all records.
    fn entries_of(&self, number: usize) -> &[CraiEntry] {
        let Some(&start) = self.starts.get(number).filter(|_| number > 0) else { return &[] };
        let from = self.entries.partition_point(|entry| entry.container < start);
        let len = self.entries[from..].partition_point(|entry| entry.container == start);
        &self.entries[from..from + len]
    }

    /// Looks whether a container is what the index says, and whether the next one that has records is the next one of the index, or
    /// there is none. Returns where the containers end that have records: where that one starts, or what marks the end.
    fn probe(&self, number: usize, headers: &mut ContainerHeaders) -> Result<u64, ProbeFault> {
        let misfit = |why| Err(ProbeFault::Index(why));
        let mut at = self.starts[number];
        let entries = self.entries_of(number);
        if number > 0 {
            let stated = match headers.read(at) {
                Ok(Some(stated)) => stated,
                Err(ErrorKind::Io(error)) if is_of_disk(&error) => {
                    return Err(ProbeFault::File(ErrorKind::Io(error)));
                }
                Ok(None) | Err(_) => return misfit("no container starts where it says"),
            };
            let is_same = |entry: &CraiEntry| {
                (stated.reference == SEVERAL || stated.reference == entry.reference)
                    && stated.landmarks.iter().any(|&at| u64::try_from(at) == Ok(entry.slice))
            };
            if stated.records == 0 || !entries.iter().all(is_same) {
                return misfit("the slices of the file are not those it lists");
            }
            at += stated.header_len + stated.len;
        }
        loop {
            match headers.read(at) {
                Ok(Some(stated)) if stated.records == 0 && !stated.is_eof => {
                    at += stated.header_len + stated.len;
                }
                // Where the file is damaged is told by who reads it.
                Ok(Some(stated)) if stated.is_eof => break,
                Ok(None) => break,
                Err(ErrorKind::Io(error)) if is_of_disk(&error) => {
                    return Err(ProbeFault::File(ErrorKind::Io(error)));
                }
                Ok(Some(_)) | Err(_) if self.starts.get(number + 1) == Some(&at) => return Ok(at),
                Ok(Some(_)) => return misfit("the file has containers that it doesn't list"),
                Err(_) => break,
            }
        }
        match self.starts.get(number + 1) {
            None => Ok(at),
            Some(_) => misfit("the file doesn't have all containers that it lists"),
        }
    }
}

/// Whether bytes can't be had, and aren't wrong.
fn is_of_disk(error: &biofast_io::Error) -> bool {
    matches!(error.kind(), biofast_io::ErrorKind::Io(_))
}
