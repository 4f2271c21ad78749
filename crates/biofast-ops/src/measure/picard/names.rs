//! Reads of one template that overlap: where a base of it counts already, another one doesn't.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::pieces::PiledRecord;
use crate::measure::coverage::Low;

/// Reads from which on those are forgotten that nothing can overlap any more.
const FEW: usize = 1024;

/// Where bases of templates count, of reads that reach beyond the last start.
#[derive(Default)]
pub(crate) struct TemplateOverlaps {
    reads: HashMap<u128, ReadStretches, BuildHasherDefault<Low>>,
    /// The stretches of all reads.
    stretches: Vec<(u32, u32)>,
    /// When to forget.
    limit: usize,
}

#[derive(Clone, Copy)]
struct ReadStretches {
    end: u32,
    first: usize,
    count: usize,
}

impl TemplateOverlaps {
    /// Adds a read whose bases of high quality lie on `high`, and tells where its template has some already.
    #[inline]
    pub(crate) fn add(
        &mut self,
        piece: &PiledRecord,
        high: &[(u32, u32)],
        mut both: impl FnMut(u32, u32),
    ) {
        if self.stretches.len() >= self.limit {
            self.forget(piece.start);
        }
        let first = self.stretches.len();
        let mut end = piece.end;
        let before = self.reads.get(&piece.key).copied().filter(|read| read.end > piece.start);
        if before.is_none() && high.is_empty() {
            return;
        }
        match before {
            None => self.stretches.extend_from_slice(high),
            Some(read) => {
                end = end.max(read.end);
                self.unite(read, piece.start, high, &mut both);
            }
        }
        let count = self.stretches.len() - first;
        self.reads.insert(piece.key, ReadStretches { end, first, count });
    }

    /// Adds the stretches that a read before or `high` covers, from `start` on, and tells of those that both do.
    fn unite(
        &mut self,
        before: ReadStretches,
        start: u32,
        high: &[(u32, u32)],
        both: &mut impl FnMut(u32, u32),
    ) {
        let mut theirs = before.first..before.first + before.count;
        let mut mine = high.iter().copied().peekable();
        let mut last: Option<(u32, u32)> = None;
        loop {
            let their = theirs.clone().next().and_then(|at| self.stretches.get(at).copied());
            let (next, is_mine) = match (mine.peek().copied(), their) {
                (None, None) => break,
                (Some(mine), Some(their)) if mine.0 < their.0 => (mine, true),
                (_, Some(their)) => (their, false),
                (Some(mine), None) => (mine, true),
            };
            if is_mine {
                mine.next();
            } else {
                theirs.next();
                if next.1 <= start {
                    continue;
                }
            }
            // Stretches of one read don't touch each other, so that what overlaps is of both.
            match &mut last {
                Some(last) if next.0 < last.1 => {
                    both(next.0, next.1.min(last.1));
                    last.1 = last.1.max(next.1);
                }
                Some(last) if next.0 == last.1 => last.1 = next.1,
                _ => {
                    self.stretches.extend(last);
                    last = Some(next);
                }
            }
        }
        self.stretches.extend(last);
    }

    /// Forgets reads that end before `start`.
    fn forget(&mut self, start: u32) {
        self.reads.retain(|_, read| read.end > start);
        let mut stretches = Vec::new();
        for read in self.reads.values_mut() {
            let own = read.first..read.first + read.count;
            read.first = stretches.len();
            stretches.extend_from_slice(self.stretches.get(own).unwrap_or_default());
        }
        self.limit = (2 * stretches.len()).max(8 * FEW);
        self.stretches = stretches;
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.reads.clear();
        self.stretches.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use biofast_testkit::random::Random;
    use std::collections::HashSet;

    #[test]
    fn overlaps_agree_with_a_set_of_names_for_each_position() {
        let mut random = Random(11);
        for round in 0..300 {
            let mut names =
                TemplateOverlaps { limit: 20 * (round % 3), ..TemplateOverlaps::default() };
            let mut seen: HashSet<(u128, u32)> = HashSet::new();
            let mut start = 0;
            for record in 0..40 {
                start += random.below(6) as u32;
                let mut high: Vec<(u32, u32)> = Vec::new();
                let mut at = start + random.below(4) as u32;
                for _ in 0..random.below(4) {
                    let len = 1 + random.below(9) as u32;
                    high.push((at, at + len));
                    at += len + 1 + random.below(6) as u32;
                }
                let piece = PiledRecord {
                    reference: 0,
                    start,
                    end: at + 1,
                    blocks: 1,
                    high: high.len() as u32,
                    key: random.below(5) as u128,
                    record,
                };
                let mut found = Vec::new();
                names.add(&piece, &high, |from, to| found.extend(from..to));
                let mut expected: Vec<u32> = high.iter().flat_map(|&(from, to)| from..to).collect();
                expected.retain(|&position| !seen.insert((piece.key, position)));
                assert_eq!(found, expected);
            }
        }
    }
}
