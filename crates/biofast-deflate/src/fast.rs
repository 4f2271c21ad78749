//! The fast loop: one step of every lane in turn, with almost no branches, until a lane needs
//! [service](crate::lane::Lane::service).
//!
//! A step looks up one literal/length entry, stores its literals, looks up a distance (the dummy's, if there is no match)
//! and copies 32 bytes from there. What stays a branch is rare: a match over 32 bytes or one that overlaps itself, a code
//! longer than the table ([`Track::rare_step`]), and what the careful decoder must see to: the end of a block, of input or
//! output, a wrong distance. A step that can't go on leaves the lane as it was before it; so nothing is ever judged here.
//!
//! Each instruction counts, for what the lanes' chains leave idle is soon filled: fields are loaded one by one (loads
//! are what there are units to spare for), positions are kept as addresses, all tables lie at constant offsets from one.
//! A lane's step is complete before the next lane's starts, so that little needs registers at a time, and a lane's chain
//! of steps is short: the last bits of a step's word give the next entry while its own word is still being loaded.
//!
//! The loop is generic over [`Isa`] and inlined into functions that enable its target features (`isa` folder).
#![allow(unsafe_code)]

use crate::copy::{WIDE, copy_apart, copy_long};
use crate::entry::{DISTANCE_BITS, Distance, Special, Symbols};
use crate::lane::{INPUT_MARGIN, Lane, OUTPUT_MARGIN, OUTPUT_START};
use crate::tables::{DISTANCE_START, Tables, join_from};

/// What the instruction sets do differently.
pub(crate) trait Isa {
    /// The lowest `n` bits, `n` below 64.
    fn low(bits: u64, n: u64) -> u64;

    /// Copies [`WIDE`] bytes as they are.
    ///
    /// # Safety
    /// Both lie in one buffer, the source before the target.
    unsafe fn copy(to: *mut u8, from: *const u8);

    /// Writes the `distance` bytes before `to` again and again, `length` bytes of them, and up to 31 bytes more.
    ///
    /// # Safety
    /// `distance` is 1 to 31, that many bytes lie before `to` in its buffer, and `length` + 31 behind it.
    unsafe fn repeat(to: *mut u8, distance: usize, length: usize);

    /// Joins literals with what follows them, see [`Tables`]: all of `table`, whose length is 2^`bits`.
    #[inline(always)]
    fn join(table: &mut [Symbols], bits: u32) {
        join_from(table, bits, 1);
    }

    /// Runs one to [`MAX_LANES`](crate::group::MAX_LANES) lanes until one of them, whose number is returned, needs
    /// service: perhaps at once.
    fn run(lanes: &mut [Lane<'_>], tables: &[Tables]) -> usize;
}

/// Where a lane stands, in registers.
#[derive(Clone, Copy)]
pub(crate) struct Position {
    /// The next bit: its byte's address times 8, plus its number in the byte. Addresses have fewer than 61 bits on all
    /// targets that this crate is built for with 64-bit pointers, and 32 on the others.
    bit: u64,
    /// The next byte of output.
    out: *mut u8,
    /// The index of the next entry of the literal/length table. It comes from what a step leaves of its word, which is
    /// enough: of 57 bits or more, a step takes 39 at most (17 of a symbol and 22 of a distance; longer codes are rare
    /// steps).
    index: u64,
}

/// A lane's buffers and how far the loop may go in them.
pub(crate) struct Track {
    table_bits: u64,
    output: *mut u8,
    /// A pair of steps may start at a bit before this one,
    end_bit: u64,
    /// and at an output address before this one.
    end_out: *mut u8,
}

/// What comes of a step.
pub(crate) enum Step {
    /// The position after it.
    On(Position),
    /// It's for [`Track::rare_step`].
    Rare,
    /// It can't be done.
    Stop,
}

impl Track {
    /// The lane's track and position. One that never has margins, if the buffers are too short.
    #[inline(always)]
    pub(crate) fn new(lane: &mut Lane<'_>, tables: &Tables) -> (Self, Position) {
        let input = lane.bits.bytes;
        let first_bit = (input.as_ptr().expose_provenance() as u64) << 3;
        let bits = (input.len() + 1).saturating_sub(INPUT_MARGIN) as u64 * 8;
        let length = lane.output.len();
        let possible = lane.at >= OUTPUT_START && length >= OUTPUT_MARGIN;
        let output = lane.output.as_mut_ptr();
        let end = if possible { length - OUTPUT_MARGIN + 1 } else { 0 };
        let track = Self {
            table_bits: u64::from(tables.bits),
            output,
            end_bit: first_bit + bits,
            end_out: output.wrapping_add(end),
        };
        let bit = first_bit + lane.bits.at as u64;
        let mut position = Position { bit, out: output.wrapping_add(lane.at), index: 0 };
        if track.has_margins(position) {
            // SAFETY: it has margins.
            position.index = unsafe { low(Self::word(position), tables.bits) } as u64;
        }
        (track, position)
    }

    /// Writes the position back. `lane` must be the one the track was made for.
    #[inline(always)]
    pub(crate) fn leave(&self, position: Position, lane: &mut Lane<'_>) {
        let first_bit = (lane.bits.bytes.as_ptr().addr() as u64) << 3;
        lane.bits.at = (position.bit - first_bit) as usize;
        lane.at = position.out.addr() - self.output.addr();
    }

    /// Whether a pair of steps may start.
    #[inline(always)]
    pub(crate) fn has_margins(&self, position: Position) -> bool {
        position.bit < self.end_bit && position.out < self.end_out
    }

    /// The next 57 bits or more.
    ///
    /// # Safety
    /// As for [`step`](Self::step).
    #[inline(always)]
    unsafe fn word(position: Position) -> u64 {
        let bytes = std::ptr::with_exposed_provenance::<u64>((position.bit >> 3) as usize);
        // SAFETY: see `INPUT_MARGIN`.
        u64::from_le(unsafe { bytes.read_unaligned() }) >> (position.bit & 7)
    }

    /// A step. Output bytes behind the position that it returns, or behind the one given, may have changed.
    ///
    /// # Safety
    /// [`has_margins`](Self::has_margins) was true of this position, or of the one before the last successful step. The
    /// lane's buffers and tables are still borrowed, and `tables` are its tables.
    #[inline(always)]
    pub(crate) unsafe fn step<I: Isa>(&self, tables: *const Tables, position: Position) -> Step {
        // SAFETY: `tables` points to tables. An index has at most `MAX_BITS` bits, which is within the length of the
        // literal/length table. `distance_bits` is 0 or `DISTANCE_BITS`, if the entry isn't special; then the sum is 0 or an
        // index of the distance table. So both `entry`s point to entries. The rest as for this function.
        unsafe {
            let symbols = (&raw const (*tables).symbols).cast::<Symbols>();
            let entry = symbols.add(position.index as usize);
            let distance_bits = Symbols::load_distance_bits(entry);
            if distance_bits & (Symbols::SPECIAL >> 56) != 0 {
                return Step::Rare;
            }
            let word = Self::word(position);
            let symbol_bits = Symbols::load_bits(entry);
            let rest = word >> (symbol_bits & 63);
            let distances = (&raw const (*tables).distances).cast::<Distance>();
            // One register for the index, and not for both terms.
            let index = opaque!(I::low(rest, distance_bits) + distance_bits);
            let far = distances.add(index as usize);
            let base = Distance::load_base(far);
            if base < 0 {
                return Step::Rare;
            }
            let far_bits = Distance::load_bits(far);
            let bit = position.bit + symbol_bits + far_bits;
            let index = I::low(rest >> (far_bits & 63), self.table_bits);
            let code = Distance::load_code_bits(far);
            let distance = base as u64 + (I::low(rest, far_bits) >> (code & 63));
            let literals = Symbols::load_literals(entry);
            let code = Symbols::load_code_bits(entry);
            let length = I::low(word, symbol_bits) >> (code & 63);
            let length = length + Symbols::load_base(entry);
            // All loads of fields come before the first store: it may change them, as far as the compiler knows.
            // Room: see `OUTPUT_MARGIN`.
            position.out.cast::<u32>().write_unaligned(literals.to_le());
            let here = position.out.wrapping_add((code >> 6) as usize);
            let source = here.wrapping_sub(distance as usize);
            if source < self.output {
                return Step::Stop;
            }
            // The source starts within the output and before the target. (The dummy's does: so many bytes have
            // been written, see `OUTPUT_START`.) Room for the target: see `OUTPUT_MARGIN`.
            I::copy(here, source);
            let end = here.wrapping_add(length as usize);
            if length > WIDE as u64 || length > distance {
                if end >= self.end_out {
                    return Step::Stop;
                }
                // `distance` is not 0, and so many bytes lie before `here`; before `end_out` there is room for
                // `length` bytes, and after it for the margin less one.
                if distance >= WIDE as u64 {
                    copy_apart(here, distance as usize, length as usize);
                } else {
                    I::repeat(here, distance as usize, length as usize);
                }
            }
            Step::On(Position { bit, out: end, index })
        }
    }

    /// A step with the entries that [`step`](Self::step) can't take. Whether it could be done.
    ///
    /// # Safety
    /// As for [`step`](Self::step).
    #[cold]
    #[inline(always)]
    pub(crate) unsafe fn rare_step(&self, tables: *const Tables, position: &mut Position) -> bool {
        // SAFETY: as this function.
        let next = unsafe { self.after_rare_step(&*tables, *position) };
        let moved = next.bit != position.bit;
        *position = next;
        moved
    }

    /// The position after the step; `position` itself if it can't be done.
    ///
    /// # Safety
    /// As for [`step`](Self::step).
    #[cold]
    #[inline(never)]
    unsafe fn after_rare_step(&self, tables: &Tables, position: Position) -> Position {
        // SAFETY: as this function.
        let word = unsafe { Self::word(position) };
        let mut entry = tables.symbols[low(word, tables.bits)];
        if let Some(Special::Subtable { offset, bits }) = entry.special() {
            entry = tables.symbols[offset + low(word >> tables.bits, bits)];
        }
        if entry.special().is_some() {
            return position;
        }
        let length = entry.base() + (low(word, entry.bits()) >> entry.code_bits());
        let rest = word >> (entry.bits() & 63);
        let distance_bits = entry.distance_bits();
        let mut far = tables.distances[low(rest, distance_bits) + distance_bits as usize];
        if far.is_subtable() {
            let index = far.offset() + low(rest >> DISTANCE_BITS, far.bits());
            far = tables.distances[DISTANCE_START + index];
        }
        let distance = far.base() + (low(rest, far.bits()) >> far.code_bits());
        // The output is one allocation: differences of its addresses are small.
        let at = position.out.addr() - self.output.addr();
        let end = self.end_out.addr() - self.output.addr();
        let here = at + entry.count();
        if distance > here || here + length >= end {
            return position;
        }
        // SAFETY: there is room for the literals, see `OUTPUT_MARGIN`. `distance` is not 0, and so many bytes lie before
        // `here`; before `end_out` there is room for `length` bytes, and after it for the margin less one.
        unsafe {
            self.output.add(at).cast::<[u8; 4]>().write_unaligned(entry.literals());
            copy_long(self.output.add(here), distance, length);
        }
        let consumed = u64::from(entry.bits() + far.bits());
        // SAFETY: still within the output.
        let out = unsafe { self.output.add(here + length) };
        let mut next = Position { bit: position.bit + consumed, out, index: 0 };
        // SAFETY: there is input for it, see `INPUT_MARGIN`.
        next.index = unsafe { low(Self::word(next), tables.bits) } as u64;
        next
    }
}

/// The lowest `n` bits, `n` below 64.
#[inline(always)]
fn low(bits: u64, n: u32) -> usize {
    (bits & !(u64::MAX << (n & 63))) as usize
}

/// The joint loop over so many lanes. Expands where the target features are enabled.
macro_rules! joint_loop {
    ($isa:ty, $lanes:expr, $tables:expr, [$(($k:tt, $track:ident, $at:ident)),*]) => {{
        let lanes = $lanes;
        #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
        let mut tables = $tables.as_ptr();
        $(let ($track, mut $at) = Track::new(&mut lanes[$k], &$tables[$k]);)*
        let stopped = 'lanes: loop {
            $(
                if !$track.has_margins($at) {
                    break $k;
                }
            )*
            for _ in 0..2 {
                joint_step!($isa, 'lanes, tables, [$(($k, $track, $at)),*]);
            }
        };
        $($track.leave($at, &mut lanes[$k]);)*
        stopped
    }};
}
pub(crate) use joint_loop;

/// One step of all lanes in a loop with the given label. Margins were checked one or two steps before; lanes and
/// tables are borrowed for the whole loop.
macro_rules! joint_step {
    ($isa:ty, $lanes:lifetime, $tables:ident, [$(($k:tt, $track:ident, $at:ident)),*]) => {
        // SAFETY: see above.
        unsafe {
            // One register for the tables of all lanes, and not the sum with every offset: for which x86-64 has too few,
            // and AArch64 too short constants in its addresses.
            #[cfg(target_arch = "x86_64")]
            {
                $tables = opaque!($tables);
            }
            $(
                let tables = $tables.wrapping_add($k);
                match $track.step::<$isa>(tables, $at) {
                    Step::On(next) => $at = next,
                    Step::Rare => {
                        if $track.rare_step(tables, &mut $at) {
                            continue $lanes;
                        }
                        break $lanes $k;
                    }
                    Step::Stop => break $lanes $k,
                }
            )*
        }
    };
}
pub(crate) use joint_step;

/// The same value, about which the compiler knows nothing. For unsafe blocks, though it has no instruction at all.
macro_rules! opaque {
    ($value:expr) => {{
        #[allow(unused_mut)]
        let mut same = $value;
        #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
        #[allow(clippy::pointers_in_nomem_asm_block)] // nothing looks at what a pointer points to
        {
            std::arch::asm!("/* {0} */", inout(reg) same, options(pure, nomem, nostack, preserves_flags));
        }
        same
    }};
}
pub(crate) use opaque;
