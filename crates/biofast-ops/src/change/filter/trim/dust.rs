//! Stretches of low complexity become N or lower case: the symmetric DUST of Morgulis et al. (2006).

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};

use super::Trim;
use super::trimmer::Trimmer;
use crate::change::filter::read::{TrimUnit, TrimmedRead};

/// TripletCounts of three bases.
const WORDS: usize = 64;
/// At least the words of a window.
const STARTS: usize = *MaskDust::WINDOWS.end();

/// Masks what is of low complexity by symmetric DUST. Qualities stay.
///
/// The score of a stretch of *n* words of three bases is ten times its number of pairs of equal words, divided by *n* − 1. Masked are all
/// stretches of at most `window` bases whose score is above `level`, and that have no part with a higher one. No stretch has other letters
/// than A, C, G and T, in either case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaskDust {
    level: u8,
    window: usize,
    lower_case: bool,
}

impl MaskDust {
    /// What a level may be.
    pub const LEVELS: RangeInclusive<u8> = 2..=64;
    /// What a window may be.
    pub const WINDOWS: RangeInclusive<usize> = 8..=64;

    /// With a window of so many bases; both are taken to the nearest ones allowed.
    pub fn new(level: u8, window: usize) -> MaskDust {
        let level = level.clamp(*Self::LEVELS.start(), *Self::LEVELS.end());
        let window = window.clamp(*Self::WINDOWS.start(), *Self::WINDOWS.end());
        MaskDust { level, window, lower_case: false }
    }

    /// Whether bases become lower case, not N.
    pub fn with_lower_case(self, lower_case: bool) -> MaskDust {
        MaskDust { lower_case, ..self }
    }

    /// What a masked base becomes.
    fn letter(self, base: u8) -> u8 {
        if self.lower_case { base.to_ascii_lowercase() } else { b'N' }
    }
}

impl Trimmer for MaskDust {
    fn kind(&self) -> Trim {
        Trim::MaskDust
    }

    /// Cuts nothing; what changes letters needs [`trim`](Trimmer::trim).
    fn trim_read(&self, _: &mut TrimmedRead<'_>, _: usize) {}

    fn trim(&self, reads: &mut TrimUnit<'_, '_>) {
        SEARCH.with_borrow_mut(|search| {
            for mate in 0..2 {
                let Some(read) = reads.read(mate).copied() else { continue };
                search.look(*self, read.sequence());
                if search.masked.is_empty() {
                    continue;
                }
                let bases = reads.edit(mate).sequence_mut();
                let mut changed = 0;
                for base in search.masked.iter().flat_map(|range| range.clone()) {
                    let masked = self.letter(bases[base]);
                    changed += u64::from(std::mem::replace(&mut bases[base], masked) != masked);
                }
                reads.counts.masked += changed;
            }
        });
    }
}

thread_local! {
    static SEARCH: RefCell<DustSearch> = RefCell::new(DustSearch::default());
}

/// The score of a stretch: its pairs of equal words, and its words but one.
#[derive(Clone, Copy, Debug)]
struct DustScore {
    pairs: u32,
    steps: u32,
}

impl DustScore {
    const NONE: DustScore = DustScore { pairs: 0, steps: 1 };

    fn is_above(self, other: DustScore) -> bool {
        self.pairs * other.steps > other.pairs * self.steps
    }
}

/// How often each word is among some.
#[derive(Clone, Copy, Debug)]
struct TripletCounts {
    of: [u8; WORDS],
    /// Pairs of equal ones.
    pairs: u32,
}

impl TripletCounts {
    fn add(&mut self, word: u8) {
        let of = &mut self.of[usize::from(word)];
        self.pairs += u32::from(*of);
        *of += 1;
    }

    fn remove(&mut self, word: u8) {
        let of = &mut self.of[usize::from(word)];
        *of -= 1;
        self.pairs -= u32::from(*of);
    }

    fn of(&self, word: u8) -> u32 {
        u32::from(self.of[usize::from(word)])
    }
}

/// The search of one read.
#[derive(Debug, Default)]
struct DustSearch {
    /// The words of the stretch of A, C, G and T that is searched, by number.
    words: Vec<u8>,
    /// The best score of the stretches found so far that begin with a word, by its number modulo [`STARTS`], which no window exceeds:
    /// of repeats there are as many stretches as pairs of words in a window, of which no others matter.
    best: Vec<DustScore>,
    /// What is masked, in order and apart.
    masked: Vec<Range<usize>>,
}

impl DustSearch {
    fn look(&mut self, rule: MaskDust, sequence: &[u8]) {
        self.masked.clear();
        let mut at = 0;
        for plain in sequence.split(|base| code(*base).is_none()) {
            self.look_at_plain(rule, plain, at);
            at += plain.len() + 1;
        }
    }

    /// Searches bases that are all A, C, G or T, and begin at `offset` of the read.
    ///
    /// As published: each word ends a window. Its last words, so many that no word is often enough among them to exceed the level, can't
    /// begin a masked stretch; they are kept apart (`tail`), and only what begins before them is scored.
    fn look_at_plain(&mut self, rule: MaskDust, bases: &[u8], offset: usize) {
        self.words.clear();
        let mut word = 0;
        for (at, base) in bases.iter().enumerate() {
            word = (word << 2 | code(*base).unwrap_or_default()) & (WORDS as u8 - 1);
            if at >= 2 {
                self.words.push(word);
            }
        }
        self.best.clear();
        self.best.resize(STARTS, DustScore::NONE);
        let level = u32::from(rule.level);
        let none = TripletCounts { of: [0; WORDS], pairs: 0 };
        let (mut window, mut tail) = (none, none);
        let (mut start, mut tail_start) = (0, 0);
        for end in 0..self.words.len() {
            let word = self.words[end];
            if end - start >= rule.window - 2 {
                window.remove(self.words[start]);
                if tail_start == start {
                    tail.remove(self.words[start]);
                    tail_start += 1;
                }
                start += 1;
            }
            self.best[end % STARTS] = DustScore::NONE;
            window.add(word);
            tail.add(word);
            if tail.of(word) * 10 > level * 2 {
                loop {
                    let first = self.words[tail_start];
                    tail.remove(first);
                    tail_start += 1;
                    if first == word {
                        break;
                    }
                }
            }
            if window.pairs * 10 > (end + 1 - tail_start) as u32 * level {
                self.score(level, start..tail_start, end, tail, offset);
            }
        }
    }

    /// Scores what begins at one of `starts` and ends with the word `end`.
    fn score(
        &mut self,
        level: u32,
        starts: Range<usize>,
        end: usize,
        mut words: TripletCounts,
        offset: usize,
    ) {
        let mut best = DustScore::NONE;
        for start in starts.rev() {
            words.add(self.words[start]);
            // The best of those found that are part of this one.
            let found = &mut self.best[start % STARTS];
            if found.is_above(best) {
                best = *found;
            }
            let own = DustScore { pairs: words.pairs, steps: (end - start) as u32 };
            if own.pairs * 10 > level * own.steps && !best.is_above(own) {
                best = own;
                *found = own;
                self.mask(start + offset..end + 3 + offset);
            }
        }
    }

    /// Adds a range that ends where the last one does, or behind.
    fn mask(&mut self, mut range: Range<usize>) {
        while let Some(last) = self.masked.pop_if(|last| last.end >= range.start) {
            range.start = range.start.min(last.start);
        }
        self.masked.push(range);
    }
}

/// A base in two bits.
fn code(base: u8) -> Option<u8> {
    Some(match base {
        b'A' | b'a' => 0,
        b'C' | b'c' => 1,
        b'G' | b'g' => 2,
        b'T' | b't' => 3,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use biofast_fastq::{Record, Unit};
    use proptest::prelude::*;

    use super::*;
    use crate::filter::Filter;

    /// Which bases are masked, by the definition: of all stretches, in all their parts.
    fn masked(bases: &[u8], level: u64, window: usize) -> Vec<bool> {
        let bases = bases.to_ascii_uppercase();
        let mut masked = vec![false; bases.len()];
        // Pairs and steps of the best part of each stretch, by its end and length.
        let score = |stretch: &[u8]| -> Option<(u64, u64)> {
            if stretch.iter().any(|base| !b"ACGT".contains(base)) || stretch.len() < 4 {
                return None;
            }
            let words: Vec<&[u8]> = stretch.windows(3).collect();
            let pairs = words
                .iter()
                .enumerate()
                .map(|(i, word)| words[..i].iter().filter(|other| *other == word).count() as u64);
            Some((pairs.sum(), words.len() as u64 - 1))
        };
        let mut best: Vec<Vec<(u64, u64)>> = vec![vec![(0, 1); bases.len() + 1]; bases.len() + 1];
        for len in 4..=window.min(bases.len()) {
            for start in 0..=bases.len() - len {
                let end = start + len;
                let parts = [best[start][end - 1], best[start + 1][end]];
                let higher = |a: (u64, u64), b: (u64, u64)| a.0 * b.1 > b.0 * a.1;
                let part = if higher(parts[0], parts[1]) { parts[0] } else { parts[1] };
                best[start][end] = part;
                let Some(own) = score(&bases[start..end]) else { continue };
                if !higher(part, own) {
                    best[start][end] = own;
                    if own.0 * 10 > level * own.1 {
                        masked[start..end].fill(true);
                    }
                }
            }
        }
        masked
    }

    fn read() -> impl Strategy<Value = Vec<u8>> {
        let unit = prop::collection::vec(prop::sample::select(&b"ACGTACGTACGTacgtN"[..]), 1..12);
        let long = prop::collection::vec(prop::sample::select(&b"ACGT"[..]), 1..5);
        let part = prop_oneof![5 => (unit, 1usize..9), 1 => (long, 20usize..150)];
        prop::collection::vec(part, 1..6).prop_map(|parts| {
            let bases = parts.into_iter().flat_map(|(unit, times)| unit.repeat(times));
            bases.take(150).collect()
        })
    }

    proptest! {
        #[test]
        fn the_best_stretches_are_masked(
            reads in [read(), read()],
            level in MaskDust::LEVELS,
            window in MaskDust::WINDOWS,
            lower_case: bool,
        ) {
            let filter = Filter::new().trim(MaskDust::new(level, window).with_lower_case(lower_case));
            let qualities = reads.clone().map(|read| vec![b'I'; read.len()]);
            let (mut expected, mut changed) = (String::new(), 0);
            for (read, qualities) in reads.iter().zip(&qualities) {
                let low = masked(read, level.into(), window);
                let letters: Vec<u8> = read.iter().zip(low).map(|(&base, low)| match (low, lower_case) {
                    (false, _) => base,
                    (true, true) => base.to_ascii_lowercase(),
                    (true, false) => b'N',
                }).collect();
                changed += read.iter().zip(&letters).filter(|(old, new)| old != new).count() as u64;
                let [letters, qualities] = [&letters, qualities].map(|text| String::from_utf8_lossy(text));
                expected += &format!("@r\n{letters}\n+\n{qualities}\n");
            }
            let unit = Unit {
                index: 0,
                first: Record::new(b"r", &reads[0], &qualities[0]),
                second: Some(Record::new(b"r", &reads[1], &qualities[1])),
            };
            let mut worker = filter.worker();
            let mut texts = vec![Vec::new()];
            worker.apply(unit, &mut texts);
            prop_assert_eq!(String::from_utf8_lossy(&texts[0]), expected);
            prop_assert_eq!(worker.tally().trimmed(Trim::MaskDust), (u64::from(changed > 0), changed));
        }
    }
}
