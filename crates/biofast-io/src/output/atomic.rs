//! Output files that appear under their name only when complete.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::close::close;
use super::gathered::Gathered;
use super::identity::{Identity, destination, folder_of};
use super::temporary::{self, Commit};

/// A file written beside its final name and renamed when [`commit`](AtomicFile::commit)ted.
/// Dropped without a commit, it leaves nothing behind. A symbolic link at the path is followed. A file that is replaced
/// passes on its mode and, where that is allowed, its owner and group; one that is read-only is not replaced.
///
/// A process that is killed leaves a hidden file ending in `.biofast-tmp`, and whatever had been
/// under the final name before; between the renames of several files also one ending in `.biofast-old`,
/// with what was replaced. Neither is ever removed by another process: [`Files::leftovers`](super::Files::leftovers)
/// tells of them.
///
/// ```
/// use biofast_io::output::AtomicFile;
/// use std::io::Write;
///
/// let path = std::env::temp_dir().join(format!("biofast-doc-atomic-{}.json", std::process::id()));
/// let mut file = AtomicFile::create(&path)?;
/// writeln!(file, "{{}}")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"{}\n");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use = "a file that isn't committed never appears"]
pub struct AtomicFile {
    /// Until it is complete.
    writer: Option<Writing>,
    /// Until it is renamed.
    temporary: Option<PathBuf>,
    path: PathBuf,
    /// Of what is replaced.
    old: Option<Metadata>,
}

/// What takes the bytes of an unfinished file.
enum Writing {
    Open(BufWriter<File>),
    Closed(Gathered),
}

/// What a killed process of the same number may have left behind is stepped over this often.
const ATTEMPTS: u32 = 1000;
/// How names of unfinished files end.
pub(super) const UNFINISHED: &str = ".biofast-tmp";
/// How names of what is kept until all files of a run have theirs end.
pub(super) const REPLACED: &str = ".biofast-old";

impl AtomicFile {
    /// Starts writing what will be `path`.
    ///
    /// # Errors
    /// If the folder can't be written to, or the file at `path` is read-only or a folder.
    pub fn create(path: &Path) -> io::Result<AtomicFile> {
        crate::input::remote::check_writable(path)?;
        let path = destination(path)?;
        path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let old = match std::fs::metadata(&path) {
            Ok(old) if old.is_dir() => return Err(is_a_folder()),
            Ok(old) => {
                check_writable(&path, &old)?;
                Some(old)
            }
            Err(_) => None,
        };
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if let Some(old) = &old {
            use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
            // What others may not read they don't see before it is complete, either.
            options.mode(old.permissions().mode() & 0o666 | 0o200);
        }
        let (temporary, file) = create_beside(&path, &options)?;
        let writer = Some(Writing::Open(BufWriter::new(file)));
        Ok(AtomicFile { writer, temporary: Some(temporary), path, old })
    }

    /// From now on the file is open only while it is written to. It isn't locked then, so that another process that writes the
    /// same name takes it for a leftover and says so.
    ///
    /// # Errors
    /// If what was written can't be flushed, or the file can't be closed.
    pub(super) fn close_between_writes(&mut self) -> io::Result<()> {
        if let (Some(Writing::Open(_)), Some(temporary)) = (&self.writer, &self.temporary) {
            let closed = Writing::Closed(Gathered::new(temporary));
            if let Some(Writing::Open(writer)) = self.writer.replace(closed) {
                close(writer.into_inner().map_err(io::IntoInnerError::into_error)?)?;
            }
        }
        Ok(())
    }

    /// Forgets what was written.
    ///
    /// # Errors
    /// If the file can't be emptied, or isn't open.
    pub(super) fn restart(&mut self) -> io::Result<()> {
        let Some(Writing::Open(writer)) = self.writer.take() else {
            return Err(io::Error::other("the file is closed between writes"));
        };
        let (mut file, _) = writer.into_parts();
        file.set_len(0)?;
        file.rewind()?;
        self.writer = Some(Writing::Open(BufWriter::new(file)));
        Ok(())
    }

    /// Flushes and closes the file under its temporary name, and waits for the disk before if `sync` is set.
    ///
    /// # Errors
    /// If any of that fails.
    pub fn complete(&mut self, sync: bool) -> io::Result<()> {
        let file = match self.writer.take() {
            Some(Writing::Open(writer)) => {
                writer.into_inner().map_err(io::IntoInnerError::into_error)?
            }
            Some(Writing::Closed(mut gathered)) => gathered.open()?,
            None => return Ok(()),
        };
        if let Some(old) = &self.old {
            keep_owner_and_mode(&file, old)?;
        }
        if sync {
            // On macOS this is F_FULLFSYNC, which also empties the disk's own cache.
            file.sync_all()?;
        }
        close(file)
    }

    /// Completes and renames the file.
    ///
    /// # Errors
    /// If any of that fails; the temporary file is then removed.
    pub fn commit(mut self) -> io::Result<()> {
        // Some file systems report a full disk only when the data are synced.
        self.complete(true)?;
        rename_all(std::slice::from_mut(&mut self), false).map_err(|(_, error)| error)
    }

    /// Keeps what is at the path, so that it can be [put back](Renamed::put_back), and takes its place.
    fn rename(&mut self, commit: &mut Commit, is_last: bool) -> io::Result<Renamed> {
        let temporary = match &self.temporary {
            Some(temporary) if self.writer.is_none() => temporary.clone(),
            _ => return Err(io::Error::other("the file is not complete")),
        };
        let path = self.path.clone();
        // Nothing can fail after the last one.
        let replaced = match std::fs::symlink_metadata(&path) {
            Ok(old) if old.is_file() && !is_last => Some(set_aside(&path)?),
            _ => None,
        };
        let renamed = Renamed { path, replaced };
        let rename = |from: &Path, to: &Path| std::fs::rename(from, to);
        if let Err(error) = rename_by(rename, &temporary, &renamed.path) {
            return Err(match renamed.path.symlink_metadata() {
                // Still the old file, or what somebody else has put there.
                Ok(_) => {
                    renamed.forget();
                    error
                }
                Err(_) if renamed.replaced.is_some() => renamed.put_back_after(error),
                Err(_) => error,
            });
        }
        commit.forget(&temporary);
        self.temporary = None;
        Ok(renamed)
    }
}

/// Gives all files their names, in order, or none of them; they must be [complete](AtomicFile::complete). With `sync` set
/// it also waits until their folders have the names.
///
/// # Errors
/// The number of the file that failed, and why. What was there before is then there again.
pub(super) fn rename_all(files: &mut [AtomicFile], sync: bool) -> Result<(), (usize, io::Error)> {
    give_one_time(files)?;
    let mut commit = Commit::begin().map_err(|error| (0, error))?;
    let mut all: Vec<Renamed> = Vec::new();
    let mut named: HashSet<Identity> = HashSet::new();
    for number in 0..files.len() {
        let is_last = number + 1 == files.len() && !sync;
        let there = Identity::of(&files[number].path).ok().flatten();
        let result = match there.is_some_and(|there| named.contains(&there)) {
            // Told apart by case or spelling, which this file system doesn't.
            true => Err(io::Error::other("another output of this run is the same file")),
            false => files[number].rename(&mut commit, is_last),
        };
        match result.and_then(|renamed| {
            named.extend(Identity::of(&renamed.path).ok().flatten());
            all.push(renamed);
            let folder = folder_of(&files[number].path);
            if sync && cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
        }) {
            Ok(()) => {}
            Err(error) => {
                let error =
                    all.into_iter().rev().fold(error, |e, renamed| renamed.put_back_after(e));
                return Err((number, error));
            }
        }
    }
    all.iter().for_each(Renamed::forget);
    commit.done();
    Ok(())
}

/// Gives files that appear together the time of the last one of them, so that none is older than another: an index than its file.
///
/// # Errors
/// As [`rename_all`], if one can't be closed again.
fn give_one_time(files: &[AtomicFile]) -> Result<(), (usize, io::Error)> {
    fn time(file: &AtomicFile) -> Option<(&Path, SystemTime)> {
        let path = file.temporary.as_deref()?;
        Some((path, std::fs::metadata(path).ok()?.modified().ok()?))
    }
    if files.len() < 2 {
        return Ok(());
    }
    let times: Vec<_> = files.iter().map(time).collect();
    let Some(last) = times.iter().flatten().map(|(_, time)| *time).max() else { return Ok(()) };
    for (number, found) in times.into_iter().enumerate() {
        let Some((path, _)) = found.filter(|(_, time)| *time < last) else { continue };
        // Where it can't be set, all the rest is as it should be.
        let Ok(file) = File::options().write(true).open(path) else { continue };
        let _ = file.set_modified(last);
        close(file).map_err(|error| (number, error))?;
    }
    Ok(())
}

/// A path that has got its new file.
struct Renamed {
    path: PathBuf,
    /// Where the old one is kept.
    replaced: Option<PathBuf>,
}

impl Renamed {
    /// Puts the old file back, or removes the new one where there was none.
    fn put_back(&self) -> io::Result<()> {
        match &self.replaced {
            Some(old) => std::fs::rename(old, &self.path).or_else(|error| {
                // A file system that renames nothing any more may still remove and link. Unless the old file has its other
                // name, what is at the path may be all there is of it.
                old.symlink_metadata().and_then(|_| std::fs::remove_file(&self.path))?;
                std::fs::hard_link(old, &self.path).map_err(|_| error)?;
                let _ = std::fs::remove_file(old);
                Ok(())
            }),
            None => match std::fs::remove_file(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        }
    }

    /// The same because of `error`, which says so if that fails, too.
    fn put_back_after(&self, error: io::Error) -> io::Error {
        match (self.put_back(), &self.replaced) {
            (Ok(()), _) => error,
            (Err(_), Some(old)) => io::Error::other(format!(
                "{error}; the previous content of {} is now in {}",
                crate::display_name(&self.path),
                crate::display_name(old)
            )),
            (Err(why), None) => io::Error::other(format!(
                "{error}; {} exists and can't be removed: {why}",
                crate::display_name(&self.path)
            )),
        }
    }

    /// All went well: the old file is not needed any more.
    fn forget(&self) {
        if let Some(old) = &self.replaced {
            // It is hidden, and the next run that writes the name tells of it.
            let _ = std::fs::remove_file(old);
        }
    }
}

/// Renames, and looks before it believes that this failed: a server that has done it and whose answer got lost is asked
/// again, and says that there is no such file any more.
fn rename_by(
    rename: impl FnOnce(&Path, &Path) -> io::Result<()>,
    from: &Path,
    to: &Path,
) -> io::Result<()> {
    let new = Identity::of(from)?;
    rename(from, to).or_else(|error| match Identity::of(to) {
        Ok(there) if new.is_some() && there == new => Ok(()),
        _ => Err(error),
    })
}

/// Gives the file at `path` a second, hidden name; where the file system has no second names it is moved there.
fn set_aside(path: &Path) -> io::Result<PathBuf> {
    for attempt in 0..ATTEMPTS {
        let aside = hidden(path, attempt, REPLACED);
        match std::fs::hard_link(path, &aside) {
            Ok(()) => return Ok(aside),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(_) if aside.symlink_metadata().is_ok() => {}
            Err(_) => return std::fs::rename(path, &aside).map(|()| aside),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// With the words of the system.
fn is_a_folder() -> io::Error {
    #[cfg(unix)]
    return io::Error::from_raw_os_error(libc::EISDIR);
    #[cfg(not(unix))]
    io::ErrorKind::IsADirectory.into()
}

/// An error unless the file, which would be replaced, may be written to. Renaming would not ask.
fn check_writable(path: &Path, old: &Metadata) -> io::Result<()> {
    if old.permissions().readonly() {
        let why = "the file is read-only, so it is not replaced";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    File::options().write(true).open(path).map(drop)
}

#[cfg(unix)]
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid())
        && fchown(file, Some(old.uid()), Some(old.gid())).is_err()
    {
        // Only root may give files away, but a group of one's own is possible.
        let _ = fchown(file, None, Some(old.gid()));
    }
    file.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

/// Creates a file of a hidden name in the folder of `path`, and locks it.
fn create_beside(path: &Path, options: &OpenOptions) -> io::Result<(PathBuf, File)> {
    let mut attempt = 0;
    loop {
        let name = hidden(path, attempt, UNFINISHED);
        match temporary::create(&name, options) {
            Ok(file) if is_claimed(&file, &name) => return Ok((name, file)),
            // Removed between its creation and the lock.
            Ok(_) => {
                temporary::remove(&name);
                attempt += 1;
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && attempt < ATTEMPTS => {
                attempt += 1;
            }
            Err(e) => return Err(e),
        }
    }
}

/// The most bytes that a file's name may have.
const LONGEST_NAME: usize = 255;

/// A hidden name for what belongs to `path`.
fn hidden(path: &Path, attempt: u32, ending: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let mut hidden = beginning(name);
    hidden.push(format!("{}-{attempt}{ending}", std::process::id()));
    path.with_file_name(hidden)
}

/// How hidden names of what belongs to a file of this name begin.
pub(super) fn beginning(name: &OsStr) -> OsString {
    // A dot on either side, a process and an attempt, the ending.
    let room = LONGEST_NAME - (2 + 10 + 1 + 4 + UNFINISHED.len());
    let mut hidden = OsString::from(".");
    if name.len() <= room {
        hidden.push(name);
    } else {
        // What tells long names apart may be at their ends.
        use std::hash::{DefaultHasher, Hasher};
        let mut hash = DefaultHasher::new();
        hash.write(name.as_encoded_bytes());
        let start: String = name.to_string_lossy().chars().take(32).collect();
        hidden.push(format!("{start}~{:016x}", hash.finish()));
    }
    hidden.push(".");
    hidden
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.writer {
            Some(Writing::Open(writer)) => writer.write(bytes),
            Some(Writing::Closed(gathered)) => gathered.append(bytes).map(|()| bytes.len()),
            None => Err(io::Error::other("the file is complete")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.writer {
            Some(Writing::Open(writer)) => writer.flush(),
            Some(Writing::Closed(gathered)) => gathered.open().and_then(close),
            None => Ok(()),
        }
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(Writing::Open(writer)) = self.writer.take() {
            // What is in the buffer isn't wanted any more.
            let (file, _) = writer.into_parts();
            drop(file);
        }
        if let Some(temporary) = &self.temporary {
            temporary::remove(temporary);
        }
    }
}

/// Takes the lock that says the file is in use; false if the file has lost its name before that.
/// Where a file system has no locks, a file that is being written can't be told from a leftover.
#[cfg(unix)]
fn is_claimed(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let _ = file.lock();
    match (file.metadata(), std::fs::metadata(path)) {
        (_, Err(error)) if error.kind() == io::ErrorKind::NotFound => false,
        (Ok(ours), Ok(named)) => (ours.dev(), ours.ino()) == (named.dev(), named.ino()),
        // It has just been made, and nothing says that it is gone.
        _ => true,
    }
}

#[cfg(not(unix))]
fn is_claimed(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_appears_without_a_commit() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("report.json");
        let mut file = AtomicFile::create(&path)?;
        file.write_all(b"half")?;
        drop(file);
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
        let mut file = AtomicFile::create(&path)?;
        file.write_all(b"whole")?;
        assert!(!path.exists());
        file.commit()?;
        assert_eq!(std::fs::read(&path)?, b"whole");
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
        Ok(())
    }

    #[test]
    fn a_file_that_is_closed_between_writes_has_all_of_them() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x");
        let mut file = AtomicFile::create(&path)?;
        let mut expected = b"before".to_vec();
        file.write_all(b"before")?;
        file.close_between_writes()?;
        for len in [1, 10, 20_000, 0, 16_000, 16_000, 3] {
            let bytes = vec![b'a' + (len % 7) as u8; len];
            file.write_all(&bytes)?;
            expected.extend_from_slice(&bytes);
        }
        file.commit()?;
        assert_eq!(std::fs::read(&path)?, expected);
        // Whoever takes it for a leftover is noticed.
        let mut file = AtomicFile::create(&path)?;
        file.close_between_writes()?;
        for entry in std::fs::read_dir(folder.path())?.flatten().filter(|e| e.path() != path) {
            std::fs::remove_file(entry.path())?;
        }
        assert!(file.write_all(&[0; 20_000]).is_err());
        Ok(())
    }

    #[test]
    fn a_rename_that_was_done_and_called_failed_was_done() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let [new, old] = ["new", "old"].map(|name| folder.path().join(name));
        let lost = || io::Error::from(io::ErrorKind::NotFound);
        for is_done in [true, false] {
            std::fs::write(&new, "new")?;
            std::fs::write(&old, "old")?;
            let rename = |from: &Path, to: &Path| match is_done {
                true => std::fs::rename(from, to).and(Err(lost())),
                false => Err(lost()),
            };
            assert_eq!(rename_by(rename, &new, &old).is_ok(), is_done);
            assert_eq!(std::fs::read(&old)?, if is_done { b"new" } else { b"old" });
        }
        Ok(())
    }

    #[test]
    fn what_a_killed_process_of_the_same_number_left_is_stepped_over() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x");
        let first = AtomicFile::create(&path)?;
        let mut second = AtomicFile::create(&path)?;
        second.write_all(b"2")?;
        second.commit()?;
        drop(first);
        assert_eq!(std::fs::read(&path)?, b"2");
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn what_killed_processes_left_stays_and_so_does_what_others_write() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("x.fq");
        let left = [".x.fq.12-0.biofast-tmp", ".x.fq.4000000000-7.biofast-tmp"];
        let others = [".y.fq.12-0.biofast-tmp", ".x.fq.12.biofast-tmp", ".x.fq.a-0.biofast-tmp"];
        for name in left.iter().chain(&others) {
            std::fs::write(folder.path().join(name), "half")?;
        }
        let mut living = AtomicFile::create(&path)?;
        living.write_all(b"1")?;
        let mut second = AtomicFile::create(&path)?;
        second.write_all(b"2")?;
        assert!(left.iter().all(|name| folder.path().join(name).exists()));
        assert!(others.iter().all(|name| folder.path().join(name).exists()));
        living.commit()?;
        assert_eq!(std::fs::read(&path)?, b"1");
        second.commit()?;
        assert_eq!(std::fs::read(&path)?, b"2");
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 1 + left.len() + others.len());
        Ok(())
    }

    #[test]
    fn an_incomplete_file_is_not_renamed() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut file = AtomicFile::create(&folder.path().join("x"))?;
        file.write_all(b"half")?;
        assert!(rename_all(std::slice::from_mut(&mut file), false).is_err());
        drop(file);
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }

    fn ready(path: &Path, text: &[u8]) -> io::Result<AtomicFile> {
        let mut file = AtomicFile::create(path)?;
        file.write_all(text)?;
        file.complete(false)?;
        Ok(file)
    }

    #[cfg(unix)]
    #[test]
    fn where_one_of_several_cannot_be_renamed_all_is_as_before() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("old"), "old")?;
        let mut files = vec![
            ready(&at("old"), b"1")?,
            ready(&at("new"), b"2")?,
            ready(&at("late"), b"3")?,
            ready(&at("after"), b"4")?,
        ];
        std::fs::create_dir_all(at("late/folder"))?;
        let failed = rename_all(&mut files, false).expect_err("a folder is in the way").0;
        assert_eq!(failed, 2);
        drop(files);
        assert_eq!(std::fs::read(at("old"))?, b"old");
        let mut names: Vec<_> = std::fs::read_dir(folder.path())?
            .map(|e| e.map(|e| e.file_name()))
            .collect::<Result<_, _>>()?;
        names.sort();
        assert_eq!(names, ["late", "old"]);
        Ok(())
    }

    #[test]
    fn all_of_several_get_their_names() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "old")?;
        std::fs::write(at("b"), "old")?;
        for sync in [false, true] {
            let mut files = vec![ready(&at("a"), b"1")?, ready(&at("b"), b"2")?];
            assert!(rename_all(&mut files, sync).is_ok());
            assert_eq!(
                (std::fs::read(at("a"))?, std::fs::read(at("b"))?),
                (b"1".into(), b"2".into())
            );
            assert_eq!(std::fs::read_dir(folder.path())?.count(), 2);
        }
        // Two names of one file, which a look beforehand could not tell.
        let mut files = vec![ready(&at("c"), b"1")?, ready(&at("./c"), b"2")?];
        assert!(rename_all(&mut files, false).is_err());
        assert!(!at("c").exists());
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn the_mode_stays_links_are_followed_and_read_only_files_are_kept() -> io::Result<()> {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("d"))?;
        std::fs::write(at("d/x"), "old")?;
        std::fs::set_permissions(at("d/x"), PermissionsExt::from_mode(0o640))?;
        symlink("d/x", at("link"))?;
        symlink("d/new", at("dangling"))?;
        for name in ["link", "dangling"] {
            AtomicFile::create(&at(name))?.commit()?;
            assert!(at(name).symlink_metadata()?.is_symlink());
        }
        assert_eq!(std::fs::read(at("d/x"))?, b"");
        assert_eq!(at("d/x").metadata()?.permissions().mode() & 0o7777, 0o640);
        assert!(at("d/new").is_file());
        std::fs::set_permissions(at("d/x"), PermissionsExt::from_mode(0o444))?;
        let error = AtomicFile::create(&at("link")).err().expect("it is read-only");
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(std::fs::read_dir(at("d"))?.count(), 2);
        Ok(())
    }

    #[test]
    fn names_of_the_greatest_length_work() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        for length in [200, 226, 227, 228, 254, 255] {
            let path = folder.path().join("n".repeat(length));
            for text in [b"1", b"2"] {
                ready(&path, text)?.commit()?;
            }
            assert_eq!(std::fs::read(&path)?, b"2");
        }
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 6);
        Ok(())
    }
}
