//! Where the sequences of FASTA and FASTQ files are: made, read and written as `.fai`, the index of samtools.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use biofast_io::{Location, Shown, display_name};

use super::entry::Entry;
use super::lines::{FastaLines, Layout};
use crate::error::{Error, ErrorKind};
use crate::region::{Interval, ReferenceNames, Region, parse_among};

/// The index of a FASTA or FASTQ file (`.fai`): where each of its sequences is, and in lines of what length.
///
/// ```
/// use biofast_bam::FastaIndex;
///
/// let index = FastaIndex::build("example", &b">chr1 first\nACGTA\nCC\n>chr2\nG\n"[..])?;
/// assert_eq!(index.len(), 2);
/// let mut text = Vec::new();
/// index.write(&mut text);
/// assert_eq!(text, b"chr1\t7\t12\t5\t6\nchr2\t1\t27\t1\t2\n");
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FastaIndex {
    /// Names and entries in the order of the file; of several sequences with one name the first.
    entries: Vec<(Arc<[u8]>, Entry)>,
    by_name: HashMap<Arc<[u8]>, usize>,
    is_fastq: bool,
    duplicate: Option<UnindexedSequence>,
    empty: Option<UnindexedSequence>,
}

/// A sequence that an index doesn't have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnindexedSequence {
    /// Its name, fit for display.
    pub name: String,
    /// The line of its name, from 1.
    pub line: u64,
}

impl FastaIndex {
    /// Reads the text of a FASTA or FASTQ file, which `name` names in errors. The lines of a sequence must have the same length,
    /// except the last, which may be shorter.
    ///
    /// # Errors
    /// The first line that doesn't belong there or has another length than it may have; text that can't be read.
    pub fn build(name: &str, text: impl BufRead) -> Result<FastaIndex, Error> {
        let mut text = text;
        let start = text.fill_buf().map_err(|error| Error::from_io(error, &name.into()))?;
        let is_bam = start.starts_with(b"BAM\x01");
        let mut lines = FastaLines::new(name, text);
        let mut index = FastaIndex::default();
        let mut marker = None;
        while let Some(first) = lines.skip_blank()? {
            match (marker, first) {
                (None, b'>' | b'@') => marker = Some(first),
                (Some(marker), _) if marker == first => {}
                (None, _) if is_bam => {
                    return Err(lines.fault("expected FASTA or FASTQ, found BAM"));
                }
                (None, _) => return Err(lines.unexpected("'>' (FASTA) or '@' (FASTQ)", first)),
                (Some(marker), _) => {
                    return Err(lines.unexpected(&format!("'{}'", char::from(marker)), first));
                }
            }
            index.is_fastq = first == b'@';
            let line = lines.number();
            let name = lines.name()?;
            let sequence = UnindexedSequence { name: Shown(&name).to_string(), line };
            let mut layout = Layout::at(lines.offset());
            let entry = match index.is_fastq {
                true => lines.fastq(&sequence.name, &mut layout)?,
                false => lines.fasta(&sequence.name, &mut layout)?,
            };
            match entry {
                None => drop(index.empty.get_or_insert(sequence)),
                Some(entry) if !index.add(name.into(), entry) => {
                    index.duplicate.get_or_insert(sequence);
                }
                Some(_) => {}
            }
        }
        match marker {
            Some(_) => Ok(index),
            None => Err(lines.fault("no sequence in it")),
        }
    }

    /// Reads an index from its file. Of two sequences of the same name the first counts, as for samtools.
    ///
    /// # Errors
    /// The first line that is malformed; a file that can't be read.
    pub fn read(path: impl AsRef<Path>) -> Result<FastaIndex, Error> {
        let path = path.as_ref();
        let name: Arc<str> = display_name(path).into();
        let text = biofast_io::remote::read(path).map_err(|e| Error::from_io(e, &name))?;
        let mut index = FastaIndex::default();
        for (number, line) in (1..).zip(text.split(|&b| b == b'\n')) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            let (sequence, entry) = parse(line, number).ok_or_else(|| {
                let what = format!(
                    "expected a name and four numbers (length, offset, bases per line, bytes per line), found '{}'",
                    Shown(line)
                );
                let at = Location { line: Some(number), ..Location::in_input(&name) };
                Error::new(ErrorKind::BadIndex(what), at)
            })?;
            index.is_fastq = entry.qualities.is_some();
            index.add(sequence.into(), entry);
        }
        Ok(index)
    }

    /// Appends it in the format of its file.
    pub fn write(&self, out: &mut Vec<u8>) {
        for (name, entry) in &self.entries {
            out.extend_from_slice(name);
            let Entry { len, offset, bases_a_line, bytes_a_line, qualities, .. } = entry;
            let numbers = [*len, *offset, *bases_a_line, *bytes_a_line].into_iter();
            for number in numbers.chain(*qualities) {
                out.extend_from_slice(format!("\t{number}").as_bytes());
            }
            out.push(b'\n');
        }
    }

    /// How many sequences it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether it is of FASTQ.
    pub fn is_fastq(&self) -> bool {
        self.is_fastq
    }

    /// Names and lengths of the sequences, in the order of the file.
    pub fn sequences(&self) -> impl Iterator<Item = (&[u8], u64)> {
        self.entries.iter().map(|(name, entry)| (&name[..], entry.len))
    }

    /// The first sequence whose name another one before it has, if the index was made of a file.
    pub fn duplicate(&self) -> Option<&UnindexedSequence> {
        self.duplicate.as_ref()
    }

    /// The first sequence without bases, if the index was made of a file: samtools has no line for such.
    pub fn empty_sequence(&self) -> Option<&UnindexedSequence> {
        self.empty.as_ref()
    }

    /// Reads a region as [`Region::parse`] does: the number of the sequence, and positions, which may go beyond its end.
    ///
    /// # Errors
    /// If the text is malformed, or the file has no such sequence.
    pub fn region(&self, text: &str) -> Result<(usize, Interval), Error> {
        let reason = match parse_among(text, self) {
            Ok(Region::Placed { reference, interval }) => return Ok((reference, interval)),
            Ok(Region::Unplaced) => "no sequence is named '*'".to_owned(),
            Err(error) => match error.into_parts() {
                (ErrorKind::UnknownReference { reason, .. }, _) => reason,
                (kind, at) => return Err(Error::new(kind, at)),
            },
        };
        // There is no header to look it up in.
        let kind = ErrorKind::BadRegion { region: text.to_owned(), reason };
        Err(Error::new(kind, Location::default()))
    }

    /// How many bases a full line of the sequence with this number has; 0 if there is no such sequence or it has no bases.
    pub fn line_width(&self, number: usize) -> u64 {
        self.entries.get(number).map_or(0, |(_, entry)| entry.bases_a_line)
    }

    pub(super) fn entry(&self, name: &[u8]) -> Option<Entry> {
        self.by_name.get(name).map(|&number| self.entries[number].1)
    }

    /// The name and the entry of a sequence by its number.
    pub(super) fn numbered(&self, number: usize) -> Option<(&[u8], Entry)> {
        self.entries.get(number).map(|(name, entry)| (&name[..], *entry))
    }

    /// Adds a sequence, unless there is one of its name.
    fn add(&mut self, name: Arc<[u8]>, entry: Entry) -> bool {
        if self.by_name.contains_key(&name) {
            return false;
        }
        self.by_name.insert(Arc::clone(&name), self.entries.len());
        self.entries.push((name, entry));
        true
    }
}

impl ReferenceNames for FastaIndex {
    fn position(&self, name: &[u8]) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    fn names(&self) -> Box<dyn Iterator<Item = &[u8]> + '_> {
        Box::new(self.entries.iter().map(|(name, _)| &name[..]))
    }
}

/// A line of an index.
fn parse(line: &[u8], number: u64) -> Option<(&[u8], Entry)> {
    let mut fields = line.split(|&b| b == b'\t');
    let name = fields.next().filter(|name| !name.is_empty())?;
    let number_of = |digits: &[u8]| -> Option<u64> {
        let are_digits = digits.iter().all(u8::is_ascii_digit);
        std::str::from_utf8(digits).ok().filter(|_| are_digits)?.parse().ok()
    };
    let mut next = || number_of(fields.next()?);
    let (len, offset) = (next()?, next()?);
    let (bases_a_line, bytes_a_line) = (next()?, next()?);
    let qualities = match fields.next() {
        Some(digits) => Some(number_of(digits)?),
        None => None,
    };
    let entry = Entry { len, offset, bases_a_line, bytes_a_line, qualities, line: Some(number) };
    // An empty sequence has no lines.
    let is_good = (bases_a_line > 0 || len == 0) && bytes_a_line >= bases_a_line;
    // Every place in it is a number below 2^63.
    let lines = len.checked_div(bases_a_line).unwrap_or(0);
    let last = qualities.unwrap_or(offset).max(offset);
    let end = lines.checked_mul(bytes_a_line)?.checked_add(bases_a_line)?.checked_add(last)?;
    (is_good && i64::try_from(end).is_ok()).then_some((name, entry))
}
