//! Marking duplicates in the order of the input, which is read twice: once to find them, and once to mark them. Of sorted input
//! [one reading](mark_at_once) may be enough.
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
use biofast_io::pipeline::{Copies, Failure};

use super::sort::SortLimits;
use super::sort::duplicates::{
    DecidedInput, DuplicateCounts, DuplicateWindow, LibraryCounts, MarkDecisions, MarkTally,
    Marking, SetSizes, SurveyedRecords, Undecidable, WindowSurveyor, check_barcodes, cleared,
    decide_anywhere,
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
    copied: bool,
}

impl<'a> MarkedFormat<'a> {
    /// BAM.
    pub fn bam() -> MarkedFormat<'a> {
        MarkedFormat { sam: None, index: None, copied: false }
    }

    /// BAM with an index: the second output gets the [tickets](Indexer::tickets).
    #[must_use]
    #[doc(hidden)]
    pub fn indexed(self, index: &'a Indexer) -> MarkedFormat<'a> {
        MarkedFormat { index: Some(index), ..self }
    }

    /// With `copied`, the last output gets the same records as BAM without a header, for whoever counts them.
    #[must_use]
    #[doc(hidden)]
    pub fn copied(self, copied: bool) -> MarkedFormat<'a> {
        MarkedFormat { copied, ..self }
    }

    /// SAM, for an input with this header.
    pub fn sam(header: &Header) -> MarkedFormat<'a> {
        MarkedFormat { sam: Some(SamWriter::new(header)), ..MarkedFormat::bam() }
    }
}

/// Marks the duplicates of an input and writes it, as [`find_duplicates`] and [`FoundDuplicates::write`] do, while it is read once.
///
/// `None` if that can't be done, or it turns out that it can't: if the records aren't in coordinate order, reads of pairs lack the tags
/// MC and ms, the rule is that of Picard, marks spread to other records or optical duplicates are told from others, a read begins or
/// ends 500 bases from its position or further on, or records would have to wait in more memory than they may. Then the outputs can't be used.
///
/// # Errors
/// As [`find_duplicates`] and [`FoundDuplicates::write`].
pub fn mark_at_once(
    query: impl Into<Query>,
    options: &Options,
    limits: &SortLimits,
    marking: &Marking,
    outputs: &mut [Output],
    format: &MarkedFormat<'_>,
) -> Result<Option<MarkedDuplicates>, Error> {
    let query = query.into();
    let name = query.name().to_owned();
    let (header, query) = query.peek_header()?;
    if !DuplicateWindow::is_for(&header, marking) {
        return Ok(None);
    }
    let no_marks = MarkTally::of(marking, &header);
    let mut window = DuplicateWindow::new(marking, limits.memory);
    let survey = |(surveyor, _): &mut (WindowSurveyor, MarkWorker),
                  batch: Batch<'_>,
                  found: &mut SurveyedRecords| surveyor.survey(&batch, found);
    let decide = |found: Option<SurveyedRecords>, decided: &mut Vec<MarkDecisions>| {
        window.take(found, decided).map_err(|Undecidable| MarkFailure::Undecidable)
    };
    let result = bam::Transform::new(query).options(options).run_surveyed(
        outputs,
        || (WindowSurveyor::new(marking, &header), MarkWorker::new(&no_marks)),
        (survey, decide),
        |(_, worker), batch, marks, texts, copies| {
            Ok(worker.mark(marks, limits.sums, batch, texts, copies, format)?)
        },
        |(surveyor, worker), (other, more)| {
            surveyor.merge(&other);
            worker.merge(more);
        },
    );
    let (_, (surveyor, worker)) = match result {
        Ok(done) => done,
        Err(Failure::Input(MarkFailure::Undecidable)) => return Ok(None),
        Err(Failure::Input(MarkFailure::Input(error))) => return Err(error.into()),
        Err(Failure::Output(error)) => return Err(Failure::<bam::Error>::Output(error).into()),
    };
    let mut tally = no_marks;
    window.count(&surveyor, worker.records, &mut tally);
    check_barcodes(&name, &tally.counts(), marking)?;
    tally.merge(&worker.tally);
    Ok(Some(MarkedDuplicates { tally, sets: SetSizes::default(), sums: worker.sums }))
}

/// Why marking ended.
enum MarkFailure {
    Undecidable,
    Input(bam::Error),
}

impl From<bam::Error> for MarkFailure {
    fn from(error: bam::Error) -> Self {
        MarkFailure::Input(error)
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
        let (_, worker) = bam::Transform::new(query).options(options).run_copying(
            outputs,
            || MarkWorker::new(&self.tally),
            |worker, batch, texts, copies| {
                batch.iter().try_for_each(|record| record.check())?;
                worker.mark(&self.marks, self.sums, batch, texts, copies, format)
            },
            MarkWorker::merge,
        )?;
        let mut tally = self.tally.clone();
        if worker.records != tally.counts().read {
            return Err(Error::Changed(name));
        }
        tally.merge(&worker.tally);
        let sets = self.marks.set_sizes().clone();
        Ok(MarkedDuplicates { tally, sets, sums: worker.sums })
    }
}

impl MarkWorker {
    /// One that counts what `tally` does.
    fn new(tally: &MarkTally) -> MarkWorker {
        MarkWorker {
            tally: tally.empty(),
            sums: Default::default(),
            letters: Default::default(),
            cleared: Vec::new(),
            record: Vec::new(),
            records: 0,
        }
    }

    fn merge(&mut self, other: MarkWorker) {
        self.tally.merge(&other.tally);
        self.records += other.records;
        self.sums.iter_mut().zip(other.sums).for_each(|(own, other)| own.add(other));
    }

    /// Appends the records of a batch, which keep the rules, marked to the first text.
    fn mark(
        &mut self,
        marks: &MarkDecisions,
        sums: bool,
        batch: Batch<'_>,
        texts: &mut [Vec<u8>],
        copies: &mut [Copies],
        format: &MarkedFormat<'_>,
    ) -> Result<(), bam::Error> {
        let Some((text, tickets)) = texts.split_first_mut() else { return Ok(()) };
        let (mut copy, tickets) = match tickets.split_last_mut() {
            Some((copy, tickets)) if format.copied => (Some(copy), tickets),
            _ => (None, tickets),
        };
        let start = text.len();
        for (number, stored) in (batch.first_record()..).zip(batch) {
            let record = stored;
            self.records += 1;
            if sums {
                self.sums[0].add_alignment(&record, &mut self.letters);
            }
            let clears = cleared(&record, marks.marking(), &mut self.cleared);
            let record = if clears { Record::from_checked(&self.cleared) } else { record };
            let mark = marks.of(number, record.flags(), &mut self.tally);
            self.tally.add(&record, &mark);
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
                self.record.clear();
                self.record.extend_from_slice(record.as_bytes());
                mark.apply(&mut self.record);
                let record = Record::from_checked(&self.record);
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
            if let Some(copy) = &mut copy {
                record.write_bam(copy);
            }
            if sums {
                self.sums[1].add_alignment(&record, &mut self.letters);
            }
        }
        if let (Some(index), Some(tickets)) = (format.index, tickets.first_mut()) {
            index.note(&text[start..], tickets);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use biofast_bam::{Input, InputOptions};
    use biofast_io::Source;
    use biofast_io::output::commit;
    use biofast_testkit::effort;
    use biofast_testkit::small::{self, TemplateShape};

    use super::super::sort::duplicates::{self, BarcodeSource, DuplicateRule};
    use super::*;

    fn open(sam: &[u8], options: &Options) -> Result<Query, Error> {
        let source = Source::from_reader("x", std::io::Cursor::new(sam.to_vec()));
        Ok(Query::from(Input::open(source, &InputOptions::new(options))?.source))
    }

    /// Templates in coordinate order, with the tags of fixmate.
    fn sorted(shape: &TemplateShape) -> Vec<u8> {
        let options = Options::serial();
        let query = open(small::text(shape).as_bytes(), &options).unwrap();
        let marking = Marking { clear: true, ..Marking::default() };
        let mut sorted =
            duplicates::sort(query, &options, &SortLimits::default(), &marking).unwrap();
        let mut header = Vec::new();
        sorted.header().write_sam(&mut header).unwrap();
        let header = String::from_utf8(header).unwrap();
        let (_, rest) = header.split_once('\n').unwrap();
        let mut sam = format!("@HD\tVN:1.6\tSO:coordinate\n{rest}").into_bytes();
        let writer = SamWriter::new(sorted.header());
        while let Some(record) = sorted.next_record().unwrap() {
            writer.write(&record, &mut sam).unwrap();
        }
        sam
    }

    /// What is written, with what is counted, at once or in two passes.
    fn mark(
        sam: &[u8],
        options: &Options,
        marking: &Marking,
        limits: &SortLimits,
        at_once: bool,
    ) -> Option<(Vec<u8>, String)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("marked.sam");
        let (header, query) = open(sam, options).unwrap().peek_header().unwrap();
        let format = MarkedFormat::sam(&header);
        let mut outputs = vec![Output::create_with(&path, Default::default()).unwrap()];
        let marked = match at_once {
            true => {
                mark_at_once(query, options, limits, marking, &mut outputs, &format).unwrap()?
            }
            false => {
                let found =
                    find_duplicates(|| open(sam, options), options, limits, marking).unwrap();
                found.write(query, options, &mut outputs, &format).unwrap()
            }
        };
        commit(outputs, false).unwrap();
        let counted = format!("{:?} {:?}", marked.counts(), marked.by_library());
        Some((std::fs::read(&path).unwrap(), counted))
    }

    #[test]
    fn what_is_decided_at_once_is_what_is_decided_of_all() {
        let limits = SortLimits::default();
        for seed in 0..u64::from(effort::times(8)) {
            let shape = TemplateShape { seed, sets: 20, templates: 30, ..TemplateShape::default() };
            let sam = sorted(&shape);
            let marking = Marking {
                clear: true,
                remove: seed % 3 == 1,
                include_fails: seed % 4 == 1,
                mode: if seed % 2 == 0 {
                    duplicates::Mode::Template
                } else {
                    duplicates::Mode::Sequence
                },
                barcode: match seed % 5 {
                    0 => BarcodeSource::Tag(*b"BX"),
                    _ => BarcodeSource::None,
                },
                by_library: seed % 2 == 0,
                ..Marking::default()
            };
            let expected = mark(&sam, &Options::serial(), &marking, &limits, false);
            for (threads, chunk_size) in [(1, 1 << 20), (3, 1 << 14), (2, 3000), (4, 1000)] {
                let options = Options { threads, chunk_size, ..Options::serial() };
                let found = mark(&sam, &options, &marking, &limits, true);
                assert!(found == expected, "{seed} {threads} {chunk_size}");
            }
        }
    }

    #[test]
    fn mates_are_found_by_name_however_records_come() {
        let limits = SortLimits::default();
        for seed in 0..u64::from(effort::times(6)) {
            let shape = TemplateShape { seed, sets: 10, templates: 30, ..TemplateShape::default() };
            let sam = sorted(&TemplateShape { contradictions: seed % 2 == 0, ..shape });
            let sam = String::from_utf8(sam).unwrap().replace("\tms:i:", "\txs:i:").into_bytes();
            for rule in [DuplicateRule::Samtools, DuplicateRule::Picard] {
                let supplementary = seed % 3 == 0;
                let marking = Marking { rule, supplementary, ..Marking::default() };
                let expected = mark(&sam, &Options::serial(), &marking, &limits, false);
                for (threads, chunk_size) in [(3, 1 << 14), (2, 2000), (4, 300)] {
                    let options = Options { threads, chunk_size, ..Options::serial() };
                    let found = mark(&sam, &options, &marking, &limits, false);
                    assert!(found == expected, "{seed} {rule:?} {threads} {chunk_size}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_decided_at_once_is_told() {
        let sam = sorted(&TemplateShape { sets: 9, templates: 30, ..TemplateShape::default() });
        let options = Options { threads: 2, chunk_size: 3000, ..Options::serial() };
        let limits = SortLimits::default();
        let marking = Marking::default();
        let is_none = |sam: &[u8], marking: &Marking, limits: &SortLimits| {
            mark(sam, &options, marking, limits, true).is_none()
        };
        assert!(!is_none(&sam, &marking, &limits));
        assert!(is_none(&sam, &marking, &SortLimits { memory: 1000, ..limits.clone() }));
        let others = [
            Marking { supplementary: true, ..Marking::default() },
            Marking { optical_distance: Some(9), ..Marking::default() },
            Marking { rule: DuplicateRule::Picard, ..Marking::default() },
        ];
        assert!(others.iter().all(|marking| is_none(&sam, marking, &limits)));
        let without_scores = String::from_utf8(sam).unwrap().replace("\tms:i:", "\txs:i:");
        assert!(is_none(without_scores.as_bytes(), &marking, &limits));
        let read = |at: u32, cigar: &str| format!("z\t0\tc\t{at}\t9\t{cigar}\t*\t0\t0\t*\t*\n");
        let header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:5000\n";
        let is_none = |second: &str| {
            let sam = [header, &read(2000, "10M"), second].concat();
            is_none(sam.as_bytes(), &marking, &limits)
        };
        assert!(!is_none(&read(2000, "480S10M")));
        // Too far from where it begins, or out of order.
        assert!(is_none(&read(2000, "520S10M")));
        assert!(is_none(&read(2000, "10M600N10M")));
        assert!(is_none(&read(1999, "10M")));
    }
}
