//! 049: indexes of sorted integer keys, by the shape of the keys.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use biofast::io::bgzf::{self, Parsed};

use crate::datasets::Format;
use crate::core::cell::Cell;
use crate::core::entry::{Entry, Outcome, Task};
use crate::core::inputs::Lab;
use crate::core::protocol::Scale;
use crate::rng::Rng;
use crate::systems::learned::{Eytzinger, Gapped, Pgm, lower_bound};

pub(super) struct LearnedIndex;

const LOOKUPS: usize = 100_000;

impl Entry for LearnedIndex {
    fn id(&self) -> &'static str {
        "049"
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let keys = keys(cell.get("keys"), cell.get("count"), lab)?;
        let n = keys.sorted.len();
        let of_map = n * 16;
        Ok(match cell.get("index") {
            "binary" => {
                let built = Built::now(|| Ok(()))?.bytes(16 * n);
                task(keys, built, |(), keys, at| {
                    keys.values[lower_bound(&keys.sorted, keys.wanted[at])]
                })
            }
            "eytzinger" => {
                let built = Built::now(|| Ok(Eytzinger::new(&keys.sorted)))?;
                let bytes = built.index.bytes() + 8 * n;
                task(keys, built.bytes(bytes), |tree, keys, at| {
                    keys.values[tree.lower_bound(keys.wanted[at])]
                })
            }
            "pgm" => {
                let make = || Pgm::new(&keys.sorted).context("keys are not ascending");
                let mut built = Built::now(make)?;
                let (error, segments) = built.index.bound();
                built.more = vec![("segments", segments as f64), ("error", error as f64)];
                let bytes = built.index.bytes() + 16 * n;
                task(keys, built.bytes(bytes), |index, keys, at| {
                    keys.values[index.lower_bound(&keys.sorted, keys.wanted[at])]
                })
            }
            "gapped" => {
                let make = || Gapped::new(&keys.sorted, &keys.values).context("not ascending");
                let built = Built::now(make)?;
                let bytes = built.index.bytes();
                task(keys, built.bytes(bytes), |index, keys, at| {
                    index.get(keys.wanted[at]).unwrap_or(0)
                })
            }
            "btree" => {
                let built = Built::now(|| Ok(keys.pairs().collect::<BTreeMap<u64, u64>>()))?;
                task(keys, built.bytes(of_map * 3 / 2), |map, keys, at| {
                    map.get(&keys.wanted[at]).copied().unwrap_or(0)
                })
            }
            "hash" => {
                let built = Built::now(|| Ok(keys.pairs().collect::<HashMap<u64, u64>>()))?;
                let bytes = built.index.capacity() * 17 * 8 / 7;
                task(keys, built.bytes(bytes), |map, keys, at| {
                    map.get(&keys.wanted[at]).copied().unwrap_or(0)
                })
            }
            "hash-fast" => {
                let built = Built::now(|| Ok(keys.pairs().collect::<FastMap>()))?;
                let bytes = built.index.capacity() * 17 * 8 / 7;
                task(keys, built.bytes(bytes), |map, keys, at| {
                    map.get(&keys.wanted[at]).copied().unwrap_or(0)
                })
            }
            "ordinal" => {
                let built = Built::now(|| Ok(()))?.bytes(8 * n);
                task(keys, built, |(), keys, at| keys.values[keys.ordinals[at] as usize])
            }
            other => bail!("no index is called {other:?}"),
        })
    }
}

/// An index and what it took.
struct Built<I> {
    index: I,
    seconds: f64,
    bytes: usize,
    /// Further values, by name.
    more: Vec<(&'static str, f64)>,
}

impl<I> Built<I> {
    fn now(make: impl FnOnce() -> Result<I>) -> Result<Self> {
        let start = Instant::now();
        let index = make()?;
        Ok(Built { index, seconds: start.elapsed().as_secs_f64(), bytes: 0, more: Vec::new() })
    }

    fn bytes(self, bytes: usize) -> Self {
        Built { bytes, ..self }
    }
}

/// Looks all wanted keys up; `find` gives the value of the one at a place.
fn task<'a, I: 'a>(
    keys: Arc<Keys>,
    built: Built<I>,
    find: impl Fn(&I, &Keys, usize) -> u64 + 'a,
) -> Task<'a> {
    Box::new(move |calls| {
        let start = Instant::now();
        let mut total = 0u64;
        for _ in 0..calls {
            total = (0..LOOKUPS).fold(0, |sum, at| sum.wrapping_add(find(&built.index, &keys, at)));
            total = std::hint::black_box(total);
        }
        let lookups = calls as f64 * LOOKUPS as f64;
        let seconds = start.elapsed().as_secs_f64() / lookups;
        let mut outcome = Outcome::new(total, 8 * LOOKUPS)
            .with("lookup_s", seconds)
            .with("build_s", built.seconds)
            .with("bytes_per_key", built.bytes as f64 / keys.sorted.len() as f64);
        for (name, value) in &built.more {
            outcome = outcome.with(name, *value);
        }
        Ok(outcome)
    })
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

/// Keys in order, the value of each, and which are looked up.
struct Keys {
    sorted: Vec<u64>,
    values: Vec<u64>,
    ordinals: Vec<u64>,
    wanted: Vec<u64>,
}

impl Keys {
    fn pairs(&self) -> impl Iterator<Item = (u64, u64)> {
        self.sorted.iter().copied().zip(self.values.iter().copied())
    }
}

/// Keys by name and number: conditions that differ in the index share them.
static ALL: Mutex<BTreeMap<(String, String), Arc<Keys>>> = Mutex::new(BTreeMap::new());

const PURPOSE_KEYS: u64 = 0x6b65_7973;
const PURPOSE_LOOKUPS: u64 = 0x6c6f_6f6b;

fn keys(name: &str, count: &str, lab: &Lab) -> Result<Arc<Keys>> {
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let id = (name.to_owned(), count.to_owned());
    if let Some(keys) = all.get(&id) {
        return Ok(Arc::clone(keys));
    }
    let n = match count {
        "10K" => 10_000,
        "100K" => 100_000,
        "10M" => 10_000_000,
        other => bail!("no number of keys is called {other:?}"),
    };
    let sorted = match name {
        "uniform" => {
            let mut rng = Rng::new(49, PURPOSE_KEYS, 0);
            // Some more, in case two are equal.
            let mut keys: Vec<u64> = (0..n + 10).map(|_| rng.next()).collect();
            keys.sort_unstable();
            keys.dedup();
            keys.truncate(n);
            keys
        }
        "fastq" => offsets(lab, n, false)?,
        "bgzf" => offsets(lab, n, true)?,
        other => bail!("no keys are called {other:?}"),
    };
    ensure!(sorted.len() == n && sorted.is_sorted_by(|a, b| a < b), "keys are not ascending");
    let values = sorted.iter().map(|key| key.rotate_left(17) ^ 0x5555).collect();
    let mut rng = Rng::new(49, PURPOSE_LOOKUPS, n as u64);
    let ordinals: Vec<u64> = (0..LOOKUPS).map(|_| rng.below(n as u64)).collect();
    let wanted = ordinals.iter().map(|&i| sorted[i as usize]).collect();
    let keys = Arc::new(Keys { sorted, values, ordinals, wanted });
    all.insert(id, Arc::clone(&keys));
    Ok(keys)
}

/// Offsets of the records of a dataset, as if it were repeated, in its text or in BGZF.
fn offsets(lab: &Lab, n: usize, virtual_offsets: bool) -> Result<Vec<u64>> {
    let dataset = if lab.scale == Scale::Quick { "medium" } else { "large" };
    let text = std::fs::read(lab.file(dataset, Format::Fastq)?)?;
    let newlines = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(i, _)| i + 1);
    let mut starts = vec![0];
    starts.extend(newlines.skip(3).step_by(4).map(|i| i as u64));
    starts.pop();
    let (starts, step) = if virtual_offsets {
        let file = std::fs::read(lab.file(dataset, Format::Bgzf)?)?;
        to_virtual(&starts, &file)?
    } else {
        (starts, text.len() as u64)
    };
    Ok((0..).flat_map(|turn| starts.iter().map(move |start| turn * step + start)).take(n).collect())
}

/// Virtual offsets of places in the text of a BGZF file, and by how much they grow when the file is repeated.
fn to_virtual(starts: &[u64], file: &[u8]) -> Result<(Vec<u64>, u64)> {
    let mut all = Vec::with_capacity(starts.len());
    let (mut at, mut text) = (0, 0u64);
    while let Parsed::Block(header) = bgzf::parse_header(&file[at..]) {
        let end = at + header.block_len;
        let size = file.get(end - 4..end).context("a block is cut")?;
        let size = u64::from(u32::from_le_bytes([size[0], size[1], size[2], size[3]]));
        while let Some(start) = starts.get(all.len()).filter(|start| **start < text + size) {
            all.push((at as u64) << 16 | (start - text));
        }
        (at, text) = (end, text + size);
    }
    ensure!(all.len() == starts.len() && at == file.len(), "text and BGZF differ");
    // Without the empty block at the end.
    Ok((all, ((file.len() - bgzf::EOF_BLOCK.len()) as u64) << 16))
}
