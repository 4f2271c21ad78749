//! The bytes of an index of names. docs/get.md describes them; all numbers are little-endian.

use biofast_io::output::{self, Output};

use crate::measure::shards::{Container, ShardFormat};

/// What is appended, with a dot, to the name of a file for that of its index.
pub const EXTENSION: &str = "bni";

/// The first bytes, without the version of the format.
const MAGIC: [u8; 7] = *b"BFNAMES";

/// The version that is written and read. Version 1 had no checksums of what follows the header.
const VERSION: u8 = 2;

/// Bytes before the entries.
pub(super) const HEADER_LEN: u64 = 64;

/// Bytes of an entry: fingerprint and place.
pub(super) const ENTRY_LEN: u64 = 16;

/// Bytes of a page, in which what follows the header is stored, and how many of them are its content: its checksum follows them.
const PAGE: u64 = 4096;
const CONTENT: u64 = PAGE - 8;

/// Every so many records the place is listed.
pub(super) const STRIDE: u64 = 256;

/// The fingerprint of a name: its 64-bit FNV-1a hash, then mixed by the finalizer of MurmurHash3 so that the first bits
/// are as good as the last.
#[inline]
pub fn fingerprint(name: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for &byte in name {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

/// The checksum of a page's content: its CRC-32, and on top of it the page's number and the file it belongs to.
fn checksum(digest: u64, page: u64, content: &[u8]) -> u64 {
    let crc = u64::from(biofast_io::crc32(content));
    [digest, page, crc].into_iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
        let hash = (hash ^ word).wrapping_mul(0x100_0000_01b3);
        hash ^ (hash >> 29)
    })
}

/// What follows the header, on its way into pages.
pub(super) struct Pages<'a> {
    out: &'a mut Output,
    digest: u64,
    next: u64,
    content: Vec<u8>,
}

impl<'a> Pages<'a> {
    pub(super) fn new(header: &Header, out: &'a mut Output) -> Pages<'a> {
        Pages { out, digest: header.digest, next: 0, content: Vec::new() }
    }

    /// Appends numbers of 8 bytes.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), output::Error> {
        self.content.extend_from_slice(bytes);
        let whole = self.content.len() - self.content.len() % CONTENT as usize;
        self.write(whole)
    }

    /// Writes the last page, which may be shorter.
    pub(super) fn finish(mut self) -> Result<(), output::Error> {
        self.write(self.content.len())
    }

    fn write(&mut self, len: usize) -> Result<(), output::Error> {
        if len == 0 {
            return Ok(());
        }
        let mut pages = Vec::with_capacity(len + len / 500 + 8);
        for content in self.content[..len].chunks(CONTENT as usize) {
            pages.extend_from_slice(content);
            pages.extend(checksum(self.digest, self.next, content).to_le_bytes());
            self.next += 1;
        }
        self.content.drain(..len);
        self.out.append(&pages)
    }
}

/// Where some content is stored: whole pages.
pub(super) struct PageSpan {
    first: u64,
    /// Where the first page starts in the file.
    pub(super) at: u64,
    /// How many bytes the pages have.
    pub(super) len: u64,
    /// How many bytes of content come before.
    skipped: u64,
}

/// What is known of the file and of the parts of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) format: ShardFormat,
    pub(super) container: Container,
    /// Of the file, as are the next two.
    pub(super) size: u64,
    /// [`State::digest`](crate::measure::shards::State::digest) as a number.
    pub(super) digest: u64,
    pub(super) records: u64,
    /// There are two to the power of this many groups of entries, by the first bits of the fingerprint.
    pub(super) bits: u32,
}

impl Header {
    /// Bits that leave some 128 to 256 entries in a group.
    pub(super) fn bits(records: u64) -> u32 {
        (records / 128).max(1).ilog2().min(40)
    }

    /// The number of groups.
    pub(super) fn groups(&self) -> u64 {
        1 << self.bits
    }

    /// The group of a fingerprint.
    pub(super) fn group(&self, fingerprint: u64) -> u64 {
        fingerprint.checked_shr(64 - self.bits).unwrap_or(0)
    }

    /// Where the entry of this number is in what follows the header, pages apart, as are the next ones.
    pub(super) fn entry_at(&self, number: u64) -> u64 {
        ENTRY_LEN * number
    }

    /// Where the place of a record whose number is this many strides is.
    pub(super) fn mark_at(&self, strides: u64) -> u64 {
        self.entry_at(self.records) + 8 * strides
    }

    /// Where the number of the first entry of a group is; behind the last group stands that of all entries.
    pub(super) fn group_at(&self, group: u64) -> u64 {
        self.mark_at(self.records.div_ceil(STRIDE)) + 8 * group
    }

    /// How many bytes follow the header, without checksums.
    fn content(&self) -> u64 {
        self.group_at(self.groups() + 1)
    }

    /// How long the index is.
    pub(super) fn len(&self) -> u64 {
        HEADER_LEN + self.content() + 8 * self.content().div_ceil(CONTENT)
    }

    /// Where so many bytes of content are, at least one.
    pub(super) fn stored(&self, at: u64, len: u64) -> PageSpan {
        let first = at / CONTENT;
        let end = (at + len).div_ceil(CONTENT).max(first + 1);
        let start = HEADER_LEN + PAGE * first;
        let len = (HEADER_LEN + PAGE * end).min(self.len()).saturating_sub(start);
        PageSpan { first, at: start, len, skipped: at - CONTENT * first }
    }

    /// So many bytes of content of the pages; `None` if they aren't what was written.
    pub(super) fn content_of(
        &self,
        stored: &PageSpan,
        pages: &[u8],
        len: usize,
    ) -> Option<Vec<u8>> {
        let mut all = Vec::with_capacity(pages.len());
        for (page, number) in pages.chunks(PAGE as usize).zip(stored.first..) {
            let (content, check) = page.split_last_chunk::<8>()?;
            if u64::from_le_bytes(*check) != checksum(self.digest, number, content) {
                return None;
            }
            all.extend_from_slice(content);
        }
        let start = usize::try_from(stored.skipped).ok()?;
        Some(all.get(start..start.checked_add(len)?)?.to_vec())
    }

    pub(super) fn write(&self) -> [u8; HEADER_LEN as usize] {
        let mut out = [0; HEADER_LEN as usize];
        out[..7].copy_from_slice(&MAGIC);
        out[7] = VERSION;
        out[8] = u8::from(self.format == ShardFormat::Bam);
        out[9] = u8::from(self.container == Container::Bgzf);
        let numbers = [self.size, self.digest, self.records, u64::from(self.bits), STRIDE];
        for (at, number) in (16..).step_by(8).zip(numbers) {
            out[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        let check = fingerprint(&out[..56]);
        out[56..].copy_from_slice(&check.to_le_bytes());
        out
    }

    /// Whether it is one of another version.
    pub(super) fn is_other_version(bytes: &[u8; HEADER_LEN as usize]) -> bool {
        // Of what is damaged nothing is known.
        let check = fingerprint(&bytes[..56]).to_le_bytes();
        bytes[..7] == MAGIC && bytes[7] != VERSION && bytes[56..] == check
    }

    /// Reads it back; `None` if it isn't one.
    pub(super) fn read(bytes: &[u8; HEADER_LEN as usize]) -> Option<Header> {
        let number = |at: usize| {
            let bytes = bytes.get(at..at + 8)?;
            bytes.try_into().ok().map(u64::from_le_bytes)
        };
        if bytes[..7] != MAGIC
            || bytes[7] != VERSION
            || number(56)? != fingerprint(&bytes[..56])
            || number(48)? != STRIDE
        {
            return None;
        }
        let records = number(32)?;
        let bits = u32::try_from(number(40)?).ok()?;
        // No file has more than this many; nothing below overflows then.
        if records > 1 << 48 || bits != Header::bits(records) {
            return None;
        }
        Some(Header {
            format: if bytes[8] == 1 { ShardFormat::Bam } else { ShardFormat::Fastq },
            container: if bytes[9] == 1 { Container::Bgzf } else { Container::Plain },
            size: number(16)?,
            digest: number(24)?,
            records,
            bits,
        })
    }
}
