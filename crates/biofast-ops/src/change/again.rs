//! Reads that are needed twice: files are opened again, and what can be read only once is kept in a temporary file.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use biofast_fastq::fasta::{self, Sequences};
use biofast_fastq::{self as fastq, Inputs};
use biofast_io::{Error, ErrorKind, Location, Reread, Source, display_name, remote};

use super::temporary::Temporary;

/// An input that may have to be read again.
///
/// ```
/// use biofast_io::Source;
/// use biofast_ops::dedup::Input;
///
/// let stream = Input::once(Source::from_reader("example", &b"@a\nA\n+\nI\n"[..]));
/// assert!(stream.path().is_none());
/// # let path = std::env::temp_dir().join(format!("biofast-doc-again-{}", std::process::id()));
/// # std::fs::write(&path, "@a\nA\n+\nI\n")?;
/// assert_eq!(Input::open(&path)?.path(), Some(path.as_path()));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Input {
    source: Source,
    file: Option<Box<Reread>>,
}

impl Input {
    /// A file or an address, or a pipe or device of that name, which can't be read again.
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn open(path: &Path) -> Result<Input, Error> {
        let file = Reread::new(path);
        let source = Source::open(path)?;
        let again = match std::fs::metadata(path) {
            Ok(found) => found.is_file(),
            // An address is no file.
            Err(error) if error.kind() == io::ErrorKind::NotFound => remote::can_reopen(path),
            Err(error) => {
                let at = Location { name: Some(display_name(path).into()), ..Location::default() };
                return Err(Error::new(ErrorKind::Io(error), at));
            }
        };
        Ok(Input { source, file: again.then(|| Box::new(file)) })
    }

    /// What can be read only once.
    pub fn once(source: Source) -> Input {
        Input { source, file: None }
    }

    /// Where it can be read again.
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|file| file.path())
    }

    /// Whether it holds FASTA, by its first bytes, which are left unread.
    ///
    /// # Errors
    /// If nothing can be read.
    pub fn is_fasta(&mut self) -> Result<bool, fastq::Error> {
        fasta::is_fasta(&mut self.source)
    }

    pub(super) fn into_parts(self) -> (Source, Option<Reread>) {
        (self.source, self.file.map(|file| *file))
    }
}

/// What can be read only once, kept as it is in a temporary file, to be read again and again.
///
/// ```
/// use biofast_fastq::Reader;
/// use biofast_io::Options;
/// use biofast_ops::order::Kept;
///
/// let kept = Kept::new(&b"@a\nA\n+\nI\n"[..], &std::env::temp_dir())?;
/// for _ in 0..2 {
///     let mut reader = Reader::new(kept.open("stream")?, &Options::default())?;
///     assert!(reader.next_record()?.is_some());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Kept {
    file: Temporary,
}

impl Kept {
    /// Reads all of a stream, into a temporary file of this folder, which is gone with the process.
    ///
    /// # Errors
    /// If the stream can't be read, or the file not be written.
    pub fn new(mut stream: impl Read, folder: &Path) -> io::Result<Kept> {
        let mut file = Temporary::create(folder)?;
        io::copy(&mut stream, &mut file)?;
        Ok(Kept { file })
    }

    /// A source of the same bytes. One is read at a time.
    ///
    /// # Errors
    /// If the system has no more handles.
    pub fn open(&self, label: &str) -> Result<Source, Error> {
        let named = || Location { name: Some(label.into()), ..Location::default() };
        let file =
            self.file.try_clone().map_err(|error| Error::new(ErrorKind::Io(error), named()))?;
        Source::from_open_file(label, file)
    }
}

/// What is read together: [`Inputs`] that may have to be read again.
pub enum Reads {
    /// Reads without mates.
    Single(Input),
    /// First and second reads one after the other.
    Interleaved(Input),
    /// First and second reads in a file each, in the same order.
    Paired(Input, Input),
}

impl Reads {
    /// Whether the reads are pairs.
    pub fn is_paired(&self) -> bool {
        !matches!(self, Reads::Single(_))
    }

    /// What is read first, and what opens it again, if it can be.
    pub(super) fn into_inputs(self) -> (Inputs<Sequences>, Option<Reopen>) {
        match self {
            Reads::Single(input) => {
                let (source, path) = input.into_parts();
                (Inputs::Single(Sequences(source)), path.map(Reopen::Single))
            }
            Reads::Interleaved(input) => {
                let (source, path) = input.into_parts();
                (Inputs::Interleaved(Sequences(source)), path.map(Reopen::Interleaved))
            }
            Reads::Paired(one, two) => {
                let ((one, path1), (two, path2)) = (one.into_parts(), two.into_parts());
                let reopen = path1.zip(path2).map(|(one, two)| Reopen::Paired(one, two));
                (Inputs::Paired(Sequences(one), Sequences(two)), reopen)
            }
        }
    }
}

/// Files to be read again.
pub(super) enum Reopen {
    Single(Reread),
    Interleaved(Reread),
    Paired(Reread, Reread),
}

impl Reopen {
    /// The name of what holds the first or second mates.
    pub(super) fn name(&self, mate: usize) -> String {
        display_name(match self {
            Reopen::Single(file) | Reopen::Interleaved(file) => file.path(),
            Reopen::Paired(one, _) if mate == 0 => one.path(),
            Reopen::Paired(_, two) => two.path(),
        })
    }

    /// An error if one of them has changed.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self {
            Reopen::Single(file) | Reopen::Interleaved(file) => file.check(),
            Reopen::Paired(one, two) => one.check().and_then(|()| two.check()),
        }
    }

    pub(super) fn open(&self) -> Result<Inputs<Sequences>, Error> {
        let open = |file: &Reread| Ok::<_, Error>(Sequences(file.open()?));
        Ok(match self {
            Reopen::Single(file) => Inputs::Single(open(file)?),
            Reopen::Interleaved(file) => Inputs::Interleaved(open(file)?),
            Reopen::Paired(one, two) => Inputs::Paired(open(one)?, open(two)?),
        })
    }
}

/// What may be used besides the memory of reading and writing.
///
/// ```
/// use biofast_ops::dedup::Limits;
///
/// let limits = Limits { memory: 64 << 20, folder: std::env::temp_dir() };
/// assert_eq!(limits.memory, 67_108_864);
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of memory; beyond them temporary files are used.
    pub memory: usize,
    /// The folder of temporary files.
    pub folder: PathBuf,
}
