//! What the stream entries share: datasets by number of reads and container, the library's inflation without
//! records, and the whole of `stats`.

use std::io::Cursor;
use std::sync::Arc;

use biofast_io::bgzf::{Block, Inflater};
use biofast_io::pipeline::{self, End};
use biofast_io::{Chunk, Error, Options, Source};
use biofast_ops::measure::reads::Collector;

use super::prelude::*;

/// The container a level names.
pub(super) fn format(container: &str) -> Result<Format> {
    Ok(match container {
        "plain" => Format::Fastq,
        "gzip" => Format::Gzip,
        "bgzf" => Format::Bgzf,
        other => bail!("no container is called {other:?}"),
    })
}

/// Bytes of uncompressed text of the dataset with the cell's number of `reads`.
pub(super) fn text_bytes(cell: &Cell, lab: &Lab) -> Result<usize> {
    let dataset = super::kernel::dataset(cell.get("reads"))?;
    Ok(lab.entry(dataset, Format::Fastq)?.bytes as usize)
}

/// Everything that `biofast stats --json` computes.
pub(super) fn stats(source: Source, options: &Options) -> Result<String> {
    let found = Collector::collect(source, options, Collector::new).map_err(|fault| fault.error)?;
    Ok(format!("{:?}", found.summary()))
}

/// Bytes that were seen: how many, and their sum. The same in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) bytes: u64,
    pub(super) sum: u64,
}

impl Seen {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.sum = self.sum.wrapping_add(sum_bytes(bytes));
    }

    pub(super) fn merge(&mut self, other: Seen) {
        self.bytes += other.bytes;
        self.sum = self.sum.wrapping_add(other.sum);
    }

    pub(super) fn of(bytes: &[u8]) -> Seen {
        let mut seen = Seen::default();
        seen.add(bytes);
        seen
    }
}

impl std::fmt::Display for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.bytes, self.sum)
    }
}

/// The sum of all bytes, in a form that compilers turn into vector code.
fn sum_bytes(bytes: &[u8]) -> u64 {
    // 128 × 255 fits a u16.
    bytes
        .chunks(128)
        .map(|part| u64::from(part.iter().map(|&byte| u16::from(byte)).sum::<u16>()))
        .sum()
}

/// Text in memory that readers share.
#[derive(Clone)]
pub(super) struct Shared(pub(super) Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Shared {
    pub(super) fn read(path: &Path) -> Result<Self> {
        Ok(Shared(Arc::new(std::fs::read(path)?)))
    }

    pub(super) fn source(&self) -> Source {
        Source::from_reader("memory", Cursor::new(self.clone()))
    }
}

/// Inflates one block of a file in memory.
pub(super) fn inflate_block(
    inflater: &mut Inflater,
    file: &[u8],
    block: &Block,
    text: &mut [u8],
) -> Result<()> {
    match inflater.inflate(file, std::slice::from_ref(block), text) {
        Ok(_) => Ok(()),
        Err(fault) => bail!("block at byte {}: {:?}", block.file_offset, fault.error),
    }
}

/// Decompresses all of `source` through the library's pipeline and looks at every byte once, without framing.
pub(super) fn inflate(source: Source, options: &Options) -> Result<Seen> {
    let accept = |seen: &mut Seen, chunk: &Chunk, (): &()| seen.add(chunk.bytes());
    let seen = pipeline::fold(source, options, Unframed, Seen::default, accept, Seen::merge);
    Ok(seen.map_err(|fault| fault.error)?)
}

/// Takes every chunk as it is.
struct Unframed;

impl pipeline::Framer for Unframed {
    type Frame = ();
    type Error = Error;

    fn scan((): &mut (), _bytes: &[u8]) {}

    fn frame(&mut self, _chunk: &mut Chunk, (): &mut (), _end: End) -> Result<(), Error> {
        Ok(())
    }
}
