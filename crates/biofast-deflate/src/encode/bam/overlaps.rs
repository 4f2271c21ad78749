//! Bases: copies from earlier records that overlap this one on the reference. How far back the same bases are follows from
//! the positions, so nothing is looked up. Where none overlaps, equal stretches are found by a hash.

use crate::encode::simd::Simd;
use crate::encode::symbols::MAX_DISTANCE;
use crate::encode::text::{MAX_TEXT, Text, common, thirty_two, word};
use crate::encode::tokens::Tokens;

use super::records::{HEAD, Record};

/// The most records that a text has.
const MAX_RECORDS: usize = MAX_TEXT / HEAD;
/// Earlier records that are asked, and how many of them at once.
const BACK: usize = 64;
const STEP: usize = 8;
/// Candidates compared before others are asked for, and in all.
const FIRST: usize = 3;
const CANDIDATES: usize = 12;
const ROOM: usize = 24;
/// Bytes in common from which no other candidate is asked for.
const ENOUGH: usize = 32;
/// Bases that a record may begin before another and still be compared with it.
const BEFORE: i32 = 16;
/// The shortest copy, and differences after which the rest of a record is left.
const SHORTEST: usize = 5;
const MISSES: usize = 12;
/// Slots of the table of stretches.
const SLOTS: usize = 4096;
const HASHED: usize = 8;
/// Bytes after which the hash is judged, and the part of them it must have found.
const JUDGED: usize = 2048;
const FOUND: usize = 16;

/// What is remembered of a record.
#[derive(Clone, Copy)]
struct Earlier {
    reference: i32,
    /// See [`Record::ends`].
    left: i32,
    right: i32,
    bases: usize,
    length: usize,
}

/// Records so far.
struct Seen {
    records: Vec<Earlier>,
    /// Their ends once more, so that several can be compared at once.
    lefts: Vec<i32>,
    rights: Vec<i32>,
}

impl Seen {
    fn clear(&mut self) {
        self.records.clear();
        self.lefts.clear();
        self.rights.clear();
    }

    fn push(&mut self, record: Earlier) {
        self.records.push(record);
        self.lefts.push(record.left);
        self.rights.push(record.right);
    }

    /// Which of the records `from..to`, at most [`STEP`], may overlap `this` one: a bit each, lowest first.
    #[inline(always)]
    fn overlap(&self, from: usize, to: usize, this: Earlier) -> u32 {
        let ends = |all: &[i32]| {
            let mut ends = [0; STEP];
            match all.get(from..).and_then(<[i32]>::first_chunk) {
                Some(all) => ends = *all,
                None => ends[..to - from].copy_from_slice(&all[from..to]),
            }
            ends
        };
        let (lefts, rights) = (ends(&self.lefts), ends(&self.rights));
        let mut fit = 0;
        for i in 0..STEP {
            let left = fits(this.left.wrapping_sub(lefts[i]), this.length);
            let right = fits(this.right.wrapping_sub(rights[i]), this.length);
            fit |= u32::from(left | right) << i;
        }
        fit & ((1 << (to - from)) - 1)
    }
}

/// Whether a record that begins `x` bases behind another may be compared with it. Four bits a base: an odd difference
/// never fits.
#[inline(always)]
fn fits(x: i32, length: usize) -> bool {
    let range = (length as i32).wrapping_add(BEFORE - 1).cast_unsigned();
    (x & 1 == 0) & (x.wrapping_add(BEFORE - 1).cast_unsigned() < range)
}

/// Where bases of an earlier record lie.
#[derive(Clone, Copy)]
struct Candidate {
    /// The place of what is the first byte here; it may lie before that record's bases.
    place: isize,
    /// How many bytes there are from there on.
    bytes: isize,
}

/// The records of a text so far.
pub(super) struct Overlaps {
    earlier: Seen,
    /// Whether records that are aligned differ in length.
    lengths_differ: bool,
    /// Last places of eight bytes.
    table: Box<[u16; SLOTS]>,
    hashing: bool,
    hashed: usize,
    found: usize,
}

impl Overlaps {
    pub(super) fn new() -> Self {
        Self {
            earlier: Seen {
                records: Vec::with_capacity(MAX_RECORDS),
                lefts: Vec::with_capacity(MAX_RECORDS),
                rights: Vec::with_capacity(MAX_RECORDS),
            },
            lengths_differ: false,
            table: Box::new([0; SLOTS]),
            hashing: true,
            hashed: 0,
            found: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.earlier.clear();
        self.lengths_differ = false;
        self.table.fill(0);
        self.hashing = true;
        (self.hashed, self.found) = (0, 0);
    }

    /// Adds the bases of `record`, of which those before `end` are in the text.
    #[inline(always)]
    pub(super) fn add<S: Simd>(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        n: usize,
        record: &Record,
    ) {
        let (left, right) = record.ends(text, n);
        let (reference, length) = (record.reference, record.length);
        let this = Earlier { reference, left, right, bases: record.bases, length };
        let (start, end) = (record.bases.min(n), record.qualities.min(n));
        if start < end {
            if reference < 0 || self.earlier.records.is_empty() {
                self.add_others::<S>(tokens, text, start, end);
            } else {
                self.add_aligned::<S>(tokens, text, (start, end), this);
            }
        }
        if let Some(before) = self.earlier.records.last() {
            self.lengths_differ |= before.length != length && record.operations > 0;
        }
        self.earlier.push(this);
    }

    #[inline(always)]
    fn add_aligned<S: Simd>(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        (start, end): (usize, usize),
        this: Earlier,
    ) {
        let mut candidates = Candidates::new(self.earlier.records.len());
        candidates.ask(&self.earlier, this, FIRST);
        if candidates.used == 0 {
            candidates.ask(&self.earlier, this, CANDIDATES);
        }
        if candidates.used == 0 {
            return self.add_others::<S>(tokens, text, start, end);
        }
        let (mut at, mut done) = (start, start);
        let mut misses = 0;
        while at + 4 <= end {
            let here = (at - start).cast_signed();
            // Reads of one length have nothing more behind the end of what all candidates have.
            let most = candidates.all().iter().map(|candidate| candidate.bytes).max();
            if !self.lengths_differ && most.unwrap_or(0) < here + 4 {
                break;
            }
            let (mut best, mut from, mut left) = (0, 0, 0);
            let mut compared = 0;
            loop {
                for candidate in &candidates.all()[compared..] {
                    compared += 1;
                    let bytes = candidate.bytes - here;
                    let Ok(place) = usize::try_from(candidate.place + here) else { continue };
                    if bytes <= best as isize || place >= at || at - place > MAX_DISTANCE {
                        continue;
                    }
                    let same = common::<S>(text, at, place, end - at);
                    if same > best {
                        (best, from, left) = (same, place, bytes);
                        if same == end - at {
                            break;
                        }
                    }
                }
                // It goes on where this one ends, unless it ends with its record.
                let ends = best > 0 && best as isize >= left - 1;
                let at_once = at == start || self.lengths_differ;
                if candidates.used < CANDIDATES
                    && candidates.next > 0
                    && best < ENOUGH
                    && best < end - at
                    && at_once
                    && !ends
                {
                    candidates.ask(&self.earlier, this, candidates.used + FIRST);
                    if compared < candidates.used {
                        continue;
                    }
                }
                break;
            }
            if best >= SHORTEST {
                self.add_others::<S>(tokens, text, done, at);
                tokens.copy_on(best, at - from);
                at += best;
                done = at;
                misses = 0;
                continue;
            }
            misses += 1;
            if misses > MISSES {
                break;
            }
            at += candidates.skip::<S>(text, at, here);
        }
        self.add_others::<S>(tokens, text, done, end);
    }

    /// Adds `text[start..end]` as literals, and copies of what a hash of eight bytes finds, as long as it does.
    #[inline(always)]
    pub(super) fn add_others<S: Simd>(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        start: usize,
        end: usize,
    ) {
        if !self.hashing || end < start + 12 {
            return tokens.literals(text, start, end);
        }
        self.add_hashed::<S>(tokens, text, start, end);
    }

    #[inline(always)]
    fn add_hashed<S: Simd>(&mut self, tokens: &mut Tokens, text: &Text, start: usize, end: usize) {
        self.hashed += end - start;
        let (mut at, mut done) = (start, start);
        let mut misses = 0;
        while at + HASHED <= end {
            let here = word(text, at);
            let hash = here.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52;
            let slot = &mut self.table[hash as usize % SLOTS];
            let place = usize::from(*slot);
            if (at - start).is_multiple_of(4) {
                *slot = at as u16;
            }
            if place > 0 && place < at && at - place <= MAX_DISTANCE && word(text, place) == here {
                let ahead = common::<S>(text, at, place, end - at);
                let most = (at - done).min(place);
                let back = (1..=most).take_while(|i| text[at - i] == text[place - i]).count();
                tokens.literals(text, done, at - back);
                tokens.copy_on(ahead + back, at - place);
                self.found += ahead + back;
                at += ahead;
                done = at;
                misses = 0;
                continue;
            }
            misses += 1;
            at += 1 + (misses >> 5);
        }
        tokens.literals(text, done, end);
        if self.hashed > JUDGED {
            self.hashing = self.found * FOUND > self.hashed;
            (self.hashed, self.found) = (0, 0);
        }
    }
}

/// Earlier records that overlap one.
struct Candidates {
    list: [Candidate; ROOM],
    used: usize,
    /// The records before this one haven't been asked yet.
    next: usize,
    /// And those from this one on won't be.
    last: usize,
}

impl Candidates {
    #[inline(always)]
    fn new(records: usize) -> Self {
        let none = Candidate { place: 0, bytes: 0 };
        Self { list: [none; ROOM], used: 0, next: records, last: records.saturating_sub(BACK) }
    }

    #[inline(always)]
    fn all(&self) -> &[Candidate] {
        &self.list[..self.used.min(ROOM)]
    }

    /// Asks earlier records, the last one first, until there are `wanted` candidates.
    #[inline(always)]
    fn ask(&mut self, earlier: &Seen, this: Earlier, wanted: usize) {
        while self.next > self.last && self.used < wanted {
            let from = self.next.saturating_sub(STEP);
            let mut fit = earlier.overlap(from, self.next, this);
            self.next = from;
            while fit != 0 {
                let i = fit.ilog2();
                fit ^= 1 << i;
                if let Some(record) = earlier.records.get(from + i as usize) {
                    self.ask_one(record, this);
                }
            }
        }
        if self.next <= self.last {
            self.next = 0;
        }
    }

    #[inline(always)]
    fn ask_one(&mut self, record: &Earlier, this: Earlier) {
        if record.reference != this.reference {
            return;
        }
        let left = this.left.wrapping_sub(record.left);
        let right = this.right.wrapping_sub(record.right);
        for (x, other) in [(left, true), (right, left != right)] {
            if other && fits(x, this.length) && self.used < ROOM - 2 {
                let bytes = (x >> 1) as isize;
                self.list[self.used] = Candidate {
                    place: record.bases.cast_signed() + bytes,
                    bytes: (record.length >> 1).cast_signed() - bytes,
                };
                self.used += 1;
            }
        }
    }

    /// How far the next place is where one of the candidates has four bytes in common, or how far none is.
    #[inline(always)]
    fn skip<S: Simd>(&self, text: &Text, at: usize, here: isize) -> usize {
        let mut next = 28;
        for candidate in self.all().iter().take(STEP) {
            let place = usize::try_from(candidate.place + here).unwrap_or(usize::MAX);
            if place < at {
                let same = S::equal_half(thirty_two(text, at), thirty_two(text, place));
                let fours = same & same >> 1 & same >> 2 & same >> 3 & !1;
                next = next.min(fours.trailing_zeros());
            }
        }
        next as usize
    }
}
