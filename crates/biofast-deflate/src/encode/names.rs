//! Names and separators, which resemble earlier ones, and the ends of the qualities around them: a copy of a separator
//! goes on into the qualities behind it, that of a name begins in the qualities before it.

use super::costs::{Costs, log2};
use super::runs::Runs;
use super::symbols::{MAX_DISTANCE, MAX_LENGTH};
use super::tokens::{Text, Tokens, common, common_before, word};

/// The shortest copy.
const MIN_COPY: usize = 3;
/// Slots of a table of places.
const SLOTS: usize = 1024;
/// Separators up to this length don't repeat the name.
const BARE: usize = 6;

/// What is remembered of the records before.
pub(super) struct Names {
    /// The last name with its two line feeds.
    name: Option<(usize, usize)>,
    /// The last separator with its two line feeds.
    plus: Option<(usize, usize)>,
    /// Where separators start, by the qualities that follow.
    heads: Box<[u16; SLOTS]>,
    /// Where names start, by the qualities before.
    tails: Box<[u16; SLOTS]>,
    /// Where fields that differ from the name before start and end, by two of their letters.
    fronts: Box<[u16; SLOTS]>,
    backs: Box<[u16; SLOTS]>,
    /// Bytes of names and separators that were no copies.
    pub(super) new_bytes: usize,
}

#[inline(always)]
fn slot(scores: u32) -> usize {
    (scores.wrapping_mul(0x9e37_79b1) >> 22) as usize % SLOTS
}

impl Names {
    pub(super) fn new() -> Self {
        let table = || Box::new([0; SLOTS]);
        Self {
            name: None,
            plus: None,
            heads: table(),
            tails: table(),
            fronts: table(),
            backs: table(),
            new_bytes: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        (self.name, self.plus) = (None, None);
        self.new_bytes = 0;
        self.heads.fill(0);
        self.tails.fill(0);
        self.fronts.fill(0);
        self.backs.fill(0);
    }

    /// Adds the separator `text[start..end]` and as many of the qualities up to `qualities_end` as it can; returns where
    /// it stopped.
    #[inline(always)]
    pub(super) fn add_plus(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        (start, end): (usize, usize),
        qualities_end: usize,
        (runs, costs): (&Runs, &Costs),
    ) -> usize {
        let before = self.plus.replace((start, end));
        if end - start > BARE {
            match self.name {
                Some(name) => self.add_fields(tokens, text, (start, end), name, costs),
                None => tokens.literals(text, start, end),
            }
            return end;
        }
        let found = &mut self.heads[slot(word(text, end) as u32)];
        let far = usize::from(*found);
        *found = start as u16;
        let most = (qualities_end.max(end) - start).min(MAX_LENGTH);
        let reach = |from: usize| match start - from {
            1..=MAX_DISTANCE => common(text, start, from, most),
            _ => 0,
        };
        let bare = end - start;
        // Length, source, and what the qualities in it save.
        let mut best = (0, 0, 0);
        if let Some((from, _)) = before {
            let n = reach(from);
            let saved = costs.saved_by_longer(text, runs, start + bare, start + n);
            best = if saved > 0 { (n, from, saved) } else { (n.min(bare), from, 0) };
        }
        if far > 0 && far < start && best.1 != far {
            let n = reach(far);
            if n > best.0 {
                let more =
                    if best.0 < bare { 0 } else { costs.farther(start - far, start - best.1) };
                let saved = costs.saved_by_longer(text, runs, start + bare, start + n);
                if saved > best.2 + more {
                    best = (n, far, saved);
                }
            }
        }
        let (n, from, _) = best;
        if n >= MIN_COPY.max(end - start) {
            tokens.copy(n, start - from);
            return start + n;
        }
        tokens.literals(text, start, end);
        end
    }

    /// Where the qualities `text[start..end]` that a name follows are to end, so that the rest is copied with the name:
    /// what [`add_name`](Self::add_name) needs.
    #[inline(always)]
    pub(super) fn tail(
        &mut self,
        text: &Text,
        (start, end): (usize, usize),
        name_end: usize,
        (runs, costs): (&Runs, &Costs),
    ) -> Tail {
        let mut tail = Tail { start: end, from: 0, length: 0 };
        let Some((before, _)) = self.name else { return tail };
        if end < start + 4 {
            return tail;
        }
        let found = &mut self.tails[slot(word(text, end - 4) as u32)];
        let far = usize::from(*found);
        *found = end as u16;
        let forward = |from: usize| common(text, end, from, name_end - end);
        let backward = |from: usize| common_before(text, end, from, end - start);
        let near = forward(before);
        let saved = |back: usize| costs.saved_by_longer(text, runs, end - back, end);
        let mut back = backward(before);
        let mut most = saved(back) as i32;
        if most == 0 {
            back = 0;
        }
        let mut best = (near, back, before);
        // The first field that differs from the name before may start as an earlier one.
        let differ = end + near;
        let field = differ - text[end..differ].iter().rev().take_while(|b| is_letter(**b)).count();
        let mut alike = 0;
        if field > end && field + 2 <= name_end {
            let found = &mut self.fronts[slot(word(text, field - 1) as u32 & 0xff_ffff)];
            alike = usize::from(*found).saturating_sub(field - end);
            *found = field as u16;
        }
        let letter = self.letter(end);
        for from in [far, alike] {
            if from == 0 || from >= end || from == before || end - from > MAX_DISTANCE {
                continue;
            }
            let (ahead, back) = (forward(from), backward(from));
            if ahead >= near && (back > best.1 || ahead > near) {
                let gain = saved(back) + (ahead - near) as u32 * letter;
                let net = gain as i32 - costs.farther(end - from, end - before) as i32;
                if net > most {
                    most = net;
                    best = (ahead, back, from);
                }
            }
        }
        let (ahead, back, from) = best;
        if ahead >= MIN_COPY && end - from <= MAX_DISTANCE && ahead + back <= MAX_LENGTH {
            tail = Tail { start: end - back, from: from - back, length: ahead + back };
        }
        tail
    }

    /// Adds the name `text[start..end]` and the qualities that `tail` left to it.
    #[inline(always)]
    pub(super) fn add_name(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        (start, end): (usize, usize),
        tail: Option<Tail>,
        costs: &Costs,
    ) {
        let before = self.name.replace((start, end));
        let Some((like, like_end)) = before else {
            return tokens.literals(text, start, end);
        };
        let tail = tail.filter(|tail| tail.length > 0 && tail.start + tail.length > start);
        let Some(Tail { start: first, from, length }) = tail else {
            return self.add_fields(tokens, text, (start, end), (like, like_end), costs);
        };
        tokens.copy(length, first - from);
        let at = first + length;
        // The record before is the best guide to the rest.
        let like = (like_end.min(like + at - start), like_end);
        self.add_fields(tokens, text, (at, end), like, costs);
    }

    /// What a letter of a name costs as literal, at `at` in the text: they are the rarest there.
    #[inline(always)]
    fn letter(&self, at: usize) -> u32 {
        log2((6 * at / (self.new_bytes + 8)) as u32)
    }

    /// Adds `text[start..end]`, with copies of what it has in common with the earlier `text[like..like_end]`. Where they
    /// differ both are followed to the end of the field, and a field that ends as an earlier one is copied from there.
    #[inline(always)]
    fn add_fields(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        (start, end): (usize, usize),
        (like, like_end): (usize, usize),
        costs: &Costs,
    ) {
        let (mut at, mut from) = (start, like);
        let mut copied = 0;
        while at - from <= MAX_DISTANCE {
            let n = common(text, at, from, (end - at).min(like_end - from));
            if n >= MIN_COPY {
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
            let next = skip_field(text, at, end);
            from = skip_field(text, from, like_end);
            if next >= at + 2 && next < end {
                let found = &mut self.backs[slot(word(text, next - 2) as u32 & 0xff_ffff)];
                let earlier = usize::from(*found);
                *found = next as u16;
                if earlier >= 2 && earlier < next && next - earlier <= MAX_DISTANCE {
                    let reach = common(text, next - 2, earlier - 2, end + 2 - next);
                    let usual = common(text, next, from, (end - next).min(like_end - from));
                    let farther = costs.farther(next - earlier, next - from);
                    if reach >= MIN_COPY.max(usual + 2) && 2 * self.letter(at) > farther {
                        tokens.literals(text, at, next - 2);
                        tokens.copy(reach, next - earlier);
                        copied += reach;
                        at = next - 2 + reach;
                        from = like_end.min(from + reach - 2);
                        if at >= end || from >= like_end {
                            break;
                        }
                        continue;
                    }
                }
            }
            tokens.literals(text, at, next);
            at = next;
        }
        tokens.literals(text, at, end);
        self.new_bytes += end - start - copied;
    }
}

/// The qualities at the end of a line that are copied with the name behind them.
#[derive(Clone, Copy)]
pub(super) struct Tail {
    /// Where they start.
    pub(super) start: usize,
    /// Where they are copied from.
    from: usize,
    /// How long that copy is.
    length: usize,
}

#[inline(always)]
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

/// Where the field around `at` ends: behind letters and digits, or behind a single other byte.
#[inline(always)]
fn skip_field(text: &Text, at: usize, end: usize) -> usize {
    let field = text[at..end].iter().take_while(|b| is_letter(**b)).count();
    at + field.max(1)
}
