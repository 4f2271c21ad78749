//! A file that is open only while it is written to: there may be more of these than the system lets a process have open.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::close::close;

/// From so many bytes on they are written: opening and closing then cost little beside it.
const LEN: usize = 16 << 10;

/// A file that exists, and what is to be appended to it.
pub(super) struct Gathered {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Gathered {
    /// Goes on with the file at `path`.
    pub(super) fn new(path: &Path) -> Gathered {
        Gathered { path: path.to_owned(), bytes: Vec::new() }
    }

    /// Keeps `bytes`, or writes them with those before if they are many.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.bytes.len() + bytes.len() < LEN {
            self.bytes.extend_from_slice(bytes);
            return Ok(());
        }
        let mut file = self.open()?;
        file.write_all(bytes)?;
        close(file)
    }

    /// The file with all that was appended.
    pub(super) fn open(&mut self) -> io::Result<File> {
        // Not made anew: that it is gone is an error.
        let mut file = File::options().append(true).open(&self.path)?;
        file.write_all(&std::mem::take(&mut self.bytes))?;
        Ok(file)
    }
}
