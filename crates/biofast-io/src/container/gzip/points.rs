//! Places in ordinary gzip where inflating can start: noted while it is read, used when a part of it is read later.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use libdeflater::Crc;

use super::GzipDecoder;
use crate::error::{Error, ErrorKind, Location};
use crate::input::remote::Ranged;
use crate::input::{
    Backing, GzipPoint, GzipPoints, Options, Origin, Source, StoredBytes, display_name,
};

/// Text a part inflates at once.
const BUFFER: usize = 256 << 10;

/// A part of the text of ordinary gzip, and where to start for it.
#[derive(Clone, Debug)]
pub struct GzipPart {
    /// A point at or before the part.
    pub start: GzipPoint,
    /// The part: from this byte of the text up to the other one, which is not included.
    pub text: (u64, u64),
    /// The stretches of text from the start on: where each ends, and its CRC-32. What of the part is behind them isn't checked.
    pub stretches: Vec<(u64, u32)>,
    /// Whether the text ends with the last stretch, so that the file must end there, too.
    pub to_end: bool,
}

impl Source {
    /// The same source, of which [points](GzipPoints) are noted if it is ordinary gzip. It is then inflated by one thread,
    /// beside those that work on the text.
    #[must_use]
    #[doc(hidden)]
    pub fn noting(self, points: &Arc<GzipPoints>) -> Source {
        Source { points: Some(Arc::clone(points)), ..self }
    }

    /// A part of the text of ordinary gzip, in a regular file or an object at an
    /// [address](crate::remote::address), that starts at `origin`. All stretches named are inflated and checked.
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("biofast-doc-gzip-{}.gz", std::process::id()));
    /// use biofast_io::{GzipPart, GzipPoint, Options, Origin, Reader, Source};
    ///
    /// // "a" in one block of the fixed code, behind a header of 10 bytes.
    /// let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x4b\x04\x00\x43\xbe\xb7\xe8\x01\0\0\0";
    /// std::fs::write(&path, gzip)?;
    /// let start = GzipPoint { bit: 80, offset: 0, crc32: 0, window: Vec::new() };
    /// let part = GzipPart { start, text: (0, 1), stretches: vec![(1, 0xe8b7_be43)], to_end: true };
    /// let origin = Origin::default();
    /// let source = Source::open_gzip_part(&path, part, origin)?;
    /// assert_eq!(std::io::read_to_string(Reader::new(source, &Options::serial())?)?, "a");
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the file can't be opened.
    #[doc(hidden)]
    pub fn open_gzip_part(
        path: impl AsRef<Path>,
        part: GzipPart,
        origin: Origin,
    ) -> Result<Source, Error> {
        let path = path.as_ref();
        let name: Arc<str> = display_name(path).into();
        let failed = |error| Error::io(error, &name);
        let mut file = Ranged::open(path).map_err(failed)?;
        let start = part.start.bit / 8;
        file.seek(SeekFrom::Start(start)).map_err(failed)?;
        let stored = Source::of(Arc::clone(&name), Backing::Stream(Box::new(file)));
        let input = StoredBytes::new(stored, &Options::serial())?.numbered_from(start);
        let text = Text {
            input,
            decoder: GzipDecoder::resumed(&part.start.window, (part.start.bit % 8) as usize),
            name: Arc::clone(&name),
            at: part.start.offset,
            crc: Crc::new(),
            stretch: 0,
            buffer: vec![0; BUFFER],
            held: 0..0,
            fault: None,
            part,
        };
        Ok(Source::of(name, Backing::Derived(Box::new(text))).starting_at(origin))
    }
}

/// The text of a part.
struct Text {
    input: StoredBytes,
    decoder: GzipDecoder,
    name: Arc<str>,
    part: GzipPart,
    /// The byte of the text that comes next.
    at: u64,
    /// Of the stretch that is being inflated …
    crc: Crc,
    /// … and its number.
    stretch: usize,
    buffer: Vec<u8>,
    /// What of the buffer is still to be given.
    held: std::ops::Range<usize>,
    fault: Option<Error>,
}

impl Text {
    fn mismatch(&self, what: &'static str) -> Error {
        let at = Location { block: Some(self.input.position()), ..Location::in_input(&self.name) };
        Error::new(ErrorKind::IndexMismatch(what), at)
    }

    /// Where the text that comes next ends, and its CRC-32 if that is known; `None` at the end.
    fn next_stretch(&mut self) -> Result<Option<(u64, Option<u32>)>, Error> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let (_, to) = self.part.text;
        match self.part.stretches.get(self.stretch) {
            Some(&(end, expected)) => Ok(Some((end, Some(expected)))),
            // Who reads on from here checks it.
            None if self.at < to => Ok(Some((to, None))),
            None => self.end().map(|()| None),
        }
    }

    /// Inflates what comes next to `out`, up to `end`.
    fn inflate(&mut self, out: &mut [u8], (end, expected): (u64, Option<u32>)) -> usize {
        let left = usize::try_from(end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let room = left.min(out.len());
        let (n, fault) = self.decoder.read(&mut self.input, &mut out[..room]);
        self.fault = fault;
        if n < room && self.fault.is_none() {
            self.fault = Some(self.mismatch("the text is shorter than the index says"));
        }
        self.crc.update(&out[..n]);
        self.at += n as u64;
        if self.at == end && self.fault.is_none() {
            let found = std::mem::replace(&mut self.crc, Crc::new()).sum();
            self.stretch += 1;
            if expected.is_some_and(|expected| expected != found) {
                self.fault = Some(self.mismatch("the text has a different checksum"));
            }
        }
        n
    }

    /// What is behind the last stretch, if the file ends there.
    fn end(&mut self) -> Result<(), Error> {
        while self.part.to_end && !self.decoder.has_ended() {
            match self.decoder.read(&mut self.input, &mut self.buffer[..1]) {
                (_, Some(fault)) => return Err(fault),
                (0, None) => {}
                _ => return Err(self.mismatch("the text is longer than the index says")),
            }
        }
        Ok(())
    }
}

impl Read for Text {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let (from, to) = self.part.text;
        while self.held.is_empty() && !out.is_empty() {
            let Some((end, expected)) = self.next_stretch()? else { return Ok(0) };
            let before = self.at;
            if before >= from && end <= to {
                match self.inflate(out, (end, expected)) {
                    0 => continue,
                    n => return Ok(n),
                }
            }
            // Not all of it may be of the part.
            let mut buffer = std::mem::take(&mut self.buffer);
            let n = self.inflate(&mut buffer, (end, expected)) as u64;
            self.buffer = buffer;
            let place = |byte: u64| byte.clamp(before, before + n) - before;
            self.held = place(from) as usize..place(to.max(from)) as usize;
        }
        let n = self.held.len().min(out.len());
        out[..n].copy_from_slice(&self.buffer[self.held.start..self.held.start + n]);
        self.held.start += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reader;
    use biofast_testkit::container::gzip;

    fn text_of(source: Source) -> Result<Vec<u8>, io::Error> {
        let mut out = Vec::new();
        Reader::new(source, &Options::default())?.read_to_end(&mut out)?;
        Ok(out)
    }

    /// Two members of several blocks, and their points.
    fn sample(folder: &Path) -> (std::path::PathBuf, Vec<u8>, Vec<GzipPoint>, (u64, u32)) {
        let text = |mut state: u32| -> Vec<u8> {
            let mut letter = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                b"ACGTN\n"[(state >> 24) as usize % 6]
            };
            (0..120_000).map(|_| letter()).collect()
        };
        let (one, two) = (text(7), text(1_000_003));
        let path = folder.join("x.gz");
        std::fs::write(&path, [gzip(&one), gzip(&two)].concat()).expect("a file");
        let points = Arc::new(GzipPoints::new(20_000));
        let whole = text_of(Source::open(&path).expect("opens").noting(&points)).expect("reads");
        assert!(whole == [one, two].concat());
        let end = points.end().expect("an end");
        (path, whole, points.take(), end)
    }

    fn part(points: &[GzipPoint], end: (u64, u32), text: (u64, u64)) -> GzipPart {
        let first = points.partition_point(|point| point.offset <= text.0) - 1;
        let mut stretches = Vec::new();
        for point in &points[first + 1..] {
            if stretches.last().is_some_and(|(end, _)| *end >= text.1) {
                break;
            }
            stretches.push((point.offset, point.crc32));
        }
        let to_end = stretches.last().is_none_or(|(end, _)| *end < text.1);
        if to_end {
            stretches.push(end);
        }
        GzipPart { start: points[first].clone(), text, stretches, to_end }
    }

    #[test]
    fn parts_are_what_the_whole_has_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, whole, points, end) = sample(folder.path());
        assert!(points.len() > 3 && points[0].offset == 0, "{}", points.len());
        assert_eq!(end.0, whole.len() as u64);
        let last = whole.len() as u64;
        for from in [0, 1, 19_999, 119_999, 120_000, 120_001, last - 1] {
            for to in [from + 1, from + 50_000, last] {
                let (from, to) = (from, to.min(last));
                let source =
                    Source::open_gzip_part(&path, part(&points, end, (from, to)), Origin::START);
                let text = text_of(source.expect("opens")).expect("reads");
                assert!(text == whole[from as usize..to as usize], "{from} {to}");
            }
        }
    }

    #[test]
    fn a_changed_byte_of_any_stretch_that_is_read_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, whole, points, end) = sample(folder.path());
        let good = std::fs::read(&path).expect("a file");
        let read =
            |text| text_of(Source::open_gzip_part(&path, part(&points, end, text), Origin::START)?);
        for at in (points[1].bit / 8 + 40..points[3].bit / 8).step_by(997) {
            let mut bad = good.clone();
            bad[at as usize] ^= 0x10;
            std::fs::write(&path, &bad).expect("a file");
            let text = (points[1].offset + 5, points[3].offset - 5);
            // What the change makes of the text, or that it is another one.
            assert!(read(text).is_err(), "{at}");
        }
        std::fs::write(&path, &good[..good.len() - 3]).expect("a file");
        assert!(read((0, whole.len() as u64)).is_err(), "the last footer is cut");
        assert!(read((0, 5)).is_ok());
    }
}
