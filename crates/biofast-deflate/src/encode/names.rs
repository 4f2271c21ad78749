//! Names and separators, which resemble those of the record before, and the ends of the qualities around them: a copy of a
//! separator goes on into the qualities behind it, that of a name begins in the qualities before it.

use super::item::MIN_LENGTH;
use super::simd::Simd;
use super::symbols::{MAX_DISTANCE, MAX_LENGTH};
use super::text::{Text, common, common_before, thirty_two, word};
use super::tokens::Tokens;

/// Slots of a table of places.
const SLOTS: usize = 1024;
/// Separators up to this length don't repeat the name.
const BARE: usize = 6;
/// Scores that a copy from farther back must have more.
const FARTHER: usize = 3;

/// What is remembered of the records before.
pub(super) struct Names {
    /// The last name with its two line ends.
    name: Option<(usize, usize)>,
    /// Where the last separator starts.
    plus: Option<usize>,
    /// Where separators start, by the qualities that follow.
    heads: Box<[u16; SLOTS]>,
    /// Where names start, by the qualities before.
    tails: Box<[u16; SLOTS]>,
    /// Whether these two are in use.
    far: bool,
    /// Bytes of names and separators that were no copies, but for the first.
    pub(super) new_bytes: usize,
}

/// Where the qualities before a name end, whose rest is copied with the name.
#[derive(Clone, Copy)]
pub(super) struct Tail {
    pub(super) start: usize,
    /// Where they are copied from if not from the record before.
    from: Option<usize>,
}

#[inline(always)]
fn slot(scores: u64) -> usize {
    ((scores as u32).wrapping_mul(0x9e37_79b1) >> 22) as usize % SLOTS
}

impl Names {
    pub(super) fn new() -> Self {
        let table = || Box::new([0; SLOTS]);
        Self { name: None, plus: None, heads: table(), tails: table(), far: false, new_bytes: 0 }
    }

    pub(super) fn clear(&mut self) {
        (self.name, self.plus) = (None, None);
        self.far = false;
        self.new_bytes = 0;
    }

    /// Looks farther back than the record before from now on, or no longer.
    pub(super) fn look_far(&mut self, far: bool) {
        if far && !self.far {
            self.heads.fill(0);
            self.tails.fill(0);
        }
        self.far = far;
    }

    /// Adds the separator `text[start..end]` and as many of the qualities up to `qualities_end` as it can; returns where
    /// it stopped.
    #[inline(always)]
    pub(super) fn add_plus<S: Simd>(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        (start, end): (usize, usize),
        qualities_end: usize,
    ) -> usize {
        let before = self.plus.replace(start);
        let bare = end - start;
        if bare > BARE {
            match self.name {
                Some(name) => self.add_fields::<S>(tokens, text, (start, end), name),
                None => tokens.literals(text, start, end),
            }
            return end;
        }
        let most = (qualities_end.max(end) - start).min(MAX_LENGTH);
        let mut best = (0, 0);
        if let Some(from) = before
            && start - from <= MAX_DISTANCE
        {
            best = (common::<S>(text, start, from, most), from);
        }
        if self.far {
            let found = &mut self.heads[slot(word(text, end))];
            let far = usize::from(*found);
            *found = start as u16;
            // Slot 0 may be empty; another hash may have led here: only what is the same is copied.
            if far > 0 && far < start && start - far <= MAX_DISTANCE && far != best.1 {
                let n = common::<S>(text, start, far, most);
                if n > best.0 + FARTHER {
                    best = (n, far);
                }
            }
        }
        let (n, from) = best;
        if n >= MIN_LENGTH.max(bare) {
            tokens.copy(n, start - from);
            return start + n;
        }
        tokens.literals(text, start, end);
        end
    }

    /// Where the qualities `text[start..end]` that a name follows are to end, so that the rest is copied with the name:
    /// what [`add_name`](Self::add_name) needs.
    #[inline(always)]
    pub(super) fn tail<S: Simd>(&mut self, text: &Text, (start, end): (usize, usize)) -> Tail {
        let mut tail = Tail { start: end, from: None };
        let Some((before, _)) = self.name else { return tail };
        if end - before > MAX_DISTANCE {
            return tail;
        }
        let near = common_before::<S>(text, end, before).min(end - start);
        tail.start = end - near;
        if self.far && end >= 4 {
            let found = &mut self.tails[slot(word(text, end - 4))];
            let far = usize::from(*found);
            *found = end as u16;
            if far > 0 && far < end && end - far <= MAX_DISTANCE && far != before {
                let back = common_before::<S>(text, end, far).min(end - start);
                if back > near + FARTHER
                    && common::<S>(text, end, far, 32) >= common::<S>(text, end, before, 32)
                {
                    tail = Tail { start: end - back, from: Some(far - back) };
                }
            }
        }
        tail
    }

    /// Adds the name `text[start..end]` and the qualities that `tail` left to it.
    #[inline(always)]
    pub(super) fn add_name<S: Simd>(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        (start, end): (usize, usize),
        tail: Option<Tail>,
    ) {
        let first = tail.map_or(start, |tail| tail.start);
        let Some((like, like_end)) = self.name.replace((start, end)) else {
            return tokens.literals(text, first, end);
        };
        let mut at = first;
        if let Some(from) = tail.and_then(|tail| tail.from) {
            let n = common::<S>(text, first, from, end - first);
            tokens.copy(n, first - from);
            at += n;
        }
        // The record before is the best guide to the rest.
        let like = if at < start { like.saturating_sub(start - at) } else { like + (at - start) };
        self.add_fields::<S>(tokens, text, (at, end), (like.min(like_end), like_end));
    }

    /// Adds `text[start..end]`, with copies of what it has in common with the earlier `text[like..like_end]`. Where they
    /// differ both are followed to the end of the field, or to where they are the same again.
    #[inline(always)]
    fn add_fields<S: Simd>(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        (start, end): (usize, usize),
        (like, like_end): (usize, usize),
    ) {
        let (mut at, mut from) = (start, like);
        let mut copied = 0;
        while at < end && from < like_end && at - from <= MAX_DISTANCE {
            let n = common::<S>(text, at, from, (end - at).min(like_end - from));
            if n >= MIN_LENGTH {
                tokens.copy(n, at - from);
                copied += n;
            } else {
                tokens.literals(text, at, at + n);
            }
            at += n;
            from += n;
            if at >= end || from >= like_end {
                break;
            }
            // A field is letters and digits, or a single other byte.
            let field = |at: usize| at + S::letters(thirty_two(text, at)).max(1);
            let mut next = field(at).min(end);
            let mut like_next = field(from).min(like_end);
            if next - at == like_next - from {
                // In fields of the same length the same may follow.
                let same = S::equal_half(thirty_two(text, at), thirty_two(text, from));
                let fours = same & same >> 1 & same >> 2 & same >> 3;
                let skipped = fours.trailing_zeros() as usize;
                if skipped + 4 <= next - at {
                    (next, like_next) = (at + skipped, from + skipped);
                }
            }
            tokens.literals(text, at, next);
            (at, from) = (next, like_next);
        }
        tokens.literals(text, at, end);
        self.new_bytes += end - start - copied;
    }
}
