//! Records of some regions: read through an index where there is one, else picked from a whole
//! file.
//!
//! An indexed query reads a stream spliced from the header and the parts of the file that the
//! index names (see [`biofast_io::splice`]), through the same pipeline as a whole file. What an
//! index can't say, records themselves tell: whether they overlap, and whether the index is that
//! of this file. Records that are out of order or on another reference than those asked for mean
//! that it isn't.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use biofast_io::bgzf::VirtualOffset;
use biofast_io::remote::{Parts, Ranged, beside, is_there, modified, with_extension};
use biofast_io::splice::{Places, Segment, Spliced, splice};
use biofast_io::{Location, Options, Reread, Source, display_name};

use crate::error::{Error, ErrorKind};
use crate::format::Format;
use crate::framer::Framer;
use crate::header::Header;
use crate::index::Index;
use crate::input::Input;
use crate::input_options::{Detail, InputOptions};
pub use crate::note::Note;
use crate::probe::{self, LONGEST_BLOCK};
use crate::record::Batch;
use crate::region::{Regions, Selection};
use crate::start::{peek_header, read_start};

/// Compressed bytes worth a thread: below that, starting it costs more than it saves.
const WORTH_A_THREAD: u64 = 1 << 18;

/// Decompressed bytes that an indexed query takes at once, as reading ends soon after the last
/// region.
const INDEXED_CHUNK: usize = 2 << 16;

/// An input and which of its records are wanted.
///
/// Where regions may or may not be given, ask [`Selection::is_empty`] first: an empty selection asks for no records.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions, Query, Reader, Selection};
/// use biofast_io::{Options, Source};
///
/// # let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let mut regions = Selection::new();
/// regions.add("c:1-10");
/// let mut reader = Reader::new(Query::scan(input.source, &regions), &options)?;
/// assert_eq!(reader.records().count(), 1);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
pub struct Query {
    source: Source,
    wanted: RecordSelection,
    notes: Vec<Note>,
    stored_len: Option<u64>,
}

enum RecordSelection {
    All,
    /// Those overlapping regions that are looked up when the header has been read.
    Overlapping(Selection),
    /// The same, and the source has some containers of CRAM.
    InContainers(Selection),
    /// The same, and the source is spliced by an index.
    Indexed(Indexed),
}

struct Indexed {
    regions: Regions,
    places: Places,
    /// The reference and position that no wanted record starts at or after, if reading may stop
    /// there.
    stop: Option<(usize, i64)>,
}

impl From<Source> for Query {
    /// All records.
    fn from(source: Source) -> Query {
        let stored_len = source.len();
        Query { source, wanted: RecordSelection::All, notes: Vec::new(), stored_len }
    }
}

impl Query {
    /// The records of a file of any format that overlap `selection`: none, if nothing was added to it. If it is BAM with an index
    /// beside it (`x.bam.csi`, `x.csi`, `x.bam.bai` or `x.bai`), or CRAM (`x.cram.crai` or `x.crai`), only the blocks needed are read. Where such an index is damaged or that of
    /// another file, the whole file is read, and a [note](Self::notes) says so.
    ///
    /// # Errors
    /// If the file or its index can't be read, or a region doesn't exist.
    pub fn open(
        path: impl AsRef<Path>,
        selection: &Selection,
        options: &InputOptions<'_>,
    ) -> Result<Query, Error> {
        Query::open_file(path.as_ref(), selection, options, None)
    }

    /// The same with the index named.
    ///
    /// # Errors
    /// As [`open`](Query::open), and if the index is damaged or that of another file.
    pub fn open_with_index(
        path: impl AsRef<Path>,
        selection: &Selection,
        options: &InputOptions<'_>,
        index: impl AsRef<Path>,
    ) -> Result<Query, Error> {
        Query::open_file(path.as_ref(), selection, options, Some(index.as_ref()))
    }

    /// The records of any input that overlap `selection`, found by reading all of it: none, if nothing was added to it
    /// (`Query::from(source)` is all of them). The source holds BAM, as that of an [`Input`]. The regions are looked up in its header when that has
    /// been read.
    pub fn scan(source: Source, selection: &Selection) -> Query {
        Query { wanted: RecordSelection::Overlapping(selection.clone()), ..Query::from(source) }
    }

    /// Whether all records are wanted.
    pub fn is_everything(&self) -> bool {
        matches!(self.wanted, RecordSelection::All)
    }

    /// The name of the input.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// What is worth telling.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// How many stored bytes will be read, where that is known.
    #[doc(hidden)]
    pub fn stored_len(&self) -> Option<u64> {
        self.stored_len
    }

    /// The header of what will be read, and the query for whoever reads it.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn peek_header(self) -> Result<(Header, Query), Error> {
        let (header, source) = peek_header(self.source)?;
        Ok((header, Query { source, ..self }))
    }

    fn open_file(
        path: &Path,
        selection: &Selection,
        options: &InputOptions<'_>,
        index: Option<&Path>,
    ) -> Result<Query, Error> {
        options.check_reference()?;
        // The header is read before the parts, and is theirs.
        let file = Reread::new(path);
        let query = Query::open_unchecked(path, selection, options, index);
        file.check()?;
        query
    }

    fn open_unchecked(
        path: &Path,
        selection: &Selection,
        options: &InputOptions<'_>,
        index: Option<&Path>,
    ) -> Result<Query, Error> {
        let source = Source::open(path)?;
        let stored_len = source.len();
        let name: Arc<str> = source.name().into();
        let io_error =
            |e| biofast_io::Error::new(biofast_io::ErrorKind::Io(e), Location::in_input(&name));
        // Whether a record overlaps a region is seen by its CIGAR.
        let detail = match options.detail {
            Detail::Placement => Detail::Alignment,
            detail => detail,
        };
        let options = &InputOptions { detail, ..options.clone() };
        let scan = |source| {
            let input = Input::open(source, options)?;
            let (header, source) = peek_header(input.source)?;
            let mut query = Query { stored_len, ..Query::scan(source, selection) };
            query.notes.extend(selection.behind_end(&header));
            if input.format == Format::Cram && stored_len.is_some() {
                let is_sorted = header.is_sorted_by_coordinate();
                query.notes.push(Note::NoIndex { file: name.to_string(), is_sorted });
            }
            Ok(query)
        };
        if stored_len.is_none() {
            return scan(source);
        }
        let serial = Options { chunk_size: 1, io: options.io.io, ..Options::serial() };
        let (header, records) = match read_start(source, &serial) {
            Ok(start) => start,
            Err(e) if matches!(e.kind(), ErrorKind::NotBam(_)) => {
                let mut source = Source::open(path)?;
                if Format::sniff(&mut source)? == Format::Cram
                    && let Some(found) = index.map(Path::to_owned).or_else(|| find_crai(path))
                {
                    return Query::of_cram(path, selection, options, (&found, index.is_some()));
                }
                return scan(source);
            }
            Err(e) => return Err(e),
        };
        let regions = selection.resolve(&header).map_err(|e| e.in_input(&name))?;
        let mut notes: Vec<Note> = selection.behind_end(&header).into_iter().collect();
        let found = index
            .map_or_else(|| find_index(path), |path| Ok(Some((path.to_owned(), modified(path)))));
        let found = found.map_err(io_error)?;
        // Only BGZF can be jumped in.
        let Some(((index_path, index_time), records)) = found.zip(records) else {
            let is_sorted = records.is_some() && header.is_sorted_by_coordinate();
            notes.push(Note::NoIndex { file: name.to_string(), is_sorted });
            return Ok(Query { notes, ..Query::scan(Source::open(path)?, selection) });
        };
        let is_older = || is_older(index_time, modified(path));
        let query = || {
            let found = Index::open(&index_path)?;
            let file = Ranged::open(path).map_err(io_error)?;
            let parts = file.parts();
            let index_name = display_name(&index_path);
            indexed(file, Some(&parts), &name, (&header, records), regions, &found, &index_name)
        };
        match query() {
            Ok(query) => {
                if is_older() {
                    notes.push(Note::OlderIndex { index: display_name(&index_path) });
                }
                Ok(Query { notes, ..query })
            }
            // An index that was named is meant.
            Err(error) if index.is_none() && is_of_index(&error, &index_path) => {
                notes.push(unused(error, &index_path));
                Ok(Query { notes, ..Query::scan(Source::open(path)?, selection) })
            }
            Err(error) => Err(error),
        }
    }

    /// The records of CRAM that overlap `selection`, by its index, which was named or stands beside it.
    fn of_cram(
        path: &Path,
        selection: &Selection,
        options: &InputOptions<'_>,
        (index, is_named): (&Path, bool),
    ) -> Result<Query, Error> {
        let name: Arc<str> = display_name(path).into();
        let (header, found) = crate::cram::wanted_ranges(path, index, |header| {
            selection.resolve(header).map_err(|e| e.in_input(&name))
        })?;
        let mut notes: Vec<Note> = selection.behind_end(&header).into_iter().collect();
        let wanted = selection.clone();
        let (source, stored_len, wanted) = match found {
            Ok(ranges) => {
                if is_older(modified(index), modified(path)) {
                    notes.push(Note::OlderIndex { index: display_name(index) });
                }
                let stored_len = ranges.iter().map(|range| range.end - range.start).sum();
                let source = Source::open_ranges(path, ranges)?;
                (source, Some(stored_len), RecordSelection::InContainers(wanted))
            }
            // An index that was named is meant.
            Err(error) if !is_named && is_of_index(&error, index) => {
                notes.push(unused(error, index));
                let source = Source::open(path)?;
                let stored_len = source.len();
                (source, stored_len, RecordSelection::Overlapping(wanted))
            }
            Err(error) => return Err(error),
        };
        let source = Input::open(source, options)?.source;
        Ok(Query { source, wanted, notes, stored_len })
    }

    /// The records of BAM that overlap `selection`, in anything that can seek, such as a file inside another
    /// one or an object in a store: only the blocks needed are read, by `index`. `label` is its name in messages.
    ///
    /// ```
    /// # let folder = std::env::temp_dir().join(format!("biofast-doc-seekable-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("x.bam");
    /// use std::io::Cursor;
    ///
    /// use biofast_bam::index::{BuildOptions, Index, build};
    /// use biofast_bam::{Header, Query, Reader, RecordBuf, Selection, Writer};
    /// use biofast_io::{Options, Source};
    ///
    /// # let header = Header::from_text(b"@SQ\tSN:chr1\tLN:1000\n")?;
    /// # let mut writer = Writer::create(&path, &header)?;
    /// # for position in [9, 500] {
    /// #     writer.write(&RecordBuf::mapped("r", 0, position, "1M".parse()?).sequence(b"A").build()?)?;
    /// # }
    /// # writer.finish()?;
    /// let bam = std::fs::read(&path)?;
    /// let options = Options::default();
    /// let built = Source::lend("x.bam", &bam[..], |source| {
    ///     build(source, BuildOptions::default(), &options)
    /// })?;
    /// let index = Index::read("x.bam.bai", &built.bytes[..])?;
    /// let mut regions = Selection::new();
    /// regions.add("chr1:1-100");
    /// let query = Query::seekable("x.bam", Cursor::new(bam), &index, &regions)?;
    /// assert_eq!(Reader::new(query, &options)?.records().count(), 1);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it can't be read or isn't BAM in BGZF, if the index doesn't fit it, or if a region doesn't exist.
    pub fn seekable(
        label: &str,
        mut reader: impl Read + Seek + Send + 'static,
        index: &Index,
        selection: &Selection,
    ) -> Result<Query, Error> {
        let name: Arc<str> = label.into();
        let serial = Options { chunk_size: 1, ..Options::serial() };
        reader.seek(SeekFrom::Start(0)).map_err(|e| {
            biofast_io::Error::new(biofast_io::ErrorKind::Io(e), Location::in_input(&name))
        })?;
        let (header, records) =
            Source::lend(label, &mut reader, |source| read_start(source, &serial))?;
        let Some(records) = records else {
            let kind = biofast_io::ErrorKind::NotBgzf("BAM without BGZF blocks");
            return Err(biofast_io::Error::new(kind, Location::in_input(&name)).into());
        };
        let regions = selection.resolve(&header).map_err(|e| e.in_input(&name))?;
        indexed(reader, None, &name, (&header, records), regions, index, label)
    }
}

/// That the index beside a file isn't used, as the error shows.
fn unused(error: Error, index: &Path) -> Note {
    let reason = error.kind().to_string();
    let reason = match error.into_parts().0 {
        ErrorKind::BadIndex(why) => why,
        _ => reason,
    };
    Note::UnusedIndex { index: display_name(index), reason }
}

/// Whether an error is that the bytes of an index are wrong, and not that they can't be had.
pub(crate) fn is_of_index(error: &Error, index: &Path) -> bool {
    match error.kind() {
        ErrorKind::BadIndex(_) => true,
        ErrorKind::Io(inner) => {
            !matches!(inner.kind(), biofast_io::ErrorKind::Io(_))
                && error.at().name.as_deref() == Some(&*display_name(index))
        }
        _ => false,
    }
}

/// A query of the parts of `file` that `index` names. `records` is where its records start.
fn indexed(
    mut file: impl Read + Seek + Send + 'static,
    announced: Option<&Parts>,
    name: &Arc<str>,
    (header, records): (&Header, VirtualOffset),
    regions: Regions,
    index: &Index,
    index_name: &str,
) -> Result<Query, Error> {
    let io_error =
        |e| biofast_io::Error::new(biofast_io::ErrorKind::Io(e), Location::in_input(name));
    let misfit = |why: String| {
        let at = Location { name: Some(index_name.into()), ..Location::default() };
        Error::new(ErrorKind::BadIndex(why), at)
    };
    probe::fits(&mut file, (header.references().len(), records), index, &regions)
        .map_err(io_error)?
        .map_err(misfit)?;
    let mut segments = vec![Segment { start: VirtualOffset::default(), end: records }];
    let mut stored_len = records.compressed();
    let file_len = file.seek(SeekFrom::End(0)).map_err(io_error)?;
    let (found, stop) = index.segments(&regions, records);
    for segment in found {
        if segment.start < records {
            return Err(misfit("it points into the header".into()));
        }
        let end = segment.end.compressed().min(file_len);
        stored_len += end.saturating_sub(segment.start.compressed());
        segments.push(segment);
    }
    if let Some(announced) = announced {
        // Of the block where a part ends, some is read, too, unless it ends with the block before.
        let end = |end: VirtualOffset| {
            let more = if end.within() == 0 { 0 } else { LONGEST_BLOCK };
            end.compressed().saturating_add(more).min(file_len)
        };
        announced.announce(segments.iter().map(|s| s.start.compressed()..end(s.end)).collect());
    }
    let Spliced { source, places, has_eof_block } = splice(file, name, segments)?;
    // That the end is missing is said at the end.
    let stop = stop.filter(|_| has_eof_block);
    let wanted = RecordSelection::Indexed(Indexed { regions, places, stop });
    Ok(Query { source, wanted, notes: Vec::new(), stored_len: Some(stored_len) })
}

/// What a fold of a query needs besides the source and the framer.
pub(crate) struct Plan {
    pub(crate) name: Arc<str>,
    pub(crate) options: Options,
    /// `None`: all records are wanted. Set before the first record is framed.
    regions: Option<Arc<OnceLock<Regions>>>,
    /// Whether the source is spliced by an index.
    is_indexed: bool,
    /// As in [`Indexed`].
    stop: Option<(usize, i64)>,
}

impl Plan {
    pub(crate) fn new(query: Query, options: &Options) -> (Source, Framer, Plan) {
        let Query { source, wanted, stored_len, .. } = query;
        let framer = Framer::new(source.name(), Arc::default(), options);
        let mut plan = Plan {
            name: source.name().into(),
            options: options.clone(),
            regions: None,
            is_indexed: false,
            stop: None,
        };
        let framer = match &wanted {
            // How many records and bytes come before a container isn't known.
            RecordSelection::InContainers(_) => framer.on_fault(|error| {
                let at = Location { record: None, offset: None, ..error.at().clone() };
                Error::new(error.into_parts().0, at)
            }),
            _ => framer,
        };
        let framer = match wanted {
            RecordSelection::All => framer,
            RecordSelection::Overlapping(selection) | RecordSelection::InContainers(selection) => {
                let slot = Arc::new(OnceLock::new());
                plan.regions = Some(Arc::clone(&slot));
                let name = Arc::clone(&plan.name);
                framer.on_header(move |header: &Header| {
                    let found = selection.resolve(header).map_err(|e| e.in_input(&name))?;
                    // One framer reads one header.
                    let _ = slot.set(found);
                    Ok(())
                })
            }
            RecordSelection::Indexed(Indexed { regions, places, stop }) => {
                plan.regions = Some(Arc::new(OnceLock::from(regions)));
                plan.is_indexed = true;
                plan.stop = stop;
                let worth = stored_len.unwrap_or(0) / WORTH_A_THREAD + 1;
                if let Ok(worth) = usize::try_from(worth) {
                    plan.options.threads = options.threads.min(worth);
                }
                plan.options.chunk_size = options.chunk_size.min(INDEXED_CHUNK);
                framer.check_order().on_fault(move |error| in_file(error, &places))
            }
        };
        (source, framer, plan)
    }

    /// Whether no wanted record comes after a batch, as far as its last record tells.
    pub(crate) fn is_last(&self, batch: &Batch<'_>) -> bool {
        match (self.stop, batch.iter().next_back()) {
            (Some((reference, position)), Some(last)) => {
                usize::try_from(last.reference_id()) == Ok(reference)
                    && i64::from(last.position()) >= position
            }
            _ => false,
        }
    }

    /// Lets `accept` see the wanted records of a batch.
    pub(crate) fn pick<C, R>(
        &self,
        picked: &mut Picked<C>,
        batch: Batch<'_>,
        accept: impl FnOnce(&mut C, Batch<'_>) -> R,
    ) -> R {
        let Picked { so_far, starts, misfit } = picked;
        if !self.selects() {
            return accept(so_far, batch);
        }
        *misfit |= self.select(&batch, starts);
        accept(so_far, Batch { starts, is_selected: true, ..batch })
    }

    /// Whether not all records are wanted.
    pub(crate) fn selects(&self) -> bool {
        self.regions.is_some()
    }

    /// Lists where the wanted records of a batch start. Returns whether a record shows that the index is not that of the
    /// file.
    pub(crate) fn select(&self, batch: &Batch<'_>, starts: &mut Vec<u32>) -> bool {
        starts.clear();
        let mut misfit = false;
        if let Some(regions) = self.regions.as_ref().and_then(|regions| regions.get()) {
            for (&start, record) in batch.starts.iter().zip(batch.iter()) {
                if regions.overlaps(&record) {
                    starts.push(start);
                } else if self.is_indexed && !regions.touches(record.reference_id()) {
                    misfit = true;
                }
            }
        }
        misfit
    }

    /// The error that records have shown the index not to be that of the file.
    pub(crate) fn misfit(&self) -> Error {
        let why = "it lists records of other references; it is stale or damaged".into();
        Error::new(ErrorKind::BadIndex(why), Location::in_input(&self.name))
    }
}

/// What a worker holds.
pub(crate) struct Picked<C> {
    pub(crate) so_far: C,
    /// Where the wanted records start in the batch.
    starts: Vec<u32>,
    /// Whether a record shows that the index is not that of the file.
    pub(crate) misfit: bool,
}

impl<C> Picked<C> {
    pub(crate) fn new(so_far: C) -> Self {
        Picked { so_far, starts: Vec::new(), misfit: false }
    }

    pub(crate) fn merge(&mut self, other: Picked<C>, merge: impl Fn(&mut C, C)) {
        merge(&mut self.so_far, other.so_far);
        self.misfit |= other.misfit;
    }
}

/// An error found in a spliced stream, as one of the file. Record numbers and offsets in the
/// data are not known there.
fn in_file(error: Error, places: &Places) -> Error {
    let at = Location {
        record: None,
        offset: None,
        block: error.at().block.and_then(|at| places.in_file(at)),
        ..error.at().clone()
    };
    let kind = match error.into_parts().0 {
        kind @ (ErrorKind::BadRecord { .. }
        | ErrorKind::Unsorted { .. }
        | ErrorKind::Truncated(_)) => ErrorKind::BadIndex(format!(
            "the index is stale or damaged, or the file is damaged: {kind}"
        )),
        kind => kind,
    };
    Error::new(kind, at)
}

/// Whether an index is older than its file: by seconds, as files that are written or copied together may differ by less, and
/// some file systems know no more.
pub(crate) fn is_older(index: Option<SystemTime>, file: Option<SystemTime>) -> bool {
    let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs());
    index.map(seconds) < file.map(seconds)
}

/// The index beside a file and when it was last changed: of several the first one that isn't
/// older than the file, in the order in which htslib looks.
pub(crate) fn find_index(path: &Path) -> std::io::Result<Option<(PathBuf, Option<SystemTime>)>> {
    let candidates = [
        beside(path, ".csi"),
        with_extension(path, "csi"),
        beside(path, ".bai"),
        with_extension(path, "bai"),
    ];
    // At an address each is a question to the server: asked at once.
    if biofast_io::remote::address(path).is_some() {
        std::thread::scope(|scope| {
            for candidate in &candidates {
                // What it finds out is asked for again below, and then at hand.
                scope.spawn(move || is_there(candidate));
            }
        });
    }
    let mut found = Vec::new();
    for candidate in candidates {
        if candidate != path && is_there(&candidate)? {
            let time = modified(&candidate);
            found.push((candidate, time));
        }
    }
    let of_file = modified(path);
    let fresh = found.iter().position(|(_, time)| !is_older(*time, of_file)).unwrap_or(0);
    Ok((!found.is_empty()).then(|| found.swap_remove(fresh)))
}

/// Whether a file of alignments has an index beside it that can be read: BAI or CSI, or CRAI of CRAM.
pub fn has_index(path: impl AsRef<Path>) -> bool {
    let path = path.as_ref();
    let found = find_index(path).ok().flatten();
    found.is_some_and(|(index, _)| Index::open(index).is_ok()) || find_crai(path).is_some()
}

/// The index of CRAM beside a file.
fn find_crai(path: &Path) -> Option<PathBuf> {
    let candidates = [beside(path, ".crai"), with_extension(path, "crai")];
    candidates.into_iter().find(|path| is_there(path).unwrap_or(false))
}
