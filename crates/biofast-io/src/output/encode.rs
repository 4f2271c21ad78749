//! Text to the bytes of an output: cutting into units, and each worker's codec.

use std::io;

use super::format::{Compression, Format};
use super::unit::{ZSTD_UNIT, bzip2_level, bzip2_unit};
use super::{bzip2, zstd};
use crate::container::Level;
use crate::container::bgzf::{BLOCK_TEXT, Deflater, EOF_BLOCK};

/// A worker's own encoder of one output.
#[doc(hidden)]
pub struct Encoder {
    codec: OutputCodec,
}

enum OutputCodec {
    Plain,
    Bgzf(Deflater),
    Zstd(zstd::ZstdCompressor),
    Bzip2(bzip2::Bzip2Compressor, usize),
}

/// The bytes that some text becomes, and the lengths of the BGZF blocks among them.
#[derive(Clone, Default)]
pub(crate) struct Encoded {
    pub(crate) bytes: Vec<u8>,
    pub(crate) blocks: Vec<u32>,
    /// The lengths of the text in these blocks.
    pub(crate) texts: Vec<u32>,
}

impl Encoded {
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.blocks.clear();
        self.texts.clear();
    }

    /// Appends a block that is there already, of so much text.
    pub(crate) fn push_block(&mut self, block: &[u8], text_len: usize) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(block);
        self.note_block(start, text_len);
    }

    /// Takes note of a block that was appended from `start` on, of so much text.
    pub(crate) fn note_block(&mut self, start: usize, text_len: usize) {
        // Neither is longer than 64 KiB.
        self.blocks.push((self.bytes.len() - start) as u32);
        self.texts.push(text_len as u32);
    }
}

impl Encoder {
    /// An encoder for the given compression. Keep it: its context is large, and one made for each unit costs thousands of
    /// page faults (lab entry 042). A unit's size is known to zstd, which makes the context small.
    ///
    /// # Errors
    /// If the codec can't be made, or this build has none of this format.
    pub fn new(compression: Compression) -> io::Result<Encoder> {
        let codec = match compression.format() {
            Format::Plain => OutputCodec::Plain,
            Format::Bgzf => OutputCodec::Bgzf(Deflater::new(compression.level())),
            Format::Zstd => {
                let level = match compression.level() {
                    Level::Number(n) => i32::from(n),
                    // No compression is made with these: zstd's default.
                    Level::Fast | Level::Balanced | Level::Small => 0,
                };
                OutputCodec::Zstd(zstd::ZstdCompressor::new(level)?)
            }
            Format::Bzip2 => {
                let level = bzip2_level(compression.level());
                OutputCodec::Bzip2(
                    bzip2::Bzip2Compressor::new(level)?,
                    bzip2_unit(compression.level()),
                )
            }
        };
        Ok(Encoder { codec })
    }

    /// Appends `text`, whole units or the last one, to `out`; nothing for no text.
    pub(crate) fn encode(&mut self, text: &[u8], out: &mut Encoded) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        match &mut self.codec {
            OutputCodec::Plain => out.bytes.extend_from_slice(text),
            OutputCodec::Bgzf(deflater) => {
                deflater.deflate(text, &mut out.bytes, &mut out.blocks);
                out.texts.extend(text.chunks(BLOCK_TEXT).map(|text| text.len() as u32));
            }
            OutputCodec::Zstd(codec) => {
                for text in text.chunks(ZSTD_UNIT) {
                    codec.compress(text, &mut out.bytes)?;
                }
            }
            OutputCodec::Bzip2(codec, unit) => {
                for text in text.chunks(*unit) {
                    codec.compress(text, &mut out.bytes)?;
                }
            }
        }
        Ok(())
    }

    /// How many bytes `text` becomes.
    pub(crate) fn encoded_len(&mut self, text: &[u8]) -> usize {
        let mut out = Encoded::default();
        match self.encode(text, &mut out) {
            Ok(()) => out.bytes.len(),
            Err(_) => usize::MAX,
        }
    }

    /// What ends a complete output that has `empty` or some text.
    pub(crate) fn trailer(&mut self, empty: bool, out: &mut Encoded) -> io::Result<()> {
        match &mut self.codec {
            OutputCodec::Plain => {}
            OutputCodec::Bgzf(_) => out.bytes.extend_from_slice(&EOF_BLOCK),
            // Even nothing is one frame: an empty file is not zstd.
            OutputCodec::Zstd(codec) if empty => codec.compress(&[], &mut out.bytes)?,
            OutputCodec::Zstd(_) => {}
            OutputCodec::Bzip2(codec, _) if empty => codec.compress(&[], &mut out.bytes)?,
            OutputCodec::Bzip2(..) => {}
        }
        Ok(())
    }
}

/// Cuts the texts of an output, in their order, where units end.
#[derive(Default)]
pub(crate) struct UnitCutter {
    /// The unit that began in an earlier text and ends in this one; empty if none does.
    first: Vec<u8>,
    /// Where whole units of the text itself start and end.
    whole: std::ops::Range<usize>,
}

impl UnitCutter {
    /// Takes `carry` over, which gets the unfinished end of `text`. Buffers of whole units come from `spare`, if there is one.
    pub(crate) fn take(
        &mut self,
        carry: &mut Vec<u8>,
        text: &[u8],
        unit: Option<usize>,
        mut spare: Option<&mut Vec<Vec<u8>>>,
    ) {
        self.first.clear();
        let Some(unit) = unit else {
            self.whole = 0..text.len();
            return;
        };
        let mut start = 0;
        if !carry.is_empty() {
            start = text.len().min(unit - carry.len());
            append(carry, &text[..start], unit, spare.as_deref_mut());
            if carry.len() < unit {
                self.whole = 0..0;
                return;
            }
            std::mem::swap(carry, &mut self.first);
        }
        let end = start + (text.len() - start) / unit * unit;
        self.whole = start..end;
        append(carry, &text[end..], unit, spare);
    }

    /// The buffer of the unit that began in an earlier text, when it has been encoded.
    pub(crate) fn take_buffer(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.first)
    }

    /// Encodes the whole units of `text`, the one given to [`take`](Self::take). Plain text is
    /// exchanged instead of copied.
    pub(crate) fn encode(
        &self,
        encoder: &mut Encoder,
        text: &mut Vec<u8>,
        out: &mut Encoded,
    ) -> io::Result<()> {
        if matches!(encoder.codec, OutputCodec::Plain) {
            std::mem::swap(&mut out.bytes, text);
            return Ok(());
        }
        out.clear();
        encoder.encode(&self.first, out)?;
        encoder.encode(&text[self.whole.clone()], out)
    }
}

/// Appends to what will be less than a unit. What little there is at first gets a buffer as it needs it, and then one of a
/// unit: `spare` has those that others have filled.
fn append(carry: &mut Vec<u8>, text: &[u8], unit: usize, spare: Option<&mut Vec<Vec<u8>>>) {
    let len = carry.len() + text.len();
    if let Some(spare) = spare
        && len > carry.capacity().max(LITTLE)
        && let Some(mut buffer) = spare.pop().or_else(|| of_unit(unit))
    {
        buffer.clear();
        buffer.extend_from_slice(carry);
        *carry = buffer;
    }
    carry.extend_from_slice(text);
}

/// Text that isn't worth a buffer of a unit.
const LITTLE: usize = 4 << 10;

/// A buffer for a unit, or none where it is so long that the system lets it grow without copying it.
fn of_unit(unit: usize) -> Option<Vec<u8>> {
    (unit <= BLOCK_TEXT).then(|| Vec::with_capacity(unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_testkit::effort::times;
    use proptest::prelude::*;

    fn encode(text: &[u8], cuts: &[usize], compression: Compression) -> Vec<u8> {
        let mut encoder = Encoder::new(compression).expect("a codec");
        let (mut cutter, mut carry) = (UnitCutter::default(), Vec::new());
        let (mut encoded, mut bytes, mut spare) = (Encoded::default(), Vec::new(), Vec::new());
        let mut rest = text;
        for &cut in cuts {
            let (part, after) = rest.split_at(cut.min(rest.len()));
            rest = after;
            cutter.take(&mut carry, part, compression.unit(), Some(&mut spare));
            cutter.encode(&mut encoder, &mut part.to_vec(), &mut encoded).expect("encodes");
            spare.push(cutter.take_buffer());
            bytes.extend_from_slice(&encoded.bytes);
        }
        cutter.take(&mut carry, rest, compression.unit(), None);
        cutter.encode(&mut encoder, &mut rest.to_vec(), &mut encoded).expect("encodes");
        encoder.encode(&carry, &mut encoded).expect("encodes");
        encoder.trailer(text.is_empty(), &mut encoded).expect("ends");
        bytes.extend_from_slice(&encoded.bytes);
        bytes
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: times(10), ..ProptestConfig::default() })]
        #[test]
        fn the_bytes_do_not_depend_on_the_cuts(
            seed in any::<u64>(),
            len in prop_oneof![0usize..10, 60_000usize..200_000, Just(65_280usize), Just(1_050_000)],
            cuts in prop::collection::vec(0usize..150_000, 0..12),
        ) {
            let text: Vec<u8> = (0..len as u64)
                .map(|i| b"ACGT"[(i.wrapping_mul(seed | 1) >> 13) as usize % 4])
                .collect();
            for format in [Format::Plain, Format::Bgzf, Format::Zstd, Format::Bzip2] {
                let compression = Compression::new(format, None).expect("a level");
                let whole = encode(&text, &[], compression);
                prop_assert!(whole == encode(&text, &cuts, compression));
                let source = crate::Source::from_reader("x", io::Cursor::new(whole));
                let mut back = Vec::new();
                let mut reader = crate::Reader::new(source, &crate::Options::default()).expect("opens");
                io::Read::read_to_end(&mut reader, &mut back).expect("reads");
                prop_assert!(back == text);
            }
        }
    }
}
