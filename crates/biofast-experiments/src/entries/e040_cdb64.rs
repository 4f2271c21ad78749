//! 040: keys looked up in a CDB64 database, by `pread` and through a map, warm, cold and with too little memory.
//! The database is `systems/cdb64`; each condition runs in a process of its own, because a memory limit holds for one.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};

use super::random_file::cache_of;
use crate::core::cell::Cell;
use crate::core::entry::{Cache, Entry, Outcome, Task};
use crate::core::inputs::Lab;
use crate::core::protocol::Scale;
use crate::rng::Rng;
use crate::systems::cdb64::{MapStore, PreadStore, Reader, Store, Writer};
use crate::systems::cgroup::MemoryLimit;
use crate::systems::process_io::storage_bytes;

pub(super) struct Cdb64;

const PURPOSE_KEYS: u64 = 0x6364_6236;
const VALUE: usize = 24;
/// Of the level `limited`: an eighth or so of the largest database.
const LIMIT: u64 = 64 << 20;

impl Entry for Cdb64 {
    fn id(&self) -> &'static str {
        "040"
    }

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
        let keys = number_of(cell)?;
        let path = database(cell, lab)?;
        let hit = match cell.get("key") {
            "hit" => true,
            "miss" => false,
            other => bail!("no key is called {other:?}"),
        };
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
            let outcome = match method.as_str() {
                "pread" => measure(PreadStore::open(&path)?, &wanted, warm, PreadStore::calls),
                "mmap" => measure(MapStore::open(&path, false)?, &wanted, warm, |_| 0),
                "mmap-random" => measure(MapStore::open(&path, true)?, &wanted, warm, |_| 0),
                other => bail!("no method is called {other:?}"),
            };
            // The limit is for what was measured.
            let _ = &limit;
            outcome
        }))
    }
}

/// Looks all keys up; twice if warm, of which the second time counts: the first builds page tables.
fn measure<S: Store>(
    store: S,
    wanted: &[[u8; 16]],
    warm: bool,
    calls: fn(&S) -> u64,
) -> Result<Outcome> {
    let before = storage_bytes();
    let reader = Reader::open(store)?;
    let mut found = (0, 0);
    if warm {
        found = look_up(&reader, wanted)?;
    }
    let calls_before = calls(reader.store());
    let start = Instant::now();
    let again = look_up(&reader, wanted)?;
    let get_s = start.elapsed().as_secs_f64() / wanted.len() as f64;
    ensure!(!warm || found == again, "the second time found other values");
    let done = (calls(reader.store()) - calls_before) as f64 / wanted.len() as f64;
    let mut outcome = Outcome::new(format!("{}/{}", again.0, again.1), wanted.len() * 16)
        .with("get_s", get_s)
        .with("read_calls", done);
    if let (Some(before), Some(after)) = (before, storage_bytes()) {
        let each = (after - before) as f64 / wanted.len() as f64;
        outcome = outcome.with("storage_bytes", each);
    }
    Ok(outcome)
}

/// How many keys were found, and the sum of all bytes of their values.
fn look_up<S: Store>(reader: &Reader<S>, wanted: &[[u8; 16]]) -> Result<(u64, u64)> {
    let mut buffer = Vec::new();
    let mut found = (0, 0);
    for key in wanted {
        if let Some(value) = reader.get(key, &mut buffer)? {
            found.0 += 1;
            found.1 += value.iter().map(|&byte| u64::from(byte)).sum::<u64>();
        }
    }
    Ok(found)
}

fn number_of(cell: &Cell) -> Result<u64> {
    let level = cell.get("keys");
    let (digits, factor) = match (level.strip_suffix('M'), level.strip_suffix('K')) {
        (Some(digits), _) => (digits, 1_000_000),
        (_, Some(digits)) => (digits, 1000),
        _ => (level, 1),
    };
    let number: u64 = digits.parse().with_context(|| format!("{level:?} is no number of keys"))?;
    Ok(number * factor)
}

/// The key of a number: 16 hexadecimal digits without an order.
fn key_of(i: u64) -> [u8; 16] {
    // An odd factor: no two numbers have the same key.
    let mixed = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    std::array::from_fn(|digit| b"0123456789abcdef"[(mixed >> (60 - 4 * digit)) as usize & 15])
}

/// Keys to look up, drawn from those of the database or from others.
fn wanted(keys: u64, hit: bool, count: usize) -> Vec<[u8; 16]> {
    let mut rng = Rng::new(1, PURPOSE_KEYS, keys);
    let first = if hit { 0 } else { keys };
    (0..count).map(|_| key_of(first + rng.below(keys))).collect()
}

/// One for the warm conditions, which stays in the page cache, and one for the others.
fn database(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    let keys = number_of(cell)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_found_and_misses_are_not() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("keys.cdb");
        write(&path, 1000).expect("writes");
        for (hit, expected) in [(true, 500), (false, 0)] {
            let wanted = wanted(1000, hit, 500);
            let mapped = Reader::open(MapStore::open(&path, false).expect("opens")).expect("reads");
            let pread = Reader::open(PreadStore::open(&path).expect("opens")).expect("reads");
            let found = look_up(&mapped, &wanted).expect("looks");
            assert_eq!(found.0, expected);
            assert_eq!(look_up(&pread, &wanted).expect("looks"), found);
        }
    }
}
