//! The fast loop: one step of every lane in turn, with almost no branches, until a lane needs
//! [service](crate::lane::Lane::service).
//!
//! A step looks up one literal/length entry, stores its literals, looks up a distance (the dummy's, if there is no match)
//! and copies 32 bytes from there; the first of them again and again, if the distance is 1. All that is rare is noticed
//! at one place, as a match that is too long to be copied like that: so do the end of a block and a code longer than the
//! table ([`Track::rare_step`]) look like. Besides, the source must lie in the output. A step that can't go on leaves the
//! lane as it was before it; so nothing is ever judged here, but by the careful decoder.
//!
//! Each instruction counts, for what the lanes' chains leave idle is soon filled: fields are loaded one by one (loads
//! are what there are units to spare for), positions are kept as addresses, all tables lie at constant offsets from one,
//! and lanes run as many steps as fit input and output in any case before they look at these again.
//! A lane's step is complete before the next lane's starts, so that little needs registers at a time, and a lane's chain
//! of steps is short: the last bits of a step's word give the next entry while its own word is still being loaded.
//!
//! The loop is generic over [`Isa`] and inlined into functions that enable its target features (`isa` folder).
#![allow(unsafe_code)]

use crate::copy::{WIDE, copy_apart, copy_long};
use crate::entry::{DISTANCE_BITS, Distance, LONGEST, LONGEST_MARK, Row, Special, SymbolEntry};
use crate::instructions::Isa;
use crate::lane::{INPUT_MARGIN, Lane, OUTPUT_START, STEP};
use crate::map::Match;
use crate::tables::{DISTANCE_START, Tables};

/// The fast loop compiled for an instruction set.
pub(crate) trait FastLoop: Isa {
    /// Runs one to [`MAX_LANES`](crate::group::MAX_LANES) lanes until one of them, whose number is returned, needs
    /// service: perhaps at once. `MAPPED` lanes have maps, to which matches are added.
    fn run<const MAPPED: bool>(lanes: &mut [Lane<'_>], tables: &[Tables]) -> usize;
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
    /// Where the next match is noted, of `MAPPED` lanes.
    map: *mut Match,
}

/// A lane's buffers and how far the loop may go in them.
pub(crate) struct Track {
    table_bits: u64,
    output: *mut u8,
    /// The first bit of input.
    first_bit: u64,
    /// The end of input, as a bit, less what a step looks at beyond what it consumes.
    end_bit: u64,
    /// The end of output; its start, if the loop may not run.
    end_out: *mut u8,
}

/// What comes of a step.
pub(crate) enum Step {
    /// The position after it.
    On(Position),
    /// The position after it, which may be more than [`STEP`] bytes on.
    Far(Position),
    /// It's for [`Track::rare_step`].
    Rare,
    /// It can't be done.
    Stop,
}

impl Track {
    /// The lane's track and position. One that never has margins, if the buffers are too short.
    #[inline(always)]
    pub(crate) fn new<const MAPPED: bool>(
        lane: &mut Lane<'_>,
        tables: &Tables,
    ) -> (Self, Position) {
        let input = lane.bits.bytes;
        let first_bit = (input.as_ptr().expose_provenance() as u64) << 3;
        let bits = (input.len() as u64 * 8).saturating_sub((INPUT_MARGIN - STEP) as u64);
        let map = match &mut lane.map {
            Some(map) if MAPPED => map.cursor(),
            _ => std::ptr::null_mut(),
        };
        let runs = lane.at >= OUTPUT_START && (!MAPPED || !map.is_null());
        let length = if runs { lane.output.len() } else { 0 };
        let output = lane.output.as_mut_ptr();
        let track = Self {
            table_bits: u64::from(tables.bits),
            output,
            first_bit,
            end_bit: first_bit + bits,
            end_out: output.wrapping_add(length),
        };
        let bit = first_bit + lane.bits.at as u64;
        let mut position = Position { bit, out: output.wrapping_add(lane.at), index: 0, map };
        if track.steps(position) > 0 {
            // SAFETY: there is input for a step.
            position.index = unsafe { low(look(bit >> 3, bit & 7), tables.bits) } as u64;
        }
        (track, position)
    }

    /// Writes the position back. `lane` must be the one the track was made for.
    #[inline(always)]
    pub(crate) fn leave<const MAPPED: bool>(&self, position: Position, lane: &mut Lane<'_>) {
        let first_bit = (lane.bits.bytes.as_ptr().addr() as u64) << 3;
        lane.bits.at = (position.bit - first_bit) as usize;
        lane.at = position.out.addr() - self.output.addr();
        if MAPPED && let Some(map) = &mut lane.map {
            map.advance_to(position.map);
        }
    }

    /// How many steps stay within input and output.
    #[inline(always)]
    pub(crate) fn steps(&self, position: Position) -> u64 {
        let bits = self.end_bit.saturating_sub(position.bit);
        let bytes = self.end_out.addr().saturating_sub(position.out.addr()) as u64;
        bits.min(bytes) / STEP as u64
    }

    /// A step. Output bytes behind the position that it returns, or behind the one given, may have changed.
    ///
    /// # Safety
    /// This is one of the [`steps`](Self::steps) that the position has, or one before it had from which on all steps
    /// were `Step::On`. The lane's buffers and tables are still borrowed, and `tables` are its tables, filled for `I`;
    /// `anchor` is as for [`Isa::split`].
    #[inline(always)]
    pub(crate) unsafe fn step<I: Isa, const MAPPED: bool>(
        &self,
        tables: *const Tables,
        anchor: *const u8,
        position: Position,
    ) -> Step {
        // SAFETY: `tables` points to tables. An index has at most `MAX_BITS` bits, which is within the length of the
        // literal/length table. `distance_bits` is 0 or `DISTANCE_BITS`, whatever the entry; then the sum is 0 or an index of
        // the distance table. So `entry` and `far` point to entries, and `row` to one of four rows. The rest as for this
        // function.
        unsafe {
            let (byte, odd) = I::split(position.bit, anchor);
            let word = look(byte, odd);
            let entry =
                (&raw const (*tables).symbols).cast::<SymbolEntry>().add(position.index as usize);
            let distance_bits = SymbolEntry::load_distance_bits(entry);
            let symbol_bits = SymbolEntry::load_bits(entry);
            let rest = word >> (symbol_bits & 63);
            // One register for the index, and not for both terms.
            let index = opaque!(I::low(rest, distance_bits) + distance_bits);
            let far = (&raw const (*tables).distances).cast::<Distance>().add(index as usize);
            let far_bits = Distance::load_bits(far);
            let code = Distance::load_code_bits(far);
            // Minus the distance.
            let offset = Distance::load_base(far) - (I::low(rest, far_bits) >> (code & 63)) as i64;
            let row =
                (&raw const (*tables).rows).cast::<u8>().add((code & Distance::CLASS) as usize);
            let row = row.cast::<Row>();
            let code = SymbolEntry::load_code_bits(entry);
            let length = I::low(word, symbol_bits) >> (code & 63);
            let length = length + SymbolEntry::load_base(entry);
            let literals = SymbolEntry::load_literals(entry);
            let count = SymbolEntry::load_count(entry);
            let excess = (*row).excess;
            let bit = position.bit + symbol_bits + far_bits;
            let index = I::low(rest >> (far_bits & 63), self.table_bits);
            // All loads of fields come before the first store: it may change them, as far as the compiler knows.
            let here = position.out.wrapping_add(count as usize);
            let source = here.wrapping_offset(offset as isize).cast_const();
            if length > WIDE as u64 || length as i64 + offset > excess {
                return self.long_step::<I, MAPPED>(
                    entry,
                    far,
                    position,
                    Position { bit, out: here, index, map: position.map },
                    source,
                    length,
                );
            }
            if source < self.output {
                return Step::Stop;
            }
            // There is room, see `STEP`.
            position.out.cast::<u32>().write_unaligned(literals.to_le());
            // The source starts within the output and before the target. (The dummy's does: so many bytes have
            // been written, see `OUTPUT_START`.)
            I::copy_by(here, source, row);
            let mut map = position.map;
            if MAPPED {
                // There is room, see `StreamMap::cursor`.
                self.note(map, bit, here, length, offset.wrapping_neg() as u64);
                map = map.add(Match::count(distance_bits));
            }
            Step::On(Position { bit, out: here.wrapping_add(length as usize), index, map })
        }
    }

    /// The rest of a step whose match, if it is one, is too long for its row. It goes to `here.out`; the rest of `here`
    /// is as after the step.
    ///
    /// # Safety
    /// As for [`step`](Self::step), with what it knows then.
    #[inline(always)]
    unsafe fn long_step<I: Isa, const MAPPED: bool>(
        &self,
        entry: *const SymbolEntry,
        far: *const Distance,
        before: Position,
        here: Position,
        source: *const u8,
        length: u64,
    ) -> Step {
        // SAFETY: both are entries.
        let (entry, far) = unsafe { (*entry, *far) };
        if entry.is_special() || far.is_subtable() {
            return Step::Rare;
        }
        let longest = length == LONGEST_MARK && entry.base() == LONGEST as usize;
        let length = if longest { LONGEST as usize } else { length as usize };
        let end = here.out.wrapping_add(length);
        if source < self.output || end.addr() + WIDE > self.end_out.addr() {
            return Step::Stop;
        }
        let distance = here.out.addr() - source.addr();
        // SAFETY: there is room for the literals, see `STEP`. `distance` is not 0, and so many bytes lie before `here`;
        // behind its end there is room for 32 bytes.
        unsafe {
            before.out.cast::<[u8; 4]>().write_unaligned(entry.literals());
            if distance >= WIDE {
                copy_apart(here.out, distance, length);
            } else {
                I::repeat(here.out, distance, length);
            }
        }
        let mut map = here.map;
        if MAPPED {
            // SAFETY: there is room, see `StreamMap::cursor`.
            unsafe {
                self.note(map, here.bit, here.out, length as u64, distance as u64);
                map = map.add(1);
            }
        }
        Step::Far(Position { out: end, map, ..here })
    }

    /// A step with the entries that [`step`](Self::step) can't take. Whether it could be done.
    ///
    /// # Safety
    /// As for [`step`](Self::step).
    #[cold]
    #[inline(always)]
    pub(crate) unsafe fn rare_step<const MAPPED: bool>(
        &self,
        tables: *const Tables,
        position: &mut Position,
    ) -> bool {
        // SAFETY: as this function.
        let next = unsafe { self.after_rare_step::<MAPPED>(&*tables, *position) };
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
    unsafe fn after_rare_step<const MAPPED: bool>(
        &self,
        tables: &Tables,
        position: Position,
    ) -> Position {
        // SAFETY: as this function.
        let word = unsafe { look(position.bit >> 3, position.bit & 7) };
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
        if distance > here || here + length + WIDE > end {
            return position;
        }
        // SAFETY: there is room for the literals, see `STEP`. `distance` is not 0, and so many bytes lie before `here`;
        // behind its end there is room for 32 bytes.
        unsafe {
            self.output.add(at).cast::<[u8; 4]>().write_unaligned(entry.literals());
            copy_long(self.output.add(here), distance, length);
        }
        let consumed = u64::from(entry.bits() + far.bits());
        // SAFETY: still within the output.
        let out = unsafe { self.output.add(here + length) };
        let mut next = Position { bit: position.bit + consumed, out, ..position };
        if MAPPED && distance_bits != 0 {
            let target = self.output.wrapping_add(here);
            // SAFETY: there is room, see `StreamMap::cursor`.
            unsafe {
                self.note(next.map, next.bit, target, length as u64, distance as u64);
                next.map = next.map.add(1);
            }
        }
        // SAFETY: there is input for it, see `INPUT_MARGIN`.
        next.index = unsafe { low(look(next.bit >> 3, next.bit & 7), tables.bits) } as u64;
        next
    }

    /// Notes a match to `target` that ends before `bit`.
    ///
    /// # Safety
    /// `map` points to a match.
    #[inline(always)]
    unsafe fn note(&self, map: *mut Match, bit: u64, target: *mut u8, length: u64, distance: u64) {
        let at = target.addr().wrapping_sub(self.output.addr());
        // SAFETY: as this function.
        unsafe { map.write(Match::new(bit - self.first_bit, length, at, distance)) };
    }
}

/// The next 57 bits or more: from bit `odd` of a byte on.
///
/// # Safety
/// There are 8 bytes at that address, of an input whose address was exposed.
#[inline(always)]
unsafe fn look(byte: u64, odd: u64) -> u64 {
    let bytes = std::ptr::with_exposed_provenance::<u64>(byte as usize);
    // SAFETY: as this function.
    u64::from_le(unsafe { bytes.read_unaligned() }) >> (odd & 63)
}

/// The lowest `n` bits, `n` below 64.
#[inline(always)]
fn low(bits: u64, n: u32) -> usize {
    (bits & !(u64::MAX << (n & 63))) as usize
}

/// The joint loop over so many lanes. Expands where the target features are enabled.
macro_rules! joint_loop {
    ($isa:ty, $mapped:ident, $lanes:expr, $tables:expr, [$(($k:tt, $track:ident, $at:ident)),*]) => {{
        let lanes = $lanes;
        #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
        let mut anchor = $tables.as_ptr().cast::<u8>().wrapping_add(ANCHOR);
        $(let ($track, mut $at) = Track::new::<$mapped>(&mut lanes[$k], &$tables[$k]);)*
        let stopped = 'lanes: loop {
            let (mut steps, mut fewest) = (u64::MAX, 0);
            $(
                let own = $track.steps($at);
                if own < steps {
                    (steps, fewest) = (own, $k);
                }
            )*
            if steps == 0 {
                break fewest;
            }
            while steps > 0 {
                steps -= 1;
                joint_step!($isa, $mapped, 'lanes, anchor, steps, [$(($k, $track, $at)),*]);
            }
        };
        $($track.leave::<$mapped>($at, &mut lanes[$k]);)*
        stopped
    }};
}
pub(crate) use joint_loop;

/// One step of all lanes in a loop with the given label: one of those that they all have. Lanes and tables are borrowed
/// for the whole loop.
macro_rules! joint_step {
    ($isa:ty, $mapped:ident, $lanes:lifetime, $anchor:ident, $left:ident, [$(($k:tt, $track:ident, $at:ident)),*]) => {
        // SAFETY: see above.
        unsafe {
            // One register for the tables of all lanes, and not the sum with every offset: for which x86-64 has too few,
            // and AArch64 too short constants in its addresses.
            #[cfg(target_arch = "x86_64")]
            {
                $anchor = opaque!($anchor);
            }
            $(
                let tables = $anchor.wrapping_sub(ANCHOR).cast::<Tables>().wrapping_add($k);
                match $track.step::<$isa, $mapped>(tables, $anchor, $at) {
                    Step::On(next) => $at = next,
                    Step::Far(next) => {
                        $at = next;
                        if $track.steps(next) < $left {
                            continue $lanes;
                        }
                    }
                    Step::Rare => {
                        if !$track.rare_step::<$mapped>(tables, &mut $at) {
                            break $lanes $k;
                        }
                        if $track.steps($at) < $left {
                            continue $lanes;
                        }
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
