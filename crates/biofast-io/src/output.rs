//! Output files that appear under their name only when complete.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file written beside its final name and renamed when [`commit`](AtomicFile::commit)ted.
/// Dropped without a commit, it leaves nothing behind. A symbolic link at the path is followed.
pub struct AtomicFile {
    writer: Option<BufWriter<File>>,
    temporary: PathBuf,
    path: PathBuf,
}

impl AtomicFile {
    /// Starts writing what will be `path`.
    ///
    /// # Errors
    /// If the folder can't be written to.
    pub fn create(path: &Path) -> io::Result<AtomicFile> {
        let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.biofast-tmp", std::process::id()));
        let temporary = path.with_file_name(hidden);
        let file = File::options().write(true).create_new(true).open(&temporary)?;
        Ok(AtomicFile { writer: Some(BufWriter::new(file)), temporary, path: path.to_owned() })
    }

    /// Flushes, closes and renames.
    ///
    /// # Errors
    /// If any of that fails; the temporary file is then removed.
    pub fn commit(mut self) -> io::Result<()> {
        if let Some(writer) = self.writer.take() {
            let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
            // Some file systems report a full disk only here.
            file.sync_data()?;
            drop(file);
            std::fs::rename(&self.temporary, &self.path)?;
            self.temporary.clear();
        }
        Ok(())
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
}
