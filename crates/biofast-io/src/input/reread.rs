//! Files that are read more than once have to be the same each time.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::{address, display_name, source::Source};
use crate::error::{Error, ErrorKind, Location};

/// A file as it was when it was first opened, for whoever reads it again: what was found in the first reading would be wrong for
/// another file, and nobody would notice.
///
/// [`check`](Self::check) it when the file is opened again, and when it has been read for the last time, before any
/// output appears. Of an object at an [address](crate::remote::address) one version is read whatever happens, and what
/// isn't a regular file can't be read again: neither changes.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use biofast_io::{ErrorKind, Reread};
///
/// let path = std::env::temp_dir().join(format!("biofast-doc-reread-{}", std::process::id()));
/// std::fs::write(&path, "@r\nACGT\n+\nIIII\n")?;
/// let file = Reread::new(&path);
/// assert!(file.check().is_ok());
/// std::fs::write(&path, "@r\nAC\n+\nII\n")?;
/// let error = file.check().expect_err("it is shorter");
/// assert!(matches!(error.kind(), ErrorKind::Changed));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reread {
    path: PathBuf,
    /// None of what doesn't change.
    state: Option<Box<FileFingerprint>>,
}

/// What tells a file from another one, and from itself after a change. All of it is compared: a file that is written to
/// and given its former time back has another time of its last change of status.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileFingerprint {
    len: u64,
    modified: Option<SystemTime>,
    /// Device, inode and the time of the last change of status.
    #[cfg(unix)]
    identity: (u64, u64, i64, i64),
}

impl FileFingerprint {
    fn of(path: &Path) -> Option<FileFingerprint> {
        let found = std::fs::metadata(path).ok().filter(|found| found.is_file())?;
        Some(FileFingerprint {
            len: found.len(),
            modified: found.modified().ok(),
            #[cfg(unix)]
            identity: {
                use std::os::unix::fs::MetadataExt;
                (found.dev(), found.ino(), found.ctime(), found.ctime_nsec())
            },
        })
    }
}

impl Reread {
    /// The file at `path` as it is now.
    pub fn new(path: &Path) -> Reread {
        let is_file = address::address(path).is_none();
        let state = is_file.then(|| FileFingerprint::of(path)).flatten().map(Box::new);
        Reread { path: path.to_owned(), state }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens it again.
    ///
    /// # Errors
    /// If it has changed, or can't be opened.
    pub fn open(&self) -> Result<Source, Error> {
        let source = Source::open(&self.path)?;
        self.check()?;
        Ok(source)
    }

    /// An error if the file has changed, or another one has taken its place.
    ///
    /// # Errors
    /// Of the kind [`Changed`](ErrorKind::Changed).
    pub fn check(&self) -> Result<(), Error> {
        match &self.state {
            Some(state) if FileFingerprint::of(&self.path).as_ref() != Some(&**state) => {
                Err(self.changed())
            }
            _ => Ok(()),
        }
    }

    /// The error that it has changed, where its content shows that.
    pub fn changed(&self) -> Error {
        let name: Arc<str> = display_name(&self.path).into();
        Error::new(ErrorKind::Changed, Location::in_input(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_is_noticed_and_none_is_made_up() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x");
        let other = folder.path().join("y");
        let change: [&dyn Fn() -> std::io::Result<()>; 5] = [
            &|| std::fs::write(&path, "longer"),
            &|| std::fs::write(&other, "0123").and_then(|()| std::fs::rename(&other, &path)),
            &|| std::fs::remove_file(&path),
            &|| std::fs::remove_file(&path).and_then(|()| std::fs::create_dir(&path)),
            // As long, and with the time that it had.
            &|| {
                let time = std::fs::metadata(&path)?.modified()?;
                std::thread::sleep(std::time::Duration::from_millis(20));
                std::fs::write(&path, "9876")?;
                std::fs::File::options().write(true).open(&path)?.set_modified(time)
            },
        ];
        for (number, change) in change.iter().enumerate() {
            let _ = std::fs::remove_dir(&path);
            std::fs::write(&path, "0123")?;
            let file = Reread::new(&path);
            std::fs::read(&path)?;
            assert!(file.check().is_ok() && file.open().is_ok());
            change()?;
            let error = file.check().expect_err("it has changed");
            assert!(
                error.to_string().ends_with("x: changed while it was being read"),
                "{number}: {error}"
            );
            assert!(file.open().is_err());
        }
        Ok(())
    }

    #[test]
    fn what_cannot_change_is_as_it_was() {
        for path in ["https://host.invalid/x.fq", "/dev/null", "no/such/file"] {
            assert!(Reread::new(path.as_ref()).check().is_ok());
        }
    }
}
