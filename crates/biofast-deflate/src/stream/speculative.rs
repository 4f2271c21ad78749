//! A chunk from the middle of a stream, inflated before the bytes are known that its matches reach back to: each byte of
//! that window is a marker, a symbol of its own, until then.

use std::ops::Range;

use biofast_kernels::Isa;

use super::decoder::{Advance, Decoder, Pause};
use super::find;
use super::room::{Room, WINDOW};
use crate::isa;

/// Bytes of a symbol in [`Symbols`].
const WIDTH: usize = 2;

/// The marker of the first byte of the window; symbols below are bytes.
const FIRST: u16 = 256;

/// The most room that is made at a time.
const MOST_ROOM: usize = 4 << 20;

/// Inflates chunks of a raw DEFLATE stream that start in its middle: so that several threads can share a stream.
///
/// Where blocks start isn't marked in a stream. [`find`](Self::find) tells where one seems to; whether it does is known for sure
/// only when what is before it has been inflated: by [`StreamInflater::inflate_until`](crate::StreamInflater::inflate_until), or
/// as a chunk itself that ends there.
///
/// ```
/// # use std::io::Write;
/// use biofast_deflate::{SpeculativeInflater, Status, StreamInflater, Symbols, Window};
///
/// # let mut state = 1u32;
/// # let mut random = || { state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223); state >> 24 };
/// # let text: Vec<u8> = (0..400_000).map(|_| b"ACGT"[random() as usize % 4]).collect();
/// # let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::new(6));
/// # encoder.write_all(&text)?;
/// # let stream = encoder.finish()?;
/// // On one thread: the second half, up to the last block.
/// let mut inflater = SpeculativeInflater::new();
/// let bits = 8 * stream.len();
/// let start = inflater.find(&stream, bits / 2..bits).expect("a block starts there");
/// let mut symbols = Symbols::default();
/// let end = inflater.inflate(&stream, start, bits, usize::MAX, &mut symbols);
/// assert!(end > start);
///
/// // On another one: the first half.
/// let mut first = StreamInflater::new();
/// let mut out = vec![0; text.len()];
/// let progress = first.inflate_until(&stream, &mut out, start);
/// let Status::Boundary { odd } = progress.status else { panic!("no boundary") };
/// assert_eq!(8 * progress.used + odd, start, "it was the start of a block");
///
/// let window = Window::new(first.window()).expect("32,768 bytes");
/// let rest = &mut out[progress.made..][..symbols.len()];
/// symbols.resolve(0..symbols.len(), &window, rest);
/// assert!(text.starts_with(&out[..progress.made + symbols.len()]));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct SpeculativeInflater {
    decoder: Box<Decoder>,
    advance: Advance,
}

/// What a chunk inflates to: bytes, and markers for those of the window before the chunk.
#[derive(Default)]
pub struct Symbols {
    /// Two bytes each, lowest first: those of the window, then those of the chunk.
    bytes: Vec<u8>,
    len: usize,
}

/// The 32,768 bytes before a chunk.
pub struct Window {
    /// The byte of every symbol.
    table: Box<[u8; 1 << 16]>,
}

impl SpeculativeInflater {
    /// An inflater for the instruction set that `biofast_kernels` uses.
    pub fn new() -> Self {
        Self::for_isa(biofast_kernels::active())
    }

    /// An inflater for another instruction set; `None` where the CPU doesn't have it. For tests and benchmarks.
    #[doc(hidden)]
    pub fn with_isa(isa: Isa) -> Option<Self> {
        biofast_kernels::available().contains(&isa).then(|| Self::for_isa(isa))
    }

    fn for_isa(isa: Isa) -> Self {
        Self { decoder: Box::new(Decoder::new()), advance: isa::advance_for::<WIDTH>(isa) }
    }

    /// The first bit of `input` in the range where a block seems to start: one with codes of its own that is not the last
    /// one, with a header that is valid and complete in `input`.
    pub fn find(&self, input: &[u8], range: Range<usize>) -> Option<usize> {
        find::find(input, range)
    }

    /// Inflates the blocks from bit `start` of `input` to the first start of a block at bit `until` or behind it, into
    /// `symbols`, whose room is used again. Returns the bit where it ends.
    ///
    /// It ends earlier, at the last start of a block (perhaps `start` itself), before: the last block; a fault; the end
    /// of `input`; more than `most` symbols.
    pub fn inflate(
        &mut self,
        input: &[u8],
        start: usize,
        until: usize,
        most: usize,
        symbols: &mut Symbols,
    ) -> usize {
        let most = (WINDOW + most.min(usize::MAX / 8)) * WIDTH;
        symbols.clear();
        self.decoder.start_at(start % 8);
        let (mut byte, mut at, mut end) = (start / 8, WINDOW * WIDTH, start);
        loop {
            // At each start of a block.
            self.decoder.stop = 0;
            if end >= until || input.get(end / 8).is_none_or(|b| b >> (end % 8) & 1 == 1) {
                return end;
            }
            self.decoder.stop = end + 1 - 8 * byte;
            loop {
                let mut room = Room { buffer: &mut symbols.bytes, at, floor: 0 };
                let (used, pause) = (self.advance)(&mut self.decoder, &input[byte..], &mut room);
                (at, byte) = (room.at, byte + used);
                self.decoder.stop = 0;
                match pause {
                    Pause::Room if at < most => {
                        let more = at.min(MOST_ROOM).min(most);
                        symbols.bytes.resize(symbols.bytes.len() + more, 0);
                    }
                    Pause::Boundary => break,
                    _ => return end,
                }
            }
            if at > most {
                return end;
            }
            end = 8 * byte + self.decoder.odd();
            symbols.len = at / WIDTH - WINDOW;
        }
    }
}

impl Default for SpeculativeInflater {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for SpeculativeInflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SpeculativeInflater").finish_non_exhaustive()
    }
}

impl Symbols {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes of memory they hold.
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    fn clear(&mut self) {
        if self.bytes.is_empty() {
            self.bytes.extend((0..WINDOW as u16).flat_map(|i| (FIRST + i).to_le_bytes()));
        }
        self.len = 0;
    }

    fn get(&self, range: Range<usize>) -> &[[u8; WIDTH]] {
        &self.bytes.as_chunks::<WIDTH>().0[range]
    }

    /// Writes the bytes of some of them into `out`, which is as long as the range, with the window of the chunk.
    ///
    /// # Panics
    /// If `out` has another length, or the range passes the end.
    pub fn resolve(&self, range: Range<usize>, window: &Window, out: &mut [u8]) {
        assert!(range.end <= self.len && range.len() == out.len(), "{range:?}");
        let symbols = self.get(WINDOW + range.start..WINDOW + range.end);
        resolve(symbols, &window.table, out);
    }

    /// The window after the chunk, of the one before it.
    pub fn window_after(&self, window: &Window) -> Window {
        let mut bytes = [0; WINDOW];
        resolve(self.get(self.len..self.len + WINDOW), &window.table, &mut bytes);
        Window::of(&bytes)
    }
}

/// One look-up each: to look first whether all of some symbols are bytes took longer.
fn resolve(symbols: &[[u8; WIDTH]], table: &[u8; 1 << 16], out: &mut [u8]) {
    let (groups, rest) = symbols.as_chunks::<8>();
    let (to, to_rest) = out.as_chunks_mut::<8>();
    let byte = |symbol: [u8; WIDTH]| table[usize::from(u16::from_le_bytes(symbol))];
    for (&[a, b, c, d, e, f, g, h], to) in groups.iter().zip(to) {
        *to = [byte(a), byte(b), byte(c), byte(d), byte(e), byte(f), byte(g), byte(h)];
    }
    for (&symbol, to) in rest.iter().zip(to_rest) {
        *to = byte(symbol);
    }
}

impl Window {
    /// The last 32,768 of the bytes; `None` if they are fewer.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        bytes.last_chunk().map(Self::of)
    }

    fn of(bytes: &[u8; WINDOW]) -> Self {
        let mut table = vec![0; 1 << 16];
        for (to, byte) in table.iter_mut().zip(0..=u8::MAX) {
            *to = byte;
        }
        table[usize::from(FIRST)..usize::from(FIRST) + WINDOW].copy_from_slice(bytes);
        // It has just that length.
        let table = table.try_into().unwrap_or_else(|_| Box::new([0; 1 << 16]));
        Self { table }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.table[usize::from(FIRST)..usize::from(FIRST) + WINDOW]
    }
}
