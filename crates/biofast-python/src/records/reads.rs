//! Reads or pairs one after the other.

use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use biofast_fastq as fastq;
use biofast_io::{Progress, Source};
use pyo3::exceptions::{PyStopIteration, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::read::{Read, ReadBlock, mismatch, no_pair};
use crate::errors::internal;
use crate::scan::{Reading, Stream, reads};
use crate::source::Held;

/// One file while it is read.
struct ReadLane {
    name: String,
    stream: Stream<RecordBatch>,
    block: Option<Arc<ReadBlock>>,
    next: usize,
    count: u64,
}

impl ReadLane {
    #[inline]
    fn read(&mut self, py: Python<'_>) -> PyResult<Option<Read>> {
        loop {
            if let Some(block) = &self.block
                && self.next < block.definitions.len()
            {
                let read = Read::new(block, self.next);
                self.next += 1;
                self.count += 1;
                return Ok(Some(read));
            }
            self.block = None;
            let Some(batch) = self.stream.next(py)? else { return Ok(None) };
            let column = |index: usize| batch.column(index).as_any();
            let block = match (
                column(0).downcast_ref(),
                column(1).downcast_ref(),
                column(2).downcast_ref(),
            ) {
                (Some(definitions), Some(sequences), Some(qualities)) => ReadBlock {
                    definitions: Clone::clone(definitions),
                    sequences: Clone::clone(sequences),
                    qualities: Clone::clone(qualities),
                },
                _ => return Err(internal("columns of reads")),
            };
            self.block = Some(Arc::new(block));
            self.next = 0;
        }
    }
}

/// A reading in progress: reads, or pairs of them.
#[pyclass(module = "biofast._biofast")]
pub(crate) struct Reads {
    lanes: Vec<ReadLane>,
    interleaved: bool,
    held: Vec<Held>,
}

impl Reads {
    /// Starts to read one input, or two of mates.
    pub(crate) fn start(
        sources: Vec<Source>,
        held: Vec<Held>,
        interleaved: bool,
        reading: &Reading,
        progress: Option<Arc<Progress>>,
    ) -> PyResult<Reads> {
        let mut lanes = Vec::new();
        for source in sources {
            let name = source.name().to_owned();
            let wanted = reads::ReadProjection::new(Some(
                ["definition", "sequence", "qualities"].map(str::to_owned).to_vec(),
            ))?;
            let (reading, progress) = (reading.clone(), progress.clone());
            let stream = Stream::start(move |hand, cancellation, notes| {
                let options = reading.options(false, cancellation, notes, progress);
                reads::read(source, &options, &wanted, hand)
            })?;
            lanes.push(ReadLane { name, stream, block: None, next: 0, count: 0 });
        }
        Ok(Reads { lanes, interleaved, held })
    }
}

#[pymethods]
impl Reads {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (first, second) = match self.lanes.as_mut_slice() {
            [lane] if !self.interleaved => {
                let Some(read) = lane.read(py)? else { return Err(PyStopIteration::new_err(())) };
                return Ok(Bound::new(py, read)?.into_any());
            }
            [lane] => (lane.read(py)?, lane.read(py)?),
            [first, second] => (first.read(py)?, second.read(py)?),
            _ => return Err(PyStopIteration::new_err(())),
        };
        let at = |lane: usize, record| {
            let lane = self.lanes.get(lane).or(self.lanes.last());
            lane.map_or((String::new(), 0), |lane| (lane.name.clone(), record))
        };
        let count = self.lanes.first().map_or(0, |lane| lane.count);
        match (first, second) {
            (None, None) => Err(PyStopIteration::new_err(())),
            (Some(first), Some(second)) => {
                if let Some(kind) = mismatch(&first.record(), &second.record()) {
                    let (name, record) = at(1, count);
                    return Err(no_pair(kind, &name, record).into());
                }
                Ok(PyTuple::new(py, [Bound::new(py, first)?, Bound::new(py, second)?])?.into_any())
            }
            (Some(alone), None) | (None, Some(alone)) => {
                let more =
                    usize::from(self.lanes.len() == 2 && self.lanes[0].count < self.lanes[1].count);
                let (missing_in, _) = at(1 - more, 0);
                let (name, record) =
                    at(more, self.lanes.get(more).map_or(count, |lane| lane.count));
                let kind = fastq::ErrorKind::MateMissing {
                    name: alone.record().name().to_vec(),
                    missing_in,
                };
                Err(no_pair(kind, &name, record).into())
            }
        }
    }

    /// How many reads or pairs were given so far.
    #[getter]
    fn count(&self) -> u64 {
        let reads = self.lanes.first().map_or(0, |lane| lane.count);
        if self.interleaved { reads / 2 } else { reads }
    }

    /// Ends it before the data do.
    fn close(&mut self) {
        self.lanes.clear();
        self.held.clear();
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __exit__(
        &mut self,
        _kind: &Bound<'_, PyAny>,
        _error: &Bound<'_, PyAny>,
        _trace: &Bound<'_, PyAny>,
    ) {
        self.close();
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a reading in progress can't be pickled: hand the path on and open it there; reads themselves can be pickled",
        ))
    }
}
