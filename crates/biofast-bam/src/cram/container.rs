//! Containers and blocks (CRAM specification, sections 6 to 8).

use std::borrow::Cow;
use std::io::{BufRead, Cursor, Read};

use biofast_codecs::{Error, arith, fqzcomp, names, nx16, rans4x8};
use biofast_io::{Options, Reader, Source};
use libdeflater::{Decompressor, crc32};

use crate::cram::bytes::{ByteCursor, Result, bad, itf8, length, ltf8};
use crate::error::ErrorKind;
use crate::header::{Header, Parsed, read_groups};
use crate::sam::header::Text;

/// The version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) major: u8,
    pub(super) minor: u8,
}

/// Bytes of the file definition.
pub(super) const DEFINITION_LEN: u64 = 26;

impl Version {
    /// Reads the file definition.
    pub(super) fn read(reader: &mut impl Read) -> Result<Version> {
        let mut definition = [0; DEFINITION_LEN as usize];
        read_exact(reader, &mut definition, "the CRAM file definition")?;
        let version = Version { major: definition[4], minor: definition[5] };
        if !matches!((version.major, version.minor), (2 | 3, 0 | 1)) {
            return Err(ErrorKind::UnsupportedCram(version.major, version.minor));
        }
        Ok(version)
    }

    /// Whether headers and blocks carry a CRC-32.
    pub(super) fn has_checksums(self) -> bool {
        self.major >= 3
    }

    /// Whether a complete file ends with an end-of-file container.
    pub(super) fn has_eof_container(self) -> bool {
        (self.major, self.minor) >= (2, 1)
    }
}

/// A container as stored.
pub(super) struct Container {
    /// The blocks.
    pub(super) body: Vec<u8>,
    /// Stated number of records.
    pub(super) records: u64,
    pub(super) is_eof: bool,
    /// Bytes of header and body.
    pub(super) len: u64,
}

/// What a container's header says of it.
pub(super) struct Stated {
    /// Bytes of the header itself.
    pub(super) header_len: u64,
    /// Bytes of the body.
    pub(super) len: u64,
    /// −1 for none, −2 for several.
    pub(super) reference: i32,
    pub(super) records: u64,
    /// Where slices start in the body.
    pub(super) landmarks: Vec<i32>,
    pub(super) is_eof: bool,
}

/// The header of a file, in its first container.
pub(super) struct FileHeader {
    pub(super) header: Header,
    /// The names of its read groups; one without a name is empty.
    pub(super) read_groups: Vec<Vec<u8>>,
}

impl FileHeader {
    /// Reads it, and appends it to `out` as BAM has it.
    pub(super) fn read(
        container: &Container,
        version: Version,
        out: &mut Vec<u8>,
    ) -> Result<FileHeader> {
        let block = Block::take(&mut ByteCursor::new(&container.body), version)?;
        if block.content != FILE_HEADER {
            return bad("a first block that isn't the file header");
        }
        let data = block.decode()?;
        let mut data = ByteCursor::new(&data);
        let len = usize::try_from(data.u32()?).ok();
        let Some(text) = len.and_then(|n| data.rest().get(..n)) else {
            return bad("a header whose text is longer than its block");
        };
        // The text may be padded with NULs.
        let end = text.iter().rposition(|&b| b != 0).map_or(0, |n| n + 1);
        let text = Text::from_bytes(&text[..end]);
        text.write_bam(out).map_err(|(_, kind)| kind)?;
        let Parsed::Complete(header, _) = Header::parse(out)? else {
            return bad("a header that is incomplete");
        };
        let names = read_groups(text.bytes()).map(|group| group.id().unwrap_or_default());
        Ok(FileHeader { header, read_groups: names.map(<[u8]>::to_vec).collect() })
    }
}

/// The alignment start that marks the end-of-file container: "EOF" in ASCII.
const EOF_START: i32 = 0x45_4f46;

impl Container {
    /// Reads the next container; `None` at the end of the input. Its body replaces what `body` holds.
    ///
    /// Only what is there is allocated, whatever the length field says.
    pub(super) fn read(
        reader: &mut impl BufRead,
        version: Version,
        mut body: Vec<u8>,
    ) -> Result<Option<Container>> {
        let Some((stated, _)) = Container::read_header(reader, version)? else { return Ok(None) };
        body.clear();
        let n = reader.take(stated.len).read_to_end(&mut body).map_err(ErrorKind::read)?;
        if (n as u64) < stated.len {
            return Err(ErrorKind::Truncated("a CRAM container"));
        }
        let len = stated.header_len + n as u64;
        Ok(Some(Container { len, body, records: stated.records, is_eof: stated.is_eof }))
    }

    /// Reads the container of the file header.
    ///
    /// In version 2, htslib pads the block in it, and states the container's length as if the block's two lengths took as
    /// many bytes as before that: up to two bytes each are missing. So the blocks say where it ends, as htslib reads it,
    /// and where the stated length is more, the rest is padding.
    pub(super) fn read_file_header(
        reader: &mut impl BufRead,
        version: Version,
    ) -> Result<Option<Container>> {
        if version.major > 2 {
            return Container::read(reader, version, Vec::new());
        }
        let Some((stated, blocks)) = Container::read_header(reader, version)? else {
            return Ok(None);
        };
        let mut body = Vec::new();
        for _ in 0..blocks {
            // A container that is full without a block more: some writers count blocks that aren't there.
            if !body.is_empty() && body.len() as u64 >= stated.len {
                break;
            }
            Block::read(reader, &mut body)?;
        }
        if body.len() as u64 > stated.len + 4 {
            return bad("a file header with blocks that extend past their container");
        }
        let padding = stated.len.saturating_sub(body.len() as u64);
        let n = reader.take(padding).read_to_end(&mut body).map_err(ErrorKind::read)?;
        if (n as u64) < padding {
            return Err(ErrorKind::Truncated("the CRAM header"));
        }
        let len = stated.header_len + body.len() as u64;
        Ok(Some(Container { len, body, records: stated.records, is_eof: stated.is_eof }))
    }

    /// Reads a container's header: what it states, and how many blocks follow.
    pub(super) fn read_header(
        reader: &mut impl BufRead,
        version: Version,
    ) -> Result<Option<(Stated, usize)>> {
        if reader.fill_buf().map_err(ErrorKind::read)?.is_empty() {
            return Ok(None);
        }
        let mut header = Vec::with_capacity(64);
        let mut byte = || {
            let mut byte = [0];
            match reader.read_exact(&mut byte) {
                Ok(()) => {
                    header.push(byte[0]);
                    Ok(byte[0])
                }
                Err(e)
                    if e.kind() == std::io::ErrorKind::UnexpectedEof
                        && e.get_ref().is_none_or(|e| !e.is::<biofast_io::Error>()) =>
                {
                    Err(ErrorKind::Truncated("a CRAM container header"))
                }
                Err(e) => Err(ErrorKind::read(e)),
            }
        };
        let body_len = i32::from_le_bytes([byte()?, byte()?, byte()?, byte()?]);
        let body_len = length(body_len)? as u64;
        let reference = itf8(&mut byte)?;
        let start = itf8(&mut byte)?;
        let _span = itf8(&mut byte)?;
        let records = length(itf8(&mut byte)?)? as u64;
        // The record counter; it had 32 bits before version 3, stored the same way.
        ltf8(&mut byte)?;
        let _bases = ltf8(&mut byte)?;
        let blocks = length(itf8(&mut byte)?)?;
        let mut landmarks = Vec::new();
        for _ in 0..length(itf8(&mut byte)?)? {
            landmarks.push(itf8(&mut byte)?);
        }
        if version.has_checksums() {
            let found = crc32(&header);
            let mut stored = [0; 4];
            read_exact(reader, &mut stored, "a CRAM container header")?;
            check_crc(u32::from_le_bytes(stored), found)?;
            header.extend(stored);
        }
        let stated = Stated {
            header_len: header.len() as u64,
            len: body_len,
            reference,
            records,
            landmarks,
            is_eof: reference == -1 && start == EOF_START && records == 0,
        };
        Ok(Some((stated, blocks)))
    }
}

impl Container {
    /// Checks the blocks without decompressing them.
    pub(super) fn check(&self, version: Version) -> Result<()> {
        let mut bytes = ByteCursor::new(&self.body);
        while !bytes.is_empty() {
            Block::take(&mut bytes, version)?;
        }
        Ok(())
    }
}

/// Fills `out`; if the input ends before, it does so inside `what`.
pub(super) fn read_exact(reader: &mut impl Read, out: &mut [u8], what: &'static str) -> Result<()> {
    let wanted = out.len() as u64;
    let mut bytes = Vec::new();
    reader.take(wanted).read_to_end(&mut bytes).map_err(ErrorKind::read)?;
    if bytes.len() < out.len() {
        return Err(ErrorKind::Truncated(what));
    }
    out.copy_from_slice(&bytes);
    Ok(())
}

fn check_crc(expected: u32, found: u32) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    let kind = biofast_io::ErrorKind::ChecksumMismatch { expected, found };
    Err(ErrorKind::Io(biofast_io::Error::new(kind, biofast_io::Location::default())))
}

pub(super) const FILE_HEADER: u8 = 0;
pub(super) const COMPRESSION_HEADER: u8 = 1;
pub(super) const SLICE_HEADER: u8 = 2;
pub(super) const EXTERNAL: u8 = 4;
pub(super) const CORE: u8 = 5;

/// How a block is compressed (section 8; 6 to 8 since version 3.1, as 5).
pub(super) mod method {
    pub(crate) const RAW: u8 = 0;
    pub(crate) const GZIP: u8 = 1;
    pub(crate) const BZIP2: u8 = 2;
    pub(crate) const XZ: u8 = 3;
    pub(crate) const RANS_4X8: u8 = 4;
    pub(crate) const RANS_NX16: u8 = 5;
    pub(crate) const ARITHMETIC: u8 = 6;
    pub(crate) const FQZCOMP: u8 = 7;
    pub(crate) const NAMES: u8 = 8;
}

/// A block as stored.
pub(super) struct Block<'a> {
    method: u8,
    pub(super) content: u8,
    pub(super) id: i32,
    raw_len: usize,
    data: &'a [u8],
}

impl<'a> Block<'a> {
    /// Reads a block without a CRC-32 to the end of `body`.
    fn read(reader: &mut impl BufRead, body: &mut Vec<u8>) -> Result<()> {
        let what = "a CRAM block";
        let mut start = [0; 2];
        read_exact(reader, &mut start, what)?;
        body.extend(start);
        let mut byte = || {
            let mut byte = [0];
            read_exact(reader, &mut byte, what)?;
            body.push(byte[0]);
            Ok(byte[0])
        };
        itf8(&mut byte)?;
        let len = length(itf8(&mut byte)?)? as u64;
        itf8(&mut byte)?;
        let n = reader.take(len).read_to_end(body).map_err(ErrorKind::read)?;
        if (n as u64) < len { Err(ErrorKind::Truncated(what)) } else { Ok(()) }
    }

    /// Takes a block from the front and checks its CRC-32.
    pub(super) fn take(bytes: &mut ByteCursor<'a>, version: Version) -> Result<Block<'a>> {
        let start = bytes.rest();
        let (method, content) = (bytes.byte()?, bytes.byte()?);
        let id = bytes.itf8()?;
        let (len, raw_len) = (bytes.length()?, bytes.length()?);
        let data = bytes.take(len)?;
        if version.has_checksums() {
            let found = crc32(&start[..start.len() - bytes.rest().len()]);
            check_crc(bytes.u32()?, found)?;
        }
        Ok(Block { method, content, id, raw_len, data })
    }

    /// The data without compression.
    pub(super) fn decode(&self) -> Result<Cow<'a, [u8]>> {
        if let Some(data) = self.stored()? {
            return Ok(Cow::Borrowed(data));
        }
        let mut out = Vec::new();
        self.decompress(&mut out)?;
        Ok(Cow::Owned(out))
    }

    /// The same, in a buffer where they aren't stored as they are. What it holds is replaced.
    pub(super) fn decode_into<'b>(&self, out: &'b mut Vec<u8>) -> Result<&'b [u8]>
    where
        'a: 'b,
    {
        match self.stored()? {
            Some(data) => Ok(data),
            None => self.decompress(out).map(|()| &out[..]),
        }
    }

    /// The data if they aren't compressed.
    fn stored(&self) -> Result<Option<&'a [u8]>> {
        match self.method {
            _ if self.raw_len == 0 => Ok(Some(&[])),
            method::RAW if self.data.len() != self.raw_len => {
                bad("a block's two lengths differ though it isn't compressed")
            }
            method::RAW => Ok(Some(self.data)),
            _ => Ok(None),
        }
    }

    fn decompress(&self, out: &mut Vec<u8>) -> Result<()> {
        // No compressor reaches such ratios on blocks of this size; a length field does.
        if self.raw_len > MAX_SLICE
            || (self.method == method::GZIP && self.raw_len / 1100 > self.data.len())
        {
            return bad("a block that claims an impossible size");
        }
        let invalid = |e: Error| ErrorKind::BadCram(e.to_string().into());
        let (data, raw_len) = (self.data, self.raw_len);
        match self.method {
            method::GZIP => gunzip(data, raw_len, out)?,
            method::BZIP2 => *out = decompress(data, raw_len, b"BZh")?,
            method::XZ => *out = decompress(data, raw_len, b"\xfd7zXZ\0")?,
            method::RANS_4X8 => rans4x8::decode_into(data, raw_len, out).map_err(invalid)?,
            method::RANS_NX16 => nx16::decode_into(data, raw_len, out).map_err(invalid)?,
            method::ARITHMETIC => *out = arith::decode(data, raw_len).map_err(invalid)?,
            method::FQZCOMP => *out = fqzcomp::decode(data, raw_len).map_err(invalid)?,
            method::NAMES => *out = names::decode(data, raw_len).map_err(invalid)?,
            _ => return bad("a block of an unknown compression method"),
        }
        if out.len() != self.raw_len {
            return bad("a block that decompresses to a different length than stated");
        }
        Ok(())
    }
}

/// The most that a block or a slice may take when decompressed, 1 GiB: far more than any writer makes, and what keeps a small damaged
/// file from taking all memory.
pub(super) const MAX_SLICE: usize = 1 << 30;

/// Inflates gzip.
fn gunzip(data: &[u8], raw_len: usize, out: &mut Vec<u8>) -> Result<()> {
    // All of it is written to: what it holds needn't be cleared.
    out.resize(raw_len, 0);
    match Decompressor::new().gzip_decompress(data, out) {
        Ok(len) if len == raw_len => {}
        // Only the first of several members.
        Ok(_) => *out = decompress(data, raw_len, b"\x1f\x8b")?,
        Err(_) => return bad("a gzip block that can't be decompressed"),
    }
    Ok(())
}

/// Decompresses a file of a format that starts with `magic`. At most `raw_len` bytes and one more are allocated.
fn decompress(data: &[u8], raw_len: usize, magic: &[u8]) -> Result<Vec<u8>> {
    if !data.starts_with(magic) {
        return bad("a block that isn't compressed as it says");
    }
    let mut out = Vec::new();
    let source = Source::from_reader("a CRAM block", Cursor::new(data.to_vec()));
    Reader::new(source, &Options::default())
        .map_err(std::io::Error::from)
        .and_then(|reader| reader.take(raw_len as u64 + 1).read_to_end(&mut out))
        .map_err(|e| ErrorKind::BadCram(e.to_string().into()))?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use libdeflater::{CompressionLvl, Compressor};

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut out = vec![0; 100];
        let len = Compressor::new(CompressionLvl::fastest()).gzip_compress(text, &mut out);
        out.truncate(len.expect("place for it"));
        out
    }

    #[test]
    fn gzip_blocks_have_any_number_of_members() {
        let members = [gzip(b"abc"), gzip(b""), gzip(b"de")].concat();
        let block = |data: &[u8], raw_len| {
            let block = Block { method: method::GZIP, content: EXTERNAL, id: 0, raw_len, data };
            block.decode().ok().map(Cow::into_owned)
        };
        assert_eq!(block(&gzip(b"abc"), 3).as_deref(), Some(&b"abc"[..]));
        assert_eq!(block(&members, 5).as_deref(), Some(&b"abcde"[..]));
        // What only the first of them, or all of them, don't have.
        for raw_len in [2, 4, 6] {
            assert_eq!(block(&members, raw_len), None, "{raw_len}");
        }
        assert_eq!(block(&members[..members.len() - 1], 5), None);
    }
}
