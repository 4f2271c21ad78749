//! What literals and copies are going to cost, in sixteenths of a bit, estimated from a sample of the block.

use super::lines::{Kind, Lines};
use super::runs::Runs;
use super::simd::Shortest;
use super::symbols::{LENGTH_EXTRA, MAX_LENGTH, distance_extra, distance_symbol, length_symbol};
use super::tokens::Text;

/// Bytes of qualities looked at, about.
const SAMPLE: usize = 2048;
/// Bytes of a line looked at, at least.
const PART: usize = 64;
/// A bit.
const BIT: u32 = 16;
/// What an unusual length takes more than a usual one.
const LONGER: u32 = 3 * BIT;
/// What an unusual distance takes more than a usual one, besides extra bits. Where runs are dense nearly all distances are
/// 1 or that of the record before, with codes of one bit each; others would make these two bits.
const FARTHER: u32 = 5 * BIT;
const FARTHER_DENSE: u32 = 5 * BIT;
/// Runs are dense from one in so many scores on.
const DENSE: u32 = 12;
/// What a run takes for which length it has and that it is a run.
const RUN: u32 = 5 * BIT / 2;
/// What other copies take more than runs.
const COPY: u32 = 5 * BIT;
/// Scores that take less as literals are few, or one is in most places: then the same stretches come again all over.
const CHEAP: u32 = 7 * BIT / 2;

/// The costs of a block's symbols.
pub(super) struct Costs {
    literals: [u32; 256],
    shortest: Shortest,
    /// A run, but for the extra bits of its length.
    run: u32,
    /// Another copy, but for the extra bits of length and distance.
    copy: u32,
    cheap: bool,
    dense: bool,
}

/// 16 × log2 of `n`, at least 1, nearly: a straight line between powers of two. Integers are the same everywhere.
pub(super) fn log2(n: u32) -> u32 {
    let whole = n.max(1).ilog2();
    BIT * whole + ((u64::from(n) << 4 >> whole) as u32 & 15)
}

/// The places in a window where three bytes repeat the one before.
#[inline(always)]
pub(super) fn threes(window: u64) -> u64 {
    window & window >> 1 & window >> 2
}

impl Costs {
    pub(super) fn new() -> Self {
        Self { literals: [0; 256], shortest: [3; 128], run: 0, copy: 0, cheap: false, dense: false }
    }

    /// Estimates from parts of the lines of qualities.
    #[inline(always)]
    pub(super) fn sample(&mut self, text: &Text, lines: &Lines, runs: &Runs) {
        let (mut scores, mut sampled, mut literals, mut starts) = ([0u32; 256], 0, 0, 0);
        let records = lines.count() / 4 + 1;
        let part = (SAMPLE / records).max(PART);
        let every = (records * part / SAMPLE).max(1);
        for (n, line) in lines.of(Kind::Qualities).step_by(every).enumerate() {
            // Scores depend on the cycle: another part in each line.
            let len = line.end - line.start;
            let first = line.start + if len > part { n * part % (len - part) } else { 0 };
            let end = line.end.min(first + part);
            let mut at = first;
            while at < end {
                let window = runs.window(at);
                let n = (end - at).min(64);
                let threes = threes(window);
                starts += (threes & !(threes << 1)).count_ones();
                // What a run covers is no literal.
                let mut left = !(threes | threes << 1 | threes << 2);
                if n < 64 {
                    left &= (1 << n) - 1;
                }
                literals += left.count_ones();
                while left != 0 {
                    scores[usize::from(text[at + left.trailing_zeros() as usize])] += 1;
                    left &= left - 1;
                }
                at += n;
            }
            sampled += (end - first) as u32;
        }
        // As many bases as scores, and little else.
        let all = log2(sampled + literals + starts + 1);
        self.run = all - log2(starts + 1) + RUN;
        self.copy = self.run.max(6 * BIT) + COPY;
        let mut sum = 0;
        for (score, &n) in scores.iter().enumerate() {
            let cost = (all - log2(n)).clamp(BIT, 12 * BIT);
            sum += n * cost;
            self.literals[score] = cost;
            if let Some(shortest) = self.shortest.get_mut(score) {
                *shortest = (self.run / cost + 1).clamp(3, 255) as u8;
            }
        }
        self.dense = starts * DENSE > sampled;
        self.cheap = sum < CHEAP * literals && literals * 4 > sampled;
    }

    /// Whether literals are so cheap that stretches of them must come again often: a case for an encoder that looks for
    /// copies everywhere.
    pub(super) fn are_low(&self) -> bool {
        self.cheap
    }

    /// Whether runs are so many that looking up each would cost more than it gains.
    #[inline(always)]
    pub(super) fn runs_are_dense(&self) -> bool {
        self.dense
    }

    /// A score as literal.
    #[inline(always)]
    pub(super) fn literal(&self, score: u8) -> u32 {
        self.literals[usize::from(score)]
    }

    /// From how many bytes on a run of `score` is cheaper than literals.
    #[inline(always)]
    pub(super) fn shortest_run(&self, score: u8) -> usize {
        usize::from(self.shortest[usize::from(score) % self.shortest.len()])
    }

    /// The same for all scores.
    pub(super) fn shortest(&self) -> &Shortest {
        &self.shortest
    }

    /// A run of at least 3.
    #[inline(always)]
    pub(super) fn run(&self, length: usize) -> u32 {
        self.run + BIT * u32::from(LENGTH_EXTRA[length_symbol(length.min(MAX_LENGTH)) % 29])
    }

    /// Another copy.
    #[inline(always)]
    pub(super) fn copy(&self, length: usize, distance: usize) -> u32 {
        let extra = u32::from(LENGTH_EXTRA[length_symbol(length) % 29])
            + distance_extra(distance_symbol(distance as u32));
        self.copy + BIT * extra
    }

    /// What a distance costs more than another one.
    #[inline(always)]
    pub(super) fn farther(&self, distance: usize, other: usize) -> u32 {
        let extra = |distance: usize| distance_extra(distance_symbol(distance as u32));
        let farther = if self.dense { FARTHER_DENSE } else { FARTHER };
        BIT * extra(distance).saturating_sub(extra(other)) + farther
    }

    /// What it saves that a copy goes on over the scores `text[start..end]`.
    #[inline(always)]
    pub(super) fn saved_by_longer(
        &self,
        text: &Text,
        runs: &Runs,
        start: usize,
        end: usize,
    ) -> u32 {
        self.stretch(text, runs, start, end).saturating_sub(LONGER)
    }

    /// Scores as literals and runs.
    #[inline(always)]
    pub(super) fn stretch(&self, text: &Text, runs: &Runs, start: usize, end: usize) -> u32 {
        let (mut at, mut sum) = (start, 0);
        while at < end {
            let n = if at > start { runs.length(at).min(end - at) } else { 0 };
            if n >= self.shortest_run(text[at]) {
                sum += self.run(n);
                at += n;
            } else {
                sum += self.literal(text[at]);
                at += 1;
            }
        }
        sum
    }
}
