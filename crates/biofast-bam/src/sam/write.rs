//! One record as a line of SAM text (SAM specification, sections 1.4 and 1.5), as htslib writes it.

use biofast_io::{Location, Shown};
use biofast_kernels as kernels;

use crate::error::{Error, ErrorKind};
use crate::header::Header;
use crate::record::Record;
use crate::sam::number::{write_float, write_float_element, write_signed, write_unsigned};
use crate::tags::{MALFORMED as MALFORMED_TAGS, Tag};

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
    /// The names of the reference sequences with a tab.
    names: Vec<Box<[u8]>>,
}

impl SamWriter {
    /// A writer of records under `header`.
    pub fn new(header: &Header) -> SamWriter {
        let name = |name: &[u8]| [name, b"\t"].concat().into_boxed_slice();
        SamWriter { names: header.references().iter().map(|r| name(&r.name)).collect() }
    }

    /// The name of a reference with its tab.
    #[inline]
    fn name(&self, reference: i32) -> &[u8] {
        usize::try_from(reference).ok().and_then(|n| self.names.get(n)).map_or(b"*\t", |name| name)
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
            unwritable(record, reason)
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
        write_unsigned(record.flags().into(), out);
        out.push(b'\t');
        out.extend_from_slice(self.name(record.reference_id()));
        write_signed(i64::from(record.position()) + 1, out);
        out.push(b'\t');
        write_unsigned(record.mapping_quality().into(), out);
        out.push(b'\t');
        write_cigar(record, out);
        out.push(b'\t');
        match record.mate_reference_id() {
            mate if mate >= 0 && mate == record.reference_id() => out.extend_from_slice(b"=\t"),
            mate => out.extend_from_slice(self.name(mate)),
        }
        write_signed(i64::from(record.mate_position()) + 1, out);
        out.push(b'\t');
        write_signed(record.template_len().into(), out);
        out.push(b'\t');
        match record.sequence_len() {
            0 => out.extend_from_slice(b"*\t*"),
            len => {
                kernels::unpack_bases(record.packed_sequence(), len, out);
                out.push(b'\t');
                write_qualities(record.qualities(), out)?;
            }
        }
        let mut tags = record.tags();
        let has_long_cigar = record.has_long_cigar();
        for tag in tags.by_ref() {
            if has_long_cigar && tag.name == *b"CG" {
                continue;
            }
            out.push(b'\t');
            write_tag(&tag, out)?;
        }
        if tags.is_malformed() {
            return Err(MALFORMED_TAGS);
        }
        out.push(b'\n');
        Ok(())
    }
}

/// Whether there is a control character in a name.
#[inline]
fn breaks_lines(name: &[u8]) -> bool {
    // Eight bytes at once: the high bit of each that is below ' ', or 0x7f.
    const ONES: u64 = 0x0101_0101_0101_0101;
    let any = |bytes: u64| {
        let deleted = bytes ^ (0x7f * ONES);
        let below = bytes.wrapping_sub(0x20 * ONES) & !bytes;
        let zero = deleted.wrapping_sub(ONES) & !deleted;
        (below | zero) & (0x80 * ONES)
    };
    let (words, tail) = name.as_chunks::<8>();
    let words = words.iter().fold(0, |all, word| all | any(u64::from_le_bytes(*word)));
    let mut last = [b' '; 8];
    last[..tail.len()].copy_from_slice(tail);
    words | any(u64::from_le_bytes(last)) != 0
}

/// The highest of some qualities; compilers turn this into vector code.
fn highest(raw: &[u8]) -> u8 {
    raw.iter().fold(0, |highest, &quality| highest.max(quality))
}

const TOO_HIGH: &str = "a quality is above 93, the highest that has a character";
const MISFIT: &str = "its CIGAR and its sequence have different lengths";

impl Record<'_> {
    /// Appends the optional fields whose names are `wanted`, each after a tab, as SAM text.
    ///
    /// # Errors
    /// If they can't be read.
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
    pub(crate) fn text_name(&self) -> Result<&[u8], &'static str> {
        let mut name = self.name();
        if breaks_lines(name) {
            while let [rest @ .., 0] = name {
                name = rest;
            }
            if breaks_lines(name) {
                return Err("its name holds a control character, such as a tab or line break");
            }
        }
        Ok(name)
    }

    /// Checks that the name can stand in lines of text.
    ///
    /// # Errors
    /// If it holds a tab, a line break or another control character.
    pub fn check_name(&self) -> Result<&[u8], Error> {
        self.text_name().map_err(|reason| self.unwritable(reason))
    }

    /// Checks that each quality has a character, as those up to 93 do.
    ///
    /// # Errors
    /// If one doesn't.
    pub fn check_qualities(&self) -> Result<(), Error> {
        match highest(self.qualities()) > HIGHEST_QUALITY {
            true => Err(self.unwritable(TOO_HIGH)),
            false => Ok(()),
        }
    }

    /// An error that this record can't be written.
    pub fn unwritable(&self, reason: &'static str) -> Error {
        unwritable(self, reason)
    }

    /// An error that it can't be decided whether this record is wanted.
    pub fn undecided(&self, reason: impl std::fmt::Display) -> Error {
        let name = Shown(self.name()).to_string();
        let kind = ErrorKind::Undecided { name, reason: reason.to_string() };
        Error::new(kind, Location::default())
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
            return Err(unwritable(self, MALFORMED_TAGS));
        }
        let len = self.cigar().iter().filter(|(op, _)| op.consumes_read());
        let len = len.map(|(_, len)| u64::from(len)).sum();
        check_length(self, len).map_err(|reason| unwritable(self, reason))
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

fn unwritable(record: &Record<'_>, reason: &'static str) -> Error {
    let name = Shown(record.name()).to_string();
    Error::new(ErrorKind::Unwritable { name, reason: reason.into() }, Location::default())
}

#[inline]
fn write_cigar(record: &Record<'_>, out: &mut Vec<u8>) {
    let cigar = record.cigar();
    if cigar.is_empty() {
        out.push(b'*');
    }
    // It fits the sequence: that was checked when the record was framed.
    for word in cigar.words() {
        write_unsigned((word >> 4).into(), out);
        out.push(OPS[(word & 15) as usize]);
    }
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
        (kind, value) => {
            if memchr::memchr3(b'\t', b'\n', b'\r', value).is_some() {
                return Err("an optional field holds a tab or line break");
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
    use super::breaks_lines;

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
}
