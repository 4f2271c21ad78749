//! What a file is like, told without reading all of it.

use std::io::{Seek, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use biofast_io::display_name;
use biofast_io::remote::{self, Ranged};

use super::error::{Error, ErrorKind};

/// A digest is of stretches of so many bytes: so many of them over the file …
const STRETCH: usize = 4 << 10;
const STRETCHES: u64 = 64;
/// … and these at the start and at the end.
const ENDS: u64 = 16;

/// A file of up to so many bytes is digested whole.
pub const DIGESTED: u64 = (STRETCHES + 2 * ENDS) * STRETCH as u64;

/// What distinguishes a file from others, and from itself after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Bytes as stored.
    pub size: u64,
    /// When it was last changed: seconds since 1970 and nanoseconds, where the system says so.
    pub modified: Option<(u64, u32)>,
    /// In hexadecimal, FNV-1a of 64 bits over the hashes, little-endian, of stretches of 4,096 bytes, of which each is FNV-1a
    /// of 64 bits. They are, in this order, 16 from the start on; 64 of which number *i* (from 0) starts at byte
    /// ⌊*i* · (size − 4,096) / 63⌋; 16 that end with the file. Of a file of at most [`DIGESTED`] bytes they are all from the
    /// start on, and the last one may be shorter.
    pub digest: String,
}

impl State {
    /// That of a regular file, or of an object at an [address](remote::address).
    ///
    /// # Errors
    /// If it can't be read.
    pub fn of(path: &Path) -> Result<State, Error> {
        read(path).map_err(|error| Error::of(ErrorKind::Io(error), &display_name(path)))
    }
}

/// Where a stretch starts, room for it, and for how much of it there is.
type StretchSlot<'a> = ((&'a u64, &'a mut [u8; STRETCH]), &'a mut usize);

fn read(path: &Path) -> std::io::Result<State> {
    let mut file = Ranged::open(path)?;
    let is_object = remote::address(path).is_some();
    if !is_object && !path.is_file() {
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "only regular files can be divided into shards",
        ));
    }
    // Of what was opened, whatever is at the path by now.
    let size = file.seek(SeekFrom::End(0))?;
    let modified = remote::modified(path).and_then(|time| {
        let since = time.duration_since(UNIX_EPOCH).ok()?;
        Some((since.as_secs(), since.subsec_nanos()))
    });
    let mut digest = Fnv::default();
    let mut buffer = Box::new([[0; STRETCH]; LANES]);
    let starts = starts(size);
    for starts in starts.chunks(LANES) {
        let mut lens = [0; LANES];
        let mut stretches = starts.iter().zip(buffer.iter_mut()).zip(&mut lens);
        let read = |((start, stretch), len): StretchSlot<'_>| -> std::io::Result<()> {
            *len = file.read_at(stretch, *start)?;
            Ok(())
        };
        match is_object {
            // Each is a request, which is waited for.
            true => std::thread::scope(|scope| {
                let reads: Vec<_> =
                    stretches.map(|stretch| scope.spawn(move || read(stretch))).collect();
                let panicked = || std::io::Error::other("a thread that fetched has panicked");
                reads
                    .into_iter()
                    .try_for_each(|read| read.join().unwrap_or_else(|_| Err(panicked())))
            }),
            false => stretches.try_for_each(read),
        }?;
        for (hash, _) in hashes(&buffer, &lens).into_iter().zip(starts) {
            digest.add(&hash.to_le_bytes());
        }
    }
    Ok(State { size, modified, digest: digest.to_string() })
}

/// Where the stretches start.
fn starts(size: u64) -> Vec<u64> {
    const LEN: u64 = STRETCH as u64;
    if size <= DIGESTED {
        return (0..size.div_ceil(LEN)).map(|i| i * LEN).collect();
    }
    let middle = |i| u128::from(i) * u128::from(size - LEN) / u128::from(STRETCHES - 1);
    let first = (0..ENDS).map(|i| i * LEN);
    let last = (1..=ENDS).rev().map(|i| size - i * LEN);
    first.chain((0..STRETCHES).map(|i| middle(i) as u64)).chain(last).collect()
}

/// A step of the hash waits for the one before: so many stretches side by side take as long as one.
const LANES: usize = 8;

/// The hashes of stretches of these lengths.
fn hashes(stretches: &[[u8; STRETCH]; LANES], lens: &[usize; LANES]) -> [u64; LANES] {
    if *lens != [STRETCH; LANES] {
        return std::array::from_fn(|lane| {
            let mut hash = Fnv::default();
            hash.add(&stretches[lane][..lens[lane]]);
            hash.0
        });
    }
    let mut hashes = [Fnv::default().0; LANES];
    for i in 0..STRETCH {
        for (hash, stretch) in hashes.iter_mut().zip(stretches) {
            *hash = (*hash ^ u64::from(stretch[i])).wrapping_mul(PRIME);
        }
    }
    hashes
}

const PRIME: u64 = 0x100_0000_01b3;

/// The hash of Fowler, Noll and Vo, variant 1a, of 64 bits.
#[derive(Clone)]
pub(super) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(super) fn value(&self) -> u64 {
        self.0
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
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

    /// The definition, without lanes.
    fn plain_digest(bytes: &[u8]) -> String {
        let mut digest = Fnv::default();
        for start in starts(bytes.len() as u64) {
            let start = start as usize;
            let mut hash = Fnv::default();
            hash.add(&bytes[start..bytes.len().min(start + STRETCH)]);
            digest.add(&hash.0.to_le_bytes());
        }
        digest.to_string()
    }

    #[test]
    fn a_digest_is_what_the_page_says_for_files_of_any_size() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x");
        let most = DIGESTED as usize;
        assert_eq!(most, 393_216);
        for len in [0, 1, 4095, 4096, 4097, 32_768, 32_769, most - 1, most, most + 1, 5 * most + 7]
        {
            let bytes: Vec<u8> = (0..len as u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
            std::fs::write(&path, &bytes).expect("a file");
            let state = State::of(&path).expect("a state");
            assert_eq!((state.size, state.digest), (len as u64, plain_digest(&bytes)), "{len}");
        }
        assert_eq!(starts(DIGESTED + 1)[..16], starts(u64::from(u32::MAX))[..16]);
        assert_eq!(
            starts(1_000_000)[79..],
            std::array::from_fn::<_, 17, _>(|i| match i {
                0 => 995_904,
                i => 1_000_000 - 4096 * (17 - i as u64),
            })
        );
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
