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
pub(crate) struct Pgm {
    /// Over the keys first; the last has one segment.
    levels: Vec<Level>,
    smallest: u64,
}

impl Pgm {
    /// Takes strictly ascending keys; None if they are not.
    pub(crate) fn new(keys: &[u64]) -> Option<Pgm> {
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
    pub(crate) fn lower_bound(&self, keys: &[u64], key: u64) -> usize {
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
    pub(crate) fn bound(&self) -> (usize, usize) {
        self.levels.first().map_or((0, 0), |level| (level.error, level.segments.len()))
    }

    /// Bytes of the index, the keys themselves not included.
    pub(crate) fn bytes(&self) -> usize {
        self.levels.iter().map(|level| level.segments.len() * size_of::<Segment>()).sum()
    }
}
