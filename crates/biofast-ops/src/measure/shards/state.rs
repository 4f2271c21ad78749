//! What a file is like, told without reading all of it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use biofast_io::display_name;

use super::error::{Error, ErrorKind};

/// How much of a file its digest is of: so many stretches …
const STRETCHES: u64 = 64;
/// … of so many bytes each.
const STRETCH: u64 = 4 << 10;
/// Bytes at the start and at the end that count, too.
const ENDS: u64 = 64 << 10;

/// A file of up to so many bytes is digested whole.
pub const DIGESTED: u64 = STRETCHES * STRETCH + 2 * ENDS;

/// What tells a file from others, and from itself after a change.
///
/// ```
/// use biofast_ops::shards::State;
///
/// let state = State::of("Cargo.toml".as_ref())?;
/// assert!(state.size > 0 && state.digest.len() == 16);
/// # Ok::<(), biofast_ops::shards::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Bytes as stored.
    pub size: u64,
    /// When it was last changed: seconds since 1970 and nanoseconds, where the system says so.
    pub modified: Option<(u64, u32)>,
    /// FNV-1a of 64 bits, in hexadecimal: of the file if it has at most [`DIGESTED`] bytes, else of its first and last 65,536
    /// bytes and of 64 stretches of 4,096 bytes, number *i* (from 0) starting at byte ⌊*i* · (size − 4,096) / 63⌋, in this
    /// order: start, stretches, end.
    pub digest: String,
}

impl State {
    /// That of a regular file.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn of(path: &Path) -> Result<State, Error> {
        read(path).map_err(|error| Error::of(ErrorKind::Io(error), &display_name(path)))
    }
}

fn read(path: &Path) -> std::io::Result<State> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "only regular files can be cut into shards",
        ));
    }
    let size = metadata.len();
    let modified = metadata.modified().ok().and_then(|time| {
        let since = time.duration_since(UNIX_EPOCH).ok()?;
        Some((since.as_secs(), since.subsec_nanos()))
    });
    let mut hash = Fnv::default();
    let mut add = |start: u64, len: u64| -> std::io::Result<()> {
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        (&mut file).take(len).read_to_end(&mut bytes)?;
        hash.add(&bytes);
        Ok(())
    };
    if size <= DIGESTED {
        add(0, size)?;
    } else {
        add(0, ENDS)?;
        for i in 0..STRETCHES {
            let start = u128::from(i) * u128::from(size - STRETCH) / u128::from(STRETCHES - 1);
            add(start as u64, STRETCH)?;
        }
        add(size - ENDS, ENDS)?;
    }
    Ok(State { size, modified, digest: hash.to_string() })
}

/// The hash of Fowler, Noll and Vo, variant 1a, of 64 bits.
#[derive(Clone)]
pub(super) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

impl std::fmt::Display for Fnv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        let of = |text: &str| {
            let mut hash = Fnv::default();
            hash.add(text.as_bytes());
            hash.to_string()
        };
        // Test vectors of the authors.
        assert_eq!(of(""), "cbf29ce484222325");
        assert_eq!(of("a"), "af63dc4c8601ec8c");
        assert_eq!(of("foobar"), "85944171f73967e8");
    }

    #[test]
    fn a_change_at_either_end_or_in_a_stretch_shows() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x");
        let mut bytes = vec![7u8; DIGESTED as usize * 3];
        let digest = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("a file");
            State::of(&path).expect("a state").digest
        };
        let whole = digest(&bytes);
        let last = bytes.len() - 1;
        let stretch = (bytes.len() - 4096) / 63;
        for at in [0, last, stretch] {
            bytes[at] ^= 1;
            assert_ne!(digest(&bytes), whole, "{at}");
            bytes[at] ^= 1;
        }
        assert_eq!(digest(&bytes), whole);
    }
}
