//! Files that are gone with the process.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file without a name, where the system has such; else one that is removed in the end.
#[derive(Debug)]
pub(in crate::change) struct Temporary {
    file: File,
    path: Option<PathBuf>,
}

static NUMBER: AtomicU64 = AtomicU64::new(0);

impl Temporary {
    pub(in crate::change) fn create(folder: &Path) -> io::Result<Temporary> {
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

impl Temporary {
    /// Another handle of the file, whose place in it is the same one.
    pub(in crate::change) fn try_clone(&self) -> io::Result<File> {
        self.file.try_clone()
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

impl Read for Temporary {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.file.read(out)
    }
}

impl Seek for Temporary {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Fills `bytes`, or returns false if the file ends right here; an end amid them is an error.
pub(in crate::change) fn read_or_end(file: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read(&mut bytes[filled..]) {
            Ok(0) if filled == 0 => return Ok(false),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
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
            file.seek(SeekFrom::Start(0))?;
            let mut content = String::new();
            file.read_to_string(&mut content)?;
            assert_eq!(content, "reads");
        }
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }

    #[test]
    fn rows_end_between_rows_only_and_an_interrupted_read_is_tried_again() -> io::Result<()> {
        /// Two bytes at a time, each after an interruption.
        struct Interrupted(io::Cursor<&'static [u8]>, bool);
        impl Read for Interrupted {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                self.1 = !self.1;
                if self.1 {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                let n = out.len().min(2);
                self.0.read(&mut out[..n])
            }
        }
        let mut row = [0; 3];
        let mut file = Interrupted(io::Cursor::new(b"onetwo"), false);
        assert!(read_or_end(&mut file, &mut row)? && row == *b"one");
        assert!(read_or_end(&mut file, &mut row)? && row == *b"two");
        assert!(!read_or_end(&mut file, &mut row)?);
        let mut cut = Interrupted(io::Cursor::new(b"onet"), false);
        assert!(read_or_end(&mut cut, &mut row)?);
        let error = read_or_end(&mut cut, &mut row).map_err(|error| error.kind());
        assert_eq!(error, Err(io::ErrorKind::UnexpectedEof));
        Ok(())
    }
}
