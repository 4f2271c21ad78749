//! An alignment.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use biofast_bam::{self as bam, Header, Record, RecordBuf, Value, flag};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyFloat, PyInt, PyList, PyString};

use super::block::{AlignmentBlock, record};
use super::scores::scores;
use crate::errors::ReadFailure;

/// A function, and the header and the record as bytes that it takes.
type Pickle<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>, Bound<'py, PyBytes>));

/// A record's bytes.
enum Stored {
    /// A part of a block.
    Shared(Arc<AlignmentBlock>, Range<usize>),
    /// Its own, since it was changed.
    Own(Vec<u8>),
}

/// An alignment. Names of attributes are those of pysam; positions count from 0.
///
/// It refers to a part of the file, of about a megabyte, until it is changed.
#[pyclass(module = "biofast")]
pub(crate) struct AlignedSegment {
    header: Arc<Header>,
    stored: Stored,
}

/// The header that was pickled or restored last, with its bytes. Records of one file come one after the other: they share
/// the bytes, which pickle then stores once, and the header that is made of them.
static PICKLED: Mutex<Option<(Arc<Header>, Py<PyBytes>)>> = Mutex::new(None);

impl AlignedSegment {
    pub(crate) fn header(&self) -> &Arc<Header> {
        &self.header
    }

    pub(crate) fn shared(
        header: &Arc<Header>,
        block: &Arc<AlignmentBlock>,
        place: Range<usize>,
    ) -> AlignedSegment {
        AlignedSegment {
            header: Arc::clone(header),
            stored: Stored::Shared(Arc::clone(block), place),
        }
    }

    pub(crate) fn record(&self) -> Record<'_> {
        record(match &self.stored {
            Stored::Shared(block, place) => &block.bytes[place.clone()],
            Stored::Own(bytes) => bytes,
        })
    }

    /// Changes the record, which is written anew and checked.
    fn change(
        &mut self,
        change: impl FnOnce(&mut RecordBuf) -> Result<(), bam::Error>,
    ) -> PyResult<()> {
        let mut buf = RecordBuf::from(&self.record());
        let mut bytes = Vec::new();
        let changed = change(&mut buf)
            .and_then(|()| Ok(buf.write_bam(&self.header, &mut bytes)?.as_bytes().to_vec()));
        let own = changed.map_err(|error| PyValueError::new_err(error.to_string()))?;
        self.stored = Stored::Own(own);
        Ok(())
    }

    fn set_bit(&mut self, bit: u16, on: bool) -> PyResult<()> {
        let flags = self.record().flags();
        let flags = if on { flags | bit } else { flags & !bit };
        self.change(|buf| {
            buf.set_flags(flags);
            Ok(())
        })
    }

    fn has(&self, bit: u16) -> bool {
        self.record().flags() & bit != 0
    }
}

fn name_of(name: Option<&[u8]>) -> Option<String> {
    name.map(|name| String::from_utf8_lossy(name).into_owned())
}

fn tag_name(name: &str) -> PyResult<[u8; 2]> {
    let wrong = || PyValueError::new_err(format!("{name:?} isn't the name of an optional field"));
    name.as_bytes().try_into().map_err(|_| wrong())
}

fn value_of<'py>(py: Python<'py>, value: Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    if let Some(int) = value.as_int() {
        return Ok(PyInt::new(py, int).into_any());
    }
    Ok(match value {
        Value::Character(letter) => PyString::new(py, &char::from(letter).to_string()).into_any(),
        Value::Text(text) | Value::Hex(text) => {
            PyString::new(py, &String::from_utf8_lossy(text)).into_any()
        }
        Value::Array(array) => match (array.as_ints(), array) {
            (Some(ints), _) => PyList::new(py, ints)?.into_any(),
            (None, bam::Array::F32(floats)) => PyList::new(py, floats.to_vec())?.into_any(),
            _ => return Err(PyTypeError::new_err("an array of an unknown type")),
        },
        value => PyFloat::new(py, value.as_float().unwrap_or(f64::NAN)).into_any(),
    })
}

#[pymethods]
impl AlignedSegment {
    /// The read's name.
    #[getter]
    fn query_name(&self) -> Option<String> {
        match self.record().name() {
            b"" | b"*" => None,
            name => name_of(Some(name)),
        }
    }

    #[setter]
    fn set_query_name(&mut self, name: &str) -> PyResult<()> {
        self.change(|buf| {
            buf.set_name(name);
            Ok(())
        })
    }

    /// FLAG.
    #[getter]
    fn flag(&self) -> u16 {
        self.record().flags()
    }

    #[setter]
    fn set_flag(&mut self, flags: u16) -> PyResult<()> {
        self.change(|buf| {
            buf.set_flags(flags);
            Ok(())
        })
    }

    /// MAPQ.
    #[getter]
    fn mapping_quality(&self) -> u8 {
        self.record().mapping_quality()
    }

    #[setter]
    fn set_mapping_quality(&mut self, quality: u8) -> PyResult<()> {
        self.change(|buf| {
            buf.set_mapping_quality(quality);
            Ok(())
        })
    }

    /// Whether it is of a pair.
    #[getter]
    fn is_paired(&self) -> bool {
        self.has(flag::PAIRED)
    }

    #[setter]
    fn set_is_paired(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::PAIRED, on)
    }

    /// Whether the pair lies as it should.
    #[getter]
    fn is_proper_pair(&self) -> bool {
        self.has(flag::PROPER_PAIR)
    }

    #[setter]
    fn set_is_proper_pair(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::PROPER_PAIR, on)
    }

    /// Whether it has no place.
    #[getter]
    fn is_unmapped(&self) -> bool {
        self.has(flag::UNMAPPED)
    }

    #[setter]
    fn set_is_unmapped(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::UNMAPPED, on)
    }

    /// Whether its mate has none.
    #[getter]
    fn mate_is_unmapped(&self) -> bool {
        self.has(flag::MATE_UNMAPPED)
    }

    #[setter]
    fn set_mate_is_unmapped(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::MATE_UNMAPPED, on)
    }

    /// Whether it lies on the reverse strand.
    #[getter]
    fn is_reverse(&self) -> bool {
        self.has(flag::REVERSE)
    }

    #[setter]
    fn set_is_reverse(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::REVERSE, on)
    }

    /// Whether its mate does.
    #[getter]
    fn mate_is_reverse(&self) -> bool {
        self.has(flag::MATE_REVERSE)
    }

    #[setter]
    fn set_mate_is_reverse(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::MATE_REVERSE, on)
    }

    /// Whether it is the first of its template.
    #[getter]
    fn is_read1(&self) -> bool {
        self.has(flag::READ1)
    }

    #[setter]
    fn set_is_read1(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::READ1, on)
    }

    /// Whether it is the last.
    #[getter]
    fn is_read2(&self) -> bool {
        self.has(flag::READ2)
    }

    #[setter]
    fn set_is_read2(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::READ2, on)
    }

    /// Whether it is a secondary alignment.
    #[getter]
    fn is_secondary(&self) -> bool {
        self.has(flag::SECONDARY)
    }

    #[setter]
    fn set_is_secondary(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::SECONDARY, on)
    }

    /// Whether it failed quality checks.
    #[getter]
    fn is_qcfail(&self) -> bool {
        self.has(flag::QC_FAIL)
    }

    #[setter]
    fn set_is_qcfail(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::QC_FAIL, on)
    }

    /// Whether it is a duplicate.
    #[getter]
    fn is_duplicate(&self) -> bool {
        self.has(flag::DUPLICATE)
    }

    #[setter]
    fn set_is_duplicate(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::DUPLICATE, on)
    }

    /// Whether it is a part of a chimeric alignment.
    #[getter]
    fn is_supplementary(&self) -> bool {
        self.has(flag::SUPPLEMENTARY)
    }

    #[setter]
    fn set_is_supplementary(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::SUPPLEMENTARY, on)
    }

    /// The reference's number in the header, -1 for none.
    #[getter]
    fn reference_id(&self) -> i32 {
        self.record().reference_id()
    }

    /// Its name.
    #[getter]
    fn reference_name(&self) -> Option<String> {
        name_of(self.record().reference_name(&self.header))
    }

    /// The first position, from 0; -1 for none.
    #[getter]
    fn reference_start(&self) -> i32 {
        self.record().position()
    }

    /// The position after the last one; none where it isn't aligned.
    #[getter]
    fn reference_end(&self) -> Option<i64> {
        let record = self.record();
        let aligned = record.flags() & flag::UNMAPPED == 0 && !record.cigar().is_empty();
        aligned.then(|| record.alignment_end())
    }

    /// The mate's reference, by number and by name.
    #[getter]
    fn next_reference_id(&self) -> i32 {
        self.record().mate_reference_id()
    }

    /// The name of the mate's reference.
    #[getter]
    fn next_reference_name(&self) -> Option<String> {
        name_of(self.record().mate_reference_name(&self.header))
    }

    /// The mate's first position, from 0; -1 for none.
    #[getter]
    fn next_reference_start(&self) -> i32 {
        self.record().mate_position()
    }

    /// TLEN.
    #[getter]
    fn template_length(&self) -> i32 {
        self.record().template_len()
    }

    /// The CIGAR as text; none without one.
    #[getter]
    fn cigarstring(&self) -> Option<String> {
        let cigar = self.record().cigar();
        (!cigar.is_empty()).then(|| cigar.to_string())
    }

    /// The CIGAR as (operation, length), operations by number, 0 for M; none without one.
    #[getter]
    fn cigartuples(&self) -> Option<Vec<(u32, u32)>> {
        let cigar = self.record().cigar();
        (!cigar.is_empty()).then(|| cigar.words().map(|word| (word & 15, word >> 4)).collect())
    }

    /// The bases, as they lie on the reference; none where they are missing.
    #[getter]
    fn query_sequence(&self) -> PyResult<Option<String>> {
        let record = self.record();
        if record.sequence_len() == 0 {
            return Ok(None);
        }
        Ok(Some(String::from_utf8(record.sequence().to_vec())?))
    }

    /// How many there are.
    #[getter]
    fn query_length(&self) -> usize {
        self.record().sequence_len()
    }

    /// Phred scores as a numpy array; none where they are missing.
    #[getter]
    fn query_qualities<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.record().qualities().as_slice() {
            [] | [0xff, ..] => Ok(None),
            phred => scores(py, phred).map(Some),
        }
    }

    /// The same as text, Phred + 33.
    #[getter]
    fn query_qualities_str(&self) -> PyResult<Option<String>> {
        match self.record().qualities().as_slice() {
            [] | [0xff, ..] => Ok(None),
            phred => {
                Ok(Some(String::from_utf8(phred.iter().map(|q| q.saturating_add(33)).collect())?))
            }
        }
    }

    /// Whether there is an optional field of this name.
    fn has_tag(&self, tag: &str) -> PyResult<bool> {
        let name = tag_name(tag)?;
        Ok(self.record().tag(&name).map_err(ReadFailure::from)?.is_some())
    }

    /// The value of an optional field; a `KeyError` if there is none.
    fn get_tag<'py>(&self, py: Python<'py>, tag: &str) -> PyResult<Bound<'py, PyAny>> {
        let name = tag_name(tag)?;
        match self.record().tag(&name).map_err(ReadFailure::from)? {
            Some(value) => value_of(py, value),
            None => Err(PyKeyError::new_err(format!("tag '{tag}' not present"))),
        }
    }

    /// All optional fields as (name, value).
    fn get_tags<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
        let record = self.record();
        let mut tags = record.tags();
        let mut all = Vec::new();
        for tag in tags.by_ref() {
            let name = String::from_utf8_lossy(&tag.name).into_owned();
            let value = tag
                .typed()
                .ok_or_else(|| PyValueError::new_err(format!("field {name} can't be read")))?;
            all.push((name, value_of(py, value)?));
        }
        match tags.is_malformed() {
            true => Err(PyValueError::new_err("its tags are malformed")),
            false => Ok(all),
        }
    }

    /// The same in memory of its own.
    fn copy(&self) -> AlignedSegment {
        let own = self.record().as_bytes().to_vec();
        AlignedSegment { header: Arc::clone(&self.header), stored: Stored::Own(own) }
    }

    /// Sets an optional field to an int, a float or a text; `None` removes it. A character (`A`) stays one.
    fn set_tag(&mut self, tag: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let name = tag_name(tag)?;
        if value.is_none() {
            return self.change(|buf| {
                buf.remove_tag(&name);
                Ok(())
            });
        }
        let text: String;
        let value = if let Ok(int) = value.extract::<i64>() {
            Value::int(int).ok_or_else(|| PyValueError::new_err("an int of 32 bits is needed"))?
        } else if let Ok(float) = value.extract::<f64>() {
            Value::Float(float as f32)
        } else {
            text = value
                .extract()
                .map_err(|_| PyTypeError::new_err("an int, a float, a text or None is needed"))?;
            let is_character = matches!(self.record().tag(&name), Ok(Some(Value::Character(_))));
            match text.as_bytes() {
                &[letter] if is_character => Value::Character(letter),
                text => Value::Text(text),
            }
        };
        self.change(|buf| buf.set_tag(&name, value).map(drop))
    }

    fn __len__(&self) -> usize {
        self.record().sequence_len()
    }

    fn __eq__(&self, other: &AlignedSegment) -> bool {
        self.record().as_bytes() == other.record().as_bytes()
    }

    fn __repr__(&self) -> String {
        let place = match (self.reference_name(), self.reference_start()) {
            (Some(name), start) if start >= 0 => format!("{name}:{}", i64::from(start) + 1),
            _ => "no place".into(),
        };
        format!("<biofast.AlignedSegment {} at {place}>", self.query_name().unwrap_or_default())
    }

    /// The record and the header it is of, as bytes: what pickles.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickle<'py>> {
        let mut bytes = Vec::new();
        self.record().write_bam(&mut bytes);
        let mut pickled = PICKLED.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let header = match &*pickled {
            Some((header, bytes)) if Arc::ptr_eq(header, &self.header) => bytes.clone_ref(py),
            _ => {
                let mut header = Vec::new();
                self.header.write_bam(&mut header).map_err(ReadFailure::from)?;
                let header = PyBytes::new(py, &header).unbind();
                *pickled = Some((Arc::clone(&self.header), header.clone_ref(py)));
                header
            }
        };
        let restore = py.get_type::<AlignedSegment>().getattr("_restore")?;
        Ok((restore, (header.into_bound(py), PyBytes::new(py, &bytes))))
    }

    #[staticmethod]
    fn _restore(header: &Bound<'_, PyBytes>, bytes: &[u8]) -> PyResult<AlignedSegment> {
        let py = header.py();
        let mut pickled = PICKLED.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let header = match &*pickled {
            Some((own, bytes)) if bytes.is(header) || bytes.as_bytes(py) == header.as_bytes() => {
                Arc::clone(own)
            }
            _ => {
                let cut = || PyValueError::new_err("the pickle is cut");
                let own = Header::from_bam(header.as_bytes()).map_err(ReadFailure::from)?;
                let own = Arc::new(own.ok_or_else(cut)?.0);
                *pickled = Some((Arc::clone(&own), header.clone().unbind()));
                own
            }
        };
        drop(pickled);
        let (record, _) = Record::from_bam(bytes, &header).map_err(ReadFailure::from)?;
        let own = record.as_bytes().to_vec();
        Ok(AlignedSegment { header, stored: Stored::Own(own) })
    }
}
