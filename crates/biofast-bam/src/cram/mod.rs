//! CRAM as a stream of BAM bytes: containers are cut off one by one and decoded on several
//! threads, in order.
//!
//! Versions 2.0 to 3.1. Blocks are decompressed by noodles; records are decoded here, for
//! noodles decodes neither version 2 nor slices over several references without a reference,
//! and panics where a reference or a block is missing.
//!
//! Format: CRAM format specification, version 3.

mod bytes;
mod container;
mod containers;
mod context;
mod encoding;
mod features;
mod guard;
mod mates;
mod record;
mod reference;
mod slice;
mod tags;
mod write;

use std::sync::Arc;

use biofast_io::lanes::Lanes;
use biofast_io::{Location, Notes, Options, Origin, Reader, Source, Warning};

use crate::adapter::Produce;
use crate::cram::bytes::{ByteCursor, Result, bad};
use crate::cram::container::{
    Block, COMPRESSION_HEADER, Container, DEFINITION_LEN, FILE_HEADER, Version,
};
pub use crate::cram::containers::cram_containers;
use crate::cram::encoding::Compression;
pub use crate::cram::guard::panics_are_caught;
use crate::cram::reference::Repository;
use crate::error::{Error, ErrorKind};
use crate::header::{Header, Parsed};
use crate::input_options::{Detail, InputOptions};
use crate::sam::header::Text;
use context::Context;

/// Some decompressors keep tables of half a megabyte on the stack.
const STACK: usize = 16 << 20;

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
    /// Where the next container starts in the file.
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
    version: Version,
    eof_seen: bool,
    fault: Option<(u64, ErrorKind)>,
}

/// A container and its offset.
struct ContainerJob {
    container: Container,
    offset: u64,
}

/// The records of a container; those of the slices before a fault.
struct Decoded {
    bam: Vec<u8>,
    records: u64,
    offset: u64,
    fault: Option<ErrorKind>,
}

impl CramToBam {
    /// The CRAM data in `source`.
    pub(crate) fn new(
        source: Source,
        options: &InputOptions<'_>,
    ) -> std::result::Result<CramToBam, Error> {
        let name: Arc<str> = source.name().into();
        let repository = match &options.reference {
            _ if options.detail == Detail::Placement => Repository::Missing,
            Some(path) => Repository::open(path)?,
            None => Repository::Missing,
        };
        let io: &Options = options.io;
        let origin = source.origin();
        Ok(CramToBam {
            state: CramState::Start(Reader::new(source, io)?),
            name,
            threads: io.threads,
            strict: io.strict || !io.allow_missing_eof,
            detail: options.detail,
            notes: io.notes.clone(),
            repository: Some(repository),
            origin,
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
        let block = Block::take(&mut ByteCursor::new(&container.body), version)?;
        if block.content != FILE_HEADER {
            return bad("a first block that isn't the file header");
        }
        let data = block.decode()?;
        let mut data = ByteCursor::new(&data);
        let len = usize::try_from(data.u32()?).ok();
        let Some(text) = len.and_then(|n| data.rest().get(..n)) else {
            return bad("a header whose text is longer than its block");
        };
        // The text may be padded with NULs.
        let end = text.iter().rposition(|&b| b != 0).map_or(0, |n| n + 1);
        let text = Text::from_bytes(&text[..end]);
        text.write_bam(out).map_err(|(_, kind)| kind)?;
        let Parsed::Complete(header, _) = Header::parse(out)? else {
            return bad("a header that is incomplete");
        };
        let read_groups = read_groups(text.bytes());
        self.offset = match self.origin.offset {
            0 => self.offset + container.len,
            start => start,
        };
        let prefix = self.name.rsplit('/').next().unwrap_or_default().as_bytes().to_vec();
        let repository = self.repository.take().unwrap_or(Repository::Missing);
        repository.bind(&header);
        let containers = Containers { reader, version, eof_seen: false, fault: None };
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
        Error::new(kind, at)
    }
}

impl Containers {
    fn next(&mut self, offset: &mut u64) -> Option<ContainerJob> {
        while self.fault.is_none() {
            match Container::read(&mut self.reader, self.version) {
                Ok(Some(container)) => {
                    let start = *offset;
                    *offset += container.len;
                    self.eof_seen = container.is_eof;
                    if container.records > 0 {
                        return Some(ContainerJob { container, offset: start });
                    }
                    // Nothing that is needed; but is it what was written?
                    if let Err(kind) = container.check(self.version) {
                        self.fault = Some((start, kind));
                    }
                }
                Ok(None) => break,
                Err(kind) => self.fault = Some((*offset, kind)),
            }
        }
        None
    }
}

impl Produce for CramToBam {
    fn produce(&mut self, out: &mut Vec<u8>) -> std::result::Result<bool, Error> {
        match std::mem::replace(&mut self.state, CramState::Ended) {
            CramState::Start(reader) => {
                let (containers, context) =
                    self.start(reader, out).map_err(|kind| self.error(kind, self.offset, None))?;
                let context = Arc::new(context);
                let workers = Lanes::with_stack(self.threads, Some(STACK), || {
                    let context = Arc::clone(&context);
                    move |job| decode(job, &context)
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
                *out = done.bam;
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

/// The names (ID) of the read groups, in order; one without a name is empty.
fn read_groups(text: &[u8]) -> Vec<Vec<u8>> {
    let lines = text.split(|&b| b == b'\n');
    let groups = lines.filter_map(|line| line.strip_prefix(b"@RG\t"));
    let name = |fields: &[u8]| {
        let mut fields = fields.split(|&b| b == b'\t');
        fields.find_map(|field| field.strip_prefix(b"ID:")).unwrap_or_default().to_vec()
    };
    groups.map(name).collect()
}

/// Decodes a container, up to the first slice that is wrong.
fn decode(job: ContainerJob, context: &Context) -> Decoded {
    let ContainerJob { container, offset } = job;
    let mut done = Decoded { bam: Vec::new(), records: 0, offset, fault: None };
    done.fault = decode_slices(&container, context, &mut done).err();
    done
}

fn decode_slices(container: &Container, context: &Context, done: &mut Decoded) -> Result<()> {
    let mut bytes = ByteCursor::new(&container.body);
    let block = Block::take(&mut bytes, context.version)?;
    if block.content != COMPRESSION_HEADER {
        return bad("a container that doesn't start with a compression header");
    }
    let mut compression = Compression::read(&block.decode()?)?;
    let placement = context.detail == Detail::Placement && compression.keep_placement();
    while !bytes.is_empty() {
        let slice = slice::decode(&mut bytes, &compression, context, placement)?;
        let start = done.bam.len();
        if let Err(kind) = write::write(&slice, context, &mut done.bam) {
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
