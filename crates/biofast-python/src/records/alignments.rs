//! Alignments one after the other.

use std::path::PathBuf;
use std::sync::Arc;

use biofast_bam::Header;
use biofast_io::{CancellationToken, Notes, Progress, Source};
use pyo3::exceptions::{PyStopIteration, PyTypeError};
use pyo3::prelude::*;

use super::alignment::AlignedSegment;
use super::block::AlignmentBlock;
use super::header::SharedHeader;
use crate::attended::attended;
use crate::errors::ReadFailure;
use crate::scan::{Reading, Stream, alignments};
use crate::source::{Held, hold};

/// A reading in progress: alignments in the order of the file.
#[pyclass(module = "biofast._biofast")]
pub(crate) struct Alignments {
    header: Arc<Header>,
    stream: Option<Stream<AlignmentBlock>>,
    block: Option<Arc<AlignmentBlock>>,
    next: usize,
    _held: Held,
}

impl Alignments {
    /// Starts to read an input, whose header is read before anything else.
    pub(crate) fn start(
        py: Python<'_>,
        source: Source,
        path: Option<PathBuf>,
        reading: Reading,
        progress: Option<Arc<Progress>>,
    ) -> PyResult<Alignments> {
        let held = hold(path.as_deref());
        let wanted =
            alignments::AlignmentProjection::new(Some(Vec::new()), reading.filter.as_deref())?;
        let cancellation = CancellationToken::new();
        let notes: Arc<Notes> = Arc::default();
        let options = reading.options(true, &cancellation, &notes, progress);
        let opened = attended(py, &cancellation, move || -> Result<_, ReadFailure> {
            let name = source.name().to_owned();
            let query = alignments::query(source, path.as_deref(), &reading, &options)?;
            let (header, query) = query.peek_header()?;
            Ok((header, query, options, name))
        });
        let (header, query, options, name) = opened??;
        let stream = Stream::start_with(cancellation, notes, move |hand, _, _| {
            alignments::each_batch(query, &options, hand, |batch| {
                let mut block =
                    AlignmentBlock { bytes: Vec::new(), records: Vec::with_capacity(batch.len()) };
                let ended = wanted.each(batch, &name, |_, record| {
                    let start = block.bytes.len();
                    block.bytes.extend_from_slice(record.as_bytes());
                    block.records.push(start..block.bytes.len());
                });
                ((!block.records.is_empty()).then_some(block), ended.err())
            })
        })?;
        Ok(Alignments {
            header: Arc::new(header),
            stream: Some(stream),
            block: None,
            next: 0,
            _held: held,
        })
    }
}

#[pymethods]
impl Alignments {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<AlignedSegment> {
        loop {
            if let Some(block) = &self.block
                && let Some(place) = block.records.get(self.next)
            {
                self.next += 1;
                return Ok(AlignedSegment::shared(&self.header, block, place.clone()));
            }
            self.block = None;
            let next = self.stream.as_mut().map(|stream| stream.next(py)).transpose()?.flatten();
            let Some(block) = next else { return Err(PyStopIteration::new_err(())) };
            self.block = Some(Arc::new(block));
            self.next = 0;
        }
    }

    /// The header for what is made under it.
    #[getter]
    fn _header(&self) -> SharedHeader {
        SharedHeader(Arc::clone(&self.header))
    }

    /// The text of the header.
    #[getter]
    fn text(&self) -> String {
        String::from_utf8_lossy(self.header.text()).into_owned()
    }

    /// The names of the references.
    #[getter]
    fn references(&self) -> Vec<String> {
        let references = self.header.references().iter();
        references.map(|one| String::from_utf8_lossy(&one.name).into_owned()).collect()
    }

    /// Their lengths.
    #[getter]
    fn lengths(&self) -> Vec<u64> {
        self.header.references().iter().map(|one| one.length).collect()
    }

    /// Ends it before the data do.
    fn close(&mut self) {
        (self.stream, self.block, self._held) = (None, None, None);
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
            "a reading in progress can't be pickled: hand the path on and open it there",
        ))
    }
}
