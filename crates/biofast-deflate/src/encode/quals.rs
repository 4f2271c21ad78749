//! Lines of qualities: literals, runs of one score, and, where these are many or with more effort, copies of earlier stretches.

use super::costs::Costs;
use super::simd::Simd;
use super::symbols::MAX_DISTANCE;
use super::text::{Text, common_before, repeats, run, sixty_four, word};
use super::tokens::Tokens;

/// Slots of the table of earlier stretches.
const SLOTS: usize = 8192;
/// Bytes that two stretches must have in common to be found, of many scores and of few.
const HASHED: u32 = 5;
const HASHED_FEW: u32 = 7;
/// Sixteenths of a bit that a copy must save: each also makes the codes of others longer.
const MARGIN: u32 = 8 * 16;
const MARGIN_FEW: u32 = 6 * 16;
/// The shortest copy.
const SHORTEST: usize = 4;
const HASH: u64 = 0x9e37_79b9_7f4a_7c15;

/// Earlier stretches of qualities.
pub(super) struct Stretches {
    /// The last place of each hash.
    table: Box<[u16; SLOTS]>,
}

/// How earlier stretches are looked for.
#[derive(Clone, Copy)]
pub(super) struct Search {
    /// There are few different scores.
    pub(super) few: bool,
    /// In a window of fewer places where a stretch may begin none is looked for.
    pub(super) least: u32,
}

/// Adds the qualities `text[start..end]` as literals and runs.
#[inline(always)]
pub(super) fn add<S: Simd>(
    tokens: &mut Tokens,
    text: &Text,
    (start, end): (usize, usize),
    costs: &Costs,
) {
    let mut at = start;
    while at < end {
        let again = repeats::<S>(text, at);
        let n = match window(again, end - at) {
            0 => {
                let length = run(text, at, end);
                tokens.run(length);
                at += length;
                continue;
            }
            n => n,
        };
        add_window::<S>(tokens, text, at, (again, n), costs);
        at += n;
    }
}

/// How many of the next 64 bytes to take, given which `repeats` and how many are `left`: a run that may go on behind the
/// window waits for the next one. None if all is a run.
#[inline(always)]
fn window(repeats: u64, left: usize) -> usize {
    if left > 64 { 64 - repeats.leading_ones() as usize } else { left }
}

/// Those bytes of a window that are in runs of three or more like the one before.
#[inline(always)]
fn inside(repeats: u64) -> u64 {
    let threes = repeats & repeats >> 1 & repeats >> 2;
    threes | threes << 1 | threes << 2
}

/// Adds the first `n` bytes from `at` on.
#[inline(always)]
fn add_window<S: Simd>(
    tokens: &mut Tokens,
    text: &Text,
    at: usize,
    (again, n): (u64, usize),
    costs: &Costs,
) {
    if n == 0 {
        return;
    }
    let keep = u64::MAX >> (64 - n);
    let inside = inside(again & keep);
    if inside == 0 {
        return tokens.literals(text, at, at + n);
    }
    let Some(to) = tokens.room() else { return };
    let n = S::items(sixty_four(text, at), inside, keep, costs.shortest(), to);
    tokens.add_items(n);
}

impl Stretches {
    pub(super) fn new() -> Self {
        Self { table: Box::new([0; SLOTS]) }
    }

    pub(super) fn clear(&mut self) {
        self.table.fill(0);
    }

    /// Adds a line with its runs, and with copies that are cheaper. These are looked for where scores change (where they
    /// leave the most common one, if they are few).
    #[inline(always)]
    pub(super) fn add<S: Simd>(
        &mut self,
        tokens: &mut Tokens,
        text: &Text,
        (start, end): (usize, usize),
        (costs, search): (&Costs, Search),
    ) {
        let mut at = start;
        while at < end {
            let again = repeats::<S>(text, at);
            let n = match window(again, end - at) {
                0 => {
                    let length = run(text, at, end);
                    tokens.run(length);
                    at += length;
                    continue;
                }
                n => n,
            };
            let keep = u64::MAX >> (64 - n);
            let common = S::equal(sixty_four(text, at), &[costs.commonest(); 64]);
            let masks = Masks { inside: inside(again & keep), common };
            let places = !again & keep & if search.few { !common } else { u64::MAX };
            let places = if places.count_ones() < search.least { 0 } else { places };
            let found = self.find::<S>(text, (at, end), places, &masks, (costs, search));
            let Some((place, length, distance)) = found else {
                add_window::<S>(tokens, text, at, (again, n), costs);
                at += n;
                continue;
            };
            add_window::<S>(tokens, text, at, (again, place - at), costs);
            tokens.copy(length, distance);
            at = place + length;
        }
    }

    /// Where in the 64 bytes from `at` on, at one of `places`, the first stretch begins that came before and is cheaper as
    /// copy; how long it is, and how far back.
    #[inline(always)]
    fn find<S: Simd>(
        &mut self,
        text: &Text,
        (at, end): (usize, usize),
        mut places: u64,
        masks: &Masks,
        (costs, search): (&Costs, Search),
    ) -> Option<(usize, usize, usize)> {
        let (hashed, margin) = if search.few { (HASHED_FEW, MARGIN_FEW) } else { (HASHED, MARGIN) };
        while places != 0 {
            let i = places.trailing_zeros();
            let place = at + i as usize;
            places &= places - 1;
            let hash = (word(text, place) << (64 - 8 * hashed)).wrapping_mul(HASH);
            let found = &mut self.table[(hash >> 51) as usize % SLOTS];
            let earlier = usize::from(*found);
            *found = place as u16;
            // Slot 0 may be empty; what is the same there may be copied as well.
            let here = word(text, place);
            if (here ^ word(text, earlier)).trailing_zeros() < 8 * SHORTEST as u32 {
                continue;
            }
            let same = S::equal(sixty_four(text, place), sixty_four(text, earlier));
            let ahead = (same.trailing_ones() as usize).min(end - place);
            let back = common_before::<S>(text, place, earlier).min(i as usize);
            let (from, length) = (i as usize - back, ahead + back);
            let span = u64::MAX.checked_shr(64 - length.min(64) as u32).unwrap_or(0) << from;
            let distance = place.wrapping_sub(earlier);
            let saved = masks.cost(span, costs).saturating_sub(costs.copy_of(distance));
            if saved > margin && length >= SHORTEST && distance <= MAX_DISTANCE {
                return Some((at + from, length, distance));
            }
        }
        None
    }
}

/// What the 64 bytes of a window become.
struct Masks {
    /// Bytes in runs of three or more like the one before.
    inside: u64,
    /// Those of the most common score.
    common: u64,
}

impl Masks {
    /// What the bytes of `span` cost as literals and runs.
    #[inline(always)]
    fn cost(&self, span: u64, costs: &Costs) -> u32 {
        let literals = span & !self.inside;
        let runs = span & self.inside & !(self.inside << 1);
        (literals & self.common).count_ones() * costs.of(costs.commonest())
            + (literals & !self.common).count_ones() * costs.other()
            + runs.count_ones() * costs.a_run()
    }
}
