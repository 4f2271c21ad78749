//! CRAM as a stream of BAM bytes: containers are cut off one by one and decoded on several
//! threads, in order.
//!
//! Versions 2.0 to 3.1.
//!
//! Format: CRAM format specification, version 3.

mod bytes;
mod container;
mod containers;
mod context;
mod crai;
mod encoding;
mod features;
mod indexed;
mod mates;
mod md;
mod out;
mod record;
mod reference;
mod slice;
mod store;
mod tags;
mod write;

use std::sync::Arc;

use biofast_io::lanes::Lanes;
use biofast_io::splice::Places;
use biofast_io::{Location, Notes, Options, Origin, Reader, Source, Warning};

use crate::adapter::Produce;
use crate::cram::bytes::{ByteCursor, Result, bad};
use crate::cram::container::{
    Block, COMPRESSION_HEADER, Container, DEFINITION_LEN, FileHeader, Version,
};
pub use crate::cram::containers::cram_containers;
use crate::cram::encoding::Compression;
pub(crate) use crate::cram::indexed::wanted_ranges;
use crate::cram::record::{KEPT, SliceBuffers};
use crate::cram::reference::Repository;
use crate::error::{Error, ErrorKind};
use crate::input_options::{Detail, InputOptions};
use crate::order::Order;
use context::Context;

/// Makes BAM of CRAM.
pub(crate) struct CramToBam {
    state: CramState,
    name: Arc<str>,
    threads: usize,
    strict: bool,
    detail: Detail,
    notes: Option<Arc<Notes>>,
    repository: Option<Repository>,
    /// Where the input starts in the file: behind its header at the container at `offset`, if that isn't 0.
    origin: Origin,
    /// Where ranges are in the file, if the input is of such.
    places: Option<Places>,
    /// Where the next container starts in the file, or in the input if that is of ranges.
    offset: u64,
    /// Stated records before the next container to be delivered.
    records: u64,
    /// What comes after all bytes before it.
    fault: Option<Error>,
}

enum CramState {
    Start(Reader),
    Containers(Containers, Lanes<ContainerJob, Decoded>),
    Ended,
}

/// The file, container by container.
struct Containers {
    reader: Reader,
    /// Memory of containers that are done.
    spares: Vec<Spare>,
    version: Version,
    eof_seen: bool,
    fault: Option<(u64, ErrorKind)>,
}

/// Memory for another container: its body, and the records as BAM has them.
#[derive(Default)]
struct Spare {
    body: Vec<u8>,
    bam: Vec<u8>,
}

/// A container and its offset, and memory for its records.
struct ContainerJob {
    container: Container,
    offset: u64,
    bam: Vec<u8>,
}

/// The records of a container; those of the slices before a fault.
struct Decoded {
    bam: Vec<u8>,
    records: u64,
    offset: u64,
    fault: Option<ErrorKind>,
    /// The body of the container, which is done with.
    body: Vec<u8>,
}

impl CramToBam {
    /// The CRAM data in `source`.
    pub(crate) fn new(
        source: Source,
        options: &InputOptions<'_>,
    ) -> std::result::Result<CramToBam, Error> {
        let name: Arc<str> = source.name().into();
        let repository = match &options.reference {
            _ if options.detail == Detail::Placement => Repository::nowhere(),
            Some(path) => Repository::open(path)?,
            None => Repository::of_environment(),
        };
        let io: &Options = options.io;
        let (origin, places) = (source.origin(), source.places());
        Ok(CramToBam {
            state: CramState::Start(Reader::new(source, io)?),
            name,
            threads: io.threads,
            strict: io.strict || !io.allow_missing_eof,
            detail: options.detail,
            notes: io.notes.clone(),
            repository: Some(repository),
            origin,
            places,
            offset: 0,
            records: origin.records,
            fault: None,
        })
    }

    /// Reads the file definition and the header, which goes to `out`.
    fn start(&mut self, mut reader: Reader, out: &mut Vec<u8>) -> Result<(Containers, Context)> {
        let version = Version::read(&mut reader)?;
        self.offset = DEFINITION_LEN;
        let Some(container) = Container::read_file_header(&mut reader, version)? else {
            return Err(ErrorKind::Truncated("the CRAM header"));
        };
        let FileHeader { header, read_groups } = FileHeader::read(&container, version, out)?;
        self.offset = match self.origin.offset {
            0 => self.offset + container.len,
            start => start,
        };
        let prefix = self.name.rsplit('/').next().unwrap_or_default().as_bytes().to_vec();
        let repository = self.repository.take().unwrap_or_else(Repository::nowhere);
        repository.bind(&header);
        let containers =
            Containers { reader, spares: Vec::new(), version, eof_seen: false, fault: None };
        Ok((
            containers,
            Context { version, detail: self.detail, repository, header, read_groups, prefix },
        ))
    }

    fn check_eof(&self, containers: &Containers) -> std::result::Result<(), Error> {
        let has_none = self.origin.goes_on || !containers.version.has_eof_container();
        if containers.eof_seen || has_none {
            return Ok(());
        }
        if self.strict {
            let at = Location::in_input(&self.name);
            return Err(Error::new(ErrorKind::MissingEofContainer, at));
        }
        if let Some(notes) = &self.notes {
            notes.warn(Warning::MissingEofContainer);
        }
        Ok(())
    }

    /// An error in the container at `offset`.
    fn error(&self, kind: ErrorKind, offset: u64, record: Option<u64>) -> Error {
        let mut at = match &kind {
            ErrorKind::Io(error) => error.at().clone(),
            _ => Location::default(),
        };
        at.name = Some(Arc::clone(&self.name));
        at.record = at.record.or(record);
        at.block = at.block.or(Some(offset));
        if let Some(places) = &self.places {
            // How many records come before isn't known.
            at.record = None;
            at.block = at.block.and_then(|at| places.in_file(at));
        }
        Error::new(kind, at)
    }
}

impl Containers {
    fn next(&mut self, offset: &mut u64) -> Option<ContainerJob> {
        let Spare { mut body, bam } = self.spares.pop().unwrap_or_default();
        while self.fault.is_none() {
            match Container::read(&mut self.reader, self.version, body) {
                Ok(Some(container)) => {
                    let start = *offset;
                    *offset += container.len;
                    self.eof_seen = container.is_eof;
                    if container.records > 0 {
                        return Some(ContainerJob { container, offset: start, bam });
                    }
                    // Nothing that is needed; but is it what was written?
                    if let Err(kind) = container.check(self.version) {
                        self.fault = Some((start, kind));
                    }
                    body = container.body;
                }
                Ok(None) => break,
                Err(kind) => {
                    self.fault = Some((*offset, kind));
                    break;
                }
            }
        }
        None
    }

    /// Keeps the memory of a container that is done, unless it is much.
    fn spare(&mut self, body: Vec<u8>, mut bam: Vec<u8>) {
        if body.capacity() + bam.capacity() <= KEPT {
            bam.clear();
            self.spares.push(Spare { body, bam });
        }
    }
}

impl Produce for CramToBam {
    fn produce(&mut self, out: &mut Vec<u8>) -> std::result::Result<bool, Error> {
        match std::mem::replace(&mut self.state, CramState::Ended) {
            CramState::Start(reader) => {
                let (containers, context) =
                    self.start(reader, out).map_err(|kind| self.error(kind, self.offset, None))?;
                let context = Arc::new(context);
                let workers = Lanes::new(self.threads, || {
                    let (context, mut buffers) = (Arc::clone(&context), SliceBuffers::default());
                    move |job| decode(job, &context, &mut buffers)
                })
                .map_err(|e| self.error(ErrorKind::read(e), self.offset, None))?;
                self.state = CramState::Containers(containers, workers);
                Ok(true)
            }
            CramState::Containers(mut containers, mut workers) => {
                while workers.has_room()
                    && let Some(job) = containers.next(&mut self.offset)
                {
                    workers.submit(job);
                }
                let Some(done) = workers.take() else {
                    if let Some((offset, kind)) = containers.fault.take() {
                        return Err(self.error(kind, offset, Some(self.records + 1)));
                    }
                    return self.check_eof(&containers).map(|()| false);
                };
                let before = std::mem::replace(out, done.bam);
                containers.spare(done.body, before);
                match done.fault {
                    Some(kind) => {
                        let record = self.records + done.records + 1;
                        self.fault = Some(self.error(kind, done.offset, Some(record)));
                    }
                    None => {
                        self.records += done.records;
                        self.state = CramState::Containers(containers, workers);
                    }
                }
                Ok(true)
            }
            CramState::Ended => self.fault.take().map_or(Ok(false), Err),
        }
    }
}

/// The index (CRAI) of the CRAM file in `source`, sorted by coordinate, as `samtools index` makes it: the bytes of its file. Every checksum is
/// validated; of slices with several references the records are decoded, which needs no reference.
///
/// ```no_run
/// use biofast_io::{Options, Source};
///
/// let crai = biofast_bam::index_cram(Source::open("sample.cram")?, &Options::default())?;
/// std::fs::write("sample.cram.crai", crai)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first fault of the input; the first slice, or record of a slice with several references, that is out of order.
pub fn index_cram(source: Source, options: &Options) -> std::result::Result<Vec<u8>, Error> {
    let opened = InputOptions { io: options, reference: None, detail: Detail::Alignment };
    let mut cram = CramToBam::new(source, &opened)?;
    let CramState::Start(reader) = std::mem::replace(&mut cram.state, CramState::Ended) else {
        return Ok(Vec::new());
    };
    let started = cram.start(reader, &mut Vec::new());
    let (mut containers, context) = started.map_err(|kind| cram.error(kind, cram.offset, None))?;
    let context = Arc::new(context);
    let mut workers = Lanes::new(cram.threads, || {
        let (context, mut buffers) = (Arc::clone(&context), SliceBuffers::default());
        move |job: ContainerJob| {
            (job.offset, crai::entries(&job.container, job.offset, &context, &mut buffers))
        }
    })
    .map_err(|e| cram.error(ErrorKind::read(e), cram.offset, None))?;
    let mut lines = Vec::new();
    let mut order = Order::default();
    loop {
        while workers.has_room()
            && let Some(job) = containers.next(&mut cram.offset)
        {
            workers.submit(job);
        }
        let Some((offset, entries)) = workers.take() else { break };
        let failed = |kind: ErrorKind| cram.error(kind, offset, None).naming(&context.header);
        let entries = entries.map_err(failed)?;
        for entry in &entries {
            order.check_place(entry.place()).map_err(failed)?;
            entry.write(&mut lines);
        }
    }
    if let Some((offset, kind)) = containers.fault.take() {
        return Err(cram.error(kind, offset, None));
    }
    cram.check_eof(&containers)?;
    crai::gzip(&lines).map_err(|e| cram.error(ErrorKind::read(e), cram.offset, None))
}

/// Decodes a container, up to the first slice that is wrong.
fn decode(job: ContainerJob, context: &Context, buffers: &mut SliceBuffers) -> Decoded {
    let ContainerJob { mut container, offset, bam } = job;
    let mut done = Decoded { bam, records: 0, offset, fault: None, body: Vec::new() };
    done.fault = decode_slices(&container, context, buffers, &mut done).err();
    done.body = std::mem::take(&mut container.body);
    done
}

fn decode_slices(
    container: &Container,
    context: &Context,
    buffers: &mut SliceBuffers,
    done: &mut Decoded,
) -> Result<()> {
    let mut bytes = ByteCursor::new(&container.body);
    let block = Block::take(&mut bytes, context.version)?;
    if block.content != COMPRESSION_HEADER {
        return bad("a container that doesn't start with a compression header");
    }
    let mut compression = Compression::read(&block.decode()?)?;
    let placement = context.detail == Detail::Placement && compression.keep_placement();
    while !bytes.is_empty() {
        slice::decode(&mut bytes, &compression, context, placement, buffers)?;
        let slice = &buffers.slice;
        let start = done.bam.len();
        if let Err(kind) = write::write(slice, context, &mut done.bam) {
            done.bam.truncate(start);
            return Err(kind);
        }
        done.records += slice.records.len() as u64;
    }
    if done.records != container.records {
        return bad("a container with a different number of records than stated");
    }
    Ok(())
}
