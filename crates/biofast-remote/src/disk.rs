//! Blocks of objects in a folder, for runs to come: what is read here and there, such as headers, indexes and the blocks of regions.
//!
//! A block is a file of its own, which names the object, its `ETag` and length and the block, and ends in a CRC-32 of all before: what
//! was cut or damaged, or is of another object that hashes alike, isn't there. It appears under its name when it is complete. Blocks are only
//! looked for when the server has named the object's `ETag` in this run; without one nothing is kept.

use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::cache::BLOCK;

/// What the name of a block's file begins with, and that of one that is being written.
const PREFIX: &str = "block-";
const UNFINISHED: &str = ".unfinished-";
/// What a file begins with.
const MAGIC: &str = "biofast cache 1";
/// Files that are being written are left behind by killed runs only, when they are so old.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// A folder of blocks.
#[derive(Debug)]
pub(crate) struct Disk {
    folder: PathBuf,
    /// Bytes that the folder may hold.
    most: u64,
    /// Bytes it holds, once that was looked up.
    held: Mutex<Option<u64>>,
    /// Why blocks weren't kept, the first time.
    failed: Mutex<Option<String>>,
    unfinished: AtomicU64,
}

/// The object that blocks are of.
#[derive(Debug)]
pub(crate) struct Identity {
    /// The lines that name it.
    text: String,
    hash: u64,
}

impl Identity {
    /// Of an address without secrets, an `ETag` and a length.
    pub(crate) fn new(address: &str, etag: &str, len: u64) -> Identity {
        // Each on a line of its own, whatever is in them.
        let text =
            format!("{MAGIC}\n{}\n{}\n{len}\n", address.escape_default(), etag.escape_default());
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Identity { hash: hasher.finish(), text }
    }
}

impl Disk {
    /// Uses this folder, which is made if need be, readable by its owner only.
    ///
    /// # Errors
    /// If it can't be made, or is no folder that can be written to.
    pub(crate) fn open(folder: &Path, most: u64) -> io::Result<Disk> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        let disk = Disk {
            folder: folder.to_owned(),
            most,
            held: Mutex::default(),
            failed: Mutex::default(),
            unfinished: AtomicU64::new(0),
        };
        let (trial, _) = disk.create_unfinished()?;
        fs::remove_file(trial)?;
        Ok(disk)
    }

    fn path(&self, identity: &Identity, number: u64) -> PathBuf {
        self.folder.join(format!("{PREFIX}{:016x}-{number}", identity.hash))
    }

    /// The block of this number and length, if it is there and whole.
    pub(crate) fn get(&self, identity: &Identity, number: u64, len: usize) -> Option<Vec<u8>> {
        let path = self.path(identity, number);
        let mut file = File::open(&path).ok()?;
        let mut bytes = Vec::with_capacity(identity.text.len() + 32 + len);
        let most = identity.text.len() as u64 + 32 + BLOCK;
        (&mut file).take(most).read_to_end(&mut bytes).ok()?;
        let start = head(identity, number);
        let (body, crc) = bytes.split_last_chunk::<4>()?;
        let block = body.strip_prefix(start.as_bytes())?;
        if block.len() != len || biofast_io::crc32(body) != u32::from_le_bytes(*crc) {
            return None;
        }
        // What was used last is removed last; that it can't be noted is no fault.
        let _ = file.set_modified(SystemTime::now());
        let start = start.len();
        bytes.truncate(start + len);
        bytes.drain(..start);
        Some(bytes)
    }

    /// Keeps a block. Why it can't is [told](Disk::failed), and no error: the data are there.
    pub(crate) fn put(&self, identity: &Identity, number: u64, block: &[u8]) {
        if let Err(error) = self.try_put(identity, number, block) {
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert_with(|| error.to_string());
        }
    }

    fn try_put(&self, identity: &Identity, number: u64, block: &[u8]) -> io::Result<()> {
        let mut bytes = head(identity, number).into_bytes();
        bytes.extend_from_slice(block);
        let crc = biofast_io::crc32(&bytes);
        bytes.extend_from_slice(&crc.to_le_bytes());
        self.make_room(bytes.len() as u64)?;
        let (unfinished, mut file) = self.create_unfinished()?;
        let path = self.path(identity, number);
        let written = file.write_all(&bytes).and_then(|()| fs::rename(&unfinished, path));
        if written.is_err() {
            // The error before says more.
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    fn create_unfinished(&self) -> io::Result<(PathBuf, File)> {
        let number = self.unfinished.fetch_add(1, Ordering::Relaxed);
        // Machines that share the folder may have processes of the same number.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let name = format!("{UNFINISHED}{}-{}-{number}", now.as_nanos(), std::process::id());
        let path = self.folder.join(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path)?;
        Ok((path, file))
    }

    /// Why something wasn't kept, if there was a reason.
    pub(crate) fn failed(&self) -> Option<String> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Removes the blocks that were used longest ago when `more` bytes would be too many.
    fn make_room(&self, more: u64) -> io::Result<()> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = held.unwrap_or(u64::MAX).saturating_add(more);
        if sum <= self.most {
            *held = Some(sum);
            return Ok(());
        }
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            // Another run may be removing it.
            let Ok(data) = entry.metadata() else { continue };
            let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if name.starts_with(PREFIX) {
                files.push((used, data.len(), entry.path()));
            } else if name.starts_with(UNFINISHED)
                && used.elapsed().is_ok_and(|age| age > ABANDONED)
            {
                let _ = fs::remove_file(entry.path());
            }
        }
        let mut sum = files.iter().map(|(_, len, _)| len).sum::<u64>().saturating_add(more);
        if sum > self.most {
            // Somewhat more, so that it isn't done for each block.
            let enough = self.most - self.most / 8;
            files.sort_unstable();
            for (_, len, path) in files {
                if sum <= enough {
                    break;
                }
                match fs::remove_file(path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => sum -= len,
                }
            }
        }
        *held = Some(sum);
        Ok(())
    }
}

/// What the file of a block begins with.
fn head(identity: &Identity, number: u64) -> String {
    format!("{}{number}\n", identity.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_blocks_of_the_same_version_are_found() {
        let folder = std::env::temp_dir().join(format!("biofast-disk-{}", std::process::id()));
        let disk = Disk::open(&folder, 1 << 30).unwrap();
        let identity = Identity::new("https://host/x", "\"a\"", 100_000);
        disk.put(&identity, 1, b"ACGT");
        assert_eq!(disk.get(&identity, 1, 4).as_deref(), Some(&b"ACGT"[..]));
        assert_eq!(disk.get(&identity, 1, 5), None);
        assert_eq!(disk.get(&identity, 0, 4), None);
        for other in [("https://host/x", "\"b\"", 100_000), ("https://host/y", "\"a\"", 100_000)] {
            let mut other = Identity::new(other.0, other.1, other.2);
            assert_eq!(disk.get(&other, 1, 4), None);
            // Also if they hash alike.
            other.hash = identity.hash;
            assert_eq!(disk.get(&other, 1, 4), None);
        }
        // Cut anywhere, or with any byte changed, it isn't there.
        let path = disk.path(&identity, 1);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(disk.get(&identity, 1, 4), None, "cut at {at}");
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert_eq!(disk.get(&identity, 1, 4), None, "changed at {at}");
        }
        assert!(disk.failed().is_none());
        fs::remove_dir_all(&folder).unwrap();
        disk.put(&identity, 1, b"ACGT");
        assert!(disk.failed().is_some());
    }

    #[test]
    fn the_blocks_used_last_stay_within_the_limit_and_other_files_too() {
        let folder = std::env::temp_dir().join(format!("biofast-room-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("notes.txt"), vec![0; 200_000]).unwrap();
        let disk = Disk::open(&folder, 500_000).unwrap();
        let identity = Identity::new("s3://bucket/x", "\"a\"", 1 << 30);
        let block = vec![7; 40_000];
        let at = |second: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + second);
        for number in 0..40 {
            disk.put(&identity, number, &block);
            let file = File::open(disk.path(&identity, number)).unwrap();
            file.set_modified(at(number)).unwrap();
            if number > 0 {
                // It was used just now.
                assert!(disk.get(&identity, 0, block.len()).is_some(), "{number}");
            }
        }
        let there: Vec<u64> =
            (0..40).filter(|number| disk.path(&identity, *number).exists()).collect();
        assert!((9..=12).contains(&there.len()) && there.ends_with(&[38, 39]), "{there:?}");
        assert!(folder.join("notes.txt").exists() && disk.failed().is_none());
        fs::remove_dir_all(&folder).unwrap();
    }
}
