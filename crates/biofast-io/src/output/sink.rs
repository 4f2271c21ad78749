//! An output as a whole: its target, what has been written, and how it becomes a file.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::atomic::AtomicFile;
use super::blocks::Blocks;
use super::encode::{Encoded, Encoder};
use super::format::{Compression, Format};

/// One output of a run. Dropped without [`commit`], a file never appears.
pub struct Output {
    name: String,
    target: Target,
    compression: Compression,
    /// Whether any text has been written.
    started: bool,
    /// The unfinished unit of what was appended.
    carry: Vec<u8>,
    /// What appended text is encoded with, once there is any.
    own: Option<Encoder>,
    blocks: Option<Blocks>,
    index: Option<Index>,
}

/// An index that is written beside an output.
struct Index {
    path: PathBuf,
    /// Its content; `None` for a GZI index, which is made when the output is complete.
    bytes: Option<Vec<u8>>,
}

enum Target {
    File(AtomicFile),
    /// Standard output, a pipe or a device: what is written is written.
    Stream(Box<dyn Write + Send>),
}

/// What went wrong with an output.
#[derive(Debug)]
pub struct Error {
    name: String,
    error: io::Error,
}

impl Error {
    /// Whether the output was closed by its reader, which is the reader's choice.
    pub fn is_closed_pipe(&self) -> bool {
        self.error.kind() == io::ErrorKind::BrokenPipe
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "can't write {}: {}", crate::Escaped(self.name.as_bytes()), self.error)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The error itself is part of the message.
        std::error::Error::source(&self.error)
    }
}

impl Output {
    /// An output that becomes the file `path`; a pipe or a device of that name is written to.
    ///
    /// # Errors
    /// If the file can't be created.
    pub fn create(path: &Path, compression: Compression) -> Result<Output, Error> {
        let name = crate::display_name(path);
        let special = std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir());
        let target = if special {
            // It can't be replaced, only written to.
            File::options().write(true).open(path).map(|f| Target::Stream(Box::new(f)))
        } else {
            AtomicFile::create(path).map(Target::File)
        };
        match target {
            Ok(target) => Ok(Output::new(name, target, compression)),
            Err(error) => Err(Error { name, error }),
        }
    }

    /// An output written to `stream` as it comes.
    pub fn stream(
        name: &str,
        stream: impl Write + Send + 'static,
        compression: Compression,
    ) -> Output {
        Output::new(name.to_owned(), Target::Stream(Box::new(stream)), compression)
    }

    fn new(name: String, target: Target, compression: Compression) -> Output {
        let (carry, own) = (Vec::new(), None);
        let (blocks, index) = (None, None);
        Output { name, target, compression, started: false, carry, own, blocks, index }
    }

    /// Also writes a GZI index to `path` when the output is committed.
    ///
    /// # Errors
    /// If the output isn't BGZF.
    pub fn with_index(self, path: PathBuf) -> Result<Output, Error> {
        let mut output = self.with_blocks()?;
        output.index = Some(Index { path, bytes: None });
        Ok(output)
    }

    /// Remembers where its BGZF blocks start, for [`blocks`](Self::blocks): 8 bytes a block.
    ///
    /// # Errors
    /// If the output isn't BGZF.
    pub fn with_blocks(mut self) -> Result<Output, Error> {
        if self.compression.format() != Format::Bgzf {
            let error = io::Error::other("only BGZF output can have an index");
            return Err(Error { name: self.name, error });
        }
        self.blocks = Some(Blocks::default());
        Ok(self)
    }

    /// Where the blocks written so far start, if that is remembered.
    pub fn blocks(&self) -> Option<&Blocks> {
        self.blocks.as_ref()
    }

    /// Also writes `bytes`, an index of this output, to `path` when the output is committed.
    pub fn set_index(&mut self, path: PathBuf, bytes: Vec<u8>) {
        self.index = Some(Index { path, bytes: Some(bytes) });
    }

    /// The path or label.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the output becomes a file when committed.
    pub fn is_file(&self) -> bool {
        matches!(self.target, Target::File(_))
    }

    /// The compression.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    pub(crate) fn fault(&self, error: io::Error) -> Error {
        Error { name: self.name.clone(), error }
    }

    pub(crate) fn encoder(&self) -> Result<Encoder, Error> {
        Encoder::new(self.compression).map_err(|e| self.fault(e))
    }

    /// Appends text on the calling thread: a header before a
    /// [`transform`](crate::pipeline::transform) goes on with the output, or all of it before
    /// [`finish`](Self::finish).
    ///
    /// ```
    /// use biofast_io::output::{self, Output};
    ///
    /// let path = std::env::temp_dir().join(format!("biofast-doc-append-{}", std::process::id()));
    /// let mut output = Output::create(&path, Default::default())?;
    /// output.append(b"one\n")?;
    /// output.append(b"two\n")?;
    /// output.finish()?;
    /// output::commit(vec![output], false)?;
    /// assert_eq!(std::fs::read(&path)?, b"one\ntwo\n");
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it can't be encoded or written.
    pub fn append(&mut self, text: &[u8]) -> Result<(), Error> {
        let Some(unit) = self.compression.unit() else { return self.write_bytes(text) };
        self.carry.extend_from_slice(text);
        let whole = self.carry.len() / unit * unit;
        if whole == 0 {
            return Ok(());
        }
        let mut encoder = match self.own.take() {
            Some(encoder) => encoder,
            None => self.encoder()?,
        };
        let mut encoded = Encoded::default();
        encoder.encode(&self.carry[..whole], &mut encoded).map_err(|e| self.fault(e))?;
        self.own = Some(encoder);
        self.carry.drain(..whole);
        self.write(&encoded)
    }

    /// Writes what ends the format of an output that was only [`append`](Self::append)ed to.
    ///
    /// # Errors
    /// If it can't be encoded or written.
    pub fn finish(&mut self) -> Result<(), Error> {
        let carry = self.take_carry();
        self.end(&carry)
    }

    /// The unfinished unit of what was appended, for whoever goes on.
    pub(crate) fn take_carry(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.carry)
    }

    /// Writes the next stretch.
    pub(crate) fn write(&mut self, encoded: &Encoded) -> Result<(), Error> {
        if let Some(blocks) = &mut self.blocks {
            blocks.add(&encoded.blocks);
        }
        self.write_bytes(&encoded.bytes)
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.started = true;
        let written = match &mut self.target {
            Target::File(file) => file.write_all(bytes),
            Target::Stream(stream) => stream.write_all(bytes),
        };
        written.map_err(|e| self.fault(e))
    }

    /// Writes the last unit and what ends the format.
    pub(crate) fn end(&mut self, carry: &[u8]) -> Result<(), Error> {
        let mut encoder = self.encoder()?;
        let mut encoded = Encoded::default();
        let empty = !self.started && carry.is_empty();
        encoder
            .encode(carry, &mut encoded)
            .and_then(|()| encoder.trailer(empty, &mut encoded))
            .map_err(|e| self.fault(e))?;
        self.write(&encoded)
    }
}

/// Makes files of all outputs: each is flushed and closed, with `sync` set also on disk, before
/// the first one gets its name. Indexes come last.
///
/// # Errors
/// The first failure. No output that was not renamed before it is left.
pub fn commit(outputs: Vec<Output>, sync: bool) -> Result<(), Error> {
    let mut files = Vec::new();
    let mut indexes = Vec::new();
    for output in outputs {
        let Output { name, target, blocks, index, .. } = output;
        let fault = |error| Error { name: name.clone(), error };
        match target {
            Target::File(mut file) => {
                file.complete(sync).map_err(fault)?;
                files.push((name, file));
            }
            Target::Stream(mut stream) => stream.flush().map_err(fault)?,
        }
        if let Some(Index { path, bytes }) = index {
            let name = crate::display_name(&path);
            let write = || {
                let mut file = AtomicFile::create(&path)?;
                match &bytes {
                    Some(bytes) => file.write_all(bytes)?,
                    None => blocks.unwrap_or_default().write_gzi(&mut file)?,
                }
                file.complete(sync)?;
                Ok(file)
            };
            let file = write().map_err(|error| Error { name: name.clone(), error })?;
            indexes.push((name, file));
        }
    }
    // An index is never older than its file.
    for (name, file) in files.into_iter().chain(indexes) {
        file.rename(sync).map_err(|error| Error { name, error })?;
    }
    Ok(())
}
