//! The plain face: records one after the other, of any format.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use biofast_io::pipeline::Frames;
use biofast_io::{Notes, Options, Source, Warning};

use crate::error::Error;
use crate::framer::Framer;
use crate::header::Header;
use crate::input::Input;
use crate::input_options::{Detail, InputOptions};
use crate::note::Note;
use crate::query::{Plan, Query};
use crate::record::{Record, record_at};
use crate::record_buf::RecordBuf;
use crate::region::Selection;

/// Reads records in order: of BAM, SAM or CRAM, which is recognised by content; all of them, or those of some regions.
///
/// BAM is inflated on the calling thread: for more than one, there is [`Fold`](crate::Fold).
/// SAM and CRAM are converted on others. Records are checked as they are there, and so are checksums.
///
/// ```
/// use biofast_bam::Reader;
///
/// let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let mut reader = Reader::from_reader("example", &sam[..])?;
/// assert_eq!(reader.header().references().len(), 1);
/// let mut bases = 0;
/// while let Some(record) = reader.next_record()? {
///     bases += record.sequence_len();
/// }
/// assert_eq!((bases, reader.records_read()), (5, 2));
/// # Ok::<(), biofast_bam::Error>(())
/// ```
///
/// Of a file it is opened by `Reader::open("aln.bam")?`; regions and other options are said to a
/// [builder](Self::builder).
pub struct Reader {
    frames: Frames<Framer>,
    plan: Plan,
    header: Arc<Header>,
    notes: Vec<Note>,
    noticed: Arc<Notes>,
    /// Where the wanted records of the chunk start, if not all are.
    starts: Vec<u32>,
    selects: bool,
    /// Of the wanted records of the chunk, how many there are and which comes next.
    len: usize,
    next: usize,
    delivered: u64,
    state: ReaderState,
    /// Whether a record has shown that the index is not that of the file.
    misfit: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReaderState {
    /// More may come.
    Open,
    /// No wanted record comes after this chunk.
    Last,
    Ended,
}

impl Reader {
    /// Opens the file at `path` with default options: all records, of any format. CRAM must do without a reference.
    ///
    /// # Errors
    /// If it can't be opened, is of no alignment format, or its header is malformed.
    pub fn open(path: impl AsRef<Path>) -> Result<Reader, Error> {
        Reader::builder().open(path)
    }

    /// Reads from any reader under the given label; see [`ReaderBuilder::read`].
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_reader(label: &str, reader: impl Read + Send + 'static) -> Result<Reader, Error> {
        Reader::builder().read(Source::from_reader(label, reader))
    }

    /// What to read, and how.
    pub fn builder() -> ReaderBuilder {
        ReaderBuilder::default()
    }

    /// Reads what a query asks for, or a source that holds BAM, as that of an [`Input`].
    ///
    /// # Errors
    /// If the header can't be read, or a region of the query isn't in it.
    pub fn new(query: impl Into<Query>, options: &Options) -> Result<Reader, Error> {
        let query = query.into();
        let notes = query.notes().to_vec();
        let (options, noticed) = options.noted();
        let (source, framer, plan) = Plan::new(query, &options);
        let slot = framer.header_slot();
        let frames = Frames::new(source, &plan.options, framer)?;
        let mut reader = Reader {
            frames,
            selects: plan.selects(),
            plan,
            header: Arc::default(),
            notes,
            noticed,
            starts: Vec::new(),
            len: 0,
            next: 0,
            delivered: 0,
            state: ReaderState::Open,
            misfit: false,
        };
        while slot.get().is_none() && reader.advance()? {}
        if let Some(header) = slot.get() {
            reader.header = Arc::clone(header);
        }
        Ok(reader)
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The header, to be kept beside the records.
    pub fn shared_header(&self) -> Arc<Header> {
        Arc::clone(&self.header)
    }

    /// What is worth telling of how regions are looked up: that there is no index, or an old one.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// What was odd about the data so far, without making them wrong. At the end of BAM that may lack its end-of-file block
    /// ([`Options::allow_missing_eof`]) this tells whether it did.
    pub fn warnings(&self) -> Vec<Warning> {
        self.noticed.warnings()
    }

    /// The next record, borrowed until the one after it is asked for; `None` at the end.
    ///
    /// # Errors
    /// The first fault of the input, after all records before it. Calls after that return `None`.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Error> {
        while self.next == self.len {
            if !self.advance()? {
                return Ok(None);
            }
        }
        let index = self.next;
        self.next += 1;
        self.delivered += 1;
        let (chunk, frame) = self.frames.current();
        let starts = if self.selects { &self.starts } else { frame.starts() };
        Ok(Some(record_at(chunk.bytes(), starts[index])))
    }

    /// Copies the next record into `record`, whose memory is used again; `false` at the end.
    ///
    /// ```
    /// use biofast_bam::{Reader, RecordBuf};
    ///
    /// let sam = b"r1\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
    /// let mut reader = Reader::from_reader("example", &sam[..])?;
    /// let mut record = RecordBuf::default();
    /// while reader.read_into(&mut record)? {
    ///     record.set_name([b"x", record.name()].concat());
    ///     assert!(record.name().starts_with(b"xr"));
    /// }
    /// # Ok::<(), biofast_bam::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`next_record`](Self::next_record).
    pub fn read_into(&mut self, record: &mut RecordBuf) -> Result<bool, Error> {
        match self.next_record()? {
            Some(next) => {
                record.copy_from(&next);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// The records as ones to keep; after an error come no more.
    pub fn records(&mut self) -> RecordBufs<'_> {
        RecordBufs { reader: self }
    }

    /// The number of records delivered so far.
    pub fn records_read(&self) -> u64 {
        self.delivered
    }

    /// Goes on to the next chunk; `false` at the end.
    #[cold]
    fn advance(&mut self) -> Result<bool, Error> {
        (self.next, self.len) = (0, 0);
        let more = match self.state {
            ReaderState::Open => self.frames.advance(),
            ReaderState::Last => Ok(false),
            ReaderState::Ended => return Ok(false),
        };
        if !matches!(more, Ok(true)) {
            self.state = ReaderState::Ended;
            return match more {
                Ok(_) if self.misfit => Err(self.plan.misfit()),
                more => more,
            };
        }
        let (chunk, frame) = self.frames.current();
        let batch = frame.batch(chunk);
        self.len = batch.len();
        if self.selects {
            self.misfit |= self.plan.select(&batch, &mut self.starts);
            self.len = self.starts.len();
            if self.plan.is_last(&batch) {
                self.state = ReaderState::Last;
            }
        }
        Ok(true)
    }
}

/// The records of a [`Reader`], each in memory of its own.
///
/// ```
/// use biofast_bam::Reader;
///
/// let sam = b"b\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\na\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let mut reader = Reader::from_reader("example", &sam[..])?;
/// let mut records = reader.records().collect::<Result<Vec<_>, _>>()?;
/// records.sort_by(|one, other| one.name().cmp(other.name()));
/// assert_eq!(records[0].name(), b"a");
/// # Ok::<(), biofast_bam::Error>(())
/// ```
pub struct RecordBufs<'r> {
    reader: &'r mut Reader,
}

impl Iterator for RecordBufs<'_> {
    type Item = Result<RecordBuf, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.reader.next_record();
        next.map(|record| record.map(|record| record.to_buf())).transpose()
    }
}

/// What a [`Reader`] reads, and how.
///
/// ```
/// use biofast_bam::{Reader, Selection};
/// use biofast_io::Source;
///
/// let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t0\tc\t50\t60\t1M\t*\t0\t0\tA\tI\n";
/// let mut regions = Selection::new();
/// regions.add("c:40-60");
/// let source = Source::from_reader("example", &sam[..]);
/// let mut reader = Reader::builder().threads(1).regions(regions).read(source)?;
/// assert_eq!(reader.next_record()?.map(|record| record.name()), Some(&b"r2"[..]));
/// assert!(reader.next_record()?.is_none());
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a builder opens nothing before `open` or `read`"]
pub struct ReaderBuilder {
    options: Options,
    reference: Option<PathBuf>,
    detail: Detail,
    regions: Option<Selection>,
    index: Option<PathBuf>,
}

impl ReaderBuilder {
    /// How bytes are read, and how strictly.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Threads that may be used; by default as many as the system allows.
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = threads;
        self
    }

    /// A FASTA file with the reference sequences, for CRAM.
    pub fn reference(mut self, path: impl Into<PathBuf>) -> Self {
        self.reference = Some(path.into());
        self
    }

    /// What will be looked at, so that no more is decoded of CRAM.
    pub fn detail(mut self, detail: Detail) -> Self {
        self.detail = detail;
        self
    }

    /// Only records that overlap regions, each once. A selection to which nothing was added selects nothing.
    pub fn regions(mut self, regions: Selection) -> Self {
        self.regions = Some(regions);
        self
    }

    /// The index that regions are looked up with, if it isn't beside the file under one of its usual names.
    pub fn index(mut self, path: impl Into<PathBuf>) -> Self {
        self.index = Some(path.into());
        self
    }

    /// Opens the file at `path`. Of BAM with an index, only the blocks that the regions need are read; else all of it.
    ///
    /// # Errors
    /// If it, its index or the reference can't be read, it is of no alignment format, its header is malformed, or a
    /// region isn't in it.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Reader, Error> {
        let Some(regions) = &self.regions else { return self.read(Source::open(path)?) };
        let (options, _) = self.options.noted();
        let opening = self.opening(&options, self.detail);
        let query = match &self.index {
            Some(index) => Query::open_with_index(path, regions, &opening, index),
            None => Query::open(path, regions, &opening),
        };
        Reader::new(query?, &options)
    }

    /// Reads from `source`; regions are found by reading all of it.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(&self, source: Source) -> Result<Reader, Error> {
        let (options, _) = self.options.noted();
        let Some(regions) = &self.regions else {
            let input = Input::open(source, &self.opening(&options, self.detail))?;
            return Reader::new(input.source, &options);
        };
        // Whether a record overlaps a region is seen by its CIGAR.
        let detail = match self.detail {
            Detail::Placement => Detail::Alignment,
            detail => detail,
        };
        let input = Input::open(source, &self.opening(&options, detail))?;
        Reader::new(Query::scan(input.source, regions), &options)
    }

    fn opening<'o>(&self, io: &'o Options, detail: Detail) -> InputOptions<'o> {
        InputOptions { io, reference: self.reference.clone(), detail }
    }
}
