//! Length and time of files, asked for by path, by name within an open directory, or of an open file. Used by
//! entry 038.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) len: u64,
    /// Modified, in seconds since 1970.
    pub(crate) modified: i64,
}

/// By the whole path: one call.
pub(crate) fn by_path(path: &Path) -> io::Result<Found> {
    let found = fs::metadata(path)?;
    Ok(Found { len: found.len(), modified: found.mtime() })
}

/// Of the file, opened for it: open, ask, close.
pub(crate) fn by_open_file(path: &Path) -> io::Result<Found> {
    let found = File::open(path)?.metadata()?;
    Ok(Found { len: found.len(), modified: found.mtime() })
}

/// A directory that is open, and files in it.
pub(crate) struct Folder {
    handle: File,
}

impl Folder {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Folder { handle: File::open(path)? })
    }

    /// By its name within the directory: one call, which follows no other part of the path.
    pub(crate) fn find(&self, name: &CStr) -> io::Result<Found> {
        // SAFETY: `stat` is a C struct of integers, for which all zeros is a valid value.
        let mut stat: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: the descriptor is kept open by `handle`, the name ends with a zero byte, and `stat` is a live,
        // writable local of the type that fstatat fills in.
        let code =
            unsafe { libc::fstatat(self.handle.as_raw_fd(), name.as_ptr(), &raw mut stat, 0) };
        if code != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Found { len: stat.st_size as u64, modified: stat.st_mtime })
    }
}

/// Files by directory, with their names ready for the system.
pub(crate) fn group(paths: &[PathBuf]) -> io::Result<Vec<(PathBuf, Vec<CString>)>> {
    let mut folders: Vec<(PathBuf, Vec<CString>)> = Vec::new();
    for path in paths {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::Error::other(format!("{} is no file in a folder", path.display())));
        };
        let name = CString::new(name.as_bytes())?;
        match folders.last_mut() {
            Some((last, names)) if last == folder => names.push(name),
            _ => folders.push((folder.to_owned(), vec![name])),
        }
    }
    Ok(folders)
}
