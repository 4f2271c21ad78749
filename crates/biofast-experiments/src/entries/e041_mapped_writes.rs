//! 041: pieces written by `pwrite` and through a map, into pages in three states.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::time::Instant;

use super::prelude::*;
use super::random_file::random_file;
use crate::core::page_cache;
use crate::systems::write_map::Writable;

pub(super) struct MappedWrites;

const FILE: usize = 16 << 20;
const PAGE: usize = 4 << 10;
const PURPOSE_ORDER: u64 = 0x7772_6974;

impl Entry for MappedWrites {
    fn applies(&self, cell: &Cell) -> bool {
        // `pwrite` has no page-table entries to drop.
        let pwrite = cell.get("method") == "pwrite";
        (page_cache::CAN_EVICT_IN_PLACE || cell.get("state") == "ready")
            && !(pwrite && cell.get("state") == "dropped")
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let name = format!("written-{}", cell.to_argument().replace([',', '='], "-"));
        let path = random_file(lab, &name, FILE)?;
        let len = cell.number("piece")?;
        // One piece in each page, in order or not, so that every write meets a page in the state made.
        let mut places: Vec<u64> = (0..(FILE / PAGE) as u64).map(|i| i * PAGE as u64).collect();
        match cell.get("pattern") {
            "sequential" => {}
            "random" => Rng::new(1, PURPOSE_ORDER, 0).shuffle(&mut places),
            other => bail!("no pattern is called {other:?}"),
        }
        let map = cell.get("method") == "mmap";
        let state = cell.get("state").to_owned();
        let mut round = 0u8;
        Ok(Box::new(move |calls| {
            ensure!(calls <= 1, "a state holds for one call");
            round = round.wrapping_add(1);
            measure(&path, map, &state, &places, &vec![round; len])
        }))
    }
}

/// Brings the file's pages into a state and writes the piece everywhere; only that is in `write_s`.
fn measure(path: &Path, map: bool, state: &str, places: &[u64], piece: &[u8]) -> Result<Outcome> {
    let mut file = if map { Writable::map(path)? } else { Writable::open(path)? };
    match state {
        // Written a moment ago, by the same map: dirty pages with entries that allow writing.
        "ready" => write_all(&mut file, places, piece)?,
        "dropped" => {
            write_all(&mut file, places, piece)?;
            file.drop_entries()?;
        }
        "evicted" => {
            file.sync()?;
            // A map that was just made has no entries yet.
            page_cache::establish(path, Cache::Cold)?;
        }
        other => bail!("pages can't be {other:?}"),
    }
    let start = Instant::now();
    write_all(&mut file, places, piece)?;
    let write_s = start.elapsed().as_secs_f64() / places.len() as f64;
    let start = Instant::now();
    file.sync()?;
    let sync_s = start.elapsed().as_secs_f64();
    drop(file);
    verify(path, places, piece)?;
    let answer = format!("{} pieces of {}", places.len(), piece.len());
    Ok(Outcome::new(answer, places.len() * piece.len())
        .with("write_s", write_s)
        .with("sync_s", sync_s))
}

fn write_all(file: &mut Writable, places: &[u64], piece: &[u8]) -> Result<()> {
    for &at in places {
        file.write(at as usize, piece)?;
    }
    Ok(())
}

/// Fails unless the file has the piece everywhere.
fn verify(path: &Path, places: &[u64], piece: &[u8]) -> Result<()> {
    let file = File::open(path)?;
    let mut found = vec![0; piece.len()];
    for &at in places {
        file.read_exact_at(&mut found, at)?;
        ensure!(found == piece, "what was written at byte {at} isn't there");
    }
    Ok(())
}
