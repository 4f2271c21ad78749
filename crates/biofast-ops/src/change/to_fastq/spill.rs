//! Reads that wait for their mates in temporary files, in parts by a hash of their names.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::collator::arrival::ReadArrival;
use super::segment::TemplateSegment;
use crate::change::temporary::Temporary;

/// How many files reads are parted into.
const FILES: usize = 32;
/// Bytes kept for a file before they are written.
const BUFFER: usize = 64 << 10;

/// The files.
pub(super) struct Spill {
    files: Vec<BufWriter<Temporary>>,
    /// How often reads have been parted before, so that it isn't done by the same hash again.
    level: u32,
}

impl Spill {
    pub(super) fn create(folder: &Path, level: u32) -> io::Result<Spill> {
        let file = |_| Ok(BufWriter::with_capacity(BUFFER, Temporary::create(folder)?));
        Ok(Spill { files: (0..FILES).map(file).collect::<io::Result<_>>()?, level })
    }

    /// Adds a read.
    pub(super) fn add(&mut self, read: &ReadArrival<'_>) -> io::Result<()> {
        let mut hasher = DefaultHasher::new();
        (self.level, read.name).hash(&mut hasher);
        let index = (hasher.finish() % FILES as u64) as usize;
        let file = &mut self.files[index];
        // A name has at most 254 bytes; a text that doesn't fit 32 bits isn't made of a record.
        let name_len = u8::try_from(read.name.len()).map_err(io::Error::other)?;
        let text_len = u32::try_from(read.text.len()).map_err(io::Error::other)?;
        let is_second = u8::from(read.part == TemplateSegment::Second);
        let bits = is_second | u8::from(read.has_qualities) << 1 | u8::from(read.is_primary) << 2;
        file.write_all(&[name_len, bits])?;
        file.write_all(&text_len.to_le_bytes())?;
        file.write_all(read.name)?;
        file.write_all(read.text)
    }

    /// The files for reading, one after the other.
    pub(super) fn into_files(self) -> impl Iterator<Item = io::Result<SpilledReads>> {
        self.files.into_iter().map(|file| {
            let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.seek(SeekFrom::Start(0))?;
            Ok(SpilledReads { reader: BufReader::with_capacity(BUFFER, file), bytes: Vec::new() })
        })
    }
}

/// Reads of one file.
pub(super) struct SpilledReads {
    reader: BufReader<Temporary>,
    bytes: Vec<u8>,
}

impl SpilledReads {
    /// The next read, in the order they were added.
    pub(super) fn next(&mut self) -> io::Result<Option<ReadArrival<'_>>> {
        let mut head = [0; 6];
        // What a signal interrupts is tried again, as `read_exact` does it.
        let first = loop {
            match self.reader.read(&mut head[..1]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        if first == 0 {
            return Ok(None);
        }
        self.reader.read_exact(&mut head[1..])?;
        let [name_len, bits, len @ ..] = head;
        let name_len = usize::from(name_len);
        self.bytes.resize(name_len + u32::from_le_bytes(len) as usize, 0);
        self.reader.read_exact(&mut self.bytes)?;
        let (name, text) = self.bytes.split_at(name_len);
        let part = if bits & 1 == 0 { TemplateSegment::First } else { TemplateSegment::Second };
        let (has_qualities, is_primary) = (bits & 2 != 0, bits & 4 != 0);
        Ok(Some(ReadArrival { name, text, part, has_qualities, is_primary }))
    }
}
