//! An output as a whole: its target, what has been written, and how it becomes a file.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::atomic::{AtomicFile, rename_all};
use super::blocks::Blocks;
use super::close::close;
use super::copy::BlockReuse;
use super::encode::{Encoded, Encoder};
use super::format::{Compression, Format};
use super::identity::descriptor;
use crate::error::{Located, Location};

/// One output of a run. Dropped without [`commit`], a file never appears.
///
/// What fails to be written breaks the output: it can't be committed any more, so what appears is always complete.
///
/// ```
/// use biofast_io::output::{self, Compression, Format, Output};
///
/// let path = std::env::temp_dir().join(format!("biofast-doc-output-{}.fq.gz", std::process::id()));
/// let compression = Compression::new(Format::from_name(&path), None)?;
/// let mut output = Output::create_with(&path, compression)?;
/// output.append(b"@r\nACGT\n+\nIIII\n")?;
/// // Until here there is no such file; after it there is all of it.
/// output::commit(vec![output], false)?;
/// let mut reader = biofast_io::Reader::new(biofast_io::Source::open(&path)?, &Default::default())?;
/// let mut text = String::new();
/// std::io::Read::read_to_string(&mut reader, &mut text)?;
/// assert_eq!(text, "@r\nACGT\n+\nIIII\n");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "an output that isn't committed never appears"]
pub struct Output {
    name: String,
    target: Target,
    compression: Compression,
    state: SinkState,
    /// Whether any text has been written.
    started: bool,
    /// The bytes of the file so far.
    stored: u64,
    /// The unfinished unit of what was appended.
    carry: Vec<u8>,
    /// What appended text is encoded with, once there is any.
    own: Option<Encoder>,
    blocks: Option<Blocks>,
    /// Gets a GZI index when this output is complete.
    gzi: Option<Box<Output>>,
    outlasts_reader: bool,
    reuse: BlockReuse,
    recoding: Option<Recoding>,
}

/// Makes another format of what is written to an output, such as CRAM of BAM.
pub trait Recode: Send {
    /// Takes what comes next, and appends to `out` what is complete of the file.
    ///
    /// # Errors
    /// If that can't be made.
    fn recode(&mut self, text: &[u8], out: &mut Vec<u8>) -> io::Result<()>;

    /// Appends the rest of the file.
    ///
    /// # Errors
    /// If that can't be made.
    fn finish(&mut self, out: &mut Vec<u8>) -> io::Result<()>;

    /// The index of the file, once it is [finished](Self::finish).
    fn index(&mut self) -> Option<Vec<u8>>;

    /// Forgets everything, to begin again.
    fn restart(&mut self);
}

/// What becomes of what is written.
struct Recoding {
    recoder: Box<dyn Recode>,
    /// Gets its index.
    index: Option<Box<Output>>,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SinkState {
    /// More may come.
    Open,
    /// What ends its format has been written.
    Ended,
    /// Something went wrong, or is being written that may still go wrong.
    Broken,
}

enum Target {
    File(Box<AtomicFile>),
    /// Standard output, a pipe or a device: what is written is written.
    Descriptor(File),
    /// A stream of the caller's: what is written is written.
    Stream(Box<dyn Write + Send>),
    /// A stream that was closed by its reader, which the run is to outlast.
    Closed,
}

impl<K: From<Error>> From<Error> for Located<K> {
    /// The output's name is part of the message.
    fn from(error: Error) -> Self {
        Located::new(error.into(), Location::default())
    }
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

    /// The kind of the system's error, such as [`StorageFull`](io::ErrorKind::StorageFull).
    pub fn kind(&self) -> io::ErrorKind {
        self.error.kind()
    }

    /// The output's path or label.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "can't write {}: {}", crate::Escaped(self.name.as_bytes()), self.error)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // Errors around this one hand on its cause, so that this one is found in all of them.
        if self.is_closed_pipe() {
            return Some(&ClosedByReader);
        }
        // The error itself is part of the message.
        std::error::Error::source(&self.error)
    }
}

/// The cause of every error of an output that its reader has closed.
#[derive(Debug)]
struct ClosedByReader;

impl fmt::Display for ClosedByReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("closed by the reader")
    }
}

impl std::error::Error for ClosedByReader {}

/// Whether an error, of whatever crate, only means that the reader of an output has closed it, as `head` does. A closed
/// pipe elsewhere doesn't count.
pub fn is_closed_by_reader(error: &(dyn std::error::Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| error.source())
        .any(|error| error.is::<ClosedByReader>())
}

impl Output {
    /// An output that becomes the file `path`, compressed as its name says: BGZF for `.gz`, zstd for `.zst`, bzip2 for `.bz2`,
    /// plain otherwise.
    ///
    /// # Errors
    /// As [`create_with`](Self::create_with).
    pub fn create(path: &Path) -> Result<Output, Error> {
        Output::create_with(path, Format::from_name(path).into())
    }

    /// An output that becomes the file `path`, compressed as `compression` says whatever its name; a pipe or a device of that
    /// name is written to, and so are this process's own descriptors (`/dev/stdout`, `/dev/fd/3`). That `path` is no input is
    /// for [`Files`](super::Files) to see.
    ///
    /// # Errors
    /// If the file can't be created.
    pub fn create_with(path: &Path, compression: Compression) -> Result<Output, Error> {
        let name = crate::display_name(path);
        match target(path) {
            Ok(target) => Ok(Output::new(name, target, compression)),
            Err(error) => Err(Error { name, error }),
        }
    }

    /// An output written to standard output as it comes.
    ///
    /// # Errors
    /// If standard output can't be used.
    pub fn stdout(compression: Compression) -> Result<Output, Error> {
        let name = "standard output".to_owned();
        match own_descriptor(1) {
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
        let (blocks, gzi, state) = (None, None, SinkState::Open);
        Output {
            name,
            target,
            compression,
            state,
            started: false,
            stored: 0,
            carry,
            own,
            blocks,
            gzi,
            outlasts_reader: false,
            reuse: BlockReuse::Never,
            recoding: None,
        }
    }

    /// Stores what `recoder` makes of what is written, and its index in `index` when it is committed.
    ///
    /// # Errors
    /// If the output is compressed, or has been written to.
    #[doc(hidden)]
    pub fn recoded(
        mut self,
        recoder: Box<dyn Recode>,
        index: Option<Output>,
    ) -> Result<Output, Error> {
        if self.started || self.compression.format() != Format::Plain {
            return Err(self.fault(io::Error::other("only plain output can be recoded")));
        }
        self.recoding = Some(Recoding { recoder, index: index.map(Box::new), bytes: Vec::new() });
        Ok(self)
    }

    /// Also writes a GZI index of this output to `index` when it is committed.
    ///
    /// # Errors
    /// If the output isn't BGZF.
    pub fn with_gzi(self, index: Output) -> Result<Output, Error> {
        let mut output = self.with_blocks()?;
        output.gzi = Some(Box::new(index));
        Ok(output)
    }

    /// Copies BGZF blocks of the input whose data are written whole and unchanged, instead of compressing them again, if they
    /// aren't longer than they would become; as far as what writes here says where its text comes from.
    #[doc(hidden)]
    pub fn copying(mut self) -> Output {
        self.reuse = self.reused(BlockReuse::Copy);
        self
    }

    /// Copies BGZF blocks of the input whose data are written whole, whatever their length; where some bytes of the data have changed
    /// in place, the compressed stream is changed, which is faster than compressing the data again. It is for what says where its text
    /// comes from, such as marking duplicates.
    pub fn splicing(mut self) -> Output {
        self.reuse = self.reused(BlockReuse::Splice);
        self
    }

    fn reused(&self, reuse: BlockReuse) -> BlockReuse {
        if self.compression.format() == Format::Bgzf { reuse } else { BlockReuse::Never }
    }

    pub(crate) fn reuse(&self) -> BlockReuse {
        self.reuse
    }

    /// Whether a GZI index is written [with](Self::with_gzi) it.
    #[doc(hidden)]
    pub fn has_index(&self) -> bool {
        self.gzi.is_some()
    }

    /// Remembers where its BGZF blocks start, for [`blocks`](Self::blocks): 8 bytes a block.
    ///
    /// # Errors
    /// If the output isn't BGZF.
    #[doc(hidden)]
    pub fn with_blocks(mut self) -> Result<Output, Error> {
        if self.compression.format() != Format::Bgzf {
            let error = io::Error::other("only BGZF output can have an index");
            return Err(Error { name: self.name, error });
        }
        self.blocks = Some(Blocks::default());
        Ok(self)
    }

    /// Where the blocks written so far start, if that is remembered.
    #[doc(hidden)]
    pub fn blocks(&self) -> Option<&Blocks> {
        self.blocks.as_ref()
    }

    /// Forgets what was written to what [becomes a file](Self::is_file), to begin again.
    ///
    /// # Errors
    /// If it doesn't become a file, or can't be emptied.
    #[doc(hidden)]
    pub fn restart(&mut self) -> Result<(), Error> {
        let emptied = match &mut self.target {
            Target::File(file) => file.restart(),
            _ => Err(io::Error::other("what is written is written")),
        };
        emptied.map_err(|error| self.fault(error))?;
        (self.state, self.started, self.stored) = (SinkState::Open, false, 0);
        self.carry.clear();
        if let Some(recoding) = &mut self.recoding {
            recoding.recoder.restart();
        }
        self.blocks = self.blocks.take().map(|_| Blocks::default());
        Ok(())
    }

    /// How many bytes the file or stream has, which is [finished](Self::finish) by that.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    #[doc(hidden)]
    pub fn stored_bytes(&mut self) -> Result<u64, Error> {
        self.finish()?;
        Ok(self.stored)
    }

    /// The path or label.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the output becomes a file when committed.
    #[doc(hidden)]
    pub fn is_file(&self) -> bool {
        matches!(self.target, Target::File(_))
    }

    /// The compression.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// From now on, a pipe that is closed by its reader isn't an error: what would be written there is dropped, and the
    /// other outputs of the run become complete.
    #[doc(hidden)]
    pub fn outlast_reader(&mut self) {
        if matches!(self.target, Target::Descriptor(_) | Target::Stream(_)) {
            self.outlasts_reader = true;
        }
    }

    /// Whether the reader of the pipe has closed it before the end.
    #[doc(hidden)]
    pub fn was_closed(&self) -> bool {
        matches!(self.target, Target::Closed)
    }

    /// Whether nothing went wrong and more may be written.
    pub(crate) fn check_open(&self) -> Result<(), Error> {
        match self.state {
            SinkState::Open => Ok(()),
            SinkState::Ended => Err(self.fault(io::Error::other("it has been ended"))),
            SinkState::Broken => Err(self.fault(io::Error::other("an earlier write failed"))),
        }
    }

    /// Breaks the output: it can't be committed any more.
    #[doc(hidden)]
    pub fn abandon(&mut self) {
        self.state = SinkState::Broken;
    }

    pub(crate) fn fault(&self, error: io::Error) -> Error {
        Error { name: self.name.clone(), error }
    }

    pub(crate) fn encoder(&self) -> Result<Encoder, Error> {
        Encoder::new(self.compression).map_err(|e| self.fault(e))
    }

    /// Appends text on the calling thread: a header before a
    /// [`transform`](crate::pipeline::transform) goes on with the output, or all of it before
    /// [`commit`].
    ///
    /// # Errors
    /// If it can't be encoded or written, or the output is complete or broken already.
    pub fn append(&mut self, text: &[u8]) -> Result<(), Error> {
        self.check_open()?;
        self.state = SinkState::Broken;
        self.try_append(text)?;
        self.state = SinkState::Open;
        Ok(())
    }

    fn try_append(&mut self, text: &[u8]) -> Result<(), Error> {
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

    /// Writes what ends the format of an output that was only [`append`](Self::append)ed to, as [`commit`] does where that
    /// has not been done. An output that is complete stays as it is.
    ///
    /// # Errors
    /// If it can't be encoded or written, or couldn't be before.
    pub fn finish(&mut self) -> Result<(), Error> {
        if self.state == SinkState::Ended {
            return Ok(());
        }
        self.check_open()?;
        let carry = self.take_carry();
        let mut own = self.own.take();
        self.end(&carry, &mut own)?;
        // For the output that comes after this one, if one does.
        self.own = own;
        Ok(())
    }

    /// The unfinished unit of what was appended, for whoever goes on.
    pub(crate) fn take_carry(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.carry)
    }

    /// Writes what comes next.
    pub(crate) fn write(&mut self, encoded: &Encoded) -> Result<(), Error> {
        if let Some(blocks) = &mut self.blocks {
            blocks.add(&encoded.blocks, &encoded.texts);
        }
        self.write_bytes(&encoded.bytes)
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Some(mut recoding) = self.recoding.take() else { return self.store(bytes) };
        recoding.bytes.clear();
        let recoded = recoding.recoder.recode(bytes, &mut recoding.bytes);
        let stored = self.store(&recoding.bytes);
        self.recoding = Some(recoding);
        stored?;
        recoded.map_err(|error| self.fault(error))
    }

    /// Writes bytes of the file.
    fn store(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.started = true;
        self.stored += bytes.len() as u64;
        let written = match &mut self.target {
            Target::File(file) => file.write_all(bytes),
            Target::Descriptor(file) => file.write_all(bytes),
            Target::Stream(stream) => stream.write_all(bytes),
            Target::Closed => Ok(()),
        };
        match written {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe && self.outlasts_reader => {
                self.target = Target::Closed;
                Ok(())
            }
            written => written.map_err(|e| self.fault(e)),
        }
    }

    /// Writes the last unit and what ends the format. `encoder` is used, or made.
    pub(crate) fn end(&mut self, carry: &[u8], encoder: &mut Option<Encoder>) -> Result<(), Error> {
        self.state = SinkState::Broken;
        let encoder = match encoder {
            Some(encoder) => encoder,
            None => encoder.insert(self.encoder()?),
        };
        let mut encoded = Encoded::default();
        let empty = !self.started && carry.is_empty();
        encoder
            .encode(carry, &mut encoded)
            .and_then(|()| encoder.trailer(empty, &mut encoded))
            .map_err(|e| self.fault(e))?;
        self.write(&encoded)?;
        if let Some(mut recoding) = self.recoding.take() {
            let mut bytes = Vec::new();
            recoding.recoder.finish(&mut bytes).map_err(|error| self.fault(error))?;
            self.store(&bytes)?;
            self.recoding = Some(recoding);
        }
        self.state = SinkState::Ended;
        Ok(())
    }

    /// Ends the output and closes its file, which appears with the others at [`commit`]: so a run may write more files than
    /// may be open at once. With `sync` set it is on disk then.
    ///
    /// ```
    /// use biofast_io::output::{self, Output};
    ///
    /// let folder = std::env::temp_dir().join(format!("biofast-doc-close-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder)?;
    /// let mut parts = Vec::new();
    /// for part in 1..=3 {
    ///     let mut output = Output::create_with(&folder.join(format!("{part}.fq")), Default::default())?;
    ///     output.append(b"@r\nACGT\n+\nIIII\n")?;
    ///     output.close(false)?;
    ///     parts.push(output);
    /// }
    /// assert!(!folder.join("1.fq").exists());
    /// output::commit(parts, false)?;
    /// assert!(folder.join("1.fq").exists() && folder.join("3.fq").exists());
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`finish`](Self::finish), or if the file can't be flushed and closed.
    #[doc(hidden)]
    pub fn close(&mut self, sync: bool) -> Result<(), Error> {
        self.finish()?;
        self.own = None;
        let Target::File(file) = &mut self.target else { return Ok(()) };
        self.state = SinkState::Broken;
        file.complete(sync).map_err(|error| Error { name: self.name.clone(), error })?;
        self.state = SinkState::Ended;
        Ok(())
    }

    /// Closes the output's file between writes, so that more outputs can be written at once than files may be open. An
    /// output that isn't a file stays open.
    ///
    /// # Errors
    /// If what was written can't be flushed, or the file can't be closed.
    #[doc(hidden)]
    pub fn closed_between_writes(mut self) -> Result<Output, Error> {
        match &mut self.target {
            Target::File(file) => match file.close_between_writes() {
                Ok(()) => Ok(self),
                Err(error) => Err(self.fault(error)),
            },
            Target::Descriptor(_) | Target::Stream(_) | Target::Closed => Ok(self),
        }
    }

    /// Goes on with the encoder of an output of the same compression that has been ended.
    pub(crate) fn take_encoder(&mut self, other: &mut Output) {
        if self.compression == other.compression {
            self.own = other.own.take();
        }
    }
}

/// What a path stands for.
fn target(path: &Path) -> io::Result<Target> {
    if let Some(number) = descriptor(path) {
        return match number {
            1 | 2 => own_descriptor(number),
            // Never from the start again, if it is a file.
            _ => File::options().append(true).open(path).map(Target::Descriptor),
        };
    }
    let is_special = std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir());
    match is_special {
        // It can't be replaced, only written to.
        true => File::options().write(true).open(path).map(Target::Descriptor),
        false => AtomicFile::create(path).map(|file| Target::File(Box::new(file))),
    }
}

/// Standard output, or standard error for 2, without the buffers of the standard handles.
#[cfg(unix)]
fn own_descriptor(number: u32) -> io::Result<Target> {
    use std::os::fd::AsFd;
    let copy = match number {
        2 => std::io::stderr().as_fd().try_clone_to_owned(),
        _ => std::io::stdout().as_fd().try_clone_to_owned(),
    };
    Ok(Target::Descriptor(File::from(copy?)))
}

#[cfg(not(unix))]
fn own_descriptor(number: u32) -> io::Result<Target> {
    Ok(Target::Stream(match number {
        2 => Box::new(std::io::stderr()),
        _ => Box::new(std::io::stdout()),
    }))
}

/// Makes files of all outputs, together: each is ended, flushed and closed, with `sync` set also on disk, before the first
/// one gets its name, and if one can't get its name the others lose theirs again. They get their names in the order they
/// are given, GZI indexes last, so that an index is never older than its file.
///
/// A process that is killed between the first name and the last leaves some files new and some as they were.
///
/// Outputs needn't be ended before.
///
/// It takes the outputs, so that nothing can be written to a file that already has its name:
///
/// ```compile_fail,E0382
/// # use biofast_io::output::{self, Compression, Format, Output};
/// # let mut reads = Output::create_with("x.fq".as_ref(), Compression::new(Format::Plain, None)?)?;
/// output::commit(vec![reads], false)?;
/// reads.append(b"@r\nACGT\n+\nIIII\n")?; // error: use of moved value
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first failure. What was there before is then there still.
pub fn commit(mut outputs: Vec<Output>, sync: bool) -> Result<(), Error> {
    for output in &mut outputs {
        output.finish()?;
        // A thousand outputs don't each keep one.
        output.own = None;
    }
    let (mut names, mut files, mut indexes) = (Vec::new(), Vec::new(), Vec::new());
    for mut output in outputs {
        if let Some(mut index) = output.gzi.take() {
            let mut bytes = Vec::new();
            let blocks = output.blocks.take().unwrap_or_default();
            blocks.write_gzi(&mut bytes).map_err(|error| index.fault(error))?;
            index.append(&bytes)?;
            index.finish()?;
            indexes.push(*index);
        }
        if let Some(Recoding { mut recoder, index: Some(mut index), .. }) = output.recoding.take()
            && let Some(bytes) = recoder.index()
        {
            index.append(&bytes)?;
            index.finish()?;
            indexes.push(*index);
        }
        complete(output, sync, &mut names, &mut files)?;
    }
    for index in indexes {
        complete(index, sync, &mut names, &mut files)?;
    }
    if files.is_empty() {
        return Ok(());
    }
    rename_all(&mut files, sync).map_err(|(number, error)| {
        let name = names.swap_remove(number);
        Error { name, error }
    })
}

/// Flushes and closes an output that has been ended. What is to become a file is added to `files`.
fn complete(
    output: Output,
    sync: bool,
    names: &mut Vec<String>,
    files: &mut Vec<AtomicFile>,
) -> Result<(), Error> {
    let Output { name, target, outlasts_reader, .. } = output;
    let completed = match target {
        Target::File(mut file) => file.complete(sync).map(|()| files.push(*file)),
        Target::Descriptor(file) => close(file),
        Target::Stream(mut stream) => match stream.flush() {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe && outlasts_reader => Ok(()),
            flushed => flushed,
        },
        Target::Closed => return Ok(()),
    };
    completed.map_err(|error| Error { name: name.clone(), error })?;
    if files.len() > names.len() {
        names.push(name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use biofast_testkit::sink::FullDisk;

    use super::*;
    use crate::output::Level;

    fn bgzf() -> Compression {
        Compression::new(Format::Bgzf, Some(Level::Number(1))).expect("a level of BGZF")
    }

    #[test]
    fn a_commit_ends_what_was_not_ended() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let (path, index) = (folder.path().join("x.gz"), folder.path().join("x.gz.gzi"));
        let mut output = Output::create_with(&path, bgzf())?
            .with_gzi(Output::create_with(&index, Compression::default())?)?;
        let line = b"a line of text\n".repeat(10_000);
        output.append(&line)?;
        output.append(b"end")?;
        commit(vec![output], false)?;
        let mut all = Vec::new();
        io::Read::read_to_end(
            &mut crate::Reader::new(crate::Source::open(&path)?, &crate::Options::default())?,
            &mut all,
        )?;
        assert_eq!(all, [&line[..], b"end"].concat());
        assert!(std::fs::read(&path)?.ends_with(&crate::bgzf::EOF_BLOCK));
        assert_eq!(std::fs::read(&index)?.len() % 16, 8);
        Ok(())
    }

    #[test]
    fn what_failed_to_be_written_cannot_be_committed() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let mut broken = Output::stream("full", FullDisk(10), Compression::default());
        let error = broken.append(&[b'x'; 100]).expect_err("it is full");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        // Nothing makes good what is lost, even if there is room again.
        assert!(broken.append(b"").is_err() && broken.finish().is_err());
        let other = Output::create_with(&folder.path().join("other"), Compression::default())?;
        assert!(commit(vec![other, broken], false).is_err());
        let mut given_up = Output::create_with(&folder.path().join("x"), Compression::default())?;
        given_up.append(b"half")?;
        given_up.abandon();
        assert!(commit(vec![given_up], false).is_err());
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }

    #[test]
    fn an_ended_output_takes_no_more() -> Result<(), Error> {
        let mut output = Output::stream("x", io::sink(), bgzf());
        output.append(b"all")?;
        output.finish()?;
        output.finish()?;
        assert!(output.append(b"more").is_err());
        commit(vec![output], false)
    }

    #[test]
    fn a_stream_that_is_outlasted_may_be_closed() -> Result<(), Error> {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
        let mut output = Output::stream("x", Gone, Compression::default());
        output.outlast_reader();
        output.append(b"1")?;
        assert!(output.was_closed());
        output.append(b"2")?;
        commit(vec![output], false)?;
        let mut output = Output::stream("x", Gone, Compression::default());
        assert!(output.append(b"1").expect_err("it is closed").is_closed_pipe());
        Ok(())
    }
}
