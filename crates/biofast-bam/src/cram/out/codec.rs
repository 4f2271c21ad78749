//! How blocks are compressed: each by the method that makes it shortest, as far as an estimate tells.

use std::num::NonZeroU8;

use biofast_codecs::fqzcomp::{self, Read};
use biofast_codecs::{Order, names, nx16, rans4x8};

use super::estimate::Counts;
use crate::cram::bytes::put_itf8;
use crate::cram::container::method::{FQZCOMP, GZIP, NAMES, RANS_4X8, RANS_NX16, RAW};
use crate::cram::container::{EXTERNAL, FILE_HEADER};
use crate::cram_options::{CramVersion, Effort};

/// Writes the blocks of a slice.
pub(super) struct Codecs<'a> {
    pub(super) kit: &'a mut Kit,
    /// The blocks.
    pub(super) out: Vec<u8>,
    /// Their content ids.
    pub(super) ids: Vec<i32>,
}

/// What a thread compresses with.
pub(super) struct Kit {
    quick: libdeflater::Compressor,
    thorough: libdeflater::Compressor,
    /// Whether the codecs of version 3.1 may be used.
    is_new: bool,
    /// Whether it may take long.
    is_thorough: bool,
    counts: Counts,
    packed: Vec<u8>,
    trial: Vec<u8>,
}

/// Data that a coder of symbols makes so much shorter have repeats.
const REPEATS: usize = 12;
/// Data of which is seen whether it is worth it to put several symbols in a byte.
const SAMPLE: usize = 64 << 10;

/// What data are, as far as it matters to their compression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// With many repeats that are worth a longer search.
    Names,
    /// Without repeats, mostly.
    Qualities,
    /// Numbers of four bytes each.
    Words,
    Other,
}

impl Kit {
    pub(super) fn new(version: CramVersion, effort: Effort) -> Kit {
        let (quick, thorough) = match effort {
            Effort::Fast => (1, 1),
            Effort::Balanced => (1, 4),
            Effort::Small => (9, 9),
        };
        Kit {
            quick: libdeflater::Compressor::new(level(quick)),
            thorough: libdeflater::Compressor::new(level(thorough)),
            is_new: version != CramVersion::V3_0,
            is_thorough: effort == Effort::Small,
            counts: Counts::new(),
            packed: Vec::new(),
            trial: Vec::new(),
        }
    }

    /// Makes `packed` of the data; returns the method.
    fn pack(&mut self, data: &[u8], content: Content) -> u8 {
        self.packed.clear();
        if self.is_new
            && content == Content::Names
            && names::encode(data, &mut self.packed).is_ok()
            && self.packed.len() < data.len()
        {
            return NAMES;
        }
        self.packed.clear();
        let estimate = self.counts.estimate(data);
        let mut coded = estimate.order_0.min(estimate.order_1);
        let order = if estimate.order_1 < estimate.order_0 { Order::One } else { Order::Zero };
        let mut options =
            nx16::Options { order, wide: true, pack: false, rle: false, stripe: None };
        let is_striped = self.is_new && content == Content::Words;
        self.trial.clear();
        if is_striped {
            options.stripe = NonZeroU8::new(4);
            nx16::encode(data, &options, &mut self.trial);
            coded = self.trial.len();
        }
        if content != Content::Qualities || coded < data.len() / REPEATS {
            let compressor = match content {
                Content::Names => &mut self.thorough,
                _ => &mut self.quick,
            };
            if gzip(compressor, data, &mut self.packed) <= coded {
                return GZIP;
            }
            self.packed.clear();
        }
        match () {
            () if coded >= data.len() => RAW,
            () if is_striped => {
                std::mem::swap(&mut self.packed, &mut self.trial);
                RANS_NX16
            }
            () if self.is_new => {
                options.pack = estimate.symbols <= 16 && self.is_worth_packing(data, options);
                nx16::encode(data, &options, &mut self.packed);
                RANS_NX16
            }
            () => {
                rans4x8::encode(data, order, &mut self.packed);
                RANS_4X8
            }
        }
    }

    /// Whether the start of the data becomes shorter with several symbols in a byte.
    fn is_worth_packing(&mut self, data: &[u8], options: nx16::Options) -> bool {
        let sample = &data[..data.len().min(SAMPLE)];
        let mut len = |pack| {
            self.trial.clear();
            nx16::encode(sample, &nx16::Options { pack, ..options }, &mut self.trial);
            self.trial.len()
        };
        len(true) < len(false)
    }

    fn put(&mut self, method: u8, (content, id): (u8, i32), data: &[u8], out: &mut Vec<u8>) {
        match method != RAW && self.packed.len() < data.len() {
            true => put_block((method, content, id), data.len(), &self.packed, out),
            false => put_block((RAW, content, id), data.len(), data, out),
        }
    }
}

fn level(level: i32) -> libdeflater::CompressionLvl {
    // 0 to 12 exist.
    libdeflater::CompressionLvl::new(level).unwrap_or_default()
}

/// Replaces `out` by the data as gzip; returns its length.
fn gzip(compressor: &mut libdeflater::Compressor, data: &[u8], out: &mut Vec<u8>) -> usize {
    out.resize(compressor.gzip_compress_bound(data.len()), 0);
    // The bound is enough for any data; were it not, they would be stored as they are.
    let len = compressor.gzip_compress(data, out).unwrap_or(out.len());
    out.truncate(len);
    len
}

impl Codecs<'_> {
    /// Numbers, as ITF-8.
    pub(super) fn numbers(&mut self, id: i32, data: &[u8]) {
        self.add(id, data, Content::Other);
    }

    /// Those of the reads, one after the other.
    pub(super) fn qualities(&mut self, id: i32, data: &[u8], reads: &[Read]) {
        if data.is_empty() {
            return;
        }
        self.ids.push(id);
        let mut method = self.kit.pack(data, Content::Qualities);
        if self.kit.is_new && self.kit.is_thorough {
            self.kit.trial.clear();
            let packed = fqzcomp::encode(data, reads, &mut self.kit.trial);
            if packed.is_ok() && self.kit.trial.len() < self.kit.packed.len() {
                std::mem::swap(&mut self.kit.packed, &mut self.kit.trial);
                method = FQZCOMP;
            }
        }
        self.kit.put(method, (EXTERNAL, id), data, &mut self.out);
    }

    /// Names, each with its NUL.
    pub(super) fn names(&mut self, id: i32, data: &[u8]) {
        self.add(id, data, Content::Names);
    }

    pub(super) fn bytes(&mut self, id: i32, data: &[u8]) {
        self.add(id, data, Content::Other);
    }

    /// Numbers of four bytes each.
    pub(super) fn words(&mut self, id: i32, data: &[u8]) {
        self.add(id, data, Content::Words);
    }

    fn add(&mut self, id: i32, data: &[u8], content: Content) {
        if !data.is_empty() {
            self.ids.push(id);
            let method = self.kit.pack(data, content);
            self.kit.put(method, (EXTERNAL, id), data, &mut self.out);
        }
    }
}

/// Appends the block of a header.
pub(super) fn put_header_block(data: &[u8], kit: &mut Kit, out: &mut Vec<u8>) {
    gzip(&mut kit.thorough, data, &mut kit.packed);
    kit.put(GZIP, (FILE_HEADER, 0), data, out);
}

/// Appends a block that isn't compressed.
pub(super) fn put_raw_block(content: u8, data: &[u8], out: &mut Vec<u8>) {
    put_block((RAW, content, 0), data.len(), data, out);
}

/// Appends a block: its method, content and id, how long its data are when decompressed, and the data.
fn put_block((method, content, id): (u8, u8, i32), raw_len: usize, data: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend([method, content]);
    put_itf8(id, out);
    put_itf8(data.len() as i32, out);
    put_itf8(raw_len as i32, out);
    out.extend_from_slice(data);
    let crc = biofast_io::crc32(&out[start..]);
    out.extend(crc.to_le_bytes());
}
