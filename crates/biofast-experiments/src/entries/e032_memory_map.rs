//! 032: memory maps with advice against reads, by cache, size and consumer; and the map together with parallel
//! inflation, end to end. The plain consumers (`sum`, `copy`) are written out here, the others are the library's
//! pipeline with its ways to get bytes.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result, anyhow, bail};
use biofast::io::{IoMode, Map, MapAdvice, Options, Source, available_threads};

use super::sized;
use super::stream::{self, Seen};
use crate::core::cell::Cell;
use crate::core::entry::{Cache, Entry, Outcome, Task, repeat};
use crate::core::inputs::Lab;
use crate::core::protocol::Scale;

pub(super) struct MemoryMap;

/// Bytes a `read` takes at a time, and of a window that is populated: the library's largest read buffer.
const PIECE: usize = 1 << 20;
/// Of the `BufReader`.
const BUFFERED: usize = 64 << 10;

/// A consumer that takes a source.
type Work = fn(Source, &Options) -> Result<String>;

impl Entry for MemoryMap {
    fn id(&self) -> &'static str {
        "032"
    }

    fn applies(&self, cell: &Cell) -> bool {
        let (method, size) = (cell.get("method"), cell.get("size"));
        // Cold, the largest file is left to few methods, for time; whole vectors to none.
        let few = ["read", "mmap-both", "library"].contains(&method);
        if cell.get("cache") == "cold" && (!is_piecewise(method) || (size == "512" && !few)) {
            return false;
        }
        match cell.get("consumer") {
            "sum" => true,
            "copy" => is_piecewise(method) && size != "512",
            "inflate-1" => is_piecewise(method) && ["0.5", "5", "16", "60"].contains(&size),
            "inflate-n" | "stats-bgzf-n" => {
                is_piecewise(method)
                    && ["0.5", "5", "16", "24", "32", "50", "60"].contains(&size)
            }
            // What the combination is compared with.
            "stats-bgzf-1" => {
                ["read", "mmap-both"].contains(&method) && ["5", "60"].contains(&size)
            }
            "stats" => is_piecewise(method) && (size != "512" || few),
            _ => false,
        }
    }

    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        let cache = match cell.get("cache") {
            "warm" => Cache::Warm,
            "cold" => Cache::Cold,
            other => bail!("no state of the cache is called {other:?}"),
        };
        Ok(vec![(path(cell, lab)?, cache)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = path(cell, lab)?;
        let bytes = std::fs::metadata(&path).context("no file")?.len() as usize;
        let method = Method::of(cell.get("method"))?;
        let all = available_threads().max(2);
        let (threads, work): (usize, Work) =
            match cell.get("consumer") {
                "sum" => {
                    return Ok(Box::new(move |calls| {
                        Ok(Outcome::new(repeat(calls, || sum(&path, method))?, bytes))
                    }));
                }
                "copy" => return Ok(copy_task(path, method, bytes)),
                "inflate-1" => (1, inflate),
                "inflate-n" => (all, inflate),
                "stats-bgzf-1" => (1, stream::stats),
                "stats-bgzf-n" | "stats" => (all, stream::stats),
                other => bail!("no consumer is called {other:?}"),
            };
        let options = method.options(threads);
        Ok(Box::new(move |calls| {
            let found = repeat(calls, || work(method.source(&path)?, &options))?;
            Ok(Outcome::hashed(found, bytes))
        }))
    }
}

/// Methods for consumers that take the file piece by piece.
fn is_piecewise(method: &str) -> bool {
    !["fresh", "read-all"].contains(&method)
}

fn path(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    let megabytes: f64 = cell.get("size").parse().context("a size is not a number")?;
    let dataset = if lab.scale == Scale::Quick { "medium" } else { "large" };
    let bytes = (megabytes * 1e6) as u64;
    match cell.get("consumer") {
        "stats" => sized::text_file(lab, dataset, bytes),
        _ => sized::bgzf_file(lab, dataset, bytes),
    }
}

/// How bytes get from the page cache to a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    /// The whole file into a new vector.
    Fresh,
    /// The whole file into a vector that exists.
    ReadAll,
    /// Pieces into a vector that exists.
    Read,
    BufReader,
    Map(MapAdvice),
}

impl Method {
    fn of(name: &str) -> Result<Method> {
        let none = MapAdvice::NONE;
        Ok(match name {
            "fresh" => Method::Fresh,
            "read-all" => Method::ReadAll,
            "read" => Method::Read,
            "bufreader" => Method::BufReader,
            "mmap" => Method::Map(none),
            "mmap-seq" => Method::Map(MapAdvice { sequential: true, ..none }),
            "mmap-need" => Method::Map(MapAdvice { will_need: true, ..none }),
            "mmap-both" => {
                Method::Map(MapAdvice { sequential: true, will_need: true, ..none })
            }
            "populate" => {
                Method::Map(MapAdvice { populate: true, populate_blocks: true, ..none })
            }
            "library" => Method::Map(MapAdvice::DEFAULT),
            other => bail!("no method is called {other:?}"),
        })
    }

    /// The library's options that do the same.
    fn options(self, threads: usize) -> Options {
        let serial = Options { threads, ..Options::serial() };
        match self {
            Method::Map(_) => Options { io: IoMode::Mmap, ..serial },
            _ => Options { io: IoMode::Read, ..serial },
        }
    }

    fn source(self, path: &Path) -> Result<Source> {
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

fn inflate(source: Source, options: &Options) -> Result<String> {
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

fn map(path: &Path, advice: MapAdvice) -> Result<Map> {
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
fn sum(path: &Path, method: Method) -> Result<Seen> {
    let mut buffer = BUFFER.lock().unwrap_or_else(PoisonError::into_inner);
    let mut seen = Seen::default();
    match method {
        Method::Fresh => seen.add(&std::fs::read(path)?),
        Method::ReadAll => {
            let mut file = File::open(path)?;
            let all = reuse(&mut buffer, file.metadata()?.len() as usize);
            file.read_exact(all)?;
            seen.add(all);
        }
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
        _ => {
            let mut file = File::open(path)?;
            while at < target.len() {
                let end = target.len().min(at + PIECE);
                file.read_exact(&mut target[at..end])?;
                at = end;
            }
        }
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
fn copy_task(path: PathBuf, method: Method, bytes: usize) -> Task<'static> {
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

#[cfg(test)]
mod tests {
    use super::*;

    const METHODS: [&str; 10] = [
        "fresh", "read-all", "read", "bufreader", "mmap", "mmap-seq", "mmap-need", "mmap-both",
        "populate", "library",
    ];

    #[test]
    fn methods_bring_the_same_bytes() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("file");
        for len in [1, PIECE - 1, PIECE, 2 * PIECE + 4097] {
            let bytes: Vec<u8> = (0..len as u32).map(|i| (i.wrapping_mul(i) >> 9) as u8).collect();
            std::fs::write(&path, &bytes).expect("writes");
            for name in METHODS {
                let method = Method::of(name).expect("a method");
                assert_eq!(sum(&path, method).expect("sums"), Seen::of(&bytes), "{name} {len}");
                let mut target = vec![0; len];
                copy(&path, method, &mut target).expect("copies");
                assert_eq!(target, bytes, "{name} {len}");
            }
        }
    }

    #[test]
    fn the_library_reads_as_the_method_says() {
        let method = |name: &str| Method::of(name).expect("a method").options(3);
        assert_eq!(method("read").io, IoMode::Read);
        assert_eq!(method("bufreader").io, IoMode::Read);
        let both = method("mmap-both");
        assert_eq!((both.io, both.threads), (IoMode::Mmap, 3));
    }

    #[test]
    fn every_level_of_the_combination_is_run() {
        let cell = |method: &str, size: &str, consumer: &str| {
            Cell::default().with("method", method).with("size", size).with("consumer", consumer)
        };
        for consumer in ["inflate-1", "inflate-n", "stats-bgzf-1", "stats-bgzf-n"] {
            assert!(MemoryMap.applies(&cell("read", "60", consumer)), "{consumer}");
            assert!(MemoryMap.applies(&cell("mmap-both", "60", consumer)), "{consumer}");
        }
        assert!(!MemoryMap.applies(&cell("fresh", "60", "copy")));
    }
}
