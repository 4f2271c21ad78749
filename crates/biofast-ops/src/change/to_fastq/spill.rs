//! Reads that wait for their mates in temporary files, in parts by a hash of their names.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::Part;
use super::collator::Arrival;

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

/// A file without a name, where the system has such; else one that is removed in the end.
struct Temporary {
    file: File,
    path: Option<PathBuf>,
}

static NUMBER: AtomicU64 = AtomicU64::new(0);

impl Temporary {
    fn create(folder: &Path) -> io::Result<Temporary> {
        #[cfg(target_os = "linux")]
        {
            use std::os::unix::fs::OpenOptionsExt;
            // It never has a name, so that nothing can stay of a process that is killed. Not every file system can do it.
            let mut options = File::options();
            options.read(true).write(true).custom_flags(libc::O_TMPFILE);
            if let Ok(file) = options.open(folder) {
                return Ok(Temporary { file, path: None });
            }
        }
        Temporary::create_named(folder)
    }

    fn create_named(folder: &Path) -> io::Result<Temporary> {
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!(".biofast-{}-{number}.biofast-tmp", std::process::id());
            let path = folder.join(name);
            match File::options().read(true).write(true).create_new(true).open(&path) {
                Ok(file) => {
                    // Gone with the process, however that ends.
                    let is_gone = std::fs::remove_file(&path).is_ok();
                    return Ok(Temporary { file, path: (!is_gone).then_some(path) });
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Nothing sensible is left to do if even the removal fails.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Spill {
    pub(super) fn create(folder: &Path, level: u32) -> io::Result<Spill> {
        let file = |_| Ok(BufWriter::with_capacity(BUFFER, Temporary::create(folder)?));
        Ok(Spill { files: (0..FILES).map(file).collect::<io::Result<_>>()?, level })
    }

    /// Adds a read.
    pub(super) fn add(&mut self, read: &Arrival<'_>) -> io::Result<()> {
        let mut hasher = DefaultHasher::new();
        (self.level, read.name).hash(&mut hasher);
        let index = (hasher.finish() % FILES as u64) as usize;
        let file = &mut self.files[index];
        // A name has at most 254 bytes; a text that doesn't fit 32 bits isn't made of a record.
        let name_len = u8::try_from(read.name.len()).map_err(io::Error::other)?;
        let text_len = u32::try_from(read.text.len()).map_err(io::Error::other)?;
        let is_second = u8::from(read.part == Part::Second);
        file.write_all(&[name_len, is_second | u8::from(read.has_qualities) << 1])?;
        file.write_all(&text_len.to_le_bytes())?;
        file.write_all(read.name)?;
        file.write_all(read.text)
    }

    /// The files for reading, one after the other.
    pub(super) fn into_files(self) -> impl Iterator<Item = io::Result<Stored>> {
        self.files.into_iter().map(|file| {
            let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.file.seek(SeekFrom::Start(0))?;
            Ok(Stored { reader: BufReader::with_capacity(BUFFER, file), bytes: Vec::new() })
        })
    }
}

impl Read for Temporary {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.file.read(out)
    }
}

/// Reads of one file.
pub(super) struct Stored {
    reader: BufReader<Temporary>,
    bytes: Vec<u8>,
}

impl Stored {
    /// The next read, in the order they were added.
    pub(super) fn next(&mut self) -> io::Result<Option<Arrival<'_>>> {
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
        let part = if bits & 1 == 0 { Part::First } else { Part::Second };
        Ok(Some(Arrival { name, text, part, has_qualities: bits & 2 != 0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_and_without_a_name_hold_what_is_written_and_leave_nothing() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        for mut file in [Temporary::create(folder.path())?, Temporary::create_named(folder.path())?]
        {
            // On unix even the one with a name has lost it.
            assert!(!cfg!(unix) || std::fs::read_dir(folder.path())?.count() == 0);
            file.write_all(b"reads")?;
            file.file.seek(SeekFrom::Start(0))?;
            let mut content = String::new();
            file.read_to_string(&mut content)?;
            assert_eq!(content, "reads");
        }
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }
}
