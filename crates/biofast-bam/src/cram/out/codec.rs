//! How blocks are compressed: each by the method that makes it shortest, as far as an estimate tells.

use std::num::NonZeroU8;

use biofast_codecs::fqzcomp::{self, Read};
use biofast_codecs::nx16::Overhead;
use biofast_codecs::{Order, names, nx16, rans4x8};

use super::choices::{Choice, Choices, Way};
use super::estimate::{Counts, Estimate};
use crate::cram::bytes::put_itf8;
use crate::cram::container::method::RAW;
use crate::cram::container::{EXTERNAL, FILE_HEADER};
use crate::cram_options::{CramVersion, Effort};

/// Writes the blocks of a slice.
pub(super) struct Codecs<'a> {
    kit: &'a mut Kit,
    /// How others were compressed.
    known: Option<&'a Choices>,
    /// The blocks.
    pub(super) out: Vec<u8>,
    /// Their content ids.
    pub(super) ids: Vec<i32>,
    /// How they were compressed.
    pub(super) choices: Choices,
}

/// What a thread compresses with.
pub(super) struct Kit {
    quick: libdeflater::Compressor,
    /// For all but bases, and for bases.
    thorough: [libdeflater::Compressor; 2],
    /// Whether the codecs of version 3.1 may be used.
    is_new: bool,
    /// Whether it may take long.
    is_thorough: bool,
    counts: Counts,
    packed: Vec<u8>,
    zipped: Vec<u8>,
    trial: Vec<u8>,
}

/// Qualities that a coder of symbols makes so much shorter have repeats.
const REPEATS: usize = 12;
/// Of longer data, the middle is compressed to see how short they become: so many bytes, or a part of the data, if that is more.
const SAMPLE: usize = 64 << 10;
const SAMPLE_PART: usize = 8;
/// Where so many of 100 bytes are the same as the one before, lengths of runs may be shorter.
const RUNS: usize = 60;

/// What data are, as far as it matters to their compression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// With many repeats that are worth a longer search.
    Names,
    /// Without repeats, mostly.
    Qualities,
    /// Numbers of four bytes each.
    Words,
    /// Bases of reads, which lie over each other where a file is sorted: a longer search saves more than elsewhere.
    Bases,
    Other,
}

impl Content {
    /// Which of the thorough compressors is for it.
    fn level(self) -> usize {
        usize::from(self == Content::Bases)
    }
}

impl Kit {
    pub(super) fn new(version: CramVersion, effort: Effort) -> Kit {
        let thorough = match effort {
            Effort::Fast => [1, 1],
            Effort::Balanced => [5, 6],
            Effort::Small => [9, 9],
        };
        Kit {
            quick: libdeflater::Compressor::new(level(1)),
            thorough: thorough.map(|n| libdeflater::Compressor::new(level(n))),
            is_new: version != CramVersion::V3_0,
            is_thorough: effort == Effort::Small,
            counts: Counts::new(),
            packed: Vec::new(),
            zipped: Vec::new(),
            trial: Vec::new(),
        }
    }

    /// Makes `packed` of the data by the way that another block was compressed, if that makes it as short, or by the best.
    fn pack(
        &mut self,
        data: &[u8],
        content: Content,
        reads: &[Read],
        known: Option<&Choice>,
    ) -> Way {
        if let Some(choice) = known.filter(|choice| choice.is_for(data.len()))
            && self.pack_by(choice.way, data, content, reads)
            && choice.expects(self.packed_len(choice.way, data), data.len())
        {
            return choice.way;
        }
        let mut way = self.try_all(data, content);
        if content == Content::Qualities && self.is_new && self.is_thorough {
            self.trial.clear();
            let packed = fqzcomp::encode(data, reads, &mut self.trial);
            if packed.is_ok() && self.trial.len() < self.packed_len(way, data) {
                std::mem::swap(&mut self.packed, &mut self.trial);
                way = Way::Fqzcomp;
            }
        }
        way
    }

    /// The length of a block.
    fn packed_len(&self, way: Way, data: &[u8]) -> usize {
        if let Way::Raw = way { data.len() } else { self.packed.len().min(data.len()) }
    }

    /// Makes `packed` of the data; whether that can be done this way.
    fn pack_by(&mut self, way: Way, data: &[u8], content: Content, reads: &[Read]) -> bool {
        self.packed.clear();
        let out = &mut self.packed;
        match way {
            Way::Raw => true,
            Way::Gzip => {
                gzip(&mut self.thorough[content.level()], data, out);
                true
            }
            Way::Rans4x8(order) => {
                rans4x8::encode(data, order, out);
                true
            }
            Way::Nx16(options) => {
                nx16::encode(data, &options, out);
                true
            }
            Way::Names => names::encode(data, out).is_ok(),
            Way::Fqzcomp => fqzcomp::encode(data, reads, out).is_ok(),
        }
    }

    /// Makes `packed` of the data by the best way, but for fqzcomp.
    fn try_all(&mut self, data: &[u8], content: Content) -> Way {
        self.packed.clear();
        if self.is_new
            && content == Content::Names
            && names::encode(data, &mut self.packed).is_ok()
            && self.packed.len() < data.len()
        {
            return Way::Names;
        }
        let estimate = self.counts.estimate(data);
        // Nobody knows how long words become in stripes.
        let coded = (content != Content::Words).then_some(estimate.order_0.min(estimate.order_1));
        // What `zipped` is as long as, or may be where it is of a sample.
        let (mut sample, mut zipped) = (middle(data), usize::MAX);
        let (thorough, mut is_thorough) = (content.level(), true);
        match content {
            Content::Names => {
                sample = data;
                zipped = gzip(&mut self.thorough[thorough], data, &mut self.zipped);
            }
            Content::Qualities if coded >= Some(data.len() / REPEATS) => {}
            _ => {
                let quick = gzip(&mut self.quick, sample, &mut self.zipped);
                let limit = coded.map_or(data.len(), |coded| coded + coded / 4);
                zipped = in_proportion(quick, sample, data);
                is_thorough = coded.is_none_or(|coded| zipped >= coded / 4 * 3);
                if zipped >= limit {
                    zipped = usize::MAX;
                } else if is_thorough {
                    let len = gzip(&mut self.thorough[thorough], sample, &mut self.zipped);
                    zipped = in_proportion(len, sample, data);
                }
            }
        }
        if coded.is_some_and(|coded| coded.min(zipped) >= data.len()) {
            return Way::Raw;
        }
        let mut way = Way::Gzip;
        let is_clear = coded.is_some_and(|coded| zipped < coded / 4 * 3);
        if !is_clear {
            way = self.code(data, content, &estimate);
        }
        if is_clear || zipped < self.packed.len() {
            if sample.len() < data.len() || !is_thorough {
                zipped = gzip(&mut self.thorough[thorough], data, &mut self.zipped);
            }
            if is_clear || zipped < self.packed.len() {
                std::mem::swap(&mut self.packed, &mut self.zipped);
                way = Way::Gzip;
            }
        }
        if self.packed.len() < data.len() { way } else { Way::Raw }
    }

    /// Makes `packed` of the data by an entropy coder.
    fn code(&mut self, data: &[u8], content: Content, estimate: &Estimate) -> Way {
        let order = if estimate.order_1 < estimate.order_0 { Order::One } else { Order::Zero };
        self.packed.clear();
        if !self.is_new {
            rans4x8::encode(data, order, &mut self.packed);
            return Way::Rans4x8(order);
        }
        let plain = nx16::Options { order, wide: true, pack: false, rle: false, stripe: None };
        if content == Content::Words {
            let options =
                nx16::Options { stripe: NonZeroU8::new(4), pack: true, rle: true, ..plain };
            nx16::encode(data, &options, &mut self.packed);
            return Way::Nx16(options);
        }
        let mut ways = vec![plain];
        let (pack, rle) = (estimate.symbols <= 16, estimate.repeated >= RUNS);
        let order = Order::One;
        if pack {
            ways.push(nx16::Options { pack, order, ..plain });
        }
        if rle {
            ways.push(nx16::Options { rle, order, ..plain });
        }
        if pack && rle {
            ways.push(nx16::Options { pack, rle, order, ..plain });
        }
        let best = match &ways[..] {
            [_] => plain,
            ways => {
                let sample = middle(data);
                let len = |way: &&nx16::Options| {
                    self.trial.clear();
                    let Overhead { tables, states } = nx16::encode(sample, way, &mut self.trial);
                    let symbols = self.trial.len() - tables - states;
                    // Tables grow, too, and those of a sample fit the sample better than the rest.
                    let doublings = (data.len() / sample.len()).ilog2() as usize;
                    in_proportion(symbols, sample, data)
                        + tables
                        + tables * doublings * 2 / 3
                        + states
                };
                ways.iter().min_by_key(len).map_or(plain, |best| *best)
            }
        };
        nx16::encode(data, &best, &mut self.packed);
        Way::Nx16(best)
    }

    fn put(&mut self, way: Way, (content, id): (u8, i32), data: &[u8], out: &mut Vec<u8>) {
        if self.packed_len(way, data) < data.len() {
            put_block((way.method(), content, id), data.len(), &self.packed, out);
        } else {
            put_block((RAW, content, id), data.len(), data, out);
        }
    }
}

/// The middle of data, or all of them if they are short.
fn middle(data: &[u8]) -> &[u8] {
    let len = (data.len() / SAMPLE_PART).max(SAMPLE).min(data.len());
    &data[(data.len() - len) / 2..][..len]
}

/// How long the data become if a sample of them becomes so long.
fn in_proportion(len: usize, sample: &[u8], data: &[u8]) -> usize {
    (len as u64 * data.len() as u64 / sample.len().max(1) as u64) as usize
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

impl<'a> Codecs<'a> {
    pub(super) fn new(kit: &'a mut Kit, known: Option<&'a Choices>) -> Codecs<'a> {
        Codecs { kit, known, out: Vec::new(), ids: Vec::new(), choices: Choices::new() }
    }

    /// Numbers, as ITF-8.
    pub(super) fn numbers(&mut self, id: i32, data: &[u8]) {
        self.add(id, data, Content::Other, &[]);
    }

    /// Those of the reads, one after the other.
    pub(super) fn qualities(&mut self, id: i32, data: &[u8], reads: &[Read]) {
        self.add(id, data, Content::Qualities, reads);
    }

    /// Names, each with its NUL.
    pub(super) fn names(&mut self, id: i32, data: &[u8]) {
        self.add(id, data, Content::Names, &[]);
    }

    pub(super) fn bases(&mut self, id: i32, data: &[u8]) {
        self.add(id, data, Content::Bases, &[]);
    }

    pub(super) fn bytes(&mut self, id: i32, data: &[u8]) {
        self.add(id, data, Content::Other, &[]);
    }

    /// Numbers of four bytes each.
    pub(super) fn words(&mut self, id: i32, data: &[u8]) {
        self.add(id, data, Content::Words, &[]);
    }

    fn add(&mut self, id: i32, data: &[u8], content: Content, reads: &[Read]) {
        if data.is_empty() {
            return;
        }
        self.ids.push(id);
        let known = self.known.and_then(|known| known.get(&id));
        let way = self.kit.pack(data, content, reads, known);
        let len = self.kit.packed_len(way, data);
        self.choices.insert(id, Choice { way, raw_len: data.len(), len });
        self.kit.put(way, (EXTERNAL, id), data, &mut self.out);
    }
}

/// Appends the block of a header.
pub(super) fn put_header_block(data: &[u8], kit: &mut Kit, out: &mut Vec<u8>) {
    gzip(&mut kit.thorough[0], data, &mut kit.packed);
    kit.put(Way::Gzip, (FILE_HEADER, 0), data, out);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers below `n`, always the same.
    fn numbers(mut state: u32) -> impl FnMut(u32) -> u32 {
        move |n| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % n
        }
    }

    /// What is as short as its shortest way, or nearly.
    #[test]
    fn the_choice_by_samples_is_near_the_best() {
        let mut next = numbers(7);
        // Four levels in runs, which stay for long; some ten of short runs; two kinds in turn; text that repeats.
        let mut level = 0;
        let runs: Vec<u8> = (0..600_000)
            .map(|_| {
                if next(12) == 0 {
                    level = [37, 37, 37, 25, 11, 2][next(6) as usize];
                }
                level
            })
            .collect();
        let mixed: Vec<u8> = (0..600_000)
            .map(|n| ((n % 7) as u32 + next(4) * next(3)).try_into().unwrap_or(0))
            .collect();
        let pairs: Vec<u8> = (0..600_000).map(|n| [3, 30][n % 2] + next(3) as u8).collect();
        let word: Vec<u8> = (0..900).map(|_| b"ACGT"[next(4) as usize]).collect();
        let repeated: Vec<u8> = (0..700)
            .flat_map(|_| {
                let start = next(600) as usize;
                word[start..start + 300].to_vec()
            })
            .collect();
        for (name, data, content) in [
            ("runs", runs, Content::Qualities),
            ("mixed", mixed, Content::Qualities),
            ("pairs", pairs, Content::Other),
            ("repeated", repeated, Content::Bases),
        ] {
            for version in [CramVersion::V3_0, CramVersion::V3_1] {
                let mut kit = Kit::new(version, Effort::Balanced);
                let way = kit.pack(&data, content, &[], None);
                let mut best = gzip(&mut kit.thorough[1], &data, &mut Vec::new());
                for order in [Order::Zero, Order::One] {
                    for way in 0..4 {
                        let (pack, rle) = (way & 1 != 0, way & 2 != 0);
                        let options = nx16::Options { order, wide: true, pack, rle, stripe: None };
                        let mut coded = Vec::new();
                        match version {
                            CramVersion::V3_0 => rans4x8::encode(&data, order, &mut coded),
                            _ => {
                                nx16::encode(&data, &options, &mut coded);
                            }
                        }
                        best = best.min(coded.len());
                    }
                }
                let len = kit.packed.len();
                assert!(
                    len <= best + best / 50,
                    "{name} {version:?}: {len} by {way:?}, not {best}"
                );
            }
        }
    }
}
