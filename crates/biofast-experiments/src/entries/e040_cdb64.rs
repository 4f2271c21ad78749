//! 040: keys looked up in a CDB64 database, by `pread` and through a map, warm, cold and with too little memory.
//! The database is `systems/cdb64`; each condition runs in a process of its own, because a memory limit holds for one.

use std::sync::OnceLock;

use super::lookups;
use super::prelude::*;
use super::random_file::cache_of;
use crate::systems::cdb64::{MapStore, PreadStore, Reader, Store, Writer};
use crate::systems::cgroup::MemoryLimit;
use crate::systems::process_io::storage_bytes;

pub(super) struct Cdb64;

const PURPOSE_KEYS: u64 = 0x6364_6236;
const VALUE: usize = 24;
/// Of the level `limited`: an eighth or so of the largest database.
const LIMIT: u64 = 64 << 20;

impl Entry for Cdb64 {
    fn applies(&self, cell: &Cell) -> bool {
        if cell.get("cache") != "limited" {
            return true;
        }
        static OBSTACLE: OnceLock<Option<String>> = OnceLock::new();
        let obstacle = OBSTACLE.get_or_init(|| {
            let obstacle = MemoryLimit::obstacle();
            if let Some(reason) = &obstacle {
                eprintln!("conditions with limited memory are left out: {reason}");
            }
            obstacle
        });
        obstacle.is_none() && !["20", "100K"].contains(&cell.get("keys"))
    }

    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        let cache = if cell.get("cache") == "limited" { Cache::Cold } else { cache_of(cell)? };
        Ok(vec![(database(cell, lab)?, cache)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let keys = cell.count("keys")? as u64;
        let path = database(cell, lab)?;
        let hit = lookups::is_hit(cell)?;
        let warm = cell.get("cache") == "warm";
        let count = match cell.get("cache") {
            "warm" => 100_000,
            "cold" => 1_000,
            _ => 500,
        };
        let part = if lab.scale == Scale::Quick { 10 } else { 1 };
        let wanted = wanted(keys, hit, count / part);
        let limit = (cell.get("cache") == "limited").then(|| MemoryLimit::enter(LIMIT));
        let limit = limit.transpose()?;
        let method = cell.get("method").to_owned();
        Ok(Box::new(move |_| {
            // The limit is for what is measured.
            let _ = &limit;
            match method.as_str() {
                "pread" => measure(PreadStore::open(&path)?, &wanted, warm, PreadStore::calls),
                "mmap" => measure(MapStore::open(&path, false)?, &wanted, warm, |_| 0),
                "mmap-random" => measure(MapStore::open(&path, true)?, &wanted, warm, |_| 0),
                other => bail!("no method is called {other:?}"),
            }
        }))
    }
}

/// Looks all keys up, of whose values the bytes are added up.
fn measure<S: Store>(
    store: S,
    wanted: &[Vec<u8>],
    warm: bool,
    calls: fn(&S) -> u64,
) -> Result<Outcome> {
    let before = storage_bytes();
    let reader = Reader::open(store)?;
    let calls_before = calls(reader.store());
    let mut buffer = Vec::new();
    let outcome = lookups::measure(wanted, warm, before, |key| {
        let value = reader.get(key, &mut buffer)?;
        Ok(value.map(|value| value.iter().map(|&byte| u64::from(byte)).sum()))
    })?;
    let lookups = wanted.len() * if warm { 2 } else { 1 };
    let done = (calls(reader.store()) - calls_before) as f64 / lookups as f64;
    Ok(outcome.with("read_calls", done))
}

/// The key of a number: 16 hexadecimal digits without an order.
fn key_of(i: u64) -> [u8; 16] {
    // An odd factor: no two numbers have the same key.
    let mixed = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    std::array::from_fn(|digit| b"0123456789abcdef"[(mixed >> (60 - 4 * digit)) as usize & 15])
}

/// Keys to look up, drawn from those of the database or from others.
fn wanted(keys: u64, hit: bool, count: usize) -> Vec<Vec<u8>> {
    let mut rng = Rng::new(1, PURPOSE_KEYS, keys);
    let first = if hit { 0 } else { keys };
    (0..count).map(|_| key_of(first + rng.below(keys)).to_vec()).collect()
}

/// One for the warm conditions, which stays in the page cache, and one for the others.
fn database(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    let keys = cell.count("keys")? as u64;
    let cache = if cell.get("cache") == "warm" { "warm" } else { "cold" };
    lab.scratch_path(&format!("keys-{keys}-{cache}.cdb"), |path| write(path, keys))
}

fn write(path: &Path, keys: u64) -> Result<()> {
    let mut writer = Writer::create(path)?;
    for i in 0..keys {
        let key = key_of(i);
        let mut value = [b' '; VALUE];
        value[..16].copy_from_slice(&key);
        writer.put(&key, &value)?;
    }
    Ok(writer.finish()?)
}
