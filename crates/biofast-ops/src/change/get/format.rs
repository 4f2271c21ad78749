//! The bytes of an index of names. docs/get.md describes them; all numbers are little-endian.

use crate::measure::shards::{Container, Format};

/// What is appended, with a dot, to the name of a file for that of its index.
pub const EXTENSION: &str = "bni";

/// The first bytes, with the version of the format.
const MAGIC: [u8; 8] = *b"BFNAMES\x01";

/// Bytes before the entries.
pub(super) const HEADER_LEN: u64 = 64;

/// Bytes of an entry: fingerprint and place.
pub(super) const ENTRY_LEN: u64 = 16;

/// Every so many records the place is listed.
pub(super) const STRIDE: u64 = 256;

/// The fingerprint of a name: FNV-1a of 64 bits, its bits then mixed as in the finaliser of MurmurHash3, so that the first ones
/// are as good as the last.
///
/// ```
/// use biofast_ops::get::fingerprint;
///
/// assert_ne!(fingerprint(b"read1"), fingerprint(b"read2"));
/// ```
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

/// What is known of the file and of the parts of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) format: Format,
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

    /// Where the entry of this number is.
    pub(super) fn entry_at(&self, number: u64) -> u64 {
        HEADER_LEN + ENTRY_LEN * number
    }

    /// Where the place of a record whose number is this many strides is.
    pub(super) fn mark_at(&self, strides: u64) -> u64 {
        self.entry_at(self.records) + 8 * strides
    }

    /// Where the number of the first entry of a group is; behind the last group stands that of all entries.
    pub(super) fn group_at(&self, group: u64) -> u64 {
        self.mark_at(self.records.div_ceil(STRIDE)) + 8 * group
    }

    /// How long the index is.
    pub(super) fn len(&self) -> u64 {
        self.group_at(self.groups() + 1)
    }

    pub(super) fn write(&self) -> [u8; HEADER_LEN as usize] {
        let mut out = [0; HEADER_LEN as usize];
        out[..8].copy_from_slice(&MAGIC);
        out[8] = u8::from(self.format == Format::Bam);
        out[9] = u8::from(self.container == Container::Bgzf);
        let numbers = [self.size, self.digest, self.records, u64::from(self.bits), STRIDE];
        for (at, number) in (16..).step_by(8).zip(numbers) {
            out[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        let check = fingerprint(&out[..56]);
        out[56..].copy_from_slice(&check.to_le_bytes());
        out
    }

    /// Reads it back; `None` if it isn't one.
    pub(super) fn read(bytes: &[u8; HEADER_LEN as usize]) -> Option<Header> {
        let number = |at: usize| {
            let bytes = bytes.get(at..at + 8)?;
            bytes.try_into().ok().map(u64::from_le_bytes)
        };
        if bytes[..8] != MAGIC || number(56)? != fingerprint(&bytes[..56]) || number(48)? != STRIDE
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
            format: if bytes[8] == 1 { Format::Bam } else { Format::Fastq },
            container: if bytes[9] == 1 { Container::Bgzf } else { Container::Plain },
            size: number(16)?,
            digest: number(24)?,
            records,
            bits,
        })
    }
}
