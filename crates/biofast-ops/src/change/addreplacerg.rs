//! Alignments of another read group: what `samtools addreplacerg` does.

use biofast_bam::{Error, ErrorKind, Header, MAX_RECORD_LEN, Record};
use biofast_io::Shown;

use super::import::ReadGroup;
use super::merge::{append_text, stored_len};

/// The read group that records get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewGroup {
    /// The first one of the header.
    First,
    /// The one of the header with this ID.
    Known(String),
    /// A new one, added to the header.
    Line(ReadGroup),
}

/// Which records get it, and what becomes of the read groups of the header when a new one is added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupMode {
    /// All records; a new read group replaces all others.
    #[default]
    OverwriteAll,
    /// Those without a read group; others stay.
    OrphanOnly,
}

/// Why a header can't have the read group.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NewGroupError {
    /// There is one of this ID already.
    #[error("the header already has a read group '{0}'")]
    Exists(String),
    /// There is none of this ID.
    #[error("the header has no read group '{0}'")]
    Unknown(String),
    /// There is none at all.
    #[error("the header has no read groups")]
    None,
}

/// A read group for the records of a file.
///
/// ```
/// use biofast_bam::Reader;
/// use biofast_ops::addreplacerg::{GroupChange, GroupMode, NewGroup};
/// use biofast_ops::import::ReadGroup;
///
/// let sam = b"@RG\tID:a\nr\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tRG:Z:a\tNM:i:1\n";
/// let mut reader = Reader::from_reader("example", &sam[..])?;
/// let header = reader.shared_header();
/// let line = ReadGroup::parse(&["ID:b", "SM:s"]).map_err(std::io::Error::other)?.remove(0);
/// let change = GroupChange::new(&header, &NewGroup::Line(line), GroupMode::OverwriteAll, false)?;
/// assert_eq!(change.header().text(), b"@RG\tID:b\tSM:s\n");
/// let record = reader.next_record()?.ok_or("no record")?;
/// let mut changed = Vec::new();
/// let record = change.of(&record, &mut changed)?;
/// assert_eq!(record.tag_bytes(), b"NMC\x01RGZb\0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct GroupChange {
    id: Vec<u8>,
    mode: GroupMode,
    header: Header,
}

impl GroupChange {
    /// The read group of files with this header. A new one whose ID the header has takes the place of that one if `replaces` is
    /// set.
    ///
    /// # Errors
    /// If the header has such a read group, or none such.
    pub fn new(
        header: &Header,
        group: &NewGroup,
        mode: GroupMode,
        replaces: bool,
    ) -> Result<GroupChange, NewGroupError> {
        let has = |id: &[u8]| header.read_group_ids().any(|known| known == id);
        let (id, header) = match group {
            NewGroup::First => {
                let first = header.read_group_ids().next().ok_or(NewGroupError::None)?;
                (first.to_vec(), header.clone())
            }
            NewGroup::Known(id) if has(id.as_bytes()) => (id.clone().into_bytes(), header.clone()),
            NewGroup::Known(id) => return Err(NewGroupError::Unknown(id.clone())),
            NewGroup::Line(group) => {
                let id = group.id().as_bytes();
                if has(id) && !replaces {
                    return Err(NewGroupError::Exists(group.id().to_owned()));
                }
                let stays = |other: &[u8]| mode == GroupMode::OrphanOnly && other != id;
                (id.to_vec(), header.with_read_groups(stays).with_line(group.line()))
            }
        };
        Ok(GroupChange { id, mode, header })
    }

    /// The header with the read group.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The record with the read group, which is made in `changed` if it is another one.
    ///
    /// # Errors
    /// If its tags can't be read, or it is too long then.
    pub fn of<'r>(
        &self,
        record: &Record<'r>,
        changed: &'r mut Vec<u8>,
    ) -> Result<Record<'r>, Error> {
        record.check()?;
        if self.mode == GroupMode::OrphanOnly && record.tags().any(|tag| tag.name == *b"RG") {
            return Ok(*record);
        }
        let bytes = record.as_bytes();
        let mut at = bytes.len() - record.tag_bytes().len();
        changed.clear();
        changed.extend_from_slice(&bytes[..at]);
        for tag in record.tags() {
            let len = stored_len(&tag);
            if tag.name != *b"RG" {
                changed.extend_from_slice(&bytes[at..at + len]);
            }
            at += len;
        }
        append_text(*b"RG", &self.id, changed);
        if changed.len() as u64 > MAX_RECORD_LEN {
            let name = Shown(record.name()).to_string();
            let reason = "it is too long for BAM with the read group".into();
            return Err(Error::new(ErrorKind::Unwritable { name, reason }, Default::default()));
        }
        Ok(Record::from_checked(changed))
    }
}
