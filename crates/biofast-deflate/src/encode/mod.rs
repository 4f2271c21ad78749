//! DEFLATE that knows FASTQ and BAM.
//!
//! FASTQ: lines of bases and of qualities hold hardly any matches worth their bits, and looking for them is what a general
//! encoder spends its time on. This one looks where they are: names and separators repeat the record before, qualities
//! come in runs, and stretches of qualities around a separator, a name or a run come again. All else is literals under
//! codes made for the block. `docs/deflate.md` tells the strategies and their figures.

mod bam;
pub(crate) mod bits;
mod costs;
mod effort;
mod emit;
pub(crate) mod huffman;
mod isa;
mod item;
mod lines;
mod names;
mod quals;
mod repeats;
mod simd;
pub(crate) mod symbols;
mod text;
mod tokens;
mod work;

use biofast_kernels::Isa;

use bam::{BamWorkspace, EncodeBam};
pub use effort::Effort;
use text::MAX_TEXT;
use work::{DeflateWorkspace, Encode, Encoded};

/// Bytes below which a text is not worth it.
const MIN_TEXT: usize = 2048;

/// Deflates blocks of FASTQ. Holds about 700 kB: keep it.
///
/// What it makes of a text depends on nothing but the text and the effort: not on the blocks before, nor on the
/// instruction set.
///
/// ```
/// use biofast_deflate::{Block, Effort, FastqDeflater, Inflater};
///
/// let base = |n: u64| b"ACGT"[(n * n).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 10 & 3] as char;
/// let mut text = String::new();
/// for read in 0..100 {
///     let bases: String = (0..60).map(|i| base(60 * read + i)).collect();
///     text += &format!("@r{read} first\n{bases}\n+\n{}\n", "IIIIHHHHGG".repeat(6));
/// }
/// let text = text.as_bytes();
/// let mut stream = Vec::new();
/// assert!(FastqDeflater::new(Effort::Fast).deflate(text, &mut stream));
/// let mut back = vec![0; text.len()];
/// Inflater::new().inflate_blocks([Block { input: &stream, output: &mut back }])?;
/// assert!(back == text && stream.len() < text.len() / 4);
/// # Ok::<(), biofast_deflate::Fault>(())
/// ```
pub struct FastqDeflater {
    work: Box<DeflateWorkspace>,
    encode: Encode,
    effort: Effort,
}

impl FastqDeflater {
    /// A deflater for the instruction set that `biofast_kernels` uses.
    pub fn new(effort: Effort) -> Self {
        Self::for_isa(effort, biofast_kernels::active())
    }

    /// A deflater for another instruction set; `None` where the CPU doesn't have it. For tests and benchmarks.
    #[doc(hidden)]
    pub fn with_isa(effort: Effort, isa: Isa) -> Option<Self> {
        biofast_kernels::available().contains(&isa).then(|| Self::for_isa(effort, isa))
    }

    fn for_isa(effort: Effort, isa: Isa) -> Self {
        Self { work: Box::new(DeflateWorkspace::new()), encode: isa::encode_for(isa), effort }
    }

    /// Appends `text` to `out` as a raw DEFLATE stream (RFC 1951).
    ///
    /// It may begin and end anywhere in a record. Returns false and leaves `out` as it is where a general encoder is
    /// the better choice: what doesn't read as records of four lines, sequences that repeat each other, and texts below
    /// 2 kB or above 64 KiB.
    pub fn deflate(&mut self, text: &[u8], out: &mut Vec<u8>) -> bool {
        let before = out.len();
        let done = self.deflate_start(text, out) == text.len() && !text.is_empty();
        if !done {
            out.truncate(before);
        }
        done
    }

    /// Appends as much of `text` as is records of four lines, and returns how much that is: all of it; nothing, with `out`
    /// as it was; or the part before something else. Then what was appended ends with a whole byte, and a DEFLATE stream of
    /// the rest, made by another encoder, makes it complete.
    ///
    /// ```
    /// use biofast_deflate::{Effort, FastqDeflater};
    ///
    /// let record = format!("@read\n{}\n+\n{}\n", "ACGTA".repeat(8), "IIIIH".repeat(8));
    /// let text = record.repeat(340) + "no record\n" + &record.repeat(340);
    /// let mut stream = Vec::new();
    /// let n = FastqDeflater::new(Effort::Fast).deflate_start(text.as_bytes(), &mut stream);
    /// assert!(n > 30_000 && text[n..].contains("no record"));
    /// ```
    pub fn deflate_start(&mut self, text: &[u8], out: &mut Vec<u8>) -> usize {
        if !(MIN_TEXT..=MAX_TEXT).contains(&text.len()) {
            return 0;
        }
        match (self.encode)(&mut self.work, text, self.effort) {
            Some(Encoded { stream, text }) => {
                out.extend_from_slice(self.work.stream(stream));
                text
            }
            None => 0,
        }
    }
}

/// Deflates blocks of BAM. Holds about 700 kB: keep it.
///
/// What it makes of a text depends on nothing but the text and the effort: not on the blocks before, nor on the instruction set.
///
/// ```
/// use biofast_deflate::{BamDeflater, Block, Effort, Inflater};
///
/// // Unaligned records of 40 bases: lengths and fixed fields, name, bases, qualities.
/// let mut text = Vec::new();
/// for i in 0..500u32 {
///     let hash = |n: u32| (n ^ n >> 9).wrapping_mul(0x9e37_79b1) >> 16;
///     let name = format!("read{i:04}\0");
///     let fields = [101, u32::MAX, u32::MAX, 0x1248_0000 | 9, 4 << 16, 40, u32::MAX, u32::MAX, 0];
///     text.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
///     text.extend(name.bytes());
///     text.extend((0..20).map(|j| [0x11, 0x12, 0x48, 0x84][hash(20 * i + j) as usize % 4]));
///     text.extend((0..40).map(|j| [2, 12, 23, 37][hash(40 * i + j + 7) as usize % 4]));
/// }
/// let mut stream = Vec::new();
/// assert!(BamDeflater::new(Effort::Fast).deflate(&text, &mut stream));
/// let mut back = vec![0; text.len()];
/// Inflater::new().inflate_blocks([Block { input: &stream, output: &mut back }])?;
/// assert!(back == text && stream.len() < text.len() / 3);
/// # Ok::<(), biofast_deflate::Fault>(())
/// ```
pub struct BamDeflater {
    work: Box<BamWorkspace>,
    encode: EncodeBam,
}

impl BamDeflater {
    /// A deflater for the instruction set that `biofast_kernels` uses.
    pub fn new(effort: Effort) -> Self {
        Self::for_isa(effort, biofast_kernels::active())
    }

    /// A deflater for another instruction set; `None` where the CPU doesn't have it. For tests and benchmarks.
    #[doc(hidden)]
    pub fn with_isa(effort: Effort, isa: Isa) -> Option<Self> {
        biofast_kernels::available().contains(&isa).then(|| Self::for_isa(effort, isa))
    }

    fn for_isa(effort: Effort, isa: Isa) -> Self {
        Self { work: Box::new(BamWorkspace::new(effort)), encode: isa::encode_bam_for(isa) }
    }

    /// Appends `text` to `out` as a raw DEFLATE stream (RFC 1951).
    ///
    /// It may begin and end anywhere in a record. Returns false and leaves `out` as it is where a general encoder is the better
    /// choice: what isn't records of BAM, and texts below 2 kB or above 64 KiB.
    pub fn deflate(&mut self, text: &[u8], out: &mut Vec<u8>) -> bool {
        if !(MIN_TEXT..=MAX_TEXT).contains(&text.len()) {
            return false;
        }
        let Some(n) = (self.encode)(&mut self.work, text) else { return false };
        let stream = self.work.stream(n);
        debug_assert!(inflates_to(stream, text), "a block of BAM doesn't come back");
        out.extend_from_slice(stream);
        true
    }
}

/// Whether `stream` is one of `text`.
pub(crate) fn inflates_to(stream: &[u8], text: &[u8]) -> bool {
    let mut back = vec![0; text.len()];
    let blocks = [crate::workspace::Block { input: stream, output: &mut back }];
    crate::group::Inflater::new().inflate_blocks(blocks).is_ok() && back == text
}
