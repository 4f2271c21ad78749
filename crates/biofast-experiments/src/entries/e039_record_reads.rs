//! 039: records of fixed length read by `pread` and through a map, with the bytes used or not.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::time::Instant;

use biofast_io::{Map, MapAdvice};

use super::prelude::*;
use super::random_file::{cache_of, random_file, random_places};
use super::stream::Seen;

pub(super) struct RecordReads;

const FILE: usize = 64 << 20;
/// Of a batch whose places are put in order before it is read.
const BATCH: usize = 64;

impl Entry for RecordReads {
    fn applies(&self, cell: &Cell) -> bool {
        // What a map that exists keeps mapped can't be dropped from the page cache.
        let cold = cell.get("cache") == "cold";
        let kept = cell.get("method") == "mmap";
        !cold || (!kept && cell.get("record") == "1024" && cell.get("touched") == "all")
    }

    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(vec![(path(cell, lab)?, cache_of(cell)?)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = path(cell, lab)?;
        let len = cell.number("record")?;
        let count = if cell.get("cache") == "cold" { 1000 } else { 20_000 };
        let mut places = match cell.get("pattern") {
            "sequential" => (0..count).map(|i| (i * len) as u64).collect(),
            "random" | "batched" => random_places(count, len, FILE),
            other => bail!("no pattern is called {other:?}"),
        };
        if cell.get("pattern") == "batched" {
            places.chunks_mut(BATCH).for_each(<[u64]>::sort_unstable);
        }
        let touch = Touch::of(cell.get("touched"))?;
        let mut work: Box<dyn FnMut() -> Result<Seen>> = match cell.get("method") {
            "pread" => Box::new(move || {
                let file = File::open(&path)?;
                go_over(ByPread { file, buffer: vec![0; len] }, &places, touch)
            }),
            "mmap" => {
                let map = map(&path)?;
                Box::new(move || go_over(InMap { bytes: map.bytes(), len }, &places, touch))
            }
            "mmap-new" => {
                Box::new(move || go_over(InMap { bytes: map(&path)?.bytes(), len }, &places, touch))
            }
            other => bail!("no method is called {other:?}"),
        };
        Ok(Box::new(move |calls| {
            let start = Instant::now();
            let seen = repeat(calls, &mut work)?;
            let read_s = start.elapsed().as_secs_f64() / (calls.max(1) as f64 * count as f64);
            Ok(Outcome::new(seen, count * len).with("read_s", read_s))
        }))
    }
}

/// A file for each state of the cache, because maps of the warm one live during the whole run.
fn path(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    random_file(lab, &format!("records-{}", cell.get("cache")), FILE)
}

/// Which of a record's bytes are looked at.
#[derive(Clone, Copy)]
enum Touch {
    Nothing,
    First,
    All,
}

impl Touch {
    fn of(name: &str) -> Result<Touch> {
        Ok(match name {
            "none" => Touch::Nothing,
            "first" => Touch::First,
            "all" => Touch::All,
            other => bail!("bytes can't be touched {other:?}"),
        })
    }
}

fn map(path: &Path) -> Result<Map> {
    let file = File::open(path)?;
    let len = file.metadata()?.len();
    Map::new(file, len, MapAdvice::NONE).ok().context("the file can't be mapped")
}

/// Records by their place in the file.
trait Records {
    fn record(&mut self, at: u64) -> Result<&[u8]>;
}

struct ByPread {
    file: File,
    buffer: Vec<u8>,
}

impl Records for ByPread {
    #[inline]
    fn record(&mut self, at: u64) -> Result<&[u8]> {
        self.file.read_exact_at(&mut self.buffer, at)?;
        Ok(&self.buffer)
    }
}

struct InMap<'a> {
    bytes: &'a [u8],
    len: usize,
}

impl Records for InMap<'_> {
    #[inline]
    fn record(&mut self, at: u64) -> Result<&[u8]> {
        let start = at as usize;
        self.bytes.get(start..start + self.len).context("beyond the end")
    }
}

/// Gets every record and touches it.
fn go_over(mut from: impl Records, places: &[u64], touch: Touch) -> Result<Seen> {
    let mut seen = Seen::default();
    match touch {
        Touch::Nothing => {
            for &at in places {
                std::hint::black_box(from.record(at)?);
            }
        }
        Touch::First => {
            for &at in places {
                seen.bytes += 1;
                seen.sum += u64::from(from.record(at)?[0]);
            }
        }
        Touch::All => {
            for &at in places {
                seen.add(from.record(at)?);
            }
        }
    }
    Ok(seen)
}
