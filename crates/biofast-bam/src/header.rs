//! The header of a BAM file: its text and its list of reference sequences.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use biofast_io::{Location, Named, Shown};

use crate::error::{Error, ErrorKind};
use crate::format::{DetectedData, Format};
use crate::sam::header::{MAX_TEXT, NUL_INSIDE, TOO_MUCH_TEXT, Text, parse_length, why_unreadable};

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
///
/// Clones share its parts: a header may have millions of lines.
#[derive(Clone, Default)]
pub struct Header(Option<Arc<Parts>>);

#[derive(Debug, PartialEq, Eq)]
struct Parts {
    text: Vec<u8>,
    references: Vec<Reference>,
    /// The library (`LB`) of each read group that has one.
    libraries: BTreeMap<Vec<u8>, Vec<u8>>,
}

static NO_PARTS: Parts =
    Parts { text: Vec::new(), references: Vec::new(), libraries: BTreeMap::new() };

impl PartialEq for Header {
    fn eq(&self, other: &Header) -> bool {
        std::ptr::eq(self.parts(), other.parts()) || self.parts() == other.parts()
    }
}

impl Eq for Header {}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { text, references, libraries } = self.parts();
        f.debug_struct("Header")
            .field("text", text)
            .field("references", references)
            .field("libraries", libraries)
            .finish()
    }
}

/// A reference sequence. Records refer to it by its index in the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Its name.
    pub name: Vec<u8>,
    /// Its length in bases.
    pub length: u64,
}

/// The most bases of a reference sequence that the specification of SAM and BAM allows.
pub(crate) const MAX_REFERENCE: u64 = i32::MAX as u64;

/// The most bytes of text and list together.
pub(crate) const MAX_HEADER: usize = 1 << 30;

const BAD_NAME: &str =
    "a reference name is empty or contains a NUL, tab, line break or other control character";

/// What the bytes at the start of a BAM file hold.
pub(crate) enum Parsed {
    /// A header, and how many bytes it takes.
    Complete(Header, usize),
    NeedMore,
}

/// A read group of a [`Header`](Header::read_groups).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadGroup<'h>(&'h [u8]);

impl<'h> ReadGroup<'h> {
    /// The read group of a line; `None` if the line has none.
    pub(crate) fn of_line(line: &'h [u8]) -> Option<ReadGroup<'h>> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line).strip_prefix(b"@RG\t").map(ReadGroup)
    }

    /// The value of its first field with this tag, such as `SM`.
    pub fn field(&self, tag: [u8; 2]) -> Option<&'h [u8]> {
        let mut fields = self.0.split(|&byte| byte == b'\t');
        fields.find_map(|field| field.strip_prefix(&tag)?.strip_prefix(b":"))
    }

    /// Its `ID`, which lines that follow the specification have.
    pub fn id(&self) -> Option<&'h [u8]> {
        self.field(*b"ID")
    }
}

/// The read groups of a header's text.
pub(crate) fn read_groups(text: &[u8]) -> impl Iterator<Item = ReadGroup<'_>> {
    text.split(|&byte| byte == b'\n').filter_map(ReadGroup::of_line)
}

impl Header {
    pub(crate) const fn empty() -> Header {
        Header(None)
    }

    fn parts(&self) -> &Parts {
        self.0.as_deref().unwrap_or(&NO_PARTS)
    }

    pub(crate) fn new(text: Vec<u8>, references: Vec<Reference>) -> Header {
        let mut libraries = BTreeMap::new();
        for group in read_groups(&text) {
            if let (Some(id), Some(library)) = (group.id(), group.field(*b"LB")) {
                libraries.entry(id.to_vec()).or_insert_with(|| library.to_vec());
            }
        }
        Header(Some(Arc::new(Parts { text, references, libraries })))
    }

    /// The SAM text, as stored; it may be empty.
    pub fn text(&self) -> &[u8] {
        &self.parts().text
    }

    /// The reference sequences in the order of their indices.
    pub fn references(&self) -> &[Reference] {
        &self.parts().references
    }

    /// The name of the reference with this index, as records have it. `None` if there is no such reference, as for
    /// negative indexes.
    #[inline]
    pub fn reference_name(&self, id: i32) -> Option<&[u8]> {
        let reference = self.references().get(usize::try_from(id).ok()?)?;
        Some(&reference.name)
    }

    /// The index of the first reference of this name. All names are looked at: keep it for many records.
    pub fn reference_id(&self, name: &[u8]) -> Option<i32> {
        let index = self.references().iter().position(|reference| reference.name == name)?;
        i32::try_from(index).ok()
    }

    /// The read groups, in the order of their lines.
    pub fn read_groups(&self) -> impl Iterator<Item = ReadGroup<'_>> {
        read_groups(self.text())
    }

    /// The library (`LB`) of the read group with this `ID`.
    pub fn library(&self, read_group: &[u8]) -> Option<&[u8]> {
        self.parts().libraries.get(read_group).map(Vec::as_slice)
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
        let line = self.text().split(|&b| b == b'\n').next().unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line.starts_with(b"@HD\t") && line.split(|&b| b == b'\t').any(|found| found == field)
    }

    /// The header as SAM text: its lines, each with its line feed, and an `@SQ` line for each reference if no line of the
    /// text is one, as samtools prints it. Empty lines at the end are left out.
    pub(crate) fn lines(&self) -> Vec<u8> {
        // What comes after a NUL is padding.
        let text = self.text().split(|&b| b == 0).next().unwrap_or_default();
        let mut end = text;
        while let [rest @ .., b'\n'] = end {
            end = rest.strip_suffix(b"\r").unwrap_or(rest);
        }
        let mut out = Vec::with_capacity(text.len() + 1);
        if !end.is_empty() {
            let line_end = if text[end.len()..].starts_with(b"\r") { &b"\r\n"[..] } else { b"\n" };
            out.extend_from_slice(end);
            out.extend_from_slice(line_end);
        }
        if !text.starts_with(b"@SQ\t") && memchr::memmem::find(text, b"\n@SQ\t").is_none() {
            for reference in self.references() {
                out.extend_from_slice(b"@SQ\tSN:");
                out.extend_from_slice(&reference.name);
                out.extend_from_slice(format!("\tLN:{}\n", reference.length).as_bytes());
            }
        }
        out
    }

    /// Appends the header as SAM text: its lines, each with its line feed, and an `@SQ` line for
    /// each reference if no line of the text is one, as samtools prints it.
    ///
    /// # Errors
    /// If what is read again wouldn't be this header: a line of the text is none, or one that samtools refuses in SAM, such as
    /// a read group without `ID`; a reference name can't stand in one; or the `@SQ` lines name other sequences than records
    /// refer to.
    pub fn write_sam(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        let text = self.lines();
        self.check_lines(&text)?;
        check_text(&text, why_unreadable)?;
        out.extend_from_slice(&text);
        Ok(())
    }

    /// Appends the header as BAM data: magic, text and references.
    ///
    /// # Errors
    /// If the text doesn't fit BAM, or as [`write_sam`](Self::write_sam); but lines that samtools refuses in SAM alone are
    /// left as they are.
    pub fn write_bam(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        let text = self.lines();
        self.check_lines(&text)?;
        check_text(&text, |line| why_unreadable(line).filter(|_| line.is_empty()))?;
        if self.references().iter().any(|reference| reference.length > MAX_REFERENCE) {
            let kind = ErrorKind::BadHeader(
                "a reference sequence of more than 2,147,483,647 bases, which BAM can't store",
            );
            return Err(Error::new(kind, Location::default()));
        }
        out.extend_from_slice(b"BAM\x01");
        // It was measured, and so were the others; or they were read from 32-bit numbers.
        out.extend((text.len() as u32).to_le_bytes());
        out.extend_from_slice(&text);
        out.extend((self.references().len() as u32).to_le_bytes());
        for reference in self.references() {
            out.extend((reference.name.len() as u32 + 1).to_le_bytes());
            out.extend_from_slice(&reference.name);
            out.push(0);
            out.extend((reference.length as u32).to_le_bytes());
        }
        Ok(())
    }

    /// An error if `text`, as which the header is written, would be read as another header.
    fn check_lines(&self, text: &[u8]) -> Result<(), Error> {
        let error = |kind| Error::new(kind, Location::default());
        let wrong = |reason: String| Err(error(ErrorKind::UnwritableHeader(reason)));
        if text.len() > MAX_TEXT {
            return Err(error(ErrorKind::BadHeader(TOO_MUCH_TEXT)));
        }
        let mut again = Vec::new();
        // Which names the lines declare is found as a reader finds it.
        let listed = Text::from_bytes(text).write_bam(&mut again);
        let references = match listed {
            Ok(_) => match Header::parse(&again) {
                Ok(Parsed::Complete(header, _)) => header,
                _ => return wrong("it would be read as a different header".into()),
            },
            Err((line, kind)) => return wrong(format!("line {}: {kind}", line + 1)),
        };
        let references = references.references();
        if references == self.references() {
            return Ok(());
        }
        let pairs = self.references().iter().zip(references);
        let Some((listed, said)) = pairs.clone().find(|(listed, said)| listed != said) else {
            return wrong(format!(
                "the text has {} @SQ lines, but the binary list has {} reference sequences",
                references.len(),
                self.references().len()
            ));
        };
        let show = |reference: &Reference| {
            format!("'{}' of {} bases", Shown(&reference.name), reference.length)
        };
        wrong(format!(
            "text and binary list differ: a reference sequence is {} in the @SQ lines but {} in the list",
            show(said),
            show(listed)
        ))
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
        HeaderParser::default().from_bam(bytes)
    }

    /// A header with this text. Its references are those of the `@SQ` lines.
    ///
    /// # Errors
    /// If an `@SQ` line is malformed.
    pub fn from_text(text: &[u8]) -> Result<Header, Error> {
        let mut bytes = Vec::new();
        let located = |kind, line| {
            let at = Location { line, ..Default::default() };
            Error::new(kind, at)
        };
        let text = Text::from_bytes(text);
        text.write_bam(&mut bytes).map_err(|(line, kind)| located(kind, Some(line + 1)))?;
        match Header::parse(&bytes).map_err(|kind| located(kind, None))? {
            Parsed::Complete(header, _) => Ok(header),
            Parsed::NeedMore => Err(located(ErrorKind::Truncated("the header"), None)),
        }
    }

    /// The same references under another text.
    pub(crate) fn with_text(&self, text: Vec<u8>) -> Header {
        Header::new(text, self.references().to_vec())
    }

    /// Reads a header from the first bytes of the data.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Parsed, ErrorKind> {
        HeaderParser::default().parse(bytes)
    }
}

/// Reads a header of which more and more bytes are there, each of them once.
#[doc(hidden)]
#[derive(Default)]
pub struct HeaderParser {
    /// Where the next part starts that hasn't been read.
    at: usize,
    text_len: Option<usize>,
    /// How many reference sequences are stated …
    count: Option<usize>,
    /// … and those read so far.
    references: Vec<Reference>,
}

impl HeaderParser {
    /// The header and how many bytes it takes, if it is complete with `bytes`: those of the call before and what follows them.
    ///
    /// # Errors
    /// As of [`Header::from_bam`].
    pub fn from_bam(&mut self, bytes: &[u8]) -> Result<Option<(Header, usize)>, Error> {
        match self.parse(bytes) {
            Ok(Parsed::Complete(header, len)) => Ok(Some((header, len))),
            Ok(Parsed::NeedMore) => Ok(None),
            Err(kind) => Err(Error::new(kind, Location::default())),
        }
    }

    /// Goes on with `bytes`: those of the call before and what follows them. Lengths are checked against the bytes that are
    /// there before they are used.
    pub(crate) fn parse(&mut self, bytes: &[u8]) -> Result<Parsed, ErrorKind> {
        const MAGIC: &[u8] = b"BAM\x01";
        let n = bytes.len().min(MAGIC.len());
        if bytes[..n] != MAGIC[..n] {
            return Err(ErrorKind::NotBam(what_else(bytes)));
        }
        let start = self.at.max(MAGIC.len());
        match self.go_on(HeaderCursor { bytes, at: start })? {
            Some((text, len)) => {
                let mut references = std::mem::take(&mut self.references);
                set_long_lengths(&mut references, text);
                Ok(Parsed::Complete(Header::new(text.to_vec(), references), len))
            }
            None if bytes.len() > MAX_HEADER => {
                Err(ErrorKind::BadHeader("more than 1 GiB, which is the limit"))
            }
            None => Ok(Parsed::NeedMore),
        }
    }

    /// The text and where the header ends, if that is reached.
    fn go_on<'a>(
        &mut self,
        mut cursor: HeaderCursor<'a>,
    ) -> Result<Option<(&'a [u8], usize)>, ErrorKind> {
        let text_len = match self.text_len {
            Some(len) => len,
            None => {
                let Some(len) = cursor.length("a negative text length")? else { return Ok(None) };
                if len > MAX_TEXT {
                    return Err(ErrorKind::BadHeader(TOO_MUCH_TEXT));
                }
                self.at = cursor.at;
                *self.text_len.insert(len)
            }
        };
        const TEXT_START: usize = 8;
        let count = match self.count {
            Some(count) => count,
            None => {
                let Some(text) = cursor.take(text_len) else { return Ok(None) };
                // NULs at the end are padding; behind one inside, lines would be lost.
                if let Some(at) = memchr::memchr(0, text)
                    && text[at..].iter().any(|&b| b != 0)
                {
                    return Err(ErrorKind::BadHeader(NUL_INSIDE));
                }
                let negative = "a negative number of reference sequences";
                let Some(count) = cursor.length(negative)? else { return Ok(None) };
                self.at = cursor.at;
                *self.count.insert(count)
            }
        };
        while self.references.len() < count {
            let negative = "a negative name length";
            let Some(name_len) = cursor.length(negative)? else { return Ok(None) };
            let Some(name) = cursor.take(name_len) else { return Ok(None) };
            let [name @ .., 0] = name else {
                return Err(ErrorKind::BadHeader("a reference name without its final NUL"));
            };
            // Such a name would break the lines and tables it stands in.
            if name.is_empty() || name.iter().any(u8::is_ascii_control) {
                return Err(ErrorKind::BadHeader(BAD_NAME));
            }
            let Some(length) = cursor.take(4) else { return Ok(None) };
            let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]);
            self.references.push(Reference { name: name.to_vec(), length: length.into() });
            self.at = cursor.at;
        }
        Ok(Some((&cursor.bytes[TEXT_START..TEXT_START + text_len], cursor.at)))
    }
}

/// An error of the first line of a header that `fault` finds one in.
fn check_text(text: &[u8], fault: impl Fn(&[u8]) -> Option<&'static str>) -> Result<(), Error> {
    let lines = text.split_inclusive(|&b| b == b'\n').map(|line| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    });
    let Some((number, why)) = (1..).zip(lines).find_map(|(n, line)| Some((n, fault(line)?))) else {
        return Ok(());
    };
    let kind = ErrorKind::UnwritableHeader(format!("line {number}: {why}"));
    Err(Error::new(kind, Location::default()))
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

fn what_else(bytes: &[u8]) -> DetectedData {
    match Format::of(bytes) {
        Ok(format) => DetectedData::Alignments(format),
        Err(found) => found,
    }
}

struct HeaderCursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> HeaderCursor<'a> {
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

impl Named for ErrorKind {
    type Names = crate::header::Header;

    fn name(&mut self, header: &crate::header::Header) {
        if let ErrorKind::Unsorted { previous, found, names } = self {
            for ((reference, _), name) in [*previous, *found].into_iter().zip(names) {
                let known =
                    || header.reference_name(reference).map(|n| Shown(n).to_string().into());
                *name = name.take().or_else(known);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_header;
    use biofast_io::{Options, Source};
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
