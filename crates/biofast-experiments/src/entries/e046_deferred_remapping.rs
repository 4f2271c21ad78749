//! 046: mixed reads and inserts on the append-only store, by when its file is mapped again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::prelude::*;
use crate::core::usage;
use crate::systems::store::{Options, Remap, Store, Writes};

pub(super) struct DeferredRemapping;

impl Entry for DeferredRemapping {
    fn applies(&self, cell: &Cell) -> bool {
        cell.get("remap") != "extend" || cfg!(target_os = "linux")
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let value = cell.number("value")?;
        let base = base(cell.get("preload"), value, lab)?;
        let remap = remap(cell.get("remap"))?;
        // Values of 1,000 bytes reach 16 MB that aren't mapped; with smaller ones that would take minutes.
        let operations = match lab.scale {
            Scale::Quick => 2_000,
            _ if value >= 1000 => 100_000,
            _ => 50_000,
        };
        Ok(Box::new(move |calls| {
            let mut base = base.lock().unwrap_or_else(PoisonError::into_inner);
            let mut last = Outcome::default();
            for _ in 0..calls {
                last = run(&mut base, value, remap, operations)?;
            }
            Ok(last)
        }))
    }
}

pub(super) fn remap(level: &str) -> Result<Remap> {
    Ok(match level {
        "every" => Remap::Every(1),
        "64K" => Remap::Every(64 << 10),
        "1M" => Remap::Every(1 << 20),
        "16M" => Remap::Every(16 << 20),
        "extend" => Remap::Extend,
        "reserve" => Remap::Reserve,
        other => bail!("no remapping is called {other:?}"),
    })
}

/// A store with records in it, and how it looks before each measurement.
struct Base {
    store: Store,
    bytes: u64,
    keys: u64,
    /// Keys inserted since.
    inserted: u64,
}

/// Stores by preload and bytes of a value.
type Bases = BTreeMap<(String, usize), Arc<Mutex<Base>>>;

/// The stores of a run: conditions that differ in remapping share one.
static BASES: Mutex<Bases> = Mutex::new(BTreeMap::new());

fn base(preload: &str, value: usize, lab: &Lab) -> Result<Arc<Mutex<Base>>> {
    let mut bases = BASES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(base) = bases.get(&(preload.to_owned(), value)) {
        return Ok(Arc::clone(base));
    }
    let megabytes: u64 =
        preload.strip_suffix('M').and_then(|n| n.parse().ok()).context("a size is not in MB")?;
    let path = lab.scratch.join(format!("store-{preload}-{value}"));
    let options = Options { writes: Writes::Gathered, sync_every: 0, remap: Remap::Reserve };
    let (mut store, _) = Store::open(&path, options)?;
    let mut keys = 0;
    while store.bytes() < megabytes * 1_000_000 {
        store.insert(keys, &value_of(keys, value))?;
        keys += 1;
    }
    store.sync()?;
    let bytes = store.bytes();
    let base = Arc::new(Mutex::new(Base { store, bytes, keys, inserted: 0 }));
    bases.insert((preload.to_owned(), value), Arc::clone(&base));
    Ok(base)
}

/// Bytes that belong to a key.
pub(super) fn value_of(key: u64, len: usize) -> Vec<u8> {
    let word = key.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
    word.iter().copied().cycle().take(len).collect()
}

/// Adds up a value's bytes.
pub(super) fn sum(value: &[u8]) -> u64 {
    value.iter().map(|&byte| u64::from(byte)).sum()
}

const PURPOSE: u64 = 0x6d69_7865;

fn run(base: &mut Base, value: usize, remap: Remap, operations: u64) -> Result<Outcome> {
    let options = Options { writes: Writes::One, sync_every: 0, remap };
    let inserted: Vec<u64> = (base.keys..base.keys + base.inserted).collect();
    base.store.rewind(base.bytes, &inserted, options)?;
    base.inserted = 0;
    std::hint::black_box(base.store.touch());
    let new = value_of(1, value);
    let mut rng = Rng::new(46, PURPOSE, 0);
    let (mut total, mut read) = (0u64, 0usize);
    let (counters, used) = (base.store.counters(), usage::now());
    let start = Instant::now();
    for _ in 0..operations {
        let keys = base.keys + base.inserted;
        if rng.below(5) == 0 {
            base.store.insert(keys, &new)?;
            base.inserted += 1;
        } else {
            let found = base.store.get(rng.below(keys))?.context("a key is missing")?;
            total = total.wrapping_add(sum(found));
            read += found.len();
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let (now, used) = (base.store.counters(), usage::now() - used);
    Ok(Outcome::new(format!("{total}/{}", base.inserted), read)
        .with("op_s", seconds / operations as f64)
        .with("remaps", (now.remaps - counters.remaps) as f64)
        .with("writes", (now.writes - counters.writes) as f64)
        .with("op_faults", used.minor_faults + used.major_faults))
}
