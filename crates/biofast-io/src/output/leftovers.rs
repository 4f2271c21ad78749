//! What killed processes have left beside the files they were to write.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::identity::folder_of;

/// Removes what killed processes have left of the file at `path`: hidden files with names of this `beginning` and one of the
/// `endings`. That it can't be done is no reason not to write.
pub(super) fn remove(path: &Path, beginning: &OsStr, endings: &[&str]) {
    let folder = folder_of(path);
    for found in hidden_names(folder, beginning, endings) {
        let is_leftover = || {
            let rest = found.strip_prefix(beginning.as_bytes())?;
            let ending = endings.iter().find(|end| rest.ends_with(end.as_bytes()))?;
            let numbers = &rest[..rest.len() - ending.len()];
            let (pid, attempt) = numbers.split_at(numbers.iter().position(|&b| b == b'-')?);
            let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
            (is_number(pid) && is_number(&attempt[1..])).then_some(())
        };
        if is_leftover().is_none() {
            continue;
        }
        let leftover = folder.join(OsStr::from_bytes(&found));
        // Held until the name is gone: whoever has just made the file notices.
        if leftover.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
            && let Ok(file) = File::options().write(true).open(&leftover)
            && file.try_lock().is_ok()
        {
            let _ = std::fs::remove_file(leftover);
        }
    }
}

/// A folder as it was when it was last listed.
struct Listing {
    /// Names with one of the endings.
    hidden: BTreeSet<Vec<u8>>,
    /// How many names there were.
    names: usize,
    /// How often it has been asked since.
    asked: usize,
}

/// A folder is listed anew once for so many of its names: a run that writes a hundred thousand files to it would otherwise
/// do nothing but list it.
const NAMES: usize = 16;
/// Folders that are remembered.
const FOLDERS: usize = 64;

/// Names in a folder that begin and end so.
fn hidden_names(folder: &Path, beginning: &OsStr, endings: &[&str]) -> Vec<Vec<u8>> {
    static LISTINGS: Mutex<Option<HashMap<PathBuf, Listing>>> = Mutex::new(None);
    let mut listings = LISTINGS.lock().unwrap_or_else(PoisonError::into_inner);
    let listings = listings.get_or_insert_default();
    let is_new = |listing: &Listing| listing.asked < listing.names / NAMES;
    if !listings.get(folder).is_some_and(is_new) {
        if listings.len() >= FOLDERS {
            listings.clear();
        }
        listings.insert(folder.to_owned(), list(folder, endings));
    }
    let Some(listing) = listings.get_mut(folder) else { return Vec::new() };
    listing.asked += 1;
    let from = listing.hidden.range(beginning.as_bytes().to_vec()..);
    from.take_while(|name| name.starts_with(beginning.as_bytes())).cloned().collect()
}

fn list(folder: &Path, endings: &[&str]) -> Listing {
    let mut listing = Listing { hidden: BTreeSet::new(), names: 0, asked: 0 };
    // That of the standard library panics if the folder can't be closed.
    let entries = File::open(folder).and_then(|file| Ok(rustix::fs::Dir::read_from(file)?));
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name().to_bytes();
        listing.names += 1;
        if endings.iter().any(|ending| name.ends_with(ending.as_bytes())) {
            listing.hidden.insert(name.to_vec());
        }
    }
    listing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_folder_is_listed_now_and_then_and_what_was_left_is_removed() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        for number in 0..10 * NAMES {
            std::fs::write(at(&format!("{number}")), "")?;
        }
        let remove = |name: &str| {
            super::remove(&at(name), format!(".{name}.").as_ref(), &[".biofast-tmp"]);
        };
        for name in [".x.7-0.biofast-tmp", ".y.7-0.biofast-tmp"] {
            std::fs::write(at(name), "half")?;
        }
        remove("x");
        remove("y");
        assert!(!at(".x.7-0.biofast-tmp").exists() && !at(".y.7-0.biofast-tmp").exists());
        // What comes later is seen at the next listing.
        std::fs::write(at(".z.7-0.biofast-tmp"), "half")?;
        let asked = (0..10 * NAMES).take_while(|_| {
            remove("z");
            at(".z.7-0.biofast-tmp").exists()
        });
        // Less often where tests beside this one make more folders than are remembered.
        assert!(asked.count() <= 8);
        assert!(!at(".z.7-0.biofast-tmp").exists());
        Ok(())
    }
}
