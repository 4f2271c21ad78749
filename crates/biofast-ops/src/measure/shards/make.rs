//! One reading that finds where records start, and the cuts.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::Arc;

use biofast_bam as bam;
use biofast_fastq::{self as fastq, fasta};
use biofast_io::bgzf::VirtualOffset;
use biofast_io::{Location, Notes, Options, Source, pipeline};

use super::error::{Error, ErrorKind};
use super::gzip::GzipIndex;
use super::input::{Between, ShardInput, is_gzip, sniffed};
use super::marks::{MarkStride, RecordMark, RecordMarks, wrapped};
use super::plan::{Container, FilePosition, FileRange, Plan, PlannedFile, Shard, ShardFormat};
use super::schema::{MAX_SHARDS, SCHEMA, SCHEMA_VERSION};
use super::state::State;
use crate::measure::coverage::Unsorted;

/// A cut may be moved by a shard divided by this many.
const FAR: u128 = 32;

/// How many shards to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardSizing {
    /// So many. If there are fewer records, some shards are empty.
    Number(u64),
    /// As many as are needed for so many stored bytes each, of all files together.
    Size(u64),
}

/// Makes the plan of one file, or of the two of mates, which are cut before reads of the same number. Each file is read once,
/// on `options.threads` threads, and every record of it checked; memory is bounded whatever the number of records.
///
/// Cuts are where shards have about the same number of decompressed bytes, and before records whose number is a multiple
/// of `together`: 2 where the mates of a pair follow each other, else 1.
///
/// An example is at [`Plan`].
///
/// # Errors
/// If a file can't be read or cut, or two files aren't mates.
pub fn make(
    inputs: &[ShardInput],
    together: u64,
    cut: ShardSizing,
    options: &Options,
) -> Result<Plan, Error> {
    let mut scans: Vec<Scan> = Vec::new();
    for input in inputs {
        let scan = scan(input, together, options)?;
        if let Some(first) = scans.first() {
            if [first.file.format, scan.file.format] != [ShardFormat::Fastq; 2] {
                return Err(Error::of(ErrorKind::NotMates, &input.name));
            }
            if first.records != scan.records {
                let first = (first.file.path.clone(), first.records);
                let kind = ErrorKind::Uneven { first, other: scan.records };
                return Err(Error::of(kind, &input.name));
            }
        }
        if !scan.records.is_multiple_of(together.max(1)) {
            return Err(Error::of(ErrorKind::Odd(scan.records), &input.name));
        }
        scans.push(scan);
    }
    let stored: u64 = scans.iter().map(|scan| scan.file.size).sum();
    let number = match cut {
        ShardSizing::Number(number) => number.max(1),
        ShardSizing::Size(size) => stored.div_ceil(size.max(1)).max(1),
    };
    if number > MAX_SHARDS {
        let name = inputs.first().map_or("", |input| &input.name);
        return Err(Error::of(ErrorKind::TooMany(number), name));
    }
    let shards = shards(&scans, number);
    let mut plan = Plan {
        schema: SCHEMA.into(),
        schema_version: SCHEMA_VERSION,
        biofast_version: env!("CARGO_PKG_VERSION").into(),
        id: String::new(),
        records: scans.first().map_or(0, |scan| scan.records),
        together: together.max(1),
        templates: inputs.iter().any(|input| input.between == Between::Names),
        by_region: inputs.iter().any(|input| input.between == Between::Positions),
        files: scans.into_iter().map(|scan| scan.file).collect(),
        shards,
    };
    plan.id = plan.computed_id();
    plan.check()?;
    Ok(plan)
}

/// What was found in a file.
pub(super) struct Scan {
    pub(super) file: PlannedFile,
    pub(super) records: u64,
    /// Where some records start, the first one among them.
    pub(super) marks: Vec<RecordMark>,
    /// Decompressed bytes.
    pub(super) len: u64,
    /// Where inflating can start, of ordinary gzip.
    pub(super) points: Vec<u64>,
    /// Reference sequences and their lengths, where shards are regions.
    pub(super) references: Vec<(String, u64)>,
}

impl Scan {
    /// Behind the last record.
    fn end(&self) -> FilePosition {
        match self.file.container {
            Container::Gzip => (self.len, 0),
            Container::Plain | Container::Bgzf => self.file.end(),
        }
    }

    /// How many bytes are inflated in vain by who starts at this mark.
    fn in_vain(&self, mark: usize) -> u64 {
        let offset = self.marks.get(mark).map_or(self.len, |mark| mark.offset);
        let before = self.points.partition_point(|&point| point <= offset).checked_sub(1);
        before.and_then(|before| self.points.get(before)).map_or(0, |point| offset - point)
    }

    fn place(&self, at: u64) -> FilePosition {
        match self.file.container {
            Container::Plain | Container::Gzip => (at, 0),
            Container::Bgzf => {
                let at = VirtualOffset::from(at);
                (at.compressed(), at.within())
            }
        }
    }
}

/// The cuts, at places that all files have.
fn shards(scans: &[Scan], number: u64) -> Vec<Shard> {
    let Some(first) = scans.first() else { return Vec::new() };
    // The same numbers of records have the same marks.
    let marks = scans.iter().map(|scan| scan.marks.len()).min().unwrap_or(0);
    let weight = |mark: usize| -> u128 {
        scans
            .iter()
            .map(|scan| scan.marks.get(mark).map_or(scan.len, |mark| mark.offset))
            .map(u128::from)
            .sum()
    };
    let (start, end) = (weight(0), weight(usize::MAX));
    let has_points = scans.iter().any(|scan| !scan.points.is_empty());
    let mut cuts = vec![0];
    let mut at = 0;
    for n in 1..number {
        let wanted = start + (end - start) * u128::from(n) / u128::from(number);
        while at < marks && weight(at) < wanted {
            at += 1;
        }
        // The nearest one, but not before the last cut.
        let last = cuts.last().copied().unwrap_or(0);
        let before = at.saturating_sub(1).max(last);
        let is_nearer = wanted.abs_diff(weight(before)) < wanted.abs_diff(weight(at));
        let nearest = if is_nearer { before } else { at };
        // Of those not far from it the one before which least is inflated in vain.
        let far = (end - start) / u128::from(number) / FAR;
        let is_near = |mark: &usize| wanted.abs_diff(weight(*mark)) <= far;
        let back = (last..nearest).rev().take_while(is_near);
        let near = back.chain((nearest..marks).take_while(is_near)).filter(|_| has_points);
        let in_vain = |mark: usize| scans.iter().map(|scan| scan.in_vain(mark)).sum::<u64>();
        let best = near.min_by_key(|&mark| (in_vain(mark), wanted.abs_diff(weight(mark))));
        cuts.push(best.unwrap_or(nearest));
    }
    cuts.push(usize::MAX);
    let record = |mark: usize| first.marks.get(mark).map_or(first.records, |mark| mark.record);
    let range = |scan: &Scan, from: usize, to: usize| {
        let place =
            |mark: usize| scan.marks.get(mark).map_or(scan.end(), |mark| scan.place(mark.at));
        // Of a file without records all is in the first shard.
        let start = if from == 0 { scan.file.header_end } else { place(from) };
        let offset = scan.marks.get(from).map_or(scan.len, |mark| mark.offset);
        FileRange { start, end: if to == 0 { start } else { place(to) }, offset }
    };
    cuts.windows(2)
        .map(|cut| {
            let (from, to) = (cut[0], cut[1]);
            let files = scans.iter().map(|scan| range(scan, from, to)).collect();
            let aligned = |mark: usize| first.marks.get(mark).map(|mark| mark.aligned);
            let start = if from == 0 { Some((0, 0)) } else { aligned(from) };
            let regions = match start {
                Some(start) if from < to => regions(&first.references, start, aligned(to)),
                _ => Vec::new(),
            };
            Shard { records: (record(from), record(to)), files, regions }
        })
        .collect()
}

/// The regions from a position on, to another one or behind all references; both count from 0.
fn regions(
    references: &[(String, u64)],
    start: (u32, i32),
    end: Option<(u32, i32)>,
) -> Vec<String> {
    let mut regions = Vec::new();
    let before = |position: i32| position.max(0) as u64;
    for (reference, (name, len)) in (0u32..).zip(references) {
        let first = match reference.cmp(&start.0) {
            Ordering::Less => continue,
            Ordering::Equal => before(start.1) + 1,
            Ordering::Greater => 1,
        };
        let last = match end {
            Some(end) if reference > end.0 => break,
            Some(end) if reference == end.0 => before(end.1),
            _ => *len,
        };
        if first <= last {
            regions.push(format!("{name}:{first}-{last}"));
        }
    }
    if end.is_none() && !references.is_empty() {
        regions.push("*".into());
    }
    regions
}

/// Reads a file to its end.
fn scan(input: &ShardInput, together: u64, options: &Options) -> Result<Scan, Error> {
    if input.between == Between::Any && GzipIndex::is_beside(&input.path) && is_gzip(input)? {
        return Ok(scan_of_index(GzipIndex::open(&input.path)?, &input.name, together));
    }
    let before = State::of(&input.path)?;
    let (source, format, container) = recognise(input)?;
    match (input.between, format) {
        (Between::Any, _) | (_, ShardFormat::Bam) => {}
        (Between::Positions, _) => {
            return Err(Error::of(ErrorKind::NoRegions(format.name()), &input.name));
        }
        (Between::Names, _) => {
            let name = match format {
                ShardFormat::Cram => "CRAM, which can be divided only between containers",
                _ => "FASTQ, whose mates are in two files or follow each other in one",
            };
            return Err(Error::of(ErrorKind::NoTemplates(name), &input.name));
        }
    }
    let notes = options.notes.clone().unwrap_or_else(|| Arc::new(Notes::default()));
    let allow_missing_eof = !input.strict_end;
    let options = Options { allow_missing_eof, notes: Some(notes), ..options.clone() };
    let found = CutSearch { wanted: MarkStride::new(together), container, input };
    let CountedFile { records, len, marks, header_end, references } = match format {
        ShardFormat::Fastq => found.reads(source, together, &options)?,
        ShardFormat::Bam => found.alignments(source, together, &options)?,
        ShardFormat::Cram => found.containers(together)?,
    };
    let after = State::of(&input.path)?;
    if before != after {
        let was_is = [before.digest, after.digest];
        let kind = ErrorKind::Changed { what: "its content (digest) or time", was_is };
        return Err(Error::of(kind, &input.name));
    }
    let State { size, modified, digest } = after;
    let path = input.name.clone();
    let mut file =
        PlannedFile { path, format, container, size, modified, digest, header_end: (0, 0) };
    file.header_end = header_end.unwrap_or(file.end());
    Ok(Scan { file, records, marks, len, points: Vec::new(), references })
}

/// What a reading of the file would find for a plan, from its seek index.
fn scan_of_index(index: GzipIndex, name: &str, together: u64) -> Scan {
    let marks = (0..).step_by(usize::try_from(index.stride).unwrap_or(usize::MAX));
    let marks = marks
        .zip(&index.marks)
        .map(|(record, &offset)| RecordMark { record, at: offset, offset, ..RecordMark::default() })
        .filter(|mark| mark.record.is_multiple_of(together.max(1)))
        .collect();
    let file = PlannedFile {
        path: name.to_owned(),
        format: ShardFormat::Fastq,
        container: Container::Gzip,
        size: index.state.size,
        modified: index.state.modified,
        digest: index.state.digest,
        header_end: (0, 0),
    };
    let points = index.entries.iter().map(|entry| entry.offset).collect();
    Scan { file, records: index.records, marks, len: index.text, points, references: Vec::new() }
}

/// Opens a file whose records can be jumped to.
pub(crate) fn recognise(input: &ShardInput) -> Result<(Source, ShardFormat, Container), Error> {
    let mut source = Source::open(&input.path)?;
    let container = container(input)?;
    let format = match bam::Format::sniff(&mut source) {
        Ok(bam::Format::Bam) => ShardFormat::Bam,
        Ok(bam::Format::Cram) => ShardFormat::Cram,
        Ok(other) => return Err(Error::of(ErrorKind::NoPlaces(other.name()), &input.name)),
        Err(_) if fasta::is_fasta(&mut source)? => {
            return Err(Error::of(ErrorKind::NoPlaces("FASTA"), &input.name));
        }
        Err(_) => ShardFormat::Fastq,
    };
    if format == ShardFormat::Bam && container == Container::Plain {
        return Err(Error::of(ErrorKind::NoPlaces("BAM without BGZF blocks"), &input.name));
    }
    if format == ShardFormat::Cram && container != Container::Plain {
        return Err(Error::of(ErrorKind::NoPlaces("CRAM that was compressed again"), &input.name));
    }
    Ok((source, format, container))
}

/// The place of a record (its number from 0) that starts there in the decompressed data, and there in blocks.
pub(crate) fn place_of(
    input: &ShardInput,
    container: Container,
    record: u64,
    start: Option<(u64, Option<VirtualOffset>)>,
) -> Result<u64, Error> {
    let (offset, place) = start.ok_or_else(|| wrapped(&input.name, record))?;
    match container {
        Container::Plain | Container::Gzip => Ok(offset),
        Container::Bgzf => place.map(u64::from).ok_or_else(|| {
            let kind = ErrorKind::NoPlaces("BGZF that goes on as ordinary gzip");
            Error::of(kind, &input.name)
        }),
    }
}

/// What the file is wrapped in, if that has places to jump to.
fn container(input: &ShardInput) -> Result<Container, Error> {
    let what = match sniffed(input)? {
        biofast_io::Container::Plain => return Ok(Container::Plain),
        biofast_io::Container::Bgzf => return Ok(Container::Bgzf),
        biofast_io::Container::Gzip => "ordinary gzip without a seek index",
        other => other.name(),
    };
    Err(Error::of(ErrorKind::NoPlaces(what), &input.name))
}

/// What must change for records to be parted.
#[derive(Clone, PartialEq)]
enum BoundaryKey<'a> {
    Name(Cow<'a, [u8]>),
    /// Reference and position; those without a reference come last, as the largest one.
    Place((u32, i32)),
}

impl BoundaryKey<'_> {
    fn into_owned(self) -> BoundaryKey<'static> {
        match self {
            BoundaryKey::Name(name) => BoundaryKey::Name(name.into_owned().into()),
            BoundaryKey::Place(place) => BoundaryKey::Place(place),
        }
    }

    /// That a record with this key, of this number from 0, comes before the one in front of it.
    fn disorder(&self, number: u64, before: &BoundaryKey<'_>) -> Option<Unsorted> {
        match (before, self) {
            (BoundaryKey::Place(before), BoundaryKey::Place(found)) if found < before => {
                Some(Unsorted::new(number, *before, *found))
            }
            _ => None,
        }
    }
}

/// What a batch of alignments leaves.
#[derive(Default)]
struct Marked {
    marks: Vec<RecordMark>,
    /// Where it isn't cut between any records: number and key of the first record, and key of the last one.
    first: Option<(u64, BoundaryKey<'static>)>,
    last: Option<BoundaryKey<'static>>,
    /// The first record that comes before the one in front of it.
    unsorted: Option<Unsorted>,
}

/// How places are found.
struct CutSearch<'a> {
    wanted: MarkStride,
    container: Container,
    input: &'a ShardInput,
}

/// What a reading finds.
struct CountedFile {
    records: u64,
    /// Decompressed bytes; of CRAM those of the file.
    len: u64,
    marks: Vec<RecordMark>,
    /// At the end of the file if there is none.
    header_end: Option<FilePosition>,
    references: Vec<(String, u64)>,
}

impl CutSearch<'_> {
    /// Where a record starts, if it can be jumped to.
    fn mark(
        &self,
        record: u64,
        start: Option<(u64, Option<VirtualOffset>)>,
    ) -> Result<RecordMark, Error> {
        let at = place_of(self.input, self.container, record, start)?;
        let offset = start.map_or(0, |(offset, _)| offset);
        Ok(RecordMark { record, at, offset, ..RecordMark::default() })
    }

    fn reads(
        &self,
        source: Source,
        together: u64,
        options: &Options,
    ) -> Result<CountedFile, Error> {
        let framer = fastq::Framer::new(source.name(), options);
        let mut marks = RecordMarks::new(together);
        let result = pipeline::fold_ordered(
            source,
            options,
            framer,
            || (0u64, 0u64),
            |(records, len), chunk, frame, more: &mut Vec<RecordMark>| -> Result<_, Error> {
                let batch = frame.batch(chunk);
                *records += batch.len() as u64;
                *len += chunk.bytes().len() as u64;
                for index in self.wanted.of(batch.first_record(), batch.len()) {
                    let start = frame.start_of(chunk, index);
                    more.push(self.mark(batch.first_record() + index as u64, start)?);
                }
                Ok(ControlFlow::Continue(()))
            },
            |(records, len), other| {
                *records += other.0;
                *len += other.1;
            },
            |more| -> Result<_, Error> {
                marks.add(more, &self.wanted);
                Ok(ControlFlow::Continue(()))
            },
        );
        let (records, len) = result.map_err(|fault| fault.error)?;
        let (marks, references) = (marks.found, Vec::new());
        Ok(CountedFile { records, len, marks, header_end: Some((0, 0)), references })
    }

    /// What the headers of the containers of CRAM tell; the rest isn't read.
    fn containers(&self, together: u64) -> Result<CountedFile, Error> {
        let input = self.input;
        let found = bam::cram_containers(&input.path).map_err(Error::from)?;
        if input.strict_end && !found.is_complete {
            let at = Location::in_input(&input.name.as_str().into());
            return Err(bam::Error::new(bam::ErrorKind::MissingEofContainer, at).into());
        }
        let mut records = 0u64;
        let mut marks = Vec::new();
        for container in &found.containers {
            // Behind the header, whatever comes first there without records.
            let at = if records == 0 { found.header_end } else { container.start };
            if records.is_multiple_of(together.max(1)) {
                marks.push(RecordMark { record: records, at, offset: at, ..RecordMark::default() });
            }
            records += container.records;
        }
        let (len, header_end, references) = (found.size, Some((found.header_end, 0)), Vec::new());
        Ok(CountedFile { records, len, marks, header_end, references })
    }

    fn alignments(
        &self,
        source: Source,
        together: u64,
        options: &Options,
    ) -> Result<CountedFile, Error> {
        let mut marks = RecordMarks::new(together);
        let mut last: Option<BoundaryKey<'static>> = None;
        let mut unsorted = None;
        let result = bam::Fold::new(source).options(options).ordered(
            || (0u64, 0u64),
            |(records, len), batch, more: &mut Marked| -> Result<_, Error> {
                *records += batch.len() as u64;
                for record in batch.iter() {
                    // Of the records; what is before them counts the same for all shards.
                    *len += record.as_bytes().len() as u64 + 4;
                }
                match self.input.between {
                    Between::Any => {
                        for index in self.wanted.of(batch.first_record(), batch.len()) {
                            let number = batch.first_record() + index as u64;
                            more.marks.push(self.mark(number, batch.start_of(index))?);
                        }
                        Ok(ControlFlow::Continue(()))
                    }
                    _ => self.changes(&batch, together, more).map(ControlFlow::Continue),
                }
            },
            |(records, len), other| {
                *records += other.0;
                *len += other.1;
            },
            |more| -> Result<_, Error> {
                if self.input.between == Between::Any {
                    marks.add(&mut more.marks, &self.wanted);
                    return Ok(ControlFlow::Continue(()));
                }
                if let (Some((first, key)), Some(before)) = (more.first.take(), &last) {
                    // The chunk may begin where nothing changes.
                    if key == *before {
                        more.marks.retain(|mark| mark.record != first);
                    }
                    more.unsorted = key.disorder(first, before).or(more.unsorted.take());
                }
                unsorted = more.unsorted.take();
                if unsorted.is_some() {
                    return Ok(ControlFlow::Break(()));
                }
                last = more.last.take().or(last.take());
                marks.add_firsts(&mut more.marks, &self.wanted);
                Ok(ControlFlow::Continue(()))
            },
        );
        if let Some(unsorted) = unsorted {
            let error = unsorted.error(Location::in_input(&self.input.name.as_str().into()));
            return Err(match &result {
                Ok((header, _)) => error.naming(header),
                Err(_) => error,
            }
            .into());
        }
        let (header, (records, len)) = result.map_err(|fault| fault.error)?;
        let start = marks.found.first().map_or(0, |mark| mark.offset);
        let name = |reference: &bam::Reference| {
            (String::from_utf8_lossy(&reference.name).into_owned(), reference.length)
        };
        let references = match self.input.between {
            Between::Positions => header.references().iter().map(name).collect(),
            _ => Vec::new(),
        };
        let (len, marks) = (start + len, marks.found);
        let header_end = marks.first().map(|mark| {
            let at = VirtualOffset::from(mark.at);
            (at.compressed(), at.within())
        });
        Ok(CountedFile { records, len, marks, header_end, references })
    }

    /// The first record of each window whose name or position isn't that of the record before. The first one of all may be none:
    /// what is before it isn't known here.
    fn changes(
        &self,
        batch: &bam::Batch<'_>,
        together: u64,
        more: &mut Marked,
    ) -> Result<(), Error> {
        let by_position = self.input.between == Between::Positions;
        let stride = self.wanted.stride();
        let mut before: Option<BoundaryKey<'_>> = None;
        let mut window = None;
        for (number, (index, record)) in (batch.first_record()..).zip(batch.iter().enumerate()) {
            let key = match by_position {
                true => BoundaryKey::Place((record.reference_id() as u32, record.position())),
                false => BoundaryKey::Name(record.name().into()),
            };
            if more.unsorted.is_none() {
                more.unsorted = before.as_ref().and_then(|before| key.disorder(number, before));
            }
            let may_be = number.is_multiple_of(together.max(1));
            if before.as_ref() != Some(&key) && may_be && window != Some(number / stride) {
                let mark = self.mark(number, batch.start_of(index))?;
                let aligned = match key {
                    BoundaryKey::Place(place) => place,
                    BoundaryKey::Name(_) => (0, 0),
                };
                more.marks.push(RecordMark { aligned, ..mark });
                window = before.is_some().then_some(number / stride);
            }
            if before.is_none() {
                more.first = Some((number, key.clone().into_owned()));
            }
            before = Some(key);
        }
        more.last = before.map(BoundaryKey::into_owned);
        Ok(())
    }
}
