//! Reads that are needed twice: files are opened again, and what can be read only once is kept in a temporary file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use biofast_fastq::fasta::{self, Sequences};
use biofast_fastq::{self as fastq, Inputs};
use biofast_io::{Error, ErrorKind, Location, Reread, Source, display_name, remote};

/// An input that may have to be read twice. Files and objects can be opened again; a stream can't, and has no
/// [`path`](Self::path).
pub struct RereadInput {
    source: Source,
    file: Option<Box<Reread>>,
}

impl RereadInput {
    /// A file or an address, or a pipe or device of that name, which can't be read again.
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn open(path: &Path) -> Result<RereadInput, Error> {
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
        Ok(RereadInput { source, file: again.then(|| Box::new(file)) })
    }

    /// What can be read only once.
    pub fn once(source: Source) -> RereadInput {
        RereadInput { source, file: None }
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

/// The bytes of a stream that can be read only once, kept in a temporary file so that they can be read repeatedly.
pub struct SpooledStream {
    file: File,
}

impl SpooledStream {
    /// Reads all of a stream, into a temporary file of this folder, which is gone with the process.
    ///
    /// # Errors
    /// If the stream can't be read, or the file not be written.
    pub fn new(mut stream: impl Read, folder: &Path) -> io::Result<SpooledStream> {
        let mut file = tempfile::tempfile_in(folder)?;
        io::copy(&mut stream, &mut file)?;
        Ok(SpooledStream { file })
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

/// What is read first, and what opens it again, if it can be.
pub(super) fn into_sequences(inputs: Inputs<RereadInput>) -> (Inputs<Sequences>, Option<Reopen>) {
    match inputs {
        Inputs::Single(input) => {
            let (source, path) = input.into_parts();
            (Inputs::Single(Sequences(source)), path.map(Reopen::Single))
        }
        Inputs::Interleaved(input) => {
            let (source, path) = input.into_parts();
            (Inputs::Interleaved(Sequences(source)), path.map(Reopen::Interleaved))
        }
        Inputs::Paired(one, two) => {
            let ((one, path1), (two, path2)) = (one.into_parts(), two.into_parts());
            let reopen = path1.zip(path2).map(|(one, two)| Reopen::Paired(one, two));
            (Inputs::Paired(Sequences(one), Sequences(two)), reopen)
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
