//! Trimming and selecting the reads of unaligned BAM as those of FASTQ.
//!
//! ```
//! use biofast_bam::{Fold, Input, InputOptions};
//! use biofast_io::{Options, Source};
//! use biofast_ops::filter::alignment::Choice;
//! use biofast_ops::filter::{Filter, trim::Crop, unaligned::UnalignedWorker};
//!
//! let sam = b"@HD\tVN:1.6\n\
//!     r\t4\t*\t0\t0\t*\t*\t0\t0\tACCGTC\tIIIIII\tMM:Z:C+m,0,1;\tML:B:C,7,9\n";
//! let options = Options::default();
//! let opened = InputOptions { io: &options, reference: None, detail: Default::default() };
//! let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
//!
//! let filter = Filter::new().trim(Crop { front: [2, 2], tail: [0, 0] });
//! let choice = Choice::new();
//! let (_, (_, tags)) = Fold::new(input.source)
//!     .options(&options)
//!     .run(
//!         || (UnalignedWorker::new(&filter, &choice), Vec::new()),
//!         |(worker, tags), batch| {
//!             let read = worker.apply(batch, |record, _| {
//!                 tags.extend_from_slice(record.tag_bytes());
//!                 Ok(())
//!             });
//!             // A read that can't be trimmed is named in the error.
//!             assert!(read.is_ok());
//!         },
//!         |(worker, _), (other, _)| worker.merge(other),
//!     )
//!     .map_err(|fault| fault.error)?;
//! assert_eq!(tags, b"MMZC+m,1;\0MLBC\x01\0\0\0\x09");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::convert::Infallible;
use std::ops::Range;

use biofast_bam::{Batch, Error, Header, Record, flag};
use biofast_fastq::{self as fastq, Unit};
use biofast_kernels as kernels;

use super::alignment::Choice;
use super::chain::{self, Filter, ReadSink};
use super::read::TrimmedRead;
use super::tally::{FilterTally, Reason};

/// Flags of reads that are aligned, or stored as if they were.
const ALIGNED: u16 = flag::REVERSE | flag::SECONDARY | flag::SUPPLEMENTARY;

/// Applies a [`Filter`] to unaligned records, and before that a [`Choice`], and counts.
pub struct UnalignedWorker<'f> {
    chain: chain::FilterWorker<'f>,
    choice: &'f Choice,
    /// The letters and qualities of the reads at hand.
    scratch: [[Vec<u8>; 2]; 2],
    /// A record as trimmed.
    trimmed: Vec<u8>,
}

impl<'f> UnalignedWorker<'f> {
    /// A worker without counts. Of the filter's routes none matters.
    pub fn new(filter: &'f Filter, choice: &'f Choice) -> UnalignedWorker<'f> {
        let (scratch, trimmed) = (Default::default(), Vec::new());
        UnalignedWorker { chain: filter.worker(), choice, scratch, trimmed }
    }

    /// The counts so far.
    pub fn tally(&self) -> &FilterTally {
        self.chain.tally()
    }

    /// Adds the counts of another worker of the same filter.
    pub fn merge(&mut self, other: UnalignedWorker<'_>) {
        self.chain.merge(other.chain);
    }

    /// Trims and judges the reads of a batch, in which records of the same name must not be parted
    /// from those before or behind it. `write` gets each record as it is to be written, and
    /// whether it is kept; those that aren't are as they came in.
    ///
    /// A read flagged as one of two must have its mate beside it.
    ///
    /// # Errors
    /// A read that is aligned, has no mate, has no qualities, or carries what can't be trimmed;
    /// the error of `write`.
    pub fn apply(
        &mut self,
        batch: Batch<'_>,
        mut write: impl FnMut(&Record<'_>, bool) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let header = batch.header();
        let mut records = batch.iter();
        // Nothing that depends on it can be asked for.
        let index = 0;
        while let Some(record) = records.next() {
            let Some(mate) = mate_of(&record) else {
                self.unit(index, [record; 2], &[0], header, &mut write)?;
                continue;
            };
            let other = records.clone().next().filter(|other| other.name() == record.name());
            let Some(other) = other.filter(|other| mate_of(other) == Some(1 - mate)) else {
                return Err(
                    record.undecided("it is flagged as paired, but its mate is not next to it")
                );
            };
            records.next();
            // They are written in the order they are in.
            match mate {
                0 => self.unit(index, [record, other], &[0, 1], header, &mut write)?,
                _ => self.unit(index, [other, record], &[1, 0], header, &mut write)?,
            }
        }
        Ok(())
    }

    /// One read, or both of a pair; `order` is that of the mates in the file.
    fn unit(
        &mut self,
        index: u64,
        records: [Record<'_>; 2],
        order: &[usize],
        header: &Header,
        write: &mut impl FnMut(&Record<'_>, bool) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut unwanted = [false; 2];
        for &mate in order {
            decode(&records[mate], &mut self.scratch[mate])?;
            unwanted[mate] = self.choice.objection(&records[mate], header)?.is_some();
        }
        let read = |mate: usize| {
            let [letters, qualities] = &self.scratch[mate];
            fastq::Record::new(records[mate].name(), letters, qualities)
        };
        let second = (order.len() == 2).then(|| read(1));
        let unit = Unit { index, first: read(0), second };
        let mut kept = MateSlices::default();
        let Ok(()) = self.chain.apply_to(unit, unwanted, &mut kept);
        for &mate in order {
            let record = records[mate];
            match &kept.0[mate] {
                None => write(&record, false)?,
                Some(ReadSlice { bases, name: None }) if bases.len() == record.sequence_len() => {
                    write(&record, true)?;
                }
                Some(ReadSlice { bases, name }) => {
                    let name = name.as_deref().unwrap_or(record.name());
                    let trimmed = record.trimmed(name, bases.clone(), &mut self.trimmed)?;
                    write(&trimmed, true)?;
                }
            }
        }
        Ok(())
    }
}

/// 0 or 1 if the read is flagged as the first or second of two.
fn mate_of(record: &Record<'_>) -> Option<usize> {
    let flags = record.flags();
    match (flags & flag::PAIRED != 0, flags & flag::READ1 != 0, flags & flag::READ2 != 0) {
        (true, true, false) => Some(0),
        (true, false, true) => Some(1),
        _ => None,
    }
}

/// Letters and qualities as FASTQ has them.
fn decode(record: &Record<'_>, [letters, qualities]: &mut [Vec<u8>; 2]) -> Result<(), Error> {
    if record.flags() & flag::UNMAPPED == 0 || record.flags() & ALIGNED != 0 {
        return Err(record.undecided("it is aligned, but only unaligned reads can be trimmed"));
    }
    letters.clear();
    qualities.clear();
    kernels::unpack_bases(record.packed_sequence(), record.sequence_len(), letters);
    let raw = record.qualities();
    if kernels::is_missing(raw.as_slice()) {
        return Err(record.undecided("it has no qualities"));
    }
    record.check_qualities()?;
    kernels::copy_qualities(raw.as_slice(), qualities);
    Ok(())
}

/// What is kept of each mate.
#[derive(Default)]
struct MateSlices([Option<ReadSlice>; 2]);

/// Some bases of a read.
struct ReadSlice {
    bases: Range<usize>,
    /// The read's name if it is a new one.
    name: Option<Vec<u8>>,
}

impl ReadSink for MateSlices {
    type Error = Infallible;

    fn keep(
        &mut self,
        read: &TrimmedRead<'_>,
        definition: &[u8],
        mate: usize,
        _: usize,
    ) -> Result<(), Infallible> {
        let name = (definition != read.record().definition()).then(|| definition.to_vec());
        self.0[mate] = Some(ReadSlice { bases: read.range(), name });
        Ok(())
    }

    fn reject(&mut self, _: &TrimmedRead<'_>, _: usize, _: Reason) -> Result<(), Infallible> {
        Ok(())
    }
}
