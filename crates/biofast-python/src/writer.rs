//! Files of records that are made one by one. They appear, all together, when they are complete.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use biofast_bam::{self as bam, Header};
use biofast_fastq::fasta;
use biofast_io::output::{self, Compression, Format, Level, Output};
use biofast_io::{available_threads, display_name, without_container};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::ReadFailure;
use crate::process::Process;
use crate::records::{AlignedSegment, Read, header_of, write};
use crate::source::refuse_read;

/// Text that is handed to the compressor at once.
const AT_ONCE: usize = 1 << 18;

fn level(level: Option<&str>) -> Result<Option<Level>, ReadFailure> {
    level
        .map(str::parse)
        .transpose()
        .map_err(|error: output::UnknownLevel| ReadFailure::Usage(error.to_string()))
}

fn closed() -> PyErr {
    PyValueError::new_err("the writer is closed")
}

/// What a file is to hold, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Fastq,
    Fasta,
    Sam,
    Bam,
    Cram,
    /// The name doesn't say.
    Any,
}

/// What the name of an output says of its format.
///
/// # Errors
/// If it is a format or compression that isn't written.
fn named(path: &Path) -> Result<Named, ReadFailure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let refuse = |why: &str| Err(ReadFailure::Usage(format!("{}: {why}", display_name(path))));
    if [".xz", ".lzma"].iter().any(|ending| name.ends_with(ending)) {
        return refuse("xz is read but not written: name the file .gz, .zst or .bz2");
    }
    Ok(match without_container(&name).rsplit_once('.').map_or("", |(_, ending)| ending) {
        "fq" | "fastq" => Named::Fastq,
        "fa" | "fasta" | "fna" | "ffn" | "faa" => Named::Fasta,
        "sam" => Named::Sam,
        "bam" | "ubam" => Named::Bam,
        "cram" => Named::Cram,
        _ => Named::Any,
    })
}

/// One file of reads.
struct WriterLane {
    writer: output::Writer,
    text: Vec<u8>,
    name: String,
    named: Named,
}

impl WriterLane {
    fn flush(&mut self) -> Result<(), ReadFailure> {
        self.writer.append(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

/// A file of reads, or two of mates.
#[pyclass(module = "biofast._biofast")]
pub(crate) struct ReadWriter {
    lanes: Mutex<Option<Vec<WriterLane>>>,
    records: u64,
    fasta: Option<bool>,
    process: Process,
}

impl Drop for ReadWriter {
    fn drop(&mut self) {
        forget_of_parent(self.process, &mut self.lanes);
    }
}

/// The files of the parent are its own to complete or remove.
fn forget_of_parent<T>(process: Process, writer: &mut Mutex<Option<T>>) {
    if !process.is_current() {
        let writer = writer.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        std::mem::forget(writer.take());
    }
}

#[pymethods]
impl ReadWriter {
    #[new]
    #[pyo3(signature = (paths, *, level=None, threads=None))]
    fn new(
        paths: Vec<PathBuf>,
        level: Option<&str>,
        threads: Option<usize>,
    ) -> PyResult<ReadWriter> {
        let mut files = output::Files::default();
        let level = self::level(level)?;
        let mut lanes = Vec::new();
        for path in &paths {
            refuse_read(path)?;
            let named = self::named(path)?;
            if matches!(named, Named::Sam | Named::Bam | Named::Cram) {
                let text = "alignments need a header: header=biofast.open(…), or its text";
                return Err(PyValueError::new_err(text));
            }
            files.write(path).map_err(|error| ReadFailure::Usage(error.to_string()))?;
            let format = Format::from_name(path);
            let compression = Compression::new(format, level.filter(|_| format != Format::Plain))
                .map_err(|error| ReadFailure::Usage(error.to_string()))?;
            let output = Output::create_with(path, compression).map_err(ReadFailure::from)?;
            let writer = output::Writer::new(output, threads.unwrap_or_else(available_threads));
            let (writer, name) = (writer.map_err(ReadFailure::from)?, display_name(path));
            lanes.push(WriterLane { writer, text: Vec::new(), name, named });
        }
        let (lanes, process) = (Mutex::new(Some(lanes)), Process::current());
        Ok(ReadWriter { lanes, records: 0, fasta: None, process })
    }

    /// Writes a read, or a pair, as many as there are files.
    #[pyo3(signature = (*reads))]
    fn write(&mut self, py: Python<'_>, reads: Vec<PyRef<'_, Read>>) -> PyResult<()> {
        self.process.check("this writer")?;
        let lanes = self.lanes.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        let lanes = lanes.as_mut().ok_or_else(closed)?;
        if reads.len() != lanes.len() {
            let text = format!("{} files, but {} reads", lanes.len(), reads.len());
            return Err(PyValueError::new_err(text));
        }
        for read in &reads {
            let fasta = !read.record().has_qualities();
            if *self.fasta.get_or_insert(fasta) != fasta {
                return Err(PyValueError::new_err(
                    "reads with and without qualities don't go into one file",
                ));
            }
        }
        for (read, lane) in reads.iter().zip(lanes.iter()) {
            if lane.named == Named::Fastq && !read.record().has_qualities() {
                return Err(PyValueError::new_err(format!(
                    "{} is FASTQ by its name, and the read has no qualities",
                    lane.name
                )));
            }
        }
        for (read, lane) in reads.iter().zip(lanes.iter_mut()) {
            let record = read.record();
            match lane.named {
                Named::Fasta => fasta::write_record(&mut lane.text, &record, 0)?,
                _ => write(&mut lane.text, &record)?,
            }
            if lane.text.len() >= AT_ONCE {
                py.detach(|| lane.flush())?;
            }
        }
        self.records += 1;
        Ok(())
    }

    /// Completes the files, which appear under their names. Returns how many reads or pairs there are.
    fn close(&mut self, py: Python<'_>) -> PyResult<u64> {
        self.process.check("this writer")?;
        let lanes = self.lanes.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let Some(lanes) = lanes else { return Ok(self.records) };
        py.detach(|| -> Result<(), ReadFailure> {
            let mut outputs = Vec::new();
            for mut lane in lanes {
                lane.flush()?;
                outputs.push(lane.writer.into_output()?);
            }
            Ok(output::commit(outputs, false)?)
        })?;
        Ok(self.records)
    }

    /// Drops what was written.
    fn abandon(&mut self) {
        forget_of_parent(self.process, &mut self.lanes);
        *self.lanes.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }
}

/// A file of alignments.
#[pyclass(module = "biofast._biofast")]
pub(crate) struct AlignmentWriter {
    writer: Mutex<Option<bam::Writer>>,
    header: Arc<Header>,
    /// The header of the record written last: most have the same.
    seen: Option<Arc<Header>>,
    records: u64,
    process: Process,
}

impl Drop for AlignmentWriter {
    fn drop(&mut self) {
        forget_of_parent(self.process, &mut self.writer);
    }
}

impl AlignmentWriter {
    /// An error unless the numbers of references mean the same under both headers.
    fn check_header(&mut self, other: &Arc<Header>) -> PyResult<()> {
        if self.seen.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, other)) {
            return Ok(());
        }
        if self.header.references() != other.references() {
            return Err(PyValueError::new_err(
                "the record belongs to a header with other references than the writer's: its reference would change",
            ));
        }
        self.seen = Some(Arc::clone(other));
        Ok(())
    }
}

#[pymethods]
impl AlignmentWriter {
    /// `header` is its text, or a reading whose header it has; `reference` a FASTA file for CRAM.
    #[new]
    #[pyo3(signature = (path, header, *, level=None, threads=None, index=false, reference=None))]
    fn new(
        path: PathBuf,
        header: &Bound<'_, PyAny>,
        level: Option<&str>,
        threads: Option<usize>,
        index: bool,
        reference: Option<PathBuf>,
    ) -> PyResult<AlignmentWriter> {
        refuse_read(&path)?;
        let header = header_of(header)?;
        let format = match named(&path)? {
            Named::Sam => bam::Format::Sam,
            Named::Bam | Named::Any => bam::Format::Bam,
            Named::Cram => bam::Format::Cram,
            Named::Fastq | Named::Fasta => {
                let text = format!(
                    "{} is a file of reads by its name: name it .bam, .sam or .cram, or leave out the header",
                    display_name(&path)
                );
                return Err(PyValueError::new_err(text));
            }
        };
        let mut builder = bam::Writer::builder(&header)
            .format(format)
            .threads(threads.unwrap_or_else(available_threads));
        if let Some(level) = self::level(level)? {
            builder = builder.level(level);
        }
        if index {
            builder = match format {
                bam::Format::Cram => builder.index(bam::index::BuildOptions::default()),
                _ => builder.index(bam::index::IndexFormat::Bai),
            };
        }
        match (reference, format) {
            (Some(fasta), bam::Format::Cram) => {
                builder = builder.cram(bam::CramOptions::default().reference(fasta));
            }
            (Some(_), _) => {
                return Err(PyValueError::new_err("a reference is of use for .cram only"));
            }
            (None, _) => {}
        }
        let writer = builder.create(path).map_err(ReadFailure::from)?;
        let (writer, process) = (Mutex::new(Some(writer)), Process::current());
        Ok(AlignmentWriter { writer, header, seen: None, records: 0, process })
    }

    /// Writes an alignment.
    fn write(&mut self, record: PyRef<'_, AlignedSegment>) -> PyResult<()> {
        self.process.check("this writer")?;
        self.check_header(record.header())?;
        record.check(&self.header).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let writer = self.writer.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        writer.as_mut().ok_or_else(closed)?.write(&record.record()).map_err(ReadFailure::from)?;
        self.records += 1;
        Ok(())
    }

    /// Completes the file, which appears under its name. Returns how many records there are.
    fn close(&mut self, py: Python<'_>) -> PyResult<u64> {
        self.process.check("this writer")?;
        let writer =
            self.writer.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some(writer) = writer {
            py.detach(|| writer.finish().map_err(ReadFailure::from))?;
        }
        Ok(self.records)
    }

    /// Drops what was written.
    fn abandon(&mut self) {
        forget_of_parent(self.process, &mut self.writer);
        *self.writer.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }
}
