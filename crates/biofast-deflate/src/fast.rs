//! The fast loop: one step of every lane in turn, with almost no branches, until a lane needs [`Lane::service`].
//!
//! A step looks up one literal/length entry, stores its literals, looks up a distance (the dummy's, if there is no
//! match) and copies 32 bytes from there. What stays a branch is rare: a code longer than the table, a match over 32
//! bytes or one that overlaps itself, the end of a block, the end of input or output. A step that can't go on leaves
//! the lane as it was before it, and the careful decoder sees to it; so nothing is ever judged here.
//!
//! The loop is generic over [`Isa`] and inlined into functions that enable its target features (`isa` folder).
#![allow(unsafe_code)]

use crate::entry::{DISTANCE_BITS, Distance, Special, Symbols};
use crate::lane::{INPUT_MARGIN, Lane, OUTPUT_MARGIN, OUTPUT_START};
use crate::tables::{DISTANCE_START, Tables};

/// What the instruction sets do differently.
pub(crate) trait Isa {
    /// The lowest `n` bits, `n` below 64.
    fn low(bits: u64, n: u32) -> u64;

    /// Runs one to [`MAX_LANES`](crate::group::MAX_LANES) lanes until one of them, whose number is returned, needs
    /// service. All have their margins.
    fn run(lanes: &mut [Lane<'_>], tables: &[Tables]) -> usize;
}

/// Bytes that every step copies, and that a match may have without a branch.
const COPY: usize = 32;
const ABL: u32 = match option_env!("ABL") {
    Some(s) => (s.as_bytes()[0] - b'0') as u32,
    None => 0,
};

/// A lane's buffers and how far the loop may go in them. Positions are kept beside it, in registers.
pub(crate) struct Track {
    input: *const u8,
    output: *mut u8,
    tables: *const Tables,
    table_bits: u32,
    /// A pair of steps may start at a bit before this one,
    end_bit: usize,
    /// and at an output position before this one.
    end_at: usize,
}

impl Track {
    /// A track that never has margins if the lane can't.
    #[inline(always)]
    pub(crate) fn new(lane: &mut Lane<'_>, tables: &[Tables]) -> Self {
        let tables = &tables[lane.slot];
        let (input, output) = (lane.bits.bytes, &mut *lane.output);
        let possible = lane.at >= OUTPUT_START && output.len() >= OUTPUT_MARGIN;
        Self {
            input: input.as_ptr(),
            output: output.as_mut_ptr(),
            tables,
            table_bits: tables.bits,
            end_bit: (input.len() + 1).saturating_sub(INPUT_MARGIN) * 8,
            end_at: if possible { output.len() - OUTPUT_MARGIN + 1 } else { 0 },
        }
    }

    /// Whether a pair of steps may start.
    #[inline(always)]
    pub(crate) fn has_margins(&self, bit: usize, at: usize) -> bool {
        bit < self.end_bit && at < self.end_at
    }

    /// Decodes one table entry. `false`: it can't, and nothing has changed but bytes at and after `at`.
    ///
    /// # Safety
    /// [`Track::has_margins`] was true of `bit` and `at`, or of what they were one successful step before. `at` is at
    /// least [`OUTPUT_START`](crate::lane::OUTPUT_START). The lane's buffers and tables are still borrowed.
    #[inline(always)]
    pub(crate) unsafe fn step<I: Isa>(&self, bit: &mut usize, at: &mut usize) -> bool {
        // SAFETY: a step consumes at most 48 bits (a symbol's 20 and a distance's 28), so `bit / 8` is at most 7 above
        // where the margins held; 8 bytes from there lie within the 16 of the margin.
        let word = unsafe { self.input.add(*bit >> 3).cast::<u64>().read_unaligned() };
        let word = u64::from_le(word) >> (*bit & 7);

        // SAFETY: `tables` points to initialised tables; the index has at most `MAX_BITS` = 12 bits, below the length.
        let entry = unsafe {
            (&raw const (*self.tables).symbols)
                .cast::<Symbols>()
                .add(I::low(word, self.table_bits) as usize)
        };
        // SAFETY (all fields): `entry` points to an entry.
        let literals = unsafe { Symbols::load_literals(entry) };
        let bits = unsafe { Symbols::load_bits(entry) };
        let rest = word >> (bits & 63);
        let distance_bits = unsafe { Symbols::load_distance_bits(entry) };
        let index = I::low(rest, distance_bits) + u64::from(distance_bits);
        // SAFETY: `distance_bits` is 0 or `DISTANCE_BITS`: the index is 0 or one of the distance table's.
        let far =
            unsafe { (&raw const (*self.tables).distances).cast::<Distance>().add(index as usize) };
        // SAFETY (all fields): `far` points to an entry.
        let far_base = unsafe { Distance::load_base(far) };
        if (literals as i32) < 0 {
            return unsafe { self.rare(bit, at) };
        }
        if far_base < 0 {
            return unsafe { self.rare(bit, at) };
        }
        let far_bits = unsafe { Distance::load_bits(far) };
        let distance = far_base as usize
            + (I::low(rest, far_bits) >> (unsafe { Distance::load_code_bits(far) } & 63)) as usize;
        let here = *at + (literals >> 24) as usize;
        let length = unsafe { Symbols::load_base(entry) } as usize
            + (I::low(word, bits) >> (unsafe { Symbols::load_code_bits(entry) } & 63)) as usize;
        // SAFETY: `at` is at most 35 above where the margins held, so 80 − 35 bytes are left for these 4, and then for
        // 32 bytes that start at most 3 further.
        if ABL & 1 == 0 {
            unsafe { self.output.add(*at).cast::<u32>().write_unaligned(literals) };
        }
        if length > distance {
            return unsafe { self.rare(bit, at) };
        }
        if distance > here {
            return unsafe { self.rare(bit, at) };
        }
        // SAFETY: see above; the source starts at or before `here`, so it ends no later than the target.
        if ABL & 2 == 0 {
            unsafe {
                let source = self
                    .output
                    .add(if ABL & 4 != 0 { 0 } else { here - distance })
                    .cast::<[u8; COPY]>();
                self.output.add(here).cast::<[u8; COPY]>().write_unaligned(source.read_unaligned());
            }
        }
        *bit += (bits + far_bits) as usize;
        *at = here + length;
        true
    }

    #[inline(always)]
    unsafe fn rare(&self, bit: &mut usize, at: &mut usize) -> bool {
        let (b, a) = unsafe { self.rare_step(*bit, *at) };
        (*bit, *at) = (b, a & (usize::MAX >> 1));
        (a as isize) >= 0
    }

    #[cold]
    #[inline(never)]
    unsafe fn rare_step(&self, bit: usize, at: usize) -> (usize, usize) {
        let fail = (bit, at | 1 << (usize::BITS - 1));
        unsafe {
            let low = |v: u64, n: u32| (v & !(u64::MAX << (n & 63))) as usize;
            let word = self.input.add(bit >> 3).cast::<u64>().read_unaligned();
            let word = u64::from_le(word) >> (bit & 7);
            let tables = &*self.tables;
            let mut entry = *tables.symbols.get_unchecked(low(word, self.table_bits));
            let mut longest = false;
            let mut long = false;
            if entry.is_special() {
                if let Special::Subtable { offset, bits } = entry.special() {
                    entry =
                        *tables.symbols.get_unchecked(offset + low(word >> self.table_bits, bits));
                }
                match entry.special() {
                    _ if !entry.is_special() => {}
                    Special::Longest => longest = true,
                    Special::Long => long = true,
                    _ => return fail,
                }
            }
            let rest = word >> (entry.bits() & 63);
            let mut far = *tables
                .distances
                .get_unchecked(low(rest, entry.distance_bits()) + entry.distance_bits() as usize);
            if far.is_subtable() {
                far = *tables.distances.get_unchecked(
                    DISTANCE_START + far.offset() + low(rest >> DISTANCE_BITS, far.bits()),
                );
            }
            let distance = far.base() + (low(rest, far.bits()) >> far.code_bits());
            let (count, length) = if longest {
                (0, 258)
            } else {
                self.output.add(at).cast::<u32>().write_unaligned((entry.raw() >> 32) as u32);
                (
                    if long { 0 } else { entry.count() },
                    entry.base() + (low(word, entry.bits()) >> entry.code_bits()),
                )
            };
            let here = at + count;
            if distance > here || here + length >= self.end_at {
                return fail;
            }
            copy_long(self.output.add(here), distance, length);
            (bit + (entry.bits() + far.bits()) as usize, here + length)
        }
    }
}

impl Symbols {
    #[inline(always)]
    unsafe fn load_bits(entry: *const Self) -> u32 {
        unsafe { u32::from(*entry.cast::<u8>()) }
    }
    #[inline(always)]
    unsafe fn load_code_bits(entry: *const Self) -> u32 {
        unsafe { u32::from(*entry.cast::<u8>().add(1)) }
    }
    #[inline(always)]
    unsafe fn load_base(entry: *const Self) -> u32 {
        unsafe { u32::from(*entry.cast::<u8>().add(2)) }
    }
    #[inline(always)]
    unsafe fn load_distance_bits(entry: *const Self) -> u32 {
        unsafe { u32::from(*entry.cast::<u8>().add(3)) }
    }
    #[inline(always)]
    unsafe fn load_literals(entry: *const Self) -> u32 {
        unsafe { *entry.cast::<u32>().add(1) }
    }
}
impl Distance {
    #[inline(always)]
    unsafe fn load_bits(entry: *const Self) -> u32 {
        unsafe { u32::from(*entry.cast::<u8>()) }
    }
    #[inline(always)]
    unsafe fn load_code_bits(entry: *const Self) -> u32 {
        unsafe { u32::from(*entry.cast::<u8>().add(1)) }
    }
    #[inline(always)]
    unsafe fn load_base(entry: *const Self) -> i32 {
        unsafe { i32::from(*entry.cast::<i16>().add(1)) }
    }
}

/// Copies a match that is longer than 32 bytes or overlaps itself, and up to 31 bytes more.
///
/// # Safety
/// `distance` is at least 1, that many bytes lie before `to` in its buffer, and `length` + 31 behind it.
#[inline(always)]
unsafe fn copy_long(to: *mut u8, distance: usize, length: usize) {
    // SAFETY: every read starts at or after `to - distance` and lies before the write that follows it or ends with it;
    // every write starts before `to + length` and has at most 32 bytes.
    unsafe {
        let from = to.sub(distance);
        if distance >= COPY {
            let mut done = 0;
            while done < length {
                let bytes = from.add(done).cast::<[u8; COPY]>().read_unaligned();
                to.add(done).cast::<[u8; COPY]>().write_unaligned(bytes);
                done += COPY;
            }
        } else if distance == 1 {
            let bytes = [*from; COPY];
            let mut done = 0;
            while done < length {
                to.add(done).cast::<[u8; COPY]>().write_unaligned(bytes);
                done += COPY;
            }
        } else {
            // Once `distance` bytes are written the pattern is twice as long.
            let mut stride = distance;
            while stride < 8 {
                let bytes = from.cast::<u64>().read_unaligned();
                from.add(stride).cast::<u64>().write_unaligned(bytes);
                stride *= 2;
            }
            let mut done = stride - distance;
            while done < length {
                let bytes = to.add(done).sub(stride).cast::<u64>().read_unaligned();
                to.add(done).cast::<u64>().write_unaligned(bytes);
                done += 8;
            }
        }
    }
}

/// The joint loop over so many lanes. Expands where the target features are enabled.
macro_rules! joint_loop {
    ($isa:ty, $lanes:expr, $tables:expr, [$(($k:tt, $track:ident, $bit:ident, $at:ident)),*]) => {{
        let (lanes, tables) = ($lanes, $tables);
        $(
            let $track = Track::new(&mut lanes[$k], tables);
            let (mut $bit, mut $at) = (lanes[$k].bits.at, lanes[$k].at);
        )*
        let stopped = loop {
            $(
                if !$track.has_margins($bit, $at) {
                    break $k;
                }
                // SAFETY: the margins were checked; the caller checked that `at` is large enough, and it only grows;
                // the lanes are borrowed for the whole loop and nothing else touches their buffers.
                if !unsafe { $track.step::<$isa>(&mut $bit, &mut $at) } {
                    break $k;
                }
            )*
            $(
                // SAFETY: one successful step after the check above.
                if !unsafe { $track.step::<$isa>(&mut $bit, &mut $at) } {
                    break $k;
                }
            )*
        };
        $(
            lanes[$k].bits.at = $bit;
            lanes[$k].at = $at;
        )*
        stopped
    }};
}
pub(crate) use joint_loop;
