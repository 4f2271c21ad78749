//! Closing a file and looking at the result, which the standard library drops: a network file system may report only then
//! that data could not be written.
#![cfg_attr(unix, allow(unsafe_code))]

use std::fs::File;
use std::io;

/// Closes `file`.
///
/// # Errors
/// What the system says. The descriptor is closed in any case.
#[cfg(unix)]
pub(super) fn close(file: File) -> io::Result<()> {
    use std::os::fd::IntoRawFd;
    let descriptor = file.into_raw_fd();
    // SAFETY: the descriptor was owned by `file`, which has given it up; nobody else closes it.
    match unsafe { libc::close(descriptor) } {
        0 => Ok(()),
        _ => match io::Error::last_os_error() {
            // On Linux and macOS the descriptor is gone all the same, and nothing is known to be wrong.
            error if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            error => Err(error),
        },
    }
}

#[cfg(not(unix))]
pub(super) fn close(file: File) -> io::Result<()> {
    drop(file);
    Ok(())
}
