//! Blocks of sorted records, packed: what is in temporary files.
//!
//! Time matters more than size there: a general compressor takes half as long as all the rest of sorting. What is easily told is
//! that a byte is the one that stands there in the record before (numbers, places, names, optional fields, and bases,
//! where reads overlap), or the one before it (qualities, which come in runs). So of every eight bytes a mask says which
//! aren't, and these follow.
//!
//! | bytes of an entry | |
//! |---|---|
//! | 1 | flags: see [`LENGTHS`], [`BASES`], [`QUALITIES`] |
//! | | lengths of its parts, if they aren't those of the entry before |
//! | | what stands before the bases, as changes to the entry before |
//! | | bases: as changes, with how far the record lies behind the one before; or all of them |
//! | | qualities: as changes to the one before; or all of them |
//! | | optional fields, as changes to those of the entry before |
//!
//! Behind the last one there is a CRC-32. Changes are, of 64 bytes at a time, a bit for each, then the bytes that are other ones.

use std::io;

use super::gather::{HEAD, SortEntry};

/// Bytes of a record before its name (SAMv1, 4.2).
const FIXED: usize = 32;
/// Bytes whose bits stand together.
const STRETCH: usize = 64;

/// The lengths of the parts follow.
const LENGTHS: u8 = 1;
/// Bases, or qualities, are there as changes.
const BASES: u8 = 2;
const QUALITIES: u8 = 4;

/// Replaces `out` by the packed entries of `text`, and their CRC-32.
pub(super) fn pack(text: &[u8], out: &mut Vec<u8>) {
    let mut packer = Packer { bytes: std::mem::take(out), at: 0 };
    let mut before = EntryLayout::default();
    let mut start = 0;
    while start < text.len() {
        let parts = EntryLayout::of(text, start);
        packer.add(text, &before, &parts);
        start = parts.end;
        before = parts;
    }
    let Packer { mut bytes, at } = packer;
    bytes.truncate(at);
    bytes.extend(biofast_io::crc32(&bytes).to_le_bytes());
    *out = bytes;
}

/// The `len` bytes of entries that became `stored`.
pub(super) fn unpack(stored: &[u8], len: usize) -> io::Result<Vec<u8>> {
    let other = || io::Error::new(io::ErrorKind::InvalidData, "a block of other bytes");
    let (packed, sum) = stored.split_last_chunk().ok_or_else(other)?;
    if biofast_io::crc32(packed) != u32::from_le_bytes(*sum) {
        return Err(other());
    }
    fill(packed, len).ok_or_else(other)
}

/// The entries that were packed; `None` if these are others.
fn fill(packed: &[u8], len: usize) -> Option<Vec<u8>> {
    // Runs are written eight bytes at a time, and so a little too far.
    let mut unpacker = Unpacker { rest: packed, out: vec![0; len + 8] };
    let mut before = EntryLayout::default();
    while before.end < len {
        before = unpacker.take(&before, len)?;
    }
    let Unpacker { rest, mut out } = unpacker;
    out.truncate(len);
    rest.is_empty().then_some(out)
}

/// Where the parts of an entry begin in a block, and where it ends.
#[derive(Clone, Copy, Default)]
struct EntryLayout {
    start: usize,
    bases: usize,
    qualities: usize,
    /// Optional fields, and nearly all of what isn't a record.
    fields: usize,
    end: usize,
}

impl EntryLayout {
    /// Those of the entry that starts there.
    fn of(text: &[u8], start: usize) -> EntryLayout {
        let (key, len) = SortEntry::lengths(&text[start..start + HEAD]);
        let record = start + HEAD + key;
        let end = record + len;
        let whole = EntryLayout { start, bases: end, qualities: end, fields: end, end };
        let Some(fixed) = text[record..end].first_chunk::<FIXED>() else { return whole };
        let operations = usize::from(u16::from_le_bytes([fixed[12], fixed[13]]));
        let count = u32::from_le_bytes([fixed[16], fixed[17], fixed[18], fixed[19]]) as usize;
        if count > len {
            return whole;
        }
        let bases = record + FIXED + usize::from(fixed[8]) + 4 * operations;
        let qualities = bases + count.div_ceil(2);
        let fields = qualities + count;
        if fields > end { whole } else { EntryLayout { start, bases, qualities, fields, end } }
    }

    fn lengths(&self) -> [usize; 4] {
        let EntryLayout { start, bases, qualities, fields, end } = *self;
        [bases - start, qualities - bases, fields - qualities, end - fields]
    }

    /// The position of a record, if it is one.
    fn position(&self, text: &[u8]) -> Option<u32> {
        let record =
            self.start + HEAD + SortEntry::lengths(text.get(self.start..self.start + HEAD)?).0;
        let bytes = text.get(record + 4..record + 8).filter(|_| self.bases < self.end)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}

/// Eight bytes as a number, the first the lowest; zeros past the end.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(&word) => u64::from_le_bytes(word),
        None => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// Eight bytes from a place on; zeros past the end.
#[inline]
fn word_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).map_or(0, word)
}

/// Eight bytes of packed bases, from a base on.
#[inline]
fn bases_at(bases: &[u8], base: usize) -> u64 {
    let word = word_at(bases, base / 2);
    if base.is_multiple_of(2) {
        return word;
    }
    let next = bases.get(base / 2 + 8).copied().unwrap_or(0);
    (word.swap_bytes() << 4 | u64::from(next >> 4)).swap_bytes()
}

/// A bit for each byte that isn't 0.
#[inline]
fn mask(word: u64) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let high = (((word & LOW) + LOW) | word) & !LOW;
    // Bit 7 of byte n comes to bit 56 + n.
    (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

struct Packer {
    bytes: Vec<u8>,
    at: usize,
}

impl Packer {
    fn add(&mut self, text: &[u8], before: &EntryLayout, parts: &EntryLayout) {
        let len = parts.end - parts.start;
        // Bits, flags, lengths, and room for a stretch that is written in full.
        let room = self.at + len + len / 8 + 2 * STRETCH + 64;
        if self.bytes.len() < room {
            self.bytes.resize(room.max(2 * self.bytes.len()), 0);
        }
        let flags_at = self.at;
        let mut flags = 0;
        self.at += 1;
        if parts.lengths() != before.lengths() {
            flags |= LENGTHS;
            parts.lengths().into_iter().for_each(|len| self.add_number(len));
        }
        // What is behind a part, but in the entry, serves as well as zeros.
        let entry = &text[before.start..before.end];
        self.add_changes(&text[parts.start..parts.bases], |at| word_at(entry, at));
        let bases = &text[parts.bases..parts.qualities];
        if self.add_bases(text, before, parts, bases) {
            flags |= BASES;
        } else {
            self.add_bytes(bases);
        }
        let qualities = &text[parts.qualities..parts.fields];
        if self.add_qualities(qualities) {
            flags |= QUALITIES;
        } else {
            self.add_bytes(qualities);
        }
        let fields = &text[before.fields..before.end];
        self.add_changes(&text[parts.fields..parts.end], |at| word_at(fields, at));
        self.bytes[flags_at] = flags;
    }

    fn add_number(&mut self, mut number: usize) {
        while number > 0x7f {
            self.add_bytes(&[number as u8 | 0x80]);
            number >>= 7;
        }
        self.add_bytes(&[number as u8]);
    }

    #[inline]
    fn add_bytes(&mut self, bytes: &[u8]) {
        self.bytes[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    /// Adds the bytes that aren't what was guessed for eight from a place on.
    #[inline]
    fn add_changes(&mut self, part: &[u8], guess: impl Fn(usize) -> u64) {
        let mut at = 0;
        for stretch in part.chunks(STRETCH) {
            let mut changed = 0;
            let words = stretch.chunks_exact(8);
            let rest = words.remainder();
            for (n, bytes) in words.enumerate() {
                changed |= mask(word(bytes) ^ guess(at + 8 * n)) << (8 * n);
            }
            if !rest.is_empty() {
                let start = stretch.len() - rest.len();
                let here = (1 << rest.len()) - 1;
                changed |= (mask(word(rest) ^ guess(at + start)) & here) << start;
            }
            at += STRETCH;
            self.add_changed(stretch, changed);
        }
    }

    #[inline]
    fn add_changed(&mut self, stretch: &[u8], mut changed: u64) {
        let (bits, out) = self.bytes[self.at..].split_at_mut(stretch.len().div_ceil(8));
        bits.copy_from_slice(&changed.to_le_bytes()[..bits.len()]);
        let out = &mut out[..STRETCH];
        let mut count = 0;
        while changed != 0 {
            out[count] = stretch[changed.trailing_zeros() as usize];
            count += 1;
            changed &= changed - 1;
        }
        self.at += bits.len() + count;
    }

    /// Adds what differs from the bases of the record before at the same places, if that is less than all of them.
    fn add_bases(
        &mut self,
        text: &[u8],
        before: &EntryLayout,
        parts: &EntryLayout,
        bases: &[u8],
    ) -> bool {
        let known = &text[before.bases..before.end];
        let shift = before.position(text).zip(parts.position(text));
        let shift = shift.map(|(one, other)| other.wrapping_sub(one) as usize);
        let overlaps = |&shift: &usize| shift / 2 < before.qualities - before.bases;
        let Some(shift) = shift.filter(overlaps).filter(|_| !bases.is_empty()) else {
            return false;
        };
        let start = self.at;
        self.add_number(shift);
        self.add_changes(bases, |at| bases_at(known, shift + 2 * at));
        let is_less = self.at < start + bases.len();
        if !is_less {
            self.at = start;
        }
        is_less
    }

    /// Adds what differs from the byte before, if that is less than all.
    fn add_qualities(&mut self, part: &[u8]) -> bool {
        let Some(first) = part.first() else { return false };
        let start = self.at;
        self.add_changes(part, |at| match at {
            // The first always differs.
            0 => word(part) << 8 | u64::from(!first),
            at => word_at(part, at - 1),
        });
        let is_less = self.at < start + part.len();
        if !is_less {
            self.at = start;
        }
        is_less
    }
}

struct Unpacker<'a> {
    rest: &'a [u8],
    out: Vec<u8>,
}

impl<'a> Unpacker<'a> {
    /// Unpacks the entry behind another one, in a block of this length.
    fn take(&mut self, before: &EntryLayout, len: usize) -> Option<EntryLayout> {
        let &[flags] = self.bytes(1)? else { return None };
        let mut lengths = before.lengths();
        if flags & LENGTHS != 0 {
            for len in &mut lengths {
                *len = self.number()?;
            }
        }
        let start = before.end;
        let mut ends = [start; 4];
        let mut end = start;
        for (at, len) in ends.iter_mut().zip(lengths) {
            end = end.checked_add(len)?;
            *at = end;
        }
        if end > len || end == start {
            return None;
        }
        let [bases, qualities, fields, end] = ends;
        let parts = EntryLayout { start, bases, qualities, fields, end };
        self.copy(before.start, before.end, start, bases);
        self.take_changed(start, bases)?;
        if flags & BASES != 0 {
            let shift = self.number()?;
            for at in (bases..qualities).step_by(8) {
                let known = &self.out[before.bases..before.end];
                let guess = bases_at(known, shift.checked_add(2 * (at - bases))?);
                // Too far, if anywhere, into what comes next.
                self.out[at..at + 8].copy_from_slice(&guess.to_le_bytes());
            }
            self.take_changed(bases, qualities)?;
        } else {
            let bytes = self.bytes(qualities - bases)?;
            self.out[bases..qualities].copy_from_slice(bytes);
        }
        if flags & QUALITIES != 0 {
            self.take_runs(qualities, fields)?;
        } else {
            let bytes = self.bytes(fields - qualities)?;
            self.out[qualities..fields].copy_from_slice(bytes);
        }
        self.copy(before.fields, before.end, fields, end);
        self.take_changed(fields, end)?;
        Some(parts)
    }

    #[inline]
    fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(bytes)
    }

    fn number(&mut self) -> Option<usize> {
        let mut number = 0_usize;
        for shift in (0..35).step_by(7) {
            let &[byte] = self.bytes(1)? else { return None };
            number |= usize::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Copies what was guessed, with zeros behind its end.
    #[inline]
    fn copy(&mut self, from: usize, from_end: usize, to: usize, to_end: usize) {
        let len = (from_end - from).min(to_end - to);
        self.out.copy_within(from..from + len, to);
        self.out[to + len..to_end].fill(0);
    }

    /// The bits of a stretch of this length.
    #[inline]
    fn bits(&mut self, len: usize) -> Option<u64> {
        let bytes = self.bytes(len.div_ceil(8))?;
        let bits = word(bytes);
        (len == STRETCH || bits >> len == 0).then_some(bits)
    }

    /// Puts in the bytes that aren't what was guessed.
    #[inline]
    fn take_changed(&mut self, from: usize, to: usize) -> Option<()> {
        for from in (from..to).step_by(STRETCH) {
            let len = (to - from).min(STRETCH);
            let mut changed = self.bits(len)?;
            let stretch = &mut self.out[from..from + len];
            let mut count = 0;
            while changed != 0 {
                *stretch.get_mut(changed.trailing_zeros() as usize)? = *self.rest.get(count)?;
                count += 1;
                changed &= changed - 1;
            }
            self.rest = &self.rest[count..];
        }
        Some(())
    }

    /// Each byte that is told stands from its place to that of the next one.
    #[inline]
    fn take_runs(&mut self, from: usize, to: usize) -> Option<()> {
        let (mut run, mut at) = ([0; 8], from);
        for from in (from..to).step_by(STRETCH) {
            let mut changed = self.bits((to - from).min(STRETCH))?;
            let mut count = 0;
            while changed != 0 {
                at = self.put_run(run, at, from + changed.trailing_zeros() as usize);
                run = [*self.rest.get(count)?; 8];
                count += 1;
                changed &= changed - 1;
            }
            self.rest = &self.rest[count..];
        }
        self.put_run(run, at, to);
        Some(())
    }

    #[inline]
    fn put_run(&mut self, run: [u8; 8], mut at: usize, to: usize) -> usize {
        while at < to {
            self.out[at..at + 8].copy_from_slice(&run);
            at += 8;
        }
        to
    }
}

#[cfg(test)]
mod tests {
    use biofast_testkit::random::Random;

    use super::*;

    /// What a block holds: records that resemble each other as sorted ones do, and bytes that only look like one.
    fn entries(random: &mut Random) -> Vec<u8> {
        let mut text = Vec::new();
        let (mut key, mut record) = (Vec::new(), Vec::new());
        for number in 0..random.below(60) as u64 {
            let bases: usize = [0, 1, 7, 16, 40, 151][random.below(6)];
            match random.below(5) {
                0 => record = (0..random.below(90)).map(|_| random.next_u64() as u8).collect(),
                1 => {
                    record.resize(FIXED, 0);
                    record[8] = 2;
                    record[12..14].copy_from_slice(&[random.below(3) as u8, 0]);
                    record[16..20].copy_from_slice(&(bases as u32).to_le_bytes());
                    let name = 2 + 4 * usize::from(record[12]);
                    record.extend((0..name + bases.div_ceil(2)).map(|n| n as u8));
                    record.extend((0..bases).map(|n| (n / 9) as u8));
                    record.extend_from_slice(&b"NMC\x03RGZx"[..random.below(9)]);
                }
                // The same record a little behind, with its bases where those of the one before are.
                2 if record.len() > FIXED + 40 => {
                    record[4] = record[4].wrapping_add(random.below(5) as u8);
                    let at = random.below(record.len() - FIXED) + FIXED;
                    record[at] = random.next_u64() as u8;
                }
                3 => record.iter_mut().skip(FIXED).for_each(|byte| *byte = random.next_u64() as u8),
                _ => {}
            }
            if random.chance(50) {
                key.resize(random.below(20), number as u8);
            }
            SortEntry { number: number * 977, key: &key, record: &record }.write(&mut text);
        }
        text
    }

    #[test]
    fn two_thousand_blocks_are_unpacked_to_what_was_packed() {
        let mut random = Random(3);
        let mut stored = Vec::new();
        for block in 0..2000 {
            let text = entries(&mut random);
            pack(&text, &mut stored);
            assert!(unpack(&stored, text.len()).unwrap() == text, "block {block}");
        }
    }

    #[test]
    fn other_bytes_are_an_error_with_or_without_their_sum() {
        let mut random = Random(4);
        let mut stored = Vec::new();
        for _ in 0..1000 {
            let text = entries(&mut random);
            if text.is_empty() {
                continue;
            }
            pack(&text, &mut stored);
            let at = random.below(stored.len());
            stored[at] ^= 1 << random.below(8);
            assert!(unpack(&stored, text.len()).is_err());
            // What is no error then is as long as it should be.
            let packed = &stored[..stored.len() - 4];
            let _ = fill(packed, text.len());
            let _ = fill(&packed[..random.below(packed.len() + 1)], text.len());
        }
        assert!(unpack(b"abc", 0).is_err());
    }

    #[test]
    fn reads_that_overlap_take_a_third_of_their_bytes() {
        let mut random = Random(5);
        let genome: Vec<u8> = (0..4000).map(|_| 1 << random.below(4)).collect();
        let mut text = Vec::new();
        for number in 0..300 {
            let place = 10 * number + random.below(10);
            let bases = &genome[place..place + 150];
            let mut record = vec![0; FIXED];
            record[4..8].copy_from_slice(&(place as u32).to_le_bytes());
            record[8] = 8;
            record[16..20].copy_from_slice(&150_u32.to_le_bytes());
            record.extend_from_slice(format!("r{number:06}\0").as_bytes());
            record.extend(bases.chunks(2).map(|pair| pair[0] << 4 | pair[1]));
            record.extend((0..150).map(|n| 30 + (n + number) as u8 / 10 % 7));
            SortEntry { number: number as u64, key: &[], record: &record }.write(&mut text);
        }
        let mut stored = Vec::new();
        pack(&text, &mut stored);
        assert!(3 * stored.len() < text.len(), "{} of {}", stored.len(), text.len());
    }
}
