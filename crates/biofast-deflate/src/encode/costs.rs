//! What literals and copies cost, in sixteenths of a bit: from what the block's first records became.

use super::item::{MIN_LENGTH, RUN};
use super::simd::Shortest;
use super::symbols::{LENGTH_BASE, LENGTH_EXTRA, LENGTHS, MAX_LENGTH, length_symbol};
use super::tokens::Tokens;

/// A bit.
const BIT: u32 = 16;
/// The least and the most that a symbol is taken to cost.
const LEAST: u32 = BIT;
const MOST: u32 = 12 * BIT;
/// A score counts as one of the block's if it has one item in so many.
const RARE: u32 = 200;
/// Lengths from which a run is taken whatever it is of.
const LONG: usize = 20;
/// Bytes of a run beyond which it counts as no longer.
const LONGEST_SAVING: usize = 31;

/// The costs of a block's symbols.
pub(super) struct Costs {
    literals: [u32; 128],
    /// Runs of each length, all that it takes.
    runs: [u32; MAX_LENGTH + 1],
    shortest: Shortest,
    /// A copy that is no run, but for the extra bits of length and distance.
    copy: u32,
    /// How many scores there are.
    scores: u32,
    commonest: u8,
    /// A literal of another score, and a run, on average.
    other: u32,
    a_run: u32,
}

/// 16 × log2 of `n`, at least 1, nearly: a straight line between powers of two. Integers are the same everywhere.
#[inline(always)]
fn log2(n: u32) -> u32 {
    let whole = n.max(1).ilog2();
    BIT * whole + ((u64::from(n) << 4 >> whole) as u32 & 15)
}

impl Costs {
    pub(super) fn new() -> Self {
        Self {
            literals: [0; 128],
            runs: [0; MAX_LENGTH + 1],
            shortest: [0; 128],
            copy: 0,
            scores: 0,
            commonest: 0,
            other: 0,
            a_run: 0,
        }
    }

    /// What holds for the first records.
    pub(super) fn clear(&mut self) {
        self.shortest = [4; 128];
        self.literals = [4 * BIT; 128];
        self.runs = [10 * BIT; MAX_LENGTH + 1];
        (self.copy, self.scores) = (12 * BIT, 0);
    }

    /// Estimates from the tokens so far.
    pub(super) fn update(&mut self, tokens: &mut Tokens) {
        let counts = *tokens.count_items();
        let mut lengths = *tokens.copies();
        let copies: u32 = lengths.iter().sum();
        let mut runs = 0;
        for (i, &n) in counts[RUN..].iter().enumerate() {
            lengths[length_symbol(MIN_LENGTH + i) & 31] += n;
            runs += n;
        }
        let all = log2(tokens.symbols());
        let cost = |n: u32| all.saturating_sub(log2(n)).clamp(LEAST, MOST);
        self.scores = 0;
        for (score, (to, &n)) in self.literals.iter_mut().zip(&counts).enumerate() {
            *to = cost(n);
            // Digits are in names, too.
            if score > 32 && n > 0 {
                let digit = (score as u8).is_ascii_digit();
                self.scores += u32::from(n * RARE > tokens.items().len() as u32 && !digit);
            }
        }
        let scores = counts[..128]
            .iter()
            .enumerate()
            .skip(33)
            .filter(|(i, _)| !b"ACGTN".contains(&(*i as u8)));
        self.commonest = scores.max_by_key(|(_, n)| **n).map_or(0, |(score, _)| score as u8);
        let (mut others, mut sum) = (0, 0);
        for (score, &n) in counts[..128].iter().enumerate().skip(33) {
            let score = score as u8;
            if n > 0
                && score != self.commonest
                && !b"ACGTN".contains(&score)
                && n * RARE > tokens.items().len() as u32
            {
                others += n;
                sum += n * self.literals[usize::from(score)];
            }
        }
        self.other = sum / others.max(1);
        // Nearly all distances are 1 or that of the record before.
        let near = (log2(runs + copies + 1) - log2(runs.max(1))).min(4 * BIT);
        for ((symbol, &extra), &base) in LENGTH_EXTRA.iter().enumerate().zip(&LENGTH_BASE) {
            // Neighbours are as likely.
            let at = |symbol: usize| lengths[symbol.min(LENGTHS - 1)];
            let n = at(symbol.saturating_sub(1)) + 2 * at(symbol) + at(symbol + 1);
            let cost = cost(n.div_ceil(4)) + BIT * u32::from(extra) + near;
            for run in self.runs[usize::from(base)..].iter_mut().take(1 << extra) {
                *run = cost;
            }
        }
        let (mut all_runs, mut sum) = (0, 0);
        for (i, &n) in counts[RUN..].iter().enumerate() {
            all_runs += n;
            sum += n * self.runs[MIN_LENGTH + i];
        }
        self.a_run = sum / all_runs.max(1);
        for (score, shortest) in self.shortest.iter_mut().enumerate() {
            *shortest = MIN_LENGTH as u8;
            if counts[score] > 0 {
                let cheaper = |&n: &usize| self.runs[n] < self.literals[score] * n as u32;
                *shortest = (MIN_LENGTH..LONG).find(cheaper).unwrap_or(LONG) as u8;
            }
        }
        let far = copies.max(4);
        let length = all.saturating_sub(log2(far / 8 + 1)).clamp(4 * BIT, 11 * BIT);
        let distance = log2(runs + copies + 1).saturating_sub(log2(far / 6 + 1));
        self.copy = length + distance.clamp(2 * BIT, 10 * BIT);
    }

    /// Bits of a literal in the fields of a BAM record, on average: digits, and the commonest bytes of numbers.
    pub(super) fn field_literal(&self) -> u32 {
        const COMMON: &[u8] = b"0123456789\x00\x01\x04c";
        let bits = COMMON.iter().map(|&byte| self.of(byte) / BIT).sum::<u32>();
        (bits / COMMON.len() as u32).clamp(4, 9)
    }

    /// Whether runs save `percent` of what the qualities of BAM records cost as literals, by the tokens so far.
    pub(super) fn runs_save(&self, tokens: &mut Tokens, percent: u32) -> bool {
        let counts = tokens.count_items();
        let (mut bits, mut scores) = (0u64, 1);
        for (&n, &cost) in counts.iter().zip(&self.literals).take(94).skip(1) {
            bits += u64::from(n) * u64::from(cost);
            scores += u64::from(n);
        }
        let average = bits / scores;
        let saved = |(length, &n): (usize, &u32)| {
            let literals = length.min(LONGEST_SAVING) as u64 * average;
            u64::from(n) * literals.saturating_sub(u64::from(self.runs[length]))
        };
        let saved: u64 = (MIN_LENGTH..).zip(&counts[RUN..]).map(saved).sum();
        saved * 100 >= bits * u64::from(percent)
    }

    /// How many scores are in use; 0 before the first estimate.
    #[inline(always)]
    pub(super) fn scores(&self) -> u32 {
        self.scores
    }

    /// The most common score, by its literals.
    #[inline(always)]
    pub(super) fn commonest(&self) -> u8 {
        self.commonest
    }

    #[inline(always)]
    pub(super) fn other(&self) -> u32 {
        self.other
    }

    #[inline(always)]
    pub(super) fn a_run(&self) -> u32 {
        self.a_run
    }

    /// From how many bytes on a run of each score is cheaper than literals.
    #[inline(always)]
    pub(super) fn shortest(&self) -> &Shortest {
        &self.shortest
    }

    /// A copy from `distance` back, on average over lengths.
    #[inline(always)]
    pub(super) fn copy_of(&self, distance: usize) -> u32 {
        self.copy + BIT * (distance as u32 | 4).ilog2()
    }

    /// A byte of a line of scores as literal.
    #[inline(always)]
    pub(super) fn of(&self, score: u8) -> u32 {
        self.literals[usize::from(score) % self.literals.len()]
    }
}
