//! The page cache: makes a file's pages resident or not, and verifies it. Called by the runner before a
//! repetition that needs a known state.
//!
//! Cold is `fsync`, then `posix_fadvise(POSIX_FADV_DONTNEED)`, which drops clean pages only; mincore tells
//! whether it worked. What lies below this system's cache (a host's, a disk's) can't be emptied from here.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::Read as _;
use std::os::fd::AsRawFd as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

use super::entry::Cache;

/// Whether this system can make a file cold.
pub(crate) const CAN_EVICT: bool = cfg!(target_os = "linux");

/// The most that may still be resident of a cold file, and missing of a warm one.
const TOLERANCE: f64 = 0.005;

/// Brings a file into a state and returns the fraction of its pages that is then resident.
pub(crate) fn establish(path: &Path, cache: Cache) -> Result<f64> {
    let mut file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let len = file.metadata().with_context(|| format!("cannot look at {}", path.display()))?.len();
    if len == 0 {
        return Ok(if cache == Cache::Warm { 1.0 } else { 0.0 });
    }
    // A page that is in use elsewhere may need another try.
    for _ in 0..5 {
        match cache {
            Cache::Cold => evict(&file, path)?,
            Cache::Warm => {}
        }
        let resident = residency(&file, len)?;
        match cache {
            Cache::Cold if resident <= TOLERANCE => return Ok(resident),
            Cache::Warm if resident >= 1.0 - TOLERANCE => return Ok(resident),
            Cache::Cold => {}
            Cache::Warm => {
                let mut buffer = vec![0; 1 << 20];
                while file.read(&mut buffer).context("cannot read")? > 0 {}
                file = File::open(path)?;
            }
        }
    }
    bail!("{} can't be made {cache:?}", path.display())
}

#[cfg(target_os = "linux")]
fn evict(file: &File, path: &Path) -> Result<()> {
    file.sync_all().with_context(|| format!("cannot sync {}", path.display()))?;
    // SAFETY: plain system call on a descriptor that `file` keeps open.
    let code = unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
    ensure!(code == 0, "posix_fadvise failed with {code}");
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn evict(_file: &File, _path: &Path) -> Result<()> {
    bail!("this system has no call that drops a file from the page cache")
}

/// The fraction of a file's pages that is resident.
fn residency(file: &File, len: u64) -> Result<f64> {
    let len = usize::try_from(len).context("file too large")?;
    // SAFETY: sysconf has no preconditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let page = usize::try_from(page).ok().filter(|page| *page > 0).context("no page size")?;
    // SAFETY: a new mapping at an address of the system's choice; nothing else uses it, its bytes are never
    // read, and it is unmapped below.
    let map = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            len,
            libc::PROT_READ,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            0,
        )
    };
    ensure!(map != libc::MAP_FAILED, "mmap failed: {}", std::io::Error::last_os_error());
    let mut pages = vec![0u8; len.div_ceil(page)];
    // SAFETY: `map` is a live mapping of `len` bytes, and `pages` has a byte for each of its pages.
    let code = unsafe { libc::mincore(map, len, pages.as_mut_ptr().cast()) };
    let error = std::io::Error::last_os_error();
    // SAFETY: the mapping made above, which nothing refers to any more.
    unsafe { libc::munmap(map, len) };
    ensure!(code == 0, "mincore failed: {error}");
    let resident = pages.iter().filter(|&&page| page & 1 == 1).count();
    Ok(resident as f64 / pages.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_states_are_reached() {
        // Beside this file's build products, which are on a disk; a temporary directory may be in memory,
        // where nothing can be evicted.
        let dir = std::env::current_exe().expect("own path");
        let dir = tempfile::tempdir_in(dir.parent().expect("folder")).expect("temporary directory");
        let path = dir.path().join("file");
        std::fs::write(&path, vec![7u8; 3 << 20]).expect("writes");
        assert!(establish(&path, Cache::Warm).expect("warm") > 0.99);
        if CAN_EVICT {
            match establish(&path, Cache::Cold) {
                Ok(resident) => assert!(resident < 0.01),
                Err(error) => eprintln!("skipped: {error:#}"),
            }
            assert!(establish(&path, Cache::Warm).expect("warm") > 0.99);
        }
    }
}
