//! A part of a file as a source of its own: what a shard reads.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::bgzf::{MAX_INFLATED, VirtualOffset};
use super::splice::{Segment, Spliced, splice_part};
use crate::error::{Error, ErrorKind, Location};
use crate::input::remote::{Ranged, address};
use crate::input::{Backing, Origin, Places, Source, display_name};

/// A part of a file, from the start of one record to the start of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Span {
    /// Bytes of a plain file: from `start` to `end`, which is not included.
    Bytes {
        /// How many bytes from the start of the file on come first, as its header; 0 if there is none.
        header: u64,
        /// The first byte.
        start: u64,
        /// The first byte behind.
        end: u64,
    },
    /// Data of a BGZF file.
    Blocks {
        /// Where the header ends that comes first; 0 if there is none.
        header: VirtualOffset,
        /// Where the data start.
        start: VirtualOffset,
        /// Where they end; [`VirtualOffset::MAX`] is the end of the file.
        end: VirtualOffset,
    },
}

impl Source {
    /// A part of a regular file, or of an object at an [address](crate::remote::address), which starts at `origin`. Of BGZF the blocks are checked and inflated as those of a whole
    /// file, and errors name their places in the file. Whether the end-of-file block is missing is told of parts that reach the end.
    ///
    /// ```
    /// # let folder = std::env::temp_dir().join(format!("biofast-doc-part-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("x.fq");
    /// use biofast_io::{Options, Origin, Reader, Source, Span};
    ///
    /// std::fs::write(&path, "@a\nA\n+\nI\n@b\nC\n+\nI\n")?;
    /// let origin = Origin { records: 1, lines: 4, offset: 9, expected: Some(1), goes_on: false };
    /// let part = Source::open_part(&path, Span::Bytes { header: 0, start: 9, end: 18 }, origin)?;
    /// assert_eq!(std::io::read_to_string(Reader::new(part, &Options::default())?)?, "@b\nC\n+\nI\n");
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the file can't be opened, isn't a regular one, or is an object of which only the whole can be had.
    #[doc(hidden)]
    pub fn open_part(path: impl AsRef<Path>, span: Span, origin: Origin) -> Result<Source, Error> {
        let (file, name) = open_in_parts(path.as_ref())?;
        let source = match span {
            Span::Bytes { header, start, end } => {
                Bytes::source(file, name, vec![0..header, start..end])
            }
            Span::Blocks { header, start, end } => {
                // What is in the last block of each, too.
                let behind = |end: VirtualOffset| end.compressed() + MAX_INFLATED as u64;
                let parts = vec![0..behind(header), start.compressed()..behind(end)];
                file.parts().announce(parts);
                let header = Segment { start: VirtualOffset::default(), end: header };
                let segments = vec![header, Segment { start, end }];
                let Spliced { source, places, .. } = splice_part(file, &name, segments)?;
                Source { places: Some(places), ..source }
            }
        };
        Ok(source.starting_at(origin))
    }

    /// Ranges of the bytes of a regular file, or of an object at an [address](crate::remote::address), one after the other.
    /// [`places`](Self::places) says where in the file what is read of them comes from.
    ///
    /// ```
    /// # let folder = std::env::temp_dir().join(format!("biofast-doc-ranges-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("x");
    /// use biofast_io::{Options, Reader, Source};
    ///
    /// std::fs::write(&path, "0123456789")?;
    /// let ranges = Source::open_ranges(&path, vec![0..2, 5..8])?;
    /// assert_eq!(ranges.places().and_then(|places| places.in_file(3)), Some(6));
    /// assert_eq!(std::io::read_to_string(Reader::new(ranges, &Options::default())?)?, "01567");
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`open_part`](Self::open_part).
    #[doc(hidden)]
    pub fn open_ranges(path: impl AsRef<Path>, ranges: Vec<Range<u64>>) -> Result<Source, Error> {
        let (file, name) = open_in_parts(path.as_ref())?;
        let places = Places::default();
        let mut in_stream = 0;
        for range in &ranges {
            places.add(in_stream, range.start);
            in_stream += range.end.saturating_sub(range.start);
        }
        Ok(Source { places: Some(places), ..Bytes::source(file, name, ranges) })
    }
}

/// Opens what parts are read of, and names it.
fn open_in_parts(path: &Path) -> Result<(Ranged, Arc<str>), Error> {
    let name: Arc<str> = display_name(path).into();
    let failed = |error| Error::io(error, &name);
    let file = Ranged::open(path).map_err(failed)?;
    if address(path).is_none() && !path.metadata().map_err(failed)?.is_file() {
        let kind = ErrorKind::NotAFile("a pipe or a device, which has no parts");
        return Err(Error::new(kind, Location::in_input(&name)));
    }
    Ok((file, name))
}

/// Ranges of a file's bytes, which must be there.
struct Bytes {
    file: Ranged,
    /// The ranges that were not begun, the last one first.
    rest: Vec<Range<u64>>,
    /// Of the range that was begun.
    left: u64,
    name: Arc<str>,
}

impl Bytes {
    fn source(file: Ranged, name: Arc<str>, ranges: Vec<Range<u64>>) -> Source {
        file.parts().announce(ranges.clone());
        let rest = ranges.into_iter().rev().collect();
        let bytes = Bytes { file, rest, left: 0, name: Arc::clone(&name) };
        Source::of(name, Backing::Stream(Box::new(bytes)))
    }
}

impl Read for Bytes {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.left == 0 {
            let Some(range) = self.rest.pop() else { return Ok(0) };
            self.left = range.end.saturating_sub(range.start);
            self.file.seek(SeekFrom::Start(range.start))?;
        }
        let room = usize::try_from(self.left).map_or(out.len(), |left| left.min(out.len()));
        let n = self.file.read(&mut out[..room])?;
        if n == 0 && room > 0 {
            return Err(Error::new(ErrorKind::Shrunk, Location::in_input(&self.name)).into());
        }
        self.left -= n as u64;
        Ok(n)
    }
}
