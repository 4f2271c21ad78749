//! 049: indexes of sorted integer keys, by the shape of the keys.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;
use std::time::Instant;

use super::prelude::*;
use super::sorted_keys::{Keys, LOOKUPS, keys};
use crate::systems::learned::{Eytzinger, Gapped, Pgm, lower_bound};

pub(super) struct LearnedIndex;

impl Entry for LearnedIndex {
    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let keys = keys(cell.get("keys"), cell.get("count"), lab)?;
        match cell.get("index") {
            "binary" => task(
                keys,
                |_| Ok(()),
                |(), n| 16 * n,
                |(), keys, at| keys.values[lower_bound(&keys.sorted, keys.wanted[at])],
            ),
            "eytzinger" => {
                let make = |keys: &Keys| Ok(Eytzinger::new(&keys.sorted));
                task(
                    keys,
                    make,
                    |tree, n| tree.bytes() + 8 * n,
                    |tree, keys, at| keys.values[tree.lower_bound(keys.wanted[at])],
                )
            }
            "pgm" => {
                let make = |keys: &Keys| Pgm::new(&keys.sorted).context("keys are not ascending");
                let (error, segments) = make(&keys)?.bound();
                let find = |index: &Pgm, keys: &Keys, at: usize| {
                    keys.values[index.lower_bound(&keys.sorted, keys.wanted[at])]
                };
                let mut task = task(keys, make, |index, n| index.bytes() + 16 * n, find)?;
                Ok(Box::new(move |calls| {
                    let outcome = task(calls)?;
                    Ok(outcome.with("segments", segments as f64).with("error", error as f64))
                }))
            }
            "gapped" => {
                let make =
                    |keys: &Keys| Gapped::new(&keys.sorted, &keys.values).context("not ascending");
                task(
                    keys,
                    make,
                    |index, _| index.bytes(),
                    |index, keys, at| index.get(keys.wanted[at]).unwrap_or(0),
                )
            }
            "btree" => {
                let make = |keys: &Keys| Ok(keys.pairs().collect::<BTreeMap<u64, u64>>());
                task(
                    keys,
                    make,
                    |_, n| n * 16 * 3 / 2,
                    |map, keys, at| map.get(&keys.wanted[at]).copied().unwrap_or(0),
                )
            }
            "hash" => {
                let make = |keys: &Keys| Ok(keys.pairs().collect::<HashMap<u64, u64>>());
                task(
                    keys,
                    make,
                    |map, _| map.capacity() * 17 * 8 / 7,
                    |map, keys, at| map.get(&keys.wanted[at]).copied().unwrap_or(0),
                )
            }
            "hash-fast" => {
                let make = |keys: &Keys| Ok(keys.pairs().collect::<FastMap>());
                task(
                    keys,
                    make,
                    |map, _| map.capacity() * 17 * 8 / 7,
                    |map, keys, at| map.get(&keys.wanted[at]).copied().unwrap_or(0),
                )
            }
            "ordinal" => task(
                keys,
                |_| Ok(()),
                |(), n| 8 * n,
                |(), keys, at| keys.values[keys.ordinals[at] as usize],
            ),
            other => bail!("no index is called {other:?}"),
        }
    }
}

/// Makes an index of keys, of so many bytes, and looks all wanted keys up; `find` gives the value of the one at a place.
fn task<'a, I: 'a>(
    keys: Arc<Keys>,
    make: impl FnOnce(&Keys) -> Result<I>,
    bytes: impl FnOnce(&I, usize) -> usize,
    find: impl Fn(&I, &Keys, usize) -> u64 + 'a,
) -> Result<Task<'a>> {
    let start = Instant::now();
    let index = make(&keys)?;
    let build_s = start.elapsed().as_secs_f64();
    let n = keys.sorted.len();
    let bytes_per_key = bytes(&index, n) as f64 / n as f64;
    Ok(Box::new(move |calls| {
        let start = Instant::now();
        let mut total = 0u64;
        for _ in 0..calls {
            total = (0..LOOKUPS).fold(0, |sum, at| sum.wrapping_add(find(&index, &keys, at)));
            total = std::hint::black_box(total);
        }
        let lookups = calls as f64 * LOOKUPS as f64;
        Ok(Outcome::new(total, 8 * LOOKUPS)
            .with("lookup_s", start.elapsed().as_secs_f64() / lookups)
            .with("build_s", build_s)
            .with("bytes_per_key", bytes_per_key))
    }))
}

/// A table whose hash is one multiplication; its high bits are good, and hashbrown takes some of each end.
type FastMap = HashMap<u64, u64, BuildHasherDefault<Multiply>>;

#[derive(Default)]
struct Multiply(u64);

impl Hasher for Multiply {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
