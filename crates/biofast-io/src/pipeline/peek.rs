//! A look at the first decompressed bytes of a source, which stays unread.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::sync::{Arc, Mutex, PoisonError};

use super::reader::Reader;
use crate::error::{Error, ErrorKind};
use crate::input::{Backing, Options, Source};

impl Source {
    /// The first `wanted` bytes of the decompressed data, fewer if the data end or are damaged
    /// before; whoever reads the source afterwards gets everything from the start, and reports
    /// the damage.
    ///
    /// A stream is read as far as it takes and no further, so this waits for a slow one.
    ///
    /// # Errors
    /// If nothing can be read or decompressed before the first fault. The source is then still
    /// good for reading, with the same result.
    pub fn peek(&mut self, wanted: usize) -> Result<Vec<u8>, Error> {
        let name = Arc::clone(&self.name);
        match &mut self.backing {
            Backing::File(file, _) => {
                let peeked = peek_file(file, &name, wanted);
                if let Err(error) = &peeked
                    && let ErrorKind::Io(error) = error.kind()
                {
                    // The position of the file isn't known any more, and what was asked for first failed: so does all else.
                    let fault = io::Error::new(error.kind(), error.to_string());
                    self.backing = Backing::Stream(Box::new(StreamFault(Some(fault))));
                }
                peeked
            }
            Backing::Object(object, _) => {
                let start = Arc::clone(object).read_from(0, None);
                peek_at(Source::from_reader(&name, start), wanted)
            }
            Backing::Stream(reader) | Backing::Derived(reader) => {
                let inner = std::mem::replace(reader, Box::new(io::empty()));
                let recording =
                    Arc::new(Mutex::new(Recording { inner, seen: Vec::new(), fault: None }));
                let copy = Recorder(Arc::clone(&recording));
                let peeked = peek_at(Source::from_reader(&name, copy), wanted);
                *reader = Box::new(Recorder(recording).rewind());
                peeked
            }
        }
    }
}

fn peek_file(file: &mut File, name: &Arc<str>, wanted: usize) -> Result<Vec<u8>, Error> {
    // A copy of the handle shares its position.
    let copy = file.try_clone().map_err(|e| Error::io(e, name))?;
    let start = file.stream_position().map_err(|e| Error::io(e, name))?;
    let peeked = peek_at(Source::from_reader(name, copy), wanted);
    file.seek(io::SeekFrom::Start(start)).map_err(|e| Error::io(e, name))?;
    peeked
}

fn peek_at(source: Source, wanted: usize) -> Result<Vec<u8>, Error> {
    let options = Options { chunk_size: wanted.max(1), ..Options::serial() };
    let mut reader = Reader::new(source, &options)?;
    let mut bytes = vec![0; wanted];
    let mut n = 0;
    while n < wanted {
        match reader.read(&mut bytes[n..]) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(e) if n == 0 => return Err(Error::io(e, &"".into())),
            Err(_) => break,
        }
    }
    bytes.truncate(n);
    Ok(bytes)
}

/// A stream that remembers what has been read from it.
struct Recording {
    inner: Box<dyn Read + Send>,
    seen: Vec<u8>,
    fault: Option<io::Error>,
}

struct Recorder(Arc<Mutex<Recording>>);

impl Read for Recorder {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut recording = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match recording.inner.read(out) {
            Ok(n) => {
                recording.seen.extend_from_slice(&out[..n]);
                Ok(n)
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Err(e),
            Err(e) => {
                let copy = io::Error::new(e.kind(), e.to_string());
                recording.fault = Some(e);
                Err(copy)
            }
        }
    }
}

impl Recorder {
    /// The stream from where recording started, its fault included.
    fn rewind(self) -> impl Read + Send + 'static {
        let mut recording = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let inner = std::mem::replace(&mut recording.inner, Box::new(io::empty()));
        let fault = StreamFault(recording.fault.take());
        Cursor::new(std::mem::take(&mut recording.seen)).chain(fault).chain(inner)
    }
}

/// Fails once, or is empty.
struct StreamFault(Option<io::Error>);

impl Read for StreamFault {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_testkit::container::{bgzf, gzip};

    /// Gives a byte at a time, and fails at the end if told so.
    struct Slow(Vec<u8>, usize, bool);

    impl Read for Slow {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            match self.0.get(self.1) {
                Some(&byte) if !out.is_empty() => {
                    out[0] = byte;
                    self.1 += 1;
                    Ok(1)
                }
                None if self.2 => Err(io::Error::other("unplugged")),
                _ => Ok(0),
            }
        }
    }

    fn read(source: Source) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        let mut reader = Reader::new(source, &Options::default())?;
        reader.read_to_end(&mut out).map_err(|e| Error::io(e, &"".into()))?;
        Ok(out)
    }

    #[test]
    fn peeking_shows_the_start_and_takes_nothing() {
        let text: Vec<u8> = (0..10_000u32).flat_map(|n| format!("{n}\n").into_bytes()).collect();
        let folder = tempfile::tempdir().expect("a folder");
        for bytes in [text.clone(), gzip(&text), bgzf(&text, 1000)] {
            let path = folder.path().join("x");
            std::fs::write(&path, &bytes).expect("a file");
            for wanted in [0, 1, 100, 5000, 100_000] {
                let start = &text[..wanted.min(text.len())];
                for mut source in [
                    Source::open(&path).expect("a source"),
                    Source::from_reader("x", Slow(bytes.clone(), 0, false)),
                ] {
                    let len = source.len();
                    for _ in 0..2 {
                        assert_eq!(source.peek(wanted).expect("bytes"), start);
                    }
                    assert_eq!(source.len(), len);
                    assert_eq!(read(source).expect("all"), text);
                }
            }
        }
    }

    #[test]
    fn faults_are_left_to_the_reader() {
        let text = vec![b'x'; 100];
        for whole in [text.clone(), gzip(&text), bgzf(&text, 50), Vec::new()] {
            let mut source = Source::from_reader("x", Slow(whole.clone(), 0, true));
            match source.peek(20) {
                Ok(bytes) => assert_eq!(bytes, &text[..20]),
                // A decoder may want more than it needs.
                Err(e) => assert!(whole.len() < 100 && e.to_string().contains("unplugged")),
            }
            // A fault that was seen while peeking is still to come.
            let error = read(source).expect_err("unplugged");
            assert!(error.to_string().contains("unplugged"), "{error}");
        }
        // A damaged first block, and nothing at all.
        let mut damaged = bgzf(&text, 50);
        damaged[30] ^= 0xff;
        let mut source = Source::from_reader("x", Cursor::new(damaged));
        assert!(source.peek(20).is_err());
        assert!(read(source).is_err());
        assert!(Source::from_reader("x", io::empty()).peek(20).expect("nothing").is_empty());
    }
}
