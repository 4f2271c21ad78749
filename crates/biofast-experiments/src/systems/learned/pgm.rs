//! A learned index: segments that predict positions, and segments over the segments' first keys, until one is left.
//! How far predictions are off is measured after building, with the very arithmetic of a lookup, for all keys: the
//! bound is exact.

use super::segments::{Segment, segments};

/// How far a segment over keys may be off.
const EPSILON: usize = 32;
/// How far a segment over segments may be off.
const EPSILON_ABOVE: usize = 4;

/// One level: segments over the keys of the level below, or over the keys themselves.
struct Level {
    segments: Vec<Segment>,
    /// Keys below.
    len: usize,
    /// A prediction for a key that is there is off by this much at most.
    error: usize,
}

impl Level {
    fn new(keys: &[u64], epsilon: usize) -> Self {
        let mut level = Level { segments: segments(keys, epsilon), len: keys.len(), error: 0 };
        let mut error = 0;
        for (i, segment) in level.segments.iter().enumerate() {
            let end = level.end(i);
            for (position, &key) in keys.iter().enumerate().take(end).skip(segment.start) {
                error = error.max(segment.predict(key, end).abs_diff(position));
            }
        }
        level.error = error;
        level
    }

    /// Where the keys of a segment end.
    #[inline]
    fn end(&self, segment: usize) -> usize {
        self.segments.get(segment + 1).map_or(self.len, |next| next.start)
    }

    /// The range that holds the first position whose key is at least `key`; `segment` is the last one that begins at
    /// or before `key`.
    ///
    /// Let that position be p. Predictions never fall as keys grow, and are right by `error` for keys that are there:
    /// the one for `key` is at least that for p - 1, so at least p - 1 - error, and at most that for p, so at most
    /// p + error; or it is beyond the segment's keys, and p is their end, to which it is clamped.
    #[inline]
    fn range(&self, segment: usize, key: u64) -> (usize, usize) {
        let own = &self.segments[segment];
        let end = self.end(segment);
        let guess = own.predict(key, end);
        (guess.saturating_sub(self.error).max(own.start), (guess + self.error + 1).min(end))
    }
}

/// See the module.
pub struct Pgm {
    /// Over the keys first; the last has one segment.
    levels: Vec<Level>,
    smallest: u64,
}

impl Pgm {
    /// Takes strictly ascending keys; None if they are not.
    pub fn new(keys: &[u64]) -> Option<Pgm> {
        if !keys.is_sorted_by(|a, b| a < b) {
            return None;
        }
        let mut levels = vec![Level::new(keys, EPSILON)];
        while let Some(last) = levels.last().filter(|level| level.segments.len() > 1) {
            let firsts: Vec<u64> = last.segments.iter().map(|s| s.first).collect();
            levels.push(Level::new(&firsts, EPSILON_ABOVE));
        }
        Some(Pgm { levels, smallest: keys.first().copied().unwrap_or(u64::MAX) })
    }

    /// Where the first of `keys`, the ones the index was made of, is that is at least `key`.
    #[inline]
    pub fn lower_bound(&self, keys: &[u64], key: u64) -> usize {
        if key <= self.smallest {
            return 0;
        }
        let Some((bottom, above)) = self.levels.split_first() else { return 0 };
        let mut segment = 0;
        for (i, level) in above.iter().enumerate().rev() {
            let (from, to) = level.range(segment, key);
            let below = &self.levels[i].segments;
            // The last segment that begins at or before the key: before the first that begins behind it.
            let mut at = from.saturating_sub(1);
            while at + 1 < below.len() && at < to && below[at + 1].first <= key {
                at += 1;
            }
            segment = at;
        }
        let (from, to) = bottom.range(segment, key);
        from + keys[from..to].partition_point(|&k| k < key)
    }

    /// How far a prediction of a position is off at most, and segments over the keys.
    pub fn bound(&self) -> (usize, usize) {
        self.levels.first().map_or((0, 0), |level| (level.error, level.segments.len()))
    }

    /// Bytes of the index, the keys themselves not included.
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|level| level.segments.len() * size_of::<Segment>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::systems::learned::lower_bound;

    #[test]
    fn finds_what_binary_search_finds() {
        for seed in 0..60 {
            let mut rng = Rng::new(seed, 2, 0);
            let n = rng.below(if seed % 10 == 0 { 100_000 } else { 3000 });
            let mut keys: Vec<u64> = match seed % 5 {
                0 => (0..n).map(|_| rng.next()).collect(),
                1 => (0..n).map(|i| i * 359 + rng.below(9)).collect(),
                2 => (0..n).map(|i| ((i / 180) << 30) | ((i % 180) * 359)).collect(),
                3 => (0..n).map(|i| u64::MAX - (i * i)).collect(),
                _ => (0..n).map(|_| 1 << rng.below(64) | rng.below(999)).collect(),
            };
            keys.sort_unstable();
            keys.dedup();
            let index = Pgm::new(&keys).expect("ascending");
            assert!(index.bound().0 <= EPSILON + 2, "seed {seed}: {:?}", index.bound());
            let near =
                keys.iter().step_by(7).flat_map(|&k| [k.saturating_sub(1), k, k.saturating_add(1)]);
            let far = [0, 1, u64::MAX - 1, u64::MAX];
            let any: Vec<u64> = (0..500).map(|_| rng.next() >> rng.below(64)).collect();
            for key in near.chain(far).chain(any) {
                let expected = lower_bound(&keys, key);
                assert_eq!(index.lower_bound(&keys, key), expected, "seed {seed}, key {key}");
            }
        }
    }

    #[test]
    fn keys_out_of_order_are_refused() {
        assert!(Pgm::new(&[1, 3, 2]).is_none());
        assert!(Pgm::new(&[1, 1]).is_none());
        assert_eq!(Pgm::new(&[]).expect("nothing").lower_bound(&[], 5), 0);
    }
}
