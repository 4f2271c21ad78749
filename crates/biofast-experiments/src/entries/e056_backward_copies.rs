//! 056: a cold file copied out of a map: in which direction the C library copies, and what that makes of the kernel's reading
//! ahead.

use std::fs::File;

use super::prelude::*;
use super::sized;
use super::stream::Seen;
use super::whole_file;
use crate::core::page_cache;
use crate::systems::advised_map::{Advice, Advised};

pub(super) struct BackwardCopies;

/// What the distance of two addresses is looked at by: the bits in which they would be in the same place of a page.
const PAGE: usize = 4096;

impl Entry for BackwardCopies {
    fn applies(&self, cell: &Cell) -> bool {
        let (copy, advice, size) = (cell.get("copy"), cell.get("advice"), cell.get("size"));
        let small = size.parse::<f64>().is_ok_and(|megabytes| megabytes <= 32.0);
        if size == "512"
            && !matches!(
                (copy, advice),
                ("read" | "to_vec", "none") | ("to_vec" | "forward", "seq")
            )
        {
            return false;
        }
        if advice.ends_with("fadvise") && !cfg!(target_os = "linux") {
            return false;
        }
        match (copy, advice) {
            ("read", "none") => true,
            ("read", "fadvise") => small,
            ("read", _) => false,
            // The copy as it was written, with all that was or may have been said about the map.
            ("to_vec", "none" | "seq") => true,
            ("to_vec", _) => ["8", "12", "16", "24"].contains(&size),
            ("aliased" | "backward", "seq") => ["8", "12", "16", "24"].contains(&size),
            ("apart" | "forward", "seq") => true,
            ("apart" | "forward" | "aliased" | "backward", "none") => small,
            ("forward", "seq+fadvise") => small,
            _ => false,
        }
    }

    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(vec![(path(cell, lab)?, Cache::Cold)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = path(cell, lab)?;
        let bytes = std::fs::metadata(&path).context("no file")?.len() as usize;
        let advice = Advice::of(cell.get("advice"))?;
        let copy = Copy::of(cell.get("copy"))?;
        // Memory that was used before, but for the copy that makes a vector of its own.
        let mut target = vec![7; if copy == Copy::ToVec { 0 } else { bytes + 2 * PAGE }];
        Ok(Box::new(move |calls| {
            if calls == 0 {
                let copied = match copy {
                    Copy::ToVec => &target[..],
                    _ => copy.within(&mut target, bytes),
                };
                let mut outcome = Outcome::new(Seen::of(copied), bytes);
                // What the next one who maps the file finds.
                if let Some(folios) = page_cache::folios(&path) {
                    outcome = outcome.with("left_folio_kb", folios.kb);
                }
                return Ok(outcome);
            }
            ensure!(calls == 1, "a cold file is copied once");
            match copy {
                Copy::ToVec => target = Advised::open(&path, advice)?.bytes().to_vec(),
                _ => copy.run(&path, advice, copy.within(&mut target, bytes))?,
            }
            Ok(Outcome::deferred())
        }))
    }
}

fn path(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    let megabytes: f64 = cell.get("size").parse().context("a size is not a number")?;
    let dataset = if lab.scale == Scale::Quick { "medium" } else { "large" };
    sized::text_file(lab, dataset, (megabytes * f64::from(1 << 20)) as u64)
}

/// How bytes get out of the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Copy {
    /// Not at all: they are read.
    Read,
    /// The earlier program's: a new vector by one `memcpy`.
    ToVec,
    /// One `memcpy` to memory 16 bytes behind the start of a page, where large vectors begin.
    Aliased,
    /// One `memcpy` to memory half a page further.
    Apart,
    /// A page at a time, from front to back.
    Forward,
    /// A page at a time, from back to front, after the first.
    Backward,
}

impl Copy {
    fn of(name: &str) -> Result<Copy> {
        Ok(match name {
            "read" => Copy::Read,
            "to_vec" => Copy::ToVec,
            "aliased" => Copy::Aliased,
            "apart" => Copy::Apart,
            "forward" => Copy::Forward,
            "backward" => Copy::Backward,
            other => bail!("no copy is called {other:?}"),
        })
    }

    /// The part of `target` where the copy goes.
    fn within(self, target: &mut [u8], bytes: usize) -> &mut [u8] {
        let behind = if self == Copy::Apart { 16 + PAGE / 2 } else { 16 };
        let start = (target.as_ptr() as usize).wrapping_neg() % PAGE + behind;
        &mut target[start..start + bytes]
    }

    fn run(self, path: &Path, advice: Advice, target: &mut [u8]) -> Result<()> {
        if self == Copy::Read {
            let file = File::open(path)?;
            advice.of_file(&file)?;
            return whole_file::read_into(file, target);
        }
        let map = Advised::open(path, advice)?;
        let bytes = map.bytes();
        ensure!(bytes.len() == target.len(), "the file has changed");
        let pages = || (0..bytes.len()).step_by(PAGE);
        let mut page = |at: usize| {
            let end = bytes.len().min(at + PAGE);
            target[at..end].copy_from_slice(&bytes[at..end]);
        };
        match self {
            Copy::Forward => pages().for_each(page),
            Copy::Backward => {
                page(0);
                pages().skip(1).rev().for_each(page);
            }
            _ => target.copy_from_slice(bytes),
        }
        Ok(())
    }
}
