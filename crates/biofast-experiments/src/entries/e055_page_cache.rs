//! 055: what filled the page cache, and what that makes of reads and maps of the same file.

use biofast_fastq::Record;
use biofast_io::output::{Compression, Format as Container};
use biofast_io::{Options, Source, available_threads};
use biofast_kernels::kernels_for;

use super::filter;
use super::prelude::*;
use super::sized;
use super::stream;
use super::whole_file::{self, Method};

pub(super) struct PageCache;

impl Entry for PageCache {
    fn applies(&self, cell: &Cell) -> bool {
        let few = ["read", "mmap", "library"].contains(&cell.get("method"));
        match cell.get("consumer") {
            "sum" => true,
            "copy" => few,
            "stats" | "filter" => few,
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
        let options = method.options(available_threads().max(2));
        let target = lab.scratch.join("filtered");
        Ok(match cell.get("consumer") {
            "sum" => Box::new(move |calls| {
                Ok(Outcome::new(repeat(calls, || whole_file::sum(&path, method))?, bytes))
            }),
            "copy" => whole_file::copy_task(path, method, bytes),
            "stats" => Box::new(move |calls| {
                let found = repeat(calls, || stream::stats(method.source(&path)?, &options))?;
                Ok(Outcome::hashed(found, bytes))
            }),
            "filter" => Box::new(move |calls| {
                let kept = repeat(calls, || filter_good(method.source(&path)?, &options, &target))?;
                Ok(Outcome::new(kept, bytes))
            }),
            other => bail!("no consumer is called {other:?}"),
        })
    }
}

fn path(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    let (dataset, bytes) =
        if lab.scale == Scale::Quick { ("medium", 4_000_000) } else { ("large", 128_000_000) };
    whole_file::own_file(cell, lab, || sized::text_file(lab, dataset, bytes))
}

/// Writes the reads of a mean quality of Q30 and more, as text; returns their number.
fn filter_good(source: Source, options: &Options, target: &Path) -> Result<u64> {
    let kernels = kernels_for(biofast_kernels::active()).context("no kernels")?;
    let keep = |kept: &mut u64, read: &Record<'_>| {
        let good = filter::is_good(kernels, read.qualities());
        *kept += u64::from(good);
        good
    };
    let plain = Compression::new(Container::Plain, None)?;
    filter::filter(source, options, target, plain, keep, |kept, other| *kept += other)
}
