//! 028: from a gzip file to a filtered one, whole and in stages, each timed: which stage takes the time, and what
//! SIMD in the statistics is worth to the whole.

use std::fs::File;
use std::io::{BufWriter, Write as _};

use biofast_fastq::{Reader, Record};
use biofast_io::output::{Compression, Format as Container, Level};
use biofast_io::{Options, Source, available_threads};
use flate2::write::GzEncoder;

use super::filter::{self, Found, keep, whole};
use super::kernel;
use super::prelude::*;
use super::stream::{self, Shared};
use super::whole_file::{self, Method};

pub(super) struct EndToEnd;

impl Entry for EndToEnd {
    fn applies(&self, cell: &Cell) -> bool {
        let kernels = cell.get("kernels");
        match cell.get("stage") {
            "compute" | "whole-plain" | "whole-1" | "whole-6" => kernel::kernels(kernels).is_some(),
            _ => kernels == "none",
        }
    }

    fn files(&self, cell: &Cell, lab: &Lab) -> Result<Vec<(PathBuf, Cache)>> {
        Ok(vec![(path(cell, lab)?, Cache::Warm)])
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let path = path(cell, lab)?;
        let dataset = kernel::dataset(cell.get("reads"))?;
        let bytes = lab.entry(dataset, Format::Fastq)?.bytes as usize;
        let target = lab.scratch.join(format!("filtered-{}", cell.get("reads")));
        let own = match cell.get("kernels") {
            "none" => kernel::named(biofast_kernels::active().name())?,
            isa => kernel::named(isa)?,
        };
        let level = cell.get("stage").rsplit_once('-').and_then(|(_, level)| level.parse().ok());
        let level = flate2::Compression::new(level.unwrap_or_default());
        let create = |path: &Path| {
            Ok::<_, std::io::Error>(BufWriter::with_capacity(1 << 20, File::create(path)?))
        };
        // What the whole writes, and so what it compresses.
        let kept = || {
            let mut kept = Vec::new();
            whole(&path, own, &mut kept)?;
            anyhow::Ok(kept)
        };
        let mut work: Box<dyn FnMut() -> Result<String>> = match cell.get("stage") {
            "read" => Box::new(move || Ok(whole_file::sum(&path, Method::Read)?.to_string())),
            "inflate" => {
                let stored = Shared::read(&path)?;
                Box::new(move || {
                    Ok(stream::inflate(stored.source(), &Options::serial())?.to_string())
                })
            }
            "frame" => {
                let text = Shared::read(&lab.file(dataset, Format::Fastq)?)?;
                Box::new(move || frame(&text))
            }
            "compute" => {
                let reads = lab.reads(dataset)?;
                Box::new(move || {
                    let mut found = Found::default();
                    let qualities = reads.qualities.chunks_exact(reads.len);
                    for (bases, qualities) in reads.bases.chunks_exact(reads.len).zip(qualities) {
                        found.look_at(own, bases, qualities);
                    }
                    Ok(found.to_string())
                })
            }
            "write" => {
                let text = kept()?;
                Box::new(move || {
                    File::create(&target)?.write_all(&text)?;
                    Ok(text.len().to_string())
                })
            }
            "deflate-1" | "deflate-6" => {
                let text = kept()?;
                Box::new(move || {
                    let mut encoder = GzEncoder::new(std::io::sink(), level);
                    encoder.write_all(&text)?;
                    encoder.finish()?;
                    Ok(text.len().to_string())
                })
            }
            "whole-plain" => Box::new(move || {
                let mut out = create(&target)?;
                let found = whole(&path, own, &mut out)?;
                out.flush()?;
                Ok(found.to_string())
            }),
            "whole-1" | "whole-6" => Box::new(move || {
                let mut out = GzEncoder::new(create(&target)?, level);
                let found = whole(&path, own, &mut out)?;
                out.finish()?.flush()?;
                Ok(found.to_string())
            }),
            // All threads, BGZF at the same level.
            "library-6" => Box::new(move || {
                let options = Options { threads: available_threads().max(2), ..Options::serial() };
                let bgzf = Compression::new(Container::Bgzf, Some(Level::Number(6)))?;
                let keep = |found: &mut Found, read: &Record<'_>| keep(found, own, read);
                let source = Source::open(&path)?;
                let found = filter::filter(source, &options, &target, bgzf, keep, Found::merge)?;
                Ok(found.to_string())
            }),
            other => bail!("no stage is called {other:?}"),
        };
        Ok(Box::new(move |calls| Ok(Outcome::hashed(repeat(calls, &mut *work)?, bytes))))
    }
}

fn path(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    lab.file(kernel::dataset(cell.get("reads"))?, Format::Gzip)
}

/// Finds and checks the records of a text.
fn frame(text: &Shared) -> Result<String> {
    let mut reader = Reader::new(text.source(), &Options::serial())?;
    let (mut reads, mut bases) = (0, 0);
    while let Some(record) = reader.next_record()? {
        reads += 1;
        bases += record.sequence().len();
    }
    Ok(format!("{reads} {bases}"))
}
