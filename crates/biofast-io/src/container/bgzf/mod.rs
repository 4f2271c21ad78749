//! BGZF blocks: headers, and the inflation and deflation of a group of blocks by one worker.
//!
//! To read BGZF there is [`Reader`](crate::Reader), to write it [`output`](crate::output); what works on single blocks is hidden here and may
//! change with any version.
//!
//! Format: SAM specification, section 4.1. A block is a gzip member with a `BC` extra subfield
//! that holds the block's total length less one; it inflates to at most 65,536 bytes.

mod constants;
mod deflate;
mod offset;
mod write;

pub use constants::{EOF_BLOCK, MAX_INFLATED};
pub use deflate::{BLOCK_TEXT, Deflater};
pub use offset::VirtualOffset;
pub use write::{compress, store};

use std::sync::Arc;
use std::time::Instant;

use biofast_deflate::StreamMap;

use crate::container::codec::{self, Policy};
use crate::container::libdeflate::{Decompressor, InflateFailure, Inflated};
use crate::container::trial::{DecoderTrial, WorkerId};
use crate::error::ErrorKind;
use crate::input::BlockDecoder;

/// The fixed part of a gzip header plus the length of the extra field.
const FIXED_HEADER: usize = 12;
/// CRC-32 and ISIZE.
const FOOTER: usize = 8;

/// What a block's header says.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes before the deflate data.
    pub header_len: usize,
    /// Bytes of the whole block, header and footer included: BSIZE + 1, up to 65,536.
    pub block_len: usize,
}

/// What the first bytes of a would-be block are.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// A block header.
    Block(Header),
    /// A gzip member without the BGZF subfield.
    OtherGzip,
    /// Not gzip.
    NotGzip,
    /// More bytes are needed to tell: at least this many in total.
    NeedMore(usize),
    /// A BGZF header whose fields contradict each other.
    Invalid(&'static str),
}

/// Reads a block header. Extra subfields may be in any order.
#[doc(hidden)]
pub fn parse_header(bytes: &[u8]) -> Parsed {
    if bytes.len() < FIXED_HEADER {
        let magic = [0x1f, 0x8b];
        let n = bytes.len().min(2);
        return if bytes[..n] == magic[..n] {
            Parsed::NeedMore(FIXED_HEADER)
        } else {
            Parsed::NotGzip
        };
    }
    if bytes[0] != 0x1f || bytes[1] != 0x8b {
        return Parsed::NotGzip;
    }
    // BGZF writers set FEXTRA and nothing else; a member with a file name is ordinary gzip.
    if bytes[2] != 8 || bytes[3] != 4 {
        return Parsed::OtherGzip;
    }
    let extra_len = usize::from(u16::from_le_bytes([bytes[10], bytes[11]]));
    let header_len = FIXED_HEADER + extra_len;
    if bytes.len() < header_len {
        return Parsed::NeedMore(header_len);
    }
    let mut extra = &bytes[FIXED_HEADER..header_len];
    while let [id1, id2, len1, len2, rest @ ..] = extra {
        let len = usize::from(u16::from_le_bytes([*len1, *len2]));
        if rest.len() < len {
            return Parsed::OtherGzip;
        }
        if (*id1, *id2, len) == (b'B', b'C', 2) {
            let block_len = usize::from(u16::from_le_bytes([rest[0], rest[1]])) + 1;
            if block_len < header_len + FOOTER {
                return Parsed::Invalid("the stated block length is shorter than its header");
            }
            return Parsed::Block(Header { header_len, block_len });
        }
        extra = &rest[len..];
    }
    Parsed::OtherGzip
}

/// Whether `bytes` start with a BGZF block header, even one whose length field is wrong. Ordinary gzip doesn't.
pub fn is_block_start(bytes: &[u8]) -> bool {
    matches!(parse_header(bytes), Parsed::Block(_) | Parsed::Invalid(_))
}

/// One block of a group: where its parts are in the group's compressed bytes.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Offset of the block in the file.
    pub file_offset: u64,
    /// Offset of the block's first byte in the group's compressed bytes.
    pub start: usize,
    /// Its header.
    pub header: Header,
    /// The stated inflated length.
    pub inflated_len: usize,
    /// The stated CRC-32 of the inflated bytes.
    pub crc32: u32,
}

impl Block {
    /// Reads the footer of a complete block and checks the stated lengths.
    ///
    /// # Errors
    /// A reason if the block claims to inflate to more than [`MAX_INFLATED`] bytes.
    pub fn new(
        bytes: &[u8],
        start: usize,
        header: Header,
        file_offset: u64,
    ) -> Result<Block, &'static str> {
        let end = start + header.block_len;
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let inflated_len = word(end - 4) as usize;
        if inflated_len > MAX_INFLATED {
            return Err("it claims to inflate to more than 65,536 bytes");
        }
        Ok(Block { file_offset, start, header, inflated_len, crc32: word(end - FOOTER) })
    }

    fn deflate_data<'a>(&self, group: &'a [u8]) -> &'a [u8] {
        &group[self.start + self.header.header_len..self.start + self.header.block_len - FOOTER]
    }

    fn check(&self, found: u32) -> Result<(), InflateError> {
        let expected = self.crc32;
        if found == expected { Ok(()) } else { Err(InflateError::Checksum { expected, found }) }
    }
}

/// Why a block could not be inflated.
#[doc(hidden)]
#[derive(Debug)]
#[non_exhaustive]
pub enum InflateError {
    /// The deflate data are invalid.
    BadData,
    /// The block inflates to another length than stated.
    Length {
        /// The stated length.
        expected: usize,
        /// The length found; `None` if the data go on beyond the stated length.
        found: Option<usize>,
    },
    /// So many bytes are between the end of the deflate data and the footer.
    Between(usize),
    /// The inflated bytes have another CRC-32 than stated.
    Checksum {
        /// The stated CRC-32.
        expected: u32,
        /// The CRC-32 of the inflated bytes.
        found: u32,
    },
}

impl From<InflateError> for ErrorKind {
    fn from(error: InflateError) -> Self {
        match error {
            InflateError::BadData => ErrorKind::Corrupt {
                codec: "deflate",
                reason: "invalid data in a BGZF block".into(),
            },
            InflateError::Length { expected, found } => ErrorKind::LengthMismatch {
                expected: expected as u64,
                found: found.map(|n| n as u64),
            },
            InflateError::Between(bytes) => ErrorKind::Corrupt {
                codec: "deflate",
                reason: match bytes {
                    1 => "a byte".to_owned(),
                    n => format!("{n} bytes"),
                } + " between the end of the data and the footer of a BGZF block",
            },
            InflateError::Checksum { expected, found } => {
                ErrorKind::ChecksumMismatch { expected, found }
            }
        }
    }
}

impl std::fmt::Display for InflateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            InflateError::BadData => f.write_str("invalid deflate data"),
            InflateError::Length { expected, found: Some(found) } => {
                write!(f, "{found} bytes instead of {expected}")
            }
            InflateError::Length { expected, found: None } => {
                write!(f, "more bytes than {expected}")
            }
            InflateError::Between(bytes) => {
                write!(f, "{bytes} bytes between the end of the data and the footer")
            }
            InflateError::Checksum { expected, found } => {
                write!(f, "the CRC-32 is {found:08x} instead of {expected:08x}")
            }
        }
    }
}

impl std::error::Error for InflateError {}

/// The first block of a group that could not be inflated.
#[doc(hidden)]
#[derive(Debug)]
pub struct GroupFault {
    /// The number of the block in its group, counted from 0.
    pub index: usize,
    /// How many bytes the blocks before it have inflated to.
    pub good: usize,
    /// What is wrong with it.
    pub error: InflateError,
}

impl std::fmt::Display for GroupFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "block {}: {}", self.index, self.error)
    }
}

impl std::error::Error for GroupFault {}

/// A worker's own inflater. It takes a *group* of independent blocks, of which `biofast-deflate` inflates several at
/// once.
#[doc(hidden)]
pub struct Inflater {
    libdeflate: Decompressor,
    /// Made for the first group, as many inputs aren't BGZF and it takes 160 kB.
    own: Option<biofast_deflate::Inflater>,
    /// Its own, or that of all workers of an input.
    trial: Arc<DecoderTrial>,
    worker: WorkerId,
    /// Whether blocks are mapped as they are inflated.
    maps: bool,
}

impl Inflater {
    /// A new inflater with the [active](codec::active) policy. Costs an allocation: keep it.
    pub fn new() -> Self {
        Inflater::with_policy(codec::active())
    }

    /// A new inflater with the given policy.
    pub fn with_policy(policy: Policy) -> Self {
        let trial = Arc::new(DecoderTrial::new(policy, codec::lanes()));
        Inflater {
            libdeflate: Decompressor::new(),
            own: None,
            trial,
            worker: WorkerId::new(),
            maps: false,
        }
    }

    /// One that also maps the blocks of a pipeline's chunks, so that they can be spliced. Only our own decoder does.
    pub(crate) fn mapping(maps: bool) -> Inflater {
        Inflater { maps, ..Inflater::new() }
    }

    /// Whether it maps blocks.
    pub(crate) fn maps(&self) -> bool {
        self.maps
    }

    /// What comes next belongs to an input whose workers share a trial.
    pub(crate) fn share(&mut self, trial: &Arc<DecoderTrial>) {
        if !Arc::ptr_eq(&self.trial, trial) {
            self.trial = Arc::clone(trial);
        }
    }

    /// Inflates `blocks` of `group` one after the other into `out`, which must be as long as
    /// the sum of the blocks' inflated lengths. Checks length and CRC-32 of every block.
    ///
    /// # Errors
    /// The first bad block.
    pub fn inflate(
        &mut self,
        group: &[u8],
        blocks: &[Block],
        out: &mut [u8],
    ) -> Result<usize, GroupFault> {
        // A block on its own is as fast without the tables, which take longer to set up: the first one of a file, that at an edge.
        if let ([_], None) = (blocks, &self.own)
            && self.trial.has(BlockDecoder::Libdeflate)
        {
            return self.inflate_by(BlockDecoder::Libdeflate, group, blocks, out);
        }
        let turn = self.trial.next(self.worker);
        if !turn.timed {
            return self.inflate_by(turn.decoder, group, blocks, out);
        }
        // What would leave lanes without a block isn't timed: if this decoder comes to be preferred, groups are cut to its lanes.
        let whole = blocks.len() - blocks.len() % turn.decoder.lanes();
        let (timed, rest) = blocks.split_at(whole);
        let start = Instant::now();
        let bytes = self.inflate_by(turn.decoder, group, timed, out)?;
        self.trial.record(self.worker, bytes, start.elapsed());
        let more = self
            .inflate_by(self.trial.preferred(), group, rest, &mut out[bytes..])
            .map_err(|fault| GroupFault {
                index: whole + fault.index,
                good: bytes + fault.good,
                error: fault.error,
            })?;
        Ok(bytes + more)
    }

    fn inflate_by(
        &mut self,
        decoder: BlockDecoder,
        group: &[u8],
        blocks: &[Block],
        out: &mut [u8],
    ) -> Result<usize, GroupFault> {
        let done = match decoder {
            BlockDecoder::Own { lanes } => {
                self.inflate_together(lanes, group, blocks, out, &mut [])?
            }
            BlockDecoder::Libdeflate => (0, 0),
        };
        self.inflate_singly(done, group, blocks, out)
    }

    /// As [`inflate`](Self::inflate), and maps the blocks, as many as are inflated.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn inflate_mapped(
        &mut self,
        group: &[u8],
        blocks: &[Block],
        out: &mut [u8],
        maps: &mut Vec<StreamMap>,
    ) -> Result<usize, GroupFault> {
        if maps.len() < blocks.len() {
            maps.resize_with(blocks.len(), StreamMap::new);
        }
        let lanes = match self.trial.preferred() {
            BlockDecoder::Own { lanes } => lanes,
            BlockDecoder::Libdeflate => biofast_deflate::Inflater::LANES,
        };
        let done = self.inflate_together(lanes, group, blocks, out, &mut maps[..blocks.len()])?;
        self.inflate_singly(done, group, blocks, out)
    }

    /// Inflates the blocks behind those done, which are so many and have so many bytes.
    fn inflate_singly(
        &mut self,
        (mut index, mut at): (usize, usize),
        group: &[u8],
        blocks: &[Block],
        out: &mut [u8],
    ) -> Result<usize, GroupFault> {
        for block in &blocks[index..] {
            let target = &mut out[at..at + block.inflated_len];
            self.inflate_one(block.deflate_data(group), block, target)
                .map_err(|error| GroupFault { index, good: at, error })?;
            index += 1;
            at += block.inflated_len;
        }
        Ok(at)
    }

    /// Inflates the blocks before the first fault, all if there is none. Returns how many they are, and their bytes.
    /// The faulty one is left to libdeflate, so that verdicts and their wording don't depend on the codec. Blocks are mapped if there
    /// are maps.
    fn inflate_together(
        &mut self,
        lanes: usize,
        group: &[u8],
        blocks: &[Block],
        out: &mut [u8],
        maps: &mut [StreamMap],
    ) -> Result<(usize, usize), GroupFault> {
        let own = self.own.get_or_insert_with(biofast_deflate::Inflater::new);
        own.set_lanes(lanes);
        let mut rest = &mut *out;
        let jobs = blocks.iter().map(|block| {
            let (output, more) = std::mem::take(&mut rest).split_at_mut(block.inflated_len);
            rest = more;
            biofast_deflate::Block { input: block.deflate_data(group), output }
        });
        let inflated = match maps.is_empty() {
            true => own.inflate_blocks(jobs),
            false => own.inflate_mapped(jobs.zip(maps)),
        };
        let good = inflated.map_or_else(|fault| fault.index, |()| blocks.len());
        let mut at = 0;
        for (index, block) in blocks[..good].iter().enumerate() {
            let found = libdeflater::crc32(&out[at..at + block.inflated_len]);
            block.check(found).map_err(|error| GroupFault { index, good: at, error })?;
            at += block.inflated_len;
        }
        Ok((good, at))
    }

    fn inflate_one(
        &mut self,
        deflated: &[u8],
        block: &Block,
        target: &mut [u8],
    ) -> Result<(), InflateError> {
        match self.libdeflate.inflate(deflated, target) {
            Ok(Inflated { made, .. }) if made != target.len() => {
                return Err(InflateError::Length { expected: target.len(), found: Some(made) });
            }
            Ok(Inflated { used, .. }) if used != deflated.len() => {
                return Err(InflateError::Between(deflated.len() - used));
            }
            Ok(_) => {}
            Err(InflateFailure::NoRoom) => {
                return Err(InflateError::Length { expected: target.len(), found: None });
            }
            Err(InflateFailure::BadData) => return Err(InflateError::BadData),
        }
        block.check(libdeflater::crc32(target))
    }
}

impl Default for Inflater {
    fn default() -> Self {
        Inflater::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::codec::Codec;

    #[test]
    fn the_subfield_is_found_behind_another_one() {
        let mut block = vec![0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 12, 0];
        block.extend_from_slice(b"XX\x02\x00ab");
        block.extend_from_slice(b"BC\x02\x00\xff\xff");
        let parsed = parse_header(&block);
        assert_eq!(parsed, Parsed::Block(Header { header_len: 24, block_len: 65_536 }));
    }

    #[test]
    fn every_prefix_of_a_header_asks_for_more() {
        for n in 0..18 {
            let parsed = parse_header(&EOF_BLOCK[..n]);
            assert!(matches!(parsed, Parsed::NeedMore(_)), "{n}: {parsed:?}");
        }
        assert_eq!(
            parse_header(&EOF_BLOCK[..18]),
            Parsed::Block(Header { header_len: 18, block_len: 28 })
        );
    }

    #[test]
    fn a_block_shorter_than_its_own_header_is_invalid() {
        let mut block = EOF_BLOCK;
        block[16] = 20;
        assert!(matches!(parse_header(&block), Parsed::Invalid(_)));
        assert!(is_block_start(&block));
    }

    /// What each codec says of a group, and the good bytes.
    fn verdicts(group: &[u8], blocks: &[Block]) -> Vec<String> {
        let total = blocks.iter().map(|block| block.inflated_len).sum();
        [Codec::Own, Codec::Libdeflate]
            .map(|codec| {
                let mut out = vec![0; total];
                let result =
                    Inflater::with_policy(Policy::Fixed(codec)).inflate(group, blocks, &mut out);
                let good = result.as_ref().map_or_else(|fault| fault.good, |good| *good);
                format!("{result:?} {:?}", &out[..good])
            })
            .to_vec()
    }

    #[test]
    fn codecs_agree_on_damaged_groups() {
        let text: Vec<u8> = (0..3000u32).map(|i| ((i * i) >> 7) as u8 % 9).collect();
        let file = biofast_testkit::container::bgzf(&text, 500);
        let mut blocks = Vec::new();
        let mut at = 0;
        while let Parsed::Block(header) = parse_header(&file[at..]) {
            blocks.push(Block::new(&file, at, header, at as u64).expect("a block"));
            at += header.block_len;
        }
        assert_eq!((blocks.len(), at), (7, file.len()));
        let whole = verdicts(&file, &blocks);
        assert!(whole[0].starts_with("Ok(3000)") && whole[0] == whole[1]);
        let mut faults = 0;
        for byte in blocks[1].start + 18..blocks[4].start {
            let mut damaged = file.clone();
            damaged[byte] ^= 0x10;
            let [own, libdeflate] = &verdicts(&damaged, &blocks)[..] else { panic!("two codecs") };
            assert_eq!(own, libdeflate, "byte {byte}");
            faults += usize::from(own.starts_with("Err"));
        }
        assert!(faults > 100, "{faults}");
        // A wrong CRC-32 before an invalid block, and a block with bytes behind its stream.
        let mut both = file.clone();
        both[blocks[3].start + 20] ^= 0xff;
        let mut other = blocks.clone();
        other[2].crc32 ^= 1;
        let found = verdicts(&both, &other);
        assert!(
            found[0].starts_with("Err(GroupFault { index: 2, good: 1000, error: Checksum"),
            "{}",
            found[0]
        );
        assert_eq!(found[0], found[1]);
        let deflated = blocks[0].deflate_data(&file);
        let footer = &file[blocks[0].header.block_len - FOOTER..blocks[0].header.block_len];
        // Zeros, anything, what the next block starts with, and the footer twice.
        for more in [&[0][..], b"JUNK", &file[blocks[1].start..][..40], footer] {
            let deflated = [deflated, more].concat();
            let longer = biofast_testkit::container::bgzf_block_of(&text[..500], &deflated, &[]);
            let Parsed::Block(header) = parse_header(&longer) else { panic!("a block") };
            let found = verdicts(&longer, &[Block::new(&longer, 0, header, 0).expect("a block")]);
            assert_eq!(
                found[0],
                format!(
                    "Err(GroupFault {{ index: 0, good: 0, error: Between({}) }}) []",
                    more.len()
                )
            );
            assert_eq!(found[0], found[1]);
        }
    }
}
