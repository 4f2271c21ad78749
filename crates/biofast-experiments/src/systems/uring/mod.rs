//! Many reads at once: through io_uring at a given depth where there is one, otherwise one `pread` after another, and
//! then with a note that says why. Used by entry 037.

#[cfg(all(target_os = "linux", feature = "io-uring"))]
mod ring;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// Reads pieces of one length from many places of a file, in any order.
pub(crate) struct BatchReader {
    way: Way,
    len: usize,
    calls: u64,
}

enum Way {
    #[cfg(all(target_os = "linux", feature = "io-uring"))]
    Ring(Box<ring::Ring>),
    Pread {
        buffer: Vec<u8>,
        note: String,
    },
}

impl BatchReader {
    /// Reads pieces of `len` bytes, up to `depth` at the same time.
    pub(crate) fn new(depth: usize, len: usize) -> Self {
        let way = match ring_of(depth, len) {
            Ok(way) => way,
            Err(error) => Way::Pread {
                buffer: vec![0; len],
                note: format!("io_uring can't be used ({error}): reading by pread"),
            },
        };
        BatchReader { way, len, calls: 0 }
    }

    /// Why io_uring isn't used; none if it is.
    pub(crate) fn note(&self) -> Option<&str> {
        match &self.way {
            #[cfg(all(target_os = "linux", feature = "io-uring"))]
            Way::Ring(_) => None,
            Way::Pread { note, .. } => Some(note),
        }
    }

    /// Whether buffers are registered with the kernel.
    pub(crate) fn is_registered(&self) -> bool {
        match &self.way {
            #[cfg(all(target_os = "linux", feature = "io-uring"))]
            Way::Ring(ring) => ring.is_registered(),
            Way::Pread { .. } => false,
        }
    }

    /// System calls made so far.
    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    /// Reads every place and hands on its bytes with its index. A piece that the file doesn't hold whole is an error.
    pub(crate) fn read(
        &mut self,
        file: &File,
        places: &[u64],
        mut take: impl FnMut(usize, &[u8]),
    ) -> io::Result<()> {
        match &mut self.way {
            #[cfg(all(target_os = "linux", feature = "io-uring"))]
            Way::Ring(ring) => ring.read(file, places, &mut self.calls, take),
            Way::Pread { buffer, .. } => {
                for (i, &at) in places.iter().enumerate() {
                    let piece = &mut buffer[..self.len];
                    self.calls += 1;
                    file.read_exact_at(piece, at)?;
                    take(i, piece);
                }
                Ok(())
            }
        }
    }
}

#[cfg(all(target_os = "linux", feature = "io-uring"))]
fn ring_of(depth: usize, len: usize) -> io::Result<Way> {
    Ok(Way::Ring(Box::new(ring::Ring::new(depth, len)?)))
}

#[cfg(not(all(target_os = "linux", feature = "io-uring")))]
fn ring_of(_: usize, _: usize) -> io::Result<Way> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this build has none"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn without_ring(len: usize) -> BatchReader {
        let way = Way::Pread { buffer: vec![0; len], note: "for the test".into() };
        BatchReader { way, len, calls: 0 }
    }

    #[test]
    fn every_place_is_read_once_at_any_depth() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("file");
        let mut rng = Rng::new(1, 2, 3);
        let bytes: Vec<u8> = (0..500_000).map(|_| rng.next() as u8).collect();
        std::fs::write(&path, &bytes).expect("writes");
        let file = File::open(&path).expect("opens");
        for len in [1, 4096, 65_536] {
            let places: Vec<u64> = (0..301).map(|_| rng.below((500_001 - len) as u64)).collect();
            let mut readers: Vec<BatchReader> =
                [1, 3, 64].map(|depth| BatchReader::new(depth, len)).into();
            if let Some(note) = readers[0].note() {
                eprintln!("without io_uring: {note}");
            }
            readers.push(without_ring(len));
            for mut reader in readers {
                // Twice: buffers and queue are used again.
                for _ in 0..2 {
                    let mut seen = vec![0; places.len()];
                    let take = |i: usize, piece: &[u8]| {
                        let at = places[i] as usize;
                        assert!(*piece == bytes[at..at + len], "place {i}");
                        seen[i] += 1;
                    };
                    reader.read(&file, &places, take).expect("reads");
                    assert!(seen.iter().all(|&n| n == 1));
                }
            }
        }
    }

    #[test]
    fn a_place_beyond_the_end_is_an_error_and_the_reader_goes_on() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("file");
        std::fs::write(&path, [7; 10_000]).expect("writes");
        let file = File::open(&path).expect("opens");
        for mut reader in [BatchReader::new(8, 4096), without_ring(4096)] {
            for bad in [5905, 10_000, 1 << 40] {
                let places = [0, 100, bad, 200, 300];
                let error = reader.read(&file, &places, |_, _| {}).expect_err("beyond the end");
                assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{bad}");
                let mut pieces = 0;
                reader.read(&file, &[0, 5904], |_, p| pieces += p.len()).expect("reads");
                assert_eq!(pieces, 8192);
            }
        }
    }

    #[test]
    #[ignore = "needs io_uring"]
    fn more_depth_is_fewer_calls() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("file");
        std::fs::write(&path, [7; 10_000]).expect("writes");
        let file = File::open(&path).expect("opens");
        let places = vec![0; 640];
        let calls = [1, 64].map(|depth| {
            let mut reader = BatchReader::new(depth, 100);
            reader.read(&file, &places, |_, _| {}).expect("reads");
            (reader.note().is_none(), reader.calls())
        });
        let [(true, one), (true, many)] = calls else {
            panic!("there is no io_uring here: {calls:?}");
        };
        assert_eq!(one, 640);
        assert!(many <= 640 / 4, "{many}");
    }
}
