//! Files of records that are made one by one. They appear, all together, when they are complete.

use std::path::PathBuf;
use std::sync::Mutex;

use biofast::bam::{self, Header};
use biofast::io::available_threads;
use biofast::io::output::{self, Compression, Format, Level, Output};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::Trouble;
use crate::records::{AlignedSegment, Alignments, Read, write};
use crate::source::refuse_read;

/// Text that is handed to the compressor at once.
const AT_ONCE: usize = 1 << 18;

fn level(level: Option<&str>) -> Result<Option<Level>, Trouble> {
    level
        .map(str::parse)
        .transpose()
        .map_err(|error: output::UnknownLevel| Trouble::Usage(error.to_string()))
}

fn closed() -> PyErr {
    PyValueError::new_err("the writer is closed")
}

/// One file of reads.
struct Lane {
    writer: output::Writer,
    text: Vec<u8>,
}

impl Lane {
    fn flush(&mut self) -> Result<(), Trouble> {
        self.writer.append(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

/// A file of reads, or two of mates.
#[pyclass(module = "biofast._biofast")]
pub(crate) struct ReadWriter {
    lanes: Mutex<Option<Vec<Lane>>>,
    records: u64,
    fasta: Option<bool>,
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
            files.write(path).map_err(|error| Trouble::Usage(error.to_string()))?;
            let format = Format::from_name(path);
            let compression = Compression::new(format, level.filter(|_| format != Format::Plain))
                .map_err(|error| Trouble::Usage(error.to_string()))?;
            let output = Output::create(path, compression).map_err(Trouble::from)?;
            let writer = output::Writer::new(output, threads.unwrap_or_else(available_threads));
            lanes.push(Lane { writer: writer.map_err(Trouble::from)?, text: Vec::new() });
        }
        Ok(ReadWriter { lanes: Mutex::new(Some(lanes)), records: 0, fasta: None })
    }

    /// Writes a read, or a pair, as many as there are files.
    #[pyo3(signature = (*reads))]
    fn write(&mut self, py: Python<'_>, reads: Vec<PyRef<'_, Read>>) -> PyResult<()> {
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
        for (read, lane) in reads.iter().zip(lanes.iter_mut()) {
            write(&mut lane.text, &read.record())?;
            if lane.text.len() >= AT_ONCE {
                py.detach(|| lane.flush())?;
            }
        }
        self.records += 1;
        Ok(())
    }

    /// Completes the files, which appear under their names. Returns how many reads or pairs there are.
    fn close(&mut self, py: Python<'_>) -> PyResult<u64> {
        let lanes = self.lanes.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let Some(lanes) = lanes else { return Ok(self.records) };
        py.detach(|| -> Result<(), Trouble> {
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
        *self.lanes.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }
}

/// A file of alignments.
#[pyclass(module = "biofast._biofast")]
pub(crate) struct AlignmentWriter {
    writer: Mutex<Option<bam::Writer>>,
    records: u64,
}

#[pymethods]
impl AlignmentWriter {
    /// `header` is its text, or a reading whose header it has.
    #[new]
    #[pyo3(signature = (path, header, *, level=None, threads=None, index=false))]
    fn new(
        path: PathBuf,
        header: &Bound<'_, PyAny>,
        level: Option<&str>,
        threads: Option<usize>,
        index: bool,
    ) -> PyResult<AlignmentWriter> {
        refuse_read(&path)?;
        let header = match header.cast::<Alignments>() {
            Ok(reading) => Header::clone(reading.borrow().header()),
            Err(_) => {
                Header::from_text(header.extract::<String>()?.as_bytes()).map_err(Trouble::from)?
            }
        };
        let is_sam = path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy().to_ascii_lowercase();
            [".sam", ".sam.gz", ".sam.zst"].iter().any(|ending| name.ends_with(ending))
        });
        let mut builder = bam::Writer::builder(&header)
            .format(if is_sam { bam::Format::Sam } else { bam::Format::Bam })
            .threads(threads.unwrap_or_else(available_threads));
        if let Some(level) = self::level(level)? {
            builder = builder.level(level);
        }
        if index {
            builder = builder.index(bam::index::Format::Bai);
        }
        let writer = builder.create(path).map_err(Trouble::from)?;
        Ok(AlignmentWriter { writer: Mutex::new(Some(writer)), records: 0 })
    }

    /// Writes an alignment.
    fn write(&mut self, record: PyRef<'_, AlignedSegment>) -> PyResult<()> {
        let writer = self.writer.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        writer.as_mut().ok_or_else(closed)?.write(&record.record()).map_err(Trouble::from)?;
        self.records += 1;
        Ok(())
    }

    /// Completes the file, which appears under its name. Returns how many records there are.
    fn close(&mut self, py: Python<'_>) -> PyResult<u64> {
        let writer =
            self.writer.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some(writer) = writer {
            py.detach(|| writer.finish().map_err(Trouble::from))?;
        }
        Ok(self.records)
    }

    /// Drops what was written.
    fn abandon(&mut self) {
        *self.writer.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
    }
}
