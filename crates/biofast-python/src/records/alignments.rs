//! Alignments one after the other.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use biofast_bam::{Header, Op, Record};
use biofast_io::{CancellationToken, Notes, Progress, Source};
use pyo3::exceptions::{PyStopIteration, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::aligned;
use super::alignment::AlignedSegment;
use super::block::{AlignmentBlock, record};
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

impl Alignments {
    fn next_block(&mut self, py: Python<'_>) -> PyResult<Option<AlignmentBlock>> {
        Ok(self.stream.as_mut().map(|stream| stream.next(py)).transpose()?.flatten())
    }
}

/// Counts of what lies at each position of an interval.
struct Pile {
    interval: Range<i64>,
    min_base_quality: u8,
    /// Of A, C, G, T, other letters, and deletions.
    counts: [Vec<u32>; 6],
}

impl Pile {
    fn new(interval: Range<i64>, min_base_quality: u8) -> Pile {
        let len = usize::try_from(interval.end - interval.start).unwrap_or(0);
        Pile { interval, min_base_quality, counts: std::array::from_fn(|_| vec![0; len]) }
    }

    fn add(&mut self, record: &Record<'_>) {
        let bases = record.sequence().to_vec();
        let qualities = record.qualities().as_slice();
        for column in aligned::columns(record) {
            let Some(position) = column.position.filter(|at| self.interval.contains(at)) else {
                continue;
            };
            let kind = match column.base {
                None if column.op == Op::Deletion as u32 => 5,
                None => continue,
                // Missing qualities are 255.
                Some(at) if qualities.get(at).is_some_and(|&q| q < self.min_base_quality) => {
                    continue;
                }
                Some(at) => match bases.get(at) {
                    Some(b'A') => 0,
                    Some(b'C') => 1,
                    Some(b'G') => 2,
                    Some(b'T') => 3,
                    _ => 4,
                },
            };
            // It lies in the interval.
            self.counts[kind][(position - self.interval.start) as usize] += 1;
        }
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
            let Some(block) = self.next_block(py)? else {
                return Err(PyStopIteration::new_err(()));
            };
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

    /// What lies at each position from `start` to before `stop` of a reference: A, C, G, T, other letters, and deletions.
    #[allow(clippy::too_many_arguments)]
    fn _pileup<'py>(
        &mut self,
        py: Python<'py>,
        contig: &str,
        start: i64,
        stop: i64,
        min_base_quality: u8,
        min_mapping_quality: u8,
        exclude_flags: u16,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let unknown = || PyValueError::new_err(format!("the header has no reference {contig:?}"));
        let reference = self.header.reference_id(contig.as_bytes()).ok_or_else(unknown)?;
        let mut pile = Pile::new(start..stop, min_base_quality);
        while let Some(block) = self.next_block(py)? {
            for place in &block.records {
                let record = record(&block.bytes[place.clone()]);
                if record.reference_id() == reference
                    && record.flags() & exclude_flags == 0
                    && record.mapping_quality() >= min_mapping_quality
                {
                    pile.add(&record);
                }
            }
        }
        let bytes = |counts: &Vec<u32>| {
            let bytes: Vec<u8> = counts.iter().flat_map(|count| count.to_ne_bytes()).collect();
            PyBytes::new(py, &bytes)
        };
        Ok(pile.counts.iter().map(bytes).collect())
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
