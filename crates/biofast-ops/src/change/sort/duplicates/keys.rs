//! What reads must have in common to be duplicates of each other, and which of them is the best, as bytes that sort so.
//!
//! Of a pair of which both reads have the same to say there is one entry for both, else one for each read:
//!
//! | bytes | of a pair's key |
//! |---|---|
//! | 8 | reference and place of the left read |
//! | 1 | orientation |
//! | 8 | reference and place of the right read |
//! | 4 or 8 | library and barcode, where they count |
//! | 1 | whether it failed the checks of quality |
//! | 6 | the score, the highest first |
//! | | name |
//!
//! | bytes | of a single read's key |
//! |---|---|
//! | 8 | reference and place |
//! | 1 | strand |
//! | 4 or 8 | library and barcode, where they count |
//! | 1 | 0: a read of a pair is here, 1: a single read |
//! | 4 | position, and so the coordinate order |
//! | 8 | the number of the record |
//!
//! Of Picard's rule the score and the place on the flow cell stand before the position, and not the number.

use biofast_bam::{Op, Record, flag};

use super::numbers::{read_number, take, write_number};
use super::primary::Primary;
use super::rule::Mode;

/// How the reads of a pair lie.
pub(super) const FORWARD_FORWARD: u8 = 0;
pub(super) const REVERSE_REVERSE: u8 = 1;
pub(super) const FORWARD_REVERSE: u8 = 2;
pub(super) const REVERSE_FORWARD: u8 = 3;

/// Beside the orientation, where each read of a pair is decided about by itself: it is the right one.
pub(super) const RIGHT_ALONE: u8 = 4;

/// What single keys say of reads of pairs, and of single ones.
pub(super) const PRESENCE: u8 = 0;
pub(super) const SINGLE: u8 = 1;

/// Bytes that say whether a read failed the checks of quality, and its score.
pub(super) const RANK: usize = 7;

/// Where in a group's part of a key the library and the barcode begin, of pairs and of single reads.
pub(super) const PAIR_KIND: usize = 17;
pub(super) const SINGLE_KIND: usize = 9;

/// What duplicates have in common beside their places: library and barcode, as far as they count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DuplicateClass {
    bytes: [u8; 8],
    len: u8,
}

impl DuplicateClass {
    pub(super) fn new(library: Option<u32>, barcode: Option<u32>) -> DuplicateClass {
        let mut kind = DuplicateClass::default();
        for number in library.into_iter().chain(barcode) {
            let at = usize::from(kind.len);
            kind.bytes[at..at + 4].copy_from_slice(&number.to_be_bytes());
            kind.len += 4;
        }
        kind
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// Reference and coordinate in a number that sorts so. What is 2^31 bases in front of a reference counts as there, and
/// what is 2^32 + 2^31 behind its start.
pub(super) fn place(reference: i32, coordinate: i64) -> u64 {
    let shifted = (coordinate + (1 << 31)).clamp(0, (1 << 33) - 1) as u64;
    (reference as u32 as u64) << 33 | shifted
}

/// The ends of a read on the reference, clipped bases included, counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ClippedEnds {
    start: i64,
    end: i64,
    /// The end as its mate reckons it: a read without bases on the reference has none there.
    end_for_mate: i64,
}

impl ClippedEnds {
    /// Those of a read whose mate has this of it: its position, and its CIGAR as text. What is malformed in it is read as samtools
    /// does.
    pub(super) fn of_mate(position: i32, cigar: &[u8]) -> ClippedEnds {
        let (mut front, mut for_mate) = (0i64, 0i64);
        let (mut is_front, mut is_begun) = (true, false);
        let mut rest = cigar;
        while let Some((&first, _)) = rest.split_first().filter(|(first, _)| **first != b'*') {
            let len = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let digits = rest[..len].iter().map(|digit| i64::from(digit - b'0'));
            let number = digits.fold(0i64, |all, one| all.saturating_mul(10).saturating_add(one));
            let number = if first.is_ascii_digit() { number.min(1 << 40) } else { 1 };
            match rest.get(len) {
                Some(b'S' | b'H') => {
                    front += if is_front { number } else { 0 };
                    for_mate += if is_begun { number } else { 0 };
                }
                Some(b'M' | b'D' | b'N' | b'=' | b'X') => {
                    (is_front, is_begun) = (false, true);
                    for_mate += number;
                }
                Some(_) => is_front = false,
                None => break,
            }
            rest = &rest[len + 1..];
        }
        let position = i64::from(position);
        let end = position + for_mate;
        ClippedEnds { start: position - front + 1, end, end_for_mate: end }
    }

    /// Appends it.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        for end in [self.start, self.end, self.end_for_mate] {
            out.extend(end.to_le_bytes());
        }
    }

    /// What [`write`](Self::write) wrote.
    pub(super) fn read(bytes: &mut &[u8]) -> ClippedEnds {
        let mut end = || take(bytes).map_or(0, i64::from_le_bytes);
        ClippedEnds { start: end(), end: end(), end_for_mate: end() }
    }

    pub(super) fn new(record: &Record<'_>, position: i32) -> ClippedEnds {
        let is_clip = |op: Op| matches!(op, Op::SoftClip | Op::HardClip);
        let (mut front, mut back, mut on_reference) = (0, 0, 0);
        let mut is_front = true;
        // Clips behind an operation along the reference.
        let (mut for_mate, mut is_begun) = (0, false);
        for (op, len) in record.cigar().iter() {
            let len = i64::from(len);
            if is_clip(op) {
                if is_front {
                    front += len;
                }
                if is_begun {
                    for_mate += len;
                }
                back += len;
                continue;
            }
            (is_front, back) = (false, 0);
            if op.consumes_reference() {
                is_begun = true;
                on_reference += len;
                for_mate += len;
            }
        }
        let position = i64::from(position);
        ClippedEnds {
            start: position - front + 1,
            end: position + on_reference.max(1) + back,
            end_for_mate: position + for_mate,
        }
    }

    /// Whether both are less than so many bases from the position of the read.
    pub(super) fn are_near(&self, position: i32, bases: i64) -> bool {
        let is_near = |end: i64| (end - i64::from(position)).abs() < bases;
        is_near(self.start) && is_near(self.end)
    }

    /// Where its first base is, seen from the sequencer.
    pub(super) fn five_prime(&self, flags: u16) -> i64 {
        if flags & flag::REVERSE == 0 { self.start } else { self.end }
    }
}

/// A read of a pair: the key of the pair, with the left read first, and which of the two this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) left: u64,
    pub(super) right: u64,
    pub(super) orientation: u8,
    pub(super) is_left: bool,
}

/// The key of `read`, which has the mate `other`.
pub(super) fn pair(
    mode: Mode,
    read: (&Primary, &ClippedEnds),
    other: (&Primary, &ClippedEnds),
) -> Pair {
    let ((read, ends), (other, of_other)) = (read, other);
    let reverse = read.flags & flag::REVERSE != 0;
    let is_same = reverse == (read.flags & flag::MATE_REVERSE != 0);
    let is_first = read.flags & flag::READ1 != 0;
    let (start, end) = (ends.start, ends.end);
    let (other_start, other_end) = (of_other.start, of_other.end_for_mate);
    let (here, there) = match (is_same, reverse) {
        (true, false) => (start, other_start),
        (true, true) => (end, other_end),
        (false, true) => (end, other_start),
        (false, false) => (start, other_end),
    };
    let is_left = match (read.reference == other.reference, mode) {
        (false, _) => read.reference < other.reference,
        (true, Mode::Template) => here <= there,
        (true, Mode::Sequence) if here != there => here < there,
        (true, Mode::Sequence) if read.position != other.position => read.position < other.position,
        (true, Mode::Sequence) => is_first,
    };
    let orientation = match (is_same, reverse, mode) {
        // From either side alike: which of the reads comes first on its strand.
        (true, _, Mode::Template) => match is_first == (is_left != reverse) {
            true => FORWARD_FORWARD,
            false => REVERSE_REVERSE,
        },
        (true, false, Mode::Sequence) => FORWARD_FORWARD,
        (true, true, Mode::Sequence) => REVERSE_REVERSE,
        (false, _, _) => match is_left != reverse {
            true => FORWARD_REVERSE,
            false => REVERSE_FORWARD,
        },
    };
    let (here, there) = match (mode, is_same) {
        // The ends of the template.
        (Mode::Template, true) if is_left => (start, other_end),
        (Mode::Template, true) => (end, other_start),
        (Mode::Template, false) if reverse => (end, other_start),
        (Mode::Template, false) => (start, other_end),
        (Mode::Sequence, _) => (here, there),
    };
    let (here, there) = (place(read.reference, here), place(other.reference, there));
    let (left, right) = if is_left { (here, there) } else { (there, here) };
    Pair { left, right, orientation, is_left }
}

impl Pair {
    /// Whether it is the pair of which `other` is the other read.
    pub(super) fn is_of(&self, other: &Pair) -> bool {
        self.is_left != other.is_left && Pair { is_left: other.is_left, ..*self } == *other
    }

    /// Writes the part of the key that all of a group have.
    pub(super) fn write(&self, kind: &[u8], out: &mut Vec<u8>) {
        out.clear();
        out.extend(self.left.to_be_bytes());
        out.push(self.orientation);
        out.extend(self.right.to_be_bytes());
        out.extend_from_slice(kind);
    }
}

/// Writes the part of a single read's key that all of a group have.
pub(super) fn write_single(place: u64, is_reverse: bool, kind: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.extend(place.to_be_bytes());
    out.push(u8::from(is_reverse));
    out.extend_from_slice(kind);
}

/// Appends where a record comes among those of one place and strand in coordinate order. Positions of aligned reads aren't
/// below 0.
pub(super) fn write_turn(position: i32, number: u64, out: &mut Vec<u8>) {
    out.extend(position.to_be_bytes());
    out.extend(number.to_be_bytes());
}

/// Appends a score, the highest first.
pub(super) fn write_score(score: i64, out: &mut Vec<u8>) {
    let rank = (1 << 47) - score;
    out.extend(&(rank as u64).to_be_bytes()[2..]);
}

/// What an entry says of its read or reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entrant {
    /// The left and the right read, or one of them: its place among the records of the group, its position, and
    /// whether all records of the name that aren't aligned themselves are duplicates with it.
    pub(super) reads: [Option<MarkedRead>; 2],
    /// How many records the group has.
    pub(super) group: u64,
    /// Where the read of a pair begins that the key doesn't tell: both are on one strand.
    pub(super) hidden: Option<u64>,
    /// Whether single reads learn of these in another way.
    pub(super) is_silent: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MarkedRead {
    pub(super) offset: u64,
    pub(super) position: i32,
    pub(super) is_reverse: bool,
    pub(super) spreads: bool,
    /// The place of a mate that isn't looked at and shares the decision.
    pub(super) follower: Option<u64>,
    /// Its barcode as a single read, where that isn't the pair's.
    pub(super) barcode: Option<u32>,
}

impl Entrant {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.clear();
        let mut bits = u16::from(self.hidden.is_some()) | u16::from(self.is_silent) << 15;
        for (at, read) in self.reads.iter().enumerate() {
            if let Some(read) = read {
                let has = [true, read.is_reverse, read.spreads]
                    .into_iter()
                    .chain([read.follower.is_some(), read.barcode.is_some()]);
                let of_read =
                    has.enumerate().fold(0, |bits, (at, has)| bits | u16::from(has) << at);
                bits |= of_read << (1 + 5 * at);
            }
        }
        out.extend(bits.to_le_bytes());
        write_number(self.group, out);
        for read in self.reads.iter().flatten() {
            write_number(read.offset, out);
            out.extend(read.position.to_le_bytes());
            if let Some(follower) = read.follower {
                write_number(follower, out);
            }
            out.extend(read.barcode.into_iter().flat_map(u32::to_le_bytes));
        }
        out.extend(self.hidden.into_iter().flat_map(u64::to_le_bytes));
    }

    /// What [`write`](Self::write) wrote; `bytes` are what stands behind it.
    pub(super) fn read(bytes: &mut &[u8]) -> Entrant {
        let bits = take(bytes).map_or(0, u16::from_le_bytes);
        let group = read_number(bytes);
        let mut reads = [None; 2];
        for (at, read) in reads.iter_mut().enumerate() {
            let has = |bit: usize| bits >> (1 + 5 * at + bit) & 1 != 0;
            if has(0) {
                let offset = read_number(bytes);
                let position = take(bytes).map_or(0, i32::from_le_bytes);
                let follower = has(3).then(|| read_number(bytes));
                let barcode = has(4).then(|| take(bytes).map_or(0, u32::from_le_bytes));
                let (is_reverse, spreads) = (has(1), has(2));
                *read =
                    Some(MarkedRead { offset, position, is_reverse, spreads, follower, barcode });
            }
        }
        let hidden = (bits & 1 != 0).then(|| take(bytes).map_or(0, u64::from_le_bytes));
        Entrant { reads, group, hidden, is_silent: bits >> 15 != 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_of_reads_is_read_again() {
        let read =
            MarkedRead { offset: 300, position: -1, is_reverse: true, ..MarkedRead::default() };
        let (follower, barcode) = (Some(301), Some(u32::MAX - 1));
        let other = MarkedRead { offset: 1 << 40, position: 7, spreads: true, follower, ..read };
        let other = MarkedRead { barcode, is_reverse: false, ..other };
        for reads in [[Some(read), None], [None, Some(other)], [Some(other), Some(read)]] {
            for hidden in [None, Some(u64::MAX - 5)] {
                let entrant = Entrant { reads, group: 127, hidden, is_silent: hidden.is_none() };
                let mut bytes = Vec::new();
                entrant.write(&mut bytes);
                assert_eq!(Entrant::read(&mut &bytes[..]), entrant);
            }
        }
    }

    #[test]
    fn places_sort_by_reference_and_coordinate() {
        let places = [(0, -5), (0, 0), (0, 1 << 31), (1, -5), (1, 2), (i32::MAX - 1, 0)];
        assert!(places.map(|(reference, at)| place(reference, at)).is_sorted_by(|a, b| a < b));
    }
}
