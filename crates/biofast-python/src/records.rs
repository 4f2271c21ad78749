//! Records as objects: cheap ones, that refer to a block they share with their neighbours and make what is asked for.

mod aligned;
mod alignment;
mod alignments;
mod block;
mod field;
mod header;
mod read;
mod reads;
mod scores;

pub(crate) use alignment::AlignedSegment;
pub(crate) use alignments::Alignments;
pub(crate) use header::header_of;
pub(crate) use read::{Read, write};
pub(crate) use reads::Reads;

use std::path::PathBuf;

use biofast_bam::Format;
use biofast_io::CancellationToken;
use pyo3::prelude::*;

use crate::attended::attended;
use crate::errors::ReadFailure;
use crate::scan::{Reading, counted};
use crate::source::{Input, hold};

/// Starts to read inputs: alignments from one of them, or reads from one, or pairs from two.
#[pyfunction]
#[pyo3(signature = (
    inputs, *, interleaved=false, region=Vec::new(), filter=None, threads=None, reference=None, allow_missing_eof=false,
    strict=false, progress=None
))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn open<'py>(
    py: Python<'py>,
    inputs: Vec<Bound<'py, PyAny>>,
    interleaved: bool,
    region: Vec<String>,
    filter: Option<String>,
    threads: Option<usize>,
    reference: Option<PathBuf>,
    allow_missing_eof: bool,
    strict: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let reading =
        Reading { threads, reference, allow_missing_eof, strict, regions: region, filter };
    let progress = progress.map(counted);
    let inputs = inputs.iter().map(Input::of).collect::<PyResult<Vec<Input>>>()?;
    let held = inputs.iter().map(|input| hold(input.path().map(PathBuf::as_path))).collect();
    let path = inputs.first().and_then(Input::path).cloned();
    let opened = attended(py, &CancellationToken::new(), move || -> Result<_, ReadFailure> {
        let mut sources = Vec::new();
        let mut formats = Vec::new();
        for input in inputs {
            let mut source = input.open()?;
            formats.extend(Format::sniff(&mut source).ok());
            sources.push(source);
        }
        Ok((sources, formats))
    });
    let (mut sources, formats) = opened??;
    if formats.is_empty() {
        reading.is_for_reads()?;
        return Ok(Bound::new(py, Reads::start(sources, held, interleaved, &reading, progress)?)?
            .into_any());
    }
    match (sources.pop(), sources.is_empty() && !interleaved) {
        (Some(source), true) => {
            let started = Alignments::start(py, source, path, reading, progress)?;
            Ok(Bound::new(py, started)?.into_any())
        }
        _ => {
            let text = "pairs are of two files of reads, or of one where they are interleaved; alignments are opened alone";
            Err(ReadFailure::Usage(text.into()).into())
        }
    }
}
