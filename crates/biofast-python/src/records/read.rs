//! A read.

use std::sync::Arc;

use arrow_array::{Array, BinaryArray, StringArray};
use biofast_fastq::{self as fastq, pair};
use biofast_ops::grep::reverse_complement;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice, PyString, PyTuple};

use super::scores::scores;
use crate::errors::ReadFailure;
use crate::source::place;

/// Reads of a part of a file.
pub(crate) struct ReadBlock {
    pub(crate) definitions: StringArray,
    pub(crate) sequences: BinaryArray,
    pub(crate) qualities: BinaryArray,
}

/// A read: `Read(name, sequence, qualities=None)`. Names of attributes are those of dnaio.
///
/// A read of a file refers to a part of it, of about a megabyte: `read.copy()` lets go of that.
#[pyclass(frozen, module = "biofast")]
pub(crate) struct Read {
    block: Arc<ReadBlock>,
    index: usize,
}

impl Read {
    pub(crate) fn new(block: &Arc<ReadBlock>, index: usize) -> Read {
        Read { block: Arc::clone(block), index }
    }

    fn owned(name: &str, sequence: &[u8], qualities: Option<&[u8]>) -> Read {
        let block = ReadBlock {
            definitions: StringArray::from_iter_values([name]),
            sequences: BinaryArray::from_iter_values([sequence]),
            qualities: BinaryArray::from_iter([qualities]),
        };
        Read { block: Arc::new(block), index: 0 }
    }

    fn definition(&self) -> &str {
        self.block.definitions.value(self.index)
    }

    fn bases(&self) -> &[u8] {
        self.block.sequences.value(self.index)
    }

    fn quality_text(&self) -> Option<&[u8]> {
        let qualities = &self.block.qualities;
        (!qualities.is_null(self.index)).then(|| qualities.value(self.index))
    }

    /// The read as the library has it.
    pub(crate) fn record(&self) -> fastq::Record<'_> {
        let name = self.definition().as_bytes();
        match self.quality_text() {
            Some(qualities) => fastq::Record::new(name, self.bases(), qualities),
            None => fastq::Record::without_qualities(name, self.bases()),
        }
    }
}

/// Text of a record, which is ASCII.
fn text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    PyString::from_bytes(py, bytes)
}

/// An error unless this can be written as a record that is read back the same.
fn check(name: &str, sequence: &[u8], qualities: Option<&[u8]>) -> PyResult<()> {
    if name.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t') {
        return Err(PyValueError::new_err("a name has no line breaks or other control characters"));
    }
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"-.*".contains(byte);
    if !sequence.iter().all(is_letter) {
        return Err(PyValueError::new_err("a sequence has letters, digits, '-', '.' and '*' only"));
    }
    let Some(qualities) = qualities else { return Ok(()) };
    if qualities.len() != sequence.len() {
        let (bases, scores) = (sequence.len(), qualities.len());
        return Err(PyValueError::new_err(format!("{bases} bases, but {scores} qualities")));
    }
    if !qualities.iter().all(|byte| (33..=126).contains(byte)) {
        return Err(PyValueError::new_err("qualities are Phred + 33: characters from '!' to '~'"));
    }
    Ok(())
}

#[pymethods]
impl Read {
    #[new]
    #[pyo3(signature = (name, sequence, qualities=None))]
    fn create(name: &str, sequence: &str, qualities: Option<&str>) -> PyResult<Read> {
        check(name, sequence.as_bytes(), qualities.map(str::as_bytes))?;
        Ok(Read::owned(name, sequence.as_bytes(), qualities.map(str::as_bytes)))
    }

    /// The whole header, without the `@`.
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, self.definition())
    }

    /// The header up to the first blank.
    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text(py, self.record().name())
    }

    /// What follows the first blank; none if nothing does.
    #[getter]
    fn comment<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        match self.record().description() {
            b"" => Ok(None),
            comment => text(py, comment).map(Some),
        }
    }

    /// The bases.
    #[getter]
    fn sequence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text(py, self.bases())
    }

    /// The qualities as FASTQ has them, Phred + 33; none of FASTA.
    #[getter]
    fn qualities<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        self.quality_text().map(|qualities| text(py, qualities)).transpose()
    }

    /// The same as bytes.
    fn qualities_as_bytes<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.quality_text().map(|qualities| PyBytes::new(py, qualities))
    }

    /// Phred scores, from 0, as a numpy array; none of FASTA.
    #[getter]
    fn quality_scores<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(qualities) = self.quality_text() else { return Ok(None) };
        let phred: Vec<u8> = qualities.iter().map(|byte| byte - 33).collect();
        scores(py, &phred).map(Some)
    }

    /// The record as it is written, in four lines; of FASTA in two.
    fn fastq_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut out = Vec::new();
        write(&mut out, &self.record())?;
        Ok(PyBytes::new(py, &out))
    }

    /// The reverse complement, with the qualities reversed: of IUPAC codes, in their case; what is no code stays.
    fn reverse_complement(&self) -> Read {
        let mut sequence = Vec::new();
        reverse_complement(self.bases(), &mut sequence);
        let qualities =
            self.quality_text().map(|text| text.iter().rev().copied().collect::<Vec<_>>());
        Read::owned(self.definition(), &sequence, qualities.as_deref())
    }

    /// Whether the names and numbers of the two are those of mates, this being the first.
    fn is_mate(&self, other: &Read) -> bool {
        mismatch(&self.record(), &other.record()).is_none()
    }

    /// The same in memory of its own.
    fn copy(&self) -> Read {
        Read::owned(self.definition(), self.bases(), self.quality_text())
    }

    fn __len__(&self) -> usize {
        self.bases().len()
    }

    /// A part of it: `read[5:-5]`.
    fn __getitem__(&self, part: &Bound<'_, PyAny>) -> PyResult<Read> {
        let part = part
            .cast::<PySlice>()
            .map_err(|_| PyTypeError::new_err("a slice is needed, as read[5:-5]"))?;
        let part = part.indices(self.bases().len() as isize)?;
        if part.step != 1 {
            return Err(PyValueError::new_err("parts of reads have a step of 1"));
        }
        let (start, len) = (part.start as usize, part.slicelength);
        let cut = |bytes: &[u8]| bytes.get(start..start + len).unwrap_or_default().to_vec();
        let qualities = self.quality_text().map(cut);
        Ok(Read::owned(self.definition(), &cut(self.bases()), qualities.as_deref()))
    }

    fn __eq__(&self, other: &Read) -> bool {
        self.record() == other.record()
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        (self.definition(), self.bases(), self.quality_text()).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("<biofast.Read {}: {} bases>", self.definition(), self.bases().len())
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let parts = [
            self.name(py).into_any(),
            self.sequence(py)?.into_any(),
            self.qualities(py)?.into_pyobject(py)?.into_any(),
        ];
        Ok((py.get_type::<Read>().into_any(), PyTuple::new(py, parts)?))
    }
}

/// Appends a read, as FASTQ or FASTA.
pub(crate) fn write(out: &mut Vec<u8>, record: &fastq::Record<'_>) -> PyResult<()> {
    match record.has_qualities() {
        true => fastq::write_record(out, record)?,
        false => fastq::fasta::write_record(out, record, 0)?,
    }
    Ok(())
}

/// Why these are no mates.
pub(crate) fn mismatch(
    first: &fastq::Record<'_>,
    second: &fastq::Record<'_>,
) -> Option<fastq::ErrorKind> {
    if pair::template_name(first.name()) != pair::template_name(second.name()) {
        let (first, second) = (first.name().to_vec(), second.name().to_vec());
        return Some(fastq::ErrorKind::MateNamesDiffer { first, second });
    }
    [(first, 1), (second, 2)].into_iter().find_map(|(record, expected)| {
        let found = pair::mate_number(record).filter(|found| *found != expected)?;
        Some(fastq::ErrorKind::WrongMate { name: record.name().to_vec(), expected, found })
    })
}

/// The error of a pair that is none.
pub(crate) fn no_pair(kind: fastq::ErrorKind, input: &str, record: u64) -> ReadFailure {
    ReadFailure::Reads(fastq::Error::new(kind, place(input, record)))
}
