//! Reads that wait for their mates in temporary files, in parts by a hash of their names.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::Path;

use super::collator::arrival::ReadArrival;
use super::segment::TemplateSegment;
use crate::change::spill::{Partitions, Stored, StoredReader};

/// How many files reads are parted into.
const FILES: usize = 32;
/// Bytes kept for a file before they are written.
const BUFFER: usize = 64 << 10;

/// The files.
pub(super) struct Spill {
    files: Partitions<SpilledRead>,
    /// How often reads have been parted before, so that it isn't done by the same hash again.
    level: u32,
}

impl Spill {
    pub(super) fn create(folder: &Path, level: u32) -> io::Result<Spill> {
        Ok(Spill { files: Partitions::create(folder, FILES, BUFFER)?, level })
    }

    /// Adds a read.
    pub(super) fn add(&mut self, read: &ReadArrival<'_>) -> io::Result<()> {
        let mut hasher = DefaultHasher::new();
        (self.level, read.name).hash(&mut hasher);
        self.files.add(hasher.finish(), read)
    }

    /// The files for reading, one after the other.
    pub(super) fn into_files(self) -> impl Iterator<Item = io::Result<StoredReader<SpilledRead>>> {
        self.files.into_readers()
    }
}

/// A read: the length of its name, bits, the length of its text, and both.
pub(super) enum SpilledRead {}

impl Stored for SpilledRead {
    type Record<'a> = ReadArrival<'a>;
    const HEAD: usize = 6;

    fn write(read: &ReadArrival<'_>, out: &mut impl Write) -> io::Result<u64> {
        // A name has at most 254 bytes; a text that doesn't fit 32 bits isn't made of a record.
        let name_len = u8::try_from(read.name.len()).map_err(io::Error::other)?;
        let text_len = u32::try_from(read.text.len()).map_err(io::Error::other)?;
        let is_second = u8::from(read.part == TemplateSegment::Second);
        let bits = is_second | u8::from(read.has_qualities) << 1 | u8::from(read.is_primary) << 2;
        out.write_all(&[name_len, bits])?;
        out.write_all(&text_len.to_le_bytes())?;
        out.write_all(read.name)?;
        out.write_all(read.text)?;
        Ok((SpilledRead::HEAD + read.name.len() + read.text.len()) as u64)
    }

    fn rest(head: &[u8]) -> usize {
        let &[name_len, _, a, b, c, d] = head else { return 0 };
        usize::from(name_len) + u32::from_le_bytes([a, b, c, d]) as usize
    }

    fn read<'a>(head: &'a [u8], rest: &'a [u8]) -> ReadArrival<'a> {
        let (name, text) = rest.split_at(usize::from(head[0]));
        let bits = head[1];
        let part = if bits & 1 == 0 { TemplateSegment::First } else { TemplateSegment::Second };
        let (has_qualities, is_primary) = (bits & 2 != 0, bits & 4 != 0);
        ReadArrival { name, text, part, has_qualities, is_primary }
    }
}
