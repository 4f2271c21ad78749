//! Records in columns: read on threads of their own, handed on in the order of the file.

pub(crate) mod alignments;
mod column;
pub(crate) mod reads;
mod stream;
mod tags;

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use biofast_bam as bam;
use biofast_io::{CancellationToken, Progress};
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::attended::attended;
use crate::batch::{Batch, schema_capsule};
use crate::ending::attach;
use crate::errors::{ReadFailure, internal};
use crate::source::{Held, Input, hold};
pub(crate) use stream::{Reading, Stream};

/// Batches of the length that was asked for.
struct Batches {
    stream: Stream<RecordBatch>,
    schema: SchemaRef,
    size: Option<usize>,
    /// What didn't fit into the last one.
    held: Vec<RecordBatch>,
    error: Option<PyErr>,
    _held: Held,
}

impl Batches {
    /// The next batch, with records that `more` gives.
    fn next(
        &mut self,
        mut more: impl FnMut(&mut Stream<RecordBatch>) -> PyResult<Option<RecordBatch>>,
    ) -> PyResult<Option<RecordBatch>> {
        let Some(size) = self.size else { return more(&mut self.stream) };
        let mut rows: usize = self.held.iter().map(RecordBatch::num_rows).sum();
        while rows < size && self.error.is_none() {
            match more(&mut self.stream) {
                Ok(Some(batch)) => {
                    rows += batch.num_rows();
                    self.held.push(batch);
                }
                Ok(None) => break,
                // What was read before it comes first.
                Err(error) => self.error = Some(error),
            }
        }
        if rows == 0 {
            return self.error.take().map_or(Ok(None), Err);
        }
        let (mut wanted, mut parts) = (size.min(rows), Vec::new());
        while wanted > 0 {
            let first = self.held.remove(0);
            let taken = first.num_rows().min(wanted);
            if taken < first.num_rows() {
                self.held.insert(0, first.slice(taken, first.num_rows() - taken));
            }
            parts.push(first.slice(0, taken));
            wanted -= taken;
        }
        match <[RecordBatch; 1]>::try_from(parts) {
            Ok([batch]) => Ok(Some(batch)),
            Err(parts) => arrow_select::concat::concat_batches(&self.schema, &parts)
                .map(Some)
                .map_err(internal),
        }
    }
}

/// A reading in progress: batches one after the other.
#[pyclass(module = "biofast._biofast")]
pub(crate) struct Scan {
    batches: Option<Batches>,
    schema: SchemaRef,
    /// Reading needs the interpreter.
    of_object: bool,
}

#[pymethods]
impl Scan {
    #[new]
    #[pyo3(signature = (
        input, columns=None, *, region=Vec::new(), filter=None, batch_size=None, threads=None, reference=None,
        allow_missing_eof=false, strict=false, progress=None, shard=None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        input: &Bound<'_, PyAny>,
        columns: Option<Vec<String>>,
        region: Vec<String>,
        filter: Option<String>,
        batch_size: Option<usize>,
        threads: Option<usize>,
        reference: Option<PathBuf>,
        allow_missing_eof: bool,
        strict: bool,
        progress: Option<Py<PyAny>>,
        shard: Option<&str>,
    ) -> PyResult<Scan> {
        if batch_size == Some(0) {
            return Err(ReadFailure::Usage("a batch has at least one record".into()).into());
        }
        let reading =
            Reading { threads, reference, allow_missing_eof, strict, regions: region, filter };
        let mut input = Input::of(input)?;
        if let Some(plan) = shard {
            input = input.shard(plan)?;
        }
        let (of_object, held) = (input.path().is_none(), hold(input.path().map(PathBuf::as_path)));
        let progress = progress.map(counted);
        let (schema, stream) = start(py, input, columns, reading, progress)?;
        let batches = Batches {
            stream,
            schema: Arc::clone(&schema),
            size: batch_size,
            held: Vec::new(),
            error: None,
            _held: held,
        };
        Ok(Scan { batches: Some(batches), schema, of_object })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Batch> {
        let batches = self.batches.as_mut().ok_or_else(|| PyStopIteration::new_err(()))?;
        match batches.next(|stream| stream.next(py))? {
            Some(batch) => Ok(Batch { batch }),
            None => Err(PyStopIteration::new_err(())),
        }
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    /// The batches that are left, for another library: this has none afterwards.
    fn __arrow_c_stream__<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let batches = self
            .batches
            .take()
            .ok_or_else(|| ReadFailure::Usage("the batches were handed on before".into()))?;
        let left = Left { batches, of_object: self.of_object };
        PyCapsule::new_with_value(
            py,
            FFI_ArrowArrayStream::new(Box::new(left)),
            c"arrow_array_stream",
        )
    }

    /// A stream of no batches, with the schema.
    fn empty_stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let none = RecordBatchIterator::new([], Arc::clone(&self.schema));
        PyCapsule::new_with_value(
            py,
            FFI_ArrowArrayStream::new(Box::new(none)),
            c"arrow_array_stream",
        )
    }

    /// Ends it before the data do.
    fn close(&mut self) {
        self.batches = None;
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(pyo3::exceptions::PyTypeError::new_err(
            "a reading in progress can't be pickled: pickle what biofast.scan returns, which starts a new one where it is read",
        ))
    }
}

/// Batches as a library in C or Rust takes them.
struct Left {
    batches: Batches,
    of_object: bool,
}

impl Iterator for Left {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let of_object = self.of_object;
        let next = self.batches.next(|stream| {
            let next = match of_object {
                // Whoever asks may keep the interpreter, which the reading thread needs.
                true => Python::attach(|py| py.detach(|| stream.wait())),
                false => stream.wait(),
            };
            next.transpose().map_err(PyErr::from)
        });
        next.transpose().map(|result| {
            result.map_err(|error| ArrowError::ExternalError(error.to_string().into()))
        })
    }
}

impl RecordBatchReader for Left {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.batches.schema)
    }
}

/// Progress that a Python function is told of. What it raises can't be handed on from there: it is printed.
pub(crate) fn counted(callback: Py<PyAny>) -> Arc<Progress> {
    Arc::new(Progress::with_callback(move |bytes| {
        // Nobody is left to be told once the interpreter has ended.
        let _ = attach(|py| {
            if let Err(error) = callback.call1(py, (bytes,)) {
                error.write_unraisable(py, None);
            }
        });
    }))
}

/// Starts to read columns of an input.
fn start(
    py: Python<'_>,
    input: Input,
    columns: Option<Vec<String>>,
    reading: Reading,
    progress: Option<Arc<Progress>>,
) -> PyResult<(SchemaRef, Stream<RecordBatch>)> {
    let path = input.path().cloned();
    let opened = attended(py, &CancellationToken::new(), move || {
        let mut source = input.open()?;
        let format = bam::Format::sniff(&mut source).ok();
        Ok::<_, ReadFailure>((source, format))
    })??;
    let (source, format) = opened;
    if format.is_some() {
        let wanted = alignments::AlignmentProjection::new(columns, reading.filter.as_deref())?;
        let schema = wanted.schema();
        let stream = Stream::start(move |hand, cancellation, notes| {
            let options = reading.options(true, cancellation, notes, progress);
            alignments::read(source, path.as_deref(), &reading, &options, &wanted, hand)
        })?;
        return Ok((schema, stream));
    }
    reading.is_for_reads()?;
    let wanted = reads::ReadProjection::new(columns)?;
    let schema = wanted.schema();
    let stream = Stream::start(move |hand, cancellation, notes| {
        let options = reading.options(false, cancellation, notes, progress);
        reads::read(source, &options, &wanted, hand)
    })?;
    Ok((schema, stream))
}

/// The columns there are, for alignments or for reads, and those that are made if none are named.
#[pyfunction]
pub(crate) fn columns(alignments: bool) -> (Vec<&'static str>, Vec<&'static str>) {
    match alignments {
        true => (alignments::NAMES.to_vec(), alignments::DEFAULT.to_vec()),
        false => (reads::NAMES.to_vec(), reads::DEFAULT.to_vec()),
    }
}
