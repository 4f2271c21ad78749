//! An input that has been opened: which file, pipe or reader.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::address::address;
use super::opened;
use super::options::MapAdvice;
use super::origin::{Origin, Places};
use super::points::{Followed, Follower, GzipPoints};
use super::remote;
use super::store::Object;
use crate::error::{Error, ErrorKind, Escaped, Location};

/// An input that has been opened and not yet been read.
///
/// ```
/// use biofast_io::{Options, Reader, Source};
/// use std::io::Read;
///
/// // A file, in any container; bytes of the program's own; anything that can be read.
/// let manifest = Source::open("Cargo.toml")?;
/// assert!(manifest.len().is_some_and(|len| len > 0));
/// let bytes = Source::from_reader("in memory", &b"@r\nA\n+\nI\n"[..]);
/// assert_eq!((bytes.name(), bytes.len()), ("in memory", None));
/// let chained = Source::from_reader("two parts", (&b"@r\nA\n"[..]).chain(&b"+\nI\n"[..]));
/// let mut text = String::new();
/// Reader::new(chained, &Options::default())?.read_to_string(&mut text)?;
/// assert_eq!(text, "@r\nA\n+\nI\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Source {
    pub(crate) name: Arc<str>,
    pub(crate) backing: Backing,
    pub(crate) trial: SourceTuning,
    pub(crate) origin: Origin,
    /// Where in the file the blocks of a spliced stream are, if faults are to be told so.
    pub(crate) places: Option<Places>,
    /// Where points of ordinary gzip are noted, if they are wanted.
    pub(crate) points: Option<Arc<GzipPoints>>,
    /// Who hears of its records.
    pub(crate) followed: Followed,
}

/// What experiments and tests try out; the default is what is good.
#[derive(Clone, Copy)]
pub(crate) struct SourceTuning {
    pub(crate) advice: MapAdvice,
    /// Compressed bytes of the chunks in which a parallel reader inflates ordinary gzip, whatever the input and the number
    /// of threads; 0 for none.
    pub(crate) gzip_piece: Option<usize>,
}

impl SourceTuning {
    const NONE: SourceTuning = SourceTuning { advice: MapAdvice::DEFAULT, gzip_piece: None };
}

pub(crate) enum Backing {
    /// A regular file with its length when opened.
    File(File, u64),
    /// An object at an address, of which ranges can be had, with its length.
    Object(Arc<dyn Object>, u64),
    /// Anything else that can be read.
    Stream(Box<dyn Read + Send>),
    /// What another reader of an input makes of it.
    Derived(Box<dyn Read + Send>),
}

impl Source {
    /// Opens a file, a named pipe, a device, or an [address](crate::remote::address).
    ///
    /// A named pipe is opened and emptied by a thread of its own, so that neither waits for what is done with
    /// other inputs; that thread holds at most 16 MiB.
    ///
    /// # Errors
    /// If it can't be opened, or is a directory.
    pub fn open(path: impl AsRef<Path>) -> Result<Source, Error> {
        let path = path.as_ref();
        let name: Arc<str> = display_name(path).into();
        if let Some(address) = address(path) {
            let object = super::store::open(address).map_err(|e| Error::io(e, &name))?;
            return Ok(match object.len().filter(|_| object.has_ranges()) {
                Some(len) => Source::of(name, Backing::Object(object, len)),
                None => Source::from_stream(object.read_from(0, None), name),
            });
        }
        #[cfg(unix)]
        if is_named_pipe(path) {
            let pipe = super::pipe::Pipe::open(path.into()).map_err(|e| Error::io(e, &name))?;
            return Ok(Source::from_stream(pipe, name));
        }
        let opened = opened::announce(path).and_then(|()| File::open(path));
        Source::from_file(opened.map_err(|e| Error::io(e, &name))?, name)
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
                // A redirected file is read from its current position, not mapped from its start.
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
        Source::of(label.into(), Backing::Stream(Box::new(reader)))
    }

    /// What an adapter makes of another input: like [`from_reader`](Source::from_reader), but a
    /// parallel reader lets it work ahead on a thread of its own, and what is taken from it is
    /// not counted as progress, since the adapter's own input is.
    #[doc(hidden)]
    pub fn from_adapter(label: &str, reader: impl Read + Send + 'static) -> Source {
        Source::of(label.into(), Backing::Derived(Box::new(reader)))
    }

    /// The same source as a part of something larger, whose records, lines and bytes are numbered from `origin` on.
    #[must_use]
    #[doc(hidden)]
    pub fn starting_at(self, origin: Origin) -> Source {
        Source { origin, ..self }
    }

    /// Where it starts in what it is a part of.
    #[doc(hidden)]
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The same source, of whose records `follower` hears if they are framed as text.
    #[doc(hidden)]
    #[must_use]
    pub fn followed_by(self, follower: Arc<dyn Follower>) -> Source {
        Source { followed: Followed(Some(follower)), ..self }
    }

    /// Where its BGZF blocks are in the file that it is a [part](Source::open_part) of, or its [ranges](Source::open_ranges); `None` of
    /// wholes, and of parts of other containers.
    #[doc(hidden)]
    pub fn places(&self) -> Option<Places> {
        self.places.clone()
    }

    pub(crate) fn of(name: Arc<str>, backing: Backing) -> Source {
        Source {
            name,
            backing,
            trial: SourceTuning::NONE,
            origin: Origin::START,
            places: None,
            points: None,
            followed: Followed::default(),
        }
    }

    /// The same source, of whose map the system is told something else. For experiments: the default is what entry 032
    /// of the laboratory bears out.
    #[doc(hidden)]
    pub fn with_map_advice(self, advice: MapAdvice) -> Source {
        Source { trial: SourceTuning { advice, ..self.trial }, ..self }
    }

    /// The same source, read in chunks of so many bytes if it is ordinary gzip. For tests; `BIOFAST_GZIP_PIECE` is for users.
    #[doc(hidden)]
    pub fn with_gzip_piece(self, len: usize) -> Source {
        Source { trial: SourceTuning { gzip_piece: Some(len), ..self.trial }, ..self }
    }

    /// A regular file that is open already, such as a temporary one, from its beginning, whatever has been read of it. Its
    /// place is shared with clones of the file: one of them is read at a time.
    ///
    /// # Errors
    /// If it is a directory, or its beginning can't be gone to.
    pub fn from_open_file(label: &str, mut file: File) -> Result<Source, Error> {
        let name: Arc<str> = label.into();
        std::io::Seek::rewind(&mut file).map_err(|e| Error::io(e, &name))?;
        Source::from_file(file, name)
    }

    fn from_file(file: File, name: Arc<str>) -> Result<Source, Error> {
        let metadata = file.metadata().map_err(|e| Error::io(e, &name))?;
        if metadata.is_dir() {
            return Err(directory(&name));
        }
        if !metadata.is_file() {
            return Ok(Source::from_stream(file, name));
        }
        Ok(Source::of(name, Backing::File(file, metadata.len())))
    }

    /// What has a name and is no regular file.
    fn from_stream(reader: impl Read + Send + 'static, name: Arc<str>) -> Source {
        let backing = Backing::Stream(match promised_container(&name) {
            Some(ending) => Box::new(NotEmpty {
                empty: Some(Error::new(ErrorKind::Empty(ending), Location::in_input(&name))),
                reader,
            }),
            None => Box::new(reader),
        });
        Source::of(name, backing)
    }

    /// The same source, of which a read fails that finds no bytes at all: for standard input that
    /// nobody named.
    #[doc(hidden)]
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
            Backing::File(_, len) | Backing::Object(_, len) => Some(len),
            Backing::Stream(_) | Backing::Derived(_) => None,
        }
    }

    /// Whether the input is known to be empty.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }
}

/// Whether this is a named pipe, which may block while it is opened.
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

/// Endings of names of files that hold compressed files.
pub const CONTAINER_ENDINGS: [&str; 7] = ["gz", "bgz", "bgzf", "zst", "zstd", "bz2", "xz"];

/// A name without the ending of its container, if it has one in small letters.
pub fn without_container(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, ending)) if CONTAINER_ENDINGS.contains(&ending) => stem,
        _ => name,
    }
}

/// The ending of a name that promises compressed data, of which there are some bytes in any case.
pub(crate) fn promised_container(name: &str) -> Option<&'static str> {
    let name = name.strip_suffix("?…").unwrap_or(name);
    let ending = name.rsplit_once('.')?.1;
    let mut known = CONTAINER_ENDINGS.into_iter().chain(["bam", "cram"]);
    known.find(|known| ending.eq_ignore_ascii_case(known))
}

/// The name of a file as results and messages show it: its path, with bytes escaped that aren't UTF-8. Parts of a URL
/// that may be secret are left out.
pub fn display_name(path: &Path) -> String {
    match path.to_str() {
        Some(name) => match address(path) {
            Some(address) => remote::shown(address),
            None => name.to_owned(),
        },
        None => Escaped(path.as_os_str().as_encoded_bytes()).to_string(),
    }
}

/// The path that [`display_name`] shows like this, with escaped bytes restored, unless a file with exactly this name
/// exists.
pub fn path_named(name: &str) -> PathBuf {
    let as_it_is = PathBuf::from(name);
    if !name.contains('\\') || std::fs::symlink_metadata(&as_it_is).is_ok() {
        return as_it_is;
    }
    // What is UTF-8 isn't escaped at all.
    unescaped(name).filter(|path| path.to_str().is_none()).unwrap_or(as_it_is)
}

#[cfg(unix)]
fn unescaped(name: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let (byte, behind) = match after.strip_prefix('x') {
            Some(hex) => (u8::from_str_radix(hex.get(..2)?, 16).ok()?, hex.get(2..)?),
            None => match after.strip_prefix("u{") {
                // Control characters, some of which have two bytes.
                Some(code) => {
                    let (hex, behind) = code.split_once('}')?;
                    let code = char::from_u32(u32::from_str_radix(hex, 16).ok()?)?;
                    bytes.extend_from_slice(code.encode_utf8(&mut [0; 4]).as_bytes());
                    rest = behind;
                    continue;
                }
                None => {
                    let byte = match after.chars().next()? {
                        'n' => b'\n',
                        'r' => b'\r',
                        't' => b'\t',
                        // A backslash of the name itself.
                        _ => {
                            bytes.push(b'\\');
                            rest = after;
                            continue;
                        }
                    };
                    (byte, after.get(1..)?)
                }
            },
        };
        bytes.push(byte);
        rest = behind;
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn unescaped(_: &str) -> Option<PathBuf> {
    None
}

fn directory(name: &Arc<str>) -> Error {
    Error::new(ErrorKind::NotAFile("a directory"), Location::in_input(name))
}
