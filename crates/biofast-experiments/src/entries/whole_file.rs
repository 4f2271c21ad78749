//! What entries 032 and 055 share: ways to bring the bytes of a whole file to a consumer, and the plain consumers `sum` and
//! `copy`, which are written out here; the others are the library's pipeline.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::sync::{Mutex, PoisonError};

use biofast_io::{IoMode, Map, MapAdvice, Options, Source};

use super::prelude::*;
use super::stream::{self, Seen};
use crate::core::page_cache::Fill;

/// Bytes a `read` takes at a time, and of a window that is populated: the library's largest read buffer.
pub(super) const PIECE: usize = 1 << 20;
/// Of the `BufReader`.
const BUFFERED: usize = 64 << 10;

/// The state of the page cache a cell asks for: what fills it, or `cold`.
pub(super) fn cache_of(cell: &Cell) -> Result<Cache> {
    match cell.get("cache") {
        "cold" => Ok(Cache::Cold),
        fill => Ok(Cache::Filled(Fill::of(fill)?)),
    }
}

/// A file for each state of the page cache, so that a state once made stays; `make` makes the file that is copied.
pub(super) fn own_file(
    cell: &Cell,
    lab: &Lab,
    make: impl FnOnce() -> Result<PathBuf>,
) -> Result<PathBuf> {
    let original = make()?;
    let name = original.file_name().unwrap_or_default().to_string_lossy().into_owned();
    lab.scratch_file(&format!("{}-{name}", cell.get("cache")), |file| {
        io::copy(&mut File::open(&original)?, file)?;
        Ok(())
    })
}

/// How bytes get from the page cache to a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// The whole file into a new vector.
    Fresh,
    /// Pieces into a vector that exists.
    Read,
    BufReader,
    Map(MapAdvice),
}

impl Method {
    pub(super) fn of(name: &str) -> Result<Method> {
        let none = MapAdvice::NONE;
        Ok(match name {
            "fresh" => Method::Fresh,
            "read" => Method::Read,
            "bufreader" => Method::BufReader,
            "mmap" => Method::Map(none),
            "mmap-seq" => Method::Map(MapAdvice { sequential: true, ..none }),
            "mmap-need" => Method::Map(MapAdvice { will_need: true, ..none }),
            "mmap-both" => Method::Map(MapAdvice { sequential: true, will_need: true, ..none }),
            "populate" => Method::Map(MapAdvice { populate: true, populate_blocks: true, ..none }),
            "library" => Method::Map(MapAdvice::DEFAULT),
            other => bail!("no method is called {other:?}"),
        })
    }

    /// The library's options that do the same.
    pub(super) fn options(self, threads: usize) -> Options {
        let serial = Options { threads, ..Options::serial() };
        match self {
            Method::Map(_) => Options { io: IoMode::Mmap, ..serial },
            _ => Options { io: IoMode::Read, ..serial },
        }
    }

    pub(super) fn source(self, path: &Path) -> Result<Source> {
        Ok(match self {
            Method::BufReader => {
                let file = BufReader::with_capacity(BUFFERED, File::open(path)?);
                Source::from_reader("file", file)
            }
            Method::Map(advice) => Source::open(path)?.with_map_advice(advice),
            _ => Source::open(path)?,
        })
    }
}

pub(super) fn inflate(source: Source, options: &Options) -> Result<String> {
    Ok(stream::inflate(source, options)?.to_string())
}

/// What methods read into, the same memory in every call.
static BUFFER: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// Where the copies go.
static TARGET: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The front of a vector that only ever grows.
fn reuse(buffer: &mut Vec<u8>, len: usize) -> &mut [u8] {
    if buffer.len() < len {
        buffer.resize(len, 0);
    }
    &mut buffer[..len]
}

pub(super) fn map(path: &Path, advice: MapAdvice) -> Result<Map> {
    let file = File::open(path)?;
    let len = file.metadata()?.len();
    Map::new(file, len, advice).map_err(|_| anyhow!("{} can't be mapped", path.display()))
}

/// Hands the bytes of a map to `take`, in windows if these are to be populated.
fn windows(map: &Map, advice: MapAdvice, mut take: impl FnMut(&[u8])) {
    let bytes = map.bytes();
    if !advice.populate {
        return take(bytes);
    }
    for start in (0..bytes.len()).step_by(PIECE) {
        let window = start..bytes.len().min(start + PIECE);
        map.populate(window.clone());
        take(&bytes[window]);
    }
}

/// Adds up all bytes of a file.
pub(super) fn sum(path: &Path, method: Method) -> Result<Seen> {
    let mut buffer = BUFFER.lock().unwrap_or_else(PoisonError::into_inner);
    let mut seen = Seen::default();
    match method {
        Method::Fresh => seen.add(&std::fs::read(path)?),
        Method::Read => {
            let mut file = File::open(path)?;
            let piece = reuse(&mut buffer, PIECE);
            loop {
                match file.read(piece)? {
                    0 => break,
                    n => seen.add(&piece[..n]),
                }
            }
        }
        Method::BufReader => buffered(path, |piece| seen.add(piece))?,
        Method::Map(advice) => windows(&map(path, advice)?, advice, |window| seen.add(window)),
    }
    Ok(seen)
}

/// Opens a file as the method says and closes it again: no byte is looked at.
pub(super) fn open(path: &Path, method: Method) -> Result<usize> {
    Ok(match method {
        Method::Map(advice) => std::hint::black_box(map(path, advice)?.bytes()).len(),
        _ => std::hint::black_box(File::open(path)?).metadata()?.len() as usize,
    })
}

/// Brings all bytes of a file into memory of one's own. `read` does that by itself.
fn copy(path: &Path, method: Method, target: &mut [u8]) -> Result<()> {
    let mut at = 0;
    let put = |piece: &[u8]| {
        target[at..at + piece.len()].copy_from_slice(piece);
        at += piece.len();
    };
    match method {
        Method::BufReader => buffered(path, put)?,
        Method::Map(advice) => windows(&map(path, advice)?, advice, put),
        _ => read_into(File::open(path)?, target)?,
    }
    Ok(())
}

/// Reads as many bytes as `target` has, piece by piece.
pub(super) fn read_into(mut file: File, target: &mut [u8]) -> Result<()> {
    for piece in target.chunks_mut(PIECE) {
        file.read_exact(piece)?;
    }
    Ok(())
}

fn buffered(path: &Path, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut reader = BufReader::with_capacity(BUFFERED, File::open(path)?);
    loop {
        let piece = reader.fill_buf()?;
        let n = piece.len();
        if n == 0 {
            return Ok(());
        }
        take(piece);
        reader.consume(n);
    }
}

/// What was copied is added up when the clock stands still.
pub(super) fn copy_task(path: PathBuf, method: Method, bytes: usize) -> Task<'static> {
    Box::new(move |calls| {
        let mut target = TARGET.lock().unwrap_or_else(PoisonError::into_inner);
        let target = reuse(&mut target, bytes);
        if calls == 0 {
            return Ok(Outcome::new(Seen::of(target), bytes));
        }
        repeat(calls, || copy(&path, method, target))?;
        Ok(Outcome::deferred())
    })
}
