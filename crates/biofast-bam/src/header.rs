//! The header of a BAM file: its text and its list of reference sequences.

use std::collections::BTreeMap;

use biofast_io::{Location, Options, Source};

use crate::error::{Error, ErrorKind};
use crate::format::{Format, Found};
use crate::sam::{NUL_INSIDE, parse_length};

/// The header of a BAM file: its text, and the reference sequences that records refer to by index.
///
/// ```
/// use biofast_bam::Header;
///
/// let header = Header::from_text(b"@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:1000\n")?;
/// assert!(header.is_sorted_by_coordinate());
/// assert_eq!(header.references()[0].name, b"chr1");
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    text: Vec<u8>,
    references: Vec<Reference>,
    /// The library (`LB`) of each read group that has one.
    libraries: BTreeMap<Vec<u8>, Vec<u8>>,
}

/// A reference sequence of the binary list, by whose index records refer to it.
///
/// ```
/// let header = biofast_bam::Header::from_text(b"@SQ\tSN:chr1\tLN:60\n@SQ\tSN:chr2\tLN:40\n")?;
/// assert_eq!(header.references().iter().map(|reference| reference.length).sum::<u64>(), 100);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Its name.
    pub name: Vec<u8>,
    /// Its length in bases.
    pub length: u64,
}

/// The most bases of a reference sequence that the specification of SAM and BAM allows.
pub(crate) const MAX_REFERENCE: u64 = i32::MAX as u64;

/// What the bytes at the start of a BAM file hold.
pub(crate) enum Parsed {
    /// A header, and how many bytes it takes.
    Complete(Header, usize),
    NeedMore,
}

impl Header {
    pub(crate) const fn empty() -> Header {
        Header { text: Vec::new(), references: Vec::new(), libraries: BTreeMap::new() }
    }

    fn new(text: Vec<u8>, references: Vec<Reference>) -> Header {
        let mut libraries = BTreeMap::new();
        for line in text.split(|&b| b == b'\n').filter(|line| line.starts_with(b"@RG\t")) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let field = |tag| line.split(|&b| b == b'\t').find_map(|f| f.strip_prefix(tag));
            if let (Some(id), Some(library)) = (field(b"ID:"), field(b"LB:")) {
                libraries.entry(id.to_vec()).or_insert_with(|| library.to_vec());
            }
        }
        Header { text, references, libraries }
    }

    /// The SAM text, as stored; it may be empty.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The reference sequences in the order of their indices.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// The name of the reference of this index, as records have it: negative for none.
    ///
    /// ```
    /// let header = biofast_bam::Header::from_text(b"@SQ\tSN:chr1\tLN:1000\n")?;
    /// assert_eq!(header.reference_name(0), Some(&b"chr1"[..]));
    /// assert_eq!(header.reference_name(-1), None);
    /// assert_eq!(header.reference_id(b"chr1"), Some(0));
    /// # Ok::<(), biofast_bam::Error>(())
    /// ```
    #[inline]
    pub fn reference_name(&self, id: i32) -> Option<&[u8]> {
        let reference = self.references.get(usize::try_from(id).ok()?)?;
        Some(&reference.name)
    }

    /// The index of the first reference of this name. All names are looked at: keep it for many records.
    pub fn reference_id(&self, name: &[u8]) -> Option<i32> {
        let index = self.references.iter().position(|reference| reference.name == name)?;
        i32::try_from(index).ok()
    }

    /// The library (`LB`) of the read group of this `ID`.
    ///
    /// ```
    /// let header = biofast_bam::Header::from_text(b"@RG\tID:g1\tLB:lib1\n@RG\tID:g2\n")?;
    /// assert_eq!(header.library(b"g1"), Some(&b"lib1"[..]));
    /// assert_eq!(header.library(b"g2"), None);
    /// # Ok::<(), biofast_bam::Error>(())
    /// ```
    pub fn library(&self, read_group: &[u8]) -> Option<&[u8]> {
        self.libraries.get(read_group).map(Vec::as_slice)
    }

    /// Whether the text says that the records are sorted by coordinate.
    pub fn is_sorted_by_coordinate(&self) -> bool {
        self.says(b"SO:coordinate")
    }

    /// Whether the text says that records of the same name stand together.
    pub fn is_grouped_by_name(&self) -> bool {
        self.says(b"SO:queryname") || self.says(b"GO:query")
    }

    /// Whether the first line is `@HD` and has the field.
    fn says(&self, field: &[u8]) -> bool {
        let line = self.text.split(|&b| b == b'\n').next().unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line.starts_with(b"@HD\t") && line.split(|&b| b == b'\t').any(|found| found == field)
    }

    /// Appends the header as SAM text: its lines, each with its line feed, and an `@SQ` line for
    /// each reference if no line of the text is one, as samtools prints it.
    pub fn write_sam(&self, out: &mut Vec<u8>) {
        let start = out.len();
        // What comes after a NUL is padding.
        let text = self.text.split(|&b| b == 0).next().unwrap_or_default();
        out.extend_from_slice(text);
        if out.len() > start && !out.ends_with(b"\n") {
            out.push(b'\n');
        }
        if text.split(|&b| b == b'\n').any(|line| line.starts_with(b"@SQ\t")) {
            return;
        }
        for reference in &self.references {
            out.extend_from_slice(b"@SQ\tSN:");
            out.extend_from_slice(&reference.name);
            out.extend_from_slice(format!("\tLN:{}\n", reference.length).as_bytes());
        }
    }

    /// Appends the header as BAM data: magic, text and references.
    ///
    /// # Errors
    /// If the text doesn't fit BAM.
    pub fn write_bam(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        let too_long = || {
            let kind = ErrorKind::BadHeader("more than 2 GiB of text");
            Error::new(kind, Location::default())
        };
        let mut text = Vec::new();
        self.write_sam(&mut text);
        let text_len = i32::try_from(text.len()).map_err(|_| too_long())?;
        if self.references.iter().any(|reference| reference.length > MAX_REFERENCE) {
            let kind = ErrorKind::BadHeader(
                "a reference sequence of more than 2,147,483,647 bases, which BAM can't state",
            );
            return Err(Error::new(kind, Location::default()));
        }
        out.extend_from_slice(b"BAM\x01");
        out.extend(text_len.to_le_bytes());
        out.extend_from_slice(&text);
        // All of these were read from 32-bit numbers, or made of a text that was measured.
        out.extend((self.references.len() as u32).to_le_bytes());
        for reference in &self.references {
            out.extend((reference.name.len() as u32 + 1).to_le_bytes());
            out.extend_from_slice(&reference.name);
            out.push(0);
            out.extend((reference.length as u32).to_le_bytes());
        }
        Ok(())
    }

    /// The header at the start of BAM data, and how many bytes it takes; nothing if there are more to come.
    ///
    /// ```
    /// use biofast_bam::Header;
    ///
    /// let header = Header::from_text(b"@SQ\tSN:chr1\tLN:1000\n")?;
    /// let mut bytes = Vec::new();
    /// header.write_bam(&mut bytes)?;
    /// assert_eq!(Header::from_bam(&bytes)?, Some((header, bytes.len())));
    /// assert_eq!(Header::from_bam(&bytes[..9])?, None);
    /// # Ok::<(), biofast_bam::Error>(())
    /// ```
    ///
    /// # Errors
    /// If they are no BAM data, or the header contradicts itself.
    pub fn from_bam(bytes: &[u8]) -> Result<Option<(Header, usize)>, Error> {
        match Header::parse(bytes) {
            Ok(Parsed::Complete(header, len)) => Ok(Some((header, len))),
            Ok(Parsed::NeedMore) => Ok(None),
            Err(kind) => Err(Error::new(kind, Location::default())),
        }
    }

    /// A header of this text whose references are those of its `@SQ` lines.
    ///
    /// ```
    /// let header = biofast_bam::Header::from_text(b"@HD\tVN:1.6\n@SQ\tSN:chr1\tLN:1000\n")?;
    /// assert_eq!(header.references()[0].length, 1000);
    /// # Ok::<(), biofast_bam::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an `@SQ` line is malformed.
    pub fn from_text(text: &[u8]) -> Result<Header, Error> {
        let mut bytes = Vec::new();
        let located = |kind, line| {
            let at = Location { line, ..Default::default() };
            Error::new(kind, at)
        };
        let text = crate::sam::Text::from_bytes(text);
        text.write_bam(&mut bytes).map_err(|(line, kind)| located(kind, Some(line + 1)))?;
        match Header::parse(&bytes).map_err(|kind| located(kind, None))? {
            Parsed::Complete(header, _) => Ok(header),
            Parsed::NeedMore => Err(located(ErrorKind::Truncated("the header"), None)),
        }
    }

    /// The same references under another text.
    pub(crate) fn with_text(&self, text: Vec<u8>) -> Header {
        Header::new(text, self.references.clone())
    }

    /// Reads a header from the first bytes of the data. Lengths are checked against the bytes
    /// that are there before they are used.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Parsed, ErrorKind> {
        const MAGIC: &[u8] = b"BAM\x01";
        let n = bytes.len().min(MAGIC.len());
        if bytes[..n] != MAGIC[..n] {
            return Err(ErrorKind::NotBam(what_else(bytes)));
        }
        let mut cursor = Cursor { bytes, at: MAGIC.len() };
        let mut read = || -> Result<Option<Header>, ErrorKind> {
            let Some(text_len) = cursor.length("a negative text length")? else { return Ok(None) };
            let Some(text) = cursor.take(text_len) else { return Ok(None) };
            // NULs at the end are padding; behind one inside, lines would be lost.
            if let Some(at) = memchr::memchr(0, text)
                && text[at..].iter().any(|&b| b != 0)
            {
                return Err(ErrorKind::BadHeader(NUL_INSIDE));
            }
            let negative = "a negative number of reference sequences";
            let Some(count) = cursor.length(negative)? else { return Ok(None) };
            let mut references = Vec::new();
            for _ in 0..count {
                let negative = "a negative name length";
                let Some(name_len) = cursor.length(negative)? else { return Ok(None) };
                let Some(name) = cursor.take(name_len) else { return Ok(None) };
                let [name @ .., 0] = name else {
                    return Err(ErrorKind::BadHeader("a reference name without its final NUL"));
                };
                if name.contains(&0) {
                    return Err(ErrorKind::BadHeader("a reference name with a NUL byte inside"));
                }
                let Some(length) = cursor.take(4) else { return Ok(None) };
                let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]);
                references.push(Reference { name: name.to_vec(), length: length.into() });
            }
            set_long_lengths(&mut references, text);
            Ok(Some(Header::new(text.to_vec(), references)))
        };
        Ok(match read()? {
            Some(header) => Parsed::Complete(header, cursor.at),
            None => Parsed::NeedMore,
        })
    }
}

/// Takes lengths that are too large for the binary list from the text (LN), where it has them.
fn set_long_lengths(references: &mut [Reference], text: &[u8]) {
    if references.iter().all(|reference| reference.length < u64::from(u32::MAX)) {
        return;
    }
    let lines = text.split(|&b| b == b'\n').filter_map(|line| line.strip_prefix(b"@SQ\t"));
    let lengths: BTreeMap<&[u8], u64> = lines
        .filter_map(|line| {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let value = |tag: &[u8]| line.split(|&b| b == b'\t').find_map(|f| f.strip_prefix(tag));
            Some((value(b"SN:")?, parse_length(value(b"LN:")?)?))
        })
        .collect();
    for reference in references.iter_mut().filter(|r| r.length == u64::from(u32::MAX)) {
        if let Some(&length) = lengths.get(&reference.name[..]) {
            reference.length = reference.length.max(length);
        }
    }
}

/// The header of a source of BAM bytes, which stays unread.
///
/// ```
/// use biofast_bam::{Detail, Input, InputOptions, peek_header, read_header};
/// use biofast_io::{Options, Source};
///
/// # let sam = b"@SQ\tSN:c\tLN:99\nr1\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\nr2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
/// let options = Options::default();
/// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
/// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
/// let (header, source) = peek_header(input.source)?;
/// // The source still has it.
/// assert_eq!(read_header(source, &options)?, header);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
///
/// # Errors
/// If it can't be read.
pub fn peek_header(mut source: Source) -> Result<(Header, Source), Error> {
    let mut wanted = 64 << 10;
    loop {
        // A fault at the start is told by the reader, too.
        let bytes = source.peek(wanted).unwrap_or_default();
        if let Ok(Parsed::Complete(header, _)) = Header::parse(&bytes) {
            return Ok((header, source));
        }
        if bytes.len() < wanted {
            // What is wrong is said by the reader, with its place.
            let options = Options::serial();
            let at = Location { name: Some(source.name().into()), ..Location::default() };
            crate::read_header(source, &options)?;
            return Err(Error::new(ErrorKind::Truncated("the header"), at));
        }
        wanted *= 8;
    }
}

fn what_else(bytes: &[u8]) -> Found {
    match Format::of(bytes) {
        Ok(format) => Found::Alignments(format),
        Err(found) => found,
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let part = self.bytes.get(self.at..)?.get(..len)?;
        self.at += len;
        Some(part)
    }

    /// A 32-bit length, which must not be negative.
    fn length(&mut self, negative: &'static str) -> Result<Option<usize>, ErrorKind> {
        let Some(bytes) = self.take(4) else { return Ok(None) };
        let value = i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        usize::try_from(value).map(Some).map_err(|_| ErrorKind::BadHeader(negative))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_header;
    use biofast_testkit::bam;
    use biofast_testkit::container::bgzf;

    fn read(bytes: Vec<u8>) -> Result<Header, Error> {
        let options = Options { chunk_size: 16, ..Options::default() };
        read_header(Source::from_reader("x", std::io::Cursor::new(bytes)), &options)
    }

    #[test]
    fn a_header_split_over_blocks_and_chunks() -> Result<(), Box<dyn std::error::Error>> {
        let mut data = bam::header(&[("chr1", 1000), ("chr2", 5)]);
        bam::records(3, 2).iter().for_each(|r| data.extend(bam::record(r)));
        let header = read(bgzf(&data, 7))?;
        let names: Vec<&[u8]> = header.references().iter().map(|r| &r.name[..]).collect();
        assert_eq!(names, [b"chr1", b"chr2"]);
        assert_eq!(header.references()[0].length, 1000);
        Ok(())
    }

    #[test]
    fn a_damaged_block_and_another_format_are_errors() {
        let mut damaged = bgzf(&bam::header(&[("chr1", 1000)]), 1000);
        let at = damaged.len() / 3;
        damaged[at] ^= 4;
        assert!(read(damaged).is_err());
        assert!(read(bgzf(b"@read\nACGT\n+\nIIII\n", 1000)).is_err());
    }
}
