//! 047: many records inserted into the append-only store, by how they are written and when they are mapped.

use std::fs;
use std::time::Instant;

use super::e046_deferred_remapping::{remap, sum, value_of};
use super::prelude::*;
use crate::core::usage;
use crate::systems::store::{Options, Remap, Store, Writes};

pub(super) struct BulkInsert;

impl Entry for BulkInsert {
    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let len = cell.number("value")?;
        let records = if lab.scale == Scale::Quick { 1_000 } else { 20_000 };
        let writes = match cell.get("writes") {
            "three" => Writes::Three,
            "one" => Writes::One,
            "gathered" => Writes::Gathered,
            other => bail!("no way to write is called {other:?}"),
        };
        let options = Options { writes, sync_every: 0, remap: remap(cell.get("remap"))? };
        let values: Vec<Vec<u8>> = (0..records).map(|key| value_of(key, len)).collect();
        Ok(Box::new(move |calls| {
            let mut last = Outcome::default();
            for _ in 0..calls {
                last = run(lab, options, &values)?;
            }
            Ok(last)
        }))
    }
}

fn run(lab: &Lab, options: Options, values: &[Vec<u8>]) -> Result<Outcome> {
    let path = lab.scratch.join("bulk");
    let _ = fs::remove_file(&path);
    let (mut store, _) = Store::open(&path, options)?;
    let (counters, used) = (store.counters(), usage::now());
    let start = Instant::now();
    for (key, value) in (0..).zip(values) {
        store.insert(key, value)?;
    }
    store.flush()?;
    let seconds = start.elapsed().as_secs_f64();
    let (now, used) = (store.counters(), usage::now() - used);
    drop(store);

    let (store, found) = Store::open(&path, Options { remap: Remap::Reserve, ..options })?;
    ensure!(found.records == values.len() as u64, "{} records are there", found.records);
    let mut total = 0;
    for key in 0..values.len() as u64 {
        total += sum(store.get(key)?.context("a key is missing")?);
    }
    let bytes = values.iter().map(Vec::len).sum();
    Ok(Outcome::new(total, bytes)
        .with("insert_s", seconds / values.len() as f64)
        .with("remaps", (now.remaps - counters.remaps) as f64)
        .with("write_calls", (now.writes - counters.writes) as f64)
        .with("op_faults", used.minor_faults + used.major_faults))
}
