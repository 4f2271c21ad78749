//! The keys of 049: numbers of several shapes in order, and which are looked up.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use biofast_io::bgzf::EOF_BLOCK;

use super::prelude::*;
use crate::core::cell::scaled;
use crate::limits::find_blocks;

pub(super) const LOOKUPS: usize = 100_000;

/// Keys in order, the value of each, and which are looked up.
pub(super) struct Keys {
    pub(super) sorted: Vec<u64>,
    pub(super) values: Vec<u64>,
    pub(super) ordinals: Vec<u64>,
    pub(super) wanted: Vec<u64>,
}

impl Keys {
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u64, u64)> {
        self.sorted.iter().copied().zip(self.values.iter().copied())
    }
}

/// Keys by name and number: conditions that differ in the index share them.
static ALL: Mutex<BTreeMap<(String, String), Arc<Keys>>> = Mutex::new(BTreeMap::new());

const PURPOSE_KEYS: u64 = 0x6b65_7973;
const PURPOSE_LOOKUPS: u64 = 0x6c6f_6f6b;

pub(super) fn keys(name: &str, count: &str, lab: &Lab) -> Result<Arc<Keys>> {
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let id = (name.to_owned(), count.to_owned());
    if let Some(keys) = all.get(&id) {
        return Ok(Arc::clone(keys));
    }
    let n = scaled(count).context("no number of keys")? as usize;
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
    let mut text = 0;
    for block in find_blocks(file)? {
        let end = text + block.inflated_len as u64;
        while let Some(start) = starts.get(all.len()).filter(|start| **start < end) {
            all.push((block.start as u64) << 16 | (start - text));
        }
        text = end;
    }
    ensure!(all.len() == starts.len(), "text and BGZF differ");
    // Without the empty block at the end.
    Ok((all, ((file.len() - EOF_BLOCK.len()) as u64) << 16))
}
