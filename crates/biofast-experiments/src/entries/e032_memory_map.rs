//! 032: memory maps with advice against reads, by size, consumer and what is in the page cache; and the map together with
//! parallel inflation, end to end.

use biofast_io::{Options, Source, available_threads};

use super::prelude::*;
use super::sized;
use super::stream;
use super::whole_file::{self, Method, inflate};

pub(super) struct MemoryMap;

/// A consumer that takes a source.
type Work = fn(Source, &Options) -> Result<String>;

/// What the consumers of the library are measured with.
const FEW: [&str; 3] = ["read", "mmap-both", "library"];

impl Entry for MemoryMap {
    fn applies(&self, cell: &Cell) -> bool {
        let (method, size, cold) =
            (cell.get("method"), cell.get("size"), cell.get("cache") == "cold");
        // Large files and cold ones are left to few methods, for time.
        if cold && (method == "fresh" || size == "512") || size == "512" && !FEW.contains(&method) {
            return false;
        }
        let few = FEW.contains(&method);
        match cell.get("consumer") {
            "open" => cell.get("cache") == "reads",
            "sum" => true,
            // What the combination is compared with, and the combination.
            "inflate-1" | "inflate-n" | "stats-bgzf-1" | "stats-bgzf-n" => {
                few && method != "library" && size == "54" && cell.get("cache") == "reads"
            }
            "stats" => few && ["5.4", "24", "54", "128", "512"].contains(&size),
            _ => false,
        }
    }

    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(vec![(path(cell, lab)?, whole_file::cache_of(cell)?)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = path(cell, lab)?;
        let bytes = std::fs::metadata(&path).context("no file")?.len() as usize;
        let method = Method::of(cell.get("method"))?;
        let all = available_threads().max(2);
        let (threads, work): (usize, Work) = match cell.get("consumer") {
            "open" => {
                return Ok(Box::new(move |calls| {
                    Ok(Outcome::new(repeat(calls, || whole_file::open(&path, method))?, bytes))
                }));
            }
            "sum" => {
                return Ok(Box::new(move |calls| {
                    Ok(Outcome::new(repeat(calls, || whole_file::sum(&path, method))?, bytes))
                }));
            }
            "inflate-1" => (1, inflate),
            "inflate-n" => (all, inflate),
            "stats-bgzf-1" => (1, stream::stats),
            "stats-bgzf-n" | "stats" => (all, stream::stats),
            other => bail!("no consumer is called {other:?}"),
        };
        let options = method.options(threads);
        Ok(Box::new(move |calls| {
            let found = repeat(calls, || work(method.source(&path)?, &options))?;
            Ok(Outcome::hashed(found, bytes))
        }))
    }
}

fn path(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    let megabytes: f64 = cell.get("size").parse().context("a size is not a number")?;
    let dataset = if lab.scale == Scale::Quick { "medium" } else { "large" };
    let bytes = (megabytes * 1e6) as u64;
    whole_file::own_file(cell, lab, || match cell.get("consumer") {
        "open" | "sum" | "stats" => sized::text_file(lab, dataset, bytes),
        _ => sized::bgzf_file(lab, dataset, bytes),
    })
}
