//! 034: positions of a file read by two calls, by one, through a window, through a map. The ways to read are those
//! of `systems/windows.rs`.

use std::fs::File;

use super::prelude::*;
use super::random_file::{cache_of, random_file, random_places};
use super::stream::Seen;
use crate::systems::process_io::storage_bytes;
use crate::systems::windows::{Asked, Mapped, Positioned, Pread, SeekRead, Window};

pub(super) struct WindowOrMap;

/// Of the file, and of one request.
const FILE: usize = 64 << 20;
const REQUEST: usize = 4 << 10;

impl Entry for WindowOrMap {
    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(vec![(file(cell, lab)?, cache_of(cell)?)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = file(cell, lab)?;
        let places: Vec<u64> = match cell.get("pattern") {
            "sequential" => (0..1024).map(|i| i * REQUEST as u64).collect(),
            "random" => random_places(100, REQUEST, FILE),
            "same" => vec![(32 << 20) + 12_288; 1000],
            other => bail!("no pattern is called {other:?}"),
        };
        let method = cell.get("method").to_owned();
        let touch = match cell.get("touched") {
            "all" => true,
            "none" => false,
            other => bail!("bytes can't be touched {other:?}"),
        };
        let cold = cache_of(cell)? == Cache::Cold;
        Ok(Box::new(move |calls| {
            // The kernel's count takes some time to ask for: cold only, where that is nothing.
            let before = cold.then(storage_bytes).flatten();
            let (seen, asked) = repeat(calls, || read(&path, &method, &places, touch))?;
            let after = cold.then(storage_bytes).flatten();
            let mut outcome = Outcome::new(seen, places.len() * REQUEST)
                .with("system_calls", asked.calls as f64)
                .with("asked_bytes", asked.bytes as f64);
            if let (Some(before), Some(after)) = (before, after) {
                outcome = outcome.with("storage_bytes", (after - before) as f64);
            }
            Ok(outcome)
        }))
    }
}

/// A file for each state of the cache: the warm one stays in memory.
fn file(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    random_file(lab, &format!("random-64M-{}", cell.get("cache")), FILE)
}

/// Opens the file, gets every place and, if `touch`, adds up its bytes.
fn read(path: &Path, method: &str, places: &[u64], touch: bool) -> Result<(Seen, Asked)> {
    let file = File::open(path)?;
    match method {
        "seek-read" => go_over(SeekRead::new(file), places, touch),
        "pread" => go_over(Pread::new(file), places, touch),
        "window-64K" => go_over(Window::new(file, 64 << 10), places, touch),
        "window-256K" => go_over(Window::new(file, 256 << 10), places, touch),
        "mmap" => go_over(Mapped::new(file)?, places, touch),
        other => bail!("no method is called {other:?}"),
    }
}

fn go_over(mut from: impl Positioned, places: &[u64], touch: bool) -> Result<(Seen, Asked)> {
    let mut seen = Seen::default();
    for &at in places {
        let bytes = std::hint::black_box(from.get(at, REQUEST)?);
        if touch {
            seen.add(bytes);
        }
    }
    Ok((seen, from.asked()))
}
