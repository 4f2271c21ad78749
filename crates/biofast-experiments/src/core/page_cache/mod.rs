//! The page cache: makes a file's pages resident or not, and verifies it. Called by the runner before a
//! repetition that needs a known state.
//!
//! Resident pages differ, too: they are in folios of one page or of hundreds, and who brought them there has decided
//! that (entry 055). So a warm file is one that was filled in a known way, plain reads if nothing else is
//! said, after it was made cold; what filled it last is remembered.
//!
//! Cold is `fsync`, then `posix_fadvise(POSIX_FADV_DONTNEED)`, which drops clean pages only; mincore tells
//! whether it worked. macOS has no such call: there the file is replaced by a copy that was read and written past
//! the cache (`F_NOCACHE`). What lies below this system's cache (a host's, a disk's) can't be emptied from here.
#![allow(unsafe_code)]

mod fill;
mod folios;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result, bail, ensure};
use memmap2::MmapOptions;

use crate::files;

pub(crate) use fill::Fill;
pub(crate) use folios::Folios;

use super::entry::Cache;

/// Whether this system makes a file cold that stays the same file, open elsewhere or mapped.
pub(crate) const CAN_EVICT_IN_PLACE: bool = cfg!(target_os = "linux");

/// Whether a file in the folder of `path` can be made cold.
pub(crate) fn can_evict(path: &Path) -> bool {
    // Tried where it isn't known to work.
    CAN_EVICT_IN_PLACE || (cfg!(target_os = "macos") && try_evict(path).is_ok())
}

/// Makes a file beside `path` cold.
fn try_evict(path: &Path) -> Result<State> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(&vec![7; 4 << 20])?;
    establish(file.path(), Cache::Cold)
}

/// The most that may still be resident of a cold file, and missing of a warm one.
const TOLERANCE: f64 = 0.005;

/// What a file looks like in the page cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    pub(crate) resident: f64,
    /// How these lie together; known of files that were filled in a way of their own, by root.
    pub(crate) folios: Option<Folios>,
}

/// What filled the files that are resident, as far as it was this program. Files that were made cold aren't here: who
/// reads them then fills them in its own way.
static FILLED: Mutex<BTreeMap<PathBuf, Fill>> = Mutex::new(BTreeMap::new());

/// Brings a file into a state.
pub(crate) fn establish(path: &Path, cache: Cache) -> Result<State> {
    let mut file = files::open(path)?;
    let len = file.metadata().with_context(|| format!("cannot look at {}", path.display()))?.len();
    let fill = match cache {
        Cache::Warm => Some(Fill::Reads),
        Cache::Cold => None,
        Cache::Filled(fill) => Some(fill),
    };
    if len == 0 {
        return Ok(State { resident: f64::from(u8::from(fill.is_some())), folios: None });
    }
    let mut filled = FILLED.lock().unwrap_or_else(PoisonError::into_inner);
    // A page that is in use elsewhere may need another try.
    for _ in 0..5 {
        let Some(fill) = fill else {
            filled.remove(path);
            file = evict(file, path)?;
            let resident = residency(&file, len)?;
            if resident <= TOLERANCE {
                return Ok(State { resident, folios: None });
            }
            continue;
        };
        let resident = residency(&file, len)?;
        if filled.get(path) == Some(&fill) && resident >= 1.0 - TOLERANCE {
            let folios = match cache {
                Cache::Filled(_) => folios::of(&file),
                _ => None,
            };
            return Ok(State { resident, folios });
        }
        filled.remove(path);
        if CAN_EVICT_IN_PLACE {
            file = evict(file, path)?;
        }
        // What can't be dropped, such as files in memory, stays as it is: warm it is nevertheless.
        if cache == Cache::Warm || residency(&file, len)? <= TOLERANCE {
            fill.run(path).with_context(|| format!("cannot fill {}", path.display()))?;
            filled.insert(path.to_owned(), fill);
        }
        file = File::open(path)?;
    }
    bail!("{} can't be made {cache:?}", path.display())
}

/// How the pages of a file lie together in the page cache, if it is all there and this process may know.
pub(crate) fn folios(path: &Path) -> Option<Folios> {
    let file = File::open(path).ok()?;
    let len = file.metadata().ok()?.len();
    (residency(&file, len).ok()? >= 1.0).then(|| folios::of(&file)).flatten()
}

/// What the system is told about a part of a file.
#[derive(Clone, Copy)]
pub(crate) enum Advice {
    DontNeed,
    WillNeed,
    Sequential,
}

/// Tells the system about the use of a part of a file; a length of 0 is up to its end.
#[cfg(target_os = "linux")]
pub(crate) fn advise(file: &File, from: u64, len: u64, advice: Advice) -> Result<()> {
    use std::os::fd::AsRawFd as _;

    let advice = match advice {
        Advice::DontNeed => libc::POSIX_FADV_DONTNEED,
        Advice::WillNeed => libc::POSIX_FADV_WILLNEED,
        Advice::Sequential => libc::POSIX_FADV_SEQUENTIAL,
    };
    // SAFETY: plain system call on a descriptor that `file` keeps open.
    let code = unsafe { libc::posix_fadvise(file.as_raw_fd(), from as i64, len as i64, advice) };
    ensure!(code == 0, "posix_fadvise failed with {code}");
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn advise(_: &File, _: u64, _: u64, _: Advice) -> Result<()> {
    bail!("this system takes no advice about files")
}

#[cfg(target_os = "linux")]
fn evict(file: File, path: &Path) -> Result<File> {
    file.sync_all().with_context(|| format!("cannot sync {}", path.display()))?;
    advise(&file, 0, 0, Advice::DontNeed)?;
    Ok(file)
}

#[cfg(target_os = "macos")]
fn evict(file: File, path: &Path) -> Result<File> {
    replace_by_copy(file, path, |file| Ok(rustix::fs::fcntl_nocache(file, true)?))
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn evict(_file: File, _path: &Path) -> Result<File> {
    bail!("this system has no call that drops a file from the page cache")
}

/// Gives the file's name to a copy of it, both opened and then handed to `prepare`, and returns the copy.
#[cfg(target_os = "macos")]
fn replace_by_copy(
    mut file: File,
    path: &Path,
    prepare: impl Fn(&File) -> Result<()>,
) -> Result<File> {
    use std::io::{Read as _, Seek as _};

    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut copy = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    prepare(&file)?;
    prepare(copy.as_file())?;
    file.rewind()?;
    // Whole pages at a time: others go through the cache.
    let mut buffer = vec![0; 1 << 20];
    loop {
        let n =
            file.read(&mut buffer).with_context(|| format!("cannot read {}", path.display()))?;
        if n == 0 {
            break;
        }
        copy.write_all(&buffer[..n]).context("cannot write the copy")?;
    }
    copy.as_file().set_permissions(file.metadata()?.permissions())?;
    copy.as_file().sync_all().context("cannot sync the copy")?;
    copy.persist(path).with_context(|| format!("cannot replace {}", path.display()))?;
    files::open(path)
}

/// The fraction of a file's pages that is resident.
fn residency(file: &File, len: u64) -> Result<f64> {
    let len = usize::try_from(len).context("file too large")?;
    // SAFETY: sysconf has no preconditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let page = usize::try_from(page).ok().filter(|page| *page > 0).context("no page size")?;
    let map = MmapOptions::new().len(len).map_raw_read_only(file)?;
    let mut pages = vec![0u8; len.div_ceil(page)];
    // SAFETY: `map` is a live mapping of `len` bytes, and `pages` has a byte for each of its pages.
    let code = unsafe { libc::mincore(map.as_mut_ptr().cast(), len, pages.as_mut_ptr().cast()) };
    ensure!(code == 0, "mincore failed: {}", std::io::Error::last_os_error());
    let resident = pages.iter().filter(|&&page| page & 1 == 1).count();
    Ok(resident as f64 / pages.len() as f64)
}
