//! 048: embedded stores at the same durability. Those that this program was built without are named and left out.

use std::fs;
use std::sync::Once;
use std::time::Instant;

use super::e046_deferred_remapping::{sum, value_of};
use super::prelude::*;
use crate::systems::peers::{self, Durability};

pub(super) struct EqualDurability;

/// Records before the clock starts.
const PRELOAD: u64 = 10_000;
const VALUE: usize = 100;

static MISSING: Once = Once::new();

impl Entry for EqualDurability {
    fn applies(&self, cell: &Cell) -> bool {
        let store = cell.get("store");
        let promise = level(cell.get("durability"));
        let built = peers::is_built(store);
        built && promise.is_ok_and(|(promise, _)| peers::promises(store, promise))
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        MISSING.call_once(|| {
            for name in peers::NAMES.iter().filter(|name| !peers::is_built(name)) {
                let feature = if *name == "rocksdb" { "rocksdb" } else { "stores" };
                eprintln!("048: {name} is missing: built without the feature `{feature}`");
            }
        });
        let store = cell.get("store").to_owned();
        let (promise, group) = level(cell.get("durability"))?;
        let mixed = match cell.get("work") {
            "insert" => false,
            "mixed" => true,
            other => bail!("no work is called {other:?}"),
        };
        let inserts = match (cell.get("durability"), lab.scale) {
            ("sync-1", Scale::Quick) => 5,
            ("sync-1", _) => 100,
            ("sync-100", Scale::Quick) => 300,
            ("sync-100", _) => 3_000,
            (_, Scale::Quick) => 500,
            _ => 20_000,
        };
        let work = Work { store, promise, group, mixed, inserts };
        Ok(Box::new(move |calls| {
            let mut last = Outcome::default();
            for _ in 0..calls {
                last = work.run(lab)?;
            }
            Ok(last)
        }))
    }
}

/// The promise of a level, and how many inserts are one commit.
fn level(durability: &str) -> Result<(Durability, usize)> {
    Ok(match durability {
        "none" => (Durability::None, 1),
        "write" => (Durability::Write, 1),
        "sync-1" => (Durability::Sync, 1),
        "sync-100" => (Durability::Sync, 100),
        other => bail!("no durability is called {other:?}"),
    })
}

struct Work {
    store: String,
    promise: Durability,
    group: usize,
    mixed: bool,
    inserts: u64,
}

const PURPOSE: u64 = 0x6571_7561;

impl Work {
    fn run(&self, lab: &Lab) -> Result<Outcome> {
        let dir = lab.scratch.join("peer");
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir(&dir)?;
        let mut store = peers::create(&self.store, &dir, self.promise)?;
        let record = |key: u64| (key, value_of(key, VALUE));
        let first: Vec<(u64, Vec<u8>)> = (0..PRELOAD).map(record).collect();
        store.put(&first)?;
        let new: Vec<(u64, Vec<u8>)> = (PRELOAD..PRELOAD + self.inserts).map(record).collect();

        let mut rng = Rng::new(48, PURPOSE, 0);
        let (mut total, mut operations) = (0u64, 0u64);
        let written = write_calls();
        let start = Instant::now();
        let mut known = PRELOAD;
        for part in new.chunks(self.group) {
            // Four reads an insert, of what has been committed.
            let reads = if self.mixed { 4 * part.len() } else { 0 };
            for _ in 0..reads {
                store.get(rng.below(known), &mut |value| total = total.wrapping_add(sum(value)))?;
                operations += 1;
            }
            store.put(part)?;
            operations += part.len() as u64;
            known += part.len() as u64;
        }
        let seconds = start.elapsed().as_secs_f64();
        let written = write_calls().zip(written).map(|(now, before)| now - before);

        // Everything is there.
        for key in 0..known {
            store.get(key, &mut |value| total = total.wrapping_add(sum(value)))?;
        }
        drop(store);
        fs::remove_dir_all(&dir)?;
        let mut outcome = Outcome::new(total, self.inserts as usize * VALUE)
            .with("op_s", seconds / operations as f64);
        if let Some(written) = written {
            outcome = outcome.with("writes_per_commit", written / (new.len() / self.group) as f64);
        }
        Ok(outcome)
    }
}

/// Calls of `write`, `pwrite` and their like by this process so far; Linux only.
fn write_calls() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/io").ok()?;
    text.lines().find_map(|line| line.strip_prefix("syscw: "))?.trim().parse().ok()
}
