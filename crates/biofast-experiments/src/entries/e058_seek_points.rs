//! 058: the seek index of ordinary gzip with points at several distances: its size, one read through it, all reads by parts.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use biofast_io::output::{Compression, Output, commit};
use biofast_io::{Options, Source};
use biofast_ops::reads::{Collector, Contaminants};
use biofast_ops::shards::{self, GzipIndex, GzipIndexer, ShardInput, ShardSizing, make};

use super::prelude::*;

pub(super) struct SeekPoints;

const PURPOSE_NUMBERS: u64 = 0x7365_656b;
const SHARDS: u64 = 16;
const THREADS: usize = 2;

impl Entry for SeekPoints {
    fn applies(&self, cell: &Cell) -> bool {
        cell.get("spacing") != "none" || cell.get("job") == "whole"
    }

    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(vec![(file(cell, lab)?, Cache::Warm)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = file(cell, lab)?;
        let bytes = std::fs::metadata(&path)?.len();
        let share = match cell.get("spacing") {
            "none" => 0.0,
            _ => std::fs::metadata(GzipIndex::path_of(&path))?.len() as f64 / bytes as f64,
        };
        let count = if lab.scale == Scale::Quick { 5 } else { 50 };
        let (job, spacing) = (cell.get("job").to_owned(), cell.get("spacing").to_owned());
        Ok(Box::new(move |calls| {
            ensure!(calls == 1, "one call takes long enough");
            let (answer, job_s) = match (&*job, &*spacing) {
                ("read", _) => one_by_one(&path, count)?,
                ("whole", "none") => whole(&path)?,
                ("whole", _) => by_parts(&path)?,
                (other, _) => bail!("no job is called {other:?}"),
            };
            Ok(Outcome::hashed(answer, bytes as usize)
                .with("job_s", job_s)
                .with("index_share", share))
        }))
    }
}

/// Some reads by their numbers, and the seconds of each.
fn one_by_one(path: &Path, count: u64) -> Result<(Vec<u8>, f64)> {
    let mut index = GzipIndex::open(path)?;
    let mut rng = Rng::new(1, PURPOSE_NUMBERS, count);
    let numbers: Vec<u64> = (0..count).map(|_| 1 + rng.below(index.records())).collect();
    let start = Instant::now();
    let mut text = Vec::new();
    for number in numbers {
        index.reads(path, &[number], |read| {
            text.extend_from_slice(read);
            Ok::<(), shards::Error>(())
        })?;
    }
    Ok((text, start.elapsed().as_secs_f64() / count as f64))
}

/// The statistics of all reads in one reading, and its seconds.
fn whole(path: &Path) -> Result<(Vec<u8>, f64)> {
    let options = Options { threads: THREADS, ..Options::default() };
    let start = Instant::now();
    let reads = Collector::collect(Source::open(path)?, &options, Collector::new);
    let reads = reads.map_err(|fault| fault.error)?;
    let seconds = start.elapsed().as_secs_f64();
    Ok((text(&reads)?, seconds))
}

/// The same by the shards of a plan, which threads take one after the other.
fn by_parts(path: &Path) -> Result<(Vec<u8>, f64)> {
    let start = Instant::now();
    let plan = make(&[ShardInput::new(path)], 1, ShardSizing::Number(SHARDS), &Options::serial())?;
    let next = AtomicU64::new(1);
    let all = Mutex::new(Collector::new());
    let work = || -> Result<()> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number > SHARDS {
                return Ok(());
            }
            let shard = plan.open(number, 0, path)?;
            let part = Collector::collect(shard, &Options::serial(), Collector::new);
            let part = part.map_err(|fault| fault.error)?;
            all.lock().map_err(|_| anyhow::anyhow!("a thread has panicked"))?.merge(&part);
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().map_err(|_| anyhow::anyhow!("a thread has panicked"))?
        })
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let all = all.into_inner().map_err(|_| anyhow::anyhow!("a thread has panicked"))?;
    Ok((text(&all)?, seconds))
}

fn text(reads: &Collector) -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(&reads.statistics(&Contaminants::known()))?)
}

/// A name of the dataset's file, with an index of its own beside it.
fn file(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    let dataset = if lab.scale == Scale::Quick { "large" } else { "r1_1600k" };
    let original = lab.file(dataset, Format::Gzip)?;
    let spacing = cell.get("spacing");
    if spacing == "none" {
        return Ok(original);
    }
    lab.scratch_path(&format!("{dataset}-{spacing}.fq.gz"), |path| {
        if std::fs::hard_link(&original, path).is_err() {
            std::fs::copy(&original, path)?;
        }
        index(path, spacing.parse::<u64>().context("a distance is not a number")? << 20)
    })
}

fn index(path: &Path, spacing: u64) -> Result<()> {
    let out = Output::create_with(&GzipIndex::path_of(path), Compression::default())?;
    let indexer = GzipIndexer::with_spacing(&ShardInput::new(path), spacing, out)?;
    let source = indexer.follow(Source::open(path)?);
    Collector::collect(source, &Options::default(), Collector::new).map_err(|fault| fault.error)?;
    let (out, _) = indexer.finish()?;
    Ok(commit(vec![out], false)?)
}
