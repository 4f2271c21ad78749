//! DEFLATE of bases of reads that lie over each other, as in sorted alignments: copies of at least [`MER`] bases, and literals.
//!
//! Copies are looked for where an A or C stands behind another letter. That depends on the letters alone, so two reads of the same
//! place are compared at the same bases, and only a fourth of all bases is looked up.

use super::bits::{BitWriter, MAX_STREAM, Out};
use super::emit::put_header;
use super::huffman::{self, Builder, MAX_LITERAL};
use super::symbols::{
    DISTANCES, LENGTH_BASE, LENGTH_EXTRA, MAX_DISTANCE, MAX_LENGTH, distance_extra,
    distance_symbol, length_symbol,
};

/// The bases by which earlier places are found, which is the shortest copy: as literals, fewer take hardly more bits.
const MER: usize = 12;
/// To 2 to the power of what there are slots, and the last places in each.
const SLOT_BITS: u32 = 13;
const PLACES: usize = 4;
/// Bytes of text in a block, but for the rest of its last copy.
const BLOCK: usize = 100_000;
/// The symbol that ends a block.
const END: usize = 256;

// A block of literals fits.
const _: () = assert!((BLOCK + MAX_LENGTH) * MAX_LITERAL / 8 + 1024 < MAX_STREAM);

/// Deflates bases of reads that lie over each other. Holds about 350 kB: keep it.
///
/// Takes any bytes, but others don't become as short as with a general encoder. The stream depends on nothing but them.
///
/// ```
/// use biofast_deflate::{BasesDeflater, Block, Inflater};
///
/// let genome: Vec<u8> = (0..9000u32).map(|n| b"ACGT"[((n * n + n / 3) >> 3) as usize % 4]).collect();
/// let reads = (0..800).flat_map(|n| &genome[10 * n..][..100]).copied().collect::<Vec<u8>>();
/// let mut stream = Vec::new();
/// BasesDeflater::new().deflate(&reads, &mut stream);
/// let mut back = vec![0; reads.len()];
/// Inflater::new().inflate_blocks([Block { input: &stream, output: &mut back }])?;
/// assert!(back == reads && stream.len() < reads.len() / 12);
/// # Ok::<(), biofast_deflate::Fault>(())
/// ```
pub struct BasesDeflater {
    /// The low 16 bits of the last places of each slot, the last one lowest.
    slots: Box<[u64; 1 << SLOT_BITS]>,
    pieces: Vec<Piece>,
    builder: Builder,
    out: Box<[u8]>,
}

/// Literals, and the copy behind them.
#[derive(Clone, Copy)]
struct Piece {
    literals: u32,
    /// 0 at the end of a block.
    length: u16,
    /// Less 1.
    distance: u16,
}

impl Default for BasesDeflater {
    fn default() -> Self {
        Self::new()
    }
}

impl BasesDeflater {
    /// A deflater, the same on every machine.
    pub fn new() -> Self {
        Self {
            slots: Box::new([0; 1 << SLOT_BITS]),
            pieces: Vec::new(),
            builder: Builder::new(),
            out: vec![0; size_of::<Out>()].into(),
        }
    }

    /// Appends `text` to `out` as a raw DEFLATE stream (RFC 1951).
    pub fn deflate(&mut self, text: &[u8], out: &mut Vec<u8>) {
        self.slots.fill(0);
        let mut bits = BitWriter::new();
        let mut start = 0;
        loop {
            let end = self.find(text, start, text.len().min(start + BLOCK));
            self.put_block(&text[start..end], end == text.len(), &mut bits, out);
            if end == text.len() {
                return;
            }
            start = end;
        }
    }

    /// Finds the copies from `start` on. Returns where the last one ends, which is `end` or behind it.
    fn find(&mut self, text: &[u8], start: usize, end: usize) -> usize {
        self.pieces.clear();
        let mut done = start;
        for at in (start..end).step_by(8) {
            let Some(eight) = word(text, at) else { break };
            let mut marks = marks(eight, at.checked_sub(1).map_or(0, |before| text[before]));
            while marks != 0 {
                let place = at + marks.trailing_zeros() as usize / 8;
                marks &= marks - 1;
                let Some(slot) = slot(text, place) else { break };
                let places = self.slots[slot];
                self.slots[slot] = places << 16 | place as u64 & 0xffff;
                if (done..end).contains(&place) {
                    done = self.copy(text, (done, end), place, places);
                }
            }
        }
        let end = end.max(done);
        self.pieces.push(Piece { literals: (end - done) as u32, length: 0, distance: 0 });
        end
    }

    /// Adds the longest copy of one of `places` to `place`, if there is one. Returns where what is added ends.
    #[inline]
    fn copy(
        &mut self,
        text: &[u8],
        (done, end): (usize, usize),
        place: usize,
        places: u64,
    ) -> usize {
        let most = MAX_LENGTH.min(text.len() - place);
        let (mut length, mut distance) = (MER - 1, 0);
        for number in 0..PLACES {
            let far = place.wrapping_sub((places >> (16 * number)) as usize) & 0xffff;
            if far == 0 || far > place.min(MAX_DISTANCE) {
                continue;
            }
            // Where the end of a longer copy would differ.
            let last = place + length - 7;
            if length < most && word(text, last) != word(text, last - far) {
                continue;
            }
            let n = equal(text, place - far, place, most);
            if n > length {
                (length, distance) = (n, far);
            }
        }
        if distance == 0 {
            return done;
        }
        let before = text[done..place].iter().rev();
        let before = before.zip(text[..place - distance].iter().rev());
        let back = before.take(MAX_LENGTH - length).take_while(|(a, b)| a == b).count();
        let (mut literals, mut at) = ((place - back - done) as u32, place - back);
        length += back;
        loop {
            self.pieces.push(Piece {
                literals,
                length: length as u16,
                distance: (distance - 1) as u16,
            });
            at += length;
            if length < MAX_LENGTH || at >= end {
                return at;
            }
            // What is longer than a copy goes on.
            length = equal(text, at - distance, at, MAX_LENGTH.min(text.len() - at));
            if length < MER {
                return at;
            }
            literals = 0;
        }
    }

    /// Writes the pieces that `text` consists of.
    fn put_block(&mut self, text: &[u8], is_last: bool, bits: &mut BitWriter, to: &mut Vec<u8>) {
        let Some(out) = self.out.first_chunk_mut::<{ size_of::<Out>() }>() else { return };
        let (mut counts, mut far) = ([0; 286], [0; DISTANCES]);
        let mut rest = text;
        for piece in &self.pieces {
            let (literals, behind) = rest.split_at(piece.literals as usize);
            literals.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
            rest = &behind[usize::from(piece.length)..];
            if piece.length > 0 {
                counts[END + 1 + length_symbol(piece.length.into())] += 1;
                far[distance_symbol(u32::from(piece.distance) + 1)] += 1;
            }
        }
        counts[END] = 1;
        let literals = 1 + counts.iter().rposition(|&n| n > 0).unwrap_or(END);
        let distances = 1 + far.iter().rposition(|&n| n > 0).unwrap_or(0).max(1);
        let mut lengths = [0; 286 + DISTANCES];
        let (near, others) = lengths.split_at_mut(literals);
        self.builder.lengths(&counts[..literals], MAX_LITERAL, near);
        let others = &mut others[..distances];
        self.builder.lengths(&far[..distances], huffman::MAX_DISTANCE, others);
        let (mut codes, mut distance_codes) = ([0; 286], [0; 32]);
        huffman::codes(near, &mut codes);
        huffman::codes(others, &mut distance_codes);
        // The last block or not, and codes of its own.
        bits.put(u64::from(is_last) | 0b10 << 1, 3);
        put_header(&mut self.builder, &lengths[..literals + distances], literals, bits, out);
        let mut rest = text;
        for piece in &self.pieces {
            let (literals, behind) = rest.split_at(piece.literals as usize);
            rest = &behind[usize::from(piece.length)..];
            // Four codes of at most 14 bits have room.
            for four in literals.chunks(4) {
                four.iter().for_each(|&byte| bits.put_code(codes[usize::from(byte)]));
                bits.flush(out);
            }
            if piece.length > 0 {
                let symbol = length_symbol(piece.length.into());
                bits.put_code(codes[END + 1 + symbol]);
                let more = piece.length - LENGTH_BASE[symbol];
                bits.put(more.into(), LENGTH_EXTRA[symbol].into());
                bits.flush(out);
                let symbol = distance_symbol(u32::from(piece.distance) + 1);
                bits.put_code(distance_codes[symbol]);
                let more = distance_extra(symbol);
                bits.put_flushed(u64::from(piece.distance) & ((1 << more) - 1), more, out);
            }
        }
        bits.put_code(codes[END]);
        bits.flush(out);
        if is_last {
            bits.finish(out);
        }
        to.extend_from_slice(&out[..bits.at]);
        bits.at = 0;
    }
}

/// The eight bytes at a place.
#[inline(always)]
fn word(text: &[u8], at: usize) -> Option<u64> {
    text.get(at..).and_then(<[u8]>::first_chunk).map(|&eight| u64::from_le_bytes(eight))
}

/// How many bytes at `a` and `b`, which is behind it, are equal: at most `most`, which there are.
#[inline(always)]
fn equal(text: &[u8], a: usize, b: usize, most: usize) -> usize {
    let (a, b) = (&text[a..a + most], &text[b..b + most]);
    let words = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    let mut equal = 0;
    for (a, b) in words {
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differ != 0 {
            return equal + differ.trailing_zeros() as usize / 8;
        }
        equal += 8;
    }
    equal + a[equal..].iter().zip(&b[equal..]).take_while(|(a, b)| a == b).count()
}

/// Marks each of eight letters that is an A or C behind another one: in the highest bit of its byte.
#[inline(always)]
fn marks(eight: u64, before: u8) -> u64 {
    // A and C differ in this bit alone.
    const BOTH: u8 = !(b'A' ^ b'C');
    const LOW: u64 = u64::from_le_bytes([0x7f; 8]);
    let differ = (eight ^ u64::from_le_bytes([b'A'; 8])) & u64::from_le_bytes([BOTH; 8]);
    let are = !(((differ & LOW) + LOW) | differ | LOW);
    let is_first_behind = u64::from(before & BOTH == b'A') << 7;
    are & !(are << 8 | is_first_behind)
}

/// The slot of the bases at a place.
#[inline(always)]
fn slot(text: &[u8], at: usize) -> Option<usize> {
    let (start, end) = (word(text, at)?, word(text, at + MER - 8)?);
    let mixed = start.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
        ^ end.wrapping_mul(0xd6e8_feb8_6659_fd93);
    Some((mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOT_BITS)) as usize)
}
