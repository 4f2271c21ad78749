//! Where the containers of a file are, by their headers.

use std::io::{BufReader, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use biofast_io::remote::Ranged;
use biofast_io::{Location, display_name};

use super::bytes::{Result, bad};
use super::container::{Container, DEFINITION_LEN, Version};
use crate::error::{Error, ErrorKind};
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
    read(path, &mut offset).map_err(|kind| {
        let name: Arc<str> = display_name(path).into();
        let block = Some(offset).filter(|offset| *offset > 0);
        Error::new(kind, Location { name: Some(name), block, ..Location::default() })
    })
}

/// `offset` is where the container starts that is being read.
fn read(path: &Path, offset: &mut u64) -> Result<CramContainers> {
    let mut file = Ranged::open(path).map_err(ErrorKind::read)?;
    let size = file.seek(SeekFrom::End(0)).map_err(ErrorKind::read)?;
    file.seek(SeekFrom::Start(0)).map_err(ErrorKind::read)?;
    // Little more than a header is wanted at a time.
    let mut reader = BufReader::with_capacity(1 << 10, file);
    let version = Version::read(&mut reader)?;
    *offset = DEFINITION_LEN;
    let Some(header) = Container::read_file_header(&mut reader, version)? else {
        return Err(ErrorKind::Truncated("the CRAM header"));
    };
    *offset += header.len;
    let needs_no_end = !version.has_eof_container();
    let mut found = CramContainers {
        header_end: *offset,
        containers: Vec::new(),
        size,
        is_complete: needs_no_end,
    };
    while let Some((stated, _)) = Container::read_header(&mut reader, version)? {
        if stated.len > size.saturating_sub(*offset + stated.header_len) {
            return Err(ErrorKind::Truncated("a CRAM container"));
        }
        found.is_complete = needs_no_end || stated.is_eof;
        if stated.records > 0 {
            found.containers.push(CramContainer { start: *offset, records: stated.records });
        }
        let Ok(behind) = i64::try_from(stated.len) else { return bad("a length") };
        reader.seek_relative(behind).map_err(ErrorKind::read)?;
        *offset += stated.header_len + stated.len;
    }
    Ok(found)
}
