//! What literals and copies are going to cost, in sixteenths of a bit, estimated from a sample of the block.

use super::lines::{Kind, Line};
use super::runs::Runs;
use super::symbols::{LENGTH_EXTRA, distance_extra, distance_symbol, length_symbol};
use super::tokens::Text;

/// Bytes of qualities looked at.
const SAMPLE: usize = 4096;

/// Bits that an unusual distance takes more than a usual one, besides extra bits.
const LONGER: u32 = 3;
const FAR: u32 = 5;

/// The costs of a block's symbols.
pub(super) struct Costs {
    literals: [u32; 256],
    shortest: [u8; 256],
    /// A run but for its length's extra bits, and another copy but for the extra bits of length and distance.
    run: u32,
    copy: u32,
}

/// 16 × log2 of `n`, at least 1, nearly: by a straight line between powers of two.
fn log2(n: u32) -> u32 {
    let whole = n.max(1).ilog2();
    16 * whole + ((u64::from(n) << 4 >> whole) as u32 & 15)
}

impl Costs {
    pub(super) fn new() -> Self {
        Self { literals: [0; 256], shortest: [3; 256], run: 0, copy: 0 }
    }

    /// Estimates from some of the lines.
    pub(super) fn sample(
        &mut self,
        text: &Text,
        lines: impl Iterator<Item = Line> + Clone,
        runs: &Runs,
    ) {
        let of = |kind| lines.clone().filter(move |line: &Line| line.kind == kind);
        let total: usize = of(Kind::Qualities).map(|line| line.end - line.start).sum();
        let count = of(Kind::Qualities).count();
        let every = (total / SAMPLE).clamp(1, count.max(1));
        let part = (SAMPLE * 2 / count.div_ceil(every).max(1)).max(64);
        let (mut scores, mut changes, mut repeats) = ([0u32; 256], 0u32, 0u32);
        for line in of(Kind::Qualities).step_by(every) {
            let mut at = line.start;
            let end = line.end.min(at + part);
            while at < end {
                let window = runs.window(at);
                let n = (end - at).min(64);
                let threes = window & window >> 1 & window >> 2;
                // What a run repeats is no literal.
                let covered = threes | threes << 1 | threes << 2;
                repeats += (threes & !(threes << 1)).count_ones();
                for (i, &score) in text[at..at + n].iter().enumerate() {
                    let literal = (!covered >> i & 1) as u32;
                    scores[usize::from(score)] += literal;
                    changes += literal;
                }
                at += n;
            }
        }
        // As many bases as qualities, and little else.
        let sampled = of(Kind::Qualities)
            .step_by(every)
            .map(|l| (l.end - l.start).min(part) as u32)
            .sum::<u32>();
        let symbols = log2(sampled + changes + repeats + 1);
        self.run = symbols - log2(repeats + 1) + 40;
        self.copy = self.run.max(16 * 6) + 110;
        for (score, &n) in scores.iter().enumerate() {
            let cost = (symbols - log2(n.max(1))).clamp(16, 16 * 12);
            self.literals[score] = cost;
            self.shortest[score] = (self.run / cost + 1).clamp(3, 255) as u8;
        }
    }

    #[inline(always)]
    pub(super) fn literal(&self, score: u8) -> u32 {
        self.literals[usize::from(score)]
    }

    /// From how many bytes on a run of `score` is cheaper than literals.
    #[inline(always)]
    pub(super) fn shortest_run(&self, score: u8) -> usize {
        usize::from(self.shortest[usize::from(score)])
    }

    /// What it saves that a copy goes on over the scores `text[start..end]`.
    pub(super) fn saved_by_longer(
        &self,
        text: &Text,
        runs: &Runs,
        start: usize,
        end: usize,
    ) -> u32 {
        self.stretch(text, runs, start, end).saturating_sub(16 * LONGER)
    }

    /// The cost of scores as literals and runs.
    pub(super) fn stretch(&self, text: &Text, runs: &Runs, start: usize, end: usize) -> u32 {
        let (mut at, mut sum) = (start, 0);
        while at < end {
            let n = if at > start { runs.length(at).min(end - at) } else { 0 };
            if n >= self.shortest_run(text[at]) {
                sum += self.run(n.min(258));
                at += n;
            } else {
                sum += self.literal(text[at]);
                at += 1;
            }
        }
        sum
    }

    /// What a distance costs more than another one.
    pub(super) fn farther(&self, distance: usize, other: usize) -> u32 {
        let extra = |distance: usize| distance_extra(distance_symbol(distance as u32));
        16 * (extra(distance).saturating_sub(extra(other)) + FAR)
    }

    #[inline(always)]
    pub(super) fn run(&self, length: usize) -> u32 {
        self.run + 16 * u32::from(LENGTH_EXTRA[length_symbol(length)])
    }

    #[inline(always)]
    pub(super) fn copy(&self, length: usize, distance: usize) -> u32 {
        let extra = u32::from(LENGTH_EXTRA[length_symbol(length)])
            + distance_extra(distance_symbol(distance as u32));
        self.copy + 16 * extra
    }
}
