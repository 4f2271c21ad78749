//! Output files that appear under their name only when complete.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file written beside its final name and renamed when [`commit`](AtomicFile::commit)ted.
/// Dropped without a commit, it leaves nothing behind. A symbolic link at the path is followed.
///
/// A process that is killed leaves a hidden file ending in `.biofast-tmp`, and whatever had been
/// under the final name before.
pub struct AtomicFile {
    writer: Option<BufWriter<File>>,
    temporary: PathBuf,
    path: PathBuf,
}

/// What a killed process of the same number may have left behind is stepped over this often.
const ATTEMPTS: u32 = 1000;

impl AtomicFile {
    /// Starts writing what will be `path`.
    ///
    /// # Errors
    /// If the folder can't be written to.
    pub fn create(path: &Path) -> io::Result<AtomicFile> {
        let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let mut attempt = 0;
        loop {
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}-{attempt}.biofast-tmp", std::process::id()));
            let temporary = path.with_file_name(hidden);
            match File::options().write(true).create_new(true).open(&temporary) {
                Ok(file) => {
                    let writer = Some(BufWriter::new(file));
                    return Ok(AtomicFile { writer, temporary, path: path.to_owned() });
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && attempt < ATTEMPTS => {
                    attempt += 1;
                }
                Err(e) => return Err(e),
            }
        }
    }

    /// Flushes and closes the file under its temporary name, after waiting for the disk if
    /// `sync` is set.
    ///
    /// # Errors
    /// If any of that fails.
    pub fn complete(&mut self, sync: bool) -> io::Result<()> {
        if let Some(writer) = self.writer.take() {
            let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
            if sync {
                file.sync_all()?;
            }
        }
        Ok(())
    }

    /// Gives a [`complete`](Self::complete) file its name, and if `sync` is set, waits until the
    /// folder has it.
    ///
    /// # Errors
    /// If the file isn't complete or can't be renamed; it is then removed.
    pub fn rename(mut self, sync: bool) -> io::Result<()> {
        if self.writer.is_some() {
            return Err(io::Error::other("the file is not complete"));
        }
        std::fs::rename(&self.temporary, &self.path)?;
        self.temporary.clear();
        if sync && let Some(folder) = self.path.parent() {
            let here = Path::new(".");
            File::open(if folder.as_os_str().is_empty() { here } else { folder })?.sync_all()?;
        }
        Ok(())
    }

    /// Flushes, waits for the disk, closes and renames.
    ///
    /// # Errors
    /// If any of that fails; the temporary file is then removed.
    pub fn commit(mut self) -> io::Result<()> {
        // Some file systems report a full disk only when the data are synced.
        self.complete(true)?;
        self.rename(false)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.writer {
            Some(writer) => writer.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.temporary.as_os_str().is_empty() {
            // Nothing sensible is left to do if even the removal fails.
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_appears_without_a_commit() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("report.json");
        let mut file = AtomicFile::create(&path)?;
        file.write_all(b"half")?;
        drop(file);
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
        let mut file = AtomicFile::create(&path)?;
        file.write_all(b"whole")?;
        assert!(!path.exists());
        file.commit()?;
        assert_eq!(std::fs::read(&path)?, b"whole");
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
        Ok(())
    }

    #[test]
    fn what_a_killed_process_of_the_same_number_left_is_stepped_over() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x");
        let first = AtomicFile::create(&path)?;
        let mut second = AtomicFile::create(&path)?;
        second.write_all(b"2")?;
        second.commit()?;
        drop(first);
        assert_eq!(std::fs::read(&path)?, b"2");
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
        Ok(())
    }

    #[test]
    fn an_incomplete_file_is_not_renamed() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut file = AtomicFile::create(&folder.path().join("x"))?;
        file.write_all(b"half")?;
        assert!(file.rename(false).is_err());
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }
}
