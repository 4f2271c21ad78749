//! The fast loop of one stream: where input and output have margins, up to what only the careful decoder judges.
//!
//! A step is one entry of the literal/length table (up to three literals, then perhaps a length), and an entry of the
//! distance table: the dummy's, if there is no match. So nothing that is hard to predict is a branch. What the next step
//! waits for is short: the bits are in a register, a shift by each entry's bits leads to the next one, and the register
//! is refilled behind that chain, for what a step leaves (64 − 48 bits) is enough to look up the next entry.
//!
//! Output is bytes (`W` = 1), or symbols of two bytes each, lowest first (`W` = 2), of which only [`super::speculative`] knows
//! what they mean: copies are copies.
#![allow(unsafe_code)]

use super::room::Room;
use super::room::{OUTPUT_MARGIN, STEPS};
use crate::bits::BitReader;
use crate::copy::{WIDE, copy_apart};
use crate::entry::{DISTANCE_BITS, LONGEST, LONGEST_MARK, SymbolEntry};
use crate::instructions::Isa;
use crate::lane::OUTPUT_START;
use crate::tables::{DISTANCE_START, Tables};

/// Bytes of input that the loop wants before it starts its steps: each looks at 8 bytes and takes 7 at most.
const INPUT_MARGIN: usize = 8 + 7 * STEPS;

/// Decodes until the end of the DEFLATE block, of the margins, or what looks like a fault. `bits` and `room` then stand
/// behind the last entry that was decoded.
#[inline(always)]
pub(super) fn run<I: Isa, const W: usize>(
    tables: &Tables,
    bits: &mut BitReader<'_>,
    room: &mut Room<'_>,
) {
    let (byte, odd) = (bits.at / 8, bits.at % 8);
    if bits.bytes.len() < byte + 8 + INPUT_MARGIN
        || room.buffer.len() < room.at + W * OUTPUT_MARGIN
        || room.at < room.floor + W * OUTPUT_START
    {
        return;
    }
    // SAFETY: the margins were checked just now, and are again before each round of steps. A step loads 8 bytes at `next`
    // and moves it by 7 at most: `INPUT_MARGIN` has room for a round. A step writes four symbols of which 3 count, then at
    // most 258 symbols and 31 bytes behind them, or 32 symbols: so has `OUTPUT_MARGIN`. Sources of copies are not below
    // `floor`, which is in the buffer, and at least 1 symbol before their targets; the dummy's distance is `OUTPUT_START`,
    // and so many symbols lie behind `floor`. Indices have as many bits as the tables that they go to, whose pointers to subtables are right.
    unsafe {
        let input = bits.bytes.as_ptr();
        let last_next = input.add(bits.bytes.len() - INPUT_MARGIN);
        let base = room.buffer.as_mut_ptr();
        let last_out = base.add(room.buffer.len() - W * OUTPUT_MARGIN);
        let floor = base.add(room.floor).cast_const();
        let mut out = base.add(room.at);
        let symbols = (&raw const tables.symbols).cast::<u64>();
        let distances = (&raw const tables.distances).cast::<u32>();
        let width = u64::from(tables.bits);

        // The next bits. Of those above the `count` lowest, which `next` has again, all are right.
        let mut word = u64::from_le(input.add(byte).cast::<u64>().read_unaligned()) >> odd;
        let mut count = 56 - odd as u64;
        let mut next = input.add(byte + 7);
        word |= u64::from_le(next.cast::<u64>().read_unaligned()) << count;
        next = next.add((63 - count as usize) >> 3);
        count |= 56;
        let mut entry = *symbols.add(I::low(word, width) as usize);
        'steps: while next <= last_next && out <= last_out {
            for _ in 0..STEPS {
                let mut symbol = entry;
                if symbol & SymbolEntry::SPECIAL != 0 {
                    if symbol & SymbolEntry::END != 0 {
                        break 'steps;
                    }
                    let index = I::low(word >> width, symbol & 63) + (symbol >> 32 & 0xffff);
                    symbol = *symbols.add(index as usize);
                    if symbol & SymbolEntry::SPECIAL != 0 {
                        break 'steps;
                    }
                }
                let rest = word >> (symbol & 63);
                let distance_bits = symbol >> 56;
                let mut far =
                    *distances.add((I::low(rest, distance_bits) + distance_bits) as usize);
                if (far as i32) >= 0 {
                    let index = I::low(rest >> DISTANCE_BITS, u64::from(far & 63));
                    let start = DISTANCE_START + (far >> 16 & 0x7fff) as usize;
                    far = *distances.add(start + index as usize);
                }
                let far_bits = u64::from(far & 0xff);
                let base = u64::from((far >> 16).wrapping_neg() & 0xffff);
                let distance = base + (I::low(rest, far_bits) >> (far >> 8 & 63));
                let here = out.add(W * (symbol >> 24 & 3) as usize);
                let source = here.cast_const().wrapping_sub(W * distance as usize);
                if source < floor {
                    break 'steps;
                }
                let mut length =
                    (symbol >> 16 & 0xff) + (I::low(word, symbol & 0xff) >> (symbol >> 8 & 63));
                // All is well: on to the next entry first.
                word = rest >> (far & 63);
                entry = *symbols.add(I::low(word, width) as usize);
                count = count.wrapping_sub((symbol & 0xff) + far_bits);
                word |= u64::from_le(next.cast::<u64>().read_unaligned()) << (count & 63);
                next = next.add(((63 - count) >> 3) as usize);
                count |= 56;

                let literals = (symbol >> 32) as u32;
                if W == 1 {
                    out.cast::<u32>().write_unaligned(literals.to_le());
                } else {
                    // Each byte to the lower one of two.
                    let pairs =
                        (u64::from(literals) | u64::from(literals) << 16) & 0xffff_0000_ffff;
                    let bytes = (pairs | pairs << 8) & 0xff_00ff_00ff_00ff;
                    out.cast::<u64>().write_unaligned(bytes.to_le());
                }
                I::copy(here, source);
                if W == 2 {
                    I::copy(here.add(WIDE), source.add(WIDE));
                }
                if length > WIDE as u64 || length > distance {
                    length = if symbol >> 16 & 0xff == LONGEST_MARK { LONGEST } else { length };
                    let (distance, length) = (W * distance as usize, W * length as usize);
                    if distance >= WIDE {
                        copy_apart(here, distance, length);
                    } else {
                        I::repeat(here, distance, length);
                    }
                }
                out = here.add(W * length as usize);
            }
        }
        bits.at = 8 * next.offset_from_unsigned(input) - count as usize;
        room.at = out.offset_from_unsigned(base);
    }
}
