//! Writing BGZF blocks.

use biofast_deflate::{BamDeflater, Effort, FastqDeflater};
use libdeflater::{CompressionLvl, Compressor};

use super::constants::MAX_INFLATED;
use crate::container::Level;

/// Bytes of text in each block but the last: what htslib puts into one, so that even stored data
/// and header fit the 64 KiB of a block.
pub const BLOCK_TEXT: usize = 0xff00;

/// The header before the deflate data; the block's length goes into its last two bytes.
const HEADER: [u8; 18] = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, b'B', b'C', 2, 0, 0, 0];
/// CRC-32 and ISIZE.
const FOOTER: usize = 8;
/// The longest stream of a block.
const ROOM: usize = MAX_INFLATED - HEADER.len() - FOOTER;

/// A worker's own deflater, the counterpart of [`Inflater`](super::Inflater). It takes the text
/// of several blocks at once.
///
/// Whatever encoder is behind it, a block's bytes must depend on the block's text alone:
/// otherwise the output would depend on which worker made the block before.
#[doc(hidden)]
pub struct Deflater {
    /// For all texts, or those that the others decline.
    codec: Compressor,
    /// For FASTQ.
    own: Option<FastqDeflater>,
    /// The effort of these two.
    effort: Effort,
    /// For BAM, from the first text on that `own` declines; not where the smaller stream is taken.
    bam: Option<BamDeflater>,
    /// What `own` made, where the smaller stream is taken.
    rival: Option<Vec<u8>>,
}

impl Deflater {
    /// A deflater; a number above libdeflate's highest level is taken as that. Costs allocations:
    /// keep it.
    pub fn new(level: Level) -> Deflater {
        let (number, effort) = match level {
            Level::Fast => (1, Some(Effort::Fast)),
            Level::Balanced => (6, Some(Effort::Balanced)),
            Level::Small => (6, Some(Effort::Balanced)),
            Level::Number(n) => (n, None),
        };
        let number =
            CompressionLvl::new(i32::from(number)).unwrap_or_else(|_| CompressionLvl::best());
        Deflater {
            codec: Compressor::new(number),
            own: effort.map(FastqDeflater::new),
            effort: effort.unwrap_or_default(),
            bam: None,
            rival: (level == Level::Small).then(Vec::new),
        }
    }

    /// Appends `text` to `out` as blocks of [`BLOCK_TEXT`] bytes, the last one shorter if need
    /// be, and the length of each block to `lengths`.
    pub fn deflate(&mut self, text: &[u8], out: &mut Vec<u8>, lengths: &mut Vec<u32>) {
        for text in text.chunks(BLOCK_TEXT) {
            lengths.push(self.deflate_block(text, out));
        }
    }

    fn deflate_block(&mut self, text: &[u8], out: &mut Vec<u8>) -> u32 {
        let start = out.len();
        out.extend_from_slice(&HEADER);
        let body = out.len();
        match (&mut self.own, &mut self.rival) {
            (None, _) => deflate_with(&mut self.codec, text, out),
            (Some(own), None) => {
                let mut done = own.deflate_start(text, out);
                if done == 0
                    && self
                        .bam
                        .get_or_insert_with(|| BamDeflater::new(self.effort))
                        .deflate(text, out)
                {
                    done = text.len();
                }
                let room = ROOM - (out.len() - body);
                if done < text.len() && !deflate_into(&mut self.codec, &text[done..], room, out) {
                    out.truncate(body);
                    deflate_with(&mut self.codec, text, out);
                }
            }
            (Some(own), Some(rival)) => {
                rival.clear();
                let done = own.deflate(text, rival);
                deflate_with(&mut self.codec, text, out);
                if done && rival.len() < out.len() - body {
                    out.truncate(body);
                    out.extend_from_slice(rival);
                }
            }
        }
        out.extend_from_slice(&libdeflater::crc32(text).to_le_bytes());
        out.extend_from_slice(&(text.len() as u32).to_le_bytes());
        let len = out.len() - start;
        out[body - 2..body].copy_from_slice(&((len - 1) as u16).to_le_bytes());
        len as u32
    }
}

/// Appends `text` as libdeflate makes it, or stored where that would not fit a block.
fn deflate_with(codec: &mut Compressor, text: &[u8], out: &mut Vec<u8>) {
    if !deflate_into(codec, text, ROOM, out) {
        store(text, out);
    }
}

/// Appends `text` as libdeflate makes it if that takes `room` bytes or less.
fn deflate_into(codec: &mut Compressor, text: &[u8], room: usize, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    out.resize(start + room, 0);
    let made = codec.deflate_compress(text, &mut out[start..]).ok();
    out.truncate(start + made.unwrap_or(0));
    made.is_some()
}

/// `text` as one stored deflate block (RFC 1951, 3.2.4).
fn store(text: &[u8], out: &mut Vec<u8>) {
    let len = text.len() as u16;
    out.push(1);
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(&(!len).to_le_bytes());
    out.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use super::super::EOF_BLOCK;
    use super::*;
    use crate::{Options, Reader, Source};
    use proptest::prelude::*;
    use std::io::{Cursor, Read};

    fn read(bytes: Vec<u8>) -> Vec<u8> {
        let options = Options { strict: true, ..Options::default() };
        let source = Source::from_reader("x", Cursor::new(bytes));
        let mut text = Vec::new();
        Reader::new(source, &options).expect("blocks").read_to_end(&mut text).expect("text");
        text
    }

    const LEVELS: [Level; 16] = {
        let mut levels = [Level::Fast; 16];
        levels[1] = Level::Small;
        levels[2] = Level::Balanced;
        let mut n = 0;
        while n <= 12 {
            levels[n as usize + 3] = Level::Number(n);
            n += 1;
        }
        levels
    };

    fn noise(len: usize) -> Vec<u8> {
        let mut x = 1u64;
        let mut step = || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x as u8
        };
        (0..len).map(|_| step()).collect()
    }

    #[test]
    fn blocks_inflate_to_their_text_at_every_level() {
        let mut text = b"@r\nACGTACGTTTGA\n+\nIIIIIIIII#II\n".repeat(5000);
        text.extend(noise(2 * BLOCK_TEXT + 17));
        for level in LEVELS {
            let (mut out, mut lengths) = (Vec::new(), Vec::new());
            Deflater::new(level).deflate(&text, &mut out, &mut lengths);
            assert_eq!(lengths.iter().sum::<u32>() as usize, out.len());
            assert_eq!(lengths.len(), text.len().div_ceil(BLOCK_TEXT));
            assert!(lengths.iter().all(|&len| len as usize <= MAX_INFLATED));
            out.extend(EOF_BLOCK);
            assert!(read(out) == text, "level {level}");
        }
    }

    #[test]
    fn what_breaks_in_the_middle_of_a_block_is_read_back() {
        let records = b"@r\nACGTACGTTTGA\n+\nIIIIIIIII#II\n".repeat(1000);
        for odd in [b"no record\n".to_vec(), noise(100), noise(BLOCK_TEXT)] {
            let text = [&records[..], &odd, &records].concat();
            let (mut out, mut lengths) = (Vec::new(), Vec::new());
            Deflater::new(Level::Fast).deflate(&text, &mut out, &mut lengths);
            assert!(lengths.iter().all(|&len| len as usize <= MAX_INFLATED));
            out.extend(EOF_BLOCK);
            assert!(read(out) == text);
        }
    }

    /// Unaligned records of 100 bases.
    fn bam() -> Vec<u8> {
        let mut random = noise(1 << 20).into_iter().cycle();
        let mut text = Vec::new();
        for n in 0..1000 {
            let name = format!("read:{}\0", n * n % 977);
            let size = 32 + name.len() as u32 + 150;
            let none = u32::MAX;
            let fields =
                [size, none, none, 0x1248_0000 | name.len() as u32, 4 << 16, 100, none, none, 0];
            text.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
            text.extend(name.bytes());
            let mut pick = |from: [u8; 4]| from[usize::from(random.next().unwrap_or(0) & 3)];
            text.extend((0..50).map(|_| pick([1, 2, 4, 8]) << 4 | pick([1, 2, 4, 8])));
            text.extend((0..100).map(|_| pick([2, 12, 23, 37])));
        }
        text
    }

    #[test]
    fn blocks_of_bam_are_made_by_the_encoder_that_knows_it() {
        let text = bam();
        let (mut out, mut lengths) = (Vec::new(), Vec::new());
        Deflater::new(Level::Fast).deflate(&text, &mut out, &mut lengths);
        let mut stream = Vec::new();
        assert!(BamDeflater::new(Effort::Fast).deflate(&text[..BLOCK_TEXT], &mut stream));
        assert!(out[HEADER.len()..].starts_with(&stream));
        out.extend(EOF_BLOCK);
        assert!(read(out) == text);
    }

    #[test]
    fn stored_blocks_are_read_back() {
        let text = noise(BLOCK_TEXT);
        let mut out = HEADER.to_vec();
        store(&text, &mut out);
        out.extend(libdeflater::crc32(&text).to_le_bytes());
        out.extend((text.len() as u32).to_le_bytes());
        let len = out.len() as u16 - 1;
        out[16..18].copy_from_slice(&len.to_le_bytes());
        out.extend(EOF_BLOCK);
        assert!(read(out) == text);
    }

    #[test]
    fn balanced_and_fast_are_not_much_larger_than_levels_6_and_1_and_small_never_is() {
        let mut x = 7u64;
        let mut pick = |from: &[u8]| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            from[(x >> 33) as usize % from.len()]
        };
        let mut reads = Vec::new();
        let mut same = Vec::new();
        for n in 0..2000 {
            let bases: Vec<u8> = (0..100).map(|_| pick(b"ACGT")).collect();
            let scores: Vec<u8> = (0..100).map(|_| pick(b"IIIIIIHHGF#")).collect();
            for (text, bases) in [(&mut reads, &bases), (&mut same, &b"ACCGTATGCT".repeat(10))] {
                text.extend(format!("@r{n}\n").bytes());
                text.extend_from_slice(bases);
                text.extend_from_slice(b"\n+\n");
                text.extend_from_slice(&scores);
                text.push(b'\n');
            }
        }
        let odd: Vec<u8> = noise(200_000).into_iter().map(|b| b % 41).collect();
        for text in [reads, same, odd, bam()] {
            let size = |level| {
                let mut out = Vec::new();
                Deflater::new(level).deflate(&text, &mut out, &mut Vec::new());
                out.len()
            };
            assert!(size(Level::Small) <= size(Level::Number(6)));
            let (balanced, six) = (size(Level::Balanced), size(Level::Number(6)));
            assert!(balanced * 100 <= six * 112, "{balanced} bytes, {six} at level 6");
            let (fast, one) = (size(Level::Fast), size(Level::Number(1)));
            // Few independent scores share a code with the bases: docs/deflate.md has real reads (up to 1.05), and what is
            // gained in time.
            assert!(fast * 100 <= one * 105, "{fast} bytes, {one} at level 1");
        }
    }

    proptest! {
        #[test]
        fn any_text_comes_back(text in prop::collection::vec(any::<u8>(), 0..3000), level in prop::sample::select(&LEVELS[..])) {
            // What begins as a container does is refused inside of another.
            let text = [b"@", &text[..]].concat();
            let (mut out, mut lengths) = (Vec::new(), Vec::new());
            Deflater::new(level).deflate(&text, &mut out, &mut lengths);
            out.extend(EOF_BLOCK);
            prop_assert_eq!(read(out), text);
        }
    }
}
