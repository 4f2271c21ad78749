//! 028: from a gzip file to a filtered one, whole and in stages, each timed: which stage takes the time, and what
//! SIMD in the statistics is worth to the whole.

use std::fs::File;
use std::io::{BufWriter, Cursor, Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, anyhow, bail};
use biofast::fastq::{Inputs, Reader, Record, par_transform, write_record};
use biofast::io::output::{self, Compression, Format as Container, Level, Output};
use biofast::io::{Options, Source, available_threads};
use biofast_kernels::{BaseCounts, ERROR_SCALE, Isa, Kernels, kernels_for};
use flate2::write::GzEncoder;

use super::kernel;
use super::stream::{self, Seen};
use crate::datasets::Format;
use crate::core::cell::Cell;
use crate::core::entry::{Cache, Entry, Outcome, Task, repeat};
use crate::core::inputs::Lab;

pub(super) struct EndToEnd;

/// Reads with a mean error probability of at most 0.001 a base are kept: Q30.
const WORST: f64 = 0.001 * ERROR_SCALE;

impl Entry for EndToEnd {
    fn id(&self) -> &'static str {
        "028"
    }

    fn applies(&self, cell: &Cell) -> bool {
        let kernels = cell.get("kernels");
        let computes = matches!(cell.get("stage"), "compute" | "whole-plain" | "whole-1" | "whole-6");
        match computes {
            true => kernel::kernels(kernels).is_some(),
            false => kernels == "none",
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
        let own = kernels_of(cell.get("kernels"))?;
        let text = || Ok::<_, anyhow::Error>(Arc::new(std::fs::read(lab.file(dataset, Format::Fastq)?)?));
        // What the whole writes, and so what it compresses.
        let kept = || {
            let mut kept = Vec::new();
            whole(&path, own, &mut kept)?;
            Ok::<_, anyhow::Error>(kept)
        };
        let mut work: Box<dyn FnMut() -> Result<String>> = match cell.get("stage") {
            "read" => Box::new(move || Ok(read(&path)?.to_string())),
            "inflate" => {
                let stored = Arc::new(std::fs::read(&path)?);
                Box::new(move || {
                    let source = Source::from_reader("memory", Cursor::new(Shared(Arc::clone(&stored))));
                    Ok(stream::inflate(source, &Options::serial())?.to_string())
                })
            }
            "frame" => {
                let text = text()?;
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
                let level = level_of(cell.get("stage"))?;
                Box::new(move || {
                    let mut encoder = GzEncoder::new(std::io::sink(), flate2::Compression::new(level));
                    encoder.write_all(&text)?;
                    encoder.finish()?;
                    Ok(text.len().to_string())
                })
            }
            "whole-plain" => Box::new(move || {
                let mut out = BufWriter::with_capacity(1 << 20, File::create(&target)?);
                let found = whole(&path, own, &mut out)?;
                out.flush()?;
                Ok(found.to_string())
            }),
            "whole-1" | "whole-6" => {
                let level = level_of(cell.get("stage"))?;
                Box::new(move || {
                    let file = BufWriter::with_capacity(1 << 20, File::create(&target)?);
                    let mut out = GzEncoder::new(file, flate2::Compression::new(level));
                    let found = whole(&path, own, &mut out)?;
                    out.finish()?.flush()?;
                    Ok(found.to_string())
                })
            }
            "library-6" => Box::new(move || Ok(library(&path, &target, own)?.to_string())),
            other => bail!("no stage is called {other:?}"),
        };
        Ok(Box::new(move |calls| Ok(Outcome::hashed(repeat(calls, &mut *work)?, bytes))))
    }
}

fn path(cell: &Cell, lab: &Lab) -> Result<PathBuf> {
    lab.file(kernel::dataset(cell.get("reads"))?, Format::Gzip)
}

fn level_of(stage: &str) -> Result<u32> {
    let (_, level) = stage.rsplit_once('-').context("no level")?;
    level.parse().context("no level")
}

/// The kernels of an instruction set, or the ones the library uses.
fn kernels_of(name: &str) -> Result<&'static Kernels> {
    match name {
        "none" => kernels_for(biofast_kernels::active()),
        name => kernels_for(name.parse::<Isa>().map_err(|_| anyhow!("no kernels {name:?}"))?),
    }
    .with_context(|| format!("this CPU has no {name:?}"))
}

/// What is computed of every read, and what is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Found {
    bases: BaseCounts,
    quality: u64,
    kept: u64,
}

impl Found {
    /// Composition and quality of a read; true if it is kept.
    fn look_at(&mut self, kernels: &Kernels, bases: &[u8], qualities: &[u8]) -> bool {
        self.bases += (kernels.count_bases)(bases);
        self.quality += (kernels.summarize_qualities)(qualities).sum;
        let errors = (kernels.sum_error_probability)(qualities) as f64;
        let keep = errors <= WORST * qualities.len() as f64;
        self.kept += u64::from(keep);
        keep
    }

    fn merge(&mut self, other: Found) {
        self.bases += other.bases;
        self.quality += other.quality;
        self.kept += other.kept;
    }
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {} {}", self.bases, self.quality, self.kept)
    }
}

/// Bytes that several cursors can share.
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// The stored bytes, into a buffer.
fn read(path: &Path) -> Result<Seen> {
    static BUFFER: Mutex<Vec<u8>> = Mutex::new(Vec::new());
    let mut buffer = BUFFER.lock().unwrap_or_else(PoisonError::into_inner);
    buffer.resize(1 << 20, 0);
    let mut file = File::open(path)?;
    let mut seen = Seen::default();
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(seen),
            n => seen.add(&buffer[..n]),
        }
    }
}

/// Finds and checks the records of a text.
fn frame(text: &Arc<Vec<u8>>) -> Result<String> {
    let source = Source::from_reader("memory", Cursor::new(Shared(Arc::clone(text))));
    let mut reader = Reader::new(source, &Options::serial())?;
    let (mut reads, mut bases) = (0, 0);
    while let Some(record) = reader.next_record()? {
        reads += 1;
        bases += record.sequence().len();
    }
    Ok(format!("{reads} {bases}"))
}

/// Everything on one thread, one read after the other.
fn whole(path: &Path, kernels: &Kernels, out: &mut impl Write) -> Result<Found> {
    let mut reader = Reader::new(Source::open(path)?, &Options::serial())?;
    let mut found = Found::default();
    while let Some(record) = reader.next_record()? {
        if keep(&mut found, kernels, &record) {
            write_record(out, &record)?;
        }
    }
    Ok(found)
}

fn keep(found: &mut Found, kernels: &Kernels, record: &Record<'_>) -> bool {
    found.look_at(kernels, record.sequence(), record.qualities())
}

/// The library's way: all threads, BGZF at the same level.
fn library(path: &Path, target: &Path, kernels: &Kernels) -> Result<Found> {
    let options = Options { threads: available_threads().max(2), ..Options::serial() };
    let mut outputs = vec![Output::create_with(target, Compression::new(Container::Bgzf, Some(Level::Number(6)))?)?];
    let found = par_transform(
        Inputs::Single(Source::open(path)?),
        [options.clone(), options],
        None,
        &mut outputs,
        Found::default,
        |found, unit, texts| {
            if keep(found, kernels, &unit.first) {
                // Writing to memory can't fail.
                let _ = write_record(&mut texts[0], &unit.first);
            }
        },
        Found::merge,
    )
    .map_err(|failure| anyhow!("{failure:?}"))?;
    output::commit(outputs, false)?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_keeps_the_same_reads() {
        let mut text = Vec::new();
        for i in 0..3000u32 {
            let len = 1 + (i % 150) as usize;
            let quality = b'!' + (i * 11 % 42) as u8;
            text.extend_from_slice(format!("@r{i}\n{}\n+\n", "ACGNt".repeat(30).split_at(len).0).as_bytes());
            text.extend(std::iter::repeat_n(quality, len));
            text.push(b'\n');
        }
        let dir = tempfile::tempdir().expect("temporary directory");
        let (path, target) = (dir.path().join("in.fq.gz"), dir.path().join("out"));
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::new(6));
        encoder.write_all(&text).expect("memory");
        std::fs::write(&path, encoder.finish().expect("memory")).expect("writes");
        let mut expected = Vec::new();
        let scalar = kernels_of("scalar").expect("kernels");
        let found = whole(&path, scalar, &mut expected).expect("filters");
        // 42 scores, of which 30 to 41 are kept.
        assert!(found.kept > 800 && found.kept < 900, "{found:?}");
        for isa in biofast_kernels::available() {
            let mut kept = Vec::new();
            let kernels = kernels_of(isa.name()).expect("kernels");
            assert_eq!(whole(&path, kernels, &mut kept).expect("filters"), found, "{isa:?}");
            assert_eq!(kept, expected, "{isa:?}");
        }
        assert_eq!(library(&path, &target, scalar).expect("filters"), found);
        let mut read = Vec::new();
        let source = Source::open(&target).expect("opens");
        let mut reader = biofast::io::Reader::new(source, &Options::serial()).expect("opens");
        reader.read_to_end(&mut read).expect("reads");
        assert_eq!(read, expected);
        assert_eq!(frame(&Arc::new(text)).expect("frames").split(' ').next(), Some("3000"));
    }
}
