//! 055: what filled the page cache, and what that makes of reads and maps of the same file.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use biofast::fastq::{Inputs, par_transform, write_record};
use biofast::io::output::{self, Compression, Format as Container, Output};
use biofast::io::{Options, Source, available_threads};
use biofast_kernels::{ERROR_SCALE, kernels_for};

use super::sized;
use super::stream;
use super::whole_file::{self, Method};
use crate::core::cell::Cell;
use crate::core::entry::{Cache, Entry, Outcome, Task, repeat};
use crate::core::inputs::Lab;
use crate::core::protocol::Scale;

pub(super) struct PageCache;

/// Reads with a mean error probability of at most 0.001 a base are kept: Q30.
const WORST: f64 = 0.001 * ERROR_SCALE;

impl Entry for PageCache {
    fn id(&self) -> &'static str {
        "055"
    }

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
                let kept = repeat(calls, || filter(method.source(&path)?, &options, &target))?;
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
fn filter(source: Source, options: &Options, target: &std::path::Path) -> Result<u64> {
    let kernels = Arc::new(kernels_for(biofast_kernels::active()).context("no kernels")?);
    let mut outputs = vec![Output::create_with(target, Compression::new(Container::Plain, None)?)?];
    let kept = par_transform(
        Inputs::Single(source),
        [options.clone(), options.clone()],
        None,
        &mut outputs,
        || 0u64,
        |kept, unit, texts| {
            let qualities = unit.first.qualities();
            let errors = (kernels.sum_error_probability)(qualities) as f64;
            if errors <= WORST * qualities.len() as f64 {
                *kept += 1;
                // Writing to memory can't fail.
                let _ = write_record(&mut texts[0], &unit.first);
            }
        },
        |kept, other| *kept += other,
    )
    .map_err(|failure| anyhow!("{failure:?}"))?;
    output::commit(outputs, false)?;
    Ok(kept)
}
