//! 016: what compressed input costs, for three different operations, through the library's parallel fold.

use biofast_fastq::{Batch, Fold};
use biofast_io::{Options, Source};
use biofast_kernels::{GcCounts, count_gc_acgt};

use super::prelude::*;
use super::{kernel, stream};

pub(super) struct CompressedInput;

impl Entry for CompressedInput {
    fn applies(&self, cell: &Cell) -> bool {
        kernel::threads_exist(cell)
    }

    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(vec![(path(cell, lab)?, Cache::Warm)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = path(cell, lab)?;
        let bytes = stream::text_bytes(cell, lab)?;
        let options = Options { threads: cell.number("threads")?, ..Options::serial() };
        let operate: fn(Source, &Options) -> Result<String> = match cell.get("operation") {
            "count" => count,
            "gc" => gc,
            "stats" => stream::stats,
            other => bail!("no operation is called {other:?}"),
        };
        Ok(Box::new(move |_| Ok(Outcome::hashed(operate(Source::open(&path)?, &options)?, bytes))))
    }
}

fn path(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    lab.file(kernel::dataset(cell.get("reads"))?, stream::format(cell.get("container"))?)
}

/// Reads and bases: framing and its checks alone.
fn count(source: Source, options: &Options) -> Result<String> {
    let accept = |(reads, bases): &mut (usize, usize), batch: Batch<'_>| {
        *reads += batch.len();
        *bases += batch.iter().map(|r| r.sequence().len()).sum::<usize>();
    };
    let merge = |a: &mut (usize, usize), b: (usize, usize)| *a = (a.0 + b.0, a.1 + b.1);
    let found = Fold::new(source)
        .options(options)
        .run(|| (0, 0), accept, merge)
        .map_err(|fault| fault.error)?;
    Ok(format!("{found:?}"))
}

/// GC content of all reads.
fn gc(source: Source, options: &Options) -> Result<String> {
    let add = |a: &mut GcCounts, b: GcCounts| {
        a.gc += b.gc;
        a.acgt += b.acgt;
    };
    let accept = |counts: &mut GcCounts, batch: Batch<'_>| {
        batch.iter().for_each(|r| add(counts, count_gc_acgt(r.sequence())));
    };
    let found = Fold::new(source)
        .options(options)
        .run(GcCounts::default, accept, add)
        .map_err(|fault| fault.error)?;
    Ok(format!("{found:?}"))
}
