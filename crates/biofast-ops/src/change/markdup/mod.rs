//! Marking duplicates in the order of the input, which is read twice: once to find them, and once to mark them.
//!
//! Records can be in any order, and aren't sorted. Rules, barcodes and metrics are those of
//! [sorting and marking in one run](super::sort::duplicates).
//!
//! ```
//! use biofast_bam::{Input, InputOptions, Query};
//! use biofast_io::output::{Output, commit};
//! use biofast_io::{Options, Source};
//! use biofast_ops::markdup::{MarkedFormat, find_duplicates};
//! use biofast_ops::sort::SortLimits;
//! use biofast_ops::sort::duplicates::Marking;
//!
//! # let folder = std::env::temp_dir().join(format!("biofast-doc-markdup-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let path = folder.join("marked.sam");
//! let sam = b"@SQ\tSN:c\tLN:99\n\
//!     x\t0\tc\t7\t60\t3M\t*\t0\t0\tACG\tIII\n\
//!     y\t0\tc\t8\t60\t1S2M\t*\t0\t0\tACG\tIFF\n";
//! let options = Options::default();
//! let open = || {
//!     let source = Source::from_reader("example", &sam[..]);
//!     Ok(Query::from(Input::open(source, &InputOptions::new(&options))?.source))
//! };
//! let found = find_duplicates(open, &options, &SortLimits::default(), &Marking::default())?;
//! let (header, query) = open()?.peek_header()?;
//! let mut outputs = vec![Output::create_with(&path, Default::default())?];
//! let marked = found.write(query, &options, &mut outputs, &MarkedFormat::sam(&header))?;
//! commit(outputs, false)?;
//! assert_eq!(marked.counts().duplicate_single, 1);
//! assert!(std::fs::read_to_string(&path)?.contains("y\t1024\tc\t8\t"));
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use biofast_bam::index::Indexer;
use biofast_bam::{self as bam, Batch, Header, Query, Record, SamWriter};
use biofast_io::Options;
use biofast_io::output::Output;
use biofast_io::pipeline::Copies;

use super::sort::SortLimits;
use super::sort::duplicates::{
    DecidedInput, DuplicateCounts, LibraryCounts, MarkDecisions, MarkTally, Marking, SetSizes,
    cleared, decide_anywhere,
};
use crate::Error;
use crate::measure::records::Sum;

/// Which records of an input are duplicates.
pub struct FoundDuplicates {
    marks: MarkDecisions,
    tally: MarkTally,
    sums: bool,
}

/// Finds the duplicates of an input, which `open` opens: once, and a second time if a rule looks for mates and the tags of a read
/// don't tell of its own. All must have the same records.
///
/// The default rule takes what the tags MC and ms (of `samtools fixmate -m`) say, if all reads of pairs have them; else it finds mates by
/// their names. Either way it decides about each read by itself, like `samtools markdup`, while
/// [`sort`](super::sort::duplicates::sort) decides about both mates together.
///
/// # Errors
/// The first fault of the input; if none of the reads examined has a barcode that duplicates should have in common, unless that is allowed;
/// or if a temporary file can't be written or read.
pub fn find_duplicates(
    open: impl FnMut() -> Result<Query, Error>,
    options: &Options,
    limits: &SortLimits,
    marking: &Marking,
) -> Result<FoundDuplicates, Error> {
    let DecidedInput { marks, tally } = decide_anywhere(open, options, limits, marking)?;
    Ok(FoundDuplicates { marks, tally, sums: limits.sums })
}

/// How marked records are written.
pub struct MarkedFormat<'a> {
    /// `None`: as BAM.
    sam: Option<SamWriter>,
    index: Option<&'a Indexer>,
}

impl<'a> MarkedFormat<'a> {
    /// BAM.
    pub fn bam() -> MarkedFormat<'a> {
        MarkedFormat { sam: None, index: None }
    }

    /// BAM with an index: the second output gets the [tickets](Indexer::tickets).
    #[must_use]
    pub fn indexed(self, index: &'a Indexer) -> MarkedFormat<'a> {
        MarkedFormat { index: Some(index), ..self }
    }

    /// SAM, for an input with this header.
    pub fn sam(header: &Header) -> MarkedFormat<'a> {
        MarkedFormat { sam: Some(SamWriter::new(header)), index: None }
    }
}

/// What was marked.
#[derive(Clone)]
pub struct MarkedDuplicates {
    tally: MarkTally,
    sets: SetSizes,
    sums: [Sum; 2],
}

impl MarkedDuplicates {
    /// Counts of records and duplicates.
    pub fn counts(&self) -> DuplicateCounts {
        self.tally.counts()
    }

    /// The same by library, if that was asked for.
    pub fn by_library(&self) -> Vec<LibraryCounts> {
        self.tally.by_library()
    }

    /// How large sets of duplicates are, by the rule of Picard.
    pub fn set_sizes(&self) -> &SetSizes {
        &self.sets
    }

    /// Number and checksum of the records that were read, and of those written, if that was [asked for](SortLimits::sums).
    #[doc(hidden)]
    pub fn sums(&self) -> [Sum; 2] {
        self.sums
    }
}

/// What a worker has.
struct MarkWorker {
    tally: MarkTally,
    sums: [Sum; 2],
    letters: [Vec<u8>; 2],
    cleared: Vec<u8>,
    record: Vec<u8>,
    records: u64,
}

impl FoundDuplicates {
    /// Writes the same input, opened again, marked, to the first of `outputs`, behind what was
    /// [appended](Output::append) to it.
    ///
    /// # Errors
    /// The first fault of the input or failure of an output; or if the input has other records now.
    pub fn write(
        &self,
        query: impl Into<Query>,
        options: &Options,
        outputs: &mut [Output],
        format: &MarkedFormat<'_>,
    ) -> Result<MarkedDuplicates, Error> {
        let query = query.into();
        let name = query.name().to_owned();
        let new = || MarkWorker {
            tally: self.tally.empty(),
            sums: Default::default(),
            letters: Default::default(),
            cleared: Vec::new(),
            record: Vec::new(),
            records: 0,
        };
        let (_, worker) = bam::Transform::new(query).options(options).run_copying(
            outputs,
            new,
            |worker, batch, texts, copies| self.mark(worker, batch, texts, copies, format),
            |worker, other| {
                worker.tally.merge(&other.tally);
                worker.records += other.records;
                worker.sums.iter_mut().zip(other.sums).for_each(|(own, other)| own.add(other));
            },
        )?;
        let mut tally = self.tally.clone();
        if worker.records != tally.counts().read {
            return Err(Error::Changed(name));
        }
        tally.merge(&worker.tally);
        let sets = self.marks.set_sizes().clone();
        Ok(MarkedDuplicates { tally, sets, sums: worker.sums })
    }

    fn mark(
        &self,
        worker: &mut MarkWorker,
        batch: Batch<'_>,
        texts: &mut [Vec<u8>],
        copies: &mut [Copies],
        format: &MarkedFormat<'_>,
    ) -> Result<(), bam::Error> {
        let Some((text, tickets)) = texts.split_first_mut() else { return Ok(()) };
        let start = text.len();
        for (number, stored) in (batch.first_record()..).zip(batch) {
            let record = stored;
            record.check()?;
            worker.records += 1;
            if self.sums {
                worker.sums[0].add_alignment(&record, &mut worker.letters);
            }
            let clears = cleared(&record, self.marks.marking(), &mut worker.cleared);
            let record = if clears { Record::from_checked(&worker.cleared) } else { record };
            let mark = self.marks.of(number, record.flags(), &mut worker.tally);
            worker.tally.add(&record, &mark);
            if mark.removes {
                continue;
            }
            let at = text.len();
            let record = if format.sam.is_none() && mark.type_is_optical.is_none() {
                // Only the flags change, behind the size.
                record.write_bam(text);
                text[at + 18..at + 20].copy_from_slice(&mark.flags.to_le_bytes());
                Record::from_checked(&text[at + 4..])
            } else {
                worker.record.clear();
                worker.record.extend_from_slice(record.as_bytes());
                mark.apply(&mut worker.record);
                let record = Record::from_checked(&worker.record);
                match &format.sam {
                    Some(sam) => sam.write(&record, text)?,
                    None => record.write_bam(text),
                }
                record
            };
            // What is as long as before can be changed as it is stored.
            let copies = copies.first_mut().filter(|_| format.sam.is_none());
            if let Some(copies) = copies
                && record.as_bytes().len() == stored.as_bytes().len()
            {
                batch.copied(&stored, at, copies);
            }
            if self.sums {
                worker.sums[1].add_alignment(&record, &mut worker.letters);
            }
        }
        if let (Some(index), Some(tickets)) = (format.index, tickets.first_mut()) {
            index.note(&text[start..], tickets);
        }
        Ok(())
    }
}
