//! An alignment.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use biofast_bam::{
    self as bam, CigarBuf, Header, ModificationCode, Record, RecordBuf, SamWriter, Value, flag,
};
use biofast_io::{Options, Source};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use super::aligned;
use super::block::{AlignmentBlock, record};
use super::field::{self, given_value, value_of};
use super::header::header_of;
use super::scores::scores;
use crate::errors::ReadFailure;

/// A function, and the header and the record as bytes that it takes.
type Pickle<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>, Bound<'py, PyBytes>));

/// A record's bytes.
enum Stored {
    /// A part of a block.
    Shared(Arc<AlignmentBlock>, Range<usize>),
    /// Its own.
    Own(Vec<u8>),
    /// The same, of fields that were set and may contradict each other.
    Changed(Vec<u8>),
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
            Stored::Own(bytes) | Stored::Changed(bytes) => bytes,
        })
    }

    /// Whether it can be written under this header.
    ///
    /// # Errors
    /// If fields that were set contradict each other.
    pub(crate) fn check(&self, header: &Header) -> Result<(), bam::Error> {
        match self.stored {
            Stored::Shared(..) | Stored::Own(_) => Ok(()),
            Stored::Changed(_) => self.record().to_buf().check(header),
        }
    }

    /// Changes the record, which is encoded anew. Whether its fields agree is seen when it is written, as they are set one by one.
    fn change(
        &mut self,
        change: impl FnOnce(&mut RecordBuf) -> Result<(), bam::Error>,
    ) -> PyResult<()> {
        let mut buf = RecordBuf::from(&self.record());
        let mut bytes = Vec::new();
        let changed = change(&mut buf)
            .and_then(|()| Ok(buf.write_draft(&self.header, &mut bytes)?.as_bytes().to_vec()));
        let own = changed.map_err(|error| PyValueError::new_err(error.to_string()))?;
        self.stored = Stored::Changed(own);
        Ok(())
    }

    fn set(&mut self, set: impl FnOnce(&mut RecordBuf)) -> PyResult<()> {
        self.change(|buf| {
            set(buf);
            Ok(())
        })
    }

    /// The index of the reference of this name, -1 for none.
    fn id_of(&self, name: Option<&str>) -> PyResult<i32> {
        let Some(name) = name.filter(|&name| name != "*") else { return Ok(-1) };
        let id = self.header.reference_id(name.as_bytes());
        id.ok_or_else(|| PyValueError::new_err(format!("the header has no reference {name:?}")))
    }

    fn set_bit(&mut self, bit: u16, on: bool) -> PyResult<()> {
        let flags = self.record().flags();
        let flags = if on { flags | bit } else { flags & !bit };
        self.set(|buf| {
            buf.set_flags(flags);
        })
    }

    fn has(&self, bit: u16) -> bool {
        self.record().flags() & bit != 0
    }
}

fn name_of(name: Option<&[u8]>) -> Option<String> {
    name.map(|name| String::from_utf8_lossy(name).into_owned())
}

fn wrong(reason: &str) -> PyErr {
    PyValueError::new_err(reason.to_owned())
}

impl AlignedSegment {
    fn modified<'py>(&self, py: Python<'py>, forward: bool) -> PyResult<Bound<'py, PyDict>> {
        let (record, is_reverse) = (self.record(), self.has(flag::REVERSE));
        let found = record.modifications().map_err(ReadFailure::from)?;
        let mut found: Vec<_> = found.collect();
        let last = record.sequence_len().saturating_sub(1);
        found.sort_by_key(|one| one.position);
        let all = PyDict::new(py);
        for one in found {
            let strand = u8::from(one.is_opposite != (is_reverse && !forward));
            let code = match one.code {
                ModificationCode::Letter(letter) => {
                    char::from(letter).to_string().into_pyobject(py)?.into_any()
                }
                ModificationCode::Chebi(number) => number.into_pyobject(py)?.into_any(),
            };
            let key = (char::from(one.base), strand, code).into_pyobject(py)?;
            let position = if forward && is_reverse { last - one.position } else { one.position };
            let place = (position, one.probability.map_or(-1, i32::from));
            match all.get_item(&key)? {
                Some(list) => list.cast_into::<PyList>()?.append(place)?,
                None => all.set_item(key, PyList::new(py, [place])?)?,
            }
        }
        Ok(all)
    }
}

#[pymethods]
impl AlignedSegment {
    /// An unmapped alignment without name, sequence and fields, whose references are those of `header`: its text, or what `open` returned.
    #[new]
    fn new(header: &Bound<'_, PyAny>) -> PyResult<AlignedSegment> {
        let header = header_of(header)?;
        let mut bytes = Vec::new();
        let empty = RecordBuf::default();
        let record = empty.write_draft(&header, &mut bytes).map_err(ReadFailure::from)?;
        let own = record.as_bytes().to_vec();
        Ok(AlignedSegment { header, stored: Stored::Changed(own) })
    }

    /// The alignment of a line of SAM, as `to_string` writes it; `header` is what the constructor takes.
    #[staticmethod]
    fn fromstring(sam: &str, header: &Bound<'_, PyAny>) -> PyResult<AlignedSegment> {
        let header = header_of(header)?;
        let line = sam.trim_end_matches(['\n', '\r']);
        if line.is_empty() || line.starts_with('@') || line.contains('\n') {
            return Err(wrong("expected one line of SAM that isn't of the header"));
        }
        let text = [header.text(), line.as_bytes(), b"\n"].concat();
        let source = Source::from_reader("SAM", std::io::Cursor::new(text));
        let reader = bam::Reader::builder().options(Options::serial()).read(source);
        let said = |error: bam::Error| wrong(&error.kind().to_string());
        let mut reader = reader.map_err(said)?;
        let record = reader.next_record().map_err(said)?;
        let record = record.ok_or_else(|| wrong("no record"))?;
        // Files are read as samtools reads them: a record on an unknown reference has none.
        let fields: Vec<&str> = line.split('\t').collect();
        for (field, id) in [(2, record.reference_id()), (6, record.mate_reference_id())] {
            if let Some(name) =
                fields.get(field).filter(|name| id < 0 && **name != "*" && **name != "=")
            {
                return Err(wrong(&format!("reference '{name}' is not in the header")));
            }
        }
        let own = record.as_bytes().to_vec();
        Ok(AlignedSegment { header, stored: Stored::Own(own) })
    }

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
        self.set(|buf| {
            buf.set_name(name);
        })
    }

    /// FLAG.
    #[getter]
    fn flag(&self) -> u16 {
        self.record().flags()
    }

    #[setter]
    fn set_flag(&mut self, flags: u16) -> PyResult<()> {
        self.set(|buf| {
            buf.set_flags(flags);
        })
    }

    /// MAPQ.
    #[getter]
    fn mapping_quality(&self) -> u8 {
        self.record().mapping_quality()
    }

    #[setter]
    fn set_mapping_quality(&mut self, quality: u8) -> PyResult<()> {
        self.set(|buf| {
            buf.set_mapping_quality(quality);
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

    /// Whether it has a place.
    #[getter]
    fn is_mapped(&self) -> bool {
        !self.has(flag::UNMAPPED)
    }

    #[setter]
    fn set_is_mapped(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::UNMAPPED, !on)
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

    /// Whether its mate has one.
    #[getter]
    fn mate_is_mapped(&self) -> bool {
        !self.has(flag::MATE_UNMAPPED)
    }

    #[setter]
    fn set_mate_is_mapped(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::MATE_UNMAPPED, !on)
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

    /// Whether it lies on the forward strand.
    #[getter]
    fn is_forward(&self) -> bool {
        !self.has(flag::REVERSE)
    }

    #[setter]
    fn set_is_forward(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::REVERSE, !on)
    }

    /// Whether its mate lies on the reverse strand.
    #[getter]
    fn mate_is_reverse(&self) -> bool {
        self.has(flag::MATE_REVERSE)
    }

    #[setter]
    fn set_mate_is_reverse(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::MATE_REVERSE, on)
    }

    /// Whether its mate lies on the forward strand.
    #[getter]
    fn mate_is_forward(&self) -> bool {
        !self.has(flag::MATE_REVERSE)
    }

    #[setter]
    fn set_mate_is_forward(&mut self, on: bool) -> PyResult<()> {
        self.set_bit(flag::MATE_REVERSE, !on)
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

    #[setter]
    fn set_reference_id(&mut self, id: i32) -> PyResult<()> {
        self.set(|buf| {
            buf.set_reference_id(id);
        })
    }

    /// Its name.
    #[getter]
    fn reference_name(&self) -> Option<String> {
        name_of(self.record().reference_name(&self.header))
    }

    #[setter]
    fn set_reference_name(&mut self, name: Option<&str>) -> PyResult<()> {
        let id = self.id_of(name)?;
        self.set(|buf| {
            buf.set_reference_id(id);
        })
    }

    /// The first position, from 0; -1 for none.
    #[getter]
    fn reference_start(&self) -> i32 {
        self.record().position()
    }

    #[setter]
    fn set_reference_start(&mut self, position: i32) -> PyResult<()> {
        self.set(|buf| {
            buf.set_position(position);
        })
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

    #[setter]
    fn set_next_reference_id(&mut self, id: i32) -> PyResult<()> {
        self.set(|buf| {
            buf.set_mate_reference_id(id);
        })
    }

    /// The name of the mate's reference.
    #[getter]
    fn next_reference_name(&self) -> Option<String> {
        name_of(self.record().mate_reference_name(&self.header))
    }

    #[setter]
    fn set_next_reference_name(&mut self, name: Option<&str>) -> PyResult<()> {
        let id = self.id_of(name)?;
        self.set(|buf| {
            buf.set_mate_reference_id(id);
        })
    }

    /// The mate's first position, from 0; -1 for none.
    #[getter]
    fn next_reference_start(&self) -> i32 {
        self.record().mate_position()
    }

    #[setter]
    fn set_next_reference_start(&mut self, position: i32) -> PyResult<()> {
        self.set(|buf| {
            buf.set_mate_position(position);
        })
    }

    /// TLEN.
    #[getter]
    fn template_length(&self) -> i32 {
        self.record().template_len()
    }

    #[setter]
    fn set_template_length(&mut self, len: i32) -> PyResult<()> {
        self.set(|buf| {
            buf.set_template_len(len);
        })
    }

    /// The CIGAR as text; none without one.
    #[getter]
    fn cigarstring(&self) -> Option<String> {
        let cigar = self.record().cigar();
        (!cigar.is_empty()).then(|| cigar.to_string())
    }

    #[setter]
    fn set_cigarstring(&mut self, cigar: Option<&str>) -> PyResult<()> {
        let cigar = cigar.unwrap_or("*").parse::<CigarBuf>();
        let cigar = cigar.map_err(|error| wrong(&error.to_string()))?;
        self.set(|buf| {
            buf.set_cigar(cigar);
        })
    }

    /// The CIGAR as (operation, length), operations by number, 0 for M; none without one.
    #[getter]
    fn cigartuples(&self) -> Option<Vec<(u32, u32)>> {
        let cigar = self.record().cigar();
        (!cigar.is_empty()).then(|| cigar.words().map(|word| (word & 15, word >> 4)).collect())
    }

    #[setter]
    fn set_cigartuples(&mut self, cigar: Option<Vec<(u32, u32)>>) -> PyResult<()> {
        let unknown = || wrong("operations are numbers from 0 (M) to 8 (X)");
        let mut made = CigarBuf::new();
        for (op, len) in cigar.unwrap_or_default() {
            let op = aligned::op_of(op).ok_or_else(unknown)?;
            made.push(op, len).map_err(|error| wrong(&error.to_string()))?;
        }
        self.set(|buf| {
            buf.set_cigar(made);
        })
    }

    /// The bases, as they lie on the reference; none where they are missing. Setting them drops the qualities, as in pysam.
    #[getter]
    fn query_sequence(&self) -> PyResult<Option<String>> {
        let record = self.record();
        if record.sequence_len() == 0 {
            return Ok(None);
        }
        Ok(Some(String::from_utf8(record.sequence().to_vec())?))
    }

    #[setter]
    fn set_query_sequence(&mut self, sequence: Option<&str>) -> PyResult<()> {
        let sequence = sequence.filter(|&sequence| sequence != "*").unwrap_or_default();
        self.set(|buf| {
            buf.set_sequence(sequence).set_qualities([]);
        })
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

    #[setter]
    fn set_query_qualities(&mut self, qualities: Option<Vec<u8>>) -> PyResult<()> {
        self.set(|buf| {
            buf.set_qualities(qualities.unwrap_or_default());
        })
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

    #[setter]
    fn set_query_qualities_str(&mut self, qualities: Option<&str>) -> PyResult<()> {
        let text = qualities.filter(|&text| text != "*").unwrap_or_default();
        let phred: Option<Vec<u8>> = text.bytes().map(|byte| byte.checked_sub(33)).collect();
        let phred = phred.ok_or_else(|| wrong("qualities are characters from '!' to '~'"))?;
        self.set(|buf| {
            buf.set_qualities(phred);
        })
    }

    /// Bases of the reference from the first to the last aligned one; none where it isn't aligned.
    #[getter]
    fn reference_length(&self) -> Option<i64> {
        Some(self.reference_end()? - i64::from(self.reference_start()))
    }

    /// The index of the first base that isn't soft-clipped.
    #[getter]
    fn query_alignment_start(&self) -> usize {
        aligned::unclipped(&self.record()).start
    }

    /// The index after the last one.
    #[getter]
    fn query_alignment_end(&self) -> usize {
        aligned::unclipped(&self.record()).end
    }

    /// How many there are.
    #[getter]
    fn query_alignment_length(&self) -> usize {
        aligned::unclipped(&self.record()).len()
    }

    /// The bases that aren't soft-clipped; none where bases are missing.
    #[getter]
    fn query_alignment_sequence(&self) -> PyResult<Option<String>> {
        let bases = self.record().sequence().to_vec();
        let unclipped = bases.get(aligned::unclipped(&self.record()));
        let kept = unclipped.filter(|_| !bases.is_empty()).map(<[u8]>::to_vec);
        Ok(kept.map(String::from_utf8).transpose()?)
    }

    /// Their qualities; none where qualities are missing.
    #[getter]
    fn query_alignment_qualities<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.record().qualities().as_slice() {
            [] | [0xff, ..] => Ok(None),
            phred => {
                let kept = phred.get(aligned::unclipped(&self.record()));
                kept.map(|kept| scores(py, kept)).transpose()
            }
        }
    }

    /// The bases as they were sequenced; none where they are missing.
    fn get_forward_sequence(&self) -> PyResult<Option<String>> {
        let bases = aligned::sequenced_bases(&self.record());
        let some = Some(bases).filter(|bases| !bases.is_empty());
        Ok(some.map(String::from_utf8).transpose()?)
    }

    /// Their qualities.
    fn get_forward_qualities<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.record().qualities().as_slice() {
            [] | [0xff, ..] => Ok(None),
            phred if self.has(flag::REVERSE) => {
                let reversed: Vec<u8> = phred.iter().rev().copied().collect();
                scores(py, &reversed).map(Some)
            }
            phred => scores(py, phred).map(Some),
        }
    }

    /// The number of bases by the CIGAR, without hard-clipped ones; none without a CIGAR.
    fn infer_query_length(&self) -> Option<u64> {
        aligned::inferred_length(&self.record(), false)
    }

    /// The same with hard-clipped ones: the length of the read.
    fn infer_read_length(&self) -> Option<u64> {
        aligned::inferred_length(&self.record(), true)
    }

    /// The position of each aligned base. With `full_length` there is a position or none for each base of the sequence.
    #[pyo3(signature = (full_length=false))]
    fn get_reference_positions(&self, full_length: bool) -> Vec<Option<i64>> {
        let record = self.record();
        let columns = aligned::columns(&record).filter(|column| column.base.is_some());
        columns.map(|column| column.position).filter(|at| full_length || at.is_some()).collect()
    }

    /// Base and position of each column, with none on one side at insertions, clips, deletions and skips. `with_seq` adds the reference's
    /// letter by the tag MD, in lower case where the read has another; `with_cigar` the operation's number.
    #[pyo3(signature = (matches_only=false, with_seq=false, with_cigar=false))]
    fn get_aligned_pairs<'py>(
        &self,
        py: Python<'py>,
        matches_only: bool,
        with_seq: bool,
        with_cigar: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let record = self.record();
        let letters = match with_seq {
            true => aligned::reference_letters(&record).map_err(wrong)?,
            false => Vec::new(),
        };
        let mut letters = letters.iter();
        let pairs = PyList::empty(py);
        for column in aligned::columns(&record) {
            let letter = if column.has_letter() { letters.next() } else { None };
            if matches_only && !column.is_match() {
                continue;
            }
            let letter = letter.map(|&letter| char::from(letter));
            let (base, position) = (column.base, column.position);
            let pair = match (with_seq, with_cigar) {
                (false, false) => (base, position).into_pyobject(py)?.into_any(),
                (true, false) => (base, position, letter).into_pyobject(py)?.into_any(),
                (false, true) => (base, position, column.op).into_pyobject(py)?.into_any(),
                (true, true) => (base, position, letter, column.op).into_pyobject(py)?.into_any(),
            };
            pairs.append(pair)?;
        }
        Ok(pairs)
    }

    /// The stretches of the reference under aligned bases, as (start, end).
    fn get_blocks(&self) -> Vec<(i64, i64)> {
        aligned::blocks(&self.record())
    }

    /// How many aligned bases lie between two positions.
    fn get_overlap(&self, start: i64, end: i64) -> i64 {
        let blocks = aligned::blocks(&self.record()).into_iter();
        blocks.map(|(first, last)| (last.min(end) - first.max(start)).max(0)).sum()
    }

    /// Bases of the operations MIDNSHP=XB, with NM last, and how many operations of each there are.
    fn get_cigar_stats(&self) -> [[u64; 11]; 2] {
        aligned::cigar_counts(&self.record())
    }

    /// The reference's letters under the alignment, without skipped ones, by the tag MD: in lower case where the read has another.
    fn get_reference_sequence(&self) -> PyResult<String> {
        let letters = aligned::reference_letters(&self.record()).map_err(wrong)?;
        Ok(String::from_utf8(letters)?)
    }

    /// Modified bases by (unmodified base, strand, modification): index in the sequence and probability in 256ths, -1 without one. The
    /// strand is that of the reference, 0 for forward; a modification is a letter, or a number of ChEBI.
    #[getter]
    fn modified_bases<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.modified(py, false)
    }

    /// The same by the index in the sequence as it was sequenced, and its strand; falling where the read is reversed.
    #[getter]
    fn modified_bases_forward<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.modified(py, true)
    }

    /// The line of SAM.
    fn to_string(&self) -> PyResult<String> {
        let mut line = Vec::new();
        SamWriter::new(&self.header)
            .write(&self.record(), &mut line)
            .map_err(|error| wrong(&error.to_string()))?;
        while line.last() == Some(&b'\n') {
            line.pop();
        }
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    /// Whether there is an optional field of this name.
    fn has_tag(&self, tag: &str) -> PyResult<bool> {
        let name = field::name(tag)?;
        Ok(self.record().tag(&name).map_err(ReadFailure::from)?.is_some())
    }

    /// The value of an optional field; a `KeyError` if there is none. `with_value_type` adds the letter of its type.
    #[pyo3(signature = (tag, with_value_type=false))]
    fn get_tag<'py>(
        &self,
        py: Python<'py>,
        tag: &str,
        with_value_type: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let name = field::name(tag)?;
        let record = self.record();
        let value = record.tag(&name).map_err(ReadFailure::from)?;
        let missing = || PyKeyError::new_err(format!("tag '{tag}' not present"));
        let value = value_of(py, value.ok_or_else(missing)?)?;
        match record.tags().find(|tag| tag.name == name).filter(|_| with_value_type) {
            Some(tag) => Ok((value, field::kind(&tag)).into_pyobject(py)?.into_any()),
            None => Ok(value),
        }
    }

    /// All optional fields as (name, value), and the letter of the type where that is asked for.
    #[pyo3(signature = (with_value_type=false))]
    fn get_tags<'py>(
        &self,
        py: Python<'py>,
        with_value_type: bool,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let record = self.record();
        let mut tags = record.tags();
        let mut all = Vec::new();
        for tag in tags.by_ref() {
            let name = String::from_utf8_lossy(&tag.name).into_owned();
            let unread = || PyValueError::new_err(format!("field {name} can't be read"));
            let value = value_of(py, tag.typed().ok_or_else(unread)?)?;
            all.push(match with_value_type {
                true => (name, value, field::kind(&tag)).into_pyobject(py)?,
                false => (name, value).into_pyobject(py)?,
            });
        }
        match tags.is_malformed() {
            true => Err(PyValueError::new_err("its tags are malformed")),
            false => Ok(all),
        }
    }

    /// The same in memory of its own.
    fn copy(&self) -> AlignedSegment {
        let own = self.record().as_bytes().to_vec();
        let stored = match self.stored {
            Stored::Changed(_) => Stored::Changed(own),
            _ => Stored::Own(own),
        };
        AlignedSegment { header: Arc::clone(&self.header), stored }
    }

    /// Sets an optional field to an int, a float, a text, or a sequence of numbers; `None` removes it. The type is `value_type`, or else
    /// the smallest that holds the value; that of a character (`A`) stays.
    #[pyo3(signature = (tag, value, value_type=None))]
    fn set_tag(
        &mut self,
        tag: &str,
        value: &Bound<'_, PyAny>,
        value_type: Option<&str>,
    ) -> PyResult<()> {
        let name = field::name(tag)?;
        if value.is_none() {
            return self.set(|buf| {
                buf.remove_tag(&name);
            });
        }
        let is_character = matches!(self.record().tag(&name), Ok(Some(Value::Character(_))));
        let given = match value_type {
            None if is_character => {
                given_value(value, Some("A")).or_else(|_| given_value(value, None))
            }
            kind => given_value(value, kind),
        }?;
        self.change(|buf| buf.set_tag(&name, given.as_value()).map(drop))
    }

    /// Replaces all optional fields by these: (name, value), or (name, value, type).
    fn set_tags(&mut self, tags: Vec<Bound<'_, PyTuple>>) -> PyResult<()> {
        let mut given = Vec::new();
        for tag in &tags {
            let name: String = tag.get_item(0)?.extract()?;
            let kind: Option<String> = match tag.len() {
                2 => None,
                3 => tag.get_item(2)?.extract()?,
                _ => return Err(wrong("a field is (name, value) or (name, value, type)")),
            };
            given.push((field::name(&name)?, given_value(&tag.get_item(1)?, kind.as_deref())?));
        }
        self.change(|buf| {
            buf.clear_tags();
            given.iter().try_for_each(|(name, value)| buf.set_tag(name, value.as_value()).map(drop))
        })
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
