//! 035: files of five sizes read to their end through buffers of fixed and of adapted size.

use std::fs::File;

use super::prelude::*;
use super::random_file::{cache_of, random_file};
use super::stream::Seen;
use crate::systems::adaptive::{buffer_size, read_through};

pub(super) struct BufferSize;

impl Entry for BufferSize {
    fn applies(&self, cell: &Cell) -> bool {
        // The disk decides there; the largest file would take most of the run.
        let cold = cell.get("cache") == "cold";
        !(cold && (cell.get("allocation") == "fresh" || cell.get("size") == "256M"))
    }

    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(vec![(path(cell, lab)?, cache_of(cell)?)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = path(cell, lab)?;
        let bytes = bytes_of(cell.get("size"))?;
        let size = match cell.get("buffer") {
            "adaptive" => buffer_size(bytes as u64),
            fixed => bytes_of(fixed)?,
        };
        let fresh = cell.get("allocation") == "fresh";
        let mut kept = if fresh { Vec::new() } else { vec![0; size] };
        Ok(Box::new(move |calls| {
            let (seen, reads) = repeat(calls, || {
                if fresh { read(&path, &mut vec![0; size]) } else { read(&path, &mut kept) }
            })?;
            Ok(Outcome::new(seen, bytes)
                .with("system_calls", reads as f64)
                .with("buffer_kb", size as f64 / 1024.0))
        }))
    }
}

fn read(path: &Path, buffer: &mut [u8]) -> Result<(Seen, u64)> {
    let mut seen = Seen::default();
    let reads = read_through(&mut File::open(path)?, buffer, |piece| seen.add(piece))?;
    Ok((seen, reads))
}

fn path(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    let size = cell.get("size");
    random_file(lab, &format!("random-{size}"), bytes_of(size)?)
}

/// `64K` in bytes.
fn bytes_of(level: &str) -> Result<usize> {
    let (digits, factor) = match level.strip_suffix('M') {
        Some(digits) => (digits, 1 << 20),
        None => (level.trim_end_matches('K'), 1 << 10),
    };
    let number: usize = digits.parse().with_context(|| format!("no size is called {level:?}"))?;
    Ok(number * factor)
}
