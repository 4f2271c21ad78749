//! The bases that records are compared with.

use std::io;

use biofast_io::Location;

use super::extent::Extent;
use super::features::Stretch;
use crate::cram::reference::Repository;
use crate::error::Error;
use crate::fasta::Fasta;
use crate::header::Header;
use crate::record::Record;

/// Where bases come from, and whether they are stored.
pub(super) enum WriterReference {
    /// Bases are stored as they are.
    None,
    Fasta {
        fasta: Fasta,
        is_embedded: bool,
    },
    /// Whole sequences, where the environment says.
    Stored {
        repository: Repository,
        header: Header,
        is_embedded: bool,
    },
}

/// The stretches of references that the records of a slice are aligned to.
pub(super) struct Stretches(Vec<(i32, i64, Vec<u8>)>);

/// A stretch is read as one if it is so long, and longer by as much for each record: where records are farther apart, each one's
/// bases are read for themselves.
const STRETCH: i64 = 1 << 20;
const STRETCH_OF_RECORD: i64 = 1 << 10;

impl WriterReference {
    pub(super) fn is_there(&self) -> bool {
        !matches!(self, WriterReference::None)
    }

    pub(super) fn is_embedded(&self) -> bool {
        match self {
            WriterReference::None => false,
            WriterReference::Fasta { is_embedded, .. }
            | WriterReference::Stored { is_embedded, .. } => *is_embedded,
        }
    }

    /// The bases of a slice's references.
    pub(super) fn stretches(&self, extents: &[Extent]) -> io::Result<Stretches> {
        let mut stretches = Vec::new();
        if !self.is_there() {
            return Ok(Stretches(stretches));
        }
        for extent in extents.iter().filter(|extent| extent.reference >= 0) {
            let (first, len) = ((extent.start - 1).max(0), extent.end - extent.start + 1);
            let is_near = len <= STRETCH + STRETCH_OF_RECORD * extent.records as i64;
            if is_near || extents.len() == 1 {
                let bases = self.fetch(extent.reference, first, len)?;
                stretches.push((extent.reference, first, bases));
            }
        }
        Ok(Stretches(stretches))
    }

    /// Replaces `bases` by those that a record is aligned to, from its position on.
    pub(super) fn stretch_of(&self, record: &Record<'_>, bases: &mut Vec<u8>) -> io::Result<()> {
        bases.clear();
        if record.reference_id() >= 0 {
            let first = i64::from(record.position()).max(0);
            let len = record.alignment_end() - first;
            *bases = self.fetch(record.reference_id(), first, len)?;
        }
        Ok(())
    }

    /// Bases in capitals, up to the end of the sequence at most.
    fn fetch(&self, reference: i32, first: i64, len: i64) -> io::Result<Vec<u8>> {
        let (first, len) = (first as u64, len.max(0) as usize);
        let mut bases = Vec::new();
        match self {
            WriterReference::None => {}
            WriterReference::Fasta { fasta, .. } => {
                fasta.fetch(reference, first, len, &mut bases).map_err(of_fasta)?;
                bases.make_ascii_uppercase();
            }
            WriterReference::Stored { repository, header, .. } => {
                let name = header.reference_name(reference).unwrap_or_default();
                let found = repository.get(usize::try_from(reference).unwrap_or_default(), name);
                let located = |kind| Error::new(kind, Location::default());
                let whole = found.map_err(located)?;
                let start = whole.len().min(usize::try_from(first).unwrap_or(usize::MAX));
                bases.extend_from_slice(&whole[start..whole.len().min(start.saturating_add(len))]);
            }
        }
        Ok(bases)
    }
}

/// A sequence that a FASTA file lacks is no output that is missing.
pub(super) fn of_fasta(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(io::ErrorKind::InvalidInput, error.to_string()),
        _ => error,
    }
}

impl Stretches {
    /// That of a reference, if there is one.
    pub(super) fn of(&self, reference: i32) -> Option<Stretch<'_>> {
        let found = self.0.iter().find(|(known, ..)| *known == reference);
        found.map(|(_, first, bases)| Stretch { bases, first: *first })
    }
}
