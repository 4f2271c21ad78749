//! Which file a path leads to, whatever it is called there.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

/// A file as the file system knows it. Two paths lead to one file if and only if their identities are equal: another
/// spelling (`./x`), a link to the file or its folder, and a second name of it (hard link) make no difference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Identity {
    /// A file that exists.
    File(Number),
    /// One that doesn't yet: its folder and its name there.
    Place(Number, OsString),
}

/// What tells files apart: device and inode, or where there are none the canonical path.
#[cfg(unix)]
type Number = (u64, u64);
#[cfg(not(unix))]
type Number = PathBuf;

impl Identity {
    /// The identity of the file at `path`; `None` if it can be neither lost nor mixed up: a terminal, a device such as
    /// `/dev/null`, a socket.
    ///
    /// # Errors
    /// If neither the file nor its folder is there.
    pub(super) fn of(path: &Path) -> io::Result<Option<Identity>> {
        match std::fs::metadata(path) {
            Ok(metadata) => Ok(Identity::of_existing(path, &metadata)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let path = destination(path)?;
                let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
                let folder = folder_of(&path);
                let number = number(folder, &std::fs::metadata(folder)?)?;
                Ok(Some(Identity::Place(number, name.to_owned())))
            }
            Err(error) => Err(error),
        }
    }

    fn of_existing(path: &Path, metadata: &Metadata) -> Option<Identity> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::FileTypeExt;
            let kind = metadata.file_type();
            if kind.is_char_device() || kind.is_socket() {
                return None;
            }
        }
        number(path, metadata).ok().map(Identity::File)
    }

    /// The identity of an open regular file. Pipes, terminals and the like have none: standard input and output may be
    /// one of these.
    #[cfg(unix)]
    pub(super) fn of_open(file: std::os::fd::BorrowedFd<'_>) -> Option<Identity> {
        let metadata = std::fs::File::from(file.try_clone_to_owned().ok()?).metadata().ok()?;
        let number = number(Path::new(""), &metadata).ok()?;
        metadata.is_file().then_some(Identity::File(number))
    }
}

/// Whether two paths lead to the same regular file, however they are written and linked: by device and inode.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let regular = |path: &Path| std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    match (Identity::of(one), Identity::of(other)) {
        (Ok(Some(one_file)), Ok(Some(other_file))) => one_file == other_file && regular(one),
        _ => false,
    }
}

/// Files that have been seen, however their paths are written and linked.
#[derive(Debug, Default)]
pub struct SeenFiles {
    files: HashSet<Identity>,
    /// What the file system doesn't know, as addresses.
    others: HashSet<PathBuf>,
}

impl SeenFiles {
    /// Whether this file is a new one.
    pub fn insert(&mut self, path: &Path) -> bool {
        match Identity::of(path) {
            Ok(Some(identity)) => self.files.insert(identity),
            _ => self.others.insert(path.to_owned()),
        }
    }
}

#[cfg(unix)]
fn number(_: &Path, metadata: &Metadata) -> io::Result<Number> {
    use std::os::unix::fs::MetadataExt;
    Ok((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn number(path: &Path, _: &Metadata) -> io::Result<Number> {
    path.canonicalize()
}

/// The folder that holds `path`.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// As many links as systems follow.
const MOST_LINKS: u32 = 40;

/// Where a file written to `path` ends up: symbolic links are followed, to a file that isn't there yet, too.
pub(super) fn destination(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            // No link, or nothing there.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The descriptor of this process that `path` is a name of, such as `/dev/stdout` or `/dev/fd/3`.
pub(super) fn descriptor(path: &Path) -> Option<u32> {
    if cfg!(not(unix)) {
        return None;
    }
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let folder = folder_of(&path);
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let name = path.file_name()?.to_str()?;
        let own = format!("/proc/{}", std::process::id());
        let of_descriptors = folder == Path::new("/dev/fd")
            || (folder.starts_with(&own) && folder.ends_with("fd"))
            || folder == Path::new("/proc/self/fd");
        match name.parse() {
            Ok(number) if of_descriptors => return Some(number),
            _ => {}
        }
        match (folder == Path::new("/dev"), name, std::fs::read_link(&path)) {
            (_, _, Ok(target)) => path = folder.join(target),
            // Where these are devices of their own.
            (true, "stdout", _) => return Some(1),
            (true, "stderr", _) => return Some(2),
            _ => return None,
        }
    }
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn spellings_links_and_hard_links_are_one_file() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("d"))?;
        symlink(at("d"), at("linked"))?;
        std::fs::write(at("d/x"), "")?;
        std::fs::hard_link(at("d/x"), at("hard"))?;
        symlink("d/x", at("soft"))?;
        symlink("d/new", at("dangling"))?;
        let of = |name: &str| Identity::of(&at(name)).expect("a folder");
        let mut seen = SeenFiles::default();
        let new = ["d/x", "hard", "soft", "linked/x", "http://x/y", "http://x/y"]
            .map(|name| if name.contains(':') { name.into() } else { at(name) })
            .map(|path| seen.insert(&path));
        assert_eq!(new, [true, false, false, false, true, false]);
        for same in ["d/../d/./x", "linked/x", "hard", "soft"] {
            assert_eq!(of(same), of("d/x"), "{same}");
            assert!(is_same_file(&at(same), &at("d/x")), "{same}");
        }
        for same in ["d/./new", "linked/new", "dangling"] {
            assert_eq!(of(same), of("d/new"), "{same}");
        }
        assert_ne!(of("d/x"), of("d/new"));
        assert_ne!(of("new"), of("d/new"));
        assert_eq!(Identity::of(Path::new("/dev/null"))?, None);
        assert!(Identity::of(&at("no/such")).is_err());
        Ok(())
    }

    #[test]
    fn names_of_descriptors_are_known_through_links() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        symlink("/dev/stdout", folder.path().join("out"))?;
        assert_eq!(descriptor(&folder.path().join("out")), Some(1));
        assert_eq!(descriptor(Path::new("/dev/stdout")), Some(1));
        assert_eq!(descriptor(Path::new("/dev/stderr")), Some(2));
        assert_eq!(descriptor(Path::new("/dev/fd/7")), Some(7));
        assert_eq!(descriptor(Path::new("/dev/null")), None);
        assert_eq!(descriptor(Path::new("1")), None);
        Ok(())
    }
}
