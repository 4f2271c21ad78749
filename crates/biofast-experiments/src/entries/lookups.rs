//! What 040 and 057 share: keys looked up in a database or an index, and what a look-up takes.

use std::time::Instant;

use super::prelude::*;
use crate::systems::process_io::storage_bytes;

/// Whether the keys that a cell looks up are there.
pub(super) fn is_hit(cell: &Cell) -> Result<bool> {
    match cell.get("key") {
        "hit" => Ok(true),
        "miss" => Ok(false),
        other => bail!("no key is called {other:?}"),
    }
}

/// Looks all keys up; twice if warm, of which the second time counts: the first builds page tables. The answer is how many
/// were found and the sum of what `find` makes of them; `before` is what storage had given before anything was opened.
pub(super) fn measure(
    wanted: &[Vec<u8>],
    warm: bool,
    before: Option<u64>,
    mut find: impl FnMut(&[u8]) -> Result<Option<u64>>,
) -> Result<Outcome> {
    let mut all = || -> Result<(u64, u64)> {
        let mut found = (0, 0);
        for key in wanted {
            if let Some(value) = find(key)? {
                found = (found.0 + 1, found.1 + value);
            }
        }
        Ok(found)
    };
    let first = if warm { Some(all()?) } else { None };
    let start = Instant::now();
    let found = all()?;
    let each = wanted.len() as f64;
    let get_s = start.elapsed().as_secs_f64() / each;
    ensure!(first.is_none_or(|first| first == found), "the second time found others");
    let bytes = wanted.iter().map(Vec::len).sum();
    let outcome = Outcome::new(format!("{}/{}", found.0, found.1), bytes).with("get_s", get_s);
    Ok(match before.zip(storage_bytes()) {
        Some((before, after)) => outcome.with("storage_bytes", (after - before) as f64 / each),
        None => outcome,
    })
}
