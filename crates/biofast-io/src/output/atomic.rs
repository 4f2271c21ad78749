//! Output files that appear under their name only when complete.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file written beside its final name and renamed when [`commit`](AtomicFile::commit)ted.
/// Dropped without a commit, it leaves nothing behind. A symbolic link at the path is followed.
///
/// A process that is killed leaves a hidden file ending in `.biofast-tmp`, and whatever had been
/// under the final name before. The next one that writes the same name removes it: whose writer
/// lives is known by a lock.
pub struct AtomicFile {
    writer: Option<BufWriter<File>>,
    /// The complete file, kept open for its lock.
    complete: Option<File>,
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
        #[cfg(unix)]
        remove_leftovers(path, name);
        let mut attempt = 0;
        loop {
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}-{attempt}.biofast-tmp", std::process::id()));
            let temporary = path.with_file_name(hidden);
            match File::options().write(true).create_new(true).open(&temporary) {
                Ok(file) if is_claimed(&file, &temporary) => {
                    let writer = Some(BufWriter::new(file));
                    let path = path.to_owned();
                    return Ok(AtomicFile { writer, complete: None, temporary, path });
                }
                // Removed between its creation and the lock.
                Ok(_) => attempt += 1,
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && attempt < ATTEMPTS => {
                    attempt += 1;
                }
                Err(e) => return Err(e),
            }
        }
    }

    /// Flushes the file under its temporary name, and waits for the disk if `sync` is set.
    ///
    /// # Errors
    /// If any of that fails.
    pub fn complete(&mut self, sync: bool) -> io::Result<()> {
        if let Some(writer) = self.writer.take() {
            let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
            if sync {
                // On macOS this is F_FULLFSYNC, which also empties the disk's own cache.
                file.sync_all()?;
            }
            self.complete = Some(file);
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

/// Takes the lock that says the file is in use; false if the file has lost its name before that.
/// Where a file system has no locks, nobody removes leftovers either.
#[cfg(unix)]
fn is_claimed(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let _ = file.lock();
    let place = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    let (ours, named) = (file.metadata().map(place), std::fs::metadata(path).map(place));
    matches!((ours, named), (Ok(ours), Ok(named)) if ours == named)
}

#[cfg(not(unix))]
fn is_claimed(_: &File, _: &Path) -> bool {
    true
}

/// Removes what killed processes have left of the file called `name`. That it can't be done is no
/// reason not to write.
#[cfg(unix)]
fn remove_leftovers(path: &Path, name: &std::ffi::OsStr) {
    use std::os::unix::ffi::OsStrExt;
    let here = Path::new(".");
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(here);
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let found = entry.file_name();
        let is_leftover = || {
            let middle = found.as_bytes().strip_prefix(b".")?.strip_prefix(name.as_bytes())?;
            let numbers = middle.strip_prefix(b".")?.strip_suffix(b".biofast-tmp")?;
            let (pid, attempt) = numbers.split_at(numbers.iter().position(|&b| b == b'-')?);
            let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
            (is_number(pid) && is_number(&attempt[1..])).then_some(())
        };
        if is_leftover().is_none() || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        // Held until the name is gone: whoever has just made the file notices.
        if let Ok(file) = File::options().write(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = std::fs::remove_file(entry.path());
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

    #[cfg(unix)]
    #[test]
    fn what_killed_processes_left_is_removed_and_what_others_write_is_not() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x.fq");
        let left = [".x.fq.12-0.biofast-tmp", ".x.fq.4000000000-7.biofast-tmp"];
        let others = [".y.fq.12-0.biofast-tmp", ".x.fq.12.biofast-tmp", ".x.fq.a-0.biofast-tmp"];
        for name in left.iter().chain(&others) {
            std::fs::write(folder.path().join(name), "half")?;
        }
        let mut living = AtomicFile::create(&path)?;
        living.write_all(b"1")?;
        living.complete(false)?;
        let mut second = AtomicFile::create(&path)?;
        second.write_all(b"2")?;
        assert!(left.iter().all(|name| !folder.path().join(name).exists()));
        assert!(others.iter().all(|name| folder.path().join(name).exists()));
        // Complete, but not renamed yet: it still is in use.
        living.rename(false)?;
        assert_eq!(std::fs::read(&path)?, b"1");
        second.commit()?;
        assert_eq!(std::fs::read(&path)?, b"2");
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 1 + others.len());
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
