//! Complexity by the words of three bases in a read: DUST scores and entropy, as PRINSEQ defines them.

use std::cell::RefCell;
use std::sync::LazyLock;

use super::{Predicate, object};
use crate::change::filter::read::TrimmedRead;
use crate::change::filter::tally::Reason;

/// Bases of a window, and of the step from one to the next.
const WINDOW: usize = 64;
const STEP: usize = 32;
/// Words of a window.
const WORDS: usize = WINDOW - 2;
/// A read, or what is left of it behind the last whole window, has a score from so many bases on.
const SHORTEST: usize = 6;
/// What PRINSEQ takes for the highest score of a window.
const HIGHEST: f64 = 31.0;

/// A DUST score of at most this value, from 0 to 100, rounded down. It is 100 for a read of fewer than 6 bases.
///
/// The score of a window of 64 bases is the number of pairs of equal words of three bases, divided by the number of words and scaled so that
/// 100 stands for one word alone. A read has the mean of its windows.
#[derive(Clone, Copy, Debug)]
pub struct MaxDust(pub f64);

/// An entropy of at least this value, from 0 to 100, rounded down. It is 0 for a read of fewer than 6 bases.
///
/// The entropy of a window of 64 bases is that of its words of three bases, as a share of the highest one, which words that all differ have.
/// A read has the mean of its windows.
#[derive(Clone, Copy, Debug)]
pub struct MinEntropy(pub f64);

impl Predicate for MaxDust {
    fn objection(&self, read: &TrimmedRead<'_>) -> Option<Reason> {
        let dust = mean_of_windows(read.sequence(), HIGHEST, WordCounts::dust);
        object((dust * 100.0 / HIGHEST).floor() > self.0, Reason::ComplexityTooLow)
    }
}

impl Predicate for MinEntropy {
    fn objection(&self, read: &TrimmedRead<'_>) -> Option<Reason> {
        let entropy = mean_of_windows(read.sequence(), 0.0, WordCounts::entropy);
        object((entropy * 100.0).floor() < self.0, Reason::ComplexityTooLow)
    }
}

/// The windows that are whole, if others follow, and where the last one begins, which has 33 to 64 bases, or all of a short read.
fn whole_windows(len: usize) -> (usize, usize) {
    let whole = if len > WINDOW { (len - WINDOW).div_ceil(STEP) } else { 0 };
    (whole, whole * STEP)
}

/// The mean of the values of windows; `lowest` stands for one that is too short.
fn mean_of_windows(
    sequence: &[u8],
    lowest: f64,
    value: impl Fn(&mut WordCounts, &[u8], bool) -> f64,
) -> f64 {
    COUNTS.with_borrow_mut(|counts| {
        let (whole, rest) = whole_windows(sequence.len());
        let windows = (0..whole).map(|number| &sequence[number * STEP..number * STEP + WINDOW]);
        let sum: f64 = windows.map(|window| value(counts, window, false)).sum();
        let last = &sequence[rest..];
        let last = if last.len() < SHORTEST { lowest } else { value(counts, last, true) };
        (sum + last) / (whole + 1) as f64
    })
}

thread_local! {
    static COUNTS: RefCell<WordCounts> = RefCell::new(WordCounts(vec![0; 1 << 15]));
}

/// How often each word is in a window; zero between windows.
struct WordCounts(Vec<u8>);

/// The words of a window by number: five bits a letter, without regard to case.
fn words(window: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let letter = |letter: u8| usize::from(letter & 31);
    window
        .windows(3)
        .map(move |word| letter(word[0]) << 10 | letter(word[1]) << 5 | letter(word[2]))
}

impl WordCounts {
    /// Pairs of equal words by the number of words, which PRINSEQ counts differently in the last window: that one is scaled to the length of
    /// the others.
    fn dust(&mut self, window: &[u8], is_last: bool) -> f64 {
        let mut pairs = 0;
        for word in words(window) {
            pairs += u32::from(self.0[word]);
            self.0[word] += 1;
        }
        words(window).for_each(|word| self.0[word] = 0);
        let number = (window.len() - 2) as f64;
        match is_last {
            true => f64::from(pairs) / (number - 1.0) * (WORDS as f64 / number),
            false => f64::from(pairs) / number,
        }
    }

    /// The entropy as a share of the highest one.
    fn entropy(&mut self, window: &[u8], _: bool) -> f64 {
        let number = window.len() - 2;
        for word in words(window) {
            self.0[word] += 1;
        }
        let terms = &TERMS[number];
        let sum: f64 =
            words(window).map(|word| terms[usize::from(std::mem::take(&mut self.0[word]))]).sum();
        sum / (number as f64).ln()
    }
}

/// −p · ln p of a word that is so many times (second index) among so many words (first index).
static TERMS: LazyLock<Vec<[f64; WORDS + 1]>> = LazyLock::new(|| {
    let term = |words: usize, times: usize| match times {
        0 => 0.0,
        _ => {
            let share = times as f64 / words as f64;
            -share * share.ln()
        }
    };
    (0..=WORDS).map(|words| std::array::from_fn(|times| term(words, times))).collect()
});

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use biofast_fastq::Record;
    use proptest::prelude::*;

    use super::*;

    /// Of each window of a read the numbers of its words, one each, and their sum.
    fn windows(read: &[u8]) -> Vec<(Vec<f64>, f64)> {
        let read = read.to_ascii_uppercase();
        let mut starts = vec![0];
        // The last window begins at the first step from which a window reaches the end.
        while starts[starts.len() - 1] + 64 < read.len() {
            starts.push(starts[starts.len() - 1] + 32);
        }
        let window = |start: usize| {
            let window = &read[start..read.len().min(start + 64)];
            let mut counts: HashMap<&[u8], f64> = HashMap::new();
            window.windows(3).for_each(|word| *counts.entry(word).or_default() += 1.0);
            (counts.into_values().collect(), window.len().saturating_sub(2) as f64)
        };
        starts.into_iter().map(window).collect()
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    fn read() -> impl Strategy<Value = Vec<u8>> {
        let unit = prop::collection::vec(prop::sample::select(&b"ACGTACGTNacg"[..]), 1..40);
        prop::collection::vec((unit, 1usize..20), 0..6).prop_map(|parts| {
            parts.into_iter().flat_map(|(unit, times)| unit.repeat(times)).collect()
        })
    }

    proptest! {
        #[test]
        fn scores_are_means_over_windows(read in read(), cut in 0usize..9, limit in 0u32..100) {
            let read = &read[..read.len().saturating_sub(cut)];
            let found = windows(read);
            let dust: Vec<f64> = found.iter().enumerate().map(|(at, (counts, words))| {
                let pairs: f64 = counts.iter().map(|n| n * (n - 1.0) / 2.0).sum();
                match *words {
                    words if words < 4.0 => 31.0,
                    words if at + 1 == found.len() => pairs / (words - 1.0) * 62.0 / words,
                    words => pairs / words,
                }
            }).collect();
            let entropy: Vec<f64> = found.iter().map(|(counts, words)| {
                let sum: f64 = counts.iter().map(|n| n / words).map(|p| -p * p.ln()).sum();
                if *words < 4.0 { 0.0 } else { sum / words.ln() }
            }).collect();
            let (dust, entropy) = (mean(&dust) * 100.0 / 31.0, mean(&entropy) * 100.0);
            let qualities = vec![b'I'; read.len()];
            let read = TrimmedRead::new(Record::new(b"r", read, &qualities));
            let is_clear = |value: f64| (value - value.round()).abs() > 1e-9;
            let limit = f64::from(limit);
            if is_clear(dust) {
                prop_assert_eq!(MaxDust(limit).objection(&read).is_some(), dust.floor() > limit);
            }
            if is_clear(entropy) {
                prop_assert_eq!(MinEntropy(limit).objection(&read).is_some(), entropy.floor() < limit);
            }
        }
    }
}
