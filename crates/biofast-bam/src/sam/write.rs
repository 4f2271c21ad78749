//! One record as a line of SAM text (SAM specification, sections 1.4 and 1.5), as htslib writes it.

use std::borrow::Cow;

use biofast_io::Shown;
use biofast_kernels as kernels;
use biofast_kernels::decimal::{
    write_ended, write_signed, write_signed_ended, write_unsigned, write_word,
};

use super::header::is_reference_name;
use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::record::Record;
use crate::sam::number::{write_float, write_float_element};
use crate::tags::{MALFORMED as MALFORMED_TAGS, Tag, Tags};

/// The letters of CIGAR operations by their code; htslib prints those without a meaning so.
const OPS: [u8; 16] = *b"MIDNSHP=XB??????";
/// The highest Phred value that has a character.
const HIGHEST_QUALITY: u8 = b'~' - b'!';
/// Bytes of a line besides name, CIGAR, sequence, qualities and tags, generously.
const FIXED: usize = 128;

/// Writes records as lines of SAM text, byte for byte as samtools does.
///
/// A record with the CIGAR in the tag `CG` gets it in its place.
///
/// ```
/// use biofast_bam::{Reader, SamWriter};
///
/// let sam = b"r1\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\tNM:i:0\n";
/// let mut reader = Reader::from_reader("example", &sam[..])?;
/// let (writer, mut text) = (SamWriter::new(reader.header()), Vec::new());
/// while let Some(record) = reader.next_record()? {
///     writer.write(&record, &mut text)?;
/// }
/// assert_eq!(text, sam);
/// # Ok::<(), biofast_bam::Error>(())
/// ```
pub struct SamWriter {
    /// The names of the reference sequences.
    names: Vec<Name>,
}

/// A name with the tab behind it.
struct Name {
    /// Its first bytes: all of most names.
    start: [u8; SHORT],
    /// All of it; nothing of a name that can't stand in a line.
    bytes: Box<[u8]>,
}

/// The length of a short name with its tab: it is copied at once.
const SHORT: usize = 16;

impl Name {
    fn new(name: &[u8]) -> Name {
        if !is_reference_name(name) {
            return Name { start: [0; SHORT], bytes: Box::default() };
        }
        let bytes = [name, b"\t"].concat().into_boxed_slice();
        let mut start = [0; SHORT];
        start.iter_mut().zip(&bytes).for_each(|(to, from)| *to = *from);
        Name { start, bytes }
    }

    #[inline]
    fn write(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        if !(1..=SHORT).contains(&self.bytes.len()) {
            return self.write_unusual(out);
        }
        let end = out.len() + self.bytes.len();
        out.extend_from_slice(&self.start);
        out.truncate(end);
        Ok(())
    }

    /// Appends a long name; one that can't stand in a line is an error.
    #[cold]
    fn write_unusual(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        out.extend_from_slice(&self.bytes);
        if self.bytes.is_empty() { Err(BAD_REFERENCE) } else { Ok(()) }
    }
}

const BAD_REFERENCE: &str = "the name of its reference sequence is empty, starts with '*' or '=' or contains a control character";

impl SamWriter {
    /// A writer of records under `header`.
    pub fn new(header: &Header) -> SamWriter {
        SamWriter { names: header.references().iter().map(|r| Name::new(&r.name)).collect() }
    }

    /// Appends the name of a reference with its tab.
    #[inline]
    fn write_name(&self, reference: i32, out: &mut Vec<u8>) -> Result<(), &'static str> {
        match usize::try_from(reference).ok().and_then(|n| self.names.get(n)) {
            Some(name) => name.write(out),
            None => {
                out.extend_from_slice(b"*\t");
                Ok(())
            }
        }
    }

    /// Appends the line of `record` with its line feed.
    ///
    /// # Errors
    /// If the record can't be text: its name or optional fields are malformed or would break the line, or a quality has no
    /// character. Nothing is then appended.
    pub fn write(&self, record: &Record<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        let start = out.len();
        self.line(record, out).map_err(|reason| {
            out.truncate(start);
            unwritable(record, reason.into())
        })
    }

    fn line(&self, record: &Record<'_>, out: &mut Vec<u8>) -> Result<(), &'static str> {
        out.reserve(FIXED + 2 * record.as_bytes().len());
        let name = record.text_name()?;
        if name.first() == Some(&b'@') {
            return Err("its name starts with '@', as header lines do");
        }
        out.extend_from_slice(if name.is_empty() { b"*" } else { name });
        out.push(b'\t');
        write_ended(record.flags().into(), b'\t', out);
        self.write_name(record.reference_id(), out)?;
        write_position(record.position(), out)?;
        write_ended(record.mapping_quality().into(), b'\t', out);
        write_cigar(record, out)?;
        out.push(b'\t');
        match record.mate_reference_id() {
            mate if mate >= 0 && mate == record.reference_id() => out.extend_from_slice(b"=\t"),
            mate => self.write_name(mate, out)?,
        }
        write_position(record.mate_position(), out)?;
        write_signed_ended(record.template_len().into(), b'\t', out);
        match record.sequence_len() {
            0 => out.extend_from_slice(b"*\t*"),
            len => {
                kernels::unpack_bases(record.packed_sequence(), len, out);
                out.push(b'\t');
                write_qualities(record.qualities().as_slice(), out)?;
            }
        }
        write_tags(record, out)?;
        out.push(b'\n');
        Ok(())
    }
}

/// Appends the optional fields, each after a tab.
#[inline]
fn write_tags(record: &Record<'_>, out: &mut Vec<u8>) -> Result<(), &'static str> {
    let (bytes, has_long_cigar) = (record.as_bytes(), record.has_long_cigar());
    let mut at = bytes.len() - record.tag_bytes().len();
    while at < bytes.len() {
        if !has_long_cigar && let Some(next) = write_plain_tag(bytes, at, out) {
            at = next;
            continue;
        }
        let mut tags = Tags::new(&bytes[at..]);
        let Some(tag) = tags.next() else { return Err(MALFORMED_TAGS) };
        at = bytes.len() - tags.rest().len();
        if has_long_cigar && tag.name == *b"CG" {
            continue;
        }
        out.push(b'\t');
        write_tag(&tag, out)?;
    }
    Ok(())
}

/// Texts up to this length are looked at and copied by words.
const SHORT_TEXT: usize = 64;

/// Appends the optional field at `at` of a record after a tab and returns where the next one starts, if it is a whole number
/// or a short text without control characters, as most are. Otherwise nothing is appended: what it is, is for [`Tags`] to
/// say, and how it is written for [`write_tag`].
#[inline]
fn write_plain_tag(bytes: &[u8], at: usize, out: &mut Vec<u8>) -> Option<usize> {
    let (&[a, b, kind], rest) = bytes.get(at..)?.split_first_chunk::<3>()?;
    if !are_graphic(a, b) {
        return None;
    }
    let start = |letter| u64::from_le_bytes([b'\t', a, b, b':', letter, b':', 0, 0]);
    let (len, value) = match kind {
        b'C' => (1, i64::from(*rest.first()?)),
        b'c' => (1, i64::from(*rest.first()? as i8)),
        b'S' => (2, i64::from(u16::from_le_bytes(*rest.first_chunk()?))),
        b's' => (2, i64::from(i16::from_le_bytes(*rest.first_chunk()?))),
        b'I' => (4, i64::from(u32::from_le_bytes(*rest.first_chunk()?))),
        b'i' => (4, i64::from(i32::from_le_bytes(*rest.first_chunk()?))),
        b'Z' => {
            let before = out.len();
            write_word(start(b'Z'), 6, out);
            let mut end = at + 3;
            while end - at < SHORT_TEXT {
                let word = word_at(bytes, end);
                match control_bytes(word) {
                    0 => write_word(word, 8, out),
                    found => {
                        let len = (found.trailing_zeros() / 8) as usize;
                        write_word(word, len, out);
                        end += len;
                        break;
                    }
                }
                end += 8;
            }
            if bytes.get(end) == Some(&0) {
                return Some(end + 1);
            }
            out.truncate(before);
            return None;
        }
        _ => return None,
    };
    write_word(start(b'i'), 6, out);
    write_signed(value, out);
    Some(at + 3 + len)
}

/// Whether both bytes are printable and no blank, of `!` to `~`; each is looked at by its highest bit.
#[inline(always)]
fn are_graphic(a: u8, b: u8) -> bool {
    let both = u16::from_le_bytes([a, b]);
    // A borrow comes only from a byte that fails itself.
    (both | both.wrapping_sub(0x2121) | 0x7e7e_u16.wrapping_sub(both)) & 0x8080 == 0
}

/// Eight bytes from `at` on, zeros past the end.
#[inline]
fn word_at(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(word) => u64::from_le_bytes(*word),
        None => {
            // A record has more than eight bytes.
            let last = bytes.last_chunk().map_or(0, |word| u64::from_le_bytes(*word));
            let missing = (at + 8).saturating_sub(bytes.len()) as u32;
            last.checked_shr(8 * missing).unwrap_or(0)
        }
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// The high bit of each byte below ' '. What is above the lowest one may be set by it.
#[inline]
fn control_bytes(word: u64) -> u64 {
    word.wrapping_sub(0x20 * ONES) & !word & (0x80 * ONES)
}

/// A name that breaks lines without the NULs at its end, if these are all that does.
#[cold]
fn without_nuls(mut name: &[u8]) -> Result<&[u8], &'static str> {
    while let [rest @ .., 0] = name {
        name = rest;
    }
    match breaks_lines(name) {
        true => Err("its name contains a control character, such as a tab or line break"),
        false => Ok(name),
    }
}

/// Whether there is a control character in a name.
#[inline]
fn breaks_lines(name: &[u8]) -> bool {
    // Eight bytes at once: the high bit of each that is below ' ', or 0x7f.
    let any = |bytes: u64| {
        let deleted = bytes ^ (0x7f * ONES);
        let zero = deleted.wrapping_sub(ONES) & !deleted & (0x80 * ONES);
        control_bytes(bytes) | zero
    };
    let Some(last) = name.last_chunk::<8>() else {
        return name.iter().any(u8::is_ascii_control);
    };
    let words = name.as_chunks::<8>().0.iter().chain([last]);
    words.fold(0, |all, word| all | any(u64::from_le_bytes(*word))) != 0
}

/// The highest of some qualities; compilers turn this into vector code.
#[inline]
fn highest(raw: &[u8]) -> u8 {
    // The last block overlaps the one before it, so that none is left over.
    let Some(last) = raw.last_chunk::<16>() else {
        return raw.iter().fold(0, |highest, &quality| highest.max(quality));
    };
    let mut highest = *last;
    for block in raw.as_chunks::<16>().0 {
        highest.iter_mut().zip(block).for_each(|(most, &quality)| *most = (*most).max(quality));
    }
    highest.into_iter().fold(0, u8::max)
}

const TOO_HIGH: &str = "a quality is above 93, the highest that SAM can express";
const MISFIT: &str = "its CIGAR and its sequence have different lengths";

impl Record<'_> {
    /// Appends the optional fields whose names are `wanted`, each after a tab, as SAM text.
    ///
    /// # Errors
    /// If they can't be read.
    #[doc(hidden)]
    pub fn write_tags(
        &self,
        wanted: impl Fn([u8; 2]) -> bool,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let mut tags = self.tags();
        for tag in tags.by_ref().filter(|tag| wanted(tag.name)) {
            out.push(b'\t');
            write_tag(&tag, out).map_err(|reason| self.unwritable(reason))?;
        }
        if tags.is_malformed() {
            return Err(self.unwritable(MALFORMED_TAGS));
        }
        Ok(())
    }

    /// The name as it stands in lines of text: without NULs at its end.
    ///
    /// # Errors
    /// If it holds a tab, a line break or another control character.
    #[inline]
    pub(crate) fn text_name(&self) -> Result<&[u8], &'static str> {
        let name = self.name();
        if breaks_lines(name) { without_nuls(name) } else { Ok(name) }
    }

    /// Checks that the name can stand in lines of text.
    ///
    /// # Errors
    /// If it holds a tab, a line break or another control character.
    #[inline]
    #[doc(hidden)]
    pub fn check_name(&self) -> Result<&[u8], Error> {
        self.text_name().map_err(|reason| self.unwritable(reason))
    }

    /// Checks that each quality has a character, as those up to 93 do.
    ///
    /// # Errors
    /// If one doesn't.
    #[inline]
    #[doc(hidden)]
    pub fn check_qualities(&self) -> Result<(), Error> {
        match highest(self.qualities().as_slice()) > HIGHEST_QUALITY {
            true => Err(self.unwritable(TOO_HIGH)),
            false => Ok(()),
        }
    }

    /// An error that this record can't be written.
    #[cold]
    #[doc(hidden)]
    pub fn unwritable(&self, reason: impl Into<Cow<'static, str>>) -> Error {
        unwritable(self, reason.into())
    }

    /// An error that it can't be decided whether this record is wanted.
    #[doc(hidden)]
    pub fn undecided(&self, reason: impl std::fmt::Display) -> Error {
        let name = Shown(self.name()).to_string();
        let kind = ErrorKind::Undecided { name, reason: reason.to_string() };
        Error::of_record(kind, self.as_bytes())
    }

    /// An error that this record can't be put into a group.
    #[cold]
    #[doc(hidden)]
    pub fn ungroupable(&self, reason: impl Into<Cow<'static, str>>) -> Error {
        let name = Shown(self.name()).to_string();
        Error::of_record(ErrorKind::Ungroupable { name, reason: reason.into() }, self.as_bytes())
    }

    /// Checks what readers of the record would stumble over: optional fields that can't be read,
    /// and a CIGAR of another length than the sequence.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<(), Error> {
        let mut tags = self.tags();
        tags.by_ref().for_each(drop);
        if tags.is_malformed() {
            return Err(unwritable(self, MALFORMED_TAGS.into()));
        }
        let len = self.cigar().iter().filter(|(op, _)| op.consumes_read());
        let len = len.map(|(_, len)| u64::from(len)).sum();
        check_length(self, len).map_err(|reason| unwritable(self, reason.into()))
    }
}

/// Whether the CIGAR covers the sequence, where both are there and the read is mapped.
fn check_length(record: &Record<'_>, bases: u64) -> Result<(), &'static str> {
    let fits = record.sequence_len() as u64 == bases
        || record.sequence_len() == 0
        || record.flags() & crate::flag::UNMAPPED != 0
        || record.cigar().is_empty();
    if fits { Ok(()) } else { Err(MISFIT) }
}

#[cold]
fn unwritable(record: &Record<'_>, reason: Cow<'static, str>) -> Error {
    let name = Shown(record.name()).to_string();
    Error::of_record(ErrorKind::Unwritable { name, reason }, record.as_bytes())
}

/// Appends a position, or that of the mate, counted from 1 and with a tab.
#[inline]
fn write_position(position: i32, out: &mut Vec<u8>) -> Result<(), &'static str> {
    // One comparison for both ends.
    let Ok(position) = u32::try_from(position.wrapping_add(1)) else {
        return Err("a position (POS or PNEXT) is negative or above 2,147,483,647");
    };
    write_ended(position.into(), b'\t', out);
    Ok(())
}

#[inline]
fn write_cigar(record: &Record<'_>, out: &mut Vec<u8>) -> Result<(), &'static str> {
    let cigar = record.cigar();
    if cigar.is_empty() {
        out.push(b'*');
        return Ok(());
    }
    // That of a mapped read fits the sequence: it was checked when the record was framed.
    if record.flags() & crate::flag::UNMAPPED != 0 && record.sequence_len() > 0 {
        let bases = cigar.iter().filter(|(op, _)| op.consumes_read());
        let bases: u64 = bases.map(|(_, len)| u64::from(len)).sum();
        if bases != record.sequence_len() as u64 {
            return Err(MISFIT);
        }
    }
    for word in cigar.words() {
        write_ended((word >> 4).into(), OPS[(word & 15) as usize], out);
    }
    Ok(())
}

#[inline]
fn write_qualities(raw: &[u8], out: &mut Vec<u8>) -> Result<(), &'static str> {
    if kernels::is_missing(raw) {
        out.push(b'*');
        return Ok(());
    }
    // Nothing is cut to what has a character without saying so.
    if highest(raw) > HIGHEST_QUALITY {
        return Err(TOO_HIGH);
    }
    kernels::copy_qualities(raw, out);
    Ok(())
}

/// Appends `TAG:TYPE:VALUE`.
///
/// # Errors
/// If the value would break the line.
fn write_tag(tag: &Tag<'_>, out: &mut Vec<u8>) -> Result<(), &'static str> {
    if !tag.name.iter().all(u8::is_ascii_graphic) {
        return Err("a tag name isn't two printable characters");
    }
    out.extend_from_slice(&tag.name);
    out.push(b':');
    if let Some(value) = tag.as_int() {
        out.extend_from_slice(b"i:");
        write_signed(value, out);
        return Ok(());
    }
    match (tag.kind, tag.value) {
        (b'f', &[a, b, c, d]) => {
            out.extend_from_slice(b"f:");
            write_float(f32::from_le_bytes([a, b, c, d]).into(), out);
        }
        (b'd', &[a, b, c, d, e, f, g, h]) => {
            out.extend_from_slice(b"d:");
            write_float(f64::from_le_bytes([a, b, c, d, e, f, g, h]), out);
        }
        (b'B', &[kind, _, _, _, _, ref elements @ ..]) => {
            out.extend_from_slice(&[b'B', b':', kind]);
            write_elements(kind, elements, out);
        }
        (b'A', value) if !value.iter().all(u8::is_ascii_graphic) => {
            return Err("a tag of type A isn't a printable character");
        }
        (b'H', value) if value.len() % 2 == 1 || !value.iter().all(u8::is_ascii_hexdigit) => {
            return Err("a tag of type H isn't an even number of hexadecimal digits");
        }
        (kind, value) => {
            if memchr::memchr3(b'\t', b'\n', b'\r', value).is_some() {
                return Err("a tag contains a tab or line break");
            }
            out.extend_from_slice(&[kind, b':']);
            out.extend_from_slice(value);
        }
    }
    Ok(())
}

/// Appends the elements of an array, each after a comma.
fn write_elements(kind: u8, elements: &[u8], out: &mut Vec<u8>) {
    let mut each = |size: usize, write: fn(&[u8], &mut Vec<u8>)| {
        for element in elements.chunks_exact(size) {
            out.push(b',');
            write(element, out);
        }
    };
    match kind {
        b'c' => each(1, |e, out| write_signed((e[0] as i8).into(), out)),
        b'C' => each(1, |e, out| write_unsigned(e[0].into(), out)),
        b's' => each(2, |e, out| write_signed(i16::from_le_bytes([e[0], e[1]]).into(), out)),
        b'S' => each(2, |e, out| write_unsigned(u16::from_le_bytes([e[0], e[1]]).into(), out)),
        b'i' => each(4, |e, out| {
            write_signed(i32::from_le_bytes([e[0], e[1], e[2], e[3]]).into(), out);
        }),
        b'I' => each(4, |e, out| {
            write_unsigned(u32::from_le_bytes([e[0], e[1], e[2], e[3]]).into(), out);
        }),
        _ => each(4, |e, out| {
            write_float_element(f32::from_le_bytes([e[0], e[1], e[2], e[3]]).into(), out);
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A field, or what looks like the start of one.
    fn field() -> impl Strategy<Value = Vec<u8>> {
        let number = ("[cCsSiIfAdBH]", prop::collection::vec(any::<u8>(), 0..9));
        let number = number.prop_map(|(kind, value)| [b"XY", kind.as_bytes(), &value].concat());
        let text = "XZZ[ -~]{0,90}".prop_map(|text| [text.as_bytes(), b"\0"].concat());
        let odd = prop::collection::vec(
            prop_oneof![any::<u8>(), Just(0), Just(b'\t'), Just(b'a')],
            0..40,
        );
        let odd = odd.prop_map(|text| [b"XZZ", &text[..]].concat());
        prop_oneof![number, text, odd]
    }

    proptest! {
        #[test]
        fn plain_fields_are_written_as_all_fields_are(fields in prop::collection::vec(field(), 0..6)) {
            let bytes = [&[7; 32], &fields.concat()[..]].concat();
            let mut at = 32;
            while at < bytes.len() {
                let (mut out, mut expected) = (b"before".to_vec(), b"before\t".to_vec());
                let mut tags = Tags::new(&bytes[at..]);
                let tag = tags.next();
                let written = tag.map_or(Err(MALFORMED_TAGS), |tag| write_tag(&tag, &mut expected));
                let next = bytes.len() - tags.rest().len();
                match write_plain_tag(&bytes, at, &mut out) {
                    Some(end) => {
                        prop_assert_eq!((written, end), (Ok(()), next));
                        prop_assert_eq!(out, expected);
                    }
                    None => prop_assert_eq!(out, b"before"),
                }
                at = next;
            }
        }

        #[test]
        fn short_texts_and_numbers_are_plain(text in "[ -~]{0,63}", number in any::<i32>()) {
            let fields = [b"XZZ", text.as_bytes(), b"\0XIi", &number.to_le_bytes()[..]].concat();
            let bytes = [&[7; 32], &fields[..]].concat();
            let mut out = Vec::new();
            let at = write_plain_tag(&bytes, 32, &mut out);
            let end = at.and_then(|at| write_plain_tag(&bytes, at, &mut out));
            prop_assert_eq!(end, Some(bytes.len()));
            prop_assert_eq!(out, format!("\tXZ:Z:{text}\tXI:i:{number}").into_bytes());
        }

        #[test]
        fn the_highest_quality_of_any_number(raw in prop::collection::vec(any::<u8>(), 0..70)) {
            prop_assert_eq!(highest(&raw), raw.iter().copied().max().unwrap_or(0));
        }
    }

    #[test]
    fn control_characters_at_every_place() {
        for len in 0..20 {
            let name = vec![b'~'; len];
            assert!(!breaks_lines(&name));
            for at in 0..len {
                for byte in 0..=255u8 {
                    let mut name = name.clone();
                    name[at] = byte;
                    assert_eq!(breaks_lines(&name), byte.is_ascii_control(), "{byte} at {at}");
                    // What borrows from its neighbour doesn't hide it.
                    name[0] = b' ';
                    assert_eq!(breaks_lines(&name), name.iter().any(u8::is_ascii_control));
                }
            }
        }
    }

    #[test]
    fn bytes_are_graphic_as_the_standard_library_says() {
        for a in 0..=u8::MAX {
            for b in 0..=u8::MAX {
                let expected = a.is_ascii_graphic() && b.is_ascii_graphic();
                assert_eq!(are_graphic(a, b), expected, "{a} {b}");
            }
        }
    }
}
