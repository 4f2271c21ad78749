//! Makes the seek index of ordinary gzip, while something reads the file. `super::gzip` has its format, and reads it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use biofast_bam as bam;
use biofast_fastq::{self as fastq, fasta};
use biofast_io::output::Output;
use biofast_io::{Container, Follower, GzipPoint, GzipPoints, Options, Source, bgzf};

use super::error::{Error, ErrorKind};
use super::gzip::{ENTRY_LEN, GzipEntry, MAGIC, NUMBERS, hash_of};
use super::input::{ShardInput, sniffed};
use super::marks::{MarkStride, RecordMark, RecordMarks, stride, wrapped};
use super::state::State;

/// Bytes of text between two points. Who starts anywhere inflates half of it in vain; each point has a window of 32 KB.
const SPACING: u64 = 4 << 20;

/// Makes the seek index of FASTQ in ordinary gzip. The file is read once, and every record and checksum checked; memory is bounded
/// but for 32 bytes for each 4 MiB of text. Returns the index, which isn't committed, and the number of reads.
///
/// An example is at [`GzipIndex`](super::GzipIndex).
///
/// # Errors
/// If the file isn't ordinary gzip or can't be read, a read isn't four lines, or the index can't be written.
pub fn index_gzip(
    input: &ShardInput,
    options: &Options,
    out: Output,
) -> Result<(Output, u64), Error> {
    index_every(input, SPACING, options, out)
}

/// [`index_gzip`] with a point about every `spacing` bytes of text.
pub(super) fn index_every(
    input: &ShardInput,
    spacing: u64,
    options: &Options,
    out: Output,
) -> Result<(Output, u64), Error> {
    let indexer = GzipIndexer::with_spacing(input, spacing, out)?;
    let source = indexer.follow(Source::open(&input.path)?);
    // Reading is all there is to do.
    fastq::Fold::new(source)
        .options(options)
        .run(|| (), |(), _| (), |(), ()| ())
        .map_err(|fault| fault.error)?;
    indexer.finish()
}

/// Makes the seek index of FASTQ in ordinary gzip while something else reads it, with the bytes that [`index_gzip`] makes.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-follow-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("reads.fq.gz");
/// use biofast_io::output::{Compression, Output, commit};
/// use biofast_io::{Options, Source};
/// use biofast_ops::reads::Collector;
/// use biofast_ops::shards::{GzipIndex, GzipIndexer, ShardInput};
///
/// # let text = b"@a\nA\n+\nI\n";
/// # let mut gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01\x09\0\xf6\xff".to_vec();
/// # gzip.extend_from_slice(text);
/// # gzip.extend_from_slice(&biofast_io::crc32(text).to_le_bytes());
/// # gzip.extend_from_slice(&9u32.to_le_bytes());
/// # std::fs::write(&path, gzip)?;
/// let index = Output::create_with(&GzipIndex::path_of(&path), Compression::default())?;
/// let indexer = GzipIndexer::new(&ShardInput::new(&path), index)?;
/// // Whatever reads all of it to its end.
/// let source = indexer.follow(Source::open(&path)?);
/// let reads = Collector::collect(source, &Options::default(), Collector::new)
///     .map_err(|fault| fault.error)?;
/// let (index, records) = indexer.finish()?;
/// assert_eq!((reads.reads(), records), (1, 1));
/// commit(vec![index], false)?;
/// assert_eq!(GzipIndex::open(&path)?.records(), 1);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct GzipIndexer {
    input: ShardInput,
    /// The file before it is read.
    before: State,
    notes: Arc<Notes>,
}

/// What is heard of the reads, in their order.
struct Notes {
    points: Arc<GzipPoints>,
    name: String,
    wanted: MarkStride,
    heard: Mutex<Heard>,
}

struct Heard {
    /// Whether the text was read as reads at all.
    any: bool,
    records: u64,
    marks: RecordMarks,
    /// Gone once the index is finished.
    writer: Option<MemberWriter>,
    /// Why there will be no index.
    trouble: Option<Error>,
}

impl GzipIndexer {
    /// Gets ready for the file, of which nothing is read but its first bytes and what tells it from others. The index goes to `out`.
    ///
    /// # Errors
    /// If the file isn't FASTQ in ordinary gzip, or can't be opened, or `out` can't be written to.
    pub fn new(input: &ShardInput, out: Output) -> Result<GzipIndexer, Error> {
        GzipIndexer::with_spacing(input, SPACING, out)
    }

    /// The same with a point about every `spacing` bytes of text. For experiments and tests.
    #[doc(hidden)]
    pub fn with_spacing(
        input: &ShardInput,
        spacing: u64,
        out: Output,
    ) -> Result<GzipIndexer, Error> {
        can_index(input)?;
        let before = State::of(&input.path)?;
        let mut writer = MemberWriter { out, at: 0, entries: Vec::new() };
        writer.append(&MAGIC)?;
        let heard = Heard {
            any: false,
            records: 0,
            marks: RecordMarks::new(1),
            writer: Some(writer),
            trouble: None,
        };
        let notes = Arc::new(Notes {
            points: Arc::new(GzipPoints::new(spacing)),
            name: input.name.clone(),
            wanted: MarkStride::new(1),
            heard: Mutex::new(heard),
        });
        Ok(GzipIndexer { input: input.clone(), before, notes })
    }

    /// The file's source, which must be read to its end as FASTQ, on any number of threads. It is then inflated by one of them.
    #[must_use]
    pub fn follow(&self, source: Source) -> Source {
        let follower: Arc<dyn Follower> = Arc::clone(&self.notes) as _;
        source.noting(&self.notes.points).followed_by(follower)
    }

    /// Writes the rest of the index, once the source has been read without a fault. Returns the index, which isn't committed, and the
    /// number of reads.
    ///
    /// # Errors
    /// If a read isn't four lines, the file wasn't read to its end or has changed, or the index can't be written.
    pub fn finish(self) -> Result<(Output, u64), Error> {
        let none = |why| Error::of(ErrorKind::NoSeekIndex(why), &self.input.name);
        let unfinished = || none("the file wasn't read to its end");
        let mut heard = self.notes.lock();
        heard.settle(&self.notes.points);
        if let Some(trouble) = heard.trouble.take() {
            return Err(trouble);
        }
        let (text, crc32) = self.notes.points.end().ok_or_else(unfinished)?;
        if text > 0 && !heard.any {
            return Err(none("the text isn't FASTQ"));
        }
        let after = State::of(&self.input.path)?;
        if self.before != after {
            return Err(none("the file changed while it was being read"));
        }
        let writer = heard.writer.take().ok_or_else(unfinished)?;
        let out = writer.finish(&after, heard.records, (text, crc32), &heard.marks.found)?;
        Ok((out, heard.records))
    }
}

/// An error if there can't be an index of the file, by its first bytes.
fn can_index(input: &ShardInput) -> Result<(), Error> {
    let other = |what| Err(Error::of(ErrorKind::NotForSeekIndex(what), &input.name));
    let mut source = Source::open(&input.path)?;
    if let Ok(format) = bam::Format::sniff(&mut source) {
        return other(format.name());
    }
    if fasta::is_fasta(&mut source)? {
        return other("FASTA");
    }
    match sniffed(input)? {
        Container::Gzip => Ok(()),
        Container::Bgzf => other("BGZF"),
        Container::Plain => other("plain text"),
        container => other(container.name()),
    }
}

impl Notes {
    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Follower for Notes {
    fn framed(&self, first: u64, len: usize, start_of: &dyn Fn(usize) -> Option<u64>) {
        let mut heard = self.lock();
        (heard.any, heard.records) = (true, first + len as u64);
        if heard.trouble.is_some() {
            return;
        }
        let mut more = Vec::new();
        for index in self.wanted.of(first, len) {
            let record = first + index as u64;
            let Some(offset) = start_of(index) else {
                heard.trouble = Some(wrapped(&self.name, record));
                return;
            };
            more.push(RecordMark { record, at: offset, offset, ..RecordMark::default() });
        }
        heard.marks.add(&mut more, &self.wanted);
        heard.settle(&self.points);
    }
}

impl Heard {
    /// Writes the windows of the points found so far.
    fn settle(&mut self, points: &GzipPoints) {
        if let Some(writer) = self.writer.as_mut().filter(|_| self.trouble.is_none()) {
            self.trouble = writer.add(points.take()).err();
        }
    }
}

struct MemberWriter {
    out: Output,
    at: u64,
    /// Bit, offset and checksum of a point, and where its window is in the index.
    entries: Vec<GzipEntry>,
}

impl MemberWriter {
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.at += bytes.len() as u64;
        self.out
            .append(bytes)
            .map_err(|error| Error::new(ErrorKind::Output(error), biofast_io::Location::default()))
    }

    fn add(&mut self, points: Vec<GzipPoint>) -> Result<(), Error> {
        for GzipPoint { bit, offset, crc32, window } in points {
            let window = bgzf::compress(&window);
            let (window_at, window_len) = (self.at, window.len() as u32);
            self.entries.push(GzipEntry { bit, offset, window_at, window_len, crc32 });
            self.append(&window)?;
        }
        Ok(())
    }

    fn finish(
        mut self,
        state: &State,
        records: u64,
        (text, crc32): (u64, u32),
        marks: &[RecordMark],
    ) -> Result<Output, Error> {
        let table_at = self.at;
        let mut table = Vec::with_capacity(ENTRY_LEN * self.entries.len() + 8 * marks.len());
        for entry in &self.entries {
            for number in [entry.bit, entry.offset, entry.window_at] {
                table.extend_from_slice(&number.to_le_bytes());
            }
            table.extend_from_slice(&entry.window_len.to_le_bytes());
            table.extend_from_slice(&entry.crc32.to_le_bytes());
        }
        for mark in marks {
            table.extend_from_slice(&mark.offset.to_le_bytes());
        }
        let digest = u64::from_str_radix(&state.digest, 16).unwrap_or(0);
        let sums = u64::from(biofast_io::crc32(&table)) << 32 | u64::from(crc32);
        let numbers = [
            state.size,
            digest,
            records,
            text,
            stride(marks),
            self.entries.len() as u64,
            marks.len() as u64,
            table_at,
            sums,
        ];
        for number in numbers {
            table.extend_from_slice(&number.to_le_bytes());
        }
        let hash = hash_of(&table[table.len() - 8 * NUMBERS..]);
        table.extend_from_slice(&hash.to_le_bytes());
        table.extend_from_slice(&MAGIC);
        self.append(&table)?;
        Ok(self.out)
    }
}
