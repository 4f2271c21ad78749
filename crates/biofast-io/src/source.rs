//! How bytes arrive: which file or stream, mapped or read, on how many threads.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::container::Container;
use crate::error::{Error, ErrorKind, Escaped, Location};

/// Regular files of this many bytes and more are memory-mapped under [`IoMode::Auto`].
///
/// 50 MB is where an earlier study on macOS saw maps with advice overtake buffered reads. Entry
/// 032 of the laboratory has what was measured on Linux, by consumer and cache; macOS was not
/// measured, and the rule is kept for its sake.
pub const MMAP_THRESHOLD: u64 = 50_000_000;

/// How a regular file is read. Streams are always read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IoMode {
    /// Map files of [`MMAP_THRESHOLD`] bytes and more, read the others.
    #[default]
    Auto,
    /// Map every regular file that isn't empty, where the build and the system can.
    Mmap,
    /// Never map.
    Read,
}

/// What the system is told about a memory map. For experiments: the default is what entry 032 of
/// the laboratory bears out.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapAdvice {
    /// Read once, front to back.
    pub sequential: bool,
    /// All of it will be needed soon.
    pub will_need: bool,
    /// Text is mapped in a chunk at a time, by one call before it is touched.
    pub populate: bool,
    /// The same of compressed blocks.
    pub populate_blocks: bool,
}

impl MapAdvice {
    /// Nothing: pages come in as they are touched.
    pub const NONE: MapAdvice =
        MapAdvice { sequential: false, will_need: false, populate: false, populate_blocks: false };
    /// What readers use.
    pub const DEFAULT: MapAdvice = MapAdvice {
        sequential: true,
        will_need: cfg!(target_os = "macos"),
        populate: true,
        populate_blocks: false,
    };
}

/// Bytes consumed so far, to be looked at from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
}

impl Progress {
    /// Bytes of the input as stored that have been handed to workers.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, n: u64) {
        self.bytes.fetch_add(n, Ordering::Relaxed);
    }
}

/// Something worth telling that does not make the data wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// A BGZF input ended without its end-of-file block.
    MissingEofBlock,
    /// A CRAM input ended without its end-of-file container.
    MissingEofContainer,
    /// Members of ordinary gzip follow BGZF blocks, from this byte of the file on.
    GzipAfterBlocks(u64),
    /// Blank lines between the records of FASTQ, or inside of one.
    BlankLines {
        /// How many.
        count: u64,
        /// The record the first one comes before or is in, counted from 1.
        record: u64,
        /// Its line, counted from 1.
        line: u64,
    },
    /// Something that breaks the rules of the format was read all the same, as nothing is lost by that.
    Tolerated {
        /// What it is.
        what: &'static str,
        /// How often.
        count: u64,
        /// Where it was seen first.
        first: Location,
    },
    /// Something odd about the records that changes what is counted.
    Noticed {
        /// What it is.
        what: &'static str,
        /// How often.
        count: u64,
        /// Where it was seen first.
        first: Location,
    },
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Warning::MissingEofBlock => f.write_str(
                "the BGZF end-of-file block is missing; every block present is intact, but the \
                 file may have been cut at a block boundary",
            ),
            Warning::MissingEofContainer => f.write_str(
                "the CRAM end-of-file container is missing; the file may have been cut at a \
                 container boundary",
            ),
            Warning::GzipAfterBlocks(at) => write!(
                f,
                "ordinary gzip follows BGZF at compressed byte {at}; tools that need BGZF can't \
                 read on there"
            ),
            Warning::BlankLines { count, record, line } => write!(
                f,
                "record {record}, line {line}: {} between the lines of reads, passed over",
                match count {
                    1 => "a blank line".to_owned(),
                    n => format!("the first of {n} blank lines"),
                }
            ),
            Warning::Tolerated { what, count, first } | Warning::Noticed { what, count, first } => {
                located(f, first, what)?;
                match count {
                    0 | 1 => Ok(()),
                    n => write!(f, " ({n} times)"),
                }
            }
        }
    }
}

/// `place: what`, without the input's name.
fn located(f: &mut std::fmt::Formatter<'_>, at: &Location, what: &str) -> std::fmt::Result {
    let at = Location { name: None, ..at.clone() };
    if at != Location::default() {
        write!(f, "{at}: ")?;
    }
    f.write_str(what)
}

/// What a reader finds out about its input besides the data.
#[derive(Debug, Default)]
pub struct Notes {
    warnings: Mutex<Vec<Warning>>,
    container: OnceLock<Container>,
    mapped: OnceLock<bool>,
    /// Pieces of gzip that were inflated ahead: taken, and dropped.
    pieces: [AtomicU64; 2],
}

impl Notes {
    /// Adds a warning, once.
    pub fn warn(&self, warning: Warning) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    pub(crate) fn opened(&self, container: Container, mapped: bool) {
        // One set of notes belongs to one input; a second one would keep the first's.
        let _ = self.container.set(container);
        let _ = self.mapped.set(mapped);
    }

    /// The warnings so far.
    pub fn warnings(&self) -> Vec<Warning> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The container, once the input has been opened.
    pub fn container(&self) -> Option<Container> {
        self.container.get().copied()
    }

    pub(crate) fn piece(&self, taken: bool) {
        self.pieces[usize::from(!taken)].fetch_add(1, Ordering::Relaxed);
    }

    /// How many pieces of a gzip input were inflated before their turn: those that were taken, and those whose start was
    /// none or that weren't found.
    pub fn gzip_pieces(&self) -> (u64, u64) {
        let [taken, dropped] = &self.pieces;
        (taken.load(Ordering::Relaxed), dropped.load(Ordering::Relaxed))
    }

    /// Whether the input is read through a memory map.
    pub fn is_mapped(&self) -> bool {
        self.mapped.get().copied().unwrap_or(false)
    }
}

/// How to read, for every reader of the toolkit.
#[derive(Clone, Debug)]
pub struct Options {
    /// Map or read.
    pub io: IoMode,
    /// About maps; for experiments.
    #[doc(hidden)]
    pub advice: MapAdvice,
    /// Compressed bytes of the pieces in which a parallel reader inflates ordinary gzip, whatever the input and the number of
    /// threads; 0 for none. For tests; `BIOFAST_GZIP_PIECE` is for users.
    #[doc(hidden)]
    pub gzip_piece: Option<usize>,
    /// The total number of threads a parallel reader may use, at least 1.
    pub threads: usize,
    /// Decompressed bytes a worker takes at once, between 1 and
    /// [`MAX_CHUNK_SIZE`](Options::MAX_CHUNK_SIZE); a value outside is taken as the nearest one.
    /// Results never depend on it.
    pub chunk_size: usize,
    /// Treat a missing BGZF end-of-file block as an error, and blank lines inside FASTQ.
    pub strict: bool,
    /// Take alignments by the letter of their specification: what is otherwise read with a [`Warning::Tolerated`] is an
    /// error.
    pub pedantic: bool,
    /// Where to count consumed bytes.
    pub progress: Option<Arc<Progress>>,
    /// Where to leave warnings and what was found out about the input.
    pub notes: Option<Arc<Notes>>,
}

impl Options {
    /// Nine BGZF blocks: what fits beside a worker's tables in a second-level cache of 1 MB, and three times as many as
    /// `biofast-deflate` inflates at once on x86-64.
    pub const DEFAULT_CHUNK_SIZE: usize = 9 * 65_536;
    /// 1 GiB.
    pub const MAX_CHUNK_SIZE: usize = 1 << 30;

    /// The defaults for one thread. Costs nothing, while the default asks the system how many
    /// threads it allows.
    pub const fn serial() -> Options {
        Options {
            io: IoMode::Auto,
            advice: MapAdvice::DEFAULT,
            gzip_piece: None,
            threads: 1,
            chunk_size: Options::DEFAULT_CHUNK_SIZE,
            strict: false,
            pedantic: false,
            progress: None,
            notes: None,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options { threads: crate::available_threads(), ..Options::serial() }
    }
}

/// An input that has been opened and not yet been read.
pub struct Source {
    pub(crate) name: Arc<str>,
    pub(crate) backing: Backing,
}

pub(crate) enum Backing {
    /// A regular file with its length when opened.
    File(File, u64),
    /// Anything else that can be read.
    Stream(Box<dyn Read + Send>),
    /// What another reader of an input makes of it.
    Derived(Box<dyn Read + Send>),
}

impl Source {
    /// Opens a file, a named pipe or a device.
    ///
    /// A named pipe is opened and emptied by a thread of its own, so that neither waits for what is done with
    /// other inputs; that thread holds at most 16 MiB.
    ///
    /// # Errors
    /// If it can't be opened, or is a directory.
    pub fn open(path: impl AsRef<Path>) -> Result<Source, Error> {
        let path = path.as_ref();
        let name: Arc<str> = display_name(path).into();
        #[cfg(unix)]
        if is_named_pipe(path) {
            let pipe = crate::pipe::Pipe::open(path.into()).map_err(|e| Error::io(e, &name))?;
            return Ok(Source::from_stream(pipe, name));
        }
        let file = File::open(path).map_err(|e| Error::io(e, &name))?;
        Source::from_file(file, name)
    }

    /// Standard input under the given label.
    ///
    /// # Errors
    /// If standard input is a directory.
    pub fn stdin(label: &str) -> Result<Source, Error> {
        #[cfg(unix)]
        {
            use std::os::fd::AsFd;
            if let Ok(fd) = std::io::stdin().as_fd().try_clone_to_owned() {
                let file = File::from(fd);
                // A redirected file is read from where it stands, not mapped from its start.
                if file.metadata().is_ok_and(|m| m.is_dir()) {
                    return Err(directory(&label.into()));
                }
                return Ok(Source::from_reader(label, file));
            }
        }
        Ok(Source::from_reader(label, std::io::stdin()))
    }

    /// Any reader under the given label.
    pub fn from_reader(label: &str, reader: impl Read + Send + 'static) -> Source {
        Source { name: label.into(), backing: Backing::Stream(Box::new(reader)) }
    }

    /// What an adapter makes of another input: like [`from_reader`](Source::from_reader), but a
    /// parallel reader lets it work ahead on a thread of its own, and what is taken from it is
    /// not counted as progress, since the adapter's own input is.
    pub fn from_adapter(label: &str, reader: impl Read + Send + 'static) -> Source {
        Source { name: label.into(), backing: Backing::Derived(Box::new(reader)) }
    }

    fn from_file(file: File, name: Arc<str>) -> Result<Source, Error> {
        let metadata = file.metadata().map_err(|e| Error::io(e, &name))?;
        if metadata.is_dir() {
            return Err(directory(&name));
        }
        if !metadata.is_file() {
            return Ok(Source::from_stream(file, name));
        }
        Ok(Source { name, backing: Backing::File(file, metadata.len()) })
    }

    /// What stands under a name and is no regular file.
    fn from_stream(reader: impl Read + Send + 'static, name: Arc<str>) -> Source {
        let backing = Backing::Stream(match promised_container(&name) {
            Some(ending) => Box::new(NotEmpty {
                empty: Some(Error::new(ErrorKind::Empty(ending), Location::in_input(&name))),
                reader,
            }),
            None => Box::new(reader),
        });
        Source { name, backing }
    }

    /// The same source, of which a read fails that finds no bytes at all: for standard input that
    /// nobody named.
    pub fn not_empty(self) -> Source {
        let backing = match self.backing {
            Backing::Stream(reader) => {
                let empty = Some(Error::new(ErrorKind::NoInput, Location::default()));
                Backing::Stream(Box::new(NotEmpty { empty, reader }))
            }
            other => other,
        };
        Source { backing, ..self }
    }

    /// The path or label.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The length in bytes as stored, where it is known.
    pub fn len(&self) -> Option<u64> {
        match self.backing {
            Backing::File(_, len) => Some(len),
            Backing::Stream(_) | Backing::Derived(_) => None,
        }
    }

    /// Whether the input is known to be empty.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }
}

/// Whether this is a named pipe, which takes its time to be opened.
#[cfg(unix)]
pub fn is_named_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo())
}

/// No pipes have names here.
#[cfg(not(unix))]
pub fn is_named_pipe(_: &Path) -> bool {
    false
}

/// A stream that fails where it ends before the first byte.
struct NotEmpty<R> {
    /// The error, until there is a byte.
    empty: Option<Error>,
    reader: R,
}

impl<R: Read> Read for NotEmpty<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = self.reader.read(out)?;
        if n > 0 {
            self.empty = None;
        } else if let Some(error) = self.empty.as_ref().filter(|_| !out.is_empty()) {
            // Who peeked comes again.
            let kind = match error.kind() {
                ErrorKind::Empty(ending) => ErrorKind::Empty(ending),
                _ => ErrorKind::NoInput,
            };
            return Err(Error::new(kind, error.at().clone()).into());
        }
        Ok(n)
    }
}

/// The ending of a name that promises compressed data, of which there are some bytes in any case.
pub(crate) fn promised_container(name: &str) -> Option<&'static str> {
    let ending = name.rsplit_once('.')?.1;
    let known = ["gz", "bgz", "bgzf", "bam", "cram", "zst", "bz2", "xz"];
    known.into_iter().find(|known| ending.eq_ignore_ascii_case(known))
}

/// The name of a file as results and messages show it: the path, or, where that is not UTF-8,
/// the path with the offending bytes escaped.
pub fn display_name(path: &Path) -> String {
    match path.to_str() {
        Some(name) => name.to_owned(),
        None => Escaped(path.as_os_str().as_encoded_bytes()).to_string(),
    }
}

fn directory(name: &Arc<str>) -> Error {
    Error::new(ErrorKind::NotAFile("a directory"), Location::in_input(name))
}
