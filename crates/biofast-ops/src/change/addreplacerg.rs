//! Alignments of another read group: what `samtools addreplacerg` does.

use biofast_bam::{Error, Header, Record};

use super::edit::{RecordEdit, made};
use super::import::ReadGroup;
use crate::tags::{append_tags, append_text};

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
/// use biofast_ops::edit::RecordEdit;
/// use biofast_ops::import::ReadGroup;
///
/// let sam = b"@RG\tID:a\nr\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tRG:Z:a\tNM:i:1\n";
/// let mut reader = Reader::from_reader("example", &sam[..])?;
/// let header = reader.shared_header();
/// let line = ReadGroup::parse(&["ID:b", "SM:s"]).map_err(std::io::Error::other)?.remove(0);
/// let change = GroupChange::new(&header, &NewGroup::Line(line), GroupMode::OverwriteAll, false)?;
/// assert_eq!(change.header().text(), b"@RG\tID:b\tSM:s\n");
/// let record = reader.next_record()?.ok_or("no record")?;
/// let mut room = Vec::new();
/// let record = change.edit(record, &mut room)?.ok_or("left out")?;
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
        let ids = || header.read_groups().filter_map(|group| group.id());
        let has = |id: &[u8]| ids().any(|known| known == id);
        let (id, header) = match group {
            NewGroup::First => {
                let first = ids().next().ok_or(NewGroupError::None)?;
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
}

impl RecordEdit for GroupChange {
    fn header(&self) -> &Header {
        &self.header
    }

    /// The record with the read group.
    fn edit<'r>(
        &self,
        record: Record<'r>,
        room: &'r mut Vec<u8>,
    ) -> Result<Option<Record<'r>>, Error> {
        if self.mode == GroupMode::OrphanOnly && record.tags().any(|tag| tag.name == *b"RG") {
            return Ok(Some(record));
        }
        let bytes = record.as_bytes();
        room.clear();
        room.extend_from_slice(&bytes[..bytes.len() - record.tag_bytes().len()]);
        append_tags(&record, room, |name| name == *b"RG");
        append_text(*b"RG", &self.id, room);
        made(&record, room).map(Some)
    }
}
