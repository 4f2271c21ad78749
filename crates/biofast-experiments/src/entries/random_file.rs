//! Files of seeded random bytes, and places in them: what the entries about reading and writing work on.

use std::io::Write as _;

use super::prelude::*;

/// Of the streams used here.
const PURPOSE_BYTES: u64 = 0x6279_7465;
const PURPOSE_PLACES: u64 = 0x706c_6163;

/// A file of random bytes in the scratch directory, made once under its name.
pub(super) fn random_file(lab: &Lab, name: &str, bytes: usize) -> Result<PathBuf> {
    lab.scratch_file(name, |file| {
        let mut rng = Rng::new(1, PURPOSE_BYTES, bytes as u64);
        let mut left = bytes;
        let mut piece = Vec::with_capacity(1 << 20);
        while left > 0 {
            piece.clear();
            let len = left.min(1 << 20);
            while piece.len() < len {
                piece.extend_from_slice(&rng.next().to_le_bytes());
            }
            file.write_all(&piece[..len])?;
            left -= len;
        }
        Ok(())
    })
}

/// `count` random multiples of `len` in a file of `bytes`, the same in every run.
pub(super) fn random_places(count: usize, len: usize, bytes: usize) -> Vec<u64> {
    let mut rng = Rng::new(1, PURPOSE_PLACES, len as u64);
    (0..count).map(|_| rng.below((bytes / len) as u64) * len as u64).collect()
}

/// The state of the page cache that a cell's level of `cache` names.
pub(super) fn cache_of(cell: &Cell) -> Result<Cache> {
    Ok(match cell.get("cache") {
        "warm" => Cache::Warm,
        "cold" => Cache::Cold,
        other => bail!("no state of the cache is called {other:?}"),
    })
}
