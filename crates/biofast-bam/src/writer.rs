//! The plain face of writing: records one after the other, compressed on other threads, with an index if wanted.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use biofast_io::Location;
use biofast_io::output::{self, Compression, Format as Container, Level, Output, Recode};

use crate::cram_options::CramOptions;
use crate::error::{Error, ErrorKind};
use crate::format::Format;
use crate::header::Header;
use crate::index::{BuildOptions, Serial};
use crate::record::Record;
use crate::record_buf::RecordBuf;
use crate::sam::SamWriter;

/// Writes records to BAM, SAM or CRAM.
///
/// A file appears under its name by [`finish`](Self::finish), complete and with its index, or not at all: a writer that is
/// dropped leaves nothing, and one that has failed can't be finished. What is in the file doesn't depend on the number of
/// threads.
///
/// ```
/// use biofast_bam::{Header, Reader, RecordBuf, Writer, index};
///
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-bam-writer-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("out.bam");
/// let header = Header::from_text(b"@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:1000\n")?;
/// let mut writer = Writer::builder(&header).index(index::IndexFormat::Bai).create(&path)?;
/// for position in [10, 20] {
///     let record = RecordBuf::mapped("r", 0, position, "4M".parse()?).sequence(b"ACGT").build()?;
///     writer.write(&record)?;
/// }
/// assert_eq!(writer.finish()?, 2);
/// assert_eq!(Reader::open(&path)?.records().count(), 2);
/// # assert!(folder.join("out.bam.bai").is_file());
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a file that isn't finished never appears"]
pub struct Writer {
    output: output::Writer,
    header: Header,
    /// `None`: BAM is written.
    sam: Option<SamWriter>,
    index: Option<(Serial, Output)>,
    sync: bool,
    /// A record as BAM, and as a line.
    bytes: Vec<u8>,
    line: Vec<u8>,
    records: u64,
    broken: bool,
}

/// A record that can be written: borrowed ([`Record`]) or owned ([`RecordBuf`]).
pub trait Encode: private::Sealed {
    /// Appends the record as BAM stores it, checked to be one under this header.
    ///
    /// # Errors
    /// If it isn't. Nothing is then appended.
    fn encode<'o>(&self, header: &Header, out: &'o mut Vec<u8>) -> Result<Record<'o>, Error>;
}

mod private {
    pub trait Sealed {}
    impl Sealed for crate::Record<'_> {}
    impl Sealed for crate::RecordBuf {}
}

impl Encode for Record<'_> {
    fn encode<'o>(&self, header: &Header, out: &'o mut Vec<u8>) -> Result<Record<'o>, Error> {
        let known = |id: i32| usize::try_from(id).map_or(true, |id| id < header.references().len());
        if !known(self.reference_id()) || !known(self.mate_reference_id()) {
            return Err(self.unwritable("the header doesn't have its reference, or its mate's"));
        }
        self.check()?;
        let start = out.len() + 4;
        self.write_bam(out);
        Ok(Record::new(&out[start..]))
    }
}

impl Encode for RecordBuf {
    fn encode<'o>(&self, header: &Header, out: &'o mut Vec<u8>) -> Result<Record<'o>, Error> {
        self.write_bam(header, out)
    }
}

impl Writer {
    /// Starts what will be the file `path`: SAM if its name ends in `.sam` or, compressed, in `.sam.gz`; CRAM if it ends in `.cram`; else
    /// BAM.
    ///
    /// # Errors
    /// If it can't be created, the header can't be written, or is that of aligned reads and CRAM is written: a
    /// [builder](Self::builder) gets the reference.
    pub fn create(path: impl AsRef<Path>, header: &Header) -> Result<Writer, Error> {
        Writer::builder(header).create(path)
    }

    /// What to write, and how.
    pub fn builder(header: &Header) -> WriterBuilder {
        WriterBuilder {
            header: header.clone(),
            format: None,
            level: None,
            index: None,
            cram: None,
            threads: biofast_io::available_threads(),
            sync: false,
        }
    }

    /// Writes a record, borrowed or owned. The references it names by their indices are those of this writer's header.
    ///
    /// # Errors
    /// If the record can't be written, is out of the order that an index needs, or something written before couldn't be
    /// compressed or stored. The writer can't be finished then, so that no file lacks a record;
    /// [`RecordBuf::check`] says before whether a record can be written.
    pub fn write(&mut self, record: &impl Encode) -> Result<(), Error> {
        if self.broken {
            return Err(self.failed_before());
        }
        // Until it has been written.
        self.broken = true;
        self.try_write(record)?;
        self.broken = false;
        self.records += 1;
        Ok(())
    }

    /// Writes a record whose references are those of this header and that has been [checked](Record::check).
    ///
    /// # Errors
    /// As [`write`](Self::write), but for what a check would find.
    #[doc(hidden)]
    pub fn write_checked(&mut self, record: &Record<'_>) -> Result<(), Error> {
        if self.broken {
            return Err(self.failed_before());
        }
        // Until it has been written.
        self.broken = true;
        if self.sam.is_some() || self.index.is_some() {
            self.try_write(record)?;
        } else {
            self.bytes.clear();
            record.write_bam(&mut self.bytes);
            self.output.append(&self.bytes)?;
        }
        self.broken = false;
        self.records += 1;
        Ok(())
    }

    fn try_write(&mut self, record: &impl Encode) -> Result<(), Error> {
        self.bytes.clear();
        let (number, name) = (self.records + 1, self.output.name());
        let located = |kind| {
            let at = Location { record: Some(number), ..Location::in_input(&name.into()) };
            Error::new(kind, at)
        };
        let wrong = |error: Error| located(error.into_parts().0);
        let record = record.encode(&self.header, &mut self.bytes).map_err(wrong)?;
        if let Some((index, _)) = &mut self.index {
            index.add(&record).map_err(|kind| located(kind).naming(&self.header))?;
        }
        match &self.sam {
            Some(sam) => {
                self.line.clear();
                sam.write(&record, &mut self.line).map_err(wrong)?;
                self.output.append(&self.line)?;
            }
            None => self.output.append(&self.bytes)?,
        }
        Ok(())
    }

    fn failed_before(&self) -> Error {
        let kind = biofast_io::ErrorKind::Io(io::Error::other("an earlier write failed"));
        biofast_io::Error::new(kind, Location::in_input(&self.output.name().into())).into()
    }

    /// How many records have been written.
    pub fn records_written(&self) -> u64 {
        self.records
    }

    /// The header, whose references records name by their indices.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Completes the file and its index and gives them their names. Returns how many records there are.
    ///
    /// # Errors
    /// If anything before failed, or something can't be compressed or stored. What was there before is then there still.
    pub fn finish(self) -> Result<u64, Error> {
        let (records, sync) = (self.records, self.sync);
        output::commit(self.into_outputs()?, sync)?;
        Ok(records)
    }

    /// The complete file, and its index behind it if there is one, to be [committed](output::commit) with other outputs.
    ///
    /// # Errors
    /// If anything before failed, or something can't be compressed or stored.
    pub fn into_outputs(self) -> Result<Vec<Output>, Error> {
        if self.broken {
            return Err(self.failed_before());
        }
        let mut output = self.output.into_output()?;
        output.finish()?;
        let mut outputs = Vec::new();
        match self.index {
            Some((index, mut file)) => {
                file.append(&index.finish(&output)?)?;
                outputs.extend([output, file]);
            }
            None => outputs.push(output),
        }
        Ok(outputs)
    }
}

/// What a [`Writer`] writes, and how.
///
/// ```
/// use biofast_bam::{Format, Header, RecordBuf, Writer};
/// use biofast_io::output::{Compression, Output};
///
/// let header = Header::from_text(b"@SQ\tSN:chr1\tLN:1000\n")?;
/// let output = Output::stream("nowhere", std::io::sink(), Compression::default());
/// let mut writer = Writer::builder(&header).format(Format::Sam).threads(1).to(output)?;
/// writer.write(&RecordBuf::unmapped("r").build()?)?;
/// assert_eq!(writer.finish()?, 1);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder writes nothing before `create` or `to`"]
pub struct WriterBuilder {
    header: Header,
    format: Option<Format>,
    level: Option<Level>,
    index: Option<BuildOptions>,
    cram: Option<CramOptions>,
    threads: usize,
    sync: bool,
}

impl WriterBuilder {
    /// BAM, SAM or CRAM, whatever the file is called.
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// How hard to compress; see [`Compression::new`].
    pub fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// Also makes an index, whose name is that of the file with `.bai` or `.csi` behind it: a
    /// [`IndexFormat`](crate::index::IndexFormat) of it, or [`BuildOptions`], whose default is BAI where the references aren't too long for
    /// it. Records must then come sorted by coordinate.
    pub fn index(mut self, what: impl Into<BuildOptions>) -> Self {
        self.index = Some(what.into());
        self
    }

    /// How CRAM is written, if it is: its reference, above all. Its threads and level are those of this builder.
    ///
    /// ```no_run
    /// use biofast_bam::{CramOptions, Header, Writer};
    ///
    /// # let header = Header::default();
    /// let cram = CramOptions::default().reference("genome.fa");
    /// let writer = Writer::builder(&header).cram(cram).create("sample.cram")?;
    /// # Ok::<(), biofast_bam::Error>(())
    /// ```
    pub fn cram(mut self, options: CramOptions) -> Self {
        self.cram = Some(options);
        self
    }

    /// Threads that compress, besides the one that writes; with fewer than two it does both. By default as many as the
    /// system allows.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Whether to wait until everything is on the disk before the files get their names.
    pub fn sync(mut self, sync: bool) -> Self {
        self.sync = sync;
        self
    }

    /// Starts what will be the file `path`; see [`Writer::create`].
    ///
    /// # Errors
    /// If it or its index can't be created, an index is asked for that the format doesn't have, or the header can't be written or
    /// indexed.
    pub fn create(self, path: impl AsRef<Path>) -> Result<Writer, Error> {
        let path = path.as_ref();
        let format = self.format.unwrap_or_else(|| format_of_name(path));
        let container = match format {
            Format::Sam => Container::from_name(path),
            Format::Bam => Container::Bgzf,
            Format::Cram => Container::Plain,
        };
        let compression = Compression::new(container, self.level)
            .map_err(|error| unsupported(error.to_string()))?;
        let start = self.start(format)?;
        let index = start.extension.map(|extension| {
            let mut name = path.as_os_str().to_owned();
            name.push(".");
            name.push(extension);
            Output::create_with(name.as_ref(), Compression::default())
        });
        let output = Output::create_with(path, compression)?;
        self.writer(start, output, index.transpose()?)
    }

    /// Writes to `output`, such as standard output, without an index; BAM if nothing else was said. The output's
    /// compression is its own: that of CRAM is plain.
    ///
    /// # Errors
    /// If the header can't be written, or an index was asked for.
    pub fn to(self, output: Output) -> Result<Writer, Error> {
        if self.index.is_some() {
            return Err(unsupported("an index can't be written to standard output"));
        }
        let start = self.start(self.format.unwrap_or(Format::Bam))?;
        self.writer(start, output, None)
    }

    /// Writes to `output`, which is BGZF or that of CRAM, and the index to `index`; if none was asked for, the one by default.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn to_indexed(mut self, output: Output, index: Output) -> Result<Writer, Error> {
        self.index.get_or_insert_default();
        let start = self.start(self.format.unwrap_or(Format::Bam))?;
        self.writer(start, output, Some(index))
    }

    /// What can fail before a file is made.
    fn start(&self, format: Format) -> Result<Start, Error> {
        let mut start =
            Start { text: Vec::new(), sam: None, cram: None, index: None, extension: None };
        match format {
            Format::Bam | Format::Cram => self.header.write_bam(&mut start.text)?,
            Format::Sam => {
                self.header.write_sam(&mut start.text)?;
                start.sam = Some(SamWriter::new(&self.header));
            }
        }
        if format == Format::Cram {
            let options = self.cram.clone().unwrap_or_default().threads(self.threads);
            let options = self.level.map_or(options.clone(), |level| options.level(level));
            if !options.can_store(&self.header) {
                return Err(unsupported(
                    "CRAM needs the reference sequences, or to be without them",
                ));
            }
            start.cram = Some(options.encoder()?);
        }
        match (self.index, format) {
            (None, _) => {}
            (Some(what), Format::Bam) => {
                let index = Serial::new(&self.header, start.text.len(), what)?;
                start.extension = Some(index.format().extension());
                start.index = Some(index);
            }
            (Some(BuildOptions { format: None, .. }), Format::Cram) => {
                start.extension = Some("crai")
            }
            (Some(_), Format::Cram) => {
                return Err(unsupported("CRAM has an index of its own (CRAI)"));
            }
            (Some(_), Format::Sam) => return Err(unsupported("SAM can't be indexed")),
        }
        Ok(start)
    }

    fn writer(self, start: Start, output: Output, index: Option<Output>) -> Result<Writer, Error> {
        let Start { text, sam, cram, index: made, .. } = start;
        let (output, index) = match cram {
            Some(encoder) => (output.recoded(encoder, index)?, None),
            None if made.is_some() => (output.with_blocks()?, index),
            None => (output, index),
        };
        let mut output = output::Writer::new(output, self.threads)?;
        output.append(&text)?;
        Ok(Writer {
            output,
            header: self.header,
            sam,
            index: made.zip(index),
            sync: self.sync,
            bytes: Vec::new(),
            line: Vec::new(),
            records: 0,
            broken: false,
        })
    }
}

struct Start {
    text: Vec<u8>,
    sam: Option<SamWriter>,
    cram: Option<Box<dyn Recode>>,
    index: Option<Serial>,
    /// Of the index's name, if there is one.
    extension: Option<&'static str>,
}

fn unsupported(what: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::UnsupportedOutput(what.into()), Location::default())
}

/// The format that a file's name asks for.
fn format_of_name(path: &Path) -> Format {
    let name = match Container::from_name(path) {
        Container::Plain => path,
        // Without its compression.
        _ => path.file_stem().map_or(path, Path::new),
    };
    match name.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("sam") => Format::Sam,
        Some(extension) if extension.eq_ignore_ascii_case("cram") => Format::Cram,
        _ => Format::Bam,
    }
}
