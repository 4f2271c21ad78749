//! 037: reads in order and at random through io_uring at several depths, and by `pread` on as many threads.

use std::fs::File;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::ThreadPool;

use super::prelude::*;
use super::random_file::{cache_of, random_file, random_places};
use super::stream::Seen;
use crate::systems::uring::Ring;

pub(super) struct IoUring;

const FILE: usize = 256 << 20;

impl Entry for IoUring {
    fn applies(&self, cell: &Cell) -> bool {
        match cell.get("method") {
            "uring" => has_ring(),
            // More threads than that nobody starts for reads.
            _ => cell.get("at-once") != "64",
        }
    }

    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(vec![(file(cell, lab)?, cache_of(cell)?)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = file(cell, lab)?;
        let (len, places): (usize, Vec<u64>) = match cell.get("pattern") {
            "sequential-64K" => (64 << 10, (0..256).map(|i| i << 16).collect()),
            "random-4K" => (4 << 10, random_places(1024, 4 << 10, FILE)),
            "random-64K" => (64 << 10, random_places(256, 64 << 10, FILE)),
            other => bail!("no pattern is called {other:?}"),
        };
        let at_once = cell.number("at-once")?;
        let bytes = len * places.len();
        if cell.get("method") == "uring" {
            let mut ring = Ring::new(at_once, len)?;
            let mut before = 0;
            return Ok(Box::new(move |calls| {
                let seen = repeat(calls, || {
                    before = ring.calls();
                    let mut seen = Seen::default();
                    ring.read(&File::open(&path)?, &places, |piece| seen.add(piece))?;
                    anyhow::Ok(seen)
                })?;
                Ok(Outcome::new(seen, bytes)
                    .with("system_calls", (ring.calls() - before) as f64)
                    .with("registered", f64::from(u8::from(ring.is_registered()))))
            }));
        }
        let pool = (at_once > 1).then(|| lab.pool(at_once)).transpose()?;
        Ok(Box::new(move |calls| {
            let seen = repeat(calls, || match &pool {
                Some(pool) => on_threads(&path, &places, len, pool),
                None => by_pread(&path, &places, len),
            })?;
            Ok(Outcome::new(seen, bytes).with("system_calls", places.len() as f64))
        }))
    }
}

/// A file for each state of the cache: the warm one stays in memory.
fn file(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    random_file(lab, &format!("random-256M-{}", cell.get("cache")), FILE)
}

/// Whether reads go through io_uring here. Says so once if not.
fn has_ring() -> bool {
    static RING: OnceLock<bool> = OnceLock::new();
    *RING.get_or_init(|| match Ring::new(1, 1) {
        Ok(_) => true,
        Err(error) => {
            eprintln!("conditions with io_uring are left out: {error}");
            false
        }
    })
}

fn by_pread(path: &Path, places: &[u64], len: usize) -> Result<Seen> {
    use std::os::unix::fs::FileExt as _;
    let file = File::open(path)?;
    let mut buffer = vec![0; len];
    let mut seen = Seen::default();
    for &at in places {
        file.read_exact_at(&mut buffer, at)?;
        seen.add(&buffer);
    }
    Ok(seen)
}

/// Every thread of the pool takes the next place until none is left.
fn on_threads(path: &Path, places: &[u64], len: usize, pool: &ThreadPool) -> Result<Seen> {
    use std::os::unix::fs::FileExt as _;
    let file = File::open(path)?;
    let next = AtomicUsize::new(0);
    let (bytes, sum) = (AtomicU64::new(0), AtomicU64::new(0));
    let results = pool.broadcast(|_| -> Result<()> {
        let mut buffer = vec![0; len];
        let mut seen = Seen::default();
        while let Some(&at) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
            file.read_exact_at(&mut buffer, at)?;
            seen.add(&buffer);
        }
        bytes.fetch_add(seen.bytes, Ordering::Relaxed);
        sum.fetch_add(seen.sum, Ordering::Relaxed);
        Ok(())
    });
    results.into_iter().collect::<Result<()>>()?;
    Ok(Seen { bytes: bytes.into_inner(), sum: sum.into_inner() })
}
