//! What the stream entries share: datasets by number of reads and container.

use anyhow::{Result, bail};

use crate::datasets::Format;
use crate::lab::cell::Cell;
use crate::lab::inputs::Lab;

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
