//! Where the containers of a file are, by their headers.

use std::io::{BufReader, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use biofast_io::remote::Ranged;
use biofast_io::{Location, display_name};

use super::bytes::{Result, bad};
use super::container::{Container, DEFINITION_LEN, FileHeader, Stated, Version};
use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::input_options::{CramContainer, CramContainers};

/// Where the containers of a CRAM file start that have records, and how many each has. Headers are read and their checksums
/// checked, and nothing of what is in containers: that is told by who reads them.
///
/// ```no_run
/// let found = biofast_bam::cram_containers("sample.cram")?;
/// let records: u64 = found.containers.iter().map(|container| container.records).sum();
/// println!("{records} records in {} containers", found.containers.len());
/// # Ok::<(), biofast_bam::Error>(())
/// ```
///
/// # Errors
/// If the file can't be read, isn't CRAM, is damaged or cut off.
pub fn cram_containers(path: impl AsRef<Path>) -> std::result::Result<CramContainers, Error> {
    let path = path.as_ref();
    let mut offset = 0;
    read(path, &mut offset).map_err(|kind| located(kind, path, offset))
}

/// An error of the container at `offset`; 0 is the start of the file.
pub(super) fn located(kind: ErrorKind, path: &Path, offset: u64) -> Error {
    let name: Arc<str> = display_name(path).into();
    let block = Some(offset).filter(|offset| *offset > 0);
    Error::new(kind, Location { block, ..Location::in_input(&name) })
}

/// `offset` is where the container starts that is being read.
fn read(path: &Path, offset: &mut u64) -> Result<CramContainers> {
    let mut headers = ContainerHeaders::open(path, offset)?;
    *offset = headers.first;
    let needs_no_end = !headers.version.has_eof_container();
    let mut found = CramContainers {
        header_end: *offset,
        containers: Vec::new(),
        size: headers.size,
        is_complete: needs_no_end,
    };
    while let Some(stated) = headers.read(*offset)? {
        found.is_complete = needs_no_end || stated.is_eof;
        if stated.records > 0 {
            found.containers.push(CramContainer { start: *offset, records: stated.records });
        }
        *offset += stated.header_len + stated.len;
    }
    Ok(found)
}

/// Reads the headers of containers.
pub(super) struct ContainerHeaders {
    reader: BufReader<Ranged>,
    /// Where the reader is.
    at: u64,
    pub(super) version: Version,
    /// The header of the file.
    pub(super) header: Header,
    /// Where the first container behind it starts.
    pub(super) first: u64,
    /// Bytes of the file.
    pub(super) size: u64,
}

impl ContainerHeaders {
    /// Opens a file, and reads its header. `offset` is where the container starts that is being read.
    pub(super) fn open(path: &Path, offset: &mut u64) -> Result<ContainerHeaders> {
        let mut file = Ranged::open(path).map_err(ErrorKind::read)?;
        let size = file.seek(SeekFrom::End(0)).map_err(ErrorKind::read)?;
        file.seek(SeekFrom::Start(0)).map_err(ErrorKind::read)?;
        // Little more than a header is wanted at a time.
        let mut reader = BufReader::with_capacity(1 << 10, file);
        let version = Version::read(&mut reader)?;
        *offset = DEFINITION_LEN;
        let Some(container) = Container::read_file_header(&mut reader, version)? else {
            return Err(ErrorKind::Truncated("the CRAM header"));
        };
        let FileHeader { header, .. } = FileHeader::read(&container, version, &mut Vec::new())?;
        let first = DEFINITION_LEN + container.len;
        Ok(ContainerHeaders { reader, at: first, version, header, first, size })
    }

    /// The header of the container at `offset`; `None` at the end of the file.
    pub(super) fn read(&mut self, offset: u64) -> Result<Option<Stated>> {
        let by = i128::from(offset) - i128::from(self.at);
        let Ok(by) = i64::try_from(by) else { return bad("a length") };
        self.reader.seek_relative(by).map_err(ErrorKind::read)?;
        self.at = offset;
        let Some((stated, _)) = Container::read_header(&mut self.reader, self.version)? else {
            return Ok(None);
        };
        self.at += stated.header_len;
        if stated.len > self.size.saturating_sub(self.at) {
            return Err(ErrorKind::Truncated("a CRAM container"));
        }
        Ok(Some(stated))
    }
}
