//! The temporary files of this process, so that all of them can be removed when it has to end.
//!
//! The crate `tempfile`, which tests use, doesn't do what outputs need: files that lie beside their target and are locked, so that
//! the next run can tell and remove what a killed one left, and several that get their names together or not at all.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

struct TemporaryFiles {
    /// Files that have no name of their own yet.
    files: BTreeSet<PathBuf>,
    /// Folders that were made for outputs, outer ones first.
    folders: Vec<PathBuf>,
    /// Nothing may be made or renamed any more.
    abandoned: bool,
    /// Some output has got its name.
    committed: bool,
}

static STATE: Mutex<TemporaryFiles> = Mutex::new(TemporaryFiles {
    files: BTreeSet::new(),
    folders: Vec::new(),
    abandoned: false,
    committed: false,
});

fn state() -> MutexGuard<'static, TemporaryFiles> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every output of this process that is not complete, with the folders made for them, and makes every later one fail: for a program that is told
/// to end (see the handler of signals in `biofast-cli`). Returns whether outputs have already appeared under their names;
/// while they do, it waits. A program that has them should end as it was about to.
///
/// It takes locks and must not be called inside a signal handler.
///
/// ```standalone_crate
/// use biofast_io::output::{self, Output};
///
/// let path = std::env::temp_dir().join(format!("biofast-doc-abandon-{}", std::process::id()));
/// let mut output = Output::create_with(&path, Default::default())?;
/// output.append(b"half of it")?;
/// // The user has pressed Ctrl-C.
/// assert!(!output::abandon());
/// assert!(output::commit(vec![output], false).is_err());
/// assert!(!path.exists());
/// # Ok::<(), output::Error>(())
/// ```
pub fn abandon() -> bool {
    let mut state = state();
    state.abandoned = true;
    for path in std::mem::take(&mut state.files) {
        // Nothing sensible is left to do if even the removal fails.
        let _ = std::fs::remove_file(path);
    }
    for path in std::mem::take(&mut state.folders).iter().rev() {
        // One that holds something stays.
        let _ = std::fs::remove_dir(path);
    }
    state.committed
}

/// Whether outputs of this process have been [abandoned](abandon) before any of them had appeared. Later failures then
/// follow from that, and needn't be reported.
pub fn is_abandoned() -> bool {
    let state = state();
    state.abandoned && !state.committed
}

fn interrupted() -> io::Error {
    io::Error::other("the program was asked to stop")
}

/// Creates the file at `path`, which must not exist, and remembers it.
pub(super) fn create(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let mut state = state();
    if state.abandoned {
        return Err(interrupted());
    }
    let file = options.open(path)?;
    state.files.insert(path.to_owned());
    Ok(file)
}

/// Removes a file.
pub(super) fn remove(path: &Path) {
    state().files.remove(path);
    // Nothing sensible is left to do if even the removal fails.
    let _ = std::fs::remove_file(path);
}

/// Makes a folder with those around it that aren't there, and adds the ones it made to `made`, outer ones first.
pub(super) fn create_folder(path: &Path, made: &mut Vec<PathBuf>) -> io::Result<()> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
    let mut state = state();
    if state.abandoned {
        return Err(interrupted());
    }
    for folder in missing.into_iter().rev() {
        match std::fs::create_dir(folder) {
            Ok(()) => {
                state.folders.push(folder.to_owned());
                made.push(folder.to_owned());
            }
            // Another program was faster.
            Err(_) if folder.is_dir() => {}
            Err(error) => return Err(error),
        }
    }
    match path.is_dir() || path.as_os_str().is_empty() {
        true => Ok(()),
        false => Err(io::Error::from(io::ErrorKind::NotADirectory)),
    }
}

/// Removes a folder that was made, unless it holds something.
pub(super) fn remove_folder(path: &Path) {
    state().folders.retain(|folder| folder != path);
    let _ = std::fs::remove_dir(path);
}

/// While it lives, [`abandon`] waits.
pub(super) struct Commit {
    state: MutexGuard<'static, TemporaryFiles>,
}

impl Commit {
    /// Begins to give files their names.
    pub(super) fn begin() -> io::Result<Commit> {
        let state = state();
        if state.abandoned { Err(interrupted()) } else { Ok(Commit { state }) }
    }

    /// The file is temporary no more.
    pub(super) fn forget(&mut self, path: &Path) {
        self.state.files.remove(path);
    }

    /// All files have their names.
    pub(super) fn done(mut self) {
        self.state.committed = true;
    }
}
