//! 057: where the record of a name is: biofast's index of names against a binary search of its entries and a CDB64 database.
//! Each condition runs in a process of its own, so that what others have cached in memory doesn't count.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use biofast::io::Options;
use biofast::io::output::{Compression, Output, commit};
use biofast::ops::dedup::Limits;
use biofast::ops::get::{Names, build, fingerprint};
use biofast::ops::shards::Input;

use super::random_file::cache_of;
use crate::core::cell::Cell;
use crate::core::entry::{Cache, Entry, Outcome, Task};
use crate::core::inputs::Lab;
use crate::core::protocol::Scale;
use crate::rng::Rng;
use crate::systems::cdb64::{MapStore, PreadStore, Reader, Store, Writer};
use crate::systems::process_io::storage_bytes;

pub(super) struct NameIndex;

const PURPOSE_NAMES: u64 = 0x6e61_6d65;

/// Where the pages of an index of names start, their length, and how many numbers of eight bytes each has before its checksum:
/// docs/get.md. The first numbers are the entries, two each: fingerprint and place.
const PAGES: u64 = 64;
const PAGE: u64 = 4096;
const NUMBERS: u64 = 511;

impl Entry for NameIndex {
    fn id(&self) -> &'static str {
        "057"
    }

    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(vec![(searched(cell, lab)?, cache_of(cell)?)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let number = number_of(cell)?;
        let hit = match cell.get("key") {
            "hit" => true,
            "miss" => false,
            other => bail!("no key is called {other:?}"),
        };
        let warm = cell.get("cache") == "warm";
        let count = if warm { 20_000 } else { 500 };
        let part = if lab.scale == Scale::Quick { 10 } else { 1 };
        let wanted = wanted(number, hit, count / part);
        let (reads, path) = (reads(cell, lab)?, searched(cell, lab)?);
        let method = cell.get("method").to_owned();
        Ok(Box::new(move |_| {
            let outcome = match method.as_str() {
                "groups" => {
                    let mut names = Names::open(&reads, &path)?;
                    measure(&wanted, warm, |name| Ok(names.places(name)?.first().copied()))
                }
                "binary-search" => {
                    let file = File::open(&path)?;
                    measure(&wanted, warm, |name| search(&file, number, fingerprint(name)))
                }
                "cdb64" => look_up(&Reader::open(PreadStore::open(&path)?)?, &wanted, warm),
                "cdb64-mapped" => look_up(&Reader::open(MapStore::open(&path, true)?)?, &wanted, warm),
                other => bail!("no method is called {other:?}"),
            }?;
            let bytes = std::fs::metadata(&path)?.len();
            Ok(outcome.with("bytes_per_name", bytes as f64 / number as f64))
        }))
    }
}

/// Looks all names up; twice if warm, of which the second time counts.
fn measure(
    wanted: &[Vec<u8>],
    warm: bool,
    mut find: impl FnMut(&[u8]) -> Result<Option<u64>>,
) -> Result<Outcome> {
    let before = storage_bytes();
    let mut all = || -> Result<(u64, u64)> {
        let mut found = (0, 0);
        for name in wanted {
            if let Some(place) = find(name)? {
                found = (found.0 + 1, found.1 + place);
            }
        }
        Ok(found)
    };
    let first = if warm { Some(all()?) } else { None };
    let start = Instant::now();
    let found = all()?;
    let get_s = start.elapsed().as_secs_f64() / wanted.len() as f64;
    ensure!(first.is_none_or(|first| first == found), "the second time found other places");
    let bytes = wanted.iter().map(Vec::len).sum();
    let outcome = Outcome::new(format!("{}/{}", found.0, found.1), bytes).with("get_s", get_s);
    Ok(match (before, storage_bytes()) {
        (Some(before), Some(after)) => {
            outcome.with("storage_bytes", (after - before) as f64 / wanted.len() as f64)
        }
        _ => outcome,
    })
}

fn look_up<S: Store>(reader: &Reader<S>, wanted: &[Vec<u8>], warm: bool) -> Result<Outcome> {
    let mut buffer = Vec::new();
    measure(wanted, warm, |name| {
        let Some(value) = reader.get(name, &mut buffer)? else { return Ok(None) };
        Ok(Some(u64::from_le_bytes(value.try_into().context("a value isn't a place")?)))
    })
}

/// A binary search among so many entries, sorted by fingerprint.
fn search(file: &File, number: u64, wanted: u64) -> Result<Option<u64>> {
    let number_at = |index: u64| -> Result<u64> {
        let mut bytes = [0; 8];
        file.read_exact_at(&mut bytes, PAGES + PAGE * (index / NUMBERS) + 8 * (index % NUMBERS))?;
        Ok(u64::from_le_bytes(bytes))
    };
    let (mut low, mut high) = (0, number);
    while low < high {
        let middle = low + (high - low) / 2;
        if number_at(2 * middle)? < wanted { low = middle + 1 } else { high = middle }
    }
    match low < number && number_at(2 * low)? == wanted {
        true => number_at(2 * low + 1).map(Some),
        false => Ok(None),
    }
}

fn number_of(cell: &Cell) -> Result<u64> {
    let level = cell.get("names");
    let (digits, factor) = match (level.strip_suffix('M'), level.strip_suffix('K')) {
        (Some(digits), _) => (digits, 1_000_000),
        (_, Some(digits)) => (digits, 1000),
        _ => (level, 1),
    };
    let number: u64 = digits.parse().with_context(|| format!("{level:?} is no number of names"))?;
    Ok(number * factor)
}

/// The name of a read; those of lane 2 are in no file.
fn name_of(lane: u8, number: u64) -> Vec<u8> {
    let (x, y) = (1000 + number / 5000, 1000 + number % 5000);
    format!("S:1:F:{lane}:1101:{x}:{y}").into_bytes()
}

fn wanted(number: u64, hit: bool, count: usize) -> Vec<Vec<u8>> {
    let mut rng = Rng::new(1, PURPOSE_NAMES, number);
    let lane = if hit { 1 } else { 2 };
    (0..count).map(|_| name_of(lane, rng.below(number))).collect()
}

/// The reads, whose places are looked for.
fn reads(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    let number = number_of(cell)?;
    lab.scratch_path(&format!("names-{number}.fq"), |path| write_reads(path, number))
}

/// The file that is searched: one that stays in the page cache, and one for cold conditions.
fn searched(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    let (number, reads) = (number_of(cell)?, reads(cell, lab)?);
    let cache = cell.get("cache");
    match cell.get("method") {
        "groups" | "binary-search" => {
            let name = format!("names-{number}-{}-{cache}.bni", cell.get("method"));
            lab.scratch_path(&name, |path| write_index(&reads, path))
        }
        _ => {
            let name = format!("names-{number}-{}-{cache}.cdb", cell.get("method"));
            lab.scratch_path(&name, |path| write_database(path, number))
        }
    }
}

/// The text of a read.
fn read_of(number: u64) -> Vec<u8> {
    [b"@", &name_of(1, number)[..], b"\nA\n+\nI\n"].concat()
}

fn write_reads(path: &Path, number: u64) -> Result<()> {
    let mut out = std::io::BufWriter::new(File::create(path)?);
    (0..number).try_for_each(|number| out.write_all(&read_of(number)))?;
    Ok(out.flush()?)
}

fn write_index(reads: &Path, path: &Path) -> Result<()> {
    let mut out = Output::create_with(path, Compression::default())?;
    let folder = path.parent().context("no folder")?.to_owned();
    let limits = Limits { memory: 1 << 30, folder };
    build(&Input::new(reads), &Options::default(), &limits, &mut out)?;
    Ok(commit(vec![out], false)?)
}

fn write_database(path: &Path, number: u64) -> Result<()> {
    let mut writer = Writer::create(path)?;
    let mut place = 0u64;
    for number in 0..number {
        writer.put(&name_of(1, number), &place.to_le_bytes())?;
        place += read_of(number).len() as u64;
    }
    Ok(writer.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_methods_find_the_same_places() {
        let folder = tempfile::tempdir().expect("temporary directory");
        let at = |name: &str| folder.path().join(name);
        let number = 3000;
        write_reads(&at("x.fq"), number).expect("reads");
        write_index(&at("x.fq"), &at("x.bni")).expect("an index");
        write_database(&at("x.cdb"), number).expect("a database");
        for (hit, expected) in [(true, "500/"), (false, "0/0")] {
            let wanted = wanted(number, hit, 500);
            let mut names = Names::open(&at("x.fq"), &at("x.bni")).expect("opens");
            let groups = measure(&wanted, true, |name| Ok(names.places(name)?.first().copied()));
            let groups = groups.expect("looks").answer;
            assert!(groups.starts_with(expected), "{groups}");
            let file = File::open(at("x.bni")).expect("opens");
            let searched = measure(&wanted, true, |name| search(&file, number, fingerprint(name)));
            assert_eq!(searched.expect("looks").answer, groups);
            let pread = Reader::open(PreadStore::open(&at("x.cdb")).expect("opens")).expect("reads");
            assert_eq!(look_up(&pread, &wanted, false).expect("looks").answer, groups);
            let map = Reader::open(MapStore::open(&at("x.cdb"), true).expect("opens"));
            assert_eq!(look_up(&map.expect("reads"), &wanted, true).expect("looks").answer, groups);
        }
    }
}
