//! What killed processes have left beside the files they were to write. None of it is ours, so it is reported and never removed:
//! a lock that looks free may be held by another machine, and what was set aside may be all there is of a user's data.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::atomic::{REPLACED, UNFINISHED, beginning};
use super::identity::{destination, folder_of, is_same_file};

/// A hidden file that a run which was killed has left beside an output. It displays as a sentence that says what to do.
///
/// ```
/// use biofast_io::output::Files;
///
/// let mut files = Files::default();
/// files.write("result.fq".as_ref())?;
/// for leftover in files.leftovers() {
///     eprintln!("warning: {leftover}");
/// }
/// # Ok::<(), biofast_io::output::Conflict>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    path: PathBuf,
    output: PathBuf,
    kind: LeftoverKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeftoverKind {
    /// An output that isn't complete.
    Unfinished,
    /// What was under the output's name before.
    Replaced,
    /// The same, but nothing has taken the name yet.
    StillThere,
}

impl Leftover {
    /// The hidden file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for Leftover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let output = crate::display_name(&self.output);
        let path = crate::display_name(&self.path);
        match self.kind {
            LeftoverKind::Unfinished => write!(
                f,
                "{output}: a killed run left {path}, which is incomplete; remove it unless another run is writing {output}"
            ),
            LeftoverKind::Replaced => write!(
                f,
                "{output}: a killed run had replaced it; the previous content is in {path} (to restore it: mv {path} {output})"
            ),
            LeftoverKind::StillThere => write!(
                f,
                "{output}: a killed run left {path}, a second name of the same file; remove it unless another run is writing {output}"
            ),
        }
    }
}

/// What killed processes have left of the file at `path`.
pub(super) fn of(path: &Path) -> Vec<Leftover> {
    let Ok(output) = destination(path) else { return Vec::new() };
    let Some(name) = output.file_name() else { return Vec::new() };
    let beginning = beginning(name);
    let folder = folder_of(&output);
    let mut all = Vec::new();
    for found in hidden_names(folder, &beginning) {
        let kind = |found: &[u8]| {
            let rest = found.strip_prefix(beginning.as_encoded_bytes())?;
            let kinds =
                [(UNFINISHED, LeftoverKind::Unfinished), (REPLACED, LeftoverKind::Replaced)];
            let (numbers, kind) = kinds
                .into_iter()
                .find_map(|(ending, kind)| Some((rest.strip_suffix(ending.as_bytes())?, kind)))?;
            let (pid, attempt) = numbers.split_at(numbers.iter().position(|&b| b == b'-')?);
            let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
            (is_number(pid) && is_number(&attempt[1..])).then_some(kind)
        };
        let Some(mut kind) = kind(found.as_encoded_bytes()) else { continue };
        // Without the `./` that nobody typed.
        let path = output.with_file_name(&found);
        if !path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
            continue;
        }
        // Its writer lives.
        if kind == LeftoverKind::Unfinished
            && !File::open(&path).is_ok_and(|file| file.try_lock().is_ok())
        {
            continue;
        }
        if kind == LeftoverKind::Replaced && is_same_file(&path, &output) {
            kind = LeftoverKind::StillThere;
        }
        all.push(Leftover { path, output: output.clone(), kind });
    }
    all
}

/// A folder as it was when it was last listed.
struct Listing {
    /// Names with one of the endings.
    hidden: BTreeSet<OsString>,
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

/// Names in a folder that begin so and end as ours do.
fn hidden_names(folder: &Path, beginning: &OsStr) -> Vec<OsString> {
    static LISTINGS: Mutex<Option<HashMap<PathBuf, Listing>>> = Mutex::new(None);
    let mut listings = LISTINGS.lock().unwrap_or_else(PoisonError::into_inner);
    let listings = listings.get_or_insert_default();
    let is_new = |listing: &Listing| listing.asked < listing.names / NAMES;
    if !listings.get(folder).is_some_and(is_new) {
        if listings.len() >= FOLDERS {
            listings.clear();
        }
        listings.insert(folder.to_owned(), list(folder));
    }
    let Some(listing) = listings.get_mut(folder) else { return Vec::new() };
    listing.asked += 1;
    let from = listing.hidden.range(beginning.to_owned()..);
    let bytes = beginning.as_encoded_bytes();
    from.take_while(|name| name.as_encoded_bytes().starts_with(bytes)).cloned().collect()
}

#[cfg(unix)]
fn list(folder: &Path) -> Listing {
    use std::os::unix::ffi::OsStrExt;
    // That of the standard library panics if the folder can't be closed.
    let entries = File::open(folder).and_then(|file| Ok(rustix::fs::Dir::read_from(file)?));
    let names = entries.into_iter().flatten().flatten();
    Listing::of(names.map(|entry| OsStr::from_bytes(entry.file_name().to_bytes()).to_owned()))
}

#[cfg(not(unix))]
fn list(folder: &Path) -> Listing {
    Listing::of(std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.file_name()))
}

impl Listing {
    fn of(names: impl Iterator<Item = OsString>) -> Listing {
        let mut listing = Listing { hidden: BTreeSet::new(), names: 0, asked: 0 };
        for name in names {
            listing.names += 1;
            let is_ours = |ending: &&str| name.as_encoded_bytes().ends_with(ending.as_bytes());
            if [UNFINISHED, REPLACED].iter().any(is_ours) {
                listing.hidden.insert(name);
            }
        }
        listing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_is_reported_and_stays() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        for name in [
            ".x.7-0.biofast-tmp", ".x.7-0.biofast-old", ".x.a-0.biofast-tmp", ".x.7.biofast-tmp",
            ".y.7-0.biofast-old",
        ] {
            std::fs::write(at(name), "half")?;
        }
        let all = of(&at("x"));
        let mut kinds: Vec<LeftoverKind> = all.iter().map(|leftover| leftover.kind).collect();
        kinds.sort_by_key(|kind| *kind as u8);
        assert_eq!(kinds, [LeftoverKind::Unfinished, LeftoverKind::Replaced]);
        for leftover in &all {
            assert!(leftover.path().exists());
            let text = leftover.to_string();
            let names = [leftover.path(), &at("x")].map(crate::display_name);
            assert!(names.iter().all(|name| text.contains(name)), "{text}");
        }
        // A second name of what is still there.
        std::fs::hard_link(at(".y.7-0.biofast-old"), at("y"))?;
        assert_eq!(of(&at("y"))[0].kind, LeftoverKind::StillThere);
        // Its writer lives.
        let lock = File::open(at(".x.7-0.biofast-tmp"))?;
        lock.lock()?;
        assert_eq!(of(&at("x")).len(), 1);
        Ok(())
    }

    #[test]
    fn a_full_folder_is_listed_now_and_then() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        for number in 0..10 * NAMES {
            std::fs::write(at(&format!("{number}")), "")?;
        }
        assert!(of(&at("z")).is_empty());
        // What comes later is seen at the next listing.
        std::fs::write(at(".z.7-0.biofast-tmp"), "half")?;
        let asked = (0..10 * NAMES).take_while(|_| of(&at("z")).is_empty());
        // Less often where tests beside this one make more folders than are remembered.
        assert!(asked.count() <= 10);
        assert_eq!(of(&at("z")).len(), 1);
        Ok(())
    }
}
