//! 057: where the record of a name is: biofast's index of names against a binary search of its entries and a CDB64 database.
//! Each condition runs in a process of its own, so that what others have cached in memory doesn't count.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;

use biofast_io::Options;
use biofast_io::output::{Compression, Output, commit};
use biofast_ops::dedup::SpillLimits;
use biofast_ops::get::{NameLookup, build, fingerprint};
use biofast_ops::shards::ShardInput;

use super::lookups;
use super::prelude::*;
use super::random_file::cache_of;
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
    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(vec![(searched(cell, lab)?, cache_of(cell)?)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let number = cell.count("names")? as u64;
        let warm = cell.get("cache") == "warm";
        let part = if lab.scale == Scale::Quick { 10 } else { 1 };
        let count = if warm { 20_000 } else { 500 } / part;
        let wanted = wanted(number, lookups::is_hit(cell)?, count);
        let (reads, path) = (reads(cell, lab)?, searched(cell, lab)?);
        let method = cell.get("method").to_owned();
        Ok(Box::new(move |_| {
            let measure = |find: &mut dyn FnMut(&[u8]) -> Result<Option<u64>>| {
                lookups::measure(&wanted, warm, storage_bytes(), find)
            };
            let outcome = match method.as_str() {
                "groups" => {
                    let mut names = NameLookup::open(&reads, &path)?;
                    measure(&mut |name| Ok(names.places(name)?.first().copied()))
                }
                "binary-search" => {
                    let file = File::open(&path)?;
                    measure(&mut |name| search(&file, number, fingerprint(name)))
                }
                "cdb64" => {
                    let reader = Reader::open(PreadStore::open(&path)?)?;
                    measure(&mut |name| place_in(&reader, name))
                }
                "cdb64-mapped" => {
                    let reader = Reader::open(MapStore::open(&path, true)?)?;
                    measure(&mut |name| place_in(&reader, name))
                }
                other => bail!("no method is called {other:?}"),
            }?;
            let bytes = std::fs::metadata(&path)?.len();
            Ok(outcome.with("bytes_per_name", bytes as f64 / number as f64))
        }))
    }
}

fn place_in<S: Store>(reader: &Reader<S>, name: &[u8]) -> Result<Option<u64>> {
    let mut buffer = Vec::new();
    let Some(value) = reader.get(name, &mut buffer)? else { return Ok(None) };
    Ok(Some(u64::from_le_bytes(value.try_into().context("a value isn't a place")?)))
}

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

fn reads(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    let number = cell.count("names")? as u64;
    lab.scratch_path(&format!("names-{number}.fq"), |path| write_reads(path, number))
}

/// The file that is searched: one that stays in the page cache, and one for cold conditions.
fn searched(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    let (number, reads) = (cell.count("names")? as u64, reads(cell, lab)?);
    let method = cell.get("method");
    let ending = if method.starts_with("cdb64") { "cdb" } else { "bni" };
    let name = format!("names-{number}-{method}-{}.{ending}", cell.get("cache"));
    lab.scratch_path(&name, |path| match ending {
        "cdb" => write_database(path, number),
        _ => write_index(&reads, path),
    })
}

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
    let limits = SpillLimits { memory: 1 << 30, folder };
    build(&ShardInput::new(reads), &Options::default(), &limits, &mut out)?;
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
