//! CSI of BED in BGZF, made while one thread writes it: what `tabix --csi -p bed` makes of the file.

use biofast_io::output::Output;
use biofast_io::splice::Segment;

use super::assemble::{Assembly, Partial};
use super::bins::Scheme;
use super::tables::IndexFormat;
use super::{build, written};
use crate::error::{Error, ErrorKind};

/// Lines that are condensed before they are put together with those before.
const CONDENSED: u32 = 4096;

/// The smallest bins, as a power of 2.
const MIN_SHIFT: u8 = 14;

/// Makes the CSI index of BED lines that are written to BGZF.
///
/// ```
/// use biofast_bam::index::{Index, LineIndexer};
/// use biofast_io::output::{Compression, Format, Output};
///
/// let bgzf = Compression::new(Format::Bgzf, None)?;
/// let mut output = Output::stream("x.bed.gz", std::io::sink(), bgzf).with_blocks()?;
/// let mut index = LineIndexer::new(1000)?;
/// let line = b"chr1\t10\t20\n";
/// output.append(line)?;
/// index.add(b"chr1", 10, 20, line.len());
/// output.finish()?;
/// let index = Index::read("x.bed.gz.csi", &index.finish(&output)?[..])?;
/// assert_eq!(index.reference_count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LineIndexer {
    scheme: Scheme,
    partial: Partial,
    condensed: u32,
    assembly: Assembly,
    /// The references that have lines, each with a NUL.
    names: Vec<u8>,
    references: usize,
    /// Where the last name starts.
    last: usize,
    /// Text before the next line.
    text: u64,
}

impl LineIndexer {
    /// For intervals on references of at most `longest` bases.
    ///
    /// # Errors
    /// If no index holds so many.
    pub fn new(longest: u64) -> Result<LineIndexer, Error> {
        let scheme = Scheme::for_length(MIN_SHIFT, longest).ok_or_else(|| {
            let why = format!("bins of 2^{MIN_SHIFT} bases are too small for {longest} bases");
            Error::new(ErrorKind::NotIndexable(why), Default::default())
        })?;
        Ok(LineIndexer {
            scheme,
            partial: Partial::default(),
            condensed: 0,
            assembly: Assembly::default(),
            names: Vec::new(),
            references: 0,
            last: 0,
            text: 0,
        })
    }

    /// Takes note of so many bytes of text that hold no interval.
    pub fn skip(&mut self, len: usize) {
        self.text += len as u64;
    }

    /// Takes note of the line that is appended to the text next, with its line feed: an interval, and how many bytes it has.
    /// The lines of a reference stand together, sorted by their starts.
    pub fn add(&mut self, name: &[u8], start: u64, end: u64, len: usize) {
        self.add_adjacent(name, (start, end), 1, len);
    }

    /// Where the smallest bin ends that this position is in.
    #[doc(hidden)]
    pub fn bin_end(start: u64) -> u64 {
        ((start >> MIN_SHIFT) + 1) << MIN_SHIFT
    }

    /// The same of so many lines, whose intervals lie side by side from `start` to `end`, in one bin if they are many, and that have
    /// so many bytes together.
    #[doc(hidden)]
    pub fn add_adjacent(&mut self, name: &[u8], (start, end): (u64, u64), lines: u64, len: usize) {
        debug_assert!(lines == 1 || end <= LineIndexer::bin_end(start), "they are in one bin");
        let known = self.names[self.last..].strip_suffix(b"\0");
        if known != Some(name) {
            self.last = self.names.len();
            self.names.extend_from_slice(name);
            self.names.push(0);
            self.references += 1;
        }
        let limit = self.scheme.end();
        let from = i64::try_from(start).unwrap_or(i64::MAX).min(limit - 1);
        // An empty interval stands where it starts.
        let to = i64::try_from(end).unwrap_or(i64::MAX).clamp(from + 1, limit);
        let after = self.text + len as u64;
        let segment = Segment { start: self.text.into(), end: after.into() };
        self.text = after;
        let reference = self.references as i32 - 1;
        self.partial.add_intervals(reference, (from, to), segment, [lines, 0], self.scheme);
        self.condensed += 1;
        if self.condensed == CONDENSED {
            self.assembly.append(&mut self.partial, self.scheme);
            self.condensed = 0;
        }
    }

    /// The content of the index file of `output`, which is complete.
    ///
    /// # Errors
    /// If the output doesn't [remember its blocks](Output::with_blocks).
    pub fn finish(mut self, output: &Output) -> Result<Vec<u8>, Error> {
        self.assembly.append(&mut self.partial, self.scheme);
        let assembly = written::placed(self.assembly, output, self.text)?;
        // What tabix keeps of the format: BED, whose columns 1, 2 and 3 are name, start and end, and lines of '#' none.
        let mut aux = Vec::new();
        for field in [0x1_0000u32, 1, 2, 3, u32::from(b'#'), 0, self.names.len() as u32] {
            aux.extend(field.to_le_bytes());
        }
        aux.extend_from_slice(&self.names);
        let bytes = assembly.finish_with(IndexFormat::Csi, self.scheme, self.references, &aux);
        Ok(build::file(IndexFormat::Csi, bytes))
    }
}
