//! Results: to standard output, or to a file that appears only when complete.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};
use biofast::io::output::AtomicFile;

/// The output was closed by its reader.
#[derive(Debug)]
struct ClosedPipe;

impl std::fmt::Display for ClosedPipe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the output was closed")
    }
}

impl std::error::Error for ClosedPipe {}

/// Whether the error is an output closed by its reader, which is the reader's choice.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.is::<ClosedPipe>()
}

/// Writes `text` to the file at `path`, or to standard output.
pub(crate) fn write(path: Option<&Path>, text: &str) -> Result<()> {
    write_bytes(path, text.as_bytes())
}

/// The same for what isn't text.
pub(crate) fn write_bytes(path: Option<&Path>, bytes: &[u8]) -> Result<()> {
    match path {
        Some(path) => {
            let write = || -> io::Result<()> {
                if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
                    // A device or a pipe can't be replaced, only written to.
                    let mut file = std::fs::File::options().write(true).open(path)?;
                    file.write_all(bytes)?;
                    return file.flush();
                }
                let mut file = AtomicFile::create(path)?;
                file.write_all(bytes)?;
                file.commit()
            };
            match write() {
                // Only a pipe or a device given by name can say so.
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Err(ClosedPipe.into()),
                result => result.with_context(|| format!("can't write {}", path.display())),
            }
        }
        None => {
            let mut stdout = io::stdout().lock();
            let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
            match written {
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Err(ClosedPipe.into()),
                result => result.context("can't write to standard output"),
            }
        }
    }
}
